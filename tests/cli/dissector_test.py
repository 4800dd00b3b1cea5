#!/usr/bin/env python3
"""Compares tshark's output, using muster.lua, with that of `muster-net dump`, packet by packet.

usage: dissector_test.py MUSTER_NET MAKE_CAPTURE_SAMPLES SOURCE_FOLDER

Exit code 77 (skipped) when tshark is not installed.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HEADER = ("ack", "sent", "hold", "delay", "sections")


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: exit code {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def dissected(script, pcap):
    """Yields one dict per frame: the name of each field -> the list of its values."""
    text = run("tshark", "-X", f"lua_script:{script}", "-o", "udp.try_heuristic_first:TRUE",
               "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-r", str(pcap),
               "-T", "json", "--no-duplicate-keys")
    for frame in json.loads(text):
        fields = {}
        collect(frame["_source"]["layers"], fields)
        yield fields


def collect(value, fields, name=None):
    if isinstance(value, dict):
        for key, inner in value.items():
            collect(inner, fields, key)
    elif isinstance(value, list):
        for inner in value:
            collect(inner, fields, name)
    else:
        fields.setdefault(name, []).append(value)


def number(text):
    return int(text, 0)


def plain(text):
    return text.replace(":", "")


def expect(what, shown, wanted):
    if shown != wanted:
        raise SystemExit(f"{what}: tshark shows {shown}, the capture has {wanted}")


def compare_packet(what, fields, record):
    def numbers(name):
        return [number(text) for text in fields.get(f"muster.{name}", [])]

    def texts(name):
        return [plain(text) for text in fields.get(f"muster.{name}", [])]

    expect(what, numbers("capture.sequence"), [record["sequence"]])
    expect(what, numbers("capture.datagram_bytes"), [record["datagram_bytes"]])
    expect(what, numbers("sequence"), [record["sequence"] % 65536])
    for name in HEADER:
        expect(f"{what} {name}", numbers(name), [record[name]])
    words = [int(word, 16) for word in record["mask"].split()]
    expect(f"{what} mask", numbers("mask.word"), words)
    expect(f"{what} words", numbers("mask.words"), [len(words)])
    expect(f"{what} payload", texts("payload"), [row["bytes"] for row in record.get("payload", [])])
    messages = record.get("messages", [])
    expect(f"{what} channels", numbers("message.channel"), [row["channel"] for row in messages])
    expect(f"{what} ids", numbers("message.id"), [row["id"] for row in messages if "id" in row])
    expect(f"{what} messages", texts("message"), [row["bytes"] for row in messages])
    fragments = record.get("blocks", [])
    for name, key in (("id", "block"), ("bytes", "block_bytes"), ("chunks", "chunks"),
                      ("first", "first")):
        expect(f"{what} block {name}", numbers(f"block.{name}"), [row[key] for row in fragments])
    expect(f"{what} fragments", texts("block.fragment"), [row["bytes"] for row in fragments])
    controls = record.get("control", [])
    expect(f"{what} items", len(numbers("control.item")), len(controls))
    expect(f"{what} probe", numbers("control.probe"),
           [row["datagram_bytes"] for row in controls if row["item"] == "probe"])
    limits = [row for row in controls if row["item"] == "channel limit"]
    expect(f"{what} limited", numbers("control.channel"), [row["channel"] for row in limits])
    expect(f"{what} limits", numbers("control.limit"), [row["below"] for row in limits])
    fill = sum(len(text) // 2 for text in texts("fill"))
    expect(f"{what} filling", fill, record.get("fill_bytes", 0))
    expect(f"{what} close", len(numbers("control.close")),
           sum(row["item"] == "close" for row in controls))


def compare(muster_net, script, capture, folder):
    pcap = folder / "capture.pcap"
    run(muster_net, "pcap", str(capture), "--out", str(pcap))
    records = json.loads(run(muster_net, "dump", str(capture), "--format", "json"))["records"]
    records = [row for row in records if row["record"].split()[0] in ("packet", "handshake")]
    frames = list(dissected(script, pcap))
    expect(f"{capture.name}: frames", len(frames), len(records))
    for frame_number, (fields, record) in enumerate(zip(frames, records), start=1):
        what = f"{capture.name}: frame {frame_number}"
        expect(f"{what} out", fields["muster.capture.out"],
               ["1" if record["record"].endswith("out") else "0"])
        expect(f"{what} checksum", fields.get("udp.checksum.status"), ["1"])
        problem = "_ws.expert.message" in fields
        expect(f"{what} problem", problem, "problem" in record)
        if "problem" in record:
            continue
        if record["record"].startswith("packet"):
            compare_packet(what, fields, record)
        else:
            expect(f"{what} version", fields["muster.version"], [str(record["version"])])
            expect(f"{what} id", [number(text) for text in fields["muster.connection"]],
                   [int(record["connection"], 16)])
    return len(frames)


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed (Debian: apt-get install tshark)")
        return SKIPPED
    muster_net, make_samples, source = sys.argv[1:]
    script = pathlib.Path(source) / "net/tools/muster.lua"
    with tempfile.TemporaryDirectory(prefix="muster-dissector-") as name:
        folder = pathlib.Path(name)
        live = folder / "live.mcapture"
        run(make_samples, "live", str(live))
        golden = pathlib.Path(source) / "tests/golden/net/sample.mcapture"
        counts = [compare(muster_net, script, capture, folder) for capture in (golden, live)]
    print(f"{counts[0]} and {counts[1]} datagrams are shown correctly")
    return 0


if __name__ == "__main__":
    sys.exit(main())
