import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AntiFraudModule } from '../../antifraud/module.ts';
import type { Audit } from '../../audit/audit-event.ts';
import type { Cards } from '../../cards/module.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { HOME } from '../../platform/home.ts';
import { serve } from '../../platform/http/endpoint.ts';
import { rateLimit } from '../../platform/http/rate-limit.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import { openTryLimit } from '../../transactions/payers/answer-payer.ts';
import { openPayersLine } from '../../transactions/payers/open-payers-line.ts';
import { readPageScript } from '../../transactions/payers/read-page-script.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';
import { ORIGIN_FAULTS } from './contract.ts';
import { CARD_FIELDS_ENDPOINTS } from './endpoints.ts';
import { FIELDS_PAGE_ENDPOINTS } from './page-endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };

export const CARD_FIELDS: Published = {
  texts: TEXTS,
  endpoints: [...CARD_FIELDS_ENDPOINTS, ...FIELDS_PAGE_ENDPOINTS],
  refusals: [
    {
      title: 'Card fields',
      text: 'Where card fields may not stand.',
      refusals: ORIGIN_FAULTS,
    },
  ],
};

/** The part of a merchant's requests that may be cards of strangers. */
const STRANGERS_SHARE = 0.01;
const BURST_SECONDS = 10;

type Below = {
  readonly cards: Cards;
  readonly antiFraud: Pick<AntiFraudModule, 'createCode'>;
  readonly callRules: CallRules;
};

export function openCardFields(
  context: ModuleContext & {
    readonly configuration: {
      readonly cell: string | null;
      readonly pagesOrigin: string | null;
      readonly requestsPerSecond: { readonly perMerchant: number };
    };
    readonly keyring: Keyring;
    readonly audit: Audit;
  },
  { cards, antiFraud, callRules }: Below,
): Module {
  const { audit, keyring, clock, lookUp, gate, configuration } = context;
  const { cell, pagesOrigin } = configuration;
  return {
    endpoints: [
      ...serve(CARD_FIELDS_ENDPOINTS, { audit, clock, lookUp, callRules, cell, pagesOrigin }),
      ...serve(FIELDS_PAGE_ENDPOINTS, {
        ...cards,
        keyring,
        clock,
        gate,
        askForPayer: openPayersLine(lookUp),
        tryLimit: openTryLimit(),
        cardLimit: rateLimit(configuration.requestsPerSecond.perMerchant * STRANGERS_SHARE, BURST_SECONDS),
        createCode: antiFraud.createCode,
        originRules: { takesHttp: callRules.takesHttp, ours: pagesOrigin },
        script: readPageScript('src/payments/fields/frame.js'),
        mountScript: readFileSync(join(HOME, 'clients/browser/fields.js'), 'utf8'),
      }),
    ],
    works: [],
    clockedWork: [],
  };
}
