import type { Audit } from '../audit/audit-event.ts';
import { type Answer, type Call, callerOf, type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { grantedBody, LOG_IN_GATEWAY, LOG_IN_INTEGRATION, LOG_OUT, refusedBody } from './contract.ts';
import type { LoginApi } from './credentials/credential.ts';
import { LOGIN_REFUSALS, type LoginRefusal } from './refusals.ts';
import { type LoginOutcome, logIn } from './tokens/log-in.ts';
import { type LogOutTools, logOut } from './tokens/log-out.ts';
import type { LoginDesk } from './tokens/open-login-desk.ts';
import { reportLogin } from './tokens/report-login.ts';

export type LoginTools = LogOutTools & {
  readonly desk: LoginDesk;
  readonly audit: Audit;
  readonly observeLogin: (api: LoginApi, call: LoginCall, outcome: LoginOutcome) => void;
};

export type LoginCall = Call<{ userName: string; password: string }, unknown, unknown>;

const GRANTED_SENTENCE = { pt: 'Autenticado com sucesso.', en: 'Authenticated.' };
const ENDED_SENTENCE = { pt: 'Token encerrado.', en: 'The token is ended.' };

export const LOGIN_ENDPOINTS: readonly Endpoint<LoginTools>[] = [
  endpoint(LOG_IN_GATEWAY, (tools: LoginTools, call) => answerLogin(tools, 'gateway', call)),
  endpoint(LOG_IN_INTEGRATION, (tools: LoginTools, call) => answerLogin(tools, 'integration', call)),
  endpoint(LOG_OUT, async (tools: LogOutTools, call) => {
    await logOut(tools, callerOf(call), call.address);
    return { status: 200, body: { message: ENDED_SENTENCE[call.language] } };
  }),
];

async function answerLogin(tools: LoginTools, api: LoginApi, call: LoginCall): Promise<Answer> {
  const outcome = await logIn(tools.desk, { api, ...call.body, address: call.address });
  await reportLogin(tools.audit, { api, address: call.address }, outcome);
  tools.observeLogin(api, call, outcome);
  if (outcome.kind === 'granted') {
    return { status: 200, body: grantedBody(outcome, GRANTED_SENTENCE[call.language]) };
  }
  if (outcome.kind === 'wrong') return refuse(call, 'wrongCredentials');
  return { ...refuse(call, 'tooManyFailures'), headers: { 'retry-after': String(outcome.secondsToWait) } };
}

function refuse(call: LoginCall, refusal: LoginRefusal): Answer {
  const { status, sentence } = LOGIN_REFUSALS[refusal];
  return { status, body: refusedBody(sentence[call.language]) };
}
