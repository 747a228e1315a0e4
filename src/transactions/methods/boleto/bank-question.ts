import type {
  BankNotConnected,
  BankUnknown,
  BoletoCancelAnswer,
  FoundBoleto,
  IssueAnswer,
} from '../../../providers/banks/bank.ts';
import type { Boleto } from './boleto.ts';
import { type BoletoChange, keepChange } from './boleto-move.ts';

export type BankChanged = {
  readonly kind: 'changed';
  readonly change: BoletoChange;
  readonly warning: BankWarning | null;
};

/** What came of asking the bank: an event, or that it is asked again. */
export type BankResult = BankChanged | BankUnknown | BankNotConnected;

/**
 * `unknownToBank`: it does not know what it has registered. `refusedByBank`: nobody waits for the
 * answer, and it registers no such boleto. `paidAtBank`: it says so, and has not reported it.
 */
export type BankWarning = 'unknownToBank' | 'refusedByBank' | 'paidAtBank';

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
 * What the bank's record says of one that is being issued; null: it has none, and is asked for it
 * again. One that was paid or ended there before we knew of it: its report follows, or nothing is
 * left of it.
 */
export function resultOfSearch(found: FoundBoleto): BankResult | null {
  switch (found.kind) {
    case 'notFound':
      return null;
    case 'issued':
    case 'paid': {
      const { barCode, pixEmv } = found;
      return changed({ event: 'issue', registered: { barCode, pixEmv } });
    }
    case 'canceled':
    case 'expired':
      return changed({ event: 'refuse', reason: 'writtenOff' }, 'refusedByBank');
    case 'unknown':
      return found;
  }
}

/** The end of a boleto that the bank has ended: what was asked of it. */
function endOf({ isExpiring }: Pick<Boleto, 'isExpiring'>): BoletoChange {
  return { event: isExpiring ? 'expire' : 'cancel' };
}

/**
 * What a bank says of a boleto that it was asked to cancel counts: one that is paid stays, until the
 * payment is reported; one that it does not know cannot be paid.
 */
export function resultOfCancel(
  boleto: Pick<Boleto, 'isExpiring' | 'stateBefore'>,
  answer: BoletoCancelAnswer,
): BankResult {
  switch (answer.kind) {
    case 'canceled':
      return changed(endOf(boleto));
    case 'refused':
      return answer.reason === 'paid'
        ? changed(keepChange(boleto), 'paidAtBank')
        : changed(endOf(boleto), 'unknownToBank');
    default:
      return answer;
  }
}

/** What the bank's record says of one whose time is over; null: it still stands there. */
export function resultOfLastSearch(
  boleto: Pick<Boleto, 'isExpiring' | 'stateBefore'>,
  found: FoundBoleto,
): BankResult | null {
  switch (found.kind) {
    case 'issued':
      return null;
    case 'paid':
      return changed(keepChange(boleto), 'paidAtBank');
    case 'canceled':
    case 'expired':
      return changed({ event: 'expire' });
    case 'notFound':
      return changed({ event: 'expire' }, 'unknownToBank');
    case 'unknown':
      return found;
  }
}
