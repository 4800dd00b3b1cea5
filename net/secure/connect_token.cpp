// Implements net/WIRE_FORMAT.md, "Connect tokens".
#include "net/secure/connect_token.h"

#include <algorithm>

#include <sodium.h>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {

namespace {

constexpr std::array<char, 4> kTokenMagic = {'M', 'T', 'O', 'K'};
constexpr std::uint32_t kTokenVersion = 1;
constexpr std::size_t kHeadBytes = 56;  ///< The part that is authenticated and sent in a response.
constexpr std::size_t kNonceBytes = 24;
static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == kNonceBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == kTagBytes);

constexpr std::size_t kTokenBufferBytes = 2048;

void write_addresses(SectionWriter& writer, const std::vector<Address>& addresses) {
  writer.write_u8(static_cast<std::uint32_t>(addresses.size()));
  for (const Address& address : addresses) {
    writer.write_bytes(std::as_bytes(std::span(address.ip())));
    writer.write_u16(address.port());
  }
}

std::vector<Address> read_addresses(ByteReader& reader) {
  const std::size_t count = reader.u8();
  std::vector<Address> addresses;
  if (count < 1 || count > kTokenAddressesMax) {
    reader.fail();
    return addresses;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::uint8_t, 16> ip{};
    for (std::uint8_t& byte : ip) byte = reader.u8();
    addresses.emplace_back(ip, reader.u16());
  }
  return addresses;
}

/// Reads a secret without an intermediate copy.
SecretKey read_secret(ByteReader& reader) {
  const std::span<const std::byte> bytes = reader.bytes(SecretKey::kBytes);
  return bytes.empty() ? SecretKey() : SecretKey(bytes.first<SecretKey::kBytes>());
}

struct TokenHead {
  std::uint64_t application = 0;
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  std::array<std::byte, kNonceBytes> nonce{};
};

std::optional<TokenHead> read_head(ByteReader& reader) {
  TokenHead head;
  const std::span<const std::byte> magic = reader.bytes(kTokenMagic.size());
  const bool is_ours = std::ranges::equal(magic, std::as_bytes(std::span(kTokenMagic)));
  const std::uint32_t version = reader.u32();
  head.application = reader.u64();
  head.issued = reader.u64();
  head.expires = reader.u64();
  reader.read_into(head.nonce);
  if (reader.failed() || !is_ours || version != kTokenVersion) return std::nullopt;
  return head;
}

bool keeps_limits(const TokenClaims& claims) {
  return !claims.servers.empty() && claims.servers.size() <= kTokenAddressesMax &&
         claims.user_data.size() <= kUserDataBytesMax && claims.expires > claims.issued &&
         claims.expires - claims.issued <= kTokenLifetimeMax;
}

}  // namespace

std::optional<std::vector<std::byte>> issue_token(const TokenClaims& claims,
                                                  const SecretKey& backend_key, Entropy& entropy) {
  prepare_cryptography();
  if (!keeps_limits(claims)) return std::nullopt;
  std::array<std::byte, kNonceBytes> nonce{};
  TokenId id{};
  entropy.fill(nonce);
  entropy.fill(id);
  const SecretKey secret = SecretKey::random(entropy);

  std::array<std::byte, kTokenBufferBytes> inner{};
  SectionWriter sealed(inner);
  sealed.write_u64(claims.account.value());
  sealed.write_bytes(id);
  sealed.write_bytes(secret.bytes());
  write_addresses(sealed, claims.servers);
  sealed.write_u16(static_cast<std::uint32_t>(claims.user_data.size()));
  sealed.write_bytes(claims.user_data);

  std::array<std::byte, kTokenBufferBytes> memory{};
  SectionWriter writer(memory);
  writer.write_bytes(std::as_bytes(std::span(kTokenMagic)));
  writer.write_u32(kTokenVersion);
  writer.write_u64(claims.application);
  writer.write_u64(claims.issued);
  writer.write_u64(claims.expires);
  writer.write_bytes(nonce);
  std::vector<std::byte> box(sealed.used() + kTagBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      reinterpret_cast<unsigned char*>(box.data()), nullptr,
      reinterpret_cast<const unsigned char*>(inner.data()), sealed.used(),
      reinterpret_cast<const unsigned char*>(memory.data()), kHeadBytes, nullptr,
      reinterpret_cast<const unsigned char*>(nonce.data()), backend_key.data());
  sodium_memzero(inner.data(), inner.size());
  writer.write_bytes(claims.server_key);
  writer.write_bytes(secret.bytes());
  write_addresses(writer, claims.servers);
  writer.write_u16(static_cast<std::uint32_t>(box.size()));
  writer.write_bytes(box);
  const std::span<const std::byte> written = writer.written();
  std::vector<std::byte> token(written.begin(), written.end());
  sodium_memzero(memory.data(), memory.size());
  return token;
}

std::optional<ClientToken> read_client_token(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const std::optional<TokenHead> head = read_head(reader);
  if (!head.has_value()) return std::nullopt;
  ClientToken token{
      .application = head->application, .issued = head->issued, .expires = head->expires};
  reader.read_into(token.server_key);
  token.secret = read_secret(reader);
  token.servers = read_addresses(reader);
  const std::span<const std::byte> box = reader.bytes(reader.u16());
  if (!reader.is_finished() || box.size() + kHeadBytes > kTokenBytesMax) return std::nullopt;
  token.presented.assign(bytes.begin(), bytes.begin() + kHeadBytes);
  token.presented.insert(token.presented.end(), box.begin(), box.end());
  return token;
}

std::optional<OpenedToken> open_token(std::span<const std::byte> presented,
                                      std::uint64_t application, UnixSeconds now,
                                      const SecretKey& backend_key) {
  prepare_cryptography();
  ByteReader outer(presented);
  const std::optional<TokenHead> head = read_head(outer);
  if (!head.has_value() || head->application != application) return std::nullopt;
  const bool is_in_time = now < head->expires && head->expires > head->issued &&
                          head->expires - head->issued <= kTokenLifetimeMax;
  const std::size_t box_bytes = outer.remaining();
  if (!is_in_time || box_bytes < kTagBytes || presented.size() > kTokenBytesMax) {
    return std::nullopt;
  }
  const std::span<const std::byte> box = outer.bytes(box_bytes);
  std::array<std::byte, kTokenBytesMax> inner{};
  const int result = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(inner.data()), nullptr, nullptr,
      reinterpret_cast<const unsigned char*>(box.data()), box.size(),
      reinterpret_cast<const unsigned char*>(presented.data()), kHeadBytes,
      reinterpret_cast<const unsigned char*>(head->nonce.data()), backend_key.data());
  if (result != 0) return std::nullopt;
  ByteReader reader{std::span<const std::byte>(inner).first(box.size() - kTagBytes)};
  OpenedToken token{.issued = head->issued, .expires = head->expires};
  token.account = AccountId(reader.u64());
  reader.read_into(token.id);
  token.secret = read_secret(reader);
  token.servers = read_addresses(reader);
  const std::size_t user_bytes = reader.u16();
  const std::span<const std::byte> user_data = reader.bytes(user_bytes);
  token.user_data.assign(user_data.begin(), user_data.end());
  sodium_memzero(inner.data(), inner.size());
  if (!reader.is_finished() || user_bytes > kUserDataBytesMax) return std::nullopt;
  return token;
}

}  // namespace muster
