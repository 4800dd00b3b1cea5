// Which connect tokens were used: each opens one connection.
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

/// Remembers used tokens until they cannot be used again. Bounded: when it is full, no token is
/// accepted, rather than one twice. Only a backend makes tokens, so an attacker cannot fill it.
///
/// The date may be wrong and may be set back. So a token is only forgotten when its date is over
/// and its whole lifetime has passed since it was used: then it is over, whatever the date was. No
/// token that expires at or before the latest date of a forgotten one is accepted again, whatever
/// the date says later.
///
/// A server that starts again knows no used token: each opens one more connection until it expires.
/// `save` and `restore` keep the list over a restart.
class UsedTokens {
 public:
  /// A token, and the attempt that used it: its ephemeral key.
  struct Use {
    TokenId id{};
    PublicKey attempt{};
    UnixSeconds issued = 0;
    UnixSeconds expires = 0;
  };

  explicit UsedTokens(std::size_t most) : most_(most) {}

  /// True when another attempt than this one has used it, or may have. An attempt is known by its
  /// ephemeral key: its answer may have to be sent twice.
  bool is_used_by_another(const TokenId& id, const PublicKey& attempt, UnixSeconds expires) const;
  bool is_full() const { return tokens_.size() >= most_; }
  /// Requires: not used by another, not full.
  void add(const Use& use, Time now);
  /// Forgets tokens that cannot be used again.
  void forget_expired(UnixSeconds date, Time now);
  std::size_t size() const { return tokens_.size(); }

  /// The list as bytes, 24 and 64 for each token (net/WIRE_FORMAT.md, "Used tokens").
  std::vector<std::byte> save() const;
  /// Adds a list that `save` returned, of this server or of another one that accepts the same
  /// tokens. False, with no change, when the bytes are no such list or when it has more tokens than
  /// fit.
  [[nodiscard]] bool restore(std::span<const std::byte> list, Time now);

 private:
  struct Token {
    Use use;
    Time over_at{};  ///< By the server's own clock.
  };

  std::size_t most_;
  std::map<TokenId, Token> tokens_;
  std::set<std::pair<Time, TokenId>> by_time_;
  UnixSeconds forgotten_until_ = 0;
};

}  // namespace muster
