import type { Module, Published } from '../platform/module.ts';
import {
  type BelowExceptions,
  EXCEPTIONS,
  type ExceptionsContext,
  openExceptions,
} from './exceptions/module.ts';
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

/** What the acquirer owes, its files, and where they and our books differ. */
export function openReconciliation(
  context: ExceptionsContext & TruthContext,
  below: BelowExceptions & { readonly findWatermark: () => Promise<number> },
): Reconciliation {
  const receivables = openReceivables(context, below);
  const exceptions = openExceptions(context, below);
  const truth = openTruth(context, {
    isUpToDate: receivables.isUpToDate,
    notifyDeliverer: () => below.webhooks.deliverer.notify(),
  });
  return {
    stopExports: receivables.stopExports,
    endpoints: [...receivables.endpoints, ...exceptions.endpoints],
    works: [...receivables.works, ...exceptions.works, ...truth],
    clockedWork: [],
  };
}
