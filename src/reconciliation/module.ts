import type { Module, Published } from '../platform/module.ts';
import type { Webhooks } from '../webhooks/module.ts';
import {
  type BelowExceptions,
  EXCEPTIONS,
  type ExceptionsContext,
  openExceptions,
} from './exceptions/module.ts';
import { type BelowMatching, type MatchingContext, openMatching } from './matching/module.ts';
import { openReceivables, RECEIVABLES, type Receivables } from './receivables/module.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { openTruth, type TruthContext } from './truth/module.ts';

export const RECONCILIATION: Published = {
  ...EXCEPTIONS,
  texts: TEXTS,
  endpoints: [...RECEIVABLES.endpoints, ...EXCEPTIONS.endpoints],
  refusals: [...RECEIVABLES.refusals, ...EXCEPTIONS.refusals],
};

export type Reconciliation = Module & Pick<Receivables, 'stopExports'>;

export type BelowReconciliation = Pick<BelowMatching, 'service'> & {
  readonly webhooks: BelowExceptions['webhooks'] & Pick<Webhooks, 'deliverer'>;
  readonly findWatermark: () => Promise<number>;
};

/** What the acquirer owes, its files, and where they and our books differ. */
export function openReconciliation(
  context: ExceptionsContext & MatchingContext & TruthContext,
  below: BelowReconciliation,
): Reconciliation {
  const receivables = openReceivables(context, below);
  const exceptions = openExceptions(context, below);
  const notifyDeliverer = () => below.webhooks.deliverer.notify();
  const matching = openMatching(context, { notifyDeliverer, service: below.service });
  const truth = openTruth(context, { isUpToDate: receivables.isUpToDate, notifyDeliverer });
  return {
    stopExports: receivables.stopExports,
    endpoints: [...receivables.endpoints, ...exceptions.endpoints],
    works: [...receivables.works, ...exceptions.works, ...matching, ...truth],
    clockedWork: [],
  };
}
