// The view of a run, live, for a component.
import {useEffect, useState} from 'preact/hooks';
import {watchLog} from '../hub/client';
import {emptyRun, foldEvents} from './fold';
import type {RunView} from './view';

export interface Watched {view: RunView; caughtUp: boolean; refusal: {status: number; error: string} | null}

export function useRun(runId: string): Watched {
  const [watched, setWatched] = useState<Watched>(() => ({view: emptyRun(), caughtUp: false, refusal: null}));
  useEffect(() => {
    let view = emptyRun();
    setWatched({view, caughtUp: false, refusal: null});
    return watchLog(runId, {
      events: (batch) => {
        view = foldEvents(view, batch);
        setWatched((before) => ({...before, view}));
      },
      caughtUp: () => setWatched((before) => ({...before, caughtUp: true})),
      over: () => setWatched((before) => ({...before, caughtUp: true})),
      refused: (status, error) => setWatched((before) => ({...before, caughtUp: true, refusal: {status, error}})),
    });
  }, [runId]);
  return watched;
}
