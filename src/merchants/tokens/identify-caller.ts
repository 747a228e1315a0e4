import type { Caller } from '../../platform/http/endpoint.ts';
import type { Identify } from '../../platform/http/server.ts';
import { batchReads } from '../../platform/postgres/batched-reads.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { type AddressBlock, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';
import { accessTokenHash, type LiveToken } from './access-token.ts';
import { findLiveTokens } from './access-tokens.sql.ts';

export type IdentifyTools = {
  readonly database: Database;
  /** True in production: a token works only from listed addresses. */
  readonly enforceAddresses: boolean;
};

/**
 * How long a token that was looked up is taken without another look. With the time of an answer it is under
 * the 2 s in which ended tokens must end.
 */
const TRUSTED_MILLISECONDS = 1_500;
const MOST_KNOWN_TOKENS = 20_000;

type Known = {
  readonly token: LiveToken;
  readonly blocks: readonly AddressBlock[];
  readonly trustedUntil: number;
};

/** Forgets what is remembered of an ended token, so that its next use is looked up. */
export type ForgetToken = (caller: Pick<Caller, 'credentialId' | 'tokenId'>) => void;

/** Remembers valid tokens for a moment, invalid ones never. A missing or late answer throws (503). */
export function identifyCaller(tools: IdentifyTools): {
  readonly identify: Identify;
  readonly forgetToken: ForgetToken;
} {
  const known = new Map<string, Known>();
  const look = batchReads<Buffer, LiveToken>({
    name: 'access tokens',
    textOf: (hash) => hash.toString('hex'),
    read: (hashes) => findLiveTokens(tools.database, hashes),
  });

  async function find(hash: Buffer, key: string): Promise<Known | null> {
    const remembered = known.get(key);
    if (remembered !== undefined) {
      if (performance.now() < remembered.trustedUntil) return remembered;
      known.delete(key);
    }
    const { askedAt, value: token } = await look(hash);
    if (token === null) return null;
    const trustedUntil = askedAt + Math.min(TRUSTED_MILLISECONDS, token.millisecondsLeft);
    if (performance.now() > trustedUntil)
      throw new DatabaseUnavailable('what a token is came too late to be trusted');
    const entry = { token, blocks: parseBlocks(token.allowedAddresses), trustedUntil };
    remember(known, key, entry);
    return entry;
  }

  const identify: Identify = async (token, address) => {
    const hash = accessTokenHash(token);
    const found = await find(hash, hash.toString('hex'));
    if (found === null) return null;
    if (tools.enforceAddresses && !isAddressWithin(parseAddress(address), found.blocks)) return null;
    return { caller: found.token.caller, api: found.token.api };
  };

  return {
    identify,
    forgetToken({ credentialId, tokenId }) {
      for (const [key, { token }] of known) {
        if (token.caller.credentialId === credentialId && token.caller.tokenId === tokenId) known.delete(key);
      }
    },
  };
}

function remember(known: Map<string, Known>, key: string, entry: Known): void {
  known.delete(key);
  known.set(key, entry);
  if (known.size <= MOST_KNOWN_TOKENS) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
