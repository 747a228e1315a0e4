import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of this release. Files read at run time are found from here, even from a bundle elsewhere. */
export const HOME = dirname(findPackageJSON(import.meta.url) as string);

type Program =
  | 'src/main.ts'
  | 'src/cli/parcela.ts'
  | `simulators/${'acquirer' | 'bank' | 'antifraud' | 'pix' | 'rede' | 'cielo'}/main.ts`;

export function programOf(source: Program): [string, string] {
  return [join(HOME, 'bin', 'run.mjs'), source];
}
