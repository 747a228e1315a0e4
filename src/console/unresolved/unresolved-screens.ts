import type { FoundCharge } from '../../acquirers/acquirer.ts';
import type { Case, Decision, DecisionResult } from '../../transactions/unresolved/unresolved.ts';
import { isUuid } from '../../values/ids.ts';
import { CASE, UNRESOLVED } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { casePage } from './unresolved-view.ts';
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
