import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { PATH_WITH_SERVERS } from '../../tools/test-programs.ts';
import { until } from '../kit/service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';

export type ProxyName = 'haproxy' | 'nginx';
export const PROXY_NAMES: readonly ProxyName[] = ['haproxy', 'nginx'];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A port that was free a moment ago: programs that are started again on their port cannot have the
 * next best.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export type RunningProxy = {
  /** https://… */
  readonly url: string;
  /** Trusts the proxy's certificate and keeps connections, as a merchant's client does. */
  readonly agent: Agent;
  /** What it wrote of its own troubles. */
  said(): string;
  stop(): Promise<void>;
};

/**
 * Starts the program with the configuration that the documents give, at ports and with a
 * certificate of this run.
 */
export function startProxy(
  name: ProxyName,
  folder: string,
  backends: readonly [number, number],
): Promise<RunningProxy> {
  return startBehindTls(name, folder, (place, tls) =>
    name === 'nginx' ? startNginx(place, { ...tls, backends }) : startHaproxy(place, { ...tls, backends }),
  );
}

/** HAProxy in front of two cells, each of one process at this port. */
export function startCellProxy(folder: string, ports: Readonly<Record<'a1' | 'b1', number>>) {
  return startBehindTls('haproxy', folder, (place, tls) =>
    startHaproxyOf(place, 'deploy/cells/haproxy.cfg', tls, {
      '127.0.0.1:8081': `127.0.0.1:${ports.a1}`,
      '127.0.0.1:8082': `127.0.0.1:${ports.a1}`,
      '127.0.0.1:8083': `127.0.0.1:${ports.b1}`,
      '127.0.0.1:8084': `127.0.0.1:${ports.b1}`,
    }),
  );
}

/** The same beside the file that leads to the console; `consoleUrl`: its address of its own. */
export async function startConsoleProxy(
  name: ProxyName,
  folder: string,
  ports: { readonly api: number; readonly pages: number },
): Promise<RunningProxy & { readonly consoleUrl: string }> {
  const port = await freePort();
  const backends = [ports.api, ports.api] as const;
  const proxy = await startBehindTls(name, folder, async (place, tls) => {
    const beside = join(place, 'console.conf');
    const text = await adapted(`docs/proxy/console.${name}.${name === 'nginx' ? 'conf' : 'cfg'}`, {
      ...(name === 'nginx'
        ? {
            'listen 8443 ssl;': `listen 127.0.0.1:${port} ssl;`,
            '/etc/nginx/console.pem': tls.pem,
            '/etc/nginx/console.key': tls.key,
          }
        : {
            'bind :8443 ': `bind 127.0.0.1:${port} `,
            '/etc/haproxy/console.pem': tls.pem,
            'port 8081': `port ${ports.api}`,
            'port 8082': `port ${ports.api}`,
          }),
      '127.0.0.1:18081': `127.0.0.1:${ports.pages}`,
      '127.0.0.1:18082': `127.0.0.1:${ports.pages}`,
    });
    await writeFile(beside, text);
    const values = { ...tls, backends, beside };
    return name === 'nginx' ? startNginx(place, values) : startHaproxy(place, values);
  });
  return { ...proxy, consoleUrl: `https://127.0.0.1:${port}` };
}

/** Its own address, and names that tests ask for. */
const HOSTS = ['127.0.0.1', 'console.example.com', 'elsewhere.example'];

async function startBehindTls(
  name: ProxyName,
  folder: string,
  start: (place: string, tls: Tls) => Promise<ChildProcess>,
): Promise<RunningProxy> {
  const port = await freePort();
  const authority = makeAuthority();
  const { certificate, keyText } = makeCertificate({ hosts: HOSTS, issuer: authority });
  const place = join(folder, name);
  await mkdir(place, { recursive: true });
  const pem = join(place, 'parcela.pem');
  const key = join(place, 'parcela.key');
  // One file with both serves HAProxy, and nginx reads the certificate of it.
  await writeFile(pem, certificate + keyText, { mode: 0o600 });
  await writeFile(key, keyText, { mode: 0o600 });
  const child = await start(place, { port, pem, key });
  const said: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const agent = new Agent({ connect: { ca: authority.certificate }, headersTimeout: 60_000 });
  const url = `https://127.0.0.1:${port}`;
  try {
    await until(`${name} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${said.join('')}`);
      return agent
        .request({ origin: url, path: '/health/live', method: 'GET' })
        .then(async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        })
        .catch(() => false);
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${error}\n${said.join('')}`);
  }
  return {
    url,
    agent,
    said: () => said.join(''),
    async stop() {
      await agent.close();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

type Tls = { readonly port: number; readonly pem: string; readonly key: string };
/** `beside`: another file that is read with it. */
type Values = Tls & { readonly backends: readonly [number, number]; readonly beside?: string };

/** The text of the document with each of these written otherwise; each must be there, once. */
async function adapted(document: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(join(ROOT, document), 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${document} has "${from}" ${parts.length - 1} times`);
    text = parts.join(to);
  }
  return text;
}

function startHaproxy(place: string, { backends, beside, ...tls }: Values): Promise<ChildProcess> {
  const changes = {
    '127.0.0.1:8081': `127.0.0.1:${backends[0]}`,
    '127.0.0.1:8082': `127.0.0.1:${backends[1]}`,
  };
  const more = beside === undefined ? [] : ['-f', beside];
  return startHaproxyOf(place, 'docs/proxy/haproxy.cfg', tls, changes, more);
}

/** An account of the machine may run tests, and a container has no log of the system. */
const AS_THE_TESTS_ARE = {
  'user haproxy\n': '\n',
  'group haproxy\n': '\n',
  'chroot /var/lib/haproxy\n': '\n',
  'log /dev/log local0\n': '\n',
};

async function startHaproxyOf(
  place: string,
  document: string,
  { port, pem }: Tls,
  backends: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<ChildProcess> {
  const file = join(place, 'haproxy.cfg');
  const text = await adapted(document, {
    ...AS_THE_TESTS_ARE,
    'bind :443 ': `bind 127.0.0.1:${port} `,
    '/etc/haproxy/parcela.pem': pem,
    ...backends,
  });
  await writeFile(file, text);
  return spawn('haproxy', ['-db', '-f', file, ...more], {
    env: { ...process.env, PATH: PATH_WITH_SERVERS },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function startNginx(
  place: string,
  { port, pem, key, backends, beside }: Values,
): Promise<ChildProcess> {
  const site = join(place, 'parcela.conf');
  const text = await adapted('docs/proxy/nginx.conf', {
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    '/etc/nginx/parcela.pem': pem,
    '/etc/nginx/parcela.key': key,
    '127.0.0.1:8081': `127.0.0.1:${backends[0]}`,
    '127.0.0.1:8082': `127.0.0.1:${backends[1]}`,
  });
  await writeFile(site, text);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(place, kind)};`)
    .join('\n');
  const main = join(place, 'nginx.conf');
  await writeFile(
    main,
    `daemon off;
master_process off;
pid ${join(place, 'nginx.pid')};
error_log stderr;
events {}
http {
access_log off;
${temporary}
include ${site};
${beside === undefined ? '' : `include ${beside};`}
}
`,
  );
  return spawn('nginx', ['-p', place, '-c', main], {
    env: { ...process.env, PATH: PATH_WITH_SERVERS },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
