"""What one piece of untrusted work may take, and how much its input may be."""

from __future__ import annotations

from dataclasses import dataclass

_MB = 2**20


@dataclass(frozen=True)
class Limits:
    """What a child may take for one request before it is killed.

    Attributes:
        seconds: of wall-clock time.
        memory: bytes: of address space where the system limits that, else of resident memory; 0 for
            no limit.
        output: bytes of its answer.
        written: bytes of each file that it writes; only a child that was started for that may.
    """

    seconds: float
    memory: int
    output: int
    written: int = 0


FILES = Limits(20.0, 1024 * _MB, 16 * _MB)
# Importing transformers takes two seconds, six on a busy machine; its largest tokenizers take
# six more. One of 200,000 words takes 420 MB, 540 MB of address space.
TOKENIZER = Limits(90.0, 3072 * _MB, 128 * _MB)
TEMPLATE = Limits(5.0, 1024 * _MB, 64 * _MB)
FORM = Limits(8.0, 2048 * _MB, _MB)
# Prepared parts of a form's tokenizer: 7 MB at 200,000 words, 2 s when the child has not made it.
FORM_TOKENS = Limits(30.0, 2048 * _MB, 128 * _MB)
# A book of a thousand pages takes a second or two; address space, as pdfium maps the file.
DOCUMENT = Limits(60.0, 2048 * _MB, 64 * _MB)

# A dozen kernels are compiled the first time, a second or two each on CUDA. Drivers map as much
# address space as there is memory on the device and on the host.
KERNELS = Limits(120.0, 0, _MB)


def encoding(characters: int) -> Limits:
    """The limits for tokenising so many characters.

    Measured: 1.3 s and 150 MB for a megabyte on a busy core (the Guide's tokenizer).
    """
    return Limits(
        10.0 + 8.0 * characters / _MB, 2048 * _MB + 400 * characters, 16 * _MB + 16 * characters
    )


def converting(size: int) -> Limits:
    """The limits for reading a GGUF file of so many bytes and writing its folder.

    Measured: 100 MB in 1.4 s on a busy core. What is written is at most half as large again (six
    bits become eight, with scales), beside a tokenizer.json of up to 50 MB.
    """
    return Limits(60.0 + size / (4 * _MB), 2048 * _MB, _MB, 2 * size + 256 * _MB)
