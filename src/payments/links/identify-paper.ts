import { hash } from 'node:crypto';
import type { Boleto } from '../../transactions/methods/boleto/boleto.ts';
import { keyOfTry, type Link } from './link.ts';

/** By this only the browser that had a boleto made finds the address of its paper. */
export type Paper = {
  readonly try: string;
  /** The digest of the last part of that address. */
  readonly digest: string;
  /** The address before the last part. */
  readonly pages: string;
};

const LENGTH = 32;

/**
 * The script of the page computes the same. `secret`: of the browser; whoever knows it reads the payer's
 * data.
 */
export function pageKeyOfPaper(link: Pick<Link, 'linkId' | 'tries'>, secret: string): string {
  return hash('sha256', `${keyOfTry(link)}:${secret}`, 'hex').slice(0, LENGTH);
}

export function identifyPaper(
  link: Pick<Link, 'linkId' | 'tries'>,
  { pageKey }: Pick<Boleto, 'pageKey'>,
  pages: string,
): Paper {
  return { try: keyOfTry(link), digest: hash('sha256', pageKey, 'hex'), pages };
}
