import {get} from './http';
import type {AgentList} from './types';

export const listAgents = (): Promise<AgentList> => get('/console/agents');
