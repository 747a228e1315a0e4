import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { runParcela } from '../audit/audit-service.ts';
import { keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { openTestService, until } from '../kit/service.ts';
import {
  type BoletoShop,
  cancel,
  changeDay,
  inDays,
  issue,
  movementsOf,
  read,
  shopOf,
  today,
  untilStatus,
} from './boleto-service.ts';
import { zeros } from './return-lines.ts';

let shop: BoletoShop;

before(async () => {
  const service = await openTestService();
  rememberKeyFile(service.database.address.database, keyFileIn(service.folder));
  shop = await shopOf(service);
  await routeTo('itau', '341', ITAU);
});
after(() => shop?.service.close());

type Agreement = Readonly<Record<string, string>>;

const COMPANY = { companyName: 'Loja São João Ltda', companyDocument: '11222333000181' };
const ITAU = { branch: '0810', account: '53678', accountDigit: '9', portfolio: '109', ...COMPANY };

async function setUp(command: 'add' | 'change', name: string, code: string, agreement: Agreement) {
  const settings = Object.entries({ bank: code, ...agreement });
  const given = settings.flatMap(([setting, value]) => ['--setting', `${setting}=${value}`]);
  await parcela('provider', command, '--kind', 'bank', '--name', name, '--adapter', 'remessa', ...given);
}

async function routeTo(name: string, code: string, agreement: Agreement) {
  await setUp('add', name, code, agreement);
  await parcela('provider', 'route', '--kind', 'bank', '--rule', name);
  await untilIssuedAt(code);
}

function untilIssuedAt(code: string): Promise<{ readonly ourNumber: string }> {
  return until('the bank by file is routed to', async () => {
    const { status, body } = await issue(shop, { value: 1 });
    assert.equal(status, 200);
    return String(body.barCode).startsWith(code) ? body : null;
  });
}

async function run(...words: string[]) {
  return runParcela(shop.service.database, shop.service.folder, words);
}

async function parcela(...words: string[]) {
  const { exitCode, printed, errors } = await run(...words);
  assert.equal(exitCode, 0, printed + errors);
  return printed;
}

const bank = ['--bank', 'itau', '--json'];

/** The next file, by its lines. */
async function made(): Promise<{ readonly number: number; readonly lines: string[]; readonly path: string }> {
  const { number, path } = JSON.parse(
    await parcela('remessa', 'make', ...bank, '--folder', shop.service.folder),
  );
  if (number === null) return { number, lines: [], path: '' };
  return { number, path, lines: (await readFile(path, 'latin1')).trimEnd().split('\r\n') };
}

/** Instructions of a file: what is told, and of which boleto. */
const told = (lines: readonly string[]) =>
  lines
    .filter((line) => line.startsWith('1'))
    .map((line) => `${line.slice(108, 110)} ${line.slice(37, 62).trim()}`);

async function issued(value: number, terms: object = {}) {
  const { status, body, text } = await issue(shop, { value, ...terms });
  assert.equal(status, 200, text);
  return body as { readonly id: string; readonly ourNumber: string; readonly barCode: string };
}

const short = (day: string) => `${day.slice(8)}${day.slice(5, 7)}${day.slice(2, 4)}`;
const DAY_20 = `${inDays(20).slice(8)}/${inDays(20).slice(5, 7)}`;
let returns = 0;

/** A return file of Itaú: for each boleto what became of it. */
async function returned(...movements: readonly Movement[]) {
  return returnedBy({ 1: '1' }, { 77: '341BANCO ITAU SA', 109: zeros(returns, 5) }, movements);
}

type Movement = { readonly ourNumber: string; readonly code: string; readonly texts?: object };

async function returnedBy(type: object, ofBank: object, movements: readonly Movement[]) {
  const place = (texts: Readonly<Record<number, string>>) =>
    Object.entries(texts).reduce(
      (line, [from, text]) =>
        line.slice(0, Number(from) - 1) + text + line.slice(Number(from) - 1 + text.length),
      ' '.repeat(400),
    );
  const lines = [
    place({ 1: '02RETORNO01COBRANCA', 95: short(today()), ...ofBank }),
    ...movements.map(({ ourNumber, code, texts }) =>
      place({ 38: ourNumber, 63: ourNumber.slice(-8), 109: `${code}${short(today())}`, ...type, ...texts }),
    ),
    place({ 1: '9201' }),
  ].map((line, index) => `${line.slice(0, 394)}${zeros(index + 1, 6)}\r\n`);
  returns += 1;
  const path = join(shop.service.folder, `retorno-${returns}.ret`);
  await writeFile(path, lines.join(''), 'latin1');
  const taken = JSON.parse(await parcela('boletos', 'import', path, '--json'));
  return { path, taken };
}

test('a boleto goes to the bank by file once, is confirmed by the return file, and paid by the next', async () => {
  await made();
  const { id, ourNumber, barCode } = await issued(149.9);
  assert.equal(barCode.slice(19, 30), `109${ourNumber.slice(-8)}`);
  assert.equal(barCode.slice(31), '0810536789000');
  const first = await made();
  assert.deepEqual(told(first.lines), [`01 ${ourNumber}`]);
  assert.equal(first.lines[1]?.slice(120, 139), `${short(inDays(10))}0000000014990`);
  assert.deepEqual(told((await made()).lines), []);
  await returned({ ourNumber, code: '02' });
  const { items } = JSON.parse(await parcela('remessa', 'list', ...bank));
  const [newest] = items;
  assert.deepEqual([newest.number, newest.accepted, newest.refused], [first.number, 1, 0]);
  const value = zeros(14_990, 13);
  await returned({ ourNumber, code: '06', texts: { 153: value, 254: value, 296: short(today()) } });
  assert.equal((await untilStatus(shop, id, STATUS_BILL.paid)).body.effectivePaymentValue, 149.9);
});

test('files are numbered without holes; one that reached no folder is written again as it was', async () => {
  const { ourNumber } = await issued(20);
  const missing = await run('remessa', 'make', ...bank, '--folder', '/nowhere/at/all');
  assert.match(missing.errors, /--folder: \/nowhere\/at\/all is not there; make it/);
  const [newest] = JSON.parse(await parcela('remessa', 'list', ...bank)).items;
  const blocked = await mkdtemp(join(tmpdir(), 'parcela-remessa-'));
  // In the place of the file that is being written.
  await mkdir(join(blocked, `${bank[1]}-${String(newest.number + 1).padStart(6, '0')}.rem.part`));
  const { exitCode, errors } = await run('remessa', 'make', ...bank, '--folder', blocked);
  assert.equal(exitCode === 0, false);
  const number = Number(/File (\d+) of/.exec(errors)?.[1]);
  const again = () =>
    parcela('remessa', 'show', ...bank, '--number', String(number), '--folder', shop.service.folder);
  const unwritten = async () =>
    JSON.parse(await parcela('remessa', 'make', ...bank, '--folder', shop.service.folder)).unwritten;
  assert.deepEqual(await unwritten(), [number], 'nobody has it, and whoever makes the next is told');
  const { path } = JSON.parse(await again());
  assert.equal(await unwritten(), undefined);
  const content = await readFile(path, 'latin1');
  assert.deepEqual(told(content.split('\r\n')), [`01 ${ourNumber}`]);
  await again();
  assert.equal(await readFile(path, 'latin1'), content);
  await issued(21);
  assert.equal((await made()).number, number + 1);
});

test('two operators at once take each boleto into one file', async () => {
  const bills = [await issued(31), await issued(32), await issued(33)];
  const files = await Promise.all([made(), made()]);
  assert.deepEqual(
    files.flatMap(({ lines }) => told(lines)).sort(),
    bills.map(({ ourNumber }) => `01 ${ourNumber}`),
  );
});

test('what is canceled before its file is never told to the bank', async () => {
  const { id } = await issued(40);
  const { body } = await cancel(shop, id);
  assert.equal(body.statusBill, STATUS_BILL.canceled);
  assert.deepEqual(told((await made()).lines), []);
});

test('what the bank has is written off by the next file unless it is paid first, and canceled once the bank says so', async () => {
  const [{ id, ourNumber }, paid] = [await issued(50), await issued(51)];
  await made();
  for (const bill of [id, paid.id]) assert.equal((await cancel(shop, bill)).status, 202);
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
  const value = zeros(5_100, 13);
  const texts = { 153: value, 254: value, 296: short(today()) };
  await returned({ ourNumber: paid.ourNumber, code: '06', texts });
  await untilStatus(shop, paid.id, STATUS_BILL.paid);
  assert.deepEqual(told((await made()).lines), [`02 ${ourNumber}`]);
  await returned({ ourNumber, code: '02' }, { ourNumber, code: '09' });
  await untilStatus(shop, id, STATUS_BILL.canceled);
  assert.equal((await movementsOf(shop, id)).at(-1), 'Emitido>Cancelado');
});

test('a refused write-off neither pays nor ends the boleto, and may be asked for again', async () => {
  const { id, ourNumber } = await issued(55);
  await made();
  assert.equal((await cancel(shop, id)).status, 202);
  const { number } = await made();
  // A day that nobody asked for is no change that is heard of later.
  await returned({ ourNumber, code: '14', texts: { 147: short(inDays(25)) } });
  const { path: refusal } = await returned({ ourNumber, code: '15', texts: { 378: '26' } });
  const shown = await parcela('remessa', 'show', '--bank', 'itau', '--number', String(number));
  assert.match(shown, new RegExp(`write-off of ${ourNumber}: 26 a conta não está liberada`));
  const again = await until('the bank is asked for the write-off again', async () => {
    assert.equal((await cancel(shop, id)).status, 202);
    const { lines, number } = await made();
    return lines.length === 0 ? null : { told: told(lines), number };
  });
  assert.deepEqual(again.told, [`02 ${ourNumber}`]);
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
  await parcela('boletos', 'import', refusal);
  const { items } = JSON.parse(await parcela('remessa', 'list', ...bank));
  const answers = (file: number) =>
    items.find((one: { readonly number: number }) => one.number === file).refused;
  assert.deepEqual(
    [answers(number), answers(again.number)],
    [1, 0],
    'the first file is no answer to the second',
  );
  const value = zeros(5_500, 13);
  await returned({ ourNumber, code: '06', texts: { 153: value, 254: value, 296: short(today()) } });
  await untilStatus(shop, id, STATUS_BILL.paid);
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Pago']);
});

/** For a lock that this client has, in a statement that begins so. */
async function oneWaits(who: string, client: pg.Client, statement = '') {
  const { rows } = await client.query('select pg_backend_pid() as id');
  const waiting =
    'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid)) and starts_with(query, $2)';
  await until(
    who,
    async () => (await shop.service.auditor.query(waiting, [rows[0].id, statement])).length > 0,
  );
}

test('a write-off that the bank refused is asked for once, whatever the work that reads the refusal is stopped at', async () => {
  const { id, ourNumber } = await issued(56);
  await made();
  assert.equal((await cancel(shop, id)).status, 202);
  await made();
  const { auditor, database } = shop.service;
  const due = (when: string) =>
    auditor.query(`update boletos set due_at = now() + interval '${when}' where boleto_id = $1`, [id]);
  await due('1 day');
  await returned({ ourNumber, code: '15' });
  const [asking, moving] = [new pg.Client(database.address), new pg.Client(database.address)];
  await Promise.all([asking.connect(), moving.connect()]);
  try {
    await asking.query('begin; lock table bank_instructions in access exclusive mode');
    await due('0');
    await oneWaits('the work asks', asking, 'with withdrawn');
    // Another process claims it before the answer is recorded, as after a kill.
    await moving.query('begin');
    await moving.query('update boletos set fence = fence + 1, due_at = now() where boleto_id = $1', [id]);
    await asking.query('rollback');
    await oneWaits('the work records the answer', moving);
    await moving.query('commit');
  } finally {
    await Promise.all([asking.end(), moving.end()]);
  }
  await until('the cancel has ended', async () => {
    const [row] = await auditor.query('select state from boletos where boleto_id = $1', [id]);
    return row?.state === 'issued';
  });
  assert.deepEqual(told((await made()).lines), []);
  assert.equal((await cancel(shop, id)).status, 202);
  assert.deepEqual(told((await made()).lines), [`02 ${ourNumber}`]);
});

test('a due day changes before its file at once, and else by the next file, once the bank says so', async () => {
  const early = await issued(80);
  assert.deepEqual((await changeDay(shop, early.id, inDays(12))).body.dueDate, inDays(12));
  const { id, ourNumber, barCode } = await issued(81);
  const first = await made();
  assert.deepEqual(
    first.lines.filter((line) => line.startsWith('1')).map((line) => line.slice(120, 126)),
    [short(inDays(12)), short(inDays(10))],
  );
  const asked = await changeDay(shop, id, inDays(20));
  assert.deepEqual([asked.status, asked.body.dueDate, asked.body.barCode], [202, inDays(10), barCode]);
  assert.equal((await changeDay(shop, id, inDays(20))).status, 202, 'the same again is the same');
  assert.equal((await changeDay(shop, id, inDays(9))).status, 409);
  assert.match(await parcela('resolve', 'list'), /boletoDueDay/);
  const second = await made();
  assert.deepEqual(told(second.lines), [`06 ${ourNumber}`]);
  assert.equal(second.lines[1]?.slice(120, 126), short(inDays(20)));
  assert.deepEqual(told((await made()).lines), []);
  await returned({ ourNumber, code: '02' }, { ourNumber, code: '14', texts: { 147: short(inDays(11)) } });
  await returned({ ourNumber, code: '14', texts: { 147: short(inDays(20)) } });
  const changed = await until('the new day', async () => {
    const { body } = await read(shop, id);
    return body.dueDate === inDays(20) ? body : null;
  });
  assert.equal(changed.barCode.slice(19), barCode.slice(19));
  const { path } = JSON.parse(
    await parcela(
      'remessa',
      'show',
      ...bank,
      '--number',
      String(first.number),
      '--folder',
      shop.service.folder,
    ),
  );
  assert.equal((await readFile(path, 'latin1')).trimEnd(), first.lines.join('\r\n'), 'as it was sent');
  // The day that it had is still in the file that reports its payment.
  const value = zeros(8_100, 13);
  const texts = { 147: short(inDays(10)), 153: value, 254: value, 296: short(today()) };
  await returned({ ourNumber, code: '06', texts });
  await untilStatus(shop, id, STATUS_BILL.paid);
  assert.deepEqual((await movementsOf(shop, id)).slice(-2), ['Emitido>Vencimento alterado', 'Emitido>Pago']);
});

test('a file waits for who has a boleto, before it answers what the bank was told of it', async () => {
  const { id, ourNumber } = await issued(83);
  await made();
  assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  await made();
  const client = new pg.Client(shop.service.database.address);
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select from boletos where boleto_id = $1 for no key update', [id]);
    const taking = returned({ ourNumber, code: '14', texts: onDay(20) });
    await oneWaits('the file', client);
    await client.query('update bank_instructions set due_on = due_on where our_number = $1', [ourNumber]);
    await client.query('commit');
    await taking;
  } finally {
    await client.end();
  }
  await untilDay({ id }, 20);
});

test('a payment counts by whichever due day the bank had the boleto with, and what is expected is of that day', async () => {
  const fine = { dueDate: inDays(1), fine: { percent: 2 } };
  const [early, late] = [await issued(90, fine), await issued(91, fine)];
  await made();
  for (const { id } of [early, late]) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  await made();
  // Paid with the fine of the day before; and without it, though the bank is said to have kept that day.
  await returned({ ourNumber: early.ourNumber, code: '14' }, { ourNumber: late.ourNumber, code: '16' });
  await until('both are answered', async () => {
    const states = await Promise.all([early, late].map(({ id }) => movementsOf(shop, id)));
    return states[0]?.at(-1) === 'Emitido>Vencimento alterado' && /mantido/.test(states[1]?.at(-1) ?? '');
  });
  const paid = [[early, 9_180] as const, [late, 9_100] as const].map(([{ ourNumber }, amount]) => {
    const value = zeros(ourNumber === early.ourNumber ? 9_000 : 9_100, 13);
    const days = { 111: short(inDays(7)), 296: short(inDays(7)) };
    return { ourNumber, code: '06', texts: { ...days, 153: value, 254: zeros(amount, 13) } };
  });
  await returned(...paid);
  for (const { id } of [early, late]) await untilStatus(shop, id, STATUS_BILL.paid);
  const payments = await shop.service.auditor.query(
    'select amount::int, expected_amount::int as expected, kind from boleto_payments where boleto_id = any ($1::uuid[]) order by amount',
    [[early.id, late.id]],
  );
  assert.deepEqual(payments, [
    { amount: 9_100, expected: 9_100, kind: 'expected' },
    { amount: 9_180, expected: 9_180, kind: 'expected' },
  ]);
});

test('a change that the bank answers with another day is shown; that day counts, and a cancel ends the waiting', async () => {
  const [odd, unfiled] = [await issued(92, { dueDate: inDays(1), fine: { percent: 2 } }), await issued(93)];
  await made();
  assert.equal((await changeDay(shop, odd.id, inDays(20))).status, 202);
  await made();
  await returned({ ourNumber: odd.ourNumber, code: '14', texts: { 147: short(inDays(25)) } });
  const shown = await shop.service.auditor.query(
    'select found from reconciliation_exceptions where found like $1',
    [`14 %/${odd.ourNumber}`],
  );
  assert.deepEqual(shown, [{ found: `14 341/${odd.ourNumber}` }]);
  assert.equal((await changeDay(shop, unfiled.id, inDays(20))).status, 202);
  for (const { id } of [odd, unfiled]) assert.equal((await cancel(shop, id)).status, 202);
  // The change that is in no file yet is not told any more.
  assert.deepEqual(
    told((await made()).lines).toSorted(),
    [odd, unfiled].map(({ ourNumber }) => `02 ${ourNumber}`).toSorted(),
  );
  const texts = {
    111: short(inDays(7)),
    147: short(inDays(25)),
    153: zeros(9_200, 13),
    254: zeros(9_200, 13),
  };
  await returned({ ourNumber: odd.ourNumber, code: '06', texts: { ...texts, 296: short(inDays(7)) } });
  await untilStatus(shop, odd.id, STATUS_BILL.paid);
  const kinds = await shop.service.auditor.query('select kind from boleto_payments where boleto_id = $1', [
    odd.id,
  ]);
  assert.deepEqual(kinds, [{ kind: 'expected' }]);
});

test('of two answers of one file to one change the one that names it counts', async () => {
  const boletos = [await issued(94), await issued(95)];
  await made();
  for (const { id } of boletos) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  await made();
  const changed = { code: '14', texts: { 147: short(inDays(20)) } };
  const [one, other] = boletos.map(({ ourNumber }) => ({ ourNumber }));
  assert.ok(one !== undefined && other !== undefined);
  await returned(
    { ...one, code: '16' },
    { ...one, ...changed },
    { ...other, ...changed },
    { ...other, code: '16' },
  );
  for (const { id } of boletos)
    await until('the new day', async () => (await read(shop, id)).body.dueDate === inDays(20));
});

test('a refused change by file leaves the day, is shown with its reason, and answers no later one', async () => {
  const { id, ourNumber } = await issued(82);
  await made();
  assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  const { number } = await made();
  const { path: refusal } = await returned({ ourNumber, code: '16', texts: { 378: '26' } });
  const shown = await parcela('remessa', 'show', '--bank', 'itau', '--number', String(number));
  assert.match(shown, new RegExp(`refused: change of due day of ${ourNumber}: 26 a conta não está liberada`));
  await until('the boleto is open again', async () =>
    (await movementsOf(shop, id)).includes('Emitido>Vencimento mantido'),
  );
  assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  assert.deepEqual(told((await made()).lines), [`06 ${ourNumber}`]);
  await parcela('boletos', 'import', refusal);
  await returned({ ourNumber, code: '14', texts: { 147: short(inDays(20)) } });
  await until('the new day', async () => (await read(shop, id)).body.dueDate === inDays(20));
});

test('a refusal that names no instruction is of the oldest that waits, and none is of a younger file', async () => {
  const [ended, kept] = [await issued(96), await issued(97)];
  const both = [ended, kept];
  await made();
  for (const { id } of both) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  const { number: change } = await made();
  for (const { id } of both) assert.equal((await cancel(shop, id)).status, 202);
  const { number: writeOff } = await made();
  const refused = async () => {
    const { items } = JSON.parse(await parcela('remessa', 'list', ...bank));
    return [change, writeOff].map(
      (wanted) => items.find(({ number }: { readonly number: number }) => number === wanted).refused,
    );
  };
  const yesterday = { 77: '341BANCO ITAU SA', 95: short(inDays(-1)), 109: zeros(returns, 5) };
  const numbers = both.map(({ ourNumber }) => ourNumber);
  await returnedBy(
    { 1: '1' },
    yesterday,
    numbers.map((ourNumber) => ({ ourNumber, code: '15' })),
  );
  assert.deepEqual(await refused(), [0, 0]);
  const { path: ofChange } = await returned(...numbers.map((ourNumber) => ({ ourNumber, code: '16' })));
  assert.deepEqual(await refused(), [2, 0]);
  await parcela('boletos', 'import', ofChange);
  assert.deepEqual(await refused(), [2, 0]);
  await returned({ ourNumber: ended.ourNumber, code: '09' }, { ourNumber: kept.ourNumber, code: '16' });
  assert.deepEqual(await refused(), [2, 1]);
  await untilStatus(shop, ended.id, STATUS_BILL.canceled);
  await until('that the day stays', async () =>
    (await movementsOf(shop, kept.id)).includes('Emitido>Vencimento mantido'),
  );
});

/** Asked for another due day, and then to be canceled; the bank has both in its files. */
async function changedAndCanceled(...bills: readonly { readonly id: string }[]) {
  await made();
  for (const { id } of bills) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  await made();
  for (const { id } of bills) assert.equal((await cancel(shop, id)).status, 202);
  await made();
}

const onDay = (days: number) => ({ 147: short(inDays(days)) });

function untilDay({ id }: { readonly id: string }, days: number) {
  return until('the new day', async () => {
    const { body } = await read(shop, id);
    return body.dueDate === inDays(days) ? body : null;
  });
}

function untilMovement({ id }: { readonly id: string }, last: string) {
  return until(last, async () => (await movementsOf(shop, id)).at(-1) === last);
}

async function shownOf({ ourNumber }: { readonly ourNumber: string }) {
  const rows = await shop.service.auditor.query(
    'select found from reconciliation_exceptions where found like $1 order by exception_key',
    [`%/${ourNumber}%`],
  );
  return rows.map(({ found }) => String(found).replace(ourNumber, 'it'));
}

test('a change that a cancel did not wait for is waited for again where the bank keeps the boleto', async () => {
  const [early, late, kept] = [await issued(99), await issued(99.1), await issued(99.2)];
  await changedAndCanceled(early, late, kept);
  await returned({ ourNumber: early.ourNumber, code: '14', texts: onDay(20) });
  await returned(
    { ourNumber: early.ourNumber, code: '16' },
    ...[late, kept].map(({ ourNumber }) => ({ ourNumber, code: '15' })),
  );
  const { barCode } = await untilDay(early, 20);
  assert.equal(Number(barCode.slice(5, 9)) - Number(early.barCode.slice(5, 9)), 10);
  for (const { id } of [late, kept])
    await until('the change is asked about', async () => {
      const { body, status } = await changeDay(shop, id, inDays(20));
      assert.notEqual(body.dueDate, inDays(20));
      return status === 202;
    });
  assert.equal((await changeDay(shop, late.id, inDays(9))).status, 409);
  assert.deepEqual(told((await made()).lines), [], 'nothing is told twice');
  await returned(
    { ourNumber: late.ourNumber, code: '14', texts: onDay(20) },
    { ourNumber: kept.ourNumber, code: '17' },
  );
  await untilDay(late, 20);
  await untilMovement(kept, 'Emitido>Vencimento mantido');
  for (const { id } of [early, late])
    assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Vencimento alterado']);
  assert.equal((await cancel(shop, kept.id)).status, 202, 'it may be asked for again');
});

test('each of several refusals that name no instruction is of one, wherever it stands, and what is doubtful is said', async () => {
  const [both, changed] = [await issued(98), await issued(98.1)];
  await changedAndCanceled(both, changed);
  const others = Array.from({ length: 2_001 }, (_, index) => ({ ourNumber: zeros(index, 11), code: '16' }));
  const refusal = { ourNumber: both.ourNumber, code: '16' };
  const ofChanged = { ourNumber: changed.ourNumber, code: '16' };
  const { taken } = await returned(refusal, { ...ofChanged, code: '14' }, ...others, refusal, ofChanged);
  const doubts = taken.doubtful as readonly { ourNumber: string; lineNumber: number; takenFor: string }[];
  assert.deepEqual(
    doubts.map(({ ourNumber, lineNumber, takenFor }) => [ourNumber, lineNumber, takenFor]),
    [
      [both.ourNumber, 2, 'dueDay'],
      [both.ourNumber, 2_005, 'writeOff'],
      [changed.ourNumber, 2_006, 'writeOff'],
    ],
  );
  await untilMovement(both, 'Emitido>Vencimento mantido');
  await untilDay(changed, 20);
  assert.deepEqual(await shownOf(both), [`16 341/it (vencto ${DAY_20}?)`, '16 341/it (baixa? repetida?)']);
  assert.deepEqual(await shownOf(changed), ['16 341/it (baixa?)']);
  assert.equal((await changeDay(shop, both.id, inDays(15))).status, 202);
  await made();
  await returned({ ourNumber: both.ourNumber, code: '17' });
  await until('that is refused too', async () => (await movementsOf(shop, both.id)).length === 3);
  // The line was there twice, and the bank makes the first change.
  await returned({ ourNumber: both.ourNumber, code: '14', texts: onDay(20) });
  await untilDay(both, 20);
  assert.deepEqual(await movementsOf(shop, both.id), [
    '>Emitido',
    ...['mantido', 'mantido', 'alterado'].map((word) => `Emitido>Vencimento ${word}`),
  ]);
  await returned({ ourNumber: both.ourNumber, code: '09' });
  await untilStatus(shop, both.id, STATUS_BILL.canceled);
});

test('where a refused change was made after all, its day is taken, whatever was asked for since', async () => {
  const [other, same] = [await issued(98.2), await issued(98.3)];
  const bills = [other, same];
  await made();
  for (const { id } of bills) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  await made();
  await returned(...bills.map(({ ourNumber }) => ({ ourNumber, code: '17' })));
  for (const bill of bills) await untilMovement(bill, 'Emitido>Vencimento mantido');
  assert.equal((await changeDay(shop, other.id, inDays(15))).status, 202);
  await made();
  assert.equal((await changeDay(shop, same.id, inDays(20))).status, 202);
  const ofFirst = bills.map(({ ourNumber }) => ({ ourNumber, code: '14', texts: onDay(20) }));
  await returned(...ofFirst, { ourNumber: other.ourNumber, code: '17' });
  for (const bill of bills) {
    await untilDay(bill, 20);
    assert.deepEqual((await movementsOf(shop, bill.id)).slice(1), [
      'Emitido>Vencimento mantido',
      'Emitido>Vencimento alterado',
    ]);
  }
  assert.deepEqual(told((await made()).lines), [], 'what the bank has made is not asked for again');
});

test('a refusal that was taken for that of a change which was made is of the cancel behind it', async () => {
  const bill = await issued(98.4);
  await changedAndCanceled(bill);
  const { ourNumber } = bill;
  await returned({ ourNumber, code: '16', texts: { 378: '26' } });
  assert.equal((await read(shop, bill.id)).body.dueDate, inDays(10));
  const line = { ourNumber, code: '14', texts: onDay(20) };
  await returned(line, line);
  await untilDay(bill, 20);
  assert.deepEqual(await shownOf(bill), ['14 341/it (repetida?)', `16 341/it (vencto ${DAY_20}?)`]);
  assert.equal((await cancel(shop, bill.id)).status, 202);
  const { number, lines } = await made();
  assert.deepEqual(told(lines), [`02 ${ourNumber}`]);
  const refused = await parcela('remessa', 'show', '--bank', 'itau', '--number', String(number - 1));
  const unnamed = 'não está liberada.* \\(o banco não diz qual instrução\\)';
  assert.match(refused, new RegExp(`write-off of ${ourNumber}: 26 a conta ${unnamed}`));
});

test('what the provider was to tell another bank waits, is named, holds nobody up, and goes on when it is back', async () => {
  const [unfiled, made14, over] = [await issued(85), await issued(85.1), await issued(85.2)];
  await made();
  assert.equal((await changeDay(shop, made14.id, inDays(20))).status, 202);
  await made();
  await returned({ ourNumber: made14.ourNumber, code: '17' });
  await untilMovement(made14, 'Emitido>Vencimento mantido');
  for (const { id } of [unfiled, over]) assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  assert.equal((await cancel(shop, over.id)).status, 202);
  const [unknown, late] = [await issued(85.3), await issued(85.4)];
  const { companyName } = COMPANY;
  const bradesco = { branch: '0810', account: '0053678', accountDigit: '9', portfolio: '09', companyName };
  await setUp('change', 'itau', '237', { ...bradesco, companyCode: '4321' });
  const { ourNumber } = await untilIssuedAt('237');
  await returned({ ourNumber: made14.ourNumber, code: '14', texts: onDay(20) });
  await until('why it waits', async () =>
    /\bit is of bank 341, and provider itau is of bank 237\b/.test(await parcela('resolve', 'list')),
  );
  const ofBradesco = told((await made()).lines);
  assert.ok(ofBradesco.includes(`01 ${ourNumber}`), String(ofBradesco));
  assert.ok(!ofBradesco.includes(`06 ${unfiled.ourNumber}`), String(ofBradesco));
  assert.equal((await cancel(shop, unknown.id)).body.statusBill, STATUS_BILL.canceled, 'no bank has it');
  const { auditor } = shop.service;
  await auditor.query(
    `update boletos set state = 'overdue', issued_on = now() - interval '40 days', due_on = now() - interval '30 days',
       payable_until = now() - interval '20 days', acts_at = now() - interval '9 days' where boleto_id = $1`,
    [late.id],
  );
  await untilStatus(shop, late.id, STATUS_BILL.expired);
  await returned({ ourNumber: over.ourNumber, code: '09' });
  await untilStatus(shop, over.id, STATUS_BILL.canceled);
  const [kept] = await auditor.query(
    `select count(*)::int as count from bank_instructions
     where bank_code = '341' and file_number is null and answer is null and our_number <> $1`,
    [over.ourNumber],
  );
  const { printed } = await run('doctor', '--json');
  const wait = `${kept?.count} instructions of boletos wait for a file to bank 341, which itau writes no more`;
  assert.ok(printed.includes(wait), printed);
  await setUp('change', 'itau', '341', ITAU);
  await untilDay(made14, 20);
  await untilIssuedAt('341');
  assert.ok(told((await made()).lines).includes(`06 ${unfiled.ourNumber}`));
});

test('a refused registration is shown with its reasons in Portuguese, and opens an exception', async () => {
  const { id, ourNumber } = await issued(60);
  const { number } = await made();
  await returned({ ourNumber, code: '03', texts: { 378: '0837' } });
  const shown = await parcela('remessa', 'show', '--bank', 'itau', '--number', String(number));
  assert.match(
    shown,
    new RegExp(`registration of ${ourNumber}: 08 falta o nome do pagador; 37 o CPF ou CNPJ do pagador`),
  );
  const found = await shop.service.auditor.query(
    "select found from reconciliation_exceptions where class = 'unknownCode' and found like '03 %'",
  );
  assert.deepEqual(found, [{ found: `03 341/${ourNumber}` }]);
  // The bank does not have it, so it ends at once.
  assert.equal((await cancel(shop, id)).body.statusBill, STATUS_BILL.canceled);
});

test('a refusal that names no instruction is of the write-off that waits, and else of the registration', async () => {
  const ofBranch = { branch: '1234', branchDigit: '5', account: '12345', accountDigit: '6' };
  const ofAgreement = { agreement: '2250771', portfolio: '17', variation: '019', ...COMPANY };
  await routeTo('brasil', '001', { ...ofBranch, ...ofAgreement });
  const [kept, refused] = [await issued(70), await issued(71)];
  const make = async () => {
    const words = ['--bank', 'brasil', '--json', '--folder', shop.service.folder];
    return Number(JSON.parse(await parcela('remessa', 'make', ...words)).number);
  };
  const first = await make();
  assert.equal((await cancel(shop, kept.id)).status, 202);
  const second = await make();
  const told = [kept, refused].map(({ ourNumber }) => ({
    ourNumber,
    code: '03',
    texts: { 38: ` ${ourNumber}` },
  }));
  await returnedBy({ 1: '7', 63: ' ' }, { 77: '001BANCO DO BRASIL', 101: zeros(returns, 7) }, told);
  const refusals = async (number: number) => [
    ...(await parcela('remessa', 'show', '--bank', 'brasil', '--number', String(number))).matchAll(
      /refused: (\S+) of (\d+)/g,
    ),
  ];
  assert.deepEqual(
    (await refusals(first)).map((one) => one.slice(1)),
    [['registration', refused.ourNumber]],
  );
  assert.deepEqual(
    (await refusals(second)).map((one) => one.slice(1)),
    [['write-off', kept.ourNumber]],
  );
  // Said once more, when nothing waits for an answer, it is none to the registration.
  await returnedBy(
    { 1: '7', 63: ' ' },
    { 77: '001BANCO DO BRASIL', 101: zeros(returns, 7) },
    told.slice(0, 1),
  );
  assert.deepEqual(
    (await refusals(first)).map((one) => one.slice(1)),
    [['registration', refused.ourNumber]],
  );
});
