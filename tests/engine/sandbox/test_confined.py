"""Child processes for untrusted work, and their failures."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.bench.random_models import CHATML, write_tokenizer
from engine.cache.ledger import Ledger
from engine.cli.arguments import GUIDE
from engine.errors import (
    CONTEXT_OVERFLOW,
    ENGINE_STOPPED,
    INVALID_REQUEST,
    MODEL_LOAD_FAILED,
    TEMPLATE_ERROR,
    EngineError,
)
from engine.model import fingerprint
from engine.model.folder import check_folder as check_folder
from engine.params import SamplingParams
from engine.sandbox import bounds, process, protocol
from engine.sandbox import confined as confined_module
from engine.sandbox.confined import CheckedTokenizer, Sandbox
from engine.sandbox.process import resident_bytes
from engine.sandbox.prompts import describe_tokenizer
from engine.sandbox.protocol import ChildKind, TaskLimits
from engine.text import pieces
from engine.text.prompt import build_prompt
from engine.text.rendering import InProcess, Reader, TooLongError
from tests.engine import hostile
from tests.waiting import until

_MB = 2**20
HELLO = [{"role": "user", "content": "Hello"}]
FILE = {"model_type": "llama", "num_hidden_layers": 2, "vocab_size": 300}


@pytest.fixture(scope="module")
def confined() -> Iterator[Sandbox]:
    """Create a sandbox with short limits, except for tokenizers, which import transformers
    first.
    """
    short = TaskLimits(1.0, 700 * _MB, 4 * _MB)
    large = TaskLimits(60.0, 4096 * _MB, 64 * _MB)
    made = Sandbox(
        template=short,
        form=TaskLimits(20.0, 2048 * _MB, _MB),
        files=TaskLimits(20.0, 700 * _MB, 4 * _MB),
        tokenizer=large,
        encoding=lambda characters: TaskLimits(2.0, 700 * _MB, 4 * _MB),
    )
    yield made
    made.close()


def described(folder: Path, template: str | None = CHATML, **more: Any) -> CheckedTokenizer:
    import zlib

    packed = zlib.compress((folder / "tokenizer.json").read_bytes(), 1)
    known = {"template": template, "special": {}, "bos": "", "split_special_tokens": False}
    key = f"{folder}{hash(template)}"
    given = {"rows": 300, "largest_id": 260, "longest_token": 15, "eos": [2], "defaults": None}
    return CheckedTokenizer(
        **{"key": key, "folder": str(folder), "known": known, "packed": packed, **given, **more}
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> CheckedTokenizer:
    folder = tmp_path_factory.mktemp("plain")
    write_tokenizer(folder)
    return described(folder)


def works(confined: Sandbox, model: CheckedTokenizer) -> None:
    reader = confined.reader(model)
    (text,) = reader.render([(HELLO, True)], None)
    assert text == "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert len(reader.encode([text])[0]) == 24  # including three special tokens


def rendered(reader: Reader) -> str:
    (text,) = reader.render([(HELLO, True)], None)
    if isinstance(text, EngineError):
        raise text
    return text


# Templates


@pytest.mark.parametrize("name", hostile.TEMPLATES)
@pytest.mark.turns(4)
def test_hostile_template_fails_alone(
    confined: Sandbox, plain: CheckedTokenizer, name: str, tmp_path: Path
) -> None:
    write_tokenizer(tmp_path)
    bad = confined.reader(described(tmp_path, hostile.TEMPLATES[name]))
    begin = time.monotonic()
    with pytest.raises(EngineError) as caught:
        rendered(bad)
    assert caught.value.code == TEMPLATE_ERROR
    assert caught.value.message.startswith("The model's chat template")
    assert len(caught.value.message) < 1200
    assert time.monotonic() - begin < 20
    works(confined, plain)


def test_endless_template_does_not_block_other_models(
    confined: Sandbox, plain: CheckedTokenizer, tmp_path: Path
) -> None:
    write_tokenizer(tmp_path)
    with_patience = Sandbox(template=TaskLimits(60.0, 700 * _MB, _MB))
    bad = with_patience.reader(described(tmp_path, hostile.ENDLESS))
    told: list[str] = []

    def endless() -> None:
        try:
            bad.render([(HELLO, True)], None)
        except EngineError as error:
            told.append(error.code)

    threads = [threading.Thread(target=endless) for _ in range(3)]  # one model, one child
    for thread in threads:
        thread.start()
    works(with_patience, plain)
    assert all(thread.is_alive() for thread in threads)
    with_patience.close()
    for thread in threads:
        thread.join(10)
    assert told == [ENGINE_STOPPED] * 3


# Forms

FORMS: dict[str, dict[str, Any]] = {
    "properties": {"json_schema": hostile.chain(1500)},
    "references": {
        "json_schema": {
            "$defs": {
                **{f"a{i}": {"$ref": f"#/$defs/a{i + 1}"} for i in range(5000)},
                "a5000": {"type": "string"},
            },
            "$ref": "#/$defs/a0",
        }
    },
    "items": {"json_schema": hostile.nested(300, lambda s: {"type": "array", "items": s})},
    "all of": {"json_schema": hostile.nested(300, lambda s: {"allOf": [s]})},
    "any of": {"json_schema": hostile.nested(300, lambda s: {"anyOf": [s, {"type": "null"}]})},
    "rules": {"grammar": hostile.grammar_chain(3000)},
    "groups": {"regex": "(" * 5000 + "a" + ")" * 5000},
    "brackets": {"grammar": "start: " + "(" * 5000 + '"a"' + ")" * 5000},
    "unpaired surrogate": {"regex": "a\ud800"},
    "choices": {"choices": tuple(f"choice {i}" for i in range(100_000))},
    "length": {"regex": "a" * 300_000},
    "parts": {"json_schema": {"enum": [[] for _ in range(20_000)]}},
}


@pytest.mark.parametrize("name", FORMS)
def test_oversized_form_is_refused_by_size(name: str) -> None:
    reason = bounds.form_refusal(SamplingParams(**FORMS[name]))
    assert reason.endswith(".")
    assert len(reason) < 200


@pytest.mark.parametrize("name", ["properties", "references", "rules", "groups"])
def test_form_that_crashes_llguidance_is_one_error(
    confined: Sandbox, plain: CheckedTokenizer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "form_refusal", lambda params: "")
    assert confined.form_refusal(SamplingParams(**FORMS[name]), plain, [2])
    works(confined, plain)
    assert confined.form_refusal(SamplingParams(choices=("yes", "no")), plain, [2]) == ""


def test_ordinary_forms_pass(confined: Sandbox, plain: CheckedTokenizer) -> None:
    recursive = {
        "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}},
        "$ref": "#/$defs/n",
    }
    forms: list[dict[str, Any]] = [
        {"json_schema": {}},
        {"json_schema": recursive},
        {"json_schema": hostile.chain(bounds.MAX_REFERENCE_CHAIN - 10)},
        {"json_schema": hostile.nested(90, lambda s: {"type": "array", "items": s})},
        {"regex": r"\d{4}-\d\d"},
        {"choices": tuple(f"choice {i}" for i in range(bounds.MAX_CHOICES))},
        {"grammar": hostile.grammar_chain(90)},
        {"grammar": 'start: "a" b\nb: /[(\\[]+/'},
    ]
    for form in forms:
        params = SamplingParams(**form)
        assert confined.form_refusal(params, plain, [2]) == "", form
        assert confined.form_refusal(params) == "", form
    assert confined.form_refusal(SamplingParams()) == ""


@pytest.mark.parametrize("regex", ["(a?){30000}a{30000}", "((a{100}){100}){50}"])
def test_form_with_costly_first_token_is_refused(
    confined: Sandbox, plain: CheckedTokenizer, regex: str
) -> None:
    """The regex compiles and its first tokens are known, but llguidance gives up on accepting
    one.
    """
    reason = confined.form_refusal(SamplingParams(regex=regex), plain, [2])
    assert "to evaluate" in reason
    assert confined.form_refusal(SamplingParams(regex="(a?){30}a{30}"), plain, [2]) == ""
    assert confined.form_refusal(SamplingParams(choices=("<|im_end|>",)), plain, [2]) == ""


def test_form_refusal_has_reason_of_llguidance(confined: Sandbox, plain: CheckedTokenizer) -> None:
    wrong = SamplingParams(json_schema={"type": "nonsense"})
    assert confined.form_refusal(wrong, plain, [2]) == "Invalid type: nonsense"
    assert "unclosed group" in confined.form_refusal(SamplingParams(regex="(a|"))
    itself = SamplingParams(json_schema={"$ref": "#"})
    assert confined.form_refusal(itself, plain, [2])


# Tokenizers


def test_token_beyond_embedding_is_refused(confined: Sandbox, tmp_path: Path) -> None:
    hostile.change_tokenizer(tmp_path, hostile.far_id)
    with pytest.raises(EngineError, match="does not match the model: it has token 2,000,000") as e:
        confined.check_tokenizer(tmp_path, "Model", rows=300)
    assert e.value.code == MODEL_LOAD_FAILED
    assert e.value.message.startswith("Model could not be loaded. Its tokenizer")


def test_prompt_with_token_beyond_embedding_is_refused(confined: Sandbox, tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    short = confined.reader(described(tmp_path, rows=5))  # the model only has the special tokens
    assert short.encode(["<think>"]) == [[3]]
    with pytest.raises(EngineError, match="beyond the model") as caught:
        short.encode(["<think>a"])
    assert caught.value.code == INVALID_REQUEST


HARMFUL = {**hostile.PANICS, **hostile.EXPLOSIONS}


@pytest.mark.parametrize("name", HARMFUL)
@pytest.mark.turns(4)
def test_harmful_tokenizer_is_refused(confined: Sandbox, name: str, tmp_path: Path) -> None:
    hostile.change_tokenizer(tmp_path, HARMFUL[name])
    with pytest.raises(EngineError, match="Model could not be loaded") as caught:
        confined.check_tokenizer(tmp_path, "Model", rows=300)
    assert caught.value.code == MODEL_LOAD_FAILED


@pytest.mark.parametrize("name", [*hostile.PANICS, "replace", "replace a little", "prepend"])
@pytest.mark.turns(3)
def test_harmful_tokenizer_fails_one_prompt(
    confined: Sandbox, plain: CheckedTokenizer, name: str, tmp_path: Path
) -> None:
    hostile.change_tokenizer(tmp_path, HARMFUL[name])
    with pytest.raises(EngineError, match="The model's tokenizer") as caught:
        confined.reader(described(tmp_path)).encode(["Hello, here we are"])
    assert caught.value.code == INVALID_REQUEST
    works(confined, plain)


# Folders


def weights(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


TENSOR = {"dtype": "F32", "shape": [300, 1], "data_offsets": [0, 1200]}
EMBEDDING = {"__metadata__": {"format": "mlx"}, "model.embed_tokens.weight": TENSOR}


def write_folder(folder: Path, **config: Any) -> None:
    (folder / "config.json").write_text(json.dumps({**FILE, **config}))
    (folder / "model.safetensors").write_bytes(weights(EMBEDDING, bytes(1200)))
    (folder / "tokenizer.json").write_text("{}")


def test_valid_folder_is_accepted(confined: Sandbox, tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "generation_config.json").write_text('{"top_p": 0.5}')
    facts = confined.inspect_model(tmp_path, "Model")
    assert (facts.rows, facts.files, facts.config) == (300, ["model.safetensors"], FILE)
    assert facts.size == (tmp_path / "model.safetensors").stat().st_size
    assert facts.generation == {"top_p": 0.5}


@pytest.mark.parametrize("kind", ["fifo", "device", "huge"])
def test_template_folder_is_checked(confined: Sandbox, kind: str, tmp_path: Path) -> None:
    write_folder(tmp_path)
    plain = fingerprint.hash_contents(tmp_path)
    file = tmp_path / "additional_chat_templates" / "rag.jinja"
    file.parent.mkdir()
    file.write_text("{{ messages }}")
    confined.inspect_model(tmp_path, "Model")
    assert fingerprint.hash_contents(tmp_path) != plain  # a new template makes it a different model
    assert file.name in str(fingerprint.folder_identity(tmp_path))
    file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.write_text(" " * (_MB + 1))
    with pytest.raises(EngineError, match=r"rag\.jinja is") as caught:
        confined.inspect_model(tmp_path, "Model")
    assert caught.value.code == MODEL_LOAD_FAILED


@pytest.mark.parametrize(
    "name", ["notes.txt", "chat_template.jinja", "model.safetensors", "a.json"]
)
@pytest.mark.parametrize("kind", ["fifo", "device", "link to a fifo", "link to nothing", "folder"])
def test_irregular_file_is_refused(confined: Sandbox, tmp_path: Path, name: str, kind: str) -> None:
    write_folder(tmp_path)
    file = tmp_path / name
    file.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "link to a fifo":
        os.mkfifo(tmp_path / "pipe")
        file.symlink_to(tmp_path / "pipe")
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to(tmp_path / "nothing")
    with pytest.raises(EngineError, match=name) as caught:
        confined.inspect_model(tmp_path, "Model")
    assert caught.value.code == MODEL_LOAD_FAILED


@pytest.mark.parametrize(
    "config",
    [
        {"num_hidden_layers": 300_000},
        {"text_config": {"n_layer": 300_000}},
        {"num_local_experts": 10**9},
        {"deep": hostile.nested(500, lambda inner: [inner])},
        {"model_type": 5},
        {"text": "x" * 5_000_000},
    ],
)
def test_oversized_config_is_refused(
    confined: Sandbox, tmp_path: Path, config: dict[str, Any]
) -> None:
    write_folder(tmp_path, **config)
    with pytest.raises(EngineError, match="Model") as caught:
        confined.inspect_model(tmp_path, "Model")
    assert caught.value.code == MODEL_LOAD_FAILED


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]",
        b"[" * 100_000,
        b'{"a": ' * 100_000,
    ],
)
def test_invalid_config_is_refused(confined: Sandbox, tmp_path: Path, content: bytes) -> None:
    write_folder(tmp_path)
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(EngineError, match=r"The config.json of Model"):
        confined.inspect_model(tmp_path, "Model")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        weights([]),
        weights({"a": 5}),
        weights({"a": {**TENSOR, "data_offsets": [0, 10**15]}}),
        weights({"a": {**TENSOR, "data_offsets": [5, 1]}}, bytes(1200)),
        weights({"a": {**TENSOR, "data_offsets": [0, 600]}}, bytes(1200)),
        weights({"a": {**TENSOR, "shape": [-300, -1]}}, bytes(1200)),
        weights({"a": {**TENSOR, "shape": [10**9, 10**9]}}, bytes(1200)),
        weights(EMBEDDING),
        weights(b"[" * 100_000),
        weights(b"{}", length=6_000_000_000),
    ],
)
def test_inconsistent_header_is_refused(confined: Sandbox, tmp_path: Path, content: bytes) -> None:
    write_folder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(EngineError, match=r"model.safetensors is (damaged|incomplete)"):
        confined.inspect_model(tmp_path, "Model")


def test_sparse_file_is_refused(confined: Sandbox, tmp_path: Path) -> None:
    write_folder(tmp_path)
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(weights(b"{}", length=6_000_000_000))
        file.truncate(6_000_000_100)
    with pytest.raises(EngineError, match=r"mostly empty|header of 6,000 MB"):
        confined.inspect_model(tmp_path, "Model")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: (f / "model.safetensors").unlink(), "has no safetensors weights"),
        (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer"),
        (lambda f: (f / "config.json").unlink(), "config.json is missing"),
        (lambda f: write_folder(f, model_file="x.py"), "requires code"),
        (
            lambda f: index(f, ["model.safetensors", "model-2.safetensors"]),
            "1 of its 2 weight files",
        ),
    ],
)
def test_invalid_model_folder_is_refused_with_reason(
    confined: Sandbox, tmp_path: Path, change: Callable[[Path], object], words: str
) -> None:
    write_folder(tmp_path)
    change(tmp_path)
    with pytest.raises(EngineError, match=words) as caught:
        confined.inspect_model(tmp_path, "Model")
    with pytest.raises(EngineError) as own:
        check_folder(tmp_path, "Model")
    assert caught.value.args == own.value.args


def index(folder: Path, files: list[str]) -> None:
    named = {f"t{number}": file for number, file in enumerate(files)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": named}))


# Sizes


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "x" * 20_000_000}],
        [{"role": "user", "content": "x"}] * 100_000,
        [{"role": "user", "content": "x" * 1000}] * 19_000,
    ],
)
def test_prompt_that_cannot_fit_is_refused_by_size(messages: list[Any]) -> None:
    with pytest.raises(EngineError) as caught:
        bounds.check_prompt(messages, context=131_072)
    assert caught.value.code == CONTEXT_OVERFLOW


def test_deeply_nested_messages_are_refused() -> None:
    for inner in (hostile.nested(5000, lambda v: [v]), [[]] * 300_000):
        with pytest.raises(EngineError) as caught:
            bounds.check_prompt([{"role": "user", "content": "", "tool_calls": inner}], 4096)
        assert caught.value.code == INVALID_REQUEST


def test_prompt_near_the_limit_passes() -> None:
    bounds.check_prompt([{"role": "user", "content": " " * 16 * 2048}], context=2048)
    bounds.check_prompt(HELLO * 2000, context=2048)
    assert bounds.max_characters(10**9) == bounds.MAX_PROMPT_CHARACTERS


# Agreement with transformers


TEMPLATES = {
    "ChatML": CHATML,
    "the Guide's": (GUIDE / "chat_template.jinja").read_text(encoding="utf-8"),
    "none": None,
    "no system": "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{% endfor %}",
    "alternating": "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != "
    "(loop.index0 % 2 == 0) %}{{ raise_exception('must alternate') }}{% endif %}"
    "{{ '[INST] ' + m['content'] + ' [/INST]' if m['role'] == 'user' else m['content'] "
    "+ eos_token }}"
    "{% endfor %}",
    "thinking": "{%- set ns = namespace(last=messages|length - 1, seen=[]) -%}\n"
    "{%- for m in messages[::-1] -%}\n{%- set ns.seen = ns.seen + [m.role] -%}\n{%- endfor -%}\n"
    "{{ ns.seen | join(',') }}{% for m in messages %}\n    {% if m.reasoning_content %}<think>"
    "{{ m.reasoning_content }}|{{ m.thinking }}</think>{% endif %}\n{{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}"
    "{% endif %}",
    "tools": "{% if tools %}{{ tools }}{% endif %}{{ documents }}{% for m in messages %}"
    "{{ m | tojson }}{{ m | tojson(indent=2, sort_keys=True) }}{% for c in m.tool_calls or [] %}"
    "{{ c.function.name }}({{ c.function.arguments | tojson(separators=(',', ':')) }}){% endfor %}"
    "{% endfor %}",
    "controls": "{% for m in messages %}{% if loop.index == 2 %}{% continue %}{% endif %}"
    "{% generation %}{{ m.content }}{% endgeneration %}{% if loop.index == 3 %}{% break %}"
    "{% endif %}{% endfor %}{{ dict(a=1).items() | list }}{{ strftime_now('%Y') }}",
    "escapes": "  {% for m in messages %}\n  {{ m.content | e }} {{ m.content | tojson }}\n"
    "  {% endfor %}\n{{ undefined_thing }}{{ messages[0].name | default('nobody') }}\n\n",
    "macros": "{% macro say(m, n=1) %}{{ m.content * n }}{{ caller is defined }}{% endmacro %}"
    "{% for m in messages %}{{ say(m, n=2) }}{% filter upper %}{{ m.role }}{% endfilter %}"
    "{% endfor %}{{ messages | map(attribute='role') | unique | list }}",
    "forbidden": "{{ messages.append(1) }}",
    "inside": "{{ ''.__class__.__mro__ }}",
    "underscore": "{% set ns = namespace(_a=1) %}",
    "wrong": "{% for m in messages %}",
    "undefined": "{{ nobody.name }}",
}
CONVERSATIONS: list[list[dict[str, Any]]] = [
    HELLO,
    [{"role": "system", "content": "Be brief."}, *HELLO],
    [
        {"role": "system", "content": "Sei kurz: äöü 日本語 👋🏽 <b>&amp;"},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b\n\n c ", "reasoning_content": "hm"},
        {"role": "user", "content": "  d\u2028e  "},
    ],
    [
        {"role": "user", "content": "a", "name": None, "thinking": "x"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "f", "arguments": {"x": [1, 2.5, None, True]}}}],
        },
        {"role": "tool", "content": "{}", "reasoning": "y"},
    ],
]


@pytest.fixture(scope="module")
def wrapper(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | None], tuple[Any, Path]]:
    from mlx_lm.tokenizer_utils import load

    def made(template: str | None) -> tuple[Any, Path]:
        folder = tmp_path_factory.mktemp("wrapped")
        write_tokenizer(folder, template)
        return load(folder, eos_token_ids=[2]), folder

    return made


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.turns(3)
def test_prompts_equal_those_of_engine_process(
    confined: Sandbox, wrapper: Callable[[str | None], tuple[Any, Path]], name: str
) -> None:
    tokenizer, folder = wrapper(TEMPLATES[name])
    packed = describe_tokenizer(tokenizer)
    assert packed is not None
    reader = confined.reader(described(folder, known=packed[0], packed=packed[1]))
    switched = "enable_thinking" in (TEMPLATES[name] or "")
    for messages in CONVERSATIONS:
        for reasoning in (None, False, True) if switched else (None,):
            want, ledger = outcome(tokenizer, messages, reasoning, Ledger())
            have, _ = outcome(tokenizer, messages, reasoning, Ledger(), reader)
            assert have == want
            if isinstance(want, EngineError):
                continue
            more = [*messages, {"role": "assistant", "content": "Yes"}]
            for last in (more, [*more, *HELLO]):
                want, _ = outcome(tokenizer, last, reasoning, ledger)
                assert outcome(tokenizer, last, reasoning, ledger, reader)[0] == want


@pytest.mark.parametrize("name", ["tools", "escapes", "undefined"])
def test_prompts_are_equal_with_texts_sent_as_blobs(
    confined: Sandbox,
    wrapper: Callable[[str | None], tuple[Any, Path]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(confined_module, "_LONG_CHARACTERS", 3)
    monkeypatch.setattr(confined_module, "_MAX_LISTED_TOKENS", 5)
    monkeypatch.setattr(pieces, "PIECE", 3)
    monkeypatch.setattr(pieces, "TOKENS", 2)
    test_prompts_equal_those_of_engine_process(confined, wrapper, name)


def test_child_keeps_last_three_tokenizers(
    plain: CheckedTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, run_task = list[str](), process.Child.run_task

    def watched(child: process.Child, do: str, arguments: dict[str, Any], *rest: Any) -> Any:
        if do == "load":
            loads.append(arguments["key"])
        return run_task(child, do, arguments, *rest)

    monkeypatch.setattr(process.Child, "run_task", watched)
    with contextlib.closing(Sandbox()) as sandbox:
        for key in "abcadb":
            works(sandbox, replace(plain, key=key))
    assert loads == [*"abcdb"]


def test_long_text_is_not_encoded_in_one_call(
    confined: Sandbox,
    wrapper: Callable[[str | None], tuple[Any, Path]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """JSON's encoder holds the GIL for the whole call: 0.2 s for 16 MB."""
    tokenizer, folder = wrapper(CHATML)
    packed = describe_tokenizer(tokenizer)
    assert packed is not None
    made = confined.reader(described(folder, known=packed[0], packed=packed[1]))
    pasted = [{"role": "user", "content": "Zeile für Zeile\n" * 20_000}, *HELLO * 5_000]
    dumps, lengths = json.dumps, list[int]()

    def watched(*args: Any, **options: Any) -> str:
        text = dumps(*args, **options)
        lengths.append(len(text))
        return text

    monkeypatch.setattr(json, "dumps", watched)
    (text,) = made.render([(pasted, True)], None)
    assert isinstance(text, str)
    assert text.count("Zeile") == 40_000
    assert max(lengths) < 2**17


def test_prompt_over_token_limit_is_only_counted(
    confined: Sandbox, plain: CheckedTokenizer
) -> None:
    made = confined.reader(plain)
    assert len(made.encode(["hello there"], 11)[0]) == 11
    with pytest.raises(TooLongError) as caught:
        made.encode(["hello there", "more"], 10)
    assert caught.value.tokens == 11
    assert [len(ids) for ids in made.encode(["a", "hello there"], 10)] == [1, 11]
    works(confined, plain)


def outcome(
    tokenizer: Any,
    messages: list[dict[str, Any]],
    reasoning: bool | None,
    ledger: Ledger,
    reader: Reader | None = None,
) -> tuple[object, Ledger]:
    try:
        prompt = build_prompt(tokenizer, messages, reasoning, ledger, reader)
    except EngineError as error:
        return (error.code, error.message), ledger
    answer = tokenizer.encode(" Yes", add_special_tokens=False)
    return prompt, prompt.ledger(" Yes", answer)


def test_guide_prompt_is_equal_in_child(confined: Sandbox) -> None:
    from mlx_lm.tokenizer_utils import load

    facts = confined.inspect_model(GUIDE, "Guide")
    assert facts.rows == facts.config["vocab_size"] == 4096
    checked = confined.check_tokenizer(GUIDE, "Guide", facts.rows, [2, 0])
    assert (checked.largest_id, checked.rows, checked.eos) == (4095, 4096, [2, 0])
    assert checked.known is not None
    tokenizer, reader = load(GUIDE), confined.reader(checked)
    texts = ["", " Hello  there\n", "<|im_start|>user<think>", "ẞ👋🏽\r\n\t日本", "x" * 5000]
    assert reader.encode(texts) == InProcess(tokenizer).encode(texts)
    for messages in CONVERSATIONS[:3]:
        want = outcome(tokenizer, messages, True, Ledger())
        assert outcome(tokenizer, messages, True, Ledger(), reader) == want


def test_custom_tokenizer_code_is_used(confined: Sandbox, tmp_path: Path) -> None:
    """Use mlx-lm's tokenizer that writes line breaks as <n>."""
    from mlx_lm.tokenizer_utils import load

    write_tokenizer(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "NewlineTokenizer"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    checked = confined.check_tokenizer(tmp_path, "Model", 300, [2])
    assert checked.known is None
    own = load(tmp_path)
    texts = ["a\nb", "<n>"]
    assert confined.reader(checked).encode(texts) == InProcess(own).encode(texts)
    want = InProcess(own).render([(HELLO, True)], None)
    assert confined.reader(checked).render([(HELLO, True)], None) == want


# Processes


def test_frozen_program_starts_itself_as_child() -> None:
    for kind in ChildKind:
        command = process.child_command(kind, frozen=True)
        assert command == [sys.executable, "--confined-child", kind.value]


@pytest.mark.parametrize("command", [["app", process.CHILD_ARGUMENT], ["engine.sandbox"]])
def test_child_argument_starts_child(command: list[str]) -> None:
    """The child reports that it's ready, prints nothing else and ends with its input."""
    done = subprocess.run(
        [sys.executable, "-m", *command], input=b"", capture_output=True, timeout=60, check=True
    )
    assert json.loads(done.stdout[protocol.LENGTH_BYTES :]) == {"ready": True, "blobs": []}
    assert done.stderr == b""


PARENT = """
import sys, threading, time
sys.path.insert(0, {root!r})
from engine.sandbox.confined import Sandbox
from tests.engine.sandbox.test_confined import HELLO, Path, described, hostile, works
from tests.engine.sandbox.test_confined import write_tokenizer
confined = Sandbox()
write_tokenizer(Path({folder!r}))
works(confined, described(Path({folder!r})))
bad = confined.reader(described(Path({folder!r}), hostile.TEMPLATES[{template!r}]))
threading.Thread(target=bad.render, args=([(HELLO, True)], None), daemon=True).start()
while not (pids := confined.pids) or confined.children._idle:
    time.sleep(0.01)
print(*pids, flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["time.sleep(60)", "sys.exit()"])
def test_children_end_with_parent(tmp_path: Path, end: str) -> None:
    """Kill or end the parent during a computation that Python signals can't interrupt."""
    root = str(Path(__file__).parents[3])
    script = PARENT.format(root=root, folder=str(tmp_path), template="power", end=end)
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout as told:
        pids = [int(pid) for pid in told.readline().split()]
    assert pids
    if "sleep" in end:
        parent.kill()
    parent.wait(timeout=10)
    until(lambda: not any(runs(pid) for pid in pids), 10)


LATE = """
import textwrap
import threading
from engine.params import SamplingParams
from engine.sandbox.confined import Sandbox
confined = Sandbox()
main = threading.current_thread()
def ask():
    main.join()
    print(confined.form_refusal(SamplingParams(choices=("yes",))) == "")
threading.Thread(target=ask).start()
"""


def test_threads_at_exit_can_use_children() -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", LATE], cwd=root, capture_output=True, timeout=60, check=True
    )
    assert done.stdout == b"True\n"


def runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_killed_child_is_replaced(confined: Sandbox, plain: CheckedTokenizer) -> None:
    works(confined, plain)
    for pid in confined.pids:
        os.kill(pid, 9)
    works(confined, plain)


def test_failing_child_cleanup_affects_no_request(
    confined: Sandbox, plain: CheckedTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    works(confined, plain)
    tried, reap = threading.Event(), process.Child.reap

    def panic(self: process.Child) -> None:
        reap(self)
        tried.set()
        raise BaseException("of a native library")

    with monkeypatch.context() as patch:
        patch.setattr(process.Child, "reap", panic)
        for pid in confined.pids:
            os.kill(pid, 9)
        works(confined, plain)
        assert tried.wait(10)
    works(confined, plain)


def test_idle_child_uses_no_cpu(confined: Sandbox, plain: CheckedTokenizer) -> None:
    works(confined, plain)
    (pid, *_) = confined.pids

    def ticks() -> list[str]:
        return Path(f"/proc/{pid}/stat").read_text().split()[13:15]

    def is_idle() -> bool:  # once it has finished the work above
        before = ticks()
        time.sleep(0.5)
        return ticks() == before

    until(is_idle)


def test_parent_limits_memory_without_rlimit(
    confined: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resident_bytes(os.getpid()) > 10 * _MB
    assert resident_bytes(2**22 + 1) == 0
    monkeypatch.setattr(process, "resident_bytes", lambda pid: 800 * _MB)
    write_tokenizer(tmp_path)
    with pytest.raises(EngineError, match=r"needed more than 0\.7 GB of memory"):
        rendered(confined.reader(described(tmp_path, hostile.ENDLESS)))


def test_threads_get_their_own_results(confined: Sandbox, plain: CheckedTokenizer) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        reader = confined.reader(plain)
        for turn in range(20):
            said = f"{number} {turn}"
            (text,) = reader.render([([{"role": "user", "content": said}], False)], None)
            if text != f"<|im_start|>user\n{said}<|im_end|>\n":
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(confined.pids) <= 3


def test_closed_pool_raises_engine_stopped(plain: CheckedTokenizer) -> None:
    made = Sandbox()
    made.start()
    works(made, plain)
    pids = made.pids
    made.close()
    assert pids
    assert not any(runs(pid) for pid in pids)
    with pytest.raises(EngineError) as caught:
        works(made, plain)
    assert caught.value.code == ENGINE_STOPPED


def test_malformed_message_is_rejected() -> None:
    """A compromised child could send anything."""
    for data in (
        b"\xff\xff\xff\xff",
        (3).to_bytes(4, "big") + b"[1]",
        (2).to_bytes(4, "big") + b"{}",
        (14).to_bytes(4, "big") + b'{"blobs":[-1]}',
        (20).to_bytes(4, "big") + b'{"blobs":[99999999]}',
        (9).to_bytes(4, "big") + b"\xff\xfe nonsen",
        (5000).to_bytes(4, "big") + b"[" * 5000,
    ):
        stream = io.BytesIO(data)
        with pytest.raises(protocol.MalformedMessageError):
            protocol.unpack(stream.read, max_bytes=100_000)


def test_child_does_not_import_torch(tmp_path: Path) -> None:
    """torch's address space would exceed the limit, so every tokenizer would be refused."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise MemoryError('torch')")
    found = tmp_path / "torch-2.11.0.dist-info"
    found.mkdir()
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0\n")
    code = """
        import sys
        from engine.sandbox import child
        from engine.sandbox.protocol import ChildKind
        child._import_libraries(ChildKind.TOKENIZERS)
        from transformers import AutoTokenizer
        AutoTokenizer.from_pretrained
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
