import type { Day } from '../../values/instant.ts';
import { isPaying, netOf } from '../settlement-entry.ts';
import {
  dueGross,
  isRoundingOfAmount,
  type JudgedInstallment,
  lastDay,
  type MatchedPart,
  sumOf,
} from './judged-installment.ts';

/** Findings and day sheets share this view. */
export type JudgedLines = {
  readonly paid: readonly MatchedPart[];
  /** Lines that pay a pledge holder, with the signs of a payout. */
  readonly held: readonly MatchedPart[];
  /** Lines that pass a payout on to a pledge holder, with the signs of a payout. */
  readonly pledged: readonly MatchedPart[];
  /** Surplus lines that pay the installment again. */
  readonly twice: readonly MatchedPart[];
  /** The amount due, or another amount that debits explain. */
  readonly payable: number;
  /** `moved`: cents that moved at the bank. The rest made the payout smaller, or will. */
  readonly takings: readonly (Taking & { readonly moved: number })[];
};

export function dayOf({ bankOn }: MatchedPart, { expectedOn }: JudgedInstallment): Day {
  return bankOn ?? expectedOn;
}

export function judgedLines(installment: JudgedInstallment, parts: readonly MatchedPart[]): JudgedLines {
  const takings = takingsOf(installment, parts);
  const paying = parts.filter(({ kind }) => isPaying(kind));
  const claimed = parts.filter(({ kind }) => kind === 'pledge').map(withSignsOfPayout);
  const isPaidBeside = paying.length > 0 && isTooMuch(installment, [...paying, ...claimed]);
  const [held, pledged] = isPaidBeside ? [[], claimed] : [claimed, []];
  const one = isTooMuch(installment, paying) ? theOne(installment, paying, takings) : undefined;
  const paid = one === undefined ? paying : [one];
  const twice = one === undefined ? [] : paying.filter((part) => part !== one);
  const lines = [...paid, ...held];
  const { payable, absorbed } = payableOf(installment, lines, takings);
  const moved =
    lines.length === 0
      ? withMoved(takings, installment.gross - dueGross(installment), (taking) =>
          offUnseen(taking, installment),
        )
      : withMoved(takings, absorbed, (taking) => (isBefore(taking, lastDay(lines)) ? taking.amount : 0));
  return { paid, held, pledged, twice, payable, takings: moved };
}

const grossOf = ({ gross }: MatchedPart): number => gross;

/** Acquirers report the pledge holder's part as an unpaid credit or as a debit. */
function withSignsOfPayout(part: MatchedPart): MatchedPart {
  const { gross, fee, net } = part;
  const sizeOf = (amount: number | null) => (amount === null ? null : Math.abs(amount));
  return { ...part, gross: Math.abs(gross), fee: sizeOf(fee), net: sizeOf(net) };
}

function isTooMuch({ gross }: JudgedInstallment, lines: readonly MatchedPart[]): boolean {
  return lines.length > 1 && sumOf(lines, grossOf) > gross;
}

/** Prefers the payable amount, then the expected day, then the first line. */
function theOne(
  installment: JudgedInstallment,
  paying: readonly MatchedPart[],
  takings: readonly Taking[],
): MatchedPart | undefined {
  const right = paying.filter((part) => payableOf(installment, [part], takings).payable === part.gross);
  return right.find((part) => dayOf(part, installment) === installment.expectedOn) ?? right[0] ?? paying[0];
}

/**
 * A payout may also be of the sold amount (if files debit refunds separately, or still may), of the rest
 * after earlier debits, or of the rest by the books. `absorbed`: cents of debits that made it smaller.
 */
function payableOf(
  installment: JudgedInstallment,
  lines: readonly MatchedPart[],
  takings: readonly Taking[],
): { readonly payable: number; readonly absorbed: number } {
  const { gross, canceled } = installment;
  const due = dueGross(installment);
  const before = takenBefore(takings, lastDay(lines));
  const isTakenLater = takings.some((taking) => !isBefore(taking, lastDay(lines)));
  const isTaken = sumOf(takings, ({ amount }) => amount) >= gross - due;
  const asDue = { payable: due, absorbed: Math.min(before, gross - due) };
  const choices = [
    asDue,
    ...(isTaken || installment.mayStillTake ? [{ payable: gross, absorbed: 0 }] : []),
    ...(before > 0 ? [{ payable: Math.max(0, gross - before), absorbed: before }] : []),
    ...(isTakenLater ? [] : [{ payable: gross - canceled, absorbed: Math.min(before, canceled) }]),
  ];
  const found = sumOf(lines, grossOf);
  const isClose = (choice: { payable: number }, isExact: boolean) =>
    isExact ? choice.payable === found : isRoundingOfAmount(choice.payable - found, installment);
  return (
    choices.find((choice) => isClose(choice, true)) ??
    choices.find((choice) => isClose(choice, false)) ??
    asDue
  );
}

function isBefore({ bankOn }: Taking, paidOn: Day | null): boolean {
  return bankOn !== null && paidOn !== null && bankOn <= paidOn;
}

function takenBefore(takings: readonly Taking[], paidOn: Day | null): number {
  const before = takings.filter((taking) => isBefore(taking, paidOn));
  return Math.max(
    0,
    sumOf(before, ({ amount }) => amount),
  );
}

/** How much of a debit reduced a payout that no line shows (yet), as far as the books knew then. */
function offUnseen({ bankOn, amount, unknown }: Taking, installment: JudgedInstallment): number {
  const { paidOn, expectedOn, isCovered } = installment;
  // Files cover its day and show no payout: there was none.
  const lastOn = paidOn ?? (isCovered ? null : expectedOn);
  return lastOn === null || bankOn === null || bankOn <= lastOn ? amount - unknown : 0;
}

/** `roomOf`: cents of a debit that may have reduced the payout. `absorbed`: their sum. */
function withMoved(
  takings: readonly Taking[],
  absorbed: number,
  roomOf: (taking: Taking) => number,
): JudgedLines['takings'] {
  let left = absorbed;
  return takings.map((taking) => {
    const kept = Math.min(left, Math.max(0, roomOf(taking)));
    left -= kept;
    return { ...taking, moved: taking.amount - kept };
  });
}

/** Without the fee of anticipations. null: a line does not report it. */
export function keptOf(lines: readonly MatchedPart[]): number | null {
  if (lines.some(({ fee, net }) => fee === null && net === null)) return null;
  return sumOf(lines, (line) => line.gross - netOf(line) - anticipationFeeOf(line));
}

/** In a payout on its day this is a normal fee. */
export function anticipationFeeOf({ kind, anticipationFee }: MatchedPart): number {
  return kind === 'anticipation' ? (anticipationFee ?? 0) : 0;
}

/** A line that takes money back or reverses that, or all lines of one debit order. */
type Taking = {
  readonly name: 'cancellationUnknown' | 'chargebackUnknown';
  /** The first day on which it moved money; null if it was only announced. */
  readonly bankOn: Day | null;
  readonly part: MatchedPart;
  /** Absolute cents at the bank, for each line of the order. */
  readonly moves: readonly { readonly on: Day; readonly net: number }[];
  /** Cents taken back; negative if money is given back. */
  readonly amount: number;
  /** Cents of `amount`. */
  readonly unknown: number;
};

const sizeOf = ({ gross }: MatchedPart): number => Math.abs(gross);

const KINDS = {
  cancel: { name: 'cancellationUnknown', sign: 1 },
  cancelReversal: { name: 'cancellationUnknown', sign: -1 },
  chargeback: { name: 'chargebackUnknown', sign: 1 },
  chargebackReversal: { name: 'chargebackUnknown', sign: -1 },
} as const;
type TakingKind = keyof typeof KINDS;

export const isTaking = (kind: MatchedPart['kind']): kind is TakingKind => kind in KINDS;

/**
 * By day. The books must know a chargeback as a chargeback and a cancel as a refund; the last lines are the
 * unknown ones. A reversal of what is final in the books is unknown.
 */
function takingsOf(installment: JudgedInstallment, parts: readonly MatchedPart[]): Taking[] {
  const orders = ordersOf(parts.filter(({ kind }) => isTaking(kind)));
  const of = (kind: TakingKind) => orders.flatMap(({ part }) => (part.kind === kind ? [part] : []));
  const chargebacks = of('chargeback');
  // Two equal lines became one change, which was applied once.
  const applied = new Map(
    chargebacks
      .filter(({ changeState }) => changeState === 'applied')
      .map((part) => [part.changeId, sizeOf(part)]),
  );
  const ended = chargebacks.filter(({ changeState }) => changeState !== 'waiting');
  const booked = installment.chargedBack ?? Math.min(sumOf(ended, sizeOf), installment.canceled);
  // The receivable's copy is slightly behind.
  const chargedBack = Math.max(
    booked,
    sumOf([...applied.values()], (size) => size),
  );
  const given = Math.max(0, installment.canceled - chargedBack);
  const reversed = sumOf(of('cancelReversal'), sizeOf);
  const unknown = new Map<MatchedPart, number>([
    ...unknownOf(ended, chargedBack),
    ...unknownOf(of('cancel'), given + reversed),
    ...chargebacks.filter((part) => !ended.includes(part)).map((part) => [part, sizeOf(part)] as const),
    ...of('chargebackReversal').map((part) => [part, 0 - sizeOf(part)] as const),
  ]);
  return orders.map(({ part, moves }) => {
    const { name, sign } = KINDS[part.kind as TakingKind];
    const amount = sign < 0 ? 0 - sizeOf(part) : sizeOf(part);
    return { name, bankOn: part.bankOn, part, moves, amount, unknown: unknown.get(part) ?? 0 };
  });
}

function unknownOf(lines: readonly MatchedPart[], known: number): [MatchedPart, number][] {
  let left = known;
  return lines.map((part) => {
    const covered = Math.min(left, sizeOf(part));
    left -= covered;
    return [part, sizeOf(part) - covered];
  });
}

/** A debit that is announced and then settled is one; its first moving line stands for it. */
function ordersOf(parts: readonly MatchedPart[]): Pick<Taking, 'part' | 'moves'>[] {
  const byOrder = Map.groupBy(parts, ({ kind, document, fileNumber, lineNumber }) =>
    document === null ? `${fileNumber}:${lineNumber}` : `${kind} ${document}`,
  );
  return [...byOrder.values()]
    .flatMap((lines) => {
      const [part, ...others] = lines.sort(byDay);
      return part === undefined ? [] : [{ part, moves: movesOf([part, ...others]) }];
    })
    .sort((one, other) => byDay(one.part, other.part));
}

/** A repeated piece moves nothing again; all pieces move at most the order's amount. */
function movesOf(lines: readonly MatchedPart[]): Taking['moves'] {
  const pieces = new Map<string, { readonly on: Day; readonly net: number }>();
  for (const line of lines) {
    const net = Math.abs(netOf(line));
    if (line.bankOn !== null) pieces.set(`${line.bankOn} ${net}`, { on: line.bankOn, net });
  }
  let left = Math.max(...lines.map((line) => Math.max(sizeOf(line), Math.abs(netOf(line)))));
  return [...pieces.values()].map(({ on, net }) => {
    const moved = Math.min(left, net);
    left -= moved;
    return { on, net: moved };
  });
}

function byDay(one: MatchedPart, other: MatchedPart): number {
  const [before, after] = [one.bankOn ?? '~', other.bankOn ?? '~'];
  return before === after ? 0 : before < after ? -1 : 1;
}
