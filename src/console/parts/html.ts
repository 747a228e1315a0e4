import { escapedMarkup } from '../../values/markup.ts';

/** Text that is HTML already. Only `html` makes it, so that no text of a merchant or a buyer becomes it. */
export class Html {
  readonly #text: string;

  constructor(parts: readonly string[], values: readonly Shown[]) {
    this.#text = parts.map((part, index) => part + textOf(values[index])).join('');
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a page: texts are escaped, lists follow each other, nothing is shown of the rest. */
export type Shown = Html | string | number | null | undefined | false | readonly Shown[];

/** In an element or in an attribute between double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Html(parts, values);
}

function textOf(value: Shown): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(textOf).join('');
  return escapedMarkup(String(value));
}
