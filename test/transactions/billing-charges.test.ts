import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import type { BridgeQuestion, Spoiling } from '../kit/spoiling-acquirer.ts';
import { untilState } from '../payments/resolving-service.ts';
import { type BillingChargesService, openBillingChargesService } from './billing-charges-service.ts';

let service: BillingChargesService;

before(async () => {
  service = await openBillingChargesService();
});
afterEach(() => {
  service.bridge.spoil(null);
  service.bridge.release();
});
after(() => service.close());

const REASON = 'Maria, acquirer desk, case 4711';

/** Spoils every question of a kind; all else passes. */
function spoilAll(rules: Partial<Record<BridgeQuestion['kind'], Spoiling>>): void {
  service.bridge.spoil(({ kind }) => rules[kind] ?? null);
}

function voidsOf(billingId: string): number {
  return service.bridge.asked.filter(({ kind, order }) => kind === 'undo' && order === billingId).length;
}

/** As the acquirer's own books have it; null: nothing. */
async function bookedStatus(transactionId: string): Promise<string | null> {
  const query = `merchantId=${encodeURIComponent(service.merchantId)}`;
  const response = await fetch(`${service.simulatorUrl}/charges/${transactionId}?${query}`);
  return response.status === 404 ? null : ((await response.json()) as { status: string }).status;
}

/** An authorization that was long on its way reaches the acquirer. */
async function arriveLate(transactionId: string, billingId: string, amount: number): Promise<number> {
  const card = {
    number: '5155901222280001',
    brand: 'mastercard',
    holderName: 'ANA SOUZA',
    securityCode: null,
  };
  const response = await fetch(`${service.simulatorUrl}/authorizations`, {
    method: 'POST',
    body: JSON.stringify({
      merchantId: service.merchantId,
      reference: transactionId,
      merchantReference: billingId,
      amount,
      installments: 1,
      soldAt: new Date().toISOString(),
      initiator: 'merchant',
      networkTransactionId: null,
      tid: null,
      storedCard: 'first',
      card: { ...card, expirationMonth: '12', expirationYear: '39' },
    }),
  });
  return response.status;
}

async function untilTried(billingId: string, tries: number): Promise<Record<string, unknown>> {
  return until(
    `${billingId} was tried ${tries} times`,
    async () => {
      const row = await service.transaction(billingId);
      return (row.resolve_tries as number) >= tries && row;
    },
    60_000,
  );
}

test('a billing’s charge that is answered is on record with its movement, and marks its card’s first use', async () => {
  const vaultId = await service.storeCard();
  const { transactionId, billingId, result } = await service.charge(4_990, { vaultId });
  assert.equal(result.kind, 'approved');
  const reply = await call(service.gatewayUrl, `/v1/payments?referenceTransaction=${billingId}`, {
    token: service.token,
  });
  const [found] = reply.body.items;
  assert.deepEqual(
    [reply.body.total, found.paymentId, found.statusDescription, found.antifraud, found.antifraudReasons],
    [1, transactionId, 'Autorizada', null, []],
  );
  assert.deepEqual(await service.movements(transactionId), [[1, 'Autorizacao', null, 'authorized']]);
  const [card] = await service.auditor.query('select * from vault_cards where vault_id = $1', [vaultId]);
  const row = await service.transaction(billingId);
  assert.ok(card?.first_used_at instanceof Date);
  assert.equal(card?.network_transaction_id, row.network_transaction_id);
  assert.deepEqual([row.origin, row.initiator, row.anti_fraud_code], ['billing', 'merchant', null]);
});

test('a billing’s charge that was approved and not answered is kept, and nobody voids it', async () => {
  const vaultId = await service.storeCard();
  spoilAll({ authorization: 'garbage' });
  const { transactionId, billingId, result } = await service.charge(4_990, { vaultId });
  assert.equal(result.kind, 'unknown');
  const row = await untilState(service, billingId, 'approved');
  assert.equal(voidsOf(billingId), 0);
  assert.equal(await bookedStatus(transactionId), 'approved');
  assert.deepEqual([row.due_at, row.void_sent_at, typeof row.nsu], [null, null, 'string']);
  assert.ok(row.decided_at instanceof Date && row.approved_at instanceof Date);
  assert.deepEqual(await service.movements(transactionId), [[1, 'Autorizacao', null, 'authorized']]);
  assert.equal((await service.read(transactionId)).statusDescription, 'Autorizada');
  const [card] = await service.auditor.query('select * from vault_cards where vault_id = $1', [vaultId]);
  assert.ok(card?.first_used_at instanceof Date);
  assert.equal(card?.network_transaction_id, row.network_transaction_id);
  assert.deepEqual(
    [card?.transaction_link_id, /^[\w-]{22}$/.test(String(row.transaction_link_id))],
    [row.transaction_link_id, true],
  );
  const canceled = await service.cancel(transactionId);
  assert.equal(canceled.status, 200, canceled.text);
  assert.equal((await service.read(transactionId)).statusDescription, 'Cancelada');
});

test('a kept charge gives its card the link that it lacks, and a Visa card none', async () => {
  const [used, visa] = [await service.storeCard(), await service.storeCard()];
  await service.auditor.query(
    `update vault_cards set first_used_at = now(), network_transaction_id = 'N1' where vault_id = $1`,
    [used],
  );
  const chargeOf = async (vaultId: string, brand: 'mastercard' | 'visa') => {
    spoilAll({ authorization: 'garbage' });
    const stored = { vaultId, isFirst: false, networkReference: { transactionId: 'N1', linkId: null } };
    const trace = { brand, firstSix: '515590', lastFour: '0001', fingerprint: Buffer.alloc(32, brand) };
    const { billingId } = await service.charge(4_990, { vaultId, stored, trace });
    const row = await untilState(service, billingId, 'approved');
    const [card] = await service.auditor.query('select * from vault_cards where vault_id = $1', [vaultId]);
    return [row.transaction_link_id, card?.network_transaction_id, card?.transaction_link_id];
  };
  const [link, ...kept] = await chargeOf(used, 'mastercard');
  assert.match(String(link), /^[\w-]{22}$/);
  assert.deepEqual(kept, ['N1', link]);
  assert.deepEqual(
    (await chargeOf(visa, 'visa')).filter((_, index) => index !== 1),
    [null, null],
  );
});

test('a payment that was approved and not answered is voided, as ever', async () => {
  spoilAll({ authorization: 'garbage' });
  const { transactionId, billingId } = await service.charge(4_990, { origin: 'payment' });
  await untilState(service, billingId, 'voided');
  assert.equal(await bookedStatus(transactionId), 'undone');
});

test('a billing’s charge that was declined and not answered is declined with its code', async () => {
  spoilAll({ authorization: 'garbage' });
  const { billingId } = await service.charge(1_051);
  const row = await untilState(service, billingId, 'declined');
  assert.deepEqual([row.response_code, voidsOf(billingId)], ['51', 0]);
});

test('a billing’s charge of which the acquirer knows nothing is voided, so that it fails when it arrives late', async () => {
  spoilAll({ authorization: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  const row = await untilState(service, billingId, 'voided');
  assert.ok(row.void_sent_at instanceof Date);
  assert.ok(voidsOf(billingId) >= 1);
  assert.equal(await arriveLate(transactionId, billingId, 4_990), 409);
  assert.deepEqual(await service.movements(transactionId), []);
});

test('while the acquirer does not say what became of a billing’s charge it is neither kept nor voided', async () => {
  spoilAll({ authorization: 'garbage', find: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  const row = await untilTried(billingId, 3);
  assert.deepEqual([row.state, row.void_sent_at, voidsOf(billingId)], ['unresolved', null, 0]);
  assert.equal(await bookedStatus(transactionId), 'approved');
  service.bridge.spoil(null);
  await untilState(service, billingId, 'approved');
  assert.equal(voidsOf(billingId), 0);
});

test('once a void may have been sent the charge is not kept, also when the acquirer says that it approved it', async () => {
  spoilAll({ authorization: 'unavailable', undo: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  await until('a void was sent', async () => voidsOf(billingId) > 0);
  assert.equal(await arriveLate(transactionId, billingId, 4_990), 200);
  const { resolve_tries: tries } = await service.transaction(billingId);
  await untilTried(billingId, (tries as number) + 2);
  assert.deepEqual(
    [(await service.transaction(billingId)).state, await bookedStatus(transactionId)],
    ['unresolved', 'approved'],
  );
  service.bridge.spoil(null);
  await untilState(service, billingId, 'voided');
  assert.equal(await bookedStatus(transactionId), 'undone');
});

test('who has lost a billing’s charge to another process sends no void of it any more', async () => {
  spoilAll({ authorization: 'unavailable', find: 'hold' });
  const { billingId } = await service.charge(4_990);
  await until('it is being looked for', async () => service.bridge.held() === 1);
  await service.auditor.query('update transactions set fence = fence + 1 where reference_transaction = $1', [
    billingId,
  ]);
  const takenOver = 'parcela_resolutions_total{kind="charge",outcome="takenOver"}';
  const before = await service.metric(takenOver);
  service.bridge.spoil(null);
  service.bridge.release();
  await until('the answer came too late', async () => (await service.metric(takenOver)) === before + 1);
  const row = await service.transaction(billingId);
  assert.deepEqual([row.state, row.void_sent_at, voidsOf(billingId)], ['unresolved', null, 0]);
  await untilState(service, billingId, 'voided');
});

test('an approval of another amount is not kept: it stays unknown, is listed as a billing’s, and a person ends it', async () => {
  spoilAll({ authorization: 'unavailable', find: 'hold' });
  const { transactionId, billingId } = await service.charge(4_990);
  await until('it is being looked for', async () => service.bridge.held() === 1);
  assert.equal(await arriveLate(transactionId, billingId, 5_000), 200);
  service.bridge.spoil(null);
  service.bridge.release();
  const row = await untilTried(billingId, 2);
  assert.deepEqual([row.state, voidsOf(billingId)], ['unresolved', 0]);
  await until('the reason is told', async () => {
    const { unknown_reason } = await service.transaction(billingId);
    return unknown_reason === 'the acquirer does not say that it approved this amount';
  });
  const listed = JSON.parse((await service.parcela('resolve', 'list', '--json')).printed).items;
  assert.deepEqual(
    listed.map((one: { id: string; origin: string }) => [one.id, one.origin]),
    [[transactionId, 'billing']],
  );
  const shown = await service.parcela('resolve', 'show', transactionId);
  assert.match(shown.printed, /made for +billing/);
  assert.match(shown.printed, /After voided its billing is charged again/);
  const decided = await service.parcela(
    'resolve',
    'decide',
    transactionId,
    '--as',
    'voided',
    '--reason',
    REASON,
  );
  assert.equal(decided.exitCode, 0, decided.errors);
  assert.equal((await service.transaction(billingId)).state, 'voided');
});

test('a person may end the unknown charge of a billing as declined', async () => {
  spoilAll({ authorization: 'garbage', find: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  await untilTried(billingId, 1);
  const decided = await service.parcela(
    'resolve',
    'decide',
    transactionId,
    '--as',
    'declined',
    '--reason',
    REASON,
  );
  assert.equal(decided.exitCode, 0, decided.errors);
  const row = await service.transaction(billingId);
  assert.deepEqual([row.state, row.response_code, row.due_at], ['declined', 'NONE', null]);
  service.bridge.spoil(null);
  await untilVoidedAfterDecision(transactionId);
});

/** The watch looks at it every half hour. */
async function untilVoidedAfterDecision(transactionId: string): Promise<void> {
  await until('what is live after a decision is voided', async () => {
    await service.auditor.query('update watched_charges set due_at = now() where transaction_id = $1', [
      transactionId,
    ]);
    return (await bookedStatus(transactionId)) === 'undone';
  });
}

const decideVoided = (transactionId: string) =>
  service.parcela('resolve', 'decide', transactionId, '--as', 'voided', '--reason', REASON);

test('nobody decides as voided what the acquirer shows as live: a process that learns it at this moment keeps it', async () => {
  let isHeld = false;
  service.bridge.spoil(({ kind }) => {
    if (kind === 'authorization') return 'garbage';
    if (kind !== 'find' || isHeld) return null;
    isHeld = true;
    return 'holdAnswer';
  });
  const { transactionId, billingId } = await service.charge(4_990);
  await until('a process is being told that it is live', async () => service.bridge.held() === 1);
  const { exitCode, errors } = await decideVoided(transactionId);
  assert.equal(exitCode, 1);
  // On a slow machine it is kept before.
  assert.match(errors, /The acquirer says that it is live|It is approved/);
  service.bridge.release();
  await untilState(service, billingId, 'approved');
  assert.deepEqual([await bookedStatus(transactionId), voidsOf(billingId)], ['approved', 0]);
});

test('a charge that was decided as voided, and that the acquirer books after all, is voided there', async () => {
  spoilAll({ authorization: 'unavailable', find: 'unavailable', undo: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  await untilTried(billingId, 1);
  const decided = await decideVoided(transactionId);
  assert.equal(decided.exitCode, 0, decided.errors);
  assert.equal(await arriveLate(transactionId, billingId, 4_990), 200);
  service.bridge.spoil(null);
  await untilVoidedAfterDecision(transactionId);
  assert.equal((await service.transaction(billingId)).state, 'voided');
});

test('a charge that was decided as voided while the acquirer knew nothing of it fails when it arrives late', async () => {
  spoilAll({ authorization: 'unavailable', find: 'unavailable' });
  const { transactionId, billingId } = await service.charge(4_990);
  await untilTried(billingId, 1);
  const decided = await decideVoided(transactionId);
  assert.equal(decided.exitCode, 0, decided.errors);
  service.bridge.spoil(null);
  await untilVoidedAfterDecision(transactionId);
  assert.equal(await arriveLate(transactionId, billingId, 4_990), 409);
});
