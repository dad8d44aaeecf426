"""`python -m engine doctor`: show installed versions, the device, and what's missing."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterable
from typing import Any

EPILOG = """\
Exit status: 0, or 1 if something is missing.
`python -m engine families` tries the architectures of mlx-lm.
"""

_PACKAGES = ("mlx", "mlx-lm", "mlx-vlm", "transformers", "tokenizers", "numpy", "huggingface_hub")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def main(options: argparse.Namespace) -> int:
    report = collect_report()
    print(json.dumps(report, indent=2) if options.json else "\n".join(_report_lines(report)))
    return 1 if report["missing"] else 0


def collect_report() -> dict[str, Any]:
    from engine.model import backend

    machine = backend.start()  # must run before anything imports MLX
    from engine.runtime.admission import BUDGET_SHARE
    from engine.runtime.result_files import versions

    missing = []
    if machine.device == "cpu" and machine.blas.startswith("reference"):
        missing.append(f"OpenBLAS, which makes prefill far faster: {machine.blas}")
    return {
        "versions": {"python": platform.python_version(), **versions(*_PACKAGES)},
        "missing": missing,
        "backend": {
            "system": f"{platform.system()} {platform.machine()}",
            "device": machine.device,
            "blas": machine.blas,
            "memory": machine.memory,
            "memory_budget": int(machine.memory * BUDGET_SHARE),
        },
    }


def _report_lines(report: dict[str, Any]) -> Iterable[str]:
    yield from (
        f"{name:<16} {version or 'not installed'}" for name, version in report["versions"].items()
    )
    backend = report["backend"]
    yield f"{'device':<16} {backend['device']} ({backend['blas']} BLAS), {backend['system']}"
    budget, memory = backend["memory_budget"] / 1e9, backend["memory"] / 1e9
    yield f"{'memory budget':<16} {budget:.1f} of {memory:.1f} GB"
    for package in report["missing"]:
        yield f"{'missing':<16} {package}"
