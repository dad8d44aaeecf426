"""Injection of faults into engine functions by name.

`install` compiles the modules of `PARTS` with a call at the start of each function, method,
property and lambda. The call gets the function's name and can raise. Install it before importing
the engine, in a dedicated process.

`hook_child` does the same in sandboxed children. Since they may not write files, they learn which
function should raise from a memory-mapped file.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import fcntl
import importlib.abc
import importlib.machinery
import json
import mmap
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tests.torture import ROOT

PARTS = ("engine.",)
WITHOUT = ("engine.cli", "engine.bench", "engine.__main__")
"""Commands that no reply depends on."""
UNHOOKED = (
    *("runtime.thread.run", "runtime.workers.Workers._work", "serve.server._Http.on_tick"),
    "errors.run_cleanup",
)
"""Outermost frames of the engine thread, the server and cleanups. Our code can't catch exceptions
raised in these frames.
"""
IN_CHILD = ("engine.sandbox.", "engine.text.prompt", "engine.model.folder")

HOOK = "__fault_hook__"
CHILD_FILE = "STRETTO_FAULTS"
"""Environment variable with the path of the children's fault file."""
_ROOM = 2**16
_NAMES_AT = 4096


class Panic(BaseException):
    """Exception that isn't an `Exception`, like a panic in a native library."""


KINDS: dict[str, type[BaseException]] = {"RuntimeError": RuntimeError, "Panic": Panic}


class Switch:
    """Selects the function and the call that raises, or records all calls.

    Attributes:
        where: returns the current state, used as a key in `called`.
        called: call counts by state and function name.
    """

    def __init__(self) -> None:
        self.where: Callable[[], str] = lambda: ""
        self.called: dict[tuple[str, str], int] = {}
        self.fired_in = ""
        self._recording = False
        self._target = ""
        self._state: str | None = None
        self._left = 0
        self._kind: type[BaseException] = RuntimeError
        self._lock = threading.Lock()

    def __call__(self, name: str) -> None:
        """Run at the start of every function."""
        if self._recording:
            with self._lock:
                key = (self.where(), name)
                self.called[key] = self.called.get(key, 0) + 1
        elif name == self._target:
            with self._lock:
                if name != self._target or self._state not in (None, self.where()):
                    return
                self._left -= 1
                if self._left:
                    return
                self._target, self.fired_in = "", threading.current_thread().name
            raise self._kind(f"injected into {name}")

    def record(self, on: bool) -> None:
        self._recording = on
        if on:
            self.called = {}

    def arm(
        self, name: str, call: int, kind: type[BaseException], state: str | None = None
    ) -> None:
        """Make a function raise at its `call`-th call from now, counted from 1.

        Args:
            state: count only calls in this state.
        """
        with self._lock:
            self.fired_in = ""
            self._left, self._kind, self._state, self._target = call, kind, state, name

    def disarm(self) -> None:
        with self._lock:
            self._target = ""


class ChildFile:
    """Memory-mapped file shared with the children.

    The first page holds the function to fail, as JSON. Names of called functions follow, one per
    line.
    """

    def __init__(self, path: Path, create: bool = False) -> None:
        if create:
            path.write_bytes(bytes(_ROOM))
        self._descriptor = os.open(path, os.O_RDWR)
        self._map = mmap.mmap(self._descriptor, _ROOM)
        if create:
            self.set("")

    def set(self, name: str, kind: str = "") -> None:
        """Make the next call of `name` raise; "" for none, "*" to record calls instead."""
        told = json.dumps([name, kind]).encode()
        self._map[:_NAMES_AT] = told.ljust(_NAMES_AT, b"\0")

    def get(self) -> list[str]:
        """Return the function that should raise, and the kind of exception."""
        told = bytes(self._map[:_NAMES_AT]).rstrip(b"\0")
        found: list[str] = json.loads(told) if told else ["", ""]
        return found

    @property
    def armed(self) -> bool:
        """Return True if a fault or recording is requested. This is a cheap check."""
        return self._map[2] != 34  # the content doesn't start with `[""`

    @property
    def names(self) -> list[str]:
        return bytes(self._map[_NAMES_AT:]).rstrip(b"\0").decode().split()

    @contextlib.contextmanager
    def alone(self) -> Any:
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def add(self, name: str) -> None:
        with self.alone():
            here = self.names
            if name not in here:
                told = "\n".join([*here, name]).encode()
                self._map[_NAMES_AT : _NAMES_AT + len(told)] = told


class ChildSwitch:
    def __init__(self, path: Path) -> None:
        self._file = ChildFile(path)
        self._seen: set[str] = set()

    def __call__(self, name: str) -> None:
        if not self._file.armed:
            return
        wanted, kind = self._file.get()
        if wanted == "*" and name not in self._seen:
            self._seen.add(name)
            self._file.add(name)
        elif wanted == name:
            with self._file.alone():
                if self._file.get()[0] != name:
                    return
                self._file.set("")
            raise KINDS[kind](f"injected into {name}")


class _Hooks(ast.NodeTransformer):
    def __init__(self, module: str) -> None:
        self._path = [module.removeprefix("engine.")]

    def _call(self, name: str) -> ast.Call:
        full = ast.Constant(".".join([*self._path, name]))
        return ast.Call(ast.Name(HOOK, ast.Load()), [full], [])

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if ".".join([*self._path, node.name]) in UNHOOKED:
            return node
        call = ast.Expr(self._call(node.name))
        self._inside(node)
        node.body.insert(1 if ast.get_docstring(node) is not None else 0, call)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        call = ast.Expr(self._call(node.name))
        self._inside(node)
        node.body.insert(1 if ast.get_docstring(node) is not None else 0, call)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        call = self._call(f"lambda@{node.lineno}")
        self.generic_visit(node)
        both = ast.Tuple([call, node.body], ast.Load())
        node.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        return node

    def _inside(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._path.append(node.name)
        self.generic_visit(node)
        self._path.pop()
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path))
        made = ast.fix_missing_locations(_Hooks(fullname).visit(tree))
        return compile(made, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, parts: tuple[str, ...]) -> None:
        self._parts = parts

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> Any:
        if not name.startswith(self._parts) or name.startswith(WITHOUT):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path)
        return spec


def install() -> Switch:
    """Instrument the functions of `PARTS` and return the switch that controls them."""
    taken = [
        name for name in sys.modules if name.startswith(PARTS) and not name.startswith(WITHOUT)
    ]
    if taken:
        raise RuntimeError(f"too late: {taken[0]} has been imported")
    switch = Switch()
    setattr(builtins, HOOK, switch)
    sys.meta_path.insert(0, _Finder(PARTS))
    return switch


def for_children(folder: Path) -> ChildFile:
    """Instrument the children of this process and return the file that controls them."""
    file = folder / "faults"
    shared = ChildFile(file, create=True)
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(ROOT)!r})\n"
        "from tests.torture.injection import hook_child\nhook_child()\n"
    )
    os.environ[CHILD_FILE] = str(file)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return shared


def hook_child() -> None:
    """Instrument a child process before it imports the engine."""
    if CHILD_FILE in os.environ and "engine" not in sys.modules:
        setattr(builtins, HOOK, ChildSwitch(Path(os.environ[CHILD_FILE])))
        sys.meta_path.insert(0, _Finder(IN_CHILD))
