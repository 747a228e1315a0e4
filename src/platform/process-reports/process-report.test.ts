import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerName } from '../outages.ts';
import { type CallAnswer, type Operation, PeerCalls } from './peer-calls.ts';
import {
  NEVER_ASKED,
  type PeerReport,
  type ProcessReport,
  parseReport,
  peerHealth,
  stateAt,
  timesAfter,
} from './process-report.ts';

const report = (peers: readonly Partial<PeerReport>[], ageSeconds = 5): ProcessReport => ({
  ...parseReport('{}'),
  processId: 'p',
  startedAt: 0,
  reportedAt: 0,
  ageSeconds,
  peers: peers.map((peer) => ({
    peer: 'acquirer',
    state: 'answers',
    since: 100,
    answeredAt: 200,
    awayFor: [],
    awayProviders: [],
    reason: null,
    feedAgeSeconds: null,
    ...peer,
  })),
});

test('somebody is silent since the first call without an answer was made, and answers since the first answer', () => {
  const opened = 10;
  const ended = (isAnswered: boolean, begunAt: number, endedAt: number) => ({ isAnswered, begunAt, endedAt });
  const at = (times: typeof NEVER_ASKED, now: number) => {
    const { state, since, answeredAt } = stateAt(times, now, opened);
    return [state, since, answeredAt];
  };
  assert.deepEqual(at(NEVER_ASKED, 20_000), ['notAsked', opened, null]);
  const answers = timesAfter(NEVER_ASKED, ended(true, 20_000, 20_100));
  const busy = timesAfter(answers, ended(true, 30_000, 30_100));
  assert.deepEqual(at(busy, 60_000), ['answers', 20_100, 30_100]);
  const lost = timesAfter(busy, ended(false, 30_050, 32_000));
  assert.deepEqual(at(lost, 32_000), ['answers', 20_100, 30_100], 'one call among others');
  assert.deepEqual(at(timesAfter(lost, ended(true, 32_000, 32_100)), 40_000), ['answers', 20_100, 32_100]);
  const silent = timesAfter(lost, ended(false, 32_000, 40_000));
  assert.deepEqual(at(silent, 90_000), ['silent', 30_100, 30_100], 'nobody asked since: it stays as it was');
  assert.deepEqual(at(timesAfter(silent, ended(true, 91_000, 91_100)), 91_200), ['answers', 91_100, 91_100]);
});

test('all processes together know more than each: the newest answer, and whether all are left without one', () => {
  assert.equal(peerHealth([report([])], 'acquirer'), null);
  assert.equal(peerHealth([report([{}], 61)], 'acquirer'), null, 'one that has ended says nothing');
  const answered = report([{ answeredAt: 300, feedAgeSeconds: 4 }]);
  const silent = report([{ state: 'silent', since: 150, awayFor: ['charge'], feedAgeSeconds: 90 }]);
  const some = peerHealth([answered, silent], 'acquirer');
  assert.deepEqual([some?.state, some?.since, some?.answeredAt], ['some', 150, 300]);
  assert.deepEqual([some?.awayFor, some?.feedAgeSeconds], [['charge'], 4]);
  assert.equal(peerHealth([silent, report([{ state: 'notAsked' }])], 'acquirer')?.state, 'silent');
  assert.equal(peerHealth([answered, report([{ state: 'notAsked' }])], 'acquirer')?.state, 'answers');
  assert.equal(peerHealth([report([{ state: 'notAsked' }])], 'acquirer')?.state, 'notAsked');
});

test('who answers while a circuit is open answers in part, and its provider is named with the reason', () => {
  const open = report([
    { awayFor: ['charge'], awayProviders: ['rede'], reason: 'no connection (ENOTFOUND)', since: 170 },
  ]);
  const inPart = peerHealth([report([{}]), open], 'acquirer');
  assert.deepEqual(
    [inPart?.state, inPart?.since, inPart?.awayProviders, inPart?.reason],
    ['inPart', 170, ['rede'], 'no connection (ENOTFOUND)'],
  );
  const former = parseReport(
    '{"peers":[{"peer":"acquirer","state":"answers","awayFor":["charge"],"since":1,"answeredAt":2}]}',
  );
  const older = peerHealth([{ ...report([]), ...former }], 'acquirer');
  assert.deepEqual([older?.state, older?.awayProviders, older?.reason], ['inPart', [], null]);
});

/** What is told of each provider, as its calls end one after the other. */
function peerCalls() {
  const told: string[] = [];
  let now = 0;
  const openPeer = (peer: string, provider: string) => ({
    failed: (reason: string, operation: string) =>
      void told.push(`${peer} ${provider} ${operation}: ${reason}`),
    answered: () => void told.push(`${peer} ${provider} answered`),
  });
  const clock = () => now;
  const opened = new PeerCalls({ openPeer }, clock, clock);
  const calls = {
    note: (...[peer, provider, operation, answer]: [PeerName, string, Operation, CallAnswer]) =>
      opened.note(peer, provider, operation, answer, 1),
    reasonOf: (peer: PeerName) => opened.seen(peer, true).reason,
    seen: (peer: PeerName) => opened.seen(peer, true),
  };
  return { calls, said: () => told.splice(0), pass: (seconds: number) => (now += seconds * 1_000) };
}

test('calls in a row without an answer are told of each provider; an answer to another operation ends nothing', () => {
  const { calls, said, pass } = peerCalls();
  const refused = { kind: 'notConnected', reason: 'no connection (ECONNREFUSED)' };
  calls.note('acquirer', 'rede', 'authorize', { kind: 'declined', reason: 'funds' });
  calls.note('acquirer', 'rede', 'authorize', refused);
  calls.note('acquirer', 'default', 'authorize', refused);
  calls.note('acquirer', 'rede', 'authorize', { kind: 'notSent', reason: 'no free connection' });
  calls.note('acquirer', 'rede', 'find', { kind: 'unknown', cause: 'notAsked' });
  assert.deepEqual(said(), [], 'one silence each');
  calls.note('acquirer', 'rede', 'authorize', refused);
  calls.note('acquirer', 'rede', 'changes', { kind: 'changes' });
  assert.deepEqual(said(), ['acquirer rede authorize: no connection (ECONNREFUSED)']);
  calls.note('acquirer', 'rede', 'authorize', { kind: 'approved' });
  calls.note('acquirer', 'rede', 'authorize', refused);
  assert.deepEqual(said(), ['acquirer rede answered']);
  calls.note('acquirer', 'rede', 'find', { kind: 'noAnswer' });
  assert.deepEqual(said(), ['acquirer rede find: noAnswer']);
  calls.note('acquirer', 'rede', 'find', { kind: 'approved' });
  pass(599);
  calls.note('acquirer', 'rede', 'changes', { kind: 'changes' });
  assert.deepEqual(said(), [], 'an authorization is still without an answer');
  pass(2);
  calls.note('acquirer', 'rede', 'changes', { kind: 'changes' });
  assert.deepEqual(said(), ['acquirer rede answered'], 'nobody asked what was not answered again');
  assert.equal(calls.reasonOf('acquirer'), 'noAnswer');
  assert.equal(calls.reasonOf('bank'), null);
});

test('what is asked once a minute is told though others answer meanwhile; silences far apart are none in a row', () => {
  const { calls, said, pass } = peerCalls();
  const silent = { kind: 'unknown', reason: 'no answer in time' };
  for (let minute = 0; minute < 3; minute += 1) {
    calls.note('bank', 'default', 'changes', silent);
    pass(59);
    calls.note('bank', 'default', 'about', { kind: 'answer' });
    pass(1);
  }
  assert.deepEqual(
    said(),
    ['changes', 'changes'].map((asked) => `bank default ${asked}: no answer in time`),
  );
  pass(600);
  calls.note('bank', 'default', 'changes', silent);
  assert.deepEqual(said(), []);
});

test('an odd sale that is tried on is no outage of who answers; an odd page of all that happened is', () => {
  const { calls, said } = peerCalls();
  const odd = { kind: 'unknown', cause: 'unusable', reason: 'the bar code cannot be' } as const;
  const page = { kind: 'unknown', cause: 'unusable', reason: 'the page has no changes' } as const;
  for (let times = 0; times < 9; times += 1) {
    calls.note('acquirer', 'rede', 'find', { kind: 'unknown', cause: 'unusable', reason: 'odd' });
    calls.note('bank', 'default', 'find', odd);
    calls.note('pix', 'default', 'issue', { ...odd, kind: 'notConnected' });
  }
  assert.deepEqual(said(), []);
  assert.equal(calls.reasonOf('acquirer'), 'odd');
  calls.note('bank', 'default', 'find', { kind: 'unknown', cause: 'silent' });
  calls.note('bank', 'default', 'find', odd);
  calls.note('bank', 'default', 'find', { kind: 'unknown', cause: 'silent' });
  assert.deepEqual(said(), ['bank default find: unknown'], 'nor is it an answer');
  for (const _ of [1, 2]) calls.note('pix', 'default', 'receipts', page);
  assert.deepEqual(said(), ['pix default receipts: the page has no changes']);
});

test('a report of another version is read as far as it is known', () => {
  const read = parseReport('{"version":"9.0.0","heldBecause":"asleep","peers":[{"peer":"oracle"}],"more":1}');
  assert.deepEqual([read.version, read.heldBecause, read.peers], ['9.0.0', 'asleep', [{ peer: 'oracle' }]]);
  assert.deepEqual(parseReport('3').roles, []);
});
