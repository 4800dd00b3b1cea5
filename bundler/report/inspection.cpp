#include "bundler/report/inspection.h"

#include <algorithm>

#include <fmt/format.h>

#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {
namespace {

bool has_magic(Bytes bytes, const layout::Magic& magic) {
  return bytes.size() >= magic.size() &&
         std::ranges::equal(bytes.first(magic.size()), std::as_bytes(std::span(magic)));
}

std::uint64_t stored_bytes(const BundleReader& bundle, const BundleEntry& entry) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    bytes += bundle.block(entry, i).stored_bytes;
  }
  return bytes;
}

std::string bundle_text(const BundleReader& bundle) {
  std::string text =
      fmt::format("bundle  {}  {} bytes, {} plain, {} entries\n", bundle.bundle_hash().to_string(),
                  bundle.file_bytes(), bundle.plain_bytes(), bundle.entry_count());
  text += fmt::format("{:<32}  {:>6}  {:<15}  {:>10}  {:>10}  {:>6}\n", "guid", "local", "kind",
                      "plain", "stored", "blocks");
  for (std::uint32_t i = 0; i < bundle.entry_count(); ++i) {
    const BundleEntry entry = bundle.entry(i);
    text += fmt::format("{:<32}  {:>6}  {:<15}  {:>10}  {:>10}  {:>6}\n", entry.guid.to_string(),
                        entry.local_id, to_string(entry.kind), entry.plain_bytes,
                        stored_bytes(bundle, entry), entry.block_count);
  }
  return text;
}

Json bundle_json(const BundleReader& bundle) {
  Json json;
  json["kind"] = "bundle";
  json["hash"] = bundle.bundle_hash().to_string();
  json["bytes"] = bundle.file_bytes();
  json["plain_bytes"] = bundle.plain_bytes();
  json["block_plain_bytes"] = bundle.block_plain_bytes();
  json["entries"] = Json::array();
  for (std::uint32_t i = 0; i < bundle.entry_count(); ++i) {
    const BundleEntry entry = bundle.entry(i);
    json["entries"].push_back({{"guid", entry.guid.to_string()},
                               {"local_id", entry.local_id},
                               {"kind", to_string(entry.kind)},
                               {"plain_bytes", entry.plain_bytes},
                               {"stored_bytes", stored_bytes(bundle, entry)},
                               {"blocks", entry.block_count},
                               {"hash", entry.plain_hash.to_string()}});
  }
  return json;
}

std::string_view target_name(Target target) {
  return target == Target::client ? "client" : "server";
}

std::string bundle_name(const CatalogReader& catalog, std::uint32_t index) {
  return index == layout::kNone ? std::string() : catalog.bundle(index).name.path();
}

Json registries_json(const CatalogReader& catalog) {
  Json list = Json::array();
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{i});
    Json entries = Json::array();
    for (std::uint32_t j = 0; j < registry.entry_count; ++j) {
      const CatalogEntry entry = catalog.entry(registry.first_entry + j);
      Json json{{"type_id", entry.type_id.value()},
                {"guid", entry.guid.to_string()},
                {"role", entry.role},
                {"bundle", bundle_name(catalog, entry.bundle)}};
      if (!entry.owner.is_null()) json["owner"] = entry.owner.to_string();
      if (entry.is_factory) json["is_factory"] = true;
      entries.push_back(std::move(json));
    }
    list.push_back({{"class", registry.class_name},
                    {"guid", registry.guid.to_string()},
                    {"path", registry.path},
                    {"entries", std::move(entries)}});
  }
  return list;
}

// The axes of a catalog, and the bundles that replace other bundles for each choice.
Json variants_json(const CatalogReader& catalog) {
  Json json{{"values", Json::array()}, {"alternatives", Json::array()}};
  for (std::uint32_t i = 0; i < catalog.variant_value_count(); ++i) {
    const CatalogVariantValue value = catalog.variant_value(i);
    Json row{{"axis", value.axis}, {"value", value.value}};
    if (value.is_default) row["is_default"] = true;
    if (value.is_built_in) row["is_built_in"] = true;
    json["values"].push_back(std::move(row));
  }
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative alternative = catalog.alternative(i);
    json["alternatives"].push_back({{"bundle", bundle_name(catalog, alternative.bundle)},
                                    {"alternative", bundle_name(catalog, alternative.alternative)},
                                    {"for", keys_text(catalog, alternative)}});
  }
  return json;
}

Json catalog_json(const CatalogReader& catalog) {
  Json json;
  json["kind"] = "catalog";
  json["target"] = target_name(catalog.target());
  json["fingerprint"] = catalog.fingerprint().to_string();
  json["agreement"] = catalog.agreement().to_string();
  json["bundles"] = Json::array();
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    const CatalogBundle bundle = catalog.bundle(i);
    Json needed = Json::array();
    for (std::uint32_t j = 0; j < bundle.dependency_count; ++j) {
      needed.push_back(bundle_name(catalog, catalog.dependency(bundle, j)));
    }
    json["bundles"].push_back({{"file", bundle.name.path()},
                               {"hash", bundle.hash.to_string()},
                               {"bytes", bundle.file_bytes},
                               {"dependencies", std::move(needed)}});
  }
  if (catalog.variant_value_count() > 0) json["variants"] = variants_json(catalog);
  json["registries"] = registries_json(catalog);
  json["assets"] = Json::array();
  for (std::uint32_t i = 0; i < catalog.asset_count(); ++i) {
    const CatalogAsset asset = catalog.asset(i);
    json["assets"].push_back({{"guid", asset.guid.to_string()},
                              {"path", asset.path},
                              {"bundle", bundle_name(catalog, asset.bundle)}});
  }
  json["effects"] = Json::array();
  for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
    const CatalogEffect effect = catalog.effect(i);
    json["effects"].push_back({{"kind", effect.kind == EffectKind::spatial ? "spatial" : "hitscan"},
                               {"type_id", effect.type_id.value()},
                               {"prefab", effect.prefab.to_string()},
                               {"pool_size", effect.pool_size}});
  }
  json["presentations"] = Json::array();
  for (std::uint32_t i = 0; i < catalog.presentation_count(); ++i) {
    const CatalogPresentation row = catalog.presentation(i);
    json["presentations"].push_back({{"owner", row.key.owner.to_string()},
                                     {"platforms", row.key.platforms},
                                     {"type", presentation_number(row.key.type)},
                                     {"variation", row.key.variation},
                                     {"presentation", row.presentation.to_string()}});
  }
  json["components"] = Json::array();
  for (std::uint32_t i = 0; i < catalog.component_count(); ++i) {
    const CatalogComponent component = catalog.component(i);
    json["components"].push_back({{"name", component.name},
                                  {"hash", component.hash.to_string()},
                                  {"bytes", component.size_bytes}});
  }
  return json;
}

std::string catalog_text(const CatalogReader& catalog) {
  std::string text = fmt::format(
      "catalog  {}  fingerprint {}\n{} bundles, {} assets, {} registries, {} effects, {} "
      "presentations, {} components\n",
      target_name(catalog.target()), catalog.fingerprint().to_string(), catalog.bundle_count(),
      catalog.asset_count(), catalog.registry_count(), catalog.effect_count(),
      catalog.presentation_count(), catalog.component_count());
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative alternative = catalog.alternative(i);
    text += fmt::format("  {}  replaces {} for {}\n",
                        catalog.bundle(alternative.alternative).name.path(),
                        catalog.bundle(alternative.bundle).name.path(),
                        escaped_text(keys_text(catalog, alternative)));
  }
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{i});
    text += fmt::format("{}  {}\n", escaped_text(registry.class_name), escaped_text(registry.path));
    for (std::uint32_t j = 0; j < registry.entry_count; ++j) {
      const CatalogEntry entry = catalog.entry(registry.first_entry + j);
      const std::string_view path =
          entry.asset == layout::kNone ? std::string_view("-") : catalog.asset(entry.asset).path;
      text += fmt::format("  {:>5}  {}  {}\n", entry.type_id.value(), entry.guid.to_string(),
                          escaped_text(path));
    }
  }
  return text;
}

}  // namespace

Result<std::string> inspect_file(Bytes bytes, InspectionFormat format) {
  const bool text = format == InspectionFormat::text;
  if (has_magic(bytes, layout::bundle::kMagic)) {
    const auto bundle = BundleReader::open(bytes);
    if (!bundle) return fail(bundle.error());
    return text ? bundle_text(bundle.value()) : json_text(bundle_json(bundle.value()));
  }
  if (has_magic(bytes, layout::catalog::kMagic)) {
    const auto catalog = CatalogReader::open(bytes);
    if (!catalog) return fail(catalog.error());
    return text ? catalog_text(catalog.value()) : json_text(catalog_json(catalog.value()));
  }
  return fail(
      bytes.size() < layout::bundle::kMagic.size() ? ErrorCode::truncated : ErrorCode::malformed,
      "this is neither a bundle nor a catalog (no magic number)");
}

}  // namespace muster
