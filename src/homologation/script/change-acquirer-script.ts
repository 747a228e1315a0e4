import {
  type AcquirerScript,
  MOST_SCRIPTED,
  type ScriptRefusal,
  type ScriptStep,
} from './acquirer-script.ts';

export type ScriptTools = { readonly simulatorUrl: string };

const TIMEOUT_MILLISECONDS = 5_000;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Replaces the rest of the merchant's script. Throws when the simulator does not answer. */
export async function changeAcquirerScript(
  { simulatorUrl }: ScriptTools,
  merchantId: string,
  { steps, cancels }: AcquirerScript,
): Promise<{ readonly refusal: ScriptRefusal } | null> {
  const cancellations = cancels.map(({ afterDays, fails }) => ({
    outcome: 'pending',
    decidedAfterMilliseconds: afterDays * DAY_MILLISECONDS,
    fails,
  }));
  const response = await fetch(new URL('/script', simulatorUrl), {
    method: 'POST',
    body: JSON.stringify({ merchantId, steps, cancellations }),
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  if (response.ok) return null;
  if (response.status === 404) return { refusal: 'noSimulator' };
  if (response.status === 409) return { refusal: 'tooMany' };
  throw new Error(`the simulator answered ${response.status}`);
}

type Left = {
  readonly steps: readonly ScriptStep[];
  readonly cancellations: readonly { readonly decidedAfterMilliseconds: number; readonly fails: boolean }[];
};

/** The rest of the merchant's script. Throws when the simulator does not answer. */
export async function readAcquirerScript(
  { simulatorUrl }: ScriptTools,
  merchantId: string,
): Promise<AcquirerScript | { readonly refusal: ScriptRefusal }> {
  const url = new URL('/script', simulatorUrl);
  url.searchParams.set('merchantId', merchantId);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (response.status === 404) return { refusal: 'noSimulator' };
  if (!response.ok) throw new Error(`the simulator answered ${response.status}`);
  const left = (await response.json()) as Left;
  return {
    steps: left.steps.slice(0, MOST_SCRIPTED),
    cancels: left.cancellations.slice(0, MOST_SCRIPTED).map(({ decidedAfterMilliseconds, fails }) => ({
      afterDays: Math.round(decidedAfterMilliseconds / DAY_MILLISECONDS),
      fails,
    })),
  };
}
