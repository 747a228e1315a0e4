import type { Cards } from '../../cards/module.ts';
import type { Idempotency } from '../../idempotency/module.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { serve } from '../../platform/http/endpoint.ts';
import type { Log } from '../../platform/log.ts';
import { counter, databaseGauge, type Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { openReminder } from '../../platform/reminder.ts';
import type { ClockedWork, Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { Transactions } from '../../transactions/module.ts';
import type { Instant } from '../../values/instant.ts';
import type { Webhooks } from '../../webhooks/module.ts';
import type { AdvanceCollectionTools } from '../automatic/advance-collection.ts';
import type { AutomaticPix } from '../automatic/module.ts';
import type { LeadDaysOf } from '../subscriptions/subscriptions.sql.ts';
import { chargeIntentsWrite } from './charge-intents.sql.ts';
import { chargeOutcomesWrite } from './charge-outcomes.sql.ts';
import type { ChargeWindow } from './day-window.ts';
import { countDue, type DueCounts } from './due-places.sql.ts';
import { MANUAL_CHARGE_ENDPOINTS } from './endpoints.ts';
import { finishOpenCharges } from './finish-open-charges.ts';
import { EARLIEST_OPEN_CHARGE } from './open-charges.sql.ts';
import { type ChargeDueTools, type DueCharger, openCollector } from './open-collector.ts';
import { isAcquirerThere } from './outcome-record.ts';
import { type ChargebackTools, DUE_CHARGEBACKS, processChargebacks } from './process-chargebacks.ts';

/** `wakeSignal`: something may be due. `resolved`: a charge's outcome was found. */
function chargingWorks(
  tools: ChargeDueTools,
  { wakeSignal, resolved }: { readonly wakeSignal: WakeSignal; readonly resolved: WakeSignal },
): { readonly works: Work[]; readonly charger: DueCharger } {
  const charger = openCollector(tools, wakeSignal);
  const ending: Work = {
    name: 'finishOpenCharges',
    wakeSignal: resolved,
    async runDue() {
      const ended = await finishOpenCharges(tools);
      if (ended > 0) charger.work.wakeSignal.notify();
      return ended;
    },
    look: { piece: EARLIEST_OPEN_CHARGE },
  };
  return { works: [charger.work, ending], charger };
}

/** `wakeSignal`: the acquirer reported a chargeback. */
function chargebackWork(tools: ChargebackTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'processChargebacks',
    wakeSignal,
    runDue: () => processChargebacks(tools),
    look: DUE_CHARGEBACKS,
  };
}

const COUNT_MILLISECONDS = 10_000;

/** Asks the database at most every ten seconds, however often metrics are read. */
function countingDue(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (counts: DueCounts) => void,
): Work {
  return countingWhenRead('countDueBillings', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countDue(database)),
  );
}

const BILLINGS_DUE = databaseGauge(
  'parcela_billings_due',
  'Billings whose day of charge has begun and that are not charged yet, up to 100 000; held: of merchants whose billings you hold.',
  ['state'],
);
const BILLINGS_DUE_OLDEST_AGE = databaseGauge(
  'parcela_billings_due_oldest_age_seconds',
  'Since the beginning of the day on which the oldest of them was to be charged; 0: none is due.',
);
const CHARGES = counter(
  'parcela_charges_total',
  'Charges of billings that ended, by what was made of them.',
  ['rule'],
);
const BILLINGS_WAITING_FOR_KEY = counter(
  'parcela_billings_waiting_for_key_total',
  'Times that a due billing was put off because the data key of its card is not there: an alert.',
);
const BILLINGS_WAITING_FOR_BRAND = counter(
  'parcela_billings_waiting_for_brand_total',
  'Times that a due billing was put off because the acquirer does not take the brand of its card: an alert.',
);
const BILLINGS_SENT_AGAIN_OFTEN = counter(
  'parcela_billings_sent_again_often_total',
  'Times that a billing was sent again whose charge nobody had answered more than three times: an alert.',
);

export type CollectionContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly requestDeadlineMilliseconds: number;
    readonly billings: { readonly acquirerTimeoutMilliseconds: number };
    readonly chargeWindow: ChargeWindow;
    readonly chargesAtOnce: number;
  };
  readonly keyring: Keyring;
  readonly acquirers: Acquirers;
};

/** Opens Pix Automático with what records the ends of its charges. */
type OpenPixCollection = (tools: Pick<AdvanceCollectionTools, 'writeEnd' | 'observeCharge'>) => AutomaticPix;

export type BelowCollection = {
  readonly idempotency: Idempotency;
  readonly cards: Cards;
  readonly transactions: Transactions;
  readonly webhooks: Webhooks;
  readonly leadDaysOf: LeadDaysOf;
};

export function openCollection(
  context: CollectionContext,
  below: BelowCollection,
  mayBeDue: WakeSignal,
  openPix: OpenPixCollection,
): Module {
  const { database, clock } = context;
  const { billingSignal } = below.transactions;
  const { deliverer } = below.webhooks;
  const byCard = chargeTools(context, below);
  const pix = openPix(byCard);
  const tools: ChargeDueTools = { ...byCard, collectByPix: pix.collectByPix };
  const { works, charger } = chargingWorks(tools, { wakeSignal: mayBeDue, resolved: billingSignal });
  const isEngine = tools.chargesAtOnce > 0;
  return {
    endpoints: serve(MANUAL_CHARGE_ENDPOINTS, { ...tools, findRequest: below.idempotency.findRequest }),
    works: [
      ...works,
      ...(isEngine ? pix.works : []),
      ...(isEngine ? [chargebackWork({ database, clock, deliverer }, billingSignal)] : []),
      countingDue(context, observeDue(context.metrics)),
    ],
    clockedWork: [
      isEngine
        ? clockedBillings(charger, pix)
        : { name: 'billings', earliestDue: charger.earliestDueOf, runDue: charger.runDueOf },
    ],
  };
}

/** The bank's decisions are read before billings are charged. */
function clockedBillings(charger: DueCharger, { clocked }: AutomaticPix): ClockedWork {
  return {
    name: 'billings',
    async earliestDue(merchantId, until) {
      const found = [
        await clocked.earliestDue(merchantId, until),
        await charger.earliestDueOf(merchantId, until),
      ].filter((at) => at !== null);
      return found.length === 0 ? null : (Math.min(...found) as Instant);
    },
    async runDue(merchantId, signal) {
      const looked = await clocked.runDue(merchantId, signal);
      return looked + (await charger.runDueOf(merchantId, signal));
    },
  };
}

function chargeTools(
  context: CollectionContext,
  { cards, transactions, webhooks, leadDaysOf }: BelowCollection,
) {
  const { configuration, database, batched, keyring, clock, acquirers, log, metrics } = context;
  const { limits, outage } = transactions;
  const tools: Omit<ChargeDueTools, 'collectByPix'> = {
    database,
    deliverer: webhooks.deliverer,
    keyring,
    clock,
    acquirers,
    acquirerTimeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
    findVaultCard: cards.findVaultCard,
    takesBrand: cards.takesBrand,
    ...limits,
    wakeSignal: transactions.wakeSignal,
    writeUnsent: transactions.writeUnsent,
    observeNext: transactions.observeNext,
    writeTake: batched(chargeIntentsWrite(database)),
    writeEnd: batched(chargeOutcomesWrite(database, webhooks.deliverer, leadDaysOf)),
    outage,
    observe(answer, intent) {
      transactions.observe(answer, intent);
      const { merchantId, acquirer: provider } = intent;
      const isThere = isAcquirerThere(answer.kind, outage.isMute(provider));
      // An answer to a charge says nothing of voids.
      if (isThere === true) outage.observeLook({ merchantId, provider });
      if (isThere === false) outage.observe(false, { merchantId, provider });
    },
    window: configuration.chargeWindow,
    chargesAtOnce: configuration.chargesAtOnce,
    patienceFor: chargePatience(context),
    stopMilliseconds: configuration.requestDeadlineMilliseconds,
    hasMovedClocks: configuration.environment === 'homologation',
    chance: Math.random,
    observeKeyAbsent: observeAbsentKeys(log, metrics),
    observeBrandNotTaken: observeBrandsNotTaken(log, metrics),
    observeCharge: observeCharges(metrics),
    warnOfSentAgain: warnOfSentAgain(log, metrics),
  };
  return tools;
}

/** No caller waits for a scheduled charge, so it may be slow. During a jump it has the time of a request. */
function chargePatience({ configuration, isJumping }: CollectionContext): ChargeDueTools['patienceFor'] {
  const { acquirerTimeoutMilliseconds, requestDeadlineMilliseconds, billings } = configuration;
  const forCommits = requestDeadlineMilliseconds - acquirerTimeoutMilliseconds;
  const ofRequest = { acquirerTimeoutMilliseconds, chargeMilliseconds: requestDeadlineMilliseconds };
  const ofBilling = {
    acquirerTimeoutMilliseconds: billings.acquirerTimeoutMilliseconds,
    chargeMilliseconds: billings.acquirerTimeoutMilliseconds + forCommits,
  };
  return (merchantId) => (isJumping(merchantId) ? ofRequest : ofBilling);
}

function observeCharges(metrics: Metrics): ChargeDueTools['observeCharge'] {
  const charges = metrics.counter(CHARGES);
  return (rule) => charges.inc({ rule: rule ?? 'none' });
}

function observeDue(metrics: Metrics): (counts: DueCounts) => void {
  const due = metrics.gauge(BILLINGS_DUE);
  const oldest = metrics.gauge(BILLINGS_DUE_OLDEST_AGE);
  return (counts) => {
    due.set({ state: 'due' }, counts.due);
    due.set({ state: 'held' }, counts.held);
    oldest.set(counts.oldestAge);
  };
}

function observeAbsentKeys(log: Log, metrics: Metrics): ChargeDueTools['observeKeyAbsent'] {
  const waiting = metrics.counter(BILLINGS_WAITING_FOR_KEY);
  return (dataKeyId, isToBeLogged) => {
    waiting.inc();
    if (isToBeLogged) log.error({ dataKeyId }, 'billings wait for a data key that is not there');
  };
}

function observeBrandsNotTaken(log: Log, metrics: Metrics): ChargeDueTools['observeBrandNotTaken'] {
  const waiting = metrics.counter(BILLINGS_WAITING_FOR_BRAND);
  const reminder = openReminder((reason, times) => log.error({ reason, times }, 'billings wait'));
  return () => {
    waiting.inc();
    reminder.report('the acquirer does not take the brand of their cards');
  };
}

function warnOfSentAgain(log: Log, metrics: Metrics): ChargeDueTools['warnOfSentAgain'] {
  const sentAgain = metrics.counter(BILLINGS_SENT_AGAIN_OFTEN);
  return (merchantId, billingId, times) => {
    sentAgain.inc();
    log.warn({ merchantId, billingId, times }, 'a billing is sent again and again, and never answered');
  };
}
