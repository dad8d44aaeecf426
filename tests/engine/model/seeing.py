"""Images to show to models."""

from __future__ import annotations

import io
from typing import Any

from engine.messages import Image, Message


def image(width: int, height: int, seed: int = 0) -> Image:
    """A PNG of coloured noise."""
    import numpy as np
    from PIL import Image as Pillow

    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Pillow.fromarray(pixels).save(file, "PNG")
    return Image(file.getvalue())


def shown(text: str, *images: Image) -> list[Message]:
    """One message that shows images before its text."""
    parts: list[dict[str, Any]] = [{"type": "image", "image": one} for one in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}]
