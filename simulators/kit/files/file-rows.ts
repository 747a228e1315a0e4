import { bankDayFrom } from '../bank-days.ts';
import type { Brand } from '../cards/decline-codes.ts';
import { newParts, type Taken } from '../cards/installments.ts';
import { payoutOf } from '../cards/payout.ts';
import { dayAfter, saoPauloDayOf } from '../days.ts';

/** What an installment was when it was sold. */
export type SoldPart = {
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  /** When it is expected at the bank. */
  readonly bankOn: string;
};

/** What the rows of a charge have in common. */
export type FileSale = {
  readonly reference: string;
  readonly tid: string;
  readonly nsu: number;
  readonly authorizationCode: string;
  readonly brand: Brand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Cents, as it was sold. */
  readonly amount: number;
  /** Hundredths of a percent. */
  readonly feePortion: number;
  readonly soldAt: number;
  readonly soldOn: string;
  readonly parts: readonly SoldPart[];
  /** The ledger does not know of it. */
  readonly isForeign: boolean;
};

/**
 * Only where they were ordered: `pledge`, paid to somebody else who has a claim on the money; `unknown`, a
 * payout under a code that no layout knows.
 */
export type RowKind = 'sale' | 'payout' | 'cancel' | 'chargeback' | 'pledge' | 'unknown';

/** What a day's file says of a sale or of one of its installments. Cents, none of them negative. */
export type FileRow = {
  readonly kind: RowKind;
  readonly sale: FileSale;
  /** Null: of the sale as a whole. */
  readonly installmentNumber: number | null;
  readonly gross: number;
  readonly fee: number;
  readonly anticipationFee: number;
  readonly net: number;
  readonly bankOn: string;
  readonly happenedAt: number;
  /** Of a cancellation or a chargeback. */
  readonly taken: readonly Taken[];
};

const SETTLED_AFTER_DAYS = 30;

/** A sale as its rows name it, with the installments that it was sold in. */
export function fileSale(
  sold: Omit<FileSale, 'soldOn' | 'parts' | 'isForeign'> & { readonly installments: number },
): FileSale {
  const { installments, ...sale } = sold;
  const soldOn = saoPauloDayOf(sale.soldAt);
  const parts = newParts(sale.amount, installments).map(({ rest: gross }, index) => {
    const { fee, net } = payoutOf(sale, gross, null);
    return { gross, fee, net, bankOn: bankDayFrom(dayAfter(soldOn, (index + 1) * SETTLED_AFTER_DAYS)) };
  });
  return { ...sale, soldOn, parts, isForeign: false };
}

/** The row of a sale as a whole, in the file of the day on which it was sold. */
export function saleRow(sale: FileSale): FileRow {
  const { fee, net } = sumOf(sale.parts);
  const told = { installmentNumber: null, happenedAt: sale.soldAt, bankOn: sale.parts[0]?.bankOn ?? '' };
  return { kind: 'sale', sale, ...told, gross: sale.amount, fee, anticipationFee: 0, net, taken: [] };
}

type Money = { readonly gross: number; readonly fee: number; readonly net: number };

export function sumOf(amounts: readonly Money[]): Money {
  const sum = { gross: 0, fee: 0, net: 0 };
  for (const { gross, fee, net } of amounts) {
    sum.gross += gross;
    sum.fee += fee;
    sum.net += net;
  }
  return sum;
}
