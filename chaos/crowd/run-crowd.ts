import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, until } from '../../test/kit/service.ts';
import { type Chance, chanceFrom } from '../chance.ts';
import { awaitResolved } from '../rounds.ts';
import { ATTACKS, type Attack, type Least } from './attacks.ts';
import { BIG_REFERENCE, sellMuch } from './big-books.ts';
import { type CrowdBench, openCrowdBench } from './crowd-bench.ts';
import { HealthWatch } from './health-watch.ts';
import { answerFindings, timeFindings, type Window } from './judge.ts';
import type { Tally, Target } from './means.ts';
import { WellMerchant } from './well-merchant.ts';

export type CrowdOptions = {
  readonly attacks: readonly Attack[];
  readonly seed: number;
  /** Payments a second of each well merchant. */
  readonly perSecond: number;
  /** Of each window; an attack goes on for longer where it takes longer to be under way. */
  readonly seconds: number;
  /** The part of each attack, and of the service's limits against it. */
  readonly size: number;
  /** How long `/health/live` may take. */
  readonly healthMilliseconds: number;
  /** Times are compared with those of a window without attack before each. */
  readonly judgesTimes: boolean;
  readonly stopsAtFirst?: boolean;
  readonly say: (line: string) => void;
};

export type AttackResult = {
  readonly attack: Attack;
  readonly tally: Tally;
  readonly under: Window;
  /** Without the attack; null: times were not compared. */
  readonly before: Window | null;
  readonly seconds: number;
  /** Of the service, while it was attacked. */
  readonly cpuSeconds: number;
  readonly violations: readonly string[];
  /** What was wrong without any attack: a machine that is too slow for that says nothing of attacks. */
  readonly undecided: readonly string[];
};

const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url));
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const WARM_UP_SECONDS = 3;
const UNDER_WAY_MILLISECONDS = 60_000;
const QUIET_MILLISECONDS = 90_000;
/** Of the well merchants and of what looks after the service. */
const CONNECTIONS_LEFT = 200;
/** Beside the connections of the greatest attack, which the service and the attacker hold one end of each. */
const OTHER_DESCRIPTORS = 500;

/** Does each attack in turn while two merchants pay, and compares what these were answered. */
export async function runCrowd(options: CrowdOptions): Promise<AttackResult[]> {
  const { seed, size, say } = options;
  const most = Math.ceil(9_000 * size) + OTHER_DESCRIPTORS;
  if (mostDescriptors() < most)
    throw new Error(
      `this needs ${most} file descriptors a process (ulimit -Hn), and has ${mostDescriptors()}`,
    );
  const chance = chanceFrom(seed);
  const crowd = await openCrowdBench(seed, size);
  const wells = crowd.wells.map(
    (shop) => new WellMerchant(crowd.service.gatewayUrl, shop, chance.fork(shop.merchantId)),
  );
  const health = new HealthWatch(crowd.service.gatewayUrl, options.healthMilliseconds);
  let closing: Promise<void> | null = null;
  // A run that a person stops fails meanwhile: both wait for the same end, or PostgreSQL would be left.
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  const closeAll = async () => {
    health.close();
    await crowd.close();
    await Promise.all(wells.map((well) => well.close()));
  };
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of STOPS) process.once(signal, stop);
  try {
    await Promise.all(wells.map((well) => well.open()));
    const target = await openThird(crowd, size);
    const scene: Scene = { options, crowd, wells, health, target };
    if (options.judgesTimes) await watch(scene, WARM_UP_SECONDS);
    await health.take();
    const results: AttackResult[] = [];
    for (const attack of shuffled(options.attacks, chance.fork('order'))) {
      const result = await runDecided(scene, attack);
      results.push(result);
      for (const violation of result.violations) say(`VIOLATION (seed ${seed}) ${attack.name}: ${violation}`);
      if (options.stopsAtFirst && result.violations.length > 0) break;
    }
    for (const [text, count] of await crowd.warnings()) say(`the service logged ${count} times: ${text}`);
    return results;
  } finally {
    for (const signal of STOPS) process.off(signal, stop);
    await close();
  }
}

type Scene = {
  readonly options: CrowdOptions;
  readonly crowd: CrowdBench;
  readonly wells: readonly WellMerchant[];
  readonly health: HealthWatch;
  readonly target: Target;
};

function shuffled<T>(list: readonly T[], chance: Chance): T[] {
  return list
    .map((item) => ({ item, at: chance.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** The third merchant is one like the others, until it attacks. */
async function openThird({ bench, service, third }: CrowdBench, size: number): Promise<Target> {
  const url = service.gatewayUrl;
  const merchant = new WellMerchant(url, third, chanceFrom(0));
  try {
    await merchant.open();
    const { gatewayToken, integrationToken, vaultId } = merchant;
    const { bigPaymentId } = await sellMuch(bench, { url, token: gatewayToken, vaultId }, size);
    const { accountNumber } = third;
    const big = { bigReference: BIG_REFERENCE, bigPaymentId };
    return { url, gatewayToken, integrationToken, accountNumber, vaultId, ...big, size };
  } finally {
    await merchant.close();
  }
}

/** Once more where it was undecided: a machine may have been busy for a moment. */
async function runDecided(scene: Scene, attack: Attack): Promise<AttackResult> {
  const first = await runAttack(scene, attack);
  if (first.undecided.length === 0) return first;
  scene.options.say(`${attack.name} is undecided, and is done once more: ${first.undecided.join('; ')}`);
  return runAttack(scene, attack);
}

async function runAttack(scene: Scene, attack: Attack): Promise<AttackResult> {
  const { options, target } = scene;
  const startedAt = performance.now();
  const usual = await watch(scene, options.seconds);
  const undecided = answerFindings(usual);
  const before = options.judgesTimes ? usual : null;
  const cpuBefore = await cpuSeconds(scene);
  const attacker = new Attacker(attack, target);
  let isUnderWay = true;
  const watched = await watch(scene, options.seconds, async () => {
    isUnderWay = await until(
      `${attack.name} is under way`,
      async () => attacker.isUnderWay(),
      UNDER_WAY_MILLISECONDS,
    ).catch(() => false);
  });
  const cpuAfter = await cpuSeconds(scene);
  const tally = await attacker.end();
  await quiet(scene);
  // What it leaves behind is a part of it.
  const under = { ...watched, health: [...watched.health, ...(await scene.health.take())] };
  const found = [
    ...answerFindings(under),
    ...(before === null ? [] : timeFindings(under, before)),
    ...(isUnderWay ? [] : [`the attack is carried out: ${JSON.stringify(tally)} is less than it takes`]),
  ];
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    ...{ attack, tally, under, before, seconds, undecided },
    cpuSeconds: cpuAfter - cpuBefore,
    violations: undecided.length === 0 ? found : [],
  };
}

/** Well merchants pay for so long, and for as long as `enough` takes; gives all that they were answered. */
async function watch(
  { options, wells, health }: Scene,
  seconds: number,
  enough: () => Promise<void> = async () => {},
): Promise<Window> {
  for (const well of wells) well.start(options.perSecond);
  await Promise.all([new Promise((wake) => setTimeout(wake, seconds * 1_000)), enough()]);
  const answers = await Promise.all(wells.map((well) => well.stop()));
  return {
    payments: answers.flatMap(({ payments }) => payments),
    errands: answers.flatMap(({ errands }) => errands),
    health: await health.take(),
  };
}

/** Waits until the attacker's connections are closed and nothing of it is worked at any more. */
async function quiet(scene: Scene): Promise<void> {
  const { options, crowd } = scene;
  await until(
    'the service is quiet',
    async () => {
      const gauge = await gauges(scene);
      const places = gauge('parcela_places_taken\\{caller="known"\\}');
      return gauge('parcela_connections') < CONNECTIONS_LEFT && places === 0;
    },
    QUIET_MILLISECONDS,
  );
  if (options.judgesTimes) await awaitResolved(crowd.bench, '');
}

async function gauges({ crowd }: Scene): Promise<(name: string) => number> {
  const text = await (await fetch(crowd.service.metricsUrl)).text();
  return (name) => Number(new RegExp(`^${name} ([\\d.e+-]+)`, 'm').exec(text)?.[1] ?? 0);
}

const cpuSeconds = async (scene: Scene) => (await gauges(scene))('process_cpu_seconds_total');

/** An attack in a process of its own: what it costs its own is not the service's. */
class Attacker {
  readonly #least: Required<Least>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #tally: Tally = { sent: 0, opened: 0, ended: 0, answers: {} };

  constructor(attack: Attack, target: Target) {
    const { sent = 0, opened = 0, answered = 0 } = attack.least;
    const sized = (count: number) => count * target.size;
    this.#least = { sent: sized(sent), opened: sized(opened), answered: sized(answered) };
    this.#child = fork(ATTACKER, { stdio: 'inherit', execArgv: [], env: cleanEnvironment({}) });
    this.#ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.on('message', (tally: Tally) => {
      this.#tally = tally;
    });
    this.#child.send({ attack: attack.name, target });
  }

  isUnderWay(): boolean {
    const { sent, opened, answers } = this.#tally;
    const answered = Object.values(answers).reduce((sum, count) => sum + count, 0);
    const { sent: leastSent, opened: leastOpened, answered: leastAnswered } = this.#least;
    return sent >= leastSent && opened >= leastOpened && answered >= leastAnswered;
  }

  async end(): Promise<Tally> {
    if (this.#child.connected) this.#child.send('stop');
    await this.#ended;
    return this.#tally;
  }
}

function mostDescriptors(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { hard: number | 'unlimited' } };
  };
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Number.POSITIVE_INFINITY;
}

export function attacksNamed(names: readonly string[] | null): readonly Attack[] | null {
  const found = ATTACKS.filter(({ name }) => names === null || names.includes(name));
  return names === null || found.length === names.length ? found : null;
}
