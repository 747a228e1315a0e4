import type { Answer } from './answers.ts';
import type { Bank } from './bank.ts';
import { CLIENT_ID } from './entries.ts';
import type { Fault } from './script-step.ts';
import { insteadOf, UNAVAILABLE } from './spoiled-answer.ts';

export const TOKEN_PATH = '/oauth/token';

type Given = { readonly answer: Answer; readonly fault: Fault | null };

/** Client credentials in the header or in the form; a client is new with the first secret it brings. */
export function giveToken(
  bank: Bank,
  { body, authorization }: { readonly body: string; readonly authorization: string | undefined },
): Given {
  const form = new URLSearchParams(body);
  const { clientId, secret } = credentialsOf(form, authorization);
  if (form.get('grant_type') !== 'client_credentials') return refused(400, 'unsupported_grant_type');
  if (!CLIENT_ID.test(clientId) || secret === '') return refused(401, 'invalid_client');
  const step = bank.scripts.next(clientId, `POST ${TOKEN_PATH}`);
  const fault = step?.fault ?? null;
  const instead = insteadOf(step);
  if (instead !== null) return { answer: instead, fault };
  if (bank.receiverOf(clientId, secret) === null) return refused(401, 'invalid_client');
  const token = bank.tokens.give(clientId, form.get('scope'));
  if (token === null) return refused(400, 'invalid_scope');
  if (fault === 'booksButUnavailable') return { answer: UNAVAILABLE, fault };
  return { answer: { status: 200, body: token, headers: { 'cache-control': 'no-store' } }, fault };
}

function credentialsOf(form: URLSearchParams, authorization: string | undefined) {
  const basic = /^Basic ([\w+/=]{1,1000})$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined)
    return { clientId: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return { clientId: pair.slice(0, Math.max(colon, 0)), secret: pair.slice(colon + 1) };
}

/** RFC 6749. */
function refused(status: number, error: string): Given {
  return { answer: { status, body: { error } }, fault: null };
}
