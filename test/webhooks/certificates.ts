import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** Certificates made for one run of a test, so that none lies in the repository and none runs out. */
export type Certified = { readonly certificate: string; readonly key: KeyObject; readonly keyText: string };

export type CertificateRequest = {
  /** Names and IPv4 addresses that it is good for. */
  readonly hosts?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** The signer; absent: itself. */
  readonly issuer?: Certified;
};

const DAY = 24 * 60 * 60 * 1_000;

/** An authority of our own. */
export function makeAuthority(): Certified {
  return make('Test Authority', {}, true);
}

/** A server's certificate. Valid from yesterday until in a month, by default. */
export function makeCertificate(wanted: CertificateRequest): Certified {
  return make('Test Server', wanted, false);
}

function make(commonName: string, wanted: CertificateRequest, isAuthority: boolean): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyText = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const { hosts = [], issuer } = wanted;
  const notBefore = wanted.notBefore ?? new Date(Date.now() - DAY);
  const notAfter = wanted.notAfter ?? new Date(Date.now() + 30 * DAY);
  const extensions = [
    extension('551d13', sequence(isAuthority ? boolean(true) : Buffer.alloc(0))),
    ...(hosts.length === 0 ? [] : [extension('551d11', sequence(...hosts.map(alternativeName)))]),
  ];
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name(issuer === undefined ? commonName : 'Test Authority'),
    sequence(time(notBefore), time(notAfter)),
    name(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const der = sequence(body, ECDSA_WITH_SHA256, bitString(signature));
  // No empty line at the end: OpenSSL takes none.
  const lines = (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  const certificate = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { certificate, key: privateKey, keyText };
}

/** One element of ASN.1 in DER: tag, length, content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), bytes]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

function bitString(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), bytes);
}

function objectIdentifier(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('2a8648ce3d040302'));

function name(commonName: string): Buffer {
  const value = tagged(0x0c, Buffer.from(commonName));
  return sequence(tagged(0x31, sequence(objectIdentifier('550403'), value)));
}

function time(moment: Date): Buffer {
  const text = `${moment.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  return tagged(0x18, Buffer.from(text));
}

function alternativeName(host: string): Buffer {
  return isIPv4(host)
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(id), tagged(0x04, value));
}
