import { constants } from 'node:fs';
import { access, lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Configuration } from '../../app/config.ts';
import { IdentityProvider } from '../../console/identities/open-provider.ts';
import { listDataKeys } from '../../keys/data-keys.sql.ts';
import { openKeyStore } from '../../keys/open-key-store.ts';
import { openKeyring, PURPOSES } from '../../keys/open-keyring.ts';
import { wordsOf } from '../../platform/channels/connection-words.ts';
import { roomIn } from '../../platform/disk-space.ts';
import { hasExpired } from '../../platform/http/security-text.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { listLatestEndpoints } from '../../webhooks/endpoints/webhook-endpoints.sql.ts';
import { openUrlRules } from '../../webhooks/posting/open-url-rules.ts';
import { lookupFor } from '../../webhooks/posting/url-rules.ts';
import { vetHost } from '../../webhooks/posting/vet-url.ts';
import { checkChannel } from './check-channel.ts';
import { type Diagnosis, fault, fine, reasonOf, warning } from './diagnosis.ts';
import { greet } from './look-at-peer.ts';

/** Descriptors for files, database, acquirer and merchants' servers. */
const OTHER_DESCRIPTORS = 2_000;

export async function checkMachine(configuration: Configuration): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [
    fine('node.version', `Node ${process.versions.node}`),
    ...(await checkDescriptors(configuration)),
    ...(await checkFolders(configuration)),
  ];
  const contact = configuration.securityContact;
  if (contact !== null && hasExpired(contact, new Date())) {
    const says = `the security contact ended on ${contact.expiresOn}`;
    found.push(warning('settings.contact', says, 'set PARCELA_SECURITY_EXPIRES to a later day'));
  }
  return found;
}

async function checkDescriptors({ connections }: Configuration): Promise<Diagnosis[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node uses descriptors up to the hard limit.
  const most = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  const wanted = connections.inAll + OTHER_DESCRIPTORS;
  if (most === undefined || Number(most) >= wanted) return [];
  const says = `a process may open ${most} files, and ${connections.inAll} connections need ${wanted}`;
  return [warning('machine.descriptors', says, 'set LimitNOFILE= of the unit, or lower PARCELA_CONNECTIONS')];
}

async function checkFolders({ dataFolder, keyStore, settlementFolder }: Configuration): Promise<Diagnosis[]> {
  const folders = new Set([dataFolder]);
  if (keyStore.kind === 'file') folders.add(dirname(resolve(keyStore.path)));
  const found = (await Promise.all([...folders].map(checkSpace))).flat();
  if (settlementFolder === null) return found;
  const unusable = await checkSettlementFolder(settlementFolder);
  return [...found, ...(unusable === null ? await checkSpace(settlementFolder) : [unusable])];
}

async function checkSettlementFolder(path: string): Promise<Diagnosis | null> {
  try {
    if (!(await stat(path)).isDirectory()) {
      const says = `PARCELA_SETTLEMENT_FOLDER: ${path} is a file and no folder`;
      return fault('settlement.folder', says, 'name the folder into which the files of the acquirer come');
    }
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return (await checkOwnFolder(path, 'taken')) ?? (await checkOwnFolder(path, 'refused'));
  } catch (error) {
    const says = `PARCELA_SETTLEMENT_FOLDER: ${reasonOf(error)}`;
    return fault(
      'settlement.folder',
      says,
      'make the folder, and let the account of the service write in it',
    );
  }
}

/** The service creates this folder. If something else has its name, no file is moved. */
async function checkOwnFolder(path: string, name: 'taken' | 'refused'): Promise<Diagnosis | null> {
  const own = join(path, name);
  const found = await lstat(own).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) {
    await access(own, constants.W_OK | constants.X_OK);
    return null;
  }
  const says = `PARCELA_SETTLEMENT_FOLDER: ${name} is a ${found.isSymbolicLink() ? 'link' : 'file'} and no folder, so that no file is taken`;
  return fault(
    'settlement.folder',
    says,
    `move it away: the service makes ${name} anew; to have it elsewhere, mount it there`,
  );
}

async function checkSpace(path: string): Promise<Diagnosis[]> {
  const room = await roomIn(path);
  if (room === null) return [];
  const says = `${(room.freeBytes / 1e6).toFixed(0)} MB are free in ${path}`;
  const advice = 'make more space on that disk';
  if (room.lack === 'full') return [fault('disk.full', says, advice)];
  return [room.lack === 'low' ? warning('disk.low', says, advice) : fine('disk.space', says)];
}

/** What to say of key stores that only the operator can back up. */
const COPIES = {
  file: '; keep a copy of the key file in another place',
  environment: '; keep a copy of its value in another place',
  external: '',
} as const;

/** Whether the keys open everything sealed here. Creates nothing. */
export async function checkKeys(database: Database, configuration: Configuration): Promise<Diagnosis[]> {
  const { keyStore, environment } = configuration;
  const present = await listDataKeys(database);
  const isWhole = PURPOSES.every((purpose) =>
    present.some((key) => key.purpose === purpose && !key.isRetired),
  );
  if (present.length === 0 && environment === 'homologation')
    return [fine('keys.none', 'there are no keys yet: the first start makes them')];
  try {
    const { store } = await openKeyStore(keyStore, environment, database);
    if (!isWhole) {
      const says = `${store.name} is there, and the database has no data keys yet`;
      return [warning('keys.none', says, `the first start makes them${COPIES[keyStore.kind]}`)];
    }
    await openKeyring(database, store, configuration, () => {});
    return [fine('keys.open', `${store.name} opens all ${present.length} data keys`)];
  } catch (error) {
    return [fault('keys.unusable', reasonOf(error), 'see docs/keys.md')];
  }
}

const ISSUER = 'PARCELA_CONSOLE_OIDC_ISSUER';

export async function checkConsole({
  console: { provider },
}: Pick<Configuration, 'console'>): Promise<Diagnosis[]> {
  if (provider === null) return [];
  const found = await checkChannel({
    name: 'oidc',
    words: 'the identity provider',
    setting: 'PARCELA_CONSOLE_OIDC',
    urlSetting: ISSUER,
    url: provider.issuer,
    files: provider.files,
    check: null,
  });
  if (found.some(({ state }) => state === 'fault')) return found;
  try {
    await new IdentityProvider(provider, { warn: () => {} }).discover();
    return [...found, fine('oidc.fit', 'the identity provider says what people are sent to')];
  } catch (error) {
    return [
      ...found,
      fault('oidc.unfit', reasonOf(error), `name the issuer in ${ISSUER} as the provider writes it`),
    ];
  }
}

/** Some merchants' addresses are enough to know whether this machine has a way out. */
const MOST_ENDPOINTS = 5;
const LOOKUP_MILLISECONDS = 3_000;
const PUBLIC_AUTHORITIES = { ca: null, clientCertificate: null };

/** Looks at name, port and TLS of addresses that merchants registered. Sends nothing. */
export async function checkWebhooks(database: Database, configuration: Configuration): Promise<Diagnosis[]> {
  const endpoints = await listLatestEndpoints(database, MOST_ENDPOINTS);
  if (endpoints.length === 0) return [fine('webhooks.none', 'no merchant has registered an address')];
  const looks = await Promise.all(
    endpoints.map(async (endpoint) => ({ ...endpoint, why: await lookAt(endpoint.url, configuration) })),
  );
  const failed = looks.filter(({ why }) => why !== null);
  if (failed.length === 0)
    return [fine('webhooks.out', `the last ${looks.length} addresses of merchants are reached`)];
  const named = failed.map(
    ({ merchantId, why }) => `${merchantId} (${NO_WAY[why ?? ''] ?? wordsOf(why ?? '')})`,
  );
  const says = `of the last ${looks.length} addresses of merchants ${failed.length} are not reached: ${named.join(', ')}`;
  if (isOurs(looks))
    return [
      fault('webhooks.out', says, 'let this machine out to the internet, and look at its name servers'),
    ];
  const advice = `ask these merchants to look at their servers; parcela webhook list --merchant ${failed[0]?.merchantId} says what waits`;
  return [warning('webhooks.out', says, advice)];
}

/** Errors that keep this machine from every server. Others concern one server. */
const NO_WAY: Readonly<Record<string, string>> = {
  lookupFailed: 'no name server says where its name leads',
  ENETUNREACH: 'this machine has no way to its network',
};

const WORDS_OF_FAULTS: Readonly<Record<string, string>> = {
  unresolved: 'its name does not exist',
  address: 'its name leads to an address that webhooks must not go to',
  port: 'its port is one that webhooks must not go to',
};

/**
 * Whether this machine is at fault. One answer, even a refusal, proves a way out. A single silence proves
 * nothing.
 */
function isOurs(looks: readonly { readonly url: string; readonly why: string | null }[]): boolean {
  const hosts = new Set(looks.map(({ url }) => new URL(url).hostname));
  return hosts.size > 1 && looks.every(({ why }) => why !== null && why in NO_WAY);
}

async function lookAt(text: string, configuration: Configuration): Promise<string | null> {
  const url = new URL(text);
  const rules = openUrlRules(configuration);
  const lookup = lookupFor(rules.resolver, 'doctor');
  const vetted = await vetHost(rules, lookup, url, AbortSignal.timeout(LOOKUP_MILLISECONDS));
  if ('fault' in vetted) return WORDS_OF_FAULTS[vetted.fault] ?? vetted.fault;
  const greeting = await greet(url, PUBLIC_AUTHORITIES, vetted.addresses[0]);
  return greeting.kind === 'refused' ? greeting.code : null;
}
