// The inputs of a schema. Each says what it is for, what it must be, and what is wrong with it.
import type {ComponentChildren} from 'preact';
import {draftOf, isWhole, kindOf, type Draft, type Faults, type Schema} from './schema_field';

interface FieldProps {
  name: string;
  schema: Schema;
  needed: boolean;
  draft: Draft;
  path: string;
  depth: number;
  faults: Faults;
  item?: boolean; // of a list: it is there, so that it is needed goes without saying
  onChange(draft: Draft): void;
}

// The members of an object; the form itself is one.
export function SchemaForm({schema, draft, faults, onChange, path = '', depth = 0}:
  {schema: Schema; draft: Draft; faults: Faults; onChange(draft: Draft): void; path?: string; depth?: number}) {
  const members = draft as {[name: string]: Draft};
  return (
    <div class="schema-form">
      {Object.entries(schema.properties ?? {}).map(([name, part]) => (
        <Field key={name} name={name} schema={part} needed={(schema.required ?? []).includes(name)} draft={members[name] ?? draftOf(part, depth + 1)}
          path={`${path}/${name}`} depth={depth + 1} faults={faults} onChange={(value) => onChange({...members, [name]: value})} />
      ))}
    </div>
  );
}

function Field(props: FieldProps) {
  switch (kindOf(props.schema, props.depth)) {
    case 'group':
      return (
        <fieldset class="schema-group">
          <legend><Name {...props} /></legend>
          <Help {...props} />
          <SchemaForm schema={props.schema} draft={props.draft} faults={props.faults} onChange={props.onChange} path={props.path} depth={props.depth} />
        </fieldset>
      );
    case 'list':
      return <ListField {...props} />;
    default:
      return (
        <div class="schema-field">
          <label for={idOf(props)}><Name {...props} /></label>
          <Help {...props} />
          <Input {...props} />
        </div>
      );
  }
}

function ListField(props: FieldProps) {
  const {schema, path, depth, faults, onChange, name} = props;
  const items = props.draft as Draft[];
  const set = (place: number, value: Draft) => onChange(items.map((item, i) => (i === place ? value : item)));
  return (
    <fieldset class="schema-group">
      <legend><Name {...props} /></legend>
      <Help {...props} />
      {items.map((item, i) => (
        <div key={i} class="schema-item">
          <Field name={`${name} ${i + 1}`} schema={schema.items!} needed item draft={item} path={`${path}/${i}`} depth={depth + 1} faults={faults}
            onChange={(value) => set(i, value)} />
          <button type="button" class="button small quiet" aria-label={`Remove ${name} ${i + 1}`} onClick={() => onChange(items.filter((_, at) => at !== i))}>✕</button>
        </div>
      ))}
      <button type="button" class="button small" onClick={() => onChange([...items, draftOf(schema.items!, depth + 1)])}>Add to {name}</button>
    </fieldset>
  );
}

const idOf = ({path}: FieldProps) => `field${path.replaceAll('/', '-')}`;

function Name({name, schema, needed, item}: FieldProps) {
  return <><code>{name}</code> <span class="schema-type">{typeWords(schema)}</span>{needed && !item && <span class="schema-needed"> needed</span>}</>;
}

function typeWords(schema: Schema): string {
  if (Array.isArray(schema.enum)) return 'one of';
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  return type ?? 'any JSON';
}

function Help(props: FieldProps) {
  const {schema, path, faults} = props;
  const rules = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format']
    .filter((rule) => schema[rule] !== undefined).map((rule) => `${rule} ${String(schema[rule])}`);
  const fault = faults.get(path);
  const parts: ComponentChildren[] = [schema.description, rules.join(', ')].filter(Boolean);
  return (
    <>
      {parts.length > 0 && <div class="schema-help" id={`${idOf(props)}-help`}>{parts.map((part, i) => <span key={i}>{part}</span>)}</div>}
      {fault && <div class="schema-fault" id={`${idOf(props)}-fault`}>{fault}</div>}
    </>
  );
}

function Input(props: FieldProps) {
  const {schema, needed, depth, faults, path, onChange} = props;
  const draft = props.draft as string;
  const common = {
    id: idOf(props),
    value: draft,
    'aria-required': needed,
    'aria-invalid': faults.has(path),
    'aria-describedby': `${idOf(props)}-help ${idOf(props)}-fault`,
  };
  const onInput = (event: {currentTarget: {value: string}}) => onChange(event.currentTarget.value);
  switch (kindOf(schema, depth)) {
    case 'choice':
      return (
        <select class="select" {...common} onChange={onInput}>
          <option value="">{needed ? 'choose' : 'left out'}</option>
          {schema.enum!.map((choice, i) => <option key={i} value={i}>{typeof choice === 'string' ? choice : JSON.stringify(choice)}</option>)}
        </select>
      );
    case 'boolean':
      return (
        <select class="select" {...common} onChange={onInput}>
          <option value="">{needed ? 'choose' : 'left out'}</option><option value="true">true</option><option value="false">false</option>
        </select>
      );
    case 'number':
      return <input class="input" {...common} inputMode={isWhole(schema) ? 'numeric' : 'decimal'} autoComplete="off" onInput={onInput} />;
    case 'json':
      return <textarea class="textarea mono" {...common} rows={3} placeholder="JSON" spellcheck={false} onInput={onInput} />;
    default:
      return <textarea class="textarea" {...common} rows={draft.includes('\n') || draft.length > 80 ? 5 : 1} spellcheck={false} onInput={onInput} />;
  }
}
