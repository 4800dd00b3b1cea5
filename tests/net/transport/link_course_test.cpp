#include "net/transport/link_course.h"

#include <array>
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("Each row of a course has a time, and the properties of a link from that time on",
          "[net][transport]") {
  const auto course = read_link_course("# a comment\n0,30,0.5,800\n\n2.5,80,0,0\n4,0,0,8\n");
  REQUIRE(course.has_value());
  REQUIRE(course->size() == 3);
  REQUIRE((*course)[0].latency == 30ms);
  REQUIRE((*course)[0].loss == 0.5);
  REQUIRE((*course)[0].bytes_per_second == 100'000);
  REQUIRE((*course)[1].at == 2500ms);
  REQUIRE((*course)[1].bytes_per_second == 0);
}

TEST_CASE("An invalid course is refused", "[net][transport]") {
  const auto [why, text] = GENERATE(table<std::string, std::string>({
      {"nothing", ""},
      {"a single moment never ends", "0,1,0,1\n"},
      {"begins late", "1,1,0,1\n2,1,0,1\n"},
      {"goes back", "0,1,0,1\n2,1,0,1\n1,1,0,1\n"},
      {"stands still", "0,1,0,1\n0,1,0,1\n"},
      {"three numbers", "0,1,0\n1,1,0,1\n"},
      {"five numbers", "0,1,0,1,1\n1,1,0,1\n"},
      {"a word", "0,1,0,fast\n1,1,0,1\n"},
      {"an empty number", "0,,0,1\n1,1,0,1\n"},
      {"below nothing", "0,-1,0,1\n1,1,0,1\n"},
      {"a loss above 1", "0,1,1.5,1\n1,1,0,1\n"},
      {"no number", "0,nan,0,1\n1,1,0,1\n"},
      {"without end", "0,1,0,inf\n1,1,0,1\n"},
  }));
  CAPTURE(why);
  REQUIRE_FALSE(read_link_course(text).has_value());
}

TEST_CASE("A link follows its course and repeats it", "[net][transport]") {
  SimulatedNetwork network(1);
  const LinkId link =
      network.add_link({.course = {{.at = 0s, .latency = 30ms, .bytes_per_second = 1e6},
                                   {.at = 1s, .latency = 80ms, .bytes_per_second = 0},
                                   {.at = 2s}}});
  const Address here = Address::ipv4({10, 0, 0, 1}, 1);
  const Address there = Address::ipv4({10, 0, 0, 2}, 2);
  const auto from = network.open(here, {link});
  const auto to = network.open(there);
  const auto arrives = [&](Duration sent, Duration within) {
    network.advance(Time(sent));
    const NetBytes bytes = pattern(1, 72);
    const OutgoingDatagram out{.to = there, .bytes = bytes};
    REQUIRE(from->send(std::span(&out, 1)).sent == 1);
    network.advance(Time(sent + within));
    std::array<std::byte, kDatagramBytesMax + 1> memory;
    IncomingDatagram in{.from = {}, .memory = memory};
    std::size_t count = 0;
    while (to->receive(std::span(&in, 1)) == 1) ++count;
    return count;
  };
  REQUIRE(arrives(500ms, 30ms) == 0);  // The rate limit adds 0.1 ms.
  REQUIRE(arrives(600ms, 31ms) == 2);
  REQUIRE(arrives(1500ms, 200ms) == 0);
  REQUIRE(arrives(2500ms, 31ms) == 1);
  REQUIRE(arrives(3999ms, 500ms) == 0);
}

}  // namespace
}  // namespace muster
