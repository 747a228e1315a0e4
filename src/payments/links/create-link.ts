import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId, newPageKey } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Seller } from '../pay-by-card.ts';
import type { Link, WantedLink } from './link.ts';
import { type CreateLinkResult, findLink, type NewLink } from './links.sql.ts';

export type CreateLinkTools = FindRequestTools & {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly writeLink: BatchedWrite<NewLink, CreateLinkResult>;
};

/** A repetition with its key gives the same link. */
export function createLink(
  tools: CreateLinkTools,
  seller: Seller,
  wanted: WantedLink,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<Link>> {
  const { merchantId, accountNumber, userName, softDescriptor } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const link: Link = {
        ...wanted,
        ...{ merchantId, accountNumber, softDescriptor },
        linkId: newId(),
        pageKey: newPageKey(),
        state: 'open',
        disableReason: null,
        tries: 0,
        paymentId: null,
        createdBy: userName,
        createdAt: tools.clock.now(merchantId),
        triedAt: null,
      };
      return (await tools.writeLink({ link, request }, deadlineAt)) === 'keyUsed' ? 'keyUsed' : link;
    },
    isRefused: () => false,
    repeatAnswer: (linkId) => findLink(tools.database, { merchantId, linkId }),
  });
}
