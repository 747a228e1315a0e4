import { logIn } from '../../test/kit/merchant.ts';
import type { Auditor } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { ROUNDS } from '../options.ts';
import { createLogin } from '../recurrence/load-enrolments.ts';
import { openAsker, type SearchKind, type SearchTimes } from '../recurrence/searches.ts';
import { type Cell, median, printMachine, printTable } from '../table.ts';

const REQUESTS = 300;
const CONNECTIONS = [1, 8];
/** The just-in-time compiler and the database's memory are warm in a service that runs for days. */
const WARM_UP_REQUESTS = 50;

/** A merchant and what is asked of its lists. */
export type SearchOwner = {
  /** With how much it has. */
  readonly title: string;
  readonly merchantId: string;
  readonly scope: 'gateway' | 'recurrence';
  readonly kinds: readonly SearchKind[];
};

export type MeasuredSearch = {
  readonly owner: SearchOwner;
  readonly kind: SearchKind;
  readonly connections: number;
  readonly rounds: SearchTimes[];
};

/** One merchant after the other; every total is compared with SQL's first. */
export async function measureSearches(
  bench: BenchService,
  auditor: Auditor,
  owners: readonly SearchOwner[],
): Promise<readonly MeasuredSearch[]> {
  const all: MeasuredSearch[] = [];
  for (const owner of owners) {
    const measured = CONNECTIONS.flatMap((connections) =>
      owner.kinds.map((kind): MeasuredSearch => ({ owner, kind, connections, rounds: [] })),
    );
    await measureOwner(bench, auditor, owner, measured);
    all.push(...measured);
  }
  return all;
}

async function measureOwner(
  bench: BenchService,
  auditor: Auditor,
  { title, merchantId, scope, kinds }: SearchOwner,
  measured: readonly MeasuredSearch[],
): Promise<void> {
  const { gatewayUrl } = await bench.serviceFor(PAYMENT_KINDS.token);
  const login = await createLogin(bench.tools, { merchantId }, scope);
  for (let round = 1; round <= ROUNDS; round += 1) {
    // A token lives for an hour, which all rounds together may outlast.
    const asker = openAsker(gatewayUrl, await logIn(gatewayUrl, login), Math.max(...CONNECTIONS));
    try {
      if (round === 1) for (const kind of kinds) await asker.check(auditor, kind);
      for (const { kind, connections, rounds } of measured) {
        if (round === 1) await asker.time(kind, connections, WARM_UP_REQUESTS);
        rounds.push(await asker.time(kind, connections, REQUESTS));
        console.error(`round ${round}, ${title}, ${connections} connections, ${kind.title}:`, rounds.at(-1));
      }
    } finally {
      await asker.close();
    }
  }
}

export function printSearches(
  bench: BenchService,
  loadSeconds: number,
  measured: readonly MeasuredSearch[],
): void {
  printMachine(
    bench.postgresVersion,
    `medians of ${ROUNDS} rounds of ${REQUESTS} requests; loaded in ${loadSeconds.toFixed(0)} s`,
  );
  const rows = measured.map(({ owner, kind, connections, rounds }): Cell[] => [
    owner.title,
    kind.title,
    connections,
    median(rounds.map(({ p50 }) => p50)).toFixed(1),
    median(rounds.map(({ p99 }) => p99)).toFixed(1),
    kind.aim ?? '',
  ]);
  printTable(['merchant', 'list', 'connections', 'p50 ms', 'p99 ms', 'p99 aimed at, ms'], rows);
}
