// A run, followed from its first event; null without one. `onOver` is called when it ends while it is watched.
import {useEffect, useState} from 'preact/hooks';
import {isOver} from '../../api/types';
import {watchLog} from '../../hub/client';
import {emptyRun, foldEvents, type RunView} from '../../run/fold';

export interface LiveRun {runId: string; view: RunView}

export function useLiveRun(runId: string, onOver?: () => void): LiveRun | null {
  const [live, setLive] = useState<LiveRun | null>(null);
  useEffect(() => {
    if (runId === '') return undefined;
    let view = emptyRun();
    let caughtUp = false;
    return watchLog(runId, {
      events(batch) {
        view = foldEvents(view, batch);
        if (!caughtUp) return;  // the past, in portions: not what is going on
        setLive({runId, view});
        if (isOver(view.status)) onOver?.();
      },
      caughtUp() {
        caughtUp = true;
        setLive({runId, view});
      },
    });
  }, [runId, onOver]);
  return live?.runId === runId ? live : null;
}
