"""Small widgets that several parts of the window use.

Imports: app.flows, app.settings, app.ui.style.
"""
