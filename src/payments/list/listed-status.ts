import {
  BOLETO_STATES,
  type Boleto,
  type BoletoState,
  OPEN_STATES,
} from '../../transactions/methods/boleto/boleto.ts';
import { statesOfStatus as pixStatesOf } from '../../transactions/methods/pix/pix-status.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import { PAYMENT_STATUSES } from '../payment.ts';
import { EVERY_STATE, METHODS, type Method, type WantedStates } from './payment-search.ts';

/** The statuses of cards, and further ones of a Pix or a boleto. */
export const LISTED_STATUSES = [...PAYMENT_STATUSES, 'waiting', 'overdue', 'expired'] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

const OF_BOLETO = {
  issuing: 'processing',
  issued: 'waiting',
  overdue: 'overdue',
  canceling: null,
  changing: null,
  paid: 'paid',
  canceled: 'canceled',
  expired: 'expired',
  refused: 'declined',
} as const satisfies Record<BoletoState, ListedStatus | null>;
export type BoletoStatus = NonNullable<(typeof OF_BOLETO)[BoletoState]>;

/** A boleto that is being canceled or changed is shown as before. */
export function boletoStatus({ state, stateBefore }: Pick<Boleto, 'state' | 'stateBefore'>): BoletoStatus {
  return OF_BOLETO[state] ?? OF_BOLETO[stateBefore ?? 'issued'];
}

/** The states of each method that are shown as this status. `status` null: every state. */
export function statesOfStatus(status: ListedStatus | null): WantedStates {
  if (status === null) return EVERY_STATE;
  const shownAs = OPEN_STATES.filter((state) => OF_BOLETO[state] === status);
  return {
    ...cardStatesOf(status),
    pixStates: pixStatesOf(status),
    boletoStates: BOLETO_STATES.filter((state) =>
      OF_BOLETO[state] === null ? shownAs.length > 0 : OF_BOLETO[state] === status,
    ),
    shownAs,
  };
}

export function methodsOfStatus(status: ListedStatus | null): readonly Method[] {
  const { states, pixStates, boletoStates } = statesOfStatus(status);
  const has = { card: states, pix: pixStates, boleto: boletoStates };
  return METHODS.filter((method) => has[method].length > 0);
}

function cardStatesOf(status: ListedStatus): Pick<WantedStates, 'states' | 'installmentStates'> {
  switch (status) {
    case 'processing':
      return { states: ['charging', 'unresolved'], installmentStates: INSTALLMENT_STATES };
    case 'preauthorized':
      return { states: ['preauthorized', 'capturing'], installmentStates: INSTALLMENT_STATES };
    case 'declined':
    case 'voided':
      return { states: [status], installmentStates: INSTALLMENT_STATES };
    case 'authorized':
    case 'paid':
    case 'canceled':
    case 'blocked':
      return { states: ['approved'], installmentStates: [status] };
    case 'waiting':
    case 'overdue':
    case 'expired':
      return { states: [], installmentStates: [] };
  }
}
