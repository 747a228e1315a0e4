import { FieldReader } from '../kit/field-reader.ts';
import { type Answer, created, ok, problem, schemaViolation, violated } from './answers.ts';
import { type Bank, clientOf } from './bank.ts';
import { givenBack, type Pix, type Receiver } from './books.ts';
import type { Act, Call } from './call.ts';
import { END_TO_END_ID, REFUND_ID } from './entries.ts';
import { endToEndIdOf } from './ids.ts';
import { pageAnswer, readFlag, readListQuery } from './lists.ts';
import { AMOUNT, centsOf } from './money.ts';
import { pixShape, refundShape } from './shapes.ts';

const DAY_MILLISECONDS = 86_400_000;
const MOST_DAYS = 90;

export const getPix: Act = ({ bank, receiver, names }) => {
  const pix = pixOf({ bank, receiver }, names[0]);
  return pix === null ? problem('PixNaoEncontrado') : ok(toldShape(receiver, pix));
};

export const listPix: Act = ({ bank, receiver, query }) => {
  const txid = query.textOrNull('txid', /^[a-zA-Z0-9]{1,35}$/);
  const txIdPresente = readFlag(query, 'txIdPresente');
  const devolucaoPresente = readFlag(query, 'devolucaoPresente');
  const isOfPayer = query.textOrNull('cpf', /./) !== null || query.textOrNull('cnpj', /./) !== null;
  const asked = readListQuery(query, {
    type: 'PixConsultaInvalida',
    entity: 'pix',
    most: receiver.dialect.mostItems,
  });
  if ('status' in asked) return asked;
  const items = pixOfClient(bank, receiver).filter(
    (pix) =>
      toldAt(receiver, pix) >= asked.from &&
      toldAt(receiver, pix) <= asked.to &&
      (txid === null || pix.txid === txid) &&
      (txIdPresente === null || (pix.txid !== null) === txIdPresente) &&
      (devolucaoPresente === null || pix.refunds.size > 0 === devolucaoPresente) &&
      // Who paid is not told by this bank, and is known of nobody.
      !isOfPayer,
  );
  const filters = Object.fromEntries(
    Object.entries({ txid, txIdPresente, devolucaoPresente }).filter(([, value]) => value !== null),
  );
  const shape = (pix: Pix) => toldShape(receiver, pix);
  return pageAnswer(asked, { name: 'pix', items, shape, filters });
};

/** Gives money back; asked for again it is answered as it is. */
export const putRefund: Act = (call) => {
  const { bank, receiver, names } = call;
  const [endToEndId, id = ''] = names;
  const pix = pixOf(call, endToEndId);
  if (pix === null) return problem('PixNaoEncontrado');
  const fields = new FieldReader(call.body);
  const valor = fields.text('valor', AMOUNT);
  const descricao = fields.textOrNull('descricao', /^.{0,140}$/su);
  // Cash at a till is nothing that this bank offers.
  fields.wordOrNull('natureza', ['ORIGINAL']);
  if (!REFUND_ID.test(id)) fields.refuse('id');
  const isNothing = fields.fault === null && centsOf(valor) === 0;
  const fault = isNothing ? 'valor' : fields.fault;
  if (fault !== null) return violated('PixDevolucaoInvalida', schemaViolation('devolucao', fault));
  const amount = centsOf(valor);
  const known = pix.refunds.get(id);
  if (known !== undefined && known.amount === amount && known.descricao === descricao)
    return created(refundShape(known));
  const violation = refundViolation(call, pix, { isKnown: known !== undefined, amount });
  if (violation !== null) return violation;
  const rtrId = endToEndIdOf('D', bank.now(receiver), bank.uniqueOf(receiver));
  const refund = { type: 'refund', endToEndId: pix.endToEndId, id, rtrId, amount } as const;
  bank.book(receiver, { ...refund, natureza: 'ORIGINAL', descricao, plan: call.refund });
  return created(refundShape(pix.refunds.get(id) ?? fail(id)));
};

export const getRefund: Act = (call) => {
  const pix = pixOf(call, call.names[0]);
  const refund = pix?.refunds.get(call.names[1] ?? '');
  return refund === undefined ? problem('PixDevolucaoNaoEncontrada') : ok(refundShape(refund));
};

function refundViolation(
  { bank, receiver }: Call,
  pix: Pix,
  { isKnown, amount }: { isKnown: boolean; amount: number },
): Answer | null {
  const say = (propriedade: string, razao: string) =>
    violated('PixDevolucaoInvalida', { razao, propriedade });
  if (isKnown) return say('devolucao.id', 'O id já foi utilizado por outra requisição de devolução do Pix.');
  if (bank.now(receiver) - pix.happenedAt > MOST_DAYS * DAY_MILLISECONDS)
    return say('devolucao.valor', 'A devolução viola a janela de 90 dias desde a liquidação do Pix.');
  if (givenBack(pix) + amount > pix.amount)
    return say('devolucao.valor', 'A devolução, com as demais, excederia o valor do Pix originário.');
  return null;
}

/** The client's own, and what came for its customers: a key has one account. */
function pixOfClient({ books }: Bank, { clientId, pix }: Receiver): readonly Pix[] {
  if (clientOf(clientId) !== clientId) return pix;
  const ofAll = books.receivers.filter((one) => clientOf(one.clientId) === clientId);
  return ofAll.length === 1
    ? pix
    : ofAll.flatMap((one) => one.pix).toSorted((one, other) => one.arrivedAt - other.arrivedAt);
}

/** A client is told by its own clock what came for its customers. */
function toldAt({ clientId }: Receiver, pix: Pix): number {
  return pix.clientId === clientId ? pix.happenedAt : pix.arrivedAt;
}

function toldShape(receiver: Receiver, pix: Pix): Record<string, unknown> {
  return pixShape({ ...pix, happenedAt: toldAt(receiver, pix) });
}

/** Of this client and its customers alone. */
function pixOf({ bank, receiver }: { bank: Call['bank']; receiver: Receiver }, endToEndId = ''): Pix | null {
  const pix = END_TO_END_ID.test(endToEndId) ? bank.books.pix(endToEndId) : undefined;
  if (pix === undefined) return null;
  return [pix.clientId, clientOf(pix.clientId)].includes(receiver.clientId) ? pix : null;
}

function fail(id: string): never {
  throw new Error(`${id} was not booked`);
}
