import { keepInUse } from '../keys/data-keys.sql.ts';
import type { Sealed } from '../keys/open-keyring.ts';
import { sealedTable } from '../keys/resealing/sealed-rows.sql.ts';
import { type Reader, statement, type Tx } from '../platform/postgres/database.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import { column, rowCodec, UnreadableRow } from '../platform/postgres/row-codec.ts';
import {
  PROVIDER_KINDS,
  type Provider,
  type ProviderKind,
  type ProviderSettings,
  providerRecord,
} from './provider.ts';
import { conditionText, type ProviderRule, readCondition } from './provider-rule.ts';

const PROVIDER = rowCodec({
  kind: column.oneOf(PROVIDER_KINDS),
  name: column.text(),
  adapter: column.text(),
  url: column.text(),
  timeoutMilliseconds: column.nullable(column.whole()),
  settings: column.text('settings::text'),
  createdBy: column.text(),
  createdAt: column.instant(),
  disabledAt: column.nullable(column.instant()),
  revision: column.whole(),
  sealedCredentials: column.nullable(column.bytes()),
  dataKeyId: column.nullable(column.whole()),
});

/** `sealed` is null if the provider has no credentials. */
export type StoredProvider = Provider & { readonly sealed: Sealed | null };

const LIST = statement(
  'providers.list',
  `select ${PROVIDER.columns} from providers order by kind, created_at, name`,
);

export async function listProviders(database: Reader): Promise<StoredProvider[]> {
  return (await database.query(LIST, [])).map((row) => {
    const { sealedCredentials: bytes, dataKeyId, settings, ...provider } = PROVIDER.parse(row);
    const sealed = bytes === null || dataKeyId === null ? null : { bytes, dataKeyId };
    const named = JSON.parse(settings) as ProviderSettings;
    return { ...provider, settings: named, hasCredentials: sealed !== null, sealed };
  });
}

const ADD = statement(
  'providers.add',
  `insert into providers (kind, name, adapter, url, timeout_milliseconds, settings, sealed_credentials, data_key_id, created_by)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)
   on conflict do nothing
   returning name`,
);

export type NewProvider = Pick<
  Provider,
  'kind' | 'name' | 'adapter' | 'url' | 'timeoutMilliseconds' | 'settings' | 'createdBy'
> & {
  readonly sealed: Sealed | null;
};

/** False if the name is taken. Throws `KeyRetired` if the credentials were sealed under a retired key. */
export async function insertProvider(tx: Tx, provider: NewProvider): Promise<boolean> {
  if (provider.sealed !== null) await keepInUse(tx, provider.sealed.dataKeyId);
  return (await tx.query(ADD, [...valuesOf(provider), provider.createdBy])).length === 1;
}

function valuesOf({
  kind,
  name,
  adapter,
  url,
  timeoutMilliseconds,
  settings,
  sealed,
}: NewProvider): unknown[] {
  const credentials = [sealed?.bytes ?? null, sealed?.dataKeyId ?? null];
  return [kind, name, adapter, url, timeoutMilliseconds, JSON.stringify(settings), ...credentials];
}

const REPLACE = statement(
  'providers.replace',
  `update providers set adapter = $3, url = $4, timeout_milliseconds = $5, settings = $6::jsonb,
     sealed_credentials = $7, data_key_id = $8,
     revision = revision + 1
   where kind = $1 and name = $2
   returning name`,
);

/** False if there is no provider of this name. Throws `KeyRetired` like `insertProvider`. */
export async function replaceProvider(tx: Tx, provider: NewProvider): Promise<boolean> {
  if (provider.sealed !== null) await keepInUse(tx, provider.sealed.dataKeyId);
  return (await tx.query(REPLACE, valuesOf(provider))).length === 1;
}

const SWITCH = statement(
  'providers.switch',
  `update providers set disabled_at = case when $3 then null else now() end, revision = revision + 1
   where kind = $1 and name = $2 and (disabled_at is null) <> $3
   returning name`,
);

/** False if there is no provider of this name, or it is in this state already. */
export async function switchProvider(
  tx: Tx,
  kind: ProviderKind,
  name: string,
  isEnabled: boolean,
): Promise<boolean> {
  return (await tx.query(SWITCH, [kind, name, isEnabled])).length === 1;
}

const RULE = rowCodec({
  ruleNumber: column.whole(),
  kind: column.oneOf(PROVIDER_KINDS),
  merchantId: column.text(),
  provider: column.text(),
  condition: column.text(),
});

export type StoredRule = {
  readonly kind: ProviderKind;
  /** `ALL_MERCHANTS` for all. */
  readonly merchantId: string;
  readonly rule: ProviderRule;
  /** Numbers only grow: rules that were put in place of others have new ones. */
  readonly ruleNumber: number;
};

const LIST_RULES = statement(
  'providers.list_rules',
  `select ${RULE.columns} from provider_rules order by merchant_id, kind, position`,
);

/** Ordered by position within each merchant and kind. */
export async function listRules(database: Reader): Promise<StoredRule[]> {
  return (await database.query(LIST_RULES, [])).map((row) => {
    const { kind, merchantId, provider, condition, ruleNumber } = RULE.parse(row);
    const read = readCondition(condition);
    if ('fault' in read) throw new UnreadableRow(`provider_rules.condition: ${read.fault}`);
    return { kind, merchantId, ruleNumber, rule: { ...read, provider } };
  });
}

/** One at a time, also where there are none yet. */
const LOCK_RULES = statement(
  'providers.lock_rules',
  `select pg_advisory_xact_lock(hashtextextended('rules|' || $1::text || '|' || $2::text, 0))`,
);

const FORGET_RULES = statement(
  'providers.forget_rules',
  'delete from provider_rules where merchant_id = $1 and kind = $2 returning rule_number',
);

const FORGOTTEN = rowCodec({ ruleNumber: column.whole() });

type PlacedRule = { readonly position: number; readonly rule: ProviderRule };

const RULES = inputRows<PlacedRule>(
  {
    position: ['smallint', ({ position }) => position],
    provider: ['text', ({ rule }) => rule.provider],
    condition: ['text', ({ rule }) => conditionText(rule)],
  },
  { after: 2 },
);

const ADD_RULES = statement(
  'providers.add_rules',
  `insert into provider_rules (merchant_id, kind, ${RULES.names})
   select $1, $2, ${RULES.selected} from ${RULES.sql}`,
);

/** The numbers of the rules that were replaced. */
export async function replaceRules(
  tx: Tx,
  kind: ProviderKind,
  merchantId: string,
  rules: readonly ProviderRule[],
): Promise<readonly number[]> {
  await tx.query(LOCK_RULES, [merchantId, kind]);
  const former = await tx.query(FORGET_RULES, [merchantId, kind]);
  const placed = rules.map((rule, index) => ({ position: index + 1, rule }));
  if (placed.length > 0) await tx.query(ADD_RULES, [merchantId, kind, ...RULES.values(placed)]);
  return former.map((row) => FORGOTTEN.parse(row).ruleNumber);
}

/** Changes with every change of a provider or a rule: rule numbers and revisions only grow. */
export const VERSION_OF_PROVIDERS = statement(
  'providers.version',
  `select concat_ws(' ', (select concat_ws(' ', count(*), sum(revision)) from providers),
     (select concat_ws(' ', count(*), sum(rule_number)) from provider_rules)) as version`,
);

export const SEALED_PROVIDERS = sealedTable({
  name: 'providers',
  table: 'providers',
  sealed: 'sealed_credentials',
  keyId: 'data_key_id',
  purpose: 'secret',
  key: { kind: 'text', name: 'text' },
  record: ({ kind, name }) => providerRecord(kind, name),
});
