import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerName } from '../outages.ts';
import { type CallAnswer, type Operation, PeerCalls } from './peer-calls.ts';
import {
  chargesOf,
  chargesOfAll,
  type PeerReport,
  type ProcessReport,
  parseReport,
  peerHealth,
  reportText,
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

test('charges are summed by acquirer and brand, over processes of any version; what was not sent is none', () => {
  const sample = (provider: string, outcome: string, value: number) => ({
    labels: { provider, brand: 'visa', outcome },
    value,
  });
  const charges = chargesOf([
    ...[sample('rede', 'approved', 3), sample('rede', 'preauthorized', 1), sample('rede', 'declined', 2)],
    ...[sample('rede', 'unknown', 1), sample('rede', 'notSent', 9), sample('cielo', 'notMade', 1)],
  ]);
  const rede = { provider: 'rede', brand: 'visa', approved: 4, declined: 2, unanswered: 1 };
  const cielo = { provider: 'cielo', brand: 'visa', approved: 0, declined: 0, unanswered: 1 };
  assert.deepEqual(charges, [rede, cielo]);
  const many = Array.from({ length: 60 }, (_, index) => sample(`provider-${index}`, 'approved', index));
  const kept = chargesOf(many).map(({ approved }) => approved);
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [40, 59, 20], 'the largest');
  const other = { ...report([]), charges: [{ ...rede, approved: 6 }] };
  assert.deepEqual(chargesOfAll([{ ...report([]), charges }, other, report([], 9_999)]), [
    { ...rede, approved: 10, declined: 4, unanswered: 2 },
    cielo,
  ]);
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

function peerCalls() {
  const told: string[] = [];
  let now = 0;
  const openPeer = (peer: string, provider: string) => ({
    failed: (reason: string, operation: string) =>
      void told.push(`${peer} ${provider} ${operation}: ${reason}`),
    answered: () => void told.push(`${peer} ${provider} answered`),
  });
  let wrong = 0;
  const calls = new PeerCalls(
    { openPeer },
    () => now,
    () => now + wrong,
  );
  return {
    note: (
      ...[peer, provider, operation, answer, seconds]: [PeerName, string, Operation, CallAnswer, number?]
    ) => calls.note(peer, provider, operation, answer, seconds ?? 1),
    seen: (peer: PeerName, isOpen = false) => {
      const { state, since, answeredAt, reason } = calls.seen(peer, isOpen);
      return [state, since / 1_000, answeredAt === null ? null : answeredAt / 1_000, reason];
    },
    answersIn: (peer: PeerName) => calls.seen(peer, false).answersIn,
    delays: (peer: PeerName) =>
      calls
        .seen(peer, false)
        .delays?.map(({ provider, since, silentSince }) => [
          provider,
          since / 1_000,
          silentSince === null ? null : silentSince / 1_000,
        ]),
    lastAnswers: (peer: PeerName) => calls.seen(peer, false).lastAnswers,
    said: () => told.splice(0),
    pass: (seconds: number) => (now += seconds * 1_000),
    setClock: (seconds: number) => (wrong = seconds * 1_000),
  };
}

const YES = { kind: 'approved' };
const NO = { kind: 'unknown', reason: 'no answer in time' };

test('somebody is silent since the first of several calls without an answer was made, and answers since the first answer', () => {
  const { note, seen, pass, setClock } = peerCalls();
  pass(10);
  assert.deepEqual(seen('bank'), ['notAsked', 0, null, null]);
  note('bank', 'itau', 'issue', YES);
  pass(20);
  note('bank', 'itau', 'issue', YES);
  pass(5);
  note('bank', 'itau', 'issue', NO, 6);
  pass(600);
  assert.deepEqual(seen('bank'), ['answers', 10, 30, null], 'one call among others');
  note('bank', 'itau', 'issue', NO, 6);
  note('bank', 'itau', 'issue', { ...NO, reason: 'later' });
  assert.deepEqual(seen('bank'), ['silent', 30, 30, 'later'], 'the first was begun before the last answer');
  setClock(3_600);
  assert.deepEqual(
    seen('bank'),
    ['silent', 3_630, 3_630, 'later'],
    'the clock of the machine decides nothing',
  );
  setClock(0);
  pass(601);
  assert.deepEqual(seen('bank'), ['notAsked', 1_236, 30, null], 'nobody asks any more');
  note('bank', 'itau', 'issue', YES);
  assert.deepEqual(seen('bank'), ['answers', 1_236, 1_236, null]);
});

test('how fast somebody answers is told by the newest calls that are waited for, of ten minutes', () => {
  const { note, answersIn, pass } = peerCalls();
  const ask = (times: number, seconds: number, of: Operation = 'authorize', answer: CallAnswer = YES) => {
    for (let time = 0; time < times; time += 1) note('acquirer', 'rede', of, answer, seconds);
  };
  ask(4, 9);
  ask(20, 60, 'changes');
  ask(20, 60, 'find');
  assert.deepEqual(answersIn('acquirer'), [], 'of four nobody can tell, and nobody waits for the others');
  ask(20, 0.2);
  ask(9, 4);
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'rede', milliseconds: 200 }]);
  ask(2, 4);
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'rede', milliseconds: 4_000 }]);
  pass(601);
  assert.deepEqual(answersIn('acquirer'), []);
});

test('what gets no answer counts with the slow ones, and of who is silent nothing is told', () => {
  const { note, answersIn, pass } = peerCalls();
  const ask = (provider: string, answer: CallAnswer, seconds: number) => {
    for (let time = 0; time < 4; time += 1) {
      note('acquirer', provider, 'authorize', answer, seconds);
      if (answer !== NO) continue;
      note('acquirer', provider, 'authorize', answer, seconds);
      note('acquirer', provider, 'authorize', YES, 0.3);
    }
  };
  ask('outra', YES, 9);
  for (let time = 0; time < 20; time += 1) note('acquirer', 'outra', 'capture', NO, 0.001);
  note('acquirer', 'outra', 'capture', YES, 9);
  assert.deepEqual(answersIn('acquirer'), [], 'of one that answered nobody can tell');
  ask('rede', YES, 0.3);
  ask('rede', NO, 0.001);
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'rede', milliseconds: 300 }], 'broken off sooner');
  for (const _ of [1, 2]) ask('rede', NO, 20);
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'rede', milliseconds: 20_000 }]);
  for (let other = 0; other < 12; other += 1) ask(`outra-${other}`, YES, 1 + other);
  ask('outra-0', YES, 1);
  const told = answersIn('acquirer')?.map(({ provider }) => provider);
  assert.deepEqual(told, ['rede', 'outra-0'], 'of four nobody can tell');
  pass(10);
  for (const _ of [1, 2]) note('acquirer', 'rede', 'authorize', NO, 5);
  pass(4);
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'outra-0', milliseconds: 1_000 }]);
  for (let other = 0; other < 12; other += 1) ask(`outra-${other}`, YES, 1 + other);
  assert.deepEqual(answersIn('acquirer')?.length, 10, 'a report has so much room only');
  assert.equal(answersIn('acquirer')?.[0]?.milliseconds, 12_000);
});

/** Asks one acquirer. */
function askerOf({ note }: Pick<ReturnType<typeof peerCalls>, 'note'>) {
  return (times: number, seconds: number, answer: CallAnswer = YES, of: Operation = 'authorize') => {
    for (let time = 0; time < times; time += 1) note('acquirer', 'rede', of, answer, seconds);
  };
}

test('a provider is delayed since the first call that had to wait, silent or slow, until it answers in time', () => {
  const { delays, pass, ...calls } = peerCalls();
  const ask = askerOf(calls);
  pass(100);
  ask(5, 0.2);
  ask(2, 9, NO, 'changes');
  pass(60);
  assert.deepEqual(delays('acquirer'), [], 'for its feed nobody waits');
  ask(1, 1, YES, 'changes');
  ask(5, 4);
  assert.deepEqual(delays('acquirer'), [], 'half of them did not wait');
  ask(1, 4);
  assert.deepEqual(delays('acquirer'), [['rede', 156, null]]);
  pass(60);
  ask(2, 10, NO);
  assert.deepEqual(delays('acquirer'), [['rede', 156, 210]], 'nothing was answered since');
  ask(1, 4, YES, 'capture');
  assert.deepEqual(delays('acquirer'), [['rede', 156, null]], 'few answers are no end');
  ask(1, 0.2);
  assert.deepEqual(delays('acquirer'), [['rede', 156, null]], 'most had to wait');
  pass(60);
  ask(2, 10, NO);
  assert.deepEqual(delays('acquirer'), [['rede', 156, 270]], 'silent again, since the last answer');
  ask(20, 0.2);
  assert.deepEqual(delays('acquirer'), []);
  ask(11, 4);
  assert.deepEqual(delays('acquirer'), [['rede', 276, null]]);
  pass(601);
  assert.deepEqual(delays('acquirer'), [], 'nobody asks any more');
});

test('what nobody waits for neither ends a delay nor makes one', () => {
  const { delays, answersIn, pass, ...calls } = peerCalls();
  const ask = askerOf(calls);
  pass(100);
  ask(5, 4);
  assert.deepEqual(delays('acquirer'), [['rede', 96, null]]);
  pass(60);
  for (const unawaited of ['changes', 'find', 'undo'] as const) ask(2, 30, NO, unawaited);
  pass(5);
  assert.deepEqual(delays('acquirer'), [['rede', 96, null]], 'its feed is silent as well');
  assert.deepEqual(answersIn('acquirer'), [{ provider: 'rede', milliseconds: 4_000 }]);
  pass(560);
  assert.deepEqual(delays('acquirer'), [], 'nobody waits any more');
  ask(1, 10, NO);
  ask(1, 10, NO, 'find');
  pass(5);
  assert.deepEqual(delays('acquirer'), [], 'one sale and its look-up');
  ask(1, 10, NO);
  assert.deepEqual(delays('acquirer'), [['rede', 715, 715]]);
  pass(601);
  assert.deepEqual(delays('acquirer'), []);
  ask(1, 10, NO);
  pass(5);
  assert.deepEqual(delays('acquirer'), [], 'far apart they are none in a row');
});

test('a delay goes on with the few that are asked slowly, and ends by the few that are answered in time', () => {
  const { delays, pass, ...calls } = peerCalls();
  const ask = askerOf(calls);
  pass(100);
  ask(5, 2.9996);
  assert.deepEqual(delays('acquirer'), [['rede', 97, null]], 'rounded as it is told');
  pass(599);
  ask(1, 9);
  pass(2);
  assert.deepEqual(delays('acquirer'), [['rede', 97, null]], 'one alone');
  ask(1, 0.2);
  assert.deepEqual(delays('acquirer'), []);
  ask(4, 9);
  assert.deepEqual(delays('acquirer'), [['rede', 690, null]]);
});

test('a report has room for some delays: those that are silent, and since long; who checks fraud has none', () => {
  const { note, delays, lastAnswers, pass } = peerCalls();
  pass(100);
  for (let other = 0; other < 12; other += 1)
    for (let time = 0; time < 5; time += 1) {
      note('acquirer', `lenta-${other}`, 'authorize', YES, 20 + other);
      note('antifraud', `lenta-${other}`, 'decide', YES, 20 + other);
    }
  pass(50);
  for (const _ of [1, 2]) note('acquirer', 'muda', 'authorize', NO, 10);
  const told = delays('acquirer')?.map(([provider]) => provider);
  assert.deepEqual(told, ['muda', 'lenta-11', 'lenta-10', 'lenta-9', 'lenta-8', 'lenta-7']);
  note('acquirer', 'nova', 'authorize', YES);
  note('acquirer', 'nova', 'changes', YES);
  pass(1);
  const answered = lastAnswers('acquirer') ?? [];
  assert.deepEqual([answered.length, answered[0]], [10, { provider: 'nova', at: 150_000 }], 'the newest');
  assert.deepEqual([delays('antifraud'), lastAnswers('antifraud')], [[], []]);
});

test('over all processes a provider is delayed since the first waited, and silent if it answers none since', () => {
  const silent = { provider: 'rede', since: 50, silentSince: 60 };
  const slow = { provider: 'rede', since: 40, silentSince: null };
  const answered = (at: number, provider = 'rede') => ({ lastAnswers: [{ provider, at }] });
  const delaysOf = (...peers: Partial<PeerReport>[]) =>
    peerHealth(
      peers.map((one) => report([one])),
      'acquirer',
    )?.delays;
  assert.deepEqual(delaysOf({ delays: [silent] }, {}), [silent]);
  assert.deepEqual(delaysOf({ delays: [silent], ...answered(55) }, answered(59)), [silent]);
  assert.deepEqual(delaysOf({ delays: [silent] }, answered(61, 'cielo')), [silent]);
  const notSilent = { ...silent, silentSince: null };
  assert.deepEqual(delaysOf({ delays: [silent] }, answered(61)), [notSilent], 'one answer is enough');
  const both = delaysOf({ delays: [silent] }, { delays: [slow], ...answered(70) });
  assert.deepEqual(both, [{ ...slow, since: 40 }]);
  const later = { ...silent, silentSince: 80 };
  assert.deepEqual(
    delaysOf({ delays: [silent] }, { delays: [later], ...answered(70) }),
    [{ ...silent, silentSince: 80 }],
    'silent to both since the last answer to either',
  );
  const inTime = (at: number, milliseconds = 90) => ({
    answersIn: [{ provider: 'rede', milliseconds }],
    ...answered(at),
  });
  assert.deepEqual(delaysOf({ delays: [silent] }, inTime(61)), [], 'the others are answered in time');
  assert.deepEqual(delaysOf({ delays: [silent] }, inTime(59)), [silent], 'they asked before');
  assert.deepEqual(delaysOf({ delays: [silent] }, inTime(61, 3_000)), [notSilent]);
  assert.deepEqual(delaysOf({ delays: [slow] }, inTime(41)), []);
});

test('who answers others, or for other providers, or oddly, answers in part, since some calls are not', () => {
  const { note, seen, pass } = peerCalls();
  note('acquirer', 'default', 'changes', YES);
  pass(10);
  for (const _ of [1, 2]) note('acquirer', 'default', 'authorize', NO, 5);
  assert.deepEqual(seen('acquirer'), ['silent', 5, 0, 'no answer in time'], 'nothing was answered since');
  pass(10);
  note('acquirer', 'rede', 'authorize', YES);
  assert.deepEqual(seen('acquirer'), ['inPart', 5, 20, 'no answer in time']);
  pass(10);
  note('acquirer', 'rede', 'authorize', NO, 1);
  pass(1);
  note('acquirer', 'rede', 'authorize', NO, 1);
  pass(3);
  assert.deepEqual(seen('acquirer'), ['silent', 29, 20, 'no answer in time']);
  note('acquirer', 'rede', 'find', { kind: 'unknown', cause: 'unusable', reason: 'odd' });
  assert.deepEqual(seen('acquirer'), ['inPart', 5, 34, 'no answer in time']);
  for (const provider of ['rede', 'default']) note('acquirer', provider, 'authorize', YES);
  assert.deepEqual(seen('acquirer'), ['answers', 34, 34, null]);
});

test('an open circuit is since it was seen first, or since what opened it', () => {
  const { note, seen, pass } = peerCalls();
  note('pix', 'itau', 'issue', YES);
  pass(100);
  assert.deepEqual(seen('pix', true), ['inPart', 100, 0, null]);
  pass(10);
  assert.deepEqual(seen('pix', true), ['inPart', 100, 0, null]);
  assert.deepEqual(seen('pix'), ['answers', 0, 0, null]);
  for (const _ of [1, 2]) note('pix', 'itau', 'find', NO, 5);
  assert.deepEqual(seen('pix', true), ['silent', 105, 0, 'no answer in time']);
  pass(700);
  assert.deepEqual(seen('pix', true), ['silent', 105, 0, 'no answer in time'], 'nobody asks, and it is open');
});

test('calls in a row without an answer are told of each provider; an answer to another operation ends nothing', () => {
  const calls = peerCalls();
  const { said, pass } = calls;
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
});

test('what is asked once a minute is told though others answer meanwhile; silences far apart are none in a row', () => {
  const calls = peerCalls();
  const { said, pass } = calls;
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
  const calls = peerCalls();
  const { said } = calls;
  const odd = { kind: 'unknown', cause: 'unusable', reason: 'the bar code cannot be' } as const;
  const page = { kind: 'unknown', cause: 'unusable', reason: 'the page has no changes' } as const;
  for (let times = 0; times < 9; times += 1) {
    calls.note('acquirer', 'rede', 'find', { kind: 'unknown', cause: 'unusable', reason: 'odd' });
    calls.note('bank', 'default', 'find', odd);
    calls.note('pix', 'default', 'issue', { ...odd, kind: 'notConnected' });
  }
  assert.deepEqual(said(), []);
  assert.equal(calls.seen('acquirer')[0], 'answers');
  calls.note('bank', 'default', 'find', { kind: 'unknown', cause: 'silent' });
  calls.note('bank', 'default', 'find', odd);
  calls.note('bank', 'default', 'find', { kind: 'unknown', cause: 'silent' });
  assert.deepEqual(said(), ['bank default find: unknown'], 'nor is it an answer');
  for (const _ of [1, 2]) calls.note('pix', 'default', 'receipts', page);
  assert.deepEqual(said(), ['pix default receipts: the page has no changes']);
});

test('a report of any number of providers fits into its row, and keeps what it says of each peer', () => {
  const names = Array.from({ length: 500 }, (_, index) => `adquirente-número-${index}`);
  const peer = {
    awayProviders: names,
    awayFor: ['charge'],
    reason: 'é'.repeat(9_000),
    answersIn: names.map((provider) => ({ provider, milliseconds: 9 })),
    delays: names.map((provider) => ({ provider, since: 1, silentSince: null })),
    lastAnswers: names.map((provider) => ({ provider, at: 1 })),
  };
  const charges = names.map((provider) => ({
    ...{ provider, brand: 'mastercard' },
    ...{ approved: 9, declined: 9, unanswered: 9 },
  }));
  const peers = ['acquirer', 'antiFraud', 'bank', 'pix'].map((name) => ({ ...peer, peer: name }));
  const text = reportText({ ...report(peers), charges });
  assert.ok(text.length <= 10_000, `${text.length} characters`);
  const read = parseReport(text);
  assert.deepEqual(
    read.peers.map((one) => one.peer),
    ['acquirer', 'antiFraud', 'bank', 'pix'],
  );
  assert.deepEqual(read.charges[0], charges[0]);
  const small = report([{ reason: 'none' }]);
  assert.deepEqual(parseReport(reportText(small)), small);
});

test('a report of another version is read as far as it is known', () => {
  const read = parseReport('{"version":"9.0.0","heldBecause":"asleep","peers":[{"peer":"oracle"}],"more":1}');
  assert.deepEqual([read.version, read.heldBecause, read.peers], ['9.0.0', 'asleep', [{ peer: 'oracle' }]]);
  assert.deepEqual(parseReport('3').roles, []);
});
