"""Access to the system's keychain, by `keyring`: the hub's token, and keys of remote models.

Never on the GUI thread: the system may be slow, and may ask the user first. The keychain is opened
only if the hub requires a token, after a token was entered and accepted, and when a chat sends to a
remote model. Without a keychain (Linux without a secret service) nothing is stored, and the token
stays in `app.models.downloads.Downloads` until the program ends. Files are not safe enough.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from engine import EngineError
from engine.errors import GATED

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

log = logging.getLogger(__name__)

T = TypeVar("T")

_SERVICE, _USER = "Stretto", "Access token of the Hugging Face hub"
_SAFE = 1.0  # keyring's minimum priority of a recommended keychain


def is_there() -> bool:
    """Return True if this system has a writable keychain."""
    return _keychain() is not None


def read(account: str = _USER) -> str:
    """Return the secret of an account, or "" if it is missing or refused."""
    keychain = _keychain()
    if keychain is None:
        return ""
    try:
        return keychain.get_password(_SERVICE, account) or ""
    except Exception as error:  # the backends raise errors of their own systems
        log.warning("keychain not read: %s", type(error).__name__)
        return ""


def keep(token: str, account: str = _USER) -> bool:
    """Store the secret of an account. Return True if that succeeded."""
    keychain = _keychain()
    if keychain is None:
        return False
    try:
        keychain.set_password(_SERVICE, account, token)
    except Exception as error:
        log.warning("secret not stored in the keychain: %s", type(error).__name__)
        return False
    return True


def forget(account: str = _USER) -> None:
    """Delete the secret of an account, if it exists."""
    keychain = _keychain()
    if keychain is None:
        return
    try:
        if keychain.get_password(_SERVICE, account) is not None:
            keychain.delete_password(_SERVICE, account)
    except Exception as error:
        log.warning("secret not removed from the keychain: %s", type(error).__name__)


def with_token(token: str, ask: Callable[[str | None], T]) -> tuple[T, str]:
    """Ask the hub, with the token of the keychain if one is required and none was given.

    Returns:
        The result of `ask`, and the last token used, or "".

    Raises:
        EngineError: raised by `ask`.
    """
    try:
        return ask(token or None), token
    except EngineError as error:
        kept = read() if error.code == GATED and not token else ""
        if not kept:
            raise
    return ask(kept), kept


def _keychain() -> KeyringBackend | None:
    try:
        import keyring

        found = keyring.get_keyring()
        return found if float(found.priority) >= _SAFE else None
    except Exception as error:
        log.warning("no keychain: %s", type(error).__name__)
        return None
