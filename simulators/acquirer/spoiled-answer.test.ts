import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { authorization, type RunningSimulator, startSimulator } from './running-simulator.ts';

type Conversation = { readonly socket: Socket; heard: string; failure: string | null };

/** Sends an authorization over a connection of its own, on which everything that comes is kept. */
function authorizeBare(t: TestContext, simulator: RunningSimulator, request: object): Conversation {
  const socket = connect(simulator.port, '127.0.0.1');
  t.after(() => socket.destroy());
  const conversation: Conversation = { socket, heard: '', failure: null };
  socket.on('data', (chunk) => {
    conversation.heard += chunk.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    conversation.failure = error.code ?? error.message;
  });
  const body = JSON.stringify(request);
  socket.write(
    `POST /authorizations HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return conversation;
}

async function hears(conversation: Conversation, pattern: RegExp): Promise<void> {
  while (!pattern.test(conversation.heard)) await once(conversation.socket, 'data');
}

async function isBooked(simulator: RunningSimulator, reference: string): Promise<void> {
  for (;;) {
    const { status, body } = await simulator.get(`/charges/${reference}?merchantId=M1`);
    if (status === 200) {
      assert.equal(body.status, 'approved');
      return;
    }
  }
}

async function script(simulator: RunningSimulator, ...steps: object[]): Promise<void> {
  assert.equal((await simulator.post('/script', { merchantId: 'M1', steps })).status, 200);
}

test('amount 1001 answers nothing, and never books', async (t) => {
  const simulator = await startSimulator(t);
  const { socket } = authorizeBare(t, simulator, authorization('a', { amount: 1_001 }));
  await once(socket, 'connect');
  await simulator.post('/authorizations', authorization('b'));
  assert.equal((await simulator.get('/charges/a?merchantId=M1')).status, 404);
  assert.equal((await simulator.get('/ledger/summary')).body.approved, 1);
  assert.equal(socket.bytesRead, 0);
});

test('amount 1002 books and answers nothing, but answers a repetition', async (t) => {
  const simulator = await startSimulator(t);
  const { socket } = authorizeBare(t, simulator, authorization('a', { amount: 1_002 }));
  await isBooked(simulator, 'a');
  const again = await simulator.post('/authorizations', authorization('a', { amount: 1_002 }));
  assert.equal(again.body.outcome, 'approved');
  assert.equal(socket.bytesRead, 0);
});

test('amount 1003 answers late, and as if nothing had been voided meanwhile', async (t) => {
  const simulator = await startSimulator(t, { options: ['--late-milliseconds', '500'] });
  const conversation = authorizeBare(t, simulator, authorization('a', { amount: 1_003 }));
  await isBooked(simulator, 'a');
  await simulator.post('/undos', { merchantId: 'M1', reference: 'a' });
  await hears(conversation, /"outcome":"approved"/);
  const { body } = await simulator.get('/charges/a?merchantId=M1');
  assert.equal(body.status, 'undone');
});

test('amount 1004 books and answers what is not JSON', async (t) => {
  const simulator = await startSimulator(t);
  const conversation = authorizeBare(t, simulator, authorization('a', { amount: 1_004 }));
  await hears(conversation, /\r\n\r\n.+\n/s);
  const [head = '', body = ''] = conversation.heard.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 200 /);
  assert.throws(() => JSON.parse(body), SyntaxError);
  await isBooked(simulator, 'a');
});

test('a reset breaks the connection behind the booking', async (t) => {
  const simulator = await startSimulator(t);
  await script(simulator, { fault: 'reset' });
  const conversation = authorizeBare(t, simulator, authorization('a'));
  await new Promise((resolve) => conversation.socket.once('close', resolve));
  assert.deepEqual([conversation.failure, conversation.heard], ['ECONNRESET', '']);
  await isBooked(simulator, 'a');
});

test('another amount or another reference is answered than was booked', async (t) => {
  const simulator = await startSimulator(t);
  await script(simulator, { fault: 'wrongAmount' }, { fault: 'wrongReference' });
  const amount = await simulator.post('/authorizations', authorization('a'));
  assert.deepEqual(
    [amount.body.outcome, amount.body.reference, amount.body.amount],
    ['approved', 'a', 2_501],
  );
  const reference = await simulator.post('/authorizations', authorization('b'));
  assert.equal(reference.body.outcome, 'approved');
  assert.notEqual(reference.body.reference, 'b');
  await isBooked(simulator, 'a');
  await isBooked(simulator, 'b');
});

test('a duplicate answers twice on one connection, and books once', async (t) => {
  const simulator = await startSimulator(t);
  await script(simulator, { fault: 'duplicate' });
  const conversation = authorizeBare(t, simulator, authorization('a'));
  await hears(conversation, /"reference":"a".*"reference":"a".*\}$/s);
  assert.equal(conversation.heard.match(/HTTP\/1\.1 200/g)?.length, 2);
  assert.equal((await simulator.get('/ledger/summary')).body.approved, 1);
});

test('the steps of a script come in order, and then charges are ordinary again', async (t) => {
  const simulator = await startSimulator(t);
  await script(
    simulator,
    { outcome: 'declined', responseCode: '51', adviceCode: '24' },
    { outcome: 'approved' },
    { outcome: 'declined' },
  );
  const answers = [];
  for (const [reference, amount] of [
    ['a', 2_500],
    ['b', 1_051],
    ['c', 2_500],
    ['d', 2_500],
  ] as const) {
    const { body } = await simulator.post('/authorizations', authorization(reference, { amount }));
    answers.push([body.outcome, body.responseCode, body.adviceCode]);
  }
  assert.deepEqual(answers, [
    ['declined', '51', '24'],
    ['approved', undefined, undefined],
    ['declined', '05', null],
    ['approved', undefined, undefined],
  ]);
});

test('a script can refuse voids and hide a booked charge', async (t) => {
  const simulator = await startSimulator(t);
  await script(simulator, { undoRefusals: 2, notFoundTimes: 1 });
  await simulator.post('/authorizations', authorization('a'));
  const undo = () => simulator.post('/undos', { merchantId: 'M1', reference: 'a' });
  assert.deepEqual([(await undo()).status, (await undo()).status, (await undo()).status], [503, 503, 200]);
  const find = () => simulator.get('/charges/a?merchantId=M1');
  assert.deepEqual([(await find()).status, (await find()).status], [404, 200]);
});

test('a script that cannot be followed is refused', async (t) => {
  const simulator = await startSimulator(t);
  const wrong: [object[], string][] = [
    [[{}, { fault: 'fire' }], 'steps[1].fault'],
    [[{ outcome: 'approved', responseCode: '51' }], 'steps[0].responseCode'],
    [[{ adviceCode: '24' }], 'steps[0].adviceCode'],
    [[{ delayMilliseconds: 60_001 }], 'steps[0].delayMilliseconds'],
    [Array.from({ length: 1_001 }, () => ({})), 'steps'],
  ];
  for (const [steps, field] of wrong) {
    const { status, body } = await simulator.post('/script', { merchantId: 'M1', steps });
    assert.deepEqual([status, body], [400, { error: 'malformed', field }]);
  }
});
