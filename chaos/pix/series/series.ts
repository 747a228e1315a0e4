import type { ChaosBench } from '../../chaos-bench.ts';
import type { Gateway } from '../../gateways.ts';
import type { Answered } from '../../log.ts';
import { callGateway } from '../../merchant-client.ts';
import { again, pause } from '../../recurrence/patience.ts';

export const PLAN_TYPES = ['Weekly', 'Weekly', 'Monthly'] as const;
export type PlanType = (typeof PLAN_TYPES)[number];

/** A merchant with one subscriber who pays by Pix Automático, and what both of them did. */
export type Series = {
  readonly round: string;
  readonly merchantId: string;
  readonly token: string;
  readonly planId: string;
  readonly order: string;
  /** With it the enrolment is sent again until it is answered. */
  readonly key: string | null;
  readonly journey: 1 | 2 | 3;
  /** Of the enrolment. */
  readonly answers: Answered[];
  /** What happened to it from outside, for a person. */
  readonly happened: string[];
  readonly planType: PlanType;
  /** Of its plan, in cents. */
  readonly amount: number;
  /** Wishes to give back what came; null: all that is left of it. */
  readonly backs: { readonly endToEndId: string; readonly amount: number | null }[];
  /** Payments that no payer's bank would let through; null: its answer was lost. */
  readonly forced: { readonly txid: string; readonly endToEndId: string | null }[];
};

const listed = new WeakMap<ChaosBench, Series[]>();

/** All of a run: each is looked at once more in the end. */
export function seriesOf(bench: ChaosBench): Series[] {
  return listed.getOrInsertComputed(bench, () => []);
}

/** Of these, everything that is not of series is counted apart. */
export const SERIES_PREFIX = 'serie';

export type SeriesRow = {
  readonly subscriptionId: string;
  readonly subscription: string;
  readonly state: string;
  readonly recId: string | null;
  readonly pixEmv: string | null;
  readonly firstPixId: string | null;
};

const ROW = `select s.subscription_id as "subscriptionId", s.state as subscription, a.state, a.rec_id as "recId",
    a.pix_emv as "pixEmv", a.first_pix_id as "firstPixId"
  from subscriptions s join pix_authorizations a using (merchant_id, subscription_id) where s.merchant_id = $1
  order by s.subscription_id limit 1`;

export async function rowOf(bench: ChaosBench, { merchantId }: Series): Promise<SeriesRow | null> {
  const [row] = await bench.query(ROW, [merchantId]);
  return (row as SeriesRow | undefined) ?? null;
}

export function callForSeries(
  { token }: Series,
  { url }: Gateway,
  path: string,
  call: { readonly body?: object; readonly key?: string | null } = {},
): Promise<Answered> {
  return callGateway(url, path, { token, timeoutMilliseconds: CALL_MILLISECONDS, ...call });
}

const CALL_MILLISECONDS = 15_000;

/** Again, of any that lives, until it is answered 200. */
export async function readForSeries<T>(
  series: Series,
  any: () => Promise<Gateway>,
  path: string,
): Promise<T> {
  return again(async () => {
    const { status, body } = await callForSeries(series, await any(), path);
    if (status !== 200) throw new Error(`${series.merchantId} was answered ${status} to ${path}`);
    return body as T;
  });
}

type Clock = { readonly now: string; readonly target: string | null };

const CLOCK = '/homologation/clock';
const ARRIVED_MILLISECONDS = 240_000;
const LOOK_MILLISECONDS = 200;

/** By its merchant's clock, from now on, whoever dies meanwhile; gives whether it has arrived. */
export async function moveOn(series: Series, any: () => Promise<Gateway>, hours: number): Promise<boolean> {
  const { now } = await readForSeries<Clock>(series, any, CLOCK);
  const to = new Date(Date.parse(`${now.slice(0, 19)}Z`) + hours * 3_600_000).toISOString().slice(0, 19);
  const endsAt = performance.now() + ARRIVED_MILLISECONDS;
  while (performance.now() < endsAt) {
    const clock = await readForSeries<Clock>(series, any, CLOCK);
    if (clock.target === null && clock.now.slice(0, 19) >= to) return true;
    if (clock.target === null) await callForSeries(series, await any(), CLOCK, { body: { to } });
    await pause(LOOK_MILLISECONDS);
  }
  return false;
}
