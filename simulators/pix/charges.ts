import { saoPauloDayOf } from '../kit/days.ts';
import { FieldReader } from '../kit/field-reader.ts';
import { type Answer, created, ok, type ProblemType, problem, schemaViolation, violated } from './answers.ts';
import { clientOf } from './bank.ts';
import { type Charge, contentOf, type Receiver } from './books.ts';
import type { Act, Call } from './call.ts';
import { type ChargeContent, type ChargeKind, readChargeContent } from './charge-content.ts';
import { contentViolation } from './charge-rules.ts';
import { TXID } from './entries.ts';
import { txidOf } from './ids.ts';
import { pageAnswer, readFlag, readListQuery } from './lists.ts';
import { chargeShape, wholeChargeShape } from './shapes.ts';

type Types = { readonly invalid: ProblemType; readonly unknown: ProblemType; readonly query: ProblemType };

const TYPES: Readonly<Record<ChargeKind, Types>> = {
  cob: { invalid: 'CobOperacaoInvalida', unknown: 'CobNaoEncontrado', query: 'CobConsultaInvalida' },
  cobv: { invalid: 'CobVOperacaoInvalida', unknown: 'CobVNaoEncontrada', query: 'CobVConsultaInvalida' },
};
const REMOVAL = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const DIGITS = /^\d{1,9}$/;

/** Makes the charge, or revises the one of that txid; asked for again it is answered as it is. */
export function putCharge(kind: ChargeKind): Act {
  return (call) => {
    const { receiver, names } = call;
    const [txid = ''] = names;
    const { invalid } = TYPES[kind];
    if (!TXID.test(txid)) return violated(invalid, schemaViolation(kind, 'txid'));
    const content = readContent(kind, call, call.body);
    if ('status' in content) return content;
    const known = receiver.charges.get(txid);
    if (known === undefined && !receiver.recurrences.cobrs.has(txid))
      return makeCharge(call, kind, txid, content);
    if (known?.kind !== kind)
      return violated(invalid, {
        razao: `O campo ${kind}.txid encontra-se em uso.`,
        propriedade: `${kind}.txid`,
      });
    return reviseCharge(call, known, content) ?? created(chargeShape(known));
  };
}

/** The same under a txid of the bank's own. */
export function postCharge(kind: ChargeKind): Act {
  return (call) => {
    const content = readContent(kind, call, call.body);
    if ('status' in content) return content;
    return makeCharge(call, kind, txidOf(call.bank.uniqueOf(call.receiver)), content);
  };
}

export function patchCharge(kind: ChargeKind): Act {
  return (call) => {
    const { bank, receiver, body, names } = call;
    const charge = chargeOf(receiver, kind, names[0]);
    if (charge === null) return problem(TYPES[kind].unknown);
    const given = new FieldReader(body);
    const status = given.wordOrNull('status', [REMOVAL]);
    if (given.fault !== null) return violated(TYPES[kind].invalid, schemaViolation(kind, given.fault));
    if (status === null) {
      const content = readContent(kind, call, merged(contentOf(charge), body as Partial<ChargeContent>));
      if ('status' in content) return content;
      return reviseCharge(call, charge, content) ?? ok(chargeShape(charge));
    }
    if (charge.status !== 'ATIVA') return notActive(kind);
    const isAlone = Object.keys(body as object).length === 1;
    const razao = 'A requisição propõe remover a cobrança juntamente com outras alterações.';
    if (!isAlone) return violated(TYPES[kind].invalid, { razao, propriedade: `${kind}.status` });
    bank.book(receiver, { type: 'removal', txid: charge.txid, status });
    return ok(chargeShape(charge));
  };
}

export function getCharge(kind: ChargeKind): Act {
  return ({ receiver, query, names }) => {
    const charge = chargeOf(receiver, kind, names[0]);
    const text = query.textOrNull('revisao', DIGITS);
    const revision = text === null ? null : Number(text);
    if (query.fault !== null) return violated(TYPES[kind].query, schemaViolation(kind, query.fault));
    if (charge === null) return problem(TYPES[kind].unknown);
    const isThere = revision === null || revision < charge.contents.length;
    const razao = 'O parâmetro revisao corresponde a uma revisão inexistente.';
    if (!isThere) return violated(TYPES[kind].query, { razao, propriedade: 'revisao' });
    return ok(wholeChargeShape(charge, revision));
  };
}

export function listCharges(kind: ChargeKind): Act {
  return ({ receiver, query }) => {
    const cpf = query.textOrNull('cpf', /^\d{11}$/);
    const cnpj = query.textOrNull('cnpj', /^[0-9A-Z]{14}$/);
    const status = query.textOrNull('status', /^\w{1,60}$/);
    const locationPresente = readFlag(query, 'locationPresente');
    const asked = readListQuery(query, {
      type: TYPES[kind].query,
      entity: kind,
      most: receiver.dialect.mostItems,
    });
    if ('status' in asked) return asked;
    const items = [...receiver.charges.values()].filter(
      (charge) =>
        charge.kind === kind &&
        charge.createdAt >= asked.from &&
        charge.createdAt <= asked.to &&
        (cpf === null || contentOf(charge).devedor?.cpf === cpf) &&
        (cnpj === null || contentOf(charge).devedor?.cnpj === cnpj) &&
        (status === null || charge.status === status) &&
        // Each charge has a location.
        locationPresente !== false,
    );
    const filters = Object.fromEntries(
      Object.entries({ cpf, cnpj, status, locationPresente }).filter(([, value]) => value !== null),
    );
    return pageAnswer(asked, { name: 'cobs', items, shape: (charge) => wholeChargeShape(charge), filters });
  };
}

function makeCharge(call: Call, kind: ChargeKind, txid: string, content: ChargeContent): Answer {
  const { bank, receiver } = call;
  const violation = contentViolation(kind, content, saoPauloDayOf(bank.now(receiver)));
  if (violation !== null) return violated(TYPES[kind].invalid, violation);
  bank.book(receiver, { type: 'charge', kind, txid, content });
  return created(chargeShape(receiver.charges.get(txid) as Charge));
}

/** Null: it is done, or there was nothing to do. */
function reviseCharge({ bank, receiver }: Call, charge: Charge, content: ChargeContent): Answer | null {
  const { kind, txid, createdAt } = charge;
  if (JSON.stringify(contentOf(charge)) === JSON.stringify(content)) return null;
  if (charge.status !== 'ATIVA') return notActive(kind);
  const violation = contentViolation(kind, content, saoPauloDayOf(createdAt));
  if (violation !== null) return violated(TYPES[kind].invalid, violation);
  bank.book(receiver, { type: 'revision', kind, txid, content });
  return null;
}

/** What was asked for, in the right form and for a key of the receiver's; or the answer why it is not. */
function readContent(kind: ChargeKind, { bank, receiver }: Call, body: unknown): ChargeContent | Answer {
  const { invalid } = TYPES[kind];
  const fields = new FieldReader(body);
  const content = readChargeContent(kind, fields);
  // Addresses of payloads are given by the bank, one a charge.
  const location = fields.objectOrNull('loc', (loc) => loc.integer('id', 0, Number.MAX_SAFE_INTEGER));
  if (fields.fault !== null) return violated(invalid, schemaViolation(kind, fields.fault));
  if (location !== null) {
    const razao = 'O location referenciado por loc.id inexiste.';
    return violated(invalid, { razao, propriedade: `${kind}.loc.id` });
  }
  const owner = bank.books.ownerOfKey(content.chave);
  if (owner === null || clientOf(owner) === clientOf(receiver.clientId)) return content;
  const razao = `O campo ${kind}.chave corresponde a uma conta que não pertence a este usuário recebedor.`;
  return violated(invalid, { razao, propriedade: `${kind}.chave` });
}

function merged(content: ChargeContent, given: Partial<ChargeContent>): unknown {
  const { calendario, valor } = content;
  return {
    ...{ ...content, ...given },
    calendario: { ...calendario, ...given.calendario },
    valor: { ...valor, ...given.valor },
  };
}

function chargeOf({ charges }: Receiver, kind: ChargeKind, txid = ''): Charge | null {
  const charge = charges.get(txid);
  return charge?.kind === kind ? charge : null;
}

function notActive(kind: ChargeKind): Answer {
  const razao = 'A cobrança não está ATIVA, e a presente requisição busca alterá-la.';
  return violated(TYPES[kind].invalid, { razao, propriedade: `${kind}.status` });
}
