import { Type } from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Instant, saoPauloText } from '../../values/instant.ts';
import type { AuthorizationState, Journey } from './authorization.ts';

const AUTHORIZATION_WORDS = {
  asking: 'Processing',
  waiting: 'Pending',
  approved: 'Authorized',
  ending: 'Ending',
  ended: 'Ended',
} as const satisfies Record<AuthorizationState, string>;

export const AUTHORIZATION_ANSWER = named('PixAuthorization', {
  status: Type.Enum([...new Set(Object.values(AUTHORIZATION_WORDS))], {
    description: 'Processing: the bank has not answered yet, and there is no code.',
  }),
  journey: Type.Integer(),
  pixEmv: Type.Optional(
    Type.String({
      description: 'The text of the QR code by which the payer agrees; absent when it is over.',
    }),
  ),
  qrCodeUrl: Type.Optional(
    Type.String({ description: 'The picture of that QR code (PNG; `.svg` at its end: SVG).' }),
  ),
  expiresAt: Type.String({ description: 'Until when the payer may agree; São Paulo time without zone.' }),
  recurrenceId: Type.Optional(Type.String({ description: 'The id that the banks know it by.' })),
});

export type AuthorizationToShow = {
  readonly state: AuthorizationState;
  readonly journey: Journey;
  readonly pixEmv: string | null;
  readonly pageKey: string;
  readonly expiresAt: Instant;
  readonly recId: string | null;
};

/** `pages`: the address of payers' pages without the key. `now`: business time. */
export function writeAuthorization(
  { state, journey, pixEmv, pageKey, expiresAt, recId }: AuthorizationToShow,
  pages: string,
  now: Instant,
): object {
  const mayAgree = state === 'waiting' && now < expiresAt;
  return {
    status: AUTHORIZATION_WORDS[state],
    journey,
    ...(mayAgree && pixEmv !== null && { pixEmv, qrCodeUrl: `${pages}${pageKey}/qr.png` }),
    expiresAt: saoPauloText(expiresAt),
    ...(recId !== null && { recurrenceId: recId }),
  };
}

export const PIX_AUTOMATIC_REQUEST = named('PixAutomaticRequest', {
  journey: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3,
      description:
        "How the payer agrees. 1: asked by the payer's bank, at `account`. 2: a QR code. 3: a QR code that pays the first billing too. Default: 3, or 2 where the plan has a trial.",
    }),
  ),
  minimumAmount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 9_999_999_999,
      description:
        'Cents. With it the amount is not fixed: the payer may set a ceiling, not below it. Default: the amount is fixed.',
    }),
  ),
  account: Type.Optional(
    named('PayerAccount', {
      ispb: Type.String({ minLength: 8, maxLength: 8, format: 'visibleText' }),
      branch: Type.Optional(Type.String({ minLength: 1, maxLength: 4, format: 'visibleText' })),
      number: Type.String({ minLength: 1, maxLength: 20, format: 'visibleText' }),
    }),
  ),
});
