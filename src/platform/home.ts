import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The folder of this checkout or release: what is read at run time is found from here, for our code
 * runs from its sources and from a bundle elsewhere.
 */
export const HOME = dirname(findPackageJSON(import.meta.url) as string);

/** A program of ours by its source. */
type Program =
  | 'src/main.ts'
  | 'src/cli/parcela.ts'
  | `simulators/${'acquirer' | 'bank' | 'antifraud'}/main.ts`;

/** The first words for Node to run it, before those of its own. */
export function programOf(source: Program): [string, string] {
  return [join(HOME, 'bin', 'run.mjs'), source];
}
