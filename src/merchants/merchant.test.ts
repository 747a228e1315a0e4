import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../values/instant.ts';
import { bareCnpj, changedMerchant, type NewMerchant, newMerchantRefusal, shownChange } from './merchant.ts';

const SHOP: NewMerchant = {
  merchantId: '01700555550000',
  cnpj: '11.222.333/0001-81',
  legalName: 'Padaria São João Ltda.',
  contact: { name: 'Ana Souza', email: 'ana@padaria.example', phone: '+55 11 91234-5678' },
  accountNumbers: ['1001', '1002'],
  productionAddresses: ['203.0.113.7', '2001:db8::/48'],
  softDescriptor: null,
  businessAddress: null,
};

const refusalOf = (change: Partial<NewMerchant>) =>
  newMerchantRefusal({ ...SHOP, ...change })?.refusal ?? null;

test('a merchant with CNPJ, name, contact and an account is registered', () => {
  assert.equal(newMerchantRefusal(SHOP), null);
  assert.equal(refusalOf({ productionAddresses: [] }), null);
  assert.equal(bareCnpj(SHOP.cnpj), '11222333000181');
});

test('the alphanumeric CNPJ of July 2026 is taken, with and without mask', () => {
  assert.equal(refusalOf({ cnpj: '12.ABC.345/01DE-35' }), null);
  assert.equal(refusalOf({ cnpj: '12abc34501de35' }), null);
});

test('a CNPJ whose check digits are wrong is refused', () => {
  assert.deepEqual(newMerchantRefusal({ ...SHOP, cnpj: '11.222.333/0001-82' }), {
    refusal: 'cnpjInvalid',
    value: '11.222.333/0001-82',
  });
});

test('each malformed field is refused by its own name', () => {
  assert.equal(refusalOf({ merchantId: '' }), 'merchantIdMalformed');
  assert.equal(refusalOf({ merchantId: 'x'.repeat(21) }), 'merchantIdMalformed');
  assert.equal(refusalOf({ merchantId: 'a b' }), 'merchantIdMalformed');
  assert.equal(refusalOf({ legalName: ' ' }), 'legalNameMalformed');
  assert.equal(refusalOf({ legalName: 'a\nb' }), 'legalNameMalformed');
  assert.equal(refusalOf({ legalName: 'é'.repeat(201) }), 'legalNameMalformed');
  assert.equal(refusalOf({ contact: { ...SHOP.contact, name: '' } }), 'contactNameMalformed');
  assert.equal(refusalOf({ contact: { ...SHOP.contact, email: 'ana' } }), 'contactEmailMalformed');
  assert.equal(refusalOf({ contact: { ...SHOP.contact, phone: 'notify me' } }), 'contactPhoneMalformed');
});

test('a soft descriptor is what acquirers take, and no card number', () => {
  assert.equal(refusalOf({ softDescriptor: 'LOJA*PEDIDO 7' }), null);
  assert.equal(refusalOf({ softDescriptor: 'PADARIA SÃO' }), 'softDescriptorMalformed');
  assert.equal(refusalOf({ softDescriptor: '4222222222222' }), 'softDescriptorMalformed');
  assert.equal(refusalOf({ businessAddress: 'Rua das Flores, 100 - São Paulo/SP' }), null);
  assert.equal(refusalOf({ businessAddress: 'a'.repeat(151) }), 'businessAddressMalformed');
  assert.equal(refusalOf({ businessAddress: 'Rua\nA' }), 'businessAddressMalformed');
});

test('no text of a merchant may hold the number of a card', () => {
  const { contact } = SHOP;
  const number = '5155901222280001';
  assert.equal(refusalOf({ merchantId: number }), 'merchantIdMalformed');
  assert.equal(refusalOf({ legalName: `Loja 5155 9012 2228 0001` }), 'legalNameMalformed');
  assert.equal(refusalOf({ contact: { ...contact, name: `Ana ${number}` } }), 'contactNameMalformed');
  assert.equal(refusalOf({ contact: { ...contact, email: `${number}@a.example` } }), 'contactEmailMalformed');
  assert.equal(refusalOf({ contact: { ...contact, phone: number } }), 'contactPhoneMalformed');
  assert.equal(refusalOf({ accountNumbers: ['1', '5155-9012-2228-0001'] }), 'accountMalformed');
});

test('a merchant needs an account, and no account twice', () => {
  assert.equal(refusalOf({ accountNumbers: [] }), 'accountMissing');
  assert.equal(refusalOf({ accountNumbers: ['1', '2', '1'] }), 'accountRepeated');
  assert.equal(refusalOf({ accountNumbers: ['1', 'a b'] }), 'accountMalformed');
});

test('addresses must be addresses or blocks', () => {
  assert.equal(refusalOf({ productionAddresses: ['203.0.113.7', '203.0.113.300'] }), 'addressMalformed');
  assert.equal(refusalOf({ productionAddresses: Array(101).fill('203.0.113.7') }), 'tooManyAddresses');
});

test('of a contact only what is changed is named, and the audit log keeps no person', () => {
  const merchant = {
    ...SHOP,
    createdAt: instant(0),
    isDisabled: false,
    hasBillingsHeld: false,
    isHeldByRestore: false,
  };
  const done = changedMerchant(merchant, { contact: { phone: '+55 11 5000 0000' }, legalName: 'Outra' });
  assert.deepEqual(done.fields, ['legalName', 'contactPhone']);
  assert.deepEqual(done.merchant.contact, { ...merchant.contact, phone: '+55 11 5000 0000' });
  assert.deepEqual(shownChange(merchant, done.merchant, done.fields), {
    'legalName.old': merchant.legalName,
    'legalName.new': 'Outra',
    contact: 'changed',
  });
  assert.deepEqual(changedMerchant(merchant, { contact: {}, softDescriptor: null }).fields, []);
});
