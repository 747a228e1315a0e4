import { channelUrlFault, isLoopback } from '../platform/channels/channel-url.ts';
import {
  addProvider,
  changeProvider,
  moveProvider,
  type ProviderRefused,
  routeProviders,
} from '../providers/add-provider.ts';
import { credentialsChannel, openCredentials } from '../providers/open-provider-table.ts';
import {
  PROVIDER_KINDS,
  type Provider,
  type ProviderCredentials,
  type ProviderKind,
  type ProviderRefusal,
  settingsFault,
} from '../providers/provider.ts';
import { ALL_MERCHANTS, isRuleFault, RULE_FAULTS, ruleText } from '../providers/provider-rule.ts';
import { listProviders, listRules } from '../providers/providers.sql.ts';
import { utcText } from '../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOption,
  type CommandOutcome,
  type GivenOptions,
  matching,
  oneOf,
  option,
  type Refusal,
  required,
  table,
  visible,
} from './command.ts';
import { ADAPTERS, findProviderFault } from './find-provider-fault.ts';
import { readOptionFile } from './option-files.ts';
import { merchantUnknown, spokenText } from './refusals.ts';
import { NO_TRIAL, tryProvider } from './try-provider.ts';

const KIND_OPTION = required('--kind KIND', PROVIDER_KINDS.join(', '), { check: oneOf(PROVIDER_KINDS) });
const NAME_OPTION = required('--name NAME', 'the provider');
const CREDENTIAL_FILES = {
  'token-file': 'token',
  'ca-file': 'authority',
  'certificate-file': 'certificate',
  'certificate-key-file': 'certificateKey',
  'establishment-key-file': 'establishmentKey',
} as const satisfies Record<string, keyof ProviderCredentials>;
const ADAPTER_NAMES = [...new Set(Object.values(ADAPTERS).flatMap(Object.keys))];
const SETTING_OPTIONS: readonly CommandOption[] = [
  option('--url URL', 'where its bridge is; an adapter by file has none'),
  option('--adapter NAME', `${ADAPTER_NAMES.join(', ')}; default: bridge, of a bank of Pix standard`),
  option(
    '--timeout-milliseconds NUMBER',
    'of a call, 250 to 60000; default, and the most: the setting of its kind',
    {
      check: (value) =>
        /^\d{3,5}$/.test(value) && Number(value) >= 250 && Number(value) <= 60_000
          ? null
          : 'must be a whole number from 250 to 60000',
    },
  ),
  option('--token-file FILE', 'its token; - reads the standard input'),
  option('--ca-file FILE', 'the authorities that we trust there, as PEM'),
  option('--certificate-file FILE', 'our certificate there, as PEM'),
  option('--certificate-key-file FILE', 'the key of that certificate, as PEM'),
  option(
    '--establishment NUMBER',
    "of an acquirer's own adapter: the merchant's number there (PV, MerchantId)",
  ),
  option(
    '--establishment-key-file FILE',
    'its key (integration key, MerchantKey); - reads the standard input',
  ),
  option('--setting NAME=VALUE', 'of its adapter: docs/en/acquirers.md, docs/pix.md, docs/remessa.md', {
    isRepeatable: true,
    check: matching(/^[A-Za-z]{1,40}=.{1,500}$/, 'must be NAME=VALUE'),
  }),
];
const CONNECT_MILLISECONDS = 3_000;

/** Providers beside those of the settings. Their credentials come from files, never from an argument. */
export const PROVIDER_COMMANDS: readonly Command[] = [
  {
    words: ['provider', 'add'],
    summary: 'add an acquirer, a bank or an anti-fraud provider, with credentials from files',
    options: [
      KIND_OPTION,
      {
        ...NAME_OPTION,
        description: 'up to 40 lower case letters, digits and hyphens; it is kept for ever',
      },
      ...SETTING_OPTIONS,
    ],
    opens: 'audited',
    run: (given, tools) => runWrite(given, tools, addProvider),
  },
  {
    words: ['provider', 'change'],
    summary: 'give a provider another address and other credentials: all of them, as they are from now on',
    options: [KIND_OPTION, NAME_OPTION, ...SETTING_OPTIONS],
    opens: 'audited',
    run: (given, tools) => runWrite(given, tools, moveProvider),
  },
  {
    words: ['provider', 'list'],
    summary: 'show the providers that were added, and the rules that send sales to them',
    opens: 'database',
    async run(_given, { database }) {
      const providers = await listProviders(database);
      const rules = (await listRules(database)).map(({ kind, merchantId, rule }) => ({
        kind,
        merchantId: merchantId === ALL_MERCHANTS ? null : merchantId,
        rule: ruleText(rule),
      }));
      const rows = providers.map((one) => [
        one.kind,
        one.name,
        one.adapter,
        stateOf(one),
        one.url,
        one.hasCredentials ? 'yes' : 'no',
      ]);
      const items = providers.map(({ sealed: _sealed, revision: _revision, ...one }) => one);
      return {
        lines: [
          'default of each kind is what the settings name.',
          rows.length > 0 && table(['KIND', 'NAME', 'ADAPTER', 'STATE', 'URL', 'CREDENTIALS'], rows),
          ...rules.map(
            ({ kind, merchantId, rule }) => `${kind} of ${merchantId ?? 'all merchants'}: ${rule}`,
          ),
        ],
        json: { items, rules },
      };
    },
  },
  {
    words: ['provider', 'test'],
    summary: 'ask a provider who it is, and say what is wrong; with a card, verify it at an acquirer',
    options: [
      KIND_OPTION,
      NAME_OPTION,
      option(
        '--card-file FILE',
        'JSON: number, expirationMonth, expirationYear (two digits), holderName, securityCode; - reads the standard input',
      ),
    ],
    switches: [{ name: 'charge', description: 'charge the card R$ 1.00 too, and void it' }],
    opens: 'audited',
    async run(given, tools) {
      const [kind, name] = [kindOf(given), given.one('name') ?? ''];
      const found = (await listProviders(tools.database)).find(
        (one) => one.kind === kind && one.name === name,
      );
      if (found === undefined) return refused({ kind: 'refused', refusal: 'providerUnknown', value: name });
      const fault = await openCredentials(tools.keyring, found).then(
        (credentials) => findProviderFault(found, tools.environment, credentials),
        (error: Error) => error.message,
      );
      const says = fault === null ? 'answers and is fit' : `cannot be used: ${visible(fault)}`;
      const trial = fault === null ? await tryProvider(given, tools, found) : NO_TRIAL;
      if ('message' in trial) return trial;
      return {
        lines: [
          `The ${kind} ${name}${found.url === '' ? '' : ` at ${found.url}`} ${says}`,
          ...trial.lines.map(visible),
        ],
        json: { kind, name, fault, trial: trial.lines },
        isBad: fault !== null || trial.isBad,
      };
    },
  },
  {
    words: ['provider', 'disable'],
    summary: 'give a provider nothing new; what it has is resolved, canceled and followed',
    options: [KIND_OPTION, NAME_OPTION],
    opens: 'audited',
    run: (given, tools) => runSwitch(given, tools, false),
  },
  {
    words: ['provider', 'enable'],
    summary: 'give a disabled provider new charges again',
    options: [KIND_OPTION, NAME_OPTION],
    opens: 'audited',
    run: (given, tools) => runSwitch(given, tools, true),
  },
  {
    words: ['provider', 'route'],
    summary: 'put the rules that choose a provider in place of the former ones',
    options: [
      KIND_OPTION,
      option('--merchant ID', 'its own rules, which come first; default: those of all merchants'),
      option(
        '--rule RULE',
        'brand=visa,elo installments=2-12 amount=10000-500000 share=30 NAME, in cents and percent; the first that fits counts',
        { isRepeatable: true },
      ),
    ],
    switches: [{ name: 'none', description: 'take all of these rules away' }],
    opens: 'audited',
    async run(given, tools) {
      const [kind, merchantId, rules] = [kindOf(given), given.one('merchant'), given.many('rule')];
      if (rules.length > 0 === given.has('none'))
        return { option: '--rule', message: 'name rules, or say --none' };
      const changed = await routeProviders(tools, { kind, merchantId, rules });
      if (changed.kind === 'refused') return refused(changed);
      const texts = changed.rules.map(ruleText);
      return {
        lines: [
          `Rules of ${merchantId ?? 'all merchants'} for the ${kind}, in this order:`,
          ...(texts.length === 0 ? ['  none'] : texts.map((text, index) => `  ${index + 1}. ${text}`)),
          'What fits none goes to default, or to the one that was added first where the settings name none.',
        ],
        json: { kind, merchantId, rules: texts },
      };
    },
  },
];

const kindOf = (given: GivenOptions) => given.one('kind') as ProviderKind;

const CARRIED: Readonly<Record<ProviderKind, string>> = {
  acquirer: 'card numbers',
  bank: 'names and documents of payers',
  pix: 'names and documents of payers',
  antifraud: 'names and documents of buyers',
};

async function runWrite(
  given: GivenOptions,
  tools: AuditedCommandTools,
  write: typeof addProvider,
): Promise<CommandOutcome> {
  const kind = kindOf(given);
  const [name, url] = [given.one('name') ?? '', (given.one('url') ?? '').replace(/\/+$/, '')];
  const adapter = given.one('adapter') ?? (kind === 'pix' ? 'standard' : 'bridge');
  if (!Object.hasOwn(ADAPTERS[kind], adapter))
    return refused({ kind: 'refused', refusal: 'adapterUnknown', value: adapter });
  const urlFault = addressFault(kind, adapter, url);
  if (urlFault !== null) return { option: '--url', message: urlFault };
  const credentials = await readCredentials(given);
  if ('message' in credentials) return credentials;
  const timeout = given.one('timeout-milliseconds');
  const timeoutMilliseconds = timeout === null ? null : Number(timeout);
  const settings = Object.fromEntries(given.many('setting').map(pairOf));
  const unknown = settingsFault(settings, ADAPTERS[kind][adapter]?.settings ?? {});
  if (unknown !== null) return refused({ kind: 'refused', refusal: 'settingUnknown', value: unknown });
  const wanted = { kind, name, adapter, url, timeoutMilliseconds, settings, credentials };
  const fault = await findProviderFault(wanted, tools.environment, credentials);
  const written = await write(tools, wanted);
  if (written.kind === 'refused') return refused(written);
  return {
    lines: [
      `The ${kind} ${name} is there. Where the settings name one of this kind, it gets nothing before a rule says so:`,
      '  parcela provider route',
      isUnproven(url, credentials) &&
        'Nothing proves to it who asks: give --token-file, or --certificate-file with its key.',
      fault !== null && [
        `It was added all the same, and cannot be used yet: ${visible(fault)}`,
        `  parcela provider test --kind ${kind} --name ${name}`,
      ],
    ],
    json: { kind, name, url, fault },
  };
}

function addressFault(kind: ProviderKind, adapter: string, url: string): string | null {
  if (ADAPTERS[kind][adapter]?.isByFile !== true) return channelUrlFault('--url', url, CARRIED[kind]);
  return url === '' ? null : `--url: ${adapter} has no address`;
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Whether neither token nor certificate nor key proves to the provider who asks. */
function isUnproven(url: string, { token, certificate, establishmentKey }: ProviderCredentials): boolean {
  if (url === '') return false;
  const isBare = token === null && certificate === null && establishmentKey === null;
  return !isLoopback(new URL(url).hostname) && isBare;
}

async function readCredentials(given: GivenOptions): Promise<ProviderCredentials | Refusal> {
  const read: Record<string, string | null> = { establishment: given.one('establishment') };
  for (const [option, field] of Object.entries(CREDENTIAL_FILES)) {
    const path = given.one(option);
    try {
      const text = path === null ? null : await readOptionFile(path);
      read[field] = TRIMMED.has(field) ? (text?.trim() ?? null) : text;
    } catch (error) {
      return { option: `--${option}`, message: `--${option} cannot be read (${(error as Error).message})` };
    }
  }
  const credentials = read as ProviderCredentials;
  if (credentials.token !== null && !/^[\x21-\x7e]{1,4096}$/.test(credentials.token))
    return { option: '--token-file', message: '--token-file holds no token' };
  if (!isEstablishment(credentials))
    return {
      option: '--establishment',
      message: '--establishment and --establishment-key-file go together, of printable characters',
    };
  if ((credentials.certificate === null) !== (credentials.certificateKey === null))
    return {
      option: '--certificate-file',
      message: '--certificate-file and --certificate-key-file go together',
    };
  try {
    credentialsChannel(credentials, CONNECT_MILLISECONDS);
    return credentials;
  } catch (error) {
    return {
      option: '--certificate-file',
      message: `no certificate, key or authority in PEM: ${(error as Error).message}`,
    };
  }
}

const TRIMMED: ReadonlySet<string> = new Set(['token', 'establishmentKey']);

function isEstablishment({ establishment, establishmentKey }: ProviderCredentials): boolean {
  if (establishment === null || establishmentKey === null) return establishment === establishmentKey;
  return /^[A-Za-z0-9-]{1,40}$/.test(establishment) && /^[\x21-\x7e]{1,200}$/.test(establishmentKey);
}

async function runSwitch(
  given: GivenOptions,
  tools: AuditedCommandTools,
  isEnabled: boolean,
): Promise<CommandOutcome> {
  const [kind, name] = [kindOf(given), given.one('name') ?? ''];
  const changed = await changeProvider(tools, kind, name, isEnabled);
  if (changed.kind === 'refused') return refused(changed);
  const state = isEnabled ? 'enabled' : 'disabled';
  const since = changed.kind === 'unchanged' ? ' already' : '; every process knows it within seconds';
  return { lines: [`The ${kind} ${name} is ${state}${since}.`], json: { kind, name, state } };
}

function stateOf({ kind, adapter, disabledAt }: Provider): string {
  if (!Object.hasOwn(ADAPTERS[kind], adapter)) return 'absent: unknown adapter';
  return disabledAt === null ? 'enabled' : `disabled since ${utcText(disabledAt)}`;
}

const SENTENCES = {
  nameMalformed: ['--name', (value) => `${value} is not up to 40 lower case letters, digits and hyphens`],
  nameReserved: ['--name', (value) => `${value} is what the settings name`],
  nameTaken: ['--name', (value) => `${value} is taken: a provider keeps its name for ever`],
  adapterUnknown: ['--adapter', (value) => `${value} is no adapter of this kind`],
  settingUnknown: ['--setting', (value) => value],
  providerUnknown: ['--name', (value) => `${value} is no provider of this kind: parcela provider list`],
  tooManyRules: ['--rule', (value) => `${value} are more than fit`],
  routesChanged: ['--rule', () => 'the rules have changed meanwhile'],
} as const satisfies Record<
  Exclude<ProviderRefusal, 'merchantUnknown'>,
  readonly [option: string, sentence: (value: string) => string]
>;

function refused({ refusal, value }: ProviderRefused): CommandOutcome {
  if (refusal === 'merchantUnknown') return merchantUnknown(value);
  if (isRuleFault(refusal))
    return { option: '--rule', message: `--rule: ${spokenText(RULE_FAULTS[refusal], visible(value))}` };
  const [option, sentence] = SENTENCES[refusal];
  return { option, message: `${option}: ${sentence(visible(value))}` };
}
