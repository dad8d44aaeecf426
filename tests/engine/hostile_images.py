"""Hostile images, and a large image, for models with vision."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.bench.seeing import write_seeing
from engine.engine import Engine
from engine.errors import INVALID_REQUEST
from engine.messages import Image
from engine.model.info import Model
from tests.engine.hostile import FEW, Ask, Input, Outcome

_TOWER = {
    "depth": 1,
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_heads": 16,
    "patch_size": 16,
    "num_position_embeddings": 2304,
    "deepstack_visual_indexes": [0],
}
"""Settings of Qwen3-VL-2B's tower with fewer blocks, which all take the same time."""

_SIZES = {"patch_size": 16, "size": {"shortest_edge": 65_536, "longest_edge": 16_777_216}}


# ---------------------------------------------------------------- the files


def _save_image(
    kind: str, mode: str = "RGB", size: tuple[int, int] = (640, 480), **options: Any
) -> bytes:
    import PIL.Image

    grey = PIL.Image.linear_gradient("L").resize(size)
    image = grey if mode == "L" else grey.convert("RGB").convert(mode)
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _png(
    width: int, height: int, depth: int, colour: int, rows: bytes, *extra_chunks: bytes
) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = (_chunk(b"IHDR", head), *extra_chunks, _chunk(b"IDAT", rows), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _white_rows(width: int, height: int) -> bytes:
    packer, row = zlib.compressobj(1), b"\0" + b"\xff" * ((width + 7) // 8)
    return b"".join(packer.compress(row) for _ in range(height)) + packer.flush()


def _bomb() -> bytes:
    return _png(50_000, 50_000, 1, 0, _white_rows(50_000, 50_000))


def _false_size_png() -> bytes:
    return _png(50_000, 50_000, 16, 6, zlib.compress(b""))


def _largest_png() -> bytes:
    return _png(10_000, 11_900, 1, 0, _white_rows(10_000, 11_900))


def _text_png() -> bytes:
    """Return a PNG with a text chunk that decompresses to 200 MB."""
    packer = zlib.compressobj(1)
    text = b"".join(packer.compress(b"a" * 10**6) for _ in range(200)) + packer.flush()
    rows = zlib.compress(b"\0\0" * 8)
    return _png(8, 8, 8, 0, rows, _chunk(b"zTXt", b"note\0\0" + text))


def _frames(kind: str, count: int) -> bytes:
    import PIL.Image

    frames = [PIL.Image.new("RGB", (64, 48), (n % 256, n // 256, 90)) for n in range(count)]
    file = io.BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=20)
    return file.getvalue()


def _rotated_jpeg() -> bytes:
    import PIL.Image

    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    return _save_image("JPEG", exif=exif)


def _pages(count: int, circle: bool = False) -> bytes:
    data = bytearray(_save_image("TIFF", size=(64, 48)))
    (first,) = struct.unpack_from("<I", data, 4)
    (entries,) = struct.unpack_from("<H", data, first)
    page, next_offset = bytes(data[first : first + 6 + 12 * entries]), first + 2 + 12 * entries
    for _ in range(count - 1):
        struct.pack_into("<I", data, next_offset, len(data))
        next_offset += len(data) - next_offset + len(page) - 4
        data += page
    if circle:
        struct.pack_into("<I", data, next_offset, first)
    return bytes(data)


class Picture(Struct, frozen=True):
    name: str  # description of the input
    file: str
    make: Callable[[], bytes]  # creates the file contents
    seen: bool  # True if the image should be accepted, False if an error is expected


_DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'

PICTURES = (
    Picture("shows a PNG of 50,000 x 50,000", "bomb.png", cache(_bomb), False),
    Picture("shows one that only says so", "claims.png", _false_size_png, False),
    Picture("shows 119 million pixels", "most.png", cache(_largest_png), True),
    Picture("shows notes that unpack to 200 MB", "notes.png", cache(_text_png), False),
    Picture("shows a JPEG cut short", "cut.jpg", lambda: _save_image("JPEG")[:3000], False),
    Picture("shows an empty file", "empty.png", lambda: b"", False),
    Picture("shows a GIF of 1,000 frames", "frames.gif", cache(lambda: _frames("GIF", 1000)), True),
    Picture("shows a WebP of 200", "frames.webp", cache(lambda: _frames("WEBP", 200)), True),
    Picture("shows a TIFF of 1,000 pages", "pages.tiff", lambda: _pages(1000), True),
    Picture("shows a TIFF that goes in a circle", "circle.tiff", lambda: _pages(9, True), True),
    Picture("shows a JPEG in CMYK", "press.jpg", lambda: _save_image("JPEG", "CMYK"), True),
    Picture("shows 16 bits of grey", "deep.png", lambda: _save_image("PNG", "I;16"), True),
    Picture("shows one held sideways", "turned.jpg", _rotated_jpeg, True),
    Picture(
        "shows a damaged colour profile",
        "profile.png",
        lambda: _save_image("PNG", icc_profile=b"\xff" * 5_000_000),
        True,
    ),
    Picture("shows a drawing (SVG)", "drawing.svg", lambda: _DRAWING, False),
    Picture(
        "shows one that is called ..", "..\n..%2F..%2F<b>“x”.png", lambda: _save_image("PNG"), True
    ),
)


def _picture_input(picture: Picture) -> Callable[[Path, Engine], Ask]:
    def prepare(root: Path, engine: Engine) -> Ask:
        return _ask(engine, write_seeing(root / "sees"), picture.make())

    return prepare


def _large(root: Path, engine: Engine) -> Ask:
    noise = _save_image("JPEG", size=(4000, 3000), quality=95)
    return _ask(engine, write_seeing(root / "sees", tower=_TOWER, processor=_SIZES), noise)


def _ask(engine: Engine, folder: Path, data: bytes) -> Ask:
    sees = engine.load(folder)

    def ask(engine: Engine, model: Model) -> Outcome:
        image_part = {"type": "image", "image": Image(data)}
        parts = [image_part, {"type": "text", "text": "What is it?"}]
        return engine.open_session(sees).send([{"role": "user", "content": parts}], FEW).text

    return ask


IMAGES = (
    Input("shows 4,000 x 3,000 pixels", "", _large),
    *(Input(p.name, "" if p.seen else INVALID_REQUEST, _picture_input(p)) for p in PICTURES),
)
