import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parseArchiveLine } from './archive.ts';
import type { AuditEntry } from './audit-chain.ts';

/** Far beyond the longest entry. */
const LONGEST_LINE = 65_536;

/** A file that is no archive, or ends within a line. */
export class ArchiveUnreadable extends Error {}

/**
 * The entries of a file, in its order. Throws `ArchiveUnreadable`. Once it was read to its end, `sha256` is
 * called with the hash of all its bytes.
 */
export async function* readArchive(
  path: string,
  sha256: (hash: Buffer) => void = () => {},
): AsyncGenerator<AuditEntry> {
  const hash = createHash('sha256');
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const entry = parseArchiveLine(rest.toString('utf8', 0, end));
      if (entry === null) throw new ArchiveUnreadable(`${path} is no archive of audit entries`);
      rest = rest.subarray(end + 1);
      yield entry;
    }
    if (rest.length > LONGEST_LINE) throw new ArchiveUnreadable(`${path} is no archive of audit entries`);
  }
  if (rest.length > 0) throw new ArchiveUnreadable(`${path} ends within an entry`);
  sha256(hash.digest());
}

/** The hash of a file's bytes, whatever it holds. */
export async function sha256OfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest();
}
