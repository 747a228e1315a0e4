import { FORMATS } from '#settlement-files';
import { LONGEST_REASON } from '../../audit/audit-event.ts';
import type { WireError } from '../../platform/http/endpoint.ts';
import { MOST_COUNTED_FOR_PEOPLE } from '../../platform/pages.ts';
import type { SheetCell } from '../../platform/workbooks/xlsx.ts';
import { BRAND_NAMES, type CardBrand } from '../../values/card-number.ts';
import { holdsCardNumber, holdsCpfOrEmail } from '../../values/card-number-in-text.ts';
import { type Cents, reaisText } from '../../values/cents.ts';
import { type Html, html, type Shown } from './html.ts';
import { pathOf, withQuery } from './paths.ts';
import { type Action, type Form, mayUse, type Visit, type Where } from './screen.ts';
import type { Tone } from './states.ts';
import { machineMoment, type Wording } from './wording.ts';

export function moment({ moment: shown }: Wording, at: string | number | null): Shown {
  return at === null ? '–' : html`<time datetime="${machineMoment(at)}">${shown(at)}</time>`;
}

/** A moment of real time (something was sent, read or done by a person), not of the merchant's clock. */
export function realMoment(wording: Wording, at: string | number | null): Shown {
  const { realMark } = wording;
  return at === null || realMark === ''
    ? moment(wording, at)
    : html`${moment(wording, at)} <small class="real">${realMark}</small>`;
}

/** Words of somebody else, untranslated. */
export function quotation(text: string | null): Shown {
  return text === null ? '–' : html`<q>${text}</q>`;
}

export function actorText(name: string, { say }: Wording): string {
  if (name === 'subscriber') return say('The subscriber');
  return name === 'system' ? say('Parcela itself') : name;
}

/** Only paths of ours become links, whoever wrote the text. */
export function link(path: string, text: Shown): Html {
  if (!path.startsWith('/console')) throw new Error('a page links to pages of ours only');
  return html`<a href="${path}">${text}</a>`;
}

/** The address of a page for payers. If `url` is only a path, the origin of such pages is not configured. */
export function pageAddress(url: string, { wording: { say } }: Visit): Shown {
  return url.startsWith('/')
    ? say(
        'It is not known here under which address pages are served: have the operator set PARCELA_PAGES_ORIGIN.',
      )
    : copyable(url);
}

/** A text that one press selects as a whole. */
export function copyable(text: string): Html {
  return html`<code class="copy">${text}</code>`;
}

/**
 * `cell`: what a page shows; absent: only files have the column. `file`: what spreadsheets get; absent: only
 * pages have it.
 */
export type Column<Row> = {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell?: (row: Row, index: number) => Shown;
  readonly file?: (row: Row) => SheetCell | undefined;
  /** The cell of the last row, with the total; in the first column: the name of that row. */
  readonly total?: Shown;
};

/** A wide table scrolls by itself. On a phone each row becomes a card with the columns' titles. */
export function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const shown = columns.filter(({ cell }) => cell !== undefined);
  const kindOf = ({ isNumber }: Column<Row>) => isNumber === true && html` class="number"`;
  const rowOf = (row: Row, index: number) =>
    shown.map((column, place) => {
      const cell = column.cell?.(row, index);
      return place === 0
        ? html`<th scope="row" role="rowheader"${kindOf(column)}>${cell}</th>`
        : html`<td role="cell" data-title="${column.title}"${cell === '–' && html` data-blank`}${kindOf(column)}>${cell}</td>`;
    });
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${shown.map(
    (column) => html`<th scope="col" role="columnheader"${kindOf(column)}>${column.title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${rows.map((row, index) => html`<tr role="row">${rowOf(row, index)}</tr>\n`)}${totalRow(shown)}</tbody>
</table>
</div>`;
}

function totalRow<Row>(columns: readonly Column<Row>[]): Shown {
  if (columns.every(({ total }) => total === undefined)) return '';
  const cells = columns.map(({ title, total = '', isNumber }, place) => {
    const kind = isNumber === true && html` class="number"`;
    return place === 0
      ? html`<th scope="row" role="rowheader"${kind}>${total}</th>`
      : html`<td role="cell" data-title="${title}"${kind}>${total}</td>`;
  });
  return html`<tr role="row" class="total">${cells}</tr>`;
}

export function emptyState(title: string, advice: Shown): Html {
  return html`<div class="empty"><p class="lead">${title}</p><p>${advice}</p></div>`;
}

export function underWay(title: string, advice: Shown): Html {
  return html`<div class="empty" data-under-way><p class="lead">${title}</p><p>${advice}</p></div>`;
}

export function atLeast(text: string, isCut: boolean, { say }: Wording): string {
  return isCut ? say('{count} or more', { count: text }) : text;
}

/** `keptSince`: when the shown figures were read, in milliseconds of real time. Null: just now. */
export function keptNote(keptSince: number | null, wording: Wording): Shown {
  return (
    keptSince !== null &&
    html`<p class="note">${wording.say('As of {at}.', { at: wording.moment(keptSince) })} ${wording.realMark}</p>`
  );
}

export function facts(rows: readonly (readonly [string, Shown])[]): Html {
  return html`<dl class="facts">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`,
  )}</dl>`;
}

/** The text of a table cell without spaces, which may break anywhere. */
export function long(text: Shown): Html {
  return html`<span class="long">${text}</span>`;
}

export function section(title: string, body: Shown): Html {
  return html`<section><h2>${title}</h2>\n${body}\n</section>`;
}

export type Figure = readonly [name: string, value: Shown, tone: Tone, note: Shown];

export function figure(...[name, value, tone, note]: Figure): Html {
  return html`<div class="figure ${tone}"><dt>${name}</dt><dd><strong>${value}</strong> <span>${note}</span></dd></div>`;
}

function totalText({ say, count }: Wording, total: number): string {
  return total > MOST_COUNTED_FOR_PEOPLE
    ? say('more than {count}', { count: count(MOST_COUNTED_FOR_PEOPLE) })
    : count(total);
}

/**
 * Links to the other pages of a list keep its filters. What is beyond the bound of the count is reached by
 * narrower filters.
 */
export function pager(
  { path, query, wording }: Visit,
  { page, limit, total }: { readonly page: number; readonly limit: number; readonly total: number },
): Html {
  const last = Math.max(1, Math.ceil(Math.min(total, MOST_COUNTED_FOR_PEOPLE) / limit));
  const to = (wanted: number, text: string, rel: string) =>
    html`<a rel="${rel}" href="${withQuery(path, { ...query, page: wanted })}">${text}</a>`;
  const { say, count } = wording;
  const inAll = totalText(wording, total);
  return html`<nav class="pager" aria-label="${say('Pages of this list')}">
${page > 1 ? to(page - 1, say('Previous'), 'prev') : ''}
<span>${say('Page {page} of {last}', { page: count(page), last: count(last) })} · ${say('{total} in all', { total: inAll })}</span>
${total > MOST_COUNTED_FOR_PEOPLE && page >= last ? html`<span>${say('Choose fewer days, or more filters, for the others.')}</span>` : ''}
${page < last ? to(page + 1, say('Next'), 'next') : ''}
</nav>`;
}

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'date' | 'search' | 'number';
  readonly choices?: readonly (readonly [string, string])[];
  readonly hint?: string;
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly mostCharacters?: number;
};

export function field({ name, label, type = 'text', ...of }: Field, id = name): Html {
  const { choices, hint, value = '', isRequired, mostCharacters } = of;
  const described = hint === undefined ? '' : html` aria-describedby="${id}-hint"`;
  const required = isRequired === true && html` required`;
  const control =
    choices === undefined
      ? html`<input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="off"${
          mostCharacters !== undefined && html` maxlength="${mostCharacters}"`
        }${required}${described}>`
      : html`<select id="${id}" name="${name}"${required}${described}>${choices.map(
          ([choice, shown]) =>
            html`<option value="${choice}"${choice === value && html` selected`}>${shown}</option>`,
        )}</select>`;
  return html`<div class="field"><label for="${id}">${label}</label>${control}${
    hint !== undefined && html`<small id="${id}-hint">${hint}</small>`
  }</div>`;
}

export function accountOf({ query, accountNumbers }: Visit): string {
  return query.accountNumber ?? accountNumbers[0] ?? '';
}

export function accountField(visit: Visit): Field {
  return {
    name: 'accountNumber',
    label: visit.wording.say('Account'),
    choices: visit.accountNumbers.map((account) => [account, account] as const),
    value: accountOf(visit),
  };
}

/**
 * `kept`: names of filters that other forms of the page have; their values are sent along. `label`: tells the
 * forms of a page apart.
 */
export function filterForm(
  { path, query, wording }: Visit,
  fields: readonly Field[],
  { label, kept = [] }: { readonly label?: string; readonly kept?: readonly string[] } = {},
): Html {
  const { say } = wording;
  const hidden = kept.flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="${label ?? say('Filters')}">${hidden}
${fields.map((one) => field({ ...one, value: query[one.name] ?? one.value ?? '' }))}
<div class="buttons"><button type="submit">${say('Apply')}</button> <a href="${path}">${say('Clear')}</a></div>
</form>`;
}

/** Fills the typed values into their fields. A card number is not shown again. */
function withTyped(fields: readonly Field[], typed: Form | undefined): readonly Field[] {
  if (typed === undefined) return fields;
  const kept = (text = '') => (holdsCardNumber(text) ? '' : text);
  return fields.map((one) => ({ ...one, value: kept(typed[one.name]) }));
}

/**
 * Empty for users who may not use the action. Asks for a reason, and has a key so that it acts once. `typed`:
 * what was sent before a refusal; the form is open and has it. `button`: its text, if it is not the action's
 * title.
 */
export function actionForm(
  { wording, formMark, onceKey, user, merchantId }: Visit,
  of: Where & Pick<Action, 'needsNoReason'>,
  wanted: {
    readonly values?: Readonly<Record<string, string>>;
    readonly about: Shown;
    readonly fields?: readonly Field[];
    readonly isGrave?: boolean;
    /** Sent unchanged with the form: what the person saw. */
    readonly hidden?: Readonly<Record<string, string>>;
    readonly typed?: Form | undefined;
    /** The form is open at once: people come to the page for it. */
    readonly isOpen?: boolean;
    readonly button?: string;
  },
): Shown {
  if (!mayUse(of, user)) return '';
  const { say } = wording;
  const {
    values = {},
    about,
    fields = [],
    isGrave = false,
    typed,
    hidden = {},
    isOpen = typed !== undefined,
  } = wanted;
  const action = pathOf(of.path, { merchantId, ...values });
  const title = say(of.title);
  // Several forms of a page may have the same field names.
  const idOf = (name: string) => `${action.split('/').slice(-2).join('-')}-${name}`;
  const reason: Field = {
    name: 'reason',
    label: say('Reason'),
    hint: say('It is written into the audit log with your name.'),
    isRequired: true,
    mostCharacters: LONGEST_REASON,
  };
  const asked = withTyped(of.needsNoReason === true ? fields : [...fields, reason], typed);
  const kept = Object.entries({ mark: formMark, once: onceKey, ...hidden });
  return html`<details class="action"${isOpen && html` open`}><summary>${title}</summary>
<form method="post" action="${action}">
<p>${about}</p>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${asked.map((one) => field(one, idOf(one.name)))}
<div class="buttons"><button type="submit" class="${isGrave ? 'grave' : 'main'}">${wanted.button ?? title}</button></div>
</form></details>`;
}

const NO_REASON = 'Give a reason, of up to 200 characters.';

/**
 * Null: the reason may be kept. One with a card number or a person's data may not: audit entries cannot be
 * removed.
 */
export function reasonFault(reason: string): string | null {
  if (reason === '' || [...reason].length > LONGEST_REASON) return NO_REASON;
  if (holdsCardNumber(reason)) return 'A reason holds no card number.';
  return holdsCpfOrEmail(reason) ? 'A reason names no person: leave CPF and e-mail address out.' : null;
}

export function errorsOf(errors: readonly WireError[], fields: readonly Field[] = []): Html {
  return html`<div class="message bad" role="alert"><ul>${errors.map(({ tag, description }) => {
    const label = fields.find(({ name }) => name === tag)?.label;
    return html`<li>${label !== undefined && html`<strong>${label}</strong>: `}${description}</li>`;
  })}</ul></div>`;
}

/** The amount of a form in cents. Null: what was typed is no amount. */
export function typedAmount(form: Form, name = 'amount'): number | null {
  const cents = centsOf(form[name] ?? '');
  return typeof cents === 'number' ? cents : null;
}

export function amountField({ wording: { say } }: Visit, of: Partial<Field> = {}): Field {
  const hint = of.value === undefined ? { hint: say('Such as 1.234,56.') } : {};
  return {
    name: 'amount',
    label: say('Amount in reais'),
    ...hint,
    isRequired: true,
    mostCharacters: 15,
    ...of,
  };
}

export const NO_AMOUNT = 'Write the amount in reais, such as 1.234,56.';

/**
 * The fault of a typed amount, told in reais: the endpoint's fault would speak of cents, which nobody typed.
 */
export function amountFault(form: Form, name = 'amount'): string | null {
  const typed = form[name];
  return typed !== undefined && typeof centsOf(typed) === 'string' ? NO_AMOUNT : null;
}

/** Writes cents as a person types them: in reais, with a comma. */
export function typedReais(amount: number): string {
  return reaisText(amount as Cents).replace('.', ',');
}

/**
 * A typed amount in reais, or a percentage, as the number that endpoints take. Other text is passed on for
 * the endpoint to refuse.
 */
export function reaisOf(text: string): number | string {
  const read = centsOf(text);
  return typeof read === 'number' ? read / 100 : read;
}

export function fieldGroup(
  form: Form,
  prefix: string,
  fields: readonly string[],
): Record<string, string> | undefined {
  const given = fields.flatMap((name) => {
    const value = form[`${prefix}.${name}`];
    return value === undefined ? [] : [[name, value] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The cents of typed reais. Other text is passed on for the endpoint to refuse. */
export function centsOf(text: string): number | string {
  const match = /^(?:R\$)?\s*(\d{1,3}(?:\.\d{3}){1,3}|\d{1,8})(?:,(\d{1,2}))?$/.exec(text);
  const english = /^(\d{1,8})\.(\d{2})$/.exec(text);
  const [, whole, fraction = ''] = match ?? english ?? [];
  if (whole === undefined) return text;
  return Number(whole.replaceAll('.', '')) * 100 + Number(fraction.padEnd(2, '0'));
}

/** A brand that only another version knows is shown as it is. */
export function brandText(brand: string): string {
  return Object.hasOwn(BRAND_NAMES, brand) ? BRAND_NAMES[brand as CardBrand] : brand;
}

export type ShownCard = { readonly brand: string; readonly lastFour: string };

export function cardText({ brand, lastFour }: ShownCard): string {
  return `${brandText(brand)} •••• ${lastFour}`;
}

export const FORMAT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  FORMATS.map(({ format, title }) => [format, title]),
);

/** A format that only a newer process knows is shown by its bare name. */
export function formatText(name: string): string {
  return FORMAT_NAMES[name] ?? name;
}
