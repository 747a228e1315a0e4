import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import type { UnclearCause } from '../../../../platform/channels/unclear.ts';
import { readBrCode } from '../../../../values/br-code.ts';
import { type Cents, reaisText } from '../../../../values/cents.ts';
import { type Instant, instant, parseOffsetText } from '../../../../values/instant.ts';
import type {
  FoundPix,
  PixDueTerms,
  PixIssueRefusal,
  PixName,
  PixPayer,
  PixReceipt,
  PixRefundAnswer,
  PixRefundRequest,
  PixRequest,
} from '../../pix-bank.ts';
import { readReceipt, readReturns } from './receipt.ts';

export const unknown = (reason: string, cause: UnclearCause = 'unusable') =>
  ({ kind: 'unknown', cause, reason }) as const;

const CPF_LENGTH = 11;
const USUAL_DAYS_TO_EXPIRE = 30;

export function debtorOf({ name, documentNumber }: PixPayer): object {
  const document = documentNumber.length === CPF_LENGTH ? { cpf: documentNumber } : { cnpj: documentNumber };
  return { ...document, nome: name };
}

/** Hundredths as the standard writes a percentage: two decimals. */
const percentText = (portion: number) => reaisText(portion as Cents);
/** Of the standard's tables: a percentage; one a month by calendar days; an amount up to a day. */
const [PERCENT, PERCENT_A_MONTH, AMOUNT_UNTIL] = [2, 3, 1];

function dueValueOf(amount: Cents, { finePortion, interestPortion, discount }: PixDueTerms): object {
  return {
    original: reaisText(amount),
    ...(finePortion !== null && {
      multa: { modalidade: PERCENT, valorPerc: percentText(finePortion) },
    }),
    ...(interestPortion !== null && {
      juros: { modalidade: PERCENT_A_MONTH, valorPerc: percentText(interestPortion) },
    }),
    ...(discount !== null && {
      desconto: {
        modalidade: AMOUNT_UNTIL,
        descontoDataFixa: [{ data: discount.until, valorPerc: reaisText(discount.amount) }],
      },
    }),
  };
}

/** The body of `PUT /cob/{txid}` or `PUT /cobv/{txid}`. */
export function bodyOfCharge(request: PixRequest, key: string): object {
  const { amount, due, expiresInSeconds, payer, description } = request;
  return {
    calendario:
      due === null
        ? { expiracao: expiresInSeconds }
        : { dataDeVencimento: due.dueOn, validadeAposVencimento: due.daysToExpire },
    ...(payer !== null && { devedor: debtorOf(payer) }),
    valor: due === null ? { original: reaisText(amount) } : dueValueOf(amount, due),
    chave: key,
    ...(description !== null && { solicitacaoPagador: description }),
  };
}

/** What of it can be read: the list of all receipts tells of the rest. Its Pix need not repeat the txid. */
function receiptsOfCharge(pix: unknown, txid: string): PixReceipt[] {
  return (Array.isArray(pix) ? pix : []).flatMap((item) => {
    const read = readReceipt({ txid, ...fieldsOf(item) });
    if (read === null || 'reason' in read || read.txid !== txid) return [];
    return [read, ...readReturns(item, read)];
  });
}

/** The bank's record, which must be of the charge that was asked for. Further fields are ignored. */
export function readCharge(body: unknown, { txid, amount }: PixName): FoundPix {
  const fields = fieldsOf(body);
  if (fields.txid !== txid) return unknown('the bank answered for another txid');
  if (fieldsOf(fields.valor).original !== reaisText(amount))
    return unknown('the bank has this txid with another amount');
  const { status } = fields;
  if (typeof status !== 'string') return unknown('the answer has no status');
  if (status.startsWith('REMOVIDA')) return { kind: 'removed' };
  if (status !== 'ATIVA' && status !== 'CONCLUIDA')
    return unknown('the status of the charge is none we know');
  const code = codeOf(fields.pixCopiaECola, { txid, amount });
  if (status === 'CONCLUIDA') return { kind: 'paid', ...code, receipts: receiptsOfCharge(fields.pix, txid) };
  const { calendario } = fields;
  return { kind: 'waiting', ...code, isOver: isOver(calendario, Date.now()), endsAt: endOf(calendario) };
}

function codeOf(pixEmv: unknown, name: Pick<PixName, 'txid' | 'amount'>) {
  if (typeof pixEmv !== 'string') return { pixEmv: null, codeFault: 'the answer has no QR code' } as const;
  const fault = faultOfCode(pixEmv, name);
  if (fault === null) return { pixEmv };
  return { pixEmv: null, codeFault: `the QR code is not of this charge: ${fault}` } as const;
}

/** Clocks differ, and a payment may be on its way. */
const OVER_AFTER_MILLISECONDS = 5 * 60_000;
/** A last day that is a holiday moves to the next working day. */
const OVER_AFTER_DAYS = 5;

/** Whether the time of a charge is over by its own terms. Expiry is no status of the standard. */
export function isOver(calendar: unknown, now: number): boolean {
  const { dataDeVencimento, validadeAposVencimento } = fieldsOf(calendar);
  if (typeof dataDeVencimento === 'string') {
    const days = typeof validadeAposVencimento === 'number' ? validadeAposVencimento : USUAL_DAYS_TO_EXPIRE;
    return now > Date.parse(`${dataDeVencimento}T24:00:00-03:00`) + (days + OVER_AFTER_DAYS) * 86_400_000;
  }
  const endsAt = endOf(calendar);
  return endsAt !== null && now > endsAt + OVER_AFTER_MILLISECONDS;
}

/** Its seconds are counted from its creation. */
function endOf(calendar: unknown): Instant | null {
  const { criacao, expiracao } = fieldsOf(calendar);
  const createdAt = typeof criacao === 'string' ? parseOffsetText(criacao) : null;
  return createdAt === null || typeof expiracao !== 'number' ? null : instant(createdAt + expiracao * 1_000);
}

/** Null: it may be of this charge. Amount and txid may stand behind its address alone. */
function faultOfCode(text: string, { txid, amount }: Pick<PixName, 'txid' | 'amount'>): string | null {
  const read = readBrCode(text);
  if (read.kind === 'fault') return read.fault;
  if (read.amount !== null && read.amount !== amount) return 'amount';
  return read.txid === null || read.txid === txid ? null : 'txid';
}

/** Which field a problem (RFC 7807) names. Most banks name none. */
export function refusalOf(body: unknown): PixIssueRefusal {
  const { violacoes } = fieldsOf(body);
  const named = Array.isArray(violacoes)
    ? violacoes.map((one) => String(fieldsOf(one).propriedade ?? '').toLowerCase())
    : [];
  if (named.some((name) => name.includes('devedor'))) return 'payerRefused';
  return named.some((name) => name.includes('valor.original')) ? 'amountRefused' : 'termsRefused';
}

/** The type of a problem without its address; empty if it has none. */
export function problemOf(body: unknown): string {
  const { type } = fieldsOf(body);
  return typeof type === 'string' && /^[\x21-\x7e]{1,200}$/.test(type) ? (type.split('/').at(-1) ?? '') : '';
}

export function bodyOfRefund({ amount }: PixRefundRequest): object {
  return { valor: reaisText(amount) };
}

/** Banks write what they like, also names: nothing of it is kept but this. */
const isOfBalance = (text: unknown): boolean => typeof text === 'string' && /\bsaldo\b/i.test(text);

export function readRefund(body: unknown, { refundId, amount }: PixRefundRequest): PixRefundAnswer {
  const { id, valor, status, motivo } = fieldsOf(body);
  if (id !== refundId || valor !== reaisText(amount)) return unknown('the bank answered for another refund');
  switch (status) {
    case 'DEVOLVIDO':
      return { kind: 'refunded' };
    case 'EM_PROCESSAMENTO':
      return { kind: 'pending' };
    case 'NAO_REALIZADO':
      return {
        kind: 'refused',
        reason: isOfBalance(motivo) ? 'insufficientBalance' : 'notReturned',
        under: 'recorded',
      };
    default:
      return unknown('the status of the refund is none we know');
  }
}
