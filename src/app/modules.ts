import { openAntiFraud } from '../antifraud/module.ts';
import { openCards } from '../cards/module.ts';
import { SEALED_CARD_TABLES } from '../cards/sealed-rows.sql.ts';
import { openVault } from '../cards/vault/module.ts';
import { openIdempotency } from '../idempotency/module.ts';
import { openKeys } from '../keys/module.ts';
import { openMerchants } from '../merchants/module.ts';
import { openPayments } from '../payments/module.ts';
import type { ServedEndpoint } from '../platform/http/endpoint.ts';
import type { Identify } from '../platform/http/server.ts';
import type { Module } from '../platform/module.ts';
import type { Work } from '../platform/work/due-work.ts';
import { openIssuerCodes } from '../providers/acquirers/module.ts';
import { SEALED_PROVIDERS } from '../providers/providers.sql.ts';
import { openReconciliation } from '../reconciliation/module.ts';
import { openRecurrence } from '../recurrence/module.ts';
import { openFees } from '../transactions/fees/change-fees.ts';
import { type Boletos, openBoletos } from '../transactions/methods/boleto/module.ts';
import { openPix } from '../transactions/methods/pix/module.ts';
import { openTransactions, type Transactions } from '../transactions/module.ts';
import { openWebhooks } from '../webhooks/module.ts';
import { SEALED_SECRETS } from '../webhooks/secrets/secrets.sql.ts';

import type { AppContext } from './context.ts';
import { type Homologation, loadHomologation } from './homologation.ts';
import { serviceHere } from './infrastructure.ts';
import { isRunBy } from './roles.ts';

export type Modules = {
  readonly endpoints: readonly ServedEndpoint[];
  readonly works: readonly Work[];
  readonly identify: Identify;
  readonly stopWaiting: () => Promise<void>;
};

/** Opens the modules, the lowest first. Each gets the lower ones that it uses. */
export async function openModules(context: AppContext): Promise<Modules> {
  const merchants = openMerchants(context);
  const idempotency = openIdempotency(context);
  const cards = await openCards(context);
  const antiFraud = await openAntiFraud(context, idempotency);
  const webhooks = openWebhooks(context);
  const transactions = openTransactions(context, {
    deliverer: webhooks.deliverer,
    decideVerification: antiFraud.decideVerification,
  });
  const { guardVerification } = transactions;
  const vault = openVault(context, { cards, idempotency, guardVerification });
  const fees = await context.whileDatabaseStarts(() =>
    openFees(context.database, context.configuration.fees),
  );
  const pix = openPix(context, { idempotency, webhooks, fees });
  const boletos = openBoletos(context, { idempotency, webhooks });
  const payments = openPayments(context, {
    idempotency,
    cards,
    antiFraud,
    transactions,
    pix,
    boletos,
    webhooks,
    fees,
  });
  const recurrence = openRecurrence(context, {
    idempotency,
    cards,
    transactions,
    webhooks,
    vault,
    pixOutage: pix.outage,
  });
  const reconciliation = openReconciliation(context, {
    webhooks,
    service: serviceHere(),
    findWatermark: transactions.findWatermark,
  });
  const keys = openKeys(context, [...SEALED_CARD_TABLES, ...SEALED_SECRETS, SEALED_PROVIDERS]);
  const modules: Module[] = [
    merchants,
    idempotency,
    keys,
    cards,
    vault,
    openIssuerCodes(context),
    antiFraud,
    webhooks,
    transactions,
    payments,
    recurrence,
    boletos,
    pix,
    reconciliation,
  ];
  const homologation = await openToolsOfHomologation(context, { transactions, boletos }, modules);
  if (homologation !== null) modules.push(homologation);
  return {
    endpoints: modules.flatMap(({ endpoints }) => endpoints),
    works: [...context.providerTable.works, ...fees.works, ...modules.flatMap(({ works }) => works)],
    identify: merchants.identify,
    stopWaiting: async () => {
      context.stopExports();
      await homologation?.stopWaiting();
    },
  };
}

/** Null in production, which loads nothing of homologation. */
async function openToolsOfHomologation(
  context: AppContext,
  { transactions, boletos }: { readonly transactions: Transactions; readonly boletos: Boletos },
  modules: readonly Module[],
): Promise<Homologation | null> {
  const { configuration, database, log, testClock, acquirerUrl, bankUrl } = context;
  if (testClock === null || acquirerUrl === null) return null;
  const { bankFeed } = boletos;
  const bank = bankUrl === null ? null : { bankUrl, feed: bankFeed };
  const { openHomologation } = await loadHomologation(configuration.environment);
  return openHomologation(
    { configuration, database, log, testClock },
    { simulatorUrl: acquirerUrl, changes: transactions.changes, bank },
    modules.flatMap(({ clockedWork }) => clockedWork),
    (work) => isRunBy(configuration.roles, work),
  );
}
