import type { Sentence } from '../sentence.ts';

/** Portuguese `R$ 1.234,56`, English `R$ 1,234.56`. */
export function reais(cents: number): Sentence {
  const [digits, sign] = [String(Math.abs(cents)).padStart(3, '0'), cents < 0 ? '-' : ''];
  const whole = digits.slice(0, -2);
  const grouped = (mark: string) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, mark);
  const part = digits.slice(-2);
  return { pt: `${sign}R$ ${grouped('.')},${part}`, en: `${sign}R$ ${grouped(',')}.${part}` };
}
