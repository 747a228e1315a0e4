import type { Instant } from '../../values/instant.ts';
import type { Stamp } from '../plans/plan.ts';

export const NOTIFIER_STATES = ['active', 'inactive'] as const;
export type NotifierState = (typeof NOTIFIER_STATES)[number];

/** Whoever a merchant wants to be told of charges that failed and of cards that expire. */
export type Notifier = {
  readonly merchantId: string;
  readonly notifierId: string;
  readonly name: string;
  readonly description: string;
  /** As it is kept: see `checkUrl`. */
  readonly callbackUrl: string;
  readonly state: NotifierState;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** Each is sent every notice: a merchant whose number is not bounded would multiply its own load. */
export const MOST_ACTIVE_NOTIFIERS = 20;

/** Who registers or changes one. */
export type Registrar = { readonly merchantId: string; readonly userName: string };

/** Which are searched for: `name` is any part of the name, an empty text of every one. Null: of every state; of the caller. */
export type NotifierFilter = {
  readonly name: string;
  readonly state: NotifierState | null;
  readonly merchantId: string | null;
};

/** What a list can be put in order by; all are of one merchant, so that field leaves it to the id. */
export type NotifierOrder =
  | 'notifierId'
  | 'merchantId'
  | 'name'
  | 'description'
  | 'callbackUrl'
  | 'state'
  | 'createdBy'
  | 'createdAt'
  | 'modifiedBy'
  | 'modifiedAt';

/** A change of state, asked for by somebody at a moment of business time. */
export type NotifierMove = {
  readonly merchantId: string;
  readonly notifierId: string;
  readonly state: NotifierState;
  readonly by: string;
  readonly at: Instant;
};
