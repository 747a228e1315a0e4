// Pages of the shop, in Portuguese for its buyers.

/** Markup that is safe; everything else that is put in is escaped. */
class Markup {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

const SPECIAL = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
function shown(value) {
  if (Array.isArray(value)) return value.map(shown).join('');
  if (value === null || value === undefined || value === false) return '';
  return value instanceof Markup ? value.text : `${value}`.replace(/[&<>"']/g, (one) => SPECIAL[one]);
}
const html = (parts, ...values) =>
  new Markup(parts.reduce((text, part, at) => text + shown(values[at - 1]) + part));

const reais = (value) => value.toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });

/** `refreshes`: the page asks again by itself. */
function frame({ base, trial }, title, content, { script = null, refreshes = false } = {}) {
  return html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Livraria Parcela</title>
<link rel="stylesheet" href="${base}/shop.css">
${refreshes && html`<script type="module" src="${base}/refresh.js"></script>`}
${script && html`<script type="module" src="${base}/${script}"></script>`}
</head>
<body>
<header>
<p class="name"><a href="${base}/">Livraria Parcela</a></p>
<nav aria-label="Loja"><a href="${base}/club">Clube</a> <a href="${base}/notifications">Notificações</a></nav>
</header>
<main>
<h1>${title}</h1>
${content}
</main>
${trial && html`<footer><p>Homologação: nada aqui custa dinheiro, e nenhum cartão é cobrado de verdade.</p></footer>`}
</body>
</html>
`;
}

export function shelfPage(shop, order) {
  const { base, book, club } = shop;
  return frame(
    shop,
    'Estante',
    html`<div class="shelf">
<section class="card"><h2>${book.description}</h2>
<p>Capa dura, 256 páginas.</p>
<p class="price">${reais(book.value)} <small>em até ${book.qttyInstallments} vezes, ou por Pix</small></p>
<form method="post" action="${base}/orders"><input type="hidden" name="order" value="${order}"><button>Comprar o livro</button></form>
</section>
<section class="card"><h2>Clube do Livro</h2>
<p>${club.description}, escolhido por nós. Cancele quando quiser.</p>
<p class="price">${reais(club.amount)} <small>a cada 30 dias, no cartão</small></p>
<p><a class="button" href="${base}/club">Assinar o clube</a></p>
</section>
</div>`,
  );
}

const BECAME = {
  Aberto: 'Falta pagar.',
  Processando: 'O pagamento está em andamento.',
  Pago: 'Pago. O livro já vai ser embalado.',
  Desativado: 'Este pedido foi cancelado.',
  Expirado: 'O prazo para pagar passou.',
};

export function orderPage(shop, { link, isSigned }) {
  const isOver = !['Aberto', 'Processando'].includes(link.status);
  return frame(
    shop,
    'Seu pedido',
    html`<p class="notice" role="status">${BECAME[link.status]}</p>
<dl><dt>Item</dt><dd>${link.description}</dd><dt>Total</dt><dd>${reais(link.value)}</dd></dl>
${isSigned !== null && html`<p class="quiet">${isSigned ? 'A loja conferiu a assinatura do resultado que você trouxe.' : 'O resultado veio sem assinatura que valha: a loja consultou o pagamento.'}</p>`}
${!isOver && html`<p><a class="button" href="${link.url}" target="_blank" rel="noopener">Ir para o pagamento (abre em outra aba)</a></p>`}
${shop.trial && !isOver && trialOfOrder(shop, link)}
${shop.trial && link.paymentId !== null && html`<p><a href="${shop.trial.consolePayments}/${link.paymentId}">Ver este pagamento no console</a></p>`}
<p><a href="${shop.base}/notifications">Ver as notificações que a loja recebeu</a></p>`,
    { refreshes: !isOver },
  );
}

function trialOfOrder({ base, trial }, { id, status }) {
  return html`<section class="trial" aria-labelledby="trial"><h2 id="trial">Como pagar em homologação</h2>
${trialCards()}
<p>Por Pix: peça o código na página de pagamento, volte a esta aba e mande pagar.</p>
${
  trial.pixPayerUrl &&
  html`<form method="post" action="${base}/orders/${id}/pix"><button class="secondary"${status === 'Processando' ? '' : new Markup(' disabled')}>O pagador simulado paga o Pix</button></form>`
}
</section>`;
}

const trialCards = () => html`<ul>
<li><code>5155 9012 2228 0001</code> aprova; validade futura, qualquer nome e código.</li>
<li><code>5200 0500 0000 0309</code> recusa sempre, por falta de saldo.</li>
</ul>`;

/** The fields of the card are Parcela's, in a frame. `fields`: where they come from, as the API says it. */
export function clubPage(shop, order, fields) {
  return frame(
    shop,
    'Clube do Livro',
    html`<p>${shop.club.description}: ${reais(shop.club.amount)} a cada 30 dias. Os campos do cartão são da Parcela: esta loja não lê o que você digita.</p>
<noscript><p>Ative o JavaScript do navegador: ele protege os dados do cartão.</p></noscript>
<form id="club" data-order="${order}" data-base="${shop.base}" data-script="${fields.script}" data-key="${fields.key}" class="narrow">
<div id="card"></div>
<p id="fault" class="fault" role="alert"></p>
<button>Assinar por ${reais(shop.club.amount)}</button>
</form>
<div id="done" class="notice" role="status" tabindex="-1"></div>
${shop.trial && html`<section class="trial" aria-labelledby="trial"><h2 id="trial">Cartões de homologação</h2>${trialCards()}</section>`}`,
    { script: 'club.js' },
  );
}

const NOT_HERE = {
  elsewhere:
    'As notificações desta conta vão para outro endereço, que alguém registrou. Remova-o no console, e elas voltam para cá.',
  nowhere:
    'A Parcela não aceita o endereço desta loja, que não é público: nenhuma notificação chega aqui. Os pedidos seguem sem elas.',
  unknown: 'Não foi possível saber agora se as notificações desta conta vêm para cá.',
};

/** `where`: as `register` of the shop gives it. */
export function notificationsPage(shop, { received, where }) {
  return frame(
    shop,
    'Notificações',
    html`<p>O que a Parcela contou a esta loja, o mais novo primeiro. Cada uma chegou assinada, e a loja conferiu.</p>
${where !== 'here' && html`<p class="notice">${NOT_HERE[where ?? 'unknown']}</p>`}
${received.length === 0 ? html`<p>Nenhuma ainda.</p>` : notificationTable(shop, received)}`,
    { refreshes: true },
  );
}

const time = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'medium',
  timeZone: 'America/Sao_Paulo',
});

function notificationTable({ trial }, received) {
  return html`<table>
<thead><tr><th scope="col">Quando</th><th scope="col">O que houve</th></tr></thead>
<tbody>${received.map((one) => {
    const words = html`${one.type}: ${one.oldValue && `${one.oldValue} → `}${one.newValue}`;
    const isLinked = trial !== null && one.paymentId !== null;
    return html`<tr><td>${time.format(new Date(one.moment))}</td><td>${isLinked ? html`<a href="${trial.consolePayments}/${one.paymentId}">${words}</a>` : words}<br><small>parcela ${one.installmentNumber}${one.nsu && `, NSU ${one.nsu}`}</small></td></tr>`;
  })}</tbody>
</table>
${trial && html`<p class="quiet">Cada uma leva ao pagamento no console.</p>`}`;
}

export function troublePage(shop, words) {
  return frame(
    shop,
    'Algo não deu certo',
    html`<p>${words}</p>\n<p><a href="${shop.base}/">Voltar à estante</a></p>`,
  );
}
