import { BESIDE_PAYMENTS } from '../load/sold-beside.ts';
import { loadSoldPayments } from '../load/sold-payments.ts';
import { type LoadTools, loadEnrolments } from '../recurrence/load-enrolments.ts';
import { fillBeside } from './fill-beside.ts';

const BILLINGS_A_SUBSCRIPTION = 5;

export type WantedConsole = {
  readonly payments: number;
  readonly billings: number;
  /** Ordinary ones, that share one half of both evenly; the other half is the giant's. */
  readonly merchants: number;
  /** Of each, what pages show beside payments and subscriptions. */
  readonly beside: number;
  readonly now: number;
  /** In which the payments were sold; absent: a year. */
  readonly days?: number;
};

export type Filled = { readonly giant: string; readonly ordinary: string };

/** Subscriptions, payments and all that stands beside them, with no service at work. */
export async function fillConsole(
  tools: LoadTools,
  { payments, billings, merchants, beside, now, ...of }: WantedConsole,
): Promise<Filled> {
  const subscriptions = Math.ceil(billings / BILLINGS_A_SUBSCRIPTION);
  await loadEnrolments(tools, { subscriptions, billings, merchants, hasGiant: true, seed: 1, now });
  const { giant, ordinary } = await loadSoldPayments(
    tools,
    { payments, merchants, now, ...of, areShopsThere: true },
    BESIDE_PAYMENTS,
  );
  await fillBeside(tools, { payments, count: beside, giant, ordinary });
  return { giant, ordinary };
}
