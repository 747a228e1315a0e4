import { openChannel } from '../../platform/channels/open-channel.ts';
import { credentialsChannel, openCredentials } from '../../providers/open-provider-table.ts';
import { PIX_CONNECT_MILLISECONDS, registerPixWebhook } from '../../providers/pix/open-pix-bank.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import { listProviders } from '../../providers/providers.sql.ts';
import { type AuditedCommandTools, type Command, required, visible } from '../command.ts';

const LONGEST_URL = 140;

/** Null: a bank can use the address. */
function urlFault(value: string): string | null {
  const url = URL.parse(value);
  const isBare = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isBare || url.protocol !== 'https:' || value.length > LONGEST_URL)
    return `must begin with https://, without password, query or fragment, and have up to ${LONGEST_URL} characters`;
  return null;
}

export const PIX_WEBHOOK_COMMAND: Command = {
  words: ['provider', 'webhook'],
  summary: 'tell a bank of Pix where it is to tell what changed: at /NAME of the address; may be repeated',
  options: [
    required('--name NAME', 'the bank of Pix; default is that of the settings'),
    required(
      '--url URL',
      'where the bank reaches PARCELA_PIX_WEBHOOK_PORT, such as https://pix.shop.example',
      { check: urlFault },
    ),
  ],
  opens: 'audited',
  async run(given, tools) {
    const name = given.one('name') ?? '';
    const url = `${(given.one('url') ?? '').replace(/\/+$/, '')}/${name}`;
    const bank = await openAccess(name, tools);
    if (bank === null)
      return {
        option: '--name',
        message: `--name: ${visible(name)} is no bank of Pix here: parcela provider list`,
      };
    try {
      const registered = await registerPixWebhook(bank.access, bank.channel, url);
      await record(tools, name, url);
      const bad = registered.filter(({ fault }) => fault !== null);
      return {
        lines: registered.map(({ resource, fault }) =>
          fault === null
            ? `${resource}: the bank tells at ${url}`
            : `${resource}: not registered: ${visible(fault)}`,
        ),
        json: { name, url, registered },
        isBad: bad.length > 0,
      };
    } finally {
      bank.channel.close();
    }
  },
};

async function openAccess(name: string, { database, keyring, pix }: AuditedCommandTools) {
  if (name === DEFAULT_PROVIDER) {
    if (pix.url === null) return null;
    const channel = await openChannel(pix.channel, {
      connectTimeoutMilliseconds: PIX_CONNECT_MILLISECONDS,
      onFault: () => {},
    });
    return { access: { url: pix.url, settings: pix.settings }, channel };
  }
  const found = (await listProviders(database)).find((one) => one.kind === 'pix' && one.name === name);
  if (found === undefined) return null;
  const channel = credentialsChannel(await openCredentials(keyring, found), PIX_CONNECT_MILLISECONDS);
  return { access: found, channel };
}

async function record({ audit, operator }: AuditedCommandTools, name: string, url: string): Promise<void> {
  await audit.transaction(async (tx) => {
    const resource = `providers/pix/${name}`;
    tx.record({ ...operator, action: 'provider.webhook', outcome: 'success', resource, detail: { url } });
  });
}
