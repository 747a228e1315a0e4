import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import { URL_FAULT_SENTENCES, URL_FAULTS, type UrlFault } from '../../webhooks/posting/url-rules.ts';

/** Why an alert endpoint does not become active, beside what is wrong with its address. */
export type AlertEndpointRefusal = 'tooManyActive';

const TOO_MANY: RefusalShape = {
  status: 409,
  tag: GENERAL_TAG,
  sentence: {
    pt: 'Já existem 20 notificadores ativos; desative um deles antes.',
    en: 'There are 20 active notifiers already; make one of them inactive first.',
  },
};

const URL_REFUSALS = Object.fromEntries(
  URL_FAULTS.map((fault) => [
    fault,
    { status: 400, tag: 'callbackUrl', sentence: URL_FAULT_SENTENCES[fault] },
  ]),
) as Readonly<Record<UrlFault, RefusalShape>>;

export const ALERT_ENDPOINT_REFUSALS: Readonly<Record<UrlFault | AlertEndpointRefusal, RefusalShape>> = {
  ...URL_REFUSALS,
  tooManyActive: TOO_MANY,
};
