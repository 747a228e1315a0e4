import fc from 'fast-check';
import { textOf, treeOf } from '../hostile/cases/json-tree.ts';
import { type Shop, strangeAddress } from '../hostile/hostile-service.ts';
import { endpointOf, RECIPES, validRequest } from '../hostile/recipes.ts';
import { inFlight, inTurn, send, type WireRequest } from '../hostile/wire.ts';
import type { Reply } from '../kit/merchant.ts';
import { BEYOND_PATTERNS, isReasonToTake, REASONS } from './reasons.ts';
import {
  bodySchemaOf,
  type Operation,
  querySchemaOf,
  type Schema,
  type ServedDocument,
  schemaAt,
  type Validate,
} from './served-document.ts';
import { isSpoiledOnTheWire, type Spoiled, spoiledValuesOf } from './spoiled-values.ts';
import { valuesOf } from './valid-values.ts';

export type Trial = {
  readonly url: string;
  readonly document: ServedDocument;
  readonly isValid: Validate;
  /** Of answers, by another validator than the one that made the requests. */
  readonly isAnswer: Validate;
  readonly shop: Shop;
  readonly seed: number;
  readonly cases: number;
};

export type Tried = {
  readonly statuses: Map<number, number>;
  readonly reasons: Map<string, number>;
  readonly disagreements: string[];
};

/** Of ten values that only the shop knows (ids, tokens): so many come from a good request. */
const KNOWN_OF_TEN = 8;
const MOST_SHOWN = 400;
const AT_ONCE = 4;

/** Requests made from the document alone, but for what names things of the shop. */
export async function tryOperation(operation: Operation, trial: Trial): Promise<Tried> {
  const { document, isValid, seed, cases } = trial;
  const tried: Tried = { statuses: new Map(), reasons: new Map(), disagreements: [] };
  const body = bodySchemaOf(operation);
  const query = querySchemaOf(operation);
  const whole: Schema = {
    type: 'object',
    required: ['query', ...(body === null ? [] : ['body'])],
    properties: { query, ...(body === null ? {} : { body }) },
    additionalProperties: false,
  };
  const valid = valuesOf(document, whole, isValid);
  const luck = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 });
  const recipes = RECIPES[operation.operationId]?.length ?? 1;
  const good = (turn: number) => validRequest(endpointOf(operation.operationId), trial.shop, turn % recipes);
  const made = fc.sample(fc.tuple(valid, luck), { seed, numRuns: cases });
  await inFlight([...made.entries()], AT_ONCE, async ([turn, [value, dice]]) => {
    const recipe = await good(turn);
    const sent = known(operation, trial, value as Sent, recipe, dice);
    await judge(tried, operation, trial, { recipe, sent, spoiled: null });
  });
  if (!isSpoilable(whole)) return tried;
  const spoiling = spoiledValuesOf(document, whole, valid, isValid).filter(isSpoiledOnTheWire);
  // What is refused uses nothing up.
  const recipe = await good(0);
  await inFlight(fc.sample(spoiling, { seed, numRuns: cases }), AT_ONCE, async (spoiled) =>
    judge(tried, operation, trial, { recipe, sent: spoiled.value as Sent, spoiled }),
  );
  return tried;
}

/** Where there is nothing to send, nothing can be spoiled. */
const isSpoilable = ({ properties }: Schema) =>
  properties?.body !== undefined || Object.keys(properties?.query?.properties ?? {}).length > 0;

type Sent = { readonly query: Readonly<Record<string, unknown>>; readonly body?: unknown };

/** With values of the shop in the place of made ones, where its recipe has a field of the same name there. */
function known(
  operation: Operation,
  { isValid }: Trial,
  made: Sent,
  recipe: WireRequest,
  dice: readonly number[],
): Sent {
  const query = Object.fromEntries(recipe.query.map(([name, value]) => [name, decodeURIComponent(value)]));
  const good = { query, ...(recipe.body === undefined ? {} : { body: JSON.parse(textOf(recipe.body)) }) };
  let turn = 0;
  const take = () => {
    turn += 1;
    return (dice[turn % dice.length] ?? 0) < KNOWN_OF_TEN;
  };
  const merged = merge(made, good, take) as Sent;
  const body = bodySchemaOf(operation);
  return body === null || isValid(body, merged.body) ? merged : made;
}

/** Whether a text names something that only the service and its merchant know. */
const NAMES_SOMETHING =
  /(id|token|key|encryptedCard|cardNumber|userName|password|accountNumber|url|urlCallBack|callbackUrl|codeAntiFraud|after|day|amount|installmentNumber|brand|securityCode|expirationYear|expirationMonth|dueDate|startDate|endDate|expirationDate|firstDueOn|startOn|paidOn|from|to|until)$/i;

function merge(made: unknown, good: unknown, take: () => boolean): unknown {
  if (typeof made !== 'object' || made === null || Array.isArray(made)) return made;
  if (typeof good !== 'object' || good === null || Array.isArray(good)) return made;
  return Object.fromEntries(
    Object.entries(made).map(([name, own]) => {
      const other = (good as Record<string, unknown>)[name];
      if (other === undefined) return [name, own];
      if (typeof other === 'object') return [name, merge(own, other, take)];
      return [name, own !== null && NAMES_SOMETHING.test(name) && take() ? other : own];
    }),
  );
}

type Case = {
  /** Known to be good; its path, token and headers are those of what is sent. */
  readonly recipe: WireRequest;
  readonly sent: Sent;
  readonly spoiled: Spoiled | null;
};

async function judge(
  tried: Tried,
  operation: Operation,
  { url, document, isAnswer }: Trial,
  { recipe, sent, spoiled }: Case,
): Promise<void> {
  const endpoint = endpointOf(operation.operationId);
  const { raw: _, body: __, ...bare } = recipe;
  const request: WireRequest = {
    ...bare,
    // Strangers are counted by their address.
    headers: endpoint.scope === null ? { 'x-forwarded-for': strangeAddress() } : bare.headers,
    query: Object.entries(sent.query).map(([name, value]) => [
      encodeURIComponent(name),
      encodeURIComponent(String(value)),
    ]),
    ...(sent.body === undefined ? {} : { body: treeOf(sent.body) }),
  };
  const reply = await inTurn(endpoint, () => send(url, request));
  tried.statuses.set(reply.status, (tried.statuses.get(reply.status) ?? 0) + 1);
  const shown = () =>
    `${operation.operationId} ${JSON.stringify(sent).slice(0, MOST_SHOWN)} was answered ${reply.status} ${reply.text.slice(0, MOST_SHOWN)}`;
  const fault = undescribed(document, operation, reply, isAnswer);
  if (fault !== null) tried.disagreements.push(`${fault}: ${shown()}`);
  if (spoiled === null) {
    const reasons = reply.status < 300 ? [] : reasonsToRefuse(document, operation, reply);
    if (reasons === null) tried.disagreements.push(`valid, and refused: ${shown()}`);
    else for (const why of reasons) tried.reasons.set(why, (tried.reasons.get(why) ?? 0) + 1);
  } else if (reply.status !== 400 && !isReasonToTake(spoiled))
    tried.disagreements.push(`${spoiled.place} ${spoiled.how}: ${shown()}`);
}

/** Null: one of its problems has no reason. */
function reasonsToRefuse(document: ServedDocument, operation: Operation, reply: Reply): string[] | null {
  const body = bodySchemaOf(operation);
  const problems: readonly { readonly tag?: string }[] = Array.isArray(reply.body) ? reply.body : [{}];
  const reasons = problems.map(({ tag = '' }) => {
    const field = body === null ? undefined : schemaAt(document, body, tag);
    const asked = operation.parameters.find(({ name }) => name === tag)?.schema;
    if (reply.status === 400 && (field ?? asked)?.examples !== undefined) return BEYOND_PATTERNS;
    return REASONS.find(
      (reason) =>
        reason.status === reply.status && reason.of.test(operation.operationId) && reason.tag.test(tag),
    )?.why;
  });
  return reasons.every((why) => why !== undefined) ? reasons : null;
}

/** What of an answer the document does not have; null: it has all. */
function undescribed(
  document: ServedDocument,
  { responses }: Operation,
  { status, headers, body }: Reply,
  isValid: Validate,
): string | null {
  const answer = responses[status];
  if (answer === undefined) return `the status ${status} is not described`;
  const name = answer.$ref?.replace('#/components/responses/', '');
  const { content } = (name === undefined ? answer : document.components.responses[name]) ?? {};
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (content === undefined) return type === '' ? null : `a body of ${type} is not described`;
  const described = content[type] ?? content[headers.get('content-type') ?? ''];
  if (described === undefined) return `the type ${type} is not described`;
  return type !== 'application/json' || isValid(described.schema, body)
    ? null
    : 'the answer is not of its schema';
}
