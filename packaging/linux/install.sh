#!/bin/sh
# Put Stretto into this person's menu. Run it from the unpacked folder; `./install.sh --remove` undoes it.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
id=app.stretto.Stretto
if [ "${1:-}" = --remove ]; then
	rm -f "$data/applications/$id.desktop" "$data/metainfo/$id.metainfo.xml" \
		"$data/icons/hicolor/scalable/apps/$id.svg" "$bin/stretto" \
		"$data"/icons/hicolor/*/apps/"$id.png"
	echo "Removed from the menu. The folder $here and your chats are still there."
	exit 0
fi
mkdir -p "$data/applications" "$data/metainfo" "$data/icons/hicolor/scalable/apps" "$bin"
ln -sf "$here/stretto" "$bin/stretto"
# A menu may know nothing of ~/.local/bin.
sed "s|^Exec=stretto|Exec=\"$here/stretto\"|" "$here/share/$id.desktop" > "$data/applications/$id.desktop"
cp "$here/share/$id.metainfo.xml" "$data/metainfo/"
cp "$here/_internal/resources/icons/stretto.svg" "$data/icons/hicolor/scalable/apps/$id.svg"
for sized in "$here"/share/icons/*/; do
	[ -d "$sized" ] || continue
	place=$data/icons/hicolor/$(basename "$sized")/apps
	mkdir -p "$place"
	cp "$sized$id.png" "$place/"
done
echo "Stretto is in the menu, and \`stretto\` in $bin."
