import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Shop } from '../hostile/hostile-service.ts';
import { type OutsideTools, runNode } from './outside-tools.ts';

const CALLS = fileURLToPath(new URL('outside/calls/', import.meta.url));

const COMPILER = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    strict: true,
    skipLibCheck: true,
    types: [],
    rootDir: '.',
    outDir: 'built',
  },
  include: ['*.ts', 'generated'],
};

/** Of types alone and of whole clients. What each generator makes is compiled, and makes ten calls. */
const CLIENTS = [
  {
    program: 'openapi-typescript',
    words: ['openapi.json', '-o', 'generated/types.ts'],
    calls: 'types-alone',
  },
  {
    program: 'openapi-ts',
    words: ['-i', 'openapi.json', '-o', 'generated/client', '-c', '@hey-api/client-fetch'],
    calls: 'whole-client',
  },
  {
    program: 'swagger-typescript-api',
    words: ['generate', '-p', 'openapi.json', '-o', 'generated', '-n', 'class-client.ts'],
    calls: 'class-client',
  },
] as const;

/** What is wrong with the clients that others generate of the document; empty when nothing is. */
export async function clientComplaints(
  document: object,
  { logins, url }: Shop,
  tools: OutsideTools,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-clients-'));
  try {
    await cp(CALLS, folder, { recursive: true });
    await mkdir(join(folder, 'generated'), { recursive: true });
    await symlink(join(tools.folder, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    for (const { program, words } of CLIENTS) await tools.run(program, words, { cwd: folder });
    const compiled = await tools.run('tsc', ['-p', '.'], { cwd: folder });
    if (!compiled.isGood) return [`the generated clients do not compile:\n${compiled.output}`];
    const given = JSON.stringify({ url, gateway: logins.gateway, recurrence: logins.recurrence });
    const complaints: string[] = [];
    for (const { program, calls } of CLIENTS) {
      const called = await runNode([join(folder, 'built', `${calls}.js`)], {
        env: { ...process.env, GIVEN: given },
      });
      if (!called.isGood) complaints.push(`the client of ${program}: ${called.output}`);
    }
    return complaints;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
