import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedCustomerFields, customerOf } from './customer.ts';

test('a customer is its four fields and nothing else, and without any of them there is none', () => {
  const described = { phone: '+55 11 99999-0000', name: 'Ana', isAdmin: true };
  assert.deepEqual(customerOf(described), { name: 'Ana', phone: '+55 11 99999-0000' });
  assert.equal(customerOf({}), null);
  assert.equal(customerOf(null), null);
  assert.equal(customerOf(undefined), null);
});

test('a change of a customer is the names of its fields, never what stands in them', () => {
  const ana = { name: 'Ana', email: 'ana@cliente.example' };
  assert.equal(changedCustomerFields(null, ana), 'name, email');
  assert.equal(changedCustomerFields(ana, { ...ana, documentNumber: '52998224725' }), 'documentNumber');
  assert.equal(changedCustomerFields(ana, { name: 'Ana Souza' }), 'name, email');
  assert.equal(changedCustomerFields(ana, null), 'name, email');
});
