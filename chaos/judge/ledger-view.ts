import { type ChaosBench, shortestLeaseMilliseconds } from '../chaos-bench.ts';
import type { CancelEntry, CaptureEntry, Entry, EventEntry, StoreEntry } from '../log.ts';
import type { Till } from '../merchant-client.ts';

/** A transaction as our database has it. */
export type BookedTransaction = {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly state: string;
  readonly amount: number;
  /** What cancels took or hold. */
  readonly canceledAmount: number;
  readonly installmentCount: number;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly hasSplit: boolean;
  /** It was pre-authorized. */
  readonly isCapturedLater: boolean;
  /** Its process did not finish it in time, or at all: another one settled it. */
  readonly isTakenOver: boolean;
  /** It ended without a question to the acquirer, and its request may have come again with the same key. */
  readonly wasNeverSent: boolean;
  /** Milliseconds since the epoch. */
  readonly decidedAt: number | null;
};

/** One cancel as our database has it; one that was never sent to the acquirer is none. */
export type BookedCancel = {
  readonly cancelId: string;
  readonly reference: string;
  readonly transactionId: string;
  readonly state: string;
  readonly amount: number;
  readonly refusalReason: string | null;
  /** The acquirer decided it later. */
  readonly wasAccepted: boolean;
  /** The acquirer's no, as it was read. */
  readonly denial: string | null;
};

/** One capture as our database has it; one that was never sent to the acquirer is none. */
export type BookedCapture = {
  readonly captureId: string;
  readonly reference: string;
  readonly transactionId: string;
  readonly state: string;
  readonly amount: number;
};

/** What beneficiaries have of one installment, by position, and the installment itself. */
export type BookedPart = {
  readonly reference: string;
  readonly number: number;
  readonly amount: number;
  readonly canceledAmount: number;
  readonly shares: readonly BookedShare[];
};

export type BookedShare = {
  readonly position: number;
  readonly beneficiary: string;
  readonly amount: number;
  readonly canceled: number;
};

export type BookedCard = { readonly vaultId: string; readonly merchantId: string; readonly holder: string };

/** A charge as the acquirer has it. `reference` is the merchant's, `paymentId` ours. */
export type BookedCharge = {
  readonly merchantId: string;
  readonly reference: string;
  readonly paymentId: string;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly amount: number;
  readonly canceledAmount: number;
  readonly status: string;
};

/** What the clients wrote down, our database and the acquirer's ledger side by side. */
export type Books = {
  readonly entries: readonly Entry[];
  readonly cancelEntries: readonly CancelEntry[];
  readonly captureEntries: readonly CaptureEntry[];
  readonly storeEntries: readonly StoreEntry[];
  readonly eventEntries: readonly EventEntry[];
  readonly transactions: readonly BookedTransaction[];
  readonly charges: readonly BookedCharge[];
  readonly cancels: readonly BookedCancel[];
  readonly captures: readonly BookedCapture[];
  /** Of the payments that were divided. */
  readonly parts: readonly BookedPart[];
  readonly cards: readonly BookedCard[];
  /** Cancels that the spoiler refused in the acquirer's name. */
  readonly refusedCancels: ReadonlySet<string>;
  /** Noes to cancels that are scripted, as they are read: whatever is left. */
  readonly scriptedNos: ReadonlySet<string>;
  readonly shortestLeaseMilliseconds: number;
  readonly transactionsOf: ReadonlyMap<string, readonly BookedTransaction[]>;
  readonly transactionById: ReadonlyMap<string, BookedTransaction>;
  readonly chargesOf: ReadonlyMap<string, readonly BookedCharge[]>;
  readonly chargeById: ReadonlyMap<string, BookedCharge>;
};

/** Where the part of a ledger begins that was not read yet. */
export type LedgerPlace = { after: number };

/**
 * Reads the books of the rounds whose name begins so; an empty text reads all. The ledger is read from the
 * place on, which moves behind what was read: everything else was compared already.
 */
export async function readBooks(
  bench: ChaosBench,
  till: Till,
  rounds: string,
  place: LedgerPlace = { after: 0 },
): Promise<Books> {
  return booksWith(bench, till, rounds, await readLedger(bench, rounds, place));
}

/** The same where the charges stand in other ledgers. */
export async function booksWith(
  bench: ChaosBench,
  till: Till,
  rounds: string,
  charges: readonly BookedCharge[],
  scriptedNos: ReadonlySet<string> = new Set(),
): Promise<Books> {
  const [transactions, cancels, captures, parts, cards] = await Promise.all([
    readTransactions(bench, rounds),
    readCancels(bench, rounds),
    readCaptures(bench, rounds),
    readParts(bench, rounds),
    readCards(bench, till),
  ]);
  const isOfRounds = (entry: { readonly round: string }) => `${entry.round}.`.startsWith(rounds);
  return {
    entries: till.payments.filter(isOfRounds),
    cancelEntries: till.cancels.filter(isOfRounds),
    captureEntries: till.captures.filter(isOfRounds),
    storeEntries: till.stores.filter(isOfRounds),
    eventEntries: till.events.filter(isOfRounds),
    transactions,
    charges,
    cancels,
    captures,
    parts,
    cards,
    refusedCancels: bench.cancelSpoiler.refused,
    scriptedNos,
    shortestLeaseMilliseconds: shortestLeaseMilliseconds(bench),
    transactionsOf: Map.groupBy(transactions, (row) => row.reference),
    transactionById: new Map(transactions.map((row) => [row.transactionId, row])),
    chargesOf: Map.groupBy(charges, (charge) => charge.reference),
    chargeById: new Map(charges.map((charge) => [charge.paymentId, charge])),
  };
}

async function readTransactions(bench: ChaosBench, rounds: string): Promise<BookedTransaction[]> {
  const rows = await bench.query(
    `select transaction_id as "transactionId", merchant_id as "merchantId", reference_transaction as reference, state,
       amount::float8 as amount, canceled_amount::float8 as "canceledAmount", installment_count as "installmentCount",
       authorization_code as "authorizationCode", nsu, split is not null as "hasSplit",
       exists (select from preauthorizations p where p.merchant_id = transactions.merchant_id
         and p.transaction_id = transactions.transaction_id) as "isCapturedLater",
       unknown_reason is not distinct from 'the charging process did not finish' as "isTakenOver",
       state = 'voided' and fence = 0 as "wasNeverSent",
       (extract(epoch from decided_at) * 1000)::float8 as "decidedAt"
     from transactions where starts_with(reference_transaction, $1)`,
    [rounds],
  );
  return rows as unknown as BookedTransaction[];
}

async function readCancels(bench: ChaosBench, rounds: string): Promise<BookedCancel[]> {
  const rows = await bench.query(
    `select c.cancel_id as "cancelId", t.reference_transaction as reference, c.transaction_id as "transactionId", c.state,
       c.amount::float8 as amount, c.refusal_reason as "refusalReason", c.accepted_at is not null as "wasAccepted", c.denial
     from cancels c join transactions t using (merchant_id, transaction_id)
     where starts_with(t.reference_transaction, $1) and c.refusal_reason is distinct from 'notSent'`,
    [rounds],
  );
  return rows as unknown as BookedCancel[];
}

async function readCaptures(bench: ChaosBench, rounds: string): Promise<BookedCapture[]> {
  const rows = await bench.query(
    `select c.capture_id as "captureId", t.reference_transaction as reference, c.transaction_id as "transactionId", c.state,
       c.amount::float8 as amount
     from captures c join transactions t using (merchant_id, transaction_id)
     where starts_with(t.reference_transaction, $1) and c.refusal_reason is distinct from 'notSent'`,
    [rounds],
  );
  return rows as unknown as BookedCapture[];
}

async function readParts(bench: ChaosBench, rounds: string): Promise<BookedPart[]> {
  const rows = await bench.query(
    `select t.reference_transaction as reference, i.installment_number as number, i.amount::float8 as amount,
       i.canceled_amount::float8 as "canceledAmount",
       (select coalesce(json_agg(json_build_object('position', s.position, 'beneficiary', s.beneficiary,
          'amount', s.amount, 'canceled', s.canceled_amount) order by s.position), '[]')
        from shares s where s.merchant_id = i.merchant_id and s.transaction_id = i.transaction_id
          and s.installment_number = i.installment_number) as shares
     from transactions t join installments i using (merchant_id, transaction_id)
     where starts_with(t.reference_transaction, $1) and t.split is not null
     order by t.merchant_id, t.transaction_id, i.installment_number`,
    [rounds],
  );
  return rows as unknown as BookedPart[];
}

async function readCards(bench: ChaosBench, till: Till): Promise<BookedCard[]> {
  const rows = await bench.query(
    `select vault_id as "vaultId", merchant_id as "merchantId", holder_name as holder from vault_cards
     where holder_name = any ($1)`,
    [till.stores.map(({ holder }) => holder)],
  );
  return rows as unknown as BookedCard[];
}

const PAGE = 10_000;

type LedgerPage = { readonly items: BookedCharge[]; readonly next: number };

/**
 * A connection that nobody used for long may close at the very moment in which it is used again:
 * then once more.
 */
function readPage({ simulatorUrl }: ChaosBench, after: number): Promise<LedgerPage> {
  const read = async () => {
    const response = await fetch(`${simulatorUrl}/ledger/all?after=${after}&limit=${PAGE}`);
    return (await response.json()) as LedgerPage;
  };
  return read().catch(read);
}

/** Every charge behind the place, page by page. */
export async function* ledgerPages(bench: ChaosBench, place: LedgerPlace): AsyncGenerator<BookedCharge[]> {
  for (;;) {
    const page = await readPage(bench, place.after);
    if (page.items.length === 0) return;
    yield page.items;
    place.after = page.next;
  }
}

async function readLedger(bench: ChaosBench, rounds: string, place: LedgerPlace): Promise<BookedCharge[]> {
  const charges: BookedCharge[] = [];
  for await (const page of ledgerPages(bench, place)) {
    for (const charge of page) if (charge.reference.startsWith(rounds)) charges.push(charge);
  }
  return charges;
}

/** Everything that the three know about one reference, for a person. */
export async function threeViews(bench: ChaosBench, books: Books, reference: string): Promise<string> {
  const isOf = (entry: { readonly reference: string }) => entry.reference === reference;
  const hanging = [
    'installments',
    'movements',
    'card_source_locks',
    'cancels',
    'preauthorizations',
    'captures',
    'shares',
  ]
    .map(
      (table) => `(select json_agg(x) from ${table} x where x.merchant_id = t.merchant_id
        and x.transaction_id = t.transaction_id) as ${table}`,
    )
    .join(', ');
  const text = `select row_to_json(t) as transaction, ${hanging} from transactions t where reference_transaction = $1`;
  const rows = await bench.query(text, [reference]);
  return [
    `    client   ${JSON.stringify(books.entries.filter(isOf).map(shortened))}`,
    `    cancels  ${JSON.stringify(books.cancelEntries.filter(isOf).map(shortened))}`,
    `    captures ${JSON.stringify(books.captureEntries.filter(isOf))}`,
    `    changes  ${JSON.stringify(books.eventEntries.filter(isOf))}`,
    `    database ${JSON.stringify(rows)}`,
    `    acquirer ${JSON.stringify(books.chargesOf.get(reference) ?? [])}`,
  ].join('\n');
}

/** Of hundreds of repetitions the first and the last ones say enough. */
function shortened(entry: Entry | CancelEntry): object {
  const { tries } = entry;
  return tries.length > 8
    ? { ...entry, tries: [...tries.slice(0, 4), tries.length - 8, ...tries.slice(-4)] }
    : entry;
}
