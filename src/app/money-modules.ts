import type { ChangesAnswer, UnreadableChange } from '../acquirers/acquirer.ts';
import { gatedAcquirer } from '../acquirers/gated-acquirer.ts';
import { openAcquirer } from '../acquirers/open-acquirer.ts';
import { velocityAntiFraud } from '../antifraud/adapters/velocity/velocity-anti-fraud.ts';
import { type Decision, readReasons } from '../antifraud/anti-fraud.ts';
import { codesRead, codesWrite } from '../antifraud/codes.sql.ts';
import { countsMerchantsCards } from '../antifraud/velocity.ts';
import { countsRead } from '../antifraud/velocity-events.sql.ts';
import { forgetAntiFraud } from '../antifraud/work.ts';
import type { Audit } from '../audit/audit-event.ts';
import { openCardKeys } from '../cards/pairs/open-card-keys.ts';
import { cardTokensRead, cardTokensWrite } from '../cards/tokens/card-tokens.sql.ts';
import { vaultCardsRead, vaultCardsRemove, vaultCardsWrite } from '../cards/vault/vault-cards.sql.ts';
import { forgetExpiredLocks } from '../cards/work.ts';
import { requestsRead } from '../idempotency/idempotency-keys.sql.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { errorFields } from '../platform/log.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import { type BatchedWriteOptions, batchWrites } from '../platform/postgres/batched-writes.ts';
import type { Database } from '../platform/postgres/database.ts';
import { openReminder } from '../platform/reminder.ts';
import type { Work } from '../platform/work/due-work.ts';
import { openOutageWatch } from '../platform/work/outage-watch.ts';
import { createWakeSignal, type WakeSignal } from '../platform/work/wake-signal.ts';
import { cancelOutcomesWrite } from '../transactions/cancels/cancel-outcomes.sql.ts';
import { cancelIntentsWrite, type UnresolvedCancel } from '../transactions/cancels/cancels.sql.ts';
import type { ResolveCancelsTools } from '../transactions/cancels/resolve-unresolved-cancels.ts';
import { cancelingWork } from '../transactions/cancels/work.ts';
import type { WaitingChange } from '../transactions/changes/change.ts';
import type { PullTools } from '../transactions/changes/pull-changes.ts';
import { applyingWork, pullingWork } from '../transactions/changes/work.ts';
import { intentsWrite } from '../transactions/intents.sql.ts';
import type { LimitTools } from '../transactions/limits/check-network-limits.ts';
import { declinesRead, storedDeclinesRead } from '../transactions/limits/declines.sql.ts';
import { openWatermark } from '../transactions/movements/open-watermark.ts';
import { outcomesWrite } from '../transactions/outcomes.sql.ts';
import type { UnresolvedCharge } from '../transactions/resolutions.sql.ts';
import type { ResolveTools } from '../transactions/resolve-unresolved-charges.ts';
import type { Intent } from '../transactions/transaction.ts';
import type { UnresolvedCount, UnresolvedKind } from '../transactions/unresolved/unresolved.ts';
import { countingWork } from '../transactions/unresolved/work.ts';
import { unsentChargesWrite } from '../transactions/unsent-charges.sql.ts';
import { resolvingWork } from '../transactions/work.ts';
import type { BusinessTime } from './clock-modules.ts';
import type { Ground } from './infrastructure.ts';
import type { WebhookRooms } from './webhook-modules.ts';

/** How what happens to money reaches merchants. */
type Telling = Pick<WebhookRooms, 'deliverer' | 'rememberCallbackEndpoint'>;

/** What every room stands on. */
export type Base = {
  readonly database: Database;
  readonly store: KeyStore;
  readonly keyring: Keyring;
  readonly audit: Audit;
} & BusinessTime;

/**
 * Five tries to settle without a single answer (a charge asks twice in each); then one try a second finds out when the acquirer
 * is back.
 */
const UNRESOLVED_IN_ROW = { charge: 10, cancel: 5 } as const satisfies Record<UnresolvedKind, number>;
const OUTAGE_PAUSES = { probePauseMilliseconds: 1_000, returnPauseMilliseconds: 15_000 } as const;

/** Cards, anti-fraud, acquirer, transactions and payments. */
export async function openMoneyRooms(
  { configuration, closings, log, metrics, gate, persist }: Ground,
  { database, keyring, audit, clock, isJumping }: Base,
  acquirerUrl: string,
  { deliverer, rememberCallbackEndpoint }: Telling,
) {
  const cardKeys = await persist(() => openCardKeys(database, keyring));
  const acquirer = openGatedAcquirer({ closings, metrics, gate }, acquirerUrl);
  const batched = batchedFor(metrics);
  const { acquirerTimeoutMilliseconds } = configuration;
  const requests = { keyring, findRequest: batchReads(requestsRead(database)) };
  const cards = {
    ...requests,
    cardKeys,
    findCardToken: batchReads(cardTokensRead(database)),
    writeCardToken: batched(cardTokensWrite(database)),
    findVaultCard: batchReads(vaultCardsRead(database)),
    writeVaultCard: batched(vaultCardsWrite(database, audit)),
    removeVaultCard: batched(vaultCardsRemove(audit)),
    audit,
  };
  const antiFraud = {
    ...requests,
    ...openAntiFraud({ configuration, log, metrics }, database, keyring),
    writeCode: batched(codesWrite(database)),
  };
  const payments = {
    ...cards,
    ...antiFraud,
    ...openNetworkLimits({ configuration, log, metrics }, database),
    database,
    acquirer,
    clock,
    wakeSignal: createWakeSignal(),
    acquirerTimeoutMilliseconds,
    fees: configuration.fees,
    cancelWindowDays: configuration.cancelWindowDays,
    findWatermark: openWatermark(database),
    writeCancelIntent: batched(cancelIntentsWrite(database)),
    writeCancelOutcome: batched(cancelOutcomesWrite(database, deliverer)),
    ...watchCancels({ log, metrics }),
    writeIntent: batched(intentsWrite(database)),
    rememberCallbackEndpoint,
    writeOutcome: batched(outcomesWrite(database, deliverer)),
    writeUnsent: batched(unsentChargesWrite(database)),
    observe: (outcome: string, brand: string) => metrics.authorizations.inc({ outcome, brand }),
    warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) =>
      log.warn({ merchantId, firstSix, brand }, 'the brand given is not the one of our list'),
  };
  // Rung when something has become of a billing's charge that whoever made it does not know yet.
  const billingSignal = createWakeSignal();
  const told = { ...payments, deliverer, settled: billingSignal, chargebacks: billingSignal };
  const searchMilliseconds = searchPatience(configuration, isJumping);
  const settling = { ...told, ...watchCharges({ log, metrics }), searchMilliseconds };
  const changes = openChanges({ configuration, log, metrics }, told);
  const works = moneyWorks({ settling, payments, changes }, database, metrics);
  return { antiFraud, cards, payments, changes, billingSignal, acquirerOutage: settling.outage, works };
}

/** What falls due in these rooms. */
function moneyWorks(
  {
    settling,
    payments,
    changes,
  }: {
    settling: ResolveTools;
    payments: ResolveCancelsTools & { wakeSignal: WakeSignal };
    changes: PullTools;
  },
  database: Database,
  metrics: Ground['metrics'],
): Work[] {
  return [
    resolvingWork(settling, payments.wakeSignal),
    cancelingWork(payments, payments.wakeSignal),
    pullingWork(changes),
    applyingWork(changes),
    countingWork(database, observeUnresolved(metrics)),
    forgetExpiredLocks(database),
    forgetAntiFraud(database),
  ];
}

/**
 * What the acquirer makes happen to charges. Homologation asks for each merchant by itself, and one of whom nothing is heard up to
 * ten times as seldom; production asks once for all.
 */
function openChanges(
  { configuration, log, metrics }: Pick<Ground, 'configuration' | 'log' | 'metrics'>,
  tools: Omit<PullTools, 'wakeSignal' | 'isForAllMerchants' | 'pace' | keyof ReturnType<typeof watchChanges>>,
): PullTools {
  const isProduction = configuration.environment === 'production';
  return {
    ...tools,
    // Of its own: what rings for payments has nothing to apply.
    wakeSignal: createWakeSignal(),
    isForAllMerchants: isProduction,
    pace: { pauseSeconds: configuration.changesSeconds, longestQuietFactor: isProduction ? 1 : 10 },
    ...watchChanges({ log, metrics }),
  };
}

/** How long a billing's charge of a merchant is looked for: a jump of its test clock waits for what falls due in it. */
function searchPatience(
  { billings }: Pick<Ground['configuration'], 'billings'>,
  isJumping: (merchantId: string) => boolean,
): ResolveTools['searchMilliseconds'] {
  return (merchantId) => (isJumping(merchantId) ? 0 : billings.searchMilliseconds);
}

type Watchers = Pick<Ground, 'log' | 'metrics'>;

/** Who hears of the settling of charges. */
function watchCharges({ log, metrics }: Watchers) {
  return {
    outage: watchOutage({ log, metrics }, 'charge'),
    observe: (outcome: string) => metrics.settlements.inc({ kind: 'charge', outcome }),
    warn: ({ transactionId, tries }: UnresolvedCharge, reason: string) =>
      log.warn({ transactionId, tries, reason }, 'a charge stays unknown'),
  };
}

/** Who hears of the acquirer's changes. */
function watchChanges({ log, metrics }: Watchers) {
  const silence = openReminder((reason, times) =>
    log.warn({ reason, times }, 'the acquirer does not tell of its changes'),
  );
  const unreadable = openReminder((reason, times) =>
    log.warn({ reason, times }, 'what the acquirer told was no change: see parcela resolve changes'),
  );
  let isSilent = false;
  return {
    observeChange: (outcome: string) => metrics.changes.inc({ outcome }),
    warnOfChange: ({ merchantId, changeId, reference, installmentNumber }: WaitingChange, reason: string) =>
      log.warn({ merchantId, changeId, reference, installmentNumber, reason }, 'a change was not applied'),
    hearOfPull: (outcome: ChangesAnswer['kind'], reason: string | null) => {
      metrics.hearOfChangePage(outcome);
      if (reason !== null) silence.hear(reason);
      else if (isSilent) {
        silence.forget();
        log.info({}, 'the acquirer tells of its changes again');
      }
      isSilent = reason !== null;
    },
    hearOfUnreadable: ({ reason }: UnreadableChange) => {
      metrics.changes.inc({ outcome: 'unreadable' });
      unreadable.hear(reason);
    },
  };
}

/** Who hears of the sending again of cancels. */
function watchCancels({ log, metrics }: Watchers) {
  return {
    cancelOutage: watchOutage({ log, metrics }, 'cancel'),
    observeCancel: (outcome: string) => metrics.settlements.inc({ kind: 'cancel', outcome }),
    warnOfCancel: ({ cancelId, transactionId, tries }: UnresolvedCancel, reason: string) =>
      log.warn({ cancelId, transactionId, tries, reason }, 'a cancel was not done'),
  };
}

function watchOutage({ log, metrics }: Watchers, kind: UnresolvedKind) {
  const limits = { unresolvedInRow: UNRESOLVED_IN_ROW[kind], ...OUTAGE_PAUSES };
  return openOutageWatch(limits, (isAway) => {
    metrics.acquirerAway.set({ kind }, isAway ? 1 : 0);
    log.warn({ kind }, isAway ? 'the acquirer answers no try to settle' : 'the acquirer answers again');
  });
}

function observeUnresolved(metrics: Ground['metrics']) {
  return ({ kind, count, oldestAge, mostTries }: UnresolvedCount) => {
    metrics.unresolved.set({ kind }, count);
    metrics.oldestUnresolved.set({ kind }, oldestAge);
    metrics.mostResolveTries.set({ kind }, mostTries);
  };
}

/** Gathered writes, with the number of rows of each statement in the metrics. */
export function batchedFor(metrics: Ground['metrics']) {
  return <Row, Result>(options: BatchedWriteOptions<Row, Result>) =>
    batchWrites({
      ...options,
      onBatch: (rows) => metrics.batchedRows.observe({ statement: options.name }, rows),
    });
}

function openGatedAcquirer(
  { closings, metrics, gate }: Pick<Ground, 'closings' | 'metrics' | 'gate'>,
  url: string,
) {
  const acquirer = openAcquirer(url, (operation, result, seconds) =>
    metrics.acquirerCalls.observe({ operation, result }, seconds),
  );
  closings.push({ name: 'acquirer', close: () => acquirer.close() });
  return gatedAcquirer(acquirer, gate);
}

/** Codes, and the decision of a sale by the rules of velocity. */
function openAntiFraud(
  { configuration, log, metrics }: Pick<Ground, 'configuration' | 'log' | 'metrics'>,
  database: Database,
  keyring: Keyring,
) {
  const isProduction = configuration.environment === 'production';
  const { rules, timeoutMilliseconds, verdictWhenSilent } = configuration.antiFraud;
  const findCounts = batchReads(countsRead(database, countsMerchantsCards(rules)));
  const velocity = velocityAntiFraud({ keyring, findCounts }, rules);
  return {
    keyring,
    findCode: batchReads(codesRead(database)),
    mustCodesBeIssued: isProduction,
    antiFraud: velocity,
    velocityEventOf: velocity.velocityEventOf,
    takesTriggers: !isProduction,
    decisionTimeoutMilliseconds: timeoutMilliseconds,
    verdictWhenSilent,
    observeDecision: (merchantId: string, { verdict, reasons }: Decision) => {
      metrics.antiFraudDecisions.inc({ verdict });
      if (verdict === 'reject') log.info({ merchantId, reasons }, 'anti-fraud rejected a sale');
    },
    observeReview: (
      reviewed: Pick<Intent, 'merchantId' | 'transactionId' | 'verdictReasons'>,
      outcome: string,
    ) => {
      const { merchantId, transactionId: paymentId, verdictReasons } = reviewed;
      const reasons = readReasons(verdictReasons ?? '');
      log.info({ merchantId, paymentId, outcome, reasons }, 'anti-fraud asks for a review of a payment');
    },
    warnOfSilence: (merchantId: string, error: unknown) =>
      log.warn({ merchantId, ...errorFields(error) }, 'anti-fraud gave no decision'),
  };
}

/** What is counted of a card before it is charged. */
function openNetworkLimits(
  { configuration, log, metrics }: Pick<Ground, 'configuration' | 'log' | 'metrics'>,
  database: Database,
): LimitTools {
  return {
    limitMode: configuration.networkLimits,
    limitsTrialCardsOnly: configuration.environment === 'homologation',
    findDeclines: batchReads(declinesRead(database)),
    findStoredDeclines: batchReads(storedDeclinesRead(database)),
    observeLimit: (merchantId, brand, cause, outcome) => {
      metrics.triesBeyondLimits.inc({ outcome, brand, cause });
      log.info({ merchantId, brand, cause, outcome }, 'a card was tried beyond a limit of its network');
    },
  };
}
