// Which events are shown: by family, by what they contain, with the pieces of a text folded together or one by one.
import {families, type Family} from './event_words';
import type {TimelineStore} from './store';

export function Filters({store}: {store: TimelineStore}) {
  const view = store.view.value;
  const toggle = (family: Family) => {
    const hidden = new Set(view.hidden);
    if (!hidden.delete(family)) hidden.add(family);
    store.setView({hidden});
  };
  return (
    <div class="timeline-filters" role="group" aria-label="Filter">
      <input id="timeline-find" type="search" class="input" placeholder="Find in events ( / )" aria-label="Find in events" value={view.text}
        onInput={(input) => store.setView({text: input.currentTarget.value})} />
      <div class="family-chips" role="group" aria-label="Kinds of events">
        {families.map((family) => (
          <button key={family} type="button" class={`chip family-${family}`} aria-pressed={!view.hidden.has(family)}
            title={`Click to show or hide; with Shift, show nothing else`}
            onClick={(click) => (click.shiftKey ? store.setView({hidden: only(family, view.hidden)}) : toggle(family))}>
            <span class="chip-dot" aria-hidden="true" />{family}
          </button>
        ))}
      </div>
      <label class="check"><input type="checkbox" checked={view.fold} onChange={(box) => store.setView({fold: box.currentTarget.checked})} /> Fold deltas</label>
    </div>
  );
}

// Every other family hidden; once more brings all of them back.
function only(family: Family, hidden: ReadonlySet<Family>): Set<Family> {
  if (!hidden.has(family) && hidden.size === families.length - 1) return new Set();
  return new Set(families.filter((one) => one !== family));
}
