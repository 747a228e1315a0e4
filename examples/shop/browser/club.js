// Encrypts the card that is typed and sends it to the shop. What was typed goes nowhere else.
import { encryptCard } from './encrypt-card.js';

const at = (id) => document.getElementById(id);
const form = at('club');
const { base } = form.dataset;
let { order } = form.dataset;
const digitsOf = (id) => at(id).value.replaceAll(/\D/g, '');

function cardOf() {
  const [, month, year] = /^(0[1-9]|1[0-2])\/?(\d\d)$/.exec(at('expiry').value.trim()) ?? [];
  const [cardNumber, securityCode, cardholderName] = [
    digitsOf('number'),
    digitsOf('code'),
    at('holder').value.trim(),
  ];
  const isWhole = /^\d{13,19}$/.test(cardNumber) && /^\d{3,4}$/.test(securityCode) && cardholderName !== '';
  if (!isWhole || month === undefined) return null;
  return { cardNumber, securityCode, cardholderName, expirationMonth: month, expirationYear: year };
}

async function subscribe() {
  const card = cardOf();
  if (card === null) throw new Error('Confira número, nome, validade (como 08/30) e código.');
  const key = await (await fetch(`${base}/club/key`)).json();
  const encryptedCard = await encryptCard(key, card);
  const reply = await fetch(`${base}/club`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order, encryptedCard }),
  });
  const told = await reply.json();
  if (reply.status === 409) order = crypto.randomUUID();
  if (!reply.ok) throw new Error(told.message);
  return told.url;
}

form.noValidate = true;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  at('fault').textContent = '';
  try {
    const link = document.createElement('a');
    link.href = await subscribe();
    link.textContent = 'Abra a sua página de assinante';
    form.hidden = true;
    at('done').append(
      'Assinatura feita. Guarde o endereço: nela você vê o que é cobrado, troca o cartão e cancela. ',
      link,
    );
    at('done').focus();
  } catch (error) {
    // An order that was sent is sent again as the same one, whatever became of it.
    const isTold = error instanceof Error && error.constructor === Error && error.message !== '';
    at('fault').textContent = isTold
      ? error.message
      : 'Não foi possível agora. Tente de novo em um instante.';
    button.disabled = false;
  }
});
