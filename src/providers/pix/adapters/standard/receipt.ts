import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import type { UnreadableItem } from '../../../../platform/feeds/feed.ts';
import { cents, MAX_PAYMENT_CENTS } from '../../../../values/cents.ts';
import { parseOffsetText } from '../../../../values/instant.ts';
import type { PixReceipt, PixReturn } from '../../pix-bank.ts';

const TXID = /^[a-zA-Z0-9]{26,35}$/;
const END_TO_END_ID = /^[a-zA-Z0-9]{32}$/;
const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** 0: no amount. */
export function centsOf(valor: unknown): number {
  return typeof valor === 'string' && AMOUNT.test(valor) ? Number(valor.replace('.', '')) : 0;
}

/** Null: it was paid to the key itself, for no charge. */
export function readReceipt(item: unknown): PixReceipt | UnreadableItem | null {
  const { txid, endToEndId, valor, horario } = fieldsOf(item);
  if (typeof txid !== 'string' || !TXID.test(txid)) return null;
  const amount = centsOf(valor);
  const receivedAt = typeof horario === 'string' ? parseOffsetText(horario) : null;
  const isId = typeof endToEndId === 'string' && END_TO_END_ID.test(endToEndId);
  const isAmount = amount > 0 && amount <= MAX_PAYMENT_CENTS;
  if (isId && isAmount && receivedAt !== null)
    return { txid, endToEndId, amount: cents(amount), receivedAt, returned: null };
  const fault = isId ? (isAmount ? 'horario' : 'valor') : 'endToEndId';
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : null);
  const shown = { txid, endToEndId: text(endToEndId), valor: text(valor), horario: text(horario) };
  return { reason: `no ${fault} that can be`, item: JSON.stringify(shown) };
}

const RETURN_ID = /^[a-zA-Z0-9]{1,35}$/;
/** More of one Pix are not expected. */
const MOST_RETURNS = 100;

/** Unknown natures count as an operational one: they are the bank's. */
function natureOf(natureza: unknown): PixReturn['nature'] {
  if (natureza === undefined || natureza === null || natureza === 'ORIGINAL' || natureza === 'RETIRADA')
    return 'receiver';
  if (natureza === 'MED_FRAUDE') return 'fraud';
  return natureza === 'MED_PIX_AUTOMATICO' ? 'automatic' : 'operational';
}

/** Devolutions of a Pix that were carried out, whoever asked for them. */
export function readReturns(item: unknown, receipt: PixReceipt): PixReceipt[] {
  const { devolucoes } = fieldsOf(item);
  const done = (Array.isArray(devolucoes) ? devolucoes : []).slice(0, MOST_RETURNS).map(fieldsOf);
  return done.flatMap(({ id, valor, status, natureza, horario }) => {
    const amount = centsOf(valor);
    if (status !== 'DEVOLVIDO' || typeof id !== 'string' || !RETURN_ID.test(id) || amount <= 0) return [];
    const { liquidacao, solicitacao } = fieldsOf(horario);
    const moment = [liquidacao, solicitacao].map((text) =>
      typeof text === 'string' ? parseOffsetText(text) : null,
    );
    const receivedAt = moment.find((at) => at !== null) ?? receipt.receivedAt;
    return [{ ...receipt, amount: cents(amount), receivedAt, returned: { id, nature: natureOf(natureza) } }];
  });
}
