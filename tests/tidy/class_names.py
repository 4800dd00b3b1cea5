"""The check of tidy.py that a header with one class has the class's name."""

import posixpath
import re

from code_text import bare_code, line_of

LIBRARIES = ("registry/", "net/", "runtime/", "bundler/")
TYPE = re.compile(r"^(class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{",
                  re.MULTILINE)

# Headers with another name, with the reason.
OTHER_NAMES = {
    "bundler/cli/edges.h": "the disk and the output of the program, most of them functions",
    "net/secure/keys.h": "public keys, secret keys and pairs of keys",
    "net/snapshot/plain/huffman.h": "numbers, codes and tables of one coding",
    "registry/yaml/reader.h": "functions that read; the class is their result",
}


def file_name(name):
    """Returns the name of the file of a type."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()


def check_class_names(tree):
    """A header of a library with one class has the name of the class, or of a struct in it."""
    headers = {path: text for path, text in tree.code(".h") if path.startswith(LIBRARIES)}
    # A sample of the self test has only a few files.
    is_whole = len(headers) > 100
    for path in sorted(set(OTHER_NAMES) - set(headers)) if is_whole else ():
        yield f"{path}:1: does not exist; remove it from OTHER_NAMES"
    for path, text in headers.items():
        code = bare_code(text)
        types = list(TYPE.finditer(code))
        classes = [match for match in types if match.group(1) == "class"]
        names = {file_name(match.group(2)) for match in types}
        stem = posixpath.basename(path).removesuffix(".h")
        is_other = len(classes) == 1 and stem not in names
        if is_other and path not in OTHER_NAMES:
            name = classes[0].group(2)
            yield (f"{path}:{line_of(code, classes[0].start())}: the header of {name} is not "
                   f"{file_name(name)}.h; rename the file or the class")
        if not is_other and path in OTHER_NAMES:
            yield f"{path}:1: has a class's name again; remove it from OTHER_NAMES"
