import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The folder of this checkout or release. Files read at run time are found from here, because the code may
 * run from a bundle elsewhere.
 */
export const HOME = dirname(findPackageJSON(import.meta.url) as string);

type Program =
  | 'src/main.ts'
  | 'src/cli/parcela.ts'
  | `simulators/${'acquirer' | 'bank' | 'antifraud'}/main.ts`;

/** The first arguments for Node. */
export function programOf(source: Program): [string, string] {
  return [join(HOME, 'bin', 'run.mjs'), source];
}
