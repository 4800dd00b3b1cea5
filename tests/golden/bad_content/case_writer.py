"""Writes a case of make_cases.py: files with sidecars, and the expected findings."""

import hashlib
import pathlib
import re


def guid_of(path):
    return hashlib.sha256(f"bad_content:{path}".encode()).hexdigest()[:32]


def words_of(guid):
    b = bytes.fromhex(guid)
    order = ((0, 1, 2, 3), (6, 7, 4, 5), (11, 10, 9, 8), (15, 14, 13, 12))
    return [int.from_bytes(bytes(b[i] for i in word), "big", signed=True) for word in order]


def words(guid, indent):
    return "".join(f"\n{' ' * indent}val{i}: {word}" for i, word in enumerate(words_of(guid)))


NONE = "0" * 32
MISSING = guid_of("an asset that does not exist")


class Case:
    """A project that is being written."""

    def __init__(self, name):
        self.name = name
        self.files = {}
        self.findings = []

    def bare(self, path, content):
        """Adds a file without a sidecar."""
        self.files[path] = content.encode() if isinstance(content, str) else content

    def add(self, path, content, guid=None):
        """Adds a file with its sidecar, and sidecars for its folders."""
        if path.startswith("plain/"):
            content = re.sub(r", type: \d\}", "}", content)
        self.bare(path, content)
        self.bare(path + ".meta", f"fileFormatVersion: 2\nguid: {guid or guid_of(path)}\n")
        for parent in pathlib.PurePosixPath(path).parents:
            if len(parent.parts) > 1:
                self.bare(f"{parent}.meta", f"fileFormatVersion: 2\nguid: {guid_of(parent)}\n"
                                            "folderAsset: yes\n")

    def script(self, name, base):
        self.add(f"Assets/Scripts/{name}.cs", f"public class {name} : {base}\n{{\n}}\n")
        return guid_of(f"Assets/Scripts/{name}.cs")

    def document(self, class_name, base, name, fields, game_object=0, file_id=11400000):
        """Returns one MonoBehaviour; `fields` begins and ends without a line break."""
        script = self.script(class_name, base)
        return (f"--- !u!114 &{file_id}\nMonoBehaviour:\n  m_ObjectHideFlags: 0\n"
                f"  m_GameObject: {{fileID: {game_object}}}\n  m_Enabled: 1\n"
                f"  m_Script: {{fileID: 11500000, guid: {script}, type: 3}}\n"
                f"  m_Name: {name}\n  m_EditorClassIdentifier: \n{fields}\n")

    def asset(self, path, class_name, fields, base="ScriptableObject"):
        """Adds a data asset in Unity's dialect."""
        self.add(path, UNITY_HEAD + self.document(
            class_name, base, pathlib.PurePosixPath(path).stem, fields))

    def prefab(self, path, components, extra=""):
        """Adds a Unity prefab with one object; each component is a tuple (class, fields)."""
        ids = [114000 + i for i in range(len(components))]
        listed = "".join(f"  - component: {{fileID: {i}}}\n" for i in (4000, *ids))
        text = (UNITY_HEAD + f"--- !u!1 &1000\nGameObject:\n  m_ObjectHideFlags: 0\n"
                f"  serializedVersion: 6\n  m_Component:\n{listed}  m_Layer: 0\n"
                f"  m_Name: {pathlib.PurePosixPath(path).stem}\n  m_IsActive: 1\n"
                "--- !u!4 &4000\nTransform:\n  m_ObjectHideFlags: 0\n"
                "  m_GameObject: {fileID: 1000}\n  m_LocalRotation: {x: 0, y: 0, z: 0, w: 1}\n"
                "  m_LocalPosition: {x: 0, y: 0, z: 0}\n  m_LocalScale: {x: 1, y: 1, z: 1}\n"
                "  m_Children: []\n  m_Father: {fileID: 0}\n")
        for file_id, (name, fields) in zip(ids, components):
            text += self.document(name, "MonoBehaviour", "", fields, 1000, file_id)
        self.add(path, text + extra)

    def replicated(self, path, guid=None, extra=""):
        """Adds a Unity prefab with a ReplicatedEntity that stores `guid`, or the prefab's guid."""
        self.prefab(path, [("ReplicatedEntity", "  m_SerializedData:\n    assetGuid:"
                            + words(guid or guid_of(path), 6))], extra)

    def roots(self, *registries):
        """Adds a client and a server root that list the registries."""
        for name, flag in (("Client", 0), ("Server", 1)):
            path = f"{folder_of(registries)}/Roots/{name}"
            if path.startswith("plain"):
                items = "".join(f"- {strong(r)}\n" for r in registries)
                self.add(path + ".yaml", f"class: AssetRegistryRoot\nserverBuild: {flag}\n"
                                         f"assetRegistries:\n{items}")
            else:
                items = "".join(f"\n  - {strong(r)}" for r in registries)
                self.asset(path + ".asset", "AssetRegistryRoot",
                           f"  serverBuild: {flag}\n  assetRegistries:{items}")

    def plain_project(self):
        self.bare("muster.yaml", f"version: 1\nname: {self.name}\nfolders: [plain]\n")

    def line_of(self, path, marker, occurrence=1):
        lines = self.files[path].decode(errors="replace").split("\n")
        found = [number for number, line in enumerate(lines, start=1) if marker in line]
        return found[occurrence - 1]

    def expect(self, severity, rule, path, marker=None, occurrence=1):
        line = f":{self.line_of(path, marker, occurrence)}" if marker else ""
        self.findings.append(f"{severity} {rule} {path}{line}")

    def all_files(self):
        expected = "".join(f"{line}\n" for line in sorted(self.findings))
        return {f"{self.name}/{path}": content
                for path, content in {**self.files, "expected.txt": expected.encode()}.items()}


UNITY_HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"


def folder_of(paths):
    return paths[0].split("/", 1)[0]


def strong(path):
    """Returns a strong reference in Unity's dialect; `Case.add` removes its type in plain files."""
    file_id, kind = {".yaml": (1, 3), ".asset": (11400000, 2), ".prefab": (100100000, 3),
                     ".mat": (2100000, 2), ".png": (2800000, 3)}[pathlib.PurePosixPath(path).suffix]
    return f"{{fileID: {file_id}, guid: {guid_of(path)}, type: {kind}}}"


def weak(path):
    return f"{{guid: {guid_of(path)}}}"


REGISTRY = "Assets/Registries/ReplicatedEntityRegistry.asset"
CRATE = "Assets/Prefabs/Crate.prefab"
BARREL = "Assets/Prefabs/Barrel.prefab"
PLAIN_REGISTRY = "plain/registries/replicated_entities.yaml"
PLAIN_CRATE = "plain/prefabs/crate.yaml"
PLAIN_BARREL = "plain/prefabs/barrel.yaml"


def inline_entry(guid, prefab=None, factory="{fileID: 0}"):
    """Returns a registry entry in the layout with references of four integers."""
    prefab = guid if prefab is None else prefab
    return (f"  - guid:{words(guid, 6)}\n    prefab:{words(prefab, 6)}\n"
            f"    factory: {factory}")


def unity_registry(case, *entries):
    case.asset(REGISTRY, "ReplicatedEntityRegistry", "\n".join(["  entries:", *entries]))
    case.roots(REGISTRY)


def sound_unity(case, **crate):
    """Adds the smallest valid Unity project: one registered replicated prefab."""
    case.replicated(CRATE, **crate)
    unity_registry(case, inline_entry(guid_of(CRATE)))


def plain_prefab(case, path, components="", children=""):
    case.add(path, f"class: Prefab\nroot:\n  name: {pathlib.PurePosixPath(path).stem}\n"
                   f"  components:\n{components}  - Spin: {{degreesPerSecond: 10}}\n{children}")


def plain_replicated(case, path, guid=None):
    plain_prefab(case, path, "  - ReplicatedEntity: {assetGuid: {guid: "
                             f"{guid or guid_of(path)}}}}}\n")


def plain_registry(case, class_name, path, body):
    case.add(path, f"class: {class_name}\n{body}")
    case.roots(path)
    case.plain_project()


def serialized_file(tail):
    """Returns a file in the engine's binary format: empty tables, and then `tail`."""
    # The version of the engine, the platform, and no layouts of fields. Then five empty tables:
    # types, objects, scripts, external files and types of references. Then an empty text.
    tables = b"2019.4.40f1\x00" + b"\x13\x00\x00\x00" + b"\x00" + b"\x00" * 20 + b"\x00"
    size = 20 + len(tables) + len(tail)
    head = b"".join(n.to_bytes(4, "big") for n in (len(tables), size, 21, 20 + len(tables)))
    return head + b"\x00" * 4 + tables + tail
