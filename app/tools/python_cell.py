"""Python for models, in a child process that reaches neither the network nor the person's files.

It is there only where the system has a way to confine a process: bubblewrap on Linux, sandbox-exec
on macOS. Elsewhere it is absent, and the panel of tools says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from app.language import mark
from app.tools.tool import ToolError

SECONDS = 20.0
MEMORY = 1_000_000_000  # bytes
MOST_OUTPUT = 100_000  # bytes
ABSENT = (
    mark("Python is not offered: this system has no way to confine it. Install bubblewrap (bwrap).")
    if sys.platform != "darwin"
    else mark("Python is not offered: this system has no way to confine it.")
)
_PROFILE = (
    "(version 1)(deny default)(allow process-fork)(allow process-exec)(allow sysctl-read)"
    "(allow mach-lookup)(allow signal (target self))"
    '(allow file-read* (subpath "/usr") (subpath "/System") (subpath "/Library/Developer")'
    ' (subpath "/Applications/Xcode.app") (subpath "/private/var/db") (literal "/")'
    ' (literal "/dev/null") (literal "/dev/random") (literal "/dev/urandom"))'
    '(allow file-write-data (literal "/dev/null"))'
)


# Limits that a process has lowered it cannot raise again. Not by `preexec_fn`: the program has
# threads, and that runs between fork and exec.
_BEGIN = f"""
import resource, sys
limits = [(resource.RLIMIT_CPU, {int(SECONDS)}), (resource.RLIMIT_FSIZE, 10_000_000)]
if sys.platform != "darwin":
    limits.append((resource.RLIMIT_AS, {MEMORY}))
for kind, most in limits:
    resource.setrlimit(kind, (most, most))
code = sys.stdin.read()
sys.stdin = open("/dev/null")
exec(compile(code, "cell", "exec"), {{"__name__": "__main__"}})
"""


def confined() -> list[str] | None:
    """The command that confines and runs Python from its standard input; None without a way."""
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        return None
    if sys.platform == "darwin":
        tool = shutil.which("sandbox-exec")
        return [tool, "-p", _PROFILE, python, "-I", "-c", _BEGIN] if tool else None
    tool = shutil.which("bwrap")
    if tool is None:
        return None
    binds = [
        part
        for folder in ("/lib", "/lib64", "/bin", "/etc/alternatives", "/etc/ld.so.cache")
        if os.path.exists(folder)
        for part in ("--ro-bind", folder, folder)
    ]
    return [
        *(tool, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
        *("--ro-bind", "/usr", "/usr", *binds, "--proc", "/proc", "--dev", "/dev"),
        *("--tmpfs", "/tmp", "--chdir", "/tmp", "--setenv", "HOME", "/tmp"),
        *(python, "-I", "-c", _BEGIN),
    ]


def run_python(code: str, command: list[str] | None = None) -> str:
    """What the code prints. Raises ToolError where it cannot be confined or takes too long."""
    command = command or confined()
    if command is None:
        raise ToolError(ABSENT)
    with tempfile.TemporaryFile() as out:
        # A file, not a pipe: the limit on files holds for it, too.
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"Python could not be started: {error.strerror}.") from error
        try:
            child.communicate(code.encode(), timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(child.pid, 9)
            child.communicate()
            raise ToolError(f"It took more than {SECONDS:.0f} s and was ended.") from error
        out.seek(0)
        told = out.read(MOST_OUTPUT + 1)
    text = told[:MOST_OUTPUT].decode(errors="replace")
    if len(told) > MOST_OUTPUT:
        text += "\n[… the rest is left out …]"
    if child.returncode:
        raise ToolError(f"It ended with status {child.returncode}.\n{text}")
    return text or "(It printed nothing.)"
