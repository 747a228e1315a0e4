import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import { lostChange, stateAfter, thingOf } from './lost-change.ts';

const ID = '0192f0c1-7a1b-7c3d-8e4f-1234567890ab';
const OTHER = '0192f0c1-7a1b-7c3d-8e4f-1234567890ac';
const line = (action: string, thing: string, more: Partial<ShippedLine> = {}): ShippedLine => ({
  ...{ entryNumber: 7, seal: 'ab'.repeat(32), time: '', action, outcome: 'success', actor: 'loja' },
  ...{ resource: `merchants/LOJA${thing}`, changed: {}, alsoChanged: [], ...more },
});
const to = (state: string) => ({ changed: { 'state.new': state } });

test('states, cards, canceled billings and holds can be done again', () => {
  const subscription = {
    kind: 'subscription',
    merchantId: 'LOJA',
    id: ID,
    isBySubscriber: false,
  } as const;
  const cases = [
    [
      line('subscription.change', `/subscriptions/${ID}`, to('canceled')),
      { ...subscription, state: 'canceled' },
    ],
    [line('subscription.change', `/subscriptions/${ID}`, to('active')), { ...subscription, state: 'active' }],
    [
      line('subscription.change', `/subscriptions/${ID}`, { changed: { 'vaultId.new': OTHER } }),
      { kind: 'card', merchantId: 'LOJA', id: ID, vaultId: OTHER },
    ],
    [
      line('plan.change', `/plans/${ID.toUpperCase()}`, to('canceled')),
      { kind: 'plan', merchantId: 'LOJA', id: ID, state: 'canceled' },
    ],
    [line('billing.cancel', `/billings/${ID}`), { kind: 'billing', merchantId: 'LOJA', id: ID }],
    [
      line('billing.hold', ''),
      { kind: 'standing', merchantId: 'LOJA', standing: 'billingsHeld', isOn: true },
    ],
  ] as const;
  for (const [shipped, change] of cases) assert.deepEqual(lostChange(shipped), change);
});

test('what a line does not tell enough of is left to a person, by name', () => {
  for (const shipped of [
    line('subscription.change', `/subscriptions/${ID}`, { alsoChanged: ['customer'] }),
    line('plan.change', `/plans/${ID}`, { alsoChanged: ['amount'] }),
    line('credential.disable', '/credentials/ana'),
    line('billing.release', ''),
    line('privacy.erase', ''),
    line('token.revoke', '/tokens/1'),
    line('key.rotate', '', { actor: 'ana' }),
  ])
    assert.equal(lostChange(shipped)?.kind, 'byHand', shipped.action);
  const customer = lostChange(line('subscription.change', '', { alsoChanged: ['customer'] }));
  assert.match(customer?.kind === 'byHand' ? customer.why : '', /^customer: /);
});

test('what failed, was read or came in is nothing to be done again', () => {
  for (const action of ['login.accept', 'payment.read', 'service.start', 'something.new'])
    assert.equal(lostChange(line(action, '')), null, action);
  assert.equal(lostChange(line('key.rotate', '', { actor: 'system' })), null, 'a service rotates again');
  assert.equal(lostChange(line('billing.hold', '', { outcome: 'failure' })), null);
});

test('changes of one thing follow one another, and its card is a thing of its own', () => {
  const subscription = {
    kind: 'subscription',
    merchantId: 'LOJA',
    id: ID,
    state: 'canceled',
    isBySubscriber: false,
  } as const;
  const card = { kind: 'card', merchantId: 'LOJA', id: ID, vaultId: OTHER } as const;
  assert.equal(thingOf(subscription), thingOf({ ...subscription, state: 'active' }));
  assert.notEqual(thingOf(subscription), thingOf(card));
  assert.deepEqual([subscription, card].map(stateAfter), ['canceled', OTHER]);
});
