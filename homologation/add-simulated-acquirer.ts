import type { Actor, Audit } from '../src/audit/audit-event.ts';
import type { Keyring } from '../src/keys/open-keyring.ts';
import { createMerchant } from '../src/merchants/create-merchant.ts';
import type { Database } from '../src/platform/postgres/database.ts';
import { addProvider, moveProvider, routeProviders } from '../src/providers/add-provider.ts';
import { listProviders, listRules } from '../src/providers/providers.sql.ts';
import { DEMO_MERCHANT } from './create-demo-merchant.ts';

type RouteTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly keyring: Keyring;
  readonly operator: Actor;
};

const KIND = 'acquirer';
const NAME_START = 'simulated-';
/** The simulated ones believe whom they do not know. */
const ESTABLISHMENTS = { rede: '10000001', cielo: '10000000-0000-4000-8000-000000000001' } as const;
const KEY = '0000000000000000000000000000000000000000';

/**
 * Adds a simulated acquirer as `parcela provider add` does, or gives it the address that it has after this
 * start, and sends the demo merchant's sales to it. Without one they go where those of all merchants go.
 */
export async function addSimulatedAcquirer(
  tools: RouteTools,
  simulated: { readonly adapter: keyof typeof ESTABLISHMENTS; readonly url: string } | null,
): Promise<void> {
  const { merchantId } = DEMO_MERCHANT;
  const before = (await listRules(tools.database))
    .filter((one) => one.kind === KIND && one.merchantId === merchantId)
    .map(({ rule }) => rule.provider);
  if (simulated === null) {
    const isOurs = before.length === 1 && before[0]?.startsWith(NAME_START) === true;
    if (isOurs) await routeProviders(tools, { kind: KIND, merchantId, rules: [] });
    return;
  }
  const { adapter, url } = simulated;
  const name = NAME_START + adapter;
  const none = { token: null, authority: null, certificate: null, certificateKey: null };
  const credentials = { ...none, establishment: ESTABLISHMENTS[adapter], establishmentKey: KEY };
  const wanted = {
    kind: KIND,
    name,
    adapter,
    url,
    timeoutMilliseconds: null,
    settings: {},
    credentials,
  } as const;
  const isKnown = (await listProviders(tools.database)).some((one) => one.kind === KIND && one.name === name);
  const written = await (isKnown ? moveProvider : addProvider)(tools, wanted);
  if (written.kind === 'refused') throw new Error(`the provider ${name} was refused: ${written.refusal}`);
  if (before.length === 1 && before[0] === name) return;
  await createMerchant(tools, DEMO_MERCHANT);
  await routeProviders(tools, { kind: KIND, merchantId, rules: [name] });
}
