import { countUnresolvedBoletos } from '../../boletos/unresolved/unresolved-boletos.sql.ts';
import { listMerchants } from '../../merchants/list-merchants.ts';
import type { Gate } from '../../platform/gate.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { countExceptions } from '../../reconciliation/exceptions/exception-counts.sql.ts';
import { findOldestDueDay } from '../../recurrence/collection/due-billings.sql.ts';
import { countUnresolved } from '../../transactions/unresolved/unresolved.sql.ts';
import { countDeliveries } from '../../webhooks/deliveries/endpoint-changes.sql.ts';
import type { Health } from './health.ts';

export type FindHealthTools = { readonly database: Database; readonly gate: Pick<Gate, 'reason'> };

/** Every count stops at a bound of its own, so that it is cheap however long an outage lasts. */
export async function findHealth({ database, gate }: FindHealthTools): Promise<Health> {
  const unresolved = await countUnresolved(database);
  const boletos = await countUnresolvedBoletos(database);
  const deliveries = await countDeliveries(database);
  const exceptions = await countExceptions(database);
  const merchants = await listMerchants({ database });
  return {
    heldBecause: gate.reason(),
    unresolved: [...unresolved, { kind: 'boleto', ...boletos }],
    deliveries,
    oldestDueOn: await findOldestDueDay(database),
    exceptions: exceptions.open.filter(({ count }) => count > 0),
    merchants: {
      inAll: merchants.length,
      disabled: merchants.filter(({ isDisabled }) => isDisabled).length,
      billingsHeld: merchants.filter(({ hasBillingsHeld }) => hasBillingsHeld).length,
    },
    readAt: Date.now(),
  };
}
