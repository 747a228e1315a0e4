// Printed from the code by `npm run print`.

export type AcquirerCharge = {
  /** Your `referenceTransaction`; null: there was none. */
  readonly reference: string | null;
  /** The id of the payment. */
  readonly paymentId: string;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string | null;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string | null;
  /** Cents. */
  readonly amount: number | null;
  /** Cents that were given back. */
  readonly canceledAmount: number;
  /** approved, declined, undone or canceled. */
  readonly status: 'preauthorized' | 'approved' | 'declined' | 'undone' | 'canceled';
};

export type AcquirerChargeList = {
  /** What was found, in the order asked for. */
  readonly items: readonly (AcquirerCharge)[];
};

export type AcquirerScript = {
  /** One for each of the next charges. */
  readonly steps: readonly (ScriptStep)[];
  /** One for each of the next cancels. */
  readonly cancels: readonly (ScriptCancel)[];
};

export type AcquirerScriptRequest = {
  /** One for each of the next charges. */
  readonly steps: readonly (ScriptStepRequest)[];
  /** One for each of the next cancels. */
  readonly cancels?: readonly (ScriptCancelRequest)[] | undefined;
};

export type AdviceCode = {
  /** The advice code. */
  readonly code: string;
  /** What it means, in both languages. */
  readonly meaning: TextInBothLanguages;
  /** How long to wait for another try; null: the code itself decides. */
  readonly retryAfterHours: number | null;
  /** No further try is welcome, whatever the code. */
  readonly neverAgain: boolean;
  /** The card is canceled. */
  readonly cardBlocked: boolean;
};

export type AntiFraudSession = {
  /**
   * Names the visit of the buyer; a GUID. Production takes only codes that `POST /v1/antifraud/sessions`
   * gave out.
   */
  readonly codeAntiFraud: string;
};

export type AntiFraudSessionRequest = {
  /** The buyer's address, never your server's. */
  readonly ipAddress?: string | null | undefined;
  /** Whatever names the buyer's device to you. */
  readonly deviceId?: string | null | undefined;
};

export type AnyPayment = Payment | PixPayment | PaymentByBoleto;

export type AnyPaymentDetail = PaymentDetail | PixPayment | PaymentByBoleto;

export type BankBoleto = {
  /** Our number. */
  readonly ourNumber: string;
  /** `refused`, `issued`, `paid`, `canceled` or `expired` (written off by the bank). */
  readonly status: 'refused' | 'issued' | 'paid' | 'canceled' | 'expired';
  /** Cents. */
  readonly amount: number;
  /** Day of the issue. */
  readonly issuedOn: string;
  /** Due day. */
  readonly dueOn: string;
  /** The last day on which the bank takes a payment. */
  readonly payableUntil: string;
  /** 44 digits, computed by the simulator; null when it was refused. */
  readonly barCode: string | null;
  /** 47 digits; null when it was refused. */
  readonly digitableLine: string | null;
  /** What was paid of it, in order. */
  readonly payments: readonly (BankPayment)[];
};

export type BankBoletoList = {
  /** What was found, in the order asked for. */
  readonly items: readonly (BankBoleto)[];
};

export type BankPayment = {
  /** Cents that were paid. */
  readonly amount: number;
  /** Day of the payment. */
  readonly paidOn: string;
};

export type BillDiscount = {
  /** Reais, less than the value. Up to 8 integer digits and 2 decimals, kept digit for digit. */
  readonly value: number;
  /** The last day of it, YYYY-MM-DD, not after the due day. Must be a day, YYYY-MM-DD, from 1920 on. */
  readonly until: string;
};

export type BillFine = {
  /**
   * Of the value, once, from the day after the due day. Up to 2 integer digits and 2 decimals, kept digit
   * for digit.
   */
  readonly percent: number;
};

export type BillInterest = {
  /**
   * Of the value for thirty days, by days from the due day. Up to 2 integer digits and 2 decimals, kept
   * digit for digit.
   */
  readonly percentPerMonth: number;
};

export type Billing = {
  /** The id of the billing. */
  readonly id: string;
  /**
   * Opened: waits for its charge. Paid. Denied: by issuer or network. PaymentInvalid: it could not be
   * processed. Canceled.
   */
  readonly status: 'Opened' | 'PaymentInvalid' | 'Canceled' | 'Denied' | 'Paid';
  /** The due day at 00:00:00, São Paulo time without zone; retries do not move it. */
  readonly expireAt: string;
  /** Reais and cents: what is charged, the plan's amount rounded half to even. */
  readonly amount: number;
  /** From 1. */
  readonly installment: number;
  /** The charge that paid it; null: it is not paid. */
  readonly paymentId: string | null;
  /** Of that charge, as notifications bring it; null: it is not paid. */
  readonly nsu: string | null;
  /** The subscription that owes it. */
  readonly subscription: Subscription;
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
};

export type BillingDetail = {
  /** The id of the billing. */
  readonly id: string;
  /**
   * Opened: waits for its charge. Paid. Denied: by issuer or network. PaymentInvalid: it could not be
   * processed. Canceled.
   */
  readonly status: 'Opened' | 'PaymentInvalid' | 'Canceled' | 'Denied' | 'Paid';
  /** The due day at 00:00:00, São Paulo time without zone; retries do not move it. */
  readonly expireAt: string;
  /** Reais and cents: what is charged, the plan's amount rounded half to even. */
  readonly amount: number;
  /** From 1. */
  readonly installment: number;
  /** The charge that paid it; null: it is not paid. */
  readonly paymentId: string | null;
  /** Of that charge, as notifications bring it; null: it is not paid. */
  readonly nsu: string | null;
  /** The subscription that owes it. */
  readonly subscription: Subscription;
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
  /** Opened ones only: the day of the next charge, the due day or that of a retry. */
  readonly nextChargeOn?: string | undefined;
  /** In order. Of charges the newest hundred. Times in São Paulo, `by` a user name or `system`. */
  readonly timeline: readonly (BillingEvent)[];
};

/** Charged has attempt to description, Canceled has reason and description. */
export type BillingEvent = {
  /** When, in São Paulo, without zone. */
  readonly at: string;
  /** What happened. */
  readonly type: 'Opened' | 'Charged' | 'Canceled';
  /** A user name, or `system`. */
  readonly by: string;
  /** ByMerchant: by itself. The others: with its subscription. */
  readonly reason?: 'ByMerchant' | 'SubscriptionCanceled' | 'SubscriptionBlocked' | 'PlanCanceled' | undefined;
  /** On schedule: the first try is 1, its retries 2 to 5. null: charged by hand. */
  readonly attempt?: number | null | undefined;
  /**
   * Undone: nobody answered and nothing of it stays; on schedule the same attempt is made again. null:
   * under way.
   */
  readonly outcome?: 'Approved' | 'InsufficientFunds' | 'CardCanceled' | 'Denied' | 'OutOfOrder' | 'Invalid' | 'Undone' | null | undefined;
  /** The issuer's code; null: approved, no answer, or nobody was asked. */
  readonly code?: string | null | undefined;
  /** What the issuer's code means; null without a code. */
  readonly meaning?: string | null | undefined;
  /** Its transaction; null: nobody was asked. */
  readonly paymentId?: string | null | undefined;
  /** What was made of the outcome, and why; null: nothing yet. */
  readonly rule?: 'Paid' | 'Retry' | 'RetryAsAdvised' | 'NoRetriesLeft' | 'NetworkLimit' | 'SubscriptionEnded' | 'CardCanceled' | 'NeverAgain' | 'Denied' | 'OutOfOrder' | 'Invalid' | 'DeclinedByHand' | 'CardExpired' | 'CardUnusable' | 'AmountOutOfRange' | 'CycleOver' | 'SentAgain' | null | undefined;
  /** The day of the next try that came of it; null: none did. */
  readonly nextChargeOn?: string | null | undefined;
  /** What was made of it, as a sentence. */
  readonly description?: string | undefined;
};

export type BillingPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Billing)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type Boleto = {
  /** Of the boleto. */
  readonly id: string;
  /** An account of your merchant. */
  readonly accountNumber: string;
  /** Reais, as it was issued. */
  readonly value: number;
  /** YYYY-MM-DD. */
  readonly issueDate: string;
  /** YYYY-MM-DD. On a day without banks it is paid in time on the next business day. */
  readonly dueDate: string;
  /** The last day on which it can be paid, YYYY-MM-DD. */
  readonly payableUntil: string;
  /** 44 digits; null: the bank has not answered yet. */
  readonly barCode: string | null;
  /** 47 digits, which payers type; null: the bank has not answered yet. */
  readonly digitableLine: string | null;
  /** The text of a Pix that pays the same boleto; null: the bank gives none. */
  readonly pixEmv: string | null;
  /** Eleven digits, the `nsu` of its notifications. */
  readonly ourNumber: string;
  /** 0 being issued, 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired. */
  readonly statusBill: number;
  /**
   * Processando, Pré-autorizada, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga; of mixed
   * installments the first of Bloqueada, Autorizada, Paga, Cancelada.
   */
  readonly statusDescription: 'Em emissão' | 'Emitido' | 'Pago' | 'Vencido' | 'Cancelado' | 'Expirado';
  /**
   * Reais that were paid: other than the value with fine, interest or discount, or in part. null: it is
   * not paid.
   */
  readonly effectivePaymentValue: number | null;
  /** The day of the payment, YYYY-MM-DD; null: it is not paid. */
  readonly effectivePaymentDate: string | null;
  /** All that the bank has reported, in that order. */
  readonly payments: readonly (BoletoPayment)[];
  /** Who pays; null: it was erased. */
  readonly payer: Payer | null;
  /** `payer.name` */
  readonly payerName: string | null;
  /** `payer.documentNumber` */
  readonly payerDocument: string | null;
  /** `payer.email` */
  readonly payerEmail: string | null;
  /** `payer.address.street` and `payer.address.number` */
  readonly payerStreetAndNumber: string | null;
  /** `payer.address.district` */
  readonly payerDistrict: string | null;
  /** `payer.address.city` */
  readonly payerCity: string | null;
  /** `payer.address.state` */
  readonly payerCityState: string | null;
  /** `payer.address.zipCode` */
  readonly payerZipCode: string | null;
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** Its payment link. */
  readonly linkId?: string | undefined;
  /** The page to print, for the payer: whoever has the address sees it. */
  readonly url: string;
};

export type BoletoEvent = {
  /** Of the boleto. */
  readonly id: string;
  /** paid: it was paid. canceled: the bank canceled it. expired: the bank ended it after its last day. */
  readonly type: 'paid' | 'canceled' | 'expired';
  /** 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired; 0 being issued. */
  readonly statusBill: number;
  /**
   * Processando, Pré-autorizada, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga; of mixed
   * installments the first of Bloqueada, Autorizada, Paga, Cancelada.
   */
  readonly statusDescription: string;
};

export type BoletoEventRequest = {
  /** paid: it was paid. canceled: the bank canceled it. expired: the bank ended it after its last day. */
  readonly type: 'paid' | 'canceled' | 'expired';
  /** Cents that are paid; absent: what is to be paid on the day. */
  readonly amount?: number | null | undefined;
  /** Day of the payment; absent: today. Must be a day, YYYY-MM-DD, from 1920 on. */
  readonly paidOn?: string | null | undefined;
};

export type BoletoPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Boleto)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type BoletoPayment = {
  /** Cents. */
  readonly amount: number;
  /** YYYY-MM-DD. */
  readonly paidOn: string;
  /**
   * `second`: it was paid already; `afterEnd`: it was canceled, expired or refused; `otherAmount`: other
   * than what was to be paid on that day.
   */
  readonly kind: 'expected' | 'second' | 'afterEnd' | 'otherAmount';
  /** open: nobody has said yet what became of a payment that was not expected. */
  readonly state: 'open' | 'resolved';
  /** The exception by which it is resolved; null: it was expected. */
  readonly exceptionId: string | null;
};

export type BoletoRequest = {
  /** Reais, up to 99999999.99. Up to 8 integer digits and 2 decimals, kept digit for digit. */
  readonly value: number;
  /**
   * YYYY-MM-DD in São Paulo, today or later, five years ahead at most. Must be a day, YYYY-MM-DD, from
   * 1920 on.
   */
  readonly dueDate: string;
  /** Who pays the boleto. */
  readonly payer: PayerRequest;
  /**
   * Your own reference of the sale, such as an order number. It comes back in lists, movements and
   * callbacks.
   */
  readonly referenceTransaction?: string | null | undefined;
  /** Lines that are printed for who takes the payment. */
  readonly instructions?: readonly (string)[] | null | undefined;
  /** Fine for late payment; absent: none. */
  readonly fine?: BillFine | null | undefined;
  /** Interest for late payment; absent: none. */
  readonly interest?: BillInterest | null | undefined;
  /** Discount for early payment; absent: none. */
  readonly discount?: BillDiscount | null | undefined;
  /** Days after the due day on which it can still be paid; default 30. */
  readonly daysToExpire?: number | null | undefined;
  /**
   * A public address, https in production: each change of the boleto is posted there. Must be an http or
   * https URL without user and password.
   */
  readonly urlCallBack?: string | null | undefined;
};

export type BoletosOrPage = readonly (Boleto)[] | BoletoPage;

export type BuyerRequest = {
  /** Which document the number is of. */
  readonly documentType?: 'cpf' | 'cnpj' | null | undefined;
  /** CPF or CNPJ. */
  readonly documentNumber?: string | null | undefined;
  /** First name of the buyer. */
  readonly firstName?: string | null | undefined;
  /** Last name of the buyer. */
  readonly lastName?: string | null | undefined;
  /** E-mail of the buyer. */
  readonly email?: string | null | undefined;
  /** Telephone number. */
  readonly phoneNumber?: string | null | undefined;
  /** Mobile phone number. */
  readonly mobilePhoneNumber?: string | null | undefined;
  /** Street and number. */
  readonly address?: string | null | undefined;
  /** Complement of the address. */
  readonly complement?: string | null | undefined;
  /** City. */
  readonly city?: string | null | undefined;
  /** State, two letters. */
  readonly state?: string | null | undefined;
  /** CEP. */
  readonly zipCode?: string | null | undefined;
  /** Address of the device of the buyer. */
  readonly ipAddress?: string | null | undefined;
  /** Country, two letters. */
  readonly country?: string | null | undefined;
};

export type Cancel = {
  /** `0`: given back. `pending`: accepted, and decided later. */
  readonly returnCode: string;
  /** What is the matter, as a sentence for people. */
  readonly description: string;
  /** The id of the payment. */
  readonly paymentId: string;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string;
  /** Cents that were given back. */
  readonly amount: number;
  /** The moment at which the acquirer gave it back, with offset. It is no day of payout. */
  readonly releaseAt: string;
};

export type CancelRequest = {
  /** Cents; without it all that is left, which is what `{}` and no body ask for. */
  readonly amount?: number | undefined;
  /** Of a Pix: which of its payments is given back; without it the one that paid it. */
  readonly endToEndId?: string | undefined;
};

export type Capture = {
  /** What was captured. */
  readonly captureAuthorization: CaptureAuthorization;
};

export type CaptureAuthorization = {
  /** `0`: captured. */
  readonly returnCode: string;
  /** What is the matter, as a sentence for people. */
  readonly description: string;
  /** The id of the payment. */
  readonly paymentId: string;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string;
  /** Cents that were captured. */
  readonly amount: number;
  /** The moment of the capture, with offset. It is no day of payout. */
  readonly releaseAt: string;
};

export type CaptureRequest = {
  /** Cents; without it all that is authorized, which is what `{}` and no body ask for. */
  readonly amount?: number | undefined;
};

export type CardFields = {
  /** For `mountFields`. It is public. */
  readonly key: string;
  /** The module that your page loads. */
  readonly script: string;
  /** Of your pages, such as `https://loja.com.br`: they alone may hold the fields. None: nobody. */
  readonly origins: readonly (string)[];
};

export type CardFieldsRequest = {
  /** Of your pages, such as `https://loja.com.br`: they alone may hold the fields. None: nobody. */
  readonly origins: readonly (string)[];
};

export type CardInfoRequest = {
  /** This, encryptedCard or vaultId, exactly one; needs the expiry beside it. */
  readonly numberToken?: string | null | undefined;
  /**
   * A stored card. What else stands here must be as it was stored; a security code says that the holder
   * is there.
   */
  readonly vaultId?: string | null | undefined;
  /**
   * Required with numberToken, else where the encrypted card lacks it. Must not be blank, nor have
   * control characters.
   */
  readonly cardholderName?: string | null | undefined;
  /**
   * The security code of the card (CVV). It goes to the acquirer and is never kept. Must have 3 or 4
   * digits.
   */
  readonly securityCode?: string | null | undefined;
  /** The brand of the card. */
  readonly brand?: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard' | null | undefined;
  /** The month of the expiry, two digits. Must be a month of two digits, 01 to 12. */
  readonly expirationMonth?: string | null | undefined;
  /** The year of the expiry, two digits. Must have two digits. */
  readonly expirationYear?: string | null | undefined;
  /** Base64 in one line; see the public key. */
  readonly encryptedCard?: string | null | undefined;
};

export type CardPublicKey = {
  /** The public key: SPKI in base64. */
  readonly key: string;
  /** Names the key. It changes with a rotation; pages should read the key anew every day. */
  readonly keyId: string;
  /** Now, for createdAt inside encryptedCard. */
  readonly createdAt: string;
  /** Yours, for merchantId inside encryptedCard. */
  readonly merchantId: string;
};

export type CardToken = {
  /** The card token: good for ten minutes and one approval. Must be a GUID. */
  readonly numberToken: string;
};

export type ClockJump = {
  /** Business time of the merchant, in São Paulo, without zone. */
  readonly now: string;
  readonly ran: ClockWork;
};

export type ClockJumpRequest = {
  /** Days of 24 hours from where the clock stands; this or `to`, exactly one. */
  readonly advanceDays?: number | null | undefined;
  /**
   * Where the clock shall go; at most 730 days beyond the real date. Must be a local date and time
   * without zone, such as 2027-03-01T09:00:00.
   */
  readonly to?: string | null | undefined;
};

export type ClockJumpUnderWay = {
  /** Business time of the merchant, in São Paulo, without zone. */
  readonly now: string;
  /** Where the clock is going; null: no jump is under way. */
  readonly target: string;
  readonly ran: ClockWork;
};

/** What was run at the instants in between. */
export type ClockWork = {
  /** Settlements, blocks and chargebacks that the acquirer brought, and payments that the bank brought. */
  readonly changes: number;
  /** Pre-authorizations that were let go uncaptured. */
  readonly preauthorizations: number;
  /** Boletos that became overdue, or whose time was over. */
  readonly boletos: number;
  /** Pix whose time was over. */
  readonly pix: number;
  /** Charges of billings that were begun. */
  readonly billings: number;
  /** Notices of cards that expire and of due days that come. */
  readonly notices: number;
  /** Tries to deliver a notification, successful or not. */
  readonly deliveries: number;
};

export type CreatedPayment = {
  /** The payment that was approved. */
  readonly paymentAuthorization: PaymentAuthorization;
};

export type CreatedPaymentLink = {
  /** The id of the link. */
  readonly id: string;
  /** The page where the buyer pays: send it to him. */
  readonly url: string;
};

export type Customer = {
  /** The name of the person or company. */
  readonly name?: string | undefined;
  /** E-mail of the buyer. */
  readonly email?: string | undefined;
  /** CPF or CNPJ. */
  readonly documentNumber?: string | undefined;
  /** A telephone number, 8 to 15 digits. */
  readonly phone?: string | undefined;
};

export type CustomerRequest = {
  /** The name of the person or company. Must not be blank, nor have control characters. */
  readonly name?: string | null | undefined;
  /** An e-mail address; a search makes no difference of capitals. Must be an e-mail address. */
  readonly email?: string | null | undefined;
  /**
   * CPF or CNPJ without mask, with valid check digits. Must be a valid CPF or CNPJ, with its mask or
   * without.
   */
  readonly documentNumber?: string | null | undefined;
  /**
   * A telephone number, 8 to 15 digits. Must be a telephone number of 8 to 15 digits, with the country
   * code or without.
   */
  readonly phone?: string | null | undefined;
};

export type Decline = {
  /** The brand of the card. */
  readonly brand?: string | undefined;
  /** What came of it, as a sentence: of a decline, what the code means. */
  readonly description: string;
  /** The issuer's code of a decline, in the words of the card's brand; `0` of a success. */
  readonly returnCode?: string | undefined;
  /** The network's advice beside the code; null: none came. */
  readonly merchantAdviceCode?: string | null | undefined;
  /** Whether this card may be tried again at all; the limits of the networks come on top. */
  readonly retryable?: boolean | undefined;
  /**
   * From when on the card may be tried again for this amount; null: at once when `retryable`, else
   * another card is needed.
   */
  readonly mayRetryAt?: string | null | undefined;
  /** What to show the buyer. It reveals no loss, theft or suspicion. */
  readonly buyerMessage?: string | undefined;
  /** What is behind it, what the merchant can do, and whether to try again. */
  readonly merchantMessage?: string | undefined;
  /**
   * The issuer's code of a decline. When nobody was asked: `antifraud` (the sale was rejected, or there
   * were too many tries) or `retryLimit` (the card was declined before, and its network would fine or
   * forbid another try).
   */
  readonly tag: string;
  /** Of the payment that failed, where there is one; also in X-Payment-Id. */
  readonly paymentId?: string | undefined;
};

export type Delivery = {
  /** The `webhook-id` of every try. */
  readonly id: string;
  /**
   * Movement: to the webhook of the account. Callback: to the `urlCallBack` of a payment. Notice: to a
   * notifier.
   */
  readonly kind: 'Movement' | 'Callback' | 'Test' | 'Notice';
  /** null: a callback, or a notice. */
  readonly movementId: number | null;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string | null;
  /** Movements only. */
  readonly installmentNumber: number | null;
  /** Of a boleto its id; null: a test, or a notice. */
  readonly paymentId: string | null;
  /** Notices only: the id of the billing or of the subscription that it is about. */
  readonly noticeOf: string | null;
  /** Where it goes: what is registered now, or the address of the callback or of the notifier. */
  readonly url: string | null;
  /** Waiting, Delivered or GivenUp. */
  readonly status: 'Waiting' | 'Delivered' | 'GivenUp';
  /** When it was written. */
  readonly createdAt: string;
  /** null: it is over. By the clock of your merchant. */
  readonly nextTryAt: string | null;
  /** When it was delivered or given up; null: it waits. */
  readonly endedAt: string | null;
  /** How many were made. */
  readonly tries: number;
};

export type DeliveryDetail = {
  /** The `webhook-id` of every try. */
  readonly id: string;
  /**
   * Movement: to the webhook of the account. Callback: to the `urlCallBack` of a payment. Notice: to a
   * notifier.
   */
  readonly kind: 'Movement' | 'Callback' | 'Test' | 'Notice';
  /** null: a callback, or a notice. */
  readonly movementId: number | null;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string | null;
  /** Movements only. */
  readonly installmentNumber: number | null;
  /** Of a boleto its id; null: a test, or a notice. */
  readonly paymentId: string | null;
  /** Notices only: the id of the billing or of the subscription that it is about. */
  readonly noticeOf: string | null;
  /** Where it goes: what is registered now, or the address of the callback or of the notifier. */
  readonly url: string | null;
  /** Waiting, Delivered or GivenUp. */
  readonly status: 'Waiting' | 'Delivered' | 'GivenUp';
  /** When it was written. */
  readonly createdAt: string;
  /** null: it is over. By the clock of your merchant. */
  readonly nextTryAt: string | null;
  /** When it was delivered or given up; null: it waits. */
  readonly endedAt: string | null;
  /** The newest hundred, in order. */
  readonly tries: readonly (DeliveryTry)[];
  /** The very text that is sent. */
  readonly body: string;
};

export type DeliveryPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Delivery)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type DeliveryTry = {
  /** Which try, from 1. */
  readonly number: number;
  /** When it was sent, in real time. */
  readonly at: string;
  /** How long the try took. */
  readonly milliseconds: number;
  /** What your server answered; null: nothing. */
  readonly status: number | null;
  /** Why it failed, in a word; null: it was delivered. */
  readonly failure: string | null;
  /** The beginning of your answer. */
  readonly answer: string | null;
};

export type DueDateRequest = {
  /**
   * YYYY-MM-DD in São Paulo, today or later, five years ahead at most. Must be a day, YYYY-MM-DD, from
   * 1920 on.
   */
  readonly dueDate: string;
};

export type ExceptionNotifier = {
  /** Where notices are sent. */
  readonly callbackUrl: string;
};

export type ExceptionNotifierRequest = {
  /** Where exceptions are sent. Must be an http or https URL without user and password. */
  readonly callbackUrl: string;
};

export type ExceptionResolutionRequest = {
  /**
   * Such as: given back to the payer. It stands with the exception and in the audit log. Must not be
   * blank.
   */
  readonly reason: string;
};

export type ExportedFile = {
  /** CSV in UTF-8, with semicolons and decimal commas, in base64. */
  readonly fileBase64: string;
};

export type IssuerCode = {
  /** The brand of the card. */
  readonly brand: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard';
  /** The code, as the issuers of this brand answer it. */
  readonly code: string;
  /**
   * funds: may be there another day. blocked: the card is canceled. technical: issuer or acquirer out of
   * order. invalid: request, amount or set-up. denied: every other no.
   */
  readonly declineClass: 'funds' | 'blocked' | 'technical' | 'invalid' | 'denied';
  /** Whether this card may be tried again at all; the limits of the networks come on top. */
  readonly retryable: boolean;
  /** The code alone forbids another try, and an advice that names a time permits it. */
  readonly retryableByAdvice: boolean;
  /** What it means, in both languages. */
  readonly meaning: TextInBothLanguages;
  /** What to show the buyer. It reveals no loss, theft or suspicion. */
  readonly buyerMessage: TextInBothLanguages;
  /** What is behind it, what the merchant can do, and whether to try again. */
  readonly merchantMessage: TextInBothLanguages;
};

export type IssuerCodeList = {
  /** The month up to which announcements of the networks are in the table. */
  readonly version: string;
  /** What was found, in the order asked for. */
  readonly items: readonly (IssuerCode)[];
  /** Merchant advice codes, which come beside a decline (`merchantAdviceCode`). */
  readonly adviceCodes: readonly (AdviceCode)[];
};

export type LoginRequest = {
  /** Given by the operator. */
  readonly userName: string;
  /** Given by the operator. Every character counts. */
  readonly password: string;
};

export type Movement = {
  /** The number of the movement: unique and rising, with holes. */
  readonly movementId: number;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string;
  /** The authorization code of the issuer. */
  readonly codAuth: string;
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** When it happened, with offset. */
  readonly moment: string;
  /** Autorizacao, Pagamento, Cancelamento, Bloqueio, Desbloqueio, Boleto or Pix. */
  readonly type: string;
  /** Empty for the first of an installment, of a boleto or of a Pix. */
  readonly oldValue: string;
  /**
   * Autorizada, Paga, Cancelada or Bloqueada; the same as oldValue where a chargeback took a part and
   * something is left. Of a boleto Emitido, Vencido, Pago, Cancelado, Expirado; of a Pix Aguardando,
   * Paga, Devolvida, Cancelada, Expirada; of both Pagamento inesperado where money came and it stays what
   * it was; of a boleto Vencimento alterado, Vencimento mantido.
   */
  readonly newValue: string;
  /** An account of your merchant. */
  readonly accountNumber: string;
  /** null: it is of a boleto. */
  readonly paymentId: string | null;
  /** Of the boleto; absent: it is of a payment. */
  readonly boletoId?: string | undefined;
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** Cents of the installment, as it was sold; of a boleto or a Pix its value. */
  readonly amount: number;
  /** The same less the operator's fee; boletos have none. */
  readonly netAmount: number;
  /** Of the installment; empty when the payment is not divided, and of a Pix: read its payment. */
  readonly shares: readonly (MovementShare)[];
};

export type MovementPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Movement)[];
  /** The number to ask after next. */
  readonly next: number;
};

export type MovementShare = {
  /** CPF or CNPJ of the beneficiary. */
  readonly documentNumberBeneficiary: string;
  /** Cents of the share. */
  readonly amount: number;
  /** Cents of it that the beneficiary has given back by now. */
  readonly canceledAmount: number;
};

export type NewSubscription = {
  /** The id of the subscription. */
  readonly id: string;
  /** Active, Blocked (its card is canceled, or there was a chargeback) or Canceled. */
  readonly status: 'Pending' | 'Active' | 'Blocked' | 'Canceled' | 'Rejected' | 'Expired';
  /** The authorization of Pix Automático. */
  readonly authorization?: PixAuthorization | undefined;
};

export type Notifier = {
  /** The id of the notifier. */
  readonly id: string;
  /** Your merchant number. */
  readonly merchantId: string;
  /** What you call the notifier. */
  readonly name: string;
  /** What you use it for. */
  readonly description: string;
  /** Where notices are sent. */
  readonly callbackUrl: string;
  /**
   * What it is notified of: `failed` and `paid` of charges; `canceled`, `blocked`, `reactivated` and
   * `completed` of subscriptions; `cardExpiring`; `upcoming`, three days before a due day.
   */
  readonly events: readonly ('failed' | 'paid' | 'canceled' | 'blocked' | 'reactivated' | 'completed' | 'cardExpiring' | 'upcoming')[];
  /** Active ones get notices. */
  readonly status: 'Active' | 'Inactive';
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
};

export type NotifierId = {
  /** The id of the notifier. */
  readonly id: string;
};

export type NotifierPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Notifier)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type NotifierRequest = {
  /** Your own. */
  readonly merchantId: string;
  /** What you call the notifier. Must not be blank. */
  readonly name: string;
  /** What you use it for. Must not be blank. */
  readonly description: string;
  /** Where notices are sent. Must be an http or https URL without user and password. */
  readonly callbackUrl: string;
  /**
   * What it is notified of: `failed` and `paid` of charges; `canceled`, `blocked`, `reactivated` and
   * `completed` of subscriptions; `cardExpiring`; `upcoming`, three days before a due day.
   */
  readonly events?: readonly ('failed' | 'paid' | 'canceled' | 'blocked' | 'reactivated' | 'completed' | 'cardExpiring' | 'upcoming')[] | null | undefined;
};

export type NotifierStatusRequest = {
  /** The state that the notifier is to have. */
  readonly status: 'Active' | 'Inactive';
};

export type Payer = {
  /** Name of the payer. */
  readonly name: string;
  /** CPF or CNPJ of the payer, without mask. */
  readonly documentNumber: string;
  /** E-mail address of the payer; null: not given. */
  readonly email: string | null;
  /** Address of the payer, which the registration needs. */
  readonly address: PayerAddress;
};

export type PayerAccount = {
  /** The ISPB of the payer's institution. Must not be blank, nor have control characters. */
  readonly ispb: string;
  /** The branch, if there is one. Must not be blank, nor have control characters. */
  readonly branch?: string | null | undefined;
  /** The number of the account, with its check digit. Must not be blank, nor have control characters. */
  readonly number: string;
};

export type PayerAddress = {
  /** Street. */
  readonly street: string;
  /** Number of the building. */
  readonly number: string;
  /** Flat, floor and the like; null: none. */
  readonly complement: string | null;
  /** District. */
  readonly district: string;
  /** City. */
  readonly city: string;
  /** Two letters of the state. */
  readonly state: string;
  /** CEP, eight digits. */
  readonly zipCode: string;
};

export type PayerAddressRequest = {
  /** Street. Must not be blank, nor have control characters. */
  readonly street: string;
  /** Number of the building. Must not be blank, nor have control characters. */
  readonly number: string;
  /** Flat, floor and the like; null: none. Must not be blank, nor have control characters. */
  readonly complement?: string | null | undefined;
  /** District. Must not be blank, nor have control characters. */
  readonly district: string;
  /** City. Must not be blank, nor have control characters. */
  readonly city: string;
  /** Two letters of the state. */
  readonly state: 'AC' | 'AL' | 'AM' | 'AP' | 'BA' | 'CE' | 'DF' | 'ES' | 'GO' | 'MA' | 'MG' | 'MS' | 'MT' | 'PA' | 'PB' | 'PE' | 'PI' | 'PR' | 'RJ' | 'RN' | 'RO' | 'RR' | 'RS' | 'SC' | 'SE' | 'SP' | 'TO';
  /** CEP, eight digits. Must be a CEP of 8 digits, with its hyphen or without. */
  readonly zipCode: string;
};

export type PayerName = {
  /** The name of the plan. */
  readonly name: string;
  /** CPF or CNPJ. */
  readonly documentNumber: string;
};

export type PayerRequest = {
  /** Name of the payer. Must not be blank, nor have control characters. */
  readonly name: string;
  /** CPF or CNPJ of the payer, without mask. Must be a valid CPF or CNPJ, with its mask or without. */
  readonly documentNumber: string;
  /** E-mail address of the payer; null: not given. Must be an e-mail address. */
  readonly email?: string | null | undefined;
  /** Address of the payer, which the registration needs. */
  readonly address: PayerAddressRequest;
};

export type Payment = {
  /** The id of the payment. */
  readonly paymentId: string;
  /** How it was paid. */
  readonly method: 'card';
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** The billing that was charged; null: no billing. */
  readonly billingId: string | null;
  /**
   * Processando, Pré-autorizada, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga; of mixed
   * installments the first of Bloqueada, Autorizada, Paga, Cancelada.
   */
  readonly statusDescription: 'Processando' | 'Pré-autorizada' | 'Autorizada' | 'Negada' | 'Desfeita' | 'Cancelada' | 'Bloqueada' | 'Paga';
  /** What is the matter, as a sentence for people. */
  readonly description?: string | undefined;
  /** The issuer's code of a decline, in the words of the card's brand; `0` of a success. */
  readonly returnCode?: string | undefined;
  /** The network's advice beside the code; null: none came. */
  readonly merchantAdviceCode?: string | null | undefined;
  /** Whether this card may be tried again at all; the limits of the networks come on top. */
  readonly retryable?: boolean | undefined;
  /** The moment from which the issuer takes another try; null: at once when `retryable`, else never. */
  readonly mayRetryAt?: string | null | undefined;
  /** What to show the buyer. It reveals no loss, theft or suspicion. */
  readonly buyerMessage?: string | undefined;
  /** What is behind it, what the merchant can do, and whether to try again. */
  readonly merchantMessage?: string | undefined;
  /** When it was sold, in São Paulo, without zone. */
  readonly transactionDate: string;
  /** When it was sold, with offset. */
  readonly transactionMoment: string;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string | null;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string | null;
  /** Who charged it, by the name that the operator gave it; default: the only one. */
  readonly acquirer: string;
  /** The card that paid. */
  readonly card: PaymentCard;
  /** Cents of the sale, as it was asked for. */
  readonly value: number;
  /** Only of captureType pa: cents as they were authorized; value is what was captured of them. */
  readonly authorizedAmount?: number | undefined;
  /** Only of captureType pa: what is not captured by then is let go. */
  readonly captureUntil?: string | undefined;
  /** Only of a payment that was sent with a 3-D Secure authentication. */
  readonly threeDSecure?: ThreeDSecure | undefined;
  /** Cents that were given back. */
  readonly canceledAmount: number;
  /** A part of it was given back, and not all: its status says nothing of that. */
  readonly isPartlyReturned: boolean;
  /** Cents of cancels whose answer is awaited: they will be given back, or set free again. */
  readonly cancelingAmount: number;
  /** The installments of the payment, in order. */
  readonly installments: readonly (PaymentInstallment)[];
  /** What anti-fraud said before it was charged; review: have a look at it. null: nobody decided. */
  readonly antifraud: 'accept' | 'review' | null;
  /** The rules behind it, as `card/hour/attempts`; `silent`: no decision came in time. */
  readonly antifraudReasons: readonly (string)[];
  /** Only of a payment that was divided (configSplit); read alone it shows the installments of each entry. */
  readonly split?: readonly (SplitTotal)[] | undefined;
};

export type PaymentAttempt = {
  /** Of this attempt; the first is Desfeita. */
  readonly paymentId: string;
  /** Who was asked. */
  readonly acquirer: string;
  /**
   * Why surely nothing was charged there. notConnected: the request did not reach the acquirer.
   * requestRefused: it answered by a code that proves it. null: the outcome is that of the payment.
   */
  readonly notCharged: 'notConnected' | 'requestRefused' | null;
};

export type PaymentAuthorization = {
  /** `0`: approved. */
  readonly returnCode: string;
  /** What is the matter, as a sentence for people. */
  readonly description: string;
  /** The id of the payment. */
  readonly paymentId: string;
  /** The authorization code of the issuer. */
  readonly authorizationCode: string;
  /**
   * The sequential number of the transaction at the acquirer. Notifications, movements and reconciliation
   * name the payment by it.
   */
  readonly nsu: string;
  /** Cents that were charged. */
  readonly amount: number;
  /** In how many installments. */
  readonly installments: number;
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /**
   * The moment at which the acquirer approved it, with offset. It is no day of payout: what is paid when
   * stands in the movements.
   */
  readonly releaseAt: string;
  /** Only of captureType pa: what is not captured by then is let go. */
  readonly captureUntil?: string | undefined;
  /** Only of a payment that was sent with a 3-D Secure authentication. */
  readonly threeDSecure?: ThreeDSecure | undefined;
  /** Only of a payment that was divided (configSplit), and of a large one a page of its entries. */
  readonly split?: readonly (SplitEntry)[] | undefined;
  /** Only where the split has several pages: which of them this is. */
  readonly splitPage?: number | undefined;
  /**
   * Only where the split has several pages: how many. A page has whole entries, of at most 1000
   * installments together; the others are read with GET /v1/payments/{paymentId}?splitPage=2 and so on.
   */
  readonly splitPages?: number | undefined;
};

export type PaymentByBoleto = {
  /** The id of the boleto. */
  readonly paymentId: string;
  /** How it was paid. */
  readonly method: 'boleto';
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** No billing is paid by boleto: always null. */
  readonly billingId: string | null;
  /** Processando: the bank has not answered yet. Negada: it registers no such boleto. Vencida: overdue. */
  readonly statusDescription: 'Processando' | 'Aguardando' | 'Vencida' | 'Paga' | 'Cancelada' | 'Expirada' | 'Negada';
  /** Nothing is given back of a boleto: always false. */
  readonly isPartlyReturned: boolean;
  /** When it was sold, in São Paulo, without zone. */
  readonly transactionDate: string;
  /** When it was sold, with offset. */
  readonly transactionMoment: string;
  /** Of cards alone; always null. */
  readonly authorizationCode: string | null;
  /** Its number at the bank (`ourNumber`). */
  readonly nsu: string;
  /** Cents, as it was issued. */
  readonly value: number;
  /** Cents that paid it: other than value with fine, interest or discount. null: it is not paid. */
  readonly paidAmount: number | null;
  /** Nothing is given back of a boleto: always 0. */
  readonly canceledAmount: number;
  /** Nothing is given back of a boleto: always 0. */
  readonly cancelingAmount: number;
  /** YYYY-MM-DD. */
  readonly dueDate: string;
  /** 47 digits, which payers type; null: the bank has not answered yet. */
  readonly digitableLine: string | null;
  /** Who pays; null: it was erased. */
  readonly payer: PayerName | null;
  /** Where it was issued, by the name that the operator gave it. */
  readonly bank: string;
};

export type PaymentCancel = {
  /** The id of the cancel. */
  readonly cancelId: string;
  /** Cents of the cancel. */
  readonly amount: number;
  /**
   * Processando: the acquirer is asked until it answers. Pendente: it accepted the cancel and decides
   * later. Cancelado: given back. Recusado: the acquirer gives nothing back.
   */
  readonly status: 'Processando' | 'Pendente' | 'Cancelado' | 'Recusado';
  /** When it was asked for, with offset. */
  readonly createdAt: string;
  /** When the acquirer answered, with offset; null: not yet. */
  readonly decidedAt: string | null;
};

export type PaymentCard = {
  /** The brand of the card. */
  readonly brand: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard';
  /** The first six digits of its number. */
  readonly firstSix: string;
  /** The last four digits of its number. */
  readonly lastFour: string;
};

export type PaymentDetail = {
  /** The id of the payment. */
  readonly paymentId: string;
  /** How it was paid. */
  readonly method: 'card';
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** The billing that was charged; null: no billing. */
  readonly billingId: string | null;
  /**
   * Processando, Pré-autorizada, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga; of mixed
   * installments the first of Bloqueada, Autorizada, Paga, Cancelada.
   */
  readonly statusDescription: 'Processando' | 'Pré-autorizada' | 'Autorizada' | 'Negada' | 'Desfeita' | 'Cancelada' | 'Bloqueada' | 'Paga';
  /** What is the matter, as a sentence for people. */
  readonly description?: string | undefined;
  /** The issuer's code of a decline, in the words of the card's brand; `0` of a success. */
  readonly returnCode?: string | undefined;
  /** The network's advice beside the code; null: none came. */
  readonly merchantAdviceCode?: string | null | undefined;
  /** Whether this card may be tried again at all; the limits of the networks come on top. */
  readonly retryable?: boolean | undefined;
  /** The moment from which the issuer takes another try; null: at once when `retryable`, else never. */
  readonly mayRetryAt?: string | null | undefined;
  /** What to show the buyer. It reveals no loss, theft or suspicion. */
  readonly buyerMessage?: string | undefined;
  /** What is behind it, what the merchant can do, and whether to try again. */
  readonly merchantMessage?: string | undefined;
  /** When it was sold, in São Paulo, without zone. */
  readonly transactionDate: string;
  /** When it was sold, with offset. */
  readonly transactionMoment: string;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string | null;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string | null;
  /** Who charged it, by the name that the operator gave it; default: the only one. */
  readonly acquirer: string;
  /** The card that paid. */
  readonly card: PaymentCard;
  /** Cents of the sale, as it was asked for. */
  readonly value: number;
  /** Only of captureType pa: cents as they were authorized; value is what was captured of them. */
  readonly authorizedAmount?: number | undefined;
  /** Only of captureType pa: what is not captured by then is let go. */
  readonly captureUntil?: string | undefined;
  /** Only of a payment that was sent with a 3-D Secure authentication. */
  readonly threeDSecure?: ThreeDSecure | undefined;
  /** Cents that were given back. */
  readonly canceledAmount: number;
  /** A part of it was given back, and not all: its status says nothing of that. */
  readonly isPartlyReturned: boolean;
  /** Cents of cancels whose answer is awaited: they will be given back, or set free again. */
  readonly cancelingAmount: number;
  /** The installments of the payment, in order. */
  readonly installments: readonly (PaymentInstallment)[];
  /** What anti-fraud said before it was charged; review: have a look at it. null: nobody decided. */
  readonly antifraud: 'accept' | 'review' | null;
  /** The rules behind it, as `card/hour/attempts`; `silent`: no decision came in time. */
  readonly antifraudReasons: readonly (string)[];
  /**
   * Cents of a capture whose answer is awaited, while it is awaited: they will be captured, or the
   * payment is as it was.
   */
  readonly capturingAmount?: number | undefined;
  /**
   * Only of a payment that went to a second acquirer, because the first surely did not charge it: both,
   * in the order in which they were asked.
   */
  readonly attempts?: readonly (PaymentAttempt)[] | undefined;
  /** The newest hundred, oldest first. */
  readonly cancels: readonly (PaymentCancel)[];
  /** Only of a payment that was divided (configSplit), and of a large one a page of its entries. */
  readonly split?: readonly (SplitEntry)[] | undefined;
  /** Only where the split has several pages: which of them this is. */
  readonly splitPage?: number | undefined;
  /**
   * Only where the split has several pages: how many. A page has whole entries, of at most 1000
   * installments together; the others are read with GET /v1/payments/{paymentId}?splitPage=2 and so on.
   */
  readonly splitPages?: number | undefined;
};

export type PaymentInstallment = {
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** Cents of the installment, as it was sold. */
  readonly amount: number;
  /** Cents of the installment that were given back. */
  readonly canceledAmount: number;
  /** Autorizada, Paga, Bloqueada or Cancelada. */
  readonly status: 'Autorizada' | 'Paga' | 'Cancelada' | 'Bloqueada';
};

export type PaymentLink = {
  /** The id of the link. */
  readonly id: string;
  /** The page where the buyer pays. */
  readonly url: string;
  /**
   * Processando: a try is under way, or its outcome unknown; no other begins. Pago stays, also when it is
   * given back.
   */
  readonly status: 'Aberto' | 'Processando' | 'Pago' | 'Desativado' | 'Expirado';
  /** What is paid. */
  readonly description: string;
  /** Reais. */
  readonly value: number;
  /** The most installments. */
  readonly qttyInstallments: number;
  /** The last day on which it can be paid. */
  readonly expirationDate: string;
  /** As given. */
  readonly urlCallBack: string | null;
  /** As given. */
  readonly urlReturn: string | null;
  /** As given. */
  readonly referenceTransaction: string | null;
  /** The payment that paid it. */
  readonly paymentId: string | null;
  /** How the last try pays; null: nobody has tried. */
  readonly method: 'card' | 'pix' | 'boleto' | null;
  /** Why it was disabled. */
  readonly reason: string | null;
  /** Who created it. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Of one link: its Pix and boletos. */
  readonly bills?: readonly (PaymentLinkBill)[] | undefined;
  /** Reais that came. */
  readonly receivedValue?: number | undefined;
  /** Of these, given back. */
  readonly returnedValue?: number | undefined;
  /** When its bank is asked to take a bill away; null: now; absent: it is not. */
  readonly removalDate?: string | null | undefined;
};

export type PaymentLinkBill = {
  /** The id of the Pix or boleto. */
  readonly id: string;
  /** How it was paid. */
  readonly method: 'pix' | 'boleto';
  /** It may still be paid. */
  readonly isOpen: boolean;
  /** Reais that came. */
  readonly receivedValue: number;
  /** It has an open exception. */
  readonly isToResolve: boolean;
};

export type PaymentLinkPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (PaymentLink)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type PaymentLinkRequest = {
  /** What is paid: the buyer reads it on the page. Must not be blank, nor have control characters. */
  readonly description: string;
  /** Reais, up to 99999999.99. Up to 8 integer digits and 2 decimals, kept digit for digit. */
  readonly value: number;
  /**
   * The most installments that the buyer may choose; default 1. The page offers those that the acquirer
   * takes and that are not below the smallest installment.
   */
  readonly qttyInstallments?: number | null | undefined;
  /**
   * The last day on which it can be paid, in São Paulo: today or later, 366 days ahead at most. Default:
   * 30 days. Must be a day, YYYY-MM-DD, from 1920 on.
   */
  readonly expirationDate?: string | null | undefined;
  /**
   * A public address, https in production: the result and later changes of the payment are posted there.
   * Must be an http or https URL without user and password.
   */
  readonly urlCallBack?: string | null | undefined;
  /**
   * Where the page leads back to, https in production. The result is added to it, signed. Must be an http
   * or https URL without user and password.
   */
  readonly urlReturn?: string | null | undefined;
  /** Yours: the payment carries it. */
  readonly referenceTransaction?: string | null | undefined;
};

export type PaymentPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (AnyPayment)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type PaymentRequest = {
  /** What is sold. */
  readonly payment: PaymentTermsRequest;
  /**
   * Your own reference of the sale, such as an order number. It comes back in lists, movements and
   * callbacks.
   */
  readonly referenceTransaction?: string | null | undefined;
  /**
   * A public address, https in production: the result and later changes are posted there. Must be an http
   * or https URL without user and password.
   */
  readonly urlCallBack?: string | null | undefined;
  /** A 3-D Secure authentication that you made elsewhere. No holder is authenticated here. */
  readonly threeDSecure?: ThreeDSecureRequest | null | undefined;
  /** What anti-fraud knows of the sale. */
  readonly sellerInfo: SellerInfoRequest;
  /** Who gets a part of the sale; absent: all of it is yours. */
  readonly configSplit?: readonly (SplitEntryRequest)[] | null | undefined;
  /** The card that pays: exactly one of `numberToken`, `encryptedCard` and `vaultId`. */
  readonly cardInfo: CardInfoRequest;
  /** The buyer. Anti-fraud decides by it; it is kept with the payment. */
  readonly customer?: BuyerRequest | null | undefined;
};

export type PaymentTermsRequest = {
  /** Always `credit`. */
  readonly transactionType: 'credit';
  /** Cents. */
  readonly amount: number;
  /** avista: one payment; lojista: installments. */
  readonly productType: 'avista' | 'lojista';
  /** 1 with avista, 2 to 99 with lojista. */
  readonly installments: number;
  /** ac (the default): authorize and capture; pa: authorize only, and capture later. */
  readonly captureType?: 'ac' | 'pa' | null | undefined;
};

export type PendingCancel = {
  /** `0`: given back. `pending`: accepted, and decided later. */
  readonly returnCode: 'pending';
  /** What is the matter, as a sentence for people. */
  readonly description: string;
  /** The id of the payment. */
  readonly paymentId: string;
  /** The authorization code of the issuer; null: nothing was approved. */
  readonly authorizationCode: string;
  /** Cents that are held. */
  readonly amount: number;
};

export type PixAuthorization = {
  /** Processing: the bank has not answered yet, and there is no code. */
  readonly status: 'Processing' | 'Pending' | 'Authorized' | 'Ending' | 'Ended';
  /** How the payer agrees: 1, 2 or 3. */
  readonly journey: number;
  /** The text of the QR code by which the payer agrees; absent when it is over. */
  readonly pixEmv?: string | undefined;
  /** The picture of that QR code (PNG; `.svg` at its end: SVG). */
  readonly qrCodeUrl?: string | undefined;
  /** Until when the payer may agree; São Paulo time without zone. */
  readonly expiresAt: string;
  /** The id that the banks know it by. */
  readonly recurrenceId?: string | undefined;
};

export type PixAutomaticRequest = {
  /**
   * How the payer agrees. 1: asked by the payer's bank, at `account`. 2: a QR code. 3: a QR code that
   * pays the first billing too. Default: 3, or 2 where the plan has a trial.
   */
  readonly journey?: number | null | undefined;
  /**
   * Cents. With it the amount is not fixed: the payer may set a ceiling, not below it. Default: the
   * amount is fixed.
   */
  readonly minimumAmount?: number | null | undefined;
  /** The payer's account; of journey 1 only. */
  readonly account?: PayerAccount | null | undefined;
};

export type PixCharge = {
  /** The id of the payment. */
  readonly paymentId: string;
  /** What names it at the bank: 32 letters and digits. */
  readonly txid: string;
  /** The text of the QR code ("copia e cola"); null: the bank has not given one. */
  readonly pixEmv: string | null;
  /** The QR code as PNG, at an address that nobody can guess; with `.svg` at its end as SVG. */
  readonly qrCodeUrl: string;
  /** The page for the payer, which shows the payment by itself. */
  readonly url: string;
  /** Until when it can be paid, with offset. */
  readonly expiresAt: string;
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /**
   * Processando: the bank has not answered yet. Negada: it makes no such charge. Cancelada: taken away,
   * or given back whole.
   */
  readonly status: 'Processando' | 'Aguardando' | 'Paga' | 'Cancelada' | 'Expirada' | 'Negada';
  /** Cents of the share. */
  readonly amount: number;
};

export type PixPayer = {
  /** The name of the plan. */
  readonly name: string;
  /** CPF or CNPJ. */
  readonly documentNumber: string;
};

export type PixPayerRequest = {
  /** The name of the plan. Must not be blank, nor have control characters. */
  readonly name: string;
  /** CPF or CNPJ. Must be a valid CPF or CNPJ, with its mask or without. */
  readonly documentNumber: string;
};

export type PixPayment = {
  /** The id of the payment. */
  readonly paymentId: string;
  /** What names it at the bank: 32 letters and digits. */
  readonly txid: string;
  /** The text of the QR code ("copia e cola"); null: the bank has not given one. */
  readonly pixEmv: string | null;
  /** The QR code as PNG, at an address that nobody can guess; with `.svg` at its end as SVG. */
  readonly qrCodeUrl: string;
  /** The page for the payer, which shows the payment by itself. */
  readonly url: string;
  /** Until when it can be paid, with offset. */
  readonly expiresAt: string;
  /** Your own reference of the sale. */
  readonly referenceTransaction: string | null;
  /** How it was paid. */
  readonly method: 'pix';
  /** The billing that it was collected for (Pix Automático); null: no billing. */
  readonly billingId: string | null;
  /** Its payment link. */
  readonly linkId?: string | undefined;
  /**
   * Processando: the bank has not answered yet. Negada: it makes no such charge. Cancelada: taken away,
   * or given back whole.
   */
  readonly statusDescription: 'Processando' | 'Aguardando' | 'Paga' | 'Cancelada' | 'Expirada' | 'Negada';
  /** A part of what paid it was given back. */
  readonly isPartlyReturned: boolean;
  /** When it was sold, in São Paulo, without zone. */
  readonly transactionDate: string;
  /** When it was sold, with offset. */
  readonly transactionMoment: string;
  /** Of cards alone; always null. */
  readonly authorizationCode: string | null;
  /** The last twenty of the end-to-end id of what paid it; null: nothing yet. */
  readonly nsu: string | null;
  /** Cents, as it was charged. */
  readonly value: number;
  /** Cents that paid it: other than value with fine, interest or discount. null: it is not paid. */
  readonly paidAmount: number | null;
  /** Cents of paidAmount that are the operator's fee; null: it is not paid. */
  readonly fee: number | null;
  /** paidAmount less the fee, settled when it was paid; null: it is not paid. */
  readonly netAmount: number | null;
  /** Cents that were given back, of all that arrived. */
  readonly canceledAmount: number;
  /** Cents that are being given back. */
  readonly cancelingAmount: number;
  /** YYYY-MM-DD; null: it is to be paid at once. */
  readonly dueDate: string | null;
  /** What the payer was shown. */
  readonly description: string | null;
  /** Who was to pay; null: not given, or erased. */
  readonly payer: PixPayer | null;
  /** Only of a payment that was divided (configSplit); read alone it shows the installments of each entry. */
  readonly split?: readonly (SplitTotal)[] | undefined;
  /** Where it was charged, by the name that the operator gave it. */
  readonly bank: string;
  /** All that arrived for it, in that order. */
  readonly payments: readonly (PixReceipt)[];
  /** The newest hundred devolutions, oldest first; read alone. */
  readonly cancels?: readonly (PixRefund)[] | undefined;
};

export type PixReceipt = {
  /** Names the Pix in the whole country. */
  readonly endToEndId: string;
  /** Cents. */
  readonly amount: number;
  /** With offset. */
  readonly paidAt: string;
  /**
   * `second`: it was paid already; `afterEnd`: it was canceled, expired or refused; `otherAmount`: other
   * than what was to be paid on that day.
   */
  readonly kind: 'expected' | 'second' | 'afterEnd' | 'otherAmount';
  /** open: nobody has said yet what became of a payment that was not expected. */
  readonly state: 'open' | 'resolved';
  /** Cents of it that were given back. */
  readonly canceledAmount: number;
  /** The exception by which it is resolved; null: it was expected. */
  readonly exceptionId: string | null;
};

export type PixRefund = {
  /** The id of the cancel. */
  readonly cancelId: string;
  /** What it is given back from. */
  readonly endToEndId: string;
  /** Cents of the share. */
  readonly amount: number;
  /**
   * Processando: the bank is asked until it answers. Pendente: it carries it out. Cancelado: given back.
   * Recusado: the bank gives nothing back.
   */
  readonly status: 'Processando' | 'Pendente' | 'Cancelado' | 'Recusado';
  /** When it was written. */
  readonly createdAt: string;
  /** When it was decided, with offset; null: it is not yet. */
  readonly decidedAt: string | null;
};

export type PixRequest = {
  /** Cents. */
  readonly amount: number;
  /** Of a Pix that is to be paid at once; default 86400. Not beside dueDate. */
  readonly expiresInSeconds?: number | null | undefined;
  /**
   * YYYY-MM-DD in São Paulo, today or later, five years ahead at most. Must be a day, YYYY-MM-DD, from
   * 1920 on.
   */
  readonly dueDate?: string | null | undefined;
  /** Fine for late payment; absent: none. */
  readonly fine?: BillFine | null | undefined;
  /** Interest for late payment; absent: none. */
  readonly interest?: BillInterest | null | undefined;
  /** Discount for early payment; absent: none. */
  readonly discount?: BillDiscount | null | undefined;
  /** Days after the due day on which it can still be paid; default 30. */
  readonly daysToExpire?: number | null | undefined;
  /** Who pays the boleto. */
  readonly payer?: PixPayerRequest | null | undefined;
  /** Shown to the payer by his bank. Must not be blank, nor have control characters. */
  readonly description?: string | null | undefined;
  /**
   * Your own reference of the sale, such as an order number. It comes back in lists, movements and
   * callbacks.
   */
  readonly referenceTransaction?: string | null | undefined;
  /** Who gets a part of the sale; absent: all of it is yours. */
  readonly configSplit?: readonly (SplitEntryRequest)[] | null | undefined;
  /**
   * A public address, https in production: each change of the Pix is posted there. Must be an http or
   * https URL without user and password.
   */
  readonly urlCallBack?: string | null | undefined;
};

export type Plan = {
  /** The id of the plan. */
  readonly id: string;
  /** Your merchant number. */
  readonly merchantId: string;
  /** The name of the plan. */
  readonly name: string;
  /** What the plan offers. */
  readonly description: string;
  /** Reais, with all their digits: up to 12 before and 6 after the point. */
  readonly amount: number;
  /**
   * How often it charges: Monthly every 30 days, Bimonthly 60, Quarterly 90, Semesterly 180, Yearly 365,
   * Custom every `interval` days.
   */
  readonly planType: 'Weekly' | 'Monthly' | 'Bimonthly' | 'Quarterly' | 'Semesterly' | 'Yearly' | 'Custom';
  /** Days before the first charge. */
  readonly trialDays: number;
  /** How it is paid: `CreditCard` or `PixAutomatic`. */
  readonly paymentMethod: 'CreditCard' | 'PixAutomatic';
  /** Days. */
  readonly interval: number;
  /** 0: no end. */
  readonly installments: number;
  /** Retries after a lack of funds. */
  readonly attempts: number;
  /** What subscribers read on their cards' statements; null: your default. */
  readonly softDescriptor: string | null;
  /** Active takes new subscriptions; Inactive charges those it has; Canceled charges none. */
  readonly status: 'Active' | 'Inactive' | 'Canceled';
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
};

export type PlanCalendar = {
  /** The id of the plan. */
  readonly planId: string;
  /** The day of the enrolment. */
  readonly startOn: string;
  /** What was found, in the order asked for. */
  readonly items: readonly (PlannedCharge)[];
};

export type PlanPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Plan)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type PlanRequest = {
  /** Your own. */
  readonly merchantId?: string | null | undefined;
  /** The name of the plan. Must not be blank. */
  readonly name: string;
  /** What the plan offers. Must not be blank. */
  readonly description: string;
  /**
   * Reais of each charge, up to 12 digits before and 6 after the point. Up to 12 integer digits and 6
   * decimals, kept digit for digit.
   */
  readonly amount: number;
  /**
   * How often it charges: Monthly every 30 days, Bimonthly 60, Quarterly 90, Semesterly 180, Yearly 365,
   * Custom every `interval` days.
   */
  readonly planType: 'Weekly' | 'Monthly' | 'Bimonthly' | 'Quarterly' | 'Semesterly' | 'Yearly' | 'Custom';
  /**
   * PixAutomatic, where it is switched on, is for Weekly, Monthly, Quarterly, Semesterly and Yearly plans
   * with up to 3 `attempts`; its due days are those of the calendar.
   */
  readonly paymentMethod: 'CreditCard' | 'PixAutomatic';
  /** Days before the first charge. */
  readonly trialDays?: number | null | undefined;
  /**
   * Days between charges. Custom only, from 20; with every other type the service sets it, and 0 is as if
   * it was not sent.
   */
  readonly interval?: number | null | undefined;
  /**
   * Charges in all, 1 to 999. Custom must have it, Monthly may; without it, and with every other type,
   * there is no end. But for Custom 0 is as if it was not sent.
   */
  readonly installments?: number | null | undefined;
  /** Retries after a lack of funds. */
  readonly attempts?: number | null | undefined;
  /**
   * What subscribers read on their cards' statements: letters without accents, digits, blanks and `.-*`.
   * One point (`.`): none of its own, so your default. Absent or empty: as it was, at first your default.
   * Must have up to 13 letters without accents, digits, blanks and .-*, and not signs alone; one point
   * alone is none.
   */
  readonly softDescriptor?: string | null | undefined;
};

export type PlanStatusRequest = {
  /** The state that the plan is to have. */
  readonly status: 'Active' | 'Inactive' | 'Canceled';
};

export type PlanUpdateRequest = {
  /** Your own. */
  readonly merchantId: string;
  /** The name of the plan. Must not be blank. */
  readonly name: string;
  /** What the plan offers. Must not be blank. */
  readonly description: string;
  /**
   * Reais of each charge, up to 12 digits before and 6 after the point. Up to 12 integer digits and 6
   * decimals, kept digit for digit.
   */
  readonly amount: number;
  /**
   * How often it charges: Monthly every 30 days, Bimonthly 60, Quarterly 90, Semesterly 180, Yearly 365,
   * Custom every `interval` days.
   */
  readonly planType: 'Weekly' | 'Monthly' | 'Bimonthly' | 'Quarterly' | 'Semesterly' | 'Yearly' | 'Custom';
  /**
   * PixAutomatic, where it is switched on, is for Weekly, Monthly, Quarterly, Semesterly and Yearly plans
   * with up to 3 `attempts`; its due days are those of the calendar.
   */
  readonly paymentMethod: 'CreditCard' | 'PixAutomatic';
  /** Days before the first charge. */
  readonly trialDays?: number | null | undefined;
  /**
   * Days between charges. Custom only, from 20; with every other type the service sets it, and 0 is as if
   * it was not sent.
   */
  readonly interval?: number | null | undefined;
  /**
   * Charges in all, 1 to 999. Custom must have it, Monthly may; without it, and with every other type,
   * there is no end. But for Custom 0 is as if it was not sent.
   */
  readonly installments?: number | null | undefined;
  /** Retries after a lack of funds. */
  readonly attempts?: number | null | undefined;
  /**
   * What subscribers read on their cards' statements: letters without accents, digits, blanks and `.-*`.
   * One point (`.`): none of its own, so your default. Absent or empty: as it was, at first your default.
   * Must have up to 13 letters without accents, digits, blanks and .-*, and not signs alone; one point
   * alone is none.
   */
  readonly softDescriptor?: string | null | undefined;
};

export type PlannedCharge = {
  /** Which charge, from 1. */
  readonly installment: number;
  /** The due day. */
  readonly expireAt: string;
  /** Reais, rounded to the cents that are charged. */
  readonly amount: number;
  /** The days of the retries while the funds are lacking. */
  readonly retriesOn: readonly (string)[];
};

export type Problem = {
  /**
   * The path of the field as you sent it, the issuer's code of a decline, `__general__` for a business
   * rule, or empty.
   */
  readonly tag: string;
  /** Brazilian Portuguese; `Accept-Language: en` gives English. */
  readonly description: string;
};

export type Receivable = {
  /** When it was sold, in São Paulo, without zone. */
  readonly transactionDate: string;
  /** Always empty: it was sold online. */
  readonly terminal: string;
  /** The first six and the last four digits. */
  readonly cardNumber: string;
  /** Always Crédito. */
  readonly cardType: string;
  /** The brand of the card. */
  readonly cardName: string;
  /** The authorization code of the issuer. */
  readonly codAuth: string;
  /** The sequential number of the transaction at the acquirer. */
  readonly nsu: string;
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** Installments of the sale. */
  readonly installmentsCount: number;
  /** Reais of the installment, as it was sold. */
  readonly installmentValue: number;
  /** Reais of the whole sale. */
  readonly transactionTotalValue: number;
  /** Autorizada, Paga, Cancelada or Bloqueada. */
  readonly installmentStatus: string;
  /** Reais of the acquirer's fee: what it kept; until it has said so, what is expected. */
  readonly discountMdrValue: number;
  /** The same in percent. */
  readonly discountMdrTax: number;
  /** Reais that the acquirer kept because it paid earlier. */
  readonly discountAntecipationValue: number;
  /** The same in percent. */
  readonly discountAntecipationTax: number;
  /** Reais that came; 0 while nothing did, null where the acquirer did not say how much. */
  readonly receivedValue: number | null;
  /** The day on which the money is expected. */
  readonly receivedDateForeast: string;
  /** The same, under the right name. */
  readonly receivedDateForecast: string;
  /** The day on which the money came; null: not yet. */
  readonly receivedDateEffective: string | null;
  /** Liquidação or Antecipação; empty while nothing came. */
  readonly receivedType: string;
  /** Previsto, Recebido, Bloqueado or Cancelado. */
  readonly receivedStatus: string;
  /** Your own reference of the sale. */
  readonly transactionReference: string | null;
  /** The id of the payment. */
  readonly transactionPaymentIdWeb: string;
};

export type ReceivableSearchRequest = {
  /** The acquirer's number of the sale. */
  readonly nsu: string;
  /** The authorization code of the issuer. */
  readonly codAuth: string;
};

export type ReconciliationDay = {
  /** The day, YYYY-MM-DD in São Paulo. */
  readonly day: string;
  /** Installments that were to be paid on this day. */
  readonly expectedInstallments: number;
  /** Reais that they should bring, after the fee. */
  readonly expectedValue: number;
  /** Reais of their fees. */
  readonly expectedFee: number;
  /** Those of them that have not come, on this day or another. */
  readonly openInstallments: number;
  /** Reais that they should have brought. */
  readonly openValue: number;
  /** Installments that came on this day, whenever they were expected. */
  readonly receivedInstallments: number;
  /** Reais that came, less what was taken off on this day; below zero: more was taken. */
  readonly receivedValue: number;
  /** Reais that the acquirer kept of them, for paying earlier too. */
  readonly receivedFee: number;
  /** Those of them of which the acquirer did not say how much they brought. */
  readonly receivedWithoutValue: number;
  /** Those of them that the acquirer has reported by itself, and no file of it has. */
  readonly unfiledInstallments: number;
  /** Reais that they brought. Without them the value is that of the sheet of the day. */
  readonly unfiledValue: number;
  /** Installments of which files take something off on this day. */
  readonly takenInstallments: number;
  /** Reais of cancels, chargebacks and claims of others that files take off; below zero: give back. */
  readonly takenValue: number;
  /**
   * Those of them that brought more or less than expected, by more than rounding: a cent for each
   * installment of the sale.
   */
  readonly differentInstallments: number;
  /**
   * Reais that those which came brought more than expected, before anything was taken off; below zero:
   * less. One that came in parts counts on the last of its days.
   */
  readonly difference: number;
};

export type ReconciliationException = {
  /** The id of the exception. */
  readonly exceptionId: string;
  /** What differs. */
  readonly class: 'notInFile' | 'notInParcela' | 'amountDiffers' | 'feeDiffers' | 'dateDiffers' | 'duplicateInFile' | 'cancellationUnknown' | 'chargebackUnknown' | 'heldByPledge' | 'unknownCode' | 'unexpectedPayment' | 'takenBack';
  /**
   * `explained`: a rule knows why; `healed`: what came later shows no difference any more; `resolved`: a
   * person found out.
   */
  readonly state: 'open' | 'explained' | 'healed' | 'resolved';
  /** The payment, by card or Pix, or the transaction of a billing; null: it is of a boleto. */
  readonly transactionId: string | null;
  /** Which installment, from 1. */
  readonly installmentNumber: number | null;
  /** Cents that you lack; negative: that you have too much. Of `dateDiffers` what came on another day. */
  readonly amount: number;
  /** What was expected: cents, a day or a count. */
  readonly expected: string | null;
  /** What the file says; null: nothing. */
  readonly found: string | null;
  /** The day on which the money was expected, or came. */
  readonly day: string | null;
  /** Why a rule takes it for known; null: no rule does. */
  readonly explanation: 'rounding' | 'pledge' | 'onItsWay' | 'batchIncomplete' | null;
  /** Whose payment was not expected; null: it is of an installment. */
  readonly boletoId: string | null;
  /** Its payment link. */
  readonly linkId?: string | undefined;
  /** Since `day`. */
  readonly ageDays: number;
  /** When it was found. */
  readonly openedAt: string;
  /** When it healed or was resolved. */
  readonly endedAt: string | null;
  /** What a person found out. */
  readonly reason: string | null;
};

export type ReconciliationExceptionPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (ReconciliationException)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type RemovedSubscriberPage = {
  /** Of the subscription. */
  readonly id: string;
};

export type ResendRequest = {
  /**
   * The first moment of writing, with its offset. Must be date and time with the offset,
   * YYYY-MM-DDThh:mm:ss-03:00, 1920-01-02 to 9999-12-30.
   */
  readonly from: string;
  /**
   * The first moment behind the period, which has 31 days at most. Must be date and time with the offset,
   * YYYY-MM-DDThh:mm:ss-03:00, 1920-01-02 to 9999-12-30.
   */
  readonly to: string;
  /** GivenUp, which is the default, or what was delivered too. */
  readonly status?: 'GivenUp' | 'All' | null | undefined;
  /** `next` of the call before. */
  readonly after?: string | null | undefined;
};

export type ResentDeliveries = {
  /** How many wait again. */
  readonly resent: number;
  /** null: nothing more of the period. */
  readonly next: string | null;
};

export type ScriptCancel = {
  /**
   * Days by your clock until it is decided; absent: one. 0: at once, as without a script, unless it
   * fails.
   */
  readonly afterDays: number;
  /** It fails then, and nothing is given back; absent: it is done. */
  readonly fails: boolean;
};

export type ScriptCancelRequest = {
  /**
   * Days by your clock until it is decided; absent: one. 0: at once, as without a script, unless it
   * fails.
   */
  readonly afterDays?: number | undefined;
  /** It fails then, and nothing is given back; absent: it is done. */
  readonly fails?: boolean | undefined;
};

export type ScriptStep = {
  /** absent: amount and card decide, unless there is a fault. */
  readonly outcome: 'approved' | 'declined' | null;
  /** Of a decline, as the card's brand writes it; absent: its generic one. */
  readonly responseCode: string | null;
  /** Of a decline: Mastercard's advice on another try. */
  readonly adviceCode: string | null;
  /** How the answer is spoiled; all but `silent` book the charge first. */
  readonly fault: 'silent' | 'booksButSilent' | 'late' | 'garbage' | 'reset' | 'wrongAmount' | 'wrongReference' | 'duplicate' | null;
  /** How long the charge is worked on before it is booked. */
  readonly delayMilliseconds: number;
  /** How many voids of the charge are refused before one is taken. */
  readonly undoRefusals: number;
  /** How many questions about the charge are answered as if it were not known. */
  readonly notFoundTimes: number;
  /**
   * What the acquirer keeps of each installment when it pays it, in hundredths of a percent (250: 2.5%);
   * absent: nothing.
   */
  readonly feePortion: number;
};

export type ScriptStepRequest = {
  /** absent: amount and card decide, unless there is a fault. */
  readonly outcome?: 'approved' | 'declined' | undefined;
  /** Of a decline, as the card's brand writes it; absent: its generic one. */
  readonly responseCode?: string | undefined;
  /** Of a decline: Mastercard's advice on another try. */
  readonly adviceCode?: string | undefined;
  /** How the answer is spoiled; all but `silent` book the charge first. */
  readonly fault?: 'silent' | 'booksButSilent' | 'late' | 'garbage' | 'reset' | 'wrongAmount' | 'wrongReference' | 'duplicate' | undefined;
  /** How long the charge is worked on before it is booked. */
  readonly delayMilliseconds?: number | undefined;
  /** How many voids of the charge are refused before one is taken. */
  readonly undoRefusals?: number | undefined;
  /** How many questions about the charge are answered as if it were not known. */
  readonly notFoundTimes?: number | undefined;
  /**
   * What the acquirer keeps of each installment when it pays it, in hundredths of a percent (250: 2.5%);
   * absent: nothing.
   */
  readonly feePortion?: number | undefined;
};

export type SellerInfoRequest = {
  /**
   * Names the visit of the buyer; a GUID. Production takes only codes that `POST /v1/antifraud/sessions`
   * gave out. Must be a GUID.
   */
  readonly codeAntiFraud: string;
  /**
   * What the buyer reads on the card's statement: letters without accents, digits, blanks and `.-*`.
   * Absent: your default, which the operator keeps. Must have up to 13 letters without accents, digits,
   * blanks and .-*, and not be blank.
   */
  readonly softDescriptor?: string | null | undefined;
  /**
   * As threeDSecure.eci, which this and the next three stand for. Must be an ECI: 00, 01, 02, 04, 05, 06
   * or 07.
   */
  readonly eci?: string | null | undefined;
  /** As threeDSecure.cavv. Must have 28 characters: 20 bytes in base64. */
  readonly cavvUcaf?: string | null | undefined;
  /**
   * As threeDSecure.xid, or as dsTransactionId where it is a GUID. Goes with the proof. Must be a GUID,
   * or 20 bytes in base64 (28 characters).
   */
  readonly xid?: string | null | undefined;
  /** As threeDSecure.version. Must be a version 2 of 3-D Secure, such as 2.2.0. Version 1 has ended. */
  readonly programProtocol?: string | null | undefined;
};

export type SplitEntry = {
  /** CPF or CNPJ of the beneficiary. */
  readonly documentNumberBeneficiary: string;
  /** Percent of the sale. */
  readonly percent: number;
  /** `bruto`: of the amount. `liquido`: of the amount less the fee. */
  readonly type: 'bruto' | 'liquido';
  /** Cents of the sale as it was charged. */
  readonly amount: number;
  /** Cents of them that were given back. */
  readonly canceledAmount: number;
  /** The shares of the beneficiary by installment. */
  readonly installments: readonly (SplitInstallment)[];
};

export type SplitEntryRequest = {
  /** Each once; letters of a CNPJ in capitals. Must be a valid CPF or CNPJ, without mask. */
  readonly documentNumberBeneficiary: string;
  /** All together at most 100: the rest is yours. 0 to 100, up to 2 decimals. */
  readonly percent: number;
  /**
   * Of the amount, or of the amount less the fee that the operator set; one of them for all. Default
   * bruto.
   */
  readonly type?: 'bruto' | 'liquido' | null | undefined;
};

export type SplitInstallment = {
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** Cents of the share. */
  readonly amount: number;
  /** Cents of the share that were given back. */
  readonly canceledAmount: number;
};

export type SplitTotal = {
  /** CPF or CNPJ of the beneficiary. */
  readonly documentNumberBeneficiary: string;
  /** Percent of the sale. */
  readonly percent: number;
  /** `bruto`: of the amount. `liquido`: of the amount less the fee. */
  readonly type: 'bruto' | 'liquido';
  /** Cents of the sale as it was charged. */
  readonly amount: number;
  /** Cents of them that were given back. */
  readonly canceledAmount: number;
};

export type SubscriberPage = {
  /** The page: send it to the subscriber alone. */
  readonly url: string;
  /** Whether the subscriber may cancel there; default: not. */
  readonly allowCancel: boolean;
  /** The last day on which it is shown. */
  readonly expirationDate: string;
};

export type SubscriberPageRequest = {
  /** Whether the subscriber may cancel there; default: not. */
  readonly allowCancel?: boolean | null | undefined;
  /**
   * The last day on which it is shown, in São Paulo: today or later, 366 days ahead at most. Default: 30
   * days. Must be a day, YYYY-MM-DD, from 1920 on.
   */
  readonly expirationDate?: string | null | undefined;
};

export type Subscription = {
  /** The id of the subscription. */
  readonly id: string;
  /** Absent: it is paid by Pix Automático. */
  readonly vaultId?: string | undefined;
  /** Your number of the order or service. */
  readonly orderNumber: string;
  /** Whom the subscription is for, if you said so. */
  readonly customer?: Customer | undefined;
  /** Active, Blocked (its card is canceled, or there was a chargeback) or Canceled. */
  readonly status: 'Pending' | 'Active' | 'Blocked' | 'Canceled' | 'Rejected' | 'Expired';
  /** Why it is not Active; absent while it is, or is Pending. */
  readonly statusReason?: 'ByMerchant' | 'PlanCanceled' | 'Declined' | 'Completed' | 'CardCanceled' | 'Chargeback' | 'ByPayer' | 'RejectedByPayer' | 'NotAuthorized' | 'NotAnsweredByBank' | 'BySubscriber' | undefined;
  /** The plan, with the terms of the enrolment. */
  readonly plan: Plan;
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
};

export type SubscriptionDetail = {
  /** The id of the subscription. */
  readonly id: string;
  /** Absent: it is paid by Pix Automático. */
  readonly vaultId?: string | undefined;
  /** Your number of the order or service. */
  readonly orderNumber: string;
  /** Whom the subscription is for, if you said so. */
  readonly customer?: Customer | undefined;
  /** Active, Blocked (its card is canceled, or there was a chargeback) or Canceled. */
  readonly status: 'Pending' | 'Active' | 'Blocked' | 'Canceled' | 'Rejected' | 'Expired';
  /** Why it is not Active; absent while it is, or is Pending. */
  readonly statusReason?: 'ByMerchant' | 'PlanCanceled' | 'Declined' | 'Completed' | 'CardCanceled' | 'Chargeback' | 'ByPayer' | 'RejectedByPayer' | 'NotAuthorized' | 'NotAnsweredByBank' | 'BySubscriber' | undefined;
  /** The plan, with the terms of the enrolment. */
  readonly plan: Plan;
  /** Who created it: a user name, or `system`. */
  readonly createdBy: string;
  /** São Paulo time without zone. */
  readonly createdDate: string;
  /** Absent: never changed. */
  readonly modifiedBy?: string | undefined;
  /** When it was last changed: São Paulo time without zone. Absent: never. */
  readonly modifiedDate?: string | undefined;
  /** The authorization of Pix Automático; absent with a card. */
  readonly authorization?: PixAuthorization | undefined;
  /**
   * What happened to it, in order: its creation and the newest hundred others. Times in São Paulo, `by` a
   * user name or `system`.
   */
  readonly timeline: readonly (SubscriptionEvent)[];
};

export type SubscriptionEvent = {
  /** When, in São Paulo, without zone. */
  readonly at: string;
  /** What happened. */
  readonly type: 'Created' | 'Activated' | 'Canceled' | 'Blocked' | 'Completed' | 'VaultChanged' | 'CustomerChanged' | 'Rejected' | 'Expired';
  /** A user name, or `system`. */
  readonly by: string;
  /** Why it happened. */
  readonly reason?: 'ByMerchant' | 'PlanCanceled' | 'Declined' | 'Completed' | 'CardCanceled' | 'Chargeback' | 'ByPayer' | 'RejectedByPayer' | 'NotAuthorized' | 'NotAnsweredByBank' | 'BySubscriber' | undefined;
  /** The reason as a sentence. */
  readonly description?: string | undefined;
  /** The billing that did it, by its charge or its cancel. */
  readonly billingId?: string | undefined;
};

export type SubscriptionId = {
  /** The id of the subscription. */
  readonly id: string;
};

export type SubscriptionIdOrNew = string | NewSubscription;

export type SubscriptionPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (Subscription)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type SubscriptionRequest = {
  /** A stored card of yours; needed unless the plan is paid by Pix Automático. */
  readonly vaultId?: string | null | undefined;
  /** Your number of the order or service. Must not be blank, nor have control characters. */
  readonly orderNumber: string;
  /** A plan of yours that is Active. */
  readonly planId: string;
  /**
   * The day of the first charge, YYYY-MM-DD in São Paulo, from today on and up to two years ahead,
   * instead of the trial of the plan; of a subscription that began elsewhere. By card only. Must be a
   * day, YYYY-MM-DD, from 1920 on.
   */
  readonly firstDueOn?: string | null | undefined;
  /** Whom the subscription is for; it changes nothing of what is charged. */
  readonly customer?: CustomerRequest | null | undefined;
  /** How the payer agrees to Pix Automático. */
  readonly pixAutomatic?: PixAutomaticRequest | null | undefined;
};

export type SubscriptionStatusRequest = {
  /** `Actived` (or `Active`) or `Canceled`. */
  readonly status: 'Actived' | 'Active' | 'Canceled';
};

export type SubscriptionVaultRequest = {
  /** A stored card of yours. */
  readonly vaultId: string;
};

export type TestClock = {
  /** Business time of the merchant, in São Paulo, without zone. */
  readonly now: string;
  /** Where the clock is going; null: no jump is under way. */
  readonly target: string | null;
  readonly ran: ClockWork;
};

export type TestDelivery = {
  /** The `webhook-id` that was sent. */
  readonly id: string;
  /** Whether your server took it. */
  readonly delivered: boolean;
  /** What your server answered; null: nothing. */
  readonly status: number | null;
  /** Why it failed, in a word. */
  readonly failure: string | null;
  /** How long the try took. */
  readonly milliseconds: number;
};

export type TextInBothLanguages = {
  /** In Brazilian Portuguese. */
  readonly pt: string;
  /** In English. */
  readonly en: string;
};

export type ThreeDSecure = {
  /** The indicator, in two digits. */
  readonly eci: string;
  /** The version of the protocol. */
  readonly version: string;
  /** authenticated: eci 05 or 02; attempted: 06 or 01; notAuthenticated: any other. */
  readonly result: 'authenticated' | 'attempted' | 'notAuthenticated';
};

export type ThreeDSecureRequest = {
  /**
   * The indicator of the authentication. With 01, 02, 05 and 06 its proof is required. Must be an ECI:
   * 00, 01, 02, 04, 05, 06 or 07.
   */
  readonly eci: string;
  /**
   * The issuer's proof (CAVV, AAV, UCAF). It goes to the acquirer and is never stored. Must have 28
   * characters: 20 bytes in base64.
   */
  readonly cavv?: string | null | undefined;
  /** dsTransID of the authentication. This or xid goes with the proof. Must be a GUID. */
  readonly dsTransactionId?: string | null | undefined;
  /** Where your provider names one. Must have 28 characters: 20 bytes in base64. */
  readonly xid?: string | null | undefined;
  /**
   * Of the protocol, such as 2.2.0; 2 if absent. Must be a version 2 of 3-D Secure, such as 2.2.0.
   * Version 1 has ended.
   */
  readonly version?: string | null | undefined;
};

export type TokenizationRequest = {
  /** The number of the card: 13 to 19 digits, blanks not allowed. */
  readonly cardNumber?: string | null | undefined;
  /** The card as your page encrypted it for the public key: base64 in one line. */
  readonly encryptedCard?: string | null | undefined;
};

export type TransactionEvent = {
  /** The id of the payment. */
  readonly paymentId: string;
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** `settle`, `block`, `unblock` or `chargeback`. */
  readonly type: 'settle' | 'block' | 'unblock' | 'chargeback';
  /** What the installment is now: Autorizada, Bloqueada, Cancelada or Paga. */
  readonly statusDescription: string;
};

export type TransactionEventRequest = {
  /** `settle`, `block`, `unblock` or `chargeback`. */
  readonly type: 'settle' | 'block' | 'unblock' | 'chargeback';
  /** Which installment, from 1. */
  readonly installmentNumber: number;
  /** Cents that a chargeback takes back; absent: all that is left of the installment. */
  readonly amount?: number | undefined;
};

export type TrialAmount = {
  /** The last four digits of the amount in cents. */
  readonly endsIn: string;
  /** What becomes of a charge. */
  readonly behaviour: string;
};

export type TrialCard = {
  /** What the card is called here. */
  readonly name: string;
  /** Digits of the card. */
  readonly number: string;
  /** The brand of the card. */
  readonly brand: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard';
  /** What becomes of a charge. */
  readonly behaviour: string;
};

export type TrialCardList = {
  /** What was found, in the order asked for. */
  readonly items: readonly (TrialCard)[];
  /** Endings that decide before the card does. */
  readonly amounts: readonly (TrialAmount)[];
};

export type VaultCard = {
  /** The id of the stored card. */
  readonly vaultId: string;
  /** The brand of the card. */
  readonly brand: string;
  /** The first six digits of the number. */
  readonly firstSixDigits: string;
  /** The last four digits of the number. */
  readonly lastFourDigits: string;
  /** The month of the expiry, two digits. */
  readonly expirationMonth: string;
  /** The year of the expiry, two digits. */
  readonly expirationYear: string;
  /** The name on the card. */
  readonly cardholderName: string;
  /** Active, or Expired by its date. */
  readonly status: string;
};

export type VaultCardId = {
  /** The id of the stored card. */
  readonly vaultId: string;
};

export type VaultCardPage = {
  /** What was found, in the order asked for. */
  readonly items: readonly (VaultCard)[];
  /** This page, from 1. */
  readonly page: number;
  /** Items of a page at most. */
  readonly limit: number;
  /** Items on all pages. */
  readonly total: number;
};

export type VaultCardRequest = {
  /** This or encryptedCard, exactly one; needs name and expiry beside it. */
  readonly numberToken?: string | null | undefined;
  /** Base64 in one line; see the public key. */
  readonly encryptedCard?: string | null | undefined;
  /** The brand of the card. */
  readonly brand?: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard' | null | undefined;
  /** Required, unless the encrypted card holds it. Must not be blank, nor have control characters. */
  readonly cardholderName?: string | null | undefined;
  /** The month of the expiry, two digits. Must be a month of two digits, 01 to 12. */
  readonly expirationMonth?: string | null | undefined;
  /** The year of the expiry, two digits. Must have two digits. */
  readonly expirationYear?: string | null | undefined;
  /** Ask the issuer first whether the card is good; nothing is charged. */
  readonly verifyCard?: boolean | null | undefined;
  /** For the check only; never kept. Must have 3 or 4 digits. */
  readonly securityCode?: string | null | undefined;
};

export type Webhook = {
  /** The registered address. */
  readonly url: string;
};

export type WebhookAuth = {
  /** Says so. */
  readonly message: string;
};

export type WebhookAuthRequest = {
  /**
   * With or without `Basic ` before it. Must be the base64 of user:password in UTF-8, without control
   * characters.
   */
  readonly basic: string;
};

export type WebhookRequest = {
  /** Where notifications are sent. Must be an http or https URL without user and password. */
  readonly url: string;
  /**
   * With or without `Basic ` before it; absent: none is sent. Must be the base64 of user:password in
   * UTF-8, without control characters.
   */
  readonly basicAuth?: string | null | undefined;
};

export type WebhookSecret = {
  /** The secret: `whsec_` and its base64. Keep it as you keep passwords. */
  readonly secret: string;
  /** Until when the secret before signs too; null: there was none. */
  readonly previousValidUntil: string | null;
};

/** What each operation is given (places in its path, its query, and `body`), and what it answers. */
export type Operations = {
  /** Read the public key for encryptedCard */
  getCardPublicKey: { given: Readonly<Record<string, never>>; answer: CardPublicKey };
  /** Make a card token */
  tokenizeCard: { given: {
      readonly body: TokenizationRequest;
    }; answer: readonly (CardToken)[] };
  /** List the stored cards */
  listVaultCards: { given: {
      /** Only those that end in these four digits. Must have digits only. */
      readonly lastFour?: string | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'vaultId' | 'vaultId asc' | 'vaultId desc' | undefined;
    }; answer: VaultCardPage };
  /** Store a card */
  storeVaultCard: { given: {
      readonly body: VaultCardRequest;
    }; answer: VaultCardId };
  /** Read a stored card */
  getVaultCard: { given: {
      /** The id of the stored card. */
      readonly vaultId: string;
    }; answer: VaultCard };
  /** Remove a stored card for good */
  deleteVaultCard: { given: {
      /** The id of the stored card. */
      readonly vaultId: string;
    }; answer: VaultCardId };
  /** Ask for an anti-fraud code */
  createAntiFraudCode: { given: {
      readonly body: AntiFraudSessionRequest;
    }; answer: AntiFraudSession };
  /** Charge a card */
  createPayment: { given: {
      readonly body: PaymentRequest;
    }; answer: CreatedPayment };
  /** Search payments */
  listPayments: { given: {
      /** Absent: of all methods. */
      readonly method?: 'card' | 'pix' | 'boleto' | undefined;
      /** Your own reference of the sale; of a charge of a billing its billingId. */
      readonly referenceTransaction?: string | undefined;
      /** As notifications bring it. */
      readonly nsu?: string | undefined;
      /** Of the issuer, as receipts show it. Of cards alone. */
      readonly authorizationCode?: string | undefined;
      /** What a stored card was charged. Of cards alone. */
      readonly vaultId?: string | undefined;
      /** Every charge of a billing, declined ones too. */
      readonly billingId?: string | undefined;
      /** Of a Pix, as its bank names it. */
      readonly txid?: string | undefined;
      /** Of a Pix that arrived, as statements of banks show it. */
      readonly endToEndId?: string | undefined;
      /** As `statusDescription` shows it. */
      readonly status?: 'Processando' | 'Pré-autorizada' | 'Autorizada' | 'Negada' | 'Desfeita' | 'Cancelada' | 'Bloqueada' | 'Paga' | 'Aguardando' | 'Vencida' | 'Expirada' | undefined;
      /** The last four digits of the card. Must have digits only. */
      readonly lastFour?: string | undefined;
      /** A part of it went back. By day, beside method and status alone. */
      readonly isPartlyReturned?: 'true' | undefined;
      /**
       * First day of the sale (`transactionDate`), YYYY-MM-DD in São Paulo. Must be a day, YYYY-MM-DD,
       * from 1920 on.
       */
      readonly dateRangeStartDate?: string | undefined;
      /** Last day of the sale, included. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly dateRangeEndDate?: string | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'paymentId' | 'paymentId asc' | 'paymentId desc' | 'transactionDate' | 'transactionDate asc' | 'transactionDate desc' | 'value' | 'value asc' | 'value desc' | 'nsu' | 'nsu asc' | 'nsu desc' | 'authorizationCode' | 'authorizationCode asc' | 'authorizationCode desc' | 'antifraud' | 'antifraud asc' | 'antifraud desc' | undefined;
    }; answer: PaymentPage };
  /** Read a payment */
  getPayment: { given: {
      /** The id of the payment. */
      readonly paymentId: string;
      /** Of a payment with splitPages: which of them; default 1. Behind the last one split is empty. */
      readonly splitPage?: number | undefined;
    }; answer: AnyPaymentDetail };
  /** Capture an authorized payment */
  capturePayment: { given: {
      /** The id of the payment. */
      readonly paymentId: string;
      readonly body: CaptureRequest;
    }; answer: Capture };
  /** Give a payment back, whole or in parts */
  cancelPayment: { given: {
      /** The id of the payment. */
      readonly paymentId: string;
      readonly body: CancelRequest;
    }; answer: Cancel | PendingCancel };
  /** Charge by Pix */
  issuePix: { given: {
      readonly body: PixRequest;
    }; answer: PixCharge };
  /** Create a payment link */
  createPaymentLink: { given: {
      readonly body: PaymentLinkRequest;
    }; answer: CreatedPaymentLink };
  /** Read a payment link */
  getPaymentLink: { given: {
      /** The id of the link. */
      readonly id: string;
    }; answer: PaymentLink };
  /** List payment links */
  listPaymentLinks: { given: {
      /** Active, Blocked (its card is canceled, or there was a chargeback) or Canceled. */
      readonly status?: 'Aberto' | 'Processando' | 'Pago' | 'Desativado' | 'Expirado' | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'createdDate' | 'createdDate asc' | 'createdDate desc' | undefined;
    }; answer: PaymentLinkPage };
  /** Disable a payment link */
  disablePaymentLink: { given: {
      /** The id of the link. */
      readonly id: string;
      /** Kept with it. Must not be blank, nor have control characters. */
      readonly reason: string;
    }; answer: PaymentLink };
  /** Say where card fields may stand */
  putCardFields: { given: {
      readonly body: CardFieldsRequest;
    }; answer: CardFields };
  /** Read where card fields may stand */
  getCardFields: { given: Readonly<Record<string, never>>; answer: CardFields };
  /** Read what declines mean, and what to do */
  listIssuerCodes: { given: {
      /** Only codes of this brand. */
      readonly brand?: 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard' | undefined;
      /** Only this code. */
      readonly code?: string | undefined;
    }; answer: IssuerCodeList };
  /** Create a plan */
  createPlan: { given: {
      readonly body: PlanRequest;
    }; answer: string };
  /** Search plans */
  listPlans: { given: {
      /** Part of the name; capitals and accents do not matter. */
      readonly name?: string | undefined;
      /** Only plans in this state. */
      readonly status?: 'Active' | 'Inactive' | 'Canceled' | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'id' | 'id asc' | 'id desc' | 'merchantId' | 'merchantId asc' | 'merchantId desc' | 'name' | 'name asc' | 'name desc' | 'description' | 'description asc' | 'description desc' | 'amount' | 'amount asc' | 'amount desc' | 'planType' | 'planType asc' | 'planType desc' | 'trialDays' | 'trialDays asc' | 'trialDays desc' | 'paymentMethod' | 'paymentMethod asc' | 'paymentMethod desc' | 'interval' | 'interval asc' | 'interval desc' | 'installments' | 'installments asc' | 'installments desc' | 'attempts' | 'attempts asc' | 'attempts desc' | 'softDescriptor' | 'softDescriptor asc' | 'softDescriptor desc' | 'status' | 'status asc' | 'status desc' | 'createdBy' | 'createdBy asc' | 'createdBy desc' | 'createdDate' | 'createdDate asc' | 'createdDate desc' | 'modifiedBy' | 'modifiedBy asc' | 'modifiedBy desc' | 'modifiedDate' | 'modifiedDate asc' | 'modifiedDate desc' | undefined;
    }; answer: PlanPage };
  /** Read a plan */
  getPlan: { given: {
      /** The id of the plan. */
      readonly planId: string;
    }; answer: Plan };
  /** Change a plan */
  updatePlan: { given: {
      /** The id of the plan. */
      readonly planId: string;
      readonly body: PlanUpdateRequest;
    }; answer: string };
  /** Change the status of a plan */
  changePlanStatus: { given: {
      /** The id of the plan. */
      readonly planId: string;
      readonly body: PlanStatusRequest;
    }; answer: string };
  /** See when a plan charges */
  getPlanCalendar: { given: {
      /** The id of the plan. */
      readonly planId: string;
      /** The day of the enrolment; default today. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly startOn?: string | undefined;
      /** How many due days; default 12. */
      readonly count?: number | undefined;
    }; answer: PlanCalendar };
  /** Enrol a customer in a plan */
  createSubscription: { given: {
      /** The answer is `{ id, status, authorization }` in place of the bare id. */
      readonly expand?: 'authorization' | undefined;
      readonly body: SubscriptionRequest;
    }; answer: SubscriptionIdOrNew };
  /** Search subscriptions */
  listSubscriptions: { given: {
      /** A part of the name of its plan; capitals and accents make no difference. */
      readonly planName?: string | undefined;
      /** Only subscriptions in this state. */
      readonly status?: 'Pending' | 'Active' | 'Blocked' | 'Canceled' | 'Rejected' | 'Expired' | undefined;
      /** Exactly this one. */
      readonly orderNumber?: string | undefined;
      /** Paid with this stored card. */
      readonly vaultId?: string | undefined;
      /** Of a customer with this CPF or CNPJ. Must be a valid CPF or CNPJ, with its mask or without. */
      readonly documentNumber?: string | undefined;
      /** Of a customer with this e-mail address; capitals make no difference. Must be an e-mail address. */
      readonly email?: string | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'id' | 'id asc' | 'id desc' | 'vaultId' | 'vaultId asc' | 'vaultId desc' | 'orderNumber' | 'orderNumber asc' | 'orderNumber desc' | 'status' | 'status asc' | 'status desc' | 'createdBy' | 'createdBy asc' | 'createdBy desc' | 'createdDate' | 'createdDate asc' | 'createdDate desc' | 'modifiedBy' | 'modifiedBy asc' | 'modifiedBy desc' | 'modifiedDate' | 'modifiedDate asc' | 'modifiedDate desc' | undefined;
    }; answer: SubscriptionPage };
  /** Read a subscription */
  getSubscription: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
    }; answer: SubscriptionDetail };
  /** Cancel a subscription, or activate it again */
  changeSubscriptionStatus: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
      readonly body: SubscriptionStatusRequest;
    }; answer: SubscriptionId };
  /** Pay a subscription with another stored card */
  changeSubscriptionVault: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
      readonly body: SubscriptionVaultRequest;
    }; answer: SubscriptionId };
  /** Say whom a subscription is for */
  changeSubscriptionCustomer: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
      readonly body: CustomerRequest;
    }; answer: SubscriptionId };
  /** Give a subscriber a page */
  putSubscriberPage: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
      readonly body: SubscriberPageRequest;
    }; answer: SubscriberPage };
  /** Read the page of a subscriber */
  getSubscriberPage: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
    }; answer: SubscriberPage };
  /** End the page of a subscriber */
  removeSubscriberPage: { given: {
      /** The id of the subscription. */
      readonly subscriptionId: string;
    }; answer: RemovedSubscriberPage };
  /** Search billings */
  listBillings: { given: {
      /** Your merchant number; with that of another the page is empty. */
      readonly mid?: string | undefined;
      /** Those of one subscription, in any order. */
      readonly subscriptionId?: string | undefined;
      /** Only billings in this state. */
      readonly status?: 'Opened' | 'PaymentInvalid' | 'Canceled' | 'Denied' | 'Paid' | undefined;
      /**
       * First due day (`expireAt`), YYYY-MM-DD in São Paulo; may stand alone. Must be a day, YYYY-MM-DD,
       * from 1920 on.
       */
      readonly expirationDateRangeStartDate?: string | undefined;
      /** Last due day, included; may stand alone. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly expirationDateRangeEndDate?: string | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'id' | 'id asc' | 'id desc' | 'status' | 'status asc' | 'status desc' | 'expireAt' | 'expireAt asc' | 'expireAt desc' | 'amount' | 'amount asc' | 'amount desc' | 'installment' | 'installment asc' | 'installment desc' | 'createdBy' | 'createdBy asc' | 'createdBy desc' | 'createdDate' | 'createdDate asc' | 'createdDate desc' | 'modifiedBy' | 'modifiedBy asc' | 'modifiedBy desc' | 'modifiedDate' | 'modifiedDate asc' | 'modifiedDate desc' | undefined;
    }; answer: BillingPage };
  /** Read a billing and what happened to it */
  getBilling: { given: {
      /** The id of the billing. */
      readonly billingId: string;
    }; answer: BillingDetail };
  /** Cancel a billing */
  cancelBilling: { given: {
      /** The id of the billing. */
      readonly billingId: string;
    }; answer: string };
  /** Charge a billing again by hand */
  chargeBilling: { given: {
      /** The id of the billing. */
      readonly billingId: string;
    }; answer: BillingDetail };
  /** Be notified of what happens to subscriptions */
  registerNotifier: { given: {
      readonly body: NotifierRequest;
    }; answer: string };
  /** Search notifiers */
  listNotifiers: { given: {
      /** Your own; of another none is seen. */
      readonly merchantId?: string | undefined;
      /** Part of the name; capitals and accents do not matter. */
      readonly name?: string | undefined;
      /** Only notifiers in this state. */
      readonly status?: 'Active' | 'Inactive' | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'id' | 'id asc' | 'id desc' | 'merchantId' | 'merchantId asc' | 'merchantId desc' | 'name' | 'name asc' | 'name desc' | 'description' | 'description asc' | 'description desc' | 'callbackUrl' | 'callbackUrl asc' | 'callbackUrl desc' | 'status' | 'status asc' | 'status desc' | 'createdBy' | 'createdBy asc' | 'createdBy desc' | 'createdDate' | 'createdDate asc' | 'createdDate desc' | 'modifiedBy' | 'modifiedBy asc' | 'modifiedBy desc' | 'modifiedDate' | 'modifiedDate asc' | 'modifiedDate desc' | undefined;
    }; answer: NotifierPage };
  /** End a notifier, or have it again */
  changeNotifierStatus: { given: {
      /** The id of the notifier. */
      readonly notifierId: string;
      readonly body: NotifierStatusRequest;
    }; answer: NotifierId };
  /** Issue a boleto */
  issueBoleto: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      readonly body: BoletoRequest;
    }; answer: Boleto };
  /** List boletos by due day */
  listBoletos: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** First due day, YYYY-MM-DD. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly startDate: string;
      /** Last due day, included. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly endDate: string;
      /** Only these: 0 being issued, 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired. */
      readonly statusBill?: number | undefined;
      /** From 1; with it the answer is a page with its total, without it an array of all. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
    }; answer: BoletosOrPage };
  /** Read a boleto */
  getBoleto: { given: {
      /** The id of the boleto. */
      readonly boletoId: string;
    }; answer: Boleto };
  /** Cancel a boleto */
  cancelBoleto: { given: {
      /** The id of the boleto. */
      readonly boletoId: string;
    }; answer: Boleto };
  /** Change the due day of a boleto */
  changeBoletoDueDate: { given: {
      /** The id of the boleto. */
      readonly boletoId: string;
      readonly body: DueDateRequest;
    }; answer: Boleto };
  /** Try the registered webhook now */
  sendTestNotification: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: TestDelivery };
  /** See what was sent to you */
  listWebhookDeliveries: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** Only deliveries in this state. */
      readonly status?: 'Waiting' | 'Delivered' | 'GivenUp' | undefined;
      /** Only those of this transaction. */
      readonly nsu?: string | undefined;
      /**
       * First day of writing in São Paulo; alone it reaches 31 days. Must be a day, YYYY-MM-DD, from 1920
       * on.
       */
      readonly from?: string | undefined;
      /**
       * Last day, included; alone it reaches back 31 days. Without both: the last 31 days. Must be a day,
       * YYYY-MM-DD, from 1920 on.
       */
      readonly to?: string | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'id' | 'id asc' | 'id desc' | 'kind' | 'kind asc' | 'kind desc' | 'movementId' | 'movementId asc' | 'movementId desc' | 'nsu' | 'nsu asc' | 'nsu desc' | 'installmentNumber' | 'installmentNumber asc' | 'installmentNumber desc' | 'paymentId' | 'paymentId asc' | 'paymentId desc' | 'noticeOf' | 'noticeOf asc' | 'noticeOf desc' | 'url' | 'url asc' | 'url desc' | 'status' | 'status asc' | 'status desc' | 'tries' | 'tries asc' | 'tries desc' | 'createdAt' | 'createdAt asc' | 'createdAt desc' | 'nextTryAt' | 'nextTryAt asc' | 'nextTryAt desc' | 'endedAt' | 'endedAt asc' | 'endedAt desc' | undefined;
    }; answer: DeliveryPage };
  /** Read a delivery, its tries and what is sent */
  getWebhookDelivery: { given: {
      /** The `webhook-id` of the delivery. */
      readonly deliveryId: string;
    }; answer: DeliveryDetail };
  /** Send a delivery again */
  resendWebhookDelivery: { given: {
      /** The `webhook-id` of the delivery. */
      readonly deliveryId: string;
    }; answer: DeliveryDetail };
  /** Send the deliveries of a period again */
  resendWebhookDeliveries: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      readonly body: ResendRequest;
    }; answer: ResentDeliveries };
  /** Register where an account is notified */
  registerWebhook: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      readonly body: WebhookRequest;
    }; answer: Webhook };
  /** Read where an account is notified */
  getWebhook: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: Webhook };
  /** Tell an account no more */
  deleteWebhook: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: Webhook };
  /** Give the webhook of your account its credential */
  setWebhookAuth: { given: {
      readonly body: WebhookAuthRequest;
    }; answer: WebhookAuth };
  /** Make a secret that signs notifications */
  createWebhookSecret: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: WebhookSecret };
  /** Catch up on what happened */
  listMovements: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** The `next` of the page before; 0, which is the default: from the beginning. */
      readonly after?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
    }; answer: MovementPage };
  /** Find the installments of a sale */
  searchReceivablesByCode: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      readonly body: ReceivableSearchRequest;
    }; answer: readonly (Receivable)[] };
  /** Export what was sold */
  exportReceivablesBySale: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** First day, YYYY-MM-DD in São Paulo. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly startDate: string;
      /** Last day, included. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly endDate: string;
    }; answer: ExportedFile };
  /** Export what came or will come */
  exportReceivablesByPayment: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** First day, YYYY-MM-DD in São Paulo. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly startDate: string;
      /** Last day, included. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly endDate: string;
    }; answer: ExportedFile };
  /** See what was expected and what came, by day */
  listReconciliationDays: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** First day, YYYY-MM-DD in São Paulo. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly from: string;
      /** Last day, included. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly to: string;
    }; answer: readonly (ReconciliationDay)[] };
  /** See where files of the acquirer and your sales differ */
  listReconciliationExceptions: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      /** First day of the money. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly from: string;
      /** Last day, included; 93 days at most. Must be a day, YYYY-MM-DD, from 1920 on. */
      readonly to: string;
      /** Only those of this state. */
      readonly state?: 'open' | 'explained' | 'healed' | 'resolved' | undefined;
      /** Only those of this class. */
      readonly class?: 'notInFile' | 'notInParcela' | 'amountDiffers' | 'feeDiffers' | 'dateDiffers' | 'duplicateInFile' | 'cancellationUnknown' | 'chargebackUnknown' | 'heldByPledge' | 'unknownCode' | 'unexpectedPayment' | 'takenBack' | undefined;
      /** From 1, which is the default. */
      readonly page?: number | undefined;
      /** Of a page; default 20. */
      readonly limit?: number | undefined;
      /** A field, with asc (default) or desc; absent: newest first. */
      readonly orderBy?: 'day' | 'day asc' | 'day desc' | undefined;
    }; answer: ReconciliationExceptionPage };
  /** Say what became of a payment that was not expected */
  resolveReconciliationException: { given: {
      /** The id of the exception. */
      readonly exceptionId: string;
      readonly body: ExceptionResolutionRequest;
    }; answer: ReconciliationException };
  /** Be notified where files of the acquirer differ */
  registerExceptionNotifier: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
      readonly body: ExceptionNotifierRequest;
    }; answer: ExceptionNotifier };
  /** Read where an account is notified of exceptions */
  getExceptionNotifier: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: ExceptionNotifier };
  /** Notify an account of no more exceptions */
  deleteExceptionNotifier: { given: {
      /** An account of your merchant. */
      readonly accountNumber: string;
    }; answer: ExceptionNotifier };
  /** Read the simulator's own ledger */
  listAcquirerCharges: { given: {
      /** Your `referenceTransaction`. */
      readonly reference?: string | undefined;
      /** The id of the payment. */
      readonly paymentId?: string | undefined;
    }; answer: AcquirerChargeList };
  /** Read the ledger of the bank's simulator */
  listBankBoletos: { given: {
      /** Of one boleto: eleven digits. */
      readonly ourNumber?: string | undefined;
    }; answer: BankBoletoList };
  /** Move the test clock forward */
  advanceTestClock: { given: {
      readonly body: ClockJumpRequest;
    }; answer: ClockJump | ClockJumpUnderWay };
  /** Read the test clock */
  readTestClock: { given: Readonly<Record<string, never>>; answer: TestClock };
  /** Make something happen to an installment */
  forceTransactionEvent: { given: {
      /** The id of the payment. */
      readonly paymentId: string;
      readonly body: TransactionEventRequest;
    }; answer: TransactionEvent };
  /** Make something happen to a boleto */
  forceBoletoEvent: { given: {
      /** The id of the boleto. */
      readonly boletoId: string;
      readonly body: BoletoEventRequest;
    }; answer: BoletoEvent };
  /** Say what the acquirer answers next */
  changeAcquirerScript: { given: {
      readonly body: AcquirerScriptRequest;
    }; answer: AcquirerScript };
  /** Read what is left of the acquirer's script */
  readAcquirerScript: { given: Readonly<Record<string, never>>; answer: AcquirerScript };
  /** List numbers and amounts to try with */
  listTrialCards: { given: Readonly<Record<string, never>>; answer: TrialCardList };
};

export type Scope = 'gateway' | 'recurrence' | 'integration';
/** Method, path, whose login, whether it takes an Idempotency-Key, and the names of its query. */
export type OperationRow = readonly [
  method: string, path: string, scope: Scope, kind: 'keyed' | 'plain', names: string,
];

export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {
  getCardPublicKey: ['GET', '/v1/cards/public-key', 'gateway', 'plain', ''],
  tokenizeCard: ['POST', '/v1/cards/tokenization', 'gateway', 'plain', ''],
  listVaultCards: ['GET', '/v1/vaults/cards', 'gateway', 'plain', 'lastFour page limit orderBy'],
  storeVaultCard: ['POST', '/v1/vaults/cards', 'gateway', 'keyed', ''],
  getVaultCard: ['GET', '/v1/vaults/cards/{vaultId}', 'gateway', 'plain', ''],
  deleteVaultCard: ['DELETE', '/v1/vaults/cards/{vaultId}', 'gateway', 'plain', ''],
  createAntiFraudCode: ['POST', '/v1/antifraud/sessions', 'gateway', 'keyed', ''],
  createPayment: ['POST', '/v1/payments', 'gateway', 'keyed', ''],
  listPayments: ['GET', '/v1/payments', 'gateway', 'plain', 'method referenceTransaction nsu authorizationCode vaultId billingId txid endToEndId status lastFour isPartlyReturned dateRangeStartDate dateRangeEndDate page limit orderBy'],
  getPayment: ['GET', '/v1/payments/{paymentId}', 'gateway', 'plain', 'splitPage'],
  capturePayment: ['POST', '/v1/payments/{paymentId}/capture', 'gateway', 'keyed', ''],
  cancelPayment: ['POST', '/v1/payments/{paymentId}/cancel', 'gateway', 'keyed', ''],
  issuePix: ['POST', '/v1/payments/pix', 'gateway', 'keyed', ''],
  createPaymentLink: ['POST', '/v1/paymentlink/new', 'gateway', 'keyed', ''],
  getPaymentLink: ['GET', '/v1/paymentlink/information', 'gateway', 'plain', 'id'],
  listPaymentLinks: ['GET', '/v1/paymentlink/list', 'gateway', 'plain', 'status page limit orderBy'],
  disablePaymentLink: ['POST', '/v1/paymentlink/disable', 'gateway', 'plain', 'id reason'],
  putCardFields: ['PUT', '/v1/cards/fields', 'gateway', 'plain', ''],
  getCardFields: ['GET', '/v1/cards/fields', 'gateway', 'plain', ''],
  listIssuerCodes: ['GET', '/v1/issuer-codes', 'gateway', 'plain', 'brand code'],
  createPlan: ['POST', '/v1/recurrences/plans', 'recurrence', 'keyed', ''],
  listPlans: ['GET', '/v1/recurrences/plans', 'recurrence', 'plain', 'name status page limit orderBy'],
  getPlan: ['GET', '/v1/recurrences/plans/{planId}', 'recurrence', 'plain', ''],
  updatePlan: ['POST', '/v1/recurrences/plans/{planId}', 'recurrence', 'plain', ''],
  changePlanStatus: ['POST', '/v1/recurrences/plans/{planId}/status', 'recurrence', 'plain', ''],
  getPlanCalendar: ['GET', '/v1/recurrences/plans/{planId}/calendar', 'recurrence', 'plain', 'startOn count'],
  createSubscription: ['POST', '/v1/recurrences/subscriptions', 'recurrence', 'keyed', 'expand'],
  listSubscriptions: ['GET', '/v1/recurrences/subscriptions', 'recurrence', 'plain', 'planName status orderNumber vaultId documentNumber email page limit orderBy'],
  getSubscription: ['GET', '/v1/recurrences/subscriptions/{subscriptionId}', 'recurrence', 'plain', ''],
  changeSubscriptionStatus: ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/status', 'recurrence', 'plain', ''],
  changeSubscriptionVault: ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/vault', 'recurrence', 'plain', ''],
  changeSubscriptionCustomer: ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/customer', 'recurrence', 'plain', ''],
  putSubscriberPage: ['PUT', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', 'plain', ''],
  getSubscriberPage: ['GET', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', 'plain', ''],
  removeSubscriberPage: ['DELETE', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', 'plain', ''],
  listBillings: ['GET', '/v1/recurrences/billing', 'recurrence', 'plain', 'mid subscriptionId status expirationDateRangeStartDate expirationDateRangeEndDate page limit orderBy'],
  getBilling: ['GET', '/v1/recurrences/billing/{billingId}', 'recurrence', 'plain', ''],
  cancelBilling: ['POST', '/v1/recurrences/billing/{billingId}/cancel', 'recurrence', 'plain', ''],
  chargeBilling: ['POST', '/v1/recurrences/billing/{billingId}/charge', 'recurrence', 'keyed', ''],
  registerNotifier: ['POST', '/v1/recurrences/merchantnotifier', 'recurrence', 'keyed', ''],
  listNotifiers: ['GET', '/v1/recurrences/merchantnotifier', 'recurrence', 'plain', 'merchantId name status page limit orderBy'],
  changeNotifierStatus: ['POST', '/v1/recurrences/merchantnotifier/{notifierId}/status', 'recurrence', 'plain', ''],
  issueBoleto: ['POST', '/api/billissuer/new', 'integration', 'keyed', 'accountNumber'],
  listBoletos: ['GET', '/api/billissuer/list/by/due-date', 'integration', 'plain', 'accountNumber startDate endDate statusBill page limit'],
  getBoleto: ['GET', '/api/billissuer/{boletoId}', 'integration', 'plain', ''],
  cancelBoleto: ['POST', '/api/billissuer/{boletoId}/cancel', 'integration', 'plain', ''],
  changeBoletoDueDate: ['POST', '/api/billissuer/{boletoId}/due-date', 'integration', 'plain', ''],
  sendTestNotification: ['POST', '/api/webhooks/subscriptions/test', 'integration', 'plain', 'accountNumber'],
  listWebhookDeliveries: ['GET', '/api/webhooks/deliveries', 'integration', 'plain', 'accountNumber status nsu from to page limit orderBy'],
  getWebhookDelivery: ['GET', '/api/webhooks/deliveries/{deliveryId}', 'integration', 'plain', ''],
  resendWebhookDelivery: ['POST', '/api/webhooks/deliveries/{deliveryId}/resend', 'integration', 'plain', ''],
  resendWebhookDeliveries: ['POST', '/api/webhooks/resend', 'integration', 'plain', 'accountNumber'],
  registerWebhook: ['POST', '/api/webhooks/subscriptions', 'integration', 'plain', 'accountNumber'],
  getWebhook: ['GET', '/api/webhooks/subscriptions', 'integration', 'plain', 'accountNumber'],
  deleteWebhook: ['DELETE', '/api/webhooks/subscriptions', 'integration', 'plain', 'accountNumber'],
  setWebhookAuth: ['POST', '/v1/security/webhook-auth', 'gateway', 'plain', ''],
  createWebhookSecret: ['POST', '/api/webhooks/secret', 'integration', 'plain', 'accountNumber'],
  listMovements: ['GET', '/api/movements', 'integration', 'plain', 'accountNumber after limit'],
  searchReceivablesByCode: ['POST', '/api/transaction/concil/search-by-code', 'integration', 'plain', 'accountNumber'],
  exportReceivablesBySale: ['GET', '/api/transaction/concil/export-by-operation-date', 'integration', 'plain', 'accountNumber startDate endDate'],
  exportReceivablesByPayment: ['GET', '/api/transaction/concil/export-by-payment-date', 'integration', 'plain', 'accountNumber startDate endDate'],
  listReconciliationDays: ['GET', '/api/reconciliation/days', 'integration', 'plain', 'accountNumber from to'],
  listReconciliationExceptions: ['GET', '/api/reconciliation/exceptions', 'integration', 'plain', 'accountNumber from to state class page limit orderBy'],
  resolveReconciliationException: ['POST', '/api/reconciliation/exceptions/{exceptionId}/resolve', 'integration', 'plain', ''],
  registerExceptionNotifier: ['POST', '/api/reconciliation/notifier', 'integration', 'plain', 'accountNumber'],
  getExceptionNotifier: ['GET', '/api/reconciliation/notifier', 'integration', 'plain', 'accountNumber'],
  deleteExceptionNotifier: ['DELETE', '/api/reconciliation/notifier', 'integration', 'plain', 'accountNumber'],
  listAcquirerCharges: ['GET', '/homologation/acquirer/charges', 'gateway', 'plain', 'reference paymentId'],
  listBankBoletos: ['GET', '/homologation/bank/boletos', 'gateway', 'plain', 'ourNumber'],
  advanceTestClock: ['POST', '/homologation/clock', 'gateway', 'plain', ''],
  readTestClock: ['GET', '/homologation/clock', 'gateway', 'plain', ''],
  forceTransactionEvent: ['POST', '/homologation/transactions/{paymentId}/events', 'gateway', 'plain', ''],
  forceBoletoEvent: ['POST', '/homologation/boletos/{boletoId}/events', 'gateway', 'plain', ''],
  changeAcquirerScript: ['PUT', '/homologation/acquirer/script', 'gateway', 'plain', ''],
  readAcquirerScript: ['GET', '/homologation/acquirer/script', 'gateway', 'plain', ''],
  listTrialCards: ['GET', '/homologation/trial-cards', 'gateway', 'plain', ''],
};
