import type { PixBanks } from '../../providers/open-pix-banks.ts';
import type { RecurringTerms } from '../../providers/pix/recurring-pix.ts';
import { cents } from '../../values/cents.ts';

type Choosing = Pick<PixBanks, 'choose'>;

const enrolmentOf = (merchantId: string, transactionId: string) => ({
  ...{ merchantId, transactionId, brand: null, installmentCount: 1 },
  amount: cents(1),
});

/** Chooses the Pix bank of a new subscription. null: no bank has Pix Automático switched on. */
export function chooseBank(pixBanks: Choosing, merchantId: string, subscriptionId: string): string | null {
  return pixBanks.choose(enrolmentOf(merchantId, subscriptionId), ({ recurring }) => recurring !== null);
}

/** A rule may send a bank only a share of the subscriptions: samples of ids find them. */
const SAMPLES = 32;

/** The terms of every bank that may get subscriptions of the merchant. */
export function leadsOf(
  pixBanks: Choosing & Pick<PixBanks, 'of'>,
  merchantId: string,
): readonly RecurringTerms[] {
  const chosen = Array.from({ length: SAMPLES }, (_, at) => chooseBank(pixBanks, merchantId, String(at)));
  return [...new Set(chosen)].flatMap((bank) => (bank === null ? [] : (pixBanks.of(bank).recurring ?? [])));
}
