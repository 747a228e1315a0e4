import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addDays, type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { runCommandHere } from '../kit/command.ts';
import { call, encryptCard, logIn, TEST_CARD } from '../kit/merchant.ts';
import { databaseSettings, openTestService, type TestService } from '../kit/service.ts';

/** What comes from another gateway: by the command, and a single subscription by the API. */

let service: TestService;
let merchantId: string;
let token: string;
let recurrence: string;
let key: string;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  ({ merchantId } = demo);
  token = await logIn(service.gatewayUrl, demo.gateway);
  recurrence = await logIn(service.gatewayUrl, demo.recurrence);
  ({ key } = (await ask('/v1/cards/public-key')).body);
});
after(() => service?.close());

const ask = (path: string, body?: object) =>
  call(service.gatewayUrl, path, {
    token: path.startsWith('/v1/recurrences') ? recurrence : token,
    ...(body === undefined ? {} : { body }),
  });
const inDays = (days: number): Day => addDays(saoPauloDay(instant(Date.now())), days);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const importLines = (name: string, lines: readonly (object | string)[], ...words: string[]) =>
  importOf(merchantId, name, lines, ...words);

async function importOf(
  ofMerchant: string,
  name: string,
  lines: readonly (object | string)[],
  ...words: string[]
) {
  const path = join(service.folder, name);
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(path, `${texts.join('\n')}\n`);
  const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: service.folder };
  const command = ['import', path, '--merchant', ofMerchant, '--json', ...words];
  const { code, printed, said } = await runCommandHere(command, settings);
  const faults = said.split('\n').filter((line) => line.startsWith('line '));
  // biome-ignore lint/suspicious/noExplicitAny: the report of the command.
  return { code, faults, said, json: printed === '' ? null : (JSON.parse(printed) as any) };
}

const LINK = 'aB3dE5fG7hI9jK1lM3nO5p';
const planId = randomUUID();
const plan = {
  ...{ type: 'plan', id: planId, name: 'Clube', description: 'Um livro por mês', amount: 49.9 },
  ...{ planType: 'Monthly', installments: 6, trialDays: 15, paymentMethod: 'CreditCard' },
};

async function card(vaultId: string, change: object = {}, madeAt = daysAgo(3)) {
  const inside = { cardNumber: TEST_CARD, merchantId, createdAt: madeAt };
  const named = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  return { type: 'card', vaultId, encryptedCard: await encryptCard(key, inside), ...named, ...change };
}

const subscription = (id: string, vaultId: string, change: object = {}) => ({
  ...{ type: 'subscription', id, planId, vaultId, orderNumber: 'P-1', firstDueOn: inDays(3) },
  ...change,
});

test('plans, cards and subscriptions are taken once under their ids, and charged on their day', async () => {
  const [vaultId, other, endless] = [randomUUID().toUpperCase(), randomUUID(), randomUUID()];
  const lines = [
    plan,
    await card(vaultId, { networkTransactionId: 'MCC0000000001', transactionLinkId: LINK }),
    subscription(other, vaultId, { installmentsPaid: 5, customer: { name: 'Ana' } }),
    subscription(endless, vaultId.toLowerCase(), { firstDueOn: inDays(40) }),
  ];
  const nothing = { taken: 0, known: 0, refused: 0 };
  const due = [
    { planId, dueOn: inDays(3), count: 1, cents: 4_990 },
    { planId, dueOn: inDays(40), count: 1, cents: 4_990 },
  ];
  const counted = (outcome: 'taken' | 'known') => ({
    ...{ lines: 4, completed: 0, unread: 0, due, merchant: nothing, webhook: nothing },
    plan: { ...nothing, [outcome]: 1 },
    card: { ...nothing, [outcome]: 1 },
    subscription: { ...nothing, [outcome]: 2 },
  });
  const trial = await importLines('moving.jsonl', lines, '--dry-run');
  assert.deepEqual([trial.code, trial.json], [0, { isTrial: true, ...counted('taken') }], trial.said);
  assert.equal((await ask(`/v1/recurrences/plans/${planId}`)).status, 404);
  const first = await importLines('moving.jsonl', lines);
  assert.deepEqual([first.code, first.json], [0, { isTrial: false, ...counted('taken') }], first.said);
  // As one whose key of fingerprints is gone: it is compared by its number.
  await service.auditor.query('update vault_cards set card_fingerprint = null where merchant_id = $1', [
    merchantId,
  ]);
  const again = await importLines('moving.jsonl', lines);
  assert.deepEqual([again.code, again.json], [0, { isTrial: false, ...counted('known') }], again.said);
  const another = `${LINK.slice(1)}_`;
  const differing = await importLines('other.jsonl', [await card(vaultId, { transactionLinkId: another })]);
  assert.deepEqual(
    [differing.code, differing.json.card.known, differing.json.completed],
    [0, 1, 0],
    differing.said,
  );
  assert.match(differing.said, /line 1: transactionLinkId: The card has another one here, which stays/);

  const stored = await ask(`/v1/vaults/cards/${vaultId}`);
  assert.deepEqual(
    [stored.body.lastFourDigits, stored.body.cardholderName],
    [TEST_CARD.slice(-4), 'ANA SOUZA'],
  );
  const [sealed] = await service.auditor.query(
    `select network_transaction_id, transaction_link_id, first_used_at is not null as is_used
     from vault_cards where vault_id = $1`,
    [vaultId],
  );
  const named = { network_transaction_id: 'MCC0000000001', transaction_link_id: LINK };
  assert.deepEqual(sealed, { ...named, is_used: true });
  assert.doesNotMatch(await readFile(join(service.folder, 'moving.jsonl'), 'utf8'), new RegExp(TEST_CARD));

  const billings = async () => {
    const { items } = (await ask('/v1/recurrences/billing?limit=100')).body;
    return (
      items as { installment: number; status: string; expireAt: string; subscription: { id: string } }[]
    )
      .map(({ subscription: { id }, installment, status, expireAt }) => [
        id,
        installment,
        status,
        expireAt.slice(0, 10),
      ])
      .sort();
  };
  const opened = [
    [other, 6, 'Opened', inDays(3)],
    [endless, 1, 'Opened', inDays(40)],
  ].sort();
  assert.deepEqual(await billings(), opened);
  // Canceled and activated again before it was ever charged here, it goes on with the same installment.
  const status = `/v1/recurrences/subscriptions/${other}/status`;
  for (const word of ['Canceled', 'Actived']) assert.equal((await ask(status, { status: word })).status, 200);
  await arrive(service.gatewayUrl, token, { advanceDays: 4 });
  const after = (await billings()).filter(([, , state]) => state !== 'Canceled');
  assert.deepEqual(
    after,
    [
      [other, 6, 'Paid', inDays(3)],
      [endless, 1, 'Opened', inDays(40)],
    ].sort(),
  );
  const over = await ask(`/v1/recurrences/subscriptions/${other}`);
  assert.deepEqual([over.body.status, over.body.statusReason], ['Canceled', 'Completed']);
  assert.deepEqual([over.body.createdBy, over.body.plan.createdBy], ['system', 'system']);
  // Begun again when a first day is past.
  const late = await importLines('moving.jsonl', lines);
  assert.deepEqual([late.code, late.json], [0, { isTrial: false, ...counted('known') }], late.said);
});

test('a card that is there is given what it lacked of its first use, and what is no link is left out with a note', async () => {
  const [vaultId, visa] = [randomUUID(), randomUUID()];
  const encryptedCard = await encryptCard(key, {
    cardNumber: '4111111111111111',
    merchantId,
    createdAt: daysAgo(1),
  });
  const without = [
    await card(vaultId, { transactionLinkId: `${LINK}${'='.repeat(79)}` }),
    await card(visa, { encryptedCard, brand: 'visa', transactionLinkId: LINK }),
  ];
  const first = await importLines('without.jsonl', without);
  assert.deepEqual([first.code, first.json.card.taken], [0, 2], first.said);
  assert.match(first.said, /line 1: transactionLinkId: It has 101 characters and not 22/);
  assert.match(first.said, /line 2: transactionLinkId: The card is no Mastercard/);
  const referenceOf = async (id: string) => {
    const [row] = await service.auditor.query(
      `select network_transaction_id as id, transaction_link_id as link, first_used_at is not null as is_used
       from vault_cards where vault_id = $1`,
      [id],
    );
    return row;
  };
  const nothing = { id: null, link: null, is_used: false };
  assert.deepEqual([await referenceOf(vaultId), await referenceOf(visa)], [nothing, nothing]);
  const named = [await card(vaultId, { networkTransactionId: 'MCC1', transactionLinkId: LINK })];
  const trial = await importLines('named.jsonl', named, '--dry-run');
  assert.deepEqual(
    [trial.json.card.known, trial.json.completed, await referenceOf(vaultId)],
    [1, 1, nothing],
  );
  const second = await importLines('named.jsonl', named);
  assert.deepEqual([second.code, second.json.card.known, second.json.completed], [0, 1, 1], second.said);
  assert.deepEqual(await referenceOf(vaultId), { id: 'MCC1', link: LINK, is_used: true });
  assert.equal((await importLines('named.jsonl', named)).json.completed, 0);
});

test('a row that is not taken is named by line and field, and the others are taken', async () => {
  const vaultId = randomUUID();
  const lines = [
    await card(vaultId),
    '{"type":"card"',
    { type: 'seller' },
    await card(vaultId, {
      encryptedCard: await encryptCard(key, {
        cardNumber: '4111111111111111',
        merchantId,
        createdAt: daysAgo(1),
      }),
    }),
    await card(randomUUID(), {}, daysAgo(31)),
    await card(randomUUID(), { cardNumber: TEST_CARD }),
    subscription(randomUUID(), randomUUID(), { firstDueOn: inDays(30) }),
    subscription(randomUUID(), vaultId, { firstDueOn: inDays(-30), installmentsPaid: 6, accountNumber: '9' }),
    subscription('7', vaultId, { firstDueOn: 'soon' }),
    ' \r',
    `{"type":"card","${TEST_CARD}":1,"${TEST_CARD}":2}`,
    `{"type":"card","\\u001b[2J":1,"\\u001b[2J":2}`,
    `{"type":"card","note":"${'x'.repeat(64 * 1024)}"}`,
    { ...plan, amount: 49.91 },
    subscription(randomUUID(), vaultId, { firstDueOn: inDays(30), chargesMade: 1 }),
    subscription(randomUUID(), vaultId, { firstDueOn: inDays(-40), chargeOn: inDays(8), chargesMade: 1 }),
    await card(randomUUID(), { transactionLinkId: `${LINK}=` }),
  ];
  const { code, faults, json, said } = await importLines('faulty.jsonl', lines);
  assert.deepEqual(
    [code, json.card.taken, json.card.refused, json.subscription.refused, json.plan.refused, json.unread],
    [1, 2, 2, 4, 1, 7],
    said,
  );
  const fields = faults.map((fault) => fault.split(': ').slice(0, 2).join(' ')).sort();
  assert.deepEqual(fields, [
    'line 11 …',
    'line 12 ["\\u001b[2J"]',
    'line 13 Longer than 65536 bytes.',
    'line 14 id',
    'line 15 chargeOn',
    'line 16 chargeOn',
    'line 16 chargesMade',
    'line 17 transactionLinkId',
    'line 2 No JSON object',
    'line 3 type',
    'line 4 vaultId',
    'line 5 encryptedCard',
    'line 6 cardNumber',
    'line 7 vaultId',
    'line 8 accountNumber',
    'line 8 firstDueOn',
    'line 8 installmentsPaid',
    'line 9 firstDueOn',
    'line 9 id',
  ]);
  assert.doesNotMatch(said, new RegExp(TEST_CARD));
});

test('plans come with their status, and what is corrected in the same file is taken', async () => {
  const [inactive, canceled, vaultId, id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const of = (ofPlan: string, change: object = {}) =>
    subscription(randomUUID(), vaultId, { planId: ofPlan, firstDueOn: inDays(30), ...change });
  const lines = [
    { ...plan, id: inactive, status: 'Inactive' },
    { ...plan, id: canceled, status: 'Canceled' },
    await card(vaultId),
    of(inactive, { id, vaultId: randomUUID() }),
    of(inactive, { id }),
    of(inactive, { id, firstDueOn: inDays(31) }),
    of(canceled),
  ];
  const taken = { taken: 1, known: 0 };
  // A trial has nothing to compare a line with that it has not written.
  const trial = await importLines('states.jsonl', lines, '--dry-run');
  assert.deepEqual(trial.json.subscription, { taken: 1, known: 1, refused: 2 }, trial.said);
  const { code, json, faults, said } = await importLines('states.jsonl', lines);
  assert.deepEqual([code, json.subscription], [1, { ...taken, refused: 3 }], said);
  const fields = faults.map((fault) => fault.split(': ').slice(0, 2).join(' '));
  assert.deepEqual(fields, ['line 4 vaultId', 'line 6 id', 'line 7 planId']);
  for (const [planOf, status] of [
    [inactive, 'Inactive'],
    [canceled, 'Canceled'],
  ])
    assert.equal((await ask(`/v1/recurrences/plans/${planOf}`)).body.status, status);
  // Canceled there since, and nobody knows here whether before or after.
  const later = await importLines('later.jsonl', [
    { ...plan, id: inactive, status: 'Canceled' },
    of(inactive),
  ]);
  assert.deepEqual(
    later.faults.map((fault) => fault.split(': ').slice(0, 2).join(' ')),
    ['line 1 status', 'line 2 planId'],
  );
});

test('a merchant comes with its accounts and webhooks before what is its own, and stays as it is here', async () => {
  const id = 'LOJA-QUE-VEM';
  const contact = { name: 'Bia', email: 'bia@example.com', phone: '+55 11 99999-0000' };
  const merchant = {
    ...{ type: 'merchant', merchantId: id, cnpj: '11.222.333/0001-81', legalName: 'Loja que vem', contact },
    ...{ accountNumbers: ['71', '72'], productionAddresses: ['203.0.113.7'] },
  };
  const webhook = {
    type: 'webhook',
    accountNumber: '72',
    url: 'http://127.0.0.1:4999/notices',
    basicAuth: 'YTpi',
  };
  const otherPlan = { ...plan, id: randomUUID() };
  const moved = { ...webhook, url: 'http://127.0.0.1:4999/elsewhere' };
  const lines = [merchant, webhook, { ...webhook, accountNumber: '79' }, otherPlan, moved];
  const alone = await importOf(id, 'late.jsonl', [otherPlan, merchant]);
  assert.deepEqual([alone.code, alone.json], [1, null], 'its line comes first');
  for (const [words, outcome] of [
    [['--dry-run'], 'taken'],
    [[], 'taken'],
    [[], 'known'],
  ] as const) {
    const { code, json, faults, said } = await importOf(id, 'merchant.jsonl', lines, ...words);
    assert.deepEqual(
      [code, json?.merchant[outcome], json?.webhook[outcome], json?.plan[outcome]],
      [1, 1, 1, 1],
      said,
    );
    assert.deepEqual(faults, [
      'line 3: accountNumber: The merchant has no such account.',
      'line 5: accountNumber: Another address is registered for this account already.',
    ]);
  }
  const more = { ...merchant, legalName: 'Outro nome', accountNumbers: ['73'] };
  const again = await importOf(id, 'more.jsonl', [more, moved]);
  assert.deepEqual(
    [again.json.merchant.taken, again.json.webhook.refused, again.faults.length],
    [1, 1, 1],
    again.said,
  );
  const [row] = await service.auditor.query(
    `select m.legal_name, array_agg(a.account_number order by a.position) as accounts,
       (select url from webhook_endpoints where merchant_id = $1) as url
     from merchants m join accounts a using (merchant_id) where merchant_id = $1 group by 1`,
    [id],
  );
  assert.deepEqual(row, { legal_name: 'Loja que vem', accounts: ['71', '72', '73'], url: webhook.url });
  // As the merchant does by the API: what was removed here stays removed.
  await service.auditor.query("update webhook_endpoints set state = 'removed' where merchant_id = $1", [id]);
  const removed = await importOf(id, 'removed.jsonl', [merchant, webhook]);
  assert.deepEqual([removed.code, removed.json.webhook.known], [0, 1], removed.said);
  const states = await service.auditor.query('select state from webhook_endpoints where merchant_id = $1', [
    id,
  ]);
  assert.deepEqual(states, [{ state: 'removed' }]);
  // The file of a merchant says nothing about another one that is here.
  const others = [
    { ...merchant, merchantId: 'LOJA-A' },
    { ...webhook, accountNumber: '71' },
  ];
  for (const [first, place] of [
    [others, 1],
    [[`{"type":"merchant","merchantId":"LOJA-A",${others}`, ...others.slice(1)], 1],
    [[otherPlan, merchant], 2],
  ] as const) {
    const { code, json, said } = await importOf(id, 'others.jsonl', [
      ...first,
      { ...plan, id: randomUUID() },
    ]);
    const refused = json.merchant.refused + json.unread;
    assert.deepEqual([code, json.webhook.taken, json.plan.taken, refused], [1, 0, 0, 1], said);
    assert.match(said, new RegExp(`Nothing behind line ${place} was looked at`));
  }
  for (const [merchantId, cnpj] of [
    ['NEW', '1'],
    [id, '11.444.777/0001-61'],
  ] as const) {
    const lines = [
      { ...merchant, merchantId, cnpj },
      { ...plan, id: randomUUID() },
    ];
    const { code, json, faults, said } = await importOf(merchantId, 'wrong.jsonl', lines);
    assert.deepEqual([code, json.merchant.refused, json.plan.taken, faults.length], [1, 1, 0, 1], said);
  }
});

test('by the API a subscription begins on the day that it names, from today on and for two years', async () => {
  const vaultId = randomUUID();
  await importLines('one.jsonl', [await card(vaultId)]);
  const enrol = (firstDueOn: string) =>
    ask('/v1/recurrences/subscriptions', { planId, vaultId, orderNumber: 'P-9', firstDueOn });
  for (const day of [inDays(-9), inDays(800)]) {
    const refused = await enrol(day);
    assert.deepEqual([refused.status, refused.body[0].tag], [400, 'firstDueOn']);
  }
  const id = (await enrol(inDays(20))).body;
  const [row] = await service.auditor.query(
    'select installment, due_on::text as due_on from billings where subscription_id = $1',
    [id],
  );
  assert.deepEqual(row, { installment: 1, due_on: inDays(20) });
});

test('what is written for another gateway is taken there as it was here', async () => {
  const receiver = 'OUTRA-LOJA';
  const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: service.folder };
  const run = (...words: string[]) => runCommandHere([...words, '--json'], settings);
  const [file, keyFile] = [join(service.folder, 'out.jsonl'), join(service.folder, 'receiver.key')];
  await writeFile(keyFile, key);
  const words = [
    'export',
    '--merchant',
    merchantId,
    '--to',
    file,
    '--receiver',
    receiver,
    '--public-key',
    keyFile,
  ];
  // Enrolled before its plan was changed.
  const [changedPlan, vaultId, older, retryPlan] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const late = randomUUID();
  // One that lacked funds once: its series goes on by its due day.
  const retried = { planId: retryPlan, firstDueOn: inDays(-1), chargeOn: inDays(6), chargesMade: 1 };
  const there = await importLines('older.jsonl', [
    { ...plan, id: retryPlan, attempts: 2 },
    { ...plan, id: changedPlan },
    await card(vaultId, { transactionLinkId: LINK }),
    subscription(older, vaultId, { planId: changedPlan, firstDueOn: inDays(30) }),
    subscription(randomUUID(), vaultId, retried),
    subscription(late, vaultId, retried),
  ]);
  assert.equal(there.code, 0, there.said);
  // As where an issuer advised a retry after the next due day.
  await service.auditor.query('update billings set charge_on = $2 where subscription_id = $1', [
    late,
    inDays(29),
  ]);
  const subscriptions = '/v1/recurrences/subscriptions';
  const planPath = `/v1/recurrences/plans/${changedPlan}`;
  const { type: _, ...terms } = { ...plan, merchantId, amount: 59.9 };
  for (const [path, body] of [
    [`${subscriptions}/${older}/status`, { status: 'Canceled' }],
    [`${planPath}/status`, { status: 'Inactive' }],
    [planPath, terms],
    [`${subscriptions}/${older}/status`, { status: 'Active' }],
  ] as const)
    assert.equal((await ask(path, body)).status, 200, path);
  const exported = await run(...words, '--reason', 'they leave');
  assert.equal(exported.code, 1, exported.said);
  const { webhooks, plans, cards, subscriptions: count, unreadable, leftOut } = JSON.parse(exported.printed);
  assert.deepEqual([count > 0, cards > 0, plans > 0, unreadable], [true, true, true, []]);
  assert.deepEqual(
    new Map(leftOut.map((one: { subscriptionId: string; why: string }) => [one.subscriptionId, one.why])),
    new Map([older, late].sort().map((one) => [one, one === older ? 'otherTerms' : 'lateCharge'])),
  );
  assert.doesNotMatch(await readFile(file, 'utf8'), new RegExp(TEST_CARD));
  assert.equal((await run(...words, '--reason', 'again')).code, 1);
  const taken = await run('import', file, '--merchant', receiver);
  const report = JSON.parse(taken.printed);
  assert.deepEqual(
    [
      taken.code,
      report.merchant.taken,
      report.webhook.taken,
      report.plan.taken,
      report.card.taken,
      report.subscription.taken,
    ],
    [0, 1, webhooks, plans, cards, count],
    taken.said,
  );
  const rows = (ofMerchant: string) =>
    service.auditor.query(
      `select b.subscription_id, b.installment, b.due_on::text, b.charge_on::text as charge_on, b.charges_made, b.amount::text as amount
       from billings b where b.merchant_id = $1 and b.state = 'opened' and b.subscription_id <> all($2)
       order by b.subscription_id`,
      [ofMerchant, [older, late]],
    );
  const here = await rows(merchantId);
  assert.deepEqual(await rows(receiver), here);
  assert.ok(
    here.some((one) => one.due_on === inDays(-1) && one.charge_on === inDays(6) && one.charges_made === 1),
  );
  const references = (ofMerchant: string) =>
    service.auditor.query(
      `select vault_id, network_transaction_id, transaction_link_id, first_used_at is not null as is_used
       from vault_cards where merchant_id = $1 order by vault_id`,
      [ofMerchant],
    );
  const named = await references(receiver);
  assert.deepEqual(named, await references(merchantId));
  const linked = { network_transaction_id: null, transaction_link_id: LINK, is_used: true };
  assert.deepEqual(
    named.find((one) => one.vault_id === vaultId),
    { vault_id: vaultId, ...linked },
  );
  // The same subscription at two merchants: what follows is not billed, nor charged, under one id.
  const [next] = await service.auditor.query(
    `select count(distinct next_billing_id(m, $1::uuid, 2::smallint, '2027-01-31'::date))::int as ids
     from unnest($2::text[]) m`,
    [older, [merchantId, receiver]],
  );
  assert.deepEqual(next, { ids: 2 });
});
