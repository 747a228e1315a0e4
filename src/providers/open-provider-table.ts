import type { Keyring } from '../keys/open-keyring.ts';
import { type Channel, connectorWith, headersWith } from '../platform/channels/open-channel.ts';
import { errorFields, type Log } from '../platform/log.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, following } from '../platform/work/every-so-often.ts';
import { DEFAULT_PROVIDER, type ProviderCredentials, type ProviderKind, providerRecord } from './provider.ts';
import {
  ALL_MERCHANTS,
  chooseProvider,
  nextProvider,
  type ProviderRule,
  type Reached,
  type RoutedSale,
  reachedBy,
} from './provider-rule.ts';
import {
  listProviders,
  listRules,
  type StoredProvider,
  type StoredRule,
  VERSION_OF_PROVIDERS,
} from './providers.sql.ts';

/** A replaced connection is closed after this time, so that its pending requests can end. */
const CLOSE_AFTER_MILLISECONDS = 180_000;

export type SaleToRoute = RoutedSale & { readonly merchantId: string; readonly transactionId: string };

export type ProviderSet<Port> = {
  /** An unknown provider answers that it was not connected. */
  of(name: string): Port;
  /** Those that get new charges; the default one first. */
  enabled(): readonly string[];
  /** Disabled ones are included, because their charges are still followed. Needs no `this`. */
  readonly all: () => readonly string[];
  /** The provider of a new charge: by the rules, otherwise the first that takes it; null if none does. */
  choose(sale: SaleToRoute, takes?: (port: Port) => boolean): string | null;
  /** Those that new charges of a merchant go to, by its rules; what a charge needs may exclude some. */
  ofMerchant(merchantId: string): Reached;
  /** Where a sale may go that was surely not made at `first`: by the rules alone; null: nowhere. */
  next(sale: SaleToRoute, first: string, takes: (port: Port) => boolean): string | null;
};

export type OpenedProvider<Port> = { readonly port: Port; readonly close: () => Promise<unknown> };

export type ProviderParts<Port> = {
  /** The provider of the settings; null if they name none. */
  readonly byDefault: Port | null;
  /** Answers for a provider that is not open in this process. */
  readonly absent: Port;
  readonly connectTimeoutMilliseconds: number;
  readonly open: (
    provider: StoredProvider,
    channel: Channel,
    credentials: ProviderCredentials,
  ) => OpenedProvider<Port>;
};

/** Holds the providers and their rules in memory, so that a payment reads no table. */
export type ProviderTable = {
  setOf<Port>(kind: ProviderKind, parts: ProviderParts<Port>): Promise<ProviderSet<Port>>;
  readonly works: readonly Work[];
};

type TableContext = Pick<ModuleContext, 'database' | 'closings'> & {
  readonly keyring: Keyring;
  readonly log: Pick<Log, 'error'>;
};

export async function openProviderTable(context: TableContext): Promise<ProviderTable> {
  const { database, closings } = context;
  const sets: OpenSet<unknown>[] = [];
  let stored = await listProviders(database);
  let rules = await listRules(database);

  async function follow(): Promise<void> {
    [stored, rules] = [await listProviders(database), await listRules(database)];
    let areAllOpen = true;
    for (const set of sets) areAllOpen = (await set.follow(stored, rules)) && areAllOpen;
    // The work then tries again, after growing pauses.
    if (!areAllOpen) throw new Error('a provider could not be opened');
  }

  return {
    async setOf(kind, parts) {
      const set = new OpenSet(context, kind, parts);
      sets.push(set as OpenSet<unknown>);
      closings.push({ name: `providers of kind ${kind}`, close: () => set.close() });
      await set.follow(stored, rules);
      return set;
    },
    works: [alsoWhileHeld(following('followProviders', VERSION_OF_PROVIDERS, follow))],
  };
}

/** `openedAs`: what the port was opened with; null if it never could be opened and is the absent port. */
type Entry<Port> = OpenedProvider<Port> & {
  readonly stored: StoredProvider;
  readonly openedAs: StoredProvider | null;
};

class OpenSet<Port> implements ProviderSet<Port> {
  readonly #context: TableContext;
  readonly #kind: ProviderKind;
  readonly #parts: ProviderParts<Port>;
  #entries: ReadonlyMap<string, Entry<Port>> = new Map();
  #enabled: readonly string[] = [];
  #rules: ReadonlyMap<string, readonly ProviderRule[]> = new Map();

  constructor(context: TableContext, kind: ProviderKind, parts: ProviderParts<Port>) {
    this.#context = context;
    this.#kind = kind;
    this.#parts = parts;
    this.#enabled = this.#named();
  }

  of(name: string): Port {
    const { byDefault, absent } = this.#parts;
    return (name === DEFAULT_PROVIDER ? byDefault : this.#entries.get(name)?.port) ?? absent;
  }

  enabled(): readonly string[] {
    return this.#enabled;
  }

  readonly all = (): readonly string[] => [...this.#named(), ...this.#entries.keys()];

  choose(sale: SaleToRoute, takes: (port: Port) => boolean = () => true): string | null {
    const isOpen = (name: string) => this.#enabled.includes(name) && takes(this.of(name));
    const rules = this.#rulesOf(sale.merchantId);
    const chosen = rules.length === 0 ? null : chooseProvider(rules, sale, sale.transactionId, isOpen);
    return chosen ?? this.#others().find(isOpen) ?? null;
  }

  ofMerchant(merchantId: string): Reached {
    const rules = this.#rulesOf(merchantId).filter(({ provider }) => this.#enabled.includes(provider));
    return reachedBy(rules, this.#others());
  }

  next(sale: SaleToRoute, first: string, takes: (port: Port) => boolean): string | null {
    const isOpen = (name: string) => this.#enabled.includes(name) && takes(this.of(name));
    return nextProvider(this.#rulesOf(sale.merchantId), sale, first, isOpen);
  }

  /** False if some could not be opened. Such a provider stays as it was, or absent. */
  async follow(stored: readonly StoredProvider[], rules: readonly StoredRule[]): Promise<boolean> {
    const entries = new Map<string, Entry<Port>>();
    for (const provider of stored.filter(({ kind }) => kind === this.#kind)) {
      const known = this.#entries.get(provider.name) ?? this.#absent(provider);
      const isOpen = known.openedAs !== null && isSameConnection(known.openedAs, provider);
      const opened = isOpen ? null : await this.#open(provider);
      if (opened !== null) setTimeout(() => void known.close(), CLOSE_AFTER_MILLISECONDS).unref();
      entries.set(provider.name, opened ?? { ...known, stored: provider });
    }
    this.#entries = entries;
    const added = [...entries.values()].filter(
      ({ openedAs, stored: { disabledAt } }) => openedAs !== null && disabledAt === null,
    );
    this.#enabled = [...this.#named(), ...added.map((entry) => entry.stored.name)];
    const ofKind = rules.filter(({ kind }) => kind === this.#kind);
    const sets = Map.groupBy(ofKind, ({ merchantId }) => merchantId);
    this.#rules = new Map([...sets].map(([merchant, found]) => [merchant, found.map(({ rule }) => rule)]));
    return [...entries.values()].every(
      ({ openedAs, stored: now }) => openedAs !== null && isSameConnection(openedAs, now),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => entry.close()));
  }

  #rulesOf(merchantId: string): readonly ProviderRule[] {
    const own = this.#rules.get(merchantId);
    const shared = this.#rules.get(ALL_MERCHANTS) ?? [];
    return own === undefined ? shared : [...own, ...shared];
  }

  /** If the settings name a provider, added ones get charges by rules only. */
  #others(): readonly string[] {
    return this.#parts.byDefault === null ? this.#enabled : this.#named();
  }

  #named(): readonly string[] {
    return this.#parts.byDefault === null ? [] : [DEFAULT_PROVIDER];
  }

  #absent(stored: StoredProvider): Entry<Port> {
    return { port: this.#parts.absent, close: async () => {}, stored, openedAs: null };
  }

  /** null if its credentials cannot be decrypted, or the channel cannot be opened. */
  async #open(stored: StoredProvider): Promise<Entry<Port> | null> {
    const { keyring, log } = this.#context;
    try {
      const credentials = await openCredentials(keyring, stored);
      const channel = credentialsChannel(credentials, this.#parts.connectTimeoutMilliseconds);
      return { ...this.#parts.open(stored, channel, credentials), stored, openedAs: stored };
    } catch (error) {
      const { kind, name } = stored;
      log.error({ ...errorFields(error), kind, provider: name }, 'a provider cannot be used');
      return null;
    }
  }
}

/** Disabling and enabling do not change the connection. */
function isSameConnection(one: StoredProvider, other: StoredProvider): boolean {
  const keyOf = ({ adapter, url, timeoutMilliseconds, settings, sealed }: StoredProvider) => {
    const credentials = [sealed?.dataKeyId, sealed?.bytes.toString('base64')];
    return JSON.stringify([adapter, url, timeoutMilliseconds, settings, ...credentials]);
  };
  return keyOf(one) === keyOf(other);
}

const NO_CREDENTIALS: ProviderCredentials = {
  token: null,
  authority: null,
  certificate: null,
  certificateKey: null,
  establishment: null,
  establishmentKey: null,
};

/** Throws if the sealed bytes cannot be decrypted. */
export async function openCredentials(
  keyring: Keyring,
  { kind, name, sealed }: StoredProvider,
): Promise<ProviderCredentials> {
  if (sealed === null) return NO_CREDENTIALS;
  const bytes = await keyring.open('secret', providerRecord(kind, name), sealed);
  if (bytes === null) throw new Error(`the credentials of ${kind} ${name} do not open`);
  return { ...NO_CREDENTIALS, ...(JSON.parse(bytes.toString('utf8')) as Partial<ProviderCredentials>) };
}

/** Unlike files, these credentials never change. */
export function credentialsChannel(
  { token, authority: ca, certificate, certificateKey: key }: ProviderCredentials,
  connectTimeoutMilliseconds: number,
): Channel {
  const clientCertificate = certificate === null || key === null ? null : { certificate, key };
  const credentials = { ca, clientCertificate, token };
  const headers = headersWith(credentials);
  return {
    connect: connectorWith(credentials, connectTimeoutMilliseconds),
    headers: () => headers,
    token: () => token,
    close: () => {},
  };
}
