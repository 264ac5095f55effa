#include <cstdio>

#include "app/identity_commands.h"
#include "app/options.h"
#include "app/routes_command.h"
#include "app/server_process.h"
#include "base/version.h"
#include "terminal/chat.h"
#include "terminal/runs.h"

namespace {

void print_limits(bool markdown) {
  using namespace braidlog;
  if (markdown) {
    std::fputs(limits_document().c_str(), stdout);
    return;
  }
  for (const auto& row : limits_table(Limits{})) {
    std::printf("%-28s %12llu %-5s  %s\n", row.name.c_str(), static_cast<unsigned long long>(row.value),
                row.unit.c_str(), row.meaning.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace braidlog;
  using Kind = app::Command::Kind;
  const auto command = app::parse_command_line(argc, argv);
  if (!command) {
    std::fprintf(stderr, "braidlog: %s\n", command.error().message.c_str());
    return 2;
  }
  switch (command->kind) {
    case Kind::kServe: return app::serve(command->serve);
    case Kind::kAgentsCheck: return app::check_agents(command->folder);
    case Kind::kVersion: std::printf("braidlog %s\n", std::string(kVersion).c_str()); return 0;
    case Kind::kLimits: print_limits(command->markdown); return 0;
    case Kind::kRoutes: std::fputs(app::routes_document(command->json).c_str(), stdout); return 0;
    case Kind::kIdentity: return app::run_identity_command(command->identity);
    case Kind::kChat: return terminal::chat(command->chat);
    case Kind::kRuns: return terminal::runs(command->runs);
    case Kind::kPrinted: return 0;
  }
  return 0;
}
