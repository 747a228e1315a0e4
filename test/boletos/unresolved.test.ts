import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { businessDayFrom } from '../../src/values/business-day.ts';
import { call, logIn } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';
import { type Link, linksOf } from '../payments/linked.ts';
import {
  type BoletoShop,
  boletoRequest,
  cancel,
  changeDay,
  exceptionsOf,
  inDays,
  issue,
  movementsOf,
  openBoletoShop,
  read,
  today,
  untilStatus,
} from './boleto-service.ts';

let shop: BoletoShop;
let links: ReturnType<typeof linksOf>;
let bank: Simulator;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-bank-'));
  bank = await openSimulator(folder, ['--late-milliseconds', '700'], 'bank');
  shop = await openBoletoShop({ PARCELA_BANK_URL: bank.url, PARCELA_BANK_TIMEOUT_MILLISECONDS: '1500' });
  const url = shop.service.gatewayUrl;
  links = linksOf({ url, token: await logIn(url, (await shop.service.demo()).gateway) });
});
after(async () => {
  await shop?.service.close();
  await bank?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the bank makes of the next registrations and cancels. */
async function script(orders: object): Promise<void> {
  const reply = await fetch(new URL('/script', bank.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId: shop.merchantId, steps: [], cancels: [], ...orders }),
  });
  assert.ok(reply.ok, await reply.text());
}

/** What the bank has under a number. */
async function registrationsOf(ourNumber: string): Promise<{ status: string }[]> {
  const url = new URL('/ledger', bank.url);
  url.searchParams.set('merchantId', shop.merchantId);
  url.searchParams.set('ourNumber', ourNumber);
  const { items } = (await (await fetch(url)).json()) as { items: { status: string }[] };
  return items;
}

for (const fault of [
  'silent',
  'booksButSilent',
  'garbage',
  'reset',
  'unavailable',
  'wrongAmount',
  'notFound',
]) {
  test(`${fault}: the boleto is registered once, under its own number`, async () => {
    await script({ steps: [{ fault }] });
    const reply = await issue(shop);
    // 200: it was asked again, and answered, before this answer was written.
    assert.ok([200, 202].includes(reply.status), reply.text);
    const { id, ourNumber } = reply.body;
    const { body } = await untilStatus(shop, id, 1);
    assert.equal(body.ourNumber, ourNumber);
    assert.equal((await registrationsOf(ourNumber)).length, 1);
    assert.deepEqual(await movementsOf(shop, id), ['>Emitido']);
  });
}

test('a refusal that comes after silence is final, and shown by the boleto', async () => {
  await script({ steps: [{ fault: 'silent' }, { refusal: 'termsRefused' }] });
  const { id } = (await issue(shop)).body;
  const refused = await until('refused', async () => {
    const reply = await read(shop, id);
    return reply.status === 402 ? reply : null;
  });
  assert.equal(refused.body[0].tag, '__general__');
  assert.deepEqual(await movementsOf(shop, id), []);
});

test('a cancel that the bank does not answer is 202, and asked for until it is done', async () => {
  const { id, ourNumber } = (await issue(shop)).body;
  await script({ cancels: [{ fault: 'silent' }, { fault: 'garbage' }] });
  const reply = await cancel(shop, id);
  assert.deepEqual([reply.status, reply.body.statusBill], [202, 1], reply.text);
  await untilStatus(shop, id, 4);
  assert.deepEqual(
    (await registrationsOf(ourNumber)).map(({ status }) => status),
    ['canceled'],
  );
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Cancelado']);
});

for (const fault of ['silent', 'booksButSilent', 'wrongDueDay', 'reset']) {
  test(`${fault}: a change of the due day is 202, asked for until it is done, and done once`, async () => {
    const { id } = (await issue(shop)).body;
    await script({ cancels: [{ fault }] });
    const reply = await changeDay(shop, id, inDays(20));
    assert.deepEqual([reply.status, reply.body.dueDate], [202, inDays(10)], reply.text);
    await until('the new day', async () => (await read(shop, id)).body.dueDate === inDays(20));
    assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Vencimento alterado']);
  });
}

test('a change that the bank refuses leaves the boleto as it was; another one may be asked for', async () => {
  const { id, barCode } = (await issue(shop)).body;
  await script({ cancels: [{ refusal: 'notAllowed' }] });
  const refused = await changeDay(shop, id, inDays(20));
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /recusou o novo vencimento/);
  assert.equal((await read(shop, id)).body.barCode, barCode);
  await script({ cancels: [{ fault: 'silent' }, { refusal: 'notAllowed' }] });
  assert.equal((await changeDay(shop, id, inDays(20))).status, 202);
  const told = async () =>
    (await movementsOf(shop, id)).filter((one) => one === 'Emitido>Vencimento mantido');
  await until('the refusal is told', async () => (await told()).length === 2);
  assert.equal((await changeDay(shop, id, inDays(20))).body.dueDate, inDays(20));
});

/** Asks for a change whose answer, once the bank has decided, is of no use: nobody asks again by itself. */
async function changeUnheard(id: string, step: object = {}): Promise<void> {
  await script({ cancels: [{ ...step, fault: 'late' }] });
  const asked = changeDay(shop, id, inDays(20));
  const query = (text: string) => shop.service.auditor.query(text, [id]);
  await until('it is asked', async () => {
    const [row] = await query('select state from boletos where boleto_id = $1');
    return row?.state === 'changing';
  });
  await query("update boletos set fence = fence + 1, unknown_reason = 'unheard' where boleto_id = $1");
  const { status, text } = await asked;
  assert.equal(status, 202, text);
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido']);
}

test('an answer to a question that another process has taken over does not undo what that one asks', async () => {
  const { id } = (await issue(shop)).body;
  await changeUnheard(id, { refusal: 'notAllowed' });
  await shop.service.auditor.query('update boletos set due_at = now() where boleto_id = $1', [id]);
  await until('the new day', async () => (await read(shop, id)).body.dueDate === inDays(20));
});

test('where the bank refuses the cancel behind a change of which nothing was heard, its record says which day stands', async () => {
  for (const [step, days, last] of [
    [{}, 20, 'Emitido>Vencimento alterado'],
    [{ refusal: 'notAllowed' }, 10, 'Emitido>Vencimento mantido'],
  ] as const) {
    const { id } = (await issue(shop)).body;
    await changeUnheard(id, step);
    await script({ cancels: [{ refusal: 'notAllowed' }] });
    const { status, text } = await cancel(shop, id);
    assert.equal(status, 409, text);
    assert.equal((await read(shop, id)).body.dueDate, inDays(days));
    assert.deepEqual(await movementsOf(shop, id), ['>Emitido', last]);
  }
});

test('however often the due day changes, the boleto is payable as many days after it as at first', async () => {
  const saturday = 5 + ((13 - weekday(inDays(5))) % 7);
  const { id, payableUntil } = (await issue(shop, { dueDate: inDays(saturday), daysToExpire: 0 })).body;
  assert.equal(payableUntil, businessDayFrom(inDays(saturday)));
  for (const days of [saturday + 7, saturday + 14, saturday + 21, saturday + 24]) {
    const { body, text } = await changeDay(shop, id, inDays(days));
    assert.deepEqual([body.dueDate, body.payableUntil], [inDays(days), businessDayFrom(inDays(days))], text);
  }
});

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();

test('what the bank says is paid is not canceled: its payment comes', async () => {
  const { id, ourNumber } = (await issue(shop)).body;
  await paidAtBank(ourNumber);
  const reply = await cancel(shop, id);
  assert.equal(reply.status, 409, reply.text);
  await untilStatus(shop, id, 2);
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Pago']);
});

test('what the bank does not cancel stays open, and may be canceled later', async () => {
  const { id } = (await issue(shop)).body;
  await script({ cancels: [{ refusal: 'notAllowed' }] });
  const reply = await cancel(shop, id);
  assert.equal(reply.status, 409, reply.text);
  assert.match(reply.text, /continua podendo ser pago/);
  assert.equal((await read(shop, id)).body.statusBill, 1);
  assert.equal((await cancel(shop, id)).body.statusBill, 4);
});

const PAPER_SECRET = 'ab'.repeat(16);
const sha256 = (text: string) => hash('sha256', text, 'hex');
const payer = () => boletoRequest().payer as object;

/** Has the bank book a payment that it reports later. */
async function paidAtBank(ourNumber: string, amount?: number): Promise<void> {
  const ordered = await fetch(new URL('/changes', bank.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ merchantId: shop.merchantId, ourNumber, event: 'paid', amount },
      at: await bankNow(),
    }),
  });
  assert.ok(ordered.ok, await ordered.text());
}

async function bankNow(): Promise<string> {
  const [row] = await shop.service.auditor.query(
    `select to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  );
  return row?.now as string;
}

type Bill = { readonly id: string; readonly ourNumber: string; readonly pageKey: string };

/** Of a link that a test has made, the oldest first. */
async function boletosOf(reference: string): Promise<Bill[]> {
  const rows = await shop.service.auditor.query(
    `select boleto_id as id, our_number as "ourNumber", page_key as "pageKey" from boletos
     where reference_transaction = $1 order by requested_at`,
    [reference],
  );
  return rows as Bill[];
}

/** The only one. */
async function boletoOf(reference: string): Promise<Bill> {
  const [only, ...more] = await boletosOf(reference);
  assert.ok(only !== undefined && more.length === 0);
  return only;
}

test('a link is paid by the one boleto that its page shows, however often it is asked for', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-1' });
  assert.match(await links.show(link), /Pagar com boleto/);
  const wrong = await links.post(link, 'boleto', { ...payer(), documentNumber: '11111111111', address: {} });
  assert.equal(wrong.status, 400);
  const tags = wrong.body.map(({ tag }: { tag: string }) => tag);
  assert.ok(tags.includes('documentNumber') && tags.includes('address.zipCode'), wrong.text);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => links.post(link, 'boleto', { ...payer(), paperSecret: PAPER_SECRET })),
  );
  assert.deepEqual(answers.map(({ body }) => body.status).sort(), [...Array(3).fill('notOpen'), 'waiting']);
  const { id, ourNumber, pageKey } = await boletoOf('LINK-1');
  const page = await links.show(link);
  const { digitableLine, dueDate } = (await read(shop, id)).body;
  assert.ok(page.replaceAll(/[. ]/g, '').includes(digitableLine), page);
  assert.ok(page.includes(dueDate.split('-').reverse().join('/')));
  assert.ok(!page.includes(pageKey), 'whoever has the link would read who pays');
  const [, ofTry, digest, pages] =
    /id="paper" data-try="([^"]+)" data-paper="([^"]+)" data-pages="([^"]+)"/.exec(page) ?? [];
  const keyFor = (secret: string) => sha256(`${ofTry}:${secret}`).slice(0, 32);
  assert.deepEqual([keyFor(PAPER_SECRET), pages, sha256(pageKey)], [pageKey, '/boletos/', digest]);
  assert.equal((await call(shop.url, `${pages}${keyFor(PAPER_SECRET)}`)).status, 200);
  assert.equal((await call(shop.url, `${pages}${keyFor('0'.repeat(32))}`)).status, 404);
  const { status, method, paymentId } = await links.read(link);
  assert.deepEqual([status, method, paymentId], ['Processando', 'boleto', null]);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  await paidAtBank(ourNumber);
  const late = await links.post(link, 'cancel');
  assert.ok(['confirming', 'paid'].includes(late.body.status), late.text);
  assert.equal((await links.untilLink(link, 'Pago')).paymentId, id);
  assert.match(await links.show(link), /Pago\. Obrigado/);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
});

test('who pays otherwise waits until the bank has taken the boleto away, and where it keeps it nobody else pays', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-2' });
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  await script({ cancels: [{ refusal: 'notAllowed' }] });
  const kept = (await links.post(link, 'cancel')).body;
  assert.deepEqual([kept.status, /não retirou/.test(kept.message)], ['confirming', true]);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  await script({ cancels: [{ fault: 'silent' }, { fault: 'garbage' }] });
  assert.equal((await links.post(link, 'cancel')).body.status, 'confirming');
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  await links.untilLink(link, 'Aberto');
  assert.equal((await links.byCard(link)).body.status, 'paid');
  const { ourNumber } = await boletoOf('LINK-2');
  assert.deepEqual(
    (await registrationsOf(ourNumber)).map(({ status }) => status),
    ['canceled'],
  );
});

test('a bank that does not know the boleto of a link opens no link: its paper may still be paid', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-4' });
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  await script({ cancels: Array.from({ length: 3 }, () => ({ refusal: 'unknownBoleto' })) });
  assert.equal((await links.post(link, 'cancel')).body.status, 'confirming');
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  assert.equal((await links.read(link)).status, 'Processando');
  await links.untilLink(link, 'Aberto');
  const { ourNumber } = await boletoOf('LINK-4');
  assert.equal((await registrationsOf(ourNumber))[0]?.status, 'canceled');
});

test('money that comes for a boleto that was taken away pays its link, and the bill beside it ends', async () => {
  const open = await links.newLink({ referenceTransaction: 'LINK-5' });
  const other = await links.newLink({ referenceTransaction: 'LINK-6' });
  for (const link of [open, other]) {
    assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
    assert.equal((await links.post(link, 'cancel')).body.status, 'removed');
    const [row] = await shop.service.auditor.query('select look_at from payment_links where link_id = $1', [
      link.id,
    ]);
    assert.equal(row?.look_at, null, 'the money wakes it, on whatever day it comes');
  }
  const [first, second] = [await boletoOf('LINK-5'), await boletoOf('LINK-6')];
  assert.equal((await links.post(other, 'boleto', payer())).body.status, 'waiting');
  for (const { ourNumber } of [first, second]) await paidAtBank(ourNumber);
  for (const [link, boleto] of [[open, first] as const, [other, second] as const]) {
    assert.equal((await links.untilLink(link, 'Pago')).paymentId, boleto.id);
    const page = await links.show(link);
    assert.match(page, /Pago\. Obrigado/);
    assert.doesNotMatch(page, /Linha digitável/);
    assert.equal((await links.byCard(link)).body.status, 'notOpen');
  }
  const ended = await until('the work has ended both', async () => {
    const rows = await shop.service.auditor.query(
      `select l.payment_id as paid_by, array(select b.state from boletos b
         where b.reference_transaction = l.reference_transaction order by requested_at) as boletos
       from payment_links l where l.reference_transaction in ('LINK-5', 'LINK-6') and l.state = 'paid'
       order by l.reference_transaction`,
    );
    return rows.length === 2 && rows;
  });
  assert.deepEqual(ended, [
    { paid_by: first.id, boletos: ['canceled'] },
    { paid_by: second.id, boletos: ['canceled', 'canceled'] },
  ]);
  const [byPage, byWork] = await shop.service.auditor.query(
    `select fence from boletos where reference_transaction = 'LINK-6' order by requested_at`,
  );
  assert.ok(Number(byWork?.fence) > Number(byPage?.fence), 'the work of all links waits for no bank');
});

test('money for a link that was disabled meanwhile is an exception that names it, and stands on the link', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-9' });
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  const disabled = await links.api(`disable?id=${link.id}&reason=Engano`, { method: 'POST' });
  assert.equal(disabled.body.status, 'Desativado', disabled.text);
  const { id, ourNumber } = await boletoOf('LINK-9');
  await paidAtBank(ourNumber);
  const shown = await until('the link has the money', async () => {
    const found = await links.read(link);
    return found.bills[0].receivedValue > 0 && found;
  });
  assert.deepEqual(
    [shown.status, shown.reason, shown.paymentId, shown.bills],
    [
      ...['Desativado', 'Engano', null],
      [{ id, method: 'boleto', isOpen: false, receivedValue: 149.9, isToResolve: true }],
    ],
  );
  assert.equal((await read(shop, id)).body.linkId, link.id);
  const [exception] = await exceptionsOf(shop, id);
  assert.deepEqual([exception?.class, exception?.linkId], ['unexpectedPayment', link.id]);
  const restored = await links.newLink({ referenceTransaction: 'LINK-12' });
  assert.equal((await trying(restored, 'boleto', payer())).status, 'waiting');
  await shop.service.auditor.query(
    "update payment_links set state = 'disabled', disable_reason = 'Restored', look_at = null where link_id = $1",
    [restored.id],
  );
  const waiting = await boletoOf('LINK-12');
  await paidAtBank(waiting.ourNumber);
  await untilStatus(shop, waiting.id, STATUS_BILL.paid);
  assert.equal((await exceptionsOf(shop, waiting.id)).length, 1, 'a link that has ended is paid by nothing');
  assert.equal((await read(shop, waiting.id)).body.payments[0].kind, 'afterEnd');
  const told = (await movementsOf(shop, waiting.id)).slice(-2);
  assert.deepEqual(told, ['Emitido>Pago', 'Pago>Pagamento inesperado'], 'and its merchant is told so');
});

test('money that had come for a bill of the version before, beside one that pays its link, is an exception', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-13' });
  assert.equal((await trying(link, 'boleto', payer())).status, 'waiting');
  assert.equal((await trying(link, 'cancel')).status, 'removed');
  assert.equal((await trying(link, 'boleto', payer())).status, 'waiting');
  const [first, earlier] = (await boletosOf('LINK-13')) as [Bill, Bill];
  // As the version before has made it, and waits to look at it.
  await shop.service.auditor.query('update boletos set link_id = null where boleto_id = $1', [earlier.id]);
  await shop.service.auditor.query(
    "update payment_links set look_at = now() + interval '1 day' where link_id = $1",
    [link.id],
  );
  await paidAtBank(earlier.ourNumber, 14_900);
  await untilStatus(shop, earlier.id, STATUS_BILL.paid);
  const [ofDifference] = await exceptionsOf(shop, earlier.id);
  assert.deepEqual([ofDifference?.amount, ofDifference?.linkId ?? null], [90, null]);
  await shop.service.auditor.query(
    `update reconciliation_exceptions set state = 'resolved', ended_at = now(), resolved_by = 'o teste',
       reason = 'Faltaram centavos' where boleto_id = $1`,
    [earlier.id],
  );
  await paidAtBank(first.ourNumber);
  const shown = await until('both are counted', async () => {
    const found = await links.read(link);
    return found.receivedValue === 298.9 && found;
  });
  assert.deepEqual([shown.status, shown.paymentId], ['Pago', first.id]);
  assert.deepEqual(
    shown.bills.map(({ id, isToResolve }: { id: string; isToResolve: boolean }) => [id, isToResolve]).sort(),
    [
      [first.id, true],
      [earlier.id, true],
    ].sort(),
  );
  const [exception] = await exceptionsOf(shop, earlier.id);
  assert.deepEqual([exception?.state, exception?.amount, exception?.linkId], ['open', -14_900, link.id]);
});

test('a bank that keeps a boleto beside money that came is asked ever later, and the link says that it is kept', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-10' });
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  assert.equal((await links.post(link, 'cancel')).body.status, 'removed');
  const { ourNumber } = await boletoOf('LINK-10');
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  await script({ cancels: [{ refusal: 'notAllowed' }] });
  const ofLink = (text: string) => shop.service.auditor.query(text, [link.id]);
  const waitsAgain = (removals: number) =>
    ofLink(`select b.fence from payment_links l join boletos b using (merchant_id, link_id)
      where link_id = $1 and removals = ${removals} and l.state = 'paying' and b.state = 'issued'`);
  let answered = Number((await waitsAgain(0))[0]?.fence);
  const untilKept = (removals: number) =>
    until('its bank has answered, and keeps it', async () => {
      const fence = Number((await waitsAgain(removals))[0]?.fence ?? 0);
      if (fence <= answered) return false;
      answered = fence;
      return true;
    });
  await paidAtBank(ourNumber);
  await untilKept(1);
  await ofLink("update payment_links set look_at = now() - interval '1 minute' where link_id = $1");
  await until('it was looked at', async () => {
    const [row] = await ofLink(
      'select look_at > now() as is_looked_at from payment_links where link_id = $1',
    );
    return row?.is_looked_at === true;
  });
  assert.equal((await waitsAgain(1)).length, 1, 'and the bank was not asked');
  const { status, bills, receivedValue, removalDate } = await links.read(link);
  assert.deepEqual([status, bills.map(({ isOpen }: { isOpen: boolean }) => isOpen)], ['Pago', [false, true]]);
  assert.deepEqual([receivedValue, typeof removalDate], [149.9, 'string']);
  const { items } = (await links.api('list?status=Pago&limit=100')).body;
  assert.equal(
    items.find(({ id }: { id: string }) => id === link.id)?.status,
    'Pago',
    'the list says so too',
  );
  const ofBank = (code: string) =>
    ofLink(
      `update boletos set bar_code = '${code}' || substr(bar_code, 4) where link_id = $1 and state = 'issued'`,
    );
  const barCode = await ofLink("select bar_code from boletos where link_id = $1 and state = 'issued'");
  await ofBank('999');
  await ofLink(`update payment_links set look_at = now(), removal_at = now() where link_id = $1`);
  await until('it was looked at', async () => {
    const [row] = await ofLink(
      'select look_at > now() as is_looked_at from payment_links where link_id = $1',
    );
    return row?.is_looked_at === true;
  });
  assert.equal((await waitsAgain(1)).length, 1, 'a bank that is not configured any more was not asked');
  assert.equal((await links.read(link)).removalDate, undefined, 'nor is it');
  await ofBank(String(barCode[0]?.bar_code).slice(0, 3));
  await script({ cancels: [{ refusal: 'notAllowed' }, { fault: 'silent' }, { refusal: 'notAllowed' }] });
  for (const removals of [38, 39]) {
    await ofLink(`update payment_links set look_at = now(), removal_at = now(), removals = ${removals}
      where link_id = $1`);
    await until('the bank is asked, and then rests', async () => {
      const [row] =
        await ofLink(`select 1 from payment_links where link_id = $1 and removals = ${removals + 1}
        and removal_at between now() + interval '23 hours' and now() + interval '1 day'`);
      return row !== undefined;
    });
    if (removals === 39)
      await until(
        'the last question is under way',
        async () => (await links.read(link)).removalDate === null,
      );
    await untilKept(removals + 1);
  }
  assert.equal((await links.read(link)).removalDate, undefined, 'a person asks it now');
  const kept = (await boletosOf('LINK-10'))[1] as Bill;
  await paidAtBank(kept.ourNumber);
  await until('the link has ended', async () => {
    const [row] = await ofLink(
      "select payment_id, received_id from payment_links where link_id = $1 and state = 'paid'",
    );
    return row !== undefined && row.payment_id === row.received_id;
  });
  const [exception] = await exceptionsOf(shop, kept.id);
  assert.deepEqual(
    [exception?.class, exception?.amount, exception?.linkId],
    ['unexpectedPayment', -14_990, link.id],
    'the bank was right to take it, and the buyer has paid twice',
  );
  assert.equal((await read(shop, kept.id)).body.payments[0].kind, 'second');
});

test('too little for a bill ends no link whose other bill can still pay it, and that one pays it', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-11' });
  assert.equal((await trying(link, 'boleto', payer())).status, 'waiting');
  const first = await boletoOf('LINK-11');
  await shop.service.auditor.query('update boletos set link_id = null where boleto_id = $1', [first.id]);
  assert.equal((await trying(link, 'cancel')).status, 'removed');
  assert.equal((await read(shop, first.id)).body.linkId, link.id, 'as the version before made it');
  assert.equal((await trying(link, 'boleto', payer())).status, 'waiting');
  await script({ cancels: [{ refusal: 'notAllowed' }] });
  const waiting = async () => {
    const [row] = await shop.service.auditor.query(
      `select removals, b.fence from payment_links l join boletos b using (merchant_id, link_id)
       where link_id = $1 and l.state = 'paying' and b.state = 'issued'`,
      [link.id],
    );
    return row;
  };
  const before = Number((await waiting())?.fence);
  await paidAtBank(first.ourNumber, 100);
  await until('the bank has kept the other one', async () => {
    const now = await waiting();
    return now?.removals === 1 && Number(now.fence) > before;
  });
  assert.equal((await links.read(link)).status, 'Processando');
  assert.match(await links.show(link), /Linha digitável/);
  const second = (await boletosOf('LINK-11'))[1] as Bill;
  await paidAtBank(second.ourNumber);
  assert.equal((await links.untilLink(link, 'Pago')).paymentId, second.id);
  assert.deepEqual(await exceptionsOf(shop, second.id), []);
});

test('a boleto that was paid with less than its link asks for does not say that it is paid, and ends it', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-7' });
  assert.equal((await links.post(link, 'boleto', payer())).body.status, 'waiting');
  await paidAtBank((await boletoOf('LINK-7')).ourNumber, 100);
  const { reason, paymentId } = await links.untilLink(link, 'Desativado');
  assert.deepEqual([/valor menor/.test(reason), paymentId], [true, null]);
  assert.doesNotMatch(await links.show(link), /Pago\. Obrigado/);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
});

/** As soon as this address may: all links share its limit. */
const trying = (link: Link, way: string, body?: object) =>
  until('this address may try', async () => {
    const reply = await links.post(link, way, body);
    return reply.status === 429 ? null : reply.body;
  });

test('a link has five boletos made and no more; other ways to pay stay', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-8' });
  for (let made = 0; made < 5; made += 1) {
    assert.equal((await trying(link, 'boleto', payer())).status, 'waiting');
    assert.equal((await trying(link, 'cancel')).status, 'removed');
  }
  assert.equal((await trying(link, 'boleto', payer())).status, 'notOpen');
  assert.doesNotMatch(await links.show(link), /Pagar com boleto/);
  await until('it is paid by card', async () => (await links.byCard(link)).body.status === 'paid');
});

test('a payer whom the bank refuses leaves the link open; one it does not answer about, closed; a merchant ends both', async () => {
  const link = await links.newLink({ referenceTransaction: 'LINK-3' });
  await script({ steps: [{ refusal: 'payerRefused' }] });
  const refused = await trying(link, 'boleto', payer());
  assert.deepEqual([refused.status, /dados do pagador/.test(refused.message)], ['declined', true]);
  assert.equal((await links.read(link)).status, 'Aberto');
  await script({ steps: [{ fault: 'booksButSilent' }] });
  const unknown = (await trying(link, 'boleto', payer())).status;
  assert.ok(['confirming', 'waiting'].includes(unknown), unknown);
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
  await until('its line is shown', async () => /Linha digitável/.test(await links.show(link)));
  const disabled = await links.api(`disable?id=${link.id}&reason=Engano`, { method: 'POST' });
  assert.deepEqual([disabled.status, disabled.body.status], [200, 'Desativado'], disabled.text);
  const states = await shop.service.auditor.query(
    `select state from boletos where reference_transaction = 'LINK-3' order by state`,
  );
  assert.deepEqual(
    states.map(({ state }) => state),
    ['canceled', 'refused'],
  );
});

test('while the bank cannot be connected to, nothing is made and the key is free; what is known stays', async () => {
  const { id } = (await issue(shop)).body;
  const changed = (await issue(shop)).body.id;
  await changeUnheard(changed);
  await bank.stop();
  const headers = { 'idempotency-key': 'while-away' };
  const reply = await issue(shop, {}, { headers });
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.headers.get('retry-after'), '2');
  assert.equal((await cancel(shop, id)).status, 503);
  assert.equal((await read(shop, id)).body.statusBill, 1);
  // Its bank may have another day: it is asked once it is there.
  assert.equal((await cancel(shop, changed)).status, 202);
  const link = await links.newLink();
  await shop.service.auditor.query(
    'update payment_links set tries = 4, boleto_tries = 4 where link_id = $1',
    [link.id],
  );
  assert.equal((await trying(link, 'boleto', payer())).status, 'declined');
  const port = new URL(bank.url).port;
  bank = await openSimulator(folder, ['--port', port], 'bank');
  const made = await until('issued', async () => {
    const again = await issue(shop, {}, { headers });
    return again.status === 200 ? again : null;
  });
  await untilStatus(shop, changed, 4);
  assert.deepEqual(await movementsOf(shop, changed), ['>Emitido', 'Emitido>Cancelado']);
  assert.equal(made.headers.get('idempotent-replayed'), null);
  const { status } = await trying(link, 'boleto', payer());
  assert.equal(status, 'waiting', 'what no bank was asked for is none of its five');
});

test('the operator sees what stays unknown, in the list and in the metrics', async () => {
  const { body } = await issue(shop, { value: 120.01 });
  assert.equal(body.statusBill, 0);
  await until('it is counted', async () => {
    const text = await (await fetch(shop.service.metricsUrl)).text();
    return /parcela_boletos_unresolved 1\b/.test(text);
  });
  const listed = await shop.service.auditor.query(
    "select our_number from boletos where state = 'issuing' and unknown_reason is not null",
  );
  assert.deepEqual(listed, [{ our_number: body.ourNumber }]);
});

/** The value of a metric; null: it has none yet. */
async function metric(name: string): Promise<number | null> {
  const text = await (await fetch(shop.service.metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
}

const POSTPONED = 'parcela_boleto_resolutions_total{outcome="postponed"}';

test('a bank whose answers cannot be used is not away; one that is silent is', async () => {
  const { ourNumber } = (await issue(shop)).body;
  const before = (await metric(POSTPONED)) ?? 0;
  const boletos = 6;
  // Registered for somebody else under the numbers that come next.
  for (let next = 1; next <= boletos; next += 1) {
    const [payer, number] = [boletoRequest().payer as object, String(Number(ourNumber) + next)];
    const { address } = boletoRequest().payer as { address: object };
    const reply = await fetch(new URL('/boletos', bank.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ merchantId: shop.merchantId, ourNumber: number, amount: 77_700 },
        ...{ issuedOn: today(), dueOn: inDays(10), payableUntil: inDays(40) },
        ...{ payer: { ...payer, address: { ...address, complement: null } }, instructions: [] },
        ...{ finePortion: null, interestPortion: null, discount: null },
      }),
    });
    assert.equal(reply.status, 200, await reply.text());
  }
  const stuck: string[] = [];
  for (let made = 0; made < boletos; made += 1) {
    const reply = await issue(shop);
    assert.equal(reply.status, 202, reply.text);
    stuck.push(reply.body.id);
  }
  await until('each was tried', async () => ((await metric(POSTPONED)) ?? 0) >= before + boletos);
  assert.equal(await metric('parcela_bank_away{provider="default"}'), 0);
  const age = 'parcela_boletos_unresolved_oldest_age_seconds{provider="default"}';
  await until('they are old', async () => ((await metric(age)) ?? 0) > 0);
  await bank.stop();
  await until('the bank is away', async () => (await metric('parcela_bank_away{provider="default"}')) === 1);
  bank = await openSimulator(folder, ['--port', new URL(bank.url).port], 'bank');
  await until('the bank is back', async () => (await metric('parcela_bank_away{provider="default"}')) === 0);
  for (const id of stuck) assert.equal((await read(shop, id)).body.statusBill, 0);
});

test('a due day that the bank has, and our restored books do not, is taken over before the boleto ends', async () => {
  const { id, ourNumber } = (await issue(shop, { dueDate: inDays(1), daysToExpire: 0 })).body;
  const reply = await fetch(new URL(`/boletos/${ourNumber}/due-day`, bank.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ merchantId: shop.merchantId, requestedAt: new Date().toISOString() },
      ...{ dueOnBefore: inDays(1), dueOn: inDays(40), payableUntil: inDays(45) },
    }),
  });
  assert.ok(reply.ok, await reply.text());
  await call(shop.url, '/homologation/clock', {
    token: shop.token,
    body: { to: `${inDays(20)}T12:00:00` },
    timeoutMilliseconds: 90_000,
  });
  await until('the day of the bank', async () => (await read(shop, id)).body.dueDate === inDays(40));
  assert.deepEqual(
    [(await read(shop, id)).body.statusBill, (await movementsOf(shop, id)).at(-1)],
    [1, 'Vencido>Vencimento alterado'],
  );
});
