import { spawnSync } from 'node:child_process';

/** A program that is needed beside Parcela, and the package of Debian that has it. */
export type DebianProgram = {
  readonly name: string;
  readonly package: string;
  readonly isThere: () => boolean;
};

/** For all of them, with the lists of packages and the way to Debian's mirrors. */
const LIMIT_MILLISECONDS = 5 * 60 * 1_000;
/** A mirror that is silent, or another apt-get that is under way, does not take the whole time. */
const PATIENCE = [
  ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20'],
  ...['-o', 'Acquire::Retries=2', '-o', 'DPkg::Lock::Timeout=60'],
];

/**
 * Installs what is missing, where apt-get may, and names what is not there in the end. Gives the
 * exit code.
 */
export function installFromDebian(
  programs: readonly DebianProgram[],
  limitMilliseconds = LIMIT_MILLISECONDS,
): number {
  const missing = () => programs.filter(({ isThere }) => !isThere());
  if (missing().length === 0) return 0;
  const endsAt = performance.now() + limitMilliseconds;
  // A new machine has no lists of packages, and old lists name what the mirrors no longer have.
  aptGet(endsAt, 'update');
  install(endsAt, missing());
  // One package that cannot be had keeps the others away, when they are asked for together.
  for (const program of missing()) install(endsAt, [program]);
  const left = missing();
  for (const { name } of left) console.log(`${name} could not be installed`);
  return left.length === 0 ? 0 : 1;
}

function install(endsAt: number, programs: readonly DebianProgram[]): void {
  if (programs.length === 0) return;
  const packages = programs.map((program) => program.package);
  aptGet(endsAt, 'install', '--yes', '--no-install-recommends', ...packages);
}

function aptGet(endsAt: number, ...words: readonly string[]): void {
  const milliseconds = Math.round(endsAt - performance.now());
  if (milliseconds <= 0) {
    console.log(`no time is left for apt-get ${words.join(' ')}`);
    return;
  }
  const { error } = spawnSync('apt-get', [...PATIENCE, ...words], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: milliseconds,
  });
  if (error !== undefined) console.log(`apt-get ${words[0]}: ${error.message}`);
}
