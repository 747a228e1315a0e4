import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { runningAs, type ServerAccount } from '../../homologation/embedded-postgres/server-account.ts';
import { freePort } from '../chaos-simulators.ts';

/** Set where this process has a network of its own, in which links may be cut. */
const OWN_NETWORK = 'FAILOVER_NETWORK';
/** For measurements between machines (RFC 2544): nothing of it leaves the namespace. */
const NET = '198.18.0';
const BRIDGE = 'parcela0';
const FOREVER = '2000000000';

/** The names of the ports of a data node, as the files in deploy/ have them. */
export const PORTS = { postgres: 5432, rest: 8008, etcdClient: 2379, etcdPeer: 2380 } as const;
export type Ports = Readonly<Record<keyof typeof PORTS, number>>;

/** One machine: a network namespace with a link that can be cut, or ports of this machine's loopback. */
export type Machine = {
  readonly host: string;
  readonly ports: Ports;
  spawn(file: string, args: readonly string[], logFile: number): ChildProcess;
  /** Packets vanish from then on, and nobody is notified. Null: not possible here. */
  readonly link: { cut(): void; heal(): void } | null;
  close(): void;
};

/**
 * Runs this program once more in a network namespace, and gives its exit code; null: it is in one, or
 * the machine allows none.
 */
export async function runInOwnNetwork(): Promise<number | null> {
  if (process.env[OWN_NETWORK] !== undefined || !canMakeNetworks()) return null;
  const again = [...process.execArgv, ...process.argv.slice(1)];
  const child = spawn('unshare', ['--net', process.execPath, ...again], {
    stdio: 'inherit',
    env: { ...process.env, [OWN_NETWORK]: '1' },
  });
  // Ctrl-C reaches it as it reaches us: it cleans up and ends, and then we do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 2)));
}

function canMakeNetworks(): boolean {
  const tries = [
    ['unshare', '--net', 'ip', 'link', 'set', 'lo', 'up'],
    ['setpriv', '--version'],
  ];
  return tries.every(([file = '', ...args]) => spawnSync(file, args).status === 0);
}

export const hasOwnNetwork = () => process.env[OWN_NETWORK] !== undefined;

/** The network that machines may ask each other from, as pg_hba.conf has it. */
export const machinesNet = () => (hasOwnNetwork() ? `${NET}.0/24` : '127.0.0.1/32');

/** Between the machines and this process, once. */
export function openNetwork(): void {
  if (!hasOwnNetwork()) return;
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge');
  run('ip', 'addr', 'add', `${NET}.1/24`, 'dev', BRIDGE);
  run('ip', 'link', 'set', BRIDGE, 'up');
}

export async function openMachine(number: number, account: ServerAccount | null): Promise<Machine> {
  return hasOwnNetwork() ? openNamespace(number, account) : openOnLoopback(account);
}

function openNamespace(number: number, account: ServerAccount | null): Machine {
  const [link, host] = [`parcela${number}`, `${NET}.${10 + number}`];
  // It keeps the namespace; the kernel removes that, and the link, when the last process has gone.
  const keeper = spawn('unshare', ['--net', 'sleep', FOREVER], { stdio: 'ignore' });
  const id = String(keeper.pid);
  const inside = (...words: readonly string[]) => run('nsenter', '--target', id, '--net', ...words);
  untilApart(id);
  run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', id);
  run('ip', 'link', 'set', link, 'master', BRIDGE);
  run('ip', 'link', 'set', link, 'up');
  inside('ip', 'addr', 'add', `${host}/24`, 'dev', 'eth0');
  inside('ip', 'link', 'set', 'eth0', 'up');
  inside('ip', 'link', 'set', 'lo', 'up');
  const asAccount =
    account === null
      ? []
      : ['setpriv', `--reuid=${account.userId}`, `--regid=${account.groupId}`, '--clear-groups'];
  return {
    host,
    ports: PORTS,
    spawn(file, args, logFile) {
      const words = ['--target', id, '--net', ...asAccount, file, ...args];
      const { cwd, env } = runningAs(account);
      return spawn('nsenter', words, { cwd, env: withSystemPath(env), stdio: ['ignore', logFile, logFile] });
    },
    link: {
      cut: () => run('ip', 'link', 'set', link, 'down'),
      heal: () => run('ip', 'link', 'set', link, 'up'),
    },
    close: () => void keeper.kill('SIGKILL'),
  };
}

const withSystemPath = (env: Record<string, string>) => ({ ...env, PATH: `${env.PATH}:/usr/sbin:/sbin` });

/** `unshare` has made its namespace when its network differs from ours. */
function untilApart(id: string): void {
  const ours = readlinkSync('/proc/self/ns/net');
  // Each look takes about a millisecond.
  for (let tries = 0; tries < 2_000; tries += 1) {
    const { stdout } = spawnSync('readlink', [`/proc/${id}/ns/net`]);
    if (stdout.length > 0 && stdout.toString().trim() !== ours) return;
  }
  throw new Error('the network namespace of a machine was not made');
}

async function openOnLoopback(account: ServerAccount | null): Promise<Machine> {
  const ports = Object.fromEntries(
    await Promise.all(Object.keys(PORTS).map(async (name) => [name, await freePort()])),
  ) as Ports;
  return {
    host: '127.0.0.1',
    ports,
    spawn: (file, args, logFile) =>
      spawn(file, [...args], { ...runningAs(account), stdio: ['ignore', logFile, logFile] }),
    link: null,
    close: () => {},
  };
}

function run(file: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(file, args);
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
}
