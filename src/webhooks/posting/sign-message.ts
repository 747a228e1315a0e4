import { createHmac } from 'node:crypto';

/**
 * The headers of a message by Standard Webhooks: the owner of one of the secrets can verify that it
 * is ours, whole and new. One signature for each secret, so that a merchant may change to the new
 * one at any moment of the overlap; none without a secret. `timestampSeconds` is real time:
 * receivers compare it with their own clock.
 */
export function signMessage(
  secrets: readonly Buffer[],
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(timestampSeconds));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secrets.length === 0) return headers;
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return { ...headers, 'webhook-signature': signatures.join(' ') };
}
