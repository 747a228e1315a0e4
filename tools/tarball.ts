import { gzipSync } from 'node:zlib';

/** A file of an archive, under its path within. */
export type Packed = { readonly path: string; readonly content: Buffer; readonly isProgram: boolean };

const BLOCK_BYTES = 512;
/** Archives are filled up to whole records of twenty blocks. */
const RECORD_BYTES = 20 * BLOCK_BYTES;
const LONGEST_NAME = 100;
const LONGEST_PREFIX = 155;

/**
 * A tar archive (ustar), packed with gzip: the same files give the same bytes, whoever packs them,
 * where and when. Throws for a path that ustar cannot hold.
 */
export function tarball(files: readonly Packed[]): Buffer {
  const sorted = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
  const blocks = sorted.flatMap((file) => [
    headOf(file),
    file.content,
    padding(file.content.length, BLOCK_BYTES),
  ]);
  const bytes = Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
  return gzipSync(Buffer.concat([bytes, padding(bytes.length, RECORD_BYTES)]), { level: 9 });
}

function padding(length: number, unit: number): Buffer {
  return Buffer.alloc((unit - (length % unit)) % unit);
}

function headOf({ path, content, isProgram }: Packed): Buffer {
  const { prefix, name } = divided(path);
  const head = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  head.write(name, 0);
  head.write(octal(isProgram ? 0o755 : 0o644, 7), 100);
  // Owner and group: root.
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(content.length, 11), 124);
  // The time of its last change: none.
  head.write(octal(0, 11), 136);
  head.write(' '.repeat(8), 148);
  head.write('0', 156);
  head.write('ustar\u000000', 257);
  head.write(prefix, 345);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** A long path is divided at a slash. */
function divided(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= LONGEST_NAME) return { prefix: '', name: path };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(name) <= LONGEST_NAME && Buffer.byteLength(prefix) <= LONGEST_PREFIX)
      return { prefix, name };
  }
  throw new Error(`the path ${path} is too long for an archive`);
}
