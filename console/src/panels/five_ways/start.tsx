// Before a run is chosen: what there is to see, and the two ways to see it.
import {useState} from 'preact/hooks';
import {contracts} from '../../api/curl';
import {beginRun} from '../../api/runs';
import {go, href} from '../../router';
import {toastError} from '../../ui/toast';
import {RunChooser} from '../runs/run_chooser';
import {contractWords} from './contract_words';

const wish = 'Write a haiku about rivers to haiku.md';

export function Start() {
  const [starting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      go(href('ways', (await beginRun({agent: 'writer', message: wish})).run_id));
    } catch (error) {
      toastError(error);
      setStarting(false);
    }
  };
  return (
    <div class="page ways-start">
      <div class="ways-start-head">
        <h1>One run, told five ways</h1>
        <p>A run has one log. Every contract is a way of telling it, so a front end that speaks any of them can watch any run. Here you see all five at once, frame by frame, as they are on the wire.</p>
      </div>
      <ul class="ways-start-contracts">
        {contracts.map((contract) => <li key={contract} class={`contract-${contract}`}><strong>{contract}</strong><span>{contractWords[contract]}</span></li>)}
      </ul>
      <div class="ways-start-now card">
        <div>
          <h2>Start one now</h2>
          <p>The agent <em>writer</em> is asked: “{wish}”. It will ask you before it writes the file.</p>
        </div>
        <button type="button" class="button primary" disabled={starting} onClick={() => void start()}>{starting ? 'Starting…' : 'Start one now'}</button>
      </div>
      <section aria-label="Last runs">
        <h2>Or choose one of the last runs</h2>
        <RunChooser panel="ways" />
      </section>
    </div>
  );
}
