"""Third-party components with versions, licenses, and license texts.

A checkout reads them from the installed packages. A bundle has a file created by the build
(`packaging/contents.py`), which also lists system libraries.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import sysconfig
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path

from msgspec import Struct, to_builtins

from app.settings.paths import resources

SHIPPED = "licences.json"  # in a bundle's `resources`

_TEXT = re.compile(
    r"(^|/)(licen[cs]e|copying|notice|thirdpartynotices)[^/]*$|\.dist-info/licenses/.+",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LONG = 80


class Component(Struct, frozen=True):
    name: str
    version: str
    licence: str  # short name, an SPDX expression if available
    text: str
    kind: str = "pypi"  # where name and version come from: "pypi", "deb" or "generic"


def components() -> list[Component]:
    shipped = resources() / SHIPPED
    if shipped.is_file():
        return [Component(**entry) for entry in json.loads(shipped.read_text(encoding="utf-8"))]
    return installed()


def installed() -> list[Component]:
    project = tomllib.loads((resources().parent / "pyproject.toml").read_text(encoding="utf-8"))
    bare = project["tool"]["stretto"]["without-dependencies"]
    roots = [*project["project"]["dependencies"], *bare, "mlx-cpu"]
    packages = [_component(part) for part in _required_packages(roots)]
    terms = (resources() / "fonts" / "OFL.txt").read_text(encoding="utf-8")
    font = Component("Inter", "4.1", "OFL-1.1", terms, "generic")
    return sorted([_python(), font, *packages], key=lambda c: c.name.lower())


def as_json(parts: Iterable[Component]) -> str:
    ordered = sorted(parts, key=lambda c: (c.name.lower(), c.version))
    return json.dumps([to_builtins(part) for part in ordered], indent=1, ensure_ascii=False)


def _required_packages(requirements: Iterable[str]) -> list[Distribution]:
    waiting, packages = list(requirements), dict[str, Distribution]()
    while waiting:
        words = _NAME.match(requirement := waiting.pop())
        if words is None or "extra ==" in requirement:
            continue
        name = words[0]
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in packages:
            continue
        try:
            packages[key] = distribution(name)
        except PackageNotFoundError:
            continue  # not needed on this system, or an optional extra
        waiting += packages[key].requires or []
    return list(packages.values())


def _component(part: Distribution) -> Component:
    # `part.files` would check thousands of files on disk.
    listed = csv.reader((part.read_text("RECORD") or "").splitlines())
    names = sorted(line[0] for line in listed if line and _TEXT.search(line[0]))
    places = [Path(str(part.locate_file(name))) for name in names]
    texts = [_decode(path.read_bytes()) for path in places if path.is_file()]
    metadata = part.metadata  # read once, because each access parses the metadata again
    name, short = metadata["Name"], _short_name(metadata)
    return Component(
        name, metadata["Version"], short, "\n\n".join(texts) or _standard_text(metadata, short)
    )


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _short_name(metadata: PackageMetadata) -> str:
    declared = "".join(
        (metadata.get_all("License-Expression") or metadata.get_all("License") or [])[:1]
    )
    if declared and len(declared) <= _LONG and "\n" not in declared:
        return declared
    for kind in metadata.get_all("Classifier") or []:
        if kind.startswith("License :: ") and "OSI Approved" in kind:
            return str(kind.rsplit(" :: ", 1)[-1])
    return "LGPL" if "LGPL" in declared else "see its text"


def _standard_text(metadata: PackageMetadata, short: str) -> str:
    """Return the standard text of a license that a package names but doesn't include."""
    for sign, files in (
        ("LGPL", ("LGPL-3.0.txt", "GPL-3.0.txt")),
        ("Apache", ("Apache-2.0.txt",)),
        ("MIT", ("MIT.txt",)),
    ):
        if sign in short:
            author = "".join(metadata.get_all("Author") or [f"the authors of {metadata['Name']}"])
            head = f"Copyright (c) {author}"
            texts = [(resources() / "licences" / f).read_text(encoding="utf-8") for f in files]
            return "\n\n".join([head, *texts])
    return f"{metadata['Name']} is under {short}."


def _python() -> Component:
    version = sys.version.split()[0]
    path = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    text = path.read_text(encoding="utf-8") if path.is_file() else "See docs.python.org/license"
    return Component("Python", version, "PSF-2.0", text, "generic")
