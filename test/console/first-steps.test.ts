import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startListener } from '../kit/listener.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let admin: Visitor;
let page: string;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
  admin = await signedIn(service, 'admin', null);
  page = `/console/merchants/${merchantId}/first-steps`;
});
after(() => service.close());

async function shown(path: string): Promise<string> {
  const { status, text } = await admin.turnTo(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

async function take(step: string, fields: Record<string, string> = {}) {
  const hidden = hiddenFields(await shown(page), `${page}/${step}`);
  return admin.ask(`${page}/${step}`, { form: { ...hidden, ...fields } });
}

/** What stands below a step by itself once it was taken. */
const SEEN: Readonly<Record<string, RegExp>> = {
  notify: /Cadastrado: http:\/\/127\.0\.0\.1/,
  pay: /R\$ 129,90 Autorizada .*Parcela 3 autorizada Notificações deste pagamento .*Autorizacao Entregue 1 .{10,30} 200/,
  store: /O cartão guardado mais novo: •••• 0001/,
  plan: /O plano mais novo: Clube do Livro/,
  subscribe: /Cobranças .*R\$ 49,90/,
  month: /O que o último avanço executou .*As notificações mais novas .*Pagamento Entregue 1/,
};

test('the home of homologation is the first page of the merchant, which leads to the first steps', async () => {
  const own = await signedIn(service, 'viewer', merchantId);
  const home = page.replace('first-steps', 'today');
  for (const visitor of [admin, own]) {
    assert.equal((await visitor.ask('/console')).headers.get('location'), home);
    const main = (await visitor.turnTo(home)).text.split('<main')[1] ?? '';
    assert.ok(main.includes(`<a href="${page}">Comece pelos primeiros passos</a>`));
  }
  assert.equal((await admin.ask('/console/first-steps')).status, 404);
});

test('the first steps lead from a payment to a month of billings, each by one button', async () => {
  const first = await shown(page);
  assert.doesNotMatch(wordsOf(first), /Parcela 1 autorizada/);
  assert.ok(first.includes('curl -X POST &quot;$URL/v1/payments&quot; '));
  const early = await take('subscribe');
  assert.deepEqual([early.status, /Guarde um cartão/.test(wordsOf(early.text))], [409, true]);
  const shop = await startListener(200);
  try {
    const after = async (step: string, fields: Record<string, string> = {}) => {
      const taken = await take(step, fields);
      assert.equal(taken.status, 303, `${step}: ${taken.text}`);
      return until(`${step} is seen`, async () => {
        const words = wordsOf(await shown(page));
        return SEEN[step]?.test(words) === true ? words : null;
      });
    };
    await after('notify', { url: shop.url });
    for (const step of ['pay', 'store', 'plan', 'subscribe', 'month']) await after(step);
  } finally {
    await shop.close();
  }
  assert.ok((await shown(page)).includes(`href="/console/merchants/${merchantId}/homologation"`));
});

test('where nobody answers the tries that fail are seen', async () => {
  const shop = await startListener(500);
  await take('notify', { url: shop.url });
  await take('pay');
  await until('a try has failed', async () =>
    /Autorizacao Em espera 1 .{10,40} 500 [\d/]{10}, [\d:]{8}(?! horário real)/.test(
      wordsOf(await shown(page)),
    )
      ? true
      : null,
  );
  await shop.close();
});

test('a payment has a receipt to print, with who sold it', async () => {
  const [row] = await service.auditor.query('select transaction_id from transactions limit 1');
  const payment = `/console/merchants/${merchantId}/payments/${row?.transaction_id}`;
  assert.ok((await shown(payment)).includes(`${payment}/receipt`));
  const words = wordsOf(await shown(`${payment}/receipt`));
  assert.match(words, /Comprovante .*Loja de Demonstração .*11\.?222\.?333/);
});
