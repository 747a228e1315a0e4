import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counterpartOf, type Snippet, snippetsOf } from '../architecture/translations.ts';
import { patiently } from '../kit/patience.ts';
import { cleanEnvironment, databaseSettings, type TestService } from '../kit/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PARCELA = join(ROOT, 'src/cli/parcela.ts');
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
  node_modules/.bin/node --disable-sigusr1 "${PARCELA}" "$@"
}
`;
const NEXT = '=== next snippet ===';

/** Saves and pastes what a guide shows, in its order; gives what each snippet of the shell printed. */
export async function runGuide(path: string, folder: string, service: TestService): Promise<string[]> {
  const commands: string[] = [];
  for (const snippet of snippetsOfGuide(path)) {
    const file = fileOf(snippet);
    if (file !== null) await writeFile(join(folder, file), snippet.text);
    else if (!snippet.isShownOnly) commands.push(snippet.text);
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

/**
 * Cuts the connection instead of the first answer to each of these keys: what was asked has been
 * done by then.
 */
export async function losingAnswers(
  url: string,
  keys: readonly string[],
): Promise<{ url: string; lost: string[]; close: () => Promise<void> }> {
  const lost: string[] = [];
  const server = createServer((asked, answered) => {
    const { method, headers } = asked;
    const key = String(headers['idempotency-key'] ?? '');
    const forwarded = request(url + asked.url, { method, headers }, (reply) => {
      if (!keys.includes(key) || lost.includes(key)) {
        answered.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answered);
        return;
      }
      lost.push(key);
      reply.resume().on('end', () => asked.socket.destroy());
    });
    forwarded.on('error', () => asked.socket.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
