// Where the goal is said, and later everything about the plan.
import {useEffect, useRef, useState} from 'preact/hooks';
import {beginRun} from '../../api/runs';
import type {RunBegun} from '../../api/types';
import {ErrorBox} from '../../ui/parts';

export interface GoalFormProps {
  sessionId?: string;
  busy?: boolean;
  autofocus?: boolean;
  examples?: string[];
  placeholder?: string;
  onBegun(run: RunBegun): void;
}

export function GoalForm({sessionId, busy = false, autofocus = false, examples = [], placeholder = 'A goal', onBegun}: GoalFormProps) {
  const [text, setText] = useState('');
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => { if (autofocus) area.current?.focus(); }, []);
  const send = async () => {
    if (sending || busy || text.trim() === '') return;
    setSending(true);
    setProblem(null);
    try {
      const run = await beginRun({message: text, way: 'tasks', ...(sessionId ? {session_id: sessionId} : {})});
      setText('');
      onBegun(run);
    } catch (error) {
      setProblem(error);
    }
    setSending(false);
  };
  return (
    <form class="goal-form" onSubmit={(event) => { event.preventDefault(); void send(); }}>
      <ErrorBox error={problem} />
      {examples.length > 0 && (
        <ul class="goal-examples">
          {examples.map((example) => (
            <li key={example}>
              <button type="button" class="button small" onClick={() => { setText(example); area.current?.focus(); }}>{example}</button>
            </li>
          ))}
        </ul>
      )}
      <div class="goal-entry">
        <textarea ref={area} class="textarea" rows={autofocus ? 3 : 2} value={text} placeholder={placeholder} aria-label="Goal"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }} />
        <button type="submit" class="button primary" disabled={sending || busy || text.trim() === ''}>{sending ? 'Sending…' : 'Plan'}</button>
      </div>
    </form>
  );
}
