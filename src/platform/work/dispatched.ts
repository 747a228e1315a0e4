import type { TaskSubject } from '../tracing/scope.ts';
import type { DispatchLimits } from './dispatch-policy.ts';
import type { FairClaim } from './fair-claim.ts';
import type { Place } from './fair-queue.ts';
import type { Look } from './looks.sql.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { WakeSignal } from './wake-signal.ts';

export type Dispatched<Task extends Place, Sent> = {
  readonly name: string;
  readonly limits: DispatchLimits;
  readonly wakeSignal: WakeSignal;
  readonly outage?: OutageWatch;
  /** Called before the first claim of each run. */
  beginRun?(): void;
  /**
   * Takes due tasks, longest due first. `share`: limits each merchant in works whose claimed tasks never
   * wait.
   */
  claim(limit: number, share: FairClaim): Promise<Claimed<Task>>;
  /** Must end, with its record, within the lease. The next run throws its errors. */
  send(task: Task, stopping: AbortSignal, asking: Asking): Promise<Sent>;
  record(task: Task, sent: Sent): Promise<void>;
  /** Whether the slot is free once the task is sent, so that writing its record holds up nothing. */
  isFreeWhenSent?(task: Task, sent: Sent): boolean;
  about?(task: Task): TaskSubject;
  /** A probe goes first: only it finds out whether its endpoint is back. */
  isProbe?(task: Task): boolean;
  isUnwanted?(task: Task, lane: 'claimed' | 'now'): boolean;
  handBack?(tasks: readonly Task[]): Promise<void>;
  /** Makes up to `limit` postponed tasks due; gives how many. */
  pullForward?(limit: number): Promise<number>;
  /** Finds the milliseconds until something is due. `passedOver`: merchants that may begin nothing. */
  readonly piece: Look['piece'];
  pieceValues?(passedOver: readonly string[]): readonly unknown[];
  readonly stopMilliseconds?: number;
};

export type Asking = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

/** `isEnd`: the run claims no more. */
export type Claimed<Task> = { readonly tasks: readonly Task[]; readonly isEnd: boolean };
