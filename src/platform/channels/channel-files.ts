import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export type NamedFile = { readonly setting: string; readonly path: string };

/** The files of a channel to another program. Null: the file is not used. */
export type ChannelFiles = {
  /** PEM: the only trusted authorities; public ones are not trusted. */
  readonly authority: NamedFile | null;
  /** PEM: the certificate that this side shows, and the chain to its authority. */
  readonly certificate: NamedFile | null;
  readonly certificateKey: NamedFile | null;
  readonly token: NamedFile | null;
};

export const NO_CHANNEL_FILES: ChannelFiles = {
  authority: null,
  certificate: null,
  certificateKey: null,
  token: null,
};

export type ChannelCredentials = {
  readonly ca: string | null;
  readonly clientCertificate: { readonly certificate: string; readonly key: string } | null;
  readonly token: string | null;
};

/** A channel file that is unreadable or malformed. The message names its setting and none of its content. */
export class ChannelUnusable extends Error {
  override readonly name = 'ChannelUnusable';
}

const LARGEST_TOKEN_CHARACTERS = 4 * 1024;

/** Throws `ChannelUnusable`. */
export async function readChannelFiles(files: ChannelFiles): Promise<ChannelCredentials> {
  const [ca, certificate, key, token] = await Promise.all([
    contentOf(files.authority),
    contentOf(files.certificate),
    contentOf(files.certificateKey),
    contentOf(files.token),
  ]);
  if (files.authority !== null && ca !== null) checkCertificate(files.authority, ca);
  if (files.certificate !== null && certificate !== null) checkCertificate(files.certificate, certificate);
  const clientCertificate = certificate === null || key === null ? null : { certificate, key };
  if (clientCertificate !== null) checkPair(files.certificateKey as NamedFile, clientCertificate);
  return {
    ca,
    clientCertificate,
    token: token === null ? null : checkedToken(files.token as NamedFile, token),
  };
}

async function contentOf(file: NamedFile | null): Promise<string | null> {
  if (file === null) return null;
  return readFile(file.path, 'utf8').catch((error: Error) => {
    throw new ChannelUnusable(`${file.setting}: ${file.path} cannot be read (${error.message})`);
  });
}

export function certificatesOf(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** OpenSSL skips authorities that it cannot read, and would then trust none. */
function checkCertificate({ setting, path }: NamedFile, text: string): void {
  const all = certificatesOf(text);
  try {
    for (const one of all) new X509Certificate(one);
    if (all.length > 0) return;
  } catch {
    // The check below reports it.
  }
  throw new ChannelUnusable(`${setting}: ${path} holds no certificates in PEM`);
}

function checkPair(
  { setting, path }: NamedFile,
  { certificate, key }: NonNullable<ChannelCredentials['clientCertificate']>,
): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ChannelUnusable(`${setting}: ${path} is not the private key of the certificate (${code})`);
  }
}

function checkedToken({ setting, path }: NamedFile, text: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > LARGEST_TOKEN_CHARACTERS) {
    throw new ChannelUnusable(`${setting}: ${path} holds no token`);
  }
  return token;
}
