import type { Audit, AuditEvent } from '../audit/audit-event.ts';
import type { WireError } from '../platform/http/endpoint.ts';
import { type Html, html } from './html.ts';
import { errorsOf, LONGEST_REASON } from './page-parts.ts';
import { type Action, type Form, type Visit, withQuery } from './screen.ts';
import { actorName } from './users/user.ts';

export type ActionTools = {
  readonly audit: Audit;
  /** What shows the next page that it was done. */
  readonly markOf: (contractId: string) => string;
};

type Made = { readonly goTo: string } | { readonly status: number; readonly body: Html };

/**
 * Does what a form asks for: first it is written who wants it and why, then the endpoint is asked. What could
 * not be written is not done; a refusal is written too.
 */
export async function answerAction(
  { audit, markOf }: ActionTools,
  action: Action,
  visit: Visit,
  { form, address }: { readonly form: Form; readonly address: string },
): Promise<Made> {
  const { say } = visit.wording;
  const reason = form.reason ?? '';
  const back = action.next(visit);
  if (reason === '' || [...reason].length > LONGEST_REASON || form.once === undefined)
    return {
      status: 400,
      body: refused(visit, back, [{ tag: '', description: say('Give a reason, of up to 200 characters.') }]),
    };
  const event: AuditEvent = {
    action: 'console.act',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: address,
    resource: visit.path.replace('/console/', ''),
    detail: { operation: action.contract.id, reason },
  };
  await audit.record(event, visit.merchantId);
  const asked = await visit.ask(action.contract, action.asks(visit, form));
  if (asked.ok) {
    const { id } = action.contract;
    return { goTo: withQuery(back, { done: `${id}.${markOf(id)}` }) };
  }
  const detail = { operation: action.contract.id, status: asked.status };
  await audit.record({ ...event, action: 'console.refuse', outcome: 'failure', detail }, visit.merchantId);
  return { status: asked.status, body: refused(visit, back, asked.errors) };
}

function refused({ wording }: Visit, back: string, errors: readonly WireError[]): Html {
  const { say } = wording;
  return html`${errorsOf(errors)}
<p><a href="${back}">${say('Back')}</a></p>`;
}
