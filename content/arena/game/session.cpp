#include "content/arena/game/session.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "content/arena/game/components.h"
#include "runtime/spawn/prefab_link.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

/// Drawn once, for this game.
constexpr std::uint64_t kApplication = 0x61'72'65'6E'61'00'00'01;

}  // namespace

std::vector<ComponentDescription> session_components() {
  std::vector<ComponentDescription> components = arena_components();
  components.push_back(description_of<PrefabLink>());
  return components;
}

ConnectionOptions connection_options() {
  ConnectionOptions options;
  options.channels = {ChannelOptions{}, ChannelOptions{}};
  options.interrupted_after = std::chrono::seconds(3);
  options.closed_after = std::chrono::seconds(6);
  return options;
}

Agreement agreement_of(const CatalogReader& catalog) {
  Agreement agreement{.application = kApplication, .content = 0, .descriptions = 0};
  const ContentHash hash = catalog.agreement();
  std::memcpy(&agreement.content, hash.bytes.data(), sizeof agreement.content);
  // Descriptions are a part of what the catalogs agree in; where somebody admits other content,
  // replication converts what it can.
  return agreement;
}

std::array<std::byte, 16> match_info(const Agreement& agreement) {
  std::array<std::byte, 16> info{};
  for (unsigned i = 0; i < 8; ++i) {
    info[i] = static_cast<std::byte>(agreement.application >> (8 * i) & 0xFFU);
    info[8 + i] = static_cast<std::byte>(agreement.content >> (8 * i) & 0xFFU);
  }
  return info;
}

std::array<std::byte, 32> map_info(const Agreement& agreement, const ContentHash& placed) {
  std::array<std::byte, 32> info{};
  std::ranges::copy(match_info(agreement), info.begin());
  std::ranges::copy(std::as_bytes(std::span(placed.bytes)), info.begin() + 16);
  return info;
}

std::span<const std::byte> placed_in(std::span<const std::byte> map_info) {
  return map_info.size() == 32 ? map_info.subspan(16) : std::span<const std::byte>();
}

std::optional<Guid> find_level(const CatalogReader& catalog) {
  const std::optional<std::uint32_t> levels = find_registry(catalog, kLevelRegistry);
  if (!levels || catalog.registry(*levels).entry_count == 0) return std::nullopt;
  return catalog.entry(catalog.registry(*levels).first_entry).guid;
}

std::optional<std::uint32_t> find_registry(const CatalogReader& catalog,
                                           std::string_view class_name) {
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    if (catalog.registry(i).class_name == class_name) return i;
  }
  return std::nullopt;
}

std::string key_text(const PublicKey& key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : key) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

std::optional<PublicKey> parse_key(std::string_view text) {
  PublicKey key;
  if (text.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    unsigned value = 0;
    const char* const begin = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
    key[i] = static_cast<std::byte>(value);
  }
  return key_text(key) == text ? std::optional(key) : std::nullopt;
}

}  // namespace arena
