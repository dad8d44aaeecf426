"""The hub's access token, and keys of remote models, in the system's keychain, by `keyring`.

Never on the GUI thread.

The system may take its time, and may ask the person first. So the keychain is opened only where the
hub has refused to answer without a token, where one was typed in that the hub has taken, and where
a chat sends to a remote model.

Where there is no keychain (a Linux without a secret service) nothing is kept: the token lives in
`app.models.downloads.Downloads` until the program ends. Files are no place for it.
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
_SAFE = 1.0  # keyring's own mark of a keychain that is fit to be recommended


def is_there() -> bool:
    """Whether this system has a keychain that can be written."""
    return _keychain() is not None


def read(account: str = _USER) -> str:
    """What was kept under a name; "" where there is nothing, or the system does not give it."""
    keychain = _keychain()
    if keychain is None:
        return ""
    try:
        return keychain.get_password(_SERVICE, account) or ""
    except Exception as error:  # the backends raise whatever their systems do
        log.warning("The keychain was not read: %s", type(error).__name__)
        return ""


def keep(token: str, account: str = _USER) -> bool:
    """Keep a secret under a name, in place of another; whether that was possible."""
    keychain = _keychain()
    if keychain is None:
        return False
    try:
        keychain.set_password(_SERVICE, account, token)
    except Exception as error:
        log.warning("The token was not kept: %s", type(error).__name__)
        return False
    return True


def forget(account: str = _USER) -> None:
    """Take a secret out of the keychain, if one is there."""
    keychain = _keychain()
    if keychain is None:
        return
    try:
        if keychain.get_password(_SERVICE, account) is not None:
            keychain.delete_password(_SERVICE, account)
    except Exception as error:
        log.warning("The token was not taken out of the keychain: %s", type(error).__name__)


def with_token(token: str, ask: Callable[[str | None], T]) -> tuple[T, str]:
    """Ask the hub, with the token from the keychain if it wants one and none was given.

    Returns:
        What `ask` returned, and the token that it was given last; "" for none.

    Raises:
        EngineError: what `ask` raised.
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
        log.warning("There is no keychain: %s", type(error).__name__)
        return None
