// Which tokens were used: each opens one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "net/secure/connect_token.h"

namespace muster {

/// Remembers tokens until they expire. Bounded: when it is full, no token is taken (rather than one
/// twice). Only a backend makes tokens, so an attacker cannot fill it.
class UsedTokens {
 public:
  explicit UsedTokens(std::size_t most) : most_(most) {}

  /// True when another attempt than this one has used it. An attempt is known by its ephemeral key:
  /// its answer may have to be sent twice.
  bool is_used_by_another(const TokenId& id, const PublicKey& attempt) const {
    const auto user = user_of_.find(id);
    return user != user_of_.end() && user->second != attempt;
  }
  bool is_full() const { return user_of_.size() >= most_; }
  /// Requires: not used by another, not full.
  void add(const TokenId& id, const PublicKey& attempt, UnixSeconds expires) {
    if (user_of_.emplace(id, attempt).second) by_expiry_.emplace(expires, id);
  }
  /// Forgets what could not be used again anyway.
  void forget_expired(UnixSeconds now) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
      user_of_.erase(by_expiry_.begin()->second);
      by_expiry_.erase(by_expiry_.begin());
    }
  }

 private:
  std::size_t most_;
  std::map<TokenId, PublicKey> user_of_;
  std::set<std::pair<UnixSeconds, TokenId>> by_expiry_;
};

}  // namespace muster
