import { FieldReader } from '../kit/field-reader.ts';
import type { Components } from './amount-owed.ts';
import { type ChargeContent, type ChargeKind, readChargeContent } from './charge-content.ts';
import { type Dialect, readDialect } from './dialect.ts';
import { RECURRENCE_READERS, type RecurrenceEntry, type RecurrenceHappening } from './recurrence-entries.ts';
import { REFUND_PLANS, type RefundPlan } from './script-step.ts';

export const CLIENT_ID = /^[\x21-\x7e]{1,64}$/;
export const TXID = /^[a-zA-Z0-9]{26,35}$/;
export const END_TO_END_ID = /^[a-zA-Z0-9]{32}$/;
export const REFUND_ID = /^[a-zA-Z0-9]{1,35}$/;
const LARGEST_AMOUNT = 999_999_999_999;
const TEXT = /^.{0,1000}$/su;

export const REMOVED = ['REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP'] as const;
export const REFUND_ENDS = ['DEVOLVIDO', 'NAO_REALIZADO'] as const;
export const NATURES = [
  'ORIGINAL',
  'RETIRADA',
  'MED_OPERACIONAL',
  'MED_FRAUDE',
  'MED_PIX_AUTOMATICO',
] as const;
export type Nature = (typeof NATURES)[number];

/** `at`: in the receiver's time, in milliseconds since 1970; it never goes back. */
type Booked = { readonly at: number; readonly clientId: string };

export type ReceiverEntry = Booked & { readonly type: 'receiver'; readonly secretMark: string };
export type ChargeEntry = Booked & {
  readonly type: 'charge';
  readonly kind: ChargeKind;
  readonly txid: string;
  readonly content: ChargeContent;
};
export type RevisionEntry = Booked & {
  readonly type: 'revision';
  readonly kind: ChargeKind;
  readonly txid: string;
  readonly content: ChargeContent;
};
export type RemovalEntry = Booked & {
  readonly type: 'removal';
  readonly txid: string;
  readonly status: (typeof REMOVED)[number];
};
export type PixEntry = Booked & {
  readonly type: 'pix';
  readonly endToEndId: string;
  /** Null: money for the key, which belongs to no charge. */
  readonly txid: string | null;
  /** Null: a recurring charge, which is paid to an account. */
  readonly chave: string | null;
  readonly amount: number;
  readonly components: Components;
  readonly happenedAt: number;
  /** By the bank's own clock, also where a customer of the client has another one. */
  readonly arrivedAt: number;
  readonly infoPagador: string | null;
  /** It came by itself, as the amount of its charge has it. */
  readonly isPlanned: boolean;
};
export type RefundEntry = Booked & {
  readonly type: 'refund';
  readonly endToEndId: string;
  readonly id: string;
  readonly rtrId: string;
  readonly amount: number;
  readonly natureza: Nature;
  readonly descricao: string | null;
  readonly plan: RefundPlan;
};
export type RefundEndEntry = Booked & {
  readonly type: 'refundEnd';
  readonly endToEndId: string;
  readonly id: string;
  readonly status: (typeof REFUND_ENDS)[number];
  readonly motivo: string | null;
};
export type WebhookEntry = Booked & {
  readonly type: 'webhook';
  readonly chave: string;
  /** Null: nobody is told any more. */
  readonly url: string | null;
};
export type DialectEntry = Booked & { readonly type: 'dialect'; readonly dialect: Dialect };
export type Entry =
  | DialectEntry
  | ReceiverEntry
  | ChargeEntry
  | RevisionEntry
  | RemovalEntry
  | PixEntry
  | RefundEntry
  | RefundEndEntry
  | WebhookEntry
  | RecurrenceEntry;

type OwnEntry = Exclude<Entry, RecurrenceEntry>;
/** What is booked, without who and when. */
export type Happening =
  | (OwnEntry extends infer E
      ? E extends OwnEntry
        ? Omit<E, 'at' | 'clientId' | 'arrivedAt'>
        : never
      : never)
  | RecurrenceHappening;

export function lineOf(entry: Entry): string {
  return JSON.stringify(entry);
}

/** The entry that a line holds; null when it holds none. */
export function entryOfLine(line: string): Entry | null {
  const fields = new FieldReader(jsonOf(line));
  const type = fields.word('type', Object.keys(READERS) as [Entry['type'], ...Entry['type'][]]);
  const booked = {
    at: fields.integer('at', 0, Number.MAX_SAFE_INTEGER),
    clientId: fields.text('clientId', CLIENT_ID),
  };
  const entry = { type, ...booked, ...READERS[type](fields) } as Entry;
  return fields.fault === null ? entry : null;
}

const READERS: Readonly<Record<Entry['type'], (fields: FieldReader) => object>> = {
  ...RECURRENCE_READERS,
  receiver: (fields) => ({ secretMark: fields.text('secretMark', /^[0-9a-f]{64}$/) }),
  charge: readCharge,
  revision: readCharge,
  removal: (fields) => ({ txid: fields.text('txid', TXID), status: fields.word('status', REMOVED) }),
  pix: (fields) => ({
    endToEndId: fields.text('endToEndId', END_TO_END_ID),
    txid: fields.textOrNull('txid', TXID),
    chave: fields.textOrNull('chave', TEXT),
    amount: readAmount(fields, 'amount'),
    components: fields.object('components', readComponents),
    happenedAt: fields.integer('happenedAt', 0, Number.MAX_SAFE_INTEGER),
    arrivedAt: fields.integer('arrivedAt', 0, Number.MAX_SAFE_INTEGER),
    infoPagador: fields.textOrNull('infoPagador', TEXT),
    isPlanned: fields.boolean('isPlanned'),
  }),
  refund: (fields) => ({
    ...readRefundName(fields),
    rtrId: fields.text('rtrId', END_TO_END_ID),
    amount: readAmount(fields, 'amount'),
    natureza: fields.word('natureza', NATURES),
    descricao: fields.textOrNull('descricao', TEXT),
    plan: fields.word('plan', REFUND_PLANS),
  }),
  refundEnd: (fields) => ({
    ...readRefundName(fields),
    status: fields.word('status', REFUND_ENDS),
    motivo: fields.textOrNull('motivo', TEXT),
  }),
  dialect: (fields) => ({ dialect: fields.object('dialect', readDialect) }),
  webhook: (fields) => ({ chave: fields.text('chave', TEXT), url: fields.textOrNull('url', TEXT) }),
};

function readCharge(fields: FieldReader): object {
  const kind = fields.word('kind', ['cob', 'cobv']);
  const txid = fields.text('txid', TXID);
  return { kind, txid, content: fields.object('content', (content) => readChargeContent(kind, content)) };
}

function readRefundName(fields: FieldReader): object {
  return { endToEndId: fields.text('endToEndId', END_TO_END_ID), id: fields.text('id', REFUND_ID) };
}

function readAmount(fields: FieldReader, name: string): number {
  return fields.integer(name, 1, LARGEST_AMOUNT);
}

function readComponents(fields: FieldReader): object {
  const parts = ['multa', 'juros', 'abatimento', 'desconto'].map(
    (name) => [name, fields.integerOrNull(name, 0, LARGEST_AMOUNT)] as const,
  );
  const given = parts.filter(([, amount]) => amount !== null);
  return { original: fields.integer('original', 0, LARGEST_AMOUNT), ...Object.fromEntries(given) };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
