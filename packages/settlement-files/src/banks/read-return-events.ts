import { LineSplitter, LONGEST_LINE, plainBytes } from '../text-lines.ts';
import { UnreadableFile } from '../unreadable-file.ts';
import { CNAB240_LENGTH } from './cnab240-layout.ts';
import { CNAB400_LENGTH } from './cnab400-layout.ts';
import { companyOf, isCompany } from './company-of-file.ts';
import { type ReturnEntry, type ReturnFileHead, ReturnFileRefused } from './return-entry.ts';
import { refusedLength } from './return-faults.ts';
import { is240, is400 } from './return-header.ts';
import { ReturnFileReader } from './return-reading.ts';

export type ReturnEvent =
  | { readonly type: 'head'; readonly head: ReturnFileHead }
  | { readonly type: 'entry'; readonly entry: ReturnEntry }
  | {
      readonly type: 'end';
      readonly lineCount: number;
      /** It names none of the companies that were given. */
      readonly isOfAnother: boolean;
    };

/**
 * Uses constant memory. Nothing counts before the end. `companiesOf`: the CPF or CNPJ of those whose files of
 * a bank are expected; none: any. Throws `ReturnFileRefused` at the first fault, and
 * errors of the byte source.
 */
export async function* readReturnEvents(
  bytes: AsyncIterable<Uint8Array>,
  companiesOf: (bank: string) => readonly string[] = () => [],
): AsyncGenerator<ReturnEvent, void, undefined> {
  let company: string | null = null;
  const reader = new ReturnFileReader();
  let hasHead = false;
  try {
    for await (const line of linesOf(bytes)) {
      const entry = reader.take(line);
      company ??= companyOf(line);
      if (!hasHead && reader.head !== null) {
        hasHead = true;
        yield { type: 'head', head: reader.head };
      }
      if (entry !== null) yield { type: 'entry', entry };
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new ReturnFileRefused(1, 'unreadable', error.sentence);
  }
  const { head, lineCount } = reader.end();
  const ours = companiesOf(head.bank);
  const isOfAnother =
    company !== null && ours.length > 0 && !ours.some((one) => isCompany(company ?? '', one));
  yield { type: 'end', lineCount, isOfAnother };
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter(lengthOf);
  let count = 0;
  for await (const chunk of plainBytes(bytes)) {
    const lines = splitter.push(chunk);
    if (lines === null) throw refusedLength(count + 1, LONGEST_LINE, CNAB240_LENGTH);
    count += lines.length;
    yield* lines;
  }
  yield* splitter.last();
}

function lengthOf(start: string): number | null {
  if (is240(start)) return CNAB240_LENGTH;
  return is400(start) ? CNAB400_LENGTH : null;
}
