import type { VaultCard } from '../../cards/vault/vault-card.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import type { CustomerPayment } from '../../transactions/customers/customers.sql.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOption,
  type CommandOutcome,
  type GivenOptions,
  option,
  printed,
  reasonOption,
  required,
  table,
} from '../command.ts';
import { merchantUnknown } from '../refusals.ts';
import { type Erased, erasePerson, type LeftReason } from './erase-person.ts';
import { exportPerson, type KeptOfPerson } from './export-person.ts';
import { namesPerson, readDocument } from './person.ts';

const PERSON_OPTIONS: readonly CommandOption[] = [
  required('--document CPF|CNPJ', 'of the customer, with its mask or without', {
    check: (value) => (readDocument(value) === null ? 'is neither a CPF nor a CNPJ' : null),
  }),
  option('--merchant ID', 'only what this merchant sent of the person'),
];

/** See docs/privacy.md. */
export const PRIVACY_COMMANDS: readonly Command[] = [
  {
    words: ['privacy', 'export'],
    summary: 'print all that is kept about a customer, as JSON',
    options: PERSON_OPTIONS,
    opens: 'audited',
    async run(given, tools) {
      const asked = await readAsked(given, tools);
      if (!('document' in asked)) return asked;
      const json = keptJson(await exportPerson(tools, asked));
      return { lines: printed(json, 2).split('\n'), json };
    },
  },
  {
    words: ['privacy', 'erase'],
    summary: 'remove what names a customer; what was sold and paid stays',
    options: [
      ...PERSON_OPTIONS,
      reasonOption('who asked and when, for the audit log, without naming the person'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const asked = await readAsked(given, tools);
      if (!('document' in asked)) return asked;
      const reason = given.one('reason') ?? '';
      if (namesPerson(reason, asked.document, []))
        return {
          option: '--reason',
          message: '--reason names the document, and the audit log keeps it for ever: leave it out',
        };
      const erased = await erasePerson(tools, asked, reason);
      return { isBad: erased.left.length > 0, lines: erasedLines(erased), json: erased };
    },
  },
];

type Asked = { readonly document: string; readonly merchantId: string | null };

async function readAsked(given: GivenOptions, tools: AuditedCommandTools): Promise<Asked | CommandOutcome> {
  const document = readDocument(given.one('document') ?? '') ?? '';
  const merchantId = given.one('merchant');
  if (merchantId !== null && (await findMerchant(tools.database, merchantId)) === null)
    return merchantUnknown(merchantId);
  return { document, merchantId };
}

const LEFT_SENTENCES = {
  underWay: 'it is being charged or its outcome is being found out: repeat this when that is over',
  subscription: 'a subscription has not ended: have it canceled, then repeat this',
  message: 'a message to the merchant is still to be sent; it does not name the customer',
  openBoleto: 'it may still be paid: have it canceled, then repeat this',
  openPix: 'it may still be paid: have it canceled, then repeat this',
  merchantText: 'the merchant wrote the person into its reference or address, by which it finds the payment',
} as const satisfies Record<LeftReason, string>;

function erasedLines(erased: Erased): string[] {
  const { payments, subscriptions, boletos, pix, cards, messages, filters, notes, left } = erased;
  const lines = [
    `Erased: the customer of ${payments} payments and ${subscriptions} subscriptions, the payer of ${boletos} boletos and ${pix} Pix, ${cards} stored cards, ${messages} messages, ${filters} saved filters and ${notes} notes of the console.`,
  ];
  if (left.length === 0) return lines;
  const rows = left.map(({ merchantId, kind, id, reason }) => [merchantId, kind, id, LEFT_SENTENCES[reason]]);
  return [...lines, 'Left:', ...table(['MERCHANT', 'WHAT', 'ID', 'WHY'], rows)];
}

function keptJson(kept: KeptOfPerson): object {
  const { payments, cards, subscriptions, boletos, pix, messages, filters, notes, words, isComplete } = kept;
  return {
    payments: payments.map(paymentJson),
    cards: cards.map(cardJson),
    subscriptions,
    boletos,
    pix,
    messages,
    filters,
    notes,
    words,
    isComplete,
    notFoundByDocument: NOT_FOUND_BY_DOCUMENT,
  };
}

/** Data that names no person by itself. See docs/privacy.md. */
const NOT_FOUND_BY_DOCUMENT = [
  'keyed fingerprints of anti-fraud: of document, address, device and card, up to 25 hours',
  'keyed fingerprints of requests with an Idempotency-Key, 30 days',
  'stored cards that paid nothing and no subscription of this customer: the merchant finds them by vaultId',
  'shares of a split whose beneficiary has this document: financial facts of the payment that was split',
] as const;

function paymentJson(found: CustomerPayment): object {
  const { transactionId, soldAt, soldAtText: _place, isUnderWay, ...payment } = found;
  return { paymentId: transactionId, soldAt, isUnderWay, ...payment };
}

/** The number stays sealed. */
function cardJson(card: VaultCard): object {
  const { merchantId, vaultId, brand, firstSix, lastFour, expirationMonth, expirationYear, holderName } =
    card;
  return { merchantId, vaultId, brand, firstSix, lastFour, expirationMonth, expirationYear, holderName };
}
