import type { Cluster } from './cluster.ts';
import type { DataNode } from './data-node.ts';
import { hasOwnNetwork } from './network.ts';

export type Strike = {
  readonly name: string;
  readonly about: string;
  /** How long no write may be acknowledged. */
  readonly mostMilliseconds: number;
  /** Why it cannot be done on this machine; null: it can. */
  readonly refusal: () => string | null;
  /** `primary` and the synchronous standby of that moment. */
  strike(cluster: Cluster, primary: DataNode, standby: DataNode): Promise<void>;
  /** What makes the machine well again, once writes are back. */
  mend(primary: DataNode): void;
};

const AFTER_A_LOSS_MILLISECONDS = 30_000;
const AFTER_A_SWITCHOVER_MILLISECONDS = 5_000;

export const STRIKES: readonly Strike[] = [
  {
    name: 'switchover',
    about: 'Patroni is asked to make the standby the primary, as for maintenance',
    mostMilliseconds: AFTER_A_SWITCHOVER_MILLISECONDS,
    refusal: () => null,
    strike: (cluster, primary, standby) => cluster.switchOver(primary, standby),
    mend: () => {},
  },
  {
    name: 'kill',
    about: 'kill -9 of the primary and its Patroni; later its Patroni is started again',
    mostMilliseconds: AFTER_A_LOSS_MILLISECONDS,
    refusal: () => null,
    strike: async (_, primary) => primary.kill(),
    mend: (primary) => primary.startPatroni(),
  },
  {
    name: 'pause',
    about: 'SIGSTOP of all processes of the primary, etcd too, until another one took over; then SIGCONT',
    mostMilliseconds: AFTER_A_LOSS_MILLISECONDS,
    refusal: () => null,
    strike: async (_, primary) => primary.pause(),
    mend: (primary) => primary.resume(),
  },
  {
    name: 'cut',
    about: 'the link of the primary is down: packets vanish, and nobody is notified; later it is up again',
    mostMilliseconds: AFTER_A_LOSS_MILLISECONDS,
    refusal: () => (hasOwnNetwork() ? null : 'it needs Linux and the right to make network namespaces'),
    strike: async (_, primary) => primary.machine.link?.cut(),
    mend: (primary) => primary.machine.link?.heal(),
  },
];
