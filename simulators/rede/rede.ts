import { endOfDay, saoPauloDayOf } from '../kit/days.ts';
import { behaviourOf, behaviourOfCapture, pendingOf } from '../kit/sales/behaviour.ts';
import type { SalesHouse } from '../kit/sales/house.ts';
import type { Keys } from '../kit/sales/keys.ts';
import { restOf, type Sale, tidOf } from '../kit/sales/sale.ts';
import { type Fault, isUndone, type Operation, type Step } from '../kit/sales/script-step.ts';
import type { Answer, Respond } from '../kit/sales/server.ts';
import {
  type Asked,
  authenticationAnswer,
  captureAnswer,
  INVALID_CLIENT,
  oneRefundAnswer,
  refundAnswer,
  refundsAnswer,
  refused,
  saleAnswer,
  tokenAnswer,
  transactionAnswer,
  UNAUTHORIZED,
} from './answers.ts';
import type { Refund as RefundRequest, Sale as SaleRequest } from './requests.ts';
import type { Tokens } from './tokens.ts';

export type RedeSettings = {
  readonly tokenSeconds: number;
  /** How long a refund takes that is asked for behind the day of its sale. */
  readonly refundMilliseconds: number;
};

/** What the request named: a transaction by its tid, or by the merchant's own reference. */
export type Named = { readonly tid: string } | { readonly reference: string };

const NO_SALE = refused(404, '78');

/** What Rede does. */
export class Rede {
  readonly house: SalesHouse;
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly #settings: RedeSettings;

  constructor(house: SalesHouse, keys: Keys, tokens: Tokens, settings: RedeSettings) {
    this.house = house;
    this.keys = keys;
    this.tokens = tokens;
    this.#settings = settings;
  }

  giveToken(merchantId: string, key: string, respond: Respond): void {
    this.#arrive(merchantId, 'token', INVALID_CLIENT, respond, (step) => {
      if (!this.keys.accepts(merchantId, key)) return respond(INVALID_CLIENT, null);
      const { tokenSeconds } = this.#settings;
      const { now } = this.house;
      const token = this.tokens.issue(merchantId, now + tokenSeconds * 1_000, now);
      respond(tokenAnswer(token, tokenSeconds), step?.fault ?? null);
    });
  }

  authorize(merchantId: string, request: SaleRequest, asked: Asked, respond: Respond): void {
    const on = request.amount === 0 ? 'check' : 'authorize';
    this.#arrive(merchantId, on, UNAUTHORIZED, respond, (step) => {
      const { amount, card, reference } = request;
      if (request.wantsHolder) return respond(authenticationAnswer(request, asked, this.house.now), null);
      const { decline, fault } = behaviourOf(
        { amount, brand: card.brand },
        step,
        () => this.house.declineOfCard(merchantId, request.number, amount === 0) ?? null,
      );
      if (isUndone(fault)) return respond(UNAUTHORIZED, fault);
      if (this.house.sales.ofReference(merchantId, reference).length > 0)
        return this.#answer(refused(412, '42'), fault, respond);
      // Elo has no pre-authorization here.
      const refusal = card.brand === 'elo' && !request.isCaptured ? '69' : unbooked(step);
      if (refusal !== null) return this.#answer(refused(400, refusal), fault, respond);
      const sale = this.house.sell({
        id: (nsu, at) => tidOf({ at, nsu }),
        ...{ merchantId, reference, amount, installments: request.installments, card, decline },
        ...{ isCaptured: request.isCaptured, doubt: null, notes: request.notes },
        feePortion: step?.feePortion ?? 0,
      });
      this.#answer(spoken(step) ?? saleAnswer(sale, asked), fault, respond);
    });
  }

  capture(merchantId: string, tid: string, wanted: number | null, asked: Asked, respond: Respond): void {
    this.#arrive(merchantId, 'capture', UNAUTHORIZED, respond, (step) => {
      const sale = this.house.sales.sale(merchantId, tid);
      if (sale === undefined) return this.#answer(NO_SALE, null, respond);
      const amount = wanted ?? sale.amount;
      const { isExpired, fault } = behaviourOfCapture(amount, sale.amount, step);
      const refusal = refusalOfCapture(sale, amount) ?? (isExpired ? '173' : unbooked(step));
      if (refusal !== null) return this.#answer(refused(400, refusal), fault, respond);
      this.house.capture(sale, amount);
      this.#answer(spoken(step) ?? captureAnswer(sale, asked), fault, respond);
    });
  }

  refund(merchantId: string, tid: string, request: RefundRequest, asked: Asked, respond: Respond): void {
    this.#arrive(merchantId, 'refund', UNAUTHORIZED, respond, (step) => {
      const sale = this.house.sales.sale(merchantId, tid);
      if (sale === undefined) return this.#answer(refused(404, '353'), null, respond);
      const amount = request.amount ?? Math.max(1, restOf(sale));
      const fault = step?.fault ?? null;
      const refusal = refusalOfRefund(sale, amount, request.isDelayed, this.house.now) ?? unbooked(step);
      if (refusal !== null) return this.#answer(refused(400, refusal), fault, respond);
      const refund = this.house.refund(sale, amount, this.#pendingOf(sale, amount, step, request.isDelayed));
      this.#answer(spoken(step) ?? refundAnswer(sale, refund, asked), fault, respond);
    });
  }

  find(merchantId: string, named: Named, asked: Asked, respond: Respond): void {
    this.#find(merchantId, named, NO_SALE, respond, (sale) => transactionAnswer(sale, asked, this.house.now));
  }

  findRefunds(
    merchantId: string,
    tid: string,
    refundId: string | null,
    asked: Asked,
    respond: Respond,
  ): void {
    this.#find(merchantId, { tid }, refused(404, '353'), respond, (sale) => {
      if (refundId === null && sale.refunds.length === 0) return refused(404, '369');
      if (refundId === null) return refundsAnswer(sale, asked, this.house.now);
      const refund = sale.refunds.find((one) => one.refundId === refundId);
      return refund === undefined
        ? refused(404, '362')
        : oneRefundAnswer(sale, refund, asked, this.house.now);
    });
  }

  #find(
    merchantId: string,
    named: Named,
    notFound: Answer,
    respond: Respond,
    answerOf: (sale: Sale) => Answer,
  ): void {
    this.#arrive(merchantId, 'find', UNAUTHORIZED, respond, (step) => {
      const { sales } = this.house;
      const sale =
        'tid' in named
          ? sales.sale(merchantId, named.tid)
          : sales.ofReference(merchantId, named.reference).at(-1);
      const isHidden = sale === undefined || step?.fault === 'notFound';
      const answer = spoken(step) ?? (isHidden ? notFound : answerOf(sale));
      this.#answer(answer, step?.fault ?? null, respond);
    });
  }

  /** On the day of the capture what is whole is done at once; all else is decided later. */
  #pendingOf(sale: Sale, amount: number, step: Step | null, isDelayed: boolean): Step['pending'] {
    if (sale.state === 'authorized') return null;
    const ordered = pendingOf(amount, step);
    if (ordered !== null) return ordered;
    const today = saoPauloDayOf(this.house.now);
    if (!isOfDay(sale, today)) return { afterMilliseconds: this.#settings.refundMilliseconds, fails: false };
    if (!isDelayed) return null;
    return { afterMilliseconds: endOfDay(today) - this.house.now, fails: false };
  }

  /** What was laid out for the request happens to it before anything else; `unauthorized`: its answer. */
  #arrive(
    merchantId: string,
    on: Operation,
    unauthorized: Answer,
    respond: Respond,
    act: (step: Step | null) => void,
  ): void {
    const step = this.house.scripts.next(merchantId, on);
    this.house.later(step?.delayMilliseconds ?? 0, () => {
      this.house.advance();
      const fault = step?.fault ?? null;
      if (isUndone(fault) && fault !== 'notFound') respond(unauthorized, fault);
      else act(step);
    });
  }

  #answer(answer: Answer, fault: Fault | null, respond: Respond): void {
    this.house.afterDurable(() => respond(answer, fault));
  }
}

/** The code with which a script has the request refused. */
function unbooked(step: Step | null): string | null {
  return step === null || step.books ? null : step.returnCode;
}

/** What a script makes Rede say of what it did. */
function spoken(step: Step | null): Answer | null {
  return step?.returnCode == null ? null : refused(400, step.returnCode);
}

function refusalOfCapture(sale: Sale, amount: number): string | null {
  if (sale.state === 'captured') return '171';
  if (sale.state === 'voided' || sale.state === 'refunded') return '355';
  if (sale.state === 'lapsed') return '173';
  if (sale.state !== 'authorized') return '83';
  return amount > sale.amount ? '49' : null;
}

function refusalOfRefund(sale: Sale, amount: number, isDelayed: boolean, now: number): string | null {
  if (sale.state === 'voided' || sale.state === 'refunded') return '355';
  if (sale.state === 'authorized') return amount === sale.amount ? null : '365';
  if (sale.state !== 'captured') return '351';
  if (amount > sale.capturedAmount) return '357';
  if (amount > restOf(sale)) return '358';
  const isPartial = amount < sale.capturedAmount;
  return isPartial && !isDelayed && isOfDay(sale, saoPauloDayOf(now)) ? '365' : null;
}

function isOfDay({ capturedAt }: Sale, day: string): boolean {
  return capturedAt !== null && saoPauloDayOf(capturedAt) === day;
}
