// Packs a release: what runs, with the locked packages that it needs, and nothing else.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Packed, tarball } from './tarball.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPM_MILLISECONDS = 5 * 60 * 1_000;
const run = promisify(execFile);

const HELP = `npm run release [-- [--with-node] [--to FOLDER]]

Packs parcela-VERSION.tar.gz: the program, its migrations and the packages that production needs, as package-lock.json locks
them. The same commit gives the same bytes. It runs on Node 26; --with-node packs the locked Node of this machine's
platform too, as parcela-VERSION-PLATFORM.tar.gz. FOLDER is release/ unless another one is named.
`;

/** What of the repository runs, or says to operators what to do. */
const SHIPPED = [
  /^(LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
  /^bin\//,
  /^migrations\//,
  /^(src|simulators)\/(?!.*\.test\.ts$)/,
  /^docs\/(?!walks\/)[\w/-]+(\.md|\.cfg|\.conf|sbom\.cdx\.json)$/,
  /^deploy\//,
];
/** Neither runs: programs of packages for a command line, and npm's own list. */
const NOT_SHIPPED = /(^|\/)node_modules\/(\.bin\/|\.package-lock\.json$)/;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
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
  console.log(
    `${size(packed.bytes.length)} packed, ${size(packed.unpacked)} in ${packed.files} files; sha256 ${sum}`,
  );
  return 0;
}

async function pack(withNode: boolean) {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const { version } = manifest;
  const platform = withNode ? `-${process.platform}-${process.arch}` : '';
  const top = `parcela-${version}${platform}`;
  const files = [
    ...(await programFiles()),
    ...(await packageFiles()),
    ...(withNode
      ? [{ path: 'node/bin/node', content: await readFile(process.execPath), isProgram: true }]
      : []),
    textFile('package.json', manifestOf(manifest)),
    textFile('release.json', await provenance(version, withNode)),
  ].map((file) => ({ ...file, path: `${top}/${file.path}` }));
  const unpacked = files.reduce((total, { content }) => total + content.length, 0);
  return { name: `${top}.tar.gz`, bytes: tarball(files), unpacked, files: files.length };
}

/** Of the files that are committed; what lies about in a checkout is not shipped. */
async function programFiles(): Promise<Packed[]> {
  const listed = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const paths = listed.stdout.split('\0').filter((path) => SHIPPED.some((pattern) => pattern.test(path)));
  return Promise.all(
    paths.map(async (path) => ({
      path,
      content: await readFile(join(ROOT, path)),
      isProgram: path.startsWith('bin/'),
    })),
  );
}

/** npm proves each package against the integrity in the lock file; its scripts are not run. */
async function packageFiles(): Promise<Packed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-release-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      await copyFile(join(ROOT, name), join(folder, name));
    const options = [
      '--omit=dev',
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    ];
    await run('npm', ['ci', ...options, '--no-engine-strict'], { cwd: folder, timeout: NPM_MILLISECONDS });
    const entries = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !NOT_SHIPPED.test(path));
    return await Promise.all(
      paths.map(async (path) => ({ path, content: await readFile(join(folder, path)), isProgram: false })),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without the scripts and the packages of a checkout. */
function manifestOf({ name, version, license, type, dependencies }: Manifest): object {
  return { name, version, private: true, license, type, dependencies };
}

/** From what it was made, without a time: the same commit is the same release. */
async function provenance(version: string, withNode: boolean): Promise<object> {
  const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).stdout.trim();
  const changed = (await run('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: ROOT })).stdout;
  const lock = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  return {
    version,
    commit,
    isChanged: changed.trim() !== '',
    lockSha256: lock.digest('hex'),
    node: withNode ? process.version : `${process.version.split('.')[0]}.x, not packed`,
  };
}

function textFile(path: string, value: object): Packed {
  return { path, content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`), isProgram: false };
}

process.exitCode = await main();
