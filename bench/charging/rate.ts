import { type Auditor, openAuditor, type Service } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import type { Limit } from '../load/limit.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { familyTime } from '../measures/processes.ts';
import { printParts, profileGateway } from '../measures/profile-gateway.ts';
import { countWanted, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, printMachine, printTable, runsText } from '../table.ts';
import { type ChargingLimit, MOST_LIMIT_CLIENTS, openChargingLimit } from './charging-limit.ts';
import { type DueLoader, openDueLoader } from './load-due.ts';
import { CHARGE_SPENDING_HEAD, type ChargeSpending, chargeSpendingCells, startSpending } from './spending.ts';
import { countApproved, readCharged, untilCharged } from './watch-charges.ts';

const BACKLOG = 20_000;
const MERCHANTS = 20;
/** The just-in-time compiler is done with the hot path by then, as it is in a service that runs for days. */
const WARM_UP = 10_000;
const LIMIT_CLIENTS = [8, 16, 32, MOST_LIMIT_CLIENTS];
const AIM = 0.8;

type Round = {
  readonly perSecond: number;
  readonly spending: ChargeSpending;
  readonly limit: Limit;
  /** Microseconds of PostgreSQL for each charge of the limit. */
  readonly postgresOfLimit: number;
};

type ChargingService = {
  readonly bench: BenchService;
  readonly service: Service;
  readonly auditor: Auditor;
  readonly loader: DueLoader;
};

/**
 * How fast one process charges what is due, beside pgbench making the same commits, in turns. What is due
 * comes in one commit, so the time is from the first intent to the last outcome, by the database's clock.
 */
export async function benchRate(bench: BenchService): Promise<void> {
  const backlog = countWanted('backlog', BACKLOG);
  const service = await bench.serviceFor(PAYMENT_KINDS.stored);
  const auditor = openAuditor(bench.server.connection);
  const tools = { ...bench.tools, address: bench.server.connection };
  const loader = await openDueLoader(tools, 'assinaturas', MERCHANTS);
  const limitLoader = await openDueLoader(tools, 'limite', 1);
  try {
    const limit = await openChargingLimit(bench.server.connection, limitLoader, Date.now());
    const clients = await bestClients(limit);
    const charging: ChargingService = { bench, service, auditor, loader };
    await chargeBacklog(charging, WARM_UP);
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const measured = await measureLimit(bench, limit, clients);
      rounds.push({ ...(await chargeBacklog(charging, backlog)), ...measured });
      console.error(`round ${round}, rate:`, rounds.at(-1));
    }
    printMachine(bench.postgresVersion, runsText());
    report(rounds, backlog, clients);
    const profiled = await profileGateway(service, 'charging', async () => {
      await chargeBacklog(charging, backlog);
      return backlog;
    });
    console.log("\nMicroseconds of the service's main thread for each charge, while it is profiled:");
    printParts(new Map([['a charge', profiled]]));
  } finally {
    await limitLoader.close();
    await loader.close();
    await auditor.close();
  }
}

/** With as many clients as it is fastest with. */
async function bestClients(limit: ChargingLimit): Promise<number> {
  const tried: (Limit & { clients: number })[] = [];
  for (const clients of LIMIT_CLIENTS) tried.push({ clients, ...(await limit.measure(clients, SECONDS)) });
  console.error('limit:', tried);
  return tried.toSorted((one, other) => other.perSecond - one.perSecond)[0]?.clients ?? 0;
}

async function measureLimit(
  { server }: BenchService,
  limit: ChargingLimit,
  clients: number,
): Promise<Pick<Round, 'limit' | 'postgresOfLimit'>> {
  const before = familyTime(server.processId);
  const measured = await limit.measure(clients, SECONDS);
  const spent = familyTime(server.processId) - before;
  return { limit: measured, postgresOfLimit: (spent * 1e6) / (measured.perSecond * SECONDS) };
}

async function chargeBacklog(
  { bench, service, auditor, loader }: ChargingService,
  count: number,
): Promise<Pick<Round, 'perSecond' | 'spending'>> {
  const before = await countApproved(service);
  const since = Date.now();
  await loader.load({ now: since, due: count, ahead: 0, paidBefore: 1 });
  const spentFor = startSpending(bench, service);
  await untilCharged(service, auditor, before + count);
  const spending = spentFor(count);
  const charged = await readCharged(auditor, loader.merchantIds, since);
  if (charged.count !== count) throw new Error(`${charged.count} of ${count} were charged`);
  return { perSecond: charged.count / charged.seconds, spending };
}

function report(rounds: readonly Round[], backlog: number, clients: number): void {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const limit = median(rounds.map((round) => round.limit.perSecond));
  printTable(
    ['due', 'merchants', 'charges/s', 'limit/s', 'its clients', 'of the limit', 'aim'],
    [
      [
        backlog,
        MERCHANTS,
        perSecond.toFixed(0),
        limit.toFixed(0),
        clients,
        (perSecond / limit).toFixed(2),
        AIM,
      ],
    ],
  );
  const middle = rounds.toSorted((one, other) => one.perSecond - other.perSecond)[
    Math.floor(rounds.length / 2)
  ] as Round;
  console.log('\nMicroseconds of processor time for each charge, by process:');
  const cells: Cell[] = chargeSpendingCells(middle.spending);
  const ofLimit = median(rounds.map((round) => round.postgresOfLimit));
  printTable(
    ['', ...CHARGE_SPENDING_HEAD],
    [
      ['a charge', ...cells],
      ['the limit', '', '', Math.round(ofLimit), '', ''],
    ],
  );
}
