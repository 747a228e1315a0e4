import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId, newPageKey } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Seller } from '../pay-by-card.ts';
import { expirationFault, type LinkBody, type LinkTermsRefusal, readWantedLink } from './contract.ts';
import type { Link } from './link.ts';
import { type CreateLinkResult, findLink, type NewLink } from './links.sql.ts';

export type CreateLinkTools = FindRequestTools & {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly writeLink: BatchedWrite<NewLink, CreateLinkResult>;
};

/** A repetition with its key gives the same link, also when its last day is over. */
export function createLink(
  tools: CreateLinkTools,
  seller: Seller,
  sent: SentRequest & { readonly body: LinkBody },
  deadlineAt: number,
): Promise<Once<Link | LinkTermsRefusal>> {
  const { merchantId, accountNumber, userName, softDescriptor } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const now = tools.clock.now(merchantId);
      const fault = expirationFault(sent.body.expirationDate, now);
      if (fault !== null) return fault;
      const link: Link = {
        ...readWantedLink(sent.body, now),
        ...{ merchantId, accountNumber, softDescriptor },
        linkId: newId(),
        pageKey: newPageKey(),
        state: 'open',
        disableReason: null,
        tries: 0,
        paymentId: null,
        createdBy: userName,
        createdAt: now,
        triedMilliseconds: 0,
      };
      return (await tools.writeLink({ link, request }, deadlineAt)) === 'keyUsed' ? 'keyUsed' : link;
    },
    isRefused: (result) => typeof result === 'string',
    repeatAnswer: (linkId) => findLink(tools.database, { merchantId, linkId }),
  });
}
