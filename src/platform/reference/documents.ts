import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { named } from '../../platform/http/named.ts';
import { escapedMarkup } from '../../values/markup.ts';
import { type Answer, type Call, contract, type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Language } from '../http/sentence.ts';
import { openApiDocument } from './openapi.ts';
import { EXAMPLE_ORIGIN, partsOfPage, type Reference } from './reference-page.ts';
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
  description: 'OpenAPI 3.1, for tools and generators of clients.',
  query: LANGUAGE_QUERY,
  answers: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      schema: named('OpenApiDocument', { openapi: Type.String() }),
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
  description: 'For people: operations, messages and errors, with examples to paste.',
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
  /** `origin`: the address of the document's servers; null: unknown. */
  readonly openApi: (language: Language, origin: string | null) => Promise<Buffer>;
  /** `origin`: the address for its examples, escaped. */
  readonly page: (language: Language, origin: string) => Promise<Buffer>;
};

type Asked = { readonly query: { readonly lang?: Language }; readonly language: Language };

/** One address has a text for each language: caches must not keep one for all. */
async function inLanguage(
  { query, language }: Asked,
  print: (language: Language) => Promise<Buffer>,
  type: string,
): Promise<Answer> {
  const asked = query.lang ?? language;
  return {
    status: 200,
    text: { content: await print(asked), type: `${type}; charset=utf-8` },
    headers: { 'content-language': asked === 'pt' ? 'pt-BR' : 'en', vary: 'Accept-Language' },
  };
}

export const DOCUMENT_ENDPOINTS: readonly Endpoint<DocumentTools>[] = [
  endpoint(GET_OPENAPI, async ({ openApi }: DocumentTools, call) =>
    inLanguage(call, (language) => openApi(language, call.origin()), 'application/json'),
  ),
  endpoint(GET_REFERENCE_PAGE, async ({ page }: DocumentTools, call) => {
    const answer = await inLanguage(call, (language) => page(language, shownOrigin(call)), 'text/html');
    return { ...answer, headers: { ...answer.headers, ...PAGE_HEADERS } };
  }),
];

/** Examples name the address of the request. */
const shownOrigin = ({ origin }: Pick<Call<unknown, unknown, unknown>, 'origin'>) =>
  escapedMarkup(origin() ?? EXAMPLE_ORIGIN);

/** Addresses whose page is kept. A service has one or two, but strangers can invent any number. */
const MOST_ORIGINS = 4;

/**
 * Printed on first request, in parts so that payments go on, and kept as sent, so that requests cost no
 * printing.
 */
export function printDocuments(reference: Reference): DocumentTools {
  const wordings = {
    pt: wordingIn('pt', reference.texts),
    en: wordingIn('en', reference.texts),
  };
  const print = (language: Language, origin: string) =>
    JSON.stringify(openApiDocument({ ...reference, origin }, wordings[language]));
  const around = keptNewest(async (language: Language) =>
    print(language, EXAMPLE_ORIGIN).split(EXAMPLE_ORIGIN),
  );
  const openApiAt = (language: Language) =>
    keptNewest(async (origin: string | null) =>
      Buffer.from(origin === null ? print(language, '') : (await around(language)).join(origin)),
    );
  const documents = { pt: openApiAt('pt'), en: openApiAt('en') };
  const parts = keptNewest(async (language: Language) => {
    let page = '';
    for (const part of partsOfPage(reference, wordings[language])) {
      page += part;
      await nextTurn();
    }
    return page.split(EXAMPLE_ORIGIN);
  });
  const pages = {
    pt: keptNewest(async (origin: string) => Buffer.from((await parts('pt')).join(origin))),
    en: keptNewest(async (origin: string) => Buffer.from((await parts('en')).join(origin))),
  };
  return {
    openApi: (language, origin) => documents[language](origin),
    page: (language, origin) => pages[language](origin),
  };
}

function keptNewest<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const kept = new Map<Key, Made>();
  return (key) => {
    const made = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, made);
    if (kept.size > MOST_ORIGINS) kept.delete(kept.keys().next().value as Key);
    return made;
  };
}
