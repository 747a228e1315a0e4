import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { declaredStatements, openDatabase } from '../../src/platform/postgres/database.ts';
import { readPeriodSums } from '../../src/transactions/read-sale-counts.ts';
import { addDays, type Day, instant, saoPauloDay, startOfSaoPauloDay } from '../../src/values/instant.ts';
import { readSourceTree } from '../architecture/source-tree.ts';
import { boletoRequest, force, inDays, issue, shopOf } from '../boletos/boleto-service.ts';
import { createTestDatabase } from '../kit/database.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { cancel, charge, ledger, pay as payPix, pixShopOf, untilStatus } from '../pix/pix-service.ts';
import { type MerchantThings, makeThings } from './merchant-things.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let home: string;
let viewer: Visitor;
let token: string;
let things: MerchantThings;
before(async () => {
  service = await openTestService({ PARCELA_DISPUTE_DAYS: '10' });
  const demo = await service.demo();
  home = `/console/merchants/${demo.merchantId}`;
  viewer = await signedIn(service, 'viewer', demo.merchantId);
  token = await logIn(service.gatewayUrl, demo.gateway);
  things = await makeThings(service);
});
after(() => service.close());

async function wordsAt(path: string): Promise<string> {
  const { status, text } = await viewer.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return wordsOf(text);
}

const reais = (cents: number) => wordsOf(REAIS.format(cents / 100));
const REAIS = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

test('the first page leads to all that needs somebody, and says where nothing does', async () => {
  const page = `${home}/today`;
  assert.match(await wordsAt(page), /Precisa de você Nada pendente com você\./);
  const { integration, accountNumber } = await service.demo();
  const integrationToken = await logIn(service.integrationUrl, integration, '/api/authentication/login');
  const path = `/api/billissuer/new?accountNumber=${accountNumber}`;
  const body = boletoRequest({ dueDate: inDays(2) });
  const boleto = await call(service.integrationUrl, path, { token: integrationToken, body });
  assert.equal(boleto.status, 200, boleto.text);
  // Where nobody sends anything any more, like a server of callbacks that is gone.
  await service.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, created_by)
     select merchant_id, 'origin:https://gone.example:443', 'o teste' from accounts where account_number = $1`,
    [accountNumber],
  );
  await service.auditor.query(
    `update webhook_endpoints set opened_until = now() + interval '1 hour', failing_since = now()`,
  );
  const { text } = await viewer.turnTo(page);
  const needs = [...text.matchAll(/<span class="badge \w+">(\d+)<\/span> <a href="([^"]+)">([^<]+)</g)].map(
    ([, count, href = '', title]) => ({ count, href: href.replaceAll('&amp;', '&'), title }),
  );
  assert.deepEqual(
    needs.map(({ count, title }) => [count, title]),
    [
      ['1', 'Endereços que não recebem notificações'],
      ['1', 'Boletos que vencem em até três dias'],
    ],
  );
  const [addresses, boletos] = await Promise.all(needs.map(({ href }) => wordsAt(href)));
  assert.match(addresses ?? '', /Com falha desde .* Em tentativa/);
  assert.match(boletos ?? '', /1 no total/);
  await service.auditor.query('update webhook_endpoints set opened_until = null, failing_since = null');
});

test('the first page sums what the ledgers of acquirer and bank have of today, and what the books expect', async () => {
  const shop = await pixShopOf(service);
  const { reply } = await pay(service.gatewayUrl, token, 12_990);
  for (const amount of [4_990, 1_005]) await pay(service.gatewayUrl, token, amount);
  const given = await cancel(shop, reply.body.paymentAuthorization.paymentId, { amount: 2_500 });
  assert.equal(given.status, 200, given.text);
  const { body: pix } = await charge(shop);
  await payPix(shop, pix.txid);
  await untilStatus(shop, pix.paymentId, 'Paga');
  assert.equal((await cancel(shop, pix.paymentId, { amount: 1_000 })).status, 200);

  const boletos = await shopOf(service);
  const { id } = (await issue(boletos)).body;
  assert.equal((await force(boletos, id, { type: 'paid' })).status, 200);

  // Nobody expected it: neither sold nor given back.
  const second = await payPix(shop, pix.txid, { force: true });
  await until('the second Pix is given back', async () => {
    const { status } = await cancel(shop, pix.paymentId, { endToEndId: second });
    return status === 200 || null;
  });

  type Booked = { readonly status: string; readonly amount: number; readonly canceledAmount: number };
  const { body } = await call(service.gatewayUrl, '/homologation/acquirer/charges', { token });
  const booked = body.items as Booked[];
  const approved = booked.filter(({ status }) => status === 'approved' || status === 'canceled');
  const answered = booked.filter(({ status }) => status !== 'undone');
  const atBank = await ledger(shop, 'pix');
  assert.equal(atBank.length, 2);
  const sold = approved.reduce((sum, { amount }) => sum + amount, 14_990);
  const back = approved.reduce((sum, { canceledAmount }) => sum + canceledAmount, 1_000);
  const [books] = await until('all that was sold is expected', async () => {
    const rows = await service.auditor.query(
      `select sum(expected_net)::int as open, count(distinct transaction_id)::int as sales from receivables`,
    );
    return rows[0]?.sales === approved.length && rows;
  });
  const shown = [
    `Vendido hoje ${reais(sold)} Ontem ${reais(0)} Vendas: ${approved.length + 1}: `,
    `Aprovação de cartões ${(Math.round((1_000 * approved.length) / answered.length) / 10).toLocaleString('pt-BR')}% Ontem –`,
    `${approved.length} de ${answered.length} respondidas`,
    `A receber ${reais(books?.open as number)} `,
    `Estornado hoje ${reais(back)} Ontem ${reais(0)} Estornos: 2`,
    `Boletos pagos hoje ${reais(14_990)} Ontem, o dia todo: ${reais(0)} (0)`,
  ];
  await until('the page has it', async () => {
    const words = await wordsAt(`${home}/today`);
    return shown.every((one) => words.includes(one)) || null;
  }).catch(async () => assert.deepEqual(await wordsAt(`${home}/today`), shown));
  const { text } = await viewer.turnTo(`${home}/today`);
  const list = /href="([^"]+)">Pix R/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.match(await wordsAt(list), /Pix Paga Devolvida em parte R\$ 149,90/);
  const partly = await viewer.turnTo(`${home}/payments?status=partlyReturned`);
  const words = wordsOf(partly.text);
  assert.match(words, /Pix Paga Devolvida em parte R\$ 149,90/);
  assert.match(words, /Autorizada Estornada em parte R\$ 129,90 .* 2 no total/);
  const csv = /href="([^"]+payments\.csv[^"]*)"/.exec(partly.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.equal((await viewer.turnTo(csv)).text.trim().split('\r\n').length, 3, 'its file has the same two');

  // The charts have the same, of seven days; the days before tomorrow are those with today.
  const charts = await wordsAt(`${home}/charts`);
  const byCard = reais(sold - 14_990);
  for (const one of [
    `Vendido ${reais(sold)} Antes: ${reais(0)} cartão ${byCard}, Pix ${reais(14_990)}`,
    `Estornado ${reais(back)} Antes: ${reais(0)}`,
    `Boletos pagos ${reais(14_990)} Antes, em dias inteiros: ${reais(0)} (0)`,
    `${byCard} ${reais(0)} ${approved.length}`,
  ])
    assert.ok(charts.includes(one), `${one}: ${charts}`);
  assert.match(charts, /Taxa de aprovação .* % das transações respondidas 0% 25% 50% 75% 100%/);
  const later = await wordsAt(`${home}/charts?from=${inDays(1)}&to=${inDays(7)}`);
  assert.ok(later.includes(`Vendido ${reais(0)} Antes: ${reais(sold)} (-100%)`), later);
  assert.ok(later.includes(`Boletos pagos ${reais(0)} Antes, em dias inteiros: ${reais(14_990)} (1)`), later);
  const earlier = await wordsAt(`${home}/charts?from=${inDays(-7)}&to=${inDays(-1)}`);
  assert.ok(!earlier.includes('Boletos pagos'), earlier);
});

test('summed in rounds of any size all that moved is the same, and what is cut says so', async () => {
  const shop = await pixShopOf(service);
  const { reply } = await pay(service.gatewayUrl, token, 9_000);
  for (const amount of [1_000, 2_000])
    assert.equal((await cancel(shop, reply.body.paymentAuthorization.paymentId, { amount })).status, 200);
  for (const amount of [700, 800]) {
    const { body: pix } = await charge(shop);
    await payPix(shop, pix.txid);
    await untilStatus(shop, pix.paymentId, 'Paga');
    assert.equal((await cancel(shop, pix.paymentId, { amount })).status, 200);
  }
  const boletos = await shopOf(service);
  const { id } = (await issue(boletos)).body;
  assert.equal((await force(boletos, id, { type: 'paid' })).status, 200);

  // The file of payments has of each what the bank has, less the fee and what went back.
  const { text: file } = await viewer.ask(`${home}/payments.csv`);
  const [heads = '', ...rows] = file.slice(1).split('\r\n');
  const cellsOf = (paymentId: string) => {
    const cells = rows.find((row) => row.includes(paymentId))?.split(';') ?? [];
    return ['Taxas', 'Líquido', 'Recebido'].map((title) => cells[heads.split(';').indexOf(title)]);
  };
  const written = (cents: number) => `"${(cents / 100).toFixed(2).replace('.', ',')}"`;
  const [newest] = await service.auditor.query(
    'select pix_id from pix_charges order by created_at desc limit 1',
  );
  const { body: paidPix } = await call(service.gatewayUrl, `/v1/payments/${newest?.pix_id}`, { token });
  const { fee, paidAmount } = paidPix;
  assert.deepEqual(cellsOf(paidPix.paymentId), [fee, paidAmount - fee - 800, paidAmount - fee].map(written));
  assert.deepEqual(cellsOf(id), [0, 14_990, 14_990].map(written));
  const [booked] = await service.auditor.query(
    `select (select array[count(*), sum(amount)]::int[] from pix_payments where surprise is null) as pix,
       (select array[count(*), sum(amount)]::int[] from boleto_payments) as boletos,
       (select array[count(*), sum(amount)]::int[] from (
          select amount from cancels where state = 'canceled' union all
          select r.amount from pix_refunds r join pix_payments p using (merchant_id, pix_id, end_to_end_id)
          where r.state = 'refunded' and p.surprise is null) b) as back`,
  );
  const database = openDatabase(service.database.address, () => {});
  try {
    const today = saoPauloDay(instant(Date.now()));
    const sum = async (days: number, size?: { sales: number; rounds: number }) => {
      const period = {
        from: startOfSaoPauloDay(addDays(today, days - 1)),
        before: startOfSaoPauloDay(addDays(today, days + 1)),
      };
      const read = await readPeriodSums((_, ask) => ask(database), boletos.merchantId, period, size);
      return [read.pix, read.boletos, read.givenBack].map(({ count, amount, isCut }) => [
        [count, amount],
        isCut,
      ]);
    };
    const whole = [booked?.pix, booked?.boletos, booked?.back].map((one) => [one, false]);
    for (const sales of [1, 2, 3, 100])
      assert.deepEqual(await sum(0, { sales, rounds: 20 }), whole, `${sales}`);
    const cut = await sum(0, { sales: 1, rounds: 1 });
    assert.deepEqual([cut[0], cut[2]?.[1]], [[[1, 14_990], true], true]);
    const none = [[0, 0], false];
    assert.deepEqual(
      await sum(-30, { sales: 1, rounds: 1 }),
      [none, none, none],
      'what came later cuts nothing',
    );
  } finally {
    await database.close();
  }
});

test('what cannot be read now says so on the first page, and all else is there', async () => {
  const locker = new pg.Client(service.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table webhook_endpoints in access exclusive mode');
    const words = await wordsAt(`${home}/today`);
    assert.match(
      words,
      /Vendido hoje R\$ .*\? Endereços que não recebem notificações Não foi possível ler agora\. .* 1 Boletos que/,
    );
  } finally {
    await locker.end();
  }
});

test('charts count all payments of whole days, and say what retrying would cost', async () => {
  for (const amount of [1_000, 1_051, 1_051, 1_004])
    await pay(service.gatewayUrl, token, amount, { referenceTransaction: `GRAFICO-${amount}` });
  const [booked] = await service.auditor.query(
    `select count(*) filter (where state = 'approved')::int as approved,
       count(*) filter (where state = 'declined')::int as declined from transactions`,
  );
  const whole = `Aprovadas: ${booked?.approved}. Negadas: ${booked?.declined}. Sem resposta`;
  const words = await until('all of them are counted', async () => {
    const read = await wordsAt(`${home}/charts`);
    return read.includes(whole) && read;
  });
  assert.match(words, /Situação em \d/, 'one moment of all');
  assert.match(words, /Aprovações por hora .*\d\dh \d+ \d+ \d/);
  assert.match(words, /51 Mastercard: Saldo ou limite insuficiente 3 0 R\$ 0,00/);
  assert.match(words, /Tentar cada uma mais uma vez custaria R\$ [\d,.]+ em tarifas das bandeiras/);
  assert.match(words, /Elo 15 em 30 dias R\$ 0,80/);
  assert.match(words, /Visa 20 em 30 dias US\$ 0,10/);
  const days = await wordsAt(`${home}/charts?from=2026-01-01&to=2026-01-31`);
  assert.match(days, /Nenhum pagamento com cartão nestes dias\./);
  assert.ok(!/Vendido no cartão|Taxa de aprovação|Aprovações por/.test(days), days);
  assert.match(await wordsAt(`${home}/charts?from=2026-01-01&to=2026-02-01`), /no máximo 31 dias/);
});

test('charts say where they leave something out: rare codes, and the oldest of very many retries', async () => {
  const all = await wordsAt(`${home}/charts`);
  assert.ok(!all.includes('os 15 mais frequentes') && !all.includes('só se conta desde'));
  await service.auditor.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object(
       'transaction_id', gen_random_uuid(), 'response_code', concat('Z', chr(64 + n))))).*
     from transactions t, generate_series(1, 16) n
     where t.transaction_id = (select transaction_id from transactions where state = 'declined' limit 1)`,
  );
  const rare = /De \d+ códigos aparecem os 15 mais frequentes; o custo de tentar de novo conta todos\./;
  await until('what is new is counted', async () => rare.test(await wordsAt(`${home}/charts`)));
  await service.auditor.query(
    `insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, started_at, ended_at,
       outcome, created_by)
     select merchant_id, billing_id, 1000 + n, 2, now(), now(), 'voided', 'o teste'
     from billings, generate_series(1, 300001) n where billing_id = $1`,
    [things.billingId],
  );
  // As autovacuum leaves it: the index alone is read.
  await service.auditor.query('vacuum analyze billing_charges');
  const cut = /Recuperadas .* Há mais: só se conta desde \d/;
  await until('they are counted', async () => cut.test(await wordsAt(`${home}/charts`)));
});

test('the calendar sums up the billings of a month by day and state, and each day leads to them', async () => {
  const { text } = await viewer.turnTo(`${home}/calendar`);
  const words = wordsOf(text);
  assert.match(words, /Vencimento A cobrar Não pôde ser cobrada Cancelada Negada Paga/);
  assert.match(words, /\d\d\/\d\d\/\d{4} Hoje R\$ 10,51 \(1\)/);
  assert.match(words, /Do mês R\$ 10,51 \(1\)/);
  const day = /href="([^"]+\/billings\?[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const list = await viewer.turnTo(day);
  assert.ok(list.text.includes(`href="${home}/billings/${things.billingId}"`), wordsOf(list.text));
  assert.match(
    await wordsAt(`${home}/calendar?day=2031-02-10`),
    /01\/02\/2031 a 28\/02\/2031 Nenhuma cobrança/,
  );
});

test("a subscription's year shows what became of its due days and what is ahead", async () => {
  const page = `${home}/subscriptions/${things.subscriptionId}/calendar`;
  const { text } = await viewer.turnTo(page);
  assert.ok(text.includes(`href="${home}/billings/${things.billingId}"`));
  const [year] = /\?year=(\d{4})/.exec(text)?.slice(1) ?? [];
  const next = await wordsAt(`${page}?year=${Number(year) + 2}`);
  assert.equal(next.match(/R\$ 10,51 Previsão/g)?.length, 12, next);
  assert.equal((await viewer.turnTo(`${home}/subscriptions/no-such/calendar`)).status, 404);
});

test('a payment says in a sentence what became of it, with its installments and what they bring', async () => {
  const { reply } = await pay(service.gatewayUrl, token, 12_990, {
    payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
    configSplit: [{ documentNumberBeneficiary: '11222333000181', percent: 10.5 }],
  });
  const page = `${home}/payments/${reply.body.paymentAuthorization.paymentId}`;
  const words = await until('what it is to bring is known', async () => {
    const read = await wordsAt(page);
    return read.includes('a receber, a próxima') && read;
  });
  assert.match(words, /O emissor aprovou\. R\$ [\d,]+ a receber, a próxima em \d\d\/\d\d\/\d{4}\./);
  assert.match(words, /1 R\$ 43,30 R\$ 0,00 Autorizada R\$ [\d,]+ R\$ [\d,]+ \d\d\/\d\d\/\d{4} –/);
  assert.match(words, /11\.222\.333\/0001-81 10,5%/);
  const declined = await pay(service.gatewayUrl, token, 1_051, { referenceTransaction: 'NEGADA-1' });
  assert.equal(declined.reply.status, 402, declined.reply.text);
  const list = await viewer.turnTo(`${home}/payments?referenceTransaction=NEGADA-1`);
  const path = new RegExp(`href="(${home}/payments/[^"/]+)"`).exec(list.text)?.[1] ?? '';
  assert.match(await wordsAt(path), /O emissor negou \(51 .+\)\. Outra tentativa pode dar certo\./);
});

test('the sheet of a day says what was sold, what is due and what is missing', async () => {
  const [first] = await until('what is owed is known', async () => {
    const rows = await service.auditor.query('select min(expected_on)::text as day from receivables');
    return rows[0]?.day === null ? null : rows;
  });
  const list = await viewer.turnTo(`${home}/reconciliation?from=${first?.day}&to=${first?.day}`);
  const path = /href="([^"]+\/reconciliation\/days\/[^"]+)"/.exec(list.text)?.[1] ?? '';
  const ofDay = wordsOf(list.text);
  const [sums] = await service.auditor.query(
    `select sum(gross)::int as sold, sum(expected_fee)::int as fees, sum(expected_net)::int as net,
       sum(gross - expected_fee - expected_net)::int as given
     from receivables where expected_on = $1`,
    [first?.day],
  );
  const of = (name: string) => reais(Number(sums?.[name]));
  const gross = reais(Number(sums?.fees) + Number(sums?.net));
  const fees = sums?.fees === 0 ? '–' : `-${of('fees')}`;
  assert.ok(
    ofDay.includes(' A receber Recebido Diferença '),
    'what is to come is not missing, nor taken off',
  );
  assert.ok(ofDay.includes(`${gross} ${fees} ${of('net')} ${of('net')} – – `), 'it is not compared');
  assert.ok(ofDay.includes(`A receber ${of('net')} de dias que ainda não terminaram`), ofDay);
  const due = await wordsAt(path.replaceAll('&amp;', '&'));
  assert.match(
    due,
    /Esperado, líquido R\$ [\d.,]+ [1-9]\d* Disso, a receber -R\$ [\d.,]+ .* Saldo com outros dias R\$ 0,00/,
  );
  const given = sums?.given === 0 ? reais(0) : `-${of('given')}`;
  assert.ok(due.includes(`Vendido, bruto ${of('sold')} Estornado antes do pagamento ${given} `), due);
  const month = `${home}/receivables?day=${first?.day}`;
  const grid = wordsOf((await viewer.turnTo(month)).text);
  const on = `${String(first?.day).split('-').toReversed().join('/')}`;
  assert.ok(grid.includes(`${on} ${of('net')} a receber`), grid);
  assert.match(due, /Causa Valor Linhas Esperado, líquido R\$ [\d.,]+ Nenhum arquivo do dia chegou -R\$ /);
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' });
  assert.match(
    await wordsAt(`${home}/reconciliation/days/${today}`),
    /Vendas: [1-9]\d* .*Vendido, bruto R\$ [\d.,]+ [1-9]\d* Estornado .*Não há o que comparar neste dia\./,
  );
  const rows = async () => {
    const [row] = await service.auditor.query(
      `select sum(gross)::int as gross, sum(gross - expected_fee - expected_net)::int as before,
         sum(expected_fee)::int as fees, sum(expected_net)::int as net,
         sum(expected_net) filter (where paid_on is not null)::int as came,
         sum(canceled)::int - sum(gross - expected_fee - expected_net)::int as behind from receivables`,
    );
    return (name: string) => Number(row?.[name]);
  };
  // One came, and a part of it went back behind its payout.
  await service.auditor.query(
    `update receivables set paid_on = expected_on, canceled = canceled + 100
     where (transaction_id, installment_number) = (
       select transaction_id, installment_number from receivables where canceled = 0 and expected_net > 100
       order by expected_on desc, transaction_id, installment_number limit 1)`,
  );
  const of7 = await rows();
  const minus = (name: string) => (of7(name) === 0 ? reais(0) : `-${reais(of7(name))}`);
  const soldWords = await wordsAt(`${home}/reconciliation/days/${today}`);
  assert.ok(of7('behind') === 100 && of7('came') > 0);
  assert.equal(of7('gross') - of7('before') - of7('fees'), of7('net'));
  assert.match(soldWords, new RegExp(`Vendido, bruto ${reais(of7('gross')).replaceAll(/[$.]/g, '\\$&')} `));
  assert.ok(
    soldWords.includes(
      `Estornado antes do pagamento ${minus('before')} Taxas ${minus('fees')} Esperado, líquido ${reais(of7('net'))} ` +
        `Disso, recebido ${reais(of7('came'))} Disso, a receber ${reais(of7('net') - of7('came'))} ` +
        `Estornado depois do pagamento -${reais(100)}`,
    ),
    soldWords,
  );
  for (const day of ['2026-02-30', 'x', '9999-01-01'])
    assert.equal((await viewer.turnTo(`${home}/reconciliation/days/${day}`)).status, 404, day);
  const other = await viewer.turnTo(`${home}/reconciliation/days/${today}?accountNumber=999`);
  assert.equal(other.status, 404);
});

test('what has not come of a day that is over is missing only once files tell of it and of its days of grace', async () => {
  const { accountNumber, merchantId } = await service.demo();
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' }) as Day;
  const day = addDays(today, -3);
  await service.auditor.query(
    `insert into receivable_days (merchant_id, account_number, day, expected_count, expected_net, expected_fee,
       open_count, open_net, received_count, received_net, received_fee, without_net_count, unfiled_count,
       unfiled_net, differing_count, difference)
     values ($1, $2, $3, 1, 9750, 250, 1, 9750, 0, 0, 0, 0, 0, 0, 0, 0)`,
    [merchantId, accountNumber, day],
  );
  const page = `${home}/reconciliation?from=${day}&to=${day}`;
  const cover = (last: Day) =>
    service.auditor.query(
      `insert into settlement_coverages (merchant_id, format, establishment, covered_from, covered_to, looked_to)
       values ($1, 'rede-eefi', '0', $2::date - 9, $3, $3)
       on conflict (merchant_id, format, establishment) do update set covered_to = excluded.covered_to`,
      [merchantId, day, last],
    );
  const waits = /Falta R\$ 0,00 .*Ainda sem arquivo R\$ 97,50 .*Ainda sem arquivo da adquirente: R\$ 97,50\./;
  assert.match(await wordsAt(page), waits, 'no file has come');
  await cover(addDays(day, 1));
  assert.match(await wordsAt(page), waits, 'a file may tell of it two days later');
  const sheet = `${home}/reconciliation/days/${day}`;
  assert.match(await wordsAt(sheet), /Ainda sem arquivo -R\$ 97,50/);
  await cover(addDays(day, 2));
  assert.match(await wordsAt(page), /Falta R\$ 97,50 segundo os arquivos .*não recebido: R\$ 97,50\./);
  assert.match(await wordsAt(sheet), /Disso, em falta -R\$ 97,50/);
  await service.auditor.query('delete from settlement_coverages');
  await service.auditor.query('delete from receivable_days where day = $1', [day]);
});

test('chargebacks are a list with the days that are left to answer, as the ledger of the acquirer has them', async () => {
  assert.match(await wordsAt(`${home}/disputes`), /Nenhum chargeback nestes dias\./);
  const { reply } = await pay(service.gatewayUrl, token, 30_000, { referenceTransaction: 'CONTESTADA-1' });
  const { paymentId } = reply.body.paymentAuthorization;
  const events = `/homologation/transactions/${paymentId}/events`;
  const body = { type: 'chargeback', installmentNumber: 1, amount: 12_345 };
  assert.equal((await call(service.gatewayUrl, events, { token, body })).status, 200);
  const page = await until('it is there', async () => {
    const words = await wordsAt(`${home}/disputes`);
    return words.includes('Descontado') && words;
  });
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' });
  const shown = (day: string) => day.split('-').toReversed().join('/');
  const until10 = addDays(today as Day, 10);
  assert.ok(
    page.includes(
      `${shown(today)} CONTESTADA-1 Mastercard •••• 0001 1 R$ 123,45 Descontado 10 dias, até ${shown(until10)}`,
    ),
    page,
  );
  const { body: ledger } = await call(
    service.gatewayUrl,
    `/homologation/acquirer/charges?paymentId=${paymentId}`,
    { token },
  );
  assert.equal(ledger.items[0]?.canceledAmount, 12_345, 'what the page shows is what the acquirer took');
  assert.match(await wordsAt(`${home}/disputes?from=2020-01-01&to=2026-01-01`), /Escolha no máximo um ano\./);
});

test('the account of the charts is chosen where it counts: for the deliveries, with the days that are shown', async () => {
  const chosen = async (query: string) => (await viewer.turnTo(`${home}/charts${query}`)).text;
  assert.ok(!(await chosen('')).includes('name="accountNumber"'), 'there is one account');
  const admin = await signedIn(service, 'admin', null);
  const added = await admin.send(home, `${home}/accounts`, { account: '7654321', reason: 'um teste' });
  assert.equal(added.status, 303, added.text);
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' });
  const page = await chosen(`?from=${today}&to=${today}`);
  const [before = '', deliveries = ''] = page.split('<h2>Entregas</h2>');
  assert.ok(!before.includes('<select'));
  assert.match(
    deliveries,
    /<input type="hidden" name="from" value="\d{4}-\d\d-\d\d">.*<select id="accountNumber"/s,
  );
  assert.match(wordsOf(deliveries), /Entregue [1-9]/);
  const other = await chosen(`?from=${today}&to=${today}&accountNumber=7654321`);
  assert.match(other, /<input type="hidden" name="accountNumber" value="7654321">/, 'other days keep it');
  assert.match(wordsOf(other.split('<h2>Entregas</h2>')[1] ?? ''), /Nada foi enviado nestes dias\./);
});

/** Each statement of the merchant's pages, the index that bounds it, and whether that alone is read. */
const BOUNDS: Readonly<Record<string, readonly [index: string, condition: RegExp, isOnly: boolean]>> = {
  'transactions.count_sales': [
    'transactions_by_sale_day',
    /ROW\(sold_at, transaction_id\) < .*sold_at >= /,
    true,
  ],
  'billing_days.list': ['billing_days_pkey', /merchant_id = .*due_on >= .*due_on <= /, false],
  'billing_charges.count_retries': ['billing_charges_retried', /started_at >= .*started_at < /, true],
  'customers.find_newest_payments': ['transactions_by_customer_day', /upper.*merchant_id = /, false],
  'transactions.find_ids_of_reference': ['transactions_by_reference', /reference_transaction = /, false],
  'pix_charges.find_by_document': ['pix_charges_by_payer_time', /documentNumber.*merchant_id = /, false],
  'pix_payments.sum_paid': ['pix_payments_by_moment', /merchant_id = .*paid_at >= .*paid_at < /, true],
  'pix_refunds.sum_refunded': ['pix_refunds_by_moment', /refunded_at >= .*refunded_at < /, false],
  'cancels.sum_canceled': ['cancels_by_moment', /canceled_at >= .*canceled_at < /, true],
  'boleto_payments.sum_paid': ['boleto_payments_of_day', /paid_on >= .*paid_on < /, false],
  'transactions.sum_sales': [
    'transactions_by_sale_day',
    /ROW\(sold_at, transaction_id\) < .*sold_at >= /,
    false,
  ],
  'boletos.find_by_bar_code': ['boletos_by_bar_code', /bar_code = /, false],
  'boletos.find_by_document': ['boletos_by_payer_time', /documentNumber.*merchant_id = /, false],
  'receivables.list_of_payment': ['receivables_pkey', /transaction_id = /, false],
  'reconciliation_exceptions.sum_cause': [
    'reconciliation_exceptions_of_merchant',
    /merchant_id = .*state = .*class = /,
    false,
  ],
  'settlement_coverages.list_covered_days': ['settlement_coverages_pkey', /merchant_id = /, false],
  'receivables.sum_due': ['receivables_filed', /merchant_id = .*expected_on = /, false],
  'changes.list_disputes': [
    'acquirer_changes_disputes',
    /merchant_id = .*happened_at >= .*happened_at < /,
    false,
  ],
  'receivables.find_money_of_payments': ['receivables_pkey', /merchant_id = .*transaction_id = /, false],
  'receivables.sum_sold': ['receivables_by_sale', /account_number = .*sold_at >= .*sold_at < /, false],
  'changes.list_chargebacks_of_payment': ['acquirer_changes_chargebacks', /reference = /, false],
  'history.list_of_payment': ['deliveries_by_nsu', /nsu = /, false],
  'customers.find_buyers': ['transactions_pkey', /merchant_id = .*transaction_id = ANY/, false],
  'subscriptions.find_buyers_of_billings': ['billings_pkey', /merchant_id = .*billing_id = ANY/, false],
  'buyer_words.find': ['buyer_words_pkey', /merchant_id = .*word >= .*word < /, false],
  'buyer_words.unread': ['subscriptions_by_customer_written', /customer_written_at >= /, false],
  'subscriptions.renew_old_customers': ['subscriptions_by_customer_written', /customer_written_at < /, false],
  'buyer_words.read_cards': ['transactions_with_customer', /created_at >= /, false],
  'buyer_words.read_pix': ['pix_charges_with_payer', /created_at >= /, false],
  'buyer_words.read_boletos': ['boletos_with_payer', /created_at >= /, false],
  'buyer_words.read_subscriptions': ['subscriptions_by_customer_written', /customer_written_at/, false],
  'buyer_notes.list': ['buyer_notes_of_buyer', /document = /, false],
  'payments.find_of_amount': ['transactions_by_sale_day', /sold_at >= .*sold_at < /, false],
  'console_filters.list': ['console_filters_\\w+', /user_id = /, false],
};

/** Of what may be very many, those that are shown are read in their order: nothing is put in order. */
const UNSORTED = [
  'boleto_payments.sum_paid',
  'changes.list_disputes',
  'cancels.sum_canceled',
  'customers.find_newest_payments',
  'pix_payments.sum_paid',
  'pix_refunds.sum_refunded',
  'transactions.find_ids_of_reference',
];

test('planned while nothing is there, every statement of these pages is bounded by its index', async () => {
  const empty = await createTestDatabase({ migrated: true });
  const client = new pg.Client(empty.address);
  await client.connect();
  await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
  try {
    for (const path of readSourceTree().keys())
      if (/^(src|homologation)\/.*\.sql\.ts$/.test(path)) await import(`../../${path}`);
    const texts = new Map(declaredStatements().map(({ name, text }) => [name, text]));
    const unbounded: string[] = [];
    for (const [name, [index, condition, isOnly]] of Object.entries(BOUNDS)) {
      const { rows } = await client.query(`explain (generic_plan, costs off) ${texts.get(name)}`);
      const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
      const scan = new RegExp(
        `(?:^| )Index (Only )?Scan (?:Backward )?using ${index} [^\\n]*\\n *Index Cond: (.*)`,
      ).exec(plan);
      const isBounded = scan !== null && condition.test(scan[2] ?? '') && (!isOnly || scan[1] === 'Only ');
      if (UNSORTED.includes(name) && /(?:^|-> +)Sort\b/m.test(plan)) unbounded.push(`${name}\n${plan}`);
      if (!isBounded || /Seq Scan|Hash Join|Merge Join/.test(plan)) unbounded.push(`${name}\n${plan}`);
    }
    assert.deepEqual(unbounded, []);
  } finally {
    await client.end();
    await empty.drop();
  }
});
