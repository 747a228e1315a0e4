import { serve } from '../../platform/http/endpoint.ts';
import { rateLimit } from '../../platform/http/rate-limit.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { fairLine } from '../../platform/work/fair-line.ts';
import { type SendTools, sendDelivery } from '../deliveries/send-delivery.ts';
import { DELIVERY_HISTORY_ENDPOINTS } from './endpoints.ts';
import type { DeliverOnce } from './send-test-notification.ts';
import { forgetOldDeliveries, giveUpStaleDeliveries } from './work.ts';

/**
 * Repetitions of deliveries may write very many rows: payments need the other connections to the
 * database.
 */
const RESENDS_LINE = { name: 'resends', slots: 3, ofEach: 1, waiting: 100, longestWaitMilliseconds: 5_000 };
/** A merchant may ask for all tests of a minute at once. */
const TEST_BURST_SECONDS = 60;

type HistoryContext = Pick<ModuleContext, 'database' | 'search' | 'lookUp' | 'clock'> & {
  readonly configuration: {
    readonly webhooks: { readonly retentionDays: number; readonly testsPerMinute: number };
  };
};

/** `notify`: wakes the sending. */
export function openHistory(
  { configuration, database, search, lookUp, clock }: HistoryContext,
  send: SendTools,
  notify: () => void,
): Module {
  const { retentionDays, testsPerMinute } = configuration.webhooks;
  return {
    endpoints: serve(DELIVERY_HISTORY_ENDPOINTS, {
      database,
      search,
      lookUp,
      clock,
      inLine: fairLine(RESENDS_LINE),
      testLimit: rateLimit(testsPerMinute / 60, TEST_BURST_SECONDS),
      notify,
      deliverOnce: deliverOnceWith(send),
    }),
    works: [forgetOldDeliveries(database, retentionDays), giveUpStaleDeliveries(database)],
    clockedWork: [],
  };
}

function deliverOnceWith(send: SendTools): DeliverOnce {
  return async (delivery, totalMilliseconds) => {
    const made = await sendDelivery(send, delivery, totalMilliseconds);
    const { status, failure, answer, milliseconds } = made;
    return { delivered: made.response === 'taken', status, failure, answer, milliseconds };
  };
}
