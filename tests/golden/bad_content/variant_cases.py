"""Cases of make_cases.py: variants of assets."""

from case_writer import guid_of, plain_prefab, plain_registry, plain_replicated, strong, weak

AXES = ("variants:\n  quality: {values: [low, high], default: high}\n"
        "  language: {values: [en, de]}\n")
CRATE = "plain/prefabs/crate.yaml"
REGISTRY = "plain/registries/replicated_entities.yaml"
PAINT = "plain/paint.yaml"
SKIN = "plain/skin.png"


def varied(case, *skins):
    """A crate whose paint has a skin; all skins are files beside that."""
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
    """Animations of models, and what has no base, are other tools' names."""
    varied(case, "plain/skin@lwo.png", "plain/icon@2x.png", "plain/hero.fbx", "plain/hero@run.fbx")
    case.expect("warning", "variant-unknown-word", "plain/skin@lwo.png")


def variant_without_base(case):
    varied(case, "plain/hull@low.png", "plain/skin@low,language=de.png")
    case.expect("error", "variant-without-base", "plain/hull@low.png")


def variant_other_kind(case):
    """Another extension, another class, and a prefab of what is none."""
    varied(case, "plain/skin@low.tga")
    case.add("plain/paint@low.yaml", "class: Varnish\n")
    plain_prefab(case, "plain/paint@de.yaml")
    case.expect("error", "variant-other-kind", "plain/skin@low.tga")
    case.expect("error", "variant-other-kind", "plain/paint@low.yaml")
    case.expect("error", "variant-other-kind", "plain/paint@de.yaml")


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
    """What a variant inherits from its own base is meant."""
    varied(case)
    wheel = "plain/prefabs/wheel.yaml"
    plain_prefab(case, wheel)
    case.add("plain/prefabs/wheel@low.yaml",
             f"class: Prefab\nvariant_of: {{fileID: 1, guid: {guid_of(wheel)}}}\n")
    plain_prefab(case, CRATE, "  - ReplicatedEntity: {}\n",
                 f"  children:\n  - name: Wheel\n    prefab: {strong(wheel)}\n")
    case.expect("warning", "variant-flattened", CRATE)
