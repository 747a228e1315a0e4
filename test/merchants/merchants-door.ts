import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Type } from 'typebox';
import { auditRefusedAccess } from '../../src/audit/audit-refused-access.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { openMerchants } from '../../src/merchants/module.ts';
import type { LoginLimits } from '../../src/merchants/tokens/login-failures.ts';
import { NO_CHANNEL_FILES } from '../../src/platform/channels/channel-files.ts';
import { Admission } from '../../src/platform/http/admission.ts';
import { BodyMemory, MOST_BODY_BYTES } from '../../src/platform/http/body-memory.ts';
import { CallerConnections } from '../../src/platform/http/caller-connections.ts';
import {
  observeBodies,
  observeConnections,
  observePlaces,
  openRequestMetrics,
} from '../../src/platform/http/crowd-metrics.ts';
import { openDrain } from '../../src/platform/http/draining.ts';
import {
  type Api,
  type Caller,
  callerOf,
  contract,
  endpoint,
  type Scope,
  type ServedEndpoint,
  serve,
} from '../../src/platform/http/endpoint.ts';

import { buildServer } from '../../src/platform/http/server.ts';
import { openLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { cheapen } from '../kit/cheap-password.ts';
import { createTestDatabase as createMigrated, runSql, serverAddress } from '../kit/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { patiently } from '../kit/patience.ts';
import { databaseUrl, until } from '../kit/service.ts';

export type TestDatabase = {
  /** The address of its owner. */
  readonly url: string;
  /** The address of the role that the program works as. */
  readonly runtimeUrl: string;
  /** Runs SQL beside the program, as an operator or a clock would. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Ends all connections and accepts none, until it is opened again. */
  setReachable(isReachable: boolean): Promise<void>;
  drop(): Promise<void>;
};

/** A database of its own for one test file, with all migrations. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { address, runtime, drop } = await createMigrated({ migrated: true });
  const onServer = (text: string) => runSql(serverAddress(), text);
  const end = () =>
    onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${address.database}'`);
  return {
    url: databaseUrl(address),
    runtimeUrl: databaseUrl(runtime),
    async sql(text, values = []) {
      const client = new pg.Client(address);
      await client.connect();
      try {
        return (await client.query(text, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async setReachable(isReachable) {
      await onServer(`alter database ${address.database} allow_connections ${isReachable}`);
      if (!isReachable) await end();
    },
    drop,
  };
}

export type Door = {
  readonly url: string;
  readonly database: Database;
  close(): Promise<void>;
};

export type DoorOptions = {
  enforceAddresses?: boolean;
  limits?: LoginLimits;
  trustedProxies?: string[];
  passwordMaxAgeDays?: number;
  credentialUnusedDays?: number;
};

/** One instance of the program as its callers see it: both APIs behind the two logins. */
export async function openDoor(testDatabase: TestDatabase, options: DoorOptions = {}): Promise<Door> {
  const database = openDatabase(testDatabase.runtimeUrl, () => {});
  const { audit } = await auditedTools(database);
  const refused = auditRefusedAccess(audit, () => {});
  const log = openLog('silent', 'json');
  const metrics = openMetrics();
  const { enforceAddresses = false, limits = { perUserName: 50, perAddress: 100 } } = options;
  const configuration = {
    environment: enforceAddresses ? ('production' as const) : ('homologation' as const),
    cell: null,
    loginFailures: limits,
    passwordMaxAgeDays: options.passwordMaxAgeDays ?? 0,
    credentialUnusedDays: options.credentialUnusedDays ?? 0,
  };
  const merchants = openMerchants({ configuration, database, audit, log, metrics });
  const bodies = new BodyMemory(MOST_BODY_BYTES, observeBodies(metrics, log));
  const connections = new CallerConnections(
    { inAll: 1_000, perAddress: 1_000 },
    { isTrusted: () => false, hasTrusted: false, isServed: () => true },
    bodies,
    observeConnections(metrics, log),
  );
  const server = buildServer({
    whyHeld: () => null,
    pages: [],
    isOverTls: false,
    pagesOrigin: null,
    endpoints: [...merchants.endpoints, ...whoEndpoints()],
    mounts: [
      { api: 'gateway', prefix: '' },
      { api: 'integration', prefix: '' },
      { api: 'either', prefix: '' },
    ],
    identify: merchants.identify,
    onForbidden: refused.report,
    drain: openDrain(),
    opened: Promise.resolve(),
    outages: { explains: () => false },
    connections,
    admission: new Admission(1_000, observePlaces(metrics, log)),
    log,
    metrics: openRequestMetrics(metrics),
    scopes: { tracer: null, requestIdHeader: null },
    trustedProxies: options.trustedProxies ?? [],
    bodies,
    requestsPerSecond: { perCredential: 10_000, perMerchant: 10_000, perAddress: 10_000 },
    requestDeadlineMilliseconds: patiently(10_000),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    database,
    async close() {
      await server.close();
      connections.close();
      await refused.close();
      await database.close();
    },
  };
}

/**
 * Endpoints that answer the caller, one for each API and scope: the modules behind the door do not
 * matter here.
 */
function whoEndpoints(): ServedEndpoint[] {
  const who = (id: string, path: string, api: Api, scope: Scope) =>
    endpoint(
      contract({
        id,
        method: 'GET',
        path,
        api,
        scope,
        group: 'Test',
        summary: 'Who calls',
        answers: { 200: { description: 'The caller.', schema: Type.Object({}) } },
      }),
      async (_: null, call) => ({ status: 200, body: callerOf(call) }),
    );
  const all = [
    who('whoGateway', '/who/gateway', 'gateway', 'gateway'),
    who('whoRecurrence', '/who/recurrence', 'gateway', 'recurrence'),
    who('whoIntegration', '/who/integration', 'integration', 'integration'),
  ];
  return serve(all, null);
}

export type Answered<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** What both logins answer, whatever the outcome. */
export type TokenBody = {
  readonly authenticated: boolean;
  readonly created: string | null;
  readonly expiration: string | null;
  readonly accessToken: string | null;
  readonly message: string;
};

export const LOGIN_PATHS = { gateway: '/api/auth/token', integration: '/api/authentication/login' } as const;

export async function logIn(
  door: Pick<Door, 'url'>,
  userName: string,
  password: string,
  more: { api?: keyof typeof LOGIN_PATHS; headers?: Record<string, string> } = {},
): Promise<Answered<TokenBody>> {
  return post(
    `${door.url}${LOGIN_PATHS[more.api ?? 'gateway']}`,
    JSON.stringify({ userName, password }),
    more.headers,
  );
}

/** Logs in and gives the token; fails when there is none. */
export async function tokenOf(
  door: Pick<Door, 'url'>,
  login: { readonly userName: string; readonly password: string },
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, body } = await logIn(door, login.userName, login.password, { headers });
  assert.equal(status, 200, body.message);
  return body.accessToken as string;
}

/**
 * Each on a connection of its own: a crowd leaves hundreds idle, and the server may close one just as the
 * next request takes it, more than a minute later.
 */
const ALONE = { connection: 'close' } as const;

export async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answered<TokenBody>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...ALONE, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.status, headers: answer.headers, body: await bodyOf(answer) };
}

/** Asks who a token is. */
export async function who(
  door: Pick<Door, 'url'>,
  token: string | null,
  path = '/who/gateway',
  headers: Record<string, string> = {},
): Promise<Answered<Caller | null>> {
  const answer = await fetch(`${door.url}${path}`, {
    headers: { ...ALONE, authorization: `Bearer ${token}`, ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: await bodyOf(answer) };
}

/** The body, which the tests take for what it should be. */
async function bodyOf<Body>(answer: Response): Promise<Body> {
  const text = await answer.text();
  return (text === '' ? null : JSON.parse(text)) as Body;
}

/** Runs the operator's command with `--json` and gives what it printed. */
export async function operator<Printed>(
  database: Database,
  words: readonly string[],
  environment: 'homologation' | 'production' = 'homologation',
): Promise<Printed> {
  const { exitCode, printed, errors } = await command(database, [...words, '--json'], environment);
  assert.equal(exitCode, 0, errors);
  return JSON.parse(printed) as Printed;
}

export async function command(
  database: Database,
  words: readonly string[],
  environment: 'homologation' | 'production' = 'homologation',
): Promise<{ exitCode: number; printed: string; errors: string }> {
  const printed: string[] = [];
  const errors: string[] = [];
  const plain = {
    environment,
    cell: null,
    urlSettings: { environment, webhookNetworks: [], takesWebhooksOnLoopback: false },
    pagesOrigin: null,
    acquirer: {
      url: null,
      simulatorFolder: null,
      channel: NO_CHANNEL_FILES,
      timeoutMilliseconds: 1_000,
      captureDays: 5,
    },
    pix: {
      url: null,
      channel: NO_CHANNEL_FILES,
      settings: {},
      timeoutMilliseconds: 1_000,
      simulatorFolder: null,
    },
    report: (line: string) => void errors.push(line),
  };
  const exitCode = await runCommand(words, {
    open: async () => ({ ...plain, database, operator: { actor: 'ana', origin: 'here' } }),
    openAudited: async () => ({ ...plain, ...(await auditedTools(database)) }),
    // The role of the service too, so that what only the owner may do is refused.
    openOwner: async () => ({ ...plain, ...(await auditedTools(database)) }),
    openKeys: () => Promise.reject(new Error('the tests of the keys run the program itself')),
    openInstallation: () => {
      throw new Error('the tests of an installation run the program itself');
    },
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  });
  return { exitCode, printed: printed.join('\n'), errors: errors.join('\n') };
}

export type TestMerchant = { readonly merchantId: string; readonly cnpj: string; readonly createdAt: string };

export function createShop(database: Database, merchantId: string, ...more: string[]): Promise<TestMerchant> {
  return operator(database, shopWords(merchantId, ...more));
}

/** The command that registers a merchant. */
export function shopWords(merchantId: string, ...more: string[]): string[] {
  const options = {
    '--merchant-id': merchantId,
    '--cnpj': '11.222.333/0001-81',
    '--legal-name': 'Padaria São João Ltda.',
    '--account': '1001',
    '--contact-name': 'Ana Souza',
    '--contact-email': 'ana@padaria.example',
    '--contact-phone': '+55 11 4000-0000',
  };
  return ['merchant', 'create', ...Object.entries(options).flat(), '--account', '1002', ...more];
}

export type TestCredential = {
  readonly userName: string;
  readonly password: string;
  readonly credentialId: string;
  readonly accountNumber: string;
  readonly previousPasswordValidUntil: string | null;
};

export async function createLogin(
  database: Database,
  merchantId: string,
  ...more: string[]
): Promise<TestCredential> {
  const scope = more.includes('--scope') ? [] : ['--scope', 'gateway'];
  const words = ['credential', 'create', '--merchant', merchantId, ...scope, ...more];
  const made = await operator<TestCredential>(database, words);
  await cheapen(database, made);
  return made;
}
/** A credential that ended is known to have ended everywhere within two seconds. */
const ANSWER_MILLISECONDS = 10_000;

/** Waits until the answer has the status. */
export function untilStatus<Body>(
  status: number,
  ask: () => Promise<Answered<Body>>,
): Promise<Answered<Body>> {
  return until(
    `it is answered with ${status}`,
    async () => {
      const answer = await ask();
      return answer.status === status ? answer : null;
    },
    ANSWER_MILLISECONDS,
  );
}
