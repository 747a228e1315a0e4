import type { CardTools } from '../../cards/open-card-source.ts';
import { makeCardToken, type TokenizeTools } from '../../cards/tokens/tokenize-card.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import {
  answerPayer,
  answerTry,
  htmlAnswer,
  type PageCall,
  type TryResult,
  type TryTools,
} from '../../transactions/payers/answer-payer.ts';
import {
  cardPageHeaders,
  framedCardPage,
  missingPage,
  type PageScript,
} from '../../transactions/payers/card-page.ts';
import type { AskForPayer, SlowDown } from '../../transactions/payers/open-payers-line.ts';
import { openTypedCard, type TypedCard } from '../../transactions/payers/open-typed-card.ts';
import { instant } from '../../values/instant.ts';
import { findCardFieldsByKey } from './card-fields.sql.ts';
import { type CardFields, type OriginRules, soundOrigins } from './card-fields.ts';
import { SHOW_FIELDS_PAGE, SHOW_FIELDS_SCRIPT, TAKE_CARD_OF_FIELDS } from './page-contract.ts';

export type FieldsPageTools = CardTools &
  TokenizeTools &
  TryTools & {
    readonly askForPayer: AskForPayer;
    readonly clock: BusinessClock;
    /** The code identifies this buyer's visit. */
    readonly createCode: (merchantId: string, ipAddress: string, deadlineAt: number) => Promise<string>;
    /** Limits cards by merchant: strangers may have many addresses. */
    readonly cardLimit: RateLimit;
    readonly originRules: OriginRules;
    readonly script: PageScript;
    /** For the shop's page: it mounts the frame. */
    readonly mountScript: string;
  };

const NOT_DONE = 'Não foi possível agora. Nada foi cobrado: tente de novo em instantes.';

const NO_FIELDS = missingPage('Campos não encontrados', 'Avise a loja: o endereço deles não vale aqui.');

export const FIELDS_PAGE_ENDPOINTS: readonly Endpoint<FieldsPageTools>[] = [
  endpoint(SHOW_FIELDS_SCRIPT, async ({ mountScript }: FieldsPageTools) => ({
    status: 200,
    text: { content: mountScript, type: 'text/javascript; charset=utf-8' },
    // Browsers load modules of another origin only with this header. An hour: a shop asks once for many
    // buyers.
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' },
  })),
  endpoint(SHOW_FIELDS_PAGE, (tools: FieldsPageTools, call) =>
    answer(tools, call, ({ merchantId, origins }) => {
      const { cardKeys, script } = tools;
      const page = {
        title: 'Dados do cartão',
        notDone: NOT_DONE,
        merchantId,
        publicKey: cardKeys.publicKey().key,
        now: instant(Date.now()),
        more: { origins },
      };
      return htmlAnswer(200, framedCardPage(page, script), cardPageHeaders(script, origins));
    }),
  ),
  endpoint(TAKE_CARD_OF_FIELDS, (tools: FieldsPageTools, call) =>
    answer(tools, call, ({ merchantId }) =>
      answerTry(tools, call, true, () => {
        const { encryptedCard, brand = null } = call.body;
        return takeCard(tools, merchantId, { encryptedCard, brand }, call);
      }),
    ),
  ),
];

function answer(
  { askForPayer, originRules, script }: FieldsPageTools,
  call: PageCall,
  write: (found: CardFields) => Answer | Promise<Answer>,
): Promise<Answer> {
  const missing = htmlAnswer(404, NO_FIELDS, cardPageHeaders(script));
  return answerPayer<CardFields>(askForPayer, call, {
    async find(database, pageKey) {
      const fields = await findCardFieldsByKey(database, pageKey);
      const origins = soundOrigins(fields?.origins ?? [], originRules);
      return fields === null || origins.length === 0 ? null : { ...fields, origins };
    },
    write,
    missing,
  });
}

/** No acquirer is asked: that is for the merchant's server, which has the token. */
async function takeCard(
  tools: FieldsPageTools,
  merchantId: string,
  card: TypedCard,
  { address, deadlineAt }: { readonly address: string; readonly deadlineAt: number },
): Promise<TryResult | SlowDown> {
  const secondsToWait = tools.cardLimit.secondsToWait(merchantId, performance.now());
  if (secondsToWait > 0) return { secondsToWait };
  const opened = await openTypedCard(tools, merchantId, card, tools.clock.now(merchantId));
  if ('words' in opened) return { kind: 'declined', words: opened.words };
  const { number } = opened.card;
  const made = await makeCardToken(tools, merchantId, { number, madeFrom: opened.cardSource }, deadlineAt);
  const codeAntiFraud = await tools.createCode(merchantId, address, deadlineAt);
  const { brand, lastFour } = opened.trace;
  return { kind: 'made', more: { ...made, brand, lastFour, codeAntiFraud } };
}
