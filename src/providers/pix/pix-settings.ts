import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { channelUrlFault } from '../../platform/channels/channel-url.ts';
import type { ProviderSettings } from '../provider.ts';
import { isWeeklyInTime } from './recurring-pix.ts';

export type PixSettings = {
  /** null if no bank of Pix is set. */
  readonly url: string | null;
  /** Its token is `client id:client secret`. */
  readonly channel: ChannelFiles;
  readonly settings: ProviderSettings;
  readonly timeoutMilliseconds: number;
  /** The pause between two questions for what arrived. */
  readonly changesSeconds: number;
  /** Null: banks tell nothing here. */
  readonly webhook: PixWebhookSettings | null;
};

/** Where banks of Pix tell that something changed. */
export type PixWebhookSettings = {
  readonly host: string;
  readonly port: number;
  /** The authorities of the banks' certificates, and our certificate where we end TLS. */
  readonly channel: ChannelFiles;
  /** In which a proxy passes the certificate that it has verified; null: we end TLS. */
  readonly certificateHeader: string | null;
};

type SettingReader = {
  readonly faults: string[];
  readonly text: (name: string) => string;
  readonly whole: (name: string, least: number, most: number) => number;
  readonly host: (name: string) => string;
};

const WEBHOOK = 'PARCELA_PIX_WEBHOOK';
const FILES = ['CA_FILE', 'CERTIFICATE_FILE', 'CERTIFICATE_KEY_FILE'] as const;

export function readPixWebhook({ faults, text, whole, host }: SettingReader): PixWebhookSettings | null {
  const given = (suffix: string) => text(`${WEBHOOK}_${suffix}`);
  const fileOf = (suffix: (typeof FILES)[number]) => {
    const path = given(suffix);
    return path === '' ? null : { setting: `${WEBHOOK}_${suffix}`, path };
  };
  const certificateHeader = given('CERTIFICATE_HEADER').toLowerCase() || null;
  const [authority, certificate, certificateKey] = FILES.map(fileOf);
  if (given('PORT') === '') {
    const alone = [...FILES, 'CERTIFICATE_HEADER'].filter((suffix) => given(suffix) !== '');
    for (const suffix of alone) faults.push(`${WEBHOOK}_${suffix}: has no effect without ${WEBHOOK}_PORT`);
    return null;
  }
  if (authority === null)
    faults.push(
      `${WEBHOOK}_CA_FILE: the authorities of the banks' certificates must be named: others could tell`,
    );
  if (certificateHeader !== null && !/^[a-z0-9-]{1,60}$/.test(certificateHeader))
    faults.push(`${WEBHOOK}_CERTIFICATE_HEADER: must be the name of a header`);
  if (certificateHeader !== null && (certificate !== null || certificateKey !== null))
    faults.push(
      `${WEBHOOK}_CERTIFICATE_HEADER: a proxy ends TLS there; leave ${WEBHOOK}_CERTIFICATE_FILE out`,
    );
  if (certificateHeader === null && (certificate === null || certificateKey === null))
    faults.push(
      `${WEBHOOK}_CERTIFICATE_FILE, ${WEBHOOK}_CERTIFICATE_KEY_FILE: must be named, or ${WEBHOOK}_CERTIFICATE_HEADER where a proxy ends TLS`,
    );
  return {
    host: host(given('HOST') === '' ? 'PARCELA_HOST' : `${WEBHOOK}_HOST`),
    port: whole(`${WEBHOOK}_PORT`, 0, 65_535),
    channel: {
      token: null,
      authority: authority ?? null,
      certificate: certificate ?? null,
      certificateKey: certificateKey ?? null,
    },
    certificateHeader,
  };
}

/** null if none is set, or if payers' data must not be sent to it; the fault is added to `faults`. */
export function readPixUrl(text: (name: string) => string, faults: string[]): string | null {
  const url = text('PARCELA_PIX_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_PIX_URL', url, 'names and documents of payers');
  if (fault === null) return url;
  faults.push(fault);
  return null;
}

/** What a bank of Pix is set to that keeps weekly plans from being charged; null: nothing does. */
export function weeklyFault({ account, leadDays }: ProviderSettings): string | null {
  if (account === undefined || isWeeklyInTime({ leadDays: Number(leadDays ?? 0) })) return null;
  return `leadDays=${leadDays}: charges of Weekly plans by Pix Automático are never in time; none can be enrolled`;
}

/** `name=value` separated by semicolons. A text is the fault. */
export function readPixDialect(text: string): ProviderSettings | string {
  const settings: Record<string, string> = {};
  for (const pair of text.split(';').map((part) => part.trim())) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    if (value.length === 0) return `must be name=value, separated by semicolons, not ${JSON.stringify(pair)}`;
    if (Object.hasOwn(settings, name.trim())) return `${name.trim()} stands there twice`;
    settings[name.trim()] = value.join('=').trim();
  }
  return settings;
}
