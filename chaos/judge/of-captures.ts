import type { CaptureEntry, Entry } from '../log.ts';
import type { BookInvariant } from './finding.ts';
import type { BookedCapture, Books } from './ledger-view.ts';

/** The charge of a payment that is captured later may stand, wait, or have been let go again. */
const AUTHORIZED: readonly string[] = ['preauthorized', 'approved', 'canceled', 'undone'];

export const CAPTURE_INVARIANTS: readonly BookInvariant[] = [
  {
    name: 'an authorization answered 200 holds that amount, and an error answer holds nothing',
    check(books, complain) {
      for (const entry of books.entries.filter(({ isCapturedLater }) => isCapturedLater)) {
        const fault = faultOfAuthorization(books, entry);
        if (fault !== null) complain(entry.reference, fault);
      }
    },
  },
  {
    name: 'what the acquirer captured is what is charged here, and nothing else is',
    check(books, complain) {
      const capturesOf = Map.groupBy(books.captures, ({ transactionId }) => transactionId);
      for (const { transactionId, reference, state, amount, isCapturedLater } of books.transactions) {
        if (!isCapturedLater) continue;
        const charge = books.chargeById.get(transactionId);
        const captured = (capturesOf.get(transactionId) ?? []).filter((one) => one.state === 'captured');
        const isCharged = state === 'approved';
        const isCapturedThere = charge?.status === 'approved' || charge?.status === 'canceled';
        if (isCharged !== isCapturedThere) complain(reference, `${state} here, ${charge?.status} there`);
        if (captured.length !== (isCharged ? 1 : 0))
          complain(reference, `${state}, and ${captured.length} captures of it are done`);
        if (isCharged && (captured[0]?.amount !== amount || charge?.amount !== amount))
          complain(reference, `${amount} here, captured ${captured[0]?.amount}, ${charge?.amount} there`);
      }
    },
  },
  {
    name: 'every capture ends',
    check(books, complain) {
      for (const { reference, captureId, state } of books.captures) {
        if (state !== 'captured' && state !== 'refused') complain(reference, `${captureId} is ${state}`);
      }
    },
  },
  {
    name: 'a capture answered 200 charged exactly that amount, and an answer of no charged nothing',
    check(books, complain) {
      const entriesOf = Map.groupBy(books.captureEntries, ({ reference }) => reference);
      const capturesOf = Map.groupBy(books.captures, ({ reference }) => reference);
      for (const [reference, entries] of entriesOf) {
        const done = (capturesOf.get(reference) ?? []).find(({ state }) => state === 'captured');
        for (const entry of entries) {
          const fault = faultOfAnswer(entry, done);
          if (fault !== null) complain(reference, fault);
        }
        // A 409 says that this request charged nothing: then another one did.
        if (done !== undefined && entries.every((entry) => !mayHaveDone(entry, done)))
          complain(reference, `${done.amount} is captured, and no request asked for it`);
      }
    },
  },
];

function faultOfAuthorization(books: Books, { reference, amount, status, body }: Entry): string | null {
  const charges = books.chargesOf.get(reference) ?? [];
  const held = charges.filter((charge) => charge.status !== 'declined' && charge.status !== 'undone');
  if (status === null) return held.length > 1 ? 'it is held twice' : null;
  if (status !== 200) return held.length > 0 ? `answered ${status}, and it is held` : null;
  const answered = (body as { paymentAuthorization: { paymentId: string; amount: number } })
    .paymentAuthorization;
  const charge = charges.find(({ paymentId }) => paymentId === answered.paymentId);
  if (charge === undefined || !AUTHORIZED.includes(charge.status)) return 'answered 200, and not authorized';
  if (answered.amount !== amount) return `asked for ${amount}, answered ${answered.amount}`;
  return held.length > 1 ? 'it is held twice' : null;
}

function faultOfAnswer(entry: CaptureEntry, done: BookedCapture | undefined): string | null {
  if (entry.status !== 200) return null;
  const { captureAuthorization: answered } = entry.body as {
    captureAuthorization: { amount: number; paymentId: string };
  };
  if (answered.paymentId !== entry.paymentId) return 'answered for another payment';
  if (entry.amount !== null && answered.amount !== entry.amount)
    return `asked for ${entry.amount}, answered ${answered.amount}`;
  return answered.amount === done?.amount
    ? null
    : `answered ${answered.amount}, captured ${done?.amount ?? 'nothing'}`;
}

function mayHaveDone({ status, amount }: CaptureEntry, done: BookedCapture): boolean {
  const isDoubtful = status === null || status === 500;
  return status === 200 || (isDoubtful && (amount === null || amount === done.amount));
}
