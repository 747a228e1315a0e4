import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapedMarkup } from './markup.ts';

test('a text stays a text in markup, whatever it says', () => {
  assert.equal(
    escapedMarkup(`<script>alert("x")</script> & d'Ávila`),
    '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; d&#39;Ávila',
  );
  assert.equal(escapedMarkup('&amp;'), '&amp;amp;');
});
