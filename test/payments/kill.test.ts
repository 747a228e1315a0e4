import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stateOfBooked } from '../../chaos/judge/finding.ts';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { patiently, sliceOf } from '../kit/patience.ts';
import { SEED } from '../kit/seed.ts';
import {
  databaseSettings,
  demoIn,
  furnishedDatabase,
  openAuditor,
  openSimulator,
  type Service,
  startService,
  until,
} from '../kit/service.ts';

/**
 * The promise under kill -9: 200 means one live charge, an error answer means none, no answer means one or
 * none. The simulator and PostgreSQL live on, the service is killed at random moments under load and
 * started again.
 */
const KILLS = Number(process.env.KILLS ?? sliceOf(100, 2));
const CALLERS = 16;
/** Mostly approvals, some of every trouble. */
const AMOUNTS = [1000, 2000, 3000, 4321, 5000, 777, 1051, 1002, 1004, 99_999];

/** Counted in answers, so that a machine with much to do meets the same moments as one with nothing to do. */
const MOST_ANSWERS_BEFORE_A_KILL = 60;
const LONGEST_ROUND_MILLISECONDS = 15_000;

/** What a caller saw: a status, or null when the connection broke before an answer. */
type Seen = { readonly reference: string; readonly amount: number; readonly status: number | null };
type Booked = { reference: string; paymentId: string; amount: number; status: string };

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

test(`after ${KILLS} kills, every answer agrees with the acquirer's ledger`, async (context) => {
  context.diagnostic(`SEED=${SEED} KILLS=${KILLS}`);
  const chance = random(SEED);
  const folder = await mkdtemp(join(tmpdir(), 'parcela-kill-'));
  const database = await furnishedDatabase(folder, {});
  const simulator = await openSimulator(join(folder, 'ledger'), ['--late-milliseconds', '1200']);
  const settings = {
    ...databaseSettings(database),
    PARCELA_ACQUIRER_URL: simulator.url,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '500',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '3000',
    PARCELA_LOG_LEVEL: 'error',
  };
  const start = () => startService({ folder, settings });
  const auditor = openAuditor(database.address);
  const demo = await demoIn(folder);

  const seen: Seen[] = [];
  let service = await start();
  context.after(async () => {
    await service.stop();
    await simulator.stop();
    await auditor.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const ending = load(service, demo, seen, chance);
    await untilAnswered(seen, chance() * MOST_ANSWERS_BEFORE_A_KILL);
    // Somewhere between two answers, not just behind one.
    await new Promise((wake) => setTimeout(wake, chance() * 10));
    await service.kill();
    await ending;
    service = await start();
  }
  await until(
    'nothing unknown remains',
    async () => (await auditor.query('select 1 from transactions where decided_at is null', [])).length === 0,
    90_000,
  );

  const ledger = await readLedger(simulator.url);
  const rows = await auditor.query(
    `select transaction_id, state, amount, reference_transaction,
       (select coalesce(sum(amount), 0)::int8 from installments i where i.transaction_id = t.transaction_id) as parts,
       (select count(*)::int from movements m where m.transaction_id = t.transaction_id) as movements,
       installment_count
     from transactions t`,
    [],
  );
  const byReference = Map.groupBy(ledger, (charge) => charge.reference);
  const rowOf = new Map(rows.map((row) => [row.transaction_id as string, row]));
  const answers = { approved: 0, refused: 0, lost: 0, lostButCharged: 0 };
  for (const { reference, amount, status } of seen) {
    const live = (byReference.get(reference) ?? []).filter((charge) => charge.status === 'approved');
    if (status === 200) {
      assert.equal(live.length, 1, `${reference} was answered 200 and has ${live.length} live charges`);
      assert.equal(live[0]?.amount, amount);
      answers.approved += 1;
    } else if (status === null) {
      assert.ok(live.length <= 1, `${reference} had no answer and has ${live.length} live charges`);
      answers.lost += 1;
      answers.lostButCharged += live.length;
    } else {
      assert.equal(live.length, 0, `${reference} was answered ${status} and has a live charge`);
      answers.refused += 1;
    }
  }
  for (const charge of ledger) {
    const row = rowOf.get(charge.paymentId);
    assert.ok(row !== undefined, `the acquirer has ${charge.paymentId}, which we do not know`);
    assert.equal(
      row.state,
      stateOfBooked(charge.status),
      `${charge.paymentId} is ${row.state} here and ${charge.status} there`,
    );
  }
  for (const row of rows) {
    const isApproved = row.state === 'approved';
    assert.equal(Number(row.parts), isApproved ? Number(row.amount) : 0, 'installments sum to the amount');
    assert.equal(row.movements, isApproved ? row.installment_count : 0, 'one movement for each installment');
  }
  context.diagnostic(
    JSON.stringify({ payments: seen.length, charges: ledger.length, kills: KILLS, ...answers }),
  );
  assert.ok(answers.approved > 0 && answers.lost > 0, 'the run met both approvals and lost answers');
});

/** Until so many more answers came, or the service has had its time. */
async function untilAnswered(seen: readonly Seen[], count: number): Promise<void> {
  const wanted = seen.length + count;
  const endsAt = performance.now() + patiently(LONGEST_ROUND_MILLISECONDS);
  while (seen.length < wanted && performance.now() < endsAt) await new Promise((wake) => setTimeout(wake, 1));
}

/** Callers pay one after another until the service is gone. */
async function load(service: Service, demo: Demo, seen: Seen[], chance: () => number): Promise<void> {
  let token: string;
  try {
    token = await logIn(service.gatewayUrl, demo.gateway);
  } catch {
    return;
  }
  await Promise.all(
    Array.from({ length: CALLERS }, () => payUntilGone(service.gatewayUrl, token, seen, chance)),
  );
}

async function payUntilGone(url: string, token: string, seen: Seen[], chance: () => number): Promise<void> {
  while (true) {
    let numberToken: string;
    try {
      numberToken = await tokenize(url, token);
    } catch {
      return;
    }
    const amount = AMOUNTS[Math.floor(chance() * AMOUNTS.length)] as number;
    const request = paymentRequest(numberToken, amount);
    const status = await statusOrNull(url, token, request);
    seen.push({ reference: request.referenceTransaction, amount, status });
    if (status === null) return;
  }
}

async function statusOrNull(url: string, token: string, body: object): Promise<number | null> {
  try {
    const response = await fetch(`${url}/v1/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

async function readLedger(url: string): Promise<Booked[]> {
  const charges: Booked[] = [];
  for (let after = 0; ; ) {
    const page = (await (await fetch(`${url}/ledger/all?after=${after}&limit=1000`)).json()) as {
      items: Booked[];
      next: number;
    };
    if (page.items.length === 0) return charges;
    charges.push(...page.items);
    after = page.next;
  }
}
