import { errorFields, type Log } from './log.ts';
import { gauge, type Metrics } from './metrics.ts';
import { DatabaseUnavailable, isWorthAnotherTry } from './postgres/database-errors.ts';
import { kindOfRefusedWrite } from './postgres/write-refusals.ts';
import { inScope } from './tracing/scope.ts';
import { Overloaded } from './work/fair-line.ts';

const OUTAGE = gauge(
  'parcela_outage',
  '1 while this process does without it. Errors that follow from it are in one line of the log a minute.',
  ['part'],
);

const LINE_MILLISECONDS = 60_000;
/** One broken connection is no outage: a database that is up answers within this time. */
const DOUBT_MILLISECONDS = 2_000;
/** A silence this long is no overload. */
const AWAY_MILLISECONDS = 10_000;
/** The most names in a line. */
const MOST_NAMES = 10;

type Words = {
  readonly begun: string;
  readonly lasts: string;
  readonly over: string;
  /** An outage ends when the database answered and nothing failed for so long. */
  readonly quietMilliseconds: number;
};

/** From mildest to worst: a change for the worse is logged. */
const KINDS = {
  slow: {
    begun: 'the database has more to do than it can',
    lasts: 'the database still has more to do than it can',
    over: 'the database keeps up again',
    quietMilliseconds: 10_000,
  },
  unwritable: {
    begun: 'the database takes no writes',
    lasts: 'the database still takes no writes',
    over: 'the database takes writes again',
    quietMilliseconds: 15_000,
  },
  away: {
    begun: 'the database is away',
    lasts: 'the database is still away',
    over: 'the database is back',
    quietMilliseconds: 3_000,
  },
  noKeys: {
    begun: 'the key store does not answer',
    lasts: 'the key store still does not answer',
    over: 'the key store answers again',
    quietMilliseconds: 0,
  },
  wrongClock: {
    begun: 'the clock of this machine is not that of the database',
    lasts: 'the clock of this machine is still not that of the database',
    over: 'the clock of this machine is that of the database again',
    quietMilliseconds: 0,
  },
} as const satisfies Record<string, Words>;
type Kind = keyof typeof KINDS;

const RANKS = Object.keys(KINDS) as readonly Kind[];

type Part = 'database' | 'keyStore' | 'clock';

/** Outages of the database, the key store and the clock, each logged once for everything that fails by it. */
export type Outages = {
  databaseFailed(error: unknown): void;
  connectionBroke(error: unknown): void;
  databaseAnswered(): void;
  keyStoreFailed(error: unknown): void;
  keyStoreAnswered(): void;
  /** How the clocks differ; null: they do not. */
  clockRead(difference: string | null): void;
  /** Whether an outage explains this error of `who`, so that nobody else need log it. */
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
  readonly #noted = new WeakMap<object, Outage>();
  readonly #now: () => number;
  #answeredAt: number;

  constructor(log: Log, metrics: Metrics, now: () => number) {
    const shown = metrics.gauge(OUTAGE);
    const open = (part: Part) => {
      const show = (isOut: boolean) => shown.set({ part }, isOut ? 1 : 0);
      show(false);
      return new Outage({ part, log, now, show });
    };
    this.#now = now;
    this.#answeredAt = now();
    this.#database = open('database');
    this.#keyStore = open('keyStore');
    this.#clock = open('clock');
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

  explains(error: unknown, who: string): boolean {
    for (let inner = error; inner instanceof Error; inner = inner.cause) {
      const outage = this.#noted.get(inner) ?? (isConsequence(inner) ? this.#database : undefined);
      if (outage?.isUnderWay() !== true) continue;
      outage.name(who);
      return true;
    }
    return false;
  }

  close(): void {
    this.#database.close();
    this.#keyStore.close();
    this.#clock.close();
  }

  #note(outage: Outage, kind: Kind, error: unknown): void {
    if (error instanceof Error) this.#noted.set(error, outage);
    outage.failed(kind, error);
  }

  /** Null for an error of the statement, not of the database. */
  #kindOf(error: unknown): Kind | null {
    const refused = kindOfRefusedWrite(error);
    if (refused !== null) return refused === 'short' ? 'slow' : 'unwritable';
    if (!(error instanceof DatabaseUnavailable)) return null;
    const isLate = /timeout|deadline/i.test(error.message);
    return isLate && this.#now() - this.#answeredAt < AWAY_MILLISECONDS ? 'slow' : 'away';
  }
}

/** Whether the error follows from a database that is away or overloaded. */
function isConsequence(error: Error): boolean {
  return (
    error instanceof DatabaseUnavailable ||
    // An error with a cause is judged by that: a missing right is no overload.
    (error instanceof Overloaded && !(error.cause instanceof Error)) ||
    isWorthAnotherTry(error) ||
    kindOfRefusedWrite(error) !== null
  );
}

type OutageTools = {
  readonly part: Part;
  readonly log: Log;
  readonly now: () => number;
  readonly show: (isOut: boolean) => void;
};

/** Logs one line at the begin, one a minute, one at the end. */
class Outage {
  readonly #tools: OutageTools;
  #kind: Kind | null = null;
  /** Whether the first line was written. */
  #isTold = false;
  #begunAt = 0;
  #failedAt = 0;
  #answeredAt: number | null = null;
  #error: unknown;
  #errors = 0;
  #errorsTold = 0;
  #names = new Set<string>();
  #doubt: NodeJS.Timeout | undefined;
  #minute: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(tools: OutageTools) {
    this.#tools = tools;
  }

  isUnderWay(): boolean {
    return this.#kind !== null;
  }

  name(who: string): void {
    if (this.#names.size < MOST_NAMES) this.#names.add(who);
  }

  failed(kind: Kind, error: unknown): void {
    const isNew = this.#kind === null;
    const isWorse = isNew || RANKS.indexOf(kind) > RANKS.indexOf(this.#kind as Kind);
    this.#failedAt = this.#tools.now();
    if (isNew) this.#begunAt = this.#failedAt;
    this.#answeredAt = null;
    this.#error = error;
    this.#errors += 1;
    if (isNew) this.#kind = kind;
    if (kind === 'away' && isWorse) this.#doubt ??= after(DOUBT_MILLISECONDS, () => this.#endDoubt());
    else if (isWorse) this.#begin(kind);
  }

  answered(): void {
    if (this.#kind === null || this.#answeredAt !== null) return;
    this.#answeredAt = this.#tools.now();
    const rest = this.#failedAt + KINDS[this.#kind].quietMilliseconds - this.#answeredAt;
    clearTimeout(this.#quiet);
    if (!this.#isTold) return;
    if (rest <= 0) this.#end();
    else this.#quiet = after(rest, () => this.#answeredAt !== null && this.#end());
  }

  close(): void {
    for (const timer of [this.#doubt, this.#minute, this.#quiet]) clearTimeout(timer);
  }

  /** The failure was one connection: others answered. */
  #endDoubt(): void {
    this.#doubt = undefined;
    if (this.#answeredAt === null) this.#begin('away');
    else if (!this.#isTold) this.#dismiss();
  }

  #begin(kind: Kind): void {
    this.#kind = kind;
    this.#isTold = true;
    this.#tools.show(true);
    this.#tell('begun');
    this.#tellAgain();
  }

  #tellAgain(): void {
    clearTimeout(this.#minute);
    this.#minute = after(LINE_MILLISECONDS, () => {
      if (this.#errors > this.#errorsTold) this.#tell('lasts');
      this.#tellAgain();
    });
  }

  #dismiss(): void {
    const fields = { errors: this.#errors, of: [...this.#names], ...reasonOf(this.#error) };
    this.#write('warn', fields, 'connections to the database broke');
    this.#reset();
  }

  #end(): void {
    const seconds = Math.round(((this.#answeredAt ?? this.#failedAt) - this.#begunAt) / 1_000);
    const { over } = KINDS[this.#kind as Kind];
    this.#write('warn', { part: this.#tools.part, seconds, errors: this.#errors }, over);
    this.#tools.show(false);
    this.#reset();
  }

  #tell(moment: 'begun' | 'lasts'): void {
    this.#errorsTold = this.#errors;
    const seconds = Math.round((this.#tools.now() - this.#begunAt) / 1_000);
    const fields = { part: this.#tools.part, seconds, errors: this.#errors, of: [...this.#names] };
    this.#write('error', { ...fields, ...reasonOf(this.#error) }, KINDS[this.#kind as Kind][moment]);
  }

  /** Without the request that happened to meet it. */
  #write(level: 'warn' | 'error', fields: object, sentence: string): void {
    inScope(undefined, () => this.#tools.log[level](fields, sentence));
  }

  #reset(): void {
    this.close();
    this.#doubt = undefined;
    this.#kind = null;
    this.#isTold = false;
    this.#errors = 0;
    this.#errorsTold = 0;
    this.#names = new Set();
  }
}

function after(milliseconds: number, run: () => void): NodeJS.Timeout {
  return setTimeout(run, milliseconds).unref();
}

function reasonOf(error: unknown): object {
  const { stack: _, ...fields } = errorFields(error) as { readonly stack?: unknown };
  return fields;
}
