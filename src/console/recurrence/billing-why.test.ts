import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BillingCharge } from '../../recurrence/billings/charge-result.ts';
import { BILLING_STATE_WORDS, RULE_WORDS, writeCharge } from '../../recurrence/billings/contract.ts';

import type { Day } from '../../values/instant.ts';
import { consoleWording } from '../console-wording.ts';
import { billingWhy, type WholeBilling } from './billing-why.ts';

type Explained = Parameters<typeof billingWhy>[0];
type Entry = WholeBilling['timeline'][number];

const LANGUAGES = ['pt', 'en'] as const;
type Language = (typeof LANGUAGES)[number];

const opened: Entry = { at: '2026-11-01T10:00:00.000', type: 'Opened', by: 'system' };

function charged(change: Partial<BillingCharge>, language: Language): Entry {
  const charge = {
    attemptNumber: 1,
    outcome: 'funds',
    code: '51',
    brand: 'visa',
    transactionId: null,
    rule: 'noRetriesLeft',
    nextChargeOn: null,
    ...change,
  } as BillingCharge;
  const common = { at: '2026-11-21T00:00:03.120', type: 'Charged', by: 'system' } as const;
  return JSON.parse(JSON.stringify({ ...common, ...writeCharge(charge, language) }));
}

function why(change: Partial<Explained>, language: Language): string {
  const billing = { status: 'Opened', nsu: null, timeline: [opened], subscription: { status: 'Active' } };
  return billingWhy({ ...billing, ...change } as Explained, consoleWording()(language)).replaceAll(
    '\u00a0',
    ' ',
  );
}

test('every state has a sentence in both languages, whatever is known of it', () => {
  for (const status of Object.values(BILLING_STATE_WORDS)) {
    const [pt, en] = LANGUAGES.map((language) => why({ status }, language));
    for (const text of [pt, en]) assert.match(text ?? '', /^[^{}]{10,}\.$/, status);
    assert.notEqual(pt, en, status);
  }
});

test('every rule that was applied to a charge is said, and none with a gap', () => {
  for (const rule of Object.keys(RULE_WORDS) as (keyof typeof RULE_WORDS)[])
    for (const language of LANGUAGES)
      for (const status of ['Opened', 'Denied', 'PaymentInvalid'] as const) {
        const nextChargeOn = rule.startsWith('retry') ? ('2026-11-23' as Day) : null;
        const text = why({ status, timeline: [opened, charged({ rule, nextChargeOn }, language)] }, language);
        assert.match(text, language === 'pt' ? /O emissor respondeu 51, / : /The issuer said 51, /, rule);
        assert.doesNotMatch(text, /\{|undefined|null|\d{4}-\d{2}-\d{2}/, `${rule}: ${text}`);
      }
});

test('a retry names its day as people write it', () => {
  const retry = (language: Language) => [
    opened,
    charged({ rule: 'retry', nextChargeOn: '2026-11-23' as Day }, language),
  ];
  assert.match(
    why({ timeline: retry('pt'), nextChargeOn: '2026-11-23' }, 'pt'),
    /nova tentativa em 23\/11\/2026\.$/,
  );
  assert.match(
    why({ timeline: retry('en'), nextChargeOn: '2026-11-23' }, 'en'),
    /next try is on 23\/11\/2026\.$/,
  );
});

test('a charge under way, one that is made again, and one not yet made say so', () => {
  const underWay = charged({ rule: null, outcome: null, code: null }, 'en');
  assert.equal(
    why({ timeline: [opened, underWay], nextChargeOn: '2026-11-21' }, 'en'),
    'Under way: it waits for its outcome.',
  );
  const again = charged({ rule: 'sentAgain', outcome: 'voided', code: null }, 'en');
  assert.match(
    why({ timeline: [opened, again], nextChargeOn: '2026-11-21' }, 'en'),
    /made again\. It is charged on 21\/11\/2026\.$/,
  );
  assert.equal(why({ nextChargeOn: '2026-12-01' }, 'pt'), 'Será cobrada em 01/12/2026.');
});

test('what was paid says at which try', () => {
  const paid = (attemptNumber: number | null) =>
    why(
      {
        status: 'Paid',
        nsu: '42',
        timeline: [opened, charged({ attemptNumber, outcome: 'approved', rule: 'paid' }, 'en')],
      },
      'en',
    );
  assert.equal(paid(1), 'Paid at the first try on 21/11/2026, with the NSU 42.');
  assert.equal(paid(3), 'Paid at retry 2 on 21/11/2026, with the NSU 42.');
  assert.equal(paid(null), 'Paid by hand on 21/11/2026, with the NSU 42.');
});

test('what was denied says what can be done, also of a subscription that is blocked', () => {
  const timeline = [opened, charged({}, 'en')];
  assert.match(why({ status: 'Denied', timeline }, 'en'), /charged by hand, once the customer has funds/);
  const subscription = { status: 'Blocked' as const };
  assert.match(why({ status: 'Denied', timeline, subscription }, 'en'), /Give its subscription another card/);
});
