"""Decoder for PNG, JPEG, GIF, WebP, BMP and TIFF files from untrusted sources.

Call `decode` in a confined child only, as `engine.sandbox.jobs.read_image` does; Pillow is imported
only there. The result is upright, 8-bit RGB on a white background; the first frame or page is used.
Color profiles are ignored, as in the preprocessors of vision models.
"""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

from msgspec import Struct

from engine.messages import SAVE_HEIC, Image, is_heic
from engine.sandbox.protocol import RefusedError

MAX_BYTES = 50_000_000  # of a file

MAX_PIXELS = 120_000_000
"""Limit of the size in a file's header. Phone cameras produce up to 108 megapixels, which take 430
MB to decode."""

MAX_OUTPUT_PIXELS = 16_000_000  # default size limit of the decoded image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")

_ORIENTATION = 0x0112
_QUALITY = 85


class DecodedImage(Struct, frozen=True):
    """An image as `decode` returns it.

    Attributes:
        format: one of `FORMATS`.
        width, height: size of the original image, upright.
        size: width and height of `rgb`.
        rgb: pixels, three bytes each, row by row; empty if not requested.
        thumbnail: a small JPEG file; empty if not requested.
    """

    format: str
    width: int
    height: int
    size: tuple[int, int]
    rgb: bytes
    thumbnail: bytes


def is_image(head: bytes) -> bool:
    """Return True if a file with these first bytes is a supported image."""
    return Image(head).media_type.startswith("image/")


def is_svg(head: bytes) -> bool:
    """Return True if a file with these first bytes is an SVG drawing."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1024].lower()
    return start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!")) and b"<svg" in start)


def decode(data: bytes, max_pixels: int, thumbnail_px: int) -> DecodedImage:
    """Decode an image file.

    Args:
        max_pixels: larger images are scaled down to this size; 0 returns no pixels.
        thumbnail_px: longer side of the thumbnail; 0 for none.

    Raises:
        RefusedError: the reason, as the end of a sentence.
    """
    if not data:
        raise RefusedError("is empty")
    if is_svg(data[:4096]):
        raise RefusedError("is a drawing (SVG), not an image. Save it as PNG")
    if not is_image(data[:16]):
        names = "PNG, JPEG, GIF, WebP, BMP nor TIFF"
        if is_heic(data[:16]):
            raise RefusedError(f"is neither {names}, but {SAVE_HEIC}")
        raise RefusedError(f"is neither {names}. Save it as PNG or JPEG")
    if len(data) > MAX_BYTES:
        raise RefusedError(f"is larger than {MAX_BYTES // 10**6} MB. Save it smaller")
    import PIL.Image
    import PIL.PngImagePlugin

    pillow = PIL.Image
    PIL.PngImagePlugin.MAX_TEXT_CHUNK = 16_000_000  # colour profiles may have more than a million
    warnings.simplefilter("ignore")
    pillow.MAX_IMAGE_PIXELS = MAX_PIXELS // 2  # it warns from there, and refuses twice as many
    try:
        return _decode(pillow, data, max_pixels, thumbnail_px)
    except (RefusedError, MemoryError):
        raise
    except pillow.DecompressionBombError:
        raise RefusedError(
            f"has more than {MAX_PIXELS // 10**6} million pixels. Make it smaller"
        ) from None
    except Exception:  # decoders raise many types
        raise RefusedError("is damaged or incomplete") from None


def _decode(pillow: Any, data: bytes, max_pixels: int, thumbnail_px: int) -> DecodedImage:
    image = pillow.open(io.BytesIO(data), formats=FORMATS)
    kind = "JPEG" if image.format == "MPO" else str(image.format)  # phones write MPO
    turned = _orientation(image)
    width, height = image.size
    wanted = _fit(image.size, max_pixels or 4 * thumbnail_px * thumbnail_px)
    image.draft(None, wanted)  # decodes a JPEG at 1/2, 1/4 or 1/8 of its size
    image.load()
    image = _to_rgb(pillow, image, wanted)
    if turned is not None:
        image = image.transpose(turned)
    if turned in _SIDEWAYS:
        width, height = height, width
    small = b""
    if thumbnail_px:
        copy, file = image.copy() if max_pixels else image, io.BytesIO()
        copy.thumbnail((thumbnail_px, thumbnail_px))
        copy.save(file, "JPEG", quality=_QUALITY)
        small = file.getvalue()
    rgb = image.tobytes() if max_pixels else b""
    return DecodedImage(kind, width, height, image.size, rgb, small)


def _fit(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    """Return a size with the same aspect ratio and at most `max_pixels` pixels."""
    width, height = size
    share = min(1.0, math.sqrt(max_pixels / (width * height)))
    wide = max(1, int(width * share))
    return wide, max(1, min(int(height * share), max_pixels // wide))


def _to_rgb(pillow: Any, image: Any, wanted: tuple[int, int]) -> Any:
    """Return the image in RGB, scaled down to the wanted size."""
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image = _to_8_bits(image)
    clear = image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info
    mode = "RGBA" if clear else "RGB"
    image = image if image.mode == mode else image.convert(mode)
    if image.width * image.height > wanted[0] * wanted[1]:
        image = image.resize(wanted, pillow.Resampling.LANCZOS, reducing_gap=2.0)
    if not clear:
        return image
    ground = pillow.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _to_8_bits(image: Any) -> Any:
    """Convert a grayscale image of 16 or 32 bits. The range of 32-bit images is that of their
    values."""
    sixteen = image.mode.startswith("I;16") or image.format == "PNG"
    wide = image.convert("I").convert("F") if image.mode != "F" else image
    low, high = (0, 65535) if sixteen else wide.getextrema()
    scale = 255 / ((high - low) or 1)
    return wide.point(lambda value: value * scale + (0.5 - low * scale)).convert("L")


def _orientation(image: Any) -> Any:
    """Return the transposition that makes the image upright, or None."""
    try:
        return _TURNS.get(image.getexif().get(_ORIENTATION))
    except Exception:  # damaged metadata does not prevent showing the image
        return None


# EXIF orientation to `PIL.Image.Transpose`.
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
_SIDEWAYS = (5, 4, 6, 2)
