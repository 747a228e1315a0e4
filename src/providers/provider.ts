import type { Channel } from '../platform/channels/open-channel.ts';
import type { Instant } from '../values/instant.ts';

export const PROVIDER_KINDS = ['acquirer', 'bank', 'pix', 'antifraud'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Finds an adapter by the name that is stored with a provider. Throws if this version has none of it. */
export function adapterOf<Adapter>(
  adapters: Readonly<Record<string, Adapter>>,
  { kind, adapter }: Pick<Provider, 'kind' | 'adapter'>,
): Adapter {
  const found = Object.hasOwn(adapters, adapter) ? adapters[adapter] : undefined;
  if (found === undefined) throw new Error(`this version has no adapter ${adapter} of the kind ${kind}`);
  return found;
}

/** What faults call a provider's address, and where its authorities are given: a setting or an option. */
export type ProviderTerms = { readonly url: string; readonly authority: string };

/** What an adapter is opened with. */
export type ProviderAccess = {
  readonly url: string;
  readonly credentials: ProviderCredentials;
  readonly settings: ProviderSettings;
};

/** Asks a provider who it is. Returns a warning if it does not answer. Throws if it must not be asked. */
export type CheckProvider = (
  url: string,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms?: ProviderTerms,
) => Promise<string | null>;

/** The same, of an adapter that needs more than the address. */
export type CheckAccess = (
  access: ProviderAccess,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms: ProviderTerms,
) => Promise<string | null>;

/** As audit log and runs of a comparison name it. */
export const providerText = ({ kind, name }: Pick<Provider, 'kind' | 'name'>) => `${kind}/${name}`;

/** The provider of the settings. It is in no table. */
export const DEFAULT_PROVIDER = 'default';

/** A provider that was added by a command. */
export type Provider = {
  readonly kind: ProviderKind;
  readonly name: string;
  /** Another version may know it, and this one not. */
  readonly adapter: string;
  readonly url: string;
  /** null for the settings' timeout of the kind. A longer one than that has no effect. */
  readonly timeoutMilliseconds: number | null;
  readonly settings: ProviderSettings;
  readonly hasCredentials: boolean;
  readonly createdBy: string;
  readonly createdAt: Instant;
  /** null while it is enabled. */
  readonly disabledAt: Instant | null;
  /** Raised by every change. */
  readonly revision: number;
};

/** Of an added provider: the options of `provider add`. */
export function termsOf({ kind, name }: Pick<Provider, 'kind' | 'name'>): ProviderTerms {
  return { url: `--url of the ${kind} ${name}`, authority: `--ca-file of the ${kind} ${name}` };
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function isProviderName(text: string): boolean {
  return NAME.test(text);
}

export type ProviderRefusal =
  | 'nameMalformed'
  | 'nameReserved'
  | 'nameTaken'
  | 'adapterUnknown'
  | 'settingUnknown'
  | 'providerUnknown'
  | 'merchantUnknown'
  | 'tooManyRules'
  | 'routesChanged';

/** Sealed together as one text. */
export type ProviderCredentials = {
  readonly token: string | null;
  /** The trusted authorities as PEM; null for the public ones. The certificate and its key are PEM too. */
  readonly authority: string | null;
  readonly certificate: string | null;
  readonly certificateKey: string | null;
  /** The merchant's number at an acquirer: a PV at Rede, a MerchantId at Cielo. */
  readonly establishment: string | null;
  readonly establishmentKey: string | null;
};

/** Of an adapter that speaks to an acquirer itself. */
export type EstablishmentKey = { readonly establishment: string; readonly key: string };

/** Throws if one of them is missing. */
export function establishmentKeyOf({
  establishment,
  establishmentKey: key,
}: ProviderCredentials): EstablishmentKey {
  if (establishment === null || key === null)
    throw new Error('it needs --establishment and --establishment-key-file');
  return { establishment, key };
}

/** By the names of an adapter's settings. Nothing secret. */
export type ProviderSettings = Readonly<Record<string, string>>;

export type AdapterSetting = {
  /** For people, with what is assumed without it. */
  readonly description: string;
  readonly accepts: (value: string) => boolean;
};

/** What is wrong with settings for an adapter, as a sentence; null: nothing. */
export function settingsFault(
  settings: ProviderSettings,
  known: Readonly<Record<string, AdapterSetting>>,
): string | null {
  for (const [name, value] of Object.entries(settings)) {
    const setting = Object.hasOwn(known, name) ? known[name] : undefined;
    if (setting === undefined)
      return `${name} is no setting of this adapter (${Object.keys(known).join(', ') || 'it has none'})`;
    if (!setting.accepts(value)) return `${name}=${value} is not ${setting.description}`;
  }
  return null;
}

/** The record that the sealed credentials are bound to. */
export function providerRecord(kind: string, name: string): string {
  return `providers|${kind}|${name}`;
}

/** Two providers may use the same change id, so all but the default one's are stored with the name. */
export function qualifiedChangeId(provider: string, changeId: string): string {
  return provider === DEFAULT_PROVIDER ? changeId : `${provider}/${changeId}`;
}
