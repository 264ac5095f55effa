// A JSON value as a foldable tree. Strings stand as they are; everything is text, never markup.
import {useState} from 'preact/hooks';
import {showControls} from './visible_text';

const childrenMax = 200;

export function JsonView({value, open = 2}: {value: unknown; open?: number}) {
  return <div class="json"><Node value={value} open={open} /></div>;
}

function Node({value, open}: {value: unknown; open: number}) {
  if (value === null || typeof value !== 'object') return <Leaf value={value} />;
  const entries: [string, unknown][] = Array.isArray(value) ? value.map((one, index) => [String(index), one]) : Object.entries(value);
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return <span class="json-mark">{left}{right}</span>;
  return <Branch entries={entries} marks={[left!, right!]} open={open} />;
}

function Branch({entries, marks, open}: {entries: [string, unknown][]; marks: [string, string]; open: number}) {
  const [unfolded, setUnfolded] = useState(open > 0);
  const [shown, setShown] = useState(childrenMax);
  const summary = `${marks[0]} ${entries.length} ${marks[1]}`;
  return (
    <span class="json-branch">
      <button type="button" class="json-toggle" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
        <span aria-hidden="true">{unfolded ? '▾' : '▸'}</span>{unfolded ? marks[0] : summary}
      </button>
      {unfolded && (
        <>
          <ul>
            {entries.slice(0, shown).map(([name, one]) => (
              <li key={name}>{marks[0] === '{' && <><span class="json-key">{showControls(name)}</span>: </>}<Node value={one} open={open - 1} /></li>
            ))}
          </ul>
          {entries.length > shown && (
            <button type="button" class="button small" onClick={() => setShown(shown * 4)}>{entries.length - shown} more</button>
          )}
          <span class="json-mark">{marks[1]}</span>
        </>
      )}
    </span>
  );
}

function Leaf({value}: {value: unknown}) {
  if (typeof value === 'string') return <span class="json-string">"{showControls(value)}"</span>;
  return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
}
