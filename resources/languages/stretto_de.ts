<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>The chats are closed.</source>
        <translation>Die Chats sind geschlossen.</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Recovered chat</source>
        <translation>Wiederhergestellter Chat</translation>
    </message>
    <message numerus="yes">
        <source>%n change couldn’t be saved. {why}</source>
        <comment>%n changes couldn’t be saved. {why}</comment>
        <translation>
            <numerusform>%n Änderung konnte nicht gespeichert werden. {why}</numerusform>
            <numerusform>%n Änderungen konnten nicht gespeichert werden. {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} refused: {why}</source>
        <translation>{server} hat abgelehnt: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t start within {seconds} s.</source>
        <translation>{server} ist nicht innerhalb von {seconds} s gestartet.</translation>
    </message>
    <message>
        <source>{server} couldn’t be reached: {why}</source>
        <translation>{server} ist nicht erreichbar: {why}</translation>
    </message>
    <message>
        <source>The program “{program}” wasn’t found. Install it, or enter its full path.</source>
        <translation>Das Programm „{program}“ wurde nicht gefunden. Installiere es oder gib den vollständigen Pfad ein.</translation>
    </message>
    <message>
        <source>New file {path}</source>
        <translation>Neue Datei {path}</translation>
    </message>
    <message>
        <source>Links aren’t followed.</source>
        <translation>Verknüpfungen werden nicht verfolgt.</translation>
    </message>
    <message>
        <source>It couldn’t be opened: {why}.</source>
        <translation>Öffnen nicht möglich: {why}.</translation>
    </message>
    <message>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation>Der Server hat keinen Namen. Schreibe ihn als {&quot;name&quot;: {&quot;command&quot;: …}}.</translation>
    </message>
    <message>
        <source>its name looks like that of “{other}”</source>
        <translation>sein Name ähnelt dem von „{other}“</translation>
    </message>
    <message>
        <source>{path} couldn’t be read: {why}.</source>
        <translation>{path} konnte nicht gelesen werden: {why}.</translation>
    </message>
    <message>
        <source>New message</source>
        <translation>Neue Nachricht</translation>
    </message>
    <message>
        <source>Compare…  Ctrl+Alt+C</source>
        <translation>Vergleichen…  Ctrl+Alt+C</translation>
    </message>
    <message>
        <source>Editing a queued message.</source>
        <translation>Du&#xa0;bearbeitest&#xa0;eine&#xa0;wartende&#xa0;Nachricht.</translation>
    </message>
    <message>
        <source>Broadcast  Ctrl+Shift+B</source>
        <translation>Broadcast  Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Join Broadcast  Ctrl+Alt+B</source>
        <translation>Broadcast beitreten  Ctrl+Alt+B</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>Nachricht…</translation>
    </message>
    <message>
        <source>Enter</source>
        <comment>the key</comment>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>Stoppen  Esc</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>Senden  {keys}</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message numerus="yes">
        <source>The text is %Ln characters long. A message takes {most}.</source>
        <comment>The text is %Ln characters long. A message takes {most}.</comment>
        <translation>
            <numerusform>Der Text ist %Ln Zeichen lang. Eine Nachricht fasst {most}.</numerusform>
            <numerusform>Der Text ist %Ln Zeichen lang. Eine Nachricht fasst {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>File {name}, {about}</source>
        <translation>Datei {name}, {about}</translation>
    </message>
    <message>
        <source>Restore from Backup</source>
        <translation>Aus Backup wiederherstellen</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Backups</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Close Tab</source>
        <translation>Tab schließen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close Others</source>
        <translation>Andere schließen</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>Abtrennen</translation>
    </message>
    <message>
        <source>Unpin (Dock)</source>
        <translation>Loslösen (andocken)</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>Minimieren</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd, d. MMMM yyyy</translation>
    </message>
    <message>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd, d. MMMM</translation>
    </message>
    <message>
        <source>{size} · before an update</source>
        <translation>{size} · vor einem Update</translation>
    </message>
    <message>
        <source>Crash Report</source>
        <translation>Absturzbericht</translation>
    </message>
    <message>
        <source>Stretto had a problem last time</source>
        <translation>Stretto hatte beim letzten Mal ein Problem</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Show File</source>
        <translation>Datei anzeigen</translation>
    </message>
    <message>
        <source>The report can’t be read: {error}</source>
        <translation>Der Bericht kann nicht gelesen werden: {error}</translation>
    </message>
    <message>
        <source>Your chats can’t be read</source>
        <translation>Deine Chats können nicht gelesen werden</translation>
    </message>
    <message>
        <source>Stretto can’t write to your chats</source>
        <translation>Stretto kann nicht in deine Chats schreiben</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>Der Datenträger ist voll</translation>
    </message>
    <message>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation>Der Datenträger mit {place} ist voll. Gib Speicherplatz frei und versuche es dann erneut.</translation>
    </message>
    <message>
        <source>Your chats couldn’t be opened</source>
        <translation>Deine Chats konnten nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Start Empty and Keep the File</source>
        <translation>Leer beginnen und Datei behalten</translation>
    </message>
    <message>
        <source>Use Another Folder…</source>
        <translation>Anderen Ordner verwenden…</translation>
    </message>
    <message>
        <source>Use Another Folder</source>
        <translation>Anderen Ordner verwenden</translation>
    </message>
    <message>
        <source>Your latest changes aren’t saved</source>
        <translation>Deine neuesten Änderungen sind nicht gespeichert</translation>
    </message>
    <message>
        <source>Quit Without Saving</source>
        <translation>Ohne Speichern beenden</translation>
    </message>
    <message>
        <source>About Stretto</source>
        <translation>Über Stretto</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>Version {version}</translation>
    </message>
    <message>
        <source>Licenses…</source>
        <translation>Lizenzen…</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>Webseite (HTML)</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>Reiner Text</translation>
    </message>
    <message>
        <source>Export Chats</source>
        <translation>Chats exportieren</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Als Markdown kopieren</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Seeds</translation>
    </message>
    <message>
        <source>Temperatures</source>
        <translation>Temperaturen</translation>
    </message>
    <message>
        <source>{model} {kept} of {times}</source>
        <translation>{model} {kept} von {times}</translation>
    </message>
    <message>
        <source>Kept so far: {models}</source>
        <translation>Bisher behalten: {models}</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Seed {n}</source>
        <translation>Seed {n}</translation>
    </message>
    <message>
        <source>Temperature {value}</source>
        <translation>Temperatur {value}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>There’s no chat to export yet.</source>
        <translation>Es gibt noch keinen Chat zum Exportieren.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message numerus="yes">
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation>
            <numerusform>{done} von %Ln Chat</numerusform>
            <numerusform>{done} von %Ln Chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The export failed: {name}.</source>
        <translation>Der Export ist fehlgeschlagen: {name}.</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Import Chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <source>Choose Files…</source>
        <translation>Dateien auswählen…</translation>
    </message>
    <message>
        <source>Choose Folder…</source>
        <translation>Ordner auswählen…</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Alle Dateien</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen…</translation>
    </message>
    <message>
        <source>The import failed: {why}.</source>
        <translation>Der Import ist fehlgeschlagen: {why}.</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation>Erkläre {{topic}} für {{audience}} in drei Sätzen.</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Neuer Prompt</translation>
    </message>
    <message>
        <source>There’s no prompt to delete</source>
        <translation>Es gibt keinen Prompt zum Löschen</translation>
    </message>
    <message>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation>Ein Prompt braucht einen Namen. Er heißt noch „{before}“.</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>Tastaturkurzbefehle</translation>
    </message>
    <message>
        <source>{command}: {keys}, changed. Change</source>
        <translation>{command}: {keys}, geändert. Ändern</translation>
    </message>
    <message>
        <source>{command}: {keys}. Change</source>
        <translation>{command}: {keys}. Ändern</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no keys</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>In a chat</source>
        <translation>In einem Chat</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Festlegen</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Deleted chats</source>
        <translation>Gelöschte Chats</translation>
    </message>
    <message>
        <source>Delete Now</source>
        <translation>Jetzt löschen</translation>
    </message>
    <message>
        <source>Empty Trash</source>
        <translation>Papierkorb leeren</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Choose a chat first</source>
        <translation>Wähle zuerst einen Chat</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation>
            <numerusform>Vor %n Tag gelöscht</numerusform>
            <numerusform>Vor %n Tagen gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted yesterday</source>
        <translation>Gestern gelöscht</translation>
    </message>
    <message>
        <source>Deleted today</source>
        <translation>Heute gelöscht</translation>
    </message>
    <message>
        <source>Open Download Page</source>
        <translation>Download-Seite öffnen</translation>
    </message>
    <message>
        <source>Skip This Version</source>
        <translation>Diese Version überspringen</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf dem Datenträger</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>In memory</source>
        <translation>Im Speicher</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>Ressource</translation>
    </message>
    <message>
        <source>Not possible now: {why}</source>
        <translation>Jetzt nicht möglich: {why}</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation>Pfeil nach oben oder unten wählt, Enter öffnet, Esc schließt</translation>
    </message>
    <message>
        <source>Edit Prompts…</source>
        <translation>Prompts bearbeiten…</translation>
    </message>
    <message>
        <source>Write a Prompt…</source>
        <translation>Prompt schreiben…</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>Freier Text</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Schema</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>Auswahl</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation>
            <numerusform>{used} von {limit} Token</numerusform>
            <numerusform>{used} von {limit} Tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation>
            <numerusform>{used} von {limit} Token Kontext</numerusform>
            <numerusform>{used} von {limit} Tokens Kontext</numerusform>
        </translation>
    </message>
    <message>
        <source>Context: {words}</source>
        <translation>Kontext: {words}</translation>
    </message>
    <message>
        <source>Shows four replies to one message, side by side</source>
        <translation>Zeigt vier Antworten auf eine Nachricht nebeneinander</translation>
    </message>
    <message>
        <source>Chat with {name}</source>
        <translation>Mit {name} chatten</translation>
    </message>
    <message>
        <source>New Chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>Kein Chat geöffnet</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>In diesem Chat suchen</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>Schließen  Esc</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} von {count}</translation>
    </message>
    <message>
        <source>Queued until the reply ends. {keys} sends the first one now.</source>
        <translation>In der Warteschlange, bis die Antwort endet. {keys} sendet die erste sofort.</translation>
    </message>
    <message>
        <source>Sends when “{file}” is ready. Esc cancels.</source>
        <translation>Wird gesendet, sobald „{file}“ bereit ist. Esc bricht ab.</translation>
    </message>
    <message>
        <source>Message removed from the queue</source>
        <translation>Nachricht&#xa0;aus&#xa0;der&#xa0;Warteschlange&#xa0;entfernt</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>Laden abbrechen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>Modell: {name}</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Testen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Noch nicht geprüft</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>Nicht bereit</translation>
    </message>
    <message>
        <source>Testing. This takes a minute or more…</source>
        <translation>Der Test läuft. Er dauert eine Minute oder länger…</translation>
    </message>
    <message>
        <source>Starting {hosts}…</source>
        <translation>{hosts} werden gestartet…</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>{bits}-bit, mixed</source>
        <translation>{bits} Bit, gemischt</translation>
    </message>
    <message numerus="yes">
        <source>%n-bit weights</source>
        <comment>%n-bit weights</comment>
        <translation>
            <numerusform>Gewichte mit %n Bit</numerusform>
            <numerusform>Gewichte mit %n Bit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation>
            <numerusform>vor %n Tag</numerusform>
            <numerusform>vor %n Tagen</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d. MMMM</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d. MMMM yyyy</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>Nicht geladen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation>
            <numerusform>%Ln Modell</numerusform>
            <numerusform>%Ln Modelle</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>{size} auf dem Datenträger</translation>
    </message>
    <message>
        <source>draft model {name}</source>
        <translation>Entwurfsmodell {name}</translation>
    </message>
    <message numerus="yes">
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation>
            <numerusform>Kontext %Ln Token</numerusform>
            <numerusform>Kontext %Ln Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message>
        <source>in memory, {size}</source>
        <translation>im Speicher, {size}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>Lizenz {name}</translation>
    </message>
    <message>
        <source>used {when}</source>
        <translation>verwendet {when}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen…</translation>
    </message>
    <message>
        <source>Unloaded</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Unloaded, loads when you send</source>
        <translation>Entladen, wird beim Senden geladen</translation>
    </message>
    <message>
        <source>Loading {share}</source>
        <translation>Lädt {share}</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>wird geladen…</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>nicht geladen</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>Modellordner öffnen…</translation>
    </message>
    <message>
        <source>Manage Models…</source>
        <translation>Modelle verwalten…</translation>
    </message>
    <message>
        <source>Unload a Model…</source>
        <translation>Modell entladen…</translation>
    </message>
    <message>
        <source>Extract Text</source>
        <translation>Text auslesen</translation>
    </message>
    <message>
        <source>Replace the images with the text in them, read by this computer</source>
        <translation>Ersetzt die Bilder durch den Text darin, den dieser Computer ausliest</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory. {error}</source>
        <translation>{name} passt nicht in den Speicher. {error}</translation>
    </message>
    <message>
        <source>{name} couldn’t be loaded. {error}</source>
        <translation>{name} konnte nicht geladen werden. {error}</translation>
    </message>
    <message>
        <source>Queued until the reply ends.</source>
        <translation>In der Warteschlange, bis die Antwort endet.</translation>
    </message>
    <message>
        <source>This reply was deleted.</source>
        <translation>Diese Antwort wurde gelöscht.</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8 Bit</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4 Bit</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Auswählen</translation>
    </message>
    <message>
        <source>Remote</source>
        <comment>of a model that answers on another machine</comment>
        <translation>Remote</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Waiting for {host}</source>
        <translation>Wartet auf Antwort von {host}</translation>
    </message>
    <message>
        <source>Waiting for {host}, {time}</source>
        <translation>Wartet auf Antwort von {host}, {time}</translation>
    </message>
    <message numerus="yes">
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation>
            <numerusform>Nachricht an %n Chat…</numerusform>
            <numerusform>Nachricht an %n Chats…</numerusform>
        </translation>
    </message>
    <message>
        <source>Message {name}…</source>
        <translation>Nachricht an {name}…</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Attach Files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Anhängen</translation>
    </message>
    <message numerus="yes">
        <source>{count} tokens</source>
        <comment>{count} tokens</comment>
        <translation>
            <numerusform>{count} Token</numerusform>
            <numerusform>{count} Tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about {count} tokens</source>
        <comment>about {count} tokens</comment>
        <translation>
            <numerusform>etwa {count} Token</numerusform>
            <numerusform>etwa {count} Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>Noch keine Voreinstellungen</translation>
    </message>
    <message>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation>Um diese Einstellungen zu behalten, wähle „Als Voreinstellung speichern…“</translation>
    </message>
    <message>
        <source>Save as Preset…</source>
        <translation>Als Voreinstellung speichern…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Save as Preset</source>
        <translation>Als Voreinstellung speichern</translation>
    </message>
    <message>
        <source>Rename Preset</source>
        <translation>Voreinstellung umbenennen</translation>
    </message>
    <message>
        <source>Preset “{name}” replaced</source>
        <translation>Voreinstellung „{name}“ ersetzt</translation>
    </message>
    <message>
        <source>Preset renamed to “{name}”</source>
        <translation>Voreinstellung in „{name}“ umbenannt</translation>
    </message>
    <message>
        <source>Preset “{name}” deleted</source>
        <translation>Voreinstellung „{name}“ gelöscht</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation>Typical-p</translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation>XTC-Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>XTC-Schwellenwert</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Präsenzstrafe</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Häufigkeitsstrafe</translation>
    </message>
    <message>
        <source>{name} can’t call tools.</source>
        <translation>{name} kann keine Tools aufrufen.</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Allow Writing</source>
        <translation>Schreiben erlauben</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Modelle suchen</translation>
    </message>
    <message>
        <source>Add Folder…</source>
        <translation>Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Modelle werden gesucht…</translation>
    </message>
    <message>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation>{name} hat sich geändert. Vorher: {before}
Jetzt: {now}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation>
            <numerusform>%Ln Token</numerusform>
            <numerusform>%Ln Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>Seiten von {name}</translation>
    </message>
    <message>
        <source>Page numbers</source>
        <translation>Seitenzahlen</translation>
    </message>
    <message>
        <source>Which pages does the model get?</source>
        <translation>Welche Seiten bekommt das Modell?</translation>
    </message>
    <message>
        <source>Chosen Pages…</source>
        <translation>Ausgewählte Seiten…</translation>
    </message>
    <message>
        <source>Slides of {name}</source>
        <translation>Folien von {name}</translation>
    </message>
    <message>
        <source>Slide numbers</source>
        <translation>Foliennummern</translation>
    </message>
    <message>
        <source>Which slides does the model get?</source>
        <translation>Welche Folien bekommt das Modell?</translation>
    </message>
    <message>
        <source>Chosen Slides…</source>
        <translation>Ausgewählte Folien…</translation>
    </message>
    <message>
        <source>Sheets of {name}</source>
        <translation>Blätter von {name}</translation>
    </message>
    <message>
        <source>Sheet numbers</source>
        <translation>Blattnummern</translation>
    </message>
    <message>
        <source>Which sheets does the model get?</source>
        <translation>Welche Blätter bekommt das Modell?</translation>
    </message>
    <message>
        <source>Chosen Sheets…</source>
        <translation>Ausgewählte Blätter…</translation>
    </message>
    <message>
        <source>Chapters of {name}</source>
        <translation>Kapitel von {name}</translation>
    </message>
    <message>
        <source>Chapter numbers</source>
        <translation>Kapitelnummern</translation>
    </message>
    <message>
        <source>Which chapters does the model get?</source>
        <translation>Welche Kapitel bekommt das Modell?</translation>
    </message>
    <message>
        <source>Chosen Chapters…</source>
        <translation>Ausgewählte Kapitel…</translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln slide.</source>
        <comment>The file has %Ln slides.</comment>
        <translation>
            <numerusform>Die Datei hat %Ln Folie.</numerusform>
            <numerusform>Die Datei hat %Ln Folien.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln sheet.</source>
        <comment>The file has %Ln sheets.</comment>
        <translation>
            <numerusform>Die Datei hat %Ln Blatt.</numerusform>
            <numerusform>Die Datei hat %Ln Blätter.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln chapter.</source>
        <comment>The file has %Ln chapters.</comment>
        <translation>
            <numerusform>Die Datei hat %Ln Kapitel.</numerusform>
            <numerusform>Die Datei hat %Ln Kapitel.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln page.</source>
        <comment>The file has %Ln pages.</comment>
        <translation>
            <numerusform>Die Datei hat %Ln Seite.</numerusform>
            <numerusform>Die Datei hat %Ln Seiten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Text Encoding</source>
        <translation>Textkodierung</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Restart Now</source>
        <translation>Jetzt neu starten</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation>de</translation>
    </message>
    <message>
        <source>{number} s</source>
        <comment>seconds</comment>
        <translation>{number} s</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} min {seconds} s</translation>
    </message>
    <message>
        <source>{number} tok/s</source>
        <comment>tokens a second</comment>
        <translation>{number} Tok/s</translation>
    </message>
    <message>
        <source>{number} GB</source>
        <translation>{number} GB</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number} MB</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number} %</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>als JSON</translation>
    </message>
    <message>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation>erstes Token {time}</translation>
    </message>
    <message numerus="yes">
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation>
            <numerusform>Chats mit %Ln Token würden passen.</numerusform>
            <numerusform>Chats mit %Ln Tokens würden passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>One chat would fit.</source>
        <translation>Ein Chat würde passen.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation>Knapp</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>Zu groß</translation>
    </message>
    <message numerus="yes">
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n Chat</numerusform>
            <numerusform>%n Chats</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>Kontext {tokens}</translation>
    </message>
    <message>
        <source>by {owner}</source>
        <translation>von {owner}</translation>
    </message>
    <message numerus="yes">
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation>
            <numerusform>{count} Download</numerusform>
            <numerusform>{count} Downloads</numerusform>
        </translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Tools</translation>
    </message>
    <message>
        <source>tools</source>
        <comment>after another word</comment>
        <translation>Tools</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation>
            <numerusform>%Ln Download im letzten Monat</numerusform>
            <numerusform>%Ln Downloads im letzten Monat</numerusform>
        </translation>
    </message>
    <message>
        <source>updated {date}</source>
        <translation>aktualisiert: {date}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>zugangsbeschränkt</translation>
    </message>
    <message>
        <source>Using a tool</source>
        <translation>Verwendet ein Tool</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>New chats</source>
        <translation>Neue Chats</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>Wartet auf Freigabe</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>Wartet auf deine Antwort</translation>
    </message>
    <message numerus="yes">
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation>
            <numerusform>In Warteschlange, %n davor</numerusform>
            <numerusform>In Warteschlange, %n davor</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>Wartet auf Speicher</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation>
            <numerusform>Wartet auf Speicher, %n Chat davor</numerusform>
            <numerusform>Wartet auf Speicher, %n Chats davor</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {percent}</source>
        <translation>Liest {percent}</translation>
    </message>
    <message>
        <source>Reading {done} of {total} tokens</source>
        <translation>Liest {done} von {total} Tokens</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>{time} nachgedacht</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation>{number} ms</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation>{size}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation>noch {time}</translation>
    </message>
    <message>
        <source>Converting…</source>
        <translation>Wird konvertiert…</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} h {minutes} min</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Slide {number}</source>
        <translation>Folie {number}</translation>
    </message>
    <message>
        <source>Sheet {number}</source>
        <translation>Blatt {number}</translation>
    </message>
    <message>
        <source>Chapter {number}</source>
        <translation>Kapitel {number}</translation>
    </message>
    <message>
        <source>Page {number}</source>
        <translation>Seite {number}</translation>
    </message>
    <message>
        <source>Use Without Adapter</source>
        <translation>Ohne Adapter verwenden</translation>
    </message>
    <message>
        <source>Edit Message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Copy Code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Nachgedacht</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Tool</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>Das Modell</translation>
    </message>
    <message>
        <source>version {number} of {count}</source>
        <translation>Version {number} von {count}</translation>
    </message>
    <message>
        <source>From reply {letter}. Enter shows it.</source>
        <translation>Aus Antwort {letter}. Enter zeigt sie.</translation>
    </message>
    <message>
        <source>Link, {words}. Enter opens it.</source>
        <translation>Link, {words}. Enter öffnet ihn.</translation>
    </message>
    <message numerus="yes">
        <source>Code, {language}, %Ln line. Enter copies it.</source>
        <comment>Code, {language}, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Code, {language}, %Ln Zeile. Enter kopiert ihn.</numerusform>
            <numerusform>Code, {language}, %Ln Zeilen. Enter kopiert ihn.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %Ln line. Enter copies it.</source>
        <comment>Code, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Code, %Ln Zeile. Enter kopiert ihn.</numerusform>
            <numerusform>Code, %Ln Zeilen. Enter kopiert ihn.</numerusform>
        </translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>{tool} needs your input</source>
        <translation>{tool} braucht deine Eingabe</translation>
    </message>
    <message>
        <source>Allow Once</source>
        <translation>Einmal erlauben</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>The server asked: {question}
You declined.</source>
        <translation>Der Server hat gefragt: {question}
Du hast abgelehnt.</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>Tool</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character</source>
        <comment>%Ln characters</comment>
        <translation>
            <numerusform>%Ln Zeichen</numerusform>
            <numerusform>%Ln Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} · Stopped</source>
        <translation>{tool} · Gestoppt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number} ms</translation>
    </message>
    <message numerus="yes">
        <source>{kept} of %Ln characters</source>
        <comment>{kept} of %Ln characters</comment>
        <translation>
            <numerusform>{kept} von %Ln Zeichen</numerusform>
            <numerusform>{kept} von %Ln Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Deine Nachricht</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>Broadcast is off</source>
        <translation>Broadcast ist aus</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, choose “{command}” in it.</source>
        <translation>Broadcast ist an. Um einen Remote-Chat einzubeziehen, wähle darin „{command}“.</translation>
    </message>
    <message>
        <source>Broadcast is on. Open another chat next to this one.</source>
        <translation>Broadcast ist an. Öffne noch einen Chat neben diesem.</translation>
    </message>
    <message>
        <source>Split Right</source>
        <translation>Nach rechts teilen</translation>
    </message>
    <message>
        <source>Split Down</source>
        <translation>Nach unten teilen</translation>
    </message>
    <message>
        <source>Close Chat</source>
        <translation>Chat schließen</translation>
    </message>
    <message>
        <source>Chat closed</source>
        <translation>Chat geschlossen</translation>
    </message>
    <message>
        <source>Stop All Replies</source>
        <translation>Alle Antworten stoppen</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>Open GGUF File…</source>
        <translation>GGUF-Datei öffnen…</translation>
    </message>
    <message>
        <source>GGUF files</source>
        <translation>GGUF-Dateien</translation>
    </message>
    <message>
        <source>Open GGUF File</source>
        <translation>GGUF-Datei öffnen</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Enter edits the message, Delete removes it</source>
        <translation>Enter&#xa0;bearbeitet&#xa0;die&#xa0;Nachricht,&#xa0;Entf&#xa0;entfernt&#xa0;sie</translation>
    </message>
    <message>
        <source>Edit Message  Enter</source>
        <translation>Nachricht&#xa0;bearbeiten&#xa0;&#xa0;Enter</translation>
    </message>
    <message>
        <source>Remove  Del</source>
        <translation>Entfernen&#xa0;&#xa0;Del</translation>
    </message>
    <message numerus="yes">
        <source>%n file</source>
        <comment>%n files</comment>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Queued message {number}: {text}</source>
        <translation>Wartende&#xa0;Nachricht&#xa0;{number}:&#xa0;{text}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>Wartende&#xa0;Nachrichten</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>{host} wird abgefragt…</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Auswählen…</translation>
    </message>
    <message>
        <source>How models should behave in new chats</source>
        <translation>Wie sich Modelle in neuen Chats verhalten sollen</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird gesucht…</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no draft model</comment>
        <translation>Keines</translation>
    </message>
    <message>
        <source>{name}, {size}</source>
        <translation>{name}, {size}</translation>
    </message>
    <message>
        <source>Model for New Chats</source>
        <translation>Modell für neue Chats</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Enter</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Up, in an empty message</source>
        <translation>Pfeil nach oben, in einer leeren Nachricht</translation>
    </message>
    <message>
        <source>/, in an empty message</source>
        <translation>/, in einer leeren Nachricht</translation>
    </message>
    <message>
        <source>Tab, in the message</source>
        <translation>Tab, in der Nachricht</translation>
    </message>
    <message>
        <source>Delete, in the sidebar</source>
        <translation>Entf, in der Seitenleiste</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Vergleichen…</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>Broadcast</translation>
    </message>
    <message numerus="yes">
        <source>The next message goes to %n chat</source>
        <comment>The next message goes to %n chats</comment>
        <translation>
            <numerusform>Die nächste Nachricht geht an %n Chat</numerusform>
            <numerusform>Die nächste Nachricht geht an %n Chats</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep Broadcast On</source>
        <translation>Broadcast anlassen</translation>
    </message>
    <message>
        <source>Join/Leave Broadcast</source>
        <translation>Broadcast beitreten oder verlassen</translation>
    </message>
    <message>
        <source>{chat} (hidden tab)</source>
        <translation>{chat} (verborgener Tab)</translation>
    </message>
    <message>
        <source>Turn Off</source>
        <translation>Ausschalten</translation>
    </message>
    <message numerus="yes">
        <source>To %n chat ({hidden} in hidden tabs)</source>
        <comment>To %n chats ({hidden} in hidden tabs)</comment>
        <translation>
            <numerusform>An %n Chat ({hidden} in verdeckten Tabs)</numerusform>
            <numerusform>An %n Chats ({hidden} in verdeckten Tabs)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To %n chat</source>
        <comment>To %n chats</comment>
        <translation>
            <numerusform>An %n Chat</numerusform>
            <numerusform>An %n Chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sent to %n chat</source>
        <comment>Sent to %n chats</comment>
        <translation>
            <numerusform>An %n Chat gesendet</numerusform>
            <numerusform>An %n Chats gesendet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat didn’t get this message: {why}</source>
        <comment>%n chats didn’t get this message: {why}</comment>
        <translation>
            <numerusform>%n Chat hat diese Nachricht nicht bekommen: {why}</numerusform>
            <numerusform>%n Chats haben diese Nachricht nicht bekommen: {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{title} – {model}</source>
        <translation>{title} – {model}</translation>
    </message>
    <message>
        <source>Show Report</source>
        <translation>Bericht anzeigen</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
    <message>
        <source>Export Chats…</source>
        <translation>Chats exportieren…</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>„{title}“</translation>
    </message>
    <message>
        <source>Import Chats…</source>
        <translation>Chats importieren…</translation>
    </message>
    <message>
        <source>The import couldn’t be undone: {error}</source>
        <translation>Der Import konnte nicht rückgängig gemacht werden: {error}</translation>
    </message>
    <message numerus="yes">
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation>
            <numerusform>Alle Chats (%Ln)</numerusform>
            <numerusform>Alle %Ln Chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation>
            <numerusform>%Ln Chat importiert</numerusform>
            <numerusform>%Ln Chats importiert</numerusform>
        </translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>Drucken…</translation>
    </message>
    <message>
        <source>Attach Files…</source>
        <translation>Dateien anhängen…</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>Layouts</translation>
    </message>
    <message>
        <source>No layouts yet</source>
        <translation>Noch keine Layouts</translation>
    </message>
    <message>
        <source>Save Layout…</source>
        <translation>Layout speichern…</translation>
    </message>
    <message>
        <source>Save Layout</source>
        <translation>Layout speichern</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Wird gestartet…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Show Log</source>
        <translation>Protokoll anzeigen</translation>
    </message>
    <message>
        <source>{tool} of {server} in “{chat}”</source>
        <translation>{tool} von {server} in „{chat}“</translation>
    </message>
    <message>
        <source>a deleted chat</source>
        <translation>ein gelöschter Chat</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>in {folder}</translation>
    </message>
    <message>
        <source>Layout “{name}” replaced</source>
        <translation>Layout „{name}“ ersetzt</translation>
    </message>
    <message>
        <source>Layout “{name}” saved</source>
        <translation>Layout „{name}“ gespeichert</translation>
    </message>
    <message>
        <source>Rename Layout</source>
        <translation>Layout umbenennen</translation>
    </message>
    <message>
        <source>Layout renamed to “{name}”</source>
        <translation>Layout in „{name}“ umbenannt</translation>
    </message>
    <message>
        <source>Layout “{name}” deleted</source>
        <translation>Layout „{name}“ gelöscht</translation>
    </message>
    <message>
        <source>Layout “{name}” opened</source>
        <translation>Layout „{name}“ geöffnet</translation>
    </message>
    <message>
        <source>Layout “{name}” opened.</source>
        <translation>Layout „{name}“ geöffnet.</translation>
    </message>
    <message numerus="yes">
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation>
            <numerusform>%n anderer Chat geschlossen.</numerusform>
            <numerusform>%n andere Chats geschlossen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Partitur</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation>
            <numerusform>%n wartet auf Speicher</numerusform>
            <numerusform>%n warten auf Speicher</numerusform>
        </translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>Modelle…</translation>
    </message>
    <message>
        <source>Get Model…</source>
        <translation>Modell herunterladen…</translation>
    </message>
    <message>
        <source>{keys} copies text.</source>
        <translation>{keys} kopiert Text.</translation>
    </message>
    <message>
        <source>{keys} cuts text.</source>
        <translation>{keys} schneidet Text aus.</translation>
    </message>
    <message>
        <source>{keys} pastes text.</source>
        <translation>{keys} fügt Text ein.</translation>
    </message>
    <message>
        <source>{keys} selects all text.</source>
        <translation>{keys} wählt den ganzen Text aus.</translation>
    </message>
    <message>
        <source>Command Palette…</source>
        <translation>Befehlspalette…</translation>
    </message>
    <message>
        <source>{menu}: {choice}</source>
        <translation>{menu}: {choice}</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> Zeichen</translation>
    </message>
    <message>
        <source>No message here has other versions.</source>
        <translation>Keine Nachricht hier hat eine andere Version.</translation>
    </message>
    <message>
        <source>“{file}” is still being read.</source>
        <translation>„{file}“ wird noch gelesen.</translation>
    </message>
    <message>
        <source>No message is being edited.</source>
        <translation>Keine Nachricht wird bearbeitet.</translation>
    </message>
    <message>
        <source>Only your own messages can be edited.</source>
        <translation>Nur deine eigenen Nachrichten lassen sich bearbeiten.</translation>
    </message>
    <message>
        <source>There’s no text to copy.</source>
        <translation>Es gibt keinen Text zum Kopieren.</translation>
    </message>
    <message>
        <source>This is the first version.</source>
        <translation>Das ist die erste Version.</translation>
    </message>
    <message>
        <source>This is the last version.</source>
        <translation>Das ist die letzte Version.</translation>
    </message>
    <message>
        <source>Edit Last Message</source>
        <translation>Letzte Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Make Panes Equal</source>
        <translation>Bereiche gleich groß machen</translation>
    </message>
    <message>
        <source>Next Chat</source>
        <translation>Nächster Chat</translation>
    </message>
    <message>
        <source>Previous Chat</source>
        <translation>Vorheriger Chat</translation>
    </message>
    <message>
        <source>This chat is in its own window. Move it back first.</source>
        <translation>Dieser Chat hat ein eigenes Fenster. Bewege ihn zuerst zurück.</translation>
    </message>
    <message>
        <source>There’s no pane after this one</source>
        <translation>Nach diesem Bereich kommt kein weiterer</translation>
    </message>
    <message>
        <source>There’s no pane before this one</source>
        <translation>Vor diesem Bereich kommt kein weiterer</translation>
    </message>
    <message>
        <source>There’s no other pane next to this one</source>
        <translation>Neben diesem Bereich ist kein anderer</translation>
    </message>
    <message>
        <source>Prompts…</source>
        <translation>Prompts…</translation>
    </message>
    <message>
        <source>Save Message as Prompt…</source>
        <translation>Nachricht als Prompt speichern…</translation>
    </message>
    <message>
        <source>Quick Question</source>
        <translation>Schnellfrage</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <source>Search All Chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Rename Chat</source>
        <translation>Chat umbenennen</translation>
    </message>
    <message>
        <source>Move Chat to Folder…</source>
        <translation>Chat in Ordner bewegen…</translation>
    </message>
    <message numerus="yes">
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation>
            <numerusform>Chat angeheftet</numerusform>
            <numerusform>{count} Chats angeheftet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation>
            <numerusform>Chat in „{folder}“ bewegt</numerusform>
            <numerusform>{count} Chats in „{folder}“ bewegt</numerusform>
        </translation>
    </message>
    <message>
        <source>New Folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message numerus="yes">
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation>
            <numerusform>Tags des Chats geändert</numerusform>
            <numerusform>Tags von {count} Chats geändert</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder moved</source>
        <translation>Ordner bewegt</translation>
    </message>
    <message>
        <source>Move to Folder</source>
        <translation>In Ordner bewegen</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>what is done with a chat</comment>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>New Folder…</source>
        <translation>Neuer Ordner…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen…</translation>
    </message>
    <message>
        <source>Delete Folder</source>
        <translation>Ordner löschen</translation>
    </message>
    <message>
        <source>Restore from Backup…</source>
        <translation>Aus Backup wiederherstellen…</translation>
    </message>
    <message>
        <source>{title}, waits for your answer</source>
        <translation>{title}, wartet auf deine Antwort</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>{title} schließen</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>Menü  F10</translation>
    </message>
    <message>
        <source>Show Stretto</source>
        <translation>Stretto anzeigen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Convert…</source>
        <translation>Konvertieren…</translation>
    </message>
    <message>
        <source>Show in Folder</source>
        <translation>Im Ordner anzeigen</translation>
    </message>
    <message>
        <source>Add Adapter…</source>
        <translation>Adapter hinzufügen…</translation>
    </message>
    <message>
        <source>Draft Model…</source>
        <translation>Entwurfsmodell…</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>In den Papierkorb legen</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>Wähle zuerst ein Modell</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Cancel Loading</source>
        <translation>Laden abbrechen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Loslösen</translation>
    </message>
    <message>
        <source>Try Now</source>
        <translation>Jetzt versuchen</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <source>“{name}” is too long. Read its last messages only.</source>
        <translation>„{name}“ ist zu lang. Lies nur die letzten Nachrichten.</translation>
    </message>
    <message>
        <source>“{name}” can’t be read.</source>
        <translation>„{name}“ kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>“{name}” is attached in part: {pages} of {count}. Open one of them to choose others.</source>
        <translation>„{name}“ ist teilweise angehängt: {pages} von {count}. Öffne eine davon, um andere zu wählen.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add its image or its text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text. Open the file to add their images or their text.</comment>
        <translation>
            <numerusform>%Ln von {count} Seiten von „{name}“ ist ein Scan ohne Text. Öffne die Datei, um ihr Bild oder ihren Text hinzuzufügen.</numerusform>
            <numerusform>%Ln von {count} Seiten von „{name}“ sind Scans ohne Text. Öffne die Datei, um ihre Bilder oder ihren Text hinzuzufügen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text.</comment>
        <translation>
            <numerusform>%Ln von {count} Seiten von „{name}“ ist ein Scan ohne Text.</numerusform>
            <numerusform>%Ln von {count} Seiten von „{name}“ sind Scans ohne Text.</numerusform>
        </translation>
    </message>
    <message>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation>Text</translation>
    </message>
    <message>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation>Code</translation>
    </message>
    <message>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation>Webseite</translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned</source>
        <comment>%Ln scanned</comment>
        <translation>
            <numerusform>%Ln gescannt</numerusform>
            <numerusform>%Ln gescannt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage</source>
        <comment>%Ln passages</comment>
        <translation>
            <numerusform>%Ln Stelle</numerusform>
            <numerusform>%Ln Stellen</numerusform>
        </translation>
    </message>
    <message>
        <source>{passages} from {pages}</source>
        <translation>{passages} aus {pages}</translation>
    </message>
    <message>
        <source>the first {share}</source>
        <comment>of a file</comment>
        <translation>die ersten {share}</translation>
    </message>
    <message numerus="yes">
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation>
            <numerusform>Teil {numbers}</numerusform>
            <numerusform>Teile {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation>
            <numerusform>Folie {numbers}</numerusform>
            <numerusform>Folien {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation>
            <numerusform>Blatt {numbers}</numerusform>
            <numerusform>Blätter {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation>
            <numerusform>Kapitel {numbers}</numerusform>
            <numerusform>Kapitel {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation>
            <numerusform>Seite {numbers}</numerusform>
            <numerusform>Seiten {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln slide</source>
        <comment>%Ln slides</comment>
        <translation>
            <numerusform>%Ln Folie</numerusform>
            <numerusform>%Ln Folien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sheet</source>
        <comment>%Ln sheets</comment>
        <translation>
            <numerusform>%Ln Blatt</numerusform>
            <numerusform>%Ln Blätter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chapter</source>
        <comment>%Ln chapters</comment>
        <translation>
            <numerusform>%Ln Kapitel</numerusform>
            <numerusform>%Ln Kapitel</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page</source>
        <comment>%Ln pages</comment>
        <translation>
            <numerusform>%Ln Seite</numerusform>
            <numerusform>%Ln Seiten</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} of {limit} tokens</source>
        <translation>{tokens} von {limit} Tokens</translation>
    </message>
    <message>
        <source>The engine has stopped.</source>
        <translation>Die Engine wurde gestoppt.</translation>
    </message>
    <message>
        <source>The model couldn’t be loaded.</source>
        <translation>Das Modell konnte nicht geladen werden.</translation>
    </message>
    <message>
        <source>The chat was closed.</source>
        <translation>Der Chat wurde geschlossen.</translation>
    </message>
    <message>
        <source>Chat {name}</source>
        <translation>Chat {name}</translation>
    </message>
    <message>
        <source>Attached: {file}</source>
        <translation>Angehängt: {file}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>der Datenträger ist voll</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>etwa {size}</translation>
    </message>
    <message numerus="yes">
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>einen Chat</numerusform>
            <numerusform>%n Chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>Die Liste ist leer.</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>Zeile {line}, Spalte {column}</translation>
    </message>
    <message>
        <source>The schema is nested too deeply.</source>
        <translation>Das Schema ist zu tief verschachtelt.</translation>
    </message>
    <message>
        <source>In {place}</source>
        <translation>In {place}</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>Das Muster ist leer.</translation>
    </message>
    <message>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation>Bei Zeichen {n}: Auf den Backslash folgt nichts.</translation>
    </message>
    <message>
        <source>At character {n}</source>
        <translation>Bei Zeichen {n}</translation>
    </message>
    <message>
        <source>{file}: the archive is damaged.</source>
        <translation>{file}: Das Archiv ist beschädigt.</translation>
    </message>
    <message numerus="yes">
        <source>Only the first %Ln file was read.</source>
        <comment>Only the first %Ln files were read.</comment>
        <translation>
            <numerusform>Nur %Ln Datei wurde gelesen.</numerusform>
            <numerusform>Nur die ersten %Ln Dateien wurden gelesen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation>
            <numerusform>%Ln Nachricht</numerusform>
            <numerusform>%Ln Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>The model couldn’t be loaded ({why}).</source>
        <translation>Das Modell konnte nicht geladen werden ({why}).</translation>
    </message>
    <message>
        <source>{field}: choose at most {most}.</source>
        <translation>{field}: höchstens {most} auswählen.</translation>
    </message>
    <message>
        <source>{field}: at most {most} characters.</source>
        <translation>{field}: höchstens {most} Zeichen.</translation>
    </message>
    <message>
        <source>{field}: choose from the list.</source>
        <translation>{field}: aus der Liste auswählen.</translation>
    </message>
    <message>
        <source>{field}: choose at least {least}.</source>
        <translation>{field}: mindestens {least} auswählen.</translation>
    </message>
    <message>
        <source>{field}: at least {least} characters.</source>
        <translation>{field}: mindestens {least} Zeichen.</translation>
    </message>
    <message>
        <source>{field}: a whole number.</source>
        <translation>{field}: eine ganze Zahl.</translation>
    </message>
    <message>
        <source>{field}: a number.</source>
        <translation>{field}: eine Zahl.</translation>
    </message>
    <message>
        <source>{field}: at least {least}.</source>
        <translation>{field}: mindestens {least}.</translation>
    </message>
    <message>
        <source>{field}: at most {most}.</source>
        <translation>{field}: höchstens {most}.</translation>
    </message>
    <message>
        <source>{server} asked with a form that can’t be shown: {why}.</source>
        <translation>{server} hat mit einem Formular gefragt, das sich nicht anzeigen lässt: {why}.</translation>
    </message>
    <message>
        <source>Add Model Folder</source>
        <translation>Modellordner hinzufügen</translation>
    </message>
    <message>
        <source>Add an Adapter to {name}</source>
        <translation>Adapter zu {name} hinzufügen</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Konvertieren</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>Download von {name}</translation>
    </message>
    <message>
        <source>Remove from List</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message numerus="yes">
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation>
            <numerusform>%n Modell gefunden</numerusform>
            <numerusform>%n Modelle gefunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>Heruntergeladen</translation>
    </message>
    <message>
        <source>Gated</source>
        <comment>a model</comment>
        <translation>Zugangsbeschränkt</translation>
    </message>
    <message>
        <source>Can’t be loaded</source>
        <translation>Kann nicht geladen werden</translation>
    </message>
    <message numerus="yes">
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation>
            <numerusform>Für Chats bis %Ln Token laden</numerusform>
            <numerusform>Für Chats bis %Ln Tokens laden</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {name} instead</source>
        <translation>Stattdessen {name} verwenden</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>{name} entladen</translation>
    </message>
    <message>
        <source>Unload {names} and {last}</source>
        <translation>{names} und {last} entladen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory</source>
        <translation>{name} passt nicht in den Speicher</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Number of chats</source>
        <translation>Anzahl der Chats</translation>
    </message>
    <message>
        <source>{bits}-bit</source>
        <translation>{bits} Bit</translation>
    </message>
    <message>
        <source>at {revision}</source>
        <translation>Revision {revision}</translation>
    </message>
    <message>
        <source>Get Model</source>
        <translation>Modell herunterladen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>{name} aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>Chats und Einstellungen</translation>
    </message>
    <message>
        <source>Show the chats and settings folder</source>
        <translation>Ordner mit Chats und Einstellungen anzeigen</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>Show the logs folder</source>
        <translation>Ordner mit Protokollen anzeigen</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Kontrast</translation>
    </message>
    <message>
        <source> px</source>
        <translation> px</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>Editoren</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Copy for {name}</source>
        <translation>Für {name} kopieren</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>The keys can’t be read: {error}.</source>
        <translation>Die Schlüssel können nicht gelesen werden: {error}.</translation>
    </message>
    <message>
        <source>New Key…</source>
        <translation>Neuer Schlüssel…</translation>
    </message>
    <message>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d. MMMM yyyy</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <source>Revoke the key {name}</source>
        <translation>Schlüssel {name} widerrufen</translation>
    </message>
    <message>
        <source>New Key</source>
        <translation>Neuer Schlüssel</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>Dieser Desktop hat keinen Infobereich.</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archiv</translation>
    </message>
    <message numerus="yes">
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation>
            <numerusform>%n verbunden</numerusform>
            <numerusform>%n verbunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <comment>%n more</comment>
        <translation>
            <numerusform>%n weiterer</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Since Yesterday</source>
        <translation>Seit gestern</translation>
    </message>
    <message>
        <source>Before This Year</source>
        <translation>Vor diesem Jahr</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>archived chats</source>
        <translation>archivierte Chats</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation>
            <numerusform>%Ln Chat</numerusform>
            <numerusform>%Ln Chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The backup couldn’t be restored. {why}</source>
        <translation>Das Backup konnte nicht wiederhergestellt werden. {why}</translation>
    </message>
    <message>
        <source>waits for your answer</source>
        <translation>wartet auf deine Antwort</translation>
    </message>
    <message>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation>offen</translation>
    </message>
    <message>
        <source>tagged {tags}</source>
        <translation>Tags: {tags}</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Tags, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field} (optional)</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} bis {most}</translation>
    </message>
    <message>
        <source>at least {least}</source>
        <translation>mindestens {least}</translation>
    </message>
    <message>
        <source>at most {most}</source>
        <translation>höchstens {most}</translation>
    </message>
    <message>
        <source>4 bits: the usual choice</source>
        <translation>4 Bit: die übliche Wahl</translation>
    </message>
    <message>
        <source>6 bits: closer to the original</source>
        <translation>6 Bit: näher am Original</translation>
    </message>
    <message>
        <source>4 and 6 bits: more where it matters</source>
        <translation>4 und 6 Bit: mehr, wo es darauf ankommt</translation>
    </message>
    <message>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation>3 und 6 Bit: so klein wie 4, mehr, wo es darauf ankommt</translation>
    </message>
    <message>
        <source>3 and 4 bits: the smallest</source>
        <translation>3 und 4 Bit: am kleinsten</translation>
    </message>
    <message>
        <source>That folder</source>
        <translation>Dieser Ordner</translation>
    </message>
    <message>
        <source>using a tool</source>
        <translation>verwendet ein Tool</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation>{rate} gelesen</translation>
    </message>
    <message>
        <source>models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>helper processes</source>
        <translation>Hilfsprozesse</translation>
    </message>
    <message>
        <source>Send  Enter</source>
        <translation>Senden  Enter</translation>
    </message>
    <message>
        <source>Open Link</source>
        <translation>Link öffnen</translation>
    </message>
    <message>
        <source>Blocked because this link doesn’t lead to a web page.</source>
        <translation>Blockiert, weil dieser Link nicht zu einer Webseite führt.</translation>
    </message>
    <message>
        <source>Blocked because this link hides where it leads.</source>
        <translation>Blockiert, weil dieser Link verbirgt, wohin er führt.</translation>
    </message>
    <message>
        <source>Open this address at {place} outside Stretto?</source>
        <translation>Diese Adresse bei {place} außerhalb von Stretto öffnen?</translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation>
            <numerusform>(%Ln weiteres Zeichen)</numerusform>
            <numerusform>(%Ln weitere Zeichen)</numerusform>
        </translation>
    </message>
    <message>
        <source>Use Prompt</source>
        <translation>Prompt verwenden</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>Ressourcen</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>{tool} läuft</translation>
    </message>
    <message numerus="yes">
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation>
            <numerusform>%n Tool läuft</numerusform>
            <numerusform>%n Tools laufen</numerusform>
        </translation>
    </message>
    <message>
        <source>step {step}</source>
        <translation>Schritt {step}</translation>
    </message>
    <message>
        <source>An address has no spaces and at most 500 characters.</source>
        <translation>Eine Adresse hat keine Leerzeichen und höchstens 500 Zeichen.</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>Eine Adresse beginnt mit https:// oder http://.</translation>
    </message>
    <message>
        <source>{host} doesn’t allow this with your key. Ask for access there, or use another key.</source>
        <translation>{host} erlaubt das mit deinem Schlüssel nicht. Bitte dort um Zugang oder verwende einen anderen Schlüssel.</translation>
    </message>
    <message>
        <source>No models are listed at {address}. Check the address: it often ends in /v1.</source>
        <translation>Unter {address} sind keine Modelle aufgeführt. Prüfe die Adresse: Oft endet sie auf /v1.</translation>
    </message>
    <message>
        <source>{host} isn’t ready.</source>
        <translation>{host} ist nicht bereit.</translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n second.</source>
        <comment>Try again in %n seconds.</comment>
        <translation>
            <numerusform>Versuche es in %n Sekunde erneut.</numerusform>
            <numerusform>Versuche es in %n Sekunden erneut.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n minute.</source>
        <comment>Try again in %n minutes.</comment>
        <translation>
            <numerusform>Versuche es in %n Minute erneut.</numerusform>
            <numerusform>Versuche es in %n Minuten erneut.</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again in a few hours.</source>
        <translation>Versuche es in einigen Stunden erneut.</translation>
    </message>
    <message>
        <source>Try again tomorrow.</source>
        <translation>Versuche es morgen erneut.</translation>
    </message>
    <message>
        <source>{host} sent something that can’t be read. Check the address, or try again.</source>
        <translation>{host} hat etwas Unlesbares gesendet. Prüfe die Adresse oder versuche es erneut.</translation>
    </message>
    <message>
        <source>Couldn’t connect to {host} ({why}). Check that the server is running and the address is right.</source>
        <translation>Keine Verbindung zu {host} ({why}). Prüfe, ob der Server läuft und die Adresse stimmt.</translation>
    </message>
    <message>
        <source>A model at an address, such as vLLM, llama.cpp or another Stretto</source>
        <translation>Ein Modell unter einer Adresse, etwa vLLM, llama.cpp oder ein anderes Stretto</translation>
    </message>
    <message>
        <source>No suggestions</source>
        <translation>Keine Vorschläge</translation>
    </message>
    <message>
        <source>Add to Dictionary</source>
        <translation>Zum Wörterbuch hinzufügen</translation>
    </message>
    <message>
        <source>Ignore</source>
        <comment>a misspelt word</comment>
        <translation>Ignorieren</translation>
    </message>
    <message>
        <source>Questions, reasoning and tools</source>
        <translation>Fragen, Nachdenken und Tools</translation>
    </message>
    <message>
        <source>Many languages, short texts</source>
        <translation>Viele Sprachen, kurze Texte</translation>
    </message>
    <message>
        <source>Fast replies, room for more chats</source>
        <translation>Schnelle Antworten, Platz für mehr Chats</translation>
    </message>
    <message>
        <source>Reasoning, code and tools</source>
        <translation>Nachdenken, Code und Tools</translation>
    </message>
    <message>
        <source>Writing and many languages</source>
        <translation>Schreiben und viele Sprachen</translation>
    </message>
    <message>
        <source>Reliable replies, room for more chats</source>
        <translation>Verlässliche Antworten, Platz für mehr Chats</translation>
    </message>
    <message>
        <source>Reasoning and tools, fast</source>
        <translation>Nachdenken und Tools, schnell</translation>
    </message>
    <message>
        <source>Reasoning and code, more accurate</source>
        <translation>Nachdenken und Code, genauer</translation>
    </message>
    <message>
        <source>Code, hard questions and tools</source>
        <translation>Code, schwierige Fragen und Tools</translation>
    </message>
    <message>
        <source>Writing, many languages, fast</source>
        <translation>Schreiben, viele Sprachen, schnell</translation>
    </message>
    <message>
        <source>Reasoning, tools, room for more chats</source>
        <translation>Nachdenken, Tools, Platz für mehr Chats</translation>
    </message>
    <message>
        <source>Code and tools, very fast</source>
        <translation>Code und Tools, sehr schnell</translation>
    </message>
    <message>
        <source>Writing, languages, hard questions</source>
        <translation>Schreiben, Sprachen, schwierige Fragen</translation>
    </message>
    <message>
        <source>Code and tools, more accurate</source>
        <translation>Code und Tools, genauer</translation>
    </message>
    <message>
        <source>Code in long contexts</source>
        <translation>Programmieren mit langen Texten</translation>
    </message>
    <message>
        <source>Long texts, very fast</source>
        <translation>Lange Texte, sehr schnell</translation>
    </message>
    <message>
        <source>Code, tools, room for more chats</source>
        <translation>Code, Tools, Platz für mehr Chats</translation>
    </message>
    <message>
        <source>Reasoning with adjustable effort</source>
        <translation>Nachdenken mit wählbarem Aufwand</translation>
    </message>
    <message>
        <source>Hard questions, code, many languages</source>
        <translation>Schwierige Fragen, Code, viele Sprachen</translation>
    </message>
    <message>
        <source>Hard questions, code, more accurate</source>
        <translation>Schwierige Fragen, Code, genauer</translation>
    </message>
    <message>
        <source>This network can’t be searched ({why}).</source>
        <translation>Dieses Netzwerk kann nicht durchsucht werden ({why}).</translation>
    </message>
    <message>
        <source>Look for Stretto on this network</source>
        <translation>Stretto in diesem Netzwerk suchen</translation>
    </message>
    <message>
        <source>Found on this network</source>
        <translation>In diesem Netzwerk gefunden</translation>
    </message>
    <message>
        <source>{name} has no draft model. {why}</source>
        <translation>{name} hat kein Entwurfsmodell. {why}</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>Default {value}</source>
        <translation>Standard: {value}</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>Modellstandard</translation>
    </message>
    <message>
        <source>Menu bar icon</source>
        <translation>Symbol in der Menüleiste</translation>
    </message>
    <message>
        <source>System tray icon</source>
        <translation>Symbol im Infobereich</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>Nachrichten senden mit</translation>
    </message>
    <message>
        <source>Attach long pastes as files</source>
        <translation>Lange Einfügungen als Datei anhängen</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>Rechtschreibung prüfen</translation>
    </message>
    <message>
        <source>Notify about long replies</source>
        <translation>Über lange Antworten benachrichtigen</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastaturkurzbefehle</translation>
    </message>
    <message>
        <source>Check for updates daily</source>
        <translation>Täglich nach Updates suchen</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Interface zoom</source>
        <translation>Zoom der Oberfläche</translation>
    </message>
    <message>
        <source>Message text size</source>
        <translation>Textgröße der Nachrichten</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>Bewegung reduzieren</translation>
    </message>
    <message>
        <source>Name chats automatically</source>
        <translation>Chats automatisch benennen</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Speicherlimit</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>Inaktive Modelle entladen nach</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>Lokale API</translation>
    </message>
    <message>
        <source>Local API server</source>
        <translation>Lokaler API-Server</translation>
    </message>
    <message>
        <source>Require a key</source>
        <translation>Schlüssel verlangen</translation>
    </message>
    <message>
        <source>Allow other computers</source>
        <translation>Andere Computer zulassen</translation>
    </message>
    <message>
        <source>Copy setup for</source>
        <translation>Konfiguration kopieren für</translation>
    </message>
    <message>
        <source>Allowed origins (CORS)</source>
        <translation>Erlaubte Ursprünge (CORS)</translation>
    </message>
    <message>
        <source>Concurrent sessions</source>
        <translation>Gleichzeitige Sitzungen</translation>
    </message>
    <message>
        <source>Close the oldest session when full</source>
        <translation>Älteste Sitzung schließen, wenn voll</translation>
    </message>
    <message>
        <source>Concurrent requests (per key)</source>
        <translation>Gleichzeitige Anfragen (je Schlüssel)</translation>
    </message>
    <message>
        <source>Requests per minute (per key)</source>
        <translation>Anfragen pro Minute (je Schlüssel)</translation>
    </message>
    <message>
        <source>Unload models used only by clients after</source>
        <translation>Nur von Clients verwendete Modelle entladen nach</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>Tool-Server (MCP)</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Cached context on disk</source>
        <translation>Kontext-Cache auf Datenträger</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Found settings</source>
        <translation>Gefundene Einstellungen</translation>
    </message>
    <message>
        <source>Restarts Stretto in this language. Replies stop.</source>
        <translation>Startet Stretto in dieser Sprache neu. Antworten werden gestoppt.</translation>
    </message>
    <message>
        <source>Keyboard language</source>
        <translation>Tastatursprache</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>Verwalten…</translation>
    </message>
    <message>
        <source>Programs that give models more tools</source>
        <translation>Programme, die Modellen weitere Tools geben</translation>
    </message>
    <message>
        <source>Customize…</source>
        <translation>Anpassen…</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>When a reply ends while Stretto is in the background</source>
        <translation>Wenn eine Antwort fertig wird, während Stretto im Hintergrund ist</translation>
    </message>
    <message>
        <source>The chat’s model suggests a name. Names you set are kept.</source>
        <translation>Das Modell des Chats schlägt einen Namen vor. Eigene Namen bleiben.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>For models and chats. Takes effect after a restart.</source>
        <translation>Für Modelle und Chats. Gilt nach einem Neustart.</translation>
    </message>
    <message>
        <source>Lets chats resume right away. Takes effect after a restart.</source>
        <translation>Chats werden sofort fortgesetzt. Gilt nach einem Neustart.</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Wiederherstellen…</translation>
    </message>
    <message>
        <source>Show the caches folder</source>
        <translation>Cache-Ordner anzeigen</translation>
    </message>
    <message>
        <source>Check Now</source>
        <translation>Jetzt suchen</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>Suche läuft…</translation>
    </message>
    <message>
        <source>Stretto is up to date.</source>
        <translation>Stretto ist auf dem neuesten Stand.</translation>
    </message>
    <message>
        <source>Stretto {version} is available.</source>
        <translation>Stretto {version} ist verfügbar.</translation>
    </message>
    <message>
        <source>Settings, {page}</source>
        <translation>Einstellungen, {page}</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Limits</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no web page</comment>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Such as https://example.org, separated by spaces</source>
        <translation>Etwa https://example.org, durch Leerzeichen getrennt</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no session</comment>
        <translation>Keine</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Kein Limit</translation>
    </message>
    <message>
        <source>There is nothing to clear.</source>
        <translation>Es gibt nichts zu löschen.</translation>
    </message>
    <message>
        <source>Share per client</source>
        <translation>Anteil pro Client</translation>
    </message>
    <message>
        <source>Quick access</source>
        <translation>Schnellzugriff</translation>
    </message>
    <message>
        <source>Copy a terminal command</source>
        <translation>Befehl fürs Terminal kopieren</translation>
    </message>
    <message>
        <source>Copy environment variables for editors and agents</source>
        <translation>Umgebungsvariablen für Editoren und Agenten kopieren</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Zugriff</translation>
    </message>
    <message numerus="yes">
        <source>Running at {address}, %n client</source>
        <comment>Running at {address}, %n clients</comment>
        <translation>
            <numerusform>Läuft unter {address}, %n Client</numerusform>
            <numerusform>Läuft unter {address}, %n Clients</numerusform>
        </translation>
    </message>
    <message>
        <source>Running at {address}, no clients</source>
        <translation>Läuft unter {address}, keine Clients</translation>
    </message>
    <message>
        <source>Turn on the local API first.</source>
        <translation>Schalte zuerst die lokale API ein.</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>erstellt am {date}</translation>
    </message>
    <message>
        <source>Clients that use it lose access. This can’t be undone.</source>
        <translation>Clients mit diesem Schlüssel verlieren den Zugriff. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>The key couldn’t be changed: {error}.</source>
        <translation>Der Schlüssel konnte nicht geändert werden: {error}.</translation>
    </message>
    <message>
        <source>Copied. Replace “your-key” with your key.</source>
        <translation>Kopiert. Ersetze „your-key“ durch deinen Schlüssel.</translation>
    </message>
    <message>
        <source>Copy the key for “{name}” now. You won’t see it again.</source>
        <translation>Kopiere den Schlüssel für „{name}“ jetzt. Er wird nicht noch einmal angezeigt.</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Neuer Schlüssel</translation>
    </message>
    <message>
        <source>Maximum zoom reached</source>
        <translation>Maximaler Zoom erreicht</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Minimum zoom reached</source>
        <translation>Minimaler Zoom erreicht</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Actual Size</source>
        <translation>Originalgröße</translation>
    </message>
    <message>
        <source>Zoom: {zoom}</source>
        <translation>Zoom: {zoom}</translation>
    </message>
    <message>
        <source>Spelling is off. Turn it on in Settings &gt; General.</source>
        <translation>Die Rechtschreibprüfung ist aus. Schalte sie unter Einstellungen &gt; Allgemein ein.</translation>
    </message>
    <message>
        <source>Next Misspelling</source>
        <translation>Nächster Rechtschreibfehler</translation>
    </message>
    <message>
        <source>Multiple Computers</source>
        <translation>Mehrere Computer</translation>
    </message>
    <message>
        <source>Frees memory. Its chats load it again when you send.</source>
        <translation>Gibt Speicher frei. Seine Chats laden es beim Senden wieder.</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Es ist kein Modell geladen</translation>
    </message>
    <message>
        <source>No other model is loaded.</source>
        <translation>Es ist kein anderes Modell geladen.</translation>
    </message>
    <message>
        <source>{name} unloaded</source>
        <translation>{name} entladen</translation>
    </message>
    <message>
        <source>Add Folder for Tools</source>
        <translation>Ordner für Tools hinzufügen</translation>
    </message>
    <message>
        <source>{name} couldn’t reply.</source>
        <translation>{name} konnte nicht antworten.</translation>
    </message>
    <message>
        <source>{name} has replied.</source>
        <translation>{name} hat geantwortet.</translation>
    </message>
    <message>
        <source>No room for another pane. The chat opened as a tab.</source>
        <translation>Kein Platz für einen weiteren Bereich. Der Chat wurde als Tab geöffnet.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, run this command from the Shortcuts app.</source>
        <translation>Für einen systemweiten Kurzbefehl zur Schnellfrage führe diesen Befehl in der App „Kurzbefehle“ aus.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, add this command in your system’s keyboard settings.</source>
        <translation>Für einen systemweiten Kurzbefehl zur Schnellfrage füge diesen Befehl in den Tastatureinstellungen deines Systems hinzu.</translation>
    </message>
    <message>
        <source>Ask the Guide</source>
        <translation>Den Guide fragen</translation>
    </message>
    <message>
        <source>This chat is in the Trash.</source>
        <translation>Dieser Chat liegt im Papierkorb.</translation>
    </message>
    <message>
        <source>This is an older version of the chat.</source>
        <translation>Das ist eine ältere Version des Chats.</translation>
    </message>
    <message>
        <source>The chat now shows another version.</source>
        <translation>Der Chat zeigt jetzt eine andere Version.</translation>
    </message>
    <message>
        <source>Switch Back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>That message is in another version. Wait until the reply has ended.</source>
        <translation>Diese Nachricht gehört zu einer anderen Version. Warte, bis die Antwort fertig ist.</translation>
    </message>
    <message>
        <source>No model is replying</source>
        <translation>Kein Modell antwortet gerade</translation>
    </message>
    <message numerus="yes">
        <source>%n reply stopped</source>
        <comment>%n replies stopped</comment>
        <translation>
            <numerusform>%n Antwort gestoppt</numerusform>
            <numerusform>%n Antworten gestoppt</numerusform>
        </translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Send after the reply</source>
        <translation>Nach&#xa0;der&#xa0;Antwort&#xa0;senden</translation>
    </message>
    <message>
        <source>Enter, during the reply</source>
        <translation>Enter,&#xa0;während&#xa0;der&#xa0;Antwort</translation>
    </message>
    <message>
        <source>Remove queued message</source>
        <translation>Wartende&#xa0;Nachricht&#xa0;entfernen</translation>
    </message>
    <message>
        <source>Delete, on the message</source>
        <translation>Entf,&#xa0;auf&#xa0;der&#xa0;Nachricht</translation>
    </message>
    <message>
        <source>Stop reply</source>
        <translation>Antwort stoppen</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>Letzte Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Insert prompt</source>
        <translation>Prompt einfügen</translation>
    </message>
    <message>
        <source>Next prompt variable</source>
        <translation>Nächste Variable des Prompts</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>Anhang entfernen</translation>
    </message>
    <message>
        <source>Delete, on the attachment</source>
        <translation>Entf, auf dem Anhang</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>Chat löschen</translation>
    </message>
    <message>
        <source>Delete message and all after it</source>
        <translation>Nachricht und alle folgenden löschen</translation>
    </message>
    <message>
        <source>Delete, on a message</source>
        <translation>Entf, auf einer Nachricht</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>Vorherige oder nächste Nachricht</translation>
    </message>
    <message>
        <source>Up or Down, on a message</source>
        <translation>Pfeil nach oben oder unten, auf einer Nachricht</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>Aktionen für Nachrichten</translation>
    </message>
    <message>
        <source>Tab, on a message</source>
        <translation>Tab, auf einer Nachricht</translation>
    </message>
    <message>
        <source>Scroll code sideways</source>
        <translation>Code seitlich scrollen</translation>
    </message>
    <message>
        <source>Left or Right, on a message</source>
        <translation>Pfeil nach links oder rechts, auf einer Nachricht</translation>
    </message>
    <message>
        <source>Code menu</source>
        <translation>Menü für Code</translation>
    </message>
    <message>
        <source>Shift+F10, on a message</source>
        <translation>Umschalt+F10, auf einer Nachricht</translation>
    </message>
    <message>
        <source>Pause or resume reply</source>
        <translation>Antwort pausieren oder fortsetzen</translation>
    </message>
    <message>
        <source>Space (in the score)</source>
        <translation>Leertaste (in der Partitur)</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>{size} im Speicher</translation>
    </message>
    <message>
        <source>Something went wrong. Your last action may not have taken effect.</source>
        <translation>Etwas ist schiefgegangen. Deine letzte Aktion wurde möglicherweise nicht ausgeführt.</translation>
    </message>
    <message>
        <source>The file with your chats is damaged, and nothing more can be saved in it. Quit Stretto and open it again to recover what can be read.</source>
        <translation>Die Datei mit deinen Chats ist beschädigt, und es kann nichts mehr darin gespeichert werden. Beende Stretto und öffne es erneut, um alles Lesbare zu retten.</translation>
    </message>
    <message>
        <source>All changes are saved.</source>
        <translation>Alle Änderungen sind gespeichert.</translation>
    </message>
    <message numerus="yes">
        <source>Selected chat</source>
        <comment>%Ln selected chats</comment>
        <translation>
            <numerusform>Ausgewählter Chat</numerusform>
            <numerusform>%Ln ausgewählte Chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat exported to “{file}”</source>
        <comment>%Ln chats exported to “{file}”</comment>
        <translation>
            <numerusform>Chat nach „{file}“ exportiert</numerusform>
            <numerusform>%Ln Chats nach „{file}“ exportiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed chat moved to the Trash</source>
        <comment>%Ln changed chats moved to the Trash</comment>
        <translation>
            <numerusform>%Ln geänderter Chat in den Papierkorb gelegt</numerusform>
            <numerusform>%Ln geänderte Chats in den Papierkorb gelegt</numerusform>
        </translation>
    </message>
    <message>
        <source>To keep the current arrangement, choose Save Layout…</source>
        <translation>Um die aktuelle Anordnung zu behalten, wähle Layout speichern…</translation>
    </message>
    <message>
        <source>Saves which chats are open and where.</source>
        <translation>Speichert, welche Chats wo geöffnet sind.</translation>
    </message>
    <message>
        <source>All chats in the layout “{name}” have been deleted</source>
        <translation>Alle Chats im Layout „{name}“ wurden gelöscht</translation>
    </message>
    <message numerus="yes">
        <source>%n of its chats has been deleted.</source>
        <comment>%n of its chats have been deleted.</comment>
        <translation>
            <numerusform>%n seiner Chats wurde gelöscht.</numerusform>
            <numerusform>%n seiner Chats wurden gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Multiple Computers…</source>
        <translation>Mehrere Computer…</translation>
    </message>
    <message>
        <source>{name} restored</source>
        <translation>{name} wiederhergestellt</translation>
    </message>
    <message>
        <source>{keys} undoes typing.</source>
        <translation>{keys} macht Eingaben rückgängig.</translation>
    </message>
    <message>
        <source>{keys} redoes typing.</source>
        <translation>{keys} wiederholt Eingaben.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Command or Option.</source>
        <translation>{keys} schreibt Text. Nimm die Befehls- oder Wahltaste dazu.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Ctrl or Alt.</source>
        <translation>{keys} schreibt Text. Nimm Strg oder Alt dazu.</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>Drücke den neuen Kurzbefehl.</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Kurzbefehle durchsuchen</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>Befehle und Kurzbefehle</translation>
    </message>
    <message>
        <source>Reset All</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Undo Reset</source>
        <translation>Zurücksetzen rückgängig</translation>
    </message>
    <message>
        <source>no shortcut</source>
        <translation>kein Kurzbefehl</translation>
    </message>
    <message>
        <source>Default: {usual}</source>
        <translation>Standard: {usual}</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>Kurzbefehl ändern</translation>
    </message>
    <message>
        <source>All shortcuts reset</source>
        <translation>Alle Kurzbefehle zurückgesetzt</translation>
    </message>
    <message>
        <source>Change Shortcut</source>
        <translation>Kurzbefehl ändern</translation>
    </message>
    <message>
        <source>Shortcut for {command}</source>
        <translation>Kurzbefehl für {command}</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Press the new shortcut for “{command}”</source>
        <translation>Drücke den neuen Kurzbefehl für „{command}“</translation>
    </message>
    <message>
        <source>This is the default shortcut</source>
        <translation>Das ist der Standardkurzbefehl</translation>
    </message>
    <message>
        <source>This command has no shortcut</source>
        <translation>Dieser Befehl hat keinen Kurzbefehl</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}” and will be removed there.</source>
        <translation>{keys} gehört zu „{command}“ und wird dort entfernt.</translation>
    </message>
    <message>
        <source>This chat is empty.</source>
        <translation>Dieser Chat ist leer.</translation>
    </message>
    <message>
        <source>Copy Last Reply</source>
        <translation>Letzte Antwort kopieren</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu generieren</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed</source>
        <translation>Mit gleichem Seed neu generieren</translation>
    </message>
    <message>
        <source>Previous Version</source>
        <translation>Vorherige Version</translation>
    </message>
    <message>
        <source>Next Version</source>
        <translation>Nächste Version</translation>
    </message>
    <message>
        <source>Stop Reply</source>
        <translation>Antwort stoppen</translation>
    </message>
    <message>
        <source>Find in Chat</source>
        <translation>Im Chat suchen</translation>
    </message>
    <message>
        <source>Move to New Window</source>
        <translation>In neues Fenster bewegen</translation>
    </message>
    <message>
        <source>Move to Previous Pane</source>
        <translation>In vorherigen Bereich bewegen</translation>
    </message>
    <message>
        <source>Move to Next Pane</source>
        <translation>In nächsten Bereich bewegen</translation>
    </message>
    <message>
        <source>Make Pane Larger</source>
        <translation>Bereich vergrößern</translation>
    </message>
    <message>
        <source>Make Pane Smaller</source>
        <translation>Bereich verkleinern</translation>
    </message>
    <message>
        <source>Keep This Reply</source>
        <translation>Diese Antwort behalten</translation>
    </message>
    <message>
        <source>Focus Message Field</source>
        <translation>Zum Nachrichtenfeld</translation>
    </message>
    <message>
        <source>Prompt from {server}.</source>
        <translation>Prompt von {server}.</translation>
    </message>
    <message>
        <source>Resource from {server}.</source>
        <translation>Ressource von {server}.</translation>
    </message>
    <message>
        <source>Attach up to {most} files.</source>
        <translation>Hänge höchstens {most} Dateien an.</translation>
    </message>
    <message>
        <source>The message is empty.</source>
        <translation>Die Nachricht ist leer.</translation>
    </message>
    <message>
        <source>Edit Tags</source>
        <translation>Tags bearbeiten</translation>
    </message>
    <message>
        <source>replying</source>
        <translation>antwortet</translation>
    </message>
    <message>
        <source>Add Remote Model</source>
        <translation>Remote-Modell hinzufügen</translation>
    </message>
    <message>
        <source>Add Remote Model…</source>
        <translation>Remote-Modell hinzufügen…</translation>
    </message>
    <message>
        <source>Focus Next Section</source>
        <translation>Zum nächsten Fensterteil</translation>
    </message>
    <message>
        <source>Focus Previous Section</source>
        <translation>Zum vorherigen Fensterteil</translation>
    </message>
    <message>
        <source>Tool Servers (MCP)…</source>
        <translation>Tool-Server (MCP)…</translation>
    </message>
    <message>
        <source>Tools for This Chat…</source>
        <translation>Tools für diesen Chat…</translation>
    </message>
    <message>
        <source>No tool call is waiting for you.</source>
        <translation>Kein Tool-Aufruf wartet auf dich.</translation>
    </message>
    <message>
        <source>Next Pending Tool Call</source>
        <translation>Nächster ausstehender Tool-Aufruf</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>Nichts rückgängig zu machen</translation>
    </message>
    <message>
        <source>Undo Close or Delete</source>
        <translation>Schließen oder Löschen rückgängig</translation>
    </message>
    <message>
        <source>Copy Reply as Plain Text</source>
        <translation>Antwort als reinen Text kopieren</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Search commands, chats, models, settings</source>
        <translation>Befehle, Chats, Modelle und Einstellungen durchsuchen</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Keine Ergebnisse</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt verwendet</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einsetzen</translation>
    </message>
    <message>
        <source>“{folder}” is read-only in this chat.</source>
        <translation>„{folder}“ ist in diesem Chat schreibgeschützt.</translation>
    </message>
    <message>
        <source>A file name has at most {most} characters.</source>
        <translation>Ein Dateiname hat höchstens {most} Zeichen.</translation>
    </message>
    <message>
        <source>The file is too large to be changed.</source>
        <translation>Die Datei ist zu groß, um geändert zu werden.</translation>
    </message>
    <message>
        <source>The file isn’t UTF-8 text, so it can’t be changed.</source>
        <translation>Die Datei ist kein UTF-8-Text und kann nicht geändert werden.</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>Keine Änderungen</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>Das ist ein Ordner, keine Datei.</translation>
    </message>
    <message>
        <source>The text contains characters that a file can’t hold.</source>
        <translation>Der Text enthält Zeichen, die sich nicht in einer Datei speichern lassen.</translation>
    </message>
    <message>
        <source>The text is longer than {most} bytes.</source>
        <translation>Der Text ist länger als {most} Byte.</translation>
    </message>
    <message>
        <source>The path contains a null character.</source>
        <translation>Der Pfad enthält ein Nullzeichen.</translation>
    </message>
    <message>
        <source>Paths that contain “..” aren’t allowed.</source>
        <translation>Pfade mit „..“ sind nicht erlaubt.</translation>
    </message>
    <message>
        <source>“{path}” isn’t in a folder of this chat.</source>
        <translation>„{path}“ liegt in keinem Ordner dieses Chats.</translation>
    </message>
    <message>
        <source>The file doesn’t exist.</source>
        <translation>Die Datei existiert nicht.</translation>
    </message>
    <message>
        <source>This isn’t a text file.</source>
        <translation>Das ist keine Textdatei.</translation>
    </message>
    <message>
        <source>The file or folder doesn’t exist.</source>
        <translation>Die Datei oder der Ordner existiert nicht.</translation>
    </message>
    <message>
        <source>This isn’t valid JSON: {why}, line {line}.</source>
        <translation>Das ist kein gültiges JSON: {why}, Zeile {line}.</translation>
    </message>
    <message>
        <source>An expression has 1 to {most} characters.</source>
        <translation>Ein Ausdruck hat 1 bis {most} Zeichen.</translation>
    </message>
    <message>
        <source>the expression isn’t valid</source>
        <translation>der Ausdruck ist ungültig</translation>
    </message>
    <message>
        <source>This can’t be calculated: {why}.</source>
        <translation>Das lässt sich nicht berechnen: {why}.</translation>
    </message>
    <message>
        <source>There’s no function “{name}”.</source>
        <translation>Die Funktion „{name}“ gibt es nicht.</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>Die Zahl ist zu groß.</translation>
    </message>
    <message>
        <source>Date and Time</source>
        <translation>Datum und Uhrzeit</translation>
    </message>
    <message>
        <source>Gets the date, time, and time zone.</source>
        <translation>Ermittelt Datum, Uhrzeit und Zeitzone.</translation>
    </message>
    <message>
        <source>Get the date and time?</source>
        <translation>Datum und Uhrzeit abrufen?</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Does arithmetic.</source>
        <translation>Rechnet.</translation>
    </message>
    <message>
        <source>Calculate this?</source>
        <translation>Diesen Ausdruck berechnen?</translation>
    </message>
    <message>
        <source>List Folders</source>
        <translation>Ordner auflisten</translation>
    </message>
    <message>
        <source>Lists the files in this chat’s folders.</source>
        <translation>Listet die Dateien in den Ordnern dieses Chats auf.</translation>
    </message>
    <message>
        <source>List this folder?</source>
        <translation>Diesen Ordner auflisten?</translation>
    </message>
    <message>
        <source>List this chat’s folders?</source>
        <translation>Ordner dieses Chats auflisten?</translation>
    </message>
    <message>
        <source>Read Files</source>
        <translation>Dateien lesen</translation>
    </message>
    <message>
        <source>Reads text files in this chat’s folders.</source>
        <translation>Liest Textdateien in den Ordnern dieses Chats.</translation>
    </message>
    <message>
        <source>Read this file?</source>
        <translation>Diese Datei lesen?</translation>
    </message>
    <message>
        <source>Search Files</source>
        <translation>Dateien suchen</translation>
    </message>
    <message>
        <source>Finds files by name, or by the text in them.</source>
        <translation>Findet Dateien nach Name oder Inhalt.</translation>
    </message>
    <message>
        <source>Search this chat’s folders?</source>
        <translation>In den Ordnern dieses Chats suchen?</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Write Files</source>
        <translation>Dateien schreiben</translation>
    </message>
    <message>
        <source>Creates and changes text files. You see every change first.</source>
        <translation>Erstellt und ändert Textdateien. Du siehst jede Änderung vorher.</translation>
    </message>
    <message>
        <source>Write this file?</source>
        <translation>Diese Datei schreiben?</translation>
    </message>
    <message>
        <source>Web Pages</source>
        <translation>Webseiten</translation>
    </message>
    <message>
        <source>Fetches the text of a public web page.</source>
        <translation>Ruft den Text einer öffentlichen Webseite ab.</translation>
    </message>
    <message>
        <source>Fetch this page?</source>
        <translation>Diese Seite abrufen?</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Runs Python code, without network or files.</source>
        <translation>Führt Python-Code aus, ohne Netzwerk und Dateien.</translation>
    </message>
    <message>
        <source>Run this Python code?</source>
        <translation>Diesen Python-Code ausführen?</translation>
    </message>
    <message>
        <source>“{name}” must be text.</source>
        <translation>„{name}“ muss Text sein.</translation>
    </message>
    <message>
        <source>tok/s: tokens (parts of words) per second
first token: time until the reply began
cached: tokens kept from earlier replies, so the model reads only the rest</source>
        <translation>Tok/s: Token (Wortteile) pro Sekunde
erstes Token: Zeit bis zum Beginn der Antwort
aus dem Cache: Token, die von früheren Antworten noch da waren; das Modell liest nur den Rest</translation>
    </message>
    <message>
        <source>Allow Writing in This Folder</source>
        <translation>Schreiben in diesem Ordner erlauben</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Change the arguments of this call  E</source>
        <translation>Argumente dieses Aufrufs ändern  E</translation>
    </message>
    <message>
        <source>Deny All</source>
        <translation>Alle ablehnen</translation>
    </message>
    <message>
        <source>Let the model continue with the results</source>
        <translation>Das Modell mit den Ergebnissen fortfahren lassen</translation>
    </message>
    <message numerus="yes">
        <source>Allow All</source>
        <comment>Allow All %Ln</comment>
        <translation>
            <numerusform>Alle erlauben</numerusform>
            <numerusform>Alle %Ln erlauben</numerusform>
        </translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>Was geschehen wird</translation>
    </message>
    <message>
        <source>Run this call  Enter</source>
        <translation>Diesen Aufruf ausführen  Enter</translation>
    </message>
    <message>
        <source>Always Allow</source>
        <translation>Immer erlauben</translation>
    </message>
    <message>
        <source>Run this tool in this chat without asking again  T</source>
        <translation>Dieses Tool in diesem Chat ohne Rückfrage ausführen  T</translation>
    </message>
    <message>
        <source>Always Allow Server</source>
        <translation>Server immer erlauben</translation>
    </message>
    <message>
        <source>Run every tool of this server in this chat without asking  S</source>
        <translation>Alle Tools dieses Servers in diesem Chat ohne Rückfrage ausführen  S</translation>
    </message>
    <message>
        <source>Don’t run this call  D</source>
        <translation>Diesen Aufruf nicht ausführen  D</translation>
    </message>
    <message>
        <source>The server asked: {question}
You answered.</source>
        <translation>Der Server hat gefragt: {question}
Du hast geantwortet.</translation>
    </message>
    <message>
        <source>The server asked: {question}
You didn’t answer.</source>
        <translation>Der Server hat gefragt: {question}
Du hast nicht geantwortet.</translation>
    </message>
    <message>
        <source>Use {tool}?</source>
        <translation>{tool} verwenden?</translation>
    </message>
    <message>
        <source>Use {tool} from {server}?</source>
        <translation>{tool} von {server} verwenden?</translation>
    </message>
    <message>
        <source>Create this file?</source>
        <translation>Diese Datei erstellen?</translation>
    </message>
    <message>
        <source>Change this file?</source>
        <translation>Diese Datei ändern?</translation>
    </message>
    <message>
        <source>{tool} · Denied</source>
        <translation>{tool} · Abgelehnt</translation>
    </message>
    <message>
        <source>Allow or deny the tool call to continue.</source>
        <translation>Erlaube den Tool-Aufruf oder lehne ihn ab, um fortzufahren.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON: {why}, line {line}.</source>
        <translation>Die Argumente sind kein gültiges JSON: {why}, Zeile {line}.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON.</source>
        <translation>Die Argumente sind kein gültiges JSON.</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, such as { … }.</source>
        <translation>Die Argumente müssen ein JSON-Objekt sein, etwa { … }.</translation>
    </message>
    <message>
        <source>The result was too long for this chat and was left out.</source>
        <translation>Das Ergebnis war zu lang für diesen Chat und wurde weggelassen.</translation>
    </message>
    <message>
        <source>There’s no tool “{name}” in this chat.</source>
        <translation>Das Tool „{name}“ gibt es in diesem Chat nicht.</translation>
    </message>
    <message>
        <source>This call is no longer waiting.</source>
        <translation>Dieser Aufruf wartet nicht mehr.</translation>
    </message>
    <message>
        <source>Check the changes, then allow them.</source>
        <translation>Prüfe die Änderungen und erlaube sie dann.</translation>
    </message>
    <message>
        <source>The tool failed: {kind}.</source>
        <translation>Das Tool ist fehlgeschlagen: {kind}.</translation>
    </message>
    <message>
        <source>Previous 7 Days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Previous 30 Days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Open Side by Side</source>
        <translation>Nebeneinander öffnen</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Gruppierung aufheben</translation>
    </message>
    <message>
        <source>group</source>
        <comment>of chats that were asked together</comment>
        <translation>Gruppe</translation>
    </message>
    <message numerus="yes">
        <source>Chat closed</source>
        <comment>%n chats closed</comment>
        <translation>
            <numerusform>Chat geschlossen</numerusform>
            <numerusform>%n Chats geschlossen</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to Main Window</source>
        <translation>Ins Hauptfenster bewegen</translation>
    </message>
    <message>
        <source>Restore Panes</source>
        <translation>Bereiche wiederherstellen</translation>
    </message>
    <message>
        <source>Maximize Pane</source>
        <translation>Bereich maximieren</translation>
    </message>
    <message>
        <source>This pane already fills its window</source>
        <translation>Dieser Bereich füllt sein Fenster bereits</translation>
    </message>
    <message>
        <source>This pane has no other tab</source>
        <translation>Dieser Bereich hat keinen anderen Tab</translation>
    </message>
    <message>
        <source>There’s no tab to the right</source>
        <translation>Rechts ist kein Tab</translation>
    </message>
    <message>
        <source>Close Other Tabs</source>
        <translation>Andere Tabs schließen</translation>
    </message>
    <message>
        <source>Close Tabs to the Right</source>
        <translation>Tabs rechts davon schließen</translation>
    </message>
    <message>
        <source>Restore Panes  Shift+Esc</source>
        <translation>Bereiche wiederherstellen  Shift+Esc</translation>
    </message>
    <message>
        <source>Scroll bar</source>
        <translation>Rollbalken</translation>
    </message>
    <message>
        <source>Stretto asks before each call.</source>
        <translation>Stretto fragt vor jedem Aufruf.</translation>
    </message>
    <message>
        <source>Always allowed in this chat: {tools}. Stretto asks before other calls.</source>
        <translation>In diesem Chat immer erlaubt: {tools}. Vor anderen Aufrufen fragt Stretto.</translation>
    </message>
    <message>
        <source>{folder} · read and write</source>
        <translation>{folder} · Lesen und Schreiben</translation>
    </message>
    <message>
        <source>{folder} · read-only</source>
        <translation>{folder} · schreibgeschützt</translation>
    </message>
    <message>
        <source>Make Read-Only</source>
        <translation>Schreiben verbieten</translation>
    </message>
    <message>
        <source>Refresh Tools</source>
        <translation>Tools aktualisieren</translation>
    </message>
    <message>
        <source>Load Tools</source>
        <translation>Tools laden</translation>
    </message>
    <message>
        <source>Enable Tools</source>
        <translation>Tools aktivieren</translation>
    </message>
    <message>
        <source>The model reads these descriptions</source>
        <translation>Das Modell liest diese Beschreibungen</translation>
    </message>
    <message>
        <source>Offer resources with @ and prompts with /</source>
        <translation>Ressourcen mit @ und Prompts mit / anbieten</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Verbinden…</translation>
    </message>
    <message>
        <source>Tool Servers</source>
        <translation>Tool-Server</translation>
    </message>
    <message>
        <source>Tool servers as JSON</source>
        <translation>Tool-Server als JSON</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>MCP servers, in the JSON format that Claude and LM Studio use.</source>
        <translation>MCP-Server im JSON-Format, das auch Claude und LM Studio verwenden.</translation>
    </message>
    <message>
        <source>Save your changes to the tool servers?</source>
        <translation>Änderungen an den Tool-Servern speichern?</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Removed: {servers}</source>
        <translation>Entfernt: {servers}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>No other programs with tool servers</source>
        <translation>Keine anderen Programme mit Tool-Servern</translation>
    </message>
    <message numerus="yes">
        <source>%n server added from {place}</source>
        <comment>%n servers added from {place}</comment>
        <translation>
            <numerusform>%n Server aus {place} hinzugefügt</numerusform>
            <numerusform>%n Server aus {place} hinzugefügt</numerusform>
        </translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>Das Protokoll ist leer.</translation>
    </message>
    <message>
        <source>Always Allowed</source>
        <translation>Immer erlaubt</translation>
    </message>
    <message>
        <source>None. Stretto asks before each call.</source>
        <translation>Keine. Stretto fragt vor jedem Aufruf.</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>Alle Tools</translation>
    </message>
    <message>
        <source>{path}: read-only in “{chat}”</source>
        <translation>{path}: schreibgeschützt in „{chat}“</translation>
    </message>
    <message>
        <source>{path}: read and write in “{chat}”</source>
        <translation>{path}: Lesen und Schreiben in „{chat}“</translation>
    </message>
    <message>
        <source>You see each change to a file before it is made.</source>
        <translation>Du siehst jede Änderung an einer Datei, bevor sie vorgenommen wird.</translation>
    </message>
    <message>
        <source>Python is unavailable: it needs bubblewrap (bwrap) to run code safely.</source>
        <translation>Python ist nicht verfügbar: Es braucht bubblewrap (bwrap), um Code sicher auszuführen.</translation>
    </message>
    <message>
        <source>Python is unavailable: this system can’t run code safely.</source>
        <translation>Python ist nicht verfügbar: Dieses System kann Code nicht sicher ausführen.</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>Mitgeliefert</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>Hinzugefügter Ordner</translation>
    </message>
    <message>
        <source>Not quantized</source>
        <translation>Nicht quantisiert</translation>
    </message>
    <message>
        <source>Not stated in its configuration</source>
        <translation>Steht nicht in der Konfiguration</translation>
    </message>
    <message>
        <source>According to its template and configuration</source>
        <translation>Laut Vorlage und Konfiguration</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>Suche läuft…</translation>
    </message>
    <message>
        <source>Tokens that a prompt and its reply can have together</source>
        <translation>Tokens, die Prompt und Antwort zusammen haben können</translation>
    </message>
    <message>
        <source>Weights and the KV caches of its chats</source>
        <translation>Gewichte und KV-Caches der Chats</translation>
    </message>
    <message>
        <source>Capabilities</source>
        <comment>what a model can do</comment>
        <translation>Fähigkeiten</translation>
    </message>
    <message>
        <source>Last used</source>
        <comment>when a model was used</comment>
        <translation>Zuletzt verwendet</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>Suche löschen</translation>
    </message>
    <message>
        <source>Download a model from Hugging Face</source>
        <translation>Ein Modell von Hugging Face herunterladen</translation>
    </message>
    <message>
        <source>No models found</source>
        <translation>Keine Modelle gefunden</translation>
    </message>
    <message>
        <source>{name} unloaded. It loads again when a chat needs it.</source>
        <translation>{name} entladen. Es wird wieder geladen, wenn ein Chat es braucht.</translation>
    </message>
    <message>
        <source>Choose a smaller model, or one with fewer bits.</source>
        <translation>Wähle ein kleineres Modell oder eines mit weniger Bits.</translation>
    </message>
    <message>
        <source>Recommended for this computer ({gigabytes} GB of memory)</source>
        <translation>Empfohlen für diesen Computer ({gigabytes} GB Speicher)</translation>
    </message>
    <message>
        <source>No models found. Try other words.</source>
        <translation>Keine Modelle gefunden. Versuche andere Wörter.</translation>
    </message>
    <message>
        <source>Searching Hugging Face…</source>
        <translation>Hugging Face wird durchsucht…</translation>
    </message>
    <message>
        <source>Convert {name} to a smaller copy</source>
        <translation>Kleinere Kopie von {name} erstellen</translation>
    </message>
    <message>
        <source>The original ({size}) stays. Converting takes a few minutes.</source>
        <translation>Das Original ({size}) bleibt. Das Konvertieren dauert einige Minuten.</translation>
    </message>
    <message>
        <source>Draft Model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Draft model for {name}</source>
        <translation>Entwurfsmodell für {name}</translation>
    </message>
    <message>
        <source>{name}: different tokenizer</source>
        <translation>{name}: anderer Tokenizer</translation>
    </message>
    <message>
        <source>No smaller model on this computer has the same tokenizer.</source>
        <translation>Kein kleineres Modell auf diesem Computer hat denselben Tokenizer.</translation>
    </message>
    <message>
        <source>The folder no longer exists</source>
        <translation>Den Ordner gibt es nicht mehr</translation>
    </message>
    <message>
        <source>More for {name}</source>
        <translation>Mehr zu {name}</translation>
    </message>
    <message>
        <source>Keeps it at the top of the list, and in memory</source>
        <translation>Hält es oben in der Liste und im Speicher</translation>
    </message>
    <message>
        <source>Makes a smaller copy</source>
        <translation>Erstellt eine kleinere Kopie</translation>
    </message>
    <message>
        <source>A small model that speeds up its replies</source>
        <translation>Ein kleines Modell, das die Antworten beschleunigt</translation>
    </message>
    <message>
        <source>New chat with {name}</source>
        <translation>Neuer Chat mit {name}</translation>
    </message>
    <message>
        <source>Added as {name} + {adapter}.</source>
        <translation>Hinzugefügt als {name} + {adapter}.</translation>
    </message>
    <message>
        <source>{name} no longer uses a draft model.</source>
        <translation>{name} verwendet kein Entwurfsmodell mehr.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model.</source>
        <translation>{name} verwendet {draft} als Entwurfsmodell.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model once loaded.</source>
        <translation>{name} verwendet {draft} als Entwurfsmodell, sobald es geladen ist.</translation>
    </message>
    <message>
        <source>Move {name} to the Trash? {warning}</source>
        <translation>{name} in den Papierkorb legen? {warning}</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its files stay.</source>
        <translation>{name} aus der Liste entfernt. Die Dateien bleiben.</translation>
    </message>
    <message>
        <source>Moving {name} to the Trash…</source>
        <translation>{name} wird in den Papierkorb gelegt…</translation>
    </message>
    <message>
        <source>Sends only your search to Hugging Face. Downloads only model data, never code.</source>
        <translation>Sendet nur deine Suche an Hugging Face. Lädt nur Modelldaten herunter, nie Code.</translation>
    </message>
    <message>
        <source>Downloads continue after you close this window.</source>
        <translation>Downloads laufen weiter, wenn du dieses Fenster schließt.</translation>
    </message>
    <message>
        <source>This model needs a Hugging Face token</source>
        <translation>Dieses Modell braucht ein Token von Hugging Face</translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation>Hugging Face wird abgefragt…</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face</source>
        <translation>Wartet auf Hugging Face</translation>
    </message>
    <message>
        <source>Choose a model or type its name</source>
        <translation>Wähle ein Modell oder gib seinen Namen ein</translation>
    </message>
    <message>
        <source>{name} hasn’t finished downloading</source>
        <translation>{name} ist noch nicht vollständig heruntergeladen</translation>
    </message>
    <message numerus="yes">
        <source>%n model hasn’t finished downloading</source>
        <comment>%n models haven’t finished downloading</comment>
        <translation>
            <numerusform>%n Modell ist noch nicht vollständig heruntergeladen</numerusform>
            <numerusform>%n Modelle sind noch nicht vollständig heruntergeladen</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} converted</source>
        <translation>{name} konvertiert</translation>
    </message>
    <message>
        <source>{name} downloaded</source>
        <translation>{name} heruntergeladen</translation>
    </message>
    <message>
        <source>Remote models</source>
        <translation>Remote-Modelle</translation>
    </message>
    <message>
        <source>Shows models that suit this computer</source>
        <translation>Zeigt, welche Modelle zu diesem Computer passen</translation>
    </message>
    <message>
        <source>Chat with SmolLM2</source>
        <translation>Mit SmolLM2 chatten</translation>
    </message>
    <message>
        <source>Try Stretto with the Guide</source>
        <translation>Stretto mit dem Guide ausprobieren</translation>
    </message>
    <message>
        <source>Runs on this computer. Your messages stay here.</source>
        <translation>Läuft auf diesem Computer. Deine Nachrichten bleiben hier.</translation>
    </message>
    <message>
        <source>A tiny built-in model that knows Stretto. For anything else, get a model.</source>
        <translation>Ein winziges eingebautes Modell, das Stretto kennt. Für alles andere lade ein Modell herunter.</translation>
    </message>
    <message>
        <source>It speaks English only.</source>
        <translation>Es spricht nur Englisch.</translation>
    </message>
    <message>
        <source>Your chats are in other windows</source>
        <translation>Deine Chats sind in anderen Fenstern geöffnet</translation>
    </message>
    <message>
        <source>Drag a tab here, or start a new chat.</source>
        <translation>Ziehe einen Tab hierher oder beginne einen neuen Chat.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one. {keys} reopens the last one.</source>
        <translation>Wähle einen Chat in der Seitenleiste oder beginne einen neuen. {keys} öffnet den letzten wieder.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one.</source>
        <translation>Wähle einen Chat in der Seitenleiste oder beginne einen neuen.</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>diesem Computer</translation>
    </message>
    <message>
        <source>No reply from {host} for {time}</source>
        <translation>Keine Antwort von {host} seit {time}</translation>
    </message>
    <message>
        <source>The reply is on its way.</source>
        <translation>Die Antwort ist unterwegs.</translation>
    </message>
    <message>
        <source>{title}, replying</source>
        <translation>{title}, antwortet</translation>
    </message>
    <message>
        <source>{title}, unread</source>
        <translation>{title}, ungelesen</translation>
    </message>
    <message>
        <source>New Chat  Ctrl+N</source>
        <translation>Neuer Chat  Ctrl+N</translation>
    </message>
    <message>
        <source>Split Right  Ctrl+\</source>
        <translation>Nach rechts teilen  Ctrl+\</translation>
    </message>
    <message>
        <source>Split Down  Ctrl+Shift+\</source>
        <translation>Nach unten teilen  Ctrl+Shift+\</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>ungelesen</translation>
    </message>
    <message>
        <source>End of reasoning</source>
        <translation>Ende des Nachdenkens</translation>
    </message>
    <message>
        <source>the file can’t be created</source>
        <translation>die Datei kann nicht erstellt werden</translation>
    </message>
    <message>
        <source>The model is still replying. Stop the reply or wait until it has ended.</source>
        <translation>Das Modell antwortet noch. Stoppe die Antwort oder warte, bis sie fertig ist.</translation>
    </message>
    <message>
        <source>The model isn’t replying.</source>
        <translation>Das Modell antwortet gerade nicht.</translation>
    </message>
    <message>
        <source>This message is no longer in the chat.</source>
        <translation>Diese Nachricht ist nicht mehr im Chat.</translation>
    </message>
    <message>
        <source>Stopped because it repeated itself</source>
        <comment>a reply</comment>
        <translation>Gestoppt, weil sie sich wiederholt hat</translation>
    </message>
    <message>
        <source>The server didn’t say if it’s complete</source>
        <comment>a reply</comment>
        <translation>Der Server hat nicht gesagt, ob sie vollständig ist</translation>
    </message>
    <message>
        <source>The message before it is deleted too. Restore that one first.</source>
        <translation>Die Nachricht davor ist auch gelöscht. Stelle zuerst diese wieder her.</translation>
    </message>
    <message>
        <source>You haven’t sent a message yet.</source>
        <translation>Du hast noch keine Nachricht gesendet.</translation>
    </message>
    <message>
        <source>There’s no message to reply to yet.</source>
        <translation>Es gibt noch keine Nachricht, auf die das Modell antworten kann.</translation>
    </message>
    <message>
        <source>There’s no reply yet.</source>
        <translation>Es gibt noch keine Antwort.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Attach less of it, or remove it.</source>
        <translation>„{file}“ ist zu lang für dieses Modell. Hänge weniger davon an oder entferne die Datei.</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>Schreibe zuerst eine Nachricht.</translation>
    </message>
    <message>
        <source>The reply is stopping.</source>
        <translation>Die Antwort wird gestoppt.</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>Das Modell wird noch geladen.</translation>
    </message>
    <message>
        <source>There is nothing to continue.</source>
        <translation>Es gibt nichts fortzusetzen.</translation>
    </message>
    <message>
        <source>Send a message first. The chat is named after it.</source>
        <translation>Sende zuerst eine Nachricht. Der Chat wird danach benannt.</translation>
    </message>
    <message>
        <source>This reply has no message before it.</source>
        <translation>Vor dieser Antwort steht keine Nachricht.</translation>
    </message>
    <message>
        <source>This isn’t a reply.</source>
        <translation>Das ist keine Antwort.</translation>
    </message>
    <message>
        <source>The seed of this reply is unknown</source>
        <translation>Der Seed dieser Antwort ist unbekannt</translation>
    </message>
    <message>
        <source>Only the last reply can be continued.</source>
        <translation>Nur die letzte Antwort lässt sich fortsetzen.</translation>
    </message>
    <message>
        <source>There’s nothing to continue. Regenerate the reply instead.</source>
        <translation>Es gibt nichts fortzusetzen. Generiere die Antwort stattdessen neu.</translation>
    </message>
    <message>
        <source>{host} can’t continue a reply that was cut off. Regenerate it.</source>
        <translation>{host} kann eine abgebrochene Antwort nicht fortsetzen. Generiere sie neu.</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>Die Antwort ist vollständig.</translation>
    </message>
    <message>
        <source>This reply didn’t fail because of its length.</source>
        <translation>Diese Antwort ist nicht an der Länge gescheitert.</translation>
    </message>
    <message>
        <source>What fits is unknown. Shorten the message or start a new chat.</source>
        <translation>Es ist nicht bekannt, wie viel passt. Kürze die Nachricht oder beginne einen neuen Chat.</translation>
    </message>
    <message>
        <source>The chat doesn’t fit without its oldest messages either. Shorten the message.</source>
        <translation>Auch ohne die ältesten Nachrichten passt der Chat nicht. Kürze die Nachricht.</translation>
    </message>
    <message>
        <source>There are no older messages to leave out. Shorten the message.</source>
        <translation>Es gibt keine älteren Nachrichten, die weggelassen werden können. Kürze die Nachricht.</translation>
    </message>
    <message>
        <source>This reply isn’t finished yet.</source>
        <translation>Diese Antwort ist noch nicht fertig.</translation>
    </message>
    <message>
        <source>“{part}” isn’t a number. Enter numbers such as 1-3, 7.</source>
        <translation>„{part}“ ist keine Zahl. Gib Zahlen ein wie 1-3, 7.</translation>
    </message>
    <message>
        <source>Enter numbers from 1 to {last}.</source>
        <translation>Gib Zahlen von 1 bis {last} ein.</translation>
    </message>
    <message>
        <source>Enter numbers such as 1-3, 7.</source>
        <translation>Gib Zahlen ein wie 1-3, 7.</translation>
    </message>
    <message numerus="yes">
        <source>Attach at most %n file. Send the others in another message.</source>
        <comment>Attach at most %n files. Send the others in another message.</comment>
        <translation>
            <numerusform>Hänge höchstens %n Datei an. Sende die übrigen mit einer weiteren Nachricht.</numerusform>
            <numerusform>Hänge höchstens %n Dateien an. Sende die übrigen mit einer weiteren Nachricht.</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” is a folder. Attach the files in it instead.</source>
        <translation>„{name}“ ist ein Ordner. Hänge stattdessen die Dateien darin an.</translation>
    </message>
    <message>
        <source>“{name}” is already attached.</source>
        <translation>„{name}“ ist bereits angehängt.</translation>
    </message>
    <message>
        <source>relevant passages</source>
        <translation>passende Stellen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token too long for this model.</source>
        <comment>%Ln tokens too long for this model.</comment>
        <translation>
            <numerusform>%Ln Token zu lang für dieses Modell.</numerusform>
            <numerusform>%Ln Tokens zu lang für dieses Modell.</numerusform>
        </translation>
    </message>
    <message>
        <source>The oldest messages are left out.</source>
        <translation>Die ältesten Nachrichten werden weggelassen.</translation>
    </message>
    <message>
        <source>“{file}” couldn’t be saved: {why}.</source>
        <translation>„{file}“ konnte nicht gespeichert werden: {why}.</translation>
    </message>
    <message>
        <source>The chat no longer exists.</source>
        <translation>Der Chat existiert nicht mehr.</translation>
    </message>
    <message>
        <source>The reply format can’t be used. {wrong} Change it in the chat’s settings.</source>
        <translation>Das Antwortformat ist nicht verwendbar. {wrong} Ändere es in den Einstellungen des Chats.</translation>
    </message>
    <message>
        <source>A schema is a JSON object: { … }.</source>
        <translation>Ein Schema ist ein JSON-Objekt: { … }.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character. The limit is {most}.</source>
        <comment>%Ln characters. The limit is {most}.</comment>
        <translation>
            <numerusform>%Ln Zeichen. Höchstens {most} sind möglich.</numerusform>
            <numerusform>%Ln Zeichen. Höchstens {most} sind möglich.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} isn’t a number in JSON.</source>
        <translation>{name} ist in JSON keine Zahl.</translation>
    </message>
    <message>
        <source>it couldn’t be read</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>{file}: a text in it is too long. Everything before it was read.</source>
        <translation>{file}: Ein Text darin ist zu lang. Alles davor wurde gelesen.</translation>
    </message>
    <message>
        <source>{file}: no chats in this archive.</source>
        <translation>{file}: keine Chats in diesem Archiv.</translation>
    </message>
    <message>
        <source>{file}: protected by a password.</source>
        <translation>{file}: mit Passwort geschützt.</translation>
    </message>
    <message>
        <source>{file}: damaged or not JSON.</source>
        <translation>{file}: beschädigt oder kein JSON.</translation>
    </message>
    <message>
        <source>{file}: damaged after chat {number}. Everything before it was read.</source>
        <translation>{file}: nach Chat {number} beschädigt. Alles davor wurde gelesen.</translation>
    </message>
    <message>
        <source>{file}: nested too deeply. Everything before it was read.</source>
        <translation>{file}: zu tief verschachtelt. Alles davor wurde gelesen.</translation>
    </message>
    <message>
        <source>More items couldn’t be read.</source>
        <translation>Weitere Einträge waren nicht lesbar.</translation>
    </message>
    <message>
        <source>No chats imported.</source>
        <translation>Keine Chats importiert.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported from {programs}, with {messages}.</source>
        <comment>%Ln chats imported from {programs}, with {messages}.</comment>
        <translation>
            <numerusform>%Ln Chat aus {programs} importiert, mit {messages}.</numerusform>
            <numerusform>%Ln Chats aus {programs} importiert, mit {messages}.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped.</source>
        <translation>Der Import wurde gestoppt.</translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists and wasn’t changed.</source>
        <comment>{count} chats already exist and weren’t changed.</comment>
        <translation>
            <numerusform>{count} Chat ist bereits vorhanden und blieb unverändert.</numerusform>
            <numerusform>{count} Chats sind bereits vorhanden und blieben unverändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists in the Trash and wasn’t changed.</source>
        <comment>{count} chats already exist ({trashed} in the Trash) and weren’t changed.</comment>
        <translation>
            <numerusform>{count} Chat ist bereits im Papierkorb und blieb unverändert.</numerusform>
            <numerusform>{count} Chats sind bereits vorhanden ({trashed} im Papierkorb) und blieben unverändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln attachment.</source>
        <comment>Not imported: %Ln attachments.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Anhang.</numerusform>
            <numerusform>Nicht importiert: %Ln Anhänge.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln image.</source>
        <comment>Not imported: %Ln images.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Bild.</numerusform>
            <numerusform>Nicht importiert: %Ln Bilder.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln recording or video.</source>
        <comment>Not imported: %Ln recordings and videos.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Aufnahme oder Video.</numerusform>
            <numerusform>Nicht importiert: %Ln Aufnahmen und Videos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln tool call or result.</source>
        <comment>Not imported: %Ln tool calls and results.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Tool-Aufruf oder Ergebnis.</numerusform>
            <numerusform>Nicht importiert: %Ln Tool-Aufrufe und Ergebnisse.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln citation without an address.</source>
        <comment>Not imported: %Ln citations without an address.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Quellenangabe ohne Adresse.</numerusform>
            <numerusform>Nicht importiert: %Ln Quellenangaben ohne Adresse.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln change to a canvas or artifact.</source>
        <comment>Not imported: %Ln changes to a canvas or artifact.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Änderung an einem Canvas oder Artefakt.</numerusform>
            <numerusform>Nicht importiert: %Ln Änderungen an einem Canvas oder Artefakt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: custom instructions of %Ln chat.</source>
        <comment>Not imported: custom instructions of %Ln chats.</comment>
        <translation>
            <numerusform>Nicht importiert: individuelle Anweisungen von %Ln Chat.</numerusform>
            <numerusform>Nicht importiert: individuelle Anweisungen von %Ln Chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln empty chat.</source>
        <comment>Not imported: %Ln empty chats.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln leerer Chat.</numerusform>
            <numerusform>Nicht importiert: %Ln leere Chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln instruction within a chat.</source>
        <comment>Not imported: %Ln instructions within a chat.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Anweisung mitten im Chat.</numerusform>
            <numerusform>Nicht importiert: %Ln Anweisungen mitten im Chat.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln item of type “{kind}”.</source>
        <comment>Not imported: %Ln items of type “{kind}”.</comment>
        <translation>
            <numerusform>Nicht importiert: %Ln Eintrag vom Typ „{kind}“.</numerusform>
            <numerusform>Nicht importiert: %Ln Einträge vom Typ „{kind}“.</numerusform>
        </translation>
    </message>
    <message>
        <source>The model called a tool instead of replying, but this chat has no tools.</source>
        <translation>Das Modell hat ein Tool aufgerufen statt zu antworten, aber dieser Chat hat keine Tools.</translation>
    </message>
    <message>
        <source>The model’s tool call couldn’t be read.</source>
        <translation>Der Tool-Aufruf des Modells war nicht lesbar.</translation>
    </message>
    <message>
        <source>{where}: can’t be saved.</source>
        <translation>{where}: kann nicht gespeichert werden.</translation>
    </message>
    <message>
        <source>{file}, chat {number}</source>
        <translation>{file}, Chat {number}</translation>
    </message>
    <message>
        <source>{where}: too long.</source>
        <translation>{where}: zu lang.</translation>
    </message>
    <message>
        <source>{where}: not a chat.</source>
        <translation>{where}: kein Chat.</translation>
    </message>
    <message>
        <source>{where}: damaged ({why}).</source>
        <translation>{where}: beschädigt ({why}).</translation>
    </message>
    <message>
        <source>{where}: unknown format.</source>
        <translation>{where}: unbekanntes Format.</translation>
    </message>
    <message>
        <source>{file}: saved by a newer version of Stretto.</source>
        <translation>{file}: mit einer neueren Version von Stretto gespeichert.</translation>
    </message>
    <message>
        <source>{server} no longer has the tool “{tool}”.</source>
        <translation>{server} hat das Tool „{tool}“ nicht mehr.</translation>
    </message>
    <message>
        <source>{server} has changed this tool. Refresh its tools first.</source>
        <translation>{server} hat dieses Tool geändert. Aktualisiere zuerst die Tools.</translation>
    </message>
    <message>
        <source>No response within {seconds} s. The call was stopped.</source>
        <translation>Keine Reaktion innerhalb von {seconds} s. Der Aufruf wurde gestoppt.</translation>
    </message>
    <message>
        <source>{server} quit during the call.</source>
        <translation>{server} hat sich während des Aufrufs beendet.</translation>
    </message>
    <message>
        <source>Before this call, {server} wants you to visit {pages}</source>
        <translation>Vor diesem Aufruf möchte {server}, dass du {pages} besuchst</translation>
    </message>
    <message>
        <source>{server} didn’t respond: {why}</source>
        <translation>{server} hat nicht reagiert: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t respond within {seconds} s.</source>
        <translation>{server} hat innerhalb von {seconds} s nicht reagiert.</translation>
    </message>
    <message>
        <source>{server} has quit.</source>
        <translation>{server} hat sich beendet.</translation>
    </message>
    <message>
        <source>{why} It restarts in {seconds} s.</source>
        <translation>{why} Neustart in {seconds} s.</translation>
    </message>
    <message>
        <source>{server} didn’t list its tools in time.</source>
        <translation>{server} hat seine Tools nicht rechtzeitig aufgelistet.</translation>
    </message>
    <message>
        <source>{server} couldn’t list its tools: {why}</source>
        <translation>{server} konnte seine Tools nicht auflisten: {why}</translation>
    </message>
    <message>
        <source>The list of servers is larger than 1 MB.</source>
        <translation>Die Serverliste ist größer als 1 MB.</translation>
    </message>
    <message>
        <source>it isn’t UTF-8 text</source>
        <translation>es ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>The tool servers couldn’t be saved: {why}.</source>
        <translation>Die Tool-Server konnten nicht gespeichert werden: {why}.</translation>
    </message>
    <message>
        <source>This JSON isn’t a list of servers.</source>
        <translation>Dieses JSON ist keine Serverliste.</translation>
    </message>
    <message>
        <source>This isn’t a list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation>Das ist keine Serverliste. Sie beginnt mit {&quot;mcpServers&quot;: …}.</translation>
    </message>
    <message>
        <source>the name must have 1 to 60 visible characters</source>
        <translation>der Name muss 1 bis 60 sichtbare Zeichen haben</translation>
    </message>
    <message>
        <source>the name can’t contain “/” or be “{name}”</source>
        <translation>der Name darf kein „/“ enthalten und nicht „{name}“ lauten</translation>
    </message>
    <message>
        <source>the entry isn’t an object</source>
        <translation>der Eintrag ist kein Objekt</translation>
    </message>
    <message>
        <source>timeout must be a number of seconds</source>
        <translation>timeout muss eine Anzahl von Sekunden sein</translation>
    </message>
    <message>
        <source>“sse” servers aren’t supported; use the “http” address</source>
        <translation>„sse“-Server werden nicht unterstützt; verwende die „http“-Adresse</translation>
    </message>
    <message>
        <source>url must begin with https:// or http://</source>
        <translation>url muss mit https:// oder http:// beginnen</translation>
    </message>
    <message>
        <source>the entry has no command and no url</source>
        <translation>der Eintrag hat weder command noch url</translation>
    </message>
    <message>
        <source>args must be a list of strings</source>
        <translation>args muss eine Liste von Zeichenketten sein</translation>
    </message>
    <message>
        <source>the command contains a null character</source>
        <translation>der Befehl enthält ein Nullzeichen</translation>
    </message>
    <message>
        <source>cwd must be a folder</source>
        <translation>cwd muss ein Ordner sein</translation>
    </message>
    <message>
        <source>{what} must be an object of strings</source>
        <translation>{what} muss ein Objekt aus Zeichenketten sein</translation>
    </message>
    <message>
        <source>{what} contains a name or value that isn’t valid</source>
        <translation>{what} enthält einen ungültigen Namen oder Wert</translation>
    </message>
    <message>
        <source>not an email address.</source>
        <translation>keine E-Mail-Adresse.</translation>
    </message>
    <message>
        <source>not an address such as https://example.org.</source>
        <translation>keine Adresse wie https://example.org.</translation>
    </message>
    <message>
        <source>enter the date as 2026-05-31.</source>
        <translation>gib das Datum als 2026-05-31 ein.</translation>
    </message>
    <message>
        <source>enter date and time as 2026-05-31T14:30:00Z.</source>
        <translation>gib Datum und Uhrzeit als 2026-05-31T14:30:00Z ein.</translation>
    </message>
    <message>
        <source>{field} is required.</source>
        <translation>{field} ist erforderlich.</translation>
    </message>
    <message>
        <source>{server} asked with a form that isn’t valid.</source>
        <translation>{server} hat mit einem ungültigen Formular gefragt.</translation>
    </message>
    <message>
        <source>{server} asked for more than {most} values at once.</source>
        <translation>{server} hat nach mehr als {most} Angaben auf einmal gefragt.</translation>
    </message>
    <message>
        <source>{server} asked to open something that isn’t a web address.</source>
        <translation>{server} wollte etwas öffnen, das keine Webadresse ist.</translation>
    </message>
    <message>
        <source>Your answer goes to {server}, not to the model. Never enter passwords, keys, or card numbers.</source>
        <translation>Deine Antwort geht an {server}, nicht an das Modell. Gib nie Passwörter, Schlüssel oder Kartennummern ein.</translation>
    </message>
    <message>
        <source>Open in Browser</source>
        <translation>Im Browser öffnen</translation>
    </message>
    <message>
        <source>Open this address and let the server know</source>
        <translation>Diese Adresse öffnen und es dem Server mitteilen</translation>
    </message>
    <message>
        <source>Send your answers to the server  Enter</source>
        <translation>Deine Angaben an den Server senden  Enter</translation>
    </message>
    <message>
        <source>Decline to answer  D</source>
        <translation>Nicht antworten  D</translation>
    </message>
    <message>
        <source>Dismiss the question  Esc</source>
        <translation>Frage schließen  Esc</translation>
    </message>
    <message>
        <source>Enter an address, such as https://example.org/v1.</source>
        <translation>Gib eine Adresse ein, etwa https://example.org/v1.</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>Gib den Schlüssel in sein eigenes Feld ein, nicht in die Adresse.</translation>
    </message>
    <message>
        <source>The address has no host. Enter it as https://example.org/v1.</source>
        <translation>Die Adresse hat keinen Host. Gib sie ein wie https://example.org/v1.</translation>
    </message>
    <message>
        <source>{host} needs a key, or rejects this one. Add the model again with its key.</source>
        <translation>{host} braucht einen Schlüssel oder lehnt diesen ab. Füge das Modell mit seinem Schlüssel neu hinzu.</translation>
    </message>
    <message>
        <source>{host} needs payment for this. Add credit there, or choose another model.</source>
        <translation>{host} verlangt dafür eine Zahlung. Lade dort Guthaben auf oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>{host} has no model named “{model}”. Choose another, or check whether it was renamed.</source>
        <translation>{host} hat kein Modell namens „{model}“. Wähle ein anderes oder prüfe, ob es umbenannt wurde.</translation>
    </message>
    <message>
        <source>{host} is getting too many requests.</source>
        <translation>{host} bekommt zu viele Anfragen.</translation>
    </message>
    <message>
        <source>{host} couldn’t reply (status {status}). Try again later.</source>
        <translation>{host} konnte nicht antworten (Status {status}). Versuche es später erneut.</translation>
    </message>
    <message>
        <source>{host} rejects this request (status {status}). It may not support one of the chat’s settings.</source>
        <translation>{host} lehnt diese Anfrage ab (Status {status}). Vielleicht unterstützt es eine Einstellung des Chats nicht.</translation>
    </message>
    <message>
        <source>{host} sent no valid reply (status {status}). Check the address.</source>
        <translation>{host} hat keine gültige Antwort gesendet (Status {status}). Prüfe die Adresse.</translation>
    </message>
    <message>
        <source>{host} redirects requests. Check the address.</source>
        <translation>{host} leitet Anfragen um. Prüfe die Adresse.</translation>
    </message>
    <message>
        <source>{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, add the model with it.</source>
        <translation>{host} leitet Anfragen zu {place} um. Stretto folgt dem nicht. Wenn die Adresse dort stimmt, füge das Modell mit ihr hinzu.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Versuche es später erneut.</translation>
    </message>
    <message>
        <source>{host} ended the reply before it began. Try again, or check the server.</source>
        <translation>{host} hat die Antwort beendet, bevor sie begann. Versuche es erneut oder prüfe den Server.</translation>
    </message>
    <message>
        <source>{host} sent too much and was stopped. The reply so far is kept.</source>
        <translation>{host} hat zu viel gesendet und wurde gestoppt. Die Antwort bis hierher bleibt.</translation>
    </message>
    <message>
        <source>{host} doesn’t respond. Try again, or check the server.</source>
        <translation>{host} reagiert nicht. Versuche es erneut oder prüfe den Server.</translation>
    </message>
    <message>
        <source>The reply from {host} couldn’t be read.</source>
        <translation>Die Antwort von {host} war nicht lesbar.</translation>
    </message>
    <message>
        <source>“{name}” isn’t a remote model. Choose another model.</source>
        <translation>„{name}“ ist kein Remote-Modell. Wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>{model} at {host} is no longer in your models, so nothing was sent. Add it again, or choose another model.</source>
        <translation>{model} auf {host} ist nicht mehr unter deinen Modellen, daher wurde nichts gesendet. Füge es wieder hinzu oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>It quit without a message.</source>
        <translation>Es hat sich ohne Meldung beendet.</translation>
    </message>
    <message>
        <source>{host} has withheld the rest of this reply.</source>
        <translation>{host} hat den Rest dieser Antwort zurückgehalten.</translation>
    </message>
    <message>
        <source>Stretto is quitting.</source>
        <translation>Stretto wird beendet.</translation>
    </message>
    <message>
        <source>The server “{server}” was removed or is off.</source>
        <translation>Der Server „{server}“ wurde entfernt oder ist aus.</translation>
    </message>
    <message>
        <source>The server “{server}” was changed. Try again.</source>
        <translation>Der Server „{server}“ wurde geändert. Versuche es erneut.</translation>
    </message>
    <message>
        <source>“{name}” isn’t text.</source>
        <translation>„{name}“ ist kein Text.</translation>
    </message>
    <message>
        <source>“{name}” has {size} characters. The limit is {most}.</source>
        <translation>„{name}“ hat {size} Zeichen. Das Limit ist {most}.</translation>
    </message>
    <message>
        <source>Add a folder to this chat</source>
        <translation>Diesem Chat einen Ordner hinzufügen</translation>
    </message>
    <message>
        <source>The page didn’t arrive within {seconds} s.</source>
        <translation>Die Seite ist nicht innerhalb von {seconds} s angekommen.</translation>
    </message>
    <message>
        <source>The page is too large.</source>
        <translation>Die Seite ist zu groß.</translation>
    </message>
    <message>
        <source>{url} couldn’t be fetched: {why}.</source>
        <translation>{url} konnte nicht abgerufen werden: {why}.</translation>
    </message>
    <message>
        <source>There were more than {most} redirects.</source>
        <translation>Es gab mehr als {most} Umleitungen.</translation>
    </message>
    <message>
        <source>An address has at most {most} characters.</source>
        <translation>Eine Adresse hat höchstens {most} Zeichen.</translation>
    </message>
    <message>
        <source>This isn’t an address.</source>
        <translation>Das ist keine Adresse.</translation>
    </message>
    <message>
        <source>The address must begin with http:// or https://.</source>
        <translation>Nur Adressen, die mit http:// oder https:// beginnen, werden abgerufen.</translation>
    </message>
    <message>
        <source>The address can’t contain a name and password.</source>
        <translation>Adressen mit Name und Passwort werden nicht abgerufen.</translation>
    </message>
    <message>
        <source>There’s no server {host}.</source>
        <translation>Den Server {host} gibt es nicht.</translation>
    </message>
    <message>
        <source>{host} isn’t on the public internet.</source>
        <translation>{host} liegt nicht im öffentlichen Internet.</translation>
    </message>
    <message>
        <source>The server replied with status {status}.</source>
        <translation>Der Server hat mit Status {status} geantwortet.</translation>
    </message>
    <message>
        <source>Stretto only fetches text, and this is {kind}.</source>
        <translation>Nur Text wird abgerufen, das hier ist {kind}.</translation>
    </message>
    <message>
        <source>Blind comparison</source>
        <translation>Blindvergleich</translation>
    </message>
    <message>
        <source>Compare by</source>
        <translation>Vergleichen nach</translation>
    </message>
    <message>
        <source>Show Differences</source>
        <translation>Unterschiede anzeigen</translation>
    </message>
    <message>
        <source>Scroll Compared Replies Together</source>
        <translation>Verglichene Antworten gemeinsam scrollen</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Filter  Alt+Down</source>
        <translation>Filter  Alt+Down</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>From Me</source>
        <translation>Von mir</translation>
    </message>
    <message>
        <source>From the Model</source>
        <translation>Vom Modell</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archiviert</translation>
    </message>
    <message>
        <source>Collapsed sidebar</source>
        <translation>Eingeklappte Seitenleiste</translation>
    </message>
    <message>
        <source>Show Sidebar  Ctrl+B</source>
        <translation>Seitenleiste einblenden  Ctrl+B</translation>
    </message>
    <message>
        <source>Hide Sidebar  Ctrl+B</source>
        <translation>Seitenleiste ausblenden  Ctrl+B</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>Einklappen</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Ausklappen</translation>
    </message>
    <message>
        <source>Open to the Side</source>
        <translation>Daneben öffnen</translation>
    </message>
    <message numerus="yes">
        <source>Move {count} Chat to Trash</source>
        <comment>Move {count} Chats to Trash</comment>
        <translation>
            <numerusform>{count} Chat in den Papierkorb legen</numerusform>
            <numerusform>{count} Chats in den Papierkorb legen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unpinned</source>
        <comment>{count} chats unpinned</comment>
        <translation>
            <numerusform>Chat losgelöst</numerusform>
            <numerusform>{count} Chats losgelöst</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat archived</source>
        <comment>{count} chats archived</comment>
        <translation>
            <numerusform>Chat archiviert</numerusform>
            <numerusform>{count} Chats archiviert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unarchived</source>
        <comment>{count} chats unarchived</comment>
        <translation>
            <numerusform>Chat aus dem Archiv geholt</numerusform>
            <numerusform>{count} Chats aus dem Archiv geholt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat removed from its folder</source>
        <comment>{count} chats removed from their folders</comment>
        <translation>
            <numerusform>Chat aus seinem Ordner genommen</numerusform>
            <numerusform>{count} Chats aus ihren Ordnern genommen</numerusform>
        </translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Erstellen</translation>
    </message>
    <message>
        <source>Folder “{name}” deleted. Its chats are kept.</source>
        <translation>Ordner „{name}“ gelöscht. Seine Chats bleiben.</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>Aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Remove from Folder</source>
        <translation>Aus dem Ordner nehmen</translation>
    </message>
    <message>
        <source>New Subfolder…</source>
        <translation>Neuer Unterordner…</translation>
    </message>
    <message>
        <source>Move to Top Level</source>
        <translation>Auf die oberste Ebene bewegen</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>No chats yet</source>
        <translation>Noch keine Chats</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>Reply so far</source>
        <translation>Bisherige Antwort</translation>
    </message>
    <message>
        <source>This reply has ended.</source>
        <translation>Diese Antwort ist zu Ende.</translation>
    </message>
    <message>
        <source>Clients, {words}</source>
        <translation>Clients, {words}</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Local API at {address}</source>
        <translation>Lokale API unter {address}</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>ausgeklappt</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>eingeklappt</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archiviert</translation>
    </message>
    <message>
        <source>Ungrouped</source>
        <translation>Gruppierung aufgehoben</translation>
    </message>
    <message>
        <source>Reply {letter}</source>
        <translation>Antwort {letter}</translation>
    </message>
    <message>
        <source>{reply} was {what}</source>
        <comment>Reply A was Seed 1</comment>
        <translation>{reply} war {what}</translation>
    </message>
    <message>
        <source>Chat moved to Trash</source>
        <translation>Chat in den Papierkorb gelegt</translation>
    </message>
    <message>
        <source>Move Chat to Trash</source>
        <translation>Chat in den Papierkorb legen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat moved to Trash</source>
        <comment>%Ln chats moved to Trash</comment>
        <translation>
            <numerusform>%Ln Chat in den Papierkorb gelegt</numerusform>
            <numerusform>%Ln Chats in den Papierkorb gelegt</numerusform>
        </translation>
    </message>
    <message>
        <source>This change came after the chats were closed and isn’t saved.</source>
        <translation>Diese Änderung kam nach dem Schließen der Chats und ist nicht gespeichert.</translation>
    </message>
    <message>
        <source>Saving is taking longer than expected.</source>
        <translation>Das Speichern dauert länger als erwartet.</translation>
    </message>
    <message>
        <source>The disk didn’t respond in time.</source>
        <translation>Der Datenträger hat nicht rechtzeitig reagiert.</translation>
    </message>
    <message>
        <source>Not enough memory right now.</source>
        <translation>Zurzeit nicht genug Speicher.</translation>
    </message>
    <message>
        <source>The chat no longer fits the model’s context.</source>
        <translation>Der Chat passt nicht mehr in den Kontext des Modells.</translation>
    </message>
    <message>
        <source>The model couldn’t reply.</source>
        <translation>Das Modell konnte nicht antworten.</translation>
    </message>
    <message>
        <source>The model can’t process this request.</source>
        <translation>Das Modell kann diese Anfrage nicht verarbeiten.</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>Nicht genug Speicher.</translation>
    </message>
    <message>
        <source>The model is still replying in this chat.</source>
        <translation>Das Modell antwortet in diesem Chat noch.</translation>
    </message>
    <message>
        <source>The model’s chat template doesn’t accept these messages.</source>
        <translation>Die Chat-Vorlage des Modells akzeptiert diese Nachrichten nicht.</translation>
    </message>
    <message>
        <source>The model is no longer loaded.</source>
        <translation>Das Modell ist nicht mehr geladen.</translation>
    </message>
    <message>
        <source>This model can’t keep the chat separate from the others.</source>
        <translation>Dieses Modell kann den Chat nicht von den anderen getrennt halten.</translation>
    </message>
    <message>
        <source>It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and {working} of working memory. {free} is free.</source>
        <translation>Nötig sind {total}: {weights} für Gewichte, {caches} für {chats} mit {context} Tokens und {working} Zwischenspeicher. Frei sind {free}.</translation>
    </message>
    <message>
        <source>Your last changes before the crash may be missing. The damaged journal is kept as {file}.</source>
        <translation>Deine letzten Änderungen vor dem Absturz fehlen vielleicht. Das beschädigte Journal bleibt als {file} erhalten.</translation>
    </message>
    <message>
        <source>Stretto started without chats. Your earlier chats are kept as {file}.</source>
        <translation>Stretto ist ohne Chats gestartet. Deine früheren Chats bleiben als {file} erhalten.</translation>
    </message>
    <message>
        <source>Recovered {messages} in {chats}. The damaged file is kept as {file}.</source>
        <translation>Gerettet: {messages} in {chats}. Die beschädigte Datei bleibt als {file} erhalten.</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>Backup wiederhergestellt.</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats are kept as {file}.</source>
        <translation>Backup wiederhergestellt. Deine vorherigen Chats bleiben als {file} erhalten.</translation>
    </message>
    <message>
        <source>Failed ({kind}). See the log.</source>
        <translation>Fehlgeschlagen ({kind}). Siehe Protokoll.</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <comment>a reply</comment>
        <translation>Längenlimit erreicht</translation>
    </message>
    <message>
        <source>Memory full</source>
        <comment>a reply</comment>
        <translation>Speicher voll</translation>
    </message>
    <message>
        <source>Paste a JSON schema.</source>
        <translation>Füge ein JSON-Schema ein.</translation>
    </message>
    <message>
        <source>Second reading ({letters})</source>
        <translation>Zweiter Durchgang ({letters})</translation>
    </message>
    <message>
        <source>First reading ({letters})</source>
        <translation>Erster Durchgang ({letters})</translation>
    </message>
    <message>
        <source>The judge preferred {letter} in both readings.</source>
        <translation>{letter} wurde in beiden Durchgängen bevorzugt.</translation>
    </message>
    <message>
        <source>The judge changed its mind, so no reply won: {first} in the first reading, {second} in the second.</source>
        <translation>Keine Antwort gewann, denn das Urteil änderte sich: {first} im ersten Durchgang, {second} im zweiten.</translation>
    </message>
    <message>
        <source>The judge didn’t name the same best reply in both readings.</source>
        <translation>In den beiden Durchgängen wurde nicht dieselbe Antwort als beste genannt.</translation>
    </message>
    <message>
        <source>The model hasn’t replied to the tool results.</source>
        <translation>Das Modell hat noch nicht auf die Tool-Ergebnisse geantwortet.</translation>
    </message>
    <message>
        <source>Interrupts the reply when “{file}” is ready. Esc cancels.</source>
        <translation>Unterbricht die Antwort, sobald „{file}“ bereit ist. Esc bricht ab.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Press “{link}” or remove the file.</source>
        <translation>„{file}“ ist zu lang für dieses Modell. Klicke auf „{link}“ oder entferne die Datei.</translation>
    </message>
    <message>
        <source>8 bits: practically identical to the original</source>
        <translation>8 Bit: praktisch wie das Original</translation>
    </message>
    <message>
        <source>2 and 6 bits: small, not for every model</source>
        <translation>2 und 6 Bit: klein, nicht für jedes Modell</translation>
    </message>
    <message>
        <source>Already quantized. Convert the original model instead.</source>
        <translation>Bereits quantisiert. Konvertiere stattdessen das ursprüngliche Modell.</translation>
    </message>
    <message>
        <source>The download failed.</source>
        <translation>Der Download ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Hugging Face doesn’t allow access.</source>
        <translation>Hugging Face erlaubt den Zugriff nicht.</translation>
    </message>
    <message>
        <source>This isn’t possible.</source>
        <translation>Das ist nicht möglich.</translation>
    </message>
    <message>
        <source>The model couldn’t be converted.</source>
        <translation>Das Modell konnte nicht konvertiert werden.</translation>
    </message>
    <message>
        <source>Not enough disk space.</source>
        <translation>Nicht genug Speicherplatz auf dem Datenträger.</translation>
    </message>
    <message>
        <source>Not found on Hugging Face.</source>
        <translation>Auf Hugging Face nicht gefunden.</translation>
    </message>
    <message>
        <source>Hugging Face can’t be reached.</source>
        <translation>Hugging Face ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>Hugging Face cannot be reached. Check the connection.</source>
        <translation>Hugging Face ist nicht erreichbar. Prüfe die Verbindung.</translation>
    </message>
    <message>
        <source>Hugging Face does not answer. Try again in a while.</source>
        <translation>Hugging Face antwortet nicht. Versuche es später erneut.</translation>
    </message>
    <message>
        <source>Hugging Face answers too slowly. Try again in a while.</source>
        <translation>Hugging Face antwortet zu langsam. Versuche es später erneut.</translation>
    </message>
    <message>
        <source>{name} isn’t an adapter. Choose a folder with adapter_config.json and adapters.safetensors.</source>
        <translation>{name} ist kein Adapter. Wähle einen Ordner mit adapter_config.json und adapters.safetensors.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash. You can put it back from there.</source>
        <translation>{name} in den Papierkorb gelegt. Von dort kannst du es zurücklegen.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash.</source>
        <translation>{name} in den Papierkorb gelegt.</translation>
    </message>
    <message>
        <source>{name} is part of Stretto.</source>
        <translation>{name} ist ein Teil von Stretto.</translation>
    </message>
    <message>
        <source>{folder} contains other files too. Remove the model’s files by hand.</source>
        <translation>{folder} enthält auch andere Dateien. Entferne die Dateien des Modells von Hand.</translation>
    </message>
    <message>
        <source>{name} is being moved to the Trash.</source>
        <translation>{name} wird in den Papierkorb gelegt.</translation>
    </message>
    <message>
        <source>{name} is loading. Wait until it has loaded, or cancel.</source>
        <translation>{name} wird geladen. Warte, bis es geladen ist, oder brich das Laden ab.</translation>
    </message>
    <message>
        <source>{name} is being converted. Cancel the conversion first.</source>
        <translation>{name} wird konvertiert. Brich die Konvertierung zuerst ab.</translation>
    </message>
    <message>
        <source>{name} is downloading. Cancel the download first.</source>
        <translation>{name} wird heruntergeladen. Brich den Download zuerst ab.</translation>
    </message>
    <message>
        <source>The chat “{title}” uses it and will need another model.</source>
        <translation>Der Chat „{title}“ verwendet es und braucht dann ein anderes Modell.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat uses it and will need another model.</source>
        <comment>%Ln chats use it and will need another model.</comment>
        <translation>
            <numerusform>%Ln Chat verwendet es und braucht dann ein anderes Modell.</numerusform>
            <numerusform>%Ln Chats verwenden es und brauchen dann ein anderes Modell.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other revision shares its files and is removed too.</source>
        <comment>%n other revisions share its files and are removed too.</comment>
        <translation>
            <numerusform>%n weitere Revision teilt sich seine Dateien und wird auch entfernt.</numerusform>
            <numerusform>%n weitere Revisionen teilen sich seine Dateien und werden auch entfernt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list} and more.</source>
        <translation>Sein Ordner enthält weitere Dateien, die auch entfernt werden: {list} und mehr.</translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list}.</source>
        <translation>Sein Ordner enthält weitere Dateien, die auch entfernt werden: {list}.</translation>
    </message>
    <message>
        <source>{name} couldn’t be removed: {why}. Show its folder and remove it there.</source>
        <translation>{name} konnte nicht entfernt werden: {why}. Zeige den Ordner und entferne ihn dort.</translation>
    </message>
    <message>
        <source>{name} couldn’t be restored: {why}.</source>
        <translation>{name} konnte nicht wiederhergestellt werden: {why}.</translation>
    </message>
    <message>
        <source>This model isn’t loaded.</source>
        <translation>Dieses Modell ist nicht geladen.</translation>
    </message>
    <message>
        <source>The model is replying in “{chat}”. Stop the reply first.</source>
        <translation>Das Modell antwortet in „{chat}“. Stoppe zuerst die Antwort.</translation>
    </message>
    <message numerus="yes">
        <source>The model is replying in %n chat. Stop the reply first.</source>
        <comment>The model is replying in %n chats. Stop the replies first.</comment>
        <translation>
            <numerusform>Das Modell antwortet in %n Chat. Stoppe zuerst die Antwort.</numerusform>
            <numerusform>Das Modell antwortet in %n Chats. Stoppe zuerst die Antworten.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Another chat is waiting for {model}. It keeps loading.</source>
        <comment>%n other chats are waiting for {model}. It keeps loading.</comment>
        <translation>
            <numerusform>Ein anderer Chat wartet auf {model}. Es wird weiter geladen.</numerusform>
            <numerusform>%n andere Chats warten auf {model}. Es wird weiter geladen.</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} was unloaded because the system is low on memory. It loads again when you send a message.</source>
        <translation>{model} wurde entladen, weil der Speicher des Systems knapp ist. Es wird beim Senden einer Nachricht wieder geladen.</translation>
    </message>
    <message>
        <source>Small and fast, often wrong</source>
        <translation>Klein und schnell, irrt sich oft</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>nicht mehr vorhanden</translation>
    </message>
    <message>
        <source>it can’t be moved to the Trash</source>
        <translation>kann nicht in den Papierkorb gelegt werden</translation>
    </message>
    <message>
        <source>it wasn’t moved to the Trash</source>
        <translation>wurde nicht in den Papierkorb gelegt</translation>
    </message>
    <message>
        <source>it is no longer in the Trash</source>
        <translation>nicht mehr im Papierkorb</translation>
    </message>
    <message>
        <source>an item with that name already exists</source>
        <translation>ein Objekt mit diesem Namen ist bereits vorhanden</translation>
    </message>
    <message>
        <source>Longer pastes become attachments.</source>
        <translation>Längere eingefügte Texte werden zu Anhängen.</translation>
    </message>
    <message>
        <source>Nothing about you is sent, and nothing is installed automatically.</source>
        <translation>Nichts über dich wird gesendet und nichts automatisch installiert.</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Ein</translation>
    </message>
    <message>
        <source>Models reload when a chat needs them.</source>
        <translation>Modelle werden wieder geladen, wenn ein Chat sie braucht.</translation>
    </message>
    <message>
        <source>Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs.</source>
        <translation>Editoren, Skripte und Agenten nutzen deine Modelle über die APIs von OpenAI und Anthropic.</translation>
    </message>
    <message>
        <source>Other computers always need a key.</source>
        <translation>Andere Computer brauchen immer einen Schlüssel.</translation>
    </message>
    <message>
        <source>Unknown names go to your first model.</source>
        <translation>Unbekannte Namen gehen an dein erstes Modell.</translation>
    </message>
    <message>
        <source>When off, new sessions are refused at the limit.</source>
        <translation>Wenn ausgeschaltet, werden neue Sitzungen beim Erreichen des Limits abgewiesen.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read. Changes aren’t saved until you quit Stretto.</source>
        <translation>Deine Einstellungen konnten nicht gelesen werden. Änderungen werden nicht gespeichert, bis du Stretto beendest.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read and were reset. The old file is kept as {name}.</source>
        <translation>Deine Einstellungen konnten nicht gelesen werden und wurden zurückgesetzt. Die alte Datei bleibt als {name} erhalten.</translation>
    </message>
    <message>
        <source>Spell check needs enchant (libenchant-2) and a dictionary for your language. Install them, then restart Stretto.</source>
        <translation>Die Rechtschreibprüfung braucht enchant (libenchant-2) und ein Wörterbuch für deine Sprache. Installiere beides und starte Stretto neu.</translation>
    </message>
    <message>
        <source>No dictionary for your language. Install one, for example from hunspell, or choose another language.</source>
        <translation>Kein Wörterbuch für deine Sprache. Installiere eines, etwa von hunspell, oder wähle eine andere Sprache.</translation>
    </message>
    <message>
        <source>The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. Stretto can recover what is readable into a new file or start with an empty one. The damaged file is kept.</source>
        <translation>Die Datei {path} ist beschädigt oder stammt nicht von Stretto. Sie wurde nicht verändert. Stretto kann alles Lesbare in eine neue Datei retten oder mit einer leeren beginnen. Die beschädigte Datei bleibt erhalten.</translation>
    </message>
    <message>
        <source>Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or set the file aside and start with an empty one.</source>
        <translation>In {path} ist nichts lesbar. Die Datei wurde nicht verändert. Stelle ein Backup wieder her oder lege die Datei beiseite und beginne mit einer leeren.</translation>
    </message>
    <message>
        <source>The chats in {path} were last used by a newer version of Stretto, and this version could damage them. Nothing has been changed. Open them with the newer version, or set the file aside and start with an empty one.</source>
        <translation>Die Chats in {path} wurden zuletzt mit einer neueren Version von Stretto verwendet, und diese Version könnte sie beschädigen. Nichts wurde verändert. Öffne sie mit der neueren Version, oder lege die Datei beiseite und beginne mit einer leeren.</translation>
    </message>
    <message>
        <source>One change couldn’t be saved ({what}: {error}). All other changes are saved. Please report this error.</source>
        <translation>Eine Änderung konnte nicht gespeichert werden ({what}: {error}). Alle anderen Änderungen sind gespeichert. Bitte melde diesen Fehler.</translation>
    </message>
    <message>
        <source>Your chats can’t be opened because the disk with {path} is full. Nothing is lost. Free some space, then try again.</source>
        <translation>Deine Chats lassen sich nicht öffnen, weil der Datenträger mit {path} voll ist. Es ist nichts verloren. Gib Speicherplatz frei und versuche es erneut.</translation>
    </message>
    <message>
        <source>Your latest messages aren’t saved yet because the disk with {path} is full. Free some space. Stretto tries again by itself.</source>
        <translation>Deine letzten Nachrichten sind noch nicht gespeichert, weil der Datenträger mit {path} voll ist. Gib Speicherplatz frei. Stretto versucht es von selbst erneut.</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {path}. Make the folder and its file writable and try again, or use another folder. Your chats are copied there.</source>
        <translation>Stretto darf nicht in {path} schreiben. Erlaube das Schreiben in Ordner und Datei und versuche es erneut, oder verwende einen anderen Ordner. Deine Chats werden dorthin kopiert.</translation>
    </message>
    <message>
        <source>The chats in {path} couldn’t be read or saved ({error}). Check that the disk is connected and has free space, then try again.</source>
        <translation>Die Chats in {path} konnten nicht gelesen oder gespeichert werden ({error}). Prüfe, ob der Datenträger verbunden ist und freien Platz hat, und versuche es erneut.</translation>
    </message>
    <message>
        <source>The update information isn’t signed by the makers of Stretto.</source>
        <translation>Die Update-Informationen sind nicht von den Herstellern von Stretto signiert.</translation>
    </message>
    <message>
        <source>The update information couldn’t be read.</source>
        <translation>Die Update-Informationen konnten nicht gelesen werden.</translation>
    </message>
    <message>
        <source>the request was redirected</source>
        <translation>die Anfrage wurde umgeleitet</translation>
    </message>
    <message>
        <source>No response: {why}.</source>
        <translation>Keine Antwort: {why}.</translation>
    </message>
    <message>
        <source>The check failed. See the log.</source>
        <translation>Die Prüfung ist fehlgeschlagen. Siehe Protokoll.</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Neuer Vergleich</translation>
    </message>
    <message>
        <source>The replies appear in this chat, and use its history and settings.</source>
        <translation>Die Antworten erscheinen in diesem Chat und verwenden seinen Verlauf und seine Einstellungen.</translation>
    </message>
    <message>
        <source>Message: {excerpt}</source>
        <translation>Nachricht: {excerpt}</translation>
    </message>
    <message>
        <source>Example: three roles</source>
        <translation>Beispiel: drei Rollen</translation>
    </message>
    <message>
        <source>Choose a saved comparison first.</source>
        <translation>Wähle zuerst einen gesicherten Vergleich.</translation>
    </message>
    <message>
        <source>Everything, including all branches and attached files. Can be imported again.</source>
        <translation>Alles, mit allen Zweigen und angehängten Dateien. Kann wieder importiert werden.</translation>
    </message>
    <message>
        <source>The current branch. Attached files are only named.</source>
        <translation>Der aktuelle Zweig. Angehängte Dateien werden nur genannt.</translation>
    </message>
    <message>
        <source>The current branch in one file. Attached files are only named.</source>
        <translation>Der aktuelle Zweig in einer Datei. Angehängte Dateien werden nur genannt.</translation>
    </message>
    <message>
        <source>The current branch without formatting. Attached files are only named.</source>
        <translation>Der aktuelle Zweig ohne Formatierung. Angehängte Dateien werden nur genannt.</translation>
    </message>
    <message>
        <source>The current branch, ready to print. Attached files are only named.</source>
        <translation>Der aktuelle Zweig, druckfertig. Angehängte Dateien werden nur genannt.</translation>
    </message>
    <message>
        <source>Without a GPU, expect slow replies.</source>
        <translation>Ohne GPU sind die Antworten langsam.</translation>
    </message>
    <message>
        <source>{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, {caches} for {chats} of {tokens}, and {working} of working memory.</source>
        <translation>{verdict}. Braucht {total} von {free}, die Modelle nutzen können: {weights} für Gewichte, {caches} für {chats} mit {tokens} und {working} Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Fits, slow</source>
        <translation>Passt, langsam</translation>
    </message>
    <message>
        <source>{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each chat.</source>
        <translation>{verdict}. Braucht {weights} von {room}, die Modelle nutzen können, dazu etwas Speicher pro Chat.</translation>
    </message>
    <message>
        <source>This server is on this computer.</source>
        <translation>Dieser Server läuft auf diesem Computer.</translation>
    </message>
    <message>
        <source>Describe a quiet morning in one paragraph</source>
        <translation>Beschreibe einen ruhigen Morgen in einem Absatz</translation>
    </message>
    <message>
        <source>What is a black hole? Answer in two sentences.</source>
        <translation>Was ist ein Schwarzes Loch? Antworte in zwei Sätzen.</translation>
    </message>
    <message>
        <source>Give me three tips for a good night’s sleep</source>
        <translation>Gib mir drei Tipps für guten Schlaf</translation>
    </message>
    <message>
        <source>Describe autumn in a forest in one paragraph</source>
        <translation>Beschreibe den Herbst im Wald in einem Absatz</translation>
    </message>
    <message>
        <source>Small, fast, and often wrong. Runs on this computer. Your messages stay here.</source>
        <translation>Klein, schnell und oft im Irrtum. Läuft auf diesem Computer. Deine Nachrichten bleiben hier.</translation>
    </message>
    <message>
        <source>A small model for any topic, fast and often wrong</source>
        <translation>Ein kleines, schnelles Modell für jedes Thema, das sich oft irrt</translation>
    </message>
    <message>
        <source>Asks {name} the same question four times</source>
        <translation>Stellt {name} viermal dieselbe Frage</translation>
    </message>
    <message>
        <source>Too long: {tokens}</source>
        <translation>Zu lang: {tokens}</translation>
    </message>
    <message>
        <source>up to date</source>
        <translation>aktuell</translation>
    </message>
    <message>
        <source>Following {title}</source>
        <translation>{title} wird verfolgt</translation>
    </message>
    <message>
        <source>Tools for This Chat</source>
        <translation>Tools für diesen Chat</translation>
    </message>
    <message>
        <source>Reproducible (slower)</source>
        <translation>Reproduzierbar (langsamer)</translation>
    </message>
    <message>
        <source>Interrupts the reply as soon as possible.</source>
        <translation>Unterbricht die Antwort so bald wie möglich.</translation>
    </message>
    <message>
        <source>Open as Chats</source>
        <translation>Als Chats öffnen</translation>
    </message>
    <message>
        <source>There is nothing to save.</source>
        <translation>Es gibt nichts zu speichern.</translation>
    </message>
    <message>
        <source>Previous  Shift+Enter</source>
        <translation>Vorherige  Shift+Enter</translation>
    </message>
    <message>
        <source>Next  Enter</source>
        <translation>Nächste  Enter</translation>
    </message>
    <message>
        <source>Delete Message</source>
        <translation>Nachricht löschen</translation>
    </message>
    <message>
        <source>Choose Another Model…</source>
        <translation>Anderes Modell auswählen…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Copy Reply</source>
        <translation>Antwort kopieren</translation>
    </message>
    <message>
        <source>Regenerate  Ctrl+R</source>
        <translation>Neu generieren  Ctrl+R</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed  Ctrl+Shift+R</source>
        <translation>Mit gleichem Seed neu generieren  Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Branch in New Chat</source>
        <translation>In neuem Chat verzweigen</translation>
    </message>
    <message>
        <source>Delete from Here</source>
        <translation>Ab hier löschen</translation>
    </message>
    <message>
        <source>Empty reply</source>
        <translation>Leere Antwort</translation>
    </message>
    <message>
        <source>Continue this reply</source>
        <translation>Diese Antwort fortsetzen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>Längenlimit erreicht</translation>
    </message>
    <message>
        <source>memory full</source>
        <translation>Speicher voll</translation>
    </message>
    <message>
        <source>may be incomplete</source>
        <translation>vielleicht unvollständig</translation>
    </message>
    <message>
        <source>attached: {name}</source>
        <translation>angehängt: {name}</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more character</source>
        <comment>… %Ln more characters</comment>
        <translation>
            <numerusform>… noch %Ln Zeichen</numerusform>
            <numerusform>… noch %Ln Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Text Sent to the Model</source>
        <translation>An das Modell gesendeten Text anzeigen</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>Text von {name}</translation>
    </message>
    <message>
        <source>The text is no longer available.</source>
        <translation>Der Text ist nicht mehr verfügbar.</translation>
    </message>
    <message>
        <source>The rest isn’t shown.</source>
        <translation>Der Rest wird nicht angezeigt.</translation>
    </message>
    <message>
        <source>Unwrap Lines</source>
        <translation>Zeilen nicht umbrechen</translation>
    </message>
    <message>
        <source>Wrap Lines</source>
        <translation>Zeilen umbrechen</translation>
    </message>
    <message>
        <source>No longer in context</source>
        <translation>Nicht mehr im Kontext</translation>
    </message>
    <message>
        <source>Edit in New Chat</source>
        <translation>In neuem Chat bearbeiten</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>Mehr anzeigen</translation>
    </message>
    <message>
        <source>Show Less</source>
        <translation>Weniger anzeigen</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>in der Warteschlange</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>liest den Prompt</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>wartet auf dich</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>inaktiv</translation>
    </message>
    <message numerus="yes">
        <source>{title}: {state}, %Ln tokens in memory</source>
        <comment>{title}: {state}, %Ln tokens in memory</comment>
        <translation>
            <numerusform>{title}: {state}, %Ln Token im Speicher</numerusform>
            <numerusform>{title}: {state}, %Ln Tokens im Speicher</numerusform>
        </translation>
    </message>
    <message>
        <source>queued, no. {place}</source>
        <translation>wartet, Platz {place}</translation>
    </message>
    <message>
        <source>{all} in use · chats {kv}</source>
        <translation>{all} belegt · Chats {kv}</translation>
    </message>
    <message>
        <source>models {models} · chats {kv}</source>
        <translation>Modelle {models} · Chats {kv}</translation>
    </message>
    <message>
        <source>context of chats</source>
        <translation>Kontext der Chats</translation>
    </message>
    <message>
        <source>free, kept for reuse</source>
        <translation>frei, zur Wiederverwendung behalten</translation>
    </message>
    <message>
        <source>Stretto</source>
        <translation>Stretto</translation>
    </message>
    <message>
        <source>Memory in use: {size}</source>
        <translation>Belegter Speicher: {size}</translation>
    </message>
    <message>
        <source>Models and chats use {used} of {most}.</source>
        <translation>Modelle und Chats belegen {used} von {most}.</translation>
    </message>
    <message>
        <source>Memory: models {weights}, chats {kv}</source>
        <translation>Speicher: Modelle {weights}, Chats {kv}</translation>
    </message>
    <message>
        <source>Close Score  Ctrl+J</source>
        <translation>Partitur schließen  Ctrl+J</translation>
    </message>
    <message>
        <source>Chats appear here while they reply.</source>
        <translation>Hier erscheinen Chats, während sie antworten.</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Inaktiv</translation>
    </message>
    <message>
        <source>Scroll to End</source>
        <translation>Zum Ende scrollen</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>Änderungen verwerfen?</translation>
    </message>
    <message>
        <source>Keep Editing</source>
        <translation>Weiter bearbeiten</translation>
    </message>
    <message>
        <source>Stretto {version} is available</source>
        <translation>Stretto {version} ist verfügbar</translation>
    </message>
    <message>
        <source>You have {version}. Your chats aren’t affected.</source>
        <translation>Du hast {version}. Deine Chats bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Cancel and Delete</source>
        <translation>Abbrechen und löschen</translation>
    </message>
    <message>
        <source>Enter a name first</source>
        <translation>Gib zuerst einen Namen ein</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt. Tab moves through its {{variables}}.</source>
        <translation>Tippe / in eine leere Nachricht, um einen Prompt einzusetzen. Tab springt durch seine {{variables}}.</translation>
    </message>
    <message>
        <source>Choose New to create your first prompt.</source>
        <translation>Wähle „Neu“, um deinen ersten Prompt zu erstellen.</translation>
    </message>
    <message>
        <source>Restore and Restart</source>
        <translation>Wiederherstellen und neu starten</translation>
    </message>
    <message>
        <source>Delete Permanently</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>The Trash is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
    <message>
        <source>deleted permanently tomorrow</source>
        <translation>wird morgen endgültig gelöscht</translation>
    </message>
    <message>
        <source>deleted permanently today</source>
        <translation>wird heute endgültig gelöscht</translation>
    </message>
    <message>
        <source>Select two or more computers and a model.</source>
        <translation>Wähle mindestens zwei Computer und ein Modell.</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>Computer</translation>
    </message>
    <message>
        <source>Compares connection and speed with a single computer</source>
        <translation>Vergleicht Verbindung und Geschwindigkeit mit einem einzelnen Computer</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>“local” is this computer. Choose another name.</source>
        <translation>„local“ ist dieser Computer. Wähle einen anderen Namen.</translation>
    </message>
    <message>
        <source>Choose one, then enter its key.</source>
        <translation>Wähle eines aus und gib dann seinen Schlüssel ein.</translation>
    </message>
    <message>
        <source>Stored in your keychain and sent only to this address.</source>
        <translation>Wird in deinem Schlüsselbund gespeichert und nur an diese Adresse gesendet.</translation>
    </message>
    <message>
        <source>Messages to this model leave this computer and go to {host}.</source>
        <translation>Nachrichten an dieses Modell verlassen diesen Computer und gehen an {host}.</translation>
    </message>
    <message>
        <source>The connection isn’t encrypted: others on the network can read your messages and the key.</source>
        <translation>Die Verbindung ist nicht verschlüsselt: Andere im Netzwerk können deine Nachrichten und den Schlüssel lesen.</translation>
    </message>
    <message>
        <source>Enter an address and choose or type a model.</source>
        <translation>Gib eine Adresse ein und wähle ein Modell aus oder gib eines ein.</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>Optional</translation>
    </message>
    <message>
        <source>Get Model List</source>
        <translation>Modellliste abrufen</translation>
    </message>
    <message>
        <source>Asks the server which models it has. Nothing else is sent.</source>
        <translation>Fragt den Server nach seinen Modellen. Sonst wird nichts gesendet.</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its chats stay.</source>
        <translation>{name} aus der Liste entfernt. Die Chats bleiben.</translation>
    </message>
    <message>
        <source>Model Card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>Asks Hugging Face about this model</source>
        <translation>Ruft Informationen zu diesem Modell von Hugging Face ab</translation>
    </message>
    <message>
        <source>Already on this computer.</source>
        <translation>Bereits auf diesem Computer.</translation>
    </message>
    <message>
        <source>This version of Stretto doesn’t support its architecture.</source>
        <translation>Diese Version von Stretto unterstützt die Architektur nicht.</translation>
    </message>
    <message>
        <source>The keychain couldn’t store the token. Stretto forgets it when you quit.</source>
        <translation>Der Schlüsselbund konnte das Token nicht speichern. Stretto vergisst es beim Beenden.</translation>
    </message>
    <message>
        <source>An access token is sent to Hugging Face.</source>
        <translation>Ein Zugriffstoken wird an Hugging Face gesendet.</translation>
    </message>
    <message>
        <source>Remove access token</source>
        <translation>Zugriffstoken entfernen</translation>
    </message>
    <message>
        <source>Open Model Page</source>
        <translation>Modellseite öffnen</translation>
    </message>
    <message>
        <source>The server lists no models. Type the name of one.</source>
        <translation>Der Server nennt keine Modelle. Gib den Namen eines Modells ein.</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>On another computer</source>
        <translation>Auf einem anderen Computer</translation>
    </message>
    <message>
        <source>Pin/Unpin Chat</source>
        <translation>Chat anheften/loslösen</translation>
    </message>
    <message>
        <source>Archive/Unarchive Chat</source>
        <translation>Chat archivieren/aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Pause/Resume Reply</source>
        <translation>Antwort pausieren/fortsetzen</translation>
    </message>
    <message>
        <source>Attach Files…  Ctrl+Shift+A</source>
        <translation>Dateien anhängen…  Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Cancel Edit  Esc</source>
        <translation>Bearbeiten abbrechen  Esc</translation>
    </message>
    <message>
        <source>Editing. The original is kept.</source>
        <translation>Bearbeitung. Das Original bleibt erhalten.</translation>
    </message>
    <message>
        <source>Remove {name}  Del</source>
        <translation>{name} entfernen  Del</translation>
    </message>
    <message>
        <source>Choose What to Send…</source>
        <translation>Auswählen, was gesendet wird…</translation>
    </message>
    <message>
        <source>Messages go to {host}.</source>
        <translation>Nachrichten gehen an {host}.</translation>
    </message>
    <message>
        <source>Messages go to {host} on this computer.</source>
        <translation>Nachrichten gehen an {host} auf diesem Computer.</translation>
    </message>
    <message>
        <source>{host} replies, on this computer.</source>
        <translation>{host} antwortet auf diesem Computer.</translation>
    </message>
    <message>
        <source>A remote model. What you send in this chat goes to {host}.</source>
        <translation>Ein Remote-Modell. Was du in diesem Chat sendest, geht an {host}.</translation>
    </message>
    <message>
        <source>Tool results are sent to {host}.</source>
        <translation>Tool-Ergebnisse werden an {host} gesendet.</translation>
    </message>
    <message>
        <source>{host} doesn’t support {names}. Token counts follow each reply.</source>
        <translation>{host} unterstützt Folgendes nicht: {names}. Die Zahl der Tokens folgt nach jeder Antwort.</translation>
    </message>
    <message>
        <source>{context}, {count} cached</source>
        <translation>{context}, {count} im Cache</translation>
    </message>
    <message>
        <source>Choose Model…</source>
        <translation>Modell auswählen…</translation>
    </message>
    <message>
        <source>Chat Settings</source>
        <translation>Chat-Einstellungen</translation>
    </message>
    <message>
        <source>Chat Settings…</source>
        <translation>Chat-Einstellungen…</translation>
    </message>
    <message>
        <source>Reply format</source>
        <translation>Antwortformat</translation>
    </message>
    <message>
        <source>Every reply has this format</source>
        <translation>Jede Antwort hat dieses Format</translation>
    </message>
    <message>
        <source>One choice per line</source>
        <translation>Eine Möglichkeit pro Zeile</translation>
    </message>
    <message>
        <source>One choice per line; \n is a line break</source>
        <translation>Eine Möglichkeit pro Zeile; \n ist ein Zeilenumbruch</translation>
    </message>
    <message>
        <source>A regular expression that the whole reply matches</source>
        <translation>Ein regulärer Ausdruck, dem die ganze Antwort entspricht</translation>
    </message>
    <message>
        <source>Before replying</source>
        <translation>Vor der Antwort</translation>
    </message>
    <message>
        <source>How the model should reply in this chat</source>
        <translation>Wie das Modell in diesem Chat antworten soll</translation>
    </message>
    <message>
        <source>Saved settings</source>
        <translation>Gespeicherte Einstellungen</translation>
    </message>
    <message>
        <source>Reuse Last</source>
        <translation>Letzten wiederverwenden</translation>
    </message>
    <message>
        <source>Use the seed of the last reply</source>
        <translation>Den Seed der letzten Antwort verwenden</translation>
    </message>
    <message>
        <source>New seed for each reply</source>
        <translation>Neuer Seed für jede Antwort</translation>
    </message>
    <message>
        <source>Stop sequences</source>
        <translation>Stoppsequenzen</translation>
    </message>
    <message>
        <source>One text per line</source>
        <translation>Ein Text pro Zeile</translation>
    </message>
    <message>
        <source>The reply stops at any of these texts. One per line, with \n for a line break.</source>
        <translation>Die Antwort stoppt bei jedem dieser Texte. Einer pro Zeile, \n für einen Zeilenumbruch.</translation>
    </message>
    <message>
        <source>Token limit for this chat. Lower uses less memory.</source>
        <translation>Token-Grenze für diesen Chat. Weniger braucht weniger Speicher.</translation>
    </message>
    <message>
        <source>Applies to the next reply.</source>
        <translation>Gilt ab der nächsten Antwort.</translation>
    </message>
    <message>
        <source>Fewer Settings</source>
        <translation>Weniger Einstellungen</translation>
    </message>
    <message>
        <source>More Settings</source>
        <translation>Mehr Einstellungen</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>wird gelesen…</translation>
    </message>
    <message>
        <source>{name} attached, {about}</source>
        <translation>{name} angehängt, {about}</translation>
    </message>
    <message>
        <source>reading {page} of {count}…</source>
        <translation>liest {page} von {count}…</translation>
    </message>
    <message>
        <source>No longer following “{name}”</source>
        <translation>„{name}“ wird nicht mehr verfolgt</translation>
    </message>
    <message>
        <source>{name} removed</source>
        <translation>{name} entfernt</translation>
    </message>
    <message>
        <source>Show Image</source>
        <translation>Bild anzeigen</translation>
    </message>
    <message>
        <source>Pages as Images</source>
        <translation>Seiten als Bilder</translation>
    </message>
    <message>
        <source>Scanned Pages as Images</source>
        <translation>Gescannte Seiten als Bilder</translation>
    </message>
    <message>
        <source>Extract Text of Scanned Pages</source>
        <translation>Text gescannter Seiten auslesen</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Insert as Text</source>
        <translation>Als Text einsetzen</translation>
    </message>
    <message>
        <source>Remove Attachment</source>
        <translation>Anhang entfernen</translation>
    </message>
    <message>
        <source>Port {port} is in use. Choose another port.</source>
        <translation>Port {port} ist belegt. Wähle einen anderen Port.</translation>
    </message>
    <message>
        <source>Port {port} can’t be used ({why}). Choose another port.</source>
        <translation>Port {port} kann nicht verwendet werden ({why}). Wähle einen anderen Port.</translation>
    </message>
    <message>
        <source>You stopped the reply.</source>
        <translation>Du&#xa0;hast&#xa0;die&#xa0;Antwort&#xa0;gestoppt.</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>Die&#xa0;Antwort&#xa0;ist&#xa0;fehlgeschlagen.</translation>
    </message>
    <message>
        <source>The reply was interrupted.</source>
        <translation>Die&#xa0;Antwort&#xa0;wurde&#xa0;unterbrochen.</translation>
    </message>
    <message>
        <source>Not sent. {why}</source>
        <translation>Nicht gesendet. {why}</translation>
    </message>
    <message>
        <source>Not sent yet.</source>
        <translation>Noch&#xa0;nicht&#xa0;gesendet.</translation>
    </message>
    <message numerus="yes">
        <source>%n message deleted</source>
        <comment>%n messages deleted</comment>
        <translation>
            <numerusform>%n Nachricht gelöscht</numerusform>
            <numerusform>%n Nachrichten gelöscht</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat gets it when its reply ends</source>
        <comment>%n chats get it when their replies end</comment>
        <translation>
            <numerusform>%n Chat bekommt sie, sobald seine Antwort fertig ist</numerusform>
            <numerusform>%n Chats bekommen sie, sobald ihre Antworten fertig sind</numerusform>
        </translation>
    </message>
    <message>
        <source>translation, locale</source>
        <translation>Übersetzung, Region, Sprache</translation>
    </message>
    <message>
        <source>Enter key, Return key, new line</source>
        <translation>Eingabetaste, Enter, Zeilenumbruch</translation>
    </message>
    <message>
        <source>clipboard, paste</source>
        <translation>Zwischenablage, einsetzen, einfügen</translation>
    </message>
    <message>
        <source>spellcheck, dictionary, typos</source>
        <translation>Rechtschreibprüfung, Wörterbuch, Tippfehler</translation>
    </message>
    <message>
        <source>notifications, alerts, sound</source>
        <translation>Mitteilungen, Hinweise, Ton</translation>
    </message>
    <message>
        <source>keys, hotkeys, key bindings</source>
        <translation>Tasten, Tastenkürzel, Tastenbelegung</translation>
    </message>
    <message>
        <source>upgrade, new version</source>
        <translation>Aktualisierung, neue Version</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, appearance, colors</source>
        <translation>Dunkelmodus, heller Modus, Nacht, Erscheinungsbild, Farben</translation>
    </message>
    <message>
        <source>accessibility, readability</source>
        <translation>Bedienungshilfen, Lesbarkeit</translation>
    </message>
    <message>
        <source>font size, scale, larger, smaller</source>
        <translation>Schriftgröße, Skalierung, größer, kleiner</translation>
    </message>
    <message>
        <source>font size, larger, smaller</source>
        <translation>Schriftgröße, größer, kleiner</translation>
    </message>
    <message>
        <source>animations, effects</source>
        <translation>Animationen, Effekte</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>Standardmodell</translation>
    </message>
    <message>
        <source>creativity, randomness, sampling</source>
        <translation>Kreativität, Zufall, Sampling</translation>
    </message>
    <message>
        <source>maximum tokens, length</source>
        <translation>maximale Token, Länge</translation>
    </message>
    <message>
        <source>context window, overflow</source>
        <translation>Kontextfenster, Überlauf</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM, Arbeitsspeicher</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>Speicher freigeben</translation>
    </message>
    <message>
        <source>HTTP, OpenAI, endpoint</source>
        <translation>HTTP, OpenAI, Endpunkt</translation>
    </message>
    <message>
        <source>network, LAN</source>
        <translation>Netzwerk, LAN</translation>
    </message>
    <message>
        <source>access, password</source>
        <translation>Zugriff, Passwort</translation>
    </message>
    <message>
        <source>plugins, extensions, connectors</source>
        <translation>Plug-ins, Erweiterungen, Konnektoren</translation>
    </message>
    <message>
        <source>storage, space</source>
        <translation>Speicherplatz</translation>
    </message>
    <message>
        <source>recover, earlier state</source>
        <translation>wiederherstellen, früherer Stand</translation>
    </message>
    <message>
        <source>deleted chats</source>
        <translation>gelöschte Chats</translation>
    </message>
    <message>
        <source>No settings found</source>
        <translation>Keine Einstellungen gefunden</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Weniger anzeigen</translation>
    </message>
    <message>
        <source>My chats first</source>
        <translation>Meine Chats zuerst</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>Gleich</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Who goes first when the model is busy</source>
        <translation>Wer zuerst drankommt, wenn das Modell ausgelastet ist</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>running a tool for {time}</source>
        <translation>Tool läuft seit {time}</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>wartet auf das Modell</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>wartet, bis es dran ist</translation>
    </message>
    <message>
        <source>reading {share} of {total}</source>
        <translation>liest {share} von {total}</translation>
    </message>
    <message>
        <source>reading {share} of {total} ({known} cached)</source>
        <translation>liest {share} von {total} ({known} aus dem Cache)</translation>
    </message>
    <message>
        <source>{share} of context</source>
        <translation>{share} des Kontexts</translation>
    </message>
    <message>
        <source>Save as Chat</source>
        <translation>Als Chat sichern</translation>
    </message>
    <message>
        <source>Too long to be saved as a chat.</source>
        <translation>Zu lang, um als Chat gesichert zu werden.</translation>
    </message>
    <message>
        <source>Stop this agent</source>
        <translation>Diesen Agenten stoppen</translation>
    </message>
    <message>
        <source>sub-agent</source>
        <translation>Unteragent</translation>
    </message>
    <message>
        <source>Stop all of them</source>
        <translation>Alle stoppen</translation>
    </message>
    <message numerus="yes">
        <source>{program} · %n agent</source>
        <comment>{program} · %n agents</comment>
        <translation>
            <numerusform>{program} · %n Agent</numerusform>
            <numerusform>{program} · %n Agenten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n busy</source>
        <comment>%n busy</comment>
        <translation>
            <numerusform>%n beschäftigt</numerusform>
            <numerusform>%n beschäftigt</numerusform>
        </translation>
    </message>
    <message>
        <source>Shuffles the replies and hides names until you keep one</source>
        <translation>Mischt die Antworten und verbirgt die Namen, bis du eine behältst</translation>
    </message>
    <message>
        <source>See Four Replies</source>
        <translation>Vier Antworten ansehen</translation>
    </message>
    <message>
        <source>Leave Broadcast</source>
        <translation>Broadcast verlassen</translation>
    </message>
    <message>
        <source>Join Broadcast</source>
        <translation>Broadcast beitreten</translation>
    </message>
    <message>
        <source>{name} kept</source>
        <translation>{name} behalten</translation>
    </message>
    <message>
        <source>{name} kept, {kept} of {times} times so far</source>
        <translation>{name} behalten, bisher {kept} von {times} Mal</translation>
    </message>
    <message>
        <source>Unpin Chat</source>
        <translation>Chat loslösen</translation>
    </message>
    <message>
        <source>Pin Chat</source>
        <translation>Chat anheften</translation>
    </message>
    <message>
        <source>Unarchive Chat</source>
        <translation>Chat aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Archive Chat</source>
        <translation>Chat archivieren</translation>
    </message>
    <message>
        <source>Same as Current Chat</source>
        <translation>Wie aktueller Chat</translation>
    </message>
    <message>
        <source>This chat has no folders.</source>
        <translation>Dieser Chat hat keine Ordner.</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>This folder is empty.</source>
        <translation>Dieser Ordner ist leer.</translation>
    </message>
    <message>
        <source>The code printed nothing.</source>
        <translation>Der Code hat nichts ausgegeben.</translation>
    </message>
    <message numerus="yes">
        <source>%n byte written to {path}</source>
        <comment>%n bytes written to {path}</comment>
        <translation>
            <numerusform>%n Byte in {path} geschrieben</numerusform>
            <numerusform>%n Bytes in {path} geschrieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Broadcast later messages too</source>
        <translation>Auch die folgenden Nachrichten an alle senden</translation>
    </message>
    <message>
        <source>Enter chooses what the model gets, Delete removes the file</source>
        <translation>Enter wählt, was das Modell bekommt, Entf entfernt die Datei</translation>
    </message>
    <message>
        <source>“{name}” isn’t filled in yet. Press Enter again to send it anyway.</source>
        <translation>„{name}“ ist noch nicht ausgefüllt. Drücke erneut Enter, um trotzdem zu senden.</translation>
    </message>
    <message>
        <source>Stretto backs up your chats once a day and before each update, and keeps the last three backups. When you restore one, your current chats are kept in a separate file.</source>
        <translation>Stretto legt einmal am Tag und vor jedem Update ein Backup deiner Chats an und behält die letzten drei Backups. Wenn du eines wiederherstellst, bleiben deine aktuellen Chats in einer eigenen Datei erhalten.</translation>
    </message>
    <message>
        <source>No backups yet. Stretto makes the first one the next day you use it.</source>
        <translation>Noch keine Backups. Das erste erstellt Stretto am nächsten Tag, an dem du es benutzt.</translation>
    </message>
    <message>
        <source>Your chats are saved. The report contains versions and stack traces, none of your chats, and stays on this computer unless you share it.</source>
        <translation>Deine Chats sind gespeichert. Der Bericht enthält Versionen und Stack-Traces, aber nichts aus deinen Chats. Er bleibt auf diesem Computer, solange du ihn nicht weitergibst.</translation>
    </message>
    <message>
        <source>Your chats were used by a newer version of Stretto</source>
        <translation>Deine Chats wurden mit einer neueren Version von Stretto verwendet</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {place}. Make it writable, then try again.</source>
        <translation>Stretto hat keine Schreibrechte für {place}. Erlaube das Schreiben dort und versuche es dann erneut.</translation>
    </message>
    <message>
        <source>Recover What Can Be Read</source>
        <translation>Lesbares retten</translation>
    </message>
    <message>
        <source>{cause} Changes that aren’t saved when you quit are lost.</source>
        <translation>{cause} Änderungen, die beim Beenden nicht gesichert sind, gehen verloren.</translation>
    </message>
    <message>
        <source>Stretto is already running but not responding</source>
        <translation>Stretto läuft bereits, reagiert aber nicht</translation>
    </message>
    <message>
        <source>Another copy of Stretto has these chats open. Wait a moment and try again, or quit the other copy first.</source>
        <translation>Diese Chats sind in einer anderen Kopie von Stretto geöffnet. Warte einen Moment und versuche es erneut, oder beende zuerst die andere Kopie.</translation>
    </message>
    <message>
        <source>Local chats side by side, all replying at the same time. What you write to local models stays on this computer.</source>
        <translation>Lokale Chats nebeneinander, die alle gleichzeitig antworten. Was du an lokale Modelle schreibst, bleibt auf diesem Computer.</translation>
    </message>
    <message>
        <source>Chats to export</source>
        <translation>Zu exportierende Chats</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>of what is exported</comment>
        <translation>Format</translation>
    </message>
    <message>
        <source>Include reasoning</source>
        <translation>Nachdenken einschließen</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>Fortschritt des Exports</translation>
    </message>
    <message>
        <source>Always included in JSON</source>
        <translation>In JSON immer enthalten</translation>
    </message>
    <message>
        <source>Export to Folder</source>
        <translation>In einen Ordner exportieren</translation>
    </message>
    <message>
        <source>Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you already have aren’t changed.</source>
        <translation>Importiere JSON von Stretto, Datenexporte von ChatGPT und Claude (das ZIP-Archiv oder die conversations.json darin), Exporte von Open WebUI und Chatdateien von LM Studio. Vorhandene Chats werden nicht geändert.</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Fortschritt des Imports</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>Nicht importiert</translation>
    </message>
    <message>
        <source>Such as LM Studio’s chats folder</source>
        <translation>Etwa der Chat-Ordner von LM Studio</translation>
    </message>
    <message>
        <source>Import Folder</source>
        <translation>Ordner importieren</translation>
    </message>
    <message>
        <source>Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used under the LGPL as separate libraries, which you may replace with your own builds.</source>
        <translation>Stretto steht unter der MIT-Lizenz. Qt, PySide6 und Qt Advanced Docking werden unter der LGPL als separate Bibliotheken verwendet, die du durch eigene Builds ersetzen darfst.</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Komponenten</translation>
    </message>
    <message>
        <source>“{name}” already exists. Replace it?</source>
        <translation>„{name}“ ist bereits vorhanden. Ersetzen?</translation>
    </message>
    <message>
        <source>Prompt text</source>
        <translation>Text des Prompts</translation>
    </message>
    <message>
        <source>There’s no deleted prompt to restore</source>
        <translation>Es gibt keinen gelöschten Prompt zum Wiederherstellen</translation>
    </message>
    <message>
        <source>Another prompt has this name. This one is still called “{before}”.</source>
        <translation>Ein anderer Prompt heißt schon so. Dieser heißt noch „{before}“.</translation>
    </message>
    <message numerus="yes">
        <source>Deleted chats stay here for %n day and are then deleted permanently.</source>
        <comment>Deleted chats stay here for %n days and are then deleted permanently.</comment>
        <translation>
            <numerusform>Gelöschte Chats bleiben %n Tag hier und werden dann endgültig gelöscht.</numerusform>
            <numerusform>Gelöschte Chats bleiben %n Tage hier und werden dann endgültig gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged files that were set aside may still contain text of deleted chats: {files}</source>
        <translation>Beiseitegelegte beschädigte Dateien können noch Text gelöschter Chats enthalten: {files}</translation>
    </message>
    <message>
        <source>Delete “{title}” permanently, from backups too? This can’t be undone.</source>
        <translation>„{title}“ endgültig löschen, auch aus den Backups? Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln chat permanently, from backups too? This can’t be undone.</source>
        <comment>Delete %Ln chats permanently, from backups too? This can’t be undone.</comment>
        <translation>
            <numerusform>%Ln Chat endgültig löschen, auch aus den Backups? Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>%Ln Chats endgültig löschen, auch aus den Backups? Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day left</source>
        <comment>%n days left</comment>
        <translation>
            <numerusform>noch %n Tag</numerusform>
            <numerusform>noch %n Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>The download page lists what’s new.</source>
        <translation>Was neu ist, steht auf der Download-Seite.</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>Neuerungen</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>JSON-Schema</translation>
    </message>
    <message>
        <source>List of choices</source>
        <translation>Auswahlliste</translation>
    </message>
    <message>
        <source>Split a model that’s too large for one computer across several. Each needs the same version of Stretto, the model’s files, and SSH access without a password.</source>
        <translation>Führe ein Modell, das für einen Computer zu groß ist, auf mehreren aus, mit einem Teil auf jedem. Alle brauchen dieselbe Version von Stretto, die Dateien des Modells und SSH-Zugang ohne Passwort.</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>user@host, or local</source>
        <translation>nutzer@host oder local</translation>
    </message>
    <message>
        <source>Command, such as stretto</source>
        <translation>Befehl, etwa stretto</translation>
    </message>
    <message numerus="yes">
        <source>{weights}, group size %n</source>
        <comment>{weights}, group size %n</comment>
        <translation>
            <numerusform>{weights}, Gruppengröße %n</numerusform>
            <numerusform>{weights}, Gruppengröße %n</numerusform>
        </translation>
    </message>
    <message>
        <source>{weights}, some layers differ</source>
        <translation>{weights}; einige Schichten weichen ab</translation>
    </message>
    <message>
        <source>{name} hasn’t drafted any tokens yet.</source>
        <translation>{name} hat noch keine Tokens entworfen.</translation>
    </message>
    <message numerus="yes">
        <source>{name} has drafted %Ln token; {share} accepted.</source>
        <comment>{name} has drafted %Ln tokens; {share} accepted.</comment>
        <translation>
            <numerusform>{name} hat %Ln Token entworfen; {share} akzeptiert.</numerusform>
            <numerusform>{name} hat %Ln Tokens entworfen; {share} akzeptiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Make It Fit…</source>
        <translation>Platz schaffen…</translation>
    </message>
    <message numerus="yes">
        <source>Pasted text attached as a file, %Ln character</source>
        <comment>Pasted text attached as a file, %Ln characters</comment>
        <translation>
            <numerusform>Eingefügter Text als Datei angehängt, %Ln Zeichen</numerusform>
            <numerusform>Eingefügter Text als Datei angehängt, %Ln Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>Relevant Passages Only</source>
        <translation>Nur passende Stellen</translation>
    </message>
    <message>
        <source>Higher is more random. 0 always picks the most likely token.</source>
        <translation>Höher ist zufälliger. 0 wählt immer das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>In tokens, including thinking</source>
        <translation>In Tokens, einschließlich Nachdenken</translation>
    </message>
    <message>
        <source>Only the most likely tokens, up to this total probability</source>
        <translation>Nur die wahrscheinlichsten Tokens, bis zu dieser Gesamtwahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Only this many of the most likely tokens. 0 means all.</source>
        <translation>Nur so viele der wahrscheinlichsten Tokens. 0 bedeutet alle.</translation>
    </message>
    <message>
        <source>Only tokens at least this likely, relative to the first</source>
        <translation>Nur Tokens, die relativ zum ersten mindestens so wahrscheinlich sind</translation>
    </message>
    <message>
        <source>Only tokens of typical probability, up to this total</source>
        <translation>Nur Tokens mit typischer Wahrscheinlichkeit, bis zu dieser Summe</translation>
    </message>
    <message>
        <source>How often the most likely tokens are excluded</source>
        <translation>Wie oft die wahrscheinlichsten Tokens ausgeschlossen werden</translation>
    </message>
    <message>
        <source>Excludes tokens at least this likely</source>
        <translation>Schließt Tokens aus, die mindestens so wahrscheinlich sind</translation>
    </message>
    <message>
        <source>Above 1, recent tokens become less likely</source>
        <translation>Über 1 werden die letzten Tokens unwahrscheinlicher</translation>
    </message>
    <message>
        <source>Applied once to each recent token</source>
        <translation>Einmal für jedes der letzten Tokens</translation>
    </message>
    <message>
        <source>Applied each time a token was used</source>
        <translation>Für jedes Vorkommen eines Tokens</translation>
    </message>
    <message>
        <source>as JSON by schema</source>
        <translation>als JSON nach Schema</translation>
    </message>
    <message>
        <source>from a list of choices</source>
        <translation>aus einer Auswahlliste</translation>
    </message>
    <message>
        <source>by pattern</source>
        <translation>nach Muster</translation>
    </message>
    <message numerus="yes">
        <source>It would fit with the KV cache at %n bit.</source>
        <comment>It would fit with the KV cache at %n bits.</comment>
        <translation>
            <numerusform>Mit einem KV-Cache in %n Bit würde es passen.</numerusform>
            <numerusform>Mit einem KV-Cache in %n Bit würde es passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} cached</source>
        <comment>tokens</comment>
        <translation>{count} aus dem Cache</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>identisch</translation>
    </message>
    <message>
        <source>not identical</source>
        <translation>nicht identisch</translation>
    </message>
    <message>
        <source>{size} · Ready</source>
        <translation>{size} · Bereit</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>Wartet auf einen anderen Download</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face…</source>
        <translation>Wartet auf Hugging Face…</translation>
    </message>
    <message>
        <source>{tool} · Interrupted when Stretto quit</source>
        <translation>{tool} · Unterbrochen, als Stretto beendet wurde</translation>
    </message>
    <message>
        <source>“{field}” looks like a secret. Servers must not ask for secrets in this way. Decline unless you know why.</source>
        <translation>„{field}“ sieht nach etwas Geheimem aus. Server dürfen nicht so danach fragen. Lehne ab, wenn du nicht weißt, warum.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this key when you quit.</source>
        <translation>Kein Schlüsselbund gefunden. Stretto vergisst diesen Schlüssel beim Beenden.</translation>
    </message>
    <message numerus="yes">
        <source>%n model available.</source>
        <comment>%n models available.</comment>
        <translation>
            <numerusform>%n Modell verfügbar.</numerusform>
            <numerusform>%n Modelle verfügbar.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replying · {rate} in total</source>
        <comment>%n replying · {rate} in total</comment>
        <translation>
            <numerusform>%n antwortet · {rate} insgesamt</numerusform>
            <numerusform>%n antworten · {rate} insgesamt</numerusform>
        </translation>
    </message>
    <message>
        <source>Convert to a smaller copy</source>
        <translation>In eine kleinere Kopie konvertieren</translation>
    </message>
    <message numerus="yes">
        <source>Use %n-bit KV cache for this chat</source>
        <comment>Use %n-bit KV cache for this chat</comment>
        <translation>
            <numerusform>KV-Cache dieses Chats in %n Bit speichern</numerusform>
            <numerusform>KV-Cache dieses Chats in %n Bit speichern</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. Slightly less accurate.</source>
        <translation>Braucht {size}. Etwas weniger genau.</translation>
    </message>
    <message numerus="yes">
        <source>Limit this chat to %Ln token</source>
        <comment>Limit this chat to %Ln tokens</comment>
        <translation>
            <numerusform>Diesen Chat auf %Ln Token begrenzen</numerusform>
            <numerusform>Diesen Chat auf %Ln Tokens begrenzen</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. You can change this in the chat’s settings.</source>
        <translation>Braucht {size}. Du kannst das in den Einstellungen des Chats ändern.</translation>
    </message>
    <message>
        <source>Needs {size}. Longer chats may run out of memory.</source>
        <translation>Braucht {size}. Für längere Chats reicht der Speicher vielleicht nicht.</translation>
    </message>
    <message>
        <source>Its weights need {size}. Already on this computer.</source>
        <translation>Seine Gewichte brauchen {size}. Bereits auf diesem Computer.</translation>
    </message>
    <message>
        <source>Find a smaller model…</source>
        <translation>Kleineres Modell suchen…</translation>
    </message>
    <message>
        <source>Searches Hugging Face.</source>
        <translation>Öffnet die Suche auf Hugging Face.</translation>
    </message>
    <message>
        <source>Its weights fit. Chats may run out of memory.</source>
        <translation>Seine Gewichte passen. Für Chats reicht der Speicher vielleicht nicht.</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Trotzdem laden</translation>
    </message>
    <message>
        <source>Frees {size}. It loads again when you send.</source>
        <translation>Gibt {size} frei. Es wird beim Senden wieder geladen.</translation>
    </message>
    <message>
        <source>Frees {size}. They load again when you send.</source>
        <translation>Gibt {size} frei. Sie werden beim Senden wieder geladen.</translation>
    </message>
    <message>
        <source>{name} stays loaded. {why}</source>
        <translation>{name} bleibt geladen. {why}</translation>
    </message>
    <message>
        <source>Tokens per chat</source>
        <translation>Tokens pro Chat</translation>
    </message>
    <message>
        <source>For {chats} of {tokens}</source>
        <translation>Für {chats} mit {tokens}</translation>
    </message>
    <message>
        <source>Sent only to Hugging Face. Stored in your keychain once accepted.</source>
        <translation>Wird nur an Hugging Face gesendet und nach der Annahme in deinem Schlüsselbund gespeichert.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this token when you quit.</source>
        <translation>Kein Schlüsselbund gefunden. Stretto vergisst dieses Token beim Beenden.</translation>
    </message>
    <message>
        <source>Blocked because this link attaches a file to an email.</source>
        <translation>Blockiert, weil dieser Link eine Datei an eine E-Mail anhängt.</translation>
    </message>
    <message>
        <source>Write an email to this address outside Stretto?</source>
        <translation>Eine E-Mail an diese Adresse außerhalb von Stretto schreiben?</translation>
    </message>
    <message>
        <source>It leads to {place}, not to the text before the “@”:</source>
        <translation>Er führt zu {place}, nicht zu dem, was vor dem „@“ steht:</translation>
    </message>
    <message>
        <source>Its message: “{words}”</source>
        <translation>Meldung: „{words}“</translation>
    </message>
    <message>
        <source>The chat doesn’t fit in the context of {model}.</source>
        <translation>Der Chat passt nicht in den Kontext von {model}.</translation>
    </message>
    <message>
        <source>{host} doesn’t support choices or patterns as a reply format. Choose another under “Reply format” in the chat’s settings, such as JSON.</source>
        <translation>{host} unterstützt keine Auswahllisten oder Muster als Antwortformat. Wähle in den Einstellungen des Chats unter „Antwortformat“ ein anderes, etwa JSON.</translation>
    </message>
    <message>
        <source>No misspelled words found.</source>
        <translation>Keine falsch geschriebenen Wörter gefunden.</translation>
    </message>
    <message>
        <source>{word} isn’t in the dictionary.</source>
        <translation>{word} steht nicht im Wörterbuch.</translation>
    </message>
    <message>
        <source>Suggestions took too long</source>
        <translation>Die Vorschläge dauern zu lange</translation>
    </message>
    <message>
        <source>Code, hard questions, room for more chats</source>
        <translation>Code, schwierige Fragen, Platz für mehr Chats</translation>
    </message>
    <message>
        <source>Nothing found yet. Start the other Stretto with “serve --announce”.</source>
        <translation>Noch nichts gefunden. Starte das andere Stretto mit „serve --announce“.</translation>
    </message>
    <message>
        <source>Leave out oldest messages when context is full</source>
        <translation>Älteste Nachrichten weglassen, wenn der Kontext voll ist</translation>
    </message>
    <message>
        <source>Copy code for OpenAI’s library</source>
        <translation>Code für die OpenAI-Bibliothek kopieren</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a server</comment>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>The file has changed since the changes were shown.</source>
        <translation>Die Datei hat sich geändert, seit die Änderungen angezeigt wurden.</translation>
    </message>
    <message>
        <source>“{path}” isn’t an absolute path.</source>
        <translation>„{path}“ ist kein absoluter Pfad.</translation>
    </message>
    <message>
        <source>Only numbers, + - * / // % **, brackets, and common functions are supported.</source>
        <translation>Erlaubt sind nur Zahlen, + - * / // % **, Klammern und die üblichen Funktionen.</translation>
    </message>
    <message>
        <source>Tools in this chat can change files in it. You see each change first.  W</source>
        <translation>Tools dieses Chats können Dateien darin ändern. Du siehst jede Änderung vorher.  W</translation>
    </message>
    <message>
        <source>Run every waiting call in this chat  A</source>
        <translation>Alle wartenden Aufrufe dieses Chats ausführen  A</translation>
    </message>
    <message>
        <source>Run none of the waiting calls</source>
        <translation>Keinen der wartenden Aufrufe ausführen</translation>
    </message>
    <message>
        <source>Stop this call</source>
        <translation>Diesen Aufruf stoppen</translation>
    </message>
    <message>
        <source>Stop this call and run it again</source>
        <translation>Diesen Aufruf stoppen und erneut ausführen</translation>
    </message>
    <message>
        <source>Tools in this chat can list, search, and read files in it</source>
        <translation>Tools dieses Chats können Dateien darin auflisten, durchsuchen und lesen</translation>
    </message>
    <message numerus="yes">
        <source>These tools add %Ln token to each prompt.</source>
        <comment>These tools add %Ln tokens to each prompt.</comment>
        <translation>
            <numerusform>Diese Tools verlängern jeden Prompt um %Ln Token.</numerusform>
            <numerusform>Diese Tools verlängern jeden Prompt um %Ln Tokens.</numerusform>
        </translation>
    </message>
    <message>
        <source>Not started</source>
        <comment>a server</comment>
        <translation>Nicht gestartet</translation>
    </message>
    <message>
        <source>Starting…</source>
        <comment>a server</comment>
        <translation>Wird gestartet…</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>a server</comment>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>New or changed. Starts when a chat needs it:</source>
        <translation>Neu oder geändert. Wird gestartet, wenn ein Chat ihn braucht:</translation>
    </message>
    <message>
        <source>Add a folder that contains models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
    <message>
        <source>No models yet. Get one from Hugging Face, or add a folder of models.</source>
        <translation>Noch keine Modelle. Lade eines von Hugging Face herunter oder füge einen Ordner mit Modellen hinzu.</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model name or link</source>
        <translation>Hugging Face durchsuchen oder Modellnamen oder Link einfügen</translation>
    </message>
    <message>
        <source>This model already has an adapter</source>
        <translation>Dieses Modell hat schon einen Adapter</translation>
    </message>
    <message>
        <source>Lists the model a second time, with a LoRA or DoRA adapter</source>
        <translation>Führt das Modell ein zweites Mal auf, mit einem LoRA- oder DoRA-Adapter</translation>
    </message>
    <message>
        <source>Enter part of a model’s name first</source>
        <translation>Gib zuerst einen Teil des Modellnamens ein</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a reply</comment>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>It runs on {hosts} and hasn’t been started.</source>
        <translation>Es läuft auf {hosts} und wurde noch nicht gestartet.</translation>
    </message>
    <message>
        <source>Looking for changes…</source>
        <translation>Änderungen werden ermittelt…</translation>
    </message>
    <message>
        <source>Leave Out Oldest Messages</source>
        <translation>Älteste Nachrichten weglassen</translation>
    </message>
    <message>
        <source>Interrupted when Stretto quit</source>
        <comment>a reply</comment>
        <translation>Unterbrochen, als Stretto beendet wurde</translation>
    </message>
    <message>
        <source>Opens the model’s page on Hugging Face</source>
        <translation>Öffnet die Seite des Modells bei Hugging Face</translation>
    </message>
    <message>
        <source>{context}. Nearly full. Start a new chat, or leave out the oldest messages.</source>
        <translation>{context}. Fast voll: Beginne einen neuen Chat oder lass die ältesten Nachrichten weg.</translation>
    </message>
    <message>
        <source>This chat now leaves out its oldest messages</source>
        <translation>Dieser Chat lässt jetzt seine ältesten Nachrichten weg</translation>
    </message>
    <message>
        <source>As Much as Fits</source>
        <translation>So viel, wie passt</translation>
    </message>
    <message>
        <source>Search Chats for “{words}”</source>
        <translation>Chats nach „{words}“ durchsuchen</translation>
    </message>
    <message>
        <source>Use with a coding agent</source>
        <translation>Mit Coding-Agenten verwenden</translation>
    </message>
    <message>
        <source>Model aliases</source>
        <translation>Modell-Aliasse</translation>
    </message>
    <message>
        <source>Cached context of clients</source>
        <translation>Kontext-Cache der Clients</translation>
    </message>
    <message>
        <source>launch, Claude Code, Codex, terminal</source>
        <translation>starten, Claude Code, Codex, Terminal</translation>
    </message>
    <message>
        <source>Clear the cached context of clients</source>
        <translation>Kontext-Cache der Clients leeren</translation>
    </message>
    <message>
        <source>Lets them resume right away after a restart</source>
        <translation>Nach einem Neustart geht es sofort weiter</translation>
    </message>
    <message>
        <source>Open Terminal…</source>
        <translation>Terminal öffnen…</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names} und andere</translation>
    </message>
    <message>
        <source>Use with Agent</source>
        <translation>Mit Agenten verwenden</translation>
    </message>
    <message>
        <source>Choose project folder</source>
        <translation>Projektordner auswählen</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>Projektordner</translation>
    </message>
    <message>
        <source>The agent’s own settings stay as they are. Stretto creates a key if it needs one. If it isn’t installed, the terminal shows how to install it.</source>
        <translation>Die eigenen Einstellungen des Agenten bleiben, wie sie sind. Braucht er einen Schlüssel, wird einer für ihn erstellt. Ist er nicht installiert, sagt das Terminal, wie das geht.</translation>
    </message>
    <message>
        <source>Copy Command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Open in Terminal</source>
        <translation>Im Terminal öffnen</translation>
    </message>
    <message>
        <source>Choose Project Folder</source>
        <translation>Projektordner auswählen</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command into yours.</source>
        <translation>Es wurde kein Terminal gefunden. Kopiere den Befehl in deines.</translation>
    </message>
    <message>
        <source>The terminal couldn’t be opened: {error}.</source>
        <translation>Das Terminal konnte nicht geöffnet werden: {error}.</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>Prompt-Lookup</translation>
    </message>
    <message>
        <source>Prompt lookup</source>
        <translation>Prompt-Lookup</translation>
    </message>
    <message>
        <source>A smaller model with the same tokenizer can speed up a chat that replies alone. Prompt lookup needs no model. It helps when the reply repeats text or code from the chat with changes. Replies stay the same.</source>
        <translation>Ein kleineres Modell mit demselben Tokenizer kann einen Chat beschleunigen, der allein antwortet. Prompt-Lookup braucht kein Modell: Es hilft, wenn Text oder Code aus dem Chat mit Änderungen noch einmal geschrieben wird. Die Antworten bleiben gleich.</translation>
    </message>
    <message>
        <source>{name} no longer uses prompt lookup.</source>
        <translation>{name} verwendet Prompt-Lookup nicht mehr.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup.</source>
        <translation>{name} verwendet Prompt-Lookup.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup once loaded.</source>
        <translation>{name} verwendet Prompt-Lookup, sobald es geladen ist.</translation>
    </message>
    <message>
        <source>Share of compute when several clients are active</source>
        <translation>Anteil an der Rechenzeit, wenn mehrere Clients aktiv sind</translation>
    </message>
    <message>
        <source>The message alone is too long for the model’s context.</source>
        <translation>Schon die Nachricht allein ist zu lang für den Kontext des Modells.</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>{model} verwenden</translation>
    </message>
    <message>
        <source>images</source>
        <comment>after another word</comment>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>{model} can’t see images. Remove them, or choose a model that can.</source>
        <translation>{model} kann keine Bilder sehen. Entferne sie oder wähle ein Modell, das es kann.</translation>
    </message>
    <message>
        <source>Pasted image</source>
        <translation>Eingefügtes Bild</translation>
    </message>
    <message>
        <source>The image is no longer available.</source>
        <translation>Das Bild ist nicht mehr verfügbar.</translation>
    </message>
    <message>
        <source>The model can’t see images.</source>
        <translation>Das Modell kann keine Bilder sehen.</translation>
    </message>
    <message>
        <source>Supports images</source>
        <translation>Unterstützt Bilder</translation>
    </message>
    <message>
        <source>Images in your messages are sent to this model</source>
        <translation>Bilder in deinen Nachrichten werden an dieses Modell gesendet</translation>
    </message>
    <message>
        <source>Image {name}, {about}</source>
        <translation>Bild {name}, {about}</translation>
    </message>
    <message>
        <source>Enter shows the image, Delete removes it</source>
        <translation>Enter zeigt das Bild, Entf entfernt es</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, press {keys} in it.</source>
        <translation>Broadcast ist an. Um einen Remote-Chat einzubeziehen, drücke darin {keys}.</translation>
    </message>
    <message>
        <source>The connection to {host} was lost before the reply ended.</source>
        <translation>Die Verbindung zu {host} ist abgebrochen, bevor die Antwort fertig war.</translation>
    </message>
    <message>
        <source>{host} couldn’t finish the reply.</source>
        <translation>{host} konnte die Antwort nicht zu Ende führen.</translation>
    </message>
    <message>
        <source>Send now, interrupting the reply</source>
        <translation>Sofort senden, Antwort unterbrechen</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Strg+Enter</translation>
    </message>
    <message>
        <source>Editing your message</source>
        <translation>Du bearbeitest deine Nachricht</translation>
    </message>
    <message>
        <source>No app here opens PDFs. Export the chat as PDF instead.</source>
        <translation>Hier öffnet kein Programm PDFs. Exportiere den Chat stattdessen als PDF.</translation>
    </message>
    <message>
        <source>Branch: {title}</source>
        <translation>Zweig: {title}</translation>
    </message>
    <message>
        <source>Branch {number}: {title}</source>
        <translation>Zweig {number}: {title}</translation>
    </message>
    <message>
        <source>{model} can’t hear recordings. Remove them, or choose a model that can.</source>
        <translation>{model} kann keine Aufnahmen hören. Entferne sie oder wähle ein Modell, das es kann.</translation>
    </message>
    <message>
        <source>The model can’t hear recordings.</source>
        <translation>Das Modell kann keine Aufnahmen hören.</translation>
    </message>
    <message>
        <source>Beginning of the chat</source>
        <translation>Anfang des Chats</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>of a branch</comment>
        <translation>angezeigt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branch</source>
        <comment>%Ln branches</comment>
        <translation>
            <numerusform>%Ln Zweig</numerusform>
            <numerusform>%Ln Zweige</numerusform>
        </translation>
    </message>
    <message>
        <source>Name of the branch</source>
        <translation>Name des Zweigs</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Show This Branch  Enter</source>
        <translation>Diesen Zweig anzeigen  Enter</translation>
    </message>
    <message>
        <source>Name Branch  F2</source>
        <translation>Zweig benennen  F2</translation>
    </message>
    <message>
        <source>Compare Branches  Shift+Enter</source>
        <translation>Zweige vergleichen  Shift+Enter</translation>
    </message>
    <message>
        <source>Messages One by One  Shift+Right</source>
        <translation>Nachrichten einzeln  Shift+Right</translation>
    </message>
    <message>
        <source>Delete Branch  Del</source>
        <translation>Zweig löschen  Del</translation>
    </message>
    <message>
        <source>Choose a branch below it.</source>
        <translation>Wähle einen Zweig darunter.</translation>
    </message>
    <message>
        <source>This branch is shown already. Choose another, or two to compare.</source>
        <translation>Dieser Zweig wird gerade angezeigt. Wähle einen anderen oder zwei zum Vergleichen.</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more message</source>
        <comment>… %Ln more messages</comment>
        <translation>
            <numerusform>… %Ln weitere Nachricht</numerusform>
            <numerusform>… %Ln weitere Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare Branches</source>
        <translation>Zweige vergleichen</translation>
    </message>
    <message>
        <source>Both continue from “{words}”</source>
        <translation>Beide folgen auf „{words}“</translation>
    </message>
    <message>
        <source>Shown branch</source>
        <translation>Angezeigter Zweig</translation>
    </message>
    <message>
        <source>Other branch</source>
        <translation>Anderer Zweig</translation>
    </message>
    <message>
        <source>Show This Branch</source>
        <translation>Diesen Zweig anzeigen</translation>
    </message>
    <message>
        <source>Hide Branches</source>
        <translation>Zweige ausblenden</translation>
    </message>
    <message>
        <source>Show Branches</source>
        <translation>Zweige anzeigen</translation>
    </message>
    <message>
        <source>Optimist</source>
        <translation>Optimist</translation>
    </message>
    <message>
        <source>Answer as an optimist. Make the case for it.</source>
        <translation>Antworte als Optimist. Nenne, was dafür spricht.</translation>
    </message>
    <message>
        <source>Skeptic</source>
        <translation>Skeptiker</translation>
    </message>
    <message>
        <source>Answer as a skeptic. Say what could go wrong.</source>
        <translation>Antworte als Skeptiker. Sage, was schiefgehen könnte.</translation>
    </message>
    <message>
        <source>Engineer</source>
        <translation>Ingenieur</translation>
    </message>
    <message>
        <source>Answer as an engineer. Explain how you’d build it.</source>
        <translation>Antworte als Ingenieur. Erkläre, wie du es umsetzen würdest.</translation>
    </message>
    <message>
        <source>Judged by {model}</source>
        <translation>Beurteilt von {model}</translation>
    </message>
    <message>
        <source>Merged by {model}</source>
        <translation>Zusammengeführt von {model}</translation>
    </message>
    <message>
        <source>Vote</source>
        <translation>Abstimmung</translation>
    </message>
    <message>
        <source>The comparison is still running.</source>
        <translation>Der Vergleich läuft noch.</translation>
    </message>
    <message>
        <source>Needs at least two replies.</source>
        <translation>Braucht mindestens zwei Antworten.</translation>
    </message>
    <message>
        <source>Models can misjudge. Check what matters.</source>
        <translation>Modelle können sich irren. Prüfe, worauf es ankommt.</translation>
    </message>
    <message>
        <source>A reply was cut off and can’t be counted.</source>
        <translation>Eine Antwort wurde abgeschnitten und kann nicht gezählt werden.</translation>
    </message>
    <message>
        <source>Only numbers, short choices, and JSON can be counted.</source>
        <translation>Nur Zahlen, kurze Auswahlen und JSON lassen sich zählen.</translation>
    </message>
    <message>
        <source>All {total} say {value}.</source>
        <translation>Alle {total} sagen {value}.</translation>
    </message>
    <message>
        <source>No reply has more votes than the others.</source>
        <translation>Keine Antwort hat mehr Stimmen als die anderen.</translation>
    </message>
    <message>
        <source>{most} of {total} say {value}.</source>
        <translation>{most} von {total} sagen {value}.</translation>
    </message>
    <message>
        <source>No reply: {names}</source>
        <translation>Keine Antwort: {names}</translation>
    </message>
    <message>
        <source>Agreeing doesn’t make it correct.</source>
        <translation>Einigkeit macht es noch nicht richtig.</translation>
    </message>
    <message>
        <source>This chat’s model</source>
        <translation>Modell dieses Chats</translation>
    </message>
    <message>
        <source>As in chat</source>
        <comment>a temperature</comment>
        <translation>Wie im Chat</translation>
    </message>
    <message>
        <source>Random</source>
        <comment>a seed</comment>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Instructions for this member</source>
        <translation>Anweisungen für dieses Mitglied</translation>
    </message>
    <message>
        <source>Remove Member</source>
        <translation>Mitglied entfernen</translation>
    </message>
    <message>
        <source>Name of member {number}</source>
        <translation>Name von Mitglied {number}</translation>
    </message>
    <message>
        <source>Model of member {number}</source>
        <translation>Modell von Mitglied {number}</translation>
    </message>
    <message>
        <source>Temperature of member {number}</source>
        <translation>Temperatur von Mitglied {number}</translation>
    </message>
    <message>
        <source>Seed of member {number}</source>
        <translation>Seed von Mitglied {number}</translation>
    </message>
    <message>
        <source>Instructions of member {number}</source>
        <translation>Anweisungen von Mitglied {number}</translation>
    </message>
    <message>
        <source>Remove member {number}</source>
        <translation>Mitglied {number} entfernen</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>Sichern als …</translation>
    </message>
    <message>
        <source>Add Member</source>
        <translation>Mitglied hinzufügen</translation>
    </message>
    <message>
        <source>Compare at least two members.</source>
        <translation>Vergleiche mindestens zwei Mitglieder.</translation>
    </message>
    <message>
        <source>You can compare up to {most} members.</source>
        <translation>Du kannst bis zu {most} Mitglieder vergleichen.</translation>
    </message>
    <message>
        <source>Last comparison</source>
        <translation>Letzter Vergleich</translation>
    </message>
    <message>
        <source>Save Comparison</source>
        <translation>Vergleich sichern</translation>
    </message>
    <message>
        <source>Rename Comparison</source>
        <translation>Vergleich umbenennen</translation>
    </message>
    <message>
        <source>Go to one of the columns first.</source>
        <translation>Gehe zuerst in eine der Spalten.</translation>
    </message>
    <message>
        <source>This reply came from a comparison. Open the comparison to regenerate it.</source>
        <translation>Diese Antwort stammt aus einem Vergleich. Öffne den Vergleich, um sie neu zu generieren.</translation>
    </message>
    <message>
        <source>Finish editing the message first.</source>
        <translation>Beende zuerst das Bearbeiten der Nachricht.</translation>
    </message>
    <message>
        <source>The columns of this comparison aren’t in this chat.</source>
        <translation>Die Spalten dieses Vergleichs sind nicht in diesem Chat.</translation>
    </message>
    <message>
        <source>Show Comparison: {names}</source>
        <translation>Vergleich zeigen: {names}</translation>
    </message>
    <message>
        <source>Show Comparison</source>
        <translation>Vergleich zeigen</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>Beurteilen</translation>
    </message>
    <message>
        <source>A model compares the replies in both orders</source>
        <translation>Ein Modell vergleicht die Antworten, in beiden Reihenfolgen</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Zusammenführen</translation>
    </message>
    <message>
        <source>Combines the replies and cites where each part came from</source>
        <translation>Fasst die Antworten zusammen und nennt die Quelle jedes Teils</translation>
    </message>
    <message>
        <source>Count Votes</source>
        <translation>Stimmen zählen</translation>
    </message>
    <message>
        <source>Counts replies that are numbers, choices, or JSON</source>
        <translation>Antworten zählen, die Zahlen, Auswahlen oder JSON sind</translation>
    </message>
    <message>
        <source>Continue from this reply. The others are kept as versions.</source>
        <translation>Mit dieser Antwort weitermachen. Die anderen bleiben als Versionen erhalten.</translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation>{name} behalten</translation>
    </message>
    <message>
        <source>Hide Comparison  Esc</source>
        <translation>Vergleich ausblenden  Esc</translation>
    </message>
    <message>
        <source>All members have replied</source>
        <translation>Alle Mitglieder haben geantwortet</translation>
    </message>
    <message>
        <source>Compare with Same Members</source>
        <translation>Mit denselben Mitgliedern vergleichen</translation>
    </message>
    <message>
        <source>Show/Hide Comparison</source>
        <translation>Vergleich ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Judge Compared Replies</source>
        <translation>Verglichene Antworten beurteilen</translation>
    </message>
    <message>
        <source>Merge Compared Replies</source>
        <translation>Verglichene Antworten zusammenführen</translation>
    </message>
    <message>
        <source>Count Votes of Compared Replies</source>
        <translation>Stimmen der verglichenen Antworten zählen</translation>
    </message>
    <message>
        <source>This chat is no longer there.</source>
        <translation>Dieser Chat ist nicht mehr da.</translation>
    </message>
    <message>
        <source>chat</source>
        <comment>a kind of file</comment>
        <translation>Chat</translation>
    </message>
    <message numerus="yes">
        <source>message {numbers}</source>
        <comment>messages {numbers}</comment>
        <translation>
            <numerusform>Nachricht {numbers}</numerusform>
            <numerusform>Nachrichten {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} new message</source>
        <comment>{count} new messages</comment>
        <translation>
            <numerusform>{count} neue Nachricht</numerusform>
            <numerusform>{count} neue Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>changed, {count} message</source>
        <comment>changed, {count} messages</comment>
        <translation>
            <numerusform>geändert, {count} Nachricht</numerusform>
            <numerusform>geändert, {count} Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>last message</source>
        <comment>last {count} messages</comment>
        <translation>
            <numerusform>letzte Nachricht</numerusform>
            <numerusform>letzte {count} Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>whole, {count} message</source>
        <comment>whole, {count} messages</comment>
        <translation>
            <numerusform>ganz, {count} Nachricht</numerusform>
            <numerusform>ganz, {count} Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>Read another chat</source>
        <translation>Anderen Chat lesen</translation>
    </message>
    <message>
        <source>@, in the message</source>
        <translation>@, in der Nachricht</translation>
    </message>
    <message>
        <source>Message {number}</source>
        <translation>Nachricht {number}</translation>
    </message>
    <message>
        <source>Enter opens the chat, Right shows the text sent to the model</source>
        <translation>Enter öffnet den Chat, Rechts zeigt den an das Modell gesendeten Text</translation>
    </message>
    <message>
        <source>Chat {name}, {about}</source>
        <translation>Chat {name}, {about}</translation>
    </message>
    <message>
        <source>Enter opens the menu, Delete ends following the chat</source>
        <translation>Enter öffnet das Menü, Entf beendet das Verfolgen des Chats</translation>
    </message>
    <message>
        <source>Open Chat</source>
        <translation>Chat öffnen</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>no longer there</source>
        <comment>a chat</comment>
        <translation>nicht mehr da</translation>
    </message>
    <message>
        <source>in the Trash</source>
        <comment>a chat</comment>
        <translation>im Papierkorb</translation>
    </message>
    <message>
        <source>Deleted chat</source>
        <translation>Gelöschter Chat</translation>
    </message>
    <message>
        <source>too long</source>
        <comment>a chat</comment>
        <translation>zu lang</translation>
    </message>
    <message>
        <source>Read Another Chat</source>
        <translation>Anderen Chat lesen</translation>
    </message>
    <message numerus="yes">
        <source>Whole chat, %Ln message</source>
        <comment>Whole chat, %Ln messages</comment>
        <translation>
            <numerusform>Ganzer Chat, %Ln Nachricht</numerusform>
            <numerusform>Ganzer Chat, %Ln Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>Last messages:</source>
        <translation>Letzte Nachrichten:</translation>
    </message>
    <message>
        <source>Number of messages</source>
        <translation>Anzahl der Nachrichten</translation>
    </message>
    <message>
        <source>Include new messages from this chat as they arrive</source>
        <translation>Neue Nachrichten aus diesem Chat laufend einbeziehen</translation>
    </message>
    <message>
        <source>Reasoning, tool calls, and the text of files are left out.</source>
        <translation>Nachdenken, Tool-Aufrufe und der Text von Dateien werden ausgelassen.</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>There’s no other chat.</source>
        <translation>Es gibt keinen anderen Chat.</translation>
    </message>
    <message>
        <source>Read Another Chat…</source>
        <translation>Anderen Chat lesen …</translation>
    </message>
    <message>
        <source>Search chats to read</source>
        <translation>Chats zum Lesen suchen</translation>
    </message>
    <message>
        <source>A chat follows at most {most} others.</source>
        <translation>Ein Chat folgt höchstens {most} anderen.</translation>
    </message>
    <message>
        <source>Keep compared reply</source>
        <translation>Verglichene Antwort behalten</translation>
    </message>
    <message>
        <source>Enter, on a column</source>
        <translation>Enter, auf einer Spalte</translation>
    </message>
    <message>
        <source>Previous or next column</source>
        <translation>Vorherige oder nächste Spalte</translation>
    </message>
    <message>
        <source>Left or Right, on a column</source>
        <translation>Pfeil nach links oder rechts, auf einer Spalte</translation>
    </message>
    <message>
        <source>Show branch</source>
        <translation>Zweig anzeigen</translation>
    </message>
    <message>
        <source>Enter, in the branches</source>
        <translation>Enter, in den Zweigen</translation>
    </message>
    <message>
        <source>Name branch</source>
        <translation>Zweig benennen</translation>
    </message>
    <message>
        <source>F2, in the branches</source>
        <translation>F2, in den Zweigen</translation>
    </message>
    <message>
        <source>Compare branches</source>
        <translation>Zweige vergleichen</translation>
    </message>
    <message>
        <source>Shift+Enter, in the branches</source>
        <translation>Umschalt+Enter, in den Zweigen</translation>
    </message>
    <message>
        <source>Show messages of a branch one by one</source>
        <translation>Nachrichten eines Zweigs einzeln zeigen</translation>
    </message>
    <message>
        <source>Shift+Right, in the branches</source>
        <translation>Umschalt+Pfeil nach rechts, in den Zweigen</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Zweig löschen</translation>
    </message>
    <message>
        <source>Delete, in the branches</source>
        <translation>Entf, in den Zweigen</translation>
    </message>
    <message>
        <source>Ask Helpers</source>
        <translation>Helfer fragen</translation>
    </message>
    <message>
        <source>Answers up to 8 questions at the same time with the same model.</source>
        <translation>Beantwortet bis zu 8 Fragen gleichzeitig mit demselben Modell.</translation>
    </message>
    <message>
        <source>Ask helpers these questions?</source>
        <translation>Helfern diese Fragen stellen?</translation>
    </message>
    <message>
        <source>Only the question</source>
        <translation>Nur die Frage</translation>
    </message>
    <message>
        <source>This chat so far</source>
        <translation>Dieser Chat bis hierher</translation>
    </message>
    <message>
        <source>“{name}” must be a list of 1 to {most} texts.</source>
        <translation>„{name}“ muss eine Liste aus 1 bis {most} Texten sein.</translation>
    </message>
    <message>
        <source>“{name}” must be “fresh” or “fork”.</source>
        <translation>„{name}“ muss „fresh“ oder „fork“ sein.</translation>
    </message>
    <message numerus="yes">
        <source>%n helper</source>
        <comment>%n helpers</comment>
        <translation>
            <numerusform>%n Helfer</numerusform>
            <numerusform>%n Helfer</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens for each helper</source>
        <translation>Token je Helfer</translation>
    </message>
    <message>
        <source>Seconds for all helpers</source>
        <translation>Sekunden für alle Helfer</translation>
    </message>
    <message>
        <source>Helpers at once</source>
        <translation>Helfer gleichzeitig</translation>
    </message>
    <message>
        <source>The model was unloaded.</source>
        <translation>Das Modell wurde entladen.</translation>
    </message>
    <message>
        <source>It tried to use a tool.</source>
        <translation>Es wollte ein Tool verwenden.</translation>
    </message>
    <message>
        <source>Memory is full.</source>
        <translation>Der Speicher ist voll.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>a helper</comment>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Reading</source>
        <comment>a helper</comment>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Thinking</source>
        <comment>a helper</comment>
        <translation>Denkt nach</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a helper</comment>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Done</source>
        <comment>a helper</comment>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a helper</comment>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Out of tokens</source>
        <comment>a helper</comment>
        <translation>Token aufgebraucht</translation>
    </message>
    <message>
        <source>Out of time</source>
        <comment>a helper</comment>
        <translation>Zeit abgelaufen</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>a helper</comment>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Stop this helper</source>
        <translation>Diesen Helfer stoppen</translation>
    </message>
    <message>
        <source>Helper {number} of {count}, {state}</source>
        <translation>Helfer {number} von {count}, {state}</translation>
    </message>
    <message numerus="yes">
        <source>Asking %n helper</source>
        <comment>Asking %n helpers</comment>
        <translation>
            <numerusform>%n Helfer wird gefragt</numerusform>
            <numerusform>%n Helfer werden gefragt</numerusform>
        </translation>
    </message>
    <message>
        <source>From Help, because the Guide can get this wrong.</source>
        <translation>Aus der Hilfe, weil der Guide sich hier irren kann.</translation>
    </message>
    <message>
        <source>Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.</source>
        <translation>Stretto hat keine Vergleichstabellen mehr. Deine ist als CSV und JSON in {folder} gespeichert.</translation>
    </message>
    <message>
        <source>Chat Settings (changed)</source>
        <translation>Chat-Einstellungen (geändert)</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>Anbieter</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Anderer</translation>
    </message>
    <message>
        <source>Add Server…</source>
        <translation>Server hinzufügen…</translation>
    </message>
    <message>
        <source>Add Server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation>Befehl oder Adresse</translation>
    </message>
    <message>
        <source>Enter a name, and a command or an address.</source>
        <translation>Gib einen Namen und einen Befehl oder eine Adresse ein.</translation>
    </message>
</context>
</TS>
