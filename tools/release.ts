// Packs a release: what runs, with the locked packages that it needs, and nothing else.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { buildBundle } from '../bin/bundle.mjs';
import { type Packed, tarball } from './tarball.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPM_MILLISECONDS = 5 * 60 * 1_000;
const PRINT_MILLISECONDS = 60_000;
const MOST_BYTES = 256 * 1024 * 1024;
const PROGRAM_MODE = '100755';
const run = promisify(execFile);

const HELP = `npm run release [-- [--with-node] [--to FOLDER]]

Packs parcela-VERSION.tar.gz: the program with its bundle, its migrations and the packages that production needs, as package-lock.json locks
them. It is made of the commit that is checked out, whatever lies in the folder beside it: the same commit gives the same
bytes. It runs on Node 26; --with-node packs the locked Node of this machine's
platform too, as parcela-VERSION-PLATFORM.tar.gz. FOLDER is release/ unless another one is named.
`;

/** What of the repository runs, or says to operators what to do; with what those pages link to. */
const SHIPPED = [
  /^(LICENSE|[\w.-]+\.md)$/,
  /^bin\//,
  /^migrations\//,
  /^(src|homologation|packages|simulators|clients)\/(?!.*\.test\.ts$)/,
  /^(docs|decisions|examples)\//,
  /^deploy\//,
];
/** Neither runs: programs of packages for a command line, and npm's own list. */
const NOT_SHIPPED = /(^|\/)node_modules\/(\.bin\/|\.package-lock\.json$)/;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, 'with-node': { type: 'boolean' }, to: { type: 'string' } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const folder = values.to ?? join(ROOT, 'release');
  const packed = await pack(values['with-node'] === true);
  await mkdir(folder, { recursive: true });
  const path = join(folder, packed.name);
  await writeFile(path, packed.bytes);
  const sum = createHash('sha256').update(packed.bytes).digest('hex');
  await writeFile(`${path}.sha256`, `${sum}  ${packed.name}\n`);
  const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(path);
  const changed = await git(['status', '--porcelain', '--untracked-files=no']);
  if (changed.length > 0) console.log('without the changes in this checkout that are not committed');
  console.log(
    `${size(packed.bytes.length)} packed, ${size(packed.unpacked)} in ${packed.files} files; sha256 ${sum}`,
  );
  return 0;
}

async function pack(withNode: boolean) {
  const committed = await committedFiles();
  const contentOf = (name: string) => {
    const file = committed.find(({ path }) => path === name);
    if (file === undefined) throw new Error(`${name} is not committed`);
    return file.content;
  };
  const manifest = JSON.parse(contentOf('package.json').toString()) as Manifest;
  const { version } = manifest;
  const platform = withNode ? `-${process.platform}-${process.arch}` : '';
  const top = `parcela-${version}${platform}`;
  const program = [
    ...committed.filter(({ path }) => SHIPPED.some((pattern) => pattern.test(path))),
    ...(await madeDocuments(committed)),
    textFile('package.json', manifestOf(manifest)),
  ];
  const bundle = await bundleFiles(program);
  const files = [
    ...program,
    ...(await packageFiles(contentOf)),
    ...bundle,
    ...(withNode
      ? [{ path: 'node/bin/node', content: await readFile(process.execPath), isProgram: true }]
      : []),
    textFile('release.json', await provenance(version, contentOf('package-lock.json'), withNode)),
  ].map((file) => ({ ...file, path: `${top}/${file.path}` }));
  const unpacked = files.reduce((total, { content }) => total + content.length, 0);
  return { name: `${top}.tar.gz`, bytes: tarball(files), unpacked, files: files.length };
}

/** Of the commit itself: what was changed in a checkout, or lies about there, is not shipped. */
async function committedFiles(): Promise<Packed[]> {
  const listed = (await git(['ls-tree', '-r', '-z', 'HEAD'])).toString().split('\0').filter(Boolean);
  const files = listed.map((line) => {
    const [about = '', path = ''] = line.split('\t');
    const [mode = '', , id = ''] = about.split(' ');
    return { path, id, isProgram: mode === PROGRAM_MODE };
  });
  const printed = await git(['cat-file', '--batch'], files.map(({ id }) => `${id}\n`).join(''));
  let at = 0;
  return files.map(({ path, isProgram }) => {
    // A line `id type size`, the content, and a line's end.
    const begin = printed.indexOf('\n', at) + 1;
    const size = Number(printed.toString('utf8', at, begin).trim().split(' ')[2]);
    if (!Number.isSafeInteger(size)) throw new Error(`git has no content of ${path}`);
    at = begin + size + 1;
    return { path, content: printed.subarray(begin, begin + size), isProgram };
  });
}

async function git(words: readonly string[], given = ''): Promise<Buffer> {
  const running = run('git', [...words], { cwd: ROOT, maxBuffer: MOST_BYTES, encoding: 'buffer' });
  // One that has read enough and is gone says by its exit code whether that was well.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(given);
  return (await running).stdout;
}

/** npm proves each package against the integrity in the lock file; its scripts are not run. */
async function packageFiles(contentOf: (name: string) => Buffer): Promise<Packed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-release-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      await writeFile(join(folder, name), contentOf(name));
    const options = [
      '--omit=dev',
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    ];
    await run('npm', ['ci', ...options, '--no-engine-strict'], { cwd: folder, timeout: NPM_MILLISECONDS });
    const files = await filesBelow(folder, 'node_modules');
    return files.filter(({ path }) => !NOT_SHIPPED.test(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the commit prints and does not keep: descriptions for programs. */
async function madeDocuments(committed: readonly Packed[]): Promise<Packed[]> {
  const kept = new Set(committed.map(({ path }) => path));
  const files = await filesMade(committed, 'docs', async (folder) => {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await run(process.execPath, ['tools/print.ts'], { cwd: folder, timeout: PRINT_MILLISECONDS });
  });
  return files.filter(({ path }) => !kept.has(path));
}

/** Built of what is shipped beside it: the start finds that it is the bundle of these sources. */
async function bundleFiles(program: readonly Packed[]): Promise<Packed[]> {
  return await filesMade(program, 'built', async (folder) => void (await buildBundle(folder)));
}

/** What stands below `below` when `make` has run in a folder that holds `given`. */
async function filesMade(
  given: readonly Packed[],
  below: string,
  make: (folder: string) => Promise<void>,
): Promise<Packed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-release-'));
  try {
    for (const { path, content } of given) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await make(folder);
    return await filesBelow(folder, below);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesBelow(folder: string, below: string): Promise<Packed[]> {
  const entries = await readdir(join(folder, below), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return await Promise.all(
    paths.map(async (path) => ({ path, content: await readFile(join(folder, path)), isProgram: false })),
  );
}

/** Without the scripts and the packages of a checkout. */
function manifestOf({ name, version, license, type, imports, dependencies }: Manifest): object {
  return { name, version, private: true, license, type, imports, dependencies };
}

/** From what it was made, without a time: the same commit is the same release. */
async function provenance(version: string, lock: Buffer, withNode: boolean): Promise<object> {
  return {
    version,
    commit: (await git(['rev-parse', 'HEAD'])).toString().trim(),
    lockSha256: createHash('sha256').update(lock).digest('hex'),
    node: withNode ? process.version : `${process.version.split('.')[0]}.x, not packed`,
  };
}

function textFile(path: string, value: object): Packed {
  return { path, content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`), isProgram: false };
}

process.exitCode = await main();
