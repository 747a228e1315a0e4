import {
  type Answer,
  type Call,
  type CUT_CONNECTION,
  callerOf,
  type Endpoint,
  endpoint,
  GENERAL_TAG,
} from '../../../platform/http/endpoint.ts';
import { writeOnce } from '../../../platform/http/failures.ts';
import { conflict, type RefusalShape, refusal } from '../../../platform/http/refusal.ts';
import { saoPauloDay } from '../../../values/instant.ts';
import type { CallRules } from '../../../webhooks/posting/url-rules.ts';
import { BANK_AWAY, TERMS_REFUSALS, termsAnswer, unaskedAnswer } from '../../bill-contract.ts';
import { termsFaults } from '../../bill-terms.ts';
import { checkPix, ISSUE_PIX, readPixRequest, readSoundPix } from './contract.ts';
import { type IssuePixResult, type IssuePixTools, issuePix } from './issue-pix.ts';
import type { RefusalOfBank } from './pix.ts';
import { pagesAt, writeIssuedPix } from './pix-contract.ts';

export const PIX_BANK_REFUSALS = {
  payerRefused: refusal(402, 'payer', {
    pt: 'O banco recusou o pagador: confira nome e documento.',
    en: 'The bank refused the payer: check name and document.',
  }),
  termsRefused: refusal(402, GENERAL_TAG, {
    pt: 'O banco recusou a cobrança: confira prazo, vencimento, multa, juros e desconto.',
    en: 'The bank refused the charge: check its time, due day, fine, interest and discount.',
  }),
  amountRefused: refusal(402, 'amount', {
    pt: 'O banco recusou o valor.',
    en: 'The bank refused the amount.',
  }),
  removedAtBank: refusal(402, GENERAL_TAG, {
    pt: 'O banco removeu a cobrança antes de confirmá-la. Faça outra.',
    en: 'The bank took the charge away before it had confirmed it. Make another one.',
  }),
  neverConfirmed: refusal(402, GENERAL_TAG, {
    pt: 'O banco não confirmou a cobrança a tempo, e ninguém pode pagá-la. Faça outra.',
    en: 'The bank did not confirm the charge in time, and nobody can pay it. Make another one.',
  }),
} as const satisfies Record<RefusalOfBank, RefusalShape>;

export const PIX_REFUSALS = {
  noBank: conflict({
    pt: 'O operador não configurou um banco para Pix (PARCELA_PIX_URL).',
    en: 'The operator has named no bank of Pix (PARCELA_PIX_URL).',
  }),
  bankAway: BANK_AWAY,
} as const satisfies Record<string, RefusalShape>;

export type PixTools = IssuePixTools & {
  readonly callRules: CallRules;
  /** Null if the service has no cells. */
  readonly cell: string | null;
};

export const PIX_ENDPOINTS: readonly Endpoint<PixTools>[] = [
  endpoint(
    ISSUE_PIX,
    async (tools: PixTools, call) => {
      const once = await issuePix(tools, callerOf(call), readPixRequest(call.body), call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeIssued(tools, result, call));
    },
    {
      checkWith: ({ callRules }) => checkPix(callRules),
      lookBeside: async ({ clock }, body, { merchantId }) => {
        const faults = termsFaults(readSoundPix(body), saoPauloDay(clock.now(merchantId)));
        return faults.map((fault) => TERMS_REFUSALS[fault]);
      },
    },
  ),
];

type AnyCall = Pick<Call<unknown, unknown, unknown>, 'language' | 'pagesOrigin'>;

/** On every answer to a request once its payment exists, whatever the outcome. */
const paymentHeader = (paymentId: string) => ({ 'x-payment-id': paymentId });

function writeIssued(
  { cell }: Pick<PixTools, 'cell'>,
  result: IssuePixResult,
  call: AnyCall,
): Answer | typeof CUT_CONNECTION {
  switch (result.kind) {
    case 'made': {
      const { pix } = result;
      const body = writeIssuedPix(pix, pagesAt(call.pagesOrigin(), cell));
      return { status: pix.state === 'issuing' ? 202 : 200, body, headers: paymentHeader(pix.pixId) };
    }
    case 'refusedByBank': {
      const { status, tag, sentence } = PIX_BANK_REFUSALS[result.reason];
      const { pixId: paymentId } = result;
      const body = [{ tag, description: sentence[call.language], paymentId }];
      return { status, body, headers: paymentHeader(paymentId) };
    }
    case 'malformed':
      return termsAnswer(result.faults, call);
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return unaskedAnswer(result.kind, PIX_REFUSALS.noBank, call);
  }
}
