// Implements net/WIRE_FORMAT.md, "Used tokens".
#include "net/secure/used_tokens.h"

#include <algorithm>
#include <array>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {

namespace {

constexpr std::array<char, 4> kListMagic = {'M', 'U', 'T', 'K'};
constexpr std::uint32_t kListVersion = 2;
constexpr std::size_t kListHeadBytes = 4 + 4 + 8 + 8;
constexpr std::size_t kListEntryBytes = 16 + 32 + 8 + 8;

/// Returns the time, on the server's own clock, at which a token has certainly expired. Limits the
/// lifetime, so that the sum does not overflow.
Time over_at(UnixSeconds from, UnixSeconds expires, Time now) {
  const UnixSeconds left = expires > from ? expires - from : 0;
  return now + std::chrono::seconds(std::min(left, kTokenLifetimeMax));
}

}  // namespace

bool UsedTokens::is_used_by_another(const TokenId& id, const PublicKey& attempt,
                                    UnixSeconds expires) const {
  const auto token = tokens_.find(id);
  if (token != tokens_.end()) return token->second.use.attempt != attempt;
  return expires <= forgotten_until_;
}

void UsedTokens::add(const Use& use, Time now) {
  const Token token{.use = use, .over_at = over_at(use.issued, use.expires, now)};
  // The set is changed before the map. If the map's allocation then fails, the extra entry of the
  // set has no effect.
  by_time_.emplace(token.over_at, use.id);
  const auto [at, is_new] = tokens_.try_emplace(use.id, token);
  if (!is_new && at->second.over_at != token.over_at) by_time_.erase({token.over_at, use.id});
}

void UsedTokens::forget_expired(UnixSeconds date, Time now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    auto entry = by_time_.extract(by_time_.begin());
    const auto token = tokens_.find(entry.value().second);
    if (token == tokens_.end()) continue;
    const UnixSeconds expires = token->second.use.expires;
    if (expires > date) {
      // The token is still valid, so the date was set back.
      token->second.over_at = over_at(date, expires, now);
      entry.value().first = token->second.over_at;
      by_time_.insert(std::move(entry));
      continue;
    }
    forgotten_until_ = std::max(forgotten_until_, expires);
    tokens_.erase(token);
  }
}

std::vector<std::byte> UsedTokens::save() const {
  std::vector<std::byte> list(kListHeadBytes + tokens_.size() * kListEntryBytes);
  SectionWriter writer(list);
  writer.write_bytes(std::as_bytes(std::span(kListMagic)));
  writer.write_u32(kListVersion);
  writer.write_u64(forgotten_until_);
  writer.write_u64(tokens_.size());
  for (const auto& [id, token] : tokens_) {
    writer.write_bytes(id);
    writer.write_bytes(token.use.attempt);
    writer.write_u64(token.use.issued);
    writer.write_u64(token.use.expires);
  }
  return list;
}

bool UsedTokens::restore(std::span<const std::byte> list, Time now) {
  ByteReader reader(list);
  const std::span<const std::byte> magic = reader.bytes(kListMagic.size());
  const bool is_ours = std::ranges::equal(magic, std::as_bytes(std::span(kListMagic)));
  const std::uint32_t version = reader.u32();
  const UnixSeconds forgotten_until = reader.u64();
  const std::uint64_t count = reader.u64();
  const bool is_sound = !reader.failed() && is_ours && version == kListVersion &&
                        reader.remaining() % kListEntryBytes == 0 &&
                        reader.remaining() / kListEntryBytes == count;
  if (!is_sound || tokens_.size() > uses_max_ || count > uses_max_ - tokens_.size()) return false;
  // Checks all ids before any change. The ids must ascend, so that each list has one encoding.
  TokenId last{};
  ByteReader ahead = reader;
  for (std::uint64_t i = 0; i < count; ++i) {
    TokenId id{};
    ahead.read_into(id);
    static_cast<void>(ahead.bytes(kListEntryBytes - id.size()));
    if (i > 0 && !(last < id)) return false;
    last = id;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    Use use;
    reader.read_into(use.id);
    reader.read_into(use.attempt);
    use.issued = reader.u64();
    use.expires = reader.u64();
    add(use, now);
  }
  forgotten_until_ = std::max(forgotten_until_, forgotten_until);
  return true;
}

}  // namespace muster
