"""What a trial has shown: for people, and as CSV, JSON and a page."""

from __future__ import annotations

import csv
import io
import json
import os
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins

from engine.serve import json_input
from engine.trial.checks import Verdict
from engine.trial.figures import Difference, Share, difference, share
from engine.trial.plan import PlanError, Prompt, Trial, Variant, parsed, read

TABLE = "table.json"


class Cell(Struct, frozen=True):
    """What one variant has made of one prompt."""

    content: Mapping[str, Any]  # as `engine.batch.run.Answer`'s; empty while there is no answer
    # by the words of each check that it has to pass
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return str(self.content.get("text", ""))

    @property
    def error(self) -> str:
        """Why there is no answer; "" where there is one."""
        return str(self.content["error"]["message"]) if "error" in self.content else ""

    @property
    def passed(self) -> bool | None:
        """Whether it passes all checks; None where that is undecided, or there is none."""
        found = [verdict.passed for verdict in self.verdicts.values()]
        if False in found:
            return False
        return None if None in found or not found or not self.content else True


class Table(Struct, frozen=True):
    """All cells by variant and prompt; the variants are compared with the first."""

    trial: Trial
    cells: Mapping[tuple[str, str], Cell]

    def cell(self, variant: str, prompt: str) -> Cell:
        return self.cells.get((variant, prompt), Cell({}))

    def known(self, trial: Trial) -> dict[tuple[str, str], Cell]:
        """The cells of another trial that are the same answers."""
        found = {
            _asked(self.trial, variant, prompt): cell
            for variant, prompt in self.trial.cells()
            if (cell := self.cells.get((variant.name, prompt.id))) is not None
        }
        return {
            (variant.name, prompt.id): cell
            for variant, prompt in trial.cells()
            if (cell := found.get(_asked(trial, variant, prompt))) is not None
        }

    def outcomes(self, variant: str) -> list[bool | None]:
        return [self.cell(variant, prompt.id).passed for prompt in self.trial.prompts]

    def share(self, variant: str) -> Share:
        decided = [one for one in self.outcomes(variant) if one is not None]
        return share(sum(decided), len(decided))

    def difference(self, variant: str) -> Difference:
        """How it differs from the first variant."""
        first = self.outcomes(self.trial.variants[0].name)
        return difference(zip(first, self.outcomes(variant), strict=True))

    def text(self) -> str:
        """A line for each variant, and what has failed it."""
        lines = []
        for number, variant in enumerate(self.trial.variants):
            lines.append(f"{variant.name}: {told_share(self.share(variant.name))}")
            if number and self.difference(variant.name).of:
                lines.append(f"    {told_difference(self.difference(variant.name))}")
            left = self.outcomes(variant.name).count(None)
            errors = sum(bool(self.cell(variant.name, p.id).error) for p in self.trial.prompts)
            more = [f"{left} undecided"] * bool(left) + [f"{errors} without an answer"] * bool(
                errors
            )
            lines += [f"    {', '.join(more)}"] if more else []
        return "\n".join(lines)

    def to_json(self) -> str:
        """Everything, the same in every run."""
        found: dict[str, Any] = {"name": self.trial.name, "trial": self.trial.told()}
        found |= {"variants": [], "prompts": []}
        for number, variant in enumerate(self.trial.variants):
            figures: dict[str, Any] = {"share": to_builtins(self.share(variant.name))}
            if number:
                figures["difference"] = to_builtins(self.difference(variant.name))
            found["variants"].append({**to_builtins(variant), **figures})
        for prompt in self.trial.prompts:
            told: dict[str, Any] = {"id": prompt.id, "prompt": prompt.asked}
            told["expected"] = prompt.expected
            told["answers"] = {}
            for variant in self.trial.variants:
                cell = self.cell(variant.name, prompt.id)
                verdicts = {words: to_builtins(verdict) for words, verdict in cell.verdicts.items()}
                whole = {"passed": cell.passed, "verdicts": verdicts, **cell.content}
                told["answers"][variant.name] = whole
            found["prompts"].append(told)
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """A row for each prompt; each variant has its answer, and whether it passes."""
        names = [variant.name for variant in self.trial.variants]
        rows = [["id", "prompt", *(f"{name}{more}" for name in names for more in ("", " passes"))]]
        for prompt in self.trial.prompts:
            cells = [self.cell(name, prompt.id) for name in names]
            told = [(c.text or c.error, _WORDS[c.passed]) for c in cells]
            rows.append([prompt.id, prompt.text, *(part for pair in told for part in pair)])
        return as_csv(rows)

    def to_html(self) -> str:
        """A page that needs nothing else; answers in it are text."""
        title = escape(self.trial.name or "Trial")
        names = [variant.name for variant in self.trial.variants]
        figures = []
        for number, name in enumerate(names):
            differs = self.difference(name) if number else None
            told = told_difference(differs) if differs is not None and differs.of else ""
            figures.append((name, told_share(self.share(name)), told))
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = []
        for prompt in self.trial.prompts:
            cells = "".join(_cell(self.cell(name, prompt.id)) for name in names)
            rows.append(f"<tr><th>{escape(prompt.text)}</th>{cells}</tr>")
        summary = "".join(
            "<tr>" + "".join(f"<td>{escape(part)}</td>" for part in row) + "</tr>"
            for row in figures
        )
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width">'
            f"<style>{_STYLE}</style><h1>{title}</h1>"
            f"<table class=figures>{summary}</table><p>{escape(_NOTE)}</p>"
            f"<div><table><thead><tr><th>Prompt</th>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div></html>\n"
        )


def opened(path: Path, guide: str) -> Table:
    """A trial and what is known of its answers: from its file, its results' folder or table.json.

    Beside a file lie its results, where `python -m engine trial` puts them. An answer counts for
    what was asked in the same way, whatever its prompt and variant are called.

    Raises:
        PlanError: says what is wrong with it.
        OSError: it cannot be read.
    """
    path = path / TABLE if path.is_dir() else path
    told = _results(path) if path.suffix.lower() == ".json" else None
    if told is not None:
        return _table(told, guide)
    trial = read(path, guide)
    with suppress(OSError, PlanError):
        told = _results(path.with_name(f"{path.stem}-results") / TABLE)
        return Table(trial, {} if told is None else _table(told, guide).known(trial))
    return Table(trial, {})


def write(path: Path, text: str) -> None:
    """Write what a trial has told, in one step: a file of that name stays whole until then.

    Raises OSError.
    """
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    os.replace(beside, path)


def _results(path: Path) -> dict[str, Any] | None:
    """What `Table.to_json` gave; None for anything else."""
    try:
        told = json_input.decode(path.read_bytes())
    except ValueError as error:
        raise PlanError(f"{path.name} cannot be read: {error}") from None
    return told if isinstance(told.get("trial"), dict) else None


def _table(told: dict[str, Any], guide: str) -> Table:
    trial, entries = parsed(told["trial"], guide), told.get("prompts")
    answers = {
        str(entry.get("id")): entry.get("answers")
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    }
    cells = {}
    for variant, prompt in trial.cells():
        found = answers.get(prompt.id)
        content = found.get(variant.name) if isinstance(found, dict) else None
        if isinstance(content, dict) and isinstance(content.get("text"), str):
            cells[variant.name, prompt.id] = Cell(content)
    return Table(trial, cells)


def _asked(trial: Trial, variant: Variant, prompt: Prompt) -> str:
    """All that an answer depends on but its model's weights."""
    how = variant.told() | {"name": "", "system": prompt.system_of(variant)}
    return json.dumps([prompt.asked, how, trial.reproducible], sort_keys=True)


def told_share(found: Share) -> str:
    """37 of 40 pass (92 %, 80 to 97)"""
    if not found.of:
        return "nothing is decided"
    low, high = round(100 * found.low), round(100 * found.high)
    part = round(100 * found.passed / found.of)
    return f"{found.passed} of {found.of} pass ({part} %, {low} to {high} %)"


def told_difference(found: Difference) -> str:
    """loses 4 and gains 1 of 40: 3 fewer (8 fewer to 1 more), p = 0.38"""
    net = found.gained - found.lost
    low, high = (_more(round(found.of * edge)) for edge in (found.low, found.high))
    return (
        f"loses {found.lost} and gains {found.gained} of {found.of}: {_more(net)} "
        f"({low} to {high}), p = {found.p:.2g}"
    )


def _more(count: int) -> str:
    return f"{-count} fewer" if count < 0 else f"{count} more" if count else "as many"


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """RFC 4180, with a byte order mark: Excel takes it for another encoding without.

    A cell that a spreadsheet could take for a formula gets an apostrophe in front, as OWASP advises
    ("CSV Injection"): a model's answer may be anything.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([f"'{cell}" if _is_formula(cell) else cell for cell in row])
    return "\ufeff" + text.getvalue()


def _is_formula(cell: str) -> bool:
    """Return True if a spreadsheet could compute the cell.

    Some skip blanks, line breaks and invisible characters, and read full-width signs as ASCII.
    """
    shown = unicodedata.normalize("NFKC", cell).replace("\N{MINUS SIGN}", "-")
    first = next((c for c in shown if not c.isspace() and unicodedata.category(c)[0] != "C"), "")
    return first in set("=+-@") or cell[:1] in set("\t\r\n")


def _cell(cell: Cell) -> str:
    why = "; ".join(v.why for v in cell.verdicts.values() if v.why and v.passed is not True)
    note = f"<p class=why>{escape(cell.error or why)}</p>" if cell.error or why else ""
    kind = {True: "yes", False: "no", None: "open"}[cell.passed]
    told = _WORDS[cell.passed]
    return f"<td class={kind}><b>{told}</b><pre>{escape(cell.text)}</pre>{note}</td>"


_WORDS = {True: "passes", False: "fails", None: ""}
_NOTE = (
    "Ranges hold the true value 95 times of 100 (Wilson; Tango). Each variant is compared with the "
    "first one over the same prompts; p is McNemar's, exact."
)
_STYLE = (
    ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}"
    "body{margin:24px}h1{font-size:22px}div{overflow-x:auto}table{border-collapse:collapse}"
    "th,td{text-align:left;vertical-align:top;padding:8px 12px;border-bottom:1px solid #8884}"
    "tbody th{font-weight:400;max-width:22em}tbody td{min-width:14em;max-width:30em}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;margin:0}"
    "th{white-space:pre-wrap;overflow-wrap:anywhere}.why{opacity:.7;margin:4px 0 0}"
    ".yes b{color:light-dark(#137333,#81c995)}.no b{color:light-dark(#b3261e,#f2b8b5)}"
)
