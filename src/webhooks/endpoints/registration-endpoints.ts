import { type Call, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { type RefusalShape, refusalAnswer, tooManyAnswer } from '../../platform/http/refusal.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { checkUrl } from '../posting/url-rules.ts';
import { DELETE_WEBHOOK, GET_WEBHOOK, REGISTER_WEBHOOK, readRegistration } from './contract.ts';
import { type DeleteWebhookTools, deleteWebhook } from './delete-webhook.ts';
import { REGISTRATION_REFUSALS } from './refusals.ts';
import { type RegisterWebhookTools, registerWebhook } from './register-webhook.ts';
import { findRegistration } from './webhook-endpoints.sql.ts';

type ReadWebhookTools = { readonly lookUp: LookUp };
export type RegistrationTools = RegisterWebhookTools & DeleteWebhookTools & ReadWebhookTools;

export const REGISTRATION_ENDPOINTS: readonly Endpoint<RegistrationTools>[] = [
  endpoint(
    REGISTER_WEBHOOK,
    async (tools: RegisterWebhookTools, call) => {
      const wanted = readRegistration(call.query.accountNumber, call.body);
      const result = await registerWebhook(tools, callerAt(call), wanted, call.deadlineAt);
      switch (result.kind) {
        case 'registered':
          return { status: 200, body: { url: result.url } };
        case 'accountUnknown':
          return refusalAnswer(FAILURES.unknownPath, call.language);
        case 'tooMany':
          return tooManyAnswer(result.secondsToWait, call.language);
        case 'refused':
          return refusalAnswer(REGISTRATION_REFUSALS[result.fault], call.language);
      }
    },
    // The text alone: a look-up takes seconds.
    {
      lookBeside: async (tools: RegisterWebhookTools, { url }) => {
        const checked = url === undefined ? null : checkUrl(tools.urlRules, url);
        return checked === null || checked.ok ? [] : [REGISTRATION_REFUSALS[checked.reason] as RefusalShape];
      },
    },
  ),
  endpoint(GET_WEBHOOK, async ({ lookUp }: ReadWebhookTools, call) => {
    const { merchantId } = callerOf(call);
    const { accountNumber } = call.query;
    const found = await lookUp(merchantId, (database) =>
      findRegistration(database, merchantId, accountNumber),
    );
    return urlOrNothing(found?.url ?? null, call);
  }),
  endpoint(DELETE_WEBHOOK, async (tools: DeleteWebhookTools, call) => {
    const { accountNumber } = call.query;
    return urlOrNothing(await deleteWebhook(tools, callerAt(call), accountNumber, call.deadlineAt), call);
  }),
];

function urlOrNothing(url: string | null, { language }: Pick<Call<unknown, unknown, unknown>, 'language'>) {
  if (url === null) return refusalAnswer(FAILURES.unknownPath, language);
  return { status: 200, body: { url } };
}
