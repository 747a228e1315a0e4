import type { Instant } from '../values/instant.ts';

export const PROVIDER_KINDS = ['acquirer', 'bank', 'antifraud'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Which adapters there are: one is a folder of its kind, and a name here. */
export const PROVIDER_ADAPTERS = {
  acquirer: ['bridge'],
  bank: ['bridge'],
  antifraud: ['bridge'],
} as const satisfies Record<ProviderKind, readonly string[]>;

export const ADAPTER_NAMES = ['bridge'] as const;
export type ProviderAdapter = (typeof ADAPTER_NAMES)[number];

/** The provider of a kind that the settings name: it stands in no table. */
export const DEFAULT_PROVIDER = 'default';

/** One that was added by a command. */
export type Provider = {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly adapter: ProviderAdapter;
  readonly url: string;
  /** Null: as the settings have it for the kind; a longer one than that has no effect. */
  readonly timeoutMilliseconds: number | null;
  readonly hasCredentials: boolean;
  readonly createdBy: string;
  readonly createdAt: Instant;
  /** Null: enabled. */
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

/** What a provider shows to be believed, sealed as one text. */
export type ProviderCredentials = {
  readonly token: string | null;
  /** PEM, as the three behind it: the trusted authorities; null: the public ones. */
  readonly authority: string | null;
  readonly certificate: string | null;
  readonly certificateKey: string | null;
};

/** What the sealed credentials are bound to. */
export function providerRecord(kind: ProviderKind, name: string): string {
  return `providers|${kind}|${name}`;
}

/** A change of another provider than the default one is kept under a number that no other has. */
export function qualifiedChangeId(provider: string, changeId: string): string {
  return provider === DEFAULT_PROVIDER ? changeId : `${provider}/${changeId}`;
}
