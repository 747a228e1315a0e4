import { X509Certificate } from 'node:crypto';

/** PEM certificates of one file. */
export function readAuthorities(text: string): X509Certificate[] {
  const all = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return all.map((one) => new X509Certificate(one));
}

const LONGEST_HEADER = 16 * 1024;

/**
 * The certificate that a proxy has verified: PEM or its bare base64, perhaps percent-encoded, as proxies
 * write it; of a chain the first. Null: none, or none that counts now, or of another authority.
 */
export function readProxiedCertificate(
  header: string | undefined,
  authorities: readonly X509Certificate[],
  now: number,
): X509Certificate | null {
  if (header === undefined || header === '' || header.length > LONGEST_HEADER) return null;
  try {
    const text = decodeURIComponent(header.replaceAll('+', '%2B'));
    const base64 = text
      .split('-----END CERTIFICATE-----')[0]
      ?.replace('-----BEGIN CERTIFICATE-----', '')
      .split(',')[0]
      ?.replaceAll(/\s/g, '');
    const certificate = new X509Certificate(Buffer.from(base64 ?? '', 'base64'));
    const isInTime = certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
    const isOfThem = authorities.some(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    );
    return isInTime && isOfThem ? certificate : null;
  } catch {
    return null;
  }
}
