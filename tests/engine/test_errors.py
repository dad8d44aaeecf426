"""Invalid input and faults affect only their own chat."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Engine, EngineError, Failed, Finished, Image, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from engine.errors import CANNOT_SEE, INVALID_REQUEST
from engine.model.sampling import Sampler
from engine.text.reply_text import ReplyText
from tests.engine.families import FAMILIES
from tests.engine.faults import fail_at

ENDLESS = SamplingParams(max_tokens=5000, temperature=0.8, seed=11, logit_bias={2: -1e9})
NEIGHBOURS = replace(ENDLESS, max_tokens=50, seed=5)


@cache
def alone(folder: Path) -> list[int]:
    with Engine() as engine:
        return engine.open_session(engine.load(folder)).send("neighbour", NEIGHBOURS).tokens(60)


class Neighbour:
    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._model = engine.load(folder)
        self.expected = alone(folder)
        self.speak()

    def speak(self) -> None:
        self.reply = self._start()
        next(event for event in self.reply if isinstance(event, TextDelta))

    def _start(self) -> Any:
        return self._engine.open_session(self._model).send("neighbour", NEIGHBOURS)

    def check(self) -> None:
        assert self.reply.tokens(60) == self.expected
        assert self._start().tokens(60) == self.expected  # the engine still works


@pytest.fixture
def neighbour(engine: Engine, model_folder: Callable[[str], Path]) -> Neighbour:
    return Neighbour(engine, model_folder("plain"))


def edit_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def own_code(folder: Path) -> None:
    edit_config(folder, model_file="model.py")
    (folder / "model.py").write_text("raise SystemExit('code from a model folder ran')")


def edit_weights(folder: Path, change: Callable[[bytes], bytes]) -> None:
    file = folder / "model.safetensors"
    before = file.read_bytes()
    file.write_bytes(change(before))
    assert file.read_bytes() != before


NORM, NOSE = b'"model.norm.weight"', b'"model.nose.weight"'
DAMAGES: dict[str, Callable[[Path], object]] = {
    "config.json is missing": lambda folder: (folder / "config.json").unlink(),
    "1,000 bytes are missing": lambda folder: edit_weights(folder, lambda data: data[:-1000]),
    "damaged": lambda folder: edit_weights(folder, lambda _: b"\x10" + bytes(7) + b"not json"),
    "no safetensors": lambda folder: (folder / "model.safetensors").unlink(),
    "no_such_architecture": lambda folder: edit_config(folder, model_type="no_such_architecture"),
    "cannot be read": lambda folder: (folder / "config.json").write_text("{"),
    "never runs such code": own_code,
    "could not be loaded": lambda folder: edit_config(folder, hidden_size=64),
    "not in model: model.nose.weight": lambda folder: edit_weights(
        folder, lambda data: data.replace(NORM, NOSE)
    ),
    "no tokenizer": lambda folder: (folder / "tokenizer.json").unlink(),
}
"""Damage to a valid model folder, by the expected error."""


def test_invalid_model_folder_is_refused(
    engine: Engine, model_folder: Callable[[str], Path], neighbour: Neighbour, tmp_path: Path
) -> None:
    for number, (says, change) in enumerate(DAMAGES.items()):
        neighbour.speak()
        folder = shutil.copytree(model_folder("plain"), tmp_path / str(number))
        change(folder)
        with pytest.raises(EngineError, match=says) as caught:
            engine.load(folder)
        assert caught.value.code == "model_load_failed"
        assert neighbour.reply.tokens(60) == neighbour.expected


@pytest.mark.parametrize("path", ["/no/such/folder", "somebody/no-such-model", "no-such-folder"])
def test_missing_path_is_refused(engine: Engine, path: str) -> None:
    with pytest.raises(EngineError, match=r"does not exist|neither a folder") as caught:
        engine.load(path)
    assert caught.value.code == "model_load_failed"


def test_raising_template_fails_its_reply(
    engine: Engine, neighbour: Neighbour, tmp_path: Path
) -> None:
    template = "{{ raise_exception('Only poems, please') }}"
    folder = write_model(tmp_path / "poet", FAMILIES["plain"], template=template)
    chat = engine.open_session(engine.load(folder))
    with pytest.raises(EngineError, match="Only poems, please") as caught:
        chat.send("prose").text(60)
    assert caught.value.code == "template_error"
    neighbour.check()


def test_system_text_moves_to_first_turn(engine: Engine, tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}"
        "{% endif %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    )
    folder = write_model(tmp_path / "gemma-like", FAMILIES["plain"], template=template)
    chat = engine.open_session(engine.load(folder), system="Be brief.")
    reply = chat.send("hi", SamplingParams(max_tokens=2))
    reply.tokens(60)
    assert reply.stats.prompt_tokens == len("[user] Be brief.\n\nhi\n")


def test_prompt_longer_than_context_is_refused(
    engine: Engine, model_folder: Callable[[str], Path], neighbour: Neighbour
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="takes at most 8,192") as caught:
        chat.send("x" * 9000).text(60)
    assert caught.value.code == "context_overflow"
    assert chat.send("shorter", SamplingParams(max_tokens=3)).text(60) is not None
    neighbour.check()


def test_session_may_have_less_context_than_its_model(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")), context=300)
    twin = chat.fork()
    for each in (chat, twin):
        with pytest.raises(EngineError, match="takes at most 300"):
            each.send("x" * 400).text(60)
    reply = chat.send("x" * 280, ENDLESS)
    reply.tokens(60)
    assert reply.stats.prompt_tokens + reply.stats.generated_tokens == 300
    with pytest.raises(ValueError, match="context must be"):
        engine.open_session(engine.load(model_folder("plain")), context=0)


def test_reply_ends_with_its_context(engine: Engine, tmp_path: Path) -> None:
    shape = {**FAMILIES["plain"], "max_position_embeddings": 512}
    chat = engine.open_session(engine.load(write_model(tmp_path / "short", shape)))
    reply = chat.send("x" * 480, ENDLESS)
    reply.tokens(60)
    assert reply.stats.prompt_tokens + reply.stats.generated_tokens == 512
    last = list(reply)[-1]
    assert isinstance(last, Finished)
    assert last.reason == "length"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", -1),
        ("temperature", float("nan")),
        ("temperature", "warm"),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("top_p", 0),
        ("top_p", 1.1),
        ("typical_p", 0),
        ("xtc_probability", 1.5),
        ("xtc_threshold", -1),
        ("json_schema", "{"),
        ("json_schema", []),
        ("json_schema", {"enum": [object()]}),
        ("regex", ""),
        ("choices", [""]),
        ("grammar", 7),
        ("top_k", -1),
        ("min_p", 2),
        ("repetition_penalty", 0),
        ("presence_penalty", 3),
        ("frequency_penalty", -3),
        ("penalty_window", -1),
        ("seed", "seven"),
        ("seed", True),
        ("stop", [""]),
        ("stop", 7),
        ("logit_bias", {-1: 0.0}),
        ("logit_bias", {1: True}),
        ("logit_bias", [1]),
    ],
)
def test_sampling_params_name_the_field(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        SamplingParams(**{field: value})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user"}, {"content": "no role"}],
        ["text"],
        [{"role": "user", "content": 7}],
        [{"role": "user", "content": ["text"]}],
        [{"role": "user", "content": [{"type": "image", "image": b"PNG"}]}],
        [{"role": "system", "content": [{"type": "image", "image": Image(b"PNG")}]}],
    ],
)
def test_messages_of_the_wrong_form(
    engine: Engine, model_folder: Callable[[str], Path], messages: list[Any]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError) as caught:
        chat.send(messages).text(60)
    assert caught.value.code == "invalid_request"


def test_half_a_character_is_refused(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="unpaired surrogate") as caught:
        chat.send("lone \ud800 surrogate").text(60)
    assert caught.value.code == "invalid_request"


def test_text_model_refuses_images(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    shown = [{"type": "text", "text": "What is this?"}, {"type": "image", "image": Image(b"PNG")}]
    for ask in (
        lambda: chat.send([{"role": "user", "content": shown}]).text(60),
        lambda: engine.count_later(model, [{"role": "user", "content": shown}], None).result(60),
    ):
        with pytest.raises(EngineError, match=f"^{model.name} does not support images") as caught:
            ask()
        assert (caught.value.code, caught.value.reason) == (INVALID_REQUEST, CANNOT_SEE)


def test_texts_in_parts_are_one_text(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))
    greedy = SamplingParams(max_tokens=8, temperature=0)
    parts = [{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]
    whole = engine.open_session(model).send("hello", greedy).tokens(60)
    sent = [{"role": "user", "content": parts}]
    assert engine.open_session(model).send(sent, greedy).tokens(60) == whole


def test_params_of_another_kind(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(TypeError, match="SamplingParams"):
        chat.send("hi", {"max_tokens": 3})  # type: ignore[arg-type]


def test_sending_during_a_reply_is_refused(
    engine: Engine, model_folder: Callable[[str], Path], neighbour: Neighbour
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    first = chat.send("hello", ENDLESS)
    with pytest.raises(EngineError) as caught:
        chat.send("me too").text(60)
    assert caught.value.code == "session_busy"
    first.cancel()
    assert first.text(60) is not None
    neighbour.check()


def test_closing_a_session_ends_its_reply(
    engine: Engine, model_folder: Callable[[str], Path], neighbour: Neighbour
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    reply = chat.send("hello", ENDLESS)
    next(event for event in reply if isinstance(event, TextDelta))
    chat.close()
    with pytest.raises(EngineError) as caught:
        reply.text(60)
    assert caught.value.code == "session_closed"
    assert chat.id not in engine.stats()["sessions"]
    neighbour.check()


def test_unloading_a_model_ends_its_replies(engine: Engine, tmp_path: Path) -> None:
    model = engine.load(write_model(tmp_path / "short-lived", FAMILIES["plain"], seed=3))
    chat = engine.open_session(model)
    reply = chat.send("hello", ENDLESS)
    next(event for event in reply if isinstance(event, TextDelta))
    engine.unload(model)
    with pytest.raises(EngineError) as caught:
        reply.text(60)
    assert caught.value.code == "unknown_model"
    with pytest.raises(EngineError) as caught:
        chat.send("still there?").text(60)
    assert caught.value.code == "unknown_model"
    with pytest.raises(EngineError) as caught:
        engine.open_session(model).send("hello").text(60)
    assert caught.value.code == "unknown_model"


def test_stopping_the_engine_ends_replies(model_folder: Callable[[str], Path]) -> None:
    engine = Engine()
    model = engine.load(model_folder("plain"))
    chats = [engine.open_session(model) for _ in range(4)]
    replies = [chat.send("hello", ENDLESS) for chat in chats]
    next(event for event in replies[0] if isinstance(event, TextDelta))
    engine.stop()
    for reply in replies:
        with pytest.raises(EngineError) as caught:
            reply.text(60)
        assert caught.value.code == "engine_stopped"
        assert [type(e) for e in reply].count(Failed) == 1
    late = chats[0].send("still there?")
    assert isinstance(list(late)[-1], Failed)
    with pytest.raises(EngineError) as caught:
        engine.load(model_folder("plain"))
    assert caught.value.code == "engine_stopped"
    engine.stop()  # calling it again does no harm
    assert not any(t.name == "stretto-engine" for t in threading.enumerate())


def test_sampler_exception_fails_only_its_reply(
    engine: Engine,
    model_folder: Callable[[str], Path],
    neighbour: Neighbour,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change, calls = Sampler.adjust_logits, itertools.count()

    def faulty(self: Sampler, logits: Any, *args: Any) -> Any:
        if self.params.seed == 666 and next(calls) == 7:
            raise RuntimeError("injected")
        return change(self, logits, *args)

    monkeypatch.setattr(Sampler, "adjust_logits", faulty)
    chat = engine.open_session(engine.load(model_folder("plain")))
    params = SamplingParams(max_tokens=50, temperature=0.8, seed=666, logit_bias={2: -1e9})
    reply = chat.send("hello", params)
    with pytest.raises(EngineError, match="injected") as caught:
        reply.text(60)
    assert caught.value.code == "internal_error"
    assert len(reply._tokens) == 7
    neighbour.check()
    assert chat.send("again", SamplingParams(max_tokens=3, seed=1)).tokens(60)


@pytest.mark.parametrize(
    ("family", "letters", "position"),
    [("plain", 290, 333), ("sliding window", 150, 205), ("hybrid recurrent", 150, 205)],
)
def test_exception_in_shared_step_ends_only_its_cause(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    family: str,
    letters: int,
    position: int,
) -> None:
    neighbour = Neighbour(engine, model_folder(family))
    fail_at(monkeypatch, position)
    chat = engine.open_session(engine.load(model_folder(family)))
    reply = chat.send("x" * letters, ENDLESS)
    with pytest.raises(EngineError, match="injected") as caught:
        reply.text(60)
    assert caught.value.code == "internal_error"
    neighbour.check()


def test_undecodable_text_ends_only_its_own_reply(
    engine: Engine,
    model_folder: Callable[[str], Path],
    neighbour: Neighbour,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add = ReplyText.add

    def faulty(self: ReplyText, token: int) -> Any:
        if "hello" in getattr(self, "prompt", "") and len(self.detokenizer.tokens) == 9:
            raise IndexError("no such token")
        return add(self, token)

    start = ReplyText.__init__

    def remember(self: ReplyText, tokenizer: Any, prompt: str, *more: Any) -> None:
        self.prompt = prompt  # type: ignore[attr-defined]
        start(self, tokenizer, prompt, *more)

    monkeypatch.setattr(ReplyText, "__init__", remember)
    monkeypatch.setattr(ReplyText, "add", faulty)
    reply = engine.open_session(engine.load(model_folder("plain"))).send("hello", ENDLESS)
    with pytest.raises(EngineError, match="no such token"):
        reply.text(60)
    assert len(reply._tokens) == 9
    neighbour.check()


def test_reply_ends_even_if_finish_fails(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(self: ReplyText, ended: bool = True) -> Any:
        raise RuntimeError("cannot finish")

    monkeypatch.setattr(ReplyText, "finish", faulty)
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="cannot finish"):
        chat.send("hello", SamplingParams(max_tokens=3)).text(60)
    stopped = engine.open_session(chat.model).send("hello", ENDLESS)
    next(event for event in stopped if isinstance(event, TextDelta))
    stopped.cancel()
    with pytest.raises(EngineError, match="cannot finish"):
        stopped.text(60)


def test_reused_session_id_closes_the_previous(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    old = engine.open_session(model, session_id="x").send("hello", ENDLESS)
    new = engine.open_session(model, session_id="x")
    with pytest.raises(EngineError) as caught:
        old.text(60)
    assert caught.value.code == "session_closed"
    assert new.send("hello", SamplingParams(max_tokens=3, seed=1)).tokens(60)


def test_requests_during_shutdown_are_answered(
    model_folder: Callable[[str], Path],
) -> None:
    engine = Engine()
    model = engine.load(model_folder("plain"))
    first, second = engine.open_session(model), engine.open_session(model)
    hold, held = threading.Event(), threading.Event()

    def block(_: object) -> None:
        held.set()
        hold.wait(60)

    first.send("hello", SamplingParams(max_tokens=3), on_event=block)
    assert held.wait(60)
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    late = [second.send("late") for _ in range(3)]  # queued before or after the stop
    hold.set()
    for reply in late:
        with pytest.raises(EngineError) as caught:
            reply.text(60)
        assert caught.value.code == "engine_stopped"
    stopping.join(60)
    assert not engine.is_running


def test_waiting_on_the_engine_thread_is_refused(
    engine: Engine, model_folder: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    model = engine.load(model_folder("plain"))

    def listener(event: object) -> None:
        if isinstance(event, Finished):
            engine.load(model_folder("plain"))

    engine.open_session(model).send("hi", SamplingParams(max_tokens=2), listener).text(60)
    engine.stats()  # the listener has run by now
    assert "Do not wait for the engine" in caplog.text
    assert engine.stats()["sessions"]


def test_model_over_the_budget_is_not_loaded(model_folder: Callable[[str], Path]) -> None:
    with Engine(memory_budget=1000) as engine:
        with pytest.raises(EngineError) as caught:
            engine.load(model_folder("plain"))
        assert caught.value.code == "out_of_memory"


def test_more_than_the_budget_is_refused_before_any_work(
    model_folder: Callable[[str], Path],
) -> None:
    with Engine() as first:
        weights = first.load(model_folder("plain")).nbytes
    with Engine(memory_budget=weights + 500_000) as engine:
        model = engine.load(model_folder("plain"))
        small = engine.open_session(model).send("hi", SamplingParams(max_tokens=200, seed=1))
        with pytest.raises(EngineError) as caught:
            engine.open_session(model).send("x" * 6000).text(60)
        assert caught.value.code == "capacity_exhausted"
        assert small.text(60) is not None


def test_raising_listener_harms_no_reply(
    engine: Engine, model_folder: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    def listener(_: object) -> None:
        raise ValueError("bad listener")

    chat = engine.open_session(engine.load(model_folder("plain")))
    assert chat.send("hi", SamplingParams(max_tokens=3, seed=1), listener).tokens(60)
    assert "bad listener" in caplog.text


def test_fatal_loop_error_ends_every_reply(
    model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.runtime.executor import Executor

    engine = Engine()
    model = engine.load(model_folder("plain"))
    reply = engine.open_session(model).send("hello", ENDLESS)
    next(event for event in reply if isinstance(event, TextDelta))

    def broken(self: Executor, plan: object) -> None:
        raise SystemError("the floor is gone")

    monkeypatch.setattr(Executor, "run", broken)
    with pytest.raises(EngineError, match="the floor is gone") as caught:
        reply.text(60)
    assert caught.value.code == "engine_stopped"
    engine.stop()
    assert not engine.is_running
