import { type Denials, denials } from '../../direct-acquirer.ts';

/**
 * Rede's own table, by what a code proves. It is never an issuer's code: 51 is a product that the merchant
 * does not have here, and no lack of funds. What stands in no list proves nothing.
 */

export const REDE_SUCCESS = '00';
export const REDE_VERIFIED = '174';
/** Nothing is known of the reference or of the transaction. */
export const REDE_UNKNOWN = ['78', '353'];
/** No refund of this transaction. */
export const REDE_NO_REFUND = '369';
export const REDE_REFUND = { done: '359', accepted: '360' } as const;

/** Set-up and format, refused before an issuer is asked. */
export const REDE_NOT_MADE: ReadonlySet<string> = new Set(
  [
    '4 5 19 20 21 24 25 26 31 32 39 40 41 46 47 48 50 51 54 57 61 63 65 69 70 71 73 76 88 89 99 100',
    '132 133 151 154 155 156 157 158 167 169 170 172 898 1018 1019 1020 1021 1023 1027 1030 1032 1034 1036 1038',
    '3068 3069 3070 3086 3301 4030',
  ].flatMap((codes) => codes.split(' ')),
);

/** A no to this card, where the brand's code is missing. */
export const REDE_DECLINES: ReadonlySet<string> = new Set(
  [
    '1 2 3 15 16 33 35 36 37 38 53 55 58 59 72 79 80 82 83 84 86',
    '101 102 103 104 105 107 108 109 110 111 112 113 114 115 116 118 119 123 124 175',
  ].flatMap((codes) => codes.split(' ')),
);

/** Each charge has a reference of its own, and is sent once. */
export const REDE_REFERENCE_REUSED = '42';

/** The code says that it may be tried again, so what the brand said, if anything, is not final. */
export const REDE_UNCLEAR: ReadonlySet<string> = new Set('56 64 74 106 117 121 122 150 370 899'.split(' '));

/** Of a capture or refund itself, refused before anything is done. Wrong access is none: it may be mended. */
const OF_REQUEST = '51 54 57 63 69 70 71 73 88 97 98 158 167 169';

/** A no to a capture of what is held, which 171 (not allowed) and 355 (canceled) contradict. */
export const REDE_CAPTURE_REFUSALS: Denials = {
  ...denials('clear', null, `46 49 ${OF_REQUEST}`),
  ...denials('clear', 'expired', '173'),
  ...denials('doubtful', null, '171 355'),
};

/** 355 (canceled) contradicts sums of which something is left. */
export const REDE_REFUND_REFUSALS: Denials = {
  ...denials('clear', 'unknownCharge', '353'),
  // 371 may be tried again some hours later, by whoever asks anew.
  ...denials('unlessEarlier', 'exceedsRemaining', '357 358 373'),
  ...denials('unlessEarlier', 'failed', '371'),
  ...denials('doubtful', 'exceedsRemaining', '355'),
  ...denials('clear', 'failed', `173 351 354 363 365 374 ${OF_REQUEST}`),
};

/** "Forbidden": what is not captured is not given back; of what is, it is contradicted. */
export const REDE_FORBIDDEN = '351';

/** Too late for a refund. */
export const REDE_REFUND_LATE: ReadonlySet<string> = new Set(['173', '354']);
