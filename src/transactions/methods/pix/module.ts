import type { Idempotency } from '../../../idempotency/module.ts';
import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Feed } from '../../../platform/feeds/open-feed.ts';
import { serve } from '../../../platform/http/endpoint.ts';
import { counter, databaseGauge, gauge, type Metrics } from '../../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../../platform/module.ts';
import { declarePeer } from '../../../platform/process-reports/peer-metrics.ts';
import type { ClockedWork, Work } from '../../../platform/work/due-work.ts';
import { countingWhenRead, everySoOften, forgetPersonalData } from '../../../platform/work/every-so-often.ts';
import { type OutageWatch, openOutageWatch } from '../../../platform/work/outage-watch.ts';
import { createWakeSignal } from '../../../platform/work/wake-signal.ts';
import type { PixBanks } from '../../../providers/open-pix-banks.ts';
import type { PixSettings } from '../../../providers/pix/pix-settings.ts';
import type { Webhooks } from '../../../webhooks/module.ts';
import { TERMS_REFUSALS } from '../../bill-contract.ts';
import type { FeeVersions } from '../../fees/fee-table.ts';
import { openPayersLine } from '../../payers/open-payers-line.ts';
import { agesByProvider, type Counted } from '../../unresolved/counted.sql.ts';
import { type AdvanceDuePixTools, advanceDuePix } from './advance-due-pix.ts';
import type { CancelPixTools } from './cancel-pix.ts';
import { PIX_FAULTS } from './contract.ts';
import { ACTING_DUE, earliestActing, findMerchantsActing } from './due-times.sql.ts';
import { PIX_BANK_REFUSALS, PIX_ENDPOINTS, PIX_REFUSALS } from './endpoints.ts';
import type { IssuePixTools } from './issue-pix.ts';
import { PIX_PAGE_ENDPOINTS } from './page/endpoints.ts';
import { PIX_PAYERS } from './payers/pix-payers.sql.ts';
import { pixMovesWrite, pixWishesWrite } from './pix-charges.sql.ts';
import { PIX_MESSAGES } from './pix-contract.ts';
import { pixIntentsWrite } from './pix-intents.sql.ts';
import { openReceipts } from './receipts/module.ts';
import { countLostReceipts } from './receipts/odd-receipts.sql.ts';
import { refundIntentsWrite, refundOutcomesWrite } from './refunds/refunds.sql.ts';
import TEXTS from './texts.json' with { type: 'json' };
import {
  type ResolvePixTools,
  resolveUnresolvedPix,
  resolveUnresolvedPixRefunds,
} from './unresolved/resolve-unresolved-pix.ts';
import { countUnresolvedPix } from './unresolved/unresolved-pix.sql.ts';

const COUNT_MILLISECONDS = 5_000;
const DUE_MILLISECONDS = 5_000;
/** The most merchants with a clock ahead in one run. */
const MOST_AHEAD = 100;

/** Ends what nobody paid, by each merchant's business time. */
function advanceDueWork(tools: AdvanceDuePixTools): Work {
  const advance = async (signal: AbortSignal) => {
    await advanceDuePix(tools, null, signal);
    for (const merchantId of await findMerchantsActing(tools.database, MOST_AHEAD)) {
      if (signal.aborted) return;
      await advanceDuePix(tools, merchantId, signal);
    }
  };
  return everySoOften('advanceDuePix', DUE_MILLISECONDS, advance, { piece: ACTING_DUE });
}

function advanceDueByClock(tools: AdvanceDuePixTools): ClockedWork {
  return {
    name: 'pix',
    earliestDue: (merchantId, until) => earliestActing(tools.database, merchantId, until),
    runDue: (merchantId, signal) => advanceDuePix(tools, merchantId, signal),
  };
}

const RESOLUTIONS = counter(
  'parcela_pix_resolutions_total',
  'Tries to have the bank answer about a Pix or a devolution that nobody waits for, by what became of them.',
  ['outcome'],
);
const PIX_BANK_AWAY = gauge('parcela_pix_bank_away', '1 while the bank of Pix answers none of the tries.', [
  'provider',
]);
declarePeer('pix', { away: PIX_BANK_AWAY, awayFor: 'pix' });
const PAYERS_ERASED = counter(
  'parcela_pix_payers_erased_total',
  "Pix whose payer's data was removed because its time was over.",
);
const UNRESOLVED = databaseGauge(
  'parcela_pix_unresolved',
  'Pix and devolutions about which the bank has given no clear answer.',
);
const LOST_RECEIPTS = databaseGauge(
  'parcela_pix_lost_receipts',
  'What arrived by Pix in the last 90 days for charges that this database has lost.',
);
const LOST_RECEIPTS_UNKEPT = databaseGauge(
  'parcela_pix_lost_receipts_unkept',
  'Times that such a Pix arrived and there was no room to keep it, one read again too: only the statement of the bank has it.',
);
const UNRESOLVED_OLDEST_AGE_SECONDS = databaseGauge(
  'parcela_pix_unresolved_oldest_age_seconds',
  'Age of the oldest of them; 0: none.',
  ['provider'],
);
const UNRESOLVED_MOST_TRIES = databaseGauge(
  'parcela_pix_unresolved_most_tries',
  'Most tries that one of them has had.',
);

export const PIX: Published = {
  texts: TEXTS,
  endpoints: [...PIX_ENDPOINTS, ...PIX_PAGE_ENDPOINTS],
  messages: PIX_MESSAGES,
  refusals: [
    {
      title: 'Fields of a Pix',
      text: 'What the fields of a Pix must be to each other.',
      refusals: PIX_FAULTS,
    },
    {
      title: 'Terms of a Pix',
      text: 'Why a Pix with a due day is not made, before the bank is asked.',
      refusals: TERMS_REFUSALS,
    },
    {
      title: 'Charges of Pix at the bank',
      text: 'Why the bank makes no charge. The entry carries its `paymentId`.',
      refusals: PIX_BANK_REFUSALS,
    },
    { title: 'Pix', text: 'Why no Pix is made.', refusals: PIX_REFUSALS },
  ],
};

/** After so many tries without any answer, one try a second detects the bank's return. */
const OUTAGE_LIMITS = {
  unresolvedInRow: 5,
  probePauseMilliseconds: 1_000,
  returnPauseMilliseconds: 15_000,
} as const;

type PixContext = ModuleContext & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly pix: Pick<PixSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
    readonly customerRetentionDays: number;
  };
  readonly keyring: Keyring;
  readonly pixBanks: PixBanks;
};

export type PixModule = Module & {
  /** For pages that make a Pix. */
  readonly issuing: IssuePixTools;
  /** For cancels of payments, whatever their method. */
  readonly canceling: CancelPixTools;
  /** For jumps of the test clock, and for hints that something arrived. */
  readonly pixFeed: Feed;
  /** Whether each bank answers anything. */
  readonly outage: OutageWatch;
};

export function openPix(
  context: PixContext,
  {
    idempotency,
    webhooks,
    fees,
  }: { readonly idempotency: Idempotency; readonly webhooks: Webhooks; readonly fees: FeeVersions },
): PixModule {
  const { configuration, database, lookUp, batched, keyring, clock, pixBanks, metrics } = context;
  const { deliverer, urlRules } = webhooks;
  const wakeSignal = createWakeSignal();
  const refundSignal = createWakeSignal();
  const observeLost = openLostWatch(context);
  const writeMove = batched(pixMovesWrite(database, deliverer));
  const writeRefundOutcome = batched(refundOutcomesWrite(database, deliverer));
  const pixTimeoutMilliseconds = configuration.pix.timeoutMilliseconds;
  const asking = { database, clock, pixBanks, pixTimeoutMilliseconds, writeMove, wakeSignal };
  const advance: AdvanceDuePixTools = { database, clock, writeMove, wakeSignal };
  const issuing: IssuePixTools = {
    ...asking,
    fees,
    keyring,
    findRequest: idempotency.findRequest,
    writePixIntent: batched(pixIntentsWrite(database)),
  };
  const receipts = openReceipts(context, { pixBanks, deliverer });
  const resolving = resolvingTools(context, { ...asking, writeRefundOutcome });
  const observeCounted = observeUnresolved(metrics, pixBanks);
  return {
    pixFeed: receipts,
    outage: resolving.outage,
    issuing,
    canceling: {
      ...asking,
      refundSignal,
      writeWish: batched(pixWishesWrite(database, deliverer)),
      writeRefundIntent: batched(refundIntentsWrite(database)),
      writeRefundOutcome,
    },
    endpoints: [
      ...serve(PIX_PAGE_ENDPOINTS, { askForPayer: openPayersLine(lookUp), clock }),
      ...serve(PIX_ENDPOINTS, {
        ...issuing,
        cell: configuration.cell,
        callRules: urlRules,
      }),
    ],
    works: [
      advanceDueWork(advance),
      countingWhenRead('countUnresolvedPix', COUNT_MILLISECONDS, metrics, async () => {
        observeCounted(await countUnresolvedPix(database));
        observeLost(await countLostReceipts(database));
      }),
      ...forgetPersonalData('forgetOldPixPayers', PIX_PAYERS, context, PAYERS_ERASED),
      resolveUnresolvedPix(resolving, wakeSignal),
      resolveUnresolvedPixRefunds(resolving, refundSignal),
      ...receipts.works,
    ],
    clockedWork: [advanceDueByClock(advance)],
  };
}

/** Logs an error whenever more receipts than before could not be kept. */
function openLostWatch({ metrics, log }: Pick<PixContext, 'metrics' | 'log'>) {
  let said = 0;
  return ({ count, unkept }: Awaited<ReturnType<typeof countLostReceipts>>) => {
    metrics.gauge(LOST_RECEIPTS).set(count);
    metrics.gauge(LOST_RECEIPTS_UNKEPT).set(unkept);
    if (unkept > said) log.error({ count, unkept }, 'Pix for lost charges are not kept: see parcela doctor');
    said = unkept;
  };
}

function resolvingTools(
  { log, metrics }: PixContext,
  asking: Omit<ResolvePixTools, 'outage' | 'observe' | 'warn'>,
): ResolvePixTools {
  const resolutions = metrics.counter(RESOLUTIONS);
  return {
    ...asking,
    outage: watchBanks(asking.pixBanks, metrics),
    observe: (outcome) => resolutions.inc({ outcome }),
    warn: ({ merchantId, pixId: paymentId, state, tries }, reason) =>
      log.warn({ merchantId, paymentId, state, tries, reason }, 'a Pix is not as it should be'),
  };
}

function watchBanks(pixBanks: Pick<PixBanks, 'all'>, metrics: Metrics) {
  const away = metrics.gauge(PIX_BANK_AWAY);
  for (const provider of pixBanks.all()) away.set({ provider }, 0);
  return openOutageWatch(OUTAGE_LIMITS, pixBanks.all, ({ provider, isAway }) =>
    away.set({ provider }, isAway ? 1 : 0),
  );
}

function observeUnresolved(metrics: Metrics, pixBanks: Pick<PixBanks, 'all'>): (counted: Counted) => void {
  const oldest = metrics.gauge(UNRESOLVED_OLDEST_AGE_SECONDS);
  const setAges = agesByProvider(pixBanks.all, (provider, seconds) => oldest.set({ provider }, seconds));
  return (counted) => {
    metrics.gauge(UNRESOLVED).set(counted.count);
    setAges(counted);
    metrics.gauge(UNRESOLVED_MOST_TRIES).set(counted.mostTries);
  };
}
