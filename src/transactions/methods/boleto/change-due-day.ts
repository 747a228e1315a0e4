import { isUuid } from '../../../values/ids.ts';
import { type Day, saoPauloDay } from '../../../values/instant.ts';
import { type TermsFault, termsFaults } from '../../bill-terms.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { askBank } from './ask-bank.ts';
import { askToChange } from './ask-to-change.ts';
import {
  type Boleto,
  type BoletoState,
  type ChangingBoleto,
  daysFrom,
  dueDayRequest,
  isChanging,
  isOfBank,
} from './boleto.ts';
import { keepChange, moveOf } from './boleto-move.ts';
import { bankObstacle, type CancelTools } from './cancel-boleto.ts';

/**
 * `dueDayKept`: the bank does not change the due day of this boleto. `notOffered`: it changes that of none.
 * `unknownToBank`: it has no such boleto.
 */
export type DueDayObstacle =
  | 'notFound'
  | 'beingIssued'
  | 'beingCanceled'
  | 'beingChanged'
  | 'isOver'
  | 'paidAtBank'
  | 'unknownToBank'
  | 'dueDayKept'
  | 'notOffered'
  | 'ofAnotherBank';

export type DueDayResult =
  /** `isPending`: the bank has not answered yet. */
  | { readonly kind: 'changed'; readonly boleto: Boleto; readonly isPending: boolean }
  | { readonly kind: 'malformed'; readonly faults: readonly TermsFault[] }
  | { readonly kind: 'refused'; readonly refusal: DueDayObstacle }
  | { readonly kind: 'noBank' | 'notSent' | 'notConnected' };

/**
 * Once the intent is committed, the bank is asked until it answers; until then the boleto has the day that it
 * had. One that has the day already gets the same answer again. `deadlineAt` is in monotonic milliseconds.
 * Throws `CommitUnknown` if a commit is in doubt.
 */
export async function changeDueDay(
  tools: CancelTools,
  { merchantId, boletoId: id, dueOn }: { merchantId: string; boletoId: string; dueOn: Day },
  deadlineAt: number,
): Promise<DueDayResult> {
  if (!isUuid(id)) return { kind: 'refused', refusal: 'notFound' };
  const { banks, clock } = tools;
  if (banks.all().length === 0) return { kind: 'noBank' };
  const now = clock.now(merchantId);
  const faultsOf = ({ amount, discount }: Boleto) => {
    // A discount that is over stays so.
    const lasting = discount !== null && discount.until >= saoPauloDay(now) ? discount : null;
    return termsFaults({ amount, dueOn, discount: lasting }, saoPauloDay(now));
  };
  const begun = await tools.writeWish(
    {
      ...{ merchantId, boletoId: id.toLowerCase() },
      decide: (boleto) =>
        isOfBank(boleto, banks.of(boleto.bank).bankCode) &&
        boleto.dueOn !== dueOn &&
        faultsOf(boleto).length === 0
          ? moveOf(boleto, { event: 'startChange', wanted: daysFrom(boleto, dueOn) }, now)
          : null,
      leaseMilliseconds: Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS,
    },
    deadlineAt,
  );
  if (begun === null) return { kind: 'refused', refusal: 'notFound' };
  const { held: boleto } = begun;
  if (begun.isMoved && isChanging(boleto)) return askAndRecord(tools, boleto, deadlineAt);
  const obstacle = OBSTACLES[boleto.state];
  if (boleto.state === 'changing' && boleto.wanted?.dueOn === dueOn)
    return { kind: 'changed', boleto, isPending: true };
  if (obstacle !== null) return { kind: 'refused', refusal: obstacle };
  if (boleto.dueOn === dueOn) return { kind: 'changed', boleto, isPending: false };
  const faults = faultsOf(boleto);
  return faults.length > 0
    ? { kind: 'malformed', faults }
    : // Its bank said only now which one it is.
      (bankObstacle(banks, boleto) ?? { kind: 'notConnected' });
}

const OBSTACLES = {
  issuing: 'beingIssued',
  issued: null,
  overdue: null,
  canceling: 'beingCanceled',
  changing: 'beingChanged',
  paid: 'isOver',
  canceled: 'isOver',
  expired: 'isOver',
  refused: 'notFound',
} as const satisfies Record<BoletoState, DueDayObstacle | null>;

async function askAndRecord(
  tools: CancelTools,
  boleto: ChangingBoleto,
  deadlineAt: number,
): Promise<DueDayResult> {
  const bank = tools.banks.of(boleto.bank);
  const request = dueDayRequest(boleto, tools.clock.now(boleto.merchantId));
  const ask = (timeout: number) => askToChange(bank, boleto, request, timeout);
  // An unsent change has no effect and may be requested again.
  const answer = await askBank(tools, boleto, ask, { change: keepChange, keyToFree: null }, deadlineAt);
  if (answer.kind === 'unknown') return { kind: 'changed', boleto, isPending: true };
  if (answer.kind !== 'recorded') return { kind: answer.kind };
  const { held, warning } = answer;
  if (held.dueOn === request.wanted.dueOn) return { kind: 'changed', boleto: held, isPending: false };
  // The resolving work has the boleto now, and the answer that it gets counts.
  if (held.state === 'changing' && held.wanted?.dueOn === request.wanted.dueOn)
    return { kind: 'changed', boleto: held, isPending: true };
  const obstacle = OBSTACLES[held.state];
  if (obstacle !== null && obstacle !== 'isOver') return { kind: 'refused', refusal: obstacle };
  switch (warning) {
    case 'paidAtBank':
    case 'unknownToBank':
    case 'dueDayKept':
    case 'notOffered':
      return { kind: 'refused', refusal: warning };
    default:
      // The boleto was paid, canceled or ended while the bank was asked, or another change was asked for and
      // answered.
      return { kind: 'refused', refusal: obstacle ?? 'dueDayKept' };
  }
}
