import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../platform/home.ts';
import type { PageScript } from './card-page.ts';

/** The script with which shops encrypt cards on their own pages, and that of the card fields on our pages. */
const PARTS = ['clients/browser/encrypt-card.js', 'src/transactions/payers/card-form.js'];

/**
 * Browsers run only the script whose hash the policy of the page names. `last`: the file of the page's own
 * part.
 */
export function readPageScript(last = 'src/transactions/payers/pay.js'): PageScript {
  const [encryptCard = '', ...rest] = [...PARTS, last].map((path) => readFileSync(join(HOME, path), 'utf8'));
  const text = encryptCard.replace(/^export /m, '') + rest.join('');
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
