"""Checks the structure of muster's machine-readable output, from the format documents.

A shape is a type, a literal, a list of one shape (any length), a set of literals, or a dict of
shapes. A key that ends with `?` is optional, and `*` matches any key. A dict has no other
keys.
"""

import html.parser
import json
import re
import urllib.parse
import xml.etree.ElementTree as Xml

GUID = re.compile(r"[0-9a-f]{32}\Z")
NATURAL = lambda value: type(value) is int and value >= 0  # noqa: E731
POSITIVE = lambda value: type(value) is int and value >= 1  # noqa: E731
LEVELS = {"note", "warning", "error"}


def require_shape(value, shape, path="$"):
    if isinstance(shape, dict):
        assert isinstance(value, dict), f"{path} is not an object"
        known = {key.rstrip("?") for key in shape}
        for key in shape:
            assert key.endswith("?") or key == "*" or key in value, f"{path} lacks {key}"
        for key, inner in value.items():
            assert key in known or "*" in shape, f"{path} has an unexpected {key}"
            wanted = shape.get(key, shape.get(key + "?", shape.get("*")))
            require_shape(inner, wanted, f"{path}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is not a list"
        for index, inner in enumerate(value):
            require_shape(inner, shape[0], f"{path}[{index}]")
    elif isinstance(shape, set):
        assert value in shape, f"{path} is {value!r}"
    elif isinstance(shape, tuple):
        assert isinstance(value, shape), f"{path} is {value!r}"
    elif isinstance(shape, type):
        assert type(value) is shape, f"{path} is {value!r}"
    elif isinstance(shape, re.Pattern):
        assert isinstance(value, str) and shape.match(value), f"{path} is {value!r}"
    elif callable(shape):
        assert shape(value), f"{path} is {value!r}"
    else:
        assert value == shape, f"{path} is {value!r}"


TARGET = {"client", "server"}
LOCATION = {"path": str, "line?": POSITIVE, "column?": POSITIVE}
FINDINGS = {
    "version": 1,
    "findings": [{**LOCATION, "severity": LEVELS, "rule": str, "message": str,
                  "related?": [{**LOCATION, "message": str}]}],
    "counts": {"error": NATURAL, "warning": NATURAL, "note": NATURAL},
    "known?": POSITIVE,
}
PREPARE = {
    "dry_run": bool,
    "registries": [{"class": str, "path": str, "kept": NATURAL,
                    "changes": [{"change": {"add", "remove", "update"}, "type_id": NATURAL,
                                 "guid": GUID, "path": (str, type(None))}]}],
    "files": [str],
    "removed": [str],
}
WHY = {
    "guid": GUID, "path": str,
    "reasons": [{"target": TARGET, "class": str, "registry": str, "type_id": (int, type(None)),
                 "chain": [str]}],
    "stripped": [{"target": TARGET, "rule": str}],
    "mentioned_by": [str],
}
REASON = {"what": str, "detail": str}
MADE = {"name": GUID, "asset?": str, "made": {"cached", "kept", "packed"}, "reasons": [REASON]}
BUILD = {
    "elapsed_ms": (int, float), "up_to_date": bool,
    "targets": {"*": {"prefab_bundles": NATURAL, "shared_bundles": NATURAL,
                      "source_bytes": NATURAL, "bytes": NATURAL,
                      "duplicate_bytes_avoided": NATURAL, "fingerprint": GUID,
                      "kept_bundles": NATURAL, "cached_bundles": NATURAL,
                      "bundles?": [MADE], "gone?": [REASON],
                      "slowest": [{"path": str, "ms": (int, float)}]}},
}
SPREAD = {"median": NATURAL, "max": NATURAL, "worst": str}
SHARING = {"groups": NATURAL, "files_max": POSITIVE, "files": SPREAD, "vain_source_bytes": SPREAD,
           "beyond": [{"path": str, "files": POSITIVE}]}
STRIPPED = {"rule": str, "count": POSITIVE, "source_bytes": NATURAL}


def SHARING_OR_NONE(value):  # noqa: N802: a shape like the others
    if value is not None:
        require_shape(value, SHARING)
    return True


STRIP_RULE = re.compile(r"(kind .+|class .+|behind what is stripped)\Z")
BUILD_FILE = {
    "format": 1, "muster": str, "project": str,
    "options": {"layout": {"shared", "self-contained"}, "level": POSITIVE,
                "variants?": {"*": str}},
    "budgets": [{"target?": TARGET, "bundle?": str, "kinds?": [str], "bytes": NATURAL}],
    "targets": {"*": {
        "fingerprint": GUID, "catalog_bytes": POSITIVE, "source_bytes": NATURAL,
        "plain_bytes": NATURAL, "bytes": NATURAL, "duplicate_bytes_avoided": NATURAL,
        "layout": {"shared", "self-contained"}, "level": POSITIVE, "compression": str,
        "variants?": {"*": str},
        "self_contained_source_bytes": NATURAL,
        "dictionaries": [{"kind": str, "path": str, "bytes": POSITIVE}],
        "sharing?": {**SHARING, "shared_bundles": NATURAL},
        "stripped": {"source_bytes": NATURAL,
                     "rules": [{"rule": STRIP_RULE, "count": POSITIVE, "source_bytes": NATURAL}],
                     "components": [{"class": str, "count": POSITIVE, "source_bytes": NATURAL}],
                     "assets": [{"guid": GUID, "path": str, "rule": STRIP_RULE,
                                 "source_bytes": NATURAL}]},
        "inputs": [{"path": str, "hash": GUID}],
        "bundles": [{"name": GUID, "kind": {"prefab", "shared", "variant"}, "file": str,
                     "hash": GUID, "variant?": {"of": GUID, "for": {"*": str}},
                     "bytes": POSITIVE, "plain_bytes": NATURAL, "source_bytes": NATURAL,
                     "owners": [GUID], "dependencies": [GUID],
                     "needed_source_bytes?": NATURAL, "vain_source_bytes?": NATURAL,
                     "assets": [{"guid": GUID, "path": str, "plain_bytes": NATURAL,
                                 "pulled_by?": GUID}]}]}},
    "signature?": str,
}
TIMES = {"format": 1, "targets": {"*": {
    "packed_bundles": NATURAL, "kept_bundles": NATURAL, "cache_hits": NATURAL,
    "reused_blocks": NATURAL, "pack_ms": (int, float),
    "bundles": [{**MADE, "ms": (int, float)}], "gone": [REASON]}}}
CHANGE = {"added", "removed", "changed"}
DIFF = {
    "format": 1,
    "targets": {"*": {
        "old_bytes": NATURAL, "new_bytes": NATURAL, "ship_bytes": NATURAL,
        "bundles": [{"change": CHANGE, "file": str, "asset?": str, "old_bytes": NATURAL,
                     "new_bytes": NATURAL,
                     "assets": [{"change": CHANGE, "guid": GUID, "path": str,
                                 "old_bytes": NATURAL, "new_bytes": NATURAL}]}],
        "shared": [{"change": CHANGE, "guid": GUID, "path": str, "old_bytes": NATURAL,
                    "new_bytes": NATURAL}],
        "catalog_changed": bool,
        "renamed": [{"guid": GUID, "old_path": str, "new_path": str}]}},
}
AUDIT = {
    "format": 1,
    "targets": {"*": {
        "remaining_bytes": NATURAL,
        "remaining": [{"guid": GUID, "path": str, "kind": str,
                       "why": {"named by a registry", "kept", "not stripped", "may be needed"},
                       "source_bytes": NATURAL, "registry": str, "chain": [str]}],
        "stripped_bytes": NATURAL,
        "stripped": [{"guid": GUID, "path": str, "rule": STRIP_RULE, "source_bytes": NATURAL}],
        "rules": [{"rule": STRIP_RULE, "count": POSITIVE, "source_bytes": NATURAL}],
        "components": [{"class": str, "count": POSITIVE, "source_bytes": NATURAL}]}},
}
OVERVIEW = {
    "format": 1, "project": str, "layout": {"shared", "self-contained"},
    "columns": {"bundles": [str], "assets": [str], "registrations": [str]},
    "targets": {"*": {
        "source_bytes": NATURAL, "plain_bytes": NATURAL, "bytes": NATURAL,
        "duplicate_bytes_avoided": NATURAL, "self_contained_bytes": NATURAL,
        "self_contained_source_bytes": NATURAL, "sharing": SHARING_OR_NONE,
        "stripped": {"source_bytes": NATURAL, "assets": [STRIPPED], "components": [STRIPPED]},
        "budgets": [{"what": str, "bytes": NATURAL, "budget_bytes": NATURAL}],
        "budget_bytes": (int, type(None)), "was_bytes": (int, type(None)),
        "bundles": [list], "assets": [list], "gone": [list], "registrations": {"*": [list]},
        "copies": [{"bytes": POSITIVE, "paths": [str]}],
        "slowest": [{"path": str, "ms": (int, float)}]}},
}
VERIFY = {
    "bundles": NATURAL, "entries": NATURAL, "bytes": NATURAL,
    "problems": [{"path": str, "code": str, "message": str}],
}
BUNDLE = {
    "kind": "bundle", "hash": GUID, "bytes": POSITIVE, "plain_bytes": NATURAL,
    "block_plain_bytes": POSITIVE,
    "entries": [{"guid": GUID, "local_id": int, "kind": str, "plain_bytes": NATURAL,
                 "stored_bytes": NATURAL, "blocks": NATURAL, "hash": GUID}],
}
LISTING = {
    "registries": [{"class": str, "path": str, "guid": GUID,
                    "entries": [{"type_id": NATURAL, "guid": GUID, "path": (str, type(None)),
                                 "owner?": (str, type(None)), "targets": [TARGET],
                                 "factory?": bool}]}],
    "assets": {"client?": list, "server?": list},
}

# SARIF 2.1.0, sections 3.13 to 3.52: required properties of the objects that muster writes.
SARIF_MESSAGE = {"text": str}
SARIF_LOCATION = {
    "physicalLocation": {
        "artifactLocation": {"uri": str, "uriBaseId": str},
        "region?": {"startLine": POSITIVE, "startColumn?": POSITIVE}},
    "message?": SARIF_MESSAGE,
}
SARIF = {
    "$schema": str,
    "version": "2.1.0",
    "runs": [{
        "tool": {"driver": {"name": "muster", "version": str, "rules": [{
            "id": str, "shortDescription": SARIF_MESSAGE, "help": SARIF_MESSAGE,
            "defaultConfiguration": {"level": LEVELS}}]}},
        "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
        "originalUriBaseIds": {"*": {"description": SARIF_MESSAGE}},
        "results": [{
            "ruleId": str, "ruleIndex": NATURAL, "level": LEVELS, "message": SARIF_MESSAGE,
            "locations": [SARIF_LOCATION], "relatedLocations?": [SARIF_LOCATION],
            "partialFingerprints": {"muster/v1": str},
            "baselineState?": {"new", "unchanged"},
            "suppressions?": [{"kind": "external", "status": "accepted",
                               "justification": str}]}],
        "invocations?": [{"executionSuccessful": bool, "toolExecutionNotifications": list}],
    }],
}


def shape_check(shape):
    def check(text, *counts):
        report = json.loads(text)
        require_shape(report, shape)
        for count in counts:  # `findings=3`
            key, _, number = count.partition("=")
            assert len(report[key]) == int(number), f"{key}: {len(report[key])} items"
    return check


def check_overview(text):
    report = json.loads(text)
    require_shape(report, OVERVIEW)
    columns = report["columns"]
    for target in report["targets"].values():
        for table in ("bundles", "assets"):
            assert all(len(row) == len(columns[table]) for row in target[table]), table
        bundles = [dict(zip(columns["bundles"], row)) for row in target["bundles"]]
        assets = [dict(zip(columns["assets"], row)) for row in target["assets"]]
        assert sum(bundle["bytes"] for bundle in bundles) == target["bytes"]
        for number, bundle in enumerate(bundles):
            inside = [asset for asset in assets if asset["bundle"] == number]
            # The header and the tables belong to no asset.
            rest = bundle["bytes"] - sum(asset["bytes"] for asset in inside)
            assert rest >= 64 + 64 * len(inside), (bundle, rest)
            assert sum(asset["plain_bytes"] for asset in inside) == bundle["plain_bytes"]
        guids = {asset["guid"] for asset in assets}
        for asset in assets:
            assert not asset["pulled_by"] or asset["pulled_by"] in guids, asset


def check_findings(text, *counts):
    report = json.loads(text)
    require_shape(report, FINDINGS)
    found = {level: 0 for level in LEVELS}
    for finding in report["findings"]:
        found[finding["severity"]] += 1
    assert found == report["counts"], f"{found} is not {report['counts']}"
    for count in counts:
        level, _, number = count.partition("=")
        assert found[level] == int(number), f"{found[level]} of {level}"


def check_sarif(text, results=None):
    report = json.loads(text)
    require_shape(report, SARIF)
    assert len(report["runs"]) == 1
    run = report["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules)), "rule ids are unique"
    prints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"], "the rule's index"
        for location in result["locations"] + result.get("relatedLocations", []):
            require_uri(location["physicalLocation"]["artifactLocation"], run)
        prints.add(result["partialFingerprints"]["muster/v1"])
    assert len(prints) == len(run["results"]), "fingerprints are unique"
    if results is not None:
        assert len(run["results"]) == int(results), f"{len(run['results'])} results"


def check_sarif_states(text, *counts):
    results = json.loads(text)["runs"][0]["results"]
    for count in counts:
        state, _, number = count.partition("=")
        found = [result for result in results if result["baselineState"] == state]
        assert len(found) == int(number), f"{len(found)} are {state}"
        for result in found:
            assert ("suppressions" in result) == (state == "unchanged")


def require_uri(artifact, run):
    """Requires a relative reference of RFC 3986 below a base that the run declares."""
    assert artifact["uriBaseId"] in run["originalUriBaseIds"]
    uri = artifact["uri"]
    assert re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*", uri), uri
    assert not urllib.parse.urlsplit(uri).scheme and not uri.startswith("/"), uri


def fingerprints(text):
    return {result["partialFingerprints"]["muster/v1"]
            for result in json.loads(text)["runs"][0]["results"]}


def check_junit(text, failures=None):
    root = Xml.fromstring(text)
    assert root.tag == "testsuites"
    all_failed = []
    for suite in root:
        assert suite.tag == "testsuite" and set(suite.attrib) == {"name", "tests", "failures"}
        cases = suite.findall("testcase")
        assert len(cases) == len(suite) == int(suite.get("tests"))
        failed = [case for case in cases if case.find("failure") is not None]
        assert len(failed) == int(suite.get("failures"))
        for case in cases:
            assert set(case.attrib) == {"classname", "name"}
        for case in failed:
            assert case.find("failure").get("message") and case.find("failure").text.strip()
        all_failed += [case.get("name") for case in failed]
    if failures is not None:
        assert all_failed == failures.split(), failures


def check_github(text):
    """Checks workflow commands of GitHub: `::error file=F,line=L,col=C,title=T::message`."""
    for line in text.splitlines():
        assert re.fullmatch(
            r"::(error|warning|notice) file=[^,:]+(,line=[1-9]\d*(,col=[1-9]\d*)?)?"
            r",title=[a-z-]+::.+", line), line


def check_catalog(text):
    report = json.loads(text)
    assert report["kind"] == "catalog" and report["target"] in TARGET
    require_shape(report["fingerprint"], GUID)
    require_shape(report["bundles"], [{"file": str, "hash": GUID, "bytes": POSITIVE,
                                       "dependencies": [str]}])
    files = {bundle["file"] for bundle in report["bundles"]}
    for bundle in report["bundles"]:
        assert files >= set(bundle["dependencies"]), "every dependency is listed"


HEX = re.compile(r"(?:[0-9a-f]{2})*\Z")
ID = re.compile(r"[0-9a-f]{8}\Z")
NUMBER = (int, float)
CAPTURE_RECORDS = {
    "connection": {
        "time": NUMBER, "record": str, "connection": ID, "peer_connection": ID,
        "role": {"client", "server"}, "local": str, "peer": str, "cipher": str,
        "datagram_bytes_max": int, "block_bytes_max": int, "interrupted_after_ms": int,
        "closed_after_ms": int, "channels": [{"channel": int, "delivery": str}]},
    "packet": {
        "time": NUMBER, "record": str, "connection": ID, "sequence": int, "datagram_bytes": int,
        "verdict": {"received", "malformed", "unbelievable", "no room"}, "key_phase": {0, 1},
        "ack?": int, "mask?": str, "sent?": int, "hold?": int, "delay?": int, "sections?": int,
        "control?": [{"item": str, "bytes?": HEX, "datagram_bytes?": int, "reason?": str,
                      "text?": str, "block?": int}],
        "payload?": [{"byte_count": int, "bytes": HEX}],
        "messages?": [{"channel": int, "reliable": bool, "ordered": bool, "id?": int,
                       "byte_count": int, "bytes": HEX}],
        "blocks?": [{"block": int, "block_bytes": int, "chunks": int, "first": int,
                     "byte_count": int, "bytes": HEX}],
        "fill_bytes?": int, "problem?": str},
    "handshake": {"record": str, "local": str, "peer": str, "datagram": str, "*": (str, *NUMBER)},
    "dropped": {"time": NUMBER, "record": str, "records": int},
}


def check_capture(text, whole="true"):
    document = json.loads(text)
    require_shape(document, {"capture": {1}, "start_unix_nanoseconds": int, "records": (list,),
                             "whole": bool, "bytes": int})
    assert document["whole"] == (whole == "true")
    for index, record in enumerate(document["records"]):
        shape = CAPTURE_RECORDS[record["record"].split()[0]]
        require_shape(record, shape, f"records[{index}]")


BANDWIDTH = {"snapshots": int, "bytes": int, "bytes_per_snapshot": NUMBER,
             "rows": [{"section": str, "type": str, "component": str, "field": str,
                       "bits": NUMBER, "bytes_per_snapshot": NUMBER, "share": NUMBER}]}


def check_bandwidth(text, *names):
    """Checks that the rows are complete and sorted, and that each COMPONENT.FIELD has a row."""
    report = json.loads(text)
    require_shape(report, BANDWIDTH)
    rows, snapshots = report["rows"], report["snapshots"]
    assert [row["bits"] for row in rows] == sorted((row["bits"] for row in rows), reverse=True)
    assert abs(sum(row["share"] for row in rows) - 1) < 1e-9, "shares add up to 1"
    for row in rows:
        assert abs(row["bits"] / 8 / snapshots - row["bytes_per_snapshot"]) < 1e-9, row
    # The remaining bits are the padding of each snapshot's last byte.
    missing = report["bytes"] - sum(row["bits"] for row in rows) / 8
    assert 0 <= missing <= snapshots, missing
    found = {f"{row['component']}.{row['field']}" for row in rows if row["component"]}
    assert found == set(names), f"fields are {sorted(found)}"


class Page(html.parser.HTMLParser):
    """Collects the resources that a browser would load, and the data that a page contains."""

    def __init__(self):
        super().__init__()
        self.loaded, self.scripts, self.tags, self.title = [], [], [], ""
        self.open_tag = None

    def handle_starttag(self, tag, attrs):
        self.open_tag = tag
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append([dict(attrs).get("type", ""), ""])
        self.loaded += [f"{tag} {name}={value}" for name, value in attrs
                        if name in ("src", "href", "srcset", "data", "action", "xlink:href",
                                    "background", "poster", "style")]

    def handle_endtag(self, tag):
        self.open_tag = None

    def handle_data(self, data):
        if self.open_tag == "script":
            self.scripts[-1][1] += data
        if self.open_tag == "title":
            self.title += data


def check_bandwidth_page(text, *names):
    """Checks that the page loads no other resource and contains the report."""
    page = Page()
    page.feed(text)
    page.close()
    assert not page.loaded, page.loaded
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags), page.tags
    for sign in ("http:", "https:", "src=", "url(", "@import", "import(", "fetch(", "Request"):
        assert sign not in text, f"'{sign}' refers to another resource"
    assert page.title.startswith("Bandwidth of "), page.title
    kinds = [kind for kind, _ in page.scripts]
    assert kinds == ["application/json", ""], kinds
    # No name from the report may become an HTML element.
    assert "b" not in page.tags and "i" not in page.tags, page.tags
    check_bandwidth(page.scripts[0][1], *names)
    for column in ("section", "type", "component", "field", "share", "bytes_per_snapshot"):
        assert f'data-key="{column}"' in text, f"no column {column}"


CHECKS = {
    "bandwidth": check_bandwidth,
    "bandwidth-page": check_bandwidth_page,
    "audit": shape_check(AUDIT),
    "overview": check_overview,
    "capture": check_capture,
    "findings": check_findings,
    "sarif": check_sarif,
    "sarif-states": check_sarif_states,
    "junit": check_junit,
    "github": check_github,
    "prepare": shape_check(PREPARE),
    "why": shape_check(WHY),
    "build": shape_check(BUILD),
    "build-file": shape_check(BUILD_FILE),
    "verify": shape_check(VERIFY),
    "diff": shape_check(DIFF),
    "bundle": shape_check(BUNDLE),
    "catalog": check_catalog,
    "list": shape_check(LISTING),
}
