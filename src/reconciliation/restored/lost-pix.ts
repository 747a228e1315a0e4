import { fieldsOfLine } from '../../audit/shipped-line.ts';
import { isUuid } from '../../values/ids.ts';

/** A Pix charge that a merchant asked for, from the log of the lost services. */
export type LostPix = {
  readonly pixId: string;
  readonly merchantId: string;
  readonly referenceTransaction: string | null;
};

const LONGEST_REFERENCE = 50;

/** null: another kind of line. `route`: of the request that makes such a charge. */
export function readLostPix(text: string, route: string): LostPix | null {
  const of = fieldsOfLine(text, 'paymentId');
  if (of === null || of('method', 'http.request.method') !== 'POST' || of('route', 'http.route') !== route)
    return null;
  const [pixId, merchantId] = [of('paymentId'), of('merchantId', 'organization.id')];
  if (typeof pixId !== 'string' || !isUuid(pixId) || typeof merchantId !== 'string') return null;
  const reference = of('referenceTransaction');
  const isKept = typeof reference === 'string' && [...reference].length <= LONGEST_REFERENCE;
  return { pixId: pixId.toLowerCase(), merchantId, referenceTransaction: isKept ? reference : null };
}
