import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { NO_NETWORK_REFERENCE } from '../../providers/acquirers/network-reference.ts';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import {
  type Books,
  CLOCKS_MILLISECONDS,
  type EndOfLost,
  endOfStanding,
  type Fault,
  faultOfRefusal,
  isStopContradicted,
  judgeCharge,
  type KnownTransaction,
  refusalToVoid,
  SETTLED_AFTER_MILLISECONDS,
  standingOf,
} from './restored-charge.ts';

const STOPPED = instant(Date.parse('2026-11-23T12:00:00Z'));
const OLD = instant(STOPPED - SETTLED_AFTER_MILLISECONDS);
const NEW = instant(OLD + 1);
const AFTER = instant(STOPPED + CLOCKS_MILLISECONDS + 1);
const BILLING = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6b';
const OWED: NonNullable<Books['billing']> = {
  ...{ billingId: BILLING, state: 'opened', amount: cents(1_000) },
  ...{ isCharging: false, isChargingThis: false },
};

function chargeOf(change: Partial<ListedCharge> = {}): ListedCharge {
  return {
    merchantId: 'LOJA',
    reference: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a',
    merchantReference: 'PEDIDO',
    state: 'approved',
    amount: cents(1_000),
    authorizedAmount: cents(1_000),
    canceledAmount: cents(0),
    installments: 1,
    isCapturedLater: false,
    initiator: 'cardholder',
    ...{ brand: 'visa', firstSix: '411111', lastFour: '1111' },
    ...{ soldAt: OLD, authorizedAt: OLD, changedAt: OLD },
    ...{ authorizationCode: 'A1', nsu: '1', networkReference: NO_NETWORK_REFERENCE, tid: null },
    cancellations: [],
    captures: [],
    ...change,
  };
}

const UNKNOWN: Books = { accounts: ['1001'], transaction: null, billing: null, decision: null };
const AT_LAST_SALE: EndOfLost = { lastSaleAt: STOPPED, stoppedAt: null };
const AT_STOP: EndOfLost = { lastSaleAt: AFTER, stoppedAt: STOPPED };
const CANCELED = {
  cancellationReference: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b60',
  amount: cents(100),
  outcome: 'canceled',
  requestedAt: NEW,
} as const;
const CAPTURED = { captureReference: 'c', amount: cents(900), capturedAt: NEW };

const known = (change: Partial<KnownTransaction> = {}): Books => ({
  ...UNKNOWN,
  transaction: {
    ...{ state: 'charging', origin: 'payment', fence: 0, amount: cents(1_000), installmentCount: 1 },
    ...{ split: null, cancelIds: [], captureIds: [], ...change },
  },
});

const verdictOf = (charge: ListedCharge, books: Books, end: EndOfLost = AT_LAST_SALE): string => {
  const verdict = judgeCharge(charge, books, end);
  return 'reason' in verdict ? `${verdict.kind} ${verdict.reason}` : verdict.kind;
};

test('what the services lived on after is put into the books, what came last waits for a person', () => {
  assert.equal(verdictOf(chargeOf(), UNKNOWN), 'fill payment');
  assert.equal(verdictOf(chargeOf({ authorizedAt: NEW }), UNKNOWN), 'decide mayBeUnanswered');
  assert.equal(verdictOf(chargeOf(), known()), 'fill underWay');
  assert.equal(verdictOf(chargeOf({ authorizedAt: NEW }), known()), 'decide mayBeUnanswered');
  const nobodyKnows = { lastSaleAt: null, stoppedAt: null };
  assert.equal(verdictOf(chargeOf(), UNKNOWN, nobodyKnows), 'decide mayBeUnanswered');
});

test('a sale that was given back whole was a sale: the books need it, and what came back', () => {
  const given = chargeOf({ state: 'canceled', canceledAmount: cents(1_000) });
  assert.equal(verdictOf(given, UNKNOWN), 'fill payment');
  for (const state of ['voided', 'declined'] as const)
    assert.equal(verdictOf(chargeOf({ state }), UNKNOWN), 'ended');
});

test('what a merchant had canceled or captured was answered, however late it came', () => {
  for (const asked of [{ cancellations: [CANCELED] }, { captures: [CAPTURED], isCapturedLater: true }]) {
    const charge = chargeOf({ authorizedAt: AFTER, ...asked });
    assert.equal(verdictOf(charge, UNKNOWN, AT_STOP), 'fill payment');
  }
});

test('what was authorized when no process was left is voided, and only where its end is known', () => {
  const charge = chargeOf({ authorizedAt: AFTER });
  assert.equal(verdictOf(charge, UNKNOWN, AT_STOP), 'void neverAnswered');
  assert.equal(verdictOf(charge, known(), AT_STOP), 'leftToServices');
  const atOnce = chargeOf({ authorizedAt: instant(STOPPED + CLOCKS_MILLISECONDS) });
  assert.equal(verdictOf(atOnce, UNKNOWN, AT_STOP), 'decide mayBeUnanswered');
  assert.equal(verdictOf(charge, UNKNOWN), 'decide mayBeUnanswered');
});

test('a charge of a billing is kept by the billing that owes it, and by no other', () => {
  const charge = chargeOf({ initiator: 'merchant', merchantReference: BILLING, authorizedAt: AFTER });
  const owed = { ...UNKNOWN, billing: OWED };
  assert.equal(verdictOf(charge, owed, AT_STOP), 'fill billing');
  assert.equal(verdictOf(charge, { ...owed, billing: { ...OWED, state: 'denied' } }), 'fill billing');
  for (const change of [{ state: 'paid' }, { isCharging: true }, { amount: cents(999) }] as const)
    assert.equal(verdictOf(charge, { ...owed, billing: { ...OWED, ...change } }), 'decide billing');
  // A merchant may name a payment as it likes.
  assert.equal(verdictOf({ ...charge, initiator: 'cardholder' }, owed, AT_STOP), 'void neverAnswered');
});

test('a charge that a killed comparison took or recorded still ends its billing, and one of another ends nothing', () => {
  const charge = chargeOf({ initiator: 'merchant', merchantReference: BILLING });
  const charged = { ...OWED, isCharging: true, isChargingThis: true };
  const of = (state: KnownTransaction['state'], billing: Books['billing'] = charged): Books => ({
    ...known({ state, origin: 'billing' }),
    billing,
  });
  for (const state of ['charging', 'approved'] as const)
    assert.equal(verdictOf(charge, of(state)), 'fill billing');
  assert.equal(verdictOf(charge, of('approved', { ...OWED, state: 'paid' })), 'inBooks');
  assert.equal(verdictOf(charge, of('charging', { ...charged, isChargingThis: false })), 'leftToServices');
  // The services may have voided it, or void it now.
  assert.equal(verdictOf(charge, of('unresolved')), 'leftToServices');
  assert.equal(verdictOf({ ...charge, state: 'declined' }, of('charging')), 'leftToServices');
  assert.equal(verdictOf({ ...charge, state: 'voided' }, of('approved')), 'decide endedThere');
  const other = { amount: cents(999), authorizedAmount: cents(999) };
  assert.equal(verdictOf({ ...charge, ...other }, of('charging')), 'leftToServices');
});

test('without money, merchant or single account nothing is put into the books', () => {
  for (const state of ['declined', 'voided'] as const) {
    assert.equal(verdictOf(chargeOf({ state }), UNKNOWN), 'ended');
    assert.equal(verdictOf(chargeOf({ state }), known()), 'leftToServices');
  }
  assert.equal(verdictOf(chargeOf(), { ...UNKNOWN, accounts: null }), 'decide unknownMerchant');
  assert.equal(verdictOf(chargeOf(), { ...UNKNOWN, accounts: ['1', '2'] }), 'decide account');
});

test('of what is known only what came later is put into the books', () => {
  const approved = known({ state: 'approved' });
  assert.equal(verdictOf(chargeOf(), approved), 'inBooks');
  assert.equal(verdictOf(chargeOf({ cancellations: [CANCELED] }), approved), 'fill requests');
  const canceled = known({ state: 'approved', cancelIds: [CANCELED.cancellationReference] });
  assert.equal(verdictOf(chargeOf({ cancellations: [CANCELED] }), canceled), 'inBooks');
  const refused = chargeOf({ cancellations: [{ ...CANCELED, outcome: 'refused' }] });
  assert.equal(verdictOf(refused, approved), 'inBooks');
  const held = known({ state: 'preauthorized' });
  assert.equal(verdictOf(chargeOf({ state: 'preauthorized' }), held), 'inBooks');
  assert.equal(verdictOf(chargeOf({ state: 'voided' }), held), 'fill release');
  assert.equal(verdictOf(chargeOf({ captures: [CAPTURED] }), held), 'fill requests');
  assert.equal(verdictOf(chargeOf(), held), 'decide endedThere');
});

test('where one side has ended it and the other has not a person looks', () => {
  assert.equal(verdictOf(chargeOf({ state: 'voided' }), known({ state: 'approved' })), 'decide endedThere');
  for (const state of ['declined', 'voided'] as const) {
    assert.equal(verdictOf(chargeOf(), known({ state })), 'decide liveThere');
    assert.equal(verdictOf(chargeOf({ state: 'voided' }), known({ state })), 'inBooks');
  }
});

test('what the services find out by themselves is left to them, and what is decided stays so', () => {
  for (const state of ['unresolved', 'capturing'] as const)
    assert.equal(verdictOf(chargeOf(), known({ state })), 'leftToServices');
  assert.equal(verdictOf(chargeOf(), known({ origin: 'billing' })), 'leftToServices');
  for (const decision of ['undecided', 'voided'] as const)
    assert.equal(verdictOf(chargeOf(), { ...UNKNOWN, decision }), 'inBooks');
});

test('what came behind a charge that is left to the services is followed, and never forgotten', () => {
  const canceled = chargeOf({ cancellations: [CANCELED] });
  const captured = chargeOf({ captures: [CAPTURED], isCapturedLater: true });
  for (const change of [
    { state: 'unresolved', origin: 'billing' },
    { state: 'charging', origin: 'billing' },
    { state: 'capturing' },
  ] as const) {
    assert.equal(verdictOf(canceled, known(change)), 'follow');
    assert.equal(verdictOf(captured, known(change)), 'follow');
    const hasAll = { cancelIds: [CANCELED.cancellationReference], captureIds: [CAPTURED.captureReference] };
    assert.equal(verdictOf(canceled, known({ ...change, ...hasAll })), 'leftToServices');
    assert.equal(verdictOf(captured, known({ ...change, ...hasAll })), 'leftToServices');
  }
  assert.equal(verdictOf(chargeOf({ state: 'voided' }), known({ state: 'capturing' })), 'follow');
});

const standing = (charge: ListedCharge, change: Partial<KnownTransaction>, isToBeKept = false): string => {
  const found = standingOf(charge, known(change).transaction, isToBeKept);
  return 'reason' in found ? `${found.kind} ${found.reason}` : found.kind;
};

test('a charge is filled when the books have all of it, and is not before', () => {
  const canceled = chargeOf({ cancellations: [CANCELED] });
  const cancelIds = [CANCELED.cancellationReference];
  assert.equal(standing(canceled, { state: 'approved', cancelIds }), 'filled');
  assert.equal(standing(canceled, { state: 'approved' }), 'missing requests');
  assert.equal(standing(canceled, { state: 'capturing' }), 'unfinished');
  assert.equal(standing(canceled, { state: 'capturing', cancelIds }), 'filled');
  assert.equal(standing(canceled, { state: 'unresolved', origin: 'billing' }), 'unfinished');
  assert.equal(standing(canceled, { state: 'voided' }), 'voided');
  assert.equal(standing(chargeOf({ captures: [CAPTURED] }), { state: 'preauthorized' }), 'missing requests');
  assert.equal(standing(chargeOf({ state: 'voided' }), { state: 'preauthorized' }), 'missing release');
  assert.equal(standing(chargeOf({ state: 'voided' }), { state: 'unresolved' }), 'filled', 'let go');
  assert.equal(standing(chargeOf({ state: 'voided' }), { state: 'approved' }), 'undecided endedThere');
  assert.deepEqual(standingOf(chargeOf(), null, true), { kind: 'undecided', reason: 'notWritten' });
});

test('what stood in the way for a moment is tried again by a service, and only that', () => {
  const missing = { kind: 'missing', reason: 'requests' } as const;
  const [passing, lasting] = ['beingCanceled', 'exceedsRest'].map((why) => faultOfRefusal('it', why)) as [
    Fault,
    Fault,
  ];
  assert.equal(endOfStanding(missing, [passing, faultOfRefusal('it', null)]), null);
  for (const faults of [[lasting], [passing, lasting], []])
    assert.deepEqual(endOfStanding(missing, faults), { decision: 'undecided', reason: 'notWritten' });
  assert.equal(endOfStanding({ kind: 'unfinished' }, [lasting]), null);
  assert.deepEqual(endOfStanding({ kind: 'filled' }, []), { decision: 'filled', reason: null });
});

test('an approval that was not written is no fill: the services would take the charge back', () => {
  for (const state of ['charging', 'unresolved'] as const)
    assert.equal(standing(chargeOf(), { state }, true), 'undecided notWritten');
  assert.equal(standing(chargeOf(), { state: 'charging', origin: 'billing' }, true), 'filled');
  assert.equal(standing(chargeOf(), { state: 'approved' }, true), 'filled');
});

test('a stop that lies long before the newest charge of ours is contradicted by it', () => {
  const soonAfter = instant(STOPPED + SETTLED_AFTER_MILLISECONDS);
  assert.equal(isStopContradicted({ stoppedAt: STOPPED, lastSaleAt: soonAfter }), false);
  assert.equal(isStopContradicted({ stoppedAt: STOPPED, lastSaleAt: instant(soonAfter + 1) }), true);
  assert.equal(isStopContradicted({ stoppedAt: null, lastSaleAt: soonAfter }), false);
});

test('a charge that may be of a billing of the lost time waits for a person, whenever it came', () => {
  const charge = chargeOf({ initiator: 'merchant', merchantReference: BILLING });
  assert.equal(verdictOf(charge, UNKNOWN), 'decide billing');
  assert.equal(verdictOf({ ...charge, authorizedAt: AFTER }, UNKNOWN, AT_STOP), 'decide billing');
  assert.equal(verdictOf({ ...charge, merchantReference: 'PEDIDO' }, UNKNOWN), 'fill payment');
  assert.equal(verdictOf({ ...charge, initiator: 'cardholder' }, UNKNOWN), 'fill payment');
});

test('a charge of another amount than was asked for is put into no books', () => {
  const other = chargeOf({ authorizedAmount: cents(900) });
  assert.equal(verdictOf(other, UNKNOWN), 'decide amountDiffers');
  assert.equal(verdictOf(other, known()), 'decide amountDiffers');
  assert.equal(verdictOf(chargeOf(), known({ amount: cents(999) })), 'decide amountDiffers');
  assert.equal(verdictOf(chargeOf(), known({ installmentCount: 2 })), 'decide amountDiffers');
  // Captured in part: the held amount is what was asked for.
  const captured = chargeOf({ amount: cents(900), isCapturedLater: true, captures: [CAPTURED] });
  assert.equal(verdictOf(captured, known()), 'fill underWay');
});

test('what is live in the books, or was canceled at the acquirer, is voided by nobody', () => {
  for (const state of ['approved', 'preauthorized', 'capturing'] as const)
    assert.match(refusalToVoid(chargeOf(), known({ state })) ?? '', /in the books: cancel it there/);
  for (const state of ['charging', 'unresolved', 'declined'] as const)
    assert.equal(refusalToVoid(chargeOf(), known({ state })), null);
  for (const state of ['charging', 'unresolved'] as const)
    assert.match(
      refusalToVoid(chargeOf(), known({ state, origin: 'billing' })) ?? '',
      /in the books: the services find it out/,
    );
  assert.match(refusalToVoid(chargeOf({ cancellations: [CANCELED] }), UNKNOWN) ?? '', /has cancels/);
  const refused = chargeOf({ cancellations: [{ ...CANCELED, outcome: 'refused' }] });
  assert.equal(refusalToVoid(refused, UNKNOWN), null);
});
