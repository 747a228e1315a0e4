import type { FiledChange } from '../../transactions/changes/changes.sql.ts';
import { startOfSaoPauloDay } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { filedChangeId, filedChargebackId } from '../imports/settlement-file.ts';
import type { InstallmentKey, MatchRule } from '../judging/judged-installment.ts';
import { type EntryKind, type EntryMoney, isMatched, isPaying, netOf } from '../settlement-entry.ts';
import type { FiledEntry, FoundBatch, FoundCandidate } from './candidates.sql.ts';
import { type EntryMatch, matchEntry, type UnmatchedReason } from './entry-match.ts';
import { divideEntry, paidMembers } from './entry-parts.ts';

export type DecidedMatch = InstallmentKey &
  EntryMoney & {
    readonly fileNumber: number;
    readonly lineNumber: number;
    readonly kind: EntryKind;
    readonly rule: MatchRule;
    readonly bankOn: FiledEntry['bankOn'];
    readonly document: string | null;
    readonly changeId: string | null;
  };

export type UnmatchedLine = {
  readonly fileNumber: number;
  readonly lineNumber: number;
  readonly class: ExceptionClass;
  readonly amount: number;
  /** Or the unknown code with its description. */
  readonly found: UnmatchedReason | (string & {});
  readonly day: FiledEntry['bankOn'];
};

export type DecidedLines = {
  readonly matches: readonly DecidedMatch[];
  readonly unmatched: readonly UnmatchedLine[];
  readonly changes: readonly FiledChange[];
  /** The files whose sale lists matched lines of a batch. */
  readonly lists: readonly number[];
};

type MembersOf = (entry: FiledEntry) => FoundBatch;

/** Such a line is divided over the sales of the acquirer's own list of the batch. */
export function isOfBatch(entry: FiledEntry): boolean {
  const names = [entry.orderReference, entry.tid, entry.nsu, entry.authorizationCode];
  return (
    isMatched(entry.kind) &&
    entry.kind !== 'sale' &&
    entry.kind !== 'unknown' &&
    entry.batch !== null &&
    names.every((name) => name === null)
  );
}

/** `candidatesOf` returns null if too many are found to be certain. `sha256`: the file's, for change ids. */
export function decideLines(
  entries: readonly FiledEntry[],
  candidatesOf: (entry: FiledEntry) => readonly FoundCandidate[] | null,
  membersOf: MembersOf,
  sha256: string,
): DecidedLines {
  const matches: DecidedMatch[] = [];
  const unmatched: UnmatchedLine[] = [];
  const changes: FiledChange[] = [];
  const lists = new Set<number>();
  const paid = new Set<string>();
  const named = new Map<string, number>();
  for (const entry of entries) {
    if (!isMatched(entry.kind)) continue;
    if (entry.kind === 'unknown') {
      unmatched.push(unmatchedLine(entry, (entry.description ?? '').slice(0, LONGEST_FOUND)));
      continue;
    }
    const batch = isOfBatch(entry) ? membersOf(entry) : null;
    const match = batch === null ? matchNamed(entry, candidatesOf(entry)) : matchBatch(entry, batch, paid);
    if (match.kind === 'unmatched') {
      unmatched.push(unmatchedLine(entry, match.reason));
      continue;
    }
    for (const list of batch?.lists ?? []) lists.add(list);
    for (const { list } of match.installments) if (list !== null) lists.add(list);
    const nameOf = (installment: InstallmentKey) => `${entry.kind} ${placeOf(installment)}`;
    const parts = divideEntry(
      entry,
      match.installments.map((installment) => ({
        ...installment,
        unnamed: Math.max(0, installment.unnamed - (named.get(nameOf(installment)) ?? 0)),
        isPaid: installment.isPaid || paid.has(placeOf(installment)),
      })),
    );
    match.installments.forEach((installment, index) => {
      const part = parts[index] as EntryMoney;
      const isAgain = isPaying(entry.kind) && paid.has(placeOf(installment));
      const change = isAgain || !isSure(match, entry) ? null : changeOf(entry, installment, part, sha256);
      if (change !== null) changes.push(change);
      if (isPaying(entry.kind)) paid.add(placeOf(installment));
      const before = named.get(nameOf(installment)) ?? 0;
      named.set(nameOf(installment), before + Math.abs(part.gross));
      matches.push({
        merchantId: installment.merchantId,
        transactionId: installment.transactionId,
        installmentNumber: installment.installmentNumber,
        ...part,
        fileNumber: entry.fileNumber,
        lineNumber: entry.lineNumber,
        kind: entry.kind,
        rule: match.rule,
        bankOn: entry.bankOn,
        document: entry.document,
        changeId: change?.changeId ?? null,
      });
    });
  }
  return { matches, unmatched, changes, lists: [...lists] };
}

/**
 * Only a sure match changes the books: a code may be another merchant's, and an inexact batch may not be all
 * paid.
 */
function isSure({ rule, isExact }: MatchedLine, entry: FiledEntry): boolean {
  switch (rule) {
    case 'reference':
    case 'tid':
      return true;
    case 'nsu':
      return entry.kind !== 'chargeback';
    case 'authorization':
      return false;
    case 'batch':
      return isPaying(entry.kind) && isExact;
  }
}

const placeOf = ({ merchantId, transactionId, installmentNumber }: InstallmentKey) =>
  `${merchantId} ${transactionId} ${installmentNumber}`;

/** `isExact`: the sales of the batch add up to its payout. */
type MatchedLine = Extract<EntryMatch<FoundCandidate>, { kind: 'matched' }> & { readonly isExact: boolean };
type LineMatch = MatchedLine | { readonly kind: 'unmatched'; readonly reason: UnmatchedReason };

function matchNamed(entry: FiledEntry, candidates: readonly FoundCandidate[] | null): LineMatch {
  if (candidates === null) return { kind: 'unmatched', reason: 'ambiguous' };
  const match = matchEntry(entry, candidates);
  return match.kind === 'unmatched' ? match : { ...match, isExact: true };
}

/** `paid`: what earlier lines of the same run pay. */
function matchBatch(entry: FiledEntry, { kind, members }: FoundBatch, paid: ReadonlySet<string>): LineMatch {
  if (kind === 'tooLarge') return { kind: 'unmatched', reason: 'batchTooLarge' };
  if (kind === 'incomplete') return { kind: 'unmatched', reason: 'batchIncomplete' };
  // Only a person can find out which sale a debit of a batch concerns.
  if (!isPaying(entry.kind) && entry.kind !== 'sale' && members.length > 1)
    return { kind: 'unmatched', reason: 'ambiguous' };
  const now = members.map((member) => ({ ...member, isPaid: member.isPaid || paid.has(placeOf(member)) }));
  const paying = isPaying(entry.kind)
    ? paidMembers({ amount: Math.abs(entry.gross), bankOn: entry.bankOn }, now)
    : { members: now, isExact: false };
  return paying.members.length === 0
    ? { kind: 'unmatched', reason: members.length === 0 ? 'batchUnknown' : 'batchPaid' }
    : { kind: 'matched', rule: 'batch', installments: paying.members, isExact: paying.isExact };
}

const CLASS_OF_UNMATCHED = {
  sale: 'notInParcela',
  payout: 'notInParcela',
  anticipation: 'notInParcela',
  cancel: 'cancellationUnknown',
  cancelReversal: 'cancellationUnknown',
  chargeback: 'chargebackUnknown',
  chargebackReversal: 'chargebackUnknown',
  schedule: 'notInParcela',
  adjustment: 'notInParcela',
  pledge: 'heldByPledge',
  notice: 'notInParcela',
  unknown: 'unknownCode',
} as const satisfies Record<EntryKind, ExceptionClass>;

const LONGEST_FOUND = 40;

export function unmatchedLine(entry: FiledEntry, found: UnmatchedLine['found']): UnmatchedLine {
  const { fileNumber, lineNumber, kind, bankOn, soldOn } = entry;
  // Rede only removes such a line from its schedule. Its amount is shown.
  const net = netOf(entry) === 0 ? entry.gross : netOf(entry);
  return {
    fileNumber,
    lineNumber,
    class: found === 'batchPaid' ? 'duplicateInFile' : CLASS_OF_UNMATCHED[kind],
    // The merchant lacks what another payee gets, and has too much of an unknown payout.
    amount: kind === 'pledge' ? Math.abs(net) : 0 - net,
    found,
    day: bankOn ?? soldOn,
  };
}

/** The change that a line makes if the books lack it. The state table decides, as for the feed. */
function changeOf(
  entry: FiledEntry,
  { merchantId, transactionId, installmentNumber, installmentCount, state }: FoundCandidate,
  part: EntryMoney,
  sha256: string,
): FiledChange | null {
  const day = entry.bankOn ?? entry.soldOn;
  if (day === null) return null;
  const about = {
    merchantId,
    changeId: filedChangeId(sha256, entry.lineNumber, transactionId, installmentNumber),
    reference: transactionId,
    installmentNumber,
    happenedAt: startOfSaoPauloDay(day),
  };
  if (isPaying(entry.kind) && part.gross > 0 && (state === 'authorized' || state === 'blocked')) {
    const net = netOf(part);
    const money = { fee: part.fee, net: net < 0 ? null : net, bankOn: entry.bankOn };
    return { ...about, event: 'settle', amount: null, ...money };
  }
  // Without an installment number the division is a guess; the feed names the installment.
  const isOfInstallment = entry.installmentNumber !== null || installmentCount === 1;
  if (entry.kind === 'chargeback' && part.gross !== 0 && state !== 'canceled' && isOfInstallment) {
    const amount = Math.abs(part.gross);
    const changeId = filedChargebackId({
      transactionId,
      installmentNumber,
      amount,
      day,
      document: entry.document,
    });
    return { ...about, changeId, event: 'chargeback', amount, fee: null, net: null, bankOn: null };
  }
  return null;
}
