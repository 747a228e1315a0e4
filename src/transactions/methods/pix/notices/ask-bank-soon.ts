import type { Notice } from './notice.ts';

/** Has a bank asked again about all that a notice names. */
type Hasten = (bank: string, notice: Notice) => Promise<void>;

const NOTHING: Notice = { endToEndIds: [], recIds: [], txids: [], hasReturns: false };
/** The most ids of a kind in notices that wait together. What is beyond is found by the sweep. */
const MOST_IDS = 2_000;
/**
 * After this pause a bank is asked once more: a question that was under way when the notice came is over by
 * then, and its answer may lack what the notice told.
 */
const AGAIN_MILLISECONDS = 2_000;

type Waiting = { notice: Notice; readonly done: Promise<void> };

/** `take` ends when a notice is written, and throws if it could not be. `close` forgets repetitions. */
type BankSoon = {
  readonly take: (bank: string, notice: Notice) => Promise<void>;
  readonly close: () => void;
};

export function askBankSoon(hasten: Hasten): BankSoon {
  const hastening = new Hastening(hasten);
  return { take: (bank, notice) => hastening.take(bank, notice), close: () => hastening.close() };
}

/**
 * Notices of one bank are written one after the other, and those that wait are written together: a thousand
 * in a moment cost as much as two. Each is repeated once, for a question that was under way.
 */
class Hastening {
  readonly #hasten: Hasten;
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Map<string, NodeJS.Timeout>();
  /** What banks told after their repetition was planned. */
  readonly #since = new Map<string, Notice>();

  constructor(hasten: Hasten) {
    this.#hasten = hasten;
  }

  take(bank: string, notice: Notice): Promise<void> {
    const waiting = this.#waiting.get(bank);
    if (waiting !== undefined) {
      waiting.notice = together(waiting.notice, notice);
      return waiting.done;
    }
    const before = this.#running.get(bank) ?? Promise.resolve();
    const done = before.catch(() => {}).then(() => this.#run(bank));
    this.#waiting.set(bank, { notice, done });
    return done;
  }

  close(): void {
    for (const timer of this.#again.values()) clearTimeout(timer);
    this.#again.clear();
  }

  async #run(bank: string): Promise<void> {
    const notice = this.#waiting.get(bank)?.notice ?? NOTHING;
    this.#waiting.delete(bank);
    const written = this.#hasten(bank, notice);
    this.#running.set(bank, written);
    try {
      await written;
    } finally {
      if (this.#running.get(bank) === written) this.#running.delete(bank);
    }
    if (this.#again.has(bank)) this.#since.set(bank, together(this.#since.get(bank) ?? NOTHING, notice));
    else this.#repeatLater(bank, notice);
  }

  #repeatLater(bank: string, notice: Notice): void {
    const repeat = () => {
      this.#again.delete(bank);
      // The sweep finds what a failure leaves.
      void this.#hasten(bank, notice).catch(() => {});
      const since = this.#since.get(bank);
      this.#since.delete(bank);
      if (since !== undefined) this.#repeatLater(bank, since);
    };
    this.#again.set(bank, setTimeout(repeat, AGAIN_MILLISECONDS).unref());
  }
}

function together(one: Notice, other: Notice): Notice {
  const joined = (field: 'endToEndIds' | 'recIds' | 'txids') =>
    [...new Set([...one[field], ...other[field]])].slice(0, MOST_IDS);
  return {
    endToEndIds: joined('endToEndIds'),
    recIds: joined('recIds'),
    txids: joined('txids'),
    hasReturns: one.hasReturns || other.hasReturns,
  };
}
