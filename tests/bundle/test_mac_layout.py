"""What is known of the Mac's layout without a Mac, tried with small files made by hand."""

from __future__ import annotations

import os
import plistlib
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SYSTEM = "/usr/lib/libSystem.B.dylib"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(PACKAGING))
    yield
    for name in ("apple_tools", "mac_app", "mach_o"):
        sys.modules.pop(name, None)


@pytest.fixture
def mach_o(path: None) -> Any:
    import mach_o  # type: ignore[import-not-found]

    return mach_o


@pytest.fixture
def tools(path: None) -> Any:
    import apple_tools  # type: ignore[import-not-found]

    return apple_tools


def asks(mach_o: Any, file: Path) -> tuple[list[str], list[str], list[str]]:
    """The identity, the libraries and the run paths that a file names."""
    commands = mach_o.commands(file.read_bytes())
    kinds: tuple[set[int], ...] = ({mach_o.IDENTITY}, mach_o.LOADS, {mach_o.RUN_PATH})
    identity, loads, paths = (
        [mach_o.name(c) for c in commands if mach_o.kind(c) in wanted] for wanted in kinds
    )
    return identity, loads, paths


def fat(mach_o: Any, thin: bytes) -> bytes:
    """A universal file: a part for another processor, and this one."""
    other = thin.replace(struct.pack("<I", mach_o.ARM64), struct.pack("<I", 0x01000007), 1)
    size = len(thin)
    archs = struct.pack(">5I", 0x01000007, 3, 0x1000, size, 12)
    archs += struct.pack(">5I", mach_o.ARM64, 0, 0x8000, size, 12)
    whole = (struct.pack(">2I", 0xCAFEBABE, 2) + archs).ljust(0x1000, b"\0") + other
    return whole.ljust(0x8000, b"\0") + thin


def test_a_made_library_is_one_to_macholib(mach_o: Any, tmp_path: Path) -> None:
    reader = pytest.importorskip("macholib.MachO")
    file = tmp_path / "libx.dylib"
    file.write_bytes(mach_o.library("@rpath/libx.dylib", (SYSTEM, "@rpath/liby.dylib"), ("@a",)))
    (header,) = reader.MachO(str(file)).headers
    assert [name for _, _, name in header.walkRelocatables()] == [SYSTEM, "@rpath/liby.dylib"]
    assert mach_o.minimum(mach_o.commands(file.read_bytes())) == (14, 0)


def test_pyinstaller_rewrites_search_paths_with_the_stand_ins(
    mach_o: Any, tools: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    osx = pytest.importorskip("PyInstaller.utils.osx")
    monkeypatch.setattr(osx, "subprocess", tools)
    file = tmp_path / "libx.dylib"
    links = (SYSTEM, "@loader_path/../lib/liby.dylib")
    file.write_bytes(fat(mach_o, mach_o.library("/opt/libx.dylib", links, ("/opt/lib", "@x"))))
    osx.binary_to_target_arch(str(file), "arm64")
    osx.set_dylib_dependency_paths(str(file), "@loader_path/..")
    assert asks(mach_o, file) == (
        ["@rpath/libx.dylib"],
        [SYSTEM, "@rpath/liby.dylib"],
        ["@loader_path/.."],
    )


def test_the_stand_ins_do_what_llvm_s_tools_do(mach_o: Any, tools: Any, tmp_path: Path) -> None:
    theirs = {n: shutil.which(f"llvm-{n}") or shutil.which(f"llvm-{n}-14") for n in ("lipo",)}
    theirs["install-name-tool"] = shutil.which("llvm-install-name-tool-14")
    if not all(theirs.values()):
        pytest.skip("no llvm-lipo or llvm-install-name-tool")
    whole = tmp_path / "whole"
    made = mach_o.library("/a/libx.dylib", (SYSTEM, "/a/liby.dylib"), ("/old",))
    whole.write_bytes(fat(mach_o, made))
    changes = ["-id", "@rpath/libx.dylib", "-change", "/a/liby.dylib", "@rpath/liby.dylib"]
    changes += ["-delete_rpath", "/old", "-add_rpath", "@loader_path/../.."]
    ours, other = tmp_path / "ours", tmp_path / "theirs"
    assert tools.run(["lipo", "-thin", "arm64", str(whole), "-output", str(ours)]).returncode == 0
    lipo = [str(theirs["lipo"]), "-thin", "arm64", str(whole), "-output", str(other)]
    subprocess.run(lipo, check=True)
    assert ours.read_bytes() == other.read_bytes()
    assert tools.run(["install_name_tool", *changes, str(ours)]).returncode == 0
    subprocess.run([str(theirs["install-name-tool"]), *changes, str(other)], check=True)
    assert asks(mach_o, ours) == asks(mach_o, other)


def test_what_does_not_fit_or_is_not_there_is_refused(
    mach_o: Any, tools: Any, tmp_path: Path
) -> None:
    file = tmp_path / "libx.dylib"
    file.write_bytes(mach_o.library())
    long = ["install_name_tool", "-add_rpath", "x" * 0x4000, str(file)]
    assert "do not fit" in tools.run(long).stdout
    gone = ["install_name_tool", "-delete_rpath", "/none", str(file)]
    assert tools.run(gone).returncode == 1
    file.write_bytes(b"\x7fELF and nothing else")
    assert tools.run(["lipo", "-thin", "arm64", str(file), "-output", str(file)]).returncode == 1


def test_a_signature_is_taken_away(mach_o: Any, tools: Any, tmp_path: Path) -> None:
    file = tmp_path / "x"
    plain = mach_o.library(None, (SYSTEM,))
    signature = struct.pack("<4I", mach_o.SIGNATURE, 16, len(plain), 64)
    file.write_bytes(mach_o.with_commands(plain + bytes(64), [*mach_o.commands(plain), signature]))
    command = ["/usr/bin/codesign", "--remove", "--all-architectures", str(file)]
    assert tools.run(command).returncode == 0
    assert file.read_bytes() == plain


@pytest.fixture
def app(mach_o: Any, tmp_path: Path) -> Path:
    """An app as it should be: MLX, its kernels, a framework and a program."""
    app = tmp_path / "Small.app"
    contents = app / "Contents"
    lib, resources = contents / "Frameworks" / "mlx" / "lib", contents / "Resources" / "mlx" / "lib"
    framework = contents / "Frameworks" / "QtCore.framework"
    current = framework / "Versions" / "A"
    for folder in (contents / "MacOS", lib, resources, current / "Resources"):
        folder.mkdir(parents=True)
    up = ("@loader_path/..",)
    core = mach_o.library(None, ("@rpath/libmlx.dylib", SYSTEM), up)
    (lib.parent / "core.so").write_bytes(core)
    (lib / "libmlx.dylib").write_bytes(mach_o.library("@rpath/libmlx.dylib", (SYSTEM,), up))
    (resources / "mlx.metallib").write_bytes(b"MTLB")
    link = "../../../Resources/mlx/lib/mlx.metallib"
    (lib / "mlx.metallib").symlink_to(link)
    (contents / "Frameworks" / "libmlx.dylib").symlink_to("mlx/lib/libmlx.dylib")
    (contents / "Frameworks" / "mlx.metallib").symlink_to("mlx/lib/mlx.metallib")
    (current / "QtCore").write_bytes(mach_o.library("@rpath/QtCore", (SYSTEM,)))
    (current / "Resources" / "Info.plist").write_bytes(plistlib.dumps({}))
    (framework / "Versions" / "Current").symlink_to("A")
    (framework / "QtCore").symlink_to("Versions/Current/QtCore")
    (contents / "MacOS" / "small").write_bytes(mach_o.library(None, (SYSTEM,)))
    (contents / "Resources" / "small.icns").write_bytes(b"icns")
    plist = {
        "CFBundleExecutable": "small",
        "CFBundleIconFile": "small.icns",
        "CFBundleIdentifier": "org.example.small",
        "CFBundleVersion": "1",
        "CFBundleShortVersionString": "1",
        "LSMinimumSystemVersion": "14.0",
    }
    (contents / "Info.plist").write_bytes(plistlib.dumps(plist))
    return app


def look(app: Path) -> Any:
    import mac_app  # type: ignore[import-not-found]

    return mac_app.look(app, "14.0")


def test_a_sound_app_has_no_faults(app: Path) -> None:
    found = look(app)
    assert found.faults == []
    assert (found.binaries, found.links, found.newer) == (4, 5, [])


def _kernels_are_missing(contents: Path, mach_o: Any) -> None:
    (contents / "Frameworks" / "mlx.metallib").unlink()


def _a_link_is_broken(contents: Path, mach_o: Any) -> None:
    (contents / "Resources" / "mlx" / "lib" / "mlx.metallib").unlink()


def _a_link_leads_out(contents: Path, mach_o: Any) -> None:
    (contents / "Resources" / "out").symlink_to("../../../..")


def _a_library_is_missing(contents: Path, mach_o: Any) -> None:
    lost = mach_o.library(None, ("@rpath/liblost.dylib",), ("@loader_path",))
    (contents / "Frameworks" / "x.so").write_bytes(lost)


def _a_library_is_the_builder_s(contents: Path, mach_o: Any) -> None:
    (contents / "Frameworks" / "x.so").write_bytes(mach_o.library(None, ("/opt/lib/x.dylib",)))


def _code_among_data(contents: Path, mach_o: Any) -> None:
    (contents / "Resources" / "x.so").write_bytes(mach_o.library())


def _data_among_code(contents: Path, mach_o: Any) -> None:
    (contents / "Frameworks" / "x.txt").write_text("x")


def _a_folder_has_a_dot(contents: Path, mach_o: Any) -> None:
    (contents / "Frameworks" / "python3.12").mkdir()


def _a_library_twice(contents: Path, mach_o: Any) -> None:
    source = contents / "Frameworks" / "mlx" / "lib" / "libmlx.dylib"
    shutil.copy(source, contents / "Frameworks" / "mlx" / "libmlx.dylib")


def _no_framework_s_plist(contents: Path, mach_o: Any) -> None:
    framework = contents / "Frameworks" / "QtCore.framework"
    (framework / "Versions" / "A" / "Resources" / "Info.plist").unlink()


def _no_program(contents: Path, mach_o: Any) -> None:
    (contents / "MacOS" / "small").unlink()


def _the_plist_says_another_system(contents: Path, mach_o: Any) -> None:
    plist = plistlib.loads((contents / "Info.plist").read_bytes())
    (contents / "Info.plist").write_bytes(
        plistlib.dumps({**plist, "LSMinimumSystemVersion": "13.0"})
    )


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_kernels_are_missing, "mlx.metallib is not in Contents/Frameworks"),
        (_a_link_is_broken, "Contents/Frameworks/mlx/lib/mlx.metallib links to"),
        (_a_link_leads_out, "links out of the app"),
        (_a_library_is_missing, "links with @rpath/liblost.dylib, which is not found"),
        (_a_library_is_the_builder_s, "links with /opt/lib/x.dylib"),
        (_code_among_data, "is code where codesign expects data"),
        (_data_among_code, "is data where codesign expects code"),
        (_a_folder_has_a_dot, "python3.12 has a dot"),
        (_a_library_twice, "once more"),
        (_no_framework_s_plist, "has no current version"),
        (_no_program, "names a program"),
        (_the_plist_says_another_system, "asks for macOS 13.0"),
    ],
)
def test_every_harm_is_found(app: Path, mach_o: Any, harm: Any, said: str) -> None:
    harm(app / "Contents", mach_o)
    assert any(said in fault for fault in look(app).faults), look(app).faults


def test_who_asks_for_a_newer_system_is_named(app: Path, mach_o: Any) -> None:
    newer = mach_o.library(None, (SYSTEM,), minimum=(15, 0))
    (app / "Contents" / "Frameworks" / "x.so").write_bytes(newer)
    assert look(app).newer == ["Contents/Frameworks/x.so"]


SPEC = """
from PyInstaller.utils.hooks import collect_data_files

a = Analysis([{script!r}], pathex=[], datas=collect_data_files("small"))
program = EXE(PYZ(a.pure), a.scripts, [], exclude_binaries=True, name="small", console=False,
              target_arch="arm64")
folder = COLLECT(program, a.binaries, a.datas, name="Small")
BUNDLE(folder, name="Small.app", icon={icon!r}, bundle_identifier="org.example.small", version="1",
       info_plist={{"CFBundleVersion": "1", "LSMinimumSystemVersion": "14.0"}})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a Mac needs no pretending")
def test_pyinstaller_lays_out_a_package_of_the_mac_s(mach_o: Any, tmp_path: Path) -> None:
    """The whole way, with a package of one extension module, its library and its data."""
    pytest.importorskip("PyInstaller")
    pytest.importorskip("macholib")
    site, start, work = tmp_path / "site", tmp_path / "start", tmp_path / "work"
    for folder in (site / "small" / "lib.d", start, work):
        folder.mkdir(parents=True)
    (site / "small" / "__init__.py").write_text("from small import core\n")
    up = ("@loader_path/lib.d",)
    core = mach_o.library(None, ("@rpath/libmlx.dylib", SYSTEM), up)
    (site / "small" / "core.cpython-312-darwin.so").write_bytes(core)
    lib = mach_o.library("@rpath/libmlx.dylib", (SYSTEM,))
    (site / "small" / "lib.d" / "libmlx.dylib").write_bytes(lib)
    (site / "small" / "mlx.metallib").write_bytes(b"MTLB")
    (start / "runw").write_bytes(mach_o.library(None, (SYSTEM,), minimum=(11, 0)))
    (tmp_path / "start.py").write_text("import small\n")
    (tmp_path / "small.icns").write_bytes(b"icns" + struct.pack(">I", 8))
    spec = tmp_path / "small.spec"
    script, icon = str(tmp_path / "start.py"), str(tmp_path / "small.icns")
    spec.write_text(SPEC.format(script=script, icon=icon))
    command = [sys.executable, str(PACKAGING / "mac_pretend.py")]
    environment = {**os.environ, "PYINSTALLER_CONFIG_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [*command, *map(str, (site, start, work, spec))],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = look(work / "dist" / "Small.app")
    # The one thing that is wrong with it: the kernels lie beside the module, not its library.
    assert {fault.partition(" is not in")[0] for fault in found.faults} == {"mlx.metallib"}
    frameworks = work / "dist" / "Small.app" / "Contents" / "Frameworks"
    assert os.readlink(frameworks / "small" / "lib.d") == "lib__dot__d"
    assert asks(mach_o, frameworks / "small" / "core.cpython-312-darwin.so")[2] == [
        "@loader_path/.."
    ]
    assert (frameworks / "libmlx.dylib").resolve().parent.name == "lib__dot__d"
