import type { FoundCharge } from '../../acquirers/acquirer.ts';
import type {
  Case,
  Decision,
  DecisionRefusal,
  DecisionResult,
} from '../../transactions/unresolved/unresolved.ts';
import { DECISIONS_OF } from '../../transactions/unresolved/unresolved.ts';
import { isUuid } from '../../values/ids.ts';
import { html } from '../parts/html.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { filterForm } from '../parts/page-parts.ts';
import { type Action, ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { casePage, MAY_DECIDE, waitingTable } from './unresolved-view.ts';
import { CASE, type CaseFound, casePath, type WaitingThing } from './waiting-thing.ts';

export type UnresolvedFilter = { readonly merchantId: string | null; readonly olderThanMinutes: number };

export type UnresolvedTools = {
  /** The oldest first, up to a bound. */
  readonly listWaiting: (filter: UnresolvedFilter) => Promise<readonly WaitingThing[]>;
  readonly findCase: (id: string) => Promise<Case | null>;
  /** What the acquirer says of a charge now. */
  readonly askAcquirer: (found: Case) => Promise<FoundCharge>;
  readonly decide: (
    visit: Visit,
    decided: { readonly id: string; readonly decision: Decision; readonly reason: string },
  ) => Promise<DecisionResult>;
};

export const UNRESOLVED_SCREENS: readonly Screen<UnresolvedTools>[] = [
  screen<UnresolvedTools, readonly WaitingThing[]>({
    path: '/unresolved',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Unresolved',
    place: 2,
    read: ({ query }, { listWaiting }) =>
      listWaiting({
        merchantId: query.merchant ?? null,
        olderThanMinutes: /^\d{1,7}$/.test(query.olderThan ?? '') ? Number(query.olderThan) : 0,
      }),
    view: (waiting, visit) =>
      html`${filterForm(visit, [
        { name: 'merchant', label: visit.wording.say('Merchant'), mostCharacters: 20 },
        { name: 'olderThan', label: visit.wording.say('Older than, in minutes'), type: 'number' },
      ])}${waitingTable(waiting, visit)}`,
  }),
  screen<UnresolvedTools, CaseFound>({
    path: CASE,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Unresolved case',
    async read({ parameters: { id = '' } }, { findCase, askAcquirer }) {
      const found = isUuid(id) ? await findCase(id) : null;
      if (found === null) return 'notFound';
      const isAsked = found.kind === 'charge' && found.isUnresolved;
      return { found, acquirerNow: isAsked ? await askAcquirer(found) : null };
    },
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

export const UNRESOLVED_ACTIONS: readonly Action<UnresolvedTools>[] = [
  {
    path: `${CASE}/decide`,
    ...MAY_DECIDE,
    title: 'Decide',
    operation: 'resolve.decide',
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
