import { Type } from 'typebox';
import { type Answer, type Call, contract, type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Language } from '../http/sentence.ts';
import { openApiDocument } from './openapi.ts';
import { escaped } from './page-parts.ts';
import { EXAMPLE_ORIGIN, type Reference, referencePage } from './reference-page.ts';
import { wordingIn } from './wording.ts';

const LANGUAGE_QUERY = Type.Object({
  lang: Type.Optional(
    Type.Enum(['pt', 'en'], {
      description: 'The language; without it `Accept-Language` decides, and Portuguese when that is open.',
    }),
  ),
});

const GET_OPENAPI = contract({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  api: 'operations',
  scope: null,
  group: 'Operations',
  summary: 'Read this description as OpenAPI',
  query: LANGUAGE_QUERY,
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
  query: LANGUAGE_QUERY,
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

export type DocumentTools = {
  readonly openApi: (language: Language) => string;
  readonly page: (language: Language) => string;
};

type Asked = { readonly query: { readonly lang?: Language }; readonly language: Language };

/** One address has a text for each language: what lies between must not keep one for all. */
function inLanguage({ query, language }: Asked, print: (language: Language) => string, type: string): Answer {
  const asked = query.lang ?? language;
  return {
    status: 200,
    text: { content: print(asked), type: `${type}; charset=utf-8` },
    headers: { 'content-language': asked === 'pt' ? 'pt-BR' : 'en', vary: 'Accept-Language' },
  };
}

export const DOCUMENT_ENDPOINTS: readonly Endpoint<DocumentTools>[] = [
  endpoint(GET_OPENAPI, async ({ openApi }: DocumentTools, call) =>
    inLanguage(call, openApi, 'application/json'),
  ),
  endpoint(GET_REFERENCE_PAGE, async ({ page }: DocumentTools, call) => {
    const asAsked = (language: Language) => page(language).replaceAll(EXAMPLE_ORIGIN, shownOrigin(call));
    const answer = inLanguage(call, asAsked, 'text/html');
    return { ...answer, headers: { ...answer.headers, ...PAGE_HEADERS } };
  }),
];

/** The examples name the address under which the page was asked for. */
const shownOrigin = ({ origin }: Pick<Call<unknown, unknown, unknown>, 'origin'>) =>
  escaped(origin() ?? EXAMPLE_ORIGIN);

/** Both documents are printed at the first request for them, and kept. */
export function printDocuments(reference: Reference): DocumentTools {
  const wordings = {
    pt: wordingIn('pt', reference.texts),
    en: wordingIn('en', reference.texts),
  };
  return {
    openApi: printedOnce((language) => JSON.stringify(openApiDocument(reference, wordings[language]))),
    page: printedOnce((language) => referencePage(reference, wordings[language])),
  };
}

function printedOnce(print: (language: Language) => string): (language: Language) => string {
  const printed = new Map<Language, string>();
  return (language) => {
    const text = printed.get(language) ?? print(language);
    printed.set(language, text);
    return text;
  };
}
