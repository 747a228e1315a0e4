import { eraseWithWords } from '../../console/buyers/buyer-words.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { KeyOf, PersonalData, PersonFilter } from '../../platform/postgres/personal-rows.ts';
import {
  listPayerBoletos,
  PAYERS,
  type PayerBoleto,
} from '../../transactions/methods/boleto/payers/payers.sql.ts';
import {
  listPayerPix,
  type PayerPix,
  PIX_PAYERS,
} from '../../transactions/methods/pix/payers/pix-payers.sql.ts';
import { type FilterEraser, namesPerson } from './person.ts';

const PAGE = 100;

type BillsOfMethod<Bill, Id extends string> = {
  readonly kind: 'boleto' | 'pix';
  readonly whileOpen: 'openBoleto' | 'openPix';
  readonly id: Id;
  readonly list: (
    database: Database,
    filter: PersonFilter,
    behind: KeyOf<Id>,
    limit: number,
  ) => Promise<Bill[]>;
  readonly payers: PersonalData<Id>;
  readonly emailsOf: (bill: Bill) => readonly string[];
};

export const BOLETOS: BillsOfMethod<PayerBoleto, 'boletoId'> = {
  kind: 'boleto',
  whileOpen: 'openBoleto',
  id: 'boletoId',
  list: listPayerBoletos,
  payers: PAYERS,
  emailsOf: ({ payer: { email } }) => (email === null ? [] : [email]),
};

export const PIX: BillsOfMethod<PayerPix, 'pixId'> = {
  kind: 'pix',
  whileOpen: 'openPix',
  id: 'pixId',
  list: listPayerPix,
  payers: PIX_PAYERS,
  emailsOf: () => [],
};

/** A bill that may still be paid, or in which a text of the merchant names the person. */
type LeftBill = {
  readonly reason: 'openBoleto' | 'openPix' | 'merchantText';
  readonly merchantId: string;
  readonly kind: 'boleto' | 'pix';
  readonly id: string;
};

type AnyBill = Pick<PayerBoleto | PayerPix, 'referenceTransaction' | 'callbackUrl' | 'payer'>;

export async function eraseBillsOf<Id extends string, Bill extends AnyBill & KeyOf<Id>>(
  database: Database,
  { kind, whileOpen, id: field, list, payers, emailsOf }: BillsOfMethod<Bill, Id>,
  filter: PersonFilter,
  filters: FilterEraser,
): Promise<{ readonly erased: number; readonly left: readonly LeftBill[] }> {
  let erased = 0;
  const left: LeftBill[] = [];
  for (let behind: KeyOf<Id> | undefined = payers.first; behind !== undefined; ) {
    const page: Bill[] = await list(database, filter, behind, PAGE);
    await filters.erase(page.flatMap((bill) => [bill.payer.name, ...emailsOf(bill)]));
    const idsOf = (keys: readonly KeyOf<Id>[]) => keys.map((key) => key[field]);
    const gone = new Set(
      idsOf(await eraseWithWords(database, filter, (tx) => payers.erase(tx, page), idsOf)),
    );
    erased += gone.size;
    for (const bill of page) {
      const [id, emails] = [bill[field], emailsOf(bill)];
      const isNamed = [bill.referenceTransaction, bill.callbackUrl].some((text) =>
        namesPerson(text ?? '', filter.document, emails),
      );
      if (!gone.has(id)) left.push({ reason: whileOpen, merchantId: bill.merchantId, kind, id });
      else if (isNamed) left.push({ reason: 'merchantText', merchantId: bill.merchantId, kind, id });
    }
    behind = page.length < PAGE ? undefined : page.at(-1);
  }
  return { erased, left };
}
