import { saoPauloDayOf } from '../kit/days.ts';
import { FieldReader } from '../kit/field-reader.ts';
import { type Answer, created, ok, problem, schemaViolation, violated } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Receiver } from './books.ts';
import type { Act, Call } from './call.ts';
import type { Happening } from './entries.ts';
import { recurringIdOf } from './ids.ts';
import { pageAnswer, readFlag, readListQuery } from './lists.ts';
import { readDay } from './moments.ts';
import { type RecContent, readRecContent } from './rec-content.ts';
import { openAttempt, type Rec, statusOf } from './recurrence.ts';
import type { Ending } from './recurrence-entries.ts';
import { recCodeShape, recShape, wholeRecShape } from './recurrence-shapes.ts';

const CANCELED: Ending = {
  solicitante: 'USUARIO_RECEBEDOR',
  codigo: 'SLCR',
  descricao: 'Cancelamento solicitado pelo usuário recebedor',
};

export const postRec: Act = ({ bank, receiver, body }) => {
  const fields = new FieldReader(body);
  const content = readRecContent(fields);
  if (fields.fault !== null) return invalid(schemaViolation('rec', fields.fault));
  const today = saoPauloDayOf(bank.now(receiver));
  const violation = contentViolation(content, today) ?? placeViolation(receiver, content, null);
  if (violation !== null) return violation;
  const head = content.politicaRetentativa === 'PERMITE_3R_7D' ? 'RR' : 'RN';
  const idRec = recurringIdOf(head, today, `rec ${bank.uniqueOf(receiver)}`);
  bank.book(receiver, { type: 'rec', idRec, content });
  return created(recShape(receiver, receiver.recurrences.rec(idRec)));
};

export const patchRec: Act = (call) => {
  const { bank, receiver, names, body } = call;
  const rec = receiver.recurrences.recs.get(names[0] ?? '');
  if (rec === undefined) return problem('RecNaoEncontrada');
  const given = readRevision(body);
  if ('fault' in given) return invalid(schemaViolation('rec', given.fault));
  const status = statusOf(rec);
  const isOver = status !== 'CRIADA' && status !== 'APROVADA';
  if (isOver) return refuse('rec.status', 'A recorrência encontra-se expirada, cancelada ou rejeitada.');
  if (given.status !== null) {
    endRec(bank, receiver, rec, { status: 'CANCELADA', ending: CANCELED });
    return ok(recShape(receiver, rec));
  }
  const violation = revisionViolation(call, rec, given);
  if (violation !== null) return violation;
  const { vinculo, calendario } = rec.content;
  const devedor = { ...vinculo.devedor, ...(given.nome === null ? {} : { nome: given.nome }) };
  const content: RecContent = {
    ...rec.content,
    vinculo: { ...vinculo, devedor },
    calendario: { ...calendario, dataInicial: given.dataInicial ?? calendario.dataInicial },
    ...(given.loc === null ? {} : { loc: given.loc }),
    ...(given.txid === null ? {} : { ativacao: { dadosJornada: { txid: given.txid } } }),
  };
  bank.book(receiver, { type: 'recRevision', idRec: rec.idRec, content });
  return ok(recShape(receiver, rec));
};

/** With the code that authorizes, together with the charge of the txid if one is named. */
export const getRec: Act = ({ receiver, names, query }) => {
  const rec = receiver.recurrences.recs.get(names[0] ?? '');
  if (rec === undefined) return problem('RecNaoEncontrada');
  const txid = query.textOrNull('txid', /^[a-zA-Z0-9]{26,35}$/);
  if (query.fault !== null) return violated('RecConsultaInvalida', schemaViolation('rec', query.fault));
  const charge = txid === null ? null : receiver.charges.get(txid);
  const ofJourney = rec.content.ativacao?.dadosJornada.txid;
  const say = (razao: string) => violated('RecConsultaInvalida', { razao, propriedade: 'txid' });
  if (charge === undefined) return say('O parâmetro txid não corresponde a uma cobrança compatível.');
  if (charge?.kind === 'cob' && charge.txid !== ofJourney)
    return say('O parâmetro txid difere do informado no campo ativacao.dadosJornada.txid.');
  const code = recCodeShape(receiver, rec, charge);
  return ok({ ...wholeRecShape(receiver, rec), ...(code === null ? {} : { dadosQR: code }) });
};

export const listRecs: Act = ({ receiver, query }) => {
  const cpf = query.textOrNull('cpf', /^\d{11}$/);
  const cnpj = query.textOrNull('cnpj', /^[0-9A-Z]{14}$/);
  const status = query.textOrNull('status', /^\w{1,60}$/);
  const convenio = query.textOrNull('convenio', /^.{1,60}$/su);
  const locationPresente = readFlag(query, 'locationPresente');
  const asked = readListQuery(query, {
    type: 'RecConsultaInvalida',
    entity: 'rec',
    most: receiver.dialect.mostItems,
  });
  if ('status' in asked) return asked;
  const items = [...receiver.recurrences.recs.values()].filter(
    (rec) =>
      rec.createdAt >= asked.from &&
      rec.createdAt <= asked.to &&
      (cpf === null || rec.content.vinculo.devedor.cpf === cpf) &&
      (cnpj === null || rec.content.vinculo.devedor.cnpj === cnpj) &&
      (status === null || statusOf(rec) === status) &&
      (convenio === null || rec.content.recebedor?.convenio === convenio) &&
      (locationPresente === null || (rec.content.loc !== undefined) === locationPresente),
  );
  const given = { cpf, cnpj, status, locationPresente, recebedor: convenio === null ? null : { convenio } };
  const filters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return pageAnswer(asked, { name: 'recs', items, shape: (rec) => wholeRecShape(receiver, rec), filters });
};

/** Ends an authorization, with the charges that were still to be made under it where the bank is so. */
export function endRec(
  bank: Bank,
  receiver: Receiver,
  rec: Rec,
  { status, ending }: { status: 'CANCELADA' | 'REJEITADA'; ending: Ending },
): void {
  const happenedAt = bank.now(receiver);
  const sent = receiver.dialect.endsCharges ? rec.cobrs : [];
  const open = sent.filter((cobr) => ['CRIADA', 'ATIVA'].includes(statusOf(cobr)));
  const ofCharges = open.flatMap((cobr): Happening[] => {
    const over = { txid: cobr.txid, status: 'CANCELADA', happenedAt } as const;
    const end: Happening = { type: 'cobrStatus', ...over, ending: { ...ending, codigo: 'SLCR' } };
    const isTried = openAttempt(cobr) !== null;
    return isTried ? [{ type: 'attemptStatus', ...over, ending: null }, end] : [end];
  });
  const change = { type: 'recStatus', idRec: rec.idRec, status, journey: null, ceiling: null } as const;
  bank.book(receiver, { ...change, ending, happenedAt }, ...ofCharges);
}

type Revision = {
  readonly status: 'CANCELADA' | null;
  readonly nome: string | null;
  readonly loc: number | null;
  readonly dataInicial: string | null;
  readonly txid: string | null;
};

function readRevision(body: unknown): Revision | { readonly fault: string } {
  const fields = new FieldReader(body);
  const revision = {
    status: fields.wordOrNull('status', ['CANCELADA']),
    nome:
      fields.objectOrNull('vinculo', (link) =>
        link.objectOrNull('devedor', (payer) => payer.text('nome', /^.{1,140}$/su)),
      ) ?? null,
    loc: fields.integerOrNull('loc', 0, Number.MAX_SAFE_INTEGER),
    dataInicial: fields.objectOrNull('calendario', (calendar) => readDay(calendar, 'dataInicial')),
    txid: fields.objectOrNull('ativacao', (activation) =>
      activation.object('dadosJornada', (journey) => journey.text('txid', /^[a-zA-Z0-9]{26,35}$/)),
    ),
  };
  return fields.fault === null ? revision : { fault: fields.fault };
}

function revisionViolation(
  { bank, receiver }: Call,
  rec: Rec,
  { loc, dataInicial }: Revision,
): Answer | null {
  const isNew = statusOf(rec) === 'CRIADA';
  const only = 'somente pode ser alterado quando a recorrência apresentar-se com o status CRIADA.';
  if (!isNew && loc !== null) return refuse('rec.loc', `O campo rec.loc ${only}`);
  if (!isNew && dataInicial !== null)
    return refuse('rec.calendario.dataInicial', `O campo rec.calendario.dataInicial ${only}`);
  if (dataInicial !== null && dataInicial < saoPauloDayOf(bank.now(receiver))) return tooEarly();
  return loc === null ? null : placeViolation(receiver, { ...rec.content, loc }, rec.idRec);
}

function contentViolation({ calendario, valor }: RecContent, today: string): Answer | null {
  const { dataInicial, dataFinal } = calendario;
  if (dataInicial < today) return tooEarly();
  if (dataFinal !== undefined && dataFinal < dataInicial)
    return refuse('rec.calendario.dataFinal', 'O campo dataFinal é anterior ao campo dataInicial.');
  const isBoth = valor?.valorRec !== undefined && valor.valorMinimoRecebedor !== undefined;
  return isBoth
    ? refuse('rec.valor', 'Ambos os campos valorRec e valorMinimoRecebedor estão preenchidos.')
    : null;
}

function placeViolation({ recurrences }: Receiver, { loc }: RecContent, idRec: string | null): Answer | null {
  if (loc === undefined) return null;
  const place = recurrences.locations[loc - 1];
  if (place === undefined) return refuse('rec.loc', 'O location referenciado por rec.loc inexiste.');
  const isFree = place.idRec === null || place.idRec === idRec;
  const used = 'O location referenciado por rec.loc já está sendo utilizado por outra recorrência.';
  return isFree ? null : refuse('rec.loc', used);
}

function tooEarly(): Answer {
  const razao = 'O campo rec.calendario.dataInicial é anterior à data de criação da recorrência.';
  return refuse('rec.calendario.dataInicial', razao);
}

function refuse(propriedade: string, razao: string): Answer {
  return invalid({ razao, propriedade });
}

function invalid(violation: { razao: string; propriedade: string }): Answer {
  return violated('RecOperacaoInvalida', violation);
}
