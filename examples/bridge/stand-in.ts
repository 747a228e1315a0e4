export type Names = { readonly merchantId: string; readonly reference: string };
type Card = Readonly<Record<'number' | 'expirationMonth' | 'expirationYear' | 'brand', string>>;
/** Of the request as it came; the protocol's page has all of its fields. */
export type Charge = Names & { readonly amount: number; readonly installments: number; readonly card: Card };

/**
 * What a bridge needs of an acquirer. Put yours here: each function sends one request, waits no longer than the
 * acquirer's own limit, and says null where no clear answer came.
 */
export type Acquirer = {
  /** `reference`: our 16 characters. An amount of 0 only checks the card. */
  authorize(reference: string, charge: Charge): Promise<Approved | Declined | null>;
  /** What became of a reference; `notFound` is believed only when the horizon is over. */
  find(merchantId: string, reference: string): Promise<Approved | Declined | 'notFound' | null>;
  /** By the acquirer's own id. False: it is not certain. */
  void(id: string): Promise<boolean>;
  /** `key`: the same request again must give back nothing more. */
  refund(id: string, key: string, amount: number): Promise<'canceled' | 'pending' | 'failed' | null>;
};
export type Approved = {
  readonly outcome: 'approved';
  readonly id: string;
  readonly authorizationCode: string;
  readonly nsu: string;
  readonly networkTransactionId: string;
  /** Mastercard's link (TLID); null for other brands, and where the acquirer names none. */
  readonly transactionLinkId: string | null;
  readonly tid: string;
  readonly authorizedAt: string;
};
export type Declined = {
  readonly outcome: 'declined';
  readonly id: string;
  /** The issuer's code, as the brand writes it; never one of the acquirer's own table. */
  readonly responseCode: string;
  readonly adviceCode: string | null;
};

const LINK_LENGTH = 22;
const DECLINED_AMOUNT = 1_051;
const PENDING_AMOUNT = 2_001;

/** Stands for an acquirer, in memory: it declines 10.51, and decides on giving back 20.01 later. */
export function standIn(): Acquirer {
  const booked = new Map<string, Approved | Declined>();
  let nsu = Date.now();
  return {
    async authorize(reference, { merchantId, amount, card }) {
      nsu += 1;
      const id = String(nsu);
      const answer: Approved | Declined =
        amount === DECLINED_AMOUNT
          ? { outcome: 'declined', id, responseCode: '51', adviceCode: null }
          : {
              ...{ outcome: 'approved', id, authorizationCode: id.slice(-6), nsu: id },
              ...{ networkTransactionId: `N${id}`, tid: id, authorizedAt: new Date().toISOString() },
              transactionLinkId: card.brand === 'mastercard' ? `L${id}`.padEnd(LINK_LENGTH, '_') : null,
            };
      booked.set(`${merchantId} ${reference}`, answer);
      return answer;
    },
    find: async (merchantId, reference) => booked.get(`${merchantId} ${reference}`) ?? 'notFound',
    void: async () => true,
    refund: async (_id, _key, amount) => (amount === PENDING_AMOUNT ? 'pending' : 'canceled'),
  };
}
