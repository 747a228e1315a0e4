import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../platform/home.ts';
import type { PageScript } from './card-page.ts';

/** Browsers run the script whose hash the policy of the page names, and no other. */
export function readPageScript(): PageScript {
  const text = readFileSync(join(HOME, 'src/transactions/payers/pay.js'), 'utf8');
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
