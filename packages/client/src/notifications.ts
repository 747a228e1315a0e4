export type Received = {
  /** As received: from `fetch`, from Node, or a plain object with lower-case names. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as received: JSON that is written anew has other bytes. */
  readonly body: Uint8Array;
  /** `whsec_…`, as it was shown once. */
  readonly secret: string;
  /** Milliseconds since 1970; default: now. */
  readonly now?: number;
};

const MOST_SECONDS = 300;

/** Whether a notification is Parcela's, unaltered and new. It may still come twice: use its `movementId`. */
export async function isGenuine({ headers, body, secret, now = Date.now() }: Received): Promise<boolean> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > MOST_SECONDS) return false;
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (key === null || key.length === 0) return false;
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  // While a secret is being changed there are two signatures: one valid one is enough.
  for (const text of signatures.split(' ')) {
    const given = text.startsWith('v1,') ? bytesOf(text.slice(3)) : null;
    if (given !== null && (await crypto.subtle.verify('HMAC', hmac, given, signed))) return true;
  }
  return false;
}

function headerOf(headers: Received['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : value?.join(' ');
}

/** null: not base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
