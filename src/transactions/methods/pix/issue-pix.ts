import {
  answerOnce,
  type FindRequestTools,
  identifyRequest,
  newIdOf,
} from '../../../idempotency/answer-once.ts';
import type { SentRequest } from '../../../idempotency/idempotency-key.ts';
import { newPageKey } from '../../../platform/chance.ts';
import type { Once } from '../../../platform/http/failures.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { notePaymentMade } from '../../../platform/tracing/scope.ts';
import { saoPauloDay } from '../../../values/instant.ts';
import { payableUntil, type TermsFault, termsFaults } from '../../bill-terms.ts';
import { type FeeVersions, pixPortion } from '../../fees/fee-table.ts';
import { FIRST_FENCE } from '../../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { type AskPixBankTools, askPixBank } from './ask-pix-bank.ts';
import {
  expiresAt,
  NOT_SENT,
  type Pix,
  type RefusalOfBank,
  requestOf,
  txidOf,
  type WantedPix,
} from './pix.ts';
import { findMadePix, findPix } from './pix-charges.sql.ts';
import type { PixIntentResult, PixIntentRow } from './pix-intents.sql.ts';
import { resultOfIssue } from './pix-question.ts';

export type IssuePixTools = AskPixBankTools &
  FindRequestTools & {
    readonly writePixIntent: BatchedWrite<PixIntentRow, PixIntentResult>;
    readonly fees: FeeVersions;
  };

export type IssuePixResult =
  /** It waits for its payer, or is `issuing` while the bank's answer is not known. */
  | { readonly kind: 'made'; readonly pix: Pix }
  | { readonly kind: 'refusedByBank'; readonly reason: RefusalOfBank; readonly pixId: string }
  | { readonly kind: 'malformed'; readonly faults: readonly TermsFault[] }
  | { readonly kind: 'noBank' }
  /** The bank was not asked, and nothing was made. */
  | { readonly kind: 'notSent' | 'notConnected' };

/**
 * Commits the row with its txid, asks the bank outside of any database transaction, commits the outcome. A
 * repeat with the same key returns the same charge as it stands then. `deadlineAt` is in monotonic
 * milliseconds. Throws `CommitUnknown` if either commit is in doubt.
 */
export async function issuePix(
  tools: IssuePixTools,
  issuer: { readonly merchantId: string; readonly userName: string; readonly accountNumber: string },
  wanted: WantedPix,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<IssuePixResult>> {
  const { merchantId, accountNumber } = issuer;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<IssuePixResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const now = tools.clock.now(merchantId);
      const { amount, split } = wanted;
      const faults = wanted.due === null ? [] : termsFaults({ amount, ...wanted.due }, saoPauloDay(now));
      if (faults.length > 0) return { kind: 'malformed', faults };
      const due = wanted.due && { ...wanted.due, payableUntil: payableUntil(wanted.due) };
      const pixId = newIdOf(request);
      const sale = { merchantId, transactionId: pixId, brand: null, installmentCount: 1, amount };
      const bank = tools.pixBanks.choose(sale);
      if (bank === null) return { kind: 'noBank' };
      const row: PixIntentRow = {
        ...wanted,
        ...{ due, merchantId, pixId, accountNumber, bank, request },
        split: split && { ...split, feePortion: pixPortion(tools.fees.tableAt(merchantId, now)) },
        txid: txidOf(pixId),
        pageKey: newPageKey(),
        expiresAt: expiresAt({ ...wanted, due }, now),
        requestedAt: now,
        createdBy: issuer.userName,
        leaseMilliseconds: Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS,
      };
      if ((await tools.writePixIntent(row, deadlineAt)) === 'keyUsed') return 'keyUsed';
      notePaymentMade({ paymentId: pixId, referenceTransaction: row.referenceTransaction });
      return askAndRecord(tools, row, deadlineAt);
    },
    isRefused: ({ kind }) => kind !== 'made' && kind !== 'refusedByBank',
    findMade: (span) => findMadePix(tools.database, merchantId, span),
    async repeatAnswer(pixId) {
      const pix = await findPix(tools.database, { merchantId, pixId });
      return pix === null || isStillAsked(pix) ? null : outcomeOf(pix);
    },
  });
}

/**
 * Whether the process of the first request still asks the bank. It may yet take the charge back as unsent, so
 * a repeat is promised nothing. Once that process has left the charge to the resolving work, or has died, the
 * charge is made.
 */
function isStillAsked({ state, fence, unknownReason }: Pix): boolean {
  return state === 'issuing' && fence === FIRST_FENCE && unknownReason === null;
}

/** Null: it was never sent, and its key is free again. */
function outcomeOf(pix: Pix): IssuePixResult | null {
  const { pixId, refusalReason } = pix;
  if (refusalReason === null) return { kind: 'made', pix };
  return refusalReason === NOT_SENT ? null : { kind: 'refusedByBank', reason: refusalReason, pixId };
}

async function askAndRecord(
  tools: IssuePixTools,
  row: PixIntentRow,
  deadlineAt: number,
): Promise<IssuePixResult> {
  const { merchantId, pixId, bank, request } = row;
  const answer = await askPixBank(
    tools,
    { merchantId, pixId, fence: FIRST_FENCE },
    async (timeout) => resultOfIssue(await tools.pixBanks.of(bank).issue(requestOf(row), timeout)),
    { change: { event: 'withdraw' }, keyToFree: request?.keyHash ?? null },
    deadlineAt,
  );
  if (answer.kind === 'recorded') return outcomeOf(answer.held) ?? { kind: 'notSent' };
  if (answer.kind !== 'unknown') return { kind: answer.kind };
  const pix = await findPix(tools.database, row);
  if (pix === null) throw new Error(`the Pix ${pixId} is gone`);
  return outcomeOf(pix) ?? { kind: 'notSent' };
}
