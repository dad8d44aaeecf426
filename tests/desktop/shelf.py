"""Window of another program with an image that can be dragged out with the mouse.

python -m tests.desktop.shelf FILE LEFT TOP
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication, QLabel


class Shelf(QLabel):
    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file
        self.setWindowTitle("Shelf")
        self.setPixmap(QPixmap(file))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(self._file)])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction | Qt.DropAction.MoveAction)


if __name__ == "__main__":
    program = QApplication(sys.argv[:1])
    shelf = Shelf(sys.argv[1])
    shelf.move(int(sys.argv[2]), int(sys.argv[3]))
    shelf.show()
    program.exec()
