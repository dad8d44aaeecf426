"""`python -m engine doctor`: what is installed, what of it works together, and what is missing."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins

from engine.bench.families import Finding, findings_of
from engine.cli.arguments import Line
from engine.model import overlay, patches

EPILOG = """\
Each architecture of mlx-lm is made small, loaded and stepped, alone and together, which takes a
minute or two; --quick leaves that out. Another mlx-lm than the pinned one: make run MLX_LM=0.33.*,
or STRETTO_MLX_LM=FOLDER. Exit status: 0 all is as with the pinned versions, 1 something is not.
"""

_PAGE = Path(__file__).resolve().parents[1] / "FAMILIES.md"
_PACKAGES = ("mlx", "mlx-lm", "mlx-vlm", "transformers", "tokenizers", "numpy", "huggingface_hub")


class Known(Struct, frozen=True):
    """How an architecture shared a step with the pinned versions; "" where it did not run."""

    step: str
    shares_prefix: bool = False


class Report(Struct):
    """What the doctor has found."""

    versions: dict[str, str]  # of the packages that matter; "" where one is not installed
    mlx_lm: dict[str, str]  # where it was loaded from, its version, and why an overlay was refused
    missing: list[str]  # what mlx-lm requires and is not there, and what else would help
    backend: dict[str, Any]  # device, BLAS, and bytes of memory
    patches: list[dict[str, Any]]  # name, whether it is on, why not and what that loses
    adapters: str = ""  # why LoRA adapters cannot be opened; "" where they can
    families: int = 0  # how many ran; 0 where they were left out
    ran: int = 0
    # what is not as with the pinned versions, a sentence each
    differences: list[str] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("families", nargs="*", help="which architectures to try (all)")
    parser.add_argument("--quick", action="store_true", help="try no architecture")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def main(options: argparse.Namespace) -> int:
    found = examine()
    say = (lambda *_, **__: None) if options.json else print
    say("\n".join(_lines(found)))
    if not options.quick:
        _try_families(found, options.families)
        said = len(found.differences)
        say(f"\n{found.ran} of {found.families} architectures run. ", end="")
        say(f"{said} differences from the pinned versions{':' if said else '.'}")
    for difference in found.differences:
        say(f"- {difference}")
    if options.json:
        print(json.dumps(to_builtins(found), indent=2))
    return 1 if found.differences or found.missing else 0


def examine() -> Report:
    """All but the architectures."""
    from engine.model import backend

    machine = backend.start()  # before anything imports MLX
    import mlx_lm

    from engine.model import adapting  # brings MLX, which must not come before its BLAS
    from engine.runtime.admission import BUDGET_SHARE

    laid_over = overlay.left or overlay.asked()
    place = {"folder": str(Path(mlx_lm.__file__).parent), "version": str(mlx_lm.__version__)}
    if laid_over is not None:
        place |= {"overlay": str(laid_over.folder), "refused": laid_over.refused}
    missing = overlay.missing()
    if machine.device == "cpu" and machine.blas.startswith("reference"):
        missing.append(f"OpenBLAS, with which prompts are read far faster: {machine.blas}")
    found = patches.states()
    report = Report(
        {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        place,
        missing,
        {
            "system": f"{platform.system()} {platform.machine()}",
            "device": machine.device,
            "blas": machine.blas,
            "memory": machine.memory,
            "memory_budget": int(machine.memory * BUDGET_SHARE),
        },
        [{"name": p.name, "on": p.on, "reason": p.reason, "loss": p.loss} for p in found],
        adapting.why_not(),
    )
    if report.adapters:
        report.differences.append(f"LoRA adapters cannot be opened ({report.adapters}).")
    if laid_over is not None and laid_over.refused:
        report.differences.append(f"{laid_over.folder} is not used: {laid_over.refused}.")
    report.differences += [
        f"The patch {state.name!r} is off ({state.reason}). {state.loss}"
        for state in found
        if not state.on and not state.reason.startswith(_NOT_NEEDED)
    ]
    return report


_NOT_NEEDED = ("only needed", "Windows has no")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _lines(found: Report) -> Iterable[str]:
    """The report's first part, for a person."""
    yield from (
        f"{name:<16} {version or 'not installed'}" for name, version in found.versions.items()
    )
    yield f"{'mlx-lm is in':<16} {found.mlx_lm['folder']}"
    if found.mlx_lm.get("refused"):
        yield f"{'overlay':<16} not used: {found.mlx_lm['refused']}"
    backend = found.backend
    yield f"{'device':<16} {backend['device']} ({backend['blas']} BLAS), {backend['system']}"
    budget, memory = backend["memory_budget"] / 1e9, backend["memory"] / 1e9
    yield f"{'memory budget':<16} {budget:.1f} of {memory:.1f} GB"
    for patch in found.patches:
        how = "on" if patch["on"] else f"off: {patch['reason']}"
        yield f"{'patch':<16} {patch['name']:<16} {how}"
    yield f"{'adapters':<16} {found.adapters or 'LoRA and DoRA'}"
    for lacking in found.missing:
        yield f"{'missing':<16} {lacking}"


def _try_families(found: Report, wanted: Sequence[str]) -> None:
    """Try the architectures, and compare with what the pinned versions do."""
    from engine.bench.small_configs import architectures

    here = architectures()
    known = pinned()
    for name in sorted(set(wanted) - set(here)):
        found.differences.append(f"{name}: not in this mlx-lm.")
    tried = [name for name in here if not wanted or name in wanted]
    findings, progress = [], Line(sys.stderr)
    for finding in findings_of(tried):
        findings.append(finding)
        progress.draw(f"{len(findings)} of {len(tried)} architectures")
    progress.clear()
    found.families, found.ran = len(tried), sum(bool(f.step and not f.why) for f in findings)
    found.differences += compare(findings, known)
    if not wanted:
        gone = sorted(name for name, was in known.items() if was.step and name not in here)
        if gone:
            found.differences.append(f"{', '.join(gone)}: not in this mlx-lm.")


def compare(findings: Sequence[Finding], known: dict[str, Known]) -> list[str]:
    """What is not as it was, new architectures among it; those with the same trouble together."""
    said: dict[str, list[str]] = {}
    for finding in findings:
        difference = _difference(finding, known.get(finding.architecture), bool(known))
        if difference:
            said.setdefault(difference, []).append(finding.architecture)
    return [f"{', '.join(names)}: {difference}" for difference, names in said.items()]


def _difference(f: Finding, was: Known | None, compared: bool) -> str:
    now = "" if f.why else f.step
    if f.equal is False:
        return "chats that share a step say something else than alone."
    if was is None:
        return (
            "" if not compared else f"new, steps {now}." if now else f"new, does not run: {f.why}"
        )
    if was.step and not now:
        return f"does not run any more: {f.why}"
    if now != was.step:
        return f"steps {now} and not {was.step}." if was.step else f"runs now and steps {now}."
    if now and f.shares_prefix != was.shares_prefix:
        return f"{'can' if f.shares_prefix else 'cannot'} share a prefix."
    return ""


_ROW = re.compile(r"^\| ([\w.-]+) \| [^|]+ \| (shared|rows|alone)([^|]*) \|", re.M)
_NOT_RUN = re.compile(r"^- ([\w.-]+): ", re.M)


def pinned(page: Path = _PAGE) -> dict[str, Known]:
    """What `engine/FAMILIES.md` says of each architecture; empty where the page is not there."""
    try:
        text = page.read_text(encoding="utf-8")
    except OSError:
        return {}
    table, _, rest = text.partition("Not run:")
    known = {name: Known(step, "shared prefix" in more) for name, step, more in _ROW.findall(table)}
    return known | {name: Known("") for name in _NOT_RUN.findall(rest)}
