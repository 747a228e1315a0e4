const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A file of a simulator, each byte a character. Null: it is longer than may be. */
export async function boundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > LARGEST_FILE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}
