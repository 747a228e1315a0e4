import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId, newPageKey } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Seller } from '../pay-by-card.ts';
import type { Link, WantedLink } from './link.ts';
import { type CreateLinkResult, findLink, type NewLink } from './links.sql.ts';

export type CreateLinkTools = FindRequestTools & {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly writeLink: BatchedWrite<NewLink, CreateLinkResult>;
};

/**
 * A repetition with its key gives the same link, even after its last day: `readTerms` judges only a new one's
 * terms. `now`: business time.
 */
export function createLink<Refusal extends string>(
  tools: CreateLinkTools,
  seller: Seller,
  readTerms: (now: Instant) => WantedLink | Refusal,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<Link | Refusal>> {
  const { merchantId, accountNumber, userName, softDescriptor } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const now = tools.clock.now(merchantId);
      const terms = readTerms(now);
      if (typeof terms === 'string') return terms;
      const link: Link = {
        ...terms,
        ...{ merchantId, accountNumber, softDescriptor },
        linkId: newId(),
        pageKey: newPageKey(),
        state: 'open',
        disableReason: null,
        tries: 0,
        cardTries: 0,
        boletoTries: 0,
        tryMethod: null,
        paymentId: null,
        receivedAmount: cents(0),
        receivedId: null,
        removals: 0,
        removalAt: null,
        isRemovalRested: true,
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
