#!/usr/bin/env python3
"""Checks build.json against its JSON Schema with an independent validator, and checks that the
schema refuses wrong reports.

usage: build_schema_test.py MUSTER PROJECT SCHEMA

Skipped (77) if python3-jsonschema is missing.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is missing")
    sys.exit(77)


def main():
    muster, content, schema_path = sys.argv[1:4]
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    times_validator = jsonschema.Draft202012Validator(
        {"$ref": "#/$defs/times", "$defs": schema["$defs"]})
    with tempfile.TemporaryDirectory(prefix="muster-schema-") as folder:
        project, out = os.path.join(folder, "game"), os.path.join(folder, "out")
        key = os.path.join(folder, "studio.key")
        shutil.copytree(content, project)
        subprocess.run([muster, "keygen", key], check=True, capture_output=True)

        def built(*options):
            subprocess.run([muster, "build", project, "--out", out, *options], check=True,
                           capture_output=True)
            text = pathlib.Path(out, "build.json").read_text()
            report = json.loads(text)
            validator.validate(report)
            return report

        def times():
            found = json.loads(pathlib.Path(out, ".muster-times.json").read_text())
            times_validator.validate(found)
            return found

        first = built()
        made = times()["targets"]["client"]
        assert made["kept_bundles"] == 0 and made["packed_bundles"] == len(made["bundles"])
        flag = pathlib.Path(project, "plain/replicated/flag.yaml")
        flag.write_text(flag.read_text().replace("degreesPerSecond: 30", "degreesPerSecond: 31"))
        second = built()
        client = times()["targets"]["client"]
        assert client["kept_bundles"] > 0 and client["packed_bundles"] > 0, client
        reasons = [reason for bundle in client["bundles"] for reason in bundle["reasons"]]
        wanted = {"what": "content", "detail": "plain/replicated/flag.yaml"}
        assert wanted in reasons, reasons
        assert list(first) == list(second)
        changed = {row["path"] for row in second["targets"]["client"]["inputs"]
                   if row not in first["targets"]["client"]["inputs"]}
        assert changed == {"plain/replicated/flag.yaml"}, changed
        built("--sign", key)
        built("--target", "server", "--level", "9")
        built("--layout", "self-contained", "--variant", "quality=high", "--force")

    def refused(change):
        wrong = copy.deepcopy(first)
        change(wrong)
        return not validator.is_valid(wrong)

    wrongs = [
        lambda report: report.pop("targets"),
        lambda report: report.update(format=2),
        lambda report: report.update(more=1),
        lambda report: report["targets"].update(phone={}),
        lambda report: report["targets"]["client"].pop("inputs"),
        lambda report: report["targets"]["client"]["bundles"][0].update(file="../x"),
    ]
    for number, wrong in enumerate(wrongs):
        assert refused(wrong), f"wrong report {number} passes"


if __name__ == "__main__":
    main()
