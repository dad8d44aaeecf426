"""Arrangement of the panes: docks, tabs, floating windows, and the active pane.

Imports: app.chats, app.settings, app.ui.pane, app.ui.style, app.ui.widgets.
"""
