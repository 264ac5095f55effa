// Data items as tables, one for each type. The columns are the fields of their JSON, in the order in which they were met.
import type {DataItem} from '../../api/types';
import {Empty, Time} from '../../ui/parts';
import {visible, VisibleText} from '../../ui/hidden_chars';

const COLUMNS_MAX = 20;

export function DataItems({items}: {items: DataItem[]}) {
  if (items.length === 0) return <Empty title="No data">What tasks keep as structured data is shown here as tables.</Empty>;
  const types = [...new Set(items.map((item) => item.itemType))];
  return <>{types.map((type) => <TypeTable key={type} type={type} items={items.filter((item) => item.itemType === type)} />)}</>;
}

const isRecord = (data: unknown): data is Record<string, unknown> => typeof data === 'object' && data !== null && !Array.isArray(data);

export function columnsOf(items: DataItem[]): string[] {
  const names = new Set<string>();
  for (const {data} of items) for (const name of isRecord(data) ? Object.keys(data) : ['value']) names.add(name);
  return [...names].slice(0, COLUMNS_MAX);
}

function TypeTable({type, items}: {type: string; items: DataItem[]}) {
  const columns = columnsOf(items);
  return (
    <section class="data-type">
      <h3><VisibleText text={type} /> <span class="faint">({items.length})</span></h3>
      <div class="data-scroll" tabIndex={0} role="region" aria-label={`Data items of type ${visible(type)}`}>
        <table class="data-table">
          <thead>
            <tr>{columns.map((name) => <th key={name} scope="col"><VisibleText text={name} /></th>)}<th scope="col">Changed</th></tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.id}>
                {columns.map((name) => <Cell key={name} value={isRecord(item.data) ? item.data[name] : name === 'value' ? item.data : undefined} />)}
                <td><Time at={item.updatedAt} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Cell({value}: {value: unknown}) {
  if (value === undefined) return <td />;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <td class={text.length > 20 ? 'long' : 'number'}>{typeof value === 'object' ? <code><VisibleText text={text} /></code> : <VisibleText text={text} />}</td>;
}
