import { createHash } from 'node:crypto';
import type { Brand } from './decline-codes.ts';

const LENGTH = 22;
export const TRANSACTION_LINK = /^[\w-]{22}$/;

/** Mastercard's Transaction Link Identifier of an approval: as unique as the network's other id of it. */
export function transactionLinkOf(brand: Brand, networkTransactionId: string): string | null {
  if (brand !== 'mastercard') return null;
  return createHash('sha256').update(networkTransactionId).digest('base64url').slice(0, LENGTH);
}
