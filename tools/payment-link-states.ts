import { LINK_MOVES } from '../src/payments/links/link.ts';

/** A link is paid by one try at a time (decision 0212). */
export const LINK_TABLE = {
  table: 'payment_links',
  moves: LINK_MOVES,
  title: 'Payment links',
  text: 'A link is paid once, by one try at a time.',
  column: 'Shown as',
  states: {
    open: '`Aberto`, or `Expirado` after its last day',
    paying: '`Processando`: a try is under way, or its outcome is not known',
    paid: '`Pago`',
    disabled: '`Desativado`',
  },
  events: {
    begin: 'a buyer tries to pay',
    pay: 'the payment of the try was approved, or a Pix or boleto of any try paid',
    fail: 'the try came to no charge',
    disable: 'the merchant disables it',
    drop: 'the merchant disables it, and its Pix or boleto was taken away; or less was paid than it asks for',
    close: 'the database was restored: it may be paid already',
  },
  first: ['open'],
} as const;
