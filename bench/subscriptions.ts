import { fileURLToPath } from 'node:url';
import { logIn } from '../test/kit/merchant.ts';
import type { Service } from '../test/kit/service.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import type { Limit } from './load/limit.ts';
import { PAYMENT_KINDS } from './load/payment-kinds.ts';
import { type Run, requireTools, startScript, wholeRun } from './load/wrk-load.ts';
import { CONNECTIONS, ROUNDS, SECONDS } from './options.ts';
import { measureEnrolmentLimit } from './recurrence/enrolment-limit.ts';
import { createLogin, type LoadedShop, loadEnrolments } from './recurrence/load-enrolments.ts';
import { CARD_ID_START, type LoadedPlan } from './recurrence/shop.ts';
import { type Cell, median, printMachine, printTable, runsText } from './table.ts';

const SCRIPT = fileURLToPath(new URL('recurrence/enrolments.lua', import.meta.url));
const LIMIT_CLIENTS = 32;
const WARM_UP_SECONDS = 3;
const WARM_UP_CONNECTIONS = 32;
/** A shop that has been at it for a while, with ten thousand cards. */
const LOADED = { subscriptions: 30_000, billings: 150_000, merchants: 1, hasGiant: false, seed: 1 };

type Shop = { readonly shop: LoadedShop; readonly plans: readonly LoadedPlan[]; readonly service: Service };

/**
 * Enrolments per second through HTTP, with one durable commit each, beside the limit: pgbench
 * writing the same rows in the same commit.
 */
export async function benchSubscriptions(): Promise<void> {
  requireTools();
  const bench = await openBenchService();
  try {
    const opened = await openShop(bench);
    const login = await createLogin(bench.tools, opened.shop);
    const limits: Limit[] = [];
    const runs = new Map(CONNECTIONS.map((connections): [number, Run[]] => [connections, []]));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const token = await logIn(opened.service.gatewayUrl, login);
      if (round === 1) await enrol(opened, token, WARM_UP_CONNECTIONS, WARM_UP_SECONDS);
      limits.push(
        await measureEnrolmentLimit(
          bench.server.connection,
          opened.shop,
          opened.plans,
          LIMIT_CLIENTS,
          SECONDS,
        ),
      );
      for (const [connections, sofar] of runs) {
        sofar.push(await enrol(opened, token, connections, SECONDS));
        console.error(`round ${round}, ${connections} connections:`, sofar.at(-1), 'limit:', limits.at(-1));
      }
    }
    printMachine(bench.postgresVersion, runsText());
    report(limits, runs);
  } finally {
    await bench.close();
  }
}

async function openShop(bench: BenchService): Promise<Shop> {
  const tools = { ...bench.tools, address: bench.server.connection };
  const { ordinary } = await loadEnrolments(tools, { ...LOADED, now: Date.now() });
  const [shop] = ordinary;
  if (shop === undefined) throw new Error('one merchant is loaded');
  // With a trial, so that no charge comes between the enrolments.
  const plans = shop.plans.filter(({ state, trialDays }) => state === 'active' && trialDays > 0);
  return { shop, plans, service: await bench.serviceFor(PAYMENT_KINDS.token) };
}

function enrol({ shop, plans, service }: Shop, token: string, connections: number, seconds: number) {
  const ids = plans.map(({ planId }) => planId).join(',');
  const words = [token, ids, CARD_ID_START, String(shop.firstCard), String(shop.cards)];
  const url = `${service.gatewayUrl}/v1/recurrences/subscriptions`;
  return wholeRun(startScript({ script: SCRIPT, url, words }, connections, seconds));
}

function report(limits: readonly Limit[], runs: ReadonlyMap<number, readonly Run[]>): void {
  const limit = median(limits.map(({ perSecond }) => perSecond));
  const rows = [...runs].map(([connections, measured]): Cell[] => {
    const perSecond = median(measured.map((run) => run.perSecond));
    return [
      connections,
      perSecond.toFixed(0),
      limit.toFixed(0),
      (perSecond / limit).toFixed(2),
      median(measured.map(({ p50 }) => p50)).toFixed(2),
      median(measured.map(({ p99 }) => p99)).toFixed(1),
      measured.reduce((sum, { failed }) => sum + failed, 0),
    ];
  });
  printTable(
    ['connections', 'subscriptions/s', 'limit/s', 'of the limit', 'p50 ms', 'p99 ms', 'failed'],
    rows,
  );
}
