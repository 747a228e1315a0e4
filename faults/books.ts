import type { FaultHouse } from './fault-house.ts';
import type { Entry } from './till.ts';

/** A transaction as our database has it, with what hangs on it. */
export type BookedTransaction = {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly state: string;
  readonly amount: number;
  readonly installmentCount: number;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  /** Its process did not finish it in time, or at all: another one settled it. */
  readonly isTakenOver: boolean;
  /** Milliseconds since the epoch. */
  readonly decidedAt: number | null;
};

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

/** The three books side by side. */
export type Books = {
  readonly entries: readonly Entry[];
  readonly transactions: readonly BookedTransaction[];
  readonly charges: readonly BookedCharge[];
  readonly transactionsOf: ReadonlyMap<string, readonly BookedTransaction[]>;
  readonly transactionById: ReadonlyMap<string, BookedTransaction>;
  readonly chargesOf: ReadonlyMap<string, readonly BookedCharge[]>;
  readonly chargeById: ReadonlyMap<string, BookedCharge>;
};

/** Reads the books of the rounds whose name begins so; an empty text reads all. */
export async function readBooks(
  house: FaultHouse,
  entries: readonly Entry[],
  rounds: string,
): Promise<Books> {
  const [transactions, charges] = await Promise.all([
    readTransactions(house, rounds),
    readLedger(house, rounds),
  ]);
  return {
    entries: entries.filter((entry) => entry.reference.startsWith(rounds)),
    transactions,
    charges,
    transactionsOf: Map.groupBy(transactions, (row) => row.reference),
    transactionById: new Map(transactions.map((row) => [row.transactionId, row])),
    chargesOf: Map.groupBy(charges, (charge) => charge.reference),
    chargeById: new Map(charges.map((charge) => [charge.paymentId, charge])),
  };
}

async function readTransactions(house: FaultHouse, rounds: string): Promise<BookedTransaction[]> {
  const rows = await house.query(
    `select transaction_id, merchant_id, reference_transaction, state, amount::float8 as amount, installment_count,
       authorization_code, nsu,
       unknown_reason is not distinct from 'the charging process did not finish' as is_taken_over,
       (extract(epoch from decided_at) * 1000)::float8 as decided_at
     from transactions where starts_with(reference_transaction, $1)`,
    [rounds],
  );
  return rows.map((row) => ({
    transactionId: row.transaction_id as string,
    merchantId: row.merchant_id as string,
    reference: row.reference_transaction as string,
    state: row.state as string,
    amount: row.amount as number,
    installmentCount: row.installment_count as number,
    authorizationCode: row.authorization_code as string | null,
    nsu: row.nsu as string | null,
    isTakenOver: row.is_taken_over as boolean,
    decidedAt: row.decided_at as number | null,
  }));
}

async function readLedger(house: FaultHouse, rounds: string): Promise<BookedCharge[]> {
  const charges: BookedCharge[] = [];
  for (let after = 0; ; ) {
    const response = await fetch(`${house.simulatorUrl}/ledger/all?after=${after}&limit=10000`);
    const page = (await response.json()) as { items: BookedCharge[]; next: number };
    if (page.items.length === 0) return charges;
    for (const charge of page.items) if (charge.reference.startsWith(rounds)) charges.push(charge);
    after = page.next;
  }
}

/** Everything that the three know about one reference, for a person. */
export async function threeViews(house: FaultHouse, books: Books, reference: string): Promise<string> {
  const entry = books.entries.find((candidate) => candidate.reference === reference);
  const rows = await house.query(
    `select row_to_json(t) as transaction,
       (select json_agg(i) from installments i where i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id)
         as installments,
       (select json_agg(m) from movements m where m.merchant_id = t.merchant_id and m.transaction_id = t.transaction_id)
         as movements,
       (select json_agg(c) from card_claims c where c.merchant_id = t.merchant_id and c.transaction_id = t.transaction_id)
         as claims
     from transactions t where reference_transaction = $1`,
    [reference],
  );
  return [
    `    client   ${JSON.stringify(entry ?? null)}`,
    `    database ${JSON.stringify(rows)}`,
    `    acquirer ${JSON.stringify(books.chargesOf.get(reference) ?? [])}`,
  ].join('\n');
}
