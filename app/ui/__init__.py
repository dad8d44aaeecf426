"""Widgets, with a package for each part of the window.

Imports: app.score, app.settings, app.system, app.ui.style, app.ui.widgets.
"""

from app.system.pyside import survive_errors

survive_errors()
