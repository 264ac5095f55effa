// How many runs and messages a session has. The list of sessions does not say; each row asks when it comes into sight.
import {useEffect, useRef, useState} from 'preact/hooks';
import {listRuns} from '../../api/runs';
import {readSession} from '../../api/sessions';
import type {Session} from '../../api/types';

const runsMax = 100;

export function useCounts(session: Session) {
  const row = useRef<HTMLTableRowElement>(null);
  const [inSight, setInSight] = useState(false);
  const [counts, setCounts] = useState({runs: '', messages: ''});
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) setInSight(true); });
    observer.observe(row.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!inSight) return;
    let gone = false;
    Promise.all([listRuns({session_id: session.id, limit: runsMax}), readSession(session.id)]).then(([page, detail]) => {
      if (!gone) setCounts({runs: page.next === null ? String(page.items.length) : `${runsMax}+`, messages: String(detail.messages.length)});
    }, () => {});
    return () => { gone = true; };
  }, [inSight, session.updatedAt]);
  return {row, counts};
}
