import { readReasons } from '../antifraud/anti-fraud.ts';
import type { AntiFraudModule } from '../antifraud/module.ts';
import type { Audit } from '../audit/audit-event.ts';
import type { Cards } from '../cards/module.ts';
import type { Idempotency } from '../idempotency/module.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { serve } from '../platform/http/endpoint.ts';
import type { Log } from '../platform/log.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { Acquirers } from '../providers/open-acquirers.ts';
import type { FeeVersions } from '../transactions/fees/fee-table.ts';
import type { Boletos } from '../transactions/methods/boleto/module.ts';
import { foundOfKeysRead } from '../transactions/methods/card/keys-found.sql.ts';
import type { PixModule } from '../transactions/methods/pix/module.ts';
import type { Transactions } from '../transactions/module.ts';
import { SPLIT_FAULTS } from '../transactions/split-contract.ts';
import type { Cents } from '../values/cents.ts';
import type { Webhooks } from '../webhooks/module.ts';
import { CALLBACK_FAULTS } from '../webhooks/posting/url-rules.ts';
import { CANCEL_ENDPOINTS, CANCEL_REFUSALS } from './cancels/endpoints.ts';
import { CAPTURE_ENDPOINTS, CAPTURE_REFUSALS } from './captures/endpoints.ts';
import { PAYMENT_FAULTS } from './contract.ts';
import { PAYMENT_ENDPOINTS, type PaymentTools } from './endpoints.ts';
import { openCardFields } from './fields/module.ts';
import { openLinks } from './links/module.ts';
import { PAYMENT_SEARCH_FAULTS } from './list/contract.ts';
import { PAYMENT_LIST_ENDPOINTS, PAYMENT_SEARCH_REFUSALS } from './list/endpoints.ts';
import { PAYMENT_MESSAGES } from './messages-contract.ts';
import { MOVEMENT_ENDPOINTS } from './movements/endpoints.ts';
import type { PayTools } from './pay-by-card.ts';
import { PAYMENT_REFUSALS } from './refusals.ts';
import { PAYMENT_STATUS_ENDPOINTS } from './status/endpoints.ts';

import TEXTS from './texts.json' with { type: 'json' };

export const PAYMENTS: Published = {
  texts: TEXTS,
  endpoints: [
    ...PAYMENT_ENDPOINTS,
    ...PAYMENT_LIST_ENDPOINTS,
    ...PAYMENT_STATUS_ENDPOINTS,
    ...CAPTURE_ENDPOINTS,
    ...CANCEL_ENDPOINTS,
  ],
  messages: PAYMENT_MESSAGES,
  refusals: [
    {
      title: 'Fields of a payment',
      text: 'What the fields of a payment must be to each other.',
      refusals: PAYMENT_FAULTS,
    },
    {
      title: 'Address for callbacks',
      text: 'Where the result of a payment may be posted, as far as the text of the address shows.',
      refusals: CALLBACK_FAULTS,
    },
    {
      title: 'Entries of a split',
      text: 'What the entries of `configSplit` must be. The tag has the number of the entry, from 0.',
      refusals: SPLIT_FAULTS,
    },
    {
      title: 'Payments',
      text: 'Why a payment is refused before the acquirer is asked. Declines follow below.',
      refusals: PAYMENT_REFUSALS,
    },
    {
      title: 'Fields of a search of payments',
      text: 'What the fields of a search of payments must be to each other.',
      refusals: PAYMENT_SEARCH_FAULTS,
    },
    {
      title: 'Searches of payments',
      text: 'Why payments are not searched.',
      refusals: PAYMENT_SEARCH_REFUSALS,
    },
    {
      title: 'Cancels',
      text: 'Why a payment is not given back. With 409 nothing was; with 500 the cancel is carried on until the acquirer answers.',
      refusals: CANCEL_REFUSALS,
    },
    {
      title: 'Captures',
      text: 'Why a payment is not captured. With 409 nothing was; with 500 the capture is carried on until the acquirer answers.',
      refusals: CAPTURE_REFUSALS,
    },
  ],
};

/** After the webhooks in the reference: for merchants that missed some. */
export const MOVEMENTS: Published = { endpoints: MOVEMENT_ENDPOINTS, refusals: [] };

type PaymentsContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly cell: string | null;
    readonly pagesOrigin: string | null;
    readonly cancelWindowDays: number;
    readonly captureDays: number;
    readonly minimumInstallment: Cents;
    readonly requestsPerSecond: { readonly perMerchant: number };
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly acquirers: Acquirers;
};

type Below = {
  readonly idempotency: Idempotency;
  readonly cards: Cards;
  readonly antiFraud: AntiFraudModule;
  readonly transactions: Transactions;
  readonly pix: Pick<PixModule, 'issuing' | 'canceling'>;
  readonly boletos: Pick<Boletos, 'issuing' | 'canceling'>;
  readonly webhooks: Webhooks;
  readonly fees: FeeVersions;
};

export function openPayments(context: PaymentsContext, below: Below): Module {
  const { search, lookUp, openExport } = context;
  const { cancelWindowDays, cell, minimumInstallment } = context.configuration;
  const { transactions, pix, boletos, fees } = below;
  const asking = askingTools(context, below);
  const paying = paymentTools(context, below);
  const { antiFraud, cards } = below;
  const fields = openCardFields(context, { cards, antiFraud, callRules: paying.callRules });
  const links = openLinks(context, { paying, antiFraud, cardKeys: cards.cardKeys, pix, boletos });
  return {
    endpoints: [
      ...serve(PAYMENT_ENDPOINTS, paying),
      ...serve(PAYMENT_LIST_ENDPOINTS, { search, openExport, cell, fees }),
      ...serve(PAYMENT_STATUS_ENDPOINTS, { lookUp, cell, fees }),
      ...serve(CANCEL_ENDPOINTS, { ...transactions, ...asking, cancelWindowDays, pix: pix.canceling }),
      ...serve(CAPTURE_ENDPOINTS, { ...transactions, ...asking, minimumInstallment }),
      ...serve(MOVEMENT_ENDPOINTS, { search, lookUp, fees, findWatermark: transactions.findWatermark }),
      ...links.endpoints,
      ...fields.endpoints,
    ],
    works: links.works,
    clockedWork: [],
  };
}

function askingTools(
  { configuration, database, keyring, acquirers, clock }: PaymentsContext,
  { idempotency: { findRequest } }: Below,
) {
  const { acquirerTimeoutMilliseconds } = configuration;
  return { database, keyring, acquirers, clock, acquirerTimeoutMilliseconds, findRequest };
}

function paymentTools(context: PaymentsContext, below: Below): PaymentTools {
  const { configuration, database, log } = context;
  const { cards, antiFraud, transactions, webhooks, fees } = below;
  return {
    ...cards,
    ...antiFraud,
    ...transactions,
    ...transactions.limits,
    ...askingTools(context, below),
    fees,
    minimumInstallment: configuration.minimumInstallment,
    callRules: webhooks.urlRules,
    findOfKey: batchReads(foundOfKeysRead(database)),
    observeReview: logReviews(log),
    rememberCallbackEndpoint: webhooks.rememberCallbackEndpoint,
    later: {
      captureDays: configuration.captureDays,
      writePreauthorization: transactions.writePreauthorization,
    },
  };
}

function logReviews(log: Log): PayTools['observeReview'] {
  return ({ merchantId, transactionId: paymentId, verdictReasons }, outcome) => {
    const reasons = readReasons(verdictReasons ?? '');
    log.info({ merchantId, paymentId, outcome, reasons }, 'anti-fraud asks for a review of a payment');
  };
}
