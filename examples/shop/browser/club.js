// Puts Parcela's card fields on the page, and sends what they give to the shop. What is typed in them nobody here can read.
const at = (id) => document.getElementById(id);
const form = at('club');
const { base, script, key } = form.dataset;
let { order } = form.dataset;

const style = { background: '#ffffff', borderColor: '#767676', borderRadius: '4px', fontSize: '16px' };
const mounting = import(script).then(({ mountFields }) =>
  mountFields('#card', { key, style, onSubmit: () => form.querySelector('button').click() }),
);
mounting.catch((error) => {
  at('fault').textContent = wordsOf(error);
});

/** For the buyer: what browsers say of their own is not. */
function wordsOf(error) {
  const isTold = error instanceof Error && !(error instanceof TypeError) && !(error instanceof SyntaxError);
  return isTold ? error.message : 'Não foi possível agora. Tente de novo em um instante.';
}

async function subscribe() {
  const { encryptedCard, brand } = await (await mounting).card();
  const reply = await fetch(`${base}/club`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order, encryptedCard, brand }),
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
    at('fault').textContent = wordsOf(error);
    button.disabled = false;
  }
});
