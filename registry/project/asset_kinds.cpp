#include "registry/project/asset_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "registry/base/asset_path.h"

namespace muster {
namespace {

constexpr std::array<AssetKind, 15> kAssetKinds = {{
    {"prefab", " prefab ", " Prefab ", AssetKind::Presents::nothing},
    {"texture",
     " png jpg jpeg tga psd tif tiff exr hdr dds bmp gif ktx cubemap rendertexture webtexture"
     " spriteatlas spriteatlasv2 ",
     " Texture Texture2D Texture2DArray Texture3D Cubemap CubemapArray RenderTexture"
     " CustomRenderTexture SparseTexture Sprite SpriteAtlas ",
     AssetKind::Presents::always},
    {"mesh", " fbx obj blend mesh gltf glb dae 3ds max ", " Mesh ", AssetKind::Presents::maybe},
    {"audio", " wav mp3 ogg aif aiff flac mixer ",
     " AudioClip AudioMixerController AudioMixerGroupController ", AssetKind::Presents::always},
    {"video", " mp4 m4v mov webm avi mpg mpeg ogv wmv ", " VideoClip MovieTexture ",
     AssetKind::Presents::always},
    {"animation", " anim controller overridecontroller playable mask ",
     " AnimationClip AnimatorController AnimatorOverrideController AvatarMask ",
     AssetKind::Presents::maybe},
    {"material", " mat terrainlayer ", " Material TerrainLayer ", AssetKind::Presents::always},
    {"physics", " physicmaterial physicsmaterial physicsmaterial2d ",
     " PhysicMaterial PhysicsMaterial PhysicsMaterial2D ", AssetKind::Presents::nothing},
    {"shader",
     " shader shadergraph shadersubgraph shadervariants hlsl cginc compute raytrace vfx vfxblock"
     " vfxoperator ",
     " Shader ComputeShader ShaderVariantCollection VisualEffectAsset ",
     AssetKind::Presents::always},
    {"lighting", " lighting giparams flare ",
     " LightingDataAsset LightingSettings LightProbes LightmapParameters Flare ",
     AssetKind::Presents::always},
    {"interface", " uxml uss tss guiskin ", " GUISkin ", AssetKind::Presents::always},
    {"level", " unity scene ", " ", AssetKind::Presents::nothing},
    {"font", " ttf otf fontsettings ", " Font ", AssetKind::Presents::always},
    {"script", " cs js dll asmdef ", " ", AssetKind::Presents::nothing},
    {"data", " asset yaml yml json xml txt bytes csv mdl ", " ", AssetKind::Presents::nothing},
}};

bool has_word(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

}  // namespace

std::span<const AssetKind> asset_kinds() { return kAssetKinds; }

const AssetKind* find_asset_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kAssetKinds, name, &AssetKind::name);
  return found == kAssetKinds.end() ? nullptr : found;
}

std::string_view kind_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return "other";
  const std::string extension = lower_ascii(path.substr(dot + 1));
  for (const AssetKind& kind : kAssetKinds) {
    if (has_word(kind.extensions, extension)) return kind.name;
  }
  return "other";
}

std::string_view kind_of_class(std::string_view class_name) {
  for (const AssetKind& kind : kAssetKinds) {
    if (has_word(kind.classes, class_name)) return kind.name;
  }
  return {};
}

}  // namespace muster
