"""A malicious hub.

The client is the program's own, through huggingface_hub and `HF_ENDPOINT`, as with the real hub.
For each response at random, the hub reports wrong sizes and names, sends slowly or without end,
redirects in circles, or changes a file halfway. Each lookup or download must end in time, with a
message or with the exact bytes of the listed hashes. Nothing may be written outside the downloads,
and no incomplete model, thread, connection or memory may be left over.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hub import Hub, _Handler, _listed, serving

NAME = "some/model"
PATIENCE = 1.0
"""Seconds until an answer must start, instead of a minute."""
MOST_SECONDS = 40.0
"""Seconds for a look or download with all its retries."""
MOST_GROWTH = 200 * 2**20
CONFIG = json.dumps({"model_type": "llama", "hidden_size": 8}).encode()
FILES = {
    "config.json": CONFIG,
    "tokenizer.json": b'{"model": {}}' * 50,
    "model.safetensors": bytes(range(256)) * 2000,
}
OUTSIDE = ("../out.json", "a/../../out.json", "/tmp/out.json", "..\\out.json", "C:\\out.json")
ODD = (
    *("..", ".", "", "a\0.json", "a\n.json", "x" * 300 + ".json", "a/" * 300 + "b.json"),
    *("CONFIG.JSON", "config.json/x.json", "\udcff.json", "con.json", "-rf.json", "\u202egpj.json"),
)


class Harm:
    """Misbehavior of the hub in one round.

    Attributes:
        where: the answers it affects: "list", "file" or "weights".
        what: suffix of the method below.
    """

    def __init__(self, where: str, what: str, rng: random.Random) -> None:
        self.where, self.what, self.rng = where, what, rng
        self.times = rng.choice([1, 2, 10**9])
        """number of bad responses before a good one"""

    def __str__(self) -> str:
        times = f", {self.times} times" if self.times < 10**9 else ""
        return f"{self.what} of {self.where}{times}"


class _Hostile(_Handler):
    """Test hub that misbehaves. Invalid HTTP is written by hand."""

    harm: Harm | None = None

    def do_GET(self) -> None:
        harm = _Hostile.harm
        asked = "list" if self.path.startswith("/api/") else "file"
        asked = "weights" if "/cdn/" in self.path else asked
        if harm is None or harm.times <= 0 or asked != harm.where:
            super().do_GET()
            return
        harm.times -= 1
        self.close_connection = True
        with contextlib.suppress(OSError):  # the client has given up
            getattr(self, f"harm_{harm.what}")(harm.rng)

    # -- heads

    def harm_drip_head(self, _: random.Random) -> None:
        self._for_ever(b"HTTP/1.1 200 OK\r\nX-Long: ", b"a", 0.02)

    def harm_continue(self, _: random.Random) -> None:
        self._for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001)

    def harm_many_lines(self, _: random.Random) -> None:
        self._for_ever(b"HTTP/1.1 200 OK\r\n", b"X-Line: " + b"a" * 1000 + b"\r\n", 0.0)

    def harm_no_http(self, rng: random.Random) -> None:
        self.wfile.write(rng.choice([b"", b"\0" * 1000, b"HTTP/1.1 abc\r\n\r\n", b"SSH-2.0-x\r\n"]))

    def harm_status(self, rng: random.Random) -> None:
        status = rng.choice([199, 204, 206, 304, 400, 401, 403, 404, 408, 416, 429, 451, 500, 503])
        self._say(f"HTTP/1.1 {status} X\r\nContent-Length: 2\r\n", b"{}")

    def harm_retry_after(self, rng: random.Random) -> None:
        after = rng.choice(["999999999999", "-5", "abc", "Fri, 31 Dec 9999 23:59:59 GMT", "1e9"])
        status = rng.choice([429, 503])
        self._say(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\nRetry-After: {after}\r\n", b"")

    def harm_lengths(self, rng: random.Random) -> None:
        length = rng.choice(["-1", "1e3", "9" * 30, "5, 6", "+5", "0x10", "\u0665".encode().hex()])
        self._say(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n", b"{}")

    # -- redirects

    def harm_circle(self, _: random.Random) -> None:
        self._say(f"HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: {self.path}\r\n", b"")

    def harm_spiral(self, rng: random.Random) -> None:
        to = self.path.partition("?")[0] + f"?{rng.random()}"
        time.sleep(0.05)
        self._say(f"HTTP/1.1 307 X\r\nContent-Length: 0\r\nLocation: {to}\r\n", b"")

    def harm_elsewhere(self, rng: random.Random) -> None:
        to = rng.choice(
            [
                *(
                    "file:///etc/passwd",
                    "ftp://127.0.0.1/x",
                    "//",
                    "http://",
                    "http://[::1",
                    "\x01",
                ),
                *("http://127.0.0.1:1/x", "javascript:1", "http://user:secret@127.0.0.1:1/"),
            ]
        )
        self._say(f"HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: {to}\r\n", b"")

    # -- bodies

    def harm_drip_body(self, _: random.Random) -> None:
        self._for_ever(b"HTTP/1.1 200 OK\r\nContent-Length: 512000\r\n\r\n", b"a", 0.02)

    def harm_endless(self, _: random.Random) -> None:
        self._for_ever(b"HTTP/1.1 200 OK\r\n\r\n", b"a" * 65536, 0.0)

    def harm_endless_chunks(self, _: random.Random) -> None:
        self._for_ever(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 1000, 0.0
        )

    def harm_chunk_extension(self, _: random.Random) -> None:
        self._for_ever(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 10000, 0.001
        )

    def harm_short(self, rng: random.Random) -> None:
        body = b"a" * rng.choice([0, 1, 1000])
        self._say("HTTP/1.1 200 OK\r\nContent-Length: 512000\r\n", body)

    def harm_range(self, rng: random.Random) -> None:
        """Send the wrong part, a part of another file, or a part that wasn't requested."""
        whole = FILES["model.safetensors"]
        start = rng.choice([0, 1, 99_999, len(whole) - 1])
        told = rng.choice([f"bytes {start}-{len(whole) - 1}/{len(whole)}", "bytes */1", "x", ""])
        part = whole[start:]
        head = f"HTTP/1.1 206 X\r\nContent-Length: {len(part)}\r\nContent-Range: {told}\r\n"
        self._say(head, part)

    def harm_other_etag(self, rng: random.Random) -> None:
        whole = bytes(reversed(FILES["model.safetensors"])) + b"a" * rng.choice([0, 0, 7])
        tag = hashlib.sha256(whole).hexdigest()
        head = f"HTTP/1.1 200 X\r\nContent-Length: {len(whole)}\r\nETag: {tag}\r\n"
        self._say(head, whole[: rng.choice([len(whole), 1000])])

    # -- listings

    def harm_listing(self, rng: random.Random) -> None:
        listed = [_listed(name, content) for name, content in FILES.items()]
        about: dict[str, Any] = {"id": NAME, "sha": "a" * 40, "siblings": listed}
        wrong = rng.choice(listed)
        place: dict[str, Any] = wrong.get("lfs", wrong) if rng.random() < 0.7 else wrong
        odd = rng.choice([-1, 2**70, True, 0.5, "1", None, [], {}, 1e308, 10**400])
        match rng.randrange(7):
            case 0:
                place["size"] = odd
            case 1:
                wrong["rfilename"] = rng.choice(OUTSIDE + ODD)
            case 2:
                listed.append(_listed(rng.choice(OUTSIDE + ODD), b"{}"))
            case 3:
                place[rng.choice(["sha256", "blobId"])] = rng.choice(
                    ["", "a" * 63, "../" * 21 + "a", "A" * 64, "a" * 64 + "\n", 5, None, "é" * 64]
                )
            case 4:
                about["sha"] = rng.choice(["main", "../../x", "a" * 39, "a" * 40 + "\n", 5, None])
            case 5:
                about["siblings"] = rng.choice([None, 5, "x", [None], [[]], [{}], listed * 20_000])
            case _:
                about[rng.choice(["tags", "config", "gated", "safetensors", "cardData"])] = odd
        deep = rng.choice([0, 0, 0, 100_000])
        text = b"[" * deep if deep else json.dumps(about).encode()
        self._say(f"HTTP/1.1 200 X\r\nContent-Length: {len(text)}\r\n", text)

    # -- helpers

    def _say(self, head: str, body: bytes) -> None:
        self.wfile.write(head.encode() + b"Connection: close\r\n\r\n" + body)

    def _for_ever(self, head: bytes, piece: bytes, pause: float) -> None:
        self.wfile.write(head)
        end = time.monotonic() + 2 * MOST_SECONDS
        while time.monotonic() < end and not self.server.hub.go.wait(pause):
            self.wfile.write(piece)


HARMS = sorted(name.removeprefix("harm_") for name in vars(_Hostile) if name.startswith("harm_"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture hub", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="then no more are begun")
    parser.add_argument("--only", choices=HARMS, help="one kind of harm")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, serving(_Hostile) as hub:
        # Read once, when huggingface_hub is imported.
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_HOME": f"{name}/home"}
        os.environ |= {"HF_HUB_DOWNLOAD_TIMEOUT": "1"}
        os.environ.pop("HF_TOKEN", None)
        hub.add(NAME, FILES)
        return _rounds(hub, Path(name), chosen)


def _rounds(hub: Hub, folder: Path, chosen: argparse.Namespace) -> int:
    from engine.hub import downloads, net

    net.READ_TIMEOUT_S, downloads.PAUSE_S = PATIENCE, 0.01
    downloads.MAX_SLOW_RETRIES = 3
    rng, faults, ended = random.Random(chosen.seed), list[str](), Counter[str]()
    longest: Counter[str] = Counter()
    _tried(folder, discard=True)  # imports modules that stay in memory
    before, end = _memory(), time.monotonic() + chosen.seconds
    rounds = 0
    cases = [(where, what) for where in ("list", "file", "weights") for what in HARMS]
    rng.shuffle(cases)
    while time.monotonic() < end or rounds < len(cases):
        where, what = cases[rounds % len(cases)]
        rounds += 1
        if chosen.only not in (None, what):
            if rounds >= len(cases) and time.monotonic() > end:
                break
            continue
        harm = _Hostile.harm = Harm(where, what, rng)
        told, begun = str(harm), time.monotonic()
        code, wrong = _tried(folder)
        took = time.monotonic() - begun
        longest[what] = max(longest[what], took)  # type: ignore[call-overload]
        ended[code] += 1
        if took > MOST_SECONDS:
            wrong.append(f"it took {took:.0f} s")
        _Hostile.harm = None
        # The hub is good again. The next attempt continues the partial file, or discards it if
        # it is damaged, and then the attempt after it succeeds.
        good, also = _tried(folder)
        if good == "download_failed":
            good, more = _tried(folder)
            also += more
        _forget(folder)
        if good != "whole":
            wrong.append(f"afterwards a good hub brings no model: {good}")
        for fault in wrong + also:
            faults.append(f"{told}: {fault}")
            print(faults[-1], flush=True)
    if not _until(lambda: not _transfers()):
        faults.append(f"{_transfers()} threads are left")
    if (grown := _memory() - before) > MOST_GROWTH:
        faults.append(f"{grown / 2**20:.0f} MB more memory than at the beginning")
    slowest = ", ".join(f"{what} {took:.0f} s" for what, took in longest.most_common(3))
    print(f"{rounds} rounds ended {dict(ended)}; slowest: {slowest}; {len(faults)} faults")
    print("\n".join(faults) or "all held")
    return int(bool(faults))


def _tried(folder: Path, discard: bool = False) -> tuple[str, list[str]]:
    """Look up and download a model. Return the result and any faults."""
    from engine import hub
    from engine.errors import EngineError

    wrong, code = list[str](), "whole"
    try:
        model = hub.look_up(NAME)
        where = hub.download(model)
        for file in model.files:
            content = (where / file.name).read_bytes()
            if content != FILES.get(file.name):
                wrong.append(f"{file.name} is not what it should be: {content[:50]!r}")
    except EngineError as error:
        code = error.code
        if not error.message.endswith((".", "?")) or len(error.message) > 1000:
            wrong.append(f"no sentence: {error.message[:2000]!r}")
        if hub.find(NAME) is not None and not discard:
            wrong.append("a model is there all the same")
    except BaseException as error:
        code = type(error).__name__
        wrong.append(f"{code}: {error}")
    if beside := [p for p in folder.rglob("*") if "home" not in p.relative_to(folder).parts[0]]:
        wrong.append(f"written beside the downloads: {beside}")
    if discard:
        _forget(folder)
    return code, wrong


def _forget(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder / "home", ignore_errors=True)


def _transfers() -> int:
    return sum(thread.name == "hub-transfer" for thread in threading.enumerate())


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
