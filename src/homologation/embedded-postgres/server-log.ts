import { constants } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import type { ServerAccount } from './server-account.ts';

/** One file before and one now: the log of the embedded server never takes more than twice this. */
const LONGEST_LOG_BYTES = 5 * 1024 * 1024;
const LOOK_AT_SIZE_MILLISECONDS = 60_000;
const TAIL_BYTES = 4_096;
const TAIL_LINES = 12;

/** The file the server writes its messages to; it keeps writing when Parcela is gone. */
export type ServerLog = {
  readonly fileDescriptor: number;
  /** The last lines since the log was opened, for reporting why the server did not start. */
  tail(): Promise<string>;
  close(): Promise<void>;
};

export async function openServerLog(file: string, account: ServerAccount | null): Promise<ServerLog> {
  // Appending is what lets the file be cut while the server writes to it.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  if (account !== null) await handle.chown(account.userId, account.groupId);
  await cutWhenLong(handle, file);
  const { size: start } = await handle.stat();
  const timer = setInterval(() => {
    // A full disk must not end the service: the next look tries again.
    cutWhenLong(handle, file).catch(() => {});
  }, LOOK_AT_SIZE_MILLISECONDS);
  timer.unref();
  return {
    fileDescriptor: handle.fd,
    async tail() {
      const { size } = await handle.stat();
      const from = Math.max(size < start ? 0 : start, size - TAIL_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
      return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
    },
    async close() {
      clearInterval(timer);
      await handle.close();
    },
  };
}

async function cutWhenLong(handle: FileHandle, file: string): Promise<void> {
  if ((await handle.stat()).size <= LONGEST_LOG_BYTES) return;
  await copyFile(file, `${file}.1`);
  await handle.truncate(0);
}
