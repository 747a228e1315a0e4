import { escapedMarkup } from '../../values/markup.ts';

/** Light or dark by the reader's system; also for narrow screens and paper. */
export const STYLE = `
:root {
  --paper: #ffffff; --shade: #f5f6f8; --line: #dfe3e8; --ink: #1d2530; --soft: #5a6675; --link: #1258b5;
  --code: #f2f4f7; --green: #17693b; --blue: #1258b5; --red: #a9231f; --amber: #85570a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181e; --shade: #1a2028; --line: #303945; --ink: #e1e6ec; --soft: #98a4b3; --link: #7ab3ff;
    --code: #1f2630; --green: #66cf93; --blue: #7ab3ff; --red: #ff8d86; --amber: #e7b75c;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: 0.875em; background: var(--code); border-radius: 4px; padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre {
  margin: 0.5rem 0; padding: 0.8rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line);
  border-radius: 6px; font-size: 0.8125rem; line-height: 1.5;
}
pre code { padding: 0; background: none; font-size: inherit; overflow-wrap: normal; }
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.25rem; background: var(--shade);
  border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav .home { color: var(--ink); font-size: 1.125rem; font-weight: 650; }
nav .home small { color: var(--soft); font-weight: 400; }
nav h2 {
  margin: 1.4rem 0 0.35rem; color: var(--soft); font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase;
}
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.18rem 0; color: var(--ink); line-height: 1.4; }
nav .method { flex: none; width: 2.6rem; font-size: 0.6875rem; }
main { max-width: 62rem; padding: 2rem 2.5rem 6rem; }
h1 { margin: 0 0 1rem; font-size: 1.875rem; line-height: 1.2; }
h3 { margin: 0 0 0.5rem; font-size: 1.1875rem; }
h4 { margin: 1.4rem 0 0.4rem; color: var(--soft); font-size: 0.8125rem; letter-spacing: 0.03em; }
p { margin: 0.5rem 0; }
.group > h2 { margin: 3rem 0 0; padding-bottom: 0.4rem; border-bottom: 2px solid var(--line); font-size: 1.5rem; }
article { padding: 1.75rem 0; border-bottom: 1px solid var(--line); }
article:last-child { border-bottom: 0; }
.address { display: flex; gap: 0.6rem; align-items: baseline; }
.address code { background: none; padding: 0; font-size: 0.9375rem; }
.needs { color: var(--soft); font-size: 0.875rem; }
.method { color: var(--blue); font-size: 0.8125rem; font-weight: 700; letter-spacing: 0.02em; }
.method.GET { color: var(--green); }
.method.DELETE { color: var(--red); }
.table { overflow-x: auto; margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 6px; }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; line-height: 1.45; }
th, td { padding: 0.4rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { background: var(--shade); color: var(--soft); font-weight: 600; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td:not(:last-child) { min-width: 4.5rem; }
td code { white-space: nowrap; }
td:first-child code { background: none; padding: 0; font-size: inherit; }
summary { cursor: pointer; font-size: 0.875rem; }
.answer { margin: 0.35rem 0; font-size: 0.875rem; }
p.answer { padding-left: 1.05rem; }
.answer details { margin: 0.5rem 0; color: var(--soft); }
.answer details table { color: var(--ink); }
.status { display: inline-block; min-width: 2.3rem; font-weight: 700; color: var(--red); }
.status.s2 { color: var(--green); }
.status.s4 { color: var(--amber); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.5rem 1.25rem 4rem; }
}
@media print {
  body { display: block; }
  nav { display: none; }
  pre, .table { overflow: visible; }
}
`;

/** `rows`: cells of HTML. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => `<th scope="col">${escapedMarkup(column)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="table"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

export function block(title: string, content: string): string {
  return `<h4>${title}</h4>\n<pre><code>${escapedMarkup(content)}</code></pre>`;
}

export function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

/** Text in which only backticks have a meaning. */
export function inline(text: string): string {
  return escapedMarkup(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

export function anchor(title: string): string {
  return `errors-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
}
