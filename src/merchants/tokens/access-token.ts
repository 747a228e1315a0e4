import { hash } from 'node:crypto';
import type { Caller } from '../../platform/http/endpoint.ts';
import type { LoginApi } from '../credentials/credential.ts';

/** From the login, in real time by the database's clock. */
export const TOKEN_LIFETIME_SECONDS = 60 * 60;

/** A token that has neither expired nor ended, of a credential that is not disabled. */
export type LiveToken = {
  readonly tokenHash: Buffer;
  readonly api: LoginApi;
  readonly caller: Caller;
  /** The only addresses from which it works in production. */
  readonly allowedAddresses: readonly string[];
  readonly millisecondsLeft: number;
};

/** Tokens are stored by hash, including their cell's prefix. With 256 random bits they need no salt. */
export function accessTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
