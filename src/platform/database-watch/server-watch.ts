import { randomUUID } from 'node:crypto';
import type { GateKeeper } from '../gate.ts';
import type { Database, ServerWatcher } from '../postgres/database.ts';
import { kindOfRefusedWrite, POOLED } from '../postgres/write-refusals.ts';
import { isUntold, parseFacts, READ_ALL_FACTS, READ_FEWER_FACTS } from './server-facts.sql.ts';
import { isReplicatedBeforeAnswer, type ServerFacts, unfitness } from './server-facts.ts';
import { forgetBeats, stampFirst, vouch, writeBeat, writeDoubt } from './server-stamp.sql.ts';
import { type Found, judge, type Memory, textOf } from './server-stamp.ts';

const BEAT_MILLISECONDS = 1_000;
/** A beat finds room in its page where others find none: after an error of theirs it proves nothing for so long. */
const AFTER_REFUSAL_MILLISECONDS = 2_000;
export type ServerWatch = ServerWatcher & {
  /** The first beat, at the start; throws what the database answers. Then one a second, until `stop`. */
  start(database: Database): Promise<ServerFacts>;
  stop(): Promise<void>;
};

export type WatchTools = {
  readonly gate: GateKeeper;
  /** Hears that this process vouched for a promoted standby. */
  readonly onVouched: (words: string) => void;
  /** Hears of the first of the beats in a row that failed. */
  readonly onError: (error: unknown) => void;
};

/**
 * Keeps the gate shut until the database behind it is known to be ours and fit, and asks again every second and whenever a
 * connection reaches another server. The rules are `judge` and `unfitness`; see decisions/0041.
 */
export function openServerWatch({ gate, onVouched, onError }: WatchTools): ServerWatch {
  let serviceId = randomUUID();
  let sent = 0;
  let memory: Memory = { tokens: new Set(), lastBeat: 0, wasReplicated: null };
  /** Where all was right last, as `textOf` has it. */
  let known: string | null = null;
  /** Where the newest connection leads. */
  let newest: string | null = null;
  let hasAllFacts = true;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  let refusedUntil = 0;
  let isFailing = false;
  let wake = () => {};

  /** Nothing is done on a server that was not compared: the gate shuts before the connection is given to anybody. */
  const check: ServerWatcher['check'] = async (ask) => {
    const row = await ask(hasAllFacts ? READ_ALL_FACTS : READ_FEWER_FACTS).catch((error) => {
      // Only at first: a server that follows and tells less is not proved to be ours.
      if (!hasAllFacts || known !== null || !isUntold(error)) throw error;
      hasAllFacts = false;
      return ask(READ_FEWER_FACTS);
    });
    const facts = parseFacts(row);
    const server = textOf(facts);
    newest = server;
    if (known !== null && server !== known && gate.reason() === null) {
      gate.hold('unchecked', `another server answers: ${server}`);
      wake();
    }
    holdUnfit(facts);
    return server;
  };

  /** Whoever met it: a write that the server refuses for want of room will not fare better in the next request. */
  function hear(error: unknown): void {
    const kind = kindOfRefusedWrite(error);
    // Too many connections, or too little memory for one statement, says nothing of the others.
    if (kind === null || kind === 'short') return;
    refusedUntil = performance.now() + AFTER_REFUSAL_MILLISECONDS;
    if (gate.reason() === 'restored') return;
    if (kind === 'pooled') gate.hold('unfit', POOLED);
    else gate.hold('unwritable', `the database takes no writes: ${textOfError(error)}`);
  }

  function holdUnfit(facts: ServerFacts): boolean {
    const unfit = unfitness(facts);
    if (unfit !== null) gate.hold('unfit', unfit);
    else if (facts.isReadOnly) gate.hold('unwritable', 'the server takes no writes: it is read-only');
    return unfit !== null || facts.isReadOnly;
  }

  async function beat(database: Database): Promise<ServerFacts> {
    sent += 1;
    const { lastBeat } = memory;
    const { facts, ...found } = await writeBeat(database, { serviceId, beat: sent, lastBeat }, hasAllFacts);
    const verdict = judge(memory, found);
    if (found.isLastBeatThere) memory = { ...memory, lastBeat: sent };
    if (holdUnfit(facts)) return facts;
    switch (verdict.kind) {
      case 'same':
        settleIn(found, facts);
        return facts;
      case 'stamp':
        await stampFirst(database, facts);
        return beat(database);
      case 'accepted':
        serviceId = randomUUID();
        memory = { ...withToken(found), lastBeat: 0, wasReplicated: null };
        return beat(database);
      case 'vouch':
        await vouch(database, verdict.from, facts.timeline);
        onVouched(textOf(facts));
        return beat(database);
      case 'held':
        gate.hold('restored', verdict.words);
        if (verdict.isDoubt) await writeDoubt(database, verdict.words);
        return facts;
    }
  }

  function settleIn(found: Found, facts: ServerFacts): void {
    memory = { ...withToken(found), wasReplicated: isReplicatedBeforeAnswer(facts) };
    known = textOf(facts);
    // The beat of an older connection says nothing of a server that was reached meanwhile.
    if (newest === known && performance.now() >= refusedUntil) gate.open();
  }

  function withToken({ stamp }: Found): Memory {
    return { ...memory, tokens: new Set([...memory.tokens, stamp?.token ?? '']) };
  }

  async function beatOn(database: Database): Promise<void> {
    try {
      await beat(database);
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }

  function beatLater(database: Database): void {
    if (isStopped) return;
    let isBegun = false;
    const next = () => {
      if (isBegun) return;
      isBegun = true;
      clearTimeout(timer);
      beating = beatOn(database).then(() => beatLater(database));
    };
    wake = next;
    timer = setTimeout(next, BEAT_MILLISECONDS);
  }

  return {
    check,
    hear,
    async start(database) {
      // The first connection finds out how much the server tells.
      await database.ping();
      const facts = await beat(database);
      await forgetBeats(database);
      beatLater(database);
      return facts;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await beating;
    },
  };
}

const textOfError = (error: unknown) => (error instanceof Error ? error.message : String(error));
