import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  giveTo,
  giveWholeFolderTo,
  runningAs,
  runToEnd,
  type ServerAccount,
  serverAccount,
} from '../../homologation/embedded-postgres/server-account.ts';
import { serverBinaries } from '../../homologation/embedded-postgres/server-binaries.ts';
import type { TestDatabaseAddress } from '../kit/database.ts';
import { patiently } from '../kit/patience.ts';
import { until } from '../kit/service.ts';

const PORT = 5432;
const STOP_MILLISECONDS = 30_000;

/** A PostgreSQL of a test's own, which may be stopped, copied, followed by a standby and promoted. */
export type Cluster = {
  readonly folder: string;
  readonly address: TestDatabaseAddress;
  /** Settings replace those of `postgresql.conf`. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** `immediate`: as if its power had gone. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** What its files are now, under another name; only of one that is stopped. */
  copy(): Promise<Cluster>;
  /** A base backup of it while it runs, under another name; its log comes from the archive alone. */
  backUp(): Promise<Cluster>;
  /** Leaves a file for its next start: `standby.signal`, `recovery.signal`. */
  leave(file: string, content?: string): Promise<void>;
  sql(text: string): Promise<Record<string, unknown>[]>;
};

export type Clusters = {
  make(): Promise<Cluster>;
  /** Whose `data` something else brings, as a tool of backups does. */
  empty(): Promise<Cluster>;
  close(): Promise<void>;
};

/** Everything is removed by `close`. Of another PostgreSQL where the folder of its programs is given. */
export async function openClusters(programs?: string): Promise<Clusters> {
  const root = await mkdtemp(join(tmpdir(), 'parcela-clusters-'));
  // Under root the servers run as another account, which must pass through.
  await chmod(root, 0o711);
  const account = await serverAccount(null);
  const binaries =
    programs === undefined
      ? await serverBinaries({ account, copiesFolder: root, copyName: 'test', say: () => {} })
      : { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') };
  const made: Cluster[] = [];
  let count = 0;

  async function folderOf(): Promise<string> {
    count += 1;
    const folder = join(root, `c${count}`);
    await mkdir(folder, { mode: 0o700 });
    await giveTo(account, folder);
    return folder;
  }

  function cluster(folder: string): Cluster {
    const copyTo = async (isLive: boolean) => {
      const other = await folderOf();
      const [from, to] = [join(folder, 'data'), join(other, 'data')];
      const filter = (path: string) => !isLive || isBackedUp(path.slice(from.length + 1));
      await cp(from, to, { recursive: true, filter });
      if (account !== null) await giveWholeFolderTo(account, other);
      await chmod(to, 0o700);
      return cluster(other);
    };
    const one = openCluster(folder, binaries.postgres, account, copyTo);
    made.push(one);
    return one;
  }

  return {
    async make() {
      const folder = await folderOf();
      const { exitCode, output } = await runToEnd(account, binaries.initdb, [
        ...[
          '--pgdata',
          join(folder, 'data'),
          '--username',
          'parcela',
          '--auth',
          'trust',
          '--encoding',
          'UTF8',
        ],
        ...['--no-locale', '--no-instructions', '--no-sync'],
      ]);
      if (exitCode !== 0) throw new Error(output);
      return cluster(folder);
    },
    empty: async () => cluster(await folderOf()),
    async close() {
      for (const one of made) await one.stop('immediate');
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** What a base backup leaves out: the log, and what only the running server needs. */
function isBackedUp(path: string): boolean {
  return !/^(pg_wal\/.+|postmaster\.(pid|opts)|pg_replslot\/.+|pg_stat_tmp\/.+|base\/pgsql_tmp.*|.*pg_internal\.init.*)$/.test(
    path,
  );
}

function openCluster(
  folder: string,
  postgres: string,
  account: ServerAccount | null,
  copyTo: (isLive: boolean) => Promise<Cluster>,
): Cluster {
  const address = { host: folder, port: PORT, user: 'parcela', password: 'none', database: 'postgres' };
  let child: ReturnType<typeof spawn> | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  let lastWords = '';

  async function sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end().catch(() => {});
    }
  }

  return {
    folder,
    address,
    sql,
    copy: () => copyTo(false),
    async backUp() {
      const client = new pg.Client(address);
      await client.connect();
      try {
        await client.query(`select pg_backup_start('rehearsal', true)`);
        const made = await copyTo(true);
        const { rows } = await client.query('select labelfile from pg_backup_stop()');
        await made.leave('backup_label', rows[0].labelfile as string);
        return made;
      } finally {
        await client.end();
      }
    },
    async start(settings = {}) {
      const given = {
        listen_addresses: '',
        port: String(PORT),
        unix_socket_directories: folder,
        ...settings,
      };
      const words = Object.entries({ ...given, shared_buffers: '32MB', jit: 'off' });
      const args = [
        '-D',
        join(folder, 'data'),
        ...words.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ];
      const started = spawn(postgres, args, { ...runningAs(account), stdio: ['ignore', 'ignore', 'pipe'] });
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        lastWords = (lastWords + text).slice(-4_000);
      });
      child = started;
      ended = new Promise((resolve) => started.once('exit', resolve));
      await until('the server answers', async () => {
        if (started.exitCode !== null) throw new Error(lastWords);
        return sql('select 1').then(
          () => true,
          () => false,
        );
      });
    },
    async stop(how = 'fast') {
      if (child === null || child.exitCode !== null) return;
      child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      const timer = setTimeout(() => child?.kill('SIGKILL'), patiently(STOP_MILLISECONDS));
      await ended;
      clearTimeout(timer);
    },
    async leave(file, content = '') {
      await writeFile(join(folder, 'data', file), content);
      await giveTo(account, join(folder, 'data', file));
    },
  };
}

/** The one address that services know, which leads to one server or to another, as a virtual address does. */
export type Signpost = {
  readonly address: TestDatabaseAddress;
  /** Breaks what there is; what comes next is led there. */
  pointTo(cluster: Cluster): void;
  close(): Promise<void>;
};

export async function openSignpost(first: Cluster): Promise<Signpost> {
  const sockets = new Set<Socket>();
  let target = first;
  const server = createServer((client) => {
    const through = connect(join(target.folder, `.s.PGSQL.${PORT}`));
    for (const [one, other] of [
      [client, through],
      [through, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const folder = await mkdtemp(join(tmpdir(), 'parcela-signpost-'));
  await new Promise<void>((resolve) => server.listen(join(folder, `.s.PGSQL.${PORT}`), resolve));
  return {
    address: { ...first.address, host: folder },
    pointTo(cluster) {
      target = cluster;
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
