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

export const CIELO_VOID_REFUSALS: Readonly<Record<string, 'exceedsRemaining' | 'failed' | 'unknownCharge'>> =
  {
    ...Object.fromEntries([...words('3 52 77')].map((code) => [code, 'unknownCharge'])),
    ...Object.fromEntries([...words('51 102')].map((code) => [code, 'exceedsRemaining'])),
    ...Object.fromEntries(
      [...words('40 41 43 53 55 56 72 76 100 101 103 104 105 106 107 120 121 130')].map((code) => [
        code,
        'failed',
      ]),
    ),
  };
