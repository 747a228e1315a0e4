import type { Configuration } from '../../app/config.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { listLatestEndpoints } from '../../webhooks/endpoints/listed-endpoints.sql.ts';
import { openResolver } from '../../webhooks/posting/open-resolver.ts';
import { vetHost } from '../../webhooks/posting/vet-url.ts';
import { type Diagnosis, fault, fine, warning } from './diagnosis.ts';
import { greet } from './look-at-peer.ts';

/** So many addresses of merchants are looked at: enough to know whether this machine gets out. */
const MOST_ENDPOINTS = 5;
const LOOKUP_MILLISECONDS = 3_000;
const PUBLIC_AUTHORITIES = { ca: null, clientCertificate: null };

/** Whether merchants' servers are reached from here: by name, port and TLS. Nothing is sent to them. */
export async function checkWebhooks(database: Database, configuration: Configuration): Promise<Diagnosis[]> {
  const endpoints = await listLatestEndpoints(database, MOST_ENDPOINTS);
  if (endpoints.length === 0) return [fine('webhooks.none', 'no merchant has registered an address')];
  const looks = await Promise.all(endpoints.map(({ url }) => lookAt(url, configuration)));
  const failed = looks.flatMap((reason, index) =>
    reason === null ? [] : [`${endpoints[index]?.merchantId} (${reason})`],
  );
  if (failed.length === 0)
    return [fine('webhooks.out', `the last ${looks.length} addresses of merchants are reached`)];
  const says = `of the last ${looks.length} addresses of merchants ${failed.length} are not reached: ${failed.join(', ')}`;
  if (failed.length === looks.length)
    return [
      fault('webhooks.out', says, 'let this machine out to the internet, and look at its name servers'),
    ];
  return [
    warning('webhooks.out', says, 'ask these merchants; parcela webhook list --merchant ID shows more'),
  ];
}

/** Null: it is reached. */
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
  if ('fault' in vetted) return vetted.fault;
  const greeting = await greet(url, PUBLIC_AUTHORITIES, vetted.addresses[0]);
  return greeting.kind === 'refused' ? greeting.code : null;
}
