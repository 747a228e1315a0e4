import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { ENDPOINTS } from '../../published.ts';
import { bodyAround } from '../cases/field-cases.ts';
import { type Field, fieldsOf, tagOf } from '../cases/fields.ts';
import { type JsonTree, valueAt, withValue } from '../cases/json-tree.ts';
import type { Shop } from '../hostile-service.ts';
import { RECIPES, validRequest } from '../recipes.ts';
import type { WireRequest } from '../wire.ts';
import { FOREIGN_KINDS, type ForeignKind, LOOKS_LIKE_AN_ID } from './foreign-kinds.ts';

/** A field of an endpoint in which something of another merchant's can be named. */
export type ForeignPlace = {
  readonly name: string;
  readonly endpoint: Contract;
  readonly field: Field;
  readonly kind: ForeignKind;
  /** A valid request of this shop with this value at the field; `encoded`: as it is in a path or query. */
  request(shop: Shop, value: string, encoded?: boolean): Promise<WireRequest>;
};

/** Names of a thing that its payer may see without a login: nobody's isolation rests on them. */
export const SHOWN_TO_ALL: readonly string[] = ['pageKey'];

const nameOf = ({ steps }: Field): string => String(steps.findLast((step) => typeof step === 'string'));

/** Fields that look as if they named something, and of which nobody has said what. */
export function kindComplaints(endpoints: readonly Contract[] = ENDPOINTS): string[] {
  return endpoints.flatMap((endpoint) =>
    fieldsOf(endpoint)
      .filter((field) => LOOKS_LIKE_AN_ID.test(nameOf(field)) && !SHOWN_TO_ALL.includes(nameOf(field)))
      .filter((field) => !Object.hasOwn(FOREIGN_KINDS, nameOf(field)))
      .map(
        (field) =>
          `FOREIGN_KINDS in test/hostile/foreign/foreign-kinds.ts lacks ${nameOf(field)} (${endpoint.id}, ${tagOf(field.steps)})`,
      ),
  );
}

export function foreignPlaces(endpoints: readonly Contract[] = ENDPOINTS): ForeignPlace[] {
  return endpoints.flatMap((endpoint) =>
    fieldsOf(endpoint).flatMap((field) => {
      const kind = Object.hasOwn(FOREIGN_KINDS, nameOf(field)) ? FOREIGN_KINDS[nameOf(field)] : undefined;
      return kind === undefined ? [] : [placeOf(endpoint, field, kind)];
    }),
  );
}

function placeOf(endpoint: Contract, field: Field, kind: ForeignKind): ForeignPlace {
  return {
    name: `${endpoint.method} ${endpoint.path}, ${field.place}, ${tagOf(field.steps)}`,
    endpoint,
    field,
    kind,
    async request(shop, value, encoded = false) {
      const valid = await requestWith(endpoint, field, shop);
      const inUrl = encoded ? value : encodeURIComponent(value);
      const name = nameOf(field);
      if (field.place === 'path') return { ...valid, parameters: { ...valid.parameters, [name]: inUrl } };
      // Alone: beside another filter that names nothing of theirs, every value would find nothing.
      if (field.place === 'query')
        return { ...valid, query: [...requiredBeside(name, endpoint, valid), [name, inUrl]] };
      return { ...valid, body: withValue(bodyAround(endpoint, field, valid), field.steps, value) };
    },
  };
}

function requiredBeside(field: string, { query }: Contract, valid: WireRequest): WireRequest['query'] {
  const required = (query as { required?: string[] } | undefined)?.required ?? [];
  return valid.query.filter(([name]) => name !== field && required.includes(name));
}

/**
 * Made by the recipe that has the field already, where there is one: carriers of a card exclude
 * each other.
 */
async function requestWith(endpoint: Contract, field: Field, shop: Shop): Promise<WireRequest> {
  for (const variant of (RECIPES[endpoint.id] ?? []).keys()) {
    const valid = await validRequest(endpoint, shop, variant);
    if (field.place !== 'body' || valueAt(valid.body as JsonTree, field.steps) !== undefined) return valid;
  }
  return validRequest(endpoint, shop);
}
