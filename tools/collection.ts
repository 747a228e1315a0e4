import type { TSchema } from 'typebox';
import type { Contract } from '../src/platform/http/endpoint.ts';
import { describedAs } from '../src/platform/reference/json-schema.ts';
import type { Reference } from '../src/platform/reference/reference-page.ts';
import type { Wording } from '../src/platform/reference/wording.ts';
import { CHAPTERS, type Chapter, GIVEN, KEPT, LEFT_OUT, type Step } from './collection-steps.ts';

type Json = Record<string, unknown>;

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const ABOUT = {
  pt: `Todas as operações, em uma ordem que pode ser executada do começo ao fim contra uma homologação recém-iniciada: cada requisição guarda o que as
seguintes usam.

1. \`npm start\` escreve endereços, usuários e senhas em \`.parcela/demo.json\`. Copie-os para as variáveis desta coleção.
2. Execute a coleção. Cada volta adianta o relógio de teste em quatro dias.
3. Se quiser receber as notificações, ponha em \`webhookUrl\` o endereço do seu sistema; sem nada escutando elas falham, e a coleção segue.
   Depois a conta **fica sem notificações**: a coleção cria um segredo novo, põe este endereço no lugar do que estava registrado e no fim o remove. Quem
   seguiu o guia de notificações registra o seu outra vez depois.

Em produção só as pastas sem operações de homologação fazem sentido. Impressa do contrato por \`npm run print\`.`,
  en: `Every operation, in an order that can be run from beginning to end against a homologation that was just started: each request keeps what later
ones use.

1. \`npm start\` writes addresses, user names and passwords to \`.parcela/demo.json\`. Copy them into the variables of this collection.
2. Run the collection. Each round moves the test clock forward by four days.
3. To receive the notifications put the address of your system into \`webhookUrl\`; while nothing listens they fail, and the collection goes on.
   It **leaves the account without notifications**: the collection makes a new secret, puts this address in the place of the registered one and removes it at
   the end. After the guide on notifications, register yours again.

In production only folders without operations of homologation make sense. Printed from the contract by \`npm run print\`.`,
};

const MORE = { pt: 'Mais', en: 'More' };

/** The collection in the format of Postman 2.1, in one language. */
export function collection({ info, endpoints }: Reference, wording: Wording): object {
  const chapters = chaptersOf(endpoints);
  const steps = chapters.flatMap((chapter) => chapter.steps);
  const kept = new Set(steps.flatMap((step) => Object.keys(keepsOf(step))));
  const variables = new Set([...Object.keys(GIVEN), ...kept]);
  const item = chapters.map(({ title, steps: inChapter }) => ({
    name: wording.pick(title),
    item: inChapter.map((step) => printStep(contractOf(endpoints, step), step, variables, wording)),
  }));
  return {
    info: { name: `${info.title} ${info.version}`, description: wording.pick(ABOUT), schema: FORMAT },
    item,
    variable: [...variables].map((key) => ({ key, value: (GIVEN as Json)[key] ?? '', type: 'string' })),
  };
}

/** An operation that no chapter names stands in one of its own, before the last. */
function chaptersOf(endpoints: readonly Contract[]): Chapter[] {
  const placed = new Set(CHAPTERS.flatMap(({ steps }) => steps.map(({ id }) => id)));
  const others = endpoints.filter(({ id }) => !placed.has(id) && !Object.hasOwn(LEFT_OUT, id));
  const more = others.length === 0 ? [] : [{ title: MORE, steps: others.map(({ id }) => ({ id })) }];
  return [...CHAPTERS.slice(0, -1), ...more, ...CHAPTERS.slice(-1)];
}

function contractOf(endpoints: readonly Contract[], { id }: Step): Contract {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (found === undefined) throw new Error(`tools/collection-steps.ts names ${id}, which is no operation`);
  return found;
}

const keepsOf = ({ id, keeps = KEPT[id] ?? {} }: Step) => keeps;

function printStep(contract: Contract, step: Step, variables: ReadonlySet<string>, wording: Wording): Json {
  const { method, summary, description, homologationOnly, isRepeatable, body } = contract;
  const { say, pick } = wording;
  const only = homologationOnly ? say('Only in homologation.') : '';
  const headers = [
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    // A new one for each sending: who repeats a request by hand puts the former in its place.
    ...(isRepeatable === true ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
  ];
  return {
    name: step.name === undefined ? say(summary) : pick(step.name),
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: scriptOf(contract, step) } }],
    request: {
      method,
      auth: authOf(contract),
      header: headers,
      ...(body === undefined ? {} : { body: printBody(contract, step, variables) }),
      url: printUrl(contract, step, variables, wording),
      description: [only, description === undefined ? '' : say(description)].filter(Boolean).join(' '),
    },
    response: [],
  };
}

/** What a person sees as passed or failed, and what later requests use. */
function scriptOf({ answers }: Contract, step: Step): string[] {
  const success = Object.keys(answers).find((status) => status.startsWith('2'));
  const kept = Object.entries(keepsOf(step)).map(
    ([name, place]) => `pm.collectionVariables.set('${name}', pm.response.json()${place});`,
  );
  return [`pm.test('${success}', () => pm.response.to.have.status(${success}));`, ...kept];
}

function authOf({ scope, api }: Contract): Json {
  if (scope === null) return { type: 'noauth' };
  const name = scope === 'any' ? (api === 'integration' ? 'integration' : 'gateway') : scope;
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${name}Token}}`, type: 'string' }] };
}

function printBody({ bodyExample }: Contract, step: Step, variables: ReadonlySet<string>): Json {
  const example = { ...(withVariables(bodyExample, variables) as Json), ...step.body };
  return { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } };
}

/** A text whose name is that of a variable is the variable. */
function withVariables(value: unknown, variables: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((part) => withVariables(part, variables));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      typeof part === 'string' && variables.has(name) ? `{{${name}}}` : withVariables(part, variables),
    ]),
  );
}

function printUrl(contract: Contract, step: Step, variables: ReadonlySet<string>, wording: Wording): Json {
  const { path, api, query } = contract;
  const host = api === 'integration' ? '{{integrationUrl}}' : '{{gatewayUrl}}';
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, '{{$1}}'));
  const required: readonly string[] = query?.required ?? [];
  const parameters = Object.entries((query?.properties ?? {}) as Record<string, TSchema>).map(
    ([key, schema]) => {
      const sent = step.query?.[key] ?? (required.includes(key) ? exampleOf(contract, key, variables) : null);
      const description = describedAs(schema, wording, [contract.id, key]);
      return {
        key,
        value: sent ?? '',
        ...(sent === null ? { disabled: true } : {}),
        ...(description === undefined ? {} : { description }),
      };
    },
  );
  const search = parameters
    .filter(({ disabled }) => disabled !== true)
    .map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `${host}/${segments.join('/')}${search.length === 0 ? '' : `?${search.join('&')}`}`,
    host: [host],
    path: segments,
    ...(parameters.length === 0 ? {} : { query: parameters }),
  };
}

/** What a required parameter asks for: a variable, or what its own answer shows. */
function exampleOf({ id, answers }: Contract, name: string, variables: ReadonlySet<string>): string {
  if (variables.has(name)) return `{{${name}}}`;
  const found = valueNamed(answers[200]?.example, name);
  if (found === undefined) throw new Error(`tools/collection-steps.ts: ${id} needs a value of ${name}`);
  return String(found);
}

function valueNamed(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, name)) return (value as Json)[name];
  return Object.values(value)
    .map((part) => valueNamed(part, name))
    .find((part) => part !== undefined);
}
