import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAllDescribed, referenceOf } from '../../src/app/reference.ts';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { referencePage } from '../../src/platform/reference/reference-page.ts';

async function published(environment: 'homologation' | 'production'): Promise<string> {
  const reference = await referenceOf(environment);
  return JSON.stringify(openApiDocument(reference)) + referencePage(reference);
}

const OF_HOMOLOGATION = [
  '/homologation/',
  'Only in homologation',
  'Homologation only',
  'x-homologation-only":true',
  'of homologation',
  'Amounts that make trouble',
  '4000050000000114',
  'reject@test.com',
];

test('production publishes no path and no error of homologation', async () => {
  const text = await published('production');
  for (const reported of OF_HOMOLOGATION) assert.ok(!text.includes(reported), reported);
  assert.ok(text.includes('/v1/payments/{paymentId}/cancel'));
});

test('homologation publishes what it has', async () => {
  const text = await published('homologation');
  for (const reported of OF_HOMOLOGATION) assert.ok(text.includes(reported), reported);
});

test('a service does not start that publishes what it does not serve, or the reverse', async () => {
  const reference = await referenceOf('homologation');
  const served = reference.endpoints.map((contract) => ({ contract, serve: async () => ({ status: 200 }) }));
  checkAllDescribed(served, reference);
  assert.throws(() => checkAllDescribed(served.slice(1), reference), /published but not served/);
  const production = await referenceOf('production');
  assert.throws(() => checkAllDescribed(served, production), /served but not published/);
});
