// A run as its columns tell it.
#pragma once

#include "api/run.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// A row of these columns.
#define BRAIDLOG_RUN_COLUMNS                                                                                \
  "id, session_id, user_id, agent, contract, status, created_at, started_at, ended_at, failure, "           \
  "failure_message,"                                                                                        \
  " input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, last_sequence," \
  " replayable"
api::Run read_run(const Row& row);

}  // namespace braidlog::store
