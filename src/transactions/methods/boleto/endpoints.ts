import { hasAccount } from '../../../merchants/merchants.sql.ts';
import {
  type Answer,
  type Call,
  type CUT_CONNECTION,
  callerOf,
  type Endpoint,
  endpoint,
  GENERAL_TAG,
} from '../../../platform/http/endpoint.ts';
import { FAILURES, writeOnce } from '../../../platform/http/failures.ts';
import {
  conflict,
  passingConflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
} from '../../../platform/http/refusal.ts';
import { type Page, pageFor, writePage } from '../../../platform/pages.ts';
import type { LookUp, Search } from '../../../platform/postgres/searches.ts';
import { isUuid } from '../../../values/ids.ts';
import { type Day, saoPauloDay } from '../../../values/instant.ts';
import type { CallRules } from '../../../webhooks/posting/url-rules.ts';
import { BANK_AWAY, TERMS_REFUSALS, termsAnswer, unaskedAnswer } from '../../bill-contract.ts';
import { termsFaults } from '../../bill-terms.ts';
import {
  type Boleto,
  MOST_IN_ARRAY,
  NOT_SENT,
  type RegistrationRefusal,
  type WantedBoletos,
} from './boleto.ts';
import { pagesAt, writeBoleto } from './boleto-contract.ts';
import { findBoleto, listFoundBoletos } from './boletos.sql.ts';
import { type CancelResult, type CancelTools, cancelBoleto } from './cancel-boleto.ts';
import { changeDueDay, type DueDayResult } from './change-due-day.ts';
import {
  CANCEL_BOLETO,
  CHANGE_DUE_DATE,
  checkBoleto,
  GET_BOLETO,
  ISSUE_BOLETO,
  LIST_BOLETOS,
  readBoletoRequest,
  readBoletosQuery,
  readSoundTerms,
} from './contract.ts';
import { type IssueResult, type IssueTools, issueBoleto } from './issue-boleto.ts';

type ReadTools = { readonly lookUp: LookUp; readonly search: Search };

async function listBoletos(
  { lookUp, search }: ReadTools,
  merchantId: string,
  wanted: WantedBoletos,
): Promise<Page<Boleto> | 'unknownAccount' | 'tooMany'> {
  const { accountNumber } = wanted;
  const isOwn = await lookUp(merchantId, (database) => hasAccount(database, merchantId, accountNumber));
  if (!isOwn) return 'unknownAccount';
  const found = await search(merchantId, (database) => listFoundBoletos(database, merchantId, wanted));
  return wanted.isArray && found.total > MOST_IN_ARRAY ? 'tooMany' : found;
}

/** Null if this merchant has no such boleto, or it was taken back before the bank was asked. */
async function readBoleto(
  { lookUp }: Pick<ReadTools, 'lookUp'>,
  merchantId: string,
  boletoId: string,
): Promise<Boleto | null> {
  if (!isUuid(boletoId)) return null;
  const found = await lookUp(merchantId, (database) => findBoleto(database, { merchantId, boletoId }));
  return found === null || found.refusalReason === NOT_SENT ? null : found;
}

export const REGISTRATION_SHAPES = {
  payerRefused: refusal(402, 'payer', {
    pt: 'O banco recusou o pagador: confira nome, documento e endereço.',
    en: 'The bank refused the payer: check name, document and address.',
  }),
  termsRefused: refusal(402, GENERAL_TAG, {
    pt: 'O banco recusou as condições: confira vencimento, multa, juros e desconto.',
    en: 'The bank refused the terms: check due day, fine, interest and discount.',
  }),
  amountRefused: refusal(402, 'value', { pt: 'O banco recusou o valor.', en: 'The bank refused the value.' }),
  writtenOff: refusal(402, GENERAL_TAG, {
    pt: 'O banco deu baixa no boleto antes de confirmar o registro. Emita outro.',
    en: 'The bank wrote the boleto off before it had confirmed it. Issue another one.',
  }),
} as const satisfies Record<RegistrationRefusal, RefusalShape>;

export const BOLETO_REFUSALS = {
  noBank: conflict({
    pt: 'O operador não configurou um banco (PARCELA_BANK_URL): aqui não há boletos.',
    en: 'The operator has named no bank (PARCELA_BANK_URL): there are no boletos here.',
  }),
  ofAnotherBank: conflict({
    pt: 'O boleto foi registrado em outro banco, que não está mais configurado: peça a baixa a ele.',
    en: 'The boleto was registered at another bank, which is not named any more: have it end there.',
  }),
  bankAway: BANK_AWAY,
  beingIssued: passingConflict(5, {
    pt: 'O boleto ainda está em emissão; repita o pedido depois que o banco responder.',
    en: 'The boleto is being issued; repeat the request once the bank has answered.',
  }),
  beingCanceled: passingConflict(5, {
    pt: 'O prazo do boleto acabou e o banco já foi chamado a dar baixa; consulte-o em instantes.',
    en: 'The time of the boleto is over and the bank is asked to end it; read it shortly.',
  }),
  paid: conflict({
    pt: 'O boleto já foi pago e não pode ser cancelado.',
    en: 'The boleto is paid and cannot be canceled.',
  }),
  paidAtBank: conflict({
    pt: 'O banco informa que o boleto foi pago: ele continua como estava, e o pagamento aparecerá em breve.',
    en: 'The bank says that the boleto is paid: it stays as it was, and the payment will appear shortly.',
  }),
  keptByBank: conflict({
    pt: 'O banco recusou a baixa do boleto, que continua podendo ser pago: veja com o banco o motivo.',
    en: 'The bank refused to write the boleto off, and it can still be paid: ask the bank why.',
  }),
  beingChanged: passingConflict(5, {
    pt: 'O banco ainda não respondeu à mudança de vencimento do boleto; repita o pedido depois que ele responder.',
    en: 'The bank has not answered the change of the due day yet; repeat the request once it has.',
  }),
  isOver: conflict({
    pt: 'O boleto foi pago, cancelado ou expirou, e seu vencimento não muda mais.',
    en: 'The boleto is paid, canceled or expired, and its due day does not change any more.',
  }),
  dueDayKept: conflict({
    pt: 'O banco recusou o novo vencimento: o boleto continua como estava.',
    en: 'The bank refused the new due day: the boleto stays as it was.',
  }),
  unknownToBank: conflict({
    pt: 'O banco não encontra o boleto, e ele continua como estava: veja com o banco o motivo.',
    en: 'The bank does not find the boleto, and it stays as it was: ask the bank why.',
  }),
  notOffered: conflict({
    pt: 'Este banco não muda o vencimento de boletos: cancele o boleto e emita outro.',
    en: 'This bank changes no due days of boletos: cancel it and issue another one.',
  }),
  expired: conflict({
    pt: 'O boleto expirou e não pode ser cancelado.',
    en: 'The boleto has expired and cannot be canceled.',
  }),
  tooMany: refusal(400, 'page', {
    pt: `São mais de ${MOST_IN_ARRAY} boletos: peça uma página de cada vez, com page.`,
    en: `There are more than ${MOST_IN_ARRAY} boletos: ask for one page at a time, with page.`,
  }),
} as const satisfies Record<string, RefusalShape>;

export type BoletoTools = IssueTools &
  CancelTools &
  ReadTools & {
    readonly callRules: CallRules;
    /** Null if the service has no cells. */
    readonly cell: string | null;
  };

type AnyCall = Pick<Call<unknown, unknown, unknown>, 'language' | 'pagesOrigin'>;

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
    const pages = pagesAt(call.pagesOrigin(), tools.cell);
    const write = (boleto: Boleto) => writeBoleto(boleto, pages);
    return { status: 200, body: wanted.isArray ? found.items.map(write) : writePage(wanted, found, write) };
  }),
  endpoint(GET_BOLETO, async (tools: BoletoTools, call) => {
    const boleto = await readBoleto(tools, callerOf(call).merchantId, call.parameters.boletoId);
    if (boleto === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    const { refusalReason, boletoId } = boleto;
    if (refusalReason !== null && refusalReason !== NOT_SENT)
      return writeRefusedByBank(refusalReason, boletoId, call);
    return { status: 200, body: writeBoleto(boleto, pagesAt(call.pagesOrigin(), tools.cell)) };
  }),
  endpoint(CANCEL_BOLETO, async (tools: BoletoTools, call) => {
    const { merchantId } = callerOf(call);
    const result = await cancelBoleto(tools, merchantId, call.parameters.boletoId, call.deadlineAt);
    return writeCanceled(tools, result, call);
  }),
  endpoint(CHANGE_DUE_DATE, async (tools: BoletoTools, call) => {
    const { merchantId } = callerOf(call);
    const wanted = { merchantId, boletoId: call.parameters.boletoId, dueOn: call.body.dueDate as Day };
    return writeChanged(tools, await changeDueDay(tools, wanted, call.deadlineAt), call);
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
      return { status, body: writeBoleto(boleto, pagesAt(call.pagesOrigin(), cell)) };
    }
    case 'refusedByBank':
      return writeRefusedByBank(result.reason, result.boletoId, call);
    case 'malformed':
      return termsAnswer(result.faults, call);
    case 'unknownAccount':
      return refusalAnswer(FAILURES.unknownPath, call.language);
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return unaskedAnswer(result.kind, BOLETO_REFUSALS.noBank, call);
  }
}

function writeRefusedByBank(reason: RegistrationRefusal, boletoId: string, { language }: AnyCall): Answer {
  const { status, tag, sentence } = REGISTRATION_SHAPES[reason];
  return { status, body: [{ tag, description: sentence[language], boletoId }] };
}

function writeChanged({ cell }: Pick<BoletoTools, 'cell'>, result: DueDayResult, call: AnyCall): Answer {
  switch (result.kind) {
    case 'changed': {
      const body = writeBoleto(result.boleto, pagesAt(call.pagesOrigin(), cell));
      return { status: result.isPending ? 202 : 200, body };
    }
    case 'malformed':
      return termsAnswer(result.faults, call);
    case 'refused': {
      const { refusal } = result;
      const shape = refusal === 'notFound' ? FAILURES.unknownPath : BOLETO_REFUSALS[refusal];
      return refusalAnswer(shape, call.language);
    }
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return unaskedAnswer(result.kind, BOLETO_REFUSALS.noBank, call);
  }
}

function writeCanceled({ cell }: Pick<BoletoTools, 'cell'>, result: CancelResult, call: AnyCall): Answer {
  switch (result.kind) {
    case 'canceled': {
      const body = writeBoleto(result.boleto, pagesAt(call.pagesOrigin(), cell));
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
      return unaskedAnswer(result.kind, BOLETO_REFUSALS.noBank, call);
  }
}
