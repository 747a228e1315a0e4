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

/** What only the adapter understands, such as the key of a receiver of Pix. */
export type ProviderOptions = Readonly<Record<string, string>>;
export const NO_OPTIONS: ProviderOptions = {};

/** Asks a provider who it is. Returns a warning if it does not answer. Throws if it must not be asked. */
export type CheckProvider = (
  url: string,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms?: ProviderTerms,
  options?: ProviderOptions,
) => Promise<string | null>;

/** The provider of the settings. It is in no table. */
export const DEFAULT_PROVIDER = 'default';

/** A provider that was added by a command. */
export type Provider = {
  readonly kind: ProviderKind;
  readonly name: string;
  /** Another version may know it, and this one not. */
  readonly adapter: string;
  readonly url: string;
  readonly options: ProviderOptions;
  /** null for the settings' timeout of the kind. A longer one than that has no effect. */
  readonly timeoutMilliseconds: number | null;
  readonly hasCredentials: boolean;
  readonly createdBy: string;
  readonly createdAt: Instant;
  /** null while it is enabled. */
  readonly disabledAt: Instant | null;
  /** Raised by every change. */
  readonly revision: number;
};

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function isProviderName(text: string): boolean {
  return NAME.test(text);
}

export type ProviderRefusal =
  | 'nameMalformed'
  | 'nameReserved'
  | 'nameTaken'
  | 'adapterUnknown'
  | 'providerUnknown'
  | 'merchantUnknown'
  | 'ruleMalformed'
  | 'tooManyRules';

/** Sealed together as one text. */
export type ProviderCredentials = {
  readonly token: string | null;
  /** The trusted authorities as PEM; null for the public ones. The certificate and its key are PEM too. */
  readonly authority: string | null;
  readonly certificate: string | null;
  readonly certificateKey: string | null;
};

/** The record that the sealed credentials are bound to. */
export function providerRecord(kind: string, name: string): string {
  return `providers|${kind}|${name}`;
}

/** Two providers may use the same change id, so all but the default one's are stored with the name. */
export function qualifiedChangeId(provider: string, changeId: string): string {
  return provider === DEFAULT_PROVIDER ? changeId : `${provider}/${changeId}`;
}
