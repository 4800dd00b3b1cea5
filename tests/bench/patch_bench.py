#!/usr/bin/env python3
"""Compares the sizes of patches with the sizes of whole changed files.

Builds a project, edits prefabs, builds again, and prints the sizes of the data to send.

usage: patch_bench.py MUSTER [--project DIR] [--changed N] [--seed N]

Without --project, a project is generated whose bundles contain only prefabs. Every changed bundle
is then changed completely, which is the hardest case. Two rows need the zstd program.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time

PREFABS = 1000
NUMBER = re.compile(r"(?<=[xyz]: )-?\d+(?:\.\d+)?(?=[,}])")
MUSTER_YAML = """version: 1
name: patches
folders: [plain]
classes:
  ThingRegistry:
    entries: entries
    references:
    - {path: thing, strength: strong, targets: [client, server]}
"""


def guid_of(number):
    return f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128):032x}"


def vector(source, names="xyz"):
    return ", ".join(f"{name}: {source.uniform(-10, 10):.6g}" for name in names)


def prefab_text(source, number):
    """Returns a prefab in Unity's format: objects with transforms, renderers and colliders."""
    text = ["%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"]
    for part in range(source.randint(3, 40)):
        base = number * 1000 + part * 10
        components = "".join(f"  - component: {{fileID: {base + i}}}\n" for i in (1, 2, 3))
        text.append(
            f"--- !u!1 &{base}\nGameObject:\n  m_ObjectHideFlags: 0\n  serializedVersion: 6\n"
            f"  m_Component:\n{components}  m_Layer: {source.randint(0, 12)}\n"
            f"  m_Name: part{part}_{source.choice(['wall', 'door', 'crate', 'lamp'])}\n"
            "  m_TagString: Untagged\n  m_IsActive: 1\n"
            f"--- !u!4 &{base + 1}\nTransform:\n  m_GameObject: {{fileID: {base}}}\n"
            f"  m_LocalRotation: {{{vector(source, 'xyzw')}}}\n"
            f"  m_LocalPosition: {{{vector(source)}}}\n  m_LocalScale: {{x: 1, y: 1, z: 1}}\n"
            "  m_Children: []\n"
            f"  m_Father: {{fileID: {number * 1000 + 1 if part else 0}}}\n  m_RootOrder: {part}\n"
            f"--- !u!23 &{base + 2}\nMeshRenderer:\n  m_GameObject: {{fileID: {base}}}\n"
            f"  m_Enabled: 1\n  m_CastShadows: {source.randint(0, 2)}\n  m_ReceiveShadows: 1\n"
            f"--- !u!65 &{base + 3}\nBoxCollider:\n  m_GameObject: {{fileID: {base}}}\n"
            f"  m_IsTrigger: 0\n  m_Enabled: 1\n  m_Size: {{{vector(source)}}}\n"
            f"  m_Center: {{{vector(source)}}}\n")
    return "".join(text)


def generate(folder, seed, prefabs=PREFABS):
    source = random.Random(seed)
    plain = pathlib.Path(folder, "plain")
    plain.mkdir(parents=True)
    pathlib.Path(folder, "muster.yaml").write_text(MUSTER_YAML, encoding="utf-8")
    entries = ["class: ThingRegistry\nentries:\n"]
    for number in range(1, prefabs + 1):
        path = plain / f"thing{number}.prefab"
        path.write_text(prefab_text(source, number), encoding="utf-8")
        path.with_suffix(".prefab.meta").write_text(
            f"fileFormatVersion: 2\nguid: {guid_of(number)}\n", encoding="utf-8")
        entries.append(f"- type_id: {number}\n  thing: {{fileID: {number * 1000}, "
                       f"guid: {guid_of(number)}}}\n")
    (plain / "things.yaml").write_text("".join(entries), encoding="utf-8")
    (plain / "things.yaml.meta").write_text(f"fileFormatVersion: 2\nguid: {guid_of(prefabs + 1)}\n",
                                            encoding="utf-8")


def edit(folder, build, changed, seed):
    """Changes one to four numbers in each of `changed` prefabs that are in bundles."""
    report = json.loads(pathlib.Path(build, "build.json").read_text(encoding="utf-8"))
    paths = sorted({asset["path"] for target in report["targets"].values()
                    for bundle in target["bundles"] for asset in bundle["assets"]
                    if asset["path"].endswith(".prefab")})
    source = random.Random(seed)
    edited = 0
    for path in source.sample(paths, len(paths)):
        file = pathlib.Path(folder, path)
        text = file.read_text(encoding="utf-8")
        spots = list(NUMBER.finditer(text))
        if not spots or edited == changed:
            continue
        chosen = source.sample(spots, min(len(spots), source.randint(1, 4)))
        for spot in sorted(chosen, key=lambda one: -one.start()):
            text = text[:spot.start()] + f"{source.uniform(-9, 9):.4g}" + text[spot.end():]
        file.write_text(text, encoding="utf-8")
        edited += 1
    return edited


def files_of(build):
    return {str(path.relative_to(build)): path for path in pathlib.Path(build).rglob("*")
            if path.is_file() and not path.name.startswith(".")}


def sum_of(paths, command):
    return sum(len(subprocess.run(command(path), capture_output=True, check=True).stdout)
               for path in paths)


def timed(command):
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("muster")
    parser.add_argument("--project", default="")
    parser.add_argument("--changed", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    work = tempfile.mkdtemp(prefix="muster-patch-bench-")
    try:
        measure(arguments, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measure(arguments, work):
    project, old, new = (os.path.join(work, name) for name in ("project", "old", "new"))
    if arguments.project:
        shutil.copytree(arguments.project, project)
    else:
        generate(project, arguments.seed)
    timed([arguments.muster, "build", project, "--out", old])
    edited = edit(project, old, arguments.changed, arguments.seed)
    timed([arguments.muster, "build", project, "--out", new])
    before, after = files_of(old), files_of(new)
    changed = [name for name in sorted(after) if name not in before
               or before[name].read_bytes() != after[name].read_bytes()]
    whole = sum(after[name].stat().st_size for name in changed if name.endswith(".mbundle"))
    rows = [("changed bundles whole", whole, None),
            ("and report and catalogs", sum(after[name].stat().st_size for name in changed), None)]
    if shutil.which("zstd"):
        rows.append(("all of these, each zstd -19", sum_of(
            changed, lambda name: ["zstd", "-19", "-c", "-q", after[name]]), None))
        rows.append(("each zstd -19 --patch-from its old file", sum_of(
            changed, lambda name: ["zstd", "-19", "-c", "-q", after[name]] + (
                [f"--patch-from={before[name]}"] if name in before else [])), None))
    for name, options in (("muster patch", []), ("muster patch --portable", ["--portable"])):
        patch = os.path.join(work, "patch")
        made = timed([arguments.muster, "patch", "create", old, new, "--out", patch, *options])
        # Nothing is deleted before the end, because ext4 creates files slowly for half a minute
        # afterwards.
        out = os.path.join(work, f"out{len(rows)}")
        applied = timed([arguments.muster, "patch", "apply", old, patch, "--out", out])
        assert {name: path.read_bytes() for name, path in files_of(out).items()} == {
            name: path.read_bytes() for name, path in after.items()}
        rows.append((name, os.path.getsize(patch), (made, applied)))
    print(f"{edited} prefabs changed, {len(changed)} files with them\n")
    for name, size, times in rows:
        line = f"{name:<42} {size:>12} bytes  {size / whole:>8.4f} x"
        print(line + (f"  made in {times[0]:.2f} s, applied in {times[1]:.2f} s" if times else ""))


if __name__ == "__main__":
    main()
