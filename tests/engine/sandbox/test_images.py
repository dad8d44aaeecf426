"""Decoding of images in a child process."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.errors import INVALID_REQUEST
from engine.sandbox import images
from engine.sandbox.images import MAX_OUTPUT_PIXELS, DecodedImage, decode
from engine.sandbox.jobs import read_document, read_image, read_sound
from engine.sandbox.protocol import RefusedError, TaskLimits

RED, BLUE, WHITE = (254, 0, 0), (0, 0, 254), (255, 255, 255)


def halves(mode: str = "RGB", size: tuple[int, int] = (40, 20)) -> Image.Image:
    made = Image.new("RGB", size, RED)
    made.paste(BLUE, (size[0] // 2, 0, size[0], size[1]))
    return made.convert(mode)


def file_of(image: Image.Image, kind: str, **options: object) -> bytes:
    made = io.BytesIO()
    image.save(made, kind, **options)
    return made.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of(width: int, height: int, pixels: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(pixels)
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def pixel(found: DecodedImage, x: float, y: float) -> tuple[int, ...]:
    wide, high = found.size
    at = 3 * (int(y * high) * wide + int(x * wide))
    return tuple(found.rgb[at : at + 3])


def near(found: tuple[int, ...], wanted: tuple[int, ...], by: int = 12) -> bool:
    return all(abs(a - b) <= by for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    ("kind", "mode", "options"),
    [
        ("PNG", "RGB", {}),
        ("PNG", "P", {}),
        ("JPEG", "RGB", {"quality": 95, "subsampling": 0}),
        ("JPEG", "CMYK", {"quality": 95}),
        ("GIF", "P", {}),
        ("GIF", "P", {"save_all": True, "append_images": [Image.new("P", (40, 20))] * 3}),
        ("WEBP", "RGB", {"lossless": True}),
        ("BMP", "RGB", {}),
        ("TIFF", "RGB", {"compression": "tiff_lzw"}),
        ("TIFF", "CMYK", {}),
    ],
)
def test_formats_decode_to_equal_pixels(kind: str, mode: str, options: dict[str, object]) -> None:
    found = decode(file_of(halves(mode), kind, **options), MAX_OUTPUT_PIXELS, 0)
    assert (found.format, found.width, found.height, found.size) == (kind, 40, 20, (40, 20))
    assert len(found.rgb) == 3 * 40 * 20
    assert near(pixel(found, 0.2, 0.5), RED)
    assert near(pixel(found, 0.8, 0.5), BLUE)


def test_transparent_pixels_become_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    half = Image.new("RGBA", (4, 4), (255, 0, 0, 128))
    assert pixel(decode(file_of(clear, "PNG"), MAX_OUTPUT_PIXELS, 0), 0.5, 0.5) == WHITE
    assert near(
        pixel(decode(file_of(half, "PNG"), MAX_OUTPUT_PIXELS, 0), 0.5, 0.5), (255, 127, 127)
    )
    gif = Image.new("P", (4, 4), 0)
    found = decode(file_of(gif, "GIF", transparency=0), MAX_OUTPUT_PIXELS, 0)
    assert pixel(found, 0.5, 0.5) == WHITE


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_16_bit_grayscale_keeps_steps(kind: str) -> None:
    steps = Image.new("I;16", (3, 1))
    for x, value in enumerate((0, 0x8000, 0xFFFF)):
        steps.putpixel((x, 0), value)
    found = decode(file_of(steps, kind), MAX_OUTPUT_PIXELS, 0)
    assert [pixel(found, x / 3 + 0.1, 0)[0] for x in range(3)] == [0, 128, 255]


@pytest.mark.parametrize(("turn", "left"), [(1, RED), (2, BLUE), (3, BLUE), (4, RED)])
def test_image_is_rotated_upright(turn: int, left: tuple[int, int, int]) -> None:
    notes = Image.Exif()
    notes[0x0112] = turn
    found = decode(file_of(halves(), "JPEG", exif=notes, quality=95), MAX_OUTPUT_PIXELS, 0)
    assert found.size == (40, 20)
    assert near(pixel(found, 0.2, 0.5), left)


@pytest.mark.parametrize(("turn", "top"), [(5, RED), (6, RED), (7, BLUE), (8, BLUE)])
def test_sideways_image_is_rotated_upright(turn: int, top: tuple[int, int, int]) -> None:
    notes = Image.Exif()
    notes[0x0112] = turn
    found = decode(file_of(halves(), "JPEG", exif=notes, quality=95), MAX_OUTPUT_PIXELS, 0)
    assert (found.width, found.height, found.size) == (20, 40, (20, 40))
    assert near(pixel(found, 0.5, 0.2), top)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_large_image_is_scaled_with_thumbnail(kind: str) -> None:
    found = decode(file_of(halves(size=(900, 300)), kind), 10_000, 64)
    assert (found.width, found.height) == (900, 300)
    wide, high = found.size
    assert 9_000 < wide * high <= 10_000
    assert abs(wide / high - 3) < 0.1
    assert near(pixel(found, 0.2, 0.5), RED)
    small = Image.open(io.BytesIO(found.thumbnail))
    assert (small.format, max(small.size)) == ("JPEG", 64)
    only = decode(file_of(halves(size=(900, 300)), kind), 0, 64)
    assert only.rgb == b""
    assert max(Image.open(io.BytesIO(only.thumbnail)).size) == 64


def test_first_of_many_pages_is_read() -> None:
    others = [Image.new("RGB", (40, 20), WHITE)] * 199
    data = file_of(halves(), "TIFF", save_all=True, append_images=others)
    assert near(pixel(decode(data, MAX_OUTPUT_PIXELS, 0), 0.2, 0.5), RED)


BOMB = png_of(50_000, 50_000, bytes(1_000_000))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BOMB, "has more than 120 million pixels"),
        (lambda: b"", "is empty"),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is a drawing (SVG)"),
        (lambda: b"<?xml version='1.0'?>\n<svg/>", "is a drawing (SVG)"),
        (lambda: b"%PDF-1.7", "is neither PNG, JPEG, GIF, WebP, BMP nor TIFF"),
        (lambda: b"\0\0\0 ftypheic" + bytes(90), "is neither PNG"),
        (lambda: file_of(halves(size=(400, 400)), "PNG")[:-90], "is damaged or incomplete"),
        (lambda: file_of(halves(size=(400, 400)), "JPEG")[:900], "is damaged or incomplete"),
        (lambda: b"\x89PNG\r\n\x1a\n" + bytes(99), "is damaged or incomplete"),
        (lambda: png_of(9_000, 9_000, b""), "is damaged or incomplete"),
        (lambda: b"GIF89a" + bytes(20), "is damaged or incomplete"),
        (lambda: b"II*\0" + b"\xff" * 60, "is damaged or incomplete"),
    ],
)
def test_unreadable_file_is_reported(make: Callable[[], bytes], words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        decode(make(), MAX_OUTPUT_PIXELS, 64)
    assert words in str(refused.value)


def test_file_over_size_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_BYTES", 2_000_000)
    whole = file_of(halves(), "PNG")
    with pytest.raises(RefusedError, match="is larger than 2 MB"):
        decode(whole + bytes(2_000_000), MAX_OUTPUT_PIXELS, 0)


def test_child_decodes_and_refusal_names_image() -> None:
    found = read_image(file_of(halves(), "PNG"), thumbnail_px=16)
    assert near(pixel(found, 0.8, 0.5), BLUE)
    assert found.thumbnail.startswith(b"\xff\xd8")
    with pytest.raises(EngineError) as refused:
        read_image(BOMB, "“../../bomb.png”")
    assert refused.value.code == INVALID_REQUEST
    assert refused.value.message == (
        "“../../bomb.png” has more than 120 million pixels. Make it smaller."
    )


def test_image_over_memory_limit_is_stopped() -> None:
    """The file really contains what its header promises: 81 million black pixels in 240 KB."""
    honest = png_of(9_000, 9_000, bytes((1 + 3 * 9_000) * 9_000))
    assert len(honest) < 300_000
    with pytest.raises(EngineError, match=r"The image cannot be read: it needed more than"):
        read_image(honest, limits=TaskLimits(60.0, 400 * 2**20, 2**26))


def test_float_recording_has_only_valid_samples() -> None:
    samples = np.array([np.nan, np.inf, -np.inf, 1e30, 0.5] * 1000, "<f4")
    form = struct.pack("<HHIIHH", 3, 1, 16_000, 64_000, 4, 32)
    chunks = b"".join(
        name + struct.pack("<I", len(data)) + data
        for name, data in ((b"fmt ", form), (b"data", samples.tobytes()))
    )
    file = b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks
    found = np.frombuffer(read_sound(file), "<f4")
    assert found[:5].tolist() == [0.0, 1.0, -1.0, 1.0, 0.5]


@pytest.mark.parametrize("declared", [10_050, 2**32 - 1])
def test_recording_of_unknown_length_is_read(declared: int) -> None:
    assert len(read_sound(wave_file(declared, 10_000))) == 4 * 5000


def test_truncated_recording_is_refused() -> None:
    with pytest.raises(EngineError, match=r"is incomplete: a part at its end is missing"):
        read_sound(wave_file(10_000, 6000))


def wave_file(declared: int, given: int) -> bytes:
    form = struct.pack("<HHIIHH", 1, 1, 16_000, 32_000, 2, 16)
    head = b"RIFF" + struct.pack("<I", min(declared + 36, 2**32 - 1)) + b"WAVEfmt "
    return (
        head + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", declared) + bytes(given)
    )


def test_heic_refusal_suggests_jpeg(tmp_path: Path) -> None:
    photo = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
    (tmp_path / "a.heic").write_bytes(photo)
    with pytest.raises(EngineError, match=r"HEIC photo.* Save it as JPEG"):
        read_image(photo, "“a.heic”")
    with pytest.raises(EngineError, match=r"^“a\.heic” is a HEIC photo.* Save it as JPEG"):
        read_document(tmp_path / "a.heic")


def test_hostile_images_affect_no_chat(tmp_path: Path) -> None:
    params = SamplingParams(max_tokens=60, temperature=0.8, seed=5, logit_bias={2: -1e9})
    with Engine() as engine:
        model = engine.load(write_model(tmp_path / "model", SHAPES["tiny"], scale=3.0))
        alone = engine.open_session(model).send("neighbour", params).tokens(60)
        beside = engine.open_session(model).send("neighbour", params)
        for data in (BOMB, b"GIF89a" + bytes(20), file_of(halves(), "JPEG")[:300]):
            with pytest.raises(EngineError, match=r"^The image .*\."):
                read_image(data)
        assert beside.tokens(60) == alone
