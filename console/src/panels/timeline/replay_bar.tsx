import {count, duration} from '../../ui/format';
import type {TimelineStore} from './store';

// Shown while events are played again: how fast, how far, and what one waits for.
export function ReplayBar({store}: {store: TimelineStore}) {
  const replay = store.replay.value;
  if (!replay) return null;
  void store.version.value;
  return (
    <div class="replay-bar" role="group" aria-label="Replay">
      <span class="replay-word">Replay</span>
      <button type="button" class="button small" onClick={() => store.pauseReplay(!replay.paused)}>{replay.paused ? 'Go on' : 'Pause'}</button>
      <span class="button-row">
        {([1, 4, 'max'] as const).map((speed) => (
          <button key={speed} type="button" class="button small" aria-pressed={replay.speed === speed}
            onClick={() => store.setSpeed(speed)}>{speed === 'max' ? 'max' : `${speed}×`}</button>
        ))}
      </span>
      <span class="number">{count(store.rows.events.length)} of {count(store.all.length)}</span>
      {replay.waitMs >= 1000 && (
        <span>next in {duration(replay.waitMs)} <button type="button" class="button small quiet" onClick={() => store.skipWait()}>Skip</button></span>
      )}
      <button type="button" class="button small quiet" onClick={() => store.stopReplay()}>End the replay</button>
    </div>
  );
}
