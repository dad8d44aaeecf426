"""Rules for the code's structure: imports, names, docstrings, and the documented path of a reply.

Each check parses the sources or reads them as text, without importing the program.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("no_collection")

ROOT = Path(__file__).parents[1]
CODE = ("engine", "app", "packaging")
STEPS = 8  # in CONTRIBUTING.md's walk

# ---------------------------------------------------------------- modules and their imports


@dataclass(frozen=True)
class Module:
    """A module of the project.

    Attributes:
        name: dotted name; a package is named without `__init__`.
        package: parent package. Modules directly in `engine` or `app` are listed by their own names
            in the packages' lists of imports.
    """

    name: str
    path: Path

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def listed_as(self) -> str:
        return self.name if self.package in {"engine", "app"} else self.package


@cache
def modules() -> dict[str, Module]:
    """Return the modules of the project by their dotted names.

    Scripts in packaging/ import each other by bare names, because that folder isn't a package.
    """
    found = {}
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(name, path)
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def known(name: str) -> str | None:
    while name:
        if name in modules():
            return name
        name = name.rpartition(".")[0]
    return None


@cache
def imports(name: str) -> frozenset[str]:
    """Return the project modules that a module imports.

    This includes imports in functions and for type checking, which would only hide a cycle.
    """
    module, found = modules()[name], set[str]()
    beside = f"{module.package}." if name.startswith("packaging.") else ""
    for node in nodes(module.path):
        if isinstance(node, ast.Import):
            found |= {known(beside + a.name) or known(a.name) or "" for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = module.package.split(".")[: 1 - node.level or None] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                target = f"{source}.{alias.name}"
                found.add(known(beside + target) or known(target) or "")
    return frozenset(found - {"", name, "packaging"})


def circles(reaches: Mapping[str, Iterable[str]]) -> Iterator[frozenset[str]]:
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[frozenset[str]]:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(reaches[name]):
            if other not in index:
                yield from visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            group = frozenset(stack[at:])
            del stack[at:]
            if len(group) > 1:
                yield group

    for name in reaches:
        if name not in index:
            yield from visit(name)


def circular() -> set[str]:
    """Return import cycles between modules, or between the app's packages.

    A package should use a protocol for a package above it.
    """
    of_modules = {name: imports(name) for name in modules()}
    of_packages: dict[str, set[str]] = {}
    for name, module in modules().items():
        if name.startswith("app."):
            of_packages.setdefault(module.listed_as, set()).update(
                modules()[other].listed_as for other in imports(name) if other.startswith("app.")
            )
    return {
        " ".join(sorted(group)) for kind in (of_modules, of_packages) for group in circles(kind)
    }


def halves() -> set[str]:
    """Return app classes with one subclass and no instances. Protocols are exempt."""
    built: dict[str, set[str]] = {}
    own: set[str] = set()
    named: set[str] = set()
    for node in (n for m in modules().values() if m.name.startswith("app.") for n in nodes(m.path)):
        match node:
            case ast.ClassDef(name=name, bases=bases):
                if not any(ast.unparse(base) == "Protocol" for base in bases):
                    own.add(name)
                for base in bases:
                    last = ast.unparse(base).partition("[")[0].rpartition(".")[2]
                    built.setdefault(last, set()).add(name)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                named.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                named.add(name)
    return {
        f"{name}: only {' '.join(children)}"
        for name, children in built.items()
        if name in own and len(children) == 1 and name not in named
    }


def allowed(package: Module) -> set[str] | None:
    """Return the packages named in the last line of a package's docstring, or None without this
    line.
    """
    lines = (ast.get_docstring(tree(package.path)) or "").split("\n\n")[-1]
    line = re.fullmatch(r"Imports: ([\w., \n]+)\.", lines)
    if line is None:
        return None
    return {name.strip() for name in line[1].split(",")} - {"nothing"}


def not_allowed() -> set[str]:
    faults = set()
    for package in modules().values():
        if package.path.name != "__init__.py":
            continue
        names = allowed(package)
        if names is None:
            faults.add(f"{package.name}: no line of imports")
            continue
        known_names = {m.listed_as for m in modules().values()} | {m.name for m in packages()}
        faults |= {f"{package.name}: {name} is nothing" for name in names - known_names}
        for module in modules().values():
            if module.package == package.name:
                others = {modules()[target] for target in imports(module.name)}
                faults |= {
                    f"{package.name}: {other.listed_as}"
                    for other in others
                    if other.package != package.name and other.listed_as not in names
                }
    return faults


def packages() -> list[Module]:
    return [m for m in modules().values() if m.path.name == "__init__.py"]


def imported(module: Module) -> set[str]:
    found = set()
    for node in nodes(module.path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def leaks() -> set[str]:
    window = re.compile(r"(app|PySide6\w*|PyQt\w*|shiboken6|qtpy|qasync)(\.|$)")
    return {
        f"{name}: {target}"
        for name, module in modules().items()
        if name.partition(".")[0] == "engine"
        for target in imported(module)
        if window.match(target)
    }


def loops() -> set[str]:
    return {n for n, m in modules().items() if "qasync" in imported(m) and n != "app.flows"}


# ---------------------------------------------------------------- sizes


def repeated_names() -> set[str]:
    names = Counter(path.name for path in (ROOT / "app").rglob("*.py"))
    return {name for name, count in names.items() if count > 1 and not name.startswith("__")}


API_TYPES = {"ChatMessage", "ToolCall"}  # classes that each API has under its own schema's name


def repeated_classes() -> set[str]:
    found = set()
    for top in ("engine", "app"):
        names = Counter(
            node.name
            for path in (ROOT / top).rglob("*.py")
            for node in nodes(path)
            if isinstance(node, ast.ClassDef)
        )
        found |= {f"{top}: {name}" for name, n in names.items() if n > 1 and name not in API_TYPES}
    return found


VAGUE_OPENINGS = re.compile(
    r"(What|Who|Whether|Where|How|Which|Those|Of|So|It|One|They|All|As|Nothing|By|For|Gives|Tells"
    r"|Makes) "
)
STILTED_PHRASES = (
    *("anew", "as of `", "be it", "come to nothing", "comes to nothing", "for ever", "is to be"),
    *("made good", "nobody", "none where", "otherwise than", "so many", "that late", "those who"),
    *("to be had", "whom"),
)
_STILTED = re.compile(  # a phrase may continue on another line, after "#" in a comment
    rf"\b({'|'.join(STILTED_PHRASES)})(?!\w)".replace(" ", r"[\s#]+"), re.IGNORECASE
)


def vague_openings() -> set[str]:
    quoted = re.compile(f'"{VAGUE_OPENINGS.pattern}')
    return {
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in python_files()
        if quoted.search(path.read_text(encoding="utf-8"))  # parses only a few files
        for text in _docstrings(path)
        if VAGUE_OPENINGS.match(text)
    }


def stilted_phrases() -> set[str]:
    """Return docstrings and comments that contain one of the `STILTED_PHRASES`."""
    return {
        f"{path.relative_to(ROOT)}: {found[0]!r} in {text.strip()!r}"
        for path in python_files()
        if _STILTED.search(source := path.read_text(encoding="utf-8"))
        for text in (*_docstrings(path), *_comments(source))
        if (found := _STILTED.search(text))
    }


def python_files() -> Iterator[Path]:
    for top in (*CODE, "resources", "tests"):
        yield from (ROOT / top).rglob("*.py")


def _comments(source: str) -> Iterator[str]:
    """Yield comments, with the lines of a block joined."""
    block, end = "", (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            if end != (row - 1, column):
                yield block
                block = ""
            block, end = f"{block} {token.string}", (row, column)
    yield block


def _docstrings(path: Path) -> Iterator[str]:
    for node in nodes(path):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


# ---------------------------------------------------------------- the walk


def walk() -> list[list[tuple[str, str]]]:
    """Return (file, function) pairs for each step of "A reply's life" in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(r"^## A reply's life.*?\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert section is not None
    steps = re.split(r"^\d+\. ", section[1], flags=re.M)[1:]
    return [re.findall(r"`([\w/]+\.py)`\s+`([\w.]+)`", step) for step in steps]


def defined(path: Path) -> set[str]:
    def names(nodes: list[ast.stmt], prefix: str) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield prefix + node.name
                if isinstance(node, ast.ClassDef):
                    yield from names(node.body, f"{prefix}{node.name}.")

    return set(names(tree(path).body, ""))


def astray() -> set[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:app|engine|tests|packaging)/[\w/]+\.(?:py|md))`", text)
    return {name for name in named if not (ROOT / name).is_file()} | {
        f"{file} {name}"
        for step in walk()
        for file, name in step
        if not (ROOT / file).is_file() or name not in defined(ROOT / file)
    }


# ---------------------------------------------------------------- sequences


FIRST_AND_LAST = {
    "app.__main__": "the program's own loop",
    "app.program.selftest": "a program of its own",
    "app.ui.dialogs.store_dialogs": "asks before there is a window, and when the program ends",
    "app.ui.dialogs.recovery": "asks before there is a window",
}


def loops_of_their_own() -> set[str]:
    """Return dialogs that run a nested event loop instead of awaiting `flows.open_and_wait`.

    Coroutines that iterate over a reply also count, because its tokens arrive through the bridge.
    """
    found = set()
    for module in modules().values():
        if not module.name.startswith("app.") or module.name in FIRST_AND_LAST:
            continue
        for node in nodes(module.path):
            match node:
                case ast.Call(func=ast.Attribute(attr="exec" | "exec_")):
                    found.add(f"{module.name}:{node.lineno} exec")
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Name(id="QFileDialog" | "QInputDialog" | "QMessageBox"), attr=name
                    )
                ) if name in STATIC:
                    found.add(f"{module.name}:{node.lineno} {name}")
                case ast.AsyncFunctionDef():
                    for part in ast.walk(node):
                        if isinstance(part, ast.For) and "reply" in ast.unparse(part.iter):
                            found.add(f"{module.name}:{part.lineno} goes through a reply")
    return found


STATIC = {
    *("getExistingDirectory", "getOpenFileName", "getOpenFileNames", "getSaveFileName"),
    *("getText", "getItem", "getInt", "getDouble", "getMultiLineText"),
    *("question", "warning", "information", "critical"),
}


def items_of_layouts() -> set[str]:
    """Return places where Python may reference an item of a layout (app/DECISIONS.md, A91).

    Items taken out of their layout are safe, since Python owns them.
    """
    return {
        f"{module.name}:{node.lineno} {node.attr}"
        for module in modules().values()
        if module.name.startswith("app.") and module.name != "app.ui.widgets.layout_helpers"
        for node in ast.walk(tree(module.path))
        if isinstance(node, ast.Attribute)
        and node.attr in {"itemAt", "itemAtPosition", "addLayout"}
    }


# ---------------------------------------------------------------- names in prose


@cache
def members() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in (n for m in modules().values() for n in nodes(m.path)):
        if isinstance(node, ast.ClassDef):
            own = found.setdefault(node.name, set())
            own |= {
                f"({ast.unparse(base).partition('[')[0].rpartition('.')[2]})" for base in node.bases
            }
            for part in ast.walk(node):
                match part:
                    case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                        own.add(name)
                    case ast.Attribute(attr=name) | ast.Name(id=name):
                        own.add(name)
    return found


def has(kind: str, member: str) -> bool:
    """Return True if a class or one of its bases has a member. True for unknown classes."""
    own = members().get(kind)
    bases = {name[1:-1] for name in own or () if name.startswith("(")}
    return own is None or member in own or any(has(base, member) for base in bases)


@cache
def says(module: str) -> set[str]:
    found: set[str] = set()
    for node in nodes(modules()[module].path):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
    return found


def gone() -> set[str]:
    """Return names in backticks in docstrings and comments that don't exist."""
    found = set()
    for module in modules().values():
        for name in re.findall(
            r"(?<!`)`([\w.]+\.\w+)`(?!`)", module.path.read_text(encoding="utf-8")
        ):
            first, _, rest = name.partition(".")
            if first in {"engine", "app"}:
                inside, _, last = name.rpartition(".")
                there = name in modules() or (inside in modules() and last in says(inside))
                kind = inside.rpartition(".")[2]
                there = there or (kind in members() and has(kind, last))
            else:
                there = "." in rest or first not in members() or has(first, rest)
            if not there:
                found.add(f"{module.name}: {name}")
    return found


# ---------------------------------------------------------------- what Qt frees


def overridden_slots() -> set[str]:
    """Return methods that a class connects to a signal and a subclass overrides.

    PySide 6.11 connects such a method through a proxy that isn't disconnected when the receiver is
    deleted in C++, so the slot can run on a deleted object while Python still references it.
    """
    methods: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    connected: dict[str, set[str]] = {}
    for module in modules().values():
        if not module.name.startswith("app."):
            continue
        for node in nodes(module.path):
            if isinstance(node, ast.ClassDef):
                names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                methods.setdefault(node.name, set()).update(names)
                above = {base.id for base in node.bases if isinstance(base, ast.Name)}
                bases.setdefault(node.name, set()).update(above)
                connected.setdefault(node.name, set()).update(_connected_methods(node))

    def ancestors(name: str) -> set[str]:
        above = bases.get(name, set())
        return above.union(*map(ancestors, above))

    return {
        f"{name}.{method} overrides {above}.{method}"
        for name in methods
        for above in ancestors(name) & methods.keys()
        for method in methods[name] & methods[above] & (connected[name] | connected[above])
    }


def _connected_methods(node: ast.ClassDef) -> Iterator[str]:
    for call in ast.walk(node):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        for slot in call.args if call.func.attr == "connect" else ():
            if isinstance(slot, ast.Attribute) and ast.unparse(slot.value) == "self":
                yield slot.attr


MLX_MODULES = (
    *("engine.bench", "engine.cache", "engine.cluster", "engine.kernels.matrices", "engine.model"),
    *("engine.runtime.executor", "engine.runtime.result_files", "engine.runtime.request"),
)


def mlx_outside() -> set[str]:
    """Return modules outside `MLX_MODULES` that import mlx at the top, or any that import mlx-lm.

    mlx has to be loaded after OpenBLAS, and importing mlx-lm lowers the limit of open files.
    """
    found = set()
    for module in modules().values():
        for node in tree(module.path).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            roots = {name.split(".")[0] for name in names}
            if "mlx_lm" in roots or ("mlx" in roots and not module.name.startswith(MLX_MODULES)):
                found.add(module.name)
    return found


# ---------------------------------------------------------------- the tests

RULES: dict[str, Callable[[], set[str]]] = {
    "no circle of imports": circular,
    "no class is half of another": halves,
    "a package imports what its docstring says": not_allowed,
    "the engine knows no Qt and no window": leaks,
    "mlx is imported at the top of listed modules only": mlx_outside,
    "asyncio on Qt's loop is one module's matter": loops,
    "a file's name is its own in app/": repeated_names,
    "a class name has one meaning": repeated_classes,
    "a docstring starts with a verb or a noun": vague_openings,
    "prose has no stilted phrases": stilted_phrases,
    "the walk leads through what is there": astray,
    "no dialog is waited for in a loop of its own": loops_of_their_own,
    "no item of a layout is held": items_of_layouts,
    "a name in prose is there": gone,
    "no slot is overridden": overridden_slots,
}


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_keeps_the_rule(rule: str) -> None:
    assert RULES[rule]() == set()


def test_reading_list_names_existing_code() -> None:
    steps = walk()
    assert 1 < len(steps) <= STEPS
    assert all(steps)


def test_decisions_have_unique_ids() -> None:
    texts = [path.read_text("utf-8") for path in sorted(ROOT.glob("*/DECISIONS.md"))]
    ids = [name for text in texts for name in re.findall(r"^### (\w+)\.", text, re.MULTILINE)]
    assert len(ids) == len(set(ids)) > 100


# Tests of the rules themselves, each with code that breaks a rule.


def test_all_kinds_of_imports_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "engine/__init__.py": '"""Made.\n\nImports: nothing.\n"""',
        "engine/a.py": "from __future__ import annotations\nimport engine.b\n",
        "engine/b.py": "def f() -> None:\n    from engine import c\n",
        "engine/c.py": "if TYPE_CHECKING:\n    from engine.a import A\n",
        "app/__init__.py": '"""Made.\n\nImports: nothing.\n"""',
        "app/up/__init__.py": '"""Made.\n\nImports: app.down.\n"""',
        "app/up/a.py": "from app.down.a import A\n\nclass B(A): ...\n",
        "app/up/b.py": "",
        "app/down/__init__.py": '"""Made.\n\nImports: app.up.\n"""',
        "app/down/a.py": "class A: ...\n",
        "app/down/b.py": "import app.up.b\n",
        "engine/core/__init__.py": '"""Made.\n\nImports: engine.a,\nengine.b.\n"""',
        "engine/core/d.py": "from ..c import C\nimport PySide6.QtCore\nfrom app import x\n",
        "packaging/f.py": "import g\nfrom packaging import version\n",
        "packaging/g.py": "def f() -> None:\n    from f import x\n",
    }
    for name, text in made.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    for remembered in (modules, imports):
        remembered.cache_clear()
    try:
        assert circular() == {
            "engine.a engine.b engine.c",
            "packaging.f packaging.g",
            "app.down app.up",
        }
        assert halves() == {"A: only B"}
        assert not_allowed() == {"engine.core: engine.c", "engine.core: app"}
        assert leaks() == {"engine.core.d: PySide6.QtCore", "engine.core.d: app"}
    finally:
        for remembered in (modules, imports):
            remembered.cache_clear()


def test_stilted_prose_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tests" / "x.py"
    path.parent.mkdir()
    path.write_text(
        '"""What it does."""\n# Ask so\n# many times.\n\n'
        'A = "nobody"\n"""Read\nanew."""\nB = 1  # whomever, for\nCC = 2  # ever\n'
    )
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    assert vague_openings() == {"tests/x.py: What it does."}
    assert {fault.partition(" in ")[0] for fault in stilted_phrases()} == {
        "tests/x.py: 'so # many'",
        "tests/x.py: 'anew'",
    }


def test_window_test_files_have_unique_names() -> None:
    """Test folders aren't packages, so pytest would confuse files of the same name."""
    names = Counter(path.name for path in (ROOT / "tests" / "app").rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []
