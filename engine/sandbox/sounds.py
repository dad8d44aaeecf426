"""Recordings to samples: WAV, MP3, FLAC and Ogg Vorbis, from anywhere.

`read` is to be called in a confined child only; `engine.sandbox.jobs.read_sound` does that.
miniaudio is imported there alone.
"""

from __future__ import annotations

from engine.messages import Audio
from engine.sandbox.protocol import RefusedError

MOST_BYTES = 100_000_000  # of a file

MOST_MINUTES = 10  # of a recording; a model takes 1,500 tokens for each

_UNKNOWN_BYTES = 0x7FFF0000  # of samples: as many or more stand for an unknown length

RATE = 16_000  # samples a second, as models hear


def is_sound(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a recording that can be read."""
    return Audio(head).media_type.startswith("audio/")


def read(data: bytes) -> bytes:
    """The samples of a file, of `RATE`, one channel, 32-bit floats from -1 to 1, little-endian.

    Raises:
        RefusedError: why it cannot be read, as the end of a sentence.
    """
    if not data:
        raise RefusedError("is empty")
    if not is_sound(data[:16]):
        raise RefusedError("is neither WAV, MP3, FLAC nor Ogg Vorbis. Save it as WAV or MP3")
    if len(data) > MOST_BYTES:
        raise RefusedError(f"is larger than {MOST_BYTES // 10**6} MB. Save it smaller")
    if _is_cut(data):
        raise RefusedError("is incomplete: a part at its end is missing. Copy it again")
    import miniaudio
    import numpy as np

    form, seconds = miniaudio.SampleFormat.FLOAT32, []
    try:
        for some in miniaudio.stream_memory(data, form, 1, RATE, RATE):
            # A file of floats may have any, and what is not a number would be an answer's, too.
            loud = np.clip(np.nan_to_num(np.frombuffer(some, "<f4")), -1, 1)
            seconds.append(loud.astype("<f4").tobytes())
            if len(seconds) > 60 * MOST_MINUTES:
                raise RefusedError(f"is longer than {MOST_MINUTES} minutes. Send a part of it")
    except miniaudio.MiniaudioError:
        raise RefusedError("is damaged or incomplete") from None
    if not any(seconds):
        raise RefusedError("holds no sound")
    return b"".join(seconds)


def _is_cut(data: bytes) -> bool:
    """Return True if a WAV file ends before its samples do.

    Programs that write to a pipe cannot know the length, and declare one near 2 or 4 GB. A rounding
    error in the header is no reason to refuse a recording.
    """
    if data[:4] != b"RIFF":
        return False
    place = 12
    while place + 8 <= len(data):
        size = int.from_bytes(data[place + 4 : place + 8], "little")
        if data[place : place + 4] == b"data":
            missing = size - (len(data) - place - 8)
            return size < _UNKNOWN_BYTES and missing > size // 100
        place += 8 + size + size % 2
    return False
