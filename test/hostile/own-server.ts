import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { databaseUrl } from '../kit/service.ts';

const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';

/**
 * Outside of the test run: sees that there is a PostgreSQL to make databases on, the one that the
 * environment names or one of its own. Gives the function that ends it.
 */
export async function startOwnServer(): Promise<() => Promise<void>> {
  if (process.env[SERVER_VARIABLE]) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), 'parcela-hostile-'));
  // Under root the server runs as another account, which must pass through.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ folder, say: (line) => console.error(line) });
  process.env[SERVER_VARIABLE] = databaseUrl(server.connection);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
