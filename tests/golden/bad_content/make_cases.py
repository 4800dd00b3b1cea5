#!/usr/bin/env python3
"""Writes the cases in this folder: small projects with one error each, and the expected findings.

    make_cases.py            write every case again
    make_cases.py --check    write nothing; fail if a file differs from the output

See README.md for the format of expected.txt. Needs only Python's standard library.
"""

import pathlib
import shutil
import sys

from case_writer import (
    Case, BARREL, CRATE, MISSING, NONE, PLAIN_BARREL, PLAIN_CRATE, PLAIN_REGISTRY, REGISTRY,
    UNITY_HEAD, guid_of, inline_entry, plain_prefab, plain_registry, plain_replicated,
    sound_unity, strong, unity_registry, weak, words, words_of)
from component_cases import (
    unfit_value, unknown_component, unknown_component_factory, unreadable_components, wire_limit)
from structure_cases import (
    folder_reference, unknown_field, unmatched_budget, unused_override, wrong_shape)
from unread_cases import (
    lfs_pointer, binary_asset, lfs_pointer_root, binary_root, yaml_syntax_cut,
    yaml_syntax_cut_object, yaml_syntax_repeated, duplicate_file_id, packing_refused,
    cut_short, yaml_syntax_unneeded, inner_references,
    yaml_syntax_bytes, yaml_syntax, yaml_syntax_plain,
    yaml_syntax_unregistered, invalid_utf8, merge_conflict)
from variant_cases import (
    variant_unknown_key, variant_unknown_word, variant_without_base, variant_other_kind,
    variant_repeated, variant_impossible, variant_referenced, variant_flattened,
    missing_component_variant, own_guid_mismatch_variant, registry_id_mismatch_variant,
    variant_other_wire, variant_other_wire_factory, variant_other_wire_placed,
    unmatched_keep)

ROOT = pathlib.Path(__file__).resolve().parent


# --- The cases ----------------------------------------------------------------------------------


def clean(case):
    """The project has no errors, but contains content that is similar to errors."""
    for path in ("Assets/Ignored~/Notes.txt", "Assets/.hidden/Notes.txt"):
        case.bare(path, "ignored by the editor\n")
    mesh = ("--- !u!33 &3300\nMeshFilter:\n  m_GameObject: {fileID: 1000}\n"
            "  m_Mesh: {fileID: 10202, guid: 0000000000000000e000000000000000, type: 0}\n")
    sound_unity(case, extra=mesh)
    crate_meta = case.files[CRATE + ".meta"]
    case.bare(CRATE + ".meta", b"\xef\xbb\xbf" + crate_meta.replace(b"\n", b"\r\n").rstrip())
    outside = guid_of("an asset of a package")
    case.add("Assets/Materials/Paint.mat", UNITY_HEAD + (
        "--- !u!21 &2100000\nMaterial:\n  m_Name: Paint\n"
        f"  m_Shader: {{fileID: 4800000, guid: {outside}, type: 3}}\n"))
    case.bare("muster.yaml", f"version: 1\nname: clean\nfolders: [Assets]\n"
                             f"external_guids: [{outside}]\n")


def clean_unusual(case):
    """The project contains rare but valid forms."""
    sound_unity(case)
    case.script("SpatialEffectTypeDefinition", "ScriptableObject")
    pack, effects = "Assets/Effects/Pack.asset", "Assets/Registries/Effects.asset"
    model, spark = "Assets/Effects/Beam.fbx", "Assets/Effects/Spark.prefab"
    case.add(model, "Kaydara FBX Binary")
    case.prefab(spark, [])
    case.script("EffectPack", "ScriptableObject")
    case.script("SpatialEffectRegistry", "ScriptableObject")
    # The definitions are objects of one asset.
    main = case.document("EffectPack", "ScriptableObject", "Pack", "  size: 2")
    parts = "".join(case.document("SpatialEffectTypeDefinition", "ScriptableObject", name,
                                  f"  prefab:\n    guid: {guid_of(prefab)}\n  poolSize: 4",
                                  file_id=number)
                    for name, prefab, number in (("Beam", model, 901), ("Spark", spark, 902)))
    case.add(pack, UNITY_HEAD + main + parts)
    entries = "\n".join(f"  - {{fileID: {number}, guid: {guid_of(pack)}, type: 2}}"
                        for number in (901, 902))
    # This key has a meaning only in another layout.
    case.asset(effects, "SpatialEffectRegistry", f"  server: eu-west\n  entries:\n{entries}")
    case.roots(REGISTRY, effects)
    # The same script of a package is in the project's folder and in `Packages`.
    for folder in ("Assets/Plugins/Tool", "Packages/com.tool"):
        case.add(f"{folder}/Tool.cs", "public class Tool : ScriptableObject {}\n",
                 guid=guid_of("Tool.cs"))
    # The sidecar names another importer, so the extension has no meaning.
    case.add("Assets/StreamingAssets/level.asset", "")
    case.files["Assets/StreamingAssets/level.asset.meta"] += b"DefaultImporter:\n"
    case.expect("error", "duplicate-guid", "Packages/com.tool/Tool.cs")


def unresolved_reference_entry(case):
    path = "plain/registries/hitscan_effects.yaml"
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entries:\n- type_id: 1\n  prefab: {{guid: {MISSING}}}\n  poolSize: 16\n")
    case.expect("error", "unresolved-reference", path, MISSING)


def unresolved_reference_words(case):
    case.replicated(CRATE)
    unity_registry(case, inline_entry(guid_of(CRATE)), inline_entry(MISSING))
    # A block value begins at its first key.
    case.expect("error", "unresolved-reference", REGISTRY, f"val0: {words_of(MISSING)[0]}", 2)


def unresolved_reference_definition(case):
    path, item = "plain/registries/items.yaml", "plain/items/rifle.yaml"
    plain_prefab(case, "plain/items/rifle_client.yaml")
    case.add(item, f"class: ItemTypeDefinition\nprefabServer: {{guid: {MISSING}}}\n"
                   f"prefabClient: {weak('plain/items/rifle_client.yaml')}\n")
    plain_registry(case, "ItemRegistry", path,
                   f"entries:\n- type_id: 1\n  definition: {strong(item)}\n")
    case.expect("error", "unresolved-reference", item, MISSING)


def unresolved_reference_root(case):
    sound_unity(case)
    case.asset("Assets/Roots/Client.asset", "AssetRegistryRoot",
               f"  serverBuild: 0\n  assetRegistries:\n  - {strong(REGISTRY)}\n"
               f"  - {{fileID: 11400000, guid: {MISSING}, type: 2}}")
    case.expect("error", "unresolved-reference", "Assets/Roots/Client.asset", MISSING)


def unresolved_reference_closure(case):
    renderer = ("--- !u!23 &2300\nMeshRenderer:\n  m_GameObject: {fileID: 1000}\n  m_Materials:\n"
                f"  - {{fileID: 2100000, guid: {MISSING}, type: 2}}\n")
    sound_unity(case, extra=renderer)
    case.expect("warning", "unresolved-reference", CRATE, MISSING)


def duplicate_guid(case):
    sound_unity(case)
    shared = guid_of("shared by two")
    case.add("Assets/Data/First.txt", "one\n", guid=shared)
    case.add("Assets/Data/Second.txt", "two\n", guid=shared)
    case.expect("error", "duplicate-guid", "Assets/Data/Second.txt")


def orphan_meta(case):
    sound_unity(case)
    case.bare("Assets/Prefabs/Gone.prefab.meta",
              f"fileFormatVersion: 2\nguid: {guid_of('gone')}\n")
    case.expect("warning", "orphan-meta", "Assets/Prefabs/Gone.prefab.meta")


def missing_meta(case):
    sound_unity(case)
    case.bare("Assets/Prefabs/Fresh.txt", "never opened in the editor\n")
    case.expect("warning", "missing-meta", "Assets/Prefabs/Fresh.txt")


def malformed_guid(case):
    sound_unity(case)
    for name, guid in (("Short", "12345"), ("Dashed", "9c1d3f0a-77b2-4e05-a6d8-1b2f3e4d5c6a"),
                       ("Zero", NONE)):
        case.add(f"Assets/Data/{name}.txt", "text\n", guid=guid)
        case.expect("error", "malformed-guid", f"Assets/Data/{name}.txt.meta", "guid:")
    case.add("Assets/Data/Absent.txt", "text\n")
    case.bare("Assets/Data/Absent.txt.meta", "fileFormatVersion: 2\n")
    case.expect("error", "malformed-guid", "Assets/Data/Absent.txt.meta")


def placeholder_guid(case):
    sound_unity(case)
    for name, guid in (("Counting", "0123456789abcdef0123456789abcdef"),
                       ("Typed", "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"), ("Ones", "1" * 32)):
        case.add(f"Assets/Data/{name}.txt", "text\n", guid=guid)
        case.expect("warning", "placeholder-guid", f"Assets/Data/{name}.txt.meta", "guid:")


def prefab_xor_factory_both(case):
    factory = "Assets/Factories/BulletFactory.asset"
    case.replicated(CRATE)
    case.asset(factory, "BulletFactory", f"  guid:{words(guid_of(factory), 4)}",
               base="ReplicatedEntityFactory")
    case.script("ReplicatedEntityFactory", "ScriptableObject")
    unity_registry(case, inline_entry(guid_of(CRATE), factory=strong(factory)))
    case.expect("error", "prefab-xor-factory", REGISTRY, "- guid:")


def prefab_xor_factory_neither(case):
    case.replicated(CRATE)
    case.prefab("Assets/Prefabs/Stone.prefab", [("Spin", "  degreesPerSecond: 10")])
    unity_registry(case, inline_entry(guid_of(CRATE)),
                   inline_entry(guid_of("Assets/Prefabs/Stone.prefab"), prefab=NONE))
    case.expect("error", "prefab-xor-factory", REGISTRY, "- guid:", 2)


def missing_component(case):
    plain_replicated(case, PLAIN_CRATE)
    plain_prefab(case, PLAIN_BARREL)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n"
                   f"- type_id: 2\n  prefab: {weak(PLAIN_BARREL)}\n")
    case.expect("error", "missing-component", PLAIN_REGISTRY, guid_of(PLAIN_BARREL))


def missing_component_removed(case):
    """A variant removes the required component, which its base has."""
    plain_replicated(case, PLAIN_CRATE)
    case.add(PLAIN_BARREL, f"class: Prefab\nvariant_of: {strong(PLAIN_CRATE)}\nroot:\n"
                           "  name: barrel\n  removed: [ReplicatedEntity]\n")
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n"
                   f"- type_id: 2\n  prefab: {weak(PLAIN_BARREL)}\n")
    case.expect("error", "missing-component", PLAIN_REGISTRY, guid_of(PLAIN_BARREL))


def own_guid_mismatch(case):
    case.replicated(BARREL)
    case.replicated(CRATE, guid=guid_of(BARREL))
    unity_registry(case, inline_entry(guid_of(CRATE)), inline_entry(guid_of(BARREL)))
    case.expect("error", "own-guid-mismatch", CRATE, "val0:")


def unset_own_guid(case):
    """A new component stores no guid yet, so the build uses the guid of the entry."""
    sound_unity(case, guid=NONE)
    case.expect("warning", "unset-own-guid", CRATE, "val0:")


def own_guid_mismatch_definition(case):
    """A copy of a projectile's definition stores the guid of the original definition."""
    registry, entries = "Assets/Registries/ProjectileRegistry.asset", []
    first = "Assets/Projectiles/Bolt.asset"
    for name in ("Bolt", "Copy"):
        path, prefab = f"Assets/Projectiles/{name}.asset", f"Assets/Prefabs/{name}.prefab"
        case.prefab(prefab, [("Spin", "  degreesPerSecond: 10")])
        case.asset(path, "ProjectileTypeDefinition",
                   f"  guid:{words(guid_of(first), 4)}\n  clientProjectilePrefab:"
                   f"{words(guid_of(prefab), 4)}")
        entries.append(f"  - assetGuid:{words(guid_of(path), 6)}\n    definition: {strong(path)}")
    case.asset(registry, "ProjectileRegistry", "\n".join(["  entries:", *entries]))
    case.roots(registry)
    case.expect("error", "own-guid-mismatch", "Assets/Projectiles/Copy.asset", "val0:")


def own_guid_mismatch_plain(case):
    plain_replicated(case, PLAIN_BARREL)
    plain_replicated(case, PLAIN_CRATE, guid=guid_of(PLAIN_BARREL))
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n"
                   f"- type_id: 2\n  prefab: {weak(PLAIN_BARREL)}\n")
    case.expect("error", "own-guid-mismatch", PLAIN_CRATE, "assetGuid:")


def registry_id_mismatch(case):
    """In this layout ids count from 1, so the definition in the second slot must store 2."""
    registry = "Assets/Registries/ItemRegistry.asset"
    items = []
    for name, stored in (("Rifle", 1), ("Blade", 3)):
        prefab, item = f"Assets/Prefabs/{name}.prefab", f"Assets/Items/{name}.asset"
        case.prefab(prefab, [("Spin", "  degreesPerSecond: 10")])
        case.asset(item, "ItemTypeDefinition",
                   f"  registryId: {stored}\n  prefabServer:\n    guid: \n"
                   f"  prefabClient:\n    guid: {guid_of(prefab)}\n  prefab1P:\n    guid: ")
        items.append(f"  - {strong(item)}")
    case.asset(registry, "ItemRegistry", "\n".join(["  entries:", *items]))
    case.roots(registry)
    case.expect("error", "registry-id-mismatch", "Assets/Items/Blade.asset", "registryId:")


def unregistered_prefab(case):
    sound_unity(case)
    case.replicated(BARREL)
    case.expect("warning", "unregistered-prefab", BARREL)


def provider_collision(case):
    """Two definitions of the oldest layout name the same server prefab."""
    registries = []
    listed = {"Server": (CRATE,), "Client": (CRATE, BARREL)}
    for path in (CRATE, BARREL):
        case.prefab(path, [("ReplicatedEntity", f"  guid: {guid_of(path)}")])
    for name, client in (("Rifle", CRATE), ("Blade", BARREL)):
        case.asset(f"Assets/Items/{name}.asset", "ItemTypeDefinition",
                   f"  prefabServer:\n    guid: {guid_of(CRATE)}\n"
                   f"  prefabClient:\n    guid: {guid_of(client)}",
                   base="DynamicEnum, IReplicatedEntityProvider")
    for index, (side, prefabs) in enumerate(listed.items()):
        registries.append(f"Assets/Registries/{side}.asset")
        entries = "".join(f"\n  - prefab:\n      guid: {guid_of(path)}\n    factory: {{fileID: 0}}"
                          for path in prefabs)
        case.asset(registries[-1], "ReplicatedEntityRegistry",
                   f"  server: {1 - index}\n  entries:{entries}")
    case.roots(*registries)
    case.expect("error", "provider-collision", "Assets/Items/Rifle.asset", guid_of(CRATE))


def duplicate_entry(case):
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n"
                   f"- type_id: 2\n  prefab: {weak(PLAIN_CRATE)}\n")
    case.expect("error", "duplicate-entry", PLAIN_REGISTRY, "type_id: 2")


def type_id_collision(case):
    plain_replicated(case, PLAIN_CRATE)
    plain_replicated(case, PLAIN_BARREL)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 7\n  prefab: {weak(PLAIN_CRATE)}\n"
                   f"- type_id: 7\n  prefab: {weak(PLAIN_BARREL)}\n")
    case.expect("error", "type-id-collision", PLAIN_REGISTRY, "type_id: 7", 2)


def type_id_disagreement(case):
    """The registries of client and server list the same prefabs in different orders."""
    for path in (CRATE, BARREL):
        case.replicated(path)
    entries = [inline_entry(guid_of(path)) for path in (CRATE, BARREL)]
    registries = [f"Assets/Registries/{side}.asset" for side in ("Client", "Server")]
    case.asset(registries[0], "ReplicatedEntityRegistry", "\n".join(["  entries:", *entries]))
    case.asset(registries[1], "ReplicatedEntityRegistry", "\n".join(["  entries:", *entries[::-1]]))
    case.roots(*registries)
    for side, other in ((0, 1), (1, 0)):
        root = f"Assets/Roots/{('Client', 'Server')[side]}.asset"
        case.files[root] = case.files[root].replace(
            f"\n  - {strong(registries[other])}".encode(), b"")
        case.expect("error", "type-id-disagreement", registries[1], "- guid:", side + 1)


def type_id_reused(case):
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"retired: [3, 4]\nentries:\n- type_id: 4\n  prefab: {weak(PLAIN_CRATE)}\n")
    case.expect("error", "type-id-reused", PLAIN_REGISTRY, "type_id: 4")


def null_registry(case):
    sound_unity(case)
    case.asset("Assets/Roots/Server.asset", "AssetRegistryRoot",
               f"  serverBuild: 1\n  assetRegistries:\n  - {{fileID: 0}}\n  - {strong(REGISTRY)}")
    case.expect("error", "null-registry", "Assets/Roots/Server.asset", "- {fileID: 0}")


def unknown_class(case):
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n")
    mistyped = "plain/registries/effects.yaml"
    case.add(mistyped, "class: HitscanEfectRegistry\nentries: []\n")
    case.expect("warning", "unknown-class", mistyped, "class:")


def target_without_root(case):
    sound_unity(case)
    root = "Assets/Roots/Client.asset"
    server = "Assets/Roots/Server.asset"
    case.files[server] = case.files[server].replace(b"serverBuild: 1", b"serverBuild: 0")
    case.expect("warning", "target-without-root", root)


def presentation_key_collision(case):
    registry = "Assets/Registries/PresentationRegistry.asset"
    case.replicated(CRATE)
    case.asset(REGISTRY, "ReplicatedEntityRegistry",
               "  entries:\n" + inline_entry(guid_of(CRATE)))
    entries = []
    for name, flags, variation in (("Plain", 2, 0), ("Server", 1, 0), ("Painted", 2, 0)):
        path = f"Assets/Presentation/{name}.prefab"
        key = f"platformFlags: {flags}\n{{0}}type: 0\n{{0}}variation: {variation}"
        case.prefab(path, [("PresentationEntity", "  presentationOwner:"
                            + words(guid_of(CRATE), 4) + "\n  " + key.format("  "))])
        entries.append(f"  - ownerAssetGuid:{words(guid_of(CRATE), 6)}\n    {key.format('    ')}\n"
                       f"    presentation:{words(guid_of(path), 6)}")
    case.asset(registry, "PresentationRegistry", "\n".join(["  m_entries:", *entries]))
    case.roots(REGISTRY, registry)
    case.expect("error", "presentation-key-collision", registry, "- ownerAssetGuid:", 3)


def outdated_entry(case):
    """Entries differ from their prefabs, have no owner, or have a missing owner."""
    registry = "Assets/Registries/PresentationRegistry.asset"
    for path in (CRATE, BARREL):
        case.replicated(path)
    case.asset(REGISTRY, "ReplicatedEntityRegistry", "\n".join(
        ["  entries:", inline_entry(guid_of(CRATE)), inline_entry(guid_of(BARREL))]))
    entries = []
    for number, (listed, owner, kind) in enumerate((
            (guid_of(CRATE), guid_of(CRATE), 1), (guid_of(CRATE), guid_of(BARREL), 2),
            (guid_of(CRATE), guid_of(CRATE), 9), (NONE, guid_of(CRATE), 4),
            (MISSING, guid_of(CRATE), 5)), start=1):
        path, key = f"Assets/Presentation/{number}.prefab", "platformFlags: 1\n{0}type: "
        case.prefab(path, [("PresentationEntity", "  presentationOwner:" + words(owner, 4)
                            + f"\n  {key.format('  ')}{kind}\n  variation: 0")])
        entries.append(f"  - ownerAssetGuid:{words(listed, 6)}\n    {key.format('    ')}{number}\n"
                       f"    variation: 0\n    presentation:{words(guid_of(path), 6)}")
    case.asset(registry, "PresentationRegistry", "\n".join(["  m_entries:", *entries]))
    case.roots(REGISTRY, registry)
    for number in (2, 3, 5):
        case.expect("warning", "outdated-entry", registry, "- ownerAssetGuid:", number)
    case.expect("warning", "missing-owner", registry, "- ownerAssetGuid:", 4)
    case.expect("error", "unresolved-reference", registry, f"val0: {words_of(MISSING)[0]}")


def presentation_key_range(case):
    registry = "Assets/Registries/PresentationRegistry.asset"
    case.replicated(CRATE)
    case.asset(REGISTRY, "ReplicatedEntityRegistry",
               "  entries:\n" + inline_entry(guid_of(CRATE)))
    entries = []
    for name, flags, kind, variation in (
            ("Everywhere", -1, 0, 0), ("Wide", 65536, 1, 0), ("Minus", -2, 2, 0),
            ("Kind", 1, -1, 0), ("Painted", 1, 3, 70000), ("Last", 65535, 4294967295, 65535)):
        path = f"Assets/Presentation/{name}.prefab"
        key = f"platformFlags: {flags}\n{{0}}type: {kind}\n{{0}}variation: {variation}"
        case.prefab(path, [("PresentationEntity", "  presentationOwner:"
                            + words(guid_of(CRATE), 4) + "\n  " + key.format("  "))])
        entries.append(f"  - ownerAssetGuid:{words(guid_of(CRATE), 6)}\n    {key.format('    ')}\n"
                       f"    presentation:{words(guid_of(path), 6)}")
    case.asset(registry, "PresentationRegistry", "\n".join(["  m_entries:", *entries]))
    case.roots(REGISTRY, registry)
    for number in (2, 3, 4, 5):
        case.expect("error", "presentation-key-range", registry, "- ownerAssetGuid:", number)


def effect(case, name, pool_size=16):
    """Adds the definition of an effect and the prefab of the effect."""
    prefab, path = f"plain/effects/{name}.yaml", f"plain/effects/{name}_definition.yaml"
    plain_prefab(case, prefab)
    case.add(path, f"class: HitscanEffectTypeDefinition\nprefab: {weak(prefab)}\n"
                   f"poolSize: {pool_size}\n")
    return prefab, path


def duplicate_entry_effect(case):
    path = "plain/registries/hitscan_effects.yaml"
    beam, beam_definition = effect(case, "beam")
    spark, spark_definition = effect(case, "spark")
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entries:\n- type_id: 1\n  definition: {strong(beam_definition)}\n"
                   f"  prefab: {weak(beam)}\n- type_id: 2\n"
                   f"  definition: {strong(spark_definition)}\n  prefab: {weak(beam)}\n")
    case.expect("error", "duplicate-entry", path, "type_id: 2")


def type_id_collision_effect(case):
    first, second = "plain/registries/first.yaml", "plain/registries/second.yaml"
    beam, spark = "plain/effects/beam.yaml", "plain/effects/spark.yaml"
    for prefab in (beam, spark):
        plain_prefab(case, prefab)
    plain_registry(case, "HitscanEffectRegistry", first,
                   f"entries:\n- type_id: 1\n  prefab: {weak(beam)}\n  poolSize: 16\n"
                   f"- type_id: 2\n  prefab: {weak(spark)}\n  poolSize: 16\n")
    plain_registry(case, "HitscanEffectRegistry", second,
                   f"entries:\n- type_id: 1\n  prefab: {weak(beam)}\n"
                   f"- type_id: 2\n  prefab: {weak(spark)}\n  poolSize: 8\n")
    case.roots(first, second)
    case.expect("error", "type-id-collision", second, "type_id: 2")


def client_only_in_server(case):
    path, item = "plain/registries/items.yaml", "plain/items/rifle.yaml"
    server, client = "plain/items/rifle_server.yaml", "plain/items/rifle_client.yaml"
    plain_prefab(case, client)
    plain_prefab(case, server, children="  children:\n  - name: Look\n"
                                        f"    prefab: {strong(client)}\n")
    case.add(item, f"class: ItemTypeDefinition\nprefabServer: {weak(server)}\n"
                   f"prefabClient: {weak(client)}\n")
    plain_registry(case, "ItemRegistry", path,
                   f"entries:\n- type_id: 1\n  definition: {strong(item)}\n")
    case.expect("warning", "client-only-in-server", server, guid_of(client))


def client_only_in_server_definition(case):
    """A definition in a registry of the server refers to a prefab of the client."""
    path, effect_path = "plain/registries/items.yaml", "plain/registries/spatial_effects.yaml"
    item, smoke = "plain/items/rifle.yaml", "plain/effects/smoke.yaml"
    server = "plain/items/rifle_server.yaml"
    plain_prefab(case, smoke)
    plain_prefab(case, server)
    case.add(item, f"class: ItemTypeDefinition\nprefabServer: {weak(server)}\n"
                   f"muzzle: {strong(smoke)}\n")
    plain_registry(case, "SpatialEffectRegistry", effect_path,
                   f"entries:\n- type_id: 1\n  prefab: {weak(smoke)}\n")
    plain_registry(case, "ItemRegistry", path,
                   f"entries:\n- type_id: 1\n  definition: {strong(item)}\n")
    case.roots(path, effect_path)
    case.expect("warning", "client-only-in-server", path, guid_of(item))


def repeated_registry(case):
    items = "Assets/Registries/ItemRegistry.asset"
    sound_unity(case)
    case.asset(items, "ItemRegistry", "  entries: []")
    case.roots(REGISTRY, items, REGISTRY)
    for name in ("Client", "Server"):
        case.expect("warning", "repeated-registry", f"Assets/Roots/{name}.asset",
                    strong(REGISTRY), 2)


def wrong_target_container(case):
    """A root lists a registry that is not the main object of its file."""
    pack = "Assets/Registries/Pack.asset"
    sound_unity(case)
    case.add(pack, UNITY_HEAD + case.document("Pack", "ScriptableObject", "Pack", "  size: 1")
             + case.document("ItemRegistry", "ScriptableObject", "Items", "  entries: []",
                             file_id=77))
    inner = strong(pack).replace("11400000", "77")
    root = "Assets/Roots/Server.asset"
    case.files[root] += f"  - {inner}\n".encode()
    case.expect("error", "wrong-target", root, inner)


def wrong_target(case):
    """References name assets of the wrong kind."""
    effects = "Assets/Registries/SpatialEffectRegistry.asset"
    items = "Assets/Registries/ItemRegistry.asset"
    item, factory = "Assets/Items/Rifle.asset", "Assets/Factories/Bullet.asset"
    picture, outside = "Assets/Art/smoke.png", guid_of("an asset of a package")
    builtin = "0000000000000000f000000000000000"
    sound_unity(case)
    case.script("ReplicatedEntityFactory", "ScriptableObject")
    case.asset(factory, "BulletFactory", f"  guid:{words(guid_of(factory), 4)}",
               base="ReplicatedEntityFactory")
    case.asset(item, "ItemTypeDefinition", f"  prefabServer:\n    guid: {guid_of(CRATE)}\n"
                                           f"  prefabClient:\n    guid: {guid_of(CRATE)}")
    case.add(picture, b"\x89PNG\r\n\x1a\n" + b"0" * 2000)
    case.bare("muster.yaml", "version: 1\nname: wrong-target\nfolders: [Assets]\n"
                             f"external_guids: [{outside}]\n")
    wrong = [guid_of("Assets/Art"), guid_of(picture), builtin, outside, guid_of(effects),
             guid_of("Assets/Scripts/ItemTypeDefinition.cs")]
    entries = "".join(f"\n  - prefab:\n      guid: {guid}\n    poolSize: 16" for guid in wrong)
    case.asset(effects, "SpatialEffectRegistry", "  entries:" + entries)
    for guid in wrong:
        case.expect("error", "wrong-target", effects, guid)
    lost = strong(item).replace("11400000", "99")
    case.asset(items, "ItemRegistry",
               f"  entries:\n  - {strong(item)}\n  - {lost}\n  - {strong(factory)}")
    case.expect("error", "duplicate-entry", items, lost)
    case.expect("error", "wrong-target", items, lost)
    case.expect("error", "wrong-target", items, strong(factory))
    bad = strong(factory).replace("11400000", "99")
    unity_registry(case, inline_entry(guid_of(CRATE)),
                   inline_entry(guid_of(item), prefab=NONE, factory=strong(item)),
                   inline_entry(guid_of(factory), prefab=NONE, factory=bad))
    case.expect("error", "wrong-target", REGISTRY, strong(item))
    case.expect("error", "wrong-target", REGISTRY, bad)
    case.roots(REGISTRY, effects, items)
    root = "Assets/Roots/Client.asset"
    case.files[root] = case.files[root].replace(strong(items).encode(), lost.replace(
        guid_of(item), guid_of(items)).encode())
    case.expect("error", "wrong-target", root, "fileID: 99")


def wrong_target_nested(case):
    """A hero refers to an object that the file of an item does not have."""
    registry, hero = "Assets/Registries/HeroTypeRegistry.asset", "Assets/Heroes/Scout.asset"
    item = "Assets/Items/Rifle.asset"
    case.prefab(CRATE, [("Spin", "  degreesPerSecond: 10")])
    case.asset(item, "ItemTypeDefinition", f"  prefabServer:\n    guid: {guid_of(CRATE)}\n"
                                           f"  prefabClient:\n    guid: {guid_of(CRATE)}")
    lost = strong(item).replace("11400000", "99")
    case.asset(hero, "HeroTypeAsset",
               f"  items:\n  - itemType: {strong(item)}\n  - itemType: {lost}")
    case.asset(registry, "HeroTypeRegistry", f"  entries:\n  - {strong(hero)}")
    case.roots(registry)
    case.expect("error", "wrong-target", hero, lost)


def prefab_without_root(case):
    """A prefab has only its header, or contains no game object."""
    registry = "Assets/Registries/SpatialEffectRegistry.asset"
    broken = (("Cut", UNITY_HEAD, "yaml-syntax"),
              ("Paint", UNITY_HEAD + "--- !u!21 &2100000\nMaterial:\n  m_Name: Paint\n",
               "prefab-without-root"))
    entries = ""
    for name, content, rule in broken:
        path = f"Assets/Effects/{name}.prefab"
        case.add(path, content)
        entries += f"\n  - prefab:\n      guid: {guid_of(path)}\n    poolSize: 16"
        case.expect("error", rule, path)
    case.asset(registry, "SpatialEffectRegistry", "  entries:" + entries)
    case.roots(registry)


def malformed_entry(case):
    """Items are not entries, an entry has a misspelt key, and a definition sets no prefab."""
    path, items = "plain/registries/hitscan_effects.yaml", "plain/registries/items.yaml"
    beam, rifle = "plain/effects/beam.yaml", "plain/items/rifle.yaml"
    plain_prefab(case, beam)
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entries:\n- type_id: 1\n  prefab: {weak(beam)}\n- beam\n"
                   f"- {guid_of(beam)}\n- [7]\n- type_id: 2\n  prefeb: {weak(beam)}\n"
                   "- type_id: 9\n")  # The last item is a free slot, which is only a note.
    for marker in ("- beam", f"- {guid_of(beam)}", "- [7]", "type_id: 2"):
        case.expect("error", "malformed-entry", path, marker)
    case.expect("warning", "unknown-field", path, "prefeb")
    case.add(rifle, "class: ItemTypeDefinition\nprefabServer:\nprefabClient:\n")
    case.add(items, "class: ItemRegistry\nentries:\n- type_id: 1\n"
                    f"  definition: {strong(rifle)}\n")
    case.roots(path, items)
    case.expect("warning", "malformed-entry", items, "type_id: 1")


def malformed_entry_unset(case):
    """Entries of a project's class and of a built-in class have references that are not set."""
    vehicles, effects = "Assets/Registries/Vehicles.asset", "Assets/Registries/Effects.asset"
    icon = "Assets/Art/icon.png"
    case.prefab(CRATE, [("Spin", "  degreesPerSecond: 10")])
    case.add(icon, b"\x89PNG\r\n\x1a\n")
    picture = f"    icon: {{fileID: 2800000, guid: {guid_of(icon)}, type: 3}}"
    unset = f"  - vehicle: {{fileID: 0}}\n{picture}"
    case.asset(vehicles, "VehicleRegistry", "\n".join(
        ["  entries:", f"  - vehicle: {strong(CRATE)}\n{picture}", unset,
         "  - vehicle: {fileID: 0}",  # This is a free slot.
         f"  - vehicel: {strong(CRATE)}"]))
    case.asset(effects, "SpatialEffectRegistry",
               f"  entries:\n  - prefab:\n      guid: \n{picture}\n    poolSize: 16")
    case.roots(vehicles, effects)
    case.bare("muster.yaml", "version: 1\nname: malformed-entry-unset\nfolders: [Assets]\n"
                             "classes:\n  VehicleRegistry:\n    references:\n    - {path: vehicle, "
                             "strength: strong, targets: [client, server], role: prefab}\n")
    case.expect("warning", "malformed-entry", vehicles, "- vehicle: {fileID: 0}")
    case.expect("error", "malformed-entry", vehicles, "vehicel")
    case.expect("warning", "malformed-entry", effects, "- prefab:")


def malformed_type_id(case):
    path = "plain/registries/hitscan_effects.yaml"
    plain_prefab(case, "plain/effects/beam.yaml")
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entries:\n- type_id: -1\n  prefab: {weak('plain/effects/beam.yaml')}\n"
                   "  poolSize: 16\nretired:\n- 7\n- five\n")
    case.expect("error", "malformed-type-id", path, "type_id: -1")
    case.expect("error", "malformed-type-id", path, "five")


def malformed_flag(case):
    sound_unity(case)
    root = "Assets/Roots/Server.asset"
    case.files[root] = case.files[root].replace(b"serverBuild: 1", b"serverBuild: yes")
    case.expect("error", "malformed-flag", root, "serverBuild")


def missing_entries(case):
    path = "plain/registries/hitscan_effects.yaml"
    plain_prefab(case, "plain/effects/beam.yaml")
    plain_registry(case, "HitscanEffectRegistry", path,
                   f"entires:\n- type_id: 1\n  prefab: {weak('plain/effects/beam.yaml')}\n"
                   "  poolSize: 16\n")
    case.expect("error", "missing-entries", path, "entires")
    case.expect("warning", "unknown-field", path, "entires")
    empty = "plain/registries/items.yaml"
    case.add(empty, "class: ItemRegistry\nretired: []\n")
    no_list = "plain/registries/spatial_effects.yaml"
    case.add(no_list, f"class: SpatialEffectRegistry\nentries:\n"
                      f"  smoke: {{prefab: {weak('plain/effects/beam.yaml')}}}\n")
    case.roots(path, empty, no_list)
    case.expect("warning", "missing-entries", empty)
    case.expect("error", "missing-entries", no_list, "smoke")


def missing_entries_root(case):
    """The list of one root has a misspelt key, and the list of the other root is invalid."""
    sound_unity(case)
    for name, old, new in (("Client", b"assetRegistries", b"assetRegistriez"),
                           ("Server", b"assetRegistries:", b"assetRegistries: none\n  others:")):
        root = f"Assets/Roots/{name}.asset"
        case.files[root] = case.files[root].replace(old, new)
    case.expect("error", "missing-entries", "Assets/Roots/Client.asset")
    case.expect("error", "missing-entries", "Assets/Roots/Server.asset", "none")
    case.expect("warning", "unlisted-registry", REGISTRY)


def namesake_class(case):
    """Another game's classes have the names of built-in classes; no root lists their assets."""
    case.asset("Assets/Shop/Items.asset", "ItemRegistry",
               "  currency: gold\n  items:\n  - name: Sword\n    price: 30")
    case.asset("Assets/Shop/Heroes.asset", "HeroTypeRegistry",
               "  entries:\n  - name: Smith\n    model: {fileID: 0}\n  - name: Baker")
    case.asset("Assets/Shop/Effects.asset", "SpatialEffectRegistry", "  entries:\n  - smoke")
    case.asset("Assets/Shop/Arrow.asset", "Arrow", "  speed: 3")
    case.asset("Assets/Shop/Arrows.asset", "ProjectileRegistry",
               f"  entries:\n  - {strong('Assets/Shop/Arrow.asset')}")
    case.asset("Assets/Shop/Bare.asset", "CharacterTypeRegistry", "")
    case.asset("Assets/Shop/Root.asset", "AssetRegistryRoot", "  branches:\n  - 7")
    # This asset is a registry, although its list is empty.
    case.asset("Assets/Beams.asset", "HitscanEffectRegistry", "  entries: []")


def unmatched_path(case):
    """A class of the project has a misspelt path. The script of the class is in an assembly."""
    registry, script = "Assets/Registries/Vehicles.asset", guid_of("a script in an assembly")
    case.prefab(CRATE, [("Spin", "  degreesPerSecond: 10")])
    case.asset(registry, "VehicleRegistry", f"  vehicles:\n  - prefab:\n      guid: "
                                            f"{guid_of(CRATE)}\n    wheels: []")
    own = guid_of("Assets/Scripts/VehicleRegistry.cs")
    case.files[registry] = case.files[registry].replace(own.encode(), script.encode())
    case.roots(registry)
    case.bare("muster.yaml", "version: 1\nname: unmatched-path\nfolders: [Assets]\nclasses:\n"
                             f"  Vehicles:\n    script: {script}\n    entries: vehicles\n"
                             "    references:\n"
                             "    - {path: prefab, targets: [client, server], role: prefab}\n"
                             "    - {path: 'wheels[].prefab', targets: [client], role: prefab}\n"
                             "    - {path: prefabClient, targets: [client], role: prefab}\n")
    case.expect("error", "unmatched-path", "muster.yaml", "prefabClient")


def unknown_registry(case):
    case.replicated(CRATE)
    mine = "Assets/Registries/MineRegistry.asset"
    unity_registry(case, inline_entry(guid_of(CRATE)))
    case.asset(mine, "MineRegistry", "  entries: []")
    case.roots(REGISTRY, mine)
    for name in ("Client", "Server"):
        case.expect("warning", "unknown-registry", f"Assets/Roots/{name}.asset", guid_of(mine))


def lose_script(case, name):
    """Removes a script and its sidecar, as if the script was moved into a package."""
    for suffix in ("", ".meta"):
        del case.files[f"Assets/Scripts/{name}.cs{suffix}"]


def unknown_registry_lost(case):
    """The roots exist, but the script of the listed registry does not."""
    sound_unity(case)
    lose_script(case, "ReplicatedEntityRegistry")
    for name in ("Client", "Server"):
        case.expect("error", "unknown-registry", f"Assets/Roots/{name}.asset", guid_of(REGISTRY))
    case.expect("warning", "unresolved-reference", REGISTRY, "m_Script")


def unknown_registry_root(case):
    """Roots and a registry have no scripts, so only their keys show their classes."""
    sound_unity(case)
    for name in ("ReplicatedEntityRegistry", "AssetRegistryRoot"):
        lose_script(case, name)
    for path in ("Assets/Roots/Client.asset", "Assets/Roots/Server.asset", REGISTRY):
        case.expect("error", "unknown-registry", path, "m_Script")
    # The script of this asset is missing too, but its keys do not show a root or registry.
    case.asset("Assets/Data/Diary.asset", "Diary", "  entries:\n  - prefab: 1\n    text: a\n"
               "  assetRegistries: []")
    lose_script(case, "Diary")
    case.expect("warning", "unresolved-reference", "Assets/Data/Diary.asset", "m_Script")


def unresolved_reference_text(case):
    """Weak references in a built asset name missing assets, each in another spelling."""
    weapon, ammunition, sound = (guid_of(name) for name in ("weapon", "ammunition", "sound"))
    case.prefab(CRATE, [("ReplicatedEntity", f"  m_SerializedData:\n    assetGuid:"
                         f"{words(guid_of(CRATE), 6)}\n  weapon:\n    guid: {weapon}\n"
                         f"  ammunition:\n    m_AssetGUID: {ammunition}\n"
                         f"  sound:\n    m_GUID: {sound}\n  none:\n    guid: {NONE}\n"
                         "  unset:\n    guid: ")])
    unity_registry(case, inline_entry(guid_of(CRATE)))
    for guid in (weapon, ammunition, sound):
        case.expect("warning", "unresolved-reference", CRATE, guid)
    # In an asset that is not built, such a guid may have another meaning.
    case.asset("Assets/Data/Save.asset", "Save", f"  guid: {guid_of('a saved game')}")


def malformed_guid_words(case):
    """Guids in entries and in a component have a missing or an invalid number."""
    for path in (CRATE, BARREL):
        case.replicated(path)
    first, second = (inline_entry(guid_of(path)) for path in (CRATE, BARREL))
    unity_registry(case, first.replace(f"\n      val3: {words_of(guid_of(CRATE))[3]}", "", 1),
                   second.replace("val0: ", "val0: x", 1))
    case.files[BARREL] = case.files[BARREL].replace(b"val2: ", b"val2: 99999")
    case.expect("error", "malformed-guid", REGISTRY, "val0:")
    case.expect("error", "malformed-guid", REGISTRY, "val0: x")
    case.expect("error", "malformed-guid", BARREL, "val0:")


def orphan_lock(case):
    sound_unity(case)
    for name, registry in (("Gone", f"version: 2\nregistry: {MISSING}"), ("Renamed", "version: 1")):
        lock = f"Assets/Registries/.{name}.asset.ids.yaml"
        case.bare(lock, f"{registry}\nids:\n- {{id: 3, guid: {guid_of(CRATE)}}}\nretired: []\n")
        case.expect("warning", "orphan-lock", lock)


def prefab_cycle_unbuilt(case):
    """The prefabs of the cycles are not built, and their extensions have other spellings."""
    plain_replicated(case, PLAIN_CRATE)
    plain_registry(case, "ReplicatedEntityRegistry", PLAIN_REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(PLAIN_CRATE)}\n")
    first, second = "plain/nests/egg.yml", "plain/nests/hen.YAML"
    for path, inner in ((first, second), (second, first)):
        plain_prefab(case, path, children="  children:\n  - name: Inside\n"
                                          f"    prefab: {{fileID: 1, guid: {guid_of(inner)}}}\n")
    case.expect("error", "prefab-cycle", first, "prefab:")
    snake = "plain/nests/Snake.PREFAB"
    case.add(snake, UNITY_HEAD + "--- !u!1001 &5000000\nPrefabInstance:\n  m_Modification:\n"
             "    m_TransformParent: {fileID: 0}\n    m_Modifications: []\n"
             f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid_of(snake)}, type: 3}}\n")
    case.expect("error", "prefab-cycle", snake, "m_SourcePrefab")


def prefab_cycle(case):
    first, second = "plain/prefabs/egg.yaml", "plain/prefabs/hen.yaml"
    for path, inner in ((first, second), (second, first)):
        plain_prefab(case, path, children=f"  children:\n  - name: Inside\n"
                                          f"    prefab: {strong(inner)}\n")
    plain_registry(case, "HitscanEffectRegistry", "plain/registries/hitscan_effects.yaml",
                   f"entries:\n- type_id: 1\n  prefab: {weak(first)}\n  poolSize: 16\n")
    case.expect("error", "prefab-cycle", first, "prefab:")


def case_clash(case):
    sound_unity(case)
    case.add("Assets/Data/Notes.txt", "one\n")
    case.add("Assets/Data/notes.txt", "two\n")
    case.expect("error", "case-clash", "Assets/Data/notes.txt")


def bad_pool_size(case):
    path = "plain/registries/hitscan_effects.yaml"
    body = "entries:\n"
    for index, size in enumerate((0, -3, 16, 1024, 1025), start=1):
        prefab = f"plain/effects/beam_{index}.yaml"
        plain_prefab(case, prefab)
        body += f"- type_id: {index}\n  prefab: {weak(prefab)}\n  poolSize: {size}\n"
    plain_registry(case, "HitscanEffectRegistry", path, body)
    case.expect("error", "bad-pool-size", path, "poolSize: 0")
    case.expect("error", "bad-pool-size", path, "poolSize: -3")
    case.expect("error", "bad-pool-size", path, "poolSize: 1025")


def bad_pool_size_definition(case):
    registry, effect = "Assets/Registries/SpatialEffectRegistry.asset", "Assets/Effects/Smoke.asset"
    case.prefab("Assets/Effects/Smoke.prefab", [("Spin", "  degreesPerSecond: 10")])
    case.asset(effect, "SpatialEffectTypeDefinition",
               f"  registryId: 1\n  prefab:\n    guid: {guid_of('Assets/Effects/Smoke.prefab')}\n"
               "  poolSize: 0")
    case.asset(registry, "SpatialEffectRegistry", f"  entries:\n  - {strong(effect)}")
    case.roots(registry)
    case.expect("error", "bad-pool-size", effect, "poolSize:")


def names_dictionaries(case):
    sound_unity(case)
    case.bare("muster.yaml", f"version: 1\nname: {case.name}\nfolders: [Assets]\n"
                             "compression: {dictionaries: Kept~}\n")


def missing_dictionaries(case):
    names_dictionaries(case)
    case.expect("warning", "missing-dictionaries", "muster.yaml", "Kept~")


def unusable_dictionary(case):
    names_dictionaries(case)
    case.bare("Kept~/object.mdict", "no dictionary")
    case.expect("error", "unusable-dictionary", "Kept~/object.mdict")


def unusable_dictionary_file(case):
    """The path of the dictionaries' folder is a file."""
    names_dictionaries(case)
    case.bare("Kept~", "no folder")
    case.expect("error", "unusable-dictionary", "muster.yaml", "Kept~")


CASES = [
    clean, clean_unusual, unresolved_reference_entry, unresolved_reference_words,
    unresolved_reference_definition,
    unresolved_reference_root, unresolved_reference_closure, duplicate_guid, orphan_meta,
    missing_meta, malformed_guid, placeholder_guid, merge_conflict, prefab_xor_factory_both,
    prefab_xor_factory_neither, missing_component, missing_component_removed, own_guid_mismatch,
    own_guid_mismatch_definition, own_guid_mismatch_plain, unset_own_guid, registry_id_mismatch,
    unregistered_prefab,
    provider_collision, duplicate_entry,
    type_id_collision, type_id_disagreement, type_id_reused, null_registry, target_without_root,
    invalid_utf8, unknown_class,
    presentation_key_collision, outdated_entry,
    presentation_key_range, duplicate_entry_effect, type_id_collision_effect,
    client_only_in_server, client_only_in_server_definition, lfs_pointer, lfs_pointer_root,
    binary_asset, binary_root,
    malformed_entry, malformed_entry_unset, malformed_type_id, malformed_flag, missing_entries,
    missing_entries_root, namesake_class, unmatched_keep, unmatched_path, unknown_registry,
    unknown_registry_lost, unknown_registry_root, unresolved_reference_text,
    malformed_guid_words, orphan_lock,
    yaml_syntax_repeated, duplicate_file_id, packing_refused, prefab_without_root,
    yaml_syntax_bytes, yaml_syntax_cut, yaml_syntax_cut_object, repeated_registry,
    wrong_target, wrong_target_container, wrong_target_nested,
    prefab_cycle, prefab_cycle_unbuilt, case_clash, bad_pool_size,
    bad_pool_size_definition, yaml_syntax, yaml_syntax_plain,
    yaml_syntax_unregistered, unknown_component, unknown_component_factory, unfit_value, wire_limit,
    missing_dictionaries,
    unusable_dictionary, unusable_dictionary_file, cut_short, yaml_syntax_unneeded,
    inner_references, unreadable_components,
    variant_unknown_key, variant_unknown_word, variant_without_base, variant_other_kind,
    variant_repeated, variant_impossible, variant_referenced, variant_flattened,
    missing_component_variant, own_guid_mismatch_variant, registry_id_mismatch_variant,
    variant_other_wire, variant_other_wire_factory, variant_other_wire_placed,
    folder_reference, unknown_field, unmatched_budget, unused_override, wrong_shape,
]


def all_files():
    files = {}
    for describe in CASES:
        case = Case(describe.__name__.replace("_", "-"))
        describe(case)
        files.update(case.all_files())
    return files


def differences(files):
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"__pycache__"}
    on_disk = {path.relative_to(ROOT).as_posix(): path
               for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()}
    return sorted(path for path in files.keys() | on_disk.keys()
                  if path not in files or path not in on_disk
                  or on_disk[path].read_bytes() != files[path])


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    files = all_files()
    if arguments:
        wrong = differences(files)
        for path in wrong:
            print(f"{path} differs from the output of make_cases.py")
        return 1 if wrong else 0
    for folder in ROOT.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)
    for path, content in files.items():
        file = ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
