"""The check of tidy.py that each constant has a unique name.

Sources are compiled in batches. In a batch, a constant of an anonymous namespace is visible in all
later sources. If a header has a constant with the same name, a later source uses the wrong value.
"""

import collections
import re

from code_text import bare_code

NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{\s*$")
NAMESPACE_END = re.compile(r"\}\s+// namespace\b")
CONSTANT = re.compile(r"(?:(?:static|inline|const|constexpr|constinit)\s+)+[\w:<>,*&\s]+?"
                      r"\b(k[A-Z]\w*)\s*(?:\[[^\]]*\]\s*)*[={(;]")


def constants_of(text, bare):
    """Yields namespace, name and line of each constant at namespace scope of formatted code."""
    spaces = []
    lines, code = text.split("\n"), bare.split("\n")
    for index, line in enumerate(code):
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append(opened.group(1) or "")
        elif NAMESPACE_END.match(lines[index]) and spaces:
            spaces.pop()
        else:
            # The name may be on the line after its type.
            found = CONSTANT.match(" ".join(code[index:index + 2]))
            if found:
                yield "::".join(space for space in spaces if space), found.group(1), index + 1


def may_include(path, header):
    """Returns whether a file, or another file in the same batch, may include the header."""
    room = header.split("/", 1)[0]
    return room not in ("content", "tests") or path.startswith(room + "/")


def is_visible(outer, inner):
    """Returns whether code in the inner namespace sees the names of the outer namespace."""
    return outer in ("", inner) or inner.startswith(outer + "::")


def check_constants(tree):
    """No constant has the name of a constant in a header, unless their namespaces are separate."""
    in_headers = collections.defaultdict(list)
    for path, text in tree.code(".h"):
        for space, name, line in constants_of(text, bare_code(text)):
            in_headers[name].append((path, space, line))
    for name, locations in in_headers.items():
        for path, space, line in locations:
            for other, other_space, _ in locations:
                if other != path and may_include(path, other) and is_visible(other_space, space):
                    yield f"{path}:{line}: {other} also has a constant {name}: rename one of them"
    for path, text in tree.code(".cpp"):
        for _, name, line in constants_of(text, bare_code(text)):
            others = [other for other, _, _ in in_headers[name] if may_include(path, other)]
            if others:
                yield f"{path}:{line}: {others[0]} also has a constant {name}: rename this one"
