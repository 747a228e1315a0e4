import { hash } from 'node:crypto';
import type { Caller } from '../../platform/http/endpoint.ts';
import type { LoginApi } from '../credentials/credential.ts';

/** Real time: an hour from the login, by the database's clock. */
export const TOKEN_LIFETIME_SECONDS = 60 * 60;

/**
 * A token that is good: neither expired nor of a disabled credential, nor older than what ended its
 * credential's tokens.
 */
export type LiveToken = {
  readonly tokenHash: Buffer;
  readonly api: LoginApi;
  readonly caller: Caller;
  /** From where it may be used, in production. */
  readonly allowedAddresses: readonly string[];
  readonly millisecondsLeft: number;
};

/**
 * Tokens are stored and looked up by their hash, with the cell that they may begin with. They have 256
 * random bits: there is nothing to guess, so no salt.
 */
export function accessTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
