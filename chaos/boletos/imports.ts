import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { programOf } from '../../src/platform/home.ts';
import { cleanEnvironment, until } from '../../test/kit/service.ts';
import { addressSettings, type ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Finding } from '../judge/finding.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { again, pause } from '../recurrence/patience.ts';
import { leaveUnderWay, type Scene } from '../rounds.ts';
import { StepOrders } from '../step-orders.ts';
import { FILE_CASES, type FileCase, type FileShop, openFileShop } from './file-shops.ts';

const PARCELA = programOf('src/cli/parcela.ts');
/** Of an import, from the start of its process. */
const MOST_STEPS = 220;
const MOST_RUNS = 30;
const PAUSE_MILLISECONDS = 300;
/** Leases of what matches, and of what the dead were taking. */
const MATCHED_MILLISECONDS = 120_000;

/** What a bench knows of files: how an undisturbed import ends, and what was found since. */
type FileState = {
  readonly undisturbed: Map<string, string>;
  findings: Finding[];
  runs: number;
  taken: number;
};
const states = new WeakMap<ChaosBench, FileState>();

function stateOf(bench: ChaosBench): FileState {
  const empty = { undisturbed: new Map(), findings: [], runs: 0, taken: 0 };
  return states.getOrInsertComputed(bench, () => empty);
}

export function noteFinding(bench: ChaosBench, finding: Finding): void {
  stateOf(bench).findings.push(finding);
}

export function takeFindings(bench: ChaosBench): Finding[] {
  const state = stateOf(bench);
  const { findings } = state;
  state.findings = [];
  return findings;
}

const nameOf = ({ formats, fault }: FileCase) => `${formats.join(' and ')} ${fault ?? 'as it should be'}`;

type Ending = {
  readonly files: readonly (readonly [
    taken: boolean,
    matched: boolean,
    entries: number,
    gross: number,
    net: number,
  ])[];
  readonly matches: readonly unknown[] | null;
  readonly receivables: readonly (readonly [unknown, unknown, unknown, net: number | null, ...unknown[]])[];
};

/** Of a file of payouts without a mistake the receivables have all of its money. */
function isWhole(text: string, { fault }: FileCase): boolean {
  const { files, matches, receivables } = JSON.parse(text) as Ending;
  const filed = receivables.reduce((sum, [, , , net]) => sum + (net ?? 0), 0);
  const paid = files.reduce((sum, [, , , , net]) => sum + net, 0);
  return matches !== null && (fault !== null || filed === paid);
}

const namesOf = ({ paths }: FileShop) => paths.map((path) => basename(path));

const UNMATCHED = 'select from settlement_files where matched_at is null';

/** Takes one file of each case while nothing breaks: what is compared with. */
async function takeUndisturbed(bench: ChaosBench, gateway: Gateway): Promise<void> {
  const shops: FileShop[] = [];
  for (const fileCase of FILE_CASES) shops.push(await again(() => openFileShop(bench, gateway, fileCase)));
  // What is paid of a batch is known by the file of its sales, which is matched before.
  const first = shops.flatMap(({ paths }) => paths.slice(0, 1));
  for (const paths of [first, shops.flatMap(({ paths: all }) => all.slice(1))]) {
    const { code, output } = await runImport(bench, paths).ended;
    if (code !== 0) throw new Error(`an undisturbed import ended with ${code}: ${output}`);
    await until('all of it is matched', async () => (await bench.query(UNMATCHED)).length === 0);
  }
  for (const shop of shops) {
    const ending = await endingOf(bench, shop);
    if (!isWhole(ending, shop.fileCase)) throw new Error(`an undisturbed import leaves ${ending}`);
    stateOf(bench).undisturbed.set(nameOf(shop.fileCase), ending);
  }
}

function runImport(bench: ChaosBench, paths: readonly string[], step: number | null = null) {
  return runCommand(bench, ['reconcile', 'import', ...paths], step);
}

/** `step`: killed there, counted from its start. */
export function runCommand(bench: ChaosBench, words: readonly string[], step: number | null = null) {
  const state = stateOf(bench);
  state.runs += 1;
  const orders = new StepOrders(join(bench.folder, `import-${state.runs}`));
  if (step !== null) orders.armFromStart('kill', step);
  const child = spawn(process.execPath, [...PARCELA, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment({
      ...bench.settings,
      ...addressSettings(bench.address),
      ...orders.settings(),
      PARCELA_DATA_DIR: bench.folder,
    }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = new Promise<{ code: number | null; output: string; hit: string | null }>((resolve) =>
    child.once('close', (code) => resolve({ code, output, hit: orders.hit()?.what ?? null })),
  );
  return { ended };
}

/** The lease of a process that died, without the wait for its end. */
const FREE_LEFT = 'update settlement_files set due_at = now() where taken_at is null and name = any($1)';
/** Of a file of which nothing may be seen. */
const SEEN_EARLY = `select count(*)::int as matches from settlement_matches m join settlement_files f using (file_number)
  where f.taken_at is null`;

/** Imports, killed and at once; then again until one says that the file is taken. Gives what was struck. */
async function importUnderKills(scene: Scene, shop: FileShop): Promise<string[]> {
  const { bench, chance } = scene;
  const names = namesOf(shop);
  const drawStep = () => chance.whole(1, MOST_STEPS);
  const first = Array.from({ length: chance.isIn(0.4) ? 2 : 1 }, () =>
    runImport(bench, shop.paths, drawStep()),
  );
  const ends = await Promise.all(first.map(({ ended }) => ended));
  const struck = ends.flatMap(({ hit }) => hit ?? []);
  for (let runs = 0; runs < MOST_RUNS; runs += 1) {
    const [early] = await bench.query(SEEN_EARLY);
    if (early?.matches !== 0)
      find(bench, shop, 'nothing is matched of a file that is not whole', `${early?.matches}`);
    await bench.query(FREE_LEFT, [names]);
    const more = Array.from({ length: chance.isIn(0.3) ? 2 : 1 }, () => runImport(bench, shop.paths));
    const results = await Promise.all(more.map(({ ended }) => ended));
    ends.push(...results);
    if (results.some(({ code }) => code === 0)) break;
    await pause(PAUSE_MILLISECONDS);
  }
  for (const path of shop.paths) {
    const taken = ends.filter(({ output }) => output.includes(`${path}: taken as file`)).length;
    if (taken > 1) find(bench, shop, 'a file is taken by one import', `${taken} said so of ${path}`);
  }
  if (!ends.some(({ code }) => code === 0))
    find(bench, shop, 'a file is taken in the end', ends.at(-1)?.output ?? '');
  stateOf(bench).taken += 1;
  return struck;
}

function find(bench: ChaosBench, { merchantId, fileCase }: FileShop, invariant: string, text: string): void {
  noteFinding(bench, { invariant, reference: `${merchantId}, ${nameOf(fileCase)}`, text });
}

/**
 * All that an import leaves: the file with its lines and sums, its matches, what the receivables have of
 * it, and the exceptions that stand.
 */
const ENDING = `with files as (
    select f.* from settlement_files f where f.name = any($2)
  ), matches as (
    select m.* from settlement_matches m join files using (file_number)
  )
  select jsonb_build_object(
    'files', (select jsonb_agg(jsonb_build_array(taken_at is not null, matched_at is not null, entries, gross, net)
      order by format) from files),
    'lines', (select jsonb_build_array(count(*), count(distinct line), sum(e.gross)) from settlement_entries e
      join files using (file_number)),
    'matches', (select jsonb_agg(jsonb_build_array(kind, rule, installment_number, gross, fee, net)
      order by line_number, installment_number, gross) from matches),
    'strangers', (select count(*) from matches where merchant_id <> $1),
    'receivables', (select jsonb_agg(jsonb_build_array(installment_number, gross, filed_fee, filed_net, filed_anticipation,
      filed_bank_on) order by gross, installment_number, transaction_id) from receivables where merchant_id = $1),
    'exceptions', (select jsonb_agg(jsonb_build_array(class, state, x.amount, installment_number)
      order by class, state, x.amount, installment_number) from reconciliation_exceptions x
      where state in ('open', 'explained') and (merchant_id = $1 or file_number in (select file_number from files))),
    'audited', (select count(*) from audit_entries a join files f on a.resource = 'settlement-files/' || f.file_number
      where a.action = 'settlement.import')
  )::text as ending`;

async function endingOf(bench: ChaosBench, shop: FileShop): Promise<string> {
  const [row] = await bench.query(ENDING, [shop.merchantId, namesOf(shop)]);
  return String(row?.ending);
}

/** What waits for a file that is matched later, without the minutes in between. */
const LOOK_AGAIN = 'update reconciliation_exceptions set due_at = now() where due_at is not null';

/** A process that dies at matching leaves a lease: the others go on behind it. */
async function judgeFile(scene: Scene, shop: FileShop): Promise<void> {
  const { bench } = scene;
  const wanted = stateOf(bench).undisturbed.get(nameOf(shop.fileCase));
  const endsAt = performance.now() + MATCHED_MILLISECONDS;
  let found = '';
  while (performance.now() < endsAt) {
    found = await endingOf(bench, shop);
    if (found === wanted) return;
    await bench.query(LOOK_AGAIN);
    await pause(PAUSE_MILLISECONDS);
  }
  find(bench, shop, 'a file ends as after an undisturbed import', `\n  ${found}\n  not\n  ${wanted}`);
}

/** Of a service, while it matches or notifies. */
const STEPS_OF_SERVICE = 250;

export const IMPORT_KILLS: Kind = {
  name: 'imports',
  about: 'kill -9 of `parcela reconcile import` at a random step, two at once, and of services that match',
  share: 30,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance, fleet } = scene;
    if (stateOf(bench).undisturbed.size === 0) await takeUndisturbed(bench, (await fleet.pair())[1]);
    for (let round = 1; tally.faults < times && round <= 2 * times + 5; round += 1) {
      const name = `${scene.name}.${round}`;
      const [victim, witness] = await fleet.pair();
      const shop = await openFileShop(bench, witness, chance.pick(FILE_CASES)).catch(() => null);
      if (shop === null) continue;
      // It may die of the round before in the meantime.
      if (chance.isIn(0.5))
        await victim.orders
          .arm(victim.processId, 'kill', chance.whole(1, STEPS_OF_SERVICE))
          .catch((error) => {
            if (victim.isAlive()) throw error;
          });
      const struck = await importUnderKills(scene, shop);
      for (const what of struck) countStrike(tally, what);
      const ofService = victim.orders.hit();
      if (ofService !== null) countStrike(tally, `a service at ${ofService.what}`);
      else if (victim.isAlive()) await victim.orders.disarm(victim.processId).catch(() => 0);
      scene.note(`${name} ${nameOf(shop.fileCase)}: ${struck.join(', ') || 'nothing'}`);
      leaveUnderWay(scene, judgeFile(scene, shop));
    }
  },
};
