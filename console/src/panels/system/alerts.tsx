// What agents told the administrators, the newest first.
import {href} from '../../router';
import {Empty, Time} from '../../ui/parts';
import {spelled} from '../../api/ids';
import {VisibleText} from '../../ui/hidden_chars';
import {alerts} from './use_system';

export function Alerts() {
  const list = alerts.value;
  return (
    <section class="alerts" aria-label="Alerts">
      <h2>Alerts</h2>
      {list?.length === 0 && <Empty title="No alerts">Agents with the tool <code>alert_admin</code> can call you here.</Empty>}
      <ul>
        {list?.map((alert) => (
          <li key={alert.ticket} class={`alert alert-${alert.priority}`}>
            <span class="alert-priority">{alert.priority}</span>
            <span class="alert-text"><VisibleText text={alert.message} /></span>
            <span class="faint">#{alert.ticket} · <VisibleText text={alert.user_id} /> · <Time at={alert.created_at} /> · <a href={href('run', spelled('run', alert.run_id))}>log</a></span>
          </li>
        ))}
      </ul>
    </section>
  );
}
