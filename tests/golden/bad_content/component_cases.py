"""Cases of make_cases.py about components."""

import json

from case_writer import (
    BARREL, CRATE, NONE, PLAIN_BARREL, PLAIN_CRATE, PLAIN_REGISTRY, REGISTRY, UNITY_HEAD,
    guid_of, inline_entry, plain_registry, plain_replicated, sound_unity, strong,
    unity_registry, words)


def unknown_component(case):
    components = {"components": [
        {"name": name, "size": 4, "alignment": 4, "default": "00000000",
         "fields": [{"name": field, "type": "float32", "offset": 0}]}
        for name, field in (("Spin", "degreesPerSecond"), ("Door", "openSeconds"))]}
    components["components"].append(
        {"name": "Gun", "size": 28, "alignment": 4, "default": "00" * 28,
         "fields": [{"name": name, "type": kind, "offset": at} for name, kind, at in (
             ("recoil.angle", "float32", 0), ("slots[0].ammo", "int32", 4),
             ("slots[1].ammo", "int32", 8), ("muzzle", "vec3", 12), ("level", "int32", 24))]})
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n")
    case.bare("components.json", json.dumps(components) + "\n")
    case.bare("muster.yaml", case.files["muster.yaml"].decode() + "components: components.json\n")
    case.add(PLAIN_BARREL, "class: Prefab\nroot:\n  name: barrel\n  components:\n"
             "  - Dor: {openSeconds: 1}\n  - Spin:\n      degreesPerSecnd: 2\n"
             "  - MeshRenderer: {}\n  - BoxCollider: {}\n  - Wobbulator: {speed: 3}\n"
             "  - Gun:\n      recoil:\n        angel: 3\n      muzzle:\n        w: 2\n"
             "      slots:\n      - ammo: 1\n      - amo: 2\n      - ammo: 3\n"
             "  - Doorr\n  - Spin: {}\n    Gun: {}\n")
    case.expect("warning", "unknown-component", PLAIN_BARREL, "Dor:")
    case.expect("warning", "unknown-component", PLAIN_BARREL, "Doorr")
    case.expect("warning", "unknown-component", PLAIN_BARREL, "Gun: {}")
    case.expect("error", "unfit-value", PLAIN_BARREL, "Spin: {}")
    case.expect("error", "unfit-value", PLAIN_BARREL, "- ammo: 1")  # The list is too long.
    for unknown in ("degreesPerSecnd", "angel", "w: 2", "amo: 2", "ammo: 3"):
        case.expect("warning", "unknown-field", PLAIN_BARREL, unknown)


def unknown_component_factory(case):
    """Components are unknown in lists and fields of factories, and under `removed` in a prefab."""
    components = {"components": [
        {"name": name, "size": 4, "alignment": 4, "default": "00000000",
         "fields": [{"name": field, "type": kind, "offset": 0, **more}]}
        for name, field, kind, more in (
            ("Spin", "degreesPerSecond", "float32", {"minimum": 0, "maximum": 360}),
            ("Door", "openSeconds", "float32", {}), ("Seat", "row", "uint32", {}))]}
    listed, named = "plain/factories/listed.yaml", "plain/factories/named.yaml"
    unlisted, unbuilt = "plain/factories/mapping.yaml", "plain/factories/unbuilt.yaml"
    plain_replicated(case, PLAIN_CRATE)
    factories = (listed, named, unlisted)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n"
                   + "".join(f"- type_id: {type_id}\n  factory: {strong(path)}\n"
                             for type_id, path in enumerate(factories, start=2)))
    case.bare("components.json", json.dumps(components) + "\n")
    case.bare("muster.yaml", case.files["muster.yaml"].decode() + "components: components.json\n")
    head = "class: ReplicatedEntityFactory\n"

    def factory(path, body):
        case.add(path, f"{head}guid: {{guid: {guid_of(path)}}}\n{body}")

    factory(listed, "components:\n- Dor: {openSeconds: 1}\n- Spin:\n    degreesPerSecnd: 2\n"
                    "- MeshRenderer: {}\n- Spin: {degreesPerSecond: 720}\n- Doorr\n- Seat: 5\n"
                    "- Door: {openSeconds: soon}\n- # nothing\n\n- [Seat]\n")
    factory(named, "spin: {degreesPerSecond: fast}\ndoor: {opnSeconds: 1}\n"
                   "doors: {fileID: 0}\nseats: {row: 1}\nspeed: {top: 3}\nSpin: {}\n"
                   # These keys of the game only look like components.
                   "poor: {min: 1}\nfloor: {openSeconds: 1}\n")
    factory(unlisted, "components:\n  Door: {openSeconds: 1}\nseat: 4\ndoor: [1, 2]\nspin:\n")
    factory(unbuilt, "components:\n- Dor: {openSeconds: 1}\n")
    case.add(PLAIN_BARREL, "class: Prefab\nroot:\n  name: barrel\n  removed: [Dooor, Light]\n"
                           "  components: {Spin: {}}\n")
    case.files[PLAIN_CRATE] += b"  children: {name: lid, components: [Spin]}\n"
    for path, mistyped in ((listed, "Dor:"), (listed, "Doorr"), (named, "seats:"),
                           (unbuilt, "Dor:"), (PLAIN_BARREL, "Dooor")):
        case.expect("warning", "unknown-component", path, mistyped)
    case.expect("warning", "unregistered-prefab", unbuilt)
    case.expect("error", "wrong-shape", PLAIN_BARREL, "removed:")  # The prefab has no base.
    case.expect("warning", "unknown-field", listed, "degreesPerSecnd")
    case.expect("warning", "unknown-field", named, "opnSeconds")
    case.expect("warning", "unknown-field", unlisted, "seat: 4")
    case.expect("warning", "unknown-field", unlisted, "door: [")
    for path, unfit in ((listed, "- Spin: {"), (listed, "degreesPerSecond: 720"),
                        (listed, "Seat: 5"), (listed, "soon"), (listed, "- # nothing"),
                        (listed, "[Seat]"),
                        (named, "fast"), (named, "Spin: {}"), (unlisted, "Door:"),
                        (PLAIN_BARREL, "components:"), (PLAIN_CRATE, "children:")):
        case.expect("error", "unfit-value", path, unfit)


def unfit_value(case):
    """A prefab, an override of a variant and a factory have values that do not fit."""
    fields = [("degreesPerSecond", "float32", 0, {}), ("turns", "uint8", 4, {}),
              ("share", "float32", 8, {"minimum": 0, "maximum": 0.1}),
              ("way", "uint8", 12, {"names": ["left", "right"]})]
    components = {"components": [
        {"name": "Spin", "size": 16, "alignment": 4, "default": "00000000" * 4,
         "fields": [{"name": name, "type": kind, "offset": at, **more}
                    for name, kind, at, more in fields]}]}
    spin = "Assets/Data/SpinFactory.asset"
    # The float that is nearest to 0.1 is above the maximum of 0.1, and is valid.
    case.prefab(CRATE, [("Spin", "  degreesPerSecond: fast\n  turns: 3\n  share: 0.1\n"
                         "  way: 2")])
    case.add(BARREL, UNITY_HEAD + "--- !u!1001 &5000000\nPrefabInstance:\n  m_Modification:\n"
             "    m_TransformParent: {fileID: 0}\n    m_Modifications:\n"
             f"    - target: {{fileID: 114000, guid: {guid_of(CRATE)}, type: 3}}\n"
             "      propertyPath: turns\n      value: 300\n"
             "      objectReference: {fileID: 0}\n"
             f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid_of(CRATE)}, type: 3}}\n")
    case.prefab("Assets/Prefabs/Unbuilt.prefab", [("Spin", "  degreesPerSecond: slow")])
    case.script("ReplicatedEntityFactory", "ScriptableObject")
    case.asset(spin, "SpinFactory", f"  guid:{words(guid_of(spin), 4)}\n  spin:\n    turns: -1\n"
                                    "    share: 0.2", base="ReplicatedEntityFactory")
    effects = "Assets/Registries/SpatialEffectRegistry.asset"
    unity_registry(case, inline_entry(guid_of(spin), prefab=NONE, factory=strong(spin)))
    case.asset(effects, "SpatialEffectRegistry", "  entries:" + "".join(
        f"\n  - prefab:\n      guid: {guid_of(path)}\n    poolSize: 16"
        for path in (CRATE, BARREL)))
    case.roots(REGISTRY, effects)
    case.bare("components.json", json.dumps(components) + "\n")
    case.bare("muster.yaml", "version: 1\nname: unfit-value\nfolders: [Assets]\n"
                             "components: components.json\n")
    case.expect("error", "unfit-value", CRATE, "fast")
    case.expect("error", "unfit-value", CRATE, "way: 2")
    case.expect("error", "unfit-value", BARREL, "value: 300")
    case.expect("error", "unfit-value", spin, "turns: -1")
    case.expect("error", "unfit-value", spin, "share: 0.2")


def wire_limit(case):
    """A replicated type has too many values, and a component has too many fields."""
    components = {"components": [
        {"name": "Diary", "size": 1200, "alignment": 4, "default": "00" * 1200,
         "fields": [{"name": "page", "type": "text", "offset": 0, "element_bytes": 1000},
                    {"name": "stamps", "type": "int64", "offset": 1000, "count": 25}]},
        {"name": "Wall", "size": 257, "alignment": 1, "default": "00" * 257,
         "fields": [{"name": f"brick{i}", "type": "uint8", "offset": i} for i in range(257)]}]}
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n")
    case.files[PLAIN_CRATE] = case.files[PLAIN_CRATE].replace(
        b"components:\n", b"components:\n  - Diary: {}\n  - Wall: {}\n", 1)
    assert b"Diary" in case.files[PLAIN_CRATE]
    case.bare("components.json", json.dumps(components) + "\n")
    case.bare("muster.yaml", case.files["muster.yaml"].decode() + "components: components.json\n")
    case.expect("error", "wire-limit", PLAIN_CRATE)
    case.expect("error", "wire-limit", PLAIN_CRATE)


def unreadable_components(case):
    sound_unity(case)
    case.bare("components.json", "{\"components\": [")
    case.bare("muster.yaml", "version: 1\nname: unreadable-components\nfolders: [Assets]\n"
                             "components: components.json\n")
    case.expect("error", "unreadable-components", "components.json")
