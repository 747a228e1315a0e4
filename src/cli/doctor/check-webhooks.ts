import type { Configuration } from '../../app/config.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { listLatestEndpoints } from '../../webhooks/endpoints/listed-endpoints.sql.ts';
import { openResolver } from '../../webhooks/posting/open-resolver.ts';
import { vetHost } from '../../webhooks/posting/vet-url.ts';
import { type Diagnosis, fault, fine, warning, wordsOf } from './diagnosis.ts';
import { greet } from './look-at-peer.ts';

/** So many addresses of merchants are looked at: enough to know whether this machine gets out. */
const MOST_ENDPOINTS = 5;
const LOOKUP_MILLISECONDS = 3_000;
const PUBLIC_AUTHORITIES = { ca: null, clientCertificate: null };

/** Whether merchants' servers are reached from here: by name, port and TLS. Nothing is sent to them. */
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

/** What keeps this machine from all of them; other codes come from a server, or from nowhere. */
const NO_WAY: Readonly<Record<string, string>> = {
  lookupFailed: 'no name server says where its name leads',
  ENETUNREACH: 'this machine has no way to its network',
};

const WORDS_OF_FAULTS: Readonly<Record<string, string>> = {
  unresolved: 'its name does not exist',
  address: 'its name leads to an address that webhooks must not go to',
  port: 'its port is one that webhooks must not go to',
};

/** One answer, also a refusal, proves that this machine gets out; one silence proves nothing. */
function isOurs(looks: readonly { readonly url: string; readonly why: string | null }[]): boolean {
  const hosts = new Set(looks.map(({ url }) => new URL(url).hostname));
  return hosts.size > 1 && looks.every(({ why }) => why !== null && why in NO_WAY);
}

/** A fault, or a code of Node; null: it is reached. */
async function lookAt(
  text: string,
  { webhookNetworks, takesWebhooksOnLoopback, environment }: Configuration,
): Promise<string | null> {
  const url = new URL(text);
  const rules = {
    takesHttp: environment === 'homologation',
    takesLoopback: takesWebhooksOnLoopback,
    openedNetworks: webhookNetworks,
  };
  const resolver = openResolver();
  const lookup = (host: string, signal: AbortSignal) => resolver.lookup(host, signal, 'doctor');
  const vetted = await vetHost(rules, lookup, url, AbortSignal.timeout(LOOKUP_MILLISECONDS));
  if ('fault' in vetted) return WORDS_OF_FAULTS[vetted.fault] ?? vetted.fault;
  const greeting = await greet(url, PUBLIC_AUTHORITIES, vetted.addresses[0]);
  return greeting.kind === 'refused' ? greeting.code : null;
}
