"""What the followers answer rank 0, outside the collectives."""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator
from typing import Any

from engine.model.slices import at_once

_LOOK = 0.01  # seconds between two looks whether they have answered


class Answers:
    """Messages of the followers about models, each with its "rank" and its "model".

    Args:
        followers: how many there are.
        waited: called at each look that found nothing new.
    """

    def __init__(self, followers: int, waited: Callable[[], None]) -> None:
        self._followers = followers
        self._waited = waited
        self._heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def put(self, message: dict[str, Any]) -> None:
        """Take a message; on any thread."""
        self._heard.put(message)

    def about(self, model: int) -> Generator[None, None, list[dict[str, Any]]]:
        """What each follower answers about a model; yields while they work on it."""
        answers: list[dict[str, Any]] = []
        while len(answers) < self._followers:
            try:
                answer = self._heard.get(timeout=_LOOK)
            except queue.Empty:
                self._waited()
                yield
                continue
            if answer.get("model") == model:
                answers.append(answer)
        return answers

    def now(self, model: int) -> list[dict[str, Any]]:
        """As `about`; waits for all of them."""
        return at_once(self.about(model))


def place(answer: dict[str, Any]) -> str:
    """Who has answered, for people."""
    return f"rank {answer.get('rank')}"
