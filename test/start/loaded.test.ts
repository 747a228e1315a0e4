import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { bundleOf, freshBundle } from '../../bin/bundle.mjs';
import { loadHomologation } from '../../src/app/homologation.ts';
import { HOME } from '../../src/platform/home.ts';

before(() => freshBundle());

/** Sources of what a file of the bundle loads before it runs. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = await readFile(file, 'utf8');
  const { sources } = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { sources: string[] };
  const found = sources.map((source) => join(dirname(file), source).slice(HOME.length + 1));
  for (const [, wanted = ''] of text.matchAll(/^(?:\} from|import(?:[^"';]* from)?) "(\.[^"]+)";$/gm))
    found.push(...(await loadedBy(join(dirname(file), wanted), seen)));
  return found;
}

test('what production loads has nothing of homologation and of the simulators in it', async () => {
  const bundle = bundleOf('src/main.ts');
  assert.ok(bundle !== null);
  const loaded = await loadedBy(bundle.main);
  assert.ok(loaded.length > 500 && loaded.includes('src/app/open-app.ts'), `${loaded.length}`);
  const ofHomologation = (path: string) => /^(homologation|simulators)\//.test(path);
  assert.deepEqual(loaded.filter(ofHomologation), []);
  const chunks = (await readdir(join(bundle.folder, 'chunks'))).filter((name) => name.endsWith('.js'));
  const all = await Promise.all(chunks.map((name) => loadedBy(join(bundle.folder, 'chunks', name))));
  assert.ok(all.flat().some(ofHomologation));
});

test('whoever asks for homologation in production gets an error instead', async () => {
  await assert.rejects(loadHomologation('production'), /production loads nothing of homologation/);
});
