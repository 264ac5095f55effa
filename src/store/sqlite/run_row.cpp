#include "store/sqlite/run_row.h"

namespace braidlog::store {

api::Run read_run(const Row& row) {
  api::Run run;
  run.id = row.id<RunId>(0);
  run.session_id = row.id<SessionId>(1);
  run.user_id = row.text(2);
  run.agent = row.text(3);
  run.contract = row.text(4);
  run.status = static_cast<RunStatus>(row.integer(5));
  run.created_at = row.time(6);
  run.started_at = row.optional_time(7);
  run.ended_at = row.optional_time(8);
  if (!row.is_null(9)) run.failure = static_cast<FailureCode>(row.integer(9));
  run.failure_message = row.text(10);
  run.usage = row.usage(11);
  run.last = {row.number(16)};
  run.replayable = row.boolean(17);
  return run;
}

}  // namespace braidlog::store
