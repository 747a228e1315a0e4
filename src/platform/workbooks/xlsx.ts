import { isDay } from '../../values/instant.ts';

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** `moment`: YYYY-MM-DDTHH:MM:SS, as a wall clock shows it. `amount`, `portion`: exact decimals. */
export type SheetCell =
  | string
  | number
  | null
  | { readonly kind: 'amount' | 'portion' | 'day' | 'moment'; readonly text: string };

/** Rows of one sheet, including the heads. Excel opens no more. */
export const MOST_ROWS = 1_048_576;
/** Excel opens no text that is longer. */
const LONGEST_TEXT = 32_767;
/** Excel's day 0 is 1899-12-30. */
const DAYS_TO_1970 = 25_569;
const DAY_MILLISECONDS = 86_400_000;

/** Places of `cellXfs` in the styles below. */
const STYLES = { text: 1, head: 2, amount: 3, portion: 4, day: 5, moment: 6 } as const;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A text stays a text when somebody edits its cell (`quotePrefix`): no text becomes a formula. */
export const STYLES_XML = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="0.0000"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFont="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

export const RELATIONS_XML = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

export function contentTypesXml(sheets: number): string {
  const parts = numbersTo(sheets).map(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
  );
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>${parts.join('')}</Types>`;
}

export function workbookXml(sheets: number): string {
  const parts = numbersTo(sheets).map(
    (number) => `<sheet name="${number}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${parts.join('')}</sheets></workbook>`;
}

export function workbookRelationsXml(sheets: number): string {
  const parts = numbersTo(sheets).map(
    (number) =>
      `<Relationship Id="rId${number}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${parts.join('')}<Relationship Id="rId0" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;
}

export function sheetBegin(heads: readonly string[]): string {
  const columns = `<cols><col min="1" max="${Math.max(1, heads.length)}" width="18" customWidth="1"/></cols>`;
  const frozen =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  const cells = heads.map((head, index) => textCell(head, `${columnName(index)}1`, STYLES.head));
  return `${HEAD}<worksheet xmlns="${MAIN}">${frozen}${columns}<sheetData><row r="1">${cells.join('')}</row>`;
}

export const SHEET_END = '</sheetData></worksheet>';

/** `number`: of the row, from 1. */
export function sheetRow(cells: readonly SheetCell[], number: number): string {
  return `<row r="${number}">${cells.map((cell, index) => cellXml(cell, `${columnName(index)}${number}`)).join('')}</row>`;
}

function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

function cellXml(cell: SheetCell, place: string): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'string') return textCell(cell, place, STYLES.text);
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  const { kind, text } = cell;
  const value = kind === 'day' || kind === 'moment' ? dayNumber(text) : decimalOf(text);
  return value === null
    ? textCell(text, place, STYLES.text)
    : `<c r="${place}" s="${STYLES[kind]}"><v>${value}</v></c>`;
}

const decimalOf = (text: string) => (/^-?\d{1,15}(?:\.\d{1,8})?$/.test(text) ? text : null);

function dayNumber(text: string): number | null {
  const day = text.slice(0, 10);
  const time = text.length === 10 ? '00:00:00' : text.slice(11, 19);
  if (!isDay(day)) return null;
  const milliseconds = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(milliseconds) ? null : milliseconds / DAY_MILLISECONDS + DAYS_TO_1970;
}

/** Characters that XML 1.0 cannot hold, including half surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** Excel reads `_x0041_` as A. */
const READ_AS_CODE = /_(?=x[0-9A-Fa-f]{4}_)/g;

function textCell(text: string, place: string, style: number): string {
  const shown = text
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
    .replaceAll(NOT_IN_XML, '\ufffd')
    .replaceAll(READ_AS_CODE, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${shown}</t></is></c>`;
}
