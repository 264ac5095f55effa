// An agent file that could not be loaded, and why, fault by fault.
import type {AgentFault} from '../../api/types';
import {VisibleText} from '../../ui/hidden_chars';

export function Fault({fault}: {fault: AgentFault}) {
  return (
    <section class="agent-fault" role="alert" aria-label={`Faults in ${fault.file}`}>
      <h2><VisibleText text={fault.file} /></h2>
      <p>{fault.kept ? `It is not loaded as it is now. Agent ${fault.kept} stays as it was.` : 'It is not loaded.'}</p>
      <ul>{fault.lines.map((line, i) => <li key={i}><code><VisibleText text={line} /></code></li>)}</ul>
    </section>
  );
}
