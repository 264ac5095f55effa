// The list of what waits is pending_approvals.ts.
import {post} from './http';

export const approve = (sessionId: string, approvalId: string, always = false): Promise<unknown> =>
  post(`/api/v1/sessions/${sessionId}/approvals/${approvalId}/approve`, always ? {apply_to_future: true} : {});
export const reject = (sessionId: string, approvalId: string, reason?: string): Promise<unknown> =>
  post(`/api/v1/sessions/${sessionId}/approvals/${approvalId}/reject`, reason ? {reason} : {});
