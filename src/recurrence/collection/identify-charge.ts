import { hash } from 'node:crypto';

/**
 * The id of the try that takes the billing at this fence: a UUID of version 8 that sorts with its billing. A
 * restored database makes the same id again, and the acquirer returns the answer that it has.
 */
export function identifyCharge(billingId: string, fence: number): string {
  const digits = hash('sha256', `charge|${billingId.toLowerCase()}|${fence}`, 'hex');
  const [third, fourth, last] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6, 18)];
  return `${billingId.slice(0, 13).toLowerCase()}-8${third}-8${fourth}-${last}`;
}
