"""A trial in the window: its prompts, variants and checks, its file, and what comes of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.ui.compare.trial_dialog import CheckRow, TrialDialog
from engine.trial.plan import parsed
from engine.trial.report import opened
from tests.app.conftest import Run, Start
from tests.app.ui.compare.test_compare_table import read, table, window


def open_trial(run: Run) -> TrialDialog:
    run.window.commands["trial"].trigger()
    dialog = run.window.findChild(TrialDialog)
    assert dialog is not None
    return dialog


def check(dialog: TrialDialog, kind: str, value: str = "") -> CheckRow:
    dialog.checks.add.click()
    row = dialog.checks.items[-1]
    row.name.setCurrentIndex(row.name.findData(kind))
    row.value.setText(value)
    return row


def choose(run: Run, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    async def chosen(*_: Any) -> Path:
        return path

    monkeypatch.setattr("app.ui.widgets.asking.file", chosen)
    monkeypatch.setattr("app.ui.widgets.asking.place", chosen)


def test_what_is_asked_of_each_variant_and_what_comes_of_it(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = start().ready()
    dialog = open_trial(run)
    assert not dialog.go.isEnabled()
    assert dialog.why.text() == "Enter one prompt per line."
    conversation = [
        {"role": "system", "content": "Count."},
        {"role": "user", "content": "say one"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "say two"},
    ]
    dialog.add_prompts(
        [
            "say one",
            '{"prompt": "say two", "expected": "TWO", "system": "Be brief."}',
            json.dumps({"messages": conversation}),
            "say one",
            "fail",
        ]
    )
    first, second = dialog.variants.items
    shown_by_default = first.temperature.lineEdit()
    words = shown_by_default.fontMetrics().horizontalAdvance(shown_by_default.text())
    assert shown_by_default.width() > words
    first.name.setText("cold")
    first.temperature.setValue(0.0)
    second.name.setText("told")
    second.system.setText("Say it.")
    second.kv.setCurrentIndex(2)
    second.more.setText("top_p = ")
    assert "More settings of variant 2" in dialog.why.text()
    second.more.setText("top_p = 0.5, reasoning = false, penalty_window = 3")
    assert dialog.why.text() == "A chat cannot be set to penalty_window = 3."
    second.more.setText("top_p = 0.5, reasoning = false, stop = ['end']")
    for kind, value in (("json_schema", "{"), ("contains", ""), ("judge", " ")):
        check(dialog, kind, value)
        assert dialog.why.text() == "Enter what the replies are checked for."
        dialog.checks.items[0].remove.click()
    check(dialog, "regex", "{expected}").cased.setChecked(True)
    check(dialog, "equals", "never").turned.setChecked(True)
    assert dialog.why.text() == "10 replies"
    dialog.go.click()
    answers = table(run)
    shown = window(run)
    run.until(lambda: not answers.running and "told: 4 of 5" in shown.figures.text())
    assert shown.figures.text().splitlines()[0].startswith("cold: 4 of 5 pass (80 %, 38 to 96 %")
    assert [row[1] for row in read(run)] == [
        "[Passes]\none",
        "[Passes]\ntwo",
        "[Passes]\ntwo",
        "[Passes]\none",
        "[Not enough memory.]\nSo far",
    ]
    replies = [r for r in run.engine.sent if r.session.options["kv_bits"] == 4]
    assert [t["content"] for t in replies[0].turns] == ["Say it.", "say one"]
    assert [t["content"] for t in replies[1].turns] == ["Be brief.", "say two"]
    assert replies[2].turns == conversation
    assert replies[3].turns == replies[0].turns
    options, params = replies[0].session.options, replies[0].params
    assert (options["reasoning"], options["reproducible"]) == (False, True)
    assert (params.top_p, params.stop, params.seed) == (0.5, ("end",), 2)
    assert {r.params.temperature for r in run.engine.sent} == {0.0, 0.5}
    assert {session.priority for session in run.engine.sessions} == {0}  # all is done

    # What is exported is a trial's file, which knows its answers: only what is new is asked.
    for name, words in (("a.html", "4 of 5 pass"), ("a.csv", ",passes,"), ("a.json", '"trial"')):
        shown.write(tmp_path / name)
        run.until((tmp_path / name).exists)
        assert words in (tmp_path / name).read_text("utf-8")
    shown.close()
    asked = len(run.engine.sent)
    dialog = open_trial(run)
    choose(run, monkeypatch, tmp_path / "a.json")
    dialog.open_file.click()
    run.until(lambda: len(dialog.checks.items) == 2)
    assert dialog.trial() == answers.trial
    dialog.prompts.setPlainText("say more\n" + dialog.prompts.toPlainText())
    dialog.save.click()
    run.until(lambda: "Saved as" in dialog.why.text())
    assert opened(tmp_path / "a.json", "x").trial == dialog.trial()
    dialog.go.click()
    assert not answers.columns.keys() & {chat.id for chat in run.app.library.in_use()}
    answers = table(run)
    run.until(lambda: not answers.running and all(c.verdict for c in answers.cells().values()))
    news = [reply.turns[-1]["content"] for reply in run.engine.sent[asked:]]
    assert sorted(news) == ["fail", "fail", "say more", "say more"]
    assert [row[2] for row in read(run)][3:] == [
        "[Passes]\ntwo",
        "[Passes]\none",
        "[Not enough memory.]\nSo far",
    ]


def test_prompts_come_from_files_the_clipboard_and_chats(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = start().ready()
    run.app.settings.set(prompts={"First": "two\nlines", "Gap": "say {{what}}"})
    run.pane.chat.send("say one")
    run.until(lambda: not run.pane.chat.answering)
    first = run.pane.chat.id
    run.window.commands["new"].trigger()
    run.pane.chat.send("say two")
    run.until(lambda: not run.pane.chat.answering)
    dialog = open_trial(run)

    def picked(*words: str) -> list[str]:
        dialog.prompts.clear()
        dialog._fill_menu()
        menu = dialog.menu
        for word in words:
            action = next(a for a in menu.actions() if a.text() == word)
            menu = action.menu() or menu
        action.trigger()
        return dialog.prompts.toPlainText().split("\n")

    QApplication.clipboard().setText("one\n\n two \u2028{x\n")
    assert picked("From Clipboard") == ["one", " two ", "{x"]
    assert picked("Saved prompts") == ['{"prompt": "two\\nlines"}']
    assert picked("Questions of This Chat") == ["say two"]
    title = run.app.library.chat(first).shown_title
    assert picked("Questions of Another Chat", title) == ["say one"]
    (tmp_path / "a.csv").write_text('prompt,expected\n"one, two",2\nthree,\n')
    (tmp_path / "b.jsonl").write_text('{"prompt": "four", "id": "x"}\n"five"\n')
    (tmp_path / "c.toml").write_text('prompts = ["a.csv", "six"]\n')
    (tmp_path / "d.txt").write_text("seven\n\n{eight\n")
    for name, wanted in (
        ("a.csv", ['{"prompt": "one, two", "expected": "2"}', "three"]),
        ("c.toml", ['{"prompt": "one, two", "expected": "2"}', "three", "six"]),
        ("d.txt", ["seven", '{"prompt": "{eight"}']),
    ):
        choose(run, monkeypatch, tmp_path / name)
        picked("From File…")
        run.until(lambda: dialog.prompts.toPlainText())
        assert dialog.prompts.toPlainText().split("\n") == wanted
        assert dialog.go.isEnabled()
    # A trial keeps its name, and its prompts need none.
    (tmp_path / "h.json").write_text('{"name": "Mine", "prompts": [{"prompt": "9", "id": ""}]}')
    choose(run, monkeypatch, tmp_path / "h.json")
    dialog.open_file.click()
    run.until(lambda: "9" in dialog.prompts.toPlainText())
    assert (dialog.trial().name, dialog.trial().prompts[0].asked) == ("Mine", "9")
    (tmp_path / "e.csv").write_bytes(b"prompt\n\xff")
    (tmp_path / "f.toml").write_text("prompts = [[[")
    os.mkfifo(tmp_path / "g.txt")
    for name in ("b.jsonl", "e.csv", "f.toml", "g.txt", "none.txt"):
        choose(run, monkeypatch, tmp_path / name)
        picked("From File…")
        run.until(lambda name=name: dialog.why.text().startswith(f"{name} cannot be read: "))
        assert dialog.prompts.toPlainText() == ""
    dialog.reject()


def test_a_judge_a_person_and_a_kill_leave_nothing_to_be_asked_twice(start: Start):
    run = start().ready()
    dialog = open_trial(run)
    dialog.prompts.setPlainText("say one\nsay two\nhold 2")
    dialog.same.setChecked(False)
    check(dialog, "judge", "It is polite.")
    row = check(dialog, "judge", "It is worse.")
    row.turned.setChecked(True)
    row.against.setCurrentIndex(1)
    check(dialog, "eye")
    dialog.blind.setChecked(True)
    assert dialog.judge.isVisibleTo(dialog)
    dialog.go.click()
    answers = table(run)
    run.until(lambda: all(c.message_id for c in answers.cells().values()))
    assert {session.priority for session in run.engine.sessions} == {-1}
    run.engine.release()

    def judged() -> list[Any]:
        return [r for r in run.engine.sent if r.params.choices]

    run.until(lambda: not answers.running and not answers.judging)
    # Three replies in both orders, and against the others; equal ones are asked about once.
    assert len(judged()) == 2 * 3 + 2 * 3
    assert {reply.session.priority for reply in judged()} == {-1}
    grid, shown = window(run).grid, window(run)
    assert read(run)[1][1].startswith("[Fails: A model judges this true · It is polite.]")
    # What is exported while names are hidden tells none of them, and is a trial's file.
    told = answers.results()
    assert "Seed" not in told.to_json()
    again = parsed(json.loads(told.to_json())["trial"], "guide")
    assert [check.against for check in again.checks] == [
        "",
        answers.heads[list(answers.columns.values()).index("Seed 1")],
        "",
    ]
    grid.setCurrentCell(0, 1)
    for key in "+-":
        run.qtbot.keyClick(grid, key)
    verdicts = answers.cells()["1", next(iter(answers.columns))].verdicts
    assert verdicts["eye"].passed is False  # equal replies are one to the eye
    grid.setCurrentCell(1, 1)
    run.qtbot.keyClick(grid, "+")
    grid.setCurrentCell(2, 1)
    run.qtbot.keyClick(grid, "+")
    assert shown.reveal.isVisibleTo(shown)
    told = json.loads(json.dumps(run.app.store.layout("table")))
    assert len(told["kept"]) == 3 + 3 + 3
    before = read(run)
    run.end()
    run = start()
    run.until(lambda: run.engine)
    run.window.commands["compare_table"].trigger()
    answers = table(run)
    run.until(lambda: not answers.judging and all(c.verdict for c in answers.cells().values()))
    assert read(run) == before
    assert run.engine.sent == []
    window(run).reveal.click()
    assert set(answers.heads) == {"Seed 1", "Seed 2"}
