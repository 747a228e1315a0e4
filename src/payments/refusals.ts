import { ANTI_FRAUD_REFUSALS, type AntiFraudRefusal } from '../antifraud/refusals.ts';
import { CARD_REFUSALS, type CardRefusal } from '../cards/refusals.ts';
import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import type { LimitCause } from '../transactions/methods/card/network-limits.ts';
import { AUTHENTICATION_FIELDS, type AuthenticationField, KEPT_TEXTS, type KeptText } from './payment.ts';

export type PaymentRefusal =
  | CardRefusal
  | AntiFraudRefusal
  | LimitCause
  | `cardNumberIn:${KeptText}`
  | `${'authenticationNotOffered' | 'eciOfOtherBrand'}:${AuthenticationField}`;

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

const FIELD_TAGS: Readonly<Record<AuthenticationField, string>> = {
  threeDSecure: 'threeDSecure',
  sellerInfo: 'sellerInfo.eci',
};
const NOT_OFFERED = {
  pt: 'A adquirente não recebe a autenticação 3-D Secure. Nada foi cobrado; envie sem ela.',
  en: 'The acquirer takes no 3-D Secure authentication. Nothing was charged; send without it.',
};
const OF_OTHER_BRAND = {
  pt: 'A bandeira deste cartão não usa este ECI.',
  en: 'The brand of this card does not use this ECI.',
};

export const AUTHENTICATION_FAULTS = {
  authenticatedTwice: refusal(400, 'threeDSecure', {
    pt: 'A autenticação também está em sellerInfo. Envie em um lugar só.',
    en: 'The authentication is in sellerInfo too. Send it in one place.',
  }),
  ...Object.fromEntries(
    AUTHENTICATION_FIELDS.flatMap((field) => [
      [`authenticationNotOffered:${field}`, refusal(400, FIELD_TAGS[field], NOT_OFFERED)],
      [`eciOfOtherBrand:${field}`, refusal(400, `${field}.eci`, OF_OTHER_BRAND)],
    ]),
  ),
} as Record<
  'authenticatedTwice' | `${'authenticationNotOffered' | 'eciOfOtherBrand'}:${AuthenticationField}`,
  RefusalShape
>;

/** Names the payment's field for the card. */
export const PAYMENT_REFUSALS = Object.fromEntries([
  ...Object.entries(CARD_REFUSALS).map(([refusal, shape]) => [
    refusal,
    { ...shape, tag: `cardInfo.${shape.tag}` },
  ]),
  ...Object.entries(ANTI_FRAUD_REFUSALS),
  ...Object.entries(LIMIT_REFUSALS),
  ...Object.entries(AUTHENTICATION_FAULTS),
  ...KEPT_TEXTS.map((text) => [`cardNumberIn:${text}`, refusal(400, text, NUMBER_OF_THE_CARD)]),
]) as Record<PaymentRefusal, RefusalShape>;
