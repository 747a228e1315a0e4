import { type Auditor, openAuditor } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { kindsNamed, type PaymentKind } from '../load/payment-kinds.ts';
import { runSteadily, type SteadyRun } from '../load/steady-load.ts';
import { requireTools, runWrk } from '../load/wrk-load.ts';
import { KINDS, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, printMachine, printTable, runsText } from '../table.ts';
import { type DueLoader, openDueLoader } from './load-due.ts';
import { countDue, untilNothingIsDue } from './watch-charges.ts';

const MERCHANTS = 20;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 3;
/** `runSteadily` warms up for so long, and a billing run is found within a second. */
const BEFORE_AND_AFTER_SECONDS = 6;
/** More than one process can charge. */
const CHARGES_PER_SECOND = 2_500;
const AIM = 2;

type Round = {
  readonly alone: SteadyRun;
  readonly beside: SteadyRun;
  /** Charges per second while the payments were made. */
  readonly chargesPerSecond: number;
};

/**
 * Payments sent at a constant rate while a billing run is on, and without one, in turns. The rate
 * is half of what the service pays at 32 connections
 * by itself, as in `npm run bench -- payments`.
 */
export async function benchBesideCharging(bench: BenchService): Promise<void> {
  requireTools();
  const [kind] = kindsNamed(KINDS.length > 0 ? KINDS : ['merchant']);
  if (kind === undefined || kind.cardSource !== 'vaultId')
    throw new Error('KINDS: one that pays by stored card');
  const auditor = openAuditor(bench.server.connection);
  const tools = { ...bench.tools, address: bench.server.connection };
  const loader = await openDueLoader(tools, 'ao-lado', MERCHANTS);
  try {
    const whole = await wholeRate(bench, kind);
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const pay = () => payHalf(bench, kind, whole);
      // Each is first as often as the other.
      const first = round % 2 === 1 ? await pay() : null;
      const charging = await payBeside(loader, auditor, pay);
      rounds.push({ alone: first ?? (await pay()), ...charging });
      console.error(`round ${round}, payments beside charges:`, rounds.at(-1));
    }
    printMachine(bench.postgresVersion, runsText());
    report(rounds, kind);
  } finally {
    await loader.close();
    await auditor.close();
  }
}

async function wholeRate(bench: BenchService, kind: PaymentKind): Promise<number> {
  await runWrk(await bench.loadOf(kind, 0), CONNECTIONS, WARM_UP_SECONDS);
  return (await runWrk(await bench.loadOf(kind, 0), CONNECTIONS, SECONDS)).perSecond;
}

async function payHalf(bench: BenchService, kind: PaymentKind, whole: number): Promise<SteadyRun> {
  return runSteadily(await bench.loadOf(kind, 0), whole / 2, SECONDS);
}

/**
 * The run is on from before the first payment until after the last one: what is left of it is
 * charged afterwards.
 */
async function payBeside(
  loader: DueLoader,
  auditor: Auditor,
  pay: () => Promise<SteadyRun>,
): Promise<Pick<Round, 'beside' | 'chargesPerSecond'>> {
  const due = CHARGES_PER_SECOND * (SECONDS + BEFORE_AND_AFTER_SECONDS);
  await loader.load({ now: Date.now(), due, ahead: 0, paidBefore: 1 });
  const startedAt = performance.now();
  const beside = await pay();
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = await countDue(auditor);
  if (left === 0) throw new Error(`${due} billings were charged before the payments ended`);
  await untilNothingIsDue(auditor);
  return { beside, chargesPerSecond: (due - left) / seconds };
}

function report(rounds: readonly Round[], kind: PaymentKind): void {
  const rows = (['alone', 'beside'] as const).map((name): Cell[] => {
    const of = (field: Exclude<keyof SteadyRun, 'failed'>) =>
      median(rounds.map((round) => round[name][field]));
    const charges = name === 'alone' ? 0 : median(rounds.map(({ chargesPerSecond }) => chargesPerSecond));
    return [
      name === 'alone' ? kind.title : `${kind.title}, a billing run on`,
      of('perSecond').toFixed(0),
      charges.toFixed(0),
      of('p50').toFixed(2),
      of('p99').toFixed(1),
      of('slowest').toFixed(0),
      of('lateP99').toFixed(1),
      rounds.reduce((sum, round) => sum + round[name].failed, 0),
    ];
  });
  printTable(
    [
      'payments, half load',
      'sent/s',
      'charges/s',
      'p50 ms',
      'p99 ms',
      'slowest ms',
      'sent late, p99 ms',
      'failed',
    ],
    rows,
  );
  const ratio = median(rounds.map(({ alone, beside }) => beside.p99 / alone.p99));
  console.log(`\nBeside a billing run p99 is ${ratio.toFixed(2)} times what it is without (aim: ${AIM}).`);
}
