// Runs a program of Parcela, named by its source: `node bin/run.mjs src/main.ts`. What runs is its bundle, which starts in
// half the time; one is built where the sources are not those of the last one. Where none can be built the sources run.
import { access } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildBundle, builderOf, bundleOf } from './bundle.mjs';
import { nameSources } from './source-lines.mjs';

const home = fileURLToPath(new URL('..', import.meta.url));

async function freshBundleOf(program) {
  const found = bundleOf(program, home);
  if (found !== null) return found;
  try {
    await access(builderOf(home));
    await buildBundle(home);
    return bundleOf(program, home);
  } catch (error) {
    process.stderr.write(`Running from the sources, which starts slower: ${error.message}\n`);
    return null;
  }
}

const [program] = process.argv.splice(2, 1);
const bundle = await freshBundleOf(program);
process.argv[1] = join(home, program);
// Nothing is kept where this account cannot write beside the programs.
enableCompileCache(bundle === null ? join(home, 'built', 'code') : join(bundle.folder, 'code'));
if (bundle !== null) nameSources(bundle.folder);
await import(pathToFileURL(bundle?.main ?? process.argv[1]).href);
