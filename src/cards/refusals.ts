import type { RefusalShape } from '../platform/http/refusal.ts';

/** The tag is the field inside `cardInfo`; endpoints put their own prefix before it. */
export type CardRefusal =
  | 'numberTokenUnknown'
  | 'encryptedCardUnreadable'
  | 'vaultIdUnknown'
  | 'holderNameNeeded'
  | 'holderNameHoldsNumber'
  | 'brandNeeded'
  | 'brandImpossible'
  | 'brandNotOffered'
  | 'expirationMonthNeeded'
  | 'expirationYearNeeded'
  | 'cardExpired'
  | 'securityCodeLength'
  | 'holderNameConflict'
  | 'securityCodeConflict'
  | 'expirationMonthConflict'
  | 'expirationYearConflict'
  | 'holderNameDiffers'
  | 'brandDiffers'
  | 'expirationMonthDiffers'
  | 'expirationYearDiffers';

const GIVEN_TWICE = {
  pt: 'Informado duas vezes com valores diferentes: no cartão criptografado e fora dele.',
  en: 'Given twice with different values: inside the encrypted card and beside it.',
};
const NOT_AS_STORED = {
  pt: 'Não confere com o cartão guardado no cofre.',
  en: 'Not what is stored with the card in the vault.',
};
const NEEDED = { pt: 'Campo obrigatório.', en: 'This field is required.' };

export const CARD_REFUSALS = {
  numberTokenUnknown: {
    status: 400,
    tag: 'numberToken',
    sentence: {
      pt: 'Token de cartão inválido, expirado ou já utilizado.',
      en: 'The card token is unknown, expired or used already.',
    },
  },
  encryptedCardUnreadable: {
    status: 400,
    tag: 'encryptedCard',
    sentence: {
      pt: 'Cartão criptografado inválido, expirado ou já utilizado.',
      en: 'The encrypted card is invalid, expired or used already.',
    },
  },
  vaultIdUnknown: {
    status: 400,
    tag: 'vaultId',
    sentence: { pt: 'Cofre não encontrado', en: 'No such card in the vault' },
  },
  holderNameNeeded: { status: 400, tag: 'cardholderName', sentence: NEEDED },
  holderNameHoldsNumber: {
    status: 400,
    tag: 'cardholderName',
    sentence: {
      pt: 'O nome do titular não pode conter um número de cartão.',
      en: "The holder's name must not hold a card number.",
    },
  },
  brandNeeded: {
    status: 400,
    tag: 'brand',
    sentence: {
      pt: 'Não foi possível reconhecer a bandeira pelo número: informe a bandeira.',
      en: 'The brand cannot be derived from the number: name it.',
    },
  },
  brandImpossible: {
    status: 400,
    tag: 'brand',
    sentence: {
      pt: 'A bandeira não corresponde ao número do cartão.',
      en: 'No card of this brand has such a number.',
    },
  },
  brandNotOffered: {
    status: 400,
    tag: 'brand',
    sentence: {
      pt: 'A adquirente não aceita cartões desta bandeira.',
      en: 'The acquirer takes no cards of this brand.',
    },
  },
  expirationMonthNeeded: { status: 400, tag: 'expirationMonth', sentence: NEEDED },
  expirationYearNeeded: { status: 400, tag: 'expirationYear', sentence: NEEDED },
  cardExpired: {
    status: 400,
    tag: 'expirationYear',
    sentence: { pt: 'O cartão está vencido.', en: 'The card has expired.' },
  },
  securityCodeLength: {
    status: 400,
    tag: 'securityCode',
    sentence: {
      pt: 'O código de segurança não tem o tamanho que a bandeira usa.',
      en: 'The security code does not have the length of this brand.',
    },
  },
  holderNameConflict: { status: 400, tag: 'cardholderName', sentence: GIVEN_TWICE },
  securityCodeConflict: { status: 400, tag: 'securityCode', sentence: GIVEN_TWICE },
  expirationMonthConflict: { status: 400, tag: 'expirationMonth', sentence: GIVEN_TWICE },
  expirationYearConflict: { status: 400, tag: 'expirationYear', sentence: GIVEN_TWICE },
  holderNameDiffers: { status: 400, tag: 'cardholderName', sentence: NOT_AS_STORED },
  brandDiffers: { status: 400, tag: 'brand', sentence: NOT_AS_STORED },
  expirationMonthDiffers: { status: 400, tag: 'expirationMonth', sentence: NOT_AS_STORED },
  expirationYearDiffers: { status: 400, tag: 'expirationYear', sentence: NOT_AS_STORED },
} as const satisfies Record<CardRefusal, RefusalShape>;
