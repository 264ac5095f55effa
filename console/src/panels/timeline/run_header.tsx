// What stands above a run in the panels that show its log: what was asked, how it goes, and where else it can be seen.
import type {ComponentChildren} from 'preact';
import {interruptRun} from '../../api/runs';
import {isOver} from '../../api/types';
import {href} from '../../router';
import {count} from '../../ui/format';
import {Duration, StatusBadge} from '../../ui/parts';
import {toastError} from '../../ui/toast';
import {showControls} from '../../ui/visible_text';
import type {RunHead} from './run_head';
import './run_header.css';

interface Props {head: RunHead; runId: string; here: 'run' | 'ways'; children?: ComponentChildren}

export function RunHeader({head, runId, here, children}: Props) {
  const over = isOver(head.status);
  return (
    <header class="run-header">
      <div class="run-header-main">
        <h2 class="run-header-text" title={head.text}>{head.text ? showControls(head.text) : head.agent ? `A run of ${head.agent}` : runId}</h2>
        <dl class="run-facts">
          <div><dt class="visually-hidden">Status</dt><dd><StatusBadge status={head.status} /></dd></div>
          <Fact name="Agent">{head.agent || '–'}</Fact>
          <Fact name="Contract">{head.contract || '–'}</Fact>
          <Fact name="Took">{head.beganAt === 0 ? '–' : over ? <Duration ms={head.lastAt - head.beganAt} /> : <Duration since={head.beganAt} />}</Fact>
          <Fact name="Tokens">{head.tokens === null ? '–' : count(head.tokens)}</Fact>
        </dl>
      </div>
      <div class="run-header-actions">
        {!over && head.sessionId && (
          <button type="button" class="button small danger" disabled={head.status === 'interrupting'}
            onClick={() => void interruptRun(head.sessionId, runId).catch(toastError)}>Stop</button>
        )}
        {head.sessionId && <a class="button small" href={href('chat', head.sessionId)}>Chat</a>}
        {here !== 'run' && <a class="button small" href={href('run', runId)}>Timeline</a>}
        {here !== 'ways' && <a class="button small" href={href('ways', runId)}>Five ways</a>}
        {children}
      </div>
    </header>
  );
}

function Fact({name, children}: {name: string; children: ComponentChildren}) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}
