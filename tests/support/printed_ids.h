// The text of ids in the messages of failed tests.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "registry/base/tick.h"
#include "registry/base/type_id.h"
#include "runtime/sync/command_number.h"

namespace Catch {

template <>
struct StringMaker<muster::Tick> {
  static std::string convert(muster::Tick tick) { return "tick " + std::to_string(tick.value()); }
};

template <>
struct StringMaker<muster::CommandNumber> {
  static std::string convert(muster::CommandNumber number) {
    return "command " + std::to_string(number.value());
  }
};

template <>
struct StringMaker<muster::TypeId> {
  static std::string convert(muster::TypeId id) { return "type " + std::to_string(id.value()); }
};

}  // namespace Catch
