import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { patiently } from '../kit/patience.ts';
import { cleanEnvironment, until } from '../kit/service.ts';
import { VECTORS_FILE } from './snippet-vectors.ts';

export const SNIPPETS_FOLDER = fileURLToPath(new URL('../../docs/webhook-snippets', import.meta.url));

/** An endpoint of the page on webhooks, and how it is run. */
export type Snippet = {
  readonly language: string;
  readonly file: string;
  /** Succeeds where the interpreter is there with what the snippet needs, and prints its version. */
  readonly probe: readonly string[];
  readonly serve: (file: string, port: number) => readonly string[];
  /** Fingerprints, as JSON, what it says of each vector in the file that stands in VECTORS. */
  readonly judge: (file: string) => readonly string[];
};

const NODE_JUDGE = `import { isGenuine } from process.env.SNIPPET;
import { readFileSync } from 'node:fs';
const { now, vectors } = JSON.parse(readFileSync(process.env.VECTORS, 'utf8'));
console.log(JSON.stringify(vectors.map((one) => isGenuine(one.headers, Buffer.from(one.body), one.secret, now))));`;

const PYTHON_JUDGE = `import json, os, sys
sys.path.insert(0, os.path.dirname(os.environ["SNIPPET"]))
from receive_webhook import is_genuine
with open(os.environ["VECTORS"], encoding="utf-8") as file:
    told = json.load(file)
print(json.dumps([is_genuine(one["headers"], one["body"].encode(), one["secret"], told["now"]) for one in told["vectors"]]))`;

const PHP_JUDGE = `require getenv('SNIPPET');
$told = json_decode(file_get_contents(getenv('VECTORS')), true);
$verdicts = [];
foreach ($told['vectors'] as $one) {
    $headers = [];
    foreach ($one['headers'] as $name => $value) $headers['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
    $verdicts[] = isGenuine($headers, $one['body'], $one['secret'], $told['now']);
}
echo json_encode($verdicts);`;

/** The first one runs on our own Node, so it is there wherever the tests are. */
export const SNIPPETS: readonly Snippet[] = [
  {
    language: 'TypeScript',
    file: 'receive-webhook.ts',
    probe: [process.execPath, '-p', '"Node " + process.versions.node'],
    serve: (file) => [process.execPath, file],
    judge: (file) => [
      process.execPath,
      '--input-type=module',
      '-e',
      NODE_JUDGE.replace('process.env.SNIPPET', JSON.stringify(file)),
    ],
  },
  {
    language: 'Python',
    file: 'receive_webhook.py',
    probe: [
      'python3',
      '-c',
      'import platform, sqlite3, sys; print("Python", platform.python_version()); sys.exit(sys.version_info < (3, 9))',
    ],
    serve: (file) => ['python3', file],
    judge: () => ['python3', '-c', PYTHON_JUDGE],
  },
  {
    language: 'PHP',
    file: 'receive-webhook.php',
    probe: [
      'php',
      '-r',
      'echo "PHP ", PHP_VERSION; exit(PHP_MAJOR_VERSION < 8 || !extension_loaded("pdo_sqlite") ? 1 : 0);',
    ],
    serve: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
    judge: () => ['php', '-r', PHP_JUDGE],
  },
];

const TABLES = 2;
const PROBE_MILLISECONDS = 60_000;

/** What a program prints; rejects when it fails or is not there. */
function output(
  command: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = '', ...options] = command;
  return new Promise((resolve, reject) => {
    const limits = { timeout: patiently(PROBE_MILLISECONDS), env: cleanEnvironment(settings) };
    execFile(program, options, limits, (error, reported) =>
      error === null ? resolve(reported.trim()) : reject(error),
    );
  });
}

/** The version of its interpreter; null: this machine has none that will do. */
export const interpreterOf = ({ probe }: Snippet): Promise<string | null> => output(probe).catch(() => null);

/** What the snippet says of each of the vectors. */
export async function verdictsOf({ file, judge }: Snippet): Promise<unknown> {
  const snippet = join(SNIPPETS_FOLDER, file);
  const settings = {
    SNIPPET: snippet,
    VECTORS: VECTORS_FILE,
    WEBHOOK_SECRET: 'whsec_AAAA',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return JSON.parse(await output(judge(snippet), settings));
}

/** An installment as the endpoint has it on record. */
export type KnownInstallment = {
  readonly nsu: string;
  readonly number: number;
  readonly status: string;
  readonly movement_id: number;
  readonly changes: number;
};

export type SnippetEndpoint = {
  readonly url: string;
  /** What it has on record: in order of nsu and number. */
  installments(nsu: string): readonly KnownInstallment[];
  movementCount(): number;
  stop(): Promise<void>;
};

/**
 * Starts a snippet as a process of its own on loopback, with a database in `folder`, and waits
 * until it answers.
 */
export async function startSnippet(
  snippet: Snippet,
  secret: string,
  folder: string,
): Promise<SnippetEndpoint> {
  const port = await freePort();
  const database = join(folder, `${snippet.language}-${port}.db`);
  const [program = '', ...options] = snippet.serve(join(SNIPPETS_FOLDER, snippet.file), port);
  const said: string[] = [];
  const child = spawn(program, options, {
    cwd: folder,
    env: cleanEnvironment({ WEBHOOK_SECRET: secret, WEBHOOK_DATABASE: database, PORT: String(port) }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString('utf8')));
  const url = `http://127.0.0.1:${port}/`;
  try {
    await until(`the ${snippet.language} endpoint answers`, async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said.join('')}`);
      return (await fetch(url, { method: 'POST' }).catch(() => null)) !== null;
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  const rows = <Row>(query: string, ...values: string[]): Row[] => {
    // The one in PHP makes its tables when the first notification comes.
    if (!existsSync(database)) return [];
    const opened = new DatabaseSync(database, { readOnly: true, timeout: 5_000 });
    try {
      const tables = opened.prepare("select name from sqlite_schema where type = 'table'").all();
      return tables.length < TABLES ? [] : (opened.prepare(query).all(...values) as Row[]);
    } finally {
      opened.close();
    }
  };
  return {
    url,
    installments: (nsu) =>
      rows<KnownInstallment>('select * from installments where nsu = ? order by number', nsu).map((row) => ({
        ...row,
      })),
    movementCount: () => rows<{ n: number }>('select count(*) as n from movements')[0]?.n ?? 0,
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
