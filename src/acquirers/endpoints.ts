import { type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { LIST_ISSUER_CODES, writeIssuerCodes } from './issuer-codes-contract.ts';

/** The table changes with versions of the service only. */
const CACHE_HEADERS = { 'cache-control': 'private, max-age=86400' };

export const ISSUER_CODE_ENDPOINTS: readonly Endpoint<object>[] = [
  endpoint(LIST_ISSUER_CODES, async (_tools: object, { query }) => ({
    status: 200,
    body: writeIssuerCodes(query),
    headers: CACHE_HEADERS,
  })),
];
