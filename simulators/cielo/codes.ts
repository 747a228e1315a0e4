/** What Cielo says with the codes of a request that it does not take. */
const ERRORS: Readonly<Record<number, string>> = {
  0: 'Internal error',
  101: 'MerchantId is required',
  102: 'Payment Type is required',
  107: 'OrderId is invalid or does not exists',
  108: 'Amount must be greater or equal to zero',
  114: 'The provided MerchantId is not in correct format',
  117: 'Credit Card Holder is required',
  118: 'Credit Card Number is required',
  119: 'At least one Payment is required',
  122: 'MerchantOrderId is required',
  123: 'Installments must be greater or equal to one',
  124: 'Credit Card is Required',
  125: 'Credit Card Expiration Date is required',
  126: 'Credit Card Expiration Date is invalid',
  128: 'Card Number length exceeded',
  130: 'Could not get Credit Card',
  131: 'MerchantKey is required',
  132: 'MerchantKey is invalid',
  146: 'SecurityCode length exceeded',
  163: 'Return Url is required',
  166: 'AuthorizeNow is required',
  173: 'Payment method is not enabled',
  179: 'The max number of installments allowed for recurring payment is 1',
  184: 'Request could not be empty',
  185: 'Brand is not supported by selected provider',
  186: 'The selected provider does not support the options provided (Capture, Authenticate, Recurrent or Installments)',
  213: 'Credit Card Number is invalid',
  303: 'Sent OrderId does not exist',
  307: 'Transaction not found',
  308: 'Transaction not available to capture',
  309: 'Transaction not available to void',
  310: 'Payment method doest not support this operation',
  311: 'Refund is not enabled for this merchant',
  312: 'Transaction not available to refund',
  313: 'Recurrent Payment not found',
  316: 'Cannot set NextRecurrency to past date',
  317: 'Invalid Recurrency Day',
  321: 'Can not set EndDate to before next recurrency',
};

/** What it says with the codes of a capture. */
const CAPTURES: Readonly<Record<string, string>> = {
  6: 'Operation Successful',
  98: 'Timeout',
  99: 'Falha no processamento',
  841: 'O status da transação não permite realizar captura',
  842: 'O valor da captura deve ser igual ou menor que o valor da transação',
  843: 'A data máxima para a captura está expirada',
  999: 'Captura não realizada por falha sistêmica',
};

/** Of the request to capture or void itself: they come in a list of errors. */
const COMMAND_ERRORS: ReadonlySet<string> = new Set(['0', '307', '308', '309', '310', '311', '312']);

/** What it says with the codes of a void. */
const VOIDS: Readonly<Record<string, string>> = {
  0: 'Operation Successful',
  5: 'Erro de efetivação',
  9: 'Operation Successful',
  10: 'Cancelamento não efetuado. Solicitação pendente',
  17: 'Cancelamento não executado. Existe cancelamento para esta venda',
  40: 'Prazo de cancelamento vencido',
  41: 'Status não permite cancelamento',
  42: 'Cancelamento não efetuado. Existe cancelamento para esta venda',
  43: 'Saldo na agenda insuficiente',
  51: 'Cancelamento acima do valor da venda',
  55: 'Saldo da venda insuficiente',
  56: 'Saldo do lojista insuficiente',
  52: 'Venda original não encontrada para cancelar',
  57: 'Falha no processamento',
  72: 'Saldo na agenda insuficiente',
  76: 'EC não possui saldo',
  97: 'Sistema indisponível',
  98: 'Timeout',
  99: 'Falha no processamento',
  100: 'Venda original não encontrada para cancelamento',
  102: 'Cancelamento acima do valor da venda',
  476: 'Cancelamento não realizado. Existe um cancelamento em processamento',
};

/** What the sandbox makes of the last digit of a card; null approves. */
const LAST_DIGITS: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  2: { code: '05', message: 'Not Authorized' },
  3: { code: '57', message: 'Card Expired' },
  5: { code: '78', message: 'Blocked Card' },
  6: { code: '99', message: 'Timeout' },
  7: { code: '77', message: 'Card Canceled' },
  8: { code: '70', message: 'Problems with Creditcard' },
};
const RANDOM_DIGIT = '9';

export function errorMessageOf(code: number): string {
  return ERRORS[code] ?? 'Internal error';
}

export function isCommandError(code: string): boolean {
  return COMMAND_ERRORS.has(code);
}

export function captureMessageOf(code: string): string {
  return CAPTURES[code] ?? 'Captura não efetuada';
}

export function voidMessageOf(code: string): string {
  return VOIDS[code] ?? 'Cancelamento não efetuado';
}

/** The code with which the sandbox declines a card; null: it approves it. Every other use of a 9 fails. */
export function codeOfLastDigit(number: string, uses: number): string | null {
  const digit = number.slice(-1);
  if (digit === RANDOM_DIGIT) return uses % 2 === 0 ? null : '99';
  return LAST_DIGITS[digit]?.code ?? null;
}

export function declineMessageOf(code: string): string {
  return Object.values(LAST_DIGITS).find((one) => one.code === code)?.message ?? `Not Authorized (${code})`;
}
