import { openApplying } from '../../../../platform/feeds/apply-changes.ts';
import { type Feed, openFeed } from '../../../../platform/feeds/open-feed.ts';
import { counter, gauge } from '../../../../platform/metrics.ts';
import type { ModuleContext } from '../../../../platform/module.ts';
import { declarePeer } from '../../../../platform/process-reports/peer-metrics.ts';
import type { PixBanks } from '../../../../providers/open-pix-banks.ts';
import { MOST_RECEIPTS } from '../../../../providers/pix/pix-bank.ts';
import type { PixSettings } from '../../../../providers/pix/pix-settings.ts';
import type { Deliverer } from '../../../../webhooks/deliveries/delivery.ts';
import type { ReceiptResult, WaitingReceipt } from './receipt.ts';
import {
  PIX_CURSORS,
  PIX_CURSORS_OF_CELL,
  PIX_RETURN_CURSORS,
  recordReceipt,
  WAITING_RECEIPTS,
} from './receipts.sql.ts';

const RECEIPTS = counter(
  'parcela_pix_receipts_total',
  'Tries to apply what arrived by Pix, by what came of them; paidAgain and paidAfter…: payments that nobody expected.',
  ['outcome'],
);
const RECEIPT_PAGES = counter(
  'parcela_pix_receipt_pages_total',
  'Questions for what arrived by Pix, by how they were answered.',
  ['outcome'],
);
const RECEIPTS_AGE_SECONDS = gauge(
  'parcela_pix_receipts_age_seconds',
  'How long ago this process was told by a bank what arrived by Pix, or that nothing did.',
  ['provider'],
);
declarePeer('pix', { feedAge: RECEIPTS_AGE_SECONDS });
const RETURN_PAGES = counter(
  'parcela_pix_return_pages_total',
  'Questions for what banks of Pix gave back by themselves, by how they were answered.',
  ['outcome'],
);
const RETURNS_AGE_SECONDS = gauge(
  'parcela_pix_returns_age_seconds',
  'How long ago this process was told what a bank of Pix gave back.',
  ['provider'],
);

/** Limits requests at the same time: charging needs the other connections to the bank. */
const PULLS_AT_ONCE = 4;
const WARNINGS: readonly ReceiptResult[] = [
  'paidAgain',
  'paidAfterCancel',
  'paidAfterExpiry',
  'paidAfterRefusal',
  'takenBack',
  'beyondRest',
];

type ReceiptsContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: {
    readonly cell: string | null;
    readonly pix: Pick<PixSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
  };
};

/**
 * How many questions for what arrived there are between two rounds over all days of which something may leave
 * again.
 */
const QUESTIONS_A_ROUND = 120;

export function openReceipts(
  context: ReceiptsContext,
  { pixBanks, deliverer }: { readonly pixBanks: PixBanks; readonly deliverer: Deliverer },
): Feed {
  const { configuration, database, clock, log } = context;
  const { timeoutMilliseconds, changesSeconds } = configuration.pix;
  const ofBanks = {
    providers: pixBanks.all,
    timeoutMilliseconds,
    mostChanges: MOST_RECEIPTS,
    // A bank reports to its account holder, by its own clock, for all merchants together.
    isForAllMerchants: true,
    unreadable: 'what the bank of Pix reported cannot be read: see parcela resolve changes',
    applying: openApplying<WaitingReceipt>(context, {
      name: 'applyPixReceipts',
      waiting: WAITING_RECEIPTS,
      subjectOf: ({ pixId }) => pixId,
      record: (receipt) => recordReceipt(database, deliverer, clock, receipt),
      warnings: WARNINGS,
      outcomes: RECEIPTS,
      warnOfChange: ({ merchantId, pixId: paymentId, changeId: endToEndId }, reason) =>
        log.warn({ merchantId, paymentId, endToEndId, reason }, 'what arrived by Pix is not as expected'),
    }),
  };
  const feed = openFeed(context, {
    ...ofBanks,
    name: 'pullPixReceipts',
    cursors: configuration.cell === null ? PIX_CURSORS : PIX_CURSORS_OF_CELL,
    ask: (provider, request, timeout) => pixBanks.of(provider).receivedSince(request, timeout),
    pullsAtOnce: PULLS_AT_ONCE,
    pauseSeconds: changesSeconds,
    pages: RECEIPT_PAGES,
    age: RECEIPTS_AGE_SECONDS,
  });
  // What banks gave back by themselves, days after the payment: no question for what arrived tells it.
  const returns = openFeed(context, {
    ...ofBanks,
    name: 'pullPixReturns',
    cursors: PIX_RETURN_CURSORS,
    ask: (provider, request, timeout) => pixBanks.of(provider).returnedSince(request, timeout),
    pullsAtOnce: 1,
    pauseSeconds: changesSeconds * QUESTIONS_A_ROUND,
    pages: RETURN_PAGES,
    age: RETURNS_AGE_SECONDS,
  });
  // What returns report is applied by the work of `feed`, which must not be started twice.
  const { name: applied } = ofBanks.applying;
  return { ...feed, works: [...feed.works, ...returns.works.filter(({ name }) => name !== applied)] };
}
