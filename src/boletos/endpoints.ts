import {
  type Answer,
  type Call,
  type CUT_CONNECTION,
  callerOf,
  type Endpoint,
  endpoint,
} from '../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../platform/http/failures.ts';
import { refusalAnswer, refusalsAnswer, unavailableAnswer, writeOnce } from '../platform/http/refusal.ts';
import { pageFor, writePage } from '../platform/pages.ts';
import { saoPauloDay } from '../values/instant.ts';
import type { CallRules } from '../webhooks/posting/url-rules.ts';
import { type Boleto, NOT_SENT, type RegistrationRefusal, termsFaults } from './boleto.ts';
import { pagesAt, writeBoleto } from './boleto-contract.ts';
import { type CancelResult, type CancelTools, cancelBoleto } from './cancel-boleto.ts';
import {
  CANCEL_BOLETO,
  checkBoleto,
  GET_BOLETO,
  ISSUE_BOLETO,
  readBoletoRequest,
  readSoundTerms,
} from './contract.ts';
import { type IssueResult, type IssueTools, issueBoleto } from './issue-boleto.ts';
import { listBoletos, type ReadTools, readBoleto } from './list-boletos.ts';
import { LIST_BOLETOS, readBoletosQuery } from './list-contract.ts';
import { BOLETO_REFUSALS, REGISTRATION_SHAPES, TERMS_REFUSALS } from './refusals.ts';

export type BoletoTools = IssueTools &
  CancelTools &
  ReadTools & {
    readonly callRules: CallRules;
    /** Null: there are no cells. */
    readonly cell: string | null;
  };

type AnyCall = Pick<Call<unknown, unknown, unknown>, 'language' | 'origin'>;

export const BOLETO_ENDPOINTS: readonly Endpoint<BoletoTools>[] = [
  endpoint(
    ISSUE_BOLETO,
    async (tools: BoletoTools, call) => {
      const wanted = { ...readBoletoRequest(call.body), accountNumber: call.query.accountNumber };
      const once = await issueBoleto(tools, callerOf(call), wanted, call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeIssued(tools, result, call));
    },
    {
      checkWith: ({ callRules }) => checkBoleto(callRules),
      lookBeside: async ({ clock }, body, { merchantId }) => {
        const faults = termsFaults(readSoundTerms(body), saoPauloDay(clock.now(merchantId)));
        return faults.map((fault) => TERMS_REFUSALS[fault]);
      },
    },
  ),
  endpoint(LIST_BOLETOS, async (tools: BoletoTools, call) => {
    const wanted = pageFor(call, readBoletosQuery(call.query));
    const found = await listBoletos(tools, callerOf(call).merchantId, wanted);
    if (found === 'unknownAccount') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (found === 'tooMany') return refusalAnswer(BOLETO_REFUSALS.tooMany, call.language);
    const pages = pagesAt(call.origin(), tools.cell);
    const write = (boleto: Boleto) => writeBoleto(boleto, pages);
    return { status: 200, body: wanted.isArray ? found.items.map(write) : writePage(wanted, found, write) };
  }),
  endpoint(GET_BOLETO, async (tools: BoletoTools, call) => {
    const boleto = await readBoleto(tools, callerOf(call).merchantId, call.parameters.boletoId);
    if (boleto === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    const { refusalReason, boletoId } = boleto;
    if (refusalReason !== null && refusalReason !== NOT_SENT)
      return writeRefusedByBank(refusalReason, boletoId, call);
    return { status: 200, body: writeBoleto(boleto, pagesAt(call.origin(), tools.cell)) };
  }),
  endpoint(CANCEL_BOLETO, async (tools: BoletoTools, call) => {
    const { merchantId } = callerOf(call);
    const result = await cancelBoleto(tools, merchantId, call.parameters.boletoId, call.deadlineAt);
    return writeCanceled(tools, result, call);
  }),
];

function writeIssued(
  { cell }: Pick<BoletoTools, 'cell'>,
  result: IssueResult,
  call: AnyCall,
): Answer | typeof CUT_CONNECTION {
  switch (result.kind) {
    case 'made': {
      const { boleto } = result;
      const status = boleto.state === 'issuing' ? 202 : 200;
      return { status, body: writeBoleto(boleto, pagesAt(call.origin(), cell)) };
    }
    case 'refusedByBank':
      return writeRefusedByBank(result.reason, result.boletoId, call);
    case 'malformed':
      return refusalsAnswer(
        result.faults.map((fault) => TERMS_REFUSALS[fault]),
        call.language,
      );
    case 'unknownAccount':
      return refusalAnswer(FAILURES.unknownPath, call.language);
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return writeUnasked(result.kind, call);
  }
}

function writeRefusedByBank(reason: RegistrationRefusal, boletoId: string, { language }: AnyCall): Answer {
  const { status, tag, sentence } = REGISTRATION_SHAPES[reason];
  return { status, body: [{ tag, description: sentence[language], boletoId }] };
}

function writeCanceled({ cell }: Pick<BoletoTools, 'cell'>, result: CancelResult, call: AnyCall): Answer {
  switch (result.kind) {
    case 'canceled': {
      const body = writeBoleto(result.boleto, pagesAt(call.origin(), cell));
      return { status: result.isPending ? 202 : 200, body };
    }
    case 'refused': {
      const { refusal } = result;
      const shape = refusal === 'notFound' ? FAILURES.unknownPath : BOLETO_REFUSALS[refusal];
      return refusalAnswer(shape, call.language);
    }
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return writeUnasked(result.kind, call);
  }
}

/** The bank was not asked. */
function writeUnasked(kind: 'noBank' | 'notSent' | 'notConnected', { language }: AnyCall): Answer {
  switch (kind) {
    case 'noBank':
      return refusalAnswer(BOLETO_REFUSALS.noBank, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return refusalAnswer(BOLETO_REFUSALS.bankAway, language, { 'retry-after': RETRY_AFTER_SECONDS });
  }
}
