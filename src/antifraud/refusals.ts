import { type RefusalShape, refusal } from '../platform/http/refusal.ts';

export type AntiFraudRefusal = 'codeUnusable' | 'rejected';

/** Unknown, expired, used and other merchants' codes get one answer, so that codes cannot be probed. */
export const ANTI_FRAUD_REFUSALS = {
  codeUnusable: refusal(400, 'sellerInfo.codeAntiFraud', {
    pt: 'Código antifraude inválido, expirado ou já utilizado.',
    en: 'The anti-fraud code is unknown, expired or used already.',
  }),
  rejected: refusal(402, 'antifraud', {
    pt: 'Pagamento recusado pela análise antifraude. Nenhuma cobrança foi feita.',
    en: 'Anti-fraud refused the payment. No charge was made.',
  }),
} as const satisfies Record<AntiFraudRefusal, RefusalShape>;
