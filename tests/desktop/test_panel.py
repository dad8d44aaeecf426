"""Panel of three and the tree of its branches, with the keyboard alone."""

from __future__ import annotations

from tests.desktop.conftest import Desk


def panel(desk: Desk) -> dict[object, object]:
    told = "json_extract(stats, '$.panel.{}')".format
    rows = desk.ask(
        f"SELECT coalesce({told('kind')}, {told('letter')}), id FROM messages"
        " WHERE deleted_at IS NULL"
    )
    return {key: message for key, message in rows if key}


def named(desk: Desk) -> list[tuple[object, ...]]:
    name = "json_extract(stats, '$.branch')"
    return desk.ask(f"SELECT id, {name} FROM messages WHERE {name} IS NOT NULL")


def test_panel_merge_unfold_keep_and_tree(desk: Desk) -> None:
    desk.type("Hello")
    desk.keys("ctrl+alt+c")
    desk.until(lambda: desk.dialog("Compare"))
    desk.keys("Return")
    desk.until(lambda: not desk.dialog("Compare"))
    desk.give_keys()
    desk.until(lambda: len(desk.answers()) == 3)
    desk.keys("ctrl+k")
    desk.type("Merge Compared Replies")
    desk.keys("Return")
    desk.until(lambda: len(desk.answers()) == 4)
    found = panel(desk)
    assert sorted(map(str, found)) == ["A", "B", "C", "merge"]
    assert desk.shown() == found["merge"]
    desk.keys("ctrl+alt+u", "Right", "Return")  # expand, then keep the second answer
    desk.until(lambda: desk.shown() == found["B"])
    desk.say("Thanks")
    desk.until(lambda: len(desk.answers()) == 5)
    assert [parent for _, _, parent in desk.asked("Thanks")] == [found["B"]]

    desk.keys("ctrl+shift+g", "Up", "F2")  # the latest branch is above the shown one
    desk.type("Of all three")
    desk.keys("Return")
    desk.until(lambda: named(desk) == [(found["merge"], "Of all three")])
    desk.keys("shift+Return")
    desk.until(lambda: desk.dialog("Compare Branches"))
    desk.keys("Escape")
    desk.until(lambda: not desk.dialog("Compare Branches"))
    desk.give_keys()
    desk.keys("Return")
    desk.until(lambda: desk.shown() == found["merge"])
    desk.keys("ctrl+shift+g", "Up", "Delete")
    desk.until(lambda: "C" not in panel(desk))
    desk.keys("ctrl+z")
    desk.until(lambda: panel(desk) == found)
    assert desk.end() == 0
