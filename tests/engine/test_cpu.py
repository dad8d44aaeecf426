"""The CPU's matrix products: which kernels OpenBLAS takes, and few rows the exchanged way."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from engine import backend

AVX2 = "avx avx2 fma"
AVX512 = "avx avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl"


@pytest.mark.parametrize(
    ("vendor", "flags", "chosen"),
    [
        ("AuthenticAMD", AVX512, "SkylakeX"),
        ("AuthenticAMD", AVX2, None),
        ("AuthenticAMD", AVX512.replace("avx512dq", ""), None),
        ("GenuineIntel", AVX512, None),
        ("", "", None),
    ],
)
def test_openblas_is_told_what_it_does_not_see(
    monkeypatch: pytest.MonkeyPatch, vendor: str, flags: str, chosen: str | None
) -> None:
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    monkeypatch.setattr(backend, "_processor", lambda: (vendor, set(flags.split())))
    with backend._right_kernels():
        assert os.environ.get("OPENBLAS_CORETYPE") == chosen
    assert "OPENBLAS_CORETYPE" not in os.environ


def test_the_users_own_choice_of_kernels_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    monkeypatch.setattr(backend, "_processor", lambda: ("AuthenticAMD", set(AVX512.split())))
    with backend._right_kernels():
        assert os.environ["OPENBLAS_CORETYPE"] == "Zen"
    assert os.environ["OPENBLAS_CORETYPE"] == "Zen"


def test_few_rows_give_the_same_whichever_side_the_weights_are_on() -> None:
    """In a process of its own: what `skinny` replaces in MLX stays replaced."""
    code = """
        import mlx.core as mx
        import mlx.nn as nn
        from engine import skinny

        mx.set_default_device(mx.cpu)
        mx.random.seed(0)
        layers = [nn.Linear(24, 40), nn.Linear(24, 40, bias=False)]
        x = mx.random.normal((5, 1, 24))
        before = [layer(x) for layer in layers]
        mx.eval(before)
        calls = []
        skinny.install()
        exchanged = skinny._exchanged
        skinny._exchanged = lambda *given: calls.append(1) or exchanged(*given)
        with skinny.few_rows():
            after = [layer(x) for layer in layers]
            layers[0](x[:1]), layers[0](x.reshape(1, 5, 24)), layers[0](x.astype(mx.float16))
        layers[0](x)
        for a, b in zip(before, after):
            assert mx.allclose(a, b, rtol=1e-5, atol=1e-5), (a, b)
        assert len(calls) == 2, calls
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
