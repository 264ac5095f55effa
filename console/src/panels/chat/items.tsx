// What happened in a run, piece by piece. Each piece is drawn from one item of the view.
import {artifactFile} from '../../api/tasks';
import {duration, plural} from '../../ui/format';
import {CodeBlock} from '../../ui/code_block';
import {Markdown} from '../../ui/markdown';
import {Duration, Icon, StatusBadge} from '../../ui/parts';
import {visible, VisibleText} from '../../ui/hidden_chars';
import type {ArtifactItem, CodeItem, DataItem, Item, PlanItem, ReasoningItem, TaskItem, TasksItem} from '../../run/view';
import {CallView} from './call_view';

export function ItemView({item, sessionId}: {item: Item; sessionId: string}) {
  switch (item.kind) {
    case 'text': return item.text.trim() === '' ? null : <Markdown text={item.text} streaming={item.open} />;
    case 'answer': return <div class="answer"><Markdown text={item.text} /></div>;
    case 'reasoning': return <Reasoning item={item} />;
    case 'plan': return <Plan item={item} />;
    case 'code': return <Code item={item} />;
    case 'call': return <CallView call={item} sessionId={sessionId} />;
    case 'tasks': return <Tasks item={item} />;
    case 'task': return <Task item={item} />;
    case 'artifact': return <Artifact item={item} sessionId={sessionId} />;
    case 'data': return <Data item={item} />;
    case 'note': return <p class={`run-note run-note-${item.tone}`}>{visible(item.text)}</p>;
  }
}

function Reasoning({item}: {item: ReasoningItem}) {
  return (
    <details class="fold">
      <summary>{item.open ? 'Thinking' : `Thought for ${duration((item.endedAt ?? item.at) - item.at)}`}</summary>
      <div class="fold-body faint"><VisibleText text={item.text} /></div>
    </details>
  );
}

function Plan({item}: {item: PlanItem}) {
  return (
    <section class="step" aria-label="Plan">
      <header class="step-head"><Icon path="M5 4h14v16H5z M8.5 8.5h7 M8.5 12h7 M8.5 15.5h4" size={16} /><span>Plan</span></header>
      <div class="step-body"><Markdown text={item.text} /></div>
    </section>
  );
}

function Code({item}: {item: CodeItem}) {
  const running = item.endedAt === null;
  return (
    <section class="step" aria-label="Code step">
      <header class="step-head">
        <Icon path="M8 8l-4 4 4 4 M16 8l4 4-4 4" size={16} /><span>Code</span>
        <span class="step-facts">
          {running ? <StatusBadge status="running" /> : item.error ? <StatusBadge status="failed" /> : null}
          {running ? <Duration since={item.at} /> : <Duration ms={item.endedAt! - item.at} />}
        </span>
      </header>
      <div class="step-body">
        <CodeBlock code={item.code.trimEnd()} language="python" />
        {item.output.trim() !== '' && <CodeBlock code={visible(item.output.trimEnd())} label="Output" />}
        {item.error !== '' && <pre class="error-text"><VisibleText text={item.error} /></pre>}
      </div>
    </section>
  );
}

function Tasks({item}: {item: TasksItem}) {
  return (
    <section class="step" aria-label="Tasks">
      <header class="step-head">
        <Icon path="M4 7l1.5 1.5L8 6 M4 15l1.5 1.5L8 14 M11 7.5h9 M11 15.5h9" size={16} />
        <span>{plural(item.tasks.length, 'task')}</span>
      </header>
      <ol class="task-lines">
        {item.tasks.map((task) => (
          <li key={task.id}>
            <div class="row"><strong class="grow">{visible(task.title)}</strong>{task.status !== 'pending' && <StatusBadge status={task.status} />}</div>
            {task.description !== '' && <p class="faint">{visible(task.description)}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Task({item}: {item: TaskItem}) {
  return (
    <section class="step" aria-label={`Task ${item.title}`}>
      <header class="step-head">
        <Icon path={item.status === 'done' ? 'M4 12l5 5L20 6' : item.status === 'failed' ? 'M6 6l12 12 M18 6L6 18' : 'M12 4v8l5 3'} size={16} /><span class="grow">{visible(item.title)}</span><StatusBadge status={item.status} />
      </header>
      {(item.result || item.error || item.reflection) && (
        <div class="step-body">
          {item.error !== '' && <pre class="error-text"><VisibleText text={item.error} /></pre>}
          {item.result !== '' && item.result !== item.error && <Markdown text={item.result} />}
          {item.reflection !== '' && (
            <details class="fold"><summary>Reflection</summary><div class="fold-body"><Markdown text={item.reflection} /></div></details>
          )}
        </div>
      )}
    </section>
  );
}

function Artifact({item, sessionId}: {item: ArtifactItem; sessionId: string}) {
  return (
    <details class="fold artifact">
      <summary>
        <Icon path="M6 3h8l4 4v14H6z M14 3v4h4" size={16} /><span class="grow cut">{visible(item.name)}</span><span class="faint">{visible(item.type)}</span>
      </summary>
      <div class="fold-body">
        <Markdown text={item.content} />
        <a class="button small" href={artifactFile(sessionId, item.artifactId)} download>Download</a>
      </div>
    </details>
  );
}

const operationWords = {create: 'Kept', update: 'Changed', delete: 'Deleted'};

function Data({item}: {item: DataItem}) {
  return (
    <details class="fold">
      <summary>
        <Icon path="M4 6h16v12H4z M4 11h16 M10 6v12" size={16} />{operationWords[item.operation]} a data item <span class="faint">{visible(item.type)}</span>
      </summary>
      <div class="fold-body"><pre class="result-text"><VisibleText text={item.data} /></pre></div>
    </details>
  );
}
