import type { CancelEntry, Entry, EventEntry, EventType } from '../log.ts';
import type { BookedSale } from './notified-view.ts';
import { firstTaken, isTaken, type NotifiedIndex, type NotifiedInvariant } from './of-deliveries.ts';

/** What needs attention comes first: so the status of several installments is shown. */
const WORDS: readonly (readonly [string, string])[] = [
  ['blocked', 'BLOQUEADA'],
  ['authorized', 'AUTORIZADA'],
  ['paid', 'PAGA'],
  ['canceled', 'CANCELADA'],
];

const TYPE_OF: Readonly<Record<EventType, string>> = {
  settle: 'Pagamento',
  block: 'Bloqueio',
  unblock: 'Desbloqueio',
  chargeback: 'Cancelamento',
};

type EndpointResponse = { readonly type: string; readonly installmentNumber: number; readonly nsu: string };
type Callback = { readonly Status: string; readonly Value: number; readonly ResultId: string };

export const ANSWER_INVARIANTS: readonly NotifiedInvariant[] = [
  {
    name: 'who was answered 200 is told of each installment',
    check(books, complain) {
      for (const entry of books.entries.filter(({ status }) => status === 200)) {
        const { reference, installments } = entry;
        const received = receivedOf(books, entry);
        const reported = received
          .filter(({ type }) => type === 'Autorizacao')
          .map((one) => one.installmentNumber);
        const wanted = Array.from({ length: installments }, (_, index) => index + 1);
        if (new Set(reported).size !== installments || !wanted.every((number) => reported.includes(number)))
          complain(
            reference,
            `answered 200 for ${installments} installments, and was notified of ${reported}`,
          );
        const { nsu } = (entry.body as { paymentAuthorization: { nsu: string } }).paymentAuthorization;
        if (received.some((one) => one.nsu !== nsu))
          complain(reference, `answered with ${nsu}, and was notified of another`);
      }
    },
  },
  {
    name: 'who was refused hears of no installment',
    check(books, complain) {
      for (const entry of books.entries) {
        if (entry.status === null || entry.status === 200) continue;
        const received = receivedOf(books, entry);
        if (received.length > 0)
          complain(entry.reference, `answered ${entry.status}, and received ${JSON.stringify(received)}`);
      }
    },
  },
  {
    name: 'what was canceled or made to happen with a 200 is told',
    check(books, complain) {
      for (const cancel of books.cancels.filter(isWholeAndDone)) {
        const sale = books.sales.find(({ reference }) => reference === cancel.reference);
        // It was of what the other cancel leaves: the installments end with that one, which the end
        // of the run waits for, or do not end where the acquirer refused it later.
        const isUndecided = ({ reference, status }: CancelEntry) =>
          reference === cancel.reference && (status === null || status === 202 || status >= 500);
        if (sale?.isCanceling || books.cancels.some(isUndecided)) continue;
        const ended = new Set(
          receivedOf(books, cancel)
            .filter(isEnd)
            .map((one) => one.installmentNumber),
        );
        if (ended.size !== sale?.installments.length)
          complain(cancel.reference, `all was canceled, and the end of ${[...ended]} was received`);
      }
      for (const event of books.events.filter(({ status }) => status === 200)) {
        if (!isReceived(books, event))
          complain(event.reference, `${event.type} was answered 200, and not received`);
      }
    },
  },
  {
    name: "callbacks tell the payment's end, each change once",
    check(books, complain) {
      const callbacks = Map.groupBy(
        books.deliveries.filter(({ kind }) => kind === 'callback'),
        ({ transactionId }) => transactionId,
      );
      for (const sale of books.sales) {
        const rows = callbacks.get(sale.transactionId) ?? [];
        // That the acquirer refused a cancel or a capture says nothing of the payment.
        const bodies = rows
          .map(({ body }) => JSON.parse(body) as Callback)
          .filter(({ Status }) => Status !== 'CANCELAMENTO_RECUSADO' && Status !== 'CAPTURA_RECUSADA');
        const statuses = bodies.map(({ Status }) => Status);
        const say = (what: string) =>
          complain(sale.reference, `${what}: ${statuses}; ${JSON.stringify(sale)}`);
        if (sale.callbackUrl === null) {
          if (rows.length > 0) say('called back without an address');
          continue;
        }
        if (!isNotified(sale, statuses)) say('the callbacks do not tell what became of it');
        if (
          bodies.some(
            (body) => body.ResultId !== sale.transactionId || Math.round(body.Value * 100) !== sale.amount,
          )
        )
          say('a callback is of another payment');
        if (rows.some(({ number }) => firstTaken(books.arrivalsOf.get(number)) === undefined))
          say('a callback did not arrive');
      }
    },
  },
];

/** The notifications that the payment's merchant took, each once. */
function receivedOf(
  { sales, movements, arrivalsOf }: NotifiedIndex,
  { reference }: Pick<Entry, 'reference'>,
): EndpointResponse[] {
  const ids = new Set(sales.filter((sale) => sale.reference === reference).map((sale) => sale.transactionId));
  return movements
    .filter(({ transactionId }) => ids.has(transactionId))
    .flatMap(({ movementId }) => (arrivalsOf.get(movementId) ?? []).filter(isTaken).slice(0, 1))
    .map(({ body }) => JSON.parse(body) as EndpointResponse);
}

const isEnd = ({ type }: EndpointResponse) => type === 'Cancelamento';

function isWholeAndDone({ status, amount }: CancelEntry): boolean {
  return status === 200 && amount === null;
}

/** Of an installment that was given back meanwhile nothing more is sent. */
function isReceived(books: NotifiedIndex, event: EventEntry): boolean {
  const received = receivedOf(books, event).filter(
    ({ installmentNumber }) => installmentNumber === event.installmentNumber,
  );
  return received.some(({ type }) => type === TYPE_OF[event.type] || type === 'Cancelamento');
}

/** Whether these statuses, in their order, are the life of that payment. */
function isNotified({ state, responseCode, installments }: BookedSale, statuses: readonly string[]): boolean {
  if (state === 'voided') return statuses.join() === 'DESFEITA';
  if (state === 'declined') return statuses.join() === (responseCode ?? '');
  const changes = statuses.slice(1);
  const [, end] = WORDS.find(([word]) => installments.includes(word)) ?? [];
  const isRepeated = changes.some((status, index) => status === (changes[index - 1] ?? 'AUTORIZADA'));
  return statuses[0] === '0' && !isRepeated && (changes.at(-1) ?? 'AUTORIZADA') === end;
}
