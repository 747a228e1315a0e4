import type { Answered } from '../log.ts';
import type { Till } from '../merchant-client.ts';

/** Of the simulator, which answers these as an acquirer in trouble does. */
const TROUBLED_AMOUNTS: readonly number[] = [1_001, 1_002, 1_003, 1_004];

/** Requests that have no answer, or a 5xx, though acquirer and buyer were well. */
export function unexplainedFailures({ payments, cancels, events }: Till): string[] {
  const asked = [
    ...payments
      .filter(({ amount }) => !TROUBLED_AMOUNTS.includes(amount))
      .map((entry) => ({ ...entry, what: 'payment' })),
    ...cancels.map((entry) => ({ ...entry, what: 'cancel' })),
    ...events.map((entry) => ({ ...entry, what: 'event' })),
  ];
  return asked.filter(isFailed).map(({ what, reference, status, body, lostBy }) => {
    const answer = status === null ? `lost by ${lostBy}` : `${status} ${JSON.stringify(body)}`;
    return `${what} of ${reference}: ${answer.slice(0, 200)}`;
  });
}

function isFailed({ status }: Pick<Answered, 'status'>): boolean {
  return status === null || status >= 500;
}
