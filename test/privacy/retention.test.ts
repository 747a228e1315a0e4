import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { programOf } from '../../src/platform/home.ts';
import { forgetPersonalData } from '../../src/platform/work/every-so-often.ts';
import { keyFileIn } from '../kit/keys.ts';
import { cleanEnvironment, databaseSettings, until } from '../kit/service.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import {
  newPerson,
  openPrivacyService,
  type Person,
  type PrivacyService,
  tracesOf,
} from './privacy-service.ts';

const PARCELA = programOf('src/cli/parcela.ts');

const THIRTY_DAYS = { PARCELA_CUSTOMER_RETENTION_DAYS: '30' };

let service: PrivacyService;
before(async () => {
  service = await openPrivacyService({ PARCELA_CUSTOMER_RETENTION_DAYS: '0' });
});
after(() => service.close());

/** Also the words by which the customer is found, and a note about him. */
async function moveBack(paymentId: string, days: number): Promise<void> {
  const { auditor } = service;
  const [bought] = await auditor.query(
    'select merchant_id, customer from transactions where transaction_id = $1',
    [paymentId],
  );
  const { documentNumber, email } = (bought?.customer ?? {}) as Record<string, string>;
  await until('its words are kept', async () => {
    const moved = await auditor.query(
      `update buyer_words set seen_on = (now() - $2 * interval '1 day')::date where buyer = $1 returning 1`,
      [documentNumber, days],
    );
    return moved.length > 0;
  });
  await auditor.query(
    `update transactions set created_at = now() - $2 * interval '1 day' where transaction_id = $1`,
    [paymentId, days],
  );
  await auditor.query(
    `insert into buyer_notes select $1, $2, $3, $4, 'support', now() - $5 * interval '1 day'`,
    [bought?.merchant_id, paymentId, documentNumber, email, days],
  );
}

/** Copies a payment so many times, as if it had been made as often. */
async function copies(paymentId: string, count: number): Promise<void> {
  await service.auditor.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('transaction_id', gen_random_uuid()))).*
     from transactions t, generate_series(1, $2) where t.transaction_id = $1`,
    [paymentId, count],
  );
}

async function customersOf({ customer }: Person): Promise<number> {
  const [row] = await service.auditor.query(
    `select count(*)::int as count from transactions where customer ->> 'email' = $1`,
    [customer.email],
  );
  return row?.count as number;
}

test('customers whose days are over go, more than one statement takes; younger ones and payments stay', async () => {
  const [old, young, busy] = [newPerson(), newPerson(), newPerson()];
  const ids = await Promise.all([old, young, busy].map(({ customer }) => service.pay(customer)));
  const [oldId = '', youngId = '', busyId = ''] = ids;
  const shown = await service.read(oldId);
  await moveBack(oldId, 30.1);
  await copies(oldId, 1_200);
  await moveBack(youngId, 29.9);
  await moveBack(busyId, 90);
  const [was] = await service.auditor.query(
    'select state, due_at, decided_at from transactions where transaction_id = $1',
    [busyId],
  );
  await service.auditor.query(
    `update transactions set state = 'unresolved', due_at = now() + interval '1 day', decided_at = null
     where transaction_id = $1`,
    [busyId],
  );
  await service.whileBeside(THIRTY_DAYS, async ({ metricsUrl }) => {
    await until('the old ones are gone', async () => (await customersOf(old)) === 0);
    await until('words and notes too', async () => (await tracesOf(service, old)).length === 0);
    assert.equal((await service.read(oldId)).text, shown.text);
    await until('they are counted', async () =>
      /^parcela_customers_erased_total 1201$/m.test(await (await fetch(metricsUrl)).text()),
    );
    const [row] = await service.auditor.query(
      'select count(*)::int as count from transactions where customer is null and customer_erased_at is not null',
    );
    assert.equal(row?.count, 1_201);
  });
  assert.deepEqual([await customersOf(young), await customersOf(busy)], [1, 1]);
  await service.auditor.query(
    'update transactions set state = $2, due_at = $3, decided_at = $4 where transaction_id = $1',
    [busyId, was?.state, was?.due_at, was?.decided_at],
  );
  await service.whileBeside(THIRTY_DAYS, async () => {
    await until('the one that was under way is gone', async () => (await customersOf(busy)) === 0);
  });
  assert.equal(await customersOf(young), 1);
});

test('the customer of a subscription goes so many days after that ended, and never while it goes on', async () => {
  const planId = await insertPlan(service);
  const people = [newPerson(), newPerson(), newPerson()] as const;
  const [old, young, active] = people;
  for (const [person, state, days] of [
    [old, 'canceled', 30.1],
    [young, 'completed', 29.9],
    [active, 'active', 400],
  ] as const)
    await service.auditor.query(
      `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state,
         reason, state_since, amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on,
         customer, created_by, created_at, customer_written_at)
       values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'P-1', '1', $3,
         case $3 when 'canceled' then 'user' when 'completed' then 'completed' end, now() - $4 * interval '1 day', 49.9,
         'monthly', 0, 30, 0, 0, '2026-01-01', $5, 'loja-01', now(),
         now() - $4 * interval '1 day')`,
      [service.merchantId, planId, state, days, { email: person.customer.email }],
    );
  const wordsOf = ({ customer }: Person) =>
    service.auditor.query('select seen_on = current_date as is_new from buyer_words where word = $1', [
      customer.email,
    ]);
  await until('they are found by name', async () =>
    (await Promise.all(people.map(wordsOf))).every(({ length }) => length === 1),
  );
  await service.whileBeside(THIRTY_DAYS, async () => {
    await until('the old one is gone', async () => (await tracesOf(service, old)).length === 0);
    await until(
      'words last as long as what goes on',
      async () => (await wordsOf(active))[0]?.is_new === true,
    );
  });
  for (const person of [young, active]) {
    const traces = (await tracesOf(service, person)).filter((trace) => !trace.startsWith('buyer_words'));
    assert.deepEqual(traces, [`subscriptions: ${person.customer.email}`]);
  }
});

test('five years are usual, and with 0 days nothing ends by itself', async () => {
  const [old, young] = [newPerson(), newPerson()];
  await moveBack(await service.pay(old.customer), 1_826);
  await moveBack(await service.pay(young.customer), 1_824);
  await service.whileBeside({}, async () => {
    await until('five years are over', async () => (await customersOf(old)) === 0);
  });
  assert.equal(await customersOf(young), 1);
  const eraseOld = () => assert.fail('nothing may be asked');
  const configuration = { customerRetentionDays: 0 };
  const context = { configuration, metrics: { counter: () => {} } } as never;
  assert.deepEqual(forgetPersonalData('forgetOldCustomers', { eraseOld }, context, {} as never), []);
});

test('an erasure that is killed in the middle is finished by the same command again', async () => {
  const person = newPerson();
  await copies(await service.pay(person.customer), 1_500);
  const words = ['privacy', 'erase', '--document', person.document, '--reason', 'case 12', '--json'];
  const settings = {
    ...databaseSettings(service.database),
    PARCELA_DATA_DIR: service.folder,
    PARCELA_KEY_FILE: keyFileIn(service.folder),
  };
  const child = spawn(process.execPath, [...PARCELA, ...words], {
    env: cleanEnvironment(settings),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until('it has begun', async () => (await customersOf(person)) < 1_501);
  child.kill('SIGKILL');
  await ended;
  const before = await customersOf(person);
  const { exitCode, printed, errors } = await service.parcela(...words);
  assert.equal(exitCode, 0, errors);
  // What it had sent to the database may have been committed after it was killed.
  assert.ok(JSON.parse(printed).payments <= before);
  assert.deepEqual(await tracesOf(service, person), []);
  const { items } = await service.printed('audit', 'list', '--action', 'privacy.erase');
  assert.ok(items.length >= 3, 'the killed one stands in the log, without its end');
});
