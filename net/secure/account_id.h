// The numbers of accounts.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The number of an account, from a connect token or from the game (`Admission::account_of`). A
/// newer connection of an account replaces the older connection. The number 0 means that the
/// account is unknown.
class AccountId {
 public:
  constexpr AccountId() = default;
  explicit constexpr AccountId(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }
  constexpr bool is_known() const { return value_ != 0; }
  friend constexpr auto operator<=>(const AccountId&, const AccountId&) = default;

 private:
  std::uint64_t value_ = 0;
};

}  // namespace muster
