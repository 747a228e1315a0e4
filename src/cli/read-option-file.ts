import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

const STANDARD_INPUT = '-';

/** `-` is the standard input. */
export async function readOptionFile(path: string): Promise<string> {
  return path === STANDARD_INPUT
    ? (await buffer(process.stdin)).toString('utf8')
    : readFileSync(path, 'utf8');
}
