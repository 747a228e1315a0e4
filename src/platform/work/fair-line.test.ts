import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { FairLine, fairLine, Overloaded, type Wanted } from './fair-line.ts';

const LIMITS = { name: 'test', slots: 4, waiting: 8, longestWaitMilliseconds: 60_000 };

function callers(line: FairLine) {
  const served: string[] = [];
  const refused: string[] = [];
  const ended = new AbortController();
  const come = (name: string, merchantId: string, { kind = '', signal = ended.signal }: Come = {}) => {
    const wanted = { merchantId, kind };
    if (line.take(wanted)) served.push(name);
    else
      line.wait(wanted, { signal }).then(
        () => served.push(name),
        (error) => {
          assert.ok(error instanceof Overloaded);
          refused.push(name);
        },
      );
  };
  return { served, refused, come, end: () => ended.abort() };
}
type Come = { readonly kind?: string; readonly signal?: AbortSignal };

test('a merchant that fills its share does not keep the next from its slot', async () => {
  const line = new FairLine(LIMITS);
  const { served, come, end } = callers(line);
  for (const name of ['a1', 'a2', 'a3', 'a4']) come(name, 'a');
  come('b1', 'b');
  assert.deepEqual(served, ['a1', 'a2', 'b1']);
  assert.deepEqual([line.taken, line.waiting], [3, 2]);
  line.giveBack({ merchantId: 'b' });
  await turn();
  assert.deepEqual(served, ['a1', 'a2', 'b1'], 'what is free is for another that comes');
  line.giveBack({ merchantId: 'a' });
  await turn();
  assert.deepEqual(served, ['a1', 'a2', 'b1', 'a3']);
  end();
});

test('merchants that wait take turns, however many of one wait', async () => {
  const line = new FairLine({ ...LIMITS, slots: 1, waiting: 100 });
  const { served, come } = callers(line);
  for (const name of ['a1', 'a2', 'a3', 'a4']) come(name, 'a');
  for (const name of ['b1', 'b2']) come(name, 'b');
  come('c1', 'c');
  for (const merchantId of ['a', 'a', 'b', 'c', 'a', 'b', 'a']) {
    line.giveBack({ merchantId });
    await turn();
  }
  assert.deepEqual(served, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.deepEqual([line.taken, line.waiting], [0, 0]);
});

test('a kind that is slow keeps neither the other kinds nor the other merchants waiting', () => {
  const line = new FairLine({ ...LIMITS, slots: 64, waiting: 1_000 });
  const { served, come, end } = callers(line);
  for (let payment = 0; payment < 100; payment += 1) {
    come('a visa', 'a', { kind: 'visa' });
    come('b visa', 'b', { kind: 'visa' });
  }
  assert.ok(line.waiting > 0);
  served.length = 0;
  come('a elo', 'a', { kind: 'elo' });
  come('c visa', 'c', { kind: 'visa' });
  come('c elo', 'c', { kind: 'elo' });
  assert.deepEqual(served, ['a elo', 'c visa', 'c elo']);
  end();
});

test('the line is bounded in all and by merchant, and refuses at once', async () => {
  const line = new FairLine({ ...LIMITS, slots: 1 });
  const { refused, come, end } = callers(line);
  come('first', 'a');
  for (let caller = 0; caller < 10; caller += 1) come(`a${caller}`, 'a');
  await turn();
  assert.deepEqual(refused, ['a4', 'a5', 'a6', 'a7', 'a8', 'a9']);
  come('b1', 'b');
  come('b2', 'b');
  come('c1', 'c');
  await turn();
  assert.deepEqual([line.waiting, refused.length], [7, 6]);
  end();
});

test('one that waits too long, or has gone, leaves, and the line goes on', async () => {
  const line = new FairLine({ ...LIMITS, slots: 1 });
  const { served, refused, come } = callers(line);
  const gone = new AbortController();
  come('a1', 'a');
  come('a2', 'a', { signal: gone.signal });
  come('b1', 'b', { signal: gone.signal });
  come('a3', 'a', { signal: AbortSignal.abort() });
  come('a4', 'a');
  await assert.rejects(line.wait({ merchantId: 'a' }, { milliseconds: 1 }), /the wait took too long/);
  const warned: Error[] = [];
  const note = (warning: Error) => void warned.push(warning);
  process.on('warning', note);
  await assert.rejects(line.wait({ merchantId: 'a' }, { milliseconds: -1_000 }), /the wait took too long/);
  process.off('warning', note);
  assert.deepEqual(warned, []);
  gone.abort();
  await turn();
  assert.deepEqual([refused, line.waiting], [['a3', 'a2', 'b1'], 1]);
  line.giveBack({ merchantId: 'a' });
  await turn();
  assert.deepEqual(served, ['a1', 'a4']);
});

test('where so many are for each, one has no more of what is free, and another is served beside it', async () => {
  const line = new FairLine({ ...LIMITS, ofEach: 1 });
  const { served, come, end } = callers(line);
  for (const [name, merchantId] of ['a1 a', 'a2 a', 'b1 b', 'c1 c', 'd1 d'].map((one) => one.split(' ')))
    come(name as string, merchantId as string);
  assert.deepEqual(served, ['a1', 'b1', 'c1', 'd1']);
  line.giveBack({ merchantId: 'b' });
  await turn();
  assert.deepEqual([served.length, line.waiting], [4, 1]);
  line.giveBack({ merchantId: 'a' });
  await turn();
  assert.deepEqual([served.at(-1), line.waiting], ['a2', 0]);
  end();
});

test('work that fails gives its slot to the next, and full lines begin none', async () => {
  const inLine = fairLine({ ...LIMITS, slots: 1, waiting: 1 });
  const failing = inLine('a', () => Promise.reject(new Error('no')));
  const next = inLine('a', async () => 'yes');
  await assert.rejects(
    inLine('a', async () => assert.fail('begun')),
    Overloaded,
  );
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

type Held = {
  readonly wanted: Wanted;
  state: 'waiting' | 'taken' | 'refused';
  readonly gone: AbortController;
};

const ACTIONS = fc.array(
  fc.record({
    act: fc.constantFrom('come', 'come', 'come', 'giveBack', 'giveBack', 'giveUp'),
    merchantId: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('visa', 'elo'),
    at: fc.nat(),
  }),
  { maxLength: 120 },
);

test('whatever happens: no slot too many, none idle that one may have, all waiters served in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      ACTIONS,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      fc.constantFrom({}, { ofEach: 1 }, { ofEach: 3 }),
      async (actions, slots, waiting, hasKinds, each) => {
        const line = new FairLine({ ...LIMITS, slots, waiting, ...each });
        const callers: Held[] = [];
        const of = (state: Held['state']) => callers.filter((one) => one.state === state);
        const giveBack = (one: Held) => {
          callers.splice(callers.indexOf(one), 1);
          line.giveBack(one.wanted);
        };
        for (const { act, merchantId, kind, at } of actions) {
          const [taken, queued] = [of('taken'), of('waiting')];
          if (act === 'come') {
            const wanted = hasKinds ? { merchantId, kind } : { merchantId };
            const one: Held = { wanted, state: 'waiting', gone: new AbortController() };
            callers.push(one);
            const before = queued.filter((other) => other.wanted.merchantId === merchantId).length;
            if (line.take(wanted)) one.state = 'taken';
            else
              line.wait(wanted, { signal: one.gone.signal }).then(
                () => {
                  one.state = 'taken';
                },
                () => {
                  one.state = 'refused';
                },
              );
            await turn();
            if (one.state === 'refused') assert.ok(before >= waiting - queued.length, 'only when it is full');
          } else if (act === 'giveBack' && taken.length > 0) giveBack(taken[at % taken.length] as Held);
          else if (act === 'giveUp' && queued.length > 0) queued[at % queued.length]?.gone.abort();
          await turn();
          assert.equal(line.taken, of('taken').length);
          assert.equal(line.waiting, of('waiting').length);
          assert.ok(line.taken <= slots && line.waiting <= waiting);
          for (const one of of('waiting')) assert.equal(line.take(one.wanted), false, 'it is not idle');
        }
        for (let left = of('taken'); left.length > 0; left = of('taken')) {
          giveBack(left[0] as Held);
          await turn();
        }
        assert.deepEqual([of('waiting').length, line.taken, line.waiting], [0, 0, 0]);
      },
    ),
  );
});
