#include "registry/project/scripts.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/indexed_project.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using Names = std::set<std::string>;

TEST_CASE("Base classes are found in any style of source code", "[registry][scripts]") {
  const auto [source, bases, reason] = GENERATE(table<std::string, Names, std::string>({
      {"class X : A {}", {"A"}, "plain"},
      {"public sealed class X:A{}", {"A"}, "no blanks"},
      {"class X : N.A, N.M.IB {}", {"A", "IB"}, "namespaces"},
      {"class X : global::A {}", {"A"}, "the global namespace"},
      {"class X : A<B, C>, ID {}", {"A", "ID"}, "type arguments"},
      {"class X<T> : A<T> where T : B {}", {"A"}, "a where clause"},
      {"class X<T> : A<T>\n  where T : B\n{}", {"A"}, "a where clause on a line of its own"},
      {"class X<T> : A<T>\nwhere T : B\n{}", {"A"}, "a where clause at the line's start"},
      {"class X<T> where T : B {}", {}, "only a where clause"},
      {"class X {}", {}, "no bases"},
      {"class\n  X\n  : A\n{}", {"A"}, "lines"},
      {"class\tX\t:\tA {}", {"A"}, "tabs"},
      {"class X :\r\n  A,\r\n  IB\r\n{}", {"A", "IB"}, "CRLF"},
      {"// class X : Wrong {}\nclass X : A {}", {"A"}, "a line comment before"},
      {"/* class X : Wrong {} */ class X : A {}", {"A"}, "a comment before"},
      {"class X : A /* , Wrong */, IB // , Wrong\n{}", {"A", "IB"}, "comments inside"},
      {"var s = \"class X : Wrong {\"; class X : A {}", {"A"}, "a string"},
      {"var s = \"\\\"class X : Wrong {\"; class X : A {}", {"A"}, "an escaped quote"},
      {"var s = @\"C:\\\"; class X : A {}", {"A"}, "a verbatim string with a backslash"},
      {"var s = @\"\nclass X : Wrong {\n\"; class X : A {}", {"A"}, "a verbatim string of lines"},
      {"var c = '\"'; class X : A {}", {"A"}, "a quote as a character"},
      {"class XY : Wrong {} class X : A {}", {"A"}, "after a longer name"},
      {"subclass X : Wrong {} class X : A {}", {"A"}, "a word that ends with class"},
      {"partial class X {} partial class X : A {}", {"A"}, "a partial class"},
      {"partial class X : A {} partial class X : IB {}", {"A", "IB"}, "bases in both parts"},
      {"class Y : Wrong { } class X : A { class Z : Wrong {} }", {"A"}, "inside other classes"},
      {"class X : A", {"A"}, "the end of the file"},
      {"class X : ", {}, "no name after the colon"},
      {"class", {}, "only the word"},
      {"", {}, "an empty file"},
  }));
  CAPTURE(source, reason);
  CHECK(base_classes_in(source, "X") == bases);
}

TEST_CASE("A script's class is its file's name, unless the project declares it",
          "[registry][scripts]") {
  testing::UnityProject project;
  const Guid own = project.script("Player");
  const Guid assembly = project.file("Assets/Plugins/Game.dll", "MZ");
  testing::IndexedProject indexed(project.files);
  CHECK(indexed.scripts().class_of(own) == "Player");
  CHECK(indexed.scripts().class_of(assembly).empty());
  CHECK(indexed.scripts().class_of(Guid()).empty());
  Scripts declared(project.files, indexed.index());
  declared.declare(assembly, "Vehicle");
  declared.declare(own, "Renamed");
  CHECK(declared.class_of(assembly) == "Vehicle");
  CHECK(declared.class_of(own) == "Renamed");
}

TEST_CASE("Derivation is followed through files, and cycles end", "[registry][scripts]") {
  testing::UnityProject project;
  const Guid base = project.script("Entity");
  const Guid middle = project.script("Vehicle", "Game.Entity, IMovable");
  const Guid leaf = project.script("Car", "Vehicle");
  project.script("Hen", "Egg");
  project.script("Egg", "Hen");
  const testing::IndexedProject indexed(project.files);
  const Scripts& scripts = indexed.scripts();
  CHECK(scripts.derives_from("Car", "Entity"));
  CHECK(scripts.derives_from("Car", "Car"));
  CHECK(scripts.derives_from("Car", "IMovable"));
  CHECK_FALSE(scripts.derives_from("Entity", "Car"));
  CHECK_FALSE(scripts.derives_from("Hen", "Entity"));
  CHECK(scripts.derives_from("Hen", "Egg"));
  CHECK_FALSE(scripts.derives_from("", "Entity"));
  std::vector<Guid> expected{base, middle, leaf};
  std::ranges::sort(expected);
  CHECK(scripts.scripts_deriving_from("Entity") == expected);
}

TEST_CASE("A class is known not to derive from another only if all its bases are known",
          "[registry][scripts]") {
  testing::UnityProject project;
  project.script("Factory", "ScriptableObject");
  project.script("Item", "ScriptableObject, IListed");
  project.script("Rifle", "Item");
  project.script("Parcel", "PackageBase");
  project.script("Bullet", "Factory");
  const testing::IndexedProject indexed(project.files);
  const auto [name, surely, reason] = GENERATE(table<std::string, bool, std::string>(
      {{"Item", true, "only of the engine; an interface is not a class"},
       {"Rifle", true, "through a class of the project"},
       {"Parcel", false, "its base is not in the project"},
       {"Elsewhere", false, "is not in the project"},
       {"IListed", false, "the same for an interface's name"},
       {"Bullet", false, "derives from it"},
       {"Factory", false, "is the class itself"}}));
  CAPTURE(name, reason);
  CHECK(indexed.scripts().is_surely_no(name, "Factory") == surely);
}

}  // namespace
}  // namespace muster
