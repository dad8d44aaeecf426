"""Where what is written in a pane goes, where that is not this program."""

from __future__ import annotations

from collections.abc import Sequence

from app.chats.chat import Chat
from app.chats.model_choice import LoadState
from app.language import counted, mark, tr
from app.remote.address import Remote
from app.remote.kinds import KINDS
from app.remote.session import RemoteModel
from app.ui.pane.sampling_form import MORE


def state(remote: Remote, *, short: bool) -> str:
    """What stands beside the model's name while it rests."""
    if short:
        return tr("Remote", "of a model that answers on another machine")
    return tr("On this machine") if remote.here else tr("Leaves this machine")


def foot(remotes: Sequence[Remote], *, hidden: bool = False) -> str:
    """The line below the composer's text; "" where the text stays here.

    ``hidden``: which model it is must not be told now.
    """
    away = list(dict.fromkeys(remote.host for remote in remotes if not remote.here))
    here = list(dict.fromkeys(remote.host for remote in remotes if remote.here))
    if hidden and away:
        return tr("What you send leaves this machine.")
    if away:
        return tr("Sent to {host}: it leaves this machine.", host=", ".join(away + here))
    hosts = ", ".join(here)
    return tr("Sent to {host}, another program of this machine.", host=hosts) if here else ""


def teaching(remote: Remote) -> str:
    """What an empty chat says of its model."""
    if remote.here:
        text = mark("It is answered by another program of this machine, at {host}.")
    else:
        text = mark("It runs on another machine: all that you send in this chat goes to {host}.")
    return tr(text, host=remote.host)


def of_tools(chat: Chat) -> str:
    """What is to be known of a chat's model before it is given tools; "" for nothing."""
    model, remote = chat.model_status.model, chat.remote
    if remote is not None:
        text = mark("What they return is sent to {host}, as what you write is.")
        return tr(text, host=remote.host)
    none = model is not None and not model.tool_format
    return tr("{name} cannot call tools.", name=chat.model_status.name) if none else ""


def of_settings(chat: Chat) -> str:
    """Which settings of a chat have no effect where its model is; "" for a model of this program.

    What concerns the engine's own work never has: memory, bits, and forgetting the oldest turns.
    """
    if (remote := chat.remote) is None:
        return ""
    known = chat.model_status.model
    kind = KINDS[known.remote.kind if isinstance(known, RemoteModel) else remote.kind]
    names = [tr(number.words) for number in MORE if number.name not in kind.sampling]
    names += [tr("KV cache"), tr("Context")]
    return tr(
        "{host} is not told of: {names}. How many tokens a chat takes it says after each answer.",
        host=remote.host,
        names=", ".join(names),
    )


def words(chat: Chat, heard: int, others: Sequence[Remote]) -> tuple[str, str]:
    """What stands in the empty composer of a chat, and the line below the text.

    Args:
        heard: how many chats hear what is written there; 0 for this one only.
        others: where it goes besides.
    """
    placeholder = (
        counted("Message %n chat…", "Message %n chats…", heard)
        if heard > 1
        else tr("Message {name}…", name=chat.alias or chat.model_status.name)
    )
    known = chat.model_status.state is LoadState.READY  # nothing is sent to one that was removed
    own = (chat.remote,) if chat.remote is not None and known else ()
    return placeholder, foot((*own, *others), hidden=bool(chat.alias))
