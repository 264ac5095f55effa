// Decides over a tool call, and tells the person what came of it. Used wherever a call can be approved.
import {ApiError} from '../../api/http';
import {approve, reject} from '../../api/approvals';
import {forgetPending, readPending} from '../../pending_approvals';
import {toast} from '../../ui/toast';
import {visible} from '../../ui/hidden_chars';

export type Decision = 'once' | 'always' | 'reject';
export interface Question {approvalId: string; sessionId: string; tool: string}

const SAID: Record<Decision, string> = {once: 'Allowed once', always: 'Allowed in this session from now on', reject: 'Rejected'};

// True when the call is decided, here or elsewhere.
export async function decide(question: Question, decision: Decision, reason = ''): Promise<boolean> {
  const tool = visible(question.tool);
  try {
    if (decision === 'reject') await reject(question.sessionId, question.approvalId, reason.trim() || undefined);
    else await approve(question.sessionId, question.approvalId, decision === 'always');
    toast(`${SAID[decision]}: ${tool}`);
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) {
      toast(`${tool} is not decided: ${error instanceof Error ? error.message : error}`, 'bad');
      return false;
    }
    toast(`${tool} was decided already, or its run is over. Nothing was changed.`);
  }
  forgetPending(question.approvalId);
  void readPending();
  return true;
}
