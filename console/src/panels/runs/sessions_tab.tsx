import {useEffect, useState} from 'preact/hooks';
import type {Session} from '../../api/types';
import {go, href} from '../../router';
import {Dialog} from '../../ui/dialog';
import {plural} from '../../ui/format';
import {Empty, ErrorBox, Spinner, Time} from '../../ui/parts';
import {toast, toastError} from '../../ui/toast';
import {showControls} from '../../ui/visible_text';
import {moveBetweenRows} from './row_keys';
import {useCounts} from './session_counts';
import {SessionList} from './session_list';

type Doing = {what: 'rename' | 'delete'; session: Session} | null;

export function SessionsTab() {
  const [list] = useState(() => new SessionList());
  const [doing, setDoing] = useState<Doing>(null);
  useEffect(() => () => list.close(), [list]);
  const sessions = list.sessions.value;
  const close = () => setDoing(null);
  return (
    <>
      {list.error.value !== null && <ErrorBox error={list.error.value} retry={() => void list.read()} />}
      {sessions === null && list.error.value === null && <div class="centre"><Spinner label="Reading the sessions" /></div>}
      {sessions?.length === 0 && <Empty title="No sessions yet">The <a href={href('chat')}>chat</a> makes one with the first message.</Empty>}
      {sessions !== null && sessions.length > 0 && (
        <div class="table-scroll">
          <table class="list-table" onKeyDown={moveBetweenRows}>
            <thead>
              <tr>
                <th scope="col">Title</th><th scope="col">Status</th><th scope="col" class="right">Runs</th><th scope="col" class="right">Messages</th>
                <th scope="col" class="right">Updated</th><th scope="col"><span class="visually-hidden">Change</span></th>
              </tr>
            </thead>
            <tbody>{sessions.map((session, place) => <SessionRow key={session.id} session={session} first={place === 0} onDo={setDoing} />)}</tbody>
          </table>
        </div>
      )}
      {sessions !== null && sessions.length < list.total.value && (
        <button type="button" class="button more" disabled={list.busy.value} onClick={() => void list.more()}>
          Load more ({plural(list.total.value - sessions.length, 'session')})
        </button>
      )}
      {doing?.what === 'rename' && <Rename session={doing.session} list={list} close={close} />}
      {doing?.what === 'delete' && <Delete session={doing.session} list={list} close={close} />}
    </>
  );
}

function SessionRow({session, first, onDo}: {session: Session; first: boolean; onDo: (doing: Doing) => void}) {
  const {row, counts} = useCounts(session);
  const open = () => go(href('chat', session.id));
  return (
    <tr ref={row} data-row data-session={session.id} tabIndex={first ? 0 : -1}
      onClick={(click) => { if (!(click.target as HTMLElement).closest('a, button')) open(); }}
      onKeyDown={(key) => { if (key.key === 'Enter' && key.target === key.currentTarget) open(); }}>
      <td class="run-asked"><a class="run-text cut" href={href('chat', session.id)}>{showControls(session.title)}</a></td>
      <td class="faint">{session.status}</td>
      <td data-name="Runs" class="right number">{counts.runs && <a href={`${href('runs')}?session=${session.id}`}>{counts.runs}</a>}</td>
      <td data-name="Messages" class="right number">{counts.messages}</td>
      <td data-name="Updated" class="right nowrap"><Time at={session.updatedAt} /></td>
      <td class="row-links">
        <button type="button" class="button small quiet" onClick={() => onDo({what: 'rename', session})}>Rename</button>
        <button type="button" class="button small quiet" onClick={() => onDo({what: 'delete', session})}>Delete</button>
      </td>
    </tr>
  );
}

interface Asking {session: Session; list: SessionList; close: () => void}

function Rename({session, list, close}: Asking) {
  const [title, setTitle] = useState(session.title);
  const save = async () => {
    try {
      await list.rename(session.id, title.trim());
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title="Rename the session" close={close}>
      <form class="dialog-form" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <label>Title <input class="input" value={title} maxLength={200} required autoFocus onInput={(input) => setTitle(input.currentTarget.value)} /></label>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={close}>Cancel</button>
          <button type="submit" class="button primary" disabled={title.trim() === ''}>Rename</button>
        </div>
      </form>
    </Dialog>
  );
}

function Delete({session, list, close}: Asking) {
  const remove = async () => {
    try {
      await list.remove(session.id);
      toast(`Deleted: ${showControls(session.title)}`);
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title="Delete the session?" close={close}>
      <div class="dialog-form">
        <p><strong>{showControls(session.title)}</strong>, its runs, messages and files will be gone. A run that goes on is stopped. This cannot be undone.</p>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={close}>Keep it</button>
          <button type="button" class="button danger" onClick={() => void remove()}>Delete</button>
        </div>
      </div>
    </Dialog>
  );
}
