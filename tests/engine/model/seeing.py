"""Sample images and recordings for multimodal models."""

from __future__ import annotations

import io
import wave
from typing import Any

from engine.messages import Audio, Image, Message


def image(width: int, height: int, seed: int = 0) -> Image:
    import numpy as np
    from PIL import Image as Pillow

    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Pillow.fromarray(pixels).save(file, "PNG")
    return Image(file.getvalue())


def shown(text: str, *images: Image) -> list[Message]:
    parts: list[dict[str, Any]] = [{"type": "image", "image": one} for one in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}]


def tone(seconds: float, pitch: float = 440, rate: int = 16_000) -> Audio:
    import numpy as np

    times = np.arange(int(seconds * rate)) / rate
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(rate)
        made.writeframes((8000 * np.sin(2 * np.pi * pitch * times)).astype("<i2").tobytes())
    return Audio(file.getvalue())


def heard(text: str, recording: Audio) -> list[Message]:
    parts = [{"type": "audio", "audio": recording}, {"type": "text", "text": text}]
    return [{"role": "user", "content": parts}]
