"""Small hub on the loopback for huggingface_hub's client.

It serves folders as repositories: listings with sizes and hashes, and files with ETag and Range,
where weights are redirected to another port as on the real hub. Its attributes inject faults. It
doesn't depend on other test modules, so it also works with a frozen program.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PIECE = 16 * 1024


@dataclass
class Repo:
    """A repository.

    Attributes:
        revisions: commits by branch or tag.
        token: required for files, as in a gated repository.
        private: the listing requires the token, too.
        about: fields that replace or extend the default description.
    """

    files: dict[str, bytes]
    revisions: dict[str, str]
    token: str = ""
    private: bool = False
    about: dict[str, Any] = field(default_factory=dict)


@dataclass
class Asked:
    method: str
    path: str
    range: str
    token: str
    query: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Hub:
    """State of the hub, for tests to set and read.

    Attributes:
        asked: requests in order.
        hold_at: offset in a weights file at which sending stops until ``go`` is set.
        held: set once sending has stopped there.
        cut_at: offset at which the connection closes, for the next ``cuts`` times.
        busy: one-time refusals: end of the path, status and headers.
        status: status of each response to a request for weights, unless 0.
        damage: change a byte of the weights.
        whole: ignore Range.
        silent: send nothing until ``go`` is set.
        drip: bytes of weights after which each connection closes, unless 0.
        endless: never end responses about models; ``sent`` counts their bytes.
        packed: compress those responses a thousandfold.
        refuse: status of responses about models, unless 0; sent with `retry_after`.
        answer: replaces the real response about models.
        break_off: end responses about models early.
        dripped: "head", "continue" (100 Continue before the response) or "body": this part of each
            response arrives slowly and doesn't end until ``go`` is set.
        left: number of those responses that the client abandoned.
    """

    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    hold_at: int = 0
    held: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    cut_at: int = 0
    cuts: int = 0
    busy: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)
    status: int = 0
    damage: bool = False
    whole: bool = False
    silent: bool = False
    drip: int = 0
    endless: bool = False
    packed: bool = False
    sent: int = 0
    refuse: int = 0
    retry_after: str = ""
    answer: bytes | None = None
    break_off: bool = False
    dripped: str = ""
    left: int = 0

    def add(self, name: str, folder: Path | dict[str, bytes], **options: Any) -> Repo:
        if isinstance(folder, Path):
            found = sorted(p for p in folder.rglob("*") if p.is_file())
            files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}
        else:
            files = folder
        whole = b"".join(n.encode() + c for n, c in files.items())
        commit = hashlib.sha1(whole).hexdigest()
        options.setdefault("revisions", {"main": commit})
        repo = self.repos[name] = Repo(files, **options)
        return repo

    def of_weights(self) -> list[Asked]:
        return [a for a in self.asked if a.path.startswith("/cdn/")]

    def names(self) -> set[str]:
        return {a.path.rsplit("/", 1)[-1] for a in self.asked if "/resolve/" in a.path}


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler] | None = None) -> Iterator[Hub]:
    """Run a hub on two free ports.

    Args:
        handler: replaces the hub's request handler.
    """
    hub = Hub()
    front, behind = (_Server(hub, handler or _Handler) for _ in range(2))
    front.behind = behind.url
    hub.url = front.url
    threads = [threading.Thread(target=s.serve_forever, args=(0.02,)) for s in (front, behind)]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        hub.go.set()
        for server in (front, behind):
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()


@contextmanager
def connected(monkeypatch: Any, home: Path) -> Iterator[Hub]:
    """Run a hub that this process and its children use, with separate downloads and tokens.

    ``monkeypatch`` is pytest's. It is needed as huggingface_hub has already read the environment.
    """
    from huggingface_hub import constants
    from huggingface_hub.utils import close_session

    with serving() as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        files = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
        monkeypatch.setattr(constants, "HF_URL_HOSTS", frozenset({"127.0.0.1"}))
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(home))
        monkeypatch.delenv("HF_TOKEN", raising=False)
        # Tests must not use the user's keychain.
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        monkeypatch.setattr("keyring.core._keyring_backend", None)
        yield hub
        hub.go.set()
        close_session()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for answers in progress, so that no thread is left

    def __init__(self, hub: Hub, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.hub = hub
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.behind = self.url

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client has disconnected


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.server.hub
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        path, query = unquote(urlsplit(self.path).path), parse_qs(urlsplit(self.path).query)
        hub.asked.append(Asked(self.command, path, self.headers.get("Range", ""), token, query))
        if hub.silent:
            hub.go.wait(30)
        if hub.dripped:
            self._drip(hub.dripped)
            return
        if busy := next((each for each in hub.busy if path.endswith(each[0])), None):
            hub.busy.remove(busy)
            self._answer(busy[1], b"<html>later</html>", busy[2])
        elif path.startswith("/api/models") and hub.refuse:
            headers = {"Retry-After": hub.retry_after} if hub.retry_after else {}
            self._answer(hub.refuse, b"<html>no</html>", headers)
        elif path == "/api/models":
            self._search(query, token)
        elif listed := re.fullmatch(r"/api/models/([^/]+/[^/]+?)(?:/revision/(.+))?", path):
            self._list(listed[1], listed[2] or "main", token)
        elif file := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(file[1], file[2], file[3], token)
        elif path.startswith("/cdn/"):
            self._send(path)
        else:
            self._refuse(404, "")

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _list(self, name: str, revision: str, token: str) -> None:
        repo = self.server.hub.repos.get(name)
        if repo is None or (repo.private and token != repo.token):
            self._refuse(404 if token and repo is None else 401, "RepoNotFound")
            return
        commit = repo.revisions.get(revision)
        if commit is None and revision not in repo.revisions.values():
            self._refuse(404, "RevisionNotFound")
            return
        siblings = [_listed(n, c) for n, c in repo.files.items()]
        about = {**_about(name, repo), "sha": commit or revision, "siblings": siblings}
        if self.server.hub.endless:
            self._go_on_for_ever()
            return
        if self.server.hub.packed:
            packed = gzip.compress(json.dumps(about).encode() + b" " * 2**26)
            self._answer(200, packed, {"Content-Encoding": "gzip"})
            return
        self._tell(about)

    def _search(self, query: dict[str, list[str]], token: str) -> None:
        hub = self.server.hub
        if hub.endless:
            self._go_on_for_ever()
            return
        words = query.get("search", [""])[0].lower().split()
        author, wanted = query.get("author", [""])[0], set(query.get("filter", []))
        found = [
            _about(name, repo)
            for name, repo in hub.repos.items()
            if all(word in name.lower() for word in words)
            and (not author or name.startswith(f"{author}/"))
            and not (repo.private and token != repo.token)
        ]
        found = [about for about in found if wanted <= set(_told(about, "tags", list))]
        found.sort(key=lambda about: -_told(about, "downloads", int))
        self._tell(found[: int(query["limit"][0])])

    def _tell(self, answer: Any) -> None:
        hub = self.server.hub
        content = json.dumps(answer).encode() if hub.answer is None else hub.answer
        if hub.break_off:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content) + 100))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True
            return
        self._answer(200, content, {"Content-Type": "application/json"})

    def _go_on_for_ever(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"siblings": [')
        try:
            while not self.server.hub.go.is_set():
                self.wfile.write(b'"a",' * PIECE)
                self.server.hub.sent += 4 * PIECE
        except OSError:
            pass  # the client has given up
        self.close_connection = True

    def _drip(self, what: str) -> None:
        hub, piece = self.server.hub, b"a"
        begun = {"head": b"HTTP/1.1 200 OK\r\nX-Long: ", "continue": b""}
        whole = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        if what == "continue":
            piece = b"HTTP/1.1 100 Continue\r\n\r\n"
        self.close_connection = True
        try:
            self.wfile.write(begun.get(what, whole))
            while not hub.go.wait(0.01):
                self.wfile.write(piece)
        except OSError:
            hub.left += 1

    def _resolve(self, name: str, commit: str, file: str, token: str) -> None:
        repo = self.server.hub.repos.get(name)
        if repo is None:
            self._refuse(401, "RepoNotFound")
        elif repo.token and token != repo.token:
            self._refuse(403 if token else 401, "GatedRepo")
        elif commit not in repo.revisions.values():
            self._refuse(404, "RevisionNotFound")
        elif file not in repo.files:
            self._refuse(404, "EntryNotFound")
        elif file.endswith(".safetensors"):
            to = f"{self.server.behind}/cdn/{name}/{file}"
            digest = hashlib.sha256(repo.files[file]).hexdigest()
            linked = {"X-Linked-Size": str(len(repo.files[file])), "X-Linked-Etag": digest}
            self._answer(302, b"", {"Location": to, **linked, "X-Repo-Commit": commit})
        else:
            etag = _listed(file, repo.files[file])["blobId"]
            self._answer(200, repo.files[file], {"ETag": f'"{etag}"', "X-Repo-Commit": commit})

    def _send(self, path: str) -> None:
        hub = self.server.hub
        owner, name, file = path.removeprefix("/cdn/").split("/", 2)
        content = hub.repos[f"{owner}/{name}"].files[file]
        if hub.status:
            headers = {"Retry-After": hub.retry_after} if hub.retry_after else {}
            self._answer(hub.status, b'{"error": "no"}', headers)
            return
        if hub.damage:
            content = content[:-1] + bytes([content[-1] ^ 1])
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked and not hub.whole else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("Accept-Ranges", "bytes")
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if hub.drip:
            self.wfile.write(content[start : start + hub.drip])
            self.close_connection = True
            return
        while start < len(content) and self.command == "GET":
            end = start + PIECE
            if hub.hold_at and start < hub.hold_at <= end:
                end = hub.hold_at
            if hub.cuts and start <= hub.cut_at <= end:
                end = hub.cut_at
            self.wfile.write(content[start:end])
            start = end
            if hub.hold_at == end and not hub.go.is_set():
                hub.held.set()
                hub.go.wait(30)
            if hub.cut_at == end and hub.cuts:
                hub.cuts -= 1
                self.close_connection = True
                return

    def _refuse(self, status: int, code: str) -> None:
        headers = {"X-Error-Code": code} if code else {}
        self._answer(status, b'{"error": "no"}', {"Content-Type": "application/json", **headers})

    def _answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


def _about(name: str, repo: Repo) -> dict[str, Any]:
    try:
        config = json.loads(repo.files.get("config.json", b"{}"))
    except ValueError:
        config = {}
    made = {key: config[key] for key in ("model_type", "architectures") if key in config}
    if "quantization" in config:
        made["quantization_config"] = config["quantization"]
    if "chat_template.jinja" in repo.files:
        made["chat_template_jinja"] = repo.files["chat_template.jinja"].decode()
    weights = sum(len(c) for n, c in repo.files.items() if n.endswith(".safetensors"))
    about = {
        "id": name,
        "modelId": name,
        "private": repo.private,
        "downloads": 1,
        "likes": 0,
        "gated": "manual" if repo.token and not repo.private else False,
        "tags": ["safetensors"] if weights else [],
        "lastModified": "2026-02-03T04:05:06.000Z",
        "config": made,
        "pipeline_tag": "text-generation",
        "safetensors": {"parameters": {"U8": weights}, "total": weights},
        "usedStorage": 2 * weights,
    }
    return {**about, **repo.about}


def _told(about: dict[str, Any], name: str, kind: Callable[[], Any]) -> Any:
    """Return the value if it has this type, else an empty one, as tests set any value."""
    return about[name] if type(about[name]) is kind else kind()


def _listed(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    listed: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if name.endswith((".safetensors", ".bin", ".gguf")):
        digest = hashlib.sha256(content).hexdigest()
        listed["lfs"] = {"size": len(content), "sha256": digest, "pointerSize": 130}
    return listed
