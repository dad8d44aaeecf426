"""State machine of a chat's turn: states, events, and the transition table."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import mark
from app.store import Attachments, Message


class Writing(Struct, frozen=True):
    draft: str = ""
    attachments: Attachments = ()

    @property
    def text(self) -> str:
        return self.draft

    def with_text(self, text: str) -> Writing:
        return replace(self, draft=text)


class Editing(Struct, frozen=True):
    message: str  # message ID
    text: str  # edited text
    draft: str = ""  # composer text before the edit
    attachments: Attachments = ()  # files of the edited message
    draft_attachments: Attachments = ()

    @classmethod
    def start(cls, message: Message, before: Compose) -> Editing:
        first = before.composer_before if isinstance(before, Editing) else before
        files = message.attachments
        return cls(message.id, message.content, first.draft, files, first.attachments)

    @property
    def composer_before(self) -> Writing:
        return Writing(self.draft, self.draft_attachments)

    def with_text(self, text: str) -> Editing:
        return replace(self, text=text)


Compose = Writing | Editing


class Stage(Enum):
    """State of a chat or a reply, which decides what the user can do.

    Views display `Phase` instead, which has more values for a running reply.
    """

    IDLE = "idle"
    # Between replies. The queue continues once all listeners have handled the end of the reply.
    NEXT = "next"
    LOADING = "loading"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    CALLING = "calling"
    ASKING = "asking"


class QueueState(Enum):
    HELD = "held"  # messages wait until the user sends them
    MOVING = "moving"  # one message is sent after each reply
    STEERING = "steering"  # like MOVING, but the first message interrupts the current reply


class Content(Enum):
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
    WRITE = "write"  # the composer changed, so a submitted draft is no longer submitted
    SEND_QUEUE = "send queue"
    SEND = "send"  # send immediately or not at all
    BROADCAST = "broadcast"  # a message was broadcast from another chat's composer
    END = "end"  # the chat is being deleted or the app is quitting
    # State changes.
    FILE_REFUSED = "file refused"
    CHANGED = "changed"  # a reply started or ended, a file was read, the queue changed
    SETTLE = "settle"  # all listeners have handled the change
    RESULTS = "results"  # the tools have finished


class Effect(Enum):
    SUBMIT = "submit"
    SAY = "say"
    SEND_FIRST = "send first"
    ENQUEUE = "enqueue"
    ENQUEUE_FIRST = "enqueue first"
    EMIT_SENT = "emit sent"  # emit `TurnController.text_sent`
    HOLD = "hold"  # keep the event's message in the composer
    CANCEL_EDIT = "cancel edit"
    STEER_REPLY = "steer reply"
    STOP_REPLY = "stop reply"
    TOGGLE_PAUSE = "toggle pause"
    RETRY = "retry"
    CONTINUE = "continue"  # send the tool results to the model
    END_TURN = "end turn"
    REPORT = "report"  # show why the composer's message wasn't sent
    REPORT_FIRST = "report first"  # show why the first queued message wasn't sent
    SEND_QUEUE = "send queue"  # handle the SEND_QUEUE event
    SETTLE = "settle"  # schedule the SETTLE event


class Refusal(Enum):
    """Reasons for refusing an event, as text for the user."""

    BUSY = mark("The model is still replying. Stop the reply or wait until it has ended.")
    ASKED = mark("Allow or deny the tool call to continue.")
    WAITS = mark("Sends when “{file}” is ready. Esc cancels.")
    WAITS_TO_STEER = mark("Interrupts the reply when “{file}” is ready. Esc cancels.")

    READING = mark("“{file}” is still being read.")
    UNSENDABLE = ""  # the controller provides the text
    NO_REPLY = mark("The model isn’t replying.")
    STOPPING = mark("The reply is stopping.")
    LOADING = mark("The model is still loading.")
    NOT_SILENT = mark("The reply is on its way.")
    NOT_EDITING = mark("No message is being edited.")


class TurnState(Struct, frozen=True):
    """Input of a transition.

    `TurnController` computes it. Only transitions change `submitted`, `steers` and `queue`.
    """

    reply: Stage = Stage.IDLE  # never NEXT, see `stage`
    submitted: bool = False  # the draft is sent when its files have been read
    queue: QueueState = QueueState.HELD
    content: Content = Content.NOTHING
    sendable: bool = False  # can be sent once its files are read and the reply has ended
    reading: bool = False  # a file in the composer is being read
    composing: bool = False
    first: First = First.NONE
    ended: bool = False  # the last reply ended on its own
    panel: bool = False  # the replies belong to a comparison
    silent: bool = False  # the server hasn't started to respond
    several: bool = False  # Enter sends to several chats
    at_limit: bool = False  # the model may not call more tools in this turn
    steers: bool = False  # the submitted draft interrupts the reply

    @property
    def stage(self) -> Stage:
        """Return the stage of the reply, or NEXT between two replies."""
        moves = self.queue is not QueueState.HELD and self.first in {First.BLOCKED, First.READY}
        return Stage.NEXT if moves and self.reply is Stage.IDLE else self.reply


class When(Struct, frozen=True, kw_only=True):
    stage: Stage | frozenset[Stage] | None = None  # None: any value
    submitted: bool | None = None
    queue: QueueState | frozenset[QueueState] | None = None
    content: Content | frozenset[Content] | None = None
    first: First | None = None
    sendable: bool | None = None
    reading: bool | None = None
    composing: bool | None = None
    ended: bool | None = None
    panel: bool | None = None
    silent: bool | None = None
    several: bool | None = None
    at_limit: bool | None = None
    steers: bool | None = None

    def matches(self, state: TurnState) -> bool:
        for name in self.__struct_fields__:
            wanted, value = getattr(self, name), getattr(state, name)
            allowed = wanted if isinstance(wanted, frozenset) else {wanted}
            if wanted is not None and value not in allowed:
                return False
        return True


class Row(Struct, frozen=True):
    when: When
    effects: tuple[Effect, ...] = ()
    submitted: bool | None = None
    steers: bool | None = None
    queue: QueueState | None = None
    refusal: Refusal | None = None
    then: Event | None = None  # continue with the rows of this event, in the new state


class Step(Struct, frozen=True):
    """Result of an event. Falsy if the event was refused."""

    state: TurnState
    effects: tuple[Effect, ...] = ()
    refusal: Refusal | None = None

    def __bool__(self) -> bool:
        return self.refusal is None


_LET_GO = frozenset({Stage.IDLE, Stage.NEXT})
_BUSY = frozenset(Stage) - _LET_GO
_BUSY_OR_NEXT = _BUSY | {Stage.NEXT}
_UNSENT = frozenset({Stage.LOADING, Stage.NEXT})
_SENT = _BUSY - _UNSENT

_MOVES = frozenset({QueueState.MOVING, QueueState.STEERING})
_EDITS = frozenset({Content.EDIT, Content.REWORDING})
_NEW = frozenset({Content.MESSAGE, Content.NOTHING})
_NOT_EDIT = _NEW | {Content.REWORDING}

_SUBMIT = (Effect.SUBMIT, Effect.EMIT_SENT)
_ENQUEUE = (Effect.ENQUEUE, Effect.EMIT_SENT)
_ENQUEUE_FIRST = (Effect.ENQUEUE_FIRST, Effect.EMIT_SENT)
_STEER = (Effect.ENQUEUE_FIRST, Effect.STEER_REPLY, Effect.EMIT_SENT)
_SETTLE = (Effect.SETTLE,)
_NOT_SENDABLE = (
    Row(When(sendable=False, reading=True), refusal=Refusal.READING),
    Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
)

TABLE: dict[Event, tuple[Row, ...]] = {
    Event.ENTER: (
        # The message was submitted before. Say what it's waiting for.
        Row(
            When(submitted=True, steers=True, reading=True, stage=_SENT, panel=False),
            refusal=Refusal.WAITS_TO_STEER,
        ),
        Row(When(submitted=True, reading=True), refusal=Refusal.WAITS),
        Row(When(submitted=True, stage=Stage.ASKING), refusal=Refusal.ASKED),
        Row(When(submitted=True), refusal=Refusal.BUSY),
        # An edit starts another branch, which must not happen during a reply.
        Row(When(content=Content.EDIT, stage=Stage.ASKING), refusal=Refusal.ASKED),
        Row(When(content=Content.EDIT, stage=_BUSY_OR_NEXT), refusal=Refusal.BUSY),
        # The user may think that Enter allows the call, so don't queue. With several chats, the
        # message is meant for the others, too.
        Row(When(content=_NEW, stage=Stage.ASKING, several=False), refusal=Refusal.ASKED),
        *_NOT_SENDABLE,
        Row(When(reading=True), submitted=True, steers=False),
        # Edits aren't passed on to other chats. A reworded message keeps its place in the queue.
        Row(When(content=_EDITS), (Effect.SUBMIT,)),
        Row(When(stage=Stage.IDLE), _SUBMIT),
        Row(When(queue=QueueState.STEERING), _ENQUEUE, submitted=False),
        Row(When(), _ENQUEUE, submitted=False, queue=QueueState.MOVING),
    ),
    Event.STEER: (
        # There's nothing to interrupt.
        Row(When(stage=frozenset({Stage.IDLE, Stage.ASKING})), then=Event.ENTER),
        Row(When(content=_EDITS), then=Event.ENTER),
        # With an empty composer, interrupt the reply for the first queued message.
        Row(When(content=Content.NOTHING, first=First.NONE), refusal=Refusal.UNSENDABLE),
        Row(When(content=Content.NOTHING, stage=_UNSENT), refusal=Refusal.BUSY),
        Row(When(content=Content.NOTHING, panel=True), refusal=Refusal.BUSY),
        Row(When(content=Content.NOTHING), (Effect.STEER_REPLY,), queue=QueueState.STEERING),
        *_NOT_SENDABLE,
        Row(When(reading=True), submitted=True, steers=True),
        Row(When(stage=Stage.NEXT), _ENQUEUE_FIRST, submitted=False),
        # A loading reply or a panel can't be interrupted, so put the message first in the queue.
        Row(When(stage=Stage.LOADING), _ENQUEUE_FIRST, submitted=False, queue=QueueState.MOVING),
        Row(When(panel=True), _ENQUEUE_FIRST, submitted=False, queue=QueueState.MOVING),
        Row(When(), _STEER, submitted=False, queue=QueueState.STEERING),
    ),
    Event.ESCAPE: (
        Row(When(submitted=True), then=Event.WRITE),  # the message stays in the composer
        Row(When(content=_EDITS), then=Event.CANCEL_EDIT),
        Row(When(stage=_BUSY), then=Event.STOP),
        Row(When(), refusal=Refusal.NO_REPLY),
    ),
    Event.STOP: (
        Row(When(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Row(When(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Row(When(), (Effect.STOP_REPLY,), queue=QueueState.HELD),
    ),
    Event.PAUSE: (
        Row(When(stage=_LET_GO), refusal=Refusal.NO_REPLY),
        Row(When(stage=Stage.LOADING), refusal=Refusal.LOADING),
        Row(When(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Row(When(), (Effect.TOGGLE_PAUSE,)),
    ),
    Event.RETRY: (
        Row(When(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Row(When(silent=True), (Effect.RETRY,)),
        Row(When(), refusal=Refusal.NOT_SILENT),
    ),
    Event.CANCEL_EDIT: (
        Row(When(content=_EDITS), (Effect.CANCEL_EDIT,), submitted=False),
        Row(When(), refusal=Refusal.NOT_EDITING),
    ),
    Event.WRITE: (Row(When(), submitted=False),),
    Event.SEND_QUEUE: (
        # The composer has a queued message, which is saved first.
        Row(When(content=Content.REWORDING, sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(content=Content.REWORDING, reading=True), refusal=Refusal.READING),
        Row(When(content=Content.REWORDING), (Effect.SUBMIT, Effect.SEND_QUEUE), submitted=False),
        Row(When(first=First.NONE), refusal=Refusal.UNSENDABLE),
        Row(When(queue=_MOVES)),
        Row(When(stage=Stage.IDLE, first=First.BLOCKED), (Effect.REPORT_FIRST,)),
        Row(When(stage=Stage.IDLE), (Effect.SEND_FIRST,), queue=QueueState.MOVING),
        Row(When(), queue=QueueState.MOVING),
    ),
    Event.SEND: (
        Row(When(stage=Stage.ASKING), refusal=Refusal.ASKED),
        Row(When(stage=_BUSY_OR_NEXT), refusal=Refusal.BUSY),
        Row(When(reading=True), refusal=Refusal.READING),
        Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(), (Effect.SAY,)),
    ),
    Event.BROADCAST: (
        # Show an unsendable message in the composer for correction, but never replace a draft.
        Row(When(sendable=False, composing=False), (Effect.HOLD,)),
        Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(reading=True), refusal=Refusal.READING),
        Row(When(stage=Stage.IDLE), (Effect.SAY,)),
        Row(When(composing=True), refusal=Refusal.BUSY),
        Row(When(queue=QueueState.STEERING), (Effect.ENQUEUE,)),
        Row(When(), (Effect.ENQUEUE,), queue=QueueState.MOVING),
    ),
    Event.END: (Row(When(), submitted=False, queue=QueueState.HELD),),
    Event.FILE_REFUSED: (
        Row(When(submitted=True), (Effect.REPORT,), submitted=False),
        Row(When()),
    ),
    # Decides if SETTLE has something to do. If not, no timer is needed.
    Event.CHANGED: (
        # A draft whose files were read is queued during a reply. An edit waits for its end.
        Row(When(submitted=True, reading=False, stage=_BUSY, content=_NOT_EDIT), _SETTLE),
        Row(When(stage=_BUSY)),
        # An interrupted reply didn't end on its own, but the queue moves because of it.
        Row(When(stage=Stage.NEXT, queue=QueueState.STEERING), _SETTLE),
        Row(When(stage=Stage.NEXT, ended=True), _SETTLE),
        Row(When(submitted=True, reading=False, first=First.EDITED, ended=True), _SETTLE),
        Row(When(queue=_MOVES, first=First.EDITED, ended=True)),  # wait until it's edited
        # The queue is empty, or the reply failed or was stopped.
        Row(When(queue=_MOVES), queue=QueueState.HELD, then=Event.CHANGED),
        Row(When(submitted=True, reading=False), _SETTLE),
        Row(When()),
    ),
    Event.SETTLE: (
        # A draft whose files have been read.
        Row(When(submitted=True, reading=False, sendable=False), (Effect.REPORT,), submitted=False),
        # See ENTER: the user may think that it allows the call.
        Row(When(submitted=True, reading=False, content=_NEW, stage=Stage.ASKING, several=False)),
        Row(
            When(submitted=True, reading=False, content=_NOT_EDIT, steers=True),
            submitted=False,
            then=Event.STEER,
        ),
        Row(
            When(submitted=True, reading=False, content=_NOT_EDIT),
            submitted=False,
            then=Event.ENTER,
        ),
        Row(
            When(submitted=True, reading=False, stage=Stage.IDLE), submitted=False, then=Event.ENTER
        ),
        Row(When(stage=_BUSY)),
        Row(
            When(stage=Stage.NEXT, first=First.BLOCKED),
            (Effect.REPORT_FIRST,),
            queue=QueueState.HELD,
        ),
        Row(When(stage=Stage.NEXT), (Effect.SEND_FIRST,), queue=QueueState.MOVING),
        Row(When()),
    ),
    Event.RESULTS: (
        # If the reply was interrupted, the model doesn't get to see the results.
        Row(When(queue=QueueState.STEERING), (Effect.END_TURN,)),
        Row(When(at_limit=True), (Effect.END_TURN,)),
        Row(When(), (Effect.CONTINUE,)),
    ),
}
"""Transitions by event. The first matching row applies. A row without an effect, change or refusal
does nothing.
"""


def step(state: TurnState, event: Event) -> Step:
    row = next(row for row in TABLE[event] if row.when.matches(state))
    submitted = state.submitted if row.submitted is None else row.submitted
    queue = state.queue if row.queue is None else row.queue
    steers = state.steers if row.steers is None else row.steers
    state = replace(state, submitted=submitted, steers=steers, queue=queue)
    return step(state, row.then) if row.then is not None else Step(state, row.effects, row.refusal)
