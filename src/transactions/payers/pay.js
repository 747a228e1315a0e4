// The script of pages that take a card, behind clients/browser/encrypt-card.js. Nothing of the card is sent in clear.
const given = JSON.parse(document.getElementById('given').textContent);
const form = document.getElementById('card');
const at = (id) => document.getElementById(id);
const digitsOf = (text) => text.replaceAll(/\D/g, '');

/** By the longest prefix, as the service does. */
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
  if (isSound.includes(false)) return null;
  return {
    cardNumber: number,
    cardholderName: holder,
    expirationMonth: month,
    expirationYear: year,
    securityCode: code,
  };
}

/** By the clock of the service: the buyer's may be wrong. */
function encrypted(card) {
  const createdAt = new Date(Date.parse(given.now) + performance.now()).toISOString();
  return encryptCard({ key: given.key, merchantId: given.merchantId, createdAt }, card);
}

function showWaiting(isWaiting) {
  for (const button of document.querySelectorAll('button')) button.disabled = isWaiting;
  at('working').hidden = !isWaiting;
}

function tell(text) {
  at('answer').textContent = text;
  at('answer').focus();
}

/** What the page shows then comes from the service: it alone knows what became of it. */
async function send(path, { body, notDone }) {
  showWaiting(true);
  tell('');
  let reply;
  try {
    reply = await fetch(`${location.pathname}/${path}`, {
      method: 'POST',
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const told = await reply.json();
    // Only the service itself can say that nothing was done: a proxy does not know.
    if ((reply.status === 429 || reply.status === 503) && Array.isArray(told)) {
      showWaiting(false);
      tell(notDone);
      return;
    }
    const { message } = told;
    // Of a proxy or a fault of ours nothing is known: the page is asked again.
    if (reply.status === 200 && typeof message === 'string') {
      showWaiting(false);
      tell(message);
      return;
    }
  } catch {
    // No answer: the page says what became of it.
  }
  location.reload();
}

if (form !== null) {
  at('number').addEventListener('input', showNumber);
  at('expiry').addEventListener('input', showExpiry);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (at('pay').disabled) return;
    const card = cardOf();
    if (card === null) {
      document.querySelector('[aria-invalid]').focus();
      return;
    }
    showWaiting(true);
    const brand = at('brand').value;
    const encryptedCard = await encrypted(card).catch(() => null);
    if (encryptedCard === null) {
      showWaiting(false);
      tell('Este navegador não consegue proteger os dados do cartão. Use outro navegador.');
      return;
    }
    const isBrandChosen = !at('brand-choice').hidden && brand !== '';
    const installments = at('installments');
    await send('card', {
      body: {
        encryptedCard,
        ...(installments && { installments: Number(installments.value) }),
        ...(isBrandChosen && { brand }),
      },
      notDone: form.dataset.notDone,
    });
  });
}

for (const button of document.querySelectorAll('[data-send]')) {
  const { send: path, sure, notDone } = button.dataset;
  button.addEventListener('click', async () => {
    if (sure === undefined || confirm(sure)) await send(path, { notDone });
  });
}
at('copy')?.addEventListener('click', async () => {
  const code = document.querySelector('.copy');
  const isCopied = await navigator.clipboard.writeText(code.textContent).then(
    () => true,
    () => false,
  );
  if (!isCopied) getSelection().selectAllChildren(code);
  at('copy').textContent = isCopied ? 'Código copiado' : 'Copie o código selecionado';
});
for (const part of document.querySelectorAll('.scripted')) part.hidden = false;

// Not while something is sent, or the code is selected to be copied.
if (given.refreshSeconds !== null)
  setInterval(() => {
    if (at('working').hidden && getSelection().isCollapsed) location.reload();
  }, given.refreshSeconds * 1_000);

// A page that the browser kept shows what was, not what is.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
