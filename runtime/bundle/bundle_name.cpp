#include "runtime/bundle/bundle_name.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

constexpr std::array<std::array<char, 2>, 256> make_hex_digits() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> digits{};
  for (std::size_t byte = 0; byte < digits.size(); ++byte) {
    digits[byte] = {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return digits;
}

constexpr auto kHexDigits = make_hex_digits();

}  // namespace

BundleName BundleName::of_prefab(const Guid& guid) {
  BundleName name{.kind = BundleKind::prefab};
  std::ranges::copy(guid.uuid().data, name.bytes.begin());
  return name;
}

BundleName BundleName::of_shared(const ContentHash& content) {
  return {.kind = BundleKind::shared, .bytes = content.bytes};
}

std::string BundleName::to_string() const { return ContentHash{bytes}.to_string(); }

std::string BundleName::path() const { return std::string(BundlePath(*this).view()); }

BundlePath::BundlePath(const BundleName& name) {
  constexpr std::string_view kExtension = ".mbundle";
  const std::string_view folder = name.kind == BundleKind::prefab ? "bundles/" : "shared/";
  size_ = folder.size() + 2 * name.bytes.size() + kExtension.size();
  assert(size_ <= text_.size());
  auto* at = std::ranges::copy(folder, text_.begin()).out;
  for (const std::uint8_t byte : name.bytes) at = std::ranges::copy(kHexDigits[byte], at).out;
  std::ranges::copy(kExtension, at);
}

}  // namespace muster
