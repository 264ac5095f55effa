// The runs of the open session, one after the other. The view keeps to the end as long as the reader is there.
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {Message} from '../../api/types';
import {readSession} from '../../api/sessions';
import {ErrorBox, Icon, Spinner} from '../../ui/parts';
import {RunCard, type RunNews} from './run_card';
import type {RunRow, SessionRuns} from './session_runs';

const nearEnd = 80;  // pixels from the end that still count as being there

export function Conversation({session, runs, news}: {session: string; runs: SessionRuns; news: (runId: string, now: RunNews) => void}) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const atEnd = useRef(true);
  const {messages, problem} = useMessages(session);

  // Earlier runs come in front, and their texts a little later: what is being read stays where it is meanwhile.
  const held = useRef<{run: HTMLElement; top: number} | null>(null);
  const loadEarlier = (button: HTMLElement) => {
    const run = button.parentElement!.querySelector<HTMLElement>('.run');
    if (run) held.current = {run, top: run.offsetTop - scroller.current!.scrollTop};
    setTimeout(() => { held.current = null; }, 2000);
    runs.loadEarlier();
  };

  const toEnd = () => {
    atEnd.current = true;
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
  };
  useLayoutEffect(() => {
    const box = scroller.current!;
    const grown = new ResizeObserver(() => {
      if (atEnd.current) box.scrollTop = box.scrollHeight;
      else if (held.current) box.scrollTop = held.current.run.offsetTop - held.current.top;
      setAway(box.scrollHeight - box.scrollTop - box.clientHeight > nearEnd);
    });
    grown.observe(content.current!);
    grown.observe(box);
    return () => grown.disconnect();
  }, []);
  // A new run, also one of another page, is looked at from its beginning.
  const last = runs.rows.at(-1)?.runId;
  useEffect(() => { if (last) toEnd(); }, [last]);

  const scrolled = () => {
    const box = scroller.current!;
    const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
    atEnd.current = rest <= nearEnd;
    setAway(rest > nearEnd);
  };
  return (
    <div class="conversation">
      <div class="conversation-scroll" ref={scroller} onScroll={scrolled} tabIndex={0} role="region" aria-label="Conversation">
        <div class="conversation-content" ref={content}>
          {runs.earlier && <button type="button" class="button small quiet" onClick={(event) => loadEarlier(event.currentTarget)}>Show earlier runs</button>}
          <ErrorBox error={runs.error ?? problem} />
          {runs.loading && runs.rows.length === 0 && <div class="centre"><Spinner /></div>}
          {runs.rows.map((row, index) => (
            <RunCard key={row.runId} row={row} kept={keptAnswer(messages, runs.rows, index)} news={news} />
          ))}
        </div>
      </div>
      {away && (
        <button type="button" class="button to-end" onClick={toEnd} aria-label="To the latest"><Icon path="M12 5v14 M6 13l6 6 6-6" size={16} />Latest</button>
      )}
    </div>
  );
}

function useMessages(session: string): {messages: Message[]; problem: unknown} {
  const [messages, setMessages] = useState<Message[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    setMessages([]);
    setProblem(null);
    if (session !== '') void readSession(session).then((found) => setMessages(found.messages), setProblem);
  }, [session]);
  return {messages, problem};
}

// The answer to a run in the messages of its session: the n-th time that this was asked, and what the agent said after it.
function keptAnswer(messages: Message[], rows: RunRow[], index: number): string | null {
  const text = rows[index]!.text;
  const turn = rows.slice(0, index).filter((row) => row.text === text).length;
  const places = messages.flatMap((message, place) => (message.role === 'user' && message.content.startsWith(text) ? [place] : []));
  const answer = messages[(places[turn] ?? -2) + 1];
  return answer?.role === 'assistant' ? answer.content : null;
}
