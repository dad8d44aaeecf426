"""litellm, langchain-openai, an agent and the `ai` SDK with a real server.

`python -m tests.torture clients`. They need other versions of the official client than this
project's tests, so their scripts (`tests/environments/clients`) run in a separate environment, and
the Node scripts in `build/clients`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from engine import Engine
from engine.bench.random_models import write_model
from engine.serve.server import Server
from tests.engine.families import FAMILIES
from tests.engine.scripted import write_scripted
from tests.environments import HERE, npm_install, python_of
from tests.torture import ROOT

MOST_SECONDS = 300.0
NODE = ROOT / "build" / "clients"
PACKAGES = ("ai@6.0.326", "@ai-sdk/openai@3.0.141", "zod@4.6.7")
CONTEXT = 4096  # tokens; the scripted model's tokens are letters


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture clients", description=__doc__)
    parser.add_argument("--only", default="", help="scripts whose name contains this")
    chosen = parser.parse_args(arguments)
    python = python_of("clients")
    scripts = [s for s in sorted((HERE / "clients").glob("*_script.*")) if chosen.only in s.name]
    failed = []
    # The libraries may contact only this server.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DO_NOT_TRACK": "1"}
    environment |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
    with tempfile.TemporaryDirectory() as folder, Engine() as engine:
        models = [
            engine.load(write_scripted(Path(folder) / "scripted", context=CONTEXT)),
            engine.load(write_model(Path(folder) / "plain", FAMILIES["plain"])),
        ]
        with Server(engine, models, 0) as server:
            address = f"http://127.0.0.1:{server.port}"
            for script in scripts:
                if script.suffix == ".mjs":
                    npm_install(NODE, *PACKAGES)
                    asked = ["node", shutil.copy(script, NODE), address]
                else:
                    asked = [str(python), str(script), address]
                print(f"{script.stem}:", flush=True)
                if subprocess.run(
                    asked, check=False, env=environment, timeout=MOST_SECONDS
                ).returncode:
                    failed.append(script.stem)
    print(f"failed: {', '.join(failed)}" if failed else "all held")
    return len(failed)
