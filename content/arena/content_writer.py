"""Writes the sample game's content: guids, both YAML dialects, sidecars, prefabs.

Used by make_content.py, which has the tables of the content.
"""

import hashlib
import pathlib

# --- Identities ---------------------------------------------------------------------------------


def guid_of(path):
    return hashlib.sha256(f"arena:{path}".encode()).hexdigest()[:32]


def file_id_of(path, name, signed=False):
    """Returns a 63-bit id like the ids of Unity's editor. Ids of components may be negative."""
    digest = hashlib.sha256(f"arena:{path}#{name}".encode()).digest()
    value = int.from_bytes(digest[:8], "big", signed=True)
    return value if signed else value & 0x7FFFFFFFFFFFFFFF


def words_of(guid):
    """Returns the four signed integers val0 to val3 of a weak reference."""
    b = bytes.fromhex(guid)
    order = ((0, 1, 2, 3), (6, 7, 4, 5), (11, 10, 9, 8), (15, 14, 13, 12))
    return [int.from_bytes(bytes(b[i] for i in word), "big", signed=True) for word in order]


def noise(seed, count):
    """Returns `count` pseudo-random bytes, which are equal on every machine."""
    blocks = (count + 31) // 32
    return b"".join(
        hashlib.sha256(f"{seed}:{block}".encode()).digest() for block in range(blocks))[:count]


# --- Values for both dialects ---------------------------------------------------------------------

# Extension -> (file id of the main object, Unity's reference type, name of the importer).
KINDS = {
    ".yaml": (1, 3, "DefaultImporter"),
    ".asset": (11400000, 2, "NativeFormatImporter"),
    ".mat": (2100000, 2, "NativeFormatImporter"),
    ".physicMaterial": (13400000, 2, "NativeFormatImporter"),
    ".prefab": (100100000, 3, "PrefabImporter"),
    ".png": (2800000, 3, "TextureImporter"),
    ".wav": (8300000, 3, "AudioImporter"),
    ".mdl": (102900000, 3, "DefaultImporter"),
    ".cs": (11500000, 3, "MonoImporter"),
}


def extension(path):
    return pathlib.PurePosixPath(path).suffix


def stem(path):
    return pathlib.PurePosixPath(path).stem


class Flow(dict):
    """A mapping that is written in braces."""


class Weak:
    """A weak reference to an asset; None means unset."""

    def __init__(self, path):
        self.guid = guid_of(path) if path else "0" * 32


class WeakText(Weak):
    """A weak reference that Unity's dialect stores as text (the S layout)."""


def strong(path, file_id=None):
    main_id, kind, _ = KINDS[extension(path)]
    return Flow(fileID=file_id or main_id, guid=guid_of(path), type=kind)


NONE = Flow(fileID=0)


def vec(x, y, z):
    return Flow(x=x, y=y, z=z)


def color(r, g, b):
    return Flow(r=r, g=g, b=b, a=1)


def mesh(name):
    """A mesh that is built into the engine: it has no file and no meta."""
    ids = {"Cube": 10202, "Cylinder": 10206, "Sphere": 10207, "Capsule": 10208, "Plane": 10209}
    return Flow(fileID=ids[name], guid="0000000000000000e000000000000000", type=0)


STANDARD_SHADER = Flow(fileID=46, guid="0000000000000000f000000000000000", type=0)

# --- YAML ---------------------------------------------------------------------------------------


def scalar(value, unity):
    if isinstance(value, bool):
        return str(int(value)) if unity else str(value).lower()
    if isinstance(value, float):
        return format(value, ".7g")
    if value == "" and not unity:
        return '""'
    return str(value)


def inline(value, unity):
    if isinstance(value, Weak):
        return f"{{guid: {value.guid}}}"
    if isinstance(value, list):
        return "[" + ", ".join(inline(item, unity) for item in value) + "]"
    if isinstance(value, dict):
        items = [(k, v) for k, v in value.items() if unity or k != "type" or "fileID" not in value]
        return "{" + ", ".join(f"{k}: {inline(v, unity)}" for k, v in items) + "}"
    return scalar(value, unity)


def folded(line, column):
    """Breaks a line of more than 80 characters before `type:` of a reference, as Unity does."""
    if len(line) <= 80 or ", type: " not in line:
        return [line]
    head, tail = line.rsplit(", type: ", 1)
    return [head + ",", " " * (column + 2) + "type: " + tail]


def unity_form(value):
    """Replaces weak references by the mappings of Unity's dialect."""
    if isinstance(value, WeakText):
        return {"guid": value.guid if int(value.guid, 16) else ""}
    if isinstance(value, Weak):
        return {f"val{i}": word for i, word in enumerate(words_of(value.guid))}
    return value


def block(mapping, indent, unity):
    lines = []
    pad = " " * indent
    for key, value in mapping.items():
        if unity:
            value = unity_form(value)
        short = f"{pad}{key}: {inline(value, unity)}"
        if isinstance(value, (Flow, Weak)) or value == [] or value == {}:
            lines += folded(short, indent)
        elif isinstance(value, dict):
            if not unity and len(short) <= 98 and indent > 0:
                lines.append(short)
            else:
                lines += [f"{pad}{key}:"] + block(value, indent + 2, unity)
        elif isinstance(value, list):
            lines += [f"{pad}{key}:"]
            for item in value:
                lines += list_item(item, indent, unity)
        else:
            lines.append(short)
    return lines


def list_item(item, indent, unity):
    pad = " " * indent
    if isinstance(item, dict) and not isinstance(item, Flow):
        lines = block(item, indent + 2, unity)
        return [f"{pad}- {lines[0].lstrip()}"] + lines[1:]
    return folded(f"{pad}- {inline(item, unity)}", indent)


def plain_text(mapping):
    return "\n".join(block(mapping, 0, unity=False)) + "\n"


def unity_text(documents):
    """`documents`: (class id, file id, type name, fields, is stripped)."""
    lines = ["%YAML 1.1", "%TAG !u! tag:unity3d.com,2011:"]
    for class_id, file_id, name, fields, stripped in documents:
        lines.append(f"--- !u!{class_id} &{file_id}" + (" stripped" if stripped else ""))
        lines.append(f"{name}:")
        lines += block(fields, 2, unity=True)
    return "\n".join(lines) + "\n"


# --- The written project --------------------------------------------------------------------------


class Project:
    """All files by their paths, and the data of prefabs that other prefabs need."""

    def __init__(self):
        self.files = {}
        self.models = {}
        self.scripts = {}

    def add(self, path, content):
        assert path not in self.files, path
        self.files[path] = content.encode() if isinstance(content, str) else content

    def script(self, name):
        """Returns the guid of a class's C# stub."""
        return strong(self.scripts[name])

    def add_script(self, name, base):
        path = f"Assets/Scripts/{name}.cs"
        self.scripts[name] = path
        self.add(path, f"using UnityEngine;\n\npublic class {name} : {base}\n{{\n}}\n")

    def asset(self, path, class_name, fields):
        """Adds a data asset: a MonoBehaviour without a GameObject, or a plain `class:` file."""
        if extension(path) == ".yaml":
            self.add(path, plain_text({"class": class_name, **fields}))
            return
        head = behaviour_head(self.script(class_name), NONE, stem(path))
        self.add(path, unity_text([(114, 11400000, "MonoBehaviour", {**head, **fields}, False)]))

    def native(self, path, class_id, class_name, fields):
        """Adds an asset of one of the engine's own classes."""
        head = {"serializedVersion": 6, **object_head(), "m_Name": stem(path)}
        main_id = KINDS[extension(path)][0]
        self.add(path, unity_text([(class_id, main_id, class_name, {**head, **fields}, False)]))

    def with_metas(self):
        """Returns all files, and the sidecars of files and folders."""
        result = dict(self.files)
        folders = set()
        for path in self.files:
            for parent in pathlib.PurePosixPath(path).parents:
                if len(parent.parts) > 1:
                    folders.add(str(parent))
            result[path + ".meta"] = meta_text(path).encode()
        for folder in folders:
            result[folder + ".meta"] = meta_text(folder, is_folder=True).encode()
        return dict(sorted(result.items()))


IMPORTER_SETTINGS = {
    "NativeFormatImporter": {"externalObjects": {}, "mainObjectFileID": 0},
    "PrefabImporter": {"externalObjects": {}},
    "MonoImporter": {"externalObjects": {}, "serializedVersion": 2, "defaultReferences": [],
                     "executionOrder": 0, "icon": Flow(instanceID=0)},
    "TextureImporter": {"fileIDToRecycleName": {}, "externalObjects": {}, "serializedVersion": 7,
                        "mipmaps": {"mipMapMode": 0, "enableMipMap": 1, "sRGBTexture": 1},
                        "isReadable": 0, "maxTextureSize": 2048,
                        "textureSettings": {"serializedVersion": 2, "filterMode": 1, "aniso": 1,
                                            "wrapU": 0, "wrapV": 0},
                        "compressionQuality": 50, "textureType": 0, "textureShape": 1},
    "AudioImporter": {"externalObjects": {}, "serializedVersion": 6,
                      "defaultSettings": {"loadType": 0, "sampleRateSetting": 0,
                                          "sampleRateOverride": 44100, "compressionFormat": 1,
                                          "quality": 1, "conversionMode": 0},
                      "forceToMono": 1, "normalize": 1, "preloadAudioData": 1},
    "DefaultImporter": {"externalObjects": {}},
}


def meta_text(path, is_folder=False):
    if path.startswith("plain/"):
        lines = {"guid": guid_of(path)}
        if is_folder:
            lines["folderAsset"] = "yes"
        elif extension(path) != ".yaml":
            lines[KINDS[extension(path)][2]] = IMPORTER_SETTINGS[KINDS[extension(path)][2]]
        return plain_text(lines)
    head = {"fileFormatVersion": 2, "guid": guid_of(path)}
    importer = "DefaultImporter"
    if is_folder:
        head["folderAsset"] = "yes"
    else:
        importer = KINDS[extension(path)][2]
    settings = dict(IMPORTER_SETTINGS[importer])
    if "mainObjectFileID" in settings:
        settings["mainObjectFileID"] = KINDS[extension(path)][0]
    settings |= {"userData": "", "assetBundleName": "", "assetBundleVariant": ""}
    return "\n".join(block({**head, importer: settings}, 0, unity=True)) + "\n"


# --- Prefabs ------------------------------------------------------------------------------------


class Node:
    """One object of a prefab. With `prefab` it is an instance of another prefab, and its components
    override fields of that root or are added to it. Components are (name, fields)."""

    def __init__(self, name, components=(), children=(), at=None, prefab=None):
        self.name = name
        self.components = list(components)
        self.children = list(children)
        self.at = at
        self.prefab = prefab


class Model:
    """The data of a Unity prefab that other prefabs need: the ids of its root and of the root's
    components. In a variant, an id is the instance's id xor the id in the source, as in Unity's
    editor."""

    def __init__(self, root, transform, components):
        self.root = root
        self.transform = transform
        self.components = components

    def seen_through(self, instance):
        def through(file_id):
            return (instance ^ file_id) & 0x7FFFFFFFFFFFFFFF
        return Model(through(self.root), through(self.transform),
                     {name: through(i) for name, i in self.components.items()})


# The engine's own components: class id, and the plain form's field names -> the engine's.
ENGINE_COMPONENTS = {
    "MeshFilter": (33, {"mesh": "m_Mesh"}),
    "MeshRenderer": (23, {"castShadows": "m_CastShadows", "materials": "m_Materials"}),
    "Rigidbody": (54, {"mass": "m_Mass", "drag": "m_Drag", "kinematic": "m_IsKinematic"}),
    "BoxCollider": (65, {"material": "m_Material", "trigger": "m_IsTrigger", "size": "m_Size",
                         "center": "m_Center"}),
    "SphereCollider": (135, {"material": "m_Material", "trigger": "m_IsTrigger",
                             "radius": "m_Radius", "center": "m_Center"}),
    "CapsuleCollider": (136, {"material": "m_Material", "radius": "m_Radius",
                              "height": "m_Height", "center": "m_Center"}),
    "AudioSource": (82, {"clip": "m_audioClip", "volume": "m_Volume", "loop": "Loop"}),
    "Light": (108, {"color": "m_Color", "intensity": "m_Intensity", "range": "m_Range"}),
}


def object_head():
    return {"m_ObjectHideFlags": 0, "m_CorrespondingSourceObject": NONE,
            "m_PrefabInstance": NONE, "m_PrefabAsset": NONE}


def behaviour_head(script, game_object, name=""):
    return {**object_head(), "m_GameObject": game_object, "m_Enabled": 1, "m_EditorHideFlags": 0,
            "m_Script": script, "m_Name": name, "m_EditorClassIdentifier": ""}


def serialized_fields(name, fields):
    """Returns the fields as the component stores them. ReplicatedEntity stores its fields one level
    deeper."""
    return {"m_SerializedData": fields} if name == "ReplicatedEntity" else fields


class UnityPrefab:
    """Writes one prefab in Unity's dialect."""

    def __init__(self, project, path):
        self.project = project
        self.path = path
        self.documents = []
        self.used = {}

    def new_id(self, name, signed=False):
        count = self.used[name] = self.used.get(name, 0) + 1
        return file_id_of(self.path, f"{name}/{count}", signed)

    def component(self, game_object, name, fields):
        """Adds a component's document and returns its id."""
        owner = Flow(fileID=game_object)
        if name in ENGINE_COMPONENTS:
            class_id, names = ENGINE_COMPONENTS[name]
            file_id = self.new_id(name)
            body = {**object_head(), "m_GameObject": owner, "m_Enabled": 1,
                    **{names[key]: value for key, value in fields.items()}}
            self.documents.append((class_id, file_id, name, body, False))
            return file_id
        file_id = self.new_id(name, signed=True)
        head = behaviour_head(self.project.script(name), owner)
        body = {**head, **serialized_fields(name, fields)}
        self.documents.append((114, file_id, "MonoBehaviour", body, False))
        return file_id

    def game_object(self, node, father, order):
        """Adds a node with its children and returns its model."""
        root, transform = self.new_id("GameObject"), self.new_id("Transform")
        document_index = len(self.documents)
        components = {name: self.component(root, name, fields) for name, fields in node.components}
        listed = [{"component": Flow(fileID=i)} for i in (transform, *components.values())]
        children = []
        for index, child in enumerate(node.children):
            if child.prefab:
                children.append(self.nested(child, transform, index).transform)
            else:
                children.append(self.game_object(child, transform, index).transform)
        x, y, z = node.at or (0, 0, 0)
        head = [
            (1, root, "GameObject",
             {**object_head(), "serializedVersion": 6, "m_Component": listed, "m_Layer": 0,
              "m_Name": node.name, "m_TagString": "Untagged", "m_Icon": NONE, "m_NavMeshLayer": 0,
              "m_StaticEditorFlags": 0, "m_IsActive": 1}, False),
            (4, transform, "Transform",
             {**object_head(), "m_GameObject": Flow(fileID=root),
              "m_LocalRotation": Flow(x=0, y=0, z=0, w=1), "m_LocalPosition": vec(x, y, z),
              "m_LocalScale": vec(1, 1, 1), "m_Children": [Flow(fileID=i) for i in children],
              "m_Father": Flow(fileID=father), "m_RootOrder": order,
              "m_LocalEulerAnglesHint": vec(0, 0, 0)}, False)]
        self.documents[document_index:document_index] = head
        return Model(root, transform, components)

    def nested(self, node, father, order):
        position = Flow(x=node.at[0], y=node.at[1], z=node.at[2]) if node.at else vec(0, 0, 0)
        return self.instance(node.name, node.prefab, father, order, node.components, (), position)

    def instance(self, name, source_path, father, order, components, removed, position):
        """Adds a PrefabInstance. With father 0, the file is a variant."""
        source = self.project.models[source_path]
        instance = self.new_id("PrefabInstance")
        seen = source.seen_through(instance)
        changes = [self.change(source.root, source_path, "m_Name", name)]
        for axis, value in position.items():
            changes.append(
                self.change(source.transform, source_path, f"m_LocalPosition.{axis}", value))
        for axis, value in {"x": 0, "y": 0, "z": 0, "w": 1}.items():
            changes.append(
                self.change(source.transform, source_path, f"m_LocalRotation.{axis}", value))
        changes.append(self.change(source.transform, source_path, "m_RootOrder", order))
        added = []
        for component, fields in components:
            if component in source.components:
                target = source.components[component]
                names = ENGINE_COMPONENTS.get(component, (0, {}))[1]
                renamed = {names.get(key, key): value for key, value in fields.items()}
                changes += self.changes(
                    target, source_path, "", serialized_fields(component, renamed))
            else:
                added.append((component, fields))
        at = len(self.documents)
        if added:
            self.documents.append(self.stripped(1, seen.root, "GameObject", source.root,
                                                source_path, instance))
        for component, fields in added:
            seen.components[component] = self.component(seen.root, component, fields)
        modification = {"m_TransformParent": Flow(fileID=father), "m_Modifications": changes,
                        "m_RemovedComponents": [
                            strong(source_path, source.components[gone]) for gone in removed]}
        self.documents.insert(at, (1001, instance, "PrefabInstance", {
            "m_ObjectHideFlags": 0, "serializedVersion": 2, "m_Modification": modification,
            "m_SourcePrefab": strong(source_path)}, False))
        if father:
            self.documents.append(self.stripped(4, seen.transform, "Transform", source.transform,
                                                source_path, instance))
        for gone in removed:
            del seen.components[gone]
        return seen

    def stripped(self, class_id, file_id, name, source_id, source_path, instance):
        return (class_id, file_id, name,
                {"m_CorrespondingSourceObject": strong(source_path, source_id),
                 "m_PrefabInstance": Flow(fileID=instance), "m_PrefabAsset": NONE}, True)

    def change(self, target, source_path, property_path, value):
        is_reference = isinstance(value, Flow)
        return {"target": strong(source_path, target), "propertyPath": property_path,
                "value": "" if is_reference else value,
                "objectReference": value if is_reference else NONE}

    def changes(self, target, source_path, prefix, fields):
        """Flattens field overrides into property paths."""
        result = []
        for key, value in fields.items():
            value = unity_form(value)
            here = f"{prefix}{key}"
            if isinstance(value, Flow) and "fileID" not in value or (
                    isinstance(value, dict) and not isinstance(value, Flow)):
                result += self.changes(target, source_path, here + ".", dict(value))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    result.append(self.change(
                        target, source_path, f"{here}.Array.data[{index}]", item))
            else:
                result.append(self.change(target, source_path, here, value))
        return result

    def finish(self, model):
        self.project.models[self.path] = model
        self.project.add(self.path, unity_text(self.documents))


def plain_node(node):
    result = {"name": node.name}
    if node.prefab:
        result["prefab"] = strong(node.prefab)
    components = [{name: fields} for name, fields in node.components]
    if node.at:
        components.insert(0, {"Transform": {"position": vec(*node.at)}})
    if components:
        result["components"] = components
    if node.children:
        result["children"] = [plain_node(child) for child in node.children]
    return result


def prefab(project, path, components=(), children=(), name=None):
    node = Node(name or stem(path), components, children)
    if extension(path) == ".yaml":
        project.add(path, plain_text({"class": "Prefab", "root": plain_node(node)}))
        return
    unity = UnityPrefab(project, path)
    unity.finish(unity.game_object(node, 0, 0))


def variant(project, path, base, components=(), removed=()):
    """Adds a prefab variant: another prefab with changed, added or removed components."""
    if extension(path) == ".yaml":
        root = {"name": stem(path)}
        if components:
            root["components"] = [{name: fields} for name, fields in components]
        if removed:
            root["removed"] = list(removed)
        project.add(path, plain_text(
            {"class": "Prefab", "variant_of": strong(base), "root": root}))
        return
    unity = UnityPrefab(project, path)
    unity.finish(unity.instance(stem(path), base, 0, 0, components, removed, vec(0, 0, 0)))
