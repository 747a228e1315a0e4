import { url as inspectorUrl } from 'node:inspector';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { SECRET_KEY_SETTINGS } from '../keys/key-store-settings.ts';
import { isLoopback } from '../platform/channels/channel-url.ts';
import { type Lines, linesOf } from '../platform/lines.ts';
import { databaseNameOf } from '../platform/postgres/database-hosts.ts';
import { weeklyFault } from '../providers/pix/pix-settings.ts';
import { channelFaults, channelsOf } from './channel-settings.ts';
import type { Configuration } from './config.ts';
import { SECRETS } from './secret-files.ts';

/** The time that a request needs beside the acquirer's answer, to commit intent and outcome. */
const COMMIT_MARGIN_MILLISECONDS = 2_000;

export function contradictions(
  configuration: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const { acquirerTimeoutMilliseconds, requestDeadlineMilliseconds, metrics } = configuration;
  const timeouts = {
    ACQUIRER: acquirerTimeoutMilliseconds,
    BANK: configuration.bank.timeoutMilliseconds,
    PIX: configuration.pix.timeoutMilliseconds,
  };
  const { provider, timeoutMilliseconds } = configuration.antiFraud;
  const decisionMilliseconds = timeoutMilliseconds + (provider?.timeoutMilliseconds ?? 0);
  const allMilliseconds = decisionMilliseconds + acquirerTimeoutMilliseconds + COMMIT_MARGIN_MILLISECONDS;
  return linesOf([
    Object.entries(timeouts).map(
      ([peer, milliseconds]) =>
        milliseconds + COMMIT_MARGIN_MILLISECONDS > requestDeadlineMilliseconds &&
        `PARCELA_${peer}_TIMEOUT_MILLISECONDS: must be at least 2000 under PARCELA_REQUEST_DEADLINE_MILLISECONDS, so that an outcome can still be recorded`,
    ),
    provider !== null &&
      allMilliseconds > requestDeadlineMilliseconds &&
      'PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS: with PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS, PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS and 2000 it must fit into PARCELA_REQUEST_DEADLINE_MILLISECONDS',
    configuration.acquirerUrl !== null &&
      environment.PARCELA_SIMULATOR_LATE_MILLISECONDS !== undefined &&
      'PARCELA_SIMULATOR_LATE_MILLISECONDS: has no effect beside PARCELA_ACQUIRER_URL; leave one out',
    configuration.simulatedAcquirer !== null &&
      (configuration.acquirerUrl !== null || configuration.environment === 'production') &&
      'PARCELA_ACQUIRER: names a simulated acquirer, for homologation without PARCELA_ACQUIRER_URL; add a real one with `parcela provider add`',
    configuration.simulatorLateMilliseconds <= acquirerTimeoutMilliseconds &&
      'PARCELA_SIMULATOR_LATE_MILLISECONDS: must be more than PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS',
    configuration.ownerDatabaseUrl !== null &&
      configuration.databaseUrl === null &&
      'PARCELA_OWNER_DATABASE_URL: has no effect without DATABASE_URL; the embedded database has both roles',
    [twoDatabases(configuration), ...ownAddresses(configuration)],
    [...sharedPorts(configuration), sharedFolder(configuration, environment)],
    metrics.tokenFile === null &&
      !isLoopback(metrics.host) &&
      `PARCELA_METRICS_HOST: ${metrics.host} would show the metrics to others; listen on loopback, or name the token that they have to show in PARCELA_METRICS_TOKEN_FILE`,
    configuration.environment === 'production' && [
      [...productionFaults(configuration), ...channelFaults(configuration)],
      [...withoutEffect(environment), ...relativeFolders(environment)],
      [...nodeWeaknesses(environment, process.execArgv, inspectorUrl()), ...shownKeys(environment)],
    ],
  ]);
}

/** Both APIs may share a port; nothing else may. */
function sharedPorts({ metrics, gateway, integration, console: pages, pix }: Configuration): Lines {
  const ofApis = [gateway.port, integration.port];
  const [ofConsole, ofNotices] = [pages.listener?.port ?? 0, pix.webhook?.port ?? 0];
  const isTaken = (port: number, others: readonly number[]) => port !== 0 && others.includes(port);
  return [
    isTaken(metrics.port, ofApis) &&
      `PARCELA_METRICS_PORT: ${metrics.port} is the port of an API; metrics stand apart`,
    isTaken(ofConsole, [...ofApis, metrics.port]) &&
      `PARCELA_CONSOLE_PORT: ${ofConsole} is taken by an API or by metrics; the console stands apart`,
    isTaken(ofNotices, [...ofApis, metrics.port, ofConsole]) &&
      `PARCELA_PIX_WEBHOOK_PORT: ${ofNotices} is taken by an API, metrics or the console; name a port that banks alone use`,
  ];
}

/** Addresses of peers that are our own listeners: a peer must be another program. */
function ownAddresses(configuration: Configuration): Lines {
  const { gateway, integration, metrics, console: pages, pix } = configuration;
  const ports = [gateway, integration, metrics, pages.listener, pix.webhook].flatMap(
    (one) => one?.port ?? [],
  );
  return channelsOf(configuration).map(({ prefix, url }) => {
    const { protocol, hostname = '', port = '', host = '' } = URL.parse(url ?? '') ?? {};
    const asPort = Number(port || (protocol === 'https:' ? 443 : 80));
    return (
      isLoopback(hostname) &&
      ports.includes(asPort) &&
      `${prefix}_URL: ${host} is a port of this service itself; name the port of the other program`
    );
  });
}

const OF_TRIALS = ['PARCELA_CLOCK_ANSWER_MILLISECONDS', 'PARCELA_WEBHOOK_LOOPBACK'];

type Environment = Readonly<Record<string, string | undefined>>;

function withoutEffect(environment: Environment): Lines {
  const watching = environment.PARCELA_CARD_TESTING?.trim() ?? '';
  return [
    ...OF_TRIALS.map(
      (name) =>
        !['', '0'].includes(environment[name]?.trim() ?? '') &&
        `${name}: has no effect in production; leave it out`,
    ),
    environment.PARCELA_ANTIFRAUD_RULES?.trim() === 'none' &&
      ['stop', 'observe'].includes(watching) &&
      'PARCELA_CARD_TESTING: has no effect without rules of velocity: PARCELA_ANTIFRAUD_RULES is none',
  ];
}

/** Folders by relative paths: a command by hand would take another folder than the service. */
function relativeFolders(environment: Environment): string[] {
  const folders = ['PARCELA_DATA_DIR', 'PARCELA_SETTLEMENT_FOLDER', 'PARCELA_SETTINGS_FOLDER'];
  return folders
    .filter((name) => !/^($|[/~$])/.test(environment[name]?.trim() ?? ''))
    .map((name) => `${name}: must begin with /: elsewhere it would be another folder`);
}

/** Folders of ours in the watched one: any file there counts as an acquirer's, and is moved away. */
function sharedFolder(
  { settlementFolder, dataFolder, keyStore }: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
): string | false {
  if (settlementFolder === null) return false;
  const folder = resolve(settlementFolder);
  const files = Object.entries(environment).filter(([name]) => /^(PARCELA_|DATABASE_).*_FILE$/.test(name));
  const kept: (readonly [setting: string, folder: string])[] = [
    ['PARCELA_DATA_DIR', dataFolder],
    ...(keyStore.kind === 'file' ? [['PARCELA_KEY_FILE', dirname(resolve(keyStore.path))] as const] : []),
    ...files.flatMap(([name, path = '']) =>
      path.trim() === '' ? [] : [[name, dirname(resolve(path.trim()))] as const],
    ),
  ];
  const [setting] = kept.find(([, one]) => one === folder) ?? [];
  return (
    setting !== undefined &&
    `PARCELA_SETTLEMENT_FOLDER: ${folder} is the folder of ${setting} too, whose files would be moved away; name one of its own`
  );
}

/** Two addresses of different databases: the service would migrate one and use the other. */
function twoDatabases({ databaseUrl, ownerDatabaseUrl }: Configuration): string | false {
  if (databaseUrl === null || ownerDatabaseUrl === null) return false;
  const [served, migrated] = [databaseNameOf(databaseUrl), databaseNameOf(ownerDatabaseUrl)];
  return (
    served !== migrated &&
    `PARCELA_OWNER_DATABASE_URL: names the database ${migrated}, and DATABASE_URL ${served}; both must name the same one`
  );
}

/** Keys in the environment, which root and every process of the account can read. */
function shownKeys(environment: Readonly<Record<string, string | undefined>>): string[] {
  const shown = SECRET_KEY_SETTINGS.filter((name) => (environment[name]?.trim() ?? '') !== '');
  return shown.map((name) => {
    const file = SECRETS.find((secret) => secret.name === name)?.file;
    return `${name}: in production no key stands in the environment, which others can read; put it into a file of ${file}`;
  });
}

function productionFaults(configuration: Configuration): Lines {
  const { listener, origin, provider } = configuration.console;
  const bridge = URL.parse(configuration.acquirerUrl ?? '');
  const { gateway, integration } = configuration;
  const listeners = {
    GATEWAY: gateway,
    INTEGRATION: integration,
    ...(listener === null ? {} : { CONSOLE: listener }),
  };
  return [
    listener !== null &&
      origin?.startsWith('https:') !== true &&
      'PARCELA_CONSOLE_ORIGIN: production shows the console under https:// only; name how people reach it',
    listener !== null &&
      isIP(URL.parse(origin ?? '')?.hostname.replaceAll(/[[\]]/g, '') ?? '') !== 0 &&
      `PARCELA_CONSOLE_ORIGIN: ${origin} has no name, and passkeys are bound to one; give the console a name`,
    provider !== null &&
      !provider.issuer.startsWith('https:') &&
      'PARCELA_CONSOLE_OIDC_ISSUER: production believes an identity provider under https:// only',
    provider !== null &&
      listener === null &&
      'PARCELA_CONSOLE_OIDC_ISSUER: has no effect without PARCELA_CONSOLE_PORT',
    configuration.pix.url === null &&
      Object.keys(configuration.pix.settings).length > 0 &&
      'PARCELA_PIX_SETTINGS: has no effect without PARCELA_PIX_URL, the address of the bank',
    configuration.databaseUrl === null &&
      'DATABASE_URL: production needs a PostgreSQL of its own; the embedded one is for homologation',
    // With a database its table may have an acquirer, which the start looks for.
    configuration.acquirerUrl === null &&
      configuration.databaseUrl === null &&
      'PARCELA_ACQUIRER_URL: production needs a bridge to an acquirer; the simulator is for homologation',
    bridge?.protocol === 'http:' &&
      !isLoopback(bridge.hostname) &&
      `PARCELA_ACQUIRER_URL: ${bridge.host} would get card numbers in clear over the network; use https://, or a bridge on loopback`,
    hasUnnamedProxy(configuration) &&
      'PARCELA_TRUSTED_PROXIES: names no proxy, and production listens on loopback: all callers would count as one address, and one stranger could keep all from signing in; name the TLS proxy in front, or say `none`',
    ...Object.entries(listeners).map(
      ([api, { host }]) =>
        !isLoopback(host) &&
        configuration.trustedProxies.length === 0 &&
        `PARCELA_${api}_HOST: ${host} would serve cards and sessions without TLS; listen on loopback, or name the TLS proxy in front in PARCELA_TRUSTED_PROXIES`,
    ),
  ];
}

/** Whether a listener is on loopback, so that only a proxy reaches it, and no setting names the proxy. */
function hasUnnamedProxy({
  roles,
  gateway,
  integration,
  console: pages,
  trustedProxies,
  hasNoProxy,
}: Configuration): boolean {
  const hosts = [gateway, integration, pages.listener].flatMap((one) => (one === null ? [] : [one.host]));
  return roles.includes('http') && trustedProxies.length === 0 && !hasNoProxy && hosts.some(isLoopback);
}

/** Settings that are allowed but rarely meant. */
export function oddSettings({
  environment,
  console: { listener, origin },
  hasNoProxy,
  pagesOrigin,
  roles,
  pix,
}: Configuration): string[] {
  const weekly = weeklyFault(pix.settings);
  return linesOf([
    weekly !== null && `PARCELA_PIX_SETTINGS: ${weekly}`,
    environment === 'production' && [
      listener === null &&
        origin !== null &&
        'PARCELA_CONSOLE_ORIGIN: this process shows no console without PARCELA_CONSOLE_PORT',
      roles.includes('http') &&
        pagesOrigin === null &&
        'PARCELA_PAGES_ORIGIN is not set: addresses of pages for buyers are made from what each request says of itself, and card fields are refused',
      hasNoProxy &&
        'PARCELA_TRUSTED_PROXIES says that there is no proxy: every caller counts as one address of loopback. Address lists of credentials see no other, and a hundred failed logins of strangers make all wait',
      hasNoProxy &&
        listener !== null &&
        'PARCELA_CONSOLE_PORT: PARCELA_TRUSTED_PROXIES says that there is no proxy: the audit log shows no other address of users, and strangers at the door slow down all who come to it',
    ],
  ]);
}

/** Options of Node and what they weaken. A trailing * stands for any ending. Node also takes _ for -. */
const WEAKENING: readonly (readonly [option: string, effect: string])[] = [
  ['--tls-min-v1.0', 'allows versions of TLS that can be broken'],
  ['--tls-min-v1.1', 'allows versions of TLS that can be broken'],
  ['--tls-cipher-list', 'chooses the ciphers of TLS'],
  ['--openssl-legacy-provider', 'allows algorithms that can be broken'],
  ['--tls-keylog', 'writes the keys of TLS connections to a file'],
  ['--trace-tls', 'writes what TLS carries to the log'],
  ['--insecure-http-parser', 'takes requests that smuggle others in'],
  ['--inspect*', 'opens the inspector, which reads the memory'],
  ['--debug*', 'opens the inspector, which reads the memory'],
  ['--heapsnapshot-*', 'writes the memory to a file'],
  ['--heap-prof*', 'writes the memory to a file'],
  ['--report-*', 'writes the environment to a file'],
  ['--experimental-default-config-file', 'reads options from a file, where they are not seen'],
  ['--experimental-config-file', 'reads options from a file, where they are not seen'],
];

/** One sentence for each weakening option. `--use-openssl-ca` and `NODE_EXTRA_CA_CERTS` weaken no check. */
export function nodeWeaknesses(
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
  inspectorUrl: string | undefined,
): string[] {
  const given: [string, readonly string[]][] = [
    ['NODE_OPTIONS', wordsOf(environment.NODE_OPTIONS ?? '')],
    ['the command line of Node', options],
  ];
  return linesOf([
    inspectorUrl !== undefined &&
      `the inspector of Node is open at ${new URL(inspectorUrl).host}, and reads the memory; start anew without it`,
    environment.NODE_TLS_REJECT_UNAUTHORIZED === '0' &&
      'NODE_TLS_REJECT_UNAUTHORIZED: 0 believes every certificate; name the authority of a private one in the …_CA_FILE of its channel, or in sslrootcert of DATABASE_URL',
    (environment.NODE_DEBUG ?? '').trim() !== '' &&
      'NODE_DEBUG: writes what is sent and received to the standard error; leave it out in production',
    given.map(([place, words]) =>
      words.map((word) => {
        const weakening = weakeningOf(word);
        return (
          weakening !== undefined && `${place}: ${optionOf(word)} ${weakening[1]}; leave it out in production`
        );
      }),
    ),
  ]);
}

/** Parses like Node's `NODE_OPTIONS`: quotes join words, and a backslash escapes the next character. */
function wordsOf(text: string): string[] {
  const bare = text.replaceAll(/\\(.)/g, '$1').replaceAll('"', ' ');
  return bare.split(/\s+/).filter(Boolean);
}

function optionOf(word: string): string {
  const [name = ''] = word.split('=');
  return name.replaceAll('_', '-');
}

function weakeningOf(word: string) {
  const option = optionOf(word);
  return WEAKENING.find(([name]) =>
    name.endsWith('*') ? option.startsWith(name.slice(0, -1)) : option === name,
  );
}
