import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RemittanceOrder } from '#settlement-files';
import { REMITTANCE_BANKS, writeRemittance } from '#settlement-files';
import { readReturnFile } from './process-return-file.ts';

/** Return files as each bank makes them: of its own places, and of what it gives back of a registration. */

type Texts = Readonly<Record<number, string>>;

/** By the bank's manual. `width`: the bank writes zeros before it. */
type GivenBack = readonly [at: number, from: number, to: number, width?: number];

type BankOfFile = {
  readonly given: readonly GivenBack[];
  /** What the bank adds. */
  readonly texts?: Texts;
  readonly madeOn?: string;
  readonly movementAt?: number;
  readonly paidAt?: number;
  readonly codes?: readonly [confirmed: string, paid: string, ended: string];
};

const TERMS: readonly GivenBack[] = [
  [74, 78, 85],
  [82, 86, 100],
];
const NUMBER: GivenBack = [38, 38, 58];
const DOCUMENT: GivenBack = [59, 63, 77];
const T: readonly GivenBack[] = [NUMBER, DOCUMENT, ...TERMS, [106, 196, 220]];

const TERMS_400: readonly GivenBack[] = [
  [117, 111, 120],
  [147, 121, 126],
  [153, 127, 139],
];
const DETAIL: readonly GivenBack[] = [[22, 22, 24], [38, 38, 62], [63, 63, 82], ...TERMS_400];

const OF_BANKS: Readonly<Record<string, BankOfFile>> = {
  '341 400': { given: DETAIL },
  '341 240': { given: T },
  '237 400': { given: DETAIL },
  '237 240': { given: T },
  '001 240': { given: T },
  '001 400': { given: [[39, 39, 63], [64, 64, 80], ...TERMS_400], texts: { 1: '7' } },
  '033 240': {
    given: [
      [41, 45, 57],
      [55, 63, 77],
      [70, 78, 85],
      [78, 86, 100],
      [101, 196, 220],
    ],
  },
  '033 400': { given: DETAIL },
  // "Seu número do documento, conforme informado pelo beneficiário" stands in both places.
  '104 240': { given: [NUMBER, [59, 63, 73], ...TERMS, [106, 63, 73]] },
  '104 400': { given: [[32, 32, 56], [57, 57, 73], ...TERMS_400], codes: ['01', '21', '02'] },
  '756 240': { given: T },
  '756 400': { given: DETAIL },
  '085 240': { given: T },
  // "Retorna o seu número e número da parcela"; what the company wrote is not used.
  '748 240': { given: [NUMBER, ...TERMS, [106, 63, 72]], texts: { 59: '0000000000', 117: '01' } },
  '748 400': { given: [[48, 48, 56], ...TERMS_400], madeOn: '20261201' },
  '208 240': { given: [[38, 38, 49, 20], [58, 58, 58], DOCUMENT, ...TERMS, [106, 196, 220]] },
  '077 400': {
    given: [
      [38, 38, 62],
      [71, 90, 100],
      [98, 111, 120],
      [119, 121, 126],
      [125, 127, 139],
    ],
    ...{ movementAt: 90, paidAt: 160, codes: ['02', '06', '07'] },
  },
};

const USUAL = ['02', '06', '09'] as const;

/** Settings that all layouts take, each what it needs. */
const AGREEMENT = {
  ...{ branch: '0810', branchDigit: '1', account: '53678', accountDigit: '9', portfolio: '109' },
  ...{ agreement: '1238798', variation: '019', companyCode: '229385', modality: '01', unit: '02' },
  ...{ transmissionCode: '00591899775013000123', operation: '1234567' },
  ...{ firstNumber: '0000000001', lastNumber: '0000000009' },
  ...{ companyName: 'Loja São João', companyDocument: '11222333000181' },
};

const OWN: Readonly<Record<string, object>> = {
  '033': { companyCode: '1899775', portfolio: '102' },
  '001': { portfolio: '17' },
  '085': { agreement: '000234', portfolio: '01' },
  '208': { portfolio: '1' },
  '237': { account: '0053678', portfolio: '09' },
  '748': { companyCode: '00623' },
};

const OURS = '10000000042';

type DayOfFile = RemittanceOrder['dueOn'];
const day = (text: string) => text as DayOfFile;

const ORDER = {
  kind: 'register',
  companyUse: OURS,
  amount: 14_990,
  ...{ issuedOn: day('2026-11-29'), dueOn: day('2026-12-10'), daysAfterDue: 30 },
  payer: {
    ...{ name: 'Ana Souza', documentNumber: '52998224725', street: 'Rua das Flores, 100' },
    ...{ district: 'Centro', city: 'São Paulo', state: 'SP', zipCode: '01001000' },
  },
  ...{ finePortion: null, interestPortion: null, discount: null },
} as const;

function line(length: number, texts: Texts): string {
  const put = (text: string, [from, put]: [string, string]) =>
    text.slice(0, Number(from) - 1) + put + text.slice(Number(from) - 1 + put.length);
  return Object.entries(texts).reduce(put, ' '.repeat(length));
}

const zeros = (value: number, width: number) => String(value).padStart(width, '0');

function answers240(code: string, { codes = USUAL }: BankOfFile, given: Texts): string[] {
  const pairs = codes.flatMap((movement, index) => {
    const head = (segment: string, number: number) =>
      `${code}00013${zeros(index * 2 + number, 5)}${segment} ${movement}`;
    const paid = index === 1 ? 14_990 : 0;
    return [
      line(240, { ...given, 1: head('T', 1), 189: zeros(0, 25) }),
      line(240, { 1: head('U', 2), 78: zeros(paid, 15) + zeros(paid, 15), 138: '0112202602122026' }),
    ];
  });
  const frame = [{ 1: `${code}00000`, 143: '201122026093000000217' }, { 1: `${code}00011T01` }];
  const end = [
    { 1: `${code}00015`, 18: '000008' },
    { 1: `${code}99999`, 18: '000001000010' },
  ];
  return [...frame.map((one) => line(240, one)), ...pairs, ...end.map((one) => line(240, one))];
}

function answers400(code: string, bank: BankOfFile, given: Texts): string[] {
  const { codes = USUAL, madeOn = '011226', movementAt = 109, paidAt = 254 } = bank;
  const details = codes.map((movement, index) => ({
    ...{ 1: '1', ...given, [movementAt]: `${movement}011226` },
    ...(index === 1 ? { [paidAt]: zeros(14_990, 13) } : {}),
  }));
  const all: readonly Texts[] = [
    { 1: '02RETORNO01COBRANCA', 77: code, 95: madeOn },
    ...details,
    { 1: '9201' },
  ];
  return all.map((texts, index) => line(400, { ...texts, 395: zeros(index + 1, 6) }));
}

for (const bank of REMITTANCE_BANKS) {
  const { code, layout, name } = bank;
  test(`a boleto that ${name} was told of in CNAB ${layout} is confirmed, paid and ended by its return file`, async () => {
    const ofBank = OF_BANKS[`${code} ${layout}`];
    assert.ok(ofBank !== undefined);
    const agreement = { ...AGREEMENT, ...OWN[code] };
    const last = OURS.slice(-bank.numberLength).padStart(bank.numberLength, '0');
    const bankNumber = bank.numberOf?.(OURS, ORDER.issuedOn, agreement) ?? last;
    const orders = [{ ...ORDER, bankNumber }];
    const bytes = writeRemittance(bank, { agreement, number: 1, madeOn: ORDER.issuedOn, orders });
    const sent = Buffer.from(bytes).toString('latin1').split('\r\n');
    const registration = sent.find((one) => (layout === '240' ? one[13] === 'P' : /^[17]/.test(one))) ?? '';
    const given = {
      ...Object.fromEntries(
        ofBank.given.map(([at, from, to, width = 0]) => [
          at,
          registration.slice(from - 1, to).padStart(width, '0'),
        ]),
      ),
      ...ofBank.texts,
    };
    const lines = (layout === '240' ? answers240 : answers400)(code, ofBank, given);
    async function* file() {
      yield Buffer.from(lines.map((one) => `${one}\r\n`).join(''), 'latin1');
    }
    const read = await readReturnFile(file(), {
      companiesOf: () => [],
      hasFormer: async () => false,
      // What the database compares: number, and document.
      findNumbered: async (_bank, entries) => {
        assert.equal(entries.length, bank.isNamedByBank === true ? 3 : 0);
        const named = entries.filter(
          (one) => one.number === bankNumber && one.documentNumber === OURS.slice(-10),
        );
        return new Map(named.map(({ lineNumber }) => [lineNumber, { ourNumber: OURS, isOfValue: true }]));
      },
    });
    assert.deepEqual(
      read.answers.map(({ answer, content }) => [answer.to, answer.isAccepted, content.ourNumber]),
      [
        ['register', true, OURS],
        ['writeOff', true, OURS],
      ],
    );
    assert.deepEqual(
      read.entries.map(({ event, ourNumber, value, paid, dueOn }) => [event, ourNumber, value, paid, dueOn]),
      [
        ['paid', OURS, 14_990, 14_990, '2026-12-10'],
        ['canceled', OURS, 14_990, 0, '2026-12-10'],
      ],
    );
  });
}

test('an answer with another value than the boleto’s answers nothing, and is named', async () => {
  const given = { 48: '262000016', 117: OURS.slice(-10), 147: '101226', 153: zeros(14_991, 13) };
  const codes = ['03', '06', '14'] as const;
  const lines = answers400('748', { given: [], madeOn: '20261201', codes }, given);
  async function* file() {
    yield Buffer.from(lines.map((one) => `${one}\r\n`).join(''), 'latin1');
  }
  const readWith = (isOfValue: boolean) =>
    readReturnFile(file(), {
      companiesOf: () => [],
      hasFormer: async () => false,
      findNumbered: async (_bank, entries) =>
        new Map(entries.map(({ lineNumber }) => [lineNumber, { ourNumber: OURS, isOfValue }])),
    });
  const codesOf = (all: readonly { readonly movement: string; readonly ourNumber: string }[]) =>
    all.map(({ movement, ourNumber }) => `${movement} ${ourNumber}`);
  const other = await readWith(false);
  assert.deepEqual([other.answers, other.refusals, other.dueDays], [[], [], []]);
  assert.deepEqual(codesOf(other.unknown), [`03 ${OURS}`, `14 ${OURS}`]);
  assert.deepEqual(codesOf(other.entries), [`06 ${OURS}`]);
  const same = await readWith(true);
  assert.deepEqual(
    same.answers.map(({ content }) => content.movement),
    ['03', '14'],
  );
  assert.deepEqual([codesOf(same.refusals), codesOf(same.dueDays)], [[`03 ${OURS}`], [`14 ${OURS}`]]);
  assert.deepEqual(same.unknown, []);
});

test('a file of another company is read whole where a former provider told the bank by file', async () => {
  const given = { 48: '262000016', 117: OURS.slice(-10), 147: '101226', 153: zeros(14_990, 13) };
  const [first = '', ...lines] = answers400('748', { given: [], madeOn: '20261201' }, given);
  const head = `${first.slice(0, 26)}0062399888777000166${first.slice(45)}`;
  async function* file() {
    yield Buffer.from([head, ...lines].map((one) => `${one}\r\n`).join(''), 'latin1');
  }
  const readWith = (isFormer: boolean) =>
    readReturnFile(file(), {
      companiesOf: () => ['11222333000181'],
      hasFormer: async (bank) => isFormer && bank === '748',
      findNumbered: async (_bank, entries) =>
        new Map(entries.map(({ lineNumber }) => [lineNumber, { ourNumber: OURS, isOfValue: true }])),
    });
  const [foreign, ours] = [await readWith(false), await readWith(true)];
  assert.deepEqual([foreign.isOfAnother, foreign.entries.length, foreign.foreign], [true, 0, 2]);
  assert.deepEqual([ours.isOfAnother, ours.entries.length, ours.foreign], [false, 2, 0]);
});
