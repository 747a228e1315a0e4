import { escapedMarkup } from '../../values/markup.ts';

/** Markup. Only `html` creates it, so texts of merchants and buyers are always escaped. */
export class Html {
  readonly #text: string;

  constructor(parts: readonly string[], values: readonly Shown[]) {
    this.#text = parts.map((part, index) => part + textOf(values[index])).join('');
  }

  toString(): string {
    return this.#text;
  }
}

/** Texts are escaped and lists are joined. Null, undefined and false show nothing. */
export type Shown = Html | string | number | null | undefined | false | readonly Shown[];

/** Values may stand in elements and in double-quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Html(parts, values);
}

function textOf(value: Shown): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(textOf).join('');
  return escapedMarkup(String(value));
}
