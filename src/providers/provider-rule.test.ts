import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chooseProvider,
  conditionText,
  nextProvider,
  type ProviderRule,
  type RoutedSale,
  reachedBy,
  readRule,
} from './provider-rule.ts';

const SALE: RoutedSale = { brand: 'visa', installmentCount: 3, amount: 20_000 };
const ALL = () => true;

function rules(...texts: string[]): ProviderRule[] {
  return texts.map((text) => {
    const rule = readRule(text);
    assert.ok(!('fault' in rule), JSON.stringify(rule));
    return rule;
  });
}

const chosen = (given: readonly ProviderRule[], sale = SALE, takes: (name: string) => boolean = ALL) =>
  chooseProvider(given, sale, 'id-1', takes);

test('the first rule that fits chooses, by brand, installments and amount', () => {
  const given = rules(
    'brand=elo,amex um',
    'installments=4-12 dois',
    'amount=1-19999 tres',
    'brand=visa quatro',
    'cinco',
  );
  assert.equal(chosen(given), 'quatro');
  assert.equal(chosen(given, { ...SALE, brand: 'elo' }), 'um');
  assert.equal(chosen(given, { ...SALE, installmentCount: 12 }), 'dois');
  assert.equal(chosen(given, { ...SALE, amount: 19_999 }), 'tres');
  assert.equal(chosen(given, { ...SALE, brand: null }), 'cinco');
  assert.equal(chosen([]), null);
});

test('a rule whose provider does not take the sale is passed over', () => {
  const given = rules('um', 'dois');
  assert.equal(
    chosen(given, SALE, (name) => name !== 'um'),
    'dois',
  );
  assert.equal(
    chosen(given, SALE, () => false),
    null,
  );
});

test('a share gets its part of the sales, and the same id the same provider again', () => {
  const given = rules('share=30 um', 'dois');
  const ids = Array.from(
    { length: 10_000 },
    (_, index) => `01997b2e-0000-7000-8000-${String(index).padStart(12, '0')}`,
  );
  const first = ids.map((id) => chooseProvider(given, SALE, id, ALL));
  const part = first.filter((name) => name === 'um').length / ids.length;
  assert.ok(Math.abs(part - 0.3) < 0.02, String(part));
  assert.deepEqual(
    ids.map((id) => chooseProvider(given, SALE, id.toUpperCase(), ALL)),
    first,
  );
});

test('a rule is read as it is written, and what is none is said in words', () => {
  for (const text of ['brand=visa,elo installments=2-12 amount=100-500 share=30', '', 'installments=1-1'])
    assert.equal(rules(`${text} beta`).map(conditionText)[0], text);
  for (const [text, fault, value] of [
    ['brand=visto beta', 'brandMalformed', 'brand=visto'],
    ['brand=visa,visa beta', 'brandMalformed', 'brand=visa,visa'],
    ['brand=visa, beta', 'brandMalformed', 'brand=visa,'],
    ['installments=12-2 beta', 'rangeMalformed', 'installments=12-2'],
    ['share=0 beta', 'shareMalformed', 'share=0'],
    ['when=now beta', 'conditionUnknown', 'when=now'],
    ['brand=visa=elo,mastercard beta', 'conditionUnknown', 'brand=visa=elo,mastercard'],
    ['alfa brand=visa beta', 'conditionUnknown', 'alfa'],
    ['brand=visa brand=elo beta', 'conditionTwice', 'brand=elo'],
    ['share=50 BETA', 'providerMissing', 'BETA'],
  ] as const)
    assert.deepEqual(readRule(text), { fault, value });
});

test('a sale that was not made goes to the next rule that fits, whatever its share, and never back', () => {
  const given = rules('brand=visa share=100 first', 'share=1 second', 'amount=1-5 third', 'first');
  const sale = { brand: 'visa', installmentCount: 1, amount: 9 } as const;
  assert.equal(
    nextProvider(given, sale, 'first', () => true),
    'second',
  );
  assert.equal(
    nextProvider(given, sale, 'second', () => true),
    'first',
  );
  assert.equal(
    nextProvider(given, sale, 'first', (name) => name !== 'second'),
    null,
    'the third does not fit',
  );
  assert.equal(
    nextProvider([], sale, 'first', () => true),
    null,
  );
});

test('behind a rule that fits all stand those that are asked only later', () => {
  const reached = (others: string[], ...texts: string[]) => {
    const { first, later } = reachedBy(rules(...texts), others);
    return [first.join(), later.join()];
  };
  assert.deepEqual(reached(['default']), ['default', '']);
  assert.deepEqual(reached(['um', 'dois']), ['um', 'dois']);
  assert.deepEqual(reached(['default'], 'rede', 'default'), ['rede', 'default']);
  assert.deepEqual(reached(['default'], 'brand=elo um', 'rede', 'amount=1-5 dois', 'um'), [
    'um,rede',
    'dois,default',
  ]);
  for (const condition of ['brand=visa', 'installments=1-2', 'amount=1-5', 'share=99'])
    assert.deepEqual(reached(['default'], `${condition} rede`), ['rede,default', '']);
});
