"""User settings, declared once and saved to a small JSON file on every change."""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QObject, Signal

from app.settings.file_saver import FileSaver
from app.settings.language import LANGUAGES, mark, tr
from app.settings.paths import free_dated_path

log = logging.getLogger(__name__)

_saving = FileSaver()

UNLOAD_IDLE_MIN = 30.0  # default number of idle minutes before a model is unloaded
_WAIT_S = 5.0
_MOST_USED = 500  # maximum number of models with a stored time of last use


class SettingsSignals(QObject):
    changed = Signal(str)  # (option): emitted after the new value was set


@dataclass(frozen=True)
class Option:
    """Valid values of an option and its row in the settings window, or only a row.

    Texts are in English and marked for translation.
    """

    page: str = ""  # "": no row
    label: str = ""
    section: str = ""  # title of a section that starts with this row
    search: str = ""  # comma-separated alternative names
    about: str = ""  # description below the label
    unit: str = ""
    zero: str = ""  # shown in place of the number 0
    step: float = 1
    button: str = ""
    command: str = ""  # window command that the button runs
    choices: Collection[object] = ()  # valid values, with their names if it's a mapping
    within: tuple[float, float] = (-math.inf, math.inf)  # bounds of a number
    each: Callable[[Any], bool] | None = None  # predicate for the values of a mapping
    nameless: bool = False  # a mapping may have an entry without a name


def _option(default: object, page: str = "", label: str = "", **rest: Any) -> Any:
    options: dict[str, Any] = {"metadata": {"option": Option(page, label, **rest)}}
    if isinstance(default, dict):
        assert not default, "the factory makes empty mappings"
        return field(default_factory=dict, **options)
    return field(default=default, **options)


def _are_integers(values: object, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(type(item) is int for item in values)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(map(_is_text, values))


ZOOM = (70, 80, 90, 100, 110, 125, 150, 175, 200)  # text sizes in percent
_SYSTEM = mark("System")
THEMES = {"system": _SYSTEM, "light": mark("Light"), "dark": mark("Dark")}


@dataclass
class Settings:
    """User settings with their defaults. Use `set` to change them, which also saves them.

    Options with a page appear in the settings window and the palette, in this order. Rows without a
    value of their own are class variables.
    """

    language: str = _option(
        "system",
        "General",
        mark("Language"),
        search=mark("translation, locale"),
        choices=("system", *LANGUAGES),
    )
    # Key sequences by command, where they differ from the defaults. See `Shortcuts`.
    shortcuts: Mapping[str, list[str]] = _option(
        {},
        "General",
        mark("Keyboard shortcuts"),
        search=mark("keys, hotkeys, key bindings"),
        button=mark("Customize…"),
        command="shortcuts",
        each=_are_texts,
    )
    # In "ctrl_enter" mode, Enter inserts a line break.
    send_key: str = _option(
        "enter",
        "General",
        mark("Send messages with"),
        section=mark("Messages"),
        search=mark("Enter key, Return key, new line"),
        choices=("enter", "ctrl_enter"),
    )
    long_paste: int = _option(
        4000,
        "General",
        mark("Attach long pastes as files"),
        search=mark("clipboard, paste"),
        about=mark("Longer pastes become attachments."),
        unit=mark(" characters"),
        zero=mark("Never"),
        step=500,
        within=(0, 1_000_000),
    )
    # "auto" to use the keyboard language, "off", or a language.
    spelling: str = _option(
        "auto", "General", mark("Check spelling"), search=mark("spellcheck, dictionary, typos")
    )
    notify: bool = _option(
        True,
        "General",
        mark("Notify about long replies"),
        search=mark("notifications, alerts, sound"),
        about=mark("When a reply ends while Stretto is in the background"),
    )
    tray: bool = _option(
        False,
        "General",
        mark("Menu bar icon") if sys.platform == "darwin" else mark("System tray icon"),
        section=mark("Quick access"),
    )
    look_for_updates: bool = _option(
        False,
        "General",
        mark("Check for updates daily"),
        section=mark("Updates"),
        search=mark("upgrade, new version"),
        about=mark("Nothing about you is sent, and nothing is installed automatically."),
    )
    appearance: str = _option(
        "system",
        "Appearance",
        mark("Theme"),
        search=mark("dark mode, light mode, night, appearance, colors"),
        choices=THEMES,
    )
    contrast: str = _option(
        "system",
        "Appearance",
        mark("Contrast"),
        search=mark("accessibility, readability"),
        choices={"system": _SYSTEM, "normal": mark("Normal"), "high": mark("High")},
    )
    zoom: int = _option(
        100,
        "Appearance",
        mark("Interface zoom"),
        search=mark("font size, scale, larger, smaller"),
        choices=ZOOM,
    )
    text_px: int = _option(
        15,
        "Appearance",
        mark("Message text size"),
        search=mark("font size, larger, smaller"),
        unit=mark(" px"),
        within=(11, 28),
    )
    motion: str = _option(
        "system",
        "Appearance",
        mark("Reduce motion"),
        search=mark("animations, effects"),
        choices={"system": _SYSTEM, "less": mark("On"), "full": mark("Off")},
    )
    titles: bool = _option(
        True,
        "Chats",
        mark("Name chats automatically"),
        search=mark("titles"),
        about=mark("The chat’s model suggests a name. Names you set are kept."),
    )
    # Model for new chats: ``paths.GUIDE``, a folder, or a hub ID.
    model: str = _option(
        "guide", "Chats", mark("Model"), section=mark("New chats"), search=mark("default model")
    )
    # Use the current chat's model for new chats, if a chat is open.
    same_model: bool = True
    # Options for new chats, in the format of `ChatOptions.to_params`.
    new_chat: Mapping[str, Any] = _option({})
    temperature: ClassVar = Option(
        "Chats", mark("Temperature"), search=mark("creativity, randomness, sampling")
    )
    max_tokens: ClassVar = Option(
        "Chats", mark("Longest reply"), search=mark("maximum tokens, length")
    )
    slide: ClassVar = Option(
        "Chats",
        mark("Leave out oldest messages when context is full"),
        search=mark("context window, overflow"),
    )
    # The UI always calls these "instructions". The other names only help searching.
    system: str = _option(
        "", "Chats", mark("Instructions"), search="system prompt, custom instructions, role"
    )
    # Memory limit for models and chats in 10^9 bytes. 0 means the engine's default.
    memory_gb: float = _option(
        0.0,
        "Models",
        mark("Memory limit"),
        section=mark("Memory"),
        search=mark("RAM"),
        about=mark("For models and chats. Takes effect after a restart."),
        unit=mark(" GB"),
        zero=mark("Automatic"),
        step=0.5,
        within=(0, 100_000),
    )
    unload_idle_min: float = _option(
        UNLOAD_IDLE_MIN,
        "Models",
        mark("Unload idle models after"),
        search=mark("free memory"),
        about=mark("Models reload when a chat needs them."),
        unit=mark(" min"),
        zero=mark("Never"),
        step=5,
        within=(0, 100_000),
    )
    serve: bool = _option(
        False,
        "Local API",
        mark("Local API server"),
        search=mark("HTTP, OpenAI, endpoint"),
        about=mark(
            "Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs."
        ),
    )
    serve_port: int = _option(8080, "Local API", mark("Port"), within=(1024, 65535))
    copy_setup: ClassVar = Option("Local API", mark("Copy setup for"))
    # Last coding agent started, and its folder.
    agent: tuple[str, ...] = _option(
        (),
        "Local API",
        mark("Use with a coding agent"),
        search=mark("launch, Claude Code, Codex, terminal"),
    )
    serve_with_key: bool = _option(
        False, "Local API", mark("Require a key"), section=mark("Access")
    )
    serve_others: bool = _option(
        False,
        "Local API",
        mark("Allow other computers"),
        search=mark("network, LAN"),
        about=mark("Other computers always need a key."),
    )
    keys: ClassVar = Option("Local API", mark("Keys"), search=mark("access, password"))
    # Give prompts from clients the same priority as those from our own chats.
    serve_equal: bool = _option(
        False,
        "Local API",
        mark("Priority"),
        about=mark("Who goes first when the model is busy"),
        choices={False: mark("My chats first"), True: mark("Equal")},
    )
    # Percentage of compute time by client, while other clients are busy.
    serve_shares: Mapping[str, int] = _option(
        {},
        "Local API",
        mark("Share per client"),
        about=mark("Share of compute when several clients are active"),
        each=lambda v: type(v) is int and 0 < v < 100,
    )
    # Comma-separated aliases, like "claude-*=Guide".
    serve_aliases: str = _option(
        "", "Local API", mark("Model aliases"), about=mark("Unknown names go to your first model.")
    )
    # Keep client sessions on disk, with a separate limit of `cache_gb`.
    serve_keep: bool = _option(
        True,
        "Local API",
        mark("Cached context of clients"),
        about=mark("Lets them resume right away after a restart"),
    )
    # Space-separated origins of web pages, like https://example.org.
    serve_origins: str = _option(
        "",
        "Local API",
        mark("Allowed origins (CORS)"),
        section=mark("Limits"),
        about=mark("Such as https://example.org, separated by spaces"),
    )
    serve_sessions: int = _option(64, "Local API", mark("Concurrent sessions"), within=(0, 1024))
    serve_evict: bool = _option(
        False,
        "Local API",
        mark("Close the oldest session when full"),
        about=mark("When off, new sessions are refused at the limit."),
    )
    serve_per_key: int = _option(
        0,
        "Local API",
        mark("Concurrent requests (per key)"),
        zero=mark("No limit"),
        within=(0, 1024),
    )
    serve_per_minute: int = _option(
        0,
        "Local API",
        mark("Requests per minute (per key)"),
        zero=mark("No limit"),
        within=(0, 10_000),
    )
    serve_unload_min: int = _option(
        0,
        "Local API",
        mark("Unload models used only by clients after"),
        unit=mark(" min"),
        zero=mark("Never"),
        within=(0, 1440),
    )
    tool_servers: ClassVar = Option(
        "Tools",
        mark("Tool servers (MCP)"),
        search=mark("plugins, extensions, connectors"),
        about=mark("Programs that give models more tools"),
        button=mark("Manage…"),
        command="tool_servers",
    )
    # Limit for KV caches on disk. 0 disables them.
    cache_gb: float = _option(
        4.0,
        "Data",
        mark("Cached context on disk"),
        search=mark("storage, space"),
        about=mark("Lets chats resume right away. Takes effect after a restart."),
        unit=mark(" GB"),
        zero=mark("Off"),
        step=0.5,
        within=(0, 100_000),
    )
    backups: ClassVar = Option(
        "Data",
        mark("Backups"),
        search=mark("recover, earlier state"),
        button=mark("Restore…"),
        command="backups",
    )
    trash: ClassVar = Option(
        "Data", mark("Trash"), search=mark("deleted chats"), button=mark("Show"), command="trash"
    )
    data_folder: ClassVar = Option("Data", mark("Chats and settings"), section=mark("Folders"))
    log_folder: ClassVar = Option("Data", mark("Logs"))
    cache_folder: ClassVar = Option("Data", mark("Caches"))

    sidebar: bool = True  # show the chat list
    unfolded: tuple[str, ...] = ()  # expanded folders in the sidebar
    models: tuple[str, ...] = ()  # previously opened model folders, newest first
    # Remote models by reference, without keys. See `app.remote.remotes`.
    remotes: Mapping[str, Mapping[str, Any]] = _option({}, each=lambda v: isinstance(v, dict))
    find_servers: bool = False  # search this network for servers when adding a remote model
    model_folders: tuple[str, ...] = ()  # folders where the user keeps models
    drafts: Mapping[str, str] = _option({}, each=_is_text)  # draft reference by model reference
    # Models at the top of the list, which aren't unloaded when idle.
    pinned: tuple[str, ...] = ()
    # Time of last use by model reference, in seconds since 1970.
    used: Mapping[str, float] = _option(
        {}, each=lambda v: type(v) in (int, float) and 0 <= v < 1e12
    )
    # Unfinished downloads with their size in bytes (0 if unknown).
    downloads: Mapping[str, int] = _option({}, each=lambda v: type(v) is int and v >= 0)
    # Named chat presets, each with {"params": …, "system": …}.
    presets: Mapping[str, Mapping[str, object]] = _option({}, each=lambda v: isinstance(v, dict))
    looked_at: float = 0.0  # time of the last update check, in seconds since 1970
    prompts: Mapping[str, str] = _option({}, each=_is_text)  # prompts by name, in list order
    # (kept replies, comparisons) by model.
    kept: Mapping[str, list[int]] = _option({}, each=lambda v: _are_integers(v, 2))
    # Panels by name, in the format of `app.chats.panel.Member.to_json`. "" is the latest panel.
    panels: Mapping[str, list[Any]] = _option({}, each=lambda v: isinstance(v, list), nameless=True)
    panel: str = ""  # name of the panel used by the shortcut
    # Recently used entries of the command palette, newest first.
    palette_recent: tuple[str, ...] = ()
    settings_page: str = ""  # English name of the last page displayed in the settings
    # Position and size of dialogs by name.
    places: Mapping[str, list[int]] = _option({}, each=lambda v: _are_integers(v, 4))
    skipped_version: str = ""  # version that the user chose to skip
    # Signals for changed options. The fields from here on aren't options.
    announcer: SettingsSignals = field(default_factory=SettingsSignals, repr=False, compare=False)
    # Settings file, or None to save nothing.
    file: Path | None = field(default=None, repr=False, compare=False)
    # New path of an unreadable file.
    set_aside: Path | None = field(default=None, repr=False, compare=False)
    # Reason why the file couldn't be read, or "".
    unread: str = field(default="", repr=False, compare=False)

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            raise AttributeError(f"{name} can only be changed with set()")
        super().__setattr__(name, value)

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Return the settings. Missing or invalid values become their defaults.

        An unreadable file is moved aside. If that fails, nothing is saved in this run.
        """
        try:
            return cls(**_valid_values(_read(path)), file=path)
        except FileNotFoundError:
            return cls(file=path)
        except _UNREADABLE as error:
            log.warning("settings not read, using the defaults: %s", error)
            aside = _move_aside(path)
            return cls(file=path if aside is not None else None, set_aside=aside, unread=str(error))

    @classmethod
    def read_without_saving(cls, path: Path) -> Settings:
        """Return the settings of another running instance, without writing to its file."""
        try:
            return cls(**_valid_values(_read(path)))
        except _UNREADABLE:
            return cls()

    @property
    def note(self) -> str:
        """Return a message for the user if the settings couldn't be read, else ""."""
        if not self.unread:
            return ""
        if self.set_aside is None:
            return tr(
                "Your settings couldn’t be read. Changes aren’t saved until you quit Stretto."
            )
        return tr(
            "Your settings couldn’t be read and were reset. The old file is kept as {name}.",
            name=self.set_aside.name,
        )

    def set(self, **values: Any) -> None:
        """Change options, save them in another thread, and emit a signal for each change.

        Raises AttributeError for an unknown option. Raises ValueError for a wrong type or a value
        out of bounds, and then no option is changed.
        """
        for name in values:
            if name not in OPTIONS:
                raise AttributeError(f"{name} is no option")
        values = {name: _convert_value(name, value) for name, value in values.items()}
        changed = [name for name, value in values.items() if getattr(self, name) != value]
        vars(self).update(values)
        if self.file is not None:
            _saving.save(self.file, self._to_json())
        for name in changed:
            self.announcer.changed.emit(name)

    def save(self, path: Path | None = None) -> None:
        """Write the settings to their file (or another path), waiting a few seconds at most."""
        path = path or self.file
        if path is not None:
            _saving.save(path, self._to_json())
            if not _saving.wait(path, _WAIT_S):
                log.warning("settings not saved: disk does not respond")

    def _to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in OPTIONS}, indent=2) + "\n"

    def remember_model(self, model: str) -> None:
        """Move a model folder to the front of the recently opened models (50 at most)."""
        self.set(models=(model, *(m for m in self.models if m != model))[:50])

    def note_use(self, model: str, when: float) -> None:
        latest = sorted({**self.used, model: when}.items(), key=lambda one: one[1])
        self.set(used=dict(latest[-_MOST_USED:]))


OPTIONS: dict[str, Option] = {
    each.name: each.metadata.get("option", Option()) for each in fields(Settings) if each.compare
}

ROWS: dict[str, Option] = {
    name: option
    for name in Settings.__annotations__
    if (option := OPTIONS.get(name, vars(Settings).get(name))) and option.page
}
"""Rows of the settings window, by option or class variable of `Settings`, in order."""

_DEFAULTS: dict[str, Any] = {
    each.name: {} if each.default is MISSING else each.default
    for each in fields(Settings)
    if each.compare
}

_UNREADABLE = (OSError, ValueError, RecursionError)


def _read(path: Path) -> dict[str, Any]:
    _saving.wait(path, _WAIT_S)
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise ValueError("it holds no JSON object")
    return data


def _move_aside(path: Path) -> Path | None:
    try:
        return path.rename(free_dated_path(path.parent, f"{path.stem}.unreadable-", ".json"))
    except OSError as error:
        log.warning("cannot rename the unreadable settings: %s", error)
        return None


def _valid_values(data: dict[str, Any]) -> dict[str, Any]:
    # Before `same_model` existed, new chats always used the chosen model.
    data = {"same_model": data.get("model", _DEFAULTS["model"]) == _DEFAULTS["model"], **data}
    valid: dict[str, Any] = {}
    for name in data.keys() & OPTIONS.keys():
        with suppress(ValueError, OverflowError):  # OverflowError: an integer with 400 digits
            valid[name] = _convert_value(name, data[name])
    return valid


def _convert_value(name: str, value: Any) -> Any:
    """Return a value in the option's type, e.g. tuples for lists and floats for integers.

    Invalid entries of mappings are dropped.
    """
    option, default = OPTIONS[name], _DEFAULTS[name]
    if isinstance(default, tuple) and isinstance(value, list):
        value = tuple(value)
    elif type(default) is float and type(value) is int:
        value = float(value)
    if (
        type(value) is not type(default)
        or (isinstance(value, tuple) and not all(map(_is_text, value)))
        or (option.choices and value not in option.choices)
        or (isinstance(value, int | float) and not option.within[0] <= value <= option.within[1])
    ):
        raise ValueError(f"{name} cannot be {value!r}")
    if isinstance(value, dict):
        value = {
            n: v
            for n, v in value.items()
            if (n or option.nameless) and (option.each is None or option.each(v))
        }
        if name == "serve_shares" and sum(value.values()) > 100:
            return {}
    return value
