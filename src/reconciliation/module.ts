import { serve } from '../platform/http/endpoint.ts';
import type { Module, Published } from '../platform/module.ts';
import type { Webhooks } from '../webhooks/module.ts';
import { urlRefusals } from '../webhooks/posting/url-rules.ts';
import { DAY_ENDPOINTS, DAY_REFUSALS } from './days/endpoints.ts';
import { EXCEPTIONS, openExceptions } from './exceptions/module.ts';
import { EXPORT_ENDPOINTS, EXPORT_REFUSALS } from './exports/endpoints.ts';

import { type BelowMatching, type MatchingContext, openMatching } from './matching/module.ts';
import { EXCEPTION_MESSAGES, EXCEPTION_NOTIFIER_ENDPOINTS } from './notifier/endpoints.ts';
import { PERIOD_FAULTS, RECEIVABLE_REFUSALS } from './period-contract.ts';
import { RECEIVABLE_ENDPOINTS } from './receivables/endpoints.ts';
import { openReceivables } from './receivables/module.ts';
import { openRestored } from './restored/module.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { openTruth, type TruthContext } from './truth/module.ts';

export const RECONCILIATION: Published = {
  texts: TEXTS,
  messages: EXCEPTION_MESSAGES,
  endpoints: [
    ...RECEIVABLE_ENDPOINTS,
    ...EXPORT_ENDPOINTS,
    ...DAY_ENDPOINTS,
    ...EXCEPTIONS.endpoints,
    ...EXCEPTION_NOTIFIER_ENDPOINTS,
  ],
  refusals: [
    {
      title: 'Periods of reconciliation',
      text: 'What the days of a period must be to each other. The tag is the name of its last day.',
      refusals: PERIOD_FAULTS,
    },
    {
      title: 'Reconciliation',
      text: 'Why what the acquirer owes is not shown.',
      refusals: { ...RECEIVABLE_REFUSALS, ...EXPORT_REFUSALS, ...DAY_REFUSALS },
    },
    ...EXCEPTIONS.refusals,
    {
      title: 'Notifiers of exceptions',
      text: 'Why an address is not notified of exceptions.',
      refusals: urlRefusals('callbackUrl'),
    },
  ],
};

export type BelowReconciliation = Pick<BelowMatching, 'service'> & {
  readonly webhooks: Pick<Webhooks, 'registry' | 'deliverer'>;
  readonly findWatermark: () => Promise<number>;
};

export function openReconciliation(
  context: MatchingContext & TruthContext,
  below: BelowReconciliation,
): Module {
  const { lookUp, search, openExport } = context;
  const receivables = openReceivables(context, below);
  const { isUpToDate } = receivables;
  const exceptions = openExceptions(context);
  const notifyDeliverer = () => below.webhooks.deliverer.notify();
  const { service } = below;
  const matching = openMatching(context, { notifyDeliverer, service });
  const truth = openTruth(context, { isUpToDate, notifyDeliverer, service });
  return {
    endpoints: [
      ...receivables.endpoints,
      ...serve(EXPORT_ENDPOINTS, { lookUp, isUpToDate, openExport }),
      ...serve(DAY_ENDPOINTS, { lookUp, search, isUpToDate }),
      ...exceptions.endpoints,
      ...serve(EXCEPTION_NOTIFIER_ENDPOINTS, below.webhooks.registry),
    ],
    works: [...receivables.works, ...exceptions.works, ...matching, ...truth, ...openRestored(context)],
    clockedWork: [],
  };
}
