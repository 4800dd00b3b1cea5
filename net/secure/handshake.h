// The five datagrams before a connection: what each side writes, and what it believes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The first byte of a datagram. Packets have bit 7.
enum class DatagramKind : std::uint8_t {
  request = 1,
  challenge = 2,
  response = 3,
  accept = 4,
  refuse = 5,
};
inline constexpr std::uint8_t kPacketBit = 0x80;
inline constexpr std::uint8_t kPhaseBit = 0x40;

/// How a client knows its server; travels.
enum class TrustMode : std::uint8_t {
  pinned = 0,       ///< By a key that it has.
  token = 1,        ///< By a connect token, which also says who the client is.
  unprotected = 2,  ///< Not at all, and nothing is encrypted: development only.
};

/// Why a server refuses; travels.
enum class RefuseReason : std::uint8_t {
  wrong_version = 1,
  wrong_application = 2,
  wrong_mode = 3,  ///< The server wants a token, or none, or protection.
  token_invalid = 4,
  token_used = 5,
  full = 6,
  busy = 7,
  content_differs = 8,
  descriptions_differ = 9,
  not_admitted = 10,  ///< By the game.
};

/// What a client is told with a refusal.
struct Refusal {
  RefuseReason reason = RefuseReason::full;
  std::uint8_t server_version = 0;
  std::string text;
};

/// What both ends have to agree in.
struct Agreement {
  std::uint64_t application = 0;   ///< Chosen once per game.
  std::uint64_t content = 0;       ///< Fingerprint of the catalogs.
  std::uint64_t descriptions = 0;  ///< Hash of the component descriptions.
};

/// What a handshake leaves behind: all that packets need.
struct ConnectionKeys {
  Cipher cipher = Cipher::none;
  SecretKey to_server{};
  SecretKey to_client{};
  std::uint32_t server_receives = 0;  ///< The connection id in packets to the server.
  std::uint32_t client_receives = 0;
  std::uint64_t client = 0;  ///< Who the client is: of its token, else what the server chose.
  std::uint16_t datagram_bytes_max = 0;
  std::uint16_t timeout_tenths = 0;  ///< In units of 100 ms.
};

/// The client's side. Holds its ephemeral key and the last challenge; one attempt each.
class ClientHandshake {
 public:
  struct Options {
    TrustMode mode = TrustMode::pinned;
    Agreement agreement;
    PublicKey server_key{};              ///< Of mode pinned.
    std::optional<ClientToken> token{};  ///< Of mode token.
    /// At most `kUserDataBytesMax`. In mode pinned whoever steals the server's key later opens what
    /// was recorded of it: no passwords.
    std::vector<std::byte> user_data{};
  };

  ClientHandshake(const Options& options, Entropy& entropy);

  /// Writes the request. The same bytes each time.
  void write_request(std::span<std::byte, kRequestBytes> into) const;
  /// Takes a challenge; false when it is not for us, or shows another server than was expected.
  [[nodiscard]] bool take_challenge(std::span<const std::byte> datagram);
  /// Writes the response to the last challenge. Requires: one was taken.
  void write_response(std::span<std::byte, kRequestBytes> into);
  /// The keys, when this is the answer of the server that we meant to the last response written.
  std::optional<ConnectionKeys> take_accept(std::span<const std::byte> datagram) const;
  /// Wipes every secret: the ephemeral key, the chain of keys, the token's secret. Call it when the
  /// keys exist or the attempt has ended. Nothing else may be called afterwards.
  void forget_secrets();
  /// A refusal whose sender has seen our request.
  std::optional<Refusal> take_refuse(std::span<const std::byte> datagram) const;

 private:
  Options options_;
  KeyPair ephemeral_;
  std::uint32_t connection_id_ = 0;
  Challenge challenge_;
  PublicKey server_key_{};
  SecretKey chain_;  ///< c4 of net/WIRE_FORMAT.md, once a response is written.
};

/// What a server reads of a request without believing any of it.
struct RequestView {
  TrustMode mode = TrustMode::pinned;
  std::uint8_t version = 0;
  std::uint64_t application = 0;
  std::uint32_t client_receives = 0;
  PublicKey ephemeral{};
  ClientClaim claim;  ///< Bytes 2 to 47, a view.
};
/// Reads the head of a request or response. Of another version only `version`, `mode` and
/// `client_receives` mean something. Nothing when the length or the kind is another.
std::optional<RequestView> read_request_head(std::span<const std::byte> datagram);
/// True when all that a request leaves empty is zero.
bool has_zero_padding(std::span<const std::byte> request);

std::array<std::byte, kChallengeBytes> write_challenge(const RequestView& request,
                                                       const Challenge& challenge,
                                                       const PublicKey& server_key);
/// Returns how many bytes of `into` were written. The text is cut at 128 bytes of plain ASCII.
std::size_t write_refuse(const RequestView& request, RefuseReason reason, std::string_view text,
                         std::span<std::byte, kRefuseBytesMax> into);

/// The parts of a response.
struct ResponseView {
  RequestView head;
  Challenge challenge{};
  std::span<const std::byte> token{};
  std::span<const std::byte> before_hello{};  ///< All bytes before `hello`: its additional data.
  std::span<const std::byte> hello{};
  std::span<const std::byte> datagram;
};
std::optional<ResponseView> read_response(std::span<const std::byte> datagram);

/// What a client says in private.
struct Hello {
  std::uint64_t content = 0;
  std::uint64_t descriptions = 0;
  bool wants_aes = false;
  std::vector<std::byte> user_data{};
};

/// The server's side, after the cookie was checked: does the expensive part, once.
class ServerHandshake {
 public:
  /// `token_secret`: of the opened token, or 32 zero bytes.
  ServerHandshake(const KeyPair& server, const SecretKey& token_secret);

  /// Opens the hello; nothing when the client does not mean this server, or is forged.
  std::optional<Hello> open_hello(const ResponseView& response);
  /// Writes the accept, and completes the keys from what `keys` already says (ids, cipher, limits).
  /// Requires: `open_hello` gave something. Returns the bytes written.
  std::size_t write_accept(const ResponseView& response, Entropy& entropy, ConnectionKeys& keys,
                           std::span<std::byte, kAcceptBytesMax> into);

 private:
  const KeyPair& server_;
  SecretKey token_secret_;
  SecretKey chain_;
};

}  // namespace muster
