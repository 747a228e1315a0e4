import { deliveryId } from '../../src/webhooks/deliveries/delivery.ts';
import type { Auditor } from '../../test/kit/service.ts';
import type { Things } from './screen-cases.ts';

/** A sale among the newest, and not the last. Each is found along a key, however much there is. */
const NEWEST = 100;

const OF_MERCHANT: readonly string[] = [
  `select transaction_id::text as "paymentId", reference_transaction as "referenceTransaction", nsu,
     authorization_code as "authorizationCode", card_last_four as "lastFour"
   from (
     select * from transactions where merchant_id = $1 and state = 'approved' and installment_count > 1
       and sold_at < now() order by transaction_id desc limit $2
   ) newest order by transaction_id limit 1`,
  `select subscription_id::text as "subscriptionId", order_number as "orderNumber", plan_id::text as "planId",
     (select billing_id::text from billings b where b.merchant_id = s.merchant_id
       and b.subscription_id = s.subscription_id and not is_skipped order by installment limit 1) as "billingId"
   from subscriptions s where merchant_id = $1 and state = 'active' order by subscription_id desc
   offset least($2, 20) limit 1`,
  `select boleto_id::text as "boletoId", boleto_id::text as "boughtId" from boletos where merchant_id = $1 order by boleto_id desc
   offset least($2, 20) limit 1`,
  `select link_id::text as "linkId" from payment_links where merchant_id = $1 order by created_at desc, link_id desc
   offset least($2, 20) limit 1`,
  `select delivery_number as "deliveryNumber", created_at as "createdAt" from deliveries where merchant_id = $1
   order by delivery_number desc offset least($2, 20) limit 1`,
];

const OF_ALL: readonly string[] = [
  `select transaction_id::text as "/unresolved/{id}" from transactions where due_at is not null
   order by due_at desc limit 1`,
  `select exception_id::text as "/exceptions/{id}" from reconciliation_exceptions where state = 'open' limit 1`,
  `select max(file_number)::text as "fileNumber" from settlement_files`,
  'select current_date::text as day',
];

/** What stands in the paths of a merchant's pages and of those of the operator. */
export async function findThings(auditor: Auditor, merchantId: string, userName: string): Promise<Things> {
  const found: Record<string, unknown> = { merchantId, name: userName };
  for (const text of OF_MERCHANT) Object.assign(found, (await auditor.query(text, [merchantId, NEWEST]))[0]);
  for (const text of OF_ALL) Object.assign(found, (await auditor.query(text))[0]);
  if (found.createdAt instanceof Date) {
    const named = { createdAt: found.createdAt.getTime(), deliveryNumber: Number(found.deliveryNumber) };
    found.deliveryId = deliveryId(named);
  }
  const texts = Object.entries(found).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(texts);
}
