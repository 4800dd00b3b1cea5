#!/usr/bin/env python3
"""Checks emitted snapshots by net/snapshot/SNAPSHOT_FORMAT.md, and recordings by
net/replication/REPLICATION_FORMAT.md, using only these documents.

    snapshot_checker.py [--self-test] PROGRAM FOLDER

`PROGRAM recording|lossy|trained CODER` prints JSON lines: bytes, and the true world at each tick.
FOLDER has the tables of the built-in model, `built_in_tables.h`. Shares no code with the
implementation. Decodes every snapshot of every coder, compares each value with the true value, and
prints the features that the vectors contain. The exit code is 1 if the bytes differ from the
documents, or if a feature is missing.
`--self-test` damages the vectors and requires that each damage is detected.
"""

import copy
import json
import pathlib
import subprocess
import sys

from encoding import Broken, require
from replication_schema import Recording, Schema
from snapshot_form import SnapshotReader
from snapshot_model import Model, read_tables
from snapshot_model_file import read_model

CODERS = ("range", "mix", "huffman", "raw", "reference")
DAMAGES = 4
# Features that the vectors must contain.
EXPECTED = {"0 references", "1 references", "2 references", "3 references", "odd tick", "part",
            "ends", "defers", "deferred", "linked", "new", "generation", "changed", "gone", "late",
            "block", "constant block", "group 0", "group 1", "group 2", "constant group 0",
            "constant group 1", "constant group 2", "any new", "none new", "partner difference",
            "partner turn", "partner heading", "record 1", "record 2", "record 3", "record 4"}


def compare(schema, shown, truth, deferred=()):
    """Requires that the shown entities and their values equal the true world."""
    tick = truth["tick"]
    expected = {entity[0]: entity for entity in truth["entities"]}
    for entity in sorted(expected.keys() | shown.keys()):
        if entity in deferred:
            continue
        if entity not in expected or entity not in shown:
            # A removed entity may stay if entities are deferred.
            require(deferred and entity not in expected,
                    f"tick {tick}: entity {entity} exists at one end only")
            continue
        there = shown[entity]
        _, kind, generation, values = expected[entity]
        require(there.kind == (kind, generation), f"tick {tick}: entity {entity} has its kind")
        decoded = schema.values(kind, there.values)
        for i, (value, true_value) in enumerate(zip(decoded, values)):
            require(value == true_value, f"tick {tick}: entity {entity} value {i} is {true_value}, "
                                         f"not {value}")


def check_recording(lines, tables):
    recording = Recording(bytes.fromhex(lines[0]["recording"]))
    require(not recording.model, "the built-in model is used")
    model = Model(recording.schema.types, tables)
    flow = SnapshotReader(model, recording.coder)
    seen = set()
    truths = {truth["tick"]: truth for truth in lines[1:]}
    compared = 0
    for i, (kind, tick, content) in enumerate(recording.records):
        seen.add(f"record {kind}")
        if kind == 4:
            seen |= flow.seen
            flow = SnapshotReader(model, recording.coder)
        if kind > 2:
            continue
        if kind == 1:
            flow.forget()
        snapshot = flow.read(content)
        require(snapshot.tick == tick, "a snapshot has its record's tick")
        require((kind == 1) == (not snapshot.references), "keyframes alone have no references")
        following = recording.records[i + 1:i + 2]
        if following and following[0][0] == 2 and following[0][1] == tick:
            continue
        compare(recording.schema, flow.shown, truths[tick])
        compared += 1
    require(compared == len(truths), "every tick is in the recording")
    return compared, seen | flow.seen


def check_deferred(schema, snapshot, past):
    """Requires that each deferred entity has changed."""
    for entity in snapshot.deferred:
        known = snapshot.base[entity][1]
        require(past[snapshot.tick].get(entity) != [entity, *known.kind,
                                                    schema.values(known.kind[0], known.values)],
                f"tick {snapshot.tick}: entity {entity} is deferred and unchanged")


def check_lossy(lines, tables):
    schema = Schema(bytes.fromhex(lines[0]["schema"]))
    model = Model(schema.types, tables)
    if "model" in lines[0]:
        model = read_model(bytes.fromhex(lines[0]["model"]))
    flow = SnapshotReader(model, lines[0]["lossy"])
    compared = 0
    deferred = set()
    past = {}
    for truth in lines[1:]:
        past[truth["tick"]] = {entity[0]: entity for entity in truth["entities"]}
        for part in truth["parts"] + truth["late"]:
            if part is not None:
                check_deferred(schema, flow.read(bytes.fromhex(part)), past)
        for entity, there in flow.shown.items():
            was = past[there.tick].get(entity)
            require(was == [entity, *there.kind, schema.values(there.kind[0], there.values)],
                    f"tick {there.tick}: entity {entity} had the shown values")
        if truth["deferred"]:
            deferred = set(truth["deferred"])
        if None not in truth["parts"]:
            compare(schema, flow.shown, truth, deferred)
            compared += 1
    return compared, flow.seen


def check(kind, lines, tables):
    return (check_recording if kind == "recording" else check_lossy)(lines, tables)


def damaged(kind, lines, which):
    """Returns the lines with one changed bit in a snapshot, or one changed true value."""
    lines = copy.deepcopy(lines)
    whole = [line for line in lines[1:] if None not in line.get("parts", ())]
    if which == 0:
        whole[len(whole) // 4]["entities"][0][3][0] += 1
    elif kind == "recording":
        content = bytes.fromhex(lines[0]["recording"])
        snapshots = [record[2] for record in Recording(content).records if record[0] <= 2]
        snapshot = snapshots[which * len(snapshots) // DAMAGES]
        lines[0]["recording"] = content.replace(snapshot, flipped(snapshot, which)).hex()
    else:
        parts = whole[which * len(whole) // DAMAGES]["parts"]
        parts[-1] = flipped(bytes.fromhex(parts[-1]), which).hex()
    return lines


def flipped(content, which):
    at = which * len(content) // DAMAGES
    return content[:at] + bytes([content[at] ^ 1 << which]) + content[at + 1:]


def unseen_damages(kind, lines, tables):
    unseen = 0
    for which in range(DAMAGES):
        try:
            check(kind, damaged(kind, lines, which), tables)
            print(f"{kind}, {lines[0].get('lossy', '')}: damage {which} is not detected")
            unseen += 1
        except Broken:
            pass
    return unseen


def main(arguments):
    is_self_test = "--self-test" in arguments
    arguments = [argument for argument in arguments if argument != "--self-test"]
    if len(arguments) != 2:
        print(__doc__)
        return 2
    program, folder = arguments
    tables = read_tables((pathlib.Path(folder) / "built_in_tables.h").read_text())
    wrong = 0
    met = set()
    for kind in ("recording", "lossy", "trained"):
        for coder, name in enumerate(CODERS):
            emitted = subprocess.run([program, kind, str(coder)], check=True, capture_output=True,
                                     text=True).stdout
            lines = [json.loads(line) for line in emitted.splitlines()]
            if is_self_test:
                if name not in ("range", "reference"):
                    continue
                wrong += unseen_damages(kind, lines, tables)
                continue
            try:
                compared, seen = check(kind, lines, tables)
                met |= seen
                print(f"{kind}, {name}: {compared} ticks; {', '.join(sorted(seen))}")
            except Broken as broken:
                print(f"{kind}, {name}: broken rule: {broken}")
                wrong += 1
    if not is_self_test and not EXPECTED <= met:
        print(f"the vectors have no {', '.join(sorted(EXPECTED - met))}")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
