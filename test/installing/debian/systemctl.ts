// What the units of deploy/systemd say, done without systemd: `systemctl` in the namespace of the test.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const UNITS = '/etc/systemd/system';
const STATE = '/run/units';
const STOP_MILLISECONDS = 60_000;

/** Of [Service]; what keeps the process from something is left to systemd. */
const DONE = [
  ...['Type', 'User', 'Group', 'Environment', 'EnvironmentFile', 'LoadCredential', 'ExecStart'],
  ...['StateDirectory', 'StateDirectoryMode', 'UMask'],
];
const LEFT =
  /^(Timeout\w+|Restart\w*|Limit\w+|NoNewPrivileges|Protect\w+|Private\w+|Restrict\w+|LockPersonality|SystemCall\w+|CapabilityBoundingSet)$/;

type Unit = { all(key: string): string[]; one(key: string): string };

function readUnit(name: string): Unit {
  const [, template = '', instance = ''] = /^([^@]+@?)(.*?)(?:\.service)?$/.exec(name) ?? [];
  const file = join(UNITS, `${template.replace(/\.service$/, '')}.service`);
  const credentials = join(STATE, name, 'credentials');
  const files = [file, ...globSync(`${file}.d/*.conf`).sort()];
  const lines = files.flatMap((path) => readFileSync(path, 'utf8').split('\n'));
  const start = lines.indexOf('[Service]');
  const settings = lines.slice(start).flatMap((line) => {
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || key === 'WantedBy') return [];
    if (!DONE.includes(key) && !LEFT.test(key)) throw new Error(`${name}: ${key} is not done here`);
    return [[key, value.replaceAll('%i', instance).replaceAll('%d', credentials)] as const];
  });
  const all = (key: string) => settings.filter(([one]) => one === key).map(([, value]) => value);
  return { all, one: (key) => all(key).at(-1) ?? '' };
}

function assignments(text: string): [string, string][] {
  return text
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
}

/** The number of an account or a group. */
function numberOf(name: string, file: '/etc/passwd' | '/etc/group'): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  if (line === undefined) throw new Error(`there is no ${name} in ${file}`);
  return Number(line.split(':')[2]);
}

/** Gives the exit code of what runs once, and 0 for what runs on. */
function start(name: string): number {
  process.umask(0o022);
  const unit = readUnit(name);
  const [uid, gid] = [numberOf(unit.one('User'), '/etc/passwd'), numberOf(unit.one('Group'), '/etc/group')];
  const credentials = join(STATE, name, 'credentials');
  rmSync(credentials, { recursive: true, force: true });
  mkdirSync(credentials, { recursive: true });
  for (const loaded of unit.all('LoadCredential')) {
    const [as = '', from = ''] = loaded.split(':');
    copyFileSync(from, join(credentials, as));
    chmodSync(join(credentials, as), 0o400);
    chownSync(join(credentials, as), uid, gid);
  }
  chownSync(credentials, uid, gid);
  const state = join('/var/lib', unit.one('StateDirectory'));
  mkdirSync(state, { recursive: true });
  chmodSync(state, Number.parseInt(unit.one('StateDirectoryMode'), 8));
  chownSync(state, uid, gid);
  const environment = Object.fromEntries([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin'],
    ['CREDENTIALS_DIRECTORY', credentials],
    ...assignments(unit.all('Environment').join('\n')),
    ...unit.all('EnvironmentFile').flatMap((path) => assignments(readFileSync(path, 'utf8'))),
  ]);
  process.umask(Number.parseInt(unit.one('UMask'), 8));
  const log = openSync(`/var/log/${name}.log`, 'a', 0o600);
  const [program = '', ...words] = unit.one('ExecStart').split(' ');
  const how = { uid, gid, env: environment, cwd: '/', stdio: ['ignore', log, log] as ('ignore' | number)[] };
  if (unit.one('Type') === 'oneshot') return spawnSync(program, words, how).status ?? 1;
  const child = spawn(program, words, { ...how, detached: true });
  child.unref();
  writeFileSync(pidFile(name), String(child.pid));
  return 0;
}

const pidFile = (name: string) => join(STATE, `${name}.pid`);

/** Null: it does not run. */
function pidOf(name: string): number | null {
  if (name === 'nginx') return livingPid('/run/nginx.pid');
  return livingPid(pidFile(name));
}

function livingPid(file: string): number | null {
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8'));
  if (!existsSync(`/proc/${pid}/stat`)) return null;
  return / \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? null : pid;
}

async function stop(name: string): Promise<void> {
  const pid = pidOf(name);
  if (pid === null) return;
  process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + STOP_MILLISECONDS; pidOf(name) !== null; await sleep(50))
    if (Date.now() > end) throw new Error(`${name} does not stop`);
}

/** Units of Debian's own packages. */
function startProxy(name: 'haproxy' | 'nginx'): number {
  process.umask(0o022);
  if (name === 'nginx') return spawnSync('nginx', { stdio: 'inherit' }).status ?? 1;
  // BindReadOnlyPaths=
  writeFileSync('/var/lib/haproxy/dev/log', '');
  spawnSync('mount', ['--bind', '/dev/log', '/var/lib/haproxy/dev/log']);
  const log = openSync('/var/log/haproxy-itself.log', 'a');
  const child = spawn('haproxy', ['-W', '-f', '/etc/haproxy/haproxy.cfg'], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  child.unref();
  writeFileSync(pidFile(name), String(child.pid));
  return 0;
}

const isProxy = (name: string): name is 'haproxy' | 'nginx' => name === 'haproxy' || name === 'nginx';

async function run(words: readonly string[]): Promise<number> {
  const [verb = '', ...names] = words.filter((word) => !word.startsWith('--'));
  const isNow = words.includes('--now');
  if (verb === 'daemon-reload') return 0;
  const codes: number[] = [];
  for (const given of names) {
    const name = basename(given, '.service');
    if (verb === 'is-active') codes.push(pidOf(name) === null ? 3 : 0);
    else if (verb === 'enable' && !isNow) continue;
    else if (verb === 'stop') await stop(name);
    else if (['start', 'enable', 'restart', 'reload-or-restart'].includes(verb)) {
      if (verb.endsWith('restart')) await stop(name);
      codes.push(isProxy(name) ? startProxy(name) : start(name));
    } else throw new Error(`systemctl ${verb} is not done here`);
  }
  return Math.max(0, ...codes);
}

process.umask(0o022);
mkdirSync(STATE, { recursive: true });
process.exitCode = await run(process.argv.slice(2));
