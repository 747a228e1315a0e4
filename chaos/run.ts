import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFromDebian } from '../tools/install-from-debian.ts';
import { ACQUIRER_KINDS } from './acquirers/acquirer-kinds.ts';
import { acquirerSuite } from './acquirers/acquirer-suite.ts';
import { BOLETO_KINDS } from './boletos/boleto-kinds.ts';
import { boletoSuite } from './boletos/boleto-suite.ts';
import { ATTACKS } from './crowd/attacks.ts';
import { crowdTable } from './crowd/report.ts';
import { attacksNamed, runCrowd } from './crowd/run-crowd.ts';
import { CLUSTER_PROGRAMS, whyNoCluster } from './failover/cluster.ts';
import { runInOwnNetwork } from './failover/network.ts';
import { failoverTables } from './failover/report.ts';
import { runFailover } from './failover/run-failover.ts';
import { STRIKES } from './failover/strikes.ts';
import type { Kind } from './kinds/kind.ts';
import { KINDS } from './kinds/kinds.ts';
import { PIX_KINDS } from './pix/pix-kinds.ts';
import { pixSuite } from './pix/pix-suite.ts';
import { runPlanted, runPlantedFast } from './planted/run-planted.ts';
import { CHARGING_KINDS } from './recurrence/charging-kinds.ts';
import { chargingSuite } from './recurrence/charging-suite.ts';
import { runRestore } from './restore/run-restore.ts';
import {
  addResult,
  emptyResult,
  type KindResult,
  lineOf,
  PAYMENT_WORDS,
  tableHead,
  WHOLE_RUN,
} from './results.ts';
import { runAll } from './run-all.ts';
import { soakTables } from './soak/report.ts';
import { runSoak } from './soak/run-soak.ts';
import { PAYMENT_SUITE, runSuite, type Suite } from './suite.ts';
import { upgradeCommand } from './upgrade/command.ts';
import { NOTIFIED_KINDS } from './webhooks/notified-kinds.ts';
import { notifiedSuite } from './webhooks/notified-suite.ts';

/** What can be run, by its name. */
type Runnable = { readonly kinds: readonly Kind[]; open(billings: number): Suite };
const SUITES: ReadonlyMap<string, Runnable> = new Map<string, Runnable>([
  ['payments', { kinds: KINDS, open: () => PAYMENT_SUITE }],
  ['webhooks', { kinds: NOTIFIED_KINDS, open: notifiedSuite }],
  ['recurrence', { kinds: CHARGING_KINDS, open: (billings) => chargingSuite({ billings }) }],
  ['acquirers', { kinds: ACQUIRER_KINDS, open: acquirerSuite }],
  ['boletos', { kinds: BOLETO_KINDS, open: boletoSuite }],
  ['pix', { kinds: PIX_KINDS, open: pixSuite }],
]);

const HELP = `npm run chaos -- payments [options]
       npm run chaos -- webhooks [options]
       npm run chaos -- recurrence [options]
       npm run chaos -- boletos [options]
       npm run chaos -- pix [options]
       npm run chaos -- acquirers [options]
       npm run chaos -- crowd [--rate R] [--seconds T] [--size P] [--only ATTACKS] [--answers-only] [--seed S]
       npm run chaos -- failover [--times N] [--rate R] [--only STRIKES] [--seed S] [--install]
       npm run chaos -- restore [--seconds T] [--rate R] [--times N] [--seed S]
       npm run chaos -- soak [--minutes M] [--rate R] [--seed S]
       npm run chaos -- upgrade [--from COMMIT] [--rate R] [--seconds T] [--seed S]
       npm run chaos -- all [--kills N] [--operations M] [--seed S]
       npm run chaos -- planted [--fast] [--seed S] [--only PART-OF-A-NAME|payments|webhooks|recurrence|boletos|pix|acquirers|crowd]

Breaks the service in every way there is while payments are under way, and compares three books afterwards: what the
clients were answered, our database, and the acquirer's ledger; with webhooks what merchants were notified of, our database, and what
clients were answered; with recurrence what is owed and what was collected, the acquirer's ledger, and what merchants read;
with boletos what clients were answered, our database, and the bank's ledger;
with pix what merchants were answered and notified of, what they read, and the bank's ledger;
with acquirers what clients were answered, our database, and the ledgers of Rede, Cielo and a bridge, between which payments are routed.

  --kills N       kills in all, with the faults of the other kinds beside them (200); kinds that kill nothing strike so often
  --seed S        the draw; printed, and random unless given
  --payments M    payments in all: what the faults do not make is paid beside them (0)
  --operations M with all: payments, cancels, charges of billings and calls of merchants (50000); --kills is 1000 then
  --billings B    with recurrence: what falls due in one night of the kind of that name (1000)
  --processes N   services on the one database (4; at least 2)
  --only KINDS    some kinds only, separated by commas
  --until-caught  stop after the first kind with a violation
  --verbose       say every round

crowd breaks nothing: two merchants pay while strangers and a third merchant attack, one attack after another.

  --rate R        payments a second of each of the two (50)
  --seconds T     of each attack, and of each window without before it (20)
  --size P        the part, such as 0.1, of each attack and of the service's limits (1)
  --health M      how many milliseconds /health/live may take (1000)
  --answers-only  times of payments are not compared

failover runs three PostgreSQL under Patroni with etcd and HAProxy, and strikes the primary while merchants pay, billings fall due and
systems are notified.

  --times N       strikes in all, in turns (4)
  --rate R        payments a second (50)
  --install       installs Patroni, etcd and HAProxy from Debian, where apt-get may, and ends

restore loses the database under load, recovers it to an instant that has passed, and brings its books to the acquirer's.

  --seconds T     of sales are lost (20); above 120 some are old enough to be decided without a person
  --rate R        sales a second (50), also ten seconds before the instant, and ten when all is well again
  --times N       rehearsals, one after another (1), each with the seed that follows

soak breaks nothing: for minutes or hours merchants pay, cancel and read, billings fall due and systems are notified, and what grows, errs
or differs is judged.

  --minutes M     how long (20); with less than ten what grows is not judged
  --rate R        payments a second (20)

upgrade breaks nothing: another version makes the database, and both serve it under load, forwards and back.

  --from COMMIT   that version; by default the last release (releases/last.json)
  --rate R        payments a second (50); at most twelve are under way at once, so that a slow machine sells fewer
  --seconds T     of each of the five phases (20): the old version, both, the new one, the old one on the new schema, the new one again

planted puts known mistakes into copies of the sources, one at a time, and says which of them the suite catches.

  --fast          runs the file of npm test that is to catch it instead of the suite

Kinds of payments:
${listOf(KINDS)}

Kinds of webhooks:
${listOf(NOTIFIED_KINDS)}

Kinds of recurrence:
${listOf(CHARGING_KINDS)}

Kinds of boletos:
${listOf(BOLETO_KINDS)}

Kinds of pix:
${listOf(PIX_KINDS)}

Kinds of acquirers:
${listOf(ACQUIRER_KINDS)}

Strikes of failover:
${listOf(STRIKES)}

Attacks of crowd:
${listOf(ATTACKS)}
`;

function listOf(kinds: readonly Pick<Kind, 'name' | 'about'>[]): string {
  return kinds.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n');
}

/** What `npm test` keeps too: half of what a start of this version costs. */
const COMPILED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'parcela-tests', 'compiled');

/** Ended before it could judge: neither well nor broken. */
const NO_RESULT = 2;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  kills: { type: 'string' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  payments: { type: 'string', default: '0' },
  operations: { type: 'string', default: '50000' },
  billings: { type: 'string', default: '1000' },
  processes: { type: 'string', default: '4' },
  only: { type: 'string' },
  'until-caught': { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  rate: { type: 'string' },
  minutes: { type: 'string', default: '20' },
  seconds: { type: 'string', default: '20' },
  size: { type: 'string', default: '1' },
  health: { type: 'string', default: '1000' },
  times: { type: 'string' },
  install: { type: 'boolean', default: false },
  from: { type: 'string' },
  fast: { type: 'boolean', default: false },
  'answers-only': { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: OPTIONS,
  });
  // The copies of planted mistakes are at places of their own, and would fill it.
  if (positionals[0] !== 'planted') process.env.NODE_COMPILE_CACHE ??= COMPILED;
  if (positionals[0] === 'crowd' && !values.help) return crowd({ ...values, rate: values.rate ?? '50' });
  if (positionals[0] === 'failover' && !values.help)
    return failover({ ...values, rate: values.rate ?? '50', times: values.times ?? '4' });
  if (positionals[0] === 'soak' && !values.help) return soak({ ...values, rate: values.rate ?? '20' });
  if (positionals[0] === 'restore' && !values.help)
    return restore({ ...values, rate: values.rate ?? '50', times: values.times ?? '1' });
  if (positionals[0] === 'upgrade' && !values.help)
    return upgradeCommand({ ...values, rate: values.rate ?? '50' });
  if (positionals[0] === 'planted' && !values.help) {
    const say = (line: string) => console.log(line);
    const only = values.only ?? null;
    return values.fast ? runPlantedFast(only, say) : runPlanted(Number(values.seed), only, say);
  }
  if (positionals[0] === 'all' && !values.help) {
    const { kills = '1000', operations, seed } = values;
    const wanted = { kills: Number(kills), operations: Number(operations), seed: Number(seed) };
    return runAll(wanted, (line) => console.log(line));
  }
  const suite = SUITES.get(positionals[0] ?? '');
  const known = suite?.kinds ?? [];
  const named = values.only?.split(',') ?? known.map((kind) => kind.name);
  const kinds = known.filter((kind) => named.includes(kind.name));
  const { kills: killsText = '200', seed: seedText } = values;
  const numbers = [killsText, seedText, values.payments, values.processes, values.billings].map(Number);
  const isAsked = positionals.length === 1 && kinds.length === named.length && Number(values.processes) >= 2;
  if (values.help || suite === undefined || !isAsked || !numbers.every(Number.isSafeInteger)) {
    console.log(HELP);
    return values.help ? 0 : NO_RESULT;
  }
  const [kills = 0, seed = 0, payments = 0, processes, billings = 0] = numbers;
  const opened = suite.open(billings);
  const results = await runSuite({
    suite: opened,
    kinds,
    kills,
    seed,
    payments,
    ...(processes === undefined ? {} : { processes }),
    say: (line) => console.error(line),
    isVerbose: values.verbose,
    looks: values['until-caught'] ? 'untilCaught' : 'eachKind',
  });
  console.log(tableHead(opened.head ?? PAYMENT_WORDS));
  for (const result of results) console.log(lineOf(result));
  for (const { name, struck } of results) {
    if (struck.size === 0 || name === WHOLE_RUN) continue;
    const most = [...struck].sort((left, right) => right[1] - left[1]);
    console.log(`\n${name}: ${most.map(([what, count]) => `${what} ${count}`).join(', ')}`);
  }
  const violations = results.flatMap((result) => result.violations.map((text) => `${result.name}: ${text}`));
  for (const violation of violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
  console.log(`\n${summaryOf(kinds, results, opened)}, ${violations.length} violations, seed ${seed}`);
  return violations.length > 0 ? 1 : 0;
}

type CrowdWords = {
  readonly [name in 'rate' | 'seconds' | 'size' | 'health' | 'seed']: string;
} & {
  readonly only?: string | undefined;
  readonly 'answers-only': boolean;
  readonly 'until-caught': boolean;
};

async function crowd(values: CrowdWords): Promise<number> {
  const attacks = attacksNamed(values.only?.split(',') ?? null);
  const [perSecond, seconds, size, seed] = [values.rate, values.seconds, values.size, values.seed].map(
    Number,
  );
  const isAsked = [perSecond, seconds, size, seed].every(
    (value) => Number.isFinite(value) && Number(value) > 0,
  );
  if (attacks === null || !isAsked) {
    console.log(HELP);
    return NO_RESULT;
  }
  const results = await runCrowd({
    ...{ attacks, seed: Number(seed), perSecond: Number(perSecond), seconds: Number(seconds) },
    ...{ size: Number(size), healthMilliseconds: Number(values.health) },
    judgesTimes: !values['answers-only'],
    stopsAtFirst: values['until-caught'],
    say: (line) => console.error(line),
  });
  for (const line of crowdTable(results)) console.log(line);
  const violations = results.flatMap(({ attack, violations: those }) =>
    those.map((text) => `${attack.name}: ${text}`),
  );
  for (const violation of violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
  const payments = results.reduce((sum, { under }) => sum + under.payments.length, 0);
  console.log(
    `\n${results.length} attacks, ${payments} payments, ${violations.length} violations, seed ${seed}`,
  );
  const undecided = results.filter((result) => result.undecided.length > 0);
  for (const { attack, undecided: those } of undecided)
    console.log(
      `UNDECIDED ${attack.name}: the machine is too slow for this without any attack: ${those.join('; ')}`,
    );
  if (violations.length > 0) return 1;
  return undecided.length > 0 ? NO_RESULT : 0;
}

type FailoverWords = {
  readonly [name in 'times' | 'rate' | 'seed']: string;
} & { readonly only?: string | undefined; readonly install: boolean };

async function failover(values: FailoverWords): Promise<number> {
  if (values.install) return installFromDebian(CLUSTER_PROGRAMS);
  const named = values.only?.split(',') ?? STRIKES.map(({ name }) => name);
  const asked = STRIKES.filter(({ name }) => named.includes(name));
  const [times = 0, perSecond = 0, seed = 0] = [values.times, values.rate, values.seed].map(Number);
  const isAsked = [times, seed].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (
    !isAsked ||
    times === 0 ||
    !Number.isFinite(perSecond) ||
    perSecond <= 0 ||
    asked.length !== named.length
  ) {
    console.log(HELP);
    return NO_RESULT;
  }
  const lack = whyNoCluster();
  if (lack !== null) {
    console.log(`failover is skipped: ${lack}`);
    return NO_RESULT;
  }
  const code = await runInOwnNetwork();
  if (code !== null) return code;
  const strikes = asked.filter(({ refusal }) => refusal() === null);
  for (const { name, refusal } of asked.filter((one) => !strikes.includes(one)))
    console.log(`${name} is skipped: ${refusal()}`);
  if (strikes.length === 0) return NO_RESULT;
  const report = await runFailover({
    ...{ strikes, times, perSecond, seed },
    say: (line) => console.error(line),
  });
  for (const line of failoverTables(report)) console.log(line);
  for (const violation of report.violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
  const { results, violations, counts } = report;
  console.log(
    `\n${results.length} failovers, ${counts.payments} payments, ${counts.deliveries} deliveries, ${violations.length} violations, seed ${seed}`,
  );
  return violations.length === 0 ? 0 : 1;
}

type RestoreWords = { readonly [name in 'seconds' | 'rate' | 'seed' | 'times']: string };

/** Each rehearsal has the seed that follows. */
async function restore({ seconds, rate, seed, times }: RestoreWords): Promise<number> {
  const [lostSeconds = 0, perSecond = 0, count = 0] = [seconds, rate, times].map(Number);
  if (![lostSeconds, perSecond, count].every((value) => Number.isFinite(value) && value > 0)) {
    console.log(HELP);
    return NO_RESULT;
  }
  const say = (line: string) => console.error(line);
  let found = 0;
  for (let one = Number(seed); one < Number(seed) + count; one += 1) {
    const { lines, violations } = await runRestore({ seconds: lostSeconds, perSecond, seed: one, say });
    for (const line of lines) console.log(line);
    for (const violation of violations) console.log(`\nVIOLATION (seed ${one}) ${violation}`);
    console.log(`\n${violations.length} violations, seed ${one}\n`);
    found += violations.length;
  }
  console.log(`${count} rehearsals from seed ${seed}: ${found} violations`);
  return found === 0 ? 0 : 1;
}

/** Shorter runs say nothing of what grows. */
const LEAST_MINUTES_OF_TRENDS = 10;

async function soak(words: { readonly [name in 'minutes' | 'rate' | 'seed']: string }): Promise<number> {
  const [minutes = 0, perSecond = 0, seed = 0] = [words.minutes, words.rate, words.seed].map(Number);
  if (
    !Number.isSafeInteger(seed) ||
    ![minutes, perSecond].every((value) => Number.isFinite(value) && value > 0)
  ) {
    console.log(HELP);
    return NO_RESULT;
  }
  const report = await runSoak({
    ...{ minutes, perSecond, seed, judgesTrends: minutes >= LEAST_MINUTES_OF_TRENDS },
    say: (line) => console.error(line),
  });
  for (const line of soakTables(report)) console.log(line);
  const { counts, violations } = report;
  for (const violation of violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
  console.log(
    `\n${minutes} minutes, ${counts.payments} payments, ${counts.deliveries} deliveries, ${violations.length} violations, seed ${seed}`,
  );
  return violations.length === 0 ? 0 : 1;
}

function summaryOf(kinds: readonly Kind[], results: readonly KindResult[], { head }: Suite): string {
  const sum = emptyResult('', '');
  for (const result of results.filter(({ name }) => name !== WHOLE_RUN)) addResult(sum, result);
  const { faults, payments, cancels, deliveries, repeated, seconds } = sum;
  const operations = `${payments + cancels} operations`;
  const killing = new Set(kinds.filter((kind) => kind.isKilling).map((kind) => kind.name));
  const kills = results.reduce((count, result) => count + (killing.has(result.name) ? result.faults : 0), 0);
  if (head !== undefined)
    return `${kills} kills, ${faults - kills} other faults, ${payments} charges, ${operations} (${(seconds / faults).toFixed(2)} s a fault)`;
  const speed = `${(payments / seconds).toFixed(1)} payments/s, ${(seconds / faults).toFixed(2)} s a fault`;
  return `${kills} kills, ${faults - kills} other faults, ${payments} payments, ${cancels} cancels, ${deliveries} deliveries, ${repeated} repeated, ${operations} (${speed})`;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return NO_RESULT;
});
// Connections that nobody uses any more would keep the process; a pipe must have everything before it ends.
process.stdout.write('', () => process.exit());
