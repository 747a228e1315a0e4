import { type ChallengeTools, isChallengeGood } from './create-challenge.ts';
import type { NewPasskey, Passkey, RelyingParty, UsedPasskey } from './passkey.ts';

/** An answer is some kilobytes: a certificate chain, which we ask for none of, would be the most of it. */
const LONGEST_ANSWER = 16_384;
/** As the table keeps them, in bytes. */
const LONGEST = { credentialId: 1_023, publicKey: 4_096 } as const;

/** The names of an answer that are read before the library reads it whole. */
type Answer = { readonly id: string; readonly response: { readonly clientDataJSON: string } };

/** Null: no answer of an authenticator. */
function readAnswer(text: string): Answer | null {
  if (text.length > LONGEST_ANSWER) return null;
  try {
    const answer = JSON.parse(text) as Partial<Answer> | null;
    const isAnswer = typeof answer?.id === 'string' && typeof answer.response?.clientDataJSON === 'string';
    return isAnswer ? (answer as Answer) : null;
  } catch {
    return null;
  }
}

/**
 * The challenge that was signed, as it was given. Throws at an answer from a frame inside a page of
 * somebody else: no page of ours is shown there.
 */
function challengeOf({ response }: Answer): string {
  const client = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')) as {
    readonly challenge?: unknown;
    readonly crossOrigin?: unknown;
    readonly topOrigin?: unknown;
  };
  const { challenge, crossOrigin = false, topOrigin } = client;
  if (crossOrigin !== false || topOrigin !== undefined) throw new Error('it was signed in a foreign frame');
  return Buffer.from(String(challenge), 'base64url').toString('utf8');
}

/** Loaded when the first passkey comes: most processes never meet one. */
const library = () => import('@simplewebauthn/server');

/** The same of any answer that the library throws at: it is no passkey of ours. */
async function orNull<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}

/** The purpose of challenges with which somebody signs in. */
export const SIGN_IN = 'sign in';

export type ShownPasskey = {
  readonly passkey: Passkey;
  readonly used: UsedPasskey;
  readonly challenge: string;
};

/** Checks what a passkey has signed; null: the answer proves nothing. */
export async function checkPasskey(
  tools: ChallengeTools & { readonly findPasskey: (credentialId: Buffer) => Promise<Passkey | null> },
  party: RelyingParty,
  text: string,
): Promise<ShownPasskey | null> {
  const answer = readAnswer(text);
  if (answer === null) return null;
  const passkey = await tools.findPasskey(Buffer.from(answer.id, 'base64url'));
  if (passkey === null) return null;
  return orNull(async () => {
    const challenge = challengeOf(answer);
    if (!isChallengeGood(tools, SIGN_IN, challenge)) return null;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: answer.id,
        publicKey: new Uint8Array(passkey.publicKey),
        // A counter that stands still is refused where the session is opened, and written into the audit log.
        counter: 0,
      },
    });
    if (!verified) return null;
    const used = { credentialId: passkey.credentialId, signCount: authenticationInfo.newCounter };
    return { passkey, used, challenge };
  });
}

/** Reads a passkey that was made just now; null: it is none. */
export async function readNewPasskey(
  tools: ChallengeTools,
  party: RelyingParty,
  purpose: string,
  text: string,
): Promise<NewPasskey | null> {
  const answer = readAnswer(text);
  if (answer === null) return null;
  return orNull(async () => {
    const challenge = challengeOf(answer);
    if (!isChallengeGood(tools, purpose, challenge)) return null;
    const { verifyRegistrationResponse } = await library();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: answer as unknown as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const credentialId = Buffer.from(id, 'base64url');
    if (credentialId.length > LONGEST.credentialId || publicKey.length > LONGEST.publicKey) return null;
    return {
      credentialId,
      publicKey: Buffer.from(publicKey),
      signCount: counter,
      transports: transports.filter((name) => /^[\w-]{1,20}$/.test(name)).slice(0, 8),
    };
  });
}
