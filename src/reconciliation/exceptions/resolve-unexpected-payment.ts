import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import type { ReconciliationException } from './exception.ts';
import { findOwnException, type WantedResolution } from './exceptions.sql.ts';

export type ResolveTools = {
  readonly lookUp: LookUp;
  readonly writeResolution: BatchedWrite<WantedResolution, 'done'>;
};

/** `ofFile`: what a file of the acquirer says is for the operator to find out. */
export type ResolveRefusal = 'notFound' | 'ofFile';

/**
 * A merchant says what became of money that was not expected. One that has ended already stays as it is:
 * the first word counts.
 */
export async function resolveUnexpectedPayment(
  { lookUp, writeResolution }: ResolveTools,
  actor: MerchantActor,
  wanted: { readonly exceptionId: string; readonly reason: string },
  deadlineAt: number,
): Promise<ReconciliationException | ResolveRefusal> {
  const { merchantId } = actor;
  const exceptionId = wanted.exceptionId.toLowerCase();
  if (!isUuid(exceptionId)) return 'notFound';
  const find = () => lookUp(merchantId, (database) => findOwnException(database, merchantId, exceptionId));
  const found = await find();
  if (found === null) return 'notFound';
  if (found.class !== 'unexpectedPayment') return 'ofFile';
  if (found.state !== 'open') return found;
  await writeResolution({ actor, exception: found, reason: wanted.reason }, deadlineAt);
  return (await find()) ?? found;
}
