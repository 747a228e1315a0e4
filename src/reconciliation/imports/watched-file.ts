/** A file of the watched folder, as a look saw it. */
export type WatchedFile = {
  /** Its size and time. */
  readonly mark: string;
  /** Since when it has not changed, by the clock that only runs forward. */
  readonly since: number;
  readonly restedFor: number;
  /** As at the look before. */
  readonly isSame: boolean;
  /** Whether it was refused as it is now, and may still be written. */
  readonly wasRefused: boolean;
};

/** How long a file must not have changed before it is refused for what its lines say. */
const REST_MILLISECONDS = 10 * 60_000;

/** What uploading programs name a file until it is whole. */
const UNFINISHED = /\.(part|partial|filepart|tmp|temp|crdownload)$/i;

export function isStillWritten(name: string): boolean {
  return name.startsWith('.') || UNFINISHED.test(name);
}

export function hasRested({ restedFor }: Pick<WatchedFile, 'restedFor'>): boolean {
  return restedFor >= REST_MILLISECONDS;
}

/** One that was refused is tried again when it has changed, or when it has rested. */
export function isToTry(file: WatchedFile): boolean {
  return file.isSame && (!file.wasRefused || hasRested(file));
}

const LONGEST_NAME_BYTES = 180;
const HASH_DIGITS = 12;

/**
 * Its name in another folder: with a part of its hash, so that no other content of the same name is
 * written over. One that was moved before keeps its name.
 */
export function movedName(name: string, sha256: string): string {
  const ending = `.${sha256.slice(0, HASH_DIGITS)}`;
  if (name.endsWith(ending)) return name;
  const bytes = Buffer.from(name).subarray(0, LONGEST_NAME_BYTES);
  return `${bytes.toString('utf8').replaceAll('\ufffd', '')}${ending}`;
}
