import type {Contract} from '../../api/curl';

// Who speaks a contract, in a few words.
export const contractWords: Record<Contract, string> = {
  steps: 'whole steps of an agent at work',
  runs: 'typed events and approvals',
  chat: 'an answer, delta by delta',
  conversation: 'tokens, tools, the whole talk',
  tasks: 'a plan and its execution',
};
