import { escapedMarkup } from '../../values/markup.ts';

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

/** Text in which only backticks mean something. */
export function inline(text: string): string {
  return escapedMarkup(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

export function anchor(title: string): string {
  return `errors-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
}
