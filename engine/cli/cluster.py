"""`python -m engine cluster …`: manage and test the machines that models are spread over."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from engine.cli import serve
from engine.cli.arguments import add_hosts_file, positive_int
from engine.cluster.hosts import (
    BACKENDS,
    LOCAL,
    MODELS,
    PORTS,
    Host,
    HostError,
    HostsFile,
    hosts_from_mlx_file,
)
from engine.errors import EngineError

EPILOG = """\
A host is a machine that ssh reaches without a password, with the same version of Stretto.
"local" is this machine and always exists. It must be first in a group, and may occur twice.

  cluster add studio me@studio.local --program ~/stretto/.venv/bin/python --source ~/stretto
  cluster add --from FILE          a file from mlx.distributed_config, such as for Thunderbolt
  cluster check
  cluster copy MODEL studio
  cluster test MODEL --hosts local,studio
  cluster start MODEL --hosts local,studio
"""

OK, PROBLEMS, FAILED = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    commands = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    hosts_file_parser = argparse.ArgumentParser(add_help=False)
    add_hosts_file(hosts_file_parser)

    add = commands.add_parser("add", parents=[hosts_file_parser], help="add or change a host")
    add.add_argument("name", nargs="?", metavar="NAME")
    add.add_argument("address", nargs="?", metavar="USER@MACHINE", help="ssh address, or local")
    add.add_argument("--program", metavar="PATH", help="its Python or Stretto (default: stretto)")
    add.add_argument("--source", metavar="FOLDER", help="Stretto's sources on it")
    add.add_argument("--ip", help="its address for other hosts (default: the one that ssh uses)")
    add.add_argument(
        "--ports", metavar="FIRST-LAST", help=f"listening ports (default: {PORTS[0]}-{PORTS[1]})"
    )
    add.add_argument(
        "--models", metavar="FOLDER", help=f"folder for model copies on it (default: {MODELS})"
    )
    add.add_argument("--backend", choices=BACKENDS, help="network backend (default: ring)")
    add.add_argument(
        "--from", dest="file", type=Path, metavar="FILE", help="file from mlx.distributed_config"
    )

    add = commands.add_parser("list", parents=[hosts_file_parser], help="list all hosts")
    add.add_argument("--json", action="store_true", help="print JSON")

    add = commands.add_parser(
        "remove",
        parents=[hosts_file_parser],
        help="remove a host from the list, without changing it",
    )
    add.add_argument("name", metavar="NAME")

    add = commands.add_parser(
        "check", parents=[hosts_file_parser], help="check ssh, versions, memory and links of hosts"
    )
    add.add_argument("names", nargs="*", metavar="NAME", help="hosts (default: all)")
    add.add_argument("--json", action="store_true", help="print JSON")

    add = commands.add_parser("copy", parents=[hosts_file_parser], help="copy a model to hosts")
    add.add_argument("model", metavar="MODEL", help="model folder or hub id on this machine")
    add.add_argument("names", nargs="*", metavar="NAME", help="hosts (default: all)")

    add = commands.add_parser(
        "test",
        parents=[hosts_file_parser],
        help="measure bandwidth, latency and tokens/s, compared with one machine",
    )
    add.add_argument("model", metavar="MODEL", help="model folder or hub id")
    add.add_argument("--hosts", metavar="NAME,NAME…", help="hosts of the group (default: all)")
    add.add_argument("--chats", type=positive_int, nargs="+", default=[1, 8], metavar="N")
    add.add_argument(
        "--tokens", type=positive_int, default=64, metavar="N", help="per answer (default: 64)"
    )
    add.add_argument("--json", action="store_true", help="print JSON as the last line")

    add = commands.add_parser("start", help="serve over hosts; takes the options of serve")
    serve.add_arguments(add)

    add = commands.add_parser("here", help="print this machine's properties as JSON")
    add.add_argument("--models", default=MODELS)
    add.add_argument("--folder", default="")


def main(options: argparse.Namespace) -> int:
    try:
        return _COMMANDS[options.what](options)
    except (HostError, EngineError, ValueError) as error:
        words = error.message if isinstance(error, EngineError) else str(error)
        print(f"cluster: {words}", file=sys.stderr)
    except OSError as error:
        print(f"cluster: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("cluster: interrupted", file=sys.stderr)
        return 130
    return FAILED


def _add(options: argparse.Namespace) -> int:
    hosts = HostsFile(options.hosts_file)
    if options.file is not None:
        mlx_hosts = hosts_from_mlx_file(options.file, options.program or "", options.source or "")
        hosts.add(*mlx_hosts)
        print(f"Added {', '.join(host.name for host in mlx_hosts)}.")
        return OK
    if not options.name:
        raise HostError("Name the host: cluster add NAME user@machine")
    known_host = {host.name: host for host in hosts.all()}.get(options.name)
    if known_host is None and not options.address:
        raise HostError(f"Unknown host. Add it with: cluster add {options.name} user@machine")
    entry = {
        name: getattr(options, name)
        for name in ("address", "program", "source", "ip", "models", "backend")
        if getattr(options, name) is not None
    }
    if options.ports:
        entry["ports"] = _parse_ports(options.ports)
    host = replace(known_host, **entry) if known_host is not None else Host(options.name, **entry)
    if host.name == LOCAL and not host.is_local:
        raise HostError("local is this machine. Choose another name.")
    hosts.add(host)
    print(f"{'Changed' if known_host is not None else 'Added'} {_format_host(host)}")
    return OK


def _parse_ports(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and last.isdecimal()):
        raise HostError(f"Invalid ports {text!r}. Write FIRST-LAST.")
    return int(first), int(last)


def _format_host(host: Host) -> str:
    parts = [host.name, "this machine" if host.is_local else host.address, host.ip, host.program]
    return "  ".join(part for part in parts if part)


def _list(options: argparse.Namespace) -> int:
    hosts = HostsFile(options.hosts_file).all()
    if options.json:
        print(json.dumps([to_builtins(host) for host in hosts]))
    else:
        for host in hosts:
            print(_format_host(host))
    return OK


def _remove(options: argparse.Namespace) -> int:
    HostsFile(options.hosts_file).remove(options.name)
    print(f"Removed {options.name}.")
    return OK


def _check(options: argparse.Namespace) -> int:
    from engine.cluster import machines

    reports = machines.check_hosts(_find_hosts(options, options.names))
    if options.json:
        results = [
            {"name": r.host.name, "good": r.is_usable, "faults": r.problems, **r.facts}
            for r in reports
        ]
        print(json.dumps(results))
    else:
        for report in reports:
            print("\n".join(report.lines()))
    return OK if all(report.is_usable for report in reports) else PROBLEMS


def _find_hosts(options: argparse.Namespace, names: Sequence[str]) -> list[Host]:
    hosts = HostsFile(options.hosts_file)
    return [hosts.get(name) for name in names] if names else list(hosts.all())


def _copy(options: argparse.Namespace) -> int:
    from engine.cluster import machines
    from engine.runtime.candidate import resolve

    folder = resolve(options.model)
    name = folder.name if Path(options.model).is_dir() else options.model.rpartition("/")[2]
    status = OK
    for host in _find_hosts(options, options.names):
        if host.is_local:
            continue
        try:
            model_copy = machines.copy_model(
                folder, name, host, lambda words: print(words, file=sys.stderr)
            )
        except HostError as error:
            print(f"cluster: {error}", file=sys.stderr)
            status = PROBLEMS
            continue
        outcome = f"was copied with {model_copy.method}" if model_copy.method else "already exists"
        print(
            f"{name} {outcome}: {host.name}:{model_copy.folder} ({model_copy.nbytes / 1e9:.2f} GB)"
        )
    return status


def _test(options: argparse.Namespace) -> int:
    from engine.bench import cluster

    hosts = HostsFile(options.hosts_file)
    names = options.hosts.split(",") if options.hosts else [host.name for host in hosts.all()]
    group = hosts.group(names)
    if len(group) < 2:
        raise HostError("A test needs two hosts. Use --hosts local,local to try it here.")
    say = (lambda words: print(words, file=sys.stderr)) if options.json else print
    figures = cluster.run(group, options.model, options.chats, options.tokens, say)
    if options.json:
        print(json.dumps(figures))
    return OK


def _start(options: argparse.Namespace) -> int:
    if not options.hosts and options.ranks == 1:
        options.hosts = ",".join(host.name for host in HostsFile(options.hosts_file).all())
    return serve.main(options)


def _describe(options: argparse.Namespace) -> int:
    from engine.cluster import machines

    print(json.dumps(machines.describe_machine(options.models, options.folder)))
    return OK


_COMMANDS = {
    "add": _add,
    "list": _list,
    "remove": _remove,
    "check": _check,
    "copy": _copy,
    "test": _test,
    "start": _start,
    "here": _describe,
}
