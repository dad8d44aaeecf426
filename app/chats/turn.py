"""State machine of a chat's turn: states, events, and the transition table."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import mark
from app.store import Attachments, Message


class Draft(Struct, frozen=True):
    """New message in the composer, or one that an event brings."""

    text: str = ""
    attachments: Attachments = ()

    def with_text(self, text: str) -> Draft:
        return replace(self, text=text)


class MessageEdit(Struct, frozen=True):
    """Edit of a sent or queued message in the composer. ``draft`` returns when it ends."""

    message_id: str
    text: str
    draft: Draft = Draft()
    attachments: Attachments = ()

    @classmethod
    def start(cls, message: Message, before: ComposerContent) -> MessageEdit:
        draft = before.draft if isinstance(before, MessageEdit) else before
        return cls(message.id, message.content, draft, message.attachments)

    def with_text(self, text: str) -> MessageEdit:
        return replace(self, text=text)


ComposerContent = Draft | MessageEdit


class Stage(Enum):
    """State of a chat or a reply, which decides what the user can do.

    Views display `Phase` instead, which has more values for a running reply, but none for STOPPING.
    """

    IDLE = "idle"
    # Between replies. The queue continues once all listeners have handled the end of the reply,
    # because a judge may start its second pass then.
    NEXT = "next"
    LOADING = "loading"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    CALLING = "calling"
    ASKING = "asking"


class DraftState(Enum):
    KEPT = "kept"  # stays in the composer
    WAITS = "waits"  # is sent when its files have been read
    STEERS = "steers"  # like WAITS, but also interrupts the reply

    @property
    def is_waiting(self) -> bool:
        return self is not DraftState.KEPT


class QueueState(Enum):
    HELD = "held"  # messages wait until the user sends them
    MOVING = "moving"  # one message is sent after each reply
    STEERING = "steering"  # like MOVING, but the first message interrupts the current reply


class Content(Enum):
    """Content of the composer, or of an event's message."""

    NOTHING = "nothing"
    MESSAGE = "message"
    EDIT = "edit"  # edit of a sent message
    REWORDING = "rewording"  # edit of a queued message


class QueueHead(Enum):
    """State of the first queued message."""

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
    WRITE = "write"  # the composer changed, so its draft no longer waits for files
    SEND_QUEUE = "send queue"
    SEND_OR_REFUSE = "send or refuse"  # send immediately or not at all
    BROADCAST = "broadcast"  # a message was broadcast from another chat's composer
    CLOSE = "close"  # the chat is being deleted or the app is quitting
    # State changes.
    FILE_NOTICE = "file notice"  # a file, or a part of it, wasn't attached
    CHANGED = "changed"  # a reply started or ended, a file was read, the queue changed
    SETTLE = "settle"  # all listeners have handled the change
    RESULTS = "results"  # the tools have finished


class Effect(Enum):
    SUBMIT = "submit"  # send the draft, or apply the edit
    SEND_NOW = "send now"  # send the event's message
    SEND_FIRST = "send first"
    ENQUEUE = "enqueue"
    ENQUEUE_FIRST = "enqueue first"
    EMIT_SENT = "emit sent"  # emit `TurnController.text_sent`
    HOLD = "hold"  # keep the event's message in the composer
    RESTORE_DRAFT = "restore draft"  # the draft from before the edit
    STEER_REPLY = "steer reply"
    STOP_REPLY = "stop reply"
    TOGGLE_PAUSE = "toggle pause"
    RESEND_REQUEST = "resend request"
    CONTINUE = "continue"  # send the tool results to the model
    END_TURN = "end turn"
    REPORT = "report"  # show why the composer's message wasn't sent
    REPORT_FIRST = "report first"  # show why the first queued message wasn't sent
    HANDLE_SEND_QUEUE = "handle send queue"  # handle the SEND_QUEUE event
    SCHEDULE_SETTLE = "schedule settle"  # schedule the SETTLE event


class Refusal(Enum):
    """Reasons for refusing an event, as text for the user, except UNSENDABLE."""

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

    `TurnController` computes it. Only transitions change `draft` and `queue`.
    """

    reply_stage: Stage = Stage.IDLE  # never NEXT, see `stage`
    draft: DraftState = DraftState.KEPT
    queue: QueueState = QueueState.HELD
    content: Content = Content.NOTHING
    sendable: bool = False  # can be sent once its files are read and the reply has ended
    reading: bool = False  # a file in the composer is being read
    composing: bool = False
    head: QueueHead = QueueHead.NONE  # of the queue
    last_reply_complete: bool = False  # the branch ends with a complete reply, new or old
    panel: bool = False  # the replies belong to a comparison
    silent: bool = False  # the server hasn't started to respond
    several: bool = False  # Enter sends to several chats
    at_limit: bool = False  # the model may not call more tools in this turn

    @property
    def stage(self) -> Stage:
        """Return the stage of the reply, or NEXT between two replies."""
        has_next = self.head in {QueueHead.BLOCKED, QueueHead.READY}
        moves = has_next and self.queue is not QueueState.HELD
        return Stage.NEXT if moves and self.reply_stage is Stage.IDLE else self.reply_stage


class When(Struct, frozen=True, kw_only=True):
    stage: Stage | frozenset[Stage] | None = None  # None: any value
    draft: DraftState | frozenset[DraftState] | None = None
    queue: QueueState | frozenset[QueueState] | None = None
    content: Content | frozenset[Content] | None = None
    head: QueueHead | None = None
    sendable: bool | None = None
    reading: bool | None = None
    composing: bool | None = None
    last_reply_complete: bool | None = None
    panel: bool | None = None
    silent: bool | None = None
    several: bool | None = None
    at_limit: bool | None = None

    def matches(self, state: TurnState) -> bool:
        for name in self.__struct_fields__:
            condition, value = getattr(self, name), getattr(state, name)
            allowed = condition if isinstance(condition, frozenset) else {condition}
            if condition is not None and value not in allowed:
                return False
        return True


class Row(Struct, frozen=True):
    when: When
    effects: tuple[Effect, ...] = ()
    draft: DraftState | None = None
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


_AT_REST = frozenset({Stage.IDLE, Stage.NEXT})
_BUSY = frozenset(Stage) - _AT_REST
_BUSY_OR_NEXT = _BUSY | {Stage.NEXT}
_UNSENT = frozenset({Stage.LOADING, Stage.NEXT})
_STEERABLE = _BUSY - _UNSENT - {Stage.ASKING}

_WAITING = frozenset({DraftState.WAITS, DraftState.STEERS})
_MOVES = frozenset({QueueState.MOVING, QueueState.STEERING})
_EDITS = frozenset({Content.EDIT, Content.REWORDING})
_NEW = frozenset({Content.MESSAGE, Content.NOTHING})
_NOT_EDIT = _NEW | {Content.REWORDING}
_UNQUEUED = _NEW | {Content.EDIT}

_SUBMIT = (Effect.SUBMIT, Effect.EMIT_SENT)
_ENQUEUE = (Effect.ENQUEUE, Effect.EMIT_SENT)
_ENQUEUE_FIRST = (Effect.ENQUEUE_FIRST, Effect.EMIT_SENT)
_STEER = (Effect.ENQUEUE_FIRST, Effect.STEER_REPLY, Effect.EMIT_SENT)
_SETTLE = (Effect.SCHEDULE_SETTLE,)
_NOT_SENDABLE = (
    Row(When(sendable=False, reading=True), refusal=Refusal.READING),
    Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
)

TABLE: dict[Event, tuple[Row, ...]] = {
    Event.ENTER: (
        # Enter was pressed before. Say what the message is waiting for.
        Row(
            When(draft=_WAITING, content=_UNQUEUED, stage=Stage.ASKING, several=False),
            refusal=Refusal.ASKED,
        ),
        Row(
            When(draft=DraftState.STEERS, reading=True, stage=_STEERABLE, panel=False),
            refusal=Refusal.WAITS_TO_STEER,
        ),
        Row(When(draft=_WAITING, reading=True), refusal=Refusal.WAITS),
        Row(When(draft=_WAITING), refusal=Refusal.BUSY),
        # An edit starts another branch, which must not happen during a reply.
        Row(When(content=Content.EDIT, stage=Stage.ASKING), refusal=Refusal.ASKED),
        Row(When(content=Content.EDIT, stage=_BUSY_OR_NEXT), refusal=Refusal.BUSY),
        # The user may think that Enter allows the call, so don't queue. With several chats, the
        # message is meant for the others, too.
        Row(When(content=_NEW, stage=Stage.ASKING, several=False), refusal=Refusal.ASKED),
        *_NOT_SENDABLE,
        Row(When(reading=True), draft=DraftState.WAITS),
        # Edits aren't passed on to other chats. A reworded message keeps its place in the queue.
        Row(When(content=_EDITS), (Effect.SUBMIT,)),
        Row(When(stage=Stage.IDLE), _SUBMIT),
        Row(When(queue=QueueState.STEERING), _ENQUEUE, draft=DraftState.KEPT),
        Row(When(), _ENQUEUE, draft=DraftState.KEPT, queue=QueueState.MOVING),
    ),
    Event.STEER: (
        # There's nothing to interrupt.
        Row(When(stage=frozenset({Stage.IDLE, Stage.ASKING})), then=Event.ENTER),
        Row(When(content=_EDITS), then=Event.ENTER),
        # A file may become the message.
        Row(When(content=Content.NOTHING, reading=True), refusal=Refusal.READING),
        # With an empty composer, interrupt the reply for the first queued message.
        Row(When(content=Content.NOTHING, head=QueueHead.NONE), refusal=Refusal.UNSENDABLE),
        Row(When(content=Content.NOTHING, stage=_UNSENT), refusal=Refusal.BUSY),
        Row(When(content=Content.NOTHING, panel=True), refusal=Refusal.BUSY),
        Row(When(content=Content.NOTHING), (Effect.STEER_REPLY,), queue=QueueState.STEERING),
        *_NOT_SENDABLE,
        Row(When(reading=True), draft=DraftState.STEERS),
        Row(When(stage=Stage.NEXT), _ENQUEUE_FIRST, draft=DraftState.KEPT),
        # A loading reply or a panel can't be interrupted, so put the message first in the queue.
        Row(
            When(stage=Stage.LOADING),
            _ENQUEUE_FIRST,
            draft=DraftState.KEPT,
            queue=QueueState.MOVING,
        ),
        Row(When(panel=True), _ENQUEUE_FIRST, draft=DraftState.KEPT, queue=QueueState.MOVING),
        Row(When(), _STEER, draft=DraftState.KEPT, queue=QueueState.STEERING),
    ),
    Event.ESCAPE: (
        Row(When(draft=_WAITING), then=Event.WRITE),  # the message stays in the composer
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
        Row(When(stage=_AT_REST), refusal=Refusal.NO_REPLY),
        Row(When(stage=Stage.LOADING), refusal=Refusal.LOADING),
        Row(When(stage=Stage.STOPPING), refusal=Refusal.STOPPING),
        Row(When(), (Effect.TOGGLE_PAUSE,)),
    ),
    Event.RETRY: (
        Row(When(stage=Stage.IDLE), refusal=Refusal.NO_REPLY),
        Row(When(silent=True), (Effect.RESEND_REQUEST,)),
        Row(When(), refusal=Refusal.NOT_SILENT),
    ),
    Event.CANCEL_EDIT: (
        Row(When(content=_EDITS), (Effect.RESTORE_DRAFT,), draft=DraftState.KEPT),
        Row(When(), refusal=Refusal.NOT_EDITING),
    ),
    Event.WRITE: (Row(When(), draft=DraftState.KEPT),),
    Event.SEND_QUEUE: (
        # The composer has a queued message, which is saved first.
        Row(When(content=Content.REWORDING, sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(content=Content.REWORDING, reading=True), refusal=Refusal.READING),
        Row(
            When(content=Content.REWORDING),
            (Effect.SUBMIT, Effect.HANDLE_SEND_QUEUE),
            draft=DraftState.KEPT,
        ),
        Row(When(head=QueueHead.NONE), refusal=Refusal.UNSENDABLE),
        Row(When(queue=_MOVES)),
        Row(When(stage=Stage.IDLE, head=QueueHead.BLOCKED), (Effect.REPORT_FIRST,)),
        Row(When(stage=Stage.IDLE), (Effect.SEND_FIRST,), queue=QueueState.MOVING),
        Row(When(), queue=QueueState.MOVING),
    ),
    Event.SEND_OR_REFUSE: (
        Row(When(stage=Stage.ASKING), refusal=Refusal.ASKED),
        Row(When(stage=_BUSY_OR_NEXT), refusal=Refusal.BUSY),
        Row(When(reading=True), refusal=Refusal.READING),
        Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(), (Effect.SEND_NOW,)),
    ),
    Event.BROADCAST: (
        # Show an unsendable message in the composer for correction, but never replace a draft.
        Row(When(sendable=False, composing=False), (Effect.HOLD,)),
        Row(When(sendable=False), refusal=Refusal.UNSENDABLE),
        Row(When(reading=True), refusal=Refusal.READING),
        Row(When(stage=Stage.IDLE), (Effect.SEND_NOW,)),
        Row(When(composing=True), refusal=Refusal.BUSY),
        Row(When(queue=QueueState.STEERING), (Effect.ENQUEUE,)),
        Row(When(), (Effect.ENQUEUE,), queue=QueueState.MOVING),
    ),
    Event.CLOSE: (Row(When(), draft=DraftState.KEPT, queue=QueueState.HELD),),
    Event.FILE_NOTICE: (
        Row(When(draft=_WAITING), (Effect.REPORT,), draft=DraftState.KEPT),
        Row(When()),
    ),
    # Schedules SETTLE if it would do something.
    Event.CHANGED: (
        # A draft whose files were read is queued during a reply. An edit waits for its end.
        Row(When(draft=_WAITING, reading=False, stage=_BUSY, content=_NOT_EDIT), _SETTLE),
        Row(When(stage=_BUSY)),
        # An interrupted reply didn't end on its own, but the queue moves because of it.
        Row(When(stage=Stage.NEXT, queue=QueueState.STEERING), _SETTLE),
        Row(When(stage=Stage.NEXT, last_reply_complete=True), _SETTLE),
        # The edit of the first queued message is saved once its files are read.
        Row(
            When(draft=_WAITING, reading=False, head=QueueHead.EDITED, last_reply_complete=True),
            _SETTLE,
        ),
        # Until it's edited, the queue waits.
        Row(When(queue=_MOVES, head=QueueHead.EDITED, last_reply_complete=True)),
        # The queue is empty, or the reply failed or was stopped.
        Row(When(queue=_MOVES), queue=QueueState.HELD, then=Event.CHANGED),
        Row(When(draft=_WAITING, reading=False), _SETTLE),
        Row(When()),
    ),
    Event.SETTLE: (
        # A draft whose files have been read.
        Row(
            When(draft=_WAITING, reading=False, sendable=False),
            (Effect.REPORT,),
            draft=DraftState.KEPT,
        ),
        # See ENTER: the user may think that it allows the call.
        Row(When(draft=_WAITING, reading=False, content=_NEW, stage=Stage.ASKING, several=False)),
        Row(
            When(draft=DraftState.STEERS, reading=False, content=_NOT_EDIT),
            draft=DraftState.KEPT,
            then=Event.STEER,
        ),
        Row(
            When(draft=_WAITING, reading=False, content=_NOT_EDIT),
            draft=DraftState.KEPT,
            then=Event.ENTER,
        ),
        Row(
            When(draft=_WAITING, reading=False, stage=Stage.IDLE),
            draft=DraftState.KEPT,
            then=Event.ENTER,
        ),
        Row(When(stage=_BUSY)),
        Row(
            When(stage=Stage.NEXT, head=QueueHead.BLOCKED),
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
    state = replace(state, draft=row.draft or state.draft, queue=row.queue or state.queue)
    return step(state, row.then) if row.then is not None else Step(state, row.effects, row.refusal)
