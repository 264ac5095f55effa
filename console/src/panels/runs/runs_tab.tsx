import {useEffect, useState} from 'preact/hooks';
import {listAgents} from '../../api/agents';
import {me} from '../../api/http';
import {href} from '../../router';
import {Empty, ErrorBox, Spinner} from '../../ui/parts';
import {noFilter, RunList} from './run_list';
import {RunsTable} from './runs_table';

const statuses: [string, string][] = [
  ['queued', 'Queued'], ['running', 'Running'], ['waiting_approval', 'Waiting for approval'], ['interrupting', 'Stopping'], ['completed', 'Completed'], ['failed', 'Failed'],
  ['interrupted', 'Stopped'],
];

export function RunsTab({session}: {session: string}) {
  const [list] = useState(() => new RunList({session}));
  useEffect(() => () => list.close(), [list]);
  const items = list.items.value;
  return (
    <>
      <Filters list={list} />
      {list.error.value !== null && <ErrorBox error={list.error.value} retry={() => void list.read()} />}
      {items === null && list.error.value === null && <div class="centre"><Spinner label="Reading the runs" /></div>}
      {items?.length === 0 && list.next.value === null && <Nothing list={list} />}
      {items?.length === 0 && list.next.value !== null && <p class="faint centre">Nothing among the newest runs so far.</p>}
      {items !== null && items.length > 0 && <RunsTable runs={items} everybody={list.filter.value.everybody} />}
      {list.next.value !== null && (
        <button type="button" class="button more" disabled={list.busy.value} onClick={() => void list.more()}>Load more</button>
      )}
    </>
  );
}

function Filters({list}: {list: RunList}) {
  const {q, status, agent, session, everybody} = list.filter.value;
  const [agents, setAgents] = useState<string[]>([]);
  useEffect(() => { listAgents().then((known) => setAgents(known.agents.map((one) => one.name)), () => {}); }, []);
  return (
    <div class="list-filters" role="search">
      <input type="search" class="input" placeholder="Find by text, title, agent or id" aria-label="Find runs" maxLength={64} value={q}
        onInput={(input) => list.setFilter({q: input.currentTarget.value})} />
      <select class="select" aria-label="Status" value={status} onChange={(choice) => list.setFilter({status: choice.currentTarget.value})}>
        <option value="">Every status</option>
        {statuses.map(([value, word]) => <option key={value} value={value}>{word}</option>)}
      </select>
      <select class="select" aria-label="Agent" value={agent} onChange={(choice) => list.setFilter({agent: choice.currentTarget.value})}>
        <option value="">Every agent</option>
        {agents.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
      {me.value?.role === 'admin' && (
        <label class="check"><input type="checkbox" checked={everybody} onChange={(box) => list.setFilter({everybody: box.currentTarget.checked})} /> All users</label>
      )}
      {session && <button type="button" class="button small" onClick={() => list.setFilter({session: ''})}>One session only ✕</button>}
    </div>
  );
}

function Nothing({list}: {list: RunList}) {
  const {q, status, agent, session} = list.filter.value;
  if (!q && !status && !agent && !session) return <Empty title="No runs yet">Ask an agent something in the <a href={href('chat')}>chat</a>.</Empty>;
  return (
    <Empty title="No run is like that">
      <button type="button" class="button" onClick={() => list.setFilter({...noFilter, everybody: list.filter.value.everybody})}>Show all</button>
    </Empty>
  );
}
