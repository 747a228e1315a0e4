import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo, type ServerAccount } from '../../homologation/embedded-postgres/server-account.ts';
import { deployedFile, type Places } from './deployed-files.ts';
import { type Machine, machinesNet } from './network.ts';

export const SUPERUSER = { user: 'postgres', password: 'secret-of-chaos' } as const;
/** Of Patroni's own API, for what changes something. */
export const API = { user: 'patroni', password: 'api-of-chaos' } as const;

/** A machine of the cluster: etcd, Patroni and the PostgreSQL that Patroni runs. */
export type DataNode = {
  readonly name: string;
  readonly machine: Machine;
  startEtcd(): void;
  startPatroni(): void;
  /** kill -9 of PostgreSQL and its Patroni at once. */
  kill(): void;
  /** All of its processes, etcd too. */
  pause(): void;
  resume(): void;
  close(): void;
};

export async function openDataNode(
  number: number,
  machines: readonly Machine[],
  { root, binaries, account }: { root: string; binaries: string; account: ServerAccount | null },
): Promise<DataNode> {
  const name = `pg${number}`;
  const machine = machines[number - 1] as Machine;
  const folder = join(root, name);
  const data = join(folder, 'data');
  await mkdir(folder, { mode: 0o700 });
  await giveTo(account, folder);
  const named = { 'name: pg1': `name: ${name}` };
  const ofPatroni = {
    ...named,
    '/var/lib/postgresql/parcela': data,
    '/usr/lib/postgresql/15/bin': binaries,
    '/var/lib/postgresql/.pgpass-patroni': join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
    '10.0.0.0/24': machinesNet(),
    'change-me-superuser': SUPERUSER.password,
    'change-me-api': API.password,
  };
  const write = async (file: 'etcd.yml' | 'patroni.yml', places: Places) => {
    const path = join(folder, file);
    await writeFile(path, await deployedFile(file, machine, machines, places), { mode: 0o600 });
    await giveTo(account, path);
    return path;
  };
  const etcdFile = await write('etcd.yml', { ...named, '/var/lib/etcd/parcela': join(folder, 'etcd') });
  const patroniFile = await write('patroni.yml', ofPatroni);
  let etcd: ChildProcess | null = null;
  let patroni: ChildProcess | null = null;

  function start(program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(root, `${name}.${program}.log`), 'a');
    const child = machine.spawn(program, args, log);
    closeSync(log);
    return child;
  }

  /** PostgreSQL is not Patroni's child: its number is in its folder. */
  function processes(): number[] {
    const postmaster = firstNumberIn(join(data, 'postmaster.pid'));
    const roots = [patroni?.pid, postmaster].filter((id) => id !== undefined && id !== null) as number[];
    return withDescendants(roots);
  }

  function signalAll(ids: readonly number[], signal: NodeJS.Signals): void {
    for (const id of ids) {
      try {
        process.kill(id, signal);
      } catch {
        // It ended meanwhile.
      }
    }
  }

  const whole = () => [...processes(), ...(etcd?.pid === undefined ? [] : [etcd.pid])];
  return {
    name,
    machine,
    startEtcd() {
      etcd = start('etcd', ['--config-file', etcdFile]);
    },
    startPatroni() {
      patroni = start('patroni', [patroniFile]);
    },
    kill: () => signalAll(processes(), 'SIGKILL'),
    pause: () => signalAll(whole(), 'SIGSTOP'),
    resume: () => signalAll(whole(), 'SIGCONT'),
    close: () => signalAll(whole(), 'SIGKILL'),
  };
}

function firstNumberIn(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || null;
  } catch {
    return null;
  }
}

/** As the kernel shows them now. */
function withDescendants(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // Behind the name in parentheses, which may hold anything, stand the state and the parent.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended meanwhile.
    }
  }
  const found: number[] = [];
  for (const open = [...roots]; open.length > 0; ) {
    const id = open.shift() as number;
    if (found.includes(id)) continue;
    found.push(id);
    open.push(...(children.get(id) ?? []));
  }
  return found;
}
