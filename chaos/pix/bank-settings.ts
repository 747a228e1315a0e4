import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, makeCertificate } from '../../test/webhooks/certificates.ts';

/** As the services name themselves to their bank of Pix. */
export const PIX_CLIENT = 'parcela';
export const PIX_SECRET = 'secret';
export const PIX_KEY = 'pix@loja.example';
/** In which a proxy passes the certificate that it has seen. */
export const CERTIFICATE_HEADER = 'x-client-certificate';

const authority = makeAuthority();
export const CERTIFICATE_OF_BANK = makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }).certificate;

/**
 * A proxy ends the TLS of what the bank tells. The sweep is seldom enough that a notice comes first; pages
 * are short, so that it has several.
 */
export async function pixSettings(folder: string, bankUrl: string): Promise<Record<string, string>> {
  const [tokenFile, authorityFile] = [join(folder, 'pix-token'), join(folder, 'pix-authority.pem')];
  await writeFile(tokenFile, `${PIX_CLIENT}:${PIX_SECRET}`, { mode: 0o600 });
  await writeFile(authorityFile, authority.certificate);
  return {
    PARCELA_PIX_URL: `${bankUrl}/api/v2`,
    PARCELA_PIX_TOKEN_FILE: tokenFile,
    PARCELA_PIX_SETTINGS: `key=${PIX_KEY}; pageSize=20; account=123456; branch=0001; leadDays=3; testClock=told`,
    PARCELA_PIX_CHANGES_SECONDS: '2',
    PARCELA_PIX_WEBHOOK_PORT: '0',
    PARCELA_PIX_WEBHOOK_CA_FILE: authorityFile,
    PARCELA_PIX_WEBHOOK_CERTIFICATE_HEADER: CERTIFICATE_HEADER,
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
  };
}
