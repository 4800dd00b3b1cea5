// Checks the registries of a catalog, their entries and their slots.
#include <algorithm>

#include "runtime/bundle/catalog_check.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::catalog;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

bool is_before(const CatalogEntry& a, const CatalogEntry& b) {
  if (a.type_id != b.type_id) return a.type_id < b.type_id;
  if (a.guid != b.guid) return a.guid < b.guid;
  return a.role < b.role;
}

bool is_before(const CatalogRegistry& a, const CatalogRegistry& b) {
  return a.class_name != b.class_name ? a.class_name < b.class_name : a.guid < b.guid;
}

}  // namespace

Result<void> CatalogCheck::check_registries() {
  for (std::uint32_t i = 0; i < reader_.registry_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::registries, i);
    Result<void> text = check_text(at + registry_record::kClassNameAt, "registry class_name");
    if (!text) return text;
    text = check_text(at + registry_record::kPathAt, "registry path");
    if (!text) return text;
    if (Result<void> zero = check_zero(at + registry_record::kReservedAt, 8); !zero) return zero;
    const CatalogRegistry now = reader_.registry(RegistryIndex{i});
    if (i > 0 && !is_before(reader_.registry(RegistryIndex{i - 1}), now))
      return unsorted(Section::registries, i);
    if (now.first_entry != entry_end_) {
      return wrong("first_entry", at + registry_record::kFirstEntryAt, std::to_string(entry_end_),
                   now.first_entry);
    }
    if (now.first_slot != slot_end_) {
      return wrong("first_slot", at + registry_record::kFirstSlotAt, std::to_string(slot_end_),
                   now.first_slot);
    }
    entry_end_ += now.entry_count;
    slot_end_ += now.slot_count;
    if (entry_end_ > reader_.entry_count() || slot_end_ > reader_.count(Section::slots)) {
      return wrong("entry_count or slot_count", at + registry_record::kEntryCountAt,
                   "ranges within their sections", now.entry_count);
    }
  }
  if (entry_end_ != reader_.entry_count() || slot_end_ != reader_.count(Section::slots)) {
    return wrong(
        "entries and slots", reader_.range(Section::entries).offset_bytes,
        std::to_string(entry_end_) + " entries and " + std::to_string(slot_end_) + " slots",
        reader_.entry_count());
  }
  // Entries are checked after all registries, because in the text section the roles of entries
  // follow the class names and paths of all registries.
  for (std::uint32_t i = 0; i < reader_.registry_count(); ++i) {
    if (Result<void> sane = check_registry_entries(RegistryIndex{i}); !sane) return sane;
    if (Result<void> sane = check_slots(RegistryIndex{i}); !sane) return sane;
  }
  return {};
}

Result<void> CatalogCheck::check_registry_entries(RegistryIndex index) {
  const CatalogRegistry registry = reader_.registry(index);
  const std::uint32_t end = registry.first_entry + registry.entry_count;
  for (std::uint32_t i = registry.first_entry; i < end; ++i) {
    if (Result<void> sane = check_entry(i); !sane) return sane;
    const CatalogEntry now = reader_.entry(i);
    if (i > registry.first_entry && !is_before(reader_.entry(i - 1), now)) {
      return unsorted(Section::entries, i);
    }
  }
  return {};
}

Result<void> CatalogCheck::check_entry(std::uint32_t index) {
  const std::size_t at = reader_.record_at(Section::entries, index);
  if (Result<void> text = check_text(at + entry_record::kRoleAt, "entry role"); !text) return text;
  if (Result<void> zero = check_zero(at + entry_record::kReservedAt, 2); !zero) return zero;
  const CatalogEntry now = reader_.entry(index);
  if (now.type_id.value() > TypeId::kMax) {
    return wrong("entry type_id", at + entry_record::kTypeIdAt, "at most 65534",
                 now.type_id.value());
  }
  const auto targets = load<std::uint8_t>(reader_.bytes_, at + entry_record::kTargetsAt);
  if (targets < 1 || targets > 3) {
    return wrong("entry targets", at + entry_record::kTargetsAt, "1 to 3", targets);
  }
  const auto flags = load<std::uint8_t>(reader_.bytes_, at + entry_record::kFlagsAt);
  if ((flags & ~entry_record::kIsFactory) != 0) {
    return wrong("entry flags", at + entry_record::kFlagsAt, "0 or 1", flags);
  }
  if (now.asset == layout::kNone) {
    if (reader_.find_asset(now.guid)) {
      return wrong("entry asset", at + entry_record::kAssetAt,
                   "the index of " + now.guid.to_string(), now.asset);
    }
  } else if (now.asset >= reader_.asset_count() || reader_.asset(now.asset).guid != now.guid) {
    return wrong("entry asset", at + entry_record::kAssetAt,
                 "the index of " + now.guid.to_string() + ", or none", now.asset);
  }
  return check_bundle_index(at + entry_record::kBundleAt, now.guid);
}

Result<void> CatalogCheck::check_slots(RegistryIndex index) {
  const CatalogRegistry registry = reader_.registry(index);
  const std::uint32_t end = registry.first_entry + registry.entry_count;
  const std::uint32_t slots_needed =
      registry.entry_count == 0 ? 0 : reader_.entry(end - 1).type_id.value() + 1;
  if (registry.slot_count != slots_needed) {
    return wrong("slot_count",
                 reader_.record_at(Section::registries, catalog_index(index)) +
                     registry_record::kSlotCountAt,
                 std::to_string(slots_needed), registry.slot_count);
  }
  std::uint32_t next = registry.first_entry;
  for (std::uint32_t t = 0; t < registry.slot_count; ++t) {
    const bool is_assigned = next < end && reader_.entry(next).type_id.value() == t;
    const std::uint32_t expected = is_assigned ? next : layout::kNone;
    const std::size_t at = reader_.record_at(Section::slots, registry.first_slot + t);
    const auto found = load<std::uint32_t>(reader_.bytes_, at);
    if (found != expected) return wrong("slot", at, std::to_string(expected), found);
    while (next < end && reader_.entry(next).type_id.value() == t) ++next;
  }
  return {};
}

}  // namespace muster
