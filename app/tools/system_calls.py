"""The system calls that Python for models may not make, as a filter that Linux runs (seccomp).

They are what leads out of the limits: namespaces of its own, in which it would be root, and memory
that belongs to no process and to no folder.
"""

from __future__ import annotations

import struct

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _END = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _ARCH, _FIRST = 0, 4, 16  # where these stand in what the kernel hands to the filter
_NEW_NAMESPACE = 0x7E020000
_OTHER_ABI = 0x40000000  # calls of x32, which have other numbers

_ARCHS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_REFUSED = {
    # unshare setns mount umount2 pivot_root chroot memfd_create shmget msgget userfaultfd bpf
    # perf_event_open keyctl add_key request_key ptrace
    "x86_64": (272, 308, 165, 166, 155, 161, 319, 29, 68, 323, 321, 298, 250, 248, 249, 101),
    "aarch64": (97, 268, 40, 39, 41, 51, 279, 194, 186, 282, 280, 241, 219, 217, 218, 117),
}
# io_uring_setup open_tree move_mount fsopen fsmount mount_setattr memfd_secret
_REFUSED_EVERYWHERE = (425, 428, 429, 430, 432, 442, 447)


def rules(machine: str) -> bytes:
    """The filter for this kind of machine; empty where there is none."""
    if machine not in _ARCHS or struct.pack("=H", 1) != struct.pack("<H", 1):
        return b""
    refused = (*_REFUSED[machine], *_REFUSED_EVERYWHERE)
    steps = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, _ARCHS[machine]),
        (_END, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for kind, number, end in (
        (_AT_LEAST, _OTHER_ABI, _ERROR | _EPERM),
        (_EQUAL, _CLONE3, _ERROR | _ENOSYS),  # its flags cannot be seen: clone is used instead
        *((_EQUAL, number, _ERROR | _EPERM) for number in refused),
    ):
        steps += [(kind, 0, 1, number), (_END, 0, 0, end)]
    steps += [
        (_EQUAL, 0, 3, _CLONE[machine]),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_OF, 0, 1, _NEW_NAMESPACE),
        (_END, 0, 0, _ERROR | _EPERM),
        (_END, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
