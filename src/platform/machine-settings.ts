import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

type Settings = Readonly<Record<string, string | undefined>>;

const FOLDER = '/etc/parcela';
const FOLDER_SETTING = 'PARCELA_SETTINGS_FOLDER';
const SETTINGS_FILE = 'parcela.env';

/** Set by the units of deploy/systemd. */
const OF_UNITS = { PARCELA_ENVIRONMENT: 'production', PARCELA_DATA_DIR: '/var/lib/parcela' };

/** The units' files of secrets and certificates, each with the setting that names it. */
export const MACHINE_FILES: Readonly<Record<string, string>> = {
  'database-url': 'DATABASE_URL_FILE',
  key: 'PARCELA_KEY_VALUE_FILE',
  'former-key': 'PARCELA_KEY_FORMER_FILE',
  'acquirer-token': 'PARCELA_ACQUIRER_TOKEN_FILE',
  'acquirer-ca.pem': 'PARCELA_ACQUIRER_CA_FILE',
  'acquirer-client.pem': 'PARCELA_ACQUIRER_CERTIFICATE_FILE',
  'acquirer-client.key': 'PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE',
  'bank-token': 'PARCELA_BANK_TOKEN_FILE',
  'bank-ca.pem': 'PARCELA_BANK_CA_FILE',
  'bank-client.pem': 'PARCELA_BANK_CERTIFICATE_FILE',
  'bank-client.key': 'PARCELA_BANK_CERTIFICATE_KEY_FILE',
  'pix-token': 'PARCELA_PIX_TOKEN_FILE',
  'pix-ca.pem': 'PARCELA_PIX_CA_FILE',
  'pix-client.pem': 'PARCELA_PIX_CERTIFICATE_FILE',
  'pix-client.key': 'PARCELA_PIX_CERTIFICATE_KEY_FILE',
  'antifraud-token': 'PARCELA_ANTIFRAUD_TOKEN_FILE',
  'antifraud-ca.pem': 'PARCELA_ANTIFRAUD_CA_FILE',
  'antifraud-client.pem': 'PARCELA_ANTIFRAUD_CERTIFICATE_FILE',
  'antifraud-client.key': 'PARCELA_ANTIFRAUD_CERTIFICATE_KEY_FILE',
  'metrics-token': 'PARCELA_METRICS_TOKEN_FILE',
  'oidc-secret': 'PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE',
};
export const OWNER_FILE = { name: 'owner-database-url', setting: 'PARCELA_OWNER_DATABASE_URL_FILE' } as const;

/**
 * Settings that belong together: if a caller sets one of a group, nothing of the group is taken from this
 * machine.
 */
const GROUPS: readonly (readonly string[])[] = [
  ['DATABASE_URL', 'DATABASE_URL_FILE', 'PARCELA_OWNER_DATABASE_URL', 'PARCELA_OWNER_DATABASE_URL_FILE'],
  [
    'PARCELA_KEY',
    'PARCELA_KEY_VALUE_FILE',
    'PARCELA_KEY_FORMER',
    'PARCELA_KEY_FORMER_FILE',
    'PARCELA_KEY_FILE',
    'PARCELA_KEY_STORE_URL',
  ],
  // The credentials for a peer are only for that peer's address.
  ...['ACQUIRER', 'BANK', 'PIX', 'ANTIFRAUD'].map((one) =>
    ['URL', 'TOKEN_FILE', 'CA_FILE', 'CERTIFICATE_FILE', 'CERTIFICATE_KEY_FILE'].map(
      (name) => `PARCELA_${one}_${name}`,
    ),
  ),
];

/** Settings of one installation: addresses, or files of secrets. */
const OF_INSTALLATIONS =
  /^(DATABASE_URL|PARCELA_\w*(_URL|_FILE|_PROXIES|_ORIGIN|_ISSUER|_CONTACT|_CHANNELS|_CELL))/;

const isSet = (settings: Settings, name: string): boolean => (settings[name]?.trim() ?? '') !== '';

/** The settings file of the units; null: this machine has none, or another place was named. */
export function machineFile(settings: Settings): string | null {
  const isElsewhere =
    settings.PARCELA_ENVIRONMENT?.trim() === 'homologation' || isSet(settings, 'PARCELA_DATA_DIR');
  const path = join(settings[FOLDER_SETTING]?.trim() || FOLDER, SETTINGS_FILE);
  return !isElsewhere && isThere(path) ? path : null;
}

/**
 * Adds the settings of this machine's units to those given, which win. The owner's database address is only
 * for `isOwner`. Throws a sentence for a person if this account may not read them.
 */
export function withMachineSettings<S extends Settings>(given: S, isOwner: boolean): Settings {
  const file = machineFile(given);
  if (file === null) return given;
  const folder = file.slice(0, -SETTINGS_FILE.length - 1);
  const written = readSettings(file);
  const files = [
    ...Object.entries(MACHINE_FILES),
    ...(isOwner ? [[OWNER_FILE.name, OWNER_FILE.setting]] : []),
  ]
    .map(([name = '', setting = '']) => [setting, join(folder, name)] as const)
    .filter(([, path]) => isThere(path));
  for (const [, path] of files) refuseUnreadable(path);
  // The port of the pages, as console.conf sets it for the first process.
  const pages = isSet(written, 'PARCELA_CONSOLE_ORIGIN') ? { PARCELA_CONSOLE_PORT: '18081' } : {};
  const ofMachine: Record<string, string | undefined> = {
    ...OF_UNITS,
    ...pages,
    ...Object.fromEntries(files),
    ...written,
  };
  for (const group of GROUPS)
    if (group.some((name) => isSet(given, name))) for (const name of group) delete ofMachine[name];
  const named = Object.entries(given).filter(([name]) => isSet(given, name));
  return { ...ofMachine, ...Object.fromEntries(named) };
}

export function installationSettings(settings: Settings): readonly string[] {
  return Object.keys(settings).filter((name) => OF_INSTALLATIONS.test(name) && isSet(settings, name));
}

/** Whether a file is there; true also if this account may not look. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new Error(
      `this machine has an installation, and this account may not read ${path}: run the command as root (sudo parcela …), or set ` +
        'PARCELA_ENVIRONMENT=homologation for another one',
    );
  }
}

const LINE = /^([A-Za-z_]\w*)=(?:"([^"]*)"|'([^']*)'|([^"'].*)?)$/;

/** Reads systemd's `EnvironmentFile=` format, except continued lines. */
function readSettings(path: string): Settings {
  refuseUnreadable(path);
  const settings: Record<string, string> = {};
  for (const [index, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === '' || /^[#;]/.test(text)) continue;
    const [, name, double, single, plain] = LINE.exec(text) ?? [];
    if (name === undefined) throw new Error(`${path}, line ${index + 1}: must be NAME=value`);
    settings[name] = double ?? single ?? plain ?? '';
  }
  return settings;
}
