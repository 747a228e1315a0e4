import type { Metric } from '../metrics.ts';

/** By which metrics a process knows how a system answers that its modules ask. */
export type PeerMetrics = {
  /** Of each call by its `result`. */
  readonly calls?: Metric;
  /** 1 while it is asked now and then only, by `kind`; `awayFor` says for what where there are no kinds. */
  readonly away?: Metric;
  readonly awayFor?: string;
  /** Since its changes were read. */
  readonly feedAge?: Metric;
};

const declared = new Map<string, PeerMetrics>();

/** A module declares beside its metrics what they say of somebody whom it asks; others add theirs. */
export function declarePeer(peer: string, metrics: PeerMetrics): void {
  declared.set(peer, { ...declared.get(peer), ...metrics });
}

/** Of the modules that are loaded. */
export function declaredPeers(): ReadonlyMap<string, PeerMetrics> {
  return declared;
}
