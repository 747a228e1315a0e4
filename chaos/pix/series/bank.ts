import type { ChaosBench } from '../../chaos-bench.ts';
import { again } from '../../recurrence/patience.ts';
import { type BankCharge, type BankPix, orderOfPixBank, urlOf } from '../bank-ledger.ts';
import { PIX_CLIENT } from '../bank-settings.ts';

/** An authorization as the bank's ledger has it. */
type BankRec = {
  readonly idRec: string;
  readonly status: string;
  readonly vinculo: { readonly contrato: string };
};

/** A charge under an authorization, as the bank's ledger has it. */
type BankCobR = { readonly txid: string; readonly idRec: string; readonly status: string };

/** `endsAt`: nobody can pay it any more; that is no status of the standard. */
type BankFirstCharge = BankCharge & { readonly endsAt: string };

export type BankOfSeries = {
  readonly recs: readonly BankRec[];
  readonly cobrs: readonly BankCobR[];
  readonly charges: readonly BankFirstCharge[];
  readonly arrived: readonly BankPix[];
};

/** As the simulated bank knows a merchant whose charges are made by its calendar. */
const customerOf = (merchantId: string) => `${PIX_CLIENT}--${merchantId}`;

export async function readBankOfSeries(bench: ChaosBench, merchantId: string): Promise<BankOfSeries> {
  const read = async <T>(what: string): Promise<T[]> => {
    const path = `/simulator/ledger/${what}?clientId=${customerOf(merchantId)}`;
    const { items } = await again(async () => {
      const answer = await fetch(urlOf(bench, path));
      if (answer.status !== 200) throw new Error(`the bank answered ${path} with ${answer.status}`);
      return (await answer.json()) as { items: T[] };
    });
    return items;
  };
  return {
    recs: await read<BankRec>('authorizations'),
    cobrs: await read<BankCobR>('recurring'),
    charges: await read<BankFirstCharge>('charges'),
    arrived: await read<BankPix>('pix'),
  };
}

/** Orders something of the bank about a merchant's charges; null: it was away, or lost the answer. */
export function orderForSeries(bench: ChaosBench, merchantId: string, path: string, body: object) {
  return orderOfPixBank(bench, path, { clientId: customerOf(merchantId), ...body }).catch(() => null);
}
