import { AUTHORIZATION_MOVES, COLLECTION_MOVES } from '../src/recurrence/automatic/authorization.ts';

const DASH = 'A dash means that the event cannot happen there';

export const AUTHORIZATION_TABLE = {
  table: 'pix_authorizations',
  moves: AUTHORIZATION_MOVES,
  title: 'Authorizations of Pix Automático',
  text: `What a payer agreed to. ${DASH}.`,
  column: 'Meaning',
  states: {
    asking: 'the bank is asked to make it, again and again until it answers',
    waiting: 'its payer decides',
    approved: 'charges may be sent',
    ending: 'its subscription is over, and the bank is told until it answers',
    ended: 'nothing is charged under it any more',
  },
  events: {
    make: 'the bank made it',
    approve: 'its payer agreed',
    end: 'the bank has ended it, or has none',
    appear: 'the bank made it after its subscription ended',
  },
  first: ['asking'],
} as const;

export const COLLECTION_TABLE = {
  table: 'pix_collections',
  moves: COLLECTION_MOVES,
  title: 'Tries of Pix Automático',
  text: `What one try to collect a billing came to. ${DASH}.`,
  column: 'Meaning',
  states: {
    open: 'the bank decides, or has not answered',
    paid: 'it is paid',
    failed: 'it was not paid on its day, and may be tried again',
    denied: 'it was not paid, and the bank takes no further try',
    invalid: 'the bank does not take the charge',
    voided: 'nothing was charged, and nothing will be',
  },
  events: {
    pay: 'the bank says that it is paid',
    fail: 'the bank says that the try failed',
    deny: 'the bank says that the charge is over',
    invalidate: 'the bank refuses the charge',
    void: 'its subscription is over',
  },
  first: ['open'],
} as const;
