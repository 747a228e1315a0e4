import type { Idempotency } from '../idempotency/module.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { serve } from '../platform/http/endpoint.ts';
import { errorFields } from '../platform/log.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import { velocityAntiFraud } from './adapters/velocity/velocity-anti-fraud.ts';
import type { Verdict } from './anti-fraud.ts';
import { codesRead, codesWrite } from './codes.sql.ts';
import type { DecideTools } from './decide-sale.ts';
import { ANTI_FRAUD_ENDPOINTS } from './endpoints.ts';
import type { FindCodeTools } from './find-anti-fraud-code.ts';
import { ANTI_FRAUD_REFUSALS } from './refusals.ts';
import { countsMerchantsCards, type VelocityRule } from './velocity.ts';
import { countsRead } from './velocity-events.sql.ts';
import { forgetAntiFraud } from './work.ts';

export const ANTI_FRAUD: Published = {
  endpoints: ANTI_FRAUD_ENDPOINTS,
  refusals: [
    {
      title: 'Anti-fraud',
      text: 'Why a payment goes no further than anti-fraud: the acquirer was not asked.',
      refusals: ANTI_FRAUD_REFUSALS,
    },
  ],
};

type AntiFraudContext = ModuleContext & {
  readonly configuration: {
    readonly antiFraud: {
      readonly rules: readonly VelocityRule[];
      readonly timeoutMilliseconds: number;
      readonly verdictWhenSilent: Verdict;
    };
  };
  readonly keyring: Keyring;
};

export type AntiFraudModule = Module & FindCodeTools & DecideTools;

/** Codes, and the decision of a sale by the rules of velocity. */
export function openAntiFraud(context: AntiFraudContext, { findRequest }: Idempotency): AntiFraudModule {
  const { configuration, database, batched, keyring, log, metrics } = context;
  const isProduction = configuration.environment === 'production';
  const { rules, timeoutMilliseconds, verdictWhenSilent } = configuration.antiFraud;
  const findCounts = batchReads(countsRead(database, countsMerchantsCards(rules)));
  const velocity = velocityAntiFraud({ keyring, findCounts }, rules);
  const decisions = metrics.counter(
    'parcela_anti_fraud_decisions_total',
    'Sales by what anti-fraud said of them.',
    ['verdict'],
  );
  return {
    findCode: batchReads(codesRead(database)),
    mustCodesBeIssued: isProduction,
    antiFraud: velocity,
    velocityEventOf: velocity.velocityEventOf,
    takesTriggers: !isProduction,
    decisionTimeoutMilliseconds: timeoutMilliseconds,
    verdictWhenSilent,
    observeDecision: (merchantId, { verdict, reasons }) => {
      decisions.inc({ verdict });
      if (verdict === 'reject') log.info({ merchantId, reasons }, 'anti-fraud rejected a sale');
    },
    warnOfSilence: (merchantId, error) =>
      log.warn({ merchantId, ...errorFields(error) }, 'anti-fraud gave no decision'),
    endpoints: serve(ANTI_FRAUD_ENDPOINTS, {
      keyring,
      findRequest,
      writeCode: batched(codesWrite(database)),
    }),
    works: [forgetAntiFraud(database)],
    clockedWork: [],
  };
}
