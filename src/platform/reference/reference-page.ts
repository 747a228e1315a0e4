import type { TSchema } from 'typebox';
import type { Contract } from '../http/endpoint.ts';
import { FORMATS } from '../http/schema-faults.ts';
import type { CatalogueTable } from './catalogue.ts';
import {
  type ApiInfo,
  type CommonStatus,
  commonDescription,
  commonStatuses,
  type ExactDecimal,
  IDEMPOTENCY_KEY,
  invalidExample,
  type ServerUrls,
} from './openapi.ts';
import { STYLE } from './page-style.ts';

export type Reference = {
  readonly info: ApiInfo;
  readonly endpoints: readonly Contract[];
  readonly catalogue: () => readonly CatalogueTable[];
  readonly serverUrls: ServerUrls;
};

/** The reference as one page of HTML without scripts; it loads nothing from elsewhere. */
export function referencePage(reference: Reference): string {
  const { info, endpoints } = reference;
  const catalogue = reference.catalogue();
  const groups = Map.groupBy(endpoints, (endpoint) => endpoint.group);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(info.title)} ${escaped(info.version)}: API reference</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">
<a class="home" href="#top">${escaped(info.title)} <small>${escaped(info.version)}</small></a>
${[...groups].map(([name, members]) => groupLinks(name, members)).join('\n')}
<h2>Errors</h2>
<ul>
${catalogue.map(({ title }) => `<li><a href="#${anchor(title)}">${escaped(title)}</a></li>`).join('\n')}
</ul>
</nav>
<main id="top">
<header>
<h1>API reference</h1>
${paragraphs(info.description)}
${block('In the examples', SHELL_SETUP)}
</header>
${[...groups].map(([name, members]) => groupSection(name, members, reference.serverUrls)).join('\n')}
<section class="group">
<h2 id="errors">Errors</h2>
${catalogue.map(catalogueSection).join('\n')}
</section>
</main>
</body>
</html>
`;
}

const SHELL_SETUP = `URL=http://localhost:8080   # where the service is
TOKEN=…                     # the accessToken of a login`;

function groupLinks(name: string, endpoints: readonly Contract[]): string {
  const links = endpoints.map(
    ({ id, method, summary }) =>
      `<li><a href="#${id}"><span class="method ${method}">${method}</span>${escaped(summary)}</a></li>`,
  );
  return `<h2>${escaped(name)}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
}

function groupSection(name: string, endpoints: readonly Contract[], serverUrls: ServerUrls): string {
  const operations = endpoints.map((endpoint) => operationSection(endpoint, serverUrls));
  return `<section class="group">\n<h2>${escaped(name)}</h2>\n${operations.join('\n')}\n</section>`;
}

function operationSection(endpoint: Contract, serverUrls: ServerUrls): string {
  const { id, method, path, summary, description = '', parameters, query, body } = endpoint;
  return `<article id="${id}">
<h3>${escaped(summary)}</h3>
<p class="address"><span class="method ${method}">${method}</span><code>${escaped(path)}</code></p>
<p class="needs">${NEEDS[endpoint.api]}${scopeText(endpoint)}${endpoint.homologationOnly ? ' · <strong>homologation only</strong>' : ''}</p>
${paragraphs(description)}
${endpoint.isRepeatable === true ? fieldTable('In the headers', REPEATABLE_HEADERS) : ''}
${fieldTable('In the path', parameters)}
${fieldTable('In the query', query)}
${fieldTable('Body', body)}
${block('Request', curlCommand(endpoint, serverUrls))}
${answerBlocks(endpoint)}
</article>`;
}

/** The header of a repeatable request. */
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

function scopeText({ scope }: Contract): string {
  if (scope === null) return ' · no token';
  return scope === 'any' ? ' · any token' : ` · token with the scope <code>${scope}</code>`;
}

type Field = {
  readonly name: string;
  readonly type: string;
  readonly size: string;
  readonly isRequired: boolean;
  readonly notes: string;
};

function fieldTable(title: string, schema: TSchema | undefined): string {
  if (schema === undefined) return '';
  return `<h4>${title}</h4>\n${fieldRows(schema)}`;
}

/** Empty columns are left out. */
function fieldRows(schema: TSchema): string {
  const fields = fieldsOf(schema, '');
  const columns = FIELD_COLUMNS.filter(({ cell }) => fields.some((field) => cell(field) !== ''));
  return table(
    columns.map(({ title }) => title),
    fields.map((field) => columns.map(({ cell }) => cell(field))),
  );
}

const FIELD_COLUMNS: readonly { title: string; cell: (field: Field) => string }[] = [
  { title: 'Field', cell: ({ name }) => `<code>${escaped(name)}</code>` },
  { title: 'Type', cell: ({ type }) => type },
  { title: 'Size', cell: ({ size }) => size },
  { title: 'Required', cell: ({ isRequired }) => (isRequired ? 'yes' : 'no') },
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
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  exactDecimal?: ExactDecimal;
};

/**
 * Every field of a schema in one list, objects before what is in them: `payment`, `payment.amount`,
 * `items[].nsu`.
 */
function fieldsOf(schema: TSchema, path: string): Field[] {
  const { properties, required, items } = schema as Parts;
  if (items !== undefined) return fieldsOf(items, `${path}[]`);
  if (properties === undefined) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const parts = property as Parts;
    const here = path === '' ? name : `${path}.${name}`;
    const field = {
      name: here,
      type: typeName(parts),
      size: sizeText(parts),
      isRequired: required?.includes(name) === true,
      notes: notesOf(parts),
    };
    return [field, ...fieldsOf(property, here)];
  });
}

function typeName({ type, anyOf, enum: allowed, exactDecimal, format }: Parts): string {
  if (anyOf !== undefined) return anyOf.map(typeName).join(' or ');
  if (exactDecimal !== undefined) return 'decimal';
  if (allowed !== undefined) return typeof allowed[0];
  return format === 'guid' ? 'guid' : (type ?? 'any');
}

function sizeText(parts: Parts): string {
  const { exactDecimal, maxItems } = parts;
  if (exactDecimal !== undefined) return `${exactDecimal.integerDigits},${exactDecimal.decimals}`;
  if (maxItems !== undefined) return `up to ${maxItems} items`;
  const least = parts.minLength ?? parts.minimum;
  const most = parts.maxLength ?? parts.maximum;
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `from ${least}`;
  return most === undefined ? '' : `up to ${most}`;
}

function notesOf({ description, enum: several, const: only, format }: Parts): string {
  const allowed = only === undefined ? several : [only];
  const named = allowed?.map((value) => `\`${value}\``).join(', ');
  const values = allowed === undefined ? '' : `${allowed.length === 1 ? 'Always' : 'One of'} ${named}.`;
  const formatted = format === undefined ? '' : (FORMATS[format]?.sentence.en ?? '');
  return [description, values, formatted].filter(Boolean).join(' ');
}

/** A call that can be pasted into a shell where URL and TOKEN are set. */
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

/** The value of a parameter, taken from the same name in the example of an answer. */
function exampleOf({ answers }: Contract, name: string): string {
  const found = findNamed(answers[200]?.example, name);
  return found === undefined ? name.toUpperCase() : String(found);
}

function findNamed(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  const own = (value as Record<string, unknown>)[name];
  if (own !== undefined) return own;
  return Object.values(value)
    .map((part) => findNamed(part, name))
    .find((part) => part !== undefined);
}

function answerBlocks(endpoint: Contract): string {
  const { answers } = endpoint;
  const statuses = new Set([...Object.keys(answers).map(Number), ...commonStatuses(endpoint)]);
  const blocks = [...statuses]
    .toSorted((one, other) => one - other)
    .map((status) => {
      const answer = answers[status];
      if (answer === undefined) return commonAnswerBlock(endpoint, status as CommonStatus);
      const { description, schema, example } = answer;
      const fields =
        schema === undefined || status !== 200
          ? ''
          : `<details><summary>Fields of this answer</summary>\n${fieldRows(schema)}\n</details>`;
      return answerBlock(status, description, exampleBlock(example) + fields);
    });
  return `<h4>Answers</h4>\n${blocks.join('\n')}`;
}

function commonAnswerBlock(endpoint: Contract, status: CommonStatus): string {
  const example = status === 400 ? exampleBlock(invalidExample(endpoint)) : '';
  return answerBlock(status, commonDescription(status), example);
}

function exampleBlock(example: unknown): string {
  return example === undefined ? '' : `<pre><code>${escaped(jsonText(example))}</code></pre>`;
}

/** Successes stand open; errors are folded, so that the page stays short. */
function answerBlock(status: number, description: string, content: string): string {
  const badge = `<span class="status s${Math.floor(status / 100)}">${status}</span>`;
  const head = `${badge} ${inline(description)}`;
  if (content === '') return `<p class="answer">${head}</p>`;
  const open = status < 300 ? ' open' : '';
  return `<details class="answer"${open}><summary>${head}</summary>\n${content}\n</details>`;
}

function catalogueSection({ title, text, columns, rows }: CatalogueTable): string {
  const cells = rows.map((row) => row.map(inline));
  return `<article id="${anchor(title)}">
<h3>${escaped(title)}</h3>
${paragraphs(text)}
${table(columns, cells)}
</article>`;
}

/** `rows`: cells of HTML. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="table"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

function block(title: string, content: string): string {
  return `<h4>${title}</h4>\n<pre><code>${escaped(content)}</code></pre>`;
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

/** Text in which only backticks mean something. */
function inline(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function anchor(title: string): string {
  return `errors-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
