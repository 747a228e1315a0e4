import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DayReport } from '../../src/reconciliation/reports/read-day-report.ts';
import { command } from '../merchants/merchants-door.ts';
import { type MatchingBench, openMatchingBench, payoutOf, type Sold } from './matching-bench.ts';

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const one = async (change: Parameters<MatchingBench['sell']>[0] = {}): Promise<Sold> =>
  (await bench.sell(change))[0] as Sold;

test('a file pays what was expected: matched by each rule, and nothing differs', async () => {
  const [a, b, c, d] = [await one(), await one({ tid: 'TID1' } as never), await one(), await one()];
  await bench.takeLines('2026-12-02', [
    payoutOf(a),
    payoutOf(b),
    payoutOf(c, { reference: 'pedido 42' }),
    payoutOf(d, { reference: '', nsu: '1' }),
  ]);
  const rules = await bench.auditor.query(
    'select transaction_id, rule, net::float8 as net from settlement_matches order by line_number',
  );
  assert.deepEqual(
    rules.map(({ transaction_id, rule, net }) => [transaction_id, rule, net]),
    [
      [a.transactionId, 'reference', 9_750],
      [b.transactionId, 'reference', 9_750],
      [c.transactionId, 'nsu', 9_750],
      [d.transactionId, 'authorization', 9_750],
    ],
  );
  assert.deepEqual(await bench.exceptions(), []);
  const filed = await bench.auditor.query(
    `select filed_fee::float8 as fee, filed_net::float8 as net, filed_bank_on::text as day from receivables where transaction_id = $1`,
    [a.transactionId],
  );
  assert.deepEqual(filed, [{ fee: 250, net: 9_750, day: '2026-12-02' }]);
});

test('each class is found alone', async () => {
  const [missing, amount, fee, day, twice, canceled, disputed] = [
    await one(),
    await one(),
    await one(),
    await one(),
    await one(),
    await one(),
    await one(),
  ] as [Sold, Sold, Sold, Sold, Sold, Sold, Sold];
  const disputedLine = {
    reference: disputed.transactionId.replaceAll('-', '').slice(-30),
    nsu: disputed.nsu,
  };
  await bench.takeLines('2026-12-04', [
    payoutOf(amount, { gross: 9_900, fee: 248 }),
    payoutOf(fee, { fee: 350 }),
    payoutOf(day, { bankOn: '2026-12-04' }),
    payoutOf(twice),
    payoutOf(twice),
    payoutOf(canceled),
    payoutOf(disputed),
    {
      type: 'CC',
      reference: canceled.transactionId.replaceAll('-', '').slice(-30),
      soldOn: canceled.soldOn,
      canceledOn: '2026-12-04',
      installmentNumber: 1,
      gross: 400,
    },
    {
      type: 'AJ',
      direction: 2,
      description: 'CHARGEBACK VISA',
      day: '2026-12-04',
      amount: 10_000,
      soldOn: disputed.soldOn,
      ...disputedLine,
    },
    payoutOf(
      { ...missing, transactionId: '00000000-0000-0000-0000-00000000dead' },
      {
        nsu: '42',
        authorizationCode: 'NOBODY',
      },
    ),
  ]);
  assert.deepEqual(await bench.exceptions(missing.transactionId), [['notInFile', 'open', 9_750]]);
  assert.deepEqual(await bench.exceptions(amount.transactionId), [['amountDiffers', 'open', 100]]);
  assert.deepEqual(await bench.exceptions(fee.transactionId), [['feeDiffers', 'open', 100]]);
  assert.deepEqual(await bench.exceptions(day.transactionId), [['dateDiffers', 'open', 9_750]]);
  assert.deepEqual(await bench.exceptions(twice.transactionId), [['duplicateInFile', 'open', -9_750]]);
  assert.deepEqual(await bench.exceptions(canceled.transactionId), [['cancellationUnknown', 'open', 400]]);
  assert.deepEqual(await bench.exceptions(disputed.transactionId), [
    ['chargebackUnknown', 'explained', 10_000],
  ]);
  const unmatched = await bench.auditor.query(
    `select class, state, found, amount::float8 as amount from reconciliation_exceptions where merchant_id = ''`,
  );
  assert.deepEqual(unmatched, [{ class: 'notInParcela', state: 'open', found: 'notFound', amount: -9_750 }]);
});

test('a later file heals what was missing, and one that comes twice changes nothing', async () => {
  const late = await one({ expectedOn: '2026-12-03' });
  await bench.takeLines('2026-12-05', []);
  await bench.takeLines('2026-12-06', [payoutOf(await one({ expectedOn: '2026-12-06' }))]);
  assert.deepEqual(await bench.exceptions(late.transactionId), [['notInFile', 'open', 9_750]]);
  await bench.takeLines('2026-12-07', [payoutOf(late)]);
  assert.deepEqual(await bench.exceptions(late.transactionId), [['notInFile', 'healed', 9_750]]);
});

test('what two sales fit is an exception, and never a guess', async () => {
  const [first] = await bench.sell({ authorizationCode: 'TWINS1', nsu: '55' });
  await bench.sell({ authorizationCode: 'TWINS1', nsu: '56' });
  await bench.takeLines('2026-12-08', [payoutOf(first as Sold, { reference: '', nsu: '99' })]);
  const [found] = await bench.auditor.query(
    `select found, state from reconciliation_exceptions where merchant_id = '' order by opened_at desc limit 1`,
  );
  assert.deepEqual(found, { found: 'ambiguous', state: 'open' });
});

test('a line whose sale comes later finds it, and its exception heals', async () => {
  const early = { ...(await one()), authorizationCode: 'LATER1', nsu: '4242' };
  await bench.takeLines('2026-12-09', [
    payoutOf(
      { ...early, transactionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2aff' },
      { bankOn: '2026-12-09', reference: 'PEDIDO-1' },
    ),
  ]);
  const unmatched = () =>
    bench.auditor.query(
      `select x.state, x.exception_id from reconciliation_exceptions x
       join settlement_entries e on e.file_number = x.file_number and e.line_number = x.line_number
       where e.nsu = '4242'`,
    );
  assert.deepEqual(
    (await unmatched()).map(({ state }) => state),
    ['open'],
  );
  const [sold] = await bench.sell({ authorizationCode: 'LATER1', nsu: '4242', expectedOn: '2026-12-09' });
  await bench.auditor.query('update reconciliation_exceptions set due_at = now() where due_at is not null');
  await bench.match();
  assert.deepEqual(
    (await unmatched()).map(({ state }) => state),
    ['healed'],
  );
  assert.deepEqual(await bench.exceptions((sold as Sold).transactionId), []);
});

test('a resolved exception is open again when a later file says something else', async () => {
  const sold = await one({ expectedOn: '2026-12-10' });
  await bench.takeLines('2026-12-10', [payoutOf(sold, { fee: 350 })]);
  await bench.auditor.query(
    `update reconciliation_exceptions set state = 'resolved', ended_at = now(), due_at = null, reason = 'known', resolved_by = 'ana'
     where transaction_id = $1`,
    [sold.transactionId],
  );
  await bench.takeLines('2026-12-11', []);
  assert.deepEqual(await bench.exceptions(sold.transactionId), [['feeDiffers', 'resolved', 100]]);
  await bench.takeLines('2026-12-10', [payoutOf(sold, { fee: 450 })], { isRepetition: true });
  assert.deepEqual(await bench.exceptions(sold.transactionId), [['feeDiffers', 'open', 200]]);
});

test('what the books took back because of a file that was replaced is an exception, until a file says it again', async () => {
  const day = '2026-12-20';
  const sold = await one({ expectedOn: day });
  const dispute = {
    type: 'AJ',
    direction: 2,
    description: 'CHARGEBACK VISA',
    day,
    amount: 10_000,
    soldOn: sold.soldOn,
    reference: sold.transactionId.replaceAll('-', '').slice(-30),
    nsu: sold.nsu,
  } as const;
  await bench.takeLines(day, [payoutOf(sold), dispute]);
  // The states have taken it, as the work of the acquirer's changes does.
  const applied = await bench.auditor.query(
    `update acquirer_changes set state = 'applied', ended_at = now(), due_at = null
     where reference = $1 and event = 'chargeback' returning change_id`,
    [sold.transactionId],
  );
  assert.equal(applied.length, 1);
  await bench.auditor.query(
    `update receivables set canceled = gross, installment_state = 'canceled' where transaction_id = $1`,
    [sold.transactionId],
  );
  await bench.takeLines(day, [payoutOf(sold)], { isRepetition: true });
  assert.deepEqual(await bench.exceptions(sold.transactionId), [['chargebackUnknown', 'open', -10_000]]);
  await bench.takeLines(day, [payoutOf(sold), dispute], { isRepetition: true });
  assert.deepEqual(await bench.exceptions(sold.transactionId), [['chargebackUnknown', 'healed', -10_000]]);
});

test('two processes match one file, and write everything once', async () => {
  const sold = await Promise.all(Array.from({ length: 30 }, () => one({ expectedOn: '2026-12-12' })));
  const path = await bench.file('both.txt', {
    day: '2026-12-12',
    sequence: 2_537,
    lines: sold.flatMap((each) => [payoutOf(each, { fee: 350 })]),
  });
  assert.equal((await bench.take(path)).kind, 'taken');
  await Promise.all([bench.match(), bench.match(), bench.match()]);
  const ids = sold.map(({ transactionId }) => transactionId);
  const [counted] = await bench.auditor.query(
    `select count(*)::int as count from settlement_matches where transaction_id = any ($1)`,
    [ids],
  );
  assert.equal(counted?.count, 30);
  const [open] = await bench.auditor.query(
    `select count(*)::int as count from reconciliation_exceptions where transaction_id = any ($1) and state = 'open'`,
    [ids],
  );
  assert.equal(open?.count, 30);
});

test('the sheet of a day names every cent, lines without a sale and adjustments too', async () => {
  const day = '2027-01-05';
  const [good, cheap, missing] = [
    await one({ expectedOn: day }),
    await one({ expectedOn: day }),
    await one({ expectedOn: day }),
  ];
  const nobody = { ...good, transactionId: '00000000-0000-0000-0000-00000000beef', nsu: '77' };
  await bench.takeLines(day, [
    payoutOf(good),
    payoutOf(cheap, { fee: 1_484 }),
    payoutOf(nobody, { authorizationCode: 'NOSALE', gross: 500, fee: 12 }),
    { type: 'AJ', direction: 2, description: 'ALUGUEL DE TERMINAL', day, amount: 3_000 },
  ]);
  await bench.takeLines('2027-01-08', [payoutOf(await one({ expectedOn: '2027-01-08' }))]);
  const { exitCode, printed } = await command(bench.pool, ['reconcile', 'report', '--day', day, '--json']);
  assert.equal(exitCode, 0, printed);
  const { expected, received, causes } = JSON.parse(printed) as DayReport;
  assert.deepEqual([expected, received], [29_250, 9_750 + 8_516 + 488 - 3_000]);
  assert.deepEqual(
    causes.map(({ cause, amount }) => [cause, amount]),
    [
      ['notInFile', 9_750],
      ['notInParcela', -488],
      ['feeDiffers', 1_234],
      ['adjustment', 3_000],
    ],
  );
  const text = await command(bench.pool, ['reconcile', 'report', '--day', day]);
  assert.match(text.printed, /12\.34 +1 +feeDiffers +the fee differs/);
  // Each difference names its exception.
  const known = await bench.auditor.query(
    `select class, exception_id from reconciliation_exceptions where day = $1::date and state = 'open'`,
    [day],
  );
  assert.equal(known.length, 3);
  for (const { class: name, exception_id } of known)
    assert.match(text.printed, new RegExp(`[\\d.]+ +${name} +${exception_id} `));
  assert.match(text.printed, new RegExp(`installment 1 of ${missing.transactionId}`));
});

test('a line under a code that no layout knows pays nothing: it is an exception that shows the code', async () => {
  const day = '2027-01-19';
  const sold = await one({ expectedOn: day });
  const dispute = { soldOn: sold.soldOn, reference: sold.transactionId.replaceAll('-', '').slice(-30) };
  await bench.takeLines(day, [
    payoutOf(sold, { entryType: 7 }),
    { type: 'AJ', direction: 2, description: 'NOVA TARIFA', day, amount: 300, ...dispute, nsu: sold.nsu },
  ]);
  await bench.auditor.query(
    'update reconciliation_exceptions set due_at = now() where due_at is not null and day = $1::date',
    [day],
  );
  await bench.match();
  const found = await bench.auditor.query(
    `select class, state, found, amount::int as amount, exception_id from reconciliation_exceptions where day = $1::date order by found`,
    [day],
  );
  assert.deepEqual(
    found.map((row) => [row.class, row.state, row.found, row.amount]),
    [
      ['unknownCode', 'open', '- NOVA TARIFA', 300],
      ['unknownCode', 'open', '7', -9_750],
    ],
  );
  const [paid] = await bench.auditor.query(
    'select count(*)::int as count from settlement_matches where transaction_id = $1',
    [sold.transactionId],
  );
  assert.equal(paid?.count, 0);
  const { printed } = await command(bench.pool, ['reconcile', 'report', '--day', day, '--json']);
  const { causes } = JSON.parse(printed) as DayReport;
  assert.deepEqual(
    causes.map(({ cause, amount }) => [cause, amount]),
    [
      ['unknownCode', -9_450],
      ['notYetFiled', 9_750],
    ],
  );
  const list = await command(bench.pool, ['reconcile', 'list', '--class', 'unknownCode']);
  assert.match(list.printed, /line 3 of file \d+: unknown code 7/);
  const shown = await command(bench.pool, ['reconcile', 'show', String(found[0]?.exception_id)]);
  assert.match(shown.printed, /found +unknown code - NOVA TARIFA/);
});

test('a line without a sale that a person resolved counts once when its file is sent anew', async () => {
  const day = '2027-01-12';
  const nobody = { ...(await one()), transactionId: '00000000-0000-0000-0000-00000000feed', nsu: '78' };
  const line = payoutOf(nobody, { authorizationCode: 'NOSALE', gross: 500, fee: 12, bankOn: day });
  await bench.takeLines(day, [line]);
  const resolved = await bench.auditor.query(
    `update reconciliation_exceptions set state = 'resolved', ended_at = now(), due_at = null, reason = 'known', resolved_by = 'ana'
     where day = $1::date and class = 'notInParcela' returning exception_id`,
    [day],
  );
  assert.equal(resolved.length, 1);
  await bench.takeLines(day, [line], { isRepetition: true });
  const { printed } = await command(bench.pool, ['reconcile', 'report', '--day', day, '--json']);
  const { received, causes } = JSON.parse(printed) as DayReport;
  assert.deepEqual([received, causes], [488, [{ cause: 'notInParcela', amount: -488, count: 1 }]]);
});

test('a line pays no charge of another acquirer’s adapter, whatever it names', async () => {
  const [own, bridged, ofCielo] = [await one(), await one(), await one()] as [Sold, Sold, Sold];
  const { auditor } = bench;
  for (const [name, adapter] of [
    ['cielo-um', 'cielo'],
    ['ponte', 'bridge'],
  ])
    await auditor.query(
      `insert into providers (kind, name, adapter, url, settings, created_by)
       values ('acquirer', $1, $2, 'https://x.example', '{}', 'tests')`,
      [name, adapter],
    );
  for (const [sold, acquirer] of [
    [bridged, 'ponte'],
    [ofCielo, 'cielo-um'],
  ] as const)
    await auditor.query(
      `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
         card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at,
         authorization_code, nsu, acquirer)
       values ('LOJA', $1, '1', 'payment', 'approved', 10000, 1, 'visa', '411111', '1111', '\\x00', 'tests', now(), now(),
         'A', 'N', $2)`,
      [sold.transactionId, acquirer],
    );
  const day = '2027-02-01';
  const lines = [payoutOf(own), payoutOf(bridged), payoutOf(ofCielo), payoutOf(ofCielo, { reference: '' })];
  await bench.takeLines(day, lines);
  const matched = await auditor.query(
    'select transaction_id from settlement_matches where transaction_id = any ($1)',
    [[own, bridged, ofCielo].map(({ transactionId }) => transactionId)],
  );
  assert.deepEqual(
    matched.map((row) => row.transaction_id).toSorted(),
    [own.transactionId, bridged.transactionId].toSorted(),
  );
});
