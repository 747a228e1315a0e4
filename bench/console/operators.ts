import { setTimeout as pause } from 'node:timers/promises';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import type { Visitor } from '../../test/console/visitor.ts';
import type { Service } from '../../test/kit/service.ts';
import { ALL_SCREENS } from '../../tools/console-pages.ts';
import type { BenchService } from '../bench-service.ts';
import {
  CHARGE_SPENDING_HEAD,
  type ChargeSpending,
  chargeSpendingCells,
  startSpending,
} from '../charging/spending.ts';
import { PAYMENT_KINDS, type PaymentKind } from '../load/payment-kinds.ts';
import { runSteadily, STEADY_WARM_UP_SECONDS, type SteadyRun } from '../load/steady-load.ts';
import { type Run, requireTools, runWrk } from '../load/wrk-load.ts';
import { countWanted, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, percentile, printMachine, printTable, runsText } from '../table.ts';
import type { Visitors } from './enter-console.ts';
import { addressOf, casesOf, type ScreenCase } from './screen-cases.ts';

export const OPERATORS = 20;
const CONNECTIONS = 32;
const USUAL_RATE = 300;
/** More than the fastest run can use. */
const CARRIERS_PER_SECOND = 8_000;
/** How long somebody looks at a page that stays as it is, before another one is opened. */
const SECONDS_A_PAGE = 30;
/** As the script of the console says that nobody asked for it. */
const LIVE = { 'x-parcela-live': '1' };

type Mode = 'without' | 'with';
const MODES: readonly Mode[] = ['without', 'with'];
type Measured = { readonly run: Run; readonly steady: SteadyRun; readonly spent: ChargeSpending };
type Pair = Readonly<Record<Mode, Measured>>;

/**
 * Payments beside so many people, each of whom keeps a page open that reads itself anew and opens another one
 * every half minute, and without them, in turns: as many a second as can be had, and what processors spend
 * for each at a constant rate.
 */
export async function measureOperators(
  bench: BenchService,
  service: Service,
  visitors: Visitors,
  operators: number,
): Promise<void> {
  requireTools();
  const kind = PAYMENT_KINDS.merchant;
  const rate = countWanted('rate', USUAL_RATE);
  await runWrk(await bench.loadOf(kind, CARRIERS_PER_SECOND), CONNECTIONS, SECONDS);
  const pairs: Pair[] = [];
  const looks: Look[] = [];
  const people: Visitor[] = [];
  for (let number = 1; number <= operators; number += 1)
    people.push(await visitors.enterOperator(`operator-${number}`));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const measured: Partial<Record<Mode, Measured>> = {};
    // Each is first as often as the other.
    for (const mode of round % 2 === 1 ? MODES : MODES.toReversed()) {
      const looking = lookOn(visitors.things, mode === 'with' ? people : []);
      measured[mode] = await measure(bench, service, kind, rate);
      looks.push(...(await looking.stop()));
    }
    pairs.push(measured as Pair);
    console.error(`round ${round}:`, JSON.stringify(pairs.at(-1)));
  }
  printMachine(bench.postgresVersion, runsText());
  report(kind.title, { rate, operators }, pairs);
  for (const [status, ofStatus] of Map.groupBy(looks, (one) => one.status)) {
    const times = ofStatus.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
    console.log(
      `\n${times.length} pages were answered with ${status} meanwhile: p50 ${p50} ms, p99 ${p99} ms`,
    );
  }
}

async function measure(
  bench: BenchService,
  service: Service,
  kind: PaymentKind,
  rate: number,
): Promise<Measured> {
  const run = await runWrk(await bench.loadOf(kind, CARRIERS_PER_SECOND * SECONDS), CONNECTIONS, SECONDS);
  const load = await bench.loadOf(kind, rate * (SECONDS + STEADY_WARM_UP_SECONDS));
  const spentFor = startSpending(bench, service);
  const steady = await runSteadily(load, rate, SECONDS);
  return { run, steady, spent: spentFor(rate * (SECONDS + STEADY_WARM_UP_SECONDS) - steady.failed) };
}

type Look = { readonly status: number; readonly milliseconds: number };
type Looking = { stop(): Promise<Look[]> };

/** People who do not begin in the same moment; gives each page's status, and how long it took. */
function lookOn(things: Visitors['things'], people: readonly Visitor[]): Looking {
  const ended = new AbortController();
  const looks: Look[] = [];
  const cases = casesOf(ALL_SCREENS).filter(({ by }) => by === 'operator');
  const live = ALL_SCREENS.filter(
    ({ refreshSeconds, of }) => refreshSeconds !== undefined && of === 'operator',
  );
  const today = saoPauloDay(instant(Date.now()));
  const addressFor = (one: ScreenCase) => addressOf(one, things[one.owner ?? 'giant'], today);
  const look = async (visitor: Visitor, address: string, headers = {}) => {
    const startedAt = performance.now();
    const { status } = await visitor.ask(address, { headers });
    if (status >= 400 && status !== 429) throw new Error(`${address} was answered with ${status}`);
    looks.push({ status, milliseconds: performance.now() - startedAt });
  };
  const again = async (seconds: number, share: number, act: (turn: number) => Promise<void>) => {
    let wait = seconds * share;
    for (let turn = 0; await waited(wait, ended.signal); turn += 1) {
      wait = seconds;
      await act(turn);
    }
  };
  const acts = people.flatMap((visitor, index) => {
    const share = (index + 1) / people.length;
    const page = live[index % live.length];
    if (page === undefined) throw new Error('no page of the operator reads itself anew');
    const { path, refreshSeconds = 0 } = page;
    return [
      again(refreshSeconds, share, () => look(visitor, `/console${path}`, LIVE)),
      again(SECONDS_A_PAGE, share, (turn) =>
        look(visitor, addressFor(cases[(turn * people.length + index) % cases.length] as ScreenCase)),
      ),
    ];
  });
  return {
    async stop() {
      ended.abort();
      await Promise.all(acts);
      return looks;
    },
  };
}

async function waited(seconds: number, signal: AbortSignal): Promise<boolean> {
  await pause(seconds * 1_000, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

function report(
  title: string,
  { rate, operators }: { readonly rate: number; readonly operators: number },
  pairs: readonly Pair[],
): void {
  const of = (mode: Mode, value: (one: Measured) => number) => median(pairs.map((pair) => value(pair[mode])));
  const named = (mode: Mode) => (mode === 'with' ? `${operators}` : '0');
  printTable(
    ['payments', 'operators', 'payments/s', 'p50 ms', 'p99 ms', 'failed'],
    MODES.map((mode): Cell[] => [
      title,
      named(mode),
      of(mode, ({ run }) => run.perSecond).toFixed(0),
      of(mode, ({ run }) => run.p50).toFixed(1),
      of(mode, ({ run }) => run.p99).toFixed(1),
      pairs.reduce((sum, pair) => sum + pair[mode].run.failed, 0),
    ]),
  );
  printTable(
    ['operators', `p50 ms at ${rate}/s`, 'p99 ms', ...CHARGE_SPENDING_HEAD.map((head) => `${head}, µs`)],
    MODES.map((mode): Cell[] => [
      named(mode),
      of(mode, ({ steady }) => steady.p50).toFixed(1),
      of(mode, ({ steady }) => steady.p99).toFixed(1),
      ...chargeSpendingCells({
        gatewayMain: of(mode, ({ spent }) => spent.gatewayMain),
        gatewayOthers: of(mode, ({ spent }) => spent.gatewayOthers),
        postgres: of(mode, ({ spent }) => spent.postgres),
        simulator: of(mode, ({ spent }) => spent.simulator),
      }),
    ]),
  );
  const sumOf = ({ spent }: Measured) => Object.values(spent).reduce((sum, one) => sum + one, 0);
  printRatio('payments a second', pairs, ({ run }) => run.perSecond);
  printRatio('processor time of a payment', pairs, sumOf);
}

function printRatio(name: string, pairs: readonly Pair[], value: (one: Measured) => number): void {
  const ratios = pairs.map((pair) => value(pair.with) / value(pair.without));
  const texts = ratios.map((one) => one.toFixed(3)).join(', ');
  console.log(`\n${name}, with / without, by pair: ${texts}; median ${median(ratios).toFixed(3)}`);
}
