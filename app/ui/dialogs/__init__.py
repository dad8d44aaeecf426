"""Small dialogs that stand alone: names, warnings, updates, licences, shortcuts.

Imports: app, app.licences, app.settings, app.store, app.ui.style, app.ui.widgets, app.ui.window,
app.updates, app.versions.
"""
