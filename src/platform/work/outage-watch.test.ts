import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeAnswer, openOutageWatch } from './outage-watch.ts';

const LIMITS = { unresolvedInRow: 3, probePauseMilliseconds: 60_000, returnPauseMilliseconds: 0 };

const SHOP = { merchantId: 'shop', provider: 'default' };
const OTHER = { merchantId: 'other', provider: 'default' };

function watchOf(limits: Partial<typeof LIMITS> = {}, providers: readonly string[] = ['default']) {
  const reported: string[] = [];
  let now = 0;
  const watch = openOutageWatch(
    { ...LIMITS, ...limits },
    () => providers,
    ({ provider, isAway }) => reported.push(`${provider} ${isAway ? 'begun' : 'over'}`),
    () => now,
  );
  const receive = (...answers: boolean[]) => {
    for (const isAnswered of answers) watch.observe(isAnswered, SHOP);
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { watch, receive, reported, pass };
}

test('who answers now and then is not away', () => {
  const { watch, receive, reported } = watchOf();
  receive(false, false, true, false, false, true, false, false);
  assert.equal(watch.isMute(), false);
  assert.equal(watch.millisecondsUntilProbe(), 0);
  assert.equal(watch.takeReturn(), false, 'nor has anybody returned');
  assert.deepEqual(reported, []);
});

test('requests that are answered in part mean away when there are several, and one never does', () => {
  const { watch, reported } = watchOf();
  const part = (...requests: string[]) => {
    for (const request of requests) watch.observePart(request, SHOP);
  };
  part('one', 'one', 'one', 'one', 'other');
  assert.equal(watch.isAway('default'), false);
  part('third');
  assert.equal(watch.isAway('default'), true);
  part('one', 'fourth');
  assert.equal(watch.isAway('default'), true, 'it is asked on');
  watch.observe(true, SHOP);
  assert.deepEqual(reported, ['default begun', 'default over']);
});

test('who answered nothing, and then in part, is away no more', () => {
  const { watch, receive, reported } = watchOf();
  receive(false, false, false);
  watch.observePart('one', SHOP);
  assert.equal(watch.takeReturn(), true);
  receive(false, false);
  watch.observePart('one', SHOP);
  assert.deepEqual(reported, ['default begun', 'default over']);
});

test('who answers nothing three times in a row is away, is asked after a pause, and back with one answer', () => {
  const { watch, receive, reported } = watchOf();
  receive(false, false, false);
  assert.equal(watch.isMute(), true);
  assert.ok(watch.millisecondsUntilProbe() > 0);
  receive(false);
  assert.equal(watch.takeReturn(), false);
  receive(true);
  assert.equal(watch.isMute(), false);
  assert.equal(watch.millisecondsUntilProbe(), 0);
  assert.equal(watch.takeReturn(), true);
  assert.equal(watch.takeReturn(), false, 'once for each return');
  assert.deepEqual(reported, ['default begun', 'default over']);
});

test('whose questions alone are not answered is named, until one of another merchant is not either', () => {
  const { watch, receive } = watchOf();
  watch.observe(false, OTHER);
  watch.observe(true, OTHER);
  receive(false, false);
  assert.equal(watch.onlySilentFor(), null, 'not away yet');
  receive(false);
  assert.equal(watch.onlySilentFor(), 'shop');
  watch.observe(false, OTHER);
  assert.deepEqual([watch.isMute(), watch.onlySilentFor()], [true, null]);
  watch.observe(true, OTHER);
  assert.deepEqual([watch.isMute(), watch.onlySilentFor()], [false, null]);
});

test('a return is not taken while they are away again', () => {
  const { watch, receive } = watchOf();
  receive(false, false, false, true, false, false, false);
  assert.equal(watch.takeReturn(), false);
  receive(true);
  assert.equal(watch.takeReturn(), true);
});

test('who comes and goes returns once in a while only', () => {
  const { watch, receive } = watchOf({ returnPauseMilliseconds: 60_000 });
  receive(false, false, false, true);
  assert.equal(watch.takeReturn(), true);
  receive(false, false, false, true);
  assert.equal(watch.takeReturn(), false);
});

test('an outage is told once when it begins and once when it is over', () => {
  const { receive, reported, pass } = watchOf();
  receive(false, false, false);
  for (let second = 0; second < 130; second += 1) {
    pass(1_000);
    receive(false);
  }
  receive(true, true);
  assert.deepEqual(reported, ['default begun', 'default over']);
});

test('one of two providers that is away is asked now and then by itself; the other as ever', () => {
  const { watch, receive, reported, pass } = watchOf({}, ['default', 'second']);
  const second = { merchantId: 'shop', provider: 'second' };
  watch.observe(true, second);
  receive(false, false, false);
  assert.deepEqual([watch.isAway('default'), watch.isAway('second'), watch.isMute()], [true, false, false]);
  assert.equal(watch.millisecondsUntilProbe(), 0, 'the work goes on for the other one');
  watch.observe(true, second);
  assert.equal(watch.isAway('default'), true, 'what another provider answers says nothing of it');
  assert.equal(watch.mayAsk(SHOP), false);
  assert.equal(watch.mayAsk(OTHER), true, 'only one merchant got no answers');
  watch.observe(false, OTHER);
  assert.deepEqual([watch.mayAsk(OTHER), watch.mayAsk(second)], [false, true]);
  pass(60_000);
  assert.deepEqual([watch.mayAsk(SHOP), watch.mayAsk(OTHER)], [true, false], 'one probe at a time');
  assert.equal(watch.awaySeconds('default'), 60);
  receive(true);
  assert.deepEqual([watch.mayAsk(OTHER), watch.takeReturn(), watch.awaySeconds('default')], [true, true, 0]);
  assert.deepEqual(reported, ['default begun', 'default over']);
});

test('who is asked nothing any more is not away for ever, and has not returned', () => {
  const { watch, receive, reported, pass } = watchOf({}, ['second', 'default']);
  receive(false, false, false);
  pass(2_699_999);
  // As the work looks, which is about neither of them.
  watch.millisecondsUntilProbe();
  assert.deepEqual(reported, ['default begun']);
  pass(1);
  watch.millisecondsUntilProbe();
  assert.deepEqual(reported, ['default begun', 'default over']);
  assert.deepEqual([watch.isAway('default'), watch.mayAsk(SHOP), watch.takeReturn()], [false, true, false]);
  receive(false, false);
  pass(2_700_000);
  receive(false);
  assert.equal(watch.isAway('default'), false, 'these were none in a row');
});

test('where look-ups are answered nothing is held back, though what is sent behind them is not', () => {
  const { watch, receive, reported } = watchOf();
  for (const request of ['one', 'two', 'three']) watch.observePart(request, SHOP);
  assert.deepEqual([watch.isAway('default'), watch.mayAsk(SHOP)], [true, true]);
  receive(false, false, false);
  assert.equal(watch.takeReturn(), false);
  watch.observeLook(SHOP);
  assert.deepEqual([watch.isAway('default'), watch.takeReturn(), watch.mayAsk(SHOP)], [true, true, true]);
  assert.deepEqual(reported, ['default begun']);
});

test('behind look-ups that are answered little is sent at once while others answer, and what waited is called back', async () => {
  const { watch } = watchOf({}, ['default', 'second']);
  const sent = () => watch.send('one', 'default', async () => 'sent');
  for (const request of ['one', 'two', 'three']) watch.observePart(request, SHOP);
  const hanging = Promise.withResolvers<string>();
  const hang = () => watch.send('one', 'default', () => hanging.promise);
  const ofOne = Array.from({ length: 5 }, hang);
  assert.equal(await sent(), 'sent', 'one merchant has its share as ever');
  watch.observePart('four', OTHER);
  assert.equal(await sent(), null);
  assert.equal(await watch.send('one', 'second', async () => 'sent'), 'sent');
  assert.equal(watch.mayAsk(SHOP), true, 'it is looked up');
  hanging.resolve('answered');
  assert.deepEqual(new Set(await Promise.all(ofOne)), new Set(['answered']));
  assert.equal(await sent(), 'sent');
  const fail = () => watch.send('one', 'default', () => Promise.reject(new Error('E')));
  for (let failed = 0; failed < 4; failed += 1) await assert.rejects(fail(), /E/);
  assert.equal(await sent(), 'sent');
  watch.observeLook(SHOP);
  assert.deepEqual([watch.isAway('default'), watch.takeReturn()], [true, false]);
  watch.observe(true, SHOP);
  assert.deepEqual([watch.isAway('default'), watch.takeReturn()], [false, true]);
});

test('requests that are over count no more, and nothing is called back that did not wait', () => {
  const { watch } = watchOf();
  for (const request of ['one', 'two', 'three', 'four']) watch.observePart(request, SHOP);
  watch.observeEnd('one', 'default');
  assert.equal(watch.isAway('default'), true);
  watch.observeEnd('two', 'default');
  assert.deepEqual([watch.isAway('default'), watch.takeReturn()], [false, false]);
  watch.observePart('five', SHOP);
  assert.equal(watch.isAway('default'), true);
});

test('a return is one, however often it is looked at, and a mute provider is mute whatever is over', async () => {
  const { watch, receive } = watchOf({}, ['default', 'second']);
  for (const request of ['one', 'two', 'three']) watch.observePart(request, SHOP);
  watch.observePart('three', OTHER);
  const hanging = Promise.withResolvers<string>();
  const asks = Array.from({ length: 5 }, () => watch.send('one', 'default', () => hanging.promise));
  assert.equal(await asks[4], null);
  watch.observeEnd('one', 'default');
  assert.deepEqual([watch.isAway('default'), watch.takeReturn()], [false, true]);
  watch.observeLook(SHOP);
  watch.observeEnd('two', 'default');
  assert.equal(watch.takeReturn(), false);
  hanging.resolve('answered');
  await Promise.all(asks);
  receive(false, false, false);
  watch.observeEnd('three', 'default');
  assert.equal(watch.isMute('default'), true);
});

test('what is held back again and again is as silent as before', async () => {
  const { watch, reported, pass } = watchOf({}, ['default', 'second']);
  for (const request of ['one', 'two', 'three']) watch.observePart(request, SHOP);
  watch.observePart('three', OTHER);
  const hanging = Promise.withResolvers<null>();
  const asks = Array.from({ length: 4 }, () => watch.send('other', 'default', () => hanging.promise));
  for (let minute = 0; minute < 50; minute += 1) {
    pass(60_000);
    for (const request of ['one', 'two', 'three'])
      assert.equal(await watch.send(request, 'default', async () => 'sent'), null);
    watch.observePart('other', SHOP);
  }
  hanging.resolve(null);
  await Promise.all(asks);
  assert.deepEqual([watch.isAway('default'), reported], [true, ['default begun']]);
});

test('a request that was ended elsewhere is forgotten, though others are silent still', () => {
  const { watch, reported, pass } = watchOf();
  for (const request of ['one', 'two', 'three']) watch.observePart(request, SHOP);
  for (let minute = 0; minute < 45; minute += 1) {
    pass(60_000);
    watch.observePart('three', SHOP);
  }
  assert.deepEqual([watch.isAway('default'), reported], [false, ['default begun', 'default over']]);
});

test('look-ups that are answered hide no silence behind them, and end one of look-ups', () => {
  const { watch, receive, reported } = watchOf();
  const observe = (kind: string, request: string, isLook: boolean) =>
    observeAnswer(
      watch,
      kind === 'partly' ? { kind: 'unknown', cause: kind } : { kind },
      SHOP,
      request,
      isLook,
    );
  for (const request of ['one', 'two', 'three']) {
    observe('preauthorized', request, true);
    observe('partly', request, false);
  }
  observe('preauthorized', 'four', true);
  assert.deepEqual(reported, ['default begun']);
  observe('voided', 'four', false);
  receive(false, false, false);
  observe('preauthorized', 'four', true);
  assert.deepEqual(reported, ['default begun', 'default over', 'default begun', 'default over']);
});

test('with all providers away a work asks one at a time, whatever the provider', () => {
  const { watch, receive } = watchOf({}, ['default', 'second']);
  receive(false, false, false);
  for (const merchantId of ['shop', 'other', 'shop'])
    watch.observe(false, { merchantId, provider: 'second' });
  assert.deepEqual([watch.isAway('default'), watch.mayAsk(SHOP), watch.onlySilentFor()], [true, true, null]);
  assert.ok(watch.millisecondsUntilProbe() > 0);
});

test('what was not asked says nothing, neither that its provider answers nor that it is silent', () => {
  const { watch } = watchOf();
  const observe = (...answers: readonly Parameters<typeof observeAnswer>[1][]) => {
    for (const answer of answers) observeAnswer(watch, answer, SHOP, 'request');
  };
  const unasked = [{ kind: 'notSent' }, { kind: 'unknown', cause: 'notAsked' }] as const;
  observe(...unasked, ...unasked);
  assert.equal(watch.isAway('default'), false);
  observe({ kind: 'unknown' }, { kind: 'unknown', cause: 'silent' }, { kind: 'unknown' }, ...unasked);
  assert.equal(watch.isAway('default'), true);
  observe({ kind: 'unknown', cause: 'unusable' });
  assert.equal(watch.isAway('default'), false);
  const inPart = { kind: 'unknown', cause: 'partly' } as const;
  observe(inPart, inPart, inPart, inPart);
  assert.equal(watch.isAway('default'), false);
  for (const request of ['one', 'other']) observeAnswer(watch, inPart, SHOP, request);
  assert.equal(watch.isAway('default'), true);
});
