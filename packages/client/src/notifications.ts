export type Received = {
  /** As they came: of `fetch`, of Node, or a plain object with names in small letters. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came: JSON that is written anew has others. */
  readonly body: Uint8Array;
  /** `whsec_…`, as it was shown once. */
  readonly secret: string;
  /** Milliseconds since 1970; default: now. */
  readonly now?: number;
};

const MOST_SECONDS = 300;

/** Whether a notification is Parcela's, whole, and new. It may still come twice: go by its `movementId`. */
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
  // Two signatures come while a secret is being changed: one that is right will do.
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

/** Null: it is no base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
