import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { boletoRequest } from '../boletos/boleto-service.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let viewer: Visitor;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
  viewer = await signedIn(service, 'viewer', null);
});
after(() => service.close());

async function shown(path: string): Promise<string> {
  const { status, text } = await viewer.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

/** As a charge stands whose answer never came, which nothing asks for within the test. */
async function unanswered(amount: number, hours: number): Promise<string> {
  const { gateway } = await service.demo();
  const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), amount);
  assert.equal(reply.status, 200, reply.text);
  const id = reply.body.paymentAuthorization.paymentId as string;
  await service.auditor.query(
    `update transactions set state = 'unresolved', decided_at = null, authorization_code = null, nsu = null,
       due_at = now() + interval '1 hour', unknown_reason = 'o teste calou', unresolved_since = now() - $2 * interval '1 hour'
     where transaction_id = $1`,
    [id, hours],
  );
  return id;
}

test('what is unknown is listed by its kind, its merchant and its amount, with what is at stake', async () => {
  const small = await unanswered(4_200, 2);
  const large = await unanswered(990_000, 1);
  const order = async (query: string) => {
    const page = await shown(`/console/unresolved${query}`);
    return [...page.matchAll(/href="\/console\/unresolved\/([0-9a-f-]{36})"/g)].map(([, id]) => id);
  };
  assert.deepEqual(await order(''), [small, large], 'the oldest first');
  assert.deepEqual(await order('?order=money'), [large, small]);
  assert.deepEqual(await order('?kind=cancel'), []);
  assert.deepEqual(await order(`?kind=charge&merchant=${merchantId}`), [small, large]);
  assert.deepEqual(await order('?merchant=NINGUEM'), []);
  const words = wordsOf(await shown('/console/unresolved'));
  assert.match(words, /Na adquirente 2, R\$ 9\.942,00/);
  assert.match(words, new RegExp(`${large} Cobrança ${merchantId} R\\$ 9\\.900,00 1 hora`));
  const none = wordsOf(await shown('/console/unresolved?kind=cancel'));
  assert.match(none, /Nenhuma pendência encontrada\./);
});

test('an unknown boleto leads to its own page, which has nothing to print yet', async () => {
  const { integration, accountNumber } = await service.demo();
  const url = service.integrationUrl;
  const token = await logIn(url, integration, '/api/authentication/login');
  const path = `/api/billissuer/new?accountNumber=${accountNumber}`;
  const issued = await call(url, path, { token, body: boletoRequest() });
  assert.equal(issued.status, 200, issued.text);
  const page = `/console/merchants/${merchantId}/boletos/${issued.body.id}`;
  assert.ok((await shown(page)).includes('/pdf"'));
  await service.auditor.query(
    `update boletos set state = 'issuing', bar_code = null, acts_at = null, due_at = now() + interval '1 day',
       unknown_reason = 'o banco calou', unknown_since = now() where boleto_id = $1`,
    [issued.body.id],
  );
  assert.ok((await shown('/console/unresolved?kind=boleto')).includes(`<a href="${page}">`));
  const waiting = await shown(page);
  assert.match(wordsOf(waiting), /Em emissão/);
  assert.ok(!waiting.includes('/pdf"'));
});

test('exceptions are summed by merchant and class, and narrowed by age', async () => {
  const add = (merchant: string, name: string, amount: number, days: number) =>
    service.auditor.query(
      `insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, amount, opened_at)
       values ($1, gen_random_uuid(), concat($2::text, $3::bigint, $4::integer), $2, 'open', $3, now() - $4 * interval '1 day')`,
      [merchant, name, amount, days],
    );
  await add('MUITA', 'notInFile', 500_000, 2);
  await add('MUITA', 'notInFile', -250_000, 40);
  await add('MUITA', 'dateDiffers', 1, 2);
  await add('', 'notInParcela', 70_000, 2);
  const page = await shown('/console/exceptions');
  const words = wordsOf(page);
  assert.match(words, /R\$ 8\.200,01 4 no total/);
  assert.match(words, /MUITA Não consta no arquivo 2 R\$ 7\.500,00 40 dias/);
  assert.match(words, /Estabelecimento desconhecido .* 1 R\$ 700,00/);
  assert.ok(page.includes('href="/console/exceptions?merchant=MUITA&amp;class=notInFile"'));
  const old = wordsOf(await shown('/console/exceptions?olderThan=30'));
  assert.match(old, /R\$ 2\.500,00 1 no total/);
  assert.match(wordsOf(await shown('/console/exceptions?state=healed')), /Nenhuma exceção encontrada\./);
});

test('exceptions of one wrong fee rule are resolved at once, if they are as seen, and lead to the rule', async () => {
  const finance = await signedIn(service, 'finance', null);
  const { gateway } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  for (const amount of [10_000, 20_000, 30_000]) await pay(service.gatewayUrl, token, amount);
  // As files show it that keep one percent more than the rules say.
  const differ = (limit: number) =>
    service.auditor.query(
      `insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, transaction_id,
         installment_number, amount, expected, found)
       select merchant_id, gen_random_uuid(), concat('fee', transaction_id), 'feeDiffers', 'open', transaction_id,
         installment_number, gross / 100, expected_fee::text, (expected_fee + gross / 100)::text
       from receivables where installment_count = 1 and gross in (10000, 20000, 30000) order by gross limit $1
       on conflict do nothing`,
      [limit],
    );
  await until('they are owed', async () => {
    const owed = await service.auditor.query(
      'select from receivables where installment_count = 1 and gross in (10000, 20000, 30000)',
    );
    return owed.length === 3;
  });
  await differ(2);
  const open = async () =>
    service.auditor.query(
      "select amount::int, reason from reconciliation_exceptions where class = 'feeDiffers' and state = 'open'",
    );
  const list = `/console/exceptions?merchant=${merchantId}&class=feeDiffers`;
  const action = `/console/exceptions/of/${merchantId}/feeDiffers/mastercard-1/resolve`;
  const early = (await finance.turnTo(list)).text;
  assert.match(wordsOf(early), /Mastercard, à vista [\d,]+% [\d,]+% 2 R\$ 3,00 a menos Corrigir a regra/);
  assert.match(wordsOf(early), /2 exceções \(R\$ 3,00 a menos\) são resolvidas com um só motivo/);
  await differ(3);
  const late = await finance.slowly(action, { form: { ...hiddenFields(early, action), reason: 'tarde' } });
  assert.deepEqual([late.status, (await open()).length], [409, 3], 'another one has come meanwhile');
  assert.match(wordsOf(late.text), /3 exceções \(R\$ 6,00 a menos\) são resolvidas .*Resolver 3/);
  assert.match(late.text, /class="grave"/);
  const three = (await finance.turnTo(list)).text;
  // As many, of as much money, and yet others than were seen.
  await service.auditor.query(
    `update reconciliation_exceptions e set exception_id = gen_random_uuid(), exception_key = 'swapped'
     where class = 'feeDiffers' and amount = 200`,
  );
  const swapped = await finance.slowly(action, { form: { ...hiddenFields(three, action), reason: 'outra' } });
  assert.deepEqual([swapped.status, (await open()).length], [409, 3], 'one was swapped for another');
  assert.ok(!(await shown(list)).includes('/resolve"'), 'a viewer resolves nothing');
  const [, fees = ''] = /href="(\/console\/fees\?[^"]+)"/.exec((await finance.turnTo(list)).text) ?? [];
  const page = (await finance.turnTo(fees.replaceAll('&amp;', '&'))).text;
  const [portion] = /(?<=name="rules"[^>]* value="mastercard:1=)[\d.]+(?=@\d)/.exec(page) ?? [];
  // Half of one went back behind its payout: what was kept of it was kept of the whole.
  await service.auditor.query('update receivables set canceled = gross / 2 where gross = 10000');
  assert.match(
    (await finance.turnTo(list)).text,
    new RegExp(`portion=${Math.round(Number(portion) * 100)}["&]`),
  );
  const charge = (found: string) =>
    service.auditor.query(
      `update reconciliation_exceptions set found = ${found} where class = 'feeDiffers' and amount = 300`,
    );
  await charge('(found::int + 600)::text');
  const spread = (await finance.turnTo(list)).text;
  assert.match(wordsOf(spread), /[\d,]+% – [\d,]+% 3 R\$ 6,00 a menos Resolver/, 'two rates, and no link');
  await charge('(found::int - 600)::text');
  const done = await finance.send(list, action, { reason: 'regra corrigida com a adquirente' });
  assert.equal(done.status, 303, done.text);
  assert.deepEqual(await open(), []);
  const entries = await service.auditor.query(
    `select detail::json ->> 'count' as count, detail::json ->> 'missing' as missing, detail::json ->> 'brand' as brand
     from audit_entries where action = 'reconciliation.resolve' and resource = 'reconciliation-exceptions'`,
  );
  assert.deepEqual(entries, [{ count: '3', missing: '600', brand: 'mastercard' }]);
});

test('versions of the fees stand side by side, with what differs marked, of all and of a merchant', async () => {
  const add = (owner: string, rules: string, days: number) =>
    service.auditor.query(
      `insert into fee_tables (merchant_id, valid_from, rules, source, created_by)
       values ($1, now() + $3 * interval '1 day', $2, 'operator', 'ana')`,
      [owner, rules, days],
    );
  await service.auditor.query("delete from fee_tables where merchant_id = ''");
  await add('', 'visa:1=2.49@30, any:2-12=3.10@31/30', -10);
  await add('', 'visa:1=2.99@30, elo:1=4', -1);
  await add('', 'visa:1=1.5@2', 10);
  const words = wordsOf(await shown('/console/fees'));
  assert.match(words, /Antes, desde .* Em vigor desde .* Próxima, desde /);
  assert.match(
    words,
    /Visa, à vista 2,49%, após 30 dias 2,99%, após 30 dias Alterada 1,5%, após 2 dias Alterada/,
  );
  assert.match(words, /Elo, à vista – 4%, após 30 dias Nova – Retirada/);
  assert.match(
    words,
    /Todas as bandeiras, 2 a 12 parcelas 3,1%, após 31 dias, depois a cada 30 – Retirada –/,
  );
  const none = wordsOf(await shown(`/console/fees?merchant=${merchantId}`));
  assert.match(none, /Não tem versão própria em vigor: valem as taxas gerais\./);
  await add(merchantId, 'visa:1=0.5', -1);
  assert.match(
    wordsOf(await shown(`/console/fees?merchant=${merchantId}`)),
    /Tem versão própria\. .*Visa, à vista 0,5%/,
  );
  const hostile = await shown(`/console/fees?merchant=${encodeURIComponent('<img src=x>')}`);
  assert.ok(!hostile.includes('<img'));
});

test('lists of differences and of versions say that they end before the last one', async () => {
  const differ = (first: number, last: number) =>
    service.auditor.query(
      `insert into truth_differences (merchant_id, transaction_id, installment_number, class, amount)
       select 'MUITA', gen_random_uuid(), 1, 'booksDiffer', n from generate_series($1::int, $2::int) n`,
      [first, last],
    );
  await differ(1, 100);
  const rows = async (path: string) => {
    const page = await shown(path);
    return [page.split('<tbody').at(-1)?.split('<tr').length, /Há mais/.test(page)];
  };
  assert.deepEqual(await rows('/console/differences?merchant=MUITA'), [101, false]);
  await differ(101, 101);
  assert.deepEqual(await rows('/console/differences?merchant=MUITA'), [101, true]);
  assert.match(await shown('/console/differences'), /Há mais: só as 100 maiores são mostradas\./);
  assert.ok(!wordsOf(await shown('/console/fees?merchant=MUITA')).includes('mais antigas'));
  await service.auditor.query(
    `insert into fee_tables (merchant_id, valid_from, rules, source, created_by)
     select 'MUITA', now() + (n - 95) * interval '1 day', concat('visa:1=', n), 'operator', 'ana' from generate_series(1, 101) n`,
  );
  const words = wordsOf(await shown('/console/fees?merchant=MUITA'));
  assert.match(words, /Fora da comparação, porque começam depois: 4\./);
  assert.match(words, /Há mais antigas: só as 100 mais novas são listadas\./);
});

test('each key says when it is due and what is next, with the command for it', async () => {
  const operator = await signedIn(service, 'operator', null);
  const keys = async () => wordsOf((await operator.turnTo('/console/keys')).text);
  assert.match(await keys(), /card Em uso \d\d\/\d\d\/\d{4}.*Nada a fazer\./);
  await service.auditor.query(
    `update data_keys set created_at = now() - case purpose when 'card' then interval '366 days' else interval '350 days' end
     where purpose in ('card', 'fingerprint') and retired_at is null`,
  );
  const words = await keys();
  assert.match(words, /Chaves com mais de um ano: 1\./);
  assert.match(words, /card Mais de um ano .*Troque-a agora: parcela key rotate --kind card/);
  assert.match(
    words,
    /fingerprint Vence em um mês .*Troque-a antes de vencer: parcela key rotate --kind fingerprint/,
  );
});
