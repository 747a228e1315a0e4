import { callerOf, type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { refusalsAnswer } from '../platform/http/refusal.ts';
import { GET_PUBLIC_KEY, TOKENIZE_CARD, writePublicKey } from './contract.ts';
import { CARD_REFUSALS } from './refusals.ts';
import { type TokenizeTools, tokenizeCard } from './tokens/tokenize-card.ts';

export const CARD_ENDPOINTS: readonly Endpoint<TokenizeTools>[] = [
  endpoint(GET_PUBLIC_KEY, async ({ cardKeys }: Pick<TokenizeTools, 'cardKeys'>, call) => ({
    status: 200,
    body: writePublicKey(cardKeys.publicKey(), callerOf(call).merchantId, Date.now()),
  })),
  endpoint(TOKENIZE_CARD, async (tools: TokenizeTools, call) => {
    const { cardNumber, encryptedCard } = call.body;
    const given = cardNumber === undefined ? { encryptedCard: encryptedCard ?? '' } : { number: cardNumber };
    const made = await tokenizeCard(tools, callerOf(call).merchantId, given, call.deadlineAt);
    if (!('numberToken' in made)) {
      return refusalsAnswer(
        made.map((refusal) => CARD_REFUSALS[refusal]),
        call.language,
      );
    }
    return { status: 200, body: [made] };
  }),
];
