import type { FoundCharge } from '../../providers/acquirers/acquirer.ts';
import {
  type Case,
  DECISION_REFUSALS,
  DECISIONS_OF,
  type Decision,
  isUnresolvedKind,
} from '../../transactions/unresolved/unresolved.ts';
import { type Cents, cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  actorText,
  amountFault,
  cardText,
  centsOf,
  emptyState,
  facts,
  filterForm,
  link,
  moment,
  quotation,
  section,
  table,
} from '../parts/page-parts.ts';
import {
  AUDIT,
  billingPath,
  boletoPath,
  CASE,
  casePath,
  merchantPath,
  pathOf,
  paymentPath,
  subscriptionPath,
  UNRESOLVED,
  withQuery,
} from '../parts/paths.ts';
import { reasonIn } from '../parts/reason-in.ts';
import {
  type Action,
  type Form,
  MAY_SEE_AUDIT,
  mayUse,
  OF_OPERATOR,
  OPERATION_DONE,
  operationRefused,
  refusedAs,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge, type States, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import {
  KIND_WORDS,
  MOST_WAITING_SHOWN,
  WAITING_KINDS,
  type WaitingFilter,
  type WaitingThing,
} from './waiting-thing.ts';

const CASE_STATES: States<Case['state']> = {
  charging: { tone: 'wait', text: 'Unknown' },
  unresolved: { tone: 'wait', text: 'Unknown' },
  capturing: { tone: 'wait', text: 'Unknown' },
  canceling: { tone: 'wait', text: 'Unknown' },
  pending: { tone: 'wait', text: 'Being given back' },
  preauthorized: { tone: 'wait', text: 'Preauthorized' },
  approved: { tone: 'good', text: 'Authorized' },
  captured: { tone: 'good', text: 'Captured' },
  canceled: { tone: 'good', text: 'Given back' },
  declined: { tone: 'bad', text: 'Declined' },
  refused: { tone: 'bad', text: 'Refused' },
  voided: { tone: 'plain', text: 'Voided' },
};

function casePage(found: Case, visit: Visit): Html {
  const { wording } = visit;
  const { say, money, count } = wording;
  const state = found.isUnresolved
    ? badge('wait', say('Unknown'))
    : stateBadge(CASE_STATES, found.state, wording);
  return html`<p class="headline"><strong>${money(found.amount)}</strong> ${state}</p>
${facts([
  [say('Kind'), say(KIND_WORDS[found.kind])],
  [say('Merchant'), found.merchantId],
  [
    say('Payment'),
    found.origin === 'payment'
      ? link(paymentPath(found.merchantId, found.transactionId), found.transactionId)
      : found.transactionId,
  ],
  [say('Reference'), found.referenceTransaction ?? '–'],
  [say('Card'), `${cardText(found)} (${found.firstSix})`],
  [say('Asked by'), actorText(found.createdBy, wording)],
  [say('Begun'), moment(wording, found.createdAt)],
  [say('Decided'), moment(wording, found.decidedAt)],
  [say('Tries'), count(found.tries)],
  [say('Next try'), moment(wording, found.dueAt)],
  [say('Last reason'), quotation(found.reason && reasonIn(found.reason, wording))],
])}
${askForm(found, visit)}
${decisionForm(found, visit)}
${section(
  say('What was decided about it'),
  html`<p>${
    mayUse(MAY_SEE_AUDIT, visit.user)
      ? link(withQuery(pathOf(AUDIT), { action: 'resolve.decide' }), say('Decisions in the audit log'))
      : say('Decisions in the audit log')
  }</p>`,
)}`;
}

function askForm(found: Case, visit: Visit): Shown {
  if (!isAskable(found)) return '';
  return actionForm(visit, ASK, {
    values: { id: found.id },
    about: visit.wording.say('What it says of this charge now is shown once. Nothing is changed by it.'),
  });
}

function decisionForm(found: Case, visit: Visit, typed?: Form): Shown {
  if (!found.isUnresolved) return '';
  const { say } = visit.wording;
  const decisions: readonly Decision[] = DECISIONS_OF[found.kind];
  return actionForm(visit, DECIDE, {
    typed,
    values: { id: found.id },
    about: say(
      'It is asked for again by itself. Decide only what you found out at the desk of the acquirer; the reason names who said so.',
    ),
    fields: [
      {
        name: 'decision',
        label: say('It ends as'),
        isRequired: true,
        choices: [['', '–'], ...decisions.map((one) => [one, say(DECISION_WORDS[one])] as const)],
      },
      ...(found.kind === 'capture'
        ? [{ name: 'amount', label: say('Captured, if another amount, in reais') }]
        : []),
    ],
    isGrave: true,
    isOpen: true,
  });
}

function waitingList(waiting: readonly WaitingThing[], visit: Visit): Html {
  return html`${filters(visit)}${waiting.length > 0 && summary(waiting, visit)}${waitingTable(waiting, visit)}`;
}

function filters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    {
      name: 'kind',
      label: say('Kind'),
      choices: [['', say('Any')], ...WAITING_KINDS.map((kind) => [kind, say(KIND_WORDS[kind])] as const)],
    },
    { name: 'merchant', label: say('Merchant'), mostCharacters: 20 },
    { name: 'olderThan', label: say('Older than, in minutes'), type: 'number' },
    {
      name: 'order',
      label: say('First'),
      choices: [
        ['age', say('The oldest')],
        ['money', say('The largest amount')],
      ],
    },
  ]);
}

function summary(waiting: readonly WaitingThing[], { wording }: Visit): Html {
  const { say, money, count } = wording;
  const sum = (things: readonly WaitingThing[]) => money(things.reduce((all, { amount }) => all + amount, 0));
  const atAcquirer = waiting.filter(({ kind }) => isUnresolvedKind(kind));
  const atBank = waiting.filter(({ kind }) => !isUnresolvedKind(kind));
  const part = (things: readonly WaitingThing[], text: string) =>
    things.length === 0 ? [] : [say(text, { count: count(things.length), money: sum(things) })];
  const parts = [
    ...part(atAcquirer, 'At the acquirer {count}, {money}'),
    ...part(atBank, 'At the bank {count}, {money}'),
  ];
  return html`<p class="lead">${parts.join(' · ')}</p>`;
}

/**
 * The page of a thing that waits. What a bank has to answer cannot be decided here: the thing's own page
 * explains it.
 */
function pathOfThing({ kind, id, merchantId }: WaitingThing): string {
  switch (kind) {
    case 'boleto':
      return boletoPath(merchantId, id);
    case 'pix':
      return paymentPath(merchantId, id);
    case 'pixAuthorization':
      return subscriptionPath(merchantId, id);
    case 'pixCollection':
      return billingPath(merchantId, id);
    default:
      return casePath(id);
  }
}

function waitingTable(waiting: readonly WaitingThing[], { wording, now, query }: Visit): Html {
  const { say, money, count, duration } = wording;
  if (waiting.length === 0)
    return ['kind', 'merchant', 'olderThan'].some((name) => query[name] !== undefined)
      ? emptyState(say('Nothing that is unknown fits.'), say('Choose another kind, merchant or age.'))
      : emptyState(
          say('Every outcome is known.'),
          say(
            'What the acquirer or the bank does not answer appears here, and is asked for until it is known.',
          ),
        );
  return html`${table(say('Unresolved'), waiting, [
    { title: say('Id'), cell: (one) => link(pathOfThing(one), one.id) },
    { title: say('Kind'), cell: (one) => say(KIND_WORDS[one.kind]) },
    { title: say('Merchant'), cell: (one) => link(merchantPath(one.merchantId), one.merchantId) },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Unknown for'), cell: (one) => duration(Math.max(0, (now - one.since) / 1_000)) },
    { title: say('Tries'), isNumber: true, cell: (one) => count(one.tries) },
    { title: say('Next try'), cell: (one) => moment(wording, one.dueAt) },
    {
      title: say('Last reason'),
      cell: (one) => quotation(one.reason && reasonIn(one.reason, wording)),
    },
  ])}${
    waiting.length >= MOST_WAITING_SHOWN &&
    html`<p class="note">${say('Only the first {count} are shown: choose a kind, a merchant or an age.', {
      count: count(MOST_WAITING_SHOWN),
    })}</p>`
  }`;
}

function filterOf({ query }: Visit): WaitingFilter {
  return {
    kinds: WAITING_KINDS.filter((kind) => query.kind === undefined || kind === query.kind),
    merchantId: query.merchant ?? null,
    olderThanMinutes: /^\d{1,7}$/.test(query.olderThan ?? '') ? Number(query.olderThan) : 0,
    order: query.order === 'money' ? 'money' : 'age',
  };
}

export const UNRESOLVED_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, readonly WaitingThing[]>({
    path: UNRESOLVED,
    ...OF_OPERATOR,
    title: 'Unresolved',
    refreshSeconds: 15,
    read: (visit, { listWaiting }) => listWaiting(filterOf(visit)),
    view: waitingList,
  }),
  screen<ConsoleTools, Case>({
    path: CASE,
    ...OF_OPERATOR,
    title: 'Unresolved case',
    read: async ({ parameters: { id = '' } }, { findCase }) =>
      (isUuid(id) ? await findCase(id) : null) ?? 'notFound',
    view: casePage,
  }),
];

const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  voided: 'Voided: no charge stays',
  declined: 'Declined',
  canceled: 'Given back',
  refused: 'Refused',
  captured: 'Captured',
};

/** The acquirer cannot be asked about a single cancel or capture. */
function isAskable({ kind, isUnresolved }: Case): boolean {
  return kind === 'charge' && isUnresolved;
}

function acquirerText(answer: FoundCharge, { say }: Wording): string {
  switch (answer.kind) {
    case 'approved':
      return say('Approved: the charge is live, code {code}', { code: answer.authorizationCode });
    case 'preauthorized':
      return say('Authorized, and not captured');
    case 'declined':
      return say('Declined with {code}', { code: answer.responseCode });
    case 'voided':
      return say('Voided');
    case 'notFound':
      return say('It knows of no such charge; it may still be on its way');
    case 'unknown':
    case 'notSent':
      return say('No clear answer: {reason}', { reason: answer.reason });
  }
}

const isDecision = (text: string): text is Decision => Object.hasOwn(DECISION_WORDS, text);

const ASKED_TOO_OFTEN = 'You have asked the acquirer often just now. Wait some seconds.';

const ASK: Action<ConsoleTools> = {
  // Only a button asks the acquirer: opening or reloading a page does not.
  path: `${CASE}/ask`,
  roles: ['support', 'finance', 'operator', 'admin'],
  of: 'operator',
  title: 'Ask the acquirer',
  operation: 'resolve.ask',
  needsNoReason: true,
  async perform(visit, _form, { askAcquirer, findCase }) {
    const { say } = visit.wording;
    const { id = '' } = visit.parameters;
    const found = isUuid(id) ? await findCase(id) : null;
    if (found === null) return refusedAs(visit, DECISION_REFUSALS.unknownId);
    if (!isAskable(found)) return refusedAs(visit, DECISION_REFUSALS.final);
    const answer = await askAcquirer(visit, found);
    if (answer === null) return operationRefused(429, say(ASKED_TOO_OFTEN));
    return { ok: true, status: 200, body: answer };
  },
  reveal: (answer, { wording }) =>
    facts([[wording.say('The acquirer says now'), acquirerText(answer as FoundCharge, wording)]]),
  done: 'The acquirer has answered.',
  next: ({ parameters: { id = '' } }) => casePath(id),
};

/** The captured amount that was typed. Null: the amount that was asked for. */
function capturedOf({ amount = '' }: Form): Cents | null {
  const typed = centsOf(amount);
  return typeof typed === 'number' ? cents(typed) : null;
}

const DECIDE: Action<ConsoleTools> = {
  path: `${CASE}/decide`,
  roles: ['operator', 'admin'],
  of: 'operator',
  title: 'Decide',
  operation: 'resolve.decide',
  async moves(visit, form, { findCase }) {
    const { decision = '' } = form;
    const { id = '' } = visit.parameters;
    const found = isUuid(id) ? await findCase(id) : null;
    if (found === null) return { ok: true, status: 200, body: null };
    const ofKind: readonly string[] = DECISIONS_OF[found.kind];
    if (!ofKind.includes(decision)) return refusedAs(visit, DECISION_REFUSALS.notOfThisKind);
    const { kind, state, isUnresolved } = found;
    const standing = `${kind} ${state} ${found.amount} ${isUnresolved}`;
    const typed = capturedOf(form);
    const fields = { decision, ...(typed !== null && { amount: form.amount ?? '' }) };
    const amount = typed ?? found.amount;
    // A smaller captured amount gives up the rest, so the whole amount counts for whether another person must
    // agree.
    const counted = Math.max(found.amount, amount);
    return { ok: true, status: 200, body: { amount, counted, standing, fields } };
  },
  async again(visit, typed, { findCase }) {
    const { id = '' } = visit.parameters;
    const found = isUuid(id) ? await findCase(id) : null;
    return found !== null && decisionForm(found, visit, typed);
  },
  saysOf: ({ decision = '' }, { say }) => (isDecision(decision) ? say(DECISION_WORDS[decision]) : ''),
  faultOf: (form) => (form.amount ? amountFault(form) : null),
  async perform(visit, form, { decide, findCase }) {
    const { decision, reason = '' } = form;
    const { id = '' } = visit.parameters;
    if (!isUuid(id) || (await findCase(id)) === null) return refusedAs(visit, DECISION_REFUSALS.unknownId);
    const known = Object.values(DECISIONS_OF)
      .flat()
      .find((one) => one === decision);
    if (known === undefined) return refusedAs(visit, DECISION_REFUSALS.notOfThisKind);
    const decided = await decide(visit, { id, decision: known, reason, amount: capturedOf(form) });
    return decided.kind === 'decided' ? OPERATION_DONE : refusedAs(visit, DECISION_REFUSALS[decided.refusal]);
  },
  done: 'It is decided: nothing asks for it any more.',
  next: ({ parameters: { id = '' } }) => casePath(id),
};

export const UNRESOLVED_ACTIONS: readonly Action<ConsoleTools>[] = [ASK, DECIDE];
