import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { type Answer, callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, type Once, unavailableAnswer, writeOnce } from '../../platform/http/failures.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { DECLINE_ANSWER, writeDecline, writeRetryLimit } from '../../providers/acquirers/endpoints.ts';
import { readDecline } from '../../providers/acquirers/issuer-code.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { findBilling } from '../billings/billings.sql.ts';
import { GET_BILLING, writeWholeBilling } from '../billings/contract.ts';
import { type ChargeByHandTools, chargeManually, type ManualChargeResult } from './charge-manually.ts';
import type { IssuerDecline } from './collect-billing.ts';
import type { HandChargeRefusal } from './outcome-record.ts';

const READ_AGAIN_MILLISECONDS = 100;

/**
 * The billing after a successful manual charge; null if the answer does not need it. Read outside the read
 * queues, because the money has moved. Repeated if the database fails; at the deadline the error cuts the
 * connection.
 */
async function readChargedBilling(
  { database }: { readonly database: Reader },
  once: Once<ManualChargeResult>,
  merchantId: string,
  billingId: string,
  deadlineAt: number,
): Promise<BillingWithCharges | null> {
  const kind = 'result' in once ? once.result.kind : null;
  if (kind !== 'paid' && kind !== 'pending') return null;
  for (;;) {
    try {
      return await findBilling(database, merchantId, billingId);
    } catch (error) {
      const isRepeatable = error instanceof DatabaseUnavailable;
      if (!isRepeatable || performance.now() + READ_AGAIN_MILLISECONDS >= deadlineAt) throw error;
      await pause(READ_AGAIN_MILLISECONDS);
    }
  }
}

export const HAND_CHARGE_REFUSALS = {
  notChargeable: conflict({
    pt: 'Só uma cobrança Denied ou PaymentInvalid pode ser cobrada novamente.',
    en: 'Only a billing that is Denied or PaymentInvalid can be charged again.',
  }),
  charging: conflict({
    pt: 'A cobrança está sendo processada; aguarde o resultado.',
    en: 'The billing is being charged; wait for the outcome.',
  }),
  paidByPix: conflict({
    pt: 'A cobrança é paga por Pix Automático e não pode ser cobrada manualmente; envie ao cliente uma cobrança Pix.',
    en: 'The billing is paid by PixAutomatic and cannot be charged by hand; send the customer a charge by Pix.',
  }),
  cardExpired: refusal(409, 'vaultId', {
    pt: 'O cartão da assinatura está vencido; informe outro cartão do cofre.',
    en: "The subscription's card is expired; give it another stored card.",
  }),
  cardUnusable: refusal(409, 'vaultId', {
    pt: 'O cartão da assinatura não está mais no cofre; informe outro.',
    en: "The subscription's card is no longer stored; give it another.",
  }),
  amountOutOfRange: refusal(409, 'amount', {
    pt: 'O valor está fora dos limites de uma cobrança (0,01 a 99.999.999,99).',
    en: 'The amount is out of the range of a charge (0.01 to 99,999,999.99).',
  }),
} as const satisfies Record<HandChargeRefusal, RefusalShape>;

/**
 * The acquirer was not asked. Answered like a decline, because the reason is an earlier refusal of the card.
 */
export const MANUAL_CHARGE_LIMITS = {
  neverAgain: refusal(402, 'retryLimit', {
    pt: 'O emissor já recusou este cartão em definitivo; informe outro cartão do cofre.',
    en: 'The issuer has refused this card for good; give the subscription another stored card.',
  }),
  limited: refusal(402, 'retryLimit', {
    pt: 'O limite de tentativas da bandeira para este cartão foi atingido.',
    en: 'The limit of tries of the card network is reached for this card.',
  }),
} as const satisfies Record<'neverAgain' | 'limited', RefusalShape>;

const WHOLE_BILLING = GET_BILLING.answers[200];

export const CHARGE_BILLING = contract({
  api: 'gateway',
  scope: 'recurrence',
  group: 'Billings',
  id: 'chargeBilling',
  method: 'POST',
  path: '/v1/recurrences/billing/{billingId}/charge',
  isBodyOptional: true,
  isExact: true,
  summary: 'Charge a billing again by hand',
  description:
    'A billing that is Denied or PaymentInvalid is charged once more, with the card that its subscription has now. It is Paid then, or ' +
    'stays what it is; its schedule is not touched, and only a card that is canceled blocks the subscription. A card whose issuer ' +
    'has said never again, or whose network takes no more tries, is not sent (402, tag retryLimit). Takes no body.',
  isRepeatable: true,
  parameters: Type.Object({ billingId: Type.String({ maxLength: 36 }) }),
  answers: {
    200: { ...WHOLE_BILLING, description: 'Paid.' },
    202: {
      ...WHOLE_BILLING,
      description: 'The acquirer has not answered: the outcome is found out, and then shown by the billing.',
    },
    402: {
      ...DECLINE_ANSWER,
      description: 'Declined by the issuer; or not sent, tag `retryLimit`.',
    },
    409: refusedAnswer('It cannot be charged as it is.', HAND_CHARGE_REFUSALS.notChargeable),
  },
});

function readIssuerDecline({ brand, responseCode, adviceCode, soldAt }: IssuerDecline) {
  const read = readDecline(brand, responseCode, adviceCode);
  return { brand, responseCode, adviceCode, read, soldAt };
}

export const MANUAL_CHARGE_ENDPOINTS: readonly Endpoint<ChargeByHandTools>[] = [
  endpoint(CHARGE_BILLING, async (tools: ChargeByHandTools, call) => {
    const caller = callerOf(call);
    const { billingId } = call.parameters;
    const once = await chargeManually(tools, caller, billingId, call, call.deadlineAt);
    const { merchantId } = caller;
    const billing = await readChargedBilling(tools, once, merchantId, billingId, call.deadlineAt);
    return writeOnce(call, once, (result) => writeResult(result, billing, call.language));
  }),
];

function writeResult(
  result: ManualChargeResult,
  billing: BillingWithCharges | null,
  language: Language,
): Answer {
  switch (result.kind) {
    case 'notFound':
      return refusalAnswer(FAILURES.unknownPath, language);
    case 'paid':
    case 'pending':
      if (billing === null) throw new Error('a billing that was charged is gone');
      return { status: result.kind === 'paid' ? 200 : 202, body: writeWholeBilling(billing, language) };
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
    case 'voided':
      return refusalAnswer(FAILURES.unknownFailure, language);
    case 'declined':
      return { status: 402, body: writeDecline(readIssuerDecline(result), language) };
    case 'limited': {
      const shape = MANUAL_CHARGE_LIMITS[result.isNeverAgain ? 'neverAgain' : 'limited'];
      return { status: shape.status, body: writeRetryLimit(shape, result.mayRetryAt, language) };
    }
    case 'refused':
      return refusalAnswer(HAND_CHARGE_REFUSALS[result.refusal], language);
  }
}
