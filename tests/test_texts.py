"""User-visible texts are translatable, and the translations match the texts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings.language import LANGUAGES
from tests.texts import (
    ROOT,
    Translated,
    all_texts,
    bare,
    is_text,
    languages,
    places,
    sources,
    translations,
)

pytestmark = pytest.mark.usefixtures("no_collection")

FOLDER = ROOT / "resources" / "languages"
CODES = [code for code in LANGUAGES if code != "en"]
NUMBERS = {"de": 2, "es": 2, "fr": 2, "ja": 1, "zh_CN": 1}
"""Number of plural forms per language in Qt."""


def faults_of_calls(tree: ast.AST) -> Iterator[str]:
    """Yield calls of tr, counted and mark whose text can't be extracted or formatted."""
    for name, call in languages().calls(tree):
        where = f"line {call.lineno}"
        literal = [is_text(a) for a in call.args]
        if name == "counted":
            if len(call.args) != 3 or literal[:2] != [True, True]:
                yield f"{where}: counted takes two literals and a number"
                continue
        elif name == "mark":
            if not call.args or not all(literal) or len(call.args) > 2 or call.keywords:
                yield f"{where}: mark takes a literal, and one for the comment"
                continue
        elif not call.args or len(call.args) > 2 or not all(literal[1:]):
            yield f"{where}: tr takes a text, and a literal for the comment"
            continue
        elif not literal[0]:
            if _is_made(call.args[0]):
                yield f"{where}: the text of tr is put together"
            continue
        texts = [a.value for a in call.args[: 2 if name == "counted" else 1]]
        if not all(texts):
            yield f"{where}: a text is empty"
        if name != "counted" and "%n" in places_or_none(texts[0]):
            yield f"{where}: %n is for counted"
        given = {f"{{{k.arg}}}" for k in call.keywords}
        if call.keywords and "{None}" not in given:
            wanted = {p for text in texts for p in places_or_none(text)} - {"%n"}
            if wanted != given:
                yield f"{where}: {sorted(given)} are given for {sorted(wanted)}"


def places_or_none(text: str) -> set[str]:
    try:
        return places(text)
    except ValueError:
        return set()


def _is_made(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return any(is_text(n) or _is_made(n) for n in (node.body, node.orelse))
    if isinstance(node, ast.BoolOp):
        return any(is_text(n) or _is_made(n) for n in node.values)
    return isinstance(node, ast.JoinedStr | ast.BinOp)


def test_every_text_is_a_literal_with_its_values() -> None:
    faults = [f"{file}: {f}" for file, tree in sources().items() for f in faults_of_calls(tree)]
    assert faults == []


@pytest.mark.parametrize(
    "code",
    [
        'tr(f"Delete {x}")',
        'tr("Delete " + x)',
        'tr("On" if x else "Off")',
        'tr("Delete {title}", name=x)',
        'tr("%n chats")',
        'tr("Open", x)',
        'counted("%n chat", x, 3)',
        'counted("%n chat", "%n chats")',
        'mark("Open", key="x")',
        "mark(x)",
    ],
)
def test_unextractable_text_is_a_fault(code: str) -> None:
    assert list(faults_of_calls(ast.parse(code)))


def calls_at_import(tree: ast.AST) -> Iterator[int]:
    """Yield the lines in which tr or counted is called at import time."""

    def visit(node: ast.AST, later: bool) -> Iterator[int]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            now = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            if not isinstance(node, ast.Lambda):
                now += node.decorator_list
            for child in now:
                yield from visit(child, later)
            for child in node.body if isinstance(node.body, list) else [node.body]:
                yield from visit(child, True)
            return
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if called and not later and node.func.id in {"tr", "counted"}:  # type: ignore[attr-defined]
            yield node.lineno  # type: ignore[attr-defined]
        for child in ast.iter_child_nodes(node):
            yield from visit(child, later)

    return visit(tree, False)


def test_nothing_is_translated_before_the_language_is_known() -> None:
    found = [f"{file}:{line}" for file, tree in sources().items() for line in calls_at_import(tree)]
    assert found == []


@pytest.mark.parametrize(
    "code", ['A = tr("A")', 'def f(x=tr("A")): ...', 'class C:\n    a = [tr("A") for x in "ab"]']
)
def test_default_argument_runs_at_import(code: str) -> None:
    assert list(calls_at_import(ast.parse(code)))


def test_function_body_runs_later() -> None:
    code = 'def f(x=None):\n    return tr("A")\nA = {"a": lambda: tr("A")}'
    assert not list(calls_at_import(ast.parse(code)))


def test_qt_finds_each_text_once(tmp_path: Path) -> None:
    """Updating the files keeps translations of existing texts and removes the others."""
    found = all_texts()
    known = {(text.text, text.comment, text.counts) for text in found}
    kept = tmp_path / "stretto_de.ts"
    text = "<message><source>{}</source><translation>{}</translation></message>"
    first = next(t for t in found if not (t.counts or t.comment) and t.text.isalpha())
    kept.write_text(
        '<!DOCTYPE TS><TS version="2.1" language="de"><context><name>Stretto</name>'
        + text.format(first.text, "Übersetzt")
        + text.format("What no file says.", "Weg")
        + "</context></TS>",
        encoding="utf-8",
    )
    languages().update(found, tmp_path)
    for code in CODES:
        entries = translations(tmp_path / languages().file_name(code))
        assert sorted((e.text, e.comment, e.counts) for e in entries) == sorted(known)
        assert {len(e.forms) for e in entries if e.counts} <= {NUMBERS[code]}
    german = translations(kept)
    assert [e.forms for e in german if e.finished] == [("Übersetzt",)]
    assert "<location" not in kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_translations_fit_their_texts(code: str) -> None:
    entries = translations(FOLDER / f"stretto_{code}.ts")
    faults = [f"{e.text!r}: {fault}" for e in entries for fault in e.faults(NUMBERS[code])]
    assert faults == []


@pytest.fixture(scope="module")
def wanted() -> set[tuple[str, str]]:
    return {text.key for text in all_texts()}


@pytest.mark.parametrize("code", CODES)
def test_all_texts_are_translated(code: str, wanted: set[tuple[str, str]]) -> None:
    entries = translations(FOLDER / f"stretto_{code}.ts")
    done = {(entry.text, entry.comment) for entry in entries if entry.finished}
    assert wanted - done == set(), "translate these, after `make languages`"


def test_displayed_literals_are_translated() -> None:
    shown = {file: list(bare(tree)) for file, tree in sources().items()}
    watched = ("app/ui/", "app/chats/", "app/models/", "app/tools/", "app/store/")
    found = {f: texts for f, texts in shown.items() if texts and f.startswith(watched)}
    assert found == {}


@pytest.mark.parametrize(
    ("text", "forms", "faults"),
    [
        ("Delete {title}?", ("{title} löschen?",), 0),
        ("Delete {title}?", ("{titel} löschen?",), 1),
        ("Delete {title}?", ("",), 1),
        ("&File", ("ファイル(&F)",), 0),
        ("&File", ("Datei",), 1),
        (" GB", ("GB",), 1),
        ("Open…", ("Öffnen",), 1),
        ("%n chat", ("Ein Chat", "%n Chats"), 0),
        ("%n chat", ("%n Chats",), 1),
        ("%n chat", ("%n Chat", "%1 Chats of {x}"), 1),
        ("A & B", ("A & B",), 0),
    ],
)
def test_translation_faults_are_found(text: str, forms: tuple[str, ...], faults: int) -> None:
    counts = text.startswith("%n")
    entry = Translated(text, "%n chats" if counts else "", counts, True, forms)
    assert len(list(entry.faults(2))) == faults


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('label.setText("Delete")', 1),
        ('label.setText(f"{n} chats")', 1),
        ('QLabel("Two words" if x else tr("Fine"))', 1),
        ('menu.addAction(icon, "Open…", do)', 1),
        ('label.setText(tr("Delete"))', 0),
        ('label.setText(" · ".join(parts))', 0),
        ('label.setText(words["Open"])', 0),
        ('label.setObjectName("muted")', 0),
    ],
)
def test_bare_text_is_recognized(code: str, count: int) -> None:
    assert len(list(bare(ast.parse(code)))) == count
