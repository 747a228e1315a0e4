import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { serverAccount } from '../../src/homologation/embedded-postgres/server-account.ts';
import type { TestDatabaseAddress } from '../../test/kit/database.ts';
import { until } from '../../test/kit/service.ts';
import { freePort } from '../chaos-bench.ts';
import { addressed, type DataNode, openDataNode, SUPERUSER } from './data-node.ts';
import { type Machine, openMachine, openNetwork } from './network.ts';

const HAPROXY_FILE = fileURLToPath(new URL('../../deploy/patroni/haproxy.cfg', import.meta.url));
const SERVERS = '/usr/lib/postgresql';
const OLDEST_SERVER = 15;
const NODES = [1, 2, 3] as const;
const DATABASE = 'parcela';
/** A cluster that is made anew: initdb, two base backups, and the elections before. */
const FIRST_MILLISECONDS = 180_000;
/** Until a node that was struck is a standby again. */
const WHOLE_MILLISECONDS = 180_000;
const ASK_MILLISECONDS = 2_000;

/** Three data nodes and the proxy before them, with the files of deploy/patroni. */
export type Cluster = {
  readonly nodes: readonly DataNode[];
  /** Through HAProxy. */
  readonly address: TestDatabaseAddress;
  /** `DATABASE_URL` with all three hosts. */
  readonly severalHosts: string;
  /** Waits until there is one primary, two standbys follow it, and one of them is synchronous. */
  untilWhole(): Promise<{ readonly primary: DataNode; readonly standby: DataNode }>;
  /** Orders Patroni to make the synchronous standby the primary. */
  switchOver(primary: DataNode, standby: DataNode): Promise<void>;
  close(): Promise<void>;
};

type Member = {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
};

/** `root`: the folder of all its files. `onBegun` gets what ends it, also while it is being made. */
export async function openCluster(
  root: string,
  onBegun: (close: () => Promise<void>) => void,
): Promise<Cluster> {
  const folder = join(root, 'cluster');
  // Under root the servers run as another account, which must pass through.
  chmodSync(root, 0o711);
  mkdirSync(folder);
  chmodSync(folder, 0o711);
  openNetwork();
  const account = await serverAccount(null);
  const machines: Machine[] = [];
  const nodes: DataNode[] = [];
  let proxy: { child: ChildProcess; port: number } | null = null;
  const close = async () => {
    proxy?.child.kill('SIGKILL');
    for (const node of nodes) node.close();
    for (const machine of machines) machine.close();
  };
  onBegun(close);
  for (const number of NODES) machines.push(await openMachine(number, account));
  const options = { root: folder, binaries: newestServer() ?? '', account };
  for (const number of NODES) nodes.push(await openDataNode(number, machines, options));
  proxy = await startProxy(folder, nodes);
  const login = `${SUPERUSER.user}:${SUPERUSER.password}`;
  const hosts = machines.map(({ host, ports }) => `${host}:${ports.postgres}`).join(',');
  const place = { host: '127.0.0.1', port: proxy.port, ...SUPERUSER };
  const cluster: Cluster = {
    nodes,
    address: { ...place, database: DATABASE },
    severalHosts: `postgres://${login}@${hosts}/${DATABASE}`,
    untilWhole: () => untilWhole(nodes, WHOLE_MILLISECONDS),
    switchOver,
    close,
  };
  for (const node of nodes) node.startEtcd();
  for (const node of nodes) node.startPatroni();
  await untilWhole(nodes, FIRST_MILLISECONDS);
  await makeDatabase({ ...place, database: 'postgres' });
  return cluster;
}

/** The folder of its programs; null: there is none that Parcela takes. */
function newestServer(): string | null {
  const versions = existsSync(SERVERS) ? readdirSync(SERVERS).map(Number) : [];
  const newest = Math.max(...versions.filter((version) => version >= OLDEST_SERVER));
  return Number.isFinite(newest) ? join(SERVERS, String(newest), 'bin') : null;
}

async function startProxy(
  folder: string,
  nodes: readonly DataNode[],
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const documented = (await readFile(HAPROXY_FILE, 'utf8')).replace('127.0.0.1:5000', `127.0.0.1:${port}`);
  const text = nodes.reduce((part, { machine }, index) => {
    const host = `10.0.0.1${index + 1}`;
    const line = new RegExp(`(${host}:\\d+ check port) 8008`);
    return addressed(part.replace(line, `$1 ${machine.ports.rest}`), host, machine);
  }, documented);
  await writeFile(file, text);
  const log = openSync(join(folder, 'haproxy.log'), 'a');
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', log, log] });
  closeSync(log);
  return { child, port };
}

async function makeDatabase(address: TestDatabaseAddress): Promise<void> {
  await until('the database is made', async () => {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: ASK_MILLISECONDS });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(`create database ${DATABASE}`);
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
}

/** What the Patroni of a node says; empty: nothing in time. */
async function membersSaidBy({ machine }: DataNode): Promise<readonly Member[]> {
  try {
    const url = `http://${machine.host}:${machine.ports.rest}/cluster`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_MILLISECONDS) });
    return ((await answer.json()) as { members?: Member[] }).members ?? [];
  } catch {
    return [];
  }
}

async function untilWhole(nodes: readonly DataNode[], milliseconds: number) {
  let last: readonly Member[] = [];
  return until(
    'the cluster is whole',
    async () => {
      for (const node of nodes) {
        last = await membersSaidBy(node);
        if (last.length > 0) break;
      }
      const named = (role: string) =>
        nodes.find(({ name }) => name === last.find((one) => one.role === role)?.name);
      const [primary, standby] = [named('leader'), named('sync_standby')];
      const areWell = last.every(({ state }) => state === 'running' || state === 'streaming');
      const isOneTimeline = new Set(last.map(({ timeline }) => timeline)).size === 1;
      if (last.length !== nodes.length || !areWell || !isOneTimeline) return null;
      return primary !== undefined && standby !== undefined && { primary, standby };
    },
    milliseconds,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last)}`);
  });
}

async function switchOver(primary: DataNode, standby: DataNode): Promise<void> {
  const { host, ports } = primary.machine;
  const answer = await fetch(`http://${host}:${ports.rest}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: primary.name, candidate: standby.name }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the switchover was answered ${answer.status}: ${text}`);
}

const isProgram = (name: string) => {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  return spawnSync(name, ['--version'], { env }).error === undefined;
};

/** What the cluster is made of, from Debian. */
export const CLUSTER_PROGRAMS = [
  { name: 'Patroni', package: 'patroni', isThere: () => isProgram('patroni') },
  { name: 'etcd', package: 'etcd-server', isThere: () => isProgram('etcd') },
  { name: 'HAProxy', package: 'haproxy', isThere: () => isProgram('haproxy') },
  { name: 'PostgreSQL', package: 'postgresql', isThere: () => newestServer() !== null },
] as const;

/** Why it cannot be run here; null: it can. */
export function whyNoCluster(): string | null {
  const missing = CLUSTER_PROGRAMS.filter(({ isThere }) => !isThere()).map(({ name }) => name);
  return missing.length === 0 ? null : `without ${missing.join(', ')}: npm run chaos -- failover --install`;
}
