import type { Metric } from '../metrics.ts';

export type PeerMetrics = {
  /** 1 while the circuit is open, by `kind`; without kinds `awayFor` names what for. */
  readonly away?: Metric;
  readonly awayFor?: string;
  /** Seconds since its changes were read. */
  readonly feedAge?: Metric;
};

const declared = new Map<string, PeerMetrics>();

/** A module declares what its metrics say of a peer; other modules add theirs. */
export function declarePeer(peer: string, metrics: PeerMetrics): void {
  declared.set(peer, { ...declared.get(peer), ...metrics });
}

export function declaredPeers(): ReadonlyMap<string, PeerMetrics> {
  return declared;
}
