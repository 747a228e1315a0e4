import { askSimulator } from '../ask-simulator.ts';
import {
  type AcquirerScript,
  MOST_SCRIPTED,
  type ScriptRefusal,
  type ScriptStep,
} from './acquirer-script.ts';

export type ScriptTools = { readonly simulatorUrl: string };

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
  const { ok, status } = await askSimulator(simulatorUrl, '/script', {
    body: { merchantId, steps, cancellations },
    refusals: [404, 409],
  });
  return ok ? null : { refusal: status === 404 ? 'noSimulator' : 'tooMany' };
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
  const response = await askSimulator(simulatorUrl, '/script', { query: { merchantId }, refusals: [404] });
  if (!response.ok) return { refusal: 'noSimulator' };
  const left = (await response.json()) as Left;
  return {
    steps: left.steps.slice(0, MOST_SCRIPTED),
    cancels: left.cancellations.slice(0, MOST_SCRIPTED).map(({ decidedAfterMilliseconds, fails }) => ({
      afterDays: Math.round(decidedAfterMilliseconds / DAY_MILLISECONDS),
      fails,
    })),
  };
}
