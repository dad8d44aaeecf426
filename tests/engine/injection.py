"""Faults put into functions of the engine by their names.

`install` has the modules of `PARTS` compiled with a call at the beginning of every function,
method, property and lambda. The call is told the function's name, and may raise there. It must be
installed before the engine is imported, so all this is for a process of its own.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

PARTS = ("engine.core.", "engine.kv.", "engine.model.runner")
WITHOUT = ("engine.core.confined",)
"""Its limits are longer than the scenes wait, and it has tests of its own."""

HOOK = "__fault_hook__"


class Panic(BaseException):
    """As what a native library raises when it panics: no `Exception`."""


class Switch:
    """Which function raises, at which of its calls; or which are called at all."""

    def __init__(self) -> None:
        self.called: Counter[str] = Counter()
        self.fired_in = ""
        self._recording = False
        self._target = ""
        self._left = 0
        self._kind: type[BaseException] = RuntimeError
        self._lock = threading.Lock()

    def __call__(self, name: str) -> None:
        """The beginning of every function."""
        if self._recording:
            with self._lock:
                self.called[name] += 1
        elif name == self._target:
            with self._lock:
                self._left -= 1
                if self._left:
                    return
                self._target, self.fired_in = "", threading.current_thread().name
            raise self._kind(f"injected into {name}")

    def record(self, on: bool) -> None:
        """Count calls, or stop that."""
        self._recording = on
        if on:
            self.called = Counter()

    def arm(self, name: str, call: int, kind: type[BaseException]) -> None:
        """Let a function raise at this call of it, counted from 1 and from now."""
        with self._lock:
            self.fired_in = ""
            self._left, self._kind, self._target = call, kind, name

    def disarm(self) -> None:
        """Let nothing raise any more."""
        with self._lock:
            self._target = ""


class _Hooks(ast.NodeTransformer):
    def __init__(self, module: str) -> None:
        self._path = [module.removeprefix("engine.")]

    def _call(self, name: str) -> ast.Call:
        full = ast.Constant(".".join([*self._path, name]))
        return ast.Call(ast.Name(HOOK, ast.Load()), [full], [])

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
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

    def _inside(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
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
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> Any:
        if not name.startswith(PARTS) or name.startswith(WITHOUT):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path)
        return spec


def install() -> Switch:
    """Have every function of `PARTS` ask the switch that is returned."""
    taken = [
        name for name in sys.modules if name.startswith(PARTS) and not name.startswith(WITHOUT)
    ]
    if taken:
        raise RuntimeError(f"too late: {taken[0]} has been imported")
    switch = Switch()
    setattr(builtins, HOOK, switch)
    sys.meta_path.insert(0, _Finder())
    return switch
