import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestService, type TestService } from '../kit/service.ts';
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
  const { status, text } = await admin.ask(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text;
}

async function take(step: string) {
  const fields = hiddenFields(await shown(page), `${page}/${step}`);
  return admin.ask(`${page}/${step}`, { form: fields });
}

test('the first steps lead from a payment to a month of billings, each by one button', async () => {
  assert.ok((await shown('/console/first-steps')).includes(`href="${page}"`));
  const first = await shown(page);
  assert.match(wordsOf(first), /Nada ainda\./);
  assert.ok(first.includes('curl -X POST $URL/v1/payments '));
  const early = await take('subscribe');
  assert.deepEqual([early.status, /Guarde um cartão/.test(wordsOf(early.text))], [409, true]);
  for (const step of ['pay', 'store', 'plan', 'subscribe', 'month']) {
    const taken = await take(step);
    assert.equal(taken.status, 303, `${step}: ${taken.text}`);
  }
  const words = wordsOf(await shown(page));
  assert.match(words, /R\$ 129,90 (Autorizada|Paga)/);
  assert.match(words, /Paid/);
});

test('a payment has a receipt to print, with who sold it', async () => {
  const [row] = await service.auditor.query('select transaction_id from transactions limit 1');
  const payment = `/console/merchants/${merchantId}/payments/${row?.transaction_id}`;
  assert.ok((await shown(payment)).includes(`${payment}/receipt`));
  const words = wordsOf(await shown(`${payment}/receipt`));
  assert.match(words, /Comprovante .*Loja de Demonstração .*11\.?222\.?333/);
});
