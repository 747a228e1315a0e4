import { type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { registrantOf } from '../endpoints/routes.ts';
import { CREATE_WEBHOOK_SECRET, writeSecret } from './contract.ts';
import { type CreateSecretTools, createSecret } from './create-secret.ts';

export function secretRoutes(tools: CreateSecretTools): Route[] {
  return [
    route(CREATE_WEBHOOK_SECRET, async (call) => {
      const created = await createSecret(
        tools,
        registrantOf(call),
        call.query.accountNumber,
        call.deadlineAt,
      );
      if (created === null) return refusalAnswer(FAILURES.unknownPath, call.language);
      return { status: 200, body: writeSecret(created) };
    }),
  ];
}
