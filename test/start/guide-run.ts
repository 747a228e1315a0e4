import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../src/platform/home.ts';
import { counterpartOf, type Snippet, snippetsOf } from '../architecture/translations.ts';
import { patiently } from '../kit/patience.ts';
import { cleanEnvironment, databaseSettings, type TestService } from '../kit/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [RUN, PARCELA] = programOf('src/cli/parcela.ts');
const GUIDE_MILLISECONDS = 180_000;

export type Guide = { readonly pt: string; readonly en: string };

/** Every guide, by its pages in both languages. */
export function allGuides(): Guide[] {
  const paths = readdirSync(join(ROOT, 'docs/pt')).filter((name) => name.endsWith('.md'));
  return paths.map((name) => {
    const pt = `docs/pt/${name}`;
    return { pt, en: counterpartOf(pt, new Map([[pt, textOf(pt)]])) ?? '' };
  });
}

export function snippetsOfGuide(path: string): Snippet[] {
  return snippetsOf(textOf(path));
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The name that the first line of a program says to save it under. */
export function fileOf({ text }: Snippet): string | null {
  return /^(?:\/\/|#) ([\w-]+\.(?:mjs|py))\n/.exec(text)?.[1] ?? null;
}

/** Where a reader would be: beside what `npm start` wrote. */
export async function guideFolder(folder: string, demo: object): Promise<string> {
  await mkdir(join(folder, '.parcela'), { recursive: true });
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await symlink(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
  await writeFile(join(folder, '.parcela', 'demo.json'), JSON.stringify(demo, null, 2));
  return folder;
}

/** `npm run parcela` is this program by package.json; the receiver of a guide ends with its shell. */
const BEFORE = `set -e
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
npm() {
  while [ "$1" != -- ]; do shift; done
  shift
  node_modules/.bin/node --disable-sigusr1 "${RUN}" ${PARCELA} "$@"
}
`;
const NEXT = '=== next snippet ===';

/** A program that runs in the reader's shell after so many snippets of it. */
export type Extra = { readonly after: number; readonly program: string };

/**
 * Saves and pastes what a guide shows, in its order; gives what each snippet of the shell printed,
 * and the extra program.
 */
export async function runGuide(
  path: string,
  folder: string,
  service: TestService,
  extra?: Extra,
): Promise<string[]> {
  const commands: string[] = [];
  for (const snippet of snippetsOfGuide(path)) {
    const file = fileOf(snippet);
    if (file !== null) await writeFile(join(folder, file), snippet.text);
    else if (!snippet.isShownOnly) commands.push(snippet.text);
  }
  if (extra !== undefined) {
    await writeFile(join(folder, 'extra.mjs'), extra.program);
    commands.splice(extra.after, 0, 'SECRET=$SECRET node_modules/.bin/node extra.mjs');
  }
  const environment = cleanEnvironment({
    ...databaseSettings(service.database),
    PARCELA_DATA_DIR: service.folder,
    PORT: String(await freePort()),
  });
  const script = BEFORE + commands.map((text) => `${text}\necho; echo '${NEXT}'\n`).join('');
  const printed = await new Promise<string>((resolve, reject) => {
    const options = { cwd: folder, env: environment, timeout: patiently(GUIDE_MILLISECONDS) };
    execFile('bash', ['-c', script], options, (error, output, errors) => {
      if (error === null) resolve(output);
      else reject(new Error(`${path}: ${error.message.slice(0, 200)}\n${output}\n${errors}`));
    });
  });
  return printed.split(NEXT).slice(0, -1);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const NO_TURN = { tag: '__general__', description: 'Too many requests.' };

/**
 * A way to the service on which answers are lost. It cuts the connection instead of the first answer
 * to each of these keys: what was asked has been done by then. After the last of them the access
 * token of its caller expires for what is posted, and with the next token there is no turn for one
 * tokenization.
 */
export async function losingAnswers(
  url: string,
  keys: readonly string[],
): Promise<{ url: string; lost: string[]; refused: number[]; close: () => Promise<void> }> {
  const lost: string[] = [];
  const refused: number[] = [];
  let expired: string | undefined;
  const server = createServer((asked, answered) => {
    const { method } = asked;
    const headers = { ...asked.headers };
    const key = String(headers['idempotency-key'] ?? '');
    const usesToken = method === 'POST' && asked.url?.startsWith('/v1/') === true;
    const isExpired = usesToken && expired !== undefined && headers.authorization === expired;
    // The service itself says what it says of a token that it no longer knows.
    if (isExpired) {
      headers.authorization = 'Bearer expired';
      refused.push(401);
    } else if (expired !== undefined && asked.url === '/v1/cards/tokenization' && !refused.includes(503)) {
      refused.push(503);
      answered.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      answered.end(JSON.stringify([NO_TURN]));
      return;
    }
    const forwarded = request(url + asked.url, { method, headers }, (reply) => {
      if (!keys.includes(key) || lost.includes(key)) {
        answered.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answered);
        return;
      }
      reply.resume().on('end', () => {
        lost.push(key);
        if (lost.length === keys.length) expired = asked.headers.authorization;
        asked.socket.destroy();
      });
    });
    forwarded.on('error', () => asked.socket.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    refused,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
