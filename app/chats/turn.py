"""State machine for a chat's turn: states, events, and the transition table. No Qt."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import mark
from app.store import Attachments, Message

# Composer content.


class Writing(Struct, frozen=True):
    """New message being written, with its files."""

    draft: str = ""
    attachments: Attachments = ()

    @property
    def text(self) -> str:
        return self.draft

    def with_text(self, text: str) -> Writing:
        return replace(self, draft=text)


class Editing(Struct, frozen=True):
    """Existing message being edited in the composer."""

    message: str  # message ID
    text: str  # edited text
    draft: str = ""  # previous composer text, restored afterwards
    attachments: Attachments = ()  # files of the edited message
    draft_attachments: Attachments = ()

    @classmethod
    def start(cls, message: Message, before: Compose) -> Editing:
        """Start editing a message. ``before``: current content of the composer."""
        first = before.composer_before if isinstance(before, Editing) else before
        files = message.attachments
        return cls(message.id, message.content, first.draft, files, first.attachments)

    @property
    def composer_before(self) -> Writing:
        """Composer content before the edit."""
        return Writing(self.draft, self.draft_attachments)

    def with_text(self, text: str) -> Editing:
        return replace(self, text=text)


Compose = Writing | Editing


# State machine.


class Stage(Enum):
    IDLE = "idle"
    # Between replies. The queue continues once all listeners have handled the end of the reply.
    NEXT = "next"
    LOADING = "loading"  # waiting for the model
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    CALLING = "calling"  # running tools
    ASKING = "asking"  # a tool call needs the user's consent or an answer


class Draft(Enum):
    KEPT = "kept"
    WAITING = "waiting"  # the draft is submitted when its files have been read
    STEERING = "steering"  # the draft is submitted when the interrupted reply ends


class QueueState(Enum):
    HELD = "held"  # messages wait until the user sends them
    MOVING = "moving"  # one message is sent after each reply
    STEERING = "steering"  # like MOVING, but the current reply is interrupted for the first message


class Content(Enum):
    """Kind of message in the event or the composer."""

    NOTHING = "nothing"
    MESSAGE = "message"
    EDIT = "edit"  # edit of a sent message
    REWORDING = "rewording"  # edit of a queued message


class First(Enum):
    NONE = "none"
    EDITED = "edited"  # the user is editing the message
    BLOCKED = "blocked"  # the model can't accept the message
    READY = "ready"


class Event(Enum):
    # User requests.
    ENTER = "enter"
    STEER = "steer"  # Ctrl+Enter
    ESCAPE = "escape"
    STOP = "stop"
    PAUSE = "pause"
    RETRY = "retry"
    CANCEL_EDIT = "cancel edit"
    WRITE = "write"  # the user changed the composer's text, or a message can't leave the composer
    SEND_QUEUE = "send queue"
    SEND = "send"  # send immediately or not at all
    BROADCAST = "broadcast"  # receive a message broadcast from another chat's composer
    END = "end"  # the chat is being deleted or the app is quitting
    # State changes.
    FILE_REFUSED = "file refused"
    CHANGED = "changed"  # a reply started or ended, a file was read, the queue changed
    SETTLE = "settle"  # all listeners have handled the change
    RESULTS = "results"  # the tools have finished


class Effect(Enum):
    """Actions to perform for a transition, in order."""

    SUBMIT = "submit"  # submit the composer's content
    SAY = "say"  # send the event's message
    SEND_FIRST = "send first"  # send the first queued message
    ENQUEUE = "enqueue"  # queue the message from the event or the composer
    ENQUEUE_FIRST = "enqueue first"
    ANNOUNCE = "announce"  # tell the broadcast that the message was accepted
    HOLD = "hold"  # keep the event's message in the composer
    CANCEL_EDIT = "cancel edit"
    STEER_REPLY = "steer reply"
    STOP_REPLY = "stop reply"
    TOGGLE_PAUSE = "toggle pause"
    RETRY = "retry"
    CONTINUE = "continue"  # send the tool results to the model
    REST = "rest"  # end the turn
    REPORT = "report"  # show why the composer's message wasn't sent
    REPORT_FIRST = "report first"  # show why the first queued message wasn't sent
    SETTLE = "settle"  # schedule the SETTLE event


class Refusal(Enum):
    """Reasons for refusing an event, as text for the user."""

    BUSY = mark("The model is still replying. Stop the reply or wait until it has ended.")
    ASKED = mark("Allow or deny the tool call to continue.")
    WAITS = mark("Sends when “{file}” is ready. Esc cancels.")
    STEERS = mark("Interrupting the reply… Esc keeps your message.")
    READING = mark("“{file}” is still being read.")
    UNSENDABLE = ""  # the controller provides the text
    NO_REPLY = mark("The model isn’t replying.")
    STOPPING = mark("The reply is stopping.")
    LOADING = mark("The model is still loading.")
    NOT_SILENT = mark("The reply is on its way.")
    NOT_EDITING = mark("No message is being edited.")


class TurnState(Struct, frozen=True):
    """Input of a transition, computed by `TurnController`.

    Only transitions change `draft` and `queue`.
    """

    reply: Stage = Stage.IDLE  # never NEXT, see `stage`
    draft: Draft = Draft.KEPT
    queue: QueueState = QueueState.HELD
    content: Content = Content.NOTHING
    sendable: bool = False  # only a pending file or the current reply can prevent sending
    reading: bool = False  # a file in the composer is still being read
    composing: bool = False  # the composer isn't empty
    first: First = First.NONE
    ended: bool = False  # the last reply ended on its own
    panel: bool = False  # the replies belong to a comparison panel
    silent: bool = False  # the server hasn't started to respond
    several: bool = False  # Enter sends to several chats

    @property
    def stage(self) -> Stage:
        """Stage of the reply, including the moment between two replies."""
        waits = self.queue is not QueueState.HELD and self.first in {First.BLOCKED, First.READY}
        moves = waits and self.draft is not Draft.STEERING
        return Stage.NEXT if moves and self.reply is Stage.IDLE else self.reply


class Transition(Struct, frozen=True):
    """Row of the transition table. Matches if each field in ``when`` has one of its values."""

    when: dict[str, frozenset[object]]
    effects: tuple[Effect, ...] = ()
    draft: Draft | None = None  # new draft state, if it changes
    queue: QueueState | None = None
    refusal: Refusal | None = None
    then: Event | None = None  # event to handle next, with the same content

    def matches(self, state: TurnState) -> bool:
        return all(getattr(state, name) in values for name, values in self.when.items())


class Step(Struct, frozen=True):
    """Result of an event. Truthy unless the event was refused."""

    state: TurnState
    effects: tuple[Effect, ...] = ()
    refusal: Refusal | None = None
    then: Event | None = None  # event to handle after the effects

    def __bool__(self) -> bool:
        return self.refusal is None


def _make_conditions(**fields: object) -> dict[str, frozenset[object]]:
    return {
        name: value if isinstance(value, frozenset) else frozenset({value})
        for name, value in fields.items()
    }


_LET_GO = frozenset({Stage.IDLE, Stage.NEXT})
_BUSY = frozenset(Stage) - _LET_GO
_SUBMITTED = frozenset({Draft.WAITING, Draft.STEERING})
_MOVES = frozenset({QueueState.MOVING, QueueState.STEERING})
_EDITS = frozenset({Content.EDIT, Content.REWORDING})
_NEW = frozenset({Content.MESSAGE, Content.NOTHING})
_NOT_EDIT = _NEW | {Content.REWORDING}

_ENQUEUE = (
    Transition(
        _make_conditions(queue=QueueState.STEERING),
        (Effect.ENQUEUE, Effect.ANNOUNCE),
        draft=Draft.KEPT,
    ),
    Transition(
        _make_conditions(),
        (Effect.ENQUEUE, Effect.ANNOUNCE),
        draft=Draft.KEPT,
        queue=QueueState.MOVING,
    ),
)
_NOT_SENDABLE = (
    Transition(_make_conditions(sendable=False, reading=True), refusal=Refusal.READING),
    Transition(_make_conditions(sendable=False), refusal=Refusal.UNSENDABLE),
)
_STEER = (Effect.STEER_REPLY, Effect.ANNOUNCE)
_STEER_LATER = (Effect.ENQUEUE_FIRST, Effect.ANNOUNCE)
_READ = {"draft": frozenset({Draft.WAITING}), "reading": frozenset({False})}

TABLE: dict[Event, tuple[Transition, ...]] = {
    Event.ENTER: (
        Transition(_make_conditions(draft=Draft.STEERING), refusal=Refusal.STEERS),
        Transition(
            _make_conditions(draft=Draft.WAITING, reading=False, stage=Stage.ASKING),
            refusal=Refusal.ASKED,
        ),
        Transition(_make_conditions(draft=Draft.WAITING, reading=False), refusal=Refusal.BUSY),
        Transition(_make_conditions(draft=Draft.WAITING), refusal=Refusal.WAITS),
        Transition(
            _make_conditions(content=Content.EDIT, stage=Stage.ASKING), refusal=Refusal.ASKED
        ),
        Transition(
            _make_conditions(content=Content.EDIT, stage=_BUSY | {Stage.NEXT}), refusal=Refusal.BUSY
        ),
        Transition(
            _make_conditions(content=_NEW, stage=Stage.ASKING, several=False), refusal=Refusal.ASKED
        ),
        *_NOT_SENDABLE,
        Transition(_make_conditions(reading=True), draft=Draft.WAITING),
        Transition(_make_conditions(content=_EDITS), (Effect.SUBMIT,)),
        Transition(_make_conditions(stage=Stage.IDLE), (Effect.SUBMIT, Effect.ANNOUNCE)),
        *_ENQUEUE,
    ),
    Event.STEER: (
        Transition(_make_conditions(stage=_LET_GO | {Stage.ASKING}), then=Event.ENTER),
        Transition(_make_conditions(content=_EDITS), then=Event.ENTER),
        Transition(_make_conditions(draft=Draft.STEERING), (Effect.STEER_REPLY,)),
        Transition(
            _make_conditions(content=Content.NOTHING, first=First.NONE), refusal=Refusal.UNSENDABLE
        ),
        Transition(
            _make_conditions(content=Content.NOTHING, stage=Stage.LOADING), refusal=Refusal.BUSY
        ),
        Transition(_make_conditions(content=Content.NOTHING, panel=True), refusal=Refusal.BUSY),
        Transition(
            _make_conditions(content=Content.NOTHING),
            (Effect.STEER_REPLY,),
            queue=QueueState.STEERING,
        ),
        *_NOT_SENDABLE,
        Transition(_make_conditions(reading=True), draft=Draft.WAITING),
        Transition(
            _make_conditions(stage=Stage.LOADING),
            _STEER_LATER,
            draft=Draft.KEPT,
            queue=QueueState.MOVING,
        ),
        Transition(
            _make_conditions(panel=True), _STEER_LATER, draft=Draft.KEPT, queue=QueueState.MOVING
        ),
        Transition(
            _make_conditions(queue=QueueState.STEERING),
            _STEER,
            draft=Draft.STEERING,
            queue=QueueState.MOVING,
        ),
        Transition(_make_conditions(), _STEER, draft=Draft.STEERING),
    ),
    Event.ESCAPE: (
        Transition(_make_conditions(draft=_SUBMITTED), then=Event.WRITE),
        Transition(_make_conditions(content=_EDITS), then=Event.CANCEL_EDIT),
        Transition(_make_conditions(stage=_BUSY), then=Event.STOP),
        Transition(_make_conditions(), refusal=Refusal.NO_REPLY),
    ),
    Event.STOP: (
        Transition(_make_conditions(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Transition(_make_conditions(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Transition(_make_conditions(), (Effect.STOP_REPLY,), queue=QueueState.HELD),
    ),
    Event.PAUSE: (
        Transition(_make_conditions(stage=_LET_GO), refusal=Refusal.NO_REPLY),
        Transition(_make_conditions(stage=Stage.LOADING), refusal=Refusal.LOADING),
        Transition(_make_conditions(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Transition(_make_conditions(), (Effect.TOGGLE_PAUSE,)),
    ),
    Event.RETRY: (
        Transition(_make_conditions(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Transition(_make_conditions(silent=True), (Effect.RETRY,)),
        Transition(_make_conditions(), refusal=Refusal.NOT_SILENT),
    ),
    Event.CANCEL_EDIT: (
        Transition(_make_conditions(content=_EDITS), (Effect.CANCEL_EDIT,), draft=Draft.KEPT),
        Transition(_make_conditions(), refusal=Refusal.NOT_EDITING),
    ),
    Event.WRITE: (Transition(_make_conditions(), draft=Draft.KEPT),),
    Event.SEND_QUEUE: (
        Transition(
            _make_conditions(content=Content.REWORDING, sendable=False), refusal=Refusal.UNSENDABLE
        ),
        Transition(
            _make_conditions(content=Content.REWORDING, reading=True), refusal=Refusal.READING
        ),
        Transition(
            _make_conditions(content=Content.REWORDING),
            (Effect.SUBMIT,),
            draft=Draft.KEPT,
            then=Event.SEND_QUEUE,
        ),
        Transition(_make_conditions(first=First.NONE), refusal=Refusal.UNSENDABLE),
        Transition(_make_conditions(queue=_MOVES)),
        Transition(_make_conditions(stage=Stage.IDLE, first=First.BLOCKED), (Effect.REPORT_FIRST,)),
        Transition(
            _make_conditions(stage=Stage.IDLE), (Effect.SEND_FIRST,), queue=QueueState.MOVING
        ),
        Transition(_make_conditions(), queue=QueueState.MOVING),
    ),
    Event.SEND: (
        Transition(_make_conditions(stage=Stage.ASKING), refusal=Refusal.ASKED),
        Transition(_make_conditions(stage=_BUSY | {Stage.NEXT}), refusal=Refusal.BUSY),
        Transition(_make_conditions(reading=True), refusal=Refusal.READING),
        Transition(_make_conditions(sendable=False), refusal=Refusal.UNSENDABLE),
        Transition(_make_conditions(), (Effect.SAY,)),
    ),
    Event.BROADCAST: (
        Transition(_make_conditions(sendable=False, composing=False), (Effect.HOLD,)),
        Transition(_make_conditions(sendable=False), refusal=Refusal.UNSENDABLE),
        Transition(_make_conditions(reading=True), refusal=Refusal.READING),
        Transition(_make_conditions(stage=Stage.IDLE), (Effect.SAY,)),
        Transition(_make_conditions(composing=True), refusal=Refusal.BUSY),
        Transition(_make_conditions(queue=QueueState.STEERING), (Effect.ENQUEUE,)),
        Transition(_make_conditions(), (Effect.ENQUEUE,), queue=QueueState.MOVING),
    ),
    Event.END: (Transition(_make_conditions(), draft=Draft.KEPT, queue=QueueState.HELD),),
    Event.FILE_REFUSED: (
        Transition(_make_conditions(draft=_SUBMITTED), (Effect.REPORT,), draft=Draft.KEPT),
        Transition(_make_conditions()),
    ),
    Event.CHANGED: (
        Transition(_READ | _make_conditions(stage=_BUSY, content=_NOT_EDIT), (Effect.SETTLE,)),
        Transition(_make_conditions(stage=_BUSY)),
        Transition(_make_conditions(draft=Draft.STEERING, reading=False), (Effect.SETTLE,)),
        Transition(_make_conditions(draft=Draft.STEERING)),
        Transition(_make_conditions(stage=Stage.NEXT, queue=QueueState.STEERING), (Effect.SETTLE,)),
        Transition(_make_conditions(stage=Stage.NEXT, ended=True), (Effect.SETTLE,)),
        Transition(_READ | _make_conditions(first=First.EDITED, ended=True), (Effect.SETTLE,)),
        Transition(_make_conditions(queue=_MOVES, first=First.EDITED, ended=True)),
        Transition(_make_conditions(queue=_MOVES), queue=QueueState.HELD, then=Event.CHANGED),
        Transition(_READ, (Effect.SETTLE,)),
        Transition(_make_conditions()),
    ),
    Event.SETTLE: (
        Transition(_READ | _make_conditions(sendable=False), (Effect.REPORT,), draft=Draft.KEPT),
        Transition(_READ | _make_conditions(stage=Stage.ASKING)),
        Transition(_READ | _make_conditions(content=_NOT_EDIT), draft=Draft.KEPT, then=Event.ENTER),
        Transition(_READ | _make_conditions(stage=Stage.IDLE), draft=Draft.KEPT, then=Event.ENTER),
        Transition(_make_conditions(stage=_BUSY)),
        Transition(_make_conditions(draft=Draft.STEERING, reading=True)),
        Transition(
            _make_conditions(draft=Draft.STEERING, sendable=False),
            (Effect.REPORT,),
            draft=Draft.KEPT,
        ),
        Transition(_make_conditions(draft=Draft.STEERING), (Effect.SUBMIT,), draft=Draft.KEPT),
        Transition(
            _make_conditions(stage=Stage.NEXT, first=First.BLOCKED),
            (Effect.REPORT_FIRST,),
            queue=QueueState.HELD,
        ),
        Transition(
            _make_conditions(stage=Stage.NEXT), (Effect.SEND_FIRST,), queue=QueueState.MOVING
        ),
        Transition(_make_conditions()),
    ),
    Event.RESULTS: (
        Transition(_make_conditions(draft=Draft.STEERING), (Effect.REST,)),
        Transition(_make_conditions(queue=QueueState.STEERING), (Effect.REST,)),
        Transition(_make_conditions(), (Effect.CONTINUE,)),
    ),
}
"""Transitions. For each event, the first matching row is used."""


def step(state: TurnState, event: Event) -> Step:
    row = next(row for row in TABLE[event] if row.matches(state))
    draft = state.draft if row.draft is None else row.draft
    queue = state.queue if row.queue is None else row.queue
    state = replace(state, draft=draft, queue=queue)
    if row.then is not None and not row.effects:
        return step(state, row.then)
    return Step(state, row.effects, row.refusal, row.then)
