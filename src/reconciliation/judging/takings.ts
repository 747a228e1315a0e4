import type { Day } from '../../values/instant.ts';
import { netOf } from '../settlement-entry.ts';
import type { JudgedInstallment } from './judged-installment.ts';
import { type MatchedPart, sumOf } from './matched-part.ts';

/** A line that takes money back or reverses that, or all lines of one debit order. */
export type Taking = {
  readonly name: 'cancellationUnknown' | 'chargebackUnknown';
  /** When it first moved money. Null if it was only announced. */
  readonly bankOn: Day | null;
  readonly part: MatchedPart;
  /** Absolute cents at the bank, by line of its order. */
  readonly moves: readonly { readonly on: Day; readonly net: number }[];
  /** Cents taken back. Negative if it gives back. */
  readonly amount: number;
  /** Cents of `amount` that the books do not know. */
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
 * Sorted by day. The books must know a chargeback as a chargeback, and a cancel as a refund. The last lines
 * are the unknown ones. A reversal of what is final in the books is unknown.
 */
export function takingsOf(installment: JudgedInstallment, parts: readonly MatchedPart[]): Taking[] {
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

/** The cents of each line, in order, beyond `known`. */
function unknownOf(lines: readonly MatchedPart[], known: number): [MatchedPart, number][] {
  let left = known;
  return lines.map((part) => {
    const covered = Math.min(left, sizeOf(part));
    left -= covered;
    return [part, sizeOf(part) - covered];
  });
}

/** A debit that is announced and then settled is one. Its first moving line stands for it. */
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
