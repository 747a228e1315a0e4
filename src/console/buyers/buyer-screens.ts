import type { ShownCard } from '../../cards/vault/vault-card.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import { GET_BOLETO } from '../../transactions/methods/boleto/contract.ts';
import { documentText } from '../../values/document-number.ts';
import { isUuid } from '../../values/ids.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { MAY_SEE_PERSON, shownDocument, shownEmail } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, cardText, facts, realMoment, section, table } from '../parts/page-parts.ts';
import { BUYER, buyerPath } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  OF_MERCHANT,
  OPERATION_DONE,
  operationRefused,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { buyerOfPayment, withBuyers } from '../payments/buyers-view.ts';
import { MOST_FOUND } from '../payments/payment-story.ts';
import { readPayments, type Things, thingSections, thingsOfDocuments } from '../payments/things-view.ts';

import { LONGEST_NOTE, noteFault } from './buyer-note.ts';
import type { BuyerNote } from './buyer-notes.sql.ts';

type Found = {
  readonly buyer: Buyer;
  readonly things: Things;
  readonly cards: readonly ShownCard[];
  readonly notes: readonly BuyerNote[];
};

type Bought = { readonly buyer: Buyer; readonly isPayment: boolean };

/** The buyer whom a purchase names. Null: there is no such purchase, or it names nobody. */
async function findBuyer(visit: Visit, tools: MerchantPageTools): Promise<Bought | null> {
  const { ask, parameters } = visit;
  const { boughtId = '' } = parameters;
  const payment = await ask(GET_PAYMENT, { parameters: { paymentId: boughtId } });
  if (payment.ok) {
    const [whole = payment.body] = await withBuyers([payment.body], visit, tools);
    const isPayment = whole.method !== 'boleto';
    const buyer = isPayment ? buyerOfPayment(whole) : await payerOf(boughtId, visit);
    return buyer && { buyer, isPayment };
  }
  const subscription = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId: boughtId } });
  const buyer = subscription.ok ? buyerOf(subscription.body.customer) : null;
  return buyer && { buyer, isPayment: false };
}

/** The payer as the boleto names him. As a payment, the boleto shows less of him. */
async function payerOf(boletoId: string, { ask }: Visit): Promise<Buyer | null> {
  const boleto = await ask(GET_BOLETO, { parameters: { boletoId } });
  return boleto.ok ? buyerOf(boleto.body.payer) : null;
}

const ONE: Screen<MerchantPageTools> = screen<MerchantPageTools, Found>({
  path: BUYER,
  ...OF_MERCHANT,
  title: 'Customer',
  async read(visit, tools) {
    const bought = await findBuyer(visit, tools);
    if (bought === null) return 'notFound';
    const { buyer, isPayment } = bought;
    const { merchantId, parameters } = visit;
    const { document } = buyer;
    if (document !== null) {
      const things = await thingsOfDocuments([document], visit, tools);
      const cards = await tools.findCards(merchantId, things.vaultIds);
      return { buyer, things, cards, notes: await tools.listNotes(merchantId, document) };
    }
    const payments = isPayment ? await readPayments([parameters.boughtId ?? ''], visit, tools) : [];
    return { buyer, things: { payments, subscriptions: [], boletos: [] }, cards: [], notes: [] };
  },
  view: buyerPage,
});

function buyerPage({ buyer, things, cards, notes }: Found, visit: Visit): Html {
  const { say, count } = visit.wording;
  return html`<p class="headline"><strong>${buyer.name ?? shownEmail(buyer.email)}</strong></p>
${facts([
  [say('Document'), shownDocument(buyer.document)],
  ['E-mail', shownEmail(buyer.email)],
])}
${buyer.document === null && html`<p class="note">${say('Without CPF or CNPJ nothing else that this customer bought can be found.')}</p>`}
${actionForm(visit, REVEAL, {
  values: visit.parameters,
  about: say('Document, e-mail, telephone and address are shown whole, once.'),
})}
<p class="note">${say('At most the newest {count} of each.', { count: count(MOST_FOUND) })}</p>
${thingSections(things, visit)}
${cards.length > 0 && section(say('Stored cards'), cardTable(cards, visit))}
${buyer.document !== null && section(say('Notes of the team'), noteList(notes, visit))}`;
}

function cardTable(cards: readonly ShownCard[], { wording }: Visit): Html {
  const { say } = wording;
  return table(say('Stored cards'), cards, [
    { title: say('Card'), cell: (one) => cardText(one) },
    { title: say('Valid until'), cell: (one) => `${one.expirationMonth}/${one.expirationYear}` },
  ]);
}

function noteList(notes: readonly BuyerNote[], visit: Visit): Html {
  const { wording } = visit;
  const { say } = wording;
  return html`${
    notes.length > 0 &&
    html`<ol class="timeline">${notes.map(
      ({ noteId, note, createdBy, createdAt }) =>
        html`<li>${realMoment(wording, createdAt)} <span>${note}</span> <span>${createdBy}</span> ${actionForm(visit, REMOVE_NOTE, { values: { ...visit.parameters, noteId }, about: say('It is gone for good.') })}</li>\n`,
    )}</ol>`
  }${noteForm(visit)}`;
}

function noteForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, ADD_NOTE, {
    typed,
    values: visit.parameters,
    about: say('Everybody who may see this customer reads it. Write no card number.'),
    fields: [{ name: 'note', label: say('Note'), isRequired: true, mostCharacters: LONGEST_NOTE }],
  });
}

/**
 * The CPF or CNPJ of the buyer. Notes are kept under it, so that each purchase of the customer shows them.
 */
async function documentOf(visit: Visit, tools: MerchantPageTools): Promise<string | null> {
  return (await findBuyer(visit, tools))?.buyer.document ?? null;
}

const toBuyer = ({ merchantId, parameters: { boughtId = '' } }: Visit) => buyerPath(merchantId, boughtId);

const NOBODY = 'Nothing names this customer any more.';

const ADD_NOTE: Action<MerchantPageTools> = {
  ...MAY_SEE_PERSON,
  path: `${BUYER}/notes`,
  title: 'Add a note',
  operation: 'addBuyerNote',
  needsNoReason: true,
  faultOf: ({ note = '' }) => noteFault(note),
  again: noteForm,
  async perform(visit, { note = '' }, tools) {
    const document = await documentOf(visit, tools);
    if (document === null) return operationRefused(404, visit.wording.say(NOBODY));
    const { merchantId, onceKey: noteId, user, parameters } = visit;
    const { boughtId = '' } = parameters;
    const isNamed = await tools.addNote({
      ...{ merchantId, noteId, document, note, boughtId },
      createdBy: user.name,
    });
    return isNamed ? OPERATION_DONE : operationRefused(404, visit.wording.say(NOBODY));
  },
  done: 'The note is kept.',
  next: toBuyer,
};

const REMOVE_NOTE: Action<MerchantPageTools> = {
  ...MAY_SEE_PERSON,
  path: `${BUYER}/notes/{noteId}/remove`,
  title: 'Remove the note',
  operation: 'removeBuyerNote',
  async perform(visit, _form, tools) {
    const { merchantId, wording, parameters } = visit;
    const { noteId = '' } = parameters;
    const document = isUuid(noteId) ? await documentOf(visit, tools) : null;
    const isGone = document !== null && (await tools.removeNote({ merchantId, noteId, document }));
    return isGone ? OPERATION_DONE : operationRefused(404, wording.say('There is no such note.'));
  },
  done: 'The note is removed.',
  next: toBuyer,
};

const REVEAL: Action<MerchantPageTools> = {
  ...MAY_SEE_PERSON,
  path: `${BUYER}/reveal`,
  title: 'Show the data of the customer',
  operation: 'revealBuyer',
  async perform(visit, _form, tools) {
    const bought = await findBuyer(visit, tools);
    if (bought === null) return operationRefused(404, visit.wording.say(NOBODY));
    return { ok: true, status: 200, body: bought.buyer };
  },
  done: 'It was shown.',
  reveal: (buyer, visit) => wholeFacts(buyer as Buyer, visit),
  next: toBuyer,
};

function wholeFacts(buyer: Buyer, { wording: { say } }: Visit): Html {
  const { name, document, writtenDocument, email, phone, address } = buyer;
  return facts([
    [say('Name'), name ?? '–'],
    [say('Document'), document === null ? (writtenDocument ?? '–') : documentText(document)],
    ['E-mail', email ?? '–'],
    [say('Telephone'), phone ?? '–'],
    [say('Address'), address ?? '–'],
  ]);
}

export const BUYER_SCREENS: readonly Screen<MerchantPageTools>[] = [ONE];
export const BUYER_ACTIONS: readonly Action<MerchantPageTools>[] = [REVEAL, ADD_NOTE, REMOVE_NOTE];
