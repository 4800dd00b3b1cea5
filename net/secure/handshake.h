// Writes and checks the five datagrams of a handshake, for both ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/secure/account_id.h"
#include "net/secure/challenge.h"
#include "net/secure/connect_token.h"
#include "net/secure/keys.h"
#include "net/secure/packet_seal.h"

namespace muster {

inline constexpr std::uint8_t kProtocolVersion = 2;
inline constexpr std::size_t kRequestBytes = 1200;
inline constexpr std::size_t kChallengeBytes = 64;
inline constexpr std::size_t kAcceptBytesMax = 76;
inline constexpr std::size_t kRefuseBytesMax = 156;

/// The first byte of a handshake datagram. In a packet, bit 7 of the first byte is set.
enum class DatagramKind : std::uint8_t {
  request = 1,
  challenge = 2,
  response = 3,
  accept = 4,
  refuse = 5,
};
inline constexpr std::uint8_t kPacketBit = 0x80;
inline constexpr std::uint8_t kPhaseBit = 0x40;

/// How a client authenticates its server. The value is sent in a request.
enum class TrustMode : std::uint8_t {
  pinned = 0,       ///< By the server's public key, which the client knows.
  token = 1,        ///< By a connect token, which also names the account to the server.
  unprotected = 2,  ///< No authentication and no encryption. Only for development.
};

/// Why a server refuses a client. The value is sent in a refusal.
enum class RefuseReason : std::uint8_t {
  wrong_version = 1,
  wrong_application = 2,
  wrong_mode = 3,  ///< The server does not accept the client's `TrustMode`.
  token_invalid = 4,
  token_used = 5,
  full = 6,
  busy = 7,
  content_differs = 8,
  descriptions_differ = 9,
  not_admitted = 10,  ///< The game refused the client.
};

/// A refusal, as the client reports it.
struct Refusal {
  RefuseReason reason = RefuseReason::full;
  std::uint8_t server_version = 0;
  std::string text;
};

/// The values that both ends must share.
struct Agreement {
  std::uint64_t application = 0;   ///< An id that is chosen once per game.
  std::uint64_t content = 0;       ///< The fingerprint of the catalogs.
  std::uint64_t descriptions = 0;  ///< The hash of the component descriptions.
};

/// The result of a handshake: the keys, ids and limits of the connection.
struct ConnectionKeys {
  Cipher cipher = Cipher::none;
  SecretKey to_server{};
  SecretKey to_client{};
  std::uint32_t server_receives = 0;  ///< The connection id in packets to the server.
  std::uint32_t client_receives = 0;
  AccountId account{};  ///< The client's account, from its token or from the server.
  std::uint16_t datagram_bytes_max = 0;
  std::uint16_t timeout_tenths = 0;  ///< The timeout of the connection, in units of 100 ms.
};

/// The client's side of one attempt to connect.
class ClientHandshake {
 public:
  struct Options {
    TrustMode mode = TrustMode::pinned;
    Agreement agreement;
    PublicKey server_key{};              ///< The server's public key, in mode `pinned`.
    std::optional<ClientToken> token{};  ///< The token, in mode `token`.
    /// Data for the game's server, at most `kUserDataBytesMax` bytes. Do not send passwords: in
    /// mode `pinned`, an attacker who later steals the server's key can decrypt recorded user data.
    std::vector<std::byte> user_data{};
  };

  ClientHandshake(const Options& options, Entropy& entropy);

  /// Writes the request. Each call writes the same bytes.
  void write_request(std::span<std::byte, kRequestBytes> into) const;
  /// Reads a challenge. Returns false if the challenge is for another attempt, or contains an
  /// unexpected server key.
  [[nodiscard]] bool read_challenge(std::span<const std::byte> datagram);
  /// Writes the response to the last challenge. Requires: `read_challenge` returned true.
  void write_response(std::span<std::byte, kRequestBytes> into);
  /// Returns the keys if the datagram is the expected server's answer to the last response.
  std::optional<ConnectionKeys> read_accept(std::span<const std::byte> datagram) const;
  /// Wipes all secrets: the ephemeral key, the key chain and the token's secret. Call this function
  /// when `read_accept` has returned the keys or the attempt has ended. Call no other function
  /// after it.
  void forget_secrets();
  /// Reads a refusal. Returns nothing if the sender of the refusal cannot have received the
  /// request.
  std::optional<Refusal> read_refuse(std::span<const std::byte> datagram) const;

 private:
  Options options_;
  KeyPair ephemeral_;
  std::uint32_t connection_id_ = 0;
  Challenge challenge_;
  PublicKey server_key_{};
  SecretKey chain_;  ///< The key c4 of net/WIRE_FORMAT.md, after `write_response`.
};

/// An unverified request, as a server reads it.
struct RequestView {
  TrustMode mode = TrustMode::pinned;
  std::uint8_t version = 0;
  std::uint64_t application = 0;
  std::uint32_t client_receives = 0;
  PublicKey ephemeral{};
  ClientClaim claim;  ///< A view of bytes 2 to 47.
};
/// Reads the header of a request or response. For another version only `version`, `mode` and
/// `client_receives` are valid. Returns nothing if the length or the kind is wrong.
std::optional<RequestView> read_request_head(std::span<const std::byte> datagram);
/// Returns true when all unused bytes of a request are zero.
bool has_zero_padding(std::span<const std::byte> request);

std::array<std::byte, kChallengeBytes> write_challenge(const RequestView& request,
                                                       const Challenge& challenge,
                                                       const PublicKey& server_key);
/// Returns the number of bytes written to `into`. The text is cut at 128 bytes of printable ASCII.
std::size_t write_refuse(const RequestView& request, RefuseReason reason, std::string_view text,
                         std::span<std::byte, kRefuseBytesMax> into);

/// The parts of a response.
struct ResponseView {
  RequestView head;
  Challenge challenge{};
  std::span<const std::byte> token{};
  /// All bytes before `hello`, which are the additional data of its encryption.
  std::span<const std::byte> before_hello{};
  std::span<const std::byte> hello{};
  std::span<const std::byte> datagram;
};
std::optional<ResponseView> read_response(std::span<const std::byte> datagram);

/// The encrypted part of a client's response.
struct Hello {
  std::uint64_t content = 0;
  std::uint64_t descriptions = 0;
  bool wants_aes = false;
  std::vector<std::byte> user_data{};
};

/// The server's side of one attempt, after the cookie was checked.
class ServerHandshake {
 public:
  /// `token_secret` is the secret of the opened token, or 32 zero bytes without a token.
  ServerHandshake(const KeyPair& server, const SecretKey& token_secret);

  /// Opens the hello. Returns nothing if the hello is forged or was made for another server.
  std::optional<Hello> open_hello(const ResponseView& response);
  /// Writes the accept. Computes the secret keys in `keys`, whose ids, cipher and limits are
  /// already set. Returns the number of bytes written. Requires: `open_hello` returned a hello.
  std::size_t write_accept(const ResponseView& response, Entropy& entropy, ConnectionKeys& keys,
                           std::span<std::byte, kAcceptBytesMax> into);

 private:
  const KeyPair& server_;
  SecretKey token_secret_;
  SecretKey chain_;
};

}  // namespace muster
