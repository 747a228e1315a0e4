import { Type } from 'typebox';
import { endpoint, type Route, route } from '../http/endpoint.ts';
import { openApiDocument } from './openapi.ts';
import { type Reference, referencePage } from './reference-page.ts';

export const GET_OPENAPI = endpoint({
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

export const GET_REFERENCE_PAGE = endpoint({
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
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
};

/** Both documents are printed when they are first asked for, and kept. */
export function documentRoutes(reference: Reference): Route[] {
  const { endpoints, info, serverUrls } = reference;
  const openApi = printedOnce(() => JSON.stringify(openApiDocument(endpoints, info, serverUrls)));
  const page = printedOnce(() => referencePage(reference));
  return [
    route(GET_OPENAPI, async () => ({
      status: 200,
      text: { content: openApi(), type: 'application/json; charset=utf-8' },
    })),
    route(GET_REFERENCE_PAGE, async () => ({
      status: 200,
      text: { content: page(), type: 'text/html; charset=utf-8' },
      headers: PAGE_HEADERS,
    })),
  ];
}

function printedOnce(print: () => string): () => string {
  let printed: string | null = null;
  return () => {
    printed ??= print();
    return printed;
  };
}
