import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { readSaleCounts } from '../../src/transactions/read-sale-counts.ts';
import { addDays, instant, saoPauloDay, startOfSaoPauloDay } from '../../src/values/instant.ts';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { signedIn, UNDER_WAY, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let home: string;
let viewer: Visitor;
let token: string;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  merchantId = demo.merchantId;
  home = `/console/merchants/${merchantId}`;
  viewer = await signedIn(service, 'viewer', merchantId);
  token = await logIn(service.gatewayUrl, demo.gateway);
  for (const amount of [1_000, 1_000, 1_051, 1_051, 1_004])
    await pay(service.gatewayUrl, token, amount, { referenceTransaction: `GRAFICO-${amount}` });
});
after(() => service.close());

/** As it comes at once. */
const wordsAt = async (path: string) => {
  const { status, text } = await viewer.slowly(`${home}/${path}`);
  assert.equal(status, 200, text);
  return wordsOf(text);
};

/** While `look` goes on nobody reads the table, as if it were very large. */
async function whileSlow<T>(table: string, look: () => Promise<T>): Promise<T> {
  const client = new pg.Client(service.database.address);
  await client.connect();
  try {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return await look();
  } finally {
    await client.end();
  }
}

test('what of the charts takes longer than somebody waits is counted on, and the page then shows it', async () => {
  const slow = await whileSlow('billing_charges', () => wordsAt('charts'));
  assert.match(slow, /Estamos contando estes dias\./);
  assert.ok(!slow.includes('Aprovadas:'), slow);
  const { text } = await viewer.turnTo(`${home}/charts`);
  assert.match(wordsOf(text), /Aprovadas: 2\. Negadas: 2\..*Recuperadas por retentativa/);
  assert.match(text, /data-refresh="5"/, 'it reads itself anew');
});

test('the sheet of a day whose installments take long shows the rest of it at once', async () => {
  const due = await until('what is owed is known', async () => {
    const [first] = await service.auditor.query('select min(expected_on)::text as day from receivables');
    return first?.day as string | null;
  });
  const sheet = `reconciliation/days/${due}`;
  const slow = await whileSlow('settlement_matches', () => wordsAt(sheet));
  assert.match(slow, /Esperado, líquido R\$ /);
  assert.match(slow, /Estamos conferindo as parcelas deste dia\./);
  await until('it was gone through, and says of when it is', async () => {
    const { text } = await viewer.turnTo(`${home}/${sheet}`);
    return /Situação em \d\d\/.* Causa Valor Linhas /.test(wordsOf(text));
  });
});

test('payments of a status that are not found at once are read on, and the page then shows them', async () => {
  const list = 'payments?status=Autorizada';
  const slow = await whileSlow('installments', () => wordsAt(list));
  assert.match(slow, /Estamos lendo esta lista\./);
  assert.match(slow, /Final do cartão.*Estamos/s, 'one may ask for something else');
  const { text } = await viewer.turnTo(`${home}/${list}`);
  assert.match(wordsOf(text), /GRAFICO-1000/);
  assert.match(text, /data-refresh="10"/, 'it reads itself anew');
  for (const other of ['payments', 'payments?status=Negada', 'payments?status=Autorizada&lastFour=1111']) {
    const { status } = await whileSlow('installments', () => viewer.slowly(`${home}/${other}`));
    assert.equal(status, 503, `an index has ${other}: it is waited for`);
  }
});

test('a list that is read on is given to those alone who asked for the same of the same merchant', async () => {
  await createForeignMerchant(service.auditor, (await service.demo()).gateway.userName);
  const stranger = await signedIn(service, 'viewer', FOREIGN_MERCHANT);
  const list = 'payments?orderBy=transactionDate%20asc&status';
  const own = { visitor: viewer, path: `${home}/${list}=Autorizada` };
  const others = [
    { visitor: viewer, path: `${home}/${list}=Processando` },
    { visitor: stranger, path: `/console/merchants/${FOREIGN_MERCHANT}/${list}=Autorizada` },
  ];
  await whileSlow('installments', async () => {
    for (const { visitor, path } of [own, ...others])
      assert.ok((await visitor.slowly(path)).text.includes(UNDER_WAY), path);
  });
  await until('it is read', async () => (await own.visitor.slowly(own.path)).text.includes('GRAFICO-1000'));
  for (const { visitor, path } of others) {
    const found = await visitor.turnTo(path);
    assert.ok(!found.text.includes('GRAFICO'), path);
  }
});

test('counted in rounds of any size the sales are the same, also those of one moment', async () => {
  await service.auditor.query(`update transactions set sold_at = date_trunc('hour', sold_at)`);
  const database = openDatabase(service.database.address, () => {});
  try {
    const today = saoPauloDay(instant(Date.now()));
    const period = {
      from: startOfSaoPauloDay(addDays(today, -1)),
      before: startOfSaoPauloDay(addDays(today, 1)),
    };
    const count = (rounds?: { sales: number; rounds: number }) =>
      readSaleCounts((_merchant, ask) => ask(database), merchantId, period, rounds);
    const whole = await count();
    assert.deepEqual([whole.total, whole.countedFrom], [{ approved: 2, declined: 2, other: 1 }, null]);
    for (const sales of [1, 2, 3, 5]) assert.deepEqual(await count({ sales, rounds: 6 }), whole, `${sales}`);
    const cut = await count({ sales: 2, rounds: 2 });
    const { approved, declined, other } = cut.total;
    assert.deepEqual([approved + declined + other, cut.countedFrom], [4, cut.oldestAt]);
    assert.ok(cut.countedFrom !== null);
  } finally {
    await database.close();
  }
});
