import { serve } from '../../platform/http/endpoint.ts';
import { rateLimit } from '../../platform/http/rate-limit.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInSteps } from '../../platform/work/every-so-often.ts';
import { fairLine } from '../../platform/work/fair-line.ts';
import { type SendTools, sendDelivery } from '../deliveries/send-delivery.ts';
import { DELIVERY_HISTORY_ENDPOINTS } from './endpoints.ts';
import type { DeliverOnce } from './resend-deliveries.ts';
import { type EndpointPlace, forgetStep, giveUpStep, nextMerchant } from './retention.sql.ts';

const ENDPOINTS_AT_ONCE = 500;
/** Between two rounds over all deliveries or endpoints. */
const PAUSE_MILLISECONDS = 600_000;
/** After so many days at an endpoint that accepts nothing a delivery is given up. */
const DAYS_OF_WAITING = 30;

const START: EndpointPlace = { merchantId: '', endpoint: '' };

function forgetOldDeliveries(database: Database, retentionDays: number): Work {
  let merchantId = '';
  let behind: number | null = null;
  const step = async (limit: number) => {
    if (behind === null) {
      const found = await nextMerchant(database, merchantId);
      merchantId = found ?? '';
      if (found === null) return null;
    }
    const { forgotten, next } = await forgetStep(database, merchantId, behind ?? 0, limit, retentionDays);
    behind = next;
    return forgotten;
  };
  return forgetInSteps('forgetOldDeliveries', step, PAUSE_MILLISECONDS);
}

function giveUpStaleDeliveries(database: Database): Work {
  let behind: EndpointPlace = START;
  const limits = { endpoints: ENDPOINTS_AT_ONCE, days: DAYS_OF_WAITING };
  const step = async (limit: number) => {
    const { givenUp, next } = await giveUpStep(database, behind, { ...limits, limit });
    behind = next ?? START;
    if (next === null && givenUp === 0) return null;
    return givenUp;
  };
  return forgetInSteps('giveUpStaleDeliveries', step, PAUSE_MILLISECONDS);
}

/** Resends have few slots: they may write many rows, and payments need the other connections. */
const RESENDS_LINE = { name: 'resends', slots: 3, ofEach: 1, waiting: 100, longestWaitMilliseconds: 5_000 };
/** A merchant may use all tests of a minute at once. */
const TEST_BURST_SECONDS = 60;

type HistoryContext = Pick<ModuleContext, 'database' | 'search' | 'lookUp' | 'clock'> & {
  readonly configuration: {
    readonly webhooks: { readonly retentionDays: number; readonly testsPerMinute: number };
  };
};

/** `notify` wakes the sending of deliveries. */
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
