"""Transitions of a chat's turn: an example per table row, and random events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from msgspec.structs import replace

from app.chats.turn import (
    TABLE,
    Content,
    DraftState,
    Effect,
    Event,
    QueueHead,
    QueueState,
    Refusal,
    Stage,
    Step,
    TurnState,
    When,
    step,
)
from tests.slices import examples

KEPT, WAITING, STEERS = DraftState
HELD, MOVING, INTERRUPTS = QueueState
IDLE, _, LOADING, RUNNING, STOPPING, PAUSED, CALLING, ASKING = Stage
NOTHING, MESSAGE, EDIT, REWORDING = Content
NONE, EDITED, BLOCKED, READY = QueueHead
SUBMIT, SETTLE, ENQUEUE = Effect.SUBMIT, Effect.SCHEDULE_SETTLE, Effect.ENQUEUE
SAID = (SUBMIT, Effect.EMIT_SENT)
QUEUED = (ENQUEUE, Effect.EMIT_SENT)
FIRST_QUEUED = (Effect.ENQUEUE_FIRST, Effect.EMIT_SENT)
STEERED = (Effect.ENQUEUE_FIRST, Effect.STEER_REPLY, Effect.EMIT_SENT)


def composed(reply: Stage = RUNNING, content: Content = MESSAGE, **more: Any) -> TurnState:
    return TurnState(reply, content=content, sendable=content is not NOTHING, **more)


def waiting(
    draft: DraftState = WAITING, queue: QueueState = HELD, head: QueueHead = NONE, **more: Any
) -> TurnState:
    return composed(draft=draft, queue=queue, head=head, **more)


# Examples by event, one per row of the table: the first state to which the row applies, the
# effects, and the changes to the draft and the queue, or the refusal.
EXAMPLES: dict[Event, list[tuple[Any, ...]]] = {
    Event.ENTER: [
        (waiting(STEERS, reply=ASKING, reading=True), Refusal.ASKED),
        (waiting(STEERS, reading=True), Refusal.WAITS_TO_STEER),
        (waiting(reading=True), Refusal.WAITS),
        (waiting(), Refusal.BUSY),
        (composed(ASKING, EDIT), Refusal.ASKED),
        (composed(RUNNING, EDIT), Refusal.BUSY),
        (composed(ASKING), Refusal.ASKED),
        (composed(IDLE, NOTHING, reading=True), Refusal.READING),
        (composed(IDLE, NOTHING), Refusal.UNSENDABLE),
        (composed(IDLE, reading=True), (), WAITING),
        (composed(RUNNING, REWORDING), (SUBMIT,)),
        (composed(IDLE), SAID),
        (composed(queue=INTERRUPTS), QUEUED),
        (composed(ASKING, several=True), QUEUED, MOVING),
    ],
    Event.STEER: [
        (composed(IDLE), SAID),
        (composed(RUNNING, EDIT), Refusal.BUSY),
        (composed(RUNNING, NOTHING, reading=True, head=READY), Refusal.READING),
        (composed(RUNNING, NOTHING), Refusal.UNSENDABLE),
        (composed(LOADING, NOTHING, head=READY), Refusal.BUSY),
        (composed(RUNNING, NOTHING, head=READY, panel=True), Refusal.BUSY),
        (composed(RUNNING, NOTHING, head=READY), (Effect.STEER_REPLY,), INTERRUPTS),
        (TurnState(RUNNING, content=MESSAGE, reading=True), Refusal.READING),
        (TurnState(RUNNING, content=MESSAGE), Refusal.UNSENDABLE),
        (composed(reading=True), (), STEERS),
        (composed(IDLE, queue=MOVING, head=READY), FIRST_QUEUED),
        (composed(LOADING), FIRST_QUEUED, MOVING),
        (composed(panel=True), FIRST_QUEUED, MOVING),
        (composed(), STEERED, INTERRUPTS),
    ],
    Event.ESCAPE: [
        (waiting(), (), KEPT),
        (composed(RUNNING, EDIT), (Effect.RESTORE_DRAFT,)),
        (composed(), (Effect.STOP_REPLY,)),
        (composed(IDLE), Refusal.NO_REPLY),
    ],
    Event.STOP: [
        (composed(IDLE), Refusal.NO_REPLY),
        (composed(STOPPING), Refusal.STOPPING),
        (composed(IDLE, queue=MOVING, head=READY), (Effect.STOP_REPLY,), HELD),
    ],
    Event.PAUSE: [
        (composed(IDLE, queue=MOVING, head=READY), Refusal.NO_REPLY),
        (composed(LOADING), Refusal.LOADING),
        (composed(STOPPING), Refusal.STOPPING),
        (composed(PAUSED), (Effect.TOGGLE_PAUSE,)),
    ],
    Event.RETRY: [
        (composed(IDLE), Refusal.NO_REPLY),
        (composed(silent=True), (Effect.RESEND_REQUEST,)),
        (composed(), Refusal.NOT_SILENT),
    ],
    Event.CANCEL_EDIT: [
        (composed(IDLE, REWORDING), (Effect.RESTORE_DRAFT,)),
        (composed(IDLE), Refusal.NOT_EDITING),
    ],
    Event.WRITE: [(waiting(), (), KEPT)],
    Event.SEND_QUEUE: [
        (TurnState(content=REWORDING, head=EDITED), Refusal.UNSENDABLE),
        (composed(IDLE, REWORDING, head=EDITED, reading=True), Refusal.READING),
        (composed(IDLE, REWORDING, head=EDITED), (SUBMIT, Effect.HANDLE_SEND_QUEUE)),
        (composed(IDLE), Refusal.UNSENDABLE),
        (composed(queue=MOVING, head=READY), ()),
        (composed(IDLE, head=BLOCKED), (Effect.REPORT_FIRST,)),
        (composed(IDLE, head=READY), (Effect.SEND_FIRST,), MOVING),
        (composed(head=READY), (), MOVING),
    ],
    Event.SEND_OR_REFUSE: [
        (composed(ASKING), Refusal.ASKED),
        (composed(), Refusal.BUSY),
        (composed(IDLE, reading=True), Refusal.READING),
        (TurnState(), Refusal.UNSENDABLE),
        (composed(IDLE), (Effect.SEND_NOW,)),
    ],
    Event.BROADCAST: [
        (TurnState(RUNNING, content=MESSAGE), (Effect.HOLD,)),
        (TurnState(RUNNING, content=MESSAGE, composing=True), Refusal.UNSENDABLE),
        (composed(reading=True), Refusal.READING),
        (composed(IDLE, composing=True), (Effect.SEND_NOW,)),
        (composed(composing=True), Refusal.BUSY),
        (composed(queue=INTERRUPTS), (ENQUEUE,)),
        (composed(), (ENQUEUE,), MOVING),
    ],
    Event.CLOSE: [(waiting(WAITING, MOVING), (), KEPT, HELD)],
    Event.FILE_NOTICE: [
        (waiting(), (Effect.REPORT,), KEPT),
        (composed(), ()),
    ],
    Event.CHANGED: [
        (waiting(), (SETTLE,)),
        (composed(), ()),
        (composed(IDLE, queue=INTERRUPTS, head=READY), (SETTLE,)),
        (composed(IDLE, queue=MOVING, head=READY, last_reply_complete=True), (SETTLE,)),
        (waiting(WAITING, MOVING, EDITED, reply=IDLE, last_reply_complete=True), (SETTLE,)),
        (composed(IDLE, queue=MOVING, head=EDITED, last_reply_complete=True), ()),
        (composed(IDLE, queue=MOVING, head=READY), (), HELD),
        (waiting(reply=IDLE), (SETTLE,)),
        (composed(IDLE), ()),
    ],
    Event.SETTLE: [
        (TurnState(draft=WAITING, content=MESSAGE), (Effect.REPORT,), KEPT),
        (waiting(reply=ASKING), ()),
        (waiting(STEERS), STEERED, KEPT, INTERRUPTS),
        (waiting(WAITING, MOVING, READY, reply=IDLE), QUEUED, KEPT),
        (waiting(content=EDIT, reply=IDLE), (SUBMIT,), KEPT),
        (composed(), ()),
        (composed(IDLE, queue=MOVING, head=BLOCKED), (Effect.REPORT_FIRST,), HELD),
        (composed(IDLE, queue=INTERRUPTS, head=READY), (Effect.SEND_FIRST,), MOVING),
        (composed(IDLE), ()),
    ],
    Event.RESULTS: [
        (composed(CALLING, queue=INTERRUPTS), (Effect.END_TURN,)),
        (composed(CALLING, at_limit=True), (Effect.END_TURN,)),
        (composed(CALLING), (Effect.CONTINUE,)),
    ],
}


@pytest.mark.parametrize(
    ("event", "row", "example"),
    [(event, n, each) for event in Event for n, each in enumerate(EXAMPLES[event])],
)
def test_rows_match_their_examples(event: Event, row: int, example: tuple) -> None:
    state, expected, *changed = example
    rows = TABLE[event]
    assert next(n for n, each in enumerate(rows) if each.when.matches(state)) == row
    done = step(state, event)
    if isinstance(expected, Refusal):
        assert done == Step(state, refusal=expected)
        return
    draft = next((each for each in changed if isinstance(each, DraftState)), state.draft)
    queue = next((each for each in changed if isinstance(each, QueueState)), state.queue)
    assert (done.effects, done.state.draft, done.state.queue) == (expected, draft, queue)
    assert done.refusal is None


def test_turn_table_rows_have_examples_and_defaults() -> None:
    assert {event: len(rows) for event, rows in TABLE.items()} == {
        event: len(examples) for event, examples in EXAMPLES.items()
    }
    assert all(rows[-1].when == When() for rows in TABLE.values())
    # A row that continues with another event's rows changes only the state.
    forwarding = [row for rows in TABLE.values() for row in rows if row.then is not None]
    assert not any(row.effects or row.refusal for row in forwarding)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (composed(ASKING, several=True), QUEUED),
        (composed(ASKING, REWORDING), (SUBMIT,)),
        (composed(ASKING), ()),
    ],
)
def test_read_file_does_what_enter_would_do(state: TurnState, expected: tuple) -> None:
    done = step(replace(state, draft=WAITING), Event.SETTLE)
    assert (done.effects, done.state.draft) == (expected, KEPT if expected else WAITING)
    assert bool(step(state, Event.ENTER)) is bool(expected)


MOVES_MESSAGE = {
    SUBMIT,
    ENQUEUE,
    Effect.SEND_NOW,
    Effect.SEND_FIRST,
    Effect.ENQUEUE_FIRST,
    Effect.HOLD,
}
STATES = some.builds(
    TurnState,
    reply_stage=some.sampled_from([stage for stage in Stage if stage is not Stage.NEXT]),
    draft=some.sampled_from(DraftState),
    queue=some.sampled_from(QueueState),
    content=some.sampled_from(Content),
    head=some.sampled_from(QueueHead),
    **dict.fromkeys(
        (
            "sendable",
            "reading",
            "composing",
            "last_reply_complete",
            "panel",
            "silent",
            "several",
        ),
        some.booleans(),
    ),
)


@settings(max_examples=examples(1_000), deadline=None)
@given(STATES, some.sampled_from(Event))
def test_any_event_in_any_state_is_safe(state: TurnState, event: Event) -> None:
    done = step(state, event)
    if done.refusal is not None:
        assert done == Step(state, refusal=done.refusal)
        return
    moved = [effect for effect in done.effects if effect in MOVES_MESSAGE]
    assert len(moved) <= 1  # a message is sent, queued or held, never more than one of these
    rewords = moved == [SUBMIT] and state.content is Content.REWORDING
    if set(moved) & {SUBMIT, Effect.SEND_NOW, Effect.SEND_FIRST} and not rewords:
        assert state.reply_stage is IDLE
    if set(moved) & {SUBMIT, ENQUEUE, Effect.SEND_NOW, Effect.ENQUEUE_FIRST}:
        assert state.sendable
        assert not state.reading
    if set(moved) & {SUBMIT, ENQUEUE, Effect.ENQUEUE_FIRST} and event is not Event.BROADCAST:
        assert done.state.draft is KEPT
    if Effect.SEND_FIRST in moved:
        assert state.head in {READY, EDITED}


class Chat:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.queued: list[str] = []
        self.draft, self.queue, self.reply, self.text = KEPT, HELD, IDLE, ""
        self.reading = self.ended = False

    def handle(self, event: Event) -> None:
        content = MESSAGE if self.text else NOTHING
        head = READY if self.queued else NONE
        state = TurnState(
            self.reply,
            self.draft,
            self.queue,
            content,
            sendable=bool(self.text),
            reading=self.reading,
            head=head,
            last_reply_complete=self.ended,
        )
        done = step(state, event)
        self.draft, self.queue = done.state.draft, done.state.queue
        for effect in done.effects:
            if effect is SUBMIT:
                self.say(self.text)
                self.text = ""
            elif effect in {ENQUEUE, Effect.ENQUEUE_FIRST}:
                self.queued.insert(len(self.queued) if effect is ENQUEUE else 0, self.text)
                self.text = ""
            elif effect is Effect.SEND_FIRST:
                self.say(self.queued.pop(0))
            elif effect is Effect.STOP_REPLY:
                self.reply = STOPPING if self.reply is not IDLE else IDLE
            elif effect is SETTLE:
                self.handle(Event.SETTLE)
        if event is not Event.CHANGED:
            self.handle(Event.CHANGED)

    def say(self, text: str) -> None:
        assert self.reply is IDLE
        self.said.append(text)
        self.reply = RUNNING


class Reference:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.queued: list[str] = []
        self.text, self.waits = "", False  # `waits`: for a file
        self.waits_to_steer = False
        self.busy = self.stopping = self.moves = self.interrupts = False
        self.reading = self.ended = False

    def handle(self, event: str) -> None:
        if event == "steer" and self.busy and not (self.text and self.reading):
            if self.text:
                self.queued.insert(0, self.text)
                self.text, self.waits = "", False
            self.interrupts = self.interrupts or bool(self.queued)
            self.moves = self.moves or bool(self.queued)
        elif event in {"enter", "steer"} and self.text and not self.waits:
            self.waits, self.waits_to_steer = True, event == "steer" and self.busy
        elif event == "steer" and self.waits and self.busy:
            self.waits_to_steer = True
        elif event == "escape" and self.waits:
            self.waits = False
        elif event in {"stop", "escape"} and self.busy and not self.stopping:
            self.stopping, self.moves, self.interrupts = True, False, False
        elif event == "send queue" and self.queued and not self.moves:
            self.moves = True
            if not self.busy:
                self.say(self.queued.pop(0))
        self.settle()

    def settle(self) -> None:
        goes_on = self.moves and self.queued and (self.ended or self.interrupts)
        if self.waits and not self.reading:
            if self.busy or goes_on:
                self.queued.insert(0 if self.waits_to_steer else len(self.queued), self.text)
                self.interrupts = self.interrupts or (self.busy and self.waits_to_steer)
                self.moves = True
            else:
                self.say(self.text)
            self.text, self.waits = "", False
        if self.busy:
            return
        if goes_on:
            self.say(self.queued.pop(0))
        else:
            self.moves = self.interrupts = False

    def say(self, text: str) -> None:
        self.said.append(text)
        self.busy, self.stopping, self.interrupts = True, False, False


USER = {
    "enter": Event.ENTER,
    "steer": Event.STEER,
    "escape": Event.ESCAPE,
    "stop": Event.STOP,
    "send queue": Event.SEND_QUEUE,
}


@settings(max_examples=examples(300), deadline=None)
@given(
    some.lists(
        some.sampled_from((*USER, "write", "write", "end", "fail", "attach", "read", "refuse")),
        min_size=25,
        max_size=50,
    )
)
def test_random_events_do_what_the_reference_does(events: list[str]) -> None:
    chat, reference = Chat(), Reference()
    for number, event in enumerate(events):
        if event == "write":
            chat.text = reference.text = f"m{number}"
            reference.waits = False
            chat.handle(Event.WRITE)
        elif event in {"end", "fail"}:
            well = event == "end" and chat.queue is not INTERRUPTS and chat.reply is RUNNING
            if chat.reply is not IDLE:
                chat.ended = reference.ended = well
            chat.reply, reference.busy = IDLE, False
            chat.handle(Event.CHANGED)
        elif event in {"attach", "read", "refuse"}:
            refused = event == "refuse" and chat.reading
            chat.reading = reference.reading = event == "attach"
            if refused:
                reference.waits = False
            chat.handle(Event.FILE_NOTICE if refused else Event.CHANGED)
        else:
            chat.handle(USER[event])
        reference.handle(event)
        assert (chat.said, chat.queued, chat.text) == (
            reference.said,
            reference.queued,
            reference.text,
        )
        assert (chat.reply is IDLE, chat.queue is HELD) == (not reference.busy, not reference.moves)
