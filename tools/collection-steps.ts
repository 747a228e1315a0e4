import triggerCards from '../simulators/kit/cards/trigger-cards.json' with { type: 'json' };
import type { Sentence } from '../src/platform/http/sentence.ts';

/** A request of the collection: an operation, and what it sends and keeps in this place. */
export type Step = {
  readonly id: string;
  /** What it is for here, where an operation stands more than once. */
  readonly name?: Sentence;
  /** Takes the place of these members of the example. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Beside the required ones. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * Variables by the place of their value in the answer: `.vaultId`, `[0].numberToken`, or `` for
   * all of it.
   */
  readonly keeps?: Readonly<Record<string, string>>;
};

export type Chapter = { readonly title: Sentence; readonly steps: readonly Step[] };

/** What is filled in from demo.json, or from what the operator gave. */
export const GIVEN = {
  gatewayUrl: 'http://127.0.0.1:8080',
  integrationUrl: 'http://127.0.0.1:8080',
  merchantId: '01700555550000',
  accountNumber: '1000001',
  gatewayUserName: '',
  gatewayPassword: '',
  recurrenceUserName: '',
  recurrencePassword: '',
  integrationUserName: '',
  integrationPassword: '',
  webhookUrl: 'http://localhost:3000/',
} as const;

/** What an operation's answer keeps wherever it stands. */
export const KEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tokenizeCard: { numberToken: '[0].numberToken' },
  storeVaultCard: { vaultId: '.vaultId' },
  createAntiFraudCode: { codeAntiFraud: '.codeAntiFraud' },
  createPayment: { paymentId: '.paymentAuthorization.paymentId', nsu: '.paymentAuthorization.nsu' },
  createPlan: { planId: '' },
  createSubscription: { subscriptionId: '' },
  listBillings: { billingId: '.items[0].id' },
  registerNotifier: { notifierId: '' },
  issueBoleto: { boletoId: '.id' },
  issuePix: { paymentId: '.paymentId' },
  createPaymentLink: { id: '.id' },
  createWebhookSecret: { webhookSecret: '.secret' },
  listWebhookDeliveries: { deliveryId: '.items[0].id' },
};

/** Operations that are in no collection, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  getSecurityText: 'it is served only where the operator has named a contact',
  showBoletoPage: 'its address is the url of a boleto, for a browser',
  showBoletoPdf: 'its address is the url of a boleto, for a browser',
  showPaymentLinkPage: 'its address is the url of a payment link, for a browser',
  payLinkByCard: 'the page of a payment link sends it',
  payLinkByPix: 'the page of a payment link sends it',
  payLinkByBoleto: 'the page of a payment link sends it',
  takeLinkBillAway: 'the page of a payment link sends it',
  showSubscriberPage: 'its address is the url of the page of a subscriber, for a browser',
  changeCardAtSubscriberPage: 'the page of a subscriber sends it',
  cancelAtSubscriberPage: 'the page of a subscriber sends it',
  showCardFieldsScript: 'pages of shops load it',
  showCardFields: 'it stands in a frame on the page of a shop',
  takeCardOfFields: 'the frame with card fields sends it',
  showPixPage: 'its address is the url of a Pix, for a browser',
  showPixSvg: 'its address is the url of a Pix, for a browser',
  showPixPng: 'its address is the url of a Pix, for a browser',
  resolveReconciliationException: 'what it resolves comes seconds after a bank has reported it',
};

/** Declines whatever is charged, for want of funds. */
const CARD_WITHOUT_FUNDS = triggerCards.find(({ name }) => name === 'mastercard-advice-02')?.number;

const login = (scope: 'gateway' | 'recurrence' | 'integration', name: Sentence): Step => ({
  id: scope === 'integration' ? 'logInIntegration' : 'logInGateway',
  name,
  body: { userName: `{{${scope}UserName}}`, password: `{{${scope}Password}}` },
  keeps: { [`${scope}Token`]: '.accessToken' },
});

const SALE = { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 };
const ofNovember = { startDate: '2026-11-01', endDate: '2026-11-30' };
const ofSubscription = { subscriptionId: '{{subscriptionId}}' };

/** The story that the collection goes through: what a step uses an earlier one has made. */
export const CHAPTERS: readonly Chapter[] = [
  {
    title: { pt: 'Entrar', en: 'Log in' },
    steps: [
      login('gateway', { pt: 'Entrar: pagamentos e cartões', en: 'Log in: payments and cards' }),
      login('recurrence', { pt: 'Entrar: recorrência', en: 'Log in: recurrence' }),
      login('integration', { pt: 'Entrar: conciliação e notificações', en: 'Log in: other APIs' }),
    ],
  },
  {
    title: { pt: 'Notificações', en: 'Notifications' },
    steps: [
      { id: 'createWebhookSecret' },
      { id: 'registerWebhook', body: { url: '{{webhookUrl}}' } },
      { id: 'getWebhook' },
      { id: 'setWebhookAuth' },
      { id: 'sendTestNotification' },
    ],
  },
  {
    title: { pt: 'Cartões', en: 'Cards' },
    steps: [
      { id: 'getCardPublicKey' },
      { id: 'putCardFields' },
      { id: 'getCardFields' },
      { id: 'tokenizeCard' },
      { id: 'storeVaultCard' },
      { id: 'getVaultCard' },
      { id: 'listVaultCards' },
      { id: 'deleteVaultCard' },
      { id: 'tokenizeCard', name: { pt: 'Criar outro token', en: 'Make another token' } },
      { id: 'storeVaultCard', name: { pt: 'Guardar o cartão que fica', en: 'Store the card that stays' } },
    ],
  },
  {
    title: { pt: 'Pagamentos', en: 'Payments' },
    steps: [
      { id: 'createAntiFraudCode' },
      { id: 'tokenizeCard', name: { pt: 'Criar um token para pagar', en: 'Make a token to pay with' } },
      { id: 'createPayment' },
      { id: 'listPayments', query: { nsu: '{{nsu}}' } },
      { id: 'getPayment' },
      { id: 'listAcquirerCharges', query: { paymentId: '{{paymentId}}' } },
      { id: 'forceTransactionEvent' },
      { id: 'readAcquirerFile', query: { format: 'adiq', day: '2026-01-02' } },
      { id: 'listBankBoletos' },
      { id: 'readReturnFile', query: { day: '2026-01-02' } },
      { id: 'listTrialCards' },
      { id: 'changeAcquirerScript', body: { steps: [] } },
      { id: 'readAcquirerScript' },
      { id: 'cancelPayment' },
      { id: 'listIssuerCodes' },
    ],
  },
  {
    title: { pt: 'Capturar depois', en: 'Capture later' },
    steps: [
      { id: 'createAntiFraudCode', name: { pt: 'Criar outro código', en: 'Create another code' } },
      { id: 'tokenizeCard', name: { pt: 'Criar um token para autorizar', en: 'Make a token to authorize' } },
      {
        id: 'createPayment',
        name: { pt: 'Autorizar sem capturar', en: 'Authorize without capturing' },
        body: { payment: { ...SALE, captureType: 'pa' } },
      },
      { id: 'capturePayment' },
      {
        id: 'capturePayment',
        name: { pt: 'Capturar de novo: a mesma resposta', en: 'Capture again: the same answer' },
      },
    ],
  },
  {
    title: { pt: 'Planos e assinaturas', en: 'Plans and subscriptions' },
    steps: [
      { id: 'createPlan' },
      { id: 'listPlans' },
      { id: 'getPlan' },
      { id: 'updatePlan' },
      { id: 'getPlanCalendar' },
      { id: 'createSubscription' },
      { id: 'listSubscriptions' },
      { id: 'getSubscription' },
      { id: 'changeSubscriptionStatus' },
      { id: 'changeSubscriptionVault' },
      { id: 'changeSubscriptionCustomer' },
      { id: 'putSubscriberPage' },
      { id: 'getSubscriberPage' },
      { id: 'removeSubscriberPage' },
      { id: 'listBillings', query: ofSubscription },
      { id: 'getBilling' },
      { id: 'cancelBilling' },
    ],
  },
  {
    title: { pt: 'Uma cobrança que falha', en: 'A charge that fails' },
    steps: [
      { id: 'registerNotifier', body: { callbackUrl: '{{webhookUrl}}' } },
      {
        id: 'createPlan',
        name: { pt: 'Criar um plano sem período grátis', en: 'Create a plan without trial' },
        body: { trialDays: 0, attempts: 0 },
      },
      {
        id: 'tokenizeCard',
        name: { pt: 'Criar um token de um cartão sem saldo', en: 'Make a token of a card without funds' },
        body: { cardNumber: CARD_WITHOUT_FUNDS },
      },
      {
        id: 'storeVaultCard',
        name: { pt: 'Guardar o cartão sem saldo', en: 'Store the card without funds' },
        body: { verifyCard: false },
        keeps: { emptyVaultId: '.vaultId' },
      },
      {
        id: 'createSubscription',
        name: { pt: 'Criar uma assinatura com ele', en: 'Create a subscription with it' },
        body: { vaultId: '{{emptyVaultId}}' },
      },
      { id: 'readTestClock' },
      { id: 'advanceTestClock', body: { to: undefined, advanceDays: 4 } },
      {
        id: 'listBillings',
        name: { pt: 'Ler a cobrança recusada', en: 'Read the billing that was declined' },
        query: ofSubscription,
      },
      {
        id: 'changeSubscriptionVault',
        name: { pt: 'Dar outro cartão à assinatura', en: 'Give the subscription another card' },
      },
      { id: 'chargeBilling' },
      { id: 'changePlanStatus' },
      { id: 'listNotifiers' },
      { id: 'changeNotifierStatus' },
    ],
  },
  {
    title: { pt: 'Boletos', en: 'Boletos' },
    steps: [
      { id: 'issueBoleto' },
      { id: 'getBoleto' },
      { id: 'listBoletos', query: { startDate: '2029-12-01', endDate: '2029-12-31' } },
      { id: 'forceBoletoEvent' },
      { id: 'issueBoleto', name: { pt: 'Emitir outro boleto', en: 'Issue another boleto' } },
      { id: 'changeBoletoDueDate' },
      { id: 'cancelBoleto' },
    ],
  },
  {
    title: { pt: 'Pix', en: 'Pix' },
    steps: [
      { id: 'issuePix' },
      { id: 'getPayment', name: { pt: 'Consultar o Pix', en: 'Read the Pix' } },
      {
        id: 'cancelPayment',
        name: { pt: 'Retirar o Pix', en: 'Take the Pix away' },
        body: { amount: undefined },
      },
    ],
  },
  {
    title: { pt: 'Links de pagamento', en: 'Payment links' },
    steps: [
      { id: 'createPaymentLink' },
      { id: 'getPaymentLink' },
      { id: 'listPaymentLinks' },
      { id: 'disablePaymentLink' },
    ],
  },
  {
    title: { pt: 'O que foi notificado', en: 'What was notified' },
    steps: [
      // The oldest: it is over after the four days, whether anything listens or not.
      { id: 'listWebhookDeliveries', query: { nsu: '{{nsu}}', orderBy: 'createdAt asc' } },
      { id: 'getWebhookDelivery' },
      { id: 'resendWebhookDelivery' },
      { id: 'resendWebhookDeliveries' },
      { id: 'listMovements' },
      { id: 'searchReceivablesByCode' },
      { id: 'listReconciliationDays', query: { from: '2026-11-01', to: '2026-12-31' } },
      { id: 'exportReceivablesBySale', query: ofNovember },
      { id: 'exportReceivablesByPayment', query: ofNovember },
      { id: 'deleteWebhook' },
    ],
  },
  {
    title: { pt: 'Conciliação', en: 'Reconciliation' },
    steps: [
      { id: 'registerExceptionNotifier', body: { callbackUrl: '{{webhookUrl}}' } },
      { id: 'getExceptionNotifier' },
      { id: 'listReconciliationExceptions', query: { from: '2026-12-01', to: '2026-12-31' } },
      { id: 'deleteExceptionNotifier' },
    ],
  },
  {
    title: { pt: 'Operação', en: 'Operations' },
    steps: [{ id: 'getLiveness' }, { id: 'getReadiness' }, { id: 'getOpenApi' }, { id: 'getReferencePage' }],
  },
  { title: { pt: 'Sair', en: 'Log out' }, steps: [{ id: 'logOut' }] },
];
