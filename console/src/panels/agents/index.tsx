// Agents: each as it is loaded now, with its tools to try, and what is wrong with files that could not be loaded.
import {useEffect, useState} from 'preact/hooks';
import {getText} from '../../api/http';
import type {AgentList} from '../../api/types';
import {href, route} from '../../router';
import {Empty, ErrorBox, Spinner} from '../../ui/parts';
import {AgentView} from './agent_view';
import {Fault} from './fault';
import './agents.css';

const LOOK_AGAIN_MS = 4000; // Files are read again while the server runs.

export default function Agents() {
  const [list, problem] = useAgents();
  const name = route.value.id;
  const agent = list?.agents.find((one) => one.name === name);
  return (
    <div class={`agents-panel${name ? ' with-agent' : ''}`}>
      <section class="agents-list" aria-label="All agents">
        <h1>Agents</h1>
        <ErrorBox error={list ? null : problem} />
        {!list && !problem && <Spinner />}
        {list && list.faults.length > 0 && (
          <a class="agents-faulty" href={href('agents')}>{list.faults.length === 1 ? 'One file is at fault' : `${list.faults.length} files are at fault`}</a>
        )}
        <ul>
          {list?.agents.map((one) => (
            <li key={one.name}>
              <a href={href('agents', one.name)} aria-current={one.name === name ? 'page' : undefined}>
                <b>{one.name}</b><span class="faint">{one.description}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <div class="agents-main">
        {list && !agent && list.faults.map((fault) => <Fault key={fault.file} fault={fault} />)}
        {agent && <AgentView key={agent.name} agent={agent} fault={list!.faults.find((one) => one.kept === agent.name || one.file === agent.file)} />}
        {list && name && !agent && <Empty title={`There is no agent ${name}`} />}
        {list && !name && list.faults.length === 0 && <Empty title="Choose an agent">See what it is told, which tools it has, and try one of them.</Empty>}
      </div>
    </div>
  );
}

function useAgents(): [AgentList | null, unknown] {
  const [text, setText] = useState<string | null>(null);
  const [list, setList] = useState<AgentList | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const read = () => {
      if (!document.hidden) void getText('/console/agents').then(setText, setProblem);
    };
    read();
    const timer = setInterval(read, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  // Most of the time nothing has changed; then nothing is drawn.
  useEffect(() => { if (text !== null) setList(JSON.parse(text) as AgentList); }, [text]);
  return [list, problem];
}
