// `std::visit(Overloaded{[](const A&) {…}, [](const B&) {…}}, variant)`: one arm per alternative, and the
// compiler names the alternative that has none.
#pragma once

namespace braidlog {

template <class... Arms>
struct Overloaded : Arms... {
  using Arms::operator()...;
};
template <class... Arms>
Overloaded(Arms...) -> Overloaded<Arms...>;

}  // namespace braidlog
