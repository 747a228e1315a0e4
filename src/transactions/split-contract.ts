import { type Static, Type } from 'typebox';
import type { Fault } from '../platform/http/endpoint.ts';
import { named } from '../platform/http/named.ts';
import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import type { Cents } from '../values/cents.ts';
import { decimalParts, ExactNumber } from '../values/exact-json.ts';
import {
  beneficiariesOfPage,
  MOST_SHARES_SHOWN,
  type Share,
  type ShareTotal,
  type Split,
  type SplitEntry,
  type SplitKind,
} from './split.ts';

const MOST_BENEFICIARIES = 100;

const KINDS = { bruto: 'gross', liquido: 'net' } as const satisfies Record<string, SplitKind>;
const KIND_WORDS: Record<SplitKind, keyof typeof KINDS> = { gross: 'bruto', net: 'liquido' };

export const SPLIT_REQUEST = Type.Optional(
  Type.Array(
    named('SplitEntryRequest', {
      documentNumberBeneficiary: Type.String({
        maxLength: 14,
        format: 'bareCpfOrCnpj',
        description: 'Each once; letters of a CNPJ in capitals.',
      }),
      percent: Type.Unsafe<number | ExactNumber>({
        exactDecimal: { integerDigits: 3, decimals: 2, maximum: 100 },
        description: 'All together at most 100: the rest is yours.',
      }),
      type: Type.Optional(
        Type.Enum(['bruto', 'liquido'], {
          description:
            'Of the amount, or of the amount less the fee that the operator set; one of them for all. Default bruto.',
        }),
      ),
    }),
    { maxItems: MOST_BENEFICIARIES },
  ),
);
type SplitRequest = Static<typeof SPLIT_REQUEST> | undefined;

export const SPLIT_FAULTS = {
  sameBeneficiary: refusal(400, 'configSplit[n].documentNumberBeneficiary', {
    pt: 'O beneficiário aparece mais de uma vez.',
    en: 'The beneficiary stands there twice.',
  }),
  sumTooMuch: refusal(400, 'configSplit', {
    pt: 'A soma dos percentuais passa de 100.',
    en: 'The percents add up to more than 100.',
  }),
  mixedTypes: refusal(400, 'configSplit[n].type', {
    pt: 'Todos os itens devem ter o mesmo type.',
    en: 'All entries must have the same type.',
  }),
} as const satisfies Record<string, RefusalShape>;

const WHOLE = 10_000;

/** The entries may be malformed in any way: the schema reports that. */
export function checkSplit(entries: readonly unknown[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let sum = 0;
  const first = typeOf(entries[0]);
  for (const [index, entry] of entries.slice(0, MOST_BENEFICIARIES).entries()) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { documentNumberBeneficiary: beneficiary, percent } = entry as Record<string, unknown>;
    const fault = (field: string, { sentence }: RefusalShape) =>
      faults.push({ tag: `configSplit[${index}].${field}`, sentence });
    if (typeof beneficiary === 'string') {
      if (seen.has(beneficiary)) fault('documentNumberBeneficiary', SPLIT_FAULTS.sameBeneficiary);
      seen.add(beneficiary);
    }
    const portion = portionOf(percent) ?? 0;
    sum += portion;
    if (typeOf(entry) !== first) fault('type', SPLIT_FAULTS.mixedTypes);
  }
  if (sum > WHOLE) faults.push({ tag: 'configSplit', sentence: SPLIT_FAULTS.sumTooMuch.sentence });
  return faults;
}

function typeOf(entry: unknown): unknown {
  return (entry as { type?: unknown } | null | undefined)?.type ?? 'bruto';
}

/** Hundredths of a percent, exactly; null for what the schema refuses. */
function portionOf(percent: unknown): number | null {
  if (typeof percent !== 'number' && !(percent instanceof ExactNumber)) return null;
  const parts = decimalParts(percent);
  if (parts === null || parts.negative || parts.integer.length > 3 || parts.fraction.length > 2) return null;
  return Number(parts.integer) * 100 + Number(parts.fraction.padEnd(2, '0'));
}

export function readSplit(entries: SplitRequest): Split | null {
  const [first] = entries ?? [];
  if (entries === undefined || first === undefined) return null;
  return {
    kind: KINDS[first.type ?? 'bruto'],
    entries: entries.map(({ documentNumberBeneficiary, percent }) => ({
      beneficiary: documentNumberBeneficiary,
      portion: portionOf(percent) as number,
    })),
  };
}

const ENTRY_ANSWER = {
  documentNumberBeneficiary: Type.String(),
  percent: Type.Number(),
  type: Type.Enum(['bruto', 'liquido']),
  amount: Type.Integer({ description: 'Cents of the sale as it was charged.' }),
  canceledAmount: Type.Integer({ description: 'Cents of them that were given back.' }),
};

export const SPLIT_ANSWER = Type.Array(
  named('SplitEntry', {
    ...ENTRY_ANSWER,
    installments: Type.Array(
      named('SplitInstallment', {
        installmentNumber: Type.Integer(),
        amount: Type.Integer(),
        canceledAmount: Type.Integer(),
      }),
    ),
  }),
  {
    description:
      'Only of a payment that was divided (configSplit), and of a large one a page of its entries.',
  },
);

export const SPLIT_PAGES_ANSWER = {
  splitPage: Type.Optional(
    Type.Integer({ description: 'Only where the split has several pages: which of them this is.' }),
  ),
  splitPages: Type.Optional(
    Type.Integer({
      description:
        `Only where the split has several pages: how many. A page has whole entries, of at most ${MOST_SHARES_SHOWN} ` +
        'installments together; the others are read with GET /v1/payments/{paymentId}?splitPage=2 and so on.',
    }),
  ),
};

export const SPLIT_QUERY = Type.Object({
  splitPage: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_BENEFICIARIES,
      description:
        'Of a payment with splitPages: which of them; default 1. Behind the last one split is empty.',
    }),
  ),
});

export const SPLIT_IN_LIST = Type.Array(named('SplitTotal', ENTRY_ANSWER), {
  description:
    'Only of a payment that was divided (configSplit); read alone it shows the installments of each entry.',
});

export const SPLIT_EXAMPLE = [
  {
    documentNumberBeneficiary: '11222333000181',
    percent: 10.5,
    type: 'bruto',
    amount: 1_364,
    canceledAmount: 0,
    installments: [
      { installmentNumber: 1, amount: 455, canceledAmount: 0 },
      { installmentNumber: 2, amount: 454, canceledAmount: 0 },
      { installmentNumber: 3, amount: 455, canceledAmount: 0 },
    ],
  },
];

/** `shares`: at least those of the shown page. */
export type ShownSplit = { readonly split: Split; readonly shares: readonly Share[] };

/** The member `split` with one page of entries, or none. A split of one page has no page members. */
export function writeSplit(shown: ShownSplit | null, installments: number, page = 1): object {
  if (shown === null || installments === 0) return {};
  const { split, shares } = shown;
  const ofPage = beneficiariesOfPage(installments);
  const pages = Math.ceil(split.entries.length / ofPage);
  const first = (page - 1) * ofPage;
  const byPosition = Map.groupBy(shares, ({ position }) => position);
  return {
    split: split.entries.slice(first, first + ofPage).map((entry, index) => {
      const own = byPosition.get(first + index + 1) ?? [];
      return {
        ...writeEntry(split, entry),
        amount: sumOf(own.map(({ amount }) => amount)),
        canceledAmount: sumOf(own.map(({ canceledAmount }) => canceledAmount)),
        installments: own.map(({ installmentNumber, amount, canceledAmount }) => ({
          installmentNumber,
          amount,
          canceledAmount,
        })),
      };
    }),
    ...(pages > 1 || page > pages ? { splitPage: page, splitPages: pages } : {}),
  };
}

/** The member `split` of a list's item, which has only each beneficiary's total. */
export function writeSplitInList(split: Split | null, totals: readonly ShareTotal[]): object {
  if (split === null || totals.length === 0) return {};
  const byPosition = new Map(totals.map((total) => [total.position, total]));
  return {
    split: split.entries.map((entry, index) => {
      const { amount = 0, canceledAmount = 0 } = byPosition.get(index + 1) ?? {};
      return { ...writeEntry(split, entry), amount, canceledAmount };
    }),
  };
}

function writeEntry({ kind }: Split, { beneficiary, portion }: SplitEntry) {
  return { documentNumberBeneficiary: beneficiary, percent: portion / 100, type: KIND_WORDS[kind] };
}

function sumOf(amounts: readonly Cents[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
