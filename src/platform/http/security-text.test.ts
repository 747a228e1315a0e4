import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasExpired, readSecurityContact, securityText } from './security-text.ts';

function read(contact: string, expires: string) {
  const faults: string[] = [];
  const settings: Record<string, string> = {
    PARCELA_SECURITY_CONTACT: contact,
    PARCELA_SECURITY_EXPIRES: expires,
  };
  return { contact: readSecurityContact((name) => settings[name] ?? '', faults), faults };
}

test('contacts stand in their order, with the end of the last day', () => {
  const { contact, faults } = read('mailto:hole@shop.example, https://shop.example/hole', '2027-06-30');
  assert.deepEqual(faults, []);
  assert.ok(contact !== null);
  assert.equal(
    securityText(contact),
    'Contact: mailto:hole@shop.example\r\nContact: https://shop.example/hole\r\n' +
      'Expires: 2027-06-30T23:59:59Z\r\nPreferred-Languages: pt, en\r\n',
  );
  assert.equal(hasExpired(contact, new Date('2027-06-30T23:59:59Z')), false);
  assert.equal(hasExpired(contact, new Date('2027-07-01T00:00:00Z')), true);
  assert.deepEqual(read('', ''), { contact: null, faults: [] });
});

test('what is no contact, no day, or only one of the two is a fault', () => {
  for (const contact of [
    '',
    'hole@shop.example',
    'http://shop.example/hole',
    'javascript:alert(1)',
    'mailto:hole@shop.example\nExpires: 2099-01-01T00:00:00Z',
    'https://user:word@shop.example/',
    Array(9).fill('tel:+551140000000').join(),
  ]) {
    assert.equal(read(contact, '2027-06-30').faults.length, 1, contact);
  }
  for (const expires of ['', '2027-6-30', '2027-02-30', 'tomorrow', '2027-06-30T00:00:00Z']) {
    assert.equal(read('tel:+551140000000', expires).faults.length, 1, expires);
  }
});
