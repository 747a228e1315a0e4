import type { Complaint } from './source-tree.ts';

/** Items of OWASP ASVS 5.0 at levels 1 and 2: in each section they come first, so many of them. */
const SECTIONS: Readonly<Record<string, number>> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
  '17.1': 1,
  '17.2': 4,
  '17.3': 2,
};

/** All items, as `1.1.1`. */
export const ASVS_ITEMS: readonly string[] = Object.entries(SECTIONS).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
);

/** States of a row, and whether it must name a file that proves it. */
export const ASVS_STATES = { met: true, operator: false, 'not met': false, 'n/a': false } as const;
export const PCI_STATES = { software: true, both: true, operator: false } as const;

type Row = { readonly items: string; readonly state: string; readonly proof: string };

/** Items that have no row or two, and rows of no item. */
export function itemComplaints(
  page: string,
  text: string,
  items: readonly string[] = ASVS_ITEMS,
): Complaint[] {
  const rows = rowsOf(text).map(({ items: cell }) => ({ cell, named: items.filter(inCell(cell)) }));
  const all = rows.flatMap(({ named }) => named);
  return [
    ...items.filter((item) => !all.includes(item)).map((item) => `${page}: lacks ${item}`),
    ...all
      .filter((item, index) => all.indexOf(item) !== index)
      .map((item) => `${page}: ${item} stands twice`),
    ...rows.filter(({ named }) => named.length === 0).map(({ cell }) => `${page}: ${cell} is no item`),
  ];
}

/**
 * Rows in no known state, without a reason or, where one is wanted, without a file; and files that
 * are not there.
 */
export function rowComplaints(
  page: string,
  text: string,
  states: Readonly<Record<string, boolean>>,
  isThere: (path: string) => boolean,
): Complaint[] {
  return rowsOf(text).flatMap(({ items, state, proof }) => {
    const paths = [...proof.matchAll(/`([\w.-]+\/[^`\s]+\.\w+)`/g)].map(([, path = '']) => path);
    const complaints = paths
      .filter((path) => !isThere(path))
      .map((path) => `${page}: ${items} names ${path}, which is not there`);
    const wantsFile = Object.hasOwn(states, state) ? states[state] : null;
    if (wantsFile === null) complaints.push(`${page}: ${items} is "${state}", which is no state`);
    if (wantsFile === true && paths.length === 0) complaints.push(`${page}: ${items} names no file`);
    if (proof === '') complaints.push(`${page}: ${items} says nothing`);
    return complaints;
  });
}

/** The rows whose first cell is made of numbers. */
function rowsOf(text: string): Row[] {
  return [...text.matchAll(/^\| *(\d[\d., –]*?) *\|[^|]*\|([^|]*)\|(.*)\|\s*$/gm)].map(
    ([, items = '', state = '', proof = '']) => ({ items, state: state.trim(), proof: proof.trim() }),
  );
}

/** Of `1.2.6–1.2.8, 1.3.1`: whether it names the item. */
function inCell(cell: string): (item: string) => boolean {
  const spans = cell.split(',').map((part) => part.split('–').map((end) => placeOf(end.trim())));
  return (item) => {
    const place = placeOf(item);
    return spans.some(([first = 0, last = first]) => place >= first && place <= last);
  };
}

/** One number for `1.2.10`, so that items compare in their order. */
function placeOf(item: string): number {
  return item.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0);
}
