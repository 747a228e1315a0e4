import { type FindCodeTools, findAntiFraudCode } from '../antifraud/find-anti-fraud-code.ts';
import type { NamedCard } from '../cards/card.ts';
import { type CardTools, checkCardSource } from '../cards/open-card-source.ts';
import type { BusinessClock } from '../platform/business-clock.ts';
import type { PaymentRefusal } from './refusals.ts';

export type CheckSaleTools = CardTools & FindCodeTools & { readonly clock: BusinessClock };

/**
 * The faults of a sale of which only a part can be read: its card and its code are looked up, and
 * nothing is done.
 */
export async function checkSale(
  tools: CheckSaleTools,
  merchantId: string,
  card: NamedCard,
  antiFraudCode: string | null,
): Promise<readonly PaymentRefusal[]> {
  const [refusals, code] = await Promise.all([
    checkCardSource(tools, merchantId, card, tools.clock.now(merchantId)),
    antiFraudCode === null ? null : findAntiFraudCode(tools, merchantId, antiFraudCode),
  ]);
  return code === 'codeUnusable' ? [...refusals, code] : refusals;
}
