import type { ChannelCredentials } from '../platform/channels/channel-files.ts';
import { observeChannel, openChannel } from '../platform/channels/open-channel.ts';
import { urlOf } from '../platform/http/listen.ts';
import { trustedPeers } from '../platform/http/peers.ts';
import { counter } from '../platform/metrics.ts';
import { hastenAutomaticPix } from '../recurrence/automatic/hasten-looks.sql.ts';
import { askBankSoon } from '../transactions/methods/pix/notices/ask-bank-soon.ts';
import {
  NOTICE_OUTCOMES,
  type NoticeListener,
  openNoticeListener,
} from '../transactions/methods/pix/notices/open-notice-listener.ts';
import { hurryReceipts, hurryReturns } from '../transactions/methods/pix/receipts/receipts.sql.ts';
import { hastenRefunds } from '../transactions/methods/pix/refunds/refunds.sql.ts';
import type { AppContext } from './context.ts';

const NOTICES = counter(
  'parcela_pix_notices_total',
  'What banks of Pix told by their webhook, by what became of it; stranger: without a certificate that counts.',
  ['outcome'],
);

/** The listener for notices of banks of Pix. Null: no port is set. */
export async function openPixWebhook(context: AppContext): Promise<string | null> {
  const { configuration, closings, database, log, metrics, pixBanks } = context;
  const notices = metrics.counter(NOTICES);
  for (const outcome of NOTICE_OUTCOMES) notices.inc({ outcome }, 0);
  const { webhook } = configuration.pix;
  if (webhook === null || !configuration.roles.includes('http')) return null;
  const soon = askBankSoon(async (bank, notice) => {
    await hurryReceipts(database, bank);
    await hastenRefunds(database, notice.endToEndIds);
    if (notice.hasReturns) await hurryReturns(database, bank);
    await hastenAutomaticPix(database, notice);
  });
  let credentials: ChannelCredentials = { ca: null, clientCertificate: null, token: null };
  let renew: NoticeListener['renew'] = () => {};
  const channel = await openChannel(webhook.channel, {
    connectTimeoutMilliseconds: 1,
    ...observeChannel(
      { log, metrics },
      'pixWebhook',
      'changed files of the webhook of the bank of Pix are no good',
    ),
    onCredentials(read) {
      credentials = read;
      renew(read);
    },
  });
  closings.push({ name: 'files of the webhook of Pix', close: async () => channel.close() });
  const opened = openNoticeListener({
    tls: webhook.certificateHeader === null ? credentials : null,
    certificateHeader: webhook.certificateHeader,
    authorities: () => credentials.ca ?? '',
    isTrusted: trustedPeers(configuration.trustedProxies),
    isBank: (name) => pixBanks.all().includes(name),
    take: soon.take,
    observe: (outcome) => notices.inc({ outcome }),
  });
  renew = opened.renew;
  closings.push({
    name: 'webhook of Pix',
    close: async () => {
      soon.close();
      await opened.close();
    },
  });
  await new Promise<void>((resolve, reject) => {
    opened.server.once('error', reject);
    opened.server.listen({ host: webhook.host, port: webhook.port }, resolve);
  });
  const url = urlOf(webhook.host, opened.server.address(), '');
  return webhook.certificateHeader === null ? url.replace('http:', 'https:') : url;
}
