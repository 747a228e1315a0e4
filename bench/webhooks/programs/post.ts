import { openCarefulPost } from '../../../src/webhooks/posting/open-careful-post.ts';
import { openResolver } from '../../../src/webhooks/posting/open-resolver.ts';
import type { BareOrder, BareRun } from '../bare-posts.ts';

/**
 * The bare loop: the gateway's own client in a process of its own, posting one body over and over, so many
 * at once, with no database, no signature and nothing to remember. Argument: the order, as JSON.
 */

const order = JSON.parse(process.argv[2] as string) as BareOrder;
const { post, close } = openCarefulPost(
  { takesHttp: true, takesLoopback: true, openedNetworks: [] },
  openResolver(),
);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Parcela/bench',
  'webhook-id': '00000000-0000-7000-8000-000000000000',
  'webhook-timestamp': '1000000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
};

async function postUntil(endsAt: number, first: number): Promise<number> {
  let posted = 0;
  for (let turn = first; performance.now() < endsAt; turn += 1) {
    const url = order.urls[turn % order.urls.length] as string;
    const limits = { connectMilliseconds: 5_000, totalMilliseconds: 15_000 };
    const result = await post({ merchantId: 'loja', url, body: order.body, headers, ...limits });
    if (result.kind !== 'answered' || result.status !== 200) throw new Error(JSON.stringify(result));
    posted += 1;
  }
  return posted;
}

async function postAll(seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: order.atOnce }, (_, index) => postUntil(endsAt, index)),
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

await postAll(order.warmUpSeconds);
const before = process.cpuUsage();
const startedAt = performance.now();
const posted = await postAll(order.seconds);
const { user, system } = process.cpuUsage(before);
const run: BareRun = {
  perSecond: (posted * 1_000) / (performance.now() - startedAt),
  microsecondsEach: (user + system) / posted,
};
await close();
process.send?.(run, () => process.exit());
