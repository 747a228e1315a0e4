import { payoutOf } from '../cards/payout.ts';
import { dayAfter } from '../days.ts';
import type { FileRow, FileSale, RowKind } from './file-rows.ts';

/** Ways in which a file can be made to differ from the ledger, one at a time. */
export const FILE_FAULTS = [
  'rowMissing',
  'rowTwice',
  'anotherAmount',
  'anotherFee',
  'lateDay',
  'brokenTrailer',
  'foreignRow',
  'unknownCancel',
  'unknownChargeback',
  'pledge',
  'debitTwice',
  'unknownCode',
] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

/** The kinds of rows that an ordered fault counts and spoils; null: those of the format. */
export function kindsSpoiled(fault: FileFault): readonly RowKind[] | null {
  return fault === 'debitTwice' ? ['cancel', 'chargeback'] : null;
}

/** One real. */
const DIFFERENCE_CENTS = 100;

/**
 * The rows with a fault in the `position`-th of some kinds, counted from 1; the same order spoils the
 * same row. Null: there are not so many.
 */
export function spoiledRows(
  rows: readonly FileRow[],
  fault: FileFault,
  target: { readonly kinds: readonly RowKind[]; readonly position: number },
): FileRow[] | null {
  let position = 0;
  const index = rows.findIndex(({ kind }) => target.kinds.includes(kind) && ++position === target.position);
  const row = rows[index];
  if (row === undefined) return null;
  return rows.toSpliced(index, 1, ...spoiledRow(row, fault));
}

/** What stands in place of the row. */
function spoiledRow(row: FileRow, fault: FileFault): readonly FileRow[] {
  const { gross, fee, net } = row;
  switch (fault) {
    case 'rowMissing':
      return [];
    case 'rowTwice':
    case 'debitTwice':
      return [row, row];
    case 'anotherAmount': {
      // The fee is that of the amount, so that only this differs.
      const more = payoutOf(row.sale, DIFFERENCE_CENTS, null);
      return [{ ...row, gross: gross + DIFFERENCE_CENTS, fee: fee + more.fee, net: net + more.net }];
    }
    case 'anotherFee': {
      const difference = Math.min(DIFFERENCE_CENTS, net);
      return [{ ...row, fee: fee + difference, net: net - difference }];
    }
    case 'lateDay':
      return [{ ...row, bankOn: dayAfter(row.bankOn, 1) }];
    case 'foreignRow':
      return [row, { ...row, sale: foreignSale(row.sale) }];
    case 'unknownCancel':
      return [row, givenBack(row, 'cancel')];
    case 'unknownChargeback':
      return [row, givenBack(row, 'chargeback')];
    case 'pledge':
      return [{ ...row, kind: 'pledge' }];
    case 'unknownCode':
      return [{ ...row, kind: 'unknown' }];
    case 'brokenTrailer':
      return [row];
  }
}

/** A row may stand for several sales (Rede): what is given back is of its first. */
function givenBack(row: FileRow, kind: RowKind): FileRow {
  const installmentNumber = row.installmentNumber ?? 1;
  const gross = Math.min(row.gross, row.sale.parts[installmentNumber - 1]?.gross ?? row.gross);
  const taken = [{ installmentNumber, amount: gross, left: 0, wasPaid: true }];
  return { ...row, kind, gross, fee: 0, anticipationFee: 0, net: gross, taken };
}

/** Looks like the sale, and has nothing of it by which it could be found. */
function foreignSale(sale: FileSale): FileSale {
  return {
    ...sale,
    reference: `f${'0'.repeat(31)}`,
    tid: `9${sale.tid.slice(1)}`,
    nsu: sale.nsu + 500_000_000_000,
    authorizationCode: codeBehind(sale.authorizationCode),
    isForeign: true,
  };
}

/** Another code of the same form. */
function codeBehind(code: string): string {
  const first = (Number.parseInt(code.slice(0, 1), 36) + 1) % 36;
  return first.toString(36).toUpperCase() + code.slice(1);
}
