import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents } from '../../values/cents.ts';

/** What a network takes for a try: cents of reais, and of dollars. Taxes come on top. */
export type NetworkFee = { readonly reais: Cents; readonly dollars: Cents };

const NO_FEE: NetworkFee = { reais: cents(0), dollars: cents(0) };
const VISA_FEE: NetworkFee = { reais: cents(0), dollars: cents(10) };

/** Visa's category 1, "never approve": the second try is charged. */
const VISA_NEVER = ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'];
/** Mastercard's "do not try again" and "the holder has stopped it": each try is charged. */
const MASTERCARD_NEVER = ['03', '21'];
const MASTERCARD_NEVER_FEE: NetworkFee = { reais: cents(250), dollars: cents(0) };

/** Of each try beyond what a network accepts in its days (`NETWORK_LIMITS`); domestic cards. */
export const FEES_BEYOND_LIMIT: Readonly<Record<CardBrand, NetworkFee | null>> = {
  visa: VISA_FEE,
  mastercard: { reais: cents(200), dollars: cents(0) },
  elo: { reais: cents(80), dollars: cents(0) },
  amex: null,
  hipercard: null,
};

/** What one more try of a declined card costs in any case, however few there were before. */
export function feeOfRetry(brand: CardBrand, responseCode: string, adviceCode: string | null): NetworkFee {
  if (brand === 'visa' && VISA_NEVER.includes(responseCode)) return VISA_FEE;
  if (brand === 'mastercard' && adviceCode !== null && MASTERCARD_NEVER.includes(adviceCode))
    return MASTERCARD_NEVER_FEE;
  return NO_FEE;
}

/** Of several tries that cost alike, with what others cost. */
export function addFees(sum: NetworkFee, fee: NetworkFee, tries: number): NetworkFee {
  return {
    reais: cents(sum.reais + fee.reais * tries),
    dollars: cents(sum.dollars + fee.dollars * tries),
  };
}
