<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>The file {path} is damaged, or is not one of Stretto&apos;s. It has been left as it is. Stretto can save what can still be read in a new file, or start with an empty one; the damaged file is kept either way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>Nothing in {path} could be read. It has been left as it is. Go back to a backup if there is one, or set the file aside to start with an empty one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>The chats in {path} were last used by a newer version of Stretto, and this one could harm them. Open them with the newer version, or set the file aside and start with an empty one; it is kept. So far it has been left as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>A change did not fit the stored chats and was left out ({what}: {error}). This is a fault of the program; the other changes are saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>The disk that holds {path} is full, so your chats cannot be opened. Nothing of them is lost. Free some space, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>The disk that holds {path} is full, so the latest messages are not saved yet. Free some space; Stretto keeps them and tries again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>Stretto may not write to {path}. Make the folder and the file in it writable, then try again; or use another folder, into which your chats are copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/errors.py"/>
        <source>The chats in {path} could not be read or written ({error}). Check that the disk is connected and has space, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/readers.py"/>
        <location filename="../../app/store/writer.py"/>
        <source>The chats are closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/records.py"/>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/salvage.py"/>
        <source>Recovered chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/writer.py"/>
        <source>The chats are closed; this change came too late.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/writer.py"/>
        <source>Saving the chats takes longer than expected.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/store/writer.py"/>
        <source>The disk did not answer in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/store/writer.py"/>
        <source>%n change could not be saved. {why}</source>
        <comment>%n changes could not be saved. {why}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/tools/builtin.py"/>
        <source>{name} must be a text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/builtin.py"/>
        <source>It cannot be shown: {kind}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} has no tool “{tool}” any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} has changed this tool. Look at it again first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>No answer within {seconds} s. The call was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} ended during the call.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} wants this visited before the call: {pages}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} refused: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} did not answer: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} did not answer within {seconds} s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{why} It is started again in {seconds} s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} did not start within {seconds} s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} could not be reached: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>The program “{program}” was not found. Is it installed?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} did not tell its tools in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/connection.py"/>
        <source>{server} did not tell its tools: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>New file {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>The file is too large to be written over.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>Nothing would change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>This folder may only be read. The person can allow writing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>This is a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>More than {most} bytes are not written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>A path has no null character in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>A path with “..” in it is not followed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>Give the whole path. Granted are: {folders}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>This is in no granted folder. Granted are: {folders}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>There is no such file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>This is no file of text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>Links are not followed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>There is no such file or folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/folders.py"/>
        <source>It could not be opened: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/host.py"/>
        <source>There is no server “{server}” any more, or it is switched off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/host.py"/>
        <source>The program is ending.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/python_cell.py"/>
        <source>Python is not offered: this system has no way to confine it. Install bubblewrap (bwrap).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/python_cell.py"/>
        <source>Python is not offered: this system has no way to confine it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>This is more than one megabyte, which no list of servers is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>it is no UTF-8 text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>{path} could not be read: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>The list of servers was not saved: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>This is no JSON: {why} in line {line}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>This is no JSON that makes a list of servers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>This is no list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>a server&apos;s name is 1 to 60 visible characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>a server&apos;s name has no “/” in it and is not “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>its entry is no object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>timeout is a number of seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>servers of the old kind “sse” are not supported; use its “http” address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>url begins with https:// or http://</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>it names neither a command nor an address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>args is a list of texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>its command contains a null character</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>cwd is a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>{what} is an object of texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/servers.py"/>
        <source>{what} has a name or a text that cannot be one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>New message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Attach files  Ctrl+Shift+A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Keep the message as it was  Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Editing your message. The first version stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Leave the broadcast  Ctrl+Alt+B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Join the broadcast  Ctrl+Alt+B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Enter</source>
        <comment>the key</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <location filename="../../app/ui/widgets/buttons.py"/>
        <source>Stop  Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer.py"/>
        <source>Send  {keys}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/composer_text.py"/>
        <source>The models here cannot see pictures. Paste the text that is in it instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table_text.py"/>
        <location filename="../../app/ui/composer/composer_text.py"/>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/composer/composer_text.py"/>
        <source>The text is {count} characters long. A message takes {most}.</source>
        <comment>The text is {count} characters long. A message takes {most}.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/file_chips.py"/>
        <source>Take {name} off  Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/file_chips.py"/>
        <source>{about}; too much for this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/file_chips.py"/>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>File {name}, {about}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/file_chips.py"/>
        <source>Enter chooses what the model gets of it, Delete removes it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/file_chips.py"/>
        <source>Choose what fits…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/composer/variables.py"/>
        <source>“{name}” is still to be filled in. Enter once more sends it so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Stretto copies your chats once a day and before an update, and keeps the last three copies. Your present chats are kept in a file of their own, so nothing is lost by going back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>There is no copy yet. Stretto makes one when you first change something on another day.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Restore from Backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Restore and Start Again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <source>Close Tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <location filename="../../app/ui/models/get_model.py"/>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <source>Close Others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <source>Detach</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <source>Unpin (Dock)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/translation.py"/>
        <source>Minimize</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <source>Earlier this week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <source>This month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <source>Earlier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>{size} · before an update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>Crash Report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>Something went wrong the last time Stretto ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>Your chats are saved. This report helps to find the fault: it holds versions and program stacks, none of your chats. It stays on this machine unless you pass it on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>Report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <location filename="../../app/ui/dialogs/wheel_dialog.py"/>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>Show File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <source>The report cannot be read: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Your chats cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Your chats were used by a newer Stretto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Stretto cannot write to your chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>The disk is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Stretto may not write to {place}. Make it writable, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Your chats could not be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <location filename="../../app/ui/window/main_window.py"/>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/settings/advanced.py"/>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Try Again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Set Aside and Start Fresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Restore a Backup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Use Another Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Save What Can Be Read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Use Another Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>{cause} What is not saved when you quit is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Your latest changes are not saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Quit Without Saving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Stretto is already running and does not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Another Stretto has these chats open. Wait a moment and start again, or end the other one first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <location filename="../../app/ui/window/help_commands.py"/>
        <source>About Stretto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Version {version}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Many local chats, side by side, all answering at once from one copy of the weights. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <source>Licences…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Everything, all versions too. Can be imported again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>The branch that is shown, as it was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Web page (HTML)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>The branch that is shown. One file, nothing is loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Plain text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>The branch that is shown, without marks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>The branch that is shown, on A4 pages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Export Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Which chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Form</source>
        <comment>of what is exported</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>With what models thought before they answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Chats exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>Answers by message and column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>{complete} of %n answers. Enter opens one in its chat.</source>
        <comment>{complete} of %n answers. Enter opens one in its chat.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>Everything has been answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>The table is in the clipboard.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>The table could not be written: {why}. Choose another place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>The table is in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Seeds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Temperatures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>{model} {kept} of {times}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Kept so far: {models}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>How many</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Hide which is which until I keep one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <location filename="../../app/ui/dialogs/arguments_dialog.py"/>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/models/fit_dialog.py"/>
        <location filename="../../app/ui/pane/pages_dialog.py"/>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <location filename="../../app/ui/widgets/foot.py"/>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>What differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Seed {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Temperature {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>A table names its columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>The columns are mixed, and called Answer A, Answer B and so on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Open a second model first, with File &gt; Open Model Folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Choose at least two models.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <source>Choose at most {most} models: {columns} are chosen, and each takes a column.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/sidebar/list_view.py"/>
        <source>Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>JSON always has them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>There is no chat to export yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Export Into a Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <location filename="../../app/ui/widgets/buttons.py"/>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>The export failed: {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/score/lane_row.py"/>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/score/lane_row.py"/>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>reading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <location filename="../../app/ui/window/announcer.py"/>
        <source>answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>Guest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>The answer so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/score/lane_row.py"/>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>This answer has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Go On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Stretto reads its own JSON, the data exports of ChatGPT and Claude (the zip archive, or conversations.json in it), Open WebUI&apos;s export, and LM Studio&apos;s conversation files. It finds out by itself which they are. Chats that are here already stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Import Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>How much is read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>What was not understood</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Choose Files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Choose Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Such as LM Studio&apos;s folder of conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>All files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Import a Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>for a reason that is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <source>The import failed: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <source>Stretto is under the MIT licence. Qt, PySide6 and Qt Advanced Docking are used under the LGPL: they are separate libraries beside the program, and you may put your own builds in their place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <source>Parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <source>Write a name first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <source>“{name}” exists already. Replace it?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <source>Replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <location filename="../../app/ui/palette/prompt_picker.py"/>
        <source>Prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Text of the prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <location filename="../../app/ui/pane/presets.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Bring Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>New prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>There is no prompt to delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Nothing was deleted here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Type / in an empty message to put a prompt in. Tab goes through its {{variables}}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Choose New to write your first prompt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <source>Another prompt is called so. This one is still called “{before}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <location filename="../../app/ui/window/help_commands.py"/>
        <source>Keyboard Shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Commands and their keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Usual Keys for All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Bring Back My Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>no keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>{command}: {keys}, changed. Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>{command}: {keys}. Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>none</source>
        <comment>no keys</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Usually {usual}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Change its keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>All commands have their usual keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>In a chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Change Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Keys for {command}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>No Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Usual Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>Press the keys for “{command}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>It has its usual keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>It has no keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <source>{keys} belongs to “{command}” now, which loses it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <location filename="../../app/ui/sidebar/trash_button.py"/>
        <location filename="../../app/ui/window/store_commands.py"/>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <location filename="../../app/ui/sidebar/trash_button.py"/>
        <source>Deleted chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Delete Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Empty Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Erase for Good</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Deleted chats stay here for %n day. Then they are erased for good.</source>
        <comment>Deleted chats stay here for %n days. Then they are erased for good.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Damaged files that were set aside may still hold text of erased chats: {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Erase “{title}” for good, from backups too? This cannot be taken back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Erase %Ln chat for good, from backups too? This cannot be taken back.</source>
        <comment>Erase %Ln chats for good, from backups too? This cannot be taken back.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Choose a chat first</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Deleted yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Deleted today</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>erased in %n day</source>
        <comment>erased in %n days</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>erased tomorrow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>erased today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>Stretto {version} is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>You have {version}. Your chats stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>The page says what is new.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>What is new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>Open Download Page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>Skip This Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/update_dialog.py"/>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/wheel_dialog.py"/>
        <source>A wheel is a program: it does what you may do. Take it from {page}, where the hash stands under Download files, View hashes. Compare the two.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/wheel_dialog.py"/>
        <source>Is this the hash that its makers name?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/wheel_dialog.py"/>
        <source>Copy the hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/wheel_dialog.py"/>
        <source>Use from the Next Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>On disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>The most tokens of a prompt and its reply together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>By its template and config</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Weights, and the KV caches of its chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <location filename="../../app/ui/models/search_field.py"/>
        <location filename="../../app/ui/palette/entries.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Can</source>
        <comment>what a model can do</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>Used</source>
        <comment>when a model was used</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <source>In memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Resource</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Not possible now: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/chat_list.py"/>
        <source>Found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Command palette</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Find a command, a chat, a model or a setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Nothing is called so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/prompt_picker.py"/>
        <source>Edit Prompts…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/prompt_picker.py"/>
        <source>Write a Prompt…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>Free text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>JSON of a schema</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>One of a list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>Pattern</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>Answer as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>What answers have to be; the model can write nothing else</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>Schema</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>Choices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>One choice a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>One choice a line; \n stands for a line break</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/answer_form.py"/>
        <source>A regular expression; the whole answer matches it</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/context_meter.py"/>
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/context_meter.py"/>
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/context_meter.py"/>
        <source>{context}, {count} reused in the last turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/context_meter.py"/>
        <source>{context}. Nearly full: start a new chat, or let this one forget its oldest turns.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/context_meter.py"/>
        <source>Context: {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Explain recursion with a short example</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Write a haiku about two voices singing together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Compare tea and coffee in a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Get a bigger model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Shows which models suit this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Hello, I am the Guide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Chat with {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>A tiny model that comes with Stretto. I know my way around here. Ask me anything, or start with one of these.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>It runs on this machine, and nothing you write leaves it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>New Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Your chats have windows of their own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Drag one back by its tab, or begin another here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <location filename="../../app/ui/window/commands.py"/>
        <source>No chat is open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/empty.py"/>
        <source>Choose one at the left, or begin another. {keys} brings the last one back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>Find in this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>Earlier message  Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>Later message  Shift+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>Close  Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>Not found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/find_bar.py"/>
        <source>{number} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Choose another model for this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Settings of this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Cancel loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Tools of this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Keep This One</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Go on from this answer and close the others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Mark where the answers differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Model: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Hidden until you keep one of the answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Images</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Comes with Stretto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Stretto&apos;s models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Added by hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>{bits}-bit, mixed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Its weights are not quantized</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Its config does not say</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Weights in %n bit</source>
        <comment>Weights in %n bits</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/library_words.py"/>
        <source>{weights}, %n of them share a scale</source>
        <comment>{weights}, %n of them share a scale</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>{weights}; some layers have other bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>By its template and config. Stretto shows models no images yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/library_words.py"/>
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <location filename="../../app/ui/models/model_row.py"/>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Not loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/library_words.py"/>
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>{size} on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>looking for more…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/library_words.py"/>
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>in memory, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>licence {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>used {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <location filename="../../app/ui/models/model_row.py"/>
        <location filename="../../app/ui/pane/header.py"/>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Unloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Unloaded, loads when you send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_words.py"/>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Loading {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Mark Where the Answers Differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Tools of This Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/header.py"/>
        <source>Settings of This Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/widgets/toast.py"/>
        <source>Notice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>not loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Open Model Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>Manage Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>Take it out of memory. Its chats load it when they send.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>No model is in memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Unload a Model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>What Would Fit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <source>{name} does not fit into memory. {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <source>{name} could not be loaded. {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>As the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Before answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Not at all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>8 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>4 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Instructions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>How the model should behave in this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Settings saved under a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Random</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>As last time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Take the seed of the last answer, to have the same again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Another seed for each answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Reproducible, to the last bit (slower)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Forget the oldest turns when the context is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Stop at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>One text a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Texts that end the answer, one a line; \n stands for a line break</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>KV cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_table.py"/>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>The most tokens that this chat may have; fewer take less memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>For this chat, from its next reply on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>Fewer settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/options_popover.py"/>
        <source>More settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pages_dialog.py"/>
        <source>Choose</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/pane.py"/>
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane.py"/>
        <source>Message {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane.py"/>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane.py"/>
        <source>From now on this chat forgets its oldest turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>Attach Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>Attach</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>The pasted text, {count} character, goes with the message as a file</source>
        <comment>The pasted text, {count} characters, goes with the message as a file</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>is being read…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>{name} is attached, {about}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>{count} tokens</source>
        <comment>{count} tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>about {count} tokens</source>
        <comment>about {count} tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>{name} is taken off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>All of It</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>The Beginning, as Much as Fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>Passages That Match the Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>Put into the Message as Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_files.py"/>
        <source>Take It Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_menus.py"/>
        <source>No other model is in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_menus.py"/>
        <source>{name} is unloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/pane_menus.py"/>
        <source>Folder for Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>No presets yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Save as Preset…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Save as Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>A name for these settings; one in use is replaced:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Rename Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Another name:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Preset “{name}” replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Preset renamed to “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/presets.py"/>
        <source>Preset “{name}” deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>0 always takes the likeliest word; higher is freer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Longest answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>In tokens, thinking included</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Only the likeliest, up to this sum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Only so many of the likeliest words; 0 is all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>No word less likely than this share of the first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Typical-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Words of the usual surprise, up to this sum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>XTC probability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>How often the likeliest words are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>XTC threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>They are those at least this likely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Repetition penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Above 1, what was just said is less likely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Presence penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Once for each word that was just said</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>Frequency penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/sampling_form.py"/>
        <source>For every time that it was</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>{name} cannot call tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Each call is shown and waits for you before it runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Servers of tools…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/listing.py"/>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>{folder} (may be written)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Read Only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Allow Writing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>No models yet. Get one from the hub, or add the folder where yours are: they are used where they lie.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>No model has these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>Search models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>Clear the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Add Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>Look for models in a folder of yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Download a model from the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <source>{name} is unloaded. Its chats load it when they send.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>What is below it can be listed, searched and read in this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Show its tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>New: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Use These</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>These descriptions are what the model is told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Its resources (@) and prompts (/)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Asking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>{count} token</source>
        <comment>{count} tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>What its tools that are switched on take</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>They take {count} token at the head of the prompt.</source>
        <comment>They take {count} tokens at the head of the prompt.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Pages of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Numbers of pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Which pages does the model get?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Chosen Pages…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Slides of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Numbers of slides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Which slides does the model get?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Chosen Slides…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Sheets of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Numbers of sheets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Which sheets does the model get?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Chosen Sheets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Chapters of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Numbers of chapters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Which chapters does the model get?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/units.py"/>
        <source>Chosen Chapters…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/units.py"/>
        <source>The file has {count} slide.</source>
        <comment>The file has {count} slides.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/units.py"/>
        <source>The file has {count} sheet.</source>
        <comment>The file has {count} sheets.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/units.py"/>
        <source>The file has {count} chapter.</source>
        <comment>The file has {count} chapters.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/pane/units.py"/>
        <source>The file has {count} page.</source>
        <comment>The file has {count} pages.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/language_choice.py"/>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/language_choice.py"/>
        <source>Holds from the next start on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/appearance.py"/>
        <location filename="../../app/ui/settings/language_choice.py"/>
        <location filename="../../app/ui/settings/look.py"/>
        <source>As the System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/appearance.py"/>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/appearance.py"/>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/appearance.py"/>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/language_choice.py"/>
        <source>Restart Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/language_choice.py"/>
        <source>Stretto ends and starts again in this language. Answers that are written stop.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/dates.py"/>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} s</source>
        <comment>seconds</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{minutes} min {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} tok/s</source>
        <comment>tokens a second</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number}%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>as JSON of a schema</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>one of a list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>of a pattern</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>{verdict}: {weights} of weights + {caches} for {chats} of {tokens} + {working} to work in = {total} of {free} that models and chats may take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>It would fit with keys and values in %n bit.</source>
        <comment>It would fit with keys and values in %n bits.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>One chat would fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>Choose a smaller one, or one in fewer bits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>Fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>Too large</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <location filename="../../app/ui/models/library_table.py"/>
        <location filename="../../app/ui/style/figures.py"/>
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>{verdict}: {weights} of weights, of {room} that models and chats may take. Its chats come on top.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>{tokens} context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>by {owner}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>Reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>tools</source>
        <comment>after another word</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>images (Stretto gives it text only)</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>updated {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>reused {count}</source>
        <comment>tokens</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>the same again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>not the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>cut at its length limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Using a tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Writing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Send with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Notifications</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>New chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Models and chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>KV caches on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>From elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>Icon</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Updates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>New versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>Asks you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>Waiting for your answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/style/figures.py"/>
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Queued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Waiting for memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/style/figures.py"/>
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Reading {percent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Reading {done} of {total} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Thought for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{size} · Ready to be used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Waits for the one before it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Waiting for the hub…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Converting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{number} min</source>
        <comment>minutes</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>{hours} h {minutes} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <source>This chat was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/table.py"/>
        <source>{column}, %n message</source>
        <comment>{column}, %n messages</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <source>Waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <source>Not asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <location filename="../../app/ui/compare/table_window.py"/>
        <source>Answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/table.py"/>
        <source>Interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Interrupted when Stretto was closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Copy answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Answer again  Ctrl+R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Same again, with this answer&apos;s model, seed and settings  Ctrl+Shift+R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Go on in a new chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Delete this and what follows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Go on where the answer was cut off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Slide {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Sheet {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Chapter {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Show what the model got</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>What the model got of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Its text is not there any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>The rest is not shown here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/attached_files.py"/>
        <source>Page {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/code_buttons.py"/>
        <source>Do not wrap lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/code_buttons.py"/>
        <source>Wrap long lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/code_buttons.py"/>
        <source>Copy code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Use Without Adapter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Forget the Oldest Turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Edit Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Leave Message Out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Use Another Model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/error_block.py"/>
        <source>Why there is no answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/jump_button.py"/>
        <source>Jump to newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/markdown_view.py"/>
        <source>Copy Code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/markdown_view.py"/>
        <source>Wrap Long Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/markdown_view.py"/>
        <source>Copy Answer as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/markdown_view.py"/>
        <source>Copy Answer as Plain Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/message_row.py"/>
        <source>Earlier version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/message_row.py"/>
        <source>Later version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/reasoning.py"/>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>no answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>End of thoughts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <location filename="../../app/ui/window/notifications.py"/>
        <source>The model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>cut off at its length limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>with {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>version {number} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/text_stops.py"/>
        <source>Link, {words}. Enter opens it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/transcript/text_stops.py"/>
        <source>Code, {language}, {count} line. Enter copies it.</source>
        <comment>Code, {language}, {count} lines. Enter copies it.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/transcript/text_stops.py"/>
        <source>Code, {count} line. Enter copies it.</source>
        <comment>Code, {count} lines. Enter copies it.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Shorten It</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Keep its beginning and its end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Leave It Out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Tell the model that it was too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>End this call; the model is told so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Let the model go on with the results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>{tool} asks you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>It has {size}; about {room} fit into this chat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Allow Once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Run it this one time  Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Always This Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Run it in this chat without asking again  T</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Always This Server in This Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Run all of its tools without asking  S</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Deny</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Do not run it; the model is told so  D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>The server asked: {question}
You answered it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>The server asked: {question}
You declined.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>The server asked: {question}
You left it unanswered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Running {tool}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>The result of {tool} is too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Run {tool}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{count} character</source>
        <comment>{count} characters</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{tool} · Not allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{tool} · Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{tool} · Interrupted when Stretto was closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{number} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>{kept} of {size} characters</source>
        <comment>{kept} of {size} characters</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/transcript/tool_words.py"/>
        <source>… {count} character more</source>
        <comment>… {count} characters more</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/transcript_view.py"/>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Did not fit: left out of what follows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Your message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Edit and ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Edit in a new chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/user_row.py"/>
        <source>Show less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/announcer.py"/>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/announcer.py"/>
        <source>{text}… The rest stands in the conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>Broadcast to All Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>Broadcast is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>Broadcast is on: your next message goes to every open chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>Broadcast is on. Open another chat beside this one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>Leave or Join the Broadcast</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/broadcast.py"/>
        <source>%n chat was still answering and did not get this message</source>
        <comment>%n chats were still answering and did not get this message</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Split Right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Split Down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>This chat is in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>It is in another version. Wait for the reply to end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Close Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Chat deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Chat closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Open Model Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Message deleted</source>
        <comment>%n messages deleted</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Your answer goes to {server}, not to the model. Give it no passwords, keys or card numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>“{field}” looks like a secret. No server may ask for one in this way: decline unless you know why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Open Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <location filename="../../app/ui/widgets/buttons.py"/>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Open this address in the browser and tell the server so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Send these answers to the server  Enter in a field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Tell the server that you do not want to answer  D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Leave the question; the server decides how it goes on  Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/transcript/question_form.py"/>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Attach pastes over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>When a long answer ends and I am elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Written by the chat’s own model while it is idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Otherwise the first words of what was asked. Your own stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Titles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <location filename="../../app/ui/widgets/question_field.py"/>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>How models should behave in new chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Unload models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>As much as is sensible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Unload models after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Chats find what they have read again on disk. The two sizes hold from the next start on. Models unused for that long leave memory, and come back when a chat sends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Look once a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Look Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Asks the makers&apos; server for one small file and tells it nothing but that you asked. Nothing is downloaded or installed by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>The makers’ server is being asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>You have the newest version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Stretto {version} is there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Model for New Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>New line in the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Shift+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Stop the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Edit the last message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Up, in an empty message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Put in a prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>/, in an empty message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>The prompt’s next variable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Tab, in the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Take a file off the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Delete, on the file (Tab, in the message)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Delete a chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Delete, in the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Delete a message and what follows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Delete, in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Undo what a notice offers to undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>From message to message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Up and Down, in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>What can be done with a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Tab, in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Move wide code sideways</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Left and Right, in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Copy code, wrap its lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Shift+F10, in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Pause or resume a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Space, in the score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>Compare…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>Compare several messages first: Pane &gt; Compare…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/table_window.py"/>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>Compared Messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>The table cannot be read. Its answers are in the list of chats.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>This chat is not being compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>Back to What Was There Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>%n chat is put aside until you keep one of these</source>
        <comment>%n chats are put aside until you keep one of these</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/compare_commands.py"/>
        <source>The compared answers are in the list of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/error_notice.py"/>
        <source>Something went wrong. What you just did may not have worked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/error_notice.py"/>
        <source>Show Report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/error_notice.py"/>
        <source>Something went wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>Export Chats…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>“{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>Import Chats…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The import could not be undone: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The %Ln chosen chat</source>
        <comment>The %Ln chosen chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The chat is in “{file}”</source>
        <comment>%Ln chats are in “{file}”</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>%Ln chat that had changed since went to the trash</source>
        <comment>%Ln chats that had changed since went to the trash</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>Nothing was said here yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>Print…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/file_commands.py"/>
        <source>Attach Files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/focus_regions.py"/>
        <source>Next Part of the Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/focus_regions.py"/>
        <source>Part of the Window Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layouts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>No layouts yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Choose “Save Layout…” to keep how the panes stand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Save Layout…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Save Layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Starts when it is needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Servers as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Import From…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Programs and addresses that offer tools by MCP, as other programs write them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>This is new. A chat starts it when it needs it:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Save These</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>No other program with servers was found</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>%n server from {place}. Look at them, then save.</source>
        <comment>%n servers from {place}. Look at them, then save.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Nothing was written yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Switched off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Show Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>End</source>
        <comment>a server</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Allowed without asking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Nothing. Every call waits for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>{tool} of {server} in “{chat}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>all tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>{path} for reading in “{chat}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>{path} for reading and writing in “{chat}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>a deleted chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>in {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Keeps which chats are open and where they stand.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout “{name}” replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout “{name}” saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Rename Layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout renamed to “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout “{name}” deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>All chats of layout “{name}” have been deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout “{name}” opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Layout “{name}” opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/layouts.py"/>
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/layouts.py"/>
        <source>%n of its chats was deleted since.</source>
        <comment>%n of its chats were deleted since.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <location filename="../../app/ui/window/main_window.py"/>
        <source>Sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Hide the sidebar  Ctrl+B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Search chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Search all chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Search all chats  {keys}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Fold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Unfold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Open Beside</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Delete {count} Chat</source>
        <comment>Delete {count} Chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/score/score.py"/>
        <source>Memory: weights {weights}, KV caches {kv}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/score.py"/>
        <location filename="../../app/ui/window/main_window.py"/>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/score.py"/>
        <source>Close the score  Ctrl+J</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/score.py"/>
        <source>No chat has asked the engine anything yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/score/score.py"/>
        <source>%n answering · {rate} in all</source>
        <comment>%n answering · {rate} in all</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/score/score.py"/>
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/score/score.py"/>
        <source>At rest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/model_commands.py"/>
        <source>Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_window.py"/>
        <location filename="../../app/ui/models/model_menu.py"/>
        <location filename="../../app/ui/window/model_commands.py"/>
        <source>Get Model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/model_commands.py"/>
        <source>{name} is back in its place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/notifications.py"/>
        <source>{name} could not answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/notifications.py"/>
        <source>{name} has answered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} copies text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} cuts text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} pastes text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} selects all text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} takes back what was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} writes again what was taken back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} is needed for writing. Add Command or Option to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>{keys} is needed for writing. Add Ctrl or Alt to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/own_keys.py"/>
        <source>Press the keys that it is to have.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/palette_commands.py"/>
        <source>Command Palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/palette_commands.py"/>
        <source>Settings, {section}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/form_page.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <location filename="../../app/ui/window/palette_commands.py"/>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/form_page.py"/>
        <source> GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/form_page.py"/>
        <source> characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>A reply is still running. Stop it first, or wait for its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>No reply is running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This message is not in the chat any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The message before it is deleted too. Bring it back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>You have not written anything here yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>There is no question to answer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>There is no answer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>There is nothing in this chat yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>No message here has another version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>“{file}” is still being read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>Write something first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The reply is being stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>Nothing to pause: no reply is running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>Nothing to pause yet: the model is still loading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>No message is being edited.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>There is nothing to go on with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>A new chat gets its title from your first message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>Only your own messages can be edited.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This answer has no question.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This is no answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The seed of the last answer is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The seed of this answer is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>Only the last answer can be continued.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The answer had not begun. Answer again instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>The answer is complete.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This answer has not failed for its length.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>It did not fit without the oldest turns either. Shorten the message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>There are no older turns to forget. Shorten the message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>There is no text to copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This answer is still being written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This is the first version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/actions.py"/>
        <source>This is the last version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Copy Last Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Answer Again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Same Again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Edit Last Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Earlier Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Later Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Stop the Reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Pause or Resume the Reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Find in This Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Move to Its Own Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Move to the Pane Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Move to the Pane After</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Larger Pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Smaller Pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Keep This One of the Compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Next Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Previous Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>Go to the Message Field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_placement.py"/>
        <source>This chat has a window of its own. Move it back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_placement.py"/>
        <source>There is no pane after this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_placement.py"/>
        <source>There is no pane before this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_placement.py"/>
        <source>There is no other pane beside this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/prompt_commands.py"/>
        <source>Prompts…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/prompt_commands.py"/>
        <source>There is nothing in the message field.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/prompt_commands.py"/>
        <source>Save Message as Prompt…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/quick_ask.py"/>
        <source>Quick Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/settings_commands.py"/>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/settings_commands.py"/>
        <source>{name} is no longer listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Search All Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Nothing was written here yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Rename Chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Delete Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>%Ln chat deleted</source>
        <comment>%Ln chats deleted</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Pin or Unpin Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Move Chat to Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Tags of Chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>Archive Chat, or Take It Out</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat no longer pinned</source>
        <comment>{count} chats no longer pinned</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat put into the archive</source>
        <comment>{count} chats put into the archive</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat taken out of the archive</source>
        <comment>{count} chats taken out of the archive</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat moved out of folders</source>
        <comment>{count} chats moved out of folders</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>New Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Make</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Folder “{name}” deleted; its chats are kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Folder moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Move to Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Tags…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Take Out of the Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>No Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>New Folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>New Folder Inside…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Move to the Top</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Delete Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/store_commands.py"/>
        <source>Restore from Backup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tab_marks.py"/>
        <source>{title}, waits for your answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tab_marks.py"/>
        <source>{title}, answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tab_marks.py"/>
        <source>{title}, finished, not read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tab_marks.py"/>
        <source>Close {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Text is as large as it can be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Larger Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Text is as small as it can be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Smaller Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Usual Text Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Full Screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/text_size.py"/>
        <source>Text at {zoom} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/title_bars.py"/>
        <source>New chat here, at the right or below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/rail.py"/>
        <source>Folded sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/rail.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Menu  F10</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/rail.py"/>
        <source>Show the sidebar  Ctrl+B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/rail.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <location filename="../../app/ui/window/title_bars.py"/>
        <source>New chat  Ctrl+N</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/title_bars.py"/>
        <source>New chat at the right  Ctrl+\</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/title_bars.py"/>
        <source>New chat below  Ctrl+Shift+\</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tool_commands.py"/>
        <source>Servers of Tools…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tool_commands.py"/>
        <source>Tools of This Chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tool_commands.py"/>
        <source>No tool waits for your answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tool_commands.py"/>
        <source>Next Call That Waits for You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/tray.py"/>
        <source>Show Stretto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>The folder is not there any more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/models/model_list.py"/>
        <location filename="../../app/ui/window/undo.py"/>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Convert…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Show in Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Add Adapter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Move to Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Choose a model first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Load it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/models/model_menu.py"/>
        <source>Unload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Take it out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Cancel Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Do not load it after all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Keep it first in the list, and in memory while it rests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Treat it as the others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Make a smaller copy of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Show its files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>It has one already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Choose a LoRA or DoRA adapter: the model is listed with it, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Chat with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>List it no longer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Move its folder to the system&apos;s trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/undo.py"/>
        <source>There is nothing to bring back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/undo.py"/>
        <source>Bring Back the Last Closed Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/unsaved.py"/>
        <source>The file that holds your chats is damaged, so nothing more can be saved in it. End Stretto and start it again: it then offers to save what can be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/unsaved.py"/>
        <source>Try Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/unsaved.py"/>
        <source>Everything is saved again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/answering.py"/>
        <source>The model asked for a tool instead of answering. There are no tools in this chat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/answering.py"/>
        <source>The model called a tool in a way that could not be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/attaching.py"/>
        <source>A message takes %n file. Send the rest after it.</source>
        <comment>A message takes %n files. Send the rest after it.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/attaching.py"/>
        <source>“{name}” is a folder. Attach the files in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/attaching.py"/>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/attaching.py"/>
        <source>“{name}” is attached already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/attaching.py"/>
        <source>“{name}” cannot be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/choosing.py"/>
        <source>“{part}” is no number. Write 1-3, 7.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/choosing.py"/>
        <source>There are numbers from 1 to {last}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/choosing.py"/>
        <source>Write the numbers, for example 1-3, 7.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>passages that match the question</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>{count} passage</source>
        <comment>{count} passages</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>{passages} from {pages}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/attached/words.py"/>
        <source>the first {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>{count} slide</source>
        <comment>{count} slides</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>{count} sheet</source>
        <comment>{count} sheets</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>{count} chapter</source>
        <comment>{count} chapters</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/attached/words.py"/>
        <source>{count} page</source>
        <comment>{count} pages</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/branching.py"/>
        <source>{title} (branch)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/branching.py"/>
        <source>{title} (branch {number})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/counting.py"/>
        <source>{tokens} of {limit} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/counting.py"/>
        <source>{count} token too many for this model.</source>
        <comment>{count} tokens too many for this model.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/counting.py"/>
        <source>The oldest turns are left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>There is too little memory for this now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The conversation does not fit into the model&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The engine has stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>Answering has failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The model cannot be asked this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The model could not be loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>There is not enough memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The chat is still being answered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The chat was closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The model&apos;s chat template does not take these messages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The model is not loaded any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/engine_words.py"/>
        <source>The chat cannot be kept apart from the others with this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/export.py"/>
        <source>“{file}” could not be written: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/export.py"/>
        <source>The chat is not there any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/export.py"/>
        <source>Chat {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/pages.py"/>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>Thoughts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/pages.py"/>
        <location filename="../../app/chats/exporting/prose.py"/>
        <source>Attached: {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/paper.py"/>
        <source>the file cannot be made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/exporting/paper.py"/>
        <source>the disk is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/fitting.py"/>
        <source>It takes {total}: {weights} of weights, {caches} for {chats} of {context} tokens, and {working} to work with. {free} are free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/fitting.py"/>
        <location filename="../../app/ui/models/convert_dialog.py"/>
        <location filename="../../app/ui/models/fit_words.py"/>
        <source>about {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/fitting.py"/>
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>The form that answers are to have cannot be used. {wrong} It stands in the chat&apos;s settings, under “Answer as”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>The list is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>The schema is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>Line {line}, column {column}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>The schema is nested too deeply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>A schema is a JSON object, in curly brackets.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>In {place}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/forms.py"/>
        <source>It is {count} character long; {most} are the most.</source>
        <comment>It is {count} characters long; {most} are the most.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>{name} is no number in JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>The pattern is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/forms.py"/>
        <source>At character {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{where}: it cannot be stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{file}, conversation {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{where}: it is too long.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{where}: this is no conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{where}: it is damaged ({why}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{where}: this is of no program that is known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/job.py"/>
        <source>{file}: a later version of Stretto has written this file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>it cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: the archive is damaged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: a text in it is too long, so it was read up to there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/reading.py"/>
        <source>Only the first {count} file was read.</source>
        <comment>Only the first {count} files were read.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: there are no conversations in this archive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: it is locked with a password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: it is damaged, or no JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: it is damaged after conversation {number}; what is before was read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/reading.py"/>
        <source>{file}: it is nested too deep, so it was read up to there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/report.py"/>
        <source>There was more that was not understood.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/report.py"/>
        <source>No chat was taken in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>{count} chat was taken in from {programs}, with {messages}.</source>
        <comment>{count} chats were taken in from {programs}, with {messages}.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>{count} message</source>
        <comment>{count} messages</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/importing/report.py"/>
        <source>The import was stopped before its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>{count} chat is here already and stayed as it was.</source>
        <comment>{count} chats are here already and stayed as they were.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>{count} chat is here already, in the trash, and stayed as it was.</source>
        <comment>{count} chats are here already ({trashed} of them in the trash) and stayed as they were.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} attached file.</source>
        <comment>Left out: {count} attached files.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} picture.</source>
        <comment>Left out: {count} pictures.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} recording or video.</source>
        <comment>Left out: {count} recordings and videos.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} tool call or result.</source>
        <comment>Left out: {count} tool calls and results.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} empty conversation.</source>
        <comment>Left out: {count} empty conversations.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} instruction in the middle of a chat.</source>
        <comment>Left out: {count} instructions in the middle of a chat.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} message that follows itself.</source>
        <comment>Left out: {count} messages that follow themselves.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/importing/report.py"/>
        <source>Left out: {count} entry of the kind “{kind}”.</source>
        <comment>Left out: {count} entries of the kind “{kind}”.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/chats/model_choice.py"/>
        <source>The model could not be loaded ({why}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/tool_history.py"/>
        <source>The arguments are no JSON: {why} in line {line}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/tool_history.py"/>
        <source>The arguments are no JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/tool_history.py"/>
        <source>The arguments are no JSON object: { … }.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/tool_work.py"/>
        <source>This call does not wait any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/tool_work.py"/>
        <source>Look at the difference first. It is shown below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/unloading.py"/>
        <source>It is not loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/chats/unloading.py"/>
        <source>The chat “{chat}” is answering with it. Stop the reply first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/unloading.py"/>
        <source>%n chat is answering with it. Stop its reply first.</source>
        <comment>%n chats are answering with it. Stop their replies first.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/chats/unloading.py"/>
        <source>Another chat waits for {model}: it goes on loading.</source>
        <comment>%n other chats wait for {model}: it goes on loading.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: choose at most {most}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: at most {most} characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>this is no e-mail address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>this is no address such as https://example.org.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>write the date as 2026-05-31.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>write date and time as 2026-05-31T14:30:00Z.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: this is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: choose from the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: choose at least {least}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: at least {least} characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: a whole number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: at least {least}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{field}: at most {most}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{server} asked for something that is no form.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{server} asked for more than {most} things at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{server} asked with a form that cannot be shown: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/questions.py"/>
        <source>{server} asked to open what is no web address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/adding_talk.py"/>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Add Model Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/adding_talk.py"/>
        <source>Add an Adapter to {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/adding_talk.py"/>
        <source>Listed as {name} + {adapter}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/card_view.py"/>
        <source>Model card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/convert_dialog.py"/>
        <source>Convert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/convert_dialog.py"/>
        <source>Make a smaller copy of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/convert_dialog.py"/>
        <source>It takes {size}, and stays as it is. The copy is made in minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <source>{name} is not wholly downloaded yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <source>%n model is not wholly downloaded yet</source>
        <comment>%n models are not wholly downloaded yet</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <source>{name} is converted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <source>{name} is downloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_in_window.py"/>
        <location filename="../../app/ui/models/go_button.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <source>Download of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/models/library_foot.py"/>
        <source>Open in a Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <location filename="../../app/ui/models/library_foot.py"/>
        <location filename="../../app/ui/models/library_window.py"/>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Remove from List</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/downloads_view.py"/>
        <source>Cancel and Throw Away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>For a machine with {gigabytes} GB of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>The hub is being searched…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/finding.py"/>
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>Nothing was found. Try fewer or other words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>Downloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>Gated</source>
        <comment>a model</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/finding.py"/>
        <source>Cannot be loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Keep this chat’s KV cache in %n bit</source>
        <comment>Keep this chat’s KV cache in %n bits</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Takes {size}. What it has read is rounded a little.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Let this chat have at most %Ln token</source>
        <comment>Let this chat have at most %Ln tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Takes {size}. Its settings can change that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Takes {size}. Longer ones may find no memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Use {name} instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Its weights take {size}, and it is on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Look for a smaller one…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Searches the hub, once you have typed what for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Its weights fit. Chats may find no memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Load it all the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Unload {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Frees {size}. Its chats load it when they send.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Unload {names} and {last}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_choices.py"/>
        <source>Frees {size}. Their chats load them when they send.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_dialog.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_dialog.py"/>
        <source>{name} does not fit into memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/fit_flow.py"/>
        <source>{name} stays. {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare_dialog.py"/>
        <location filename="../../app/ui/models/found_list.py"/>
        <location filename="../../app/ui/models/library_view.py"/>
        <location filename="../../app/ui/models/library_window.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <location filename="../../app/ui/settings/settings_window.py"/>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>Tokens in each chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>Number of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>Read Its Card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>Asks the hub about this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>Reckoned for {chats} of {tokens}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>It is on this machine already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <location filename="../../app/ui/models/library_words.py"/>
        <source>{bits}-bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>at {revision}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/found_model.py"/>
        <source>This version does not know its architecture. A newer one may.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>The Hugging Face hub is asked when you press Enter, and once a whole name stands here. It is told nothing else, and only data is downloaded, no code.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>Downloads are listed here. They go on when this is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>The hub gives this model only to whom it knows: paste a token first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>Write a word of the model&apos;s name first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>Get Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <location filename="../../app/ui/sidebar/sidebar.py"/>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>Asking the hub…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>The hub is being asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>The hub is asked first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/get_model.py"/>
        <source>Choose a model, or write its name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/go_button.py"/>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/go_button.py"/>
        <source>Look Up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>None yet. Models that were opened or downloaded are listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Put the model back into the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Add…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Add a model folder to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <source>Get…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_list.py"/>
        <location filename="../../app/ui/models/removal_talk.py"/>
        <source>{name} is no longer listed. Its files stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Unload: take it out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>The folder is being looked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>The folder is not there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Show the folder of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Remove {name} from the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Loaded, {size} of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Folder not found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>Not downloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>No model in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/model_row.py"/>
        <source>From the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/removal_talk.py"/>
        <source>Move {name} to the trash? {warning}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/removal_talk.py"/>
        <source>{name} goes to the trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/removal_talk.py"/>
        <source>{name} is back in its place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/search_field.py"/>
        <source>Search, or owner/name, or the address of a model&apos;s page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Shown to the hub alone, and kept in this system&apos;s keychain once the hub has taken it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Kept until Stretto ends, and shown to the hub alone: this system has no keychain that could keep it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>The keychain did not take the token: it is kept until Stretto ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>An access token is shown to the hub.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Forget It</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Forget the access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Open Its Page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/models/token_field.py"/>
        <source>Asks first, then opens the model&apos;s page on the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Models of an architecture that is newer than this version of Stretto need a newer mlx-lm. Choose its wheel, as it was downloaded. If a start with it fails, Stretto uses its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>It is being tried in a process of its own…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Each architecture is made small and tried, which takes a few minutes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Advanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Which mlx-lm is used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Choose Wheel…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Use Stretto’s own from the next start on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>What it can do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Try All Architectures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Stop Trying</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Wheels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>Wheel of mlx-lm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/advanced.py"/>
        <source>It could not be tried: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Web pages that may ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>none</source>
        <comment>no web page</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>As https://example.org, several with blanks between them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Web pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>none</source>
        <comment>no session</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>One more takes the place of the longest unused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Requests at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source> at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>any at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Requests a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source> a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>any a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Each key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Unload idle models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <location filename="../../app/ui/settings/form_page.py"/>
        <source> min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Models that no chat here uses are unloaded after so long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Unload after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/door_limits.py"/>
        <source>Less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Where things are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Chats and settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Show the folder of chats and settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Logs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Show the folder of logs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>KV caches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/folder_rows.py"/>
        <source>Show the folder of KV caches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>Normal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>High</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Look</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>All text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>Of the size that the system asks for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>{percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>The arrow keys make it larger and smaller</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source> px</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>Always less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <source>Otherwise as the system asks for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/look.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Motion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>A line for a terminal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>A few lines for OpenAI&apos;s library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Editors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>What editors and agents look for in their environment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <location filename="../../app/ui/settings/places.py"/>
        <source>Other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>May ask the models here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Editors, scripts and agents, by OpenAI&apos;s and Anthropic&apos;s HTTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Port</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Only with a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Who may</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Also from other machines, with a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Copy for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Copy for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Open at {address}, %n connected</source>
        <comment>Open at {address}, %n connected</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Open at {address}, nobody is connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Off. Nothing listens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Opening…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>The keys cannot be read: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>New Key…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>since {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <location filename="../../app/ui/settings/tools_window.py"/>
        <source>Revoke</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Nobody gets in with it any more. There is no way back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Revoke the key {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>New Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Who is it for?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>That was not possible: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>Copied. Put your key in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>The key for “{name}”. It is shown now and never again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/other_programs.py"/>
        <source>The new key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>In the menu bar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>In the system’s tray</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>This desktop has no tray.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>Quick Question opens a small window. For a key that is heard everywhere, let your system’s keyboard settings start the command “{command}”: a program cannot take such a key by itself on every system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/settings/reach.py"/>
        <source>Quick Question opens a small window. For a key that is heard everywhere, let your Shortcuts app start the command “{command}”: a program cannot take such a key by itself on every system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/chat_list.py"/>
        <location filename="../../app/ui/sidebar/organiser.py"/>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/chat_list.py"/>
        <source>Nothing found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/chat_list.py"/>
        <source>Your chats will appear here</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>{count} piece</source>
        <comment>{count} pieces</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>paused · {pieces}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Stop this answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>session {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>{who} asks {model}, session {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>{who} asks {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Guests, {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Guests</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>nobody</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>%n more</source>
        <comment>%n more</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/guests_part.py"/>
        <source>Other programs may ask at {address}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Narrow the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Narrow the search  Alt+Down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>In Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>With Tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Answered by Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Said by Me</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Said by the Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Since Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>In the Last 7 Days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>In the Last 30 Days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>Before This Year</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/search_filters.py"/>
        <source>In the Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>archived chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>The last moments before the crash may be missing: the journal of your chats was damaged. It is kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>This is an empty start. Your earlier chats are kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>{messages} in {chats} could be read and are here. The damaged file is kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/opening.py"/>
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/opening.py"/>
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>{count} chat</source>
        <comment>{count} chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>These are the chats of the backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>These are the chats of the backup. The chats of before are kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/opening.py"/>
        <source>The backup could not be restored. {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>unfolded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>waits for your answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>finished, not read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>in the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/spoken.py"/>
        <source>tagged {tags}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <source>Tags, separated by commas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <source>recipes, to read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <source>Separated by commas. A search finds them with tag:name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/sidebar/tags_dialog.py"/>
        <source>In use: {tags}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/question_field.py"/>
        <source>{field} (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/question_field.py"/>
        <source>{least} to {most}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/question_field.py"/>
        <source>at least {least}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/question_field.py"/>
        <source>at most {most}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>4 bits: the usual choice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>6 bits: closer to the original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>8 bits: hardly to be told from the original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>4 and 6 bits: more where it matters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>3 and 4 bits: the smallest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>2 and 6 bits: small, and not for every model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/conversion.py"/>
        <source>It is quantized already: convert the model that it was made from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>Stretto cannot use it: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>mlx-lm {version} can be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/doctor.py"/>
        <source>{ran} of its %n architectures run.</source>
        <comment>{ran} of its %n architectures run.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>Nothing else is different from Stretto’s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>What is different from Stretto’s own:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>it takes too long to start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>its process ended with {status}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/doctor.py"/>
        <source>It wants {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/door_server.py"/>
        <source>Port {port} is not free ({why}). Choose another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/download.py"/>
        <source>It failed ({kind}). The log says how.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/installed.py"/>
        <source>{name} is no adapter: choose a folder that holds adapter_config.json and adapters.safetensors.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/installed.py"/>
        <source>That folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>Stretto ended while it started with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>Its own from the next start on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>Stretto’s own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>mlx-lm {version} is not used: {why}. Stretto uses its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>mlx-lm {version} from the next start on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>mlx-lm {version}, from {wheel}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/newer_mlx_lm.py"/>
        <source>It cannot be read: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is in the system&apos;s trash, where you can put it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is a part of Stretto.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{folder} holds far more than a model. Remove the model&apos;s files there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is on its way to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is being loaded. Wait until it is, or cancel that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is being converted. Cancel that first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} is being downloaded. Cancel the download first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>The chat “{title}” answers with it, and will need another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/removal.py"/>
        <source>%Ln chat answers with it, and will need another model.</source>
        <comment>%Ln chats answer with it, and will need another model.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/removal.py"/>
        <source>It shares files with %n other revision, which goes with it.</source>
        <comment>It shares files with %n other revisions, which go with it.</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>Its folder holds other things, which go with it: {list} and more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>Its folder holds other things, which go with it: {list}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} was not removed: {why}. Its folder can be shown, and removed there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/removal.py"/>
        <source>{name} was not put back: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/system_trash.py"/>
        <source>it is not there any more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/system_trash.py"/>
        <source>the trash does not take it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/system_trash.py"/>
        <source>the trash has not taken it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/system_trash.py"/>
        <source>it is not in the trash any more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/system_trash.py"/>
        <source>something of that name is there again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/compare.py"/>
        <source>{answer} was {what}</source>
        <comment>Answer A was Seed 1</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/group.py"/>
        <source>Answer {letter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>One message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>A message in each line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>My prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>What to ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Message to compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>It has variables to be filled in. Write it out as a line instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Ask at most {most} messages: these are {count}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Keep a prompt first, with Edit &gt; Prompts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Tick the prompts that all columns answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Write a message in each line. All columns answer all of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Write the message that all columns answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>Several messages for all columns, one in each line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/messages_field.py"/>
        <source>One message for all columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/together.py"/>
        <source>Scroll Compared Answers Together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/together.py"/>
        <source>Compared answers scroll together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/compare/together.py"/>
        <source>Each answer scrolls by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/compare/together.py"/>
        <source>{name} was kept {kept} of %n times so far</source>
        <comment>{name} was kept {kept} of %n times so far</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>writing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>using a tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>waiting for your answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>resting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>{title}: {state}, %Ln tokens in its KV cache</source>
        <comment>{title}: {state}, %Ln tokens in its KV cache</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>waiting, {place}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/lane_row.py"/>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>{all} in all · chats’ KV {kv}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>models {models} · chats’ KV {kv}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>what the chats have read (KV caches)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>free again, kept for what comes next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>the program itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>helper processes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>{size} of memory in all:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/score/memory.py"/>
        <source>Models and chats may take {most} and take {used}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/buttons.py"/>
        <source>Send  Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>Open Link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>This link attaches a file to a mail, so Stretto does not open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>Write a mail to this address outside Stretto?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>This link does not lead to a web page, so Stretto does not open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>It leads to {place}, not to what stands before the “@”:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>This link hides where it leads, so Stretto does not open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/widgets/links.py"/>
        <source>Open this address at {place} outside Stretto?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/widgets/links.py"/>
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/updates.py"/>
        <source>The answer is not signed by the makers of Stretto.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/updates.py"/>
        <source>The answer could not be understood.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/updates.py"/>
        <source>it was sent elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/updates.py"/>
        <source>No answer: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/updates.py"/>
        <source>It failed; the log says how.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/offers.py"/>
        <source>“{name}” is no text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/tools/offers.py"/>
        <source>“{name}” has {size} characters. {most} are the most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/arguments_dialog.py"/>
        <source>A prompt of {server}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/arguments_dialog.py"/>
        <source>Use Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/resource_picker.py"/>
        <source>Resources</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_offers.py"/>
        <source>Being asked…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_offers.py"/>
        <source>A message takes {most} files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>Running {tool}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/style/tool_figures.py"/>
        <source>step {step}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
