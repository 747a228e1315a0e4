import type { Instant } from '../values/instant.ts';

export const PROVIDER_KINDS = ['acquirer', 'bank', 'antifraud'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** The adapters of each kind: a folder and a name here. */
export const PROVIDER_ADAPTERS = {
  acquirer: ['bridge'],
  bank: ['bridge'],
  antifraud: ['bridge'],
} as const satisfies Record<ProviderKind, readonly string[]>;

export const ADAPTER_NAMES = ['bridge'] as const;
export type ProviderAdapter = (typeof ADAPTER_NAMES)[number];

/** The provider of the settings. It is in no table. */
export const DEFAULT_PROVIDER = 'default';

/** A provider that was added by a command. */
export type Provider = {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly adapter: ProviderAdapter;
  readonly url: string;
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
export function providerRecord(kind: ProviderKind, name: string): string {
  return `providers|${kind}|${name}`;
}

/** Two providers may use the same change id, so all but the default one's are stored with the name. */
export function qualifiedChangeId(provider: string, changeId: string): string {
  return provider === DEFAULT_PROVIDER ? changeId : `${provider}/${changeId}`;
}
