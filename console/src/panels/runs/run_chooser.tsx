// The last runs, to choose one from: for panels that show one run and were opened without any.
import {useEffect, useState} from 'preact/hooks';
import {listRuns} from '../../api/runs';
import type {RunItem} from '../../api/types';
import {onNotice, onReconnect} from '../../hub/client';
import {href} from '../../router';
import {plural} from '../../ui/format';
import {Empty, ErrorBox, Spinner, StatusBadge, Time} from '../../ui/parts';
import {showControls} from '../../ui/visible_text';
import './run_chooser.css';

const shown = 8;

export function RunChooser({panel}: {panel: 'run' | 'ways'}) {
  const [runs, setRuns] = useState<RunItem[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const read = () => listRuns({limit: shown}).then((page) => { setRuns(page.items); setError(null); }, setError);
  useEffect(() => {
    void read();
    const stops = [onNotice((notice) => { if (notice.what === 'run') void read(); }), onReconnect(() => void read())];
    return () => { for (const stop of stops) stop(); };
  }, []);
  if (error) return <ErrorBox error={error} retry={() => void read()} />;
  if (!runs) return <Spinner label="Reading the last runs" />;
  if (runs.length === 0) return <Empty title="No runs yet">Ask an agent something in the <a href={href('chat')}>chat</a>.</Empty>;
  return (
    <ul class="run-chooser">
      {runs.map((run) => (
        <li key={run.run_id}>
          <a href={href(panel, run.run_id)}>
            <StatusBadge status={run.status} />
            <span class="run-chooser-text cut">{showControls(run.text || run.session_title)}</span>
            <span class="faint cut">{run.agent} · {run.contract} · {plural(run.events, 'event')}</span>
            <span class="faint"><Time at={run.created_at} /></span>
          </a>
        </li>
      ))}
    </ul>
  );
}
