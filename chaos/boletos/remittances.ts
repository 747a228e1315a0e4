import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../../test/kit/service.ts';
import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { callGateway } from '../merchant-client.ts';
import { copyMerchant } from '../recurrence/open-chaos-merchant.ts';
import { again, pause } from '../recurrence/patience.ts';
import type { Scene } from '../rounds.ts';
import { inDays, PAYER } from './client.ts';
import { noteFinding, runCommand } from './imports.ts';

/** Of a command, from the start of its process. */
const MOST_STEPS = 160;
const STEPS_OF_SERVICE = 250;
const MOST_RUNS = 30;
const PAUSE_MILLISECONDS = 300;
const END_MILLISECONDS = 120_000;

const NAME = 'itau';
const MERCHANT = 'remessas-1';
const OTHER_DAY = 20;
const SETTINGS = [
  ...['bank=341', 'branch=0810', 'account=53678', 'accountDigit=9', 'portfolio=109'],
  ...['companyName=Loja', 'companyDocument=11222333000181'],
];

/** What the bank does to a boleto of a round. */
const PLANS = ['plain', 'changed', 'kept', 'canceled', 'refused'] as const;
type Bill = { readonly plan: (typeof PLANS)[number]; readonly id: string; readonly ourNumber: string };

/** The bank: what it was told, and the files that it has read. */
type Clerk = {
  readonly shop: Pick<Shop, 'accountNumber' | 'integration'>;
  readonly folder: string;
  readonly read: Set<string>;
  /** Movements of each boleto, in their order. */
  readonly told: Map<string, string[]>;
  returns: number;
};

const clerks = new WeakMap<ChaosBench, Clerk>();

async function openClerk(bench: ChaosBench): Promise<Clerk> {
  const known = clerks.get(bench);
  if (known !== undefined) return known;
  const given = SETTINGS.flatMap((setting) => ['--setting', setting]);
  await runUntilDone(bench, [
    'provider',
    'add',
    '--kind',
    'bank',
    '--name',
    NAME,
    '--adapter',
    'remessa',
    ...given,
  ]);
  await copyMerchant(bench, MERCHANT);
  await bench.query(`update credentials set scopes = array['integration'] where user_name = $1`, [MERCHANT]);
  await runUntilDone(bench, ['provider', 'route', '--kind', 'bank', '--merchant', MERCHANT, '--rule', NAME]);
  const folder = join(bench.folder, 'remessas');
  await mkdir(folder, { recursive: true });
  const password = bench.shops[0]?.login.password ?? '';
  const shop = { accountNumber: '1000001', integration: { userName: MERCHANT, password } };
  const clerk = { shop, folder, read: new Set<string>(), told: new Map<string, string[]>(), returns: 0 };
  clerks.set(bench, clerk);
  return clerk;
}

/** What is there already was made by a run whose answer was lost. */
async function runUntilDone(bench: ChaosBench, words: readonly string[]): Promise<string> {
  let output = '';
  for (let runs = 0; runs < MOST_RUNS; runs += 1) {
    const ended = await runCommand(bench, words).ended;
    output = ended.output;
    if (ended.code === 0 || /already|is taken/.test(output)) return output;
    await pause(PAUSE_MILLISECONDS);
  }
  throw new Error(`parcela ${words.join(' ')} ends never: ${output}`);
}

/** Killed at random steps, two at once or one, and then until it is done. Gives what was struck. */
async function runUnderKills({ bench, chance }: Scene, words: readonly string[]) {
  const runs = Array.from({ length: chance.isIn(0.3) ? 2 : 1 }, () =>
    runCommand(bench, words, chance.whole(1, MOST_STEPS)),
  );
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  await runUntilDone(bench, words);
  return ends.flatMap(({ hit }) => hit ?? []);
}

async function tokenOf(gateway: Gateway, { shop }: Clerk): Promise<string> {
  const { status, body } = await callGateway(gateway.integrationUrl, '/api/authentication/login', {
    body: shop.integration,
  });
  if (status !== 200) throw new Error(`the login was answered ${status}`);
  return (body as { accessToken: string }).accessToken;
}

/** Asked again until it is answered; gives the body of its last answer. */
function ask(scene: Scene, clerk: Clerk, path: string, body: object | null): Promise<unknown> {
  return again(async () => {
    const [, witness] = await scene.fleet.pair();
    const token = await tokenOf(witness, clerk);
    const call = body === null ? { token, method: 'POST' as const } : { token, body };
    const answered = await callGateway(witness.integrationUrl, path, call);
    if (answered.status === null || answered.status >= 300)
      throw new Error(`${path} was answered ${answered.status}: ${JSON.stringify(answered.body)}`);
    return answered.body;
  });
}

async function issueBills(scene: Scene, clerk: Clerk): Promise<Bill[]> {
  const bills: Bill[] = [];
  for (const plan of PLANS) {
    // Before the rule is known one may be issued at the other bank, whose books are judged.
    const terms = { value: 149.9, dueDate: inDays(10), payer: PAYER, referenceTransaction: MERCHANT };
    const path = `/api/billissuer/new?accountNumber=${clerk.shop.accountNumber}`;
    const { id, ourNumber, barCode } = (await again(async () => {
      const issued = (await ask(scene, clerk, path, terms)) as Bill & { barCode: string };
      if (!issued.barCode.startsWith('341')) throw new Error('the rule is not known yet');
      return issued;
    })) as Bill & { barCode: string };
    if (barCode !== '') bills.push({ plan, id, ourNumber });
  }
  return bills;
}

/** Made under kills; files of which nobody knows whether they reached the folder are written again. */
async function makeFiles(scene: Scene, { folder }: Clerk): Promise<string[]> {
  const words = ['remessa', 'make', '--bank', NAME, '--folder', folder, '--json'];
  const struck = await runUnderKills(scene, words);
  const { unwritten = [] } = JSON.parse(lastObjectOf(await runUntilDone(scene.bench, words)));
  for (const number of unwritten as number[])
    await runUntilDone(scene.bench, [
      ...['remessa', 'show', '--bank', NAME, '--number', String(number), '--folder', folder],
    ]);
  return struck;
}

const lastObjectOf = (output: string) => output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1);

type Line = { readonly code: string; readonly ourNumber: string; readonly day: string };

/** The lines of files that the bank has not read yet, in the order of their numbers. */
async function readNewLines(clerk: Clerk): Promise<Line[]> {
  const lines: Line[] = [];
  const names = (await readdir(clerk.folder)).filter((name) => name.endsWith('.rem')).toSorted();
  for (const name of names.filter((one) => !clerk.read.has(one))) {
    clerk.read.add(name);
    const text = await readFile(join(clerk.folder, name), 'latin1');
    for (const line of text.split('\r\n').filter((one) => one.startsWith('1'))) {
      const [code, ourNumber] = [line.slice(108, 110), line.slice(37, 62).trim()];
      clerk.told.set(ourNumber, [...(clerk.told.get(ourNumber) ?? []), code]);
      lines.push({ code, ourNumber, day: line.slice(120, 126) });
    }
  }
  return lines;
}

/** What the bank answers: it keeps one day, and refuses the first write-off of another boleto. */
function answerOf({ code, ourNumber }: Line, bills: readonly Bill[], told: readonly string[]): string {
  const plan = bills.find((bill) => bill.ourNumber === ourNumber)?.plan;
  if (code === '01') return '02';
  if (code === '06') return plan === 'kept' ? '17' : '14';
  const times = told.filter((one) => one === '02').length;
  return plan === 'refused' && times === 1 ? '15' : '09';
}

const short = (day: string) => `${day.slice(8)}${day.slice(5, 7)}${day.slice(2, 4)}`;

function place(number: number, texts: Readonly<Record<number, string>>): string {
  const line = Object.entries({ ...texts, 395: String(number).padStart(6, '0') }).reduce(
    (made, [from, text]) =>
      made.slice(0, Number(from) - 1) + text + made.slice(Number(from) - 1 + text.length),
    ' '.repeat(400),
  );
  return `${line}\r\n`;
}

/** Our files to the bank, and its return file to us, each under kills. */
async function exchange(scene: Scene, clerk: Clerk, bills: readonly Bill[]): Promise<string[]> {
  const struck = await makeFiles(scene, clerk);
  const today = short(inDays(0));
  const lines = await readNewLines(clerk);
  if (lines.length === 0) return struck;
  clerk.returns += 1;
  const number = String(clerk.returns).padStart(5, '0');
  const content = [
    place(1, { 1: '02RETORNO01COBRANCA', 77: '341BANCO ITAU SA', 95: today, 109: number }),
    ...lines.map((line, index) => {
      const { ourNumber, day } = line;
      const answer = answerOf(line, bills, clerk.told.get(ourNumber) ?? []);
      const texts = { 1: '1', 38: ourNumber, 63: ourNumber.slice(-8), 109: `${answer}${today}` };
      return place(index + 2, answer === '14' ? { ...texts, 147: day } : texts);
    }),
    place(lines.length + 2, { 1: '9201' }),
  ];
  const path = join(clerk.folder, `retorno-${number}.ret`);
  await writeFile(path, content.join(''), 'latin1');
  return [...struck, ...(await runUnderKills(scene, ['boletos', 'import', path]))];
}

const STANDING = `select b.our_number as "ourNumber", b.state, b.due_on::text as "dueOn",
    coalesce((select string_agg(m.new_state, ' ' order by m.movement_id) from movements m
      where m.merchant_id = b.merchant_id and m.boleto_id = b.boleto_id), '') as moves
  from boletos b where b.merchant_id = $1 and b.our_number = any($2)`;

type Wanted = {
  readonly state: string;
  readonly dueOn: string;
  readonly moves: string;
  readonly told: string;
};

const WANTED: Readonly<Record<Bill['plan'], Wanted>> = {
  plain: { state: 'issued', dueOn: inDays(10), moves: 'issued', told: '01' },
  changed: { state: 'issued', dueOn: inDays(OTHER_DAY), moves: 'issued dueDayChanged', told: '01 06' },
  kept: { state: 'issued', dueOn: inDays(10), moves: 'issued dueDayKept', told: '01 06' },
  canceled: { state: 'canceled', dueOn: inDays(10), moves: 'issued canceled', told: '01 02' },
  refused: { state: 'canceled', dueOn: inDays(10), moves: 'issued canceled', told: '01 02 02' },
};

async function standingOf({ bench }: Scene, { told }: Clerk, bill: Bill): Promise<Wanted> {
  const [row] = await bench.query(STANDING, [MERCHANT, [bill.ourNumber]]);
  const { state, dueOn, moves } = row as unknown as Omit<Wanted, 'told'>;
  return { state, dueOn, moves, told: (told.get(bill.ourNumber) ?? []).join(' ') };
}

/** Throws where it does not come to stand so in time. */
function untilState(scene: Scene, clerk: Clerk, bill: Bill, state: string): Promise<unknown> {
  const isSo = async () => (await standingOf(scene, clerk, bill)).state === state;
  return until(`${bill.plan} is ${state}`, isSo, END_MILLISECONDS);
}

async function playRound(scene: Scene, clerk: Clerk): Promise<string[]> {
  const bills = await issueBills(scene, clerk);
  const of = (plan: Bill['plan']) => bills.filter((bill) => bill.plan === plan);
  const struck = await exchange(scene, clerk, bills);
  for (const { id } of [...of('changed'), ...of('kept')])
    await ask(scene, clerk, `/api/billissuer/${id}/due-date`, { dueDate: inDays(OTHER_DAY) });
  for (const { id } of [...of('canceled'), ...of('refused')])
    await ask(scene, clerk, `/api/billissuer/${id}/cancel`, null);
  struck.push(...(await exchange(scene, clerk, bills)));
  for (const bill of of('refused')) {
    await untilState(scene, clerk, bill, 'issued').catch(() => null);
    // Files that are made meanwhile have nothing of it.
    struck.push(...(await exchange(scene, clerk, bills)));
    await ask(scene, clerk, `/api/billissuer/${bill.id}/cancel`, null);
  }
  struck.push(...(await exchange(scene, clerk, bills)));
  for (const bill of bills) {
    const wanted = WANTED[bill.plan];
    let standing = wanted;
    const isEnded = async () => {
      standing = await standingOf(scene, clerk, bill);
      // What was told too often stays so.
      return isDeepStrictEqual(standing, wanted) || !wanted.told.startsWith(standing.told);
    };
    await until(`${bill.plan} ends`, isEnded, END_MILLISECONDS).catch(() => null);
    if (!isDeepStrictEqual(standing, wanted))
      noteFinding(scene.bench, {
        invariant: 'a boleto by file is told once what was asked, and ends as its bank has answered',
        reference: `${scene.name}, ${bill.plan} ${bill.ourNumber}`,
        text: `\n  ${JSON.stringify(standing)}\n  not\n  ${JSON.stringify(wanted)}`,
      });
  }
  return struck;
}

export const REMITTANCE_KILLS: Kind = {
  name: 'remessas',
  about:
    'kill -9 of `parcela remessa make` and `parcela boletos import` at a random step, two at once, and of services that ask a bank by file',
  share: 12,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance, fleet } = scene;
    const clerk = await openClerk(bench);
    for (let round = 1; tally.faults < times && round <= times + 2; round += 1) {
      const [victim] = await fleet.pair();
      if (chance.isIn(0.5))
        await victim.orders
          .arm(victim.processId, 'kill', chance.whole(1, STEPS_OF_SERVICE))
          .catch((error) => {
            if (victim.isAlive()) throw error;
          });
      const struck = await playRound(scene, clerk);
      for (const what of struck) countStrike(tally, what);
      const ofService = victim.orders.hit();
      if (ofService !== null) countStrike(tally, `a service at ${ofService.what}`);
      else if (victim.isAlive()) await victim.orders.disarm(victim.processId).catch(() => 0);
      scene.note(`${scene.name}.${round}: ${struck.join(', ') || 'nothing'}`);
    }
  },
};
