// The behaviour of the RunStore port, once, for every adapter. In one test file of the adapter:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, RunStoreContract, ::testing::Values(&make_place));
//   INSTANTIATE_TEST_SUITE_P(Sqlite, RunSearchContract, ::testing::Values(&make_place));
//
// The sentences of port/run_store.h are tested in eight parts: sessions, runs, turns, orders, ownership, tasks, items
// and search.
#pragma once

#include "port/testing/run_store_contract_items.h"
#include "port/testing/run_store_contract_orders.h"
#include "port/testing/run_store_contract_ownership.h"
#include "port/testing/run_store_contract_runs.h"
#include "port/testing/run_store_contract_search.h"
#include "port/testing/run_store_contract_sessions.h"
#include "port/testing/run_store_contract_tasks.h"
#include "port/testing/run_store_contract_turns.h"
