import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referencePage } from '../../src/platform/reference/reference-page.ts';
import { REFERENCE } from '../published.ts';

const page = referencePage(REFERENCE);

function articleOf(id: string): string {
  const [, article = ''] = page.split(`<article id="${id}">`);
  return article.slice(0, article.indexOf('</article>'));
}

test('the reference names the ways in which a plan is paid', () => {
  for (const id of ['createPlan', 'updatePlan']) {
    assert.match(articleOf(id), /<code>paymentMethod<\/code>[^\n]*PixAutomatic/, id);
  }
});

test('the reference says which calls may be sent again with a key, and of no others', () => {
  for (const id of ['createPlan', 'createSubscription']) {
    assert.match(articleOf(id), /<h4>In the headers<\/h4>.*<code>Idempotency-Key<\/code>.*1 to 255/s, id);
  }
  for (const id of ['updatePlan', 'cancelBilling']) {
    assert.doesNotMatch(articleOf(id), /In the headers/, id);
  }
});

test('the reference goes from plans to subscriptions to billings', () => {
  const groups = [...page.matchAll(/<section class="group">\n<h2>([^<]+)/g)].map(([, name]) => name);
  const start = groups.indexOf('Plans');
  assert.deepEqual(groups.slice(start, start + 3), ['Plans', 'Subscriptions', 'Billings']);
});
