import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { handOnLost } from '../../src/transactions/methods/pix/receipts/odd-receipts.sql.ts';
import { runCommandHere } from '../kit/command.ts';
import { call } from '../kit/merchant.ts';
import { databaseUrl, until } from '../kit/service.ts';
import {
  cancel,
  charge,
  exceptionsOf,
  ledger,
  movementsOf,
  openPixShop,
  type PixShop,
  pay,
  read,
  script,
  untilStatus,
} from './pix-service.ts';

let shop: PixShop;

before(async () => {
  shop = await openPixShop({ PARCELA_FEES: 'any:1-99=3, pix=1' });
});
after(() => shop?.service.close());

/** What the service shows its simulated bank. */
const SIMULATED_TOKEN = 'parcela:homologation';

const chargesAt = async (txid: string) => (await ledger(shop, 'charges')).filter((one) => one.txid === txid);
const pixAt = async (endToEndId: string) =>
  (await ledger(shop, 'pix')).find((one) => one.endToEndId === endToEndId);

test('a Pix is charged, paid, shown and told, and given back whole', async () => {
  const made = await charge(shop);
  assert.equal(made.status, 200, made.text);
  const { paymentId, txid, status, pixEmv } = made.body;
  assert.equal(status, 'Aguardando');
  assert.match(txid, /^[a-z0-9]{32}$/);
  assert.match(pixEmv, /^0002/);
  const endToEndId = await pay(shop, txid);
  const paid = (await untilStatus(shop, paymentId, 'Paga')).body;
  assert.deepEqual(
    [paid.method, paid.nsu, paid.paidAmount, paid.payments.length, paid.payments[0].kind],
    ['pix', endToEndId.slice(-20), 14_990, 1, 'expected'],
  );
  const given = await cancel(shop, paymentId);
  assert.ok([200, 202].includes(given.status), given.text);
  const back = (await untilStatus(shop, paymentId, 'Cancelada')).body;
  assert.deepEqual(
    [back.canceledAmount, back.cancelingAmount, back.cancels[0].status],
    [14_990, 0, 'Cancelado'],
  );
  assert.equal((await pixAt(endToEndId))?.givenBack, 14_990);
  assert.deepEqual(await movementsOf(shop, paymentId), [
    'Pix >Aguardando',
    'Pix Aguardando>Paga',
    'Pix Paga>Devolvida',
  ]);
});

test('repeated with its key it is the same Pix as it stands then; another body with it is refused', async () => {
  const headers = { 'idempotency-key': 'pix-1' };
  const first = await charge(shop, {}, { headers });
  const again = await charge(shop, {}, { headers });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
  assert.equal((await charge(shop, { amount: 1 }, { headers })).status, 422);
  await pay(shop, first.body.txid);
  await untilStatus(shop, first.body.paymentId, 'Paga');
  assert.equal((await charge(shop, {}, { headers })).body.status, 'Paga');
});

test('all faults of a request come at once, each with its field', async () => {
  const reply = await charge(shop, {
    amount: 0,
    expiresInSeconds: 5,
    payer: { name: ' ', documentNumber: '1' },
    description: 'x'.repeat(141),
    configSplit: [{ documentNumberBeneficiary: '1', percent: 100.01 }],
    fine: { percent: 2 },
    urlCallBack: 'https://10.0.0.1/x',
  });
  assert.equal(reply.status, 400);
  assert.deepEqual((reply.body as { tag: string }[]).map(({ tag }) => tag).sort(), [
    'amount',
    'configSplit',
    'configSplit[0].documentNumberBeneficiary',
    'configSplit[0].percent',
    'description',
    'expiresInSeconds',
    'fine',
    'payer.documentNumber',
    'payer.name',
    'urlCallBack',
  ]);
});

test('what says nothing is not given: an empty list, null and blanks', async () => {
  const nothing = { configSplit: [], dueDate: '', urlCallBack: ' ', discount: null };
  const reply = await charge(shop, nothing);
  assert.equal(reply.status, 200, reply.text);
});

test('what paid a Pix is shown less the fee, divided, and taken back in proportion', async () => {
  const [person, company] = ['52998224725', '11222333000181'];
  const configSplit = [
    { documentNumberBeneficiary: person, percent: 10, type: 'liquido' },
    { documentNumberBeneficiary: company, percent: 20.5, type: 'liquido' },
  ];
  const { paymentId, txid } = (await charge(shop, { amount: 10_000, configSplit })).body;
  const waiting = (await read(shop, paymentId)).body;
  assert.deepEqual([waiting.fee, waiting.netAmount, waiting.split], [null, null, undefined]);
  await pay(shop, txid);
  const paid = (await untilStatus(shop, paymentId, 'Paga')).body;
  assert.deepEqual([paid.fee, paid.netAmount], [100, 9_900]);
  const entries = [
    { documentNumberBeneficiary: person, percent: 10, type: 'liquido', amount: 990, canceledAmount: 0 },
    { documentNumberBeneficiary: company, percent: 20.5, type: 'liquido', amount: 2_030, canceledAmount: 0 },
  ];
  assert.deepEqual(paid.split, entries);
  const listed = await call(shop.url, `/v1/payments?txid=${txid}`, { token: shop.token });
  assert.deepEqual(listed.body.items[0].split, entries);
  const movements = await call(
    shop.service.integrationUrl,
    `/api/movements?accountNumber=${shop.accountNumber}&limit=100`,
    { token: shop.otherToken },
  );
  const ofIt = movements.body.items.filter((one: { paymentId: string }) => one.paymentId === paymentId);
  assert.deepEqual(
    ofIt.map(({ amount, netAmount }: Record<string, number>) => [amount, netAmount]),
    [
      [10_000, 9_900],
      [10_000, 9_900],
    ],
  );
  await cancel(shop, paymentId, { amount: 5_000 });
  const canceledOf = () =>
    until('half of it is given back', async () => {
      const { body } = await read(shop, paymentId);
      return body.canceledAmount === 5_000 && body.split;
    });
  assert.deepEqual(
    (await canceledOf()).map(({ canceledAmount }: { canceledAmount: number }) => canceledAmount),
    [495, 1_015],
  );
  await cancel(shop, paymentId);
  const back = (await untilStatus(shop, paymentId, 'Cancelada')).body;
  for (const { amount, canceledAmount } of back.split) assert.equal(canceledAmount, amount);
});

test('a lost answer of the bank is 202, and the charge is made once, whether the bank had made it or not', async () => {
  for (const fault of ['silent', 'booksButUnavailable', 'withoutCode']) {
    await script(shop, 'PUT /cob', { fault });
    await script(shop, 'GET /cob', { fault: 'withoutCode' });
    const reply = await charge(shop);
    // Where the bank answered 503 at once it may have been asked again before this answer was written.
    if (fault === 'silent' || reply.status === 202)
      assert.deepEqual([reply.status, reply.body.status, reply.body.pixEmv], [202, 'Processando', null]);
    else assert.deepEqual([reply.status, reply.body.status], [200, 'Aguardando']);
    const { paymentId, txid } = reply.body;
    const waiting = (await untilStatus(shop, paymentId, 'Aguardando')).body;
    assert.match(waiting.pixEmv, /^0002/);
    assert.equal((await chargesAt(txid)).length, 1, fault);
  }
});

test('a bank that says at once that it has no such charge is not believed at once', async () => {
  await script(shop, 'PUT /cob', { fault: 'booksButConflict' });
  await script(shop, 'GET /cob', { fault: 'notFound' });
  const { status, body } = await charge(shop);
  assert.ok(status === 200 || status === 202, JSON.stringify(body));
  await untilStatus(shop, body.paymentId, 'Aguardando');
  await script(shop, 'PATCH /cob', { fault: 'notFound' });
  await script(shop, 'GET /cob', { fault: 'notFound' });
  assert.equal((await cancel(shop, body.paymentId)).status, 500);
  await untilStatus(shop, body.paymentId, 'Cancelada');
  const [atBank] = await chargesAt(body.txid);
  assert.equal(atBank?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

test('a bank that contradicts itself is not believed, nor is a refusal while an earlier request may be on its way', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  const often = (step: object) => Array.from({ length: 100 }, () => step);
  await script(shop, 'PATCH /cob', ...often({ fault: 'conflict' }));
  await script(shop, 'GET /cob', ...often({ fault: 'notFound' }));
  assert.equal((await cancel(shop, paymentId)).status, 500);
  const [before] = await shop.service.auditor.query(
    `update pix_charges set tries = 8, due_at = now(), unknown_reason = 'the bank has nothing under this name'
     where pix_id = $1 returning fence`,
    [paymentId],
  );
  const looked = await until('it was looked at', async () => {
    const [row] = await shop.service.auditor.query(
      'select * from pix_charges where pix_id = $1 and (tries > 8 or due_at is null) and fence > $2',
      [paymentId, before?.fence],
    );
    return row ?? null;
  });
  assert.equal(looked.state, 'removing');
  await until('its age is told', async () => {
    const text = await (await fetch(shop.service.metricsUrl)).text();
    return /^parcela_pix_unresolved_oldest_age_seconds\{provider="default"\} [\d.]*[1-9]/m.test(text);
  });
  await script(shop, 'PATCH /cob');
  await script(shop, 'GET /cob');
  await shop.service.auditor.query('update pix_charges set due_at = now() where pix_id = $1', [paymentId]);
  await untilStatus(shop, paymentId, 'Cancelada');
  assert.equal((await chargesAt(txid))[0]?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  await script(shop, 'PUT /cob', { fault: 'silent' }, { problem: 'CobOperacaoInvalida' });
  await untilStatus(shop, (await charge(shop)).body.paymentId, 'Aguardando');
});

test('what is paid before the bank has said that the charge is there waits for its answer, and pays it', async () => {
  await script(shop, 'PUT /cob', { fault: 'booksButSilent' });
  await script(shop, 'GET /cob', ...Array.from({ length: 20 }, () => ({ fault: 'unavailable' })));
  const { paymentId, txid } = (await charge(shop)).body;
  await pay(shop, txid);
  await until('it has come', async () => {
    const [row] = await shop.service.auditor.query(
      "select from pix_receipts where pix_id = $1 and reason = 'beingIssued'",
      [paymentId],
    );
    return row ?? null;
  });
  assert.equal((await read(shop, paymentId)).body.statusDescription, 'Processando');
  await script(shop, 'GET /cob');
  const { payments } = (await untilStatus(shop, paymentId, 'Paga')).body;
  assert.deepEqual([payments.length, payments[0].kind], [1, 'expected']);
});

test('a refusal of the bank is 402 with its field, again with the key, and makes no movement', async () => {
  const headers = { 'idempotency-key': 'pix-refused' };
  await script(shop, 'PUT /cob', { problem: 'CobOperacaoInvalida' });
  const reply = await charge(shop, {}, { headers });
  assert.equal(reply.status, 402, reply.text);
  const [{ paymentId }] = reply.body;
  assert.equal((await charge(shop, {}, { headers })).status, 402);
  assert.equal((await read(shop, paymentId)).body.statusDescription, 'Negada');
  assert.deepEqual(await movementsOf(shop, paymentId), []);
});

test('a bank that cannot be asked leaves nothing, and the key is free', async () => {
  const headers = { 'idempotency-key': 'pix-away' };
  await script(shop, 'PUT /cob', { fault: 'unauthorized' }, { fault: 'unauthorized' });
  const reply = await charge(shop, {}, { headers });
  assert.equal(reply.status, 503, reply.text);
  const again = await charge(shop, {}, { headers });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, null]);
});

test('a second payment, one after the end and one in another amount are shown beside, and are exceptions', async () => {
  const twice = (await charge(shop)).body;
  await pay(shop, twice.txid);
  await untilStatus(shop, twice.paymentId, 'Paga');
  await pay(shop, twice.txid, { force: true });
  const late = (await charge(shop)).body;
  assert.equal((await cancel(shop, late.paymentId)).status, 200);
  await pay(shop, late.txid, { force: true });
  const other = (await charge(shop)).body;
  await pay(shop, other.txid, { force: true, amount: '149.00' });
  const kindsOf = (paymentId: string, count: number) =>
    until(`${count} payments`, async () => {
      const { body } = await read(shop, paymentId);
      return body.payments.length === count ? [body.statusDescription, ...body.payments] : null;
    });
  const [, ...both] = await kindsOf(twice.paymentId, 2);
  assert.deepEqual(
    both.map(({ kind, state }: Record<string, string>) => [kind, state]),
    [
      ['expected', 'resolved'],
      ['second', 'open'],
    ],
  );
  const [stays, afterEnd] = await kindsOf(late.paymentId, 1);
  assert.deepEqual([stays, afterEnd.kind, afterEnd.state], ['Cancelada', 'afterEnd', 'open']);
  const [paid, otherAmount] = await kindsOf(other.paymentId, 1);
  assert.deepEqual([paid, otherAmount.kind, otherAmount.amount], ['Paga', 'otherAmount', 14_900]);
  assert.equal((await exceptionsOf(shop)).length, 3);
  assert.deepEqual(await movementsOf(shop, late.paymentId), [
    'Pix >Aguardando',
    'Pix Aguardando>Cancelada',
    'Pix Cancelada>Pagamento inesperado',
  ]);
  // What nobody expected is given back by its end-to-end id, and the payment that paid stays.
  const { endToEndId } = both[1];
  const given = await cancel(shop, twice.paymentId, { endToEndId });
  assert.ok([200, 202].includes(given.status), given.text);
  await until('given back', async () => ((await pixAt(endToEndId))?.givenBack === 14_990 ? true : null));
  const { body: stayed } = await read(shop, twice.paymentId);
  assert.deepEqual([stayed.statusDescription, stayed.isPartlyReturned], ['Paga', false]);
});

test('parts are given back, also with a lost answer, once each and never more than was paid', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  const endToEndId = await pay(shop, txid);
  await untilStatus(shop, paymentId, 'Paga');
  const headers = { 'idempotency-key': 'part-1' };
  await script(shop, 'PUT /pix/devolucao', { fault: 'booksButUnavailable' }, { fault: 'silent' });
  const first = await cancel(shop, paymentId, { amount: 4_000 }, { headers });
  const second = await cancel(shop, paymentId, { amount: 2_000 });
  assert.deepEqual([first.status, second.status], [500, 500], `${first.text} ${second.text}`);
  const tooMuch = await cancel(shop, paymentId, { amount: 9_000 });
  // __general__ while parts are under way, amount once they are decided.
  assert.equal(tooMuch.status, 409, tooMuch.text);
  assert.ok(['__general__', 'amount'].includes(tooMuch.body[0].tag), tooMuch.text);
  const parts = await until('both are given back', async () => {
    const { body } = await read(shop, paymentId);
    return body.canceledAmount === 6_000 && body.cancelingAmount === 0 ? body : null;
  });
  assert.deepEqual([parts.statusDescription, parts.isPartlyReturned], ['Paga', true]);
  assert.equal((await pixAt(endToEndId))?.givenBack, 6_000);
  const again = await cancel(shop, paymentId, { amount: 4_000 }, { headers });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'], again.text);
  const beyond = await cancel(shop, paymentId, { amount: 9_000 });
  assert.deepEqual([beyond.status, beyond.body[0].tag], [409, 'amount'], beyond.text);
  assert.equal((await pixAt(endToEndId))?.givenBack, 6_000);
});

test('a refund that the bank does not carry out frees its amount', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  await pay(shop, txid);
  await untilStatus(shop, paymentId, 'Paga');
  await script(shop, 'PUT /pix/devolucao', { refund: 'fails' });
  const reply = await cancel(shop, paymentId);
  assert.ok([202, 409].includes(reply.status), reply.text);
  const body = await until('it was refused', async () => {
    const { body } = await read(shop, paymentId);
    return body.cancels[0]?.status === 'Recusado' ? body : null;
  });
  assert.deepEqual([body.statusDescription, body.canceledAmount, body.cancelingAmount], ['Paga', 0, 0]);
});

/** The bank takes a request that was sent long ago. */
async function arriveLate(endToEndId: string, refundId: string, valor: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(SIMULATED_TOKEN).toString('base64')}` };
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const given = await fetch(new URL('/oauth/token', shop.bankUrl), { method: 'POST', headers, body });
  const { access_token: token } = (await given.json()) as { access_token: string };
  const sent = await fetch(new URL(`/api/v2/pix/${endToEndId}/devolucao/${refundId}`, shop.bankUrl), {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ valor }),
  });
  assert.equal(sent.status, 201, await sent.text());
}

test('a refusal counts once a second look finds nothing either: an earlier try may arrive after it', async () => {
  const { auditor } = shop.service;
  const refusedTwice = [];
  for (const [isLate, ...steps] of [
    [true, { fault: 'silent' }, { problem: 'PixDevolucaoInvalida' }],
    [false, { fault: 'silent' }, { problem: 'PixDevolucaoInvalida' }],
    // It says that there is one, and does not find it.
    [true, { fault: 'conflict' }],
    [false, { fault: 'conflict' }],
  ] as const) {
    const { paymentId, txid } = (await charge(shop)).body;
    const endToEndId = await pay(shop, txid);
    await untilStatus(shop, paymentId, 'Paga');
    await script(shop, 'PUT /pix/devolucao', ...steps);
    assert.equal((await cancel(shop, paymentId, { amount: 4_000 })).status, 500);
    const refund = await until('it is in doubt', async () => {
      const [row] = await auditor.query(
        `select refund_id, state from pix_refunds where pix_id = '${paymentId}' and refused_at is not null`,
      );
      return row ?? null;
    });
    assert.equal(refund.state, 'refunding', 'its amount stays held');
    assert.equal((await read(shop, paymentId)).body.cancelingAmount, 4_000);
    if (isLate) await arriveLate(endToEndId, String(refund.refund_id).replaceAll('-', ''), '40.00');
    refusedTwice.push({ paymentId, endToEndId, isLate });
  }
  await auditor.query(
    "update pix_refunds set refused_at = refused_at - interval '5 minutes', due_at = now() where refused_at is not null",
  );
  for (const { paymentId, endToEndId, isLate } of refusedTwice) {
    const { cancels, canceledAmount } = await until('it was looked at again', async () => {
      const { body } = await read(shop, paymentId);
      return body.cancelingAmount === 0 ? body : null;
    });
    assert.deepEqual(
      [cancels[0].status, canceledAmount, (await pixAt(endToEndId))?.givenBack],
      isLate ? ['Cancelado', 4_000, 4_000] : ['Recusado', 0, 0],
    );
  }
});

test('a Pix that is paid while it is canceled stays, and is paid', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  await pay(shop, txid);
  const reply = await cancel(shop, paymentId);
  // Either the payment was known already and is given back, or the bank says that it is paid.
  assert.ok([200, 202, 409].includes(reply.status), reply.text);
  const status = reply.status === 409 ? 'Paga' : 'Cancelada';
  await untilStatus(shop, paymentId, status);
});

test('what the bank never lists as received is known from its record of the charge', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  // Nobody asks for the list meanwhile.
  await shop.service.auditor.query("update pix_cursors set bank = 'none'");
  try {
    await pay(shop, txid);
    // The standard lets a record leave the code out.
    await script(shop, 'GET /cob', { fault: 'withoutCode' });
    assert.equal((await cancel(shop, paymentId)).status, 409);
    const { body } = await untilStatus(shop, paymentId, 'Paga');
    assert.deepEqual([body.payments.length, body.payments[0].kind], [1, 'expected']);
  } finally {
    await shop.service.auditor.query("update pix_cursors set bank = 'default'");
  }
});

test('what is paid while it is being issued is known, also where the record of its bank never has the code', async () => {
  await script(shop, 'PUT /cob', { fault: 'booksButSilent' }, ...Array(200).fill({ fault: 'conflict' }));
  await script(shop, 'GET /cob', ...Array(200).fill({ fault: 'withoutCode' }));
  try {
    const made = await charge(shop, { referenceTransaction: 'SEM-CODIGO' });
    assert.equal(made.status, 202, made.text);
    const { paymentId } = made.body;
    const [row] = await shop.service.auditor.query('select txid from pix_charges where pix_id = $1', [
      paymentId,
    ]);
    await pay(shop, row?.txid as string);
    const { body } = await untilStatus(shop, paymentId, 'Paga');
    assert.deepEqual([body.pixEmv, body.paidAmount, body.payments.length], [null, 14_990, 1]);
  } finally {
    for (const on of ['PUT /cob', 'GET /cob']) await script(shop, on);
  }
});

test('what is paid for a charge that this database has lost is listed and warned of, until the charge is here again', async () => {
  const { paymentId, txid } = (await charge(shop)).body;
  const { auditor } = shop.service;
  const { address } = shop.service.database;
  const become = (to: string, from: string) =>
    auditor.query('update pix_charges set txid = $1 where txid = $2', [to, from]);
  const lost = txid.replace(/^......../, '00000000');
  await become(lost, txid);
  const endToEndId = await pay(shop, txid);
  await until(
    'it is kept',
    async () => (await auditor.query('select from lost_pix_receipts', [])).length === 1,
  );
  const settings = { DATABASE_URL: databaseUrl(address) };
  const { printed } = await runCommandHere(['resolve', 'changes', '--json'], settings);
  const { items } = JSON.parse(printed) as { items: { reason: string; pix: object }[] };
  assert.deepEqual(
    items.filter(({ reason }) => reason === 'noCharge').map(({ pix }) => pix),
    [{ bank: 'default', txid, endToEndId, amount: 14_990 }],
  );
  await crowdOut(lost, txid);
  await become(txid, lost);
  const database = openDatabase(address, () => {});
  const [row] = await auditor.query('select merchant_id, pix_id from pix_charges where txid = $1', [txid]);
  const key = { merchantId: row?.merchant_id as string, pixId: row?.pix_id as string };
  await database.transaction((tx) => handOnLost(tx, key));
  await database.close();
  await untilStatus(shop, paymentId, 'Paga');
  assert.deepEqual(await auditor.query('select from lost_pix_receipts where txid = $1', [txid]), []);

  /** Where there is no room for another, it is counted. */
  async function crowdOut(gone: string, kept: string): Promise<void> {
    const other = (await charge(shop)).body.txid as string;
    await become(other.replace(/^......../, '11111111'), other);
    const most = 10_000;
    await auditor.query(
      `insert into lost_pix_receipts (bank, receipt_id, txid, amount, received_at)
       select 'default', lpad(n::text, 32, '0'), $1, 1, now() from generate_series(1, $2::int) n`,
      [gone, most],
    );
    await pay(shop, other);
    await until('it is said that one is not kept', async () => {
      const text = await (await fetch(shop.service.metricsUrl)).text();
      return /^parcela_pix_lost_receipts_unkept [1-9]/m.test(text);
    });
    await auditor.query('delete from lost_pix_receipts where txid <> $1', [kept]);
  }
});

test('a lost answer of the removal is asked for until the bank answers', async () => {
  const { paymentId } = (await charge(shop)).body;
  await script(shop, 'PATCH /cob', { fault: 'booksButUnavailable' });
  assert.equal((await cancel(shop, paymentId)).status, 500);
  await untilStatus(shop, paymentId, 'Cancelada');
  assert.equal((await cancel(shop, paymentId)).status, 200, 'harmless to repeat');
});
