"""A table of answers as CSV and as Markdown."""

from __future__ import annotations

import csv
import io

from app.chats.table import as_markdown
from engine.trial.report import as_csv

ROWS = [
    ["Say a | b", 'He said "a, b".\nTwice.', "a\\b"],
    ["=1+1", "-x", "plain"],
]


def test_csv_reads_back_and_gives_a_spreadsheet_nothing_to_reckon_out():
    text = as_csv([["Message", "one", "two"], *ROWS])
    assert text.startswith("\ufeff")
    read = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert read == [["Message", "one", "two"], ROWS[0], ["'=1+1", "'-x", "plain"]]


FORMULAS = ["\n=1+1", " =1+1", "\u200b=1", "\u00a0@SUM(1)", "＝1+1", "＋1", "－1", "\u22121", "＠A"]


def test_csv_quotes_formulas_behind_invisible_characters():
    read = list(csv.reader(io.StringIO(as_csv([FORMULAS]).removeprefix("\ufeff"), newline="")))
    assert read == [[f"'{cell}" for cell in FORMULAS]]


def test_markdown_keeps_a_row_on_a_line_and_a_cell_in_its_column():
    lines = as_markdown(["one", "two"], ROWS).splitlines()
    assert lines[0] == "| Message | one | two |"
    assert lines[1] == "| --- | --- | --- |"
    assert lines[2] == '| Say a \\| b | He said "a, b".<br>Twice. | a\\\\b |'
    assert len(lines) == 4
