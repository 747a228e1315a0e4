import { constants } from 'node:fs';
import { access, lstat, readFile, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Configuration } from '../../app/config.ts';
import { hasExpired } from '../../platform/http/security-text.ts';
import { type Diagnosis, fault, fine, reasonOf, warning } from './diagnosis.ts';

/** Beside those of callers: files, connections to the database, the acquirer, and merchants' servers. */
const OTHER_DESCRIPTORS = 2_000;
const LOW_BYTES = 1e9;
const LOWEST_BYTES = 100e6;

/** Node, limits, folders and what ends on a day. */
export async function checkMachine(configuration: Configuration): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [
    fine('node.version', `Node ${process.versions.node}`),
    ...(await checkDescriptors(configuration)),
    ...(await checkFolders(configuration)),
  ];
  const contact = configuration.securityContact;
  if (contact !== null && hasExpired(contact, new Date())) {
    const says = `the security contact ended on ${contact.expiresOn}`;
    found.push(warning('settings.contact', says, 'set PARCELA_SECURITY_EXPIRES to a later day'));
  }
  return found;
}

async function checkDescriptors({ connections }: Configuration): Promise<Diagnosis[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node takes as many as the hard limit allows.
  const most = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  const wanted = connections.inAll + OTHER_DESCRIPTORS;
  if (most === undefined || Number(most) >= wanted) return [];
  const says = `a process may open ${most} files, and ${connections.inAll} connections need ${wanted}`;
  return [warning('machine.descriptors', says, 'set LimitNOFILE= of the unit, or lower PARCELA_CONNECTIONS')];
}

async function checkFolders({ dataFolder, keyStore, settlementFolder }: Configuration): Promise<Diagnosis[]> {
  const folders = new Set([dataFolder]);
  if (keyStore.kind === 'file') folders.add(dirname(resolve(keyStore.path)));
  const found = (await Promise.all([...folders].map(checkSpace))).flat();
  if (settlementFolder === null) return found;
  const unusable = await checkSettlementFolder(settlementFolder);
  return [...found, ...(unusable === null ? await checkSpace(settlementFolder) : [unusable])];
}

async function checkSettlementFolder(path: string): Promise<Diagnosis | null> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return (await checkOwnFolder(path, 'taken')) ?? (await checkOwnFolder(path, 'refused'));
  } catch (error) {
    const says = `PARCELA_SETTLEMENT_FOLDER: ${reasonOf(error)}`;
    return fault(
      'settlement.folder',
      says,
      'make the folder, and let the account of the service write in it',
    );
  }
}

/** Files go there: the service makes it, and takes nothing where something else stands in its place. */
async function checkOwnFolder(path: string, name: 'taken' | 'refused'): Promise<Diagnosis | null> {
  const own = join(path, name);
  const found = await lstat(own).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) {
    await access(own, constants.W_OK | constants.X_OK);
    return null;
  }
  const says = `PARCELA_SETTLEMENT_FOLDER: ${name} is a ${found.isSymbolicLink() ? 'link' : 'file'} and no folder, so that no file is taken`;
  return fault(
    'settlement.folder',
    says,
    `move it away: the service makes ${name} anew; to have it elsewhere, mount it there`,
  );
}

/** Nothing where there is no such folder yet. */
async function checkSpace(path: string): Promise<Diagnosis[]> {
  const found = await statfs(path).catch(() => null);
  if (found === null) return [];
  const free = found.bavail * found.bsize;
  const says = `${(free / 1e6).toFixed(0)} MB are free in ${path}`;
  const advice = 'make more space on that disk';
  if (free < LOWEST_BYTES) return [fault('disk.full', says, advice)];
  return [free < LOW_BYTES ? warning('disk.low', says, advice) : fine('disk.space', says)];
}
