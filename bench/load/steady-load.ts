import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Dispatcher, Pool } from 'undici';
import { percentile } from '../table.ts';
import { BUYER_MARK, bodyTemplate, CARRIER_MARK, NUMBER_MARK } from './payment-kinds.ts';
import type { Load } from './wrk-load.ts';

export type SteadyRun = {
  readonly perSecond: number;
  /** Milliseconds from when a request was to be sent until its answer was there. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly slowest: number;
  /** How late this process sent them (its own share in the times above). */
  readonly lateP99: number;
  readonly failed: number;
};

/**
 * More than any backlog of a service that keeps up; beyond it requests wait here, and their time
 * counts all the same.
 */
const CONNECTIONS = 256;
/** Not counted: connections are made and the service gets warm. */
export const STEADY_WARM_UP_SECONDS = 2;
const TIMER_MILLISECONDS = 1;

/**
 * Sends at a constant rate, whether answers come or not, as buyers do who know nothing of each other. Time
 * counts from the intended start: a service that stalls cannot hide the requests that a closed loop would
 * not have sent meanwhile. Ends after `seconds`, or when it is told to.
 */
export async function runSteadily(
  load: Load,
  perSecond: number,
  seconds: number,
  end?: AbortSignal,
): Promise<SteadyRun> {
  const ask = await asker(load);
  const warmUps = Math.floor(perSecond * STEADY_WARM_UP_SECONDS);
  const total = warmUps + Math.floor(perSecond * seconds);
  const times: number[] = [];
  const delays: number[] = [];
  let failed = 0;
  let asked = 0;
  const startedAt = performance.now();
  const answers: Promise<void>[] = [];
  const sendOne = (number: number, dueAt: number) => {
    const isCounted = number >= warmUps;
    if (isCounted) delays.push(performance.now() - dueAt);
    answers.push(
      ask.send(number).then((isPaid) => {
        if (!isPaid) failed += 1;
        else if (isCounted) times.push(performance.now() - dueAt);
      }),
    );
  };
  while (asked < total && end?.aborted !== true) {
    for (; asked < total; asked += 1) {
      const dueAt = startedAt + (asked * 1_000) / perSecond;
      if (dueAt > performance.now()) break;
      sendOne(asked, dueAt);
    }
    await new Promise((wake) => setTimeout(wake, TIMER_MILLISECONDS));
  }
  await Promise.all(answers);
  await ask.close();
  times.sort((one, other) => one - other);
  delays.sort((one, other) => one - other);
  return {
    perSecond,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    p999: percentile(times, 0.999),
    slowest: times.at(-1) ?? Number.NaN,
    lateP99: percentile(delays, 0.99),
    failed,
  };
}

async function asker({ gatewayUrl, accessTokens, kind, carriers }: Load) {
  const { origin, pathname } = new URL(gatewayUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const path = `${pathname.replace(/\/$/, '')}/v1/payments`;
  const templates = kind.shapes.map((shape) => bodyTemplate(kind, shape));
  const lines = (await readFile(carriers.file, 'utf8')).split('\n');
  const bodyOf = (number: number): string => {
    const [cardSource = '', buyer = ''] = (lines[number % lines.length] as string).split(' ');
    return (templates[number % templates.length] as string)
      .replace(CARRIER_MARK, cardSource)
      .replaceAll(BUYER_MARK, buyer)
      .replace(NUMBER_MARK, String(number));
  };
  return {
    send: (number: number): Promise<boolean> => {
      const headers = {
        authorization: `Bearer ${accessTokens[number % accessTokens.length]}`,
        'content-type': 'application/json',
        ...(kind.isKeyed ? { 'idempotency-key': randomUUID() } : {}),
      };
      return statusOf(pool, { method: 'POST', path, headers, body: bodyOf(number) }).then(
        (status) => status === 200,
      );
    },
    close: () => pool.close(),
  };
}

/** The status once the whole answer is there; 0 when none came. */
function statusOf(pool: Pool, request: Dispatcher.DispatchOptions): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    pool.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, code) {
        status = code;
      },
      onResponseData() {},
      onResponseEnd: () => resolve(status),
      onResponseError: () => resolve(0),
    });
  });
}
