import type { ChaosBench } from '../chaos-bench.ts';
import { again } from '../recurrence/patience.ts';
import { PIX_CLIENT } from './bank-settings.ts';

/** A charge as the bank's ledger has it. */
export type BankCharge = {
  readonly txid: string;
  readonly status: string;
  readonly valor: { readonly original: string };
  readonly pixCopiaECola: string;
};

type Devolution = {
  readonly id: string;
  readonly valor: string;
  readonly natureza?: string;
  readonly status: string;
};

/** What arrived, as the bank's ledger has it. */
export type BankPix = {
  readonly txid?: string;
  readonly endToEndId: string;
  /** Cents. */
  readonly amount: number;
  readonly givenBack: number;
  readonly devolucoes?: readonly Devolution[];
};

export type BankLedger = { readonly charges: readonly BankCharge[]; readonly arrived: readonly BankPix[] };

const PAGE = 10_000;

export async function readPixLedger(bench: ChaosBench): Promise<BankLedger> {
  const charges = await readAll<BankCharge>(bench, 'charges');
  return { charges, arrived: await readAll<BankPix>(bench, 'pix') };
}

async function readAll<T>(bench: ChaosBench, what: 'charges' | 'pix'): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const path = `/simulator/ledger/${what}?clientId=${PIX_CLIENT}&after=${found.length}&limit=${PAGE}`;
    const { items } = await again(async () => {
      const answer = await fetch(urlOf(bench, path));
      if (answer.status !== 200) throw new Error(`the bank answered ${path} with ${answer.status}`);
      return (await answer.json()) as { items: T[] };
    });
    found.push(...items);
    if (items.length < PAGE) return found;
  }
}

/** Orders something of the bank; gives its answer. Throws while it is away. */
export async function orderOfPixBank(
  bench: ChaosBench,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(urlOf(bench, `/simulator/${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId: PIX_CLIENT, ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export const centsIn = (valor: string): number => Math.round(Number(valor) * 100);
export const reaisIn = (cents: number): string => (cents / 100).toFixed(2);

export function urlOf({ pixBank }: ChaosBench, path: string): string {
  if (pixBank === null) throw new Error('this bench has no bank of Pix');
  return pixBank.url + path;
}
