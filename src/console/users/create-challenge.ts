import { timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newSecret } from '../../platform/chance.ts';
import { CHALLENGE_MILLISECONDS, challengeText, readChallenge } from './passkey.ts';

export type ChallengeTools = { readonly keyring: Pick<Keyring, 'fingerprint' | 'fingerprints'> };

/**
 * What an authenticator is to sign. It carries its own seal, so that nothing is written for a stranger who
 * opens a page. `purpose`: what it is good for.
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
 * Whether it is one of ours, for this purpose and not too old. That it opens one session alone is held by
 * the table of sessions.
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
