import { timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newSecret } from '../../platform/chance.ts';
import { CHALLENGE_MILLISECONDS, challengeText, readChallenge } from './passkey.ts';

export type ChallengeTools = { readonly keyring: Pick<Keyring, 'fingerprint' | 'fingerprints'> };

/**
 * A text to be signed, or a session's token. It carries its own seal, so that strangers who open a page cause
 * no writes. `purpose`: the only use that it is good for.
 */
export function createChallenge(
  { keyring }: ChallengeTools,
  purpose: string,
  milliseconds = CHALLENGE_MILLISECONDS,
): string {
  const expiresAt = Date.now() + milliseconds;
  const nonce = newSecret();
  const { print } = keyring.fingerprint(challengeText(purpose, expiresAt, nonce));
  return `${expiresAt}.${nonce}.${print.toString('base64url')}`;
}

/**
 * True if the seal is ours and the time is not over. That a challenge opens only one session is up to the
 * table `console_sessions`.
 */
export function isChallengeGood({ keyring }: ChallengeTools, purpose: string, challenge: string): boolean {
  const read = readChallenge(challenge);
  if (read === null || read.expiresAt < Date.now()) return false;
  const seal = Buffer.from(read.seal, 'base64url');
  const text = challengeText(purpose, read.expiresAt, read.nonce);
  return keyring
    .fingerprints(text)
    .some(({ print }) => print.length === seal.length && timingSafeEqual(print, seal));
}
