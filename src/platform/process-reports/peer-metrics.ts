import type { Metric } from '../metrics.ts';

export type PeerMetrics = {
  /** 1 while the circuit is open, by `kind`. Without kinds, `awayFor` names the kind. */
  readonly away?: Metric;
  readonly awayFor?: string;
  readonly feedAge?: Metric;
};

const declared = new Map<string, PeerMetrics>();

/** The module of a peer declares the peer's metrics; other modules add theirs. */
export function declarePeer(peer: string, metrics: PeerMetrics): void {
  declared.set(peer, { ...declared.get(peer), ...metrics });
}

export function declaredPeers(): ReadonlyMap<string, PeerMetrics> {
  return declared;
}
