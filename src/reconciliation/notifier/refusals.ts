import type { RefusalShape } from '../../platform/http/refusal.ts';
import { URL_FAULT_SENTENCES, URL_FAULTS, type UrlFault } from '../../webhooks/posting/url-rules.ts';

export const EXCEPTION_NOTIFIER_REFUSALS = Object.fromEntries(
  URL_FAULTS.map((fault) => [
    fault,
    { status: 400, tag: 'callbackUrl', sentence: URL_FAULT_SENTENCES[fault] },
  ]),
) as Readonly<Record<UrlFault, RefusalShape>>;
