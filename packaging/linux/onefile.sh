#!/bin/sh
# Stretto @VERSION@ as one file: this script, and behind it the archive of the program.
# The first start unpacks it, once; later ones start at once.
#   ./Stretto.run [OPTIONS]       start Stretto
#   ./Stretto.run --install       unpack, and put Stretto into this person's menu
#   ./Stretto.run --extract DIR   unpack into DIR/@NAME@, nothing else
set -eu
umask 022
digest=@DIGEST@ bytes=@BYTES@

say() { echo "Stretto: $*" >&2; }

unpack() { # into the folder $1, which must exist
	command -v xz > /dev/null || {
		say "xz is missing, which unpacks it. On Debian and Ubuntu: apt install xz-utils"
		exit 1
	}
	found=$(tail -c "$bytes" "$0" | sha256sum | cut -d ' ' -f 1)
	[ "$found" = "$digest" ] || {
		say "this file is damaged. Download it again."
		exit 1
	}
	tail -c "$bytes" "$0" | xz -dc | tar -xf - -C "$1" || {
		say "could not unpack into $1. Is there room for 400 MB?"
		exit 1
	}
}

if [ "${1:-}" = --extract ]; then
	[ -d "${2:-}" ] || { say "--extract wants a folder that is there"; exit 2; }
	[ ! -e "$2/@NAME@" ] || { say "$2/@NAME@ is there already"; exit 1; }
	unpack "$2"
	echo "$2/@NAME@"
	exit 0
fi

home=${XDG_DATA_HOME:-$HOME/.local/share}/Stretto/program
place=$home/@VERSION@-$(printf %.12s "$digest")
if [ ! -x "$place/stretto" ]; then
	mkdir -p "$home"
	# Another start may be at the same: each has a folder of its own, and the first one's stays.
	fresh=$(mktemp -d "$home/unpacking.XXXXXX")
	trap 'rm -rf "$fresh"' EXIT
	trap 'exit 1' INT TERM HUP
	[ -t 2 ] && say "unpacking, once"
	unpack "$fresh"
	mv -T "$fresh/@NAME@" "$place" 2> /dev/null || [ -x "$place/stretto" ]
	rm -rf "$fresh"
	trap - EXIT INT TERM HUP
	# Older versions go, unless they run.
	for old in "$home"/*-*; do
		[ "$old" != "$place" ] || continue
		readlink /proc/[0-9]*/exe 2> /dev/null | grep -qF "$old/" || rm -rf "$old"
	done
fi
if [ "${1:-}" = --install ]; then
	exec "$place/install.sh"
fi
exec "$place/stretto" "$@"
