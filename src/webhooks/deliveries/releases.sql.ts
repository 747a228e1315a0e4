import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { IS_STILL_WAITING } from './claims.sql.ts';
import type { DeliveryToSend } from './delivery.ts';

const TO_RELEASE = inputRows<Pick<DeliveryToSend, 'merchantId' | 'deliveryNumber' | 'fence'>>({
  merchant_id: ['text', (delivery) => delivery.merchantId],
  delivery_number: ['bigint', (delivery) => delivery.deliveryNumber],
  fence: ['integer', (delivery) => delivery.fence],
});

const RELEASE = statement(
  'deliveries.release_leases',
  `with held as materialized (
     select d.merchant_id, d.delivery_number
     from ${TO_RELEASE.sql}
     join deliveries d on d.merchant_id = i.merchant_id and d.delivery_number = i.delivery_number
     where ${IS_STILL_WAITING} and d.fence = i.fence
     order by d.merchant_id, d.delivery_number
     for no key update of d skip locked
   )
   update deliveries d set lease_expires_at = null from held h
   where d.merchant_id = h.merchant_id and d.delivery_number = h.delivery_number`,
);

/**
 * Ends the leases of deliveries that this process does not send. What another one has claimed since
 * is left alone.
 */
export async function releaseDeliveries(
  database: Database,
  deliveries: readonly Pick<DeliveryToSend, 'merchantId' | 'deliveryNumber' | 'fence'>[],
): Promise<void> {
  await database.query(RELEASE, TO_RELEASE.values(deliveries));
}
