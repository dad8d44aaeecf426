"""Update the translations: ``make languages``.

Finds all texts that are passed to `app.settings.language`. Qt's lupdate merges them into
``resources/languages/stretto_*.ts``, which contain the translations. Qt's lrelease compiles these
to the ``.qm`` files that the app loads. Needs only the standard library and .venv.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.settings.language import CONTEXT, LANGUAGES  # noqa: E402

FOLDER = ROOT / "resources" / "languages"
TOOLS = ROOT / ".venv" / "bin"
CODES = tuple(code for code in LANGUAGES if code != "en")

FUNCTIONS = ("tr", "counted", "mark")
"""Functions for translated texts. Only plain names count, so a widget's own `tr` is ignored."""


@dataclass(frozen=True)
class Text:
    """Text of the app.

    Attributes:
        text: in English; the singular if it has plural forms.
        comment: context that distinguishes equal texts; the English plural if it has plural forms.
        counts: it has plural forms.
        file: path relative to the project's root.
        line: line number.
    """

    text: str
    comment: str
    counts: bool
    file: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        return self.text, self.comment


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Return the calls of `FUNCTIONS` in order, with the function's name."""
    found = (
        (node.func.id, node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FUNCTIONS
    )
    return iter(sorted(found, key=lambda one: (one[1].lineno, one[1].col_offset)))


def texts_in(source: str, file: str) -> Iterator[Text]:
    """Yield the texts of a file. Arguments that are not literals, as in ``tr(NAME)``, are
    ignored."""
    for name, call in calls(ast.parse(source)):
        literals: list[str] = []
        for argument in call.args[:2]:
            if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                break
            literals.append(argument.value)
        if literals:
            text, comment = literals[0], "".join(literals[1:])
            yield Text(text, comment, name == "counted", file, call.lineno)


def texts() -> list[Text]:
    """Return all texts of the app by file and line, including duplicates."""
    return [
        text
        for path in sorted((ROOT / "app").rglob("*.py"))
        for text in texts_in(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]


def update(found: list[Text], folder: Path = FOLDER) -> None:
    """Merge `found` into the files of `folder`. Translations are kept.

    lupdate gets a file with only these texts instead of the app's source: its parser mistakes a
    text with a comment and values for one with plural forms, and misses f-strings.
    """
    with tempfile.TemporaryDirectory() as made:
        tree = Path(made)
        (tree / "texts.py").write_text("".join(map(_as_line, found)), "utf-8")
        # Locations would change whenever code moves.
        command = [TOOLS / "pyside6-lupdate", "-no-obsolete", "-source-language", "en"]
        command += ["-locations", "none", "-silent", "texts.py", "-ts"]
        for code in CODES:
            if (folder / file_name(code)).exists():
                shutil.copy(folder / file_name(code), tree)
            command.append(file_name(code))
        subprocess.run(command, check=True, cwd=tree)
        folder.mkdir(parents=True, exist_ok=True)
        for code in CODES:
            shutil.copy(tree / file_name(code), folder)


def _as_line(text: Text) -> str:
    parts = [CONTEXT, text.text]
    if text.comment or text.counts:
        parts.append(text.comment)
    n = ", 2" if text.counts else ""
    return f"translate({', '.join(json.dumps(p, ensure_ascii=False) for p in parts)}{n})\n"


def file_name(code: str) -> str:
    return f"stretto_{code}.ts"


def make(folder: Path = FOLDER) -> bool:
    """Compile ``.qm`` files that are missing or older than their ``.ts``. Return True on success.

    They are in the same folder and ignored by git. Without them the app is in English.
    """
    good = True
    for source in sorted(folder.glob("*.ts")):
        target = source.with_suffix(".qm")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        beside = target.with_suffix(".new")
        command = [TOOLS / "pyside6-lrelease", "-silent", source, "-qm", beside]
        try:
            subprocess.run(command, check=True)
            beside.replace(target)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{source.name} could not be made ready: {error}", file=sys.stderr)
            good = False
    return good


def main() -> int:
    found = texts()
    update(found)
    print(f"{len({text.key for text in found})} texts in {len(CODES)} languages")
    return 0 if make() else 1


if __name__ == "__main__":
    sys.exit(main())
