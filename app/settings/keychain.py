"""Access to the system keychain via `keyring`, for the hub token and keys of remote models.

Don't use this on the GUI thread, because the system may be slow or ask the user. The keychain is
only opened if the hub asks for a token, after a new token was accepted, and when a chat sends to a
remote model. Without a keychain (Linux without a secret service), nothing is stored, because files
aren't safe enough. The token then stays in `app.models.downloads.Downloads` until the app quits.
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
_SAFE = 1.0  # minimum priority at which keyring recommends a backend


def is_there() -> bool:
    return _keychain() is not None


def read(account: str = _USER) -> str:
    """Return an account's secret, or "" if it's missing or access was denied."""
    return _use(lambda keychain: keychain.get_password(_SERVICE, account)) or ""


def store_secret(token: str, account: str = _USER) -> bool:
    """Store an account's secret. Return True on success."""

    def store(keychain: KeyringBackend) -> bool:
        keychain.set_password(_SERVICE, account, token)
        return True

    return _use(store) is not None


def delete(account: str = _USER) -> None:
    def delete(keychain: KeyringBackend) -> None:
        if keychain.get_password(_SERVICE, account) is not None:
            keychain.delete_password(_SERVICE, account)

    _use(delete)


def _use(work: Callable[[KeyringBackend], T]) -> T | None:
    """Return the result of ``work``, or None if there's no keychain or it fails."""
    keychain = _keychain()
    try:
        return work(keychain) if keychain is not None else None
    except Exception as error:  # backends raise platform-specific exceptions
        log.warning("keychain not used: %s", type(error).__name__)
        return None


def call_with_token(token: str, ask: Callable[[str | None], T]) -> tuple[T, str]:
    """Query the hub. If it asks for a token and none was given, retry with the keychain's.

    Returns the result of `ask`, and the last token used, or "".
    """
    try:
        return ask(token or None), token
    except EngineError as error:
        stored_token = read() if error.code == GATED and not token else ""
        if not stored_token:
            raise
    return ask(stored_token), stored_token


def _keychain() -> KeyringBackend | None:
    try:
        import keyring

        backend = keyring.get_keyring()
        return backend if float(backend.priority) >= _SAFE else None
    except Exception as error:
        log.warning("keychain unavailable: %s", type(error).__name__)
        return None
