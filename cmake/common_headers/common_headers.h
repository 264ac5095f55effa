// What most sources include in the end, compiled once (cmake/folder.cmake). Each still includes what it uses.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
