import { serve } from '../platform/http/endpoint.ts';
import type { Module, Published } from '../platform/module.ts';
import { ISSUER_CODE_ENDPOINTS } from './endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };

export const ISSUER_CODES: Published = {
  endpoints: ISSUER_CODE_ENDPOINTS,
  refusals: [],
  texts: TEXTS,
};

/** The table of issuer codes is the program's; the acquirer itself is opened with the infrastructure. */
export function openIssuerCodes(): Module {
  return { endpoints: serve(ISSUER_CODE_ENDPOINTS, {}), works: [], clockedWork: [] };
}
