import {spelled} from '../../api/ids';
import {isOver, type Session} from '../../api/types';
import {href} from '../../router';
import {ErrorBox, Icon, Spinner, Time} from '../../ui/parts';
import {visible} from '../../ui/hidden_chars';
import {readSessions, sessions, sessionsError, sessionsTotal, showMoreSessions, working} from './sessions';

export function SessionList({current, chosen}: {current: string; chosen?: () => void}) {
  const list = sessions.value;
  return (
    <div class="session-list">
      <a class="button" href={href('chat')} onClick={chosen}><Icon path="M12 5v14 M5 12h14" size={16} />New chat</a>
      <ErrorBox error={sessionsError.value} retry={() => void readSessions()} />
      {list === null && !sessionsError.value && <Spinner />}
      {list?.length === 0 && <p class="faint session-none">What you talk about is listed here.</p>}
      <ul>
        {list?.map((session) => <li key={session.id}><SessionLink session={session} current={current} chosen={chosen} /></li>)}
      </ul>
      {list && sessionsTotal.value > list.length && <button type="button" class="button small quiet" onClick={showMoreSessions}>Show more</button>}
    </div>
  );
}

function SessionLink({session, current, chosen}: {session: Session; current: string; chosen?: (() => void) | undefined}) {
  const id = spelled('sess', session.id);
  const status = working.value.get(id);
  return (
    <a class="session-link" href={href('chat', id)} aria-current={id === current ? 'page' : undefined} onClick={chosen}>
      <span class="session-title cut">{visible(session.title)}</span>
      <span class="session-facts">
        <Time at={session.updatedAt} />
        {status && !isOver(status) && <span class={`session-live badge-${status}`}>{status === 'waiting_approval' ? 'asks' : 'at work'}</span>}
      </span>
    </a>
  );
}
