// The line above the conversation: the title, and on a phone the way to the other sessions.
import {useEffect, useRef, useState} from 'preact/hooks';
import {deleteSession, renameSession} from '../../api/sessions';
import {go, href} from '../../router';
import {Dialog} from '../../ui/dialog';
import {Icon} from '../../ui/parts';
import {toastError} from '../../ui/toast';
import {visible} from '../../ui/hidden_chars';
import {SessionList} from './session_list';
import {readSessions, sessionOf} from './sessions';

type Open = 'sessions' | 'rename' | 'delete' | null;

export function ChatHead({session}: {session: string}) {
  const [open, setOpen] = useState<Open>(null);
  const title = sessionOf(session)?.title ?? (session === '' ? 'New chat' : 'Chat');
  return (
    <header class="chat-head">
      <button type="button" class="button small quiet icon-only chat-drawer-button" aria-label="Sessions" onClick={() => setOpen('sessions')}>
        <Icon path="M4 6h16 M4 12h16 M4 18h16" size={18} />
      </button>
      <h1 class="cut grow">{visible(title)}</h1>
      {session !== '' && (
        <>
          <button type="button" class="button small quiet" onClick={() => setOpen('rename')}>Rename</button>
          <button type="button" class="button small quiet" onClick={() => setOpen('delete')}>Delete</button>
          <a class="button small quiet icon-only chat-drawer-button" href={href('chat')} aria-label="New chat">
            <Icon path="M12 5v14 M5 12h14" size={18} />
          </a>
        </>
      )}
      {open === 'sessions' && <Drawer session={session} close={() => setOpen(null)} />}
      {open === 'rename' && <Rename session={session} title={title} close={() => setOpen(null)} />}
      {open === 'delete' && <Delete session={session} title={title} close={() => setOpen(null)} />}
    </header>
  );
}

function Drawer({session, close}: {session: string; close: () => void}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current!.showModal(), []);
  return (
    <dialog ref={element} class="drawer" aria-label="Sessions" onClose={close}
      onClick={(event) => { if (event.target === element.current) close(); }}>
      <div class="drawer-body"><SessionList current={session} chosen={close} /></div>
    </dialog>
  );
}

function Rename({session, title, close}: {session: string; title: string; close: () => void}) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      await renameSession(session, String(new FormData(event.target as HTMLFormElement).get('title')));
      void readSessions();
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title="Rename the session" close={close}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label>Title<input class="input" name="title" defaultValue={title} maxLength={200} required autofocus /></label>
        <div class="row">
          <button type="submit" class="button primary">Rename</button>
          <button type="button" class="button quiet" onClick={close}>Cancel</button>
        </div>
      </form>
    </Dialog>
  );
}

function Delete({session, title, close}: {session: string; title: string; close: () => void}) {
  const remove = async () => {
    try {
      await deleteSession(session);
      close();
      go(href('chat'));
      void readSessions();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title="Delete the session?" close={close}>
      <div class="stack">
        <p>“{visible(title)}” goes with its messages, runs, files and tasks, also from the disk. A run that is at work is stopped.</p>
        <div class="row">
          <button type="button" class="button danger" onClick={() => void remove()}>Delete</button>
          <button type="button" class="button quiet" onClick={close}>Cancel</button>
        </div>
      </div>
    </Dialog>
  );
}
