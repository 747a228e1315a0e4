import type { CardKeys } from '../../cards/pairs/open-card-keys.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Gate } from '../../platform/gate.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { tooManyAnswer, unavailableAnswer } from '../../platform/http/failures.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import { type Acquirers, widestCapabilities } from '../../providers/open-acquirers.ts';
import { answerPayer, htmlAnswer, type PageCall } from '../../transactions/payers/answer-payer.ts';
import type { AskForPayer } from '../../transactions/payers/open-payers-line.ts';
import type { Cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import type { SignedText } from '../../webhooks/secrets/sign-for-account.ts';
import { LINK_STATUS_WORDS } from './contract.ts';
import { installmentOptions, type Link, shownState } from './link.ts';
import { findLinkOfPage, type LinkOfPage } from './links.sql.ts';
import { type LinkToPay, linkPage, linkPageHeaders, NO_LINK_PAGE, type PageScript } from './page.ts';
import { PAY_LINK_BY_CARD, SHOW_LINK_PAGE } from './page-contract.ts';
import { type PayLinkResult, type PayLinkTools, payLink } from './pay-link.ts';
import { returnAddress, returnText } from './return-address.ts';

export type LinkPageTools = PayLinkTools & {
  readonly askForPayer: AskForPayer;
  readonly gate: Gate;
  readonly clock: BusinessClock;
  readonly acquirers: Acquirers;
  readonly cardKeys: Pick<CardKeys, 'publicKey'>;
  readonly minimumInstallment: Cents;
  readonly script: PageScript;
  /** Of tries to pay, by address. */
  readonly tryLimit: RateLimit;
  readonly sign: (link: Link, body: string) => Promise<SignedText>;
};

export const LINK_PAGE_ENDPOINTS: readonly Endpoint<LinkPageTools>[] = [
  endpoint(SHOW_LINK_PAGE, (tools: LinkPageTools, call) =>
    answer(tools, call, async (link) =>
      htmlAnswer(200, linkPage(await toPay(tools, link), tools.script), linkPageHeaders(tools.script)),
    ),
  ),
  endpoint(PAY_LINK_BY_CARD, (tools: LinkPageTools, call) =>
    answer(tools, call, async (link) => {
      // Before a try begins: its number would be that of one that the database has lost.
      if (tools.gate.reason() !== null) return unavailableAnswer('overloaded', call.language);
      const { encryptedCard, installments, brand = null } = call.body;
      const isOffered = optionsOf(tools, link).some(({ count }) => count === installments);
      if (shownState(link, tools.clock.now(link.merchantId)) !== 'open' || !isOffered)
        return writeTry({ kind: 'notOpen' });
      const group = addressGroup(parseAddress(call.address));
      const secondsToWait = tools.tryLimit.secondsToWait(group, performance.now());
      if (secondsToWait > 0) return tooManyAnswer(secondsToWait, call.language);
      const card = { encryptedCard, brand, installmentCount: installments, address: call.address };
      return writeTry(await payLink(tools, link, card, call.deadlineAt));
    }),
  ),
];

function writeTry(result: PayLinkResult): Answer {
  const message = result.kind === 'declined' ? result.words : null;
  return { status: 200, body: { status: result.kind, message }, headers: { 'cache-control': 'no-store' } };
}

function answer(
  { askForPayer, script }: LinkPageTools,
  call: PageCall,
  write: (link: LinkOfPage) => Promise<Answer>,
): Promise<Answer> {
  return answerPayer(askForPayer, call, {
    find: findLinkOfPage,
    write,
    missing: htmlAnswer(404, NO_LINK_PAGE, linkPageHeaders(script)),
  });
}

function optionsOf({ acquirers, minimumInstallment }: LinkPageTools, link: Link) {
  return installmentOptions(link, minimumInstallment, widestCapabilities(acquirers).largestInstallments);
}

async function toPay(tools: LinkPageTools, link: LinkOfPage): Promise<LinkToPay> {
  const shown = shownState(link, tools.clock.now(link.merchantId));
  return {
    link,
    shown,
    beneficiary: link.beneficiary,
    options: optionsOf(tools, link),
    now: instant(Date.now()),
    publicKey: tools.cardKeys.publicKey().key,
    returnAddress:
      shown === 'open' || shown === 'paying'
        ? null
        : await signedReturn(tools, link, LINK_STATUS_WORDS[shown]),
  };
}

async function signedReturn({ sign }: LinkPageTools, link: Link, status: string): Promise<string | null> {
  const { returnUrl } = link;
  if (returnUrl === null) return null;
  return returnAddress({ ...link, returnUrl }, status, await sign(link, returnText(status, link)));
}
