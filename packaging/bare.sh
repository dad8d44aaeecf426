#!/bin/sh
# Try the frozen Linux program in a bare Debian 12: no Python, no compiler, only what Qt needs.
# As root, with debootstrap there:  packaging/bare.sh build/dist/Stretto ROOT
set -eu
folder=$1 root=$2
[ -d "$root/usr" ] || debootstrap --variant=minbase bookworm "$root"
libraries=$(python3 -c 'import sys; sys.path.insert(0, "packaging"); import bootstrap
print(*bootstrap.QT_LIBRARIES.values())')
# shellcheck disable=SC2086 # a list of packages
chroot "$root" apt-get install -y -qq --no-install-recommends $libraries fonts-dejavu-core xvfb xauth > /dev/null
rm -rf "$root/opt/Stretto"
cp -a "$folder" "$root/opt/Stretto"
mount -t proc proc "$root/proc" 2> /dev/null || true
! chroot "$root" sh -c 'command -v python3 || command -v gcc'
echo "offscreen:"
chroot "$root" /opt/Stretto/stretto --self-test --json /tmp/offscreen.json
echo "under Xvfb:"
chroot "$root" xvfb-run -a -s '-screen 0 1280x800x24' \
	env QT_QPA_PLATFORM=xcb /opt/Stretto/stretto --self-test --picture /tmp/xvfb.png
umount "$root/proc" 2> /dev/null || true
