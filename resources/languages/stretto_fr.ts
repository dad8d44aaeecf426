<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>The chats are closed.</source>
        <translation>Les discussions sont fermées.</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Nouvelle discussion</translation>
    </message>
    <message>
        <source>Recovered chat</source>
        <translation>Discussion récupérée</translation>
    </message>
    <message numerus="yes">
        <source>%n change couldn’t be saved. {why}</source>
        <comment>%n changes couldn’t be saved. {why}</comment>
        <translation>
            <numerusform>%n modification n’a pas pu être enregistrée. {why}</numerusform>
            <numerusform>%n modifications n’ont pas pu être enregistrées. {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} refused: {why}</source>
        <translation>{server} a refusé&#xa0;: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t start within {seconds} s.</source>
        <translation>{server} n’a pas démarré en {seconds}&#xa0;s.</translation>
    </message>
    <message>
        <source>{server} couldn’t be reached: {why}</source>
        <translation>{server} est injoignable&#xa0;: {why}</translation>
    </message>
    <message>
        <source>The program “{program}” wasn’t found. Install it, or enter its full path.</source>
        <translation>Le programme «&#xa0;{program}&#xa0;» est introuvable. Installez-le ou saisissez son chemin complet.</translation>
    </message>
    <message>
        <source>New file {path}</source>
        <translation>Nouveau fichier {path}</translation>
    </message>
    <message>
        <source>Links aren’t followed.</source>
        <translation>Les liens ne sont pas suivis.</translation>
    </message>
    <message>
        <source>It couldn’t be opened: {why}.</source>
        <translation>Ouverture impossible&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation>Le serveur n’a pas de nom. Écrivez-le ainsi&#xa0;: {&quot;name&quot;: {&quot;command&quot;: …}}.</translation>
    </message>
    <message>
        <source>its name looks like that of “{other}”</source>
        <translation>son nom ressemble à celui de «&#xa0;{other}&#xa0;»</translation>
    </message>
    <message>
        <source>{path} couldn’t be read: {why}.</source>
        <translation>{path} n’a pas pu être lu&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>New message</source>
        <translation>Nouveau message</translation>
    </message>
    <message>
        <source>Compare…  Ctrl+Alt+C</source>
        <translation>Comparer…  Ctrl+Alt+C</translation>
    </message>
    <message>
        <source>Editing a queued message.</source>
        <translation>Modification&#xa0;d’un&#xa0;message&#xa0;en&#xa0;attente.</translation>
    </message>
    <message>
        <source>Broadcast  Ctrl+Shift+B</source>
        <translation>Diffusion  Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Join Broadcast  Ctrl+Alt+B</source>
        <translation>Rejoindre la diffusion  Ctrl+Alt+B</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>Message…</translation>
    </message>
    <message>
        <source>Enter</source>
        <comment>the key</comment>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>Arrêter  Échap</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>Envoyer  {keys}</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
    <message numerus="yes">
        <source>The text is %Ln characters long. A message takes {most}.</source>
        <comment>The text is %Ln characters long. A message takes {most}.</comment>
        <translation>
            <numerusform>Le texte compte %Ln caractère. Un message en accepte au plus {most}.</numerusform>
            <numerusform>Le texte compte %Ln caractères. Un message en accepte au plus {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>File {name}, {about}</source>
        <translation>Fichier {name}, {about}</translation>
    </message>
    <message>
        <source>Restore from Backup</source>
        <translation>Restaurer une sauvegarde</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sauvegardes</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurer</translation>
    </message>
    <message>
        <source>Close Tab</source>
        <translation>Fermer l’onglet</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Close Others</source>
        <translation>Fermer les autres</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>Détacher</translation>
    </message>
    <message>
        <source>Unpin (Dock)</source>
        <translation>Désépingler (ancrer)</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>Réduire</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Aujourd’hui</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Épinglées</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Plus anciennes</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd d MMMM yyyy</translation>
    </message>
    <message>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dddd d MMMM</translation>
    </message>
    <message>
        <source>{size} · before an update</source>
        <translation>{size} · avant une mise à jour</translation>
    </message>
    <message>
        <source>Crash Report</source>
        <translation>Rapport de plantage</translation>
    </message>
    <message>
        <source>Stretto had a problem last time</source>
        <translation>Stretto a rencontré un problème la dernière fois</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Rapport</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Show File</source>
        <translation>Afficher le fichier</translation>
    </message>
    <message>
        <source>The report can’t be read: {error}</source>
        <translation>Impossible de lire le rapport&#xa0;: {error}</translation>
    </message>
    <message>
        <source>Your chats can’t be read</source>
        <translation>Impossible de lire vos discussions</translation>
    </message>
    <message>
        <source>Stretto can’t write to your chats</source>
        <translation>Stretto ne peut pas modifier vos discussions</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>Le disque est plein</translation>
    </message>
    <message>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation>Le disque qui contient {place} est plein. Libérez de l’espace, puis réessayez.</translation>
    </message>
    <message>
        <source>Your chats couldn’t be opened</source>
        <translation>Impossible d’ouvrir vos discussions</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Start Empty and Keep the File</source>
        <translation>Commencer à vide et garder le fichier</translation>
    </message>
    <message>
        <source>Use Another Folder…</source>
        <translation>Utiliser un autre dossier…</translation>
    </message>
    <message>
        <source>Use Another Folder</source>
        <translation>Utiliser un autre dossier</translation>
    </message>
    <message>
        <source>Your latest changes aren’t saved</source>
        <translation>Vos dernières modifications ne sont pas enregistrées</translation>
    </message>
    <message>
        <source>Quit Without Saving</source>
        <translation>Quitter sans enregistrer</translation>
    </message>
    <message>
        <source>About Stretto</source>
        <translation>À propos de Stretto</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>Version {version}</translation>
    </message>
    <message>
        <source>Licenses…</source>
        <translation>Licences…</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>Page web (HTML)</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>Texte brut</translation>
    </message>
    <message>
        <source>Export Chats</source>
        <translation>Exporter des discussions</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Copier en Markdown</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Graines</translation>
    </message>
    <message>
        <source>Temperatures</source>
        <translation>Températures</translation>
    </message>
    <message>
        <source>{model} {kept} of {times}</source>
        <translation>{model} {kept} sur {times}</translation>
    </message>
    <message>
        <source>Kept so far: {models}</source>
        <translation>Réponses gardées&#xa0;: {models}</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparer</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Seed {n}</source>
        <translation>Graine {n}</translation>
    </message>
    <message>
        <source>Temperature {value}</source>
        <translation>Température {value}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Discussions</translation>
    </message>
    <message>
        <source>There’s no chat to export yet.</source>
        <translation>Il n’y a pas encore de discussion à exporter.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message numerus="yes">
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation>
            <numerusform>{done} sur %Ln discussion</numerusform>
            <numerusform>{done} sur %Ln discussions</numerusform>
        </translation>
    </message>
    <message>
        <source>The export failed: {name}.</source>
        <translation>L’exportation a échoué&#xa0;: {name}.</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pause</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Mettre en pause</translation>
    </message>
    <message>
        <source>Import Chats</source>
        <translation>Importer des discussions</translation>
    </message>
    <message>
        <source>Choose Files…</source>
        <translation>Choisir des fichiers…</translation>
    </message>
    <message>
        <source>Choose Folder…</source>
        <translation>Choisir un dossier…</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importer</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Lecture…</translation>
    </message>
    <message>
        <source>The import failed: {why}.</source>
        <translation>L’importation a échoué&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>Licences</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Licence</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Remplacer</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation>Explique {{topic}} à {{audience}} en trois phrases.</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Nouveau</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Nouveau prompt</translation>
    </message>
    <message>
        <source>There’s no prompt to delete</source>
        <translation>Il n’y a pas de prompt à supprimer</translation>
    </message>
    <message>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation>Un prompt doit avoir un nom. Celui-ci s’appelle toujours «&#xa0;{before}&#xa0;».</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>{command}: {keys}, changed. Change</source>
        <translation>{command}&#xa0;: {keys}, modifié. Modifier</translation>
    </message>
    <message>
        <source>{command}: {keys}. Change</source>
        <translation>{command}&#xa0;: {keys}. Modifier</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no keys</comment>
        <translation>aucun</translation>
    </message>
    <message>
        <source>In a chat</source>
        <translation>Dans une discussion</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Définir</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Corbeille</translation>
    </message>
    <message>
        <source>Deleted chats</source>
        <translation>Discussions supprimées</translation>
    </message>
    <message>
        <source>Delete Now</source>
        <translation>Supprimer maintenant</translation>
    </message>
    <message>
        <source>Empty Trash</source>
        <translation>Vider la corbeille</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Garder</translation>
    </message>
    <message>
        <source>Choose a chat first</source>
        <translation>Choisissez d’abord une discussion</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation>
            <numerusform>Supprimée il y a %n jour</numerusform>
            <numerusform>Supprimée il y a %n jours</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted yesterday</source>
        <translation>Supprimée hier</translation>
    </message>
    <message>
        <source>Deleted today</source>
        <translation>Supprimée aujourd’hui</translation>
    </message>
    <message>
        <source>Open Download Page</source>
        <translation>Ouvrir la page de téléchargement</translation>
    </message>
    <message>
        <source>Skip This Version</source>
        <translation>Ignorer cette version</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Plus tard</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Discussion</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Sur le disque</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Précision</translation>
    </message>
    <message>
        <source>In memory</source>
        <translation>En mémoire</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Réglage</translation>
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
        <translation>Impossible pour le moment&#xa0;: {why}</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation>Résultats</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Palette de commandes</translation>
    </message>
    <message>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation>Haut et Bas pour choisir, Entrée pour ouvrir, Échap pour fermer</translation>
    </message>
    <message>
        <source>Edit Prompts…</source>
        <translation>Modifier les prompts…</translation>
    </message>
    <message>
        <source>Write a Prompt…</source>
        <translation>Écrire un prompt…</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>Texte libre</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Motif</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Schéma</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>Choix</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation>
            <numerusform>{used} sur {limit} token</numerusform>
            <numerusform>{used} sur {limit} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation>
            <numerusform>{used} sur {limit} token de contexte</numerusform>
            <numerusform>{used} sur {limit} tokens de contexte</numerusform>
        </translation>
    </message>
    <message>
        <source>Context: {words}</source>
        <translation>Contexte&#xa0;: {words}</translation>
    </message>
    <message>
        <source>Shows four replies to one message, side by side</source>
        <translation>Affiche côte à côte quatre réponses à un même message</translation>
    </message>
    <message>
        <source>Chat with {name}</source>
        <translation>Discuter avec {name}</translation>
    </message>
    <message>
        <source>New Chat</source>
        <translation>Nouvelle discussion</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>Aucune discussion n’est ouverte</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>Dans cette discussion</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>Fermer  Esc</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Aucun résultat</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} sur {count}</translation>
    </message>
    <message>
        <source>Queued until the reply ends. {keys} sends the first one now.</source>
        <translation>En attente de la fin de la réponse. {keys} envoie le premier tout de suite.</translation>
    </message>
    <message>
        <source>Sends when “{file}” is ready. Esc cancels.</source>
        <translation>Envoi quand «&#xa0;{file}&#xa0;» sera prêt. Échap annule.</translation>
    </message>
    <message>
        <source>Message removed from the queue</source>
        <translation>Message&#xa0;retiré&#xa0;de&#xa0;la&#xa0;file&#xa0;d’attente</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>Annuler le chargement</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Plus</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>Modèle&#xa0;: {name}</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Vérifier</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Tester</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Démarrer</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Pas encore vérifié</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Prêt</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>Pas prêt</translation>
    </message>
    <message>
        <source>Testing. This takes a minute or more…</source>
        <translation>Test en cours. Comptez au moins une minute…</translation>
    </message>
    <message>
        <source>Starting {hosts}…</source>
        <translation>Démarrage de {hosts}…</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>{bits}-bit, mixed</source>
        <translation>{bits} bits, mixte</translation>
    </message>
    <message numerus="yes">
        <source>%n-bit weights</source>
        <comment>%n-bit weights</comment>
        <translation>
            <numerusform>Poids sur %n bit</numerusform>
            <numerusform>Poids sur %n bits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation>
            <numerusform>il y a %n jour</numerusform>
            <numerusform>il y a %n jours</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d MMMM</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>d MMMM yyyy</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>Non chargé</translation>
    </message>
    <message numerus="yes">
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation>
            <numerusform>%Ln modèle</numerusform>
            <numerusform>%Ln modèles</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>{size} sur le disque</translation>
    </message>
    <message>
        <source>draft model {name}</source>
        <translation>modèle d’ébauche {name}</translation>
    </message>
    <message numerus="yes">
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation>
            <numerusform>contexte de %Ln token</numerusform>
            <numerusform>contexte de %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>épinglé</translation>
    </message>
    <message>
        <source>in memory, {size}</source>
        <translation>en mémoire, {size}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>licence {name}</translation>
    </message>
    <message>
        <source>used {when}</source>
        <translation>utilisé {when}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Chargement…</translation>
    </message>
    <message>
        <source>Unloaded</source>
        <translation>Déchargé</translation>
    </message>
    <message>
        <source>Unloaded, loads when you send</source>
        <translation>Déchargé, rechargé à l’envoi</translation>
    </message>
    <message>
        <source>Loading {share}</source>
        <translation>Chargement&#xa0;: {share}</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Avis</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>chargement…</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>non chargé</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>Ouvrir un dossier de modèle…</translation>
    </message>
    <message>
        <source>Manage Models…</source>
        <translation>Gérer les modèles…</translation>
    </message>
    <message>
        <source>Unload a Model…</source>
        <translation>Décharger un modèle…</translation>
    </message>
    <message>
        <source>Extract Text</source>
        <translation>Extraire le texte</translation>
    </message>
    <message>
        <source>Replace the images with the text in them, read by this computer</source>
        <translation>Remplace les images par le texte qu’elles contiennent, lu par cet ordinateur</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>Redémarrer</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory. {error}</source>
        <translation>{name} ne tient pas en mémoire. {error}</translation>
    </message>
    <message>
        <source>{name} couldn’t be loaded. {error}</source>
        <translation>{name} n’a pas pu être chargé. {error}</translation>
    </message>
    <message>
        <source>Queued until the reply ends.</source>
        <translation>En attente de la fin de la réponse.</translation>
    </message>
    <message>
        <source>This reply was deleted.</source>
        <translation>Cette réponse a été supprimée.</translation>
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
        <translation>Instructions</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Préréglages</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Aléatoire</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Graine</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>Cache KV</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Contexte</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Choisir</translation>
    </message>
    <message>
        <source>Remote</source>
        <comment>of a model that answers on another machine</comment>
        <translation>Distant</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En attente</translation>
    </message>
    <message>
        <source>Waiting for {host}</source>
        <translation>En attente de {host}</translation>
    </message>
    <message>
        <source>Waiting for {host}, {time}</source>
        <translation>En attente de {host}, {time}</translation>
    </message>
    <message numerus="yes">
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation>
            <numerusform>Message à %n discussion…</numerusform>
            <numerusform>Message à %n discussions…</numerusform>
        </translation>
    </message>
    <message>
        <source>Message {name}…</source>
        <translation>Message à {name}…</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copié</translation>
    </message>
    <message>
        <source>Attach Files</source>
        <translation>Joindre des fichiers</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Joindre</translation>
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
            <numerusform>environ {count} token</numerusform>
            <numerusform>environ {count} tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>Aucun préréglage</translation>
    </message>
    <message>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation>Choisissez «&#xa0;Enregistrer comme préréglage…&#xa0;» pour garder ces réglages</translation>
    </message>
    <message>
        <source>Save as Preset…</source>
        <translation>Enregistrer comme préréglage…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renommer</translation>
    </message>
    <message>
        <source>Save as Preset</source>
        <translation>Enregistrer comme préréglage</translation>
    </message>
    <message>
        <source>Rename Preset</source>
        <translation>Renommer le préréglage</translation>
    </message>
    <message>
        <source>Preset “{name}” replaced</source>
        <translation>Préréglage «&#xa0;{name}&#xa0;» remplacé</translation>
    </message>
    <message>
        <source>Preset renamed to “{name}”</source>
        <translation>Préréglage renommé en «&#xa0;{name}&#xa0;»</translation>
    </message>
    <message>
        <source>Preset “{name}” deleted</source>
        <translation>Préréglage «&#xa0;{name}&#xa0;» supprimé</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Température</translation>
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
        <translation>Probabilité XTC</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>Seuil XTC</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Pénalité de répétition</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Pénalité de présence</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Pénalité de fréquence</translation>
    </message>
    <message>
        <source>{name} can’t call tools.</source>
        <translation>{name} ne peut pas appeler d’outils.</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Dossiers</translation>
    </message>
    <message>
        <source>Allow Writing</source>
        <translation>Autoriser l’écriture</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Rechercher des modèles</translation>
    </message>
    <message>
        <source>Add Folder…</source>
        <translation>Ajouter un dossier…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Recherche de modèles…</translation>
    </message>
    <message>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation>{name} a changé. Avant&#xa0;: {before}
Maintenant&#xa0;: {now}</translation>
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
        <translation>Pages de {name}</translation>
    </message>
    <message>
        <source>Page numbers</source>
        <translation>Numéros de page</translation>
    </message>
    <message>
        <source>Which pages does the model get?</source>
        <translation>Quelles pages le modèle reçoit-il&#xa0;?</translation>
    </message>
    <message>
        <source>Chosen Pages…</source>
        <translation>Choisir des pages…</translation>
    </message>
    <message>
        <source>Slides of {name}</source>
        <translation>Diapositives de {name}</translation>
    </message>
    <message>
        <source>Slide numbers</source>
        <translation>Numéros de diapositive</translation>
    </message>
    <message>
        <source>Which slides does the model get?</source>
        <translation>Quelles diapositives le modèle reçoit-il&#xa0;?</translation>
    </message>
    <message>
        <source>Chosen Slides…</source>
        <translation>Choisir des diapositives…</translation>
    </message>
    <message>
        <source>Sheets of {name}</source>
        <translation>Feuilles de {name}</translation>
    </message>
    <message>
        <source>Sheet numbers</source>
        <translation>Numéros de feuille</translation>
    </message>
    <message>
        <source>Which sheets does the model get?</source>
        <translation>Quelles feuilles le modèle reçoit-il&#xa0;?</translation>
    </message>
    <message>
        <source>Chosen Sheets…</source>
        <translation>Choisir des feuilles…</translation>
    </message>
    <message>
        <source>Chapters of {name}</source>
        <translation>Chapitres de {name}</translation>
    </message>
    <message>
        <source>Chapter numbers</source>
        <translation>Numéros de chapitre</translation>
    </message>
    <message>
        <source>Which chapters does the model get?</source>
        <translation>Quels chapitres le modèle reçoit-il&#xa0;?</translation>
    </message>
    <message>
        <source>Chosen Chapters…</source>
        <translation>Choisir des chapitres…</translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln slide.</source>
        <comment>The file has %Ln slides.</comment>
        <translation>
            <numerusform>Le fichier contient %Ln diapositive.</numerusform>
            <numerusform>Le fichier contient %Ln diapositives.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln sheet.</source>
        <comment>The file has %Ln sheets.</comment>
        <translation>
            <numerusform>Le fichier contient %Ln feuille.</numerusform>
            <numerusform>Le fichier contient %Ln feuilles.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln chapter.</source>
        <comment>The file has %Ln chapters.</comment>
        <translation>
            <numerusform>Le fichier contient %Ln chapitre.</numerusform>
            <numerusform>Le fichier contient %Ln chapitres.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln page.</source>
        <comment>The file has %Ln pages.</comment>
        <translation>
            <numerusform>Le fichier contient %Ln page.</numerusform>
            <numerusform>Le fichier contient %Ln pages.</numerusform>
        </translation>
    </message>
    <message>
        <source>Text Encoding</source>
        <translation>Encodage du texte</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Langue</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Clair</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Sombre</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Apparence</translation>
    </message>
    <message>
        <source>Restart Now</source>
        <translation>Redémarrer maintenant</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation>fr</translation>
    </message>
    <message>
        <source>{number} s</source>
        <comment>seconds</comment>
        <translation>{number}&#xa0;s</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes}&#xa0;min {seconds}&#xa0;s</translation>
    </message>
    <message>
        <source>{number} tok/s</source>
        <comment>tokens a second</comment>
        <translation>{number}&#xa0;tok/s</translation>
    </message>
    <message>
        <source>{number} GB</source>
        <translation>{number}&#xa0;Go</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number}&#xa0;Mo</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number}&#xa0;%</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>en JSON</translation>
    </message>
    <message>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation>premier token en {time}</translation>
    </message>
    <message numerus="yes">
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation>
            <numerusform>Des discussions de %Ln token tiendraient.</numerusform>
            <numerusform>Des discussions de %Ln tokens tiendraient.</numerusform>
        </translation>
    </message>
    <message>
        <source>One chat would fit.</source>
        <translation>Une seule discussion tiendrait.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Tient</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation>Tout juste</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>Trop grand</translation>
    </message>
    <message numerus="yes">
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n discussion</numerusform>
            <numerusform>%n discussions</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>contexte de {tokens}</translation>
    </message>
    <message>
        <source>by {owner}</source>
        <translation>par {owner}</translation>
    </message>
    <message numerus="yes">
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation>
            <numerusform>{count} téléchargement</numerusform>
            <numerusform>{count} téléchargements</numerusform>
        </translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Raisonnement</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>tools</source>
        <comment>after another word</comment>
        <translation>outils</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation>
            <numerusform>%Ln téléchargement le mois dernier</numerusform>
            <numerusform>%Ln téléchargements le mois dernier</numerusform>
        </translation>
    </message>
    <message>
        <source>updated {date}</source>
        <translation>mis à jour&#xa0;: {date}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>accès restreint</translation>
    </message>
    <message>
        <source>Using a tool</source>
        <translation>Utilise un outil</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>New chats</source>
        <translation>Nouvelles discussions</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Mises à jour</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>Attend votre accord</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message numerus="yes">
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation>
            <numerusform>En file, %n avant</numerusform>
            <numerusform>En file, %n avant</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>En attente de mémoire</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation>
            <numerusform>En attente de mémoire, %n discussion avant</numerusform>
            <numerusform>En attente de mémoire, %n discussions avant</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {percent}</source>
        <translation>Lecture {percent}</translation>
    </message>
    <message>
        <source>Reading {done} of {total} tokens</source>
        <translation>Lecture de {done} sur {total} tokens</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation>Écriture</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>A réfléchi pendant {time}</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation>{number}&#xa0;ms</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation>{done} sur {total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation>{size}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation>encore {time}</translation>
    </message>
    <message>
        <source>Converting…</source>
        <translation>Conversion…</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours}&#xa0;h {minutes}&#xa0;min</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Slide {number}</source>
        <translation>Diapositive {number}</translation>
    </message>
    <message>
        <source>Sheet {number}</source>
        <translation>Feuille {number}</translation>
    </message>
    <message>
        <source>Chapter {number}</source>
        <translation>Chapitre {number}</translation>
    </message>
    <message>
        <source>Page {number}</source>
        <translation>Page {number}</translation>
    </message>
    <message>
        <source>Use Without Adapter</source>
        <translation>Utiliser sans adaptateur</translation>
    </message>
    <message>
        <source>Edit Message</source>
        <translation>Modifier le message</translation>
    </message>
    <message>
        <source>Copy Code</source>
        <translation>Copier le code</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>arrêtée</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>interrompue</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Système</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Outil</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistant</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>Le modèle</translation>
    </message>
    <message>
        <source>version {number} of {count}</source>
        <translation>version {number} sur {count}</translation>
    </message>
    <message>
        <source>From reply {letter}. Enter shows it.</source>
        <translation>De la réponse {letter}. Entrée pour l’afficher.</translation>
    </message>
    <message>
        <source>Link, {words}. Enter opens it.</source>
        <translation>Lien, {words}. Entrée pour l’ouvrir.</translation>
    </message>
    <message numerus="yes">
        <source>Code, {language}, %Ln line. Enter copies it.</source>
        <comment>Code, {language}, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Code, {language}, %Ln ligne. Entrée pour le copier.</numerusform>
            <numerusform>Code, {language}, %Ln lignes. Entrée pour le copier.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %Ln line. Enter copies it.</source>
        <comment>Code, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>Code, %Ln ligne. Entrée pour le copier.</numerusform>
            <numerusform>Code, %Ln lignes. Entrée pour le copier.</numerusform>
        </translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Résultat</translation>
    </message>
    <message>
        <source>{tool} needs your input</source>
        <translation>{tool} a besoin de votre réponse</translation>
    </message>
    <message>
        <source>Allow Once</source>
        <translation>Autoriser une fois</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>The server asked: {question}
You declined.</source>
        <translation>Le serveur a demandé&#xa0;: {question}
Vous avez refusé.</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>outil</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character</source>
        <comment>%Ln characters</comment>
        <translation>
            <numerusform>%Ln caractère</numerusform>
            <numerusform>%Ln caractères</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} · Stopped</source>
        <translation>{tool} · Arrêté</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number}&#xa0;ms</translation>
    </message>
    <message numerus="yes">
        <source>{kept} of %Ln characters</source>
        <comment>{kept} of %Ln characters</comment>
        <translation>
            <numerusform>{kept} sur %Ln caractère</numerusform>
            <numerusform>{kept} sur %Ln caractères</numerusform>
        </translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Votre message</translation>
    </message>
    <message>
        <source>done</source>
        <translation>terminé</translation>
    </message>
    <message>
        <source>Broadcast is off</source>
        <translation>La diffusion est désactivée</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, choose “{command}” in it.</source>
        <translation>La diffusion est activée. Pour inclure une discussion distante, choisissez «&#xa0;{command}&#xa0;» dans celle-ci.</translation>
    </message>
    <message>
        <source>Broadcast is on. Open another chat next to this one.</source>
        <translation>La diffusion est activée. Ouvrez une autre discussion à côté de celle-ci.</translation>
    </message>
    <message>
        <source>Split Right</source>
        <translation>Diviser à droite</translation>
    </message>
    <message>
        <source>Split Down</source>
        <translation>Diviser vers le bas</translation>
    </message>
    <message>
        <source>Close Chat</source>
        <translation>Fermer la discussion</translation>
    </message>
    <message>
        <source>Chat closed</source>
        <translation>Discussion fermée</translation>
    </message>
    <message>
        <source>Stop All Replies</source>
        <translation>Arrêter toutes les réponses</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>Ouvrir un dossier de modèle</translation>
    </message>
    <message>
        <source>Open GGUF File…</source>
        <translation>Ouvrir un fichier GGUF…</translation>
    </message>
    <message>
        <source>GGUF files</source>
        <translation>Fichiers GGUF</translation>
    </message>
    <message>
        <source>Open GGUF File</source>
        <translation>Ouvrir un fichier GGUF</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Fichier</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Édition</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Affichage</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Aide</translation>
    </message>
    <message>
        <source>Enter edits the message, Delete removes it</source>
        <translation>Entrée&#xa0;pour&#xa0;modifier&#xa0;le&#xa0;message,&#xa0;Suppr&#xa0;pour&#xa0;le&#xa0;retirer</translation>
    </message>
    <message>
        <source>Edit Message  Enter</source>
        <translation>Modifier&#xa0;le&#xa0;message&#xa0;&#xa0;Enter</translation>
    </message>
    <message>
        <source>Remove  Del</source>
        <translation>Retirer&#xa0;&#xa0;Del</translation>
    </message>
    <message numerus="yes">
        <source>%n file</source>
        <comment>%n files</comment>
        <translation>
            <numerusform>%n fichier</numerusform>
            <numerusform>%n fichiers</numerusform>
        </translation>
    </message>
    <message>
        <source>Queued message {number}: {text}</source>
        <translation>Message&#xa0;en&#xa0;attente&#xa0;{number}&#xa0;:&#xa0;{text}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>Messages&#xa0;en&#xa0;attente</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Ajouter</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clé</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>Interrogation de {host}…</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Jamais</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>How models should behave in new chats</source>
        <translation>Comment les modèles doivent se comporter dans les nouvelles discussions</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Modèle d’ébauche</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Recherche…</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no draft model</comment>
        <translation>Aucun</translation>
    </message>
    <message>
        <source>{name}, {size}</source>
        <translation>{name}, {size}</translation>
    </message>
    <message>
        <source>Model for New Chats</source>
        <translation>Modèle des nouvelles discussions</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Maj+Entrée</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Échap</translation>
    </message>
    <message>
        <source>Up, in an empty message</source>
        <translation>Haut, dans un message vide</translation>
    </message>
    <message>
        <source>/, in an empty message</source>
        <translation>/, dans un message vide</translation>
    </message>
    <message>
        <source>Tab, in the message</source>
        <translation>Tab, dans le message</translation>
    </message>
    <message>
        <source>Delete, in the sidebar</source>
        <translation>Suppr, dans la barre latérale</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Comparer…</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>Diffusion</translation>
    </message>
    <message numerus="yes">
        <source>The next message goes to %n chat</source>
        <comment>The next message goes to %n chats</comment>
        <translation>
            <numerusform>Le prochain message ira à %n discussion</numerusform>
            <numerusform>Le prochain message ira à %n discussions</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep Broadcast On</source>
        <translation>Garder la diffusion active</translation>
    </message>
    <message>
        <source>Join/Leave Broadcast</source>
        <translation>Rejoindre ou quitter la diffusion</translation>
    </message>
    <message>
        <source>{chat} (hidden tab)</source>
        <translation>{chat} (onglet masqué)</translation>
    </message>
    <message>
        <source>Turn Off</source>
        <translation>Désactiver</translation>
    </message>
    <message numerus="yes">
        <source>To %n chat ({hidden} in hidden tabs)</source>
        <comment>To %n chats ({hidden} in hidden tabs)</comment>
        <translation>
            <numerusform>À %n discussion ({hidden} dans des onglets masqués)</numerusform>
            <numerusform>À %n discussions ({hidden} dans des onglets masqués)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To %n chat</source>
        <comment>To %n chats</comment>
        <translation>
            <numerusform>À %n discussion</numerusform>
            <numerusform>À %n discussions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sent to %n chat</source>
        <comment>Sent to %n chats</comment>
        <translation>
            <numerusform>Envoyé à %n discussion</numerusform>
            <numerusform>Envoyé à %n discussions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat didn’t get this message: {why}</source>
        <comment>%n chats didn’t get this message: {why}</comment>
        <translation>
            <numerusform>%n discussion n’a pas reçu ce message&#xa0;: {why}</numerusform>
            <numerusform>%n discussions n’ont pas reçu ce message&#xa0;: {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{title} – {model}</source>
        <translation>{title} – {model}</translation>
    </message>
    <message>
        <source>Show Report</source>
        <translation>Afficher le rapport</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Un problème est survenu</translation>
    </message>
    <message>
        <source>Export Chats…</source>
        <translation>Exporter des discussions…</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>«&#xa0;{title}&#xa0;»</translation>
    </message>
    <message>
        <source>Import Chats…</source>
        <translation>Importer des discussions…</translation>
    </message>
    <message>
        <source>The import couldn’t be undone: {error}</source>
        <translation>L’importation n’a pas pu être annulée&#xa0;: {error}</translation>
    </message>
    <message numerus="yes">
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation>
            <numerusform>Toutes les discussions (%Ln)</numerusform>
            <numerusform>Toutes les discussions (%Ln)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation>
            <numerusform>%Ln discussion importée</numerusform>
            <numerusform>%Ln discussions importées</numerusform>
        </translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>Imprimer…</translation>
    </message>
    <message>
        <source>Attach Files…</source>
        <translation>Joindre des fichiers…</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>Dispositions</translation>
    </message>
    <message>
        <source>No layouts yet</source>
        <translation>Aucune disposition</translation>
    </message>
    <message>
        <source>Save Layout…</source>
        <translation>Enregistrer la disposition…</translation>
    </message>
    <message>
        <source>Save Layout</source>
        <translation>Enregistrer la disposition</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Démarrage…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Show Log</source>
        <translation>Afficher le journal</translation>
    </message>
    <message>
        <source>{tool} of {server} in “{chat}”</source>
        <translation>{tool} de {server} dans «&#xa0;{chat}&#xa0;»</translation>
    </message>
    <message>
        <source>a deleted chat</source>
        <translation>une discussion supprimée</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>dans {folder}</translation>
    </message>
    <message>
        <source>Layout “{name}” replaced</source>
        <translation>Disposition «&#xa0;{name}&#xa0;» remplacée</translation>
    </message>
    <message>
        <source>Layout “{name}” saved</source>
        <translation>Disposition «&#xa0;{name}&#xa0;» enregistrée</translation>
    </message>
    <message>
        <source>Rename Layout</source>
        <translation>Renommer la disposition</translation>
    </message>
    <message>
        <source>Layout renamed to “{name}”</source>
        <translation>Disposition renommée en «&#xa0;{name}&#xa0;»</translation>
    </message>
    <message>
        <source>Layout “{name}” deleted</source>
        <translation>Disposition «&#xa0;{name}&#xa0;» supprimée</translation>
    </message>
    <message>
        <source>Layout “{name}” opened</source>
        <translation>Disposition «&#xa0;{name}&#xa0;» ouverte</translation>
    </message>
    <message>
        <source>Layout “{name}” opened.</source>
        <translation>Disposition «&#xa0;{name}&#xa0;» ouverte.</translation>
    </message>
    <message numerus="yes">
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation>
            <numerusform>%n autre discussion fermée.</numerusform>
            <numerusform>%n autres discussions fermées.</numerusform>
        </translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>Barre latérale</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Rechercher dans toutes les discussions</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Partition</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation>
            <numerusform>%n en attente de mémoire</numerusform>
            <numerusform>%n en attente de mémoire</numerusform>
        </translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>Modèles…</translation>
    </message>
    <message>
        <source>Get Model…</source>
        <translation>Obtenir un modèle…</translation>
    </message>
    <message>
        <source>{keys} copies text.</source>
        <translation>{keys} copie le texte.</translation>
    </message>
    <message>
        <source>{keys} cuts text.</source>
        <translation>{keys} coupe le texte.</translation>
    </message>
    <message>
        <source>{keys} pastes text.</source>
        <translation>{keys} colle le texte.</translation>
    </message>
    <message>
        <source>{keys} selects all text.</source>
        <translation>{keys} sélectionne tout le texte.</translation>
    </message>
    <message>
        <source>Command Palette…</source>
        <translation>Palette de commandes…</translation>
    </message>
    <message>
        <source>{menu}: {choice}</source>
        <translation>{menu}&#xa0;: {choice}</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> Go</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> caractères</translation>
    </message>
    <message>
        <source>No message here has other versions.</source>
        <translation>Aucun message de cette discussion n’a d’autre version.</translation>
    </message>
    <message>
        <source>“{file}” is still being read.</source>
        <translation>«&#xa0;{file}&#xa0;» est encore en cours de lecture.</translation>
    </message>
    <message>
        <source>No message is being edited.</source>
        <translation>Aucun message n’est en cours de modification.</translation>
    </message>
    <message>
        <source>Only your own messages can be edited.</source>
        <translation>Seuls vos propres messages peuvent être modifiés.</translation>
    </message>
    <message>
        <source>There’s no text to copy.</source>
        <translation>Il n’y a pas de texte à copier.</translation>
    </message>
    <message>
        <source>This is the first version.</source>
        <translation>C’est la première version.</translation>
    </message>
    <message>
        <source>This is the last version.</source>
        <translation>C’est la dernière version.</translation>
    </message>
    <message>
        <source>Edit Last Message</source>
        <translation>Modifier le dernier message</translation>
    </message>
    <message>
        <source>Make Panes Equal</source>
        <translation>Égaliser les volets</translation>
    </message>
    <message>
        <source>Next Chat</source>
        <translation>Discussion suivante</translation>
    </message>
    <message>
        <source>Previous Chat</source>
        <translation>Discussion précédente</translation>
    </message>
    <message>
        <source>This chat is in its own window. Move it back first.</source>
        <translation>Cette discussion a sa propre fenêtre. Ramenez-la d’abord.</translation>
    </message>
    <message>
        <source>There’s no pane after this one</source>
        <translation>Il n’y a pas de volet après celui-ci</translation>
    </message>
    <message>
        <source>There’s no pane before this one</source>
        <translation>Il n’y a pas de volet avant celui-ci</translation>
    </message>
    <message>
        <source>There’s no other pane next to this one</source>
        <translation>Il n’y a pas d’autre volet à côté de celui-ci</translation>
    </message>
    <message>
        <source>Prompts…</source>
        <translation>Prompts…</translation>
    </message>
    <message>
        <source>Save Message as Prompt…</source>
        <translation>Enregistrer le message comme prompt…</translation>
    </message>
    <message>
        <source>Quick Question</source>
        <translation>Question rapide</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Réglages…</translation>
    </message>
    <message>
        <source>Search All Chats</source>
        <translation>Rechercher dans toutes les discussions</translation>
    </message>
    <message>
        <source>Rename Chat</source>
        <translation>Renommer la discussion</translation>
    </message>
    <message>
        <source>Move Chat to Folder…</source>
        <translation>Placer la discussion dans un dossier…</translation>
    </message>
    <message numerus="yes">
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation>
            <numerusform>Discussion épinglée</numerusform>
            <numerusform>{count} discussions épinglées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation>
            <numerusform>Discussion placée dans «&#xa0;{folder}&#xa0;»</numerusform>
            <numerusform>{count} discussions placées dans «&#xa0;{folder}&#xa0;»</numerusform>
        </translation>
    </message>
    <message>
        <source>New Folder</source>
        <translation>Nouveau dossier</translation>
    </message>
    <message numerus="yes">
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation>
            <numerusform>Discussion étiquetée</numerusform>
            <numerusform>{count} discussions étiquetées</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder moved</source>
        <translation>Dossier déplacé</translation>
    </message>
    <message>
        <source>Move to Folder</source>
        <translation>Placer dans un dossier</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>what is done with a chat</comment>
        <translation>Archiver</translation>
    </message>
    <message>
        <source>New Folder…</source>
        <translation>Nouveau dossier…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Renommer…</translation>
    </message>
    <message>
        <source>Delete Folder</source>
        <translation>Supprimer le dossier</translation>
    </message>
    <message>
        <source>Restore from Backup…</source>
        <translation>Restaurer une sauvegarde…</translation>
    </message>
    <message>
        <source>{title}, waits for your answer</source>
        <translation>{title}, attend votre réponse</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>Fermer {title}</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>Plein écran</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>Menu  F10</translation>
    </message>
    <message>
        <source>Show Stretto</source>
        <translation>Afficher Stretto</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Charger</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Épingler</translation>
    </message>
    <message>
        <source>Convert…</source>
        <translation>Convertir…</translation>
    </message>
    <message>
        <source>Show in Folder</source>
        <translation>Afficher dans le dossier</translation>
    </message>
    <message>
        <source>Add Adapter…</source>
        <translation>Ajouter un adaptateur…</translation>
    </message>
    <message>
        <source>Draft Model…</source>
        <translation>Modèle d’ébauche…</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>Placer dans la corbeille</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>Choisissez d’abord un modèle</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Décharger</translation>
    </message>
    <message>
        <source>Cancel Loading</source>
        <translation>Annuler le chargement</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Désépingler</translation>
    </message>
    <message>
        <source>Try Now</source>
        <translation>Réessayer maintenant</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Texte collé</translation>
    </message>
    <message>
        <source>“{name}” is too long. Read its last messages only.</source>
        <translation>«&#xa0;{name}&#xa0;» est trop long. Lisez seulement ses derniers messages.</translation>
    </message>
    <message>
        <source>“{name}” can’t be read.</source>
        <translation>«&#xa0;{name}&#xa0;» ne peut pas être lu.</translation>
    </message>
    <message>
        <source>“{name}” is attached in part: {pages} of {count}. Open one of them to choose others.</source>
        <translation>«&#xa0;{name}&#xa0;» est joint en partie&#xa0;: {pages} sur {count}. Ouvrez l’une d’elles pour en choisir d’autres.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add its image or its text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text. Open the file to add their images or their text.</comment>
        <translation>
            <numerusform>%Ln des {count} pages de «&#xa0;{name}&#xa0;» est une numérisation sans texte. Ouvrez le fichier pour ajouter son image ou son texte.</numerusform>
            <numerusform>%Ln des {count} pages de «&#xa0;{name}&#xa0;» sont des numérisations sans texte. Ouvrez le fichier pour ajouter leurs images ou leur texte.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text.</comment>
        <translation>
            <numerusform>%Ln des {count} pages de «&#xa0;{name}&#xa0;» est une numérisation sans texte.</numerusform>
            <numerusform>%Ln des {count} pages de «&#xa0;{name}&#xa0;» sont des numérisations sans texte.</numerusform>
        </translation>
    </message>
    <message>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation>texte</translation>
    </message>
    <message>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation>code</translation>
    </message>
    <message>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation>page web</translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned</source>
        <comment>%Ln scanned</comment>
        <translation>
            <numerusform>%Ln numérisée</numerusform>
            <numerusform>%Ln numérisées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage</source>
        <comment>%Ln passages</comment>
        <translation>
            <numerusform>%Ln passage</numerusform>
            <numerusform>%Ln passages</numerusform>
        </translation>
    </message>
    <message>
        <source>{passages} from {pages}</source>
        <translation>{passages}, {pages}</translation>
    </message>
    <message>
        <source>the first {share}</source>
        <comment>of a file</comment>
        <translation>les premiers {share}</translation>
    </message>
    <message numerus="yes">
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation>
            <numerusform>partie {numbers}</numerusform>
            <numerusform>parties {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation>
            <numerusform>diapositive {numbers}</numerusform>
            <numerusform>diapositives {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation>
            <numerusform>feuille {numbers}</numerusform>
            <numerusform>feuilles {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation>
            <numerusform>chapitre {numbers}</numerusform>
            <numerusform>chapitres {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation>
            <numerusform>page {numbers}</numerusform>
            <numerusform>pages {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln slide</source>
        <comment>%Ln slides</comment>
        <translation>
            <numerusform>%Ln diapositive</numerusform>
            <numerusform>%Ln diapositives</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sheet</source>
        <comment>%Ln sheets</comment>
        <translation>
            <numerusform>%Ln feuille</numerusform>
            <numerusform>%Ln feuilles</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chapter</source>
        <comment>%Ln chapters</comment>
        <translation>
            <numerusform>%Ln chapitre</numerusform>
            <numerusform>%Ln chapitres</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page</source>
        <comment>%Ln pages</comment>
        <translation>
            <numerusform>%Ln page</numerusform>
            <numerusform>%Ln pages</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} of {limit} tokens</source>
        <translation>{tokens} sur {limit} tokens</translation>
    </message>
    <message>
        <source>The engine has stopped.</source>
        <translation>Le moteur s’est arrêté.</translation>
    </message>
    <message>
        <source>The model couldn’t be loaded.</source>
        <translation>Le modèle n’a pas pu être chargé.</translation>
    </message>
    <message>
        <source>The chat was closed.</source>
        <translation>La discussion a été fermée.</translation>
    </message>
    <message>
        <source>Chat {name}</source>
        <translation>Discussion {name}</translation>
    </message>
    <message>
        <source>Attached: {file}</source>
        <translation>Pièce jointe&#xa0;: {file}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>le disque est plein</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>environ {size}</translation>
    </message>
    <message numerus="yes">
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>une discussion</numerusform>
            <numerusform>%n discussions</numerusform>
        </translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>La liste est vide.</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>Ligne {line}, colonne {column}</translation>
    </message>
    <message>
        <source>The schema is nested too deeply.</source>
        <translation>Le schéma est imbriqué trop profondément.</translation>
    </message>
    <message>
        <source>In {place}</source>
        <translation>Dans {place}</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>Le motif est vide.</translation>
    </message>
    <message>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation>Au caractère {n}&#xa0;: une barre oblique inverse que rien ne suit.</translation>
    </message>
    <message>
        <source>At character {n}</source>
        <translation>Au caractère {n}</translation>
    </message>
    <message>
        <source>{file}: the archive is damaged.</source>
        <translation>{file}&#xa0;: l’archive est endommagée.</translation>
    </message>
    <message numerus="yes">
        <source>Only the first %Ln file was read.</source>
        <comment>Only the first %Ln files were read.</comment>
        <translation>
            <numerusform>Seul %Ln fichier, le premier, a été lu.</numerusform>
            <numerusform>Seuls les %Ln premiers fichiers ont été lus.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation>
            <numerusform>%Ln message</numerusform>
            <numerusform>%Ln messages</numerusform>
        </translation>
    </message>
    <message>
        <source>The model couldn’t be loaded ({why}).</source>
        <translation>Le modèle n’a pas pu être chargé ({why}).</translation>
    </message>
    <message>
        <source>{field}: choose at most {most}.</source>
        <translation>{field}&#xa0;: choisissez-en au plus {most}.</translation>
    </message>
    <message>
        <source>{field}: at most {most} characters.</source>
        <translation>{field}&#xa0;: {most} caractères au plus.</translation>
    </message>
    <message>
        <source>{field}: choose from the list.</source>
        <translation>{field}&#xa0;: choisissez dans la liste.</translation>
    </message>
    <message>
        <source>{field}: choose at least {least}.</source>
        <translation>{field}&#xa0;: choisissez-en au moins {least}.</translation>
    </message>
    <message>
        <source>{field}: at least {least} characters.</source>
        <translation>{field}&#xa0;: {least} caractères au moins.</translation>
    </message>
    <message>
        <source>{field}: a whole number.</source>
        <translation>{field}&#xa0;: un nombre entier.</translation>
    </message>
    <message>
        <source>{field}: a number.</source>
        <translation>{field}&#xa0;: un nombre.</translation>
    </message>
    <message>
        <source>{field}: at least {least}.</source>
        <translation>{field}&#xa0;: {least} au moins.</translation>
    </message>
    <message>
        <source>{field}: at most {most}.</source>
        <translation>{field}&#xa0;: {most} au plus.</translation>
    </message>
    <message>
        <source>{server} asked with a form that can’t be shown: {why}.</source>
        <translation>{server} a envoyé un formulaire impossible à afficher&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>Add Model Folder</source>
        <translation>Ajouter un dossier de modèle</translation>
    </message>
    <message>
        <source>Add an Adapter to {name}</source>
        <translation>Ajouter un adaptateur à {name}</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>Fiche du modèle</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Convertir</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Afficher</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>Téléchargement de {name}</translation>
    </message>
    <message>
        <source>Remove from List</source>
        <translation>Retirer de la liste</translation>
    </message>
    <message numerus="yes">
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation>
            <numerusform>%n modèle trouvé</numerusform>
            <numerusform>%n modèles trouvés</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>Téléchargé</translation>
    </message>
    <message>
        <source>Gated</source>
        <comment>a model</comment>
        <translation>Accès restreint</translation>
    </message>
    <message>
        <source>Can’t be loaded</source>
        <translation>Ne peut pas être chargé</translation>
    </message>
    <message numerus="yes">
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation>
            <numerusform>Le charger pour des discussions de %Ln token au plus</numerusform>
            <numerusform>Le charger pour des discussions de %Ln tokens au plus</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {name} instead</source>
        <translation>Utiliser plutôt {name}</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>Décharger {name}</translation>
    </message>
    <message>
        <source>Unload {names} and {last}</source>
        <translation>Décharger {names} et {last}</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory</source>
        <translation>{name} ne tient pas en mémoire</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>Number of chats</source>
        <translation>Nombre de discussions</translation>
    </message>
    <message>
        <source>{bits}-bit</source>
        <translation>{bits} bits</translation>
    </message>
    <message>
        <source>at {revision}</source>
        <translation>à la révision {revision}</translation>
    </message>
    <message>
        <source>Get Model</source>
        <translation>Obtenir un modèle</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Rechercher</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Télécharger</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>Retirer {name} de la liste</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Jeton d’accès</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>Discussions et réglages</translation>
    </message>
    <message>
        <source>Show the chats and settings folder</source>
        <translation>Afficher le dossier des discussions et réglages</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Journaux</translation>
    </message>
    <message>
        <source>Show the logs folder</source>
        <translation>Afficher le dossier des journaux</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Élevé</translation>
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
        <translation>Éditeurs</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Copy for {name}</source>
        <translation>Copier pour {name}</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Clés</translation>
    </message>
    <message>
        <source>The keys can’t be read: {error}.</source>
        <translation>Impossible de lire les clés&#xa0;: {error}.</translation>
    </message>
    <message>
        <source>New Key…</source>
        <translation>Nouvelle clé…</translation>
    </message>
    <message>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>dd MMMM yyyy</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>Révoquer</translation>
    </message>
    <message>
        <source>Revoke the key {name}</source>
        <translation>Révoquer la clé {name}</translation>
    </message>
    <message>
        <source>New Key</source>
        <translation>Nouvelle clé</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>Ce bureau n’a pas de zone de notification.</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archives</translation>
    </message>
    <message numerus="yes">
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation>
            <numerusform>%n connexion</numerusform>
            <numerusform>%n connexions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <comment>%n more</comment>
        <translation>
            <numerusform>%n de plus</numerusform>
            <numerusform>%n de plus</numerusform>
        </translation>
    </message>
    <message>
        <source>Since Yesterday</source>
        <translation>Depuis hier</translation>
    </message>
    <message>
        <source>Before This Year</source>
        <translation>Avant cette année</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>dossier</translation>
    </message>
    <message>
        <source>archived chats</source>
        <translation>discussions archivées</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation>
            <numerusform>%Ln discussion</numerusform>
            <numerusform>%Ln discussions</numerusform>
        </translation>
    </message>
    <message>
        <source>The backup couldn’t be restored. {why}</source>
        <translation>La sauvegarde n’a pas pu être restaurée. {why}</translation>
    </message>
    <message>
        <source>waits for your answer</source>
        <translation>attend votre réponse</translation>
    </message>
    <message>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation>ouverte</translation>
    </message>
    <message>
        <source>tagged {tags}</source>
        <translation>étiquetée {tags}</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Étiquettes, séparées par des virgules</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field} (facultatif)</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} à {most}</translation>
    </message>
    <message>
        <source>at least {least}</source>
        <translation>au moins {least}</translation>
    </message>
    <message>
        <source>at most {most}</source>
        <translation>au plus {most}</translation>
    </message>
    <message>
        <source>4 bits: the usual choice</source>
        <translation>4 bits&#xa0;: le choix habituel</translation>
    </message>
    <message>
        <source>6 bits: closer to the original</source>
        <translation>6 bits&#xa0;: plus proche de l’original</translation>
    </message>
    <message>
        <source>4 and 6 bits: more where it matters</source>
        <translation>4 et 6 bits&#xa0;: davantage là où c’est important</translation>
    </message>
    <message>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation>3 et 6 bits&#xa0;: aussi petit que 4, davantage là où c’est important</translation>
    </message>
    <message>
        <source>3 and 4 bits: the smallest</source>
        <translation>3 et 4 bits&#xa0;: le plus petit</translation>
    </message>
    <message>
        <source>That folder</source>
        <translation>Ce dossier</translation>
    </message>
    <message>
        <source>using a tool</source>
        <translation>utilise un outil</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation>{rate} lus</translation>
    </message>
    <message>
        <source>models</source>
        <translation>modèles</translation>
    </message>
    <message>
        <source>helper processes</source>
        <translation>processus auxiliaires</translation>
    </message>
    <message>
        <source>Send  Enter</source>
        <translation>Envoyer  Entrée</translation>
    </message>
    <message>
        <source>Open Link</source>
        <translation>Ouvrir le lien</translation>
    </message>
    <message>
        <source>Blocked because this link doesn’t lead to a web page.</source>
        <translation>Bloqué, car ce lien ne mène pas à une page web.</translation>
    </message>
    <message>
        <source>Blocked because this link hides where it leads.</source>
        <translation>Bloqué, car ce lien cache sa destination.</translation>
    </message>
    <message>
        <source>Open this address at {place} outside Stretto?</source>
        <translation>Ouvrir cette adresse sur {place}, en dehors de Stretto&#xa0;?</translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation>
            <numerusform>(%Ln caractère de plus)</numerusform>
            <numerusform>(%Ln caractères de plus)</numerusform>
        </translation>
    </message>
    <message>
        <source>Use Prompt</source>
        <translation>Utiliser le prompt</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>Ressources</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>Exécution de {tool}</translation>
    </message>
    <message numerus="yes">
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation>
            <numerusform>Exécution de %n outil</numerusform>
            <numerusform>Exécution de %n outils</numerusform>
        </translation>
    </message>
    <message>
        <source>step {step}</source>
        <translation>étape {step}</translation>
    </message>
    <message>
        <source>An address has no spaces and at most 500 characters.</source>
        <translation>Une adresse n’a pas d’espaces et au plus 500 caractères.</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>Une adresse commence par https:// ou http://.</translation>
    </message>
    <message>
        <source>{host} doesn’t allow this with your key. Ask for access there, or use another key.</source>
        <translation>{host} ne l’autorise pas avec votre clé. Demandez-y l’accès ou utilisez une autre clé.</translation>
    </message>
    <message>
        <source>No models are listed at {address}. Check the address: it often ends in /v1.</source>
        <translation>Aucun modèle à l’adresse {address}. Vérifiez-la&#xa0;: elle se termine souvent par /v1.</translation>
    </message>
    <message>
        <source>{host} isn’t ready.</source>
        <translation>{host} n’est pas prêt.</translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n second.</source>
        <comment>Try again in %n seconds.</comment>
        <translation>
            <numerusform>Réessayez dans %n seconde.</numerusform>
            <numerusform>Réessayez dans %n secondes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n minute.</source>
        <comment>Try again in %n minutes.</comment>
        <translation>
            <numerusform>Réessayez dans %n minute.</numerusform>
            <numerusform>Réessayez dans %n minutes.</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again in a few hours.</source>
        <translation>Réessayez dans quelques heures.</translation>
    </message>
    <message>
        <source>Try again tomorrow.</source>
        <translation>Réessayez demain.</translation>
    </message>
    <message>
        <source>{host} sent something that can’t be read. Check the address, or try again.</source>
        <translation>{host} a envoyé quelque chose d’illisible. Vérifiez l’adresse ou réessayez.</translation>
    </message>
    <message>
        <source>Couldn’t connect to {host} ({why}). Check that the server is running and the address is right.</source>
        <translation>Connexion à {host} impossible ({why}). Vérifiez que le serveur fonctionne et que l’adresse est correcte.</translation>
    </message>
    <message>
        <source>A model at an address, such as vLLM, llama.cpp or another Stretto</source>
        <translation>Un modèle à une adresse, comme vLLM, llama.cpp ou un autre Stretto</translation>
    </message>
    <message>
        <source>No suggestions</source>
        <translation>Aucune suggestion</translation>
    </message>
    <message>
        <source>Add to Dictionary</source>
        <translation>Ajouter au dictionnaire</translation>
    </message>
    <message>
        <source>Ignore</source>
        <comment>a misspelt word</comment>
        <translation>Ignorer</translation>
    </message>
    <message>
        <source>Questions, reasoning and tools</source>
        <translation>Questions, raisonnement et outils</translation>
    </message>
    <message>
        <source>Many languages, short texts</source>
        <translation>Nombreuses langues, textes courts</translation>
    </message>
    <message>
        <source>Fast replies, room for more chats</source>
        <translation>Réponses rapides, plus de discussions</translation>
    </message>
    <message>
        <source>Reasoning, code and tools</source>
        <translation>Raisonnement, code et outils</translation>
    </message>
    <message>
        <source>Writing and many languages</source>
        <translation>Rédaction et nombreuses langues</translation>
    </message>
    <message>
        <source>Reliable replies, room for more chats</source>
        <translation>Réponses régulières, plus de discussions</translation>
    </message>
    <message>
        <source>Reasoning and tools, fast</source>
        <translation>Raisonnement et outils, rapide</translation>
    </message>
    <message>
        <source>Reasoning and code, more accurate</source>
        <translation>Raisonnement et code, plus précis</translation>
    </message>
    <message>
        <source>Code, hard questions and tools</source>
        <translation>Code, questions difficiles et outils</translation>
    </message>
    <message>
        <source>Writing, many languages, fast</source>
        <translation>Rédaction, nombreuses langues, rapide</translation>
    </message>
    <message>
        <source>Reasoning, tools, room for more chats</source>
        <translation>Raisonnement, outils, plus de discussions</translation>
    </message>
    <message>
        <source>Code and tools, very fast</source>
        <translation>Code et outils, très rapide</translation>
    </message>
    <message>
        <source>Writing, languages, hard questions</source>
        <translation>Rédaction, langues, questions difficiles</translation>
    </message>
    <message>
        <source>Code and tools, more accurate</source>
        <translation>Code et outils, plus précis</translation>
    </message>
    <message>
        <source>Code in long contexts</source>
        <translation>Programmation sur de longs textes</translation>
    </message>
    <message>
        <source>Long texts, very fast</source>
        <translation>Longs textes, très rapide</translation>
    </message>
    <message>
        <source>Code, tools, room for more chats</source>
        <translation>Code, outils, plus de discussions</translation>
    </message>
    <message>
        <source>Reasoning with adjustable effort</source>
        <translation>Raisonnement d’intensité réglable</translation>
    </message>
    <message>
        <source>Hard questions, code, many languages</source>
        <translation>Questions difficiles, code, nombreuses langues</translation>
    </message>
    <message>
        <source>Hard questions, code, more accurate</source>
        <translation>Questions difficiles, code, plus précis</translation>
    </message>
    <message>
        <source>This network can’t be searched ({why}).</source>
        <translation>La recherche sur ce réseau est impossible ({why}).</translation>
    </message>
    <message>
        <source>Look for Stretto on this network</source>
        <translation>Rechercher Stretto sur ce réseau</translation>
    </message>
    <message>
        <source>Found on this network</source>
        <translation>Trouvés sur ce réseau</translation>
    </message>
    <message>
        <source>{name} has no draft model. {why}</source>
        <translation>{name} n’a pas de modèle d’ébauche. {why}</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Longueur maximale des réponses</translation>
    </message>
    <message>
        <source>Default {value}</source>
        <translation>Par défaut&#xa0;: {value}</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>Valeur du modèle</translation>
    </message>
    <message>
        <source>Menu bar icon</source>
        <translation>Icône dans la barre des menus</translation>
    </message>
    <message>
        <source>System tray icon</source>
        <translation>Icône dans la zone de notification</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Général</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>Envoyer les messages avec</translation>
    </message>
    <message>
        <source>Attach long pastes as files</source>
        <translation>Joindre les longs textes collés en fichier</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>Vérifier l’orthographe</translation>
    </message>
    <message>
        <source>Notify about long replies</source>
        <translation>Notifier la fin des longues réponses</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>Check for updates daily</source>
        <translation>Rechercher les mises à jour chaque jour</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Thème</translation>
    </message>
    <message>
        <source>Interface zoom</source>
        <translation>Zoom de l’interface</translation>
    </message>
    <message>
        <source>Message text size</source>
        <translation>Taille du texte des messages</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>Réduire les animations</translation>
    </message>
    <message>
        <source>Name chats automatically</source>
        <translation>Nommer les discussions automatiquement</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Limite de mémoire</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>Décharger les modèles inactifs après</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>API locale</translation>
    </message>
    <message>
        <source>Local API server</source>
        <translation>Serveur de l’API locale</translation>
    </message>
    <message>
        <source>Require a key</source>
        <translation>Exiger une clé</translation>
    </message>
    <message>
        <source>Allow other computers</source>
        <translation>Autoriser d’autres ordinateurs</translation>
    </message>
    <message>
        <source>Copy setup for</source>
        <translation>Copier la configuration pour</translation>
    </message>
    <message>
        <source>Allowed origins (CORS)</source>
        <translation>Origines autorisées (CORS)</translation>
    </message>
    <message>
        <source>Concurrent sessions</source>
        <translation>Sessions simultanées</translation>
    </message>
    <message>
        <source>Close the oldest session when full</source>
        <translation>Fermer la session la plus ancienne si c’est plein</translation>
    </message>
    <message>
        <source>Concurrent requests (per key)</source>
        <translation>Requêtes simultanées (par clé)</translation>
    </message>
    <message>
        <source>Requests per minute (per key)</source>
        <translation>Requêtes par minute (par clé)</translation>
    </message>
    <message>
        <source>Unload models used only by clients after</source>
        <translation>Décharger les modèles utilisés uniquement par des clients après</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>Serveurs d’outils (MCP)</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Données</translation>
    </message>
    <message>
        <source>Cached context on disk</source>
        <translation>Contexte en cache sur le disque</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Rechercher dans les réglages</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Pages</translation>
    </message>
    <message>
        <source>Found settings</source>
        <translation>Réglages trouvés</translation>
    </message>
    <message>
        <source>Restarts Stretto in this language. Replies stop.</source>
        <translation>Redémarre Stretto dans cette langue. Les réponses s’arrêtent.</translation>
    </message>
    <message>
        <source>Keyboard language</source>
        <translation>Langue du clavier</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Désactivé</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>Gérer…</translation>
    </message>
    <message>
        <source>Programs that give models more tools</source>
        <translation>Programmes qui donnent d’autres outils aux modèles</translation>
    </message>
    <message>
        <source>Customize…</source>
        <translation>Personnaliser…</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Messages</translation>
    </message>
    <message>
        <source>When a reply ends while Stretto is in the background</source>
        <translation>Quand une réponse se termine et que Stretto est en arrière-plan</translation>
    </message>
    <message>
        <source>The chat’s model suggests a name. Names you set are kept.</source>
        <translation>Le modèle de la discussion propose un titre. Vos titres sont conservés.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatique</translation>
    </message>
    <message>
        <source>For models and chats. Takes effect after a restart.</source>
        <translation>Pour les modèles et les discussions. Prend effet au redémarrage.</translation>
    </message>
    <message>
        <source>Lets chats resume right away. Takes effect after a restart.</source>
        <translation>Les discussions reprennent aussitôt. Prend effet au redémarrage.</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Restaurer…</translation>
    </message>
    <message>
        <source>Show the caches folder</source>
        <translation>Afficher le dossier des caches</translation>
    </message>
    <message>
        <source>Check Now</source>
        <translation>Rechercher maintenant</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>Recherche…</translation>
    </message>
    <message>
        <source>Stretto is up to date.</source>
        <translation>Stretto est à jour.</translation>
    </message>
    <message>
        <source>Stretto {version} is available.</source>
        <translation>Stretto {version} est disponible.</translation>
    </message>
    <message>
        <source>Settings, {page}</source>
        <translation>Réglages, {page}</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Limites</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no web page</comment>
        <translation>Aucune</translation>
    </message>
    <message>
        <source>Such as https://example.org, separated by spaces</source>
        <translation>Comme https://example.org, séparées par des espaces</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no session</comment>
        <translation>Aucune</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Sans limite</translation>
    </message>
    <message>
        <source>There is nothing to clear.</source>
        <translation>Il n’y a rien à effacer.</translation>
    </message>
    <message>
        <source>Share per client</source>
        <translation>Part par client</translation>
    </message>
    <message>
        <source>Quick access</source>
        <translation>Accès rapide</translation>
    </message>
    <message>
        <source>Copy a terminal command</source>
        <translation>Copier une commande pour le terminal</translation>
    </message>
    <message>
        <source>Copy environment variables for editors and agents</source>
        <translation>Copier les variables d’environnement pour éditeurs et agents</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Accès</translation>
    </message>
    <message numerus="yes">
        <source>Running at {address}, %n client</source>
        <comment>Running at {address}, %n clients</comment>
        <translation>
            <numerusform>Actif à l’adresse {address}, %n client</numerusform>
            <numerusform>Actif à l’adresse {address}, %n clients</numerusform>
        </translation>
    </message>
    <message>
        <source>Running at {address}, no clients</source>
        <translation>Actif à l’adresse {address}, aucun client</translation>
    </message>
    <message>
        <source>Turn on the local API first.</source>
        <translation>Activez d’abord l’API locale.</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>créée le {date}</translation>
    </message>
    <message>
        <source>Clients that use it lose access. This can’t be undone.</source>
        <translation>Les clients qui l’utilisent perdent l’accès. Cette action est irréversible.</translation>
    </message>
    <message>
        <source>The key couldn’t be changed: {error}.</source>
        <translation>La clé n’a pas pu être modifiée&#xa0;: {error}.</translation>
    </message>
    <message>
        <source>Copied. Replace “your-key” with your key.</source>
        <translation>Copié. Remplacez «&#xa0;your-key&#xa0;» par votre clé.</translation>
    </message>
    <message>
        <source>Copy the key for “{name}” now. You won’t see it again.</source>
        <translation>Copiez maintenant la clé de «&#xa0;{name}&#xa0;». Elle ne sera plus affichée.</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Nouvelle clé</translation>
    </message>
    <message>
        <source>Maximum zoom reached</source>
        <translation>Zoom maximal atteint</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>Zoom avant</translation>
    </message>
    <message>
        <source>Minimum zoom reached</source>
        <translation>Zoom minimal atteint</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>Zoom arrière</translation>
    </message>
    <message>
        <source>Actual Size</source>
        <translation>Taille réelle</translation>
    </message>
    <message>
        <source>Zoom: {zoom}</source>
        <translation>Zoom&#xa0;: {zoom}</translation>
    </message>
    <message>
        <source>Spelling is off. Turn it on in Settings &gt; General.</source>
        <translation>La vérification de l’orthographe est désactivée. Activez-la dans Réglages &gt; Général.</translation>
    </message>
    <message>
        <source>Next Misspelling</source>
        <translation>Faute d’orthographe suivante</translation>
    </message>
    <message>
        <source>Multiple Computers</source>
        <translation>Plusieurs ordinateurs</translation>
    </message>
    <message>
        <source>Frees memory. Its chats load it again when you send.</source>
        <translation>Libère de la mémoire. Ses discussions le rechargent à l’envoi.</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Aucun modèle n’est chargé</translation>
    </message>
    <message>
        <source>No other model is loaded.</source>
        <translation>Aucun autre modèle n’est chargé.</translation>
    </message>
    <message>
        <source>{name} unloaded</source>
        <translation>{name} déchargé</translation>
    </message>
    <message>
        <source>Add Folder for Tools</source>
        <translation>Ajouter un dossier pour les outils</translation>
    </message>
    <message>
        <source>{name} couldn’t reply.</source>
        <translation>{name} n’a pas pu répondre.</translation>
    </message>
    <message>
        <source>{name} has replied.</source>
        <translation>{name} a répondu.</translation>
    </message>
    <message>
        <source>No room for another pane. The chat opened as a tab.</source>
        <translation>Pas de place pour un autre volet. La discussion s’est ouverte dans un onglet.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, run this command from the Shortcuts app.</source>
        <translation>Pour un raccourci global vers Question rapide, exécutez cette commande depuis l’app Raccourcis.</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, add this command in your system’s keyboard settings.</source>
        <translation>Pour un raccourci global vers Question rapide, ajoutez cette commande dans les réglages du clavier de votre système.</translation>
    </message>
    <message>
        <source>Ask the Guide</source>
        <translation>Interroger le Guide</translation>
    </message>
    <message>
        <source>This chat is in the Trash.</source>
        <translation>Cette discussion est dans la corbeille.</translation>
    </message>
    <message>
        <source>This is an older version of the chat.</source>
        <translation>C’est une version plus ancienne de la discussion.</translation>
    </message>
    <message>
        <source>The chat now shows another version.</source>
        <translation>La discussion affiche maintenant une autre version.</translation>
    </message>
    <message>
        <source>Switch Back</source>
        <translation>Revenir</translation>
    </message>
    <message>
        <source>That message is in another version. Wait until the reply has ended.</source>
        <translation>Ce message se trouve dans une autre version. Attendez la fin de la réponse.</translation>
    </message>
    <message>
        <source>No model is replying</source>
        <translation>Aucun modèle ne répond</translation>
    </message>
    <message numerus="yes">
        <source>%n reply stopped</source>
        <comment>%n replies stopped</comment>
        <translation>
            <numerusform>%n réponse arrêtée</numerusform>
            <numerusform>%n réponses arrêtées</numerusform>
        </translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Nouvelle ligne</translation>
    </message>
    <message>
        <source>Send after the reply</source>
        <translation>Envoyer&#xa0;après&#xa0;la&#xa0;réponse</translation>
    </message>
    <message>
        <source>Enter, during the reply</source>
        <translation>Entrée,&#xa0;pendant&#xa0;la&#xa0;réponse</translation>
    </message>
    <message>
        <source>Remove queued message</source>
        <translation>Retirer&#xa0;un&#xa0;message&#xa0;en&#xa0;attente</translation>
    </message>
    <message>
        <source>Delete, on the message</source>
        <translation>Suppr,&#xa0;sur&#xa0;le&#xa0;message</translation>
    </message>
    <message>
        <source>Stop reply</source>
        <translation>Arrêter la réponse</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>Modifier le dernier message</translation>
    </message>
    <message>
        <source>Insert prompt</source>
        <translation>Insérer un prompt</translation>
    </message>
    <message>
        <source>Next prompt variable</source>
        <translation>Variable suivante du prompt</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>Retirer la pièce jointe</translation>
    </message>
    <message>
        <source>Delete, on the attachment</source>
        <translation>Suppr, sur la pièce jointe</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>Supprimer la discussion</translation>
    </message>
    <message>
        <source>Delete message and all after it</source>
        <translation>Supprimer le message et les suivants</translation>
    </message>
    <message>
        <source>Delete, on a message</source>
        <translation>Suppr, sur un message</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>Message précédent ou suivant</translation>
    </message>
    <message>
        <source>Up or Down, on a message</source>
        <translation>Haut ou Bas, sur un message</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>Actions du message</translation>
    </message>
    <message>
        <source>Tab, on a message</source>
        <translation>Tab, sur un message</translation>
    </message>
    <message>
        <source>Scroll code sideways</source>
        <translation>Faire défiler le code horizontalement</translation>
    </message>
    <message>
        <source>Left or Right, on a message</source>
        <translation>Gauche ou Droite, sur un message</translation>
    </message>
    <message>
        <source>Code menu</source>
        <translation>Menu du code</translation>
    </message>
    <message>
        <source>Shift+F10, on a message</source>
        <translation>Maj+F10, sur un message</translation>
    </message>
    <message>
        <source>Pause or resume reply</source>
        <translation>Mettre en pause ou reprendre la réponse</translation>
    </message>
    <message>
        <source>Space (in the score)</source>
        <translation>Espace (dans la partition)</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>{size} en mémoire</translation>
    </message>
    <message>
        <source>Something went wrong. Your last action may not have taken effect.</source>
        <translation>Un problème est survenu. Votre dernière action n’a peut-être pas été prise en compte.</translation>
    </message>
    <message>
        <source>The file with your chats is damaged, and nothing more can be saved in it. Quit Stretto and open it again to recover what can be read.</source>
        <translation>Le fichier de vos discussions est endommagé et plus rien ne peut y être enregistré. Quittez Stretto et rouvrez-le pour récupérer ce qui est lisible.</translation>
    </message>
    <message>
        <source>All changes are saved.</source>
        <translation>Toutes les modifications sont enregistrées.</translation>
    </message>
    <message numerus="yes">
        <source>Selected chat</source>
        <comment>%Ln selected chats</comment>
        <translation>
            <numerusform>Discussion sélectionnée</numerusform>
            <numerusform>%Ln discussions sélectionnées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat exported to “{file}”</source>
        <comment>%Ln chats exported to “{file}”</comment>
        <translation>
            <numerusform>Discussion exportée dans «&#xa0;{file}&#xa0;»</numerusform>
            <numerusform>%Ln discussions exportées dans «&#xa0;{file}&#xa0;»</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed chat moved to the Trash</source>
        <comment>%Ln changed chats moved to the Trash</comment>
        <translation>
            <numerusform>%Ln discussion modifiée placée dans la corbeille</numerusform>
            <numerusform>%Ln discussions modifiées placées dans la corbeille</numerusform>
        </translation>
    </message>
    <message>
        <source>To keep the current arrangement, choose Save Layout…</source>
        <translation>Pour garder l’agencement actuel, choisissez Enregistrer la disposition…</translation>
    </message>
    <message>
        <source>Saves which chats are open and where.</source>
        <translation>Enregistre quelles discussions sont ouvertes et où.</translation>
    </message>
    <message>
        <source>All chats in the layout “{name}” have been deleted</source>
        <translation>Toutes les discussions de la disposition «&#xa0;{name}&#xa0;» ont été supprimées</translation>
    </message>
    <message numerus="yes">
        <source>%n of its chats has been deleted.</source>
        <comment>%n of its chats have been deleted.</comment>
        <translation>
            <numerusform>%n de ses discussions a été supprimée.</numerusform>
            <numerusform>%n de ses discussions ont été supprimées.</numerusform>
        </translation>
    </message>
    <message>
        <source>Multiple Computers…</source>
        <translation>Plusieurs ordinateurs…</translation>
    </message>
    <message>
        <source>{name} restored</source>
        <translation>{name} restauré</translation>
    </message>
    <message>
        <source>{keys} undoes typing.</source>
        <translation>{keys} annule la saisie.</translation>
    </message>
    <message>
        <source>{keys} redoes typing.</source>
        <translation>{keys} rétablit la saisie.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Command or Option.</source>
        <translation>{keys} sert à écrire. Ajoutez Commande ou Option.</translation>
    </message>
    <message>
        <source>{keys} types text. Add Ctrl or Alt.</source>
        <translation>{keys} sert à écrire. Ajoutez Ctrl ou Alt.</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>Appuyez sur le nouveau raccourci.</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Rechercher des raccourcis</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Aucun résultat</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>Commandes et raccourcis</translation>
    </message>
    <message>
        <source>Reset All</source>
        <translation>Tout réinitialiser</translation>
    </message>
    <message>
        <source>Undo Reset</source>
        <translation>Annuler la réinitialisation</translation>
    </message>
    <message>
        <source>no shortcut</source>
        <translation>aucun raccourci</translation>
    </message>
    <message>
        <source>Default: {usual}</source>
        <translation>Par défaut&#xa0;: {usual}</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>Modifier le raccourci</translation>
    </message>
    <message>
        <source>All shortcuts reset</source>
        <translation>Tous les raccourcis ont été réinitialisés</translation>
    </message>
    <message>
        <source>Change Shortcut</source>
        <translation>Modifier le raccourci</translation>
    </message>
    <message>
        <source>Shortcut for {command}</source>
        <translation>Raccourci de {command}</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Effacer</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Réinitialiser</translation>
    </message>
    <message>
        <source>Press the new shortcut for “{command}”</source>
        <translation>Appuyez sur le nouveau raccourci pour «&#xa0;{command}&#xa0;»</translation>
    </message>
    <message>
        <source>This is the default shortcut</source>
        <translation>C’est le raccourci par défaut</translation>
    </message>
    <message>
        <source>This command has no shortcut</source>
        <translation>Cette commande n’a pas de raccourci</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}” and will be removed there.</source>
        <translation>{keys} est déjà utilisé par «&#xa0;{command}&#xa0;» et lui sera retiré.</translation>
    </message>
    <message>
        <source>This chat is empty.</source>
        <translation>Cette discussion est vide.</translation>
    </message>
    <message>
        <source>Copy Last Reply</source>
        <translation>Copier la dernière réponse</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Régénérer</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed</source>
        <translation>Régénérer avec la même graine</translation>
    </message>
    <message>
        <source>Previous Version</source>
        <translation>Version précédente</translation>
    </message>
    <message>
        <source>Next Version</source>
        <translation>Version suivante</translation>
    </message>
    <message>
        <source>Stop Reply</source>
        <translation>Arrêter la réponse</translation>
    </message>
    <message>
        <source>Find in Chat</source>
        <translation>Rechercher dans la discussion</translation>
    </message>
    <message>
        <source>Move to New Window</source>
        <translation>Placer dans une nouvelle fenêtre</translation>
    </message>
    <message>
        <source>Move to Previous Pane</source>
        <translation>Placer dans le volet précédent</translation>
    </message>
    <message>
        <source>Move to Next Pane</source>
        <translation>Placer dans le volet suivant</translation>
    </message>
    <message>
        <source>Make Pane Larger</source>
        <translation>Agrandir le volet</translation>
    </message>
    <message>
        <source>Make Pane Smaller</source>
        <translation>Réduire le volet</translation>
    </message>
    <message>
        <source>Keep This Reply</source>
        <translation>Garder cette réponse</translation>
    </message>
    <message>
        <source>Focus Message Field</source>
        <translation>Aller au champ de message</translation>
    </message>
    <message>
        <source>Prompt from {server}.</source>
        <translation>Prompt de {server}.</translation>
    </message>
    <message>
        <source>Resource from {server}.</source>
        <translation>Ressource de {server}.</translation>
    </message>
    <message>
        <source>Attach up to {most} files.</source>
        <translation>Joignez au plus {most} fichiers.</translation>
    </message>
    <message>
        <source>The message is empty.</source>
        <translation>Le message est vide.</translation>
    </message>
    <message>
        <source>Edit Tags</source>
        <translation>Modifier les étiquettes</translation>
    </message>
    <message>
        <source>replying</source>
        <translation>répond</translation>
    </message>
    <message>
        <source>Add Remote Model</source>
        <translation>Ajouter un modèle distant</translation>
    </message>
    <message>
        <source>Add Remote Model…</source>
        <translation>Ajouter un modèle distant…</translation>
    </message>
    <message>
        <source>Focus Next Section</source>
        <translation>Aller à la zone suivante</translation>
    </message>
    <message>
        <source>Focus Previous Section</source>
        <translation>Aller à la zone précédente</translation>
    </message>
    <message>
        <source>Tool Servers (MCP)…</source>
        <translation>Serveurs d’outils (MCP)…</translation>
    </message>
    <message>
        <source>Tools for This Chat…</source>
        <translation>Outils de cette discussion…</translation>
    </message>
    <message>
        <source>No tool call is waiting for you.</source>
        <translation>Aucun appel d’outil ne vous attend.</translation>
    </message>
    <message>
        <source>Next Pending Tool Call</source>
        <translation>Prochain appel d’outil en attente</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>Rien à annuler</translation>
    </message>
    <message>
        <source>Undo Close or Delete</source>
        <translation>Annuler la fermeture ou la suppression</translation>
    </message>
    <message>
        <source>Copy Reply as Plain Text</source>
        <translation>Copier la réponse en texte brut</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>Copier le lien</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>Tout sélectionner</translation>
    </message>
    <message>
        <source>Search commands, chats, models, settings</source>
        <translation>Rechercher commandes, discussions, modèles, réglages</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Aucun résultat</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Récents</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenêtre</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rétablir</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Couper</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Coller</translation>
    </message>
    <message>
        <source>“{folder}” is read-only in this chat.</source>
        <translation>«&#xa0;{folder}&#xa0;» est en lecture seule dans cette discussion.</translation>
    </message>
    <message>
        <source>A file name has at most {most} characters.</source>
        <translation>Un nom de fichier compte au plus {most} caractères.</translation>
    </message>
    <message>
        <source>The file is too large to be changed.</source>
        <translation>Le fichier est trop volumineux pour être modifié.</translation>
    </message>
    <message>
        <source>The file isn’t UTF-8 text, so it can’t be changed.</source>
        <translation>Le fichier n’est pas du texte UTF-8 et ne peut pas être modifié.</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>Aucune modification</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>C’est un dossier, pas un fichier.</translation>
    </message>
    <message>
        <source>The text contains characters that a file can’t hold.</source>
        <translation>Le texte contient des caractères impossibles à enregistrer dans un fichier.</translation>
    </message>
    <message>
        <source>The text is longer than {most} bytes.</source>
        <translation>Le texte dépasse {most} octets.</translation>
    </message>
    <message>
        <source>The path contains a null character.</source>
        <translation>Le chemin contient un caractère nul.</translation>
    </message>
    <message>
        <source>Paths that contain “..” aren’t allowed.</source>
        <translation>Les chemins contenant «&#xa0;..&#xa0;» ne sont pas autorisés.</translation>
    </message>
    <message>
        <source>“{path}” isn’t in a folder of this chat.</source>
        <translation>«&#xa0;{path}&#xa0;» n’est dans aucun dossier de cette discussion.</translation>
    </message>
    <message>
        <source>The file doesn’t exist.</source>
        <translation>Le fichier n’existe pas.</translation>
    </message>
    <message>
        <source>This isn’t a text file.</source>
        <translation>Ce n’est pas un fichier texte.</translation>
    </message>
    <message>
        <source>The file or folder doesn’t exist.</source>
        <translation>Le fichier ou le dossier n’existe pas.</translation>
    </message>
    <message>
        <source>This isn’t valid JSON: {why}, line {line}.</source>
        <translation>JSON non valide&#xa0;: {why}, ligne {line}.</translation>
    </message>
    <message>
        <source>An expression has 1 to {most} characters.</source>
        <translation>Une expression compte de 1 à {most} caractères.</translation>
    </message>
    <message>
        <source>the expression isn’t valid</source>
        <translation>l’expression n’est pas valide</translation>
    </message>
    <message>
        <source>This can’t be calculated: {why}.</source>
        <translation>Calcul impossible&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>There’s no function “{name}”.</source>
        <translation>La fonction «&#xa0;{name}&#xa0;» n’existe pas.</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>Le nombre est trop grand.</translation>
    </message>
    <message>
        <source>Date and Time</source>
        <translation>Date et heure</translation>
    </message>
    <message>
        <source>Gets the date, time, and time zone.</source>
        <translation>Donne la date, l’heure et le fuseau horaire.</translation>
    </message>
    <message>
        <source>Get the date and time?</source>
        <translation>Obtenir la date et l’heure&#xa0;?</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>Calculatrice</translation>
    </message>
    <message>
        <source>Does arithmetic.</source>
        <translation>Fait des calculs.</translation>
    </message>
    <message>
        <source>Calculate this?</source>
        <translation>Effectuer ce calcul&#xa0;?</translation>
    </message>
    <message>
        <source>List Folders</source>
        <translation>Lister les dossiers</translation>
    </message>
    <message>
        <source>Lists the files in this chat’s folders.</source>
        <translation>Liste les fichiers des dossiers de cette discussion.</translation>
    </message>
    <message>
        <source>List this folder?</source>
        <translation>Lister ce dossier&#xa0;?</translation>
    </message>
    <message>
        <source>List this chat’s folders?</source>
        <translation>Lister les dossiers de cette discussion&#xa0;?</translation>
    </message>
    <message>
        <source>Read Files</source>
        <translation>Lire des fichiers</translation>
    </message>
    <message>
        <source>Reads text files in this chat’s folders.</source>
        <translation>Lit les fichiers texte des dossiers de cette discussion.</translation>
    </message>
    <message>
        <source>Read this file?</source>
        <translation>Lire ce fichier&#xa0;?</translation>
    </message>
    <message>
        <source>Search Files</source>
        <translation>Rechercher des fichiers</translation>
    </message>
    <message>
        <source>Finds files by name, or by the text in them.</source>
        <translation>Trouve des fichiers par leur nom ou leur contenu.</translation>
    </message>
    <message>
        <source>Search this chat’s folders?</source>
        <translation>Rechercher dans les dossiers de cette discussion&#xa0;?</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Dossier</translation>
    </message>
    <message>
        <source>Write Files</source>
        <translation>Écrire des fichiers</translation>
    </message>
    <message>
        <source>Creates and changes text files. You see every change first.</source>
        <translation>Crée et modifie des fichiers texte. Chaque modification vous est d’abord montrée.</translation>
    </message>
    <message>
        <source>Write this file?</source>
        <translation>Écrire ce fichier&#xa0;?</translation>
    </message>
    <message>
        <source>Web Pages</source>
        <translation>Pages web</translation>
    </message>
    <message>
        <source>Fetches the text of a public web page.</source>
        <translation>Récupère le texte d’une page web publique.</translation>
    </message>
    <message>
        <source>Fetch this page?</source>
        <translation>Récupérer cette page&#xa0;?</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Runs Python code, without network or files.</source>
        <translation>Exécute du code Python, sans réseau ni fichiers.</translation>
    </message>
    <message>
        <source>Run this Python code?</source>
        <translation>Exécuter ce code Python&#xa0;?</translation>
    </message>
    <message>
        <source>“{name}” must be text.</source>
        <translation>«&#xa0;{name}&#xa0;» doit être du texte.</translation>
    </message>
    <message>
        <source>tok/s: tokens (parts of words) per second
first token: time until the reply began
cached: tokens kept from earlier replies, so the model reads only the rest</source>
        <translation>tok/s : tokens (parties de mots) par seconde
premier token : temps jusqu’au début de la réponse
en cache : tokens gardés des réponses précédentes, le modèle ne lit que le reste</translation>
    </message>
    <message>
        <source>Allow Writing in This Folder</source>
        <translation>Autoriser l’écriture dans ce dossier</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Modifier…</translation>
    </message>
    <message>
        <source>Change the arguments of this call  E</source>
        <translation>Modifier les arguments de cet appel  E</translation>
    </message>
    <message>
        <source>Deny All</source>
        <translation>Tout refuser</translation>
    </message>
    <message>
        <source>Let the model continue with the results</source>
        <translation>Laisser le modèle continuer avec les résultats</translation>
    </message>
    <message numerus="yes">
        <source>Allow All</source>
        <comment>Allow All %Ln</comment>
        <translation>
            <numerusform>Tout autoriser (%Ln)</numerusform>
            <numerusform>Tout autoriser (%Ln)</numerusform>
        </translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>Ce qui va se passer</translation>
    </message>
    <message>
        <source>Run this call  Enter</source>
        <translation>Exécuter cet appel  Entrée</translation>
    </message>
    <message>
        <source>Always Allow</source>
        <translation>Toujours autoriser</translation>
    </message>
    <message>
        <source>Run this tool in this chat without asking again  T</source>
        <translation>Exécuter cet outil dans cette discussion sans redemander  T</translation>
    </message>
    <message>
        <source>Always Allow Server</source>
        <translation>Toujours autoriser le serveur</translation>
    </message>
    <message>
        <source>Run every tool of this server in this chat without asking  S</source>
        <translation>Exécuter tous les outils de ce serveur dans cette discussion sans demander  S</translation>
    </message>
    <message>
        <source>Don’t run this call  D</source>
        <translation>Ne pas exécuter cet appel  D</translation>
    </message>
    <message>
        <source>The server asked: {question}
You answered.</source>
        <translation>Le serveur a demandé&#xa0;: {question}
Vous avez répondu.</translation>
    </message>
    <message>
        <source>The server asked: {question}
You didn’t answer.</source>
        <translation>Le serveur a demandé&#xa0;: {question}
Vous n’avez pas répondu.</translation>
    </message>
    <message>
        <source>Use {tool}?</source>
        <translation>Utiliser {tool}&#xa0;?</translation>
    </message>
    <message>
        <source>Use {tool} from {server}?</source>
        <translation>Utiliser {tool} de {server}&#xa0;?</translation>
    </message>
    <message>
        <source>Create this file?</source>
        <translation>Créer ce fichier&#xa0;?</translation>
    </message>
    <message>
        <source>Change this file?</source>
        <translation>Modifier ce fichier&#xa0;?</translation>
    </message>
    <message>
        <source>{tool} · Denied</source>
        <translation>{tool} · Refusé</translation>
    </message>
    <message>
        <source>Allow or deny the tool call to continue.</source>
        <translation>Autorisez ou refusez l’appel d’outil pour continuer.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON: {why}, line {line}.</source>
        <translation>Les arguments ne sont pas du JSON valide&#xa0;: {why}, ligne {line}.</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON.</source>
        <translation>Les arguments ne sont pas du JSON valide.</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, such as { … }.</source>
        <translation>Les arguments doivent être un objet JSON, comme { … }.</translation>
    </message>
    <message>
        <source>The result was too long for this chat and was left out.</source>
        <translation>Le résultat était trop long pour cette discussion et a été omis.</translation>
    </message>
    <message>
        <source>There’s no tool “{name}” in this chat.</source>
        <translation>L’outil «&#xa0;{name}&#xa0;» n’existe pas dans cette discussion.</translation>
    </message>
    <message>
        <source>This call is no longer waiting.</source>
        <translation>Cet appel n’attend plus.</translation>
    </message>
    <message>
        <source>Check the changes, then allow them.</source>
        <translation>Vérifiez les modifications, puis autorisez-les.</translation>
    </message>
    <message>
        <source>The tool failed: {kind}.</source>
        <translation>L’outil a échoué&#xa0;: {kind}.</translation>
    </message>
    <message>
        <source>Previous 7 Days</source>
        <translation>7 derniers jours</translation>
    </message>
    <message>
        <source>Previous 30 Days</source>
        <translation>30 derniers jours</translation>
    </message>
    <message>
        <source>Open Side by Side</source>
        <translation>Ouvrir côte à côte</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Dégrouper</translation>
    </message>
    <message>
        <source>group</source>
        <comment>of chats that were asked together</comment>
        <translation>groupe</translation>
    </message>
    <message numerus="yes">
        <source>Chat closed</source>
        <comment>%n chats closed</comment>
        <translation>
            <numerusform>Discussion fermée</numerusform>
            <numerusform>%n discussions fermées</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to Main Window</source>
        <translation>Placer dans la fenêtre principale</translation>
    </message>
    <message>
        <source>Restore Panes</source>
        <translation>Rétablir les volets</translation>
    </message>
    <message>
        <source>Maximize Pane</source>
        <translation>Maximiser le volet</translation>
    </message>
    <message>
        <source>This pane already fills its window</source>
        <translation>Ce volet occupe déjà toute sa fenêtre</translation>
    </message>
    <message>
        <source>This pane has no other tab</source>
        <translation>Ce volet n’a pas d’autre onglet</translation>
    </message>
    <message>
        <source>There’s no tab to the right</source>
        <translation>Aucun onglet à droite</translation>
    </message>
    <message>
        <source>Close Other Tabs</source>
        <translation>Fermer les autres onglets</translation>
    </message>
    <message>
        <source>Close Tabs to the Right</source>
        <translation>Fermer les onglets à droite</translation>
    </message>
    <message>
        <source>Restore Panes  Shift+Esc</source>
        <translation>Rétablir les volets  Shift+Esc</translation>
    </message>
    <message>
        <source>Scroll bar</source>
        <translation>Barre de défilement</translation>
    </message>
    <message>
        <source>Stretto asks before each call.</source>
        <translation>Stretto demande avant chaque appel.</translation>
    </message>
    <message>
        <source>Always allowed in this chat: {tools}. Stretto asks before other calls.</source>
        <translation>Toujours autorisés dans cette discussion&#xa0;: {tools}. Stretto demande avant les autres appels.</translation>
    </message>
    <message>
        <source>{folder} · read and write</source>
        <translation>{folder} · lecture et écriture</translation>
    </message>
    <message>
        <source>{folder} · read-only</source>
        <translation>{folder} · lecture seule</translation>
    </message>
    <message>
        <source>Make Read-Only</source>
        <translation>Passer en lecture seule</translation>
    </message>
    <message>
        <source>Refresh Tools</source>
        <translation>Actualiser les outils</translation>
    </message>
    <message>
        <source>Load Tools</source>
        <translation>Charger les outils</translation>
    </message>
    <message>
        <source>Enable Tools</source>
        <translation>Activer les outils</translation>
    </message>
    <message>
        <source>The model reads these descriptions</source>
        <translation>Le modèle lit ces descriptions</translation>
    </message>
    <message>
        <source>Offer resources with @ and prompts with /</source>
        <translation>Proposer les ressources avec @ et les prompts avec /</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Connexion…</translation>
    </message>
    <message>
        <source>Tool Servers</source>
        <translation>Serveurs d’outils</translation>
    </message>
    <message>
        <source>Tool servers as JSON</source>
        <translation>Serveurs d’outils en JSON</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importer…</translation>
    </message>
    <message>
        <source>MCP servers, in the JSON format that Claude and LM Studio use.</source>
        <translation>Serveurs MCP, au format JSON qu’utilisent Claude et LM Studio.</translation>
    </message>
    <message>
        <source>Save your changes to the tool servers?</source>
        <translation>Enregistrer les modifications des serveurs d’outils&#xa0;?</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Abandonner</translation>
    </message>
    <message>
        <source>Removed: {servers}</source>
        <translation>Supprimés&#xa0;: {servers}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Enregistré</translation>
    </message>
    <message>
        <source>No other programs with tool servers</source>
        <translation>Aucun autre programme avec des serveurs d’outils</translation>
    </message>
    <message numerus="yes">
        <source>%n server added from {place}</source>
        <comment>%n servers added from {place}</comment>
        <translation>
            <numerusform>%n serveur ajouté depuis {place}</numerusform>
            <numerusform>%n serveurs ajoutés depuis {place}</numerusform>
        </translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>Le journal est vide.</translation>
    </message>
    <message>
        <source>Always Allowed</source>
        <translation>Toujours autorisés</translation>
    </message>
    <message>
        <source>None. Stretto asks before each call.</source>
        <translation>Aucun. Stretto demande avant chaque appel.</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>Tous les outils</translation>
    </message>
    <message>
        <source>{path}: read-only in “{chat}”</source>
        <translation>{path}&#xa0;: lecture seule dans «&#xa0;{chat}&#xa0;»</translation>
    </message>
    <message>
        <source>{path}: read and write in “{chat}”</source>
        <translation>{path}&#xa0;: lecture et écriture dans «&#xa0;{chat}&#xa0;»</translation>
    </message>
    <message>
        <source>You see each change to a file before it is made.</source>
        <translation>Chaque modification d’un fichier vous est montrée avant d’être faite.</translation>
    </message>
    <message>
        <source>Python is unavailable: it needs bubblewrap (bwrap) to run code safely.</source>
        <translation>Python n’est pas disponible&#xa0;: il lui faut bubblewrap (bwrap) pour exécuter du code en sécurité.</translation>
    </message>
    <message>
        <source>Python is unavailable: this system can’t run code safely.</source>
        <translation>Python n’est pas disponible&#xa0;: ce système ne peut pas exécuter du code en sécurité.</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>Inclus</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>Dossier ajouté</translation>
    </message>
    <message>
        <source>Not quantized</source>
        <translation>Non quantifié</translation>
    </message>
    <message>
        <source>Not stated in its configuration</source>
        <translation>Non précisé dans la configuration</translation>
    </message>
    <message>
        <source>According to its template and configuration</source>
        <translation>D’après son gabarit et sa configuration</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>recherche…</translation>
    </message>
    <message>
        <source>Tokens that a prompt and its reply can have together</source>
        <translation>Tokens que peuvent totaliser un prompt et sa réponse</translation>
    </message>
    <message>
        <source>Weights and the KV caches of its chats</source>
        <translation>Poids et caches KV de ses discussions</translation>
    </message>
    <message>
        <source>Capabilities</source>
        <comment>what a model can do</comment>
        <translation>Capacités</translation>
    </message>
    <message>
        <source>Last used</source>
        <comment>when a model was used</comment>
        <translation>Dernier usage</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>Effacer la recherche</translation>
    </message>
    <message>
        <source>Download a model from Hugging Face</source>
        <translation>Télécharger un modèle depuis Hugging Face</translation>
    </message>
    <message>
        <source>No models found</source>
        <translation>Aucun modèle trouvé</translation>
    </message>
    <message>
        <source>{name} unloaded. It loads again when a chat needs it.</source>
        <translation>{name} déchargé. Il sera rechargé quand une discussion en aura besoin.</translation>
    </message>
    <message>
        <source>Choose a smaller model, or one with fewer bits.</source>
        <translation>Choisissez un modèle plus petit ou avec moins de bits.</translation>
    </message>
    <message>
        <source>Recommended for this computer ({gigabytes} GB of memory)</source>
        <translation>Recommandés pour cet ordinateur ({gigabytes} Go de mémoire)</translation>
    </message>
    <message>
        <source>No models found. Try other words.</source>
        <translation>Aucun modèle trouvé. Essayez d’autres mots.</translation>
    </message>
    <message>
        <source>Searching Hugging Face…</source>
        <translation>Recherche sur Hugging Face…</translation>
    </message>
    <message>
        <source>Convert {name} to a smaller copy</source>
        <translation>Convertir {name} en une copie plus petite</translation>
    </message>
    <message>
        <source>The original ({size}) stays. Converting takes a few minutes.</source>
        <translation>L’original ({size}) est conservé. La conversion prend quelques minutes.</translation>
    </message>
    <message>
        <source>Draft Model</source>
        <translation>Modèle d’ébauche</translation>
    </message>
    <message>
        <source>Draft model for {name}</source>
        <translation>Modèle d’ébauche pour {name}</translation>
    </message>
    <message>
        <source>{name}: different tokenizer</source>
        <translation>{name}&#xa0;: autre tokeniseur</translation>
    </message>
    <message>
        <source>No smaller model on this computer has the same tokenizer.</source>
        <translation>Aucun modèle plus petit sur cet ordinateur n’a le même tokeniseur.</translation>
    </message>
    <message>
        <source>The folder no longer exists</source>
        <translation>Le dossier n’existe plus</translation>
    </message>
    <message>
        <source>More for {name}</source>
        <translation>Plus d’actions pour {name}</translation>
    </message>
    <message>
        <source>Keeps it at the top of the list, and in memory</source>
        <translation>Le garde en tête de liste et en mémoire</translation>
    </message>
    <message>
        <source>Makes a smaller copy</source>
        <translation>Crée une copie plus petite</translation>
    </message>
    <message>
        <source>A small model that speeds up its replies</source>
        <translation>Un petit modèle qui accélère ses réponses</translation>
    </message>
    <message>
        <source>New chat with {name}</source>
        <translation>Nouvelle discussion avec {name}</translation>
    </message>
    <message>
        <source>Added as {name} + {adapter}.</source>
        <translation>Ajouté sous {name} + {adapter}.</translation>
    </message>
    <message>
        <source>{name} no longer uses a draft model.</source>
        <translation>{name} n’utilise plus de modèle d’ébauche.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model.</source>
        <translation>{name} utilise {draft} comme modèle d’ébauche.</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model once loaded.</source>
        <translation>{name} utilisera {draft} comme modèle d’ébauche une fois chargé.</translation>
    </message>
    <message>
        <source>Move {name} to the Trash? {warning}</source>
        <translation>Placer {name} dans la corbeille&#xa0;? {warning}</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its files stay.</source>
        <translation>{name} retiré de la liste. Ses fichiers sont conservés.</translation>
    </message>
    <message>
        <source>Moving {name} to the Trash…</source>
        <translation>Placement de {name} dans la corbeille…</translation>
    </message>
    <message>
        <source>Sends only your search to Hugging Face. Downloads only model data, never code.</source>
        <translation>N’envoie que votre recherche à Hugging Face. Ne télécharge que des données de modèle, jamais de code.</translation>
    </message>
    <message>
        <source>Downloads continue after you close this window.</source>
        <translation>Les téléchargements continuent après la fermeture de cette fenêtre.</translation>
    </message>
    <message>
        <source>This model needs a Hugging Face token</source>
        <translation>Ce modèle exige un jeton Hugging Face</translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation>Interrogation de Hugging Face…</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face</source>
        <translation>En attente de Hugging Face</translation>
    </message>
    <message>
        <source>Choose a model or type its name</source>
        <translation>Choisissez un modèle ou saisissez son nom</translation>
    </message>
    <message>
        <source>{name} hasn’t finished downloading</source>
        <translation>Le téléchargement de {name} n’est pas terminé</translation>
    </message>
    <message numerus="yes">
        <source>%n model hasn’t finished downloading</source>
        <comment>%n models haven’t finished downloading</comment>
        <translation>
            <numerusform>Le téléchargement de %n modèle n’est pas terminé</numerusform>
            <numerusform>Le téléchargement de %n modèles n’est pas terminé</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} converted</source>
        <translation>{name} converti</translation>
    </message>
    <message>
        <source>{name} downloaded</source>
        <translation>{name} téléchargé</translation>
    </message>
    <message>
        <source>Remote models</source>
        <translation>Modèles distants</translation>
    </message>
    <message>
        <source>Shows models that suit this computer</source>
        <translation>Affiche les modèles adaptés à cet ordinateur</translation>
    </message>
    <message>
        <source>Chat with SmolLM2</source>
        <translation>Discuter avec SmolLM2</translation>
    </message>
    <message>
        <source>Try Stretto with the Guide</source>
        <translation>Essayez Stretto avec le Guide</translation>
    </message>
    <message>
        <source>Runs on this computer. Your messages stay here.</source>
        <translation>S’exécute sur cet ordinateur. Vos messages restent ici.</translation>
    </message>
    <message>
        <source>A tiny built-in model that knows Stretto. For anything else, get a model.</source>
        <translation>Un tout petit modèle intégré qui connaît Stretto. Pour tout le reste, obtenez un modèle.</translation>
    </message>
    <message>
        <source>It speaks English only.</source>
        <translation>Il ne parle qu’anglais.</translation>
    </message>
    <message>
        <source>Your chats are in other windows</source>
        <translation>Vos discussions sont dans d’autres fenêtres</translation>
    </message>
    <message>
        <source>Drag a tab here, or start a new chat.</source>
        <translation>Faites glisser un onglet ici ou commencez une nouvelle discussion.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one. {keys} reopens the last one.</source>
        <translation>Choisissez une discussion dans la barre latérale ou commencez-en une. {keys} rouvre la dernière.</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one.</source>
        <translation>Choisissez une discussion dans la barre latérale ou commencez-en une.</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>cet ordinateur</translation>
    </message>
    <message>
        <source>No reply from {host} for {time}</source>
        <translation>Aucune réponse de {host} depuis {time}</translation>
    </message>
    <message>
        <source>The reply is on its way.</source>
        <translation>La réponse arrive.</translation>
    </message>
    <message>
        <source>{title}, replying</source>
        <translation>{title}, répond</translation>
    </message>
    <message>
        <source>{title}, unread</source>
        <translation>{title}, non lue</translation>
    </message>
    <message>
        <source>New Chat  Ctrl+N</source>
        <translation>Nouvelle discussion  Ctrl+N</translation>
    </message>
    <message>
        <source>Split Right  Ctrl+\</source>
        <translation>Diviser à droite  Ctrl+\</translation>
    </message>
    <message>
        <source>Split Down  Ctrl+Shift+\</source>
        <translation>Diviser vers le bas  Ctrl+Shift+\</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>non lue</translation>
    </message>
    <message>
        <source>End of reasoning</source>
        <translation>Fin du raisonnement</translation>
    </message>
    <message>
        <source>the file can’t be created</source>
        <translation>le fichier ne peut pas être créé</translation>
    </message>
    <message>
        <source>The model is still replying. Stop the reply or wait until it has ended.</source>
        <translation>Le modèle répond encore. Arrêtez la réponse ou attendez qu’elle se termine.</translation>
    </message>
    <message>
        <source>The model isn’t replying.</source>
        <translation>Le modèle n’est pas en train de répondre.</translation>
    </message>
    <message>
        <source>This message is no longer in the chat.</source>
        <translation>Ce message n’est plus dans la discussion.</translation>
    </message>
    <message>
        <source>Stopped because it repeated itself</source>
        <comment>a reply</comment>
        <translation>Arrêtée car elle se répétait</translation>
    </message>
    <message>
        <source>The server didn’t say if it’s complete</source>
        <comment>a reply</comment>
        <translation>Le serveur n’a pas indiqué si elle est complète</translation>
    </message>
    <message>
        <source>The message before it is deleted too. Restore that one first.</source>
        <translation>Le message précédent est aussi supprimé. Restaurez-le d’abord.</translation>
    </message>
    <message>
        <source>You haven’t sent a message yet.</source>
        <translation>Vous n’avez encore envoyé aucun message.</translation>
    </message>
    <message>
        <source>There’s no message to reply to yet.</source>
        <translation>Il n’y a pas encore de message appelant une réponse.</translation>
    </message>
    <message>
        <source>There’s no reply yet.</source>
        <translation>Il n’y a pas encore de réponse.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Attach less of it, or remove it.</source>
        <translation>«&#xa0;{file}&#xa0;» est trop long pour ce modèle. Joignez-en moins ou retirez-le.</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>Écrivez d’abord un message.</translation>
    </message>
    <message>
        <source>The reply is stopping.</source>
        <translation>La réponse s’arrête.</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>Le modèle est encore en cours de chargement.</translation>
    </message>
    <message>
        <source>There is nothing to continue.</source>
        <translation>Il n’y a rien à continuer.</translation>
    </message>
    <message>
        <source>Send a message first. The chat is named after it.</source>
        <translation>Envoyez d’abord un message. La discussion en tire son titre.</translation>
    </message>
    <message>
        <source>This reply has no message before it.</source>
        <translation>Aucun message ne précède cette réponse.</translation>
    </message>
    <message>
        <source>This isn’t a reply.</source>
        <translation>Ce n’est pas une réponse.</translation>
    </message>
    <message>
        <source>The seed of this reply is unknown</source>
        <translation>La graine de cette réponse est inconnue</translation>
    </message>
    <message>
        <source>Only the last reply can be continued.</source>
        <translation>Seule la dernière réponse peut être continuée.</translation>
    </message>
    <message>
        <source>There’s nothing to continue. Regenerate the reply instead.</source>
        <translation>Il n’y a rien à continuer. Régénérez plutôt la réponse.</translation>
    </message>
    <message>
        <source>{host} can’t continue a reply that was cut off. Regenerate it.</source>
        <translation>{host} ne peut pas continuer une réponse interrompue. Régénérez-la.</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>La réponse est complète.</translation>
    </message>
    <message>
        <source>This reply didn’t fail because of its length.</source>
        <translation>Cette réponse n’a pas échoué à cause de sa longueur.</translation>
    </message>
    <message>
        <source>What fits is unknown. Shorten the message or start a new chat.</source>
        <translation>La longueur admise est inconnue. Raccourcissez le message ou commencez une nouvelle discussion.</translation>
    </message>
    <message>
        <source>The chat doesn’t fit without its oldest messages either. Shorten the message.</source>
        <translation>La discussion ne tient pas, même sans ses messages les plus anciens. Raccourcissez le message.</translation>
    </message>
    <message>
        <source>There are no older messages to leave out. Shorten the message.</source>
        <translation>Il n’y a pas de messages plus anciens à omettre. Raccourcissez le message.</translation>
    </message>
    <message>
        <source>This reply isn’t finished yet.</source>
        <translation>Cette réponse n’est pas encore terminée.</translation>
    </message>
    <message>
        <source>“{part}” isn’t a number. Enter numbers such as 1-3, 7.</source>
        <translation>«&#xa0;{part}&#xa0;» n’est pas un nombre. Saisissez des nombres comme 1-3, 7.</translation>
    </message>
    <message>
        <source>Enter numbers from 1 to {last}.</source>
        <translation>Saisissez des nombres de 1 à {last}.</translation>
    </message>
    <message>
        <source>Enter numbers such as 1-3, 7.</source>
        <translation>Saisissez des nombres comme 1-3, 7.</translation>
    </message>
    <message numerus="yes">
        <source>Attach at most %n file. Send the others in another message.</source>
        <comment>Attach at most %n files. Send the others in another message.</comment>
        <translation>
            <numerusform>Joignez au plus %n fichier. Envoyez les autres dans un autre message.</numerusform>
            <numerusform>Joignez au plus %n fichiers. Envoyez les autres dans un autre message.</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” is a folder. Attach the files in it instead.</source>
        <translation>«&#xa0;{name}&#xa0;» est un dossier. Joignez plutôt les fichiers qu’il contient.</translation>
    </message>
    <message>
        <source>“{name}” is already attached.</source>
        <translation>«&#xa0;{name}&#xa0;» est déjà joint.</translation>
    </message>
    <message>
        <source>relevant passages</source>
        <translation>passages pertinents</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token too long for this model.</source>
        <comment>%Ln tokens too long for this model.</comment>
        <translation>
            <numerusform>%Ln token de trop pour ce modèle.</numerusform>
            <numerusform>%Ln tokens de trop pour ce modèle.</numerusform>
        </translation>
    </message>
    <message>
        <source>The oldest messages are left out.</source>
        <translation>Les messages les plus anciens sont omis.</translation>
    </message>
    <message>
        <source>“{file}” couldn’t be saved: {why}.</source>
        <translation>«&#xa0;{file}&#xa0;» n’a pas pu être enregistré&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>The chat no longer exists.</source>
        <translation>La discussion n’existe plus.</translation>
    </message>
    <message>
        <source>The reply format can’t be used. {wrong} Change it in the chat’s settings.</source>
        <translation>Le format de réponse ne peut pas être utilisé. {wrong} Modifiez-le dans les réglages de la discussion.</translation>
    </message>
    <message>
        <source>A schema is a JSON object: { … }.</source>
        <translation>Un schéma est un objet JSON&#xa0;: { … }.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character. The limit is {most}.</source>
        <comment>%Ln characters. The limit is {most}.</comment>
        <translation>
            <numerusform>%Ln caractère. La limite est de {most}.</numerusform>
            <numerusform>%Ln caractères. La limite est de {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} isn’t a number in JSON.</source>
        <translation>{name} n’est pas un nombre en JSON.</translation>
    </message>
    <message>
        <source>it couldn’t be read</source>
        <translation>lecture impossible</translation>
    </message>
    <message>
        <source>{file}: a text in it is too long. Everything before it was read.</source>
        <translation>{file}&#xa0;: un texte est trop long. Tout ce qui précède a été lu.</translation>
    </message>
    <message>
        <source>{file}: no chats in this archive.</source>
        <translation>{file}&#xa0;: aucune discussion dans cette archive.</translation>
    </message>
    <message>
        <source>{file}: protected by a password.</source>
        <translation>{file}&#xa0;: protégé par un mot de passe.</translation>
    </message>
    <message>
        <source>{file}: damaged or not JSON.</source>
        <translation>{file}&#xa0;: endommagé, ou autre chose que du JSON.</translation>
    </message>
    <message>
        <source>{file}: damaged after chat {number}. Everything before it was read.</source>
        <translation>{file}&#xa0;: endommagé après la discussion {number}. Tout ce qui précède a été lu.</translation>
    </message>
    <message>
        <source>{file}: nested too deeply. Everything before it was read.</source>
        <translation>{file}&#xa0;: imbrication trop profonde. Tout ce qui précède a été lu.</translation>
    </message>
    <message>
        <source>More items couldn’t be read.</source>
        <translation>D’autres éléments n’ont pas pu être lus.</translation>
    </message>
    <message>
        <source>No chats imported.</source>
        <translation>Aucune discussion importée.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported from {programs}, with {messages}.</source>
        <comment>%Ln chats imported from {programs}, with {messages}.</comment>
        <translation>
            <numerusform>%Ln discussion importée depuis {programs}, avec {messages}.</numerusform>
            <numerusform>%Ln discussions importées depuis {programs}, avec {messages}.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped.</source>
        <translation>L’importation a été arrêtée.</translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists and wasn’t changed.</source>
        <comment>{count} chats already exist and weren’t changed.</comment>
        <translation>
            <numerusform>{count} discussion existe déjà et n’a pas été modifiée.</numerusform>
            <numerusform>{count} discussions existent déjà et n’ont pas été modifiées.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists in the Trash and wasn’t changed.</source>
        <comment>{count} chats already exist ({trashed} in the Trash) and weren’t changed.</comment>
        <translation>
            <numerusform>{count} discussion existe déjà dans la corbeille et n’a pas été modifiée.</numerusform>
            <numerusform>{count} discussions existent déjà ({trashed} dans la corbeille) et n’ont pas été modifiées.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln attachment.</source>
        <comment>Not imported: %Ln attachments.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln pièce jointe.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln pièces jointes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln image.</source>
        <comment>Not imported: %Ln images.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln image.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln images.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln recording or video.</source>
        <comment>Not imported: %Ln recordings and videos.</comment>
        <translation>
            <numerusform>Non importé&#xa0;: %Ln enregistrement ou vidéo.</numerusform>
            <numerusform>Non importés&#xa0;: %Ln enregistrements et vidéos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln tool call or result.</source>
        <comment>Not imported: %Ln tool calls and results.</comment>
        <translation>
            <numerusform>Non importé&#xa0;: %Ln appel d’outil ou résultat.</numerusform>
            <numerusform>Non importés&#xa0;: %Ln appels d’outils et résultats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln citation without an address.</source>
        <comment>Not imported: %Ln citations without an address.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln citation sans adresse.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln citations sans adresse.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln change to a canvas or artifact.</source>
        <comment>Not imported: %Ln changes to a canvas or artifact.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln modification d’un canevas ou d’un artefact.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln modifications d’un canevas ou d’un artefact.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: custom instructions of %Ln chat.</source>
        <comment>Not imported: custom instructions of %Ln chats.</comment>
        <translation>
            <numerusform>Non importées&#xa0;: instructions personnalisées de %Ln discussion.</numerusform>
            <numerusform>Non importées&#xa0;: instructions personnalisées de %Ln discussions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln empty chat.</source>
        <comment>Not imported: %Ln empty chats.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln discussion vide.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln discussions vides.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln instruction within a chat.</source>
        <comment>Not imported: %Ln instructions within a chat.</comment>
        <translation>
            <numerusform>Non importée&#xa0;: %Ln instruction au milieu d’une discussion.</numerusform>
            <numerusform>Non importées&#xa0;: %Ln instructions au milieu de discussions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln item of type “{kind}”.</source>
        <comment>Not imported: %Ln items of type “{kind}”.</comment>
        <translation>
            <numerusform>Non importé&#xa0;: %Ln élément de type «&#xa0;{kind}&#xa0;».</numerusform>
            <numerusform>Non importés&#xa0;: %Ln éléments de type «&#xa0;{kind}&#xa0;».</numerusform>
        </translation>
    </message>
    <message>
        <source>The model called a tool instead of replying, but this chat has no tools.</source>
        <translation>Le modèle a appelé un outil au lieu de répondre, mais cette discussion n’a pas d’outils.</translation>
    </message>
    <message>
        <source>The model’s tool call couldn’t be read.</source>
        <translation>L’appel d’outil du modèle est illisible.</translation>
    </message>
    <message>
        <source>{where}: can’t be saved.</source>
        <translation>{where}&#xa0;: enregistrement impossible.</translation>
    </message>
    <message>
        <source>{file}, chat {number}</source>
        <translation>{file}, discussion {number}</translation>
    </message>
    <message>
        <source>{where}: too long.</source>
        <translation>{where}&#xa0;: trop long.</translation>
    </message>
    <message>
        <source>{where}: not a chat.</source>
        <translation>{where}&#xa0;: ce n’est pas une discussion.</translation>
    </message>
    <message>
        <source>{where}: damaged ({why}).</source>
        <translation>{where}&#xa0;: endommagé ({why}).</translation>
    </message>
    <message>
        <source>{where}: unknown format.</source>
        <translation>{where}&#xa0;: format inconnu.</translation>
    </message>
    <message>
        <source>{file}: saved by a newer version of Stretto.</source>
        <translation>{file}&#xa0;: enregistré par une version plus récente de Stretto.</translation>
    </message>
    <message>
        <source>{server} no longer has the tool “{tool}”.</source>
        <translation>{server} ne propose plus l’outil «&#xa0;{tool}&#xa0;».</translation>
    </message>
    <message>
        <source>{server} has changed this tool. Refresh its tools first.</source>
        <translation>{server} a modifié cet outil. Actualisez d’abord ses outils.</translation>
    </message>
    <message>
        <source>No response within {seconds} s. The call was stopped.</source>
        <translation>Aucune réponse en {seconds}&#xa0;s. L’appel a été arrêté.</translation>
    </message>
    <message>
        <source>{server} quit during the call.</source>
        <translation>{server} a quitté pendant l’appel.</translation>
    </message>
    <message>
        <source>Before this call, {server} wants you to visit {pages}</source>
        <translation>Avant cet appel, {server} vous demande de visiter {pages}</translation>
    </message>
    <message>
        <source>{server} didn’t respond: {why}</source>
        <translation>{server} n’a pas répondu&#xa0;: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t respond within {seconds} s.</source>
        <translation>{server} n’a pas répondu en {seconds}&#xa0;s.</translation>
    </message>
    <message>
        <source>{server} has quit.</source>
        <translation>{server} a quitté.</translation>
    </message>
    <message>
        <source>{why} It restarts in {seconds} s.</source>
        <translation>{why} Redémarrage dans {seconds}&#xa0;s.</translation>
    </message>
    <message>
        <source>{server} didn’t list its tools in time.</source>
        <translation>{server} n’a pas indiqué ses outils à temps.</translation>
    </message>
    <message>
        <source>{server} couldn’t list its tools: {why}</source>
        <translation>{server} n’a pas pu indiquer ses outils&#xa0;: {why}</translation>
    </message>
    <message>
        <source>The list of servers is larger than 1 MB.</source>
        <translation>La liste de serveurs dépasse 1&#xa0;Mo.</translation>
    </message>
    <message>
        <source>it isn’t UTF-8 text</source>
        <translation>ce n’est pas du texte UTF-8</translation>
    </message>
    <message>
        <source>The tool servers couldn’t be saved: {why}.</source>
        <translation>Les serveurs d’outils n’ont pas pu être enregistrés&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>This JSON isn’t a list of servers.</source>
        <translation>Ce JSON n’est pas une liste de serveurs.</translation>
    </message>
    <message>
        <source>This isn’t a list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation>Ce n’est pas une liste de serveurs. Elle commence par {&quot;mcpServers&quot;: …}.</translation>
    </message>
    <message>
        <source>the name must have 1 to 60 visible characters</source>
        <translation>le nom doit compter de 1 à 60 caractères visibles</translation>
    </message>
    <message>
        <source>the name can’t contain “/” or be “{name}”</source>
        <translation>le nom ne peut pas contenir «&#xa0;/&#xa0;» ni être «&#xa0;{name}&#xa0;»</translation>
    </message>
    <message>
        <source>the entry isn’t an object</source>
        <translation>l’entrée n’est pas un objet</translation>
    </message>
    <message>
        <source>timeout must be a number of seconds</source>
        <translation>timeout doit être un nombre de secondes</translation>
    </message>
    <message>
        <source>“sse” servers aren’t supported; use the “http” address</source>
        <translation>les serveurs «&#xa0;sse&#xa0;» ne sont pas pris en charge&#xa0;; utilisez l’adresse «&#xa0;http&#xa0;»</translation>
    </message>
    <message>
        <source>url must begin with https:// or http://</source>
        <translation>url doit commencer par https:// ou http://</translation>
    </message>
    <message>
        <source>the entry has no command and no url</source>
        <translation>l’entrée n’a ni command ni url</translation>
    </message>
    <message>
        <source>args must be a list of strings</source>
        <translation>args doit être une liste de chaînes</translation>
    </message>
    <message>
        <source>the command contains a null character</source>
        <translation>la commande contient un caractère nul</translation>
    </message>
    <message>
        <source>cwd must be a folder</source>
        <translation>cwd doit être un dossier</translation>
    </message>
    <message>
        <source>{what} must be an object of strings</source>
        <translation>{what} doit être un objet de chaînes</translation>
    </message>
    <message>
        <source>{what} contains a name or value that isn’t valid</source>
        <translation>{what} contient un nom ou une valeur non valide</translation>
    </message>
    <message>
        <source>not an email address.</source>
        <translation>ce n’est pas une adresse e-mail.</translation>
    </message>
    <message>
        <source>not an address such as https://example.org.</source>
        <translation>ce n’est pas une adresse comme https://example.org.</translation>
    </message>
    <message>
        <source>enter the date as 2026-05-31.</source>
        <translation>saisissez la date sous la forme 2026-05-31.</translation>
    </message>
    <message>
        <source>enter date and time as 2026-05-31T14:30:00Z.</source>
        <translation>saisissez la date et l’heure sous la forme 2026-05-31T14:30:00Z.</translation>
    </message>
    <message>
        <source>{field} is required.</source>
        <translation>{field} est obligatoire.</translation>
    </message>
    <message>
        <source>{server} asked with a form that isn’t valid.</source>
        <translation>{server} a envoyé un formulaire non valide.</translation>
    </message>
    <message>
        <source>{server} asked for more than {most} values at once.</source>
        <translation>{server} a demandé plus de {most} valeurs à la fois.</translation>
    </message>
    <message>
        <source>{server} asked to open something that isn’t a web address.</source>
        <translation>{server} a demandé d’ouvrir ce qui n’est pas une adresse web.</translation>
    </message>
    <message>
        <source>Your answer goes to {server}, not to the model. Never enter passwords, keys, or card numbers.</source>
        <translation>Votre réponse va à {server}, pas au modèle. Ne saisissez jamais de mots de passe, de clés ni de numéros de carte.</translation>
    </message>
    <message>
        <source>Open in Browser</source>
        <translation>Ouvrir dans le navigateur</translation>
    </message>
    <message>
        <source>Open this address and let the server know</source>
        <translation>Ouvrir cette adresse et en informer le serveur</translation>
    </message>
    <message>
        <source>Send your answers to the server  Enter</source>
        <translation>Envoyer vos réponses au serveur  Entrée</translation>
    </message>
    <message>
        <source>Decline to answer  D</source>
        <translation>Refuser de répondre  D</translation>
    </message>
    <message>
        <source>Dismiss the question  Esc</source>
        <translation>Ignorer la question  Échap</translation>
    </message>
    <message>
        <source>Enter an address, such as https://example.org/v1.</source>
        <translation>Saisissez une adresse, comme https://example.org/v1.</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>Saisissez la clé dans son champ, pas dans l’adresse.</translation>
    </message>
    <message>
        <source>The address has no host. Enter it as https://example.org/v1.</source>
        <translation>L’adresse n’a pas d’hôte. Saisissez-la sous la forme https://example.org/v1.</translation>
    </message>
    <message>
        <source>{host} needs a key, or rejects this one. Add the model again with its key.</source>
        <translation>{host} exige une clé ou refuse celle-ci. Ajoutez à nouveau le modèle avec sa clé.</translation>
    </message>
    <message>
        <source>{host} needs payment for this. Add credit there, or choose another model.</source>
        <translation>{host} demande un paiement pour cela. Ajoutez-y du crédit ou choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>{host} has no model named “{model}”. Choose another, or check whether it was renamed.</source>
        <translation>{host} n’a pas de modèle nommé «&#xa0;{model}&#xa0;». Choisissez-en un autre ou vérifiez s’il a été renommé.</translation>
    </message>
    <message>
        <source>{host} is getting too many requests.</source>
        <translation>{host} reçoit trop de requêtes.</translation>
    </message>
    <message>
        <source>{host} couldn’t reply (status {status}). Try again later.</source>
        <translation>{host} n’a pas pu répondre (état {status}). Réessayez plus tard.</translation>
    </message>
    <message>
        <source>{host} rejects this request (status {status}). It may not support one of the chat’s settings.</source>
        <translation>{host} refuse cette requête (état {status}). Il ne prend peut-être pas en charge un réglage de la discussion.</translation>
    </message>
    <message>
        <source>{host} sent no valid reply (status {status}). Check the address.</source>
        <translation>{host} n’a pas envoyé de réponse valide (état {status}). Vérifiez l’adresse.</translation>
    </message>
    <message>
        <source>{host} redirects requests. Check the address.</source>
        <translation>{host} redirige les requêtes. Vérifiez l’adresse.</translation>
    </message>
    <message>
        <source>{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, add the model with it.</source>
        <translation>{host} redirige les requêtes vers {place}, ce que Stretto ne suit pas. Si cette adresse est la bonne, ajoutez le modèle avec elle.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Réessayez plus tard.</translation>
    </message>
    <message>
        <source>{host} ended the reply before it began. Try again, or check the server.</source>
        <translation>{host} a terminé la réponse avant qu’elle ne commence. Réessayez ou vérifiez le serveur.</translation>
    </message>
    <message>
        <source>{host} sent too much and was stopped. The reply so far is kept.</source>
        <translation>{host} a envoyé trop de données et a été arrêté. La réponse reçue est conservée.</translation>
    </message>
    <message>
        <source>{host} doesn’t respond. Try again, or check the server.</source>
        <translation>{host} ne répond pas. Réessayez ou vérifiez le serveur.</translation>
    </message>
    <message>
        <source>The reply from {host} couldn’t be read.</source>
        <translation>La réponse de {host} est illisible.</translation>
    </message>
    <message>
        <source>“{name}” isn’t a remote model. Choose another model.</source>
        <translation>«&#xa0;{name}&#xa0;» n’est pas un modèle distant. Choisissez-en un autre.</translation>
    </message>
    <message>
        <source>{model} at {host} is no longer in your models, so nothing was sent. Add it again, or choose another model.</source>
        <translation>{model} sur {host} n’est plus dans vos modèles&#xa0;: rien n’a été envoyé. Ajoutez-le à nouveau ou choisissez-en un autre.</translation>
    </message>
    <message>
        <source>It quit without a message.</source>
        <translation>Il a quitté sans message.</translation>
    </message>
    <message>
        <source>{host} has withheld the rest of this reply.</source>
        <translation>{host} a retenu la suite de cette réponse.</translation>
    </message>
    <message>
        <source>Stretto is quitting.</source>
        <translation>Stretto est en train de quitter.</translation>
    </message>
    <message>
        <source>The server “{server}” was removed or is off.</source>
        <translation>Le serveur «&#xa0;{server}&#xa0;» a été supprimé ou est désactivé.</translation>
    </message>
    <message>
        <source>The server “{server}” was changed. Try again.</source>
        <translation>Le serveur «&#xa0;{server}&#xa0;» a été modifié. Réessayez.</translation>
    </message>
    <message>
        <source>“{name}” isn’t text.</source>
        <translation>«&#xa0;{name}&#xa0;» n’est pas du texte.</translation>
    </message>
    <message>
        <source>“{name}” has {size} characters. The limit is {most}.</source>
        <translation>«&#xa0;{name}&#xa0;» compte {size} caractères. La limite est de {most}.</translation>
    </message>
    <message>
        <source>Add a folder to this chat</source>
        <translation>Ajouter un dossier à cette discussion</translation>
    </message>
    <message>
        <source>The page didn’t arrive within {seconds} s.</source>
        <translation>La page n’est pas arrivée en {seconds}&#xa0;s.</translation>
    </message>
    <message>
        <source>The page is too large.</source>
        <translation>La page est trop volumineuse.</translation>
    </message>
    <message>
        <source>{url} couldn’t be fetched: {why}.</source>
        <translation>Impossible de récupérer {url}&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>There were more than {most} redirects.</source>
        <translation>Il y a eu plus de {most} redirections.</translation>
    </message>
    <message>
        <source>An address has at most {most} characters.</source>
        <translation>Une adresse compte au plus {most} caractères.</translation>
    </message>
    <message>
        <source>This isn’t an address.</source>
        <translation>Ce n’est pas une adresse.</translation>
    </message>
    <message>
        <source>The address must begin with http:// or https://.</source>
        <translation>Seules les adresses commençant par http:// ou https:// sont récupérées.</translation>
    </message>
    <message>
        <source>The address can’t contain a name and password.</source>
        <translation>Les adresses contenant un nom et un mot de passe ne sont pas récupérées.</translation>
    </message>
    <message>
        <source>There’s no server {host}.</source>
        <translation>Le serveur {host} n’existe pas.</translation>
    </message>
    <message>
        <source>{host} isn’t on the public internet.</source>
        <translation>{host} n’est pas sur l’internet public.</translation>
    </message>
    <message>
        <source>The server replied with status {status}.</source>
        <translation>Le serveur a répondu avec l’état {status}.</translation>
    </message>
    <message>
        <source>Stretto only fetches text, and this is {kind}.</source>
        <translation>Seul du texte peut être récupéré&#xa0;; cette page est de type {kind}.</translation>
    </message>
    <message>
        <source>Blind comparison</source>
        <translation>Comparaison à l’aveugle</translation>
    </message>
    <message>
        <source>Compare by</source>
        <translation>Comparer par</translation>
    </message>
    <message>
        <source>Show Differences</source>
        <translation>Afficher les différences</translation>
    </message>
    <message>
        <source>Scroll Compared Replies Together</source>
        <translation>Faire défiler ensemble les réponses comparées</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtrer</translation>
    </message>
    <message>
        <source>Filter  Alt+Down</source>
        <translation>Filtrer  Alt+Down</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Étiquette</translation>
    </message>
    <message>
        <source>From Me</source>
        <translation>De moi</translation>
    </message>
    <message>
        <source>From the Model</source>
        <translation>Du modèle</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archivées</translation>
    </message>
    <message>
        <source>Collapsed sidebar</source>
        <translation>Barre latérale réduite</translation>
    </message>
    <message>
        <source>Show Sidebar  Ctrl+B</source>
        <translation>Afficher la barre latérale  Ctrl+B</translation>
    </message>
    <message>
        <source>Hide Sidebar  Ctrl+B</source>
        <translation>Masquer la barre latérale  Ctrl+B</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>Réduire</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Développer</translation>
    </message>
    <message>
        <source>Open to the Side</source>
        <translation>Ouvrir à côté</translation>
    </message>
    <message numerus="yes">
        <source>Move {count} Chat to Trash</source>
        <comment>Move {count} Chats to Trash</comment>
        <translation>
            <numerusform>Placer {count} discussion dans la corbeille</numerusform>
            <numerusform>Placer {count} discussions dans la corbeille</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unpinned</source>
        <comment>{count} chats unpinned</comment>
        <translation>
            <numerusform>Discussion désépinglée</numerusform>
            <numerusform>{count} discussions désépinglées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat archived</source>
        <comment>{count} chats archived</comment>
        <translation>
            <numerusform>Discussion archivée</numerusform>
            <numerusform>{count} discussions archivées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unarchived</source>
        <comment>{count} chats unarchived</comment>
        <translation>
            <numerusform>Discussion désarchivée</numerusform>
            <numerusform>{count} discussions désarchivées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat removed from its folder</source>
        <comment>{count} chats removed from their folders</comment>
        <translation>
            <numerusform>Discussion retirée de son dossier</numerusform>
            <numerusform>{count} discussions retirées de leurs dossiers</numerusform>
        </translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Créer</translation>
    </message>
    <message>
        <source>Folder “{name}” deleted. Its chats are kept.</source>
        <translation>Dossier «&#xa0;{name}&#xa0;» supprimé. Ses discussions sont conservées.</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>Désarchiver</translation>
    </message>
    <message>
        <source>Remove from Folder</source>
        <translation>Retirer du dossier</translation>
    </message>
    <message>
        <source>New Subfolder…</source>
        <translation>Nouveau sous-dossier…</translation>
    </message>
    <message>
        <source>Move to Top Level</source>
        <translation>Placer au premier niveau</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Résultats</translation>
    </message>
    <message>
        <source>No chats yet</source>
        <translation>Aucune discussion</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>Reply so far</source>
        <translation>Réponse jusqu’ici</translation>
    </message>
    <message>
        <source>This reply has ended.</source>
        <translation>Cette réponse est terminée.</translation>
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
        <translation>aucun</translation>
    </message>
    <message>
        <source>Local API at {address}</source>
        <translation>API locale à {address}</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>développé</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>réduit</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archivée</translation>
    </message>
    <message>
        <source>Ungrouped</source>
        <translation>Dégroupées</translation>
    </message>
    <message>
        <source>Reply {letter}</source>
        <translation>Réponse {letter}</translation>
    </message>
    <message>
        <source>{reply} was {what}</source>
        <comment>Reply A was Seed 1</comment>
        <translation>{reply} était {what}</translation>
    </message>
    <message>
        <source>Chat moved to Trash</source>
        <translation>Discussion placée dans la corbeille</translation>
    </message>
    <message>
        <source>Move Chat to Trash</source>
        <translation>Placer la discussion dans la corbeille</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat moved to Trash</source>
        <comment>%Ln chats moved to Trash</comment>
        <translation>
            <numerusform>%Ln discussion placée dans la corbeille</numerusform>
            <numerusform>%Ln discussions placées dans la corbeille</numerusform>
        </translation>
    </message>
    <message>
        <source>This change came after the chats were closed and isn’t saved.</source>
        <translation>Cette modification est arrivée après la fermeture des discussions et n’est pas enregistrée.</translation>
    </message>
    <message>
        <source>Saving is taking longer than expected.</source>
        <translation>L’enregistrement prend plus de temps que prévu.</translation>
    </message>
    <message>
        <source>The disk didn’t respond in time.</source>
        <translation>Le disque n’a pas répondu à temps.</translation>
    </message>
    <message>
        <source>Not enough memory right now.</source>
        <translation>Pas assez de mémoire pour le moment.</translation>
    </message>
    <message>
        <source>The chat no longer fits the model’s context.</source>
        <translation>La discussion ne tient plus dans le contexte du modèle.</translation>
    </message>
    <message>
        <source>The model couldn’t reply.</source>
        <translation>Le modèle n’a pas pu répondre.</translation>
    </message>
    <message>
        <source>The model can’t process this request.</source>
        <translation>Le modèle ne peut pas traiter cette demande.</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>Mémoire insuffisante.</translation>
    </message>
    <message>
        <source>The model is still replying in this chat.</source>
        <translation>Le modèle répond encore dans cette discussion.</translation>
    </message>
    <message>
        <source>The model’s chat template doesn’t accept these messages.</source>
        <translation>Le gabarit de discussion du modèle n’accepte pas ces messages.</translation>
    </message>
    <message>
        <source>The model is no longer loaded.</source>
        <translation>Le modèle n’est plus chargé.</translation>
    </message>
    <message>
        <source>This model can’t keep the chat separate from the others.</source>
        <translation>Ce modèle ne peut pas séparer cette discussion des autres.</translation>
    </message>
    <message>
        <source>It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and {working} of working memory. {free} is free.</source>
        <translation>Il faut {total}&#xa0;: {weights} pour les poids, {caches} pour {chats} de {context} tokens et {working} de mémoire de travail. {free} sont libres.</translation>
    </message>
    <message>
        <source>Your last changes before the crash may be missing. The damaged journal is kept as {file}.</source>
        <translation>Vos dernières modifications avant le plantage manquent peut-être. Le journal endommagé est conservé sous {file}.</translation>
    </message>
    <message>
        <source>Stretto started without chats. Your earlier chats are kept as {file}.</source>
        <translation>Stretto a démarré sans discussions. Vos discussions précédentes sont conservées sous {file}.</translation>
    </message>
    <message>
        <source>Recovered {messages} in {chats}. The damaged file is kept as {file}.</source>
        <translation>Récupéré&#xa0;: {messages} dans {chats}. Le fichier endommagé est conservé sous {file}.</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>Sauvegarde restaurée.</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats are kept as {file}.</source>
        <translation>Sauvegarde restaurée. Vos discussions précédentes sont conservées sous {file}.</translation>
    </message>
    <message>
        <source>Failed ({kind}). See the log.</source>
        <translation>Échec ({kind}). Consultez le journal.</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <comment>a reply</comment>
        <translation>Limite de longueur atteinte</translation>
    </message>
    <message>
        <source>Memory full</source>
        <comment>a reply</comment>
        <translation>Mémoire pleine</translation>
    </message>
    <message>
        <source>Paste a JSON schema.</source>
        <translation>Collez un schéma JSON.</translation>
    </message>
    <message>
        <source>Second reading ({letters})</source>
        <translation>Seconde lecture ({letters})</translation>
    </message>
    <message>
        <source>First reading ({letters})</source>
        <translation>Première lecture ({letters})</translation>
    </message>
    <message>
        <source>The judge preferred {letter} in both readings.</source>
        <translation>Le juge a préféré {letter} aux deux lectures.</translation>
    </message>
    <message>
        <source>The judge changed its mind, so no reply won: {first} in the first reading, {second} in the second.</source>
        <translation>Le juge a changé d’avis, donc aucune réponse ne l’emporte&#xa0;: {first} à la première lecture, {second} à la seconde.</translation>
    </message>
    <message>
        <source>The judge didn’t name the same best reply in both readings.</source>
        <translation>Le juge n’a pas désigné la même meilleure réponse aux deux lectures.</translation>
    </message>
    <message>
        <source>The model hasn’t replied to the tool results.</source>
        <translation>Le modèle n’a pas répondu aux résultats des outils.</translation>
    </message>
    <message>
        <source>Interrupts the reply when “{file}” is ready. Esc cancels.</source>
        <translation>Interrompra la réponse quand «&#xa0;{file}&#xa0;» sera prêt. Échap annule.</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Press “{link}” or remove the file.</source>
        <translation>«&#xa0;{file}&#xa0;» est trop long pour ce modèle. Cliquez sur «&#xa0;{link}&#xa0;» ou retirez le fichier.</translation>
    </message>
    <message>
        <source>8 bits: practically identical to the original</source>
        <translation>8 bits&#xa0;: pratiquement identique à l’original</translation>
    </message>
    <message>
        <source>2 and 6 bits: small, not for every model</source>
        <translation>2 et 6 bits&#xa0;: petit, pas pour tous les modèles</translation>
    </message>
    <message>
        <source>Already quantized. Convert the original model instead.</source>
        <translation>Déjà quantifié. Convertissez plutôt le modèle d’origine.</translation>
    </message>
    <message>
        <source>The download failed.</source>
        <translation>Le téléchargement a échoué.</translation>
    </message>
    <message>
        <source>Hugging Face doesn’t allow access.</source>
        <translation>Hugging Face n’autorise pas l’accès.</translation>
    </message>
    <message>
        <source>This isn’t possible.</source>
        <translation>C’est impossible.</translation>
    </message>
    <message>
        <source>The model couldn’t be converted.</source>
        <translation>Impossible de convertir le modèle.</translation>
    </message>
    <message>
        <source>Not enough disk space.</source>
        <translation>Espace disque insuffisant.</translation>
    </message>
    <message>
        <source>Not found on Hugging Face.</source>
        <translation>Introuvable sur Hugging Face.</translation>
    </message>
    <message>
        <source>Hugging Face can’t be reached.</source>
        <translation>Hugging Face est injoignable.</translation>
    </message>
    <message>
        <source>Hugging Face cannot be reached. Check the connection.</source>
        <translation>Hugging Face est injoignable. Vérifiez la connexion.</translation>
    </message>
    <message>
        <source>Hugging Face does not answer. Try again in a while.</source>
        <translation>Hugging Face ne répond pas. Réessayez plus tard.</translation>
    </message>
    <message>
        <source>Hugging Face answers too slowly. Try again in a while.</source>
        <translation>Hugging Face répond trop lentement. Réessayez plus tard.</translation>
    </message>
    <message>
        <source>{name} isn’t an adapter. Choose a folder with adapter_config.json and adapters.safetensors.</source>
        <translation>{name} n’est pas un adaptateur. Choisissez un dossier contenant adapter_config.json et adapters.safetensors.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash. You can put it back from there.</source>
        <translation>{name} placé dans la corbeille. Vous pouvez le remettre en place depuis la corbeille.</translation>
    </message>
    <message>
        <source>{name} moved to the Trash.</source>
        <translation>{name} placé dans la corbeille.</translation>
    </message>
    <message>
        <source>{name} is part of Stretto.</source>
        <translation>{name} fait partie de Stretto.</translation>
    </message>
    <message>
        <source>{folder} contains other files too. Remove the model’s files by hand.</source>
        <translation>{folder} contient aussi d’autres fichiers. Retirez ceux du modèle à la main.</translation>
    </message>
    <message>
        <source>{name} is being moved to the Trash.</source>
        <translation>{name} est en cours de placement dans la corbeille.</translation>
    </message>
    <message>
        <source>{name} is loading. Wait until it has loaded, or cancel.</source>
        <translation>{name} est en cours de chargement. Attendez la fin ou annulez.</translation>
    </message>
    <message>
        <source>{name} is being converted. Cancel the conversion first.</source>
        <translation>{name} est en cours de conversion. Annulez d’abord la conversion.</translation>
    </message>
    <message>
        <source>{name} is downloading. Cancel the download first.</source>
        <translation>{name} est en cours de téléchargement. Annulez d’abord le téléchargement.</translation>
    </message>
    <message>
        <source>The chat “{title}” uses it and will need another model.</source>
        <translation>La discussion «&#xa0;{title}&#xa0;» l’utilise et aura besoin d’un autre modèle.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat uses it and will need another model.</source>
        <comment>%Ln chats use it and will need another model.</comment>
        <translation>
            <numerusform>%Ln discussion l’utilise et aura besoin d’un autre modèle.</numerusform>
            <numerusform>%Ln discussions l’utilisent et auront besoin d’un autre modèle.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other revision shares its files and is removed too.</source>
        <comment>%n other revisions share its files and are removed too.</comment>
        <translation>
            <numerusform>%n autre révision partage ses fichiers et sera aussi retirée.</numerusform>
            <numerusform>%n autres révisions partagent ses fichiers et seront aussi retirées.</numerusform>
        </translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list} and more.</source>
        <translation>Son dossier contient d’autres fichiers, qui seront aussi retirés&#xa0;: {list} et d’autres.</translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list}.</source>
        <translation>Son dossier contient d’autres fichiers, qui seront aussi retirés&#xa0;: {list}.</translation>
    </message>
    <message>
        <source>{name} couldn’t be removed: {why}. Show its folder and remove it there.</source>
        <translation>{name} n’a pas pu être retiré&#xa0;: {why}. Affichez son dossier et retirez-le vous-même.</translation>
    </message>
    <message>
        <source>{name} couldn’t be restored: {why}.</source>
        <translation>{name} n’a pas pu être restauré&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>This model isn’t loaded.</source>
        <translation>Ce modèle n’est pas chargé.</translation>
    </message>
    <message>
        <source>The model is replying in “{chat}”. Stop the reply first.</source>
        <translation>Le modèle répond dans «&#xa0;{chat}&#xa0;». Arrêtez d’abord la réponse.</translation>
    </message>
    <message numerus="yes">
        <source>The model is replying in %n chat. Stop the reply first.</source>
        <comment>The model is replying in %n chats. Stop the replies first.</comment>
        <translation>
            <numerusform>Le modèle répond dans %n discussion. Arrêtez d’abord la réponse.</numerusform>
            <numerusform>Le modèle répond dans %n discussions. Arrêtez d’abord les réponses.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Another chat is waiting for {model}. It keeps loading.</source>
        <comment>%n other chats are waiting for {model}. It keeps loading.</comment>
        <translation>
            <numerusform>Une autre discussion attend {model}. Le chargement continue.</numerusform>
            <numerusform>%n autres discussions attendent {model}. Le chargement continue.</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} was unloaded because the system is low on memory. It loads again when you send a message.</source>
        <translation>{model} a été déchargé car le système manque de mémoire. Il sera rechargé à l’envoi d’un message.</translation>
    </message>
    <message>
        <source>Small and fast, often wrong</source>
        <translation>Petit et rapide, se trompe souvent</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>il n’existe plus</translation>
    </message>
    <message>
        <source>it can’t be moved to the Trash</source>
        <translation>impossible de le placer dans la corbeille</translation>
    </message>
    <message>
        <source>it wasn’t moved to the Trash</source>
        <translation>il n’a pas été placé dans la corbeille</translation>
    </message>
    <message>
        <source>it is no longer in the Trash</source>
        <translation>il n’est plus dans la corbeille</translation>
    </message>
    <message>
        <source>an item with that name already exists</source>
        <translation>un élément de ce nom existe déjà</translation>
    </message>
    <message>
        <source>Longer pastes become attachments.</source>
        <translation>Les textes collés plus longs deviennent des pièces jointes.</translation>
    </message>
    <message>
        <source>Nothing about you is sent, and nothing is installed automatically.</source>
        <translation>Aucune donnée sur vous n’est envoyée&#xa0;; rien n’est installé automatiquement.</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Activé</translation>
    </message>
    <message>
        <source>Models reload when a chat needs them.</source>
        <translation>Les modèles sont rechargés quand une discussion en a besoin.</translation>
    </message>
    <message>
        <source>Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs.</source>
        <translation>Éditeurs, scripts et agents utilisent vos modèles via les API d’OpenAI et d’Anthropic.</translation>
    </message>
    <message>
        <source>Other computers always need a key.</source>
        <translation>Les autres ordinateurs ont toujours besoin d’une clé.</translation>
    </message>
    <message>
        <source>Unknown names go to your first model.</source>
        <translation>Les noms inconnus vont à votre premier modèle.</translation>
    </message>
    <message>
        <source>When off, new sessions are refused at the limit.</source>
        <translation>Si désactivé, les nouvelles sessions sont refusées à la limite.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read. Changes aren’t saved until you quit Stretto.</source>
        <translation>Vos réglages n’ont pas pu être lus. Les modifications ne seront pas enregistrées tant que vous n’aurez pas quitté Stretto.</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read and were reset. The old file is kept as {name}.</source>
        <translation>Vos réglages n’ont pas pu être lus et ont été réinitialisés. L’ancien fichier est conservé sous {name}.</translation>
    </message>
    <message>
        <source>Spell check needs enchant (libenchant-2) and a dictionary for your language. Install them, then restart Stretto.</source>
        <translation>La vérification de l’orthographe demande enchant (libenchant-2) et un dictionnaire pour votre langue. Installez-les, puis redémarrez Stretto.</translation>
    </message>
    <message>
        <source>No dictionary for your language. Install one, for example from hunspell, or choose another language.</source>
        <translation>Aucun dictionnaire pour votre langue. Installez-en un, par exemple de hunspell, ou choisissez une autre langue.</translation>
    </message>
    <message>
        <source>The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. Stretto can recover what is readable into a new file or start with an empty one. The damaged file is kept.</source>
        <translation>Le fichier {path} est endommagé ou n’a pas été créé par Stretto. Il n’a pas été modifié. Stretto peut récupérer ce qui est lisible dans un nouveau fichier ou commencer avec un fichier vide. Le fichier endommagé est conservé.</translation>
    </message>
    <message>
        <source>Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or set the file aside and start with an empty one.</source>
        <translation>Rien n’a pu être lu dans {path}. Le fichier n’a pas été modifié. Restaurez une sauvegarde, ou mettez le fichier de côté et commencez avec un fichier vide.</translation>
    </message>
    <message>
        <source>The chats in {path} were last used by a newer version of Stretto, and this version could damage them. Nothing has been changed. Open them with the newer version, or set the file aside and start with an empty one.</source>
        <translation>Les discussions de {path} ont été utilisées par une version plus récente de Stretto, et cette version pourrait les endommager. Rien n’a été modifié. Ouvrez-les avec la version plus récente, ou mettez le fichier de côté et commencez avec un fichier vide.</translation>
    </message>
    <message>
        <source>One change couldn’t be saved ({what}: {error}). All other changes are saved. Please report this error.</source>
        <translation>Une modification n’a pas pu être enregistrée ({what}&#xa0;: {error}). Toutes les autres sont enregistrées. Merci de signaler cette erreur.</translation>
    </message>
    <message>
        <source>Your chats can’t be opened because the disk with {path} is full. Nothing is lost. Free some space, then try again.</source>
        <translation>Vos discussions ne peuvent pas être ouvertes car le disque contenant {path} est plein. Rien n’est perdu. Libérez de l’espace, puis réessayez.</translation>
    </message>
    <message>
        <source>Your latest messages aren’t saved yet because the disk with {path} is full. Free some space. Stretto tries again by itself.</source>
        <translation>Vos derniers messages ne sont pas encore enregistrés car le disque contenant {path} est plein. Libérez de l’espace. Stretto réessaiera de lui-même.</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {path}. Make the folder and its file writable and try again, or use another folder. Your chats are copied there.</source>
        <translation>Stretto n’est pas autorisé à écrire dans {path}. Rendez le dossier et son fichier accessibles en écriture et réessayez, ou utilisez un autre dossier. Vos discussions y seront copiées.</translation>
    </message>
    <message>
        <source>The chats in {path} couldn’t be read or saved ({error}). Check that the disk is connected and has free space, then try again.</source>
        <translation>Les discussions de {path} n’ont pas pu être lues ou enregistrées ({error}). Vérifiez que le disque est connecté et dispose d’espace libre, puis réessayez.</translation>
    </message>
    <message>
        <source>The update information isn’t signed by the makers of Stretto.</source>
        <translation>Les informations de mise à jour ne sont pas signées par les auteurs de Stretto.</translation>
    </message>
    <message>
        <source>The update information couldn’t be read.</source>
        <translation>Les informations de mise à jour n’ont pas pu être lues.</translation>
    </message>
    <message>
        <source>the request was redirected</source>
        <translation>la requête a été redirigée</translation>
    </message>
    <message>
        <source>No response: {why}.</source>
        <translation>Pas de réponse&#xa0;: {why}.</translation>
    </message>
    <message>
        <source>The check failed. See the log.</source>
        <translation>La vérification a échoué. Consultez le journal.</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Nouvelle comparaison</translation>
    </message>
    <message>
        <source>The replies appear in this chat, and use its history and settings.</source>
        <translation>Les réponses apparaissent dans cette discussion et utilisent son historique et ses réglages.</translation>
    </message>
    <message>
        <source>Message: {excerpt}</source>
        <translation>Message : {excerpt}</translation>
    </message>
    <message>
        <source>Example: three roles</source>
        <translation>Exemple&#xa0;: trois rôles</translation>
    </message>
    <message>
        <source>Choose a saved comparison first.</source>
        <translation>Choisissez d’abord une comparaison enregistrée.</translation>
    </message>
    <message>
        <source>Everything, including all branches and attached files. Can be imported again.</source>
        <translation>Tout, y compris toutes les branches et les fichiers joints. Peut être importé à nouveau.</translation>
    </message>
    <message>
        <source>The current branch. Attached files are only named.</source>
        <translation>La branche actuelle. Les fichiers joints sont seulement nommés.</translation>
    </message>
    <message>
        <source>The current branch in one file. Attached files are only named.</source>
        <translation>La branche actuelle en un seul fichier. Les fichiers joints sont seulement nommés.</translation>
    </message>
    <message>
        <source>The current branch without formatting. Attached files are only named.</source>
        <translation>La branche actuelle sans mise en forme. Les fichiers joints sont seulement nommés.</translation>
    </message>
    <message>
        <source>The current branch, ready to print. Attached files are only named.</source>
        <translation>La branche actuelle, prête à imprimer. Les fichiers joints sont seulement nommés.</translation>
    </message>
    <message>
        <source>Without a GPU, expect slow replies.</source>
        <translation>Sans GPU, les réponses seront lentes.</translation>
    </message>
    <message>
        <source>{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, {caches} for {chats} of {tokens}, and {working} of working memory.</source>
        <translation>{verdict}. Il faut {total} sur les {free} utilisables par les modèles&#xa0;: {weights} pour les poids, {caches} pour {chats} de {tokens} et {working} de mémoire de travail.</translation>
    </message>
    <message>
        <source>Fits, slow</source>
        <translation>Tient, lent</translation>
    </message>
    <message>
        <source>{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each chat.</source>
        <translation>{verdict}. Il faut {weights} sur les {room} utilisables par les modèles, plus un peu de mémoire par discussion.</translation>
    </message>
    <message>
        <source>This server is on this computer.</source>
        <translation>Ce serveur est sur cet ordinateur.</translation>
    </message>
    <message>
        <source>Describe a quiet morning in one paragraph</source>
        <translation>Décris un matin calme en un paragraphe</translation>
    </message>
    <message>
        <source>What is a black hole? Answer in two sentences.</source>
        <translation>Qu’est-ce qu’un trou noir ? Réponds en deux phrases.</translation>
    </message>
    <message>
        <source>Give me three tips for a good night’s sleep</source>
        <translation>Donne-moi trois conseils pour bien dormir</translation>
    </message>
    <message>
        <source>Describe autumn in a forest in one paragraph</source>
        <translation>Décris l’automne en forêt en un paragraphe</translation>
    </message>
    <message>
        <source>Small, fast, and often wrong. Runs on this computer. Your messages stay here.</source>
        <translation>Petit, rapide et souvent dans l’erreur. S’exécute sur cet ordinateur. Vos messages restent ici.</translation>
    </message>
    <message>
        <source>A small model for any topic, fast and often wrong</source>
        <translation>Un petit modèle rapide qui parle de tout et se trompe souvent</translation>
    </message>
    <message>
        <source>Asks {name} the same question four times</source>
        <translation>Pose quatre fois la même question à {name}</translation>
    </message>
    <message>
        <source>Too long: {tokens}</source>
        <translation>Trop long&#xa0;: {tokens}</translation>
    </message>
    <message>
        <source>up to date</source>
        <translation>à jour</translation>
    </message>
    <message>
        <source>Following {title}</source>
        <translation>Suivi de {title}</translation>
    </message>
    <message>
        <source>Tools for This Chat</source>
        <translation>Outils de cette discussion</translation>
    </message>
    <message>
        <source>Reproducible (slower)</source>
        <translation>Reproductible (plus lent)</translation>
    </message>
    <message>
        <source>Interrupts the reply as soon as possible.</source>
        <translation>Interrompra la réponse dès que possible.</translation>
    </message>
    <message>
        <source>Open as Chats</source>
        <translation>Ouvrir comme discussions</translation>
    </message>
    <message>
        <source>There is nothing to save.</source>
        <translation>Il n’y a rien à enregistrer.</translation>
    </message>
    <message>
        <source>Previous  Shift+Enter</source>
        <translation>Précédent  Shift+Enter</translation>
    </message>
    <message>
        <source>Next  Enter</source>
        <translation>Suivant  Enter</translation>
    </message>
    <message>
        <source>Delete Message</source>
        <translation>Supprimer le message</translation>
    </message>
    <message>
        <source>Choose Another Model…</source>
        <translation>Choisir un autre modèle…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Erreur</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Réponse</translation>
    </message>
    <message>
        <source>Copy Reply</source>
        <translation>Copier la réponse</translation>
    </message>
    <message>
        <source>Regenerate  Ctrl+R</source>
        <translation>Régénérer  Ctrl+R</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed  Ctrl+Shift+R</source>
        <translation>Régénérer avec la même graine  Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Branch in New Chat</source>
        <translation>Créer une branche dans une nouvelle discussion</translation>
    </message>
    <message>
        <source>Delete from Here</source>
        <translation>Supprimer à partir d’ici</translation>
    </message>
    <message>
        <source>Empty reply</source>
        <translation>Réponse vide</translation>
    </message>
    <message>
        <source>Continue this reply</source>
        <translation>Continuer cette réponse</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>limite de longueur atteinte</translation>
    </message>
    <message>
        <source>memory full</source>
        <translation>mémoire pleine</translation>
    </message>
    <message>
        <source>may be incomplete</source>
        <translation>peut-être incomplète</translation>
    </message>
    <message>
        <source>attached: {name}</source>
        <translation>pièce jointe&#xa0;: {name}</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more character</source>
        <comment>… %Ln more characters</comment>
        <translation>
            <numerusform>… encore %Ln caractère</numerusform>
            <numerusform>… encore %Ln caractères</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Text Sent to the Model</source>
        <translation>Afficher le texte envoyé au modèle</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>Texte de {name}</translation>
    </message>
    <message>
        <source>The text is no longer available.</source>
        <translation>Le texte n’est plus disponible.</translation>
    </message>
    <message>
        <source>The rest isn’t shown.</source>
        <translation>La suite n’est pas affichée.</translation>
    </message>
    <message>
        <source>Unwrap Lines</source>
        <translation>Ne pas renvoyer à la ligne</translation>
    </message>
    <message>
        <source>Wrap Lines</source>
        <translation>Renvoyer à la ligne</translation>
    </message>
    <message>
        <source>No longer in context</source>
        <translation>N’est plus dans le contexte</translation>
    </message>
    <message>
        <source>Edit in New Chat</source>
        <translation>Modifier dans une nouvelle discussion</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>Afficher plus</translation>
    </message>
    <message>
        <source>Show Less</source>
        <translation>Afficher moins</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>en file d’attente</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>lecture du prompt</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>vous attend</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>inactive</translation>
    </message>
    <message numerus="yes">
        <source>{title}: {state}, %Ln tokens in memory</source>
        <comment>{title}: {state}, %Ln tokens in memory</comment>
        <translation>
            <numerusform>{title}&#xa0;: {state}, %Ln token en mémoire</numerusform>
            <numerusform>{title}&#xa0;: {state}, %Ln tokens en mémoire</numerusform>
        </translation>
    </message>
    <message>
        <source>queued, no. {place}</source>
        <translation>en file, nº {place}</translation>
    </message>
    <message>
        <source>{all} in use · chats {kv}</source>
        <translation>{all} utilisés · discussions {kv}</translation>
    </message>
    <message>
        <source>models {models} · chats {kv}</source>
        <translation>modèles {models} · discussions {kv}</translation>
    </message>
    <message>
        <source>context of chats</source>
        <translation>contexte des discussions</translation>
    </message>
    <message>
        <source>free, kept for reuse</source>
        <translation>libre, gardée pour être réutilisée</translation>
    </message>
    <message>
        <source>Stretto</source>
        <translation>Stretto</translation>
    </message>
    <message>
        <source>Memory in use: {size}</source>
        <translation>Mémoire utilisée&#xa0;: {size}</translation>
    </message>
    <message>
        <source>Models and chats use {used} of {most}.</source>
        <translation>Les modèles et les discussions utilisent {used} sur {most}.</translation>
    </message>
    <message>
        <source>Memory: models {weights}, chats {kv}</source>
        <translation>Mémoire&#xa0;: modèles {weights}, discussions {kv}</translation>
    </message>
    <message>
        <source>Close Score  Ctrl+J</source>
        <translation>Fermer la partition  Ctrl+J</translation>
    </message>
    <message>
        <source>Chats appear here while they reply.</source>
        <translation>Les discussions apparaissent ici pendant qu’elles répondent.</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Aucune activité</translation>
    </message>
    <message>
        <source>Scroll to End</source>
        <translation>Aller à la fin</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>Abandonner vos modifications&#xa0;?</translation>
    </message>
    <message>
        <source>Keep Editing</source>
        <translation>Continuer à modifier</translation>
    </message>
    <message>
        <source>Stretto {version} is available</source>
        <translation>Stretto {version} est disponible</translation>
    </message>
    <message>
        <source>You have {version}. Your chats aren’t affected.</source>
        <translation>Vous avez la version {version}. Vos discussions restent inchangées.</translation>
    </message>
    <message>
        <source>Cancel and Delete</source>
        <translation>Annuler et supprimer</translation>
    </message>
    <message>
        <source>Enter a name first</source>
        <translation>Saisissez d’abord un nom</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt. Tab moves through its {{variables}}.</source>
        <translation>Saisissez / dans un message vide pour insérer un prompt. Tab parcourt ses {{variables}}.</translation>
    </message>
    <message>
        <source>Choose New to create your first prompt.</source>
        <translation>Choisissez Nouveau pour créer votre premier prompt.</translation>
    </message>
    <message>
        <source>Restore and Restart</source>
        <translation>Restaurer et redémarrer</translation>
    </message>
    <message>
        <source>Delete Permanently</source>
        <translation>Supprimer définitivement</translation>
    </message>
    <message>
        <source>The Trash is empty.</source>
        <translation>La corbeille est vide.</translation>
    </message>
    <message>
        <source>deleted permanently tomorrow</source>
        <translation>supprimée définitivement demain</translation>
    </message>
    <message>
        <source>deleted permanently today</source>
        <translation>supprimée définitivement aujourd’hui</translation>
    </message>
    <message>
        <source>Select two or more computers and a model.</source>
        <translation>Sélectionnez au moins deux ordinateurs et un modèle.</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>Ordinateur</translation>
    </message>
    <message>
        <source>Compares connection and speed with a single computer</source>
        <translation>Compare la connexion et la vitesse à celles d’un seul ordinateur</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Cet ordinateur</translation>
    </message>
    <message>
        <source>“local” is this computer. Choose another name.</source>
        <translation>«&#xa0;local&#xa0;» est cet ordinateur. Choisissez un autre nom.</translation>
    </message>
    <message>
        <source>Choose one, then enter its key.</source>
        <translation>Choisissez-en un, puis saisissez sa clé.</translation>
    </message>
    <message>
        <source>Stored in your keychain and sent only to this address.</source>
        <translation>Conservée dans votre trousseau et envoyée à cette seule adresse.</translation>
    </message>
    <message>
        <source>Messages to this model leave this computer and go to {host}.</source>
        <translation>Les messages adressés à ce modèle quittent cet ordinateur et vont à {host}.</translation>
    </message>
    <message>
        <source>The connection isn’t encrypted: others on the network can read your messages and the key.</source>
        <translation>La connexion n’est pas chiffrée&#xa0;: d’autres personnes sur le réseau peuvent lire vos messages et la clé.</translation>
    </message>
    <message>
        <source>Enter an address and choose or type a model.</source>
        <translation>Saisissez une adresse, puis choisissez ou saisissez un modèle.</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>Facultative</translation>
    </message>
    <message>
        <source>Get Model List</source>
        <translation>Obtenir la liste des modèles</translation>
    </message>
    <message>
        <source>Asks the server which models it has. Nothing else is sent.</source>
        <translation>Demande au serveur ses modèles. Rien d’autre n’est envoyé.</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its chats stay.</source>
        <translation>{name} retiré de la liste. Ses discussions sont conservées.</translation>
    </message>
    <message>
        <source>Model Card</source>
        <translation>Fiche du modèle</translation>
    </message>
    <message>
        <source>Asks Hugging Face about this model</source>
        <translation>Interroge Hugging Face sur ce modèle</translation>
    </message>
    <message>
        <source>Already on this computer.</source>
        <translation>Déjà sur cet ordinateur.</translation>
    </message>
    <message>
        <source>This version of Stretto doesn’t support its architecture.</source>
        <translation>Cette version de Stretto ne prend pas en charge son architecture.</translation>
    </message>
    <message>
        <source>The keychain couldn’t store the token. Stretto forgets it when you quit.</source>
        <translation>Le trousseau n’a pas pu enregistrer le jeton. Stretto l’oublie quand vous quittez.</translation>
    </message>
    <message>
        <source>An access token is sent to Hugging Face.</source>
        <translation>Un jeton d’accès est envoyé à Hugging Face.</translation>
    </message>
    <message>
        <source>Remove access token</source>
        <translation>Retirer le jeton d’accès</translation>
    </message>
    <message>
        <source>Open Model Page</source>
        <translation>Ouvrir la page du modèle</translation>
    </message>
    <message>
        <source>The server lists no models. Type the name of one.</source>
        <translation>Le serveur n’indique aucun modèle. Saisissez le nom d’un modèle.</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Sur cet ordinateur</translation>
    </message>
    <message>
        <source>On another computer</source>
        <translation>Sur un autre ordinateur</translation>
    </message>
    <message>
        <source>Pin/Unpin Chat</source>
        <translation>Épingler/désépingler la discussion</translation>
    </message>
    <message>
        <source>Archive/Unarchive Chat</source>
        <translation>Archiver/désarchiver la discussion</translation>
    </message>
    <message>
        <source>Pause/Resume Reply</source>
        <translation>Mettre en pause/reprendre la réponse</translation>
    </message>
    <message>
        <source>Attach Files…  Ctrl+Shift+A</source>
        <translation>Joindre des fichiers…  Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Cancel Edit  Esc</source>
        <translation>Annuler la modification  Esc</translation>
    </message>
    <message>
        <source>Editing. The original is kept.</source>
        <translation>Modification. L’original est conservé.</translation>
    </message>
    <message>
        <source>Remove {name}  Del</source>
        <translation>Retirer {name}  Del</translation>
    </message>
    <message>
        <source>Choose What to Send…</source>
        <translation>Choisir quoi envoyer…</translation>
    </message>
    <message>
        <source>Messages go to {host}.</source>
        <translation>Les messages vont à {host}.</translation>
    </message>
    <message>
        <source>Messages go to {host} on this computer.</source>
        <translation>Les messages vont à {host}, sur cet ordinateur.</translation>
    </message>
    <message>
        <source>{host} replies, on this computer.</source>
        <translation>{host} répond, sur cet ordinateur.</translation>
    </message>
    <message>
        <source>A remote model. What you send in this chat goes to {host}.</source>
        <translation>Un modèle distant. Ce que vous envoyez dans cette discussion va à {host}.</translation>
    </message>
    <message>
        <source>Tool results are sent to {host}.</source>
        <translation>Les résultats des outils sont envoyés à {host}.</translation>
    </message>
    <message>
        <source>{host} doesn’t support {names}. Token counts follow each reply.</source>
        <translation>{host} ne prend pas en charge {names}. Les tokens sont comptés après chaque réponse.</translation>
    </message>
    <message>
        <source>{context}, {count} cached</source>
        <translation>{context}, {count} en cache</translation>
    </message>
    <message>
        <source>Choose Model…</source>
        <translation>Choisir un modèle…</translation>
    </message>
    <message>
        <source>Chat Settings</source>
        <translation>Réglages de la discussion</translation>
    </message>
    <message>
        <source>Chat Settings…</source>
        <translation>Réglages de la discussion…</translation>
    </message>
    <message>
        <source>Reply format</source>
        <translation>Format de réponse</translation>
    </message>
    <message>
        <source>Every reply has this format</source>
        <translation>Toutes les réponses suivent ce format</translation>
    </message>
    <message>
        <source>One choice per line</source>
        <translation>Un choix par ligne</translation>
    </message>
    <message>
        <source>One choice per line; \n is a line break</source>
        <translation>Un choix par ligne&#xa0;; \n est un saut de ligne</translation>
    </message>
    <message>
        <source>A regular expression that the whole reply matches</source>
        <translation>Une expression régulière à laquelle toute la réponse correspond</translation>
    </message>
    <message>
        <source>Before replying</source>
        <translation>Avant de répondre</translation>
    </message>
    <message>
        <source>How the model should reply in this chat</source>
        <translation>Comment le modèle doit répondre dans cette discussion</translation>
    </message>
    <message>
        <source>Saved settings</source>
        <translation>Réglages enregistrés</translation>
    </message>
    <message>
        <source>Reuse Last</source>
        <translation>Réutiliser</translation>
    </message>
    <message>
        <source>Use the seed of the last reply</source>
        <translation>Utiliser la graine de la dernière réponse</translation>
    </message>
    <message>
        <source>New seed for each reply</source>
        <translation>Nouvelle graine pour chaque réponse</translation>
    </message>
    <message>
        <source>Stop sequences</source>
        <translation>Séquences d’arrêt</translation>
    </message>
    <message>
        <source>One text per line</source>
        <translation>Un texte par ligne</translation>
    </message>
    <message>
        <source>The reply stops at any of these texts. One per line, with \n for a line break.</source>
        <translation>La réponse s’arrête à l’un de ces textes. Un par ligne, \n pour un saut de ligne.</translation>
    </message>
    <message>
        <source>Token limit for this chat. Lower uses less memory.</source>
        <translation>Limite de tokens de cette discussion. Plus bas, il faut moins de mémoire.</translation>
    </message>
    <message>
        <source>Applies to the next reply.</source>
        <translation>S’applique dès la prochaine réponse.</translation>
    </message>
    <message>
        <source>Fewer Settings</source>
        <translation>Moins de réglages</translation>
    </message>
    <message>
        <source>More Settings</source>
        <translation>Plus de réglages</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>lecture…</translation>
    </message>
    <message>
        <source>{name} attached, {about}</source>
        <translation>{name} joint, {about}</translation>
    </message>
    <message>
        <source>reading {page} of {count}…</source>
        <translation>lecture de {page} sur {count}…</translation>
    </message>
    <message>
        <source>No longer following “{name}”</source>
        <translation>«&#xa0;{name}&#xa0;» n’est plus suivie</translation>
    </message>
    <message>
        <source>{name} removed</source>
        <translation>{name} retiré</translation>
    </message>
    <message>
        <source>Show Image</source>
        <translation>Afficher l’image</translation>
    </message>
    <message>
        <source>Pages as Images</source>
        <translation>Pages en images</translation>
    </message>
    <message>
        <source>Scanned Pages as Images</source>
        <translation>Pages numérisées en images</translation>
    </message>
    <message>
        <source>Extract Text of Scanned Pages</source>
        <translation>Extraire le texte des pages numérisées</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Tout</translation>
    </message>
    <message>
        <source>Insert as Text</source>
        <translation>Insérer comme texte</translation>
    </message>
    <message>
        <source>Remove Attachment</source>
        <translation>Retirer la pièce jointe</translation>
    </message>
    <message>
        <source>Port {port} is in use. Choose another port.</source>
        <translation>Le port {port} est déjà utilisé. Choisissez un autre port.</translation>
    </message>
    <message>
        <source>Port {port} can’t be used ({why}). Choose another port.</source>
        <translation>Le port {port} ne peut pas être utilisé ({why}). Choisissez un autre port.</translation>
    </message>
    <message>
        <source>You stopped the reply.</source>
        <translation>Vous&#xa0;avez&#xa0;arrêté&#xa0;la&#xa0;réponse.</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>La&#xa0;réponse&#xa0;a&#xa0;échoué.</translation>
    </message>
    <message>
        <source>The reply was interrupted.</source>
        <translation>La&#xa0;réponse&#xa0;a&#xa0;été&#xa0;interrompue.</translation>
    </message>
    <message>
        <source>Not sent. {why}</source>
        <translation>Non envoyé. {why}</translation>
    </message>
    <message>
        <source>Not sent yet.</source>
        <translation>Pas&#xa0;encore&#xa0;envoyé.</translation>
    </message>
    <message numerus="yes">
        <source>%n message deleted</source>
        <comment>%n messages deleted</comment>
        <translation>
            <numerusform>%n message supprimé</numerusform>
            <numerusform>%n messages supprimés</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat gets it when its reply ends</source>
        <comment>%n chats get it when their replies end</comment>
        <translation>
            <numerusform>%n discussion le recevra à la fin de sa réponse</numerusform>
            <numerusform>%n discussions le recevront à la fin de leurs réponses</numerusform>
        </translation>
    </message>
    <message>
        <source>translation, locale</source>
        <translation>traduction, langue, région</translation>
    </message>
    <message>
        <source>Enter key, Return key, new line</source>
        <translation>touche Entrée, Retour, saut de ligne</translation>
    </message>
    <message>
        <source>clipboard, paste</source>
        <translation>presse-papiers, coller</translation>
    </message>
    <message>
        <source>spellcheck, dictionary, typos</source>
        <translation>correcteur, dictionnaire, fautes</translation>
    </message>
    <message>
        <source>notifications, alerts, sound</source>
        <translation>notifications, alertes, son</translation>
    </message>
    <message>
        <source>keys, hotkeys, key bindings</source>
        <translation>touches, raccourcis, clavier</translation>
    </message>
    <message>
        <source>upgrade, new version</source>
        <translation>mise à niveau, nouvelle version</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, appearance, colors</source>
        <translation>mode sombre, mode clair, nuit, apparence, couleurs</translation>
    </message>
    <message>
        <source>accessibility, readability</source>
        <translation>accessibilité, lisibilité</translation>
    </message>
    <message>
        <source>font size, scale, larger, smaller</source>
        <translation>taille de police, échelle, plus grand, plus petit</translation>
    </message>
    <message>
        <source>font size, larger, smaller</source>
        <translation>taille de police, plus grand, plus petit</translation>
    </message>
    <message>
        <source>animations, effects</source>
        <translation>animations, effets</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>titres</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>modèle par défaut</translation>
    </message>
    <message>
        <source>creativity, randomness, sampling</source>
        <translation>créativité, hasard, échantillonnage</translation>
    </message>
    <message>
        <source>maximum tokens, length</source>
        <translation>tokens maximum, longueur</translation>
    </message>
    <message>
        <source>context window, overflow</source>
        <translation>fenêtre de contexte, dépassement</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM, mémoire vive</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>libérer la mémoire</translation>
    </message>
    <message>
        <source>HTTP, OpenAI, endpoint</source>
        <translation>HTTP, OpenAI, point d’accès</translation>
    </message>
    <message>
        <source>network, LAN</source>
        <translation>réseau, LAN</translation>
    </message>
    <message>
        <source>access, password</source>
        <translation>accès, mot de passe</translation>
    </message>
    <message>
        <source>plugins, extensions, connectors</source>
        <translation>modules, extensions, connecteurs</translation>
    </message>
    <message>
        <source>storage, space</source>
        <translation>stockage, espace</translation>
    </message>
    <message>
        <source>recover, earlier state</source>
        <translation>récupérer, état antérieur</translation>
    </message>
    <message>
        <source>deleted chats</source>
        <translation>discussions supprimées</translation>
    </message>
    <message>
        <source>No settings found</source>
        <translation>Aucun réglage trouvé</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Afficher moins</translation>
    </message>
    <message>
        <source>My chats first</source>
        <translation>Mes discussions d’abord</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>Égale</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorité</translation>
    </message>
    <message>
        <source>Who goes first when the model is busy</source>
        <translation>Qui passe en premier quand le modèle est occupé</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>terminé</translation>
    </message>
    <message>
        <source>running a tool for {time}</source>
        <translation>utilise un outil depuis {time}</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>attend le modèle</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>attend son tour</translation>
    </message>
    <message>
        <source>reading {share} of {total}</source>
        <translation>lit {share} de {total}</translation>
    </message>
    <message>
        <source>reading {share} of {total} ({known} cached)</source>
        <translation>lit {share} de {total} ({known} en cache)</translation>
    </message>
    <message>
        <source>{share} of context</source>
        <translation>{share} du contexte</translation>
    </message>
    <message>
        <source>Save as Chat</source>
        <translation>Enregistrer comme discussion</translation>
    </message>
    <message>
        <source>Too long to be saved as a chat.</source>
        <translation>Trop long pour être enregistré comme discussion.</translation>
    </message>
    <message>
        <source>Stop this agent</source>
        <translation>Arrêter cet agent</translation>
    </message>
    <message>
        <source>sub-agent</source>
        <translation>sous-agent</translation>
    </message>
    <message>
        <source>Stop all of them</source>
        <translation>Tout arrêter</translation>
    </message>
    <message numerus="yes">
        <source>{program} · %n agent</source>
        <comment>{program} · %n agents</comment>
        <translation>
            <numerusform>{program} · %n agent</numerusform>
            <numerusform>{program} · %n agents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n busy</source>
        <comment>%n busy</comment>
        <translation>
            <numerusform>%n occupé</numerusform>
            <numerusform>%n occupés</numerusform>
        </translation>
    </message>
    <message>
        <source>Shuffles the replies and hides names until you keep one</source>
        <translation>Mélange les réponses et masque les noms jusqu’à ce que vous en gardiez une</translation>
    </message>
    <message>
        <source>See Four Replies</source>
        <translation>Voir quatre réponses</translation>
    </message>
    <message>
        <source>Leave Broadcast</source>
        <translation>Quitter la diffusion</translation>
    </message>
    <message>
        <source>Join Broadcast</source>
        <translation>Rejoindre la diffusion</translation>
    </message>
    <message>
        <source>{name} kept</source>
        <translation>{name} conservé</translation>
    </message>
    <message>
        <source>{name} kept, {kept} of {times} times so far</source>
        <translation>{name} conservé, {kept} fois sur {times} jusqu’ici</translation>
    </message>
    <message>
        <source>Unpin Chat</source>
        <translation>Désépingler la discussion</translation>
    </message>
    <message>
        <source>Pin Chat</source>
        <translation>Épingler la discussion</translation>
    </message>
    <message>
        <source>Unarchive Chat</source>
        <translation>Désarchiver la discussion</translation>
    </message>
    <message>
        <source>Archive Chat</source>
        <translation>Archiver la discussion</translation>
    </message>
    <message>
        <source>Same as Current Chat</source>
        <translation>Comme la discussion actuelle</translation>
    </message>
    <message>
        <source>This chat has no folders.</source>
        <translation>Cette discussion n’a aucun dossier.</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>Aucun résultat.</translation>
    </message>
    <message>
        <source>This folder is empty.</source>
        <translation>Ce dossier est vide.</translation>
    </message>
    <message>
        <source>The code printed nothing.</source>
        <translation>Le code n’a rien affiché.</translation>
    </message>
    <message numerus="yes">
        <source>%n byte written to {path}</source>
        <comment>%n bytes written to {path}</comment>
        <translation>
            <numerusform>%n octet écrit dans {path}</numerusform>
            <numerusform>%n octets écrits dans {path}</numerusform>
        </translation>
    </message>
    <message>
        <source>Broadcast later messages too</source>
        <translation>Diffuser aussi les messages suivants</translation>
    </message>
    <message>
        <source>Enter chooses what the model gets, Delete removes the file</source>
        <translation>Entrée pour choisir ce que le modèle reçoit, Suppr pour retirer le fichier</translation>
    </message>
    <message>
        <source>“{name}” isn’t filled in yet. Press Enter again to send it anyway.</source>
        <translation>«&#xa0;{name}&#xa0;» n’est pas encore rempli. Appuyez à nouveau sur Entrée pour envoyer quand même.</translation>
    </message>
    <message>
        <source>Stretto backs up your chats once a day and before each update, and keeps the last three backups. When you restore one, your current chats are kept in a separate file.</source>
        <translation>Stretto fait une sauvegarde de vos discussions une fois par jour et avant chaque mise à jour, et garde les trois dernières. Quand vous en restaurez une, vos discussions actuelles sont conservées dans un fichier à part.</translation>
    </message>
    <message>
        <source>No backups yet. Stretto makes the first one the next day you use it.</source>
        <translation>Aucune sauvegarde pour l’instant. Stretto crée la première le prochain jour où vous l’utilisez.</translation>
    </message>
    <message>
        <source>Your chats are saved. The report contains versions and stack traces, none of your chats, and stays on this computer unless you share it.</source>
        <translation>Vos discussions sont enregistrées. Le rapport contient des numéros de version et des piles d’appels, rien de vos discussions, et reste sur cet ordinateur sauf si vous le partagez.</translation>
    </message>
    <message>
        <source>Your chats were used by a newer version of Stretto</source>
        <translation>Vos discussions ont été utilisées par une version plus récente de Stretto</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {place}. Make it writable, then try again.</source>
        <translation>Stretto n’est pas autorisé à écrire dans {place}. Autorisez l’écriture, puis réessayez.</translation>
    </message>
    <message>
        <source>Recover What Can Be Read</source>
        <translation>Récupérer ce qui est lisible</translation>
    </message>
    <message>
        <source>{cause} Changes that aren’t saved when you quit are lost.</source>
        <translation>{cause} Les modifications non enregistrées seront perdues si vous quittez.</translation>
    </message>
    <message>
        <source>Stretto is already running but not responding</source>
        <translation>Stretto est déjà ouvert, mais ne répond pas</translation>
    </message>
    <message>
        <source>Another copy of Stretto has these chats open. Wait a moment and try again, or quit the other copy first.</source>
        <translation>Une autre copie de Stretto utilise ces discussions. Attendez un instant et réessayez, ou quittez d’abord l’autre copie.</translation>
    </message>
    <message>
        <source>Local chats side by side, all replying at the same time. What you write to local models stays on this computer.</source>
        <translation>Des discussions locales, côte à côte, qui répondent toutes en même temps. Ce que vous écrivez aux modèles locaux reste sur cet ordinateur.</translation>
    </message>
    <message>
        <source>Chats to export</source>
        <translation>Discussions à exporter</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>of what is exported</comment>
        <translation>Format</translation>
    </message>
    <message>
        <source>Include reasoning</source>
        <translation>Inclure le raisonnement</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>Progression de l’exportation</translation>
    </message>
    <message>
        <source>Always included in JSON</source>
        <translation>Toujours inclus dans le JSON</translation>
    </message>
    <message>
        <source>Export to Folder</source>
        <translation>Exporter dans un dossier</translation>
    </message>
    <message>
        <source>Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you already have aren’t changed.</source>
        <translation>Importez le JSON de Stretto, les exportations de données de ChatGPT et de Claude (l’archive ZIP ou le conversations.json qu’elle contient), celles d’Open WebUI et les fichiers de discussion de LM Studio. Les discussions déjà présentes ne changent pas.</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Progression de l’importation</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>Non importé</translation>
    </message>
    <message>
        <source>Such as LM Studio’s chats folder</source>
        <translation>Par exemple le dossier des discussions de LM Studio</translation>
    </message>
    <message>
        <source>Import Folder</source>
        <translation>Importer un dossier</translation>
    </message>
    <message>
        <source>Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used under the LGPL as separate libraries, which you may replace with your own builds.</source>
        <translation>Stretto est sous licence MIT. Qt, PySide6 et Qt Advanced Docking sont utilisés sous LGPL comme bibliothèques distinctes, que vous pouvez remplacer par vos propres versions.</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Composants</translation>
    </message>
    <message>
        <source>“{name}” already exists. Replace it?</source>
        <translation>«&#xa0;{name}&#xa0;» existe déjà. Remplacer&#xa0;?</translation>
    </message>
    <message>
        <source>Prompt text</source>
        <translation>Texte du prompt</translation>
    </message>
    <message>
        <source>There’s no deleted prompt to restore</source>
        <translation>Aucun prompt supprimé à restaurer</translation>
    </message>
    <message>
        <source>Another prompt has this name. This one is still called “{before}”.</source>
        <translation>Un autre prompt porte déjà ce nom. Celui-ci s’appelle toujours «&#xa0;{before}&#xa0;».</translation>
    </message>
    <message numerus="yes">
        <source>Deleted chats stay here for %n day and are then deleted permanently.</source>
        <comment>Deleted chats stay here for %n days and are then deleted permanently.</comment>
        <translation>
            <numerusform>Les discussions supprimées restent ici %n jour, puis sont supprimées définitivement.</numerusform>
            <numerusform>Les discussions supprimées restent ici %n jours, puis sont supprimées définitivement.</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged files that were set aside may still contain text of deleted chats: {files}</source>
        <translation>Des fichiers endommagés mis de côté peuvent encore contenir du texte de discussions supprimées&#xa0;: {files}</translation>
    </message>
    <message>
        <source>Delete “{title}” permanently, from backups too? This can’t be undone.</source>
        <translation>Supprimer définitivement «&#xa0;{title}&#xa0;», y compris des sauvegardes&#xa0;? Cette action est irréversible.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln chat permanently, from backups too? This can’t be undone.</source>
        <comment>Delete %Ln chats permanently, from backups too? This can’t be undone.</comment>
        <translation>
            <numerusform>Supprimer définitivement %Ln discussion, y compris des sauvegardes&#xa0;? Cette action est irréversible.</numerusform>
            <numerusform>Supprimer définitivement %Ln discussions, y compris des sauvegardes&#xa0;? Cette action est irréversible.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day left</source>
        <comment>%n days left</comment>
        <translation>
            <numerusform>%n jour restant</numerusform>
            <numerusform>%n jours restants</numerusform>
        </translation>
    </message>
    <message>
        <source>The download page lists what’s new.</source>
        <translation>La page de téléchargement présente les nouveautés.</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>Nouveautés</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>Schéma JSON</translation>
    </message>
    <message>
        <source>List of choices</source>
        <translation>Liste de choix</translation>
    </message>
    <message>
        <source>Split a model that’s too large for one computer across several. Each needs the same version of Stretto, the model’s files, and SSH access without a password.</source>
        <translation>Exécutez sur plusieurs ordinateurs un modèle trop grand pour un seul ordinateur, chacun en portant une partie. Il leur faut la même version de Stretto, les fichiers du modèle et un accès SSH sans mot de passe.</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>État</translation>
    </message>
    <message>
        <source>user@host, or local</source>
        <translation>utilisateur@hôte, ou local</translation>
    </message>
    <message>
        <source>Command, such as stretto</source>
        <translation>Commande, par ex. stretto</translation>
    </message>
    <message numerus="yes">
        <source>{weights}, group size %n</source>
        <comment>{weights}, group size %n</comment>
        <translation>
            <numerusform>{weights}, taille de groupe %n</numerusform>
            <numerusform>{weights}, taille de groupe %n</numerusform>
        </translation>
    </message>
    <message>
        <source>{weights}, some layers differ</source>
        <translation>{weights}&#xa0;; certaines couches diffèrent</translation>
    </message>
    <message>
        <source>{name} hasn’t drafted any tokens yet.</source>
        <translation>{name} n’a encore ébauché aucun token.</translation>
    </message>
    <message numerus="yes">
        <source>{name} has drafted %Ln token; {share} accepted.</source>
        <comment>{name} has drafted %Ln tokens; {share} accepted.</comment>
        <translation>
            <numerusform>{name} a ébauché %Ln token&#xa0;; {share} accepté.</numerusform>
            <numerusform>{name} a ébauché %Ln tokens&#xa0;; {share} acceptés.</numerusform>
        </translation>
    </message>
    <message>
        <source>Make It Fit…</source>
        <translation>Faire de la place…</translation>
    </message>
    <message numerus="yes">
        <source>Pasted text attached as a file, %Ln character</source>
        <comment>Pasted text attached as a file, %Ln characters</comment>
        <translation>
            <numerusform>Texte collé joint sous forme de fichier, %Ln caractère</numerusform>
            <numerusform>Texte collé joint sous forme de fichier, %Ln caractères</numerusform>
        </translation>
    </message>
    <message>
        <source>Relevant Passages Only</source>
        <translation>Passages pertinents uniquement</translation>
    </message>
    <message>
        <source>Higher is more random. 0 always picks the most likely token.</source>
        <translation>Plus haut, c’est plus aléatoire. 0 choisit toujours le token le plus probable.</translation>
    </message>
    <message>
        <source>In tokens, including thinking</source>
        <translation>En tokens, réflexion comprise</translation>
    </message>
    <message>
        <source>Only the most likely tokens, up to this total probability</source>
        <translation>Seulement les tokens les plus probables, jusqu’à cette probabilité totale</translation>
    </message>
    <message>
        <source>Only this many of the most likely tokens. 0 means all.</source>
        <translation>Ce nombre de tokens parmi les plus probables. 0 pour tous.</translation>
    </message>
    <message>
        <source>Only tokens at least this likely, relative to the first</source>
        <translation>Seulement les tokens au moins aussi probables, par rapport au premier</translation>
    </message>
    <message>
        <source>Only tokens of typical probability, up to this total</source>
        <translation>Seulement les tokens de probabilité typique, jusqu’à ce total</translation>
    </message>
    <message>
        <source>How often the most likely tokens are excluded</source>
        <translation>À quelle fréquence les tokens les plus probables sont exclus</translation>
    </message>
    <message>
        <source>Excludes tokens at least this likely</source>
        <translation>Exclut les tokens au moins aussi probables</translation>
    </message>
    <message>
        <source>Above 1, recent tokens become less likely</source>
        <translation>Au-dessus de 1, les tokens récents deviennent moins probables</translation>
    </message>
    <message>
        <source>Applied once to each recent token</source>
        <translation>Appliquée une fois à chaque token récent</translation>
    </message>
    <message>
        <source>Applied each time a token was used</source>
        <translation>Appliquée à chaque occurrence d’un token</translation>
    </message>
    <message>
        <source>as JSON by schema</source>
        <translation>en JSON selon un schéma</translation>
    </message>
    <message>
        <source>from a list of choices</source>
        <translation>parmi une liste de choix</translation>
    </message>
    <message>
        <source>by pattern</source>
        <translation>selon un motif</translation>
    </message>
    <message numerus="yes">
        <source>It would fit with the KV cache at %n bit.</source>
        <comment>It would fit with the KV cache at %n bits.</comment>
        <translation>
            <numerusform>Il tiendrait avec un cache KV sur %n bit.</numerusform>
            <numerusform>Il tiendrait avec un cache KV sur %n bits.</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} cached</source>
        <comment>tokens</comment>
        <translation>{count} en cache</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>identique</translation>
    </message>
    <message>
        <source>not identical</source>
        <translation>non identique</translation>
    </message>
    <message>
        <source>{size} · Ready</source>
        <translation>{size} · Prêt</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>En attente d’un autre téléchargement</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face…</source>
        <translation>En attente de Hugging Face…</translation>
    </message>
    <message>
        <source>{tool} · Interrupted when Stretto quit</source>
        <translation>{tool} · Interrompu en quittant Stretto</translation>
    </message>
    <message>
        <source>“{field}” looks like a secret. Servers must not ask for secrets in this way. Decline unless you know why.</source>
        <translation>«&#xa0;{field}&#xa0;» ressemble à un secret. Les serveurs ne doivent pas demander de secrets ainsi. Refusez, sauf si vous savez pourquoi.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this key when you quit.</source>
        <translation>Aucun trousseau trouvé. Stretto oublie cette clé quand vous quittez.</translation>
    </message>
    <message numerus="yes">
        <source>%n model available.</source>
        <comment>%n models available.</comment>
        <translation>
            <numerusform>%n modèle disponible.</numerusform>
            <numerusform>%n modèles disponibles.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replying · {rate} in total</source>
        <comment>%n replying · {rate} in total</comment>
        <translation>
            <numerusform>%n répond · {rate} au total</numerusform>
            <numerusform>%n répondent · {rate} au total</numerusform>
        </translation>
    </message>
    <message>
        <source>Convert to a smaller copy</source>
        <translation>Convertir en une copie plus petite</translation>
    </message>
    <message numerus="yes">
        <source>Use %n-bit KV cache for this chat</source>
        <comment>Use %n-bit KV cache for this chat</comment>
        <translation>
            <numerusform>Stocker le cache KV de cette discussion sur %n bit</numerusform>
            <numerusform>Stocker le cache KV de cette discussion sur %n bits</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. Slightly less accurate.</source>
        <translation>Nécessite {size}. Légèrement moins exact.</translation>
    </message>
    <message numerus="yes">
        <source>Limit this chat to %Ln token</source>
        <comment>Limit this chat to %Ln tokens</comment>
        <translation>
            <numerusform>Limiter cette discussion à %Ln token</numerusform>
            <numerusform>Limiter cette discussion à %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. You can change this in the chat’s settings.</source>
        <translation>Nécessite {size}. Modifiable dans les réglages de la discussion.</translation>
    </message>
    <message>
        <source>Needs {size}. Longer chats may run out of memory.</source>
        <translation>Nécessite {size}. Les discussions plus longues pourraient manquer de mémoire.</translation>
    </message>
    <message>
        <source>Its weights need {size}. Already on this computer.</source>
        <translation>Ses poids nécessitent {size}. Déjà sur cet ordinateur.</translation>
    </message>
    <message>
        <source>Find a smaller model…</source>
        <translation>Rechercher un modèle plus petit…</translation>
    </message>
    <message>
        <source>Searches Hugging Face.</source>
        <translation>Ouvre la recherche sur Hugging Face.</translation>
    </message>
    <message>
        <source>Its weights fit. Chats may run out of memory.</source>
        <translation>Ses poids tiennent. Les discussions pourraient manquer de mémoire.</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Charger quand même</translation>
    </message>
    <message>
        <source>Frees {size}. It loads again when you send.</source>
        <translation>Libère {size}. Il se recharge à l’envoi.</translation>
    </message>
    <message>
        <source>Frees {size}. They load again when you send.</source>
        <translation>Libère {size}. Ils se rechargent à l’envoi.</translation>
    </message>
    <message>
        <source>{name} stays loaded. {why}</source>
        <translation>{name} reste chargé. {why}</translation>
    </message>
    <message>
        <source>Tokens per chat</source>
        <translation>Tokens par discussion</translation>
    </message>
    <message>
        <source>For {chats} of {tokens}</source>
        <translation>Pour {chats} de {tokens}</translation>
    </message>
    <message>
        <source>Sent only to Hugging Face. Stored in your keychain once accepted.</source>
        <translation>Envoyé uniquement à Hugging Face, et conservé dans votre trousseau une fois accepté.</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this token when you quit.</source>
        <translation>Aucun trousseau trouvé. Stretto oublie ce jeton quand vous quittez.</translation>
    </message>
    <message>
        <source>Blocked because this link attaches a file to an email.</source>
        <translation>Bloqué, car ce lien joint un fichier à un e-mail.</translation>
    </message>
    <message>
        <source>Write an email to this address outside Stretto?</source>
        <translation>Écrire un e-mail à cette adresse en dehors de Stretto&#xa0;?</translation>
    </message>
    <message>
        <source>It leads to {place}, not to the text before the “@”:</source>
        <translation>Il mène à {place}, et non à ce qui précède le «&#xa0;@&#xa0;»&#xa0;:</translation>
    </message>
    <message>
        <source>Its message: “{words}”</source>
        <translation>Message&#xa0;: «&#xa0;{words}&#xa0;»</translation>
    </message>
    <message>
        <source>The chat doesn’t fit in the context of {model}.</source>
        <translation>La discussion ne tient pas dans le contexte de {model}.</translation>
    </message>
    <message>
        <source>{host} doesn’t support choices or patterns as a reply format. Choose another under “Reply format” in the chat’s settings, such as JSON.</source>
        <translation>{host} ne prend en charge ni les choix ni les motifs comme format de réponse. Choisissez-en un autre sous «&#xa0;Format de réponse&#xa0;» dans les réglages de la discussion, par exemple JSON.</translation>
    </message>
    <message>
        <source>No misspelled words found.</source>
        <translation>Aucun mot mal orthographié.</translation>
    </message>
    <message>
        <source>{word} isn’t in the dictionary.</source>
        <translation>{word} n’est pas dans le dictionnaire.</translation>
    </message>
    <message>
        <source>Suggestions took too long</source>
        <translation>Suggestions trop longues à trouver</translation>
    </message>
    <message>
        <source>Code, hard questions, room for more chats</source>
        <translation>Code, questions difficiles, plus de discussions</translation>
    </message>
    <message>
        <source>Nothing found yet. Start the other Stretto with “serve --announce”.</source>
        <translation>Aucun résultat pour l’instant. Lancez l’autre Stretto avec «&#xa0;serve --announce&#xa0;».</translation>
    </message>
    <message>
        <source>Leave out oldest messages when context is full</source>
        <translation>Omettre les messages les plus anciens quand le contexte est plein</translation>
    </message>
    <message>
        <source>Copy code for OpenAI’s library</source>
        <translation>Copier du code pour la bibliothèque OpenAI</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a server</comment>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>The file has changed since the changes were shown.</source>
        <translation>Le fichier a changé depuis l’affichage des modifications.</translation>
    </message>
    <message>
        <source>“{path}” isn’t an absolute path.</source>
        <translation>«&#xa0;{path}&#xa0;» n’est pas un chemin absolu.</translation>
    </message>
    <message>
        <source>Only numbers, + - * / // % **, brackets, and common functions are supported.</source>
        <translation>Seuls les nombres, + - * / // % **, les parenthèses et les fonctions usuelles sont acceptés.</translation>
    </message>
    <message>
        <source>Tools in this chat can change files in it. You see each change first.  W</source>
        <translation>Les outils de cette discussion peuvent y modifier des fichiers. Chaque modification vous est d’abord montrée.  W</translation>
    </message>
    <message>
        <source>Run every waiting call in this chat  A</source>
        <translation>Exécuter tous les appels en attente dans cette discussion  A</translation>
    </message>
    <message>
        <source>Run none of the waiting calls</source>
        <translation>N’exécuter aucun des appels en attente</translation>
    </message>
    <message>
        <source>Stop this call</source>
        <translation>Arrêter cet appel</translation>
    </message>
    <message>
        <source>Stop this call and run it again</source>
        <translation>Arrêter cet appel et le relancer</translation>
    </message>
    <message>
        <source>Tools in this chat can list, search, and read files in it</source>
        <translation>Les outils de cette discussion peuvent lister, rechercher et lire ses fichiers</translation>
    </message>
    <message numerus="yes">
        <source>These tools add %Ln token to each prompt.</source>
        <comment>These tools add %Ln tokens to each prompt.</comment>
        <translation>
            <numerusform>Ces outils ajoutent %Ln token à chaque prompt.</numerusform>
            <numerusform>Ces outils ajoutent %Ln tokens à chaque prompt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Not started</source>
        <comment>a server</comment>
        <translation>Non démarré</translation>
    </message>
    <message>
        <source>Starting…</source>
        <comment>a server</comment>
        <translation>Démarrage…</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>a server</comment>
        <translation>Actif</translation>
    </message>
    <message>
        <source>New or changed. Starts when a chat needs it:</source>
        <translation>Nouveau ou modifié. Démarre quand une discussion en a besoin&#xa0;:</translation>
    </message>
    <message>
        <source>Add a folder that contains models</source>
        <translation>Ajouter un dossier contenant des modèles</translation>
    </message>
    <message>
        <source>No models yet. Get one from Hugging Face, or add a folder of models.</source>
        <translation>Aucun modèle pour l’instant. Obtenez-en un sur Hugging Face ou ajoutez un dossier de modèles.</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model name or link</source>
        <translation>Recherche Hugging Face, ou nom ou lien d’un modèle</translation>
    </message>
    <message>
        <source>This model already has an adapter</source>
        <translation>Ce modèle a déjà un adaptateur</translation>
    </message>
    <message>
        <source>Lists the model a second time, with a LoRA or DoRA adapter</source>
        <translation>Ajoute une seconde fois ce modèle à la liste, avec un adaptateur LoRA ou DoRA</translation>
    </message>
    <message>
        <source>Enter part of a model’s name first</source>
        <translation>Saisissez d’abord une partie du nom d’un modèle</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a reply</comment>
        <translation>Arrêtée</translation>
    </message>
    <message>
        <source>It runs on {hosts} and hasn’t been started.</source>
        <translation>Il fonctionne sur {hosts} et n’a pas été démarré.</translation>
    </message>
    <message>
        <source>Looking for changes…</source>
        <translation>Recherche des modifications…</translation>
    </message>
    <message>
        <source>Leave Out Oldest Messages</source>
        <translation>Omettre les messages les plus anciens</translation>
    </message>
    <message>
        <source>Interrupted when Stretto quit</source>
        <comment>a reply</comment>
        <translation>Interrompue en quittant Stretto</translation>
    </message>
    <message>
        <source>Opens the model’s page on Hugging Face</source>
        <translation>Ouvre la page du modèle sur Hugging Face</translation>
    </message>
    <message>
        <source>{context}. Nearly full. Start a new chat, or leave out the oldest messages.</source>
        <translation>{context}. Presque plein&#xa0;: commencez une nouvelle discussion ou omettez les messages les plus anciens.</translation>
    </message>
    <message>
        <source>This chat now leaves out its oldest messages</source>
        <translation>Cette discussion omet désormais ses messages les plus anciens</translation>
    </message>
    <message>
        <source>As Much as Fits</source>
        <translation>Autant que possible</translation>
    </message>
    <message>
        <source>Search Chats for “{words}”</source>
        <translation>Rechercher «&#xa0;{words}&#xa0;» dans les discussions</translation>
    </message>
    <message>
        <source>Use with a coding agent</source>
        <translation>Utiliser avec un agent de programmation</translation>
    </message>
    <message>
        <source>Model aliases</source>
        <translation>Alias de modèles</translation>
    </message>
    <message>
        <source>Cached context of clients</source>
        <translation>Contexte en cache des clients</translation>
    </message>
    <message>
        <source>launch, Claude Code, Codex, terminal</source>
        <translation>lancer, Claude Code, Codex, terminal</translation>
    </message>
    <message>
        <source>Clear the cached context of clients</source>
        <translation>Vider le contexte en cache des clients</translation>
    </message>
    <message>
        <source>Lets them resume right away after a restart</source>
        <translation>Ils reprennent aussitôt après un redémarrage</translation>
    </message>
    <message>
        <source>Open Terminal…</source>
        <translation>Ouvrir le terminal…</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names} et d’autres</translation>
    </message>
    <message>
        <source>Use with Agent</source>
        <translation>Utiliser avec un agent</translation>
    </message>
    <message>
        <source>Choose project folder</source>
        <translation>Choisir le dossier du projet</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>Dossier du projet</translation>
    </message>
    <message>
        <source>The agent’s own settings stay as they are. Stretto creates a key if it needs one. If it isn’t installed, the terminal shows how to install it.</source>
        <translation>Les réglages propres à l’agent ne changent pas. S’il lui faut une clé, elle est créée pour lui. S’il n’est pas installé, le terminal indique comment l’installer.</translation>
    </message>
    <message>
        <source>Copy Command</source>
        <translation>Copier la commande</translation>
    </message>
    <message>
        <source>Open in Terminal</source>
        <translation>Ouvrir dans le terminal</translation>
    </message>
    <message>
        <source>Choose Project Folder</source>
        <translation>Choisir le dossier du projet</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command into yours.</source>
        <translation>Aucun terminal trouvé. Copiez la commande dans le vôtre.</translation>
    </message>
    <message>
        <source>The terminal couldn’t be opened: {error}.</source>
        <translation>Impossible d’ouvrir le terminal&#xa0;: {error}.</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>recherche dans le prompt</translation>
    </message>
    <message>
        <source>Prompt lookup</source>
        <translation>Recherche dans le prompt</translation>
    </message>
    <message>
        <source>A smaller model with the same tokenizer can speed up a chat that replies alone. Prompt lookup needs no model. It helps when the reply repeats text or code from the chat with changes. Replies stay the same.</source>
        <translation>Un modèle plus petit avec le même tokeniseur peut accélérer une discussion qui répond seule. La recherche dans le prompt se passe de modèle&#xa0;: elle est utile quand du texte ou du code de la discussion est réécrit avec des modifications. Les réponses restent les mêmes.</translation>
    </message>
    <message>
        <source>{name} no longer uses prompt lookup.</source>
        <translation>{name} n’utilise plus la recherche dans le prompt.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup.</source>
        <translation>{name} utilise la recherche dans le prompt.</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup once loaded.</source>
        <translation>{name} utilisera la recherche dans le prompt une fois chargé.</translation>
    </message>
    <message>
        <source>Share of compute when several clients are active</source>
        <translation>Part du temps de calcul quand plusieurs clients sont actifs</translation>
    </message>
    <message>
        <source>The message alone is too long for the model’s context.</source>
        <translation>À lui seul, le message est trop long pour le contexte du modèle.</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>Utiliser {model}</translation>
    </message>
    <message>
        <source>images</source>
        <comment>after another word</comment>
        <translation>images</translation>
    </message>
    <message>
        <source>{model} can’t see images. Remove them, or choose a model that can.</source>
        <translation>{model} ne voit pas les images. Retirez-les ou choisissez un modèle qui les voit.</translation>
    </message>
    <message>
        <source>Pasted image</source>
        <translation>Image collée</translation>
    </message>
    <message>
        <source>The image is no longer available.</source>
        <translation>L’image n’est plus disponible.</translation>
    </message>
    <message>
        <source>The model can’t see images.</source>
        <translation>Le modèle ne voit pas les images.</translation>
    </message>
    <message>
        <source>Supports images</source>
        <translation>Prend en charge les images</translation>
    </message>
    <message>
        <source>Images in your messages are sent to this model</source>
        <translation>Les images de vos messages sont envoyées à ce modèle</translation>
    </message>
    <message>
        <source>Image {name}, {about}</source>
        <translation>Image {name}, {about}</translation>
    </message>
    <message>
        <source>Enter shows the image, Delete removes it</source>
        <translation>Entrée pour afficher l’image, Suppr pour la retirer</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, press {keys} in it.</source>
        <translation>La diffusion est activée. Pour inclure une discussion distante, appuyez sur {keys} dans celle-ci.</translation>
    </message>
    <message>
        <source>The connection to {host} was lost before the reply ended.</source>
        <translation>La connexion à {host} a été perdue avant la fin de la réponse.</translation>
    </message>
    <message>
        <source>{host} couldn’t finish the reply.</source>
        <translation>{host} n’a pas pu terminer la réponse.</translation>
    </message>
    <message>
        <source>Send now, interrupting the reply</source>
        <translation>Envoyer tout de suite en interrompant la réponse</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Entrée</translation>
    </message>
    <message>
        <source>Editing your message</source>
        <translation>Modification de votre message</translation>
    </message>
    <message>
        <source>No app here opens PDFs. Export the chat as PDF instead.</source>
        <translation>Aucune application n’ouvre les PDF ici. Exportez plutôt la discussion en PDF.</translation>
    </message>
    <message>
        <source>Branch: {title}</source>
        <translation>Branche&#xa0;: {title}</translation>
    </message>
    <message>
        <source>Branch {number}: {title}</source>
        <translation>Branche {number}&#xa0;: {title}</translation>
    </message>
    <message>
        <source>{model} can’t hear recordings. Remove them, or choose a model that can.</source>
        <translation>{model} n’entend pas les enregistrements. Retirez-les ou choisissez un modèle qui les entend.</translation>
    </message>
    <message>
        <source>The model can’t hear recordings.</source>
        <translation>Le modèle n’entend pas les enregistrements.</translation>
    </message>
    <message>
        <source>Beginning of the chat</source>
        <translation>Début de la discussion</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>of a branch</comment>
        <translation>affichée</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branch</source>
        <comment>%Ln branches</comment>
        <translation>
            <numerusform>%Ln branche</numerusform>
            <numerusform>%Ln branches</numerusform>
        </translation>
    </message>
    <message>
        <source>Name of the branch</source>
        <translation>Nom de la branche</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Branches</translation>
    </message>
    <message>
        <source>Show This Branch  Enter</source>
        <translation>Afficher cette branche  Enter</translation>
    </message>
    <message>
        <source>Name Branch  F2</source>
        <translation>Nommer la branche  F2</translation>
    </message>
    <message>
        <source>Compare Branches  Shift+Enter</source>
        <translation>Comparer les branches  Shift+Enter</translation>
    </message>
    <message>
        <source>Messages One by One  Shift+Right</source>
        <translation>Messages un par un  Shift+Right</translation>
    </message>
    <message>
        <source>Delete Branch  Del</source>
        <translation>Supprimer la branche  Del</translation>
    </message>
    <message>
        <source>Choose a branch below it.</source>
        <translation>Choisissez une branche en dessous.</translation>
    </message>
    <message>
        <source>This branch is shown already. Choose another, or two to compare.</source>
        <translation>Cette branche est déjà affichée. Choisissez-en une autre, ou deux à comparer.</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more message</source>
        <comment>… %Ln more messages</comment>
        <translation>
            <numerusform>… %Ln autre message</numerusform>
            <numerusform>… %Ln autres messages</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare Branches</source>
        <translation>Comparer les branches</translation>
    </message>
    <message>
        <source>Both continue from “{words}”</source>
        <translation>Les deux continuent à partir de «&#xa0;{words}&#xa0;»</translation>
    </message>
    <message>
        <source>Shown branch</source>
        <translation>Branche affichée</translation>
    </message>
    <message>
        <source>Other branch</source>
        <translation>Autre branche</translation>
    </message>
    <message>
        <source>Show This Branch</source>
        <translation>Afficher cette branche</translation>
    </message>
    <message>
        <source>Hide Branches</source>
        <translation>Masquer les branches</translation>
    </message>
    <message>
        <source>Show Branches</source>
        <translation>Afficher les branches</translation>
    </message>
    <message>
        <source>Optimist</source>
        <translation>Optimiste</translation>
    </message>
    <message>
        <source>Answer as an optimist. Make the case for it.</source>
        <translation>Réponds en optimiste. Donne les arguments pour.</translation>
    </message>
    <message>
        <source>Skeptic</source>
        <translation>Sceptique</translation>
    </message>
    <message>
        <source>Answer as a skeptic. Say what could go wrong.</source>
        <translation>Réponds en sceptique. Dis ce qui pourrait mal tourner.</translation>
    </message>
    <message>
        <source>Engineer</source>
        <translation>Ingénieur</translation>
    </message>
    <message>
        <source>Answer as an engineer. Explain how you’d build it.</source>
        <translation>Réponds en ingénieur. Explique comment tu t’y prendrais.</translation>
    </message>
    <message>
        <source>Judged by {model}</source>
        <translation>Jugé par {model}</translation>
    </message>
    <message>
        <source>Merged by {model}</source>
        <translation>Fusionné par {model}</translation>
    </message>
    <message>
        <source>Vote</source>
        <translation>Vote</translation>
    </message>
    <message>
        <source>The comparison is still running.</source>
        <translation>La comparaison est encore en cours.</translation>
    </message>
    <message>
        <source>Needs at least two replies.</source>
        <translation>Il faut au moins deux réponses.</translation>
    </message>
    <message>
        <source>Models can misjudge. Check what matters.</source>
        <translation>Un modèle peut se tromper. Vérifiez ce qui compte.</translation>
    </message>
    <message>
        <source>A reply was cut off and can’t be counted.</source>
        <translation>Une réponse a été coupée et ne peut pas être comptée.</translation>
    </message>
    <message>
        <source>Only numbers, short choices, and JSON can be counted.</source>
        <translation>Seuls des nombres, des choix courts et du JSON peuvent être comptés.</translation>
    </message>
    <message>
        <source>All {total} say {value}.</source>
        <translation>Les {total} disent {value}.</translation>
    </message>
    <message>
        <source>No reply has more votes than the others.</source>
        <translation>Aucune réponse n’a plus de voix que les autres.</translation>
    </message>
    <message>
        <source>{most} of {total} say {value}.</source>
        <translation>{most} sur {total} disent {value}.</translation>
    </message>
    <message>
        <source>No reply: {names}</source>
        <translation>Pas de réponse&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Agreeing doesn’t make it correct.</source>
        <translation>Être d’accord ne veut pas dire avoir raison.</translation>
    </message>
    <message>
        <source>This chat’s model</source>
        <translation>Modèle de cette discussion</translation>
    </message>
    <message>
        <source>As in chat</source>
        <comment>a temperature</comment>
        <translation>Comme la discussion</translation>
    </message>
    <message>
        <source>Random</source>
        <comment>a seed</comment>
        <translation>Aléatoire</translation>
    </message>
    <message>
        <source>Instructions for this member</source>
        <translation>Instructions pour ce membre</translation>
    </message>
    <message>
        <source>Remove Member</source>
        <translation>Retirer le membre</translation>
    </message>
    <message>
        <source>Name of member {number}</source>
        <translation>Nom du membre {number}</translation>
    </message>
    <message>
        <source>Model of member {number}</source>
        <translation>Modèle du membre {number}</translation>
    </message>
    <message>
        <source>Temperature of member {number}</source>
        <translation>Température du membre {number}</translation>
    </message>
    <message>
        <source>Seed of member {number}</source>
        <translation>Graine du membre {number}</translation>
    </message>
    <message>
        <source>Instructions of member {number}</source>
        <translation>Instructions du membre {number}</translation>
    </message>
    <message>
        <source>Remove member {number}</source>
        <translation>Retirer le membre {number}</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Comparaison</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>Enregistrer sous…</translation>
    </message>
    <message>
        <source>Add Member</source>
        <translation>Ajouter un membre</translation>
    </message>
    <message>
        <source>Compare at least two members.</source>
        <translation>Comparez au moins deux membres.</translation>
    </message>
    <message>
        <source>You can compare up to {most} members.</source>
        <translation>Vous pouvez comparer jusqu’à {most} membres.</translation>
    </message>
    <message>
        <source>Last comparison</source>
        <translation>Dernière comparaison</translation>
    </message>
    <message>
        <source>Save Comparison</source>
        <translation>Enregistrer la comparaison</translation>
    </message>
    <message>
        <source>Rename Comparison</source>
        <translation>Renommer la comparaison</translation>
    </message>
    <message>
        <source>Go to one of the columns first.</source>
        <translation>Allez d’abord dans une des colonnes.</translation>
    </message>
    <message>
        <source>This reply came from a comparison. Open the comparison to regenerate it.</source>
        <translation>Cette réponse vient d’une comparaison. Ouvrez la comparaison pour la régénérer.</translation>
    </message>
    <message>
        <source>Finish editing the message first.</source>
        <translation>Terminez d’abord la modification du message.</translation>
    </message>
    <message>
        <source>The columns of this comparison aren’t in this chat.</source>
        <translation>Les colonnes de cette comparaison ne sont pas dans cette discussion.</translation>
    </message>
    <message>
        <source>Show Comparison: {names}</source>
        <translation>Afficher la comparaison&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Show Comparison</source>
        <translation>Afficher la comparaison</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>Juger</translation>
    </message>
    <message>
        <source>A model compares the replies in both orders</source>
        <translation>Un modèle compare les réponses, dans les deux ordres</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Fusionner</translation>
    </message>
    <message>
        <source>Combines the replies and cites where each part came from</source>
        <translation>Combine les réponses et cite l’origine de chaque partie</translation>
    </message>
    <message>
        <source>Count Votes</source>
        <translation>Compter les voix</translation>
    </message>
    <message>
        <source>Counts replies that are numbers, choices, or JSON</source>
        <translation>Compter les réponses qui sont des nombres, des choix ou du JSON</translation>
    </message>
    <message>
        <source>Continue from this reply. The others are kept as versions.</source>
        <translation>Continuer avec cette réponse. Les autres sont conservées comme versions.</translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation>Garder {name}</translation>
    </message>
    <message>
        <source>Hide Comparison  Esc</source>
        <translation>Masquer la comparaison  Esc</translation>
    </message>
    <message>
        <source>All members have replied</source>
        <translation>Tous les membres ont répondu</translation>
    </message>
    <message>
        <source>Compare with Same Members</source>
        <translation>Comparer avec les mêmes membres</translation>
    </message>
    <message>
        <source>Show/Hide Comparison</source>
        <translation>Afficher ou masquer la comparaison</translation>
    </message>
    <message>
        <source>Judge Compared Replies</source>
        <translation>Juger les réponses comparées</translation>
    </message>
    <message>
        <source>Merge Compared Replies</source>
        <translation>Fusionner les réponses comparées</translation>
    </message>
    <message>
        <source>Count Votes of Compared Replies</source>
        <translation>Compter les voix des réponses comparées</translation>
    </message>
    <message>
        <source>This chat is no longer there.</source>
        <translation>Cette discussion n’existe plus.</translation>
    </message>
    <message>
        <source>chat</source>
        <comment>a kind of file</comment>
        <translation>discussion</translation>
    </message>
    <message numerus="yes">
        <source>message {numbers}</source>
        <comment>messages {numbers}</comment>
        <translation>
            <numerusform>message {numbers}</numerusform>
            <numerusform>messages {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} new message</source>
        <comment>{count} new messages</comment>
        <translation>
            <numerusform>{count} nouveau message</numerusform>
            <numerusform>{count} nouveaux messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>changed, {count} message</source>
        <comment>changed, {count} messages</comment>
        <translation>
            <numerusform>modifié, {count} message</numerusform>
            <numerusform>modifié, {count} messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>last message</source>
        <comment>last {count} messages</comment>
        <translation>
            <numerusform>dernier message</numerusform>
            <numerusform>{count} derniers messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>whole, {count} message</source>
        <comment>whole, {count} messages</comment>
        <translation>
            <numerusform>en entier, {count} message</numerusform>
            <numerusform>en entier, {count} messages</numerusform>
        </translation>
    </message>
    <message>
        <source>Read another chat</source>
        <translation>Lire une autre discussion</translation>
    </message>
    <message>
        <source>@, in the message</source>
        <translation>@, dans le message</translation>
    </message>
    <message>
        <source>Message {number}</source>
        <translation>Message {number}</translation>
    </message>
    <message>
        <source>Enter opens the chat, Right shows the text sent to the model</source>
        <translation>Entrée pour ouvrir la discussion, Droite pour afficher le texte envoyé au modèle</translation>
    </message>
    <message>
        <source>Chat {name}, {about}</source>
        <translation>Discussion {name}, {about}</translation>
    </message>
    <message>
        <source>Enter opens the menu, Delete ends following the chat</source>
        <translation>Entrée ouvre le menu, Suppr arrête de suivre la discussion</translation>
    </message>
    <message>
        <source>Open Chat</source>
        <translation>Ouvrir la discussion</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Suivre</translation>
    </message>
    <message>
        <source>no longer there</source>
        <comment>a chat</comment>
        <translation>n’existe plus</translation>
    </message>
    <message>
        <source>in the Trash</source>
        <comment>a chat</comment>
        <translation>dans la corbeille</translation>
    </message>
    <message>
        <source>Deleted chat</source>
        <translation>Discussion supprimée</translation>
    </message>
    <message>
        <source>too long</source>
        <comment>a chat</comment>
        <translation>trop longue</translation>
    </message>
    <message>
        <source>Read Another Chat</source>
        <translation>Lire une autre discussion</translation>
    </message>
    <message numerus="yes">
        <source>Whole chat, %Ln message</source>
        <comment>Whole chat, %Ln messages</comment>
        <translation>
            <numerusform>Discussion entière, %Ln message</numerusform>
            <numerusform>Discussion entière, %Ln messages</numerusform>
        </translation>
    </message>
    <message>
        <source>Last messages:</source>
        <translation>Derniers messages&#xa0;:</translation>
    </message>
    <message>
        <source>Number of messages</source>
        <translation>Nombre de messages</translation>
    </message>
    <message>
        <source>Include new messages from this chat as they arrive</source>
        <translation>Inclure les nouveaux messages de cette discussion au fil de l’eau</translation>
    </message>
    <message>
        <source>Reasoning, tool calls, and the text of files are left out.</source>
        <translation>Le raisonnement, les appels d’outils et le texte des fichiers sont omis.</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lire</translation>
    </message>
    <message>
        <source>There’s no other chat.</source>
        <translation>Il n’y a pas d’autre discussion.</translation>
    </message>
    <message>
        <source>Read Another Chat…</source>
        <translation>Lire une autre discussion…</translation>
    </message>
    <message>
        <source>Search chats to read</source>
        <translation>Rechercher des discussions à lire</translation>
    </message>
    <message>
        <source>A chat follows at most {most} others.</source>
        <translation>Une discussion suit au plus {most} autres.</translation>
    </message>
    <message>
        <source>Keep compared reply</source>
        <translation>Garder une réponse comparée</translation>
    </message>
    <message>
        <source>Enter, on a column</source>
        <translation>Entrée, sur une colonne</translation>
    </message>
    <message>
        <source>Previous or next column</source>
        <translation>Colonne précédente ou suivante</translation>
    </message>
    <message>
        <source>Left or Right, on a column</source>
        <translation>Gauche ou Droite, sur une colonne</translation>
    </message>
    <message>
        <source>Show branch</source>
        <translation>Afficher la branche</translation>
    </message>
    <message>
        <source>Enter, in the branches</source>
        <translation>Entrée, dans les branches</translation>
    </message>
    <message>
        <source>Name branch</source>
        <translation>Nommer la branche</translation>
    </message>
    <message>
        <source>F2, in the branches</source>
        <translation>F2, dans les branches</translation>
    </message>
    <message>
        <source>Compare branches</source>
        <translation>Comparer les branches</translation>
    </message>
    <message>
        <source>Shift+Enter, in the branches</source>
        <translation>Maj+Entrée, dans les branches</translation>
    </message>
    <message>
        <source>Show messages of a branch one by one</source>
        <translation>Afficher un par un les messages d’une branche</translation>
    </message>
    <message>
        <source>Shift+Right, in the branches</source>
        <translation>Maj+Droite, dans les branches</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Supprimer la branche</translation>
    </message>
    <message>
        <source>Delete, in the branches</source>
        <translation>Suppr, dans les branches</translation>
    </message>
    <message>
        <source>Ask Helpers</source>
        <translation>Interroger des assistants</translation>
    </message>
    <message>
        <source>Answers up to 8 questions at the same time with the same model.</source>
        <translation>Traite jusqu’à 8 questions à la fois avec le même modèle.</translation>
    </message>
    <message>
        <source>Ask helpers these questions?</source>
        <translation>Poser ces questions aux assistants&#xa0;?</translation>
    </message>
    <message>
        <source>Only the question</source>
        <translation>La question seulement</translation>
    </message>
    <message>
        <source>This chat so far</source>
        <translation>Cette discussion jusqu’ici</translation>
    </message>
    <message>
        <source>“{name}” must be a list of 1 to {most} texts.</source>
        <translation>«&#xa0;{name}&#xa0;» doit être une liste de 1 à {most} textes.</translation>
    </message>
    <message>
        <source>“{name}” must be “fresh” or “fork”.</source>
        <translation>«&#xa0;{name}&#xa0;» doit être «&#xa0;fresh&#xa0;» ou «&#xa0;fork&#xa0;».</translation>
    </message>
    <message numerus="yes">
        <source>%n helper</source>
        <comment>%n helpers</comment>
        <translation>
            <numerusform>%n assistant</numerusform>
            <numerusform>%n assistants</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens for each helper</source>
        <translation>Tokens par assistant</translation>
    </message>
    <message>
        <source>Seconds for all helpers</source>
        <translation>Secondes pour tous les assistants</translation>
    </message>
    <message>
        <source>Helpers at once</source>
        <translation>Assistants simultanés</translation>
    </message>
    <message>
        <source>The model was unloaded.</source>
        <translation>Le modèle a été déchargé.</translation>
    </message>
    <message>
        <source>It tried to use a tool.</source>
        <translation>Il a tenté d’utiliser un outil.</translation>
    </message>
    <message>
        <source>Memory is full.</source>
        <translation>La mémoire est pleine.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>a helper</comment>
        <translation>En attente</translation>
    </message>
    <message>
        <source>Reading</source>
        <comment>a helper</comment>
        <translation>Lecture</translation>
    </message>
    <message>
        <source>Thinking</source>
        <comment>a helper</comment>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a helper</comment>
        <translation>Rédaction</translation>
    </message>
    <message>
        <source>Done</source>
        <comment>a helper</comment>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a helper</comment>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Out of tokens</source>
        <comment>a helper</comment>
        <translation>Plus de tokens</translation>
    </message>
    <message>
        <source>Out of time</source>
        <comment>a helper</comment>
        <translation>Temps écoulé</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>a helper</comment>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Stop this helper</source>
        <translation>Arrêter cet assistant</translation>
    </message>
    <message>
        <source>Helper {number} of {count}, {state}</source>
        <translation>Assistant {number} sur {count}, {state}</translation>
    </message>
    <message numerus="yes">
        <source>Asking %n helper</source>
        <comment>Asking %n helpers</comment>
        <translation>
            <numerusform>Interrogation de %n assistant</numerusform>
            <numerusform>Interrogation de %n assistants</numerusform>
        </translation>
    </message>
    <message>
        <source>From Help, because the Guide can get this wrong.</source>
        <translation>Extrait de l’aide, car le Guide peut se tromper à ce sujet.</translation>
    </message>
    <message>
        <source>Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.</source>
        <translation>Stretto n’a plus de tableaux comparatifs. Le vôtre est enregistré en CSV et JSON dans {folder}.</translation>
    </message>
    <message>
        <source>Chat Settings (changed)</source>
        <translation>Réglages de la discussion (modifiés)</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>Copier le message</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>Fournisseur</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Autre</translation>
    </message>
    <message>
        <source>Add Server…</source>
        <translation>Ajouter un serveur…</translation>
    </message>
    <message>
        <source>Add Server</source>
        <translation>Ajouter un serveur</translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation>Commande ou adresse</translation>
    </message>
    <message>
        <source>Enter a name, and a command or an address.</source>
        <translation>Saisissez un nom, et une commande ou une adresse.</translation>
    </message>
</context>
</TS>
