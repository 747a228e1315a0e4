// One installation at a time in a checkout: a folder as lock, with the processes at work and a
// heartbeat in it. Plain JavaScript of Node 18, like install.mjs.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const HEARTBEAT_MILLISECONDS = 5_000;
/** An installation on another machine of a shared checkout is given up after this much silence. */
const SILENT_HEARTBEAT_MILLISECONDS = 60_000;
const LOOK_AGAIN_MILLISECONDS = 300;

/** What to do is in the message; no stack. */
export class CannotInstall extends Error {}

/** The content of a JSON file; null when it is missing or broken. */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function sleep(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/**
 * Takes the lock of this checkout, or waits until another installation is over; then true when it
 * was waited for.
 */
export async function takeLock(lockFolder, deadlineMilliseconds, say, adviceFor) {
  const start = Date.now();
  let isWaiting = false;
  for (;;) {
    try {
      mkdirSync(lockFolder);
      writeFileSync(join(lockFolder, '.gitignore'), '*\n');
      writeOwner(lockFolder, [process.pid]);
      setInterval(() => keepLock(lockFolder), HEARTBEAT_MILLISECONDS).unref();
      return isWaiting;
    } catch (error) {
      if (error.code !== 'EEXIST')
        throw new CannotInstall(`${adviceFor(String(error.code))}\n${error.message}`);
    }
    const owner = readOwner(lockFolder);
    if (isStale(owner, deadlineMilliseconds)) {
      removeStaleLock(lockFolder, owner);
      continue;
    }
    if (!isWaiting) say(`Another installation is at work here${processesOf(owner)}: waiting for it\n`);
    isWaiting = true;
    if (Date.now() - start > deadlineMilliseconds) {
      throw new CannotInstall(
        `Another installation${processesOf(owner)} does not come to an end. End it, or remove ${lockFolder}`,
      );
    }
    await sleep(LOOK_AGAIN_MILLISECONDS);
  }
}

function processesOf(owner) {
  return owner.processIds.length === 0 ? '' : ` (process ${owner.processIds.join(' and ')})`;
}

export function writeOwner(lockFolder, processIds) {
  const file = join(lockFolder, 'owner.json');
  writeFileSync(`${file}.partial`, JSON.stringify({ processIds, host: hostname() }));
  renameSync(`${file}.partial`, file);
}

/** A lock whose owner is not written yet has no processes. */
function readOwner(lockFolder) {
  const owner = readJson(join(lockFolder, 'owner.json')) || { processIds: [], host: '' };
  let heardAt = Date.now();
  try {
    heardAt = statSync(lockFolder).mtimeMs;
  } catch {
    // Freed this moment: the next try takes it.
  }
  return { processIds: owner.processIds, host: owner.host, heardAt };
}

/**
 * An npm that outlived its installer still writes: its process counts as well, until the deadline.
 */
function isStale(owner, deadlineMilliseconds) {
  const silence = Date.now() - owner.heardAt;
  if (owner.host !== hostname() || owner.processIds.length === 0)
    return silence > SILENT_HEARTBEAT_MILLISECONDS;
  return silence > deadlineMilliseconds || !owner.processIds.some(isAlive);
}

function isAlive(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moved aside first: of two that find the same stale lock only one can move it. */
function removeStaleLock(lockFolder, owner) {
  const aside = `${lockFolder}-stale-${process.pid}`;
  try {
    renameSync(lockFolder, aside);
  } catch {
    return;
  }
  const moved = readJson(join(aside, 'owner.json'));
  if (moved !== null && String(moved.processIds) !== String(owner.processIds)) {
    // It was taken anew in between: give it back.
    renameSync(aside, lockFolder);
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

function keepLock(lockFolder) {
  try {
    utimesSync(lockFolder, new Date(), new Date());
  } catch {
    // Removed by hand: the installation goes on.
  }
}

export function freeLock(lockFolder) {
  rmSync(lockFolder, { recursive: true, force: true });
}
