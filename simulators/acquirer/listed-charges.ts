import { networkNames } from './answers.ts';
import type { Charge, Charges } from './charges.ts';
import { tidOf } from './tid.ts';

export type ListQuery = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly after: number;
  readonly limit: number;
};

/**
 * The charges that were booked, captured, undone or canceled since an instant, each once, in the
 * order in which they were booked: `next` is the place of the last one in that order.
 */
export function listPage(charges: Charges, { merchantId, since, after, limit }: ListQuery): object {
  const all = merchantId === null ? charges.inOrder : charges.ofMerchant(merchantId);
  const found: object[] = [];
  let place = after;
  for (; place < all.length && found.length < limit; place += 1) {
    const charge = all[place];
    if (charge !== undefined && charge.changedAt >= since) found.push(listedCharge(charges, charge));
  }
  const hasMore = all.slice(place).some(({ changedAt }) => changedAt >= since);
  return { items: found, next: place, hasMore };
}

function listedCharge(charges: Charges, charge: Charge): object {
  const { merchantId, reference, merchantReference, status, amount, authorizedAmount, canceledAmount } =
    charge;
  const { installments, capture, initiator, card, decision } = charge;
  const { brand, firstSix, lastFour } = card;
  const isApproved = decision.outcome === 'approved';
  return {
    ...{ merchantId, reference, merchantReference, status, amount, authorizedAmount, canceledAmount },
    ...{ installments, captureLater: capture === 'later', initiator, brand, firstSix, lastFour },
    soldAt: textOf(charge.soldAt),
    authorizedAt: textOf(charge.at),
    changedAt: textOf(charge.changedAt),
    authorizationCode: isApproved ? decision.authorizationCode : null,
    nsu: isApproved ? String(decision.nsu) : null,
    ...networkNames(charge),
    tid: tidOf(charge),
    responseCode: isApproved ? null : decision.responseCode,
    adviceCode: isApproved ? null : decision.adviceCode,
    cancellations: charge.requests.flatMap((request) =>
      request.type === 'cancellation' ? [cancellationOf(charges, request)] : [],
    ),
    captures: charge.requests.flatMap((request) => (request.type === 'capture' ? [captureOf(request)] : [])),
  };
}

type RequestOf<T> = Extract<Charge['requests'][number], { type: T }>;

function cancellationOf(charges: Charges, asked: RequestOf<'cancellation'>): object {
  const { merchantId, cancellationReference, amount, requestedAt } = asked;
  const booked = charges.cancellation(merchantId, cancellationReference);
  const ended = booked?.refusal === null ? 'canceled' : 'refused';
  const outcome = booked?.isPending === true ? 'pending' : ended;
  return { cancellationReference, amount, outcome, requestedAt: textOf(requestedAt) };
}

function captureOf({ captureReference, amount, capturedAt }: RequestOf<'capture'>): object {
  return { captureReference, amount, capturedAt: textOf(capturedAt) };
}

function textOf(instant: number): string {
  return new Date(instant).toISOString();
}
