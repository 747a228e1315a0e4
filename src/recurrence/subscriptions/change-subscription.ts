import type { MerchantActor } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { idOrUnissued } from '../../values/ids.ts';
import type { CardOfSubscriber, ChangeResult, StatusChange, SubscriptionChange } from './changes.sql.ts';
import { type Customer, customerOf } from './customer.ts';

export type ChangeSubscriptionTools = {
  readonly clock: BusinessClock;
  readonly writeChange: BatchedWrite<SubscriptionChange, ChangeResult>;
};

/** A customer without fields removes the customer. */
export type WantedChange =
  | StatusChange
  | CardOfSubscriber
  | { readonly kind: 'card'; readonly vaultId: string }
  | { readonly kind: 'customer'; readonly customer: Customer };

/** Repetitions change nothing. A malformed id is refused like an unknown one. */
export function changeSubscription(
  { clock, writeChange }: ChangeSubscriptionTools,
  actor: MerchantActor,
  subscriptionId: string,
  wanted: WantedChange,
  deadlineAt: number,
): Promise<ChangeResult> {
  const { merchantId } = actor;
  const change = {
    merchantId,
    subscriptionId: idOrUnissued(subscriptionId),
    actor,
    at: clock.now(merchantId),
    wanted: readWanted(wanted),
  };
  return writeChange(change, deadlineAt);
}

function readWanted(wanted: WantedChange): SubscriptionChange['wanted'] {
  switch (wanted.kind) {
    case 'status':
    case 'cardOfSubscriber':
      return wanted;
    case 'card':
      return { ...wanted, vaultId: idOrUnissued(wanted.vaultId) };
    case 'customer':
      return { ...wanted, customer: customerOf(wanted.customer) };
  }
}
