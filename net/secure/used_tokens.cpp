// The layout of a saved list is that of net/WIRE_FORMAT.md, "Used tokens".
#include "net/secure/used_tokens.h"

#include <algorithm>
#include <array>

#include "net/wire/byte_io.h"

namespace muster {

namespace {

constexpr std::array<char, 4> kListMagic = {'M', 'U', 'T', 'K'};
constexpr std::uint32_t kListVersion = 1;
constexpr std::size_t kListHeadBytes = 4 + 4 + 8 + 8;
constexpr std::size_t kListEntryBytes = 16 + 32 + 8;

/// When a token is over by a server's own clock, if the date is right. The lifetime is bounded, so
/// that no date makes the sum overflow.
NetTime over_at(UnixSeconds expires, UnixSeconds date, NetTime now) {
  const UnixSeconds left = expires > date ? expires - date : 0;
  return now + std::chrono::seconds(std::min(left, kTokenLifetimeMax));
}

}  // namespace

bool UsedTokens::is_used_by_another(const TokenId& id, const PublicKey& attempt,
                                    UnixSeconds expires) const {
  const auto token = tokens_.find(id);
  if (token != tokens_.end()) return token->second.attempt != attempt;
  return expires <= forgotten_until_;
}

void UsedTokens::add(const TokenId& id, const PublicKey& attempt, UnixSeconds expires,
                     UnixSeconds date, NetTime now) {
  const Token token{.attempt = attempt, .expires = expires, .over_at = over_at(expires, date, now)};
  // First the set: if the map has no memory, an entry of the set alone does no harm.
  by_time_.emplace(token.over_at, id);
  const auto [at, is_new] = tokens_.try_emplace(id, token);
  if (!is_new && at->second.over_at != token.over_at) by_time_.erase({token.over_at, id});
}

void UsedTokens::forget_expired(UnixSeconds date, NetTime now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    auto entry = by_time_.extract(by_time_.begin());
    const auto token = tokens_.find(entry.value().second);
    if (token == tokens_.end()) continue;
    if (token->second.expires > date) {
      // Its time has passed, and the date says that it is still valid: the date was ahead before.
      token->second.over_at = over_at(token->second.expires, date, now);
      entry.value().first = token->second.over_at;
      by_time_.insert(std::move(entry));
      continue;
    }
    forgotten_until_ = std::max(forgotten_until_, token->second.expires);
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
    writer.write_bytes(token.attempt);
    writer.write_u64(token.expires);
  }
  return list;
}

bool UsedTokens::restore(std::span<const std::byte> list, UnixSeconds date, NetTime now) {
  SectionReader reader(list);
  const std::span<const std::byte> magic = reader.read_bytes(kListMagic.size());
  const bool is_ours = std::ranges::equal(magic, std::as_bytes(std::span(kListMagic)));
  const std::uint32_t version = reader.read_u32();
  const UnixSeconds forgotten_until = reader.read_u64();
  const std::uint64_t count = reader.read_u64();
  const bool is_sound = !reader.failed() && is_ours && version == kListVersion &&
                        reader.remaining() % kListEntryBytes == 0 &&
                        reader.remaining() / kListEntryBytes == count;
  if (!is_sound || tokens_.size() > most_ || count > most_ - tokens_.size()) return false;
  // One spelling: ids ascend. Looked at before anything changes.
  TokenId last{};
  SectionReader look = reader;
  for (std::uint64_t i = 0; i < count; ++i) {
    TokenId id{};
    look.read_into(id);
    static_cast<void>(look.read_bytes(kListEntryBytes - id.size()));
    if (i > 0 && !(last < id)) return false;
    last = id;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    TokenId id{};
    PublicKey attempt{};
    reader.read_into(id);
    reader.read_into(attempt);
    add(id, attempt, reader.read_u64(), date, now);
  }
  forgotten_until_ = std::max(forgotten_until_, forgotten_until);
  return true;
}

}  // namespace muster
