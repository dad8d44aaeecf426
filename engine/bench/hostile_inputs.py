"""Hostile inputs (chat, file or request), and how to send them to an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.bench.random_models import CHATML, SHAPES, write_model, write_tokenizer
from engine.engine import Engine
from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams

Outcome = Callable[[float], object]
"""Waits for the result of an input for at most this number of seconds, and raises its error."""

Ask = Callable[[Engine, Model], Outcome]
"""Sends the input to an engine that also has a valid model loaded. Does not block."""

ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}"
    "{% endfor %}{% endfor %}{% endfor %}"
)
_NAME = "Hostile"
FEW = SamplingParams(max_tokens=4, temperature=0.0)


class Input(Struct, frozen=True):
    """A hostile input."""

    fault: str  # number of the fault that it caused, in the list of faults
    name: str  # description
    code: str  # expected error code
    # writes the files it needs into a folder, and returns the function that sends it. If it needs a
    # hostile model that can be loaded, that is loaded here.
    prepare: Callable[[Path, Engine], Ask]
    # returns the request body for an OpenAI-compatible server, using the files of `prepare`; None
    # if `mlx_lm.server` does not support such input
    request: Callable[[Path], dict[str, Any]] | None = None


def change_tokenizer(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write a normal tokenizer, and modify its JSON."""
    write_tokenizer(folder)
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def replaces(pattern: str, content: str) -> dict[str, Any]:
    """Return a normalizer that replaces `pattern` by `content`."""
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def far_id(tokenizer: dict[str, Any]) -> None:
    """Add a word whose id is out of range of any embedding."""
    tokenizer["model"]["vocab"]["Ġhello"] = 2_000_000


def panic(tokenizer: dict[str, Any]) -> None:
    """Add a normalizer at which the library panics on loading."""
    tokenizer["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}


def explosion(tokenizer: dict[str, Any]) -> None:
    """Add a normalizer that expands a letter to 10**12 characters."""
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [replaces("e", "e" * 10_000)] * 3,
    }


def chain(links: int, last: Any = None) -> dict[str, Any]:
    """Return a schema of objects that refer to each other."""
    defs: dict[str, Any] = {
        f"a{i}": {
            "type": "object",
            "properties": {"x": {"$ref": f"#/$defs/a{i + 1}"}},
            "required": ["x"],
        }
        for i in range(links)
    }
    return {"$defs": {**defs, f"a{links}": last or {"type": "string"}}, "$ref": "#/$defs/a0"}


def _sends(make: Callable[[], tuple[str | list[Message], SamplingParams]]) -> Ask:
    """Return a message to the valid model, created before the measurement."""
    prompt, params = make()

    def ask(engine: Engine, model: Model) -> Outcome:
        return engine.open_session(model).send(prompt, params).text

    return ask


def _pasted() -> list[Message]:
    return [{"role": "user", "content": "A line of text that somebody pastes.\n" * 550_000}]


def _many() -> list[Message]:
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": f"message {n}"} for n in range(99_999)]
    return [*said, {"role": "user", "content": "the last"}]


def _paste(root: Path, engine: Engine) -> Ask:
    return _sends(lambda: (_pasted()[0]["content"], FEW))


def _messages(root: Path, engine: Engine) -> Ask:
    return _sends(lambda: (_many(), FEW))


def _by_its_model(root: Path) -> dict[str, Any]:
    """Return a request for the model in the folder."""
    return {"model": str(root / _NAME), "messages": [{"role": "user", "content": "hello"}]}


def _choices(root: Path, engine: Engine) -> Ask:
    many = tuple(f"choice {n}" for n in range(100_000))
    return _sends(lambda: ("Choose.", SamplingParams(max_tokens=4, choices=many)))


def _enum(root: Path, engine: Engine) -> Ask:
    many = {"enum": [f"choice {n}" for n in range(100_000)]}
    return _sends(lambda: ("Choose.", SamplingParams(max_tokens=4, json_schema=many)))


def _references(root: Path, engine: Engine) -> Ask:
    return _sends(lambda: ("Fill in.", SamplingParams(max_tokens=4, json_schema=chain(1500))))


def _folder(change: Callable[[Path], object]) -> Callable[[Path, Engine], Ask]:
    """Return an input that loads a model folder after `change` has modified it."""

    def prepare(root: Path, engine: Engine) -> Ask:
        folder = root / _NAME
        if not folder.exists():
            change(write_model(folder, SHAPES["tiny"]))

        def ask(engine: Engine, model: Model) -> Outcome:
            return engine.load_later(folder).result

        return ask

    return prepare


def _template(source: str) -> Callable[[Path, Engine], Ask]:
    """Return an input that sends a message to a loaded model with this template."""

    def prepare(root: Path, engine: Engine) -> Ask:
        path = write_model(root / _NAME, SHAPES["tiny"], template=source + CHATML)
        hostile = engine.load(path)

        def ask(engine: Engine, model: Model) -> Outcome:
            return engine.open_session(hostile).send("hello", FEW).text

        return ask

    return prepare


def _deep(folder: Path) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "num_hidden_layers": 300_000}))


def _tokenizer(change: Callable[[dict[str, Any]], object]) -> Callable[[Path, Engine], Ask]:
    return _folder(lambda folder: change_tokenizer(folder, change))


INPUTS = (
    Input("F6", "pastes 20 MB", "context_overflow", _paste, lambda _: {"messages": _pasted()}),
    Input(
        "F6",
        "sends 100,000 messages",
        "context_overflow",
        _messages,
        lambda _: {"messages": _many()},
    ),
    Input("F6", "asks for 100,000 choices", "invalid_request", _choices),
    Input("F6", "asks for a schema of 100,000 choices", "invalid_request", _enum),
    Input("F2", "asks for a chain of 1,500 $refs", "invalid_request", _references),
    Input(
        "F5",
        "loads a folder with a FIFO in it",
        "model_load_failed",
        _folder(lambda folder: os.mkfifo(folder / "notes.txt")),
        _by_its_model,
    ),
    Input(
        "F5",
        "loads a folder with a link to /dev/zero",
        "model_load_failed",
        _folder(lambda folder: (folder / "notes.txt").symlink_to("/dev/zero")),
        _by_its_model,
    ),
    Input(
        "F5", "opens a model of 300,000 layers", "model_load_failed", _folder(_deep), _by_its_model
    ),
    Input("F1", "runs an endless template", "template_error", _template(ENDLESS), _by_its_model),
    Input(
        "F1", "runs {{ 9**(9**9) }}", "template_error", _template("{{ 9**(9**9) }}"), _by_its_model
    ),
    Input(
        "F1",
        "runs {{ 'a'*(2*10**9) }}",
        "template_error",
        _template("{{ 'a'*(2*10**9) }}"),
        _by_its_model,
    ),
    Input(
        "F3",
        "loads a tokenizer with an id far outside",
        "model_load_failed",
        _tokenizer(far_id),
        _by_its_model,
    ),
    Input(
        "F5",
        "loads a normalizer that explodes",
        "model_load_failed",
        _tokenizer(explosion),
        _by_its_model,
    ),
    Input(
        "F4", "loads a charsmap that panics", "model_load_failed", _tokenizer(panic), _by_its_model
    ),
)
