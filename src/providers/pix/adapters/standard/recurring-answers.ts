import { type Fields, fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { readBrCode } from '../../../../values/br-code.ts';
import { type Cents, cents, reaisText } from '../../../../values/cents.ts';
import { parseOffsetText, utcText } from '../../../../values/instant.ts';
import type {
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

/** Of a page of authorizations those under our contract, and how many pages there are. */
export function recsOfContract(body: unknown, contract: string): { recs: FoundRec[]; pages: number } {
  const { recs, parametros } = fieldsOf(body);
  const { quantidadeDePaginas } = fieldsOf(fieldsOf(parametros).paginacao);
  const found = (Array.isArray(recs) ? recs : []).flatMap((rec): FoundRec[] => {
    const recId = recIdOf(rec);
    const isOurs = recId !== null && fieldsOf(fieldsOf(rec).vinculo).contrato === contract;
    const isLive = ['CRIADA', 'APROVADA'].includes(String(fieldsOf(rec).status));
    return isOurs ? [{ recId, isLive }] : [];
  });
  return { recs: found, pages: typeof quantidadeDePaginas === 'number' ? quantidadeDePaginas : 1 };
}

export type FoundRec = { readonly recId: string; readonly isLive: boolean };

/** Which field of the bank's record is not as it was asked for; null: none. Days may not be moved either. */
export function faultOfRec(body: unknown, request: AuthorizationRequest): string | null {
  const { calendario, valor, politicaRetentativa, vinculo } = bodyOfRec(request, 0) as Fields;
  const found = fieldsOf(body);
  const differ = (name: string, wanted: unknown, field: string) => {
    const is = fieldsOf(found[name])[field];
    return is === fieldsOf(wanted)[field] ? [] : [`${name}.${field}`];
  };
  const [fault] = [
    ...differ('vinculo', vinculo, 'contrato'),
    ...differ('calendario', calendario, 'dataInicial'),
    ...differ('calendario', calendario, 'periodicidade'),
    ...differ('valor', valor, 'valorRec'),
    ...differ('valor', valor, 'valorMinimoRecebedor'),
    ...(found.politicaRetentativa === politicaRetentativa ? [] : ['politicaRetentativa']),
  ];
  return fault ?? null;
}

/** The code that authorizes. Null: the answer has none, or one that cannot be. */
export function codeOf(body: unknown): string | null {
  const { pixCopiaECola } = fieldsOf(fieldsOf(body).dadosQR);
  if (typeof pixCopiaECola !== 'string') return null;
  return readBrCode(pixCopiaECola).kind === 'fault' ? null : pixCopiaECola;
}

/** To whom the payer's bank was asked to send it; null: to nobody yet. */
export function accountSentTo(body: unknown): { readonly ispb: unknown; readonly account: unknown } | null {
  const { solicitacao } = fieldsOf(body);
  const [sent] = Array.isArray(solicitacao) ? solicitacao : [];
  if (sent === undefined) return null;
  const { ispbParticipante: ispb, conta: account } = fieldsOf(fieldsOf(sent).destinatario);
  return { ispb, account };
}

export function readRec(body: unknown, recId: string) {
  if (recIdOf(body) !== recId) return unknown('the bank answered for another authorization');
  const state = stateOf(fieldsOf(body));
  if (state === null) return unknown('the status of the authorization is none we know');
  return { kind: 'found', recId, ...state } satisfies FoundAuthorization;
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
      return { state: 'canceled', byPayer: !String(solicitante).endsWith('RECEBEDOR') };
    }
    default:
      return null;
  }
}

/** What paid a charge, if its record says so; the one in its amount comes first. */
function firstPaymentOf(body: unknown, amount: Cents): PixPaid | null {
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

/** A further try; the others are of the bank's own. */
const FURTHER_TRY = 'NTAG';

/** Tries are counted: a bank may move one to a working day, which is then the day of the next one. */
export function hasTry(body: unknown, attemptNumber: number): boolean {
  const tries = triesOf(body);
  const areNamed = tries.every(({ tipo }) => typeof tipo === 'string');
  const further = areNamed ? tries.filter(({ tipo }) => tipo === FURTHER_TRY).length : tries.length - 1;
  return further >= attemptNumber - 1;
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
    case 'CONCLUIDA':
      return { kind: 'paid', payment: firstPaymentOf(body, amount) };
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
