import { type ChallengeTools, isChallengeGood } from './create-challenge.ts';
import type { NewPasskey, Passkey, RelyingParty, UsedPasskey } from './passkey.ts';

/** In characters. The answers of authenticators take some kilobytes: no certificate chain is asked for. */
const LONGEST_ANSWER = 16_384;
/** The limits of the table `console_passkeys`, in bytes. */
const LONGEST = { credentialId: 1_023, publicKey: 4_096 } as const;

type Answer = { readonly id: string; readonly response: { readonly clientDataJSON: string } };

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

/** The challenge that was signed. Throws if it was signed in a frame: our pages are never framed. */
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

/** The library is loaded for the first passkey, because most processes never see one. */
const library = () => import('@simplewebauthn/server');

/** If the library throws, the answer counts as no passkey of ours. */
async function orNull<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}

export const SIGN_IN = 'sign in';

export type ShownPasskey = {
  readonly passkey: Passkey;
  readonly used: UsedPasskey;
  readonly challenge: string;
};

/** Checks the answer of an authenticator. Null: it proves nothing. */
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
        // The library is not to check the counter: opening a session refuses one that stands still, and
        // audits it.
        counter: 0,
      },
    });
    if (!verified) return null;
    const used = { credentialId: passkey.credentialId, signCount: authenticationInfo.newCounter };
    return { passkey, used, challenge };
  });
}

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
