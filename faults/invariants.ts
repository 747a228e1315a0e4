import type { BookedCharge, Books } from './books.ts';
import { SHORTEST_LEASE_MILLISECONDS } from './fault-house.ts';
import { paymentIdOf } from './operations.ts';
import type { Entry } from './till.ts';

/** Something that must not be, with the merchant's reference under which the three books are looked up. */
export type Finding = { readonly invariant: string; readonly reference: string; readonly text: string };

type Complain = (reference: string, text: string) => void;

/** A promise about the three books together, looked at when nothing is under way any more. */
type BookInvariant = { readonly name: string; check(books: Books, complain: Complain): void };

function liveCharges(books: Books, reference: string): BookedCharge[] {
  return (books.chargesOf.get(reference) ?? []).filter((charge) => charge.status === 'approved');
}

const BOOK_INVARIANTS: readonly BookInvariant[] = [
  {
    name: '200 means one live charge of exactly that amount',
    check(books, complain) {
      for (const entry of books.entries) {
        if (entry.status !== 200) continue;
        const live = liveCharges(books, entry.reference);
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
      for (const { status, reference } of books.entries) {
        if (status === null || status === 200) continue;
        if (liveCharges(books, reference).length > 0)
          complain(reference, `answered ${status}, and a charge is live`);
      }
    },
  },
  {
    name: 'a lost connection means one live charge or none',
    check(books, complain) {
      for (const { status, reference } of books.entries) {
        if (status === null && liveCharges(books, reference).length > 1)
          complain(reference, 'two live charges');
      }
    },
  },
  {
    name: 'every request ends',
    check(books, complain) {
      for (const { lostBy, reference } of books.entries) {
        if (lostBy === 'TimeoutError') complain(reference, 'neither an answer nor an end came');
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
    name: 'one carrier pays once',
    check(books, complain) {
      const live = books.entries.filter((entry) => liveCharges(books, entry.reference).length > 0);
      for (const [, entries] of Map.groupBy(live, (entry) => entry.carrier)) {
        const [, second] = entries;
        if (second !== undefined) complain(second.reference, `its carrier paid ${entries[0]?.reference} too`);
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
        else if (row.state !== charge.status)
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
          charge?.status === 'approved' &&
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
    // Counted from when the client sent it: a process that slept before its intent has used up its own lease.
    name: 'nobody takes a charge from a living process before its lease ends',
    check(books, complain) {
      for (const { reference, sentAt } of books.entries) {
        for (const { isTakenOver, decidedAt } of books.transactionsOf.get(reference) ?? []) {
          if (!isTakenOver || decidedAt === null || decidedAt >= sentAt + SHORTEST_LEASE_MILLISECONDS)
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
        if (rows.length > 1) complain(reference, `${rows.length} transactions`);
      }
    },
  },
];

/** The answer must be of this very charge: a batch whose answers were mixed up is found here. */
function compareAnswer(entry: Entry, charge: BookedCharge, complain: (text: string) => void): void {
  const told = (entry.body as { paymentAuthorization: Record<string, unknown> }).paymentAuthorization;
  if (charge.amount !== entry.amount) complain(`asked for ${entry.amount}, charged ${charge.amount}`);
  if (charge.merchantId !== entry.merchantId) complain("charged as another merchant's");
  if (charge.paymentId !== paymentIdOf(entry)) complain('answered with the id of another payment');
  if (charge.nsu !== told.nsu || charge.authorizationCode !== told.authorizationCode)
    complain("answered with another charge's nsu or authorization code");
}

/** A promise that the database alone shows: the query gives the references for which it is broken. */
type DatabaseInvariant = { readonly name: string; readonly broken: string };

export const DATABASE_INVARIANTS: readonly DatabaseInvariant[] = [
  {
    name: 'nothing unknown remains',
    broken: `select reference_transaction, state || ' since ' || created_at as told
      from transactions where decided_at is null`,
  },
  {
    name: 'installments sum to the amount, and only an approval has them',
    broken: `select t.reference_transaction, t.state || ', installments of ' || coalesce(sum(i.amount), 0) as told
      from transactions t left join installments i
        on i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id
      group by t.merchant_id, t.transaction_id
      having coalesce(sum(i.amount), 0) <> case when t.state = 'approved' then t.amount else 0 end
        or count(i.amount) <> case when t.state = 'approved' then t.installment_count else 0 end`,
  },
  {
    name: 'no movement without its change, and no change without its movement',
    broken: `with told as (
        select merchant_id, transaction_id, installment_number, count(*) as moves,
          count(*) filter (where old_state is null) as firsts,
          (array_agg(new_state order by movement_id desc))[1] as last_state,
          bool_and(exists (select 1 from transactions t where t.merchant_id = m.merchant_id
            and t.transaction_id = m.transaction_id and t.nsu = m.nsu
            and t.authorization_code = m.authorization_code)) as is_same
        from movements m group by 1, 2, 3
      )
      select t.reference_transaction, 'installment ' || i.installment_number || ' has ' || coalesce(moves, 0)
        || ' movements' as told
      from installments i join transactions t using (merchant_id, transaction_id)
      left join told using (merchant_id, transaction_id, installment_number)
      where coalesce(firsts, 0) <> 1 or last_state <> i.state or not is_same`,
  },
  {
    // Claims of carriers that have expired are forgotten; nothing as young as this has.
    name: 'the carrier of an approval stays in use, and that of a charge that failed is free',
    broken: `select reference_transaction, state || case when c.transaction_id is null then ', free' else ', in use' end
        as told
      from transactions t left join card_claims c using (merchant_id, carrier_hash, transaction_id)
      where t.carrier_hash is not null and (state = 'approved') <> (c.transaction_id is not null)
        and t.created_at > now() - interval '5 minutes'`,
  },
];

export function checkBooks(books: Books): Finding[] {
  const findings: Finding[] = [];
  for (const { name, check } of BOOK_INVARIANTS) {
    check(books, (reference, text) => findings.push({ invariant: name, reference, text }));
  }
  return findings;
}
