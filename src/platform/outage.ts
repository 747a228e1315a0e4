import { errorFields, type Log } from './log.ts';
import { inScope } from './tracing/scope.ts';

const LINE_MILLISECONDS = 60_000;
const MOST_NAMES = 10;

type Words = {
  readonly begun: string;
  readonly lasts: string;
  readonly over: string;
  /** The level of its lines except the last; `error` if absent. */
  readonly level?: 'warn';
  /** The time without failures, and with an answer, that ends the outage. */
  readonly quietMilliseconds: number;
  /**
   * The outage begins only so long after the first failure, as the worst kind seen until then. With `passed`,
   * none begins if an answer came meanwhile: `passed` is logged instead.
   */
  readonly doubt?: { readonly milliseconds: number; readonly passed?: string };
  /** The time without failures or answers after which the outage is over: nobody asks any more. */
  readonly unasked?: { readonly milliseconds: number; readonly over: string };
};

/** From mildest to worst: a change for the worse is logged. */
export type Kinds = Readonly<Record<string, Words>>;

type OutageTools = {
  readonly about: Readonly<Record<string, string>>;
  readonly kinds: Kinds;
  readonly log: Log;
  readonly now: () => number;
  readonly show: (isOut: boolean) => void;
};

/** Logs one line at the beginning, one a minute, and one at the end. */
export class Outage {
  readonly #tools: OutageTools;
  #kind: string | null = null;
  #feared = '';
  #isTold = false;
  #begunAt = 0;
  #failedAt = 0;
  #answeredAt: number | null = null;
  #error: unknown;
  #errors = 0;
  #errorsTold = 0;
  /** When a `passed` was last logged, and how many failures have passed unlogged after that. */
  #passedAt = Number.NEGATIVE_INFINITY;
  #passed = 0;
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

  failed(kind: string, error: unknown): void {
    const isNew = this.#kind === null;
    const isWorse = isNew || this.#isWorse(kind, this.#kind as string);
    const { doubt } = this.#wordsOf(kind);
    this.#failedAt = this.#tools.now();
    if (isNew) this.#begunAt = this.#failedAt;
    this.#answeredAt = null;
    this.#error = error;
    this.#errors += 1;
    if (isNew) this.#kind = kind;
    if (isWorse && doubt !== undefined) {
      if (this.#doubt === undefined || this.#isWorse(kind, this.#feared)) this.#feared = kind;
      this.#doubt ??= after(doubt.milliseconds, () => this.#endDoubt());
    } else if (isWorse) this.#begin(kind);
  }

  answered(): void {
    if (this.#kind === null || this.#answeredAt !== null) return;
    this.#answeredAt = this.#tools.now();
    const rest = this.#failedAt + this.#wordsOf(this.#kind).quietMilliseconds - this.#answeredAt;
    clearTimeout(this.#quiet);
    if (!this.#isTold) return;
    if (rest <= 0) this.#end();
    else this.#quiet = after(rest, () => this.#answeredAt !== null && this.#end());
  }

  close(): void {
    for (const timer of [this.#doubt, this.#minute, this.#quiet]) clearTimeout(timer);
  }

  /**
   * Decides at the end of the doubt: if others were answered meanwhile, the failure was one connection, or an
   * overload.
   */
  #endDoubt(): void {
    this.#doubt = undefined;
    const kind = this.#kind as string;
    if (this.#isTold && !this.#isWorse(this.#feared, kind)) return;
    const passed = this.#wordsOf(kind).doubt?.passed;
    if (this.#answeredAt === null) this.#begin(this.#feared);
    else if (!this.#isTold && passed !== undefined) this.#dismiss(passed);
    else if (!this.#isTold) {
      // The next answer, or the quiet after it, ends the outage.
      this.#answeredAt = null;
      this.#begin(kind);
    }
  }

  #isWorse(kind: string, than: string): boolean {
    const ranks = Object.keys(this.#tools.kinds);
    return ranks.indexOf(kind) > ranks.indexOf(than);
  }

  #wordsOf(kind: string): Words {
    const words = this.#tools.kinds[kind];
    if (words === undefined) throw new Error(`there is no outage ${kind}`);
    return words;
  }

  #begin(kind: string): void {
    this.#kind = kind;
    this.#isTold = true;
    this.#tools.show(true);
    this.#tell('begun');
    this.#tellAgain();
  }

  #tellAgain(): void {
    clearTimeout(this.#minute);
    this.#minute = after(LINE_MILLISECONDS, () => {
      const { unasked } = this.#wordsOf(this.#kind as string);
      const isUnasked = unasked !== undefined && this.#tools.now() - this.#failedAt >= unasked.milliseconds;
      if (isUnasked) return this.#end(unasked.over);
      if (this.#errors > this.#errorsTold) this.#tell('lasts');
      this.#tellAgain();
    });
  }

  #dismiss(passed: string): void {
    this.#passed += this.#errors;
    if (this.#tools.now() - this.#passedAt >= LINE_MILLISECONDS) {
      const fields = { errors: this.#passed, of: [...this.#names], ...reasonOf(this.#error) };
      this.#write('warn', { ...this.#tools.about, ...fields }, passed);
      this.#passedAt = this.#tools.now();
      this.#passed = 0;
    }
    this.#reset();
  }

  #end(over = this.#wordsOf(this.#kind as string).over): void {
    const seconds = Math.round(((this.#answeredAt ?? this.#failedAt) - this.#begunAt) / 1_000);
    this.#write('warn', { ...this.#tools.about, seconds, errors: this.#errors }, over);
    this.#tools.show(false);
    this.#reset();
  }

  #tell(moment: 'begun' | 'lasts'): void {
    this.#errorsTold = this.#errors;
    const seconds = Math.round((this.#tools.now() - this.#begunAt) / 1_000);
    const fields = { ...this.#tools.about, seconds, errors: this.#errors, of: [...this.#names] };
    const { level = 'error', [moment]: sentence } = this.#wordsOf(this.#kind as string);
    this.#write(level, { ...fields, ...reasonOf(this.#error) }, sentence);
  }

  /** Without the fields of the request that happened to meet the outage. */
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
