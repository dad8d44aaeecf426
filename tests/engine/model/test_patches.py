"""Patches to mlx-lm, MLX and Python, and behavior when their targets are missing.

Patches apply to the whole process, so each case runs in a separate process.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.model import patches
from engine.model.patches import Patch

START = """
import logging, sys
from engine import Engine, SamplingParams
from engine.model import backend, patches
from tests import checked

class Heard(logging.Handler):
    said = []
    def emit(self, record):
        Heard.said.append(record.getMessage())

logging.getLogger("engine.model.patches").addHandler(Heard())
backend.load_openblas()
checked.once()

def answers(folder):
    '''The steps of the model, and three chats' answers, together and then alone.'''
    params = [SamplingParams(max_tokens=9, temperature=0.9, seed=n) for n in range(3)]
    with Engine() as engine:
        model = engine.load(folder)
        replies = [engine.open_session(model).send("hello " * 9, p) for p in params]
        together = [reply.tokens(60) for reply in replies]
        alone = [engine.open_session(model).send("hello " * 9, p).tokens(60) for p in params]
        assert together == alone and all(together), (together, alone)
        return model.step

def off():
    '''Why patches are off that are needed on a CPU.'''
    skipped = "only needed on CUDA"
    found = {state.name: state.reason for state in patches.states() if not state.on}
    return {name: reason for name, reason in found.items() if reason != skipped}
"""


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(code), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="applied on Linux CPUs only")

# Possible future versions of mlx-lm, MLX or Python, the patch each of them disables, and how chats
# of an ordinary model step in that case.
OTHER_VERSIONS = [
    pytest.param(
        """
        import mlx_lm.models.base as base, mlx_lm.models.llama
        del base.scaled_dot_product_attention
        """,
        "attention",
        "alone",
        id="attention renamed",
    ),
    pytest.param(
        """
        import mlx_lm.models.base as base
        known = base.scaled_dot_product_attention
        def turned(keys, queries, values, cache, scale, mask, sinks=None):
            return known(keys, queries, values, cache, scale, mask, sinks)
        base.scaled_dot_product_attention = turned
        """,
        "attention",
        "alone",
        id="attention's parameters in another order",
    ),
    pytest.param(
        """
        import mlx_lm.models.activations as activations, mlx_lm.models.llama
        del activations.swiglu
        """,
        "activations",
        "shared",
        id="swiglu renamed",
        marks=ON_LINUX,
    ),
    pytest.param(
        """
        import mlx.nn as nn
        known = nn.Linear.__call__
        nn.Linear.__call__ = lambda self, inputs: known(self, inputs)
        """,
        "linear",
        "shared",
        id="Linear's parameter renamed",
        marks=ON_LINUX,
    ),
    pytest.param(
        """
        import mlx.nn as nn
        known = nn.Embedding.as_linear
        nn.Embedding.as_linear = lambda self, inputs: known(self, inputs)
        """,
        "embedding",
        "shared",
        id="as_linear's parameter renamed",
        marks=ON_LINUX,
    ),
    pytest.param(
        """
        import mlx.core as mx
        del mx.disable_compile
        """,
        "compilation",
        "shared",
        id="disable_compile gone",
        marks=ON_LINUX,
    ),
    pytest.param(
        """
        import resource
        del resource.getrlimit
        """,
        "file_limit",
        "shared",
        id="no limit to read",
    ),
    pytest.param(
        """
        import mlx.nn as nn
        class Sealed(nn.Module):
            def __setattr__(self, name, value):
                if name == "__class__":
                    raise TypeError("a module keeps its class")
                super().__setattr__(name, value)
        nn.Identity = Sealed
        """,
        "module_classes",
        "shared",
        id="modules keep their class",
    ),
]


@pytest.mark.parametrize(("version", "patch", "step"), OTHER_VERSIONS)
@pytest.mark.turns(8)
def test_a_model_answers_without_one_patch(
    model_folder: Callable[[str], Path], version: str, patch: str, step: str
) -> None:
    assert run(
        f"""
        {textwrap.indent(textwrap.dedent(version), "        ").strip()}
        for _ in range(2):
            assert answers(sys.argv[1]) == "{step}"
        assert set(off()) - {{"compilation", "activations", "linear", "embedding"}} <= {{"{patch}"}}
        assert "Error" in off()["{patch}"], off()
        # Said once, however often an engine starts.
        assert len(Heard.said) == 1 and "{patch}" in Heard.said[0], Heard.said
        print("done")
        """,
        str(model_folder("plain")),
    )


def test_unpatched_model_steps_alone(
    model_folder: Callable[[str], Path],
) -> None:
    run(
        """
        import mlx.nn as nn
        nn.Identity = None
        assert answers(sys.argv[1]) == "alone"
        """,
        str(model_folder("own attention")),
    )


@ON_LINUX
def test_new_attention_keyword_is_passed_on(model_folder: Callable[[str], Path]) -> None:
    """A later mlx-lm may pass attention an unknown argument."""
    run(
        """
        import mlx_lm.models.base as base
        known, seen = base.scaled_dot_product_attention, set()
        def later(queries, keys, values, cache, scale, mask, sinks=None, *, softcap=None):
            seen.add(softcap)
            assert queries.shape[0] == 1 or not isinstance(keys, tuple)
            return known(queries, keys, values, cache, scale, mask, sinks)
        base.scaled_dot_product_attention = later

        import mlx_lm.models.llama as llama
        def asking(*args, **kwargs):
            return base.scaled_dot_product_attention(*args, **kwargs, softcap=30.0)
        llama.scaled_dot_product_attention = asking
        assert answers(sys.argv[1]) == "shared"
        assert seen == {30.0}, seen
        assert not off(), off()
        """,
        str(model_folder("plain")),
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (4, 1), (1, 7), (8, 1), (3, 100), (1, 300)])
@pytest.mark.parametrize("bias", [False, True])
def test_cuda_products_are_unchanged(
    shape: tuple[int, int], bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlx.core as mx
    import mlx.nn as nn

    from engine.model.patches import on_cuda

    monkeypatch.setattr(on_cuda, "MIN_PADDED_WEIGHT", 1)
    given: list[tuple[int, ...]] = []

    def original(self: nn.QuantizedLinear, x: mx.array) -> mx.array:
        given.append(x.shape)
        return nn.QuantizedLinear.__call__(self, x)

    layer = nn.QuantizedLinear(128, 64, bias=bias, group_size=64, bits=4)
    if bias:
        layer.bias = mx.random.normal((64,))
    x = mx.random.normal((*shape, 128))
    made = on_cuda.wrap_product(original)(layer, x)
    assert made.shape == (*shape, 64)
    assert mx.abs(made - layer(x)).max().item() < 1e-4
    rows = shape[0] * shape[1]
    # MLX treats (chats, 1, inputs) as separate products, and runs fewer than eight rows one by one.
    expected = {1: [(1, 1, 128)], 2: [(2, 128)], 4: [(8, 128)], 7: [(8, 128)], 8: [(8, 128)]}
    assert given == expected.get(rows, [])


@ON_LINUX
def test_patches_apply_to_pinned_versions_and_are_undone(
    model_folder: Callable[[str], Path],
) -> None:
    printed = run(
        """
        import mlx.core as mx, mlx.nn as nn
        import mlx_lm.models.base as base, mlx_lm.models.llama as llama
        from engine import EngineError
        from engine.runtime import state
        from engine.stepping import SteppedEngine

        def functions():
            attention = "scaled_dot_product_attention"
            layers = nn.Linear.__call__, nn.Embedding.as_linear
            return *layers, *(getattr(home, attention) for home in (mx.fast, base, llama))

        before = functions()
        assert set(off().values()) == {"no engine has started yet"}
        assert answers(sys.argv[1]) == "shared"
        assert not off(), off()
        assert not Heard.said
        assert functions() == before
        for _ in range(2):
            with Engine() as one, Engine() as other:
                one.stats(), other.stats()
                other.stop()
                assert not set(functions()[2:]) & set(before)
            assert functions() == before
        with Engine() as one:
            other = SteppedEngine()
            one.stats(), other.stats()
            other.loop.end("twice"), other.loop.end("twice")  # counts once
            assert not set(functions()[2:]) & set(before)
        assert functions() == before
        del state.Offload  # an engine that cannot start
        try:
            Engine().stats()
        except EngineError:
            assert functions() == before
            print("undone")
        """,
        str(model_folder("plain")),
    )
    assert printed == "undone\n"


def test_every_patch_describes_its_loss() -> None:
    for state in patches.states():
        assert state.loss.endswith(".")
        assert state.on == (not state.reason)


def test_unneeded_patch_gives_the_reason() -> None:
    patch = Patch("linear", "engine.model.patches.dense", "Nothing.")
    patch.skip("not on this machine")
    assert not patch.on
    assert patch.reason == "not on this machine"
