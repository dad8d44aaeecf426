"""Random and damaged input for the native libraries: `python -m tests.torture.doors [DOOR …]`.

As in the program, the engine's targets run in a confined child process; the window's
(`window_doors`) run in one without a screen. Inputs that kill a child by a signal, or exceed their
time limit, are reported and kept. Headers that pass our check are also given to MLX's loader.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.bench.random_models import CHATML, write_tokenizer
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.sandbox.confined import CheckedTokenizer, Sandbox
from engine.sandbox.protocol import RefusedError, TaskLimits
from engine.sandbox.tokenizer_check import _check_description
from tests.engine import hostile
from tests.torture.window_doors import FUZZERS, Worker, WorkerError

_MB = 2**20
LIMITS = TaskLimits(3.0, 1024 * _MB, 4 * _MB)
HELLO = [{"role": "user", "content": "Hello, world"}, {"role": "assistant", "content": "a\n b"}]
TEXTS = ["Hello, world", "", "<think>e e e</think>", "日本語 👋🏽\r\n\t", "e" * 2000, "\x00\u202e"]

Door = Callable[[random.Random, Sandbox, Path], object]
"""Function that creates an input, handles it and returns it."""


def schemas(rng: random.Random, confined: Sandbox, folder: Path) -> object:
    """Test JSON schemas, regular expressions and grammars with llguidance."""
    kind = rng.choice(["json_schema", "json_schema", "regex", "grammar", "choices"])
    value: Any
    if kind == "json_schema":
        value = {"$defs": {n: _schema(rng, 3) for n in "ab"}, **_schema(rng, rng.randrange(1, 6))}
    elif kind == "regex":
        value = _pieces(rng, _REGEX)
    elif kind == "grammar":
        value = "start: " + _pieces(rng, _LARK)
    else:
        value = [_pieces(rng, _REGEX) or "x" for _ in range(rng.randrange(1, 50))]
    try:
        params = SamplingParams(**{kind: value})
    except ValueError:
        return value
    model = _model(folder, CHATML) if rng.random() < 0.8 else None
    if reason := confined.form_refusal(params, model, [2]):
        raise _Said(reason, value)
    return value


def templates(rng: random.Random, confined: Sandbox, folder: Path) -> object:
    """Test chat templates with jinja2."""
    source = _pieces(rng, _JINJA)
    if rng.random() < 0.3:
        source = _damaged(rng, rng.choice([CHATML, *hostile.TEMPLATES.values()]))
    reader = confined.reader(_model(folder, source))
    for text in reader.render([(HELLO, True), (HELLO[:1], False)], rng.choice([None, True])):
        if isinstance(text, EngineError):
            raise _Said(text.message, source)
    return source


def tokenizers(rng: random.Random, confined: Sandbox, folder: Path) -> object:
    """Test tokenizer descriptions with the tokenizers library."""
    content = json.loads((folder / "tokenizer.json").read_text())
    for place in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if rng.random() < 0.5:
            content[place] = _component(rng, 2)
    if rng.random() < 0.5:
        _change(rng, content["model"] if rng.random() < 0.5 else content)
    text = json.dumps(content)
    if rng.random() < 0.2:
        text = _damaged(rng, text)
    described = folder / "described.json"
    described.write_text(text, errors="replace")
    try:
        _check_description(described)  # as the child process does before the library sees it
    except RefusedError as error:
        raise _Said(str(error), text) from None
    reader = confined.reader(_model(folder, CHATML, text))
    try:
        reader.encode(TEXTS)
    except EngineError as error:
        raise _Said(error.message, text) from None
    return text


def headers(rng: random.Random, confined: Sandbox, folder: Path) -> object:
    """Test headers of safetensors files. Headers that pass our check are loaded by MLX."""
    shape = [rng.choice([0, 1, 2, 300, 2**31, 2**62]) for _ in range(rng.randrange(4))]
    header: dict[str, Any] = {
        f"t{i}": {
            "dtype": rng.choice(["F32", "BF16", "U8", "BOOL", "F4", "C64", "X", "I64", "F8_E4M3"]),
            "shape": rng.choice([shape, [4, 4], [16], []]),
            "data_offsets": rng.choice([[0, 64], [0, 16], [64, 128], [0, 0], [0, 4], [0, 8]]),
        }
        for i in range(rng.randrange(1, 4))
    }
    header["__metadata__"] = rng.choice([{"format": "mlx"}, {"format": "pt"}, {}, None, 5, []])
    for _ in range(rng.randrange(3)):
        _change(rng, header)
    text = json.dumps(header)
    if rng.random() < 0.3:
        text = _damaged(rng, text)
    body = text.encode(errors="replace")
    length = len(body) + (rng.choice([-1, 1, 2**20, 2**62]) if rng.random() < 0.1 else 0)
    data = max(0, length).to_bytes(8, "little") + body + bytes(rng.choice([0, 64, 128, 4096]))
    (folder / "model.safetensors").write_bytes(data)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    try:
        confined.inspect_model(folder, "Model")
    except EngineError as error:
        raise _Said(error.message, data.hex()) from None
    try:
        _Loader.get().load(folder / "model.safetensors")
    except _LoadError as error:
        raise _Said(str(error), data.hex()) from None
    return data.hex()


DOORS: dict[str, Door] = {
    "llguidance": schemas,
    "jinja2": templates,
    "tokenizers": tokenizers,
    "safetensors": headers,
    "ziamath": lambda rng, confined, folder: _in_window("ziamath", rng),
    "qt": lambda rng, confined, folder: _in_window("qt", rng),
}


def _in_window(door: str, rng: random.Random) -> object:
    given = FUZZERS[door](rng)
    try:
        said = Worker.ask(door, given)
    except WorkerError as error:
        raise _Said(str(error), given) from None
    if said not in ("passed", "refused"):
        raise RuntimeError(f"{said} over {given!r}")
    if said == "refused":
        raise _Said(said, given)
    return given


_REGEX = [
    *("a", "b", ".", "\\d", "\\w", "[^a]", "(", ")", "|", "*", "+", "?", "{2,5}", "{1000}"),
    *("(?i)", "\\p{L}", "^", "$", "\\", "[", "日", "{0,99999}", "(?P<n>", "\\b", "&", "~"),
]
_LARK = [
    *('"a"', "/a+/", "b\n", "b: ", "start", "|", "(", ")", "*", "+", "\n", "A: /x/\n", "{1,9}"),
    *("%json {}", "%ignore /x/", "~", "[", "]", "?", "<[1]>", "<think>", "%regex", '"', "/", "@a"),
]
_JINJA = [
    *("{% for m in messages %}", "{% endfor %}", "{{ m.content }}", "{{ messages }}", "text", "\n"),
    *(
        "{% if add_generation_prompt %}",
        "{% endif %}",
        "{% else %}",
        "{% set x = namespace(a=1) %}",
    ),
    *("{% macro f(a) %}", "{% endmacro %}", "{{ f(1) }}", "{{ 'a' * 10**9 }}", "{{ 2**2**99 }}"),
    *("{{ messages | tojson(indent=9999999) }}", "{{ 'x'.join(range(99999999)) }}", "{{ x.a }}"),
    *("{{ ''.__class__ }}", "{{ '%s' % messages }}", "{{ '{0.__class__}'.format(1) }}", "{{", "}}"),
    *("{% generation %}", "{% endgeneration %}", "{% break %}", "{{ lipsum(9999) }}", "{# ", " #}"),
    *(
        "{{ messages | map('upper') | list }}",
        "{{ range(10**8) | list }}",
        "{{ cycler(1).next() }}",
    ),
    *("{{ 'a' | indent(10**9) }}", "{{ 1e308 * 10 }}", "{{ dict(a=1) | pprint }}", "{% raw %}"),
    *(
        "{{ 'a' | center(99999999) | urlize }}",
        "{{ messages | batch(3) | list }}",
        "{% filter e %}",
    ),
]
_KINDS = [
    *("Sequence", "NFC", "NFKC", "Lowercase", "Strip", "Prepend", "Replace", "Precompiled"),
    *("BertNormalizer", "ByteLevel", "Metaspace", "Whitespace", "Punctuation", "Digits", "Split"),
    *("FixedLength", "UnicodeScripts", "ByteFallback", "Fuse", "WordPiece", "BPEDecoder", "CTC"),
    *("TemplateProcessing", "BertProcessing", "RobertaProcessing", "StripAccents", "Nmt"),
    *("BertPreTokenizer", "CharDelimiterSplit", "WhitespaceSplit", "Nonsense"),
]
_VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2**31,
        2**63,
        1.5,
        "",
        "a",
        "e",
        "▁",
        "日本",
        "(a+)+$",
        "[",
        "\\",
    ),
    *("Isolated", "Removed", "MergedWithNext", "Contiguous", "AAAA", "first", "a" * 1000, [], {}),
    *({"String": ""}, {"String": "e"}, {"Regex": ""}, {"Regex": "(e+)+$"}, {"Regex": "[^e]|."}),
]
_KEYS = [
    *("pattern", "content", "prepend", "behavior", "invert", "length", "add_prefix_space", "cls"),
    *("start", "stop", "precompiled_charsmap", "prepend_scheme", "replacement", "use_regex", "sep"),
    *("trim_offsets", "individual_digits", "single", "pair", "special_tokens", "split", "left"),
    *(
        "right",
        "prefix",
        "suffix",
        "cleanup",
        "delimiter",
        "lowercase",
        "strip_accents",
        "pad_token",
    ),
    *("word_delimiter_token", "clean_text", "handle_chinese_chars"),
]


def _component(rng: random.Random, depth: int) -> dict[str, Any]:
    kind = rng.choice(_KINDS)
    made: dict[str, Any] = {"type": kind}
    if depth:
        for name in ("normalizers", "pretokenizers", "decoders", "processors"):
            made[name] = [_component(rng, depth - 1) for _ in range(rng.randrange(3))]
    made.update({key: copy.deepcopy(rng.choice(_VALUES)) for key in _KEYS if rng.random() < 0.7})
    if kind in ("Replace", "Split"):
        made["pattern"] = rng.choice([v for v in _VALUES if isinstance(v, dict) and v])
        made["content"] = rng.choice(["", "a", "ee", "e" * 1000])
        made["behavior"], made["invert"] = rng.choice(["Isolated", "Removed"]), False
    return made


def _schema(rng: random.Random, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    types = [
        "object",
        "array",
        "string",
        "number",
        "integer",
        "boolean",
        "null",
        ["string", "null"],
    ]
    made["type"] = rng.choice(types)
    numbers = [0, 1, -1, 5, 2**31, 1e300, 0.1, 10**30, 100_000]
    for key in (
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ):
        if rng.random() < 0.15:
            made[key] = rng.choice(numbers)
    if rng.random() < 0.2:
        made["pattern"] = _pieces(rng, _REGEX)
    if rng.random() < 0.1:
        made["format"] = rng.choice(["date-time", "email", "uuid", "ipv6", "nonsense"])
    if rng.random() < 0.1:
        made["enum"] = [rng.choice(_VALUES) for _ in range(rng.randrange(5))]
    if rng.random() < 0.2:
        made["$ref"] = rng.choice(["#", "#/$defs/a", "#/$defs/b", "#/nothing", "http://x/y"])
    if depth:
        for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
            if rng.random() < 0.2:
                made[key] = [_schema(rng, depth - 1) for _ in range(rng.randrange(4))]
        for key in ("items", "additionalProperties", "not", "if", "then"):
            if rng.random() < 0.15:
                made[key] = _schema(rng, depth - 1)
        names = ["a", "b", "日", "", "a b"]
        made["properties"] = {n: _schema(rng, depth - 1) for n in names if rng.random() < 0.3}
        made["required"] = [n for n in names if rng.random() < 0.3]
    return made


def _pieces(rng: random.Random, pieces: list[str]) -> str:
    return "".join(
        rng.choice(pieces) for _ in range(rng.randrange(1, rng.choice([4, 12, 60, 400])))
    )


def _damaged(rng: random.Random, text: str) -> str:
    """Return the text with a random removal, insertion or repetition."""
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice([0, 1, 10, 100]))
        put = rng.choice(["", "\x00", '"', "}", "{", "é", "9" * 20, text[at:end] * 3, "[" * 200])
        text = text[:at] + put + text[end:]
    return text


def _change(rng: random.Random, content: Any) -> None:
    """Replace a random part of a JSON value."""
    for _ in range(rng.randrange(1, 4)):
        place = content
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.7:
                place = place[key]
                continue
            place[key] = copy.deepcopy(rng.choice(_VALUES))
            break


def _model(folder: Path, template: str, tokenizer: str | None = None) -> CheckedTokenizer:
    text = (folder / "tokenizer.json").read_text() if tokenizer is None else tokenizer
    packed = zlib.compress(text.encode(errors="replace"), 1)
    known = {"template": template, "special": {}, "bos": "", "split_special_tokens": False}
    key = f"{hash((template, packed))}"
    return CheckedTokenizer(key, str(folder), None, 260, 15, [2], None, known, packed)


class _Said(Exception):  # noqa: N818 (no error: what the door was meant to say)
    def __init__(self, what: str, given: object) -> None:
        super().__init__(what)
        self.given = given


class _LoadError(Exception):
    pass


class _Loader:
    """A process in which MLX loads one file after another."""

    _one: _Loader | None = None

    def __init__(self) -> None:
        program = (
            "import sys, mlx.core as mx\n"
            "for line in sys.stdin:\n"
            "    try:\n"
            "        mx.eval(list(mx.load(line.strip()).values())); print('ok', flush=True)\n"
            "    except Exception as e:\n"
            "        print('no', type(e).__name__, flush=True)\n"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    @classmethod
    def get(cls) -> _Loader:
        if cls._one is None or cls._one._process.poll() is not None:
            cls._one = cls()
        return cls._one

    @classmethod
    def end(cls) -> None:
        if cls._one is not None:
            cls._one._process.kill()
            cls._one._process.communicate()

    def load(self, file: Path) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{file}\n")
        self._process.stdin.flush()
        if not self._process.stdout.readline():
            ended = -self._process.wait()
            raise _LoadError(f"MLX's loader crashed (signal {ended}) over what the check let pass")


def run(door: str, seconds: float, seed: int, keep: Path) -> bool:
    """Test a target for some time. Returns True if nothing bad was seen."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    longest, good, end = 0.0, True, time.monotonic() + seconds
    confined = Sandbox(LIMITS, LIMITS, LIMITS, LIMITS, lambda characters: LIMITS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tokenizer(folder)
        while time.monotonic() < end:
            begin, bad, given = time.monotonic(), "", None
            try:
                DOORS[door](rng, confined, folder)
                what = "passed"
            except _Said as said:
                what, given = _sort(str(said)), said.given
            except EngineError as error:
                what, given = _sort(error.message), error.message
            except Exception as error:
                what, given = "UNEXPECTED", error
                bad = f"{type(error).__name__}: {error}"
            took = time.monotonic() - begin
            longest = max(longest, took)
            counts[what] += 1
            if what.startswith("signal") or bad:
                good = False
                keep.mkdir(parents=True, exist_ok=True)
                file = keep / f"{door}-{counts.total()}.txt"
                file.write_text(f"{what} {bad}\n{given!r}")
                print(f"  {door}: {what} {bad[:200]} -> {file}", flush=True)
    confined.close()
    _Loader.end()
    Worker.end()
    if Worker.slowest[1] is not None:
        print(f"  most work: {Worker.slowest[0]:.1f} s over {Worker.slowest[1]!r:.300}")
        Worker.slowest = (0.0, None)
    told = ", ".join(f"{n:,} {what}" for what, n in counts.most_common())
    print(f"{door}: {counts.total():,} inputs in {seconds:g} s: {told}; longest {longest:.1f} s")
    return good


def _sort(message: str) -> str:
    if found := re.search(r"(?:crash\w*|crash \w+) \(?signal (\d+)|^signal (9)", message):
        return f"signal {found[1] or found[2]}"
    for words, name in (
        ("took longer", "over time"),
        ("GB of memory", "over memory"),
        ("produced more than", "over output"),
        ("PanicException", "panics"),
    ):
        if words in message:
            return name
    return "refused"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.doors", description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"of {', '.join(DOORS)}")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each door")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--keep", type=Path, default=Path("build/fuzz"), help="where bad input goes"
    )
    options = parser.parse_args()
    doors = options.doors or list(DOORS)
    if unknown := set(doors) - set(DOORS):
        parser.error(f"no such door: {', '.join(sorted(unknown))}")
    good = [run(door, options.seconds, options.seed, options.keep) for door in doors]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
