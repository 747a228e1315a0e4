import type { UnreadableItem } from '../../../../platform/feeds/feed.ts';
import { cents, MAX_PAYMENT_CENTS } from '../../../../values/cents.ts';
import { parseOffsetText } from '../../../../values/instant.ts';
import type { PixReceipt } from '../../pix-bank.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

const TXID = /^[a-zA-Z0-9]{26,35}$/;
const END_TO_END_ID = /^[a-zA-Z0-9]{32}$/;
const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** Null: it was paid to the key itself, for no charge. */
export function readReceipt(item: unknown): PixReceipt | UnreadableItem | null {
  const { txid, endToEndId, valor, horario } = fieldsOf(item);
  if (typeof txid !== 'string' || !TXID.test(txid)) return null;
  const amount = typeof valor === 'string' && AMOUNT.test(valor) ? Number(valor.replace('.', '')) : 0;
  const receivedAt = typeof horario === 'string' ? parseOffsetText(horario) : null;
  const isId = typeof endToEndId === 'string' && END_TO_END_ID.test(endToEndId);
  const isAmount = amount > 0 && amount <= MAX_PAYMENT_CENTS;
  if (isId && isAmount && receivedAt !== null) return { txid, endToEndId, amount: cents(amount), receivedAt };
  const fault = isId ? (isAmount ? 'horario' : 'valor') : 'endToEndId';
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : null);
  const shown = { txid, endToEndId: text(endToEndId), valor: text(valor), horario: text(horario) };
  return { reason: `no ${fault} that can be`, item: JSON.stringify(shown) };
}
