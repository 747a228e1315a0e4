import { type Static, Type } from 'typebox';
import { both, type CheckedRule, has, hasValue, when } from '../../../platform/http/checked.ts';
import { contract, type Fault, GENERAL_TAG, type Sound } from '../../../platform/http/endpoint.ts';
import { named } from '../../../platform/http/named.ts';
import { type RefusalShape, refusal, refusedAnswer } from '../../../platform/http/refusal.ts';
import { REQUIRED } from '../../../platform/http/schema-faults.ts';
import { type Cents, cents, MAX_PAYMENT_CENTS } from '../../../values/cents.ts';
import type { Day } from '../../../values/instant.ts';
import {
  type CallRules,
  callbackUrl,
  checkCallback,
  PUBLIC_ONLY,
} from '../../../webhooks/posting/url-rules.ts';
import { DUE_DAY, readSoundDue, readTerms, TERMS_REQUEST } from '../../bill-contract.ts';
import type { BillTerms } from '../../bill-terms.ts';
import { checkSplit, readSplit, SPLIT_REQUEST } from '../../split-contract.ts';
import { USUAL_DAYS_TO_EXPIRE, USUAL_SECONDS, type WantedPix } from './pix.ts';
import { PIX_EXAMPLE, PIX_ISSUED } from './pix-contract.ts';

const MOST_DAYS_TO_EXPIRE = 60;
const [LEAST_SECONDS, MOST_SECONDS] = [60, 31_536_000];

/** Fields that a Pix without a due day cannot have. */
const OF_DUE_DAY = ['fine', 'interest', 'discount', 'daysToExpire'] as const;

const areNull = (...names: readonly string[]): CheckedRule => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'null' }])),
});

/** What `checkPix` enforces between fields, for the printed contract. */
const RULES = when(
  has('dueDate'),
  both(areNull('expiresInSeconds'), hasValue('payer')),
  areNull(...OF_DUE_DAY),
);

const PIX_REQUEST = named(
  'PixRequest',
  {
    amount: Type.Integer({ minimum: 1, maximum: MAX_PAYMENT_CENTS, description: 'Cents.' }),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: LEAST_SECONDS,
        maximum: MOST_SECONDS,
        description: `Of a Pix that is to be paid at once; default ${USUAL_SECONDS}. Not beside dueDate.`,
      }),
    ),
    dueDate: Type.Optional(DUE_DAY),
    ...TERMS_REQUEST,
    daysToExpire: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_DAYS_TO_EXPIRE,
        description: `Days after the due day on which it can still be paid; default ${USUAL_DAYS_TO_EXPIRE}.`,
      }),
    ),
    payer: Type.Optional(
      named('PixPayerRequest', {
        name: Type.String({ minLength: 1, maxLength: 200, format: 'visibleText' }),
        documentNumber: Type.String({ maxLength: 18, format: 'cpfOrCnpj', reads: 'document' }),
      }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 140, format: 'visibleText', description: 'Shown to the payer by his bank.' }),
    ),
    referenceTransaction: Type.Optional(Type.String({ maxLength: 50 })),
    configSplit: SPLIT_REQUEST,
    urlCallBack: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'webAddress',
        description: 'A public address, https in production: each change of the Pix is posted there.',
      }),
    ),
  },
  { checked: RULES },
);
type PixBody = Static<typeof PIX_REQUEST>;

export const PIX_FAULTS = {
  eitherExpiry: refusal(400, 'expiresInSeconds', {
    pt: 'Informe expiresInSeconds ou dueDate, não os dois.',
    en: 'Give expiresInSeconds or dueDate, not both.',
  }),
  onlyWithDueDay: refusal(400, 'fine', {
    pt: 'Só vale junto com dueDate.',
    en: 'Needs dueDate beside it.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** Checks the fields against each other. The rules for callback addresses depend on the settings. */
export function checkPix(callRules: CallRules): (body: unknown) => Fault[] {
  return (body) => {
    const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
    const { urlCallBack, dueDate, payer, expiresInSeconds } = fields;
    const isThere = (value: unknown) => value !== undefined && value !== null;
    const faults: Fault[] = typeof urlCallBack === 'string' ? checkCallback(callRules, urlCallBack) : [];
    if (Array.isArray(fields.configSplit)) faults.push(...checkSplit(fields.configSplit));
    if (isThere(dueDate)) {
      if (isThere(expiresInSeconds)) faults.push(PIX_FAULTS.eitherExpiry);
      if (!isThere(payer))
        for (const tag of ['payer.name', 'payer.documentNumber']) faults.push({ tag, sentence: REQUIRED });
      return faults;
    }
    for (const tag of OF_DUE_DAY)
      if (isThere(fields[tag])) faults.push({ ...PIX_FAULTS.onlyWithDueDay, tag });
    return faults;
  };
}

const BODY_EXAMPLE = {
  amount: PIX_EXAMPLE.amount,
  expiresInSeconds: 3_600,
  payer: { name: 'Ana Souza', documentNumber: '52998224725' },
  description: 'Pedido 1001',
  referenceTransaction: PIX_EXAMPLE.referenceTransaction,
};

export const ISSUE_PIX = contract({
  api: 'gateway',
  scope: 'gateway',
  group: 'Pix',
  id: 'issuePix',
  method: 'POST',
  path: '/v1/payments/pix',
  summary: 'Charge by Pix',
  description:
    'Made at the bank under a txid of ours: 200 means that it can be paid, with the text of its QR code. 202 means that the bank has not answered yet; ' +
    'it is asked again, under the same txid, until it does, so that one request never makes two charges. 402 means that the bank refuses it. ' +
    'With dueDate it can be paid until daysToExpire days after it, with fine, interest and discount, and needs its payer; without, for expiresInSeconds. ' +
    'Repeated with its Idempotency-Key, a request is answered with the same Pix as it stands then.',
  isRepeatable: true,
  body: PIX_REQUEST,
  bodyExample: BODY_EXAMPLE,
  check: checkPix(PUBLIC_ONLY),
  answers: {
    200: { description: 'It waits for its payer.', schema: PIX_ISSUED, example: PIX_EXAMPLE },
    202: {
      description:
        'The bank has not answered yet. It is asked until it answers; read the payment, or send the same request again with its Idempotency-Key.',
      schema: PIX_ISSUED,
      example: { ...PIX_EXAMPLE, status: 'Processando', pixEmv: null },
    },
    402: {
      description: 'The bank makes no such charge. The id of the payment is in the entry.',
      schema: Type.Array(
        named('PixProblem', { tag: Type.String(), description: Type.String(), paymentId: Type.String() }),
      ),
      example: [
        {
          tag: 'payer',
          description: 'O banco recusou o pagador: confira nome e documento.',
          paymentId: PIX_EXAMPLE.paymentId,
        },
      ],
    },
    409: refusedAnswer('The operator has named no bank of Pix.', {
      tag: GENERAL_TAG,
      sentence: { pt: 'O operador não configurou um banco para Pix (PARCELA_PIX_URL).' },
    }),
  },
});

export function readPixRequest(body: PixBody): WantedPix {
  const { amount, dueDate, payer } = body;
  const daysToExpire = body.daysToExpire ?? USUAL_DAYS_TO_EXPIRE;
  const dueOn = dueDate as Day | undefined;
  return {
    amount: cents(amount),
    expiresInSeconds: dueOn === undefined ? (body.expiresInSeconds ?? USUAL_SECONDS) : null,
    due: dueOn === undefined ? null : { dueOn, daysToExpire, ...readTerms(body) },
    payer: payer ?? null,
    description: body.description ?? null,
    referenceTransaction: body.referenceTransaction ?? null,
    callbackUrl: callbackUrl(body.urlCallBack ?? null),
    split: readSplit(body.configSplit),
  };
}

/** Reads the terms of a malformed request that are checked against each other, as far as readable. */
export function readSoundPix(
  body: Sound<PixBody>,
): Partial<Pick<BillTerms, 'amount' | 'dueOn' | 'discount'>> {
  const { amount } = body;
  return { ...(amount === undefined ? {} : { amount: amount as Cents }), ...readSoundDue(body) };
}
