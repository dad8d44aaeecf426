"""Turn of a chat: its states, its events, and one table of transitions. No Qt."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import mark
from app.store import Attachments, Message

# Content of the composer.


class Writing(Struct, frozen=True):
    """New message in the composer, with its files."""

    draft: str = ""
    attachments: Attachments = ()

    @property
    def text(self) -> str:
        return self.draft

    def written(self, text: str) -> Writing:
        """Return the same with different text."""
        return replace(self, draft=text)


class Editing(Struct, frozen=True):
    """Earlier message in the composer, to be asked in other words."""

    message: str  # its id
    text: str  # the new words so far
    draft: str = ""  # the composer's text before, which comes back afterwards
    attachments: Attachments = ()  # of the message
    draft_attachments: Attachments = ()

    @classmethod
    def of(cls, message: Message, before: Compose) -> Editing:
        """Return an edit of a message that is unchanged yet. ``before``: the composer's content."""
        kept = before.before if isinstance(before, Editing) else before
        files = message.attachments
        return cls(message.id, message.content, kept.draft, files, kept.attachments)

    @property
    def before(self) -> Writing:
        """The composer's content before the edit."""
        return Writing(self.draft, self.draft_attachments)

    def written(self, text: str) -> Editing:
        """Return the same with different text."""
        return replace(self, text=text)


Compose = Writing | Editing


# The state machine.


class Stage(Enum):
    """Progress of a chat's reply."""

    IDLE = "idle"
    # no reply; the queue continues once all listeners have handled the end of the last one
    NEXT = "next"
    LOADING = "loading"  # waits for its model
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    CALLING = "calling"  # tools run
    ASKING = "asking"  # a tool call waits for the user's consent or answer


class Draft(Enum):
    """Fate of the text in the composer."""

    KEPT = "kept"
    WAITING = "waiting"  # submitted once its files are read
    STEERING = "steering"  # submitted when the reply ends, which was asked to end early


class QueueState(Enum):
    """Fate of the queued messages."""

    HELD = "held"  # until the user sends them
    MOVING = "moving"  # one after each reply
    STEERING = "steering"  # moving, and the reply was asked to end early for the first one


class Content(Enum):
    """Subject of an event: the message that it brings, or the composer's content."""

    NOTHING = "nothing"
    MESSAGE = "message"
    EDIT = "edit"  # of a message that was sent
    REWORDING = "rewording"  # of a queued message


class First(Enum):
    """First message of the queue."""

    NONE = "none"
    EDITED = "edited"  # is in the composer
    BLOCKED = "blocked"  # cannot be sent to this model
    READY = "ready"


class Event(Enum):
    """Events that the turn handles."""

    # Requests of the user.
    ENTER = "enter"
    STEER = "steer"  # Ctrl+Enter
    ESCAPE = "escape"
    STOP = "stop"
    PAUSE = "pause"
    RETRY = "retry"
    CANCEL_EDIT = "cancel edit"
    WRITE = "write"  # the message in the composer changes, or is to stay there
    SEND_QUEUE = "send queue"
    SEND = "send"  # a message that is sent now or not at all
    BROADCAST = "broadcast"  # a message that was written in another chat
    END = "end"  # the chat is deleted, or the program ends
    # Changes of what the turn depends on.
    FILE_REFUSED = "file refused"
    CHANGED = "changed"  # a reply began or ended, a file was read, the queue changed
    SETTLE = "settle"  # all listeners have handled the change
    RESULTS = "results"  # the tools have ended


class Effect(Enum):
    """Actions that a transition asks for, in order."""

    SUBMIT = "submit"  # the composer's content
    SAY = "say"  # the message that the event brings
    SEND_FIRST = "send first"  # of the queue
    ENQUEUE = "enqueue"  # the message that the event brings, or the composer's
    ENQUEUE_FIRST = "enqueue first"
    ANNOUNCE = "announce"  # that the user's message was accepted, for a broadcast
    HOLD = "hold"  # the message that the event brings, in the composer
    CANCEL_EDIT = "cancel edit"
    STEER_REPLY = "steer reply"
    STOP_REPLY = "stop reply"
    TOGGLE_PAUSE = "toggle pause"
    RETRY = "retry"
    CONTINUE = "continue"  # ask the model again, with the results
    REST = "rest"  # do not ask it again
    REPORT = "report"  # why the composer's message was not sent
    REPORT_FIRST = "report first"  # why the queue's first one was not
    SETTLE = "settle"  # handle SETTLE once all listeners have handled the change


class Refusal(Enum):
    """Reasons why an event does nothing, in words."""

    BUSY = mark("The model is still replying. Stop the reply or wait until it has ended.")
    ASKED = mark("A tool call is waiting for you. Allow or deny it first.")
    WAITS = mark("Sends once “{file}” is read. Esc keeps it here.")
    STEERS = mark("Interrupting the reply… Esc keeps the message here.")
    READING = mark("“{file}” is still being read.")
    UNSENDABLE = ""  # the controller has the words
    NO_REPLY = mark("The model is not replying.")
    STOPPING = mark("The reply is stopping.")
    LOADING = mark("The model is still loading.")
    NOT_SILENT = mark("The reply is on its way.")
    NOT_EDITING = mark("No message is being edited.")


class TurnState(Struct, frozen=True):
    """Everything that a transition depends on.

    `TurnController` computes it. Only transitions change `draft` and `queue`.
    """

    reply: Stage = Stage.IDLE  # never NEXT: see `stage`
    draft: Draft = Draft.KEPT
    queue: QueueState = QueueState.HELD
    content: Content = Content.NOTHING
    sendable: bool = False  # nothing but a file or the reply prevents sending the content
    reading: bool = False  # a file of the composer is being read
    composing: bool = False  # the composer is not empty
    first: First = First.NONE
    ended: bool = False  # the last reply has ended by itself
    panel: bool = False  # the replies are a panel's
    silent: bool = False  # the reply was asked of another machine, which has not answered
    several: bool = False  # Enter sends to other chats, too

    @property
    def stage(self) -> Stage:
        """Progress of the reply, with the moment between two of them."""
        waits = self.queue is not QueueState.HELD and self.first in {First.BLOCKED, First.READY}
        moves = waits and self.draft is not Draft.STEERING
        return Stage.NEXT if moves and self.reply is Stage.IDLE else self.reply


class Transition(Struct, frozen=True):
    """Row of the table. It applies if each field in ``when`` has one of its values."""

    when: dict[str, frozenset[object]]
    effects: tuple[Effect, ...] = ()
    draft: Draft | None = None  # the next ones, if they change
    queue: QueueState | None = None
    refusal: Refusal | None = None
    then: Event | None = None  # handled next, with the same content

    def applies(self, state: TurnState) -> bool:
        return all(getattr(state, name) in values for name, values in self.when.items())


class Step(Struct, frozen=True):
    """Outcome of an event; true if it was not refused."""

    state: TurnState
    effects: tuple[Effect, ...] = ()
    refusal: Refusal | None = None
    then: Event | None = None  # to be handled after the effects

    def __bool__(self) -> bool:
        return self.refusal is None


def _when(**fields: object) -> dict[str, frozenset[object]]:
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
        _when(queue=QueueState.STEERING), (Effect.ENQUEUE, Effect.ANNOUNCE), draft=Draft.KEPT
    ),
    Transition(
        _when(), (Effect.ENQUEUE, Effect.ANNOUNCE), draft=Draft.KEPT, queue=QueueState.MOVING
    ),
)
_NOT_SENDABLE = (
    Transition(_when(sendable=False, reading=True), refusal=Refusal.READING),
    Transition(_when(sendable=False), refusal=Refusal.UNSENDABLE),
)
_STEER = (Effect.STEER_REPLY, Effect.ANNOUNCE)
_STEER_LATER = (Effect.ENQUEUE_FIRST, Effect.ANNOUNCE)
_READ = {"draft": frozenset({Draft.WAITING}), "reading": frozenset({False})}

TABLE: dict[Event, tuple[Transition, ...]] = {
    Event.ENTER: (
        Transition(_when(draft=Draft.STEERING), refusal=Refusal.STEERS),
        Transition(
            _when(draft=Draft.WAITING, reading=False, stage=Stage.ASKING), refusal=Refusal.ASKED
        ),
        Transition(_when(draft=Draft.WAITING, reading=False), refusal=Refusal.BUSY),
        Transition(_when(draft=Draft.WAITING), refusal=Refusal.WAITS),
        Transition(_when(content=Content.EDIT, stage=Stage.ASKING), refusal=Refusal.ASKED),
        Transition(_when(content=Content.EDIT, stage=_BUSY | {Stage.NEXT}), refusal=Refusal.BUSY),
        Transition(_when(content=_NEW, stage=Stage.ASKING, several=False), refusal=Refusal.ASKED),
        *_NOT_SENDABLE,
        Transition(_when(reading=True), draft=Draft.WAITING),
        Transition(_when(content=_EDITS), (Effect.SUBMIT,)),
        Transition(_when(stage=Stage.IDLE), (Effect.SUBMIT, Effect.ANNOUNCE)),
        *_ENQUEUE,
    ),
    Event.STEER: (
        Transition(_when(stage=_LET_GO | {Stage.ASKING}), then=Event.ENTER),
        Transition(_when(content=_EDITS), then=Event.ENTER),
        Transition(_when(draft=Draft.STEERING), (Effect.STEER_REPLY,)),
        Transition(_when(content=Content.NOTHING, first=First.NONE), refusal=Refusal.UNSENDABLE),
        Transition(_when(content=Content.NOTHING, stage=Stage.LOADING), refusal=Refusal.BUSY),
        Transition(_when(content=Content.NOTHING, panel=True), refusal=Refusal.BUSY),
        Transition(
            _when(content=Content.NOTHING), (Effect.STEER_REPLY,), queue=QueueState.STEERING
        ),
        *_NOT_SENDABLE,
        Transition(_when(reading=True), draft=Draft.WAITING),
        Transition(
            _when(stage=Stage.LOADING), _STEER_LATER, draft=Draft.KEPT, queue=QueueState.MOVING
        ),
        Transition(_when(panel=True), _STEER_LATER, draft=Draft.KEPT, queue=QueueState.MOVING),
        Transition(
            _when(queue=QueueState.STEERING), _STEER, draft=Draft.STEERING, queue=QueueState.MOVING
        ),
        Transition(_when(), _STEER, draft=Draft.STEERING),
    ),
    Event.ESCAPE: (
        Transition(_when(draft=_SUBMITTED), then=Event.WRITE),
        Transition(_when(content=_EDITS), then=Event.CANCEL_EDIT),
        Transition(_when(stage=_BUSY), then=Event.STOP),
        Transition(_when(), refusal=Refusal.NO_REPLY),
    ),
    Event.STOP: (
        Transition(_when(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Transition(_when(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Transition(_when(), (Effect.STOP_REPLY,), queue=QueueState.HELD),
    ),
    Event.PAUSE: (
        Transition(_when(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Transition(_when(stage=frozenset({Stage.NEXT, Stage.LOADING})), refusal=Refusal.LOADING),
        Transition(_when(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Transition(_when(), (Effect.TOGGLE_PAUSE,)),
    ),
    Event.RETRY: (
        Transition(_when(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Transition(_when(silent=True), (Effect.RETRY,)),
        Transition(_when(), refusal=Refusal.NOT_SILENT),
    ),
    Event.CANCEL_EDIT: (
        Transition(_when(content=_EDITS), (Effect.CANCEL_EDIT,), draft=Draft.KEPT),
        Transition(_when(), refusal=Refusal.NOT_EDITING),
    ),
    Event.WRITE: (Transition(_when(), draft=Draft.KEPT),),
    Event.SEND_QUEUE: (
        Transition(_when(content=Content.REWORDING, sendable=False), refusal=Refusal.UNSENDABLE),
        Transition(_when(content=Content.REWORDING, reading=True), refusal=Refusal.READING),
        Transition(
            _when(content=Content.REWORDING),
            (Effect.SUBMIT,),
            draft=Draft.KEPT,
            then=Event.SEND_QUEUE,
        ),
        Transition(_when(first=First.NONE), refusal=Refusal.UNSENDABLE),
        Transition(_when(queue=_MOVES)),
        Transition(_when(stage=Stage.IDLE, first=First.BLOCKED), (Effect.REPORT_FIRST,)),
        Transition(_when(stage=Stage.IDLE), (Effect.SEND_FIRST,), queue=QueueState.MOVING),
        Transition(_when(), queue=QueueState.MOVING),
    ),
    Event.SEND: (
        Transition(_when(stage=Stage.ASKING), refusal=Refusal.ASKED),
        Transition(_when(stage=_BUSY | {Stage.NEXT}), refusal=Refusal.BUSY),
        Transition(_when(reading=True), refusal=Refusal.READING),
        Transition(_when(sendable=False), refusal=Refusal.UNSENDABLE),
        Transition(_when(), (Effect.SAY,)),
    ),
    Event.BROADCAST: (
        Transition(_when(sendable=False, composing=False), (Effect.HOLD,)),
        Transition(_when(sendable=False), refusal=Refusal.UNSENDABLE),
        Transition(_when(reading=True), refusal=Refusal.READING),
        Transition(_when(stage=Stage.IDLE), (Effect.SAY,)),
        Transition(_when(composing=True), refusal=Refusal.BUSY),
        Transition(_when(queue=QueueState.STEERING), (Effect.ENQUEUE,)),
        Transition(_when(), (Effect.ENQUEUE,), queue=QueueState.MOVING),
    ),
    Event.END: (Transition(_when(), draft=Draft.KEPT, queue=QueueState.HELD),),
    Event.FILE_REFUSED: (
        Transition(_when(draft=_SUBMITTED), (Effect.REPORT,), draft=Draft.KEPT),
        Transition(_when()),
    ),
    Event.CHANGED: (
        Transition(_READ | _when(stage=_BUSY, content=_NOT_EDIT), (Effect.SETTLE,)),
        Transition(_when(stage=_BUSY)),
        Transition(_when(draft=Draft.STEERING, reading=False), (Effect.SETTLE,)),
        Transition(_when(draft=Draft.STEERING)),
        Transition(_when(stage=Stage.NEXT, queue=QueueState.STEERING), (Effect.SETTLE,)),
        Transition(_when(stage=Stage.NEXT, ended=True), (Effect.SETTLE,)),
        Transition(_READ | _when(first=First.EDITED, ended=True), (Effect.SETTLE,)),
        Transition(_when(queue=_MOVES, first=First.EDITED, ended=True)),
        Transition(_when(queue=_MOVES), queue=QueueState.HELD, then=Event.CHANGED),
        Transition(_READ, (Effect.SETTLE,)),
        Transition(_when()),
    ),
    Event.SETTLE: (
        Transition(_READ | _when(sendable=False), (Effect.REPORT,), draft=Draft.KEPT),
        Transition(_READ | _when(stage=Stage.ASKING)),
        Transition(_READ | _when(content=_NOT_EDIT), draft=Draft.KEPT, then=Event.ENTER),
        Transition(_READ | _when(stage=Stage.IDLE), draft=Draft.KEPT, then=Event.ENTER),
        Transition(_when(stage=_BUSY)),
        Transition(_when(draft=Draft.STEERING, reading=True)),
        Transition(_when(draft=Draft.STEERING, sendable=False), (Effect.REPORT,), draft=Draft.KEPT),
        Transition(_when(draft=Draft.STEERING), (Effect.SUBMIT,), draft=Draft.KEPT),
        Transition(
            _when(stage=Stage.NEXT, first=First.BLOCKED),
            (Effect.REPORT_FIRST,),
            queue=QueueState.HELD,
        ),
        Transition(_when(stage=Stage.NEXT), (Effect.SEND_FIRST,), queue=QueueState.MOVING),
        Transition(_when()),
    ),
    Event.RESULTS: (
        Transition(_when(draft=Draft.STEERING), (Effect.REST,)),
        Transition(_when(queue=QueueState.STEERING), (Effect.REST,)),
        Transition(_when(), (Effect.CONTINUE,)),
    ),
}
"""The transitions: of an event's rows the first that applies."""


def step(state: TurnState, event: Event) -> Step:
    """Return what an event does in a state."""
    row = next(row for row in TABLE[event] if row.applies(state))
    draft = state.draft if row.draft is None else row.draft
    queue = state.queue if row.queue is None else row.queue
    state = replace(state, draft=draft, queue=queue)
    if row.then is not None and not row.effects:
        return step(state, row.then)
    return Step(state, row.effects, row.refusal, row.then)
