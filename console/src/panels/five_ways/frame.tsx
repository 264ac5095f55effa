import {useState} from 'preact/hooks';
import {bytes} from '../../ui/format';
import {JsonText} from '../../ui/json_text';
import {showControls} from '../../ui/visible_text';
import {byteLength} from './way_rows';
import {frameLines, shortFrame} from './frame_text';

const dataMax = 190;

// One frame: its lines as they are on the wire. What a narrow column cannot hold is cut until somebody asks for it.
export function FrameText({frame, mark}: {frame: string; mark: string | undefined}) {
  const [open, setOpen] = useState(false);
  const short = shortFrame(frame, dataMax);
  const lines = open ? frameLines(frame) : short.lines;
  return (
    <div class="frame">
      {lines.map(({name, value}, place) => (
        <div key={place} class={`frame-line frame-${name}`}>
          {name && <span class="frame-name">{name}: </span>}
          {name === 'data' ? <JsonText text={value} mark={mark} /> : <span class="frame-value">{showControls(value)}</span>}
          {name === 'data' && !short.whole && (
            <button type="button" class="frame-more" aria-expanded={open} title={open ? 'Show less' : `Show all ${bytes(byteLength(frame))}`}
              aria-label={open ? 'Show less' : `Show the whole frame, ${bytes(byteLength(frame))}`}
              onClick={(click) => { click.stopPropagation(); setOpen(!open); }}>{open ? '‹' : '⋯'}</button>
          )}
        </div>
      ))}
    </div>
  );
}
