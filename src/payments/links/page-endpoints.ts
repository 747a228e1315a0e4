import type { CardKeys } from '../../cards/pairs/open-card-keys.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import { BANK_ADAPTERS } from '../../providers/banks/open-bank.ts';
import { type Acquirers, widestCapabilities } from '../../providers/open-acquirers.ts';
import type { Banks } from '../../providers/open-banks.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import { pagesAt } from '../../transactions/methods/boleto/boleto-contract.ts';
import { readPayer } from '../../transactions/methods/boleto/contract.ts';
import { noticeOf, payableBarCode } from '../../transactions/methods/boleto/print/boleto-to-print.ts';
import { payableCode } from '../../transactions/methods/pix/page/pix-to-pay.ts';
import {
  answerPayer,
  answerTry,
  htmlAnswer,
  type PageCall,
  type TryTools,
} from '../../transactions/payers/answer-payer.ts';
import { cardPageHeaders, type PageScript } from '../../transactions/payers/card-page.ts';
import type { AskForPayer } from '../../transactions/payers/open-payers-line.ts';
import { businessDayFrom } from '../../values/business-day.ts';
import type { Cents } from '../../values/cents.ts';
import { addDays, type Day, type Instant, instant, saoPauloDay } from '../../values/instant.ts';
import type { SignedText } from '../../webhooks/secrets/sign-for-account.ts';
import { LINK_STATUS_WORDS } from './contract.ts';
import { type BillOfTry, findStandingBill, findTryOutcome, type StandingBill } from './find-try-outcome.ts';
import { identifyPaper } from './identify-paper.ts';
import { installmentOptions, type Link, mayTry, shownState } from './link.ts';
import { findLinkOfPage, type LinkOfPage } from './links.sql.ts';
import { type BillToPay, type LinkToPay, linkPage, NO_LINK_PAGE } from './page.ts';
import {
  PAY_LINK_BY_BOLETO,
  PAY_LINK_BY_CARD,
  PAY_LINK_BY_PIX,
  SHOW_LINK_PAGE,
  TAKE_LINK_BILL_AWAY,
} from './page-contract.ts';
import { finishQuietly, type PayLinkTools, payLink } from './pay-link.ts';
import { asItsBill, type PayLinkByBillTools, payLinkByBill, takeBillAway } from './pay-link-by-bill.ts';
import { returnAddress, returnText } from './return-address.ts';

export type LinkPageTools = PayLinkTools &
  PayLinkByBillTools &
  TryTools & {
    readonly askForPayer: AskForPayer;
    /** Limits boletos by merchant: strangers have many links and addresses. */
    readonly boletoLimit: RateLimit;
    readonly clock: BusinessClock;
    readonly acquirers: Acquirers;
    /** Null if the service has no cells. */
    readonly cell: string | null;
    readonly cardKeys: Pick<CardKeys, 'publicKey'>;
    readonly minimumInstallment: Cents;
    readonly script: PageScript;
    readonly sign: (link: Link, body: string) => Promise<SignedText>;
  };

export const LINK_PAGE_ENDPOINTS: readonly Endpoint<LinkPageTools>[] = [
  endpoint(SHOW_LINK_PAGE, (tools: LinkPageTools, call) =>
    answer(tools, call, async (found) =>
      htmlAnswer(200, linkPage(await toPay(tools, found), tools.script), cardPageHeaders(tools.script)),
    ),
  ),
  endpoint(PAY_LINK_BY_CARD, (tools: LinkPageTools, call) =>
    answer(tools, call, (found) =>
      answerTry(tools, call, isOpen(tools, found), async () => {
        const link = await caughtUp(tools, found);
        const { encryptedCard, installments, brand = null } = call.body;
        if (!optionsOf(tools, link).some(({ count }) => count === installments)) return { kind: 'notOpen' };
        const card = { encryptedCard, brand, installmentCount: installments, address: call.address };
        return payLink(tools, link, card, call.deadlineAt);
      }),
    ),
  ),
  endpoint(PAY_LINK_BY_PIX, (tools: LinkPageTools, call) =>
    answer(tools, call, (found) =>
      answerTry(tools, call, isOpen(tools, found), async () => {
        const link = await caughtUp(tools, found);
        if (!isOffered(tools.pix.issuing.pixBanks, link)) return { kind: 'notOpen' };
        return payLinkByBill(tools, link, null, call.deadlineAt);
      }),
    ),
  ),
  endpoint(PAY_LINK_BY_BOLETO, (tools: LinkPageTools, call) =>
    answer(tools, call, (found) =>
      answerTry(tools, call, isOpen(tools, found), async () => {
        const link = await caughtUp(tools, found);
        if (!isBoletoOffered(tools, link)) return { kind: 'notOpen' };
        if (!mayTry(link, 'boleto')) return { kind: 'notOpen' };
        const secondsToWait = tools.boletoLimit.secondsToWait(link.merchantId, performance.now());
        if (secondsToWait > 0) return { secondsToWait };
        const { paperSecret = null } = call.body;
        const payer = { ...readPayer(call.body), paperSecret };
        const result = await payLinkByBill(tools, link, payer, call.deadlineAt);
        if (result.kind === 'notOpen' || (result.kind === 'declined' && result.isUnasked === true))
          tools.boletoLimit.giveBack(link.merchantId);
        return result;
      }),
    ),
  ),
  endpoint(TAKE_LINK_BILL_AWAY, (tools: LinkPageTools, call) =>
    answer(tools, call, ({ link }) =>
      answerTry(tools, call, true, () => takeBillAway(tools, link, call.deadlineAt)),
    ),
  ),
];

/** Writes the end of the last try before another one begins. */
async function caughtUp(tools: LinkPageTools, { link: found, standing }: FoundLink): Promise<Link> {
  const link = asItsBill(found, standing);
  if (link !== found) await finishQuietly(tools, found, await findTryOutcome(tools, found));
  return link;
}

const isOpen = ({ clock }: LinkPageTools, { link, standing }: FoundLink) =>
  shownState(asItsBill(link, standing), clock.now(link.merchantId)) === 'open';

type FoundLink = { readonly link: LinkOfPage; readonly standing: StandingBill };

function answer(
  { askForPayer, keyring, script }: LinkPageTools,
  call: PageCall,
  write: (found: FoundLink) => Promise<Answer>,
): Promise<Answer> {
  return answerPayer<FoundLink>(askForPayer, call, {
    async find(database, pageKey) {
      const link = await findLinkOfPage(database, pageKey);
      return link && { link, standing: await findStandingBill({ database, keyring }, link) };
    },
    write,
    missing: htmlAnswer(404, NO_LINK_PAGE, cardPageHeaders(script)),
  });
}

const isOffered = (banks: Pick<PixBanks, 'choose'>, link: Link) => chosenOf(banks, link) !== null;

function chosenOf(banks: Pick<Banks, 'choose'> | Pick<PixBanks, 'choose'>, link: Link): string | null {
  const { merchantId, linkId, amount } = link;
  const sale = { merchantId, transactionId: linkId, brand: null, installmentCount: 1, amount };
  return banks.choose(sale);
}

/** Its payment needs a business day after today. A bank that gets files knows the boleto a day later. */
function isBoletoOffered({ boletos, clock }: LinkPageTools, link: Link): boolean {
  const { banks } = boletos.issuing;
  const bank = chosenOf(banks, link);
  if (bank === null) return false;
  const nextDay = (day: Day) => businessDayFrom(addDays(day, 1));
  const tomorrow = nextDay(saoPauloDay(clock.now(link.merchantId)));
  const isByFile = BANK_ADAPTERS[banks.of(bank).name]?.isByFile === true;
  const needed = isByFile ? nextDay(tomorrow) : tomorrow;
  return needed <= saoPauloDay(instant(link.expiresAt - 1));
}

function optionsOf({ acquirers, minimumInstallment }: LinkPageTools, link: Link) {
  return installmentOptions(link, minimumInstallment, widestCapabilities(acquirers).largestInstallments);
}

async function toPay(tools: LinkPageTools, { link: found, standing }: FoundLink): Promise<LinkToPay> {
  const link = asItsBill(found, standing);
  const { bill } = standing;
  const now = tools.clock.now(link.merchantId);
  const shown = shownState(link, now);
  return {
    link,
    shown,
    beneficiary: link.beneficiary,
    options: optionsOf(tools, link),
    offered: {
      pix: isOffered(tools.pix.issuing.pixBanks, link),
      boleto: isBoletoOffered(tools, link),
    },
    bill: bill === null || shown !== 'paying' ? null : billToPay(tools, link, bill, now),
    now: instant(Date.now()),
    publicKey: tools.cardKeys.publicKey().key,
    returnAddress:
      shown === 'open' || shown === 'paying'
        ? null
        : await signedReturn(tools, link, LINK_STATUS_WORDS[shown]),
  };
}

function billToPay({ cell }: LinkPageTools, link: Link, bill: BillOfTry, now: Instant): BillToPay {
  if (bill.method === 'pix') return { method: 'pix', ...bill.pix, code: payableCode({ ...bill.pix, now }) };
  const boleto = { ...bill.boleto, today: saoPauloDay(now) };
  return {
    ...boleto,
    method: 'boleto',
    barCode: payableBarCode(boleto),
    notice: noticeOf(boleto),
    paper: identifyPaper(link, boleto, pagesAt(null, cell)),
  };
}

async function signedReturn({ sign }: LinkPageTools, link: Link, status: string): Promise<string | null> {
  const { returnUrl } = link;
  if (returnUrl === null) return null;
  return returnAddress({ ...link, returnUrl }, status, await sign(link, returnText(status, link)));
}
