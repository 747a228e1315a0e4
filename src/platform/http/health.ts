import { Type } from 'typebox';
import { HOLD_REASONS, type HoldReason } from '../gate.ts';
import { contract, type Endpoint, endpoint } from './endpoint.ts';

const READY_DEADLINE_MILLISECONDS = 2_000;
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
      schema: Type.Object({ status: Type.Enum(['ok']) }),
      example: { status: 'ok' },
    },
  },
});

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
    'For whoever sends requests to processes: also asks the database, for two seconds at most. `reason` is `databaseAway`, ' +
    '`unwritable` (it takes no writes), `unfit` (its settings could lose commits), `restored` (it is a copy, or was restored), ' +
    '`unchecked` (it is being compared), `byHand`, `starting`, or `stopping`: a process that is to stop says so first, and goes on serving ' +
    'whatever comes for a while. Whatever the reason, reads are served where the database can.',
  answers: {
    200: {
      description: 'It can.',
      schema: Type.Object({ status: Type.Enum(['ok']) }),
      example: { status: 'ok' },
    },
    503: {
      description: 'Not now.',
      schema: Type.Object({
        status: Type.Enum(['unavailable']),
        reason: Type.Enum(['databaseAway', 'starting', 'stopping', ...HOLD_REASONS]),
      }),
      example: { status: 'unavailable', reason: 'databaseAway' },
    },
  },
});

/** Why a process takes no requests although its database answers. */
export type UnreadyReason = HoldReason | 'starting' | 'stopping';

export type HealthTools = {
  readonly isReady: () => Promise<boolean>;
  readonly whyNot: () => UnreadyReason | null;
};

export const HEALTH_ENDPOINTS: readonly Endpoint<HealthTools>[] = [
  endpoint(GET_LIVENESS, async () => ({ status: 200, body: { status: 'ok' } })),
  endpoint(GET_READINESS, async ({ isReady, whyNot }: HealthTools) => {
    const reason = (await isReady()) ? whyNot() : 'databaseAway';
    if (reason === null) return { status: 200, body: { status: 'ok' } };
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    return { status: 503, body: { status: 'unavailable', reason }, headers };
  }),
];

/** Health needs no token, so that any number of callers share one look at the database. */
export function sharedLook(ask: () => Promise<boolean>): () => Promise<boolean> {
  let looking: Promise<boolean> | null = null;
  return () => {
    looking ??= isReadyInTime(ask).finally(() => {
      looking = null;
    });
    return looking;
  };
}

async function isReadyInTime(isReady: () => Promise<boolean>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), READY_DEADLINE_MILLISECONDS);
  try {
    return await Promise.race([isReady(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
