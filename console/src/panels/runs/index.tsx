// Sessions and runs: everything that was ever asked, to search through.
import {href, route} from '../../router';
import {RunsTab} from './runs_tab';
import {SessionsTab} from './sessions_tab';
import './runs.css';

export default function Runs() {
  const {query} = route.value;
  const sessions = query.get('tab') === 'sessions';
  const session = query.get('session') ?? '';
  return (
    <div class="page runs-page">
      <div class="page-head">
        <h1>{sessions ? 'Sessions' : 'Runs'}</h1>
        <nav class="tabs" aria-label="What is listed">
          <a href={href('runs')} aria-current={sessions ? undefined : 'page'}>Runs</a>
          <a href={`${href('runs')}?tab=sessions`} aria-current={sessions ? 'page' : undefined}>Sessions</a>
        </nav>
      </div>
      {sessions ? <SessionsTab /> : <RunsTab key={session} session={session} />}
    </div>
  );
}
