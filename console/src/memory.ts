// Small choices that this browser keeps: the theme, the agent talked to last. A browser that keeps nothing is no error.
const prefix = 'braidlog.';

export function recall<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
