import { randomUUID } from 'node:crypto';
import type { GateKeeper } from '../gate.ts';
import type { Database, ServerWatcher } from '../postgres/database.ts';
import { kindOfRefusedWrite, POOLED } from '../postgres/write-refusals.ts';
import { isIdentityHidden, parseFacts, READ_ALL_FACTS, READ_FEWER_FACTS } from './server-facts.sql.ts';
import { isReplicatedBeforeAnswer, type ServerFacts, unfitness } from './server-facts.ts';
import { forgetBeats, stampFirst, vouch, writeBeat, writeDoubt } from './server-stamp.sql.ts';
import { type Found, judge, type Memory, textOf } from './server-stamp.ts';

const BEAT_MILLISECONDS = 1_000;
/**
 * How long beats prove nothing after a write error: they need no new space, other writes do. It doubles with
 * each error soon after the gate opened, because a payment may then be charged and not recorded.
 */
const AFTER_REFUSAL_MILLISECONDS = 2_000;
const LONGEST_AFTER_REFUSAL_MILLISECONDS = 32_000;
const SOON_MILLISECONDS = 60_000;

export type ServerWatch = ServerWatcher & {
  /** The first beat, at start; throws database errors. Then one a second until `stop`. */
  start(database: Database): Promise<ServerFacts>;
  stop(): Promise<void>;
};

export type WatchTools = {
  readonly gate: GateKeeper;
  readonly onVouched: (words: string) => void;
  /** Called for the first of consecutive failed beats. */
  readonly onError: (error: unknown) => void;
};

export function openServerWatch(tools: WatchTools): ServerWatch {
  return new WatchOfServer(tools);
}

/**
 * Keeps the gate shut until the database is known to be the stamped one and fit. Checks every second, and
 * whenever a connection reaches another server. See `judge`, `unfitness` and decisions/0041.
 */
class WatchOfServer implements ServerWatch {
  readonly #tools: WatchTools;
  #serviceId = randomUUID();
  #sent = 0;
  #memory: Memory = { tokens: new Set(), lastBeat: 0, wasReplicated: null };
  /** The last accepted server, in the form of `textOf`. */
  #known: string | null = null;
  /** The server of the newest connection, in the form of `textOf`. */
  #newest: string | null = null;
  #hasAllFacts = true;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #afterRefusal = AFTER_REFUSAL_MILLISECONDS;
  #isFailing = false;
  #wake = () => {};

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  async start(database: Database): Promise<ServerFacts> {
    // The first connection finds out which facts the server shows.
    await database.ping();
    const facts = await this.#beat(database);
    await forgetBeats(database);
    this.#beatLater(database);
    return facts;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  /** The gate shuts before the caller gets a connection to an unchecked server. */
  async check(ask: Parameters<ServerWatcher['check']>[0]): Promise<string> {
    const row = await ask(this.#hasAllFacts ? READ_ALL_FACTS : READ_FEWER_FACTS).catch((error) => {
      // Only at first: a later server that shows less is not proven to be the same.
      if (!this.#hasAllFacts || this.#known !== null || !isIdentityHidden(error)) throw error;
      this.#hasAllFacts = false;
      return ask(READ_FEWER_FACTS);
    });
    const { gate } = this.#tools;
    const facts = parseFacts(row);
    const server = textOf(facts);
    this.#newest = server;
    if (this.#known !== null && server !== this.#known && gate.reason() === null) {
      gate.hold('unchecked', `another server answers: ${server}`);
      this.#wake();
    }
    this.#holdUnfit(facts);
    return server;
  }

  newest(): string | null {
    return this.#newest;
  }

  /**
   * Shuts the gate for a while after a refused write: when the disk is full, the next requests of all callers
   * would fail too.
   */
  noteError(error: unknown): void {
    const { gate } = this.#tools;
    const kind = kindOfRefusedWrite(error);
    // Too many connections, or too little memory for one statement, does not affect other requests.
    if (kind === null || kind === 'short') return;
    this.#shutForAWhile();
    if (gate.reason() === 'restored') return;
    if (kind === 'pooled') gate.hold('unfit', POOLED);
    else gate.hold('unwritable', `the database takes no writes: ${textOfError(error)}`);
  }

  #shutForAWhile(): void {
    const now = performance.now();
    const isAgain = now - this.#refusedUntil < SOON_MILLISECONDS;
    // A request that fails while the gate is shut was already under way: the pause does not double.
    if (!isAgain) this.#afterRefusal = AFTER_REFUSAL_MILLISECONDS;
    else if (this.#tools.gate.reason() === null)
      this.#afterRefusal = Math.min(2 * this.#afterRefusal, LONGEST_AFTER_REFUSAL_MILLISECONDS);
    this.#refusedUntil = now + this.#afterRefusal;
  }

  #holdUnfit(facts: ServerFacts): boolean {
    const { gate } = this.#tools;
    const unfit = unfitness(facts);
    if (unfit !== null) gate.hold('unfit', unfit);
    else if (facts.isReadOnly) gate.hold('unwritable', 'the server takes no writes: it is read-only');
    return unfit !== null || facts.isReadOnly;
  }

  async #beat(database: Database): Promise<ServerFacts> {
    this.#sent += 1;
    const beat = { serviceId: this.#serviceId, beat: this.#sent, lastBeat: this.#memory.lastBeat };
    const sentTo = this.#newest;
    const { facts, ...found } = await writeBeat(database, beat, this.#hasAllFacts);
    // A standby promoted under open connections has a new name.
    if (this.#newest === sentTo) this.#newest = textOf(facts);
    const verdict = judge(this.#memory, found);
    if (found.isLastBeatThere) this.#memory = { ...this.#memory, lastBeat: beat.beat };
    if (this.#holdUnfit(facts)) return facts;
    switch (verdict.kind) {
      case 'same':
        this.#recognize(found, facts);
        return facts;
      case 'stamp':
        await stampFirst(database, facts);
        return this.#beat(database);
      case 'accepted':
        this.#serviceId = randomUUID();
        this.#memory = { ...this.#withToken(found), lastBeat: 0, wasReplicated: null };
        return this.#beat(database);
      case 'vouch':
        await vouch(database, verdict.from, facts.timeline);
        this.#tools.onVouched(textOf(facts));
        return this.#beat(database);
      case 'held':
        this.#tools.gate.hold('restored', verdict.words);
        if (verdict.isDoubt) await writeDoubt(database, verdict.words);
        return facts;
    }
  }

  #recognize(found: Found, facts: ServerFacts): void {
    this.#memory = { ...this.#withToken(found), wasReplicated: isReplicatedBeforeAnswer(facts) };
    this.#known = textOf(facts);
    // The beat of an older connection proves nothing about the newest server.
    if (this.#newest === this.#known && performance.now() >= this.#refusedUntil) this.#tools.gate.open();
  }

  #withToken({ stamp }: Found): Memory {
    return { ...this.#memory, tokens: new Set([...this.#memory.tokens, stamp?.token ?? '']) };
  }

  async #beatOn(database: Database): Promise<void> {
    try {
      await this.#beat(database);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#tools.onError(error);
      this.#isFailing = true;
    }
  }

  #beatLater(database: Database): void {
    if (this.#isStopped) return;
    let isBegun = false;
    const next = () => {
      if (isBegun) return;
      isBegun = true;
      clearTimeout(this.#timer);
      this.#beating = this.#beatOn(database).then(() => this.#beatLater(database));
    };
    this.#wake = next;
    this.#timer = setTimeout(next, BEAT_MILLISECONDS);
  }
}

const textOfError = (error: unknown) => (error instanceof Error ? error.message : String(error));
