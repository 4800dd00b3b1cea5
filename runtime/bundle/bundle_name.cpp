#include "runtime/bundle/bundle_name.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "registry/base/hex.h"

namespace muster {
namespace {

constexpr std::array<std::array<char, 2>, 256> make_byte_digits() {
  std::array<std::array<char, 2>, 256> digits{};
  for (std::size_t byte = 0; byte < digits.size(); ++byte) {
    digits[byte] = {kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
  }
  return digits;
}

constexpr auto kByteDigits = make_byte_digits();

}  // namespace

BundleName BundleName::of_prefab(const Guid& guid) {
  BundleName name{.kind = BundleKind::prefab};
  std::ranges::copy(guid.uuid().data, name.bytes.begin());
  return name;
}

BundleName BundleName::of_shared(const ContentHash& content) {
  return {.kind = BundleKind::shared, .bytes = content.bytes};
}

BundleName BundleName::of_variant(const Guid& asset, std::string_view keys) {
  ContentHasher hasher;
  hasher.update(asset.bytes());
  hasher.update(std::as_bytes(std::span(keys)));
  return {.kind = BundleKind::variant, .bytes = hasher.finish().bytes};
}

std::string BundleName::to_string() const { return ContentHash{bytes}.to_string(); }

std::string BundleName::path() const { return std::string(BundlePath(*this).view()); }

BundlePath::BundlePath(const BundleName& name) {
  constexpr std::string_view kExtension = ".mbundle";
  const std::string_view folder = kBundleFolders[static_cast<std::size_t>(name.kind)];
  size_ = folder.size() + 1 + 2 * name.bytes.size() + kExtension.size();
  assert(size_ <= text_.size());
  auto* at = std::ranges::copy(folder, text_.begin()).out;
  *at++ = '/';
  for (const std::uint8_t byte : name.bytes) {
    std::memcpy(at, kByteDigits[byte].data(), 2);
    at += 2;
  }
  std::ranges::copy(kExtension, at);
}

}  // namespace muster
