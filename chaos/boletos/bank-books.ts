import type { ChaosBench } from '../chaos-bench.ts';
import { again } from '../recurrence/patience.ts';

/** A boleto as the bank's ledger has it. */
export type BankBoleto = {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly status: 'refused' | 'issued' | 'paid' | 'canceled' | 'expired';
  readonly amount: number;
  readonly dueOn: string;
  /** All that it has had, the newest last. */
  readonly dueDays: readonly string[];
  readonly barCode: string | null;
  readonly payments: readonly { readonly amount: number; readonly paidOn: string }[];
};

const PAGE = 10_000;

/** The whole ledger of the bank. */
export async function readBankLedger(bench: ChaosBench): Promise<BankBoleto[]> {
  const found: BankBoleto[] = [];
  for (;;) {
    const path = `/ledger?after=${found.length}&limit=${PAGE}`;
    const { items } = (await again(() => askBank(bench, path))) as { items: BankBoleto[] };
    found.push(...items);
    if (items.length < PAGE) return found;
  }
}

/** Orders something of the bank; gives the status of its answer. Throws while it is away. */
export async function orderAtBank(bench: ChaosBench, path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(urlOf(bench, path), { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.text();
  return answer.status;
}

async function askBank(bench: ChaosBench, path: string): Promise<unknown> {
  const answer = await fetch(urlOf(bench, path));
  if (answer.status !== 200) throw new Error(`the bank answered ${path} with ${answer.status}`);
  return answer.json();
}

function urlOf({ bank }: ChaosBench, path: string): string {
  if (bank === null) throw new Error('this bench has no bank');
  return bank.url + path;
}
