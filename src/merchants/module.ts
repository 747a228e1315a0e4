import type { Audit } from '../audit/audit-event.ts';
import { serve } from '../platform/http/endpoint.ts';
import type { Identify } from '../platform/http/server.ts';
import type { Log } from '../platform/log.ts';
import { counter, databaseGauge } from '../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften, forgetInBatches } from '../platform/work/every-so-often.ts';

import type { LoginApi } from './credentials/credential.ts';
import { findUnusedCredentials, type UnusedCredentials } from './credentials/credentials.sql.ts';
import { LOGIN_ENDPOINTS, LOGIN_REFUSALS, type LoginCall } from './endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { deleteExpiredTokens } from './tokens/access-tokens.sql.ts';
import { identifyCaller } from './tokens/identify-caller.ts';
import { type LoginOutcome, openLoginDesk } from './tokens/log-in.ts';
import { deleteExpiredFailures } from './tokens/login-failures.sql.ts';
import type { LoginLimits } from './tokens/login-failures.ts';

const LOOK_MILLISECONDS = 60_000;
const DAY_MILLISECONDS = 24 * 60 * 60_000;
const MOST_NAMES = 20;

/** Counts them in a metric at every look, and names them in the log once a day. */
function reportUnusedCredentials(
  database: Database,
  days: number,
  observe: (count: number) => void,
  report: (unused: UnusedCredentials) => void,
): Work {
  let reportAt = 0;
  const look = async () => {
    const unused = await findUnusedCredentials(database, days, MOST_NAMES);
    observe(unused.count);
    if (unused.count === 0 || performance.now() < reportAt) return;
    reportAt = performance.now() + DAY_MILLISECONDS;
    report(unused);
  };
  return alsoWhileHeld(everySoOften('reportUnusedCredentials', LOOK_MILLISECONDS, look));
}

export function forgetExpiredAccess(database: Database): Work {
  return forgetInBatches(
    'forgetExpiredAccess',
    (limit) => deleteExpiredTokens(database, limit),
    (limit) => deleteExpiredFailures(database, limit),
  );
}

/** PCI DSS 8.2.6: accounts unused for 90 days end. If the operator ends none, they are reported. */
const REPORTED_UNUSED_DAYS = 90;

const CREDENTIALS_UNUSED = databaseGauge(
  'parcela_credentials_unused',
  `Credentials without a login for PARCELA_CREDENTIAL_UNUSED_DAYS, or ${REPORTED_UNUSED_DAYS} days where that is off.`,
);
const LOGINS = counter('parcela_logins_total', 'Logins by outcome.', ['outcome']);

export const MERCHANTS: Published = {
  texts: TEXTS,
  endpoints: LOGIN_ENDPOINTS,
  refusals: [
    {
      title: 'Logins',
      text: 'A login answers in a shape of its own: the sentence is its `message`, and there is no tag.',
      refusals: LOGIN_REFUSALS,
    },
  ],
};

type MerchantsContext = Pick<ModuleContext, 'database' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly loginFailures: LoginLimits;
    readonly passwordMaxAgeDays: number;
    readonly credentialUnusedDays: number;
  };
  readonly audit: Audit;
};

export type Merchants = Module & { readonly identify: Identify };

export function openMerchants({ configuration, database, audit, log, metrics }: MerchantsContext): Merchants {
  const enforceAddresses = configuration.environment === 'production';
  const { cell, loginFailures: limits, passwordMaxAgeDays, credentialUnusedDays } = configuration;
  const { identify, forgetToken } = identifyCaller({ database, enforceAddresses });
  const unusedDays = credentialUnusedDays === 0 ? REPORTED_UNUSED_DAYS : credentialUnusedDays;
  const unused = metrics.gauge(CREDENTIALS_UNUSED);
  const logins = metrics.counter(LOGINS);
  return {
    identify,
    endpoints: serve(LOGIN_ENDPOINTS, {
      desk: openLoginDesk(database, {
        ...{ cell, enforceAddresses, limits, passwordMaxAgeDays, credentialUnusedDays },
      }),
      audit,
      forgetToken,
      observeLogin: (api, call, outcome) => {
        logins.inc({ outcome: outcome.kind });
        logOutcome(log, api, call, outcome);
      },
    }),
    works: [
      forgetExpiredAccess(database),
      reportUnusedCredentials(
        database,
        unusedDays,
        (count) => unused.set(count),
        ({ count, userNames }) =>
          log.warn({ count, days: unusedDays, userNames }, 'credentials are not used'),
      ),
    ],
    clockedWork: [],
  };
}

/** Unknown user names are not logged: often they are passwords. */
function logOutcome(log: Log, api: LoginApi, call: LoginCall, outcome: LoginOutcome): void {
  const { merchantId, credentialId, userName } = outcome.found?.credential ?? {};
  const fields = {
    requestId: call.requestId,
    api,
    address: call.address,
    merchantId,
    credentialId,
    userName,
  };
  if (outcome.kind === 'granted') log.info(fields, 'a login was granted');
  else if (outcome.kind === 'wrong') log.warn({ ...fields, reason: outcome.reason }, 'a login was refused');
  else log.warn({ ...fields, secondsToWait: outcome.secondsToWait }, 'a login was refused without a look');
}
