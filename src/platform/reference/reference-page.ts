import type { TSchema } from 'typebox';
import { escapedMarkup } from '../../values/markup.ts';
import type { Contract } from '../http/endpoint.ts';
import type { ExactDecimal } from '../http/schema-faults.ts';
import { FORMATS } from '../requests/formats.ts';
import { type CatalogueTable, IDEMPOTENCY_KEY } from './catalogue.ts';
import { type CommonStatus, commonDescription, commonStatuses } from './common-answers.ts';
import { findNamed } from './example-values.ts';
import { describedAs, pathWithin } from './json-schema.ts';
import { MESSAGE_HEADERS, type MessageContract } from './messages.ts';
import { type Described, invalidExample, type ServerUrls } from './openapi.ts';
import { anchor, block, inline, jsonText, paragraphs, STYLE, table } from './page-style.ts';

import { type Texts, type Wording, wordingIn } from './wording.ts';

export type Reference = Described & {
  /** Homologation only: how to cause rare events. */
  readonly trials: readonly CatalogueTable[];
  readonly catalogue: () => readonly CatalogueTable[];
  readonly texts: Texts;
};

/** HTML without scripts, which loads nothing from elsewhere. */
export function referencePage(reference: Reference, wording?: Wording): string {
  return [...partsOfPage(reference, wording)].join('');
}

/** The page in parts, so that other work goes on between them: none takes long to print. */
export function* partsOfPage(
  reference: Reference,
  wording: Wording = wordingIn('en', reference.texts),
): Generator<string> {
  const { endpoints, messages, trials, serverUrls } = reference;
  const catalogue = reference.catalogue();
  const groups = Map.groupBy(endpoints, (endpoint) => endpoint.group);
  yield pageHead(reference, wording);
  yield `${[...groups].map(([name, members]) => groupLinks(name, members, wording)).join('\n')}
${messageLinks(messages, wording)}
${tableLinks('Trying it out', trials, wording)}
${tableLinks('Errors', catalogue, wording)}
</nav>
<main id="top">
<header>
<h1>${wording.say('API reference')}</h1>
${paragraphs(wording.pick(reference.info.description))}
${block(wording.say('In the examples'), shellSetup(wording))}
</header>
`;
  for (const [name, members] of groups) yield* groupSection(name, members, serverUrls, wording);
  yield `${messageSections(messages, wording)}
${tableSections('Trying it out', trials, wording)}
${tableSections('Errors', catalogue, wording)}
</main>
</body>
</html>
`;
}

function pageHead({ info }: Reference, { say, language }: Wording): string {
  const isEnglish = language === 'en';
  return `<!doctype html>
<html lang="${isEnglish ? 'en' : 'pt-BR'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedMarkup(info.title)} ${escapedMarkup(info.version)}: ${say('API reference')}</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="${say('Contents')}">
<a class="home" href="#top">${escapedMarkup(info.title)} <small>${escapedMarkup(info.version)}</small></a>
<p class="language">${isEnglish ? '<a href="?lang=pt" hreflang="pt-BR" lang="pt-BR">Português</a>' : '<a href="?lang=en" hreflang="en" lang="en">English</a>'}</p>
`;
}

/** Stands in the examples until the address of the request is known. */
export const EXAMPLE_ORIGIN = 'http://localhost:8080';

function shellSetup({ say }: Wording): string {
  return `URL=${EXAMPLE_ORIGIN}   # ${say('where the service is')}
TOKEN=…                     # ${say('the accessToken of a login')}`;
}

function messageLinks(messages: readonly MessageContract[], { say }: Wording): string {
  const links = messages.map(
    ({ id, summary }) => `<li><a href="#${id}">${escapedMarkup(say(summary))}</a></li>`,
  );
  return listed(say('What is sent to you'), links);
}

function tableLinks(heading: string, tables: readonly CatalogueTable[], { say }: Wording): string {
  const links = tables.map(
    ({ title }) => `<li><a href="#${anchor(title)}">${escapedMarkup(say(title))}</a></li>`,
  );
  return listed(say(heading), links);
}

function listed(heading: string, links: readonly string[]): string {
  return links.length === 0 ? '' : `<h2>${escapedMarkup(heading)}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
}

function tableSections(heading: string, tables: readonly CatalogueTable[], wording: Wording): string {
  if (tables.length === 0) return '';
  const sections = tables.map((shown) => catalogueSection(shown, wording));
  return `<section class="group">\n<h2>${escapedMarkup(wording.say(heading))}</h2>\n${sections.join('\n')}\n</section>`;
}

function messageSections(messages: readonly MessageContract[], wording: Wording): string {
  if (messages.length === 0) return '';
  const { say } = wording;
  const headers = Object.entries(MESSAGE_HEADERS).map(([name, meaning]) => [
    `<code>${name}</code>`,
    inline(say(meaning)),
  ]);
  const articles = messages.map(
    ({ id, summary, description, body, example }) => `<article id="${id}">
<h3>${escapedMarkup(say(summary))}</h3>
${paragraphs(say(description))}
${fieldTable('Body', body, wording, id)}
${block(say('Example'), jsonText(example))}
</article>`,
  );
  return `<section class="group">
<h2>${escapedMarkup(say('What is sent to you'))}</h2>
${table([say('Header'), say('Notes')], headers)}
${articles.join('\n')}
</section>`;
}

function groupLinks(name: string, endpoints: readonly Contract[], { say }: Wording): string {
  const links = endpoints.map(
    ({ id, method, summary }) =>
      `<li><a href="#${id}"><span class="method ${method}">${method}</span>${escapedMarkup(say(summary))}</a></li>`,
  );
  return listed(say(name), links);
}

function* groupSection(
  name: string,
  endpoints: readonly Contract[],
  serverUrls: ServerUrls,
  wording: Wording,
): Generator<string> {
  yield `<section class="group">\n<h2>${escapedMarkup(wording.say(name))}</h2>\n`;
  for (const endpoint of endpoints) yield `${operationSection(endpoint, serverUrls, wording)}\n`;
  yield '</section>\n';
}

function operationSection(endpoint: Contract, serverUrls: ServerUrls, wording: Wording): string {
  const { say } = wording;
  const { id, method, path, summary, description = '', parameters, query, body } = endpoint;
  return `<article id="${id}">
<h3>${escapedMarkup(say(summary))}</h3>
<p class="address"><span class="method ${method}">${method}</span><code>${escapedMarkup(path)}</code></p>
<p class="needs">${say(NEEDS[endpoint.api])}${scopeText(endpoint, wording)}${endpoint.homologationOnly ? ` · <strong>${say('homologation only')}</strong>` : ''}</p>
${description === '' ? '' : paragraphs(say(description))}
${endpoint.isRepeatable === true ? fieldTable('In the headers', REPEATABLE_HEADERS, wording, id) : ''}
${fieldTable('In the path', parameters, wording, id)}
${fieldTable('In the query', query, wording, id)}
${fieldTable('Body', body, wording, id)}
${block(say('Request'), curlCommand(endpoint, serverUrls))}
${answerBlocks(endpoint, wording)}
</article>`;
}

const REPEATABLE_HEADERS: TSchema = {
  properties: {
    [IDEMPOTENCY_KEY.name]: { ...IDEMPOTENCY_KEY.schema, description: IDEMPOTENCY_KEY.description },
  },
};

const NEEDS: Record<Contract['api'], string> = {
  gateway: 'Gateway API',
  integration: 'Other APIs',
  either: 'Gateway API or other APIs',
  operations: 'For operators',
};

function scopeText({ scope }: Contract, { say }: Wording): string {
  if (scope === null) return ` · ${say('no token')}`;
  return scope === 'any'
    ? ` · ${say('any token')}`
    : ` · ${say('token with the scope')} <code>${scope}</code>`;
}

type Field = {
  readonly name: string;
  readonly type: string;
  readonly size: string;
  readonly required: string;
  readonly notes: string;
};

function fieldTable(title: string, schema: TSchema | undefined, wording: Wording, id: string): string {
  if (schema === undefined) return '';
  return `<h4>${wording.say(title)}</h4>\n${fieldRows(schema, wording, id)}`;
}

/** The fields of a schema as a table. Empty columns are left out. */
function fieldRows(schema: TSchema, wording: Wording, id: string): string {
  const { say } = wording;
  const fields = fieldsOf(schema, '', wording, [id]);
  const columns = FIELD_COLUMNS.filter(({ cell }) => fields.some((field) => cell(field) !== ''));
  return table(
    columns.map(({ title }) => say(title)),
    fields.map((field) => columns.map(({ cell }) => cell(field))),
  );
}

const FIELD_COLUMNS: readonly { title: string; cell: (field: Field) => string }[] = [
  { title: 'Field', cell: ({ name }) => `<code>${escapedMarkup(name)}</code>` },
  { title: 'Type', cell: ({ type }) => type },
  { title: 'Size', cell: ({ size }) => size },
  { title: 'Required', cell: ({ required }) => required },
  { title: 'Notes', cell: ({ notes }) => inline(notes) },
];

type Parts = {
  type?: string;
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  items?: TSchema;
  anyOf?: readonly Parts[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  exactDecimal?: ExactDecimal;
};

/** Every field in one list, objects before their fields: `payment`, `payment.amount`, `items[].nsu`. */
function fieldsOf(schema: TSchema, path: string, wording: Wording, place: readonly string[]): Field[] {
  const { properties, required, items } = schema as Parts;
  if (items !== undefined) return fieldsOf(items, `${path}[]`, wording, place);
  if (properties === undefined) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const parts = property as Parts;
    const here = path === '' ? name : `${path}.${name}`;
    const inside = [...pathWithin(schema, place), name];
    const field = {
      name: here,
      type: typeName(parts, wording),
      size: sizeText(parts, wording),
      required: wording.say(required?.includes(name) === true ? 'yes' : 'no'),
      notes: notesOf(parts, describedAs(property, wording, inside), wording),
    };
    return [field, ...fieldsOf(property, here, wording, inside)];
  });
}

function typeName({ type, anyOf, enum: allowed, exactDecimal, format }: Parts, wording: Wording): string {
  if (anyOf !== undefined) return anyOf.map((part) => typeName(part, wording)).join(` ${wording.say('or')} `);
  if (exactDecimal !== undefined) return 'decimal';
  if (allowed !== undefined) return typeof allowed[0];
  return format === 'guid' ? 'guid' : (type ?? 'any');
}

function sizeText(parts: Parts, { pick }: Wording): string {
  const { exactDecimal, maxItems } = parts;
  if (exactDecimal !== undefined) return `${exactDecimal.integerDigits},${exactDecimal.decimals}`;
  if (maxItems !== undefined) return pick({ pt: `até ${maxItems} itens`, en: `up to ${maxItems} items` });
  const least = parts.minLength ?? parts.minimum;
  const most = parts.maxLength ?? parts.maximum;
  if (least !== undefined && most !== undefined)
    return pick({ pt: `${least} a ${most}`, en: `${least} to ${most}` });
  if (least !== undefined) return pick({ pt: `a partir de ${least}`, en: `from ${least}` });
  return most === undefined ? '' : pick({ pt: `até ${most}`, en: `up to ${most}` });
}

function notesOf(
  { enum: several, const: only, format }: Parts,
  meaning: string | undefined,
  { say, pick }: Wording,
): string {
  const allowed = only === undefined ? several : [only];
  const named = allowed?.map((value) => `\`${value}\``).join(', ');
  const values = allowed === undefined ? '' : `${say(allowed.length === 1 ? 'Always' : 'One of')} ${named}.`;
  const sentence = format === undefined ? undefined : FORMATS[format]?.sentence;
  const formatted = sentence === undefined ? '' : pick(sentence);
  return [meaning, values, formatted].filter(Boolean).join(' ');
}

/** The request as a command, for a shell where URL and TOKEN are set. */
function curlCommand(endpoint: Contract, serverUrls: ServerUrls): string {
  const { method, path, api, scope, body, bodyExample, query } = endpoint;
  const server = serverUrls[api === 'integration' ? 'integration' : 'gateway'].replace(/\/$/, '');
  const base =
    api === 'operations' ? '$URL' : server.startsWith('/') || server === '' ? `$URL${server}` : server;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => exampleOf(endpoint, name));
  const [asked] = Object.keys(query?.properties ?? {});
  const search = asked === undefined ? '' : `?${asked}=${encodeURIComponent(exampleOf(endpoint, asked))}`;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${base}${filled}${search}"`];
  if (scope !== null) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d '${jsonText(bodyExample).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

function exampleOf({ answers }: Contract, name: string): string {
  const found = findNamed(answers[200]?.example, name);
  return found === undefined ? name.toUpperCase() : String(found);
}

function answerBlocks(endpoint: Contract, wording: Wording): string {
  const { say } = wording;
  const { answers } = endpoint;
  const statuses = new Set([...Object.keys(answers).map(Number), ...commonStatuses(endpoint)]);
  const blocks = [...statuses]
    .toSorted((one, other) => one - other)
    .map((status) => {
      const answer = answers[status];
      if (answer === undefined) return commonAnswerBlock(endpoint, status as CommonStatus, wording);
      const { description, schema, example } = answer;
      const fields =
        schema === undefined || status !== 200
          ? ''
          : `<details><summary>${say('Fields of this answer')}</summary>\n${fieldRows(schema, wording, endpoint.id)}\n</details>`;
      return answerBlock(status, say(description), exampleBlock(example) + fields);
    });
  return `<h4>${say('Answers')}</h4>\n${blocks.join('\n')}`;
}

function commonAnswerBlock(endpoint: Contract, status: CommonStatus, { say }: Wording): string {
  const example = status === 400 ? exampleBlock(invalidExample(endpoint)) : '';
  return answerBlock(status, say(commonDescription(status)), example);
}

function exampleBlock(example: unknown): string {
  return example === undefined ? '' : `<pre><code>${escapedMarkup(jsonText(example))}</code></pre>`;
}

/** Errors are folded, so that the page stays short. */
function answerBlock(status: number, description: string, content: string): string {
  const badge = `<span class="status s${Math.floor(status / 100)}">${status}</span>`;
  const head = `${badge} ${inline(description)}`;
  if (content === '') return `<p class="answer">${head}</p>`;
  const open = status < 300 ? ' open' : '';
  return `<details class="answer"${open}><summary>${head}</summary>\n${content}\n</details>`;
}

function catalogueSection({ title, text, columns, rows }: CatalogueTable, wording: Wording): string {
  const { say, pick } = wording;
  const cells = rows.map((row) => row.map((cell) => inline(typeof cell === 'string' ? cell : pick(cell))));
  return `<article id="${anchor(title)}">
<h3>${escapedMarkup(say(title))}</h3>
${paragraphs(say(text))}
${table(columns.map(say), cells)}
</article>`;
}
