import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, emptyState, link, realMoment, section, table } from '../parts/page-parts.ts';
import { WAITING, waitingPath } from '../parts/paths.ts';
import {
  type Action,
  ALL_ROLES,
  type Asked,
  type Form,
  OPERATION_DONE,
  operationRefused,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge, type States, stateBadge } from '../parts/states.ts';
import { nameShown, type Person } from '../users/user.ts';

import type { DecisionFault, FoundRequest, RequestState } from './second-person.ts';
import { MOST_REQUESTS_SHOWN, stateOf } from './second-person.ts';

export type ShownRequest = FoundRequest & {
  readonly title: string;
  /** What else the request asks for, besides the amount. Null: nothing. */
  readonly says: string | null;
  readonly mayApprove: boolean;
  /** The requester may be the same person as the user, and only that forbids the user to approve. */
  readonly isOneHand: boolean;
  readonly mayDecline: boolean;
};

/** `unknownId`: there is no such request, or not on this page. */
export type Decided = Asked<unknown> | { readonly fault: DecisionFault | 'unknownId' };

export type WaitingTools = {
  /** The limit in cents above which a second person is asked. Null: no limit. */
  readonly secondPersonOver: number | null;
  /**
   * Requests of the page's merchant, or on the operator's page all. Those that wait come first. Up to a
   * bound.
   */
  readonly listRequests: (visit: Visit) => Promise<readonly ShownRequest[]>;
  readonly isAnythingWaiting: (merchantId: string | null) => Promise<boolean>;
  readonly approveRequest: (visit: Visit, requestId: string, reason: string) => Promise<Decided>;
  readonly declineRequest: (visit: Visit, requestId: string, reason: string) => Promise<Decided>;
};

type Found = { readonly requests: readonly ShownRequest[]; readonly over: number | null };

function waitingScreen(of: 'operator' | 'merchant', path: string): Screen<WaitingTools> {
  return screen<WaitingTools, Found>({
    path,
    roles: ALL_ROLES,
    of,
    title: 'Waiting for a second person',
    // Without a limit no new request is made, but earlier ones still wait until they are decided or expire.
    isOffered: async (merchantId, { secondPersonOver, isAnythingWaiting }) =>
      secondPersonOver !== null || isAnythingWaiting(of === 'operator' ? null : merchantId),
    read: async (visit, { listRequests, secondPersonOver }) => ({
      requests: await listRequests(visit),
      over: secondPersonOver,
    }),
    view: waitingPage,
  });
}

export const WAITING_SCREENS: readonly Screen<WaitingTools>[] = [
  waitingScreen('operator', WAITING.operator),
  waitingScreen('merchant', WAITING.merchant),
];

function waitingPage({ requests, over }: Found, visit: Visit): Html {
  const { say, money, count } = visit.wording;
  const waiting = requests.filter((one) => stateOf(one) === 'waiting');
  const rest = requests.filter((one) => stateOf(one) !== 'waiting');
  const limit =
    over === null
      ? visit.user.merchantId === null
        ? say('No limit is set (PARCELA_CONSOLE_SECOND_PERSON_OVER): what is asked for is done at once.')
        : say('What is asked for is done at once.')
      : say(
          'What moves more than {amount} is done when a second person with the same right approves it, within a day.',
          {
            amount: money(over),
          },
        );
  return html`<p class="note">${limit}</p>
${waiting.length === 0 ? over !== null && emptyState(say('Nothing waits for a second person.'), say('What is asked for appears here.')) : waiting.map((one) => waitingOne(one, visit))}
${waiting.length >= MOST_REQUESTS_SHOWN && html`<p class="note">${say('Only the first {count} are shown.', { count: count(MOST_REQUESTS_SHOWN) })}</p>`}
${rest.length > 0 && section(say('What waits no more'), html`${overTable(rest, visit)}${rest.length >= MOST_REQUESTS_SHOWN && html`<p class="note">${say('Only the newest are shown.')}</p>`}`)}`;
}

const thingPath = (path: string) => path.slice(0, path.lastIndexOf('/'));

function whatText({ title, says }: ShownRequest, { wording: { say } }: Visit): string {
  return says === null ? say(title) : `${say(title)}: ${says}`;
}

/** Merchants choose the names of their users, so the operator also sees the merchant. */
function personText(person: Person, visit: Visit): string {
  const { user, wording } = visit;
  const name = nameShown(person, visit);
  if (user.merchantId !== null) return name;
  return person.merchantId === null
    ? wording.say('{name} (operator)', { name })
    : `${name} (${person.merchantId})`;
}

function waitingOne(found: ShownRequest, visit: Visit): Html {
  const { request } = found;
  const { wording } = visit;
  const { say } = wording;
  const { about, titled } = textsOf(found, visit);
  return section(
    titled,
    html`<p>${about}</p>
<p>${link(thingPath(request.path), say('What it is about'))} · ${say('Requested')} ${realMoment(wording, request.requestedAt)} · ${say('Until')} ${realMoment(wording, request.expiresAt)}</p>
${found.isOneHand && html`<p class="note">${say(ONE_HAND)}</p>`}${decisionForms(found, visit)}`,
  );
}

function textsOf(found: ShownRequest, visit: Visit) {
  const { say, money } = visit.wording;
  const { request, requester } = found;
  const about = say('{who} asks for it: {reason}', {
    who: personText(requester, visit),
    reason: request.reason,
  });
  // Requests without money show no amount.
  const what = whatText(found, visit);
  return { about, titled: request.amount === 0 ? what : `${what}: ${money(request.amount)}` };
}

/** The forms that approve and decline. `again`: only the one that was refused, with what was typed. */
function decisionForms(
  found: ShownRequest,
  visit: Visit,
  again?: { readonly of: 'approve' | 'decline'; readonly typed: Form },
): Html {
  const { request, mayApprove, mayDecline } = found;
  const { about, titled } = textsOf(found, visit);
  const isOwn = request.requestedBy === visit.user.userId;
  const { approve, decline } = DECISIONS[visit.merchantId === '' ? 'operator' : 'merchant'];
  const form = (action: Action<WaitingTools>, isGrave: boolean) =>
    actionForm(visit, action, {
      typed: again?.typed,
      values: { requestId: request.requestId },
      about: `${titled}. ${about}`,
      isGrave,
    });
  return html`${mayApprove && again?.of !== 'decline' && form(approve, true)}${mayDecline && again?.of !== 'approve' && form(isOwn ? { ...decline, title: 'Take it back' } : decline, false)}`;
}

const STATES: States<RequestState> = {
  waiting: { tone: 'wait', text: 'Waits' },
  expired: { tone: 'plain', text: 'Not decided in time' },
  approved: { tone: 'good', text: 'Approved by another' },
  declined: { tone: 'bad', text: 'Declined by another' },
};

function decisionBadge(found: ShownRequest, wording: Visit['wording']): Shown {
  const { say } = wording;
  const { decision } = found;
  if (decision?.decision !== 'approved') return stateBadge(STATES, stateOf(found), wording);
  if (decision.outcome === 'done') return badge('good', say('Approved and done'));
  if (decision.outcome === null) return badge('wait', say('Approved; it is not known what became of it'));
  return html`${badge('bad', say('Approved, and refused then'))} ${decision.refusal}`;
}

function overTable(requests: readonly ShownRequest[], visit: Visit): Html {
  const { wording } = visit;
  const { say, money } = wording;
  return table(say('What waits no more'), requests, [
    { title: say('Requested'), cell: (one) => realMoment(wording, one.request.requestedAt) },
    { title: say('What'), cell: (one) => link(thingPath(one.request.path), whatText(one, visit)) },
    {
      title: say('Amount'),
      isNumber: true,
      cell: (one) => (one.request.amount === 0 ? '–' : money(one.request.amount)),
    },
    { title: say('By'), cell: (one) => personText(one.requester, visit) },
    { title: say('Reason'), cell: (one) => one.request.reason },
    { title: say('State'), cell: (one) => decisionBadge(one, wording) },
    {
      title: say('Decided by'),
      cell: (one) => (one.decision === null ? '–' : personText(one.decision.decidedBy, visit)),
    },
    { title: say('Reason of the decision'), cell: (one) => one.decision?.reason ?? '–' },
  ]);
}

const ONE_HAND =
  'You and the person who asked do not count as two: one of you let the other in or gave the role, or a third one did so of both. Ask somebody to approve it who was let in by others, or on the command line.';
const UNDER_WAY =
  'Something else of it is under way, or it is not known what became of it. Look before you decide.';

const FAULTS: Readonly<
  Record<DecisionFault | 'unknownId', { readonly status: 404 | 409; readonly text: string }>
> = {
  unknownId: { status: 404, text: 'There is no such request.' },
  decided: { status: 409, text: 'It is decided already.' },
  expired: { status: 409, text: 'Its day is over: it is to be asked for anew.' },
  samePerson: { status: 409, text: 'Another person than the one who asked decides.' },
  oneHand: { status: 409, text: ONE_HAND },
  newcomer: {
    status: 409,
    text: 'You were let in, or got your role, within the last day by another user, and count as a second person a day later.',
  },
  newRequester: {
    status: 409,
    text: 'The person who asked was let in, or got the role, within the last day by another user: decline this, and let it be asked for a day later.',
  },
  underWay: { status: 409, text: UNDER_WAY },
  notAllowed: {
    status: 409,
    text: 'The one who asked and the one who decides must both be allowed to do it.',
  },
  requesterLockedOut: { status: 409, text: 'The person who asked is locked out.' },
  altered: { status: 409, text: 'The request is not as it was written. Tell those who run the database.' },
  changed: {
    status: 409,
    text: 'It has changed since it was asked for: decline this, and ask for it anew.',
  },
};

function answered(decided: Decided, { wording }: Visit): Asked<unknown> {
  if (!('fault' in decided)) return decided.ok ? OPERATION_DONE : decided;
  const { status, text } = FAULTS[decided.fault];
  return operationRefused(status, wording.say(text));
}

const MAY_DECIDE: Action['roles'] = ['finance', 'operator', 'admin'];

type Decisions = { readonly approve: Action<WaitingTools>; readonly decline: Action<WaitingTools> };

function decisionsOf(of: 'operator' | 'merchant'): Decisions {
  const path = WAITING[of];
  const where = { of, roles: MAY_DECIDE };
  const next = ({ merchantId }: Visit) => waitingPath(of === 'operator' ? null : merchantId);
  const again =
    (form: keyof Decisions) =>
    async (visit: Visit, typed: Form, { listRequests }: WaitingTools) => {
      const found = (await listRequests(visit)).find(
        ({ request }) => request.requestId === visit.parameters.requestId,
      );
      return found !== undefined && decisionForms(found, visit, { of: form, typed });
    };
  return {
    approve: {
      ...where,
      path: `${path}/{requestId}/approve`,
      title: 'Approve and do it',
      operation: 'console.approve',
      perform: async (visit, { reason = '' }, { approveRequest }) =>
        answered(await approveRequest(visit, visit.parameters.requestId ?? '', reason), visit),
      again: again('approve'),
      done: 'It was approved, and done.',
      next,
    },
    decline: {
      ...where,
      path: `${path}/{requestId}/decline`,
      title: 'Decline',
      operation: 'console.decline',
      perform: async (visit, { reason = '' }, { declineRequest }) =>
        answered(await declineRequest(visit, visit.parameters.requestId ?? '', reason), visit),
      again: again('decline'),
      done: 'It was declined, and is not done.',
      next,
    },
  };
}

const DECISIONS = { operator: decisionsOf('operator'), merchant: decisionsOf('merchant') };

export const WAITING_ACTIONS: readonly Action<WaitingTools>[] = [
  ...Object.values(DECISIONS.operator),
  ...Object.values(DECISIONS.merchant),
];
