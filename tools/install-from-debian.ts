import { spawnSync } from 'node:child_process';

/** A program that tests need beside Parcela, and the package of Debian that has it. */
export type DebianProgram = {
  readonly name: string;
  readonly package: string;
  readonly isThere: () => boolean;
};

/** Installs what is missing, where apt-get may, and gives the exit code: 0 when all are there in the end. */
export function installFromDebian(programs: readonly DebianProgram[]): number {
  const missing = programs.filter(({ isThere }) => !isThere()).map((program) => program.package);
  if (missing.length === 0) return 0;
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  // Where the lists of packages are old or were never read, they are read and it is tried again.
  if (!aptGet(...install)) {
    aptGet('update');
    aptGet(...install);
  }
  const left = programs.filter(({ isThere }) => !isThere());
  for (const { name } of left) console.log(`${name} could not be installed`);
  return left.length === 0 ? 0 : 1;
}

/** Whether it did what it was asked to. */
function aptGet(...words: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { env, stdio: 'inherit' }).status === 0;
}
