"""Cases of make_cases.py: the form of plain files, and references that pack no asset."""

from case_writer import (
    BARREL, CRATE, PLAIN_BARREL, PLAIN_CRATE, PLAIN_REGISTRY, UNITY_HEAD, guid_of, inline_entry,
    plain_registry, plain_replicated, sound_unity, unity_registry, words_of)


def wrong_shape(case):
    """Values of a plain file have a wrong kind."""
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n")
    case.add(PLAIN_BARREL, f"class: Prefab\nvariant_of: {{guid: {guid_of(PLAIN_CRATE)}}}\nroot:\n"
                           "  name: [barrel]\n  active: maybe\n  components: []\n  Sound: {i: 1}\n"
                           "---\nroot: {}\n")
    for marker in ("variant_of", "name:", "active:", "Sound:", "---"):
        case.expect("error", "wrong-shape", PLAIN_BARREL, marker)


def unknown_field(case):
    """Plain files and a sidecar have unknown keys."""
    case.add(PLAIN_CRATE, "class: Prefab\nroot:\n  name: crate\n  component: []\n  chidlren: []\n")
    case.add(PLAIN_BARREL, "class: Prefab\nroot:\n  name: barrel\n")
    case.bare(PLAIN_BARREL + ".meta", f"guid: {guid_of(PLAIN_BARREL)}\ncolour: red\n")
    effects = "plain/registries/effects.yaml"
    plain_registry(case, "HitscanEffectRegistry", effects,
                   "retird: [3]\nentries:\n- typeId: 7\n"
                   f"  prefab: {{guid: {guid_of(PLAIN_CRATE)}}}\n  poolsize: 16\n  colour: red\n")
    case.expect("warning", "unknown-field", PLAIN_CRATE, "component:")
    case.expect("warning", "unknown-field", PLAIN_CRATE, "chidlren:")
    case.expect("warning", "unknown-field", PLAIN_BARREL + ".meta", "colour:")
    for critical in ("retird:", "typeId:", "poolsize:"):
        case.expect("error", "unknown-field", effects, critical)
    case.expect("warning", "unknown-field", effects, "colour:")


def unused_override(case):
    """A variant of one prefab has an override for an object of another prefab."""
    sound_unity(case)
    case.prefab(BARREL, [("Spin", "  degreesPerSecond: 10")])
    variant, base = "Assets/Prefabs/Variant.prefab", guid_of(CRATE)
    change = "".join(
        f"    - target: {{fileID: {target}, guid: {guid}, type: 3}}\n      propertyPath: {path}\n"
        f"      value: {value}\n      objectReference: {{fileID: 0}}\n"
        for target, guid, path, value in (
            (1000, base, "m_Name", "Variant"),
            (114000, guid_of(BARREL), "degreesPerSecond", "20"),
            *((114000, base, f"m_SerializedData.assetGuid.val{i}", word)
              for i, word in enumerate(words_of(guid_of(variant))))))
    case.add(variant, UNITY_HEAD + (
        "--- !u!1001 &5000\nPrefabInstance:\n  m_Modification:\n"
        "    m_TransformParent: {fileID: 0}\n    m_Modifications:\n" + change +
        "    m_RemovedComponents: []\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {base}, type: 3}}\n"))
    unity_registry(case, inline_entry(base), inline_entry(guid_of(variant)))
    case.expect("warning", "unused-override", variant, guid_of(BARREL))


def folder_reference(case):
    """A prefab and a sprite atlas refer to a folder of pictures; only the atlas may do so."""
    icons, atlas = "Assets/Icons", "Assets/Ui.spriteatlas"
    case.add(f"{icons}/icon.png", b"\x89PNG")
    folder = f"{{fileID: 102900000, guid: {guid_of(icons)}, type: 3}}"
    case.add(atlas, UNITY_HEAD + ("--- !u!687078895 &4343727234628468602\nSpriteAtlas:\n"
                                  f"  m_EditorData:\n    packables:\n    - {folder}\n"))
    case.script("Holder", "MonoBehaviour")
    holder = guid_of("Assets/Scripts/Holder.cs")
    sound_unity(case, extra=(
        "--- !u!114 &9000\nMonoBehaviour:\n  m_GameObject: {fileID: 1000}\n"
        f"  m_Script: {{fileID: 11500000, guid: {holder}, type: 3}}\n  icons: {folder}\n"
        f"  atlas: {{fileID: 4343727234628468602, guid: {guid_of(atlas)}, type: 2}}\n"))
    case.expect("error", "folder-reference", CRATE, "icons:")


def unmatched_budget(case):
    """Budgets have patterns and extensions that no file matches."""
    sound_unity(case)
    case.bare("muster.yaml", "version: 1\nname: unmatched-budget\nbudgets:\n"
                             "- {bundle: 'Assets/Prefabs/**', bytes: 1 MiB}\n"
                             "- {bundle: 'Assets/Prefab/**', bytes: 1 MiB}\n"
                             "- {kind: [bmp, gif], bytes: 1 MiB}\n"
                             "- {kind: [bmp, prefab], bytes: 1 MiB}\n")
    case.expect("error", "unmatched-budget", "muster.yaml", "'Assets/Prefab/**'")
    case.expect("error", "unmatched-budget", "muster.yaml", "gif")
