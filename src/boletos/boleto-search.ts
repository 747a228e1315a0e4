import type { WantedPage } from '../platform/pages.ts';
import type { Day } from '../values/instant.ts';
import type { StatesOfStatus } from './bill-status.ts';

/** Of a list. */
export const MOST_DAYS = 93;
/** Of a list that is no page. */
export const MOST_IN_ARRAY = 1_000;

/** Boletos of an account by due day, both days included. */
export type WantedBoletos = WantedPage<'dueDate'> & {
  readonly accountNumber: string;
  readonly dueFrom: Day;
  readonly dueTo: Day;
  /** Null: of any status. */
  readonly states: StatesOfStatus | null;
  /** All of them at once, as far as they are few enough. */
  readonly isArray: boolean;
};
