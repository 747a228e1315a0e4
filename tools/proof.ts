// Everything that repeats, kills many times, generates or takes minutes: a fixed list of suites.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type KeptResult, type KeptResults, openKeptResults, seedOfCommit } from './proof/kept-results.ts';
import { runSuite } from './proof/run-suite.ts';
import { SEED_WORD, SUITES, type Suite } from './proof/suites.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AT_ONCE = 2;

const HELP = `npm run proof [-- [--again] [--seed N] [names]]

Runs all suites, or those named: two at once, then those that need the machine. One line for each; 1 when any failed.
What passed at this commit is not run again, so that a proof can be gone on with; the output of what failed is kept in the
file that its line names. The seed comes from the commit.
--list names the suites with what each does and its minutes; --again runs also what has passed at this commit.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      list: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      seed: { type: 'string' },
    },
  });
  const suites = SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name));
  const given = Number(values.seed ?? 1);
  if (values.help || unknown.length > 0 || !(Number.isSafeInteger(given) && given > 0)) {
    console.log(unknown.length > 0 ? `No suite has the name ${unknown.join(', ')}.\n\n${HELP}` : HELP);
    return values.help ? 0 : 1;
  }
  if (values.list) {
    for (const { name, about, minutes } of suites)
      console.log(`${name.padEnd(12)}${String(minutes).padStart(3)} min  ${about}`);
    return 0;
  }
  const kept = await openKeptResults(ROOT);
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const seed = values.seed === undefined ? seedOfCommit(head) : given;
  console.log(
    kept.commit === null
      ? `${head.slice(0, 8)} and what is not committed: no result is kept`
      : `${head.slice(0, 8)}, seed ${seed}`,
  );
  const results = await runAll(suites, kept, { seed, isAgain: values.again });
  return summarize(head, suites, results);
}

type Ran = KeptResult | 'skipped' | 'stopped';

async function runAll(
  suites: readonly Suite[],
  kept: KeptResults,
  { seed, isAgain }: { readonly seed: number; readonly isAgain: boolean },
): Promise<Map<string, Ran>> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort(new Error(signal)));
  }
  const results = new Map<string, Ran>();
  async function runOne(suite: Suite): Promise<void> {
    const { name } = suite;
    const before = kept.of(name);
    if (before?.isGood && !isAgain) {
      results.set(name, before);
      console.log(lineOf('before', suite, before));
      return;
    }
    const lack = await suite.whyNot();
    if (lack !== false) {
      results.set(name, 'skipped');
      console.log(`skipped ${name.padEnd(12)}${lack}`);
      return;
    }
    const place = { root: ROOT, folder: kept.folder, seed };
    const { isGood, seconds, fault, outputFile } = await runSuite(suite, place, stopping.signal);
    const result = { isGood, seconds, seed, day: new Date().toISOString().slice(0, 10) };
    if (stopping.signal.aborted) return void results.set(name, 'stopped');
    results.set(name, result);
    await kept.keep(name, result);
    const why = isGood ? '' : `  ${fault === null ? '' : `${fault}: `}${outputFile}`;
    console.log(`${lineOf(isGood ? 'ok' : 'FAILED', suite, result)}${why}`);
  }
  async function takeTurns(waiting: Suite[]): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !stopping.signal.aborted; next = waiting.shift())
      await runOne(next);
  }
  const waiting = suites.filter(({ isAlone }) => !isAlone);
  await Promise.all(Array.from({ length: AT_ONCE }, () => takeTurns(waiting)));
  await takeTurns(suites.filter(({ isAlone }) => isAlone));
  return results;
}

function lineOf(word: string, { name, words, settings }: Suite, { seconds, seed }: KeptResult): string {
  const isDrawn = [...words, ...Object.values(settings)].some((text) => text.includes(SEED_WORD));
  return `${word.padEnd(8)}${name.padEnd(12)}${`${seconds} s`.padStart(7)}${isDrawn ? `  seed ${seed}` : ''}`;
}

/** The last line is a row of the table in docs/performance.md. Gives the exit code. */
function summarize(head: string, suites: readonly Suite[], results: ReadonlyMap<string, Ran>): number {
  const namesOf = (fits: (ran: Ran | undefined) => boolean) =>
    suites.map(({ name }) => name).filter((name) => fits(results.get(name)));
  const good = namesOf((ran) => typeof ran === 'object' && ran.isGood);
  const failed = namesOf((ran) => typeof ran === 'object' && !ran.isGood);
  const skipped = namesOf((ran) => ran === 'skipped');
  const stopped = namesOf((ran) => ran === undefined || ran === 'stopped');
  const ran = [...results.values()].filter((one) => typeof one === 'object');
  const minutes = Math.round(ran.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const parts = [
    `${good.length} passed`,
    ...(failed.length > 0 ? [`${failed.length} failed (${failed.join(', ')})`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped (${skipped.join(', ')})`] : []),
    ...(stopped.length > 0 ? [`${stopped.length} not run (${stopped.join(', ')})`] : []),
  ];
  const seeds = [...new Set(ran.map(({ seed }) => seed))].join(', ');
  const day = new Date().toISOString().slice(0, 10);
  console.log(`| ${day} | ${head.slice(0, 8)} | ${minutes} | ${seeds} | ${parts.join(', ')} |`);
  return failed.length > 0 || stopped.length > 0 || good.length === 0 ? 1 : 0;
}

process.exitCode = await main();
