"""CPU backend: OpenBLAS kernels, and computations that replace MLX's own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from ctypes.util import find_library

import pytest

from engine.model import backend
from engine.model.patches import dense

pytestmark = pytest.mark.usefixtures("all_cores")

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
def test_openblas_core_type_is_chosen(
    monkeypatch: pytest.MonkeyPatch, vendor: str, flags: str, chosen: str | None
) -> None:
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    monkeypatch.setattr(backend, "_processor", lambda: (vendor, set(flags.split())))
    with backend._select_openblas_kernels():
        assert os.environ.get("OPENBLAS_CORETYPE") == chosen
    assert "OPENBLAS_CORETYPE" not in os.environ


def test_the_users_own_choice_of_kernels_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    monkeypatch.setattr(backend, "_processor", lambda: ("AuthenticAMD", set(AVX512.split())))
    with backend._select_openblas_kernels():
        assert os.environ["OPENBLAS_CORETYPE"] == "Zen"
    assert os.environ["OPENBLAS_CORETYPE"] == "Zen"


def alone(code: str) -> None:
    """Run `code` in a separate process, because patches to MLX can't be undone."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.turns(2)
def test_row_count_does_not_change_products(wide: bool) -> None:
    alone(f"""
        import mlx.core as mx
        import mlx.nn as nn
        from engine.model.patches import dense

        mx.set_default_device(mx.cpu)
        mx.random.seed(0)
        layers = [nn.Linear(24, 40), nn.Linear(24, 40, bias=False), nn.Linear(24, 20_000)]
        head = nn.Embedding(20_000, 24)
        dense.enable(wide_kernels={wide})
        dense.install()
        made = []
        expected = {{1: 0, 2: 0, 4: 4, 12: 4, 16: 0, 28: 4, 32: 0, 300: 0}}
        product = dense.multiply_padded
        dense.multiply_padded = lambda x, w: made.append(product(x, w)) or made[-1]
        for rows in (*expected, 3, 13, 33):
            for shape in ((rows, 1, 24), (1, rows, 24)):
                x = mx.random.normal(shape)
                before = [layer(x) for layer in layers] + [head.as_linear(x)]
                assert not made
                with dense.engage():
                    after = [layer(x) for layer in layers] + [head.as_linear(x)]
                for a, b in zip(before, after, strict=True):
                    assert a.shape == b.shape
                    assert mx.allclose(a, b, rtol=1e-5, atol=1e-5), (rows, a, b)
                taken = [m is not None for m in made]
                if not {wide} and rows in expected:
                    assert sum(taken) == expected[rows], (rows, taken)
                made.clear()
        with dense.engage():
            layers[0](mx.zeros((5, 24), mx.float16))
        assert not made
    """)


@pytest.mark.skipif(find_library("openblas") is None, reason="there is no OpenBLAS")
def test_few_rows_are_multiplied_separately() -> None:
    alone("""
        from engine.model import backend
        assert backend.load_openblas() == "OpenBLAS"
        import mlx.core as mx
        from engine.model.patches import dense

        mx.set_default_device(mx.cpu)
        mx.random.seed(0)
        dense.enable(True, backend._openblas)
        weight = mx.random.normal((300, 256))
        with dense.engage():
            for shape in ((1, 256), (1, 3, 256), (4, 1, 256)):
                x = mx.random.normal(shape)
                got = dense.multiply_padded(x, weight)
                assert got.shape == (*shape[:-1], 300)
                assert mx.allclose(got, x @ weight.T, rtol=1e-4, atol=1e-4), shape
                for row, one in zip(got.reshape(-1, 300), x.reshape(-1, 256)):
                    assert mx.array_equal(row, dense.multiply_rows(one, weight))
            spread = mx.random.normal((256, 3)).T
            got = dense.multiply_rows(spread, weight)
            assert mx.allclose(got, spread @ weight.T, rtol=1e-4, atol=1e-4)
            x = mx.random.normal((5, 256))
            assert dense.multiply_rows(x, weight) is None  # too many rows
            assert dense.multiply_rows(x[:1], weight[:10]) is None  # too few weights
            assert dense.multiply_rows(x[:0], weight) is None
            assert dense.multiply_rows(x[:1], mx.random.normal((256, 300)).T) is None  # transposed
            assert dense.multiply_rows(x[:1], weight.astype(mx.float16)) is None
            assert dense.multiply_rows(x[:1].astype(mx.float16), weight) is None
            compiled = mx.compile(lambda a: mx.array(dense.multiply_rows(a, weight) is None))
            assert compiled(x[:1]).item()  # nothing can be evaluated there
        dense.enable(True)
        with dense.engage():
            assert dense.multiply_rows(x[:1], weight) is None  # without OpenBLAS
    """)


def test_cheaper_exponentials_give_same_results() -> None:
    alone("""
        import mlx.core as mx
        from engine.model import attention, attention_parts
        from engine.model.patches import dense
        from engine.model.attention import attention as replaced

        mx.set_default_device(mx.cpu)
        mx.random.seed(0)
        dense.enable(wide_kernels=True)
        attention.install(), dense.install()
        for size in (8, 40_000):
            gate, x = 30 * mx.random.normal((size,)), mx.random.normal((size,))
            gate[:3] = mx.array([-200.0, 200.0, 0.0])
            kept = mx.array(gate)
            with dense.engage():
                got = dense.swiglu(gate, x)
            assert mx.allclose(got, dense.original_swiglu(gate, x), rtol=1e-5, atol=1e-6)
            assert mx.array_equal(gate, kept)
        with dense.engage():
            got = mx.compile(dense.swiglu)(gate, x)  # must not be evaluated there
        assert mx.allclose(got, dense.original_swiglu(gate, x), rtol=1e-5, atol=1e-6)

        def check(n, length, mask, heads=6, shared=2, dim=16):
            q = 4 * mx.random.normal((1, heads, n, dim))
            k, v = mx.random.normal((2, 1, shared, length + 5, dim))
            k, v = k[:, :, :length], v[:, :, :length]
            wanted = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask=mask)
            with dense.engage():
                got = replaced(q, k, v, None, 0.3, mask)
            assert got.shape == wanted.shape
            assert mx.allclose(got, wanted, rtol=1e-4, atol=1e-5), (n, length)

        asked = []
        numpys = attention_parts._exponentiate
        attention_parts._exponentiate = lambda table: asked.append(table.shape) or numpys(table)
        for n, length in ((64, 64), (64, 300), (5, 7), (40, 5_000)):
            check(n, length, "causal")
            check(n, length, None)
            allowed = mx.random.uniform(shape=(n, length)) < 0.5
            allowed[:, 0] = True
            check(n, length, allowed)
            check(n, length, mx.where(allowed, 0.0, -1e9))
        assert len(asked) == 4 * 3, asked
        for length in (3, 1000, 5000):
            check(1, length, None)
        assert asked[12:] == [(6, 5000)]
        q, (k, v) = mx.random.normal((3, 6, 1, 16)), mx.random.normal((2, 3, 2, 5000, 16))
        within = mx.arange(5000) < mx.array([5000, 1, 3000]).reshape(3, 1, 1, 1)
        wanted = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask=within)
        with dense.engage():
            bias = mx.where(within, 0.0, float("-inf"))
            got = attention_parts.attend_one_query(0.3 * q, k, v, bias)
        assert mx.allclose(got, wanted, rtol=1e-4, atol=1e-5)
        assert len(asked) == 14
    """)


def test_other_mlx_users_compute_unchanged() -> None:
    alone("""
        import threading
        import mlx.core as mx
        from engine.model.patches import dense

        dense.enable(wide_kernels=False)
        x = mx.zeros((1,))
        seen = []
        with dense.engage():
            assert dense.is_engaged(x)
            thread = threading.Thread(target=lambda: seen.append(dense.is_engaged(x)))
            thread.start()
            thread.join()
        assert seen == [False]
        assert not dense.is_engaged(x)
    """)


@pytest.mark.skipif(not backend.has_openblas(), reason="MLX has another BLAS here")
def test_small_products_use_one_thread() -> None:
    threads = backend._openblas.openblas_get_num_threads
    before = threads()
    dense.enable(dense.has_wide_kernels, backend._openblas)
    with dense.one_blas_thread():
        assert threads() == 1
    assert threads() == before
