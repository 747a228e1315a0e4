import { createHmac } from 'node:crypto';
import type { Arrival } from './merchant-system.ts';
import { type BookedDelivery, type NotifiedView, numberOf } from './notified-view.ts';

export type NotifiedInvariant = {
  readonly name: string;
  /** Complains under a reference; the text says of what. */
  check(books: NotifiedIndex, complain: (reference: string, text: string) => void): void;
};

/** The books, looked up by the number of a delivery. */
export type NotifiedIndex = NotifiedView & {
  readonly arrivalsOf: ReadonlyMap<number, readonly Arrival[]>;
  readonly deliveryOf: ReadonlyMap<number, BookedDelivery>;
};

export function indexOf(books: NotifiedView): NotifiedIndex {
  return {
    ...books,
    arrivalsOf: Map.groupBy(books.arrivals, ({ id }) => numberOf(id) ?? 0),
    deliveryOf: new Map(books.deliveries.map((row) => [row.number, row])),
  };
}

export const isTaken = ({ status }: Arrival) => status === 200;

/** A notification as the merchant reads it. */
type Reported = { readonly movementId?: number };

export const DELIVERY_INVARIANTS: readonly NotifiedInvariant[] = [
  {
    name: 'each committed movement is written for its endpoint once, and reaches it',
    check({ movements, deliveries, registrations, arrivalsOf }, complain) {
      const written = Map.groupBy(
        deliveries.filter(({ kind }) => kind === 'movement'),
        ({ number }) => number,
      );
      for (const { movementId, merchantId, reference } of movements) {
        const registration = registrations.find((one) => one.merchantId === merchantId);
        const rows = written.get(movementId) ?? [];
        written.delete(movementId);
        if (rows.length !== 1) complain(reference, `movement ${movementId} has ${rows.length} deliveries`);
        const reached = (arrivalsOf.get(movementId) ?? []).filter(
          (arrival) =>
            isTaken(arrival) && arrival.system === registration?.system && arrival.path === registration.path,
        );
        if (reached.length === 0)
          complain(reference, `movement ${movementId} did not reach ${registration?.system}`);
      }
      for (const [number, [row]] of written)
        complain(row?.reference ?? '', `delivery ${number} tells a movement that is not there`);
    },
  },
  {
    name: 'nobody is told what was not committed',
    check({ arrivals, deliveryOf, registrations }, complain) {
      for (const { id, body, path, system } of arrivals) {
        const row = deliveryOf.get(numberOf(id) ?? 0);
        const text = `${system} was sent ${id} ${body}`;
        if (row === undefined) {
          complain('', `${text}, which is not on record`);
          continue;
        }
        const own = registrations.find(({ merchantId }) => merchantId === row.merchantId);
        const wanted = row.kind === 'movement' ? own?.path : own?.callbackPath;
        if (row.body !== body || path !== wanted || (row.url !== null && !row.url.endsWith(path)))
          complain(row.reference, `${text} at ${path}, and on record is ${JSON.stringify(row)}`);
      }
    },
  },
  {
    name: 'one movement has one message, one id and one text',
    check({ arrivals, deliveryOf }, complain) {
      const textOf = new Map<string, string>();
      const idOf = new Map<number, string>();
      for (const { id, body } of arrivals) {
        const { movementId } = JSON.parse(body) as Reported;
        const reference = deliveryOf.get(movementId ?? numberOf(id) ?? 0)?.reference ?? '';
        if (textOf.getOrInsert(id, body) !== body) complain(reference, `${id} has two texts: ${body}`);
        if (movementId === undefined) continue;
        if (idOf.getOrInsert(movementId, id) !== id)
          complain(reference, `movement ${movementId} came as ${idOf.get(movementId)} and as ${id}`);
      }
    },
  },
  {
    name: 'of one payment and installment a later message waits until the earlier one was taken',
    check({ deliveries, arrivalsOf }, complain) {
      const lines = Map.groupBy(deliveries, (row) =>
        [row.endpoint, row.merchantId, row.transactionId, row.installmentNumber].join(' '),
      );
      for (const line of lines.values()) {
        let before: BookedDelivery | null = null;
        for (const row of line.toSorted((one, other) => one.number - other.number)) {
          const takenAt =
            before === null ? 0 : (firstTaken(arrivalsOf.get(before.number))?.answeredPlace ?? Infinity);
          const [first] = arrivalsOf.get(row.number) ?? [];
          if (first !== undefined && first.place < takenAt)
            complain(row.reference, `${row.number} came before ${before?.number} was taken`);
          before = row;
        }
      }
    },
  },
  {
    name: 'nothing waits for ever, and nothing is given up',
    check({ deliveries }, complain) {
      for (const { number, state, reference, endpoint } of deliveries)
        if (state !== 'delivered') complain(reference, `${number} to ${endpoint} is ${state}`);
    },
  },
  {
    name: 'what is on record of tries is what came',
    check({ deliveries, arrivalsOf, isCalm }, complain) {
      for (const { number, reference, tries, statuses } of deliveries) {
        const arrivals = arrivalsOf.get(number) ?? [];
        const say = (what: string) =>
          complain(
            reference,
            `${number}: ${what}; on record ${tries}: ${statuses}, came ${arrivals.map(({ status }) => status)}`,
          );
        if (statuses.length !== tries) say('tries are not all on record');
        if (statuses.filter((status) => status === 200).length !== 1 || statuses.at(-1) !== 200)
          say('one success, and nothing behind it, should be on record');
        for (const wanted of [200, 500]) {
          const recorded = statuses.filter((status) => status === wanted).length;
          const came = arrivals.filter(({ status }) => status === wanted).length;
          // What was answered and is not on record was sent by a process that died, or lost its turn.
          if (recorded > came) say(`${recorded} tries are on record as ${wanted}`);
          // A try ahead of its time that fails counts for nothing.
          if (isCalm && wanted === 200 && recorded < came)
            say('nothing was struck, and it was sent more often than it is on record');
        }
      }
    },
  },
  {
    name: 'every message is signed for its account, and only notifications carry its password',
    check({ arrivals, deliveryOf, registrations }, complain) {
      for (const { id, body, timestamp, signature, authorization } of arrivals) {
        const row = deliveryOf.get(numberOf(id) ?? 0);
        const own = registrations.find(({ merchantId }) => merchantId === row?.merchantId);
        if (row === undefined || own === undefined) continue;
        const made = createHmac('sha256', own.secret).update(`${id}.${timestamp}.${body}`).digest('base64');
        if (!signature.split(' ').includes(`v1,${made}`)) complain(row.reference, `${id} is not signed`);
        if (authorization !== (row.kind === 'movement' ? own.authorization : null))
          complain(row.reference, `${id} came with ${authorization}`);
      }
    },
  },
];

export function firstTaken(arrivals: readonly Arrival[] = []): Arrival | undefined {
  return arrivals.find(isTaken);
}

/** Messages that came more often than once after they had been taken. */
export function countRepeated({ arrivalsOf }: NotifiedIndex): number {
  return [...arrivalsOf.values()].reduce(
    (sum, some) => sum + Math.max(0, some.filter(isTaken).length - 1),
    0,
  );
}
