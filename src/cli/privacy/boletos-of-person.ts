import type { BoletoKey } from '../../boletos/boleto.ts';
import {
  erasePayers,
  FIRST_BOLETO,
  listPayerBoletos,
  type PayerBoleto,
  type PayerFilter,
} from '../../boletos/payers/payers.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { FilterEraser } from './filters-of-person.ts';
import { namesPerson } from './person.ts';

const PAGE = 100;
/** All of it is printed at once. */
const MOST_BOLETOS = 10_000;

/** The boletos whose payer is the person; `isComplete` false: there are more. */
export async function findBoletosOf(
  database: Database,
  filter: PayerFilter,
): Promise<{ readonly boletos: readonly PayerBoleto[]; readonly isComplete: boolean }> {
  const boletos: PayerBoleto[] = [];
  while (boletos.length < MOST_BOLETOS) {
    const page = await listPayerBoletos(database, filter, boletos.at(-1) ?? FIRST_BOLETO, PAGE);
    boletos.push(...page);
    if (page.length < PAGE) return { boletos, isComplete: true };
  }
  return { boletos, isComplete: false };
}

/** What stays: one that may still be paid, or that the merchant's own texts name the person in. */
type LeftBoleto = {
  readonly reason: 'openBoleto' | 'merchantText';
  readonly merchantId: string;
  readonly kind: 'boleto';
  readonly id: string;
};

/** Removes the person from the boletos that are over, page by page. */
export async function eraseBoletosOf(
  database: Database,
  filter: PayerFilter,
  filters: FilterEraser,
): Promise<{ readonly boletos: number; readonly left: readonly LeftBoleto[] }> {
  let boletos = 0;
  const left: LeftBoleto[] = [];
  for (let behind: BoletoKey | undefined = FIRST_BOLETO; behind !== undefined; ) {
    const page: PayerBoleto[] = await listPayerBoletos(database, filter, behind, PAGE);
    await filters.erase(
      page.flatMap(({ payer }) => [payer.name, payer.email]).filter((name) => name !== null),
    );
    const gone = new Set((await erasePayers(database, page)).map(({ boletoId }) => boletoId));
    boletos += gone.size;
    for (const one of page) {
      const reason = gone.has(one.boletoId) ? textReason(one, filter.document) : 'openBoleto';
      if (reason !== null)
        left.push({ reason, merchantId: one.merchantId, kind: 'boleto', id: one.boletoId });
    }
    behind = page.length < PAGE ? undefined : page.at(-1);
  }
  return { boletos, left };
}

function textReason(
  { referenceTransaction, callbackUrl, payer }: PayerBoleto,
  document: string,
): 'merchantText' | null {
  const emails = payer.email === null ? [] : [payer.email];
  const texts = [referenceTransaction ?? '', callbackUrl ?? ''];
  return texts.some((text) => namesPerson(text, document, emails)) ? 'merchantText' : null;
}
