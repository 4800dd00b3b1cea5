// Looks up host names without blocking the caller.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "net/transport/address.h"
#include "registry/base/result.h"

namespace muster {

/// Looks up host names with the system's resolver. Each look-up runs in a separate thread, because
/// the system's resolver blocks. The destructor does not wait for running look-ups; their threads
/// end later.
class NameResolver {
 public:
  NameResolver();
  ~NameResolver();

  /// Implements `Network::resolve`. A result is returned once. A call after that looks the name up
  /// again.
  std::optional<Result<Address>> resolve(std::string_view name);

 private:
  struct Lookups;
  std::shared_ptr<Lookups> lookups_;
};

}  // namespace muster
