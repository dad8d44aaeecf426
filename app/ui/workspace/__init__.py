"""Arranges panes in docks, tabs and floating windows. Keeps track of the active pane.

Imports: app.chats, app.settings, app.ui.pane, app.ui.style, app.ui.widgets.
"""
