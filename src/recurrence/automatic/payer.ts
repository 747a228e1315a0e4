import type { PixPayer } from '../../providers/pix/pix-bank.ts';
import type { Authorization } from './authorizations.sql.ts';

/** null: the payer was erased. */
export function payerOf({ customer }: Pick<Authorization, 'customer'>): PixPayer | null {
  const { name, documentNumber } = customer ?? {};
  return name === undefined || documentNumber === undefined ? null : { name, documentNumber };
}
