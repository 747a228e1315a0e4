import type { Configuration } from '../../app/config.ts';
import { readChannelFiles } from '../../platform/channels/channel-files.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { weeklyFault } from '../../providers/pix/pix-settings.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import { listProviders } from '../../providers/providers.sql.ts';
import { countLostReceipts } from '../../transactions/methods/pix/receipts/odd-receipts.sql.ts';
import { checkAuthorities, checkOwnCertificate } from './check-channel.ts';
import { type Diagnosis, fault, fine, warning } from './diagnosis.ts';
import { lookAtPix } from './pix-looks.sql.ts';

/** Processes that are busy ask a bank what arrived some seconds late. */
const LATE_SECONDS = 900;
/** A bank takes days to accept another certificate. */
export const PIX_SOON_DAYS = 30;

/** Whether changes at banks of Pix arrive here, and the certificate shown to them lasts. */
export async function checkPix(database: Database, { pix }: Configuration): Promise<Diagnosis[]> {
  const added = (await listProviders(database)).filter(({ kind }) => kind === 'pix');
  const all = pix.url === null ? added : [{ name: DEFAULT_PROVIDER, settings: pix.settings }, ...added];
  const banks = all.map(({ name }) => name);
  if (banks.length === 0) return checkNotices(pix);
  const { unknown, unapplied, secondsLate } = await lookAtPix(database, banks);
  const found: Diagnosis[] = all.flatMap(({ name, settings }) => {
    const weekly = weeklyFault(settings);
    const remedy = 'see whether the bank takes a shorter lead time, or offer Monthly plans';
    return weekly === null ? [] : [warning('pix.leadDays', `${name}: ${weekly}`, remedy)];
  });
  if (secondsLate > LATE_SECONDS)
    found.push(
      fault(
        'pix.late',
        `no process has asked a bank of Pix what arrived for ${Math.round(secondsLate / 60)} minutes`,
        'see that a process with the role resolving runs',
      ),
    );
  if (unknown > 0)
    found.push(
      warning(
        'pix.unknown',
        `the fate of ${unknown} charges or devolutions of Pix is not known for an hour`,
        'parcela resolve list',
      ),
    );
  if (unapplied > 0)
    found.push(
      warning(
        'pix.unapplied',
        `${unapplied} Pix that arrived or left are not in the books for an hour`,
        'docs/runbook.md#the-bank-of-pix-is-away',
      ),
    );
  const lost = await countLostReceipts(database);
  if (lost.count > 0)
    found.push(
      warning(
        'pix.lost',
        `${lost.count} Pix arrived for charges that this database has lost${unkeptText(lost.unkept)}`,
        'parcela resolve changes, and docs/restore.md#charges-by-pix-of-the-lost-time',
      ),
    );
  found.push(...(await checkNotices(pix)));
  return found.length > 0 ? found : [fine('pix.followed', 'what arrives by Pix is asked for and applied')];
}

const unkeptText = (unkept: number) =>
  unkept === 0 ? '' : ', and more than are kept: the statement of the bank has the others';

async function checkNotices({ webhook }: Configuration['pix']): Promise<Diagnosis[]> {
  if (webhook === null) return [];
  const peer = { name: 'pixWebhook', setting: 'PARCELA_PIX_WEBHOOK', soonDays: PIX_SOON_DAYS };
  const credentials = await readChannelFiles(webhook.channel).catch((error: Error) => error);
  if (credentials instanceof Error)
    return [fault('pixWebhook.files', credentials.message, 'put a file there that fits')];
  return [...checkAuthorities(peer, credentials), ...checkOwnCertificate(peer, credentials)];
}
