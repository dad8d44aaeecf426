"""Program that reads the window through the accessibility bus (AT-SPI), like a screen reader.

It runs under the system's Python, which has the binding (gir1.2-atspi-2.0), so it imports nothing
of ours. Each line of input is a request in JSON, and each line of output is the response:

    {"do": "find", "role": "push button", "name": "Send"}    the visible element, or null
    {"do": "press", ...}    perform its action; false if that's impossible
    {"do": "write", ..., "text": "Hello"}    replace its text
    {"do": "heard"}    announcements so far, and role and name of each element that had the focus
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import gi  # type: ignore[import-not-found]

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # type: ignore[import-not-found]  # noqa: E402

SHOWN = Atspi.StateType.SHOWING
announced: list[str] = []
focused: list[tuple[str, str]] = []


def walk(at: Any) -> Iterator[Any]:
    for number in range(at.get_child_count()):
        child = at.get_child_at_index(number)
        if child is not None and child.get_state_set().contains(SHOWN):
            yield child
            yield from walk(child)


def tree() -> Iterator[Any]:
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(number)
        if program is not None and program.get_name() == "Stretto":
            yield from walk(program)


def find(asked: dict[str, Any]) -> Any:
    for one in tree():
        if one.get_role_name() == asked["role"] and one.get_name().startswith(asked["name"]):
            return one
    return None


def told(one: Any) -> dict[str, Any]:
    states = one.get_state_set()
    text = "Text" in one.get_interfaces()
    count = one.get_n_actions()
    return {
        "name": one.get_name(),
        "description": one.get_description(),
        "enabled": states.contains(Atspi.StateType.ENABLED),
        "focused": states.contains(Atspi.StateType.FOCUSED),
        "text": Atspi.Text.get_text(one, 0, Atspi.Text.get_character_count(one)) if text else "",
        "actions": [one.get_action_name(number) for number in range(count)],
    }


def answer(asked: dict[str, Any]) -> Any:
    if asked["do"] == "heard":
        return {"announced": announced, "focused": focused}
    one = find(asked)
    if one is None:
        return None
    if asked["do"] == "press":
        names = told(one)["actions"] if told(one)["enabled"] else []  # Qt ignores it if disabled
        return "Press" in names and one.do_action(names.index("Press"))
    if asked["do"] == "write":
        return Atspi.EditableText.set_text_contents(one, asked["text"])
    return told(one)


def on_announced(event: Any) -> None:
    announced.append(str(event.any_data))


def on_focused(event: Any) -> None:
    if event.detail1:
        focused.append((event.source.get_role_name(), event.source.get_name()))


def serve(line: str) -> bool:
    try:
        said = answer(json.loads(line))
    except GLib.Error:  # it disappeared during the request
        said = None
    print(json.dumps(said), flush=True)
    return False


def read(loop: Any) -> None:
    for line in sys.stdin:
        GLib.idle_add(serve, line)
    GLib.idle_add(loop.quit)


def main() -> None:
    Atspi.init()
    listeners = [Atspi.EventListener.new(on_announced), Atspi.EventListener.new(on_focused)]
    listeners[0].register("object:announcement")
    listeners[1].register("object:state-changed:focused")
    loop = GLib.MainLoop()
    threading.Thread(target=read, args=(loop,), daemon=True).start()
    loop.run()


if __name__ == "__main__":
    main()
