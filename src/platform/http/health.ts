import { Type } from 'typebox';
import { named } from '../../platform/http/named.ts';
import { HOLD_REASONS, type HoldReason } from '../gate.ts';
import { isRolledBack } from '../postgres/database-errors.ts';
import { contract, type Endpoint, endpoint } from './endpoint.ts';

const READY_DEADLINE_MILLISECONDS = 2_000;
/**
 * A database that answers nothing for so long is away: statements have five seconds, and twice as long is
 * more than load.
 */
const AWAY_MILLISECONDS = 10_000;
const RETRY_AFTER_SECONDS = '2';

const GET_LIVENESS = contract({
  id: 'getLiveness',
  method: 'GET',
  path: '/health/live',
  api: 'operations',
  scope: null,
  needsNoPlace: true,
  group: 'Operations',
  summary: 'Is the process alive?',
  description: 'For whoever restarts processes: says nothing of the database.',
  answers: {
    200: {
      description: 'It is.',
      schema: named('Liveness', { status: Type.Enum(['ok']) }),
      example: { status: 'ok' },
    },
  },
});

const WHY_DEGRADED = 'Why requests may take long now; absent: nothing is in the way.';

const GET_READINESS = contract({
  id: 'getReadiness',
  method: 'GET',
  path: '/health/ready',
  api: 'operations',
  scope: null,
  needsNoPlace: true,
  group: 'Operations',
  summary: 'Can it take requests?',
  description:
    'For whoever sends requests to processes: also asks the database, for two seconds at most. One that does not answer in these, ' +
    'and answered something other than searches in the last ten, has much to do: the status is `degraded` then, and requests may be sent. With 503 ' +
    '`reason` is `databaseAway`, ' +
    '`unwritable` (it takes no writes), `unfit` (its settings could lose commits), `restored` (it is a copy, or was restored), ' +
    '`unchecked` (it is being compared), `byHand`, `starting`, or `stopping`: a process that is to stop says so first, and goes on serving ' +
    'whatever comes for a while. Whatever the reason, reads are served where the database can.',
  answers: {
    200: {
      description: 'It can; `degraded`: slowly.',
      schema: named('Readiness', {
        status: Type.Enum(['ok', 'degraded']),
        reason: Type.Optional(Type.Enum(['databaseSlow'], { description: WHY_DEGRADED })),
      }),
      example: { status: 'ok' },
    },
    503: {
      description: 'Not now.',
      schema: named('NotReady', {
        status: Type.Enum(['unavailable']),
        reason: Type.Enum(['databaseAway', 'starting', 'stopping', ...HOLD_REASONS]),
      }),
      example: { status: 'unavailable', reason: 'databaseAway' },
    },
  },
});

/** Why a process takes no requests although its database answers. */
export type UnreadyReason = HoldReason | 'starting' | 'stopping';

/** `slow`: the database did not answer this look in time, but answered other queries a short time ago. */
export type DatabaseLook = 'there' | 'slow' | 'away';

export type HealthTools = {
  readonly look: () => Promise<DatabaseLook>;
  readonly whyNot: () => UnreadyReason | null;
};

export const HEALTH_ENDPOINTS: readonly Endpoint<HealthTools>[] = [
  endpoint(GET_LIVENESS, async () => ({ status: 200, body: { status: 'ok' } })),
  endpoint(GET_READINESS, async ({ look, whyNot }: HealthTools) => {
    const found = await look();
    const reason = found === 'away' ? 'databaseAway' : whyNot();
    if (reason !== null) {
      const headers = { 'retry-after': RETRY_AFTER_SECONDS };
      return { status: 503, body: { status: 'unavailable', reason }, headers };
    }
    if (found === 'slow') return { status: 200, body: { status: 'degraded', reason: 'databaseSlow' } };
    return { status: 200, body: { status: 'ok' } };
  }),
];

/**
 * All callers share one query, even a slow one. `answeredAt`: when the database last answered anything but
 * searches, in monotonic milliseconds.
 */
export function sharedLook(ask: () => Promise<void>, answeredAt: () => number): () => Promise<DatabaseLook> {
  let asking: Promise<'answered' | 'late' | 'away'> | null = null;
  return async () => {
    asking ??= ask()
      .then(() => 'answered' as const, whyUnanswered)
      .finally(() => {
        asking = null;
      });
    const found = await inTime(asking);
    if (found === 'answered') return 'there';
    const isThere = found === 'late' && performance.now() - answeredAt() < AWAY_MILLISECONDS;
    return isThere ? 'slow' : 'away';
  };
}

/** A query that PostgreSQL ended or that timed out may show load; any other error means away. */
function whyUnanswered(error: unknown): 'late' | 'away' {
  return isRolledBack(error) || /timeout/i.test(String(error)) ? 'late' : 'away';
}

async function inTime<T>(asked: Promise<T>): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), READY_DEADLINE_MILLISECONDS);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
