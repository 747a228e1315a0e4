import { saoPauloDayOf } from '../kit/days.ts';
import type { Charge, Receiver } from './books.ts';
import { writeBrCode } from './br-code.ts';
import { withoutNulls } from './charge-content.ts';
import { ISPB } from './ids.ts';
import { reaisOf } from './money.ts';
import { type Attempt, type CobR, type LocRec, type Rec, type SolicRec, statusOf } from './recurrence.ts';
import type { Ending } from './recurrence-entries.ts';
import { instantOf, RECEIVER, refundShape } from './shapes.ts';

/** The payer's bank: one for all. */
const PAYER_ISPB = '99999016';
const PAYER_TOWN = '3550308';

export function locRecShape({ id, location, createdAt, idRec }: LocRec): Record<string, unknown> {
  return withoutNulls({ id, location, tipo: 'rec', criacao: instantOf(createdAt), idRec });
}

function recContentShape({ content }: Rec): Record<string, unknown> {
  const { vinculo, calendario, valor, politicaRetentativa, recebedor } = content;
  const receiver = { cnpj: RECEIVER.cnpj, nome: RECEIVER.nome, ...recebedor };
  return withoutNulls({ vinculo, calendario, valor, politicaRetentativa, recebedor: receiver });
}

/** As it is answered where it is made or changed. */
export function recShape({ recurrences }: Receiver, rec: Rec): Record<string, unknown> {
  const { idRec, content } = rec;
  return withoutNulls({
    ...{ idRec, status: statusOf(rec), ...recContentShape(rec) },
    loc: content.loc === undefined ? null : locRecShape(recurrences.location(content.loc)),
    ...recHistoryShape(rec),
  });
}

function recHistoryShape(rec: Rec): Record<string, unknown> {
  const { content, journey, ending } = rec;
  const isTyped = journey === null || journey === 'JORNADA_3';
  return withoutNulls({
    atualizacao: historyShape(rec),
    encerramento: endingShape(ending),
    ativacao: { tipoJornada: journey ?? 'AGUARDANDO_DEFINICAO', ...(isTyped ? content.ativacao : {}) },
  });
}

/** With who pays and what was sent to the payer. */
export function wholeRecShape(receiver: Receiver, rec: Rec): Record<string, unknown> {
  const { cpf, cnpj } = rec.content.vinculo.devedor;
  const wasAgreed = rec.history.some(({ status }) => status === 'APROVADA');
  return withoutNulls({
    ...recShape(receiver, rec),
    pagador: wasAgreed ? withoutNulls({ cpf, cnpj, ispbParticipante: PAYER_ISPB, codMun: PAYER_TOWN }) : null,
    solicitacao: rec.solicRecs.length === 0 ? null : rec.solicRecs.map((one) => solicRecShape(rec, one)),
  });
}

/** The code that authorizes, alone or together with a charge; null: there is no location. */
export function recCodeShape(receiver: Receiver, rec: Rec, charge: Charge | null): object | null {
  const { loc } = rec.content;
  if (loc === undefined) return null;
  const journey = charge === null ? 'JORNADA_2' : charge.kind === 'cob' ? 'JORNADA_3' : 'JORNADA_4';
  const account = charge === null ? null : { url: charge.location };
  const recurrenceUrl = receiver.recurrences.location(loc).location;
  const code = writeBrCode({ account, recurrenceUrl, name: RECEIVER.nome, city: RECEIVER.cidade });
  return { jornada: journey, pixCopiaECola: code };
}

export function recNotice(rec: Rec): object {
  return { idRec: rec.idRec, status: statusOf(rec), ...recHistoryShape(rec) };
}

export function solicRecShape(rec: Rec, solicRec: SolicRec): Record<string, unknown> {
  const { recebedor, ...content } = recContentShape(rec);
  return {
    ...{ idSolicRec: solicRec.idSolicRec, ...solicRec.content, status: statusOf(solicRec) },
    atualizacao: historyShape(solicRec),
    recPayload: {
      ...{ idRec: rec.idRec, ...content },
      recebedor: { cnpj: RECEIVER.cnpj, nome: RECEIVER.nome, ispbParticipante: ISPB },
      atualizacao: historyShape(rec),
    },
  };
}

/** As it is answered where it is made or changed. */
export function cobrShape(cobr: CobR): Record<string, unknown> {
  const { cnpj, nome } = RECEIVER;
  return { ...wholeCobRShape(cobr, false), recebedor: { ...cobr.content.recebedor, cnpj, nome } };
}

/** With its tries and what was paid. */
export function wholeCobRShape(cobr: CobR, isWhole = true): Record<string, unknown> {
  const { txid, content, createdAt, rec } = cobr;
  return {
    ...{ ...content, txid, status: statusOf(cobr) },
    calendario: { criacao: saoPauloDayOf(createdAt), ...content.calendario },
    ...(isWhole ? { politicaRetentativa: rec.content.politicaRetentativa, ...cobrHistoryShape(cobr) } : {}),
  };
}

export function cobrNotice(cobr: CobR): object {
  return { idRec: cobr.rec.idRec, txid: cobr.txid, status: statusOf(cobr), ...cobrHistoryShape(cobr) };
}

function cobrHistoryShape(cobr: CobR): Record<string, unknown> {
  const { ending, attempts, pix } = cobr;
  return withoutNulls({
    atualizacao: historyShape(cobr),
    encerramento: endingShape(ending),
    tentativas: attempts.map(attemptShape),
    pix:
      pix.length === 0
        ? null
        : pix.map(({ endToEndId, txid, amount, happenedAt, refunds }) => ({
            ...{ endToEndId, txid, valor: reaisOf(amount), horario: instantOf(happenedAt) },
            ...(refunds.size === 0 ? {} : { devolucoes: [...refunds.values()].map(refundShape) }),
          })),
  });
}

function attemptShape(attempt: Attempt): Record<string, unknown> {
  const { on, tipo, endToEndId, ending } = attempt;
  const { codigo, descricao } = ending ?? {};
  return withoutNulls({
    ...{ dataLiquidacao: on, tipo, status: statusOf(attempt), endToEndId },
    atualizacao: historyShape(attempt),
    rejeicao: ending?.solicitante === null ? { codigo, descricao } : null,
  });
}

function historyShape({
  history,
}: {
  readonly history: readonly { status: string; at: number }[];
}): object[] {
  return history.map(({ status, at }) => ({ status, data: instantOf(at) }));
}

function endingShape(ending: Ending | null): object | null {
  if (ending === null) return null;
  const { solicitante, codigo, descricao } = ending;
  return solicitante === null
    ? { rejeicao: { codigo, descricao } }
    : { cancelamento: { solicitante, codigo, descricao } };
}
