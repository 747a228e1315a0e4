import { type TSchema, Type } from 'typebox';
import type { Audit } from '../audit/audit-event.ts';
import {
  type Answer,
  type AnswerShape,
  type Call,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
  type WireError,
} from '../platform/http/endpoint.ts';
import { named, orNull } from '../platform/http/named.ts';
import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import { type Instant, utcText } from '../values/instant.ts';
import { credentialResource, type LoginApi } from './credentials/credential.ts';
import { type LogOutTools, logOut } from './tokens/end-tokens.ts';
import { type LoginAttempt, type LoginDesk, type LoginOutcome, logIn } from './tokens/log-in.ts';

/**
 * Audits a login before its answer; throws when it cannot. Only the filling of a bucket is audited, not later
 * refusals, so that nobody can fill the log. Unknown user names are left out: often they are passwords.
 */
async function reportLogin(
  audit: Audit,
  { api, address }: Pick<LoginAttempt, 'api' | 'address'>,
  outcome: LoginOutcome,
): Promise<void> {
  if (outcome.kind === 'locked') return;
  const credential = outcome.found?.credential;
  const isGranted = outcome.kind === 'granted';
  const filled = isGranted || outcome.filled.length === 0 ? {} : { lockedOut: outcome.filled.join(', ') };
  const event = {
    action: isGranted ? 'login.accept' : 'login.refuse',
    outcome: isGranted ? 'success' : 'failure',
    actor: credential?.userName ?? 'unknown',
    origin: address,
    resource: credential === undefined ? `logins/${api}` : credentialResource(credential),
    detail: { api, ...(isGranted ? {} : { reason: outcome.reason }), ...filled },
  } as const;
  await audit.record(event, credential?.merchantId);
}

/** A login's refusal has a shape of its own: a status and a sentence. */
type LoginRefusal = 'wrongCredentials' | 'tooManyFailures';

export const LOGIN_REFUSALS = {
  /** One answer for unknown, wrong and disabled: an attacker learns nothing. */
  wrongCredentials: refusal(401, '', {
    pt: 'Usuário ou senha inválidos.',
    en: 'Wrong user name or password.',
  }),
  tooManyFailures: refusal(429, '', {
    pt: 'Muitas tentativas sem sucesso; aguarde antes de tentar de novo.',
    en: 'Too many failed attempts; wait before trying again.',
  }),
} as const satisfies Record<LoginRefusal, RefusalShape>;

const LOGIN = named('LoginRequest', {
  userName: Type.String({
    minLength: 1,
    maxLength: 30,
    mayHoldCard: true,
    description: 'Given by the operator.',
  }),
  password: Type.String({
    minLength: 1,
    maxLength: 256,
    mayHoldCard: true,
    description: 'Given by the operator. Every character counts.',
  }),
});
const LOGIN_EXAMPLE = { userName: '01700555550000-k7m2qdxw', password: 'Tq8vXk3mWz6nRb4yHc9dJf2gPs5aEuGh' };

const text = (description: string) => orNull(Type.String(), description);

const TOKEN_ANSWER = named('Login', {
  authenticated: Type.Boolean(),
  created: text('When the token was made: UTC with milliseconds. Null without a token.'),
  expiration: text('One hour later. Log in again before.'),
  accessToken: text('Opaque: send it as `Authorization: Bearer <accessToken>`.'),
  message: Type.String(),
});

type TokenAnswer = {
  readonly authenticated: boolean;
  readonly created: string | null;
  readonly expiration: string | null;
  readonly accessToken: string | null;
  readonly message: string;
};

function grantedBody(
  granted: { readonly accessToken: string; readonly createdAt: Instant; readonly expiresAt: Instant },
  message: string,
): TokenAnswer {
  const { accessToken, createdAt, expiresAt } = granted;
  return {
    authenticated: true,
    created: utcText(createdAt),
    expiration: utcText(expiresAt),
    accessToken,
    message,
  };
}

function refusedBody(message: string): TokenAnswer {
  return { authenticated: false, created: null, expiration: null, accessToken: null, message };
}

/** A login's error has no field's name beside it, so the message names the field. */
function errorBody({ tag, description }: WireError): TokenAnswer {
  return refusedBody(/^\w+$/.test(tag) && tag !== '__general__' ? `${tag}: ${description}` : description);
}

const refusedAnswer = (description: string, message: string): AnswerShape => ({
  description,
  schema: TOKEN_ANSWER as TSchema,
  example: refusedBody(message),
});

const ANSWERS: Record<number, AnswerShape> = {
  200: {
    description: 'Logged in.',
    schema: TOKEN_ANSWER,
    example: {
      authenticated: true,
      created: '2026-11-21T13:00:00.123Z',
      expiration: '2026-11-21T14:00:00.123Z',
      accessToken: 'mJ2fVt0Qm6n0b0W4h1y8v5s3q7k9x2c4z6r8t0u1w3E',
      message: 'Autenticado com sucesso.',
    },
  },
  400: refusedAnswer('The body is malformed; the first fault is reported.', 'password: Campo obrigatório.'),
  401: refusedAnswer(
    'Unknown user name, wrong password, disabled credential, or one that is not of this API: all alike.',
    'Usuário ou senha inválidos.',
  ),
  413: refusedAnswer('The body is larger than 64 KiB.', 'O corpo da requisição passa de 64 KiB.'),
  415: refusedAnswer(
    'The body is not JSON.',
    'O corpo deve ser enviado como application/json, em UTF-8 e sem compressão.',
  ),
  429: refusedAnswer(
    'Too many failures: wait as many seconds as `Retry-After` says. The right password is refused too.',
    'Muitas tentativas sem sucesso; aguarde antes de tentar de novo.',
  ),
  500: refusedAnswer(
    'An unknown failure.',
    'Não foi possível executar o comando devido a um erro desconhecido.',
  ),
  503: refusedAnswer(
    'Too many logins at once, or the database is away: try again after `Retry-After` seconds.',
    'Serviço temporariamente indisponível; tente de novo em instantes.',
  ),
};

const DESCRIPTION =
  'Ten failures in a row of one user name from one address are followed by a wait of 30 minutes. ' +
  'A token lives for one hour and is not taken by the other API.';

const LOG_IN_GATEWAY = contract({
  id: 'logInGateway',
  method: 'POST',
  path: '/api/auth/token',
  api: 'gateway',
  scope: null,
  group: 'Login',
  summary: 'Log in at the Gateway API',
  description: `For credentials with the scope gateway or recurrence. ${DESCRIPTION}`,
  body: LOGIN,
  bodyExample: LOGIN_EXAMPLE,
  answers: ANSWERS,
  errorBody,
  // A token that nobody received opens nothing; a failure that is counted twice only locks earlier.
  makesNothingUnanswered: true,
  isLogin: true,
});

const LOG_IN_INTEGRATION = contract({
  id: 'logInIntegration',
  method: 'POST',
  path: '/api/authentication/login',
  api: 'integration',
  scope: null,
  group: 'Login',
  summary: 'Log in at the other APIs',
  description: `For credentials with the scope integration. ${DESCRIPTION}`,
  body: LOGIN,
  bodyExample: LOGIN_EXAMPLE,
  answers: ANSWERS,
  errorBody,
  // A token that nobody received opens nothing; a failure that is counted twice only locks earlier.
  makesNothingUnanswered: true,
  isLogin: true,
});

const LOG_OUT = contract({
  id: 'logOut',
  method: 'POST',
  path: '/api/auth/logout',
  api: 'either',
  scope: 'any',
  group: 'Login',
  summary: 'End the access token',
  description:
    'Ends the token that it is called with, of either API: from then on it is 401, at every process within two seconds. The ' +
    'credential stays, and so do its other tokens. Takes no body.',
  answers: {
    200: {
      description: 'The token is ended.',
      schema: named('Logout', { message: Type.String() }),
      example: { message: 'Token encerrado.' },
    },
  },
});

export type LoginTools = LogOutTools & {
  readonly desk: LoginDesk;
  readonly audit: Audit;
  readonly observeLogin: (api: LoginApi, call: LoginCall, outcome: LoginOutcome) => void;
};

export type LoginCall = Call<{ userName: string; password: string }, unknown, unknown>;

const GRANTED_SENTENCE = { pt: 'Autenticado com sucesso.', en: 'Authenticated.' };
const ENDED_SENTENCE = { pt: 'Token encerrado.', en: 'The token is ended.' };

export const LOGIN_ENDPOINTS: readonly Endpoint<LoginTools>[] = [
  endpoint(LOG_IN_GATEWAY, (tools: LoginTools, call) => answerLogin(tools, 'gateway', call)),
  endpoint(LOG_IN_INTEGRATION, (tools: LoginTools, call) => answerLogin(tools, 'integration', call)),
  endpoint(LOG_OUT, async (tools: LogOutTools, call) => {
    await logOut(tools, callerOf(call), call.address);
    return { status: 200, body: { message: ENDED_SENTENCE[call.language] } };
  }),
];

async function answerLogin(tools: LoginTools, api: LoginApi, call: LoginCall): Promise<Answer> {
  const outcome = await logIn(tools.desk, { api, ...call.body, address: call.address });
  await reportLogin(tools.audit, { api, address: call.address }, outcome);
  tools.observeLogin(api, call, outcome);
  if (outcome.kind === 'granted') {
    return { status: 200, body: grantedBody(outcome, GRANTED_SENTENCE[call.language]) };
  }
  if (outcome.kind === 'wrong') return refuse(call, 'wrongCredentials');
  return { ...refuse(call, 'tooManyFailures'), headers: { 'retry-after': String(outcome.secondsToWait) } };
}

function refuse(call: LoginCall, refusal: LoginRefusal): Answer {
  const { status, sentence } = LOGIN_REFUSALS[refusal];
  return { status, body: refusedBody(sentence[call.language]) };
}
