"""Checks of tidy.py for prose: comments, docstrings, documents, and the names in documents."""

import posixpath
import re

from code_text import bare_code, line_of

# The maximum number of hits per 1000 lines of prose.
PROSE_HITS_MAX = 3
PROSE_HITS_NOW = {}

# Wordings that are hard to read, and the alternative.
PROSE = (
    (r"\b(?:nobody|somebody|whoever|anybody|enemy|enemies|strangers?)\b",
     "name the program part: caller, server, client, peer, attacker"),
    (r"(?:^|[.;:(] )(?:Who|What|Whatever) (?:[a-z']+ ){1,9}"
     r"(?:is|are|has|was|were|gets|goes|comes)\b", "begin with the subject"),
    (r"(?:^|[.;:] )Of (?:the|what|those|all|a|each|these|it|such|whom)\b",
     "begin with the subject"),
    (r"\b(?:tells?|told|untold|speaks? of|hears? of|heard of)\b", "report, send, receive, notify"),
    (r"\b(?:anew|in vain|so many|all the same|of its own accord|mend(?:s|ed|ing|er)?|"
     r"there is none|as it is|stands? there)\b", "again, wasted, N, fix"),
)
COMMENT = re.compile(r"(?://+<?|#|--|\*)\s(.*)$")
UNREAD = ("/golden/", "/corpus/", "tests/tidy/")

# Limits that a document and the code state: the document, the sentence with the number, the source,
# and the constant.
LIMITS = (
    ("net/CONNECTION.md", r"\| block \| (.+?) by format", "net/transport/block.h",
     "kBlockBytesMax"),
    ("net/CONNECTION.md", r"\| messages per channel in flight \| 256; queued ([\d,]+)",
     "net/transport/channel.h", "kMessagesQueuedMax"),
    ("net/capture/CAPTURE_FORMAT.md", r"n: bytes of content, at most (\d+)",
     "net/capture/capture_format.h", "kRecordContentMax"),
    ("net/capture/CAPTURE_FORMAT.md", r"c: channels, at most (\d+)", "net/transport/channel.h",
     "kChannelsMax"),
    ("net/replication/REPLICATION_FORMAT.md", r"u16 count \(at most (\d+)\), u32 for each lane",
     "net/replication/replication_messages.h", "kDivergedLanesMax"),
    ("net/replication/REPLICATION_FORMAT.md", r"u16 number of fields, at most (\d+)",
     "registry/base/wire_limits.h", "kComponentFieldsMax"),
    ("net/replication/REPLICATION_FORMAT.md", r"lanes in a type and ([\d,]+)$",
     "registry/base/wire_limits.h", "kSchemaValuesMax"),
    ("net/replication/REPLICATION_FORMAT.md", r"The maximum is ([\d,]+) components",
     "registry/base/wire_limits.h", "kReplicatedComponentsMax"),
    ("net/replication/REPLICATION_FORMAT.md", r"u16 length \(at most (\d+)\)",
     "registry/base/wire_limits.h", "kEventBytesMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| components of all replicated types \| ([\d,]+)",
     "registry/base/wire_limits.h", "kReplicatedComponentsMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| replicated types \| ([\d,]+)",
     "registry/base/wire_limits.h", "kReplicatedTypesMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| values of one type \| ([\d,]+)",
     "registry/base/wire_limits.h", "kTypeValuesMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| fields in a component \| ([\d,]+)",
     "registry/base/wire_limits.h", "kComponentFieldsMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| values of all types together \| ([\d,]+)",
     "registry/base/wire_limits.h", "kSchemaValuesMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| entities of a prefab .* \| ([\d,]+)",
     "registry/base/wire_limits.h", "kReplicatedMembersMax"),
    ("runtime/replication/BANDWIDTH.md", r"`at_tick`, or in an effect \| ([\d,]+)",
     "registry/base/wire_limits.h", "kEventBytesMax"),
    ("runtime/replication/BANDWIDTH.md", r"\| bytes in a message of `emit` \| ([\d,]+)",
     "registry/base/wire_limits.h", "kEmittedBytesMax"),
    ("runtime/session/USING_SESSIONS.md", r"of `emit` has\s+at most (\d+)",
     "registry/base/wire_limits.h", "kEmittedBytesMax"),
    ("runtime/session/USING_SESSIONS.md", r"at most ([\d,]+) values in a field",
     "registry/base/wire_limits.h", "kTypeValuesMax"),
    ("runtime/session/USING_SESSIONS.md", r"at most ([\d,]+) values in\s+total",
     "runtime/sync/struct_codec.h", "kStructValuesMax"),
    ("runtime/session/USING_SESSIONS.md", r"commands together have at most ([\d,]+)",
     "runtime/sync/struct_codec.h", "kCommandValuesMax"),
    ("runtime/session/SESSION_FORMAT.md", r"A message has at most ([\d,]+) bytes",
     "runtime/session/message_pipe.h", "kSessionMessageBytesMax"),
    ("runtime/session/SESSION_FORMAT.md", r"^A command more than (\d+) below the newest command",
     "runtime/sync/command_report.h", "kSettledTicks"),
    ("runtime/session/SESSION_FORMAT.md", r"that is more than (\d+) below `run`",
     "runtime/sync/command_report.h", "kLateTicks"),
    ("bundler/incremental/STATE_FORMAT.md", r"the bytes of the body; at most (\S+) each",
     "bundler/incremental/build_state.h", "kStateBytesMax"),
    ("bundler/patch/PATCH_FORMAT.md", r"of the decompressed program in bytes; at most (\S+) \|",
     "bundler/patch/patch_layout.h", "kMaxProgramBytes"),
)
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


# Words that no name in the code contains, and the alternatives.
NAME_WORDS = {
    "tell tells told": "report, notify, print",
    "say says said": "send, print, store",
    "hear hears heard": "receive",
    "nobody somebody anybody whoever stranger strangers enemy": "caller, server, client, attacker",
    "mend mends mended mender": "fix",
    "anew": "again",
    "asleep dormant": "idle",
    "fate fates": "delivery report",
    "usual": "default, typical, initial value",
    "least greatest": "minimum, maximum",
    "owed": "pending",
    "rested resting": "unchanged",
}
NAME_WORD = {word: instead for words, instead in NAME_WORDS.items() for word in words.split()}
# Whole names that no code has, and the alternatives.
NAMES = (
    (r"take_\w+", "apply, parse, drain, read"),
    (r"(?!(?:is_)?in_place(?:_|_t|_type)?$|place_level$)(?:\w+_)?[Pp]laces?_?(?:_\w+)?",
     "position, location, index, offset, path"),
    (r"\w*Places?\d*(?:[A-Z]\w*)?", "position, location, index, offset, path"),
    (r"most|kMost\w*", "maximum, a name that ends with _max"),
    (r"shown_text", "escaped_text"),
)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def check_glossary(tree):
    """Names in the code use the words of the glossary: one word for one thing."""
    for path, text in tree.code(".h", ".cpp", ".c"):
        if any(part in path for part in UNREAD):
            continue
        bare, seen = bare_code(text), set()
        for match in IDENTIFIER.finditer(bare):
            name = match.group(0)
            if name in seen:
                continue
            seen.add(name)
            instead = next((NAME_WORD[part.lower()] for part in PART.findall(name)
                            if part.lower() in NAME_WORD), None)
            instead = instead or next((use for pattern, use in NAMES
                                       if re.fullmatch(pattern, name)), None)
            if instead:
                yield f"{path}:{line_of(bare, match.start())}: '{name}': {instead}"


def prose_lines(path, text):
    """Yields (line, prose) of a document's lines, or of a source's comments."""
    for number, line in enumerate(text.split("\n"), start=1):
        if path.endswith(".md"):
            yield number, line
        else:
            found = COMMENT.search(line)
            if found:
                yield number, found.group(1)


def check_prose(tree):
    """The prose of each folder has few hits of PROSE per 1000 lines."""
    hits, lines = {}, {}
    for path, text in tree.files.items():
        if text is None or any(part in path for part in UNREAD):
            continue
        folder = path.split("/", 1)[0] if "/" in path else ""
        for number, prose in prose_lines(path, text):
            if not prose.strip():
                continue
            lines[folder] = lines.get(folder, 0) + 1
            for pattern, instead in PROSE:
                found = re.search(pattern, prose)
                if found:
                    hits.setdefault(folder, []).append(
                        f"{path}:{number}: '{found.group(0).strip(' .;:(')}': {instead}")
    for folder, found in sorted(hits.items()):
        rate_max = PROSE_HITS_NOW.get(folder, PROSE_HITS_MAX)
        # A folder with few lines may have one hit.
        if len(found) > max(1, lines[folder] * rate_max / 1000):
            yield from found


DECLARED = re.compile(r"^(?:class|struct|enum class|union) (\w+)[^;]*$")


def public_headers(tree):
    listed = tree.files.get("runtime/package/public_headers.cmake") or ""
    return re.findall(r"^  [\w.]+=([\w/.]+)", listed, re.MULTILINE)


def check_docstrings(tree):
    """A public header begins with a comment about its purpose, and each type has a docstring."""
    for path in public_headers(tree):
        text = tree.files.get(path)
        if text is None:
            continue
        lines = text.split("\n")
        if not re.match(r"// \S", lines[0]):
            yield f"{path}:1: a public header begins with a comment that says what it is for"
        is_detail = False  # Inside a namespace that games do not use.
        for number, line in enumerate(lines):
            if re.match(r"(?:\}  // )?namespace \w*detail\b", line):
                is_detail = line.startswith("namespace")
            declared = DECLARED.match(line)
            if not declared or declared.group(1) == "std" or is_detail:
                continue
            above = number - 1
            while above >= 0 and lines[above].startswith(("template", "    requires", "requires")):
                above -= 1
            if not lines[above].startswith("///"):
                yield f"{path}:{number + 1}: '{declared.group(1)}' has no docstring"


NAMED = re.compile(r"`([\w./-]+\.(?:h|cpp|c|py|md|cmake|lua|case|yaml|json|csv))`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
# Names in documents that are not in the tree: files of a user's project or of a build.
USERS_FILES = re.compile(
    r"(?:^|/)(?:muster|settings|game|muster-baseline|build|components|package|manifest|"
    r"packages-lock|content\.schema|muster\.schema|\.muster-\w+)\.(?:yaml|json|h)$|"
    r"\.(?:yaml|json|csv)$")
# Options of other programs in documents.
OTHERS_OPTIONS = {
    "--build", "--install", "--prefix", "--preset", "--target", "--component", "--config",
    "--cached", "--recursive", "--depth", "--worktree", "--no-verify", "--help", "--version"}


def check_documents(tree):
    """Documents name existing files and options, and the limits of the code."""
    names = {posixpath.basename(path) for path in tree.files}
    options = set(OTHERS_OPTIONS)
    for path, text in tree.files.items():
        if text is not None and not path.endswith(".md"):
            options.update(OPTION.findall(text))
    for path, text in tree.files.items():
        if text is None or not path.endswith(".md"):
            continue
        folder = posixpath.dirname(path)
        for number, line in enumerate(text.split("\n"), start=1):
            for name in NAMED.findall(line):
                full = posixpath.normpath(posixpath.join(folder, name))
                is_there = (name in tree.files or full in tree.files
                            or any(other.endswith("/" + name) for other in tree.files)
                            or "/" not in name and name in names)
                if not is_there and "NAME" not in name and not USERS_FILES.search(name):
                    yield f"{path}:{number}: there is no {name}"
            for option in OPTION.findall(line):
                if option not in options:
                    yield f"{path}:{number}: no program has the option {option}"
    yield from check_limits(tree)


def number_of(text):
    """Returns the value of a number in a document or in C++; None for anything else."""
    text = text.strip().rstrip(",")
    unit = re.fullmatch(r"([\d,]+) ([KMG]iB)", text)
    if unit:
        return int(unit.group(1).replace(",", "")) * UNITS[unit.group(2)]
    power = re.fullmatch(r"(\d+)\^(\d+)", text)
    if power:
        return int(power.group(1)) ** int(power.group(2))
    plain = re.sub(r"std::\w+\{(\d+)\}", r"\1", text)
    plain = re.sub(r"(?<=\d)['_,](?=\d)", "", plain)
    plain = re.sub(r"(?<=\d)(?:ULL|UL|U|LL|L)\b", "", plain)
    if not re.fullmatch(r"[\d\s()*+<-]+", plain):
        return None
    return eval(plain, {"__builtins__": {}})  # Only digits and operators.


def check_limits(tree):
    for document, sentence, source, constant in LIMITS:
        text, code = tree.files.get(document), tree.files.get(source)
        if text is None or code is None:
            continue
        stated = re.search(sentence, text, re.MULTILINE)
        defined = re.search(rf"\b{constant} = ([^;]+);", code)
        if not stated:
            yield f"{document}:1: no sentence states {constant} as LIMITS of words.py expects"
        elif not defined:
            yield f"{source}:1: there is no constant {constant}, which {document} states"
        elif number_of(stated.group(1)) != number_of(defined.group(1)):
            line = text.count("\n", 0, stated.start()) + 1
            yield (f"{document}:{line}: says {stated.group(1)} where {constant} is "
                   f"{defined.group(1)}")
