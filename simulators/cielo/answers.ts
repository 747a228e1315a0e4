import { createHash } from 'node:crypto';
import type { Brand } from '../kit/cards/decline-codes.ts';
import { transactionLinkOf } from '../kit/cards/transaction-link.ts';
import { saoPauloDayOf } from '../kit/days.ts';
import { networkIdOf } from '../kit/sales/house.ts';
import { type Sale, type SaleState, type SaleView, tidOf } from '../kit/sales/sale.ts';
import type { Answer } from '../kit/sales/server.ts';
import type { KeptCard } from './card-tokens.ts';
import {
  captureMessageOf,
  declineMessageOf,
  errorMessageOf,
  isCommandError,
  voidMessageOf,
} from './codes.ts';
import { fieldsOf, isTrue } from './fields.ts';
import type { Echo, Sale as SaleRequest } from './requests.ts';

/** Where the two hosts are, as the asker reached them. */
export type Hosts = { readonly command: string; readonly query: string };

const BRAND_NAMES: Readonly<Record<Brand, string>> = {
  visa: 'Visa',
  mastercard: 'Master',
  amex: 'Amex',
  elo: 'Elo',
  hipercard: 'Hipercard',
};
const STATUSES: Readonly<Record<Exclude<SaleState, 'doubtful'>, number>> = {
  authorized: 1,
  captured: 2,
  declined: 3,
  checked: 3,
  voided: 10,
  refunded: 11,
  lapsed: 13,
};
const LONGEST_SENT_ORDER = 20;

export function refused(code: number, status = 400): Answer {
  return { status, body: [{ Code: code, Message: errorMessageOf(code) }] };
}
/** To who would act on it; to who asks for it, nothing is said. */
export const NOT_FOUND = refused(307, 404);
export const NOTHING_FOUND: Answer = { status: 404, body: undefined };
export const UNAUTHORIZED: Answer = { status: 401, body: undefined };
export const INVALID_BRAND: Answer = { status: 400, body: { Code: 57, Message: 'Bandeira inválida' } };

type Told = {
  readonly isGuarded: boolean;
  readonly wantsHolder: boolean;
  readonly keptAs: string | null;
  readonly recurrence: object | null;
};

/** `isGuarded`: what Cielo does not know it voids by itself; `keptAs`: the token of a card that is kept. */
export function saleAnswer(
  sale: Sale,
  echo: Echo,
  hosts: Hosts,
  { isGuarded, wantsHolder, keptAs, recurrence }: Told,
): Answer {
  const { payment } = echo;
  const isApproved = sale.state === 'authorized' || sale.state === 'captured';
  const { decision } = sale;
  const sent = fieldsOf(payment[typeOf(sale)]);
  const body = {
    MerchantOrderId: sale.reference,
    Customer: echo.customer ?? {},
    Payment: {
      ...paymentFields(sale),
      ...{ Interest: payment.Interest ?? 0, Authenticate: isTrue(payment.Authenticate) },
      Recurrent: sale.notes.recurrent === 'true',
      ...echoed(payment),
      [typeOf(sale)]: {
        ...cardFields(sale, sent.CardOnFile),
        ...(keptAs === null ? {} : { SaveCard: isTrue(sent.SaveCard), CardToken: keptAs }),
      },
      ...(wantsHolder ? { AuthenticationUrl: `${hosts.command}/authentication/${sale.id}` } : {}),
      ...(isApproved && decision.outcome === 'approved'
        ? { AuthorizationCode: decision.authorizationCode, ...networkNames(sale) }
        : {}),
      ...(sale.state === 'captured' ? capturedFields(sale) : {}),
      ...(isGuarded && statusOf(sale, sale) === 0 ? { TryAutomaticCancellation: true } : {}),
      ...{ ExtraDataCollection: [], Status: statusOf(sale, sale), ...returnFields(sale) },
      ...(recurrence === null ? {} : { RecurrentPayment: recurrence }),
      Links: linksOf(sale, sale.state, hosts),
    },
  };
  return { status: 201, body };
}

const ECHOED = ['InitiatedTransactionIndicator', 'ExternalAuthentication', 'IsCryptoCurrencyNegotiation'];

/** What the answer has as it was sent. */
function echoed(payment: Echo['payment']): object {
  return Object.fromEntries(
    ECHOED.filter((name) => payment[name] !== undefined).map((name) => [name, payment[name]]),
  );
}

/** Of a first charge that is for a later day: nothing is booked. */
export function scheduledAnswer(
  { reference, amount, card, isCaptured, notes, echo }: SaleRequest,
  recurrence: object,
): Answer {
  const { firstSix, lastFour, holder, expiration, brand } = card;
  const Payment = {
    ...{ ServiceTaxAmount: 0, Installments: 1, Interest: echo.payment.Interest ?? 0, Capture: isCaptured },
    ...{ Authenticate: false, Recurrent: false },
    CreditCard: {
      ...{ CardNumber: `${firstSix}******${lastFour}`, Holder: holder, ExpirationDate: expiration },
      ...{ SaveCard: false, Brand: notes.brand ?? BRAND_NAMES[brand] },
    },
    ...(notes.softDescriptor === undefined ? {} : { SoftDescriptor: notes.softDescriptor }),
    ...{ Type: 'CreditCard', Amount: amount, Currency: 'BRL', Country: 'BRA', Provider: 'Simulado' },
    ...{ ExtraDataCollection: [], Status: 20, RecurrentPayment: recurrence },
  };
  return { status: 201, body: { MerchantOrderId: reference, Customer: echo.customer ?? {}, Payment } };
}

/** As the query host shows it, which may be behind. */
export function foundAnswer(sale: Sale, view: SaleView, hosts: Hosts): Answer {
  const { reference, notes, decision } = sale;
  const isKnown = view.state !== 'doubtful';
  const body = {
    MerchantOrderId: reference,
    ...(isSentOtherwise(reference) ? { AcquirerOrderId: tidOf(sale) } : {}),
    Customer: { ...(notes.customer === undefined ? {} : { Name: notes.customer }), Address: {} },
    Payment: {
      ...paymentFields(sale),
      ...{ Interest: 0, Authenticate: false, Recurrent: notes.recurrent === 'true' },
      [typeOf(sale)]: cardFields(sale, undefined),
      ...(isKnown && decision.outcome === 'approved'
        ? { AuthorizationCode: decision.authorizationCode, ...networkNames(sale) }
        : {}),
      ...(view.capturedAt === null ? {} : capturedFields(view)),
      ...(view.refundedAt === null
        ? {}
        : { VoidedAmount: view.refundedAmount, VoidedDate: timeOf(view.refundedAt) }),
      ...chargebackFields(sale),
      ...{
        ExtraDataCollection: [],
        Status: statusOf(view, sale),
        ...(isKnown ? returnFields(sale) : {}),
      },
      Links: linksOf(sale, view.state, hosts),
    },
  };
  return { status: 200, body };
}

/** Of an approval. The link is Mastercard's. */
function networkNames({ decision, card }: Pick<Sale, 'decision' | 'card'>): object {
  if (decision.outcome !== 'approved') return {};
  const { networkTransactionId: IssuerTransactionId } = decision;
  const TransactionLinkId = transactionLinkOf(card.brand, IssuerTransactionId);
  return { IssuerTransactionId, ...(TransactionLinkId === null ? {} : { TransactionLinkId }) };
}

/** An order number that is long, or has symbols, goes on under another. */
function isSentOtherwise(reference: string): boolean {
  return reference.length > LONGEST_SENT_ORDER || !/^[A-Za-z0-9]+$/.test(reference);
}

/** The manual calls the list `Payment`, later papers `Payments`. */
export function listAnswer(sales: readonly Sale[]): Answer {
  const list = sales.map(({ id, at }) => ({ PaymentId: id, ReceveidDate: localTime(at).replace(' ', 'T') }));
  return {
    status: 200,
    body: { ReasonCode: 0, ReasonMessage: 'Successful', Payment: list, Payments: list },
  };
}

/** Of a capture, done or not: a list of errors, or the payment as it is and a code. */
export function captureAnswer(sale: Sale, code: string, hosts: Hosts): Answer {
  if (isCommandError(code)) return refused(Number(code));
  const message = captureMessageOf(code);
  return commandAnswer(sale, { ReturnCode: code, ReturnMessage: message, ...reasonFields(code) }, hosts);
}

/** Of a void, done or not: only its code tells. An error is no `0` of a void that was done. */
export function voidAnswer(sale: Sale, code: string, hosts: Hosts): Answer {
  if (code !== '0' && isCommandError(code)) return refused(Number(code));
  const message = voidMessageOf(code);
  return commandAnswer(sale, { ReturnCode: code, ReturnMessage: message, ...reasonFields(code) }, hosts);
}

export function checkAnswer(sale: Sale): Answer {
  const { decision } = sale;
  if (decision.outcome === 'approved') {
    const approved = { Valid: true, ReturnCode: '00', ReturnMessage: 'Transacao autorizada' };
    return { status: 200, body: { ...approved, ...networkNames(sale) } };
  }
  const { responseCode: ReturnCode } = decision;
  const told = {
    ReturnCode,
    ReturnMessage: 'Autorizacao negada',
    IssuerTransactionId: networkIdOf(sale.nsu),
  };
  return { status: 200, body: { Valid: false, ...told } };
}

export function tokenAnswer(token: string, { query }: Hosts): Answer {
  const Links = { Method: 'GET', Rel: 'self', Href: `${query}/1/card/${token}` };
  return { status: 201, body: { CardToken: token, Links } };
}

export function keptCardAnswer({ number, holder, expiration }: KeptCard): Answer {
  const CardNumber = `${number.slice(0, 6)}******${number.slice(-4)}`;
  return { status: 200, body: { CardNumber, Holder: holder, ExpirationDate: expiration } };
}

function commandAnswer(sale: Sale, told: object, hosts: Hosts): Answer {
  const { decision } = sale;
  const body = {
    ...{ Status: statusOf(sale, sale), Tid: tidOf(sale), ProofOfSale: proofOf(sale) },
    ...(decision.outcome === 'approved' ? { AuthorizationCode: decision.authorizationCode } : {}),
    ...told,
    Links: linksOf(sale, sale.state, hosts),
  };
  return { status: 200, body };
}

function paymentFields(sale: Sale) {
  const { id, amount, installments, isCaptured, notes, at } = sale;
  return {
    ...{ ServiceTaxAmount: 0, Installments: installments, Capture: isCaptured, Tip: false },
    ...{ ProofOfSale: proofOf(sale), Tid: tidOf(sale), Provider: 'Simulado' },
    ...(notes.softDescriptor === undefined ? {} : { SoftDescriptor: notes.softDescriptor }),
    ...{ PaymentId: id, Type: typeOf(sale), Amount: amount, ReceivedDate: timeOf(at) },
    ...{ Currency: 'BRL', Country: 'BRA', IsQrCode: false, IsSplitted: false },
    ...(notes.eci === undefined ? {} : { ECI: notes.eci }),
  };
}

/** The name of the payment's card too. */
function typeOf({ notes }: Sale): string {
  return notes.type ?? 'CreditCard';
}

function capturedFields({ capturedAmount, capturedAt }: Pick<SaleView, 'capturedAmount' | 'capturedAt'>) {
  return { CapturedAmount: capturedAmount, CapturedDate: timeOf(capturedAt ?? 0) };
}

function cardFields({ card, notes }: Sale, onFile: unknown) {
  const { firstSix, lastFour, holder, expiration, brand } = card;
  const kept = { Usage: notes.usage, Reason: notes.reason };
  const hasReference = (brand === 'visa' || brand === 'mastercard') && notes.brand === undefined;
  return {
    ...{ CardNumber: `${firstSix}******${lastFour}`, Holder: holder, ExpirationDate: expiration },
    ...{ SaveCard: false, Brand: notes.brand ?? BRAND_NAMES[brand] },
    ...(hasReference
      ? { PaymentAccountReference: accountReferenceOf(firstSix + lastFour + expiration) }
      : {}),
    ...(onFile === undefined && notes.usage === undefined ? {} : { CardOnFile: onFile ?? kept }),
  };
}

/** Names the account behind a card, whatever token stands for it: 29 letters and digits. */
function accountReferenceOf(card: string): string {
  return createHash('sha256').update(card).digest('hex').slice(0, 29).toUpperCase();
}

/** A doubt has no code of the network yet. */
function returnFields(sale: Sale): object {
  const { decision, state, card } = sale;
  if (state === 'doubtful') return { ReturnCode: 'BP900', ReturnMessage: 'Operation in progress' };
  if (decision.outcome === 'approved') {
    return { ReturnCode: sale.isCaptured ? '6' : '4', ReturnMessage: 'Operation Successful' };
  }
  const { responseCode, adviceCode } = decision;
  // Mastercard's advice has no zero before it here.
  const advice = card.brand === 'mastercard' && adviceCode !== null ? String(Number(adviceCode)) : null;
  return {
    ...{ ReturnCode: responseCode, ReturnMessage: declineMessageOf(responseCode) },
    ...(advice === null ? {} : { MerchantAdviceCode: advice }),
  };
}

function reasonFields(code: string): object {
  const isDone = ['0', '6', '9'].includes(code);
  return {
    ...{ ReasonCode: isDone ? 0 : 99, ReasonMessage: isDone ? 'Successful' : 'InternalError' },
    ...{
      ProviderReturnCode: code,
      ProviderReturnMessage: isDone ? 'Operation Successful' : voidMessageOf(code),
    },
  };
}

function chargebackFields({ chargedBackAmount, id, at }: Sale): object {
  if (chargedBackAmount === 0) return {};
  const told = { CaseNumber: id.slice(0, 6), Date: timeOf(at).slice(0, 10), ReasonCode: '104' };
  return {
    Chargebacks: [
      { Amount: chargedBackAmount, ...told, ReasonMessage: 'Outras Fraudes', Status: 'Received' },
    ],
  };
}

/** What was given back on the day of the sale is voided, and refunded behind it. */
function statusOf(
  { state, refundedAt }: Pick<SaleView, 'state' | 'refundedAt'>,
  { doubt, at }: Sale,
): number {
  if (state === 'doubtful') return doubt?.status ?? 0;
  const isOfDay = saoPauloDayOf(refundedAt ?? at) === saoPauloDayOf(at);
  return state === 'refunded' && isOfDay ? STATUSES.voided : STATUSES[state];
}

function proofOf({ nsu }: Sale): string {
  return String(nsu).padStart(6, '0').slice(-6);
}

function linksOf({ id }: Sale, state: SaleState, { command, query }: Hosts): object[] {
  const self = { Method: 'GET', Rel: 'self', Href: `${query}/1/sales/${id}` };
  const act = (rel: string) => ({ Method: 'PUT', Rel: rel, Href: `${command}/1/sales/${id}/${rel}` });
  if (state === 'authorized') return [self, act('capture'), act('void')];
  return state === 'captured' ? [self, act('void')] : [self];
}

/** `2026-07-29 17:16:21`, in São Paulo, three hours behind UTC all the year. */
function timeOf(at: number): string {
  return localTime(at).slice(0, 19);
}

function localTime(at: number): string {
  return new Date(at - 3 * 3_600_000).toISOString().replace('T', ' ').replace('Z', '');
}
