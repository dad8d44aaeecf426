"""The attention kernels of a GPU, run here as C++, and who may use them."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path

import mlx.core as mx
import pytest

from engine.bench import kernels as kernel_bench
from engine.model.kernel import attention, program, trial
from engine.model.kernel.attention import Place, RaggedAttention, Source, cut
from engine.model.kernel.program import Geometry, Program
from engine.sandbox import jobs
from engine.sandbox.protocol import Limits
from tests import torture_kernel
from tests.engine import kernel_fakes, kernel_shim

PLAIN = Geometry(4, 2, 64, 64, "float32")


def test_the_kernels_attend_as_the_plain_way_over_random_rows(shim: kernel_shim.Shim) -> None:
    rows, found = torture_kernel.shapes(shim, 36, seed=7, longest=80)
    assert not found
    assert rows > 80
    assert set(shim.ran) == {"whole", "pieces", "join"}


@pytest.mark.parametrize("width", program.WIDTHS)
def test_every_head_dim_is_attended_to_with_sinks_and_packed(
    shim: kernel_shim.Shim, width: int
) -> None:
    attend = kernel_shim.attention(shim, whole=8, least=8)
    packed = 32 if width % 32 == 0 else 0
    for geometry in (
        Geometry(6, 2, width, width, "bfloat16", sinks=True),
        Geometry(6, 2, width, width, "float16", 4 if packed else 0, packed),
        Geometry(6, 2, width, width, "float32", 8 if packed else 0, packed),
    ):
        assert geometry.fits
        for case in trial.cases(geometry, 1, seed=width):
            assert not trial.fault(attend, case)


def test_many_buffers_are_read_by_several_launches(shim: kernel_shim.Shim) -> None:
    arrays = [mx.random.normal((1, 2, 9, 64)) for _ in range(2 * 15)]
    held = [Source((arrays[2 * i], arrays[2 * i + 1]), ((0, 0, 9),)) for i in range(15)]
    queries = mx.random.normal((15, 4, 1, 64))
    got = kernel_shim.attention(shim)(PLAIN, queries, held, 0.125)
    assert trial.apart(got, trial.plain(PLAIN, queries, held, 0.125, None)) < 1e-5


def test_a_kernel_that_lacks_a_barrier_is_noticed(tmp_path: Path) -> None:
    if kernel_shim.COMPILER is None:
        pytest.skip("no C++ compiler")
    change = torture_kernel.broken("no barrier before the sums are joined")
    library = kernel_shim.build(tmp_path, change)
    assert torture_kernel.shapes(kernel_shim.Shim(library), 20, seed=3)[1]


def test_every_break_of_the_torture_is_one() -> None:
    whole = kernel_shim.text()
    for name in torture_kernel.BREAKS:
        assert kernel_shim.text(torture_kernel.broken(name)) != whole, name


def test_long_rows_are_cut_evenly_and_nothing_is_left_out_or_padded() -> None:
    places = [
        Place(0, 2, 5, 8005),
        Place(1, 0, 0, 1),
        Place(0, 0, 7, 300),
    ]
    work = cut(places, groups=8)
    assert not work.whole
    for row, place in enumerate(places):
        pieces = work.tasks[work.starts[row] : work.starts[row + 1]]
        assert [piece[:3] for piece in pieces] == [(row, place.source, place.slot)] * len(pieces)
        assert [pieces[0][3], pieces[-1][4]] == [place.begin, place.end]
        assert all(a[4] == b[3] for a, b in itertools.pairwise(pieces))
        lengths = [end - begin for *_, begin, end in pieces]
        assert min(lengths) > 0
        assert max(lengths) - min(lengths) <= 1
    assert len(work.tasks) > len(places)


def test_short_rows_are_whole() -> None:
    assert cut([Place(0, 0, 0, n) for n in (1, 64, attention.WHOLE)], groups=8).whole


@pytest.mark.parametrize("device", ["metal", "cuda"])
def test_a_kernel_names_all_its_inputs_and_fits_the_device(device: str) -> None:
    for geometry in (
        PLAIN,
        Geometry(16, 2, 256, 256, "bfloat16", sinks=True),
        Geometry(8, 8, 128, 128, "float16", 4, 64),
    ):
        for part in ("whole", "pieces", "join"):
            sources = 0 if part == "join" else geometry.most_sources
            made = Program(geometry, part, sources)
            header, body = made.text(device)
            assert all(name in body for name in [*made.inputs, made.output])
            assert len(made.inputs) + 1 <= program.MOST_ARRAYS
            assert "co_await" not in header + body
            assert "@" not in body
        # What a group shares, in bytes; Metal allows 32 KB and CUDA 48.
        shared = program.SIMDS * (2 * geometry.at_once + geometry.value_width) * 4
        assert shared <= 32 * 1024
        assert geometry.at_once * -(-geometry.key_width // program.SIMD) <= program.MOST_NUMBERS


def test_kernels_that_differ_have_names_that_differ() -> None:
    """MLX keeps compiled CUDA kernels on disk by name: another text of that name is not read."""
    some = [PLAIN, Geometry(4, 2, 64, 64, "float16"), Geometry(4, 1, 64, 64, "float32")]
    made = [Program(g, "whole", n) for g in some for n in (1, 4)]
    names = {m.name(device) for m in made for device in ("metal", "cuda")}
    assert len(names) == 12


def test_what_there_is_no_kernel_for_does_not_fit() -> None:
    assert PLAIN.fits
    for other in (
        Geometry(4, 2, 72, 72, "float32"),
        Geometry(5, 2, 64, 64, "float32"),
        Geometry(4, 2, 64, 64, "float64"),
        Geometry(4, 2, 80, 80, "float32", 8, 64),
        Geometry(4, 2, 64, 64, "float32", 3, 64),
        Geometry(4, 2, 64, 64, "float32", 8, 64, sinks=True),
    ):
        assert not other.fits, other


# The probe


def test_the_probe_refuses_kernels_that_are_wrong_do_not_compile_or_do_not_end() -> None:
    """In real children; the one in which a kernel does not end is killed at its time."""
    heads = (
        kernel_fakes.WRONG,
        kernel_fakes.UNCOMPILED,
        4,
        kernel_fakes.CRASHING,
        kernel_fakes.ENDLESS,
    )
    geometries = [Geometry(n, 1, 64, 64, "float32") for n in heads]
    given = Limits(20.0, 0, 2**20)
    fake = "tests.engine.kernel_fakes:made"
    found = jobs.kernel_faults(geometries[:4], "metal", given, fake)
    assert "is off by" in found[0]
    assert found[1].startswith("it failed: RuntimeError: [metal::Device] Unable to build")
    assert not found[2]
    assert found[3] == f"it made the process that does it crash (signal {signal.SIGSEGV:d})"
    (endless,) = jobs.kernel_faults(geometries[4:], "metal", Limits(0.5, 0, 2**20), fake)
    assert endless == "it took longer than 0.5 seconds"


@pytest.mark.parametrize("bits", [0, 8])
def test_the_probe_runs_every_kernel_that_there_may_be(bits: int) -> None:
    ran: set[tuple[str, int]] = set()

    def launch(asked: Program, _inputs: object, _grid: object, shape: tuple[int, ...]) -> mx.array:
        ran.add((asked.part, asked.sources))
        return mx.zeros(shape)

    geometry = Geometry(2, 1, 64, 64, "float32", bits, 64 if bits else 0)
    attend = RaggedAttention(launch)
    for case in trial.cases(geometry, jobs.CASES, seed=jobs.CASES):
        attend(geometry, case.queries, case.sources, case.scale, case.sinks)
    counts = {1, 4, geometry.most_sources}
    assert ran == {(part, n) for part in ("whole", "pieces") for n in counts} | {("join", 0)}


def test_a_kernel_that_the_device_here_does_not_have_is_refused() -> None:
    """The real maker, in this process: no GPU, so MLX refuses to make or to run it."""
    device = "cuda" if mx.metal.is_available() else "metal"
    with pytest.raises(Exception, match=r"(?i)metal|cuda|gpu"):
        trial.first_fault(attention.on_device(device), PLAIN, 1)


def test_the_machines_report_tells_right_kernels_from_wrong_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_bench, "LENGTHS", (3, 9))
    some = [PLAIN, Geometry(4, 2, 64, 64, "float16", 8, 64), Geometry(8, 8, 96, 96, "bfloat16")]
    assert all(g.fits for g in (*some, *kernel_bench.geometries()))
    told = list(kernel_bench.lines("metal", some, lambda *_: ["", "", "it is off"], trial.plain))
    assert [line[:5] for line in told] == ["right", "right", "WRONG"]
    assert told[2].endswith(": it is off")
