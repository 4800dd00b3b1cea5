"""Reads a project from one text file. tests/golden/bad_content/README.md defines the format."""

import re

MARKER = re.compile(r"^-- (\S.*?)(?: \[([0-9a-f]{32})\])?( escaped)? --\n", re.MULTILINE)
ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))")


def unescape(text):
    def byte(match):
        if match[1]:
            return bytes([int(match[1], 16)])
        return {b"n": b"\n", b"\\": b"\\"}[match[2]]
    return ESCAPE.sub(byte, text.replace("\n", "").encode())


def read_project(path):
    """Returns the files of a project by path, and the text of its expected findings."""
    parts = MARKER.split(path.read_bytes().decode())
    files = {}
    expected = ""
    for name, guid, escaped, content in zip(*(iter(parts[1:]),) * 4):
        if name == "expected":
            expected = content
            continue
        is_folder = name.endswith("/")
        if guid:
            files[name.rstrip("/") + ".meta"] = (
                f"fileFormatVersion: 2\nguid: {guid}\n" + ("folderAsset: yes\n" * is_folder)
            ).encode()
        if not is_folder:
            files[name] = unescape(content) if escaped else content.encode()
    return files, expected


def unpack(source, target):
    """Writes a project of a text file into a new folder, or each text file of a folder."""
    if source.is_dir():
        for text in sorted(source.glob("*.txt")):
            unpack(text, target / text.stem)
        return
    target.mkdir(parents=True)
    for name, content in read_project(source)[0].items():
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
