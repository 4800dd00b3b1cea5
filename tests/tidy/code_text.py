"""C++ source as text, for the checks of tidy.py."""

import re

LITERALS = re.compile(
    r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def bare_code(text, keep_strings=False):
    """Returns C++ or C with blanked comments and literals; line breaks are kept."""
    def blank(match):
        piece = match.group(0)
        if keep_strings and not piece.startswith("/"):
            return piece
        return re.sub(r"[^\n]", " ", piece)
    return LITERALS.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
