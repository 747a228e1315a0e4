import type { CardKeys } from '../../cards/pairs/open-card-keys.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import {
  answerPayer,
  answerTry,
  htmlAnswer,
  type PageCall,
  type TryTools,
} from '../../transactions/payers/answer-payer.ts';
import { cardPageHeaders, type PageScript } from '../../transactions/payers/card-page.ts';
import type { AskForPayer } from '../../transactions/payers/open-payers-line.ts';
import { instant } from '../../values/instant.ts';
import { changeSubscription } from '../subscriptions/change-subscription.ts';
import { type ChangeCardTools, changeCardOfPage } from './change-card-of-page.ts';
import { NO_SUBSCRIBER_PAGE, subscriberPage } from './page.ts';
import { CANCEL_AT_PAGE, CHANGE_CARD_AT_PAGE, SHOW_SUBSCRIBER_PAGE } from './page-contract.ts';
import { type FoundPage, mayBeCanceled, mayGiveCard, SUBSCRIBER } from './subscriber-page.ts';
import { findPageByKey } from './subscriber-pages.sql.ts';

export type ShownPageTools = ChangeCardTools &
  TryTools & {
    readonly askForPayer: AskForPayer;
    readonly cardKeys: Pick<CardKeys, 'publicKey'>;
    readonly script: PageScript;
  };

export const SHOWN_PAGE_ENDPOINTS: readonly Endpoint<ShownPageTools>[] = [
  endpoint(SHOW_SUBSCRIBER_PAGE, (tools: ShownPageTools, call) =>
    answer(tools, call, (found) => {
      const { clock, cardKeys, script } = tools;
      const shown = {
        ...found,
        at: clock.now(found.page.merchantId),
        now: instant(Date.now()),
        publicKey: cardKeys.publicKey().key,
      };
      return htmlAnswer(200, subscriberPage(shown, script), cardPageHeaders(script));
    }),
  ),
  endpoint(CHANGE_CARD_AT_PAGE, (tools: ShownPageTools, call) =>
    answer(tools, call, (found) =>
      answerTry(tools, call, mayGiveCard(found), () => {
        const { encryptedCard, brand = null } = call.body;
        const card = { encryptedCard, brand, address: call.address };
        return changeCardOfPage(tools, found.page, card, call.deadlineAt);
      }),
    ),
  ),
  endpoint(CANCEL_AT_PAGE, (tools: ShownPageTools, call) =>
    answer(tools, call, ({ page, subscription }) =>
      answerTry(tools, call, mayBeCanceled(subscription, page), async () => {
        const { merchantId, subscriptionId } = page;
        const actor = { merchantId, userName: SUBSCRIBER, address: call.address };
        const wanted = { kind: 'status', event: 'cancel', by: 'subscriber' } as const;
        const result = await changeSubscription(tools, actor, subscriptionId, wanted, call.deadlineAt);
        return { kind: result === 'changed' ? 'changed' : 'notOpen' };
      }),
    ),
  ),
];

function answer(
  { askForPayer, clock, script }: ShownPageTools,
  call: PageCall,
  write: (found: FoundPage) => Answer | Promise<Answer>,
): Promise<Answer> {
  return answerPayer<FoundPage>(askForPayer, call, {
    async find(database, pageKey) {
      const found = await findPageByKey(database, pageKey);
      return found !== null && found.page.expiresAt > clock.now(found.page.merchantId) ? found : null;
    },
    write,
    missing: htmlAnswer(404, NO_SUBSCRIBER_PAGE, cardPageHeaders(script)),
  });
}
