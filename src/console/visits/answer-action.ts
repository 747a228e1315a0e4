import { type Audit, type AuditEvent, LONGEST_REASON } from '../../audit/audit-event.ts';
import type { WireError } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { CommitUnknown } from '../../platform/postgres/database.ts';
import { watchWrites } from '../../platform/postgres/write-watch.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Asked } from '../parts/asked.ts';
import { type Html, html } from '../parts/html.ts';
import { errorsOf } from '../parts/page-parts.ts';
import { type Action, type Form, operationOf, type Visit, withQuery } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { actorName } from '../users/user.ts';
import { UNKNOWN_OUTCOME } from './ask-endpoint.ts';

export type ActionTools = {
  readonly audit: Audit;
  readonly log: Log;
  /** Whether nothing may act. */
  readonly isHeld: () => boolean;
  readonly consoleTools: ConsoleTools;
  /** What shows the next page that it was done. */
  readonly markOf: (action: Action<ConsoleTools>) => string;
};

type Made =
  | { readonly goTo: string }
  | { readonly status: number; readonly title: string; readonly body: Html };

const NOTHING_DONE = 'Nothing was done';

/**
 * Does what a form asks for: first it is written who wants it and why, then the endpoint is asked. What could
 * not be written is not done; a refusal is written too.
 */
export async function answerAction(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  { form, address }: { readonly form: Form; readonly address: string },
): Promise<Made> {
  const { audit, markOf } = tools;
  const reason = form.reason ?? '';
  const back = action.next(visit);
  const fault = form.once === undefined ? NO_REASON : reasonFault(reason);
  if (fault !== null) {
    const errors = [{ tag: '', description: visit.wording.say(fault) }];
    return { status: 400, title: NOTHING_DONE, body: refused(visit, back, errors) };
  }
  const event: AuditEvent = {
    action: 'console.act',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: address,
    resource: visit.path.replace('/console/', ''),
    detail: { operation: operationOf(action), reason },
  };
  await audit.record(event, visit.merchantId);
  const refuse = (status: number) => {
    const detail = { operation: operationOf(action), status };
    return audit.record({ ...event, action: 'console.refuse', outcome: 'failure', detail }, visit.merchantId);
  };
  const asked = await doneOrDoubt(tools, action, visit, form).catch(async (error) => {
    await refuse(500);
    throw error;
  });
  if (asked.ok && action.reveal !== undefined)
    return {
      status: 200,
      title: action.title,
      body: revealed(action.reveal(asked.body, visit), visit, back),
    };
  if (asked.ok) return { goTo: withQuery(back, { done: markOf(action) }) };
  await refuse(asked.status);
  return { status: asked.status, title: NOTHING_DONE, body: refused(visit, back, asked.errors) };
}

const NO_REASON = 'Give a reason, of up to 200 characters.';

/** What is written into the audit log stays there. */
function reasonFault(reason: string): string | null {
  if (reason === '' || [...reason].length > LONGEST_REASON) return NO_REASON;
  return holdsCardNumber(reason) ? 'A reason holds no card number.' : null;
}

/** An error behind a write does not say that nothing was done, of an operation as of an endpoint. */
async function doneOrDoubt(
  { consoleTools, isHeld, log }: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
): Promise<Asked<unknown>> {
  if ('contract' in action) return visit.ask(action.contract, action.asks(visit, form));
  const { language } = visit.wording;
  const { status, tag, sentence } = FAILURES.held;
  if (isHeld() && action.isForHeld !== true)
    return { ok: false, status, errors: [{ tag, description: sentence[language] }] };
  const watch = { mayHaveWritten: false };
  try {
    return await watchWrites(watch, () => action.perform(visit, form, consoleTools));
  } catch (error) {
    if (!watch.mayHaveWritten && !(error instanceof CommitUnknown)) throw error;
    log.error({ operation: action.operation, ...errorFields(error) }, 'it is not known what was done');
    return { ok: false, status: 504, errors: [{ tag: '', description: UNKNOWN_OUTCOME[language] }] };
  }
}

function refused({ wording }: Visit, back: string, errors: readonly WireError[]): Html {
  const { say } = wording;
  return html`${errorsOf(errors)}
<p><a href="${back}">${say('Back')}</a></p>`;
}

function revealed(shown: Html, { wording }: Visit, back: string): Html {
  return html`${shown}
<p><a href="${back}">${wording.say('Back')}</a></p>`;
}
