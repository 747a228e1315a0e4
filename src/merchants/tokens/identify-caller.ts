import type { Identify } from '../../platform/http/server.ts';
import { type Database, DatabaseUnavailable } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/postgres/gathered-writes.ts';
import { type AddressBlock, isAddressWithin, parseAddress, parseBlocks } from '../client-address.ts';
import { accessTokenHash, type LiveToken } from './access-token.ts';
import { findLiveTokens } from './access-tokens.sql.ts';

export type IdentifyTools = {
  readonly database: Database;
  /** Production: a token works only from the addresses on the credential's or the merchant's list. */
  readonly enforceAddresses: boolean;
};

/** A disabled credential's tokens end within 2 s everywhere: this, counted from the question, and the way of an answer. */
const TRUSTED_MILLISECONDS = 1_500;
const MOST_KNOWN_TOKENS = 20_000;
const TOKENS_PER_STATEMENT = 128;
const STATEMENTS_IN_FLIGHT = 2;
const MOST_WAITING = 2_000;

type Known = {
  readonly token: LiveToken;
  readonly blocks: readonly AddressBlock[];
  readonly trustedUntil: number;
};

/**
 * Tells who a token stands for. Good tokens are remembered for a moment, bad ones never, so that nobody can push out the
 * good. Fails closed: an answer that cannot be had, or came too late to be trusted, throws (503), and is never a yes.
 */
export function identifyCaller(tools: IdentifyTools): Identify {
  const known = new Map<string, Known>();
  const look = gatheredLook(tools.database);

  async function find(hash: Buffer, key: string): Promise<Known | null> {
    const remembered = known.get(key);
    if (remembered !== undefined) {
      if (performance.now() < remembered.trustedUntil) return remembered;
      known.delete(key);
    }
    const { askedAt, token } = await look(hash, key);
    if (token === null) return null;
    const trustedUntil = askedAt + Math.min(TRUSTED_MILLISECONDS, token.millisecondsLeft);
    if (performance.now() > trustedUntil)
      throw new DatabaseUnavailable('what a token is came too late to be trusted');
    const entry = { token, blocks: parseBlocks(token.allowedAddresses), trustedUntil };
    remember(known, key, entry);
    return entry;
  }

  return async (token, address) => {
    const hash = accessTokenHash(token);
    const found = await find(hash, hash.toString('hex'));
    if (found === null) return null;
    if (tools.enforceAddresses && !isAddressWithin(parseAddress(address), found.blocks)) return null;
    return { caller: found.token.caller, api: found.token.api };
  };
}

function remember(known: Map<string, Known>, key: string, entry: Known): void {
  known.delete(key);
  known.set(key, entry);
  if (known.size <= MOST_KNOWN_TOKENS) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}

/** What the database said of a token, and when it was asked (monotonic milliseconds): the answer is no younger. */
type Looked = { readonly askedAt: number; readonly token: LiveToken | null };
type Waiter = PromiseWithResolvers<Looked> & { readonly hash: Buffer; readonly key: string };

/** Looks tokens up, many in one statement: while statements are in flight the next callers gather. */
function gatheredLook(database: Database): (hash: Buffer, key: string) => Promise<Looked> {
  const pending = new Map<string, Promise<Looked>>();
  let waiting: Waiter[] = [];
  let statementsInFlight = 0;
  let isStartPlanned = false;

  function planStart(): void {
    if (isStartPlanned || statementsInFlight >= STATEMENTS_IN_FLIGHT || waiting.length === 0) return;
    isStartPlanned = true;
    setImmediate(() => {
      isStartPlanned = false;
      const batch = waiting.slice(0, TOKENS_PER_STATEMENT);
      waiting = waiting.slice(TOKENS_PER_STATEMENT);
      void ask(batch);
      planStart();
    });
  }

  async function ask(batch: readonly Waiter[]): Promise<void> {
    statementsInFlight += 1;
    const askedAt = performance.now();
    try {
      const hashes = batch.map((waiter) => waiter.hash);
      const found = await findLiveTokens(database, hashes);
      for (const waiter of batch) waiter.resolve({ askedAt, token: found.get(waiter.key) ?? null });
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    } finally {
      for (const waiter of batch) pending.delete(waiter.key);
      statementsInFlight -= 1;
      planStart();
    }
  }

  return (hash, key) => {
    const underWay = pending.get(key);
    if (underWay !== undefined) return underWay;
    if (waiting.length >= MOST_WAITING)
      return Promise.reject(new Overloaded('too many tokens wait to be looked up'));
    const waiter: Waiter = { ...Promise.withResolvers<Looked>(), hash, key };
    waiting.push(waiter);
    pending.set(key, waiter.promise);
    planStart();
    return waiter.promise;
  };
}
