import type { Question } from '../../../platform/channels/ask-once.ts';
import type { SharedPool } from '../../../platform/channels/shared-pool.ts';
import { utcText } from '../../../values/instant.ts';
import type { Acquirer } from '../../acquirer.ts';
import { connectedOrUnknown } from './bridge-answers.ts';
import { readChanges } from './change-answers.ts';
import { readCharges } from './charge-pages.ts';

/** The line of queries about all merchants. */
export const ALL_MERCHANTS = '';
/** A page of changes, 500 of at most a kilobyte each, or of charges, 100 of at most five. */
const LARGEST_PAGE_BYTES = 512 * 1024;

/** What a bridge reports in pages. */
export function bridgePages(wire: {
  readonly resolving: Pick<SharedPool, 'ask'>;
  readonly asking: (method: 'GET', path: string) => Question;
}): Pick<Acquirer, 'changesSince' | 'listCharges'> {
  const { resolving, asking } = wire;
  return {
    async changesSince(request, timeout) {
      const query = new URLSearchParams({ until: utcText(request.until), limit: String(request.limit) });
      if (request.cursor !== null) query.set('after', request.cursor);
      if (request.merchantId !== null) query.set('merchantId', request.merchantId);
      const question = asking('GET', `/changes?${query}`);
      const wanted = { merchantId: request.merchantId ?? ALL_MERCHANTS };
      const answer = await resolving.ask(wanted, question, timeout, LARGEST_PAGE_BYTES);
      return readChanges(connectedOrUnknown(answer), request);
    },
    async listCharges(request, timeout) {
      const query = new URLSearchParams({ since: utcText(request.since), limit: String(request.limit) });
      if (request.cursor !== null) query.set('after', request.cursor);
      if (request.merchantId !== null) query.set('merchantId', request.merchantId);
      const question = asking('GET', `/charges?${query}`);
      const wanted = { merchantId: request.merchantId ?? ALL_MERCHANTS };
      const answer = await resolving.ask(wanted, question, timeout, LARGEST_PAGE_BYTES);
      return readCharges(connectedOrUnknown(answer), request);
    },
  };
}
