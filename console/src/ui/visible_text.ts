// Running text in which nothing hides: see hidden_chars. Tabs, line ends of any kind and the joiners that emoji are made of are ordinary here.
import {visible} from './hidden_chars';

export function showControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\t\u200c\u200d\ufe00-\ufe0f]+/gu, visible);
}
