const LONGEST = 512;
/** Version 01 in front, the check sum of four digits behind. */
const FORM = /^000201[\x20-\x7e]*6304[0-9A-F]{4}$/;
const REAIS = '986';

type Field = { readonly id: string; readonly value: string };

/**
 * Whether a BR Code may stand on a boleto of this amount: its fields and its check sum are right,
 * and the amount, where it names one, is the asked one.
 */
export function isPixCodeOf(code: string, amount: number): boolean {
  if (code.length > LONGEST || !FORM.test(code)) return false;
  if (checkSum(code.slice(0, -4)) !== code.slice(-4)) return false;
  const fields = fieldsOf(code);
  if (fields === null) return false;
  const textOf = (id: string) => fields.find((field) => field.id === id)?.value;
  if (textOf('53') !== REAIS || textOf('58') !== 'BR') return false;
  const named = textOf('54');
  return (
    named === undefined || named === `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`
  );
}

/** Each field is two digits that name it, two that count its characters, and these; null: it is not. */
function fieldsOf(code: string): readonly Field[] | null {
  const fields: Field[] = [];
  for (let start = 0; start < code.length; ) {
    const head = code.slice(start, start + 4);
    if (!/^\d{4}$/.test(head)) return null;
    const end = start + 4 + Number(head.slice(2));
    if (end > code.length) return null;
    fields.push({ id: head.slice(0, 2), value: code.slice(start + 4, end) });
    start = end;
  }
  return fields;
}

/** CRC-16 with the polynomial 0x1021, from 0xffff, in upper-case hexadecimal. */
function checkSum(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, '0');
}
