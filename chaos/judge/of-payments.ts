import { type Entry, isAboutKey, paymentIdOf } from '../log.ts';
import { HANGS } from '../merchant-client.ts';
import { type BookInvariant, standingCharges, stateOfBooked } from './finding.ts';
import type { BookedCharge } from './ledger-view.ts';

export const PAYMENT_INVARIANTS: readonly BookInvariant[] = [
  {
    name: '200 means one live charge of exactly that amount',
    check(books, complain) {
      for (const entry of books.entries) {
        // What is captured later is judged by its captures.
        if (entry.status !== 200 || entry.isCapturedLater) continue;
        const live = standingCharges(books, entry.reference);
        const [charge] = live;
        if (live.length !== 1)
          complain(entry.reference, `answered 200, and there are ${live.length} live charges`);
        else if (charge !== undefined)
          compareAnswer(entry, charge, (text) => complain(entry.reference, text));
      }
    },
  },
  {
    name: 'an error answer means no live charge',
    check(books, complain) {
      for (const entry of books.entries) {
        const { status, reference } = entry;
        if (status === null || status === 200 || isAboutKey(entry)) continue;
        if (standingCharges(books, reference).length > 0)
          complain(reference, `answered ${status}, and a charge is live`);
      }
    },
  },
  {
    name: 'a lost connection means one live charge or none',
    check(books, complain) {
      for (const { status, reference } of books.entries) {
        if (status === null && standingCharges(books, reference).length > 1)
          complain(reference, 'two live charges');
      }
    },
  },
  {
    name: 'every request ends',
    check(books, complain) {
      const asked = [...books.entries, ...books.cancelEntries, ...books.captureEntries];
      for (const { lostBy, reference } of asked) {
        if (HANGS.includes(lostBy ?? '')) complain(reference, 'neither an answer nor an end came');
      }
    },
  },
  {
    name: 'an approved payment can be asked for at once',
    check(books, complain) {
      for (const { askedAfter, reference } of books.entries) {
        if (askedAfter !== null && askedAfter !== 'Autorizada')
          complain(reference, `asked, it is ${askedAfter}`);
      }
    },
  },
  {
    name: 'one cardSource pays once',
    check(books, complain) {
      const live = books.entries.filter(
        ({ cardSource, reference }) => cardSource !== null && standingCharges(books, reference).length > 0,
      );
      for (const [, entries] of Map.groupBy(live, (entry) => entry.cardSource)) {
        const [, second] = entries;
        if (second !== undefined)
          complain(second.reference, `its cardSource paid ${entries[0]?.reference} too`);
      }
    },
  },
  {
    name: 'no live charge at the acquirer without an approved transaction here',
    check(books, complain) {
      for (const charge of books.charges) {
        const row = books.transactionById.get(charge.paymentId);
        if (row === undefined)
          complain(charge.reference, `the acquirer has ${charge.paymentId}, which is unknown here`);
        else if (row.state !== stateOfBooked(charge.status))
          complain(charge.reference, `${charge.status} at the acquirer, ${row.state} here`);
      }
    },
  },
  {
    name: 'no approved transaction here without a live charge of its amount at the acquirer',
    check(books, complain) {
      for (const row of books.transactions) {
        if (row.state !== 'approved') continue;
        const charge = books.chargeById.get(row.transactionId);
        const isSame =
          charge !== undefined &&
          (charge.status === 'approved' || charge.status === 'canceled') &&
          charge.amount === row.amount &&
          charge.merchantId === row.merchantId &&
          charge.nsu === row.nsu &&
          charge.authorizationCode === row.authorizationCode;
        if (!isSame)
          complain(row.reference, 'approved here, and the charge at the acquirer is missing or another');
      }
    },
  },
  {
    name: 'the query by reference tells one or none, and the truth',
    check(books, complain) {
      for (const { askedByReference: reported, reference } of books.entries) {
        if (reported === null) continue;
        const standing = standingCharges(books, reference).length;
        const live = reported.filter(({ statusDescription }) => isLiveWord(statusDescription)).length;
        // A second one only where the first was surely not made, and another acquirer was asked.
        const rows = books.transactionsOf.get(reference) ?? [];
        if (reported.length !== rows.length || live !== standing)
          complain(reference, `asked, there were ${JSON.stringify(reported)}; ${standing} charges stand`);
      }
    },
  },
  {
    // Counted from when the client sent it: a process that slept before its intent has used up its own lease.
    name: 'nobody takes a charge from a living process before its lease ends',
    check(books, complain) {
      for (const { reference, sentAt } of books.entries) {
        for (const { isTakenOver, decidedAt } of books.transactionsOf.get(reference) ?? []) {
          if (!isTakenOver || decidedAt === null || decidedAt >= sentAt + books.shortestLeaseMilliseconds)
            continue;
          complain(reference, `taken over and decided ${decidedAt - sentAt} ms after it was sent`);
        }
      }
    },
  },
  {
    name: 'one request makes at most one transaction',
    check(books, complain) {
      for (const [reference, rows] of books.transactionsOf) {
        const sent = rows.filter(({ wasNeverSent }) => !wasNeverSent);
        if (sent.length > 1) complain(reference, `${sent.length} transactions`);
      }
    },
  },
];

/** The answer must be of this very charge: a batch whose answers were mixed up is found here. */
function compareAnswer(entry: Entry, charge: BookedCharge, complain: (text: string) => void): void {
  const reported = (entry.body as { paymentAuthorization: Record<string, unknown> }).paymentAuthorization;
  if (charge.amount !== entry.amount) complain(`asked for ${entry.amount}, charged ${charge.amount}`);
  if (reported.amount !== entry.amount || reported.installments !== entry.installments)
    complain(
      `answered with ${reported.amount} in ${reported.installments}, asked for ${entry.amount} in ${entry.installments}`,
    );
  if (charge.merchantId !== entry.merchantId) complain("charged as another merchant's");
  if (charge.paymentId !== paymentIdOf(entry)) complain('answered with the id of another payment');
  if (charge.nsu !== reported.nsu || charge.authorizationCode !== reported.authorizationCode)
    complain("answered with another charge's nsu or authorization code");
}

/** Whether the word of a payment says that its charge was not undone. */
export function isLiveWord(statusDescription: string): boolean {
  return ['Autorizada', 'Cancelada', 'Paga', 'Bloqueada'].includes(statusDescription);
}
