import type { Lock } from './bill-of-materials.ts';

// What package.json, the lock and docs/dependencies.md must say alike. Nothing here fails by the
// date alone: an old release must build years from now as it did on its day.

export type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** One row of the tables of docs/dependencies.md. */
export type ListedDependency = {
  readonly name: string;
  readonly version: string;
  readonly publishedOn: string;
  readonly license: string;
  readonly reviewedOn: string;
  readonly reason: string;
};

const PAGE = 'docs/dependencies.md';

/** As the page says: others are no licences for a program under Apache-2.0 that is handed on. */
const GOOD_LICENSES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'Unlicense',
];

/**
 * Of what only tests load, unchanged, and no release ships: only a change of its own files would have to be
 * published.
 */
const GOOD_LICENSES_OF_TESTS = ['MPL-2.0'];

/** How long a version is young, and for how long a look at an older one counts. */
const YOUNG_MONTHS = 18;
const LOOK_MONTHS = 6;

/** The rows whose first cell is names in code marks: packages that differ by the machine share one. */
export function listedDependencies(page: string): ListedDependency[] {
  return [...page.matchAll(/^\| *(`[^|]+`) *\|(.*)\|\s*$/gm)].flatMap(([, names = '', rest = '']) => {
    const cells = rest.split('|').map((cell) => cell.trim());
    const [version = '', publishedOn = '', license = '', reviewedOn = '', reason = ''] = cells;
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({
      name,
      version,
      publishedOn,
      license,
      reviewedOn,
      reason,
    }));
  });
}

/** Where package.json, the lock and the page differ. */
export function dependencyComplaints(manifest: Manifest, lock: Lock, page: string): string[] {
  const wanted = {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  };
  const listed = listedDependencies(page);
  const names = listed.map(({ name }) => name);
  return [
    ...Object.entries(wanted)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `package.json: ${name} must be pinned to one version, not ${version}`),
    ...Object.keys(wanted)
      .filter((name) => !names.includes(name))
      .map(
        (name) => `${PAGE}: lacks ${name}: what it is for, its licence, its day, and when it was looked at`,
      ),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${PAGE}: ${name} twice`),
    ...listed.flatMap((row) => rowComplaints(row, wanted[row.name], lock)),
    ...lockComplaints(lock),
  ];
}

function rowComplaints(row: ListedDependency, version: string | undefined, lock: Lock): string[] {
  const { name, publishedOn, reviewedOn } = row;
  if (version === undefined) return [`${PAGE}: ${name} is no dependency of package.json`];
  const complaints: string[] = [];
  if (row.version !== version)
    complaints.push(
      `${PAGE}: ${name} is ${version}, not ${row.version}; look at the new one, and at its day`,
    );
  const license = lock.packages[`node_modules/${name}`]?.license;
  if (row.license !== license)
    complaints.push(`${PAGE}: the licence of ${name} is ${license}, not ${row.license}`);
  if (!isDay(publishedOn) || !isDay(reviewedOn) || reviewedOn < publishedOn)
    complaints.push(`${PAGE}: ${name} needs the day of its version, and a later one of the last look`);
  if (row.reason === '') complaints.push(`${PAGE}: says nothing of what ${name} is for`);
  return complaints;
}

/** npm takes a package without an integrity as it comes, also on the machine of one who develops. */
function lockComplaints(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, { license, integrity, dev }]) => {
    if (path === '') return [];
    const name = path.replace(/^.*node_modules\//, '');
    const complaints: string[] = [];
    const good = dev === true ? [...GOOD_LICENSES, ...GOOD_LICENSES_OF_TESTS] : GOOD_LICENSES;
    if (!good.includes(license ?? ''))
      complaints.push(`package-lock.json: ${name} is under ${license ?? 'no licence'}: see ${PAGE}`);
    if (integrity === undefined) complaints.push(`package-lock.json: ${name} has no integrity`);
    // A path that two routers match differently is refused by one and served by the other.
    if (path.endsWith('/node_modules/find-my-way'))
      complaints.push(`package-lock.json: ${path} is a second router`);
    return complaints;
  });
}

function isDay(text: string): boolean {
  return /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text);
}

/** What somebody should look at again by `today`; never a reason to fail. */
export function dependencyWarnings(page: string, today: string): string[] {
  return listedDependencies(page)
    .filter(
      ({ publishedOn, reviewedOn }) =>
        monthsAfter(publishedOn, YOUNG_MONTHS) < today && monthsAfter(reviewedOn, LOOK_MONTHS) < today,
    )
    .map(
      ({ name, version, publishedOn, reviewedOn }) =>
        `${name} ${version} is of ${publishedOn} and was looked at on ${reviewedOn}: is it still kept up?`,
    );
}

/** Days as text compare in order; the 31st of a short month is between its end and the next. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(index / 12)}-${two((index % 12) + 1)}-${two(date)}`;
}
