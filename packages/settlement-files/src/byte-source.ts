import type { Gunzip, InflateRaw } from 'node:zlib';
import type { Sentence } from './sentence.ts';
import { UnreadableFile } from './unreadable-file.ts';

export const TOO_LARGE: Sentence = {
  pt: 'O arquivo compactado cresce demais ao ser aberto.',
  en: 'The compressed file grows too much when it is opened.',
};

/** Ten million lines of the longest format. */
const MOST_BYTES = 10 * 2 ** 30;

/** Bytes by chunk or by count. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Buffer = Buffer.alloc(0);
  #readCount = 0;
  #inflatedCount = 0;
  #isReading = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** How many bytes are taken. */
  get position(): number {
    return this.#readCount - this.#left.length;
  }

  /** null: the end. */
  async next(): Promise<Buffer | null> {
    let chunk = this.#left;
    this.#left = Buffer.alloc(0);
    while (chunk.length === 0) {
      this.#isReading = true;
      const { done, value } = await this.#chunks.next();
      this.#isReading = false;
      if (done === true) return null;
      this.#readCount += value.length;
      chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return chunk;
  }

  /** The end of the chunk that was taken last. */
  putBack(bytes: Buffer): void {
    this.#left = bytes;
  }

  /** Fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    while (this.#left.length < count) {
      // A copy, because the caller may reuse its buffer.
      const known = Buffer.from(this.#left);
      this.#left = Buffer.alloc(0);
      const more = await this.next();
      this.#left = more === null ? known : Buffer.concat([known, more]);
      if (more === null) break;
    }
    return this.#left.subarray(0, count);
  }

  /** A copy; fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const bytes = Buffer.from(await this.peek(count));
    this.#left = this.#left.subarray(bytes.length);
    return bytes;
  }

  /** Up to the end that the compressed bytes have in themselves. */
  async *inflated(engine: Gunzip | InflateRaw, broken: Sentence): AsyncGenerator<Buffer> {
    let given = 0;
    let last: Buffer = Buffer.alloc(0);
    const feed = async () => {
      // Bytes that it does not consume are behind the end; it may then never call back.
      while (engine.bytesWritten === given) {
        const chunk = await this.next();
        if (chunk === null) break;
        last = chunk;
        given += chunk.length;
        await new Promise<void>((resolve, reject) => {
          engine.write(chunk, (error) => (error ? reject(error) : resolve()));
        });
      }
      engine.end();
    };
    feed().catch((error: unknown) => engine.destroy(error as Error));
    try {
      for await (const chunk of engine as AsyncIterable<Buffer>) {
        this.#inflatedCount += chunk.length;
        if (this.#inflatedCount > MOST_BYTES) throw new UnreadableFile(TOO_LARGE);
        yield chunk;
      }
      this.putBack(last.subarray(last.length - (given - engine.bytesWritten)));
    } catch (error) {
      const isOfZlib = String((error as NodeJS.ErrnoException).code).startsWith('Z_');
      throw isOfZlib ? new UnreadableFile(broken) : error;
    } finally {
      engine.destroy();
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    for (let chunk = await this.next(); chunk !== null; chunk = await this.next()) yield chunk;
  }

  /** Waits for no read that is under way: it may never end. */
  async close(): Promise<void> {
    const closing = this.#chunks.return?.();
    if (this.#isReading) closing?.catch(() => {});
    else await closing;
  }
}
