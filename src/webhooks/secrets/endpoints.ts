import { callerAt, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { CREATE_WEBHOOK_SECRET, writeSecret } from './contract.ts';
import { type CreateSecretTools, createSecret } from './create-secret.ts';

export const SECRET_ENDPOINTS: readonly Endpoint<CreateSecretTools>[] = [
  endpoint(CREATE_WEBHOOK_SECRET, async (tools: CreateSecretTools, call) => {
    const created = await createSecret(tools, callerAt(call), call.query.accountNumber, call.deadlineAt);
    if (created === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeSecret(created) };
  }),
];
