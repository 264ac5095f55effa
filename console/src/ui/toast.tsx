// Short words about what just happened, in a corner; they go by themselves and are read out.
import {signal} from '@preact/signals';

interface Toast {id: number; text: string; tone: 'plain' | 'bad'}
const toasts = signal<Toast[]>([]);
let last = 0;

export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = ++last;
  toasts.value = [...toasts.value, {id, text, tone}];
  setTimeout(() => { toasts.value = toasts.value.filter((one) => one.id !== id); }, tone === 'bad' ? 8000 : 4000);
}

export const toastError = (error: unknown): void => toast(error instanceof Error ? error.message : String(error), 'bad');

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((one) => <div key={one.id} class={`toast toast-${one.tone}`}>{one.text}</div>)}
    </div>
  );
}
