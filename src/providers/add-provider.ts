import type { Actor, Audit, AuditedTx } from '../audit/audit-event.ts';
import { KeyRetired } from '../keys/data-keys.sql.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { findMerchant } from '../merchants/merchants.sql.ts';
import type { Database } from '../platform/postgres/database.ts';
import {
  DEFAULT_PROVIDER,
  isProviderName,
  type Provider,
  type ProviderCredentials,
  type ProviderKind,
  type ProviderRefusal,
  type ProviderSettings,
  providerRecord,
  providerText,
} from './provider.ts';
import { ALL_MERCHANTS, MOST_RULES, type ProviderRule, readRule, ruleText } from './provider-rule.ts';
import {
  insertProvider,
  listProviders,
  type NewProvider,
  replaceProvider,
  replaceRules,
  switchProvider,
} from './providers.sql.ts';

type ChangeProvidersTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
};

/** `value`: the refused input. */
export type ProviderRefused = {
  readonly kind: 'refused';
  readonly refusal: ProviderRefusal;
  readonly value: string;
};

export type WantedProvider = Pick<
  Provider,
  'kind' | 'name' | 'adapter' | 'url' | 'timeoutMilliseconds' | 'settings'
> & {
  readonly credentials: ProviderCredentials;
};

/** Keys are retired by hand and seldom. More than this in one command is a mistake. */
const MOST_SEALINGS = 3;

const refused = (refusal: ProviderRefusal, value: string): ProviderRefused => ({
  kind: 'refused',
  refusal,
  value,
});

const resourceOf = (kind: ProviderKind, name: string) => `providers/${providerText({ kind, name })}`;

/** The name can never change: charges are stored under it. */
export async function addProvider(
  tools: WriteProviderTools,
  wanted: WantedProvider,
): Promise<{ readonly kind: 'written' } | ProviderRefused> {
  const { name } = wanted;
  if (!isProviderName(name)) return refused('nameMalformed', name);
  if (name === DEFAULT_PROVIDER) return refused('nameReserved', name);
  const isAdded = await writeProvider(tools, wanted, 'provider.add', insertProvider);
  return isAdded ? { kind: 'written' } : refused('nameTaken', name);
}

/** Replaces the address and all credentials of a provider. It keeps its charges. */
export async function moveProvider(
  tools: WriteProviderTools,
  wanted: WantedProvider,
): Promise<{ readonly kind: 'written' } | ProviderRefused> {
  const isMoved = await writeProvider(tools, wanted, 'provider.change', replaceProvider);
  return isMoved ? { kind: 'written' } : refused('providerUnknown', wanted.name);
}

type WriteProviderTools = ChangeProvidersTools & { readonly keyring: Keyring };

async function writeProvider(
  { audit, keyring, operator }: WriteProviderTools,
  { kind, name, adapter, url, timeoutMilliseconds, settings, credentials }: WantedProvider,
  action: 'provider.add' | 'provider.change',
  write: (tx: AuditedTx, provider: NewProvider) => Promise<boolean>,
): Promise<boolean> {
  const isBare = Object.values(credentials).every((one) => one === null);
  const resource = resourceOf(kind, name);
  for (let sealing = 1; ; sealing += 1) {
    const plain = Buffer.from(JSON.stringify(credentials), 'utf8');
    const sealed = isBare ? null : keyring.seal('secret', providerRecord(kind, name), plain);
    const written = { kind, name, adapter, url, timeoutMilliseconds, settings, sealed };
    const provider = { ...written, createdBy: operator.actor };
    try {
      return await audit.transaction(async (tx) => {
        const isWritten = await write(tx, provider);
        if (isWritten)
          tx.record({
            ...operator,
            action,
            outcome: 'success',
            resource,
            detail: { adapter, url, ...settingDetail(settings) },
          });
        return isWritten;
      });
    } catch (error) {
      if (!(error instanceof KeyRetired) || sealing === MOST_SEALINGS) throw error;
      await keyring.reload();
    }
  }
}

function settingDetail(settings: ProviderSettings): { readonly settings?: string } {
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? {} : { settings: pairs.join(' ') };
}

/** A disabled provider gets no new charges. Those it has are still resolved, canceled and followed. */
export async function changeProvider(
  { database, audit, operator }: ChangeProvidersTools,
  kind: ProviderKind,
  name: string,
  isEnabled: boolean,
): Promise<{ readonly kind: 'changed' | 'unchanged' } | ProviderRefused> {
  const known = (await listProviders(database)).some((one) => one.kind === kind && one.name === name);
  if (!known) return refused('providerUnknown', name);
  const isChanged = await audit.transaction(async (tx) => {
    const isSwitched = await switchProvider(tx, kind, name, isEnabled);
    if (isSwitched)
      tx.record({
        ...operator,
        action: isEnabled ? 'provider.enable' : 'provider.disable',
        outcome: 'success',
        resource: resourceOf(kind, name),
      });
    return isSwitched;
  });
  return { kind: isChanged ? 'changed' : 'unchanged' };
}

export type WantedRoutes = {
  readonly kind: ProviderKind;
  /** null for the rules of all merchants, which apply after a merchant's own. */
  readonly merchantId: string | null;
  /** In the format of `readRule`, in order. Empty removes all rules. */
  readonly rules: readonly string[];
};

/** What would stand in place of the rules of a merchant. Writes nothing. */
export async function readRoutes(
  { database }: Pick<ChangeProvidersTools, 'database'>,
  { kind, merchantId, rules: texts }: WantedRoutes,
): Promise<{ readonly kind: 'fit'; readonly rules: readonly ProviderRule[] } | ProviderRefused> {
  if (texts.length > MOST_RULES) return refused('tooManyRules', String(texts.length));
  if (merchantId !== null && (await findMerchant(database, merchantId)) === null)
    return refused('merchantUnknown', merchantId);
  const names = (await listProviders(database)).filter((one) => one.kind === kind).map(({ name }) => name);
  const rules: ProviderRule[] = [];
  for (const text of texts) {
    const rule = readRule(text);
    if (typeof rule === 'string') return refused('ruleMalformed', `${JSON.stringify(text)}: ${rule}`);
    if (rule.provider !== DEFAULT_PROVIDER && !names.includes(rule.provider))
      return refused('providerUnknown', rule.provider);
    rules.push(rule);
  }
  return { kind: 'fit', rules };
}

/** Replaces all rules of a merchant. */
export async function routeProviders(
  { database, audit, operator }: ChangeProvidersTools,
  wanted: WantedRoutes,
): Promise<{ readonly kind: 'changed'; readonly rules: readonly ProviderRule[] } | ProviderRefused> {
  const read = await readRoutes({ database }, wanted);
  if (read.kind === 'refused') return read;
  const { kind, merchantId } = wanted;
  const { rules } = read;
  await audit.transaction(async (tx) => {
    await replaceRules(tx, kind, merchantId ?? ALL_MERCHANTS, rules);
    tx.record({
      ...operator,
      action: 'provider.route',
      outcome: 'success',
      resource: merchantId === null ? `routes/${kind}` : `merchants/${merchantId}/routes/${kind}`,
      detail: { rules: rules.map(ruleText).join('; ') },
    });
  });
  return { kind: 'changed', rules };
}
