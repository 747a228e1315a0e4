import { ANTI_FRAUD_REFUSALS, type AntiFraudRefusal } from '../antifraud/refusals.ts';
import { CARD_REFUSALS, type CardRefusal } from '../cards/refusals.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import { KEPT_TEXTS, type KeptText } from './payment.ts';

/** Why a payment is refused before the acquirer is asked. */
export type PaymentRefusal = CardRefusal | AntiFraudRefusal | `cardNumberIn:${KeptText}`;

const NUMBER_OF_THE_CARD = {
  pt: 'Este campo contém o número do cartão usado no pagamento.',
  en: 'This field holds the number of the card that pays.',
};

/** A card's refusals name the field where a payment carries it. */
export const PAYMENT_REFUSALS = Object.fromEntries([
  ...Object.entries(CARD_REFUSALS).map(([refusal, shape]) => [
    refusal,
    { ...shape, tag: `cardInfo.${shape.tag}` },
  ]),
  ...Object.entries(ANTI_FRAUD_REFUSALS),
  ...KEPT_TEXTS.map((text) => [
    `cardNumberIn:${text}`,
    { status: 400, tag: text, sentence: NUMBER_OF_THE_CARD },
  ]),
]) as Record<PaymentRefusal, RefusalShape>;
