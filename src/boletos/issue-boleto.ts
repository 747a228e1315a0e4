import { answerOnce, type FindRequestTools, identifyRequest } from '../idempotency/answer-once.ts';
import type { SentRequest } from '../idempotency/idempotency-key.ts';
import { hasAccount } from '../merchants/merchants.sql.ts';

import { newId, newPageKey } from '../platform/chance.ts';
import type { Once } from '../platform/http/refusal.ts';
import type { BatchedWrite } from '../platform/postgres/batched-writes.ts';
import { CommitUnknown } from '../platform/postgres/database-errors.ts';
import type { LookUp } from '../platform/postgres/searches.ts';
import { notePaymentMade } from '../platform/tracing/scope.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../transactions/transaction.ts';
import { saoPauloDay } from '../values/instant.ts';
import { type AskBankTools, askBank, leaveUnresolved, recordChange } from './ask-bank.ts';
import { resultOfIssue } from './bank-question.ts';
import {
  type Boleto,
  type BoletoTerms,
  NOT_SENT,
  payableUntil,
  type RegistrationRefusal,
  requestOf,
  type TermsFault,
  termsFaults,
} from './boleto.ts';
import type { BoletoIntentResult, BoletoIntentRow } from './boleto-intents.sql.ts';
import { moveOf } from './boleto-move.ts';
import { findBoleto } from './boletos.sql.ts';

export type IssueTools = AskBankTools &
  FindRequestTools & {
    readonly lookUp: LookUp;
    readonly writeBoletoIntent: BatchedWrite<BoletoIntentRow, BoletoIntentResult>;
  };

export type WantedBoleto = BoletoTerms & { readonly accountNumber: string };

export type IssueResult =
  /** As it stands: issued, or being issued while the bank's answer is not known. */
  | { readonly kind: 'made'; readonly boleto: Boleto }
  | { readonly kind: 'refusedByBank'; readonly reason: RegistrationRefusal; readonly boletoId: string }
  | { readonly kind: 'malformed'; readonly faults: readonly TermsFault[] }
  | { readonly kind: 'noBank' | 'unknownAccount' }
  /** The bank was not asked, and nothing was made. */
  | { readonly kind: 'notSent' | 'notConnected' };

/**
 * Issues a boleto; repeated with its key, gives the same one as it stands then. Commits the row with
 * our number, asks the bank outside of any database transaction, commits the outcome with its
 * movement. `deadlineAt` in monotonic milliseconds. Throws `CommitUnknown` when either is in doubt.
 */
export async function issueBoleto(
  tools: IssueTools,
  issuer: { readonly merchantId: string; readonly userName: string },
  wanted: WantedBoleto,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<IssueResult>> {
  const { merchantId } = issuer;
  // The account stands in the query, and belongs to what is asked for.
  const body = { accountNumber: wanted.accountNumber, body: sent.body };
  const request = identifyRequest(tools.keyring, merchantId, { idempotency: sent.idempotency, body });
  return answerOnce<IssueResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const refusal = await refusalOf(tools, merchantId, wanted);
      if (refusal !== null) return refusal;
      const boletoId = newId();
      const bank = chooseBank(tools, merchantId, boletoId, wanted);
      if (bank === null) return { kind: 'noBank' };
      const askedBank = await askBank(tools, deadlineAt, tools.banks.of(bank).learnCode);
      // It has not been there since the start: nothing was sent to it.
      if (typeof askedBank !== 'string' || askedBank === '') return { kind: 'notConnected' };
      const now = tools.clock.now(merchantId);
      const row: BoletoIntentRow = {
        ...wanted,
        merchantId,
        boletoId,
        pageKey: newPageKey(),
        issuedOn: saoPauloDay(now),
        payableUntil: payableUntil(wanted),
        requestedAt: now,
        bank,
        askedBank,
        createdBy: issuer.userName,
        request,
        leaseMilliseconds: Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS,
      };
      const committed = await tools.writeBoletoIntent(row, deadlineAt);
      if (committed.kind === 'keyUsed') return 'keyUsed';
      notePaymentMade({ paymentId: row.boletoId, referenceTransaction: row.referenceTransaction });
      return askAndRecord(tools, row, committed.ourNumber, deadlineAt);
    },
    isRefused: ({ kind }) => kind !== 'made' && kind !== 'refusedByBank',
    async repeatAnswer(boletoId) {
      const boleto = await findBoleto(tools.database, { merchantId, boletoId });
      return boleto === null || isStillAsked(boleto) ? null : outcomeOf(boleto);
    },
  });
}

async function refusalOf(
  { banks, clock, lookUp }: IssueTools,
  merchantId: string,
  wanted: WantedBoleto,
): Promise<IssueResult | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return { kind: 'unknownAccount' };
  if (banks.enabled().length === 0) return { kind: 'noBank' };
  const faults = termsFaults(wanted, saoPauloDay(clock.now(merchantId)));
  return faults.length === 0 ? null : { kind: 'malformed', faults };
}

function chooseBank(
  { banks }: Pick<IssueTools, 'banks'>,
  merchantId: string,
  transactionId: string,
  { amount }: WantedBoleto,
): string | null {
  return banks.choose({ merchantId, transactionId, brand: null, installmentCount: 1, amount });
}

/**
 * The first caller may still find that the bank was not reached, and take the boleto back: of it
 * nothing is promised. Once its process has left it, or has died, the boleto is issued.
 */
function isStillAsked({ state, fence, isUnresolved }: Boleto): boolean {
  return state === 'issuing' && fence === FIRST_FENCE && !isUnresolved;
}

/** Null: it was never sent, and its key is free again. */
function outcomeOf(boleto: Boleto): IssueResult | null {
  const { boletoId, refusalReason } = boleto;
  if (refusalReason === null) return { kind: 'made', boleto };
  return refusalReason === NOT_SENT ? null : { kind: 'refusedByBank', reason: refusalReason, boletoId };
}

async function askAndRecord(
  tools: IssueTools,
  row: BoletoIntentRow,
  ourNumber: string,
  deadlineAt: number,
): Promise<IssueResult> {
  const bank = tools.banks.of(row.bank);
  const answer = await askBank(tools, deadlineAt, (timeout) =>
    bank.issue(requestOf({ ...row, ourNumber }), timeout),
  );
  if (answer.kind === 'notSent' || answer.kind === 'notConnected')
    return withdraw(tools, row, answer.kind, deadlineAt);
  const first = { merchantId: row.merchantId, boletoId: row.boletoId, fence: FIRST_FENCE };
  const result = resultOfIssue(answer);
  if (result.kind === 'changed') {
    const moved = await recordChange(tools, first, result.change, deadlineAt);
    if (moved !== null) return outcomeOf(moved.boleto) ?? { kind: 'notSent' };
  } else await leaveUnresolved(tools, first, result.reason);
  const boleto = await findBoleto(tools.database, row);
  if (boleto === null) throw new Error(`the boleto ${row.boletoId} is gone`);
  return outcomeOf(boleto) ?? { kind: 'notSent' };
}

/** The fence of a boleto that no process has claimed since it was written. */
const FIRST_FENCE = 0;

/**
 * Takes back what was not sent, and its key. When that certainly failed, or this process dies
 * before, the work that claims it has it issued.
 */
async function withdraw(
  tools: IssueTools,
  row: BoletoIntentRow,
  kind: 'notSent' | 'notConnected',
  deadlineAt: number,
): Promise<IssueResult> {
  const moment = tools.clock.now(row.merchantId);
  try {
    const moved = await tools.writeMove(
      {
        merchantId: row.merchantId,
        boletoId: row.boletoId,
        decide: (boleto) =>
          boleto.fence === FIRST_FENCE ? moveOf(boleto, { event: 'withdraw' }, moment) : null,
        leaseMilliseconds: 0,
        keyToFree: row.request?.keyHash ?? null,
      },
      deadlineAt,
    );
    const boleto = moved?.boleto;
    return boleto === undefined ? { kind } : (outcomeOf(boleto) ?? { kind });
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    const boleto = await findBoleto(tools.database, row);
    return boleto === null ? { kind } : (outcomeOf(boleto) ?? { kind });
  }
}
