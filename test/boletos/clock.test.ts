import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { call, logIn } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import {
  type BoletoShop,
  boletoRequest,
  issue,
  movementsOf,
  openBoletoShop,
  read,
} from './boleto-service.ts';

let shop: BoletoShop;

before(async () => {
  shop = await openBoletoShop();
});
after(() => shop?.service.close());

/** The merchant's day. */
async function clockDay(): Promise<Day> {
  const { body } = await call(shop.url, '/homologation/clock', { token: shop.token });
  return body.now.slice(0, 10) as Day;
}

/** Moves the clock to noon of a day. */
async function jumpTo(day: Day): Promise<void> {
  const reply = await call(shop.url, '/homologation/clock', {
    token: shop.token,
    body: { to: `${day}T12:00:00` },
    timeoutMilliseconds: 90_000,
  });
  assert.ok([200, 202].includes(reply.status), reply.text);
  await until('the clock has arrived', async () => {
    const { body } = await call(shop.url, '/homologation/clock', { token: shop.token });
    return body.target === null;
  });
}

const statusOf = async (id: string) => (await read(shop, id)).body.statusBill as number;

test('a boleto is overdue after its last day in time, over after its last day, and each is notified once', async () => {
  const start = await clockDay();
  // A due day on a Saturday.
  let dueOn = addDays(start, 5);
  while (new Date(`${dueOn}T00:00:00Z`).getUTCDay() !== 6) dueOn = addDays(dueOn, 1);
  const { id, payableUntil } = (await issue(shop, { dueDate: dueOn, daysToExpire: 10 })).body;
  assert.equal(payableUntil, businessDayFrom(addDays(dueOn, 10)));
  const lastInTime = businessDayFrom(dueOn);
  assert.ok(lastInTime > dueOn);
  await jumpTo(lastInTime);
  assert.equal(await statusOf(id), 1);
  await jumpTo(addDays(lastInTime, 1));
  assert.equal(await statusOf(id), 3);
  await jumpTo(payableUntil);
  assert.equal(await statusOf(id), 3);
  await jumpTo(addDays(payableUntil, 1));
  assert.equal(await statusOf(id), 5);
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Vencido', 'Vencido>Expirado']);
});

test('payments of the bank come as the days pass: early, on the day, late with fine and interest, in part, twice', async () => {
  const dueDate = businessDayFrom(addDays(await clockDay(), 20));
  const terms = {
    dueDate,
    fine: { percent: 2 },
    interest: { percentPerMonth: 1 },
    discount: { value: 10, until: addDays(dueDate, -5) },
  };
  const kinds = { onDueDay: 120.21, early: 120.22, late: 120.23, part: 120.24, twice: 120.25 };
  const ids = new Map<string, string>();
  for (const [kind, value] of Object.entries(kinds)) {
    const reply = await issue(shop, { ...terms, value });
    assert.equal(reply.status, 200, reply.text);
    ids.set(kind, reply.body.id);
  }
  await jumpTo(addDays(dueDate, 8));
  const paid = async (kind: string) => {
    const { body } = await read(shop, ids.get(kind) ?? '');
    assert.equal(body.statusBill, 2, kind);
    return [body.effectivePaymentValue, body.effectivePaymentDate];
  };
  assert.deepEqual(await paid('onDueDay'), [120.21, dueDate]);
  const [early] = await paid('early');
  assert.equal(early, 110.22);
  const [late, lateOn] = await paid('late');
  assert.ok(lateOn > dueDate);
  assert.ok(late > 120.23 + 2.4, `paid ${late}`);
  const [part] = await paid('part');
  assert.ok(part < 120.24);
  assert.deepEqual(await paid('twice'), [120.25, dueDate]);
  assert.deepEqual(await movementsOf(shop, ids.get('late') ?? ''), [
    '>Emitido',
    'Emitido>Vencido',
    'Vencido>Pago',
  ]);
  const rows = await shop.service.auditor.query(
    `select surprise, amount = expected_amount as is_expected from boleto_payments where boleto_id = any ($1::uuid[])
     order by boleto_id, created_at`,
    [[ids.get('late'), ids.get('twice')]],
  );
  assert.deepEqual(rows, [
    { surprise: null, is_expected: true },
    { surprise: null, is_expected: true },
    { surprise: 'paidAgain', is_expected: true },
  ]);
});

test('what was put into the calendar too early by another version is not changed, and holds up nothing behind it', async () => {
  const reply = await issue(shop, { value: 77, dueDate: addDays(await clockDay(), 10) });
  assert.equal(reply.status, 200, reply.text);
  const { id } = reply.body;
  const query = (text: string) => shop.service.auditor.query(text, [id]);
  // More than are looked at at once, whose due day is to come; and one behind them that is overdue.
  await query(`insert into boletos (merchant_id, boleto_id, account_number, our_number, page_key, state, amount, issued_on, due_on,
      payable_until, instructions, created_by, requested_at, changed_at, bar_code, acts_at)
    select merchant_id, gen_random_uuid(), account_number, nextval('boleto_numbers')::text, md5(random()::text), 'issued', amount,
      issued_on, due_on, payable_until, instructions, created_by, requested_at, changed_at, bar_code, now() - interval '2 hours'
    from boletos, generate_series(1, 120) where boleto_id = $1`);
  await query(
    "update boletos set due_on = issued_on - 30, acts_at = now() - interval '1 hour' where boleto_id = $1",
  );
  await until('it is overdue', async () => (await statusOf(id)) === 3);
  const others = await until('the others are put off', async () => {
    const rows = await query(
      `select state, acts_at > now() as is_to_come, count(*)::int as count from boletos
       where boleto_id <> $1 and our_number in (select our_number from boletos order by our_number::bigint desc limit 120)
       group by 1, 2`,
    );
    return rows.length === 1 && rows[0]?.is_to_come === true && rows;
  });
  assert.deepEqual(others, [{ state: 'issued', is_to_come: true, count: 120 }]);
});

test('a link whose boleto nobody has paid opens again', async () => {
  const url = shop.service.gatewayUrl;
  const links = linksOf({ url, token: await logIn(url, (await shop.service.demo()).gateway) });
  const link = await links.newLink();
  assert.equal((await links.post(link, 'boleto', boletoRequest().payer as object)).body.status, 'waiting');
  await jumpTo(addDays(await clockDay(), 12));
  await links.untilLink(link, 'Aberto');
  assert.equal((await links.byCard(link)).body.status, 'paid');
});
