#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { stderr, stdout } from 'node:process';
import { pipeline } from 'node:stream/promises';
import { readReturnEvents } from './banks/read-return-events.ts';
import { ReturnFileRefused } from './banks/return-entry.ts';
import { isReturnFile } from './is-return-file.ts';
import { readSettlementEvents } from './read-settlement-events.ts';

const USAGE = `Usage: settlement-files read FILE

Prints a file of an acquirer or a bank as JSON, an event a line: its head, its entries, then its end or why it
is refused. Nothing counts before the end. Exits with 1 if the file is refused.
`;

async function main([word, path, ...others]: readonly string[]): Promise<number> {
  if (word !== 'read' || path === undefined || others.length > 0) {
    stderr.write(USAGE);
    return 2;
  }
  let isRefused = false;
  const events = (await isReturnFile(createReadStream(path)))
    ? readReturnEvents(createReadStream(path))
    : readSettlementEvents(createReadStream(path));
  async function* lines() {
    try {
      for await (const event of events) {
        isRefused ||= event.type === 'refused';
        yield `${JSON.stringify(event)}\n`;
      }
    } catch (error) {
      if (!(error instanceof ReturnFileRefused)) throw error;
      isRefused = true;
      const { lineNumber, field, sentence } = error;
      const fault = { lineNumber, record: null, field: field?.field ?? null, sentence };
      yield `${JSON.stringify({ type: 'refused', faults: [fault] })}\n`;
    }
  }
  await pipeline(lines, stdout, { end: false });
  return isRefused ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') process.exitCode = 0;
  else if (code === undefined) throw error;
  else {
    stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
