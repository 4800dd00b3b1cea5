"""Cases of make_cases.py with files that cannot be read completely."""

import hashlib
import re

from case_writer import (
    CRATE, PLAIN_BARREL, PLAIN_CRATE, PLAIN_REGISTRY, REGISTRY, UNITY_HEAD, guid_of,
    plain_prefab, plain_registry, plain_replicated, serialized_file, sound_unity, strong, weak)


def lfs_pointer(case):
    registry = "Assets/Registries/ItemRegistry.asset"
    sound_unity(case)
    case.add(registry, "version https://git-lfs.github.com/spec/v1\n"
                       f"oid sha256:{hashlib.sha256(b'registry').hexdigest()}\nsize 4821\n")
    case.roots(REGISTRY, registry)
    case.expect("error", "lfs-pointer", registry, "version")
    picture = "Assets/Art/crate.png"
    case.add(picture, "version https://git-lfs.github.com/spec/v1\n"
                      f"oid sha256:{hashlib.sha256(b'picture').hexdigest()}\nsize 91022\n")
    case.expect("error", "lfs-pointer", picture, "version")


def binary_asset(case):
    registry = "Assets/Registries/ItemRegistry.asset"
    sound_unity(case)
    case.add(registry, b"\x00\x00\x02\x68\x00\x00\x12\x00\x00\x00\x00\x11\x00\x00\x02\x80"
                       b"\x00\x00\x00\x002017.4.1f1\x00\x05\x00\x00\x00\x01\x00\x00\x00"
             + hashlib.sha256(b"binary").digest() * 8)
    case.roots(REGISTRY, registry)
    case.expect("error", "binary-asset", registry)


def lfs_pointer_root(case):
    """A Git LFS pointer may replace a root, so the content of a whole target may be missing."""
    root = "Assets/Roots/Client.asset"
    sound_unity(case)
    case.add(root, "version https://git-lfs.github.com/spec/v1\n"
                   f"oid sha256:{hashlib.sha256(b'root').hexdigest()}\nsize 1200\n")
    case.expect("error", "lfs-pointer", root, "version")


def binary_root(case):
    root = "Assets/Roots/Client.asset"
    sound_unity(case)
    script = bytes.fromhex("".join(a + b for b, a in zip(
        *[iter(guid_of("Assets/Scripts/AssetRegistryRoot.cs"))] * 2)))
    case.add(root, serialized_file(script))
    case.expect("error", "binary-asset", root)
    # These files are not roots: one names no such script, one has another kind in its sidecar.
    case.add("Assets/Scenes/NavMesh.asset", serialized_file(b""))
    lighting = "Assets/Scenes/LightingData.asset"
    case.add(lighting, b"\x00" * 64)
    case.bare(lighting + ".meta", f"fileFormatVersion: 2\nguid: {guid_of(lighting)}\n"
                                  "NativeFormatImporter:\n  mainObjectFileID: 112000000\n")


def yaml_syntax_cut(case):
    """One root and an unlisted registry are empty, and another root is truncated."""
    roots = [f"Assets/Roots/{name}.asset" for name in ("Client", "Server")]
    registry = "Assets/Registries/ItemRegistry.asset"
    sound_unity(case)
    case.asset(registry, "ItemRegistry", "  entries: []")
    for path in (roots[0], registry):
        case.files[path] = b""
        case.expect("error", "yaml-syntax", path)
    case.files[roots[1]] = case.files[roots[1]].split(b"  m_Enabled")[0]
    case.expect("error", "yaml-syntax", roots[1], "--- !u!114")
    # A file of another program, and an asset without a script, are not roots.
    case.add("Assets/Data/Graph.asset", "{}\n")
    case.asset("Assets/Data/Lost.asset", "Lost", "")
    case.files["Assets/Data/Lost.asset"] = re.sub(
        rb"m_Script: .*", b"m_Script: {fileID: 0}", case.files["Assets/Data/Lost.asset"])


def yaml_syntax_cut_object(case):
    """Two roots are truncated. Their files have another object, which still names its script."""
    sound_unity(case)
    theme = case.document("Theme", "ScriptableObject", "Theme", f"  look: {strong(CRATE)}",
                          file_id=42)
    for name, length, is_last in (("Client", len("m_Script: {fileID: 115"), False),
                                  ("Server", len("m_Sc"), True)):
        path = f"Assets/Roots/{name}.asset"
        root = case.files[path].decode()[len(UNITY_HEAD):]
        root = root[:root.index("m_Script") + length]
        case.files[path] = (UNITY_HEAD + (theme + root if is_last else f"{root}\n{theme}")).encode()
    case.expect("error", "yaml-syntax", "Assets/Roots/Client.asset", "m_Script")
    case.expect("error", "yaml-syntax", "Assets/Roots/Server.asset", "m_Sc", 2)


def yaml_syntax_repeated(case):
    """A merge has repeated the list of a registry and the list of a root."""
    sound_unity(case)
    case.files[REGISTRY] += b"  entries: []\n"
    case.files["Assets/Roots/Server.asset"] += b"  assetRegistries: []\n"
    case.expect("error", "yaml-syntax", REGISTRY, "  entries:", 2)
    case.expect("error", "yaml-syntax", "Assets/Roots/Server.asset", "assetRegistries", 2)


def duplicate_file_id(case):
    sound_unity(case, extra="--- !u!33 &1000\nMeshFilter:\n  m_GameObject: {fileID: 1000}\n")
    case.expect("warning", "duplicate-file-id", CRATE, "&1000", 2)


def packing_refused(case):
    """A registered prefab refers to assets that a build cannot pack, for different reasons."""
    head = UNITY_HEAD + "--- !u!21 &2100000\nMaterial:\n"
    torn = f"{head}<<<<<<< HEAD\n  m_Name: a\n=======\n  m_Name: b\n>>>>>>> feature\n"
    pointer = ("version https://git-lfs.github.com/spec/v1\n"
               f"oid sha256:{hashlib.sha256(b'look').hexdigest()}\nsize 4821\n")
    looks = (("Cut.mat", head + "  m_Shader: {fileID: 46, guid: 3f", "yaml-syntax", "guid: 3f"),
             ("Torn.mat", torn, "yaml-syntax", "<<<<<<<"),
             ("Empty.mat", "", "yaml-syntax", None),
             ("Head.mat", UNITY_HEAD, "yaml-syntax", None),
             ("Words.mat", "not of the engine\n", "yaml-syntax", "not"),
             ("Native.mat", serialized_file(b""), "binary-asset", None),
             ("Native.asset", b"\x00" * 64, "binary-asset", None),
             ("Pointer.mat", pointer, "lfs-pointer", "version"),
             ("Picture.png", pointer, "lfs-pointer", "version"),
             ("Settings.png", "\x89PNG" * 300, "yaml-syntax", None))
    for name, content, rule, marker in looks:
        path = f"Assets/Looks/{name}"
        case.add(path, content)
        if name != "Settings.png":
            case.expect("error", rule, path, marker)
        if name == "Torn.mat":
            case.expect("error", "merge-conflict", path, marker)
    settings = "Assets/Looks/Settings.png.meta"
    case.bare(settings, case.files[settings] + b"TextureImporter:\n  <<<<<<< HEAD\n  a: 1\n")
    case.expect("error", "yaml-syntax", settings, "a: 1")
    # These files are valid: a file in the engine's binary format, and a text of another tool.
    fine = (("Baked.asset", serialized_file(b"")), ("Style.uss", ".a { color: red; }\n"))
    for name, content in fine:
        case.add(f"Assets/Looks/{name}", content)
    names = [look[0] for look in looks] + [name for name, _ in fine]
    guids = [guid_of(f"Assets/Looks/{name}") for name in names]
    materials = "".join(f"  - {{fileID: 2100000, guid: {guid}, type: 2}}\n" for guid in guids)
    sound_unity(case, extra="--- !u!23 &2300\nMeshRenderer:\n  m_GameObject: {fileID: 1000}\n"
                            f"  m_Materials:\n{materials}")


def cut_short(case):
    """A prefab ends before an object that it names; its entry stays and is built."""
    sound_unity(case)
    text = case.files[CRATE].decode()
    case.files[CRATE] = text[:text.index("--- !u!114")].encode()
    case.expect("error", "cut-short", CRATE, "component: {fileID: 114000}")
    case.expect("error", "missing-component", REGISTRY, "val0:", 2)


def yaml_syntax_unneeded(case):
    """No registry needs these files, which are empty or have conflict markers."""
    sound_unity(case)
    torn = ("--- !u!29 &1\nOcclusionCullingSettings:\n<<<<<<< HEAD\n  a: 1\n=======\n  a: 2\n"
            ">>>>>>> feature\n")
    case.asset("Assets/Data/Settings.asset", "Settings", "  size: 1\n<<<<<<< HEAD\n  a: 1\n"
               "=======\n  a: 2\n>>>>>>> feature")
    case.expect("error", "merge-conflict", "Assets/Data/Settings.asset", "<<<<<<<")
    case.add("Assets/Scenes/Torn.unity", UNITY_HEAD + torn)
    case.expect("error", "merge-conflict", "Assets/Scenes/Torn.unity", "<<<<<<<")
    for name, content in (("Empty.prefab", ""), ("Head.prefab", UNITY_HEAD),
                          ("Version.prefab", "%YAML 1.1\n"), ("Blank.mat", "\n\n")):
        case.add(f"Assets/Unused/{name}", content)
        case.expect("warning", "yaml-syntax", f"Assets/Unused/{name}")
    # Files of another program are not checked.
    foreign = "Assets/StreamingAssets/look.mat"
    case.add(foreign, '{"a": 1}\n')
    case.bare(foreign + ".meta", f"fileFormatVersion: 2\nguid: {guid_of(foreign)}\n"
                                 "DefaultImporter:\n  userData: \n")


def inner_references(case):
    """A registered prefab has faulty references that can be checked without other files."""
    sound_unity(case, extra=(
        "--- !u!33 &3300\nMeshFilter:\n  m_GameObject: {fileID: 1000}\n"
        "  m_Mesh: {fileID: 4300000, guid: 0123456789abcdef, type: 2}\n"
        "  m_Lost: {fileID: 4711}\n  m_Again: [{fileID: 4711}]\n"
        "  m_Null: {fileID: 0, guid: 0, type: 0}\n"
        "  data:\n  - fileID: 42\n    guid: crate\n"))  # This is a struct of the game.
    case.expect("error", "malformed-guid", CRATE, "0123456789abcdef,")
    case.expect("warning", "unresolved-reference", CRATE, "{fileID: 4711}")
    text = case.files[REGISTRY].decode()
    case.files[REGISTRY] = text.replace("factory: {fileID: 0}", "factory: {fileID: 4711}").encode()
    case.expect("error", "unresolved-reference", REGISTRY, "{fileID: 4711}")


def yaml_syntax_bytes(case):
    """A registry is encoded in Latin-1 instead of UTF-8."""
    path = "plain/registries/hitscan_effects.yaml"
    plain_prefab(case, "plain/effects/beam.yaml")
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entries:\n- type_id: 1\n  prefab: {weak('plain/effects/beam.yaml')}\n"
                   "  poolSize: 16\n  note: tr\u00f6t\n")
    case.files[path] = case.files[path].decode().encode("latin-1")
    case.expect("error", "yaml-syntax", path, "note:")


def yaml_syntax(case):
    registry = "Assets/Registries/ItemRegistry.asset"
    sound_unity(case)
    case.asset(registry, "ItemRegistry", "  entries:\n  - {fileID: 11400000, guid: 3f")
    case.files[registry] = case.files[registry].rstrip()
    case.roots(REGISTRY, registry)
    case.expect("error", "yaml-syntax", registry, "guid: 3f")


def yaml_syntax_plain(case):
    path = "plain/registries/hitscan_effects.yaml"
    plain_registry(case, "HitscanEffectRegistry", path,
                   "entries:\n- type_id: 1\n  prefab: {guid: 3f")
    case.expect("error", "yaml-syntax", path, "guid: 3f")


def yaml_syntax_unregistered(case):
    """A prefab that no registry lists has a syntax error, so it is unknown if it is a member."""
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n")
    case.add(PLAIN_BARREL, "class: Prefab\nroot:\n  name: [barrel\n  components: 1\n")
    case.expect("error", "yaml-syntax", PLAIN_BARREL, "components:")


def invalid_utf8(case):
    sound_unity(case)
    case.files[REGISTRY] += b"  note: \xff\xfe\n"
    case.expect("warning", "invalid-utf8", REGISTRY, "note: ")


def merge_conflict(case):
    sound_unity(case)
    path = "Assets/Data/Torn.txt"
    case.add(path, "text\n")
    case.bare(path + ".meta", f"fileFormatVersion: 2\n<<<<<<< HEAD\nguid: {guid_of('ours')}\n"
                              f"=======\nguid: {guid_of('theirs')}\n>>>>>>> feature\n")
    case.expect("error", "merge-conflict", path + ".meta", "<<<<<<<")
