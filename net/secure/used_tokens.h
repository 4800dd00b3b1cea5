// The list of used connect tokens, so that each token opens only one connection.
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

/// Stores used tokens until they have expired. When the list is full, no token is accepted. An
/// attacker cannot fill the list, because only a backend makes tokens.
///
/// The server's date may be wrong, and may be set back. So a token is removed only when two
/// conditions are true: its expiry date has passed, and its whole lifetime has passed since its
/// use. The token has then expired even if the date is wrong. An unknown token is refused if a
/// token with the same or a later expiry date was removed. So a removed token cannot be used again
/// after the date is set back.
///
/// After a restart the list is empty, so each token can open one more connection until it expires.
/// To prevent this, use `save` and `restore`.
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

  /// True when another attempt has used the token, or may have used it. The same attempt may use
  /// the token again, because the server's answer may have been lost. An attempt is identified by
  /// its ephemeral key.
  bool is_used_by_another(const TokenId& id, const PublicKey& attempt, UnixSeconds expires) const;
  bool is_full() const { return tokens_.size() >= uses_max_; }
  /// Adds a used token. Requires: the list is not full, and no other attempt has used the token.
  void add(const Use& use, Time now);
  /// Removes tokens that cannot be used again.
  void forget_expired(UnixSeconds date, Time now);
  std::size_t size() const { return tokens_.size(); }

  /// Returns the list as 24 bytes plus 64 bytes per token (net/WIRE_FORMAT.md, "Used tokens").
  std::vector<std::byte> save() const;
  /// Adds a list that `save` returned, on this server or on another server that accepts the same
  /// tokens. Returns false and changes nothing if the bytes are not a valid list or do not fit.
  [[nodiscard]] bool restore(std::span<const std::byte> list, Time now);

 private:
  struct Token {
    Use use;
    /// The time on the server's own clock at which the token has certainly expired.
    Time over_at{};
  };

  std::size_t uses_max_;
  std::map<TokenId, Token> tokens_;
  std::set<std::pair<Time, TokenId>> by_time_;
  UnixSeconds forgotten_until_ = 0;
};

}  // namespace muster
