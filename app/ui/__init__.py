"""Everything that is on screen, one folder for each part of the window.

Imports: app.score, app.settings, app.ui.style, app.ui.widgets.
"""
