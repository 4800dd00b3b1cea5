#!/usr/bin/env python3
"""Writes package_guids.txt: the guids of assets in public packages, from clones of the packages'
repositories.

usage: make_package_guids.py DATE CLONE... > package_guids.txt

A CLONE is a git directory. The script reads all versions in its history, because projects also use
old releases. The script writes a row for each asset to which a project can refer. Such assets are
scripts whose classes derive from the engine's objects, and other assets (materials, shaders,
prefabs, fonts and similar files). DATE is the day on which the clones were made. If a clone has no
package.json at its top, PACKAGES names the folder of each package.
"""
import collections
import json
import re
import subprocess
import sys

# Repositories whose packages are in subfolders: each package's folder and name.
PACKAGES = {
    "FirstGearGames+FishNet": [("Assets/FishNet/", "com.firstgeargames.fishnet")],
    "MirrorNetworking+Mirror": [("Assets/Mirror/", "com.mirror-networking.mirror")],
    "Cysharp+UniTask": [("src/UniTask/Assets/Plugins/UniTask/", "com.cysharp.unitask")],
    "hadashiA+VContainer": [("VContainer/Assets/VContainer/", "jp.hadashikick.vcontainer")],
    "dbrizov+NaughtyAttributes": [("Assets/NaughtyAttributes/", "com.dbrizov.naughtyattributes")],
    "mob-sakai+UIEffect": [("Packages/src/", "com.coffee.ui-effect"),
                           ("Assets/Coffee/UIExtensions/UIEffect/", "com.coffee.ui-effect")],
    "mob-sakai+ParticleEffectForUGUI": [("Packages/src/", "com.coffee.ui-particle")],
    "Mathijs-Bakker+Extenject": [("UnityProject/Assets/Plugins/Zenject/",
                                  "com.svermeulen.extenject")],
    # Unity ships this package only with the editor; the project embeds it.
    "madeflyoke+TripleClaw": [("Packages/com.unity.2d.sprite/Editor/ObjectMenuCreation/",
                               "com.unity.2d.sprite")],
    "vrm-c+UniVRM": [("Assets/VRM/", "com.vrmc.univrm"), ("Assets/VRM10/", "com.vrmc.vrm"),
                     ("Assets/UniGLTF/", "com.vrmc.gltf"), ("Packages/VRM/", "com.vrmc.univrm"),
                     ("Packages/VRM10/", "com.vrmc.vrm"), ("Packages/UniGLTF/", "com.vrmc.gltf")],
}
# The engine's base classes. Assets can refer only to scripts that derive from one of them.
ENGINE_BASES = {"MonoBehaviour", "ScriptableObject", "StateMachineBehaviour", "ScriptedImporter",
                "AssetPostprocessor", "RenderPipelineAsset", "RenderPipelineGlobalSettings",
                "PlayableAsset", "TileBase", "Tile", "GridBrushBase", "GridBrush",
                "ScriptableSingleton", "Preset"}
ASSET_EXTENSIONS = {"anim", "asmdef", "asset", "compute", "controller", "fbx", "fontsettings",
                    "inputactions", "mat", "mesh", "mixer", "obj", "otf", "physicmaterial",
                    "playable", "png", "prefab", "psd", "renderTexture", "shader", "shadergraph",
                    "shadersubgraph", "tga", "tif", "tss", "ttf", "uss", "uxml", "vfx",
                    "vfxoperator", "vfxblock", "wav"}
# Folders of a package to which no project refers.
IGNORED = re.compile(r"(^|/)(Documentation|Samples|Tests|TestRunner|Tests\.[^/]*|\.[^/]*|[^/]*~)/|"
                     r"(^|/)(Tests?|Samples?|Examples?|Demos?|Icons)/|"
                     r"/Editor/.*\.(png|psd|tga|tif)$")
GUID = re.compile(rb"^guid:\s*([0-9a-f]{32})\s*$", re.M)
CLASS = re.compile(r"\bclass\s+(\w+)\s*(?:<[^>{]*>)?\s*:\s*([^{]+?)(?:\bwhere\b|\{)", re.S)
NAME = re.compile(r"\w+")


def git(clone, *arguments, text=None):
    done = subprocess.run(["git", "-C", clone, *arguments], input=text, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{clone}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def blobs_of(clone):
    """Yields (path, blob id) for every file of any commit, newest commit first."""
    listed = git(clone, "rev-list", "--all", "--objects", "--missing=allow-any")
    for line in listed.decode(errors="replace").split("\n"):
        blob, _, path = line.partition(" ")
        if path:
            yield path, blob


def contents_of(clone, blobs):
    """Yields (blob, bytes) for each of the blobs."""
    output = git(clone, "cat-file", "--batch", text="\n".join(blobs).encode() + b"\n")
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        fields = output[at:end].decode().split(" ")
        at = end + 1
        if len(fields) < 3:
            continue  # missing
        size = int(fields[2])
        yield fields[0], output[at:at + size]
        at += size + 1


def packages_of(clone):
    for name, packages in PACKAGES.items():
        if name in clone:
            return packages
    text = git(clone, "show", "HEAD:package.json")
    return [("", json.loads(text.decode("utf-8-sig"))["name"])]


def bases_in(source):
    """Yields (class, names that may be its bases)."""
    for name, bases in CLASS.findall(source):
        outer = re.sub(r"<[^<>]*>", "", bases)
        yield name, [NAME.findall(part)[-1] for part in outer.split(",") if NAME.search(part)]


def kind_of(path):
    return path.rsplit("/", 1)[-1].rpartition(".")[2]


def read_clone(clone, rows, bases):
    packages = packages_of(clone)

    def package_of(path):
        for folder, name in packages:
            if path.startswith(folder) and not IGNORED.search(path[len(folder):]):
                return name
        return None

    metas, scripts = {}, {}
    for path, blob in blobs_of(clone):
        if package_of(path.removesuffix(".meta")) is None:
            continue
        if path.endswith(".meta") and kind_of(path[:-5]) in ASSET_EXTENSIONS | {"cs"}:
            metas.setdefault(blob, path[:-5])
        elif path.endswith(".cs"):
            scripts.setdefault(path, blob)
    for blob, content in contents_of(clone, metas):
        guid = GUID.search(content)
        if guid:
            path = metas[blob]
            rows.setdefault(guid[1].decode(), (package_of(path), path.rsplit("/", 1)[-1]))
    for _, content in contents_of(clone, set(scripts.values())):
        for name, found in bases_in(content.decode("utf-8-sig", errors="replace")):
            bases[name].update(found)


def derived_classes(bases):
    """The classes that derive from the engine's objects, over all packages."""
    derived = set(ENGINE_BASES)
    while True:
        more = {name for name, found in bases.items() if name not in derived and found & derived}
        if not more:
            return derived
        derived |= more


def main():
    date, *clones = sys.argv[1:]
    rows, bases = {}, collections.defaultdict(set)
    for clone in clones:
        read_clone(clone, rows, bases)
    derived = derived_classes(bases)
    by_package = collections.defaultdict(list)
    for guid, (package, name) in rows.items():
        stem, _, extension = name.rpartition(".")
        if extension != "cs":
            by_package[package].append((guid, name))
        elif stem in derived:
            by_package[package].append((guid, stem))
    count = sum(len(found) for found in by_package.values())
    print(f"# {count} guids of {len(by_package)} public packages, in all versions up to {date};"
          " written by make_package_guids.py")
    print("# from clones of their public repositories. A row is a guid, and a class or a file.")
    for package in sorted(by_package):
        print(f"> {package}")
        for guid, name in sorted(by_package[package], key=lambda row: (row[1], row[0])):
            print(f"{guid} {name}")


if __name__ == "__main__":
    main()
