import { CARD_REFUSALS, type CardRefusal } from '../cards/refusals.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';

/** Why a payment is refused before the acquirer is asked. */
export type PaymentRefusal = CardRefusal;

/** A card's refusals name the field where a payment carries it. */
export const PAYMENT_REFUSALS = Object.fromEntries(
  Object.entries(CARD_REFUSALS).map(([refusal, shape]) => [
    refusal,
    { ...shape, tag: `cardInfo.${shape.tag}` },
  ]),
) as Record<PaymentRefusal, RefusalShape>;
