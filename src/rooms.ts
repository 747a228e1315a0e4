import { antiFraudRoutes } from './antifraud/routes.ts';
import { forgetAntiFraud } from './antifraud/work.ts';
import { ENDPOINTS, REFERENCE } from './api.ts';
import type { Audit } from './audit/audit-event.ts';
import { auditedKeyChanges } from './audit/key-changes.ts';
import { type OnForbidden, tellRefusedAccess } from './audit/tell-refused-access.ts';
import { cardRoutes } from './cards/routes.ts';
import { vaultRoutes } from './cards/vault/routes.ts';
import { cardKeyWork, forgetExpiredCarriers } from './cards/work.ts';
import { forgetOldKeys } from './idempotency/work.ts';
import { keyWork } from './keys/work.ts';
import { merchantRoutes } from './merchants/routes.ts';
import { identifyCaller } from './merchants/tokens/identify-caller.ts';
import { forgetExpiredAccess } from './merchants/work.ts';
import { type Base, observeUnanswered, openMoneyRooms } from './money-rooms.ts';
import { cancelRoutes } from './payments/cancels/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { paymentQueryRoutes } from './payments/status/routes.ts';
import type { Route } from './platform/http/endpoint.ts';
import { healthRoutes } from './platform/http/health.ts';
import { serverUrls } from './platform/http/listen.ts';
import type { Identify } from './platform/http/server.ts';
import { errorFields } from './platform/log.ts';
import { documentRoutes } from './platform/reference/documents.ts';
import { startWork, type Work } from './platform/work/due-work.ts';
import { type Ground, serviceHere } from './surroundings.ts';
import { cancelingWork } from './transactions/cancels/work.ts';
import { countingWork } from './transactions/unanswered/work.ts';
import { settlingWork } from './transactions/work.ts';
import { openWebhookRooms } from './webhook-rooms.ts';

export type Rooms = {
  readonly routes: Route[];
  readonly identify: Identify;
  readonly onForbidden: OnForbidden;
};

/** The rooms with what each needs; their work starts here. */
export async function openRooms(ground: Ground, base: Base, acquirerUrl: string): Promise<Rooms> {
  const { configuration, log, metrics } = ground;
  const { database, audit } = base;
  const { environment } = configuration;
  const merchants = {
    database,
    audit,
    log,
    metrics,
    limits: configuration.loginFailures,
    enforceAddresses: environment === 'production',
  };
  const webhooks = openWebhookRooms(ground, base);
  const { antiFraud, cards, payments, settling } = await openMoneyRooms(ground, base, acquirerUrl);
  // Whatever falls due by business time comes along with a merchant's test clock.
  const jumps = base.openJumps([]);
  const routes: Route[] = [
    ...merchantRoutes(merchants),
    ...cardRoutes(cards),
    ...vaultRoutes(payments),
    ...antiFraudRoutes(antiFraud),
    ...paymentRoutes(payments, configuration.minimumInstallment),
    ...paymentQueryRoutes(payments),
    ...cancelRoutes(payments),
    ...webhooks.routes,
    ...jumps.routes,
    ...healthRoutes(() => database.ping().then(() => true)),
    ...documentRoutes({
      ...REFERENCE,
      serverUrls: serverUrls(configuration.gateway, configuration.integration),
    }),
  ];
  if (environment === 'homologation') {
    const { homologationRoutes } = await import('./homologation/routes.ts');
    routes.push(...homologationRoutes(acquirerUrl));
  }
  checkAllDescribed(routes, environment);
  const commitChange = auditedKeyChanges(audit, serviceHere());
  const works = [
    settlingWork(settling, payments.bell),
    cancelingWork(payments, payments.bell),
    countingWork(database, observeUnanswered(metrics)),
    forgetExpiredCarriers(database),
    forgetAntiFraud(database),
    forgetExpiredAccess(database),
    forgetOldKeys(database),
    ...keyWork({
      ...base,
      environment,
      commitChange,
      observeAge: (purpose, seconds) => metrics.dataKeyAge.set({ purpose }, seconds),
    }),
    ...cardKeyWork({ ...base, cardKeys: cards.cardKeys, commitChange }),
    ...webhooks.works,
    ...jumps.works,
  ];
  startAll(ground, works);
  return { routes, identify: identifyCaller(merchants), onForbidden: countRefused(ground, audit) };
}

function countRefused({ closings, log }: Ground, audit: Audit): OnForbidden {
  const refused = tellRefusedAccess(audit, (error) =>
    log.error(errorFields(error), 'refused requests were not told'),
  );
  closings.push({ name: 'count of refused requests', close: refused.close });
  return refused.tell;
}

function startAll({ closings, log, metrics }: Ground, works: readonly Work[]): void {
  const work = startWork(works, (name, error) => {
    metrics.workErrors.inc({ work: name });
    log.error({ work: name, ...errorFields(error) }, 'background work failed');
  });
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
