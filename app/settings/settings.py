"""What a person has chosen, kept in one small JSON file that is written after every change."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.settings.file_saver import Saving
from app.settings.language import LANGUAGES, tr

log = logging.getLogger(__name__)

_saving = Saving()

UNLOAD_IDLE_MIN = 30.0  # minutes without use after which a model leaves memory at a first start
_WAIT_S = 5.0
_MOST_USED = 500  # models of which it is known when they were used


class Announcer(QObject):
    """Tells of options, so that nobody has to be refreshed by whoever changes one."""

    changed = Signal(str)  # (option): it has another value, which is in the settings already


@dataclass
class Settings:
    """All options, with the values of a first start. Change them with `set`, which saves them."""

    language: str = "system"  # "system", or a code of `LANGUAGES`
    appearance: str = "system"  # "system", "light" or "dark"
    sidebar: bool = True  # whether the list of chats is shown
    unfolded: tuple[str, ...] = ()  # folders of the sidebar of which the inside is shown
    model: str = "guide"  # what a new chat is opened with (``paths.GUIDE``, a folder or a hub id)
    # a new chat is opened with the current chat's model instead, if there is one
    same_model: bool = True
    models: tuple[str, ...] = ()  # model folders opened before, newest first
    # models that answer elsewhere, by their refs; see `app.remote.remotes`. No keys.
    remotes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    find_servers: bool = False  # look for Strettos on this network where remote models are added
    model_folders: tuple[str, ...] = ()  # folders added by hand in which models are looked for
    # by a model's ref, that of the small model which drafts for it
    drafts: Mapping[str, str] = field(default_factory=dict)
    # models that stand first in the list, and are not unloaded when they rest
    pinned: tuple[str, ...] = ()
    # when each model was last used, in seconds since 1970, by its ref
    used: Mapping[str, float] = field(default_factory=dict)
    # after so many minutes without use a model is unloaded; 0 for never
    unload_idle_min: float = UNLOAD_IDLE_MIN
    # what is not wholly downloaded, with its size in bytes (0 if not known)
    downloads: Mapping[str, int] = field(default_factory=dict)
    zoom: int = 100  # size of all text, in percent of what the system asks for
    # contrast, motion: "system", "normal" or "high"; "system" or "less"
    contrast: str = "system"
    motion: str = "system"
    text_px: int = 15  # size of what is read and written in the conversations, in pixels
    send_key: str = "enter"  # "enter", or "ctrl_enter" where Enter breaks the line
    # a pasted text of more characters is attached as a file; 0 attaches none
    long_paste: int = 4000
    # "auto" for the keyboard's language, "off", or the language to check messages in
    spelling: str = "auto"
    # what a new chat's settings begin with, as `ChatOptions.to_params`
    new_chat: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""  # the instructions it begins with
    # settings saved by name: {"params": …, "system": …} each
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    # what models and chats may take, in 10^9 bytes; 0 leaves it to the engine
    memory_gb: float = 0.0
    cache_gb: float = 4.0  # what KV caches may take on disk; 0 keeps none there
    look_for_updates: bool = False  # ask once a day whether there is a newer version
    looked_at: float = 0.0  # when that was done last, in seconds since 1970
    # texts by name, to be put into messages; in the order in which they are listed
    prompts: Mapping[str, str] = field(default_factory=dict)
    # by model how often its answer was kept, and of how many comparisons
    kept: Mapping[str, list[int]] = field(default_factory=dict)
    # by name who is on a panel, as `app.chats.panel.Member.to_json`; "" asked last
    panels: Mapping[str, list[Any]] = field(default_factory=dict)
    panel: str = ""  # the name of the one that is asked with one key
    tray: bool = False  # whether there is an icon in the system's tray or menu bar
    titles: bool = True  # whether models name their chats after the first exchange
    notify: bool = True  # whether the system is told when a long answer has ended while one is away
    # by command the keys that it was given instead of the usual ones; see `OwnKeys`
    shortcuts: Mapping[str, list[str]] = field(default_factory=dict)
    # keys of what was chosen in the command palette, the latest first
    palette_recent: tuple[str, ...] = ()
    settings_page: str = ""  # the page of the settings that was shown last, named in English
    # by a dialog's name where it was left, and how wide and high
    places: Mapping[str, list[int]] = field(default_factory=dict)
    skipped_version: str = ""  # the one that the person does not want to hear of again
    # serve, serve_port: whether other programs may ask the models, and at which port
    serve: bool = False
    serve_port: int = 8080
    serve_others: bool = False  # whether programs of other machines may, too
    serve_with_key: bool = False  # whether those of this machine need a key
    # web pages that may ask, as https://example.org, with blanks between them
    serve_origins: str = ""
    # names that mean another model, as claude-*=Guide, with commas between them
    serve_aliases: str = ""
    # their conversations are kept on disk, apart, in as much room as `cache_gb`
    serve_keep: bool = True
    serve_sessions: int = 64  # how many sessions of other programs there may be
    serve_evict: bool = False  # one more takes the place of the longest unused, and is not refused
    # serve_per_key, serve_per_minute: requests of one key at once, and in a minute; 0 sets none
    serve_per_key: int = 0
    serve_per_minute: int = 0
    # minutes after which models go that only others have used; 0 keeps them
    serve_unload_min: int = 0
    # what other programs ask is read in its turn, and not after the window's chats
    serve_equal: bool = False
    # by program or key its share of the time in percent, while others ask, too
    serve_shares: Mapping[str, int] = field(default_factory=dict)
    agent: tuple[str, ...] = ()  # the coding agent that was started last, and its folder
    # tells which options have changed; no option
    announcer: Announcer = field(default_factory=Announcer, repr=False, compare=False)
    # where they are saved, None for nowhere; no option
    file: Path | None = field(default=None, repr=False, compare=False)
    # where an unreadable file was moved to; no option
    set_aside: Path | None = field(default=None, repr=False, compare=False)
    # why the file could not be read, "" if it could; no option
    unread: str = field(default="", repr=False, compare=False)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse changes that would not be saved."""
        if name in vars(self):
            raise AttributeError(f"{name} can only be changed with set()")
        super().__setattr__(name, value)

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; a value that is missing, unknown or of the wrong type falls back.

        A file that cannot be read is never overwritten: it is moved aside, and where even that
        fails nothing is saved in this run.
        """
        try:
            return cls(**_valid(_read(path)), file=path)
        except FileNotFoundError:
            return cls(file=path)
        except _UNREADABLE as error:
            log.warning("Settings not read, starting with the defaults: %s", error)
            aside = _move_aside(path)
            return cls(file=path if aside is not None else None, set_aside=aside, unread=str(error))

    @classmethod
    def peek(cls, path: Path) -> Settings:
        """What another program that runs has chosen. Its file stays as it is, and is not saved."""
        try:
            return cls(**_valid(_read(path)))
        except _UNREADABLE:
            return cls()

    @property
    def note(self) -> str:
        """What the person should know of how they were read; "" for nothing."""
        if not self.unread:
            return ""
        if self.set_aside is None:
            return tr(
                "Your settings could not be read. Changes are not saved until you quit Stretto."
            )
        return tr(
            "Your settings could not be read and were reset. The old file is kept as {name}.",
            name=self.set_aside.name,
        )

    def set(self, **values: Any) -> None:
        """Change options, have them saved, and announce those that have another value.

        They are written on a thread of their own: nothing waits for the disk here.

        Raises:
            AttributeError: an option is unknown.
            ValueError: a value has the wrong type or is out of bounds. No option is changed.
        """
        defaults = Settings()
        for name, value in values.items():
            if name not in _OPTIONS:
                raise AttributeError(f"{name} is no option")
            if not _is_valid(name, value, getattr(defaults, name)):
                raise ValueError(f"{name} cannot be {value!r}")
        others = [name for name, value in values.items() if getattr(self, name) != value]
        vars(self).update(values)
        if self.file is not None:
            _saving.put(self.file, self._text())
        for name in others:
            self.announcer.changed.emit(name)

    def save(self, path: Path | None = None) -> None:
        """Write the file, or another, and wait for it: a few seconds at most."""
        path = path or self.file
        if path is not None:
            _saving.put(path, self._text())
            if not _saving.wait(path, _WAIT_S):
                log.warning("Settings not saved: the disk does not answer")

    def _text(self) -> str:
        return json.dumps({name: getattr(self, name) for name in _OPTIONS}, indent=2) + "\n"

    def remember_model(self, model: str) -> None:
        """Put a model folder first in the list of those opened before (50 are kept)."""
        self.set(models=(model, *(m for m in self.models if m != model))[:50])

    def note_use(self, model: str, when: float) -> None:
        """Remember when a model was used."""
        latest = sorted({**self.used, model: when}.items(), key=lambda one: one[1])
        self.set(used=dict(latest[-_MOST_USED:]))


_OPTIONS = tuple(option.name for option in fields(Settings) if option.compare)


_UNREADABLE = (OSError, ValueError, RecursionError)


def _read(path: Path) -> dict[str, Any]:
    _saving.wait(path, _WAIT_S)
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise ValueError("it holds no JSON object")
    return data


def _move_aside(path: Path) -> Path | None:
    """Rename the file so that nothing writes over it; None where that is not possible."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(100):
        aside = path.with_name(f"{path.stem}.unreadable-{stamp}{f'-{number}' * bool(number)}.json")
        if os.path.lexists(aside):
            continue
        try:
            path.rename(aside)
        except OSError as error:
            log.warning("The unreadable settings could not be moved aside: %s", error)
            break
        return aside
    return None


def _valid(data: dict[str, Any]) -> dict[str, Any]:
    defaults = Settings()
    # A model that was chosen for new chats before there was this option holds.
    data = {"same_model": data.get("model", defaults.model) == defaults.model, **data}
    return valid(data, {name: getattr(defaults, name) for name in _OPTIONS})


TEXT_PX = (11, 28)  # the smallest and the largest text
ZOOM = (70, 80, 90, 100, 110, 125, 150, 175, 200)  # how large all text can be, in percent
PORTS = (1024, 65535)  # those that a program may take which is not the administrator's
SERVE_LIMITS = {
    "serve_sessions": 1024,
    "serve_per_key": 1024,
    "serve_per_minute": 10_000,
    "serve_unload_min": 1440,
}
"""The most that each limit of other programs may be."""


def valid(data: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of ``data`` that are options and make sense.

    Args:
        defaults: of all options. A value must have the type of its default.
    """
    taken: dict[str, Any] = {}
    for name, default in defaults.items():
        value = data.get(name)
        if isinstance(default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                taken[name] = tuple(value)
        elif isinstance(default, float):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                with suppress(OverflowError):  # a number of four hundred digits, say
                    taken[name] = float(value)
        elif type(value) is type(default):
            taken[name] = value
    for name, good in _ENTRIES.items():
        # The panel that was asked last has no name.
        entries = [(n, v) for n, v in taken.get(name, {}).items() if n or name == "panels"]
        taken[name] = {n: v for n, v in entries if good(v)}
    if sum(taken["serve_shares"].values()) > 100:
        taken["serve_shares"] = {}
    for name, good in _BOUNDS.items():
        if name in taken and not good(taken[name]):
            del taken[name]
    return taken


def _is_valid(name: str, value: Any, default: Any) -> bool:
    """Return True if `valid` accepts the value as it is; entries by name are not checked."""
    if name in _ENTRIES:
        return isinstance(value, dict)
    data = {name: list(value) if isinstance(value, tuple) else value}
    taken = valid(data, {name: default})
    return name in taken and bool(taken[name] == value)


def _whole(values: object, count: int) -> bool:
    """Whether these are so many whole numbers."""
    return (
        isinstance(values, list)
        and len(values) == count
        and all(type(each) is int for each in values)
    )


def _is_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(each, str) for each in values)


_ENTRIES: dict[str, Callable[[Any], bool]] = {
    "presets": lambda v: isinstance(v, dict),
    "remotes": lambda v: isinstance(v, dict),
    "prompts": lambda v: isinstance(v, str),
    "drafts": lambda v: isinstance(v, str),
    "panels": lambda v: isinstance(v, list),
    "kept": lambda v: _whole(v, 2),
    "places": lambda v: _whole(v, 4),
    "serve_shares": lambda v: type(v) is int and 0 < v < 100,
    "shortcuts": _is_texts,
    "downloads": lambda v: type(v) is int and v >= 0,
    "used": lambda v: type(v) in (int, float) and 0 <= v < 1e12,
}
"""What the entries of those options that are by name may be; what has no name is left out."""


def _is_within(most: int, value: int) -> bool:
    return 0 <= value <= most


_BOUNDS: dict[str, Callable[[Any], bool]] = {
    "language": lambda v: v == "system" or v in LANGUAGES,
    "appearance": lambda v: v in {"system", "light", "dark"},
    "send_key": lambda v: v in {"enter", "ctrl_enter"},
    "long_paste": lambda v: 0 <= v <= 1_000_000,
    "text_px": lambda v: TEXT_PX[0] <= v <= TEXT_PX[1],
    "zoom": lambda v: v in ZOOM,
    "contrast": lambda v: v in {"system", "normal", "high"},
    "motion": lambda v: v in {"system", "less"},
    "memory_gb": lambda v: 0 <= v < 100_000,
    "unload_idle_min": lambda v: 0 <= v <= 100_000,
    "serve_port": lambda v: PORTS[0] <= v <= PORTS[1],
    "cache_gb": lambda v: 0 <= v < 100_000,
    **{name: partial(_is_within, most) for name, most in SERVE_LIMITS.items()},
}
