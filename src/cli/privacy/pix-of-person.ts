import { eraseWithWords } from '../../console/buyers/buyer-words.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  erasePixPayers,
  FIRST_PIX,
  listPayerPix,
  type PayerPix,
} from '../../transactions/methods/pix/payers/pix-payers.sql.ts';
import type { PixKey } from '../../transactions/methods/pix/pix.ts';
import { type FilterEraser, namesPerson } from './person.ts';

type Filter = Parameters<typeof listPayerPix>[1];

const PIX_OF_A_PAGE = 100;
const MOST_PIX = 10_000;

export async function findPixOf(
  database: Database,
  filter: Filter,
): Promise<{ readonly pix: readonly PayerPix[]; readonly isComplete: boolean }> {
  const pix: PayerPix[] = [];
  while (pix.length < MOST_PIX) {
    const page = await listPayerPix(database, filter, pix.at(-1) ?? FIRST_PIX, PIX_OF_A_PAGE);
    pix.push(...page);
    if (page.length < PIX_OF_A_PAGE) return { pix, isComplete: true };
  }
  return { pix, isComplete: false };
}

/** It may still be paid, or a text of the merchant names the person. */
type LeftPix = {
  readonly reason: 'openPix' | 'merchantText';
  readonly merchantId: string;
  readonly kind: 'pix';
  readonly id: string;
};

export async function erasePixOf(
  database: Database,
  filter: Filter,
  filters: FilterEraser,
): Promise<{ readonly pix: number; readonly left: readonly LeftPix[] }> {
  let pix = 0;
  const left: LeftPix[] = [];
  for (let behind: PixKey | undefined = FIRST_PIX; behind !== undefined; ) {
    const page: PayerPix[] = await listPayerPix(database, filter, behind, PIX_OF_A_PAGE);
    await filters.erase(page.map(({ payer }) => payer.name));
    const erased = await eraseWithWords(
      database,
      filter,
      (tx) => erasePixPayers(tx, page),
      (keys) => keys.map(({ pixId }) => pixId),
    );
    const gone = new Set(erased.map(({ pixId }) => pixId));
    pix += gone.size;
    for (const one of page) {
      const { merchantId, pixId: id, referenceTransaction, callbackUrl } = one;
      const isNamed = [referenceTransaction, callbackUrl].some((text) =>
        namesPerson(text ?? '', filter.document, []),
      );
      if (!gone.has(id)) left.push({ reason: 'openPix', merchantId, kind: 'pix', id });
      else if (isNamed) left.push({ reason: 'merchantText', merchantId, kind: 'pix', id });
    }
    behind = page.length < PIX_OF_A_PAGE ? undefined : page.at(-1);
  }
  return { pix, left };
}
