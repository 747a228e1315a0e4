import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../platform/home.ts';
import type { PageScript } from './card-page.ts';

/** What shops encrypt cards with on pages of their own, and the fields of our pages. */
const PARTS = ['clients/browser/encrypt-card.js', 'src/transactions/payers/card-form.js'];

/** Browsers run the script whose hash the policy of the page names, and no other. `last`: its own part. */
export function readPageScript(last = 'src/transactions/payers/pay.js'): PageScript {
  const [encryptCard = '', ...rest] = [...PARTS, last].map((path) => readFileSync(join(HOME, path), 'utf8'));
  const text = encryptCard.replace(/^export /m, '') + rest.join('');
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
