// The agents that can be talked to, and the one that was talked to last.
import {signal} from '@preact/signals';
import {listAgents} from '../../api/agents';
import type {Agent, Way} from '../../api/types';
import {recall, remember} from '../../memory';

export const agents = signal<Agent[]>([]);
export const agentsError = signal<unknown>(null);
export const agentName = signal<string>(recall('chat.agent', 'assistant'));
export const way = signal<Way>(recall<Way>('chat.way', 'converse'));

export async function readAgents(): Promise<void> {
  try {
    agents.value = (await listAgents()).agents;
    agentsError.value = null;
    const isKnown = (name: string) => agents.value.some((one) => one.name === name);
    if (!isKnown(agentName.value)) agentName.value = isKnown('assistant') ? 'assistant' : agents.value[0]?.name ?? '';
  } catch (error) {
    agentsError.value = error;
  }
}

// A session in which a tool was tried goes on with the agent itself.
export function chooseAgent(name: string): void {
  agentName.value = name.replace(/^try:/, '');
  remember('chat.agent', agentName.value);
}

// With the way it is made for.
export function chooseAgentAndWay(name: string): void {
  chooseAgent(name);
  const made = agents.value.find((one) => one.name === name)?.default_of ?? [];
  chooseWay(made.includes('steps') ? 'steps' : made.includes('tasks') ? 'tasks' : 'converse');
}

export function chooseWay(chosen: Way): void {
  way.value = chosen;
  remember('chat.way', chosen);
}

export const ways: {way: Way; word: string; meaning: string}[] = [
  {way: 'converse', word: 'Answer', meaning: 'The agent answers, with its tools where they help.'},
  {way: 'steps', word: 'Plan and act', meaning: 'The agent makes a plan and works through it in steps, in code or with tools.'},
  {way: 'tasks', word: 'Tasks', meaning: 'A goal becomes a list of tasks, which can then be worked through one by one.'},
];

// The way that fits how a run was begun: a session goes on as it began.
export function wayOfContract(contract: string): Way {
  if (contract === 'steps') return 'steps';
  return contract === 'tasks' ? 'tasks' : 'converse';
}
