import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { serverAccount } from '../../homologation/embedded-postgres/server-account.ts';
import type { TestDatabaseAddress } from '../../test/kit/database.ts';
import { until } from '../../test/kit/service.ts';
import { freePort } from '../chaos-simulators.ts';
import { API, type DataNode, openDataNode, SUPERUSER } from './data-node.ts';
import { deployedFile } from './deployed-files.ts';
import { type Machine, openMachine, openNetwork } from './network.ts';

const SERVERS = '/usr/lib/postgresql';
const OLDEST_SERVER = 15;
const NODES = [1, 2, 3] as const;
const DATABASE = 'parcela';
/** The roles of docs/audit.md. */
const OWNER = { user: 'parcela_owner', password: 'owner-of-chaos' } as const;
const RUNTIME = { user: 'parcela_runtime', password: 'runtime-of-chaos' } as const;
/** A cluster that is made anew: initdb, two base backups, and the elections before. */
const FIRST_MILLISECONDS = 180_000;
/** Until a node that was struck is a standby again. */
const WHOLE_MILLISECONDS = 180_000;
const ASK_MILLISECONDS = 2_000;

/** Three data nodes and the proxy before them, with the files of deploy/patroni. */
export type Cluster = {
  readonly nodes: readonly DataNode[];
  /** Through HAProxy, as the owner of the tables. */
  readonly address: TestDatabaseAddress;
  /** Settings of a service, which works as a role that owns nothing: by HAProxy, and with all three hosts. */
  readonly settings: Readonly<Record<'byProxy' | 'byHosts', Readonly<Record<string, string>>>>;
  /**
   * Waits until all three say the same: there is one primary, two standbys follow it, and one of them is
   * synchronous. A node that has just woken may still say what was.
   */
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
  const hosts = machines.map(({ host, ports }) => `${host}:${ports.postgres}`).join(',');
  const place = { host: '127.0.0.1', port: proxy.port };
  const cluster: Cluster = {
    nodes,
    address: { ...place, ...OWNER, database: DATABASE },
    settings: { byProxy: rolesAt(`${place.host}:${place.port}`), byHosts: rolesAt(hosts) },
    untilWhole: () => untilWhole(nodes, WHOLE_MILLISECONDS),
    switchOver,
    close,
  };
  for (const node of nodes) node.startEtcd();
  for (const node of nodes) node.startPatroni();
  await untilWhole(nodes, FIRST_MILLISECONDS);
  await makeDatabase({ ...place, ...SUPERUSER, database: 'postgres' });
  return cluster;
}

function rolesAt(hosts: string): Record<string, string> {
  const url = ({ user, password }: typeof OWNER | typeof RUNTIME) =>
    `postgres://${user}:${password}@${hosts}/${DATABASE}`;
  return { DATABASE_URL: url(RUNTIME), PARCELA_OWNER_DATABASE_URL: url(OWNER) };
}

/** The folder of its programs; null: there is none that Parcela takes. */
export function newestServer(): string | null {
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
  const machines = nodes.map(({ machine }) => machine);
  const text = await deployedFile('haproxy.cfg', null, machines, {
    '127.0.0.1:5000': `127.0.0.1:${port}`,
    // Of a machine of its own.
    ...{ 'user haproxy': '', 'group haproxy': '', 'chroot /var/lib/haproxy': '', 'log /dev/log local0': '' },
  });
  await writeFile(file, text);
  const log = openSync(join(folder, 'haproxy.log'), 'a');
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', log, log] });
  closeSync(log);
  return { child, port };
}

/** All may be sent again, when a connection was lost and nobody knows what became of it. */
const COMMANDS = [
  ...[OWNER, RUNTIME].map(
    ({ user, password }) => `do $$ begin
      if to_regrole('${user}') is null then create role ${user} login password '${password}'; end if;
    end $$`,
  ),
  `drop database if exists ${DATABASE}`,
  `create database ${DATABASE} owner ${OWNER.user}`,
];

async function makeDatabase(address: TestDatabaseAddress): Promise<void> {
  await until('the database is made', async () => {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: ASK_MILLISECONDS });
    client.on('error', () => {});
    try {
      await client.connect();
      for (const command of COMMANDS) await client.query(command);
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
  let views: readonly (readonly Member[])[] = [];
  return until(
    'the cluster is whole',
    async () => {
      views = await Promise.all(nodes.map(membersSaidBy));
      const [first] = views;
      if (first === undefined || !views.every((members) => isWhole(members, nodes.length))) return null;
      const named = (role: string, members = first) => members.find((one) => one.role === role)?.name;
      if (views.some((members) => named('leader', members) !== named('leader'))) return null;
      const [primary, standby] = ['leader', 'sync_standby'].map((role) =>
        nodes.find(({ name }) => name === named(role)),
      );
      return primary !== undefined && standby !== undefined && { primary, standby };
    },
    milliseconds,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(views)}`);
  });
}

function isWhole(members: readonly Member[], count: number): boolean {
  const areWell = members.every(({ state }) => state === 'running' || state === 'streaming');
  return members.length === count && areWell && new Set(members.map(({ timeline }) => timeline)).size === 1;
}

async function switchOver(primary: DataNode, standby: DataNode): Promise<void> {
  const { host, ports } = primary.machine;
  const answer = await fetch(`http://${host}:${ports.rest}/switchover`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${API.user}:${API.password}`).toString('base64')}`,
    },
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
