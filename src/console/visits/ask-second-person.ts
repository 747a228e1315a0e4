import type { Asked } from '../parts/asked.ts';
import { operationRefused } from '../parts/operation-refused.ts';
import { type Action, type Form, operationOf, type Visit } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { type AddRequestTools, addRequest } from '../second-person/add-request.ts';
import { finishForm, isUnderWay } from './console-actions.sql.ts';
import type { SentForm } from './sent-form.ts';

export type SecondPersonTools = AddRequestTools & {
  readonly secondPersonOver: number | null;
  readonly consoleTools: ConsoleTools;
};

const ANOTHER_UNDER_WAY =
  'Another form of this page is under way, or it is not known what became of it. Look before you ask again.';
const TOO_MANY_WAIT = 'As many of your requests wait for a second person as may. Take one back first.';

/**
 * Whether a second person is to be asked, and asks then: `waits`. Null: one may do it alone. It looks into
 * the books, and at what else is under way: small parts must not go beyond the limit together.
 */
export async function askSecondPerson(
  tools: SecondPersonTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
  sent: SentForm,
): Promise<'waits' | null | Asked<never>> {
  const { secondPersonOver: limit, consoleTools, database } = tools;
  if (limit === null || action.moves === undefined) return null;
  const { say } = visit.wording;
  const place = { path: visit.path, pathHash: sent.pathHash, key: sent.onceKey };
  if (await isUnderWay(database, place)) return operationRefused(429, say(ANOTHER_UNDER_WAY));
  const moved = await action.moves(visit, form, consoleTools);
  if (!moved.ok) return moved;
  if (moved.body === null || moved.body.counted <= limit) return null;
  const isMade = await addRequest(tools, visit, moved.body, {
    operation: operationOf(action),
    isOfOperator: action.of === 'operator',
    reason: form.reason ?? '',
    beside: (tx) => finishForm(tx, sent, null),
  });
  return isMade ? 'waits' : operationRefused(429, say(TOO_MANY_WAIT));
}
