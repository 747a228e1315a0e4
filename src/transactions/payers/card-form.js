// The fields of a card, behind clients/browser/encrypt-card.js. Nothing of the card is sent in clear.
const given = JSON.parse(document.getElementById('given').textContent);
const form = document.getElementById('card');
const at = (id) => document.getElementById(id);
const digitsOf = (text) => text.replaceAll(/\D/g, '');

/** The brand whose prefix fits best (the longest one), as in the service. */
function brandOf(number) {
  let found = null;
  let length = 0;
  for (const [brand, { ranges }] of Object.entries(given.brands)) {
    for (const range of ranges) {
      const [first, last = first] = range.split('-');
      const prefix = number.slice(0, first.length);
      if (first.length > length && prefix >= first && prefix <= last) [found, length] = [brand, first.length];
    }
  }
  return found;
}

function passesLuhn(number) {
  let sum = 0;
  for (let fromRight = 0; fromRight < number.length; fromRight += 1) {
    const digit = Number(number[number.length - 1 - fromRight]) * (fromRight % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

function say(field, text) {
  at(`${field}-fault`).textContent = text;
  if (text === '') at(field).removeAttribute('aria-invalid');
  else at(field).setAttribute('aria-invalid', 'true');
  return text === '';
}

const lengthsOf = (brand) => given.brands[brand]?.lengths ?? [13, 14, 15, 16, 17, 18, 19];
const isWhole = (number) => lengthsOf(brandOf(number)).includes(number.length);

function showNumber() {
  const number = digitsOf(at('number').value).slice(0, 19);
  at('number').value = number.replace(/(.{4})(?=.)/g, '$1 ');
  const brand = brandOf(number);
  at('number-brand').textContent = brand === null ? '' : given.brandNames[brand];
  at('brand-choice').hidden = brand !== null || number.length < 13;
  say('number', isWhole(number) && !passesLuhn(number) ? 'Confira o número do cartão.' : '');
}

function showExpiry() {
  const digits = digitsOf(at('expiry').value).slice(0, 4);
  at('expiry').value = digits.length > 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits;
}

function cardOf() {
  const number = digitsOf(at('number').value);
  const [month, year] = at('expiry').value.split('/');
  const holder = at('holder').value.trim();
  const code = digitsOf(at('code').value);
  const codeLength = given.brands[brandOf(number)]?.securityCodeLength;
  const isSound = [
    say('number', isWhole(number) && passesLuhn(number) ? '' : 'Confira o número do cartão.'),
    say('holder', holder === '' ? 'Informe o nome impresso no cartão.' : ''),
    say(
      'expiry',
      /^(0[1-9]|1[0-2])$/.test(month) && /^\d\d$/.test(year ?? '') ? '' : 'Informe mês e ano, como 08/30.',
    ),
    say(
      'code',
      codeLength === undefined
        ? code.length < 3
          ? 'Confira o código.'
          : ''
        : code.length === codeLength
          ? ''
          : `São ${codeLength} dígitos.`,
    ),
  ];
  if (isSound.includes(false)) {
    document.querySelector('[aria-invalid]').focus();
    return null;
  }
  return {
    cardNumber: number,
    cardholderName: holder,
    expirationMonth: month,
    expirationYear: year,
    securityCode: code,
  };
}

const CANNOT_ENCRYPT = 'Este navegador não consegue proteger os dados do cartão. Use outro navegador.';

/** What is sent of a card. `createdAt` goes by the clock of the service: the buyer's may be wrong. */
async function encrypted(card) {
  const createdAt = new Date(Date.parse(given.now) + performance.now()).toISOString();
  const encryptedCard = await encryptCard({ key: given.key, merchantId: given.merchantId, createdAt }, card);
  const brand = at('brand').value;
  return { encryptedCard, ...(!at('brand-choice').hidden && brand !== '' && { brand }) };
}

if (form !== null) {
  at('number').addEventListener('input', showNumber);
  at('expiry').addEventListener('input', showExpiry);
}
