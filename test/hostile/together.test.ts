import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import type { Reply } from '../kit/merchant.ts';
import { ENDPOINTS } from '../published.ts';
import { bodyAround } from './cases/field-cases.ts';
import { valuesFor } from './cases/field-values.ts';
import { type Field, fieldsOf, tagOf } from './cases/fields.ts';
import { type JsonTree, withValue } from './cases/json-tree.ts';
import { exampleRequest, readReply } from './read-request.ts';

/** All faults of a body come at once: made from every contract, judged by what reads it behind the door. */

const tagsOf = ({ body }: Reply): string[] => (body as { tag: string }[]).map(({ tag }) => tag);

const bodyFields = (endpoint: Contract): Field[] =>
  fieldsOf(endpoint).filter(({ place }) => place === 'body');
const isUnder = (inner: Field, outer: Field): boolean =>
  inner.steps.length > outer.steps.length && outer.steps.every((step, at) => inner.steps[at] === step);

/** Logins name only the first fault, at the head of a sentence. */
const WITH_BODY = ENDPOINTS.filter(({ body, errorBody }) => body !== undefined && errorBody === undefined);

for (const endpoint of WITH_BODY) {
  const { method, path } = endpoint;
  const fields = bodyFields(endpoint);
  const leaves = fields.filter((field) => !fields.some((inner) => isUnder(inner, field)));

  test(`${method} ${path} names both of two fields that are malformed`, () => {
    const valid = exampleRequest(endpoint);
    const wrong = leaves.flatMap((field) => {
      const [misfit] = valuesFor(field.schema).filter(({ is }) => is === 'misfits');
      return misfit === undefined ? [] : [{ field, value: misfit.value }];
    });
    for (const [index, one] of wrong.entries()) {
      const other = wrong[(index + 1) % wrong.length];
      if (other === undefined || other === one) continue;
      let body: JsonTree = valid.body as JsonTree;
      for (const { field, value } of [one, other]) {
        body = withValue(bodyAround(endpoint, field, { ...valid, body }), field.steps, value);
      }
      const reply = readReply({ ...valid, body });
      for (const { field } of [one, other])
        assert.ok(tagsOf(reply).includes(tagOf(field.steps)), `${tagOf(field.steps)}: ${reply.text}`);
    }
  });
}
