import { type ProcessReport, peerHealth } from '../../platform/process-reports/process-report.ts';
import type { Reached } from '../../providers/provider-rule.ts';

const PEERS = { card: 'acquirer', pix: 'pix', boleto: 'bank' } as const;

/** A payment method with a provider that answers late, so that payers wait, or not at all (`isSilent`). */
export type DelayedMethod = {
  readonly method: keyof typeof PEERS;
  readonly since: number;
  readonly isSilent: boolean;
  /** Another provider that the merchant's charges go to has no delay; if `isSilent`: is not silent. */
  readonly isInPart: boolean;
};

/** For each method, the providers that new charges of a merchant go to. */
export type ProvidersOfMethods = Readonly<Record<DelayedMethod['method'], Reached>>;

export function delayedMethods(
  reports: readonly ProcessReport[],
  providers: ProvidersOfMethods,
): DelayedMethod[] {
  return (Object.keys(PEERS) as DelayedMethod['method'][]).flatMap((method): DelayedMethod[] => {
    const { first, later } = providers[method];
    const delays = peerHealth(reports, PEERS[method])?.delays ?? [];
    const silent = delays.filter(({ silentSince }) => silentSince !== null);
    const isSilent = silent.some(({ provider }) => first.includes(provider));
    const told = isSilent ? silent : delays;
    // Few charges or none reach a provider that is only asked after another, so its delay alone is not told.
    const begun = told.filter(({ provider }) => first.includes(provider));
    if (begun.length === 0) return [];
    const since = Math.min(...begun.map((one) => one.silentSince ?? one.since));
    const isInPart = [...first, ...later].some((name) => told.every(({ provider }) => provider !== name));
    return [{ method, since, isSilent, isInPart }];
  });
}
