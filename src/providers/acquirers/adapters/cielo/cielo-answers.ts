import { type Fields, fieldsOf, textOf } from '../../../../platform/channels/answer-fields.ts';
import type { Asked, ChannelAnswer } from '../../../../platform/channels/ask-once.ts';
import { unusable } from '../../../../platform/channels/unclear.ts';
import {
  type Approval,
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type CaptureAnswer,
  type DeclineAnswer,
  NO_ISSUER_CODE,
  type NotMade,
  type Unknown,
  type VerificationAnswer,
} from '../../acquirer.ts';
import {
  adviceOf,
  approvalOf,
  type CancelRead,
  deniedBy,
  isCode,
  isOfAcquirer,
  NO_CODE,
  uselessAnswer,
  verifiedBy,
} from '../../direct-acquirer.ts';
import { type NamedReference, readNetworkReference } from '../../network-reference.ts';
import { shortReference } from '../../short-reference.ts';
import {
  CIELO_CAPTURE_REFUSALS,
  CIELO_CARD_ERRORS,
  CIELO_OWN_CODES,
  CIELO_STATUS,
  CIELO_TIMEOUTS,
  CIELO_UNCLEAR_ERRORS,
  CIELO_VOID_ERRORS,
  CIELO_VOID_PENDING,
  CIELO_VOID_REFUSALS,
  CIELO_VOIDED,
} from './cielo-codes.ts';

/** A payment as Cielo shows it. */
export type CieloPayment = {
  readonly paymentId: string;
  readonly status: number | null;
  /** Cents, all three. */
  readonly amount: number | null;
  readonly capturedAmount: number;
  readonly voidedAmount: number;
  readonly receivedAt: string;
  readonly tid: string | null;
  readonly approval: Approval | Unknown;
  readonly decline: DeclineAnswer;
  readonly returnCode: string | null;
};

/**
 * Decides by the status alone; an answer with another reference or amount is unknown. `paymentId`: Cielo's id
 * of what it made.
 */
export function readCieloAuthorization(
  answer: Asked,
  asked: Pick<AuthorizationRequest, 'reference' | 'amount'>,
  capture: boolean,
): { readonly answer: AuthorizationAnswer; readonly paymentId: string | null } {
  const without = (read: AuthorizationAnswer) => ({ answer: read, paymentId: null });
  if (answer.kind !== 'answer') return without(answer);
  if (answer.status !== 201 && answer.status !== 200) return without(readRefusal(answer));
  const body = fieldsOf(answer.body);
  const payment = readPayment(body.Payment);
  if (body.MerchantOrderId !== shortReference(asked.reference))
    return without(unusable('the answer was for another reference'));
  if (payment === null || payment.amount !== asked.amount)
    return without(unusable('the answer was for another amount'));
  return { answer: decide(payment, capture), paymentId: payment.paymentId };
}

function decide(
  { status, approval, decline, returnCode }: CieloPayment,
  capture: boolean,
): AuthorizationAnswer {
  switch (status) {
    case CIELO_STATUS.authorized:
      if (capture) return unusable('it was authorized, and not captured');
      return approval.kind === 'approved' ? { ...approval, kind: 'preauthorized' } : approval;
    case CIELO_STATUS.confirmed:
      return capture ? approval : unusable('it was captured, which was not asked for');
    case CIELO_STATUS.denied:
      return CIELO_TIMEOUTS.has(returnCode ?? '') ? unusable(`Cielo answered ${returnCode}`) : decline;
    case CIELO_STATUS.aborted:
      return { kind: 'notMade', reason: `Cielo aborted it (${returnCode ?? 'without a code'})` };
    default:
      return unusable(`Cielo has not decided it (status ${status ?? 'none'})`);
  }
}

/** The code of the first error of a list; Cielo's papers have two names for the field. */
function errorOf(body: unknown): string | null {
  const [first] = Array.isArray(body) ? body : [];
  const { Code, ReturnCode } = fieldsOf(first);
  return textOf(Code) ?? textOf(ReturnCode);
}

/** The code of an answer that is no list of errors: what came of a capture or void. */
function returnCodeOf(body: unknown): string | null {
  const { ReturnCode, ProviderReturnCode } = fieldsOf(body);
  return textOf(ReturnCode) ?? textOf(ProviderReturnCode);
}

/** A list of errors says that nothing was made. */
function readRefusal({ status, body }: ChannelAnswer): DeclineAnswer | NotMade | Unknown {
  if (status === 401 || status === 403)
    return { kind: 'notMade', reason: `Cielo answered ${status}: it takes no such MerchantId with this key` };
  const code = errorOf(body);
  if (status !== 400 || code === null || CIELO_UNCLEAR_ERRORS.has(code))
    return unusable(`Cielo answered ${code ?? status}`);
  return CIELO_CARD_ERRORS.has(code)
    ? NO_CODE
    : { kind: 'notMade', reason: `Cielo refused the request by ${code}` };
}

export function readCieloVerification(answer: Asked): VerificationAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  const code = textOf(body.ReturnCode);
  if (answer.status >= 300 || typeof body.Valid !== 'boolean' || code === null)
    return unusable(`Cielo answered ${answer.status}`);
  if (body.Valid && code === '00') return verifiedBy(networkReferenceOf(body));
  return body.Valid ? unusable(`Cielo answered ${code}`) : declineOf(body);
}

/** Cielo's ids of the payments under a reference; null: it knows none. */
export function readCieloList(answer: ChannelAnswer): readonly string[] | null | Unknown {
  if (answer.status === 404) return null;
  const body = fieldsOf(answer.body);
  const list = body.Payments ?? body.Payment;
  if (answer.status !== 200 || !Array.isArray(list))
    return uselessAnswer(answer, `Cielo answered ${answer.status}`);
  const ids = list.map((item) => textOf(fieldsOf(item).PaymentId));
  return ids.every(isPaymentId) ? ids : unusable('the list was no list of payments');
}

export function readCieloPayment(answer: ChannelAnswer, reference: string): CieloPayment | Unknown {
  const body = fieldsOf(answer.body);
  if (answer.status !== 200) return uselessAnswer(answer, `Cielo answered ${answer.status}`);
  if (body.MerchantOrderId !== shortReference(reference))
    return unusable('the answer was for another reference');
  return readPayment(body.Payment) ?? unusable('the answer was no payment');
}

function readPayment(value: unknown): CieloPayment | null {
  const payment = fieldsOf(value);
  const paymentId = textOf(payment.PaymentId);
  if (!isPaymentId(paymentId)) return null;
  const { Status, Amount } = payment;
  return {
    paymentId,
    status: Number.isSafeInteger(Status) ? (Status as number) : null,
    amount: Number.isSafeInteger(Amount) ? (Amount as number) : null,
    capturedAmount: amountOf(payment.CapturedAmount),
    voidedAmount: amountOf(payment.VoidedAmount),
    receivedAt: textOf(payment.ReceivedDate) ?? '',
    tid: textOf(payment.Tid),
    approval: approvalOf({
      authorizationCode: textOf(payment.AuthorizationCode),
      nsu: textOf(payment.ProofOfSale),
      tid: textOf(payment.Tid),
      networkReference: networkReferenceOf(payment),
    }),
    decline: declineOf(payment),
    returnCode: textOf(payment.ReturnCode),
  };
}

function networkReferenceOf({ IssuerTransactionId, TransactionLinkId }: Fields): NamedReference {
  return readNetworkReference(textOf(IssuerTransactionId), TransactionLinkId);
}

/** The issuer's code, unless it is one of Cielo's own. */
function declineOf({ ReturnCode, MerchantAdviceCode }: Fields): DeclineAnswer {
  const code = textOf(ReturnCode);
  const isOfIssuer = isCode(code) && !CIELO_OWN_CODES.has(code);
  return {
    kind: 'declined',
    responseCode: isOfIssuer ? code : NO_ISSUER_CODE,
    adviceCode: adviceOf(textOf(MerchantAdviceCode)),
  };
}

/**
 * Cielo refuses with any HTTP status, so the code decides. A refusal counts only where the answer shows the
 * payment as authorized, or shows no status of it.
 */
export function readCieloCapture(answer: Asked): CaptureAnswer {
  if (answer.kind !== 'answer') return answer;
  const { Status } = fieldsOf(answer.body);
  const code = errorOf(answer.body) ?? returnCodeOf(answer.body);
  const denial = isOfAcquirer(answer) ? CIELO_CAPTURE_REFUSALS[code ?? ''] : undefined;
  if (answer.status < 300 && Status === CIELO_STATUS.confirmed && denial === undefined)
    return { kind: 'captured' };
  const isOfHeld = Status === undefined || Status === CIELO_STATUS.authorized;
  return deniedBy(answer, isOfHeld ? denial : undefined, `Cielo answered ${code ?? answer.status}`);
}

export function readCieloVoid(answer: Asked): CancelRead {
  if (answer.kind !== 'answer') return answer;
  const error = errorOf(answer.body);
  const code = error ?? returnCodeOf(answer.body);
  if (!isOfAcquirer(answer) || code === null) return uselessAnswer(answer, `Cielo answered ${answer.status}`);
  if (error === null && answer.status < 300 && CIELO_VOIDED.has(code)) return { kind: 'canceled' };
  if (error === null && CIELO_VOID_PENDING.has(code)) return { kind: 'pending' };
  const denial = (error === null ? CIELO_VOID_REFUSALS : CIELO_VOID_ERRORS)[code];
  const read = deniedBy(answer, denial, `Cielo answered ${code}`);
  return read.kind === 'denied' ? { ...read, code } : read;
}

function amountOf(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

function isPaymentId(value: string | null): value is string {
  return value !== null && /^[0-9A-Fa-f-]{36}$/.test(value);
}
