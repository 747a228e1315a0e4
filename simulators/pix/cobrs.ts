import { dayAfter, isDay, saoPauloDayOf } from '../kit/days.ts';
import { FieldReader } from '../kit/field-reader.ts';
import { type Answer, created, ok, problem, schemaViolation, violated } from './answers.ts';
import type { Act, Call } from './call.ts';
import { cycleOf } from './cycles.ts';
import { TXID } from './entries.ts';
import { endToEndIdOf, txidOf } from './ids.ts';
import { pageAnswer, readListQuery } from './lists.ts';
import { centsOf } from './money.ts';
import { type CobRContent, REC_ID, readCobRContent } from './rec-content.ts';
import { type CobR, openAttempt, type Rec, statusOf } from './recurrence.ts';
import { firstDayOf, MOST_RETRIES, RETRY_DAYS, retriesOf } from './recurrence-due.ts';
import type { Ending } from './recurrence-entries.ts';
import { cobrShape, wholeCobRShape } from './recurrence-shapes.ts';

const INVALID = 'CobROperacaoInvalida';
const CANCELED: Ending = {
  solicitante: 'USUARIO_RECEBEDOR',
  codigo: 'SLCR',
  descricao: 'Cancelamento solicitado pelo usuário recebedor',
};

/** Charges under an authorization; asked for again it is answered as it is. */
export const putCobR: Act = (call) => {
  const [txid = ''] = call.names;
  if (!TXID.test(txid)) return violated(INVALID, schemaViolation('cobr', 'txid'));
  const content = readContent(call.body);
  if ('status' in content) return content;
  const { charges, recurrences } = call.receiver;
  const known = recurrences.cobrs.get(txid);
  if (known !== undefined && JSON.stringify(known.content) === JSON.stringify(content))
    return created(cobrShape(known));
  if (known !== undefined || charges.has(txid))
    return refuse('cobr.txid', 'O campo cobr.txid encontra-se em uso.');
  return makeCobR(call, txid, content);
};

/** The same under a txid of the bank's own. */
export const postCobR: Act = (call) => {
  const content = readContent(call.body);
  return 'status' in content ? content : makeCobR(call, txidOf(call.bank.uniqueOf(call.receiver)), content);
};

export const patchCobR: Act = ({ bank, receiver, names, body }) => {
  const cobr = receiver.recurrences.cobrs.get(names[0] ?? '');
  if (cobr === undefined) return problem('CobRNaoEncontrado');
  const fields = new FieldReader(body);
  const status = fields.word('status', ['CANCELADA']);
  if (fields.fault !== null) return violated(INVALID, schemaViolation('cobr', fields.fault));
  const { txid, content } = cobr;
  if (!isOpen(cobr)) return refuse('cobr.status', 'A cobrança não está CRIADA nem ATIVA.');
  const happenedAt = bank.now(receiver);
  if (saoPauloDayOf(happenedAt) >= firstDayOf(content)) {
    const razao =
      'Não é possível cancelar uma cobrança em uma data igual ou maior que a data prevista da primeira tentativa.';
    return refuse('cobr.status', razao);
  }
  const attempt = { type: 'attemptStatus', txid, status, ending: null, happenedAt } as const;
  const end = { type: 'cobrStatus', txid, status, ending: CANCELED, happenedAt } as const;
  bank.book(receiver, ...(openAttempt(cobr) === null ? [end] : [attempt, end]));
  return ok(cobrShape(cobr));
};

export const getCobR: Act = ({ receiver, names }) => {
  const cobr = receiver.recurrences.cobrs.get(names[0] ?? '');
  return cobr === undefined ? problem('CobRNaoEncontrado') : ok(wholeCobRShape(cobr));
};

/** A further try on a day that the receiver chooses. */
export const retryCobR: Act = ({ bank, receiver, names }) => {
  const cobr = receiver.recurrences.cobrs.get(names[0] ?? '');
  const data = names[1] ?? '';
  if (cobr === undefined) return problem('CobRNaoEncontrado');
  const today = saoPauloDayOf(bank.now(receiver));
  const violation = retryViolation(cobr, data, today);
  if (violation !== null) return refuse(...violation);
  bank.book(receiver, attemptOf(bank.uniqueOf(receiver), cobr.txid, 'NTAG', data));
  return created(wholeCobRShape(cobr));
};

export const listCobRs: Act = ({ receiver, query }) => {
  const idRec = query.textOrNull('idRec', REC_ID);
  const cpf = query.textOrNull('cpf', /^\d{11}$/);
  const cnpj = query.textOrNull('cnpj', /^[0-9A-Z]{14}$/);
  const status = query.textOrNull('status', /^\w{1,60}$/);
  const convenio = query.textOrNull('convenio', /^.{1,60}$/su);
  const asked = readListQuery(query, {
    type: 'CobRConsultaInvalida',
    entity: 'cobr',
    most: receiver.dialect.mostItems,
  });
  if ('status' in asked) return asked;
  const items = [...receiver.recurrences.cobrs.values()].filter(
    (cobr) =>
      cobr.createdAt >= asked.from &&
      cobr.createdAt <= asked.to &&
      (idRec === null || cobr.rec.idRec === idRec) &&
      (cpf === null || cobr.rec.content.vinculo.devedor.cpf === cpf) &&
      (cnpj === null || cobr.rec.content.vinculo.devedor.cnpj === cnpj) &&
      (status === null || statusOf(cobr) === status) &&
      (convenio === null || cobr.rec.content.recebedor?.convenio === convenio),
  );
  const given = { idRec, cpf, cnpj, status, recebedor: convenio === null ? null : { convenio } };
  const filters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return pageAnswer(asked, { name: 'cobsr', items, shape: (cobr) => wholeCobRShape(cobr), filters });
};

function makeCobR({ bank, receiver }: Call, txid: string, content: CobRContent): Answer {
  const rec = receiver.recurrences.recs.get(content.idRec);
  if (rec === undefined) return problem('RecNaoEncontrada');
  const violation = contentViolation(rec, content, saoPauloDayOf(bank.now(receiver)));
  if (violation !== null) return refuse(...violation);
  const attempt = attemptOf(bank.uniqueOf(receiver), txid, 'AGND', firstDayOf(content));
  bank.book(receiver, { type: 'cobr', txid, content }, attempt);
  const cobr = receiver.recurrences.cobrs.get(txid);
  return cobr === undefined ? problem('ErroInternoDoServidor') : created(cobrShape(cobr));
}

function attemptOf(unique: string, txid: string, tipo: 'AGND' | 'NTAG', on: string) {
  const endToEndId = endToEndIdOf('E', Date.parse(`${on}T11:00:00Z`), `attempt ${unique}`);
  return { type: 'attempt', txid, endToEndId, tipo, on } as const;
}

function readContent(body: unknown): CobRContent | Answer {
  const fields = new FieldReader(body);
  const content = readCobRContent(fields);
  return fields.fault === null ? content : violated(INVALID, schemaViolation('cobr', fields.fault));
}

type Fault = readonly [propriedade: string, razao: string];

/** One charge of each cycle, none before it is agreed on or behind its end. */
function contentViolation(rec: Rec, { calendario, valor }: CobRContent, today: string): Fault | null {
  const { dataDeVencimento } = calendario;
  const { dataInicial, dataFinal, periodicidade } = rec.content.calendario;
  const field = 'cobr.calendario.dataDeVencimento';
  if (centsOf(valor.original) === 0) return ['cobr.valor', 'O campo cobr.valor não respeita o schema.'];
  if (dataDeVencimento < today) return [field, `O campo ${field} é anterior à data de criação da cobrança.`];
  if (statusOf(rec) !== 'APROVADA') return ['cobr.idRec', 'A recorrência não está APROVADA.'];
  if (dataDeVencimento < dataInicial || dataDeVencimento > (dataFinal ?? dataDeVencimento))
    return [field, `O campo ${field} está fora da vigência da recorrência.`];
  const cycle = cycleOf(periodicidade, dataInicial, dataDeVencimento);
  const isTaken = rec.cobrs.some(
    (cobr) =>
      !['REJEITADA', 'CANCELADA'].includes(statusOf(cobr)) &&
      cycleOf(periodicidade, dataInicial, cobr.content.calendario.dataDeVencimento) === cycle,
  );
  return isTaken ? ['cobr.idRec', 'Existe uma CobR referente ao mesmo cobr.idRec no mesmo ciclo.'] : null;
}

function retryViolation(cobr: CobR, data: string, today: string): Fault | null {
  const { rec, content } = cobr;
  if (!isDay(data)) return ['data', 'O parâmetro data não respeita o schema.'];
  if (rec.content.politicaRetentativa === 'NAO_PERMITE')
    return [
      'rec.politicaRetentativa',
      'A política configurada na recorrência não permite retentativa de cobrança.',
    ];
  if (openAttempt(cobr) !== null)
    return ['cobr.tentativas', 'Existe uma tentativa com status SOLICITADA ou AGENDADA.'];
  if (!isOpen(cobr)) return ['cobr.status', 'A cobrança não está CRIADA nem ATIVA.'];
  if (data <= today) return ['data', 'O parâmetro data não corresponde a uma data futura.'];
  const { dataDeVencimento } = content.calendario;
  if (data > dayAfter(dataDeVencimento, RETRY_DAYS) || retriesOf(cobr) >= MOST_RETRIES)
    return ['data', 'São permitidas 3 retentativas em 7 dias.'];
  return data <= dataDeVencimento ? ['data', 'A retentativa é posterior ao vencimento.'] : null;
}

function isOpen(cobr: CobR): boolean {
  return ['CRIADA', 'ATIVA'].includes(statusOf(cobr));
}

function refuse(propriedade: string, razao: string): Answer {
  return violated(INVALID, { razao, propriedade });
}
