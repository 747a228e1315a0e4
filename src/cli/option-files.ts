import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

const STANDARD_INPUT = '-';

/** `-` is the standard input. */
export async function readOptionFile(path: string): Promise<string> {
  return path === STANDARD_INPUT
    ? (await buffer(process.stdin)).toString('utf8')
    : readFileSync(path, 'utf8');
}

export const isFile = async (path: string) => (await stat(path).catch(() => null))?.isFile() === true;
export const isFolder = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() === true;
