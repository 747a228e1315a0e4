import type { FastifyInstance } from 'fastify';
import { auditedKeyChanges } from '../audit/audit-event.ts';
import { auditRefusedAccess, type OnForbidden } from '../audit/audit-refused-access.ts';
import { openProvider } from '../console/identities/open-provider.ts';
import { consoleWorks, openConsole } from '../console/module.ts';
import { NO_CHANNEL_FILES } from '../platform/channels/channel-files.ts';
import { observeChannel, openChannel } from '../platform/channels/open-channel.ts';
import { type Closing, closeAll } from '../platform/closings.ts';
import { openExports } from '../platform/exports.ts';
import { Admission } from '../platform/http/admission.ts';
import { BodyMemory, MOST_BODY_BYTES } from '../platform/http/body-memory.ts';
import { CallerConnections } from '../platform/http/caller-connections.ts';
import {
  observeBodies,
  observeConnections,
  observePlaces,
  openRequestMetrics,
} from '../platform/http/crowd-metrics.ts';
import type { Drain } from '../platform/http/draining.ts';
import { type ServedEndpoint, serve } from '../platform/http/endpoint.ts';
import { failureOfHold } from '../platform/http/failures.ts';
import { HEALTH_ENDPOINTS, sharedLook, type UnreadyReason } from '../platform/http/health.ts';
import { listen, serverUrls, tryToListen, urlOf } from '../platform/http/listen.ts';
import { trustedPeers } from '../platform/http/peers.ts';
import { hasExpired, SECURITY_TEXT_ENDPOINTS } from '../platform/http/security-text.ts';
import { buildServer, type ServerOptions } from '../platform/http/server.ts';
import { errorFields, type Log, openLog, say, sayWarning } from '../platform/log.ts';
import { openMetrics, serveMetrics } from '../platform/metrics.ts';
import { openOutages } from '../platform/outages.ts';
import { PostgresKilled } from '../platform/postgres/database-errors.ts';
import { databaseWait } from '../platform/postgres/database-wait.ts';
import { openReads } from '../platform/postgres/searches.ts';
import { PeerCalls } from '../platform/process-reports/peer-calls.ts';

import { DOCUMENT_ENDPOINTS, printDocuments } from '../platform/reference/documents.ts';
import type { Pages } from '../platform/web-pages/page-routes.ts';
import { openAuditedKeys } from './audited-keys.ts';
import type { Configuration } from './config.ts';
import type { AppContext, StartContext } from './context.ts';
import { FAMILY } from './family.ts';
import { loadHomologation, type StartSimulator } from './homologation.ts';
import {
  batchedWith,
  makeDemo,
  openBusinessTime,
  openInfrastructure,
  openNamedBank,
  openNamedPixBank,
  openProviders,
  openShopOfDemo,
  routeDemo,
  serviceHere,
} from './infrastructure.ts';
import { type Modules, openModules } from './modules.ts';
import { openInstallationMetrics } from './open-installation-metrics.ts';
import { openPixWebhook } from './open-pix-webhook.ts';
import { openProcessReports } from './open-process-reports.ts';
import { openTracing } from './open-tracing.ts';
import { checkAllDescribed, referenceOf } from './reference.ts';
import { isRunBy } from './roles.ts';
import { startWorks } from './start-works.ts';
import { openCheckedDatabase, openWatchedGate } from './watched-database.ts';

export type App = {
  readonly gatewayUrl: string;
  readonly integrationUrl: string;
  readonly metricsUrl: string;
  /** Null outside homologation, and without a data folder. */
  readonly demoFile: string | null;
  /** The address of a shop of the demo merchant; null where `demoFile` is null. */
  readonly shopUrl: string | null;
  /** A link that opens the console once. */
  readonly signInUrl: string | null;
  readonly consoleUrl: string | null;
  /** The address for the notices of banks of Pix; null: none. */
  readonly pixWebhookUrl: string | null;
  /** Resolves with the reason if something necessary ends by itself. */
  readonly broken: Promise<string>;
};

export type Surroundings = {
  readonly signal: AbortSignal;
  readonly drain: Drain;
  /** A file descriptor. Default: standard output. */
  readonly logTo?: number;
  /** Default: simulators are separate programs. */
  readonly startSimulator?: StartSimulator;
};

/** Opens the whole service. Tries again if the embedded PostgreSQL is killed during the start. */
export async function openApp(
  configuration: Configuration,
  closings: Closing[],
  surroundings: Surroundings,
): Promise<App> {
  const endsAt = performance.now() + configuration.databaseWaitSeconds * 1_000;
  for (;;) {
    try {
      return await openOnce(configuration, closings, surroundings);
    } catch (error) {
      const isWorthIt =
        error instanceof PostgresKilled && performance.now() < endsAt && !surroundings.signal.aborted;
      if (!isWorthIt) throw error;
      sayWarning(`${error.message}; starting it again`);
      await closeAll(closings, sayWarning);
    }
  }
}

/** Opens infrastructure, database, modules and listeners. `closings` are closed in reverse order. */
async function openOnce(
  configuration: Configuration,
  closings: Closing[],
  surroundings: Surroundings,
): Promise<App> {
  const log = openLog(configuration.logLevel, configuration.logFormat, surroundings.logTo);
  closings.push({ name: 'log', close: () => log.close(), flushed: () => log.flushed() });
  const killed = new AbortController();
  const whileDatabaseStarts = databaseWait({
    seconds: configuration.databaseWaitSeconds,
    say,
    isTerminal: process.stderr.isTTY,
    stopping: AbortSignal.any([surroundings.signal, killed.signal]),
  });
  const metrics = openMetrics();
  const outages = openOutages(log, metrics);
  closings.push({ name: 'outages', close: async () => outages.close() });
  const gate = openWatchedGate(configuration, log, metrics);
  const opened = { configuration, closings, log, metrics };
  const tracer = await openTracing(opened);
  const peerCalls = new PeerCalls(outages);
  const start: StartContext = { ...opened, outages, gate, tracer, peerCalls, whileDatabaseStarts };
  await refuseTakenPorts(configuration);
  const infrastructure = await openInfrastructure(start, surroundings.startSimulator);
  const { server } = infrastructure;
  void server?.exited.then((reason) => killed.abort(reason));
  try {
    const urls = await openOnDatabase(start, infrastructure, surroundings.drain);
    const broken = server?.exited.then((reason) => `PostgreSQL ended by itself: ${reason}`);
    return { ...urls, broken: broken ?? new Promise<string>(() => {}) };
  } catch (error) {
    if (!killed.signal.aborted) throw error;
    throw new PostgresKilled(`PostgreSQL ended by itself: ${killed.signal.reason}`, { cause: error });
  }
}

async function openOnDatabase(
  start: StartContext,
  {
    folder,
    place,
    acquirerUrl,
    acquirer,
    bankUrl,
    pixSimulatorUrl,
    observe,
    simulatedAcquirer,
  }: Awaited<ReturnType<typeof openInfrastructure>>,
  drain: Drain,
): Promise<Omit<App, 'broken'>> {
  const bank = await openNamedBank(start, bankUrl, observe.bank);
  const { database, migrations } = await openCheckedDatabase(start, place);
  const { works: worksOfKeys, recordStart, ...keys } = await openAuditedKeys(start, database, migrations);
  const { works: worksOfTime, ...time } = await openBusinessTime(start, database);
  const pixBank = await openNamedPixBank(start, pixSimulatorUrl, { observe: observe.pix, clock: time.clock });
  const named = { acquirer, bank, pixBank, observe };
  const routing = { database, audit: keys.audit, keyring: keys.keyring };
  await start.whileDatabaseStarts(() => routeDemo(start, folder, routing, simulatedAcquirer));
  const providers = await start.whileDatabaseStarts(() =>
    openProviders(start, { database, keyring: keys.keyring }, named),
  );
  const reads = openReads(database, start.configuration.databaseConnections);
  const context: AppContext = {
    ...start,
    database,
    ...reads,
    ...openExports(reads.search),
    batched: batchedWith(start.metrics),
    ...keys,
    ...time,
    ...providers,
    ...{ acquirerUrl, bankUrl, pixSimulatorUrl },
    commitChange: auditedKeyChanges(keys.audit, serviceHere()),
  };
  const modules = await openModules(context);
  const readiness = { isReady: false };
  const opening = Promise.withResolvers<void>();
  const whyNot = () =>
    drain.hasBegun() ? 'stopping' : (start.gate.reason() ?? (readiness.isReady ? null : 'starting'));
  const endpoints = await servedEndpoints(context, modules, whyNot);
  const seen = openInstallationMetrics(context, () => whyNot() === null);
  const works = [
    ...worksOfKeys,
    ...worksOfTime,
    ...seen.works,
    ...openProcessReports(context),
    ...modules.works,
    ...consoleWorks(context),
  ];
  const shop = await openShopOfDemo(context, folder);
  const doors = { drain, opened: opening.promise, shop: shop?.pages ?? null };
  const urls = await openListeners(context, modules, endpoints, doors)
    .then(async (opened) => {
      await recordStart();
      return opened;
    })
    .catch((error: unknown) => {
      // Otherwise callers that wait for this start would keep its listeners from closing.
      opening.promise.catch(() => {});
      opening.reject(error);
      throw error;
    });
  // The start cannot fail after this.
  startWorks(
    context,
    works.filter((work) => isRunBy(start.configuration.roles, work)),
  );
  opening.resolve();
  // Before the listeners close: they wait for every accepted caller.
  start.closings.push({ name: 'waiting callers', close: modules.stopWaiting });
  const demo = await makeDemo(context, folder, urls);
  if (demo !== null) shop?.open(demo.demoFile);
  readiness.isReady = true;
  return { ...urls, ...(demo ?? { demoFile: null, signInUrl: null, shopUrl: null }) };
}

/**
 * Endpoints of modules, health and documents; of health alone if the process serves no callers. The published
 * documents have every endpoint that is served.
 */
async function servedEndpoints(
  { configuration, database }: AppContext,
  modules: Modules,
  whyNot: () => UnreadyReason | null,
): Promise<readonly ServedEndpoint[]> {
  const urls = serverUrls(configuration.gateway, configuration.integration);
  const contact = configuration.securityContact;
  if (contact !== null && hasExpired(contact, new Date()))
    sayWarning(
      `PARCELA_SECURITY_EXPIRES: ${contact.expiresOn} is past; those who find a hole will not trust the contact`,
    );
  const documents = configuration.servesDocuments ? DOCUMENT_ENDPOINTS : [];
  const securityText = contact === null ? [] : SECURITY_TEXT_ENDPOINTS;
  const reference = await referenceOf(configuration.environment, urls, [...documents, ...securityText]);
  const health = serve(HEALTH_ENDPOINTS, {
    look: sharedLook(database.ping, database.answeredAt),
    whyNot,
  });
  const endpoints = [
    ...modules.endpoints.map(withSynonyms),
    ...health,
    ...serve(documents, printDocuments(reference)),
    ...(contact === null ? [] : serve(SECURITY_TEXT_ENDPOINTS, contact)),
  ];
  checkAllDescribed(endpoints, reference);
  return configuration.roles.includes('http') ? endpoints : health;
}

function withSynonyms(served: ServedEndpoint): ServedEndpoint {
  const synonyms = FAMILY.find(({ operation }) => operation === served.contract.id);
  return synonyms === undefined ? served : { ...served, synonyms };
}

async function openListeners(
  context: AppContext,
  { identify }: Modules,
  endpoints: readonly ServedEndpoint[],
  { shop, ...doors }: Pick<ServerOptions, 'drain' | 'opened'> & { readonly shop: Pages | null },
) {
  const { configuration, closings, log, metrics, gate, tracer } = context;
  const bodies = new BodyMemory(MOST_BODY_BYTES, observeBodies(metrics, log));
  const admission = new Admission(configuration.requestsAtOnce, observePlaces(metrics, log));
  const onForbidden = countRefused(context);
  const isForCallers = configuration.roles.includes('http');
  const provider = isForCallers ? await openIdentities(configuration, log) : null;
  // A console with its own listener has nothing beside it.
  const demoShop = configuration.console.listener === null ? (shop?.prefix ?? null) : null;
  const { environment } = configuration;
  const homologationPages =
    environment === 'production' ? null : (await loadHomologation(environment)).HOMOLOGATION_PAGES;
  const below = { endpoints, admission, onForbidden, provider, demoShop, homologationPages };
  const pages = isForCallers ? openConsole(context, below) : null;
  const options: Omit<ServerOptions, 'mounts' | 'pages' | 'isOverTls'> = {
    endpoints,
    identify,
    onForbidden,
    ...doors,
    outages: context.outages,
    connections: openConnections(context, bodies),
    admission,
    log,
    metrics: openRequestMetrics(metrics),
    whyHeld: () => failureOfHold(gate.reason()),
    scopes: { tracer, requestIdHeader: configuration.observability.requestIdHeader },
    trustedProxies: configuration.trustedProxies,
    bodies,
    requestsPerSecond: configuration.requestsPerSecond,
    requestDeadlineMilliseconds: configuration.requestDeadlineMilliseconds,
    pagesOrigin: configuration.pagesOrigin,
  };
  const apps: FastifyInstance[] = [];
  // All listeners close together: while one waits for its last request, none may accept another.
  closings.push({ name: 'servers', close: () => Promise.all(apps.map((app) => app.close())) });
  const build = (mounts: ServerOptions['mounts'], shown: readonly Pages[], isOverTls = false) => {
    const app = buildServer({ ...options, mounts, pages: shown, isOverTls });
    apps.push(app);
    return app;
  };
  const { gateway } = configuration;
  const integration = isForCallers ? configuration.integration : gateway;
  const isBeside = configuration.environment === 'homologation' && pages !== null;
  const beside = isBeside ? [pages, ...(shop === null ? [] : [shop])] : [];
  const urls = await listen(gateway, integration, (mounts) => build(mounts, beside));
  const isOverTls = configuration.console.origin?.startsWith('https:') === true;
  const consoleUrl = await listenForPeople(configuration, pages, (shown) => build([], [shown], isOverTls));
  const pixWebhookUrl = await openPixWebhook(context);
  return { ...urls, consoleUrl, pixWebhookUrl, metricsUrl: await openMetricsListener(context) };
}

/** Finds a taken port before the start has changed anything: ports are opened last. */
async function refuseTakenPorts({ roles, gateway, integration, console, metrics, pix }: Configuration) {
  const ofCallers = roles.includes('http') ? [integration, console.listener, pix.webhook] : [];
  for (const at of [gateway, metrics, ...ofCallers]) if (at !== null) await tryToListen(at);
}

/** Opens the identity provider of the settings, which is first asked when somebody signs in; null: none. */
async function openIdentities({ console: { provider } }: Configuration, log: Log) {
  return provider === null ? null : openProvider(provider, log);
}

async function listenForPeople(
  { console: { listener } }: Configuration,
  pages: Pages | null,
  build: (pages: Pages) => FastifyInstance,
): Promise<string | null> {
  if (listener === null || pages === null) return null;
  const app = build(pages);
  await app.listen(listener);
  return urlOf(listener.host, app.server.address(), pages.prefix);
}

async function openMetricsListener({ configuration, closings, log, metrics }: AppContext): Promise<string> {
  const { host, port, tokenFile } = configuration.metrics;
  // Opened as a channel, so that a replaced token file is read again.
  const channel = await openChannel(
    { ...NO_CHANNEL_FILES, token: tokenFile },
    {
      connectTimeoutMilliseconds: 1,
      ...observeChannel({ log, metrics }, 'metrics', 'the changed token of /metrics is not used: it is none'),
    },
  );
  closings.push({ name: 'token of the metrics', close: async () => channel.close() });
  const server = await serveMetrics(metrics, {
    host,
    port,
    needsToken: tokenFile !== null,
    authorization: () => channel.headers().authorization,
  });
  closings.push({ name: 'metrics', close: async () => server.close() });
  return urlOf(host, server.address(), '/metrics');
}

/** In production cards come over TLS only: where proxies are named, other peers are refused. */
function servedPeers({ environment, trustedProxies }: Configuration): (address: string) => boolean {
  if (environment !== 'production' || trustedProxies.length === 0) return () => true;
  return trustedPeers(trustedProxies);
}

/** One limit for both listeners, which share the memory and descriptors of the process. */
function openConnections(
  { configuration, closings, metrics, log }: AppContext,
  bodies: BodyMemory,
): CallerConnections {
  const { trustedProxies, connections: limits } = configuration;
  const observer = observeConnections(metrics, log);
  const peers = {
    isTrusted: trustedPeers(trustedProxies),
    hasTrusted: trustedProxies.length > 0,
    isServed: servedPeers(configuration),
  };
  const connections = new CallerConnections(limits, peers, bodies, observer);
  closings.push({ name: 'connections', close: async () => connections.close() });
  return connections;
}

function countRefused({ closings, log, outages, audit }: AppContext): OnForbidden {
  const refused = auditRefusedAccess(audit, (error) =>
    outages.explains(error, 'audit')
      ? undefined
      : log.error(errorFields(error), 'refused requests were not audited'),
  );
  closings.push({ name: 'count of refused requests', close: refused.close });
  return refused.report;
}
