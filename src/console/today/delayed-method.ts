import { type ProcessReport, peerHealth } from '../../platform/process-reports/process-report.ts';

const PEERS = { card: 'acquirer', pix: 'pix', boleto: 'bank' } as const;

/** A method whose providers keep who pays by it waiting. */
export type DelayedMethod = {
  readonly method: keyof typeof PEERS;
  readonly since: number;
  readonly isSilent: boolean;
  /** Another provider that the merchant's charges go to answers in time. */
  readonly isInPart: boolean;
};

/** `providers`: those that new charges of a merchant go to. */
export type ProvidersOfMethods = Readonly<Record<DelayedMethod['method'], readonly string[]>>;

export function delayedMethods(
  reports: readonly ProcessReport[],
  providers: ProvidersOfMethods,
): DelayedMethod[] {
  return (Object.keys(PEERS) as DelayedMethod['method'][]).flatMap((method): DelayedMethod[] => {
    const delays = (peerHealth(reports, PEERS[method])?.delays ?? []).filter(({ provider }) =>
      providers[method].includes(provider),
    );
    if (delays.length === 0) return [];
    const since = Math.min(...delays.map((one) => one.since));
    const isInPart = delays.length < providers[method].length;
    return [{ method, since, isSilent: delays.every((one) => one.isSilent), isInPart }];
  });
}
