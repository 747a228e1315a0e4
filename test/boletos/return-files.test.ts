import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { runParcela } from '../audit/audit-service.ts';
import { signedIn, wordsOf } from '../console/visitor.ts';
import { call, logIn } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import {
  type BoletoShop,
  boletoRequest,
  cancel,
  exceptionsOf,
  force,
  inDays,
  issue,
  openBoletoShop,
  read,
  today,
  untilStatus,
} from './boleto-service.ts';
import { fileOf, numberAtBank, type Pair } from './return-lines.ts';

let shop: BoletoShop;
before(async () => {
  shop = await openBoletoShop();
});
after(() => shop.service.close());

async function issued(value: number): Promise<{ readonly id: string; readonly ourNumber: string }> {
  const reply = await issue(shop, { value });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** `DDMMYYYY`, as the files have it. */
const TODAY = today().split('-').reverse().join('');
const DUE = inDays(10).split('-').reverse().join('');

let files = 0;

/** Runs the operator's command on a file of these lines. */
async function importLines(lines: readonly string[]) {
  files += 1;
  const path = join(shop.service.folder, `retorno-${files}.ret`);
  await writeFile(path, lines.map((text) => `${text}\r\n`).join(''), 'latin1');
  const words = ['boletos', 'import', path, '--json'];
  const { exitCode, printed, errors } = await runParcela(shop.service.database, shop.service.folder, words);
  return { exitCode, errors, taken: printed === '' ? null : JSON.parse(printed) };
}

const importPairs = (...pairs: readonly Pair[]) => importLines(fileOf(...pairs));

const paid = (ourNumber: string, amount: number): Pair => ({
  companyUse: ourNumber,
  value: amount,
  dueOn: DUE,
  paid: amount,
  fee: 150,
  happenedOn: TODAY,
  creditedOn: TODAY,
});

async function paymentsOf(boletoId: string) {
  return shop.service.auditor.query(
    'select amount::int, fee::int, paid_on::text, surprise from boleto_payments where boleto_id = $1 order by created_at',
    [boletoId],
  );
}

const noneWaits = () =>
  until('no change waits', async () => {
    const [row] = await shop.service.auditor.query(
      "select count(*)::int as count from bank_changes where state = 'waiting'",
    );
    return row?.count === 0;
  });

test('a payment of a file pays the boleto, once, however often the file is taken', async () => {
  const { id, ourNumber } = await issued(123.45);
  const first = await importPairs(paid(ourNumber, 12_345));
  assert.equal(first.exitCode, 0, first.errors);
  assert.deepEqual([first.taken.ours, first.taken.taken, first.taken.foreign], [1, 1, 0]);
  const reply = await untilStatus(shop, id, STATUS_BILL.paid);
  assert.equal(reply.body.effectivePaymentValue, 123.45);
  assert.equal(reply.body.effectivePaymentDate, today());
  const again = await importPairs(paid(ourNumber, 12_345));
  assert.deepEqual([again.exitCode, again.taken.ours, again.taken.taken], [0, 1, 0]);
  assert.deepEqual([first.taken.known, again.taken.known, again.taken.told], [[], [ourNumber], []]);
  await noneWaits();
  assert.deepEqual(await paymentsOf(id), [{ amount: 12_345, fee: 150, paid_on: today(), surprise: null }]);
  const [entry] = await shop.service.auditor.query(
    "select resource, detail from audit_entries where action = 'returnFile.import' order by entry_number limit 1",
  );
  assert.match(String(entry?.resource), /^banks\/237\/files\/retorno-\d+\.ret$/);
  assert.match(String(entry?.detail), /"ours":1,"taken":1/);
});

test('a movement that the bank may mean anything by pays nothing, and is an exception with its code and amount', async () => {
  const { id, ourNumber } = await issued(88);
  const stranger = paid('99999999999', 1_234);
  const first = await importPairs(
    { ...paid(ourNumber, 8_800), movement: '44' },
    { ...stranger, movement: '44' },
  );
  assert.equal(first.exitCode, 0, first.errors);
  assert.deepEqual(first.taken.unknown, [{ lineNumber: 3, movement: '44', ourNumber, paid: 8_800 }]);
  await importPairs({ ...paid(ourNumber, 8_800), movement: '44' });
  const found = await shop.service.auditor.query(
    "select state, amount::int, found, day::text from reconciliation_exceptions where class = 'unknownCode'",
  );
  assert.deepEqual(found, [{ state: 'open', amount: -8_800, found: `44 237/${ourNumber}`, day: today() }]);
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
  assert.deepEqual(await paymentsOf(id), []);
});

test('a payment that feed and file both report is one, whichever reports it first', async () => {
  const fed = await issued(50);
  await force(shop, fed.id, { type: 'paid', amount: 5_000 });
  await untilStatus(shop, fed.id, STATUS_BILL.paid);
  const known = await importPairs(paid(fed.ourNumber, 5_000));
  assert.deepEqual([known.taken.ours, known.taken.taken], [1, 1]);

  const filed = await issued(60);
  await importPairs(paid(filed.ourNumber, 6_000));
  await untilStatus(shop, filed.id, STATUS_BILL.paid);
  await force(shop, filed.id, { type: 'paid', amount: 6_000 });
  await noneWaits();
  assert.equal((await paymentsOf(fed.id)).length, 1);
  assert.equal((await paymentsOf(filed.id)).length, 1);
});

test('a second payment is one, whoever reports it, and is recorded beside the first', async () => {
  const { id, ourNumber } = await issued(70);
  await importPairs(paid(ourNumber, 7_000), paid(ourNumber, 7_000));
  await untilStatus(shop, id, STATUS_BILL.paid);
  for (const amount of [7_000, 7_000, 7_100]) await force(shop, id, { type: 'paid', amount });
  await noneWaits();
  assert.deepEqual(
    (await paymentsOf(id)).map(({ amount, surprise }) => [amount, surprise]),
    [
      [7_000, null],
      [7_000, 'paidAgain'],
      [7_100, 'paidAgain'],
    ],
  );
});

test('a payment that the feed brings twice under one id is one', async () => {
  const { id } = await issued(20.26);
  await force(shop, id, { type: 'paid', amount: 2_026 });
  await untilStatus(shop, id, STATUS_BILL.paid);
  await force(shop, id, { type: 'paid', amount: 2_100 });
  await until('the payment after it came', async () => (await paymentsOf(id)).length > 1);
  await noneWaits();
  assert.deepEqual(
    (await paymentsOf(id)).map(({ amount, surprise }) => [amount, surprise]),
    [
      [2_026, null],
      [2_100, 'paidAgain'],
    ],
  );
});

/** The bank's next file: another number of the same day. */
let sequence = 217;
function importLater(...pairs: readonly Pair[]) {
  sequence += 1;
  const [head = '', ...rest] = fileOf(...pairs);
  return importLines([
    `${head.slice(0, 157)}${String(sequence).padStart(6, '0')}${head.slice(163)}`,
    ...rest,
  ]);
}

test('an equal payment that a later file reports is recorded as what it is, for a person to look at', async () => {
  const { id, ourNumber } = await issued(75);
  await importPairs(paid(ourNumber, 7_500));
  await untilStatus(shop, id, STATUS_BILL.paid);
  const later = await importLater(paid(ourNumber, 7_500));
  assert.equal(later.exitCode, 0, later.errors);
  assert.deepEqual([later.taken.taken, later.taken.known, later.taken.again], [0, [ourNumber], [ourNumber]]);
  assert.deepEqual(later.taken.told, [{ ourNumber, madeOn: '2026-11-23', fileNumber: '217' }]);
  await noneWaits();
  assert.deepEqual(
    (await paymentsOf(id)).map(({ amount, surprise }) => [amount, surprise]),
    [
      [7_500, null],
      [7_500, 'filedAgain'],
    ],
  );
  const odd = async () => {
    const { database, folder } = shop.service;
    const { printed } = await runParcela(database, folder, ['resolve', 'changes', '--json']);
    const { items } = JSON.parse(printed) as {
      items: { reason: string; bankChange?: { ourNumber: string; amount: number } }[];
    };
    return items
      .filter(({ bankChange }) => bankChange?.ourNumber === ourNumber)
      .map(({ reason, bankChange }) => [reason, bankChange?.amount]);
  };
  assert.deepEqual(await odd(), [['filedAgain', 7_500]]);
  const [exception] = await exceptionsOf(shop, id);
  const viewer = await signedIn(shop.service, 'viewer', null);
  const page = wordsOf((await viewer.turnTo(`/console/exceptions/${exception?.exceptionId}`)).text);
  assert.match(page, /Já informado pelo arquivo 217 \(23\/11\/2026\)/);
  const metrics = await (await fetch(shop.service.metricsUrl)).text();
  assert.match(metrics, /parcela_bank_changes_total\{outcome="filedAgain"\} 1\b/);
  // The same file once more, and one that has another payment beside it.
  sequence -= 1;
  assert.deepEqual((await importLater(paid(ourNumber, 7_500))).taken.again, []);
  await importLater(paid(ourNumber, 7_500), { ...paid(ourNumber, 7_500), paid: 7_600 });
  await noneWaits();
  const surprises = async () =>
    (await paymentsOf(id)).map(({ amount, surprise }) => `${amount} ${surprise}`).sort();
  const filed = ['7500 filedAgain', '7500 filedAgain', '7500 null', '7600 paidAgain'];
  assert.deepEqual(await surprises(), filed);
  // What the feed has more of than the books is another payment, whatever a file said once more.
  for (let times = 0; times < 2; times += 1) await force(shop, id, { type: 'paid', amount: 7_500 });
  await noneWaits();
  assert.deepEqual(await surprises(), [...filed.slice(0, 3), '7500 paidAgain', filed[3]]);
  assert.equal((await odd()).filter(([reason]) => reason === 'filedAgain').length, 2);
});

test('of two files that are taken at once the second one sees what the first has', async () => {
  const { id, ourNumber } = await issued(75.6);
  const { database, auditor } = shop.service;
  const client = new pg.Client(database.address);
  await client.connect();
  try {
    // Holds both up where the first one writes.
    await client.query('begin');
    await client.query(
      `insert into bank_changes (merchant_id, change_id, our_number, event, amount, paid_on, happened_at, source)
       select merchant_id, 'file:237:' || our_number || ':paid:' || $2 || ':7560:1', our_number, 'paid', 7560, $2::date, now(), 'file'
       from boletos where boleto_id = $1`,
      [id, today()],
    );
    const taking = [importLater(paid(ourNumber, 7_560)), importLater(paid(ourNumber, 7_560))];
    await until('both are held up', async () => {
      const rows = await auditor.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === 2;
    });
    await client.query('rollback');
    const taken = (await Promise.all(taking)).map((one) => one.taken);
    assert.deepEqual(
      taken.flatMap(({ again }) => again),
      [ourNumber],
    );
    assert.equal(
      taken.reduce((sum, one) => sum + one.taken, 0),
      1,
    );
  } finally {
    await client.end();
  }
  await untilStatus(shop, id, STATUS_BILL.paid);
});

test('a payment that a file reports before our own record of the boleto waits for that', async () => {
  const { id, ourNumber } = await issued(75.7);
  const { auditor } = shop.service;
  const [row] = await auditor.query('select bar_code, acts_at from boletos where boleto_id = $1', [id]);
  // As it stands while the bank's answer is not known.
  await auditor.query(
    `update boletos set state = 'issuing', bar_code = null, acts_at = null, due_at = now() + interval '1 day'
     where boleto_id = $1`,
    [id],
  );
  const { taken } = await importPairs(paid(ourNumber, 7_570));
  assert.deepEqual([taken.ours, taken.unfit], [1, []]);
  const other = await importLines(fileOf(paid(ourNumber, 7_570)).map((text) => text.replace(/^237/, '001')));
  assert.deepEqual([other.taken.ours, other.taken.unfit], [0, [ourNumber]]);
  await auditor.query(
    "update boletos set state = 'issued', bar_code = $2, acts_at = $3, due_at = null where boleto_id = $1",
    [id, row?.bar_code, row?.acts_at],
  );
  await untilStatus(shop, id, STATUS_BILL.paid);
});

test('what a file reports for a day to come happened now, or not at all', async () => {
  const written = (days: number) => inDays(days).split('-').reverse().join('');
  const soon = await issued(76);
  const never = await issued(77);
  const { taken } = await importPairs(
    { ...paid(soon.ourNumber, 7_600), happenedOn: written(3) },
    { ...paid(never.ourNumber, 7_700), happenedOn: written(40) },
  );
  assert.deepEqual([taken.ours, taken.unfit], [1, [never.ourNumber]]);
  const reply = await untilStatus(shop, soon.id, STATUS_BILL.paid);
  assert.equal(reply.body.effectivePaymentDate, inDays(3));
  const [row] = await shop.service.auditor.query(
    'select changed_at <= now() as is_past from boletos where boleto_id = $1',
    [soon.id],
  );
  assert.equal(row?.is_past, true);
  await noneWaits();
  assert.equal((await read(shop, never.id)).body.statusBill, STATUS_BILL.issued);
});

test('what a file writes off is canceled or expired, and what is of others changes nothing', async () => {
  const canceled = await issued(80);
  const expired = await issued(90);
  const open = await issued(100);
  const writtenOff = { movement: '09', value: 0, dueOn: '00000000', paid: 0, fee: 0, happenedOn: TODAY };
  const { taken } = await importPairs(
    { ...writtenOff, companyUse: canceled.ourNumber, reasons: '11' },
    { ...writtenOff, companyUse: '', bankNumber: numberAtBank(expired.ourNumber), reasons: '13' },
    { movement: '02', companyUse: open.ourNumber, paid: 0 },
    { companyUse: '99999999999' },
    { companyUse: 'PEDIDO-7' },
  );
  assert.deepEqual([taken.ours, taken.taken, taken.foreign, taken.others], [2, 2, 2, { '02': 1 }]);
  await untilStatus(shop, canceled.id, STATUS_BILL.canceled);
  await untilStatus(shop, expired.id, STATUS_BILL.expired);
  await noneWaits();
  assert.equal((await read(shop, open.id)).body.statusDescription, 'Emitido');
});

test('a file of another bank is of other boletos', async () => {
  const { id, ourNumber } = await issued(105);
  const { taken } = await importLines(
    fileOf(paid(ourNumber, 10_500)).map((text) => text.replace(/^237/, '001')),
  );
  assert.deepEqual([taken.bank, taken.ours, taken.foreign], ['001', 0, 1]);
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
});

test('a boleto that another program issued under the number of ours leaves ours as it is, and is named', async () => {
  const { id, ourNumber } = await issued(106);
  assert.ok(Number(ourNumber) > 10_000_000_000, ourNumber);
  const theirs = paid(ourNumber, 10_600);
  for (const other of [
    { ...theirs, value: 10_601 },
    { ...theirs, dueOn: TODAY },
  ]) {
    const { taken } = await importPairs(other);
    assert.deepEqual([taken.ours, taken.foreign, taken.unfit], [0, 1, [ourNumber]]);
  }
  const [entry] = await shop.service.auditor.query(
    "select detail from audit_entries where action = 'returnFile.import' order by entry_number desc limit 1",
  );
  assert.match(String(entry?.detail), new RegExp(`"unfit":"${ourNumber}"`));
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
});

test('a file that does not agree is refused by its line, and nothing of it is taken', async () => {
  const { id, ourNumber } = await issued(110);
  const lines = fileOf(paid(ourNumber, 11_000), paid(ourNumber, 11_000));
  const refused = await importLines(lines.filter((_, index) => index !== 4));
  assert.equal(refused.exitCode, 1);
  assert.match(refused.errors, /nothing was taken: line 5: Number of the record/);
  const broken = await importLines(
    lines.map((text, index) => (index === 5 ? `${text.slice(0, 77)}x${text.slice(78)}` : text)),
  );
  assert.match(broken.errors, /line 6: Field paid \(positions 78 to 92\)/);
  const { exitCode, errors } = await runParcela(shop.service.database, shop.service.folder, [
    'boletos',
    'import',
    '/nirgends',
  ]);
  assert.deepEqual([exitCode, errors], [1, 'nothing was taken: there is no such file']);
  assert.equal(
    (await shop.service.auditor.query('select from bank_changes where our_number = $1', [ourNumber])).length,
    0,
  );
  assert.equal((await read(shop, id)).body.statusDescription, 'Emitido');
});

test('what the bank writes into its files is what its feed has said: taking all of them changes nothing', async () => {
  const terms = {
    dueDate: inDays(3),
    daysToExpire: 5,
    fine: { percent: 2 },
    interest: { percentPerMonth: 1 },
  };
  // Paid on the due day, a day after the issue, late, half, twice, once and reported twice; and never.
  for (const value of [20.21, 20.22, 20.23, 20.24, 20.25, 20.26, 33]) {
    assert.equal((await issue(shop, { ...terms, value })).status, 200);
  }
  const withdrawn = await issue(shop, { ...terms, value: 34 });
  assert.equal((await cancel(shop, withdrawn.body.id)).status, 200);
  const { url, token, service } = shop;
  const jumped = await call(url, '/homologation/clock', { token, body: { advanceDays: 20 } });
  assert.equal(jumped.status, 200, jumped.text);
  await noneWaits();
  const booked = async () => ({
    boletos: await service.auditor.query(
      'select boleto_id, state, paid_amount, paid_on from boletos order by 1',
    ),
    payments: await service.auditor.query(
      `select boleto_id, amount, paid_on, surprise from boleto_payments where surprise is distinct from 'filedAgain'
       order by 1, 2, 3, 4`,
    ),
  });
  const before = await booked();
  let taken = 0;
  for (let days = 0; days < 20; days += 1) {
    const day = inDays(days);
    const file = await call(url, `/homologation/bank/return-file?day=${day}`, { token });
    assert.equal(file.status, 200, file.text);
    const imported = await importLines(file.text.split('\r\n').slice(0, -1));
    assert.equal(imported.exitCode, 0, imported.errors);
    taken += imported.taken.taken;
  }
  // Seven payments, two ends; and what the tests before had booked at the bank.
  assert.ok(taken >= 9, `${taken} changes`);
  await noneWaits();
  assert.deepEqual(await booked(), before);
  const refused = await service.auditor.query(
    "select change_id, reason from bank_changes where state = 'refused'",
  );
  assert.deepEqual(refused, []);
});

test('a payment that two files have brings its link nothing the second time', async () => {
  const { service } = shop;
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const links = linksOf({ url: service.gatewayUrl, token });
  const link = await links.newLink({ referenceTransaction: 'LINK-FILED' });
  const asked = await links.post(link, 'boleto', boletoRequest().payer as object);
  assert.equal(asked.body.status, 'waiting', asked.text);
  const [bill] = await service.auditor.query(
    'select boleto_id as id, our_number as number from boletos where link_id = $1',
    [link.id],
  );
  const part = { ...paid(String(bill?.number), 14_990), dueOn: '00000000', paid: 7_500 };
  await importLater(part);
  await links.untilLink(link, 'Desativado');
  assert.deepEqual((await importLater(part)).taken.again, [bill?.number]);
  await noneWaits();
  assert.equal((await paymentsOf(String(bill?.id))).length, 2);
  const { receivedValue, status } = await links.read(link);
  assert.deepEqual([receivedValue, status], [75, 'Desativado']);
  assert.equal((await exceptionsOf(shop, String(bill?.id))).length, 2, 'both are for a person to look at');
});
