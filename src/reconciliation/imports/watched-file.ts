export type WatchedFile = {
  /** Size and modification time. */
  readonly mark: string;
  /** Since when it has not changed, on the monotonic clock. */
  readonly since: number;
  readonly restedFor: number;
  /** Unchanged since the last pass. */
  readonly isSame: boolean;
  /** Refused with this content; it may still be uploading. */
  readonly wasRefused: boolean;
};

/** How long a file stays unchanged before its lines get it refused. */
const REST_MILLISECONDS = 10 * 60_000;

/** Names of unfinished uploads. */
const UNFINISHED = /\.(part|partial|filepart|tmp|temp|crdownload)$/i;

export function isStillWritten(name: string): boolean {
  return name.startsWith('.') || UNFINISHED.test(name);
}

export function hasRested({ restedFor }: Pick<WatchedFile, 'restedFor'>): boolean {
  return restedFor >= REST_MILLISECONDS;
}

export function isToTry(file: WatchedFile): boolean {
  return file.isSame && (!file.wasRefused || hasRested(file));
}

const LONGEST_NAME_BYTES = 180;
const HASH_DIGITS = 12;

/** A part of the hash keeps other content of the same name from being overwritten. */
export function movedName(name: string, sha256: string): string {
  const ending = `.${sha256.slice(0, HASH_DIGITS)}`;
  if (name.endsWith(ending)) return name;
  const bytes = Buffer.from(name).subarray(0, LONGEST_NAME_BYTES);
  return `${bytes.toString('utf8').replaceAll('\ufffd', '')}${ending}`;
}
