"""Cases of make_cases.py: variants of assets."""

import json

from case_writer import (
    NONE, guid_of, plain_prefab, plain_registry, plain_replicated, strong, weak)

AXES = ("variants:\n  quality: {values: [low, high], default: high}\n"
        "  language: {values: [en, de]}\n")
CRATE = "plain/prefabs/crate.yaml"
REGISTRY = "plain/registries/replicated_entities.yaml"
PAINT = "plain/paint.yaml"
SKIN = "plain/skin.png"


def varied(case, *skins):
    """Adds a crate whose paint has a skin. The variants of the skin are in the same folder."""
    plain_replicated(case, CRATE)
    case.add(PAINT, f"class: Paint\nskin: {strong(SKIN)}\n")
    plain_prefab(case, CRATE, "  - ReplicatedEntity: {}\n"
                              f"  - Painted: {{paint: {strong(PAINT)}}}\n")
    plain_registry(case, "ReplicatedEntityRegistry", REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(CRATE)}\n")
    for skin in (SKIN, *skins):
        case.add(skin, f"the bytes of {skin}\n")
    case.bare("muster.yaml", case.files["muster.yaml"].decode() + AXES)


def variant_unknown_key(case):
    both, chain = "plain/skin@low,high.png", "plain/skin@low@de.png"
    names = ("plain/skin@qualty=low.png", "plain/skin@quality=lwo.png", both, chain)
    varied(case, "plain/skin@low.png", *names)
    for name in names:
        case.expect("error", "variant-unknown-key", name)


def variant_unknown_word(case):
    """Names with `@` of other tools are valid: animations of models, and files without a base."""
    varied(case, "plain/skin@lwo.png", "plain/icon@2x.png", "plain/hero.fbx", "plain/hero@run.fbx")
    case.expect("warning", "variant-unknown-word", "plain/skin@lwo.png")


def variant_without_base(case):
    varied(case, "plain/hull@low.png", "plain/skin@low,language=de.png")
    case.expect("error", "variant-without-base", "plain/hull@low.png")


def variant_other_kind(case):
    """Variants have another extension or class than their base, or are prefabs by mistake."""
    varied(case, "plain/skin@low.tga")
    case.add("plain/paint@low.yaml", "class: Varnish\n")
    plain_prefab(case, "plain/paint@de.yaml")
    case.expect("error", "variant-other-kind", "plain/skin@low.tga")
    case.expect("error", "variant-other-kind", "plain/paint@low.yaml")
    case.expect("error", "variant-other-kind", "plain/paint@de.yaml")


def unmatched_keep(case):
    """Some patterns under `keep` match no file."""
    varied(case, "plain/skin@low.png")
    wrong = ("'*.png'", "plain/textures/**", "plain/prefabs/", "plain/SKIN.png", "\"?.wav/*\"")
    lines = "".join(f"    - {path}\n"
                    for path in ("plain/skin.png", "plain/skin@low.png", "'**/s*'", *wrong))
    case.bare("muster.yaml", case.files["muster.yaml"].decode()
              + "strip:\n  server:\n    keep:\n" + lines)
    for path in wrong:
        case.expect("error", "unmatched-keep", "muster.yaml", path)


def variant_repeated(case):
    varied(case, "plain/skin@low,de.png", "plain/skin@language=de,low.png")
    case.expect("error", "variant-repeated", "plain/skin@low,de.png")


def variant_impossible(case):
    varied(case)
    case.add("plain/registries/replicated_entities@low.yaml", case.files[REGISTRY].decode())
    case.add("plain/code.cs", "class Code {}\n")
    case.add("plain/code@low.cs", "class Code {}\n")
    case.expect("warning", "unlisted-registry", "plain/registries/replicated_entities@low.yaml")
    case.expect("error", "variant-impossible", "plain/code@low.cs")
    case.expect("error", "variant-impossible", "plain/registries/replicated_entities@low.yaml")


def variant_referenced(case):
    varied(case, "plain/skin@low.png")
    low = "plain/skin@low.png"
    case.add(PAINT, f"class: Paint\nskin: {strong(SKIN)}\nother: {strong(low)}\n")
    case.expect("error", "variant-referenced", PAINT)


def variant_flattened(case):
    """A prefab nests a prefab with a variant. The variant itself may inherit from its base."""
    varied(case)
    wheel = "plain/prefabs/wheel.yaml"
    plain_prefab(case, wheel)
    case.add("plain/prefabs/wheel@low.yaml",
             f"class: Prefab\nvariant_of: {{fileID: 1, guid: {guid_of(wheel)}}}\n")
    plain_prefab(case, CRATE, "  - ReplicatedEntity: {}\n",
                 f"  children:\n  - name: Wheel\n    prefab: {strong(wheel)}\n")
    case.expect("warning", "variant-flattened", CRATE)


def missing_component_variant(case):
    """Two variants lack the required component; one of them inherits and removes it."""
    varied(case)
    plain_prefab(case, "plain/prefabs/crate@low.yaml")
    case.add("plain/prefabs/crate@de.yaml",
             f"class: Prefab\nvariant_of: {strong(CRATE)}\nroot:\n"
             "  name: crate\n  removed: [ReplicatedEntity]\n")
    case.expect("error", "missing-component", "plain/prefabs/crate@low.yaml")
    case.expect("error", "missing-component", "plain/prefabs/crate@de.yaml")


def own_guid_mismatch_variant(case):
    """A variant must store or inherit the guid of its base, not its own guid."""
    varied(case)
    plain_replicated(case, CRATE)
    plain_replicated(case, "plain/prefabs/crate@low.yaml")
    case.add("plain/prefabs/crate@de.yaml", f"class: Prefab\nvariant_of: {strong(CRATE)}\n")
    plain_replicated(case, "plain/prefabs/crate@low,de.yaml", guid=NONE)
    case.expect("error", "own-guid-mismatch", "plain/prefabs/crate@low.yaml", "assetGuid")
    case.expect("warning", "unset-own-guid", "plain/prefabs/crate@low,de.yaml", "assetGuid")


def registry_id_mismatch_variant(case):
    varied(case)
    plain_prefab(case, "plain/prefabs/crate@low.yaml", "  - ReplicatedEntity: {registryId: 7}\n")
    plain_prefab(case, "plain/prefabs/crate@de.yaml", "  - ReplicatedEntity: {registryId: 1}\n")
    case.expect("error", "registry-id-mismatch", "plain/prefabs/crate@low.yaml", "registryId")


def described(case, *names):
    """Describes components with one number each, and the component Mark without fields."""
    components = [{"name": name, "size": 4, "alignment": 4, "default": "00000000",
                   "fields": [{"name": "value", "type": "uint32", "offset": 0}]}
                  for name in names]
    components.append({"name": "Mark", "size": 1, "alignment": 1, "default": "00", "fields": []})
    case.bare("components.json", json.dumps({"components": components}) + "\n")
    case.bare("muster.yaml",
              case.files["muster.yaml"].decode() + "components: components.json\n")


def tree(components, children):
    """Returns a plain prefab; a child is `(name, components)`."""
    def listed(names, indent):
        return "".join(f"{indent}- {name}: {{}}\n" for name in names)

    text = f"class: Prefab\nroot:\n  name: Crate\n" + (
        f"  components:\n{listed(components, '  ')}" if components else "")
    text += "  children:\n" if children else ""
    for name, own in children:
        text += f"  - name: {name}\n" + ("    components:\n" if own else "") + listed(own, "    ")
    return text


def variant_other_wire(case):
    """Variants may differ only in parts that are not sent and that follow all sent parts."""
    varied(case)
    described(case, "Health", "Door", "Hum")
    mark = "ReplicatedEntity"
    case.add(CRATE, tree((mark, "Health", "MeshRenderer"), (("Lid", ("Door",)), ("Lamp", ()))))
    for keys, form in (
            ("low", ((mark, "Health", "Mark"), (("Lid", ("Door",)),))),          # valid
            ("de", ((mark,), (("Lid", ("Door",)),))),                            # lacks Health
            ("low,de", ((mark, "Health", "Hum"), (("Lid", ("Door",)),))),        # also has Hum
            ("en", ((mark, "Health"), (("Lamp", ()), ("Lid", ("Door",)))))):     # has another order
        case.add(f"plain/prefabs/crate@{keys}.yaml", tree(*form))
    for keys in ("de", "low,de", "en"):
        case.expect("error", "variant-other-wire", f"plain/prefabs/crate@{keys}.yaml")


def variant_other_wire_factory(case):
    factory = "plain/shot.yaml"
    varied(case)
    described(case, "Health", "Hum")
    for path, names in ((factory, ("Health",)), ("plain/shot@low.yaml", ("Health",)),
                        ("plain/shot@de.yaml", ("Health", "Hum"))):
        case.add(path, "class: ShotFactory\ncomponents:\n"
                       + "".join(f"- {name}: {{}}\n" for name in names))
    plain_registry(case, "ReplicatedEntityRegistry", REGISTRY,
                   f"entries:\n- type_id: 1\n  prefab: {weak(CRATE)}\n"
                   f"- type_id: 2\n  factory: {strong(factory)}\n")
    case.bare("muster.yaml", case.files["muster.yaml"].decode() + AXES
              + "components: components.json\n")
    case.expect("error", "variant-other-wire", "plain/shot@de.yaml")


def variant_other_wire_placed(case):
    """In a layer of a level, the network id of an entity depends on its index in the file."""
    layer = "plain/layer.yaml"
    varied(case)
    described(case, "Health")
    case.add(layer, tree((), (("Tree", ()), ("Chest", ("ReplicatedEntity", "Health")))))
    for keys, form in (
            ("low", ((), (("Bush", ()), ("Chest", ("ReplicatedEntity", "Health"))))),  # valid
            ("de", ((), (("Chest", ("ReplicatedEntity", "Health")),))),       # Chest has index 0
            ("low,de", ((), (("Tree", ()), ("Chest", ("ReplicatedEntity",)))))):
        case.add(f"plain/layer@{keys}.yaml", tree(*form))
    plain_prefab(case, CRATE, "  - ReplicatedEntity: {}\n"
                              f"  - Painted: {{paint: {strong(PAINT)}}}\n"
                              f"  - Level: {{layer: {strong(layer)}}}\n")
    case.expect("error", "variant-other-wire", "plain/layer@de.yaml")
    case.expect("error", "variant-other-wire", "plain/layer@low,de.yaml")
