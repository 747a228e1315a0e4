import { digits, line, type Texts } from './written-lines.ts';

/** Lines of a Getnet V10 file, by the positions of its manual. */

const SHOP = '1447355        ';

export function getnetHeader(texts: Texts = {}): string {
  const made = { 1: '02011202606154019112026CEADM100', 32: SHOP, 47: '10440482000154' };
  return line(400, { ...made, 61: 'GETNET S.A.', 81: '000002146GS', 92: 'SANT. V.10.1 400 BYTES', ...texts });
}

type Batch = { readonly batch: number; readonly status: string; readonly net: number };

export function getnetBatch({ batch, status, net }: Batch, texts: Texts = {}): string {
  const days = { 31: '18112026', 39: '20112026' };
  const counts = { 67: digits(1, 9), 76: digits(0, 9) };
  const amounts = { 85: digits(10_000, 12), 97: digits(net, 12), 109: digits(0, 12), 121: digits(250, 12) };
  const rest = { 133: digits(0, 12), 145: digits(net, 12), 157: digits(0, 12), 169: status, 171: '0102' };
  const own = { 1: '1', 2: SHOP, 17: 'SM', 22: digits(batch, 9) };
  return line(400, { ...own, ...days, ...counts, ...amounts, ...rest, 282: '986', 286: '+', ...texts });
}

export function getnetSale(batch: number, texts: Texts = {}): string {
  const sale = { 26: digits(4_242, 12), 38: '17112026101112', 52: '516292******4444   ' };
  const amounts = { 71: digits(10_000, 12), 83: digits(0, 24), 107: '0201', 111: digits(10_000, 12) };
  const codes = { 123: '20112026', 131: 'A1B2C3', 144: 'C', 168: '986N+', 176: digits(250, 12) };
  const names = { 188: '02', 190: 'tid-0001', 232: '0123456789abcdef0123456789abcdef' };
  return line(400, {
    1: '2',
    2: SHOP,
    17: digits(batch, 9),
    ...sale,
    ...amounts,
    ...codes,
    ...names,
    ...texts,
  });
}

function getnetAdjustment(batch: number, texts: Texts = {}): string {
  const own = { 1: '3', 2: SHOP, 17: digits(batch, 9), 26: '1811202620112026', 42: 'AJ77' };
  const what = { 63: '-', 64: digits(1_000, 12), 76: '03', 105: digits(7, 9), 114: digits(4_242, 12) };
  const sale = { 126: '17112026', 134: 'PG', 152: '986', 155: digits(0, 12), 167: '02', 169: 'tid-0001' };
  return line(400, { ...own, ...what, ...sale, 211: '0123456789abcdef0123456789abcdef', ...texts });
}

function getnetNegotiation(texts: Texts = {}): string {
  const amounts = { 55: digits(2_000, 12), 67: digits(2_000, 12), 79: digits(0, 12), 91: digits(2_000, 12) };
  const own = { 1: '5', 2: SHOP, 17: '1811202620112026', 33: 'N55', 53: 'GV', 148: 'L' };
  return line(400, { ...own, ...amounts, ...texts });
}

export function getnetTrailer(count: number): string {
  return line(400, { 1: '9', 2: digits(count, 9) });
}

export function getnetFileLines(): string[] {
  const credit = { 145: digits(9_650, 12), 157: digits(100, 12) };
  const debit = { 67: digits(0, 9), 121: digits(0, 12), 286: '-' };
  const lines = [
    getnetBatch({ batch: 1, status: 'PF', net: 9_750 }),
    getnetSale(1),
    getnetBatch({ batch: 2, status: 'PG', net: 9_750 }),
    getnetSale(2),
    getnetBatch({ batch: 3, status: 'AC', net: 9_750 }, credit),
    getnetSale(3),
    getnetBatch({ batch: 4, status: 'CS', net: 9_750 }),
    getnetSale(4),
    getnetBatch({ batch: 5, status: 'PG', net: 1_000 }, debit),
    getnetAdjustment(5),
    getnetNegotiation(),
  ];
  return [getnetHeader(), ...lines, getnetTrailer(lines.length + 2)];
}
