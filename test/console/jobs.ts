import { cpfOf } from '../kit/merchant.ts';

/**
 * What a merchant's team and an operator's do, each with how many clicks it takes here (`Hand` says what is
 * counted) and at the best of the others: by its documentation, or (*) as it is generally known. No job may
 * take more here.
 */
export const JOBS = {
  giveBackHalf: {
    ours: 5,
    best: 6,
    where: 'Stripe: search, payment, Refund payment, its reason (2), Refund',
  },
  whyBlocked: { ours: 4, best: 6, where: 'Stripe: Subscriptions, a status, row, menu, link to update, copy' },
  sendAgain: { ours: 3, best: 6, where: 'Svix*: endpoint, menu, Recover failed, since when (2), Recover' },
  friday: { ours: 2, best: 2, where: 'Stripe*: Balances, payout' },
  exportMonth: { ours: 3, best: 4, where: 'Stripe*: Transactions, Export, last month, Export' },
  worthRetrying: { ours: 1, best: 2, where: 'Stripe*: Billing, Revenue recovery' },
  planAndSubscription: {
    ours: 6,
    best: 6,
    where: 'Stripe: Create, Subscription, customer, product (2), Create',
  },
  boleto: { ours: 4, best: 4, where: 'Mercado Pago*: Cobrar, link, Criar, copy' },
  rotate: { ours: 6, best: 7, where: 'Stripe: Developers, API keys, menu, Roll key, when (2), Roll' },
  invite: { ours: 3, best: 5, where: 'Stripe: Settings, Team, Add member, role, Send invites' },
  whoGaveBack: { ours: 1, best: 2, where: 'Stripe*: search by amount, payment' },
  slowAcquirer: { ours: 2, best: 3, where: 'Hyperswitch*: Analytics, Payments, by connector' },
  lockOut: { ours: 3, best: 5, where: 'Stripe Connect*: Connected accounts, account, menu, Pause, confirm' },
  decide: { ours: 6, best: 6, where: 'Kaui*: search, Payments, edit the transaction, its state (2), save' },
  approve: {
    ours: 3,
    best: 3,
    where: 'a bank for companies*: what is to be authorized, one of it, Authorize',
  },
  byNsu: { ours: 1, best: 1, where: 'Stripe*: search by a number' },
  byLastFour: { ours: 1, best: 2, where: 'Stripe*: search by last4: and date:, payment' },
  byDocument: { ours: 1, best: 1, where: 'Pagar.me*: search' },
  byBoletoLine: { ours: 1, best: 1, where: 'Asaas*: search' },
  approveByPhone: { ours: 3, best: 3, where: 'as at a desk' },
} as const;

export const FABIO = {
  documentType: 'cpf',
  documentNumber: cpfOf(4_242),
  firstName: 'Fábio',
  lastName: 'Prado',
  email: 'fabio@cliente.example',
};

/** In the fields of the form. */
export const BOLETO_TYPED = {
  'Valor em reais': '149,90',
  Pagador: 'Bruno Lima',
  'CPF / CNPJ': '529.982.247-25',
  CEP: '01310-100',
  Logradouro: 'Avenida Paulista',
  'Número do endereço': '1000',
  Bairro: 'Bela Vista',
  Cidade: 'São Paulo',
  UF: 'SP',
  Motivo: 'venda por telefone',
};
