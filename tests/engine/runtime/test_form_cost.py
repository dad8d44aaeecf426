"""Slow output formats don't delay other replies, and end with a clear error."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine import Engine, SamplingParams
from engine.errors import EngineError
from engine.model import constraint
from engine.model.constraint import Constraint, FormCost

Folder = Callable[[str], Path]

FORM = SamplingParams(max_tokens=12, temperature=1.0, seed=3, regex="[a-f]{12}")


def test_slow_mask_does_not_stop_another_reply(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    expected = engine.open_session(model).send("go", FORM).text(60)

    entered, release = threading.Event(), threading.Event()
    compute = Constraint._next_mask
    monkeypatch.setattr(constraint, "SLOW_MASK_S", -1.0)  # treat every mask as slow

    def slow(self: Constraint, vocab: int) -> np.ndarray:
        entered.set()
        assert release.wait(60)
        return compute(self, vocab)

    monkeypatch.setattr(Constraint, "_next_mask", slow)
    bound = engine.open_session(model).send("go", FORM)
    assert entered.wait(60)
    free = SamplingParams(max_tokens=20, temperature=0.0, logit_bias={0: -100, 2: -100})
    assert len(engine.open_session(model).send("other", free).tokens(60)) == 20
    release.set()
    assert bound.text(60) == expected


def test_cancelled_reply_ignores_its_late_mask(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    entered, release = threading.Event(), threading.Event()
    compute = Constraint._next_mask

    def slow(self: Constraint, vocab: int) -> np.ndarray:
        entered.set()
        assert release.wait(60)
        return compute(self, vocab)

    monkeypatch.setattr(Constraint, "_next_mask", slow)
    chat = engine.open_session(model)
    bound = chat.send("go", FORM)
    assert entered.wait(60)
    bound.cancel()
    assert bound.text(60) == ""
    release.set()
    assert len(chat.send("again", FORM).text(60)) == 12


def test_costly_form_ends_its_reply_and_the_next(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    monkeypatch.setattr(constraint, "MAX_FOLLOW_S", -1.0)  # treat every token as too slow
    with pytest.raises(EngineError, match="takes too long to evaluate") as failed:
        engine.open_session(model).send("go", FORM).text(60)
    assert failed.value.code == "invalid_request"
    monkeypatch.undo()
    with pytest.raises(EngineError, match="takes too long to evaluate"):
        engine.open_session(model).send("go", FORM).text(60)
    other = SamplingParams(max_tokens=5, regex="[ab]{5}")
    assert len(engine.open_session(model).send("go", other).text(60)) == 5


def test_form_cost_counts_single_steps_and_their_sum() -> None:
    costly: set[int] = set()
    cost = FormCost(1, costly)
    for _ in range(500):
        cost.add_follow(0.009, 1)
    with pytest.raises(EngineError, match="too long"):
        FormCost(1, costly).add_follow(constraint.MAX_FOLLOW_S + 0.01, 1)
    assert costly == {1}
    with pytest.raises(EngineError, match="too long"):
        cost.check()  # also fails another reply with the same format
    summed = FormCost(2, costly)
    for _ in range(11):
        summed.add_follow(0.1, 1)
    with pytest.raises(EngineError, match="too long"):
        summed.add_follow(0.1, 1)
    masks = FormCost(3, costly)
    masks.add_mask(constraint.SLOW_MASK_S / 2)
    assert not masks.is_slow
    masks.add_mask(constraint.SLOW_MASK_S * 2)
    assert masks.is_slow
    with pytest.raises(EngineError, match="too long"):
        masks.add_mask(constraint.FREE_MASK_S)
    assert costly == {1, 2, 3}


@pytest.mark.parametrize("prefix", ["", "/[a-f]{40}/ "])  # the second hides the cost at first
def test_ambiguous_grammar_ends_before_it_holds_up_others(
    engine: Engine, model_folder: Folder, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    followed: list[float] = []
    count = FormCost.add_follow

    def counted(self: FormCost, seconds: float, tokens: int) -> None:
        followed.append(seconds)
        count(self, seconds, tokens)

    monkeypatch.setattr(FormCost, "add_follow", counted)
    rules = [f"r{n}: /[a-z]{{1,{n + 1}}}/ more?" for n in range(700)]
    alternatives = " | ".join(f"r{n}" for n in range(700))
    grammar = "\n".join((f"start: {prefix}more", f"more: {alternatives}", *rules))
    form = SamplingParams(max_tokens=60, temperature=1.0, seed=3, grammar=grammar)
    with pytest.raises(EngineError, match=r"is too expensive to evaluate: .* items") as failed:
        engine.open_session(engine.load(model_folder("plain"))).send("go", form).text(60)
    assert failed.value.code == "invalid_request"
    assert all(seconds < constraint.MAX_FOLLOW_S for seconds in followed)


def test_wide_schema_is_followed(engine: Engine, model_folder: Folder) -> None:
    names = [f"name {n}" for n in range(300)]  # exceeds the grammar items allowed per request
    schema = {
        "type": "object",
        "properties": {name: {"const": 1} for name in names},
        "additionalProperties": False,
    }
    form = SamplingParams(max_tokens=400, temperature=0.0, json_schema=schema)
    text = engine.open_session(engine.load(model_folder("plain"))).send("go", form).text(60)
    assert set(json.loads(text)) <= set(names)
