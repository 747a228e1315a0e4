import type { RegisteredBoleto } from '../../../providers/banks/bank.ts';
import { addDays, type Instant, instant, saoPauloDay, startOfSaoPauloDay } from '../../../values/instant.ts';
import {
  actsAt,
  BOLETO_MOVES,
  type Boleto,
  type BoletoDays,
  type BoletoPayment,
  type BoletoState,
  NOT_SENT,
  type OpenState,
  type RegistrationRefusal,
  type ShownState,
  shownState,
} from './boleto.ts';

export type BoletoChange =
  | { readonly event: 'issue'; readonly registered: RegisteredBoleto; readonly days?: BoletoDays }
  | { readonly event: 'refuse'; readonly reason: RegistrationRefusal }
  | { readonly event: 'pay'; readonly payment: BoletoPayment }
  | { readonly event: 'startChange'; readonly wanted: BoletoDays }
  /** `days`: those that the bank's record has now. */
  | {
      readonly event: 'resumeChange';
      readonly registered: RegisteredBoleto;
      readonly days: BoletoDays;
      readonly wanted: BoletoDays;
    }
  | {
      readonly event: 'change';
      readonly registered: RegisteredBoleto;
      readonly days: BoletoDays;
    }
  /** `isKept`: the boleto keeps its due day, because the bank does not change it. */
  | { readonly event: 'keepIssued' | 'keepOverdue'; readonly isKept?: boolean }
  | { readonly event: 'withdraw' | 'lapse' | 'startCancel' | 'startExpiry' | 'cancel' | 'expire' };

export type BoletoMove = {
  readonly from: BoletoState;
  readonly to: BoletoState;
  readonly stateBefore: OpenState | null;
  readonly isExpiring: boolean;
  readonly registered: RegisteredBoleto | null;
  readonly refusalReason: Boleto['refusalReason'];
  readonly days: BoletoDays;
  readonly wanted: BoletoDays | null;
  readonly payment: BoletoPayment | null;
  readonly actsAt: Instant | null;
  readonly isAsked: boolean;
  /** Business time. */
  readonly moment: Instant;
  /** The change that merchants are notified of; null if they see none. */
  readonly news: { readonly before: ShownState | null; readonly after: NewsOfBoleto } | null;
};

/** `dueDayKept`: the bank does not change the due day. */
export type NewsOfBoleto = ShownState | 'dueDayChanged' | 'dueDayKept';

/** Null: the event cannot happen in the boleto's state. */
export function moveOf(boleto: Boleto, change: BoletoChange, moment: Instant): BoletoMove | null {
  const { state } = boleto;
  const to: BoletoState | null = BOLETO_MOVES[state][change.event];
  if (to === null) return null;
  const isAsked = to === 'canceling' || to === 'changing';
  const days = ('registered' in change ? change.days : null) ?? daysOf(boleto);
  const isOtherDay = change.event === 'resumeChange' && days.dueOn !== boleto.dueOn;
  const open = isOtherDay ? 'issued' : (boleto.stateBefore ?? (state as OpenState));
  const stateBefore = isAsked ? open : null;
  const before = shownState(boleto);
  const after = isOtherDay ? 'dueDayChanged' : (newsOf(change) ?? shownState({ state: to, stateBefore }));
  return {
    from: state,
    to,
    stateBefore,
    isExpiring: change.event === 'startExpiry',
    registered: 'registered' in change ? change.registered : boleto.registered,
    refusalReason: refusalOf(change),
    days,
    wanted: 'wanted' in change ? change.wanted : null,
    payment: change.event === 'pay' ? change.payment : null,
    actsAt: nextActOf(days, to, change, moment),
    isAsked,
    moment,
    news: after === null || after === before ? null : { before, after },
  };
}

function daysOf({ dueOn, payableUntil }: BoletoDays): BoletoDays {
  return { dueOn, payableUntil };
}

function newsOf(change: BoletoChange): NewsOfBoleto | null {
  if (change.event === 'change') return 'dueDayChanged';
  return 'isKept' in change && change.isKept ? 'dueDayKept' : null;
}

function refusalOf(change: BoletoChange): Boleto['refusalReason'] {
  if (change.event === 'refuse') return change.reason;
  return change.event === 'withdraw' ? NOT_SENT : null;
}

/**
 * A boleto that is paid at the bank waits for the report of the payment; without one the bank is asked again
 * a day later.
 */
function nextActOf(days: BoletoDays, to: BoletoState, change: BoletoChange, moment: Instant): Instant | null {
  if (to !== 'issued' && to !== 'overdue') return null;
  const usual = actsAt(to, days);
  if (change.event !== 'keepOverdue' || usual > moment) return usual;
  return startOfSaoPauloDay(addDays(saoPauloDay(moment), 1));
}

/**
 * The earliest moment at which the calendar changes a boleto; null: never. Of the stored and the computed
 * moment the later counts: an older version may have stored it with fewer bank holidays.
 */
export function calendarMoment(boleto: Boleto): Instant | null {
  const { state, actsAt: written } = boleto;
  if (written === null || (state !== 'issued' && state !== 'overdue')) return null;
  const computed = actsAt(state, boleto);
  return instant(Math.max(computed, written));
}

/**
 * The change that the calendar makes now; null: none. `canEnd`: the bank that registered the boleto can be
 * asked, or no bank has it.
 */
export function calendarChange(boleto: Boleto, now: Instant, canEnd: boolean): BoletoChange | null {
  const moment = calendarMoment(boleto);
  if (moment === null || moment > now) return null;
  if (boleto.state === 'issued') return { event: 'lapse' };
  return canEnd ? { event: 'startExpiry' } : null;
}

export function keepChange({ stateBefore }: Pick<Boleto, 'stateBefore'>): {
  readonly event: 'keepIssued' | 'keepOverdue';
} {
  return { event: stateBefore === 'issued' ? 'keepIssued' : 'keepOverdue' };
}
