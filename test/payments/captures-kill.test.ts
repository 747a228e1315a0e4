import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { chanceFrom } from '../../chaos/chance.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { SEED } from '../kit/seed.ts';
import { type Service, until } from '../kit/service.ts';
import type { BridgeQuestion, Spoiling } from '../kit/spoiling-acquirer.ts';
import { askToPreauthorize, captureOf, ledgerOf, movementsOf, preauthorize } from './preauthorized.ts';
import { openResolvingService, type ResolvingService } from './resolving-service.ts';

/** Nothing answers late here: what is held is held until the process is dead. */
const TIMEOUT = 20_000;
/** Under load: of the proof. Beside it each kill has its moment. */
const KILLS = sliceOf(50, 0);
const CALLERS = 6;

let setup: ResolvingService;
/** The one that is killed; the other lives on and reads. */
let running: Service;
/** Payments that were under way at the acquirer when it was killed, each at a moment of its own. */
let caught: Record<'arriving' | 'captured' | 'undone' | 'authorized', string>;
let shownAtDeath: string;

before(async () => {
  setup = await openResolvingService(TIMEOUT);
  running = await setup.ownProcess();
  const { paymentId: arriving } = await preauthorize(setup, 9_000, { installments: 3 });
  const { paymentId: captured } = await preauthorize(setup, 9_000);
  const { paymentId: undone } = await preauthorize(setup, 9_000);
  const { gatewayUrl } = running;
  const cancel = `/v1/payments/${undone}/cancel`;
  const callers = [
    await underWay('capture', 'hold', () => captureOf(beside(), arriving, 6_000)),
    await underWay('capture', 'holdAnswer', () => captureOf(beside(), captured, 6_000)),
    await underWay('undo', 'hold', () => call(gatewayUrl, cancel, { token: setup.token, body: {} })),
    await underWay('authorization', 'holdAnswer', () => askToPreauthorize(beside(), 9_000)),
  ];
  const order = setup.bridge.asked.findLast(({ kind }) => kind === 'authorization')?.order ?? '';
  const { transaction_id: authorized } = await setup.transaction(order);
  caught = { arriving, captured, undone, authorized: authorized as string };
  assert.equal(setup.bridge.held(), callers.length, 'all are at the acquirer');
  assert.ok(!callers.some(({ hasEnded }) => hasEnded()), 'and no caller has an answer');
  await running.kill();
  const answers = await Promise.all(callers.map(({ ending }) => ending));
  assert.deepEqual(answers, [null, null, null, null]);
  // What was held goes on its way, behind the death of its process.
  setup.bridge.spoil(null);
  setup.bridge.release();
  shownAtDeath = (await setup.read(captured)).statusDescription;
  await endLeases();
});
after(() => setup?.close());

/** Sends what is held, or lost with the process that asked. */
async function underWay(
  kind: BridgeQuestion['kind'],
  how: Extract<Spoiling, 'hold' | 'holdAnswer'>,
  ask: () => Promise<unknown>,
): Promise<{ readonly ending: Promise<unknown>; hasEnded(): boolean }> {
  const { bridge } = setup;
  const held = bridge.held();
  bridge.spoil((question) => (question.kind === kind ? how : null));
  let hasEnded = false;
  const ending = ask()
    .catch(() => null)
    .finally(() => {
      hasEnded = true;
    });
  await until('it is under way at the acquirer', async () => bridge.held() > held);
  return { ending, hasEnded: () => hasEnded };
}

function untilShown(paymentId: string, status: string): Promise<unknown> {
  const isShown = async () => (await setup.read(paymentId)).statusDescription === status;
  return until(`the payment is ${status}`, isShown, 90_000);
}

/** As if the lease of what the killed process had begun were over. */
async function endLeases(): Promise<void> {
  await setup.auditor.query('update captures set due_at = now() where due_at is not null');
  await setup.auditor.query('update transactions set due_at = now() where due_at is not null');
}

const beside = () => ({ ...setup, gatewayUrl: running.gatewayUrl });

test('killed before its capture has arrived, the capture is finished, once', async () => {
  await untilShown(caught.arriving, 'Autorizada');
  assert.deepEqual(await ledgerOf(setup, caught.arriving), { amount: 6_000, status: 'approved' });
  assert.equal((await movementsOf(setup, caught.arriving)).length, 3);
});

test('killed when the acquirer has captured and not answered, the capture is found', async () => {
  assert.equal(shownAtDeath, 'Pré-autorizada');
  await untilShown(caught.captured, 'Autorizada');
  assert.deepEqual(await ledgerOf(setup, caught.captured), { amount: 6_000, status: 'approved' });
  assert.equal((await movementsOf(setup, caught.captured)).length, 1);
});

test('killed while what was canceled is being voided, it is voided', async () => {
  await untilShown(caught.undone, 'Desfeita');
  assert.deepEqual(await ledgerOf(setup, caught.undone), { amount: 9_000, status: 'undone' });
});

test('killed while it is being authorized, it is voided: its caller got no answer', async () => {
  await untilShown(caught.authorized, 'Desfeita');
  assert.deepEqual(await ledgerOf(setup, caught.authorized), { amount: 9_000, status: 'undone' });
});

type Seen = { paymentId: string; captured: Reply | null; canceled: Reply | null };

async function killUnderLoad(context: TestContext): Promise<void> {
  const seen: Seen[] = [];
  const chance = chanceFrom(SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    running = await setup.ownProcess();
    const held = await Promise.all(
      Array.from({ length: CALLERS }, () => preauthorize(setup, 9_000, { installments: 2 })),
    );
    const lost = () => null;
    const callers = held.map(async ({ paymentId }, index) => {
      const cancel = () =>
        call(running.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token: setup.token, body: {} });
      const [captured, canceled] = await Promise.all([
        captureOf(beside(), paymentId, 5_000 + index).catch(lost),
        index % 2 === 0 ? null : cancel().catch(lost),
      ]);
      seen.push({ paymentId, captured, canceled });
    });
    // Somewhere in the middle of them.
    await new Promise((wake) => setTimeout(wake, chance.next() * 40));
    await running.kill();
    await Promise.all(callers);
  }
  await endLeases();
  await until(
    'nothing is unknown',
    async () => {
      await endLeases();
      const rows = await setup.auditor.query(
        `select 1 from transactions where state in ('charging', 'unresolved', 'capturing')`,
      );
      return rows.length === 0;
    },
    120_000,
  );
  const ends = new Map<string, number>();
  for (const { paymentId, captured, canceled } of seen) {
    const payment = await setup.read(paymentId);
    const ledger = await ledgerOf(setup, paymentId);
    const status = payment.statusDescription as string;
    ends.set(status, (ends.get(status) ?? 0) + 1);
    const there = {
      preauthorized: 'Pré-autorizada',
      approved: 'Autorizada',
      canceled: 'Cancelada',
      undone: 'Desfeita',
    };
    assert.equal(status, there[ledger.status as keyof typeof there], paymentId);
    assert.equal(payment.value, ledger.amount, paymentId);
    const first = (await movementsOf(setup, paymentId)).filter(([, type]) => type === 'Autorizacao');
    assert.equal(first.length, ['Autorizada', 'Cancelada'].includes(status) ? 2 : 0, paymentId);
    if (captured?.status === 200) assert.equal(ledger.amount, captured.body.captureAuthorization.amount);
    if (captured?.status === 409) assert.notEqual(status, 'Autorizada', paymentId);
    if (canceled?.status === 200) assert.ok(['Desfeita', 'Cancelada'].includes(status), paymentId);
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(ends)));
}

if (KILLS > 0)
  test(`after ${KILLS} kills, what the acquirer captured is what merchants were answered`, killUnderLoad);
