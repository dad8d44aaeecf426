<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
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
        <location filename="../../app/ui/dialogs/backups.py"/>
        <location filename="../../app/ui/dialogs/crash_dialog.py"/>
        <location filename="../../app/ui/dialogs/dialogs.py"/>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/dialogs/licences_window.py"/>
        <location filename="../../app/ui/dialogs/prompts_dialog.py"/>
        <location filename="../../app/ui/dialogs/trash.py"/>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/backups.py"/>
        <source>Yesterday</source>
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
        <location filename="../../app/ui/pane/notice.py"/>
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
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/dialogs/name_dialog.py"/>
        <location filename="../../app/ui/dialogs/shortcuts_dialog.py"/>
        <location filename="../../app/ui/pane/pages_dialog.py"/>
        <location filename="../../app/ui/widgets/foot.py"/>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
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
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/dialogs/import_dialog.py"/>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/dialogs/export_dialog.py"/>
        <source>{done} of {total} chats</source>
        <comment>{done} of {total} chats</comment>
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
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>reading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/transcript/row_words.py"/>
        <location filename="../../app/ui/window/announcer.py"/>
        <source>answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
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
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>This answer has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <location filename="../../app/ui/transcript/tool_row.py"/>
        <source>Go On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/guest_dialog.py"/>
        <source>{seconds} s</source>
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
        <location filename="../../app/ui/window/store_commands.py"/>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/dialogs/trash.py"/>
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
        <source>Erase {count} chat for good, from backups too? This cannot be taken back.</source>
        <comment>Erase {count} chats for good, from backups too? This cannot be taken back.</comment>
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
        <source>A wheel is a program: it does what you may do. Take it from pypi.org/project/mlx-lm, where the hash stands under Download files, View hashes. Compare the two.</source>
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
        <location filename="../../app/ui/palette/entries.py"/>
        <source>Model</source>
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
        <source>Not possible now: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/palette/palette.py"/>
        <source>Found</source>
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
        <location filename="../../app/ui/pane/header.py"/>
        <source>Not loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
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
        <source>Notice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/notice.py"/>
        <location filename="../../app/ui/window/chat_commands.py"/>
        <source>Open Model Folder…</source>
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
        <location filename="../../app/ui/pane/tools_popover.py"/>
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
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/pane/tools_popover.py"/>
        <source>Add Folder…</source>
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
        <source>Asking…</source>
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
        <location filename="../../app/ui/settings/language_choice.py"/>
        <source>As the System</source>
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
    <message numerus="yes">
        <location filename="../../app/ui/style/figures.py"/>
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
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
        <location filename="../../app/ui/style/figures.py"/>
        <source>Writing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
        <source>Asks you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/style/figures.py"/>
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
        <location filename="../../app/ui/transcript/answer_row.py"/>
        <source>Stopped</source>
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
        <location filename="../../app/ui/transcript/row_words.py"/>
        <source>You</source>
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
        <location filename="../../app/ui/window/commands.py"/>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/commands.py"/>
        <source>Enter</source>
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
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The {count} chosen chat</source>
        <comment>The {count} chosen chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>“{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>All {count} chats</source>
        <comment>All {count} chats</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The chat is in “{file}”</source>
        <comment>{count} chats are in “{file}”</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>Import Chats…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>{count} chat imported</source>
        <comment>{count} chats imported</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>The import could not be undone: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <location filename="../../app/ui/window/exchange_commands.py"/>
        <source>{count} chat that had changed since went to the trash</source>
        <comment>{count} chats that had changed since went to the trash</comment>
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
        <location filename="../../app/ui/window/layouts.py"/>
        <source>Save</source>
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
        <location filename="../../app/ui/window/main_window.py"/>
        <source>Sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/main_window.py"/>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/model_commands.py"/>
        <source>Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
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
        <location filename="../../app/ui/window/palette_commands.py"/>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <location filename="../../app/ui/window/pane_commands.py"/>
        <source>There is nothing in this chat yet.</source>
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
        <source>{count} chat deleted</source>
        <comment>{count} chats deleted</comment>
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
    <message>
        <location filename="../../app/ui/window/sidebar_commands.py"/>
        <source>New Folder…</source>
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
        <location filename="../../app/ui/window/undo.py"/>
        <source>Undo</source>
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
</context>
</TS>
