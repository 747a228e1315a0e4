import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { appendFile, copyFile, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SETTINGS } from '../../src/app/settings.ts';
import { MACHINE_FILES, OWNER_FILE } from '../../src/platform/machine-settings.ts';
import { skipWithout } from '../../tools/test-programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/parcela');
const DIGEST = `sha256:${'0'.repeat(64)}`;
const run = promisify(execFile);

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Names of the compose file itself. */
const OF_COMPOSE = ['PARCELA_IMAGE'];

test('every setting that the files name is one that there is', () => {
  const known = new Set([...SETTINGS.map(({ name }) => name), ...OF_COMPOSE]);
  const files = globSync('deploy/**/{*.yaml,*.service,*.conf,*.tpl,Containerfile}', { cwd: ROOT });
  assert.ok(files.length > 12);
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/\b(PARCELA_[A-Z_]+|DATABASE_URL(?:_FILE)?)\b/g)].map(
      ([, name = '']) => `${file}: ${name}`,
    ),
  );
  assert.deepEqual(
    named.filter((line) => !known.has(line.split(': ')[1] ?? '')),
    [],
  );
});

test('a command by hand knows the files of the units and their drop-ins, and no others', () => {
  const textsOf = (pattern: string) =>
    globSync(pattern, { cwd: join(ROOT, 'deploy/systemd') }).map((name) =>
      textOf(join('deploy/systemd', name)),
    );
  const filesOf = (texts: readonly string[]) =>
    Object.fromEntries(
      texts.flatMap((text) => {
        const loaded = [...text.matchAll(/^LoadCredential=(\S+):\/etc\/parcela\/(\S+)$/gm)];
        const set = [...text.matchAll(/^Environment=(\w+)=%d\/(\S+)$/gm)];
        // Each is loaded under its own name, and set to what was loaded.
        assert.deepEqual(
          loaded.map(([, as, name]) => [as, name]),
          set.map(([, , name]) => [name, name]),
        );
        return set.map(([, setting = '', name = '']) => [name, setting]);
      }),
    );
  const ofService = filesOf(textsOf('{parcela@.service,parcela@.service.d/*.conf}'));
  assert.deepEqual(ofService, MACHINE_FILES);
  const ofMigrate = filesOf(textsOf('parcela-migrate.service'));
  assert.deepEqual(ofMigrate, {
    'database-url': MACHINE_FILES['database-url'],
    key: MACHINE_FILES.key,
    [OWNER_FILE.name]: OWNER_FILE.setting,
  });
});

test('no image comes by a name that may move', () => {
  for (const file of ['deploy/compose.yaml', 'deploy/Containerfile']) {
    const moved = textOf(file).matchAll(
      /^\s*(?:image:|FROM)\s+(?!\$\{(?:BASE\}|PARCELA_IMAGE|\w+_IMAGE:\?))(.*)$/gm,
    );
    assert.deepEqual(
      [...moved].map(([line]) => line),
      [],
    );
  }
  assert.match(textOf('deploy/helm/parcela/templates/_helpers.tpl'), /@\{\{ required "image\.digest/);
});

test('the proxy before the console of the compose file is the one of the documents', () => {
  const ours = textOf('deploy/compose/console.nginx.conf')
    .replace('parcela-1:8090', '127.0.0.1:18081')
    .replace('parcela-2:8090', '127.0.0.1:18082')
    .replaceAll('/etc/nginx/tls/parcela.', '/etc/nginx/console.');
  const afterTitle = (text: string) => text.split('\n').slice(2);
  assert.deepEqual(afterTitle(ours), afterTitle(textOf('docs/proxy/console.nginx.conf')));
  // People reach it where the service expects them.
  const compose = textOf('deploy/compose.yaml');
  const [, port] = /PARCELA_CONSOLE_ORIGIN: https:\/\/localhost:(\d+)$/m.exec(compose) ?? [];
  assert.match(compose, new RegExp(`"127\\.0\\.0\\.1:${port}:8443"`));
  assert.match(compose, /PARCELA_CONSOLE_PORT: "8090"/);
});

test('the proxy of the compose file is the one that the restarts are proven behind', () => {
  const proven = textOf('docs/proxy/nginx.conf').split('\n').slice(2);
  const ours = textOf('deploy/compose/nginx.conf')
    .replace('parcela-1:8080', '127.0.0.1:8081')
    .replace('parcela-2:8080', '127.0.0.1:8082')
    .replaceAll('/etc/nginx/tls/', '/etc/nginx/')
    .replace('proxy_read_timeout 75s', 'proxy_read_timeout 30s')
    .split('\n')
    .slice(2);
  assert.deepEqual(ours, proven);
});

/** The paths of a YAML file of mappings, those in one line too: `migration.enabled`. */
function pathsOf(yaml: string): Set<string> {
  const paths = new Set<string>();
  const above: { readonly indent: number; readonly path: string }[] = [];
  for (const line of yaml.split('\n')) {
    const [, space = '', key, rest = ''] = /^( *)([\w.-]+):(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    while ((above.at(-1)?.indent ?? -1) >= space.length) above.pop();
    const path = [...above.map((one) => one.path).slice(-1), key].join('.');
    above.push({ indent: space.length, path });
    paths.add(path);
    // Of what stands in braces the first level is enough.
    const inside = /^ \{ (.*) \}$/.exec(rest)?.[1] ?? '';
    for (const [, word = ''] of inside.matchAll(/(?:^|, )([\w.-]+):/g)) paths.add(`${path}.${word}`);
  }
  return paths;
}

test('every value that the chart uses has a preset', () => {
  const presets = pathsOf(textOf('deploy/helm/parcela/values.yaml'));
  assert.ok(presets.has('secrets.key.name') && !presets.has('key.name'));
  const used = globSync('templates/*', { cwd: CHART }).flatMap((file) =>
    [...readFileSync(join(CHART, file), 'utf8').matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) =>
      path.slice(1),
    ),
  );
  assert.ok(used.length > 20);
  assert.deepEqual(
    used.filter((path) => !presets.has(path)),
    [],
  );
});

test('on the machine nobody but their owner passes to the secrets of the compose file, and they stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-compose-'));
  try {
    const script = join(folder, 'secrets.sh');
    await copyFile(join(ROOT, 'deploy/compose/secrets.sh'), script);
    const modeOf = async (name: string) => ((await stat(join(folder, name))).mode & 0o777).toString(8);
    const make = () => run('sh', ['-c', 'umask 022; exec sh "$1"', 'sh', script]);
    await make();
    const made = await readFile(join(folder, 'secrets/owner-password'), 'utf8');
    assert.match(made, /^[\da-f]{48}\n$/);
    await make();
    assert.equal(await readFile(join(folder, 'secrets/owner-password'), 'utf8'), made);
    const names = ['secrets', 'tls', 'secrets/owner-password', 'tls/parcela.key'];
    assert.deepEqual(await Promise.all(names.map(modeOf)), ['700', '700', '644', '600']);
    const named = textOf('deploy/compose.yaml').matchAll(/file: \.\/compose\/(\S+) /g);
    for (const [, name = ''] of named) assert.equal(await modeOf(name), '644');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('systemd takes the units', {
  skip: skipWithout('systemd-analyze'),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-units-'));
  try {
    const units = globSync('deploy/{systemd,patroni}/*.service', { cwd: ROOT });
    assert.equal(units.length, 4);
    const paths = await Promise.all(
      units.map(async (unit) => {
        const path = join(folder, unit.split('/').at(-1) ?? '');
        // The programs need not be here.
        const text = textOf(unit).replaceAll(/^(ExecStart=)\S+/gm, `$1${join(ROOT, 'bin/parcela')}`);
        await writeFile(path, text);
        return path;
      }),
    );
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...paths]);
    assert.equal(stderr, '');
    const dropIns = 'parcela@.service.d';
    for (const name of [dropIns, 'parcela-migrate.service.d'])
      await cp(join(ROOT, 'deploy/systemd', dropIns), join(folder, name), { recursive: true });
    const unit = join(folder, 'parcela@8081.service');
    await copyFile(join(folder, 'parcela@.service'), unit);
    const both = [unit, join(folder, 'parcela-migrate.service')];
    assert.equal((await run('systemd-analyze', ['verify', '--man=no', ...both])).stderr, '');
    await appendFile(join(folder, dropIns, 'console.conf'), 'Enviroment=X=1\n');
    assert.match((await run('systemd-analyze', ['verify', '--man=no', unit])).stderr, /Enviroment/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const hasHelm = spawnSync('helm', ['--help']).error === undefined;
const withoutHelm = hasHelm ? false : 'helm is not installed';

test('the chart is whole, takes existing secrets only and needs a digest', {
  skip: withoutHelm,
}, async () => {
  const set = ['--set', `image.digest=${DIGEST}`, '--set', 'serviceMonitor.enabled=true'];
  const token = ['--set', 'secrets.metricsToken.name=parcela-metrics'];
  await run('helm', ['lint', CHART, ...set, ...token]);
  const template = ['template', 'shop', CHART, '--kube-version', '1.30.0', ...set];
  const people = ['--set', 'console.origin=https://console.example.com'];
  const client = ['--set', 'secrets.oidcClient.name=parcela-oidc'];
  const opened = await run('helm', [...template, ...token, ...people, ...client]);
  assert.match(opened.stdout, /name: shop-console$/m);
  assert.match(opened.stdout, /PARCELA_CONSOLE_ORIGIN, value: "https:\/\/console\.example\.com"/);
  assert.match(opened.stdout, /ports: \[\{ port: console \}\]/);
  assert.match(opened.stdout, /secretName: parcela-oidc$/m);
  const { stdout } = await run('helm', [...template, ...token]);
  assert.doesNotMatch(stdout, /console|oidc/i);
  await assert.rejects(run('helm', template), /metricsToken/);
  const kinds = [...stdout.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind).sort();
  assert.deepEqual(kinds, [
    'Deployment',
    'Job',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
    'ServiceMonitor',
  ]);
  // The owner of the tables is known to the job that migrates, and to nothing else.
  for (const part of stdout.split(/^---$/m))
    assert.equal(/parcela-owner-database/.test(part), /^kind: Job$/m.test(part));
  assert.match(stdout, /readOnlyRootFilesystem: true/);
  assert.match(stdout, /terminationGracePeriodSeconds: 45$/m);
  await assert.rejects(run('helm', ['template', 'shop', CHART, '--kube-version', '1.30.0']), /image\.digest/);
});
