import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../kit/service.ts';
import { makeAuthority, makeCertificate } from '../../webhooks/certificates.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = '/srv/world/node_modules/.bin/node';
const ENVIRONMENT = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', 'HOME=/root'];
const NAMESPACES = ['--mount', '--pid', '--net'];
const WITH_SYSTEMD = [...NAMESPACES, '--cgroup', '--ipc', '--uts'];

export type Ran = { readonly code: number | null; readonly printed: string; readonly said: string };

/** A Debian with its systemd and nothing set, a PostgreSQL that speaks TLS and the bridge of an acquirer. */
export type Machine = {
  /** A command of root's. */
  run(command: string, input?: string): Promise<Ran>;
  /** The same, which must end with 0; gives what it printed. */
  must(command: string, input?: string): Promise<string>;
  write(path: string, content: string): Promise<void>;
  /** Beside the machine: certificates that its operator was given. */
  readonly given: Readonly<Record<'authority' | 'client' | 'clientKey' | 'site' | 'siteKey', string>>;
  close(): Promise<void>;
};

/** Why there can be no such machine here; false when there can. */
export function whyNoMachine(): string | false {
  if (spawnSync('unshare', [...NAMESPACES, '--fork', 'true']).status !== 0)
    return 'namespaces of its own are not permitted here';
  if (!existsSync('/usr/lib/systemd/systemd')) return 'there is no systemd here: npm run programs';
  if (inGroups('true').status !== 0)
    return 'systemd needs the groups of version 2, and they are not to be had here';
  if (postgresPrograms() === null) return 'there is no PostgreSQL of Debian below /usr/lib/postgresql';
  return false;
}

/** Runs it in the folder of all groups (cgroup2), wherever this machine has it. */
function inGroups(command: string) {
  const script = `mount -t tmpfs groups /mnt; mkdir /mnt/all; mount -t cgroup2 groups /mnt/all; cd /mnt/all; ${command}`;
  return spawnSync('unshare', ['--mount', 'sh', '-ec', script]);
}

function postgresPrograms(): string | null {
  return (
    globSync('/usr/lib/postgresql/*/bin/initdb')
      .sort()
      .at(-1)
      ?.replace(/\/initdb$/, '') ?? null
  );
}

/** @param proof What the bridge asks for: this token, or any `certificate` of the authority. */
export async function openMachine(release: string, proof: string): Promise<Machine> {
  const outside = await mkdtemp(join(tmpdir(), 'parcela-debian-'));
  await mkdir(join(outside, 'root'));
  const script = join(ROOT, 'test/installing/debian/namespace.sh');
  const group = basename(outside);
  const child = spawn(
    'unshare',
    [...NAMESPACES, '--fork', '--kill-child', 'sh', script, join(outside, 'root'), ROOT, release, group],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  await readyOf(child).catch(async (error) => {
    await rm(outside, { recursive: true, force: true });
    throw error;
  });
  const [inside = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
  const run = (command: string, input = '') => runIn(inside, command, input);
  const must = async (command: string, input?: string) => {
    const { code, printed, said } = await run(command, input);
    if (code !== 0) throw new Error(`${command}: ${code}\n${printed}\n${said}`);
    return printed;
  };
  const write = async (path: string, content: string) => {
    await must(`cat > ${path}`, content);
  };
  const given = makeCertificates();
  const machine = {
    run,
    must,
    write,
    given,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      // They stay until the last process of the namespace is gone.
      const leaveGroups = `[ ! -d ${group} ] || find ${group} -depth -type d -exec rmdir {} +`;
      await until('its groups are gone', async () => inGroups(leaveGroups).status === 0);
      await rm(outside, { recursive: true, force: true });
    },
  };
  try {
    await startWorld(machine, proof);
    return machine;
  } catch (error) {
    await machine.close();
    throw error;
  }
}

function makeCertificates() {
  const authority = makeAuthority();
  const client = makeCertificate({ issuer: authority });
  const hosts = ['api.company.example', 'db.internal', 'bridge.internal'];
  const site = makeCertificate({ issuer: authority, hosts });
  return {
    authority: authority.certificate,
    client: client.certificate,
    clientKey: client.keyText,
    site: site.certificate,
    siteKey: site.keyText,
  };
}

function readyOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ready')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`no namespace: ${code} ${said.join('')}`)));
  });
}

function runIn(pid: string, command: string, input: string): Promise<Ran> {
  const words = ['--target', pid, ...WITH_SYSTEMD, '--root', '--wd', ...ENVIRONMENT, 'sh', '-c', command];
  const child = spawn('nsenter', words, { stdio: ['pipe', 'pipe', 'pipe'] });
  // Not every command reads what it is given.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [printed, said]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code, printed: Buffer.concat(printed).toString(), said: Buffer.concat(said).toString() }),
    );
  });
}

/** What other machines have: a PostgreSQL, and the acquirer's bridge. */
async function startWorld({ run, must, write, given }: Omit<Machine, 'close'>, proof: string): Promise<void> {
  const isUp = async () => /running|degraded/.test((await run('systemctl is-system-running')).printed);
  await until('systemd is up', isUp);
  const programs = postgresPrograms();
  const data = '/var/lib/postgresql/data';
  await must(`runuser -u postgres -- ${programs}/initdb -D ${data} -A peer --auth-host=scram-sha-256`);
  for (const [name, text] of [
    ['server.crt', given.site],
    ['server.key', given.siteKey],
  ] as const) {
    await write(`${data}/${name}`, text);
    await must(`chown postgres: ${data}/${name}; chmod 600 ${data}/${name}`);
  }
  await must(`echo 'host all all 127.0.0.1/32 scram-sha-256' > ${data}/pg_hba.conf
    echo 'local all postgres peer' >> ${data}/pg_hba.conf`);
  const options = `-c ssl=on -c unix_socket_directories=/run/postgresql -c listen_addresses=127.0.0.1`;
  await must(
    `runuser -u postgres -- ${programs}/pg_ctl -D ${data} -w -l /var/lib/postgresql/log -o '${options}' start`,
  );
  await must('mkdir -p /root/acquirer');
  await write('/root/acquirer/bridge.pem', given.site);
  await write('/root/acquirer/bridge.key', given.siteKey);
  await write('/root/acquirer/authority.pem', given.authority);
  await must(`setsid ${NODE} /srv/world/test/installing/debian/bridge.ts /root/acquirer ${proof} \
    > /var/log/acquirer.log 2>&1 < /dev/null &`);
  await until('the bridge is there', async () => (await must('cat /var/log/acquirer.log')).includes('ready'));
}
