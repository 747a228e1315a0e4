import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from './html.ts';

const HOSTILE = `"><script>alert('1')</script><img src=x onerror="x">&amp;`;

test('a text is shown as it is, in an element and in an attribute', () => {
  const shown = html`<p title="${HOSTILE}">${HOSTILE}</p>`.toString();
  const escaped =
    '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;img src=x onerror=&quot;x&quot;&gt;&amp;amp;';
  assert.equal(shown, `<p title="${escaped}">${escaped}</p>`);
});

test('only what the template made is taken for HTML, however it looks', () => {
  const lookalike = JSON.parse('{"text":"<b>","toString":"<b>"}') as string;
  assert.throws(() => html`${lookalike}`);
  assert.equal(html`${html`<b>${'<i>'}</b>`}`.toString(), '<b>&lt;i&gt;</b>');
});

test('lists follow each other, and nothing is shown of nothing', () => {
  const items = ['<', null, undefined, false, [1, html`<hr>`]] as const;
  assert.equal(html`${items}${0}`.toString(), '&lt;1<hr>0');
});
