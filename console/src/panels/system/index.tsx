// System, for admins: how the server is doing right now, and what agents told its administrators.
import {useMemo} from 'preact/hooks';
import type {SystemFigures} from '../../api/types';
import {bytes, count} from '../../ui/format';
import {span} from '../../ui/clock';
import {ErrorBox, Spinner} from '../../ui/parts';
import {Alerts} from './alerts';
import {commitLatency, level, rate, withGaps, type Reading, type Series} from './figures';
import {Plot} from './plot';
import {readings, readProblem, useSystem} from './use_system';
import './system.css';

export default function System() {
  useSystem();
  const now = readings.value.at(-1)?.figures;
  return (
    <div class="page system" tabIndex={0} role="region" aria-label="System">
      <header class="page-head"><h1>System</h1></header>
      <ErrorBox error={readProblem.value} />
      {!now && !readProblem.value && <Spinner />}
      {now && <Facts figures={now} />}
      {now && <Plots readings={readings.value} />}
      <Alerts />
    </div>
  );
}

function Facts({figures}: {figures: SystemFigures}) {
  return (
    <dl class="system-facts">
      <div><dt>State</dt><dd class={figures.draining ? 'warn' : 'good'}>{figures.draining ? 'draining' : 'serving'}</dd></div>
      <div><dt>Store</dt><dd class={figures.store_healthy ? 'good' : 'bad'}>{figures.store_healthy ? 'healthy' : 'failing'}</dd></div>
      <div><dt>Version</dt><dd>{figures.version}</dd></div>
      <div><dt>Up for</dt><dd>{span(figures.uptime_seconds * 1000)}</dd></div>
      <div><dt>Connections</dt><dd>{count(figures.connections_open)}</dd></div>
      <div><dt>Runs done</dt><dd>{count(figures.runs_completed_total)}</dd></div>
      <div><dt>Runs failed</dt><dd class={figures.runs_failed_total > 0 ? 'bad' : ''}>{count(figures.runs_failed_total)}</dd></div>
      <div><dt>Runs stopped</dt><dd>{count(figures.runs_interrupted_total)}</dd></div>
    </dl>
  );
}

const amount = (value: number) => (value >= 1000 ? `${(value / 1000).toFixed(1)}k` : Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 1 : 0));
const perSecond = (value: number) => `${amount(value)}/s`;
const ms = (value: number) => `${value < 10 ? Number(value.toFixed(2)) : Math.round(value)} ms`;
const perSecondBytes = (value: number) => `${bytes(value)}/s`;

function Plots({readings: list}: {readings: Reading[]}) {
  const data = useMemo(() => {
    const lines = (...all: Series[]) => withGaps(list, all);
    return {
      streams: lines(level(list, (one) => one.streams_open)),
      runs: lines(level(list, (one) => one.runs_open)),
      events: lines(rate(list, 'events_total')),
      latency: lines(commitLatency(list, 0.5), commitLatency(list, 0.99)),
      memory: lines(level(list, (one) => one.resident_bytes)),
      errors: lines(rate(list, 'bad_requests_total'), rate(list, 'runs_failed_total')),
      requests: lines(rate(list, 'requests_total')),
      sent: lines(rate(list, 'sent_bytes_total')),
    };
  }, [list]);
  return (
    <div class="plots">
      <Plot title="Streams" lines={[{name: 'open', colour: 'accent'}]} data={data.streams} words={amount} whole />
      <Plot title="Runs" lines={[{name: 'under way', colour: 'accent'}]} data={data.runs} words={amount} whole />
      <Plot title="Events" lines={[{name: 'written', colour: 'info'}]} data={data.events} words={perSecond} />
      <Plot title="Commits" lines={[{name: 'p50', colour: 'info'}, {name: 'p99', colour: 'warn'}]} data={data.latency} words={ms} />
      <Plot title="Memory" lines={[{name: 'resident', colour: 'good'}]} data={data.memory} words={bytes} />
      <Plot title="Errors" lines={[{name: 'requests', colour: 'warn'}, {name: 'runs', colour: 'bad'}]} data={data.errors} words={perSecond} />
      <Plot title="Requests" lines={[{name: 'answered', colour: 'accent'}]} data={data.requests} words={perSecond} />
      <Plot title="Sent" lines={[{name: 'bytes', colour: 'info'}]} data={data.sent} words={perSecondBytes} />
    </div>
  );
}
