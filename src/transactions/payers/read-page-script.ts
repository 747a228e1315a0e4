import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../platform/home.ts';
import type { PageScript } from './card-page.ts';

/** What shops encrypt cards with on pages of their own, and what is ours alone. */
const PARTS = ['clients/browser/encrypt-card.js', 'src/transactions/payers/pay.js'];

/** Browsers run the script whose hash the policy of the page names, and no other. */
export function readPageScript(): PageScript {
  const [encryptCard = '', page = ''] = PARTS.map((path) => readFileSync(join(HOME, path), 'utf8'));
  const text = encryptCard.replace(/^export /m, '') + page;
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
