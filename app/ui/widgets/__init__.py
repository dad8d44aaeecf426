"""Small widgets used in several parts of the window.

Imports: app.flows, app.settings, app.ui.style.
"""
