import type { BenchService } from '../bench-service.ts';
import { endedChildrenTime, familyTime, threadTimes } from '../measures/processes.ts';
import type { WebhookShop } from './webhook-shop.ts';

const SPENDERS = ['gatewayMain', 'gatewayOthers', 'postgres', 'simulator', 'listener', 'load'] as const;
type Spender = (typeof SPENDERS)[number];
/** Microseconds of processor time for each of something, by process. */
export type Spending = Readonly<Record<Spender, number>>;

export const SPENDING_HEAD = [
  'gateway: JavaScript',
  'its other threads',
  'PostgreSQL',
  'simulator',
  'listener',
  'load',
];

/** What all processes spent while `act` ran, for each of what it did (it gives how many). */
export async function spendingOf(
  bench: BenchService,
  shop: WebhookShop,
  act: () => Promise<number>,
): Promise<Spending> {
  const before = spentSoFar(bench, shop);
  const count = await act();
  const after = spentSoFar(bench, shop);
  const entries = SPENDERS.map((name) => [name, ((after[name] - before[name]) * 1e6) / count]);
  return Object.fromEntries(entries) as Spending;
}

/** In seconds. */
function spentSoFar({ server, simulator }: BenchService, { service, listener }: WebhookShop): Spending {
  const gateway = threadTimes(service.process.pid ?? 0);
  return {
    gatewayMain: gateway.main,
    gatewayOthers: gateway.others,
    postgres: familyTime(server.processId),
    simulator: familyTime(simulator.process.pid ?? 0),
    listener: familyTime(listener.process.pid ?? 0),
    load: endedChildrenTime(),
  };
}

export function spendingCells(spending: Spending): number[] {
  return SPENDERS.map((name) => Math.round(spending[name]));
}

/** In all processes together. */
export function spendingSum(spending: Spending): number {
  return SPENDERS.reduce((sum, name) => sum + spending[name], 0);
}
