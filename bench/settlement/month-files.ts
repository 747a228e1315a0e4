import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileFormat, fileAnswer } from '../../simulators/acquirer/files.ts';
import { dayAfter, saoPauloDayOf } from '../../simulators/kit/days.ts';
import type { Month } from './month.ts';

/** Each merchant has an acquirer of its own. */
export type MonthFiles = { readonly merchantId: string; readonly formats: readonly FileFormat[] };

/** Writes the files of all days, and gives their paths in the order of the days. */
export async function writeMonthFiles(
  { charges, until }: Month,
  wanted: readonly MonthFiles[],
  folder: string,
  firstDay: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (let day = firstDay; day < saoPauloDayOf(until); day = dayAfter(day, 1)) {
    for (const { merchantId, formats } of wanted) {
      for (const format of formats) {
        const query = { merchantId, format, day, until: null, fault: null, position: 1 } as const;
        const { file } = fileAnswer(charges, query);
        if (file === undefined) throw new Error(`${format} of ${day} was not written`);
        const path = join(folder, file.name);
        await pipeline(Readable.from(withEnds(file.lines)), createWriteStream(path));
        paths.push(path);
      }
    }
  }
  return paths;
}

function* withEnds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\r\n`;
}
