import {get} from './http';
import type {Alert, SystemFigures} from './types';

export const readSystem = (): Promise<SystemFigures> => get('/console/system');
export const listAlerts = async (limit = 50): Promise<Alert[]> => (await get<{alerts: Alert[]}>(`/alerts?limit=${limit}`)).alerts;
