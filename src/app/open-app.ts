import { antiFraudRoutes } from '../antifraud/routes.ts';
import type { Audit } from '../audit/audit-event.ts';
import { auditRefusedAccess, type OnForbidden } from '../audit/audit-refused-access.ts';
import { auditedKeyChanges } from '../audit/key-changes.ts';
import { cardRoutes } from '../cards/routes.ts';
import { SEALED_CARD_TABLES } from '../cards/sealed-rows.sql.ts';
import { vaultRoutes } from '../cards/vault/routes.ts';
import { cardKeyWork } from '../cards/work.ts';
import type { EventTools } from '../homologation/events/ask-for-event.ts';
import { forgetOldKeys } from '../idempotency/work.ts';
import { keyWork } from '../keys/work.ts';
import { merchantRoutes } from '../merchants/routes.ts';
import { identifyCaller } from '../merchants/tokens/identify-caller.ts';
import { forgetExpiredAccess } from '../merchants/work.ts';
import { cancelRoutes } from '../payments/cancels/routes.ts';
import { movementRoutes } from '../payments/movements/routes.ts';
import { paymentRoutes } from '../payments/routes.ts';
import { paymentQueryRoutes } from '../payments/status/routes.ts';
import type { Drain } from '../platform/http/draining.ts';
import type { Route } from '../platform/http/endpoint.ts';
import { healthRoutes, type UnreadyReason } from '../platform/http/health.ts';
import { serverUrls } from '../platform/http/listen.ts';
import type { Identify } from '../platform/http/server.ts';
import { errorFields } from '../platform/log.ts';
import { documentRoutes } from '../platform/reference/documents.ts';
import { startWork, type Work } from '../platform/work/due-work.ts';
import { SEALED_SECRETS } from '../webhooks/secrets/sealed-secrets.sql.ts';
import { ENDPOINTS, referenceOf } from './api.ts';
import { type Ground, serviceHere } from './infrastructure.ts';
import { type Base, openMoneyRooms } from './money-modules.ts';
import { openRecurrenceRooms, type RecurrenceRooms } from './recurrence-modules.ts';
import { openWebhookRooms, type WebhookRooms } from './webhook-modules.ts';

export type Rooms = {
  readonly routes: Route[];
  readonly drain: Drain;
  readonly identify: Identify;
  readonly onForbidden: OnForbidden;
};

/** The rooms with what each needs; their work starts here. */
export async function openRooms(
  ground: Ground,
  base: Base,
  acquirerUrl: string,
  drain: Drain,
): Promise<Rooms> {
  const { configuration, metrics } = ground;
  const { database, audit } = base;
  const { environment } = configuration;
  const merchants = merchantTools(ground, base);
  const webhooks = openWebhookRooms(ground, base);
  const money = await openMoneyRooms(ground, base, acquirerUrl, webhooks);
  const { antiFraud, cards, payments, changes } = money;
  const charging = { ...payments, settled: money.billingSignal, outage: money.acquirerOutage };
  const recurrence = openRecurrenceRooms(ground, base, charging, webhooks);
  const homologation = await openHomologation(
    environment,
    base,
    { simulatorUrl: acquirerUrl, changes },
    webhooks,
    recurrence,
  );
  const routes: Route[] = [
    ...merchantRoutes(merchants),
    ...cardRoutes(cards),
    ...vaultRoutes(payments),
    ...antiFraudRoutes(antiFraud),
    ...paymentRoutes(payments, configuration.minimumInstallment, webhooks.urlRules),
    ...paymentQueryRoutes(payments),
    ...cancelRoutes(payments),
    ...movementRoutes(payments),
    ...[recurrence, webhooks, homologation].flatMap((rooms) => rooms.routes),
    ...healthRoutes(
      () => database.ping().then(() => true),
      () => whyUnready(ground, drain),
    ),
    ...documentRoutes({
      ...referenceOf(environment),
      serverUrls: serverUrls(configuration.gateway, configuration.integration),
    }),
  ];
  checkAllDescribed(routes, environment);
  const commitChange = auditedKeyChanges(audit, serviceHere());
  const works = [
    ...money.works,
    forgetExpiredAccess(database),
    forgetOldKeys(database),
    ...keyWork({
      ...base,
      environment,
      commitChange,
      sealedTables: [...SEALED_CARD_TABLES, ...SEALED_SECRETS],
      observeAge: (purpose, seconds) => metrics.dataKeyAge.set({ purpose }, seconds),
    }),
    ...cardKeyWork({ ...base, cardKeys: cards.cardKeys, commitChange }),
    ...[recurrence, webhooks, homologation].flatMap((rooms) => rooms.works),
  ];
  startAll(ground, works);
  return { routes, drain, identify: identifyCaller(merchants), onForbidden: countRefused(ground, audit) };
}

function merchantTools({ configuration, log, metrics }: Ground, { database, audit }: Base) {
  const { loginFailures: limits, environment } = configuration;
  return { database, audit, log, metrics, limits, enforceAddresses: environment === 'production' };
}

/** The simulator's ledger, events by hand, and the test clock, with which whatever falls due by business time comes along. */
async function openHomologation(
  environment: string,
  base: Base,
  tools: EventTools,
  { deliveries }: WebhookRooms,
  { charger, notices }: RecurrenceRooms,
): Promise<{ readonly routes: Route[]; readonly works: Work[] }> {
  if (environment !== 'homologation') return { routes: [], works: [] };
  const { homologationRoutes } = await import('../homologation/routes.ts');
  const { pullClockedChanges } = await import('../homologation/events/pull-clocked-changes.ts');
  const jumps = base.openJumps([
    pullClockedChanges(tools),
    { name: 'billings', earliestDue: charger.earliestDueOf, runDue: charger.runDueOf },
    { name: 'notices', earliestDue: notices.earliestDueOf, runDue: notices.runDueOf },
    { name: 'deliveries', earliestDue: deliveries.earliestDueOf, runDue: deliveries.runDueOf },
  ]);
  return { routes: [...homologationRoutes(tools), ...jumps.routes], works: jumps.works };
}

function countRefused({ closings, log }: Ground, audit: Audit): OnForbidden {
  const refused = auditRefusedAccess(audit, (error) =>
    log.error(errorFields(error), 'refused requests were not told'),
  );
  closings.push({ name: 'count of refused requests', close: refused.close });
  return refused.tell;
}

function startAll({ closings, log, metrics, gate }: Ground, works: readonly Work[]): void {
  const onError = (name: string, error: unknown) => {
    metrics.workErrors.inc({ work: name });
    log.error({ work: name, ...errorFields(error) }, 'background work failed');
  };
  const work = startWork(works, onError, gate);
  closings.push({ name: 'work', close: () => work.stop() });
}

/** What is served and what is published must be the same; a slip here is ours and ends the start. */
function checkAllDescribed(routes: readonly Route[], environment: string): void {
  const served = new Set(routes.map((served) => served.endpoint.id));
  for (const { id, homologationOnly } of ENDPOINTS) {
    if (homologationOnly === true && environment !== 'homologation') continue;
    if (!served.delete(id)) throw new Error(`the endpoint ${id} is published but not served`);
  }
  if (served.size > 0) throw new Error(`the endpoints ${[...served]} are served but not published`);
}

function whyUnready({ gate, readiness }: Ground, drain: Drain): UnreadyReason | null {
  if (drain.hasBegun()) return 'stopping';
  return gate.reason() ?? (readiness.isReady ? null : 'starting');
}
