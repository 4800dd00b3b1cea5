#include "net/transport/address.h"

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

TEST_CASE("An address parses from its text", "[net][transport][sys-22]") {
  REQUIRE(Address::parse("127.0.0.1:7913") == Address::ipv4({127, 0, 0, 1}, 7913));
  REQUIRE(Address::parse("0.0.0.0:0") == Address::ipv4({0, 0, 0, 0}, 0));
  REQUIRE(Address::parse("255.255.255.255:65535") == Address::ipv4({255, 255, 255, 255}, 65535));
  REQUIRE(Address::parse("[::1]:7913") ==
          Address({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 7913));
  REQUIRE(Address::parse("[::]:0") == Address());
  REQUIRE(Address::parse("[2001:db8::8:800:200c:417a]:1") ==
          Address({0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 8, 8, 0, 0x20, 0x0C, 0x41, 0x7A}, 1));
  REQUIRE(Address::parse("[1:2:3:4:5:6:7:8]:9") ==
          Address({0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8}, 9));
  REQUIRE(Address::parse("[1::]:9") == Address({0, 1}, 9));
  // An IPv4 address in IPv6 form equals the IPv4 address.
  REQUIRE(Address::parse("[::ffff:7f00:1]:80") == Address::ipv4({127, 0, 0, 1}, 80));
  REQUIRE(Address::parse("[::ffff:7f00:1]:80")->is_ipv4());
}

TEST_CASE("An address in any other form is refused", "[net][transport][sys-22]") {
  const std::string text = GENERATE(
      as<std::string>{}, "", ":", "1.2.3.4", "1.2.3.4:", "1.2.3:80", "1.2.3.4.5:80", "1.2.3.:80",
      ".1.2.3:80", "1..2.3:80", "1.2.3.256:80", "01.2.3.4:80", "1.2.3.4:080", "1.2.3.4:65536",
      "1.2.3.4:-1", "1.2.3.4:+1", "+1.2.3.4:80", "-1.2.3.4:80", " 1.2.3.4:80", "1.2.3.4 :80",
      "1.2.3.4:80 ", "1.2.3.4: 80", "0x1.2.3.4:80", "1.2.3.4:0x50", "1.2.3.4:8a", "localhost:80",
      "[1.2.3.4]:80", "::1:80", "[::1]", "[::1]:", "[::1]80", "[::1:80", "::1]:80", "[]:80",
      "[:]:80", "[:::]:80", "[1::2::3]:80", "[1:2:3:4:5:6:7]:80", "[1:2:3:4:5:6:7:8:9]:80",
      "[1:2:3:4:5:6:7:8::]:80", "[::1:2:3:4:5:6:7:8]:80", "[:1:2:3:4:5:6:7:8]:80",
      "[1:2:3:4:5:6:7:8:]:80", "[1:]:80", "[:1]:80", "[12345::]:80", "[g::]:80", "[::1%eth0]:80",
      "[::ffff:1.2.3.4]:80", "[::-1]:80", "[::+1]:80", "[:: 1]:80", "[[::1]]:80",
      "99999999999.2.3.4:80", "1.2.3.4:99999999999");
  CAPTURE(text);
  REQUIRE_FALSE(Address::parse(text).has_value());
}

TEST_CASE("The text of an address parses to that address", "[net][transport][sys-22]") {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    std::array<std::uint8_t, 16> ip{};
    for (std::uint8_t& byte : ip) {
      byte = random.below(2) == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(random.next());
    }
    const auto port = static_cast<std::uint16_t>(random.next());
    const Address six(ip, port);
    REQUIRE(Address::parse(six.text()) == six);
    const Address four = Address::ipv4({ip[0], ip[1], ip[2], ip[3]}, port);
    REQUIRE(Address::parse(four.text()) == four);
    REQUIRE(hash_of(four) == hash_of(*Address::parse(four.text())));
    REQUIRE(four.with_port(1).port() == 1);
    REQUIRE(four.with_port(1).ip() == four.ip());
  }
  REQUIRE(Address::ipv4({10, 0, 0, 1}, 7000).text() == "10.0.0.1:7000");
}

TEST_CASE("A subscriber is an IPv4 address or a /64 of IPv6, without the port",
          "[net][transport][sys-22]") {
  const auto subscriber = [](const char* text) { return subscriber_of(*Address::parse(text)); };
  REQUIRE(subscriber("1.2.3.4:5") == subscriber("1.2.3.4:6"));
  REQUIRE(subscriber("1.2.3.4:5") != subscriber("1.2.3.5:5"));
  REQUIRE(subscriber("[2001:db8:1:2::3]:5") == subscriber("[2001:db8:1:2:ffff::4]:6"));
  REQUIRE(subscriber("[2001:db8:1:2::3]:5") != subscriber("[2001:db8:1:3::3]:5"));
  REQUIRE(subscriber("[::1]:5") != subscriber("0.0.0.0:5"));
}

TEST_CASE("A link-local address keeps its interface", "[net][transport]") {
  const std::optional<Address> two = Address::parse("[fe80::1%2]:7913");
  REQUIRE(two.has_value());
  REQUIRE(two->scope() == 2);
  REQUIRE(two->text() == "[fe80:0:0:0:0:0:0:1%2]:7913");
  REQUIRE(Address::parse(two->text()) == two);
  REQUIRE(two->with_port(5).scope() == 2);
  REQUIRE(Address::parse("[fe80::1%4294967295]:1")->scope() == 4294967295U);
  const std::optional<Address> three = Address::parse("[fe80::1%3]:7913");
  REQUIRE(two != three);
  REQUIRE(hash_of(*two) != hash_of(*three));
  REQUIRE(Address::parse("[fe80::1]:7913") != two);
  // Other addresses have no scope.
  REQUIRE(Address::parse("[2001:db8::1]:1")->with_scope(2).scope() == 0);
  REQUIRE(Address::ipv4({169, 254, 0, 1}, 1).with_scope(2).scope() == 0);
  const auto* const wrong = GENERATE("[2001:db8::1%2]:1", "[fe80::1%0]:1", "[fe80::1%02]:1",
                                     "[fe80::1%]:1", "[fe80::1%4294967296]:1", "[fe80::1%eth0]:1");
  CAPTURE(wrong);
  REQUIRE_FALSE(Address::parse(wrong).has_value());
}

TEST_CASE("An address that no answer can reach is not a peer", "[net][transport]") {
  const auto [text, is_peer] = GENERATE(table<const char*, bool>({{"10.0.1.1:1", true},
                                                                  {"127.0.0.1:65535", true},
                                                                  {"223.255.255.255:1", true},
                                                                  {"240.0.0.1:1", true},
                                                                  {"[2001:db8::1]:1", true},
                                                                  {"[fe80::1%2]:1", true},
                                                                  {"[::1]:1", true},
                                                                  {"10.0.1.1:0", false},
                                                                  {"[2001:db8::1]:0", false},
                                                                  {"0.0.0.0:1", false},
                                                                  {"[::]:1", false},
                                                                  {"255.255.255.255:1", false},
                                                                  {"224.0.0.1:1", false},
                                                                  {"239.1.2.3:1", false},
                                                                  {"[ff02::1]:1", false},
                                                                  {"[ff0e::1:2]:1", false}}));
  CAPTURE(text);
  REQUIRE(Address::parse(text)->is_peer() == is_peer);
}

TEST_CASE("A prefix keeps the first bits of an address", "[net][transport]") {
  const auto [bits, text] =
      GENERATE(table<unsigned, const char*>({{0, "[::]:0"},
                                             {1, "[::]:0"},
                                             {3, "[2000::]:0"},
                                             {32, "[2001:db8::]:0"},
                                             {56, "[2001:db8:1:200::]:0"},
                                             {59, "[2001:db8:1:220::]:0"},
                                             {64, "[2001:db8:1:23f::]:0"},
                                             {128, "[2001:db8:1:23f::7]:0"}}));
  CAPTURE(bits);
  REQUIRE(prefix_of(*Address::parse("[2001:db8:1:23f::7]:9"), bits) == *Address::parse(text));
  REQUIRE(prefix_of(Address::ipv4({10, 20, 30, 40}, 9), 96 + 16) ==
          Address::ipv4({10, 20, 0, 0}, 0));
}

}  // namespace
}  // namespace muster
