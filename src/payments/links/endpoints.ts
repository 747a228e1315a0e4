import type { BusinessClock } from '../../platform/business-clock.ts';
import { type Answer, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, writeOnce } from '../../platform/http/failures.ts';
import { conflict, passingConflict, type RefusalShape, refusalAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { pageFor, readPage, writePage } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { LIFE_REFUSALS, lifeRefusal } from '../../transactions/payers/page-life.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';
import { listBillsOfLink } from './bills-of-link.sql.ts';
import {
  CREATE_LINK,
  checkLink,
  DISABLE_LINK,
  GET_LINK,
  LIST_LINKS,
  linkPagesAt,
  readWantedLink,
  stateOfWord,
  type WholeLink,
  writeLink,
  writeWholeLink,
} from './contract.ts';
import { type CreateLinkTools, createLink } from './create-link.ts';
import { disableLink } from './disable-link.ts';
import { findStandingBill } from './find-try-outcome.ts';
import { type Link, type LinkKey, nextRemoval, seenOutcome } from './link.ts';
import { findLink, LINK_ORDERS, listLinkPage } from './links.sql.ts';
import { asItsBill, type PayLinkByBillTools, removalOfBill } from './pay-link-by-bill.ts';

export const LINK_REFUSALS = {
  paid: conflict({ pt: 'O link já foi pago.', en: 'The link is paid already.' }),
  paying: passingConflict(5, {
    pt: 'O link está sendo pago neste momento; tente de novo em instantes.',
    en: 'The link is being paid at this moment; try again shortly.',
  }),
  kept: conflict({
    pt: 'O banco não retira o boleto deste link: ele ainda pode ser pago.',
    en: 'The bank does not take the boleto of this link away: it can still be paid.',
  }),
} as const satisfies Record<string, RefusalShape>;

export type LinkTools = CreateLinkTools &
  PayLinkByBillTools & {
    readonly clock: BusinessClock;
    readonly callRules: CallRules;
    readonly lookUp: LookUp;
    readonly search: Search;
    /** Null if the service has no cells. */
    readonly cell: string | null;
  };

export const LINK_ENDPOINTS: readonly Endpoint<LinkTools>[] = [
  endpoint(
    CREATE_LINK,
    async (tools: LinkTools, call) => {
      const seller = callerOf(call);
      const readTerms = (now: Instant) =>
        lifeRefusal(call.body.expirationDate, now) ?? readWantedLink(call.body, now);
      const once = await createLink(tools, seller, readTerms, call, call.deadlineAt);
      const pages = linkPagesAt(call.pagesOrigin(), tools.cell);
      return writeOnce(call, once, (result) =>
        typeof result === 'string'
          ? refusalAnswer(LIFE_REFUSALS[result], call.language)
          : { status: 200, body: { id: result.linkId, url: pages + result.pageKey } },
      );
    },
    {
      checkWith: ({ callRules }) => checkLink(callRules),
      lookBeside: async ({ clock }, { expirationDate }, { merchantId }) => {
        const fault = lifeRefusal(expirationDate, clock.now(merchantId));
        return fault === null ? [] : [LIFE_REFUSALS[fault]];
      },
    },
  ),
  endpoint(GET_LINK, async (tools: LinkTools, call) => {
    const { merchantId } = callerOf(call);
    const { id } = call.query;
    const found = !isUuid(id)
      ? null
      : await tools.lookUp(merchantId, (database) =>
          findWholeLink(tools, database, { merchantId, linkId: id.toLowerCase() }),
        );
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    const pages = linkPagesAt(call.pagesOrigin(), tools.cell);
    const now = tools.clock.now(merchantId);
    return { status: 200, body: writeWholeLink(found, pages, now) };
  }),
  endpoint(LIST_LINKS, async (tools: LinkTools, call) => {
    const { merchantId } = callerOf(call);
    const { status } = call.query;
    const wanted = pageFor(
      call,
      readPage(call.query, LINK_ORDERS, { field: 'createdDate', isDescending: true }),
    );
    const now = tools.clock.now(merchantId);
    const state = status === undefined ? null : stateOfWord(status);
    const found = await tools.search(merchantId, (database) =>
      listLinkPage(database, merchantId, state, now, wanted),
    );
    const pages = linkPagesAt(call.pagesOrigin(), tools.cell);
    return { status: 200, body: writePage(wanted, found, (link) => writeLink(asItStands(link), pages, now)) };
  }),
  endpoint(DISABLE_LINK, async (tools: LinkTools, call) => {
    const { merchantId } = callerOf(call);
    const result = await disableLink(tools, { merchantId, ...call.query }, call.deadlineAt);
    if (result === null || typeof result === 'string') return refuse(result, call.language);
    const pages = linkPagesAt(call.pagesOrigin(), tools.cell);
    return { status: 200, body: writeLink(result, pages, tools.clock.now(merchantId)) };
  }),
];

const asItStands = (link: Link) => asItsBill(link, { outcome: seenOutcome(link) });

async function findWholeLink(
  { keyring, pix, boletos }: LinkTools,
  database: Reader,
  key: LinkKey,
): Promise<WholeLink | null> {
  const found = await findLink(database, key);
  if (found === null) return null;
  const standing = await findStandingBill({ database, keyring }, found);
  const link = asItsBill(found, standing);
  const { bill } = standing;
  const removalAt = bill === null ? undefined : nextRemoval(found, removalOfBill({ pix, boletos }, bill));
  return { link, removalAt, ...(await listBillsOfLink(database, key)) };
}

function refuse(why: keyof typeof LINK_REFUSALS | null, language: Language): Answer {
  return refusalAnswer(why === null ? FAILURES.unknownPath : LINK_REFUSALS[why], language);
}
