import { unusable } from '../../../platform/channels/unclear.ts';
import type {
  BankNotConnected,
  BankUnknown,
  BoletoCancelAnswer,
  BoletoCancelRefusal,
  DueDayAnswer,
  DueDayRefusal,
  FoundBoleto,
  IssueAnswer,
} from '../../../providers/banks/bank.ts';
import { ABSENT, isSurelyAbsent } from '../../requests/absence.ts';
import type { ProviderChanged } from '../../requests/move.ts';
import { type Boleto, type BoletoDays, daysFrom } from './boleto.ts';
import { type BoletoChange, keepChange } from './boleto-move.ts';

export type BankChanged = ProviderChanged<BoletoChange, BankWarning>;

export type BankResult = BankChanged | BankUnknown | BankNotConnected;

/**
 * `unknownToBank`: the bank does not know a boleto that it has registered. `refusedByBank`: it refuses to
 * register the boleto, and no caller waits for the answer. `paidAtBank`: it says that the boleto is paid, but
 * has not reported the payment. `keptByBank`: it does not cancel the boleto. `dueDayKept`: it does not change
 * the due day. `notOffered`: it changes the due day of no boleto.
 */
export type BankWarning =
  | 'unknownToBank'
  | 'refusedByBank'
  | 'paidAtBank'
  | 'keptByBank'
  | 'dueDayKept'
  | 'notOffered';

const changed = (change: BoletoChange, warning: BankWarning | null = null): BankResult => ({
  kind: 'changed',
  change,
  warning,
});

export function resultOfIssue(answer: IssueAnswer): BankResult {
  switch (answer.kind) {
    case 'issued': {
      const { barCode, pixEmv } = answer;
      return changed({ event: 'issue', registered: { barCode, pixEmv } });
    }
    case 'refused':
      return changed({ event: 'refuse', reason: answer.reason }, 'refusedByBank');
    default:
      return answer;
  }
}

/**
 * Reads the bank's record of a boleto that is being issued. Null: there is none, and the bank is asked to
 * issue it again. If it is paid there, the report of the payment follows. If it ended there, it is refused.
 * If it has another due day there, our record of a change was lost.
 */
export function resultOfSearch(
  boleto: BoletoDays & Pick<Boleto, 'daysToExpire'>,
  found: FoundBoleto,
): BankResult | null {
  switch (found.kind) {
    case 'notFound':
      return null;
    case 'issued':
    case 'paid': {
      const { dueOn, barCode, pixEmv } = found;
      const days = dueOn === boleto.dueOn ? boleto : daysFrom(boleto, dueOn);
      return changed({ event: 'issue', registered: { barCode, pixEmv }, days });
    }
    case 'canceled':
    case 'expired':
      return changed({ event: 'refuse', reason: 'writtenOff' }, 'refusedByBank');
    case 'unknown':
      return found;
  }
}

/** The bank has ended the boleto: the event is the one that was asked for. */
function endOf({ isExpiring }: Pick<Boleto, 'isExpiring'>): BoletoChange {
  return { event: isExpiring ? 'expire' : 'cancel' };
}

const KEPT = {
  paid: 'paidAtBank',
  notAllowed: 'keptByBank',
} as const satisfies Partial<Record<BoletoCancelRefusal, BankWarning>>;

type Asking = Pick<Boleto, 'isExpiring' | 'stateBefore' | 'tries' | 'unknownReason'>;

function resultOfAbsence(boleto: Asking): BankResult {
  if (isSurelyAbsent(boleto)) return changed(endOf(boleto), 'unknownToBank');
  return unusable(ABSENT);
}

/**
 * What the answer to a cancel means. A boleto that was paid stays until the payment is reported. One that the
 * bank has not known for long cannot be paid, and ends.
 */
export function resultOfCancel(boleto: Asking, answer: BoletoCancelAnswer): BankResult {
  switch (answer.kind) {
    case 'canceled':
      return changed(endOf(boleto));
    case 'refused':
      return answer.reason === 'unknownBoleto'
        ? resultOfAbsence(boleto)
        : changed(keepChange(boleto), KEPT[answer.reason]);
    default:
      return answer;
  }
}

/**
 * Reads the bank's record of a boleto that it does not cancel, or whose due day it does not change. The
 * merchant is told the due day that stands. A change that the bank has not answered yet is waited for.
 */
export function resultOfKeptSearch(boleto: Boleto, found: FoundBoleto): BankResult {
  const kept = boleto.state === 'changing' ? 'dueDayKept' : 'keptByBank';
  switch (found.kind) {
    case 'issued':
    case 'paid': {
      const { kind, dueOn, barCode, pixEmv, awaitedDueOn = null } = found;
      const warning = kind === 'paid' ? 'paidAtBank' : kept;
      const { payableUntil } = boleto;
      const days = dueOn === boleto.dueOn ? { dueOn, payableUntil } : daysFrom(boleto, dueOn);
      const atBank = { registered: { barCode, pixEmv }, days };
      if (awaitedDueOn !== null)
        return changed({ event: 'resumeChange', ...atBank, wanted: daysFrom(boleto, awaitedDueOn) }, warning);
      return dueOn === boleto.dueOn
        ? changed({ ...keepChange(boleto), isKept: kind === 'issued' }, warning)
        : changed({ event: 'change', ...atBank }, warning);
    }
    case 'canceled':
      return changed(endOf(boleto));
    case 'expired':
      return changed({ event: 'expire' });
    case 'notFound':
      return changed({ ...keepChange(boleto), isKept: boleto.state === 'changing' }, kept);
    case 'unknown':
      return found;
  }
}

const DUE_DAY_WARNINGS = {
  unknownBoleto: 'unknownToBank',
  paid: 'paidAtBank',
  notAllowed: 'dueDayKept',
  notOffered: 'notOffered',
} as const satisfies Record<DueDayRefusal, BankWarning>;

/** A refused change leaves the boleto with the day that it had. */
export function resultOfDueDay(
  boleto: Pick<Boleto, 'stateBefore'> & { readonly wanted: BoletoDays },
  answer: DueDayAnswer,
): BankResult {
  switch (answer.kind) {
    case 'changed': {
      const { barCode, pixEmv } = answer;
      return changed({ event: 'change', registered: { barCode, pixEmv }, days: boleto.wanted });
    }
    case 'refused': {
      // A boleto that is paid at the bank may have the new day: the bank changed it before it was paid.
      const isKept = answer.reason !== 'paid';
      return changed({ ...keepChange(boleto), isKept }, DUE_DAY_WARNINGS[answer.reason]);
    }
    default:
      return answer;
  }
}

/** The boleto's time is over, and the bank has not answered a change of its due day. */
export function resultOfWaiting(boleto: Pick<Boleto, 'stateBefore'>): BankResult {
  return changed(keepChange(boleto), 'dueDayKept');
}

/**
 * Reads the bank's record of a boleto whose time is over. Null: the bank still has it open. If the bank has
 * another due day, it was changed there, and our record of that was lost.
 */
export function resultOfLastSearch(boleto: Boleto, found: FoundBoleto): BankResult | null {
  switch (found.kind) {
    case 'issued':
    case 'paid': {
      const { kind, dueOn, barCode, pixEmv } = found;
      if (dueOn === boleto.dueOn) return kind === 'paid' ? changed(keepChange(boleto), 'paidAtBank') : null;
      return changed({ event: 'change', registered: { barCode, pixEmv }, days: daysFrom(boleto, dueOn) });
    }
    case 'canceled':
    case 'expired':
      return changed({ event: 'expire' });
    case 'notFound':
      return resultOfAbsence(boleto);
    case 'unknown':
      return found;
  }
}
