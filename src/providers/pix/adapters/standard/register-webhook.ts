import { problemOf } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';
import { ALL_MERCHANTS, type Sent, type StandardClient } from './standard-client.ts';

const PIX_SCOPE = 'webhook.write webhook.read';
const RECURRING_SCOPE = 'webhookrec.write webhookrec.read webhookcobr.write webhookcobr.read';

/** What the bank was asked to tell, and why it does not; null: it does. */
export type RegisteredWebhook = { readonly resource: string; readonly fault: string | null };

/** For a client that registers an address alone: not every bank grants these with the others. */
export function scopedForWebhooks(dialect: PixDialect): PixDialect {
  return { ...dialect, scope: dialect.recurring === null ? PIX_SCOPE : `${PIX_SCOPE} ${RECURRING_SCOPE}` };
}

/** Tells the bank where changes are to be told: it appends `/pix`, `/rec` and `/cobr`. May be repeated. */
export async function registerWebhook(
  client: StandardClient,
  { key, recurring }: PixDialect,
  webhookUrl: string,
  timeout: number,
): Promise<RegisteredWebhook[]> {
  const told = { body: { webhookUrl }, mayBeEmpty: true } as const;
  const asked: Sent[] = [
    { path: `/webhook/${encodeURIComponent(key)}`, template: '/webhook/{chave}', ...told },
  ];
  if (recurring !== null)
    for (const path of ['/webhookrec', '/webhookcobr']) asked.push({ path, template: path, ...told });
  const registered: RegisteredWebhook[] = [];
  for (const sent of asked) {
    const answer = await client.write(ALL_MERCHANTS, 'PUT', sent, timeout);
    registered.push({ resource: sent.template, fault: faultOf(answer) });
  }
  return registered;
}

function faultOf(answer: Awaited<ReturnType<StandardClient['write']>>): string | null {
  if (answer.kind !== 'answer') return answer.reason;
  const { status, body } = answer;
  if (status >= 200 && status < 300) return null;
  const problem = problemOf(body);
  return `the bank answered ${status}${problem === '' ? '' : ` (${problem})`}`;
}
