import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { statesOfStatus } from '../../src/payments/list/listed-status.ts';
import { declaredStatements } from '../../src/platform/postgres/database.ts';
import { readSourceTree } from '../architecture/source-tree.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';

/** For searches alone: the first and the last lead over all that a merchant has. */
const OF_SEARCH =
  /^(transactions_(under_way|by_(status|sale_day|reference|last_four|nsu|authorization_code|vault_card))|(pix_charges|boletos)_by_(state|reference)|pix_payments_by_nsu|transactions_returned_in_part|pix_payments_partly_returned|vault_cards_by_last_four)$/;
const SEARCHES =
  /^(payments\.(list|walk)_(of_reference|of_last_four|of_status|partly_returned|by_day|sorted)[_.]|transactions\.(count_sales|find_ids_of_reference)$|vault\.list_(all|of_last_four)_)/;
for (const path of readSourceTree().keys())
  if (/^src\/.*\.sql\.ts$/.test(path)) await import(`../../${path}`);
const STATEMENTS = declaredStatements().filter(({ text }) =>
  /\b(transactions|vault_cards|pix_charges|pix_payments|boletos)\b/.test(text),
);

const WAITED_FOR_BY_NO_PAYMENT = new Set([
  'transactions.sum_sales',
  'receivables.find_by_code',
  'truth.find_charges',
  'fees.find_sale_after',
  'customers.list_payments',
  'customers.find_newest_payments',
  'buyer_words.read_cards',
  'payments.find_of_amount',
]);

/** How the connections of payments, and those of searches, have their statements planned. */
const OF_PAYMENTS = 'set enable_seqscan = off; set enable_bitmapscan = off';
const OF_SEARCHES = 'set enable_seqscan = off; set enable_bitmapscan = on';

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await createTestDatabase({ migrated: true });
  client = new pg.Client(database.address);
  await client.connect();
  // A plan is to be made of what is not known, whatever is known a minute later.
  for (const table of [
    'transactions',
    'installments',
    'shares',
    'vault_cards',
    'pix_charges',
    'pix_payments',
    'boletos',
    'boleto_payments',
    'reconciliation_exceptions',
  ])
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
});
after(async () => {
  await client.end();
  await database.drop();
});

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
};

async function nodesOf(text: string): Promise<Node[]> {
  const { rows } = await client.query(`explain (generic_plan, costs off, format json) ${text}`);
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return all(rows[0]['QUERY PLAN'][0].Plan);
}

test('planned while nothing is there, no payment takes an index of searches', async () => {
  await client.query(OF_PAYMENTS);
  const others = STATEMENTS.filter(({ name }) => !SEARCHES.test(name) && !WAITED_FOR_BY_NO_PAYMENT.has(name));
  assert.ok(others.length > 30, 'the statements are found');
  for (const { name, text } of others)
    for (const node of await nodesOf(text)) assert.doesNotMatch(node['Index Name'] ?? '', OF_SEARCH, name);
});

/** What narrows a read of a merchant's rows to few. */
const NARROW =
  /\b(transaction_id|pix_id|boleto_id|nsu|our_number|txid|authorization_code|vault_id|reference_transaction|last_four) = |"right"\(end_to_end_id, 20\) = |\bpaid_at >= |\b(sold|requested)_at >= .*\b(sold|requested)_at < |ROW\((sold|requested)_at, (transaction|pix|boleto)_id\) [<>] .*\b(sold|requested)_at (<|>=) /;
/** All stored cards of a merchant: they are counted in their key alone. */
const WHOLE = /^vault\.list_all/;

test('planned while nothing is there, a payment is read with its cancels by its key', async () => {
  await client.query(OF_PAYMENTS);
  const [find] = STATEMENTS.filter(({ name }) => name === 'transactions.find_with_cancels');
  for (const node of await nodesOf(find?.text ?? ''))
    if (node['Relation Name'] !== undefined)
      assert.match(node['Index Cond'] ?? '', /\b(transaction|next_attempt)_id = /, JSON.stringify(node));
});

test('planned while nothing is there, approvals of a batch take their rows by key, one after another in order', async () => {
  await client.query(OF_PAYMENTS);
  const [approve] = STATEMENTS.filter(({ name }) => name === 'transactions.commit_outcomes_plain');
  const nodes = await nodesOf(approve?.text ?? '');
  const updated = nodes.findIndex((node) => node['Node Type'] === 'ModifyTable');
  const below = nodes.slice(updated + 1, updated + 6);
  assert.match(below.map((node) => node['Node Type']).join(), /^Nested Loop,(Subquery Scan,)?Sort,/);
  const taken = below.find((node) => node['Relation Name'] === 'transactions');
  assert.match(taken?.['Index Cond'] ?? '', /\btransaction_id = /, JSON.stringify(taken));
});

test('a list of what is Processando looks through no decided sale', async () => {
  await client.query(`${OF_SEARCHES}; set plan_cache_mode = force_custom_plan`);
  const [list] = STATEMENTS.filter(({ name }) => name === 'payments.list_by_day_down');
  const indexesOf = async (status: 'processing' | 'authorized') => {
    const { states, installmentStates, pixStates, boletoStates, shownAs } = statesOfStatus(status);
    const days = ['2026-04-25T03:00:00Z', '2026-07-27T03:00:00Z'];
    const values = ['LOJA', 20, 0, ...days, states, installmentStates, pixStates, boletoStates, shownAs];
    const { rows } = await client.query(`explain (costs off, format json) ${list?.text}`, values);
    return JSON.stringify(rows[0]['QUERY PLAN']).match(/transactions_by_sale_day|transactions_under_way/g);
  };
  assert.deepEqual([...new Set(await indexesOf('processing'))], ['transactions_under_way']);
  assert.ok((await indexesOf('authorized'))?.includes('transactions_by_sale_day'));
  await client.query('reset plan_cache_mode');
});

async function checkSearches(): Promise<void> {
  await client.query(OF_SEARCHES);
  const searches = STATEMENTS.filter(({ name }) => SEARCHES.test(name));
  assert.equal(searches.length, 42, searches.map(({ name }) => name).join());
  for (const { name, text } of searches) {
    const nodes = await nodesOf(text);
    const reads = nodes.filter(
      (node) => node['Relation Name'] !== undefined || node['Index Name'] !== undefined,
    );
    for (const node of reads) {
      const shown = `${name}: ${JSON.stringify({ ...node, Plans: undefined })}`;
      if (node['Node Type'] === 'Bitmap Heap Scan') continue;
      // However many there are of a merchant: few are under way at once. In an outage many are.
      if (node['Index Name'] === 'transactions_under_way') {
        if (name.includes('of_reference'))
          assert.match(node['Index Cond'] ?? '', /\(reference_transaction = /, shown);
        continue;
      }
      // Looked up by its key: which index that begins with the merchant has few is known once it is analyzed.
      if (node['Relation Name'] === 'reconciliation_exceptions') continue;
      assert.match(node['Node Type'], /^(Index|Index Only|Bitmap Index) Scan$/, shown);
      if (WHOLE.test(name) && node['Node Type'] === 'Index Only Scan') continue;
      assert.match(node['Index Cond'] ?? '', NARROW, shown);
    }
    if (name.startsWith('payments.') && name.includes('of_reference')) {
      const indexes = reads.map((node) => node['Index Name']).filter((index) => /_by_/.test(index ?? ''));
      assert.deepEqual(
        [...new Set(indexes)].sort(),
        ['boletos_by_reference', 'pix_charges_by_reference', 'transactions_by_reference'],
        name,
      );
    }
    const isReadOnce = name === 'transactions.count_sales' || name.includes('walk_by_day');
    if (!isReadOnce && !name.includes('list_by_day')) continue;
    const byDay = nodes.filter((node) => node['Index Name'] === 'transactions_by_sale_day');
    assert.deepEqual(
      byDay.map((node) => node['Node Type']),
      isReadOnce ? ['Index Only Scan'] : ['Index Only Scan', 'Index Only Scan'],
      `${name} counts and pages in its index alone`,
    );
  }
}

test(
  'planned while nothing is there, every search reads no more of a merchant than it asks for',
  checkSearches,
);

test('planned where many rows were never analyzed, every search reads no more of a merchant than it asks for', async () => {
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
       decided_at, response_code, vault_id)
     select 'loja', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '1', 'payment', 'declined', n, 1,
       'PEDIDO-' || n, 'visa', '411111', '1111', '\\x00', 'loja', timestamptz '2026-03-15' + n * interval '1 minute',
       now(), '51', gen_random_uuid()
     from generate_series(1, 5000) n`,
  );
  await checkSearches();
});
