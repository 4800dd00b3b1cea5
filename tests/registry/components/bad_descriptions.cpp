// Invalid descriptions. Never linked. `bad_descriptions_test.py` compiles this file and checks that
// the compiler's error for each description names the rule in the line above it ("//!").
#include "registry/components/describe.h"

namespace {

using namespace muster;

struct Inner {
  float value = 0;
};
consteval auto describe(Type<Inner>) { return Describe<Inner>("Inner").field<&Inner::value>("v"); }

struct Secret {
  float value = 0;
};
consteval auto describe(Type<Secret>) {
  return Describe<Secret>("Secret").field<&Secret::value>("v", {.receivers = Receivers::owner});
}
struct Around {
  Secret secret;
};
consteval auto describe(Type<Around>) {
  return Describe<Around>("Around").field<&Around::secret>("secret");
}

enum class Mood : std::uint8_t { calm, angry };
constexpr std::array<std::string_view, 2> kMoods = {"calm", "angry"};
constexpr std::array<std::string_view, 4> kFour = {"one", "two", "three", "four"};
enum class Shown : bool { no, yes };
enum Loose { no, yes };
enum class Letter : char { a, b };

struct Percent {
  float value = 0;
};
consteval auto describe(Type<Percent>) {
  return Describe<Percent>("Percent").field<&Percent::value>("v", {.maximum = 100});
}

struct Good {
  float first = 0;
  float second = 0;
};
[[maybe_unused]] constexpr auto kGood =
    Describe<Good>("Good").field<&Good::first>("first").field<&Good::second>("second");

struct Part {
  bool flag = false;
  std::int32_t whole = 0;
  float real = 0;
  FixedText<4> label;
  Quaternion rotation;
  Inner inner;
  Around around;
  const char* pointer = nullptr;
  std::uint8_t small = 0;
  double wide = 0;
  long double widest = 0;
  const float fixed = 0;
  Mood mood = Mood::calm;
  float five = 5;
  std::array<std::uint8_t, 2> sevens = {1, 7};
  FixedText<0> no_text;
  Vec3 position{0, 0, 2};
  Quaternion spin{0, 0, 0, 3};
  Mood enraged = static_cast<Mood>(2);
  Percent hundred{.value = 101};
  std::array<Percent, 2> hundreds{Percent{}, Percent{.value = -1}};
  std::int32_t million = 1'000'001;
  Shown shown = Shown::no;
  char letter = 'a';
  Loose loose = Loose::yes;
  Letter big = Letter::a;
  std::array<std::uint8_t, 1> alone{};
};
using D = Describe<Part>;
constexpr std::array<std::string_view, 1> kNames = {"one"};
using enum Interpolation;

//! a_field_needs_a_name
auto a = D("P").field<&Part::flag>("");
//! another_field_has_this_name
auto b = D("P").field<&Part::flag>("a").field<&Part::real>("a");
//! a_name_has_no_dots_or_brackets
auto c = D("P").field<&Part::flag>("a.b");
//! the_maximum_is_below_the_minimum
auto d = D("P").field<&Part::real>("a", {.minimum = 1, .maximum = 0});
//! a_range_is_for_numbers
auto e = D("P").field<&Part::label>("a", {.maximum = 1});
//! bits_and_resolution_are_redundant
auto f = D("P").field<&Part::whole>("a", {.resolution = 1, .bits = 3});
//! bits_are_1_to_32
auto g = D("P").field<&Part::whole>("a", {.bits = 33});
//! floats_in_bits_need_a_range
auto h = D("P").field<&Part::real>("a", {.bits = 8});
//! a_resolution_must_not_be_negative
auto i = D("P").field<&Part::real>("a", {.resolution = -1});
//! integers_have_a_whole_resolution
auto j = D("P").field<&Part::whole>("a", {.resolution = 0.5});
//! the_resolution_is_finer_than_a_float_of_this_range
auto k = D("P").field<&Part::real>("a", {.maximum = 9, .resolution = 1e-7});
//! the_range_has_more_than_2_to_the_32_steps
auto l = D("P").field<&Part::real>("a", {.maximum = 5, .resolution = 1e-9});
//! a_tolerance_is_for_numbers_and_not_negative
auto m = D("P").field<&Part::label>("a", {.tolerance = 1});
//! this_type_cannot_be_interpolated_so
auto n = D("P").field<&Part::rotation>("a", {.interpolation = linear});
//! an_angle_is_in_deg_or_rad
auto o = D("P").field<&Part::real>("a", {.interpolation = angle});
//! names_are_for_enumerations
auto p = D("P").field<&Part::whole>("a", {.names = kNames});
//! a_struct_inside_has_traits_of_its_own
auto q = D("P").field<&Part::inner>("a", {.tolerance = 1});
//! this member's type cannot be a field
auto r = D("P").field<&Part::pointer>("a");
//! this member belongs to another struct
auto s = D("P").field<&Inner::value>("a");

//! a_part_goes_to_others_than_the_whole
auto u = D("P").field<&Part::around>("a", {.receivers = Receivers::all_but_owner});

//! a_component_needs_a_name
auto v = D("");
//! this_member_is_described_already
auto w = D("P").field<&Part::real>("a").field<&Part::real>("b");
//! there_is_nothing_between_enumerators
auto x = D("P").field<&Part::mood>("a", {.interpolation = linear});
//! the_range_reaches_beyond_the_type
auto y = D("P").field<&Part::small>("a", {.minimum = -500, .maximum = 1000});
//! integers_have_a_whole_range
auto z = D("P").field<&Part::small>("a", {.minimum = 0.5, .maximum = 3.7});
//! the_resolution_is_larger_than_the_range
auto a1 = D("P").field<&Part::wide>("a", {.minimum = -1, .maximum = 1, .resolution = 5});
//! integers_have_bits_or_a_range
auto b1 = D("P").field<&Part::small>("a", {.maximum = 3, .bits = 2});
//! numbers_are_finite
auto c1 = D("P").field<&Part::wide>("a", {.maximum = std::numeric_limits<double>::infinity()});
//! long double
auto d1 = D("P").field<&Part::widest>("a");
//! const float
auto e1 = D("P").field<&Part::fixed>("a");

constexpr std::array<std::string_view, 2> kSame = {"one", "one"};
//! enumerators_have_names_and_values_of_their_own
auto g1 = D("P").field<&Part::mood>("a", {.names = kSame});
constexpr std::array<std::string_view, 2> kUnnamed = {"one", ""};
//! enumerators_have_names_and_values_of_their_own
auto h1 = D("P").field<&Part::mood>("a", {.names = kUnnamed});
//! a_default_lies_within_the_range
auto i1 = D("P").field<&Part::five>("a", {.maximum = 1, .resolution = 0.1});
//! a_default_lies_within_the_range
auto j1 = D("P").field<&Part::sevens>("a", {.bits = 2});
//! a_default_lies_within_the_range
auto p1 = D("P").field<&Part::position>("a", {.maximum = 1, .resolution = 0.1});
//! a_default_lies_within_the_range
auto q1 = D("P").field<&Part::spin>("a", {.minimum = -1, .maximum = 1, .resolution = 0.1});
//! a_default_lies_within_the_range
auto r1 = D("P").field<&Part::enraged>("a", {.names = kMoods});
//! a_default_lies_within_the_range
auto s1 = D("P").field<&Part::hundred>("a");
//! a_default_lies_within_the_range
auto t1 = D("P").field<&Part::hundreds>("a");
//! a_default_lies_within_the_range
auto u1 = D("P").field<&Part::million>("a", {.maximum = 1'000'000});
//! names_are_for_enumerations
auto v1 = D("P").field<&Part::shown>("a", {.names = kMoods});
//! this member's type cannot be a field
auto y1 = D("P").field<&Part::letter>("a");
//! this member's type cannot be a field
auto z1 = D("P").field<&Part::loose>("a");
//! this member's type cannot be a field
auto b2 = D("P").field<&Part::big>("a");
//! an array of one value is that value
auto a2 = D("P").field<&Part::alone>("a");
//! enumerators_have_names_and_values_of_their_own
auto w1 = D("P").field<&Part::mood>("a", {.bits = 1, .names = kFour});
//! enumerators_have_names_and_values_of_their_own
auto x1 = D("P").field<&Part::enraged>("a", {.minimum = 1, .maximum = 9, .names = kFour});
//! a_name_stands_in_one_line
auto k1 = D("P").field<&Part::real>("a\nb");
//! a_name_stands_in_one_line
auto l1 = D("P\t");
//! this member's type cannot be a field
auto m1 = D("P").field<&Part::no_text>("a");

struct Empty {
  std::array<float, 0> none{};
};
//! an array that is a field has elements
auto n1 = Describe<Empty>("E").field<&Empty::none>("a");

struct Huge {
  std::array<std::uint8_t, 70'000> bytes{};
};
//! a component has 64 KiB at most
auto o1 = Describe<Huge>("H");

struct Wide {
  alignas(32) float value = 0;
};
//! a component is aligned to 16 at most
auto f1 = Describe<Wide>("W");

struct Virtual {
  virtual ~Virtual() = default;
  float value = 0;
};
//! must be trivially copyable
auto t = Describe<Virtual>("V");

}  // namespace
