import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import type { EncryptedCardFault } from './pairs/encrypted-card.ts';

/** Each has a field of `cardInfo` as its tag; endpoints put their prefix before it. */
export type CardRefusal =
  | 'numberTokenUnknown'
  | 'encryptedCardUnreadable'
  | EncryptedCardFault
  | 'encryptedCardUsed'
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
/** A fault inside an encrypted card. Only homologation names it: production has one sentence for all. */
const inside = (pt: string, en: string) =>
  refusal(400, 'encryptedCard', { pt: `Cartão criptografado: ${pt}`, en: `Encrypted card: ${en}` });
const NEEDED = { pt: 'Campo obrigatório.', en: 'This field is required.' };

export const CARD_REFUSALS = {
  numberTokenUnknown: refusal(400, 'numberToken', {
    pt: 'Token de cartão inválido, expirado ou já utilizado.',
    en: 'The card token is unknown, expired or used already.',
  }),
  encryptedCardUnreadable: refusal(400, 'encryptedCard', {
    pt: 'Cartão criptografado inválido, expirado ou já utilizado.',
    en: 'The encrypted card is invalid, expired or used already.',
  }),
  encryptedCardEncoding: inside(
    'não é base64 padrão em uma única linha (sem base64url e sem quebras de linha).',
    'not standard base64 in one line (no base64url, no line breaks).',
  ),
  encryptedCardLength: inside(
    'não tem os 384 bytes que a chave de 3072 bits produz.',
    'not the 384 bytes that the key of 3,072 bits makes.',
  ),
  encryptedCardKey: inside(
    'nenhuma chave o abre. Use RSA-OAEP com SHA-256 (também no MGF1) e a chave atual de GET /v1/cards/public-key.',
    'no key opens it. Use RSA-OAEP with SHA-256 (for MGF1 too) and the current key of GET /v1/cards/public-key.',
  ),
  encryptedCardJson: inside(
    'foi aberto, mas não contém um objeto JSON em UTF-8 em que cada nome está uma só vez.',
    'it opened, but holds no JSON object in UTF-8 with each name once.',
  ),
  encryptedCardNumber: inside(
    'cardNumber deve ser um texto só de dígitos, com dígito verificador correto.',
    'cardNumber must be a text of digits alone, with a correct check digit.',
  ),
  encryptedCardMerchant: inside(
    'merchantId deve ser um texto igual ao seu merchantId.',
    'merchantId must be a text, and your own merchantId.',
  ),
  encryptedCardMoment: inside(
    'createdAt deve ser um texto com data e hora ISO 8601, como 2026-11-21T13:00:00.000Z.',
    'createdAt must be a text, an ISO 8601 date-time such as 2026-11-21T13:00:00.000Z.',
  ),
  encryptedCardOld: inside(
    'createdAt é antigo demais (24 horas; na importação, 30 dias).',
    'createdAt is too old (24 hours; 30 days in an import).',
  ),
  encryptedCardAhead: inside(
    'createdAt está mais de 24 horas adiante.',
    'createdAt is more than 24 hours ahead.',
  ),
  encryptedCardSecurityCode: inside(
    'securityCode deve ser um texto de 3 ou 4 dígitos.',
    'securityCode must be a text of 3 or 4 digits.',
  ),
  encryptedCardMonth: inside(
    'expirationMonth deve ser um texto de dois dígitos, de 01 a 12.',
    'expirationMonth must be a text of two digits, 01 to 12.',
  ),
  encryptedCardYear: inside(
    'expirationYear deve ser um texto de dois dígitos, como 30.',
    'expirationYear must be a text of two digits, such as 30.',
  ),
  encryptedCardHolderName: inside(
    'cardholderName deve ser um texto de até 30 caracteres, sem caracteres de controle.',
    'cardholderName must be a text of up to 30 characters, without control characters.',
  ),
  encryptedCardUsed: inside('já foi utilizado.', 'it was used already.'),
  vaultIdUnknown: refusal(400, 'vaultId', { pt: 'Cofre não encontrado', en: 'No such card in the vault' }),
  holderNameNeeded: refusal(400, 'cardholderName', NEEDED),
  holderNameHoldsNumber: refusal(400, 'cardholderName', {
    pt: 'O nome do titular não pode conter um número de cartão.',
    en: "The holder's name must not hold a card number.",
  }),
  brandNeeded: refusal(400, 'brand', {
    pt: 'Não foi possível reconhecer a bandeira pelo número: informe a bandeira.',
    en: 'The brand cannot be derived from the number: name it.',
  }),
  brandImpossible: refusal(400, 'brand', {
    pt: 'A bandeira não corresponde ao número do cartão.',
    en: 'No card of this brand has such a number.',
  }),
  brandNotOffered: refusal(400, 'brand', {
    pt: 'A adquirente não aceita cartões desta bandeira.',
    en: 'The acquirer takes no cards of this brand.',
  }),
  expirationMonthNeeded: refusal(400, 'expirationMonth', NEEDED),
  expirationYearNeeded: refusal(400, 'expirationYear', NEEDED),
  cardExpired: refusal(400, 'expirationYear', { pt: 'O cartão está vencido.', en: 'The card has expired.' }),
  securityCodeLength: refusal(400, 'securityCode', {
    pt: 'O código de segurança não tem o tamanho que a bandeira usa.',
    en: 'The security code does not have the length of this brand.',
  }),
  holderNameConflict: refusal(400, 'cardholderName', GIVEN_TWICE),
  securityCodeConflict: refusal(400, 'securityCode', GIVEN_TWICE),
  expirationMonthConflict: refusal(400, 'expirationMonth', GIVEN_TWICE),
  expirationYearConflict: refusal(400, 'expirationYear', GIVEN_TWICE),
  holderNameDiffers: refusal(400, 'cardholderName', NOT_AS_STORED),
  brandDiffers: refusal(400, 'brand', NOT_AS_STORED),
  expirationMonthDiffers: refusal(400, 'expirationMonth', NOT_AS_STORED),
  expirationYearDiffers: refusal(400, 'expirationYear', NOT_AS_STORED),
} as const satisfies Record<CardRefusal, RefusalShape>;
