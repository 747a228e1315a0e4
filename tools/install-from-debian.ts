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
  const options = ['install', '--yes', '--no-install-recommends', ...missing];
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const command of [options, ['update'], options]) {
    const { error, status } = spawnSync('apt-get', command, { env: environment, stdio: 'inherit' });
    if (error !== undefined) break;
    if (status === 0 && command === options) break;
  }
  const left = programs.filter(({ isThere }) => !isThere());
  for (const { name } of left) console.log(`${name} could not be installed`);
  return left.length === 0 ? 0 : 1;
}
