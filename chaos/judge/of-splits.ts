import type { Entry } from '../log.ts';
import { expectedInstallments, expectedShares, isSpreadEvenly } from './expected-shares.ts';
import type { BookInvariant } from './finding.ts';
import type { BookedPart, Books } from './ledger-view.ts';

type Reported = {
  readonly documentNumberBeneficiary: string;
  readonly percent: number;
  readonly type: string;
  readonly amount: number;
  readonly installments: readonly { readonly installmentNumber: number; readonly amount: number }[];
};

export const SPLIT_INVARIANTS: readonly BookInvariant[] = [
  {
    name: 'every beneficiary has the share that was agreed, to the cent',
    check(books, complain) {
      for (const [entry, parts] of dividedSales(books)) {
        checkShares(entry, parts, (text) => complain(entry.reference, text));
        if (entry.status === 200) checkShown(entry, parts, (text) => complain(entry.reference, text));
      }
    },
  },
  {
    name: 'beneficiaries give back in proportion, and never have more than is left',
    check(books, complain) {
      for (const [{ reference }, parts] of dividedSales(books)) {
        for (const part of parts) checkGivenBack(part, (text) => complain(reference, text));
      }
    },
  },
];

/** Each sale that was divided and approved, with its installments. */
function* dividedSales(books: Books): Generator<[Entry, readonly BookedPart[]]> {
  const partsOf = Map.groupBy(books.parts, (part) => part.reference);
  for (const entry of books.entries) {
    const rows = books.transactionsOf.get(entry.reference) ?? [];
    if (entry.split === null || !rows.some(({ state }) => state === 'approved')) continue;
    yield [entry, partsOf.get(entry.reference) ?? []];
  }
}

function checkShares(
  { split, amount, installments }: Entry,
  parts: readonly BookedPart[],
  complain: (text: string) => void,
): void {
  const wanted = split?.entries ?? [];
  const amounts = expectedInstallments(amount, installments);
  if (JSON.stringify(parts.map((part) => part.amount)) !== JSON.stringify(amounts))
    complain(`installments of ${parts.map((part) => part.amount)}, not of ${amounts}`);
  const shares = split === null ? [] : expectedShares(amount, installments, split);
  for (const [index, share] of shares.entries()) {
    const mine = parts.map(({ shares: each }) => each[index]);
    const cents = mine.map((one) => one?.amount ?? 0);
    const sum = cents.reduce((all, one) => all + one, 0);
    if (sum !== share) complain(`beneficiary ${index + 1} has ${sum}, agreed were ${share}`);
    else if (!isSpreadEvenly(share, cents, amounts))
      complain(`${share} are spread as ${cents} over ${amounts}`);
    if (mine.some((one) => one?.beneficiary !== wanted[index]?.beneficiary))
      complain(`beneficiary ${index + 1} is another one`);
  }
  for (const { number, amount: whole, shares: each } of parts) {
    const sum = each.reduce((all, { amount: one }) => all + one, 0);
    if (sum > whole || each.length !== wanted.length)
      complain(`installment ${number} of ${whole} is divided as ${sum}`);
  }
}

/** The answer lists the very shares that are on record. */
function checkShown(
  { body, split }: Entry,
  parts: readonly BookedPart[],
  complain: (text: string) => void,
): void {
  const { split: reported } = (body as { paymentAuthorization: { split?: Reported[] } }).paymentAuthorization;
  const expected = (split?.entries ?? []).map(({ beneficiary, portion }, index) => {
    const cents = parts.map(({ number, shares }) => [number, shares[index]?.amount]);
    return [
      beneficiary,
      portion,
      split?.type,
      cents.reduce((sum, [, amount]) => sum + (amount ?? 0), 0),
      cents,
    ];
  });
  const given = reported?.map(({ documentNumberBeneficiary, percent, type, amount, installments }) => [
    documentNumberBeneficiary,
    Math.round(percent * 100),
    type,
    amount,
    installments.map((part) => [part.installmentNumber, part.amount]),
  ]);
  if (JSON.stringify(given) !== JSON.stringify(expected))
    complain(`answered with shares ${JSON.stringify(given)}, on record are ${JSON.stringify(expected)}`);
}

/** Whatever the order of cancels: less than a cent between what a beneficiary keeps and the proportion. */
function checkGivenBack(
  { number, amount, canceledAmount, shares }: BookedPart,
  complain: (text: string) => void,
): void {
  const rest = amount - canceledAmount;
  const held = shares.reduce((sum, share) => sum + share.amount - share.canceled, 0);
  if (held > rest) complain(`of installment ${number} ${rest} are left, and beneficiaries have ${held}`);
  for (const { position, amount: whole, canceled } of shares) {
    // In exact numbers: what is kept, less the proportion of the rest, times the amount.
    const off = BigInt(whole - canceled) * BigInt(amount) - BigInt(whole) * BigInt(rest);
    if ((off < 0n ? -off : off) >= BigInt(amount))
      complain(`of installment ${number} beneficiary ${position} of ${whole} keeps ${whole - canceled}`);
  }
}
