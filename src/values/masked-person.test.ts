import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedDocument, maskedEmail } from './masked-person.ts';

test('the ends of a CPF are hidden, the number of a company is not', () => {
  assert.equal(maskedDocument('529.982.247-25'), '***.982.247-**');
  assert.equal(maskedDocument('52998224725'), '***.982.247-**');
  assert.equal(maskedDocument('11222333000181'), '11.222.333/0001-81');
  assert.equal(maskedDocument('RG 123'), '***');
});

test('of an e-mail address the first letter and the domain are shown', () => {
  assert.equal(maskedEmail('fabio@cliente.example'), 'f***@cliente.example');
  assert.equal(maskedEmail('@cliente.example'), '***');
  assert.equal(maskedEmail('sem arroba'), '***');
});
