import { serve } from '../platform/http/endpoint.ts';
import type { Module, Published } from '../platform/module.ts';
import { ISSUER_CODE_ENDPOINTS } from './endpoints.ts';

export const ISSUER_CODES: Published = { endpoints: ISSUER_CODE_ENDPOINTS, refusals: [] };

/**
 * What declines mean is read from a table of the program; the acquirer itself is opened with the
 * infrastructure.
 */
export function openIssuerCodes(): Module {
  return { endpoints: serve(ISSUER_CODE_ENDPOINTS, {}), works: [], clockedWork: [] };
}
