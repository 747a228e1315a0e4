import type { Service } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { familyTime, threadTimes } from '../measures/processes.ts';

const SPENDERS = ['gatewayMain', 'gatewayOthers', 'postgres', 'simulator'] as const;

/** Microseconds of processor time for each charge, by process. */
export type ChargeSpending = Readonly<Record<(typeof SPENDERS)[number], number>>;

export const CHARGE_SPENDING_HEAD = [
  'service: JavaScript',
  'its other threads',
  'PostgreSQL',
  'simulator',
  'sum',
];

/** Gives how much was spent for each of `count` since it was called. */
export function startSpending(bench: BenchService, service: Service): (count: number) => ChargeSpending {
  const before = spentSoFar(bench, service);
  return (count) => {
    const after = spentSoFar(bench, service);
    const entries = SPENDERS.map((name) => [name, ((after[name] - before[name]) * 1e6) / count]);
    return Object.fromEntries(entries) as ChargeSpending;
  };
}

/** In seconds. */
function spentSoFar({ server, simulator }: BenchService, service: Service): ChargeSpending {
  const gateway = threadTimes(service.process.pid ?? 0);
  return {
    gatewayMain: gateway.main,
    gatewayOthers: gateway.others,
    postgres: familyTime(server.processId),
    simulator: familyTime(simulator.process.pid ?? 0),
  };
}

export function chargeSpendingCells(spending: ChargeSpending): number[] {
  const sum = SPENDERS.reduce((all, name) => all + spending[name], 0);
  return [...SPENDERS.map((name) => spending[name]), sum].map(Math.round);
}
