// Calls one tool with arguments from a form. The call is a run like any other: a model that only does what it is told makes it,
// under the agent's own approvals, and everything is in the log.
import {useMemo, useState} from 'preact/hooks';
import {beginRun} from '../../api/runs';
import type {Agent, AgentTool, RunBegun} from '../../api/types';
import {ErrorBox} from '../../ui/parts';
import {draftOf, jsonOf, jsonText, kindOf, type Draft, type Faults, type Schema} from './schema_field';
import {SchemaForm} from './schema_form';
import {ToolRun} from './tool_run';

export function TryTool({agent, tool}: {agent: Agent; tool: AgentTool}) {
  const schema = tool.parameters as Schema;
  const formFits = useMemo(() => kindOf({type: 'object', properties: {}, ...schema}) === 'group', [schema]);
  const [asJson, setAsJson] = useState(!formFits);
  const [draft, setDraft] = useState<Draft>(() => (formFits ? draftOf({properties: {}, ...schema, type: 'object'}) : {}));
  const [json, setJson] = useState('{}');
  const [faults, setFaults] = useState<Faults>(new Map());
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [run, setRun] = useState<RunBegun | null>(null);

  const written = (form = draft, text = json): [string | undefined, Faults] => {
    const found: Faults = new Map();
    return [asJson ? jsonText(text, found, '') : jsonOf({properties: {}, ...schema, type: 'object'}, form, true, found), found];
  };
  // Nothing is called wrong before the first try; after it, what is put right is so at once.
  const recheck = (found: Faults) => { if (faults.size > 0) setFaults(found); };
  const change = () => {
    const [text] = written();
    if (!asJson && text !== undefined) setJson(text);
    setAsJson(!asJson);
    setFaults(new Map());
  };
  const call = async (event: SubmitEvent) => {
    event.preventDefault();
    const [text, found] = written();
    setFaults(found);
    if (found.size > 0 || text === undefined) return;
    setBusy(true);
    setProblem(null);
    try {
      setRun(await beginRun({agent: `try:${agent.name}`, message: `call ${tool.name} ${text}`}));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };

  return (
    <form class="try-tool" aria-label={`Try ${tool.name}`} noValidate onSubmit={(event) => void call(event)}>
      {asJson
        ? <JsonArguments json={json} fault={faults.get('')} onChange={(text) => { setJson(text); recheck(written(draft, text)[1]); }} />
        : <SchemaForm schema={schema} draft={draft} faults={faults} onChange={(form) => { setDraft(form); recheck(written(form)[1]); }} />}
      {!asJson && Object.keys(schema.properties ?? {}).length === 0 && <p class="faint">It takes no arguments.</p>}
      <ErrorBox error={problem} />
      <div class="row wrap">
        <button type="submit" class="button primary" disabled={busy}>{busy ? 'Calling…' : `Call ${tool.name}`}</button>
        {formFits && <button type="button" class="button quiet" onClick={change}>{asJson ? 'Use the form' : 'Write JSON'}</button>}
        {faults.size > 0 && <span class="schema-fault" role="alert">Something is missing or wrong above.</span>}
      </div>
      {run && <ToolRun key={run.run_id} run={run} />}
    </form>
  );
}

function JsonArguments({json, fault, onChange}: {json: string; fault: string | undefined; onChange(text: string): void}) {
  return (
    <div class="schema-field">
      <label for="try-json">Arguments as JSON</label>
      {fault && <div class="schema-fault">{fault}</div>}
      <textarea id="try-json" class="textarea mono" rows={6} spellcheck={false} value={json} aria-invalid={fault !== undefined}
        onInput={(event) => onChange(event.currentTarget.value)} />
    </div>
  );
}
