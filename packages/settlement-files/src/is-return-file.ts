import { isReturnHeader } from './banks/return-header.ts';
import { isNothing, LineSplitter, LONGEST_LINE, plainBytes } from './text-lines.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Decides by the first line and reads no further. */
export async function isReturnFile(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  const splitter = new LineSplitter();
  let size = 0;
  try {
    for await (const chunk of plainBytes(bytes)) {
      const line = splitter.push(chunk)?.find((one) => !isNothing(one));
      if (line !== undefined) return isReturnHeader(line);
      size += chunk.length;
      if (size > LONGEST_LINE) break;
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return false;
    throw error;
  }
  return isReturnHeader(splitter.last().find((one) => !isNothing(one)) ?? '');
}
