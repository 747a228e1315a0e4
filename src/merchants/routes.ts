import type { Audit } from '../audit/audit-event.ts';
import { type Answer, type Call, type Route, route } from '../platform/http/endpoint.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Database } from '../platform/postgres/database.ts';
import { grantedBody, LOG_IN_GATEWAY, LOG_IN_INTEGRATION, refusedBody } from './contract.ts';
import type { LoginApi } from './credentials/credential.ts';
import { LOGIN_REFUSALS, type LoginRefusal } from './refusals.ts';
import { type LoginOutcome, logIn } from './tokens/log-in.ts';
import { type LoginSettings, openLoginDesk } from './tokens/open-login-desk.ts';
import { tellLogin } from './tokens/tell-login.ts';

export type MerchantRouteTools = LoginSettings & {
  readonly database: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly metrics: Metrics;
};

const GRANTED_SENTENCE = { pt: 'Autenticado com sucesso.', en: 'Authenticated.' };

export function merchantRoutes(tools: MerchantRouteTools): Route[] {
  const desk = openLoginDesk(tools.database, tools);

  async function serve(api: LoginApi, call: LoginCall): Promise<Answer> {
    const outcome = await logIn(desk, { api, ...call.body, address: call.address });
    await tellLogin(tools.audit, { api, address: call.address }, outcome);
    tools.metrics.logins.inc({ outcome: outcome.kind });
    logOutcome(tools.log, api, call, outcome);
    if (outcome.kind === 'granted') {
      return { status: 200, body: grantedBody(outcome, GRANTED_SENTENCE[call.language]) };
    }
    if (outcome.kind === 'wrong') return refuse(call, 'wrongCredentials');
    return { ...refuse(call, 'tooManyFailures'), headers: { 'retry-after': String(outcome.secondsToWait) } };
  }

  return [
    route(LOG_IN_GATEWAY, (call) => serve('gateway', call)),
    route(LOG_IN_INTEGRATION, (call) => serve('integration', call)),
  ];
}

type LoginCall = Call<{ userName: string; password: string }, unknown, unknown>;

function refuse(call: LoginCall, refusal: LoginRefusal): Answer {
  const { status, sentence } = LOGIN_REFUSALS[refusal];
  return { status, body: refusedBody(sentence[call.language]) };
}

/** Names that nobody has are not logged: often they are a password in the wrong field. */
function logOutcome(log: Log, api: LoginApi, call: LoginCall, outcome: LoginOutcome): void {
  const { merchantId, credentialId, userName } = outcome.found?.credential ?? {};
  const fields = {
    requestId: call.requestId,
    api,
    address: call.address,
    merchantId,
    credentialId,
    userName,
  };
  if (outcome.kind === 'granted') log.info(fields, 'a login was granted');
  else if (outcome.kind === 'wrong') log.warn({ ...fields, reason: outcome.reason }, 'a login was refused');
  else log.warn({ ...fields, secondsToWait: outcome.secondsToWait }, 'a login was refused without a look');
}
