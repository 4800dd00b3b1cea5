// The list of used connect tokens: each token opens one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "net/secure/connect_token.h"
#include "registry/base/clock.h"

namespace muster {

/// Remembers used tokens until they cannot be used again. When the table is full, no token is
/// accepted. An attacker cannot fill it, because only a backend makes tokens.
///
/// The date may be wrong and may be set back. So a token is removed only when its expiry date has
/// passed and its whole lifetime has passed since its use. It is then expired even if the date was
/// wrong. After that, an unknown token is refused if it expires no later than the latest expiry of
/// a removed one, even if the date is set back.
///
/// A restarted server knows no used tokens: each opens one more connection until it expires.
/// `save` and `restore` keep the list over a restart.
class UsedTokens {
 public:
  /// A token, and the ephemeral key of the attempt that used it.
  struct Use {
    TokenId id{};
    PublicKey attempt{};
    UnixSeconds issued = 0;
    UnixSeconds expires = 0;
  };

  explicit UsedTokens(std::size_t uses_max) : uses_max_(uses_max) {}

  /// True when another attempt has used the token, or may have used it. The ephemeral key
  /// identifies an attempt, which may need its answer twice.
  bool is_used_by_another(const TokenId& id, const PublicKey& attempt, UnixSeconds expires) const;
  bool is_full() const { return tokens_.size() >= uses_max_; }
  /// Requires: not used by another, not full.
  void add(const Use& use, Time now);
  /// Removes tokens that cannot be used again.
  void forget_expired(UnixSeconds date, Time now);
  std::size_t size() const { return tokens_.size(); }

  /// Returns the list as bytes: 24, and 64 for each token (net/WIRE_FORMAT.md, "Used tokens").
  std::vector<std::byte> save() const;
  /// Adds a list that `save` returned on this server or on another one that accepts the same
  /// tokens. Returns false and changes nothing if the bytes are not a valid list or do not fit.
  [[nodiscard]] bool restore(std::span<const std::byte> list, Time now);

 private:
  struct Token {
    Use use;
    Time over_at{};  ///< By the server's own clock.
  };

  std::size_t uses_max_;
  std::map<TokenId, Token> tokens_;
  std::set<std::pair<Time, TokenId>> by_time_;
  UnixSeconds forgotten_until_ = 0;
};

}  // namespace muster
