"""Products with packed matrices: accuracy, equal bits on all levels, and independent rows."""

from __future__ import annotations

import weakref

import mlx.core as mx
import numpy as np
import pytest

from engine.kernels import matrices
from engine.kernels.library import LEVELS, Library
from engine.kernels.matrices import Format, can_pack, multiply, pack, unpack
from tests.engine.kernels.random_matrices import DTYPES, FORMATS, RandomMatrix, random_rows

SHAPES = [(1, 32), (16, 64), (17, 128), (40, 256), (129, 384)]


def shapes_for(form: Format) -> list[tuple[int, int]]:
    return [(outputs, -(-inputs // form.group) * form.group) for outputs, inputs in SHAPES]


def error_of(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_weights_stay_exact(library: Library, form: Format) -> None:
    for outputs, inputs in shapes_for(form):
        matrix = RandomMatrix(library, form, outputs, inputs, seed=outputs)
        found = multiply(library, np.eye(inputs, dtype=np.float32), [matrix.packed]).T
        assert np.abs(found - matrix.weights).max() < 1e-6 * np.abs(matrix.weights).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_product_agrees_with_float64(library: Library, form: Format, dtype: str) -> None:
    for seed, (outputs, inputs) in enumerate(shapes_for(form)):
        matrix = RandomMatrix(library, form, outputs, inputs, seed, dtype, bias=seed % 2 == 0)
        rows = random_rows(11, inputs, seed)
        assert error_of(multiply(library, rows, [matrix.packed]), matrix.wanted(rows)) < 1e-4


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_rows_are_unpacked_like_mlx(library: Library, form: Format) -> None:
    matrix = RandomMatrix(library, form, 40, 256, dtype="bfloat16")
    wanted, rows = matrix.weights, np.array([39, 0, 17, 17])
    found = unpack(library, matrix.packed, rows)
    assert np.abs(found - wanted[rows]).max() < 1e-6 * np.abs(wanted).max()
    for row in (-1, 40):
        with pytest.raises(ValueError, match="of 40"):
            unpack(library, matrix.packed, np.array([3, row]))


def test_scales_are_stored_in_16_bits_if_exact(library: Library) -> None:
    sizes = {}
    for dtype in DTYPES:
        matrix = RandomMatrix(library, Format("affine", 4, 64), 64, 512, dtype=dtype)
        sizes[dtype] = matrix.packed.nbytes
        whole = {
            name: a.astype(mx.float32) for name, a in matrix.arrays.items() if name != "weight"
        }
        widened = pack(library, {**matrix.arrays, **whole}, matrix.form)
        assert widened.nbytes == sizes[dtype]
    assert sizes["float16"] == sizes["bfloat16"] == 64 * 512 // 2 + 2 * 2 * 64 * 8
    assert sizes["float32"] > sizes["float16"]


@pytest.mark.parametrize("bits", [4, 8])
def test_implied_biases_are_not_stored(library: Library, bits: int) -> None:
    """In GGUF's Q4_0 and Q8_0 each bias is -8 or -128 times its scale."""
    matrix = RandomMatrix(library, Format("affine", bits, 32), 40, 128)
    scales, rows = matrix.arrays["scales"], random_rows(7, 128)
    symmetric = {**matrix.arrays, "biases": scales * -(2 ** (bits - 1))}
    almost = {**symmetric, "biases": mx.array(symmetric["biases"])}
    almost["biases"][7, 1] = 0.5
    found, stored = (pack(library, arrays, matrix.form) for arrays in (symmetric, almost))
    assert stored.nbytes - found.nbytes >= 2 * scales.size
    for level in library.levels:
        library.use_level(level)
        products = [multiply(library, rows, [which]) for which in (found, stored)]
        same = np.delete(np.arange(40), 7)
        assert products[0][:, same].tobytes() == products[1][:, same].tobytes()
    matrix.arrays = symmetric
    assert error_of(products[0], matrix.wanted(rows)) < 1e-4


def test_memory_is_freed_with_the_last_array() -> None:
    memory = matrices._Memory()
    arrays = [memory.allocate(100) for _ in range(3)]
    piece = weakref.ref(arrays[0].base)
    assert all(array.base is piece() and array.ctypes.data % 64 == 0 for array in arrays)
    for number, array in enumerate(arrays):
        array[:] = number
    assert [set(array.tolist()) for array in arrays] == [{0}, {1}, {2}]
    arrays = arrays[:1]
    assert piece() is not None
    del arrays, array
    assert piece() is None
    large = memory.allocate(2 * matrices._PIECE_BYTES)
    assert large.size == 2 * matrices._PIECE_BYTES


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_levels_agree_with_reference(library: Library, form: Format, dtype: str) -> None:
    for seed, (outputs, inputs) in enumerate(shapes_for(form)):
        matrix = RandomMatrix(library, form, outputs, inputs, seed, dtype, bias=seed % 2 == 0)
        for count in (1, 2, 3, 5, 13, 70):
            rows = random_rows(count, inputs, seed)
            library.use_level(0)
            wanted = multiply(library, rows, [matrix.packed])
            for level in library.levels[1:]:
                library.use_level(level)
                found = multiply(library, rows, [matrix.packed])
                assert found.tobytes() == wanted.tobytes(), (LEVELS[level], outputs, inputs, count)


@pytest.mark.parametrize("seed", range(8))
def test_row_does_not_depend_on_neighbors(library: Library, seed: int) -> None:
    random = np.random.default_rng(seed)
    form = FORMATS[seed % len(FORMATS)]
    matrix = RandomMatrix(library, form, 72, 256, seed)
    rows = random_rows(100, 256, seed)
    rows[3, 7], rows[50, 0], rows[60] = np.nan, np.inf, 0
    rows[61] = 1e-38
    rows[62] *= np.float32(1e30)
    for level in library.levels:
        library.use_level(level)
        alone = np.concatenate([multiply(library, row[None], [matrix.packed]) for row in rows])
        start = 0
        while start < len(rows):
            count = int(random.integers(1, 40))
            found = multiply(library, rows[start : start + count], [matrix.packed])
            assert found.tobytes() == alone[start : start + count].tobytes()
            start += count
        bad = ~np.isfinite(rows).all(axis=1)
        assert np.isnan(alone[bad]).all()
        assert np.isfinite(alone[~bad]).all()
        assert not alone[60].any() or form.mode == "affine"


def test_several_matrices_are_multiplied_together(library: Library) -> None:
    forms = Format("affine", 4, 64), Format("affine", 6, 32), Format("affine", 4, 128)
    matrices = [
        RandomMatrix(library, form, outputs, 256, outputs, bias=outputs == 5)
        for form, outputs in zip(forms, (33, 5, 64), strict=True)
    ]
    rows = random_rows(9, 256)
    together = multiply(library, rows, [matrix.packed for matrix in matrices])
    apart = [multiply(library, rows, [matrix.packed]) for matrix in matrices]
    assert np.array_equal(together, np.concatenate(apart, axis=1))


def test_infinite_scales_reach_the_output(library: Library) -> None:
    matrix = RandomMatrix(library, Format("affine", 4, 64), 32, 128)
    matrix.arrays["scales"][3, 1] = float("nan")
    packed = pack(library, matrix.arrays, matrix.form)
    found = multiply(library, random_rows(3, 128), [packed])
    assert np.isnan(found[:, 3]).all()
    assert np.isfinite(np.delete(found, 3, axis=1)).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weight": mx.zeros((32, 15), mx.uint32)}, "Shapes"),
        ({"weight": mx.zeros((31, 16), mx.uint32)}, "Shapes"),
        ({"weight": mx.zeros((32, 16), mx.int32)}, "Not a quantized matrix"),
        ({"weight": mx.zeros((2, 16, 16), mx.uint32)}, "Not a quantized matrix"),
        ({"scales": mx.zeros((32, 2), mx.int32)}, "type"),
        ({"biases": mx.zeros((32, 1))}, "Biases"),
        ({"biases": mx.zeros((32, 2), mx.uint8)}, "Biases"),
        ({"bias": mx.zeros((31,))}, "bias"),
        ({"weight": mx.zeros((0, 16), mx.uint32), "scales": mx.zeros((0, 2))}, "empty"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    library: Library, changes: dict[str, mx.array], said: str
) -> None:
    matrix = RandomMatrix(library, Format("affine", 4, 64), 32, 128)
    with pytest.raises(ValueError, match=said):
        pack(library, {**matrix.arrays, **changes}, matrix.form)


def test_unsupported_formats_are_refused(library: Library) -> None:
    for form in (Format("affine", 4, 7), Format("affine", 7, 64), Format("nvfp4", 4, 16)):
        assert not can_pack(form)
        with pytest.raises(ValueError, match="Unsupported format"):
            pack(library, {}, form)


def test_too_many_columns_are_refused(library: Library) -> None:
    scales = mx.broadcast_to(mx.zeros(()), (1, 2**25))
    arrays = {
        "weight": mx.broadcast_to(mx.zeros((), mx.uint32), (1, 2**28)),
        "scales": scales,
        "biases": scales,
    }
    with pytest.raises(ValueError, match="too large"):
        pack(library, arrays, Format("affine", 4, 64))


def test_mismatched_rows_are_refused(library: Library) -> None:
    matrix = RandomMatrix(library, Format("affine", 4, 64), 32, 128)
    for rows in (np.zeros((3, 64), np.float32), np.zeros((3, 128)), np.zeros(128, np.float32)):
        with pytest.raises(ValueError, match="do not match"):
            multiply(library, rows, [matrix.packed])
    assert multiply(library, np.zeros((0, 128), np.float32), [matrix.packed]).shape == (0, 32)
