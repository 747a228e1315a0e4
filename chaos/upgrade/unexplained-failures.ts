import type { Answered } from '../log.ts';
import type { Till } from '../merchant-client.ts';

/** Of the simulator, which answers these as an acquirer in trouble does. */
const TROUBLED_AMOUNTS: readonly number[] = [1_001, 1_002, 1_003, 1_004];

/**
 * Payments and cancels that have no answer, or a 5xx, though the acquirer was well. Events that homologation
 * forces wait for each other's locks, and may be cut where the machine is slow: what came of them is judged.
 */
export function unexplainedFailures({ payments, cancels }: Till): string[] {
  const asked = [
    ...payments.filter(({ amount }) => !TROUBLED_AMOUNTS.includes(amount)),
    ...cancels.map((entry) => ({ ...entry, operation: 'cancel' })),
  ];
  return asked.filter(isFailed).map(({ operation, reference, status, body, lostBy }) => {
    const answer = status === null ? `lost by ${lostBy}` : `${status} ${JSON.stringify(body)}`;
    return `${operation} of ${reference}: ${answer.slice(0, 200)}`;
  });
}

function isFailed({ status }: Pick<Answered, 'status'>): boolean {
  return status === null || status >= 500;
}
