// Light, dark, or as the system has it. The choice is kept in this browser.
import {signal} from '@preact/signals';
import {recall, remember} from './memory';

export type Theme = 'system' | 'light' | 'dark';
export const theme = signal<Theme>(recall<Theme>('theme', 'system'));

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

export function nextTheme(): void {
  const order: Theme[] = ['system', 'light', 'dark'];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
  remember('theme', theme.value);
  applyTheme();
}
