import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBrCode } from '../../src/values/br-code.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import types from './problem-types.json' with { type: 'json' };
import { type Answered, cob, KEY, startPixBank } from './running-simulator.ts';
import { FAULTS } from './script-step.ts';

const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;

test('answers are spoiled in their order, before or behind the booking, and repetitions are sound', async (t) => {
  const { client, order, read } = await startPixBank(t, { options: ['--late-milliseconds', '1'] });
  const ask = await client();
  const elsewhere = ['silent', 'booksButSilent', 'repeatedItems', 'withoutNewest'];
  const faults = FAULTS.filter((fault) => !elsewhere.includes(fault));
  await order('/script', { clientId: 'M1', on: 'PUT /cob', steps: faults.map((fault) => ({ fault })) });
  const seen = new Map<string, string>();
  for (const [index, fault] of faults.entries()) {
    const path = `/cob/${txidOf(index)}`;
    const spoiled = await ask('PUT', path, cob()).catch(() => null);
    const isBooked = (await read('/ledger/charges')).body.items.length > index;
    seen.set(fault, [isBooked ? 'booked' : 'nothing', describe(spoiled, index)].join(' '));
    // The script is over only for this request.
    assert.equal((await ask('GET', path)).status, isBooked ? 200 : 404);
    if (!isBooked) await ask('POST', '/cob', cob());
  }
  assert.deepEqual(Object.fromEntries(seen), {
    unavailable: 'nothing 503',
    unauthorized: 'nothing 401',
    tooManyRequests: 'nothing 429',
    notFound: 'nothing 404',
    conflict: 'nothing 409',
    booksButUnavailable: 'booked 503',
    booksButConflict: 'booked 409',
    late: 'booked 201',
    garbage: 'booked none',
    reset: 'booked none',
    wrongAmount: 'booked 201 amount',
    wrongTxid: 'booked 201 txid',
    wrongCheckSum: 'booked 201 checkSum',
    wrongCodeAddress: 'booked 201 address',
    wrongCodeAmount: 'booked 201 codeAmount',
    withoutCode: 'booked 201 code',
    withoutPix: 'booked 201',
  });
});

function describe(answer: Answered | null, index: number): string {
  if (answer === null) return 'none';
  const { status, body } = answer;
  if (status !== 201) return String(status);
  const said: unknown[] = [status];
  const reading = body.pixCopiaECola === undefined ? null : readBrCode(body.pixCopiaECola);
  if (body.valor.original !== '100.00') said.push('amount');
  if (body.txid !== txidOf(index)) said.push('txid');
  if (reading === null) said.push('code');
  if (reading?.kind === 'fault') said.push(reading.fault);
  if (reading?.kind === 'brCode' && reading.url !== body.location) said.push('address');
  if (reading?.kind === 'brCode' && reading.amount !== null) said.push('codeAmount');
  return said.join(' ');
}

test('a silence books before it, or nothing', async (t) => {
  const { client, order, read } = await startPixBank(t);
  const ask = await client();
  await order('/script', {
    clientId: 'M1',
    on: 'PUT /cob',
    steps: [{ fault: 'silent' }, { fault: 'booksButSilent' }],
  });
  const given = Promise.race([
    ask('PUT', `/cob/${txidOf(1)}`, cob()),
    ask('PUT', `/cob/${txidOf(2)}`, cob()),
  ]);
  given.catch(() => {});
  let items: { txid: string }[] = [];
  while (items.length === 0) items = (await read('/ledger/charges')).body.items;
  assert.equal(items.length, 1);
});

test('every problem of the specification can be had', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  const names = Object.keys(types) as (keyof typeof types)[];
  await order('/script', { clientId: 'M1', on: 'GET /cob', steps: names.map((problem) => ({ problem })) });
  for (const name of names) {
    const { status, body, type } = await ask('GET', `/cob/${txidOf(1)}`);
    assert.deepEqual([status, body.status, type], [types[name].status, status, 'application/problem+json']);
    assert.equal(body.type, `https://pix.bcb.gov.br/api/v2/error/${name}`);
  }
  assert.equal(
    (await order('/script', { clientId: 'M1', on: 'GET /cob', steps: [{ fault: 'no' }] })).status,
    400,
  );
});

test('a token is refused without its secret, and when it is forgotten', async (t) => {
  const { client, order, url } = await startPixBank(t);
  const ask = await client();
  const login = (form: Record<string, string>, headers = {}) =>
    fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form), headers });
  const grant = { grant_type: 'client_credentials' };
  assert.equal((await login({ ...grant, client_id: 'M1', client_secret: 'another' })).status, 401);
  assert.equal((await login({ ...grant, client_id: 'M1' })).status, 401);
  assert.equal((await login({ client_id: 'M1', client_secret: 'secret of M1' })).status, 400);
  assert.equal(
    (await login({ ...grant, client_id: 'M2', client_secret: 'x', scope: 'cob.eat' })).status,
    400,
  );
  const basic = `Basic ${Buffer.from('M1:secret of M1').toString('base64')}`;
  const given = (await (await login(grant, { authorization: basic })).json()) as Record<string, unknown>;
  assert.deepEqual([given.token_type, given.expires_in], ['Bearer', 3_600]);
  assert.equal((await ask('GET', `/cob/${txidOf(1)}`)).status, 404);
  await order('/tokens/forgotten', { clientId: 'M1' });
  assert.equal((await ask('GET', `/cob/${txidOf(1)}`)).status, 401);
});

test('a list repeats what it has, or lags behind', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  for (const index of [1, 2]) {
    await ask('PUT', `/cob/${txidOf(index)}`, cob());
    await order('/payments', { clientId: 'M1', txid: txidOf(index) });
  }
  const steps = [{ fault: 'repeatedItems' }, { fault: 'withoutNewest' }];
  await order('/script', { clientId: 'M1', on: 'GET /pix', steps });
  const counts: number[] = [];
  const bounds = 'inicio=2020-01-01T00:00:00Z&fim=2090-01-01T00:00:00Z';
  for (let times = 0; times < 3; times += 1)
    counts.push((await ask('GET', `/pix?${bounds}`)).body.pix.length);
  assert.deepEqual(counts, [4, 1, 2]);
});

test('a bank speaks its own dialect, also after a restart', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startPixBank(t, { folder });
  const before = await first.client();
  for (const index of [1, 2, 3]) await before('PUT', `/cob/${txidOf(index)}`, cob());
  const dialect = { webhookPath: false, mostItems: 2, without: ['pixCopiaECola'], isNewer: true };
  assert.equal((await first.order('/dialect', { clientId: 'M2', ...dialect })).status, 404);
  assert.equal((await first.order('/dialect', { clientId: 'M1', ...dialect })).status, 200);
  await first.end('SIGKILL');
  const second = await startPixBank(t, { folder });
  const ask = await second.client();
  const { body } = await ask('GET', `/cob/${txidOf(1)}`);
  assert.deepEqual([body.pixCopiaECola, body.campoNovo], [undefined, { versao: '9.9.9' }]);
  const page = (await ask('GET', '/cob?inicio=2020-01-01T00:00:00Z&fim=2090-01-01T00:00:00Z')).body;
  const { itensPorPagina, quantidadeDePaginas } = page.parametros.paginacao;
  assert.deepEqual([itensPorPagina, quantidadeDePaginas, page.cobs.length], [2, 2, 2]);
  assert.deepEqual([page.cobs[0].pixCopiaECola, page.cobs[0].campoNovo.versao], [undefined, '9.9.9']);
  await ask('PUT', `/webhook/${KEY}`, { webhookUrl: `${second.url}/about` });
  await second.order('/payments', { clientId: 'M1', txid: txidOf(1) });
  const [told] = (await second.read('/webhooks?clientId=M1')).body.items;
  assert.equal(told.url, `${second.url}/about`);
});
