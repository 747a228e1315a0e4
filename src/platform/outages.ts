import type { Log } from './log.ts';
import { gauge, type Metrics } from './metrics.ts';
import { type Kinds, Outage } from './outage.ts';
import { DatabaseUnavailable, isWorthAnotherTry } from './postgres/database-errors.ts';
import { kindOfRefusedWrite } from './postgres/write-refusals.ts';
import { Overloaded } from './work/fair-line.ts';

const OUTAGE = gauge(
  'parcela_outage',
  '1 while this process does without it. Errors that follow from it are in one line of the log a minute.',
  ['part', 'provider'],
);

/** After a time-out the database is `slow` if it answered anything within this time, else `silent`. */
const SILENT_MILLISECONDS = 3_000;
/** From mildest to worst. */
const DATABASE_KINDS = {
  slow: {
    begun: 'the database has more to do than it can',
    lasts: 'the database still has more to do than it can',
    over: 'the database keeps up again',
    quietMilliseconds: 10_000,
    // In its first second a frozen database looks as if it were slow.
    doubt: { milliseconds: 1_000 },
  },
  unwritable: {
    begun: 'the database takes no writes',
    lasts: 'the database still takes no writes',
    over: 'the database takes writes again',
    // Longer than the gate stays shut after a refused write, while nobody tries to write.
    quietMilliseconds: 40_000,
  },
  silent: {
    begun: 'the database answers nothing: it is frozen, cut off or far too busy',
    lasts: 'the database still answers nothing',
    over: 'the database answers again',
    quietMilliseconds: 3_000,
    doubt: { milliseconds: 1_000, passed: 'the database answered nothing for a moment' },
  },
  away: {
    begun: 'the database is away',
    lasts: 'the database is still away',
    over: 'the database is back',
    quietMilliseconds: 3_000,
    // One broken connection is no outage: a database that is up answers within this time.
    doubt: { milliseconds: 2_000, passed: 'connections to the database broke' },
  },
} as const satisfies Kinds;
type DatabaseKind = keyof typeof DATABASE_KINDS;

const KEY_STORE_KINDS = {
  noKeys: {
    begun: 'the key store does not answer',
    lasts: 'the key store still does not answer',
    over: 'the key store answers again',
    quietMilliseconds: 0,
  },
} as const satisfies Kinds;

const CLOCK_KINDS = {
  wrongClock: {
    begun: 'the clock of this machine is not that of the database',
    lasts: 'the clock of this machine is still not that of the database',
    over: 'the clock of this machine is that of the database again',
    quietMilliseconds: 0,
  },
} as const satisfies Kinds;

const DISK_KINDS = {
  full: {
    begun: 'the disk beside this process is full',
    lasts: 'the disk beside this process is still full',
    over: 'the disk beside this process has room again',
    quietMilliseconds: 0,
  },
} as const satisfies Kinds;

/** A peer that was not asked for this time has no outage any more. */
export const UNASKED_MILLISECONDS = 10 * 60_000;

/** One broken call, or some at once, are no outage while the next ones are answered. */
function kindsOfPeer(who: string): Kinds {
  return {
    silent: {
      begun: `calls to ${who} get no clear answer`,
      lasts: `calls to ${who} still get no clear answer`,
      over: `${who} answers again`,
      level: 'warn',
      quietMilliseconds: 3_000,
      doubt: { milliseconds: 2_000, passed: `calls to ${who} broke` },
      unasked: {
        milliseconds: UNASKED_MILLISECONDS,
        over: `calls to ${who} got no clear answer, and none was made for ten minutes`,
      },
    },
  };
}

export const PEER_NAMES = ['acquirer', 'bank', 'pix', 'antifraud'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

const PEERS: Readonly<Record<PeerName, Kinds>> = {
  acquirer: kindsOfPeer('the acquirer'),
  bank: kindsOfPeer('the bank'),
  pix: kindsOfPeer('the bank of Pix'),
  antifraud: kindsOfPeer('the anti-fraud provider'),
};

type Part = 'database' | 'keyStore' | 'clock' | 'disk' | PeerName;

export type PeerOutage = {
  failed(reason: string, operation: string): void;
  answered(): void;
};

/** Outages of database, key store, clock, disk and peers, each logged once for all its failures. */
export type Outages = {
  databaseFailed(error: unknown): void;
  connectionBroke(error: unknown): void;
  databaseAnswered(): void;
  keyStoreFailed(error: unknown): void;
  keyStoreAnswered(): void;
  /** `difference`: how the clocks differ; null: they agree. */
  clockRead(difference: string | null): void;
  /** `lack`: how little room the data folder has; null: enough. */
  diskRead(lack: string | null): void;
  openPeer(peer: PeerName, provider: string): PeerOutage;
  /** Whether an outage explains this error of `who`, so that nobody else needs to log it. */
  explains(error: unknown, who: string): boolean;
  close(): void;
};

export function openOutages(log: Log, metrics: Metrics, now = () => performance.now()): Outages {
  return new AllOutages(log, metrics, now);
}

class AllOutages implements Outages {
  readonly #database: Outage;
  readonly #keyStore: Outage;
  readonly #clock: Outage;
  readonly #disk: Outage;
  readonly #peers: Outage[] = [];
  readonly #open: (part: Part, kinds: Kinds, labels?: { readonly provider?: string }) => Outage;
  readonly #noted = new WeakMap<object, Outage>();
  readonly #now: () => number;
  #answeredAt: number;

  constructor(log: Log, metrics: Metrics, now: () => number) {
    const shown = metrics.gauge(OUTAGE);
    this.#open = (part, kinds, labels = {}) => {
      const about = { part, ...labels };
      const show = (isOut: boolean) => shown.set(about, isOut ? 1 : 0);
      show(false);
      return new Outage({ about, kinds, log, now, show });
    };
    this.#now = now;
    this.#answeredAt = now();
    this.#database = this.#open('database', DATABASE_KINDS);
    this.#keyStore = this.#open('keyStore', KEY_STORE_KINDS);
    this.#clock = this.#open('clock', CLOCK_KINDS);
    this.#disk = this.#open('disk', DISK_KINDS);
  }

  databaseFailed(error: unknown): void {
    const kind = this.#kindOf(error);
    if (kind !== null) this.#note(this.#database, kind, error);
  }

  connectionBroke(error: unknown): void {
    this.#note(this.#database, 'away', error);
  }

  databaseAnswered(): void {
    this.#answeredAt = this.#now();
    this.#database.answered();
  }

  keyStoreFailed(error: unknown): void {
    this.#note(this.#keyStore, 'noKeys', error);
  }

  keyStoreAnswered(): void {
    this.#keyStore.answered();
  }

  clockRead(difference: string | null): void {
    if (difference === null) this.#clock.answered();
    else this.#clock.failed('wrongClock', new Error(difference));
  }

  diskRead(lack: string | null): void {
    if (lack === null) this.#disk.answered();
    else this.#disk.failed('full', new Error(lack));
  }

  openPeer(peer: PeerName, provider: string): PeerOutage {
    const outage = this.#open(peer, PEERS[peer], { provider });
    this.#peers.push(outage);
    return {
      failed(reason, operation) {
        outage.failed('silent', new Error(reason));
        outage.name(operation);
      },
      answered: () => outage.answered(),
    };
  }

  explains(error: unknown, who: string): boolean {
    for (let inner = error; inner instanceof Error; inner = inner.cause) {
      const noted = this.#noted.get(inner);
      const outage = noted ?? (isConsequence(inner) ? this.#database : undefined);
      const isUnderWay = outage?.isUnderWay() === true;
      if (isUnderWay) outage?.name(who);
      // A work may report its error after the outage ended.
      if (isUnderWay || noted !== undefined) return true;
    }
    return false;
  }

  close(): void {
    for (const outage of [this.#database, this.#keyStore, this.#clock, this.#disk, ...this.#peers])
      outage.close();
  }

  #note(outage: Outage, kind: string, error: unknown): void {
    if (error instanceof Error) this.#noted.set(error, outage);
    outage.failed(kind, error);
  }

  /** What the error shows of the database; null: nothing, the statement was at fault. */
  #kindOf(error: unknown): DatabaseKind | null {
    const refused = kindOfRefusedWrite(error);
    if (refused !== null) return refused === 'short' ? 'slow' : 'unwritable';
    if (!(error instanceof DatabaseUnavailable)) return null;
    const isLate = /timeout|deadline/i.test(error.message);
    if (!isLate) return 'away';
    return this.#now() - this.#answeredAt < SILENT_MILLISECONDS ? 'slow' : 'silent';
  }
}

function isConsequence(error: Error): boolean {
  return (
    error instanceof DatabaseUnavailable ||
    // An error with a cause is judged by the cause: a missing right is no overload.
    (error instanceof Overloaded && !(error.cause instanceof Error)) ||
    isWorthAnotherTry(error) ||
    kindOfRefusedWrite(error) !== null
  );
}
