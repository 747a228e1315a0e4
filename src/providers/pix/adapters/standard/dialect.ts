import type { ProviderOptions } from '../../../provider.ts';

/** What differs between banks of one standard, and what only its client knows. */
export type PixDialect = {
  /** The Pix key of the receiver. */
  readonly key: string;
  /** Where access tokens are given. */
  readonly tokenUrl: string;
  /** Separated by blanks. */
  readonly scope: string;
  /** Receipts of one page. */
  readonly pageSize: number;
  /** How far a question for receipts goes back behind the last one. */
  readonly overlapMilliseconds: number;
};

const USUAL_SCOPE = 'cob.write cob.read cobv.write cobv.read pix.write pix.read';
const USUAL_PAGE_SIZE = 100;
const MOST_PAGE_SIZE = 1_000;
const USUAL_OVERLAP_SECONDS = 900;
const MOST_OVERLAP_SECONDS = 86_400;

export const PIX_OPTIONS = ['key', 'tokenUrl', 'scope', 'pageSize', 'overlapSeconds'] as const;

/** A text is the fault, as the end of a sentence that begins with the option. */
export function readDialect(url: string, options: ProviderOptions): PixDialect | string {
  const unknown = Object.keys(options).find((name) => !PIX_OPTIONS.some((known) => known === name));
  if (unknown !== undefined) return `${unknown}: is none of ${PIX_OPTIONS.join(', ')}`;
  const { key = '', tokenUrl = new URL('/oauth/token', url).href, scope = USUAL_SCOPE } = options;
  if (!/^[\x21-\x7e]{1,77}$/.test(key)) return 'key: must be the Pix key of the receiver';
  if (!URL.canParse(tokenUrl)) return 'tokenUrl: must be an address';
  if (new URL(tokenUrl).protocol !== new URL(url).protocol) return 'tokenUrl: must be as safe as the address';
  const pageSize = numberOf(options.pageSize, USUAL_PAGE_SIZE, MOST_PAGE_SIZE);
  if (pageSize === null) return `pageSize: must be a number up to ${MOST_PAGE_SIZE}`;
  const overlapSeconds = numberOf(options.overlapSeconds, USUAL_OVERLAP_SECONDS, MOST_OVERLAP_SECONDS);
  if (overlapSeconds === null) return `overlapSeconds: must be a number up to ${MOST_OVERLAP_SECONDS}`;
  return { key, tokenUrl, scope, pageSize, overlapMilliseconds: overlapSeconds * 1_000 };
}

function numberOf(text: string | undefined, usual: number, most: number): number | null {
  if (text === undefined) return usual;
  const value = Number(text);
  return /^\d{1,9}$/.test(text) && value >= 1 && value <= most ? value : null;
}
