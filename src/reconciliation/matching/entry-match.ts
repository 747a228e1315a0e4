import type { Day } from '../../values/instant.ts';
import { addDays } from '../../values/instant.ts';
import type { MatchRule } from '../judging/judged-installment.ts';
import { referenceDigits, type SettlementEntry } from '../settlement-entry.ts';

export type Candidate = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly installmentNumber: number;
  readonly installmentCount: number;
  readonly soldOn: Day;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly tid: string | null;
  readonly gross: number;
  readonly saleGross: number;
  /** The acquirer lists the sale under the line's batch and NSU, and the line names nothing else. */
  readonly isListed: boolean;
};

export type MatchableEntry = Pick<
  SettlementEntry,
  | 'orderReference'
  | 'tid'
  | 'nsu'
  | 'authorizationCode'
  | 'soldOn'
  | 'installmentNumber'
  | 'installmentCount'
  | 'gross'
>;

/** `ambiguous`: the first rule with a result found several sales. */
export type Unmatched = 'notFound' | 'ambiguous' | 'noSuchInstallment';

export type UnmatchedReason = Unmatched | 'batchUnknown' | 'batchPaid' | 'batchTooLarge' | 'batchIncomplete';

export type EntryMatch<C extends Candidate = Candidate> =
  | { readonly kind: 'matched'; readonly rule: MatchRule; readonly installments: readonly C[] }
  | { readonly kind: 'unmatched'; readonly reason: Unmatched };

/** Files pad numbers with zeros, or drop zeros. */
function plainNumber(text: string | null): string | null {
  const plain = (text ?? '')
    .trim()
    .toUpperCase()
    .replace(/^0+(?=.)/, '');
  return plain === '' ? null : plain;
}

const isSame = (one: string | null, other: string | null): boolean => {
  const plain = plainNumber(one);
  return plain !== null && plain === plainNumber(other);
};

/** Some layouts have only the last six digits of an NSU. */
function isSameNsu(filed: string | null, ours: string | null): boolean {
  if (isSame(filed, ours)) return true;
  const [short, long] = [plainNumber(filed), (ours ?? '').trim()];
  return (
    short !== null && /^\d{1,6}$/.test(short) && long.length > 6 && long.endsWith(short.padStart(6, '0'))
  );
}

/** A line about the whole sale has the sale's amount. */
function isSameAmount(entry: MatchableEntry, candidate: Candidate): boolean {
  const amount = Math.abs(entry.gross);
  return entry.installmentNumber === null ? amount === candidate.saleGross : amount === candidate.gross;
}

/** By a reference of our form or a TID: merchants share numbers of six characters. */
function contradicts({ orderReference, tid }: MatchableEntry, candidate: Candidate): boolean {
  const digits = referenceDigits(orderReference);
  const isOurs = digits !== null && /[a-f]/.test(digits);
  return (
    (isOurs && !endsWithDigits(candidate, digits)) ||
    (tid !== null && candidate.tid !== null && !isSame(tid, candidate.tid))
  );
}

function endsWithDigits({ transactionId }: Candidate, digits: string): boolean {
  return transactionId.replaceAll('-', '').toLowerCase().endsWith(digits);
}

const RULES: readonly {
  readonly rule: MatchRule;
  readonly fits: (entry: MatchableEntry, candidate: Candidate) => boolean;
}[] = [
  {
    rule: 'reference',
    fits({ orderReference }, candidate) {
      const digits = referenceDigits(orderReference);
      return digits !== null && endsWithDigits(candidate, digits);
    },
  },
  { rule: 'tid', fits: (entry, candidate) => isSame(entry.tid, candidate.tid) },
  {
    rule: 'nsu',
    fits: (entry, candidate) =>
      isSameNsu(entry.nsu, candidate.nsu) &&
      isSame(entry.authorizationCode, candidate.authorizationCode) &&
      entry.soldOn === candidate.soldOn &&
      isSameAmount(entry, candidate),
  },
  {
    rule: 'authorization',
    fits: (entry, candidate) =>
      isSame(entry.authorizationCode, candidate.authorizationCode) &&
      entry.soldOn !== null &&
      candidate.soldOn >= addDays(entry.soldOn, -1) &&
      candidate.soldOn <= addDays(entry.soldOn, 1) &&
      isSameAmount(entry, candidate),
  },
  { rule: 'batch', fits: (_, { isListed }) => isListed },
];

const saleOf = ({ merchantId, transactionId }: Candidate) => `${merchantId} ${transactionId}`;

/** So that a line is not divided twice over an installment that is in two lists. */
function eachOnce<C extends Candidate>(found: readonly C[]): C[] {
  const placeOf = (candidate: C) => `${saleOf(candidate)} ${candidate.installmentNumber}`;
  return [...new Map(found.toReversed().map((candidate) => [placeOf(candidate), candidate])).values()];
}

function isTidOfOther(entry: MatchableEntry, candidates: readonly Candidate[], named: Candidate): boolean {
  if (named.tid === null || isSame(entry.tid, named.tid)) return false;
  return candidates.some((other) => saleOf(other) !== saleOf(named) && isSame(entry.tid, other.tid));
}

/** Rules weaken in their order. Several sales, or a TID that contradicts the reference, are ambiguous. */
export function matchEntry<C extends Candidate>(
  entry: MatchableEntry,
  candidates: readonly C[],
): EntryMatch<C> {
  for (const { rule, fits } of RULES) {
    const found = eachOnce(candidates).filter((candidate) =>
      // Amounts of installments differ by a cent. Other rules find the sale first, and the installment below.
      rule === 'nsu' || rule === 'authorization'
        ? isOfNumber(entry, candidate) && fits(entry, candidate) && !contradicts(entry, candidate)
        : fits(entry, candidate),
    );
    const [first] = found;
    if (first === undefined) continue;
    const isOfTwo = rule === 'reference' && isTidOfOther(entry, candidates, first);
    if (isOfTwo || new Set(found.map(saleOf)).size > 1) return { kind: 'unmatched', reason: 'ambiguous' };
    const installments = found
      .filter((candidate) => isOfNumber(entry, candidate))
      .sort((one, other) => one.installmentNumber - other.installmentNumber);
    return installments.length === 0
      ? { kind: 'unmatched', reason: 'noSuchInstallment' }
      : { kind: 'matched', rule, installments };
  }
  return { kind: 'unmatched', reason: 'notFound' };
}

function isOfNumber({ installmentNumber }: MatchableEntry, candidate: Candidate): boolean {
  return installmentNumber === null || installmentNumber === candidate.installmentNumber;
}
