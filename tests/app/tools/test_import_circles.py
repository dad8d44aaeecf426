"""Concurrent imports of packages with cyclic imports."""

from __future__ import annotations

import subprocess
import sys

MEETING = """
import asyncio, importlib.abc, sys, threading, time
from importlib.machinery import PathFinder
from pathlib import Path

import engine
from app import serving
from app.tools import loop_thread
from app.tools.connection import Connection
from app.tools.servers import ServerConfig

inside, met, free = threading.Event(), threading.Event(), loop_thread.importing

class Watched:
    def __enter__(self):
        if not free.acquire(blocking=False):
            met.set()
            free.acquire()
    def __exit__(self, *_):
        free.release()

loop_thread.importing = Watched()

class Meeting(importlib.abc.MetaPathFinder):
    # The server's thread is within uvicorn when the tools' wants uvicorn.main.
    def find_spec(self, name, path, target=None):
        if name not in ("uvicorn.config", "uvicorn.main"):
            return None
        spec = PathFinder.find_spec(name, path)
        run = spec.loader.exec_module
        def exec_module(module):
            if threading.current_thread().name != "server":
                met.set()
            elif name == "uvicorn.config":
                inside.set()
                met.wait(60)
                time.sleep(0.5)
            run(module)
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Meeting())

def server():
    serving.start_server(None, None, 0, {"require_key": False}, [], Path(), bool, False).stop()
    print("server started", flush=True)

async def tools():
    connection = Connection(ServerConfig("none", command="/nonexistent"))
    try:
        await connection.tools()
    except Exception as error:
        print("tools", type(error).__name__, flush=True)

threads = [threading.Thread(target=server, name="server")]
threads.append(threading.Thread(target=lambda: inside.wait(60) and asyncio.run(tools())))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_two_threads_import_packages_with_circles() -> None:
    """Regression test: cannot import name 'Server' from partially initialized module
    'uvicorn.main'.
    """
    command = [sys.executable, "-c", MEETING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "server started" in done.stdout, done.stderr
    assert "tools ToolError" in done.stdout, done.stderr
