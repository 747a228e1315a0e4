import { saoPauloDayOf } from '../kit/days.ts';
import { FieldReader } from '../kit/field-reader.ts';
import { created, ok, problem, schemaViolation, violated } from './answers.ts';
import type { Act } from './call.ts';
import { recurringIdOf } from './ids.ts';
import { readSolicRecContent } from './rec-content.ts';
import { statusOf } from './recurrence.ts';
import { solicRecShape } from './recurrence-shapes.ts';

const INVALID = 'SolicRecOperacaoInvalida';
/** Nobody has answered yet. */
export const OPEN_STATUSES = ['CRIADA', 'ENVIADA', 'RECEBIDA'];

/** Sends an authorization to its payer. */
export const postSolicRec: Act = ({ bank, receiver, body }) => {
  const fields = new FieldReader(body);
  const content = readSolicRecContent(fields);
  if (fields.fault !== null) return violated(INVALID, schemaViolation('solicrec', fields.fault));
  const rec = receiver.recurrences.recs.get(content.idRec);
  if (rec === undefined) return problem('RecNaoEncontrada');
  const say = (propriedade: string, razao: string) => violated(INVALID, { razao, propriedade });
  if (Date.parse(content.calendario.dataExpiracaoSolicitacao) < bank.now(receiver))
    return say(
      'solicrec.calendario.dataExpiracaoSolicitacao',
      'O campo dataExpiracaoSolicitacao é anterior à data de criação da solicitação.',
    );
  const isAsked = rec.solicRecs.some((one) => OPEN_STATUSES.includes(statusOf(one)));
  if (isAsked)
    return say('solicrec.idRec', 'Existe uma solicitação ativa referente ao mesmo solicrec.idRec.');
  // What was agreed on or refused is not asked for again.
  if (statusOf(rec) !== 'CRIADA') return say('solicrec.idRec', 'A recorrência não está CRIADA.');
  const day = saoPauloDayOf(bank.now(receiver));
  const idSolicRec = recurringIdOf('SC', day, `solicrec ${bank.uniqueOf(receiver)}`);
  bank.book(receiver, { type: 'solicrec', idSolicRec, content });
  const solicRec = receiver.recurrences.solicRecs.get(idSolicRec);
  return solicRec === undefined ? problem('ErroInternoDoServidor') : created(solicRecShape(rec, solicRec));
};

export const getSolicRec: Act = ({ receiver, names }) => {
  const solicRec = receiver.recurrences.solicRecs.get(names[0] ?? '');
  if (solicRec === undefined) return problem('SolicRecNaoEncontrada');
  return ok(solicRecShape(receiver.recurrences.rec(solicRec.content.idRec), solicRec));
};

export const patchSolicRec: Act = ({ bank, receiver, names, body }) => {
  const solicRec = receiver.recurrences.solicRecs.get(names[0] ?? '');
  if (solicRec === undefined) return problem('SolicRecNaoEncontrada');
  const fields = new FieldReader(body);
  const status = fields.word('status', ['CANCELADA']);
  if (fields.fault !== null) return violated(INVALID, schemaViolation('solicrec', fields.fault));
  if (!OPEN_STATUSES.includes(statusOf(solicRec))) {
    const razao = 'Só é possível cancelar uma solicitação com o status CRIADA, ENVIADA ou RECEBIDA.';
    return violated(INVALID, { razao, propriedade: 'solicrec.status' });
  }
  const { idSolicRec, content } = solicRec;
  bank.book(receiver, { type: 'solicrecStatus', idSolicRec, status, happenedAt: bank.now(receiver) });
  return created(solicRecShape(receiver.recurrences.rec(content.idRec), solicRec));
};
