import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import { FOREIGN, newPerson, openPrivacyService, type PrivacyService, tracesOf } from './privacy-service.ts';

const REASON = 'letter of 20 November, case 12';

let service: PrivacyService;
before(async () => {
  service = await openPrivacyService();
});
after(() => service.close());

const erase = (document: string, ...words: string[]) =>
  service.printed('privacy', 'erase', '--document', document, '--reason', REASON, ...words);

test('a person is exported and erased at all merchants; payments and other persons stay as they are', async () => {
  const [person, other] = [newPerson(), newPerson()];
  const { documentNumber: _, ...capital } = person.customer;
  const ids = [
    await service.pay(person.customer),
    await service.pay({ ...person.customer, documentNumber: person.masked }),
    await service.pay({ ...capital, DocumentNumber: person.document }),
  ];
  const elsewhere = await service.pay(person.customer, {}, service.foreignToken);
  const others = await service.pay(other.customer);
  const shown = await Promise.all(ids.map((id) => service.read(id)));
  await until('the console finds them by name', async () => {
    const words = 'select count(distinct buyer)::int as found from buyer_words where word = any ($1)';
    const names = [person, other].map(({ customer }) => customer.email);
    return (await service.auditor.query(words, [names]))[0]?.found === 2;
  });
  await service.auditor.query(
    `insert into buyer_notes (merchant_id, note_id, document, note, created_by)
     select merchant_id, transaction_id, $2, $3, 'support' from transactions where transaction_id = $1`,
    [ids[0], person.document, `Ligou ${person.masked}`],
  );

  const kept = await service.printed('privacy', 'export', '--document', person.masked);
  assert.deepEqual(
    kept.payments.map(({ paymentId }: { paymentId: string }) => paymentId).sort(),
    [...ids, elsewhere].sort(),
  );
  assert.equal(kept.payments[0].customer.email, person.customer.email);
  assert.equal(kept.isComplete, true);
  assert.deepEqual([kept.notes.length, kept.notes[0].note], [1, `Ligou ${person.masked}`]);
  assert.ok(kept.words.some(({ word }: { word: string }) => word === person.customer.email));
  const ofOne = await service.printed(
    'privacy',
    'export',
    '--document',
    person.document,
    '--merchant',
    FOREIGN,
  );
  assert.deepEqual(
    ofOne.payments.map(({ paymentId }: { paymentId: string }) => paymentId),
    [elsewhere],
  );

  assert.deepEqual(await erase(person.masked), {
    payments: 4,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 1,
    left: [],
  });
  assert.deepEqual(await tracesOf(service, person), []);
  assert.notDeepEqual(await tracesOf(service, other), []);
  for (const [at, id] of ids.entries()) assert.equal((await service.read(id)).text, shown[at]?.text);
  const [row] = await service.auditor.query(
    'select customer, customer_erased_at from transactions where transaction_id = $1',
    [ids[0]],
  );
  assert.ok(row?.customer === null && row.customer_erased_at instanceof Date);
  assert.equal((await service.read(others)).status, 200);
  assert.deepEqual((await service.printed('privacy', 'export', '--document', person.document)).payments, []);
  assert.deepEqual(await erase(person.document), {
    payments: 0,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 0,
    left: [],
  });
});

test('of one merchant only what it sent of the person goes', async () => {
  const person = newPerson();
  await service.pay(person.customer);
  await service.pay(person.customer, {}, service.foreignToken);
  assert.equal((await erase(person.document, '--merchant', FOREIGN)).payments, 1);
  const { payments } = await service.printed('privacy', 'export', '--document', person.document);
  assert.deepEqual(
    payments.map(({ merchantId }: { merchantId: string }) => merchantId),
    [service.merchantId],
  );
});

test('both are in the audit log: who, why and how much, and never the person', async () => {
  const person = newPerson();
  await service.pay(person.customer);
  await service.printed('privacy', 'export', '--document', person.document);
  await erase(person.document);
  const entriesOf = async (action: string) =>
    (await service.printed('audit', 'list', '--action', action, '--limit', '1000')).items;
  const exported = (await entriesOf('privacy.export')).at(-1);
  const [begun, done] = (await entriesOf('privacy.erase')).slice(-2);
  assert.deepEqual(exported.detail, {
    payments: 1,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    filters: 0,
    notes: 0,
  });
  assert.deepEqual(begun.detail, { begun: 1, reason: REASON });
  assert.deepEqual(done.detail, {
    payments: 1,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 0,
    left: 0,
  });
  assert.match(exported.resource, /^persons\/\d+-[0-9a-f]{32}$/);
  assert.deepEqual([begun.resource, done.resource], [exported.resource, exported.resource]);
  assert.equal((await service.parcela('audit', 'verify')).exitCode, 0);
});

test('a slip of the pen erases nobody, and the person is not written into the audit log', async () => {
  const person = newPerson();
  await service.pay(person.customer);
  const refusals: [string[], RegExp][] = [
    [['--document', '52998224724', '--reason', REASON], /is neither a CPF nor a CNPJ/],
    [['--document', person.document], /--reason is required/],
    [
      ['--document', person.document, '--reason', `asked by ${person.masked}`],
      /no card number, CPF or e-mail/,
    ],
    [['--document', person.document, '--reason', 'asked by a@b.example'], /no card number, CPF or e-mail/],
    [['--document', person.document, '--reason', REASON, '--merchant', 'NONE'], /no such merchant/],
  ];
  for (const [words, message] of refusals) {
    const { exitCode, errors } = await service.parcela('privacy', 'erase', ...words);
    assert.notEqual(exitCode, 0);
    assert.match(errors, message);
  }
  assert.notDeepEqual(await tracesOf(service, person), []);
  const inLog = (await tracesOf(service, person)).filter((trace) => trace.startsWith('audit_entries'));
  assert.deepEqual(inLog, []);
});

test('an export that leaves out messages of one payment says that it is not complete', async () => {
  const person = newPerson();
  const paymentId = await service.pay(person.customer);
  const asked = ['privacy', 'export', '--document', person.document];
  assert.equal((await service.printed(...asked)).isComplete, true);
  await service.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, nsu,
       body, state, scheduled_at, ended_at)
     select merchant_id, 1000000000 + n, 'movement', account_number, account_number, transaction_id, nsu, '{}',
       'delivered', now(), now()
     from transactions, generate_series(1, 1001) n where transaction_id = $1`,
    [paymentId],
  );
  const kept = await service.printed(...asked);
  assert.deepEqual([kept.messages.length, kept.isComplete], [1_000, false]);
});
