import { type Denials, denials } from '../../direct-acquirer.ts';

/** Cielo's own tables, by what a code proves. What stands in no list proves nothing. */

/** A payment is decided by its status alone. All others are undecided. */
export const CIELO_STATUS = {
  authorized: 1,
  confirmed: 2,
  denied: 3,
  voided: 10,
  refunded: 11,
  aborted: 13,
} as const;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Return codes of a denied payment that are no issuer's. */
export const CIELO_OWN_CODES = words(
  '2 9 11 21 22 24 60 67 70 72 80 85 89 90 97 98 99 475 999 AA AF AG AH AI AJ AV BD BL BM BN BO BP BR C1 C2 C3 CF CG DF DM ' +
    'DQ DS EB EE EK FC FE FF FG GA GD GF GK GT HJ IA KA KB KE NR RP SC U3',
);

/** Nobody was heard in time: the payment is looked up before it counts as denied. */
export const CIELO_TIMEOUTS = words('98 99 999 AA');

/** Errors of a request that is about its card; all others are about the merchant's set-up or the format. */
export const CIELO_CARD_ERRORS = words('117 118 125 126 127 128 146 213 214');
/** 0: an error inside. 302: the order number was used before. */
export const CIELO_UNCLEAR_ERRORS = words('0 302');

export const CIELO_VOIDED = words('0 9');
/** Accepted, or there already with the same data. */
export const CIELO_VOID_PENDING = words('10 223');

/** A no to a capture of what is held. What names another state of the payment, or none, contradicts that. */
export const CIELO_CAPTURE_REFUSALS: Denials = {
  ...denials('clear', null, '310 842'),
  // Not available to capture: a capture that was done is one reason.
  ...denials('unlessEarlier', null, '308'),
  ...denials('clear', 'expired', '843'),
  ...denials('doubtful', null, '307 841'),
};

/** Errors of a request to void: a table of their own, whose numbers mean other things elsewhere. */
export const CIELO_VOID_ERRORS: Denials = {
  ...denials('unlessEarlier', 'notApproved', '309 312'),
  ...denials('clear', 'failed', '310 311'),
  ...denials('doubtful', 'unknownCharge', '307'),
};

/** Too late for a void. */
export const CIELO_VOID_LATE = words('40 101');

/** Return codes of a void that nothing was done for. */
export const CIELO_VOID_REFUSALS: Denials = {
  ...denials('clear', 'unknownCharge', '3 52 77 206 209 215 217 221'),
  // An earlier void that was accepted or done leaves too little, or no balance.
  ...denials('unlessEarlier', 'exceedsRemaining', '51 55 102 130'),
  ...denials('unlessEarlier', 'notApproved', '41'),
  // 17 and 42: a cancel or a dispute of the sale is there already.
  ...denials('unlessEarlier', 'failed', '17 42 43 54 56 72 76'),
  ...denials('clear', 'failed', '40 53 58 60 100 101 103 104 105 106 107 108 120 121 160'),
};
