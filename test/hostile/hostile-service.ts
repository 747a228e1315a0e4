import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logIn } from '../kit/merchant.ts';
import { type Login, makeMerchant } from '../kit/merchants.ts';
import { type Auditor, openTestService, type TestService } from '../kit/service.ts';
import { endEarlierAlertEndpoints } from './enrolled.ts';

export type ShopScope = 'gateway' | 'recurrence' | 'integration';

/** Shops of a service in which nothing works in the background: no Pix is ever paid there. */
export const WITHOUT_WORK = new WeakSet<object>();

/** A merchant of a hostile service, with a login and a live token for each scope. */
export type Shop = {
  readonly merchantId: string;
  /** The first account of the merchant, and nobody else's. */
  readonly accountNumber: string;
  /** Another account of the merchant each time, so that what happens at once happens to different ones. */
  nextAccount(): string;
  readonly logins: Readonly<Record<ShopScope, Login>>;
  readonly tokens: Record<ShopScope, string>;
  readonly url: string;
  /** The shop's own server, which accepts every notification. */
  readonly listenerUrl: string;
  /** Looks into the database, and plants what no caller can make: a delivery that is over. */
  readonly auditor: Auditor;
  /** Makes something once and keeps it: what is only read can be read again. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
};

export type HostileService = TestService & {
  /** Attacks. */
  readonly alice: Shop;
  /** Owns what Alice must not reach. */
  readonly bob: Shop;
  /** New tokens for both: a long run outlives the first. */
  renewTokens(): Promise<void>;
  /**
   * How many rows each table has, save the audit log, which holds refusals too, and what a question
   * brings up to date before it is answered; `except`: nor these.
   */
  rowCounts(except?: readonly string[]): Promise<ReadonlyMap<string, number>>;
};

const SCOPES: readonly ShopScope[] = ['gateway', 'recurrence', 'integration'];
const PLENTY = '1000000';

/** No limit of rate is met, and every login comes from an address of its own (`strangeAddress`). */
export const HOSTILE_SETTINGS = {
  // What is planted stays as it is.
  PARCELA_CHARGES_AT_ONCE: '0',
  PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: PLENTY,
  PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: PLENTY,
  PARCELA_LOGIN_FAILURES_PER_USER_NAME: PLENTY,
  PARCELA_LOGIN_FAILURES_PER_ADDRESS: PLENTY,
  PARCELA_WEBHOOK_TESTS_PER_MINUTE: PLENTY,
  PARCELA_STORED_COPIES: PLENTY,
  PARCELA_TRUSTED_PROXIES: '127.0.0.1,::1',
};

/** Nothing works in the background: what rows appear requests have made. */
export const REQUESTS_ALONE = { PARCELA_ROLES: 'http' };

/** A service with two merchants, for attacks. */
export async function openHostileService(
  settings: Readonly<Record<string, string>> = {},
): Promise<HostileService> {
  const service = await openTestService({ ...HOSTILE_SETTINGS, ...settings });
  const listener = await openListener();
  const close = async () => {
    await service.close();
    await listener.close();
  };
  try {
    await endEarlierAlertEndpoints(service.auditor);
    const alice = await openShop(service, listener.url, '01700555550001', '1001');
    const bob = await openShop(service, listener.url, '01700555550002', '2002');
    if (settings === REQUESTS_ALONE) for (const shop of [alice, bob]) WITHOUT_WORK.add(shop);
    return {
      ...service,
      close,
      alice,
      bob,
      async renewTokens() {
        for (const shop of [alice, bob]) Object.assign(shop.tokens, await tokensOf(shop.url, shop.logins));
      },
      rowCounts: (except = []) => rowCounts(service, except),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const ACCOUNTS = 50;

async function openListener(): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openShop(
  service: TestService,
  listenerUrl: string,
  merchantId: string,
  accountNumber: string,
): Promise<Shop> {
  const others = Array.from({ length: ACCOUNTS }, (_, index) => `${accountNumber}${index + 10}`);
  let asked = 0;
  const made = await makeMerchant(service.database, {
    merchantId,
    accountNumbers: [accountNumber, ...others],
    credentials: SCOPES.map((scope) => [scope]),
  });
  const logins = Object.fromEntries(SCOPES.map((scope, index) => [scope, made[index]])) as Shop['logins'];
  const kept = new Map<string, Promise<unknown>>();
  return {
    merchantId,
    accountNumber,
    nextAccount() {
      asked += 1;
      return others[asked % ACCOUNTS] as string;
    },
    logins,
    tokens: await tokensOf(service.gatewayUrl, logins),
    url: service.gatewayUrl,
    listenerUrl,
    auditor: service.auditor,
    once<T>(name: string, make: () => Promise<T>): Promise<T> {
      return kept.getOrInsertComputed(name, make) as Promise<T>;
    },
  };
}

async function tokensOf(url: string, logins: Readonly<Record<ShopScope, Login>>) {
  return {
    gateway: await logIn(url, logins.gateway),
    recurrence: await logIn(url, logins.recurrence),
    integration: await logIn(url, logins.integration, '/api/authentication/login'),
  };
}

let addresses = 0;

/** An address that nobody has called from yet: failed logins of one case are none of the next. */
export function strangeAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** What a question of a merchant brings up to date, before it is answered. */
const BROUGHT_BY_READS = ['receivable_cursors', 'receivables'];

async function rowCounts(
  { auditor }: TestService,
  except: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const tables = await auditor.query(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'audit%'
       and relname <> all($1)`,
    [[...BROUGHT_BY_READS, ...except]],
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from "${name}"`);
  const rows = await auditor.query(counts.join(' union all '));
  return new Map(rows.map(({ name, count }) => [name as string, count as number]));
}
