import { Type } from 'typebox';
import { contract, type Endpoint, endpoint } from '../http/endpoint.ts';
import { openApiDocument } from './openapi.ts';
import { type Reference, referencePage } from './reference-page.ts';

const GET_OPENAPI = contract({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  api: 'operations',
  scope: null,
  group: 'Operations',
  summary: 'Read this description as OpenAPI',
  answers: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      schema: Type.Object({ openapi: Type.String() }),
      example: { openapi: '3.1.1' },
    },
  },
});

const GET_REFERENCE_PAGE = contract({
  id: 'getReferencePage',
  method: 'GET',
  path: '/docs',
  api: 'operations',
  scope: null,
  group: 'Operations',
  summary: 'Read this description as a page',
  answers: {
    200: {
      description: 'A page that needs nothing from elsewhere.',
      contentType: 'text/html',
    },
  },
});

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
};

export type DocumentTools = { readonly openApi: () => string; readonly page: () => string };

export const DOCUMENT_ENDPOINTS: readonly Endpoint<DocumentTools>[] = [
  endpoint(GET_OPENAPI, async ({ openApi }: DocumentTools) => ({
    status: 200,
    text: { content: openApi(), type: 'application/json; charset=utf-8' },
  })),
  endpoint(GET_REFERENCE_PAGE, async ({ page }: DocumentTools) => ({
    status: 200,
    text: { content: page(), type: 'text/html; charset=utf-8' },
    headers: PAGE_HEADERS,
  })),
];

/** Both documents are printed at the first request for them, and kept. */
export function printDocuments(reference: Reference): DocumentTools {
  const { endpoints, info, serverUrls } = reference;
  return {
    openApi: printedOnce(() => JSON.stringify(openApiDocument(endpoints, info, serverUrls))),
    page: printedOnce(() => referencePage(reference)),
  };
}

function printedOnce(print: () => string): () => string {
  let printed: string | null = null;
  return () => {
    printed ??= print();
    return printed;
  };
}
