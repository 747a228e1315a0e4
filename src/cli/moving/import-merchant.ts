import type { Actor, Audit, MerchantActor } from '../../audit/audit-event.ts';
import { addAccounts, createMerchant } from '../../merchants/create-merchant.ts';
import {
  bareCnpj,
  type Merchant,
  type NewMerchant,
  newAccountsRefusal,
  newMerchantRefusal,
  type Refused,
} from '../../merchants/merchant.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import { OPERATOR_REFUSALS, type OperatorRefusal } from '../../merchants/refusals.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { readBasicAuth } from '../../values/basic-auth.ts';
import {
  findRegisteredWebhook,
  type RegisteredWebhook,
} from '../../webhooks/endpoints/moving-webhooks.sql.ts';
import { type EndpointRegistry, registerEndpoint } from '../../webhooks/endpoints/register-endpoint.ts';
import { WEBHOOK } from '../../webhooks/endpoints/webhook-endpoint.ts';
import { checkUrl, type UrlFault, urlRefusals } from '../../webhooks/posting/url-rules.ts';
import { vetUrl } from '../../webhooks/posting/vet-url.ts';
import { spokenText } from '../refusals.ts';
import { another, type MovingWebhook, type RowFault } from './moving-row.ts';

type Imported = 'taken' | 'known' | readonly RowFault[];

export type ImportMerchantTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  readonly isTrial: boolean;
};

const FIELD_OF_REFUSAL: Partial<Record<OperatorRefusal, string>> = {
  cnpjInvalid: 'cnpj',
  legalNameMalformed: 'legalName',
  contactNameMalformed: 'contact.name',
  contactEmailMalformed: 'contact.email',
  contactPhoneMalformed: 'contact.phone',
  addressMalformed: 'productionAddresses',
  softDescriptorMalformed: 'softDescriptor',
  businessAddressMalformed: 'businessAddress',
  merchantIdMalformed: 'merchantId',
  merchantExists: 'merchantId',
};

/** An existing merchant gets its missing accounts; other fields may have changed here and stay. */
export async function importMerchant(tools: ImportMerchantTools, wanted: NewMerchant): Promise<Imported> {
  const { database, isTrial } = tools;
  const { merchantId } = wanted;
  const there = await findMerchant(database, merchantId);
  if (there === null) return read(isTrial ? newMerchantRefusal(wanted) : await createMerchant(tools, wanted));
  if (there.cnpj !== bareCnpj(wanted.cnpj)) return [another('merchant', 'merchantId')];
  const missing = wanted.accountNumbers.filter((number) => !there.accountNumbers.includes(number));
  if (missing.length === 0) return 'known';
  return read(isTrial ? newAccountsRefusal(there, missing) : await addAccounts(tools, merchantId, missing));
}

function read(result: Merchant | Refused<OperatorRefusal> | null): Imported {
  if (result === null || !('refusal' in result)) return 'taken';
  const { refusal } = result;
  // The remaining refusals are about accounts.
  return [
    { tag: FIELD_OF_REFUSAL[refusal] ?? 'accountNumbers', text: spokenText(OPERATOR_REFUSALS[refusal]) },
  ];
}

export type ImportWebhookTools = Pick<ImportMerchantTools, 'database' | 'isTrial'> & {
  readonly actor: MerchantActor;
  readonly registry: Omit<EndpointRegistry, 'lookUp' | 'notifyRemoved'>;
};

export const WRITE_MILLISECONDS = 60_000;

const ANOTHER_WEBHOOK = {
  tag: 'accountNumber',
  text: 'Another address is registered for this account already.',
};

/** A webhook that the merchant removed here stays removed. */
export async function importWebhook(
  { database, isTrial, actor, registry }: ImportWebhookTools,
  { url: text, basicAuth }: MovingWebhook,
  accountNumber: string,
  /** What a trial would have written, by account. */
  tried: Map<string, RegisteredWebhook>,
): Promise<Imported> {
  const { merchantId } = actor;
  const checked = checkUrl(registry.urlRules, text);
  if (!checked.ok) return [urlFault(checked.reason)];
  const { href: url } = checked.url;
  const there =
    tried.get(accountNumber) ?? (await findRegisteredWebhook(database, merchantId, accountNumber));
  if (there !== null) {
    const isSame = there.state === 'removed' || there.url === url;
    return isSame ? 'known' : [ANOTHER_WEBHOOK];
  }
  if (isTrial) {
    const vetted = await vetUrl(registry.urlRules, url, merchantId);
    if (!vetted.ok) return [urlFault(vetted.reason)];
    tried.set(accountNumber, { url, state: 'active' });
    return 'taken';
  }
  const login = basicAuth === null ? null : readBasicAuth(basicAuth);
  const wanted = { kind: WEBHOOK, of: accountNumber, url, basicAuth: login };
  const result = await registerEndpoint(registry, actor, wanted, performance.now() + WRITE_MILLISECONDS);
  if (result.kind === 'registered') return 'taken';
  if (result.kind === 'refused') return [urlFault(result.fault)];
  throw new Error(`an account has one address, and a line no key or limit: ${result.kind}`);
}

function urlFault(fault: UrlFault): RowFault {
  const { tag, sentence } = urlRefusals('url')[fault];
  return { tag, text: sentence.en };
}
