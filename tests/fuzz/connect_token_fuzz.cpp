// The input is a token that a client uses, and that a server receives from a client.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tests/support/handshake_run.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const HandshakeRun run(TrustMode::token, 6);
  static const NetBytes genuine = read_client_token(run.token)->presented;
  const NetBytes bytes = copy_of(std::as_bytes(std::span(data, size)));
  const auto open = [](const NetBytes& presented) {
    return open_token(presented, HandshakeRun::kApplication, HandshakeRun::kDate, run.backend_key);
  };
  if (const std::optional<ClientToken> token = read_client_token(bytes)) {
    require(token->servers.size() >= 1);
    require(token->servers.size() <= kTokenAddressesMax);
    require(token->presented.size() <= kTokenBytesMax);
    if (open(token->presented).has_value()) require(token->presented == genuine);
  }
  if (open(bytes).has_value()) require(bytes == genuine);
  return 0;
}
