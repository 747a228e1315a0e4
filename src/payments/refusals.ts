import { ANTI_FRAUD_REFUSALS, type AntiFraudRefusal } from '../antifraud/refusals.ts';
import { CARD_REFUSALS, type CardRefusal } from '../cards/refusals.ts';
import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import type { LimitCause } from '../transactions/methods/card/network-limits.ts';
import { KEPT_TEXTS, type KeptText } from './payment.ts';

/** Before the acquirer is asked. */
export type PaymentRefusal = CardRefusal | AntiFraudRefusal | LimitCause | `cardNumberIn:${KeptText}`;

const NUMBER_OF_THE_CARD = {
  pt: 'Este campo contém o número do cartão usado no pagamento.',
  en: 'This field holds the number of the card that pays.',
};

/** The card's network would fine or forbid the charge. */
const LIMIT_REFUSALS = {
  neverAgain: refusal(402, 'retryLimit', {
    pt:
      'O emissor já recusou em definitivo uma cobrança como esta neste cartão, e a bandeira pune quem insiste. Nada foi ' +
      'enviado nem cobrado. Use outro cartão.',
    en:
      'The issuer has already given a final no to a charge like this on this card, and the network punishes asking again. ' +
      'Nothing was sent or charged. Use another card.',
  }),
  tooManyTries: refusal(402, 'retryLimit', {
    pt:
      'Este cartão já foi recusado tantas vezes quantas a bandeira permite. Nada foi enviado nem cobrado. Use outro cartão, ' +
      'ou este a partir de mayRetryAt.',
    en:
      'This card was declined as often as its network permits. Nothing was sent or charged. Use another card, or this ' +
      'one from mayRetryAt on.',
  }),
} as const satisfies Record<LimitCause, RefusalShape>;

/** Names the field that a payment has for the card. */
export const PAYMENT_REFUSALS = Object.fromEntries([
  ...Object.entries(CARD_REFUSALS).map(([refusal, shape]) => [
    refusal,
    { ...shape, tag: `cardInfo.${shape.tag}` },
  ]),
  ...Object.entries(ANTI_FRAUD_REFUSALS),
  ...Object.entries(LIMIT_REFUSALS),
  ...KEPT_TEXTS.map((text) => [`cardNumberIn:${text}`, refusal(400, text, NUMBER_OF_THE_CARD)]),
]) as Record<PaymentRefusal, RefusalShape>;
