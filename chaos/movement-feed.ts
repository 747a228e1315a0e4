import { call, logIn } from '../test/kit/merchant.ts';
import type { ChaosBench, Shop } from './chaos-bench.ts';
import type { Gateway } from './gateways.ts';

/** A movement as `GET /api/movements` answers it. */
export type FedMovement = {
  readonly movementId: number;
  readonly paymentId: string;
  readonly installmentNumber: number;
  readonly oldValue: string | null;
  readonly newValue: string;
  /** Cents of the installment, as it was sold. */
  readonly amount: number;
};

type Page = { readonly items: readonly FedMovement[]; readonly next: number };

const PAGE = 100;
const MOST_TRIES = 40;
const PAUSE_MILLISECONDS = 250;
/** How far each merchant of a bench has read. */
const places = new WeakMap<ChaosBench, Map<string, number>>();

/**
 * Every movement of a merchant's account that was not read before, as an ERP catches up: each once,
 * in order.
 */
export async function newMovements(
  bench: ChaosBench,
  { merchantId, accountNumber, integration }: Shop,
  gateway: () => Promise<Gateway>,
): Promise<FedMovement[]> {
  const read = places.getOrInsertComputed(bench, () => new Map());
  const found: FedMovement[] = [];
  for (;;) {
    const after = read.get(merchantId) ?? 0;
    const path = `/api/movements?accountNumber=${accountNumber}&after=${after}&limit=${PAGE}`;
    const page = await withPatience(async () => {
      const { integrationUrl } = await gateway();
      const token = await tokenOf(bench, merchantId, () =>
        logIn(integrationUrl, integration, '/api/authentication/login'),
      );
      const { status, body } = await call(integrationUrl, path, { token });
      if (status !== 200) throw new Error(`the feed was answered ${status}`);
      return body as Page;
    });
    if (page.items.length === 0) return found;
    found.push(...page.items);
    read.set(merchantId, page.next);
  }
}

const TOKEN_MILLISECONDS = 20 * 60_000;
const tokens = new WeakMap<ChaosBench, Map<string, { readonly token: string; readonly at: number }>>();

async function tokenOf(bench: ChaosBench, merchantId: string, make: () => Promise<string>): Promise<string> {
  const known = tokens.getOrInsertComputed(bench, () => new Map());
  const kept = known.get(merchantId);
  if (kept !== undefined && performance.now() - kept.at < TOKEN_MILLISECONDS) return kept.token;
  const token = await make();
  known.set(merchantId, { token, at: performance.now() });
  return token;
}

async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  let reason: unknown;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      reason = error;
      await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
    }
  }
  throw reason;
}
