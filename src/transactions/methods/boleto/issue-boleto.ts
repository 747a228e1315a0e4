import {
  answerOnce,
  type FindRequestTools,
  identifyRequest,
  newIdOf,
} from '../../../idempotency/answer-once.ts';
import type { SentRequest } from '../../../idempotency/idempotency-key.ts';
import { hasAccount } from '../../../merchants/merchants.sql.ts';
import { newPageKey } from '../../../platform/chance.ts';
import type { Once } from '../../../platform/http/failures.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { LookUp } from '../../../platform/postgres/searches.ts';
import { notePaymentMade } from '../../../platform/tracing/scope.ts';
import { saoPauloDay } from '../../../values/instant.ts';
import { payableUntil, type TermsFault, termsFaults } from '../../bill-terms.ts';
import { askInTime, FIRST_FENCE } from '../../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { type AskBankTools, askBank } from './ask-bank.ts';
import { resultOfIssue } from './bank-question.ts';
import { type Boleto, type BoletoTerms, NOT_SENT, type RegistrationRefusal, requestOf } from './boleto.ts';
import type { BoletoIntentResult, BoletoIntentRow } from './boleto-intents.sql.ts';
import { findBoleto, findMadeBoleto } from './boletos.sql.ts';

export type IssueTools = AskBankTools &
  FindRequestTools & {
    readonly lookUp: LookUp;
    readonly writeBoletoIntent: BatchedWrite<BoletoIntentRow, BoletoIntentResult>;
  };

export type WantedBoleto = BoletoTerms & {
  readonly accountNumber: string;
  /** The key of its page, which nobody else may guess; absent: a new one is made. */
  readonly pageKey?: string;
  /** The payment link at which it is a try to pay; absent: none. */
  readonly linkId?: string;
};

export type IssueResult =
  /** Issued, or `issuing` while the bank's answer is not known. */
  | { readonly kind: 'made'; readonly boleto: Boleto }
  | { readonly kind: 'refusedByBank'; readonly reason: RegistrationRefusal; readonly boletoId: string }
  | { readonly kind: 'malformed'; readonly faults: readonly TermsFault[] }
  | { readonly kind: 'noBank' | 'unknownAccount' }
  /** The bank was not asked, and nothing was made. */
  | { readonly kind: 'notSent' | 'notConnected' };

/**
 * Commits the row with our number, asks the bank outside of any database transaction, commits the outcome. A
 * repeat with the same key returns the same boleto as it stands then. `deadlineAt` is in monotonic
 * milliseconds. Throws `CommitUnknown` if either commit is in doubt.
 */
export async function issueBoleto(
  tools: IssueTools,
  issuer: { readonly merchantId: string; readonly userName: string },
  wanted: WantedBoleto,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<IssueResult>> {
  const { merchantId } = issuer;
  // The account is in the query, and is part of the request.
  const body = { accountNumber: wanted.accountNumber, body: sent.body };
  const request = identifyRequest(tools.keyring, merchantId, { idempotency: sent.idempotency, body });
  return answerOnce<IssueResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const refusal = await refusalOf(tools, merchantId, wanted);
      if (refusal !== null) return refusal;
      const boletoId = newIdOf(request);
      const bank = chooseBank(tools, merchantId, boletoId, wanted);
      if (bank === null) return { kind: 'noBank' };
      const { learnCode } = tools.banks.of(bank);
      const askedBank = await askInTime(tools.bankTimeoutMilliseconds, deadlineAt, learnCode);
      // The bank has not said its code since this process started, so nothing was sent.
      if (typeof askedBank !== 'string' || askedBank === '') return { kind: 'notConnected' };
      const now = tools.clock.now(merchantId);
      const row: BoletoIntentRow = {
        ...wanted,
        merchantId,
        boletoId,
        pageKey: wanted.pageKey ?? newPageKey(),
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
    findMade: (span) => findMadeBoleto(tools.database, merchantId, span),
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
 * Whether the process of the first request still asks the bank. It may yet take the boleto back as unsent, so
 * a repeat is promised nothing. Once that process has left the boleto to the resolving work, or has died, the
 * boleto is made.
 */
function isStillAsked({ state, fence, unknownReason }: Boleto): boolean {
  return state === 'issuing' && fence === FIRST_FENCE && unknownReason === null;
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
  const { merchantId, boletoId, request } = row;
  const ask = async (timeout: number) =>
    resultOfIssue(await tools.banks.of(row.bank).issue(requestOf({ ...row, ourNumber }), timeout));
  const answer = await askBank(
    tools,
    { merchantId, boletoId, fence: FIRST_FENCE },
    ask,
    { change: () => ({ event: 'withdraw' }), keyToFree: request?.keyHash ?? null },
    deadlineAt,
  );
  if (answer.kind === 'recorded') return outcomeOf(answer.held) ?? { kind: 'notSent' };
  if (answer.kind !== 'unknown') return { kind: answer.kind };
  const boleto = await findBoleto(tools.database, row);
  if (boleto === null) throw new Error(`the boleto ${boletoId} is gone`);
  return outcomeOf(boleto) ?? { kind: 'notSent' };
}
