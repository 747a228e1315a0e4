import type { Day } from '../../values/instant.ts';
import type { JudgedInstallment } from './judged-installment.ts';
import { type MatchedPart, sumOf } from './matched-part.ts';

/** A line that takes money back, or gives back what was taken. */
export type Taking = {
  readonly name: 'cancellationUnknown' | 'chargebackUnknown';
  /** Null: it was announced, and moved nothing yet. */
  readonly bankOn: Day | null;
  readonly part: MatchedPart;
  /** Cents that it takes; negative: gives back. */
  readonly amount: number;
  /** Of it, what the books do not have. */
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

const isTaking = (kind: MatchedPart['kind']): kind is TakingKind => kind in KINDS;

/**
 * The lines that take money back, the earliest first. A chargeback is known where the books took one,
 * a cancel where the books gave back what no chargeback took: neither stands for the other. What is
 * unknown is the last of it. One that the books gave for final and the file reverses is not known.
 */
export function takingsOf(installment: JudgedInstallment, parts: readonly MatchedPart[]): Taking[] {
  const taking = onceEach(parts.filter(({ kind }) => isTaking(kind)));
  const of = (kind: TakingKind) => taking.filter((part) => part.kind === kind);
  const chargebacks = of('chargeback');
  // Two lines that say the same became one change, which took it once.
  const applied = new Map(
    chargebacks
      .filter(({ changeState }) => changeState === 'applied')
      .map((part) => [part.changeId, sizeOf(part)]),
  );
  const ended = chargebacks.filter(({ changeState }) => changeState !== 'waiting');
  const booked = installment.chargedBack ?? Math.min(sumOf(ended, sizeOf), installment.canceled);
  // What is shown of the books follows a moment behind.
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
  return taking.map((part) => {
    const { name, sign } = KINDS[part.kind as TakingKind];
    const amount = sign < 0 ? 0 - sizeOf(part) : sizeOf(part);
    return { name, bankOn: part.bankOn, part, amount, unknown: unknown.get(part) ?? 0 };
  });
}

/** What of each line, from the first to the last, is beyond what is known. */
function unknownOf(lines: readonly MatchedPart[], known: number): [MatchedPart, number][] {
  let left = known;
  return lines.map((part) => {
    const covered = Math.min(left, sizeOf(part));
    left -= covered;
    return [part, sizeOf(part) - covered];
  });
}

/** A debit that is announced and then settled is one: that which moved the money. */
function onceEach(parts: readonly MatchedPart[]): MatchedPart[] {
  const byOrder = Map.groupBy(parts, ({ kind, document, fileNumber, lineNumber }) =>
    document === null ? `${fileNumber}:${lineNumber}` : `${kind} ${document}`,
  );
  return [...byOrder.values()]
    .flatMap((lines) => lines.find(({ bankOn }) => bankOn !== null) ?? lines[0] ?? [])
    .sort(byDay);
}

function byDay(one: MatchedPart, other: MatchedPart): number {
  const [before, after] = [one.bankOn ?? '~', other.bankOn ?? '~'];
  return before === after ? 0 : before < after ? -1 : 1;
}
