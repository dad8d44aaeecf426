"""Models on several hosts: hosts file, links and starting by `ssh`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, Model, SamplingParams
from engine.cli.main import main
from engine.cluster import link, machines, processes
from engine.cluster.hosts import LOCAL, Host, HostError, HostsFile, check_group, hosts_from_mlx_file
from engine.cluster.relay import Relay
from engine.errors import RanksLostError
from engine.model import fingerprint

ROOT = Path(__file__).parents[3]
LONG = 120.0  # seconds; usually takes one on an idle machine

FAKE_SSH = f"""#!{sys.executable} -S
import os, sys
words = sys.argv[1:]
target, *line = words[words.index("--") + 1:]
os.environ.pop("SSH_CONNECTION", None)
if target == "silent":
    print("ssh: connect to host silent port 22: No route to host", file=sys.stderr)
    sys.exit(255)
print("Welcome to this machine")
sys.stdout.flush()
os.execv("/bin/sh", ["sh", "-c", " ".join(line)])
"""
"""Shell script that prints a greeting, like a careless login shell, and runs the command locally.
"""


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    _program(folder / "ssh", FAKE_SSH)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def _program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


def there(**told: Any) -> Host:
    given = {"program": sys.executable, "source": str(ROOT), **told}
    return Host("there", "me@there", **given)


# ---------------------------------------------------------------- the hosts file


@pytest.mark.parametrize(
    "told",
    [
        {"name": "a b"},
        {"name": "-x"},
        {"name": "a;b"},
        {"address": "-oProxyCommand=x"},
        {"address": "a b"},
        {"address": "$(x)"},
        {"address": "me@-x"},
        {"program": "/x;y"},
        {"program": "-x"},
        {"models": "~/a b"},
        {"models": "a"},
        {"ip": "studio"},
        {"ports": (80, 90)},
        {"ports": (6000, 5000)},
        {"backend": "mpi"},
        {"rdma": ("a/b",)},
    ],
)
def test_invalid_host_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(HostError):
        Host(**{"name": "studio", **told})


def test_hosts_file_keeps_hosts_by_name(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "hosts.json"
    studio = Host("studio", "me@studio:2222", "~/py/bin/python3", "~/stretto", "10.0.0.2")
    HostsFile(file).add(studio)
    hosts = HostsFile(file)
    assert [host.name for host in hosts.all()] == [LOCAL, "studio"]
    assert hosts.get("studio") == studio
    assert (studio.destination, studio.ssh_port, studio.machine) == ("me@studio", "2222", "studio")
    assert hosts.group(["local", "studio", "local"]) == (Host(LOCAL), studio, Host(LOCAL))
    hosts.remove("studio")
    with pytest.raises(HostError, match=r"Unknown host 'studio'\. Known hosts: local"):
        HostsFile(file).get("studio")


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[]",
        '{"hosts": [1]}',
        '{"hosts": [{"name": "a", "ip": 1}]}',
        pytest.param('{"more": ' + "[" * 100_000, id="deep"),
    ],
)
def test_damaged_hosts_file_is_reported(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hosts.json"
    file.write_text(text)
    with pytest.raises(HostError):
        HostsFile(file)


def test_group_starts_with_this_machine() -> None:
    check_group((Host(LOCAL), there()))
    with pytest.raises(HostError, match=r"Put local first"):
        check_group((there(), Host(LOCAL)))
    with pytest.raises(HostError, match=r"mlx\.distributed_config"):
        check_group((Host(LOCAL, backend="jaccl"), there(backend="jaccl")))


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # MLX leaves it open
def test_mlx_hosts_file_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "hosts.json"
    file.write_text(
        '{"backend": "jaccl", "envs": [], "hosts": [{"ssh": "a", "ips": ["10.0.0.1"], '
        '"rdma": [null, "rdma_en2"]}, {"ssh": "me@b", "ips": [], "rdma": ["rdma_en3", null]}]}'
    )
    first, second = hosts = hosts_from_mlx_file(file, "/py/python3")
    assert first == Host(LOCAL, ip="10.0.0.1", backend="jaccl", rdma=(None, "rdma_en2"))
    assert second == Host("b", "me@b", "/py/python3", backend="jaccl", rdma=("rdma_en3", None))
    check_group(hosts)
    given = link.rank_environments(hosts, [{"port": 7000}, {"port": 7001, "address": "10.0.0.2"}])
    assert given[1]["environment"] == {"MLX_JACCL_COORDINATOR": "10.0.0.1:7000", "MLX_RANK": "1"}
    assert given[1]["files"] == {"MLX_IBV_DEVICES": '[[null, "rdma_en2"], ["rdma_en3", null]]'}
    file.write_text('{"hosts": [{"ips": []}]}')
    with pytest.raises(HostError, match="not a hosts file"):
        hosts_from_mlx_file(file)


# ---------------------------------------------------------------- routes


def test_shell_line_is_quoted(tmp_path: Path) -> None:
    words = ["printf", "%s|", "a b", "$HOME", "`x`", "'", "~/it's"]
    ran = subprocess.run(
        ["/bin/sh", "-c", machines.shell_line(words)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"a b|$HOME|`x`|'|{os.environ['HOME']}/it's|"


def test_ssh_command_has_host_after_options() -> None:
    host = Host("studio", "me@studio:2222", "~/b/python3.12", "~/stretto")
    command = machines.ssh_command(host, machines.rank_command(host))
    assert command[:2] == ["ssh", "-T"]
    assert "BatchMode=yes" in command
    end = command.index("--")
    assert command[end - 2 : end] == ["-p", "2222"]
    assert command[end + 1] == "me@studio"
    assert command[-1].endswith("-P -m engine.cluster --kept")
    assert machines.rank_command(Host("mac", "mac")) == ["stretto", "--rank-child", "--kept"]


@pytest.mark.parametrize(
    ("status", "said", "words"),
    [
        (255, "Host key verification failed.", "Connect once in a terminal: ssh me@there"),
        (255, "me@there: Permission denied (publickey).", "ssh-copy-id me@there"),
        (255, "ssh: connect to host there: No route to host", "cannot be reached at me@there"),
        (127, "sh: 1: exec: stretto: not found", "has no Stretto"),
        (1, "/usr/bin/python3: No module named engine", "--source"),
        (3, "it broke\n", "status 3 (it broke)"),
    ],
)
def test_ssh_error_suggests_remedy(status: int, said: str, words: str) -> None:
    assert words in machines.ssh_error_text(there(), status, said)


def test_local_ranks_reserve_different_ports() -> None:
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(link.reserve_port((53100, 53199), n, 3)) for n in range(3)]
        ports = {link.rank_address(each)["port"] for each in held}
    assert len(ports) == 3
    assert {port % 3 for port in ports} == {(53100 + n) % 3 for n in range(3)}


def test_ring_uses_addresses_found_by_ssh() -> None:
    hosts = (Host(LOCAL), there(), there(ip="fe80::2"))
    told = {"port": 7001, "address": "10.0.0.2", "seen": "10.0.0.1"}
    given = link.rank_environments(hosts, [{"port": 7000, "seen": ""}, told, told])
    assert [one["environment"] for one in given] == [{"MLX_RANK": n} for n in "012"]
    assert {one["files"]["MLX_HOSTFILE"] for one in given} == {
        '[["10.0.0.1:7000"], ["10.0.0.2:7001"], ["[fe80::2]:7001"]]'
    }
    # A user has logged in over ssh from a machine outside the group.
    logged_in = {"port": 7000, "address": "10.0.0.1", "seen": "10.9.9.9"}
    assert link.rank_environments(hosts, [logged_in, told, told]) == given
    alone = link.rank_environments(
        (Host(LOCAL), Host(LOCAL)), [logged_in, {**logged_in, "port": 7001}]
    )
    assert alone[0]["files"] == {"MLX_HOSTFILE": '[["127.0.0.1:7000"], ["127.0.0.1:7001"]]'}
    with (
        pytest.raises(ValueError, match="not a variable of MLX"),
        link.mlx_environment({"backend": "ring", "files": {}, "environment": {"PATH": "x"}}),
    ):
        pass


def test_other_versions_are_reported() -> None:
    versions = {"mlx": "1", "protocol": "1"}
    said = machines.version_differences("there", {"mlx": "2", "protocol": "1"}, versions)
    assert said == ["there has mlx 1, this machine has 2. Install the same version."]


def test_model_copy_is_found_by_contents(
    tmp_path: Path, model_folder: Callable[[str], Path]
) -> None:
    folder, elsewhere = model_folder("plain"), Path("/nowhere/plain")
    contents = fingerprint.hash_contents(folder)
    assert machines.find_model(folder, contents, str(tmp_path)) == folder
    assert machines.find_model(elsewhere, contents, str(tmp_path)) == elsewhere
    copy = tmp_path / machines.copy_name("../ev il", contents)
    copy.mkdir()
    assert copy.name == f"ev-il-{contents[:12]}"
    assert machines.find_model(elsewhere, contents, str(tmp_path)) == copy


# ---------------------------------------------------------------- through ssh


def test_unreachable_host_is_reported(
    fake_ssh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "hosts.json")
    assert main(["cluster", "add", "far", "silent", "--hosts-file", file]) == 0
    with pytest.raises(HostError, match="No route to host"):
        machines.ask_host(HostsFile(Path(file)).get("far"))
    told = "batch", "in", "out", "--hosts", "local,nobody", "--hosts-file", file
    assert main(told) == 2
    assert "Unknown host 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("raise SystemExit(3)", r"Rank [01] could not start\. It exited with status 3\."),
        (
            "from engine.cluster.link import Link; link = Link.over_stdio(); link.receive(False); "
            "link.send_message({'fault': 'no port is free'})",
            r"Rank [01] could not start on local: no port is free",
        ),
    ],
)
def test_failed_rank_start_is_reported(
    program: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-P", "-c", program]
    monkeypatch.setattr(processes, "rank_command", lambda host: command)
    group = processes.RankProcesses((Host(LOCAL), Host(LOCAL)))
    try:
        with pytest.raises(RanksLostError, match=why):
            group.start()
    finally:
        group.close()


@pytest.mark.parametrize("heard", ["first", "last"])
@pytest.mark.turns(2)
def test_ssh_group_has_tokens_of_one_rank_and_cleans_up(
    heard: str,
    fake_ssh: Path,
    tmp_path: Path,
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lose = Relay._lose_rank

    def losing(self: Relay, why: str, within: float = 0.0) -> None:
        if heard == "last" and why.startswith("Rank 1"):
            # Rank 0 usually ends when it notices that its peer is gone, but not always. Hence the
            # timeout.
            self._ended.wait(LONG / 6)
        lose(self, why, within)

    monkeypatch.setattr(Relay, "_lose_rank", losing)
    folder = model_folder("plain")
    _program(fake_ssh / "rsync", "#!/bin/sh\nexit 1\n")
    _program(fake_ssh / "scp", SCP)
    host = there(models=str(tmp_path / "copies"))
    assert machines.copy_model(folder, "plain", host, lambda words: None).method == "scp"
    with Engine(ranks=(Host(LOCAL), host)) as spread:
        model = spread.load(folder)
        assert _answer(spread, model) == _answer(engine, engine.load(folder))
        rank = spread.stats()["ranks"][1]
        assert rank["host"] == "there"
        reply = spread.open_session(model).send("On.", SamplingParams(max_tokens=8000))
        next(iter(reply))
        os.kill(rank["pid"], signal.SIGKILL)  # the process that replaced ssh
        with pytest.raises(EngineError, match=r"Rank 1 of 2 on there") as lost:
            reply.text(timeout=LONG)
        assert lost.value.code == "engine_stopped"
    deadline = time.monotonic() + LONG
    while _running(str(tmp_path)):
        assert time.monotonic() < deadline


SCP = """#!/bin/sh
for last; do :; done
while [ "$1" != "--" ]; do shift; done
shift
while [ $# -gt 1 ]; do cp "$1" "${last#*:}" || exit 1; shift; done
"""


def _answer(engine: Engine, model: Model) -> list[int]:
    session = engine.open_session(model)
    reply = session.send("Count the stars.", SamplingParams(max_tokens=12, temperature=0.0))
    reply.text(timeout=LONG)
    return reply.tokens()


def _running(mark: str) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes()
            if b"engine.cluster" in line and mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found
