import type { Audit, AuditEvent } from '../audit/audit-event.ts';
import type { WireError } from '../platform/http/endpoint.ts';
import { type Html, html } from './html.ts';
import { errorsOf, LONGEST_REASON } from './page-parts.ts';
import { type Action, type Form, operationOf, type Visit, withQuery } from './screen.ts';
import type { ConsoleTools } from './screens.ts';
import { actorName } from './users/user.ts';

export type ActionTools = {
  readonly audit: Audit;
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
  { audit, consoleTools, markOf }: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  { form, address }: { readonly form: Form; readonly address: string },
): Promise<Made> {
  const { say } = visit.wording;
  const reason = form.reason ?? '';
  const back = action.next(visit);
  if (reason === '' || [...reason].length > LONGEST_REASON || form.once === undefined)
    return {
      status: 400,
      title: NOTHING_DONE,
      body: refused(visit, back, [{ tag: '', description: say('Give a reason, of up to 200 characters.') }]),
    };
  const event: AuditEvent = {
    action: 'console.act',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: address,
    resource: visit.path.replace('/console/', ''),
    detail: { operation: operationOf(action), reason },
  };
  await audit.record(event, visit.merchantId);
  const asked =
    'contract' in action
      ? await visit.ask(action.contract, action.asks(visit, form))
      : await action.perform(visit, form, consoleTools);
  if (asked.ok && action.reveal !== undefined)
    return {
      status: 200,
      title: action.title,
      body: revealed(action.reveal(asked.body, visit), visit, back),
    };
  if (asked.ok) return { goTo: withQuery(back, { done: markOf(action) }) };
  const detail = { operation: operationOf(action), status: asked.status };
  await audit.record({ ...event, action: 'console.refuse', outcome: 'failure', detail }, visit.merchantId);
  return { status: asked.status, title: NOTHING_DONE, body: refused(visit, back, asked.errors) };
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
