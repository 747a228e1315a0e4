import { parseArgs } from 'node:util';
import { KINDS } from './kinds/kinds.ts';
import { runPlanted } from './planted/run-planted.ts';
import { addResult, emptyResult, type KindResult, lineOf, TABLE_HEAD, WHOLE_RUN } from './results.ts';
import { runSuite } from './suite.ts';

const HELP = `npm run faults -- payments [options]
       npm run faults -- planted [--seed S] [--only PART-OF-A-NAME]

Breaks the service in every way there is while payments are under way, and compares three books afterwards: what the
clients were answered, our database, and the acquirer's ledger.

  --kills N       kills in all, with the faults of the other kinds beside them (200); kinds that kill nothing strike so often
  --seed S        the draw; printed, and random unless given
  --payments M    payments in all: what the faults do not make is paid beside them (0)
  --only KINDS    some kinds only, separated by commas
  --until-caught  stop after the first kind with a violation
  --verbose       say every round

planted puts known mistakes into copies of the sources, one at a time, and says which of them the suite catches.

Kinds:
${KINDS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n')}
`;

/** Ended before it could judge: neither well nor broken. */
const NO_RESULT = 2;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      payments: { type: 'string', default: '0' },
      only: { type: 'string' },
      'until-caught': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  if (positionals[0] === 'planted' && !values.help) {
    return runPlanted(Number(values.seed), values.only ?? null, (line) => console.log(line));
  }
  const named = values.only?.split(',') ?? KINDS.map((kind) => kind.name);
  const kinds = KINDS.filter((kind) => named.includes(kind.name));
  const numbers = [values.kills, values.seed, values.payments].map(Number);
  const isAsked = positionals.length === 1 && positionals[0] === 'payments' && kinds.length === named.length;
  if (values.help || !isAsked || !numbers.every(Number.isSafeInteger)) {
    console.log(HELP);
    return values.help ? 0 : NO_RESULT;
  }
  const [kills = 0, seed = 0, payments = 0] = numbers;
  const results = await runSuite({
    kinds,
    kills,
    seed,
    payments,
    say: (line) => console.error(line),
    isVerbose: values.verbose,
    looks: values['until-caught'] ? 'untilCaught' : 'eachKind',
  });
  console.log(TABLE_HEAD.join('\n'));
  for (const result of results) console.log(lineOf(result));
  for (const { name, struck } of results) {
    if (struck.size === 0 || name === WHOLE_RUN) continue;
    const most = [...struck].sort((left, right) => right[1] - left[1]);
    console.log(`\n${name}: ${most.map(([what, count]) => `${what} ${count}`).join(', ')}`);
  }
  const violations = results.flatMap((result) => result.violations.map((text) => `${result.name}: ${text}`));
  for (const violation of violations) console.log(`\nVIOLATION (seed ${seed}) ${violation}`);
  console.log(`\n${summaryOf(results)}, ${violations.length} violations, seed ${seed}`);
  return violations.length > 0 ? 1 : 0;
}

function summaryOf(results: readonly KindResult[]): string {
  const sum = emptyResult('', '');
  for (const result of results.filter(({ name }) => name !== WHOLE_RUN)) addResult(sum, result);
  const { faults, payments, cancels, seconds } = sum;
  const killing = new Set(KINDS.filter((kind) => kind.isKilling).map((kind) => kind.name));
  const kills = results.reduce((count, result) => count + (killing.has(result.name) ? result.faults : 0), 0);
  const speed = `${(payments / seconds).toFixed(1)} payments/s, ${(seconds / faults).toFixed(2)} s a fault`;
  return `${kills} kills, ${faults - kills} other faults, ${payments} payments, ${cancels} cancels (${speed})`;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return NO_RESULT;
});
// Connections that nobody uses any more would keep the process; a pipe must have everything before it ends.
process.stdout.write('', () => process.exit());
