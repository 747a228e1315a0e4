import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceOf } from '../../src/app/reference.ts';
import { schemaCheck } from '../../src/platform/http/schema-faults.ts';

test('every schema of a body or a query can be compiled, though a process compiles none as it starts', async () => {
  const { endpoints } = await referenceOf('homologation');
  const schemas = endpoints.flatMap(({ id, body, query }) => [
    { of: `body of ${id}`, schema: body },
    { of: `query of ${id}`, schema: query },
  ]);
  let compiled = 0;
  for (const { of, schema } of schemas) {
    if (schema === undefined) continue;
    assert.doesNotThrow(() => schemaCheck(schema)({}), of);
    compiled += 1;
  }
  assert.ok(compiled > 50, `${compiled}`);
});
