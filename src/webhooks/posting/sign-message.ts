import { createHmac } from 'node:crypto';

/**
 * Standard Webhooks headers, which prove origin, content and freshness. There is one signature per secret:
 * while an old and a new secret are both valid, a merchant may switch at any moment. Without secrets there is
 * none. `timestampSeconds`: real time, for the receiver's clock.
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
