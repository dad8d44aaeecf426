<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>The chats are closed.</source>
        <translation>Los chats están cerrados.</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Chat nuevo</translation>
    </message>
    <message>
        <source>Recovered chat</source>
        <translation>Chat recuperado</translation>
    </message>
    <message numerus="yes">
        <source>%n change couldn’t be saved. {why}</source>
        <comment>%n changes couldn’t be saved. {why}</comment>
        <translation>
            <numerusform>No se ha podido guardar %n cambio. {why}</numerusform>
            <numerusform>No se han podido guardar %n cambios. {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} refused: {why}</source>
        <translation>{server} lo ha rechazado: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t start within {seconds} s.</source>
        <translation>{server} no se ha iniciado en {seconds} s.</translation>
    </message>
    <message>
        <source>{server} couldn’t be reached: {why}</source>
        <translation>No se ha podido acceder a {server}: {why}</translation>
    </message>
    <message>
        <source>The program “{program}” wasn’t found. Install it, or enter its full path.</source>
        <translation>No se ha encontrado el programa «{program}». Instálalo o escribe su ruta completa.</translation>
    </message>
    <message>
        <source>New file {path}</source>
        <translation>Archivo nuevo {path}</translation>
    </message>
    <message>
        <source>Links aren’t followed.</source>
        <translation>No se siguen los enlaces.</translation>
    </message>
    <message>
        <source>It couldn’t be opened: {why}.</source>
        <translation>No se ha podido abrir: {why}.</translation>
    </message>
    <message>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation>El servidor no tiene nombre. Escríbelo así: {&quot;name&quot;: {&quot;command&quot;: …}}.</translation>
    </message>
    <message>
        <source>its name looks like that of “{other}”</source>
        <translation>su nombre parece el de «{other}»</translation>
    </message>
    <message>
        <source>{path} couldn’t be read: {why}.</source>
        <translation>No se ha podido leer {path}: {why}.</translation>
    </message>
    <message>
        <source>New message</source>
        <translation>Mensaje nuevo</translation>
    </message>
    <message>
        <source>Compare…  Ctrl+Alt+C</source>
        <translation>Comparar…  Ctrl+Alt+C</translation>
    </message>
    <message>
        <source>Editing a queued message.</source>
        <translation>Editando&#xa0;un&#xa0;mensaje&#xa0;en&#xa0;cola.</translation>
    </message>
    <message>
        <source>Broadcast  Ctrl+Shift+B</source>
        <translation>Difusión  Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Join Broadcast  Ctrl+Alt+B</source>
        <translation>Unirse a la difusión  Ctrl+Alt+B</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>Mensaje…</translation>
    </message>
    <message>
        <source>Enter</source>
        <comment>the key</comment>
        <translation>Intro</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>Detener  Esc</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>Enviar  {keys}</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Mensaje</translation>
    </message>
    <message numerus="yes">
        <source>The text is %Ln characters long. A message takes {most}.</source>
        <comment>The text is %Ln characters long. A message takes {most}.</comment>
        <translation>
            <numerusform>El texto tiene %Ln carácter. Un mensaje admite {most}.</numerusform>
            <numerusform>El texto tiene %Ln caracteres. Un mensaje admite {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>File {name}, {about}</source>
        <translation>Archivo {name}, {about}</translation>
    </message>
    <message>
        <source>Restore from Backup</source>
        <translation>Restaurar desde copia de seguridad</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Copias de seguridad</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurar</translation>
    </message>
    <message>
        <source>Close Tab</source>
        <translation>Cerrar pestaña</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Close Others</source>
        <translation>Cerrar las demás</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>Separar</translation>
    </message>
    <message>
        <source>Unpin (Dock)</source>
        <translation>Desfijar (acoplar)</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>Minimizar</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Hoy</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Ayer</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Fijados</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Anteriores</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd, d &apos;de&apos; MMMM &apos;de&apos; yyyy</translation>
    </message>
    <message>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd, d &apos;de&apos; MMMM</translation>
    </message>
    <message>
        <source>{size} · before an update</source>
        <translation>{size} · antes de una actualización</translation>
    </message>
    <message>
        <source>Crash Report</source>
        <translation>Informe de fallo</translation>
    </message>
    <message>
        <source>Stretto had a problem last time</source>
        <translation>Stretto tuvo un problema la última vez</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Informe</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Show File</source>
        <translation>Mostrar archivo</translation>
    </message>
    <message>
        <source>The report can’t be read: {error}</source>
        <translation>No se puede leer el informe: {error}</translation>
    </message>
    <message>
        <source>Your chats can’t be read</source>
        <translation>No se pueden leer tus chats</translation>
    </message>
    <message>
        <source>Stretto can’t write to your chats</source>
        <translation>Stretto no puede escribir en tus chats</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>El disco está lleno</translation>
    </message>
    <message>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation>El disco que contiene {place} está lleno. Libera espacio e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Your chats couldn’t be opened</source>
        <translation>No se han podido abrir tus chats</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>Start Empty and Keep the File</source>
        <translation>Empezar de cero y conservar el archivo</translation>
    </message>
    <message>
        <source>Use Another Folder…</source>
        <translation>Usar otra carpeta…</translation>
    </message>
    <message>
        <source>Use Another Folder</source>
        <translation>Usar otra carpeta</translation>
    </message>
    <message>
        <source>Your latest changes aren’t saved</source>
        <translation>Tus últimos cambios no están guardados</translation>
    </message>
    <message>
        <source>Quit Without Saving</source>
        <translation>Salir sin guardar</translation>
    </message>
    <message>
        <source>About Stretto</source>
        <translation>Acerca de Stretto</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>Versión {version}</translation>
    </message>
    <message>
        <source>Licenses…</source>
        <translation>Licencias…</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>Página web (HTML)</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>Texto sin formato</translation>
    </message>
    <message>
        <source>Export Chats</source>
        <translation>Exportar chats</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Copiar como Markdown</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportar…</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Semillas</translation>
    </message>
    <message>
        <source>Temperatures</source>
        <translation>Temperaturas</translation>
    </message>
    <message>
        <source>{model} {kept} of {times}</source>
        <translation>{model} {kept} de {times}</translation>
    </message>
    <message>
        <source>Kept so far: {models}</source>
        <translation>Conservadas hasta ahora: {models}</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Seed {n}</source>
        <translation>Semilla {n}</translation>
    </message>
    <message>
        <source>Temperature {value}</source>
        <translation>Temperatura {value}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>There’s no chat to export yet.</source>
        <translation>Aún no hay ningún chat que exportar.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message numerus="yes">
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation>
            <numerusform>{done} de %Ln chat</numerusform>
            <numerusform>{done} de %Ln chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The export failed: {name}.</source>
        <translation>La exportación ha fallado: {name}.</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pausa</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Import Chats</source>
        <translation>Importar chats</translation>
    </message>
    <message>
        <source>Choose Files…</source>
        <translation>Elegir archivos…</translation>
    </message>
    <message>
        <source>Choose Folder…</source>
        <translation>Elegir carpeta…</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Todos los archivos</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importar</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Leyendo…</translation>
    </message>
    <message>
        <source>The import failed: {why}.</source>
        <translation>La importación ha fallado: {why}.</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>Licencias</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Licencia</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Reemplazar</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation>Explica {{topic}} para {{audience}} en tres frases.</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Nuevo</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Prompt nuevo</translation>
    </message>
    <message>
        <source>There’s no prompt to delete</source>
        <translation>No hay ningún prompt que eliminar</translation>
    </message>
    <message>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation>El prompt necesita un nombre. Sigue llamándose «{before}».</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
    <message>
        <source>{command}: {keys}, changed. Change</source>
        <translation>{command}: {keys}, cambiado. Cambiar</translation>
    </message>
    <message>
        <source>{command}: {keys}. Change</source>
        <translation>{command}: {keys}. Cambiar</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no keys</comment>
        <translation>ninguna</translation>
    </message>
    <message>
        <source>In a chat</source>
        <translation>En un chat</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Asignar</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papelera</translation>
    </message>
    <message>
        <source>Deleted chats</source>
        <translation>Chats eliminados</translation>
    </message>
    <message>
        <source>Delete Now</source>
        <translation>Eliminar ahora</translation>
    </message>
    <message>
        <source>Empty Trash</source>
        <translation>Vaciar papelera</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>Choose a chat first</source>
        <translation>Elige antes un chat</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation>
            <numerusform>Eliminado hace %n día</numerusform>
            <numerusform>Eliminado hace %n días</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted yesterday</source>
        <translation>Eliminado ayer</translation>
    </message>
    <message>
        <source>Deleted today</source>
        <translation>Eliminado hoy</translation>
    </message>
    <message>
        <source>Open Download Page</source>
        <translation>Abrir página de descarga</translation>
    </message>
    <message>
        <source>Skip This Version</source>
        <translation>Omitir esta versión</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Más tarde</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Comando</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>En disco</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisión</translation>
    </message>
    <message>
        <source>In memory</source>
        <translation>En memoria</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Ajuste</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>Recurso</translation>
    </message>
    <message>
        <source>Not possible now: {why}</source>
        <translation>Ahora no es posible: {why}</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation>Resultados</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Paleta de comandos</translation>
    </message>
    <message>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation>Arriba y Abajo eligen, Intro abre, Esc cierra</translation>
    </message>
    <message>
        <source>Edit Prompts…</source>
        <translation>Editar prompts…</translation>
    </message>
    <message>
        <source>Write a Prompt…</source>
        <translation>Escribir un prompt…</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>Texto libre</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Patrón</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Esquema</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>Opciones</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation>
            <numerusform>{used} de {limit} token</numerusform>
            <numerusform>{used} de {limit} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation>
            <numerusform>{used} de {limit} token de contexto</numerusform>
            <numerusform>{used} de {limit} tokens de contexto</numerusform>
        </translation>
    </message>
    <message>
        <source>Context: {words}</source>
        <translation>Contexto: {words}</translation>
    </message>
    <message>
        <source>Shows four replies to one message, side by side</source>
        <translation>Muestra lado a lado cuatro respuestas a un mensaje</translation>
    </message>
    <message>
        <source>Chat with {name}</source>
        <translation>Chatear con {name}</translation>
    </message>
    <message>
        <source>New Chat</source>
        <translation>Chat nuevo</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>No hay ningún chat abierto</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>Buscar en este chat</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>Cerrar  Esc</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Sin resultados</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} de {count}</translation>
    </message>
    <message>
        <source>Queued until the reply ends. {keys} sends the first one now.</source>
        <translation>En cola hasta que termine la respuesta. {keys} envía el primero ya.</translation>
    </message>
    <message>
        <source>Sends when “{file}” is ready. Esc cancels.</source>
        <translation>Se enviará cuando «{file}» esté listo. Esc cancela.</translation>
    </message>
    <message>
        <source>Message removed from the queue</source>
        <translation>Mensaje&#xa0;quitado&#xa0;de&#xa0;la&#xa0;cola</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>Cancelar la carga</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Más</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>Modelo: {name}</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Comprobar</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Probar</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Iniciar</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Sin comprobar</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>No está listo</translation>
    </message>
    <message>
        <source>Testing. This takes a minute or more…</source>
        <translation>Probando. Tarda un minuto o más…</translation>
    </message>
    <message>
        <source>Starting {hosts}…</source>
        <translation>Iniciando {hosts}…</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imágenes</translation>
    </message>
    <message>
        <source>{bits}-bit, mixed</source>
        <translation>{bits} bits, mixto</translation>
    </message>
    <message numerus="yes">
        <source>%n-bit weights</source>
        <comment>%n-bit weights</comment>
        <translation>
            <numerusform>Pesos de %n bit</numerusform>
            <numerusform>Pesos de %n bits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation>
            <numerusform>Hace %n día</numerusform>
            <numerusform>Hace %n días</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d &apos;de&apos; MMMM</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d &apos;de&apos; MMMM &apos;de&apos; yyyy</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>Sin cargar</translation>
    </message>
    <message numerus="yes">
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation>
            <numerusform>%Ln modelo</numerusform>
            <numerusform>%Ln modelos</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>{size} en disco</translation>
    </message>
    <message>
        <source>draft model {name}</source>
        <translation>modelo de borrador {name}</translation>
    </message>
    <message numerus="yes">
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation>
            <numerusform>contexto de %Ln token</numerusform>
            <numerusform>contexto de %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>fijado</translation>
    </message>
    <message>
        <source>in memory, {size}</source>
        <translation>en memoria, {size}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>licencia {name}</translation>
    </message>
    <message>
        <source>used {when}</source>
        <translation>último uso: {when}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Cargando…</translation>
    </message>
    <message>
        <source>Unloaded</source>
        <translation>Liberado</translation>
    </message>
    <message>
        <source>Unloaded, loads when you send</source>
        <translation>Liberado; se carga al enviar</translation>
    </message>
    <message>
        <source>Loading {share}</source>
        <translation>Cargando {share}</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Aviso</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>cargando…</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>sin cargar</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>Abrir carpeta de modelo…</translation>
    </message>
    <message>
        <source>Manage Models…</source>
        <translation>Gestionar modelos…</translation>
    </message>
    <message>
        <source>Unload a Model…</source>
        <translation>Liberar un modelo…</translation>
    </message>
    <message>
        <source>Extract Text</source>
        <translation>Extraer texto</translation>
    </message>
    <message>
        <source>Replace the images with the text in them, read by this computer</source>
        <translation>Sustituye las imágenes por el texto que contienen, leído por este ordenador</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>Iniciar de nuevo</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory. {error}</source>
        <translation>{name} no cabe en la memoria. {error}</translation>
    </message>
    <message>
        <source>{name} couldn’t be loaded. {error}</source>
        <translation>No se ha podido cargar {name}. {error}</translation>
    </message>
    <message>
        <source>Queued until the reply ends.</source>
        <translation>En cola hasta que termine la respuesta.</translation>
    </message>
    <message>
        <source>This reply was deleted.</source>
        <translation>Esta respuesta se ha eliminado.</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8 bits</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4 bits</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Instrucciones</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Preajustes</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Aleatoria</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Semilla</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Razonamiento</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>Caché KV</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Contexto</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Elegir</translation>
    </message>
    <message>
        <source>Remote</source>
        <comment>of a model that answers on another machine</comment>
        <translation>Remoto</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En espera</translation>
    </message>
    <message>
        <source>Waiting for {host}</source>
        <translation>Esperando a {host}</translation>
    </message>
    <message>
        <source>Waiting for {host}, {time}</source>
        <translation>Esperando a {host}, {time}</translation>
    </message>
    <message numerus="yes">
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation>
            <numerusform>Mensaje para %n chat…</numerusform>
            <numerusform>Mensaje para %n chats…</numerusform>
        </translation>
    </message>
    <message>
        <source>Message {name}…</source>
        <translation>Mensaje para {name}…</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copiado</translation>
    </message>
    <message>
        <source>Attach Files</source>
        <translation>Adjuntar archivos</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Adjuntar</translation>
    </message>
    <message numerus="yes">
        <source>{count} tokens</source>
        <comment>{count} tokens</comment>
        <translation>
            <numerusform>{count} token</numerusform>
            <numerusform>{count} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about {count} tokens</source>
        <comment>about {count} tokens</comment>
        <translation>
            <numerusform>alrededor de {count} token</numerusform>
            <numerusform>unos {count} tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>Aún no hay preajustes</translation>
    </message>
    <message>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation>Elige «Guardar como preajuste…» para conservar estos ajustes</translation>
    </message>
    <message>
        <source>Save as Preset…</source>
        <translation>Guardar como preajuste…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Save as Preset</source>
        <translation>Guardar como preajuste</translation>
    </message>
    <message>
        <source>Rename Preset</source>
        <translation>Renombrar preajuste</translation>
    </message>
    <message>
        <source>Preset “{name}” replaced</source>
        <translation>Preajuste «{name}» reemplazado</translation>
    </message>
    <message>
        <source>Preset renamed to “{name}”</source>
        <translation>Preajuste renombrado a «{name}»</translation>
    </message>
    <message>
        <source>Preset “{name}” deleted</source>
        <translation>Preajuste «{name}» eliminado</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatura</translation>
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
        <translation>Probabilidad XTC</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>Umbral XTC</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Penalización por repetición</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Penalización por presencia</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Penalización por frecuencia</translation>
    </message>
    <message>
        <source>{name} can’t call tools.</source>
        <translation>{name} no puede llamar a herramientas.</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Carpetas</translation>
    </message>
    <message>
        <source>Allow Writing</source>
        <translation>Permitir escritura</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Buscar modelos</translation>
    </message>
    <message>
        <source>Add Folder…</source>
        <translation>Añadir carpeta…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Buscando modelos…</translation>
    </message>
    <message>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation>{name} ha cambiado. Antes: {before}
Ahora: {now}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation>
            <numerusform>%Ln token</numerusform>
            <numerusform>%Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>Páginas de {name}</translation>
    </message>
    <message>
        <source>Page numbers</source>
        <translation>Números de página</translation>
    </message>
    <message>
        <source>Which pages does the model get?</source>
        <translation>¿Qué páginas recibe el modelo?</translation>
    </message>
    <message>
        <source>Chosen Pages…</source>
        <translation>Páginas concretas…</translation>
    </message>
    <message>
        <source>Slides of {name}</source>
        <translation>Diapositivas de {name}</translation>
    </message>
    <message>
        <source>Slide numbers</source>
        <translation>Números de diapositiva</translation>
    </message>
    <message>
        <source>Which slides does the model get?</source>
        <translation>¿Qué diapositivas recibe el modelo?</translation>
    </message>
    <message>
        <source>Chosen Slides…</source>
        <translation>Diapositivas concretas…</translation>
    </message>
    <message>
        <source>Sheets of {name}</source>
        <translation>Hojas de {name}</translation>
    </message>
    <message>
        <source>Sheet numbers</source>
        <translation>Números de hoja</translation>
    </message>
    <message>
        <source>Which sheets does the model get?</source>
        <translation>¿Qué hojas recibe el modelo?</translation>
    </message>
    <message>
        <source>Chosen Sheets…</source>
        <translation>Hojas concretas…</translation>
    </message>
    <message>
        <source>Chapters of {name}</source>
        <translation>Capítulos de {name}</translation>
    </message>
    <message>
        <source>Chapter numbers</source>
        <translation>Números de capítulo</translation>
    </message>
    <message>
        <source>Which chapters does the model get?</source>
        <translation>¿Qué capítulos recibe el modelo?</translation>
    </message>
    <message>
        <source>Chosen Chapters…</source>
        <translation>Capítulos concretos…</translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln slide.</source>
        <comment>The file has %Ln slides.</comment>
        <translation>
            <numerusform>El archivo tiene %Ln diapositiva.</numerusform>
            <numerusform>El archivo tiene %Ln diapositivas.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln sheet.</source>
        <comment>The file has %Ln sheets.</comment>
        <translation>
            <numerusform>El archivo tiene %Ln hoja.</numerusform>
            <numerusform>El archivo tiene %Ln hojas.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln chapter.</source>
        <comment>The file has %Ln chapters.</comment>
        <translation>
            <numerusform>El archivo tiene %Ln capítulo.</numerusform>
            <numerusform>El archivo tiene %Ln capítulos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln page.</source>
        <comment>The file has %Ln pages.</comment>
        <translation>
            <numerusform>El archivo tiene %Ln página.</numerusform>
            <numerusform>El archivo tiene %Ln páginas.</numerusform>
        </translation>
    </message>
    <message>
        <source>Text Encoding</source>
        <translation>Codificación del texto</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Oscuro</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aspecto</translation>
    </message>
    <message>
        <source>Restart Now</source>
        <translation>Reiniciar ahora</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation>es</translation>
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
        <translation>{number} tok/s</translation>
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
        <translation>{number}&#xa0;%</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation>primer token en {time}</translation>
    </message>
    <message numerus="yes">
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation>
            <numerusform>Cabrían chats de %Ln token.</numerusform>
            <numerusform>Cabrían chats de %Ln tokens.</numerusform>
        </translation>
    </message>
    <message>
        <source>One chat would fit.</source>
        <translation>Cabría un chat.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Cabe</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation>Justo</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>Demasiado grande</translation>
    </message>
    <message numerus="yes">
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n chat</numerusform>
            <numerusform>%n chats</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>Contexto de {tokens}</translation>
    </message>
    <message>
        <source>by {owner}</source>
        <translation>de {owner}</translation>
    </message>
    <message numerus="yes">
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation>
            <numerusform>{count} descarga</numerusform>
            <numerusform>{count} descargas</numerusform>
        </translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Razonamiento</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Herramientas</translation>
    </message>
    <message>
        <source>tools</source>
        <comment>after another word</comment>
        <translation>herramientas</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation>
            <numerusform>%Ln descarga el último mes</numerusform>
            <numerusform>%Ln descargas el último mes</numerusform>
        </translation>
    </message>
    <message>
        <source>updated {date}</source>
        <translation>actualizado: {date}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>restringido</translation>
    </message>
    <message>
        <source>Using a tool</source>
        <translation>Usando una herramienta</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pausa</translation>
    </message>
    <message>
        <source>New chats</source>
        <translation>Chats nuevos</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Actualizaciones</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>Necesita tu permiso</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>Esperando tu respuesta</translation>
    </message>
    <message numerus="yes">
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation>
            <numerusform>En cola, %n delante</numerusform>
            <numerusform>En cola, %n delante</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>Esperando memoria</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation>
            <numerusform>Esperando memoria, %n chat delante</numerusform>
            <numerusform>Esperando memoria, %n chats delante</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {percent}</source>
        <translation>Leyendo {percent}</translation>
    </message>
    <message>
        <source>Reading {done} of {total} tokens</source>
        <translation>Leyendo {done} de {total} tokens</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation>Escribiendo</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>Razonó durante {time}</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation>{number} ms</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation>{done} de {total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation>{size}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation>quedan {time}</translation>
    </message>
    <message>
        <source>Converting…</source>
        <translation>Convirtiendo…</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} h {minutes} min</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Continuar</translation>
    </message>
    <message>
        <source>Slide {number}</source>
        <translation>Diapositiva {number}</translation>
    </message>
    <message>
        <source>Sheet {number}</source>
        <translation>Hoja {number}</translation>
    </message>
    <message>
        <source>Chapter {number}</source>
        <translation>Capítulo {number}</translation>
    </message>
    <message>
        <source>Page {number}</source>
        <translation>Página {number}</translation>
    </message>
    <message>
        <source>Use Without Adapter</source>
        <translation>Usar sin adaptador</translation>
    </message>
    <message>
        <source>Edit Message</source>
        <translation>Editar mensaje</translation>
    </message>
    <message>
        <source>Copy Code</source>
        <translation>Copiar código</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Razonamiento</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>detenida</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>interrumpida</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Sistema</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Herramienta</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Asistente</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>El modelo</translation>
    </message>
    <message>
        <source>version {number} of {count}</source>
        <translation>versión {number} de {count}</translation>
    </message>
    <message>
        <source>From reply {letter}. Enter shows it.</source>
        <translation>De la respuesta {letter}. Intro la muestra.</translation>
    </message>
    <message>
        <source>Link, {words}. Enter opens it.</source>
        <translation>Enlace, {words}. Intro lo abre.</translation>
    </message>
    <message numerus="yes">
        <source>Code, {language}, %Ln line. Enter copies it.</source>
        <comment>Code, {language}, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Código, {language}, %Ln línea. Intro lo copia.</numerusform>
            <numerusform>Código, {language}, %Ln líneas. Intro lo copia.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %Ln line. Enter copies it.</source>
        <comment>Code, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Código, %Ln línea. Intro lo copia.</numerusform>
            <numerusform>Código, %Ln líneas. Intro lo copia.</numerusform>
        </translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumentos</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Resultado</translation>
    </message>
    <message>
        <source>{tool} needs your input</source>
        <translation>{tool} necesita tu respuesta</translation>
    </message>
    <message>
        <source>Allow Once</source>
        <translation>Permitir una vez</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>Denegar</translation>
    </message>
    <message>
        <source>The server asked: {question}
You declined.</source>
        <translation>El servidor preguntó: {question}
Rechazaste responder.</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>herramienta</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character</source>
        <comment>%Ln characters</comment>
        <translation>
            <numerusform>%Ln carácter</numerusform>
            <numerusform>%Ln caracteres</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} · Stopped</source>
        <translation>{tool} · Detenida</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Error</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number} ms</translation>
    </message>
    <message numerus="yes">
        <source>{kept} of %Ln characters</source>
        <comment>{kept} of %Ln characters</comment>
        <translation>
            <numerusform>{kept} de %Ln carácter</numerusform>
            <numerusform>{kept} de %Ln caracteres</numerusform>
        </translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Tu mensaje</translation>
    </message>
    <message>
        <source>done</source>
        <translation>listo</translation>
    </message>
    <message>
        <source>Broadcast is off</source>
        <translation>La difusión está desactivada</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, choose “{command}” in it.</source>
        <translation>La difusión está activada. Para incluir un chat remoto, elige «{command}» en él.</translation>
    </message>
    <message>
        <source>Broadcast is on. Open another chat next to this one.</source>
        <translation>La difusión está activada. Abre otro chat junto a este.</translation>
    </message>
    <message>
        <source>Split Right</source>
        <translation>Dividir a la derecha</translation>
    </message>
    <message>
        <source>Split Down</source>
        <translation>Dividir hacia abajo</translation>
    </message>
    <message>
        <source>Close Chat</source>
        <translation>Cerrar chat</translation>
    </message>
    <message>
        <source>Chat closed</source>
        <translation>Chat cerrado</translation>
    </message>
    <message>
        <source>Stop All Replies</source>
        <translation>Detener todas las respuestas</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>Abrir carpeta de modelo</translation>
    </message>
    <message>
        <source>Open GGUF File…</source>
        <translation>Abrir archivo GGUF…</translation>
    </message>
    <message>
        <source>GGUF files</source>
        <translation>Archivos GGUF</translation>
    </message>
    <message>
        <source>Open GGUF File</source>
        <translation>Abrir archivo GGUF</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Archivo</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Edición</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Visualización</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Ayuda</translation>
    </message>
    <message>
        <source>Enter edits the message, Delete removes it</source>
        <translation>Intro&#xa0;edita&#xa0;el&#xa0;mensaje;&#xa0;Supr&#xa0;lo&#xa0;quita</translation>
    </message>
    <message>
        <source>Edit Message  Enter</source>
        <translation>Editar&#xa0;mensaje&#xa0;&#xa0;Enter</translation>
    </message>
    <message>
        <source>Remove  Del</source>
        <translation>Quitar&#xa0;&#xa0;Del</translation>
    </message>
    <message numerus="yes">
        <source>%n file</source>
        <comment>%n files</comment>
        <translation>
            <numerusform>%n archivo</numerusform>
            <numerusform>%n archivos</numerusform>
        </translation>
    </message>
    <message>
        <source>Queued message {number}: {text}</source>
        <translation>Mensaje&#xa0;en&#xa0;cola&#xa0;{number}:&#xa0;{text}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>Mensajes&#xa0;en&#xa0;cola</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Enviar</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>Rechazar</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Añadir</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Dirección</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clave</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>Consultando a {host}…</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Intro</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nunca</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Elegir…</translation>
    </message>
    <message>
        <source>How models should behave in new chats</source>
        <translation>Cómo deben comportarse los modelos en los chats nuevos</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Modelo de borrador</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Buscando…</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no draft model</comment>
        <translation>Ninguno</translation>
    </message>
    <message>
        <source>{name}, {size}</source>
        <translation>{name}, {size}</translation>
    </message>
    <message>
        <source>Model for New Chats</source>
        <translation>Modelo para chats nuevos</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Mayús+Intro</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Up, in an empty message</source>
        <translation>Flecha arriba, en un mensaje vacío</translation>
    </message>
    <message>
        <source>/, in an empty message</source>
        <translation>/, en un mensaje vacío</translation>
    </message>
    <message>
        <source>Tab, in the message</source>
        <translation>Tab, en el mensaje</translation>
    </message>
    <message>
        <source>Delete, in the sidebar</source>
        <translation>Supr, en la barra lateral</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Comparar…</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>Difusión</translation>
    </message>
    <message numerus="yes">
        <source>The next message goes to %n chat</source>
        <comment>The next message goes to %n chats</comment>
        <translation>
            <numerusform>El próximo mensaje va a %n chat</numerusform>
            <numerusform>El próximo mensaje va a %n chats</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep Broadcast On</source>
        <translation>Mantener la difusión activada</translation>
    </message>
    <message>
        <source>Join/Leave Broadcast</source>
        <translation>Unirse a la difusión o salir de ella</translation>
    </message>
    <message>
        <source>{chat} (hidden tab)</source>
        <translation>{chat} (pestaña oculta)</translation>
    </message>
    <message>
        <source>Turn Off</source>
        <translation>Desactivar</translation>
    </message>
    <message numerus="yes">
        <source>To %n chat ({hidden} in hidden tabs)</source>
        <comment>To %n chats ({hidden} in hidden tabs)</comment>
        <translation>
            <numerusform>A %n chat ({hidden} en pestañas ocultas)</numerusform>
            <numerusform>A %n chats ({hidden} en pestañas ocultas)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To %n chat</source>
        <comment>To %n chats</comment>
        <translation>
            <numerusform>A %n chat</numerusform>
            <numerusform>A %n chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sent to %n chat</source>
        <comment>Sent to %n chats</comment>
        <translation>
            <numerusform>Enviado a %n chat</numerusform>
            <numerusform>Enviado a %n chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat didn’t get this message: {why}</source>
        <comment>%n chats didn’t get this message: {why}</comment>
        <translation>
            <numerusform>%n chat no ha recibido este mensaje: {why}</numerusform>
            <numerusform>%n chats no han recibido este mensaje: {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{title} – {model}</source>
        <translation>{title} – {model}</translation>
    </message>
    <message>
        <source>Show Report</source>
        <translation>Mostrar informe</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Algo ha fallado</translation>
    </message>
    <message>
        <source>Export Chats…</source>
        <translation>Exportar chats…</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>«{title}»</translation>
    </message>
    <message>
        <source>Import Chats…</source>
        <translation>Importar chats…</translation>
    </message>
    <message>
        <source>The import couldn’t be undone: {error}</source>
        <translation>No se ha podido deshacer la importación: {error}</translation>
    </message>
    <message numerus="yes">
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation>
            <numerusform>Todos los chats (%Ln)</numerusform>
            <numerusform>Todos los chats (%Ln)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation>
            <numerusform>%Ln chat importado</numerusform>
            <numerusform>%Ln chats importados</numerusform>
        </translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>Imprimir…</translation>
    </message>
    <message>
        <source>Attach Files…</source>
        <translation>Adjuntar archivos…</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>Disposiciones</translation>
    </message>
    <message>
        <source>No layouts yet</source>
        <translation>Aún no hay disposiciones</translation>
    </message>
    <message>
        <source>Save Layout…</source>
        <translation>Guardar disposición…</translation>
    </message>
    <message>
        <source>Save Layout</source>
        <translation>Guardar disposición</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Iniciando…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Registro</translation>
    </message>
    <message>
        <source>Show Log</source>
        <translation>Mostrar registro</translation>
    </message>
    <message>
        <source>{tool} of {server} in “{chat}”</source>
        <translation>{tool} de {server} en «{chat}»</translation>
    </message>
    <message>
        <source>a deleted chat</source>
        <translation>un chat eliminado</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>en {folder}</translation>
    </message>
    <message>
        <source>Layout “{name}” replaced</source>
        <translation>Disposición «{name}» reemplazada</translation>
    </message>
    <message>
        <source>Layout “{name}” saved</source>
        <translation>Disposición «{name}» guardada</translation>
    </message>
    <message>
        <source>Rename Layout</source>
        <translation>Renombrar disposición</translation>
    </message>
    <message>
        <source>Layout renamed to “{name}”</source>
        <translation>Disposición renombrada a «{name}»</translation>
    </message>
    <message>
        <source>Layout “{name}” deleted</source>
        <translation>Disposición «{name}» eliminada</translation>
    </message>
    <message>
        <source>Layout “{name}” opened</source>
        <translation>Disposición «{name}» abierta</translation>
    </message>
    <message>
        <source>Layout “{name}” opened.</source>
        <translation>Disposición «{name}» abierta.</translation>
    </message>
    <message numerus="yes">
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation>
            <numerusform>%n chat más cerrado.</numerusform>
            <numerusform>%n chats más cerrados.</numerusform>
        </translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>Barra lateral</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Buscar en todos los chats</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Partitura</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation>
            <numerusform>%n esperando memoria</numerusform>
            <numerusform>%n esperando memoria</numerusform>
        </translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>Modelos…</translation>
    </message>
    <message>
        <source>Get Model…</source>
        <translation>Obtener modelo…</translation>
    </message>
    <message>
        <source>{keys} copies text.</source>
        <translation>{keys} copia texto.</translation>
    </message>
    <message>
        <source>{keys} cuts text.</source>
        <translation>{keys} corta texto.</translation>
    </message>
    <message>
        <source>{keys} pastes text.</source>
        <translation>{keys} pega texto.</translation>
    </message>
    <message>
        <source>{keys} selects all text.</source>
        <translation>{keys} selecciona todo el texto.</translation>
    </message>
    <message>
        <source>Command Palette…</source>
        <translation>Paleta de comandos…</translation>
    </message>
    <message>
        <source>{menu}: {choice}</source>
        <translation>{menu}: {choice}</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> caracteres</translation>
    </message>
    <message>
        <source>No message here has other versions.</source>
        <translation>Ningún mensaje de aquí tiene otra versión.</translation>
    </message>
    <message>
        <source>“{file}” is still being read.</source>
        <translation>«{file}» aún se está leyendo.</translation>
    </message>
    <message>
        <source>No message is being edited.</source>
        <translation>No se está editando ningún mensaje.</translation>
    </message>
    <message>
        <source>Only your own messages can be edited.</source>
        <translation>Solo puedes editar tus propios mensajes.</translation>
    </message>
    <message>
        <source>There’s no text to copy.</source>
        <translation>No hay texto que copiar.</translation>
    </message>
    <message>
        <source>This is the first version.</source>
        <translation>Esta es la primera versión.</translation>
    </message>
    <message>
        <source>This is the last version.</source>
        <translation>Esta es la última versión.</translation>
    </message>
    <message>
        <source>Edit Last Message</source>
        <translation>Editar último mensaje</translation>
    </message>
    <message>
        <source>Make Panes Equal</source>
        <translation>Igualar paneles</translation>
    </message>
    <message>
        <source>Next Chat</source>
        <translation>Chat siguiente</translation>
    </message>
    <message>
        <source>Previous Chat</source>
        <translation>Chat anterior</translation>
    </message>
    <message>
        <source>This chat is in its own window. Move it back first.</source>
        <translation>Este chat está en su propia ventana. Devuélvelo antes a la ventana principal.</translation>
    </message>
    <message>
        <source>There’s no pane after this one</source>
        <translation>No hay ningún panel después de este</translation>
    </message>
    <message>
        <source>There’s no pane before this one</source>
        <translation>No hay ningún panel antes de este</translation>
    </message>
    <message>
        <source>There’s no other pane next to this one</source>
        <translation>No hay otro panel junto a este</translation>
    </message>
    <message>
        <source>Prompts…</source>
        <translation>Prompts…</translation>
    </message>
    <message>
        <source>Save Message as Prompt…</source>
        <translation>Guardar mensaje como prompt…</translation>
    </message>
    <message>
        <source>Quick Question</source>
        <translation>Pregunta rápida</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Ajustes…</translation>
    </message>
    <message>
        <source>Search All Chats</source>
        <translation>Buscar en todos los chats</translation>
    </message>
    <message>
        <source>Rename Chat</source>
        <translation>Renombrar chat</translation>
    </message>
    <message>
        <source>Move Chat to Folder…</source>
        <translation>Mover chat a carpeta…</translation>
    </message>
    <message numerus="yes">
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation>
            <numerusform>Chat fijado</numerusform>
            <numerusform>{count} chats fijados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation>
            <numerusform>Chat movido a «{folder}»</numerusform>
            <numerusform>{count} chats movidos a «{folder}»</numerusform>
        </translation>
    </message>
    <message>
        <source>New Folder</source>
        <translation>Carpeta nueva</translation>
    </message>
    <message numerus="yes">
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation>
            <numerusform>Chat etiquetado</numerusform>
            <numerusform>{count} chats etiquetados</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder moved</source>
        <translation>Carpeta movida</translation>
    </message>
    <message>
        <source>Move to Folder</source>
        <translation>Mover a carpeta</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>what is done with a chat</comment>
        <translation>Archivar</translation>
    </message>
    <message>
        <source>New Folder…</source>
        <translation>Carpeta nueva…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Renombrar…</translation>
    </message>
    <message>
        <source>Delete Folder</source>
        <translation>Eliminar carpeta</translation>
    </message>
    <message>
        <source>Restore from Backup…</source>
        <translation>Restaurar desde copia de seguridad…</translation>
    </message>
    <message>
        <source>{title}, waits for your answer</source>
        <translation>{title}, espera tu respuesta</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>Cerrar {title}</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>Pantalla completa</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>Menú  F10</translation>
    </message>
    <message>
        <source>Show Stretto</source>
        <translation>Mostrar Stretto</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Cargar</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Fijar</translation>
    </message>
    <message>
        <source>Convert…</source>
        <translation>Convertir…</translation>
    </message>
    <message>
        <source>Show in Folder</source>
        <translation>Mostrar en la carpeta</translation>
    </message>
    <message>
        <source>Add Adapter…</source>
        <translation>Añadir adaptador…</translation>
    </message>
    <message>
        <source>Draft Model…</source>
        <translation>Modelo de borrador…</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>Mover a la papelera</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>Elige antes un modelo</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Liberar</translation>
    </message>
    <message>
        <source>Cancel Loading</source>
        <translation>Cancelar la carga</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Desfijar</translation>
    </message>
    <message>
        <source>Try Now</source>
        <translation>Reintentar ahora</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Texto pegado</translation>
    </message>
    <message>
        <source>“{name}” is too long. Read its last messages only.</source>
        <translation>«{name}» es demasiado largo. Lee solo sus últimos mensajes.</translation>
    </message>
    <message>
        <source>“{name}” can’t be read.</source>
        <translation>No se puede leer «{name}».</translation>
    </message>
    <message>
        <source>“{name}” is attached in part: {pages} of {count}. Open one of them to choose others.</source>
        <translation>«{name}» está adjunto en parte: {pages} de {count}. Abre una de ellas para elegir otras.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add its image or its text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text. Open the file to add their images or their text.</comment>
        <translation>
            <numerusform>%Ln de las {count} páginas de «{name}» es un escaneo sin texto. Abre el archivo para añadir su imagen o su texto.</numerusform>
            <numerusform>%Ln de las {count} páginas de «{name}» son escaneos sin texto. Abre el archivo para añadir sus imágenes o su texto.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text.</comment>
        <translation>
            <numerusform>%Ln de las {count} páginas de «{name}» es un escaneo sin texto.</numerusform>
            <numerusform>%Ln de las {count} páginas de «{name}» son escaneos sin texto.</numerusform>
        </translation>
    </message>
    <message>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation>texto</translation>
    </message>
    <message>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation>código</translation>
    </message>
    <message>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation>página web</translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned</source>
        <comment>%Ln scanned</comment>
        <translation>
            <numerusform>%Ln escaneada</numerusform>
            <numerusform>%Ln escaneadas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage</source>
        <comment>%Ln passages</comment>
        <translation>
            <numerusform>%Ln pasaje</numerusform>
            <numerusform>%Ln pasajes</numerusform>
        </translation>
    </message>
    <message>
        <source>{passages} from {pages}</source>
        <translation>{passages} de {pages}</translation>
    </message>
    <message>
        <source>the first {share}</source>
        <comment>of a file</comment>
        <translation>el primer {share}</translation>
    </message>
    <message numerus="yes">
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation>
            <numerusform>parte {numbers}</numerusform>
            <numerusform>partes {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation>
            <numerusform>diapositiva {numbers}</numerusform>
            <numerusform>diapositivas {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation>
            <numerusform>hoja {numbers}</numerusform>
            <numerusform>hojas {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation>
            <numerusform>capítulo {numbers}</numerusform>
            <numerusform>capítulos {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation>
            <numerusform>página {numbers}</numerusform>
            <numerusform>páginas {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln slide</source>
        <comment>%Ln slides</comment>
        <translation>
            <numerusform>%Ln diapositiva</numerusform>
            <numerusform>%Ln diapositivas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sheet</source>
        <comment>%Ln sheets</comment>
        <translation>
            <numerusform>%Ln hoja</numerusform>
            <numerusform>%Ln hojas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chapter</source>
        <comment>%Ln chapters</comment>
        <translation>
            <numerusform>%Ln capítulo</numerusform>
            <numerusform>%Ln capítulos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page</source>
        <comment>%Ln pages</comment>
        <translation>
            <numerusform>%Ln página</numerusform>
            <numerusform>%Ln páginas</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} of {limit} tokens</source>
        <translation>{tokens} de {limit} tokens</translation>
    </message>
    <message>
        <source>The engine has stopped.</source>
        <translation>El motor se ha detenido.</translation>
    </message>
    <message>
        <source>The model couldn’t be loaded.</source>
        <translation>No se ha podido cargar el modelo.</translation>
    </message>
    <message>
        <source>The chat was closed.</source>
        <translation>El chat se ha cerrado.</translation>
    </message>
    <message>
        <source>Chat {name}</source>
        <translation>Chat {name}</translation>
    </message>
    <message>
        <source>Attached: {file}</source>
        <translation>Adjunto: {file}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>el disco está lleno</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>unos {size}</translation>
    </message>
    <message numerus="yes">
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>un chat</numerusform>
            <numerusform>%n chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>La lista está vacía.</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>Línea {line}, columna {column}</translation>
    </message>
    <message>
        <source>The schema is nested too deeply.</source>
        <translation>El esquema tiene demasiados niveles anidados.</translation>
    </message>
    <message>
        <source>In {place}</source>
        <translation>En {place}</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>El patrón está vacío.</translation>
    </message>
    <message>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation>En el carácter {n}: una barra inversa sin nada detrás.</translation>
    </message>
    <message>
        <source>At character {n}</source>
        <translation>En el carácter {n}</translation>
    </message>
    <message>
        <source>{file}: the archive is damaged.</source>
        <translation>{file}: el archivo comprimido está dañado.</translation>
    </message>
    <message numerus="yes">
        <source>Only the first %Ln file was read.</source>
        <comment>Only the first %Ln files were read.</comment>
        <translation>
            <numerusform>Solo se ha leído %Ln archivo, el primero.</numerusform>
            <numerusform>Solo se han leído los primeros %Ln archivos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation>
            <numerusform>%Ln mensaje</numerusform>
            <numerusform>%Ln mensajes</numerusform>
        </translation>
    </message>
    <message>
        <source>The model couldn’t be loaded ({why}).</source>
        <translation>No se ha podido cargar el modelo ({why}).</translation>
    </message>
    <message>
        <source>{field}: choose at most {most}.</source>
        <translation>{field}: elige como máximo {most}.</translation>
    </message>
    <message>
        <source>{field}: at most {most} characters.</source>
        <translation>{field}: como máximo {most} caracteres.</translation>
    </message>
    <message>
        <source>{field}: choose from the list.</source>
        <translation>{field}: elige de la lista.</translation>
    </message>
    <message>
        <source>{field}: choose at least {least}.</source>
        <translation>{field}: elige al menos {least}.</translation>
    </message>
    <message>
        <source>{field}: at least {least} characters.</source>
        <translation>{field}: al menos {least} caracteres.</translation>
    </message>
    <message>
        <source>{field}: a whole number.</source>
        <translation>{field}: un número entero.</translation>
    </message>
    <message>
        <source>{field}: a number.</source>
        <translation>{field}: un número.</translation>
    </message>
    <message>
        <source>{field}: at least {least}.</source>
        <translation>{field}: al menos {least}.</translation>
    </message>
    <message>
        <source>{field}: at most {most}.</source>
        <translation>{field}: como máximo {most}.</translation>
    </message>
    <message>
        <source>{server} asked with a form that can’t be shown: {why}.</source>
        <translation>{server} ha preguntado con un formulario que no se puede mostrar: {why}.</translation>
    </message>
    <message>
        <source>Add Model Folder</source>
        <translation>Añadir carpeta de modelo</translation>
    </message>
    <message>
        <source>Add an Adapter to {name}</source>
        <translation>Añadir un adaptador a {name}</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>Ficha del modelo</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Convertir</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>Descarga de {name}</translation>
    </message>
    <message>
        <source>Remove from List</source>
        <translation>Quitar de la lista</translation>
    </message>
    <message numerus="yes">
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation>
            <numerusform>%n modelo encontrado</numerusform>
            <numerusform>%n modelos encontrados</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>Descargado</translation>
    </message>
    <message>
        <source>Gated</source>
        <comment>a model</comment>
        <translation>Restringido</translation>
    </message>
    <message>
        <source>Can’t be loaded</source>
        <translation>No se puede cargar</translation>
    </message>
    <message numerus="yes">
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation>
            <numerusform>Cargarlo para chats de hasta %Ln token</numerusform>
            <numerusform>Cargarlo para chats de hasta %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {name} instead</source>
        <translation>Usar {name} en su lugar</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>Liberar {name}</translation>
    </message>
    <message>
        <source>Unload {names} and {last}</source>
        <translation>Liberar {names} y {last}</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memoria</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory</source>
        <translation>{name} no cabe en la memoria</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelos</translation>
    </message>
    <message>
        <source>Number of chats</source>
        <translation>Número de chats</translation>
    </message>
    <message>
        <source>{bits}-bit</source>
        <translation>{bits} bits</translation>
    </message>
    <message>
        <source>at {revision}</source>
        <translation>revisión {revision}</translation>
    </message>
    <message>
        <source>Get Model</source>
        <translation>Obtener modelo</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Descargar</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>Quitar {name} de la lista</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Token de acceso</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>Chats y ajustes</translation>
    </message>
    <message>
        <source>Show the chats and settings folder</source>
        <translation>Mostrar la carpeta de chats y ajustes</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Registros</translation>
    </message>
    <message>
        <source>Show the logs folder</source>
        <translation>Mostrar la carpeta de registros</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Alto</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Contraste</translation>
    </message>
    <message>
        <source> px</source>
        <translation> px</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>Editores</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Puerto</translation>
    </message>
    <message>
        <source>Copy for {name}</source>
        <translation>Copiar para {name}</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Claves</translation>
    </message>
    <message>
        <source>The keys can’t be read: {error}.</source>
        <translation>No se pueden leer las claves: {error}.</translation>
    </message>
    <message>
        <source>New Key…</source>
        <translation>Clave nueva…</translation>
    </message>
    <message>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d &apos;de&apos; MMMM &apos;de&apos; yyyy</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>Revocar</translation>
    </message>
    <message>
        <source>Revoke the key {name}</source>
        <translation>Revocar la clave {name}</translation>
    </message>
    <message>
        <source>New Key</source>
        <translation>Clave nueva</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>Este escritorio no tiene bandeja.</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivados</translation>
    </message>
    <message numerus="yes">
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation>
            <numerusform>%n conectado</numerusform>
            <numerusform>%n conectados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <comment>%n more</comment>
        <translation>
            <numerusform>%n más</numerusform>
            <numerusform>%n más</numerusform>
        </translation>
    </message>
    <message>
        <source>Since Yesterday</source>
        <translation>Desde ayer</translation>
    </message>
    <message>
        <source>Before This Year</source>
        <translation>Antes de este año</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>carpeta</translation>
    </message>
    <message>
        <source>archived chats</source>
        <translation>chats archivados</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation>
            <numerusform>%Ln chat</numerusform>
            <numerusform>%Ln chats</numerusform>
        </translation>
    </message>
    <message>
        <source>The backup couldn’t be restored. {why}</source>
        <translation>No se ha podido restaurar la copia de seguridad. {why}</translation>
    </message>
    <message>
        <source>waits for your answer</source>
        <translation>espera tu respuesta</translation>
    </message>
    <message>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation>abierto</translation>
    </message>
    <message>
        <source>tagged {tags}</source>
        <translation>con las etiquetas {tags}</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Etiquetas, separadas por comas</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field} (opcional)</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>de {least} a {most}</translation>
    </message>
    <message>
        <source>at least {least}</source>
        <translation>al menos {least}</translation>
    </message>
    <message>
        <source>at most {most}</source>
        <translation>como máximo {most}</translation>
    </message>
    <message>
        <source>4 bits: the usual choice</source>
        <translation>4 bits: la opción habitual</translation>
    </message>
    <message>
        <source>6 bits: closer to the original</source>
        <translation>6 bits: más cerca del original</translation>
    </message>
    <message>
        <source>4 and 6 bits: more where it matters</source>
        <translation>4 y 6 bits: más donde importa</translation>
    </message>
    <message>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation>3 y 6 bits: tan pequeño como con 4, más donde importa</translation>
    </message>
    <message>
        <source>3 and 4 bits: the smallest</source>
        <translation>3 y 4 bits: el más pequeño</translation>
    </message>
    <message>
        <source>That folder</source>
        <translation>Esa carpeta</translation>
    </message>
    <message>
        <source>using a tool</source>
        <translation>usando una herramienta</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation>leyendo a {rate}</translation>
    </message>
    <message>
        <source>models</source>
        <translation>modelos</translation>
    </message>
    <message>
        <source>helper processes</source>
        <translation>procesos auxiliares</translation>
    </message>
    <message>
        <source>Send  Enter</source>
        <translation>Enviar  Intro</translation>
    </message>
    <message>
        <source>Open Link</source>
        <translation>Abrir enlace</translation>
    </message>
    <message>
        <source>Blocked because this link doesn’t lead to a web page.</source>
        <translation>Bloqueado porque este enlace no lleva a una página web.</translation>
    </message>
    <message>
        <source>Blocked because this link hides where it leads.</source>
        <translation>Bloqueado porque este enlace oculta adónde lleva.</translation>
    </message>
    <message>
        <source>Open this address at {place} outside Stretto?</source>
        <translation>¿Abrir esta dirección de {place} fuera de Stretto?</translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation>
            <numerusform>(%Ln carácter más)</numerusform>
            <numerusform>(%Ln caracteres más)</numerusform>
        </translation>
    </message>
    <message>
        <source>Use Prompt</source>
        <translation>Usar prompt</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>Recursos</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>Ejecutando {tool}</translation>
    </message>
    <message numerus="yes">
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation>
            <numerusform>Ejecutando %n herramienta</numerusform>
            <numerusform>Ejecutando %n herramientas</numerusform>
        </translation>
    </message>
    <message>
        <source>step {step}</source>
        <translation>paso {step}</translation>
    </message>
    <message>
        <source>An address has no spaces and at most 500 characters.</source>
        <translation>Una dirección no tiene espacios y tiene como máximo 500 caracteres.</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>Una dirección empieza por https:// o http://.</translation>
    </message>
    <message>
        <source>{host} doesn’t allow this with your key. Ask for access there, or use another key.</source>
        <translation>{host} no permite esto con tu clave. Pide acceso allí o usa otra clave.</translation>
    </message>
    <message>
        <source>No models are listed at {address}. Check the address: it often ends in /v1.</source>
        <translation>En {address} no hay una lista de modelos. Comprueba la dirección: suele terminar en /v1.</translation>
    </message>
    <message>
        <source>{host} isn’t ready.</source>
        <translation>{host} no está listo.</translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n second.</source>
        <comment>Try again in %n seconds.</comment>
        <translation>
            <numerusform>Inténtalo de nuevo dentro de %n segundo.</numerusform>
            <numerusform>Inténtalo de nuevo dentro de %n segundos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n minute.</source>
        <comment>Try again in %n minutes.</comment>
        <translation>
            <numerusform>Inténtalo de nuevo dentro de %n minuto.</numerusform>
            <numerusform>Inténtalo de nuevo dentro de %n minutos.</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again in a few hours.</source>
        <translation>Inténtalo de nuevo dentro de unas horas.</translation>
    </message>
    <message>
        <source>Try again tomorrow.</source>
        <translation>Inténtalo mañana.</translation>
    </message>
    <message>
        <source>{host} sent something that can’t be read. Check the address, or try again.</source>
        <translation>{host} ha enviado algo que no se puede leer. Comprueba la dirección o inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Couldn’t connect to {host} ({why}). Check that the server is running and the address is right.</source>
        <translation>No se ha podido conectar con {host} ({why}). Comprueba que el servidor esté en marcha y que la dirección sea correcta.</translation>
    </message>
    <message>
        <source>A model at an address, such as vLLM, llama.cpp or another Stretto</source>
        <translation>Un modelo en una dirección, como vLLM, llama.cpp u otro Stretto</translation>
    </message>
    <message>
        <source>No suggestions</source>
        <translation>Sin sugerencias</translation>
    </message>
    <message>
        <source>Add to Dictionary</source>
        <translation>Añadir al diccionario</translation>
    </message>
    <message>
        <source>Ignore</source>
        <comment>a misspelt word</comment>
        <translation>Ignorar</translation>
    </message>
    <message>
        <source>Questions, reasoning and tools</source>
        <translation>Preguntas, razonamiento y herramientas</translation>
    </message>
    <message>
        <source>Many languages, short texts</source>
        <translation>Muchos idiomas, textos cortos</translation>
    </message>
    <message>
        <source>Fast replies, room for more chats</source>
        <translation>Respuestas rápidas, espacio para más chats</translation>
    </message>
    <message>
        <source>Reasoning, code and tools</source>
        <translation>Razonamiento, código y herramientas</translation>
    </message>
    <message>
        <source>Writing and many languages</source>
        <translation>Redacción y muchos idiomas</translation>
    </message>
    <message>
        <source>Reliable replies, room for more chats</source>
        <translation>Respuestas constantes, espacio para más chats</translation>
    </message>
    <message>
        <source>Reasoning and tools, fast</source>
        <translation>Razonamiento y herramientas, rápido</translation>
    </message>
    <message>
        <source>Reasoning and code, more accurate</source>
        <translation>Razonamiento y código, más exacto</translation>
    </message>
    <message>
        <source>Code, hard questions and tools</source>
        <translation>Código, preguntas difíciles y herramientas</translation>
    </message>
    <message>
        <source>Writing, many languages, fast</source>
        <translation>Redacción, muchos idiomas, rápido</translation>
    </message>
    <message>
        <source>Reasoning, tools, room for more chats</source>
        <translation>Razonamiento, herramientas, espacio para más chats</translation>
    </message>
    <message>
        <source>Code and tools, very fast</source>
        <translation>Código y herramientas, muy rápido</translation>
    </message>
    <message>
        <source>Writing, languages, hard questions</source>
        <translation>Redacción, idiomas, preguntas difíciles</translation>
    </message>
    <message>
        <source>Code and tools, more accurate</source>
        <translation>Código y herramientas, más exacto</translation>
    </message>
    <message>
        <source>Code in long contexts</source>
        <translation>Programación con textos largos</translation>
    </message>
    <message>
        <source>Long texts, very fast</source>
        <translation>Textos largos, muy rápido</translation>
    </message>
    <message>
        <source>Code, tools, room for more chats</source>
        <translation>Código, herramientas, espacio para más chats</translation>
    </message>
    <message>
        <source>Reasoning with adjustable effort</source>
        <translation>Razonamiento con el esfuerzo que elijas</translation>
    </message>
    <message>
        <source>Hard questions, code, many languages</source>
        <translation>Preguntas difíciles, código, muchos idiomas</translation>
    </message>
    <message>
        <source>Hard questions, code, more accurate</source>
        <translation>Preguntas difíciles, código, más exacto</translation>
    </message>
    <message>
        <source>This network can’t be searched ({why}).</source>
        <translation>No se puede buscar en esta red ({why}).</translation>
    </message>
    <message>
        <source>Look for Stretto on this network</source>
        <translation>Buscar Stretto en esta red</translation>
    </message>
    <message>
        <source>Found on this network</source>
        <translation>Encontrados en esta red</translation>
    </message>
    <message>
        <source>{name} has no draft model. {why}</source>
        <translation>{name} no tiene modelo de borrador. {why}</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Respuesta más larga</translation>
    </message>
    <message>
        <source>Default {value}</source>
        <translation>Predeterminado: {value}</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>Valor del modelo</translation>
    </message>
    <message>
        <source>Menu bar icon</source>
        <translation>Icono en la barra de menús</translation>
    </message>
    <message>
        <source>System tray icon</source>
        <translation>Icono en la bandeja del sistema</translation>
    </message>
    <message>
        <source>General</source>
        <translation>General</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>Enviar mensajes con</translation>
    </message>
    <message>
        <source>Attach long pastes as files</source>
        <translation>Adjuntar textos largos pegados como archivos</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>Revisar ortografía</translation>
    </message>
    <message>
        <source>Notify about long replies</source>
        <translation>Avisar de respuestas largas</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
    <message>
        <source>Check for updates daily</source>
        <translation>Buscar actualizaciones a diario</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Tema</translation>
    </message>
    <message>
        <source>Interface zoom</source>
        <translation>Zoom de la interfaz</translation>
    </message>
    <message>
        <source>Message text size</source>
        <translation>Tamaño del texto de los mensajes</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>Reducir movimiento</translation>
    </message>
    <message>
        <source>Name chats automatically</source>
        <translation>Nombrar chats automáticamente</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Límite de memoria</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>Liberar los modelos inactivos tras</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>API local</translation>
    </message>
    <message>
        <source>Local API server</source>
        <translation>Servidor de API local</translation>
    </message>
    <message>
        <source>Require a key</source>
        <translation>Exigir una clave</translation>
    </message>
    <message>
        <source>Allow other computers</source>
        <translation>Permitir otros ordenadores</translation>
    </message>
    <message>
        <source>Copy setup for</source>
        <translation>Copiar configuración para</translation>
    </message>
    <message>
        <source>Use with a coding agent</source>
        <translation>Usar con un agente de programación</translation>
    </message>
    <message>
        <source>Allowed origins (CORS)</source>
        <translation>Orígenes permitidos (CORS)</translation>
    </message>
    <message>
        <source>Model aliases</source>
        <translation>Alias de modelos</translation>
    </message>
    <message>
        <source>Cached context of clients</source>
        <translation>Contexto en caché de los clientes</translation>
    </message>
    <message>
        <source>Concurrent sessions</source>
        <translation>Sesiones simultáneas</translation>
    </message>
    <message>
        <source>Close the oldest session when full</source>
        <translation>Cerrar la sesión más antigua al llenarse</translation>
    </message>
    <message>
        <source>Concurrent requests (per key)</source>
        <translation>Peticiones simultáneas (por clave)</translation>
    </message>
    <message>
        <source>Requests per minute (per key)</source>
        <translation>Peticiones por minuto (por clave)</translation>
    </message>
    <message>
        <source>Unload models used only by clients after</source>
        <translation>Liberar los modelos que solo usan clientes tras</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>Servidores de herramientas (MCP)</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Datos</translation>
    </message>
    <message>
        <source>Cached context on disk</source>
        <translation>Contexto en caché en el disco</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Cachés</translation>
    </message>
    <message>
        <source>launch, Claude Code, Codex, terminal</source>
        <translation>iniciar, Claude Code, Codex, terminal</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Buscar ajustes</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
    <message>
        <source>Found settings</source>
        <translation>Ajustes encontrados</translation>
    </message>
    <message>
        <source>Restarts Stretto in this language. Replies stop.</source>
        <translation>Reinicia Stretto en este idioma. Las respuestas se detienen.</translation>
    </message>
    <message>
        <source>Keyboard language</source>
        <translation>Idioma del teclado</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Desactivado</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>Gestionar…</translation>
    </message>
    <message>
        <source>Programs that give models more tools</source>
        <translation>Programas que dan más herramientas a los modelos</translation>
    </message>
    <message>
        <source>Customize…</source>
        <translation>Personalizar…</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Mensajes</translation>
    </message>
    <message>
        <source>When a reply ends while Stretto is in the background</source>
        <translation>Cuando termina una respuesta con Stretto en segundo plano</translation>
    </message>
    <message>
        <source>The chat’s model suggests a name. Names you set are kept.</source>
        <translation>El modelo del chat propone un nombre. Los que pongas tú se conservan.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automático</translation>
    </message>
    <message>
        <source>For models and chats. Takes effect after a restart.</source>
        <translation>Para modelos y chats. Se aplica al reiniciar.</translation>
    </message>
    <message>
        <source>Lets chats resume right away. Takes effect after a restart.</source>
        <translation>Los chats se reanudan al momento. Se aplica al reiniciar.</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Restaurar…</translation>
    </message>
    <message>
        <source>Show the caches folder</source>
        <translation>Mostrar la carpeta de cachés</translation>
    </message>
    <message>
        <source>Check Now</source>
        <translation>Buscar ahora</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>Buscando…</translation>
    </message>
    <message>
        <source>Stretto is up to date.</source>
        <translation>Stretto está actualizado.</translation>
    </message>
    <message>
        <source>Stretto {version} is available.</source>
        <translation>Stretto {version} está disponible.</translation>
    </message>
    <message>
        <source>Settings, {page}</source>
        <translation>Ajustes, {page}</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Límites</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no web page</comment>
        <translation>Ninguna</translation>
    </message>
    <message>
        <source>Such as https://example.org, separated by spaces</source>
        <translation>Como https://example.org, separadas por espacios</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no session</comment>
        <translation>Ninguna</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Sin límite</translation>
    </message>
    <message>
        <source>Clear the cached context of clients</source>
        <translation>Vaciar el contexto en caché de los clientes</translation>
    </message>
    <message>
        <source>Lets them resume right away after a restart</source>
        <translation>Continúan al momento tras un reinicio</translation>
    </message>
    <message>
        <source>There is nothing to clear.</source>
        <translation>No hay nada que borrar.</translation>
    </message>
    <message>
        <source>Share per client</source>
        <translation>Cuota por cliente</translation>
    </message>
    <message>
        <source>Quick access</source>
        <translation>Acceso rápido</translation>
    </message>
    <message>
        <source>Copy a terminal command</source>
        <translation>Copiar un comando de terminal</translation>
    </message>
    <message>
        <source>Copy environment variables for editors and agents</source>
        <translation>Copiar variables de entorno para editores y agentes</translation>
    </message>
    <message>
        <source>Open Terminal…</source>
        <translation>Abrir terminal…</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names} y otros</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Acceso</translation>
    </message>
    <message numerus="yes">
        <source>Running at {address}, %n client</source>
        <comment>Running at {address}, %n clients</comment>
        <translation>
            <numerusform>En marcha en {address}, %n cliente</numerusform>
            <numerusform>En marcha en {address}, %n clientes</numerusform>
        </translation>
    </message>
    <message>
        <source>Running at {address}, no clients</source>
        <translation>En marcha en {address}, sin clientes</translation>
    </message>
    <message>
        <source>Turn on the local API first.</source>
        <translation>Activa primero la API local.</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>creada el {date}</translation>
    </message>
    <message>
        <source>Clients that use it lose access. This can’t be undone.</source>
        <translation>Los clientes que la usan pierden el acceso. No se puede deshacer.</translation>
    </message>
    <message>
        <source>The key couldn’t be changed: {error}.</source>
        <translation>No se ha podido cambiar la clave: {error}.</translation>
    </message>
    <message>
        <source>Copied. Replace “your-key” with your key.</source>
        <translation>Copiado. Sustituye «your-key» por tu clave.</translation>
    </message>
    <message>
        <source>Copy the key for “{name}” now. You won’t see it again.</source>
        <translation>Copia ahora la clave de «{name}». No se volverá a mostrar.</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Clave nueva</translation>
    </message>
    <message>
        <source>Maximum zoom reached</source>
        <translation>Zoom máximo alcanzado</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>Ampliar</translation>
    </message>
    <message>
        <source>Minimum zoom reached</source>
        <translation>Zoom mínimo alcanzado</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>Reducir</translation>
    </message>
    <message>
        <source>Actual Size</source>
        <translation>Tamaño real</translation>
    </message>
    <message>
        <source>Zoom: {zoom}</source>
        <translation>Zoom: {zoom}</translation>
    </message>
    <message>
        <source>Spelling is off. Turn it on in Settings &gt; General.</source>
        <translation>La revisión de la ortografía está desactivada. Actívala en Ajustes &gt; General.</translation>
    </message>
    <message>
        <source>Next Misspelling</source>
        <translation>Siguiente error ortográfico</translation>
    </message>
    <message>
        <source>Multiple Computers</source>
        <translation>Varios ordenadores</translation>
    </message>
    <message>
        <source>Frees memory. Its chats load it again when you send.</source>
        <translation>Libera memoria. Sus chats lo vuelven a cargar al enviar.</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>No hay ningún modelo cargado</translation>
    </message>
    <message>
        <source>No other model is loaded.</source>
        <translation>No hay ningún otro modelo cargado.</translation>
    </message>
    <message>
        <source>{name} unloaded</source>
        <translation>{name} liberado de la memoria</translation>
    </message>
    <message>
        <source>Add Folder for Tools</source>
        <translation>Añadir carpeta para herramientas</translation>
    </message>
    <message>
        <source>{name} couldn’t reply.</source>
        <translation>{name} no ha podido responder.</translation>
    </message>
    <message>
        <source>{name} has replied.</source>
        <translation>{name} ha respondido.</translation>
    </message>
    <message>
        <source>No room for another pane. The chat opened as a tab.</source>
        <translation>No cabe otro panel. El chat se ha abierto en una pestaña.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, run this command from the Shortcuts app.</source>
        <translation>Para un atajo global de Pregunta rápida, ejecuta este comando desde la app Atajos.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, add this command in your system’s keyboard settings.</source>
        <translation>Para un atajo global de Pregunta rápida, añade este comando en los ajustes de teclado del sistema.</translation>
    </message>
    <message>
        <source>Ask the Guide</source>
        <translation>Preguntar a Guide</translation>
    </message>
    <message>
        <source>This chat is in the Trash.</source>
        <translation>Este chat está en la papelera.</translation>
    </message>
    <message>
        <source>This is an older version of the chat.</source>
        <translation>Esta es una versión anterior del chat.</translation>
    </message>
    <message>
        <source>The chat now shows another version.</source>
        <translation>El chat muestra ahora otra versión.</translation>
    </message>
    <message>
        <source>Switch Back</source>
        <translation>Volver</translation>
    </message>
    <message>
        <source>That message is in another version. Wait until the reply has ended.</source>
        <translation>Ese mensaje está en otra versión. Espera a que termine la respuesta.</translation>
    </message>
    <message>
        <source>No model is replying</source>
        <translation>Ningún modelo está respondiendo</translation>
    </message>
    <message numerus="yes">
        <source>%n reply stopped</source>
        <comment>%n replies stopped</comment>
        <translation>
            <numerusform>%n respuesta detenida</numerusform>
            <numerusform>%n respuestas detenidas</numerusform>
        </translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Línea nueva</translation>
    </message>
    <message>
        <source>Send after the reply</source>
        <translation>Enviar&#xa0;tras&#xa0;la&#xa0;respuesta</translation>
    </message>
    <message>
        <source>Enter, during the reply</source>
        <translation>Intro,&#xa0;durante&#xa0;la&#xa0;respuesta</translation>
    </message>
    <message>
        <source>Remove queued message</source>
        <translation>Quitar&#xa0;mensaje&#xa0;en&#xa0;cola</translation>
    </message>
    <message>
        <source>Delete, on the message</source>
        <translation>Supr,&#xa0;sobre&#xa0;el&#xa0;mensaje</translation>
    </message>
    <message>
        <source>Stop reply</source>
        <translation>Detener la respuesta</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>Editar el último mensaje</translation>
    </message>
    <message>
        <source>Insert prompt</source>
        <translation>Insertar prompt</translation>
    </message>
    <message>
        <source>Next prompt variable</source>
        <translation>Siguiente variable del prompt</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>Quitar adjunto</translation>
    </message>
    <message>
        <source>Delete, on the attachment</source>
        <translation>Supr, sobre el adjunto</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>Eliminar chat</translation>
    </message>
    <message>
        <source>Delete message and all after it</source>
        <translation>Eliminar mensaje y los siguientes</translation>
    </message>
    <message>
        <source>Delete, on a message</source>
        <translation>Supr, sobre un mensaje</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>Mensaje anterior o siguiente</translation>
    </message>
    <message>
        <source>Up or Down, on a message</source>
        <translation>Flecha arriba o abajo, sobre un mensaje</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>Acciones del mensaje</translation>
    </message>
    <message>
        <source>Tab, on a message</source>
        <translation>Tab, sobre un mensaje</translation>
    </message>
    <message>
        <source>Scroll code sideways</source>
        <translation>Desplazar código en horizontal</translation>
    </message>
    <message>
        <source>Left or Right, on a message</source>
        <translation>Flecha izquierda o derecha, sobre un mensaje</translation>
    </message>
    <message>
        <source>Code menu</source>
        <translation>Menú del código</translation>
    </message>
    <message>
        <source>Shift+F10, on a message</source>
        <translation>Mayús+F10, sobre un mensaje</translation>
    </message>
    <message>
        <source>Pause or resume reply</source>
        <translation>Pausar o reanudar la respuesta</translation>
    </message>
    <message>
        <source>Space (in the score)</source>
        <translation>Espacio (en la partitura)</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>{size} en memoria</translation>
    </message>
    <message>
        <source>Something went wrong. Your last action may not have taken effect.</source>
        <translation>Algo ha fallado. Es posible que tu última acción no se haya aplicado.</translation>
    </message>
    <message>
        <source>The file with your chats is damaged, and nothing more can be saved in it. Quit Stretto and open it again to recover what can be read.</source>
        <translation>El archivo con tus chats está dañado y ya no se puede guardar nada en él. Sal de Stretto y vuelve a abrirlo para recuperar lo que se pueda leer.</translation>
    </message>
    <message>
        <source>All changes are saved.</source>
        <translation>Todos los cambios están guardados.</translation>
    </message>
    <message numerus="yes">
        <source>Selected chat</source>
        <comment>%Ln selected chats</comment>
        <translation>
            <numerusform>Chat seleccionado</numerusform>
            <numerusform>%Ln chats seleccionados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat exported to “{file}”</source>
        <comment>%Ln chats exported to “{file}”</comment>
        <translation>
            <numerusform>Chat exportado a «{file}»</numerusform>
            <numerusform>%Ln chats exportados a «{file}»</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed chat moved to the Trash</source>
        <comment>%Ln changed chats moved to the Trash</comment>
        <translation>
            <numerusform>%Ln chat modificado movido a la papelera</numerusform>
            <numerusform>%Ln chats modificados movidos a la papelera</numerusform>
        </translation>
    </message>
    <message>
        <source>To keep the current arrangement, choose Save Layout…</source>
        <translation>Para conservar la distribución actual, elige Guardar disposición…</translation>
    </message>
    <message>
        <source>Saves which chats are open and where.</source>
        <translation>Guarda qué chats están abiertos y dónde.</translation>
    </message>
    <message>
        <source>All chats in the layout “{name}” have been deleted</source>
        <translation>Se han eliminado todos los chats de la disposición «{name}»</translation>
    </message>
    <message numerus="yes">
        <source>%n of its chats has been deleted.</source>
        <comment>%n of its chats have been deleted.</comment>
        <translation>
            <numerusform>Se ha eliminado %n de sus chats.</numerusform>
            <numerusform>Se han eliminado %n de sus chats.</numerusform>
        </translation>
    </message>
    <message>
        <source>Multiple Computers…</source>
        <translation>Varios ordenadores…</translation>
    </message>
    <message>
        <source>{name} restored</source>
        <translation>{name} restaurado</translation>
    </message>
    <message>
        <source>{keys} undoes typing.</source>
        <translation>{keys} deshace lo escrito.</translation>
    </message>
    <message>
        <source>{keys} redoes typing.</source>
        <translation>{keys} rehace lo escrito.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Command or Option.</source>
        <translation>{keys} escribe texto. Añade Comando u Opción.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Ctrl or Alt.</source>
        <translation>{keys} escribe texto. Añade Ctrl o Alt.</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>Pulsa el atajo nuevo.</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Buscar atajos</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Sin resultados</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>Comandos y atajos</translation>
    </message>
    <message>
        <source>Reset All</source>
        <translation>Restablecer todos</translation>
    </message>
    <message>
        <source>Undo Reset</source>
        <translation>Deshacer restablecimiento</translation>
    </message>
    <message>
        <source>no shortcut</source>
        <translation>sin atajo</translation>
    </message>
    <message>
        <source>Default: {usual}</source>
        <translation>Predeterminado: {usual}</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>Cambiar atajo</translation>
    </message>
    <message>
        <source>All shortcuts reset</source>
        <translation>Todos los atajos restablecidos</translation>
    </message>
    <message>
        <source>Change Shortcut</source>
        <translation>Cambiar atajo</translation>
    </message>
    <message>
        <source>Shortcut for {command}</source>
        <translation>Atajo para {command}</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Borrar</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Restablecer</translation>
    </message>
    <message>
        <source>Press the new shortcut for “{command}”</source>
        <translation>Pulsa el atajo nuevo para «{command}»</translation>
    </message>
    <message>
        <source>This is the default shortcut</source>
        <translation>Es el atajo predeterminado</translation>
    </message>
    <message>
        <source>This command has no shortcut</source>
        <translation>Este comando no tiene atajo</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}” and will be removed there.</source>
        <translation>«{command}» ya usa {keys}; se quitará de ahí.</translation>
    </message>
    <message>
        <source>This chat is empty.</source>
        <translation>Este chat está vacío.</translation>
    </message>
    <message>
        <source>Copy Last Reply</source>
        <translation>Copiar última respuesta</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Regenerar</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed</source>
        <translation>Regenerar con la misma semilla</translation>
    </message>
    <message>
        <source>Previous Version</source>
        <translation>Versión anterior</translation>
    </message>
    <message>
        <source>Next Version</source>
        <translation>Versión siguiente</translation>
    </message>
    <message>
        <source>Stop Reply</source>
        <translation>Detener respuesta</translation>
    </message>
    <message>
        <source>Find in Chat</source>
        <translation>Buscar en el chat</translation>
    </message>
    <message>
        <source>Move to New Window</source>
        <translation>Mover a una ventana nueva</translation>
    </message>
    <message>
        <source>Move to Previous Pane</source>
        <translation>Mover al panel anterior</translation>
    </message>
    <message>
        <source>Move to Next Pane</source>
        <translation>Mover al panel siguiente</translation>
    </message>
    <message>
        <source>Make Pane Larger</source>
        <translation>Ampliar panel</translation>
    </message>
    <message>
        <source>Make Pane Smaller</source>
        <translation>Reducir panel</translation>
    </message>
    <message>
        <source>Keep This Reply</source>
        <translation>Conservar esta respuesta</translation>
    </message>
    <message>
        <source>Focus Message Field</source>
        <translation>Ir al campo de mensaje</translation>
    </message>
    <message>
        <source>Prompt from {server}.</source>
        <translation>Prompt de {server}.</translation>
    </message>
    <message>
        <source>Resource from {server}.</source>
        <translation>Recurso de {server}.</translation>
    </message>
    <message>
        <source>Attach up to {most} files.</source>
        <translation>Adjunta como máximo {most} archivos.</translation>
    </message>
    <message>
        <source>The message is empty.</source>
        <translation>El mensaje está vacío.</translation>
    </message>
    <message>
        <source>Edit Tags</source>
        <translation>Editar etiquetas</translation>
    </message>
    <message>
        <source>replying</source>
        <translation>respondiendo</translation>
    </message>
    <message>
        <source>Add Remote Model</source>
        <translation>Añadir modelo remoto</translation>
    </message>
    <message>
        <source>Add Remote Model…</source>
        <translation>Añadir modelo remoto…</translation>
    </message>
    <message>
        <source>Focus Next Section</source>
        <translation>Ir a la zona siguiente</translation>
    </message>
    <message>
        <source>Focus Previous Section</source>
        <translation>Ir a la zona anterior</translation>
    </message>
    <message>
        <source>Tool Servers (MCP)…</source>
        <translation>Servidores de herramientas (MCP)…</translation>
    </message>
    <message>
        <source>Tools for This Chat…</source>
        <translation>Herramientas de este chat…</translation>
    </message>
    <message>
        <source>No tool call is waiting for you.</source>
        <translation>No hay ninguna llamada pendiente.</translation>
    </message>
    <message>
        <source>Next Pending Tool Call</source>
        <translation>Siguiente llamada pendiente</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>No hay nada que deshacer</translation>
    </message>
    <message>
        <source>Undo Close or Delete</source>
        <translation>Deshacer cierre o eliminación</translation>
    </message>
    <message>
        <source>Copy Reply as Plain Text</source>
        <translation>Copiar respuesta como texto sin formato</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>Copiar enlace</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>Seleccionar todo</translation>
    </message>
    <message>
        <source>Search commands, chats, models, settings</source>
        <translation>Buscar comandos, chats, modelos y ajustes</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Sin resultados</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Recientes</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Ventana</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rehacer</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Cortar</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Pegar</translation>
    </message>
    <message>
        <source>“{folder}” is read-only in this chat.</source>
        <translation>«{folder}» es de solo lectura en este chat.</translation>
    </message>
    <message>
        <source>A file name has at most {most} characters.</source>
        <translation>Un nombre de archivo tiene como máximo {most} caracteres.</translation>
    </message>
    <message>
        <source>The file is too large to be changed.</source>
        <translation>El archivo es demasiado grande para modificarlo.</translation>
    </message>
    <message>
        <source>The file isn’t UTF-8 text, so it can’t be changed.</source>
        <translation>El archivo no es texto UTF-8, así que no se puede modificar.</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>Sin cambios</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>Es una carpeta, no un archivo.</translation>
    </message>
    <message>
        <source>The text contains characters that a file can’t hold.</source>
        <translation>El texto contiene caracteres que un archivo no puede guardar.</translation>
    </message>
    <message>
        <source>The text is longer than {most} bytes.</source>
        <translation>El texto supera los {most} bytes.</translation>
    </message>
    <message>
        <source>The path contains a null character.</source>
        <translation>La ruta contiene un carácter nulo.</translation>
    </message>
    <message>
        <source>Paths that contain “..” aren’t allowed.</source>
        <translation>No se permiten rutas con «..».</translation>
    </message>
    <message>
        <source>“{path}” isn’t in a folder of this chat.</source>
        <translation>«{path}» no está en ninguna carpeta de este chat.</translation>
    </message>
    <message>
        <source>The file doesn’t exist.</source>
        <translation>El archivo no existe.</translation>
    </message>
    <message>
        <source>This isn’t a text file.</source>
        <translation>No es un archivo de texto.</translation>
    </message>
    <message>
        <source>The file or folder doesn’t exist.</source>
        <translation>El archivo o la carpeta no existe.</translation>
    </message>
    <message>
        <source>This isn’t valid JSON: {why}, line {line}.</source>
        <translation>No es JSON válido: {why}, línea {line}.</translation>
    </message>
    <message>
        <source>An expression has 1 to {most} characters.</source>
        <translation>Una expresión tiene de 1 a {most} caracteres.</translation>
    </message>
    <message>
        <source>the expression isn’t valid</source>
        <translation>la expresión no es válida</translation>
    </message>
    <message>
        <source>This can’t be calculated: {why}.</source>
        <translation>No se puede calcular: {why}.</translation>
    </message>
    <message>
        <source>There’s no function “{name}”.</source>
        <translation>No existe la función «{name}».</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>El número es demasiado grande.</translation>
    </message>
    <message>
        <source>Date and Time</source>
        <translation>Fecha y hora</translation>
    </message>
    <message>
        <source>Gets the date, time, and time zone.</source>
        <translation>Obtiene la fecha, la hora y la zona horaria.</translation>
    </message>
    <message>
        <source>Get the date and time?</source>
        <translation>¿Consultar la fecha y la hora?</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>Calculadora</translation>
    </message>
    <message>
        <source>Does arithmetic.</source>
        <translation>Hace cálculos.</translation>
    </message>
    <message>
        <source>Calculate this?</source>
        <translation>¿Calcular esto?</translation>
    </message>
    <message>
        <source>List Folders</source>
        <translation>Ver carpetas</translation>
    </message>
    <message>
        <source>Lists the files in this chat’s folders.</source>
        <translation>Muestra los archivos de las carpetas de este chat.</translation>
    </message>
    <message>
        <source>List this folder?</source>
        <translation>¿Ver el contenido de esta carpeta?</translation>
    </message>
    <message>
        <source>List this chat’s folders?</source>
        <translation>¿Ver las carpetas de este chat?</translation>
    </message>
    <message>
        <source>Read Files</source>
        <translation>Leer archivos</translation>
    </message>
    <message>
        <source>Reads text files in this chat’s folders.</source>
        <translation>Lee archivos de texto de las carpetas de este chat.</translation>
    </message>
    <message>
        <source>Read this file?</source>
        <translation>¿Leer este archivo?</translation>
    </message>
    <message>
        <source>Search Files</source>
        <translation>Buscar archivos</translation>
    </message>
    <message>
        <source>Finds files by name, or by the text in them.</source>
        <translation>Busca archivos por su nombre o por su texto.</translation>
    </message>
    <message>
        <source>Search this chat’s folders?</source>
        <translation>¿Buscar en las carpetas de este chat?</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Carpeta</translation>
    </message>
    <message>
        <source>Write Files</source>
        <translation>Escribir archivos</translation>
    </message>
    <message>
        <source>Creates and changes text files. You see every change first.</source>
        <translation>Crea y modifica archivos de texto. Primero ves cada cambio.</translation>
    </message>
    <message>
        <source>Write this file?</source>
        <translation>¿Escribir este archivo?</translation>
    </message>
    <message>
        <source>Web Pages</source>
        <translation>Páginas web</translation>
    </message>
    <message>
        <source>Fetches the text of a public web page.</source>
        <translation>Obtiene el texto de una página web pública.</translation>
    </message>
    <message>
        <source>Fetch this page?</source>
        <translation>¿Obtener esta página?</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Runs Python code, without network or files.</source>
        <translation>Ejecuta código Python, sin red ni archivos.</translation>
    </message>
    <message>
        <source>Run this Python code?</source>
        <translation>¿Ejecutar este código Python?</translation>
    </message>
    <message>
        <source>“{name}” must be text.</source>
        <translation>«{name}» debe ser texto.</translation>
    </message>
    <message>
        <source>tok/s: tokens (parts of words) per second
first token: time until the reply began
cached: tokens kept from earlier replies, so the model reads only the rest</source>
        <translation>tok/s: tokens (partes de palabras) por segundo
primer token: tiempo hasta que empezó la respuesta
en caché: tokens guardados de respuestas anteriores, así el modelo lee solo el resto</translation>
    </message>
    <message>
        <source>Allow Writing in This Folder</source>
        <translation>Permitir escribir en esta carpeta</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Editar…</translation>
    </message>
    <message>
        <source>Change the arguments of this call  E</source>
        <translation>Cambiar los argumentos de esta llamada  E</translation>
    </message>
    <message>
        <source>Deny All</source>
        <translation>Denegar todas</translation>
    </message>
    <message>
        <source>Let the model continue with the results</source>
        <translation>Dejar que el modelo continúe con los resultados</translation>
    </message>
    <message numerus="yes">
        <source>Allow All</source>
        <comment>Allow All %Ln</comment>
        <translation>
            <numerusform>Permitir todas (%Ln)</numerusform>
            <numerusform>Permitir las %Ln</numerusform>
        </translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>Qué ocurrirá</translation>
    </message>
    <message>
        <source>Run this call  Enter</source>
        <translation>Ejecutar esta llamada  Intro</translation>
    </message>
    <message>
        <source>Always Allow</source>
        <translation>Permitir siempre</translation>
    </message>
    <message>
        <source>Run this tool in this chat without asking again  T</source>
        <translation>Ejecutar esta herramienta en este chat sin volver a preguntar  T</translation>
    </message>
    <message>
        <source>Always Allow Server</source>
        <translation>Permitir siempre el servidor</translation>
    </message>
    <message>
        <source>Run every tool of this server in this chat without asking  S</source>
        <translation>Ejecutar en este chat todas las herramientas de este servidor sin preguntar  S</translation>
    </message>
    <message>
        <source>Don’t run this call  D</source>
        <translation>No ejecutar esta llamada  D</translation>
    </message>
    <message>
        <source>The server asked: {question}
You answered.</source>
        <translation>El servidor preguntó: {question}
Respondiste.</translation>
    </message>
    <message>
        <source>The server asked: {question}
You didn’t answer.</source>
        <translation>El servidor preguntó: {question}
No respondiste.</translation>
    </message>
    <message>
        <source>Use {tool}?</source>
        <translation>¿Usar {tool}?</translation>
    </message>
    <message>
        <source>Use {tool} from {server}?</source>
        <translation>¿Usar {tool} de {server}?</translation>
    </message>
    <message>
        <source>Create this file?</source>
        <translation>¿Crear este archivo?</translation>
    </message>
    <message>
        <source>Change this file?</source>
        <translation>¿Modificar este archivo?</translation>
    </message>
    <message>
        <source>{tool} · Denied</source>
        <translation>{tool} · Denegada</translation>
    </message>
    <message>
        <source>Allow or deny the tool call to continue.</source>
        <translation>Permite o deniega la llamada a herramienta para continuar.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON: {why}, line {line}.</source>
        <translation>Los argumentos no son JSON válido: {why}, línea {line}.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON.</source>
        <translation>Los argumentos no son JSON válido.</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, such as { … }.</source>
        <translation>Los argumentos deben ser un objeto JSON, como { … }.</translation>
    </message>
    <message>
        <source>The result was too long for this chat and was left out.</source>
        <translation>El resultado era demasiado largo para este chat y se ha omitido.</translation>
    </message>
    <message>
        <source>There’s no tool “{name}” in this chat.</source>
        <translation>No hay ninguna herramienta «{name}» en este chat.</translation>
    </message>
    <message>
        <source>This call is no longer waiting.</source>
        <translation>Esta llamada ya no espera.</translation>
    </message>
    <message>
        <source>Check the changes, then allow them.</source>
        <translation>Revisa los cambios y luego permítelos.</translation>
    </message>
    <message>
        <source>The tool failed: {kind}.</source>
        <translation>La herramienta ha fallado: {kind}.</translation>
    </message>
    <message>
        <source>Previous 7 Days</source>
        <translation>Últimos 7 días</translation>
    </message>
    <message>
        <source>Previous 30 Days</source>
        <translation>Últimos 30 días</translation>
    </message>
    <message>
        <source>Open Side by Side</source>
        <translation>Abrir lado a lado</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Desagrupar</translation>
    </message>
    <message>
        <source>group</source>
        <comment>of chats that were asked together</comment>
        <translation>grupo</translation>
    </message>
    <message numerus="yes">
        <source>Chat closed</source>
        <comment>%n chats closed</comment>
        <translation>
            <numerusform>Chat cerrado</numerusform>
            <numerusform>%n chats cerrados</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to Main Window</source>
        <translation>Mover a la ventana principal</translation>
    </message>
    <message>
        <source>Restore Panes</source>
        <translation>Restaurar paneles</translation>
    </message>
    <message>
        <source>Maximize Pane</source>
        <translation>Maximizar panel</translation>
    </message>
    <message>
        <source>This pane already fills its window</source>
        <translation>Este panel ya ocupa toda su ventana</translation>
    </message>
    <message>
        <source>This pane has no other tab</source>
        <translation>Este panel no tiene otra pestaña</translation>
    </message>
    <message>
        <source>There’s no tab to the right</source>
        <translation>No hay ninguna pestaña a la derecha</translation>
    </message>
    <message>
        <source>Close Other Tabs</source>
        <translation>Cerrar las demás pestañas</translation>
    </message>
    <message>
        <source>Close Tabs to the Right</source>
        <translation>Cerrar las pestañas a la derecha</translation>
    </message>
    <message>
        <source>Restore Panes  Shift+Esc</source>
        <translation>Restaurar paneles  Shift+Esc</translation>
    </message>
    <message>
        <source>Scroll bar</source>
        <translation>Barra de desplazamiento</translation>
    </message>
    <message>
        <source>Stretto asks before each call.</source>
        <translation>Stretto pregunta antes de cada llamada.</translation>
    </message>
    <message>
        <source>Always allowed in this chat: {tools}. Stretto asks before other calls.</source>
        <translation>Siempre permitidas en este chat: {tools}. Stretto pregunta antes de las demás llamadas.</translation>
    </message>
    <message>
        <source>{folder} · read and write</source>
        <translation>{folder} · lectura y escritura</translation>
    </message>
    <message>
        <source>{folder} · read-only</source>
        <translation>{folder} · solo lectura</translation>
    </message>
    <message>
        <source>Make Read-Only</source>
        <translation>Pasar a solo lectura</translation>
    </message>
    <message>
        <source>Refresh Tools</source>
        <translation>Actualizar herramientas</translation>
    </message>
    <message>
        <source>Load Tools</source>
        <translation>Cargar herramientas</translation>
    </message>
    <message>
        <source>Enable Tools</source>
        <translation>Activar herramientas</translation>
    </message>
    <message>
        <source>The model reads these descriptions</source>
        <translation>El modelo lee estas descripciones</translation>
    </message>
    <message>
        <source>Offer resources with @ and prompts with /</source>
        <translation>Ofrecer recursos con @ y prompts con /</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Conectando…</translation>
    </message>
    <message>
        <source>Tool Servers</source>
        <translation>Servidores de herramientas</translation>
    </message>
    <message>
        <source>Tool servers as JSON</source>
        <translation>Servidores de herramientas en JSON</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importar…</translation>
    </message>
    <message>
        <source>MCP servers, in the JSON format that Claude and LM Studio use.</source>
        <translation>Servidores MCP, en el formato JSON que usan Claude y LM Studio.</translation>
    </message>
    <message>
        <source>Save your changes to the tool servers?</source>
        <translation>¿Guardar los cambios en los servidores de herramientas?</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>Removed: {servers}</source>
        <translation>Eliminados: {servers}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Guardado</translation>
    </message>
    <message>
        <source>No other programs with tool servers</source>
        <translation>No hay otros programas con servidores de herramientas</translation>
    </message>
    <message numerus="yes">
        <source>%n server added from {place}</source>
        <comment>%n servers added from {place}</comment>
        <translation>
            <numerusform>%n servidor añadido de {place}</numerusform>
            <numerusform>%n servidores añadidos de {place}</numerusform>
        </translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>El registro está vacío.</translation>
    </message>
    <message>
        <source>Always Allowed</source>
        <translation>Siempre permitidas</translation>
    </message>
    <message>
        <source>None. Stretto asks before each call.</source>
        <translation>Ninguna. Stretto pregunta antes de cada llamada.</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>Todas las herramientas</translation>
    </message>
    <message>
        <source>{path}: read-only in “{chat}”</source>
        <translation>{path}: solo lectura en «{chat}»</translation>
    </message>
    <message>
        <source>{path}: read and write in “{chat}”</source>
        <translation>{path}: lectura y escritura en «{chat}»</translation>
    </message>
    <message>
        <source>You see each change to a file before it is made.</source>
        <translation>Ves cada cambio en un archivo antes de que se aplique.</translation>
    </message>
    <message>
        <source>Python is unavailable: it needs bubblewrap (bwrap) to run code safely.</source>
        <translation>Python no está disponible: necesita bubblewrap (bwrap) para ejecutar código con seguridad.</translation>
    </message>
    <message>
        <source>Python is unavailable: this system can’t run code safely.</source>
        <translation>Python no está disponible: este sistema no puede ejecutar código con seguridad.</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>Incluido</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>Carpeta añadida</translation>
    </message>
    <message>
        <source>Not quantized</source>
        <translation>Sin cuantizar</translation>
    </message>
    <message>
        <source>Not stated in its configuration</source>
        <translation>No consta en su configuración</translation>
    </message>
    <message>
        <source>According to its template and configuration</source>
        <translation>Según su plantilla y configuración</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>buscando…</translation>
    </message>
    <message>
        <source>Tokens that a prompt and its reply can have together</source>
        <translation>Tokens que pueden sumar un prompt y su respuesta</translation>
    </message>
    <message>
        <source>Weights and the KV caches of its chats</source>
        <translation>Pesos y cachés KV de sus chats</translation>
    </message>
    <message>
        <source>Capabilities</source>
        <comment>what a model can do</comment>
        <translation>Capacidades</translation>
    </message>
    <message>
        <source>Last used</source>
        <comment>when a model was used</comment>
        <translation>Último uso</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>Borrar búsqueda</translation>
    </message>
    <message>
        <source>Download a model from Hugging Face</source>
        <translation>Descargar un modelo de Hugging Face</translation>
    </message>
    <message>
        <source>No models found</source>
        <translation>No se han encontrado modelos</translation>
    </message>
    <message>
        <source>{name} unloaded. It loads again when a chat needs it.</source>
        <translation>{name} liberado. Se vuelve a cargar cuando un chat lo necesita.</translation>
    </message>
    <message>
        <source>Choose a smaller model, or one with fewer bits.</source>
        <translation>Elige un modelo más pequeño o con menos bits.</translation>
    </message>
    <message>
        <source>Recommended for this computer ({gigabytes} GB of memory)</source>
        <translation>Recomendados para este ordenador ({gigabytes} GB de memoria)</translation>
    </message>
    <message>
        <source>No models found. Try other words.</source>
        <translation>No se han encontrado modelos. Prueba con otras palabras.</translation>
    </message>
    <message>
        <source>Searching Hugging Face…</source>
        <translation>Buscando en Hugging Face…</translation>
    </message>
    <message>
        <source>Convert {name} to a smaller copy</source>
        <translation>Convertir {name} en una copia más pequeña</translation>
    </message>
    <message>
        <source>The original ({size}) stays. Converting takes a few minutes.</source>
        <translation>El original ({size}) se conserva. La conversión tarda unos minutos.</translation>
    </message>
    <message>
        <source>Draft Model</source>
        <translation>Modelo de borrador</translation>
    </message>
    <message>
        <source>Draft model for {name}</source>
        <translation>Modelo de borrador de {name}</translation>
    </message>
    <message>
        <source>{name}: different tokenizer</source>
        <translation>{name}: otro tokenizador</translation>
    </message>
    <message>
        <source>No smaller model on this computer has the same tokenizer.</source>
        <translation>Ningún modelo más pequeño de este ordenador tiene el mismo tokenizador.</translation>
    </message>
    <message>
        <source>The folder no longer exists</source>
        <translation>La carpeta ya no existe</translation>
    </message>
    <message>
        <source>More for {name}</source>
        <translation>Más acciones para {name}</translation>
    </message>
    <message>
        <source>Keeps it at the top of the list, and in memory</source>
        <translation>Lo mantiene al principio de la lista y en memoria</translation>
    </message>
    <message>
        <source>Makes a smaller copy</source>
        <translation>Crea una copia más pequeña</translation>
    </message>
    <message>
        <source>A small model that speeds up its replies</source>
        <translation>Un modelo pequeño que acelera sus respuestas</translation>
    </message>
    <message>
        <source>New chat with {name}</source>
        <translation>Chat nuevo con {name}</translation>
    </message>
    <message>
        <source>Added as {name} + {adapter}.</source>
        <translation>Añadido como {name} + {adapter}.</translation>
    </message>
    <message>
        <source>{name} no longer uses a draft model.</source>
        <translation>{name} ya no usa un modelo de borrador.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model.</source>
        <translation>{name} usa {draft} como modelo de borrador.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model once loaded.</source>
        <translation>{name} usará {draft} como modelo de borrador cuando se cargue.</translation>
    </message>
    <message>
        <source>Move {name} to the Trash? {warning}</source>
        <translation>¿Mover {name} a la papelera? {warning}</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its files stay.</source>
        <translation>{name} quitado de la lista. Sus archivos se conservan.</translation>
    </message>
    <message>
        <source>Moving {name} to the Trash…</source>
        <translation>Moviendo {name} a la papelera…</translation>
    </message>
    <message>
        <source>Sends only your search to Hugging Face. Downloads only model data, never code.</source>
        <translation>Solo envía tu búsqueda a Hugging Face. Solo descarga datos de modelos, nunca código.</translation>
    </message>
    <message>
        <source>Downloads continue after you close this window.</source>
        <translation>Las descargas continúan al cerrar esta ventana.</translation>
    </message>
    <message>
        <source>This model needs a Hugging Face token</source>
        <translation>Este modelo necesita un token de Hugging Face</translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation>Consultando a Hugging Face…</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face</source>
        <translation>Esperando a Hugging Face</translation>
    </message>
    <message>
        <source>Choose a model or type its name</source>
        <translation>Elige un modelo o escribe su nombre</translation>
    </message>
    <message>
        <source>{name} hasn’t finished downloading</source>
        <translation>{name} no ha terminado de descargarse</translation>
    </message>
    <message numerus="yes">
        <source>%n model hasn’t finished downloading</source>
        <comment>%n models haven’t finished downloading</comment>
        <translation>
            <numerusform>%n modelo no ha terminado de descargarse</numerusform>
            <numerusform>%n modelos no han terminado de descargarse</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} converted</source>
        <translation>{name} convertido</translation>
    </message>
    <message>
        <source>{name} downloaded</source>
        <translation>{name} descargado</translation>
    </message>
    <message>
        <source>Remote models</source>
        <translation>Modelos remotos</translation>
    </message>
    <message>
        <source>Shows models that suit this computer</source>
        <translation>Muestra qué modelos van bien en este ordenador</translation>
    </message>
    <message>
        <source>Chat with SmolLM2</source>
        <translation>Chatear con SmolLM2</translation>
    </message>
    <message>
        <source>Try Stretto with the Guide</source>
        <translation>Prueba Stretto con Guide</translation>
    </message>
    <message>
        <source>Runs on this computer. Your messages stay here.</source>
        <translation>Se ejecuta en este ordenador. Tus mensajes se quedan aquí.</translation>
    </message>
    <message>
        <source>A tiny built-in model that knows Stretto. For anything else, get a model.</source>
        <translation>Un modelo diminuto incluido que conoce Stretto. Para todo lo demás, obtén un modelo.</translation>
    </message>
    <message>
        <source>It speaks English only.</source>
        <translation>Solo habla inglés.</translation>
    </message>
    <message>
        <source>Your chats are in other windows</source>
        <translation>Tus chats están en otras ventanas</translation>
    </message>
    <message>
        <source>Drag a tab here, or start a new chat.</source>
        <translation>Arrastra aquí una pestaña o empieza un chat nuevo.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one. {keys} reopens the last one.</source>
        <translation>Elige un chat en la barra lateral o empieza uno nuevo. {keys} vuelve a abrir el último.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one.</source>
        <translation>Elige un chat en la barra lateral o empieza uno nuevo.</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>este ordenador</translation>
    </message>
    <message>
        <source>No reply from {host} for {time}</source>
        <translation>Sin respuesta de {host} desde hace {time}</translation>
    </message>
    <message>
        <source>The reply is on its way.</source>
        <translation>La respuesta está en camino.</translation>
    </message>
    <message>
        <source>{title}, replying</source>
        <translation>{title}, respondiendo</translation>
    </message>
    <message>
        <source>{title}, unread</source>
        <translation>{title}, sin leer</translation>
    </message>
    <message>
        <source>New Chat  Ctrl+N</source>
        <translation>Chat nuevo  Ctrl+N</translation>
    </message>
    <message>
        <source>Split Right  Ctrl+\</source>
        <translation>Dividir a la derecha  Ctrl+\</translation>
    </message>
    <message>
        <source>Split Down  Ctrl+Shift+\</source>
        <translation>Dividir hacia abajo  Ctrl+Shift+\</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>sin leer</translation>
    </message>
    <message>
        <source>End of reasoning</source>
        <translation>Fin del razonamiento</translation>
    </message>
    <message>
        <source>the file can’t be created</source>
        <translation>no se puede crear el archivo</translation>
    </message>
    <message>
        <source>The model is still replying. Stop the reply or wait until it has ended.</source>
        <translation>El modelo aún está respondiendo. Detén la respuesta o espera a que termine.</translation>
    </message>
    <message>
        <source>The model isn’t replying.</source>
        <translation>El modelo no está respondiendo.</translation>
    </message>
    <message>
        <source>This message is no longer in the chat.</source>
        <translation>Este mensaje ya no está en el chat.</translation>
    </message>
    <message>
        <source>Stopped because it repeated itself</source>
        <comment>a reply</comment>
        <translation>Detenida porque se repetía</translation>
    </message>
    <message>
        <source>The server didn’t say if it’s complete</source>
        <comment>a reply</comment>
        <translation>El servidor no indicó si está completa</translation>
    </message>
    <message>
        <source>The message before it is deleted too. Restore that one first.</source>
        <translation>El mensaje anterior también está eliminado. Restáuralo primero.</translation>
    </message>
    <message>
        <source>You haven’t sent a message yet.</source>
        <translation>Aún no has enviado ningún mensaje.</translation>
    </message>
    <message>
        <source>There’s no message to reply to yet.</source>
        <translation>Aún no hay ningún mensaje al que responder.</translation>
    </message>
    <message>
        <source>There’s no reply yet.</source>
        <translation>Aún no hay respuesta.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Attach less of it, or remove it.</source>
        <translation>«{file}» es demasiado largo para este modelo. Adjunta menos o quítalo.</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>Escribe antes un mensaje.</translation>
    </message>
    <message>
        <source>The reply is stopping.</source>
        <translation>La respuesta se está deteniendo.</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>El modelo aún se está cargando.</translation>
    </message>
    <message>
        <source>There is nothing to continue.</source>
        <translation>No hay nada que continuar.</translation>
    </message>
    <message>
        <source>Send a message first. The chat is named after it.</source>
        <translation>Envía antes un mensaje. El chat toma su nombre de él.</translation>
    </message>
    <message>
        <source>This reply has no message before it.</source>
        <translation>No hay ningún mensaje antes de esta respuesta.</translation>
    </message>
    <message>
        <source>This isn’t a reply.</source>
        <translation>Esto no es una respuesta.</translation>
    </message>
    <message>
        <source>The seed of this reply is unknown</source>
        <translation>Se desconoce la semilla de esta respuesta</translation>
    </message>
    <message>
        <source>Only the last reply can be continued.</source>
        <translation>Solo se puede continuar la última respuesta.</translation>
    </message>
    <message>
        <source>There’s nothing to continue. Regenerate the reply instead.</source>
        <translation>No hay nada que continuar. Regenera la respuesta.</translation>
    </message>
    <message>
        <source>{host} can’t continue a reply that was cut off. Regenerate it.</source>
        <translation>{host} no puede continuar una respuesta interrumpida. Regenérala.</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>La respuesta está completa.</translation>
    </message>
    <message>
        <source>This reply didn’t fail because of its length.</source>
        <translation>Esta respuesta no ha fallado por su longitud.</translation>
    </message>
    <message>
        <source>What fits is unknown. Shorten the message or start a new chat.</source>
        <translation>No se sabe cuánto cabe. Acorta el mensaje o empieza un chat nuevo.</translation>
    </message>
    <message>
        <source>The chat doesn’t fit without its oldest messages either. Shorten the message.</source>
        <translation>El chat tampoco cabe sin los mensajes más antiguos. Acorta el mensaje.</translation>
    </message>
    <message>
        <source>There are no older messages to leave out. Shorten the message.</source>
        <translation>No hay mensajes anteriores que omitir. Acorta el mensaje.</translation>
    </message>
    <message>
        <source>This reply isn’t finished yet.</source>
        <translation>Esta respuesta aún no ha terminado.</translation>
    </message>
    <message>
        <source>“{part}” isn’t a number. Enter numbers such as 1-3, 7.</source>
        <translation>«{part}» no es un número. Escribe números como 1-3, 7.</translation>
    </message>
    <message>
        <source>Enter numbers from 1 to {last}.</source>
        <translation>Escribe números del 1 al {last}.</translation>
    </message>
    <message>
        <source>Enter numbers such as 1-3, 7.</source>
        <translation>Escribe números como 1-3, 7.</translation>
    </message>
    <message numerus="yes">
        <source>Attach at most %n file. Send the others in another message.</source>
        <comment>Attach at most %n files. Send the others in another message.</comment>
        <translation>
            <numerusform>Adjunta como máximo %n archivo. Envía los demás en otro mensaje.</numerusform>
            <numerusform>Adjunta como máximo %n archivos. Envía los demás en otro mensaje.</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” is a folder. Attach the files in it instead.</source>
        <translation>«{name}» es una carpeta. Adjunta los archivos que contiene.</translation>
    </message>
    <message>
        <source>“{name}” is already attached.</source>
        <translation>«{name}» ya está adjunto.</translation>
    </message>
    <message>
        <source>relevant passages</source>
        <translation>pasajes relevantes</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token too long for this model.</source>
        <comment>%Ln tokens too long for this model.</comment>
        <translation>
            <numerusform>%Ln token de más para este modelo.</numerusform>
            <numerusform>%Ln tokens de más para este modelo.</numerusform>
        </translation>
    </message>
    <message>
        <source>The oldest messages are left out.</source>
        <translation>Se omiten los mensajes más antiguos.</translation>
    </message>
    <message>
        <source>“{file}” couldn’t be saved: {why}.</source>
        <translation>No se ha podido guardar «{file}»: {why}.</translation>
    </message>
    <message>
        <source>The chat no longer exists.</source>
        <translation>El chat ya no existe.</translation>
    </message>
    <message>
        <source>The reply format can’t be used. {wrong} Change it in the chat’s settings.</source>
        <translation>No se puede usar el formato de respuesta. {wrong} Cámbialo en los ajustes del chat.</translation>
    </message>
    <message>
        <source>A schema is a JSON object: { … }.</source>
        <translation>Un esquema es un objeto JSON: { … }.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character. The limit is {most}.</source>
        <comment>%Ln characters. The limit is {most}.</comment>
        <translation>
            <numerusform>%Ln carácter. El límite es {most}.</numerusform>
            <numerusform>%Ln caracteres. El límite es {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} isn’t a number in JSON.</source>
        <translation>{name} no es un número en JSON.</translation>
    </message>
    <message>
        <source>it couldn’t be read</source>
        <translation>no se ha podido leer</translation>
    </message>
    <message>
        <source>{file}: a text in it is too long. Everything before it was read.</source>
        <translation>{file}: un texto es demasiado largo. Se ha leído todo lo anterior.</translation>
    </message>
    <message>
        <source>{file}: no chats in this archive.</source>
        <translation>{file}: no hay chats en este archivo comprimido.</translation>
    </message>
    <message>
        <source>{file}: protected by a password.</source>
        <translation>{file}: protegido con contraseña.</translation>
    </message>
    <message>
        <source>{file}: damaged or not JSON.</source>
        <translation>{file}: dañado o no es JSON.</translation>
    </message>
    <message>
        <source>{file}: damaged after chat {number}. Everything before it was read.</source>
        <translation>{file}: dañado después del chat {number}. Se ha leído todo lo anterior.</translation>
    </message>
    <message>
        <source>{file}: nested too deeply. Everything before it was read.</source>
        <translation>{file}: anidado a demasiada profundidad. Se ha leído todo lo anterior.</translation>
    </message>
    <message>
        <source>More items couldn’t be read.</source>
        <translation>No se han podido leer más elementos.</translation>
    </message>
    <message>
        <source>No chats imported.</source>
        <translation>No se ha importado ningún chat.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported from {programs}, with {messages}.</source>
        <comment>%Ln chats imported from {programs}, with {messages}.</comment>
        <translation>
            <numerusform>%Ln chat importado de {programs}, con {messages}.</numerusform>
            <numerusform>%Ln chats importados de {programs}, con {messages}.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped.</source>
        <translation>La importación se ha detenido.</translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists and wasn’t changed.</source>
        <comment>{count} chats already exist and weren’t changed.</comment>
        <translation>
            <numerusform>{count} chat ya existe y no se ha modificado.</numerusform>
            <numerusform>{count} chats ya existen y no se han modificado.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists in the Trash and wasn’t changed.</source>
        <comment>{count} chats already exist ({trashed} in the Trash) and weren’t changed.</comment>
        <translation>
            <numerusform>{count} chat ya existe en la papelera y no se ha modificado.</numerusform>
            <numerusform>{count} chats ya existen ({trashed} en la papelera) y no se han modificado.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln attachment.</source>
        <comment>Not imported: %Ln attachments.</comment>
        <translation>
            <numerusform>No importado: %Ln adjunto.</numerusform>
            <numerusform>No importados: %Ln adjuntos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln image.</source>
        <comment>Not imported: %Ln images.</comment>
        <translation>
            <numerusform>No importada: %Ln imagen.</numerusform>
            <numerusform>No importadas: %Ln imágenes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln recording or video.</source>
        <comment>Not imported: %Ln recordings and videos.</comment>
        <translation>
            <numerusform>No importado: %Ln audio o vídeo.</numerusform>
            <numerusform>No importados: %Ln audios y vídeos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln tool call or result.</source>
        <comment>Not imported: %Ln tool calls and results.</comment>
        <translation>
            <numerusform>No importado: %Ln llamada a herramienta o resultado.</numerusform>
            <numerusform>No importados: %Ln llamadas a herramientas y resultados.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln citation without an address.</source>
        <comment>Not imported: %Ln citations without an address.</comment>
        <translation>
            <numerusform>No importada: %Ln cita sin dirección.</numerusform>
            <numerusform>No importadas: %Ln citas sin dirección.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln change to a canvas or artifact.</source>
        <comment>Not imported: %Ln changes to a canvas or artifact.</comment>
        <translation>
            <numerusform>No importado: %Ln cambio en un lienzo o artefacto.</numerusform>
            <numerusform>No importados: %Ln cambios en un lienzo o artefacto.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: custom instructions of %Ln chat.</source>
        <comment>Not imported: custom instructions of %Ln chats.</comment>
        <translation>
            <numerusform>No importadas: instrucciones personalizadas de %Ln chat.</numerusform>
            <numerusform>No importadas: instrucciones personalizadas de %Ln chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln empty chat.</source>
        <comment>Not imported: %Ln empty chats.</comment>
        <translation>
            <numerusform>No importado: %Ln chat vacío.</numerusform>
            <numerusform>No importados: %Ln chats vacíos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln instruction within a chat.</source>
        <comment>Not imported: %Ln instructions within a chat.</comment>
        <translation>
            <numerusform>No importada: %Ln instrucción dentro de un chat.</numerusform>
            <numerusform>No importadas: %Ln instrucciones dentro de un chat.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln item of type “{kind}”.</source>
        <comment>Not imported: %Ln items of type “{kind}”.</comment>
        <translation>
            <numerusform>No importado: %Ln elemento de tipo «{kind}».</numerusform>
            <numerusform>No importados: %Ln elementos de tipo «{kind}».</numerusform>
        </translation>
    </message>
    <message>
        <source>The model called a tool instead of replying, but this chat has no tools.</source>
        <translation>El modelo ha llamado a una herramienta en vez de responder, pero este chat no tiene herramientas.</translation>
    </message>
    <message>
        <source>The model’s tool call couldn’t be read.</source>
        <translation>No se ha podido leer la llamada a herramienta del modelo.</translation>
    </message>
    <message>
        <source>{where}: can’t be saved.</source>
        <translation>{where}: no se puede guardar.</translation>
    </message>
    <message>
        <source>{file}, chat {number}</source>
        <translation>{file}, chat {number}</translation>
    </message>
    <message>
        <source>{where}: too long.</source>
        <translation>{where}: demasiado largo.</translation>
    </message>
    <message>
        <source>{where}: not a chat.</source>
        <translation>{where}: no es un chat.</translation>
    </message>
    <message>
        <source>{where}: damaged ({why}).</source>
        <translation>{where}: está dañado ({why}).</translation>
    </message>
    <message>
        <source>{where}: unknown format.</source>
        <translation>{where}: formato desconocido.</translation>
    </message>
    <message>
        <source>{file}: saved by a newer version of Stretto.</source>
        <translation>{file}: guardado con una versión más reciente de Stretto.</translation>
    </message>
    <message>
        <source>{server} no longer has the tool “{tool}”.</source>
        <translation>{server} ya no tiene la herramienta «{tool}».</translation>
    </message>
    <message>
        <source>{server} has changed this tool. Refresh its tools first.</source>
        <translation>{server} ha cambiado esta herramienta. Actualiza antes sus herramientas.</translation>
    </message>
    <message>
        <source>No response within {seconds} s. The call was stopped.</source>
        <translation>Sin respuesta en {seconds} s. La llamada se ha detenido.</translation>
    </message>
    <message>
        <source>{server} quit during the call.</source>
        <translation>{server} se ha cerrado durante la llamada.</translation>
    </message>
    <message>
        <source>Before this call, {server} wants you to visit {pages}</source>
        <translation>Antes de esta llamada, {server} quiere que visites {pages}</translation>
    </message>
    <message>
        <source>{server} didn’t respond: {why}</source>
        <translation>{server} no ha respondido: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t respond within {seconds} s.</source>
        <translation>{server} no ha respondido en {seconds} s.</translation>
    </message>
    <message>
        <source>{server} has quit.</source>
        <translation>{server} se ha cerrado.</translation>
    </message>
    <message>
        <source>{why} It restarts in {seconds} s.</source>
        <translation>{why} Se reinicia en {seconds} s.</translation>
    </message>
    <message>
        <source>{server} didn’t list its tools in time.</source>
        <translation>{server} no ha enumerado sus herramientas a tiempo.</translation>
    </message>
    <message>
        <source>{server} couldn’t list its tools: {why}</source>
        <translation>{server} no ha podido enumerar sus herramientas: {why}</translation>
    </message>
    <message>
        <source>The list of servers is larger than 1 MB.</source>
        <translation>La lista de servidores supera 1 MB.</translation>
    </message>
    <message>
        <source>it isn’t UTF-8 text</source>
        <translation>no es texto UTF-8</translation>
    </message>
    <message>
        <source>The tool servers couldn’t be saved: {why}.</source>
        <translation>No se han podido guardar los servidores de herramientas: {why}.</translation>
    </message>
    <message>
        <source>This JSON isn’t a list of servers.</source>
        <translation>Este JSON no es una lista de servidores.</translation>
    </message>
    <message>
        <source>This isn’t a list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation>No es una lista de servidores. Empieza por {&quot;mcpServers&quot;: …}.</translation>
    </message>
    <message>
        <source>the name must have 1 to 60 visible characters</source>
        <translation>el nombre debe tener de 1 a 60 caracteres visibles</translation>
    </message>
    <message>
        <source>the name can’t contain “/” or be “{name}”</source>
        <translation>el nombre no puede contener «/» ni ser «{name}»</translation>
    </message>
    <message>
        <source>the entry isn’t an object</source>
        <translation>la entrada no es un objeto</translation>
    </message>
    <message>
        <source>timeout must be a number of seconds</source>
        <translation>timeout debe ser un número de segundos</translation>
    </message>
    <message>
        <source>“sse” servers aren’t supported; use the “http” address</source>
        <translation>los servidores «sse» no son compatibles; usa la dirección «http»</translation>
    </message>
    <message>
        <source>url must begin with https:// or http://</source>
        <translation>url debe empezar por https:// o http://</translation>
    </message>
    <message>
        <source>the entry has no command and no url</source>
        <translation>la entrada no tiene ni command ni url</translation>
    </message>
    <message>
        <source>args must be a list of strings</source>
        <translation>args debe ser una lista de cadenas</translation>
    </message>
    <message>
        <source>the command contains a null character</source>
        <translation>el comando contiene un carácter nulo</translation>
    </message>
    <message>
        <source>cwd must be a folder</source>
        <translation>cwd debe ser una carpeta</translation>
    </message>
    <message>
        <source>{what} must be an object of strings</source>
        <translation>{what} debe ser un objeto de cadenas</translation>
    </message>
    <message>
        <source>{what} contains a name or value that isn’t valid</source>
        <translation>{what} contiene un nombre o un valor no válido</translation>
    </message>
    <message>
        <source>not an email address.</source>
        <translation>no es un correo electrónico.</translation>
    </message>
    <message>
        <source>not an address such as https://example.org.</source>
        <translation>no es una dirección como https://example.org.</translation>
    </message>
    <message>
        <source>enter the date as 2026-05-31.</source>
        <translation>escribe la fecha como 2026-05-31.</translation>
    </message>
    <message>
        <source>enter date and time as 2026-05-31T14:30:00Z.</source>
        <translation>escribe la fecha y la hora como 2026-05-31T14:30:00Z.</translation>
    </message>
    <message>
        <source>{field} is required.</source>
        <translation>{field} es obligatorio.</translation>
    </message>
    <message>
        <source>{server} asked with a form that isn’t valid.</source>
        <translation>{server} ha preguntado con un formulario no válido.</translation>
    </message>
    <message>
        <source>{server} asked for more than {most} values at once.</source>
        <translation>{server} ha pedido más de {most} datos a la vez.</translation>
    </message>
    <message>
        <source>{server} asked to open something that isn’t a web address.</source>
        <translation>{server} ha pedido abrir algo que no es una dirección web.</translation>
    </message>
    <message>
        <source>Your answer goes to {server}, not to the model. Never enter passwords, keys, or card numbers.</source>
        <translation>Tu respuesta va a {server}, no al modelo. No escribas nunca contraseñas, claves ni números de tarjeta.</translation>
    </message>
    <message>
        <source>Open in Browser</source>
        <translation>Abrir en el navegador</translation>
    </message>
    <message>
        <source>Open this address and let the server know</source>
        <translation>Abrir esta dirección y avisar al servidor</translation>
    </message>
    <message>
        <source>Send your answers to the server  Enter</source>
        <translation>Enviar tus respuestas al servidor  Intro</translation>
    </message>
    <message>
        <source>Decline to answer  D</source>
        <translation>No responder  D</translation>
    </message>
    <message>
        <source>Dismiss the question  Esc</source>
        <translation>Descartar la pregunta  Esc</translation>
    </message>
    <message>
        <source>Enter an address, such as https://example.org/v1.</source>
        <translation>Escribe una dirección, como https://example.org/v1.</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>Escribe la clave en su propio campo, no en la dirección.</translation>
    </message>
    <message>
        <source>The address has no host. Enter it as https://example.org/v1.</source>
        <translation>La dirección no tiene host. Escríbela como https://example.org/v1.</translation>
    </message>
    <message>
        <source>{host} needs a key, or rejects this one. Add the model again with its key.</source>
        <translation>{host} necesita una clave o rechaza esta. Añade de nuevo el modelo con su clave.</translation>
    </message>
    <message>
        <source>{host} needs payment for this. Add credit there, or choose another model.</source>
        <translation>{host} pide un pago por esto. Añade saldo allí o elige otro modelo.</translation>
    </message>
    <message>
        <source>{host} has no model named “{model}”. Choose another, or check whether it was renamed.</source>
        <translation>{host} no tiene ningún modelo llamado «{model}». Elige otro o comprueba si cambió de nombre.</translation>
    </message>
    <message>
        <source>{host} is getting too many requests.</source>
        <translation>{host} recibe demasiadas peticiones.</translation>
    </message>
    <message>
        <source>{host} couldn’t reply (status {status}). Try again later.</source>
        <translation>{host} no ha podido responder (estado {status}). Inténtalo de nuevo más tarde.</translation>
    </message>
    <message>
        <source>{host} rejects this request (status {status}). It may not support one of the chat’s settings.</source>
        <translation>{host} rechaza esta petición (estado {status}). Puede que no admita algún ajuste del chat.</translation>
    </message>
    <message>
        <source>{host} sent no valid reply (status {status}). Check the address.</source>
        <translation>{host} no ha enviado una respuesta válida (estado {status}). Comprueba la dirección.</translation>
    </message>
    <message>
        <source>{host} redirects requests. Check the address.</source>
        <translation>{host} redirige las peticiones. Comprueba la dirección.</translation>
    </message>
    <message>
        <source>{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, add the model with it.</source>
        <translation>{host} redirige las peticiones a {place}. Stretto no las sigue. Si esa dirección es correcta, añade el modelo con ella.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Inténtalo de nuevo más tarde.</translation>
    </message>
    <message>
        <source>{host} ended the reply before it began. Try again, or check the server.</source>
        <translation>{host} terminó la respuesta antes de que empezara. Inténtalo de nuevo o revisa el servidor.</translation>
    </message>
    <message>
        <source>{host} sent too much and was stopped. The reply so far is kept.</source>
        <translation>{host} ha enviado demasiado y se ha detenido. Se conserva la respuesta hasta aquí.</translation>
    </message>
    <message>
        <source>{host} doesn’t respond. Try again, or check the server.</source>
        <translation>{host} no responde. Inténtalo de nuevo o comprueba el servidor.</translation>
    </message>
    <message>
        <source>The reply from {host} couldn’t be read.</source>
        <translation>No se ha podido leer la respuesta de {host}.</translation>
    </message>
    <message>
        <source>“{name}” isn’t a remote model. Choose another model.</source>
        <translation>«{name}» no es un modelo remoto. Elige otro modelo.</translation>
    </message>
    <message>
        <source>{model} at {host} is no longer in your models, so nothing was sent. Add it again, or choose another model.</source>
        <translation>{model} en {host} ya no está en tus modelos, así que no se ha enviado nada. Añádelo de nuevo o elige otro modelo.</translation>
    </message>
    <message>
        <source>It quit without a message.</source>
        <translation>Se ha cerrado sin ningún mensaje.</translation>
    </message>
    <message>
        <source>{host} has withheld the rest of this reply.</source>
        <translation>{host} ha retenido el resto de esta respuesta.</translation>
    </message>
    <message>
        <source>Stretto is quitting.</source>
        <translation>Saliendo de Stretto.</translation>
    </message>
    <message>
        <source>The server “{server}” was removed or is off.</source>
        <translation>El servidor «{server}» se ha eliminado o está desactivado.</translation>
    </message>
    <message>
        <source>The server “{server}” was changed. Try again.</source>
        <translation>El servidor «{server}» ha cambiado. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>“{name}” isn’t text.</source>
        <translation>«{name}» no es texto.</translation>
    </message>
    <message>
        <source>“{name}” has {size} characters. The limit is {most}.</source>
        <translation>«{name}» tiene {size} caracteres. El límite es {most}.</translation>
    </message>
    <message>
        <source>Add a folder to this chat</source>
        <translation>Añadir una carpeta a este chat</translation>
    </message>
    <message>
        <source>The page didn’t arrive within {seconds} s.</source>
        <translation>La página no ha llegado en {seconds} s.</translation>
    </message>
    <message>
        <source>The page is too large.</source>
        <translation>La página es demasiado grande.</translation>
    </message>
    <message>
        <source>{url} couldn’t be fetched: {why}.</source>
        <translation>No se ha podido obtener {url}: {why}.</translation>
    </message>
    <message>
        <source>There were more than {most} redirects.</source>
        <translation>Ha habido más de {most} redirecciones.</translation>
    </message>
    <message>
        <source>An address has at most {most} characters.</source>
        <translation>Una dirección tiene como máximo {most} caracteres.</translation>
    </message>
    <message>
        <source>This isn’t an address.</source>
        <translation>No es una dirección.</translation>
    </message>
    <message>
        <source>The address must begin with http:// or https://.</source>
        <translation>Solo se obtienen direcciones que empiezan por http:// o https://.</translation>
    </message>
    <message>
        <source>The address can’t contain a name and password.</source>
        <translation>No se obtienen direcciones con nombre y contraseña.</translation>
    </message>
    <message>
        <source>There’s no server {host}.</source>
        <translation>No existe el servidor {host}.</translation>
    </message>
    <message>
        <source>{host} isn’t on the public internet.</source>
        <translation>{host} no está en la internet pública.</translation>
    </message>
    <message>
        <source>The server replied with status {status}.</source>
        <translation>El servidor ha respondido con el estado {status}.</translation>
    </message>
    <message>
        <source>Stretto only fetches text, and this is {kind}.</source>
        <translation>Solo se obtiene texto, y esto es {kind}.</translation>
    </message>
    <message>
        <source>Blind comparison</source>
        <translation>Comparación a ciegas</translation>
    </message>
    <message>
        <source>Compare by</source>
        <translation>Comparar por</translation>
    </message>
    <message>
        <source>Show Differences</source>
        <translation>Mostrar diferencias</translation>
    </message>
    <message>
        <source>Scroll Compared Replies Together</source>
        <translation>Desplazar juntas las respuestas comparadas</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtrar</translation>
    </message>
    <message>
        <source>Filter  Alt+Down</source>
        <translation>Filtrar  Alt+Abajo</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Etiqueta</translation>
    </message>
    <message>
        <source>From Me</source>
        <translation>Míos</translation>
    </message>
    <message>
        <source>From the Model</source>
        <translation>Del modelo</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archivados</translation>
    </message>
    <message>
        <source>Collapsed sidebar</source>
        <translation>Barra lateral contraída</translation>
    </message>
    <message>
        <source>Show Sidebar  Ctrl+B</source>
        <translation>Mostrar barra lateral  Ctrl+B</translation>
    </message>
    <message>
        <source>Hide Sidebar  Ctrl+B</source>
        <translation>Ocultar barra lateral  Ctrl+B</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>Contraer</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Expandir</translation>
    </message>
    <message>
        <source>Open to the Side</source>
        <translation>Abrir al lado</translation>
    </message>
    <message numerus="yes">
        <source>Move {count} Chat to Trash</source>
        <comment>Move {count} Chats to Trash</comment>
        <translation>
            <numerusform>Mover {count} chat a la papelera</numerusform>
            <numerusform>Mover {count} chats a la papelera</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unpinned</source>
        <comment>{count} chats unpinned</comment>
        <translation>
            <numerusform>Chat desfijado</numerusform>
            <numerusform>{count} chats desfijados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat archived</source>
        <comment>{count} chats archived</comment>
        <translation>
            <numerusform>Chat archivado</numerusform>
            <numerusform>{count} chats archivados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unarchived</source>
        <comment>{count} chats unarchived</comment>
        <translation>
            <numerusform>Chat desarchivado</numerusform>
            <numerusform>{count} chats desarchivados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat removed from its folder</source>
        <comment>{count} chats removed from their folders</comment>
        <translation>
            <numerusform>Chat quitado de su carpeta</numerusform>
            <numerusform>{count} chats quitados de sus carpetas</numerusform>
        </translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Crear</translation>
    </message>
    <message>
        <source>Folder “{name}” deleted. Its chats are kept.</source>
        <translation>Carpeta «{name}» eliminada. Sus chats se conservan.</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>Desarchivar</translation>
    </message>
    <message>
        <source>Remove from Folder</source>
        <translation>Quitar de la carpeta</translation>
    </message>
    <message>
        <source>New Subfolder…</source>
        <translation>Nueva subcarpeta…</translation>
    </message>
    <message>
        <source>Move to Top Level</source>
        <translation>Mover al nivel superior</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Resultados</translation>
    </message>
    <message>
        <source>No chats yet</source>
        <translation>Aún no hay chats</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Cliente</translation>
    </message>
    <message>
        <source>Reply so far</source>
        <translation>Respuesta hasta ahora</translation>
    </message>
    <message>
        <source>This reply has ended.</source>
        <translation>Esta respuesta ha terminado.</translation>
    </message>
    <message>
        <source>Clients, {words}</source>
        <translation>Clientes, {words}</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>Clientes</translation>
    </message>
    <message>
        <source>none</source>
        <translation>ninguno</translation>
    </message>
    <message>
        <source>Local API at {address}</source>
        <translation>API local en {address}</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>expandida</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>contraída</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archivado</translation>
    </message>
    <message>
        <source>Ungrouped</source>
        <translation>Desagrupados</translation>
    </message>
    <message>
        <source>Reply {letter}</source>
        <translation>Respuesta {letter}</translation>
    </message>
    <message>
        <source>{reply} was {what}</source>
        <comment>Reply A was Seed 1</comment>
        <translation>{reply} era {what}</translation>
    </message>
    <message>
        <source>Chat moved to Trash</source>
        <translation>Chat movido a la papelera</translation>
    </message>
    <message>
        <source>Move Chat to Trash</source>
        <translation>Mover chat a la papelera</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat moved to Trash</source>
        <comment>%Ln chats moved to Trash</comment>
        <translation>
            <numerusform>%Ln chat movido a la papelera</numerusform>
            <numerusform>%Ln chats movidos a la papelera</numerusform>
        </translation>
    </message>
    <message>
        <source>This change came after the chats were closed and isn’t saved.</source>
        <translation>Este cambio ha llegado después de cerrar los chats y no se ha guardado.</translation>
    </message>
    <message>
        <source>Saving is taking longer than expected.</source>
        <translation>El guardado está tardando más de lo previsto.</translation>
    </message>
    <message>
        <source>The disk didn’t respond in time.</source>
        <translation>El disco no ha respondido a tiempo.</translation>
    </message>
    <message>
        <source>Not enough memory right now.</source>
        <translation>Ahora no hay memoria suficiente.</translation>
    </message>
    <message>
        <source>The chat no longer fits the model’s context.</source>
        <translation>El chat ya no cabe en el contexto del modelo.</translation>
    </message>
    <message>
        <source>The model couldn’t reply.</source>
        <translation>El modelo no ha podido responder.</translation>
    </message>
    <message>
        <source>The model can’t process this request.</source>
        <translation>El modelo no puede procesar esta petición.</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>No hay memoria suficiente.</translation>
    </message>
    <message>
        <source>The model is still replying in this chat.</source>
        <translation>El modelo aún está respondiendo en este chat.</translation>
    </message>
    <message>
        <source>The model’s chat template doesn’t accept these messages.</source>
        <translation>La plantilla de chat del modelo no admite estos mensajes.</translation>
    </message>
    <message>
        <source>The model is no longer loaded.</source>
        <translation>El modelo ya no está cargado.</translation>
    </message>
    <message>
        <source>This model can’t keep the chat separate from the others.</source>
        <translation>Este modelo no puede mantener el chat separado de los demás.</translation>
    </message>
    <message>
        <source>It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and {working} of working memory. {free} is free.</source>
        <translation>Necesita {total}: {weights} para los pesos, {caches} para {chats} de {context} tokens y {working} de memoria de trabajo. Hay {free} libres.</translation>
    </message>
    <message>
        <source>Your last changes before the crash may be missing. The damaged journal is kept as {file}.</source>
        <translation>Pueden faltar tus últimos cambios antes del fallo. El diario dañado se conserva como {file}.</translation>
    </message>
    <message>
        <source>Stretto started without chats. Your earlier chats are kept as {file}.</source>
        <translation>Stretto se ha iniciado sin chats. Tus chats anteriores se conservan como {file}.</translation>
    </message>
    <message>
        <source>Recovered {messages} in {chats}. The damaged file is kept as {file}.</source>
        <translation>Recuperado: {messages} en {chats}. El archivo dañado se conserva como {file}.</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>Copia de seguridad restaurada.</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats are kept as {file}.</source>
        <translation>Copia de seguridad restaurada. Tus chats anteriores se conservan como {file}.</translation>
    </message>
    <message>
        <source>Failed ({kind}). See the log.</source>
        <translation>Ha fallado ({kind}). Consulta el registro.</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <comment>a reply</comment>
        <translation>Límite de longitud alcanzado</translation>
    </message>
    <message>
        <source>Memory full</source>
        <comment>a reply</comment>
        <translation>Memoria llena</translation>
    </message>
    <message>
        <source>Paste a JSON schema.</source>
        <translation>Pega un esquema JSON.</translation>
    </message>
    <message>
        <source>Second reading ({letters})</source>
        <translation>Segunda lectura ({letters})</translation>
    </message>
    <message>
        <source>First reading ({letters})</source>
        <translation>Primera lectura ({letters})</translation>
    </message>
    <message>
        <source>The judge preferred {letter} in both readings.</source>
        <translation>El evaluador prefirió {letter} en ambas lecturas.</translation>
    </message>
    <message>
        <source>The judge changed its mind, so no reply won: {first} in the first reading, {second} in the second.</source>
        <translation>El evaluador cambió de opinión, así que no ganó ninguna respuesta: {first} en la primera lectura, {second} en la segunda.</translation>
    </message>
    <message>
        <source>The judge didn’t name the same best reply in both readings.</source>
        <translation>El evaluador no nombró la misma mejor respuesta en ambas lecturas.</translation>
    </message>
    <message>
        <source>The model hasn’t replied to the tool results.</source>
        <translation>El modelo no ha respondido a los resultados de las herramientas.</translation>
    </message>
    <message>
        <source>Interrupts the reply when “{file}” is ready. Esc cancels.</source>
        <translation>Interrumpirá la respuesta cuando «{file}» esté listo. Esc cancela.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Press “{link}” or remove the file.</source>
        <translation>«{file}» es demasiado largo para este modelo. Pulsa «{link}» o quita el archivo.</translation>
    </message>
    <message>
        <source>8 bits: practically identical to the original</source>
        <translation>8 bits: prácticamente idéntico al original</translation>
    </message>
    <message>
        <source>2 and 6 bits: small, not for every model</source>
        <translation>2 y 6 bits: pequeño, no apto para todos los modelos</translation>
    </message>
    <message>
        <source>Already quantized. Convert the original model instead.</source>
        <translation>Ya está cuantizado. Convierte el modelo original.</translation>
    </message>
    <message>
        <source>The download failed.</source>
        <translation>La descarga ha fallado.</translation>
    </message>
    <message>
        <source>Hugging Face doesn’t allow access.</source>
        <translation>Hugging Face no permite el acceso.</translation>
    </message>
    <message>
        <source>This isn’t possible.</source>
        <translation>Esto no es posible.</translation>
    </message>
    <message>
        <source>The model couldn’t be converted.</source>
        <translation>No se ha podido convertir el modelo.</translation>
    </message>
    <message>
        <source>Not enough disk space.</source>
        <translation>No hay espacio suficiente en el disco.</translation>
    </message>
    <message>
        <source>Not found on Hugging Face.</source>
        <translation>No se ha encontrado en Hugging Face.</translation>
    </message>
    <message>
        <source>Hugging Face can’t be reached.</source>
        <translation>No se puede conectar con Hugging Face.</translation>
    </message>
    <message>
        <source>Hugging Face cannot be reached. Check the connection.</source>
        <translation>No se puede conectar con Hugging Face. Comprueba la conexión.</translation>
    </message>
    <message>
        <source>Hugging Face does not answer. Try again in a while.</source>
        <translation>Hugging Face no responde. Inténtalo de nuevo más tarde.</translation>
    </message>
    <message>
        <source>Hugging Face answers too slowly. Try again in a while.</source>
        <translation>Hugging Face responde con demasiada lentitud. Inténtalo de nuevo más tarde.</translation>
    </message>
    <message>
        <source>{name} isn’t an adapter. Choose a folder with adapter_config.json and adapters.safetensors.</source>
        <translation>{name} no es un adaptador. Elige una carpeta con adapter_config.json y adapters.safetensors.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash. You can put it back from there.</source>
        <translation>{name} se ha movido a la papelera. Puedes restaurarlo desde ahí.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash.</source>
        <translation>{name} se ha movido a la papelera.</translation>
    </message>
    <message>
        <source>{name} is part of Stretto.</source>
        <translation>{name} forma parte de Stretto.</translation>
    </message>
    <message>
        <source>{folder} contains other files too. Remove the model’s files by hand.</source>
        <translation>{folder} contiene también otros archivos. Quita a mano los archivos del modelo.</translation>
    </message>
    <message>
        <source>{name} is being moved to the Trash.</source>
        <translation>{name} se está moviendo a la papelera.</translation>
    </message>
    <message>
        <source>{name} is loading. Wait until it has loaded, or cancel.</source>
        <translation>{name} se está cargando. Espera a que termine o cancela la carga.</translation>
    </message>
    <message>
        <source>{name} is being converted. Cancel the conversion first.</source>
        <translation>{name} se está convirtiendo. Cancela antes la conversión.</translation>
    </message>
    <message>
        <source>{name} is downloading. Cancel the download first.</source>
        <translation>{name} se está descargando. Cancela antes la descarga.</translation>
    </message>
    <message>
        <source>The chat “{title}” uses it and will need another model.</source>
        <translation>El chat «{title}» lo usa y necesitará otro modelo.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat uses it and will need another model.</source>
        <comment>%Ln chats use it and will need another model.</comment>
        <translation>
            <numerusform>%Ln chat lo usa y necesitará otro modelo.</numerusform>
            <numerusform>%Ln chats lo usan y necesitarán otro modelo.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other revision shares its files and is removed too.</source>
        <comment>%n other revisions share its files and are removed too.</comment>
        <translation>
            <numerusform>%n revisión más comparte sus archivos y también se quitará.</numerusform>
            <numerusform>%n revisiones más comparten sus archivos y también se quitarán.</numerusform>
        </translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list} and more.</source>
        <translation>Su carpeta contiene otros archivos, que también se quitarán: {list} y más.</translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list}.</source>
        <translation>Su carpeta contiene otros archivos, que también se quitarán: {list}.</translation>
    </message>
    <message>
        <source>{name} couldn’t be removed: {why}. Show its folder and remove it there.</source>
        <translation>No se ha podido quitar {name}: {why}. Muestra su carpeta y quítalo ahí.</translation>
    </message>
    <message>
        <source>{name} couldn’t be restored: {why}.</source>
        <translation>No se ha podido restaurar {name}: {why}.</translation>
    </message>
    <message>
        <source>This model isn’t loaded.</source>
        <translation>Este modelo no está cargado.</translation>
    </message>
    <message>
        <source>The model is replying in “{chat}”. Stop the reply first.</source>
        <translation>El modelo está respondiendo en «{chat}». Detén antes la respuesta.</translation>
    </message>
    <message numerus="yes">
        <source>The model is replying in %n chat. Stop the reply first.</source>
        <comment>The model is replying in %n chats. Stop the replies first.</comment>
        <translation>
            <numerusform>El modelo está respondiendo en %n chat. Detén antes la respuesta.</numerusform>
            <numerusform>El modelo está respondiendo en %n chats. Detén antes las respuestas.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Another chat is waiting for {model}. It keeps loading.</source>
        <comment>%n other chats are waiting for {model}. It keeps loading.</comment>
        <translation>
            <numerusform>Otro chat espera a {model}. Se sigue cargando.</numerusform>
            <numerusform>%n chats más esperan a {model}. Se sigue cargando.</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} was unloaded because the system is low on memory. It loads again when you send a message.</source>
        <translation>{model} se ha liberado porque el sistema tiene poca memoria. Se volverá a cargar al enviar un mensaje.</translation>
    </message>
    <message>
        <source>Small and fast, often wrong</source>
        <translation>Pequeño y rápido, se equivoca a menudo</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>ya no existe</translation>
    </message>
    <message>
        <source>it can’t be moved to the Trash</source>
        <translation>no se puede mover a la papelera</translation>
    </message>
    <message>
        <source>it wasn’t moved to the Trash</source>
        <translation>no se ha movido a la papelera</translation>
    </message>
    <message>
        <source>it is no longer in the Trash</source>
        <translation>ya no está en la papelera</translation>
    </message>
    <message>
        <source>an item with that name already exists</source>
        <translation>ya existe un elemento con ese nombre</translation>
    </message>
    <message>
        <source>Longer pastes become attachments.</source>
        <translation>Los textos pegados más largos se adjuntan.</translation>
    </message>
    <message>
        <source>Nothing about you is sent, and nothing is installed automatically.</source>
        <translation>No se envía nada sobre ti ni se instala nada automáticamente.</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Activado</translation>
    </message>
    <message>
        <source>Models reload when a chat needs them.</source>
        <translation>Los modelos se cargan de nuevo cuando un chat los necesita.</translation>
    </message>
    <message>
        <source>Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs.</source>
        <translation>Editores, scripts y agentes usan tus modelos con las API de OpenAI y Anthropic.</translation>
    </message>
    <message>
        <source>Other computers always need a key.</source>
        <translation>Los otros ordenadores siempre necesitan una clave.</translation>
    </message>
    <message>
        <source>Unknown names go to your first model.</source>
        <translation>Los nombres desconocidos van a tu primer modelo.</translation>
    </message>
    <message>
        <source>When off, new sessions are refused at the limit.</source>
        <translation>Si está desactivado, se rechazan sesiones nuevas al llegar al límite.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read. Changes aren’t saved until you quit Stretto.</source>
        <translation>No se han podido leer tus ajustes. Los cambios no se guardarán hasta que salgas de Stretto.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read and were reset. The old file is kept as {name}.</source>
        <translation>No se han podido leer tus ajustes y se han restablecido. El archivo anterior se conserva como {name}.</translation>
    </message>
    <message>
        <source>Spell check needs enchant (libenchant-2) and a dictionary for your language. Install them, then restart Stretto.</source>
        <translation>La corrección ortográfica necesita enchant (libenchant-2) y un diccionario de tu idioma. Instálalos y reinicia Stretto.</translation>
    </message>
    <message>
        <source>No dictionary for your language. Install one, for example from hunspell, or choose another language.</source>
        <translation>No hay diccionario para tu idioma. Instala uno, por ejemplo de hunspell, o elige otro idioma.</translation>
    </message>
    <message>
        <source>The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. Stretto can recover what is readable into a new file or start with an empty one. The damaged file is kept.</source>
        <translation>El archivo {path} está dañado o no es de Stretto. No se ha modificado. Stretto puede recuperar lo legible en un archivo nuevo o empezar con uno vacío. El archivo dañado se conserva.</translation>
    </message>
    <message>
        <source>Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or set the file aside and start with an empty one.</source>
        <translation>No se ha podido leer nada en {path}. El archivo no se ha modificado. Restaura una copia de seguridad, o aparta el archivo y empieza con uno vacío.</translation>
    </message>
    <message>
        <source>The chats in {path} were last used by a newer version of Stretto, and this version could damage them. Nothing has been changed. Open them with the newer version, or set the file aside and start with an empty one.</source>
        <translation>Los chats de {path} se usaron por última vez con una versión más reciente de Stretto y esta versión podría dañarlos. No se ha modificado nada. Ábrelos con la versión más reciente, o aparta el archivo y empieza con uno vacío.</translation>
    </message>
    <message>
        <source>One change couldn’t be saved ({what}: {error}). All other changes are saved. Please report this error.</source>
        <translation>No se ha podido guardar un cambio ({what}: {error}). Los demás cambios están guardados. Informa de este error.</translation>
    </message>
    <message>
        <source>Your chats can’t be opened because the disk with {path} is full. Nothing is lost. Free some space, then try again.</source>
        <translation>No se pueden abrir tus chats porque el disco de {path} está lleno. No se ha perdido nada. Libera espacio e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Your latest messages aren’t saved yet because the disk with {path} is full. Free some space. Stretto tries again by itself.</source>
        <translation>Tus últimos mensajes aún no están guardados porque el disco de {path} está lleno. Libera espacio. Stretto lo intentará de nuevo por sí solo.</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {path}. Make the folder and its file writable and try again, or use another folder. Your chats are copied there.</source>
        <translation>Stretto no tiene permiso para escribir en {path}. Permite escribir en la carpeta y en su archivo e inténtalo de nuevo, o usa otra carpeta. Tus chats se copiarán en ella.</translation>
    </message>
    <message>
        <source>The chats in {path} couldn’t be read or saved ({error}). Check that the disk is connected and has free space, then try again.</source>
        <translation>No se han podido leer o guardar los chats de {path} ({error}). Comprueba que el disco está conectado y tiene espacio libre e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The update information isn’t signed by the makers of Stretto.</source>
        <translation>La información de actualización no está firmada por los autores de Stretto.</translation>
    </message>
    <message>
        <source>The update information couldn’t be read.</source>
        <translation>No se ha podido leer la información de actualización.</translation>
    </message>
    <message>
        <source>the request was redirected</source>
        <translation>la petición se ha redirigido</translation>
    </message>
    <message>
        <source>No response: {why}.</source>
        <translation>Sin respuesta: {why}.</translation>
    </message>
    <message>
        <source>The check failed. See the log.</source>
        <translation>La comprobación ha fallado. Consulta el registro.</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Comparación nueva</translation>
    </message>
    <message>
        <source>The replies appear in this chat, and use its history and settings.</source>
        <translation>Las respuestas aparecen en este chat y usan su historial y sus ajustes.</translation>
    </message>
    <message>
        <source>Message: {excerpt}</source>
        <translation>Mensaje: {excerpt}</translation>
    </message>
    <message>
        <source>Example: three roles</source>
        <translation>Ejemplo: tres papeles</translation>
    </message>
    <message>
        <source>Choose a saved comparison first.</source>
        <translation>Elige primero una comparación guardada.</translation>
    </message>
    <message>
        <source>Everything, including all branches and attached files. Can be imported again.</source>
        <translation>Todo, con todas las ramas y los archivos adjuntos. Se puede volver a importar.</translation>
    </message>
    <message>
        <source>The current branch. Attached files are only named.</source>
        <translation>La rama actual. De los archivos adjuntos solo figura el nombre.</translation>
    </message>
    <message>
        <source>The current branch in one file. Attached files are only named.</source>
        <translation>La rama actual en un solo archivo. De los archivos adjuntos solo figura el nombre.</translation>
    </message>
    <message>
        <source>The current branch without formatting. Attached files are only named.</source>
        <translation>La rama actual sin formato. De los archivos adjuntos solo figura el nombre.</translation>
    </message>
    <message>
        <source>The current branch, ready to print. Attached files are only named.</source>
        <translation>La rama actual, lista para imprimir. De los archivos adjuntos solo figura el nombre.</translation>
    </message>
    <message>
        <source>Without a GPU, expect slow replies.</source>
        <translation>Sin GPU, las respuestas serán lentas.</translation>
    </message>
    <message>
        <source>{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, {caches} for {chats} of {tokens}, and {working} of working memory.</source>
        <translation>{verdict}. Necesita {total} de los {free} que pueden usar los modelos: {weights} para los pesos, {caches} para {chats} de {tokens} y {working} de memoria de trabajo.</translation>
    </message>
    <message>
        <source>Fits, slow</source>
        <translation>Cabe, lento</translation>
    </message>
    <message>
        <source>{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each chat.</source>
        <translation>{verdict}. Necesita {weights} de los {room} que pueden usar los modelos, más algo de memoria por chat.</translation>
    </message>
    <message>
        <source>This server is on this computer.</source>
        <translation>Este servidor está en este ordenador.</translation>
    </message>
    <message>
        <source>Describe a quiet morning in one paragraph</source>
        <translation>Describe una mañana tranquila en un párrafo</translation>
    </message>
    <message>
        <source>What is a black hole? Answer in two sentences.</source>
        <translation>¿Qué es un agujero negro? Responde en dos frases.</translation>
    </message>
    <message>
        <source>Give me three tips for a good night’s sleep</source>
        <translation>Dame tres consejos para dormir bien</translation>
    </message>
    <message>
        <source>Describe autumn in a forest in one paragraph</source>
        <translation>Describe el otoño en un bosque en un párrafo</translation>
    </message>
    <message>
        <source>Small, fast, and often wrong. Runs on this computer. Your messages stay here.</source>
        <translation>Pequeño, rápido y a menudo equivocado. Se ejecuta en este ordenador. Tus mensajes se quedan aquí.</translation>
    </message>
    <message>
        <source>A small model for any topic, fast and often wrong</source>
        <translation>Un modelo pequeño y rápido que habla de todo y se equivoca a menudo</translation>
    </message>
    <message>
        <source>Asks {name} the same question four times</source>
        <translation>Hace cuatro veces la misma pregunta a {name}</translation>
    </message>
    <message>
        <source>Too long: {tokens}</source>
        <translation>Demasiado largo: {tokens}</translation>
    </message>
    <message>
        <source>up to date</source>
        <translation>al día</translation>
    </message>
    <message>
        <source>Following {title}</source>
        <translation>Siguiendo {title}</translation>
    </message>
    <message>
        <source>Tools for This Chat</source>
        <translation>Herramientas de este chat</translation>
    </message>
    <message>
        <source>Reproducible (slower)</source>
        <translation>Reproducible (más lento)</translation>
    </message>
    <message>
        <source>Interrupts the reply as soon as possible.</source>
        <translation>Interrumpirá la respuesta lo antes posible.</translation>
    </message>
    <message>
        <source>Open as Chats</source>
        <translation>Abrir como chats</translation>
    </message>
    <message>
        <source>There is nothing to save.</source>
        <translation>No hay nada que guardar.</translation>
    </message>
    <message>
        <source>Previous  Shift+Enter</source>
        <translation>Anterior  Shift+Enter</translation>
    </message>
    <message>
        <source>Next  Enter</source>
        <translation>Siguiente  Enter</translation>
    </message>
    <message>
        <source>Delete Message</source>
        <translation>Eliminar mensaje</translation>
    </message>
    <message>
        <source>Choose Another Model…</source>
        <translation>Elegir otro modelo…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Error</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Respuesta</translation>
    </message>
    <message>
        <source>Copy Reply</source>
        <translation>Copiar respuesta</translation>
    </message>
    <message>
        <source>Regenerate  Ctrl+R</source>
        <translation>Regenerar  Ctrl+R</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed  Ctrl+Shift+R</source>
        <translation>Regenerar con la misma semilla  Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Branch in New Chat</source>
        <translation>Ramificar en un chat nuevo</translation>
    </message>
    <message>
        <source>Delete from Here</source>
        <translation>Eliminar desde aquí</translation>
    </message>
    <message>
        <source>Empty reply</source>
        <translation>Respuesta vacía</translation>
    </message>
    <message>
        <source>Continue this reply</source>
        <translation>Continuar esta respuesta</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>con error</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>límite de longitud alcanzado</translation>
    </message>
    <message>
        <source>memory full</source>
        <translation>memoria llena</translation>
    </message>
    <message>
        <source>may be incomplete</source>
        <translation>quizá incompleta</translation>
    </message>
    <message>
        <source>attached: {name}</source>
        <translation>adjunto: {name}</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more character</source>
        <comment>… %Ln more characters</comment>
        <translation>
            <numerusform>… %Ln carácter más</numerusform>
            <numerusform>… %Ln caracteres más</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Text Sent to the Model</source>
        <translation>Mostrar el texto enviado al modelo</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>Texto de {name}</translation>
    </message>
    <message>
        <source>The text is no longer available.</source>
        <translation>El texto ya no está disponible.</translation>
    </message>
    <message>
        <source>The rest isn’t shown.</source>
        <translation>El resto no se muestra.</translation>
    </message>
    <message>
        <source>Unwrap Lines</source>
        <translation>No ajustar líneas</translation>
    </message>
    <message>
        <source>Wrap Lines</source>
        <translation>Ajustar líneas</translation>
    </message>
    <message>
        <source>No longer in context</source>
        <translation>Ya no está en el contexto</translation>
    </message>
    <message>
        <source>Edit in New Chat</source>
        <translation>Editar en un chat nuevo</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>Mostrar más</translation>
    </message>
    <message>
        <source>Show Less</source>
        <translation>Mostrar menos</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>en cola</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>leyendo el prompt</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>te espera</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>inactivo</translation>
    </message>
    <message numerus="yes">
        <source>{title}: {state}, %Ln tokens in memory</source>
        <comment>{title}: {state}, %Ln tokens in memory</comment>
        <translation>
            <numerusform>{title}: {state}, %Ln token en memoria</numerusform>
            <numerusform>{title}: {state}, %Ln tokens en memoria</numerusform>
        </translation>
    </message>
    <message>
        <source>queued, no. {place}</source>
        <translation>en cola, n.º {place}</translation>
    </message>
    <message>
        <source>{all} in use · chats {kv}</source>
        <translation>{all} en uso · chats {kv}</translation>
    </message>
    <message>
        <source>models {models} · chats {kv}</source>
        <translation>modelos {models} · chats {kv}</translation>
    </message>
    <message>
        <source>context of chats</source>
        <translation>contexto de los chats</translation>
    </message>
    <message>
        <source>free, kept for reuse</source>
        <translation>libre, reservada para reutilizar</translation>
    </message>
    <message>
        <source>Stretto</source>
        <translation>Stretto</translation>
    </message>
    <message>
        <source>Memory in use: {size}</source>
        <translation>Memoria en uso: {size}</translation>
    </message>
    <message>
        <source>Models and chats use {used} of {most}.</source>
        <translation>Los modelos y los chats usan {used} de {most}.</translation>
    </message>
    <message>
        <source>Memory: models {weights}, chats {kv}</source>
        <translation>Memoria: modelos {weights}, chats {kv}</translation>
    </message>
    <message>
        <source>Close Score  Ctrl+J</source>
        <translation>Cerrar partitura  Ctrl+J</translation>
    </message>
    <message>
        <source>Chats appear here while they reply.</source>
        <translation>Los chats aparecen aquí mientras responden.</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Inactivo</translation>
    </message>
    <message>
        <source>Scroll to End</source>
        <translation>Ir al final</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>¿Descartar los cambios?</translation>
    </message>
    <message>
        <source>Keep Editing</source>
        <translation>Seguir editando</translation>
    </message>
    <message>
        <source>Stretto {version} is available</source>
        <translation>Stretto {version} está disponible</translation>
    </message>
    <message>
        <source>You have {version}. Your chats aren’t affected.</source>
        <translation>Tienes la {version}. Tus chats no se ven afectados.</translation>
    </message>
    <message>
        <source>Cancel and Delete</source>
        <translation>Cancelar y eliminar</translation>
    </message>
    <message>
        <source>Enter a name first</source>
        <translation>Escribe antes un nombre</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt. Tab moves through its {{variables}}.</source>
        <translation>Escribe / en un mensaje vacío para insertar un prompt. Tab recorre sus {{variables}}.</translation>
    </message>
    <message>
        <source>Choose New to create your first prompt.</source>
        <translation>Elige Nuevo para crear tu primer prompt.</translation>
    </message>
    <message>
        <source>Restore and Restart</source>
        <translation>Restaurar y reiniciar</translation>
    </message>
    <message>
        <source>Delete Permanently</source>
        <translation>Eliminar definitivamente</translation>
    </message>
    <message>
        <source>The Trash is empty.</source>
        <translation>La papelera está vacía.</translation>
    </message>
    <message>
        <source>deleted permanently tomorrow</source>
        <translation>se elimina definitivamente mañana</translation>
    </message>
    <message>
        <source>deleted permanently today</source>
        <translation>se elimina definitivamente hoy</translation>
    </message>
    <message>
        <source>Select two or more computers and a model.</source>
        <translation>Selecciona dos o más ordenadores y un modelo.</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>Ordenador</translation>
    </message>
    <message>
        <source>Compares connection and speed with a single computer</source>
        <translation>Compara la conexión y la velocidad con un solo ordenador</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Este ordenador</translation>
    </message>
    <message>
        <source>“local” is this computer. Choose another name.</source>
        <translation>«local» es este ordenador. Elige otro nombre.</translation>
    </message>
    <message>
        <source>Choose one, then enter its key.</source>
        <translation>Elige uno y escribe su clave.</translation>
    </message>
    <message>
        <source>Stored in your keychain and sent only to this address.</source>
        <translation>Se guarda en tu llavero y solo se envía a esta dirección.</translation>
    </message>
    <message>
        <source>Messages to this model leave this computer and go to {host}.</source>
        <translation>Los mensajes a este modelo salen de este ordenador y van a {host}.</translation>
    </message>
    <message>
        <source>The connection isn’t encrypted: others on the network can read your messages and the key.</source>
        <translation>La conexión no está cifrada: otros en la red pueden leer tus mensajes y la clave.</translation>
    </message>
    <message>
        <source>Enter an address and choose or type a model.</source>
        <translation>Escribe una dirección y elige o escribe un modelo.</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>Opcional</translation>
    </message>
    <message>
        <source>Get Model List</source>
        <translation>Obtener lista de modelos</translation>
    </message>
    <message>
        <source>Asks the server which models it has. Nothing else is sent.</source>
        <translation>Pregunta al servidor qué modelos tiene. No se envía nada más.</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its chats stay.</source>
        <translation>{name} quitado de la lista. Sus chats se conservan.</translation>
    </message>
    <message>
        <source>Model Card</source>
        <translation>Ficha del modelo</translation>
    </message>
    <message>
        <source>Asks Hugging Face about this model</source>
        <translation>Consulta a Hugging Face sobre este modelo</translation>
    </message>
    <message>
        <source>Already on this computer.</source>
        <translation>Ya está en este ordenador.</translation>
    </message>
    <message>
        <source>This version of Stretto doesn’t support its architecture.</source>
        <translation>Esta versión de Stretto no admite su arquitectura.</translation>
    </message>
    <message>
        <source>The keychain couldn’t store the token. Stretto forgets it when you quit.</source>
        <translation>El llavero no ha podido guardar el token. Stretto lo olvida al salir.</translation>
    </message>
    <message>
        <source>An access token is sent to Hugging Face.</source>
        <translation>Se envía un token de acceso a Hugging Face.</translation>
    </message>
    <message>
        <source>Remove access token</source>
        <translation>Quitar el token de acceso</translation>
    </message>
    <message>
        <source>Open Model Page</source>
        <translation>Abrir la página del modelo</translation>
    </message>
    <message>
        <source>The server lists no models. Type the name of one.</source>
        <translation>El servidor no muestra ningún modelo. Escribe el nombre de uno.</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>En este ordenador</translation>
    </message>
    <message>
        <source>On another computer</source>
        <translation>En otro ordenador</translation>
    </message>
    <message>
        <source>Pin/Unpin Chat</source>
        <translation>Fijar/desfijar chat</translation>
    </message>
    <message>
        <source>Archive/Unarchive Chat</source>
        <translation>Archivar/desarchivar chat</translation>
    </message>
    <message>
        <source>Pause/Resume Reply</source>
        <translation>Pausar/reanudar respuesta</translation>
    </message>
    <message>
        <source>Attach Files…  Ctrl+Shift+A</source>
        <translation>Adjuntar archivos…  Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Cancel Edit  Esc</source>
        <translation>Cancelar edición  Esc</translation>
    </message>
    <message>
        <source>Editing. The original is kept.</source>
        <translation>Editando. Se conserva el original.</translation>
    </message>
    <message>
        <source>Remove {name}  Del</source>
        <translation>Quitar {name}  Del</translation>
    </message>
    <message>
        <source>Choose What to Send…</source>
        <translation>Elegir qué enviar…</translation>
    </message>
    <message>
        <source>Messages go to {host}.</source>
        <translation>Los mensajes van a {host}.</translation>
    </message>
    <message>
        <source>Messages go to {host} on this computer.</source>
        <translation>Los mensajes van a {host}, en este ordenador.</translation>
    </message>
    <message>
        <source>{host} replies, on this computer.</source>
        <translation>Responde {host}, en este ordenador.</translation>
    </message>
    <message>
        <source>A remote model. What you send in this chat goes to {host}.</source>
        <translation>Un modelo remoto. Lo que envías en este chat va a {host}.</translation>
    </message>
    <message>
        <source>Tool results are sent to {host}.</source>
        <translation>Los resultados de las herramientas se envían a {host}.</translation>
    </message>
    <message>
        <source>{host} doesn’t support {names}. Token counts follow each reply.</source>
        <translation>{host} no admite {names}. Los tokens se cuentan tras cada respuesta.</translation>
    </message>
    <message>
        <source>{context}, {count} cached</source>
        <translation>{context}, {count} en caché</translation>
    </message>
    <message>
        <source>Choose Model…</source>
        <translation>Elegir modelo…</translation>
    </message>
    <message>
        <source>Chat Settings</source>
        <translation>Ajustes del chat</translation>
    </message>
    <message>
        <source>Chat Settings…</source>
        <translation>Ajustes del chat…</translation>
    </message>
    <message>
        <source>Reply format</source>
        <translation>Formato de respuesta</translation>
    </message>
    <message>
        <source>Every reply has this format</source>
        <translation>Todas las respuestas tienen este formato</translation>
    </message>
    <message>
        <source>One choice per line</source>
        <translation>Una opción por línea</translation>
    </message>
    <message>
        <source>One choice per line; \n is a line break</source>
        <translation>Una opción por línea; \n es un salto de línea</translation>
    </message>
    <message>
        <source>A regular expression that the whole reply matches</source>
        <translation>Una expresión regular con la que debe coincidir toda la respuesta</translation>
    </message>
    <message>
        <source>Before replying</source>
        <translation>Antes de responder</translation>
    </message>
    <message>
        <source>How the model should reply in this chat</source>
        <translation>Cómo debe responder el modelo en este chat</translation>
    </message>
    <message>
        <source>Saved settings</source>
        <translation>Ajustes guardados</translation>
    </message>
    <message>
        <source>Reuse Last</source>
        <translation>Reutilizar la última</translation>
    </message>
    <message>
        <source>Use the seed of the last reply</source>
        <translation>Usar la semilla de la última respuesta</translation>
    </message>
    <message>
        <source>New seed for each reply</source>
        <translation>Semilla nueva en cada respuesta</translation>
    </message>
    <message>
        <source>Stop sequences</source>
        <translation>Secuencias de detención</translation>
    </message>
    <message>
        <source>One text per line</source>
        <translation>Un texto por línea</translation>
    </message>
    <message>
        <source>The reply stops at any of these texts. One per line, with \n for a line break.</source>
        <translation>La respuesta se detiene en cualquiera de estos textos. Uno por línea, con \n para un salto de línea.</translation>
    </message>
    <message>
        <source>Token limit for this chat. Lower uses less memory.</source>
        <translation>Límite de tokens de este chat. Con menos se usa menos memoria.</translation>
    </message>
    <message>
        <source>Applies to the next reply.</source>
        <translation>Se aplica desde la próxima respuesta.</translation>
    </message>
    <message>
        <source>Fewer Settings</source>
        <translation>Menos ajustes</translation>
    </message>
    <message>
        <source>More Settings</source>
        <translation>Más ajustes</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>leyendo…</translation>
    </message>
    <message>
        <source>{name} attached, {about}</source>
        <translation>{name} adjunto, {about}</translation>
    </message>
    <message>
        <source>reading {page} of {count}…</source>
        <translation>leyendo {page} de {count}…</translation>
    </message>
    <message>
        <source>No longer following “{name}”</source>
        <translation>Ya no se sigue «{name}»</translation>
    </message>
    <message>
        <source>{name} removed</source>
        <translation>{name} quitado</translation>
    </message>
    <message>
        <source>Show Image</source>
        <translation>Mostrar imagen</translation>
    </message>
    <message>
        <source>Pages as Images</source>
        <translation>Páginas como imágenes</translation>
    </message>
    <message>
        <source>Scanned Pages as Images</source>
        <translation>Páginas escaneadas como imágenes</translation>
    </message>
    <message>
        <source>Extract Text of Scanned Pages</source>
        <translation>Extraer el texto de las páginas escaneadas</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Todo</translation>
    </message>
    <message>
        <source>Insert as Text</source>
        <translation>Insertar como texto</translation>
    </message>
    <message>
        <source>Remove Attachment</source>
        <translation>Quitar adjunto</translation>
    </message>
    <message>
        <source>Port {port} is in use. Choose another port.</source>
        <translation>El puerto {port} está en uso. Elige otro puerto.</translation>
    </message>
    <message>
        <source>Port {port} can’t be used ({why}). Choose another port.</source>
        <translation>No se puede usar el puerto {port} ({why}). Elige otro puerto.</translation>
    </message>
    <message>
        <source>You stopped the reply.</source>
        <translation>Has&#xa0;detenido&#xa0;la&#xa0;respuesta.</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>La&#xa0;respuesta&#xa0;ha&#xa0;fallado.</translation>
    </message>
    <message>
        <source>The reply was interrupted.</source>
        <translation>La&#xa0;respuesta&#xa0;se&#xa0;ha&#xa0;interrumpido.</translation>
    </message>
    <message>
        <source>Not sent. {why}</source>
        <translation>No se ha enviado. {why}</translation>
    </message>
    <message>
        <source>Not sent yet.</source>
        <translation>Aún&#xa0;sin&#xa0;enviar.</translation>
    </message>
    <message numerus="yes">
        <source>%n message deleted</source>
        <comment>%n messages deleted</comment>
        <translation>
            <numerusform>%n mensaje eliminado</numerusform>
            <numerusform>%n mensajes eliminados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat gets it when its reply ends</source>
        <comment>%n chats get it when their replies end</comment>
        <translation>
            <numerusform>%n chat lo recibirá cuando termine su respuesta</numerusform>
            <numerusform>%n chats lo recibirán cuando terminen sus respuestas</numerusform>
        </translation>
    </message>
    <message>
        <source>translation, locale</source>
        <translation>traducción, idioma, región</translation>
    </message>
    <message>
        <source>Enter key, Return key, new line</source>
        <translation>tecla Intro, Retorno, salto de línea</translation>
    </message>
    <message>
        <source>clipboard, paste</source>
        <translation>portapapeles, pegar</translation>
    </message>
    <message>
        <source>spellcheck, dictionary, typos</source>
        <translation>corrector, diccionario, erratas</translation>
    </message>
    <message>
        <source>notifications, alerts, sound</source>
        <translation>notificaciones, avisos, sonido</translation>
    </message>
    <message>
        <source>keys, hotkeys, key bindings</source>
        <translation>teclas, atajos, combinaciones de teclas</translation>
    </message>
    <message>
        <source>upgrade, new version</source>
        <translation>actualización, versión nueva</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, appearance, colors</source>
        <translation>modo oscuro, modo claro, noche, aspecto, colores</translation>
    </message>
    <message>
        <source>accessibility, readability</source>
        <translation>accesibilidad, legibilidad</translation>
    </message>
    <message>
        <source>font size, scale, larger, smaller</source>
        <translation>tamaño de letra, escala, más grande, más pequeño</translation>
    </message>
    <message>
        <source>font size, larger, smaller</source>
        <translation>tamaño de letra, más grande, más pequeño</translation>
    </message>
    <message>
        <source>animations, effects</source>
        <translation>animaciones, efectos</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>títulos</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>modelo predeterminado</translation>
    </message>
    <message>
        <source>creativity, randomness, sampling</source>
        <translation>creatividad, azar, muestreo</translation>
    </message>
    <message>
        <source>maximum tokens, length</source>
        <translation>tokens máximos, longitud</translation>
    </message>
    <message>
        <source>context window, overflow</source>
        <translation>ventana de contexto, desbordamiento</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>liberar memoria</translation>
    </message>
    <message>
        <source>HTTP, OpenAI, endpoint</source>
        <translation>HTTP, OpenAI, punto de acceso</translation>
    </message>
    <message>
        <source>network, LAN</source>
        <translation>red, LAN</translation>
    </message>
    <message>
        <source>access, password</source>
        <translation>acceso, contraseña</translation>
    </message>
    <message>
        <source>plugins, extensions, connectors</source>
        <translation>complementos, extensiones, conectores</translation>
    </message>
    <message>
        <source>storage, space</source>
        <translation>almacenamiento, espacio</translation>
    </message>
    <message>
        <source>recover, earlier state</source>
        <translation>recuperar, estado anterior</translation>
    </message>
    <message>
        <source>deleted chats</source>
        <translation>chats eliminados</translation>
    </message>
    <message>
        <source>No settings found</source>
        <translation>No se han encontrado ajustes</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Mostrar menos</translation>
    </message>
    <message>
        <source>My chats first</source>
        <translation>Primero mis chats</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>Igual</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Prioridad</translation>
    </message>
    <message>
        <source>Who goes first when the model is busy</source>
        <translation>Quién va primero cuando el modelo está ocupado</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>terminado</translation>
    </message>
    <message>
        <source>running a tool for {time}</source>
        <translation>usa una herramienta desde hace {time}</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>espera al modelo</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>espera su turno</translation>
    </message>
    <message>
        <source>reading {share} of {total}</source>
        <translation>lee {share} de {total}</translation>
    </message>
    <message>
        <source>reading {share} of {total} ({known} cached)</source>
        <translation>lee {share} de {total} ({known} en caché)</translation>
    </message>
    <message>
        <source>{share} of context</source>
        <translation>{share} del contexto</translation>
    </message>
    <message>
        <source>Save as Chat</source>
        <translation>Guardar como chat</translation>
    </message>
    <message>
        <source>Too long to be saved as a chat.</source>
        <translation>Demasiado largo para guardarlo como chat.</translation>
    </message>
    <message>
        <source>Stop this agent</source>
        <translation>Detener este agente</translation>
    </message>
    <message>
        <source>sub-agent</source>
        <translation>subagente</translation>
    </message>
    <message>
        <source>Stop all of them</source>
        <translation>Detener todos</translation>
    </message>
    <message numerus="yes">
        <source>{program} · %n agent</source>
        <comment>{program} · %n agents</comment>
        <translation>
            <numerusform>{program} · %n agente</numerusform>
            <numerusform>{program} · %n agentes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n busy</source>
        <comment>%n busy</comment>
        <translation>
            <numerusform>%n ocupado</numerusform>
            <numerusform>%n ocupados</numerusform>
        </translation>
    </message>
    <message>
        <source>Shuffles the replies and hides names until you keep one</source>
        <translation>Mezcla las respuestas y oculta los nombres hasta que conserves una</translation>
    </message>
    <message>
        <source>See Four Replies</source>
        <translation>Ver cuatro respuestas</translation>
    </message>
    <message>
        <source>Leave Broadcast</source>
        <translation>Salir de la difusión</translation>
    </message>
    <message>
        <source>Join Broadcast</source>
        <translation>Unirse a la difusión</translation>
    </message>
    <message>
        <source>{name} kept</source>
        <translation>Se ha conservado {name}</translation>
    </message>
    <message>
        <source>{name} kept, {kept} of {times} times so far</source>
        <translation>Se ha conservado {name}, {kept} de {times} veces hasta ahora</translation>
    </message>
    <message>
        <source>Unpin Chat</source>
        <translation>Desfijar chat</translation>
    </message>
    <message>
        <source>Pin Chat</source>
        <translation>Fijar chat</translation>
    </message>
    <message>
        <source>Unarchive Chat</source>
        <translation>Desarchivar chat</translation>
    </message>
    <message>
        <source>Archive Chat</source>
        <translation>Archivar chat</translation>
    </message>
    <message>
        <source>Same as Current Chat</source>
        <translation>El mismo que el chat actual</translation>
    </message>
    <message>
        <source>This chat has no folders.</source>
        <translation>Este chat no tiene carpetas.</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>No se ha encontrado nada.</translation>
    </message>
    <message>
        <source>This folder is empty.</source>
        <translation>Esta carpeta está vacía.</translation>
    </message>
    <message>
        <source>The code printed nothing.</source>
        <translation>El código no ha mostrado nada.</translation>
    </message>
    <message numerus="yes">
        <source>%n byte written to {path}</source>
        <comment>%n bytes written to {path}</comment>
        <translation>
            <numerusform>%n byte escrito en {path}</numerusform>
            <numerusform>%n bytes escritos en {path}</numerusform>
        </translation>
    </message>
    <message>
        <source>Broadcast later messages too</source>
        <translation>Difundir también los mensajes siguientes</translation>
    </message>
    <message>
        <source>Enter chooses what the model gets, Delete removes the file</source>
        <translation>Intro elige lo que recibe el modelo; Supr quita el archivo</translation>
    </message>
    <message>
        <source>“{name}” isn’t filled in yet. Press Enter again to send it anyway.</source>
        <translation>«{name}» aún no está relleno. Pulsa Intro otra vez para enviarlo de todos modos.</translation>
    </message>
    <message>
        <source>Stretto backs up your chats once a day and before each update, and keeps the last three backups. When you restore one, your current chats are kept in a separate file.</source>
        <translation>Stretto hace una copia de seguridad de tus chats una vez al día y antes de cada actualización, y conserva las tres últimas copias. Al restaurar una, los chats actuales se guardan en un archivo aparte.</translation>
    </message>
    <message>
        <source>No backups yet. Stretto makes the first one the next day you use it.</source>
        <translation>Aún no hay copias de seguridad. Stretto hará la primera el próximo día que lo uses.</translation>
    </message>
    <message>
        <source>Your chats are saved. The report contains versions and stack traces, none of your chats, and stays on this computer unless you share it.</source>
        <translation>Tus chats están guardados. El informe contiene versiones y pilas de llamadas, nada de tus chats, y no sale de este ordenador a menos que lo compartas.</translation>
    </message>
    <message>
        <source>Your chats were used by a newer version of Stretto</source>
        <translation>Tus chats se usaron con una versión más reciente de Stretto</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {place}. Make it writable, then try again.</source>
        <translation>Stretto no tiene permiso para escribir en {place}. Permite la escritura e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Recover What Can Be Read</source>
        <translation>Recuperar lo legible</translation>
    </message>
    <message>
        <source>{cause} Changes that aren’t saved when you quit are lost.</source>
        <translation>{cause} Los cambios que no estén guardados al salir se perderán.</translation>
    </message>
    <message>
        <source>Stretto is already running but not responding</source>
        <translation>Stretto ya se está ejecutando, pero no responde</translation>
    </message>
    <message>
        <source>Another copy of Stretto has these chats open. Wait a moment and try again, or quit the other copy first.</source>
        <translation>Otra copia de Stretto tiene abiertos estos chats. Espera un momento e inténtalo de nuevo, o cierra antes la otra copia.</translation>
    </message>
    <message>
        <source>Local chats side by side, all replying at the same time. What you write to local models stays on this computer.</source>
        <translation>Chats locales, lado a lado, que responden todos a la vez. Lo que escribes a los modelos locales se queda en este ordenador.</translation>
    </message>
    <message>
        <source>Chats to export</source>
        <translation>Chats que exportar</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>of what is exported</comment>
        <translation>Formato</translation>
    </message>
    <message>
        <source>Include reasoning</source>
        <translation>Incluir el razonamiento</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>Progreso de la exportación</translation>
    </message>
    <message>
        <source>Always included in JSON</source>
        <translation>Siempre incluido en JSON</translation>
    </message>
    <message>
        <source>Export to Folder</source>
        <translation>Exportar a una carpeta</translation>
    </message>
    <message>
        <source>Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you already have aren’t changed.</source>
        <translation>Importa JSON de Stretto, exportaciones de datos de ChatGPT y Claude (el archivo ZIP o el conversations.json que contiene), exportaciones de Open WebUI y archivos de chat de LM Studio. Los chats que ya tienes no cambian.</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Progreso de la importación</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>No importado</translation>
    </message>
    <message>
        <source>Such as LM Studio’s chats folder</source>
        <translation>Por ejemplo, la carpeta de chats de LM Studio</translation>
    </message>
    <message>
        <source>Import Folder</source>
        <translation>Importar una carpeta</translation>
    </message>
    <message>
        <source>Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used under the LGPL as separate libraries, which you may replace with your own builds.</source>
        <translation>Stretto se distribuye bajo la licencia MIT. Qt, PySide6 y Qt Advanced Docking se usan bajo la LGPL como bibliotecas aparte, que puedes sustituir por tus propias compilaciones.</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Componentes</translation>
    </message>
    <message>
        <source>“{name}” already exists. Replace it?</source>
        <translation>«{name}» ya existe. ¿Reemplazarlo?</translation>
    </message>
    <message>
        <source>Prompt text</source>
        <translation>Texto del prompt</translation>
    </message>
    <message>
        <source>There’s no deleted prompt to restore</source>
        <translation>No hay ningún prompt eliminado que restaurar</translation>
    </message>
    <message>
        <source>Another prompt has this name. This one is still called “{before}”.</source>
        <translation>Ya hay otro prompt con ese nombre. Este sigue llamándose «{before}».</translation>
    </message>
    <message numerus="yes">
        <source>Deleted chats stay here for %n day and are then deleted permanently.</source>
        <comment>Deleted chats stay here for %n days and are then deleted permanently.</comment>
        <translation>
            <numerusform>Los chats eliminados se quedan aquí %n día y luego se eliminan definitivamente.</numerusform>
            <numerusform>Los chats eliminados se quedan aquí %n días y luego se eliminan definitivamente.</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged files that were set aside may still contain text of deleted chats: {files}</source>
        <translation>Los archivos dañados que se apartaron aún pueden contener texto de chats eliminados: {files}</translation>
    </message>
    <message>
        <source>Delete “{title}” permanently, from backups too? This can’t be undone.</source>
        <translation>¿Eliminar «{title}» definitivamente, también de las copias de seguridad? Esta acción no se puede deshacer.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln chat permanently, from backups too? This can’t be undone.</source>
        <comment>Delete %Ln chats permanently, from backups too? This can’t be undone.</comment>
        <translation>
            <numerusform>¿Eliminar %Ln chat definitivamente, también de las copias de seguridad? Esta acción no se puede deshacer.</numerusform>
            <numerusform>¿Eliminar %Ln chats definitivamente, también de las copias de seguridad? Esta acción no se puede deshacer.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day left</source>
        <comment>%n days left</comment>
        <translation>
            <numerusform>queda %n día</numerusform>
            <numerusform>quedan %n días</numerusform>
        </translation>
    </message>
    <message>
        <source>The download page lists what’s new.</source>
        <translation>La página de descarga detalla las novedades.</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>Novedades</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>Esquema JSON</translation>
    </message>
    <message>
        <source>List of choices</source>
        <translation>Lista de opciones</translation>
    </message>
    <message>
        <source>Split a model that’s too large for one computer across several. Each needs the same version of Stretto, the model’s files, and SSH access without a password.</source>
        <translation>Ejecuta en varios ordenadores un modelo demasiado grande para un ordenador, con una parte en cada uno. Todos necesitan la misma versión de Stretto, los archivos del modelo y acceso SSH sin contraseña.</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>user@host, or local</source>
        <translation>usuario@host, o local</translation>
    </message>
    <message>
        <source>Command, such as stretto</source>
        <translation>Comando, p. ej. stretto</translation>
    </message>
    <message numerus="yes">
        <source>{weights}, group size %n</source>
        <comment>{weights}, group size %n</comment>
        <translation>
            <numerusform>{weights}, tamaño de grupo %n</numerusform>
            <numerusform>{weights}, tamaño de grupo %n</numerusform>
        </translation>
    </message>
    <message>
        <source>{weights}, some layers differ</source>
        <translation>{weights}; algunas capas difieren</translation>
    </message>
    <message>
        <source>{name} hasn’t drafted any tokens yet.</source>
        <translation>{name} aún no ha propuesto ningún token.</translation>
    </message>
    <message numerus="yes">
        <source>{name} has drafted %Ln token; {share} accepted.</source>
        <comment>{name} has drafted %Ln tokens; {share} accepted.</comment>
        <translation>
            <numerusform>{name} ha propuesto %Ln token; {share} aceptado.</numerusform>
            <numerusform>{name} ha propuesto %Ln tokens; {share} aceptados.</numerusform>
        </translation>
    </message>
    <message>
        <source>Make It Fit…</source>
        <translation>Hacer que quepa…</translation>
    </message>
    <message numerus="yes">
        <source>Pasted text attached as a file, %Ln character</source>
        <comment>Pasted text attached as a file, %Ln characters</comment>
        <translation>
            <numerusform>Texto pegado adjuntado como archivo, %Ln carácter</numerusform>
            <numerusform>Texto pegado adjuntado como archivo, %Ln caracteres</numerusform>
        </translation>
    </message>
    <message>
        <source>Relevant Passages Only</source>
        <translation>Solo los pasajes relevantes</translation>
    </message>
    <message>
        <source>Higher is more random. 0 always picks the most likely token.</source>
        <translation>Más alto es más aleatorio. 0 elige siempre el token más probable.</translation>
    </message>
    <message>
        <source>In tokens, including thinking</source>
        <translation>En tokens, incluido el razonamiento</translation>
    </message>
    <message>
        <source>Only the most likely tokens, up to this total probability</source>
        <translation>Solo los tokens más probables, hasta esta probabilidad total</translation>
    </message>
    <message>
        <source>Only this many of the most likely tokens. 0 means all.</source>
        <translation>Solo este número de tokens más probables. 0 significa todos.</translation>
    </message>
    <message>
        <source>Only tokens at least this likely, relative to the first</source>
        <translation>Solo tokens con al menos esta probabilidad relativa al primero</translation>
    </message>
    <message>
        <source>Only tokens of typical probability, up to this total</source>
        <translation>Solo tokens de probabilidad típica, hasta este total</translation>
    </message>
    <message>
        <source>How often the most likely tokens are excluded</source>
        <translation>Con qué frecuencia se excluyen los tokens más probables</translation>
    </message>
    <message>
        <source>Excludes tokens at least this likely</source>
        <translation>Excluye los tokens con al menos esta probabilidad</translation>
    </message>
    <message>
        <source>Above 1, recent tokens become less likely</source>
        <translation>Por encima de 1, los tokens recientes son menos probables</translation>
    </message>
    <message>
        <source>Applied once to each recent token</source>
        <translation>Se aplica una vez a cada token reciente</translation>
    </message>
    <message>
        <source>Applied each time a token was used</source>
        <translation>Se aplica por cada uso de un token</translation>
    </message>
    <message>
        <source>as JSON by schema</source>
        <translation>JSON según un esquema</translation>
    </message>
    <message>
        <source>from a list of choices</source>
        <translation>de una lista de opciones</translation>
    </message>
    <message>
        <source>by pattern</source>
        <translation>según un patrón</translation>
    </message>
    <message numerus="yes">
        <source>It would fit with the KV cache at %n bit.</source>
        <comment>It would fit with the KV cache at %n bits.</comment>
        <translation>
            <numerusform>Cabría con una caché KV de %n bit.</numerusform>
            <numerusform>Cabría con una caché KV de %n bits.</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} cached</source>
        <comment>tokens</comment>
        <translation>{count} en caché</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>idéntica</translation>
    </message>
    <message>
        <source>not identical</source>
        <translation>no idéntica</translation>
    </message>
    <message>
        <source>{size} · Ready</source>
        <translation>{size} · Listo</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>A la espera de otra descarga</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face…</source>
        <translation>Esperando a Hugging Face…</translation>
    </message>
    <message>
        <source>{tool} · Interrupted when Stretto quit</source>
        <translation>{tool} · Interrumpida al cerrar Stretto</translation>
    </message>
    <message>
        <source>“{field}” looks like a secret. Servers must not ask for secrets in this way. Decline unless you know why.</source>
        <translation>«{field}» parece un secreto. Los servidores no deben pedir secretos así. Recházalo, a menos que sepas el motivo.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this key when you quit.</source>
        <translation>No se ha encontrado ningún llavero. Stretto olvida esta clave al salir.</translation>
    </message>
    <message numerus="yes">
        <source>%n model available.</source>
        <comment>%n models available.</comment>
        <translation>
            <numerusform>%n modelo disponible.</numerusform>
            <numerusform>%n modelos disponibles.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replying · {rate} in total</source>
        <comment>%n replying · {rate} in total</comment>
        <translation>
            <numerusform>%n respondiendo · {rate} en total</numerusform>
            <numerusform>%n respondiendo · {rate} en total</numerusform>
        </translation>
    </message>
    <message>
        <source>Convert to a smaller copy</source>
        <translation>Convertir en una copia más pequeña</translation>
    </message>
    <message numerus="yes">
        <source>Use %n-bit KV cache for this chat</source>
        <comment>Use %n-bit KV cache for this chat</comment>
        <translation>
            <numerusform>Guardar la caché KV de este chat con %n bit</numerusform>
            <numerusform>Guardar la caché KV de este chat con %n bits</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. Slightly less accurate.</source>
        <translation>Necesita {size}. Algo menos exacto.</translation>
    </message>
    <message numerus="yes">
        <source>Limit this chat to %Ln token</source>
        <comment>Limit this chat to %Ln tokens</comment>
        <translation>
            <numerusform>Limitar este chat a %Ln token</numerusform>
            <numerusform>Limitar este chat a %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. You can change this in the chat’s settings.</source>
        <translation>Necesita {size}. Puedes cambiarlo en los ajustes del chat.</translation>
    </message>
    <message>
        <source>Needs {size}. Longer chats may run out of memory.</source>
        <translation>Necesita {size}. En chats más largos puede faltar memoria.</translation>
    </message>
    <message>
        <source>Its weights need {size}. Already on this computer.</source>
        <translation>Sus pesos necesitan {size}. Ya está en este ordenador.</translation>
    </message>
    <message>
        <source>Find a smaller model…</source>
        <translation>Buscar un modelo más pequeño…</translation>
    </message>
    <message>
        <source>Searches Hugging Face.</source>
        <translation>Abre la búsqueda en Hugging Face.</translation>
    </message>
    <message>
        <source>Its weights fit. Chats may run out of memory.</source>
        <translation>Sus pesos caben. Puede faltar memoria para los chats.</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Cargar de todos modos</translation>
    </message>
    <message>
        <source>Frees {size}. It loads again when you send.</source>
        <translation>Libera {size}. Se vuelve a cargar al enviar.</translation>
    </message>
    <message>
        <source>Frees {size}. They load again when you send.</source>
        <translation>Libera {size}. Se vuelven a cargar al enviar.</translation>
    </message>
    <message>
        <source>{name} stays loaded. {why}</source>
        <translation>{name} sigue cargado. {why}</translation>
    </message>
    <message>
        <source>Tokens per chat</source>
        <translation>Tokens por chat</translation>
    </message>
    <message>
        <source>For {chats} of {tokens}</source>
        <translation>Para {chats} de {tokens}</translation>
    </message>
    <message>
        <source>Sent only to Hugging Face. Stored in your keychain once accepted.</source>
        <translation>Se envía solo a Hugging Face y se guarda en tu llavero una vez aceptado.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this token when you quit.</source>
        <translation>No se ha encontrado ningún llavero. Stretto olvida este token al salir.</translation>
    </message>
    <message>
        <source>Blocked because this link attaches a file to an email.</source>
        <translation>Bloqueado porque este enlace adjunta un archivo a un correo.</translation>
    </message>
    <message>
        <source>Write an email to this address outside Stretto?</source>
        <translation>¿Escribir un correo a esta dirección fuera de Stretto?</translation>
    </message>
    <message>
        <source>It leads to {place}, not to the text before the “@”:</source>
        <translation>Lleva a {place}, no a lo que figura antes de la «@»:</translation>
    </message>
    <message>
        <source>Its message: “{words}”</source>
        <translation>Mensaje: «{words}»</translation>
    </message>
    <message>
        <source>The chat doesn’t fit in the context of {model}.</source>
        <translation>El chat no cabe en el contexto de {model}.</translation>
    </message>
    <message>
        <source>{host} doesn’t support choices or patterns as a reply format. Choose another under “Reply format” in the chat’s settings, such as JSON.</source>
        <translation>{host} no admite opciones ni patrones como formato de respuesta. Elige otro en «Formato de respuesta» en los ajustes del chat, por ejemplo JSON.</translation>
    </message>
    <message>
        <source>No misspelled words found.</source>
        <translation>No hay palabras mal escritas.</translation>
    </message>
    <message>
        <source>{word} isn’t in the dictionary.</source>
        <translation>{word} no está en el diccionario.</translation>
    </message>
    <message>
        <source>Suggestions took too long</source>
        <translation>Las sugerencias han tardado demasiado</translation>
    </message>
    <message>
        <source>Code, hard questions, room for more chats</source>
        <translation>Código, preguntas difíciles, espacio para más chats</translation>
    </message>
    <message>
        <source>Nothing found yet. Start the other Stretto with “serve --announce”.</source>
        <translation>Aún no se ha encontrado nada. Inicia el otro Stretto con «serve --announce».</translation>
    </message>
    <message>
        <source>Leave out oldest messages when context is full</source>
        <translation>Omitir los mensajes más antiguos si el contexto está lleno</translation>
    </message>
    <message>
        <source>Copy code for OpenAI’s library</source>
        <translation>Copiar código para la biblioteca de OpenAI</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a server</comment>
        <translation>Detenido</translation>
    </message>
    <message>
        <source>The file has changed since the changes were shown.</source>
        <translation>El archivo ha cambiado desde que se mostraron los cambios.</translation>
    </message>
    <message>
        <source>“{path}” isn’t an absolute path.</source>
        <translation>«{path}» no es una ruta absoluta.</translation>
    </message>
    <message>
        <source>Only numbers, + - * / // % **, brackets, and common functions are supported.</source>
        <translation>Solo se admiten números, + - * / // % **, paréntesis y las funciones habituales.</translation>
    </message>
    <message>
        <source>Tools in this chat can change files in it. You see each change first.  W</source>
        <translation>Las herramientas de este chat pueden modificar sus archivos. Primero ves cada cambio.  W</translation>
    </message>
    <message>
        <source>Run every waiting call in this chat  A</source>
        <translation>Ejecutar todas las llamadas pendientes de este chat  A</translation>
    </message>
    <message>
        <source>Run none of the waiting calls</source>
        <translation>No ejecutar ninguna de las llamadas pendientes</translation>
    </message>
    <message>
        <source>Stop this call</source>
        <translation>Detener esta llamada</translation>
    </message>
    <message>
        <source>Stop this call and run it again</source>
        <translation>Detener esta llamada y repetirla</translation>
    </message>
    <message>
        <source>Tools in this chat can list, search, and read files in it</source>
        <translation>Las herramientas de este chat pueden listar, buscar y leer sus archivos</translation>
    </message>
    <message numerus="yes">
        <source>These tools add %Ln token to each prompt.</source>
        <comment>These tools add %Ln tokens to each prompt.</comment>
        <translation>
            <numerusform>Estas herramientas añaden %Ln token a cada prompt.</numerusform>
            <numerusform>Estas herramientas añaden %Ln tokens a cada prompt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Not started</source>
        <comment>a server</comment>
        <translation>Sin iniciar</translation>
    </message>
    <message>
        <source>Starting…</source>
        <comment>a server</comment>
        <translation>Iniciando…</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>a server</comment>
        <translation>En marcha</translation>
    </message>
    <message>
        <source>New or changed. Starts when a chat needs it:</source>
        <translation>Nuevo o modificado. Se inicia cuando un chat lo necesita:</translation>
    </message>
    <message>
        <source>Add a folder that contains models</source>
        <translation>Añadir una carpeta que contenga modelos</translation>
    </message>
    <message>
        <source>No models yet. Get one from Hugging Face, or add a folder of models.</source>
        <translation>Aún no hay modelos. Obtén uno de Hugging Face o añade una carpeta de modelos.</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model name or link</source>
        <translation>Busca en Hugging Face o pega el nombre o el enlace de un modelo</translation>
    </message>
    <message>
        <source>This model already has an adapter</source>
        <translation>Este modelo ya tiene un adaptador</translation>
    </message>
    <message>
        <source>Lists the model a second time, with a LoRA or DoRA adapter</source>
        <translation>Añade el modelo a la lista otra vez, con un adaptador LoRA o DoRA</translation>
    </message>
    <message>
        <source>Enter part of a model’s name first</source>
        <translation>Escribe antes parte del nombre de un modelo</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a reply</comment>
        <translation>Detenida</translation>
    </message>
    <message>
        <source>It runs on {hosts} and hasn’t been started.</source>
        <translation>Se ejecuta en {hosts} y aún no se ha iniciado.</translation>
    </message>
    <message>
        <source>Looking for changes…</source>
        <translation>Buscando los cambios…</translation>
    </message>
    <message>
        <source>Leave Out Oldest Messages</source>
        <translation>Omitir los mensajes más antiguos</translation>
    </message>
    <message>
        <source>Interrupted when Stretto quit</source>
        <comment>a reply</comment>
        <translation>Interrumpida al salir de Stretto</translation>
    </message>
    <message>
        <source>Opens the model’s page on Hugging Face</source>
        <translation>Abre la página del modelo en Hugging Face</translation>
    </message>
    <message>
        <source>{context}. Nearly full. Start a new chat, or leave out the oldest messages.</source>
        <translation>{context}. Casi lleno: empieza un chat nuevo u omite los mensajes más antiguos.</translation>
    </message>
    <message>
        <source>This chat now leaves out its oldest messages</source>
        <translation>Este chat omite ahora sus mensajes más antiguos</translation>
    </message>
    <message>
        <source>As Much as Fits</source>
        <translation>Todo lo que quepa</translation>
    </message>
    <message>
        <source>Search Chats for “{words}”</source>
        <translation>Buscar «{words}» en los chats</translation>
    </message>
    <message>
        <source>Use with Agent</source>
        <translation>Usar con un agente</translation>
    </message>
    <message>
        <source>Choose project folder</source>
        <translation>Elegir carpeta del proyecto</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agente</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>Carpeta del proyecto</translation>
    </message>
    <message>
        <source>The agent’s own settings stay as they are. Stretto creates a key if it needs one. If it isn’t installed, the terminal shows how to install it.</source>
        <translation>Los ajustes propios del agente no cambian. Si necesita una clave, se crea una para él. Si no está instalado, el terminal indica cómo instalarlo.</translation>
    </message>
    <message>
        <source>Copy Command</source>
        <translation>Copiar comando</translation>
    </message>
    <message>
        <source>Open in Terminal</source>
        <translation>Abrir en el terminal</translation>
    </message>
    <message>
        <source>Choose Project Folder</source>
        <translation>Elegir carpeta del proyecto</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command into yours.</source>
        <translation>No se encontró ningún terminal. Copia el comando en el tuyo.</translation>
    </message>
    <message>
        <source>The terminal couldn’t be opened: {error}.</source>
        <translation>No se pudo abrir el terminal: {error}.</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>búsqueda en el prompt</translation>
    </message>
    <message>
        <source>Prompt lookup</source>
        <translation>Búsqueda en el prompt</translation>
    </message>
    <message>
        <source>A smaller model with the same tokenizer can speed up a chat that replies alone. Prompt lookup needs no model. It helps when the reply repeats text or code from the chat with changes. Replies stay the same.</source>
        <translation>Un modelo más pequeño con el mismo tokenizador puede acelerar un chat cuando es el único que responde. La búsqueda en el prompt no necesita ningún modelo: ayuda cuando se vuelve a escribir con cambios texto o código del chat. Las respuestas no cambian.</translation>
    </message>
    <message>
        <source>{name} no longer uses prompt lookup.</source>
        <translation>{name} ya no usa la búsqueda en el prompt.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup.</source>
        <translation>{name} usa la búsqueda en el prompt.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup once loaded.</source>
        <translation>{name} usará la búsqueda en el prompt cuando se cargue.</translation>
    </message>
    <message>
        <source>Share of compute when several clients are active</source>
        <translation>Parte del tiempo de cálculo cuando hay varios clientes activos</translation>
    </message>
    <message>
        <source>The message alone is too long for the model’s context.</source>
        <translation>El mensaje por sí solo es demasiado largo para el contexto del modelo.</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>Usar {model}</translation>
    </message>
    <message>
        <source>images</source>
        <comment>after another word</comment>
        <translation>imágenes</translation>
    </message>
    <message>
        <source>{model} can’t see images. Remove them, or choose a model that can.</source>
        <translation>{model} no puede ver imágenes. Quítalas o elige un modelo que pueda.</translation>
    </message>
    <message>
        <source>Pasted image</source>
        <translation>Imagen pegada</translation>
    </message>
    <message>
        <source>The image is no longer available.</source>
        <translation>La imagen ya no está disponible.</translation>
    </message>
    <message>
        <source>The model can’t see images.</source>
        <translation>El modelo no puede ver imágenes.</translation>
    </message>
    <message>
        <source>Supports images</source>
        <translation>Admite imágenes</translation>
    </message>
    <message>
        <source>Images in your messages are sent to this model</source>
        <translation>Las imágenes de tus mensajes se envían a este modelo</translation>
    </message>
    <message>
        <source>Image {name}, {about}</source>
        <translation>Imagen {name}, {about}</translation>
    </message>
    <message>
        <source>Enter shows the image, Delete removes it</source>
        <translation>Intro muestra la imagen; Supr la quita</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, press {keys} in it.</source>
        <translation>La difusión está activada. Para incluir un chat remoto, pulsa {keys} en él.</translation>
    </message>
    <message>
        <source>The connection to {host} was lost before the reply ended.</source>
        <translation>Se ha perdido la conexión con {host} antes de que terminara la respuesta.</translation>
    </message>
    <message>
        <source>{host} couldn’t finish the reply.</source>
        <translation>{host} no ha podido terminar la respuesta.</translation>
    </message>
    <message>
        <source>Send now, interrupting the reply</source>
        <translation>Enviar ya e interrumpir la respuesta</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Intro</translation>
    </message>
    <message>
        <source>Editing your message</source>
        <translation>Editando tu mensaje</translation>
    </message>
    <message>
        <source>No app here opens PDFs. Export the chat as PDF instead.</source>
        <translation>Aquí ninguna aplicación abre archivos PDF. Exporta el chat como PDF.</translation>
    </message>
    <message>
        <source>Branch: {title}</source>
        <translation>Rama: {title}</translation>
    </message>
    <message>
        <source>Branch {number}: {title}</source>
        <translation>Rama {number}: {title}</translation>
    </message>
    <message>
        <source>{model} can’t hear recordings. Remove them, or choose a model that can.</source>
        <translation>{model} no puede oír grabaciones. Quítalas o elige un modelo que pueda.</translation>
    </message>
    <message>
        <source>The model can’t hear recordings.</source>
        <translation>El modelo no puede oír grabaciones.</translation>
    </message>
    <message>
        <source>Beginning of the chat</source>
        <translation>Inicio del chat</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>of a branch</comment>
        <translation>visible</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branch</source>
        <comment>%Ln branches</comment>
        <translation>
            <numerusform>%Ln rama</numerusform>
            <numerusform>%Ln ramas</numerusform>
        </translation>
    </message>
    <message>
        <source>Name of the branch</source>
        <translation>Nombre de la rama</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Ramas</translation>
    </message>
    <message>
        <source>Show This Branch  Enter</source>
        <translation>Mostrar esta rama  Enter</translation>
    </message>
    <message>
        <source>Name Branch  F2</source>
        <translation>Dar nombre a la rama  F2</translation>
    </message>
    <message>
        <source>Compare Branches  Shift+Enter</source>
        <translation>Comparar ramas  Shift+Enter</translation>
    </message>
    <message>
        <source>Messages One by One  Shift+Right</source>
        <translation>Mensajes uno por uno  Shift+Right</translation>
    </message>
    <message>
        <source>Delete Branch  Del</source>
        <translation>Eliminar rama  Del</translation>
    </message>
    <message>
        <source>Choose a branch below it.</source>
        <translation>Elige una rama de las de abajo.</translation>
    </message>
    <message>
        <source>This branch is shown already. Choose another, or two to compare.</source>
        <translation>Esta rama ya se muestra. Elige otra, o dos para comparar.</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more message</source>
        <comment>… %Ln more messages</comment>
        <translation>
            <numerusform>… %Ln mensaje más</numerusform>
            <numerusform>… %Ln mensajes más</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare Branches</source>
        <translation>Comparar ramas</translation>
    </message>
    <message>
        <source>Both continue from “{words}”</source>
        <translation>Ambas continúan desde «{words}»</translation>
    </message>
    <message>
        <source>Shown branch</source>
        <translation>Rama visible</translation>
    </message>
    <message>
        <source>Other branch</source>
        <translation>Otra rama</translation>
    </message>
    <message>
        <source>Show This Branch</source>
        <translation>Mostrar esta rama</translation>
    </message>
    <message>
        <source>Hide Branches</source>
        <translation>Ocultar ramas</translation>
    </message>
    <message>
        <source>Show Branches</source>
        <translation>Mostrar ramas</translation>
    </message>
    <message>
        <source>Optimist</source>
        <translation>Optimista</translation>
    </message>
    <message>
        <source>Answer as an optimist. Make the case for it.</source>
        <translation>Responde como optimista. Argumenta a favor.</translation>
    </message>
    <message>
        <source>Skeptic</source>
        <translation>Escéptico</translation>
    </message>
    <message>
        <source>Answer as a skeptic. Say what could go wrong.</source>
        <translation>Responde como escéptico. Di qué podría salir mal.</translation>
    </message>
    <message>
        <source>Engineer</source>
        <translation>Ingeniero</translation>
    </message>
    <message>
        <source>Answer as an engineer. Explain how you’d build it.</source>
        <translation>Responde como ingeniero. Explica cómo lo harías.</translation>
    </message>
    <message>
        <source>Judged by {model}</source>
        <translation>Evaluado por {model}</translation>
    </message>
    <message>
        <source>Merged by {model}</source>
        <translation>Combinado por {model}</translation>
    </message>
    <message>
        <source>Vote</source>
        <translation>Votación</translation>
    </message>
    <message>
        <source>The comparison is still running.</source>
        <translation>La comparación aún está en curso.</translation>
    </message>
    <message>
        <source>Needs at least two replies.</source>
        <translation>Hacen falta al menos dos respuestas.</translation>
    </message>
    <message>
        <source>Models can misjudge. Check what matters.</source>
        <translation>Los modelos pueden equivocarse. Comprueba lo importante.</translation>
    </message>
    <message>
        <source>A reply was cut off and can’t be counted.</source>
        <translation>Una respuesta quedó cortada y no se puede contar.</translation>
    </message>
    <message>
        <source>Only numbers, short choices, and JSON can be counted.</source>
        <translation>Solo se pueden contar números, opciones cortas y JSON.</translation>
    </message>
    <message>
        <source>All {total} say {value}.</source>
        <translation>Las {total} dicen {value}.</translation>
    </message>
    <message>
        <source>No reply has more votes than the others.</source>
        <translation>Ninguna respuesta tiene más votos que las demás.</translation>
    </message>
    <message>
        <source>{most} of {total} say {value}.</source>
        <translation>{most} de {total} dicen {value}.</translation>
    </message>
    <message>
        <source>No reply: {names}</source>
        <translation>Sin respuesta: {names}</translation>
    </message>
    <message>
        <source>Agreeing doesn’t make it correct.</source>
        <translation>Estar de acuerdo no es tener razón.</translation>
    </message>
    <message>
        <source>This chat’s model</source>
        <translation>Modelo de este chat</translation>
    </message>
    <message>
        <source>As in chat</source>
        <comment>a temperature</comment>
        <translation>Como en el chat</translation>
    </message>
    <message>
        <source>Random</source>
        <comment>a seed</comment>
        <translation>Aleatoria</translation>
    </message>
    <message>
        <source>Instructions for this member</source>
        <translation>Instrucciones para este miembro</translation>
    </message>
    <message>
        <source>Remove Member</source>
        <translation>Quitar miembro</translation>
    </message>
    <message>
        <source>Name of member {number}</source>
        <translation>Nombre del miembro {number}</translation>
    </message>
    <message>
        <source>Model of member {number}</source>
        <translation>Modelo del miembro {number}</translation>
    </message>
    <message>
        <source>Temperature of member {number}</source>
        <translation>Temperatura del miembro {number}</translation>
    </message>
    <message>
        <source>Seed of member {number}</source>
        <translation>Semilla del miembro {number}</translation>
    </message>
    <message>
        <source>Instructions of member {number}</source>
        <translation>Instrucciones del miembro {number}</translation>
    </message>
    <message>
        <source>Remove member {number}</source>
        <translation>Quitar el miembro {number}</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Comparación</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>Guardar como…</translation>
    </message>
    <message>
        <source>Add Member</source>
        <translation>Añadir miembro</translation>
    </message>
    <message>
        <source>Compare at least two members.</source>
        <translation>Compara al menos dos miembros.</translation>
    </message>
    <message>
        <source>You can compare up to {most} members.</source>
        <translation>Puedes comparar hasta {most} miembros.</translation>
    </message>
    <message>
        <source>Last comparison</source>
        <translation>Última comparación</translation>
    </message>
    <message>
        <source>Save Comparison</source>
        <translation>Guardar comparación</translation>
    </message>
    <message>
        <source>Rename Comparison</source>
        <translation>Renombrar comparación</translation>
    </message>
    <message>
        <source>Go to one of the columns first.</source>
        <translation>Ve primero a una de las columnas.</translation>
    </message>
    <message>
        <source>This reply came from a comparison. Open the comparison to regenerate it.</source>
        <translation>Esta respuesta viene de una comparación. Abre la comparación para regenerarla.</translation>
    </message>
    <message>
        <source>Finish editing the message first.</source>
        <translation>Termina primero de editar el mensaje.</translation>
    </message>
    <message>
        <source>The columns of this comparison aren’t in this chat.</source>
        <translation>Las columnas de esta comparación no están en este chat.</translation>
    </message>
    <message>
        <source>Show Comparison: {names}</source>
        <translation>Mostrar comparación: {names}</translation>
    </message>
    <message>
        <source>Show Comparison</source>
        <translation>Mostrar comparación</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>Juzgar</translation>
    </message>
    <message>
        <source>A model compares the replies in both orders</source>
        <translation>Un modelo compara las respuestas, en ambos órdenes</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Combinar</translation>
    </message>
    <message>
        <source>Combines the replies and cites where each part came from</source>
        <translation>Combina las respuestas y cita de dónde sale cada parte</translation>
    </message>
    <message>
        <source>Count Votes</source>
        <translation>Contar votos</translation>
    </message>
    <message>
        <source>Counts replies that are numbers, choices, or JSON</source>
        <translation>Contar respuestas que son números, opciones o JSON</translation>
    </message>
    <message>
        <source>Continue from this reply. The others are kept as versions.</source>
        <translation>Seguir desde esta respuesta. Las demás quedan como versiones.</translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation>Conservar {name}</translation>
    </message>
    <message>
        <source>Hide Comparison  Esc</source>
        <translation>Ocultar comparación  Esc</translation>
    </message>
    <message>
        <source>All members have replied</source>
        <translation>Todos los miembros han respondido</translation>
    </message>
    <message>
        <source>Compare with Same Members</source>
        <translation>Comparar con los mismos miembros</translation>
    </message>
    <message>
        <source>Show/Hide Comparison</source>
        <translation>Mostrar u ocultar comparación</translation>
    </message>
    <message>
        <source>Judge Compared Replies</source>
        <translation>Juzgar las respuestas comparadas</translation>
    </message>
    <message>
        <source>Merge Compared Replies</source>
        <translation>Combinar las respuestas comparadas</translation>
    </message>
    <message>
        <source>Count Votes of Compared Replies</source>
        <translation>Contar los votos de las respuestas comparadas</translation>
    </message>
    <message>
        <source>This chat is no longer there.</source>
        <translation>Este chat ya no está.</translation>
    </message>
    <message>
        <source>chat</source>
        <comment>a kind of file</comment>
        <translation>chat</translation>
    </message>
    <message numerus="yes">
        <source>message {numbers}</source>
        <comment>messages {numbers}</comment>
        <translation>
            <numerusform>mensaje {numbers}</numerusform>
            <numerusform>mensajes {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} new message</source>
        <comment>{count} new messages</comment>
        <translation>
            <numerusform>{count} mensaje nuevo</numerusform>
            <numerusform>{count} mensajes nuevos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>changed, {count} message</source>
        <comment>changed, {count} messages</comment>
        <translation>
            <numerusform>cambiado, {count} mensaje</numerusform>
            <numerusform>cambiado, {count} mensajes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>last message</source>
        <comment>last {count} messages</comment>
        <translation>
            <numerusform>último mensaje</numerusform>
            <numerusform>últimos {count} mensajes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>whole, {count} message</source>
        <comment>whole, {count} messages</comment>
        <translation>
            <numerusform>completo, {count} mensaje</numerusform>
            <numerusform>completo, {count} mensajes</numerusform>
        </translation>
    </message>
    <message>
        <source>Read another chat</source>
        <translation>Leer otro chat</translation>
    </message>
    <message>
        <source>@, in the message</source>
        <translation>@, en el mensaje</translation>
    </message>
    <message>
        <source>Message {number}</source>
        <translation>Mensaje {number}</translation>
    </message>
    <message>
        <source>Enter opens the chat, Right shows the text sent to the model</source>
        <translation>Intro abre el chat; Derecha muestra el texto enviado al modelo</translation>
    </message>
    <message>
        <source>Chat {name}, {about}</source>
        <translation>Chat {name}, {about}</translation>
    </message>
    <message>
        <source>Enter opens the menu, Delete ends following the chat</source>
        <translation>Intro abre el menú, Supr deja de seguir el chat</translation>
    </message>
    <message>
        <source>Open Chat</source>
        <translation>Abrir chat</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Seguir</translation>
    </message>
    <message>
        <source>no longer there</source>
        <comment>a chat</comment>
        <translation>ya no está</translation>
    </message>
    <message>
        <source>in the Trash</source>
        <comment>a chat</comment>
        <translation>en la papelera</translation>
    </message>
    <message>
        <source>Deleted chat</source>
        <translation>Chat eliminado</translation>
    </message>
    <message>
        <source>too long</source>
        <comment>a chat</comment>
        <translation>demasiado largo</translation>
    </message>
    <message>
        <source>Read Another Chat</source>
        <translation>Leer otro chat</translation>
    </message>
    <message numerus="yes">
        <source>Whole chat, %Ln message</source>
        <comment>Whole chat, %Ln messages</comment>
        <translation>
            <numerusform>Chat completo, %Ln mensaje</numerusform>
            <numerusform>Chat completo, %Ln mensajes</numerusform>
        </translation>
    </message>
    <message>
        <source>Last messages:</source>
        <translation>Últimos mensajes:</translation>
    </message>
    <message>
        <source>Number of messages</source>
        <translation>Número de mensajes</translation>
    </message>
    <message>
        <source>Include new messages from this chat as they arrive</source>
        <translation>Incluir los mensajes nuevos de este chat a medida que lleguen</translation>
    </message>
    <message>
        <source>Reasoning, tool calls, and the text of files are left out.</source>
        <translation>El razonamiento, las llamadas a herramientas y el texto de los archivos se omiten.</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>There’s no other chat.</source>
        <translation>No hay ningún otro chat.</translation>
    </message>
    <message>
        <source>Read Another Chat…</source>
        <translation>Leer otro chat…</translation>
    </message>
    <message>
        <source>Search chats to read</source>
        <translation>Buscar chats para leer</translation>
    </message>
    <message>
        <source>A chat follows at most {most} others.</source>
        <translation>Un chat sigue como máximo a otros {most}.</translation>
    </message>
    <message>
        <source>Keep compared reply</source>
        <translation>Conservar una respuesta comparada</translation>
    </message>
    <message>
        <source>Enter, on a column</source>
        <translation>Intro, sobre una columna</translation>
    </message>
    <message>
        <source>Previous or next column</source>
        <translation>Columna anterior o siguiente</translation>
    </message>
    <message>
        <source>Left or Right, on a column</source>
        <translation>Flecha izquierda o derecha, sobre una columna</translation>
    </message>
    <message>
        <source>Show branch</source>
        <translation>Mostrar rama</translation>
    </message>
    <message>
        <source>Enter, in the branches</source>
        <translation>Intro, en las ramas</translation>
    </message>
    <message>
        <source>Name branch</source>
        <translation>Dar nombre a la rama</translation>
    </message>
    <message>
        <source>F2, in the branches</source>
        <translation>F2, en las ramas</translation>
    </message>
    <message>
        <source>Compare branches</source>
        <translation>Comparar ramas</translation>
    </message>
    <message>
        <source>Shift+Enter, in the branches</source>
        <translation>Mayús+Intro, en las ramas</translation>
    </message>
    <message>
        <source>Show messages of a branch one by one</source>
        <translation>Mostrar los mensajes de una rama uno por uno</translation>
    </message>
    <message>
        <source>Shift+Right, in the branches</source>
        <translation>Mayús+Flecha derecha, en las ramas</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Eliminar rama</translation>
    </message>
    <message>
        <source>Delete, in the branches</source>
        <translation>Supr, en las ramas</translation>
    </message>
    <message>
        <source>Ask Helpers</source>
        <translation>Preguntar a ayudantes</translation>
    </message>
    <message>
        <source>Answers up to 8 questions at the same time with the same model.</source>
        <translation>Responde hasta 8 preguntas a la vez con el mismo modelo.</translation>
    </message>
    <message>
        <source>Ask helpers these questions?</source>
        <translation>¿Hacer estas preguntas a los ayudantes?</translation>
    </message>
    <message>
        <source>Only the question</source>
        <translation>Solo la pregunta</translation>
    </message>
    <message>
        <source>This chat so far</source>
        <translation>Este chat hasta aquí</translation>
    </message>
    <message>
        <source>“{name}” must be a list of 1 to {most} texts.</source>
        <translation>«{name}» debe ser una lista de 1 a {most} textos.</translation>
    </message>
    <message>
        <source>“{name}” must be “fresh” or “fork”.</source>
        <translation>«{name}» debe ser «fresh» o «fork».</translation>
    </message>
    <message numerus="yes">
        <source>%n helper</source>
        <comment>%n helpers</comment>
        <translation>
            <numerusform>%n ayudante</numerusform>
            <numerusform>%n ayudantes</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens for each helper</source>
        <translation>Tokens por ayudante</translation>
    </message>
    <message>
        <source>Seconds for all helpers</source>
        <translation>Segundos para todos los ayudantes</translation>
    </message>
    <message>
        <source>Helpers at once</source>
        <translation>Ayudantes a la vez</translation>
    </message>
    <message>
        <source>The model was unloaded.</source>
        <translation>El modelo se ha descargado de la memoria.</translation>
    </message>
    <message>
        <source>It tried to use a tool.</source>
        <translation>Intentó usar una herramienta.</translation>
    </message>
    <message>
        <source>Memory is full.</source>
        <translation>La memoria está llena.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>a helper</comment>
        <translation>En espera</translation>
    </message>
    <message>
        <source>Reading</source>
        <comment>a helper</comment>
        <translation>Leyendo</translation>
    </message>
    <message>
        <source>Thinking</source>
        <comment>a helper</comment>
        <translation>Pensando</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a helper</comment>
        <translation>Escribiendo</translation>
    </message>
    <message>
        <source>Done</source>
        <comment>a helper</comment>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a helper</comment>
        <translation>Detenido</translation>
    </message>
    <message>
        <source>Out of tokens</source>
        <comment>a helper</comment>
        <translation>Sin tokens</translation>
    </message>
    <message>
        <source>Out of time</source>
        <comment>a helper</comment>
        <translation>Sin tiempo</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>a helper</comment>
        <translation>Error</translation>
    </message>
    <message>
        <source>Stop this helper</source>
        <translation>Detener este ayudante</translation>
    </message>
    <message>
        <source>Helper {number} of {count}, {state}</source>
        <translation>Ayudante {number} de {count}, {state}</translation>
    </message>
    <message numerus="yes">
        <source>Asking %n helper</source>
        <comment>Asking %n helpers</comment>
        <translation>
            <numerusform>Preguntando a %n ayudante</numerusform>
            <numerusform>Preguntando a %n ayudantes</numerusform>
        </translation>
    </message>
    <message>
        <source>From Help, because the Guide can get this wrong.</source>
        <translation>De la ayuda, porque Guide puede equivocarse en esto.</translation>
    </message>
    <message>
        <source>Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.</source>
        <translation>Stretto ya no tiene tablas comparativas. La tuya está guardada como CSV y JSON en {folder}.</translation>
    </message>
    <message>
        <source>Chat Settings (changed)</source>
        <translation>Ajustes del chat (modificados)</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>Copiar mensaje</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>Proveedor</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Otro</translation>
    </message>
    <message>
        <source>Add Server…</source>
        <translation>Añadir servidor…</translation>
    </message>
    <message>
        <source>Add Server</source>
        <translation>Añadir servidor</translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation>Comando o dirección</translation>
    </message>
    <message>
        <source>Enter a name, and a command or an address.</source>
        <translation>Introduce un nombre y un comando o una dirección.</translation>
    </message>
</context>
</TS>
