import { Type } from 'typebox';
import { callerAt, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { utcText } from '../../values/instant.ts';
import { ACCOUNT_QUERY } from '../endpoints/endpoints.ts';
import { type CreatedSecret, type CreateSecretTools, createSecret } from './create-secret.ts';

export const CREATE_WEBHOOK_SECRET = contract({
  id: 'createWebhookSecret',
  method: 'POST',
  path: '/api/webhooks/secret',
  api: 'integration',
  scope: 'integration',
  group: 'Webhooks',
  summary: 'Make a secret that signs notifications',
  description:
    'From now on every notification of the account is signed with it (Standard Webhooks). It is shown this once. The one ' +
    'before it signs too for 24 hours; a third within that time ends the oldest at once, so put the new one to use before ' +
    'asking again. Takes no body.',
  query: ACCOUNT_QUERY,
  answers: {
    200: {
      description:
        'The secret; previousValidUntil says until when the one before signs too, null when there was none.',
      schema: named('WebhookSecret', {
        secret: Type.String(),
        previousValidUntil: orNull(Type.String()),
      }),
      example: {
        secret: `whsec_${'A'.repeat(43)}=`,
        previousValidUntil: '2026-11-22T13:00:00.123Z',
      },
    },
  },
});

function writeSecret({ secret, previousValidUntil }: CreatedSecret): object {
  return {
    secret: `whsec_${secret.toString('base64')}`,
    previousValidUntil: previousValidUntil === null ? null : utcText(previousValidUntil),
  };
}

export const SECRET_ENDPOINTS: readonly Endpoint<CreateSecretTools>[] = [
  endpoint(CREATE_WEBHOOK_SECRET, async (tools: CreateSecretTools, call) => {
    const created = await createSecret(tools, callerAt(call), call.query.accountNumber, call.deadlineAt);
    if (created === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeSecret(created) };
  }),
];
