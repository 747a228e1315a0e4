import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { WireError } from '../../platform/http/endpoint.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import { isUuid } from '../../values/ids.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, errorsOf, link, reasonFault } from '../parts/page-parts.ts';
import { waitingPath, withQuery } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  NOT_AS_SEEN,
  operationOf,
  operationRefused,
  refusedAs,
  type Visit,
} from '../parts/screen.ts';
import { type AddRequestTools, addRequest } from '../second-person/add-request.ts';
import { actorName } from '../users/user.ts';
import { findEarlierForm, finishForm, freeForm } from './console-actions.sql.ts';
import { type ActionEnd, type Again, againOf, endOf, keptRefusal, type SentForm } from './sent-form.ts';
import { placesOf, sentForm, startAction, type TryTools, tryAction } from './start-action.ts';

export type ActionTools = FinishTools &
  TryTools &
  SecondPersonTools & {
    /** A mark in the address of the next page, which then says that the action was done. */
    readonly markOf: (action: Action<ConsoleTools>) => string;
    readonly actionsOfUser: RateLimit;
  };

type Made =
  | { readonly goTo: string }
  | {
      readonly status: number;
      readonly title: string;
      readonly body: Html;
      readonly headers?: Readonly<Record<string, string>>;
    };

const NOTHING_DONE = 'Nothing was done';
const TOO_FAST = 'You have done much in a moment: nothing was done now. Send the form again in some seconds.';

/** Writes request, reason and key first; if that fails nothing is done. A refusal is written too. */
export async function answerAction(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  { form, address }: { readonly form: Form; readonly address: string },
): Promise<Made> {
  const seconds = tools.actionsOfUser.secondsToWait(visit.user.userId, performance.now());
  if (seconds > 0) return { ...waitThenSend(action, visit, form), headers: { 'retry-after': `${seconds}` } };
  const sent = sentForm(visit, form);
  const fault = faultOf(action, form);
  if (fault !== null) return answerFault(tools, action, visit, form, { sent, fault });
  const { reason = '' } = form;
  const amount = action.amountOf?.(form);
  const event: AuditEvent = {
    action: 'console.act',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: address,
    resource: visit.path.replace('/console/', ''),
    detail: {
      operation: operationOf(action),
      ...(reason !== '' && { reason }),
      ...(typeof amount === 'number' && { amount }),
      ...action.detailOf?.(form),
      form: sent.onceKey,
    },
  };
  const places = isAlone(tools, action, form) ? placesOf(visit, action, sent.onceKey) : null;
  const notDone = (asked: Asked<unknown>): AuditEvent => ({
    ...event,
    action: 'console.refuse',
    outcome: 'failure',
    detail: { operation: operationOf(action), status: asked.status, form: sent.onceKey },
  });
  const behind = operationRefused(429, visit.wording.say(ANOTHER_UNDER_WAY));
  const mayRepeat = isRepeatable(tools, action);
  const { earlier, isBehindAnother } = await startAction(
    tools,
    { sent, places, isRepeatable: mayRepeat },
    { begun: event, behind: notDone(behind) },
    visit.merchantId,
  );
  if (earlier === null && isBehindAnother)
    return answerEnd(tools, action, visit, form, { asked: behind, end: 'free', isAgain: false });
  const again = earlier === null ? null : againOf(sent, earlier);
  // The endpoint has the same key, and finds the outcome of the first request.
  const isAgain = again === 'unknown' && mayRepeat;
  if (again !== null && !isAgain) return answerAgain(tools, action, visit, form, again);
  const work = async () =>
    wronglyTyped(action, visit, form) ??
    (isBehindAnother ? behind : null) ??
    (await askSecondPerson(tools, action, visit, form, sent)) ??
    tryAction(tools, action, visit, form);
  const asked = await work().catch(async (error) => {
    await finishAction(tools, { ...sent, isAgain }, NOTHING_WRITTEN, notDone(NOTHING_WRITTEN), visit);
    throw error;
  });
  if (asked === 'waits') return waits(action, visit);
  const end = await finishAction(tools, { ...sent, isAgain }, asked, notDone(asked), visit);
  return answerEnd(tools, action, visit, form, { asked, end, isAgain });
}

/**
 * Refuses a user who acts too fast, before anything is looked up. The form may have been sent before, so it
 * keeps its key: sent again, it still finds its outcome.
 */
function waitThenSend(action: Action<ConsoleTools>, visit: Visit, form: Form) {
  const errors = [{ tag: '', description: visit.wording.say(TOO_FAST) }];
  const back = action.next(visit);
  return {
    status: 429,
    title: action.title,
    body: html`${refused(visit, back, errors)}${sameForm(visit, form)}`,
  };
}

/** A fault is found before the key is taken; if the form was sent before, its outcome comes first. */
async function answerFault(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
  { sent, fault }: { readonly sent: SentForm; readonly fault: string },
): Promise<Made> {
  const { onceKey } = sent;
  if (!isUuid(onceKey)) return nothingDone(tools, action, visit, form, 400, fault);
  const earlier = await findEarlierForm(tools.database, onceKey);
  const again = earlier === null ? null : againOf(sent, earlier);
  if (typeof again === 'string') return answerAgain(tools, action, visit, form, again);
  // The form may also have been sent without the fault, under the same key: it keeps the key.
  const there = earlier === null ? { ...visit, onceKey } : visit;
  return nothingDone(tools, action, there, form, 400, fault);
}

/** The refusal that the endpoint would give, in the form's words. Null: no fault. */
function wronglyTyped(
  { faultOf }: Action<ConsoleTools>,
  { wording }: Visit,
  form: Form,
): Asked<never> | null {
  const fault = faultOf?.(form) ?? null;
  return fault === null ? null : operationRefused(400, wording.say(fault));
}

/**
 * Whether no other action on the same thing may be under way: the action's amount is measured, or others act
 * on its thing.
 */
function isAlone(
  { secondPersonOver }: ActionTools,
  { moves, rivals }: Action<ConsoleTools>,
  { standing }: Form,
): boolean {
  const isMeasured = moves !== undefined && (secondPersonOver !== null || standing !== undefined);
  return isMeasured || rivals !== undefined;
}

/** An action with a measured amount is not repeated: the amount may differ then. */
function isRepeatable({ secondPersonOver }: ActionTools, action: Action<ConsoleTools>): boolean {
  const isMeasured = secondPersonOver !== null && action.moves !== undefined;
  return !isMeasured && 'contract' in action && action.contract.isRepeatable === true;
}

const WAITS = 'This moves more than one person may move alone: it waits for a second person, for a day.';

function waits(action: Action<ConsoleTools>, visit: Visit): Made {
  const { say } = visit.wording;
  const shown = html`<p class="message" role="status">${say(WAITS)}</p>
<p>${link(waitingPath(action.of === 'operator' ? null : visit.merchantId), say('Waiting for a second person'))}</p>`;
  return { status: 202, title: action.title, body: revealed(shown, visit, action.next(visit)) };
}

/** An error stopped the action before anything was written, so the form may be sent again. */
const NOTHING_WRITTEN = { ok: false, status: 503, errors: [] } as const;

async function answerEnd(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
  { asked, end, isAgain }: { asked: Asked<unknown>; end: ActionEnd; isAgain: boolean },
): Promise<Made> {
  const { markOf } = tools;
  const back = action.next(visit);
  if (!asked.ok) {
    const { status, errors } = asked;
    // If the outcome is unknown, the page must not say that nothing was done, nor offer the action again.
    if (end === null) {
      const isUnderWay = !isAgain && (status === 500 || status === 504);
      if (!isUnderWay) return answerAgain(tools, action, visit, form, 'unknown');
      return { status, title: action.title, body: refused(visit, back, errors) };
    }
    const shown = refused(visit, back, errors);
    if (end === 'free') return { status, title: NOTHING_DONE, body: html`${shown}${sameForm(visit, form)}` };
    return { status, title: NOTHING_DONE, body: await refusedForm(tools, action, visit, form, errors) };
  }
  if (action.reveal === undefined)
    return { goTo: withQuery(action.next(visit, asked.body), { done: markOf(action) }) };
  const body = revealed(action.reveal(asked.body, visit, form), visit, back);
  return { status: 200, title: action.title, body };
}

const DONE_BEFORE = 'It was done already: this form was sent before. Nothing was done again.';
const REVEALED_BEFORE = 'What was shown then is shown once, and stands nowhere.';
const NOT_KNOWN =
  'This form was sent before, and it is not known what became of it, or it is still under way. Look before you ask for it again.';
const STRANGE_KEY = 'This form was sent from another page or by somebody else. Open the page again.';

/** The answer to a form that was sent before. Nothing is done, and what is shown once is not shown again. */
async function answerAgain(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
  again: Again,
): Promise<Made> {
  const { say } = visit.wording;
  if (again === 'strange') return nothingDone(tools, action, visit, null, 409, STRANGE_KEY);
  const back = action.next(visit);
  if (typeof again === 'object') {
    const { status, errors } = again;
    return { status, title: NOTHING_DONE, body: await refusedForm(tools, action, visit, form, errors) };
  }
  if (again === 'unknown' || again === 'changed') {
    const errors = [{ tag: '', description: say(NOT_KNOWN) }];
    return { status: 409, title: action.title, body: refused(visit, back, errors) };
  }
  const once = action.reveal !== undefined && html` ${say(REVEALED_BEFORE)}`;
  const shown = html`<p class="message" role="status">${say(DONE_BEFORE)}${once}</p>`;
  return { status: 200, title: action.title, body: revealed(shown, visit, back) };
}

async function nothingDone(
  tools: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form | null,
  status: number,
  english: string,
) {
  const errors = [{ tag: '', description: visit.wording.say(english) }];
  return { status, title: NOTHING_DONE, body: await refusedForm(tools, action, visit, form, errors) };
}

/**
 * Nothing was done, so the form may be sent again: it has a new key, and what was typed. What was refused is
 * said even where the form cannot be shown.
 */
async function refusedForm(
  { consoleTools, log }: ActionTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form | null,
  errors: readonly WireError[],
): Promise<Html> {
  const shown = refused(visit, action.next(visit), errors);
  if (form === null) return shown;
  const again = async () =>
    action.again === undefined ? otherReason(action, visit, form) : action.again(visit, form, consoleTools);
  const once = await again().catch((error) => {
    log.warn(errorFields(error), 'a refused form could not be shown again');
    return '';
  });
  return html`${shown}${once}`;
}

/** The form once more, if its only field is the reason and the reason was refused. Otherwise empty. */
function otherReason(
  action: Action<ConsoleTools>,
  visit: Visit,
  { mark: _, once: __, ...typed }: Form,
): Shown {
  const { reason = '', ...others } = typed;
  const isReason = action.needsNoReason !== true && reasonFault(reason) !== null;
  if (!isReason || Object.keys(others).length > 0) return '';
  return actionForm(visit, action, { values: visit.parameters, about: '', typed });
}

/**
 * A button that sends the same fields again under the same key: with other fields, the key would not tell the
 * outcome.
 */
function sameForm({ path, formMark, wording }: Visit, form: Form): Shown {
  const { mark: _, once, ...fields } = form;
  if (once === undefined || Object.values(fields).some(holdsCardNumber)) return '';
  const hidden = Object.entries({ ...fields, once, mark: formMark });
  return html`<form class="decide" method="post" action="${path}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="buttons"><button type="submit" class="main">${wording.say('Send it again')}</button></div>
</form>`;
}

function faultOf(action: Action<ConsoleTools>, { once, reason = '' }: Form): string | null {
  if (once === undefined || !isUuid(once)) return NO_KEY;
  return action.needsNoReason === true ? null : reasonFault(reason);
}

const NO_KEY = 'This form has no key of its own. Open the page again.';
function refused({ wording }: Visit, back: string, errors: readonly WireError[]): Html {
  const { say } = wording;
  return html`${errorsOf(errors)}
<p><a href="${back}">${say('Back')}</a></p>`;
}

function revealed(shown: Html, { wording }: Visit, back: string): Html {
  return html`${shown}
<p><a href="${back}">${wording.say('Back')}</a></p>`;
}

type FinishTools = { readonly database: Database; readonly audit: Audit; readonly log: Log };

/**
 * Writes down how the action ended. If that fails the action stays done, and the key says that the outcome is
 * unknown. It says so too of a refusal that comes after another try under the key has ended.
 */
async function finishAction(
  { database, audit, log }: FinishTools,
  { isAgain, ...sent }: SentForm & { readonly isAgain: boolean },
  asked: Asked<unknown>,
  refused: AuditEvent,
  { merchantId }: Visit,
): Promise<ActionEnd> {
  if (asked.ok) {
    await finishForm(database, sent, null).catch((error) =>
      log.error(
        errorFields(error),
        'what was done on a page could not be noted: its form says that it is not known',
      ),
    );
    return 'done';
  }
  const end = endOf(asked, isAgain);
  const isNoted = await audit.transaction(
    async (tx) => {
      const isEnded =
        end !== null &&
        (await (end === 'free' ? freeForm(tx, sent) : finishForm(tx, sent, keptRefusal(asked))));
      tx.record(isEnded ? refused : { ...refused, action: 'console.unknown' });
      return isEnded;
    },
    { merchantId },
  );
  return isNoted ? end : null;
}

type SecondPersonTools = AddRequestTools & {
  readonly secondPersonOver: number | null;
  readonly consoleTools: ConsoleTools;
};

const ANOTHER_UNDER_WAY =
  'Another form about the same is under way, or it is not known what became of it. Look before you ask again.';
const TOO_MANY_WAIT = 'As many of your requests wait for a second person as may. Take one back first.';

/**
 * Asks for a second person if the action moves too much. Null: one person may do it. Earlier movements and
 * those under way are counted, so that small parts together stay within the limit.
 */
async function askSecondPerson(
  tools: SecondPersonTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
  sent: SentForm,
): Promise<'waits' | null | Asked<never>> {
  const { secondPersonOver: limit, consoleTools } = tools;
  const seen = form.standing;
  if (action.moves === undefined || (limit === null && seen === undefined)) return null;
  const { say } = visit.wording;
  const moved = await action.moves(visit, form, consoleTools);
  if (!moved.ok) return moved;
  if (moved.body === null) return null;
  if (seen !== undefined && seen !== moved.body.standing) return refusedAs(visit, NOT_AS_SEEN);
  if (limit === null || moved.body.counted <= limit) return null;
  const isMade = await addRequest(tools, visit, moved.body, {
    operation: operationOf(action),
    isOfOperator: action.of === 'operator',
    reason: form.reason ?? '',
    form: sent.onceKey,
    beside: (tx) => finishForm(tx, sent, null),
  });
  return isMade ? 'waits' : operationRefused(429, say(TOO_MANY_WAIT));
}
