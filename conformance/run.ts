import { parseArgs } from 'node:util';
import { checkBridge, type PointResult } from './acquirer/check-bridge.ts';
import { openBench } from './acquirer/open-bench.ts';
import type { Bench } from './acquirer/point.ts';

const HELP = `npm run conformance -- acquirer --url URL [options]

Holds a bridge to an acquirer against docs/acquirer-protocol.md, point by point. It charges cards: run it against
a test environment. Ends with 0 when no point failed, with 1 when one did, with 2 when it could not begin.

  --url URL               where the bridge is
  --merchant ID           the merchant that sells (conformance-1)
  --other-merchant ID     another one (conformance-2)
  --card NUMBER           a Visa card that the acquirer approves (4111111111111111)
  --other-card NUMBER     another one (4012001037141112)
  --declined-amount CENTS what the acquirer declines (1051); "none" skips what needs a decline
  --declined-card NUMBER  the Visa card that is declined, if another one
  --real-money            also where the bridge does not say that it is a simulator
  --help                  this text
`;

const OPTIONS = {
  url: { type: 'string' },
  merchant: { type: 'string', default: 'conformance-1' },
  'other-merchant': { type: 'string', default: 'conformance-2' },
  card: { type: 'string', default: '4111111111111111' },
  'other-card': { type: 'string', default: '4012001037141112' },
  'declined-amount': { type: 'string', default: '1051' },
  'declined-card': { type: 'string' },
  'real-money': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readWords(words: string[]) {
  return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
}

/** Why the suite does not begin; null: it does. */
async function whyNot({ bridge }: Bench, isRealMoneyMeant: boolean): Promise<string | null> {
  const { status, body, lostBy } = await bridge.get('/about');
  if (status === null) return `the bridge does not answer: ${lostBy}`;
  const isSimulator = (Object(body) as { simulator?: unknown }).simulator === true;
  if (isSimulator || isRealMoneyMeant) return null;
  return 'the bridge does not say that it is a simulator; --real-money runs it all the same';
}

async function main(): Promise<number> {
  let read: ReturnType<typeof readWords>;
  try {
    read = readWords(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  const { values, positionals } = read;
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const { url } = values;
  if (positionals.join() !== 'acquirer' || url === undefined || !URL.canParse(url)) {
    console.error(HELP);
    return 2;
  }
  const bench = openBench(url, {
    merchantId: values.merchant,
    otherMerchantId: values['other-merchant'],
    card: values.card,
    otherCard: values['other-card'],
    declinedAmount: values['declined-amount'] === 'none' ? null : Number(values['declined-amount']),
    declinedCard: values['declined-card'],
  });
  const reason = await whyNot(bench, values['real-money']);
  if (reason !== null) {
    console.error(`${reason}.`);
    return 2;
  }
  return (await report(bench)) ? 0 : 1;
}

/** Whether no point failed. */
async function report(bench: Bench): Promise<boolean> {
  const counts: Record<PointResult['kind'], number> = { passed: 0, failed: 0, skipped: 0 };
  for await (const { kind, lines } of checkBridge(bench)) {
    counts[kind] += 1;
    console.log(lines.join('\n'));
  }
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}

process.exitCode = await main();
