// The first thing a new user sees: one click and an answer streams. Every example works without a key, with the model in the binary.
import type {Way} from '../../api/types';
import {Logo} from '../../logo';
import {Icon} from '../../ui/parts';
import {agents} from './agents';

export interface Example {title: string; hint: string; icon: string; agent: string; way: Way; message: string}

const examples: Example[] = [
  {title: 'Tell me a story', hint: 'Watch words stream in, reload in the middle, stop when you like', agent: 'assistant', way: 'converse',
    icon: 'M4 5c3-1.5 6-1 8 1 2-2 5-2.5 8-1v13c-3-1.5-6-1-8 1-2-2-5-2.5-8-1V5z M12 6v13', message: 'Tell me a long story about a river'},
  {title: 'Write a file, with your permission', hint: 'The agent asks before its tool changes anything', agent: 'writer', way: 'converse',
    icon: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6l7-3z M9 12l2 2 4-4', message: 'Write a haiku about rivers to haiku.md'},
  {title: 'Compute something in code', hint: 'A plan, then Python that really runs in a sandbox', agent: 'analyst', way: 'steps',
    icon: 'M8 8l-4 4 4 4 M16 8l4 4-4 4', message: 'What is the sum of the first 50 prime numbers?'},
  {title: 'Ask the knowledge base', hint: 'The answer quotes what a search tool found', agent: 'support', way: 'converse',
    icon: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z M16 16l4.5 4.5', message: 'How do I return an order?'},
  {title: 'Look after the server', hint: 'A status question to the operator, answered with live figures', agent: 'operator', way: 'converse',
    icon: 'M3 13h4l2-7 4 13 3-9 1.5 3H21', message: 'What is the status of the system?'},
  {title: 'Turn a goal into tasks', hint: 'Then let them be worked through, one by one', agent: 'planner', way: 'tasks',
    icon: 'M4 7l1.5 1.5L8 6 M4 15l1.5 1.5L8 14 M11 7.5h9 M11 15.5h9', message: 'Plan the launch of our new product in three tasks'},
];

export function Welcome({begin, disabled}: {begin: (example: Example) => void; disabled: boolean}) {
  const known = new Set(agents.value.map((one) => one.name));
  const shown = examples.filter((example) => known.size === 0 || known.has(example.agent));
  const offline = agents.value.some((one) => one.provider === 'offline');
  return (
    <div class="welcome">
      <div class="welcome-head">
        <Logo size={44} />
        <h1>What should an agent do for you?</h1>
        <p>Everything that happens is kept in the log of the run: reload, close the tab or lose the connection, and nothing is lost.</p>
      </div>
      <ul class="examples">
        {shown.map((example) => (
          <li key={example.title}>
            <button type="button" class="example" disabled={disabled} onClick={() => begin(example)}>
              <span class="example-icon"><Icon path={example.icon} /></span>
              <span class="example-words"><strong>{example.title}</strong><span>{example.hint}</span></span>
            </button>
          </li>
        ))}
      </ul>
      {offline && <p class="faint">No model key is set, so a small model in the server answers. It works without a network and follows simple rules.</p>}
    </div>
  );
}
