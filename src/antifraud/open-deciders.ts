import { hostname } from 'node:os';
import type { Audit } from '../audit/audit-event.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { type Channel, observeChannel, openChannel } from '../platform/channels/open-channel.ts';
import { errorFields } from '../platform/log.ts';
import { counter, histogram } from '../platform/metrics.ts';
import type { ModuleContext } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { PeerCalls } from '../platform/process-reports/peer-calls.ts';
import { openReminder } from '../platform/reminder.ts';
import type { ProviderTable } from '../providers/open-provider-table.ts';
import { adapterOf, type CheckProvider, termsOf } from '../providers/provider.ts';
import {
  checkProvider,
  PROVIDER_CONNECT_MILLISECONDS,
  ProviderDecider,
  type ProviderObserver,
} from './adapters/provider/provider-decider.ts';
import {
  ABSENT_PROVIDER,
  type AntiFraudProvider,
  checkedProvider,
  RoutedDecider,
} from './adapters/provider/routed-decider.ts';
import { type VelocityDecider, velocityDecider } from './adapters/velocity/velocity-decider.ts';
import type { Decider, ProviderSettings, Verdict } from './anti-fraud.ts';
import type { CardTesting, CardTestingMode } from './card-testing.ts';
import { testedCardsRead } from './tested-cards.sql.ts';
import { countsMerchantsCards, type VelocityRule } from './velocity.ts';
import { countsRead } from './velocity-events.sql.ts';

const ANTI_FRAUD_PROVIDER_CALL_DURATION_SECONDS = histogram(
  'parcela_anti_fraud_provider_call_duration_seconds',
  'Duration of calls to the anti-fraud provider, waiting for a turn included.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  ['result'],
);

export { checkProvider } from './adapters/provider/provider-decider.ts';

type AntiFraudAdapter = {
  /** Sends nothing. The caller closes the provider and the channel. */
  readonly open: (
    settings: Omit<ProviderSettings, 'channel'>,
    channel: Channel,
    observe: ProviderObserver,
  ) => AntiFraudProvider & { close(): Promise<void> };
  readonly check: CheckProvider;
};

/** By the adapter that `parcela provider add` names. The provider of the settings is a bridge. */
export const ANTI_FRAUD_ADAPTERS: Readonly<Record<string, AntiFraudAdapter>> = {
  bridge: { open: (...opened) => new ProviderDecider(...opened), check: checkProvider },
};

export type DecidersContext = ModuleContext & {
  readonly configuration: {
    readonly antiFraud: {
      readonly rules: readonly VelocityRule[];
      readonly cardTesting: CardTestingMode;
      readonly timeoutMilliseconds: number;
      readonly verdictWhenSilent: Verdict;
      readonly provider: ProviderSettings | null;
    };
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly providerTable: ProviderTable;
  readonly peerCalls: PeerCalls;
};

export type Deciders = { readonly velocity: VelocityDecider; readonly deciders: readonly Decider[] };

/** The only function that knows the deciders and their order: free ones before paid ones. */
export async function openDeciders(context: DecidersContext): Promise<Deciders> {
  const { configuration, database, keyring } = context;
  const { rules, cardTesting, timeoutMilliseconds, provider } = configuration.antiFraud;
  const testing = {
    mode: cardTesting,
    findTested: batchReads(testedCardsRead(database)),
    observe: openCardTestingAlarm(context),
  };
  const findCounts = batchReads(countsRead(database, countsMerchantsCards(rules)));
  const velocity = velocityDecider({ keyring, findCounts, cardTesting: testing }, rules, timeoutMilliseconds);
  const routed = await openProviders(context, provider);
  return { velocity, deciders: [velocity, routed] };
}

/**
 * How long an added provider may take for an answer. With one in the settings, its own time counts for all.
 */
const PROVIDER_MILLISECONDS = 1_500;

async function openProviders(
  context: DecidersContext,
  named: ProviderSettings | null,
): Promise<RoutedDecider> {
  const { metrics, providerTable, peerCalls } = context;
  const { environment } = context.configuration;
  const calls = metrics.histogram(ANTI_FRAUD_PROVIDER_CALL_DURATION_SECONDS);
  const observe: ProviderObserver = (result, seconds) => calls.observe({ result }, seconds);
  const timeout = named?.timeoutMilliseconds ?? PROVIDER_MILLISECONDS;
  const providers = await providerTable.setOf<AntiFraudProvider>('antifraud', {
    byDefault: named === null ? null : await openProvider(context, named, observe),
    absent: ABSENT_PROVIDER,
    connectTimeoutMilliseconds: PROVIDER_CONNECT_MILLISECONDS,
    open(added, channel) {
      const { open, check } = adapterOf(ANTI_FRAUD_ADAPTERS, added);
      const { url, timeoutMilliseconds } = added;
      const settings = { url, timeoutMilliseconds: Math.min(timeoutMilliseconds ?? timeout, timeout) };
      const provider = open(settings, channel, observe);
      const port = checkedProvider(provider, () =>
        whyUnfit(environment, check(url, environment, channel, termsOf(added))),
      );
      return { port, close: () => provider.close() };
    },
  });
  return new RoutedDecider(providers, timeout, (name, answer, seconds) =>
    peerCalls.note('antifraud', name, 'decide', answer, seconds),
  );
}

async function openProvider(
  { configuration, log, metrics, closings }: DecidersContext,
  settings: ProviderSettings,
  observe: ProviderObserver,
): Promise<AntiFraudProvider> {
  const channel = await openChannel(settings.channel, {
    connectTimeoutMilliseconds: PROVIDER_CONNECT_MILLISECONDS,
    ...observeChannel(
      { log, metrics },
      'antifraud',
      'changed files of the anti-fraud provider are not used: they do not fit',
    ),
  });
  closings.push({ name: 'channel to the anti-fraud provider', close: async () => channel.close() });
  const { url } = settings;
  const { environment } = configuration;
  const warning = await checkProvider(url, environment, channel);
  const provider = new ProviderDecider(settings, channel, observe);
  closings.push({ name: 'anti-fraud provider', close: () => provider.close() });
  if (warning === null) return provider;
  log.warn({ reason: warning }, 'the anti-fraud provider is not ready');
  return checkedProvider(provider, () => whyUnfit(environment, checkProvider(url, environment, channel)));
}

/** In production a provider that has not said who it is must not be asked either. */
function whyUnfit(
  environment: 'homologation' | 'production',
  checked: Promise<string | null>,
): Promise<string | null> {
  return checked.then(
    (warning) => (environment === 'production' ? warning : null),
    (error: Error) => error.message,
  );
}

const CARD_TESTING_TRIES = counter(
  'parcela_card_testing_tries_total',
  'Payments and verifications that look like a test of cards, by what gave them away.',
  ['kind'],
);

type AlarmContext = Pick<ModuleContext, 'log' | 'metrics'> & {
  readonly configuration: { readonly antiFraud: { readonly cardTesting: CardTestingMode } };
  readonly audit: Pick<Audit, 'record'>;
};

const ALARMS = {
  cards: 'many cards of one merchant are declined: somebody may be testing cards there',
  codes: 'one card is tried again and again: somebody may be guessing its security code',
} as const satisfies Record<CardTesting, string>;

/** Counts every try. Logs an error and an audit event for the first one, and again while it goes on. */
function openCardTestingAlarm({ audit, log, metrics, configuration }: AlarmContext) {
  const mode = configuration.antiFraud.cardTesting;
  const tries = metrics.counter(CARD_TESTING_TRIES);
  const reminder = openReminder((reason, times) => {
    const [kind, merchantId = ''] = reason.split('|') as [CardTesting, string];
    log.error({ merchantId, kind, times }, ALARMS[kind]);
    const detail = { kind, mode };
    const resource = `merchants/${merchantId}`;
    audit
      .record({
        actor: 'system',
        origin: hostname(),
        action: 'card.test',
        outcome: 'failure',
        resource,
        detail,
      })
      .catch((error) => log.warn(errorFields(error), 'an alarm is missing in the audit log'));
  });
  return (merchantId: string, kind: CardTesting): void => {
    tries.inc({ kind });
    reminder.report(`${kind}|${merchantId}`);
  };
}
