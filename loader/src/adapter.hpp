#pragma once
#include "boundary.hpp"
#include "table.hpp"

#include <memory>
#include <string>
#include <utility>

#include <cuzk/component.hpp>

namespace cuzk {

/// What one component and all its instances share.
template <class Api>
struct Adapted {
  Adapted(ComponentInfo facts, const Api& table)
      : info(std::move(facts)),
        api(table),
        boundary(info.full_name(), (info.flags & CUZK_COMPONENT_PROCESS_SERIAL) != 0) {}

  const ComponentInfo info;
  const Api api;
  const Boundary boundary;
};

/// Core's class over a component's table: made from (shared Adapted<Api>, extra...).
template <class Made, class Api, class... Extra>
std::shared_ptr<const Component> adapt(ComponentInfo info, const void* api, Extra&... extra) {
  const auto table = read_table<Api>(api);
  if constexpr (requires { table.flags; }) info.api_flags = table.flags;
  return std::make_shared<Made>(std::make_shared<const Adapted<Api>>(std::move(info), table), extra...);
}

}  // namespace cuzk
