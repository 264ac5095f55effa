// How a session finds out what the server speaks. The question is server/discover, which every modern server knows; a
// recognized modern error is an answer too. Anything else, or silence, means an older server, which wants initialize.
#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "base/version.h"
#include "tool/mcp/protocol_versions.h"
#include "tool/mcp/session.h"

namespace braidlog::tool::mcp {

namespace {

using std::chrono::milliseconds;

// Some old servers say nothing to what they do not know.
constexpr milliseconds kProbeTimeMax{5'000};
constexpr std::size_t kVersionBytesMax = 40;

std::string joined(const json::array* versions) {
  std::string out;
  if (versions == nullptr) return out;
  for (const auto& version : *versions) {
    if (version.is_string() && out.size() < 200) out += (out.empty() ? "" : ", ") + std::string(version.get_string());
  }
  return out;
}

bool contains(const json::array& versions, std::string_view wanted) {
  return std::any_of(versions.begin(), versions.end(),
                     [&](const auto& version) { return version.is_string() && version.get_string() == wanted; });
}

bool tools_change(const json::object& result) {
  const auto* capabilities = object_member(result, "capabilities");
  const auto* tools = capabilities == nullptr ? nullptr : object_member(*capabilities, "tools");
  return tools != nullptr && true_member(*tools, "listChanged");
}

// A refusal of the request as such: of who asks, or of asking now. To ask in another way would change nothing.
bool is_final(const Lost& lost) {
  if (lost.loss != Loss::kRefused) return true;
  return lost.status < 400 || lost.status > 499 || lost.status == 401 || lost.status == 403 || lost.status == 429;
}

}  // namespace

void Session::start(std::unique_ptr<Link> link, Era known) {
  link_ = std::move(link);
  start_timer_ = loop_.after(limits_.mcp_start_timeout, [this] {
    std::string why = "did not get ready within " + std::to_string(limits_.mcp_start_timeout.count()) + " ms";
    if (const auto words = link_->last_words(); !words.empty()) why += ": " + words;
    end(std::move(why));
  });
  known == Era::kLegacy ? begin_legacy() : discover();
}

void Session::discover() {
  version_ = kModernVersion;
  era_ = Era::kModern;  // for this one request
  auto question = params();
  era_ = Era::kUnknown;
  discovery_ =
      request("server/discover", std::move(question), {}, [this](Answer answer) { take_discovery(std::move(answer)); });
  probe_timer_ = loop_.after(std::min(kProbeTimeMax, limits_.mcp_start_timeout / 3), [this] { begin_legacy(); });
}

void Session::take_discovery(Answer answer) {
  discovery_ = 0;
  probe_timer_.reset();
  if (const auto* result = std::get_if<json::value>(&answer)) {
    const auto* object = result->if_object();
    const auto* versions = object == nullptr ? nullptr : array_member(*object, "supportedVersions");
    if (versions == nullptr) return begin_legacy();
    changes_are_told_ = tools_change(*object);
    return take_versions(versions);
  }
  if (const auto* error = std::get_if<RpcError>(&answer)) {
    if (error->code == kUnsupportedVersion) {
      const auto* data = error->data.if_object();
      return take_versions(data == nullptr ? nullptr : array_member(*data, "supported"));
    }
    if (error->code == kHeaderMismatch || error->code == kMissingCapability) {
      return become(Era::kModern, std::string(kModernVersion));
    }
    return begin_legacy();
  }
  auto& lost = std::get<Lost>(answer);
  if (is_final(lost)) return end(std::move(lost.why));
  begin_legacy();
}

void Session::take_versions(const json::array* versions) {
  if (versions != nullptr && contains(*versions, kModernVersion)) {
    return become(Era::kModern, std::string(kModernVersion));
  }
  if (versions != nullptr && std::any_of(versions->begin(), versions->end(), [](const auto& version) {
        return version.is_string() && is_legacy_version(version.get_string());
      })) {
    return begin_legacy();
  }
  end("speaks only versions of the protocol that are unknown here: " + joined(versions));
}

void Session::begin_legacy() {
  if (initialization_ != 0 || era_ != Era::kUnknown) return;
  link_->speak(Era::kLegacy);
  version_.clear();  // there is none before the server has chosen
  json::object hello{{"protocolVersion", kLegacyVersions.front()},
                     {"capabilities", json::object{}},
                     {"clientInfo", json::object{{"name", kClientName}, {"version", kVersion}}}};
  initialization_ =
      request("initialize", std::move(hello), {}, [this](Answer answer) { take_initialized(std::move(answer)); });
}

void Session::take_initialized(Answer answer) {
  if (auto* lost = std::get_if<Lost>(&answer)) return end(std::move(lost->why));
  if (const auto* error = std::get_if<RpcError>(&answer)) {
    if (discovery_ != 0) return;  // a slow modern server: its answer will come
    return end("refused to begin: " + error->message);
  }
  const auto* result = std::get<json::value>(answer).if_object();
  const std::string version = result == nullptr ? "" : string_member(*result, "protocolVersion");
  if (!is_legacy_version(version)) {
    return end("speaks an unknown version of the protocol: " + std::string(utf8_prefix(version, kVersionBytesMax)));
  }
  changes_are_told_ = tools_change(*result);
  become(Era::kLegacy, version);
}

void Session::become(Era era, std::string version) {
  for (auto* open : {&discovery_, &initialization_}) {
    if (*open == 0) continue;
    requests_.forget(*open);
    link_->forget(std::exchange(*open, 0));
  }
  probe_timer_.reset();
  era_ = era;
  version_ = std::move(version);
  link_->speak(era);
  if (era == Era::kLegacy) tell("notifications/initialized", {});
  list_tools();
}

}  // namespace braidlog::tool::mcp
