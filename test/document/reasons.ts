import type { Schema } from './served-document.ts';
import { CAPITAL_NAME, type Spoiled } from './spoiled-values.ts';

/** Why the service may refuse what the document allows. Nothing else may be refused. */
export type Reason = {
  readonly why: string;
  readonly status: number;
  /** Of operations, by their ids. */
  readonly of: RegExp;
  readonly tag: RegExp;
};

/** Check digits, days of a month, addresses: the field that is at fault has an example. */
export const BEYOND_PATTERNS = 'what no pattern says: the field has an example';

const reason = (status: number, of: RegExp, tag: RegExp, why: string): Reason => ({ status, of, tag, why });

export const REASONS: readonly Reason[] = [
  reason(400, /^createPayment$/, /^payment\.installments$/, 'each installment is at least a cent'),
  reason(
    400,
    /^createPayment$/,
    /^(threeDSecure|sellerInfo)\.eci$/,
    'the card decides: each brand has indicators of its own',
  ),
  reason(400, /^(createPayment|issuePix)$/, /^configSplit/, 'sums and comparisons over the whole of a list'),
  reason(
    400,
    /^(issue(Boleto|Pix)|changeBoletoDueDate)$/,
    /^discount\./,
    'a discount is compared with value and due day',
  ),
  reason(
    400,
    /^(issue(Boleto|Pix)|changeBoletoDueDate|createPaymentLink|createSubscription|putSubscriberPage|getPlanCalendar|forceBoletoEvent)$/,
    /^(dueDate|expirationDate|firstDueOn|startOn|paidOn)$/,
    'a day by the clock of the merchant, and not too far away',
  ),
  reason(400, /^resendWebhookDeliveries$/, /^to$/, 'differences of two days'),
  reason(400, /^resendWebhookDeliveries$/, /^after$/, 'only what an answer gave as next'),
  reason(400, /^(list|export|read)/, /(^to$|^from$|Date$)/, 'a period that is not too long, in its order'),
  reason(
    400,
    /^list(Payments|Boletos)$/,
    /^(page|limit|orderBy|format|dateRange.*|status|authorizationCode|lastFour|billingId|txid|endToEndId|isPartlyReturned)$/,
    'rules between parameters',
  ),
  reason(
    400,
    /Plan$|Notifier$|^listNotifiers$/,
    /^merchantId$/,
    'only the own merchantId, of the credential',
  ),
  reason(400, /./, /(^|\.)(vaultId|planId)$/, 'it names nothing of the merchant'),
  reason(
    400,
    /./,
    /(^|\.)(numberToken|encryptedCard)$/,
    'a token that was not made, a card that does not open',
  ),
  reason(400, /./, /(^|\.)expiration(Month|Year)$/, 'an expired card, by the calendar'),
  reason(
    400,
    /^(createPayment|storeVaultCard)$/,
    /(^|\.)(brand|securityCode|cardholderName)$/,
    'the card itself decides: its brand, the length of its code, what the encrypted one holds',
  ),
  reason(400, /^(advanceTestClock)$/, /^(to|advanceDays)$/, 'forward only, and two years ahead at most'),
  reason(401, /^logIn/, /^$/, 'a user name or password that nobody has'),
  reason(402, /^(createPayment|storeVaultCard|chargeBilling)$/, /./, 'amount and card decide: a decline'),
  reason(404, /./, /^__general__$/, 'an account, payment or installment that the merchant does not have'),
  reason(404, /^getWebhook$|^deleteWebhook$|ExceptionNotifier$/, /./, 'nothing is registered there'),
  reason(409, /^(cancelPayment|capturePayment)$/, /^amount$/, 'more than what is left'),
  reason(409, /^updatePlan$/, /./, 'the state of the plan'),
  reason(409, /^force(Transaction|Boleto)Event$/, /./, 'the state of the installment or boleto'),
  reason(409, /^read(AcquirerFile|ReturnFile)$/, /^day$/, 'a day that is not over'),
  reason(409, /^readAcquirerFile$/, /^row$/, 'a file in which this fault has no place'),
  reason(500, /^createPayment$/, /^$/, 'amounts that make trouble, which the simulator does not answer'),
];

/** Why the service may take what the document forbids. */
const TAKEN: readonly { readonly why: string; holds(spoiled: Spoiled): boolean }[] = [
  {
    why: 'an empty list stands for an empty object, as some languages write it',
    holds: ({ wrong, schema }) => Array.isArray(wrong) && wrong.length === 0 && isOf(schema, 'object'),
  },
  {
    why: 'a blank optional text is absent: printed, it would stand in every choice of generated clients',
    holds: ({ wrong, schema, isRequired }) =>
      !isRequired && typeof wrong === 'string' && wrong.trim() === '' && isOf(schema, 'string'),
  },
  {
    why: 'a name may begin with a capital letter, as other gateways write it: printed, each field would stand twice',
    holds: ({ how }) => how === CAPITAL_NAME,
  },
];

const isOf = ({ type }: Schema, wanted: string) => [type].flat().includes(wanted);

export function isReasonToTake(spoiled: Spoiled): boolean {
  return TAKEN.some(({ holds }) => holds(spoiled));
}
