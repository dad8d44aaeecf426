"""The texts of the program and their translations: ``make languages``.

Finds every text that goes through `app.settings.language`, lets Qt's lupdate put them into
``resources/languages/stretto_*.ts``, which keep the translations, and Qt's lrelease make of those
the ``.qm`` files that the program reads. Needs nothing but the standard library and .venv.
"""

from __future__ import annotations

import ast
import json
import re
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
"""What texts go through; as plain names, so that a widget's own `tr` is something else."""


@dataclass(frozen=True)
class Text:
    """A text of the program.

    Attributes:
        text: the English one; where something is counted, the one for a single thing.
        comment: what tells it apart; where something is counted, the English for several.
        counts: whether it has forms by number.
        file: where it stands, from the project's root.
        line: in which line.
    """

    text: str
    comment: str
    counts: bool
    file: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        """What a translation is found by."""
        return self.text, self.comment


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls of `FUNCTIONS`, each with the name of what is called, in their order."""
    found = (
        (node.func.id, node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FUNCTIONS
    )
    return iter(sorted(found, key=lambda one: (one[1].lineno, one[1].col_offset)))


def texts_in(source: str, file: str) -> Iterator[Text]:
    """The texts of one file. What is no literal, as in ``tr(NAME)``, is none of its own."""
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
    """All texts of the program, by file and line. One that stands in two places is there twice."""
    return [
        text
        for path in sorted((ROOT / "app").rglob("*.py"))
        for text in texts_in(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]


def update(found: list[Text], folder: Path = FOLDER) -> None:
    """Bring the files of `folder` up to date with `found`; what is translated stays.

    lupdate is not given the program itself but a tree with these texts alone. Its parser takes a
    text with a comment and further values for one with plural forms, and misses f-strings.
    """
    with tempfile.TemporaryDirectory() as made:
        tree = Path(made)
        for text in found:
            path = tree / text.file
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as lines:
                lines.write(_as_line(text))
        files = list(dict.fromkeys(text.file for text in found))
        beside = tree / "resources" / "languages"
        beside.mkdir(parents=True)
        command = [TOOLS / "pyside6-lupdate", "-no-obsolete", "-source-language", "en"]
        command += ["-locations", "absolute", "-silent", *files, "-ts"]
        for code in CODES:
            if (folder / file_name(code)).exists():
                shutil.copy(folder / file_name(code), beside)
            command.append(f"resources/languages/{file_name(code)}")
        subprocess.run(command, check=True, cwd=tree)
        folder.mkdir(parents=True, exist_ok=True)
        for code in CODES:
            # The lines would change with every commit.
            made_anew = _without_lines((beside / file_name(code)).read_text("utf-8"))
            (folder / file_name(code)).write_text(made_anew, "utf-8")


def _as_line(text: Text) -> str:
    parts = [CONTEXT, text.text]
    if text.comment or text.counts:
        parts.append(text.comment)
    n = ", 2" if text.counts else ""
    return f"translate({', '.join(json.dumps(p, ensure_ascii=False) for p in parts)}{n})\n"


def _without_lines(ts: str) -> str:
    """The file with each text's places as files alone, each of them once."""
    ts = re.sub(r'(<location filename="[^"]*") line="\d+"/>', r"\1/>", ts)
    return re.sub(r'(\n *<location filename="[^"]*"/>)(?:\1)+', r"\1", ts)


def file_name(code: str) -> str:
    """How the translations into the language with this code are called."""
    return f"stretto_{code}.ts"


def make(folder: Path = FOLDER) -> bool:
    """Make the ``.qm`` files that are missing or older than their ``.ts``; whether all are there.

    Beside them; git ignores them. Without them the program speaks English.
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
