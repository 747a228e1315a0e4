// The bundle of what runs as a process: every program of ours in a few files, the packages of others beside them as they
// are. A folder built/ID is whole from the moment it is there and never changes; built/current.json says which one it is,
// and of which sources. It is used only where these are still what they were, by their content.
import { execFile } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('..', import.meta.url));
const BUILT = 'built';
const MANIFEST = 'current.json';
const METAFILE = 'metafile.json';
/** Programs by their sources, and the names of their bundles. */
const PROGRAMS = {
  'src/main.ts': 'service',
  'src/cli/parcela.ts': 'parcela',
  'simulators/acquirer/main.ts': 'acquirer',
  'simulators/bank/main.ts': 'bank',
  'simulators/antifraud/main.ts': 'antifraud',
  'simulators/rede/main.ts': 'rede',
  'simulators/cielo/main.ts': 'cielo',
  'simulators/pix/main.ts': 'pix',
};
/** A bundle depends on how it is built, and by which version of the builder. */
const BUILDER = ['bin/bundle.mjs', 'package.json'];
/** Those of other states of a checkout, between which people go back and forth. */
const BUNDLES_KEPT = 3;
/** Sources that change while they are read are read again. */
const MOST_TRIES = 5;

/**
 * The bundle of a program, or null where there is none of the sources as they are now. `home` is
 * the folder of a checkout or a release.
 */
export function bundleOf(program, home = HERE) {
  const manifest = readManifest(home);
  const entry = manifest?.programs[program];
  if (entry === undefined || digestOf(entry.sources, home) !== entry.digest) return null;
  return { folder: join(home, BUILT, manifest.id), main: join(home, BUILT, manifest.id, entry.file) };
}

/** Builds the bundle unless all programs have theirs. Several may do so at once. */
export async function freshBundle(home = HERE) {
  if (Object.keys(PROGRAMS).some((program) => bundleOf(program, home) === null)) await buildBundle(home);
}

/** Throws where the builder is not installed, nothing can be written, or the sources are wrong. */
export async function buildBundle(home = HERE, builder = builderOf(HERE)) {
  const built = join(home, BUILT);
  await mkdir(built, { recursive: true });
  const partial = await mkdtemp(join(built, '.partial-'));
  try {
    const programs = await buildInto(partial, home, builder);
    const id = hash('sha256', JSON.stringify(programs)).slice(0, 16);
    const manifest = { id, programs };
    // Other accounts run it too, as the units do, whatever umask builds it.
    await chmod(built, 0o755);
    await chmod(partial, 0o755);
    for (const one of await readdir(partial, { recursive: true, withFileTypes: true }))
      await chmod(join(one.parentPath, one.name), one.isDirectory() ? 0o755 : 0o644);
    await rename(partial, join(built, id)).catch((error) => {
      // The same sources were built by somebody else at the same time.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    const draft = join(built, `.${MANIFEST}-${process.pid}-${Date.now()}`);
    await writeFile(draft, `${JSON.stringify(manifest)}\n`);
    await chmod(draft, 0o644);
    await rename(draft, join(built, MANIFEST));
    removeOld(built, id);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Gives, by program, its file and the sources that went into it. */
async function buildInto(folder, home, builder) {
  const run = promisify(execFile);
  for (let tries = 1; ; tries += 1) {
    const before = contentsOf(sourcesIn(home), home);
    await run(builder, buildWords(folder), { cwd: home, maxBuffer: 16 * 1024 * 1024 });
    const { outputs } = JSON.parse(readFileSync(join(folder, METAFILE), 'utf8'));
    const byPath = new Map(Object.entries(outputs).map(([path, output]) => [join(home, path), output]));
    const programs = {};
    for (const [program, name] of Object.entries(PROGRAMS)) {
      const sources = sourcesOf(join(folder, `${name}.js`), byPath, home);
      programs[program] = { file: `${name}.js`, digest: digestOf(sources, home), sources };
    }
    const used = new Set(Object.values(programs).flatMap(({ sources }) => sources));
    const after = contentsOf([...used], home);
    const changed = [...used].filter((path) => before.get(path) !== after.get(path));
    if (changed.length === 0) {
      await rm(join(folder, METAFILE));
      return programs;
    }
    if (tries === MOST_TRIES) throw new Error(`sources change while they are built: ${changed[0]}`);
    await rm(folder, { recursive: true });
    await mkdir(folder);
  }
}

function buildWords(folder) {
  return [
    ...Object.entries(PROGRAMS).map(([program, name]) => `${name}=${program}`),
    `--outdir=${folder}`,
    `--metafile=${join(folder, METAFILE)}`,
    ...['--bundle', '--splitting', '--format=esm', '--platform=node', '--target=node26'],
    // What runs as readers find it, beside the bundle.
    ...['--external:#shop', '--external:#client'],
    ...['--packages=external', '--sourcemap', '--sources-content=false', '--log-level=error'],
    // Names that do not change with the rest of a file are of no use: a folder is of one state.
    ...['--chunk-names=chunks/[name]-[hash]', '--tsconfig-raw={}'],
  ];
}

/** What a bundle loads, at its start or later, and what all that was made of. */
function sourcesOf(main, byPath, home) {
  const [seen, sources] = [new Set(), new Set(BUILDER)];
  const visit = (path) => {
    const output = byPath.get(path);
    if (output === undefined || seen.has(path)) return;
    seen.add(path);
    for (const source of Object.keys(output.inputs)) sources.add(source);
    for (const wanted of output.imports) if (!wanted.external) visit(join(home, wanted.path));
  };
  visit(main);
  return [...sources].sort();
}

function sourcesIn(home) {
  const below = (folder) =>
    readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length).replace(/^\//, ''));
  return [
    ...BUILDER,
    ...below('src'),
    ...below('homologation'),
    ...below('packages'),
    ...below('simulators'),
  ];
}

function contentsOf(paths, home) {
  return new Map(paths.map((path) => [path, hash('sha256', readFileSync(join(home, path)))]));
}

/** Of paths and contents; null when one is missing. */
function digestOf(paths, home) {
  const sum = createHash('sha256');
  try {
    for (const path of paths) {
      const content = readFileSync(join(home, path));
      sum.update(`${path}\0${content.length}\0`).update(content);
    }
  } catch {
    return null;
  }
  return sum.digest('hex');
}

function readManifest(home) {
  try {
    return JSON.parse(readFileSync(join(home, BUILT, MANIFEST), 'utf8'));
  } catch {
    return null;
  }
}

function removeOld(built, id) {
  const ageOf = (name) => {
    try {
      return statSync(join(built, name)).mtimeMs;
    } catch {
      return 0;
    }
  };
  const others = readdirSync(built).filter((name) => /^[\da-f]{16}$/.test(name) && name !== id);
  const old = others.sort((one, other) => ageOf(other) - ageOf(one)).slice(BUNDLES_KEPT - 1);
  for (const name of old) rmSync(join(built, name), { recursive: true, force: true });
}

/** The builder is one program, in a package for each kind of machine. */
export function builderOf(home) {
  return join(home, `node_modules/@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
}
