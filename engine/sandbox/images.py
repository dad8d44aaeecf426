"""Decoder for untrusted PNG, JPEG, GIF, WebP, BMP and TIFF files.

`decode` must run in a sandboxed child. The result is upright 8-bit RGB on a white background, from
the first frame or page. Color profiles are ignored, as in the preprocessors of vision models.
"""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

from msgspec import Struct

from engine.messages import SAVE_HEIC, Image, is_heic
from engine.sandbox.protocol import RefusedError

MAX_BYTES = 50_000_000  # maximum size of a file

MAX_PIXELS = 120_000_000
"""Maximum size in the file header. Phone cameras go up to 108 megapixels, which take 430 MB to
decode.
"""

MAX_OUTPUT_PIXELS = 16_000_000  # by default, the result is scaled down to this size

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")

_ORIENTATION = 0x0112
_QUALITY = 85


class DecodedImage(Struct, frozen=True):
    """Decoded image.

    Attributes:
        format: one of `FORMATS`.
        width, height: original size after rotating upright.
        size: width and height of `rgb`.
        rgb: pixel rows, three bytes per pixel. Empty if not requested.
        thumbnail: small JPEG file. Empty if not requested.
    """

    format: str
    width: int
    height: int
    size: tuple[int, int]
    rgb: bytes
    thumbnail: bytes


def is_image(head: bytes) -> bool:
    return Image(head).media_type.startswith("image/")


def is_svg(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1024].lower()
    return start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!")) and b"<svg" in start)


def decode(data: bytes, max_pixels: int, thumbnail_px: int) -> DecodedImage:
    """Decode an image file.

    Args:
        max_pixels: the result is scaled down to this. If 0, no pixels are returned.
        thumbnail_px: longer side of the thumbnail, or 0 for no thumbnail.

    Raises:
        RefusedError: the message completes a sentence.
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
    # Higher than the default, because color profiles can exceed a million bytes.
    PIL.PngImagePlugin.MAX_TEXT_CHUNK = 16_000_000
    warnings.simplefilter("ignore")
    # Pillow warns above this limit and raises at twice the limit.
    pillow.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
    try:
        return _decode(pillow, data, max_pixels, thumbnail_px)
    except (RefusedError, MemoryError):
        raise
    except pillow.DecompressionBombError:
        raise RefusedError(
            f"has more than {MAX_PIXELS // 10**6} million pixels. Make it smaller"
        ) from None
    except Exception:  # decoders raise all kinds of exceptions
        raise RefusedError("is damaged or incomplete") from None


def _decode(pillow: Any, data: bytes, max_pixels: int, thumbnail_px: int) -> DecodedImage:
    image = pillow.open(io.BytesIO(data), formats=FORMATS)
    kind = "JPEG" if image.format == "MPO" else str(image.format)  # phones write MPO
    turned = _orientation(image)
    width, height = image.size
    size = _fit_size(image.size, max_pixels or 4 * thumbnail_px * thumbnail_px)
    image.draft(None, size)  # lets the JPEG decoder scale by 1/2, 1/4 or 1/8
    image.load()
    image = _to_rgb(pillow, image, size)
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


def _fit_size(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    width, height = size
    share = min(1.0, math.sqrt(max_pixels / (width * height)))
    wide = max(1, int(width * share))
    return wide, max(1, min(int(height * share), max_pixels // wide))


def _to_rgb(pillow: Any, image: Any, size: tuple[int, int]) -> Any:
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image = _to_8_bits(image)
    clear = image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info
    mode = "RGBA" if clear else "RGB"
    image = image if image.mode == mode else image.convert(mode)
    if image.width * image.height > size[0] * size[1]:
        image = image.resize(size, pillow.Resampling.LANCZOS, reducing_gap=2.0)
    if not clear:
        return image
    ground = pillow.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _to_8_bits(image: Any) -> Any:
    """Convert a 16-bit or 32-bit grayscale image to 8 bits. For 32 bits, the image's own minimum
    and maximum become 0 and 255.
    """
    sixteen = image.mode.startswith("I;16") or image.format == "PNG"
    wide = image.convert("I").convert("F") if image.mode != "F" else image
    low, high = (0, 65535) if sixteen else wide.getextrema()
    scale = 255 / ((high - low) or 1)
    return wide.point(lambda value: value * scale + (0.5 - low * scale)).convert("L")


def _orientation(image: Any) -> Any:
    try:
        return _TURNS.get(image.getexif().get(_ORIENTATION))
    except Exception:  # damaged metadata must not prevent the image from being shown
        return None


# EXIF orientation to `PIL.Image.Transpose`.
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
_SIDEWAYS = (5, 4, 6, 2)
