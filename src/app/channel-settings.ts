import type { ProviderSettings } from '../antifraud/anti-fraud.ts';
import type { KeyStoreSettings } from '../keys/key-store-settings.ts';
import type { ChannelFiles, NamedFile } from '../platform/channels/channel-files.ts';
import { isLoopback } from '../platform/channels/channel-url.ts';
import { databaseAddressFault, databaseChannel } from '../platform/postgres/database-hosts.ts';
import type { BankSettings } from '../providers/banks/bank.ts';
import type { PixSettings } from '../providers/pix/pix-settings.ts';
import { openToAll } from './secret-files.ts';

/** Channels that production guards, by the names that `PARCELA_UNGUARDED_CHANNELS` takes. */
const CHANNELS = ['acquirer', 'bank', 'pix', 'antifraud', 'keyStore', 'otlp', 'database'] as const;
export type ChannelName = (typeof CHANNELS)[number];

type Faults = { readonly faults: string[]; readonly warnings: string[] };

/** Token and certificate files of the channel to `${prefix}_URL`. Adds contradictions to `faults`. */
export function readChannelSettings(
  prefix: string,
  text: (name: string) => string,
  { faults, warnings }: Faults,
): ChannelFiles {
  const fileOf = (suffix: string): NamedFile | null => {
    const setting = `${prefix}_${suffix}`;
    const path = text(setting);
    return path === '' ? null : { setting, path };
  };
  const files: ChannelFiles = {
    authority: fileOf('CA_FILE'),
    certificate: fileOf('CERTIFICATE_FILE'),
    certificateKey: fileOf('CERTIFICATE_KEY_FILE'),
    token: fileOf('TOKEN_FILE'),
  };
  const { authority, certificate, certificateKey, token } = files;
  const url = text(`${prefix}_URL`);
  if (url !== '' && !url.startsWith('https:')) {
    for (const file of [authority, certificate, certificateKey])
      if (file !== null)
        faults.push(`${file.setting}: has no effect unless ${prefix}_URL starts with https://`);
  }
  if (url === '') {
    for (const file of [authority, certificate, certificateKey, token])
      if (file !== null) faults.push(`${file.setting}: has no effect without ${prefix}_URL`);
  }
  if ((certificate === null) !== (certificateKey === null)) {
    const [there, missing] = certificate === null ? ['KEY_FILE', 'FILE'] : ['FILE', 'KEY_FILE'];
    faults.push(`${prefix}_CERTIFICATE_${there}: has no effect without ${prefix}_CERTIFICATE_${missing}`);
  }
  for (const file of [certificateKey, token])
    if (file !== null) warnings.push(...openToAll(file.setting, file.path));
  return files;
}

export function readUnguarded(text: (name: string) => string, faults: string[]): readonly ChannelName[] {
  const words = text('PARCELA_UNGUARDED_CHANNELS')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const known = (word: string): word is ChannelName => CHANNELS.includes(word as ChannelName);
  for (const word of words.filter((one) => !known(one)))
    faults.push(`PARCELA_UNGUARDED_CHANNELS: must be some of ${CHANNELS.join(', ')}, not "${word}"`);
  return words.filter(known);
}

export type GuardedChannels = {
  readonly acquirerUrl: string | null;
  readonly acquirerChannel: ChannelFiles;
  readonly bank: BankSettings;
  readonly pix: PixSettings;
  readonly antiFraud: { readonly provider: ProviderSettings | null };
  readonly keyStore: KeyStoreSettings;
  readonly databaseUrl: string | null;
  readonly ownerDatabaseUrl: string | null;
  readonly observability: {
    readonly traces: { readonly url: string; readonly channel: ChannelFiles } | null;
  };
  readonly unguardedChannels: readonly ChannelName[];
};

type NamedChannel = {
  readonly name: ChannelName;
  /** `${prefix}_URL` names the peer. */
  readonly prefix: string;
  readonly url: string | null | undefined;
  readonly files: ChannelFiles | null | undefined;
};

export function channelsOf(channels: GuardedChannels): readonly NamedChannel[] {
  const { acquirerUrl, acquirerChannel, bank, pix } = channels;
  const keyStore = channels.keyStore.kind === 'external' ? channels.keyStore : null;
  const { provider } = channels.antiFraud;
  const { traces } = channels.observability;
  return [
    { name: 'acquirer', prefix: 'PARCELA_ACQUIRER', url: acquirerUrl, files: acquirerChannel },
    { name: 'bank', prefix: 'PARCELA_BANK', url: bank.url, files: bank.channel },
    { name: 'pix', prefix: 'PARCELA_PIX', url: pix.url, files: pix.channel },
    { name: 'antifraud', prefix: 'PARCELA_ANTIFRAUD', url: provider?.url, files: provider?.channel },
    { name: 'keyStore', prefix: 'PARCELA_KEY_STORE', url: keyStore?.url, files: keyStore?.channel },
    { name: 'otlp', prefix: 'PARCELA_OTLP', url: traces?.url, files: traces?.channel },
  ];
}

/** One sentence for each unguarded channel of production, without passwords. */
export function channelFaults(channels: GuardedChannels): string[] {
  const { unguardedChannels, databaseUrl, ownerDatabaseUrl } = channels;
  const guarded = channelsOf(channels).filter(({ name }) => !unguardedChannels.includes(name));
  const faults = guarded.flatMap(unprovenFaults);
  if (unguardedChannels.includes('database')) return faults;
  return [
    ...faults,
    ...databaseFaults('DATABASE_URL', databaseUrl),
    ...databaseFaults('PARCELA_OWNER_DATABASE_URL', ownerDatabaseUrl),
  ];
}

/** What is missing for the peer to recognize us by a certificate or a token. */
function unprovenFaults({ name, prefix, url, files }: NamedChannel): string[] {
  const address = URL.parse(url ?? '');
  if (address === null || isLoopback(address.hostname)) return [];
  if (files?.certificate || files?.token) return [];
  return [
    `${prefix}_URL: nothing proves to ${address.host} who asks; set ${prefix}_CERTIFICATE_FILE or ${prefix}_TOKEN_FILE, or ` +
      `name ${name} in PARCELA_UNGUARDED_CHANNELS where something else keeps others away`,
  ];
}

function databaseFaults(setting: string, url: string | null): string[] {
  if (url === null || databaseAddressFault(url) !== null) return [];
  try {
    if (databaseChannel(url) !== 'unverified') return [];
  } catch (error) {
    // The driver reads the files that the address names.
    return [
      `${setting}: ${(error as Error).message}; sslrootcert, sslcert and sslkey name files that this account may read`,
    ];
  }
  return [
    `${setting}: the database on another machine could be read and forged on the way; add sslmode=verify-full (and ` +
      'sslrootcert=… for a private authority), or name database in PARCELA_UNGUARDED_CHANNELS where something else guards the way',
  ];
}
