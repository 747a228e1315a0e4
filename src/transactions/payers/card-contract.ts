import { Type } from 'typebox';
import { named } from '../../platform/http/named.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';

/** What a page sends of a card that its script has encrypted. */
export const CARD_OF_PAGE = {
  encryptedCard: Type.String({
    // Longer than a card number, so that one sent in clear is refused.
    minLength: 256,
    maxLength: 2_048,
    mayHoldCard: true,
    format: 'visibleText',
    description: 'With number, holder, expiry and security code inside; see the public key.',
  }),
  brand: Type.Optional(Type.Enum([...CARD_BRANDS], { description: 'Where the number does not show it.' })),
};

export const CARD_OF_PAGE_REQUEST = named('CardOfPageRequest', CARD_OF_PAGE);
