import { readBrCode } from '../../../../values/br-code.ts';
import { type Cents, cents, reaisText } from '../../../../values/cents.ts';
import { parseOffsetText, utcText } from '../../../../values/instant.ts';
import type {
  AuthorizationName,
  AuthorizationRequest,
  AuthorizationState,
  CollectionRequest,
  FoundAuthorization,
  FoundCollection,
  PixPaid,
  PixPeriod,
} from '../../recurring-pix.ts';
import { debtorOf, unknown } from './charge-answers.ts';
import type { RecurringDialect } from './dialect.ts';
import { type Fields, fieldsOf } from './receipt.ts';

const PERIODS = {
  weekly: 'SEMANAL',
  monthly: 'MENSAL',
  quarterly: 'TRIMESTRAL',
  semesterly: 'SEMESTRAL',
  yearly: 'ANUAL',
} as const satisfies Record<PixPeriod, string>;

export function bodyOfRec(request: AuthorizationRequest, loc: number): object {
  const { contract, payer, subject, period, startsOn, amount, leastAmount, mayRetry, first } = request;
  return {
    vinculo: { contrato: contract, objeto: subject, devedor: debtorOf(payer) },
    calendario: { dataInicial: startsOn, periodicidade: PERIODS[period] },
    valor:
      amount === null
        ? { valorMinimoRecebedor: reaisText(leastAmount ?? cents(1)) }
        : { valorRec: reaisText(amount) },
    politicaRetentativa: mayRetry ? 'PERMITE_3R_7D' : 'NAO_PERMITE',
    loc,
    ...(first !== null && { ativacao: { dadosJornada: { txid: first.txid } } }),
  };
}

export function bodyOfSolicRec(
  recId: string,
  { payer, payerAccount, expiresAt }: AuthorizationRequest,
): object {
  const { cpf, cnpj } = debtorOf(payer) as Record<string, string | undefined>;
  return {
    idRec: recId,
    calendario: { dataExpiracaoSolicitacao: utcText(expiresAt) },
    destinatario: {
      ...(cpf === undefined ? { cnpj } : { cpf }),
      conta: payerAccount?.account,
      ...(payerAccount?.branch == null ? {} : { agencia: payerAccount.branch }),
      ispbParticipante: payerAccount?.ispb,
    },
  };
}

export function bodyOfCollection(
  { recId, dueOn, amount }: CollectionRequest,
  { account, branch, accountType }: RecurringDialect,
): object {
  return {
    idRec: recId,
    calendario: { dataDeVencimento: dueOn },
    valor: { original: reaisText(amount) },
    ajusteDiaUtil: true,
    recebedor: {
      ...(branch !== null && { agencia: branch }),
      conta: account,
      tipoConta: accountType,
    },
  };
}

const REC_ID = /^R[RN][A-Z0-9]{8}\d{8}[a-zA-Z0-9]{11}$/;

export function recIdOf(body: unknown): string | null {
  const { idRec } = fieldsOf(body);
  return typeof idRec === 'string' && REC_ID.test(idRec) ? idRec : null;
}

/** Of a list of authorizations the one under our contract that still waits or holds. */
export function recIdOfContract(body: unknown, contract: string): string | null {
  const { recs } = fieldsOf(body);
  const found = (Array.isArray(recs) ? recs : []).filter(
    (rec) => fieldsOf(fieldsOf(rec).vinculo).contrato === contract,
  );
  const open = found.find((rec) => ['CRIADA', 'APROVADA'].includes(String(fieldsOf(rec).status)));
  return recIdOf(open ?? found[0]);
}

/** The code that authorizes. Null: the answer has none, or one that cannot be. */
export function codeOf(body: unknown): string | null {
  const { pixCopiaECola } = fieldsOf(fieldsOf(body).dadosQR);
  if (typeof pixCopiaECola !== 'string') return null;
  return readBrCode(pixCopiaECola).kind === 'fault' ? null : pixCopiaECola;
}

export function wasSentToPayer(body: unknown): boolean {
  const { solicitacao } = fieldsOf(body);
  return Array.isArray(solicitacao) && solicitacao.length > 0;
}

export function readRec(body: unknown, name: AuthorizationName, firstPayment: PixPaid | null) {
  if (recIdOf(body) !== name.recId) return unknown('the bank answered for another authorization');
  const state = stateOf(fieldsOf(body));
  if (state === null) return unknown('the status of the authorization is none we know');
  return { kind: 'found', firstPayment, ...state } satisfies FoundAuthorization;
}

function stateOf({ status, encerramento }: Fields): AuthorizationState | null {
  switch (status) {
    case 'CRIADA':
      return { state: 'waiting' };
    case 'APROVADA':
      return { state: 'approved' };
    case 'REJEITADA':
      return { state: 'rejected' };
    case 'EXPIRADA':
      return { state: 'expired' };
    case 'CANCELADA': {
      const { solicitante } = fieldsOf(fieldsOf(encerramento).cancelamento);
      return { state: 'canceled', byPayer: String(solicitante).endsWith('PAGADOR') };
    }
    default:
      return null;
  }
}

/** What paid a charge whose code authorizes; null: nobody yet. */
export function firstPaymentOf(body: unknown, amount: Cents): PixPaid | null {
  const { pix } = fieldsOf(body);
  const read = (Array.isArray(pix) ? pix : []).map(paidOf).filter((one) => one !== null);
  return read.find((one) => one.amount === amount) ?? read[0] ?? null;
}

function paidOf(item: unknown): PixPaid | null {
  const { endToEndId, valor, horario } = fieldsOf(item);
  const paidAt = typeof horario === 'string' ? parseOffsetText(horario) : null;
  const isReadable = typeof endToEndId === 'string' && /^[a-zA-Z0-9]{32}$/.test(endToEndId);
  if (!isReadable || paidAt === null || typeof valor !== 'string') return null;
  return /^\d{1,10}\.\d{2}$/.test(valor)
    ? { endToEndId, amount: cents(Number(valor.replace('.', ''))), paidAt }
    : null;
}

/** The tries of a charge, as its record has them. */
function triesOf(body: unknown): Fields[] {
  const { tentativas } = fieldsOf(body);
  return (Array.isArray(tentativas) ? tentativas : []).map(fieldsOf);
}

export function hasTryOn(body: unknown, day: string): boolean {
  return triesOf(body).some(({ dataLiquidacao }) => dataLiquidacao === day);
}

/** The bank's record, which must be of the charge that was asked for. */
export function readCollection(body: unknown, { txid, recId, amount }: CollectionRequest): FoundCollection {
  const fields = fieldsOf(body);
  if (fields.txid !== txid || fields.idRec !== recId) return unknown('the bank answered for another charge');
  if (fieldsOf(fields.valor).original !== reaisText(amount))
    return unknown('the bank has this txid with another amount');
  const last = triesOf(body).at(-1) ?? {};
  const code = codeOfRefusal(last) ?? codeOfRefusal(fieldsOf(fields.encerramento));
  switch (fields.status) {
    case 'CONCLUIDA': {
      const payment = firstPaymentOf(body, amount);
      return payment === null ? unknown('a charge is paid by no Pix') : { kind: 'paid', ...payment };
    }
    case 'REJEITADA':
    case 'EXPIRADA':
      return { kind: 'over', isCanceled: false, code };
    case 'CANCELADA':
      return { kind: 'over', isCanceled: true, code };
    case 'CRIADA':
    case 'ATIVA':
      return ['REJEITADA', 'EXPIRADA', 'CANCELADA'].includes(String(last.status))
        ? { kind: 'failed', code }
        : { kind: 'scheduled' };
    default:
      return unknown('the status of the charge is none we know');
  }
}

function codeOfRefusal({ rejeicao }: Fields): string | null {
  const { codigo } = fieldsOf(rejeicao);
  return typeof codigo === 'string' && /^[A-Z0-9]{4}$/.test(codigo) ? codigo : null;
}
