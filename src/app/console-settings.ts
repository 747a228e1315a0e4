import { NAME_CLAIMS, type ProviderSettings } from '../console/identities/identity.ts';

import type { NamedFile } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';
import { type Cents, cents } from '../values/cents.ts';
import { openToAll } from './secret-files.ts';
import type { SettingReader, Settings } from './setting-reader.ts';

export type ConsoleSettings = {
  readonly listener: { readonly host: string; readonly port: number } | null;
  /** The public origin of the console. Null (homologation only): the origin of each request. */
  readonly origin: string | null;
  /** Null: people sign in with passkeys only. */
  readonly provider: ProviderSettings | null;
  /** Larger amounts moved by people wait for a second person. Null: no limit. */
  readonly secondPersonOver: Cents | null;
  /** Days to answer a chargeback at the acquirer. Null: not set. */
  readonly disputeDays: number | null;
};

export function readOrigin(
  { web, faults }: Pick<SettingReader, 'web' | 'faults'>,
  name: string,
  example: string,
): string | null {
  const given = web(name, ['https:', 'http:']);
  const origin = given === null ? null : (URL.parse(given)?.origin ?? null);
  if (given !== null && origin !== null && given.replace(/\/$/, '') !== origin)
    faults.push(`${name}: must be an address without a path, such as ${example}, not "${given}"`);
  return origin;
}

export function readConsole(reader: SettingReader): ConsoleSettings {
  const { text, whole, host } = reader;
  const port = text('PARCELA_CONSOLE_PORT');
  const over = text('PARCELA_CONSOLE_SECOND_PERSON_OVER');
  const days = text('PARCELA_DISPUTE_DAYS');
  return {
    listener:
      port === ''
        ? null
        : { host: host('PARCELA_CONSOLE_HOST'), port: whole('PARCELA_CONSOLE_PORT', 0, 65_535) },
    origin: readOrigin(reader, 'PARCELA_CONSOLE_ORIGIN', 'https://console.example.com'),
    provider: readProvider(reader),
    secondPersonOver:
      over === '' ? null : cents(whole('PARCELA_CONSOLE_SECOND_PERSON_OVER', 0, 1_000_000_000)),
    disputeDays: days === '' ? null : whole('PARCELA_DISPUTE_DAYS', 1, 180),
  };
}

const ISSUER = 'PARCELA_CONSOLE_OIDC_ISSUER';
const CLIENT = 'PARCELA_CONSOLE_OIDC_CLIENT_ID';
const SECRET = 'PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE';
const AUTHORITY = 'PARCELA_CONSOLE_OIDC_CA_FILE';

/** The settings of the identity provider must be complete or absent. */
function readProvider({ text, oneOf, faults, warnings }: SettingReader): ProviderSettings | null {
  const fileOf = (setting: string): NamedFile | null => {
    const path = text(setting);
    return path === '' ? null : { setting, path };
  };
  const [issuer, clientId, secret, authority] = [
    text(ISSUER),
    text(CLIENT),
    fileOf(SECRET),
    fileOf(AUTHORITY),
  ];
  const nameClaim = oneOf('PARCELA_CONSOLE_OIDC_NAME_CLAIM', NAME_CLAIMS);
  if (issuer === '') {
    for (const setting of [CLIENT, SECRET, AUTHORITY])
      if (text(setting) !== '') faults.push(`${setting}: has no effect without ${ISSUER}`);
    return null;
  }
  const fault = channelUrlFault(ISSUER, issuer, 'the secret of the client and who signs in');
  if (fault !== null) faults.push(fault);
  for (const setting of [CLIENT, SECRET])
    if (text(setting) === '')
      faults.push(`${setting}: ${ISSUER} needs it; the provider gives it to its clients`);
  if (authority !== null && !issuer.startsWith('https:'))
    faults.push(`${AUTHORITY}: has no effect unless ${ISSUER} starts with https://`);
  if (secret !== null) warnings.push(...openToAll(secret.setting, secret.path));
  const files = { authority, certificate: null, certificateKey: null, token: secret };
  return { issuer, clientId, files, nameClaim };
}

export const CONSOLE_SETTINGS: Settings = {
  PARCELA_CONSOLE_PORT:
    'port of the console for people (docs/console.md), on a listener of its own; in homologation it is below `/console` of `PARCELA_PORT` too',
  PARCELA_CONSOLE_HOST: ['127.0.0.1', 'address of that listener'],
  PARCELA_CONSOLE_ORIGIN:
    'how people reach the console, such as `https://console.example.com`: passkeys are bound to it; production needs it beside the port',
  PARCELA_CONSOLE_OIDC_ISSUER:
    'identity provider (OIDC) by which people may sign in to the console, such as `https://id.example.com/realms/main` (docs/console.md)',
  PARCELA_CONSOLE_OIDC_CLIENT_ID: 'as which client it knows this console',
  PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: 'file with the secret of that client; it may be replaced',
  PARCELA_CONSOLE_OIDC_NAME_CLAIM: [
    'email',
    "the claim that says an invited user's name: `email`, where it is verified, or `preferred_username`, where nobody chooses it",
  ],
  PARCELA_CONSOLE_OIDC_CA_FILE: 'authorities (PEM) that it is believed by, instead of the public ones',
  PARCELA_CONSOLE_SECOND_PERSON_OVER:
    'in cents: what a person moves beyond it in the console waits for a second one (docs/console.md#a-second-person); without it nothing waits',
  PARCELA_DISPUTE_DAYS:
    'days in which a chargeback is answered at the acquirer, by the contract with it, 1 to 180: shown beside each dispute',
};
