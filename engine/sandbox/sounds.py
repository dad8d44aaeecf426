"""Decoder for untrusted WAV, MP3, FLAC and Ogg Vorbis recordings, for use in a sandboxed child."""

from __future__ import annotations

from engine.messages import Audio
from engine.sandbox.protocol import RefusedError

MAX_BYTES = 100_000_000  # maximum size of a file

MAX_MINUTES = 10  # maximum length of a recording; a minute takes 1,500 tokens

_UNKNOWN_BYTES = 0x7FFF0000  # WAV data sizes of at least this mean "unknown"

SAMPLE_RATE = 16_000  # sample rate that models expect


def is_sound(head: bytes) -> bool:
    return Audio(head).media_type.startswith("audio/")


def decode(data: bytes) -> bytes:
    """Decode to mono samples at `SAMPLE_RATE`, as little-endian float32 from -1 to 1.

    Raises:
        RefusedError: the message completes a sentence.
    """
    if not data:
        raise RefusedError("is empty")
    if not is_sound(data[:16]):
        raise RefusedError("is neither WAV, MP3, FLAC nor Ogg Vorbis. Save it as WAV or MP3")
    if len(data) > MAX_BYTES:
        raise RefusedError(f"is larger than {MAX_BYTES // 10**6} MB. Save it smaller")
    if _is_truncated(data):
        raise RefusedError("is incomplete: a part at its end is missing. Copy it again")
    import miniaudio
    import numpy as np

    form, seconds = miniaudio.SampleFormat.FLOAT32, []
    try:
        for chunk in miniaudio.stream_memory(data, form, 1, SAMPLE_RATE, SAMPLE_RATE):
            # Float files can contain any value, and NaN would propagate to the model's output.
            loud = np.clip(np.nan_to_num(np.frombuffer(chunk, "<f4")), -1, 1)
            seconds.append(loud.astype("<f4").tobytes())
            if len(seconds) > 60 * MAX_MINUTES:
                raise RefusedError(f"is longer than {MAX_MINUTES} minutes. Send a part of it")
    except miniaudio.MiniaudioError:
        raise RefusedError("is damaged or incomplete") from None
    if not any(seconds):
        raise RefusedError("contains no sound")
    return b"".join(seconds)


def _is_truncated(data: bytes) -> bool:
    """Return True if a WAV file ends before its samples do.

    Programs that write to a pipe don't know the length, and declare something near 2 or 4 GB.
    Rounding errors in the header are ignored.
    """
    if data[:4] != b"RIFF":
        return False
    offset = 12
    while offset + 8 <= len(data):
        size = int.from_bytes(data[offset + 4 : offset + 8], "little")
        if data[offset : offset + 4] == b"data":
            missing = size - (len(data) - offset - 8)
            return size < _UNKNOWN_BYTES and missing > size // 100
        offset += 8 + size + size % 2
    return False
