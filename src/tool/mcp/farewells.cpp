#include "tool/mcp/farewells.h"

#include <utility>

namespace braidlog::tool::mcp {

namespace {

constexpr std::chrono::milliseconds kCallTimeMax{1'000};

}  // namespace

struct Farewells::Call final : HttpCallSink {
  Call(Farewells& owner, std::uint64_t number) : farewells(owner), key(number) {}
  void on_head(const ResponseHead&) override { end(); }
  void on_bytes(std::string_view) override {}
  void on_done(CallEnd) override { end(); }
  // Not from inside the sink itself.
  void end() {
    farewells.loop_.post([&owner = farewells, key = key] { owner.end_call(key); });
  }

  Farewells& farewells;
  const std::uint64_t key;
  std::unique_ptr<HttpCall> http;
  Timer patience;
};

Farewells::Farewells(IoThread& loop, HttpClients& clients) : loop_(loop), clients_(clients) {}
Farewells::~Farewells() = default;

void Farewells::stop(std::shared_ptr<Process> process) {
  const auto number = next_++;
  Process& stopping = *process;
  processes_.emplace(number, std::move(process));
  stopping.stop([this, number] { loop_.post([this, number] { processes_.erase(number); }); });
}

void Farewells::send(OutgoingRequest request) {
  const auto number = next_++;
  auto& call = *(calls_[number] = std::make_unique<Call>(*this, number));
  call.patience = loop_.after(kCallTimeMax, [this, number] { end_call(number); });
  call.http = clients_.on(loop_).send(std::move(request), call);
}

void Farewells::end_call(std::uint64_t number) {
  // Taken out first: this may be running inside its own timer.
  const auto call = calls_.extract(number);
}

}  // namespace braidlog::tool::mcp
