// The usual handler of a route, in one line of its table: how the request is read into a command or query, how the
// reply is rendered, and how an error of either looks.
//
//   {Method::kGet, "/things/{}", …, ask_and_render<read_thing, thing_body, error_response>}
#pragma once

#include <type_traits>
#include <utility>

#include "dialect/dialect.h"

namespace braidlog {

template <auto Read, auto Render, auto Refuse>
Answer ask_and_render(const RouteRequest& request) {
  auto command = Read(request);
  if (!command) return Refuse(command.error());
  using Value = typename std::decay_t<decltype(*command)>::ReplyValue;
  return ask(std::move(*command),
             [](Result<Value> reply) -> Answer { return reply ? Render(std::move(*reply)) : Refuse(reply.error()); });
}

}  // namespace braidlog
