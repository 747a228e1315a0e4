import type { Contract } from '../../../src/platform/http/endpoint.ts';
import type { WireRequest } from '../wire.ts';
import {
  BAD_BYTE,
  type FieldValue,
  pathValues,
  queryValuesFor,
  type UrlValue,
  valuesFor,
} from './field-values.ts';
import {
  type Field,
  type FieldSchema,
  fieldsOf,
  isBlankText,
  sampleOf,
  saysNothing,
  tagOf,
} from './fields.ts';
import { capital, type JsonTree, textOf, valueAt, withMembers, without, withValue } from './json-tree.ts';

/** What the answer must be. Tags are paths of fields as the request has them. */
export type Verdict =
  /** 400, with an error of exactly this tag; or of a tag inside it, where a part of the field is at fault. */
  | { readonly kind: 'names'; readonly tag: string; readonly orInside?: boolean }
  /** 400, with an error of this tag or of something around it: the text is broken there. */
  | { readonly kind: 'breaksIn'; readonly tag: string }
  /** Whatever it is, no error says of the field of this tag that its shape is wrong. */
  | { readonly kind: 'fits'; readonly tag: string }
  /** A success, like the valid request that it was made from. */
  | { readonly kind: 'accepted' }
  /** Exactly as when the field is left out. */
  | { readonly kind: 'asWithout'; readonly twin: (valid: WireRequest) => WireRequest }
  | { readonly kind: 'status'; readonly statuses: readonly number[] };

/** Whether the answer can only be a refusal. */
export function isRefusing(verdict: Verdict): boolean {
  if (verdict.kind === 'status') return verdict.statuses.every((status) => status >= 400);
  return verdict.kind === 'names' || verdict.kind === 'breaksIn';
}

/** One hostile request, made of a valid one that nobody has used yet. */
export type HostileCase = {
  readonly name: string;
  readonly make: (valid: WireRequest) => WireRequest;
  readonly verdict: Verdict;
};

/** What every field of an endpoint's body, query and path is tried with. */
export function fieldCases(endpoint: Contract): HostileCase[] {
  return fieldsOf(endpoint).flatMap((field) => casesOfField(endpoint, field));
}

export function casesOfField(endpoint: Contract, field: Field): HostileCase[] {
  if (field.place === 'query') return queryCases(field);
  if (field.place === 'path') return pathCases(field, endpoint);
  return [
    ...valuesFor(field.schema).map((value) => bodyCase(endpoint, field, value)),
    ...presenceCases(endpoint, field),
  ];
}

function verdictOf({ is }: FieldValue, field: Field): Verdict {
  const tag = tagOf(field.steps);
  const isWhole = field.schema.properties === undefined && field.schema.items === undefined;
  switch (is) {
    case 'fits':
      return { kind: 'fits', tag };
    case 'misfits':
      return { kind: 'names', tag, orInside: !isWhole };
    case 'unreadable':
      return { kind: 'names', tag, orInside: true };
    case 'broken':
      return { kind: 'breaksIn', tag };
  }
}

/** Where every name counts a blank is one that was not set. */
function verdictIn(endpoint: Contract, field: Field, value: FieldValue): Verdict {
  const { schema, steps, isRequired } = field;
  if (isRequired || !saysNothing(schema, value.value)) return verdictOf(value, field);
  return endpoint.isExact === true && isBlankText(schema, value.value)
    ? { kind: 'names', tag: tagOf(steps) }
    : { kind: 'asWithout', twin: withoutField(endpoint, field) };
}

function bodyCase(endpoint: Contract, field: Field, value: FieldValue): HostileCase {
  return {
    name: `${tagOf(field.steps)} is ${value.name}`,
    make: (valid) => {
      const body = withValue(bodyAround(endpoint, field, valid), field.steps, value.value);
      if (value.is !== 'broken') return { ...valid, body };
      return { ...valid, raw: withBadBytes(textOf(body)) };
    },
    verdict: verdictIn(endpoint, field, value),
  };
}

const withoutField = (endpoint: Contract, field: Field) => (valid: WireRequest) => ({
  ...valid,
  body: without(bodyAround(endpoint, field, valid), field.steps),
});

function withBadBytes(text: string): Buffer {
  const [before = '', behind] = text.split(BAD_BYTE);
  if (behind === undefined) return Buffer.from(before);
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(behind)]);
}

/** The valid body, with whatever must stand around the field so that it has a place. */
export function bodyAround(endpoint: Contract, { steps }: Field, { body }: WireRequest): JsonTree {
  let tree = body as JsonTree;
  let schema = endpoint.body as FieldSchema;
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    const here = steps.slice(0, depth + 1);
    schema = (typeof step === 'number' ? schema.items : schema.properties?.[step]) ?? {};
    if (valueAt(tree, here) === undefined) tree = withValue(tree, here, sampleOf(schema));
  }
  return tree;
}

/** Left out, null, twice, and with a capital first letter. */
function presenceCases(endpoint: Contract, field: Field): HostileCase[] {
  const { steps, isRequired, schema } = field;
  const tag = tagOf(steps);
  const parent = steps.slice(0, -1);
  const name = String(steps.at(-1));
  const around = (valid: WireRequest) => bodyAround(endpoint, field, valid);
  const whole = (valid: WireRequest) => {
    const tree = around(valid);
    return valueAt(tree, steps) === undefined ? withValue(tree, steps, sampleOf(schema)) : tree;
  };
  const leaveOut = withoutField(endpoint, field);
  const setNull = (valid: WireRequest) => ({ ...valid, body: withValue(around(valid), steps, null) });
  const twice = (other: string) => (valid: WireRequest) => {
    const body = whole(valid);
    const value = valueAt(body, steps) as JsonTree;
    return { ...valid, body: withMembers(body, parent, (list) => [...list, [other, value]]) };
  };
  const renamed = (valid: WireRequest) => {
    const change = (sent: string) => (sent === name ? capital(name) : sent);
    const body = withMembers(whole(valid), parent, (list) =>
      list.map(([sent, value]) => [change(sent), value]),
    );
    return { ...valid, body };
  };
  const isInRecipe = (valid: WireRequest) => valueAt(valid.body as JsonTree, steps) !== undefined;
  const capitalTag = tagOf([...parent, capital(name)]);
  // Of an object what is missing in it is named, one by one.
  const missed = { kind: 'names', tag, orInside: schema.properties !== undefined } as const;
  return [
    { name: `${tag} is left out`, make: leaveOut, verdict: isRequired ? missed : FITS_ANYWHERE },
    {
      name: `${tag} is null`,
      make: setNull,
      verdict: isRequired || endpoint.isExact === true ? missed : { kind: 'asWithout', twin: leaveOut },
    },
    { name: `${tag} is sent twice`, make: twice(name), verdict: { kind: 'names', tag } },
    {
      name: `${tag} is sent twice, once with a capital letter`,
      make: twice(capital(name)),
      verdict: { kind: 'names', tag: capitalTag },
    },
    {
      name: `${tag} has a capital first letter`,
      make: (valid) => (isInRecipe(valid) ? renamed(valid) : valid),
      verdict: { kind: 'accepted' },
    },
    {
      name: `${tag} has a capital first letter and a value of the wrong type`,
      make: (valid) => {
        const broken = withValue(around(valid), steps, [[1]]);
        return { ...valid, body: withValue(without(broken, steps), [...parent, capital(name)], [[1]]) };
      },
      verdict: { kind: 'names', tag: capitalTag, orInside: true },
    },
  ];
}

/**
 * An optional field that is missing can be missed by a rule between fields; nothing more is said of
 * it here.
 */
const FITS_ANYWHERE: Verdict = { kind: 'status', statuses: [200, 201, 202, 400, 401, 402, 404, 409] };

function queryCases({ steps, schema, isRequired }: Field): HostileCase[] {
  const name = String(steps[0]);
  const others = (valid: WireRequest) => valid.query.filter(([sent]) => sent !== name);
  const sent = (valid: WireRequest) => valid.query.find(([known]) => known === name)?.[1] ?? 'x';
  const put = (value: UrlValue): HostileCase => ({
    name: `the query's ${name} is ${value.name}`,
    make: (valid) => ({ ...valid, query: [...others(valid), [name, value.encoded]] }),
    verdict: value.is === 'fits' ? { kind: 'fits', tag: name } : { kind: 'names', tag: name },
  });
  return [
    ...queryValuesFor(schema, isRequired).map(put),
    {
      name: `the query's ${name} is left out`,
      make: (valid) => ({ ...valid, query: others(valid) }),
      verdict: isRequired ? { kind: 'names', tag: name } : { kind: 'accepted' },
    },
    {
      name: `the query's ${name} is sent twice`,
      make: (valid) => ({ ...valid, query: [...others(valid), [name, sent(valid)], [name, sent(valid)]] }),
      verdict: { kind: 'names', tag: name },
    },
    {
      name: `the query's ${name} is sent twice, once with a capital letter`,
      make: (valid) => ({ ...valid, query: [...others(valid), [name, sent(valid)], [capital(name), 'x']] }),
      verdict: { kind: 'names', tag: capital(name) },
    },
    {
      name: `the query's ${name} has a capital first letter`,
      // A request that does without it has no value that would fit.
      make: (valid) => ({
        ...valid,
        query: valid.query.map(([known, value]) => [known === name ? capital(name) : known, value] as const),
      }),
      verdict: { kind: 'accepted' },
    },
    {
      name: `the query's ${name} has a capital first letter and a NUL`,
      make: (valid) => ({ ...valid, query: [...others(valid), [capital(name), '%00']] }),
      verdict: { kind: 'names', tag: capital(name) },
    },
  ];
}

/**
 * Whatever stands in the place of an id is an unknown id; what is no percent-encoded UTF-8 is no
 * address at all, and whoever asks for it without a token is a stranger, at any endpoint.
 */
function pathCases({ steps }: Field, { scope }: Contract): HostileCase[] {
  const name = String(steps[0]);
  const unreadable = scope === null ? [] : ['%ED%A0%80', '%FF', '%', '%zz'];
  const put = (encoded: string) => (valid: WireRequest) => ({
    ...valid,
    parameters: { ...valid.parameters, [name]: encoded },
  });
  return [
    ...pathValues().map(
      ([reported, encoded]): HostileCase => ({
        name: `the path's ${name} is ${reported}`,
        make: put(encoded),
        verdict: { kind: 'status', statuses: [404] },
      }),
    ),
    ...unreadable.map(
      (encoded): HostileCase => ({
        name: `the path's ${name} is ${encoded}`,
        make: put(encoded),
        verdict: { kind: 'status', statuses: [400] },
      }),
    ),
  ];
}
