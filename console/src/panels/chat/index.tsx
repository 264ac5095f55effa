// The chat panel: sessions at the left, the open one beside them, the composer below.
import {useEffect, useRef, useState} from 'preact/hooks';
import {randomName, spelled} from '../../api/ids';
import {beginRun, interruptRun, type Ask} from '../../api/runs';
import {isOver} from '../../api/types';
import {href, replace, route} from '../../router';
import {toast, toastError} from '../../ui/toast';
import {agentName, chooseAgent, chooseWay, readAgents, way, wayOfContract} from './agents';
import {Composer} from './composer';
import {Conversation} from './conversation';
import {DropZone} from './drop_zone';
import {ChatHead} from './head';
import type {RunNews} from './run_card';
import {SessionList} from './session_list';
import {useSessionRuns, type RunRow} from './session_runs';
import {followSessions, readSessions} from './sessions';
import {TaskOffer} from './task_offer';
import {Welcome, type Example} from './welcome';
import './chat.css';
import './run.css';

const filesMax = 10;

export default function Chat() {
  const session = route.value.id === '' ? '' : spelled('sess', route.value.id);
  const runs = useSessionRuns(session);
  const [files, setFiles] = useState<File[]>([]);
  const [sending, setSending] = useState(false);
  const {newest, news} = useNewest(runs.rows.at(-1));
  const busy = newest !== null && !isOver(newest.status);
  // A message that was sent but not answered is sent again with its key, and is the same run.
  const attempt = useRef({of: '', key: ''});
  useEffect(followSessions, []);
  useEffect(() => void readAgents(), []);
  useEffect(() => setFiles([]), [session]);
  const last = runs.rows.at(-1);
  useEffect(() => {
    if (!last?.agent) return;
    chooseAgent(last.agent);
    chooseWay(wayOfContract(last.contract));
  }, [session, last?.runId]);

  const begin = async (ask: Ask): Promise<boolean> => {
    const whole: Ask = {...ask, ...(session === '' ? {} : {session_id: session})};
    const of = JSON.stringify([whole, files.map((file) => [file.name, file.size, file.lastModified])]);
    if (attempt.current.of !== of) attempt.current = {of, key: randomName()};
    setSending(true);
    try {
      const begun = await beginRun(whole, attempt.current.key);
      attempt.current = {of: '', key: ''};
      runs.add({runId: spelled('run', begun.run_id), text: ask.message ?? '', agent: ask.agent ?? agentName.value, contract: contractOf(ask), status: 'queued'});
      replace(href('chat', spelled('sess', begun.session_id)));
      setFiles([]);
      if (session === '') void readSessions();
      return true;
    } catch (error) {
      toastError(error);
      return false;
    } finally {
      setSending(false);
    }
  };
  const send = (text: string) => begin({message: text, agent: agentName.value, way: way.value, ...(files.length > 0 ? {files} : {})});
  const example = ({message, agent, way: chosen}: Example) => {
    chooseAgent(agent);
    chooseWay(chosen);
    void begin({message, agent, way: chosen});
  };
  const addFiles = (all: File[]) => {
    if (all.length > filesMax) toast(`A message takes at most ${filesMax} files.`, 'bad');
    setFiles(all.slice(0, filesMax));
  };
  const stop = () => void interruptRun(session, runs.rows.at(-1)!.runId).catch(toastError);
  const fresh = session === '' && runs.rows.length === 0;
  return (
    <DropZone drop={(dropped) => addFiles([...files, ...dropped])}>
      <aside class="chat-side" aria-label="Sessions"><SessionList current={session} /></aside>
      <div class="chat">
        <ChatHead session={session} />
        {fresh ? <Welcome begin={example} disabled={sending} /> : <Conversation key={session} session={session} runs={runs} news={news} />}
        {newest && !busy && newest.pendingTasks > 0 && (
          <TaskOffer count={newest.pendingTasks} session={session} begin={() => void begin({way: 'execute'})} disabled={sending} />
        )}
        <p class="visually-hidden" role="status">{newest ? statusWords[newest.status] : ''}</p>
        <Composer session={session} busy={busy} sending={sending} files={files} setFiles={addFiles} send={send} stop={stop} />
      </div>
    </DropZone>
  );
}

// Read out when it changes; not every word of the answer.
const statusWords: Record<string, string> = {
  queued: 'The run waits for its turn.', running: 'The agent is working.', waiting_approval: 'The agent asks for permission.',
  interrupting: 'The run is being stopped.', completed: 'The answer is complete.', failed: 'The run failed.', interrupted: 'The run was stopped.',
};

const contractOf = (ask: Ask): string => (ask.way === 'steps' ? 'steps' : ask.way === 'tasks' || ask.way === 'execute' ? 'tasks' : 'runs');

// What is known of the newest run: until its log is read, what the list says.
function useNewest(row: RunRow | undefined): {newest: RunNews | null; news: (of: string, now: RunNews) => void} {
  const [known, setKnown] = useState<ReadonlyMap<string, RunNews>>(new Map());
  const news = (of: string, now: RunNews) => setKnown((old) => new Map(old).set(of, now));
  return {newest: row === undefined ? null : (known.get(row.runId) ?? {status: row.status, pendingTasks: 0}), news};
}
