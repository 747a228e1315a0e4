import { randomUUID } from 'node:crypto';
import { type Behaviour, behaviourOf, behaviourOfCapture, pendingOf } from '../kit/sales/behaviour.ts';
import type { Order, SalesHouse } from '../kit/sales/house.ts';
import type { Keys } from '../kit/sales/keys.ts';
import { restOf, type Sale, tidOf, viewAt } from '../kit/sales/sale.ts';
import { type Fault, isUndone, type Operation, type Step } from '../kit/sales/script-step.ts';
import type { Answer, Respond } from '../kit/sales/server.ts';
import {
  captureAnswer,
  checkAnswer,
  foundAnswer,
  type Hosts,
  listAnswer,
  NOT_FOUND,
  NOTHING_FOUND,
  refused,
  saleAnswer,
  scheduledAnswer,
  UNAUTHORIZED,
  voidAnswer,
} from './answers.ts';
import { CardTokens } from './card-tokens.ts';
import { codeOfLastDigit } from './codes.ts';
import { fieldsOf, isTrue } from './fields.ts';
import { faultOfPlan, type Plan, Recurrences, recurrenceFields } from './recurrences.ts';
import { type Check, keptCardOf, type Sale as SaleRequest } from './requests.ts';

export type CieloSettings = {
  /** After how long Cielo makes something of what it does not know. */
  readonly horizonMilliseconds: number;
  /** By how much the query host is behind. */
  readonly lagMilliseconds: number;
  /** Between two voids of one sale. */
  readonly spacingMilliseconds: number;
  /** As in the sandbox, the last digit of a card decides. */
  readonly decidesByDigit: boolean;
  /** What it does not know it voids ("Garantia de Cancelamento"). */
  readonly isGuarded: boolean;
};

const DAY_MILLISECONDS = 86_400_000;
/** For three months a sale is found, and for 360 days it can be voided. */
const FOUND_MILLISECONDS = 92 * DAY_MILLISECONDS;
const VOIDABLE_MILLISECONDS = 360 * DAY_MILLISECONDS;

/** What Cielo does. Nothing protects from a second sale under one order number. */
export class Cielo {
  readonly house: SalesHouse;
  readonly keys: Keys;
  readonly cards: CardTokens;
  readonly recurrences: Recurrences;
  readonly #settings: CieloSettings;

  constructor(house: SalesHouse, keys: Keys, settings: CieloSettings) {
    this.house = house;
    this.keys = keys;
    this.cards = new CardTokens();
    this.recurrences = new Recurrences();
    this.#settings = settings;
  }

  authorize(merchantId: string, request: SaleRequest, hosts: Hosts, respond: Respond): void {
    this.#arrive(merchantId, 'authorize', respond, (step) => {
      const { amount, card, echo, reference, installments, isCaptured, notes, plan } = request;
      const faultOfDays = plan === null ? null : faultOfPlan(plan, this.house.now);
      if (faultOfDays !== null) return this.#answer(refused(faultOfDays), null, respond);
      if (plan !== null && !plan.isNow) return this.#schedule(merchantId, request, plan, hosts, respond);
      const { decline, fault } = this.#behaviourOf(merchantId, request, step);
      if (isUndone(fault)) return respond(UNAUTHORIZED, fault);
      const code = step?.returnCode == null ? null : refused(Number(step.returnCode));
      if (code !== null && step?.books !== true) return this.#answer(code, fault, respond);
      const doubt = request.wantsHolder ? this.#unseenHolder() : this.#doubtOf(step);
      const order: Order = {
        ...{ id: () => randomUUID(), merchantId, reference, amount, installments, isCaptured, card, notes },
        ...{ decline: doubt?.becomes === 'denied' ? UNKNOWN_DECLINE : decline, doubt },
        feePortion: step?.feePortion ?? 0,
      };
      const sale = this.house.sell(order);
      for (let copy = 1; copy <= (step?.copies ?? 0); copy += 1) {
        this.house.later(copy * (step?.copiesAfterMilliseconds ?? 0), () => void this.house.sell(order));
      }
      const isBegun = plan !== null && sale.decision.outcome === 'approved';
      const begun = isBegun ? this.recurrences.begin(merchantId, request, plan, this.house.now) : null;
      begun?.payments.push(sale.id);
      const recurrence = begun === null ? null : recurrenceFields(begun, hosts);
      const told = {
        isGuarded: this.#settings.isGuarded && !request.wantsHolder,
        wantsHolder: request.wantsHolder,
        keptAs: this.#keep(merchantId, request),
        recurrence,
      };
      this.#answer(code ?? saleAnswer(sale, echo, hosts, told), fault, respond);
    });
  }

  #schedule(merchantId: string, request: SaleRequest, plan: Plan, hosts: Hosts, respond: Respond): void {
    const begun = this.recurrences.begin(merchantId, request, plan, this.house.now);
    this.#answer(scheduledAnswer(request, recurrenceFields(begun, hosts)), null, respond);
  }

  /** What is due by itself. A charge that is declined is not tried again before its next day. */
  advance(): void {
    this.house.advance();
    for (const due of this.recurrences.takeDue(this.house.now)) {
      const { merchantId, amount, request } = due;
      const { decline } = this.#behaviourOf(merchantId, { ...request, amount }, null);
      const { reference, isCaptured, card, notes } = request;
      const sale = this.house.sell({
        ...{ id: () => randomUUID(), merchantId, reference, amount, installments: 1, isCaptured, card },
        ...{ decline, doubt: null, feePortion: 0, notes: { ...notes, recurrent: 'true' } },
      });
      if (decline === null) due.payments.push(sale.id);
    }
  }

  /** The token under which the card is known, that it was sent as or is kept as from now on. */
  #keep(merchantId: string, request: SaleRequest): string | null {
    if (request.notes.cardToken !== undefined) return request.notes.cardToken;
    const isWanted = isTrue(fieldsOf(request.echo.payment.CreditCard).SaveCard);
    return isWanted ? this.cards.keep(keptCardOf(request, merchantId)) : null;
  }

  check(merchantId: string, { card, number, notes }: Check, respond: Respond): void {
    this.#arrive(merchantId, 'check', respond, (step) => {
      const { decline } = behaviourOf({ amount: 0, brand: card.brand }, step, () => {
        const ofCard = this.house.declineOfCard(merchantId, number, true);
        if (ofCard !== undefined) return ofCard;
        const isRefused = this.#settings.decidesByDigit && !/^5\d*4$/.test(number);
        return isRefused ? declineWith('57') : null;
      });
      const sale = this.house.sell({
        ...{
          id: () => randomUUID(),
          merchantId,
          reference: '',
          amount: 0,
          installments: 1,
          isCaptured: false,
        },
        ...{ card, decline, doubt: null, feePortion: 0, notes },
      });
      this.#answer(checkAnswer(sale), step?.fault ?? null, respond);
    });
  }

  capture(merchantId: string, id: string, wanted: number | null, hosts: Hosts, respond: Respond): void {
    this.#arrive(merchantId, 'capture', respond, (step) => {
      const sale = this.house.sales.sale(merchantId, id);
      if (sale === undefined) return this.#answer(NOT_FOUND, null, respond);
      const amount = wanted ?? sale.amount;
      const { isExpired, fault } = behaviourOfCapture(amount, sale.amount, step);
      const refusal = refusalOfCapture(sale, amount) ?? (isExpired ? '843' : null);
      const code = refusal ?? step?.returnCode ?? null;
      // What a script says of one that is done has the payment as it was before.
      const said = code === null ? null : captureAnswer(sale, code, hosts);
      if (refusal === null && (code === null || step?.books === true)) this.house.capture(sale, amount);
      this.#answer(said ?? captureAnswer(sale, '6', hosts), fault, respond);
    });
  }

  void(merchantId: string, id: string, wanted: number | null, hosts: Hosts, respond: Respond): void {
    this.#arrive(merchantId, 'refund', respond, (step) => {
      const sale = this.house.sales.sale(merchantId, id);
      if (sale === undefined) return this.#answer(NOT_FOUND, null, respond);
      const fault = step?.fault ?? null;
      if (sale.state !== 'authorized' && sale.state !== 'captured')
        return this.#answer(refused(309), fault, respond);
      const whole = sale.state === 'captured' ? sale.capturedAmount : sale.amount;
      // What was held, of which less was captured, means all of it; no amount, all that is left.
      const isAll = wanted === sale.amount && sale.refunds.length === 0;
      const amount = isAll ? whole : (wanted ?? restOf(sale));
      const unbooked = step?.returnCode != null && !step.books ? step.returnCode : null;
      // What a script refuses it refuses whatever became of an earlier one, whose amount Cielo keeps back.
      const code = unbooked ?? this.#refusalOfVoid(sale, amount, whole);
      if (code !== null) return this.#answer(voidAnswer(sale, code, hosts), fault, respond);
      const pending = sale.state === 'captured' ? pendingOf(amount, step) : null;
      this.house.refund(sale, amount, pending);
      const done = amount === whole ? '9' : '0';
      const said = step?.returnCode ?? (pending === null ? done : '10');
      this.#answer(voidAnswer(sale, said, hosts), fault, respond);
    });
  }

  /** Of several sales under an order number only the newest is voided. */
  voidNewest(
    merchantId: string,
    reference: string,
    wanted: number | null,
    hosts: Hosts,
    respond: Respond,
  ): void {
    const newest = this.house.sales.ofReference(merchantId, reference).at(-1);
    if (newest === undefined) this.#answer(NOT_FOUND, null, respond);
    else this.void(merchantId, newest.id, wanted, hosts, respond);
  }

  find(merchantId: string, named: { id: string } | { tid: string }, hosts: Hosts, respond: Respond): void {
    this.#find(merchantId, respond, () => {
      const { sales } = this.house;
      const sale =
        'id' in named
          ? sales.sale(merchantId, named.id)
          : sales.inOrder.find((one) => one.merchantId === merchantId && tidOf(one) === named.tid);
      const view = sale === undefined ? null : this.#viewOf(sale);
      return sale === undefined || view === null ? NOTHING_FOUND : foundAnswer(sale, view, hosts);
    });
  }

  findOrder(merchantId: string, reference: string, respond: Respond): void {
    this.#find(merchantId, respond, () => {
      const all = this.house.sales.ofReference(merchantId, reference);
      const seen = all.filter((sale) => sale.amount > 0 && this.#viewOf(sale) !== null);
      return seen.length === 0 ? NOTHING_FOUND : listAnswer(seen.toReversed());
    });
  }

  #find(merchantId: string, respond: Respond, answerOf: () => Answer): void {
    this.#arrive(merchantId, 'find', respond, (step) => {
      const fault = step?.fault ?? null;
      this.#answer(fault === 'notFound' ? NOTHING_FOUND : answerOf(), fault, respond);
    });
  }

  #viewOf(sale: Sale) {
    const { now } = this.house;
    return now - sale.at > FOUND_MILLISECONDS ? null : viewAt(sale, now - this.#settings.lagMilliseconds);
  }

  #behaviourOf(merchantId: string, { amount, card, number }: SaleRequest, step: Step | null): Behaviour {
    return behaviourOf({ amount, brand: card.brand }, step, () => {
      const ofCard = this.house.declineOfCard(merchantId, number, false);
      if (ofCard !== undefined || !this.#settings.decidesByDigit) return ofCard ?? null;
      const code = codeOfLastDigit(number, this.house.sales.lastNsu);
      return code === null ? null : declineWith(code);
    });
  }

  /** Nobody comes to be authenticated here. */
  #unseenHolder(): Order['doubt'] {
    return { status: 0, becomes: 'denied', afterMilliseconds: this.#settings.horizonMilliseconds };
  }

  #doubtOf(step: Step | null): Order['doubt'] {
    if (step?.doubt == null) return null;
    const { status, becomes, afterMilliseconds } = step.doubt;
    const isVoided = this.#settings.isGuarded && status === 0;
    return {
      ...{ status, becomes: isVoided ? 'voided' : becomes },
      afterMilliseconds: afterMilliseconds ?? this.#settings.horizonMilliseconds,
    };
  }

  /** The code of a void that is not done; null: it is. */
  #refusalOfVoid(sale: Sale, amount: number, whole: number): string | null {
    const { now } = this.house;
    const last = sale.refunds.at(-1);
    if (sale.state === 'authorized' && amount !== whole) return '41';
    if (last?.status === 'pending') return last.amount === amount ? '10' : '17';
    if (last !== undefined && now - last.at < this.#settings.spacingMilliseconds) return '476';
    if (now - sale.at > VOIDABLE_MILLISECONDS) return '40';
    if (amount === 0 || amount > whole) return '51';
    return amount > restOf(sale) ? '55' : null;
  }

  /** What was laid out for the request happens to it before anything else. */
  #arrive(merchantId: string, on: Operation, respond: Respond, act: (step: Step | null) => void): void {
    const step = this.house.scripts.next(merchantId, on);
    this.house.later(step?.delayMilliseconds ?? 0, () => {
      this.advance();
      const fault = step?.fault ?? null;
      if (isUndone(fault) && fault !== 'notFound') respond(UNAUTHORIZED, fault);
      else act(step);
    });
  }

  #answer(answer: Answer, fault: Fault | null, respond: Respond): void {
    this.house.afterDurable(() => respond(answer, fault));
  }
}

/** The code of a capture that is not done; null: it is. */
function refusalOfCapture({ state, amount: held }: Sale, amount: number): string | null {
  if (state !== 'authorized' || amount === 0) return '308';
  return amount > held ? '842' : null;
}

const UNKNOWN_DECLINE = declineWith('05');

function declineWith(code: string): Behaviour['decline'] {
  return { meaning: code, responseCode: code, adviceCode: null };
}
