// Looks up names of machines without blocking the caller.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "net/transport/address.h"
#include "registry/base/result.h"

namespace muster {

/// Uses the system's resolver. Each name has a thread of its own, because that resolver blocks. The
/// destructor does not wait for running look-ups; their threads end later.
class NameResolver {
 public:
  NameResolver();
  ~NameResolver();

  /// As `Network::resolve`. A result is returned once; the next call looks the name up again.
  std::optional<Result<Address>> resolve(std::string_view name);

 private:
  struct Lookups;
  std::shared_ptr<Lookups> lookups_;
};

}  // namespace muster
