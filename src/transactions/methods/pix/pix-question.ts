import { unusable } from '../../../platform/channels/unclear.ts';
import type { BankNotConnected, BankUnknown } from '../../../providers/banks/bank.ts';
import type { FoundPix, PixIssueAnswer, PixRemoveAnswer } from '../../../providers/pix/pix-bank.ts';
import { ABSENT, isSurelyAbsent, isSurelyRefused, REFUSED_ANEW } from '../../requests/absence.ts';
import type { ProviderChanged } from '../../requests/move.ts';
import type { Pix } from './pix.ts';
import type { PixChange } from './pix-move.ts';

export type PixChanged = ProviderChanged<PixChange, PixWarning>;
export type PixResult = PixChanged | BankUnknown | BankNotConnected;

/**
 * `unknownToBank`: the bank does not know a charge that it has made. `refusedByBank`: it refuses the charge,
 * and no caller waits for the answer. `paidAtBank`: it says that the charge is paid, but has not reported it.
 */
export type PixWarning = 'unknownToBank' | 'refusedByBank' | 'paidAtBank';

const changed = (change: PixChange, warning: PixWarning | null = null): PixResult => ({
  kind: 'changed',
  change,
  warning,
});

export function resultOfIssue(answer: PixIssueAnswer): PixResult {
  switch (answer.kind) {
    case 'issued':
      return changed({ event: 'issue', registered: { pixEmv: answer.pixEmv } });
    case 'refused':
      return changed({ event: 'refuse', reason: answer.reason }, 'refusedByBank');
    default:
      return answer;
  }
}

/**
 * What the answer to a further request for a charge means. A refusal is not believed at once, because the
 * bank may still make the charge by an earlier request.
 */
export function resultOfFurtherIssue(pix: Asking, answer: PixIssueAnswer): PixResult {
  const isDoubtful = answer.kind === 'refused' && !isSurelyRefused(pix);
  return isDoubtful ? unusable(REFUSED_ANEW) : resultOfIssue(answer);
}

/**
 * Reads the bank's record of a charge that is being issued. Null: the bank does not know the charge, or has
 * no code for it, so it is asked for again. A charge that is paid needs no code. `over`: its time is over and
 * it has no code, so it is taken away, for nobody to pay it meanwhile.
 */
export function resultOfSearch(found: FoundPix): PixResult | 'over' | null {
  switch (found.kind) {
    case 'notFound':
      return null;
    case 'waiting':
      if (found.pixEmv !== null) return changed({ event: 'issue', registered: { pixEmv: found.pixEmv } });
      return found.isOver ? 'over' : null;
    case 'paid':
      return changed({ event: 'issue', registered: { pixEmv: found.pixEmv } }, 'paidAtBank');
    case 'removed':
      return changed({ event: 'refuse', reason: 'removedAtBank' }, 'refusedByBank');
    default:
      return found;
  }
}

/** What the answer to a removal means for a charge whose time was over before its code came. */
export function resultOfOver(answer: PixRemoveAnswer): PixResult {
  switch (answer.kind) {
    case 'removed':
    case 'over':
      return changed({ event: 'refuse', reason: 'neverConfirmed' }, 'refusedByBank');
    case 'refused':
      return answer.reason === 'paid'
        ? changed({ event: 'issue', registered: { pixEmv: null } }, 'paidAtBank')
        : unusable(ABSENT);
    default:
      return answer;
  }
}

/**
 * The bank does not know a charge whose payer was erased: it cannot be asked for again, as nobody knows for
 * whom.
 */
export function resultOfErased(pix: Asking): PixResult {
  if (!isSurelyAbsent(pix)) return unusable(ABSENT);
  return changed({ event: 'refuse', reason: 'neverConfirmed' }, 'refusedByBank');
}

function endOf({ isExpiring }: Pick<Pix, 'isExpiring'>): PixChange {
  return { event: isExpiring ? 'expire' : 'cancel' };
}

type Asking = Pick<Pix, 'isExpiring' | 'tries' | 'unknownReason'>;

function resultOfAbsence(pix: Asking): PixResult {
  if (isSurelyAbsent(pix)) return changed(endOf(pix), 'unknownToBank');
  return unusable(ABSENT);
}

/**
 * What the answer to a removal means. A charge that was paid waits for the report of the payment. One that
 * the bank has not known for long cannot be paid, and ends.
 */
export function resultOfRemove(pix: Asking, answer: PixRemoveAnswer): PixResult {
  switch (answer.kind) {
    case 'removed':
      return changed(endOf(pix));
    case 'over':
      return changed({ event: 'expire' });
    case 'refused':
      return answer.reason === 'paid' ? changed({ event: 'keep' }, 'paidAtBank') : resultOfAbsence(pix);
    default:
      return answer;
  }
}

/** Reads the bank's record of a charge whose time is over. Null: the bank still has it. */
export function resultOfLastSearch(pix: Asking, found: FoundPix): PixResult | null {
  switch (found.kind) {
    case 'waiting':
      return null;
    case 'paid':
      return changed({ event: 'keep' }, 'paidAtBank');
    case 'removed':
      return changed(endOf(pix));
    case 'notFound':
      return resultOfAbsence(pix);
    default:
      return found;
  }
}
