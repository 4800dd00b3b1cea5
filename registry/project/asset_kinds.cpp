#include "registry/project/asset_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "registry/vocabulary/asset_path.h"

namespace muster {
namespace {

using enum AssetKind::Presents;

constexpr std::array<AssetKind, 15> kKinds = {{
    {"prefab", " prefab ", " Prefab ", nothing},
    {"texture",
     " png jpg jpeg tga psd tif tiff exr hdr dds bmp gif ktx cubemap rendertexture webtexture"
     " spriteatlas spriteatlasv2 ",
     " Texture Texture2D Texture2DArray Texture3D Cubemap CubemapArray RenderTexture"
     " CustomRenderTexture SparseTexture Sprite SpriteAtlas ",
     always},
    {"mesh", " fbx obj blend mesh gltf glb dae 3ds max ", " Mesh ", maybe},
    {"audio", " wav mp3 ogg aif aiff flac mixer ",
     " AudioClip AudioMixerController AudioMixerGroupController ", always},
    {"video", " mp4 m4v mov webm avi mpg mpeg ogv wmv ", " VideoClip MovieTexture ", always},
    {"animation", " anim controller overridecontroller playable mask ",
     " AnimationClip AnimatorController AnimatorOverrideController AvatarMask ", maybe},
    {"material", " mat terrainlayer ", " Material TerrainLayer ", always},
    {"physics", " physicmaterial physicsmaterial physicsmaterial2d ",
     " PhysicMaterial PhysicsMaterial PhysicsMaterial2D ", nothing},
    {"shader",
     " shader shadergraph shadersubgraph shadervariants hlsl cginc compute raytrace vfx vfxblock"
     " vfxoperator ",
     " Shader ComputeShader ShaderVariantCollection VisualEffectAsset ", always},
    {"lighting", " lighting giparams flare ",
     " LightingDataAsset LightingSettings LightProbes LightmapParameters Flare ", always},
    {"interface", " uxml uss tss guiskin ", " GUISkin ", always},
    {"level", " unity scene ", " ", nothing},
    {"font", " ttf otf fontsettings ", " Font ", always},
    {"script", " cs js dll asmdef ", " ", nothing},
    {"data", " asset yaml yml json xml txt bytes csv mdl ", " ", nothing},
}};

bool is_listed(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

}  // namespace

std::span<const AssetKind> asset_kinds() { return kKinds; }

const AssetKind* find_asset_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &AssetKind::name);
  return found == kKinds.end() ? nullptr : found;
}

std::string_view kind_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return "other";
  const std::string extension = lower_ascii(path.substr(dot + 1));
  for (const AssetKind& kind : kKinds) {
    if (is_listed(kind.extensions, extension)) return kind.name;
  }
  return "other";
}

std::string_view kind_of_class(std::string_view class_name) {
  for (const AssetKind& kind : kKinds) {
    if (is_listed(kind.classes, class_name)) return kind.name;
  }
  return {};
}

}  // namespace muster
