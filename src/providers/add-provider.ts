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
import {
  ALL_MERCHANTS,
  MOST_RULES,
  type ProviderRule,
  type RuleFault,
  readRule,
  ruleText,
} from './provider-rule.ts';
import {
  insertProvider,
  listProviders,
  listRules,
  type NewProvider,
  replaceProvider,
  replaceRules,
  type StoredRule,
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
  readonly refusal: ProviderRefusal | RuleFault['fault'];
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

const refused = (refusal: ProviderRefused['refusal'], value: string): ProviderRefused => ({
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
  /** `standingOfRoutes` as somebody saw it: nothing else is replaced. Absent: whatever stands. */
  readonly seen?: string | undefined;
};

export type FitRoutes = {
  readonly kind: 'fit';
  readonly rules: readonly ProviderRule[];
  /** What they would replace. */
  readonly former: readonly StoredRule[];
  /** The providers among them that get nothing new. */
  readonly idle: readonly string[];
  readonly standing: string;
};

type Routed = Pick<WantedRoutes, 'kind' | 'merchantId'>;

const rulesOf = ({ kind, merchantId }: Routed, stored: readonly StoredRule[]) =>
  stored.filter((one) => one.kind === kind && one.merchantId === (merchantId ?? ALL_MERCHANTS));

/** If it differs later, its rules have changed, or a provider of the kind: both only grow. */
export function standingOfRoutes(
  routed: Routed,
  stored: readonly StoredRule[],
  providers: readonly Pick<Provider, 'kind' | 'revision'>[],
): string {
  const numbers = rulesOf(routed, stored).map(({ ruleNumber }) => ruleNumber);
  const revisions = providers.filter(({ kind }) => kind === routed.kind).map(({ revision }) => revision);
  const sum = revisions.reduce((before, revision) => before + revision, 0);
  return `${numbers.length} ${Math.max(0, ...numbers)} ${revisions.length} ${sum}`;
}

/** What would stand in place of the rules of a merchant. Writes nothing. */
export async function readRoutes(
  { database }: Pick<ChangeProvidersTools, 'database'>,
  { kind, merchantId, rules: texts, seen }: WantedRoutes,
): Promise<FitRoutes | ProviderRefused> {
  if (texts.length > MOST_RULES) return refused('tooManyRules', String(texts.length));
  if (merchantId !== null && (await findMerchant(database, merchantId)) === null)
    return refused('merchantUnknown', merchantId);
  const [providers, stored] = [await listProviders(database), await listRules(database)];
  const known = new Map(providers.filter((one) => one.kind === kind).map((one) => [one.name, one]));
  const rules: ProviderRule[] = [];
  for (const text of texts) {
    const rule = readRule(text);
    if ('fault' in rule) return refused(rule.fault, rule.value);
    if (rule.provider !== DEFAULT_PROVIDER && !known.has(rule.provider))
      return refused('providerUnknown', rule.provider);
    rules.push(rule);
  }
  const routed = { kind, merchantId };
  const standing = standingOfRoutes(routed, stored, providers);
  if (seen !== undefined && seen !== standing) return refused('routesChanged', '');
  const named = [...new Set(rules.map(({ provider }) => provider))];
  const idle = named.filter((name) => (known.get(name)?.disabledAt ?? null) !== null);
  return { kind: 'fit', rules, former: rulesOf(routed, stored), idle, standing };
}

class RoutesChanged extends Error {}

/** Replaces all rules of a merchant. */
export async function routeProviders(
  { database, audit, operator }: ChangeProvidersTools,
  wanted: WantedRoutes,
): Promise<{ readonly kind: 'changed'; readonly rules: readonly ProviderRule[] } | ProviderRefused> {
  const read = await readRoutes({ database }, wanted);
  if (read.kind === 'refused') return read;
  const { kind, merchantId, seen } = wanted;
  const { rules, former } = read;
  // One by one: a value of an entry is cut behind some rules.
  const detail = rules.map((rule, index) => [`rule${index + 1}`, ruleText(rule)] as const);
  try {
    await audit.transaction(async (tx) => {
      const replaced = await replaceRules(tx, kind, merchantId ?? ALL_MERCHANTS, rules);
      const isAsRead = former.every(({ ruleNumber }) => replaced.includes(ruleNumber));
      // Somebody changed them between reading and writing.
      if (seen !== undefined && !(isAsRead && replaced.length === former.length)) throw new RoutesChanged();
      tx.record({
        ...operator,
        action: 'provider.route',
        outcome: 'success',
        resource: merchantId === null ? `routes/${kind}` : `merchants/${merchantId}/routes/${kind}`,
        detail: { rules: rules.length, ...Object.fromEntries(detail) },
      });
    });
  } catch (error) {
    if (error instanceof RoutesChanged) return refused('routesChanged', '');
    throw error;
  }
  return { kind: 'changed', rules };
}
