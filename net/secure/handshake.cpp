// Implements net/WIRE_FORMAT.md, "Handshake". The order of secrets follows Noise's NK pattern with
// a pre-shared key (Perrin, "The Noise Protocol Framework", 2018): the client's ephemeral key is
// combined first with the server's key, then with the server's ephemeral key.
#include "net/secure/handshake.h"

#include <algorithm>
#include <cassert>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {

namespace {

/// The size of the part that requests and responses share.
constexpr std::size_t kRequestHeadBytes = 48;
constexpr std::size_t kClaimBegin = 2;
constexpr std::size_t kRefuseTextMax = 128;
constexpr std::size_t kProofBytes = 16;
constexpr std::size_t kAcceptHeadBytes = 40;
constexpr std::size_t kAcceptInnerBytes = 20;

void write_head(SectionWriter& writer, DatagramKind kind, TrustMode mode, std::uint8_t last = 0) {
  writer.write_u8(static_cast<std::uint8_t>(kind));
  writer.write_u8(kProtocolVersion);
  writer.write_u8(static_cast<std::uint8_t>(mode));
  writer.write_u8(last);
}

/// Computes the keys c0 to c3 of net/WIRE_FORMAT.md, which cover everything before the hello.
std::optional<SecretKey> chain_to_hello(const PublicKey& server, const SecretKey& mine,
                                        const PublicKey& theirs, const SecretKey& token_secret) {
  constexpr std::string_view kLabel = "muster handshake 1";
  const std::optional<SecretKey> shared = agree(mine, theirs);
  if (!shared.has_value()) return std::nullopt;
  const SecretKey c1 = mix(hash(std::as_bytes(std::span(kLabel))), server);
  const SecretKey c2 = mix(c1, shared->bytes());
  return mix(c2, token_secret.bytes());
}

SealKey hello_key(const SecretKey& c3) {
  return SealKey(Cipher::chacha20_poly1305, mix(c3, "hello"));
}
SealKey accept_key(const SecretKey& c5) {
  return SealKey(Cipher::chacha20_poly1305, mix(c5, "accept"));
}

std::array<std::byte, kProofBytes> proof_of(const PublicKey& ephemeral) {
  std::array<std::byte, kProofBytes> proof{};
  const SecretKey hashed = hash(ephemeral);
  std::ranges::copy(hashed.bytes().first<kProofBytes>(), proof.begin());
  return proof;
}

bool is_printable(std::byte byte) {
  return std::to_integer<unsigned>(byte) >= 0x20 && std::to_integer<unsigned>(byte) <= 0x7E;
}

}  // namespace

ClientHandshake::ClientHandshake(const Options& options, Entropy& entropy)
    : options_(options), ephemeral_(KeyPair::random(entropy)) {
  assert(options.user_data.size() <= kUserDataBytesMax);
  assert((options.mode == TrustMode::token) == options.token.has_value());
  std::array<std::byte, 4> id{};
  entropy.fill(id);
  // The id 0 means no connection.
  connection_id_ = std::max(ByteReader(id).u32(), std::uint32_t{1});
}

void ClientHandshake::write_request(std::span<std::byte, kRequestBytes> into) const {
  SectionWriter writer(into);
  write_head(writer, DatagramKind::request, options_.mode);
  writer.write_u64(options_.agreement.application);
  writer.write_u32(connection_id_);
  writer.write_bytes(ephemeral_.shared);
  writer.write_zeros(writer.free());
}

bool ClientHandshake::read_challenge(std::span<const std::byte> datagram) {
  if (datagram.size() != kChallengeBytes) return false;
  ByteReader reader(datagram);
  const bool is_challenge = reader.u8() == static_cast<std::uint8_t>(DatagramKind::challenge) &&
                            reader.u8() == kProtocolVersion &&
                            reader.u8() == static_cast<std::uint8_t>(options_.mode) &&
                            reader.u8() == 0;
  if (!is_challenge || reader.u32() != connection_id_) return false;
  Challenge challenge{.time_ms = reader.u64()};
  reader.read_into(challenge.mac);
  PublicKey server_key{};
  reader.read_into(server_key);
  const bool is_expected =
      options_.mode == TrustMode::unprotected ||
      server_key == (options_.token.has_value() ? options_.token->server_key : options_.server_key);
  if (!is_expected) return false;
  challenge_ = challenge;
  server_key_ = server_key;
  return true;
}

void ClientHandshake::write_response(std::span<std::byte, kRequestBytes> into) {
  SectionWriter writer(into);
  write_head(writer, DatagramKind::response, options_.mode);
  writer.write_u64(options_.agreement.application);
  writer.write_u32(connection_id_);
  writer.write_bytes(ephemeral_.shared);
  writer.write_u64(challenge_.time_ms);
  writer.write_bytes(challenge_.mac);
  const std::span<const std::byte> token =
      options_.token.has_value() ? std::span<const std::byte>(options_.token->presented)
                                 : std::span<const std::byte>();
  writer.write_u16(static_cast<std::uint32_t>(token.size()));
  writer.write_bytes(token);
  const bool is_sealed = options_.mode != TrustMode::unprotected;
  const std::size_t hello_bytes = 8 + 8 + 1 + 2 + options_.user_data.size();
  writer.write_u16(static_cast<std::uint32_t>(hello_bytes + (is_sealed ? kTagBytes : 0)));
  const std::size_t before = writer.used();
  writer.write_u64(options_.agreement.content);
  writer.write_u64(options_.agreement.descriptions);
  writer.write_u8(is_sealed && has_fast_aes() ? 1 : 0);
  writer.write_u16(static_cast<std::uint32_t>(options_.user_data.size()));
  writer.write_bytes(options_.user_data);
  if (is_sealed) {
    writer.write_zeros(kTagBytes);
    const SecretKey token_secret =
        options_.token.has_value() ? options_.token->secret : SecretKey();
    const std::optional<SecretKey> c3 =
        chain_to_hello(server_key_, ephemeral_.secret, server_key_, token_secret);
    // If the configured server key is weak, the key is all zero, and no server can open the
    // response.
    chain_ = c3.value_or(SecretKey());
    hello_key(chain_).seal(0, into.first(before), into.subspan(before), hello_bytes);
  }
  writer.write_zeros(writer.free());
  assert(!writer.overflowed());
  if (is_sealed) chain_ = mix(chain_, hash(into).bytes());
}

std::optional<ConnectionKeys> ClientHandshake::read_accept(
    std::span<const std::byte> datagram) const {
  const bool is_sealed = options_.mode != TrustMode::unprotected;
  const std::size_t size = kAcceptHeadBytes + kAcceptInnerBytes + (is_sealed ? kTagBytes : 0);
  if (datagram.size() != size) return std::nullopt;
  ByteReader reader(datagram);
  const bool is_accept = reader.u8() == static_cast<std::uint8_t>(DatagramKind::accept) &&
                         reader.u8() == kProtocolVersion &&
                         reader.u8() == static_cast<std::uint8_t>(options_.mode) &&
                         reader.u8() == 0;
  if (!is_accept || reader.u32() != connection_id_) return std::nullopt;
  PublicKey server_ephemeral{};
  reader.read_into(server_ephemeral);
  std::array<std::byte, kAcceptInnerBytes + kTagBytes> inner{};
  std::ranges::copy(datagram.subspan(kAcceptHeadBytes), inner.begin());
  ConnectionKeys keys{.client_receives = connection_id_};
  if (is_sealed) {
    const std::optional<SecretKey> shared = agree(ephemeral_.secret, server_ephemeral);
    if (!shared.has_value()) return std::nullopt;
    const SecretKey c5 = mix(chain_, shared->bytes());
    if (!accept_key(c5).open(0, datagram.first(kAcceptHeadBytes), inner)) return std::nullopt;
    keys.to_server = mix(c5, "client packets");
    keys.to_client = mix(c5, "server packets");
  }
  ByteReader content{std::span<const std::byte>(inner).first(kAcceptInnerBytes)};
  keys.server_receives = content.u32();
  keys.account = AccountId(content.u64());
  const std::uint8_t cipher = content.u8();
  keys.datagram_bytes_max = content.u16();
  keys.timeout_tenths = content.u16();
  const bool is_known = cipher <= 1 || cipher == static_cast<std::uint8_t>(Cipher::none);
  keys.cipher = static_cast<Cipher>(cipher);
  if (!is_known || (keys.cipher == Cipher::none) == is_sealed) return std::nullopt;
  if (keys.cipher == Cipher::aes256_gcm && !has_fast_aes()) return std::nullopt;
  const bool is_usable = keys.server_receives != 0 && keys.datagram_bytes_max >= 1200;
  if (!content.consume_zeros() || !is_usable) return std::nullopt;
  return keys;
}

void ClientHandshake::forget_secrets() {
  ephemeral_.secret = SecretKey();
  chain_ = SecretKey();
  if (options_.token.has_value()) options_.token->secret = SecretKey();
}

std::optional<Refusal> ClientHandshake::read_refuse(std::span<const std::byte> datagram) const {
  ByteReader reader(datagram);
  const bool is_refuse = reader.u8() == static_cast<std::uint8_t>(DatagramKind::refuse);
  const std::uint8_t version = reader.u8();  // A server with another version may refuse.
  const bool is_our_mode = reader.u8() == static_cast<std::uint8_t>(options_.mode);
  const std::uint8_t reason = reader.u8();
  const bool is_for_us = reader.u32() == connection_id_;
  std::array<std::byte, kProofBytes> proof{};
  reader.read_into(proof);
  Refusal refusal{
      .reason = static_cast<RefuseReason>(reason), .server_version = reader.u8(), .text = {}};
  const std::size_t text_bytes = reader.u8();
  const bool has_zeros = reader.u16() == 0;
  const std::span<const std::byte> text = reader.bytes(text_bytes);
  const bool is_sound = reader.is_finished() && is_refuse && is_our_mode && is_for_us &&
                        has_zeros && version == refusal.server_version &&
                        text_bytes <= kRefuseTextMax && proof == proof_of(ephemeral_.shared) &&
                        std::ranges::all_of(text, is_printable) && reason >= 1 && reason <= 10;
  if (!is_sound) return std::nullopt;
  for (const std::byte byte : text) refusal.text.push_back(std::to_integer<char>(byte));
  return refusal;
}

std::optional<RequestView> read_request_head(std::span<const std::byte> datagram) {
  if (datagram.size() != kRequestBytes) return std::nullopt;
  ByteReader reader(datagram);
  const std::uint8_t kind = reader.u8();
  if (kind != static_cast<std::uint8_t>(DatagramKind::request) &&
      kind != static_cast<std::uint8_t>(DatagramKind::response)) {
    return std::nullopt;
  }
  RequestView view{.version = reader.u8(),
                   .claim = datagram.subspan(kClaimBegin, kRequestHeadBytes - kClaimBegin)};
  const std::uint8_t mode = reader.u8();
  const std::uint8_t zero = reader.u8();
  view.mode = static_cast<TrustMode>(mode);
  view.application = reader.u64();
  view.client_receives = reader.u32();
  reader.read_into(view.ephemeral);
  const bool is_sound = mode <= 2 && zero == 0 && view.client_receives != 0;
  if (view.version == kProtocolVersion && !is_sound) return std::nullopt;
  return view;
}

bool has_zero_padding(std::span<const std::byte> request) {
  return ByteReader(request.subspan(kRequestHeadBytes)).consume_zeros();
}

std::array<std::byte, kChallengeBytes> write_challenge(const RequestView& request,
                                                       const Challenge& challenge,
                                                       const PublicKey& server_key) {
  std::array<std::byte, kChallengeBytes> datagram{};
  SectionWriter writer(datagram);
  write_head(writer, DatagramKind::challenge, request.mode);
  writer.write_u32(request.client_receives);
  writer.write_u64(challenge.time_ms);
  writer.write_bytes(challenge.mac);
  writer.write_bytes(server_key);
  assert(writer.used() == kChallengeBytes);
  return datagram;
}

std::size_t write_refuse(const RequestView& request, RefuseReason reason, std::string_view text,
                         std::span<std::byte, kRefuseBytesMax> into) {
  text = text.substr(0, kRefuseTextMax);
  SectionWriter writer(into);
  write_head(writer, DatagramKind::refuse, request.mode, static_cast<std::uint8_t>(reason));
  writer.write_u32(request.client_receives);
  writer.write_bytes(proof_of(request.ephemeral));
  writer.write_u8(kProtocolVersion);
  writer.write_u8(static_cast<std::uint32_t>(text.size()));
  writer.write_u16(0);
  for (const char character : text) {
    const auto byte = static_cast<std::byte>(character);
    writer.write_u8(is_printable(byte) ? static_cast<std::uint32_t>(character) : '?');
  }
  return writer.used();
}

std::optional<ResponseView> read_response(std::span<const std::byte> datagram) {
  const std::optional<RequestView> head = read_request_head(datagram);
  if (!head.has_value() || head->version != kProtocolVersion) return std::nullopt;
  ResponseView view{.head = *head, .datagram = datagram};
  ByteReader reader(datagram);
  static_cast<void>(reader.bytes(kRequestHeadBytes));
  view.challenge.time_ms = reader.u64();
  reader.read_into(view.challenge.mac);
  view.token = reader.bytes(reader.u16());
  const std::size_t hello_bytes = reader.u16();
  view.before_hello = datagram.first(reader.position());
  view.hello = reader.bytes(hello_bytes);
  const bool has_token = !view.token.empty();
  if (!reader.consume_zeros() || has_token != (head->mode == TrustMode::token) ||
      view.token.size() > kTokenBytesMax) {
    return std::nullopt;
  }
  return view;
}

ServerHandshake::ServerHandshake(const KeyPair& server, const SecretKey& token_secret)
    : server_(server), token_secret_(token_secret) {}

std::optional<Hello> ServerHandshake::open_hello(const ResponseView& response) {
  const bool is_sealed = response.head.mode != TrustMode::unprotected;
  std::array<std::byte, kRequestBytes> memory{};
  std::ranges::copy(response.hello, memory.begin());
  std::span<const std::byte> content = std::span(memory).first(response.hello.size());
  if (is_sealed) {
    if (response.hello.size() < kTagBytes) return std::nullopt;
    const std::optional<SecretKey> c3 =
        chain_to_hello(server_.shared, server_.secret, response.head.ephemeral, token_secret_);
    if (!c3.has_value()) return std::nullopt;
    const std::span<std::byte> sealed = std::span(memory).first(response.hello.size());
    if (!hello_key(*c3).open(0, response.before_hello, sealed)) return std::nullopt;
    content = content.first(content.size() - kTagBytes);
    chain_ = mix(*c3, hash(response.datagram).bytes());
  }
  ByteReader reader(content);
  Hello hello{.content = reader.u64(), .descriptions = reader.u64()};
  const std::uint8_t wishes = reader.u8();
  hello.wants_aes = (wishes & 1U) != 0;
  const std::size_t user_bytes = reader.u16();
  const std::span<const std::byte> user_data = reader.bytes(user_bytes);
  hello.user_data.assign(user_data.begin(), user_data.end());
  if (!reader.is_finished() || wishes > 1 || user_bytes > kUserDataBytesMax) return std::nullopt;
  return hello;
}

std::size_t ServerHandshake::write_accept(const ResponseView& response, Entropy& entropy,
                                          ConnectionKeys& keys,
                                          std::span<std::byte, kAcceptBytesMax> into) {
  const bool is_sealed = response.head.mode != TrustMode::unprotected;
  const KeyPair ephemeral = KeyPair::random(entropy);
  keys.client_receives = response.head.client_receives;
  SectionWriter writer(into);
  write_head(writer, DatagramKind::accept, response.head.mode);
  writer.write_u32(keys.client_receives);
  writer.write_bytes(ephemeral.shared);
  writer.write_u32(keys.server_receives);
  writer.write_u64(keys.account.value());
  writer.write_u8(static_cast<std::uint8_t>(keys.cipher));
  writer.write_u16(keys.datagram_bytes_max);
  writer.write_u16(keys.timeout_tenths);
  writer.write_zeros(3);
  if (!is_sealed) return writer.used();
  // `open_hello` has already rejected weak client keys.
  const SecretKey shared = agree(ephemeral.secret, response.head.ephemeral).value_or(SecretKey());
  const SecretKey c5 = mix(chain_, shared.bytes());
  accept_key(c5).seal(0, into.first<kAcceptHeadBytes>(), into.subspan<kAcceptHeadBytes>(),
                      kAcceptInnerBytes);
  keys.to_server = mix(c5, "client packets");
  keys.to_client = mix(c5, "server packets");
  return kAcceptHeadBytes + kAcceptInnerBytes + kTagBytes;
}

}  // namespace muster
