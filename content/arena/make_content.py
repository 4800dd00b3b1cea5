#!/usr/bin/env python3
"""Writes the sample game's content: Assets/ in Unity's dialect, plain/ in the plain form.

    make_content.py            write both folders again
    make_content.py --check    write nothing; fail if a file differs from the output

Each run gives the same bytes: guids, file ids and noise are derived from names by SHA-256. The
tables of the content are here. content_writer.py and content_media.py write the files. Needs only
Python's standard library.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
from content_media import png, wav  # noqa: E402
from content_writer import (  # noqa: E402
    NONE, STANDARD_SHADER, Flow, Node, Project, Weak, WeakText, color, extension, mesh, prefab,
    stem, strong, variant, vec)

ROOT = pathlib.Path(__file__).resolve().parent
FOLDERS = ("Assets", "plain")

TEXTURES = {
    "Assets/Textures/Steel.png": (96, (120, 126, 134)),
    "Assets/Textures/Concrete.png": (96, (140, 138, 130)),
    "Assets/Textures/Rust.png": (80, (150, 84, 50)),
    "Assets/Textures/Hazard.png": (64, (190, 160, 40)),
    "Assets/Textures/Glow.png": (48, (180, 200, 220)),
    "plain/textures/sandstone.png": (96, (190, 150, 100)),
    "plain/textures/sandstone@low.png": (24, (190, 150, 100)),
    "plain/textures/crystal.png": (64, (90, 170, 200)),
    "plain/textures/ember.png": (48, (220, 110, 40)),
    "plain/textures/cloth.png": (64, (90, 90, 130)),
}
SOUNDS = {
    "Assets/Audio/Explosion.wav": (16000, 180),
    "Assets/Audio/Shot.wav": (6000, 60),
    "Assets/Audio/DoorSlide.wav": (14000, 240),
    "Assets/Audio/Hit.wav": (5000, 90),
    "plain/audio/pickup.wav": (7000, 30),
    "plain/audio/teleport.wav": (12000, 44),
    "plain/audio/zap.wav": (8000, 18),
}
# Material -> (texture, colour).
MATERIALS = {
    "Assets/Materials/Steel.mat": ("Assets/Textures/Steel.png", (0.8, 0.8, 0.85)),
    "Assets/Materials/Concrete.mat": ("Assets/Textures/Concrete.png", (1, 1, 1)),
    "Assets/Materials/Rust.mat": ("Assets/Textures/Rust.png", (1, 0.9, 0.8)),
    "Assets/Materials/Hazard.mat": ("Assets/Textures/Hazard.png", (1, 1, 1)),
    "Assets/Materials/TeamBlue.mat": ("Assets/Textures/Steel.png", (0.2, 0.4, 1)),
    "Assets/Materials/TeamRed.mat": ("Assets/Textures/Steel.png", (1, 0.25, 0.2)),
    "Assets/Materials/Glow.mat": ("Assets/Textures/Glow.png", (1, 1, 1)),
    "plain/materials/sandstone.yaml": ("plain/textures/sandstone.png", (1, 1, 1)),
    "plain/materials/crystal.yaml": ("plain/textures/crystal.png", (0.7, 0.9, 1)),
    "plain/materials/ember.yaml": ("plain/textures/ember.png", (1, 0.6, 0.3)),
    "plain/materials/cloth.yaml": ("plain/textures/cloth.png", (0.9, 0.9, 1)),
}
PHYSICS = {
    "Assets/Physics/Metal.physicMaterial": (0.4, 0.1),
    "Assets/Physics/Stone.physicMaterial": (0.8, 0),
    "plain/physics/sand.yaml": (0.9, 0),
}

SERVER, CLIENT_PC = 1, 2
THIRD_PERSON, FIRST_PERSON = 0, 1

BEHAVIOURS = """
ReplicatedEntity PresentationOwner PresentationEntity Team Health CharacterMovement Projectile Item
Explosive Door CapturePoint SpawnPoint PlayerState GameMode SpatialEffect HitscanEffect Spin
ParticleBurst HitVolume Gun
""".split()
DATA_CLASSES = {
    "RegistryBase": "ScriptableObject",
    "ReplicatedEntityRegistry": "RegistryBase",
    "PresentationRegistry": "RegistryBase",
    "CharacterTypeRegistry": "RegistryBase",
    "ItemRegistry": "RegistryBase",
    "SpatialEffectRegistry": "RegistryBase",
    "AssetRegistryRoot": "ScriptableObject",
    "ReplicatedEntityFactory": "ScriptableObject",
    "ProjectileEntityFactory": "ReplicatedEntityFactory",
    "AbilityCollection": "ReplicatedEntityFactory",
    "AbilityDefinition": "ScriptableObject",
    "CharacterTypeDefinition": "ScriptableObject",
    "HeroTypeAsset": "ScriptableObject",
    "ItemTypeDefinition": "ScriptableObject",
    "SpatialEffectTypeDefinition": "ScriptableObject",
    "ProjectileTypeDefinition": "ScriptableObject",
}


class Arena:
    """The project, and the entries for its registries."""

    def __init__(self):
        self.project = Project()
        self.replicated = []     # paths of prefabs and factories, in registration order
        self.presentations = []  # (path, owner path, platform flags, type, variation)

    def replicated_prefab(self, path, components, children=()):
        self.replicated.append(path)
        prefab(self.project, path, [own_guid(path), *components], children)

    def replicated_variant(self, path, base, components=(), removed=()):
        self.replicated.append(path)
        variant(self.project, path, base, [own_guid(path), *components], removed)

    def presents(self, path, owner, kind=0, variation=0, platform=CLIENT_PC):
        """Registers the prefab at `path` as a presentation of `owner`, and returns its
        component."""
        self.presentations.append((path, owner, platform, kind, variation))
        return ("PresentationEntity", {"presentationOwner": Weak(owner), "platformFlags": platform,
                                       "type": kind, "variation": variation})


def own_guid(path):
    return ("ReplicatedEntity", {"assetGuid": Weak(path)})


def owner_of_presentation():
    return ("PresentationOwner", {"variation": 0})


def look(mesh_name, *materials):
    return [("MeshFilter", {"mesh": mesh(mesh_name)}),
            ("MeshRenderer", {"castShadows": True, "materials": [strong(m) for m in materials]})]


def box(x, y, z, material="Assets/Physics/Metal.physicMaterial", trigger=False):
    return ("BoxCollider", {"material": strong(material), "trigger": trigger,
                            "size": vec(x, y, z), "center": vec(0, y / 2, 0)})


def sound(clip, volume=1):
    return ("AudioSource", {"clip": strong(clip), "volume": volume, "loop": False})


def health(points):
    return ("Health", {"current": points, "maximum": points})


def describe_art(project):
    for name in BEHAVIOURS:
        project.add_script(name, "MonoBehaviour")
    for name, base in DATA_CLASSES.items():
        project.add_script(name, base)
    for path, (size, base) in TEXTURES.items():
        project.add(path, png(path, size, base))
    for path, (sample_count, period) in SOUNDS.items():
        project.add(path, wav(path, sample_count, period))
    for path, (texture, (r, g, b)) in MATERIALS.items():
        if extension(path) == ".yaml":
            project.asset(path, "Material", {"shader": STANDARD_SHADER, "color": color(r, g, b),
                                             "albedo": strong(texture), "smoothness": 0.5})
            continue
        slot = {"m_Texture": strong(texture), "m_Scale": Flow(x=1, y=1), "m_Offset": Flow(x=0, y=0)}
        empty = {**slot, "m_Texture": NONE}
        project.native(path, 21, "Material", {
            "m_Shader": STANDARD_SHADER, "m_ShaderKeywords": "", "m_LightmapFlags": 4,
            "m_EnableInstancingVariants": 0, "m_CustomRenderQueue": -1, "stringTagMap": {},
            "disabledShaderPasses": [], "m_SavedProperties": {
                "serializedVersion": 3, "m_TexEnvs": [{"_BumpMap": empty}, {"_MainTex": slot}],
                "m_Floats": [{"_Glossiness": 0.5}, {"_Metallic": 0}],
                "m_Colors": [{"_Color": color(r, g, b)}]}})
    for path, (friction, bounce) in PHYSICS.items():
        if extension(path) == ".yaml":
            project.asset(path, "PhysicsMaterial", {"friction": friction, "bounciness": bounce})
            continue
        project.native(path, 134, "PhysicMaterial", {
            "dynamicFriction": friction, "staticFriction": friction, "bounciness": bounce,
            "frictionCombine": 0, "bounceCombine": 0})


def describe_parts(project):
    """Adds small prefabs that other prefabs contain."""
    folder = "Assets/Prefabs/Parts/"
    prefab(project, folder + "HitVolumes.prefab", [], [
        Node("Head", [("SphereCollider", {"radius": 0.18, "center": vec(0, 0, 0)}),
                      ("HitVolume", {"radius": 0.18, "part": 1})], at=(0, 1.7, 0)),
        Node("Torso", [("CapsuleCollider", {"radius": 0.3, "height": 0.9, "center": vec(0, 0, 0)}),
                       ("HitVolume", {"radius": 0.3, "half_height": 0.15})], at=(0, 1.1, 0)),
        Node("Legs", [("CapsuleCollider", {"radius": 0.25, "height": 0.9, "center": vec(0, 0, 0)}),
                      ("HitVolume", {"radius": 0.25, "half_height": 0.2, "part": 2})],
             at=(0, 0.45, 0))])
    prefab(project, folder + "Visor.prefab", look("Sphere", "Assets/Materials/Glow.mat"))
    prefab(project, folder + "Backpack.prefab", look("Cube", "Assets/Materials/Rust.mat"), [
        Node("Lamp", [("Light", {"color": color(1, 0.9, 0.7), "intensity": 0.8, "range": 2})],
             at=(0, 0.2, -0.1))])
    prefab(project, folder + "Muzzle.prefab",
           [("Light", {"color": color(1, 0.8, 0.4), "intensity": 2, "range": 3}),
            sound("Assets/Audio/Shot.wav")])


CHARACTER = "Assets/Prefabs/Replicated/Character.prefab"
FOUNDRY_STATE = "plain/replicated/level_state_foundry.yaml"
CANYON_STATE = "plain/replicated/level_state_canyon.yaml"


def describe_replicated(arena):
    """Adds entities with only logic. Their presentations are separate prefabs."""
    folder = "Assets/Prefabs/Replicated/"
    arena.replicated_prefab(folder + "PlayerState.prefab", [
        ("PlayerState", {"playerId": -1, "heroType": 1, "score": 0})])
    arena.replicated_prefab(folder + "GameMode.prefab", [
        ("GameMode", {"roundSeconds": 300, "scoreLimit": 50, "phase": 0})])
    arena.replicated_prefab(CHARACTER, [
        owner_of_presentation(), ("Team", {"teamId": -1}), health(100),
        ("CharacterMovement", {"slopeLimit": 50, "stepOffset": 0.5, "skinWidth": 0.08,
                               "minMoveDistance": 0.001, "center": vec(0, 1.05, 0),
                               "radius": 0.4, "height": 2.1}), ("Gun", {})],
        [Node("Hit volumes", prefab="Assets/Prefabs/Parts/HitVolumes.prefab")])
    arena.replicated_prefab(folder + "Crate.prefab", [
        owner_of_presentation(), health(50), box(1, 1, 1),
        ("HitVolume", {"center": vec(0, 0.5, 0), "half_size": vec(0.5, 0.5, 0.5)}),
        ("Rigidbody", {"mass": 40, "drag": 0.1})])
    arena.replicated_variant(
        folder + "Barrel.prefab", folder + "Crate.prefab",
        [("Health", {"current": 30, "maximum": 30}), ("BoxCollider", {"size": vec(0.8, 1.2, 0.8)}),
         ("Explosive", {"radius": 4, "damage": 60, "impulse": 12})])
    arena.replicated_variant(
        folder + "ToxicBarrel.prefab", folder + "Barrel.prefab",
        [("Explosive", {"radius": 6, "damage": 25}), ("Spin", {"axis": vec(0, 1, 0),
                                                               "degreesPerSecond": 15})])
    arena.replicated_prefab(folder + "Door.prefab", [
        owner_of_presentation(), ("Door", {"travel": vec(0, 3, 0), "openSeconds": 0.6}),
        box(2, 3, 0.3)], [Node("Sensor", [box(3, 3, 3, trigger=True)])])
    arena.replicated_prefab(folder + "CapturePoint.prefab", [
        owner_of_presentation(), ("Team", {"teamId": -1}),
        ("CapturePoint", {"radius": 5, "captureSeconds": 8, "progress": 0, "owningTeam": -1})])
    # A static crate is not an entity: the variant removes the replicated components.
    variant(arena.project, "Assets/Prefabs/Level/CrateStatic.prefab", folder + "Crate.prefab",
            removed=("ReplicatedEntity", "PresentationOwner", "Health", "HitVolume", "Rigidbody"))

    folder = "plain/replicated/"
    rifle = "Assets/Gamedesign/Items/Item_Rifle.asset"
    arena.replicated_prefab(folder + "pickup_health.yaml", [
        owner_of_presentation(), ("Pickup", {"amount": 25, "respawnSeconds": 20}),
        ("SphereCollider", {"radius": 0.6, "trigger": True})])
    arena.replicated_variant(
        folder + "pickup_ammo.yaml", folder + "pickup_health.yaml",
        [("Pickup", {"item": Weak(rifle), "amount": 30, "respawnSeconds": 12})])
    arena.replicated_prefab(folder + "platform.yaml", [
        owner_of_presentation(), ("Platform", {"travel": vec(0, 4, 0), "periodSeconds": 6}),
        box(3, 0.4, 3, "plain/physics/sand.yaml")])
    arena.replicated_prefab(folder + "flag.yaml", [
        owner_of_presentation(), ("Team", {"teamId": 0}),
        ("Spin", {"axis": vec(0, 1, 0), "degreesPerSecond": 30})],
        [Node("Base", [box(0.6, 0.2, 0.6, "plain/physics/sand.yaml")])])
    arena.replicated_prefab(FOUNDRY_STATE, [
        owner_of_presentation(), ("GameMode", {"roundSeconds": 300, "scoreLimit": 30})])
    arena.replicated_variant(
        CANYON_STATE, FOUNDRY_STATE, [("GameMode", {"roundSeconds": 420, "scoreLimit": 45})])
    variant(arena.project, "plain/level/pickup_display.yaml", folder + "pickup_health.yaml",
            removed=("ReplicatedEntity", "PresentationOwner", "Pickup"))


def describe_factories(arena):
    """Adds entities that have no prefab."""
    project = arena.project
    path = "Assets/Gamedesign/Factories/ProjectileEntityFactory.asset"
    project.asset(path, "ProjectileEntityFactory", {
        "guid": Weak(path), "transform": {"position": vec(0, 0, 0)},
        "projectile": {"velocity": 60, "impactDamage": 10, "collisionRadius": 0.1}})
    arena.replicated.append(path)
    abilities = {"Sprint": 0, "Melee": 1.5, "Dash": 6, "Shield": 12}
    for name, seconds in abilities.items():
        project.asset(f"Assets/Gamedesign/Abilities/Ability_{name}.asset", "AbilityDefinition",
                      {"cooldownSeconds": seconds, "canInterrupt": 0})
    for hero, names in {"Vanguard": ("Sprint", "Melee", "Dash"),
                        "Warden": ("Sprint", "Melee", "Shield")}.items():
        path = f"Assets/Gamedesign/Heroes/Abilities_{hero}.asset"
        project.asset(path, "AbilityCollection", {"guid": Weak(path), "abilities": [
            {"ability": strong(f"Assets/Gamedesign/Abilities/Ability_{name}.asset"),
             "canInterruptAll": 0} for name in names],
            "abilityState": {"slot": 0, "cooldownSeconds": 0}})
        arena.replicated.append(path)
    for path, components in {
            "plain/heroes/abilities_drifter.yaml": [
                {"AbilityState": {"slot": 0, "cooldownSeconds": 0}}],
            "plain/factories/spectator.yaml": [
                {"Transform": {"position": vec(0, 12, -20)}},
                {"SpectatorCamera": {"fieldOfView": 70}}]}.items():
        project.asset(path, "ReplicatedEntityFactory",
                      {"guid": Weak(path), "components": components})
        arena.replicated.append(path)


def describe_characters(arena):
    project = arena.project
    folder = "Assets/Prefabs/Characters/"
    unset = ("PresentationEntity",
             {"presentationOwner": Weak(None), "platformFlags": 0, "type": 0, "variation": 0})
    prefab(project, folder + "CharacterServer.prefab",
           [("CapsuleCollider", {"radius": 0.4, "height": 2.1, "center": vec(0, 1.05, 0)})],
           [Node("Hit volumes", prefab="Assets/Prefabs/Parts/HitVolumes.prefab")])
    prefab(project, folder + "CharacterClient.prefab",
           [unset, *look("Capsule", "Assets/Materials/Steel.mat")],
           [Node("Visor", at=(0, 1.75, 0.2), prefab="Assets/Prefabs/Parts/Visor.prefab"),
            Node("Backpack", at=(0, 1.2, -0.3), prefab="Assets/Prefabs/Parts/Backpack.prefab")])
    prefab(project, folder + "Character1P.prefab",
           [unset, *look("Cylinder", "Assets/Materials/Steel.mat")],
           [Node("Camera", at=(0, 1.8, 0))])
    for index, (name, height, material) in enumerate((("Vanguard", 2.1, "TeamBlue"),
                                                      ("Warden", 2.3, "TeamRed"))):
        triple = [f"{folder}{name}/{name}_{side}.prefab" for side in ("Server", "Client", "1P")]
        paint = ("MeshRenderer", {"materials": [strong(f"Assets/Materials/{material}.mat")]})
        variant(project, triple[0], folder + "CharacterServer.prefab",
                [("CapsuleCollider", {"height": height, "center": vec(0, height / 2, 0)})])
        variant(project, triple[1], folder + "CharacterClient.prefab",
                [arena.presents(triple[1], CHARACTER, THIRD_PERSON, index), paint])
        variant(project, triple[2], folder + "Character1P.prefab",
                [arena.presents(triple[2], CHARACTER, FIRST_PERSON, index), paint])
        project.asset(f"Assets/Gamedesign/Characters/Char_{name}.asset", "CharacterTypeDefinition",
                      dict(zip(("prefabServer", "prefabClient", "prefab1P"), map(Weak, triple))))
    triple = [f"plain/characters/drifter_{side}.yaml" for side in ("server", "client", "1p")]
    prefab(project, triple[0],
           [("CapsuleCollider", {"radius": 0.35, "height": 1.9, "center": vec(0, 0.95, 0)})],
           [Node("Hit volumes", prefab="Assets/Prefabs/Parts/HitVolumes.prefab")])
    prefab(project, triple[1],
           [arena.presents(triple[1], CHARACTER, THIRD_PERSON, 2),
            *look("Capsule", "plain/materials/cloth.yaml")],
           [Node("Visor", at=(0, 1.6, 0.15), prefab="Assets/Prefabs/Parts/Visor.prefab")])
    prefab(project, triple[2],
           [arena.presents(triple[2], CHARACTER, FIRST_PERSON, 2),
            *look("Cylinder", "plain/materials/cloth.yaml")])
    project.asset("plain/characters/char_drifter.yaml", "CharacterTypeDefinition",
                  dict(zip(("prefabServer", "prefabClient", "prefab1P"), map(Weak, triple))))


CHARACTER_TYPES = ["Assets/Gamedesign/Characters/Char_Vanguard.asset",
                   "Assets/Gamedesign/Characters/Char_Warden.asset",
                   "plain/characters/char_drifter.yaml"]
ITEMS = ["Assets/Gamedesign/Items/Item_Rifle.asset", "Assets/Gamedesign/Items/Item_Shotgun.asset",
         "Assets/Gamedesign/Items/Item_Launcher.asset", "plain/items/item_pistol.yaml",
         "plain/items/item_blade.yaml", "plain/items/item_beacon.yaml"]


def item_asset(project, path, triple):
    project.asset(path, "ItemTypeDefinition", {
        "registryId": ITEMS.index(path) + 1,
        **dict(zip(("prefabServer", "prefabClient", "prefab1P"), map(WeakText, triple)))})


def describe_items(project):
    folder = "Assets/Prefabs/Items/"
    first = ITEMS[0]
    prefab(project, folder + "ItemServer.prefab",
           [("Item", {"itemType": Weak(first), "slot": 0, "ammo": 0}), box(0.2, 0.2, 0.8)])
    prefab(project, folder + "ItemClient.prefab", look("Cube", "Assets/Materials/Steel.mat"),
           [Node("Muzzle", at=(0, 0.1, 0.5), prefab="Assets/Prefabs/Parts/Muzzle.prefab")])
    prefab(project, folder + "Item1P.prefab", look("Cube", "Assets/Materials/Steel.mat"),
           [Node("Muzzle", at=(0, 0.1, 0.6), prefab="Assets/Prefabs/Parts/Muzzle.prefab"),
            Node("Sight", look("Cylinder", "Assets/Materials/Glow.mat"), at=(0, 0.2, 0.1))])
    for name, slot, ammo, material in (("Rifle", 0, 30, "Steel"), ("Shotgun", 1, 8, "Rust"),
                                       ("Launcher", 2, 4, "Hazard")):
        path = f"Assets/Gamedesign/Items/Item_{name}.asset"
        triple = [f"{folder}{name}/{name}_{side}.prefab" for side in ("Server", "Client", "1P")]
        paint = ("MeshRenderer", {"materials": [strong(f"Assets/Materials/{material}.mat")]})
        variant(project, triple[0], folder + "ItemServer.prefab",
                [("Item", {"itemType": Weak(path), "slot": slot, "ammo": ammo})])
        variant(project, triple[1], folder + "ItemClient.prefab", [paint])
        variant(project, triple[2], folder + "Item1P.prefab", [paint])
        item_asset(project, path, triple)
    for name, slot, ammo, shape in (("pistol", 0, 12, "Cube"), ("blade", 1, 0, "Cylinder"),
                                    ("beacon", 2, 1, "Sphere")):
        path = f"plain/items/item_{name}.yaml"
        triple = [f"plain/items/{name}_{side}.yaml" for side in ("server", "client", "1p")]
        prefab(project, triple[0], [("Item", {"itemType": Weak(path), "slot": slot, "ammo": ammo}),
                                    box(0.15, 0.15, 0.4, "plain/physics/sand.yaml")])
        prefab(project, triple[1], [*look(shape, "plain/materials/crystal.yaml"),
                                    sound("plain/audio/zap.wav", 0.8)])
        variant(project, triple[2], triple[1],
                [("MeshRenderer", {"materials": [strong("plain/materials/ember.yaml")]})])
        item_asset(project, path, triple)


def describe_heroes(project):
    rows = (("Assets/Gamedesign/Heroes/Hero_Vanguard.asset", 100, 1.8, 0, (0, 2),
             "Assets/Gamedesign/Heroes/Abilities_Vanguard.asset"),
            ("plain/heroes/hero_warden.yaml", 150, 2.0, 1, (1, 4),
             "Assets/Gamedesign/Heroes/Abilities_Warden.asset"),
            ("plain/heroes/hero_drifter.yaml", 80, 1.6, 2, (3, 4, 5),
             "plain/heroes/abilities_drifter.yaml"))
    for path, points, eye_height, character, items, abilities in rows:
        project.asset(path, "HeroTypeAsset", {
            "health": points, "eyeHeight": eye_height,
            "sprintCameraSettings": {"FOVFactor": 0.93, "FOVIncreaseSpeed": 1,
                                     "FOVDecreaseSpeed": 0.2},
            "characterMovementSettings": {
                "slopeLimit": 50, "stepOffset": 0.5, "skinWidth": 0.08, "minMoveDistance": 0.001,
                "center": vec(0, eye_height * 0.6, 0), "radius": 0.4,
                "height": round(eye_height * 1.15, 3)},
            "abilities": Weak(abilities), "character": strong(CHARACTER_TYPES[character]),
            "items": [{"itemType": strong(ITEMS[i])} for i in items]})
    return [row[0] for row in rows]


def describe_projectiles(project):
    """Returns the definitions. Both sides use the numbers; only clients use the prefab."""
    rows = (("Assets/Gamedesign/Projectiles/Projectile_Rocket.asset", 30, 40, 5, 40, "Hazard"),
            ("Assets/Gamedesign/Projectiles/Projectile_Bolt.asset", 90, 22, 0, 0, "Glow"),
            ("Assets/Gamedesign/Projectiles/Projectile_Grenade.asset", 18, 10, 6, 70, "Rust"),
            ("plain/projectiles/projectile_shard.yaml", 60, 12, 0, 0, "crystal"),
            ("plain/projectiles/projectile_plasma.yaml", 45, 18, 2, 15, "ember"))
    for path, velocity, damage, splash, splash_damage, material in rows:
        is_plain = extension(path) == ".yaml"
        name = stem(path).split("_")[1]
        client = (f"plain/projectiles/{name}_client.yaml" if is_plain
                  else f"Assets/Prefabs/Projectiles/{name}_Client.prefab")
        material = (f"plain/materials/{material}.yaml" if is_plain
                    else f"Assets/Materials/{material}.mat")
        prefab(project, client, [
            ("Projectile", {"velocity": velocity, "impactDamage": damage, "collisionRadius": 0.1}),
            *look("Sphere", material)],
            [Node("Trail", [("ParticleBurst", {"count": 12, "lifetime": 0.4,
                                               "material": strong(material)})], at=(0, 0, -0.3))])
        project.asset(path, "ProjectileTypeDefinition", {
            "guid": Weak(path),
            "settings": {"velocity": velocity, "impactDamage": damage, "impactImpulse": damage / 4,
                         "collisionRadius": 0.1,
                         "splashDamage": {"radius": splash, "falloffStartRadius": splash / 4,
                                          "damage": splash_damage, "minDamage": 0,
                                          "impulse": splash_damage / 4, "minImpulse": 0,
                                          "ownerDamageFraction": 0.2}},
            "clientProjectileBufferSize": 20, "clientProjectilePrefab": Weak(client)})
    return [row[0] for row in rows]


def effect(project, path, component, count, material, clip):
    prefab(project, path, [component, sound(clip)], [
        Node("Burst", [("ParticleBurst", {"count": count, "lifetime": 0.8,
                                          "material": strong(material)})]),
        Node("Flash", [("Light", {"color": color(1, 0.9, 0.6), "intensity": 3, "range": 4})],
             at=(0, 0.2, 0))])


def describe_effects(project):
    """Returns the definitions of the spatial effects and the rows of the hitscan effects."""
    spatial = (("Explosion", 64, 32, 7, "Hazard", "Explosion"),
               ("MuzzleFlash", 8, 48, 0, "Glow", "Shot"), ("Sparks", 16, 16, 0, "Glow", "Hit"),
               ("Smoke", 24, 16, 0, "Concrete", "Hit"),
               ("heal_pulse", 20, 8, 0, "crystal", "pickup"),
               ("teleport", 40, 4, 0, "crystal", "teleport"),
               ("splash", 18, 16, 2, "ember", "zap"), ("frost_burst", 30, 16, 3, "crystal", "zap"))
    definitions = []
    for index, (name, count, pool, force, material, clip) in enumerate(spatial):
        is_plain = name.islower()
        path = f"plain/effects/{name}.yaml" if is_plain else f"Assets/Prefabs/Effects/{name}.prefab"
        component = ("SpatialEffect", {"durationSeconds": 1.5, "shockwaveForce": force,
                                       "shockwaveRadius": 5 if force else 0})
        if is_plain:
            art = f"plain/materials/{material}.yaml", f"plain/audio/{clip}.wav"
        else:
            art = f"Assets/Materials/{material}.mat", f"Assets/Audio/{clip}.wav"
        effect(project, path, component, count, *art)
        definition = f"Assets/Gamedesign/Effects/Effect_{name}.asset"
        project.asset(definition, "SpatialEffectTypeDefinition",
                      {"registryId": index + 1, "prefab": WeakText(path), "poolSize": pool})
        definitions.append(definition)
    hitscan = (("Assets/Prefabs/Effects/Tracer.prefab", 16, 100, "Assets/Materials/Glow.mat",
                "Assets/Audio/Shot.wav"),
               ("plain/effects/beam.yaml", 8, 400, "plain/materials/ember.yaml",
                "plain/audio/zap.wav"),
               ("plain/effects/lightning.yaml", 16, 250, "plain/materials/crystal.yaml",
                "plain/audio/zap.wav"))
    for path, _, speed, material, clip in hitscan:
        effect(project, path, ("HitscanEffect", {"speed": speed, "length": 1, "width": 0.05}),
               6, material, clip)
    return definitions, [(path, pool) for path, pool, *_ in hitscan]


def describe_presentations(arena):
    project = arena.project
    source, folder = "Assets/Prefabs/Replicated/", "Assets/Prefabs/Presentation/"

    def shown(path, owner, children=(), parts=(), **key):
        prefab(project, path, [arena.presents(path, owner, **key), *parts], children)

    def shown_variant(path, base, owner, material, **key):
        variant(project, path, base, [arena.presents(path, owner, **key),
                                      ("MeshRenderer", {"materials": [strong(material)]})])

    shown(folder + "Crate.prefab", source + "Crate.prefab", [
        Node("Lid", look("Cube", "Assets/Materials/Rust.mat"), at=(0, 1, 0))],
        look("Cube", "Assets/Materials/Steel.mat"))
    shown_variant(folder + "CrateDamaged.prefab", folder + "Crate.prefab", source + "Crate.prefab",
                  "Assets/Materials/Rust.mat", variation=1)
    shown_variant(folder + "Barrel.prefab", folder + "Crate.prefab", source + "Barrel.prefab",
                  "Assets/Materials/Hazard.mat")
    shown_variant(folder + "ToxicBarrel.prefab", folder + "Barrel.prefab",
                  source + "ToxicBarrel.prefab", "Assets/Materials/Glow.mat")
    shown(folder + "Door.prefab", source + "Door.prefab", (), [
        *look("Cube", "Assets/Materials/Steel.mat"), sound("Assets/Audio/DoorSlide.wav")])
    capture = source + "CapturePoint.prefab"
    shown(folder + "CapturePointNeutral.prefab", capture, [
        Node("Beacon", look("Cylinder", "Assets/Materials/Glow.mat"), at=(0, 2, 0))],
        look("Cylinder", "Assets/Materials/Concrete.mat"))
    for variation, team in enumerate(("Blue", "Red"), start=1):
        shown_variant(f"{folder}CapturePoint{team}.prefab", folder + "CapturePointNeutral.prefab",
                      capture, f"Assets/Materials/Team{team}.mat", variation=variation)
    # A server's presentation of a capture point: the volume that counts the players in it.
    shown(folder + "CapturePointServer.prefab", capture, (), [box(10, 4, 10, trigger=True)],
          platform=SERVER)

    source, folder = "plain/replicated/", "plain/presentation/"
    shown(folder + "pickup_health.yaml", source + "pickup_health.yaml", (), [
        *look("Sphere", "plain/materials/ember.yaml"), sound("plain/audio/pickup.wav", 0.7)])
    shown_variant(folder + "pickup_ammo.yaml", folder + "pickup_health.yaml",
                  source + "pickup_ammo.yaml", "Assets/Materials/Hazard.mat")
    shown(folder + "platform.yaml", source + "platform.yaml", (),
          look("Cube", "plain/materials/sandstone.yaml"))
    shown(folder + "flag_blue.yaml", source + "flag.yaml", [
        Node("Cloth", look("Plane", "plain/materials/cloth.yaml"), at=(0, 2, 0))],
        look("Cylinder", "Assets/Materials/TeamBlue.mat"))
    shown_variant(folder + "flag_red.yaml", folder + "flag_blue.yaml", source + "flag.yaml",
                  "Assets/Materials/TeamRed.mat", variation=1)


def row_of(name, path, count, step, height=0):
    """Returns `count` instances of one prefab, side by side."""
    return [Node(f"{name} {i + 1}", at=(i * step, height, 0), prefab=path) for i in range(count)]


def describe_foundry(arena):
    """Returns the layers: main, gameplay, background."""
    project = arena.project
    folder = "Assets/Prefabs/Level/"
    replicated = "Assets/Prefabs/Replicated/"
    stone = "Assets/Physics/Stone.physicMaterial"
    sizes = {"Floor": (8, 0.5, 8), "Wall": (8, 4, 0.5), "Ramp": (4, 2, 6), "Column": (1, 5, 1)}
    for name, size in sizes.items():
        prefab(project, f"{folder}{name}.prefab", [box(*size, stone)])
    for name, material in {"Floor": "Concrete", "Wall": "Steel", "Column": "Rust"}.items():
        prefab(project, f"{folder}{name}Art.prefab",
               look("Cube", f"Assets/Materials/{material}.mat"))
    prefab(project, folder + "Foundry/Foundry_Main.prefab", (), [
        *row_of("Floor", folder + "Floor.prefab", 4, 8),
        *row_of("Wall", folder + "Wall.prefab", 4, 8, 0.5),
        *row_of("Column", folder + "Column.prefab", 3, 12),
        Node("Ramp", at=(4, 0, 6), prefab=folder + "Ramp.prefab"),
        *row_of("Crate", folder + "CrateStatic.prefab", 2, 2)])
    prefab(project, folder + "Foundry/Foundry_Gameplay.prefab", (), [
        Node("Spawn blue", [("SpawnPoint", {"teamId": 0, "radius": 2})], at=(-10, 0, 0)),
        Node("Spawn red", [("SpawnPoint", {"teamId": 1, "radius": 2})], at=(34, 0, 0)),
        *row_of("Crate", replicated + "Crate.prefab", 3, 3),
        *row_of("Barrel", replicated + "Barrel.prefab", 2, 5),
        Node("Toxic barrel", at=(20, 0, 4), prefab=replicated + "ToxicBarrel.prefab"),
        Node("Gate", [("Door", {"openSeconds": 1.2})], at=(12, 0, 0),
             prefab=replicated + "Door.prefab"),
        Node("Point A", [("CapturePoint", {"radius": 6, "captureSeconds": 10})], at=(16, 0, 2),
             prefab=replicated + "CapturePoint.prefab")])
    background = folder + "Foundry/Foundry_Background.prefab"
    prefab(project, background, [arena.presents(background, FOUNDRY_STATE)], [
        *row_of("Floor", folder + "FloorArt.prefab", 4, 8),
        *row_of("Wall", folder + "WallArt.prefab", 4, 8, 0.5),
        *row_of("Column", folder + "ColumnArt.prefab", 3, 12),
        Node("Sun", [("Light", {"color": color(1, 0.95, 0.85), "intensity": 1.1, "range": 100})],
             at=(0, 30, 0))])
    return (folder + "Foundry/Foundry_Main.prefab", folder + "Foundry/Foundry_Gameplay.prefab",
            background)


def describe_canyon(arena):
    """Returns the layers: main, gameplay, background."""
    project = arena.project
    sand = "plain/physics/sand.yaml"
    prefab(project, "plain/level/rock.yaml",
           [("SphereCollider", {"radius": 2, "material": strong(sand)})])
    prefab(project, "plain/level/arch.yaml", [box(6, 5, 2, sand)])
    prefab(project, "plain/level/rock_art.yaml", look("Sphere", "plain/materials/sandstone.yaml"))
    prefab(project, "plain/level/arch_art.yaml", look("Cube", "plain/materials/sandstone.yaml"),
           [Node("Crystal", look("Sphere", "plain/materials/crystal.yaml"), at=(0, 5, 0))])
    prefab(project, "plain/level/canyon_main.yaml", (), [
        *row_of("Ground", "Assets/Prefabs/Level/Floor.prefab", 3, 8),
        *row_of("Rock", "plain/level/rock.yaml", 4, 7),
        Node("Arch", at=(10, 0, 4), prefab="plain/level/arch.yaml"),
        Node("Plinth", at=(10, 0, -4), prefab="plain/level/pickup_display.yaml")])
    prefab(project, "plain/level/canyon_gameplay.yaml", (), [
        Node("Spawn blue", [("SpawnPoint", {"teamId": 0, "radius": 3})], at=(-8, 0, 0)),
        Node("Spawn red", [("SpawnPoint", {"teamId": 1, "radius": 3})], at=(28, 0, 0)),
        Node("Lift", at=(14, 0, 0), prefab="plain/replicated/platform.yaml"),
        Node("Flag blue", at=(-6, 0, 2), prefab="plain/replicated/flag.yaml"),
        Node("Flag red", [("Team", {"teamId": 1})], at=(26, 0, 2),
             prefab="plain/replicated/flag.yaml"),
        *row_of("Health", "plain/replicated/pickup_health.yaml", 2, 9),
        Node("Ammo", at=(5, 0, 5), prefab="plain/replicated/pickup_ammo.yaml"),
        Node("Crate", at=(8, 0, 5), prefab="Assets/Prefabs/Replicated/Crate.prefab")])
    background = "plain/level/canyon_background.yaml"
    prefab(project, background, [arena.presents(background, CANYON_STATE)], [
        *row_of("Rock", "plain/level/rock_art.yaml", 4, 7),
        Node("Arch", at=(10, 0, 4), prefab="plain/level/arch_art.yaml")])
    return "plain/level/canyon_main.yaml", "plain/level/canyon_gameplay.yaml", background


def describe_levels(arena):
    """Returns the level assets. A level's main and gameplay layers are for server and clients, and
    contain no art. Its background layer is the presentation of the level's state, for clients."""
    levels = {"plain/levels/foundry.yaml": describe_foundry(arena),
              "plain/levels/canyon.yaml": describe_canyon(arena)}
    # This script does not write the model: see README.md.
    model = "plain/levels/snapshots.mdl"
    arena.project.add(model, (ROOT / model).read_bytes())
    for path, (main, gameplay, back) in levels.items():
        layers = [{"name": "main", "prefab": strong(main)},
                  {"name": "gameplay", "prefab": strong(gameplay)},
                  {"name": "background", "prefab": Weak(back)}]
        arena.project.asset(path, "Level", {
            "title": stem(path).capitalize(), "snapshot_model": strong(model), "layers": layers})
    return list(levels)


def describe_registries(arena, heroes, projectiles, effects, hitscan, levels):
    project = arena.project
    shared, plain = "Assets/BundledResources/Shared/", "plain/registries/"

    def replicated_entry(path):
        is_prefab = extension(path) == ".prefab" or path.startswith("plain/replicated/")
        return {"guid": Weak(path), "prefab": Weak(path if is_prefab else None),
                "factory": NONE if is_prefab else strong(path)}

    project.asset(shared + "ReplicatedEntityRegistry.asset", "ReplicatedEntityRegistry",
                  {"entries": [replicated_entry(path) for path in arena.replicated]})
    project.asset(shared + "PresentationRegistry.asset", "PresentationRegistry", {"m_entries": [
        {"ownerAssetGuid": Weak(owner), "platformFlags": platform, "type": kind,
         "variation": variation, "presentation": Weak(path)}
        for path, owner, platform, kind, variation in arena.presentations]})
    project.asset(shared + "CharacterTypeRegistry.asset", "CharacterTypeRegistry",
                  {"entries": [strong(path) for path in CHARACTER_TYPES]})
    project.asset(shared + "ItemRegistry.asset", "ItemRegistry",
                  {"entries": [strong(path) for path in ITEMS]})
    project.asset(shared + "SpatialEffectRegistry.asset", "SpatialEffectRegistry",
                  {"entries": [strong(path) for path in effects]})
    project.asset(plain + "heroes.yaml", "HeroTypeRegistry", {"entries": [
        {"type_id": i, "definition": strong(path)} for i, path in enumerate(heroes, start=1)]})
    # Type 3 was a projectile; its id stays retired.
    project.asset(plain + "projectiles.yaml", "ProjectileRegistry", {
        "retired": [3], "entries": [{"type_id": i, "definition": strong(path)}
                                    for i, path in zip((1, 2, 4, 5, 6), projectiles)]})
    project.asset(plain + "hitscan_effects.yaml", "HitscanEffectRegistry", {"entries": [
        {"type_id": i, "prefab": Weak(path), "poolSize": pool}
        for i, (path, pool) in enumerate(hitscan, start=1)]})
    project.asset(plain + "levels.yaml", "LevelRegistry", {"entries": [
        {"type_id": i, "level": strong(path)} for i, path in enumerate(levels, start=1)]})
    both = [shared + f"{name}.asset" for name in (
        "ReplicatedEntityRegistry", "PresentationRegistry", "CharacterTypeRegistry", "ItemRegistry",
        "SpatialEffectRegistry")]
    both += [plain + f"{name}.yaml" for name in ("heroes", "projectiles", "levels")]
    for name, is_server, more in (("Client", 0, [plain + "hitscan_effects.yaml"]),
                                  ("Server", 1, [])):
        project.asset(f"Assets/BundledResources/{name}.asset", "AssetRegistryRoot",
                      {"serverBuild": is_server,
                       "assetRegistries": [strong(path) for path in both + more]})


def all_files():
    arena = Arena()
    describe_art(arena.project)
    describe_parts(arena.project)
    describe_replicated(arena)
    describe_factories(arena)
    describe_characters(arena)
    describe_items(arena.project)
    heroes = describe_heroes(arena.project)
    projectiles = describe_projectiles(arena.project)
    effects, hitscan = describe_effects(arena.project)
    describe_presentations(arena)
    levels = describe_levels(arena)
    describe_registries(arena, heroes, projectiles, effects, hitscan, levels)
    return arena.project.with_metas()


def files_on_disk():
    """Returns the files on disk. Skips hidden files, because `muster prepare` writes type ids into
    hidden files."""
    return {path.relative_to(ROOT).as_posix(): path
            for folder in FOLDERS for path in (ROOT / folder).rglob("*")
            if path.is_file() and not path.name.startswith(".")}


def differences(files):
    """Returns the paths whose bytes on disk differ from the output of this script."""
    on_disk = files_on_disk()
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
            print(f"{path} differs from the output of make_content.py")
        return 1 if wrong else 0
    for path, file in files_on_disk().items():
        if path not in files:
            file.unlink()
    for path, content in files.items():
        file = ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
