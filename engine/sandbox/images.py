"""Images to pixels: PNG, JPEG, GIF, WebP, BMP and TIFF, from anywhere.

`read` is to be called in a confined child only; `engine.sandbox.jobs.read_image` does that. Pillow
is imported there alone. What is read is upright, 8 bits of red, green and blue for each pixel, on
white where it was transparent; of several frames or pages it is the first. Colour profiles are
ignored, as the processors of models that see do.
"""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

from msgspec import Struct

from engine.messages import SAVE_HEIC, Image, is_heic
from engine.sandbox.protocol import RefusedError

MOST_BYTES = 50_000_000  # of a file

MOST_PIXELS = 120_000_000
"""That a file may say it has. The largest cameras of telephones make 108 million, which take 430 MB
as they are decoded."""

MOST_GIVEN = 16_000_000  # pixels that are given, unless fewer are asked for

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")

_ORIENTATION = 0x0112
_QUALITY = 85


class Picture(Struct, frozen=True):
    """An image as it was read."""

    format: str  # of `FORMATS`
    # width, height: of the file's image, upright
    width: int
    height: int
    size: tuple[int, int]  # of what is given: both in pixels
    rgb: bytes  # its pixels, three bytes each, row by row; empty where none were asked for
    thumbnail: bytes  # a small JPEG file; empty where none was asked for


def is_image(head: bytes) -> bool:
    """Whether the first bytes of a file are those of an image that can be read."""
    return Image(head).media_type.startswith("image/")


def is_drawing(head: bytes) -> bool:
    """Whether they are those of an SVG file."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1024].lower()
    return start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!")) and b"<svg" in start)


def read(data: bytes, most: int, thumbnail: int) -> Picture:
    """The image of a file.

    Args:
        most: pixels that are given; a larger image is made smaller. 0 gives none.
        thumbnail: pixels of the longer side of a small one; 0 makes none.

    Raises:
        RefusedError: why it cannot be read, as the end of a sentence.
    """
    if not data:
        raise RefusedError("is empty")
    if is_drawing(data[:4096]):
        raise RefusedError("is a drawing (SVG), not an image. Save it as PNG")
    if not is_image(data[:16]):
        names = "PNG, JPEG, GIF, WebP, BMP nor TIFF"
        if is_heic(data[:16]):
            raise RefusedError(f"is neither {names}, but {SAVE_HEIC}")
        raise RefusedError(f"is neither {names}. Save it as PNG or JPEG")
    if len(data) > MOST_BYTES:
        raise RefusedError(f"is larger than {MOST_BYTES // 10**6} MB. Save it smaller")
    import PIL.Image
    import PIL.PngImagePlugin

    pillow = PIL.Image
    PIL.PngImagePlugin.MAX_TEXT_CHUNK = 16_000_000  # colour profiles may have more than a million
    warnings.simplefilter("ignore")
    pillow.MAX_IMAGE_PIXELS = MOST_PIXELS // 2  # it warns from there, and refuses twice as many
    try:
        return _read(pillow, data, most, thumbnail)
    except (RefusedError, MemoryError):
        raise
    except pillow.DecompressionBombError:
        raise RefusedError(
            f"has more than {MOST_PIXELS // 10**6} million pixels. Make it smaller"
        ) from None
    except Exception:  # whatever a decoder stumbles over
        raise RefusedError("is damaged or incomplete") from None


def _read(pillow: Any, data: bytes, most: int, thumbnail: int) -> Picture:
    image = pillow.open(io.BytesIO(data), formats=FORMATS)
    kind = (
        "JPEG" if image.format == "MPO" else str(image.format)
    )  # of two pictures, from telephones
    turned = _orientation(image)
    width, height = image.size
    wanted = _within(image.size, most or 4 * thumbnail * thumbnail)
    image.draft(None, wanted)  # a JPEG is decoded at a half, a quarter or an eighth of its size
    image.load()
    image = _opaque(pillow, image, wanted)
    if turned is not None:
        image = image.transpose(turned)
    if turned in _SIDEWAYS:
        width, height = height, width
    small = b""
    if thumbnail:
        copy, file = image.copy() if most else image, io.BytesIO()
        copy.thumbnail((thumbnail, thumbnail))
        copy.save(file, "JPEG", quality=_QUALITY)
        small = file.getvalue()
    rgb = image.tobytes() if most else b""
    return Picture(kind, width, height, image.size, rgb, small)


def _within(size: tuple[int, int], most: int) -> tuple[int, int]:
    """A size of the same shape with at most so many pixels."""
    width, height = size
    share = min(1.0, math.sqrt(most / (width * height)))
    wide = max(1, int(width * share))
    return wide, max(1, min(int(height * share), most // wide))


def _opaque(pillow: Any, image: Any, wanted: tuple[int, int]) -> Any:
    """The image in red, green and blue, no larger than wanted."""
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image = _in_eight_bits(image)
    clear = image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info
    mode = "RGBA" if clear else "RGB"
    image = image if image.mode == mode else image.convert(mode)  # a copy, whatever it was
    if image.width * image.height > wanted[0] * wanted[1]:
        image = image.resize(wanted, pillow.Resampling.LANCZOS, reducing_gap=2.0)
    if not clear:
        return image
    ground = pillow.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _in_eight_bits(image: Any) -> Any:
    """A grey image of 16 or 32 bits, of whose 32 nobody knows what is white but the brightest."""
    sixteen = image.mode.startswith("I;16") or image.format == "PNG"
    wide = image.convert("I").convert("F") if image.mode != "F" else image
    low, high = (0, 65535) if sixteen else wide.getextrema()
    scale = 255 / ((high - low) or 1)
    return wide.point(lambda value: value * scale + (0.5 - low * scale)).convert("L")


def _orientation(image: Any) -> Any:
    """How the camera was held, as the turn that puts the image upright; None for none."""
    try:
        return _TURNS.get(image.getexif().get(_ORIENTATION))
    except Exception:  # damaged notes about an image are no reason not to show it
        return None


# By EXIF's number, as the values of `PIL.Image.Transpose`.
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
_SIDEWAYS = (5, 4, 6, 2)
