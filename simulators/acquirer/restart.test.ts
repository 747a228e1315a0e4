import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { authorization, endOf, spawnSimulator, startSimulator, testCard } from './running-simulator.ts';

test('a restart changes no answer', async (t) => {
  const data = temporaryFolder(t);
  const first = await startSimulator(t, { data });
  const trigger = { card: testCard('4000050000000122') };
  const cancellation = { cancellationReference: 'c', reference: 'a', merchantId: 'M1', amount: 500 };
  const refused = { ...cancellation, cancellationReference: 'd', amount: 5_000 };
  const requests: [string, object][] = [
    ['/authorizations', authorization('a')],
    ['/authorizations', authorization('b', trigger)],
    ['/undos', { merchantId: 'M1', reference: 'never seen' }],
    ['/authorizations', authorization('never seen')],
    ['/authorizations', authorization('c', { amount: 1_054 })],
    ['/cancellations', cancellation],
    ['/cancellations', refused],
    ['/verifications', { reference: 'v', merchantId: 'M1', card: testCard() }],
    ['/authorizations', authorization('s', { soldAt: '2026-01-01T12:00:00Z', installments: 2 })],
  ];
  const readings = ['/charges/a?merchantId=M1', '/changes', '/ledger/all', '/ledger/summary'];
  const answersOf = async (simulator: typeof first) => {
    const answers: unknown[] = [];
    for (const [path, body] of requests) answers.push(await simulator.post(path, body));
    for (const path of readings) answers.push(await simulator.get(path));
    return answers;
  };
  const before = await answersOf(first);
  assert.equal(await first.end('SIGTERM'), 0);
  const second = await startSimulator(t, { data });
  assert.deepEqual(await answersOf(second), before);
  const next = await second.post('/authorizations', authorization('e', trigger));
  assert.equal(next.body.outcome, 'declined');
  const last = await second.post('/authorizations', authorization('f', trigger));
  assert.deepEqual([last.body.outcome, last.body.nsu], ['approved', '4']);
});

test('every approval that was answered outlives kill -9', async (t) => {
  const data = temporaryFolder(t);
  const first = await startSimulator(t, { data });
  const approved: string[] = [];
  let isKilled = false;
  const askers = Array.from({ length: 20 }, async (_, asker) => {
    for (let index = 0; !isKilled; index += 1) {
      const reference = `${asker}-${index}`;
      const answer = await first.post('/authorizations', authorization(reference)).catch(() => null);
      if (answer?.status === 200) approved.push(reference);
      if (approved.length === 300) {
        isKilled = true;
        first.process.kill('SIGKILL');
      }
    }
  });
  await Promise.all(askers);
  appendFileSync(join(data, 'ledger.jsonl'), '{"type":"authorization","at":"2026-');
  const second = await startSimulator(t, { data });
  const { body } = await second.get('/ledger/all?limit=10000');
  const booked = new Set(body.items.map((item: { paymentId: string }) => item.paymentId));
  assert.ok(approved.length >= 300);
  assert.deepEqual(
    approved.filter((reference) => !booked.has(reference)),
    [],
  );
  assert.equal((await second.post('/authorizations', authorization('after'))).body.outcome, 'approved');
});

test('a broken line in the ledger refuses the start and is named', async (t) => {
  const data = temporaryFolder(t);
  const first = await startSimulator(t, { data });
  await first.post('/authorizations', authorization('a'));
  await first.end('SIGKILL');
  appendFileSync(join(data, 'ledger.jsonl'), '{"type":"undo"}\n');
  const { code, said } = await endOf(spawnSimulator(t, ['--data', data]));
  assert.equal(code, 1);
  assert.match(said, /line 2 of the ledger is broken/);
});

test('the ledger holds neither a card number nor a security code', async (t) => {
  const data = temporaryFolder(t);
  const simulator = await startSimulator(t, { data });
  let said = '';
  simulator.process.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const card = testCard('4000050000000122', 'visa', '9753');
  await simulator.post('/authorizations', authorization('a', { card }));
  await simulator.post('/verifications', { reference: 'v', merchantId: 'M1', card });
  const bad = { card: { ...card, expirationMonth: '99' } };
  await simulator.post('/authorizations', authorization('b', bad));
  await simulator.end('SIGTERM');
  const written = readFileSync(join(data, 'ledger.jsonl'), 'utf8') + said;
  assert.ok(!written.includes('4000050000000122'));
  assert.ok(!written.includes('9753'));
  assert.ok(!written.includes('ANA SOUZA'));
  assert.match(written, /"firstSix":"400005","lastFour":"0122".*"triggerCard":"visa-declines-2"/);
});

test('a second program waits until the first has gone, also by kill -9', async (t) => {
  const data = temporaryFolder(t);
  const first = await startSimulator(t, { data });
  await first.post('/authorizations', authorization('a'));
  const second = startSimulator(t, { data });
  await first.post('/authorizations', authorization('b'));
  await first.end('SIGKILL');
  const { body } = await (await second).get('/ledger/summary');
  assert.equal(body.approved, 2);
});

test('it ends with its parent when it is asked to', async (t) => {
  const simulator = await startSimulator(t, { options: ['--exit-with-parent'] });
  const ended = once(simulator.process, 'exit');
  simulator.process.stdin?.end();
  assert.deepEqual(await ended, [0, null]);
});

test('it ends at a signal while answers are held back', async (t) => {
  const simulator = await startSimulator(t);
  const held = simulator.post('/authorizations', authorization('a', { amount: 1_002 })).catch(() => 'cut');
  while ((await simulator.get('/ledger/summary')).body.approved === 0);
  assert.equal(await simulator.end('SIGINT'), 0);
  assert.equal(await held, 'cut');
});

test('an unknown option is refused by name', async (t) => {
  const { code, said } = await endOf(spawnSimulator(t, ['--data', temporaryFolder(t), '--prot', '1']));
  assert.equal(code, 1);
  assert.match(said, /--prot/);
});

test('books are kept alike without fsync', async (t) => {
  const data = temporaryFolder(t);
  const options = ['--ledger-sync', 'off'];
  const first = await startSimulator(t, { data, options });
  const answer = await first.post('/authorizations', authorization('a'));
  await first.end('SIGKILL');
  const second = await startSimulator(t, { data, options });
  assert.deepEqual(await second.post('/authorizations', authorization('a')), answer);
});
