import type { Idempotency } from '../idempotency/module.ts';
import { serve } from '../platform/http/endpoint.ts';
import { counter } from '../platform/metrics.ts';
import type { Module, Published } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { Database } from '../platform/postgres/database.ts';
import { openReminder } from '../platform/reminder.ts';
import { inScope } from '../platform/tracing/scope.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/every-so-often.ts';
import { PROVIDER_DECIDER } from './adapters/provider/routed-decider.ts';
import type { Decision } from './anti-fraud.ts';
import { codesRead, codesWrite, deleteExpiredCodes } from './codes.sql.ts';
import { type DecideTools, type DecideVerification, decideVerification } from './decide-sale.ts';
import { ANTI_FRAUD_ENDPOINTS, issueCode } from './endpoints.ts';
import type { FindCodeTools } from './find-anti-fraud-code.ts';
import { type DecidersContext, openDeciders } from './open-deciders.ts';
import { ANTI_FRAUD_REFUSALS } from './refusals.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { deleteOldVelocityEvents } from './velocity-events.sql.ts';

/** Deletes expired codes, and velocity events that no window reaches any more. */
export function forgetAntiFraud(database: Database): Work {
  return forgetInBatches(
    'forgetAntiFraud',
    (limit) => deleteExpiredCodes(database, limit),
    (limit) => deleteOldVelocityEvents(database, limit),
  );
}

const ANTI_FRAUD_DECISIONS = counter(
  'parcela_anti_fraud_decisions_total',
  'Sales by what anti-fraud said of them.',
  ['verdict'],
);

export const ANTI_FRAUD: Published = {
  texts: TEXTS,
  endpoints: ANTI_FRAUD_ENDPOINTS,
  refusals: [
    {
      title: 'Anti-fraud',
      text: 'Why a payment goes no further than anti-fraud: the acquirer was not asked.',
      refusals: ANTI_FRAUD_REFUSALS,
    },
  ],
};

export type AntiFraudModule = Module &
  FindCodeTools &
  DecideTools & {
    readonly decideVerification: DecideVerification;
    /** For a buyer at a page of ours. */
    readonly createCode: (merchantId: string, ipAddress: string, deadlineAt: number) => Promise<string>;
  };

export async function openAntiFraud(
  context: DecidersContext,
  { findRequest }: Idempotency,
): Promise<AntiFraudModule> {
  const { configuration, database, batched, keyring, log, metrics, closings } = context;
  const isProduction = configuration.environment === 'production';
  const { velocity, deciders } = await openDeciders(context);
  const decisions = metrics.counter(ANTI_FRAUD_DECISIONS);
  const silences = openReminder((reason, times) =>
    log.warn({ reason, times }, 'anti-fraud gave no decision'),
  );
  // Of all sales, so without the scope of the request that happened to be the first.
  const rejections = openReminder(
    (reasons, times) => inScope(undefined, () => log.info({ reasons, times }, 'anti-fraud rejects sales')),
    { pauseMilliseconds: 60_000 },
  );
  closings.push({ name: 'counts of rejected sales', close: async () => rejections.close() });
  const shared = {
    verdictWhenSilent: configuration.antiFraud.verdictWhenSilent,
    observeDecision: (merchantId: string, { verdict, reasons }: Decision) => {
      decisions.inc({ verdict });
      if (verdict !== 'reject') return;
      log.debug({ merchantId, reasons }, 'anti-fraud rejected a sale');
      rejections.report(reasons.join(' '));
    },
    // The provider's silences are reported as its outage.
    warnOfSilence: (decider: string, error: unknown) =>
      decider !== PROVIDER_DECIDER &&
      silences.report(`${decider}: ${error instanceof Error ? error.message : error}`),
  };
  const codes = { keyring, findRequest, writeCode: batched(codesWrite(database)) };
  return {
    ...shared,
    createCode: (merchantId, ipAddress, deadlineAt) =>
      issueCode(codes, merchantId, { ipAddress, deviceId: null }, deadlineAt),
    decideVerification: (wanted) => decideVerification({ ...shared, database, keyring, velocity }, wanted),
    findCode: batchReads(codesRead(database)),
    mustCodesBeIssued: isProduction,
    deciders,
    velocityEventOf: velocity.velocityEventOf,
    takesTriggers: !isProduction,
    endpoints: serve(ANTI_FRAUD_ENDPOINTS, codes),
    works: [forgetAntiFraud(database)],
    clockedWork: [],
  };
}
