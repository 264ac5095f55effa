// One agent: what it is, its tools, its file.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import type {Agent, AgentFault, AgentTool} from '../../api/types';
import {href} from '../../router';
import {CodeBlock} from '../../ui/code_block';
import {plural} from '../../ui/format';
import {JsonView} from '../../ui/json_view';
import {chooseAgent} from '../chat/agents';
import {ENGINE_TOOLS} from '../tasks/execution';
import {Fault} from './fault';
import {TryTool} from './try_tool';

export function AgentView({agent, fault}: {agent: Agent; fault: AgentFault | undefined}) {
  return (
    <article class="agent">
      <header>
        <a class="agents-back" href={href('agents')}>All agents</a>
        <div class="row wrap">
          <h2 class="grow">{agent.name}</h2>
          <a class="button" href={href('chat')} onClick={() => chooseAgent(agent.name)}>Chat</a>
        </div>
        <p>{agent.description}</p>
      </header>
      {fault && <Fault fault={fault} />}
      <dl class="agent-facts">
        <Fact name="Model">{agent.provider === agent.model ? agent.model : `${agent.provider} · ${agent.model}`}</Fact>
        <Fact name="Works with">{agent.style === 'code' ? 'Python in the sandbox' : 'tool calls'}</Fact>
        <Fact name="Steps">at most {agent.max_steps}{agent.planning_interval > 0 && `, a plan every ${agent.planning_interval}`}</Fact>
        <Fact name="Default of">{agent.default_of.join(', ') || 'no contract'}</Fact>
        <Fact name="File">{agent.file ?? 'in the binary'}</Fact>
        <Fact name="Version"><code>{agent.version}</code></Fact>
      </dl>
      <section aria-label="Tools">
        <h3>{agent.tools.length === 0 ? 'No tools' : plural(agent.tools.length, 'tool')}</h3>
        {agent.tools.length > 0 && <ul class="tools">{agent.tools.map((tool) => <li key={tool.name}><Tool agent={agent} tool={tool} /></li>)}</ul>}
      </section>
      {agent.yaml !== null && (
        <section aria-label="As loaded">
          <h3>As loaded</h3>
          <CodeBlock code={agent.yaml} language="yaml" />
        </section>
      )}
    </article>
  );
}

function Fact({name, children}: {name: string; children: ComponentChildren}) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

const POLICY = {ask: 'asks first', auto: 'runs without asking', deny: 'never runs'};

function Tool({agent, tool}: {agent: Agent; tool: AgentTool}) {
  const [open, setOpen] = useState(false);
  const [schema, setSchema] = useState(false);
  const own = ENGINE_TOOLS.has(tool.name);
  return (
    <div class="tool">
      <div class="row">
        <div class="tool-marks">
          <code class="tool-name">{tool.name}</code>
          <span class={`tool-badge ${tool.writes ? 'writes' : 'reads'}`}>{tool.writes ? 'writes' : 'reads'}</span>
          {tool.writes && <span class={`tool-badge policy-${tool.policy}`}>{POLICY[tool.policy]}</span>}
          {tool.writes && tool.idempotent && <span class="tool-badge">idempotent</span>}
        </div>
        <button type="button" class="button small quiet" aria-expanded={schema} aria-label={`Schema of ${tool.name}`} onClick={() => setSchema(!schema)}>Schema</button>
        {own
          ? <span class="faint">the engine’s own</span>
          : <button type="button" class="button small" aria-expanded={open} aria-label={`Try ${tool.name}`} onClick={() => setOpen(!open)}>Try</button>}
      </div>
      <p class="tool-description">{tool.description}</p>
      {schema && <div class="tool-schema"><JsonView value={tool.parameters} open={6} /></div>}
      {open && <TryTool agent={agent} tool={tool} />}
    </div>
  );
}
