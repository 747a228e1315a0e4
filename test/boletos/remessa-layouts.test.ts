import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { numbersOnPaper } from '../../src/transactions/methods/boleto/print/boleto-to-print.ts';
import { createRemittance } from '../../src/transactions/methods/boleto/remittances/create-remittance.ts';
import type { BarCode } from '../../src/values/bar-code.ts';
import { businessDayFrom, daysBetween } from '../../src/values/business-day.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { runParcela } from '../audit/audit-service.ts';
import { auditedTools, keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { openTestService, until } from '../kit/service.ts';
import {
  type BoletoShop,
  cancel,
  changeDay,
  inDays,
  issue,
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
  await setUp('add', { layout: '400' });
  await routeTo('sicredi');
});
after(() => shop?.service.close());

const SICREDI = {
  ...{ bank: '748', branch: '0165', unit: '02', companyCode: '00623', account: '623', accountDigit: '8' },
  ...{ companyName: 'Loja São João Ltda', companyDocument: '11222333000181' },
};

async function run(...words: string[]) {
  return runParcela(shop.service.database, shop.service.folder, words);
}

async function parcela(...words: string[]) {
  const { exitCode, printed, errors } = await run(...words);
  assert.equal(exitCode, 0, printed + errors);
  return printed;
}

function setUp(command: 'add' | 'change', settings: object) {
  return parcela('provider', command, ...words({ ...SICREDI, ...settings }));
}

function words(settings: object, name = 'sicredi'): string[] {
  const given = Object.entries(settings).flatMap(([name, value]) => ['--setting', `${name}=${value}`]);
  return ['--kind', 'bank', '--name', name, '--adapter', 'remessa', ...given];
}

async function routeTo(name: string) {
  await parcela('provider', 'route', '--kind', 'bank', '--rule', name);
}

/** The next file, by its lines; none if nothing waits. */
async function made(name = 'sicredi'): Promise<string[]> {
  const told = ['--bank', name, '--json', '--folder', shop.service.folder];
  const { number, path } = JSON.parse(await parcela('remessa', 'make', ...told));
  if (number === null) return [];
  return (await readFile(path, 'latin1')).split('\r\n').slice(0, -1);
}

type Bill = { readonly id: string; readonly ourNumber: string; readonly barCode: string };

/** From tomorrow, the first day whose sixtieth day after it is one without banks, or is none. */
function nextDue(isLonger: boolean): Day {
  const days = Array.from({ length: 30 }, (_, index) => inDays(index + 1));
  const found = days.find((one) => businessDayFrom(addDays(one, 60)) > addDays(one, 60) === isLonger);
  assert.ok(found !== undefined);
  return found;
}

function issued(value: number, bank = '748'): Promise<Bill> {
  return issuedFor({ value }, bank);
}

async function issuedFor(change: Readonly<Record<string, unknown>>, bank = '748'): Promise<Bill> {
  return until('the bank by file is routed to', async () => {
    const { status, body, text } = await issue(shop, change);
    assert.equal(status, 200, text);
    return String(body.barCode).startsWith(bank) ? (body as Bill) : null;
  });
}

const long = (day: string) => day.split('-').toReversed().join('');
const short = (day: string) => `${day.slice(8)}${day.slice(5, 7)}${day.slice(2, 4)}`;

/** A return file of Sicredi in CNAB 400: it has the bank's number alone. */
async function returned(
  number: string,
  code: string,
  cents: number,
  { company = '', dueOn = inDays(10), name = code, document = '' } = {},
) {
  const place = (texts: Readonly<Record<number, string>>, index: number) =>
    `${put(400, { ...texts, 395: zeros(index + 1, 6) })}\r\n`;
  const amount = zeros(cents, 13);
  const lines = [
    {
      ...{ 1: '02RETORNO01COBRANCA', 27: company, 77: '748', 95: today().replaceAll('-', '') },
      111: `00000${code}`,
    },
    {
      1: '1',
      48: number,
      109: `${code}${short(today())}`,
      117: document,
      147: short(dueOn),
      153: amount,
      254: amount,
    },
    { 1: '9' },
  ].map(place);
  const path = join(shop.service.folder, `retorno-${name}.ret`);
  await writeFile(path, lines.join(''), 'latin1');
  return parcela('boletos', 'import', path);
}

function put(length: number, texts: Readonly<Record<number, string>>): string {
  return Object.entries(texts).reduce(
    (line, [from, text]) =>
      line.slice(0, Number(from) - 1) + text + line.slice(Number(from) - 1 + text.length),
    ' '.repeat(length),
  );
}

/** In CNAB 240 the document is zeros, and stands again where others give our number back. */
async function returned240(number: string, code: string, cents: number, companyUse: string) {
  const lines = [
    { 1: '74800000', 18: '211222333000181', 143: `2${long(today())}093000`, 158: `0000${code}` },
    { 1: '74800011T01' },
    {
      ...{ 1: `7480001300001T ${code}`, 38: number, 58: '10000000000', 74: long(inDays(10)) },
      ...{ 82: zeros(cents, 15), 106: companyUse, 189: zeros(0, 25) },
    },
    { 1: `7480001300002U ${code}`, 78: zeros(cents, 15).repeat(2), 138: long(today()).repeat(2) },
    { 1: '74800015', 18: '000004' },
    { 1: '74899999', 18: '000001000006' },
  ].map((texts) => `${put(240, texts)}\r\n`);
  const path = join(shop.service.folder, 'retorno-240.ret');
  await writeFile(path, lines.join(''), 'latin1');
  return parcela('boletos', 'import', path);
}

test('a boleto goes to Sicredi by file and is paid by a return file that has the number of the bank alone', async () => {
  const { id, barCode, ourNumber } = await issued(149.9);
  const number = barCode.slice(21, 30);
  const year = today().slice(2, 4);
  assert.match(number, new RegExp(`^${year}[2-9]\\d{6}$`));
  const paper = numbersOnPaper(barCode as BarCode, ourNumber);
  assert.equal(paper?.bankNumber, `${year}/${number.slice(2, 8)}-${number.slice(8)}`);
  assert.equal(paper?.branchAndCode, '0165.02.00623');
  assert.equal(numbersOnPaper(barCode as BarCode, String(Number(ourNumber) + 1)), null);
  const lines = await made();
  const line = lines.find((one) => one.slice(47, 56) === number);
  assert.equal(line?.length, 400);
  assert.equal(line?.slice(108, 139), `01${ourNumber.slice(-10)}${short(inDays(10))}0000000014990`);
  await returned(number, '02', 14_990);
  const [newest] = JSON.parse(await parcela('remessa', 'list', '--bank', 'sicredi', '--json')).items;
  assert.equal(newest.accepted, 1);
  await returned(number, '06', 14_990);
  await untilStatus(shop, id, STATUS_BILL.paid);
});

test('a line of another beneficiary of Sicredi with the same number answers and pays nothing', async () => {
  const { id, ourNumber, barCode } = await issued(33);
  const number = barCode.slice(21, 30);
  const ofAnother = number.slice(0, 8) + ((Number(number[8]) + 1) % 10);
  await made();
  const foreign = [
    await returned(ofAnother, '03', 3_300),
    await returned(ofAnother, '06', 3_300, { name: 'digit' }),
    await returned(number, '06', 3_300, { name: 'company', company: '0062399888777000166' }),
    await returned(number, '09', 3_300, { dueOn: inDays(11) }),
    await returned(number, '10', 3_301),
    await returned(number, '09', 0, { name: 'worthless' }),
    await returned(number, '09', 3_300, { name: 'dayless', dueOn: '' as Day }),
    await returned(number, '09', 3_300, { name: 'nothing', dueOn: '' as Day, document: '0000000000' }),
    // Another document speaks against the line, whatever else is the boleto's.
    await returned(number, '06', 3_300, { name: 'document', document: '0000900007' }),
    await returned(number, '06', 3_300, { name: 'short', document: String(Number(ourNumber.slice(-10))) }),
  ];
  for (const printed of foreign.slice(1)) {
    assert.match(printed, /boletos of others +1$/m);
    assert.doesNotMatch(printed, /with our numbers/);
  }
  await returned(number, '03', 3_301, { name: 'value' });
  await returned(number, '14', 3_300, { name: 'day', dueOn: inDays(11) });
  const counts = async () => {
    const [newest] = JSON.parse(await parcela('remessa', 'list', '--bank', 'sicredi', '--json')).items;
    return [newest.accepted, newest.refused];
  };
  // With our own number beside it the line is ours, but answers nothing with another value.
  const document = ourNumber.slice(-10);
  const refused = await returned(number, '03', 3_301, { name: 'refused', document });
  assert.match(refused, new RegExp(`unclear code 03 .* of boleto ${ourNumber}`));
  const later = await returned(number, '14', 3_301, { name: 'later', document, dueOn: inDays(11) });
  assert.match(later, new RegExp(`unclear code 14 .* of boleto ${ourNumber}`));
  assert.equal((await read(shop, id)).body.dueDate, inDays(10));
  assert.deepEqual(await counts(), [0, 0]);
  await returned(number, '02', 3_300, { name: 'ours', company: '0062311222333000181' });
  assert.deepEqual(await counts(), [1, 0]);
  const other = await returned(number, '06', 3_301, { name: 'cents', document });
  assert.match(other, new RegExp(`with our numbers, .*: ${ourNumber}`));
  assert.equal((await read(shop, id)).body.statusBill, STATUS_BILL.issued);
});

test('Sicredi’s return file in CNAB 240 confirms, pays and ends, and names nothing by what it has for our number', async () => {
  await setUp('change', { layout: '240' });
  const [paid, ended] = [await issued(34), await issued(35)];
  const lines = await made();
  const document = (bill: Bill) => {
    const number = bill.barCode.slice(21, 30);
    const line = lines.find((one) => one[13] === 'P' && one.slice(37, 46) === number);
    return line?.slice(62, 72) ?? '';
  };
  assert.equal(document(paid), paid.ourNumber.slice(-10));
  const [ofPaid, ofEnded] = [paid, ended].map(({ barCode }) => barCode.slice(21, 30)) as [string, string];
  // Another one's: eleven digits that are one of our numbers are a document and an installment.
  for (const other of [paid.ourNumber, `${document(ended)}1`]) {
    const printed = await returned240('262999990', '06', 3_400, other);
    assert.match(printed, /boletos of others +1$/m);
  }
  for (const other of ['8457', `${document(ended)} 01`]) {
    assert.match(await returned240(ofPaid, '06', 3_400, other), /boletos of others +1$/m);
  }
  await returned240(ofPaid, '02', 3_400, `${document(paid)} 01`);
  await returned240(ofEnded, '02', 3_500, '');
  const [newest] = JSON.parse(await parcela('remessa', 'list', '--bank', 'sicredi', '--json')).items;
  assert.deepEqual([newest.accepted, newest.refused], [2, 0]);
  // With another value it is still named, and shown.
  const unfit = await returned240(ofPaid, '06', 3_401, `${document(paid)}1`);
  assert.match(unfit, new RegExp(`with our numbers, .*: ${paid.ourNumber}`));
  await returned240(ofPaid, '06', 3_400, `${document(paid)}1`);
  await untilStatus(shop, paid.id, STATUS_BILL.paid);
  assert.equal((await cancel(shop, ended.id)).status, 202);
  await made();
  await returned240(ofEnded, '09', 3_500, `${document(ended)}01`);
  await untilStatus(shop, ended.id, STATUS_BILL.canceled);
  await setUp('change', { layout: '400' });
});

test('what has another agreement in its bar code is left out and named, and keeps its bar code', async () => {
  const filed = await issued(36);
  await made();
  const printed = await issued(37);
  await setUp('change', { companyCode: '00624' });
  const issuedUnder = (code: string) =>
    until('the agreement is changed', async () => {
      const bill = await issued(38);
      if (bill.barCode.slice(36, 41) === code) return bill;
      await cancel(shop, bill.id);
      return null;
    });
  const other = await issuedUnder('00624');
  assert.equal((await cancel(shop, filed.id)).status, 202);
  const { body } = await changeDay(shop, printed.id, inDays(20));
  assert.deepEqual([body.dueDate, String(body.barCode).slice(19)], [inDays(20), printed.barCode.slice(19)]);
  const make = ['remessa', 'make', '--bank', 'sicredi', '--folder', shop.service.folder];
  const { exitCode, printed: said } = await run(...make);
  assert.equal(exitCode, 1);
  assert.match(said, /: 1 instructions\./);
  const why = 'its bar code has another agreement with bank 748';
  assert.ok(said.includes(`write-off of ${filed.ourNumber}: ${why}`), said);
  assert.ok(said.includes(`registration of ${printed.ourNumber}: ${why}`), said);
  assert.ok(!said.includes(other.ourNumber), said);
  await setUp('change', { layout: '400' });
  await issuedUnder('00623');
  const told = (await made()).map((line) => `${line.slice(108, 110)} ${line.slice(47, 56)}`);
  assert.ok(told.includes(`02 ${filed.barCode.slice(21, 30)}`), String(told));
  assert.ok(told.includes(`01 ${printed.barCode.slice(21, 30)}`), String(told));
});

test('the layout is a setting of the provider; another one is refused by its name', async () => {
  const { id, barCode } = await issued(20);
  await made();
  await setUp('change', { layout: '240' });
  assert.equal((await cancel(shop, id)).status, 202);
  const lines = await made();
  assert.ok(lines.every((line) => line.length === 240));
  const number = barCode.slice(21, 30);
  assert.ok(lines.some((line) => line.slice(13, 17) === 'P 02' && line.slice(37, 46) === number));
  const unknown = await run('provider', 'change', ...words({ ...SICREDI, layout: '444' }));
  assert.notEqual(unknown.exitCode, 0);
  assert.match(unknown.errors, /layout=444 is not 240 or 400 /);
  const unwritten = await setUp('change', { bank: '208', layout: '400' });
  assert.match(unwritten, /layout=400 is not written for bank 208 \(BTG Pactual\): it is 240/);
});

test('a boleto that the layout takes no more is left out and named, and holds up no other', async () => {
  const dueDate = nextDue(true);
  await setUp('change', { layout: '240' });
  await until('the layout is 240', async () => {
    const { status } = await issue(shop, { value: 20, dueDate, daysToExpire: 60 });
    return status === 402 ? status : null;
  });
  const filed = await issuedFor({ value: 21, dueDate: nextDue(false), daysToExpire: 60 });
  assert.equal((await made()).length, 4 + 2);
  assert.equal((await changeDay(shop, filed.id, dueDate)).status, 409);
  assert.equal((await read(shop, filed.id)).body.dueDate, nextDue(false));
  assert.deepEqual(await made(), []);
  await setUp('change', { layout: '400' });
  const late = await until('the layout is changed', async () => {
    const { status, body } = await issue(shop, { value: 22, dueDate, daysToExpire: 60 });
    return status === 200 && body.barCode !== null ? (body as Bill) : null;
  });
  await setUp('change', { layout: '240' });
  assert.equal((await cancel(shop, filed.id)).status, 202);
  const days = daysBetween(dueDate, businessDayFrom(addDays(dueDate, 60)));
  const reason = `bank 748 takes no payment ${days} days after the due day`;
  const database = openDatabase(shop.service.database.address, () => {});
  try {
    // The oldest takes no room from what stands behind it.
    const at = { actor: 'test', origin: 'test' };
    const file = await createRemittance(await auditedTools(database), 'sicredi', today(), at, 1);
    assert.ok(file.kind === 'written');
    assert.equal(file.remittance.instructions, 1);
    assert.deepEqual(file.leftOut, [{ kind: 'register', ourNumber: late.ourNumber, reason }]);
  } finally {
    await database.close();
  }
  const make = ['remessa', 'make', '--bank', 'sicredi', '--folder', shop.service.folder];
  const { exitCode, printed } = await run(...make);
  assert.equal(exitCode, 1);
  assert.ok(
    printed.includes(`Left out, and it waits: registration of ${late.ourNumber}: ${reason}`),
    printed,
  );
  await shop.service.auditor.query(
    "update bank_instructions set created_at = now() - interval '4 days' where our_number = $1",
    [late.ourNumber],
  );
  const doctor = await run('doctor', '--json');
  assert.match(doctor.printed, /1 instructions of boletos wait for a file to sicredi, the oldest for more/);
  assert.equal((await cancel(shop, late.id)).body.statusBill, STATUS_BILL.canceled);
  assert.deepEqual(await made(), []);
});

test('what waits with a number that a layout has no room for goes into its files once the layout is back', async () => {
  const settings = {
    ...{ bank: '033', branch: '0059', branchDigit: '7', account: '13000123', accountDigit: '4' },
    ...{ companyCode: '1899775', portfolio: '102', transmissionCode: '00591899775013000123' },
    ...{ companyName: SICREDI.companyName, companyDocument: SICREDI.companyDocument },
  };
  const change = (layout: string) =>
    parcela('provider', 'change', ...words({ ...settings, layout }, 'santander'));
  await parcela('provider', 'add', ...words(settings, 'santander'));
  await routeTo('santander');
  const { barCode } = await issued(30, '033');
  await change('400');
  assert.deepEqual(await made('santander'), []);
  const { printed } = await run('doctor', '--json');
  assert.match(
    printed,
    /instructions of boletos wait for a file to bank 033, which santander writes no more/,
  );
  await change('240');
  const lines = await made('santander');
  const number = barCode.slice(27, 40);
  assert.ok(lines.some((line) => line.slice(13, 17) === 'P 01' && line.slice(44, 57) === number));
  await change('400');
  const again = await run('remessa', 'show', '--bank', 'santander', '--number', '1');
  assert.match(again.errors, /the settings of the bank have changed since/);
});

test('a file is of ours where the bank was told by a provider that is a bridge now, and of another company', async () => {
  await routeTo('sicredi');
  await setUp('change', { layout: '400' });
  const { id, barCode, ourNumber } = await issued(47);
  await made();
  // The next boletos ask no bridge.
  await routeTo('santander');
  await issued(48, '033');
  const settings = { ...SICREDI, companyDocument: '99888777000166' };
  await parcela('provider', 'add', ...words(settings, 'sicredi-dois'));
  const [number, document] = [barCode.slice(21, 30), ourNumber.slice(-10)];
  const company = `00623${SICREDI.companyDocument}`;
  const bridge = ['--adapter', 'bridge', '--url', 'http://127.0.0.1:9'];
  await parcela('provider', 'change', '--kind', 'bank', '--name', 'sicredi', ...bridge);
  const printed = await returned(number, '06', 4_700, { name: 'bridge', company, document });
  assert.match(printed, /changes of our boletos +1, of which 1 are new$/m);
  assert.doesNotMatch(printed, /another company/);
  await untilStatus(shop, id, STATUS_BILL.paid);
});

const INTER = {
  ...{ bank: '077', account: '123456', accountDigit: '7', operation: '1234567' },
  companyName: SICREDI.companyName,
};

test('Inter is told of registrations alone', async () => {
  const range = { firstNumber: '0004309540', lastNumber: '0004999999' };
  await parcela('provider', 'add', ...words({ ...INTER, ...range }, 'inter'));
  await routeTo('inter');
  const [filed, unfiled] = [await issued(40, '077'), await issued(41, '077')];
  assert.equal((await changeDay(shop, unfiled.id, inDays(20))).body.dueDate, inDays(20));
  assert.equal((await cancel(shop, unfiled.id)).body.statusBill, STATUS_BILL.canceled);
  const numbers = (await made('inter')).slice(1, -1).map((line) => line.slice(89, 100));
  assert.ok(numbers.includes(filed.barCode.slice(33)), String(numbers));
  assert.ok(!numbers.includes(unfiled.barCode.slice(33)), String(numbers));
  const paper = numbersOnPaper(filed.barCode as BarCode, filed.ourNumber);
  assert.match(paper?.bankNumber ?? '', /^00019\/110\/0004\d{6}-\d$/);
  assert.equal((await cancel(shop, filed.id)).status, 409);
  assert.equal((await changeDay(shop, filed.id, inDays(20))).status, 409);
  const { body } = await read(shop, filed.id);
  assert.deepEqual([body.statusBill, body.dueDate], [STATUS_BILL.issued, inDays(10)]);
  assert.deepEqual(await made('inter'), []);
});

test('two providers of one bank give no two boletos the same number', async () => {
  const range = { firstNumber: '0005000001', lastNumber: '0005000001' };
  await parcela('provider', 'add', ...words({ ...INTER, ...range }, 'inter-um'));
  await routeTo('inter-um');
  const number = await until('the number is given', async () => {
    const { body } = await issue(shop, { value: 42 });
    const given = String(body.barCode).slice(33, 43);
    return given === range.firstNumber ? given : null;
  });
  const other = { firstNumber: '0005000001', lastNumber: '0005000002' };
  await parcela('provider', 'add', ...words({ ...INTER, ...other }, 'inter-dois'));
  await routeTo('inter-dois');
  const second = await until('the other number is given', async () => {
    const { body } = await issue(shop, { value: 43 });
    return typeof body.barCode === 'string' ? body.barCode.slice(33, 43) : null;
  });
  assert.deepEqual([number, second], [other.firstNumber, other.lastNumber]);
  for (const value of [44, 45]) assert.equal((await issue(shop, { value })).status, 402);
});

test('a number that another provider of the bank is just taking is waited for, and not given', async () => {
  const number = '0005000003';
  await parcela(
    'provider',
    'add',
    ...words({ ...INTER, firstNumber: number, lastNumber: number }, 'inter-tres'),
  );
  const client = new pg.Client(shop.service.database.address);
  await client.connect();
  const statuses: number[] = [];
  let isTaken = false;
  try {
    const { rows } = await client.query('select pg_backend_pid() as id');
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('bank numbers|077|${number}', 0))`);
    await client.query("update bank_instructions set bank_number = $1 where bank = 'inter-um'", [number]);
    await routeTo('inter-tres');
    const issuing = (async () => {
      while (!isTaken) statuses.push((await issue(shop, { value: 46 })).status);
    })();
    await until('the boleto waits', async () => {
      const waiting = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
      return (await shop.service.auditor.query(waiting, [rows[0].id])).length > 0;
    });
    await client.query('commit');
    isTaken = true;
    await issuing;
  } finally {
    isTaken = true;
    await client.end();
  }
  assert.deepEqual([...new Set(statuses)], [402]);
});

test('a return file of another company is told in both languages, and taken all the same', async () => {
  const made = long(today());
  const imported = async (document: string) => {
    const lines = [
      { 1: '03300000', 17: `20${document}`, 143: `2${made}093000`, 158: '000217' },
      { 1: '03300011T01' },
      { 1: '03300015', 18: '000000' },
      { 1: '03399999', 18: '000001000004' },
    ].map((texts) => `${put(240, texts)}\r\n`);
    const path = join(shop.service.folder, `de-${document}.ret`);
    await writeFile(path, lines.join(''), 'latin1');
    return parcela('boletos', 'import', path);
  };
  assert.match(
    await imported('99888777000166'),
    /it is of another company .*\(o arquivo é de outro beneficiário/,
  );
  assert.doesNotMatch(await imported(SICREDI.companyDocument), /another company/);
});
