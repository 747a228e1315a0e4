import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Of a test: gone with it. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parcela-simulator-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
