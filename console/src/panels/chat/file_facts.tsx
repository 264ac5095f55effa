import {bytes} from '../../ui/format';
import {visible} from '../../ui/hidden_chars';
import {Icon} from '../../ui/parts';

// What stands in the chip of a file, sent or to be sent.
export function FileFacts({name, size}: {name: string; size: number}) {
  return (
    <>
      <Icon path="M6 3h8l4 4v14H6z M14 3v4h4" size={14} />
      <span class="cut">{visible(name)}</span>
      <span class="faint">{bytes(size)}</span>
    </>
  );
}
