import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceOf } from '../../src/app/api.ts';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { referencePage } from '../../src/platform/reference/reference-page.ts';

function published(environment: string): string {
  const reference = referenceOf(environment);
  return JSON.stringify(openApiDocument(reference.endpoints, reference.info)) + referencePage(reference);
}

const OF_HOMOLOGATION = [
  '/homologation/',
  'Only in homologation',
  'Homologation only',
  'x-homologation-only":true',
  'of homologation',
];

test('production publishes no path and no error of homologation', () => {
  const text = published('production');
  for (const told of OF_HOMOLOGATION) assert.ok(!text.includes(told), told);
  assert.ok(text.includes('/v1/payments/{paymentId}/cancel'));
});

test('homologation publishes what it has', () => {
  const text = published('homologation');
  for (const told of OF_HOMOLOGATION) assert.ok(text.includes(told), told);
});
