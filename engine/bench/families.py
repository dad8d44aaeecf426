"""`python -m engine families`: find out how sessions can share a step, for each architecture.

Each architecture gets a tiny model with random weights. Four conversations of different lengths
decode some tokens alone and together, in float32. mlx-vlm's models are included if mlx-lm doesn't
have them, or if they support vision. Their logits are also compared with mlx-vlm's.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from engine.bench import seeing
from engine.bench.random_models import write_model
from engine.bench.small_configs import (
    NotBuildableError,
    architectures,
    small_config,
    small_vlm_config,
)
from engine.sandbox.process import engine_command

# Prompt lengths in tokens; some are shorter and some longer than the models' windows.
LENGTHS = (5, 40, 11, 23)
STEPS = 24
MAX_WEIGHTS = 20_000_000
SEEING = ", seeing"  # name suffix for vision models loaded from mlx-vlm


class Finding(Struct, frozen=True):
    architecture: str
    caches: str = ""  # class names of the caches
    step: str = ""  # "shared", "rows" or "alone"; "" if the model couldn't be built or loaded
    shares_prefix: bool = False  # sessions can share a prefix
    token_by_token: bool = False  # prompts must be read token by token
    # Maximum difference between the logits of batched and single steps, or None if sessions can't
    # share a step.
    difference: float | None = None
    spread: float | None = None  # standard deviation of the logits, for comparison
    equal: bool | None = None  # True if all greedy tokens were equal
    # For models from mlx-vlm, the maximum difference from the logits of mlx-vlm's own forward pass.
    own: float | None = None
    why: str = ""  # reason why the model couldn't be built, loaded or compared

    @property
    def has_no_plain_caches(self) -> bool:
        kinds = set(self.caches.split(", "))
        return bool(self.step) and kinds <= {"ArraysCache", "RotatingKVCache"}


def write_family(folder: Path, architecture: str, group: int = 1) -> Path:
    """Write a tiny model whose logits depend on early tokens, so that mix-ups are detectable.

    Args:
        group: round up the MLP width to a multiple of this.

    Raises:
        NotBuildableError: if there is no such model.
    """
    reason = ""
    for scale in (3.0, 1.5, 1.0, 5.0):
        try:
            if architecture.endswith(SEEING):
                seeing.write_seeing(folder, architecture.removesuffix(SEEING))
            elif architecture in architectures():
                config = small_config(architecture)
                for name, value in config.items():
                    if name.endswith("intermediate_size") and isinstance(value, int):
                        config[name] = -(-value // group) * group
                write_model(folder, config, scale=scale)
            else:
                config = small_vlm_config(architecture)
                _check_size(config)
                write_model(folder, config, scale=scale)
        except NotBuildableError:
            raise
        except RecursionError:
            raise  # a bug in our code, not a property of the architecture
        except Exception as error:
            raise NotBuildableError(_first_line(error)) from None
        reason = _blindness_reason(folder)
        if not reason:
            return folder
    raise NotBuildableError(reason)


def _check_size(config: dict[str, Any]) -> None:
    from mlx.utils import tree_flatten

    from engine.model import vlm

    count = sum(array.size for _, array in tree_flatten(vlm.build(config).parameters()))
    if count > MAX_WEIGHTS:
        raise NotBuildableError(f"its small config has {count // 10**6} million weights")


def _blindness_reason(folder: Path) -> str:
    """Return why mix-ups of sessions can't be detected with this model, or ""."""
    import mlx.core as mx

    from engine.model.loader import load_net

    try:
        net, _ = load_net(folder)
        a = [5 + i % 7 for i in range(12)]
        b = [*a[:4], 200, 100, *a[6:]]
        first, second = (net(mx.array([t]))[0, -1].astype(mx.float32) for t in (a, b))
        finite = mx.isfinite(first)  # some families return -inf for unused token IDs
        first, second = (mx.where(finite, logits, 0) for logits in (first, second))
        spread = _number(mx.std(first))
        difference = _number(mx.abs(first - second).max())
    except RecursionError:
        raise  # a bug in this program, not a property of the architecture
    except Exception as error:
        raise NotBuildableError(_first_line(error)) from None
    if not math.isfinite(difference) or not spread:
        return "its logits are not finite with random weights"
    return "" if difference > 0.02 * spread else "its logits do not depend on the prompt"


def quantize_folder(folder: Path, group: int, bits: int = 4) -> None:
    import mlx.core as mx
    from mlx.utils import tree_flatten
    from mlx_lm.utils import quantize_model

    from engine.model.loader import load_net

    net, config = load_net(folder)
    net, config = quantize_model(net, config, group, bits)
    arrays = dict(tree_flatten(net.parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, metadata={"format": "mlx"})
    (folder / "config.json").write_text(json.dumps(config))


def measure(architecture: str, folder: Path) -> Finding:
    """Build a model of an architecture, and compare shared steps with separate steps."""
    import mlx.core as mx

    from engine.model import backend, vlm
    from engine.model.loader import load_blocking
    from engine.model.probe import ALONE

    try:
        write_family(folder, architecture)
        model = load_blocking(folder, wide=backend.start().prefers_float32)
    except Exception as error:
        return Finding(architecture, why=_first_line(error))
    kinds = sorted({k for c in model.new_caches() for k in _kinds(c)})
    finding = Finding(
        architecture,
        ", ".join(kinds),
        model.info.step,
        model.abilities.modes.shares_prefix,
        model.abilities.token_by_token,
    )
    try:
        if isinstance(model.net, vlm.AsLanguageModel):
            finding = replace(finding, own=_difference_from_vlm(model.net))
        if model.info.step == ALONE:
            return finding
        difference, spread, equal = _compare(model)
    except Exception as error:
        return replace(finding, why=_first_line(error))
    finally:
        mx.clear_cache()
    return replace(finding, difference=difference, spread=spread, equal=equal)


def _difference_from_vlm(net: Any) -> float:
    """Return the maximum difference from the logits of mlx-vlm's call."""
    import mlx.core as mx

    ids = mx.array([[5 + 7 * i % 250 for i in range(max(LENGTHS))]])
    call = type(net).__mro__[2].__call__
    inputs = {"pixel_values": None, "mask": None}
    parameters = inspect.signature(call).parameters
    known_arguments = {name: value for name, value in inputs.items() if name in parameters}
    out = call(net, ids, cache=net.make_cache(), **known_arguments)
    expected = getattr(out, "logits", out).astype(mx.float32)
    logits = net(ids, cache=net.make_cache()).astype(mx.float32)
    finite = mx.isfinite(expected)
    difference = _number(mx.where(finite, mx.abs(logits - expected), 0).max())
    if not difference < 0.01 * _number(mx.std(mx.where(finite, expected, 0))):
        raise NotBuildableError(
            f"its logits are not those of mlx-vlm's own call: off by {difference:.2g}"
        )
    return difference


def _compare(model: Any) -> tuple[float, float, bool]:
    import mlx.core as mx

    from engine.cache.cache_objects import clone
    from engine.model.runner import forward

    def greedy(logits: mx.array) -> list[int]:
        ids: Any = mx.argmax(logits, axis=-1).tolist()
        return list(ids)

    caches = []
    for number, length in enumerate(LENGTHS):
        session_caches = model.new_caches()
        ids = [5 + (number * 31 + 7 * i) % 250 for i in range(length)]
        mx.eval(model.net(mx.array([ids]), cache=session_caches))
        caches.append(session_caches)
    twins = [clone(c) for c in caches]
    tokens = [11, 22, 33, 44]
    worst, spread, equal = 0.0, 0.0, True
    for _ in range(STEPS):
        feeds = [mx.array([[t]]) for t in tokens]
        alone = forward(model, feeds, caches, alone=True).astype(mx.float32)
        together = forward(model, feeds, twins, alone=False).astype(mx.float32)
        finite = mx.isfinite(alone)
        alone, together = (mx.where(finite, logits, 0) for logits in (alone, together))
        worst = max(worst, _number(mx.abs(alone - together).max()))
        spread = max(spread, _number(mx.std(alone)))
        tokens = greedy(alone)
        equal = equal and tokens == greedy(together)
    return worst, spread, equal


def _number(scalar: Any) -> float:
    return float(scalar.item())


def _kinds(cache: Any) -> Iterator[str]:
    if cache is None:
        return
    if hasattr(cache, "caches"):
        for inner in cache.caches:
            yield from _kinds(inner)
    else:
        yield type(cache).__name__


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:160] if lines else type(error).__name__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("architectures", nargs="*", help="architectures (default: all of mlx-lm)")
    parser.add_argument("--vlm", action="store_true", help="all architectures loaded from mlx-vlm")
    parser.add_argument("--markdown", metavar="FILE", help="also write a table to FILE")
    parser.add_argument("--lines", action="store_true", help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    from engine.model import backend

    # Call this before `architectures` imports MLX, so that MLX uses the engine's BLAS.
    blas = backend.start().blas
    if options.lines:
        return _work(options.architectures)
    from engine.model import vlm

    of_vlm = [*(name + SEEING for name in seeing.FAMILIES), *vlm.language_models()]
    unknown = set(options.architectures) - {*architectures(), *of_vlm}
    if unknown:
        print(f"families: there is no {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    names = options.architectures or (of_vlm if options.vlm else architectures())
    findings = []
    for finding in iterate_findings(names):
        findings.append(finding)
        print(_row(finding), flush=True)
    print(f"\n{summary(findings)} BLAS: {blas}.")
    if options.markdown:
        Path(options.markdown).write_text(markdown(findings, blas, options.vlm), encoding="utf-8")
    return 0 if all(f.equal is not False for f in findings) else 1


def _work(names: Sequence[str]) -> int:
    warnings.simplefilter("ignore")
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            finding = measure(name, Path(scratch) / name)
            print(json.dumps(to_builtins(finding)), flush=True)
    return 0


def iterate_findings(names: Sequence[str]) -> Iterator[Finding]:
    """Yield the findings in order. Models run in a child process, because they may crash it."""
    remaining = list(names)
    while remaining:
        command = engine_command("families", "--lines", *remaining)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            for line in worker.stdout:
                if line.startswith("{"):
                    yield Finding(**json.loads(line))
                    remaining.pop(0)
        if remaining:
            yield Finding(remaining.pop(0), why=f"the process died with {worker.returncode}")


def _row(f: Finding) -> str:
    if f.difference is None:
        return f"{f.architecture:<24} {f.step or '-':<7} {f.why or f.caches}"
    same = "equal" if f.equal else "DIFFER"
    return f"{f.architecture:<24} {f.step:<7} {f.difference:8.1e}  {same:<7} {f.caches}"


def summary(findings: Sequence[Finding]) -> str:
    ran = [f for f in findings if f.step and not f.why]
    together = [f for f in ran if f.difference is not None]
    ways = ", ".join(
        f"{sum(f.step == way for f in ran)} {way}" for way in ("shared", "rows", "alone")
    )
    exact = sum(f.difference == 0 for f in together)
    worst = max((f.difference or 0.0 for f in together), default=0.0)
    equal = sum(bool(f.equal) for f in together)
    return (
        f"{len(findings)} architectures, {len(ran)} of them run ({ways}). Of the {len(together)} "
        f"that share a step {equal} give the same tokens as alone and "
        f"{exact} the same logits to the last bit; the largest difference is {worst:.1e}. "
        f"In {sum(f.shares_prefix for f in ran)} several sessions can share a prefix; in "
        f"{sum(f.has_no_plain_caches for f in ran)} more it leaves no more than a state behind."
    )


def _table(findings: Sequence[Finding]) -> list[str]:
    lines = [
        "",
        "| architecture | caches | step | difference | of a spread of | tokens |",
        "|---|---|---|---|---|---|",
    ]
    for f in findings:
        if f.difference is not None:
            figures = (
                f"{f.difference:.1e} | {f.spread:.2g} | {'equal' if f.equal else '**differ**'}"
            )
        elif f.step and not f.why:
            figures = "- | - | -"  # the model has no batched step
        else:
            continue
        step = f"{f.step}; prompts token by token" if f.token_by_token else f.step
        step += ", shared prefix" if f.shares_prefix else ""
        step += ", copied state" if f.has_no_plain_caches else ""
        lines.append(f"| {f.architecture} | {f.caches} | {step} | {figures} |")
    return lines


def markdown(findings: Sequence[Finding], blas: str, of_vlm: bool) -> str:
    option, page, source = ("", "FAMILIES.md", "mlx-lm")
    note = ""
    if of_vlm:
        option, page, source = "--vlm ", "FAMILIES_VLM.md", "mlx-vlm"
        worst = max((f.own or 0.0 for f in findings), default=0.0)
        note = (
            "These are what mlx-lm lacks, and what sees. Of those that run the logits of a text "
            f"are those of mlx-vlm's own call; the largest difference is {worst:.1e}. "
        )
    lines = [
        "# How the sessions of each model family share a step",
        "",
        f"Written by `python -m engine families {option}--markdown engine/{page}`; do not edit.",
        "",
        f"{source} {metadata.version(source)}. {note}{summary(findings)} Tiny models "
        f"with random weights in float32 on a CPU ({blas} BLAS), four conversations of "
        f"{', '.join(map(str, LENGTHS))} tokens, {STEPS} steps. The difference is the largest "
        "of any logit between stepping together and alone; the logits' standard deviation is "
        "beside it.",
        "",
        "- **shared**: one pass over all weights; only attention itself runs per session.",
        "- **rows**: attention's own weights are read once per session, all others once.",
        "- **alone**: a pass per session.",
        "- *shared prefix*: sessions that begin alike keep and read that beginning once.",
        "- *copied state*: nothing grows with a prefix; sessions go on from copies of its state.",
    ]
    lines += _table(findings)
    missing = [f for f in findings if f.why]
    if missing:
        lines += ["", "Not run:", ""]
        lines += [f"- {f.architecture}: {f.why}" for f in missing]
    return "\n".join(lines) + "\n"
