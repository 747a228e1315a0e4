import type { AntiFraudModule } from '../../antifraud/module.ts';
import type { CardKeys } from '../../cards/pairs/open-card-keys.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { serve } from '../../platform/http/endpoint.ts';
import { rateLimit } from '../../platform/http/rate-limit.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { Boletos } from '../../transactions/methods/boleto/module.ts';
import type { PixModule } from '../../transactions/methods/pix/module.ts';
import { openTryLimit } from '../../transactions/payers/answer-payer.ts';
import { openPayersLine } from '../../transactions/payers/open-payers-line.ts';
import { readPageScript } from '../../transactions/payers/read-page-script.ts';
import type { Cents } from '../../values/cents.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';
import { signForAccount } from '../../webhooks/secrets/sign-for-account.ts';
import type { PayOnceTools } from '../pay-once.ts';
import { RETURN_FAULTS } from './contract.ts';
import { LINK_ENDPOINTS, LINK_REFUSALS } from './endpoints.ts';
import { finishDueTries } from './finish-due-tries.ts';
import { linksWrite } from './links.sql.ts';
import { LINK_PAGE_ENDPOINTS } from './page-endpoints.ts';
import { startBillRemoval } from './pay-link-by-bill.ts';
import TEXTS from './texts.json' with { type: 'json' };

export const PAYMENT_LINKS: Published = {
  texts: TEXTS,
  endpoints: [...LINK_ENDPOINTS, ...LINK_PAGE_ENDPOINTS],
  refusals: [
    {
      title: 'Address that a payment link leads back to',
      text: 'Where the page may lead back to, as far as the text of the address shows.',
      refusals: RETURN_FAULTS,
    },
    { title: 'Payment links', text: 'Why a payment link is not disabled.', refusals: LINK_REFUSALS },
  ],
};

/** For a merchant, in this process: each costs it money at its bank, and buyers name whom they like. */
const MOST_BOLETOS_AN_HOUR = 300;
const HOUR_SECONDS = 3_600;

type Below = {
  readonly paying: PayOnceTools & { readonly minimumInstallment: Cents; readonly callRules: CallRules };
  readonly antiFraud: Pick<AntiFraudModule, 'createCode'>;
  readonly cardKeys: CardKeys;
  readonly pix: Pick<PixModule, 'issuing' | 'canceling'>;
  readonly boletos: Pick<Boletos, 'issuing' | 'canceling'>;
};

export function openLinks(
  context: ModuleContext & {
    readonly configuration: { readonly cell: string | null };
    readonly keyring: Keyring;
    readonly acquirers: Acquirers;
  },
  { paying, antiFraud, cardKeys, pix, boletos }: Below,
): Module {
  const { database, keyring, clock, acquirers, lookUp, search, batched, gate, log } = context;
  const { cell } = context.configuration;
  return {
    endpoints: [
      ...serve(LINK_ENDPOINTS, {
        ...paying,
        pix,
        boletos,
        clock,
        lookUp,
        search,
        cell,
        writeLink: batched(linksWrite(database)),
      }),
      ...serve(LINK_PAGE_ENDPOINTS, {
        ...paying,
        pix,
        boletos,
        cell,
        cardKeys,
        clock,
        acquirers,
        gate,
        askForPayer: openPayersLine(lookUp),
        createCode: antiFraud.createCode,
        script: readPageScript(),
        tryLimit: openTryLimit(),
        boletoLimit: rateLimit(MOST_BOLETOS_AN_HOUR / HOUR_SECONDS, HOUR_SECONDS),
        sign: (link, body) =>
          signForAccount({ database, keyring }, link, { id: link.linkId, body }, Date.now()),
      }),
    ],
    works: [
      finishDueTries({
        ...paying,
        log,
        startRemoval: (link, deadlineAt) => startBillRemoval({ ...paying, pix, boletos }, link, deadlineAt),
      }),
    ],
    clockedWork: [],
  };
}
