import type { GuardVerification } from '../cards/vault/store-vault-card.ts';
import type { Feed } from '../platform/feeds/open-feed.ts';
import type { Log } from '../platform/log.ts';
import { counter, databaseGauge, gauge, type Metrics } from '../platform/metrics.ts';
import type { Module, ModuleContext } from '../platform/module.ts';
import { declarePeer } from '../platform/process-reports/peer-metrics.ts';
import type { Work } from '../platform/work/due-work.ts';
import { countingWhenRead, forgetInBatches, forgetPersonalData } from '../platform/work/every-so-often.ts';
import { type OutageWatch, openOutageWatch } from '../platform/work/outage-watch.ts';
import { createWakeSignal, type WakeSignal } from '../platform/work/wake-signal.ts';
import { type AcquirerBreakers, openAcquirerBreakers } from '../providers/acquirers/acquirer-breaker.ts';
import { countedCode, readDecline } from '../providers/acquirers/issuer-code.ts';
import { type CountLink, hasUnfitLink } from '../providers/acquirers/network-reference.ts';
import type { Acquirers } from '../providers/open-acquirers.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import { cancelOutcomesWrite } from './cancels/cancel-outcomes.sql.ts';
import type { CancelTools } from './cancels/cancel-transaction.ts';
import { cancelIntentsWrite } from './cancels/cancels.sql.ts';
import { type ResolveCancelsTools, resolveUnresolvedCancels } from './cancels/resolve-unresolved-cancels.ts';
import { openChanges } from './changes/module.ts';
import { CUSTOMERS } from './customers/customers.sql.ts';
import { type ChargeTools, type VerifyTools, verifyCard } from './methods/card/charge-card.ts';
import type { ChargeSomewhereTools } from './methods/card/charge-somewhere.ts';
import { type LimitTools, openNetworkLimits } from './methods/card/check-network-limits.ts';
import { type CheckWatchedTools, checkWatchedCharges } from './methods/card/check-watched-charges.ts';
import { deleteForgottenDeclines } from './methods/card/declines.sql.ts';
import { type IntentRefusal, intentsWrite } from './methods/card/intents.sql.ts';
import { type Captures, openCaptures } from './methods/card/module.ts';
import type { LimitMode } from './methods/card/network-limits.ts';
import { outcomesWrite, unsentChargesWrite } from './methods/card/outcomes.sql.ts';
import { type ResolveTools, resolveUnresolvedCharges } from './methods/card/resolve-unresolved-charges.ts';
import { openWatermark } from './movements/open-watermark.ts';
import type { AskAcquirerTools } from './requests/send-request.ts';
import { agesByProvider } from './unresolved/counted.sql.ts';
import { countUnresolved } from './unresolved/unresolved.sql.ts';
import { UNRESOLVED_KINDS, type UnresolvedCount, type UnresolvedKind } from './unresolved/unresolved.ts';

const COUNT_MILLISECONDS = 5_000;

/** Asks the database every five seconds at most, however often the metrics are read. */
function countingWork(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (count: UnresolvedCount) => void,
): Work {
  return countingWhenRead('countUnresolved', COUNT_MILLISECONDS, metrics, async () => {
    for (const counted of await countUnresolved(database)) observe(counted);
  });
}

const CUSTOMERS_ERASED = counter(
  'parcela_customers_erased_total',
  "Payments whose customer's data was removed because its time was over.",
);
const RESOLUTIONS = counter(
  'parcela_resolutions_total',
  'Tries to settle unanswered charges, cancels and captures, by what became of them.',
  ['kind', 'outcome'],
);
const CHARGES_BOOKED_LATE = counter(
  'parcela_charges_booked_late_total',
  'Times that an acquirer had a charge live after it was found to be gone; it is voided, unless it was captured: an alert.',
  ['provider'],
);
const WATCHES_UNSEEN = counter(
  'parcela_watched_charges_unseen_total',
  'Charges that may have been booked late, and whose acquirer answered no look for a week after their time: an alert.',
  ['provider'],
);
const TWIN_CHARGES = counter(
  'parcela_twin_charges_total',
  'Lost charges that an acquirer had booked more than once; all but one at most are voided.',
  ['provider'],
);
const LINKS_LEFT_OUT = counter(
  'parcela_links_left_out_total',
  'Approvals, verifications and looked-up charges of Mastercards whose link (TLID) did not have 22 characters, and was not kept.',
  ['provider'],
);
export const AUTHORIZATIONS = counter('parcela_authorizations_total', 'Charges by outcome.', [
  'outcome',
  'brand',
  'provider',
]);
const DECLINES = counter(
  'parcela_declines_total',
  'Declined charges by code of the issuer (`other`: not in the table) and what it means: docs/errors.md.',
  ['brand', 'code', 'class'],
);
const ACQUIRER_AWAY = gauge(
  'parcela_acquirer_away',
  '1 while the acquirer answers none of the tries; of kind payment: while payments that may go elsewhere pass it over.',
  ['kind', 'provider'],
);
declarePeer('acquirer', { away: ACQUIRER_AWAY });
const UNRESOLVED = databaseGauge(
  'parcela_unresolved',
  'Charges, cancels and captures whose outcome is unknown; counted up to 100 000.',
  ['kind'],
);
const UNRESOLVED_OLDEST_AGE_SECONDS = databaseGauge(
  'parcela_unresolved_oldest_age_seconds',
  'Age of the oldest of them, of one that waits for an end that comes by itself from that end on; 0: none.',
  ['kind', 'provider'],
);
const UNRESOLVED_MOST_TRIES = databaseGauge(
  'parcela_unresolved_most_tries',
  'Most tries that one of them has had.',
  ['kind'],
);

/** Five tries (a charge asks twice in each); then one try a second detects the acquirer's return. */
const UNRESOLVED_IN_ROW = { charge: 10, cancel: 5, capture: 5 } as const satisfies Record<
  UnresolvedKind,
  number
>;
const OUTAGE_PAUSES = { probePauseMilliseconds: 1_000, returnPauseMilliseconds: 15_000 } as const;

type TransactionsContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly billings: { readonly searchMilliseconds: number };
    readonly cell: string | null;
    readonly changesSeconds: number;
    readonly networkLimits: LimitMode;
    readonly customerRetentionDays: number;
  };
  readonly acquirers: Acquirers;
};

export type Transactions = Module & {
  /** For events that homologation forces. */ readonly changes: Feed;
} & Pick<ChargeTools<IntentRefusal>, 'writeIntent' | 'writeOutcome' | 'writeUnsent' | 'observe'> &
  Pick<CancelTools, 'writeCancelIntent' | 'writeCancelOutcome'> &
  Omit<Captures, 'works' | 'clockedWork'> & {
    readonly limits: LimitTools;
    readonly breakers: AcquirerBreakers;
    readonly observeNext: ChargeSomewhereTools['observeNext'];
    readonly guardVerification: GuardVerification;
    readonly wakeSignal: WakeSignal;
    /** Notified when a billing's charge has an outcome that the billing engine does not know yet. */
    readonly billingSignal: WakeSignal;
    /** Whether each acquirer answers any charge. */
    readonly outage: OutageWatch;
    readonly findWatermark: () => Promise<number>;
  };

export function openTransactions(
  context: TransactionsContext,
  { deliverer, decideVerification }: { deliverer: Deliverer } & Pick<VerifyTools, 'decideVerification'>,
): Transactions {
  const { database, batched, clock, metrics } = context;
  const limits = openNetworkLimits(context);
  const outageOf = outageWatches(context);
  const countLink = observeLinks(context);
  const shared = {
    wakeSignal: createWakeSignal(),
    billingSignal: createWakeSignal(),
    outage: outageOf('charge'),
    writeOutcome: batched(outcomesWrite(database, deliverer)),
    writeCancelOutcome: batched(cancelOutcomesWrite(database, deliverer)),
  };
  const observe = observeResolutions(metrics);
  const captures = openCaptures(context, {
    deliverer,
    wakeSignal: shared.wakeSignal,
    outage: outageOf('capture'),
    observeCapture: (outcome) => observe('capture', outcome),
  });
  const changes = openChanges(context, { deliverer, chargebacks: shared.billingSignal });
  return {
    limits,
    guardVerification: async (wanted, ask) => {
      const answer = await verifyCard({ database, clock, limits, decideVerification }, wanted, ask);
      if (answer.kind === 'approved') countLink(answer, wanted.opened.trace.brand);
      return answer;
    },
    changes,
    ...shared,
    ...captures,
    findWatermark: openWatermark(database),
    writeIntent: batched(intentsWrite(database)),
    writeUnsent: batched(unsentChargesWrite(database)),
    writeCancelIntent: batched(cancelIntentsWrite(database)),
    ...observeCharges(context, countLink),
    endpoints: [],
    works: [
      ...resolvingWorks(context, deliverer, shared, { observe, countLink, cancelOutage: outageOf('cancel') }),
      ...captures.works,
      ...changes.works,
      countingWork(context, observeUnresolved(context)),
      ...forgetPersonalData('forgetOldCustomers', CUSTOMERS, context, CUSTOMERS_ERASED),
      forgetInBatches('forgetDeclinedVerifications', (limit) => deleteForgottenDeclines(database, limit)),
    ],
  };
}

function resolvingWorks(
  context: TransactionsContext,
  deliverer: Deliverer,
  shared: Pick<
    Transactions,
    'wakeSignal' | 'billingSignal' | 'outage' | 'writeOutcome' | 'writeCancelOutcome'
  >,
  {
    observe,
    countLink,
    cancelOutage,
  }: { observe: ObserveResolution; countLink: CountLink; cancelOutage: OutageWatch },
): Work[] {
  const { configuration, database, clock, acquirers, log, metrics } = context;
  const { acquirerTimeoutMilliseconds } = configuration;
  const twins = metrics.counter(TWIN_CHARGES);
  const asking: AskAcquirerTools = { database, acquirers, clock, acquirerTimeoutMilliseconds };
  const charges: ResolveTools = {
    ...asking,
    deliverer,
    countLink,
    writeOutcome: shared.writeOutcome,
    settled: shared.billingSignal,
    searchMilliseconds: searchPatience(context),
    outage: shared.outage,
    observe: (outcome) => observe('charge', outcome),
    warn: ({ transactionId, tries }, reason) =>
      log.warn({ transactionId, tries, reason }, 'a charge stays unknown'),
    observeTwins({ transactionId, acquirer: provider }) {
      twins.inc({ provider });
      log.warn({ transactionId, provider }, 'the acquirer had booked a charge more than once');
    },
  };
  const cancels: ResolveCancelsTools = {
    ...asking,
    writeCancelOutcome: shared.writeCancelOutcome,
    outage: cancelOutage,
    observe: (outcome) => observe('cancel', outcome),
    warn: ({ requestId: cancelId, transactionId, tries }, reason) =>
      log.warn({ cancelId, transactionId, tries, reason }, 'a cancel was not done'),
  };
  return [
    resolveUnresolvedCharges(charges, shared.wakeSignal),
    resolveUnresolvedCancels(cancels, shared.wakeSignal),
    checkWatchedCharges({ ...asking, acquirers, outage: shared.outage, ...alarmsOfWatch(context) }),
  ];
}

function alarmsOfWatch({
  log,
  metrics,
}: Pick<TransactionsContext, 'log' | 'metrics'>): Pick<CheckWatchedTools, 'alarm' | 'alarmUnseen'> {
  const late = metrics.counter(CHARGES_BOOKED_LATE);
  const unseen = metrics.counter(WATCHES_UNSEEN);
  return {
    alarm({ merchantId, transactionId, acquirer: provider }, voided) {
      late.inc({ provider });
      log.error(
        { merchantId, transactionId, provider, voided },
        'a charge is live that was found to be gone',
      );
    },
    alarmUnseen({ merchantId, transactionId, acquirer: provider }) {
      unseen.inc({ provider });
      log.error(
        { merchantId, transactionId, provider },
        'a charge is watched no more, and its acquirer was not seen',
      );
    },
  };
}

type ObserveResolution = (kind: UnresolvedKind, outcome: string) => void;

function observeResolutions(metrics: Metrics): ObserveResolution {
  const resolutions = metrics.counter(RESOLUTIONS);
  return (kind, outcome) => resolutions.inc({ kind, outcome });
}

/**
 * Milliseconds to look for a billing's charge; 0 in a jump of a test clock, which waits for what falls due.
 */
function searchPatience({ configuration, isJumping }: TransactionsContext) {
  const { billings } = configuration;
  return (merchantId: string) => (isJumping(merchantId) ? 0 : billings.searchMilliseconds);
}

/** Counts every charge, and learns from its answer whether payments should pass its acquirer over. */
function observeCharges(
  { log, metrics }: Pick<TransactionsContext, 'log' | 'metrics'>,
  countLink: CountLink,
): Pick<Transactions, 'observe' | 'observeNext' | 'breakers'> {
  const count = observeAuthorizations(metrics);
  const away = metrics.gauge(ACQUIRER_AWAY);
  const breakers = openAcquirerBreakers(
    () => performance.now(),
    ({ acquirer: provider, merchantId, isOpen }) => {
      if (merchantId === null) away.set({ kind: 'payment', provider }, isOpen ? 1 : 0);
      const whose = merchantId === null ? {} : { merchantId };
      const words = merchantId === null ? BREAKER_WORDS.ofConnection : BREAKER_WORDS.ofMerchant;
      log.warn({ provider, ...whose }, isOpen ? words.opens : words.closes);
    },
  );
  return {
    breakers,
    observeNext: observeNextAcquirers(log, metrics),
    observe(answer, intent) {
      count(answer, intent);
      if (answer.kind === 'approved' || answer.kind === 'preauthorized')
        countLink({ ...answer, acquirer: intent.acquirer }, intent.trace.brand);
      breakers.answered(intent, answer.kind);
    },
  };
}

/** These sentences are true also where there is one acquirer, which payments never pass over. */
const BREAKER_WORDS = {
  ofConnection: {
    opens: 'an acquirer could not be reached five times in a row: payments that may go elsewhere do',
    closes: 'an acquirer is reached again',
  },
  ofMerchant: {
    opens: 'an acquirer refused five requests of a merchant in a row: its payments that may go elsewhere do',
    closes: 'an acquirer takes the requests of a merchant again',
  },
} as const;

const CHARGES_SENT_ON = counter(
  'parcela_charges_sent_on_total',
  'Charges that went to another acquirer, because the first surely did not make them.',
  ['provider', 'next'],
);

function observeNextAcquirers(log: Log, metrics: Metrics): Transactions['observeNext'] {
  const sentOn = metrics.counter(CHARGES_SENT_ON);
  return (
    { merchantId, transactionId, acquirer: provider },
    { transactionId: paymentId, acquirer: next },
  ) => {
    sentOn.inc({ provider, next });
    log.warn({ merchantId, transactionId, paymentId, provider, next }, 'a charge goes to another acquirer');
  };
}

function observeAuthorizations(metrics: Metrics): Transactions['observe'] {
  const authorizations = metrics.counter(AUTHORIZATIONS);
  const declines = metrics.counter(DECLINES);
  return (answer, { acquirer: provider, trace: { brand } }) => {
    authorizations.inc({ outcome: answer.kind, brand, provider });
    if (answer.kind !== 'declined') return;
    const { declineClass } = readDecline(brand, answer.responseCode, answer.adviceCode);
    declines.inc({ brand, code: countedCode(brand, answer.responseCode), class: declineClass });
  };
}

/** Counts links that were left out. The log tells of the first one of each acquirer. */
function observeLinks({ log, metrics }: Pick<TransactionsContext, 'log' | 'metrics'>): CountLink {
  const leftOut = metrics.counter(LINKS_LEFT_OUT);
  const told = new Set<string>();
  return ({ networkReference, acquirer: provider = '' }, brand) => {
    if (!hasUnfitLink(networkReference, brand)) return;
    const { unfitLinkLength: characters } = networkReference;
    leftOut.inc({ provider });
    if (told.has(provider)) return;
    told.add(provider);
    log.warn({ provider, characters }, 'a link of Mastercard (TLID) is left out');
  };
}

function outageWatches({
  acquirers,
  metrics,
}: Pick<TransactionsContext, 'acquirers' | 'metrics'>): (kind: UnresolvedKind) => OutageWatch {
  const away = metrics.gauge(ACQUIRER_AWAY);
  return (kind) => {
    for (const provider of acquirers.all()) away.set({ kind, provider }, 0);
    return openOutageWatch(
      { unresolvedInRow: UNRESOLVED_IN_ROW[kind], ...OUTAGE_PAUSES },
      acquirers.all,
      ({ provider, isAway }) => away.set({ kind, provider }, isAway ? 1 : 0),
    );
  };
}

function observeUnresolved({
  acquirers,
  metrics,
}: Pick<TransactionsContext, 'acquirers' | 'metrics'>): (count: UnresolvedCount) => void {
  const unresolved = metrics.gauge(UNRESOLVED);
  const oldest = metrics.gauge(UNRESOLVED_OLDEST_AGE_SECONDS);
  const mostTries = metrics.gauge(UNRESOLVED_MOST_TRIES);
  const ages = new Map(
    UNRESOLVED_KINDS.map((kind) => [
      kind,
      agesByProvider(acquirers.all, (provider, seconds) => oldest.set({ kind, provider }, seconds)),
    ]),
  );
  return (count) => {
    unresolved.set({ kind: count.kind }, count.count);
    ages.get(count.kind)?.(count);
    mostTries.set({ kind: count.kind }, count.mostTries);
  };
}
