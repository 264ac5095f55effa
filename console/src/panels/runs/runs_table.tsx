import type {RunItem} from '../../api/types';
import {isOver} from '../../api/types';
import {go, href} from '../../router';
import {count} from '../../ui/format';
import {Duration, StatusBadge, Time} from '../../ui/parts';
import {showControls} from '../../ui/visible_text';
import {moveBetweenRows} from './row_keys';

export function RunsTable({runs, everybody}: {runs: RunItem[]; everybody: boolean}) {
  return (
    <div class="table-scroll">
      <table class="list-table" onKeyDown={moveBetweenRows}>
        <thead>
          <tr>
            <th scope="col">Status</th><th scope="col">Asked for</th><th scope="col">Agent</th><th scope="col">Contract</th>
            {everybody && <th scope="col">User</th>}
            <th scope="col" class="right">Tokens</th><th scope="col" class="right">Duration</th><th scope="col" class="right">Started</th>
            <th scope="col"><span class="visually-hidden">Show</span></th>
          </tr>
        </thead>
        <tbody>{runs.map((run, place) => <RunRow key={run.run_id} run={run} everybody={everybody} first={place === 0} />)}</tbody>
      </table>
    </div>
  );
}

function RunRow({run, everybody, first}: {run: RunItem; everybody: boolean; first: boolean}) {
  const open = () => go(href('run', run.run_id));
  // One stop for Tab in the whole table; the arrow keys do the rest.
  return (
    <tr data-row data-run={run.run_id} tabIndex={first ? 0 : -1} onClick={(click) => { if (!(click.target as HTMLElement).closest('a')) open(); }}
      onKeyDown={(key) => { if (key.key === 'Enter' && key.target === key.currentTarget) open(); }}>
      <td><StatusBadge status={run.status} /></td>
      <td class="run-asked">
        <a class="run-text cut" href={href('run', run.run_id)}>{showControls(run.text) || 'Execution of the tasks'}</a>
        {/* A session that began with this run has its text for a title. */}
        {!run.text.startsWith(run.session_title.replace(/…$/, '')) && <a class="run-session cut faint" href={href('chat', run.session_id)}>{showControls(run.session_title)}</a>}
        {run.error && <span class="run-error cut">{showControls(errorText(run.error))}</span>}
      </td>
      <td data-name="Agent">{run.agent}</td>
      <td data-name="Contract">{run.contract}</td>
      {everybody && <td data-name="User">{run.user_id}</td>}
      <td data-name="Tokens" class="right number">{tokens(run)}</td>
      <td data-name="Duration" class="right">{spent(run)}</td>
      <td data-name="Started" class="right nowrap"><Time at={run.started_at ?? run.created_at} /></td>
      <td class="row-links">
        <a href={href('run', run.run_id)}>Timeline</a> <a href={href('ways', run.run_id)}>Five ways</a>
      </td>
    </tr>
  );
}

function spent(run: RunItem) {
  if (isOver(run.status)) return <Duration ms={run.duration_ms} />;
  return <Duration since={Date.parse(run.started_at ?? run.created_at)} />;
}

const tokens = ({usage}: RunItem): string => (usage ? count(usage.total_tokens ?? usage.input_tokens + usage.output_tokens) : '–');

const errorText = (error: NonNullable<RunItem['error']>): string => (typeof error === 'string' ? error : error.message);
