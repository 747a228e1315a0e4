import { parseArgs } from 'node:util';
import { openBench } from './acquirer/open-bench.ts';
import { POINTS } from './acquirer/points.ts';
import { openAntiFraudBench } from './antifraud/bench.ts';
import { ANTI_FRAUD_POINTS } from './antifraud/points.ts';
import { openBankBench } from './bank/bench.ts';
import { BANK_POINTS } from './bank/points.ts';
import { checkPoints, type PointResult } from './check-points.ts';
import { HttpClient } from './http-client.ts';

const HELP = `npm run conformance -- acquirer --url URL [options]
npm run conformance -- bank --url URL [options]
npm run conformance -- antifraud --url URL [options]

Holds a bridge to an acquirer against docs/acquirer-protocol.md, one to a bank against docs/bank-protocol.md, or an
anti-fraud provider against docs/antifraud-protocol.md, point by point. They charge cards, register boletos, and leave what
they ask on record: run them against a test environment. Ends with 0 when no point failed, with 1 when one did, with 2 when it could not begin.

  --url URL               where the bridge or the provider is
  --token TEXT            the bearer token, if a bank or a provider asks for one
  --merchant ID           the merchant that sells (conformance-1)
  --other-merchant ID     another one (conformance-2)
  --real-money            also where it does not say that it is a simulator
  --help                  this text

Of an acquirer:
  --card NUMBER           a Visa card or Mastercard that the acquirer approves (4111111111111111)
  --other-card NUMBER     another one (4012001037141112)
  --declined-amount CENTS what the acquirer declines (1051); "none" skips what needs a decline
  --declined-card NUMBER  the card that is declined, if another one
  --pending-amount CENTS  a cancellation that is accepted and decided later (2001); "none" skips it

Of a bank:
  --refused-value CENTS   a boleto that it refuses (2011); "none" skips it
  --paid-value CENTS      a boleto that is paid on its due day (2021); "none" skips it

Of an anti-fraud provider:
  --review-email ADDRESS  a buyer whom it reviews (fraud-review@test.com); "none" skips it
  --reject-email ADDRESS  a buyer whom it rejects (fraud-reject@test.com); "none" skips it
`;

const OPTIONS = {
  url: { type: 'string' },
  merchant: { type: 'string', default: 'conformance-1' },
  'other-merchant': { type: 'string', default: 'conformance-2' },
  card: { type: 'string', default: '4111111111111111' },
  'other-card': { type: 'string', default: '4012001037141112' },
  'declined-amount': { type: 'string', default: '1051' },
  'declined-card': { type: 'string' },
  'pending-amount': { type: 'string', default: '2001' },
  'refused-value': { type: 'string', default: '2011' },
  'paid-value': { type: 'string', default: '2021' },
  token: { type: 'string' },
  'review-email': { type: 'string', default: 'fraud-review@test.com' },
  'reject-email': { type: 'string', default: 'fraud-reject@test.com' },
  'real-money': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readWords(words: string[]) {
  return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
}

type Values = ReturnType<typeof readWords>['values'];

/** The results of a suite, point by point. */
const SUITES: Readonly<Record<string, (url: string, values: Values) => AsyncIterable<PointResult>>> = {
  acquirer: (url, values) =>
    checkPoints(
      POINTS,
      openBench(url, {
        merchantId: values.merchant,
        otherMerchantId: values['other-merchant'],
        card: values.card,
        otherCard: values['other-card'],
        declinedAmount: values['declined-amount'] === 'none' ? null : Number(values['declined-amount']),
        declinedCard: values['declined-card'],
        pendingAmount: values['pending-amount'] === 'none' ? null : Number(values['pending-amount']),
      }),
    ),
  bank: (url, values) =>
    checkPoints(
      BANK_POINTS,
      openBankBench(url, {
        token: values.token ?? null,
        merchantId: values.merchant,
        otherMerchantId: values['other-merchant'],
        refusedValue: values['refused-value'] === 'none' ? null : Number(values['refused-value']),
        paidValue: values['paid-value'] === 'none' ? null : Number(values['paid-value']),
      }),
    ),
  antifraud: (url, values) =>
    checkPoints(
      ANTI_FRAUD_POINTS,
      openAntiFraudBench(url, {
        token: values.token ?? null,
        merchantId: values.merchant,
        otherMerchantId: values['other-merchant'],
        reviewEmail: values['review-email'] === 'none' ? null : values['review-email'],
        rejectEmail: values['reject-email'] === 'none' ? null : values['reject-email'],
      }),
    ),
};

/** Why the suite does not begin; null: it does. */
async function whyNot(client: HttpClient, isRealMoneyMeant: boolean): Promise<string | null> {
  const { status, body, lostBy } = await client.get('/about');
  if (status === null) return `nothing answers there: ${lostBy}`;
  const isSimulator = (Object(body) as { simulator?: unknown }).simulator === true;
  if (isSimulator || isRealMoneyMeant) return null;
  return 'what answers there does not say that it is a simulator; --real-money runs it all the same';
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
  const name = positionals.join();
  const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined;
  if (suite === undefined || url === undefined || !URL.canParse(url)) {
    console.error(HELP);
    return 2;
  }
  const reason = await whyNot(new HttpClient(url, values.token ?? null), values['real-money']);
  if (reason !== null) {
    console.error(`${reason}.`);
    return 2;
  }
  return (await report(suite(url, values))) ? 0 : 1;
}

/** Whether no point failed. */
async function report(results: AsyncIterable<PointResult>): Promise<boolean> {
  const counts: Record<PointResult['kind'], number> = { passed: 0, failed: 0, skipped: 0 };
  for await (const { kind, lines } of results) {
    counts[kind] += 1;
    console.log(lines.join('\n'));
  }
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}

process.exitCode = await main();
