import type { FoundCharge } from '../../acquirers/acquirer.ts';
import type {
  Case,
  Decision,
  DecisionRefusal,
  DecisionResult,
} from '../../transactions/unresolved/unresolved.ts';
import { DECISIONS_OF } from '../../transactions/unresolved/unresolved.ts';
import { isUuid } from '../../values/ids.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { facts } from '../parts/page-parts.ts';
import { CASE, casePath, UNRESOLVED } from '../parts/paths.ts';
import { type Action, ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { acquirerText, casePage, DECISION_WORDS, isAskable, MAY_ASK, MAY_DECIDE } from './unresolved-view.ts';
import { waitingList } from './waiting-list-view.ts';
import { WAITING_KINDS, type WaitingFilter, type WaitingThing } from './waiting-thing.ts';

export type UnresolvedTools = {
  /** The oldest or largest first, up to a bound. */
  readonly listWaiting: (filter: WaitingFilter) => Promise<readonly WaitingThing[]>;
  readonly findCase: (id: string) => Promise<Case | null>;
  /** What the acquirer says of a charge now; null: this user has asked too often. */
  readonly askAcquirer: (visit: Visit, found: Case) => Promise<FoundCharge | null>;
  readonly decide: (
    visit: Visit,
    decided: { readonly id: string; readonly decision: Decision; readonly reason: string },
  ) => Promise<DecisionResult>;
};

function filterOf({ query }: Visit): WaitingFilter {
  return {
    kinds: WAITING_KINDS.filter((kind) => query.kind === undefined || kind === query.kind),
    merchantId: query.merchant ?? null,
    olderThanMinutes: /^\d{1,7}$/.test(query.olderThan ?? '') ? Number(query.olderThan) : 0,
    order: query.order === 'money' ? 'money' : 'age',
  };
}

export const UNRESOLVED_SCREENS: readonly Screen<UnresolvedTools>[] = [
  screen<UnresolvedTools, readonly WaitingThing[]>({
    path: UNRESOLVED,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Unresolved',
    place: 2,
    refreshSeconds: 15,
    read: (visit, { listWaiting }) => listWaiting(filterOf(visit)),
    view: waitingList,
  }),
  screen<UnresolvedTools, Case>({
    path: CASE,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Unresolved case',
    read: async ({ parameters: { id = '' } }, { findCase }) =>
      (isUuid(id) ? await findCase(id) : null) ?? 'notFound',
    view: casePage,
  }),
];

const REFUSALS: Readonly<Record<DecisionRefusal, { readonly status: 404 | 409; readonly text: string }>> = {
  unknownId: { status: 404, text: 'There is no such charge, cancel or capture.' },
  notOfThisKind: { status: 409, text: 'It does not end like that.' },
  final: { status: 409, text: 'It is final already.' },
  underWay: { status: 409, text: 'Its first answer comes within seconds: look again then.' },
  takenOver: { status: 409, text: 'It was decided or tried by somebody else at this moment: look again.' },
};

const ASKED_TOO_OFTEN = 'You have asked the acquirer often just now. Wait some seconds.';

export const UNRESOLVED_ACTIONS: readonly Action<UnresolvedTools>[] = [
  {
    // A page that is looked at sends nothing to the acquirer: somebody has to press a button.
    path: `${CASE}/ask`,
    ...MAY_ASK,
    title: 'Ask the acquirer',
    operation: 'resolve.ask',
    isQuestion: true,
    async perform(visit, _form, { askAcquirer, findCase }) {
      const { say } = visit.wording;
      const { id = '' } = visit.parameters;
      const found = isUuid(id) ? await findCase(id) : null;
      if (found === null) return operationRefused(404, say(REFUSALS.unknownId.text));
      if (!isAskable(found)) return operationRefused(409, say(REFUSALS.final.text));
      const answer = await askAcquirer(visit, found);
      if (answer === null) return operationRefused(429, say(ASKED_TOO_OFTEN));
      return { ok: true, status: 200, body: answer };
    },
    reveal: (answer, { wording }) =>
      facts([[wording.say('The acquirer says now'), acquirerText(answer as FoundCharge, wording)]]),
    done: 'The acquirer has answered.',
    next: ({ parameters: { id = '' } }) => casePath(id),
  },
  {
    path: `${CASE}/decide`,
    ...MAY_DECIDE,
    title: 'Decide',
    operation: 'resolve.decide',
    async moves({ parameters: { id = '' }, wording }, { decision = '' }, { findCase }) {
      const found = isUuid(id) ? await findCase(id) : null;
      // What is not there is refused where it is to be decided.
      if (found === null) return { ok: true, status: 200, body: null };
      const ofKind: readonly string[] = DECISIONS_OF[found.kind];
      if (!ofKind.includes(decision)) return operationRefused(409, wording.say(REFUSALS.notOfThisKind.text));
      const { kind, state, amount, isUnresolved } = found;
      const standing = `${kind} ${state} ${amount} ${isUnresolved}`;
      return { ok: true, status: 200, body: { amount, counted: amount, standing, fields: { decision } } };
    },
    saysOf: ({ decision = '' }, { say }) => say(DECISION_WORDS[decision as Decision] ?? decision),
    async perform(visit, { decision, reason = '' }, { decide, findCase }) {
      const { say } = visit.wording;
      const { id = '' } = visit.parameters;
      if (!isUuid(id) || (await findCase(id)) === null)
        return operationRefused(404, say(REFUSALS.unknownId.text));
      const known = Object.values(DECISIONS_OF)
        .flat()
        .find((one) => one === decision);
      if (known === undefined) return operationRefused(409, say(REFUSALS.notOfThisKind.text));
      const decided = await decide(visit, { id, decision: known, reason });
      if (decided.kind === 'decided') return OPERATION_DONE;
      const { status, text } = REFUSALS[decided.refusal];
      return operationRefused(status, say(text));
    },
    done: 'It is decided: nothing asks for it any more.',
    next: ({ parameters: { id = '' } }) => casePath(id),
  },
];
