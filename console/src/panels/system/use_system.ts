// The readings of the last minutes. They outlive the panel: who comes back finds the plots as they were.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {listAlerts, readSystem} from '../../api/system';
import type {Alert} from '../../api/types';
import {keep, type Reading} from './figures';

const EVERY_MS = 1000;
const ALERTS_EVERY = 5; // readings

export const readings = signal<Reading[]>([]);
export const readProblem = signal<unknown>(null);
export const alerts = signal<Alert[] | null>(null);

export function useSystem(): void {
  useEffect(() => {
    let count = 0;
    let busy = false;
    const read = async () => {
      if (busy || document.hidden) return;
      busy = true;
      try {
        const figures = await readSystem();
        readings.value = keep(readings.value, {at: Date.now(), figures});
        if (count++ % ALERTS_EVERY === 0) alerts.value = await listAlerts();
        readProblem.value = null;
      } catch (error) {
        readProblem.value = error;
      }
      busy = false;
    };
    void read();
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
