"""litellm, langchain-openai and an agent against a real server: `python -m tests.torture clients`.

They want other versions of the official client than this project's tests do, so each of their
scripts (`tests/environments/clients`) runs in an environment of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from engine import Engine
from engine.bench.random_models import write_model
from engine.serve.server import Server
from tests.engine.families import FAMILIES
from tests.engine.scripted import write_scripted
from tests.environments import HERE, python_of

MOST_SECONDS = 300.0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture clients", description=__doc__)
    parser.add_argument("--only", default="", help="scripts whose name contains this")
    chosen = parser.parse_args(arguments)
    python = python_of("clients")
    scripts = [s for s in sorted((HERE / "clients").glob("*.py")) if chosen.only in s.name]
    failed = []
    # Neither library may ask anybody but this server.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DO_NOT_TRACK": "1"}
    environment |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
    with tempfile.TemporaryDirectory() as folder, Engine() as engine:
        models = [
            engine.load(write_scripted(Path(folder) / "scripted")),
            engine.load(write_model(Path(folder) / "plain", FAMILIES["plain"])),
        ]
        with Server(engine, models, 0) as server:
            address = f"http://127.0.0.1:{server.port}"
            for script in scripts:
                print(f"{script.stem}:", flush=True)
                asked = [str(python), str(script), address]
                if subprocess.run(
                    asked, check=False, env=environment, timeout=MOST_SECONDS
                ).returncode:
                    failed.append(script.stem)
    print(f"failed: {', '.join(failed)}" if failed else "all held")
    return len(failed)
