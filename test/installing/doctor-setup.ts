import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSafeServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnosis } from '../../src/cli/doctor/diagnosis.ts';
import { runCommandHere } from '../kit/command.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { databaseSettings } from '../kit/service.ts';
import { type Certified, makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import type { Settings } from './run-parcela.ts';

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

/** How a bridge of ours behaves that is no simulator; each is a program of its own. */
type Bridge = { readonly url: string; close(): Promise<void> };

type Behaviour = {
  readonly isSimulator?: boolean;
  readonly status?: number;
  readonly isSilent?: boolean;
  /** What it answers in the place of JSON. */
  readonly page?: string;
  readonly clockOffset?: number;
  readonly certified?: Certified;
};

async function openBridge({
  isSimulator = false,
  isSilent = false,
  status = 200,
  clockOffset = 0,
  page,
  certified,
}: Behaviour = {}): Promise<Bridge> {
  const answer = (_request: IncomingMessage, response: ServerResponse) => {
    if (isSilent) return;
    const date = new Date(Date.now() + clockOffset).toUTCString();
    const kind = page === undefined ? 'application/json' : 'text/html';
    response.writeHead(status, { 'content-type': kind, date });
    response.end(page ?? JSON.stringify({ name: 'test', protocol: 1, simulator: isSimulator }));
  };
  const server: Server =
    certified === undefined
      ? createServer(answer)
      : createSafeServer({ key: certified.keyText, cert: certified.certificate }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scheme = certified === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Examined = {
  readonly code: number | null;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  readonly diagnoses: readonly Diagnosis[];
};

/** An installation for production where nothing is wrong, and what can be wrong with it. */
export type Installation = {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly settings: Settings;
  readonly bridges: Readonly<Record<BridgeName, string>>;
  readonly files: { readonly authority: string; readonly token: string; readonly ending: Settings };
  sql(text: string): Promise<unknown>;
  examine(change?: Settings): Promise<Examined>;
  close(): Promise<void>;
};

type BridgeName =
  | 'fit'
  | 'simulator'
  | 'silent'
  | 'garbage'
  | 'broken'
  | 'refusing'
  | 'late'
  | 'expired'
  | 'private';

export async function openInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-doctor-'));
  const database = await createTestDatabase({ migrated: true, hasOwnRole: true });
  const issuer = makeAuthority();
  const host = { hosts: ['127.0.0.1'], issuer };
  const expired = makeCertificate({ ...host, notAfter: new Date(Date.now() - HOUR) });
  const opened = {
    fit: await openBridge(),
    simulator: await openBridge({ isSimulator: true }),
    silent: await openBridge({ isSilent: true }),
    garbage: await openBridge({ page: '<html>Welcome</html>' }),
    broken: await openBridge({ page: '<html>Bad gateway</html>', status: 502 }),
    refusing: await openBridge({ status: 401 }),
    late: await openBridge({ clockOffset: -HOUR }),
    expired: await openBridge({ certified: expired }),
    private: await openBridge({ certified: makeCertificate(host) }),
  };
  const file = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const ending = makeCertificate({ notAfter: new Date(Date.now() + 5 * DAY) });
  const settings = {
    ...databaseSettings(database),
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_DATA_DIR: folder,
    PARCELA_ACQUIRER_URL: opened.fit.url,
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    PARCELA_PAGES_ORIGIN: 'https://pay.example.com',
  };
  const made = await runCommandHere(['key', 'create'], settings);
  assert.equal(made.code, 0, made.said);
  return {
    folder,
    database,
    settings,
    bridges: Object.fromEntries(Object.entries(opened).map(([name, { url }]) => [name, url])) as Record<
      BridgeName,
      string
    >,
    files: {
      authority: await file('authority.pem', issuer.certificate),
      token: await file('token', 'a-token'),
      ending: {
        PARCELA_ACQUIRER_CERTIFICATE_FILE: await file('ending.pem', ending.certificate),
        PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE: await file('ending.key', ending.keyText),
      },
    },
    sql: (text) => runSql(database.address, text),
    examine: (change = {}) => examine({ ...settings, ...change }),
    async close() {
      for (const bridge of Object.values(opened)) await bridge.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function examine(settings: Settings): Promise<Examined> {
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
  const { code, printed, said } = await runCommandHere(['doctor', '--json'], set);
  assert.match(printed, /^\{/, said);
  const { diagnoses } = JSON.parse(printed) as { diagnoses: Diagnosis[] };
  const named = (state: Diagnosis['state']) =>
    diagnoses.filter((one) => one.state === state).map(({ name }) => name);
  return { code, faults: named('fault'), warnings: named('warning'), diagnoses };
}
