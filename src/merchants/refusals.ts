import type { RefusalShape } from '../platform/http/refusal.ts';

/**
 * Why a login gives no token. Logins answer in a shape of their own: of these the wire shows status
 * and sentence.
 */
export type LoginRefusal = 'wrongCredentials' | 'tooManyFailures';

export const LOGIN_REFUSALS = {
  /** Unknown, wrong and disabled alike: an attacker learns nothing from the answer. */
  wrongCredentials: {
    status: 401,
    tag: '',
    sentence: { pt: 'Usuário ou senha inválidos.', en: 'Wrong user name or password.' },
  },
  tooManyFailures: {
    status: 429,
    tag: '',
    sentence: {
      pt: 'Muitas tentativas sem sucesso; aguarde antes de tentar de novo.',
      en: 'Too many failed attempts; wait before trying again.',
    },
  },
} as const satisfies Record<LoginRefusal, RefusalShape>;
