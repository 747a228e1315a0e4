import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import type { Day } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { assertMessageDescribed, call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { adiqText } from './adiq-file.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';

let service: ReconciledService;
let listener: Listener;
let folder: string;
let soldOn: string;
let plain: Sold;
let spoiled: Sold;

/** The day on which an installment of a sale is paid. */
const paidOn = (day: string, number: number) => businessDayFrom(daysAfter(day, 30 * number) as Day);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-day-files-'));
  service = await openReconciledService({ PARCELA_FEES: 'mastercard:1-12=2.50@30/30' });
  listener = await startListener(() => 200);
  await service.chargeFees(250);
  soldOn = await service.today();
  plain = await service.sell(30_000, 3);
  const registered = await call(
    service.integrationUrl,
    `/api/reconciliation/notifier?accountNumber=${service.accountNumber}`,
    { token: service.integrationToken, body: { callbackUrl: `${listener.url}/conciliacao` } },
  );
  assert.equal(registered.status, 200, registered.text);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 7 });
  spoiled = await service.sell(60_000, 3);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 110 });
  await until('all of it is expected', async () => {
    const [row] = await service.auditor.query(
      `select count(*)::int as count from receivables where installment_state = 'paid'`,
    );
    return row?.count === 6;
  });
});
after(async () => {
  await service?.close();
  await listener?.close();
  await rm(folder, { recursive: true, force: true });
});

async function importDay(format: string, day: string, more = ''): Promise<Record<string, unknown>> {
  const path = `/homologation/acquirer/files?format=${format}&day=${day}${more}`;
  const reply = await call(service.gatewayUrl, path, { token: service.token });
  assert.equal(reply.status, 200, reply.text);
  const file = join(folder, `${format}-${day}${more.replaceAll(/\W/g, '')}.txt`);
  await writeFile(file, reply.text, 'latin1');
  const { exitCode, printed, errors } = await service.parcela('reconcile', 'import', file, '--json');
  assert.equal(exitCode, 0, errors + printed);
  return (JSON.parse(printed) as { files: Record<string, unknown>[] }).files[0] as Record<string, unknown>;
}

type Shown = { class: string; state: string; amount: number; installmentNumber: number; exceptionId: string };

async function exceptionsOf({ paymentId }: Sold, query: Record<string, string> = {}): Promise<Shown[]> {
  const reply = await service.ask('/api/reconciliation/exceptions', {
    accountNumber: service.accountNumber,
    from: daysAfter(soldOn, 30),
    to: daysAfter(soldOn, 120),
    ...query,
  });
  assert.equal(reply.status, 200, reply.text);
  return (reply.body.items as (Shown & { transactionId: string })[]).filter(
    ({ transactionId }) => transactionId === paymentId,
  );
}

async function report(day: string): Promise<Record<string, unknown>> {
  const { exitCode, printed, errors } = await service.parcela('reconcile', 'report', '--day', day, '--json');
  assert.equal(exitCode, 0, errors);
  return JSON.parse(printed) as Record<string, unknown>;
}

test('files of each format pay what was expected, and nothing differs', async () => {
  assert.deepEqual((await report(paidOn(soldOn, 1))).causes, [
    { cause: 'notYetFiled', amount: 9_750, count: 1 },
  ]);
  assert.equal((await importDay('adiq', paidOn(soldOn, 1))).result, 'taken');
  assert.equal((await importDay('adiq', paidOn(soldOn, 1))).result, 'known');
  await importDay('cielo03', soldOn);
  await importDay('cielo04', paidOn(soldOn, 2));
  await importDay('redeEevc', soldOn);
  await importDay('redeEefi', paidOn(soldOn, 3));
  const rows = await service.auditor.query(
    `select installment_number, kind, rule from settlement_matches where transaction_id = $1 and kind = 'payout'
     order by installment_number`,
    [plain.paymentId],
  );
  assert.deepEqual(
    rows.map(({ installment_number, rule }) => [installment_number, rule]),
    [
      [1, 'reference'],
      [2, 'reference'],
      [3, 'batch'],
    ],
  );
  assert.deepEqual(await exceptionsOf(plain), []);
  for (const number of [1, 2, 3]) {
    const { expected, received, causes } = await report(paidOn(soldOn, number));
    assert.deepEqual([expected, received, causes], [9_750, 9_750, []], `installment ${number}`);
  }
});

test('another fee is found, notified and resolved by a person, with a reason in the audit log', async () => {
  const sold = daysAfter(soldOn, 7);
  const day = paidOn(sold, 1);
  await importDay('adiq', day, '&fault=anotherFee');
  const [found, ...others] = await exceptionsOf(spoiled, { class: 'feeDiffers' });
  assert.deepEqual(others, []);
  assert.deepEqual([found?.class, found?.state, found?.amount], ['feeDiffers', 'open', 100]);
  const { body } = await until('it was notified', async () =>
    listener.received.find((one) => one.body.includes('feeDiffers')),
  );
  const message = JSON.parse(body) as Record<string, unknown>;
  assertMessageDescribed('reconciliationException', message);
  assert.deepEqual(
    [message.event, message.class, message.amount, message.exceptionId],
    ['opened', 'feeDiffers', 100, found?.exceptionId],
  );
  const { expected, received, causes } = await report(day);
  assert.deepEqual([expected, received], [19_500, 19_400]);
  assert.deepEqual(causes, [{ cause: 'feeDiffers', amount: 100, count: 1 }]);

  const id = found?.exceptionId ?? '';
  const shown = await service.parcela('reconcile', 'show', id);
  assert.match(shown.printed, /feeDiffers of 1\.00: open/);
  const listed = await service.parcela('reconcile', 'list', '--class', 'feeDiffers');
  assert.match(listed.printed, new RegExp(id));
  const resolved = await service.parcela('reconcile', 'resolve', id, '--reason', 'refunded, ticket 4711');
  assert.equal(resolved.exitCode, 0, resolved.errors);
  assert.equal((await service.parcela('reconcile', 'resolve', id, '--reason', 'again')).exitCode, 1);
  const audited = await service.parcela('audit', 'list', '--action', 'reconciliation.resolve', '--json');
  assert.match(audited.printed, /ticket 4711/);
  assert.equal((await exceptionsOf(spoiled, { class: 'feeDiffers' }))[0]?.state, 'resolved');
});

test('a row that is missing is missed once a later file covers its day, and heals when it comes', async () => {
  const sold = daysAfter(soldOn, 7);
  await importDay('cielo04', paidOn(sold, 2), '&fault=rowMissing');
  assert.deepEqual(await exceptionsOf(spoiled, { class: 'notInFile' }), []);
  // The files of its day and of the days of grace; those between them and the last are missing.
  for (const days of [1, 2]) await importDay('cielo04', daysAfter(paidOn(sold, 2), days));
  await importDay('cielo04', paidOn(sold, 3));
  const missing = await until('it is missed', async () => {
    const [one] = await exceptionsOf(spoiled, { class: 'notInFile' });
    return one;
  });
  assert.deepEqual([missing.state, missing.installmentNumber, missing.amount], ['open', 2, 19_500]);
  assert.deepEqual((await report(paidOn(sold, 2))).causes, [
    { cause: 'notInFile', amount: 19_500, count: 1 },
  ]);
  await importDay('adiq', paidOn(sold, 2));
  assert.equal((await exceptionsOf(spoiled, { class: 'notInFile' }))[0]?.state, 'healed');
  await until('its end was notified', async () =>
    listener.received.some(({ body }) => body.includes('"healed"') && body.includes('notInFile')),
  );
});

test('a broken file is refused with its line, and metrics count what is open', async () => {
  const day = paidOn(soldOn, 2);
  const path = `/homologation/acquirer/files?format=adiq&day=${day}&fault=brokenTrailer`;
  const reply = await call(service.gatewayUrl, path, { token: service.token });
  const file = join(folder, 'broken.txt');
  await writeFile(file, reply.text, 'latin1');
  const { exitCode, printed } = await service.parcela('reconcile', 'import', file);
  assert.equal(exitCode, 1);
  assert.match(printed, /refused, and nothing of it was taken\.\n {2}line \d+, record/);
  await until('the metrics count the files', async () => {
    const text = await (await fetch(service.metricsUrl)).text();
    return (
      /parcela_settlement_files\{format="adiq"\} 3/.test(text) &&
      text.includes('parcela_reconciliation_exceptions{')
    );
  });
});

test('a chargeback that only the file knows takes the installment back through the states', async () => {
  const before = await service.auditor.query(
    `select count(*)::int as count from acquirer_changes where source = 'file' and state = 'applied'`,
  );
  assert.deepEqual(before, [{ count: 0 }]);
  const sold = daysAfter(soldOn, 7);
  await importDay('cielo04', paidOn(sold, 1), '&fault=unknownChargeback');
  const [change] = await until('the change is applied', async () => {
    const rows = await service.auditor.query(
      `select reference, installment_number, state from acquirer_changes where source = 'file' and state <> 'waiting'`,
    );
    return rows.length > 0 && rows;
  });
  assert.equal(change?.state, 'applied');
  const paymentId = change?.reference as string;
  const [taken] = await service.auditor.query(
    'select state, canceled_amount::int as canceled from installments where transaction_id = $1 and installment_number = $2',
    [paymentId, change?.installment_number],
  );
  assert.ok((taken?.canceled as number) > 0, JSON.stringify(taken));
  await until('the books have caught up', async () => {
    // It is looked at a minute later where the look came before the books.
    await service.auditor.query(
      'update reconciliation_exceptions set due_at = now() where due_at > now() and transaction_id = $1',
      [paymentId],
    );
    const rows = await service.auditor.query(
      `select state from reconciliation_exceptions where transaction_id = $1 and class = 'chargebackUnknown'`,
      [paymentId],
    );
    return rows.length > 0 && rows.every(({ state }) => state === 'healed');
  });
});

test('a chargeback that a file has twice is taken once, and what is too much is shown on its day', async () => {
  const sold = await service.sell(10_000, 1);
  const day = await service.today();
  const line = {
    type: 'AJ',
    direction: 2,
    description: 'CHARGEBACK',
    day,
    amount: 10_000,
    reference: sold.paymentId.replaceAll('-', '').slice(-30),
    nsu: sold.nsu,
    soldOn: day,
    installmentNumber: 0,
  } as const;
  const file = join(folder, 'twice.txt');
  await writeFile(
    file,
    adiqText({ day, sequence: 999_998, establishment: '77', lines: [line, line] }),
    'latin1',
  );
  const { exitCode, errors } = await service.parcela('reconcile', 'import', file);
  assert.equal(exitCode, 0, errors);
  await until('it is taken back', async () => {
    const [row] = await service.auditor.query(
      'select canceled::int as canceled from receivables where transaction_id = $1',
      [sold.paymentId],
    );
    return row?.canceled === 10_000;
  });
  const { received, causes } = await report(day);
  assert.deepEqual([received, causes], [-10_000, [{ cause: 'chargebackUnknown', amount: 10_000, count: 1 }]]);
  await until('only what is too much is left, and nothing explains it', async () => {
    // As above: what is on its way is looked at a minute later.
    await service.auditor.query(
      'update reconciliation_exceptions set due_at = now() where due_at > now() and transaction_id = $1',
      [sold.paymentId],
    );
    const [one] = await exceptionsOf(sold, { from: daysAfter(day, -1), to: daysAfter(day, 60) });
    return one?.class === 'chargebackUnknown' && one.amount === 10_000 && one.state === 'open';
  });
});

test('a payout that only a file knows settles an installment, and one of a canceled sale changes nothing', async () => {
  const [open, canceled] = [await service.sell(10_000, 1), await service.sell(10_000, 1)];
  const done = await call(service.gatewayUrl, `/v1/payments/${canceled.paymentId}/cancel`, {
    token: service.token,
    body: {},
  });
  assert.equal(done.status, 200, done.text);
  const day = await service.today();
  await until('both are expected', async () => {
    const rows = await service.auditor.query(
      'select installment_state as state from receivables where transaction_id = any ($1)',
      [[open.paymentId, canceled.paymentId]],
    );
    return rows.length === 2 && rows.some(({ state }) => state === 'canceled');
  });
  const lineOf = ({ paymentId, nsu }: Sold) =>
    ({
      type: 'CV',
      entryType: 1,
      reference: paymentId.replaceAll('-', '').slice(-30),
      nsu,
      soldOn: day,
      bankOn: day,
      installmentNumber: 1,
      installmentCount: 1,
      gross: 10_000,
      fee: 250,
    }) as const;
  const file = join(folder, 'early.txt');
  const lines = [lineOf(open), lineOf(canceled)];
  await writeFile(file, adiqText({ day, sequence: 999_999, establishment: '77', lines }), 'latin1');
  const { exitCode, errors } = await service.parcela('reconcile', 'import', file);
  assert.equal(exitCode, 0, errors);
  const stateOf = async ({ paymentId }: Sold) =>
    (await service.auditor.query('select state from installments where transaction_id = $1', [paymentId]))[0]
      ?.state;
  await until('it is paid', async () => (await stateOf(open)) === 'paid');
  assert.equal(await stateOf(canceled), 'canceled');
  const found = await exceptionsOf(open, { from: daysAfter(day, -1), to: daysAfter(day, 60) });
  assert.deepEqual(
    found.map((each) => each.class),
    ['dateDiffers'],
  );
});
